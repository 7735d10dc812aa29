"""The other end of ``helix mcp``: a client that writes and reads the protocol's lines itself, and the official one."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, suppress
from queue import Empty, SimpleQueue

DEADLINE_S = 90.0
MODERN = "2026-07-28"
COMMAND = [sys.executable, "-m", "helix_ls.cli", "mcp"]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Agent:
    """One ``helix mcp`` process. Whatever it prints that is not a line of JSON is kept in ``strays``."""

    def __init__(self, environ, *arguments, cwd=None):
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            cwd=cwd,
        )
        self.strays, self.lines = [], []
        self._said = SimpleQueue()
        self._ids = 0
        self._envelope = {}
        threading.Thread(target=self._read, daemon=True).start()

    def initialize(self, version="2025-06-18", **capabilities):
        """The older handshake."""
        about = {"name": "agent", "version": "1"}
        asked = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": about}
        reply = self.request("initialize", asked)
        self.send({"method": "notifications/initialized"})
        return reply["result"]

    def modern(self):
        """Speak the newer protocol: every request says for itself what it needs."""
        self._envelope = {"_meta": ENVELOPE}
        return self

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, method, params=None):
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": (params or {}) | self._envelope})
        return self._ids

    def next(self):
        try:
            message = self._said.get(timeout=DEADLINE_S)
        except Empty:
            raise AssertionError("the server said nothing more") from None
        assert message is not None, f"the server has gone: {self.process.stderr.read().decode()}"
        return message

    def request(self, method, params=None):
        identity = self.ask(method, params)
        while (message := self.next()).get("id") != identity:
            pass
        return message

    def call(self, tool, **arguments):
        """The ``result`` of a tool call."""
        reply = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in reply, reply
        return reply["result"]

    def answer(self, tool, **arguments):
        """The structured content of a call that succeeds."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result["content"][0]["text"]
        return result["structuredContent"]

    def refusal(self, tool, **arguments):
        """The one sentence of a call that fails."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result
        [said] = result["content"]
        assert "\n" not in said["text"]
        return said["text"]

    def close(self):
        """Close its input, and see it end; its exit status."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(DEADLINE_S)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            try:
                self._said.put(json.loads(line))
            except ValueError:
                self.strays.append(line)
        self._said.put(None)


@asynccontextmanager
async def official(environ, folder, *arguments, **more):
    """The official client on a process of its own."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    command = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(folder), *arguments], env=environ)
    async with Client(command, read_timeout_seconds=DEADLINE_S, **more) as client:
        yield client


def text_of(result):
    """The text of a tool's result."""
    [said] = result["content"]
    return said["text"]
