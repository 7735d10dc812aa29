"""``GET /openapi.json``: an OpenAPI 3.1 document made from the table of operations and the JSON schemas of answers."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from helix_core import __version__
from helix_core.engine.verdict import Unjudged
from helix_core.model import Status
from helix_ls.operations.hosting import ACTIVITY, DASHBOARD_SESSION
from helix_ls.operations.memory import (
    FORGET_TRAIL,
    HITL_EMIT,
    HITL_RECENT,
    MAINTAIN,
    MEMORIES,
    MEMORY_CONTEXT,
    MEMORY_DIFF,
    MEMORY_GRAPH,
    MEMORY_LOG,
    RECALL,
    RESTORE,
    REVIEW,
    WHERE,
)
from helix_ls.operations.places import CHANGES, CHECK, EXPAND, FRESHNESS, SYMBOL
from helix_ls.operations.questions import CONTEXT, FINGERPRINT, PACKET, PLAN, SEARCH
from helix_ls.proxy.agents import PATH as AGENTS
from helix_ls.proxy.dialects import dialect_of
from helix_ls.proxy.guard import MAX_BODY_BYTES
from helix_ls.proxy.keys import NONCE
from helix_ls.proxy.route_table import EVENTS, HTTP_ROUTES, JSON, HttpRoute, body_schema
from helix_ls.proxy.routes import encoded
from helix_ls.proxy.running import SCHEMA as RESTART

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


def _with(described: dict[str, Any], **optional: dict[str, Any]) -> dict[str, Any]:
    """Return the object with members that not every answer has."""
    return described | {"properties": described["properties"] | optional}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


LINE: dict[str, Any] = {"type": "integer", "minimum": 1}
STATUS: dict[str, Any] = {"enum": [each.value for each in Status]}
TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
NUMBER_OR_NULL: dict[str, Any] = {"type": ["number", "null"]}
_COMMITTED = {
    "commit": TEXT_OR_NULL,
    "author": TEXT_OR_NULL,
    "committed_at": NUMBER_OR_NULL,
    "commit_of": TEXT,
    "uncommitted": FLAG,
}
POINTER = _with(
    _object(
        gene_id=TEXT,
        source_id=TEXT,
        symbol=TEXT,
        start_line=LINE,
        end_line=LINE,
        content_hash=TEXT,
        status=STATUS,
        reason=TEXT,
        quote=TEXT,
    ),
    kind=TEXT,
    title=TEXT,
    detail=TEXT,
    relation=TEXT,
    uri=TEXT,
    source_kind=TEXT,
    language=TEXT,
    volatility_class=TEXT,
    authority_class=TEXT,
    last_verified_at=NUMBER_OR_NULL,
    relevance_score=NUMBER,
    live_truth_score=NUMBER,
    citations=_list(TEXT),
    related=FLAG,
    **_COMMITTED,
)
PLACE = _with(
    _object(source_id=TEXT),
    start_line=COUNT,
    end_line=COUNT,
    symbol=TEXT,
    status=STATUS,
    reason=TEXT,
    detail=TEXT,
    uri=TEXT,
    by_name=FLAG,
    **_COMMITTED,
)
REMEMBERED = _with(
    _object(id=TEXT, kind=TEXT, text=TEXT, status=STATUS, reason=TEXT),
    detail=TEXT,
    state=TEXT,
    origin=TEXT,
    confidence=NUMBER,
    evidence=_list(_ref("place")),
    is_instruction=FLAG,
)
ACCOUNTING = _with(
    _object(),
    searched=COUNT,
    sources=COUNT,
    evaluated=COUNT,
    indexed_share=NUMBER,
    returned=COUNT,
    left_out=COUNT,
    memories_left_out=COUNT,
    tokens=COUNT,
    elapsed_ms=NUMBER,
    signals=MEMBERS,
)
_GROUPS = {status.value: _list(_ref("pointer")) for status in Status}
TARGETS = _list(
    _with(
        _object(target_kind=TEXT, source_id=TEXT, reason=TEXT, priority=NUMBER),
        start_line=COUNT,
        end_line=COUNT,
    )
)
PACKET_OBJECT = _with(
    _object(
        PACKET.answer,
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
    ),
    head=TEXT_OR_NULL,
    packet_id=TEXT,
    accounting=ACCOUNTING,
    memories=_list(_ref("remembered")),
)
BLOCK = _with(
    _object(gene_id=TEXT, source_id=TEXT, start_line=LINE, end_line=LINE, status=STATUS, reason=TEXT, tokens=COUNT),
    symbol=TEXT,
    hidden_lines=COUNT,
    repeated=FLAG,
    content_hash=TEXT,
)
WINDOW = _with(
    _object(
        CONTEXT.answer,
        query=TEXT,
        text=TEXT,
        tokens=COUNT,
        budget=COUNT,
        budget_tier=TEXT,
        blocks=_list(BLOCK),
        verdicts=_with(_object(), **{each.value: COUNT for each in Status}),
        context_health=_object(coverage=NUMBER, density=NUMBER, freshness=NUMBER, ellipticity=NUMBER, status=TEXT),
        known_empty=FLAG,
        notes=_list(TEXT),
    ),
    workspace=TEXT,
    head=TEXT_OR_NULL,
    coordinate_confidence=NUMBER,
    indexed_share=NUMBER,
    left_out=_list(_ref("place")),
    memories=_list(_ref("remembered")),
    elapsed_ms=NUMBER,
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
SCOPE = {"enum": ["workspace", "global"]}
MEMORY = _with(
    _object(id=TEXT, kind=TEXT, text=TEXT, status=TEXT),
    uuid=TEXT,
    scope=SCOPE,
    origin=TEXT,
    subject=TEXT,
    attribute=TEXT,
    value=TEXT,
    at=NUMBER,
)
CITED_LINES = _with(
    _object(source_id=TEXT, start_line=LINE, end_line=LINE, status=TEXT, reason=TEXT),
    symbol=TEXT_OR_NULL,
    detail=TEXT,
    commit=TEXT_OR_NULL,
    at=NUMBER_OR_NULL,
)
NEAR_MEMORY = _object(id=TEXT, kind=TEXT, text=TEXT)
JUDGED_MEMORY = _with(
    MEMORY, verdict=_object(status=STATUS, reason=TEXT, detail=TEXT), evidence=_list(CITED_LINES), why=TEXT
)
NAMED_MEMORY = _object(id=TEXT, text=TEXT)
TRAIL_PLACE = _with(
    _object(
        source_id=TEXT,
        start_line=COUNT,
        end_line=COUNT,
        was=_object(start_line=COUNT, end_line=COUNT),
        at=NUMBER,
        status=STATUS,
        reason=TEXT,
        detail=TEXT,
        commit={"oneOf": [_object(commit=TEXT, author=TEXT, committed_at=NUMBER), {"type": "null"}]},
    ),
    symbol=TEXT_OR_NULL,
)
COMPONENTS: dict[str, dict[str, Any]] = {
    "error": ERROR,
    "error_messages": _object(type={"const": "error"}, error=_object(type=TEXT, message=TEXT)),
    "error_ollama": _object(error=TEXT),
    "pointer": POINTER,
    "place": PLACE,
    "remembered": REMEMBERED,
    "packet": PACKET_OBJECT,
    "plan": _with(
        _object(PLAN.answer, query=TEXT, task_type=TEXT, refresh_targets=TARGETS, known_empty=FLAG),
        items=_list(_with(_object(source_id=TEXT, status=STATUS, reason=TEXT), gene_id=TEXT, detail=TEXT, now=MEMBERS)),
        notes=_list(TEXT),
    ),
    "window": WINDOW,
    "continued": CONTINUED,
    "context": {"oneOf": [_ref("window"), {"type": "array", "items": _ref("continued"), "minItems": 1, "maxItems": 1}]},
    "fingerprint": _object(
        FINGERPRINT.answer,
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
        EXPAND.answer,
        task_type=TEXT,
        direction=TEXT,
        of=_ref("pointer"),
        neighbours=_list(_ref("pointer")),
        count=COUNT,
        skipped_delivered=COUNT,
    ),
    "check": _object(
        CHECK.answer,
        findings=_list(
            _object(
                path=TEXT,
                line=LINE,
                column=LINE,
                end_column=LINE,
                reference=TEXT,
                kind={"enum": ["place", "path", "symbol", "quote"]},
                rule=TEXT,
                verdict=STATUS,
                reason=TEXT,
                message=TEXT,
                now={"type": ["object", "null"]},
            )
        ),
        checked=COUNT,
        wrong=COUNT,
        unknown=COUNT,
        unjudged=_list(
            _object(
                path=TEXT,
                line=LINE,
                column=LINE,
                end_column=LINE,
                reference=TEXT,
                kind={"enum": ["place", "path", "symbol", "quote"]},
                reason={"enum": [each.value for each in Unjudged]},
                message=TEXT,
            )
        ),
        notes=_list(TEXT),
        elapsed_ms=NUMBER,
    ),
    "search": _with(
        _object(
            SEARCH.answer,
            query=TEXT,
            items=_list(
                _with(
                    _object(source_id=TEXT, start_line=LINE, end_line=LINE, symbol=TEXT, kind=TEXT, score=NUMBER),
                    signals=_list(_object(ranker=TEXT, rank=COUNT, share=NUMBER)),
                    priors=_list(TEXT),
                    related=FLAG,
                    status=STATUS,
                    reason=TEXT,
                    signature=TEXT,
                )
            ),
            known_empty=FLAG,
            confidence=NUMBER,
            offset=COUNT,
            next_page=TEXT,
            notes=_list(TEXT),
            elapsed_ms=NUMBER,
        ),
        nearest=_list(TEXT),
    ),
    "uses": _object(
        SYMBOL.answer,
        name=TEXT,
        symbol=TEXT,
        kind=TEXT,
        definitions=_list(_ref("place")),
        overrides=_list(_ref("place")),
        same_name=_list(_ref("place")),
        users=_list(_ref("place")),
        tests=_list(_ref("place")),
        documents=_list(_ref("place")),
        co_changed=_list(MEMBERS),
        definitions_total=COUNT,
        users_total=COUNT,
        tests_total=COUNT,
        totals_exact=FLAG,
        offset=COUNT,
        next_page=TEXT,
        notes=_list(TEXT),
        elapsed_ms=NUMBER,
    ),
    "changes": _object(
        CHANGES.answer,
        since=TEXT,
        commit=TEXT,
        why=TEXT,
        changes=_list(
            _object(
                change={"enum": ["signature", "gone", "renamed", "moved", "inherited"]},
                breaks=FLAG,
                symbol=TEXT,
                source_id=TEXT,
                was=TEXT,
                now=TEXT,
                place={"type": ["object", "null"]},
                users=_list(MEMBERS),
                tests=_list(MEMBERS),
                documents=_list(MEMBERS),
                overrides=_list(MEMBERS),
                users_total=COUNT,
                tests_total=COUNT,
                totals_exact=FLAG,
                untold=COUNT,
            )
        ),
        changes_total=COUNT,
        breaking_total=COUNT,
        offset=COUNT,
        next_page=TEXT,
        notes=_list(TEXT),
        elapsed_ms=NUMBER,
    ),
    "ingested": _object(gene_ids=_list(TEXT), count=COUNT, stored={"enum": ["note", "file"]}),
    "facts": _object(facts_extracted=COUNT, gene_ids=_list(TEXT), exchanges=COUNT, facts=_list(MEMBERS)),
    "forgotten": MEMBERS,
    "memories": _with(
        _object(
            MEMORIES.answer,
            items=_list(
                _with(JUDGED_MEMORY, is_new=FLAG, links=_list(_object(relation=TEXT, id=TEXT, text=TEXT))),
            ),
            elapsed_ms=NUMBER,
        ),
        redactions=_list(_object(rule=TEXT, count=COUNT)),
        dry_run=FLAG,
        notes=_list(TEXT),
    ),
    "recalled": _object(
        RECALL.answer,
        query=TEXT,
        task_type=TEXT,
        items=_list(
            _with(
                _object(
                    id=TEXT,
                    kind=TEXT,
                    text=TEXT,
                    status=STATUS,
                    reason=TEXT,
                    detail=TEXT,
                    score=NUMBER,
                    evidence=_list(CITED_LINES),
                ),
                uuid=TEXT,
                state=TEXT,
                scope=SCOPE,
                origin=TEXT,
                at=NUMBER,
            )
        ),
        known_empty=FLAG,
        nearest=_list(NEAR_MEMORY),
        notes=_list(TEXT),
        elapsed_ms=NUMBER,
    ),
    "topic": _object(
        MEMORY_CONTEXT.answer,
        query=TEXT,
        task_type=TEXT,
        items=_list(_object(id=TEXT, kind=TEXT, text=TEXT, status=TEXT, reason=TEXT, evidence=_list(MEMBERS))),
        conflicts=_list(_object(memories=_list(MEMBERS))),
        known_empty=FLAG,
        nearest=_list(NEAR_MEMORY),
        left_out=COUNT,
        tokens=COUNT,
        notes=_list(TEXT),
        elapsed_ms=NUMBER,
    ),
    "differing": _object(
        MEMORY_DIFF.answer,
        since=NUMBER,
        until=NUMBER,
        added=_list(MEMORY),
        removed=_list(MEMORY),
        changed=_list(MEMORY),
        added_total=COUNT,
        removed_total=COUNT,
        changed_total=COUNT,
        purged=COUNT,
        operations=COUNT,
        elapsed_ms=NUMBER,
    ),
    "graph": _object(
        MEMORY_GRAPH.answer,
        items=_list(MEMORY),
        links=_list(_object(id=TEXT, relation=TEXT, other=TEXT)),
        cites=_list(_object(id=TEXT, source_id=TEXT)),
        is_whole=FLAG,
        elapsed_ms=NUMBER,
    ),
    "freshness": _object(
        FRESHNESS.answer,
        indexed=FLAG,
        files=_object(total=COUNT, fresh=COUNT, changed=COUNT, new=COUNT, gone=COUNT, set_aside=COUNT),
        folders=_list(
            _object(folder=TEXT, total=COUNT, fresh=COUNT, changed=COUNT, new=COUNT, gone=COUNT, set_aside=COUNT)
        ),
        folders_total=COUNT,
        not_fresh=_list(_object(source_id=TEXT, state={"enum": ["changed", "new", "gone", "set_aside"]})),
        notes=_list(TEXT),
    ),
    "activity": _object(
        ACTIVITY.answer,
        now=NUMBER,
        most=COUNT,
        chats=_list(_object(at=NUMBER, model=TEXT, upstream=TEXT, context=TEXT, status=COUNT)),
        answers=_list(_object(at=NUMBER, elapsed_ms=NUMBER, verb={"enum": ["packet", "window"]})),
        sent=_list(TEXT),
        prompt_cache=MEMBERS,
    ),
    "session": _object(DASHBOARD_SESSION.answer, key=TEXT, ends_in_s=COUNT),
    "page": TEXT,
    "review": _object(
        REVIEW.answer,
        items=_list(
            _with(
                JUDGED_MEMORY,
                replaces={"oneOf": [NAMED_MEMORY, {"type": "null"}]},
                rivals=_list(NAMED_MEMORY),
            )
        ),
        elapsed_ms=NUMBER,
    ),
    "changed": _object(RESTORE.answer, change=TEXT, items=_list(MEMORY), dry_run=FLAG),
    "maintenance": _object(
        MAINTAIN.answer,
        archive=_list(MEMORY),
        purge=_list(MEMORY),
        archive_total=COUNT,
        purge_total=COUNT,
        looked_at=COUNT,
        elapsed_ms=NUMBER,
    ),
    "log": _object(MEMORY_LOG.answer, ops=_list(MEMBERS), head=TEXT),
    "trail": _object(
        WHERE.answer,
        recording=FLAG,
        last=_list(TRAIL_PLACE),
        moments=_list(_object(at=NUMBER, score=NUMBER, margin=NUMBER, places=_list(TRAIL_PLACE))),
        velocity=NUMBER,
        steps=COUNT,
        notes=_list(TEXT),
        elapsed_ms=NUMBER,
    ),
    "trail_forgotten": _object(FORGET_TRAIL.answer, forgotten=FLAG),
    "paused": _object(HITL_EMIT.answer, event_id=TEXT, ok=FLAG, files=_list(MEMBERS), notes=_list(TEXT)),
    "pauses": _object(
        HITL_RECENT.answer,
        events=_list(
            _object(
                event_id=TEXT,
                pause_type=TEXT,
                at=NUMBER,
                age_s=NUMBER,
                is_open=FLAG,
                participant_id=TEXT,
                party_id=TEXT,
                session_id=TEXT,
                task_context=TEXT,
                resolved_without_operator=FLAG,
                chat_signals=MEMBERS,
                genome_snapshot=MEMBERS,
                metadata=MEMBERS,
                files=_list(MEMBERS),
            )
        ),
    ),
    "backfill": _object(backfilled=COUNT, total=COUNT),
    "index": _with(
        _object("helix.index/1", workspace=TEXT, elapsed_ms=NUMBER),
        files=COUNT,
        added=COUNT,
        changed=COUNT,
        removed=COUNT,
        unchanged=COUNT,
        parsed=COUNT,
        notes=_list(TEXT),
    ),
    "vacuum": _object(
        "helix.vacuum/1", pruned=COUNT, before_bytes=COUNT, after_bytes=COUNT, freed_bytes={"type": "integer"}
    ),
    "restart": _object(
        RESTART, state=TEXT, port=COUNT, pid=COUNT, at=NUMBER, reason=TEXT, actor=TEXT, is_stale=FLAG, age_s=NUMBER
    ),
    "stats": _with(
        _object("helix.status/1", stats_schema=TEXT, live=MEMBERS, workspaces=MEMBERS, proxy=MEMBERS),
        workspace=TEXT,
        indexed=FLAG,
        fresh=FLAG,
        pending=_object(changed_or_new=COUNT, gone=COUNT),
        index=MEMBERS,
        languages=MEMBERS,
        git={"oneOf": [_object(head=TEXT, branch=TEXT, operation=TEXT), {"type": "null"}]},
        skipped=MEMBERS,
        notes=_list(TEXT),
    ),
    "health": {"type": "object", "properties": {"status": {"enum": ["ok", "restarting"]}}, "required": ["status"]},
    "models": _object(data=_list(MEMBERS)),
    "model": _object(id=TEXT),
    "passed": {},
    "chat": MEMBERS,
    "document": _object(openapi=TEXT, info=MEMBERS, paths=MEMBERS),
    "metrics": TEXT,
}


VERSION = "3.1.0"
OPERATIONS_TAG = "operations"
"""Marks what is an operation of the table for clients; its ``operationId`` is the operation's name."""
_ABOUT = (
    "Answers about the workspaces this server was started with: which places answer a question, and whether what is "
    "known of them is still true on disk. A workspace is chosen by /w/<name>/ before the path, or by the header "
    "X-Helix-Workspace; the first one is meant where none is. Requests with an Origin but the server's own, or for "
    "another Host than 127.0.0.1, localhost or [::1] with the port, are refused."
)
_STATUSES = {
    400: "What the body or the query gives is not what it must be; the message says what would be right.",
    401: "The key is missing or wrong.",
    403: "A web page asks, or the key may only ask.",
    404: "No such workspace.",
    413: f"The body is over {MAX_BODY_BYTES // 1024 // 1024} MiB.",
    415: "The body is not application/json, or compressed.",
    421: "The Host is not this server's.",
    422: "What was given cannot be kept; the message says why.",
    431: "The head of the request is too large.",
    500: "A failure that the message names, or a defect.",
    503: "No folder is open, or the index is being written; see Retry-After.",
}
_ALWAYS, _WITH_BODY, _OF_WORKSPACE = (401, 403, 421, 431), (400, 413, 415), (404, 500, 503)
_PASSED_ON = "As the upstream refused it, in this shape; 502 where it does not answer, 503 where none is configured."
_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "/health": [
        {
            "name": "nonce",
            "in": "query",
            "description": "The server proves with it that it knows the key.",
            "schema": {"type": "string", "pattern": f"^{NONCE}$"},
        },
        {
            "name": "of",
            "in": "query",
            "description": "Which key is proved.",
            "schema": {"type": "string", "enum": ["ask", "admin"], "default": "ask"},
        },
    ]
}


