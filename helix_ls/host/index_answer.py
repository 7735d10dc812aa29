"""Serialize the report of a refresh as the ``helix.index/1`` object."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from helix_core.engine.indexing import RefreshReport

INDEX_SCHEMA = "helix.index/1"


def index_answer(workspace: str, done: RefreshReport) -> dict[str, Any]:
    """Return the ``helix.index/1`` object of a refresh; ``workspace`` is the folder's path."""
    facts = asdict(done)
    facts["quarantined"] = [{"source_id": path, "reason": reason} for path, reason in done.quarantined]
    facts["set_aside"] = [{"source_id": path, "reason": reason} for path, reason in done.set_aside]
    facts["elapsed_ms"] = round(done.elapsed_ms, 3)
    return {"schema": INDEX_SCHEMA, "workspace": workspace, **facts}
