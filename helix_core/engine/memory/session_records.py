"""What a client's session was given and opened: blocks that it has already, and files that are used together."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from helix_core.engine.opened import WorkspaceSession
from helix_core.errors import StoreError
from helix_core.model import NOTE_SCHEME, Hints
from helix_core.workspace import checked

if TYPE_CHECKING:
    from helix_core.store import Memory, Reader

MOST_NOTED = 20
MOST_ANCHORS = 8
MOST_CHANGED = 16


def co_used(memory: Memory, workspace: bytes, anchors: Sequence[bytes], now: float) -> tuple[bytes, ...]:
    """Files that were opened or cited in the sittings of ``anchors``, closest first, at most 16.

    Raises MemoryStoreError.
    """
    from helix_core.memory import SITTING_S, Together, companions, links, repeated

    together = [Together(*row) for row in memory.uses.together(workspace, anchors[:MOST_ANCHORS], SITTING_S)]
    candidates = repeated(together)
    if not candidates:
        return ()
    return companions(links(together, memory.uses.counts(workspace, sorted(candidates)), now), anchors)


def co_changed(reader: Reader, anchors: Sequence[bytes]) -> tuple[bytes, ...]:
    """Files that changed in git together with ``anchors``, closest first, at most 16. Raises StoreError."""
    sources = [source.id for path in anchors[:MOST_ANCHORS] if (source := reader.files.source(path)) is not None]
    paths = dict.fromkeys(related.path for related in reader.related.co_changed(sources)) if sources else {}
    return tuple(path for path in paths if path not in anchors)[:MOST_CHANGED]


class SessionRecords:
    """The records of clients' sessions, by name, in the memory of one open workspace."""

    def __init__(self, session: WorkspaceSession) -> None:
        self._session = session

    def delivered(self, session: str) -> frozenset[str]:
        """Return what a session received in full, for ``ContextRequest.delivered``; empty when the memory cannot be
        read. Where a trail is recorded, what was given for an earlier topic is left out.
        """
        from helix_core.memory import session_name

        name, since = session_name(session), 0.0
        if self._session.records_trail:
            from helix_core.engine.memory.trail import WorkspaceTrail

            since = WorkspaceTrail(self._session).topic_began()
        place = self._session.place
        return self._session.read_memory(lambda memory: memory.exchanges.delivered(place, name, since)) or frozenset()

    def deliver(self, session: str, context: dict[str, Any]) -> None:
        """Record which blocks of a ``helix.context/1`` object a session received in full.

        When the memory cannot be written, the object has a note: the next answer repeats the blocks.
        """
        from helix_core.memory import session_name

        whole = [
            (block["gene_id"], block["content_hash"])
            for block in context["blocks"]
            if not block["hidden_lines"] and not block["repeated"] and block["content_hash"]
        ]
        name = session_name(session)
        if not whole or not name:
            return
        try:
            place = self._session.place
            self._session.memory_file.write(lambda memory: memory.exchanges.deliver(place, name, whole, time.time()))
        except StoreError as error:
            context["notes"].append(str(error))

    def note_use(self, session: str, source_ids: Iterable[str]) -> None:
        """Remember that a session opened these files, or that an answer in it cited them, at most 20.

        Those that are not indexed are skipped. Without a session nothing is kept. A memory that cannot be
        written, or an index that cannot be read, costs nothing but this: the next answer that asks it says why. Raises
        UsageError for a path out of the workspace.
        """
        if not session or not self._session.records_uses:
            return
        from helix_core.memory import SITTING_S, kept_path, session_name

        reader, name = self._session.index.reader, session_name(session)
        named = [checked(source_id) for source_id in source_ids if not source_id.startswith(NOTE_SCHEME)]
        try:
            known = [path for path in named[:MOST_NOTED] if reader.files.source(path) is not None and kept_path(path)]
            if known and name:
                place, now = self._session.place, time.time()
                self._session.memory_file.write(lambda memory: memory.uses.add(place, name, known, now, SITTING_S))
        except StoreError as error:
            self._session.memory_problem = str(error)

    def hinted(self, hints: Hints) -> Hints:
        """Add to the hints the files related to the open ones, and those that the session opened recently."""
        if not hints.open_paths and not (hints.session and self._session.records_uses):
            return hints
        now = time.time()
        read = self._session.read_memory
        lately = read(lambda memory: self._lately(memory, hints.session, now)) if hints.session else None
        anchors = tuple(dict.fromkeys((*hints.open_paths, *(lately or ()))))[:MOST_ANCHORS]
        if not anchors:
            return hints
        used: tuple[bytes, ...] | None = ()
        if self._session.records_uses:
            used = read(lambda memory: co_used(memory, self._session.place, anchors, now))
        changed = co_changed(self._session.index.reader, anchors) if self._session.config.co_change else ()
        return hints._replace(used_with=used or (), changed_with=changed)

    def _lately(self, memory: Memory, session: str, now: float) -> list[bytes]:
        from helix_core.memory import SITTING_S, session_name

        if not self._session.records_uses:
            return []
        return memory.uses.recent(self._session.place, session_name(session), now - SITTING_S)
