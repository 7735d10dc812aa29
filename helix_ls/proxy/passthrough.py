"""Routes without evidence: models, embeddings, completions, audio, images, counts, stored responses, Ollama's lists.

But for a list of models, the request and the answer pass as bytes, the answer as it comes. An answer that breaks off
breaks off for the client too: its end is not invented.
"""

from __future__ import annotations

import json
import logging
import re
from typing import Any
from urllib.parse import quote

import aiohttp
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from helix_core.telemetry import Spans, no_span
from helix_ls.proxy.bodies import ClientLeftError, parse_body, read_body, run_in_thread_if_large
from helix_ls.proxy.chat import MAX_CHATS, while_there
from helix_ls.proxy.dialects import Dialect, dialect_of
from helix_ls.proxy.guard import FORM
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.route_table import HttpRoute
from helix_ls.proxy.stream import MAX_ANSWER_BYTES, MAX_STREAM_BYTES, Whole, checked, error_response
from helix_ls.proxy.upstream import (
    FIRST_BYTE_S,
    SEEN_FOR_S,
    ChosenUpstream,
    Upstream,
    UpstreamError,
    Upstreams,
    answer_headers,
    next_bytes,
    query_of,
    read_bounded,
)

LOG = logging.getLogger(__name__)
MODELS_WAIT_S = 10.0
DOWN = "x-helix-upstream-down"
_FORM_MODEL = re.compile(rb'\bname="?model"?\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]{1,300})\r\n')
_SEGMENT = re.compile(r"[A-Za-z0-9_.:=-]{1,512}")


