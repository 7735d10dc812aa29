"""Settings, each with the origin of its value.

In: defaults, the user's file, the workspace's ``helix.toml``, ``HELIX_*`` variables, in rising priority. Out: one
frozen ``Config``. A workspace file is untrusted, so it never sets a path or a program. Never guesses: an invalid value
is an error that names file, line and key, or a warning in a workspace's file, which never stops a command; an unknown
key is a warning.
"""

from helix_core.config.load import (
    APPLICATION,
    OWN_NAMES,
    WORKSPACE_FILE,
    current,
    default_cache_dir,
    explain,
    load_config,
    state_folder,
    user_file,
)
from helix_core.config.settings import SETTINGS, Config, Origin, Setting, UpstreamSetting, Valued, size_bytes

__all__ = [
    "APPLICATION",
    "OWN_NAMES",
    "SETTINGS",
    "WORKSPACE_FILE",
    "Config",
    "Origin",
    "Setting",
    "UpstreamSetting",
    "Valued",
    "current",
    "default_cache_dir",
    "explain",
    "load_config",
    "size_bytes",
    "state_folder",
    "user_file",
]
