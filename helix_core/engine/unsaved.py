"""Find what a question names outright and only an unsaved buffer defines: it is on no disk and in no index yet.

In: the names of a question and the editor's buffers. Out: items of the buffers. A buffer is taken in in memory, when it
holds such a name, and forgotten with the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from helix_core.engine.in_hand import InHand
from helix_core.engine.judge import unindexed
from helix_core.ingest.document import ingest
from helix_core.model import Chunk, Item, LineSpan, Overlays, Source
from helix_core.search.question import Question
from helix_core.store.reader import Reader
from helix_core.workspace.disk import DiskError, Root
from helix_core.workspace.files import content_reason, name_reason

MOST_BYTES = 256 * 1024
MOST_BUFFERS = 4
PARSE_LIMIT_S = 0.1
SHORTEST = 3


@dataclass(frozen=True, slots=True)
class OnlyInBuffer:
    """A definition of a buffer: the item's lines are the buffer's own, ``lines`` those of the definition alone.

    ``content_hash`` is that of the file on disk, empty where there is none.
    """

    item: Item
    lines: LineSpan
    content_hash: str


@dataclass(frozen=True, slots=True)
class UnsavedNames:
    """Looks for one answer. ``check`` is called before each buffer and may raise Cancelled."""

    root: Root
    reader: Reader
    overlays: Overlays
    in_hand: InHand
    max_bytes: int
    check: Callable[[], None]

    def defined(self, question: Question) -> list[OnlyInBuffer]:
        """The definitions of names that nothing in the index defines."""
        if not self.overlays:
            return []
        names = [
            name for name in dict.fromkeys((*question.identifiers, *question.subject[-1:])) if len(name) >= SHORTEST
        ]
        unknown = {name for name in names if not self.reader.definitions([name.lower()], 1)}
        holding = [
            (path, buffer)
            for path, buffer in self.overlays.items()
            if len(buffer) <= MOST_BYTES and any(name.encode() in buffer for name in unknown)
        ]
        return [found for path, buffer in holding[:MOST_BUFFERS] for found in self._in(path, buffer, unknown)]

    def _in(self, path: bytes, buffer: bytes, names: set[str]) -> Iterator[OnlyInBuffer]:
        self.check()
        source = self.reader.source(path)
        content_hash = self._hash_on_disk(path)
        # A file that is there and not indexed is left out on purpose, and so is what its buffer holds.
        if name_reason(path) or (source is None and content_hash):
            return
        with self.in_hand(hashlib.sha256(buffer).hexdigest()) as may_parse:
            if not may_parse:
                return
            skipped = content_reason(path, buffer)
            document = ingest(path, buffer, skipped=skipped, parse_limit_s=PARSE_LIMIT_S)
        for chunk in document.chunks:
            for definition in chunk.definitions:
                if definition.name in names:
                    lines = LineSpan(definition.start_line, definition.end_line)
                    yield OnlyInBuffer(_item(source or unindexed(path), chunk), lines, content_hash)
                    break

    def _hash_on_disk(self, path: bytes) -> str:
        try:
            return self.root.read(path, self.max_bytes).content_hash
        except DiskError:
            return ""


def _item(source: Source, chunk: Chunk) -> Item:
    return Item(
        id=0,
        source=source,
        kind=chunk.kind,
        name=chunk.name,
        breadcrumb=chunk.breadcrumb,
        start_byte=chunk.start_byte,
        end_byte=chunk.end_byte,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        text_hash=chunk.text_hash,
    )
