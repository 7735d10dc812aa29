"""MCP resources: the status, the packets of a session, the memory's graph and manifest, and lines of a file by a
template, with completion.

A place is read as ``helix_open`` reads it, so nothing outside the workspace, ignored or secret can be named.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

import mcp_types as types

from helix_core.errors import UsageError
from helix_ls.mcp.outgoing import as_text
from helix_ls.mcp.session import AgentSession
from helix_ls.mcp.tools import tool_named
from helix_ls.operations.memory import MEMORY_GRAPH, GraphArguments
from helix_ls.operations.questions import WorkspaceArguments
from helix_ls.operations.strands import STRAND_MANIFEST

STATUS_URI, PACKETS_URI, PLACE_URI = "helix://status", "helix://packets", "helix://place/"
GRAPH_URI, MANIFEST_URI = "helix://graph", "helix://strand/manifest"
PLACE_TEMPLATE, PACKET_TEMPLATE = PLACE_URI + "{+path}{?lines}", PACKETS_URI + "/{packet_id}"
MOST_COMPLETED = 100
"""The specification's maximum of values of a completion."""
_LINES = re.compile(r"(\d{1,8})(?:-(\d{1,8}))?", re.ASCII)
_JSON, _PLAIN = "application/json", "text/plain"


def resources(session: AgentSession) -> list[types.Resource]:
    """Return the resources that have an address of their own."""
    fixed = [
        _resource(STATUS_URI, "status", "What is indexed, and how far it is from the disk."),
        _resource(PACKETS_URI, "packets", "The packets given in this session."),
        _resource(GRAPH_URI, "graph", "The newest memories, how they are related, and the files they cite."),
        _resource(MANIFEST_URI, "strand manifest", "What a strand of all memories would hold, in counts and hashes."),
    ]
    return fixed + [
        _resource(f"{PACKETS_URI}/{packet}", f"packet {packet}", "As it was given.") for packet in session.packets
    ]


def templates() -> list[types.ResourceTemplate]:
    """Return the templates of those that are named by their arguments."""
    return [
        types.ResourceTemplate(
            uri_template=PLACE_TEMPLATE,
            name="place",
            description="Lines of a file as they are on disk now, with their verdict; lines is 10-40, or 10.",
            mime_type=_PLAIN,
        ),
        types.ResourceTemplate(
            uri_template=PACKET_TEMPLATE,
            name="packet",
            description="A packet of this session, as it was given.",
            mime_type=_JSON,
        ),
    ]


async def read_resource(session: AgentSession, uri: str) -> types.TextResourceContents:
    """Return a resource. Raises HelixError, UsageError for one that is not there."""
    if uri.startswith(PLACE_URI):
        answer = await session.call(tool_named("helix_open"), place_arguments(uri))
        return types.TextResourceContents(uri=uri, mime_type=_PLAIN, text=answer.text)
    if uri == STATUS_URI:
        found = (await session.call(tool_named("helix_status"), {})).structured
    elif uri == PACKETS_URI:
        found = session.listed()
    elif uri == GRAPH_URI:
        found = await session.read(MEMORY_GRAPH, GraphArguments())
    elif uri == MANIFEST_URI:
        found = await session.read(STRAND_MANIFEST, WorkspaceArguments())
    else:
        given = session.packets.get(uri.removeprefix(f"{PACKETS_URI}/"))
        if given is None:
            raise UsageError(f"There is no such resource; read {PACKETS_URI} for those there are.")
        found = given.answer
    return types.TextResourceContents(uri=uri, mime_type=_JSON, text=as_text(found))


def place_arguments(uri: str) -> dict[str, str | int]:
    """Return the arguments of ``helix_open`` for the URI of a place. Raises UsageError."""
    path, marker, query = uri.removeprefix(PLACE_URI).rpartition("?lines=")
    path = path if marker else query
    try:
        source_id = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        raise UsageError("the path is not UTF-8; escape its other bytes as answers do, as \\xNN") from None
    if not marker:
        return {"source_id": source_id}
    lines = _LINES.fullmatch(query)
    if lines is None:
        raise UsageError("lines must be a line or a range, such as 10 or 10-40")
    return {"source_id": source_id, "start_line": int(lines[1]), "end_line": int(lines[2] or lines[1])}


async def completed(session: AgentSession, ref: object, argument: types.CompletionArgument) -> types.Completion:
    """Return what an argument of a template or a prompt may be, the nearest first; nothing for what is not known."""
    values: list[str] = []
    if isinstance(ref, types.ResourceTemplateReference):
        if ref.uri == PLACE_TEMPLATE and argument.name == "path":
            values = await session.paths(argument.value, MOST_COMPLETED + 1)
        elif ref.uri == PACKET_TEMPLATE and argument.name == "packet_id":
            values = [packet for packet in reversed(session.packets) if packet.startswith(argument.value)]
    elif isinstance(ref, types.PromptReference) and (ref.name, argument.name) == ("explain_symbol", "symbol"):
        values = await session.symbols(argument.value, MOST_COMPLETED)
    return types.Completion(values=values[:MOST_COMPLETED], has_more=len(values) > MOST_COMPLETED)


def _resource(uri: str, name: str, description: str) -> types.Resource:
    return types.Resource(uri=uri, name=name, description=description, mime_type=_JSON)
