"""Merge the layers of settings into one ``Config``: defaults, the user's file, the workspace's file, the environment.

A TOML file is read as flat ``key -> (value, line)``, so that an error names its line.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from helix_core.config.settings import (
    NO_SECRETS,
    OLDER,
    SECTIONS,
    SETTINGS,
    Config,
    From,
    Origin,
    Reload,
    Setting,
    Value,
    Valued,
    address,
    is_line,
    names_secret,
    size_bytes,
    size_text,
    upstreams,
)
from helix_core.errors import ConfigError
from helix_core.printable import one_line
from helix_core.tuples import NamedTuple

MAX_BYTES = 256 * 1024
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_HEADER = re.compile(r"\s{0,99}\[{1,2}\s{0,99}([^\[\]#]{1,999}?)\s{0,99}\]")
_KEY = re.compile(r"\s{0,99}([A-Za-z0-9_.\"' -]{1,999}?)\s{0,99}=")


OWN_NAMES = {
    "cache": ("workspaces", "models", "run"),
    "data": ("memory.db", "model-use.json", "strand-keys.json", "strand-signers.json"),
    "state": ("api-key", "admin-key", "signals", "upstream-keys.json"),
}
"""What Helix writes into its folders. Each of these may be a folder with other files in it, even a workspace."""


class Written(NamedTuple):
    """A value as written, and its 1-based line (0 when unknown).

    ``inner`` has the lines of the keys in a table below it, by their dotted names.
    """

    value: Any
    line: int
    inner: Mapping[str, int] = MappingProxyType({})


def read(path: Path, *, follow_links: bool = False) -> dict[str, Written]:
    """Return the keys of the file, sections joined by dots; empty when there is no such file.

    Raises ConfigError, naming file, line and key, when the file is not TOML in UTF-8 or cannot be read.
    """
    data = _bytes_of(path, follow_links)
    if data is None:
        return {}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path} line {line}: this is not UTF-8 text; save the file as UTF-8") from error
    lines = _lines_of_keys(text)
    return {
        key: Written(value, _line_of(key, lines), _inner(key, lines)) for key, value in _flat(_parse(path, text), "")
    }


def _bytes_of(path: Path, follow_links: bool) -> bytes | None:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    if not follow_links:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); make it a readable file or remove it") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ConfigError(f"{path} is not a file; remove it or put a file in its place")
    with open(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES // 1024} KiB; settings need less, shorten it")
    return data


def _parse(path: Path, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        key = next((name for name, at in reversed(_lines_of_keys(text)) if at <= line), "")
        cause = _AT_LINE.sub("", str(error)).strip().rstrip(".")
        named = f", key {key}" if key else ""
        raise ConfigError(f"{path} line {line}{named}: {cause}; correct this line") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deeply; settings need no more than one table") from error


def _flat(table: dict[str, Any], prefix: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and value and not prefix:
            found += _flat(value, f"{key}.")
        elif not (isinstance(value, dict) and not value):
            found.append((key, value))
    return found


def _lines_of_keys(text: str) -> list[tuple[str, int]]:
    """Return each ``key =`` and ``[table]`` with its line; a scan, not a parse, so multi-line text may add extras."""
    table = ""
    found: list[tuple[str, int]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _plain(header.group(1))
            found.append((table, number))
        elif key := _KEY.match(line):
            name = _plain(key.group(1))
            found.append((f"{table}.{name}" if table else name, number))
    return found


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def _inner(key: str, lines: list[tuple[str, int]]) -> dict[str, int]:
    return {name.removeprefix(f"{key}."): at for name, at in lines if name.startswith(f"{key}.")}


def _line_of(key: str, lines: list[tuple[str, int]]) -> int:
    exact = [at for name, at in lines if name == key]
    if exact:
        return exact[-1]
    if inner := _inner(key, lines):
        return min(inner.values())
    return next((at for name, at in reversed(lines) if key.startswith(f"{name}.")), 0)


WORKSPACE_FILE = "helix.toml"
# Not "helix": the text editor of that name uses the same folders.
APPLICATION = "helix-context"
MOST_WARNINGS = 5
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_Number = TypeVar("_Number", int, float)


class _Given(NamedTuple):
    """A value before validation."""

    key: str
    value: Any
    origin: Origin
    where: str


def load_config(
    workspace: Path | None = None, *, environ: Mapping[str, str] | None = None, user: Path | None = None
) -> Config:
    """Return the effective settings of a workspace (None: outside any).

    ``user`` is the user's file, by default at the platform's location. Raises ConfigError, naming file, line and key,
    for the user's file and the environment; what is wrong in a workspace's file is ignored with a warning.
    """
    environ = os.environ if environ is None else environ
    warnings: list[str] = []
    own_file = user or user_file(environ)
    files = (own_file,) if workspace is None else (own_file, workspace / WORKSPACE_FILE)
    reload = Reload(files, _signatures(files), partial(load_config, workspace, environ=environ, user=user))
    given = [*_from_file(own_file, "user", warnings)]
    if workspace is not None:
        given += _from_workspace(workspace / WORKSPACE_FILE, warnings)
    given += _from_environment(environ, warnings)
    values, origins = _effective(given, warnings)
    values["cache_dir"] = Path(values.get("cache_dir") or default_cache_dir())
    values["data_dir"] = Path(values.get("data_dir") or default_data_dir())
    folders = {"cache": values["cache_dir"], "data": values["data_dir"], "state": state_folder(environ)}
    own_paths = tuple(
        Path(os.path.realpath(folder)) / name for kind, folder in folders.items() for name in OWN_NAMES[kind]
    )
    return Config(**values, origins=origins, warnings=tuple(warnings), own_paths=own_paths, reload=reload)


def _effective(given: Iterable[_Given], warnings: list[str]) -> tuple[dict[str, Any], dict[str, Origin]]:
    """Return the checked values by field and where each comes from; of several for a key the last.

    What cannot be understood is an error, and a warning only where a switch that is off makes it meaningless.
    """
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for each in sorted(given, key=lambda each: bool(SETTINGS[each.key].switch)):
        setting = SETTINGS[each.key]
        try:
            values[setting.field] = _checked(setting, each)
        except ConfigError as error:
            if not setting.switch or values.get(SETTINGS[setting.switch].field):
                raise
            warnings.append(f"{error} (ignored while {setting.switch} is off)")
        else:
            origins[each.key] = each.origin
    return values, origins


def current(config: Config) -> Config:
    """Return the settings of the files now: the same object while no file changed, or while one is invalid."""
    reload = config.reload
    if reload is None or _signatures(reload.files) == reload.seen:
        return config
    try:
        return reload.load()
    except ConfigError:
        return config


def explain(config: Config) -> tuple[Valued, ...]:
    """Return every setting with its effective value and origin."""
    return tuple(
        Valued(
            setting, setting.shown(getattr(config, setting.field)), config.origins.get(setting.key, Origin("default"))
        )
        for setting in SETTINGS.values()
    )


def user_file(environ: Mapping[str, str] | None = None) -> Path:
    """The user's settings file: ``HELIX_CONFIG``, or ``config.toml`` in the platform's folder for settings."""
    named = (os.environ if environ is None else environ).get("HELIX_CONFIG", "")
    if named:
        return Path(named)
    from platformdirs import user_config_dir

    return Path(user_config_dir(APPLICATION, appauthor=False)) / "config.toml"


def default_cache_dir() -> Path:
    """Return the platform's folder for disposable data."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir(APPLICATION, appauthor=False))


