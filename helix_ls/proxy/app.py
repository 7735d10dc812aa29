"""The ASGI application: guard, choice of workspace, routes. Unknown paths get a 404."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from helix_core.config import Config
from helix_core.errors import HelixError
from helix_core.telemetry import Spans, TraceSpan, no_span
from helix_ls.proxy.agents import PATH as AGENTS_PATH
from helix_ls.proxy.agents import Agents
from helix_ls.proxy.chat import Chat
from helix_ls.proxy.dashboard.pages import FILES, Dashboard
from helix_ls.proxy.dialects import DIALECTS
from helix_ls.proxy.evidence import ChatEvidence
from helix_ls.proxy.extractor import ModelExtractor
from helix_ls.proxy.guard import GuardRules, head_of, refusal, scope_of
from helix_ls.proxy.learn import Learner
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.models import Models
from helix_ls.proxy.openapi import OpenApiRoute
from helix_ls.proxy.passthrough import Passthrough
from helix_ls.proxy.question import rules_of
from helix_ls.proxy.refused import HttpError, answer, on_defect, on_helix_error, on_refused
from helix_ls.proxy.route_table import HTTP_ROUTES, HttpRoute, known_route, unknown_path, wrong_method
from helix_ls.proxy.routes import Admin, Answering, Routes
from helix_ls.proxy.running import ServerStateFile, Signals
from helix_ls.proxy.status import StatusRoutes
from helix_ls.proxy.upstream import Upstreams
from helix_ls.proxy.workspaces import Workspaces

Below = Callable[[str], AbstractContextManager[object]]
"""Has spans begin below that of a ``traceparent``."""


class Part(Protocol):
    """A component with the server's lifetime."""

    async def begin(self) -> None:
        """Start, before the first request."""

    async def end(self) -> None:
        """Stop, after the last request."""


def application(
    workspaces: Workspaces,
    upstreams: Upstreams,
    rules: GuardRules,
    config: Config,
    measures: Measures,
    *,
    signals: Signals | None = None,
    leaving: asyncio.Event | None = None,
    span: Spans = no_span,
    below: Below = nullcontext,
) -> ASGIApp:
    """Return the whole server as an ASGI application, including the lifespan protocol.

    When ``leaving`` is set, chats end with an error that says so. A request's span is ``below`` its caller's.
    """
    signals = signals or Signals.of(os.environ)
    evidence = ChatEvidence(config.proxy_budget_tokens, measures)
    no_thinking = rules_of(config.no_thinking)
    learner = Learner(config, os.environ, measures)
    chats = {
        each.route: Chat(
            workspaces,
            upstreams,
            evidence,
            measures,
            learner=learner,
            idle_s=config.proxy_idle_s,
            no_thinking=no_thinking,
            dialect=each,
            leaving=leaving,
            span=span,
        )
        for each in DIALECTS
    }
    answering = Answering(workspaces)
    extractor = ModelExtractor(upstreams, measures)
    routes, admin = Routes(answering, evidence.sent, extractor), Admin(answering, signals, rules.port)
    standing = StatusRoutes(
        workspaces,
        answering,
        upstreams,
        measures,
        rules=rules,
        signals=signals,
        learner=learner,
        sent=evidence.sent,
    )
    dashboard = Dashboard(rules)
    models = Models(upstreams)
    acts: dict[str, Any] = {
        each.path: routes.of(each.operation) for each in HTTP_ROUTES if each.operation is not None
    } | {
        **chats,
        "/v1/models": models.answer,
        "/v1/models/{model}": models.one,
        "/context": routes.context,
        "/context/sent/{packet_id}": routes.sent,
        "/context/expand": routes.expand,
        "/consolidate": routes.consolidate,
        "/ingest": routes.ingest,
        "/admin/refresh": admin.refresh,
        "/admin/announce_restart": admin.announce_restart,
        "/stats": standing.stats,
        "/activity": standing.activity,
        **dict.fromkeys(FILES, dashboard.page),
        "/dashboard/session": dashboard.session,
        "/health": standing.health,
        "/metrics": standing.metrics,
        "/openapi.json": OpenApiRoute().answer,
    }
    agents = Agents(workspaces, signals, extractor, writes=config.mcp_write_tools, span=span)
    methods: dict[str, dict[str, ASGIApp]] = {}
    answered: dict[str, list[HttpRoute]] = {}
    for each in HTTP_ROUTES:
        if not each.is_passed:
            answered.setdefault(each.pattern, []).append(each)
        else:
            passed = Passthrough(each, upstreams, measures, idle_s=config.proxy_idle_s, span=span)
            methods.setdefault(each.pattern, {})[each.method] = passed
    table = [Route(at, acts[of[0].path], methods=[each.method for each in of]) for at, of in answered.items()]
    table += [Route(pattern, ByMethod(apps), methods=list(apps)) for pattern, apps in methods.items()]
    table.append(Route(AGENTS_PATH, agents))
    handlers: dict[Any, Any] = {
        HttpError: on_refused,
        HelixError: on_helix_error,
        404: on_unknown,
        405: on_method,
        Exception: on_defect,
    }
    inner = Starlette(routes=table, exception_handlers=handlers)
    inner.router.redirect_slashes = False
    return Lifespan(
        Guarded(inner, rules, measures, span, below),
        ServerStateFile(signals, rules.port),
        agents,
        learner,
    )


