"""What is true here, over HTTP: the objects of the command line, and the older shapes that clients know.

Arguments are read here; questions are answered in the workspace's question threads, as JSON already.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from helix_core import __version__
from helix_core.engine import Helix
from helix_core.engine.context import ContextRequest, checked_decoder
from helix_ls.proxy import shapes
from helix_ls.proxy.arguments import arguments_of
from helix_ls.proxy.guard import Rules, has_key, head_of
from helix_ls.proxy.key import is_nonce, proof
from helix_ls.proxy.measures import Measures
from helix_ls.proxy.refused import RefusedError
from helix_ls.proxy.upstream import Upstream
from helix_ls.proxy.workspaces import Workspaces

STATS_SCHEMA = "helix.stats/1"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
Act = Callable[[Helix, Callable[[], bool]], Any]


class Routes:
    """Everything but the chat."""

    def __init__(self, workspaces: Workspaces, upstream: Upstream, measures: Measures, rules: Rules) -> None:
        self._workspaces, self._upstream, self._measures, self._rules = workspaces, upstream, measures, rules

    async def context(self, request: Request) -> Response:
        """``/context``: text for a model; ``format`` helix for ``helix.context/1``, else Continue's list of one."""
        given = await arguments_of(request)
        question = given.question()
        wanted = ContextRequest(
            budget_tokens=given.count("budget_tokens", 6_000),
            decoder=checked_decoder(given.text("decoder_mode", "condensed")),
            model=given.text("downstream_model", given.text("model", "")),
            prompt_tokens=given.count("prompt_tokens", 0),
        ).checked()
        is_ours = given.text("format", given.text("response_mode", "continue")) == "helix"

        def act(helix: Helix, cancelled: Callable[[], bool]) -> Any:
            found = helix.context(question, wanted, cancelled=cancelled)
            return found if is_ours else [shapes.continued(found)]

        return await self._answered(request, act)

    async def packet(self, request: Request) -> Response:
        """``/context/packet``: ``helix.packet/1``."""
        given = await arguments_of(request)
        question, task, k = given.question(), given.task(), given.k(8)
        return await self._answered(
            request, lambda helix, cancelled: helix.packet(question, task=task, k=k, cancelled=cancelled)
        )

    async def refresh_plan(self, request: Request) -> Response:
        """``/context/refresh-plan``: only what to read again, most urgent first."""
        given = await arguments_of(request)
        question, task, k = given.question(), given.task(), given.k(8)
        return await self._answered(
            request,
            lambda helix, cancelled: shapes.plan(helix.packet(question, task=task, k=k, cancelled=cancelled)),
        )

    async def fingerprint(self, request: Request) -> Response:
        """``/fingerprint``: where to look, without text, and how many were left out by floor and by count."""
        given = await arguments_of(request)
        question = given.question()
        wanted = shapes.Wanted(
            profile=given.text("profile", "balanced"),
            most=given.count("max_results", 40),
            floor=given.number("score_floor", 0.0),
        ).checked()
        return await self._answered(
            request,
            lambda helix, cancelled: shapes.fingerprint(
                helix.search(question, k=wanted.evaluated, cancelled=cancelled), wanted
            ),
        )

    async def refresh(self, request: Request) -> Response:
        """``/admin/refresh``: compare everything with the disk; ``helix.index/1`` when it is done."""
        await arguments_of(request)
        return JSONResponse(await self._workspaces.chosen(request.scope.get("helix.workspace", "")).refresh())

    async def stats(self, request: Request) -> Response:
        """``/stats``: ``helix.status/1`` of the workspace, and what this server does."""
        workspace = self._workspaces.chosen(request.scope.get("helix.workspace", ""))
        proxy = {
            "upstream": self._upstream.where.base,
            "has_upstream_key": bool(self._upstream.where.key),
            "chats_open": self._measures.chats_open,
            "last_first_byte_ms": self._measures.last_first_byte_ms,
            "requests": int(self._measures.total("helix_requests_total")),
            "refused": int(self._measures.total("helix_refused_total")),
        }
        names = {name: str(one.folder) for name, one in self._workspaces.by_name.items()}
        live = workspace.status.wire()
        return await self._answered(
            request,
            lambda helix, _: (
                {"stats_schema": STATS_SCHEMA} | helix.status() | {"live": live, "workspaces": names, "proxy": proxy}
            ),
        )

    async def health(self, request: Request) -> Response:
        """``/health``: with a key, how it goes; without, nothing but that somebody is there, who knows the key."""
        said: dict[str, Any] = {"status": "ok"}
        nonce = request.query_params.get("nonce", "")
        if nonce:
            if not is_nonce(nonce):
                raise RefusedError(400, "bad_nonce", "the nonce must be 16 to 128 letters, digits, - or _")
            said["proof"] = proof(self._rules.key, nonce, self._rules.port)
        if has_key(head_of(request.method, request.url.path, request.scope["headers"]), self._rules):
            status = self._workspaces.chosen(request.scope.get("helix.workspace", "")).status
            said |= {
                "version": __version__,
                "pid": os.getpid(),
                "state": status.state,
                "files": status.files,
                "items": status.items,
                "upstream_configured": bool(self._upstream.where.base),
            }
        return JSONResponse(said)

    async def metrics(self, _request: Request) -> Response:
        """``/metrics``: numbers for Prometheus."""
        return PlainTextResponse(self._measures.text(), media_type=PROMETHEUS)

    async def _answered(self, request: Request, act: Act) -> Response:
        """The act's object as JSON; taken back when the client leaves."""
        workspace = self._workspaces.chosen(request.scope.get("helix.workspace", ""))
        taken_back = threading.Event()
        asking = asyncio.ensure_future(workspace.ask(lambda helix: _encoded(act(helix, taken_back.is_set))))
        leaving = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                taken_back.set()
            return Response(await asking, media_type="application/json")
        finally:
            taken_back.set()
            leaving.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _encoded(answer: Any) -> bytes:
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()
