"""What the routes answer, as JSON Schema: the members a client may rely on. There may be more of them."""

from __future__ import annotations

from typing import Any

from helix_core.engine.memory.related import EXPAND_SCHEMA
from helix_core.model import Status
from helix_ls.proxy.restart import SCHEMA as RESTART
from helix_ls.proxy.shapes import FINGERPRINT_SCHEMA, PLAN_SCHEMA

TEXT: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
NUMBER: dict[str, Any] = {"type": "number"}
FLAG: dict[str, Any] = {"type": "boolean"}
MEMBERS: dict[str, Any] = {"type": "object"}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _object(schema: str = "", **members: dict[str, Any]) -> dict[str, Any]:
    named = ({"schema": {"const": schema}} if schema else {}) | members
    return {"type": "object", "properties": named, "required": list(named)}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


LINE: dict[str, Any] = {"type": "integer", "minimum": 1}
POINTER = _object(
    gene_id=TEXT,
    source_id=TEXT,
    symbol=TEXT,
    start_line=LINE,
    end_line=LINE,
    content_hash=TEXT,
    status={"enum": [each.value for each in Status]},
    reason=TEXT,
    quote=TEXT,
)
_GROUPS = {status.value: _list(_ref("pointer")) for status in Status}
TARGETS = _list(_object(target_kind=TEXT, source_id=TEXT, reason=TEXT, priority=NUMBER))
PACKET = _object(
    "helix.packet/1",
    query=TEXT,
    task_type=TEXT,
    workspace=TEXT,
    **_GROUPS,
    contradictions=_list(MEMBERS),
    refresh_targets=TARGETS,
    known_empty=FLAG,
    coordinate_confidence=NUMBER,
    nearest=_list({}),
    notes=_list(TEXT),
)
WINDOW = _object(
    "helix.context/1",
    query=TEXT,
    text=TEXT,
    tokens=COUNT,
    budget=COUNT,
    budget_tier=TEXT,
    blocks=_list(MEMBERS),
    verdicts=MEMBERS,
    context_health=MEMBERS,
    known_empty=FLAG,
    notes=_list(TEXT),
)
CONTINUED = _object(name=TEXT, description=TEXT, content=TEXT, context_health=MEMBERS, agent=MEMBERS, verdicts=MEMBERS)
ERROR = _object(
    error=_object(
        message=TEXT,
        type=TEXT,
        param={"type": ["string", "null"]},
        code={"type": ["string", "integer", "null"]},
    )
)
COMPONENTS: dict[str, dict[str, Any]] = {
    "error": ERROR,
    "pointer": POINTER,
    "packet": PACKET,
    "plan": _object(PLAN_SCHEMA, query=TEXT, task_type=TEXT, refresh_targets=TARGETS, known_empty=FLAG),
    "window": WINDOW,
    "continued": CONTINUED,
    "context": {"oneOf": [_ref("window"), {"type": "array", "items": _ref("continued"), "minItems": 1, "maxItems": 1}]},
    "fingerprint": _object(
        FINGERPRINT_SCHEMA,
        query=TEXT,
        profile=TEXT,
        fingerprints=_list(_object(rank=LINE, score=NUMBER, source_id=TEXT, start_line=LINE, end_line=LINE)),
        count=COUNT,
        evaluated_total=COUNT,
        above_floor_total=COUNT,
        returned=COUNT,
        filtered_by_floor=COUNT,
        truncated_by_cap=COUNT,
        known_empty=FLAG,
    ),
    "expansion": _object(
        EXPAND_SCHEMA,
        task_type=TEXT,
        direction=TEXT,
        of=_ref("pointer"),
        neighbours=_list(_ref("pointer")),
        count=COUNT,
        skipped_delivered=COUNT,
    ),
    "ingested": _object(gene_ids=_list(TEXT), count=COUNT, stored={"enum": ["note", "file"]}),
    "facts": _object(facts_extracted=COUNT, gene_ids=_list(TEXT), exchanges=COUNT, facts=_list(MEMBERS)),
    "forgotten": MEMBERS,
    "backfill": _object(backfilled=COUNT, total=COUNT),
    "index": _object("helix.index/1", workspace=TEXT, elapsed_ms=NUMBER),
    "vacuum": _object(
        "helix.vacuum/1", pruned=COUNT, before_bytes=COUNT, after_bytes=COUNT, freed_bytes={"type": "integer"}
    ),
    "restart": _object(
        RESTART, state=TEXT, port=COUNT, pid=COUNT, at=NUMBER, reason=TEXT, actor=TEXT, is_stale=FLAG, age_s=NUMBER
    ),
    "stats": _object("helix.status/1", stats_schema=TEXT, live=MEMBERS, workspaces=MEMBERS, proxy=MEMBERS),
    "health": {"type": "object", "properties": {"status": {"enum": ["ok", "restarting"]}}, "required": ["status"]},
    "models": _object(object={"const": "list"}, data=_list(MEMBERS)),
    "chat": MEMBERS,
    "document": _object(openapi=TEXT, info=MEMBERS, paths=MEMBERS),
    "metrics": TEXT,
}