_ABOUT_PATH = {
    "model": "Its name, which may hold slashes.",
    "packet_id": "The header x-helix-packet-id of the chat's answer.",
}


def document(routes: tuple[HttpRoute, ...] = HTTP_ROUTES) -> dict[str, Any]:
    """Return the OpenAPI document. It is the same in every workspace."""
    paths: dict[str, dict[str, Any]] = {}
    for each in routes:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    paths[AGENTS] = _agents()
    return {
        "openapi": VERSION,
        "info": {"title": "Helix", "version": __version__, "description": _ABOUT},
        "servers": [
            {"url": "/"},
            {"url": "/w/{workspace}", "variables": {"workspace": {"default": "NAME", "description": "Its name."}}},
        ],
        "paths": paths,
        "components": {
            "schemas": COMPONENTS,
            "securitySchemes": {
                "ask": {"type": "http", "scheme": "bearer", "description": "helix connect openai"},
                "admin": {"type": "http", "scheme": "bearer", "description": "helix connect admin"},
            },
        },
    }


def _operation(each: HttpRoute) -> dict[str, Any]:
    keys: list[dict[str, list[str]]] = [{"admin": []}] if each.needs == "admin" else [{"ask": []}, {"admin": []}]
    by_path = re.sub(r"\W+", "_", f"{each.method.lower()}{each.path}").rstrip("_")
    made: dict[str, Any] = {
        "operationId": by_path if each.operation is None or each.is_second else each.operation.name,
        "summary": each.summary,
        "security": [{}, *keys] if each.needs == "nothing" else keys,
        "responses": _responses(each),
    }
    if each.operation is not None:
        made["description"] = each.operation.description
        # What is open is for the page of the dashboard, which is not a client; an operation is one method of a client.
        made |= {} if each.is_open or each.is_second else {"tags": [OPERATIONS_TAG]}
    parameters = [
        *_in_query(each),
        *_PARAMETERS.get(each.path, ()),
        *map(_in_path, re.findall(r"\{(\w+)\}", each.path)),
    ]
    if parameters:
        made["parameters"] = parameters
    if each.method == "POST":
        schema: dict[str, Any] = {"type": "object"} if each.operation is None else body_schema(each.operation)
        needed = each.needs_body if each.is_passed else each.operation is None or bool(each.operation.required("http"))
        made["requestBody"] = {"required": needed, "content": {each.takes: {"schema": schema}}}
    return made


