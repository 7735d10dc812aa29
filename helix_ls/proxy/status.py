"""Status routes: ``/stats``, ``/health`` and ``/metrics``."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from helix_core import __version__
from helix_core.printable import inert_value
from helix_ls.operations.hosting import ACTIVITY, MOST_KEPT
from helix_ls.proxy.guard import GuardRules, Scope, head_of, scope_of
from helix_ls.proxy.keys import is_nonce, proof
from helix_ls.proxy.learn import Learner
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.routes import Answering, members
from helix_ls.proxy.running import Signals, restarting, sentence
from helix_ls.proxy.turns import SentContexts
from helix_ls.proxy.upstream import Upstreams
from helix_ls.proxy.workspaces import Workspaces

STATS_SCHEMA = "helix.stats/1"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class StatusRoutes:
    """Numbers and states; none of them sends a request to the upstream."""

    def __init__(
        self,
        workspaces: Workspaces,
        answering: Answering,
        upstreams: Upstreams,
        measures: Measures,
        *,
        rules: GuardRules,
        signals: Signals,
        learner: Learner,
        sent: SentContexts,
    ) -> None:
        self._sent = sent
        self._learner = learner
        self._workspaces, self._answering, self._upstreams = workspaces, answering, upstreams
        self._measures, self._rules, self._signals = measures, rules, signals

    async def stats(self, request: Request) -> Response:
        """Handle ``/stats``: ``helix.status/1`` of the workspace, and the server's counters.

        Absolute paths need the admin key; with the other one a folder is its name, and the index ``index.db``.
        """
        workspace = self._answering.workspace(request)
        proxy = {
            "upstream": self._upstreams.where.base,
            "has_upstream_key": bool(self._upstreams.where.key),
            "upstreams": self._upstreams.facts(),
            "last_request": self._measures.last.wire() if self._measures.last is not None else None,
            "chats_open": self._measures.chats_open,
            "last_first_byte_ms": self._measures.last_first_byte_ms,
            "prompt_cache": self._measures.prompt_cache(),
            "requests": int(self._measures.total("helix_requests_total")),
            "refused": int(self._measures.total("helix_refused_total")),
        }
        names = {name: str(one.folder) for name, one in self._workspaces.by_name.items()}
        is_admin = self._scope(request) == "admin"
        live, learned = workspace.status.wire(), self._learner.facts()
        return await self._answering.answered(
            request,
            lambda helix, _: inert_value(
                "",
                _redacted(
                    {"stats_schema": STATS_SCHEMA}
                    | helix.status()
                    | {"live": live, "workspaces": names, "proxy": proxy, "memory": helix.memory.totals() | learned},
                    is_admin=is_admin,
                ),
            ),
        )

    async def activity(self, request: Request) -> Response:
        """Handle ``/activity``: the last chats of the server and the last answers of the workspace, newest first."""
        given = await members(request, ACTIVITY)
        workspace = self._answering.workspace(request)
        chats = list(self._measures.chats)[::-1][: given.limit]
        answer = {
            "schema": ACTIVITY.answer,
            "now": time.time(),
            "most": MOST_KEPT,
            "chats": [chat.wire() for chat in chats],
            "answers": workspace.answers.latest(given.limit),
            "sent": self._sent.of(str(workspace.folder))[: given.limit],
            "prompt_cache": self._measures.prompt_cache(),
        }
        return JSONResponse(inert_value("", answer))

    async def health(self, request: Request) -> Response:
        """Handle ``/health``: with a key, the state; without, only a proof that the server knows the key."""
        signal, now = self._signals.read(self._rules.port), time.time()
        answer: dict[str, Any] = {"status": "restarting" if restarting(signal, now) else "ok"}
        nonce, of = request.query_params.get("nonce"), request.query_params.get("of", "ask")
        if of not in ("ask", "admin"):
            raise HttpError(400, "bad_key_name", "of names the key to prove: ask or admin")
        if nonce is not None:
            if not is_nonce(nonce):
                raise HttpError(400, "bad_nonce", "the nonce must be 16 to 128 letters, digits, - or _")
            key = self._rules.admin_key if of == "admin" else self._rules.key
            answer["proof"] = proof(key, nonce, self._rules.port)
        if self._scope(request) != "none":
            workspace = self._workspaces.any(request.scope.get("helix.workspace", ""))
            status = workspace.status if workspace is not None else None
            answer |= {
                "version": __version__,
                "pid": os.getpid(),
                "state": status.state if status is not None else "none",
                "files": status.files if status is not None else 0,
                "items": status.items if status is not None else 0,
                "upstream_configured": bool(self._upstreams.where.base),
            }
            if signal is not None and signal.state == "restarting":
                answer |= {"restart": signal.wire(now), "notes": [sentence(signal, now)]}
        return JSONResponse(answer)

    def _scope(self, request: Request) -> Scope:
        return scope_of(head_of(request.method, request.url.path, request.scope["headers"]), self._rules)

    async def metrics(self, _request: Request) -> Response:
        """Handle ``/metrics``: Prometheus metrics."""
        return PlainTextResponse(self._measures.text(), media_type=PROMETHEUS)


def _redacted(stats: dict[str, Any], *, is_admin: bool) -> dict[str, Any]:
    """Return the stats; without the admin key, names replace absolute paths, in sentences too."""
    if is_admin:
        return stats
    index = Path(stats["index"]["path"])
    uris = {stats["live"]["uri"]: ""} if stats["live"]["uri"] else {}
    names = {folder: name for name, folder in stats["workspaces"].items()}
    hidden = uris | {str(index): index.name, str(index.parent): index.name} | names
    # Longest first: folders may be nested.
    return _replaced(stats, sorted(hidden.items(), key=lambda entry: -len(entry[0])))  # type: ignore[no-any-return]


def _replaced(value: Any, hidden: list[tuple[str, str]]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(each, hidden) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, hidden) for each in value]
    if isinstance(value, str):
        for path, name in hidden:
            value = value.replace(path, name)
    return value
