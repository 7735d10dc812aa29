"""The table of HTTP operations, read by the guard, the routes and the OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix_core.engine.requests import DIRECTIONS, LEAST_BUDGET, MAX_K, MOST_BUDGET, MOST_NEIGHBOURS
from helix_core.errors import UsageError
from helix_core.memory.notes import CONTENT_TYPES, MOST_BYTES
from helix_core.model import TaskType
from helix_core.packet import LEAST_TOKENS, MOST_TOKENS, Quotes
from helix_core.window.evidence import Decoder
from helix_ls.proxy.running import DOWNTIME_S, MOST_DOWNTIME_S, MOST_WORDS
from helix_ls.proxy.shapes import MOST_RESULTS, PROFILES

Kind = Literal["text", "whole number", "number", "true or false", "object"]
# Of a text that has no bound of its own so many characters are read: more is no question.
READ_CHARACTERS = 8_000
UNBOUNDED = 1_000_000_000
_REQUIRED = object()
_TYPES = {
    "text": "string",
    "whole number": "integer",
    "number": "number",
    "object": "object",
    "true or false": "boolean",
}


@dataclass(frozen=True, slots=True)
class BodyField:
    """One member. ``also`` are names it had before, looked at in this order; ``least`` and ``most`` are inclusive.

    ``null`` is as if it were not there. A required text must say something; one longer than ``most`` characters is
    refused, and of one without that bound the first are read.
    """

    name: str
    kind: Kind
    description: str
    default: Any = _REQUIRED
    least: float = 0
    most: float = UNBOUNDED
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    example: Any = None

    @property
    def is_required(self) -> bool:
        """Must a request give it?"""
        return self.default is _REQUIRED

    @property
    def names(self) -> tuple[str, ...]:
        """Under which it is read."""
        return (self.name, *self.also)

    def schema(self) -> dict[str, Any]:
        """As JSON Schema 2020-12, without ``null``."""
        about: dict[str, Any] = {"type": _TYPES[self.kind]}
        if self.kind in ("whole number", "number"):
            whole = self.kind == "whole number"
            about |= {"minimum": int(self.least) if whole else self.least, "maximum": int(self.most)}
        elif self.kind == "text":
            about |= {"enum": list(self.choices)} if self.choices else {}
            about |= {"maxLength": int(self.most)} if self.most < UNBOUNDED else {}
        return about

    def checked(self, name: str, value: Any) -> Any:
        """The value given under one of its names, or UsageError saying what it must be."""
        if self.kind == "text":
            return self._text(name, value)
        if self.kind == "object":
            if not isinstance(value, dict):
                raise UsageError(f"{name} is no object; give it as one")
            return value
        if self.kind == "true or false":
            if not isinstance(value, bool):
                raise UsageError(f"{name} is neither true nor false; give one of them")
            return value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_whole = is_number and (isinstance(value, int) or value.is_integer())
        if self.kind == "whole number" and not is_whole:
            raise UsageError(f"{name} is no whole number; give one from {self.least:.0f} to {self.most:,.0f}")
        if not is_number:
            raise UsageError(f"{name} is no number; give one from {self.least:g} to {self.most:,.0f}")
        if not self.least <= value <= self.most:
            raise UsageError(f"{name} is out of its range; it must be from {self.least:g} to {self.most:,.0f}")
        return int(value) if self.kind == "whole number" else float(value)

    def _text(self, name: str, given: Any) -> str:
        if not isinstance(given, str):
            raise UsageError(f"{name} is no text; give it as a string")
        value = given
        if self.choices and value not in self.choices:
            raise UsageError(f"unknown {name} {value[:80]!a}; use one of {', '.join(self.choices)}")
        if self.most == UNBOUNDED:
            value = value if len(value) <= READ_CHARACTERS else value.strip()[:READ_CHARACTERS]
        elif len(value) > self.most:
            raise UsageError(f"{name} is longer than {self.most:,.0f} characters; give its essence")
        if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
            raise UsageError(f"{name} holds half a character (a lone surrogate); give whole Unicode text")
        return value


def checked(fields: Sequence[BodyField], given: dict[str, Any]) -> dict[str, Any]:
    """All members by their own names, defaults filled in; what no field names is left alone. Raises UsageError."""
    found: dict[str, Any] = {}
    for field in fields:
        values = [field.checked(name, given[name]) for name in field.names if given.get(name) is not None]
        if field.is_required:
            values = [value for value in values if field.kind != "text" or value.strip()]
            if not values:
                raise UsageError(f"{field.name} is missing; {field.description[0].lower()}{field.description[1:]}")
        found[field.name] = values[0] if values else field.default
    return found


def body_schema(fields: Sequence[BodyField]) -> dict[str, Any]:
    """The schema of a body: an object that may hold more than this."""
    properties: dict[str, Any] = {}
    needed: list[dict[str, Any]] = []
    for field in fields:
        for name in field.names:
            about = field.schema()
            said = field.description if name == field.name else f"The same as {field.name}, under an older name."
            known = {"description": said} | ({"default": field.default} if not field.is_required else {})
            properties[name] = {"anyOf": [about, {"type": "null"}], **known}
        if field.is_required:
            stated = {"type": "string", "pattern": r"\S"} if field.kind == "text" else field.schema()
            needed.append({"anyOf": [{"required": [name], "properties": {name: stated}} for name in field.names]})
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": True}
    return schema | ({"allOf": needed} if needed else {})


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
class HttpRoute:
    """One method of one path. ``answers`` names the object of a 200 among the components, ``more`` other statuses.

    ``fields`` is None where the body is anybody's (a chat) or where there is none. ``is_upstreams`` says that statuses
    come from the upstream, ``is_of_workspace`` that a workspace is asked.
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    answers: str
    needs: Needs = "ask"
    fields: tuple[BodyField, ...] | None = None
    more: tuple[int, ...] = ()
    media: str = JSON
    is_stream: bool = False
    is_upstreams: bool = False
    is_of_workspace: bool = True


