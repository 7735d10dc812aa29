"""One agent's session: its folder, a bounded history of its packets, and the handler of each tool."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from helix_core.errors import HelixError, UsageError
from helix_core.memory import UNNAMED
from helix_core.packet import LEAST_TOKENS
from helix_core.printable import count, inert_line, one_line
from helix_core.tokens import estimate
from helix_ls.mcp.asking import Asks
from helix_ls.mcp.outgoing import MOST_CHARACTERS, as_text, cleaned, cleaned_sentence, cleaned_text, fitted
from helix_ls.mcp.roots import RootChoice
from helix_ls.mcp.text import rendered
from helix_ls.mcp.tools import ToolWords
from helix_ls.operations.arguments import Operation, as_json
from helix_ls.operations.memory import (
    AGENT_ORIGIN,
    EDIT,
    FORGET,
    INGEST,
    LAYERS,
    RELATE,
    REMEMBER,
    RESTORE,
    EditArguments,
    ForgetArguments,
    IngestArguments,
    MemoryIdArguments,
    RelateArguments,
    RememberArguments,
)
from helix_ls.operations.places import (
    NAMES,
    OPEN,
    PATHS,
    STATUS,
    ItemArguments,
    OpenArguments,
    PathsArguments,
    StatusArguments,
    TypedArguments,
)
from helix_ls.operations.questions import (
    CONTEXT,
    LONGEST_NAME,
    LONGEST_PATH,
    PACKET,
    PLAN,
    ContextArguments,
    PacketArguments,
    PlanArguments,
)
from helix_ls.operations.validation import validated


def tokens(answers: Mapping[str, int], given: Mapping[str, int]) -> dict[str, Any]:
    """Return the ``helix.tokens/1`` object: answers and their estimated tokens, by tool."""
    return {
        "schema": "helix.tokens/1",
        "is_estimate": True,
        "answers": sum(answers.values()),
        "tokens": sum(given.values()),
        "by_tool": [{"tool": tool, "answers": answers[tool], "tokens": given[tool]} for tool in sorted(answers)],
    }


A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's answer: the sanitized object, and the text for a model. ``is_whole`` asks for the object as JSON."""

    structured: dict[str, Any]
    text: str
    is_whole: bool = False


_VARIABLES = ("HELIX_CACHE_DIR", "HELIX_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")
_SHOWN_BYTES = (40_000, 8_000)


@dataclass(frozen=True, slots=True)
class Scope:
    """The folder of one call. ``others`` are the names of other open folders; ``asker`` is the id of the session."""

    asking: Asks
    folder: Path
    others: tuple[str, ...] = ()
    asker: str = ""

    async def ask(self, method: str, **params: Any) -> Any:
        """Send a call about the folder to the daemon and return its result."""
        return await self.asking.ask(method, path=str(self.folder), asker=self.asker, **params)

    async def answer(self, operation: Operation[A], given: A) -> Any:
        """Run an operation in the daemon with these arguments and return its answer."""
        params = {each.name: as_json(getattr(given, each.name), each.item) for each in operation.parameters("daemon")}
        return await self.ask(f"helix.{operation.name}", **params)

    async def lines(self, given: OpenArguments) -> dict[str, Any]:
        """Return whole lines within the size limit; escapes can make a text several times as long as its bytes."""
        for most_bytes in _SHOWN_BYTES:
            raw = await self.answer(OPEN, replace(given, most_bytes=most_bytes))
            answer = cleaned(raw, places(os.environ, self.folder))
            if len(as_text(answer)) <= MOST_CHARACTERS:
                break
        return answer | {"escaped": answer["text"] != raw["text"]}

    def fit(self, answer: dict[str, Any], text: int = 0) -> dict[str, Any]:
        """Sanitize and truncate an answer; a ``text`` of so many characters has its own budget."""
        if self.others and "notes" in answer:
            answer = answer | {"notes": [*answer["notes"], *self.other_folders()]}
        workspace = {"workspace": one_line(self.folder.name)} if "workspace" in answer else {}
        return fitted(cleaned(answer, places(os.environ, self.folder)) | workspace, MOST_CHARACTERS + 2 * text)

    def other_folders(self) -> list[str]:
        """Return the note that names the other open folders, if there are any."""
        named = ", ".join(self.others)
        return [f"this is about {self.folder.name} only; workspace chooses another: {named}"] if named else []


