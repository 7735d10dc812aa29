"""The ASGI application: guard, choice of workspace, routes. Unknown paths get a 404."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
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
from helix_ls.proxy.openapi import OpenApiRoute
from helix_ls.proxy.passthrough import Models, Passthrough
from helix_ls.proxy.question import rules_of
from helix_ls.proxy.refused import HttpError, answer, on_defect, on_helix_error, on_refused
from helix_ls.proxy.route_table import HTTP_ROUTES, HttpRoute, known_route, unknown_path, wrong_method
from helix_ls.proxy.routes import Admin, Answering, Routes
from helix_ls.proxy.running import ServerStateFile, Signals
from helix_ls.proxy.status import StatusRoutes
from helix_ls.proxy.upstream import Upstreams
from helix_ls.proxy.workspaces import Workspaces

Handler = Callable[[Request], Awaitable[Response] | Response] | ASGIApp
"""What answers a route: a function of the request, or an application of its own."""
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
    learner = Learner(config, os.environ, measures)
    extractor = ModelExtractor(upstreams, measures)
    answering = Answering(workspaces)
    agents = Agents(workspaces, signals, extractor, writes=config.mcp_write_tools, span=span)
    no_thinking = rules_of(config.no_thinking)
    chats: dict[str, Handler] = {
        dialect.route: Chat(
            workspaces,
            upstreams,
            evidence,
            measures,
            learner=learner,
            idle_s=config.proxy_idle_s,
            no_thinking=no_thinking,
            dialect=dialect,
            leaving=leaving,
            span=span,
        )
        for dialect in DIALECTS
    }
    status = StatusRoutes(
        workspaces,
        answering,
        upstreams,
        measures,
        rules=rules,
        signals=signals,
        learner=learner,
        sent=evidence.sent,
    )
    handlers = (
        chats
        | _api_handlers(Routes(answering, evidence.sent, extractor))
        | _upstream_handlers(Models(upstreams))
        | _server_handlers(status, Admin(answering, signals, rules.port), Dashboard(rules))
    )
    routes = [
        *_answered_routes(handlers),
        *_passed_routes(upstreams, measures, idle_s=config.proxy_idle_s, span=span),
        Route(AGENTS_PATH, agents),
    ]
    return Lifespan(
        Guarded(_router(routes), rules, measures, span, below),
        ServerStateFile(signals, rules.port),
        agents,
        learner,
    )


def _api_handlers(routes: Routes) -> dict[str, Handler]:
    """Return the handlers that answer from a workspace, by path: of the operations, and of routes with own bodies."""
    operations: dict[str, Handler] = {
        route.path: routes.of(route.operation) for route in HTTP_ROUTES if route.operation is not None
    }
    return operations | {
        "/context": routes.context,
        "/context/sent/{packet_id}": routes.sent,
        "/context/expand": routes.expand,
        "/consolidate": routes.consolidate,
        "/ingest": routes.ingest,
    }


def _upstream_handlers(models: Models) -> dict[str, Handler]:
    return {"/v1/models": models.answer, "/v1/models/{model}": models.one}


def _server_handlers(status: StatusRoutes, admin: Admin, dashboard: Dashboard) -> dict[str, Handler]:
    """Return the handlers that tell or change how the server runs, by path."""
    return {
        "/admin/refresh": admin.refresh,
        "/admin/announce_restart": admin.announce_restart,
        "/stats": status.stats,
        "/activity": status.activity,
        **dict.fromkeys(FILES, dashboard.page),
        "/dashboard/session": dashboard.session,
        "/health": status.health,
        "/metrics": status.metrics,
        "/openapi.json": OpenApiRoute().answer,
    }


def _answered_routes(handlers: Mapping[str, Handler]) -> list[Route]:
    """Return a route for each pattern of the route table that this server answers, with its methods."""
    by_pattern: dict[str, list[HttpRoute]] = {}
    for route in HTTP_ROUTES:
        if not route.is_passed:
            by_pattern.setdefault(route.pattern, []).append(route)
    return [
        Route(pattern, handlers[routes[0].path], methods=[route.method for route in routes])
        for pattern, routes in by_pattern.items()
    ]


def _passed_routes(upstreams: Upstreams, measures: Measures, *, idle_s: float, span: Spans) -> list[Route]:
    """Return a route for each pattern of the route table that is passed on to an upstream."""
    methods: dict[str, dict[str, ASGIApp]] = {}
    for route in HTTP_ROUTES:
        if route.is_passed:
            passed = Passthrough(route, upstreams, measures, idle_s=idle_s, span=span)
            methods.setdefault(route.pattern, {})[route.method] = passed
    return [Route(pattern, ByMethod(apps), methods=list(apps)) for pattern, apps in methods.items()]


def _router(routes: Sequence[Route]) -> Starlette:
    """Return the application of these routes, whose errors are JSON."""
    handlers: dict[Any, Any] = {
        HttpError: on_refused,
        HelixError: on_helix_error,
        404: on_unknown,
        405: on_method,
        Exception: on_defect,
    }
    router = Starlette(routes=routes, exception_handlers=handlers)
    router.router.redirect_slashes = False
    return router


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