async def on_unknown(request: Request, _error: Exception) -> Response:
    """Handle an unknown route (404)."""
    path = request.scope["path"]
    return answer(HttpError(404, "unknown_route", unknown_path(path)), path)


async def on_method(request: Request, error: Exception) -> Response:
    """Handle a wrong method; the response names the allowed ones (RFC 9110, 15.5.6)."""
    path, allowed = request.scope["path"], (error.headers if isinstance(error, HTTPException) else None) or {}
    return answer(HttpError(405, "method_not_allowed", wrong_method(request.method, path), allowed), path)


class ByMethod:
    """One path whose methods are applications of their own."""

    def __init__(self, apps: Mapping[str, ASGIApp]) -> None:
        self._apps = apps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, whose method the router has checked."""
        await self._apps["GET" if scope["method"] == "HEAD" else scope["method"]](scope, receive, send)


class Lifespan:
    """Middleware that starts and stops the server's components; it passes requests on."""

    def __init__(self, inner: ASGIApp, *parts: Part) -> None:
        self._inner, self._parts = inner, parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the lifespan scope."""
        if scope["type"] != "lifespan":
            await self._inner(scope, receive, send)
            return
        await receive()
        for part in self._parts:
            await part.begin()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for part in reversed(self._parts):
            await part.end()
        await send({"type": "lifespan.shutdown.complete"})


class Guarded:
    """Middleware that applies the guard and passes the chosen workspace on.

    The span of a request is below that of the ``traceparent`` of its head (W3C Trace Context), where it has one.
    """

    def __init__(self, inner: ASGIApp, rules: GuardRules, measures: Measures, span: Spans, below: Below) -> None:
        self._inner, self._rules, self._measures, self._span, self._below = inner, rules, measures, span, below

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one HTTP request; ignore other scopes."""
        if scope["type"] != "http":
            return
        path, workspace = _split(scope)
        head = head_of(scope["method"], scope["path"], scope["headers"], path)
        refused = refusal(head, self._rules)
        if refused is not None:
            self._measures.add("helix_refused_total", cause=refused.code)
            # The rest of the body stays unread, so close the connection.
            headers = {"connection": "close"}
            if refused.status == 401:
                headers["www-authenticate"] = "Bearer"
            elif refused.code == "insufficient_scope":
                headers["www-authenticate"] = 'Bearer error="insufficient_scope"'
            error = HttpError(refused.status, refused.code, refused.message, headers)
            await answer(error, path)(scope, receive, send)
            return
        named = head.one(b"x-helix-workspace").decode("utf-8", "replace")
        chosen = {"helix.workspace": workspace or named, "helix.scope": scope_of(head, self._rules)}
        inner = {**scope, "path": path, "raw_path": path.encode(), **chosen}
        route = AGENTS_PATH if path == AGENTS_PATH else known_route(path) or "unknown"
        caller = head.one(b"traceparent").decode("latin-1")
        with self._below(caller) if caller else nullcontext(), self._span("helix.request", route=route) as span:
            await self._inner(inner, receive, self._counting(send, route, span))

    def _counting(self, send: Send, route: str, span: TraceSpan) -> Send:
        async def counted(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self._measures.add("helix_requests_total", route=route, status=str(message["status"]))
                span.set(status=message["status"])
            await send(message)

        return counted


def _split(scope: Scope) -> tuple[str, str]:
    """Split ``/w/<workspace>/rest`` into ``/rest`` and the name, which may contain an escaped slash."""
    raw = bytes(scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    if not raw.startswith("/w/"):
        return scope["path"], ""
    name, slash, rest = raw.removeprefix("/w/").partition("/")
    # An empty name differs from none: no folder has it.
    return f"{slash}{unquote(rest)}", unquote(name) or "\0"
