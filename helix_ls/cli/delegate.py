"""Let the user's running daemon answer a command, so that the command's own process imports next to nothing.

In: command line arguments. Out: the exit status, after stdout and stderr were written as the command itself would have;
or None, and then the command runs in this process. The daemon is never started from here, and nothing that is wrong
with it is an error of the command: no daemon, another user's, one of another version, one that dies. One that hangs
costs ``HELLO_S`` or ``ANSWER_S`` seconds and is named in a note.
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TextIO

    from helix_ls.host.connection import Transport

VERBS = ("search", "packet", "context", "check", "status")
HELLO_S = 2.0
ANSWER_S = 15.0
STANDARD_INPUT = "-"
MOST_INPUT_BYTES = 8 * 1024 * 1024
INTERRUPTED = "interrupted; run the same command to continue"
_DEVICES = ("/dev/", "/proc/")
_HELP = frozenset(("--help", "-h"))
# What settings and terminal output depend on. No variable that holds a key is sent.
_SENT = frozenset(
    {
        *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "LANG", "LANGUAGE"),
        *("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "COLUMNS", "LINES", "VTE_VERSION"),
    }
)
_SENT_PREFIXES = ("HELIX_", "XDG_", "LC_", "TERM_", "TTY_", "CLICOLOR")
_NEVER_SENT_ENDINGS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")


class DaemonFiles:
    """The files of a daemon's endpoint, as ``connection.connected`` takes them."""

    __slots__ = ("socket", "token")

    def __init__(self, name: str) -> None:
        self.socket, self.token = f"{name}.sock", f"{name}.token"


def run_in_daemon(arguments: Sequence[str]) -> int | None:
    """Return the exit status of a command that the daemon ran, or None if this process has to run it."""
    is_asking = bool(arguments) and arguments[0] in VERBS and _HELP.isdisjoint(arguments)
    if (
        not is_asking
        or any(map(_is_of_this_process, arguments))
        or sys.stdin is None
        or sys.stdout is None
        or sys.stderr is None
    ):
        return None
    place = running_place(os.environ)
    if place is None:
        return None
    try:
        answer = _call_daemon(place, arguments)
        return None if answer is None else _shown(answer)
    except KeyboardInterrupt:
        _write(sys.stderr, f"helix: {INTERRUPTED}\n")
        return 130


def _is_of_this_process(argument: str) -> bool:
    """Return whether an argument is a path that means something else in another process, such as ``/dev/stdin``."""
    return argument.startswith("/") and (
        argument.startswith(_DEVICES) or os.path.realpath(argument).startswith(_DEVICES)
    )


def running_place(environ: Mapping[str, str]) -> DaemonFiles | None:
    """Return where this user's daemon of this version may listen, or None; nothing is created.

    Folder and socket must belong to this user and not be links, and the folder be closed to others.
    """
    from helix_core.errors import HelixError
    from helix_ls.host.connection import LONGEST_ADDRESS, endpoint_name, runtime_folder, short_folders, transport_of

    try:
        folder, transport = runtime_folder(environ), transport_of(environ)
    except HelixError:
        # The settings cannot be understood; the command itself reports that.
        return None
    place = DaemonFiles(os.path.join(folder, endpoint_name()))
    if transport == "tcp":
        return place if _is_private(folder) and _is_own(place.token, stat.S_ISREG) else None
    if len(os.fsencode(place.socket)) > LONGEST_ADDRESS:
        folders = [short for short in short_folders(folder, environ) if os.path.lexists(short)]
        if not folders:
            return None
        folder, place = folders[0], DaemonFiles(os.path.join(folders[0], endpoint_name()))
    return place if _is_private(folder) and _is_own(place.socket, stat.S_ISSOCK) else None


def _is_private(folder: str) -> bool:
    return _is_own(folder, stat.S_ISDIR) and (os.name == "nt" or not os.lstat(folder).st_mode & 0o077)


def _is_own(path: str, is_kind: Any) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return is_kind(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _call_daemon(place: DaemonFiles, arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return the daemon's answer, or None if there is none; a note says so where the daemon hangs."""
    from helix_ls.host.connection import NoDaemonError, SilentDaemonError, connected, encoded, transport_of

    transport: Transport = transport_of(os.environ)
    try:
        connection = connected(place, transport, {"kind": "call"}, timeout_s=HELLO_S)
    except SilentDaemonError:
        _note(HELLO_S)
        return None
    except NoDaemonError:
        return None
    with connection.socket:
        try:
            body = encoded({"method": "helix.command", "params": _command(arguments)})
            reply = connection.exchange(body, ANSWER_S)
        except TimeoutError:
            _note(ANSWER_S)
            return None
        except (OSError, ValueError):
            # The daemon died, or answers what is not an answer.
            return None
    answer = reply.get("result")
    return answer if isinstance(answer, dict) and isinstance(answer.get("status"), int) else None


def _command(arguments: Sequence[str]) -> dict[str, Any]:
    """Return the command as the daemon takes it: what it would see of this process's surroundings."""
    is_terminal, here = sys.stdout.isatty(), os.stat(".")
    return {
        "arguments": list(arguments),
        "folder": os.getcwd(),
        "folder_id": [here.st_dev, here.st_ino],
        "environment": {name: value for name, value in os.environ.items() if _is_sent(name)},
        "is_terminal": is_terminal,
        "columns": _columns() if is_terminal else 0,
        "error_columns": _columns() or 80 if sys.stderr.isatty() else 0,
        "input": _taken_input() if STANDARD_INPUT in arguments else "",
    }


def _is_sent(name: str) -> bool:
    return (name in _SENT or name.startswith(_SENT_PREFIXES)) and not name.endswith(_NEVER_SENT_ENDINGS)


def _columns() -> int:
    """Return the width of the terminal, or 0 if it is not known."""
    if (named := os.environ.get("COLUMNS", "")).isdigit():
        return int(named)
    for descriptor in (0, 1, 2):
        try:
            return os.get_terminal_size(descriptor).columns
        except OSError:
            continue
    return 0


def _taken_input() -> str:
    """Return standard input, bytes that are not UTF-8 as surrogates, and leave it to be read again by the command."""
    import io

    data = sys.stdin.buffer.read(MOST_INPUT_BYTES + 1)
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace")
    return data.decode("utf-8", "surrogateescape")


def _shown(answer: dict[str, Any]) -> int:
    _write(sys.stderr, str(answer["err"]))
    try:
        return int(answer["status"]) if _write(sys.stdout, str(answer["out"])) else 0
    except OSError as error:
        from helix_core.errors import unwritable

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _write(sys.stderr, f"helix: {unwritable('the standard output', error)}\n")
        return 1


def _note(waited_s: float) -> None:
    message = f"the daemon did not answer within {waited_s:.0f} s, so this command answers without it"
    _write(sys.stderr, f"helix: note: {message}; end it with: helix daemon stop\n")


def _write(stream: TextIO, text: str) -> bool:
    """Write text as UTF-8, and return whether the reader is still there."""
    try:
        stream.buffer.write(text.encode("utf-8", "backslashreplace"))
        stream.flush()
    except BrokenPipeError:
        # The interpreter flushes again at exit; discard that.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
