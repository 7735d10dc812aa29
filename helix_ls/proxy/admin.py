"""What changes the index or tells of the server: for the administrator's key."""

from __future__ import annotations

import asyncio
import os
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_ls.proxy import table
from helix_ls.proxy.answering import Answering
from helix_ls.proxy.arguments import members
from helix_ls.proxy.restart import Signal, Signals


class Admin:
    """``/admin/…``."""

    def __init__(self, answering: Answering, signals: Signals, port: int) -> None:
        self._answering, self._signals, self._port = answering, signals, port

    async def refresh(self, request: Request) -> Response:
        """``/admin/refresh``: compare everything with the disk; ``helix.index/1`` when it is done."""
        await members(request, ())
        return JSONResponse(await self._answering.workspace(request).refresh())

    async def vacuum(self, request: Request) -> Response:
        """``/admin/vacuum``: ``helix.vacuum/1`` when the index holds no more than it needs."""
        await members(request, ())
        return await self._answering.answered(request, lambda helix, cancelled: helix.vacuum(cancelled=cancelled))

    async def announce_restart(self, request: Request) -> Response:
        """``/admin/announce_restart``: tell whoever looks that this server is about to go, and comes back."""
        given = await members(request, table.RESTART)
        signal = Signal(
            state="restarting",
            port=self._port,
            pid=os.getpid(),
            at=time.time(),
            reason=given["reason"],
            actor=given["actor"],
            expected_downtime_s=given["expected_downtime_s"],
        )
        written = await asyncio.to_thread(self._signals.write, signal)
        return JSONResponse(written.wire(time.time()))
