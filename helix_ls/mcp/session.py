"""One client's session: its folder, the packets it was given, and what each tool answers.

Knows no protocol: arguments in, an object fit to leave out. Raises HelixError, whose sentence the client is told.
"""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from helix_core.errors import HelixError, UsageError
from helix_core.window.tokens import estimate
from helix_ls.mcp import more
from helix_ls.mcp.asking import Asks
from helix_ls.mcp.fields import checked
from helix_ls.mcp.outgoing import as_text, cleaned, cleaned_sentence
from helix_ls.mcp.roots import Choice
from helix_ls.mcp.scope import Scope, places
from helix_ls.mcp.tool_words import ToolWords
from helix_ls.mcp.tools import SAME_AS

MOST_PACKETS = 20
_GROUPS = ("verified", "stale_risk", "needs_refresh")
_POINTS = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")


@dataclass(frozen=True, slots=True)
class Given:
    """A packet that was given: as it left, as it points, and where it was asked."""

    scope: Scope
    answer: dict[str, Any]
    pointers: list[dict[str, Any]]
    task: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Known:
    """What a session knows of the rest: the server's sessions, announced restarts, and whose notes it keeps."""

    sessions: Callable[[], Sequence[Session]] = tuple
    servers: Callable[[], list[dict[str, Any]]] = list
    layers: Mapping[str, str] = field(default_factory=dict)


ALONE = Known()
Act = Callable[[Scope, dict[str, Any]], Awaitable[dict[str, Any]]]


