"""The HTTP routes: questions about a workspace, the memory, and administration, answered in the question threads."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.memory import EmptyError, UnfitError
from helix_core.printable import count, inert_value
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.operations.arguments import AskContext, Operation
from helix_ls.operations.hosting import ANNOUNCE_RESTART, REFRESH_INDEX
from helix_ls.operations.memory import CONSOLIDATE, INGEST
from helix_ls.operations.places import EXPAND
from helix_ls.operations.questions import CONTEXT
from helix_ls.operations.validation import validated
from helix_ls.proxy.bodies import ClientLeftError, parse_body, read_body, run_in_thread_if_large
from helix_ls.proxy.extractor import ModelExtractor
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.running import RestartSignal, Signals
from helix_ls.proxy.turns import SentContexts
from helix_ls.proxy.workspaces import Workspaces

A = TypeVar("A")

Act = Callable[[Helix, Callable[[], bool]], Any]

_RECOMMENDATIONS = {"aligned": "trust", "sparse": "verify", "stale": "refresh", "denatured": "reread_raw"}
_SENTENCES = {
    "trust": "The evidence answers the question and was compared with the files just now.",
    "verify": "The evidence is thin: look at the places themselves before you rely on it.",
    "refresh": "Some of the evidence may be out of date: read the places again first.",
    "reread_raw": "The evidence hardly answers the question: search the files yourself.",
}
"""What Continue's user is advised for each health of an answer, and why."""


class Answering:
    """``act`` gets the engine and a callable that returns whether the request was cancelled; its result is the
    answer.
    """

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    def workspace(self, request: Request) -> OpenWorkspace:
        """Return the request's workspace. Raises RefusedError."""
        return self._workspaces.chosen(request.scope.get("helix.workspace", ""))

    async def answered(self, request: Request, act: Act) -> Response:
        """Return the result of ``act`` as JSON; cancelled when the client disconnects."""
        taken_back = threading.Event()
        workspace = self.workspace(request)
        asking = asyncio.ensure_future(workspace.ask(lambda helix: encoded(act(helix, taken_back.is_set))))
        leaving = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                taken_back.set()
            return Response(await asking, media_type="application/json")
        finally:
            taken_back.set()
            leaving.cancel()


def encoded(answer: Any) -> bytes:
    """Serialize an answer as compact JSON in UTF-8. Raises ValueError for NaN and infinity."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()


def _continue_item(found: dict[str, Any]) -> dict[str, Any]:
    """Return ``helix.context/1`` as an item of Continue's http context provider, with its health and its places."""
    health = found["context_health"]
    recommendation = _RECOMMENDATIONS.get(health["status"], "verify")
    return {
        "name": "Helix",
        "description": f"{count(len(found['blocks']), 'place')} for: {found['query'][:80]}",
        "content": found["text"],
        "context_health": health,
        "agent": {
            "recommendation": recommendation,
            "hint": _SENTENCES[recommendation],
            "citations": [
                {
                    "gene_id": block["gene_id"],
                    "source": block["source_id"],
                    "start_line": block["start_line"],
                    "end_line": block["end_line"],
                    "status": block["status"],
                    "reason": block["reason"],
                }
                for block in found["blocks"]
            ],
            "latency_ms": found["elapsed_ms"],
            "total_tokens_est": found["tokens"],
            "budget_tier": found["budget_tier"],
            "budget_tokens_est": found["budget"],
        },
        "verdicts": found["verdicts"],
        "known_empty": found["known_empty"],
        "nearest": found["nearest"],
        "notes": found["notes"],
    }


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def members(request: Request, operation: Operation[A]) -> A:
    """Parse the arguments: those of the body, where an empty one is an empty object, or of the query of a GET.

    Raises UsageError and HttpError.
    """
    if request.method in ("GET", "HEAD"):
        return validated(operation, in_query(operation, request.query_params.multi_items()), "http")
    try:
        data = await read_body(request.receive)
    except ClientLeftError:
        raise HttpError(400, "client_left", "the body did not come to its end; send it whole") from None
    given = (await run_in_thread_if_large(len(data), parse_body, data)).fields if data.strip(b" \t\r\n") else {}
    return validated(operation, given, "http")


