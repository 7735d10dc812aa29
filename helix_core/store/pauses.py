"""Pauses of agents for a person, in the memory file: kept, listed, resolved, and pruned from the oldest on."""

from __future__ import annotations

import dataclasses
import json

from helix_core.model import KeptPause, Pause, PauseFilter, PauseType, Pointer
from helix_core.store.memory_connection import MemoryConnection
from helix_core.store.sqlite_file import Row

MOST_PAUSES = 2_000
MOST_SNAPSHOTS = 8
"""Open pauses, over all workspaces, that keep the snapshot of their workspace."""
_COLUMNS = """
    p.event_id, p.session, p.pause_type, p.participant, p.party, p.task_context, p.resolved_without_operator,
    p.signals, p.about, p.files, p.snapshot, p.at, p.resolved_at
"""
_LISTED = f"""
    SELECT {_COLUMNS} FROM pause p JOIN workspace w ON w.id = p.workspace_id
    WHERE w.path = ?1 AND (?2 = '' OR p.pause_type = ?2) AND (?3 = '' OR p.participant = ?3)
        AND (?4 = '' OR p.party = ?4) AND p.at >= ?5 AND (NOT ?6 OR p.resolved_at IS NULL)
    ORDER BY p.id DESC LIMIT ?7
"""
_IS_OPEN = """
    SELECT EXISTS (
        SELECT 1 FROM pause WHERE workspace_id = (SELECT id FROM workspace WHERE path = ?1) AND resolved_at IS NULL
            AND at >= ?2 AND (?3 = '' OR event_id = ?3)
    )
"""
_RESOLVE = """
    UPDATE pause SET resolved_at = ?3, snapshot = x'' WHERE event_id = ?2 AND resolved_at IS NULL
        AND workspace_id = (SELECT id FROM workspace WHERE path = ?1)
"""
_THIN = """
    UPDATE pause SET snapshot = x'' WHERE length(snapshot) > 0 AND id NOT IN (
        SELECT id FROM pause WHERE length(snapshot) > 0 AND resolved_at IS NULL ORDER BY id DESC LIMIT ?1
    )
"""


class MemoryPauses:
    """Pauses of agents, newest first."""

    def __init__(self, file: MemoryConnection, most: int) -> None:
        self._file = file
        self._most = most

    def add(self, pause: Pause, resolves: str = "") -> None:
        """Insert a pause, mark the one that it ``resolves`` as resolved, and evict the oldest beyond the limit."""
        files = json.dumps([dataclasses.asdict(each) for each in pause.files])
        with self._file.transaction():
            row = (
                *(pause.event_id, self._file.workspace_id(pause.workspace), pause.session, pause.pause_type.value),
                *(pause.participant, pause.party, pause.task_context, int(pause.resolved_without_operator)),
                *(pause.signals, pause.about, files, pause.snapshot, pause.at, pause.resolved_at),
            )
            self._file.rows(_RESOLVE, (pause.workspace, resolves, pause.at))
            self._file.rows(f"INSERT INTO pause VALUES (NULL{', ?' * len(row)})", row)
            self._file.rows("DELETE FROM pause WHERE id <= (SELECT max(id) FROM pause) - ?", (self._most,))
            self._file.rows(_THIN, (MOST_SNAPSHOTS,))

    def is_open(self, workspace: bytes, since: float = 0.0, event_id: str = "") -> bool:
        """Return whether a pause of a workspace, raised at ``since`` or later, is unresolved: this one, or any."""
        return bool(self._file.rows(_IS_OPEN, (workspace, since, event_id))[0][0])

    def listed(self, workspace: bytes, wanted: PauseFilter) -> list[KeptPause]:
        """Return the pauses of a workspace that fit, newest first."""
        bindings = (
            *(workspace, wanted.pause_type, wanted.participant, wanted.party),
            *(wanted.since, int(wanted.is_open), wanted.limit),
        )
        return [_pause(row) for row in self._file.rows(_LISTED, bindings)]


def _pause(row: Row) -> KeptPause:
    event_id, session, kind, participant, party, task_context, resolved, signals, about, files = row[:10]
    pointers = tuple(Pointer(**each) for each in json.loads(files))
    names = (event_id, session, PauseType(kind), participant, party, task_context)
    return KeptPause(*names, bool(resolved), signals, about, pointers, *row[10:])