def _in_query(each: HttpRoute) -> list[dict[str, Any]]:
    """Return the arguments of a GET."""
    if each.operation is None or each.method != "GET":
        return []
    return [
        {
            "name": parameter.name,
            "in": "query",
            "description": parameter.about.description,
            "schema": parameter.schema() | {"default": parameter.default},
        }
        for parameter in each.operation.parameters("http")
    ]


def _in_path(name: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1}
    about = _ABOUT_PATH.get(name, "Its id, as the upstream gave it.")
    return {"name": name, "in": "path", "required": True, "description": about, "schema": schema}


def _agents() -> dict[str, Any]:
    """Describe ``/mcp``, whose schemas the Model Context Protocol defines itself."""
    message = {"type": "object", "properties": {"jsonrpc": {"const": "2.0"}}, "required": ["jsonrpc"]}
    content = {JSON: {"schema": {"type": "object"}}, EVENTS: {"schema": {"type": "string"}}}
    refused = {"description": "As the guard or the protocol refuses it.", "content": {JSON: {"schema": {}}}}
    responses = {
        "200": {"description": "An answer, or a stream of them.", "content": content},
        "202": {"description": "A notification was taken."},
        "4XX": refused,
        "503": refused,
    }
    keys: list[dict[str, list[str]]] = [{"ask": []}, {"admin": []}]
    about = {"post": "One message of an agent", "get": "The stream of a session", "delete": "The end of a session"}
    made: dict[str, Any] = {
        method: {"operationId": f"{method}_mcp", "summary": summary, "security": keys, "responses": responses}
        for method, summary in about.items()
    }
    made["post"]["requestBody"] = {"required": True, "content": {JSON: {"schema": message}}}
    return made


