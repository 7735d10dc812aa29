"""Keys: the user's own two, in private files, and the upstreams', from the environment or the system's key ring."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from helix_core.config import Config, UpstreamSetting, load_config, state_folder
from helix_core.errors import ConfigError, HelixError, UsageError
from helix_core.extras import why_missing
from helix_ls.host.private_files import ForeignFileError, make_private, read_private, write_whole

VARIABLE = "HELIX_STATE_DIR"
NAME, ADMIN_NAME = "api-key", "admin-key"
_ADMIN = "helix-admin-"
_SHAPE = re.compile(r"helix-(admin-)?[A-Za-z0-9_-]{43}")
NONCE = "[A-Za-z0-9_-]{16,128}"


class KeyFileError(HelixError):
    """The key file cannot be read or created."""


def users_key(environ: Mapping[str, str]) -> str:
    """Return the ask key; create it when missing. Raises KeyFileError, PlaceError."""
    return _read_or_create(environ, NAME, "helix-")


def admins_key(environ: Mapping[str, str]) -> str:
    """Return the admin key; create it when missing. Raises KeyFileError, PlaceError."""
    return _read_or_create(environ, ADMIN_NAME, _ADMIN)


def _read_or_create(environ: Mapping[str, str], name: str, begins: str) -> str:
    folder = state_folder(environ)
    make_private(folder, VARIABLE)
    file = folder / name
    try:
        if not os.path.lexists(file):
            write_whole(file, f"{begins}{secrets.token_urlsafe(32)}\n", replaces=False)
        return _read(file)
    except OSError as error:
        raise KeyFileError(f"The key {file} cannot be used ({error.strerror}); remove it to get another.") from error


def is_admins(key: str) -> bool:
    """Return whether the key has the prefix of an admin key."""
    return key.startswith(_ADMIN) and _SHAPE.fullmatch(key) is not None


def proof(key: str, nonce: str, port: int) -> str:
    """Return the HMAC-SHA-256 (RFC 2104) by which the server on ``port`` proves that it has the key, without
    revealing it.
    """
    return hmac.new(key.encode(), f"helix-health\n{port}\n{nonce}".encode(), hashlib.sha256).hexdigest()


def is_nonce(text: str) -> bool:
    """Return whether the text is 16 to 128 letters, digits, ``-`` or ``_``."""
    return re.fullmatch(NONCE, text) is not None


def _read(file: Path) -> str:
    try:
        key = read_private(file, 200).decode("ascii", "replace").strip()
    except ForeignFileError as error:
        raise KeyFileError(f"{file} is not a file of yours; remove it to get a key.") from error
    if _SHAPE.fullmatch(key) is None:
        raise KeyFileError(f"{file} does not hold a key; remove it to get another, and connect your clients again.")
    return key


SERVICE = "helix-context"
DEFAULT = "default"
DEFAULT_VARIABLE = "HELIX_UPSTREAM_KEY"
MAX_KEY = 4_096
NOTED = "upstream-keys.json"


class KeyRingError(HelixError):
    """There is no key ring, or it failed."""


def configured(config: Config) -> list[UpstreamSetting]:
    """Return the user's upstreams in order; one from the environment replaces them. Raises ConfigError."""
    single = UpstreamSetting(DEFAULT, config.upstream, (), DEFAULT_VARIABLE)
    if not config.upstream:
        return list(config.upstreams)
    origin = config.origins.get("proxy.upstream")
    if origin is not None and origin.source == "environment":
        return [single]
    if any(each.name == DEFAULT for each in config.upstreams):
        raise ConfigError("proxy.upstream and proxy.upstreams.default are both set; remove one of them")
    return [*config.upstreams, single]


def taken(environ: MutableMapping[str, str]) -> dict[str, str]:
    """Move the keys out of the environment, so that child processes do not inherit them; return them by variable."""
    names = {DEFAULT_VARIABLE}
    try:
        names |= {each.key_env for each in load_config(None, environ=environ).upstreams if each.key_env}
    except ConfigError:
        # The next reader of the settings reports the error.
        names = {DEFAULT_VARIABLE}
    return {name: environ.pop(name) for name in names if name in environ}


def key_of(setting: UpstreamSetting, keys: Mapping[str, str], environ: Mapping[str, str]) -> str:
    """Return the upstream's key, or "". Raises KeyRingError when the ring has it and cannot return it."""
    value = keys.get(setting.key_env, "") if setting.key_env else ""
    if value or account(setting) not in noted(environ):
        return value.strip()
    return str(_ring("get_password", setting, SERVICE, account(setting)) or "")


def keep(setting: UpstreamSetting, key: str, environ: Mapping[str, str]) -> None:
    """Store a key in the ring. Raises KeyRingError, UsageError for an invalid key."""
    if not key or len(key) > MAX_KEY or not key.isprintable() or not key.isascii():
        raise UsageError("that is not a key; give it as one line of printable ASCII")
    _ring("set_password", setting, SERVICE, account(setting), key)
    if _ring("get_password", setting, SERVICE, account(setting)) != key:
        raise _unusable(setting, "it keeps nothing")
    _note(noted(environ) | {account(setting)}, environ)


def forget(setting: UpstreamSetting, environ: Mapping[str, str]) -> bool:
    """Delete a key from the ring; False where there was none."""
    there = noted(environ)
    if account(setting) not in there:
        return False
    _ring("delete_password", setting, SERVICE, account(setting))
    _note(there - {account(setting)}, environ)
    return True


def account(setting: UpstreamSetting) -> str:
    """Return the ring's account name: name and origin (RFC 6454)."""
    parts = urlsplit(setting.url)
    return f"upstream {setting.name} {parts.scheme}://{parts.netloc.lower()}"


def named(config: Config, name: str) -> UpstreamSetting:
    """Return the upstream of that name. Raises UsageError."""
    known = configured(config)
    for each in known:
        if each.name == name:
            return each
    names = ", ".join(each.name for each in known) or "none"
    raise UsageError(
        f"no upstream is called {name!r} (there is {names}); write [proxy.upstreams.NAME] in your settings"
    )


def _ring(act: str, setting: UpstreamSetting, *given: str) -> Any:
    if why := why_missing("keyring"):
        raise KeyRingError(f"{why}; or set {_variable(setting)}")
    import keyring
    from keyring.errors import KeyringError

    try:
        return getattr(keyring, act)(*given)
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(setting, type(error).__name__) from None


def _unusable(setting: UpstreamSetting, cause: str) -> KeyRingError:
    return KeyRingError(f"this system's key ring cannot be used ({cause}); set {_variable(setting)} instead")


def _variable(setting: UpstreamSetting) -> str:
    return setting.key_env or "a variable, and name it as key_env of the upstream"


def noted(environ: Mapping[str, str]) -> frozenset[str]:
    """Return the accounts that Helix stored in the ring."""
    try:
        decoded = json.loads((state_folder(environ) / NOTED).read_text("utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return frozenset(each for each in decoded if isinstance(each, str)) if isinstance(decoded, list) else frozenset()


def _note(accounts: Iterable[str], environ: Mapping[str, str]) -> None:
    folder = state_folder(environ)
    make_private(folder, VARIABLE)
    write_whole(folder / NOTED, json.dumps(sorted(accounts)))