def _within_budget(scope: Scope, given: PacketArguments) -> tuple[Scope, PacketArguments]:
    """Take what the note about other folders costs from the budget of a packet; leave it out where it has no room."""
    if given.max_tokens is None or not scope.others:
        return scope, given
    left = given.max_tokens - estimate(json.dumps(scope.other_folders()))
    if left < LEAST_TOKENS:
        return replace(scope, others=()), given
    return scope, given._replace(max_tokens=left)


def places(environ: Mapping[str, str], *folders: Path) -> dict[str, str]:
    """Return the folders of this machine that texts could name, with their replacements."""
    named = {environ[name]: f"${name}" for name in _VARIABLES if len(environ.get(name, "")) > 1}
    home = os.path.expanduser("~")
    if len(home) > 1:
        named[home] = "~"
    for folder in folders:
        named |= {path: folder.name for path in (str(folder), os.path.realpath(folder)) if len(path) > 1}
    return named


MOST_PACKETS = 20
# The key of a tool's own text in its answer until the answer is returned.
_TEXT = " text"
_GROUPS = ("verified", "stale_risk", "needs_refresh")
_POINTS = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")


@dataclass(frozen=True, slots=True)
class GivenPacket:
    """A packet in the session's history: the answer as sent, its pointers, and the scope and task of its query."""

    scope: Scope
    answer: dict[str, Any]
    pointers: list[dict[str, Any]]
    task: str
    confidence: float


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """Facts of the server around a session: all sessions, announced restarts, and the attribution of notes."""

    sessions: Callable[[], Sequence[AgentSession]] = tuple
    servers: Callable[[], list[dict[str, Any]]] = list
    layers: Mapping[str, str] = field(default_factory=dict)


ALONE = ServerFacts()
PROGRESS_S = 1.0
LOG = logging.getLogger("helix")


