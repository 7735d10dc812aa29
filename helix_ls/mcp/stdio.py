"""The protocol's lines on standard input and output, out of reach of whatever else prints in this process.

What is no message is answered here. Ends when the input does, or when nobody reads the output.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from helix_core.printable import one_line

MOST_LINE = 8 * 1024 * 1024
_READ_BYTES = 64 * 1024

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


class Lines:
    """``incoming`` and ``outgoing`` are what the SDK's server runs on."""

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._loop = asyncio.get_running_loop()
        self._feed, self.incoming = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        self.outgoing, self._drain = anyio.create_memory_object_stream[SessionMessage](16)
        self._writing = threading.Lock()
        threading.Thread(target=self._read, name="helix-stdin", daemon=True).start()

    async def write(self) -> None:
        """Write what the server says until it says no more."""
        async with self._drain:
            async for said in self._drain:
                line = said.message.model_dump_json(by_alias=True, exclude_unset=True)
                await asyncio.to_thread(self._say, line.encode())

    def _say(self, line: bytes) -> None:
        data = memoryview(line + b"\n")
        try:
            with self._writing:
                while data:
                    data = data[os.write(self._sink, data) :]
        except OSError:
            # Nobody listens: there is nothing left to do here, and nothing to be lost.
            os._exit(1)

    def _read(self) -> None:
        held, is_skipping = b"", False
        while data := self._more():
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                if not is_skipping and not self._take(line):
                    return
                is_skipping = False
            if len(held) > MOST_LINE:
                held = b""
                if not is_skipping:
                    said = f"The message is longer than {MOST_LINE:,} bytes; send less at once."
                    self._refuse(_refusal(INVALID_REQUEST, said))
                is_skipping = True
        self._on_loop(self._feed.aclose())

    def _more(self) -> bytes:
        try:
            return os.read(self._source, _READ_BYTES)
        except OSError:
            return b""

    def _take(self, line: bytes) -> bool:
        if not line.strip():
            return True
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValidationError, ValueError):
            self._refuse(_fault(line))
            return True
        if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
            # An id that is no id, such as 1.5: the adapter takes the request for a notification, which nobody answers.
            self._refuse(_fault(line))
            return True
        return self._on_loop(self._feed.send(SessionMessage(message)))

    def _refuse(self, error: JSONRPCError) -> None:
        self._say(error.model_dump_json(by_alias=True, exclude_unset=True).encode())

    def _on_loop(self, act: Any) -> bool:
        """Have the loop do it, and wait: nothing is read ahead of what can be answered."""
        try:
            asyncio.run_coroutine_threadsafe(act, self._loop).result()
        except (RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return False
        return True


def _fault(line: bytes) -> JSONRPCError:
    """What to say of a line that is no message, to whoever sent it where that can be told."""
    try:
        sent = json.loads(line)
    except (ValueError, RecursionError):
        return _refusal(PARSE_ERROR, "The line is not JSON, or too deep to be read; send one message on each line.")
    identity = sent.get("id") if isinstance(sent, dict) else None
    asked = identity if isinstance(identity, str | int) and not isinstance(identity, bool) else None
    if isinstance(asked, str):
        asked = one_line(asked)
    return _refusal(
        INVALID_REQUEST, "The line is no JSON-RPC 2.0 message; batches are not part of the protocol.", asked
    )


def _refusal(code: int, message: str, identity: str | int | None = None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))
