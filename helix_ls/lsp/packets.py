"""Packets that are open in a window: judged again at every change, and queried again when files or the index changed.

In: packets as they were shown, changes of the workspace and of buffers. Out: ``helix/verdicts`` notifications, with a
new answer if it differs. Answers and verdicts are the engine's. Changes are debounced, with a longest wait.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.engine import Helix
from helix_core.engine.verdict import all_lost
from helix_core.errors import BusyStoreError, HelixError, StoreError, WorkspaceError
from helix_core.model import Hints, Judged, Overlays, Pointer, Reason, RefreshTarget, Status, TaskType
from helix_core.packet import target_object
from helix_core.workspace import path_of, source_id_of
from helix_ls.host.status import LEVEL
from helix_ls.lsp.connection import Act, ClientConnection
from helix_ls.lsp.debounce import Debouncer
from helix_ls.lsp.folders import FileInFolder, Folder

METHOD = "helix/verdicts"
QUIET_S = 0.05
WRITTEN_QUIET_S = 0.01
LONGEST_WAIT_S = 0.25
LOOK_S = 2.0
LOOK_S_EACH = 0.2
MOST_OPEN = 100
ASK_QUIET_S = 1.0
ASK_LONGEST_WAIT_S = 4.0
MOST_ASKED = 5
"""So many of the packets opened last are asked again; the others are only judged."""


class OpenPacket:
    """A packet shown in a window. ``judged`` is empty until the first judgement.

    ``k`` and ``hints`` are those of its query, to explain it later; ``act`` runs the query again.
    """

    def __init__(self, folder: Folder, question: str, answer: Mapping[str, Any], asked: QueryParams) -> None:
        self.id = uuid.uuid4().hex
        self.folder = folder
        self.question = question
        self.k, self.hints, self.act = asked.k, asked.hints, asked.act
        self.task: str = answer["task_type"]
        self.answer = answer
        self.confidence: float = answer["coordinate_confidence"]
        items = self.first = _items(answer)
        self.pointers = [_pointer(item) for item in items]
        self.paths = {path_of(pointer.source_id) for pointer in self.pointers}
        self.judged: list[Judged] = []
        self.sent_items = [_as_shown(item) for item in items]
        self.sent_targets: list[dict[str, Any]] = list(answer["refresh_targets"])
        # Serializes judgements, so that an older result is never sent after a newer one.
        self.turn = asyncio.Lock()
        self.is_unsure = False
        self.grown_to: tuple[str, int, int] = ("", 0, 0)

    @property
    def is_partial(self) -> bool:
        """Whether the packet was answered while files were missing from the index."""
        share: float = self.answer["accounting"].get("indexed_share", 1.0)
        return share < 1

    def renew(self, answer: Mapping[str, Any]) -> dict[str, Any] | None:
        """Replace the answer; return the params of the notification, or None if nothing visible changed.

        ``items`` of the notification still cover what was shown first, for a client that ignores the new packet.
        """
        before, items = _items(self.answer), _items(answer)
        is_same = _compared_parts(self.answer) == _compared_parts(answer)
        self.answer, self.confidence = answer, answer["coordinate_confidence"]
        if is_same:
            return None
        known, now = {_key(item) for item in before}, {_key(item) for item in items}
        gone = [item for item in self.first if _key(item) not in now]
        verdicts = {_key(item): item for item in self.sent_items}
        self.pointers = [_pointer(item) for item in (*items, *gone)]
        self.paths = {path_of(pointer.source_id) for pointer in self.pointers}
        self.sent_items = [*map(_as_shown, items), *(verdicts.get(_key(item)) or _as_shown(item) for item in gone)]
        self.sent_targets = list(answer["refresh_targets"])
        return {
            "items": self.sent_items,
            "refresh_targets": self.sent_targets,
            "packet": {**answer, "packet_id": self.id},
            "came": [_named(item) for item in items if _key(item) not in known],
            "went": [_named(item) for item in before if _key(item) not in now],
        }


class OpenPackets:
    """The open packets of one session. ``judged`` is called with a packet after each judgement."""

    def __init__(self, connection: ClientConnection, judged: Callable[[OpenPacket], None]) -> None:
        self._connection = connection
        self._judged = judged
        self._open: dict[str, OpenPacket] = {}
        self._judgements = Debouncer(LONGEST_WAIT_S)
        self._queries = Debouncer(ASK_LONGEST_WAIT_S)
        self._judging: set[str] = set()
        self._again: set[str] = set()
        self._looking: asyncio.TimerHandle | None = None

    def __iter__(self) -> Iterator[OpenPacket]:
        return iter(list(self._open.values()))

    def open(self, folder: Folder, question: str, answer: Mapping[str, Any], asked: QueryParams) -> OpenPacket:
        """Add a packet to be judged at every change; above ``MOST_OPEN`` the oldest is closed."""
        packet = OpenPacket(folder, question, answer, asked)
        self._open[packet.id] = packet
        while len(self._open) > MOST_OPEN:
            self.close(next(iter(self._open)))
        # Changes during the query arrived before the packet was open, so judge it once now.
        self._soon(packet)
        if packet.is_partial:
            self._ask_soon(packet)
        if self._looking is None:
            self._rest()
        return packet

    def get(self, packet_id: str) -> OpenPacket | None:
        """Return the open packet with that id, or None."""
        return self._open.get(packet_id)

    def close(self, packet_id: str) -> bool:
        """Close a packet and cancel its timers; return whether it was open."""
        self._judgements.cancel(packet_id)
        self._queries.cancel(packet_id)
        was_open = self._open.pop(packet_id, None) is not None
        if not self._open and self._looking is not None:
            self._looking.cancel()
            self._looking = None
        return was_open

    def confidence(self, folder: Folder, source_id: str, start_line: int) -> float:
        """Return the coordinate confidence of the latest packet that points to this line, 1 if none does."""
        for packet in reversed(list(self)):
            if packet.folder is folder and any(
                (each.source_id, each.start_line) == (source_id, start_line) for each in packet.pointers
            ):
                return packet.confidence
        return 1.0

    def points_at(self, place: FileInFolder) -> bool:
        """Return whether a pointer of an open packet leads to this file."""
        return any(packet.folder is place.folder and place.path in packet.paths for packet in self)

    async def was_opened(self, place: FileInFolder, at: float) -> None:
        """Record that the user opened this file at ``at``: in the trail, and where a pointer led to it, as a signal of
        use.
        """
        is_followed = self.points_at(place)
        workspace = await place.folder.workspace()
        if not (is_followed or place.folder.records_trail or workspace.records_trail()):
            return

        def act(helix: Helix, *_: Any) -> None:
            if is_followed:
                helix.memory.sessions.note_use(self._connection.session, [source_id_of(place.path)])
            helix.note_opened(source_id_of(place.path), at)

        await self._connection.ask(place.folder, act)

    def close_all(self, folder: Folder | None = None) -> None:
        """Close every packet, or every packet of a folder."""
        for packet in self:
            if folder is None or packet.folder is folder:
                self.close(packet.id)

    def changed(self, folder: Folder, path: bytes | None = None) -> None:
        """Schedule the judgement of the packets affected by a change in a folder, or in one buffer."""
        for packet in self:
            if packet.folder is folder and (path is None or path in packet.paths):
                self._soon(packet)

    def written(self, folder: Folder, paths: frozenset[bytes]) -> None:
        """Schedule the judgement of packets with just written files: verdicts read the disk and need no index."""
        for packet in self:
            if packet.folder is folder and not packet.paths.isdisjoint(paths):
                self._soon(packet, WRITTEN_QUIET_S)

    def ask_again(self, folder: Folder) -> None:
        """Schedule the queries of a folder's latest packets again, as files changed or the index has grown."""
        for packet in list(self)[-MOST_ASKED:]:
            if packet.folder is folder:
                self._ask_soon(packet)

    async def targets(self, packet: OpenPacket) -> list[dict[str, Any]]:
        """Judge a packet now and return its refresh targets."""
        await self._judge(packet)
        return packet.sent_targets

    def _soon(self, packet: OpenPacket, quiet_s: float = QUIET_S) -> None:
        self._judgements.soon(packet.id, quiet_s, lambda: self._begin(packet))

    def _begin(self, packet: OpenPacket) -> None:
        if packet.id in self._judging:
            self._again.add(packet.id)
        elif packet.id in self._open:
            self._connection.spawn(self._judge(packet), "judging an open packet")

    def _ask_soon(self, packet: OpenPacket) -> None:
        """Debounce the repeated query: run it when changes pause, or after ``ASK_LONGEST_WAIT_S`` seconds."""
        self._queries.soon(packet.id, ASK_QUIET_S, lambda: self._begin_asking(packet))

    def _begin_asking(self, packet: OpenPacket) -> None:
        if packet.id in self._open:
            self._connection.spawn(self._ask(packet), "asking an open packet again")

    async def _ask(self, packet: OpenPacket) -> None:
        async with packet.turn:
            try:
                answer = await self._connection.ask(packet.folder, packet.act)
            except HelixError:
                # The verdicts and the status report the problem; the next change runs the query again.
                return
            if packet.id not in self._open:
                return
            news = packet.renew(answer)
            if news is not None:
                params = {"packet_id": packet.id, "workspace": packet.folder.uri, **news}
                self._connection.protocol.notify(METHOD, params)
        self._soon(packet)

    async def _judge(self, packet: OpenPacket) -> None:
        async with packet.turn:
            self._judging.add(packet.id)
            try:
                judged, plan = await self._verdicts(packet)
            finally:
                self._judging.discard(packet.id)
                if packet.id in self._again:
                    self._again.discard(packet.id)
                    self._soon(packet)
            if packet.id in self._open:
                self._send(packet, judged, plan)

    async def _verdicts(self, packet: OpenPacket) -> tuple[list[Judged], list[RefreshTarget]]:
        packet.is_unsure = False
        try:
            return await self._connection.ask(packet.folder, _judging(packet), catches_up=False)
        except WorkspaceError:
            return all_lost(packet.pointers, Reason.GONE, TaskType(packet.task), packet.confidence)
        except BusyStoreError:
            packet.is_unsure = True
            raise
        except StoreError:
            return all_lost(packet.pointers, Reason.UNREADABLE, TaskType(packet.task), packet.confidence)

    def _look_around(self) -> None:
        """Poll: judge packets of folders whose watcher is off, or whose index is busy, paused or in error."""
        for packet in self:
            status = packet.folder.status()
            if packet.is_unsure or status.state not in LEVEL or status.watching == "off":
                self._soon(packet)
            growth = (status.state, status.files, status.done)
            if packet.is_partial and packet.grown_to != growth:
                packet.grown_to = growth
                self.ask_again(packet.folder)
        self._rest()

    def _rest(self) -> None:
        """Schedule the next poll while a packet is open."""
        self._looking = None
        if self._open:
            wait_s = max(LOOK_S, LOOK_S_EACH * len(self._open))
            self._looking = asyncio.get_running_loop().call_later(wait_s, self._look_around)

    def _send(self, packet: OpenPacket, judged: list[Judged], plan: Sequence[RefreshTarget]) -> None:
        packet.judged = judged
        items, targets = [_as_judged(each) for each in judged], [target_object(each) for each in plan]
        if (items, targets) != (packet.sent_items, packet.sent_targets):
            packet.sent_items, packet.sent_targets = items, targets
            params = {
                "packet_id": packet.id,
                "workspace": packet.folder.uri,
                "items": items,
                "refresh_targets": targets,
            }
            self._connection.protocol.notify(METHOD, params)
        self._judged(packet)


