"""The routes, as a table: what each is for, whose key it wants, what it takes. Guard, routes and OpenAPI read it.

Knows no handler; the application gives each row its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from helix_core.engine.answer.window import LEAST_BUDGET, MOST_BUDGET
from helix_core.engine.memory.related import DIRECTIONS
from helix_core.engine.memory.related import MOST_K as MOST_NEIGHBOURS
from helix_core.engine.requests import MAX_K
from helix_core.memory.notes import CONTENT_TYPES, MOST_BYTES
from helix_core.model import TaskType
from helix_core.packet import LEAST_TOKENS, MOST_TOKENS, Quotes
from helix_core.window.evidence import Decoder
from helix_ls.proxy.fields import READ_CHARACTERS, Field
from helix_ls.proxy.restart import DOWNTIME_S, MOST_DOWNTIME_S, MOST_WORDS
from helix_ls.proxy.shapes import MOST_RESULTS, PROFILES

MOST_SESSION = 200
LAYERS = {
    "org_id": "organisation",
    "party_id": "device",
    "participant_id": "user",
    "participant_handle": "user, by name",
    "agent_id": "agent",
    "agent_handle": "agent, by name",
    "authored_tz": "time zone, by its IANA name",
}
Needs = Literal["nothing", "ask", "admin"]
JSON, TEXT, EVENTS = "application/json", "text/plain", "text/event-stream"


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path. ``answers`` names the object of a 200 among the components, ``more`` other statuses.

    ``fields`` is None where the body is anybody's (a chat) or where there is none. ``is_upstreams`` says that statuses
    come from the upstream, ``is_of_workspace`` that a workspace is asked.
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    answers: str
    needs: Needs = "ask"
    fields: tuple[Field, ...] | None = None
    more: tuple[int, ...] = ()
    media: str = JSON
    is_stream: bool = False
    is_upstreams: bool = False
    is_of_workspace: bool = True


QUESTION = Field(
    "query",
    "text",
    f"What is asked, in words, names or a quoted message; the first {READ_CHARACTERS:,} characters count.",
    also=("question", "fullInput"),
    example="where are session cookies signed?",
)
TASK = Field(
    "task_type",
    "text",
    "What the answer is for: edit, debug, ops and quote demand more freshness than explain.",
    default=TaskType.EXPLAIN.value,
    choices=tuple(task.value for task in TaskType),
    also=("task",),
)
K = Field("k", "whole number", "At most so many places, best first.", 8, 1, MAX_K, also=("max_genes",))
PLAN = (QUESTION, TASK, K)
PACKET = (
    *PLAN,
    Field(
        "quotes",
        "text",
        "Quotes chosen by what they are worth in tokens, or whole.",
        default=Quotes.CHOSEN.value,
        choices=tuple(quotes.value for quotes in Quotes),
    ),
    Field(
        "max_tokens",
        "whole number",
        "At most so many tokens in all; items then have only what points, judges and quotes.",
        None,
        LEAST_TOKENS,
        MOST_TOKENS,
    ),
)
SESSION = Field("session_id", "text", "A name of your own for the session.", default="", most=MOST_SESSION)
CONTEXT = (
    QUESTION,
    Field("budget_tokens", "whole number", "At most so many tokens of evidence.", 6_000, LEAST_BUDGET, MOST_BUDGET),
    Field(
        "decoder_mode",
        "text",
        "How much is explained ahead of the evidence.",
        default=Decoder.CONDENSED.value,
        choices=tuple(decoder.value for decoder in Decoder),
    ),
    Field("downstream_model", "text", "The model that will read it.", default="", also=("model",)),
    Field("prompt_tokens", "whole number", "What the caller's prompt has already; the more, the less is added.", 0),
    Field("format", "text", "helix for helix.context/1, else Continue's list of one.", "", also=("response_mode",)),
    SESSION,
    Field("ignore_delivered", "true or false", "Give again what the session has been given before.", default=False),
)
FINGERPRINT = (
    QUESTION,
    Field("profile", "text", "How far is looked.", default="balanced", choices=tuple(PROFILES)),
    Field("max_results", "whole number", "At most so many places.", 40, 1, MOST_RESULTS),
    Field("score_floor", "number", "Leave out places below this score.", 0.0, 0, 999_999_999),
)
RESTART = (
    Field("reason", "text", "Why, in a few words.", default="", most=MOST_WORDS),
    Field("actor", "text", "Who announces it.", default="", most=MOST_WORDS),
    Field("expected_downtime_s", "number", "Seconds until it is back.", DOWNTIME_S, 0, MOST_DOWNTIME_S),
)
INGEST = (
    Field("content", "text", "The text that is to be kept.", most=MOST_BYTES, example="We deploy on Mondays."),
    Field("content_type", "text", "What sort of text it is.", default="text", choices=CONTENT_TYPES),
    Field(
        "metadata", "object", "path names a file of the workspace, or a language; title; anything else.", default=None
    ),
    *(Field(name, "text", f"Who says it: {layer}.", default="", most=MOST_SESSION) for name, layer in LAYERS.items()),
    Field("local_federation", "true or false", "Note who says it, from this machine where not named.", default=True),
)
CONSOLIDATE = (SESSION,)
FORGET = (
    Field("gene_id", "text", "A chunk of the note to delete.", default="", most=64),
    Field("session_id", "text", "The session whose exchanges to delete.", default="", most=MOST_SESSION),
)
EXPAND = (
    Field("gene_id", "text", "The place, by the hash of its text.", default="", most=64),
    Field("source_id", "text", "The place, by its file, with start_line.", default="", most=4_096),
    Field("start_line", "whole number", "A line of it, from 1 on.", 0),
    Field("direction", "text", "Which neighbours.", default="all", choices=DIRECTIONS),
    Field("k", "whole number", "At most so many neighbours.", 5, 1, MOST_NEIGHBOURS),
    TASK,
    Field("session_id", "text", "Leave out what this session has been given.", default="", most=MOST_SESSION),
)

OPERATIONS = (
    Operation(
        "POST",
        "/v1/chat/completions",
        "A chat, with evidence put before its question",
        "chat",
        is_stream=True,
        is_upstreams=True,
    ),
    Operation("GET", "/v1/models", "The models of the upstream", "models", is_upstreams=True),
    Operation("POST", "/context", "Evidence as text for a model", "context", fields=CONTEXT),
    Operation("POST", "/context/packet", "Places, each with a verdict of this moment", "packet", fields=PACKET),
    Operation("POST", "/context/refresh-plan", "What to read again, most pressing first", "plan", fields=PLAN),
    Operation("POST", "/fingerprint", "Places without text, all accounted for", "fingerprint", fields=FINGERPRINT),
    Operation("POST", "/context/expand", "What stands around a place", "expansion", fields=EXPAND),
    Operation("POST", "/ingest", "Keep a text as a note", "ingested", needs="admin", fields=INGEST, more=(422,)),
    Operation("POST", "/consolidate", "Draw facts from chats", "facts", needs="admin", fields=CONSOLIDATE, more=(422,)),
    Operation("POST", "/forget", "Delete a note, or a session", "forgotten", needs="admin", fields=FORGET),
    Operation("POST", "/admin/kv-backfill", "Make claims of notes anew", "backfill", needs="admin", fields=()),
    Operation("POST", "/admin/refresh", "Compare everything with the disk", "index", needs="admin", fields=()),
    Operation("POST", "/admin/vacuum", "Give back what the index does not need", "vacuum", needs="admin", fields=()),
    Operation(
        "POST",
        "/admin/announce_restart",
        "Tell that this server restarts",
        "restart",
        needs="admin",
        fields=RESTART,
        more=(500,),
        is_of_workspace=False,
    ),
    Operation("GET", "/stats", "The workspace's status, and what the server does", "stats"),
    Operation(
        "GET", "/health", "That somebody is there, who knows the key", "health", needs="nothing", more=(400, 404)
    ),
    Operation("GET", "/metrics", "Numbers for Prometheus", "metrics", media=TEXT, is_of_workspace=False),
    Operation("GET", "/openapi.json", "This document", "document", is_of_workspace=False),
)
