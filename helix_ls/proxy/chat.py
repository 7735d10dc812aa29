"""Chats of every dialect: forward one to the upstream with its evidence; cancel it when its client disconnects."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Coroutine, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
from starlette.types import Receive, Scope, Send

from helix_core.telemetry import Spans, no_span
from helix_ls.proxy.bodies import Body, ClientLeftError, parse_body, read_body, run_in_thread_if_large
from helix_ls.proxy.caching import UsageReader, message_to_mark, needs_marks, usage_of
from helix_ls.proxy.dialects import CHAT, Dialect
from helix_ls.proxy.evidence import ChatEvidence, Context
from helix_ls.proxy.learn import ExchangeRecorder, Learner
from helix_ls.proxy.metrics import LastChat, Measures
from helix_ls.proxy.question import ThinkingRule, without_thinking
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.stream import (
    MAX_ANSWER_BYTES,
    CompletionRecorder,
    Stream,
    Whole,
    checked,
    error_response,
    wants_turns,
)
from helix_ls.proxy.upstream import (
    FIRST_BYTE_S,
    Upstream,
    UpstreamError,
    Upstreams,
    answer_headers,
    next_bytes,
    query_of,
)
from helix_ls.proxy.workspaces import Workspaces

MAX_CHATS = 128
MODELS_KNOWN = 256
STOPPING = "the Helix server is stopping"
AFTER_END_S = 2.0
"""How long the upstream's end is awaited after the last event of an answer, in seconds."""


class StoppedError(Exception):
    """The server stops before the work is done."""


