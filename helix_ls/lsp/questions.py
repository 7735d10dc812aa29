"""The query commands: packets, searches, plans, explanations, symbols. Answers equal those of the command line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from helix_core.engine import Helix
from helix_core.engine.requests import checked_places
from helix_core.errors import UsageError
from helix_core.model import Hints, Overlays
from helix_core.workspace import source_id_of
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.documents import line_in_file, name_at, to_column
from helix_ls.lsp.folders import FileInFolder, Folder
from helix_ls.lsp.hover import symbol
from helix_ls.lsp.packets import OpenPackets, QueryParams
from helix_ls.operations import questions as verbs
from helix_ls.operations.arguments import AskContext, Operation
from helix_ls.operations.hosting import ClosePacketArguments
from helix_ls.operations.places import (
    ExplainArguments,
    NameArguments,
)
from helix_ls.operations.questions import PLAN, PacketArguments, PlanArguments, SearchArguments


class QueryHandlers:
    """Handlers of the ``helix.*`` query commands of one LSP session."""

    def __init__(self, connection: ClientConnection, packets: OpenPackets) -> None:
        self._connection, self._packets = connection, packets

    async def packet(self, given: PacketArguments) -> dict[str, Any]:
        """Handle ``helix.packet``: answer with pointers and their verdicts."""
        folder = self._connection.folders.named(given.workspace, given.uri)
        hints = self._hints(folder, given.uri)

        def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return verbs.packet(helix, given, AskContext(cancelled, hints, overlays))

        answer = await self._connection.ask(folder, act)
        if not given.open:
            return answer
        asked = QueryParams(checked_places(given.k, given.max_tokens), hints, act)
        opened = self._packets.open(folder, given.question, answer, asked)
        return {**answer, "packet_id": opened.id}

    def _hints(self, folder: Folder, uri: str | None) -> Hints:
        """Return the hints of the window: the open files of the folder, the document of the query first."""
        places = [
            self._connection.place(each)
            for each in (uri, *(document.uri for document in self._connection.documents))
            if each
        ]
        open_paths = tuple(dict.fromkeys(place.path for place in places if place and place.folder is folder))
        return Hints(open_paths=open_paths, session=self._connection.session)

    async def close_packet(self, given: ClosePacketArguments) -> None:
        """Handle ``helix.packet.close``: stop judging a closed packet."""
        self._packets.close(given.packet_id)

    async def search(self, given: SearchArguments) -> dict[str, Any]:
        """Handle ``helix.search``: answer with ranked items."""
        folder = self._connection.folders.named(given.workspace)
        hints = self._hints(folder, None)

        def act(helix: Helix, _: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return verbs.search(helix, given, AskContext(cancelled, hints))

        return await self._connection.ask(folder, act)

    async def plan(self, given: PlanArguments) -> dict[str, Any]:
        """Handle ``helix.refreshPlan``: list what to read again."""
        if given.packet_id is not None:
            packet = self._packets.get(given.packet_id)
            if packet is None:
                raise UsageError("that packet is no longer open; ask its question again")
            targets = await self._packets.targets(packet)
            notes = await self._connection.ask(packet.folder, lambda helix, *_: list(helix.symbols.missing_notes()))
            return {"schema": PLAN.answer, "refresh_targets": targets, "notes": notes}
        folder = self._connection.folders.named(given.workspace)
        hints = self._hints(folder, None)

        def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return verbs.plan(helix, given, AskContext(cancelled, hints, overlays))

        return await self._connection.ask(folder, act)

    async def explain(self, given: ExplainArguments) -> dict[str, Any]:
        """Handle ``helix.explain``: explain a verdict or a ranking."""
        if given.packet_id is not None or given.question is not None:
            return await self._explain_answer(given)
        if given.uri is not None and given.position is not None:
            place, line = document_place(self._connection, given.uri), given.position.line + 1
            return await self._explain(place, source_id_of(place.path), (line, line), given.task_type)
        assert given.source_id is not None and given.start_line is not None and given.end_line is not None
        place = FileInFolder(self._connection.folders.named(given.workspace), b"")
        lines = (given.start_line, given.end_line)
        return await self._explain(place, given.source_id, lines, given.task_type, given.symbol)

    async def _explain(
        self, place: FileInFolder, source_id: str, lines: tuple[int, int], task: str, symbol: str = ""
    ) -> dict[str, Any]:
        """Explain the verdict of lines; an empty ``place.path`` means lines of the file rather than of a buffer."""
        confidence = self._packets.confidence(place.folder, source_id, lines[0])

        def act(helix: Helix, overlays: Overlays, _: Any) -> dict[str, Any]:
            start, end = lines
            buffer = overlays.get(place.path)
            if buffer is not None:
                start = end = line_in_file(helix.workspace, place.path, buffer, start)
            about: dict[str, Any] = {"task": task, "overlays": overlays, "confidence": confidence, "symbol": symbol}
            return helix.explain(source_id, start, end, **about)

        return await self._connection.ask(place.folder, act)

    async def _explain_answer(self, given: ExplainArguments) -> dict[str, Any]:
        """Explain the ranking of an open packet with the hints of its query, or of a question as asked now."""
        packet = self._packets.get(given.packet_id) if given.packet_id is not None else None
        if packet is not None:
            folder, question, task = packet.folder, packet.question, packet.task
            k, hints = packet.k, packet.hints
        elif given.question is not None:
            folder = self._connection.folders.named(given.workspace, given.uri)
            question, task = given.question, given.task_type
            k, hints = checked_places(given.k, None), self._hints(folder, given.uri)
        else:
            raise UsageError("that packet is no longer open; ask its question again")

        def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
            return helix.explain_answer(question, task=task, k=k, hints=hints, overlays=overlays, cancelled=cancelled)

        return await self._connection.ask(folder, act)

    def plainly(self, operation: Operation[Any]) -> Callable[[Any], Awaitable[Any]]:
        """Return a handler that answers with an operation of the table as it is."""

        async def answer(given: Any) -> Any:
            def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> Any:
                return operation.run(helix, given, AskContext(cancelled, overlays=overlays))

            return await self._connection.ask(self._connection.folders.named(given.workspace), act)

        return answer

    async def symbol(self, given: NameArguments) -> dict[str, Any] | None:
        """Handle ``helix.symbol``: describe what is known of a name."""
        if given.uri is not None and given.position is not None:
            place, document = document_place(self._connection, given.uri), self._connection.documents.get(given.uri)
            if document is None:
                raise UsageError("that document is not open; open it, or ask by name")
            line = document.line(given.position.line)
            units = given.position.character
            name, _, _ = name_at(line, to_column(line, units, self._connection.documents.encoding))
            return await symbol(self._connection, place, name, given.position.line + 1) if name else None
        assert given.name is not None
        folder = self._connection.folders.named(given.workspace)
        return await symbol(self._connection, FileInFolder(folder, b""), given.name, 0)


def document_place(connection: ClientConnection, uri: str) -> FileInFolder:
    """Return the file of a document. Raises UsageError if it is outside every folder."""
    place = connection.place(uri)
    if place is None:
        raise UsageError("that document is in no folder of this window; open the folder it is in")
    return place
