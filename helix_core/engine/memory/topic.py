"""Gather what is remembered of a topic in one answer: memories, the lines they cite as they are now, what they rest
on, and the contradictions that are undecided.

In: a question and a budget of tokens. Out: the ``helix.memoryContext/1`` object, never over the budget. Reads the cited
lines as ``helix.open`` does; changes nothing but the lines of a citation whose text has moved.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.engine.memory.recalling import (
    RESERVED,
    JudgedMemory,
    Recalling,
    masked_now,
    nearest_object,
    recalled_memory,
)
from helix_core.engine.opened import WorkspaceSession
from helix_core.engine.requests import NO_OVERLAYS, bounded_tokens, go_on
from helix_core.errors import UsageError
from helix_core.model import (
    CONFLICTS,
    DEPENDS_ON,
    DERIVED_FROM,
    USABLE,
    LineSpan,
    MemoryLink,
    MemoryStatus,
    StoredMemory,
    TaskType,
)
from helix_core.packet import affordable, estimated_tokens, memory_entry
from helix_core.store import Memory
from helix_core.tokens import estimate

TOPIC_SCHEMA = "helix.memoryContext/1"
MOST_CONFLICTS = 8
_MOST_CITED_BYTES, _ECHOED = 6_000, 200


@dataclass(frozen=True, slots=True)
class TopicRequest:
    """A topic, or none for what matters most: at most ``k`` memories of these kinds (none: all), in at most
    ``max_tokens`` of JSON.
    """

    question: str
    k: int = 8
    task: TaskType = TaskType.EXPLAIN
    kinds: tuple[str, ...] = ()
    max_tokens: int = 2_000
    scope: str = "all"

    def checked(self) -> TopicRequest:
        """Return the request. Raises UsageError."""
        bounded_tokens(self.max_tokens)
        return self


class Topic:
    """Collect the memories of one topic. Use an instance once."""

    def __init__(self, session: WorkspaceSession, wanted: TopicRequest) -> None:
        self._session, self._wanted = session, wanted
        self._started = time.monotonic()

    def of(self, memory: Memory) -> dict[str, Any]:
        """Return the ``helix.memoryContext/1`` object."""
        wanted = self._wanted
        recalling = Recalling(self._session, memory, time.time())
        if wanted.question.strip():
            found = recalling.found(wanted.question, wanted.k, wanted.kinds, None, wanted.scope)
        else:
            found = recalling.foremost(wanted.k, wanted.kinds, wanted.scope)
        judged = recalling.judged(found, wanted.task, heals=True)
        links = memory.items.links(one.stored.id for one in judged)
        rests = _rests_on(memory, judged, links)
        entries = [memory_entry(recalled_memory(one)) | {"rests_on": rests[one.stored.id]} for one in judged]
        conflicts = self._conflicts(memory, recalling, judged, links)
        answer = self.nothing() | {"known_empty": not judged}
        room = wanted.max_tokens - RESERVED - estimated_tokens(answer)
        items = affordable(entries, room, _tokens)
        answer["items"], answer["left_out"] = list(items), len(entries) - len(items)
        open_ones = affordable(conflicts, wanted.max_tokens - RESERVED - estimated_tokens(answer), _tokens)
        answer["conflicts"] = list(open_ones)
        nearest = [nearest_object(one) for one in recalling.nearest]
        answer["nearest"] = list(affordable(nearest, room, _tokens))
        self._add_lines(answer)
        answer["tokens"] = estimated_tokens(answer)
        answer["elapsed_ms"] = round((time.monotonic() - self._started) * 1e3, 1)
        return answer

    def nothing(self) -> dict[str, Any]:
        """Return the answer of an empty memory."""
        return {
            "schema": TOPIC_SCHEMA,
            "query": self._echo(),
            "task_type": self._wanted.task.value,
            "items": [],
            "conflicts": [],
            "known_empty": True,
            "nearest": [],
            "left_out": 0,
            "tokens": 0,
            "elapsed_ms": 0.0,
        }

    def _echo(self) -> str:
        """Return the beginning of the question, within an eighth of the budget."""
        echoed = self._wanted.question[:_ECHOED]
        while estimate(echoed) > self._wanted.max_tokens // 8 + 1:
            echoed = echoed[: len(echoed) // 2]
        return echoed

    def _conflicts(
        self, memory: Memory, recalling: Recalling, judged: Sequence[JudgedMemory], links: Sequence[MemoryLink]
    ) -> list[dict[str, Any]]:
        """Return the pairs of memories that contradict each other and are both in force, each pair once."""
        contested = {one.stored.id for one in judged if one.stored.status is MemoryStatus.CONTESTED}
        pairs = sorted({(min(link.src, link.dst), max(link.src, link.dst)) for link in links if link.rel == CONFLICTS})
        pairs = [pair for pair in pairs if contested & set(pair)]
        known = {one.stored.id: one for one in judged}
        others = memory.items.by_ids({id_ for pair in pairs for id_ in pair} - known.keys())
        usable = [(one, 0.0) for one in others if one.status in USABLE]
        known |= {one.stored.id: one for one in recalling.judged(usable, self._wanted.task, heals=False)}
        return [
            {"memories": [_side(known[id_]) for id_ in pair]} for pair in pairs if all(id_ in known for id_ in pair)
        ][:MOST_CONFLICTS]

    def _add_lines(self, answer: dict[str, Any]) -> None:
        """Add the cited lines, best memory first, as many citations as fit; what is gone or changed has none."""
        cited = [each for one in answer["items"] for each in one["evidence"] if each["status"] != "needs_refresh"]
        room = self._wanted.max_tokens - RESERVED - estimated_tokens(answer) if cited else 0
        for each in cited:
            lines = LineSpan(each["start_line"], each["end_line"])
            text = self._text(each["source_id"], lines)
            cost = estimated_tokens({"text": text}) + 1
            if text and cost <= room:
                each["text"] = text
                room -= cost

    def _text(self, source_id: str, lines: LineSpan) -> str:
        """Return the lines as they are on disk, secrets masked; empty for a file that is not shown to anybody."""
        from helix_core.engine.verdict import Shown, reason_now

        session = self._session
        git, options = session.git_facts.git, session.file_options()
        weigher = session.weigher(NO_OVERLAYS, go_on, mends=False)
        reading = Shown(session.index.reader, weigher, lambda path: reason_now(session.root, git, options, path))
        try:
            found = reading.of(source_id, lines, self._wanted.task, _MOST_CITED_BYTES)
        except UsageError:
            # Its verdict says that the file cannot be read; a topic has no other use for the reason.
            return ""
        return "" if found["more"] else str(found["text"])


def _rests_on(
    memory: Memory, judged: Sequence[JudgedMemory], links: Sequence[MemoryLink]
) -> dict[str, list[dict[str, Any]]]:
    """Return by memory what it depends on or is derived from."""
    parents = [link for link in links if link.rel in (DEPENDS_ON, DERIVED_FROM)]
    named: dict[str, StoredMemory] = {one.id: one for one in memory.items.by_ids({link.dst for link in parents})}
    rests: dict[str, list[dict[str, Any]]] = {one.stored.id: [] for one in judged}
    for link in parents:
        if link.src in rests:
            one = named.get(link.dst)
            known = {"id": "", "text": "", "state": "purged"}
            if one is not None:
                known = {"id": one.fact.handle, "text": masked_now(one.fact.text)[:200], "state": one.status.value}
            rests[link.src].append({"relation": link.rel} | known)
    return rests


def _side(one: JudgedMemory) -> dict[str, Any]:
    """Return one side of a contradiction."""
    side = memory_entry(recalled_memory(one))
    names = ("id", "kind", "text", "status", "reason", "origin")
    return {name: side[name] for name in names} | {"at": one.stored.at / 1e3}


def _tokens(entry: dict[str, Any]) -> int:
    return estimated_tokens(entry) + 1
