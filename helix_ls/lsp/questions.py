"""The commands that ask: packets, searches, plans, explanations, symbols. The answers are those of the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.model import Hints, Overlays
from helix_core.workspace.paths import source_id_of
from helix_ls.lsp import arguments as args
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.documents import line_in_file, name_at, to_column
from helix_ls.lsp.folders import FileInFolder, Folder
from helix_ls.lsp.hover import symbol
from helix_ls.lsp.packets import Asked, OpenPackets
from helix_ls.lsp.replies import INVALID_PARAMS, RequestError

PLAN_SCHEMA = "helix.refreshPlan/1"
MOST_LINES = 100_000
_EXPLAIN_NEEDS = "helix.explain needs source_id with lines, uri with position, packet_id, or question"


class QueryHandlers:
    """Of one session."""

    def __init__(self, connection: ClientConnection, packets: OpenPackets) -> None:
        self._connection, self._packets = connection, packets

    async def packet(self, given: args.Packet) -> dict[str, Any]:
        """``helix.packet``."""
        folder = self._connection.folders.named(given.workspace, given.uri)
        hints = self._hints(folder, given.uri)

        def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return helix.packet(
                given.question,
                task=given.task,
                k=given.k,
                hints=hints,
                overlays=overlays,
                quotes=given.quotes,
                max_tokens=given.max_tokens,
                cancelled=cancelled,
            )

        answer = await self._connection.ask(folder, act)
        if not given.open:
            return answer
        opened = self._packets.open(folder, given.question, answer, Asked(given.k, hints, act))
        return {**answer, "packet_id": opened.id}

    def _hints(self, folder: Folder, uri: str | None) -> Hints:
        """The files open in the window, the one the question is about first."""
        places = [
            self._connection.place(each) for each in (uri, *(one.uri for one in self._connection.documents)) if each
        ]
        open_paths = tuple(dict.fromkeys(one.path for one in places if one and one.folder is folder))
        return Hints(open_paths=open_paths, session=self._connection.session)

    async def close_packet(self, given: args.PacketId) -> None:
        """``helix.packet.close``."""
        self._packets.close(given.packet_id)

    async def search(self, given: args.Search) -> dict[str, Any]:
        """``helix.search``."""
        folder = self._connection.folders.named(given.workspace)
        hints = self._hints(folder, None)

        def act(helix: Helix, _: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return helix.search(given.question, k=given.k, hints=hints, cancelled=cancelled)

        return await self._connection.ask(folder, act)

    async def plan(self, given: args.Plan) -> dict[str, Any]:
        """``helix.refreshPlan``."""
        if given.packet_id is not None:
            packet = self._packets.get(given.packet_id)
            if packet is None:
                raise UsageError("that packet is not open any more; ask its question again")
            return {"schema": PLAN_SCHEMA, "refresh_targets": await self._packets.targets(packet)}
        if given.question is None:
            raise RequestError(INVALID_PARAMS, "helix.refreshPlan needs packet_id or question")
        answer = await self.packet(args.Packet(given.question, given.task, workspace=given.workspace))
        return {"schema": PLAN_SCHEMA, "refresh_targets": answer["refresh_targets"]}

    async def explain(self, given: args.Explain) -> dict[str, Any]:
        """``helix.explain``."""
        if given.packet_id is not None or given.question is not None:
            return await self._explain_answer(given)
        if given.uri is not None and given.position is not None:
            place, line = document_place(self._connection, given.uri), _line(given.position) + 1
            return await self._explain(place, source_id_of(place.path), (line, line), given.task)
        if given.source_id is None:
            raise RequestError(INVALID_PARAMS, _EXPLAIN_NEEDS)
        place = FileInFolder(self._connection.folders.named(given.workspace), b"")
        lines = (given.start_line, given.end_line)
        return await self._explain(place, given.source_id, lines, given.task, given.symbol)

    async def _explain(
        self, place: FileInFolder, source_id: str, lines: tuple[int, int], task: str, symbol: str = ""
    ) -> dict[str, Any]:
        """``place.path`` is empty where the lines are the file's own, as a packet has them, not an open buffer's."""
        confidence = self._packets.confidence(place.folder, source_id, lines[0])

        def act(helix: Helix, overlays: Overlays, _: Any) -> dict[str, Any]:
            start, end = lines
            buffer = overlays.get(place.path)
            if buffer is not None:
                start = end = line_in_file(helix.workspace, place.path, buffer, start)
            about: dict[str, Any] = {"task": task, "overlays": overlays, "confidence": confidence, "symbol": symbol}
            return helix.explain(source_id, start, end, **about)

        return await self._connection.ask(place.folder, act)

    async def _explain_answer(self, given: args.Explain) -> dict[str, Any]:
        """How an open packet came about, with the files that were open then; or the answer to a question, as now."""
        packet = self._packets.get(given.packet_id) if given.packet_id is not None else None
        if packet is not None:
            folder, question, task = packet.folder, packet.question, packet.task
            k, hints = packet.k, packet.hints
        elif given.question is not None:
            folder = self._connection.folders.named(given.workspace, given.uri)
            question, task, k, hints = given.question, given.task, given.k, self._hints(folder, given.uri)
        else:
            raise UsageError("that packet is not open any more; ask its question again")

        def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return helix.explain_answer(question, task=task, k=k, hints=hints, overlays=overlays, cancelled=cancelled)

        return await self._connection.ask(folder, act)

    async def open(self, given: args.Open) -> dict[str, Any]:
        """``helix.open``: what the engine's ``show`` gives, secrets masked; so many bytes of it as it allows."""
        last = given.end_line or given.start_line + MOST_LINES - 1

        def act(helix: Helix, _: Overlays, __: Any) -> dict[str, Any]:
            return helix.show(given.source_id, given.start_line, last)

        return await self._connection.ask(self._connection.folders.named(given.workspace), act)

    async def symbol(self, given: args.SymbolArguments) -> dict[str, Any] | None:
        """``helix.symbol``."""
        if given.uri is not None and given.position is not None:
            place, document = document_place(self._connection, given.uri), self._connection.documents.get(given.uri)
            if document is None:
                raise UsageError("that document is not open; open it, or ask by name")
            line = document.line(_line(given.position))
            units = _line(given.position, "character")
            name, _, _ = name_at(line, to_column(line, units, self._connection.documents.encoding))
            return await symbol(self._connection, place, name, _line(given.position) + 1) if name else None
        if given.name is None:
            raise RequestError(INVALID_PARAMS, "helix.symbol needs name, or uri with position")
        folder = self._connection.folders.named(given.workspace)
        return await symbol(self._connection, FileInFolder(folder, b""), given.name, 0)


def document_place(connection: ClientConnection, uri: str) -> FileInFolder:
    """Where a document lies. Raises UsageError outside every folder."""
    place = connection.place(uri)
    if place is None:
        raise UsageError("that document is in no folder of this window; open the folder it is in")
    return place


def _line(position: dict[str, Any], part: str = "line") -> int:
    value = position.get(part)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RequestError(INVALID_PARAMS, f"position needs {part} as a whole number from 0")
    return value
