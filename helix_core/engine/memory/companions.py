"""Files related to the open ones: used together with them, or changed together with them in git.

In: open paths. Out: paths, closest first, that ranking boosts a little. Two short queries, no disk access.
"""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.memory import SITTING_S, Together, companions, links, repeated
from helix_core.store import Memory, Reader

MOST_ANCHORS = 8
MOST_CHANGED = 16


def co_used(memory: Memory, workspace: bytes, anchors: Sequence[bytes], now: float) -> tuple[bytes, ...]:
    """Files that were opened or cited in the sittings of ``anchors``, at most 16. Raises MemoryStoreError."""
    together = [Together(*row) for row in memory.uses.together(workspace, anchors[:MOST_ANCHORS], SITTING_S)]
    candidates = repeated(together)
    if not candidates:
        return ()
    return companions(links(together, memory.uses.counts(workspace, sorted(candidates)), now), anchors)


def co_changed(reader: Reader, anchors: Sequence[bytes]) -> tuple[bytes, ...]:
    """Files that changed in git together with ``anchors``, at most 16. Raises StoreError."""
    sources = [source.id for path in anchors[:MOST_ANCHORS] if (source := reader.files.source(path)) is not None]
    paths = dict.fromkeys(one.path for one in reader.related.co_changed(sources)) if sources else {}
    return tuple(path for path in paths if path not in anchors)[:MOST_CHANGED]
