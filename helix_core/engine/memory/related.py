"""Expand an item: its enclosing symbol, adjacent chunks, users, tests and documents, and files related by import or
commits.

In: a gene_id or a place of a file. Out: the ``helix.expand/1`` object, each neighbor weighed as a packet's item is. One
link away, never ranked above the item itself, and read from the disk at this moment.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.engine.memory.notes import Recalled, item_of, weighed
from helix_core.engine.requests import DIRECTIONS, MOST_NEIGHBORS
from helix_core.engine.verdict import Weigher
from helix_core.errors import UsageError
from helix_core.model import NOTE_SCHEME, Item, NoteItem, Ranked, Signal, TaskType, Weighed
from helix_core.packet import item_object
from helix_core.search import related_sources
from helix_core.store import QueryBudgetError, Reader
from helix_core.words import IDENTIFIER
from helix_core.workspace import checked

EXPAND_SCHEMA = "helix.expand/1"
TRIED = 40


@dataclass(frozen=True, slots=True)
class ExpandRequest:
    """A place by the hash of its text, or by its file and line (1-based); ``delivered`` as in ``ContextRequest``."""

    gene_id: str = ""
    source_id: str = ""
    start_line: int = 0
    direction: str = "all"
    k: int = 5
    task: TaskType = TaskType.EXPLAIN
    delivered: frozenset[str] = frozenset()

    def checked(self) -> ExpandRequest:
        """Return the request. Raises UsageError."""
        if self.direction not in DIRECTIONS:
            raise UsageError(f"unknown direction {self.direction[:80]!a}; use one of {', '.join(DIRECTIONS)}")
        if not self.gene_id and not self.source_id:
            raise UsageError("no place is named; give gene_id, or source_id with start_line, as an answer has them")
        if not 1 <= self.k <= MOST_NEIGHBORS:
            raise UsageError(f"k is {self.k}; it must be from 1 to {MOST_NEIGHBORS}")
        return self


class Expansion:
    """The expansion of one place of a file. Use it once."""

    def __init__(self, reader: Reader, weigher: Weigher) -> None:
        self._reader, self._weigher = reader, weigher
        self.notes: list[str] = []

    def of(self, wanted: ExpandRequest, gene: bytes) -> dict[str, Any] | None:
        """Return the object; None where no file has such a place. ``gene`` is the id's bytes, empty without one."""
        item = self._item(wanted, gene)
        if item is None:
            return None
        chosen: dict[int, tuple[str, Item]] = {}
        for relation, one in self._around(item, wanted.direction):
            if one.id != item.id and one.id not in chosen:
                chosen[one.id] = (relation, one)
            if len(chosen) == wanted.k:
                break
        ranked = [
            Ranked(one, 1.0 / (place + 1), (Signal(relation, place, 1.0),), related=True)
            for place, (relation, one) in enumerate(chosen.values(), 1)
        ]
        found, _ = self._weigher.weigh([Ranked(item, 1.0, ()), *ranked], wanted.task)
        relations = [relation for relation, _ in chosen.values()]
        answer = to_wire(found[0], list(zip(relations, found[1:], strict=True)), wanted)
        return answer | {"notes": [*self._weigher.notes, *self.notes]}

    def _item(self, wanted: ExpandRequest, gene: bytes) -> Item | None:
        """Return the indexed item of the place after its file was read and, if changed, ingested again."""
        item = self._known(wanted, gene)
        if item is None:
            return None
        observed = self._weigher.observer.look(item.source)
        return (self._known(wanted, gene) or item) if observed.mended else item

    def _known(self, wanted: ExpandRequest, gene: bytes) -> Item | None:
        path = checked(wanted.source_id) if wanted.source_id else b""
        if gene:
            same = self._reader.files.items_with_text(gene)
            same = [item for item in same if not path or item.source.path == path]
            return min(same, key=lambda item: abs(item.start_line - wanted.start_line), default=None)
        source = self._reader.files.source(path)
        items = self._reader.files.items_of(source.id) if source is not None else []
        line = max(wanted.start_line, 1)
        return next((item for item in items if item.start_line <= line <= item.end_line), None)

    def _around(self, item: Item, direction: str) -> Iterator[tuple[str, Item]]:
        siblings = self._reader.files.items_of(item.source.id)
        at = next((place for place, one in enumerate(siblings) if one.id == item.id), None)
        if at is not None and direction in ("all", "backward"):
            yield from (("enclosing", one) for one in _enclosing(siblings[:at], item))
            yield from (("previous", one) for one in _some(siblings[:at][::-1], direction))
        if at is not None and direction in ("all", "forward"):
            yield from (("next", one) for one in _some(siblings[at + 1 :], direction))
        if direction in ("all", "sideways"):
            yield from self._linked(item)

    def _linked(self, item: Item) -> Iterator[tuple[str, Item]]:
        """Yield links by its name first, then by its file."""
        if IDENTIFIER.fullmatch(item.name):
            yield from self._named(item)
        kin = related_sources(self._reader, item)
        items = self._reader.files.items([id_ for _, id_ in kin])
        yield from ((relation, items[id_]) for relation, id_ in kin if id_ in items)

    def _named(self, item: Item) -> Iterator[tuple[str, Item]]:
        reader = self._reader
        ids = {
            "test": reader.names.tests_of(item.name, TRIED),
            "document": reader.uses.documents_mentioning(item.name, TRIED),
            "user": self._users(item.name),
        }
        items = reader.files.items([id_ for each in ids.values() for id_ in each])
        for relation, each in ids.items():
            yield from ((relation, items[id_]) for id_ in each if id_ in items)

    def _users(self, name: str) -> list[int]:
        try:
            return self._reader.text.references(name, TRIED)
        except QueryBudgetError:
            self.notes.append("not worked out within the budget of work: who uses the name")
            return []