class Chat:
    """One dialect's route, as an ASGI application. ``idle_s`` limits the gap between two parts of an answer, in
    seconds.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        upstreams: Upstreams,
        evidence: ChatEvidence,
        measures: Measures,
        *,
        learner: Learner,
        idle_s: float,
        no_thinking: Sequence[ThinkingRule] = (),
        dialect: Dialect = CHAT,
        leaving: asyncio.Event | None = None,
        span: Spans = no_span,
    ) -> None:
        self._dialect, self._span = dialect, span
        self._workspaces, self._upstreams, self._evidence = workspaces, upstreams, evidence
        self._measures, self._idle_s, self._no_thinking = measures, idle_s, no_thinking
        self._learner, self._leaving = learner, leaving or asyncio.Event()
        self._joined: dict[str, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. Raises RefusedError before anything is sent."""
        if self._measures.chats_open >= MAX_CHATS:
            why = f"{MAX_CHATS} chats are under way; try again in a moment"
            raise HttpError(503, "too_many_chats", why, {"retry-after": "1"})
        if self._leaving.is_set():
            raise _stopping()
        self._measures.chat_begins()
        began = False

        async def noted(message: MutableMapping[str, Any]) -> None:
            nonlocal began
            began = began or message["type"] == "http.response.start"
            await send(message)

        try:
            data = await read_body(receive)
            await while_there(self._exchange(scope, data, noted), receive, self._leaving)
        except StoppedError:
            self._measures.add("helix_answers_total", ended="incomplete")
            if not began:
                raise _stopping() from None
        except ClientLeftError:
            self._measures.add("helix_answers_total", ended="client_left")
        finally:
            self._measures.chat_ends()

    async def _exchange(self, scope: Scope, data: bytes, send: Send) -> None:
        workspace = self._workspaces.any(scope.get("helix.workspace", ""))
        body = await run_in_thread_if_large(len(data), parse_body, data, self._dialect)
        model = body.fields.get("model")
        asked = model if isinstance(model, str) else ""
        received = body
        chosen = await self._upstreams.chosen(asked, self._dialect.name)
        if chosen.model != asked:
            body = body.with_model(chosen.model)
            data = body.text.encode()
        quiet = without_thinking(body, self._no_thinking)
        if quiet is not body:
            body, data = quiet, quiet.text.encode()
        context = Context("off")
        if _header(scope, b"x-helix-context").lower() != b"off":
            context = Context("none")
            if workspace is not None:
                context = await self._evidence.for_chat(workspace, received, chosen.model)
        self._measures.add("helix_context_total", became=context.became)
        last = LastChat(time.time(), asked[:200], chosen.upstream.where.name, context.became)
        self._measures.chats.append(last)
        reply = Reply(send, context, last)
        folder = workspace.folder if workspace is not None else None
        listening = self._learner.recorder_for(scope, folder, received, context.packet_id)
        chat = _Sent(scope, data, body, context, chosen.upstream, listening)
        name = f"{chosen.upstream.where.name}/{chosen.model[:200]}"
        if not await self._forward(chat, reply, joined=name in self._joined):
            # Its template rejects two user messages in a row: join the block to the question from now on.
            self._joined[name] = None
            if len(self._joined) > MODELS_KNOWN:
                del self._joined[next(iter(self._joined))]
            await self._forward(chat, reply, joined=True)

    async def _forward(self, chat: _Sent, reply: Reply, *, joined: bool) -> bool:
        """Forward the request and its answer; return False, with nothing sent yet, when the upstream needs the block
        joined to the question.
        """
        with self._span("helix.upstream", became=chat.context.became) as span:
            is_answered = await self._sent(chat, reply, joined=joined)
            span.set(status=reply.last.status or None, first_byte_ms=reply.last.ttft_ms)
            return is_answered

    async def _sent(self, chat: _Sent, reply: Reply, *, joined: bool) -> bool:
        began = time.monotonic()
        try:
            data = await run_in_thread_if_large(len(chat.data), chat.filled, joined)
            query = query_of(chat.scope.get("query_string", b""))
            answer = await chat.upstream.open("POST", self._dialect.path, chat.scope["headers"], data, query=query)
        except UpstreamError as error:
            self._measures.add("helix_answers_total", ended="unreachable")
            self._upstreams.record_state(chat.upstream, "down")
            await reply.whole(self._error(f"{error}; start it, or correct its address", "upstream_down"), _retry())
            return True
        self._upstreams.record_state(chat.upstream, "refused" if answer.status in (401, 403) else "up")
        try:
            media = self._dialect.media
            if answer.status != 200 or not (chat.wants_stream or answer.content_type == media):
                return await self._whole(answer, chat, reply, began, may_join=chat.may_join and not joined)
            if "json" in answer.content_type and answer.content_type != media:
                message = "the upstream answered in one piece although a stream was asked for; ask without stream"
                await reply.whole(self._error(message), [("x-should-retry", "false")])
            elif "html" in answer.content_type:
                message = "the upstream answered with a web page; see whether its address is right"
                await reply.whole(self._error(message), [("x-should-retry", "false")])
            else:
                await self._stream(answer, chat, reply, began)
            return True
        finally:
            answer.close()

    async def _whole(
        self, answer: aiohttp.ClientResponse, chat: _Sent, reply: Reply, began: float, *, may_join: bool
    ) -> bool:
        parts: list[bytes] = []
        size = 0
        try:
            while part := await next_bytes(answer, FIRST_BYTE_S):
                if not parts:
                    self._first_byte(reply.last, began)
                parts.append(part)
                size += len(part)
                if size > MAX_ANSWER_BYTES:
                    raise UpstreamError("the upstream sent more than an answer may hold")
        except UpstreamError as error:
            self._measures.add("helix_answers_total", ended="incomplete")
            await reply.whole(self._error(f"{error}; ask again", "upstream_incomplete"), _retry())
            return True
        data = b"".join(parts)
        if may_join and wants_turns(answer.status, data):
            return False
        found = await run_in_thread_if_large(
            size, checked, answer.status, data, hidden=chat.upstream.where.key, dialect=self._dialect
        )
        self._measures.add("helix_answers_total", ended="complete" if found.status < 400 else "failed")
        if found.status < 300 and not found.is_own and b'"usage"' in data:
            usage = await run_in_thread_if_large(size, usage_of, data)
            self._measures.prompt_used(usage, reply.last, with_evidence=bool(chat.context.blocks))
        if chat.context.on_answer is not None and found.status == 200 and not found.is_own:
            chat.record_text(await run_in_thread_if_large(size, _recorded_text, data, self._dialect))
        await reply.whole(found, answer_headers(answer.headers.items()))
        if chat.listening is not None and found.status == 200 and not found.is_own:
            chat.listening.ended(data)
        return True

    async def _stream(self, answer: aiohttp.ClientResponse, chat: _Sent, reply: Reply, began: float) -> None:
        usage = UsageReader()
        recorded = chat.listening.recorder if chat.listening is not None else None
        if recorded is None and chat.context.on_answer is not None:
            recorded = CompletionRecorder(self._dialect)

        def on_event(event: dict[str, Any]) -> None:
            usage.read(event)
            if recorded is not None:
                recorded.chunk(event)

        stream = Stream(chat.upstream.where.key, on_event, dialect=self._dialect)
        await reply.begin(answer.status, answer_headers(answer.headers.items()))
        wait_s, cause = FIRST_BYTE_S, ""
        while not stream.is_over:
            try:
                data = await next_bytes(answer, AFTER_END_S if stream.is_finished else wait_s)
            except UpstreamError as error:
                cause = str(error)
                break
            except asyncio.CancelledError:
                if not self._leaving.is_set():
                    raise
                cause = STOPPING
                break
            if not data:
                break
            if wait_s == FIRST_BYTE_S:
                self._first_byte(reply.last, began)
                wait_s = self._idle_s
            out = await run_in_thread_if_large(stream.kept_bytes, stream.feed, data)
            # A client that does not read holds this frame for as long as it likes: without the bytes it has sent on.
            del data
            if out:
                sent = reply.part(out)
                del out
                await sent
        last = stream.end(cause)
        self._measures.add("helix_answers_total", ended=stream.outcome)
        self._measures.prompt_used(usage.usage, reply.last, with_evidence=bool(chat.context.blocks))
        if recorded is not None and stream.outcome == "complete":
            chat.record_text(recorded)
        await reply.part(last, more=False)
        if chat.listening is not None and stream.outcome == "complete":
            chat.listening.ended()

    def _error(self, message: str, code: str | None = "upstream_error") -> Whole:
        return error_response(502, message, code, dialect=self._dialect)

    def _first_byte(self, last: LastChat, began: float) -> None:
        took_s = time.monotonic() - began
        last.ttft_ms = round(took_s * 1e3, 3)
        self._measures.add("helix_first_byte_seconds_total", took_s)
        self._measures.add("helix_first_bytes_total")
        self._measures.last_first_byte_ms = last.ttft_ms


