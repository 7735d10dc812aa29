"""What sessions open and cite: noted where the user's settings want it, and what goes with it counted a little higher.

Only what was opened or cited is a use; nothing is one because an answer held it.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from helix_core.engine.remembering import Remembering
from helix_core.errors import StoreError
from helix_core.model import NOTE_SCHEME, Hints
from helix_core.workspace.paths import checked

if TYPE_CHECKING:
    from helix_core.store.memory import Memory

MOST_NOTED = 20


class Using(Remembering):
    """An open workspace with the trail of what is used in it."""

    def note_use(self, session: str, source_ids: Iterable[str]) -> None:
        """Remember that a session opened these files, or that an answer in it cited them, at most 20.

        Those the index does not know are passed over. Without a session nothing is kept. A memory that cannot be
        written, or an index that cannot be read, costs nothing but this: the next answer that asks it says why. Raises
        UsageError for a path out of the workspace.
        """
        if not session or not self._keeps_uses:
            return
        from helix_core.memory.exchanges import session_name
        from helix_core.memory.uses import SITTING_S, kept_path

        reader, name = self._index.reader, session_name(session)
        named = [checked(source_id) for source_id in source_ids if not source_id.startswith(NOTE_SCHEME)]
        try:
            known = [path for path in named[:MOST_NOTED] if reader.source(path) is not None and kept_path(path)]
            if known and name:
                self._memory.write(lambda memory: memory.use(self._place, name, known, time.time(), SITTING_S))
        except StoreError as error:
            self._unremembered = str(error)

    def _hinted(self, hints: Hints) -> Hints:
        """The hints with what goes with the files that are open, and with those its session opened lately."""
        if not hints.open_paths and not (hints.session and self._keeps_uses):
            return hints
        from helix_core.engine.companions import MOST_ANCHORS, co_changed, co_used

        now = time.time()
        lately = self._if_readable(lambda memory: self._lately(memory, hints.session, now)) if hints.session else None
        anchors = tuple(dict.fromkeys((*hints.open_paths, *(lately or ()))))[:MOST_ANCHORS]
        if not anchors:
            return hints
        used: tuple[bytes, ...] | None = ()
        if self._keeps_uses:
            used = self._if_readable(lambda memory: co_used(memory, self._place, anchors, now))
        changed = co_changed(self._index.reader, anchors) if self._config.co_change else ()
        return dataclasses.replace(hints, used_with=used or (), changed_with=changed)

    @property
    def _keeps_uses(self) -> bool:
        return self._config.co_use and self._config.memory_learn and self._config.data_dir is not None

    def _lately(self, memory: Memory, session: str, now: float) -> list[bytes]:
        from helix_core.memory.exchanges import session_name
        from helix_core.memory.uses import SITTING_S

        return memory.used_lately(self._place, session_name(session), now - SITTING_S) if self._keeps_uses else []