@dataclass(frozen=True, slots=True)
class QueryParams:
    """The parameters of a packet's query, kept to run it again."""

    k: int
    hints: Hints
    act: Act[dict[str, Any]]


def _items(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [item for status in Status for item in answer[status.value]]


def _key(item: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the identity of an item across answers: its file, its text and its symbol."""
    return item["source_id"], item["gene_id"], item["symbol"]


def _named(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("source_id", "gene_id", "symbol", "start_line", "end_line")}


def _compared_parts(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the visible parts of an answer for comparison; verdicts and lines have notifications of their own."""
    share = answer["accounting"].get("indexed_share", 1.0)
    sure = (round(answer["coordinate_confidence"], 2), answer["known_empty"], share, answer["notes"])
    return ([_key(item) for item in _items(answer)], *sure)


def _judging(packet: OpenPacket) -> Act[tuple[list[Judged], list[RefreshTarget]]]:
    def judge(
        helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]
    ) -> tuple[list[Judged], list[RefreshTarget]]:
        return helix.judge(
            packet.pointers, task=packet.task, overlays=overlays, confidence=packet.confidence, cancelled=cancelled
        )

    return judge


def _pointer(item: Mapping[str, Any]) -> Pointer:
    names = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")
    return Pointer(**{name: item[name] for name in names})


def _as_shown(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of an item that the client knows from the packet itself."""
    lines = {"start_line": item["start_line"], "end_line": item["end_line"]}
    return {
        "source_id": item["source_id"],
        "gene_id": item["gene_id"],
        "symbol": item["symbol"],
        **lines,
        "status": item["status"],
        "reason": item["reason"],
        "detail": item.get("detail", ""),
        "now": item.get("buffer", lines),
    }


def _as_judged(judged: Judged) -> dict[str, Any]:
    pointer, verdict = judged.pointer, judged.verdict
    now = judged.buffer or (judged if judged.start_line else None)
    return {
        "source_id": pointer.source_id,
        "gene_id": pointer.gene_id,
        "symbol": pointer.symbol,
        "start_line": pointer.start_line,
        "end_line": pointer.end_line,
        "status": verdict.status.value,
        "reason": verdict.reason.value,
        "detail": verdict.detail,
        "now": {"start_line": now.start_line, "end_line": now.end_line} if now is not None else None,
    }


def stale(packet: OpenPacket) -> Sequence[Judged]:
    """Return the pointers of a packet that are not verified now."""
    return [judged for judged in packet.judged if judged.verdict.status is not Status.VERIFIED]
