"""How a route answers: in the workspace the request chose, in its question threads, and not for a client that left."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from helix_core.engine import Helix
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.proxy.workspaces import Workspaces

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