class ReportsProgress(Protocol):
    """Reports to a client how far its request is: ``progress`` increases, ``message`` says what is being done."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


Act = Callable[[Scope, Any], Awaitable[dict[str, Any]]]


class AgentSession:
    """One agent's session, bound to an event loop. ``folders`` is read at every call, as roots may change."""

    def __init__(self, asking: Asks, folders: RootChoice, known: ServerFacts = ALONE) -> None:
        self._asking, self._folders, self._known = asking, folders, known
        self.packets: OrderedDict[str, GivenPacket] = OrderedDict()
        self.client = ""
        self._name = os.urandom(8).hex()
        self._count = 0
        self._answers: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        self._began = self._last_call_at = time.monotonic()
        # Tools that do more than sanitize the daemon's answer.
        self._acts: dict[str, Act] = {
            "packet": self._packet,
            "context": self._context,
            "plan": self._plan,
            "open": self._open,
            "status": self._status,
            "item": self._item,
            "ingest": self._ingest,
            "remember": self._remember,
            "edit": self._edit,
            "relate": self._relate,
            "restore": self._restore,
            "forget": self._forget,
        }
        self._own: dict[str, Callable[[], dict[str, Any]]] = {
            "tokens": lambda: tokens(self._answers, self._tokens),
            "sessions": self._sessions,
            "recent_packets": self.listed,
            "servers": lambda: {"schema": "helix.bridge/1", "servers": self._known.servers()},
        }

    async def call(
        self, tool: ToolWords, arguments: Mapping[str, Any], report: ReportsProgress | None = None
    ) -> ToolAnswer:
        """Validate the arguments, run the tool and return its sanitized answer; ``report`` is called while that takes
        longer than ``PROGRESS_S``. Raises HelixError.
        """
        self._last_call_at = time.monotonic()
        operation = tool.operation
        given = validated(operation, dict(arguments), "mcp", tool.shown, tool.unlisted)
        if own := self._own.get(operation.name):
            answer = cleaned(own(), places(os.environ, *self._folders.all()))
        else:
            scope = self._scope(getattr(given, "workspace", None))
            async with _reporting(scope, report):
                if act := self._acts.get(operation.name):
                    answer = await act(scope, given)
                else:
                    answer = scope.fit(await scope.answer(operation, given))
        is_whole = getattr(given, "format", "") == "json"
        text = answer.pop(_TEXT, None) or rendered(answer)
        answered = ToolAnswer(answer, as_text(answer) if is_whole else text, is_whole)
        self._answers[tool.name] += 1
        self._tokens[tool.name] += estimate(answered.text)
        return answered

    async def read(self, operation: Operation[A], given: A) -> dict[str, Any]:
        """Return the sanitized answer of an operation that changes nothing, for a resource. Raises HelixError."""
        scope = self._scope(getattr(given, "workspace", None))
        return scope.fit(await scope.answer(operation, given))

    def about(self, *, is_this: bool) -> dict[str, Any]:
        """Return the session's entry in the list of sessions; ages in seconds."""
        now = time.monotonic()
        return {
            "client": self.client,
            "is_this": is_this,
            "answers": sum(self._answers.values()),
            "packets": len(self.packets),
            "age_s": round(now - self._began, 1),
            "idle_s": round(now - self._last_call_at, 1),
        }

    def shown(self, text: str) -> str:
        """Return a text of the client sanitized, as it may be shown to a model."""
        return cleaned_text(text, places(os.environ, *self._folders.all()))

    async def paths(self, typed: str, k: int) -> list[str]:
        """Return at most ``k`` indexed files by what is typed of their path."""
        scope = self._scope(None)
        found = await scope.answer(PATHS, PathsArguments(typed[:LONGEST_PATH], k))
        return [str(path) for path in scope.fit(found)["paths"]]

    async def symbols(self, typed: str, k: int) -> list[str]:
        """Return at most ``k`` definitions by what is typed of their name."""
        scope = self._scope(None)
        items = (await scope.answer(NAMES, TypedArguments(typed[:LONGEST_PATH], k)))["items"]
        return list(dict.fromkeys(inert_line(item["symbol"]) for item in items if item["kind"] != "file"))

    def sentence(self, error: HelixError) -> str:
        """Return the text of an error, sanitized."""
        return cleaned_sentence(str(error), places(os.environ, *self._folders.all()))

    def listed(self) -> dict[str, Any]:
        """Return the ``helix.packets/1`` object: the packets of this session, newest first."""
        return {
            "schema": "helix.packets/1",
            "packets": [
                {
                    "packet_id": number,
                    "uri": f"helix://packets/{number}",
                    "query": given.answer["query"],
                    "task_type": given.task,
                    "items": len(given.pointers),
                }
                for number, given in reversed(self.packets.items())
            ],
        }

    def _sessions(self) -> dict[str, Any]:
        every = self._known.sessions() or (self,)
        return {"schema": "helix.sessions/1", "sessions": [each.about(is_this=each is self) for each in every]}

    def _scope(self, name: str | None) -> Scope:
        folder, others = self._folders.chosen(name)
        return Scope(self._asking, folder, others, self._name)

    async def _packet(self, scope: Scope, given: PacketArguments) -> dict[str, Any]:
        said_by, given = _within_budget(scope, given)
        raw = await scope.answer(PACKET, given._replace(as_text=True))
        text, shown = raw.pop("text"), raw.pop("text_items")
        self._count += 1
        number = str(self._count)
        answer = said_by.fit(raw | {"packet_id": number})
        items = [{name: item[name] for name in _POINTS} for group in _GROUPS for item in raw[group]]
        pointers = [*items, *(item for item in shown if item not in items)]
        self.packets[number] = GivenPacket(scope, answer, pointers, given.task_type, raw["coordinate_confidence"])
        while len(self.packets) > MOST_PACKETS:
            self.packets.popitem(last=False)
        safe = cleaned_text(text, places(os.environ, scope.folder))
        return answer | {_TEXT: "\n".join([safe, *said_by.other_folders(), f"packet_id {number}"])}

    async def _context(self, scope: Scope, given: ContextArguments) -> dict[str, Any]:
        raw = await scope.answer(CONTEXT, given)
        return scope.fit(raw, len(raw["text"]))

    async def _ingest(self, scope: Scope, given: IngestArguments) -> dict[str, Any]:
        layers = {"agent_handle": self.client} | dict(self._known.layers)
        known: dict[str, Any] = {name: value[:LONGEST_NAME] for name, value in layers.items() if name in LAYERS}
        return scope.fit(await scope.answer(INGEST, replace(given, **known)))

    async def _remember(self, scope: Scope, given: RememberArguments) -> dict[str, Any]:
        """Keep a memory as this client's: an agent's word, whatever it says of itself."""
        asserted = replace(given, origin=AGENT_ORIGIN, agent=self._agent)
        return scope.fit(await scope.answer(REMEMBER, asserted))

    async def _edit(self, scope: Scope, given: EditArguments) -> dict[str, Any]:
        """Edit a memory as this client's: where it is the user's, the new text waits for review."""
        asserted = replace(given, origin=AGENT_ORIGIN, agent=self._agent)
        return scope.fit(await scope.answer(EDIT, asserted))

    async def _restore(self, scope: Scope, given: MemoryIdArguments) -> dict[str, Any]:
        """Restore a memory as this client: the log says that an agent did it."""
        return scope.fit(await scope.answer(RESTORE, replace(given, agent=self._agent)))

    async def _forget(self, scope: Scope, given: ForgetArguments) -> dict[str, Any]:
        """Forget a memory, or delete a note, as this client."""
        return scope.fit(await scope.answer(FORGET, replace(given, agent=self._agent)))

    async def _relate(self, scope: Scope, given: RelateArguments) -> dict[str, Any]:
        return scope.fit(await scope.answer(RELATE, replace(given, agent=self._agent)))

    @property
    def _agent(self) -> str:
        """Return the name of the client, as that of an agent: never empty, which would be a person."""
        return (self._known.layers.get("agent_handle") or self.client)[:LONGEST_NAME] or UNNAMED

    async def _plan(self, scope: Scope, given: PlanArguments) -> dict[str, Any]:
        if given.packet_id is None:
            return scope.fit(await scope.answer(PLAN, given))
        packet = self.packets.get(given.packet_id)
        if packet is None:
            known = ", ".join(self.packets) or "none yet"
            raise UsageError(f"there is no packet {given.packet_id[:40]!a}; those of this session are {known}")
        raw = await _judged(packet, packet.pointers, packet.task)
        return packet.scope.fit(raw | {"packet_id": given.packet_id, "task_type": packet.task})

    async def _open(self, scope: Scope, given: OpenArguments) -> dict[str, Any]:
        return await scope.lines(given)

    async def _status(self, scope: Scope, given: StatusArguments) -> dict[str, Any]:
        return scope.fit(await scope.answer(STATUS, given) | {"mode": self._asking.mode})

    async def _item(self, scope: Scope, given: ItemArguments) -> dict[str, Any]:  # noqa: ARG002
        for packet in reversed(self.packets.values()):
            for pointer in packet.pointers:
                if pointer["gene_id"] == given.gene_id:
                    return await self._again(pointer, packet, given.task_type)
        raise UsageError("no packet of this session has an item of that id; ask for one with helix_context_packet")

    async def _again(self, pointer: dict[str, Any], packet: GivenPacket, task: str) -> dict[str, Any]:
        """Return the current lines of an item of an earlier packet."""
        judged = await _judged(packet, [pointer], task)
        place = judged["items"][0]["now"] or {name: pointer[name] for name in ("source_id", "start_line", "end_line")}
        return await packet.scope.lines(OpenArguments(task_type=task, **place))