def default_data_dir() -> Path:
    """Return the platform's folder for persistent data."""
    from platformdirs import user_data_dir

    return Path(user_data_dir(APPLICATION, appauthor=False))


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for keys and signals: ``HELIX_STATE_DIR``, else the platform's for state."""
    if named := environ.get("HELIX_STATE_DIR", ""):
        return Path(os.path.abspath(named))
    from platformdirs import user_state_dir

    return Path(user_state_dir(APPLICATION, appauthor=False))


def _signatures(files: Iterable[Path]) -> tuple[object, ...]:
    return tuple(map(_signature, files))


def _signature(file: Path) -> tuple[int, int, int, int] | None:
    try:
        status = os.stat(file, follow_symlinks=True)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _from_workspace(path: Path, warnings: list[str]) -> Iterator[_Given]:
    """Yield the settings that the workspace may set. Its file never stops Helix, because it came with the
    repository.
    """
    own: list[str] = []
    try:
        for each in _from_file(path, "workspace", own):
            try:
                _checked(SETTINGS[each.key], each)
            except ConfigError as error:
                own.append(f"{error} (ignored)")
            else:
                yield each
    except ConfigError as error:
        own.append(f"{error} (the file is ignored)")
    if len(own) > MOST_WARNINGS:
        own[MOST_WARNINGS - 1 :] = [f"{path}: {len(own) - MOST_WARNINGS + 1} more of its lines are ignored"]
    warnings += own