QUESTION = BodyField(
    "query",
    "text",
    f"What is asked, in words, names or a quoted message; the first {READ_CHARACTERS:,} characters count.",
    also=("question", "fullInput"),
    example="where are session cookies signed?",
)
TASK = BodyField(
    "task_type",
    "text",
    "What the answer is for: edit, debug, ops and quote demand more freshness than explain.",
    default=TaskType.EXPLAIN.value,
    choices=tuple(task.value for task in TaskType),
    also=("task",),
)
K = BodyField("k", "whole number", "At most so many places, best first.", 8, 1, MAX_K, also=("max_genes",))
PLAN = (QUESTION, TASK, K)
PACKET = (
    *PLAN,
    BodyField(
        "quotes",
        "text",
        "Quotes chosen by what they are worth in tokens, or whole.",
        default=Quotes.CHOSEN.value,
        choices=tuple(quotes.value for quotes in Quotes),
    ),
    BodyField(
        "max_tokens",
        "whole number",
        "At most so many tokens in all; items then have only what points, judges and quotes.",
        None,
        LEAST_TOKENS,
        MOST_TOKENS,
    ),
)
SESSION = BodyField("session_id", "text", "A name of your own for the session.", default="", most=MOST_SESSION)
CONTEXT = (
    QUESTION,
    BodyField("budget_tokens", "whole number", "At most so many tokens of evidence.", 6_000, LEAST_BUDGET, MOST_BUDGET),
    BodyField(
        "decoder_mode",
        "text",
        "How much is explained ahead of the evidence.",
        default=Decoder.CONDENSED.value,
        choices=tuple(decoder.value for decoder in Decoder),
    ),
    BodyField("downstream_model", "text", "The model that will read it.", default="", also=("model",)),
    BodyField("prompt_tokens", "whole number", "What the caller's prompt has already; the more, the less is added.", 0),
    BodyField("format", "text", "helix for helix.context/1, else Continue's list of one.", "", also=("response_mode",)),
    SESSION,
    BodyField("ignore_delivered", "true or false", "Give again what the session has been given before.", default=False),
)
FINGERPRINT = (
    QUESTION,
    BodyField("profile", "text", "How far is looked.", default="balanced", choices=tuple(PROFILES)),
    BodyField("max_results", "whole number", "At most so many places.", 40, 1, MOST_RESULTS),
    BodyField("score_floor", "number", "Leave out places below this score.", 0.0, 0, 999_999_999),
)
RESTART = (
    BodyField("reason", "text", "Why, in a few words.", default="", most=MOST_WORDS),
    BodyField("actor", "text", "Who announces it.", default="", most=MOST_WORDS),
    BodyField("expected_downtime_s", "number", "Seconds until it is back.", DOWNTIME_S, 0, MOST_DOWNTIME_S),
)
INGEST = (
    BodyField("content", "text", "The text that is to be kept.", most=MOST_BYTES, example="We deploy on Mondays."),
    BodyField("content_type", "text", "What sort of text it is.", default="text", choices=CONTENT_TYPES),
    BodyField(
        "metadata", "object", "path names a file of the workspace, or a language; title; anything else.", default=None
    ),
    *(
        BodyField(name, "text", f"Who says it: {layer}.", default="", most=MOST_SESSION)
        for name, layer in LAYERS.items()
    ),
    BodyField(
        "local_federation", "true or false", "Note who says it, from this machine where not named.", default=True
    ),
)
CONSOLIDATE = (SESSION,)
FORGET = (
    BodyField("gene_id", "text", "A chunk of the note to delete.", default="", most=64),
    BodyField("session_id", "text", "The session whose exchanges to delete.", default="", most=MOST_SESSION),
)
EXPAND = (
    BodyField("gene_id", "text", "The place, by the hash of its text.", default="", most=64),
    BodyField("source_id", "text", "The place, by its file, with start_line.", default="", most=4_096),
    BodyField("start_line", "whole number", "A line of it, from 1 on.", 0),
    BodyField("direction", "text", "Which neighbours.", default="all", choices=DIRECTIONS),
    BodyField("k", "whole number", "At most so many neighbours.", 5, 1, MOST_NEIGHBOURS),
    TASK,
    BodyField("session_id", "text", "Leave out what this session has been given.", default="", most=MOST_SESSION),
)

