"""What changes the index or tells of the server: for the administrator's key."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_ls.proxy.answering import Answering
from helix_ls.proxy.arguments import members


class Admin:
    """``/admin/…``."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    async def refresh(self, request: Request) -> Response:
        """``/admin/refresh``: compare everything with the disk; ``helix.index/1`` when it is done."""
        await members(request, ())
        return JSONResponse(await self._answering.workspace(request).refresh())
