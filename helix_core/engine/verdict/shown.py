"""Lines of one file as they are on disk now, with the hash and the verdict to go with them: ``helix.open/1``.

In: a path from the workspace root and lines. Out: whole lines, secrets masked, and what the verdict table says of them.
Shows nothing of a file that does not count: what git ignores and what is never read stay unread here too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from helix_core.engine.verdict.explain import Explanation
from helix_core.engine.verdict.judge import unindexed
from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import UsageError
from helix_core.model import LineSpan, Reason, Source, TaskType
from helix_core.printable import count
from helix_core.store import Reader
from helix_core.workspace import FileOptions, Git, Root, checked, content_reason, list_files, name_reason, source_id_of

OPEN_SCHEMA = "helix.open/1"
_WHY = {
    "private": "files of this kind are never read",
    "binary": "it is binary",
    "ignored": "it is ignored, and Helix does not read what is ignored",
    "helixignore": "it is ignored, and Helix does not read what is ignored",
    "not_included": "index.include does not name it, and Helix reads only what that names",
}
# Reasons to leave a file out of the index that do not keep a caller from opening it by name.
_MAY_BE_SHOWN = frozenset({"", "generated", "minified", "too_large"})


class Shown:
    """One reading. ``skipped_now`` says of a path why it does not count, empty when it does. Use once."""

    def __init__(self, reader: Reader, weigher: Weigher, skipped_now: Callable[[bytes], str]) -> None:
        self._reader, self._weigher, self._skipped_now = reader, weigher, skipped_now

    def of(self, source_id: str, lines: LineSpan, task: TaskType, most_bytes: int) -> dict[str, Any]:
        """Return whole lines from the first on; ``more`` says that some were left out.

        Args:
            source_id: The file.
            lines: The lines, 1-based, first to last.
            task: What the lines are for; it decides how strict the verdict is.
            most_bytes: How much is shown.

        Raises:
            UsageError: The path leads out of the workspace, no such file is or was there, the file does not count, or
                it has no such lines.
        """
        path = checked(source_id)
        if lines.start_line < 1 or lines.end_line < lines.start_line:
            raise UsageError(
                f"lines {lines.start_line}-{lines.end_line} are not a span; lines count from 1, first to last"
            )
        if name_reason(path) == "private":
            raise _not_shown(path, "private")
        source = self._reader.files.source(path) or unindexed(path)
        observed = self._weigher.observer.look(source)
        if observed.reason is Reason.IGNORED:
            raise _not_shown(path, "ignored")
        if observed.file is None:
            if observed.reason is Reason.GONE and not source.id and not self._was_committed(path):
                raise UsageError(f"there is no file {source.source_id}; search for its name")
            return self._answer(source, lines, task)
        for reason in (self._skipped_now(path), content_reason(path, observed.file.data)):
            if reason not in _MAY_BE_SHOWN:
                raise _not_shown(path, reason)
        shown = lines_shown(source.source_id, self._weigher.mask(observed).data, lines, most_bytes)
        answer = self._answer(source, LineSpan(lines.start_line, shown["end_line"]), task)
        return answer | shown | {"content_hash": observed.file.content_hash}

    def _was_committed(self, path: bytes) -> bool:
        """Return whether HEAD has a file that the disk has not."""
        committed, head = self._weigher.facts.committed, self._weigher.facts.state.head
        return committed is not None and bool(head) and committed.read([(head, path)]) != [None]

    def _answer(self, source: Source, lines: LineSpan, task: TaskType) -> dict[str, Any]:
        """What an explanation says, about these lines; the text is added where there is one."""
        explanation = Explanation(self._reader, self._weigher).of(
            source.source_id, lines, task, confidence=1.0, in_buffer=False
        )
        return {
            "schema": OPEN_SCHEMA,
            "source_id": source.source_id,
            "start_line": lines.start_line,
            "end_line": lines.end_line,
            "total_lines": 0,
            "more": False,
            "symbol": explanation["symbol"],
            "language": source.language,
            "content_hash": "",
            "gene_id": "",
            "status": explanation["status"],
            "reason": explanation["reason"],
            "detail": explanation["detail"],
            "indexed": bool(source.id),
            "text": "",
            "refresh_targets": explanation["refresh_targets"],
        }


def lines_shown(source_id: str, data: bytes, lines: LineSpan, most_bytes: int) -> dict[str, Any]:
    """The lines of a masked text that are asked for, as many as fit. Raises UsageError for lines it does not have.

    Args:
        source_id: The file's name, for the error.
        data: The whole text, its secrets masked.
        lines: The lines, 1-based, first to last.
        most_bytes: How long the quote may be; one line is always given.
    """
    parts = data.splitlines(keepends=True) or [b""]
    if lines.start_line > len(parts):
        message = f"{source_id} has {count(len(parts), 'line')}, none numbered {lines.start_line}; ask for lines it has"
        raise UsageError(message)
    kept: list[bytes] = []
    left = most_bytes
    for line in parts[lines.start_line - 1 : lines.end_line]:
        left -= len(line)
        if left < 0 and kept:
            break
        kept.append(line)
    shown = b"".join(kept)
    end_line = lines.start_line + len(kept) - 1
    return {
        "end_line": end_line,
        "total_lines": len(parts),
        "more": end_line < min(lines.end_line, len(parts)) or left < 0,
        "gene_id": hashlib.sha256(shown).hexdigest()[:16],
        "text": shown[:most_bytes].decode("utf-8", "replace"),
    }


def reason_now(root: Root, git: Git | None, options: FileOptions, path: bytes) -> str:
    """Return why an existing file does not count, by the matcher, or "".

    Args:
        root: The workspace.
        git: Its repository; None without one.
        options: Which files count.
        path: Relative to the root.
    """
    listing = list_files(root, git, options, only=[path])
    if any(file.path == path for file in listing.files):
        return ""
    return next((one.reason for one in listing.skipped if one.path == path), "ignored")


def _not_shown(path: bytes, reason: str) -> UsageError:
    return UsageError(f"{source_id_of(path)} is not shown: {_WHY.get(reason, reason)}; ask about another file")
