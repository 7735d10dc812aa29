"""``GET /v1/models``: what the upstream offers, or what it offered last where it does not answer."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_ls.proxy.refused import RefusedError
from helix_ls.proxy.upstream import Upstream, UpstreamError, answer_headers, next_bytes
from helix_ls.proxy.whole import MAX_ANSWER_BYTES, checked

WAIT_S = 10.0


class Models:
    """The route; an editor lists models at its start, when the upstream may not be there yet."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._last: dict[str, Any] = {"object": "list", "data": []}

    async def answer(self, request: Request) -> Response:
        """The list."""
        try:
            answer = await self._upstream.open("GET", "/models", request.scope["headers"], None)
            try:
                data = b""
                while (part := await next_bytes(answer, WAIT_S)) and len(data) <= MAX_ANSWER_BYTES:
                    data += part
            finally:
                answer.close()
        except (UpstreamError, RefusedError):
            return JSONResponse(self._last, headers={"x-helix-upstream": "down"})
        found = checked(answer.status, data, hidden=self._upstream.where.key)
        headers = dict(answer_headers(answer.headers.items())) | {"content-type": "application/json"}
        headers.pop("location", None)
        said = json.loads(found.body)
        if found.status == 200 and isinstance(said, dict):
            self._last = said
        return Response(found.body, found.status, headers)
