"""Serve the calls of the daemon's clients: one request a frame, ``{"method", "params"}``, and one reply to each.

A reply is ``{"result"}`` or ``{"error"}``. This is the daemon's view of the table of operations.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from helix_core.engine import Helix
from helix_core.errors import HelixError, UsageError
from helix_core.model import Hints
from helix_ls.host.connection import encoded
from helix_ls.host.framing import Frames, TooLarge, framed
from helix_ls.host.host import Host
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.operations import memory, places, questions, strands
from helix_ls.operations.arguments import AskContext, Operation
from helix_ls.operations.hosting import CALL, CANCEL, DAEMON_STATUS, DAEMON_STOP, PROXY, CallArguments
from helix_ls.operations.validation import validated

# Calls by name that run an operation of the table on an open `Helix`.
QUESTIONS: dict[str, Operation[Any]] = {
    f"helix.{each.name}": each
    for each in (
        *(questions.PACKET, questions.SEARCH, questions.CONTEXT, questions.PLAN, questions.FINGERPRINT),
        *(questions.PREVIEW, questions.RESONANCE, places.OPEN, places.EXPLAIN, places.SYMBOL),
        *(places.NAMES, places.PATHS),
        *(
            places.CHANGES,
            places.EXPAND,
            places.JUDGE,
            places.CHECK,
            places.STATUS,
            memory.INGEST,
            memory.CONSOLIDATE,
            memory.FORGET,
        ),
        *(memory.REMEMBER, memory.RECALL, memory.MEMORIES, memory.REVIEW, memory.DECIDE, memory.RESTORE, memory.PURGE),
        *(memory.MEMORY_LOG, memory.MEMORY_CONTEXT, memory.EDIT, memory.RELATE, memory.MEMORY_DIFF),
        *(memory.MEMORY_GET, memory.ROLLBACK, memory.MAINTAIN, memory.MEMORY_GRAPH, strands.STRAND_MANIFEST),
        *(memory.WHERE, memory.FORGET_TRAIL, memory.HITL_EMIT, memory.HITL_RECENT),
    )
}
_TOO_LARGE = encoded({"error": {"message": "the request is too large; send a smaller one", "usage": True}})
_ENVELOPE = frozenset(each.name for each in CALL.parameters("daemon"))


def folder_of(call: CallArguments) -> Path:
    """Return the workspace folder named by ``path``. Raises UsageError if it is missing or not absolute."""
    if call.path is None:
        raise UsageError("path is missing: the absolute path of the workspace folder")
    path = Path(call.path)
    if not path.is_absolute():
        raise UsageError(f"the path {path} is not absolute; give the whole path")
    return path


def enveloped(params: dict[str, Any]) -> tuple[CallArguments, dict[str, Any]]:
    """Split the params of a call into its envelope and the arguments of its operation. Raises UsageError."""
    call = validated(CALL, {name: value for name, value in params.items() if name in _ENVELOPE}, "daemon")
    return call, {name: value for name, value in params.items() if name not in _ENVELOPE}


FIRST_INDEX_S = 20.0
Method = Callable[[dict[str, Any], "Asker"], Awaitable[bytes]]


class RunsCommands(Protocol):
    """Runs commands of the command line for other processes."""

    async def run(self, params: Mapping[str, Any], cancelled: threading.Event) -> dict[str, Any]:
        """Return what a command wrote and its status, or why it was declined; ``cancelled`` is set when the client
        has disconnected.
        """
        ...

    def counts(self) -> dict[str, int]:
        """Return how many commands were ``answered``, and how many ``declined``."""
        ...

    async def close(self) -> None:
        """Close what is open for commands."""
        ...


class Calls:
    """Dispatch the requests of local clients to methods of the daemon and to operations of the engine.

    ``facts`` returns the ``helix.daemon/1`` object, ``leave`` shuts the daemon down, ``stay`` has it wait for
    that without a client; ``commands`` runs those of the command line, None where there are none.
    """

    def __init__(
        self,
        host: Host,
        facts: Callable[[], dict[str, Any]],
        leave: Callable[[], None],
        commands: RunsCommands | None = None,
        stay: Callable[[], None] = lambda: None,
    ) -> None:
        self._host, self._facts, self._leave, self._commands = host, facts, leave, commands
        self._stay = stay
        self._kept: dict[Path, OpenWorkspace] = {}
        self._running: dict[str, threading.Event] = {}
        self._methods: dict[str, Method] = {
            "helix.cancel": self._cancel,
            "helix.live": self._live,
            "helix.proxy": self._proxy,
            "helix.command": self._command,
            "daemon.status": self._daemon_status,
            "daemon.stop": self._daemon_stop,
        }

    async def serve(self, frames: Frames, writer: asyncio.StreamWriter) -> None:
        """Read requests and reply to each, in order, until the client closes the connection."""
        asker = Asker(self._host)
        coming = asyncio.ensure_future(frames.next())
        try:
            while (body := await coming) is not None:
                coming = asyncio.ensure_future(frames.next())
                coming.add_done_callback(asker.on_message)
                reply = _TOO_LARGE if isinstance(body, TooLarge) else await self.answer(body, asker)
                writer.write(framed(reply))
                await writer.drain()
        finally:
            coming.cancel()
            await asker.leave()

    async def answer(self, body: bytes, asker: Asker) -> bytes:
        """Return the reply to one request: a JSON object with ``result`` or ``error``."""
        try:
            request = json.loads(body)
            name = str(request["method"])
            params = request.get("params") or {}
            method, operation = self._methods.get(name), QUESTIONS.get(name)
            if (method is None and operation is None) or not isinstance(params, dict):
                names = ", ".join((*QUESTIONS, *self._methods))
                raise UsageError(f"there is no such call; the calls are {names}")
            if operation is not None:
                result = await self._question(operation, params, asker)
            elif method is not None:
                result = await method(params, asker)
            return b'{"result":' + result + b"}"
        except HelixError as error:
            return encoded({"error": {"message": str(error), "usage": error.usage}})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return encoded({"error": {"message": f"this is not a call ({type(error).__name__})", "usage": True}})

    async def _question(self, operation: Operation[Any], params: dict[str, Any], asker: Asker) -> bytes:
        """Run an operation on the engine in a thread; ``helix.cancel`` with the same ``call`` id cancels it."""
        taken_back = threading.Event()
        call, rest = enveloped(params)
        given = validated(operation, rest, "daemon")
        if call.call:
            self._running[call.call] = taken_back
        try:
            workspace = await asker.workspace(folder_of(call))
            await first_indexed(workspace)

            def act(helix: Helix) -> Any:
                context = AskContext(
                    cancelled=lambda: taken_back.is_set() or asker.left.is_set(),
                    hints=Hints(session=call.asker),
                    asker=call.asker,
                    live=workspace.status.wire(),
                )
                found = operation.run(helix, given, context)
                return found if operation is memory.CONSOLIDATE else encoded(found)

            with self._host.telemetry.below(call.trace):
                found = await workspace.ask(act)
            if isinstance(found, bytes):
                return found
            chats = self._host.chats
            return encoded(found if chats is None else await chats.extended(workspace.ask, given, found))
        finally:
            self._running.pop(call.call, None)

    async def _cancel(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        running = self._running.get(validated(CANCEL, params, "daemon").call)
        if running is not None:
            running.set()
        return encoded({"cancelled": running is not None})

    async def _live(self, params: dict[str, Any], asker: Asker) -> bytes:
        """Return the ``helix.live/1`` object at once, also while a first index is awaited."""
        call, _ = enveloped(params)
        return encoded((await asker.workspace(folder_of(call))).status.wire())

    async def _proxy(self, params: dict[str, Any], asker: Asker) -> bytes:
        call, rest = enveloped(params)
        given = validated(PROXY, rest, "daemon")
        about = (await asker.workspace(folder_of(call))).folder if call.path is not None else None
        if self._host.chats is None:
            raise UsageError("there is no chat proxy in this process; start one with: helix serve")
        facts = await self._host.chats.facts(folder=about, start=given.start)
        if given.keep and about is not None:
            await self._keep(about)
        return encoded(facts)

    async def _keep(self, folder: Path) -> None:
        """Hold a folder open until the host closes, also without a client."""
        self._stay()
        if folder not in self._kept:
            held = await self._host.attach(folder, trusted=True)
            if folder in self._kept:
                await self._host.detach(held)
            self._kept[folder] = self._kept.get(folder, held)

    async def _command(self, params: dict[str, Any], asker: Asker) -> bytes:
        if self._commands is None:
            raise UsageError("no commands are run in this process")
        return encoded(await self._commands.run(params, asker.left))

    async def _daemon_status(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        validated(DAEMON_STATUS, params, "daemon")
        return encoded(self._facts())

    async def _daemon_stop(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        validated(DAEMON_STOP, params, "daemon")
        # Shut down after the reply has been written to the socket.
        asyncio.get_running_loop().call_later(0.05, self._leave)
        return encoded({"pid": self._facts()["pid"], "stopping": True})


class Asker:
    """Hold references to the workspaces that one client uses; they stay open until the client disconnects."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._held: dict[Path, OpenWorkspace] = {}
        self.left = threading.Event()

    def on_message(self, coming: asyncio.Future[bytes | TooLarge | None]) -> None:
        """Note that the client disconnected, if that is what came after its last request."""
        if coming.cancelled() or coming.exception() is not None or coming.result() is None:
            self.left.set()

    async def workspace(self, path: Path) -> OpenWorkspace:
        """Return the workspace of a folder, attached at the first call. Raises WorkspaceError if there is none."""
        held = self._held.get(path)
        if held is None:
            held = await self._host.attach(path, trusted=True)
            if path in self._held:
                await self._host.detach(held)
            held = self._held.setdefault(path, held)
        return held

    async def leave(self) -> None:
        """Detach from every workspace that this client holds."""
        for held in self._held.values():
            await self._host.detach(held)
        self._held.clear()


async def first_indexed(workspace: OpenWorkspace) -> None:
    """Wait until a newly opened workspace was compared with the disk once, at most to ``FIRST_INDEX_S`` seconds after
    it was opened: of a large folder only the first question waits so long.
    """
    left_s = workspace.opened_at + FIRST_INDEX_S - asyncio.get_running_loop().time()
    if workspace.was_settled or left_s <= 0:
        return
    settled = asyncio.Event()

    def look(_: object = None) -> None:
        if workspace.was_settled:
            settled.set()

    end = workspace.subscribe(look)
    try:
        look()
        await asyncio.wait_for(settled.wait(), left_s)
    except TimeoutError:
        return
    finally:
        end()
