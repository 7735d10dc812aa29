"""The HTTP routes: questions about a workspace, the memory, and administration, answered in the question threads."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.memory import EmptyError, UnfitError
from helix_core.printable import safe_value
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.operations.arguments import AskContext, Operation
from helix_ls.operations.hosting import ANNOUNCE_RESTART, REFRESH_INDEX
from helix_ls.operations.memory import INGEST
from helix_ls.operations.places import EXPAND
from helix_ls.operations.questions import CONTEXT
from helix_ls.operations.validation import validated
from helix_ls.proxy.bodies import ClientLeftError, aside, received, understood
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.running import RestartSignal, Signals
from helix_ls.proxy.shapes import continued
from helix_ls.proxy.workspaces import Workspaces

A = TypeVar("A")

Act = Callable[[Helix, Callable[[], bool]], Any]


class Answering:
    """``act`` gets the engine and a callable that says that nobody waits any more; what it gives is the answer."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    def workspace(self, request: Request) -> OpenWorkspace:
        """The one the request is about. Raises RefusedError."""
        return self._workspaces.chosen(request.scope.get("helix.workspace", ""))

    async def answered(self, request: Request, act: Act) -> Response:
        """The act's object as JSON; taken back when the client leaves."""
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
    """As JSON."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def members(request: Request, operation: Operation[A]) -> A:
    """The arguments in the body; an empty body is an empty object. Raises UsageError and HttpError."""
    try:
        data = await received(request.receive)
    except ClientLeftError:
        raise HttpError(400, "client_left", "the body did not come to its end; send it whole") from None
    given = (await aside(len(data), understood, data)).fields if data.strip(b" \t\r\n") else {}
    return validated(operation, given, "http")


Handler = Callable[[Request], Awaitable[Response]]


class Routes:
    """The routes of operations; each answers for the workspace of the request."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def of(self, operation: Operation[Any]) -> Handler:
        """A route that answers with the operation's object."""

        async def answer(request: Request) -> Response:
            return await self._answered(request, operation, await members(request, operation))

        return answer

    async def _answered(
        self, request: Request, operation: Operation[A], given: A, shaped: Callable[[Any], Any] = lambda found: found
    ) -> Response:
        """The act's object; without unseen characters of the workspace in it where it answers a question, which
        itself is repeated as it was asked."""

        def act(helix: Helix, cancelled: Callable[[], bool]) -> Any:
            found = shaped(operation.run(helix, given, AskContext(cancelled=cancelled)))
            return safe_value("", found, unchanged=("query",)) if operation.access == "ask" else found

        return await self._answering.answered(request, act)

    async def context(self, request: Request) -> Response:
        """``/context``: text for a model; ``format`` helix for ``helix.context/1``, else Continue's list of one."""
        given = await members(request, CONTEXT)
        is_plain = given.format == "helix"
        return await self._answered(request, CONTEXT, given, lambda found: found if is_plain else [continued(found)])

    async def expand(self, request: Request) -> Response:
        """``/context/expand``: 404 for a place that is none."""
        given = await members(request, EXPAND)
        try:
            return await self._answered(request, EXPAND, given)
        except UsageError as error:
            raise HttpError(404, "unknown_place", str(error)) from None

    async def ingest(self, request: Request) -> Response:
        """``/ingest``: 400 for nothing, 422 for what cannot be kept; a file that is named is looked at."""
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
    """The path from the root, where it is below it, for the index to look at; the index thread decides what it is."""
    from helix_core.workspace import checked

    inside = path.removeprefix(f"{os.fspath(folder)}/")
    try:
        return [checked(inside)]
    except UsageError:
        return []


class Admin:
    """``/admin/…``."""

    def __init__(self, answering: Answering, signals: Signals, port: int) -> None:
        self._answering, self._signals, self._port = answering, signals, port

    async def refresh(self, request: Request) -> Response:
        """``/admin/refresh``: compare everything with the disk; ``helix.index/1`` when it is done."""
        await members(request, REFRESH_INDEX)
        return JSONResponse(await self._answering.workspace(request).refresh())

    async def announce_restart(self, request: Request) -> Response:
        """``/admin/announce_restart``: tell whoever looks that this server is about to go, and comes back."""
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
