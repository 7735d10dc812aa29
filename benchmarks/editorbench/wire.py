"""A language client on stdio: frames, requests answered by id, and every notification with the moment it came."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ANSWERED_WITHIN_S = 120.0
Params = Mapping[str, Any]


class RefusedError(Exception):
    """The server answered with an error."""


class Client:
    """One editor window. ``heard`` holds ``(moment, method, params)`` of each notification, in order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.heard: list[tuple[float, str, Any]] = []
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Event()
        self._last_id = 0
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, environment: Mapping[str, str], *options: str) -> Client:
        """A server process of its own: the shim, or with ``--solo`` everything in it."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "helix_ls.cli",
            "lsp",
            *options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **environment},
            limit=64 * 1024 * 1024,
        )
        return cls(process)

    async def initialize(self, folder: Path) -> float:
        """Open a window on ``folder``; returns the milliseconds until the server answered ``initialize``."""
        started = time.perf_counter()
        uri = folder.as_uri()
        workspace = {"configuration": False, "workspaceFolders": True, "executeCommand": {}}
        text = {"hover": {"contentFormat": ["markdown"]}, "synchronization": {"didSave": True}}
        await self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": folder.name}],
                "capabilities": {"workspace": workspace, "textDocument": text, "window": {"workDoneProgress": True}},
                "initializationOptions": {"helix": {"trusted": True}},
            },
        )
        elapsed_ms = (time.perf_counter() - started) * 1e3
        self.tell("initialized", {})
        return elapsed_ms

    async def ask(self, method: str, params: Any) -> Any:
        """A request's result; raises RefusedError for an error, TimeoutError where no answer comes."""
        self._last_id += 1
        number = self._last_id
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            return await answer

    async def command(self, name: str, argument: Params | None = None) -> Any:
        """``workspace/executeCommand``."""
        return await self.ask("workspace/executeCommand", {"command": name, "arguments": [dict(argument or {})]})

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def until(self, wanted: Callable[[str, Any], bool], *, since: float = 0.0, within_s: float = 180.0) -> float:
        """The moment of the first notification after ``since`` (``perf_counter``) for which ``wanted`` holds."""
        seen = 0
        async with asyncio.timeout(within_s):
            while True:
                for moment, method, params in self.heard[seen:]:
                    if moment >= since and wanted(method, params):
                        return moment
                seen = len(self.heard)
                self._news.clear()
                await self._news.wait()

    async def stop(self) -> None:
        """Leave as an editor does."""
        await self.ask("shutdown", None)
        self.tell("exit", None)
        await asyncio.wait_for(self.process.wait(), 20)
        self._reading.cancel()

    def _send(self, message: Params) -> None:
        assert self.process.stdin is not None
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while header := await self.process.stdout.readline():
            length = int(header.partition(b":")[2])
            while (await self.process.stdout.readline()).strip():
                pass
            self._take(json.loads(await self.process.stdout.readexactly(length)))

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif "method" in message:
            self.heard.append((time.perf_counter(), message["method"], message.get("params")))
            self._news.set()
        elif (answer := self._answers.pop(message["id"], None)) is not None and not answer.done():
            if "error" in message:
                answer.set_exception(RefusedError(f"{message['error']['code']}: {message['error']['message']}"))
            else:
                answer.set_result(message.get("result"))
