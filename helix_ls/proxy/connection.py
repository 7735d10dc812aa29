"""A connection that may not take its time with the head of a request, nor send one without end."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from helix_ls.proxy.guard import MAX_HEAD_BYTES

HEAD_S = 10.0


class Connection(HttpToolsProtocol):
    """uvicorn's own, with a limit of time and of bytes for a head that is not complete."""

    _waiting: asyncio.TimerHandle | None = None
    _is_in_head = True
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first head may come."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes, of a head or of a body."""
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.transport.close()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._is_in_head, self._head_bytes = True, 0
        self._stop()
        self._wait()

    def on_headers_complete(self) -> None:
        """A head is complete."""
        self._is_in_head = False
        self._stop()
        super().on_headers_complete()

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_S, self._late)

    def _late(self) -> None:
        self.transport.close()

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
