"""Find documents that the code has left behind: what they name as code reads differently now than at their commit.

In: document items with their text and last commit. Out: the changed names, by item. Asks git once for all documents of
an answer; where git cannot say, nothing is claimed and a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from helix_core.engine.observe import Observer
from helix_core.errors import GitError
from helix_core.lines import LineTable, without_line_end
from helix_core.model import Item, Role, SourceKind
from helix_core.store.reader import Reader
from helix_core.weigh.outdated import NamedSymbol, names_in, outdated
from helix_core.workspace.blobs import BlobReader


@dataclass(frozen=True, slots=True)
class CommittedText:
    """A document item, its masked text, and the commit that last touched its file."""

    item: Item
    text: str
    commit: str


@dataclass(frozen=True, slots=True)
class _Symbol:
    """A name and the item that alone defines it, with the definition's own lines."""

    name: str
    item: Item
    start_line: int
    end_line: int

    def text(self, data: bytes) -> bytes:
        """The definition's lines as far as its item goes: its neighbours may change, and a class its methods."""
        first, last = max(self.start_line, self.item.start_line), min(self.end_line, self.item.end_line)
        start, end = LineTable(data).span(first, last)
        return without_line_end(data[start:end])


@dataclass(slots=True)
class OutdatedDocuments:
    """Asks for one answer."""

    committed: BlobReader | None
    reader: Reader
    observer: Observer
    notes: list[str] = field(default_factory=list)

    def names(self, documents: Sequence[CommittedText]) -> dict[int, tuple[str, ...]]:
        """The outdated names by item id; items without any are left out."""
        named = {document.item.id: self._symbols(document) for document in documents} if self.committed else {}
        wanted = {
            (document.commit, path): None
            for document in documents
            for path in (
                document.item.source.path,
                *(symbol.item.source.path for symbol in named.get(document.item.id, ())),
            )
            if named.get(document.item.id)
        }
        then = self._files_then(list(wanted))
        return {
            document.item.id: names
            for document in documents
            if named.get(document.item.id) and self._is_as_committed(document, then)
            if (names := self._outdated(document, named[document.item.id], then))
        }

    def _symbols(self, document: CommittedText) -> list[_Symbol]:
        """What the document writes as code and one item of the implementation alone defines, as on disk now."""
        names = names_in(document.text)
        symbols = self._defined(names)
        if not all(map(self._is_as_indexed, symbols)):
            # Looking mended the index: the same names may stand elsewhere now.
            symbols = self._defined(names)
        return [symbol for symbol in symbols if self._is_as_indexed(symbol)]

    def _defined(self, names: Sequence[str]) -> list[_Symbol]:
        single = [hit for name in names if (hit := self.reader.sole_definition(name)) is not None]
        items = self.reader.items([hit.item_id for hit in single])
        return [
            _Symbol(hit.name, item, hit.start_line, hit.end_line)
            for hit in single
            if (item := items.get(hit.item_id)) is not None
            and item.source.source_kind is SourceKind.CODE
            and item.source.role is Role.IMPLEMENTATION
        ]

    def _is_as_indexed(self, symbol: _Symbol) -> bool:
        file = self.observer.look(symbol.item.source).file
        return file is not None and file.content_hash == symbol.item.source.content_hash

    def _files_then(self, wanted: list[tuple[str, bytes]]) -> dict[tuple[str, bytes], bytes | None]:
        if not wanted or self.committed is None:
            return {}
        try:
            return dict(zip(wanted, self.committed.read(wanted), strict=True))
        except GitError as error:
            self.notes.append(f"documents were not checked against the code they name: {error}")
            return {}

    def _is_as_committed(self, document: CommittedText, then: dict[tuple[str, bytes], bytes | None]) -> bool:
        """A document with edits of its own since its commit is being brought up to date right now."""
        sight = self.observer.look(document.item.source)
        committed = then.get((document.commit, document.item.source.path))
        return sight.file is not None and committed is not None and same_text(sight.file.data, committed)

    def _outdated(
        self, document: CommittedText, symbols: list[_Symbol], then: dict[tuple[str, bytes], bytes | None]
    ) -> tuple[str, ...]:
        named = []
        for symbol in symbols:
            source = symbol.item.source
            file = self.observer.look(source).file
            if file is not None:
                named.append(NamedSymbol(symbol.name, symbol.text(file.data), then.get((document.commit, source.path))))
        return outdated(named)


def is_document(item: Item) -> bool:
    """Is the item prose about the code as it is, which the code can outdate? A changelog speaks of its own time."""
    return item.source.source_kind is SourceKind.DOC and item.source.role is not Role.HISTORY


def same_text(one: bytes, other: bytes) -> bool:
    """Are two versions of a file equal but for their line ends, which git may have changed on checkout?"""
    return one == other or one.replace(b"\r\n", b"\n") == other.replace(b"\r\n", b"\n")