def _responses(each: HttpRoute) -> dict[str, Any]:
    good = {each.media: {"schema": {"$ref": f"#/components/schemas/{each.answers}"}}}
    if each.is_stream:
        good[each.stream] = {"schema": {"type": "string"}}
    responses: dict[str, Any] = {"200": {"description": each.summary, "content": good}}
    if each.is_upstreams:
        refused = _error(_PASSED_ON, _ERRORS.get(dialect_of(each.path).name, "error"))
        return responses | {"4XX": refused, "5XX": refused}
    statuses = {*_ALWAYS, *each.more, *(_WITH_BODY if each.method == "POST" else ())}
    if each.is_of_workspace:
        statuses |= set(_OF_WORKSPACE)
    return responses | {str(status): _error(_STATUSES[status]) for status in sorted(statuses)}


_ERRORS = {"messages": "error_messages", "ollama": "error_ollama"}


def _error(description: str, shape: str = "error") -> dict[str, Any]:
    return {"description": description, "content": {JSON: {"schema": {"$ref": f"#/components/schemas/{shape}"}}}}


class OpenApiRoute:
    """The route of the document."""

    def __init__(self) -> None:
        self._body = b""

    async def answer(self, _request: Request) -> Response:
        """Return the document; built at the first request."""
        self._body = self._body or encoded(document())
        return Response(self._body, media_type=JSON)