@asynccontextmanager
async def _reporting(scope: Scope, report: ReportsProgress | None) -> AsyncIterator[None]:
    """Report progress for as long as the block runs, if anybody wants it."""
    if report is None:
        yield
        return
    reports = asyncio.create_task(_report(scope, report))
    try:
        yield
    finally:
        reports.cancel()
        await asyncio.wait((reports,))
        if not reports.cancelled() and (error := reports.exception()) is not None:
            LOG.warning("progress could not be reported: %s", type(error).__name__)


async def _report(scope: Scope, report: ReportsProgress) -> None:
    """Report the seconds that a call has taken, and what the index is doing, until it is cancelled.

    Files done are not a measure: a refresh counts them anew in each phase, and progress must increase.
    """
    began, doing = time.monotonic(), "starting"
    asked: asyncio.Future[Any] | None = None
    try:
        while True:
            await asyncio.sleep(PROGRESS_S)
            asked = asked or asyncio.ensure_future(scope.ask("helix.live"))
            await asyncio.wait((asked,), timeout=PROGRESS_S)
            if asked.done():
                doing = (asked.exception() is None and _doing(asked.result(), scope)) or doing
                asked = None
            await report(round(time.monotonic() - began, 3), None, doing)
    finally:
        if asked is not None:
            asked.cancel()


def _doing(live: Mapping[str, Any], scope: Scope) -> str:
    """Return what the index is doing, in words."""
    done = f", {live['done']:,} of {count(live['total'], 'file')}" if live["total"] else ""
    return cleaned_sentence(f"{live['state']}{done}", places(os.environ, scope.folder))


async def _judged(packet: GivenPacket, items: list[dict[str, Any]], task: str) -> Any:
    return await packet.scope.ask("helix.judge", items=items, task_type=task, confidence=packet.confidence)