OPERATIONS = (
    HttpRoute(
        "POST",
        "/v1/chat/completions",
        "A chat, with evidence put before its question",
        "chat",
        is_stream=True,
        is_upstreams=True,
    ),
    HttpRoute("GET", "/v1/models", "The models of the upstream", "models", is_upstreams=True),
    HttpRoute("POST", "/context", "Evidence as text for a model", "context", fields=CONTEXT),
    HttpRoute("POST", "/context/packet", "Places, each with a verdict of this moment", "packet", fields=PACKET),
    HttpRoute("POST", "/context/refresh-plan", "What to read again, most pressing first", "plan", fields=PLAN),
    HttpRoute("POST", "/fingerprint", "Places without text, all accounted for", "fingerprint", fields=FINGERPRINT),
    HttpRoute("POST", "/context/expand", "What stands around a place", "expansion", fields=EXPAND),
    HttpRoute("POST", "/ingest", "Keep a text as a note", "ingested", needs="admin", fields=INGEST, more=(422,)),
    HttpRoute("POST", "/consolidate", "Draw facts from chats", "facts", needs="admin", fields=CONSOLIDATE, more=(422,)),
    HttpRoute("POST", "/forget", "Delete a note, or a session", "forgotten", needs="admin", fields=FORGET),
    HttpRoute("POST", "/admin/kv-backfill", "Make claims of notes anew", "backfill", needs="admin", fields=()),
    HttpRoute("POST", "/admin/refresh", "Compare everything with the disk", "index", needs="admin", fields=()),
    HttpRoute("POST", "/admin/vacuum", "Give back what the index does not need", "vacuum", needs="admin", fields=()),
    HttpRoute(
        "POST",
        "/admin/announce_restart",
        "Tell that this server restarts",
        "restart",
        needs="admin",
        fields=RESTART,
        more=(500,),
        is_of_workspace=False,
    ),
    HttpRoute("GET", "/stats", "The workspace's status, and what the server does", "stats"),
    HttpRoute(
        "GET", "/health", "That somebody is there, who knows the key", "health", needs="nothing", more=(400, 404)
    ),
    HttpRoute("GET", "/metrics", "Numbers for Prometheus", "metrics", media=TEXT, is_of_workspace=False),
    HttpRoute("GET", "/openapi.json", "This document", "document", is_of_workspace=False),
)
