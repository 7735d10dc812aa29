"""One agent's session: its folder, the packets it was given, and what each tool answers."""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helix_core.errors import HelixError, UsageError
from helix_core.printable import one_line
from helix_core.window.tokens import estimate
from helix_ls.mcp.asking import Asks
from helix_ls.mcp.outgoing import MOST_CHARACTERS, as_text, cleaned, cleaned_sentence, fitted
from helix_ls.mcp.roots import RootChoice
from helix_ls.mcp.tools import SAME_AS, ToolWords, checked

_PLACE = ("source_id", "start_line", "end_line", "symbol")


def preview(window: Mapping[str, Any]) -> dict[str, Any]:
    """``helix.context/1`` without its text, as ``helix.preview/1``."""
    kept = ("query", "workspace", "tokens", "budget", "budget_tier", "known_empty", "nearest", "left_out", "notes")
    return {
        "schema": "helix.preview/1",
        **{name: window[name] for name in kept},
        "blocks": [
            {name: block[name] for name in (*_PLACE, "gene_id", "status", "reason", "tokens", "hidden_lines")}
            for block in window["blocks"]
        ],
        "facts": len(window["facts"]),
        "context_health": window["context_health"],
    }


def resonance(found: Mapping[str, Any]) -> dict[str, Any]:
    """``helix.search/1`` by ranker, as ``helix.resonance/1``: ``share`` is its mean share of a place's score."""
    shares: Counter[str] = Counter()
    heard: dict[str, list[tuple[int, int]]] = {}
    for number, item in enumerate(found["items"]):
        for signal in item["signals"]:
            shares[signal["ranker"]] += signal["share"]
            heard.setdefault(signal["ranker"], []).append((signal["rank"], number))
    count = max(1, len(found["items"]))
    return {
        "schema": "helix.resonance/1",
        "query": found["query"],
        "rankers": [
            {
                "ranker": ranker,
                "share": round(share / count, 4),
                "places": len(heard[ranker]),
                "best_rank": min(heard[ranker])[0],
                "strongest": {name: found["items"][min(heard[ranker])[1]][name] for name in _PLACE},
            }
            for ranker, share in shares.most_common()
        ],
        "items": [{name: item[name] for name in (*_PLACE, "score", "signals")} for item in found["items"]],
        "known_empty": found["known_empty"],
        "confidence": found["confidence"],
        "notes": found["notes"],
    }


def tokens(answers: Mapping[str, int], given: Mapping[str, int]) -> dict[str, Any]:
    """``helix.tokens/1``: answers and their estimated tokens, by tool."""
    return {
        "schema": "helix.tokens/1",
        "is_estimate": True,
        "answers": sum(answers.values()),
        "tokens": sum(given.values()),
        "by_tool": [{"tool": tool, "answers": answers[tool], "tokens": given[tool]} for tool in sorted(answers)],
    }


_VARIABLES = ("HELIX_CACHE_DIR", "HELIX_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")
_SHOWN_BYTES = (40_000, 8_000)


@dataclass(frozen=True, slots=True)
class Scope:
    """``others`` are the names of open folders the question did not choose between; ``asker`` names the session."""

    asking: Asks
    folder: Path
    others: tuple[str, ...] = ()
    asker: str = ""

    async def ask(self, method: str, **params: Any) -> Any:
        """A call about the folder."""
        return await self.asking.ask(method, path=str(self.folder), asker=self.asker, **params)

    async def lines(self, source_id: str, task: str, **lines: int) -> dict[str, Any]:
        """Whole lines, as many as may leave: escapes can make a text several times as long as its bytes."""
        for most_bytes in _SHOWN_BYTES:
            raw = await self.ask("helix.open", source_id=source_id, task=task, most_bytes=most_bytes, **lines)
            answer = cleaned(raw, places(os.environ, self.folder))
            if len(as_text(answer)) <= MOST_CHARACTERS:
                break
        return answer | {"escaped": answer["text"] != raw["text"]}

    def fit(self, answer: dict[str, Any], text: int = 0) -> dict[str, Any]:
        """Cleaned and cut to size; a ``text`` of so many characters has its own budget."""
        if self.others and "notes" in answer:
            said = f"this is about {self.folder.name} only; workspace chooses another: {', '.join(self.others)}"
            answer = answer | {"notes": [*answer["notes"], said]}
        workspace = {"workspace": one_line(self.folder.name)} if "workspace" in answer else {}
        return fitted(cleaned(answer, places(os.environ, self.folder)) | workspace, MOST_CHARACTERS + 2 * text)


def places(environ: Mapping[str, str], *folders: Path) -> dict[str, str]:
    """The folders of this machine that words could name, and what is said in their stead."""
    named = {environ[name]: f"${name}" for name in _VARIABLES if len(environ.get(name, "")) > 1}
    home = os.path.expanduser("~")
    if len(home) > 1:
        named[home] = "~"
    for folder in folders:
        named |= {path: folder.name for path in (str(folder), os.path.realpath(folder)) if len(path) > 1}
    return named


MOST_PACKETS = 20
_GROUPS = ("verified", "stale_risk", "needs_refresh")
_POINTS = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")


@dataclass(frozen=True, slots=True)
class GivenPacket:
    """A packet that was given: as it left, as it points, and where it was asked."""

    scope: Scope
    answer: dict[str, Any]
    pointers: list[dict[str, Any]]
    task: str
    confidence: float


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What a session knows of the rest: the server's sessions, announced restarts, and whose notes it keeps."""

    sessions: Callable[[], Sequence[AgentSession]] = tuple
    servers: Callable[[], list[dict[str, Any]]] = list
    layers: Mapping[str, str] = field(default_factory=dict)


ALONE = ServerFacts()
Act = Callable[[Scope, dict[str, Any]], Awaitable[dict[str, Any]]]


class AgentSession:
    """Belongs to one event loop. ``folders`` are asked with every question: the client may choose others."""

    def __init__(self, asking: Asks, folders: RootChoice, known: ServerFacts = ALONE) -> None:
        self._asking, self._folders, self._known = asking, folders, known
        self.packets: OrderedDict[str, GivenPacket] = OrderedDict()
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
            "helix_metrics_tokens": lambda: tokens(self._answers, self._tokens),
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
        self.packets[number] = GivenPacket(scope, answer, pointers, task, raw["coordinate_confidence"])
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
        return scope.fit(preview(await scope.ask("helix.context", **asked)))

    async def _resonance(self, scope: Scope, given: dict[str, Any]) -> dict[str, Any]:
        return scope.fit(resonance(await scope.ask("helix.search", question=given["question"], k=given["max_results"])))

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

    async def _again(self, pointer: dict[str, Any], packet: GivenPacket, task: str) -> dict[str, Any]:
        """Where the item stands now."""
        judged = await _judged(packet, [pointer], task)
        lines = judged["items"][0]["now"] or {name: pointer[name] for name in ("start_line", "end_line")}
        return await packet.scope.lines(pointer["source_id"], task, **lines)


async def _judged(packet: GivenPacket, items: list[dict[str, Any]], task: str) -> Any:
    return await packet.scope.ask("helix.judge", items=items, task=task, confidence=packet.confidence)
