"""The client's open buffers, and which of them may differ from the disk.

In: didOpen, didChange, didSave, didClose. Out: lines, and the text to look at in place of the file. A line ends where
the protocol says (LF, CRLF, CR) and nowhere else. Never reads the disk; holds no text of a document too large to index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types

from helix_ls.lsp.positions import to_column

LARGE_CHARACTERS = 4_000_000
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


class Document:
    """One open buffer. ``version`` is the client's, ``edition`` counts what happened here and never goes back."""

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
        """May the buffer differ from the file?"""
        return self._clean_edition != self.edition

    def mark_clean(self, edition: int) -> None:
        """The buffer was as the file when it was at this edition."""
        self._clean_edition = edition

    def line(self, number: int) -> str:
        """A line without its end, 0-based; empty where there is none."""
        return self._lines[number].rstrip("\r\n") if 0 <= number < len(self._lines) else ""

    def content(self) -> bytes:
        """The buffer as UTF-8."""
        if self._bytes is None:
            self._bytes = "".join(self._lines).encode("utf-8", "replace")
        return self._bytes

    def change(self, changes: Sequence[_Change], version: int, encoding: str) -> None:
        """Apply edits in their order (LSP 3.17, didChange). Of a large document only the fact is kept."""
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
        # One line more on each side: a CR and a LF of two pieces are one line end, and a last line has none.
        above, below = max(first - 1, 0), last + 2
        kept_above, kept_below = self._lines[above:first], self._lines[last + 1 : below]
        whole = "".join((*kept_above, before[0], text, after[1], *kept_below))
        self._lines[above:below] = _LINES.findall(whole)

    def _split(self, position: types.Position, encoding: str) -> tuple[int, tuple[str, str]]:
        """The line of a position, and what stands in it before and after; past the end is at the end."""
        if position.line >= len(self._lines):
            return len(self._lines), ("", "")
        line = self._lines[position.line]
        column = to_column(line.rstrip("\r\n"), position.character, encoding)
        return position.line, (line[:column], line[column:])


class Documents:
    """Every open buffer of one session, by its address as the client writes it."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The open buffer, or None."""
        return self._open.get(uri)

    def open(self, params: types.DidOpenTextDocumentParams) -> Document:
        """A buffer is opened; opened twice, the second text counts."""
        item = params.text_document
        document = self._open[item.uri] = Document(item.uri, item.version, item.text)
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> Document | None:
        """A buffer is edited; None where it was never opened."""
        document = self._open.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version, self.encoding)
        return document

    def close(self, uri: str) -> Document | None:
        """A buffer is closed; the file counts again."""
        return self._open.pop(uri, None)