@dataclass(frozen=True, slots=True)
class _Sent:
    """A chat as received, and the context block to insert."""

    scope: Scope
    data: bytes
    body: Body
    context: Context
    upstream: Upstream
    listening: ExchangeRecorder | None = None

    @property
    def wants_stream(self) -> bool:
        """Return whether the client requested a stream."""
        return self.body.dialect.wants_stream(self.body.fields)

    def record_text(self, recorder: CompletionRecorder) -> None:
        """Note the text of a complete answer; one of tool calls alone, or too long to be kept, is skipped."""
        if self.context.on_answer is not None and not recorder.is_cut and (text := recorder.text):
            self.context.on_answer(text)

    @property
    def may_join(self) -> bool:
        """Return whether there is a block directly before a question."""
        return self.body.dialect.is_separate and any(block.can_join for block in self.context.blocks)

    def filled(self, joined: bool) -> bytes:
        """Return the body to send: with blocks as separate messages, or at the start of their questions' messages."""
        if not self.context.blocks:
            return self.data
        marked, body = None, self.body
        if needs_marks(self.upstream.where.base, str(body.fields.get("model"))):
            marked = message_to_mark(body.fields, body.turns, self.context.place)
        return body.with_blocks(self.context.blocks, joined=joined, marked=marked)


class Reply:
    """The response to the client, with headers about its context."""

    def __init__(self, send: Send, context: Context, last: LastChat) -> None:
        self._send, self._context, self.last = send, context, last

    async def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        """Send status and headers."""
        self.last.status = status
        sent = [*headers, *self._context.headers()]
        encoded = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in sent]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def part(self, data: bytes, *, more: bool = True) -> None:
        """Send a part of the body; waits while the client does not read (flow control)."""
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def whole(self, answer: Whole, headers: list[tuple[str, str]]) -> None:
        """Send a complete response."""
        if answer.is_own:
            headers = [(n, v) for n, v in headers if n not in ("content-type", "location")]
            headers.append(("content-type", "application/json"))
        await self.begin(answer.status, [*headers, ("content-length", str(len(answer.body)))])
        await self.part(answer.body, more=False)


async def while_there(work: Coroutine[Any, Any, None], receive: Receive, stopping: asyncio.Event | None = None) -> None:
    """Run the work until the client disconnects or the server stops, which may end it in its own way.

    Raises ClientLeftError, StoppedError, and the errors of the work.
    """
    working = asyncio.ensure_future(work)
    leaving: list[asyncio.Future[Any]] = [asyncio.ensure_future(_gone(receive))]
    if stopping is not None:
        leaving.append(asyncio.ensure_future(stopping.wait()))
    try:
        await asyncio.wait((working, *leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
            await asyncio.wait((working,))
            if leaving[0].done():
                raise ClientLeftError
            if working.cancelled():
                raise StoppedError
        working.result()
    finally:
        for task in (working, *leaving):
            task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _recorded_text(whole: bytes, dialect: Dialect) -> CompletionRecorder:
    """Read an answer that came in one piece."""
    recorder = CompletionRecorder(dialect)
    recorder.whole(json.loads(whole))
    return recorder


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value).strip() for each, value in scope["headers"] if each == name), b"")


def _stopping() -> HttpError:
    return HttpError(503, "stopping", f"{STOPPING}; ask again in a moment", {"retry-after": "2"})


def _retry() -> list[tuple[str, str]]:
    return [("retry-after", "1")]
