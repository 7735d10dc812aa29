"""Write to stdout and stderr: JSON or lines, errors on one line; UTF-8, and no traceback for a broken pipe."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import typer

from helix_core.printable import one_line, without_surrogate


def fill_closed_streams() -> None:
    """Open /dev/null for standard streams that the caller closed, so that no other file gets their descriptors."""
    for name, mode in (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(descriptor, "r" if mode == os.O_RDONLY else "w", encoding="utf-8"))


def use_utf8() -> None:
    """Write UTF-8 regardless of the locale; escape what cannot be encoded."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def complain(message: str) -> None:
    """Write ``helix: cause; next action`` as one line to stderr; a terminal wraps it between words."""
    line = f"helix: {one_line(message)}"
    if sys.stderr.isatty():
        from shutil import get_terminal_size
        from textwrap import fill

        line = fill(line, get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)
    _write(sys.stderr, line + "\n")


def warn(messages: Iterable[str]) -> None:
    """Write warnings to stderr."""
    for message in messages:
        complain(f"note: {message}")


def print_json(answer: dict[str, Any]) -> None:
    """One JSON object in ASCII: indented at a terminal, else on one line."""
    indent = 2 if sys.stdout.isatty() else None
    separators = None if indent else (",", ":")
    print_text(json.dumps(_without_surrogates(answer), indent=indent, separators=separators, allow_nan=False) + "\n")


def print_text(text: str) -> None:
    """Write text to stdout. A broken pipe ends the process silently."""
    if not _write(sys.stdout, text):
        raise typer.Exit(0)


def _write(stream: TextIO, text: str) -> bool:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The interpreter flushes again at exit; discard that.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


def _without_surrogates(value: Any) -> Any:
    r"""Replace lone surrogates, which stand for invalid UTF-8 and which strict JSON readers reject, by ``\xNN``."""
    if isinstance(value, str):
        return value if value.isascii() else "".join(map(without_surrogate, value))
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(each) for each in value]
    return value
