"""Settings, each knowing where its value came from.

In: defaults, the user's file, the workspace's ``helix.toml``, ``HELIX_*`` variables. Out: one frozen ``Config``.
Rises in that order; a workspace file is untrusted, so it never sets a path or a program.
Never guesses: a value that cannot be understood is an error naming file, line and key, or a warning where a workspace's
file holds it, which never stops a command; an unknown key is a warning.
"""

from helix_core.config.load import (
    APPLICATION,
    WORKSPACE_FILE,
    current,
    default_cache_dir,
    explain,
    load_config,
    user_file,
)
from helix_core.config.settings import SETTINGS, Config, Origin, Setting, UpstreamSetting, Valued

__all__ = [
    "APPLICATION",
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
    "user_file",
]
