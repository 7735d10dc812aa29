"""``/mcp``: the MCP tools over HTTP, behind the same guard as every route.

The official SDK implements the transport; folders, permissions and limits are ours. It is imported with the first
request. Clients are not asked for their roots: they choose among the served folders.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.model import Hints
from helix_core.printable import one_line
from helix_core.telemetry import Spans, no_span
from helix_ls.host import calls
from helix_ls.mcp.session import AgentSession, ServerFacts
from helix_ls.mcp.tools import PROFILES, Profile, tools_of
from helix_ls.operations.arguments import AskContext
from helix_ls.operations.memory import CONSOLIDATE
from helix_ls.operations.validation import validated
from helix_ls.proxy.bodies import ClientLeftError, read_body
from helix_ls.proxy.extractor import ModelExtractor
from helix_ls.proxy.running import Signals
from helix_ls.proxy.workspaces import Workspaces

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from helix_ls.mcp.server import Seat

MOST_SESSIONS = 32
SESSION_HEADER = "mcp-session-id"
MOST_SEATS = 64
MOST_AT_ONCE = 8
IDLE_S = 15 * 60.0
MAX_BODY_BYTES = 1024 * 1024
END_S = 3.0
PATH = "/mcp"


class Agents:
    """The ASGI application of ``/mcp``. Bound to one event loop. ``writes``: the user has allowed tools that write."""

    def __init__(
        self,
        workspaces: Workspaces,
        signals: Signals,
        extractor: ModelExtractor,
        *,
        writes: bool,
        span: Spans = no_span,
    ) -> None:
        self._workspaces, self._writes, self._span = workspaces, writes, span
        self._known = ServerFacts(sessions=lambda: tuple(self._seats.values()), servers=signals.servers)
        self._here = LocalCalls(workspaces, extractor)
        self._seats: OrderedDict[tuple[str, ...], AgentSession] = OrderedDict()
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self._busy: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()
        self._beginning = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._leaving = asyncio.Event()

    async def begin(self) -> None:
        """Do nothing: the session manager starts with the first request."""

    async def end(self) -> None:
        """End every MCP session, and wait at most ``END_S`` seconds for it."""
        self._leaving.set()
        if self._running is not None:
            await asyncio.wait((self._running,), timeout=END_S)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. Raises RefusedError for a workspace that is not served."""
        self._workspaces.any(scope.get("helix.workspace", ""))
        async with self._beginning:
            manager = self._manager or await self._begun()
        try:
            receive = await _with_body(scope, receive)
        except ClientLeftError:
            return
        session = Request(scope).headers.get(SESSION_HEADER, "")
        opens = scope["method"] == "POST" and not session

        async def noted(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self._note(session, scope["method"], message)
            await send(message)

        if opens and len(self._sessions) >= MOST_SESSIONS:
            await self._end_idle(manager, scope)
        busy = self._busy if scope["method"] == "POST" else self._streams
        busy[session] += 1
        try:
            if session in self._sessions and busy is self._busy:
                self._sessions.move_to_end(session)
            await manager.handle_request(scope, receive, noted)
        finally:
            busy[session] -= 1
            if not busy[session]:
                del busy[session]

    def _note(self, session: str, method: str, started: MutableMapping[str, Any]) -> None:
        """Note a session that an answer opens or ends."""
        if started["status"] == 404 or (method == "DELETE" and started["status"] < 300):
            self._sessions.pop(session, None)
        elif started["status"] < 300 and (named := _header(started["headers"], SESSION_HEADER)):
            self._sessions[named] = None

    async def _end_idle(self, manager: StreamableHTTPSessionManager, scope: Scope) -> None:
        """End the session that was idle longest, as its own client would; one without an open stream first."""
        idle = [each for each in self._sessions if each not in self._busy]
        ended = next((each for each in idle if each not in self._streams), idle[0] if idle else "")
        if not ended:
            return
        headers = [
            (b"host", Request(scope).headers.get("host", "").encode()),
            (SESSION_HEADER.encode(), ended.encode()),
        ]

        async def nothing() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def discard(_message: MutableMapping[str, Any]) -> None:
            """Do nothing: no client waits for this answer."""

        self._sessions.pop(ended, None)
        await manager.handle_request({**scope, "method": "DELETE", "headers": headers}, nothing, discard)

    async def _begun(self) -> StreamableHTTPSessionManager:
        made = await asyncio.to_thread(self._made)
        running = asyncio.Event()

        async def run() -> None:
            async with made.run():
                running.set()
                await self._leaving.wait()

        self._running = asyncio.create_task(run())
        await running.wait()
        self._manager = made
        return made

    def _made(self) -> StreamableHTTPSessionManager:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from helix_ls.mcp.server import Handlers

        return StreamableHTTPSessionManager(
            Handlers(self._seated, self._span).server(),
            max_request_body_size=MAX_BODY_BYTES,
            session_idle_timeout=IDLE_S,
            max_sessions=MOST_SESSIONS,
        )

    def _seated(self, context: Any) -> Seat:
        """Return the seat of a request's client. Stateless clients share a seat with others of the same name."""
        from helix_ls.mcp.server import Seat, name_of

        request = context.request
        scope = request.scope
        asked = request.query_params.get("profile")
        profile: Profile = next((offered for offered in PROFILES if offered == asked), PROFILES[0])
        writes = self._writes and scope.get("helix.scope") == "admin"
        workspace = str(scope.get("helix.workspace", ""))
        client = request.headers.get("mcp-session-id") or f"client {name_of(context)}"
        key = (workspace, client)
        session = self._seats.get(key)
        if session is None:
            session = self._seats[key] = AgentSession(self._here, Served(self._workspaces, workspace), self._known)
            while len(self._seats) > MOST_SEATS:
                self._seats.popitem(last=False)
        self._seats.move_to_end(key)
        return Seat(session, tools_of(profile, writes=writes))


async def _with_body(scope: Scope, receive: Receive) -> Receive:
    """Read the body of a message, within the limits of every body; return what gives it again."""
    if scope["method"] != "POST":
        return receive
    data = await read_body(receive)
    given = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": data, "more_body": False}

    return again


def _header(headers: Iterable[tuple[bytes, bytes]], name: str) -> str:
    return next((value.decode("latin-1") for each, value in headers if each.lower() == name.encode()), "")


class Served:
    """The folders a client may use: all served ones, the one in its URL first."""

    def __init__(self, workspaces: Workspaces, named: str) -> None:
        self._workspaces, self._named = workspaces, named

    def all(self) -> tuple[Path, ...]:
        """Return the folder of every open workspace."""
        return tuple(workspace.folder for workspace in self._workspaces.by_name.values())

    def chosen(self, name: str | None) -> tuple[Path, tuple[str, ...]]:
        """Return the folder of that name, else the one in the URL. Raises UsageError."""
        served = {one_line(each): workspace.folder for each, workspace in self._workspaces.by_name.items()}
        if name is not None:
            if name not in served:
                raise UsageError(f"no open folder is named {name[:80]!a}; those that are open: {', '.join(served)}")
            return served[name], ()
        first = self._workspaces.any(self._named)
        if first is None:
            raise UsageError("no folder is open here; open one in the editor, or start helix serve on it")
        others = () if self._named else tuple(each for each, folder in served.items() if folder != first.folder)
        return first.folder, others


class LocalCalls:
    """Answers tool calls in the question threads of folders open in this process."""

    mode = "server"

    def __init__(self, workspaces: Workspaces, extractor: ModelExtractor) -> None:
        self._workspaces, self._extractor = workspaces, extractor
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)

    async def ask(self, method: str, **params: Any) -> Any:
        """Return the ``result`` of a call. Cancelling the task cancels the question. Raises HelixError."""
        call, rest = calls.enveloped(params)
        folder = calls.folder_of(call)
        workspace = next((served for served in self._workspaces.by_name.values() if served.folder == folder), None)
        if workspace is None:
            raise UsageError("that folder is not open here any more; see helix_status")
        if method == "helix.live":
            return workspace.status.wire()
        operation = calls.QUESTIONS[method]
        given = validated(operation, rest, "daemon")
        taken_back = threading.Event()
        live = workspace.status.wire()

        def act(helix: Helix) -> bytes:
            context = AskContext(
                cancelled=taken_back.is_set, hints=Hints(session=call.asker), asker=call.asker, live=live
            )
            return json.dumps(operation.run(helix, given, context)).encode()

        async with self._turns:
            try:
                found = json.loads(await workspace.ask(act))
            except asyncio.CancelledError:
                taken_back.set()
                raise
        # A model that is slow to answer takes no turn of a question.
        return await self._extractor.extended(workspace.ask, given, found) if operation is CONSOLIDATE else found
