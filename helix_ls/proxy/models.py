"""``GET /v1/models``: what the upstreams offer, or what the only one offered last where it does not answer."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_ls.proxy.upstream import Upstream, UpstreamError, answer_headers, next_bytes
from helix_ls.proxy.upstreams import SEEN_FOR_S, Upstreams
from helix_ls.proxy.whole import MAX_ANSWER_BYTES, checked

WAIT_S = 10.0
DOWN = "x-helix-upstream-down"


class Models:
    """The route; an editor lists models at its start, when the upstream may not be there yet."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._last: dict[str, Any] = {"object": "list", "data": []}

    async def answer(self, request: Request) -> Response:
        """The list: of an only upstream as it is, of several each model under a name that means it and no other."""
        if self._upstreams.only is not None:
            return await self._of_one(self._upstreams.only, request)
        await self._upstreams.look(older_than_s=SEEN_FOR_S)
        down = self._upstreams.down()
        headers = {DOWN: ", ".join(down)} if down else {}
        return JSONResponse({"object": "list", "data": self._upstreams.models()}, headers=headers)

    async def _of_one(self, upstream: Upstream, request: Request) -> Response:
        try:
            answer = await upstream.open("GET", "/models", request.scope["headers"], None, wait_s=WAIT_S)
            try:
                data = b""
                while (part := await next_bytes(answer, WAIT_S)) and len(data) <= MAX_ANSWER_BYTES:
                    data += part
            finally:
                answer.close()
        except UpstreamError:
            return JSONResponse(self._last, headers={"x-helix-upstream": "down", DOWN: upstream.where.name})
        found = checked(answer.status, data, hidden=upstream.where.key)
        headers = dict(answer_headers(answer.headers.items())) | {"content-type": "application/json"}
        headers.pop("location", None)
        said = json.loads(found.body)
        if found.status == 200 and isinstance(said, dict):
            self._last = said
        return Response(found.body, found.status, headers)
