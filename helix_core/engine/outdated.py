"""Find documents that the code has left behind: what they name as code reads differently now than at their commit.

In: document items with their text and last commit. Out: the changed names, by item. Asks git once for all documents of
an answer; where git cannot say, nothing is claimed and a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from helix_core.engine.observe import Observer
from helix_core.errors import GitError
from helix_core.model import Item, Reason, Role, SourceKind
from helix_core.store.reader import Reader
from helix_core.weigh.outdated import NamedSymbol, names_in, outdated
from helix_core.workspace.git import Git
from helix_core.workspace.history import blobs

_UNMOVED = frozenset({Reason.UNCHANGED, Reason.TOUCHED, Reason.REINGESTED})


@dataclass(frozen=True, slots=True)
class CommittedText:
    """A document item, its masked text, and the commit that last touched its file."""

    item: Item
    text: str
    commit: str


@dataclass(slots=True)
class OutdatedDocuments:
    """Asks for one answer."""

    git: Git | None
    reader: Reader
    observer: Observer
    notes: list[str] = field(default_factory=list)

    def names(self, documents: Sequence[CommittedText]) -> dict[int, tuple[str, ...]]:
        """The outdated names by item id; items without any are left out."""
        named = {document.item.id: self._symbols(document) for document in documents} if self.git else {}
        wanted = {
            (document.commit, path): None
            for document in documents
            for path in (document.item.source.path, *(symbol.source.path for symbol in named.get(document.item.id, ())))
            if named.get(document.item.id)
        }
        then = self._files_then(list(wanted))
        return {
            document.item.id: names
            for document in documents
            if named.get(document.item.id) and self._is_as_committed(document, then)
            if (names := self._outdated(document, named[document.item.id], then))
        }

    def _symbols(self, document: CommittedText) -> list[Item]:
        """Items that alone define, in the implementation, a name the document writes as code."""
        names = names_in(document.text)
        by_name: dict[str, list[int]] = {}
        for hit in self.reader.definitions([name.lower() for name in names]):
            by_name.setdefault(hit.name, []).append(hit.item_id)
        single = [ids[0] for name in names if len(ids := by_name.get(name, [])) == 1]
        items = self.reader.items(single)
        return [
            item
            for item in items.values()
            if item.source.source_kind is SourceKind.CODE and item.source.role is Role.IMPLEMENTATION and item.name
        ]

    def _files_then(self, wanted: list[tuple[str, bytes]]) -> dict[tuple[str, bytes], bytes | None]:
        if not wanted or self.git is None:
            return {}
        try:
            return dict(zip(wanted, blobs(self.git, wanted), strict=True))
        except GitError as error:
            self.notes.append(f"documents were not checked against the code they name: {error}")
            return {}

    def _is_as_committed(self, document: CommittedText, then: dict[tuple[str, bytes], bytes | None]) -> bool:
        """A document with edits of its own since its commit is being brought up to date right now."""
        sight = self.observer.look(document.item.source)
        committed = then.get((document.commit, document.item.source.path))
        return sight.file is not None and committed is not None and _same_text(sight.file.data, committed)

    def _outdated(
        self, document: CommittedText, items: list[Item], then: dict[tuple[str, bytes], bytes | None]
    ) -> tuple[str, ...]:
        symbols = []
        for item in items:
            sight = self.observer.look(item.source)
            if sight.file is not None and sight.reason in _UNMOVED:
                text = sight.file.data[item.start_byte : item.end_byte]
                symbols.append(NamedSymbol(item.name, text, then.get((document.commit, item.source.path))))
        return outdated(symbols)


def is_document(item: Item) -> bool:
    """Is the item prose about the code as it is, which the code can outdate? A changelog speaks of its own time."""
    return item.source.source_kind is SourceKind.DOC and item.source.role is not Role.HISTORY


def _same_text(one: bytes, other: bytes) -> bool:
    return one == other or one.replace(b"\r\n", b"\n") == other.replace(b"\r\n", b"\n")
