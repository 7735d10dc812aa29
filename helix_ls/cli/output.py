"""Write to stdout and stderr: JSON or lines, errors on one line; UTF-8, and no traceback for a broken pipe.

A verb may run in the daemon for another process, the ``Caller``: what it reads of its surroundings and what it writes
then are the caller's. So verbs ask this module, and never ``sys.stdout``, ``sys.stdin`` or ``os.environ``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helix_core.errors import HelixError, UsageError, unwritable
from helix_core.printable import one_line, without_surrogate
from helix_core.tuples import NamedTuple

if TYPE_CHECKING:
    from helix_core.engine import Helix


class CommandProcess(NamedTuple):
    """What a verb sees of the process whose command it runs.

    ``folder`` is its working folder; ``columns`` and ``error_columns`` are the widths of the terminals that
    stdout and stderr are, 0 if they are not terminals; ``input`` is its standard input.
    """

    folder: Path
    environment: Mapping[str, str]
    is_terminal: bool
    columns: int
    error_columns: int
    input: bytes


@dataclass(slots=True)
class Caller:
    """Another process whose command runs here; ``out`` and ``err`` collect what the verb writes.

    ``helix`` is the workspace, open and to be left open, or None while the arguments are parsed.
    """

    process: CommandProcess
    helix: Helix | None
    cancelled: Callable[[], bool]
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)


CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


def is_at_terminal() -> bool:
    """Return whether stdout is a terminal."""
    caller = CALLER.get()
    return sys.stdout.isatty() if caller is None else caller.process.is_terminal


def columns() -> int | None:
    """Return the width of a caller's terminal; None where this process has its own, or none."""
    caller = CALLER.get()
    return caller.process.columns or None if caller is not None else None


def error_columns() -> int | None:
    """Return the width of the terminal that stderr is; None if it is not a terminal."""
    caller = CALLER.get()
    if caller is not None:
        return caller.process.error_columns or None
    if not sys.stderr.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def environment() -> Mapping[str, str]:
    """Return the environment variables of the command."""
    caller = CALLER.get()
    return os.environ if caller is None else caller.process.environment


def working_folder() -> Path:
    """Return the folder that relative paths of the command begin at."""
    caller = CALLER.get()
    return Path() if caller is None else caller.process.folder


def read_input(most: int) -> bytes:
    """Return at most ``most`` bytes of standard input."""
    caller = CALLER.get()
    return sys.stdin.buffer.read(most) if caller is None else caller.process.input[:most]


def require_regular(file: str) -> None:
    """Raise UsageError for a caller's file that is a pipe or a device: only its own process may read that."""
    caller = CALLER.get()
    if caller is not None and not (caller.process.folder / file).is_file():
        raise UsageError(f"{file} is not a regular file")


def is_cancelled() -> bool:
    """Return whether no client waits for the command any more; an interrupt ends a command's own process by itself."""
    caller = CALLER.get()
    return caller is not None and caller.cancelled()


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
    if (width := error_columns()) is not None:
        from textwrap import fill

        line = fill(line, width, break_long_words=False, break_on_hyphens=False)
    _write("stderr", line + "\n")


def warn(messages: Iterable[str]) -> None:
    """Write warnings to stderr."""
    for message in messages:
        complain(f"note: {message}")


def print_json(answer: dict[str, Any]) -> None:
    """One JSON object in ASCII: indented at a terminal, else on one line."""
    indent = 2 if is_at_terminal() else None
    separators = None if indent else (",", ":")
    print_text(json.dumps(_without_surrogates(answer), indent=indent, separators=separators, allow_nan=False) + "\n")


class CommandEndedError(Exception):
    """A command ends here, with an exit status; what there was to say has been said."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class OutputError(HelixError):
    """A stream cannot be written, as on a disk that is full."""

    def __init__(self, name: str, error: OSError) -> None:
        where = {"stdout": "the standard output", "stderr": "the standard error"}[name]
        super().__init__(unwritable(where, error))


def print_text(text: str) -> None:
    """Write text to stdout. A broken pipe ends the process silently. Raises OutputError for any other failure."""
    if not _write("stdout", text):
        raise CommandEndedError(0)


def _write(name: Literal["stdout", "stderr"], text: str) -> bool:
    caller = CALLER.get()
    if caller is not None:
        (caller.out if name == "stdout" else caller.err).append(text)
        return True
    stream = sys.stdout if name == "stdout" else sys.stderr
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The interpreter flushes again at exit; discard that.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise OutputError(name, error) from error
    return True


def _without_surrogates(value: Any) -> Any:
    r"""Replace lone surrogates, which represent invalid UTF-8 and which strict JSON readers reject, by ``\xNN``."""
    if isinstance(value, str):
        return value if value.isascii() else "".join(map(without_surrogate, value))
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(each) for each in value]
    return value
