"""A settings file as it is and as it would be; shown before it is written, and written whole or not at all.

A link in the user's home is followed, for people keep such files in a repository of their own. One inside a workspace
is refused: whoever made the workspace would say what we write to.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import secrets
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from helix_core.errors import HelixError
from helix_ls.proxy.merge.error import MergeError

MAX_BYTES = 4 * 1024 * 1024
Merge = Callable[[str], str]


class FileError(HelixError):
    """A file that cannot be read or written, or that is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """``before`` is None where there is no file; ``secret`` is not shown, and makes the file the user's alone."""

    path: Path
    before: str | None
    after: str
    secret: str = field(default="", repr=False)

    @property
    def is_needed(self) -> bool:
        """Is there anything to write?"""
        return self.before != self.after

    def diff(self) -> str:
        """What would change, without the secret."""
        before, after = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        shown = str(self.path)
        lines = difflib.unified_diff(before, after, shown if self.before is not None else os.devnull, shown)
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
        return text.replace(self.secret, "(your key)") if self.secret else text

    def write(self) -> Path | None:
        """Write it; where the old text is kept, None for a new file. Raises FileError."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if _text(self.path) != self.before:
                raise FileError(f"{self.path} was changed meanwhile; run this again")
            mode = stat.S_IMODE(os.stat(self.path).st_mode) if self.before is not None else 0o644
            mode = 0o600 if self.secret else mode
            backup = None
            if self.before is not None:
                backup = _keep(self.path, self.before, mode)
            _write(self.path, self.after, mode)
        except OSError as error:
            raise FileError(f"{self.path} cannot be written ({error.strerror}); see who owns it") from error
        return backup


def planned(path: Path, merge: Merge, *, inside: Path | None = None, secret: str = "") -> Change:
    """The change that ``merge`` makes. ``inside`` is the workspace it belongs to, None for the user's home.

    Raises FileError.
    """
    real = Path(os.path.realpath(path))
    if inside is not None and real != Path(os.path.realpath(inside)) / path.relative_to(inside):
        raise FileError(f"{path} is a link that the workspace brings along; replace it by a file of your own")
    before = _text(real)
    try:
        after = merge(before or "")
    except MergeError as error:
        raise FileError(
            f"{path} is left as it is: {error}; correct it, or paste what is printed without --write"
        ) from error
    return Change(real, before, after, secret)


def _text(path: Path) -> str | None:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror}); make it a file of yours") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(f"{path} is no file; put one in its place")
    with open(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileError(f"{path} is over {MAX_BYTES // 1024 // 1024} MiB, which settings are not; shorten it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{path} is no UTF-8 text; save it as UTF-8") from None


def _keep(path: Path, text: str, mode: int) -> Path:
    """The old text in a new file beside it; what was kept before, in the same second too, is never written over."""
    stamp = f"{path.name}.{time.strftime('%Y%m%d-%H%M%S')}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    number = 1
    while True:
        backup = path.with_name(f"{stamp}{f'-{number}' if number > 1 else ''}.helix-backup")
        try:
            descriptor = os.open(backup, flags, mode)
        except FileExistsError:
            number += 1
            continue
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            os.chmod(backup, mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return backup


def _write(path: Path, text: str, mode: int) -> None:
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(unfinished, flags, mode), "w", encoding="utf-8", newline="") as file:
            os.chmod(unfinished, mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            unfinished.unlink()