def in_query(operation: Operation[Any], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the arguments of a query as JSON would have them; a value of another kind stays text, which
    validation refuses. Raises UsageError for an argument that is given twice.
    """
    kinds = {name: each.kind for each in operation.parameters("http") for name in each.names}
    given: dict[str, Any] = {}
    for name, text in pairs:
        if name in given and name in kinds:
            raise UsageError(f"{name} is given twice; give it once")
        given[name] = _in_json(text) if kinds.get(name) in ("integer", "number", "boolean") else text
    return given


def _in_json(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if value is None else value


Handler = Callable[[Request], Awaitable[Response]]


class Routes:
    """The routes of operations, each for the workspace of the request."""

    def __init__(self, answering: Answering, sent: SentContexts, extractor: ModelExtractor) -> None:
        self._answering, self._sent, self._extractor = answering, sent, extractor

    def of(self, operation: Operation[Any]) -> Handler:
        """Return a handler that answers with the operation's object."""

        async def answer(request: Request) -> Response:
            return await self._answered(request, operation, await members(request, operation))

        return answer

    async def _answered(
        self, request: Request, operation: Operation[A], given: A, shaped: Callable[[Any], Any] = lambda found: found
    ) -> Response:
        """Return the operation's object. Invisible characters and control tokens of chat templates are escaped, except
        in the repeated question.
        """

        def act(helix: Helix, cancelled: Callable[[], bool]) -> Any:
            found = shaped(operation.run(helix, given, AskContext(cancelled=cancelled)))
            return inert_value("", found, unchanged=("query",))

        return await self._answering.answered(request, act)

    async def context(self, request: Request) -> Response:
        """Handle ``/context``: text for a model; ``format`` helix for ``helix.context/1``, else Continue's list of
        one.
        """
        given = await members(request, CONTEXT)
        is_plain = given.format == "helix"
        return await self._answered(
            request, CONTEXT, given, lambda found: found if is_plain else [_continue_item(found)]
        )

    async def expand(self, request: Request) -> Response:
        """Handle ``/context/expand``: 404 for an unknown item."""
        given = await members(request, EXPAND)
        try:
            return await self._answered(request, EXPAND, given)
        except UsageError as error:
            raise HttpError(404, "unknown_place", str(error)) from None

    async def sent(self, request: Request) -> Response:
        """Handle ``/context/sent/{packet_id}``: the evidence of a chat as it was sent; 404 once it is not kept."""
        workspace = self._answering.workspace(request)
        found = self._sent.get(request.path_params["packet_id"], str(workspace.folder))
        if found is None:
            message = "no evidence of this workspace is kept under that id; ask the question again"
            raise HttpError(404, "unknown_packet", message)
        return JSONResponse(inert_value("", found, unchanged=("query",)))

    async def consolidate(self, request: Request) -> Response:
        """Handle ``/consolidate``: what rules draw, and what the user's model draws where the settings name one."""
        given = await members(request, CONSOLIDATE)
        workspace = self._answering.workspace(request)
        found = await workspace.ask(lambda helix: CONSOLIDATE.run(helix, given, AskContext()))
        whole = await self._extractor.extended(workspace.ask, given, found)
        return JSONResponse(inert_value("", whole, unchanged=("body",)))

    async def ingest(self, request: Request) -> Response:
        """Handle ``/ingest``: 400 for an empty text, 422 for one that cannot be kept; a named file is queued for the
        index.
        """
        given = await members(request, INGEST)
        workspace = self._answering.workspace(request)
        try:
            return await self._answered(request, INGEST, given)
        except EmptyError as error:
            raise HttpError(400, "empty", str(error)) from None
        except UnfitError as error:
            raise HttpError(422, "unfit", str(error)) from None
        finally:
            if isinstance(path := given.metadata.get("path"), str) and path:
                workspace.hint(_named(path, workspace.folder))


def _named(path: str, folder: os.PathLike[str]) -> list[bytes]:
    """Return the path relative to the root, if below it, as a hint for the index thread."""
    from helix_core.workspace import checked

    inside = path.removeprefix(f"{os.fspath(folder)}/")
    try:
        return [checked(inside)]
    except UsageError:
        return []


class Admin:
    """The routes under ``/admin/``."""

    def __init__(self, answering: Answering, signals: Signals, port: int) -> None:
        self._answering, self._signals, self._port = answering, signals, port

    async def refresh(self, request: Request) -> Response:
        """Handle ``/admin/refresh``: compare every file with the disk; return ``helix.index/1`` when done."""
        await members(request, REFRESH_INDEX)
        return JSONResponse(await self._answering.workspace(request).refresh())

    async def announce_restart(self, request: Request) -> Response:
        """Handle ``/admin/announce_restart``: announce that this server restarts."""
        given = await members(request, ANNOUNCE_RESTART)
        signal = RestartSignal(
            state="restarting",
            port=self._port,
            pid=os.getpid(),
            at=time.time(),
            reason=given.reason,
            actor=given.actor,
            expected_downtime_s=given.expected_downtime_s,
        )
        written = await asyncio.to_thread(self._signals.write, signal)
        return JSONResponse(written.wire(time.time()))