def _from_file(path: Path, source: From, warnings: list[str]) -> Iterator[_Given]:
    found = read(path, follow_links=source == "user")
    # An older name first: of several values for a setting the last counts.
    for key, written in sorted(found.items(), key=lambda one: one[0] not in OLDER):
        place = f"{path}:{written.line}" if written.line else str(path)
        where = f"{path} line {written.line}" if written.line else str(path)
        setting = SETTINGS.get(key) or OLDER.get(key)
        if setting is not None and key != setting.key and setting.key in found:
            warnings.append(f"{where}: {key} is the older name of {setting.key}, which is given too; remove one")
        if setting is None and source == "user" and names_secret(key):
            raise ConfigError(f"{where}, key {_key_shown(key)}: {NO_SECRETS}")
        if setting is None:
            warnings.append(f"{where}: nothing is called {_key_shown(key)}{_suggestion(key)}")
        elif setting.trusted and source == "workspace":
            warnings.append(
                f"{where}: {key} is not taken from a workspace; set it in {user_file()} or as {setting.variable}"
            )
        elif setting.kind == "upstreams":
            file = str(path) if written.inner else where
            yield _Given(
                setting.key, upstreams(written.value, file, written.inner, warnings), Origin(source, place), where
            )
        else:
            yield _Given(setting.key, written.value, Origin(source, place), f"{where}, key {key}")


def _from_environment(environ: Mapping[str, str], warnings: list[str]) -> Iterator[_Given]:
    older = {setting.older_variable: setting for setting in OLDER.values()}
    known = older | {setting.variable: setting for setting in SETTINGS.values() if setting.kind != "upstreams"}
    prefixes = tuple(f"HELIX_{section.upper()}_" for section in SECTIONS)
    for name in sorted(environ, key=lambda name: (name not in older, name)):
        if setting := known.get(name):
            if environ[name] != "":
                yield _Given(setting.key, _from_text(setting, environ[name]), Origin("environment", name), name)
        elif name.startswith(prefixes):
            close = get_close_matches(name, known, n=1)
            warnings.append(f"{name}: no setting has this variable{f'; did you mean {close[0]}?' if close else ''}")


def _suggestion(key: str) -> str:
    # A table of tables is not a typo of a single value.
    names = [name for name, setting in SETTINGS.items() if setting.kind != "upstreams"]
    by_name = {name.rsplit(".", 1)[-1]: name for name in names}
    close = get_close_matches(key, names, n=1) or [
        by_name[name] for name in get_close_matches(key.rsplit(".", 1)[-1], by_name, n=1)
    ]
    return f"; did you mean {close[0]}?" if close else "; see helix config --explain"


def _from_text(setting: Setting, text: str) -> Any:
    """Convert an environment variable's text to the setting's kind; invalid text is left for the validation."""
    if setting.kind == "list of text":
        return [part for part in (piece.strip() for piece in text.split(os.pathsep)) if part]
    if setting.kind == "true or false":
        word = text.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else text
    if setting.kind in ("whole number", "number"):
        try:
            return int(text) if setting.kind == "whole number" else float(text)
        except ValueError:
            return text
    return text


def _checked(setting: Setting, given: _Given) -> Value:
    value = given.value
    match setting.kind:
        case "upstreams" if isinstance(value, tuple):
            return value
        case "true or false" if isinstance(value, bool):
            return value
        case "whole number" if isinstance(value, int) and not isinstance(value, bool):
            return _in_bounds(setting, value, given.where)
        case "size" if (size := size_bytes(value)) is not None:
            return _in_bounds(setting, size, given.where)
        case "number" if isinstance(value, int | float) and not isinstance(value, bool):
            return _in_bounds(setting, float(value), given.where)
        case "list of text" if isinstance(value, list) and all(is_line(each) for each in value):
            return tuple(str(each) for each in value)
        case "text" if isinstance(value, str) and (value == "" or is_line(value)):
            return value
        case "folder" | "file" if isinstance(value, str) and is_line(value):
            folder = os.path.expanduser(value)
            if os.path.isabs(folder):
                return os.path.normpath(folder)
            raise ConfigError(f"{given.where}: {value} is not an absolute path; write the whole path")
        case "address" if isinstance(value, str) and is_line(value):
            return address(value, given.where, str(setting.default))
    if setting.kind == "size":
        raise ConfigError(
            f"{given.where}: expected a size, found {_shown(value)}; write a number of bytes, or text such as "
            f'"{setting.shown(setting.default)}"'
        )
    article = "an" if setting.kind == "address" else "a"
    raise ConfigError(f"{given.where}: expected {article} {setting.kind}, found {_shown(value)}; correct the value")


def _in_bounds(setting: Setting, value: _Number, where: str) -> _Number:
    low, high = setting.low, setting.high
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    shown = [size_text(int(one or 0)) if setting.kind == "size" else one for one in (value, low, high)]
    raise ConfigError(f"{where}: {shown[0]} is outside {shown[1]} to {shown[2]}; choose a value between them")


def _key_shown(key: str) -> str:
    text = one_line(key)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