class Session:
    """Belongs to one event loop. ``folders`` are asked with every question: the client may choose others."""

    def __init__(self, asking: Asks, folders: Choice, known: Known = ALONE) -> None:
        self._asking, self._folders, self._known = asking, folders, known
        self.packets: OrderedDict[str, Given] = OrderedDict()
        self.client = ""
        self._name = os.urandom(8).hex()
        self._count = 0
        self._answers: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        self._began = self._asked = time.monotonic()
        self._acts: dict[str, Act] = {
            "helix_context_packet": self._packet,
            "helix_search": self._search,
            "helix_context": self._context,
            "helix_refresh_targets": self._refresh_targets,
            "helix_open": self._open,
            "helix_status": self._status,
            "helix_explain": self._explain,
            "helix_neighbors": self._neighbors,
            "helix_gene_get": self._gene,
            "helix_splice_preview": self._preview,
            "helix_resonance": self._resonance,
            "helix_ingest": self._ingest,
            "helix_consolidate": self._consolidate,
            "helix_forget": self._forget,
        }
        self._own: dict[str, Callable[[], dict[str, Any]]] = {
            "helix_metrics_tokens": lambda: more.tokens(self._answers, self._tokens),
            "helix_sessions_list": self._sessions,
            "helix_session_recent": self.listed,
            "helix_bridge_status": lambda: {"schema": "helix.bridge/1", "servers": self._known.servers()},
        }

    async def call(self, tool: ToolWords, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the tool answers, fit to leave."""
        self._asked = time.monotonic()
        given = checked(tool.fields, arguments)
        name = SAME_AS.get(tool.name, tool.name)
        if name in self._own:
            answer = cleaned(self._own[name](), places(os.environ, *self._folders.all()))
        else:
            answer = await self._acts[name](self._scope(given.get("workspace")), given)
        self._answers[tool.name] += 1
        self._tokens[tool.name] += estimate(as_text(answer))
        return answer

    def about(self, *, is_this: bool) -> dict[str, Any]:
        """For a list of sessions."""
        now = time.monotonic()
        return {
            "client": self.client,
            "is_this": is_this,
            "answers": sum(self._answers.values()),
            "packets": len(self.packets),
            "age_s": round(now - self._began, 1),
            "idle_s": round(now - self._asked, 1),
        }

    def sentence(self, error: HelixError) -> str:
        """What a client is told of a failure."""
        return cleaned_sentence(str(error), places(os.environ, *self._folders.all()))

    def listed(self) -> dict[str, Any]:
        """The packets of this session, newest first."""
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

    async def _packet(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        task, most = given["task_type"], given["max_tokens"]
        asked = {"question": given["question"], "task": task, "k": given["max_items"], "max_tokens": most}
        raw = await scope.ask("helix.packet", **asked)
        self._count += 1
        number = str(self._count)
        answer = scope.fit(raw | {"packet_id": number})
        pointers = [{name: item[name] for name in _POINTS} for group in _GROUPS for item in raw[group]]
        self.packets[number] = Given(scope, answer, pointers, task, raw["coordinate_confidence"])
        while len(self.packets) > MOST_PACKETS:
            self.packets.popitem(last=False)
        return answer

    async def _search(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        return scope.fit(await scope.ask("helix.search", question=given["question"], k=given["max_results"]))

    async def _context(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        raw = await scope.ask(
            "helix.context",
            question=given["question"],
            budget=given["budget"],
            decoder=given["decoder_mode"],
            model=given["downstream_model"],
        )
        return scope.fit(raw, len(raw["text"]))

    async def _preview(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        asked = {"question": given["question"], "budget": given["budget"]}
        return scope.fit(more.preview(await scope.ask("helix.context", **asked)))

    async def _resonance(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        return scope.fit(
            more.resonance(await scope.ask("helix.search", question=given["question"], k=given["max_results"]))
        )

    async def _ingest(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        layers = {"agent_handle": self.client} | dict(self._known.layers)
        kept = {name: given[name] for name in ("content", "content_type", "title")}
        return scope.fit({"schema": "helix.ingested/1"} | await scope.ask("helix.ingest", layers=layers, **kept))

    async def _consolidate(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return scope.fit({"schema": "helix.consolidated/1"} | await scope.ask("helix.consolidate"))

    async def _forget(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        return scope.fit({"schema": "helix.forgotten/1"} | await scope.ask("helix.forget", gene_id=given["gene_id"]))

    async def _refresh_targets(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        number, question = given["packet_id"], given["question"]
        if (number is None) == (question is None):
            raise UsageError("give either packet_id, of an earlier packet, or question; call the tool again with one")
        if number is not None:
            packet = self.packets.get(number)
            if packet is None:
                known = ", ".join(self.packets) or "none yet"
                raise UsageError(f"there is no packet {number[:40]!a}; those of this session are {known}")
            raw = await _judged(packet, packet.pointers, packet.task)
            return packet.scope.fit(raw | {"packet_id": number, "task_type": packet.task})
        task = given["task_type"]
        raw = await scope.ask("helix.packet", question=question, task=task, k=given["max_items"])
        return scope.fit(
            {
                "schema": "helix.refreshPlan/1",
                "query": question,
                "task_type": task,
                "refresh_targets": raw["refresh_targets"],
                "counts": {group: len(raw[group]) for group in _GROUPS},
                "known_empty": raw["known_empty"],
                "notes": raw["notes"],
            }
        )

    async def _open(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        last = {} if given["end_line"] is None else {"end_line": given["end_line"]}
        first, task = given["start_line"], given["task_type"]
        return await scope.lines(given["source_id"], task, start_line=first, **last)

    async def _status(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return scope.fit(await scope.ask("helix.status") | {"mode": self._asking.mode})

    async def _explain(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        first, last, task = given["start_line"], given["end_line"], given["task_type"]
        return scope.fit(
            await scope.ask("helix.explain", source_id=given["source_id"], start_line=first, end_line=last, task=task)
        )

    async def _neighbors(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        raw = await scope.ask("helix.symbol", name=given["symbol"])
        if raw is None:
            raise UsageError(f"no definition here is named {given['symbol'][:80]!a}; look for it with helix_search")
        return scope.fit(raw)

    async def _gene(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        for packet in reversed(self.packets.values()):
            for pointer in packet.pointers:
                if pointer["gene_id"] == given["id"]:
                    return await self._again(pointer, packet, given["task_type"])
        raise UsageError("no packet of this session has an item of that id; ask for one with helix_context_packet")

    async def _again(self, pointer: dict[str, Any], packet: Given, task: str) -> dict[str, Any]:
        """Where the item stands now."""
        judged = await _judged(packet, [pointer], task)
        lines = judged["items"][0]["now"] or {name: pointer[name] for name in ("start_line", "end_line")}
        return await packet.scope.lines(pointer["source_id"], task, **lines)


async def _judged(packet: Given, items: list[dict[str, Any]], task: str) -> Any:
    return await packet.scope.ask("helix.judge", items=items, task=task, confidence=packet.confidence)