class Passthrough:
    """One route, as an ASGI application. ``idle_s`` limits the gap between two parts of an answer, in seconds."""

    def __init__(
        self, route: HttpRoute, upstreams: Upstreams, measures: Measures, *, idle_s: float, span: Spans = no_span
    ) -> None:
        self._span = span
        self._route, self._upstreams, self._measures, self._idle_s = route, upstreams, measures, idle_s
        self._dialect: Dialect = dialect_of(route.path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. Raises HttpError before anything is sent."""
        if self._measures.chats_open >= MAX_CHATS:
            message = f"{MAX_CHATS} requests are under way; try again in a moment"
            raise HttpError(503, "too_many_chats", message, {"retry-after": "1"})
        self._measures.chat_begins()
        try:
            has_body = self._route.method == "POST"
            data = await read_body(receive) if has_body else None
            with self._span("helix.upstream"):
                await while_there(self._pass_on(scope, data, send), receive)
        except ClientLeftError:
            self._measures.add("helix_answers_total", ended="client_left")
        finally:
            self._measures.chat_ends()

    async def _pass_on(self, scope: Scope, data: bytes | None, send: Send) -> None:
        media = _media(scope)
        chosen, data = await self._chosen(data, media)
        answering = _PassedAnswer(self._dialect, chosen.upstream.where.key, send)
        try:
            answer = await chosen.upstream.open(
                self._route.method,
                self._path(scope),
                scope["headers"],
                data,
                query=query_of(scope.get("query_string", b"")),
                media=media,
            )
        except UpstreamError as error:
            self._measures.add("helix_answers_total", ended="unreachable")
            self._upstreams.record_state(chosen.upstream, "down")
            await answering.send_error(502, f"{error}; start it, or correct its address", "upstream_down")
            return
        self._upstreams.record_state(chosen.upstream, "refused" if answer.status in (401, 403) else "up")
        try:
            ended = await answering.passed(answer, self._idle_s)
        finally:
            answer.close()
        self._measures.add("helix_answers_total", ended=ended)

    async def _chosen(self, data: bytes | None, media: str) -> tuple[ChosenUpstream, bytes | None]:
        """Return the upstream of the body's model, and the body with its own name of the model."""
        if not data or not data.strip():
            if self._route.needs_body:
                raise HttpError(400, "no_body", f"the body is missing; send it as {self._route.takes}")
            return await self._upstreams.chosen("", self._route.dialect), data
        if media.partition(";")[0].strip().lower() == FORM:
            found = _FORM_MODEL.search(data)
            name = found.group(1).decode("utf-8", "replace") if found is not None else ""
            chosen = await self._upstreams.chosen(name, self._route.dialect)
            if found is None or chosen.model == name:
                return chosen, data
            return chosen, data[: found.start(1)] + chosen.model.encode() + data[found.end(1) :]
        body = await run_in_thread_if_large(len(data), parse_body, data)
        model = body.fields.get("model")
        name = model if isinstance(model, str) else ""
        chosen = await self._upstreams.chosen(name, self._route.dialect)
        return chosen, data if chosen.model == name else body.with_model(chosen.model).text.encode()

    def _path(self, scope: Scope) -> str:
        """Return the path at the upstream. Raises HttpError for an invalid id."""
        path = self._route.path.removeprefix("/v1")
        for name, value in scope.get("path_params", {}).items():
            if _SEGMENT.fullmatch(value) is None or not value.strip("."):
                raise HttpError(404, "unknown_id", "that is not an id; take one that the upstream gave")
            path = path.replace(f"{{{name}}}", value)
        return path


class _PassedAnswer:
    """The answer of one request. ``hidden`` is the upstream's key, removed from errors."""

    def __init__(self, dialect: Dialect, hidden: str, send: Send) -> None:
        self._dialect, self._hidden, self._send = dialect, hidden, send

    async def passed(self, answer: aiohttp.ClientResponse, idle_s: float) -> str:
        """Pass an answer on; return how it ended. One that breaks off is not completed, so the server closes the
        connection without the end of the body.
        """
        # A page is not an answer of any of these routes: it is what another server at this address shows people.
        if answer.status >= 300 or answer.content_type == "text/html":
            return await self._refused(answer)
        try:
            data = await next_bytes(answer, FIRST_BYTE_S)
        except UpstreamError as error:
            await self.send_error(502, f"{error}; ask again", "upstream_incomplete")
            return "incomplete"
        await self._begin(answer.status, answer_headers(answer.headers.items()))
        size = 0
        while data:
            size += len(data)
            await self._part(data, more=True)
            try:
                data = await next_bytes(answer, idle_s)
            except UpstreamError as error:
                LOG.warning("an answer broke off (%s)", error)
                return "incomplete"
            if size > MAX_STREAM_BYTES:
                LOG.warning("an answer was over %d MiB and broken off", MAX_STREAM_BYTES // 1024 // 1024)
                return "incomplete"
        await self._part(b"", more=False)
        return "complete"

    async def _refused(self, answer: aiohttp.ClientResponse) -> str:
        try:
            data = await read_bounded(answer, FIRST_BYTE_S, MAX_ANSWER_BYTES)
        except UpstreamError as error:
            await self.send_error(502, f"{error}; ask again", "upstream_incomplete")
            return "incomplete"
        found = checked(answer.status, data, hidden=self._hidden, dialect=self._dialect)
        await self._whole(found, answer_headers(answer.headers.items()))
        return "failed"

    async def send_error(self, status: int, message: str, code: str) -> None:
        """Answer with an error of our own."""
        await self._whole(error_response(status, message, code, dialect=self._dialect), [("retry-after", "1")])

    async def _whole(self, found: Whole, headers: list[tuple[str, str]]) -> None:
        if found.is_own:
            headers = [(name, value) for name, value in headers if name not in ("content-type", "location")]
            headers.append(("content-type", "application/json"))
        await self._begin(found.status, [*headers, ("content-length", str(len(found.body)))])
        await self._part(found.body, more=False)

    async def _begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        encoded = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def _part(self, data: bytes, *, more: bool) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


def _media(scope: Scope) -> str:
    found = next((value for name, value in scope["headers"] if name == b"content-type"), b"application/json")
    return bytes(found).decode("latin-1").strip()


class Models:
    """``GET /v1/models`` and ``/v1/models/{id}``: the upstream's list, several merged, or the last one of one that is
    down.

    An editor lists models at its start, when the upstream may not run yet.
    """

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
    answer = await upstream.open("GET", path, request.scope["headers"], None, query=query, wait_s=MODELS_WAIT_S)
    try:
        data = b""
        while (part := await next_bytes(answer, MODELS_WAIT_S)) and len(data) <= MAX_ANSWER_BYTES:
            data += part
    finally:
        answer.close()
    found = checked(answer.status, data, hidden=upstream.where.key)
    headers = dict(answer_headers(answer.headers.items())) | {"content-type": "application/json"}
    headers.pop("location", None)
    return Response(found.body, found.status, headers)
