"""The HTTP view of the table of operations: one line a route, read by the application and the OpenAPI document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from helix_ls.operations import hosting, memory, places, questions
from helix_ls.operations.arguments import Access, DeclaredArgument, Operation
from helix_ls.proxy.guard import FORM

JSON, TEXT, EVENTS, LINES = "application/json", "text/plain", "text/event-stream", "application/x-ndjson"
HTML, SCRIPT, STYLE = "text/html", "text/javascript", "text/css"
ANY = "*/*"


def body_schema(operation: Operation[Any]) -> dict[str, Any]:
    """Return the schema of a body: an object with additional members allowed, and each argument under every
    name of it; the older ones are ``deprecated``.
    """
    required = operation.required("http")
    properties: dict[str, Any] = {}
    needed: list[dict[str, Any]] = []
    for each in operation.parameters("http"):
        for name in each.names:
            description = (
                each.about.description if name == each.name else f"The same as {each.name}, under another name."
            )
            one = [{"type": "string", "maxLength": each.about.most}] if each.about.takes_one else []
            about: dict[str, Any] = {"anyOf": [each.schema(), *one, {"type": "null"}], "description": description}
            about |= {} if each.name in required else {"default": each.default}
            properties[name] = about | ({} if name == each.name else {"deprecated": True})
        if each.name in required:
            stated = _stated(each)
            needed.append({"anyOf": [{"required": [name], "properties": {name: stated}} for name in each.names]})
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": True}
    return schema | ({"allOf": needed} if needed else {})


def _stated(argument: DeclaredArgument) -> dict[str, Any]:
    return {"type": "string", "pattern": r"\S"} if argument.kind == "string" else argument.schema()


@dataclass(frozen=True, slots=True)
class HttpRoute:
    """One method of one path. ``answers`` names the object of a 200 among the components, ``more`` other statuses.

    ``operation`` is None where the body is anybody's (a chat) or where there is none; the arguments of one are in the
    query of a GET, else in the body. ``is_upstreams`` says that
    statuses come from the upstream, ``is_of_workspace`` that a workspace is asked. ``is_passed`` says that request and
    answer pass without evidence, ``dialect`` what the upstream must speak, ``takes`` the type of the body,
    ``needs_body`` that it may not be empty, and ``stream`` the type of a stream.
    ``is_second`` says that clients have the operation by another route.
    """

    method: Literal["GET", "POST", "DELETE"]
    path: str
    answers: str
    operation: Operation[Any] | None = None
    said: str = ""
    is_open: bool = False
    more: tuple[int, ...] = ()
    media: str = JSON
    is_stream: bool = False
    is_upstreams: bool = False
    is_of_workspace: bool = True
    is_passed: bool = False
    dialect: str = ""
    takes: str = JSON
    stream: str = EVENTS
    needs_body: bool = False
    is_second: bool = False

    @property
    def pattern(self) -> str:
        """Return the path for the router: the name of a model may hold slashes."""
        return self.path.replace("{model}", "{model:path}")

    @property
    def summary(self) -> str:
        """Return a short description."""
        return self.said or (self.operation.title if self.operation is not None else "")

    @property
    def needs(self) -> Access | Literal["nothing"]:
        """Return the required scope."""
        if self.is_open:
            return "nothing"
        return self.operation.access if self.operation is not None else "ask"


def _passed(
    method: Literal["GET", "POST", "DELETE"], path: str, summary: str, dialect: str = "", **more: Any
) -> HttpRoute:
    told = {"media": ANY, "needs_body": method == "POST", **more}
    return HttpRoute(method, path, "passed", said=summary, is_upstreams=True, is_passed=True, dialect=dialect, **told)


def _page(path: str, summary: str, media: str) -> HttpRoute:
    return HttpRoute("GET", path, "page", said=summary, is_open=True, media=media, is_of_workspace=False)


HTTP_ROUTES = (
    HttpRoute(
        "POST",
        "/v1/chat/completions",
        "chat",
        said="A chat, with evidence put before its question",
        is_stream=True,
        is_upstreams=True,
    ),
    HttpRoute("GET", "/v1/models", "models", said="The models of the upstream", is_upstreams=True),
    HttpRoute("GET", "/v1/models/{model}", "model", said="One model", is_upstreams=True),
    HttpRoute(
        "POST",
        "/v1/responses",
        "chat",
        said="A response, with evidence put before its question",
        is_stream=True,
        is_upstreams=True,
    ),
    _passed("POST", "/v1/responses/input_tokens", "The tokens of an input", "responses"),
    _passed("POST", "/v1/responses/compact", "A conversation made shorter", "responses"),
    _passed("GET", "/v1/responses/{id}", "A response that the upstream keeps", "responses"),
    _passed("DELETE", "/v1/responses/{id}", "Forget a response", "responses"),
    _passed("POST", "/v1/responses/{id}/cancel", "End a response in the background", "responses", needs_body=False),
    _passed("GET", "/v1/responses/{id}/input_items", "The input of a response", "responses"),
    HttpRoute(
        "POST",
        "/v1/messages",
        "chat",
        said="A chat of Anthropic's API, with evidence put before its question",
        is_stream=True,
        is_upstreams=True,
    ),
    _passed("POST", "/v1/messages/count_tokens", "The tokens of a chat of Anthropic's API", "messages"),
    HttpRoute(
        "POST",
        "/api/chat",
        "chat",
        said="A chat of Ollama's API, with evidence put before its question",
        is_stream=True,
        is_upstreams=True,
        stream=LINES,
    ),
    HttpRoute(
        "POST",
        "/api/generate",
        "chat",
        said="An answer of Ollama's API to one prompt, with evidence put before it",
        is_stream=True,
        is_upstreams=True,
        stream=LINES,
    ),
    _passed("GET", "/api/tags", "The models of Ollama", "ollama"),
    _passed("GET", "/api/ps", "The models that Ollama has loaded", "ollama"),
    _passed("GET", "/api/version", "The version of Ollama", "ollama"),
    _passed("POST", "/api/show", "One model of Ollama", "ollama"),
    _passed("POST", "/api/embed", "Vectors of texts, by Ollama's API", "ollama"),
    _passed("POST", "/api/embeddings", "A vector of one text, by Ollama's API", "ollama"),
    _passed("POST", "/v1/embeddings", "Vectors of texts"),
    _passed("POST", "/v1/completions", "A text completed"),
    _passed("POST", "/v1/moderations", "A text judged"),
    _passed("POST", "/v1/audio/speech", "A text spoken"),
    _passed("POST", "/v1/audio/transcriptions", "Speech as text", takes=FORM),
    _passed("POST", "/v1/audio/translations", "Speech as English text", takes=FORM),
    _passed("POST", "/v1/images/generations", "Images from a text"),
    _passed("POST", "/v1/images/edits", "Images from images", takes=FORM),
    _passed("POST", "/v1/images/variations", "Images like an image", takes=FORM),
    HttpRoute("POST", "/context", "context", questions.CONTEXT),
    HttpRoute("POST", "/context/packet", "packet", questions.PACKET),
    HttpRoute("POST", "/context/refresh-plan", "plan", questions.PLAN),
    HttpRoute("POST", "/fingerprint", "fingerprint", questions.FINGERPRINT),
    HttpRoute("POST", "/context/expand", "expansion", places.EXPAND),
    HttpRoute("GET", "/context/sent/{packet_id}", "window", said="The evidence that was sent with a chat"),
    HttpRoute("POST", "/check", "check", places.CHECK),
    HttpRoute("POST", "/search", "search", questions.SEARCH),
    HttpRoute("POST", "/uses", "uses", places.SYMBOL),
    HttpRoute("POST", "/changes", "changes", places.CHANGES),
    HttpRoute("POST", "/freshness", "freshness", places.FRESHNESS),
    HttpRoute("POST", "/activity", "activity", hosting.ACTIVITY),
    HttpRoute("POST", "/ingest", "ingested", memory.INGEST, more=(422,)),
    HttpRoute("POST", "/consolidate", "facts", memory.CONSOLIDATE, more=(422,)),
    HttpRoute("POST", "/forget", "forgotten", memory.FORGET),
    HttpRoute("POST", "/memory/remember", "memories", memory.REMEMBER),
    HttpRoute("POST", "/memory/recall", "recalled", memory.RECALL),
    HttpRoute("POST", "/memory/context", "topic", memory.MEMORY_CONTEXT),
    HttpRoute("POST", "/memory/get", "memories", memory.MEMORY_GET),
    HttpRoute("POST", "/memory/diff", "differing", memory.MEMORY_DIFF),
    HttpRoute("POST", "/memory/edit", "memories", memory.EDIT),
    HttpRoute("POST", "/memory/relate", "changed", memory.RELATE),
    HttpRoute("POST", "/memory/list", "memories", memory.MEMORIES),
    HttpRoute("POST", "/memory/graph", "graph", memory.MEMORY_GRAPH),
    HttpRoute("POST", "/memory/review", "review", memory.REVIEW),
    HttpRoute("POST", "/memory/decide", "changed", memory.DECIDE),
    HttpRoute("POST", "/memory/restore", "changed", memory.RESTORE),
    HttpRoute("POST", "/memory/purge", "changed", memory.PURGE),
    HttpRoute("POST", "/memory/rollback", "changed", memory.ROLLBACK),
    HttpRoute("POST", "/memory/maintain", "maintenance", memory.MAINTAIN),
    HttpRoute("POST", "/memory/log", "log", memory.MEMORY_LOG),
    HttpRoute("POST", "/trail/resume", "trail", memory.WHERE),
    HttpRoute("POST", "/trail/forget", "trail_forgotten", memory.FORGET_TRAIL),
    HttpRoute("POST", "/hitl/emit", "paused", memory.HITL_EMIT),
    HttpRoute("POST", "/hitl/recent", "pauses", memory.HITL_RECENT),
    HttpRoute("GET", "/hitl/recent", "pauses", memory.HITL_RECENT, more=(400,), is_second=True),
    HttpRoute("POST", "/admin/kv-backfill", "backfill", memory.BACKFILL),
    HttpRoute("POST", "/admin/refresh", "index", hosting.REFRESH_INDEX),
    HttpRoute("POST", "/admin/vacuum", "vacuum", hosting.VACUUM),
    HttpRoute(
        "POST", "/admin/announce_restart", "restart", hosting.ANNOUNCE_RESTART, more=(500,), is_of_workspace=False
    ),
    HttpRoute("GET", "/stats", "stats", places.STATUS, said="The workspace's status, and what the server does"),
    HttpRoute(
        "GET",
        "/health",
        "health",
        said="That somebody is there, who knows the key",
        is_open=True,
        more=(400, 404),
    ),
    _page("/dashboard", "The page of the dashboard", HTML),
    _page("/dashboard/dashboard.js", "Its script", SCRIPT),
    _page("/dashboard/dashboard.css", "Its style sheet", STYLE),
    HttpRoute(
        "POST",
        "/dashboard/session",
        "session",
        hosting.DASHBOARD_SESSION,
        is_open=True,
        is_of_workspace=False,
    ),
    HttpRoute("GET", "/metrics", "metrics", said="Numbers for Prometheus", media=TEXT, is_of_workspace=False),
    HttpRoute("GET", "/openapi.json", "document", said="This document", is_of_workspace=False),
)
ADMIN_ROUTES = frozenset(each.path for each in HTTP_ROUTES if each.needs == "admin")
"""The paths that the guard admits with the admin key only; none of them has a parameter."""


def _expression(path: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+\})", path)
    return re.compile("".join(_PARTS.get(part, "[^/]+") if part[:1] == "{" else re.escape(part) for part in parts))


_PARTS = {"{model}": ".+"}
_EXACT = frozenset(each.path for each in HTTP_ROUTES if "{" not in each.path)
_PATTERNS = tuple((each.path, _expression(each.path)) for each in HTTP_ROUTES if "{" in each.path)


def known_route(path: str) -> str:
    """Return the route of a path as the table writes it, "" for none."""
    if path in _EXACT:
        return path
    return next((route for route, fits in _PATTERNS if fits.fullmatch(path)), "")


CHAT_ROUTES = tuple(each.path for each in HTTP_ROUTES if each.is_stream)
"""The routes of chats, at least one for each API."""
_BASES = frozenset({"v1", "api"})
_TELLING_PARTS = {each.path: each.path.strip("/").split("/") for each in HTTP_ROUTES if "{" not in each.path}
_MOST_MEANT = 2
_CLOSE = 0.75


def meant_routes(path: str) -> list[str]:
    """Return the routes that an unknown path most likely means: those of a wrong base URL, which has too much or too
    little before them (``/v1/v1/models``, ``/chat/completions``), else those that are spelled like it.
    """
    asked = _without_base(path.lower().strip("/").split("/"))
    ends = {route: _without_base(parts) for route, parts in _TELLING_PARTS.items()}
    same = {route: len(parts) for route, parts in ends.items() if parts and asked[-len(parts) :] == parts}
    if same:
        most = max(same.values())
        return [route for route, length in same.items() if length == most][:_MOST_MEANT]
    return get_close_matches(path.lower(), ends, n=_MOST_MEANT, cutoff=_CLOSE)


def _without_base(parts: list[str]) -> list[str]:
    first = next((at for at, part in enumerate(parts) if part not in _BASES), len(parts))
    return parts[first:]


def unknown_path(path: str) -> str:
    """Return what is said of a path that no route has."""
    meant = meant_routes(path)
    if not meant:
        chats = f"{', '.join(CHAT_ROUTES[:-1])} and {CHAT_ROUTES[-1]}"
        return f"there is no route on this path; chats go to {chats}, and GET /openapi.json lists every route"
    message = f"there is no route on this path; did you mean {' or '.join(meant)}?"
    if {"v1", "api"} & {route.split("/")[1] for route in meant}:
        message += " The base URL of an OpenAI client ends with /v1, that of an Anthropic or Ollama client has no path"
    return message


def wrong_method(method: str, path: str) -> str:
    """Return what is said of a method that the route of a path does not take."""
    route = known_route(path)
    right = dict.fromkeys(each.method for each in HTTP_ROUTES if each.path == route)
    return f"{method} is not allowed on this path; send {' or '.join(right)}"
