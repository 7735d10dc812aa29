"""Calls: a client that asks in JSON lines, one request, one answer, instead of an editor's protocol.

``{"method": "helix.packet", "params": {…, "path": "/abs"}}`` → ``{"result": …}`` or ``{"error": {"message": …}}``.
Answers are made and written as JSON in a question thread. A folder once asked about stays open while the client does.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from helix_core.engine import Helix
from helix_core.errors import HelixError, UsageError
from helix_ls.host import answers
from helix_ls.host.arguments import folder, text
from helix_ls.host.host import Host
from helix_ls.host.open_workspace import OpenWorkspace

FIRST_INDEX_S = 20.0
Method = Callable[[dict[str, Any], "Asker"], Awaitable[bytes]]


class Calls:
    """``facts`` gives the ``helix.daemon/1`` object, ``leave`` stops the daemon."""

    def __init__(self, host: Host, facts: Callable[[], dict[str, Any]], leave: Callable[[], None]) -> None:
        self._host, self._facts, self._leave = host, facts, leave
        self._running: dict[str, threading.Event] = {}
        self._methods: dict[str, Method] = {
            "helix.status": self._status,
            "helix.cancel": self._cancel,
            "helix.proxy": self._proxy,
            "daemon.status": self._daemon_status,
            "daemon.stop": self._daemon_stop,
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer line by line until the client has gone."""
        asker = Asker(self._host)
        try:
            while line := await reader.readline():
                writer.write(await self.answer(line, asker) + b"\n")
                await writer.drain()
        finally:
            await asker.leave()

    async def answer(self, line: bytes, asker: Asker) -> bytes:
        """The answer to one request, as one line of JSON without its end."""
        try:
            request = json.loads(line)
            name = str(request["method"])
            params = request.get("params") or {}
            method, act = self._methods.get(name), answers.ACTS.get(name)
            if (method is None and act is None) or not isinstance(params, dict):
                names = ", ".join((*answers.ACTS, *self._methods))
                raise UsageError(f"there is no such call; the calls are {names}")
            result = await (method(params, asker) if method is not None else self._question(name, params, asker))
            return b'{"result":' + result + b"}"
        except HelixError as error:
            return _encoded({"error": {"message": str(error), "usage": error.usage}})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return _encoded({"error": {"message": f"this is no call ({type(error).__name__})", "usage": True}})

    async def _question(self, name: str, params: dict[str, Any], asker: Asker) -> bytes:
        """A question to the engine; ``call`` is the asker's own word for it, by which it can be taken back."""
        taken_back = threading.Event()
        act = answers.ACTS[name](params, taken_back.is_set)
        call = text(params, "call", "")
        if call:
            self._running[call] = taken_back
        try:
            workspace = await asker.workspace(folder(params))
            await first_indexed(workspace)
            return await workspace.ask(lambda helix: _encoded(act(helix)))
        finally:
            self._running.pop(call, None)

    async def _cancel(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        running = self._running.get(text(params, "call"))
        if running is not None:
            running.set()
        return _encoded({"cancelled": running is not None})

    async def _status(self, params: dict[str, Any], asker: Asker) -> bytes:
        skipped = params.get("skipped") is True
        workspace = await asker.workspace(folder(params))
        await first_indexed(workspace)

        def status(helix: Helix) -> bytes:
            return _encoded(helix.status(skipped=skipped) | {"live": workspace.status.wire()})

        return await workspace.ask(status)

    async def _proxy(self, params: dict[str, Any], asker: Asker) -> bytes:
        about = (await asker.workspace(folder(params))).folder if "path" in params else None
        if self._host.chats is None:
            raise UsageError("there is no chat proxy in this process; start one with: helix serve")
        return _encoded(await self._host.chats.facts(folder=about, start=params.get("start") is not False))

    async def _daemon_status(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        return _encoded(self._facts())

    async def _daemon_stop(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        # The answer is on its way before the connection is closed.
        asyncio.get_running_loop().call_later(0.05, self._leave)
        return _encoded({"pid": self._facts()["pid"], "stopping": True})


class Asker:
    """One client, and the folders it has asked about: they stay open until it leaves."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._held: dict[Path, OpenWorkspace] = {}

    async def workspace(self, path: Path) -> OpenWorkspace:
        """The open folder. Raises WorkspaceError when there is none."""
        held = self._held.get(path)
        if held is None:
            held = await self._host.attach(path, trusted=True)
            if path in self._held:
                await self._host.detach(held)
            held = self._held.setdefault(path, held)
        return held

    async def leave(self) -> None:
        """Hold nothing any more."""
        for held in self._held.values():
            await self._host.detach(held)
        self._held.clear()


async def first_indexed(workspace: OpenWorkspace) -> None:
    """Wait, within reason, until a folder just opened has been compared with the disk."""
    settled = asyncio.Event()

    def look(_: object = None) -> None:
        if workspace.was_settled:
            settled.set()

    end = workspace.subscribe(look)
    try:
        look()
        await asyncio.wait_for(settled.wait(), FIRST_INDEX_S)
    except TimeoutError:
        return
    finally:
        end()


def _encoded(answer: dict[str, Any] | None) -> bytes:
    return json.dumps(answer, separators=(",", ":")).encode()
