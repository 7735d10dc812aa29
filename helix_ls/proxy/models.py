"""``GET /v1/models`` and ``/v1/models/{id}``: the upstream's list, or several merged; the last one while it is down."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.stream import MAX_ANSWER_BYTES, checked
from helix_ls.proxy.upstream import SEEN_FOR_S, Upstream, UpstreamError, Upstreams, answer_headers, next_bytes, query_of

WAIT_S = 10.0
DOWN = "x-helix-upstream-down"


class Models:
    """The models routes; an editor lists models at its start, when the upstream may not run yet."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._last: dict[str, Any] = {"object": "list", "data": []}

    async def answer(self, request: Request) -> Response:
        """Return the list: an only upstream's unchanged, of several each model under an unambiguous name."""
        if self._upstreams.only is not None:
            return await self._of_one(self._upstreams.only, request)
        await self._upstreams.look(older_than_s=SEEN_FOR_S)
        down = self._upstreams.down()
        headers = {DOWN: ", ".join(down)} if down else {}
        return JSONResponse({"object": "list", "data": self._upstreams.models()}, headers=headers)

    async def one(self, request: Request) -> Response:
        """Return one model as its upstream describes it, else as its list does. Raises HttpError for an unknown one."""
        name = request.path_params["model"]
        if any(part in ("", ".", "..") for part in name.split("/")):
            raise HttpError(404, "model_not_found", "that is not a name of a model; list /v1/models")
        chosen = await self._upstreams.chosen(name)
        try:
            found = await _fetch(chosen.upstream, f"/models/{quote(chosen.model, safe='/')}", request)
        except UpstreamError as error:
            message = f"{error}; start it, or correct its address"
            raise HttpError(502, "upstream_down", message, {"retry-after": "1"}) from error
        if found.status_code not in (404, 405, 501, 502):
            return found
        # Several local servers have the list alone.
        await self._upstreams.look(older_than_s=SEEN_FOR_S)
        listed = next((model for model in self._upstreams.models() if model["id"] == name), None)
        if listed is not None:
            return JSONResponse(listed)
        why = "no upstream has a model of that name; list /v1/models"
        raise HttpError(404, "model_not_found", why, {"x-should-retry": "false"})

    async def _of_one(self, upstream: Upstream, request: Request) -> Response:
        try:
            found = await _fetch(upstream, "/models", request)
        except UpstreamError:
            return JSONResponse(self._last, headers={"x-helix-upstream": "down", DOWN: upstream.where.name})
        listed = json.loads(bytes(found.body))
        if found.status_code == 200 and isinstance(listed, dict):
            self._last = listed
        return found


async def _fetch(upstream: Upstream, path: str, request: Request) -> Response:
    query = query_of(request.scope["query_string"])
    answer = await upstream.open("GET", path, request.scope["headers"], None, query=query, wait_s=WAIT_S)
    try:
        data = b""
        while (part := await next_bytes(answer, WAIT_S)) and len(data) <= MAX_ANSWER_BYTES:
            data += part
    finally:
        answer.close()
    found = checked(answer.status, data, hidden=upstream.where.key)
    headers = dict(answer_headers(answer.headers.items())) | {"content-type": "application/json"}
    headers.pop("location", None)
    return Response(found.body, found.status, headers)
