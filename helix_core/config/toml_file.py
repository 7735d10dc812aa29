"""One settings file as flat ``key -> (value, line)``. Knows TOML and lines; does not know which keys exist.

The file may be hostile: it is opened without following a link or blocking on a pipe, and read up to a cap.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helix_core.errors import ConfigError

MAX_BYTES = 256 * 1024
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_HEADER = re.compile(r"\s{0,99}\[{1,2}\s{0,99}([^\[\]#]{1,999}?)\s{0,99}\]")
_KEY = re.compile(r"\s{0,99}([A-Za-z0-9_.\"' -]{1,999}?)\s{0,99}=")


@dataclass(frozen=True, slots=True)
class Written:
    """A value as written, and the 1-based line it stands on (0 when that cannot be told).

    ``inner`` has the lines of what stands in a table below it, by the names from there on.
    """

    value: Any
    line: int
    inner: dict[str, int] = field(default_factory=dict)


def read(path: Path, *, follow_links: bool = False) -> dict[str, Written]:
    """The keys of the file, sections joined by dots; empty when there is no such file.

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
    """Each ``key =`` and ``[table]`` with its line; a scan, not a parse, so multi-line text may add extras."""
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
