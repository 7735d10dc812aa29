"""The client's open buffers, position encodings, and which buffers differ from the disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types

from helix_core.engine.verdict import edits
from helix_core.errors import WorkspaceError
from helix_core.lines import LineTable
from helix_core.workspace import DiskError, Root

_LONGEST_NAME = 200


def to_column(line: str, units: int, encoding: str) -> int:
    """Convert a position in code units of the negotiated encoding to a character index.

    A position inside a character is rounded down, one past the end is clamped. ``line`` excludes its line ending.
    """
    units = max(units, 0)
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    if encoding == "utf-8":
        return len(line.encode("utf-8", "surrogatepass")[:units].decode("utf-8", "ignore"))
    return len(line.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "ignore"))


def to_units(line: str, column: int, encoding: str) -> int:
    """Return the number of code units, in the negotiated encoding, of the first ``column`` characters."""
    before = line[: max(column, 0)]
    if encoding == "utf-32" or before.isascii():
        return len(before)
    if encoding == "utf-8":
        return len(before.encode("utf-8", "surrogatepass"))
    return len(before.encode("utf-16-le", "surrogatepass")) // 2


def name_at(line: str, column: int) -> tuple[str, int, int]:
    """Return the identifier that touches ``column`` and its range, end exclusive; an empty name if there is none."""
    start = end = min(max(column, 0), len(line))
    while start > 0 and _is_part(line[start - 1]) and column - start < _LONGEST_NAME:
        start -= 1
    while end < len(line) and _is_part(line[end]) and end - column < _LONGEST_NAME:
        end += 1
    name = line[start:end]
    return (name, start, end) if name and not name[0].isdigit() else ("", column, column)


def _is_part(character: str) -> bool:
    return character in "_$" or character.isalnum() or ("a" + character).isidentifier()


LARGE_CHARACTERS = 4_000_000
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


class OpenBuffer:
    """One open buffer. ``version`` is the client's; ``edition`` counts changes since it was opened, monotonically."""

    def __init__(self, uri: str, version: int, text: str) -> None:
        self.uri = uri
        self.version = version
        self.edition = 0
        self._clean_edition: int | None = None
        self._lines: list[str] = []
        self._bytes: bytes | None = None
        self.is_large = False
        self._take(text)

    @property
    def is_dirty(self) -> bool:
        """Whether the buffer may differ from the file."""
        return self._clean_edition != self.edition

    def mark_clean(self, edition: int) -> None:
        """Note that the buffer equaled the file at this edition."""
        self._clean_edition = edition

    def line(self, number: int) -> str:
        """Return a line without its line ending, 0-based; empty if it does not exist."""
        return self._lines[number].rstrip("\r\n") if 0 <= number < len(self._lines) else ""

    @property
    def last_line(self) -> int:
        """Return the number of the last line, 0-based."""
        return max(len(self._lines) - 1, 0)

    def content(self) -> bytes:
        """Return the buffer as UTF-8, cached until the next change."""
        if self._bytes is None:
            self._bytes = "".join(self._lines).encode("utf-8", "replace")
        return self._bytes

    def change(self, changes: Sequence[_Change], version: int, encoding: str) -> None:
        """Apply content changes in order (LSP 3.17, didChange). A large document is only marked as changed."""
        self.version = version
        self.edition += 1
        self._bytes = None
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                if not self.is_large:
                    self._replace(change.range, change.text, encoding)
            else:
                self._take(change.text)

    def _take(self, text: str) -> None:
        self.is_large = len(text) > LARGE_CHARACTERS
        self._lines = [] if self.is_large else _LINES.findall(text)
        self._bytes = None

    def _replace(self, span: types.Range, text: str, encoding: str) -> None:
        first, before = self._split(span.start, encoding)
        last, after = self._split(span.end, encoding)
        if (last, len(after[0])) < (first, len(before[0])):
            first, before, last, after = last, after, first, before
        # Split one more line on each side again: a CR and a LF that meet are one line ending; the last line has none.
        above, below = max(first - 1, 0), last + 2
        kept_above, kept_below = self._lines[above:first], self._lines[last + 1 : below]
        whole = "".join((*kept_above, before[0], text, after[1], *kept_below))
        self._lines[above:below] = _LINES.findall(whole)

    def _split(self, position: types.Position, encoding: str) -> tuple[int, tuple[str, str]]:
        """Return the line of a position and its text before and after it; a position past the end is clamped."""
        if position.line >= len(self._lines):
            return len(self._lines), ("", "")
        line = self._lines[position.line]
        column = to_column(line.rstrip("\r\n"), position.character, encoding)
        return position.line, (line[:column], line[column:])


class Documents:
    """The open buffers of one session, by URI as the client writes it."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._open: dict[str, OpenBuffer] = {}

    def __iter__(self) -> Iterator[OpenBuffer]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> OpenBuffer | None:
        """Return the open buffer of a URI, or None."""
        return self._open.get(uri)

    def open(self, params: types.DidOpenTextDocumentParams) -> OpenBuffer:
        """Add a buffer; a second didOpen of the same URI replaces the first."""
        item = params.text_document
        document = self._open[item.uri] = OpenBuffer(item.uri, item.version, item.text)
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> OpenBuffer | None:
        """Apply a didChange and return the buffer; None if it was never opened."""
        document = self._open.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version, self.encoding)
        return document

    def close(self, uri: str) -> OpenBuffer | None:
        """Remove a buffer and return it, or None if it was not open."""
        return self._open.pop(uri, None)


LARGEST_BYTES = 16 * 1024 * 1024


def reads_as_file(folder: Path, path: bytes, buffer: bytes) -> bool:
    """Return whether the buffer equals the file, apart from line endings and a byte order mark."""
    data = _file(folder, path)
    return data is not None and edits(data, buffer) is None


def line_in_file(folder: Path, path: bytes, buffer: bytes, line: int) -> int:
    """Map a line of the buffer, 1-based, to the file; a line that is only in the buffer maps to one nearby."""
    data = _file(folder, path)
    lines = LineTable(buffer)
    # The inverse diff: the edits that turn the buffer into the file.
    way_back = edits(buffer, data) if data is not None else None
    if way_back is None or not 1 <= line <= len(lines):
        return line
    return way_back.place(*lines.span(line, line)).lines.start_line


def _file(folder: Path, path: bytes) -> bytes | None:
    try:
        with Root.open(folder) as root:
            return root.read(path, LARGEST_BYTES).data
    except (DiskError, WorkspaceError):
        return None