def around_note(items: Sequence[NoteItem], number: int, wanted: ExpandRequest, now: float) -> dict[str, Any]:
    """Expand within a note: the items before and after it. ``items`` are all of the note's."""
    placed: list[tuple[str, NoteItem]] = []
    if wanted.direction in ("all", "backward"):
        placed += [("previous", one) for one in _some(items[:number][::-1], wanted.direction)]
    if wanted.direction in ("all", "forward"):
        placed += [("next", one) for one in _some(items[number + 1 :], wanted.direction)]
    made = [
        (
            relation,
            weighed(Recalled(one, 1.0), Ranked(item_of(one), 1.0 / (place + 1), (), related=True), wanted.task, now),
        )
        for place, (relation, one) in enumerate(placed[: wanted.k], 1)
    ]
    centre = weighed(Recalled(items[number], 1.0), Ranked(item_of(items[number]), 1.0, ()), wanted.task, now)
    return to_wire(centre, made, wanted)


def to_wire(centre: Weighed, made: Sequence[tuple[str, Weighed]], wanted: ExpandRequest) -> dict[str, Any]:
    """Return the object; what a session has already is counted and dropped."""
    new = [(relation, one) for relation, one in made if _key(one) not in wanted.delivered]
    return {
        "schema": EXPAND_SCHEMA,
        "task_type": wanted.task.value,
        "direction": wanted.direction,
        "of": item_object(centre),
        "neighbours": [{"relation": relation, **item_object(one)} for relation, one in new],
        "count": len(new),
        "skipped_delivered": len(made) - len(new),
        "notes": [],
    }


def note_in(items: Sequence[NoteItem], wanted: ExpandRequest) -> NoteItem | None:
    """Return the requested item of a note, by its hash and, if named, its source."""
    named = [item for item in items if wanted.source_id in ("", item.source_id)]
    line = max(wanted.start_line, 1)
    at = [item for item in named if item.start_line <= line <= item.end_line]
    return next(iter((named if wanted.gene_id else at) or ()), None)


def note_hash(source_id: str) -> bytes:
    """Return the prefix of a note's text hash from its ``source_id``; empty for an invalid one."""
    digits = source_id.removeprefix(NOTE_SCHEME)
    try:
        return bytes.fromhex(digits) if source_id.startswith(NOTE_SCHEME) and len(digits) == 16 else b""
    except ValueError:
        return b""


def _enclosing(before: Sequence[Item], item: Item) -> list[Item]:
    """Return the nearest previous item that is the enclosing symbol."""
    held = [one for one in before if item.breadcrumb and one.symbol == item.breadcrumb]
    return held[-1:]


def _some(items: Sequence[Any], direction: str) -> Sequence[Any]:
    """Return only the nearest items, to leave room for other directions."""
    return items[:1] if direction == "all" else items


def _key(one: Weighed) -> str:
    return f"{one.ranked.item.text_hash}:{one.content_hash}"


def expanded(
    wanted: ExpandRequest, gene: bytes, expansion: Expansion, notes: Sequence[NoteItem], siblings: Sequence[NoteItem]
) -> dict[str, Any]:
    """Expand a file's item, else a note's. Raises UsageError where there is neither."""
    is_note = wanted.source_id.startswith(NOTE_SCHEME)
    found = None if is_note else expansion.of(wanted, gene)
    note = note_in(notes, wanted) if found is None else None
    if note is not None:
        return around_note(siblings, note.number, wanted, time.time())
    if found is None:
        place = wanted.gene_id or f"{wanted.source_id}:{wanted.start_line}"
        raise UsageError(f"nothing here is {place[:200]!a}; take gene_id or source_id from a fresh answer")
    return found
