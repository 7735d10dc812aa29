"""What was opened or cited, as the memory keeps it: one row a use, found again by file or by session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from helix_core.store.memory_queries import MemoryQueries

MOST_USES = 20_000
MOST_ASKED = 8
_MOST_TOGETHER = 2_000

# The planner would scan every use of a workspace rather than look a path up: CROSS JOIN keeps the order as written.
# Paths are raw bytes, which JSON cannot carry: they go as hexadecimal.
_TOGETHER = """
    SELECT a.path, o.path, a.session, a.at
    FROM workspace w CROSS JOIN json_each(?2) wanted
    CROSS JOIN used a ON a.workspace_id = w.id AND a.path = unhex(wanted.value)
    CROSS JOIN used o ON o.workspace_id = w.id AND o.session = a.session AND o.at BETWEEN a.at - ?3 AND a.at + ?3
    WHERE w.path = ?1 AND o.path <> a.path ORDER BY a.at DESC, a.id, o.id LIMIT ?4
"""
_COUNTS = """
    SELECT u.path, count(*) FROM workspace w CROSS JOIN json_each(?2) wanted
    CROSS JOIN used u ON u.workspace_id = w.id AND u.path = unhex(wanted.value) WHERE w.path = ?1 GROUP BY 1
"""
_LATELY = """
    SELECT u.path, max(u.at) FROM workspace w JOIN used u ON u.workspace_id = w.id
    WHERE w.path = ?1 AND u.session = ?2 AND u.at >= ?3 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?4
"""
_USE = """
    INSERT INTO used (workspace_id, session, path, at) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (
        SELECT 1 FROM used WHERE workspace_id = ?1 AND session = ?2 AND path = ?3 AND at BETWEEN ?4 - ?5 AND ?4 + ?5
    )
"""


class MemoryUses(MemoryQueries):
    """Uses, newest first. Paths are raw bytes from the workspace's root, times Unix seconds."""

    def together(
        self, workspace: bytes, paths: Sequence[bytes], sitting_s: float
    ) -> list[tuple[bytes, bytes, str, float]]:
        """``(path, other, session, at)`` for each use of at most eight ``paths`` and each file used beside it."""
        bindings = (workspace, _hex(paths[:MOST_ASKED]), sitting_s, _MOST_TOGETHER)
        return [(row[0], row[1], row[2], row[3]) for row in self._bounded_rows(_TOGETHER, bindings)]

    def use_counts(self, workspace: bytes, paths: Iterable[bytes]) -> dict[bytes, int]:
        """How often each file was used; those that never were are missing."""
        return {row[0]: row[1] for row in self._bounded_rows(_COUNTS, (workspace, _hex(paths)))}

    def used_lately(self, workspace: bytes, session: str, since: float) -> list[bytes]:
        """What a session used since then, the last first, at most eight."""
        return [row[0] for row in self._rows(_LATELY, (workspace, session, since, MOST_ASKED))]

    def _put_use(self, place: tuple[int, str], path: bytes, at: float, sitting_s: float) -> None:
        """Inside a transaction, of a ``place`` of workspace and session. Used again in one sitting it is one use."""
        self._rows(_USE, (*place, path, at, sitting_s))

    def _drop_oldest_uses(self, most: int) -> None:
        self._rows("DELETE FROM used WHERE id <= (SELECT max(id) FROM used) - ?", (most,))


def _hex(paths: Iterable[bytes]) -> str:
    return json.dumps([path.hex() for path in paths])
