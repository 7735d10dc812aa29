"""The Model Context Protocol on a session: the official SDK's server, its handlers, and newline-delimited stdio."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from helix_core import __version__
from helix_core.errors import HelixError
from helix_core.printable import one_line
from helix_core.telemetry import Spans, no_span
from helix_ls.mcp.asking import Asking
from helix_ls.mcp.prompts import PROMPTS, prompt_message
from helix_ls.mcp.resources import completed, read_resource, resources, templates
from helix_ls.mcp.roots import GivenFolders
from helix_ls.mcp.session import ALONE, AgentSession, ServerFacts
from helix_ls.mcp.text import feeds_structured
from helix_ls.mcp.tools import INSTRUCTIONS, WRITE_TOOLS, Profile, ToolWords, tools_of

MOST_LINE = 8 * 1024 * 1024
_READ_BYTES = 64 * 1024

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


class StdioLines:
    """Newline-delimited JSON-RPC on stdio; ``incoming`` and ``outgoing`` are the streams of the SDK's server."""

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._loop = asyncio.get_running_loop()
        self._feed, self.incoming = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        self.outgoing, self._drain = anyio.create_memory_object_stream[SessionMessage](16)
        self._writing = threading.Lock()
        threading.Thread(target=self._read, name="helix-stdin", daemon=True).start()

    async def write(self) -> None:
        """Write the server's messages until its stream is closed."""
        async with self._drain:
            async for message in self._drain:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await asyncio.to_thread(self._write, line.encode())

    def _write(self, line: bytes) -> None:
        data = memoryview(line + b"\n")
        try:
            with self._writing:
                while data:
                    data = data[os.write(self._sink, data) :]
        except OSError:
            # The client has closed the pipe, and the process holds no state to save.
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
                    message = f"The message is longer than {MOST_LINE:,} bytes; send less at once."
                    self._refuse(_refusal(INVALID_REQUEST, message))
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
            # With an invalid id, such as 1.5, the adapter parses the request as a notification, which has no response.
            self._refuse(_fault(line))
            return True
        return self._on_loop(self._feed.send(SessionMessage(message)))

    def _refuse(self, error: JSONRPCError) -> None:
        self._write(error.model_dump_json(by_alias=True, exclude_unset=True).encode())

    def _on_loop(self, act: Any) -> bool:
        """Run a coroutine on the event loop and wait for it: the reader gets backpressure from the handlers."""
        try:
            asyncio.run_coroutine_threadsafe(act, self._loop).result()
        except (RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return False
        return True


def _fault(line: bytes) -> JSONRPCError:
    """Return the error response to an invalid line, with its id if it has a valid one."""
    try:
        sent = json.loads(line)
    except (ValueError, RecursionError):
        return _refusal(PARSE_ERROR, "The line is not JSON, or too deep to be read; send one message on each line.")
    identity = sent.get("id") if isinstance(sent, dict) else None
    asked = identity if isinstance(identity, str | int) and not isinstance(identity, bool) else None
    if isinstance(asked, str):
        asked = one_line(asked)
    return _refusal(
        INVALID_REQUEST, "The line is not a JSON-RPC 2.0 message; batches are not part of the protocol.", asked
    )


def _refusal(code: int, message: str, identity: str | int | None = None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


LOG = logging.getLogger("helix")
ROOTS_S = 5.0
# Concurrent calls each request the roots; a client that never answers is not asked again after so many.
MOST_ROOTS_ASKED = 8
CLOSE_S = 0.7
WRITES_ARE_OFF = (
    "is not offered here: the user offers such tools with `[mcp] write_tools = true` in their own config.toml, "
    "over HTTP to clients with the administrator's key."
)
TOOLS_TTL_MS = 3_600_000
T = TypeVar("T")
Context = Any


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """What a client is offered: a profile of tools, whether the writing ones are included, and session facts."""

    profile: Profile = "default"
    writes: bool = False
    known: ServerFacts = ALONE


@dataclass(frozen=True, slots=True)
class Seat:
    """The session and tools of one client; ``folders`` is None where it may not be asked for its roots."""

    session: AgentSession
    words: Sequence[ToolWords]
    folders: GivenFolders | None = None

    def tool(self, name: str) -> ToolWords:
        """Return the tool of that name, or of one that it is known under as well. Raises MCPError."""
        found = next((words for words in self.words if name in words.names), None)
        is_off = not any(words in WRITE_TOOLS for words in self.words)
        if found is None and is_off and any(name in words.names for words in WRITE_TOOLS):
            raise MCPError(types.INVALID_PARAMS, f"The tool {name} writes, and {WRITES_ARE_OFF}")
        if found is None:
            names = ", ".join(words.name for words in self.words)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool of that name; the tools are {names}.")
        return found


async def serve(
    source: int, sink: int, *, asking: Asking, folders: GivenFolders, offer: ToolOffer, span: Spans = no_span
) -> None:
    """Serve the client on these descriptors until EOF."""
    lines = StdioLines(source, sink)
    seat = Seat(AgentSession(asking, folders, offer.known), tools_of(offer.profile, writes=offer.writes), folders)
    server = Handlers(lambda _: seat, span).server()
    writing = asyncio.create_task(lines.write())
    await server.run(lines.incoming, lines.outgoing, server.create_initialization_options())
    closing = asyncio.gather(writing, asking.close())
    try:
        await asyncio.wait_for(closing, CLOSE_S)
    except TimeoutError:
        LOG.warning("a question was still being answered at the end")


class Handlers:
    """The MCP request handlers. ``seated`` returns the client's seat from a request's context."""

    def __init__(self, seated: Callable[[Context], Seat], span: Spans = no_span) -> None:
        self._seated, self._span = seated, span
        self._roots_requests = 0

    def server(self) -> Server[Any]:
        """Return an SDK server with these handlers registered."""
        server: Server[Any] = Server(
            "helix",
            version=__version__,
            title="Helix",
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": CacheHint(ttl_ms=TOOLS_TTL_MS, scope="public")},
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots_changed
        )
        return server

    async def _list_tools(self, context: Context, params: Any) -> types.ListToolsResult:  # noqa: ARG002
        return types.ListToolsResult(tools=[_tool(words) for words in self._seated(context).words])

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        seat = self._seated(context)
        words = seat.tool(params.name)
        seat.session.client = seat.session.client or name_of(context)
        wanted = await self._learn_roots(context, seat.folders, params.input_responses)
        if wanted is not None:
            return wanted
        try:
            wants_progress = (context.meta or {}).get("progress_token") is not None
            report = context.session.report_progress if wants_progress else None
            with self._span("helix.mcp", tool=words.name):
                answer = await _guarded(seat.session.call(words, params.arguments or {}, report))
        except HelixError as error:
            sentence = seat.session.sentence(error)
            return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)
        content: list[Any] = [types.TextContent(type="text", text=answer.text)]
        if feeds_structured(seat.session.client) and not answer.is_whole:
            return types.CallToolResult(content=content)
        return types.CallToolResult(content=content, structured_content=answer.structured)

    async def _learn_roots(
        self, context: Context, folders: GivenFolders | None, given: Any
    ) -> types.InputRequiredResult | None:
        """Request the client's roots once; the newer protocol does so by the returned InputRequiredResult."""
        offers = context.session.client_capabilities
        if folders is None or folders.is_known or offers is None or offers.roots is None:
            return None
        request = types.ListRootsRequest(method="roots/list")
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            self._roots_requests += given is None
            if given is None and self._roots_requests <= MOST_ROOTS_ASKED:
                return types.InputRequiredResult(input_requests={"roots": request})
            listed = (given or {}).get("roots")
        else:
            try:
                listed = await context.session.send_request(request, types.ListRootsResult, ROOTS_S)
            except (MCPError, ValidationError):
                LOG.warning("the client offers roots and does not list them")
                listed = None
        roots = listed.roots if isinstance(listed, types.ListRootsResult) else []
        await asyncio.to_thread(folders.offer, [str(root.uri) for root in roots])
        return None

    async def _roots_changed(self, context: Context, params: Any) -> None:  # noqa: ARG002
        folders = self._seated(context).folders
        if folders is not None:
            folders.forget()

    async def _list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:  # noqa: ARG002
        return types.ListResourcesResult(resources=resources(self._seated(context).session))

    async def _list_templates(self, context: Context, params: Any) -> types.ListResourceTemplatesResult:  # noqa: ARG002
        return types.ListResourceTemplatesResult(resource_templates=templates())

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        seat = self._seated(context)
        wanted = await self._learn_roots(context, seat.folders, params.input_responses)
        if wanted is not None:
            return wanted
        read = await _mapped_errors(seat.session, read_resource(seat.session, str(params.uri)))
        return types.ReadResourceResult(contents=[read])

    async def _list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:  # noqa: ARG002
        return types.ListPromptsResult(prompts=[prompt.listed() for prompt in PROMPTS])

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        seat = self._seated(context)
        wanted = await self._learn_roots(context, seat.folders, params.input_responses)
        if wanted is not None:
            return wanted
        return await _mapped_errors(seat.session, prompt_message(seat.session, params.name, params.arguments or {}))

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        session = self._seated(context).session
        found = await _mapped_errors(session, completed(session, params.ref, params.argument))
        return types.CompleteResult(completion=found)


def name_of(context: Context) -> str:
    """Return the client's name on one line, or an empty string if it does not send one."""
    about = context.session.client_params
    return one_line(about.client_info.name)[:80] if about is not None and about.client_info is not None else ""


async def _guarded(answer: Awaitable[T]) -> T:
    """Await an answer; report an unexpected exception without its message, which could quote a file's content."""
    try:
        return await answer
    except HelixError:
        raise
    except Exception as error:
        LOG.exception("a request failed")
        raise MCPError(types.INTERNAL_ERROR, "An internal error; see Helix's log, and report it.") from error


async def _mapped_errors(session: AgentSession, answer: Awaitable[T]) -> T:
    """Await what is not a tool, whose errors are those of the protocol."""
    try:
        return await _guarded(answer)
    except HelixError as error:
        code = types.INVALID_PARAMS if error.usage else types.INTERNAL_ERROR
        raise MCPError(code, session.sentence(error)) from error


def _tool(words: ToolWords) -> types.Tool:
    return types.Tool(
        name=words.name,
        title=words.title,
        description=words.description,
        input_schema=words.input_schema(),
        # The hints about destruction and repetition mean something only of a tool that writes.
        annotations=types.ToolAnnotations(
            read_only_hint=False,
            destructive_hint=words.operation.destroys,
            idempotent_hint=True,
            open_world_hint=False,
        )
        if words.writes
        else types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
