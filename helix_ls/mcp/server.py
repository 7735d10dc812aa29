"""The protocol's methods on a session: the official SDK's server, with handlers that only translate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from helix_core import __version__
from helix_core.errors import HelixError
from helix_ls.mcp.asking import Asking
from helix_ls.mcp.outgoing import as_text
from helix_ls.mcp.roots import Folders
from helix_ls.mcp.session import Session
from helix_ls.mcp.stdio import Lines
from helix_ls.mcp.tools import INSTRUCTIONS, Profile, ToolWords, tools_of

LOG = logging.getLogger("helix")
ROOTS_S = 5.0
# Questions that come at once are all answered with the wish for roots; a client that never grants it is asked no more.
MOST_ROOTS_ASKED = 8
CLOSE_S = 0.7
TOOLS_TTL_MS = 3_600_000
_STATUS_URI, _PACKETS_URI = "helix://status", "helix://packets"
_READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
Context = Any


async def serve(source: int, sink: int, *, asking: Asking, folders: Folders, profile: Profile) -> None:
    """Serve the client on these descriptors until it has gone."""
    lines = Lines(source, sink)
    handlers = Handlers(Session(asking, folders), folders, profile)
    server = handlers.server()
    writing = asyncio.create_task(lines.write())
    await server.run(lines.incoming, lines.outgoing, server.create_initialization_options())
    closing = asyncio.gather(writing, asking.close())
    try:
        await asyncio.wait_for(closing, CLOSE_S)
    except TimeoutError:
        LOG.warning("a question was still being answered at the end")


class Handlers:
    """The methods."""

    def __init__(self, session: Session, folders: Folders, profile: Profile) -> None:
        self._session, self._folders = session, folders
        self._words = {words.name: words for words in tools_of(profile)}
        self._asked_for_roots = 0
        self._tools = [_tool(words) for words in self._words.values()]

    def server(self) -> Server[Any]:
        """An SDK server that answers with them."""
        server: Server[Any] = Server(
            "helix",
            version=__version__,
            title="Helix",
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": CacheHint(ttl_ms=TOOLS_TTL_MS, scope="public")},
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
        )
        server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots_changed
        )
        return server

    async def _list_tools(self, context: Context, params: Any) -> types.ListToolsResult:  # noqa: ARG002
        return types.ListToolsResult(tools=self._tools)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        words = self._words.get(params.name)
        if words is None:
            names = ", ".join(self._words)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool of that name; the tools are {names}.")
        wanted = await self._learn_roots(context, params.input_responses)
        if wanted is not None:
            return wanted
        try:
            answer = await self._session.call(words, params.arguments or {})
        except HelixError as error:
            said = self._session.sentence(error)
            return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)
        text = answer["text"] if words.schema == "helix.context/1" and answer["text"] else as_text(answer)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=answer)

    async def _learn_roots(self, context: Context, given: Any) -> types.InputRequiredResult | None:
        """Ask the client once for its roots where it has them; the result is how the newer protocol asks."""
        offers = context.session.client_capabilities
        if self._folders.is_known or offers is None or offers.roots is None:
            return None
        request = types.ListRootsRequest(method="roots/list")
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            self._asked_for_roots += given is None
            if given is None and self._asked_for_roots <= MOST_ROOTS_ASKED:
                return types.InputRequiredResult(input_requests={"roots": request})
            listed = (given or {}).get("roots")
        else:
            try:
                listed = await context.session.send_request(request, types.ListRootsResult, ROOTS_S)
            except (MCPError, ValidationError):
                LOG.warning("the client offers roots and does not list them")
                listed = None
        roots = listed.roots if isinstance(listed, types.ListRootsResult) else []
        await asyncio.to_thread(self._folders.offer, [str(root.uri) for root in roots])
        return None

    async def _roots_changed(self, context: Context, params: Any) -> None:  # noqa: ARG002
        self._folders.forget()

    async def _list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:  # noqa: ARG002
        fixed = [
            _resource(_STATUS_URI, "status", "What is indexed, and how far it is from the disk."),
            _resource(_PACKETS_URI, "packets", "The packets given in this session."),
        ]
        return types.ListResourcesResult(
            resources=fixed
            + [_resource(f"{_PACKETS_URI}/{one}", f"packet {one}", "As it was given.") for one in self._session.packets]
        )

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        wanted = await self._learn_roots(context, params.input_responses)
        if wanted is not None:
            return wanted
        uri = str(params.uri)
        text = as_text(await self._resource(uri))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)]
        )

    async def _resource(self, uri: str) -> Mapping[str, Any]:
        if uri == _STATUS_URI:
            try:
                return await self._session.call(self._words["helix_status"], {})
            except HelixError as error:
                said = self._session.sentence(error)
                raise MCPError(types.INTERNAL_ERROR, said) from error
        if uri == _PACKETS_URI:
            return self._session.listed()
        given = self._session.packets.get(uri.removeprefix(f"{_PACKETS_URI}/"))
        if given is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no such resource; read {_PACKETS_URI} for those there are.")
        return given.answer


def _tool(words: ToolWords) -> types.Tool:
    return types.Tool(
        name=words.name,
        title=words.title,
        description=words.description,
        input_schema=words.input_schema(),
        output_schema=words.output_schema(),
        annotations=_READ_ONLY,
    )


def _resource(uri: str, name: str, description: str) -> types.Resource:
    return types.Resource(uri=uri, name=name, description=description, mime_type="application/json")
