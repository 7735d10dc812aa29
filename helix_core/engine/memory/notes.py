"""Notes among the files of an answer: found by the same words, ranked below a file that matches, never ``verified``.

A note cannot be read again, so its verdict is that of the table for such: by its age and its authority, which is
inferred, and doubted where a file has another value for a key it states.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from helix_core.engine.verdict import Observation, freshness, live_truth, specificity, verdict
from helix_core.model import (
    Answered,
    Authority,
    Found,
    Item,
    Judged,
    NoteItem,
    Pointer,
    Ranked,
    Reason,
    Role,
    Signal,
    Source,
    StatSignature,
    TaskType,
    Weighed,
)
from helix_core.search import Term, coverage, weigh_terms
from helix_core.store import Memory, Reader

RANKER = "notes"
WORDS = 24
LOOKED_AT = 24
LEAST_COVERED = 0.5
BELOW_FILES = 0.9
SHARE = 4
QUOTE_LINES = 16
QUOTE_CHARS = 6_000
T = TypeVar("T")
_NO_SIGNATURE = StatSignature(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """A note's item with the IDF-weighted share of the question that it contains (0..1)."""

    item: NoteItem
    covered: float
    contradicted_by: str = ""


def recall(memory: Memory, reader: Reader, workspace: bytes, words: Sequence[str], k: int) -> list[Recalled]:
    """Return at most ``k`` // 4 items of notes, or one, that contain at least half of the question by IDF, best
    first.
    """
    _, items = reader.text.size()
    terms = sorted(weigh_terms(words, reader.words.frequency(words), items), key=lambda term: -term.weight)[:WORDS]
    found = memory.notes.matches(workspace, [term.word for term in terms], LOOKED_AT)
    rated = [Recalled(item, _covered(item, terms, reader)) for item in found]
    rated = sorted((one for one in rated if one.covered >= LEAST_COVERED), key=lambda one: -one.covered)
    best = rated[: max(1, k // SHARE)]
    doubts = _contradicted(memory, reader, [one.item for one in best])
    return [dataclasses.replace(one, contradicted_by=doubts.get(one.item.id, "")) for one in best]


def found_with(found: Found, recalled: Sequence[Recalled], k: int) -> Found:
    """Merge the notes into the search results."""
    if not recalled:
        return found._replace(rankers={**found.rankers, RANKER: "empty"})
    notes = _ranked(recalled, found)
    return found._replace(
        ranked=tuple(_merged(found.ranked, notes, k, lambda one: one.score)),
        known_empty=False,
        rankers={**found.rankers, RANKER: "used"},
    )


def answered_with(answered: Answered, recalled: Sequence[Recalled], task: TaskType, k: int, now: float) -> Answered:
    """Merge the notes into the answer, each with its verdict as of ``now``."""
    notes = [
        weighed(one, ranked, task, now) for one, ranked in zip(recalled, _ranked(recalled, answered.found), strict=True)
    ]
    merged = _merged(answered.weighed, notes, k, lambda one: one.ranked.score)
    return answered._replace(weighed=tuple(merged), found=found_with(answered.found, recalled, k))


def weighed(one: Recalled, ranked: Ranked, task: TaskType, now: float) -> Weighed:
    """Weigh a note's item: aged, of weak authority or contradicted, and never verified."""
    note = one.item
    fresh = freshness(now - note.at, note.volatility)
    seen = Observation(disk=None, freshness=fresh, authority=Authority.INFERRED, contradicted_by=one.contradicted_by)
    return Weighed(
        ranked=ranked,
        verdict=verdict(seen, task),
        live_truth=live_truth(fresh, Authority.INFERRED, specificity(note.source_kind)),
        content_hash=note.content_hash,
        quote=_quote(note.text),
        verified_at=note.at,
        uri=note.source_id,
    )


def judged(memory: Memory | None, workspace: bytes, pointer: Pointer, task: TaskType, now: float) -> Judged:
    """Judge a note of an earlier packet: by its age now, or as gone where it was forgotten."""
    items = memory.notes.items_with(workspace, bytes.fromhex(pointer.gene_id)) if memory is not None else []
    item = next((item for item in items if item.source_id == pointer.source_id), None)
    if item is None:
        return Judged(pointer, verdict(Observation(disk=Reason.GONE), task), 0, 0)
    fresh = freshness(now - item.at, item.volatility)
    seen = Observation(disk=None, freshness=fresh, authority=Authority.INFERRED)
    return Judged(pointer, verdict(seen, task), item.start_line, item.end_line)


def item_of(note: NoteItem) -> Item:
    """Convert a note's item to a file item; its ids are negative, so no row of the index has them."""
    source = Source(
        id=-note.note_id,
        path=note.source_id.encode(),
        source_id=note.source_id,
        content_hash=note.content_hash,
        signature=_NO_SIGNATURE,
        observed_at=note.at,
        verified_at=note.at,
        language=note.language,
        source_kind=note.source_kind,
        volatility=note.volatility,
        authority=Authority.INFERRED,
        role=Role.DOC,
        line_count=note.end_line,
    )
    return Item(
        id=-note.id,
        source=source,
        kind=note.content_type,
        name=note.name or note.title,
        breadcrumb=note.breadcrumb,
        start_byte=note.start_byte,
        end_byte=note.end_byte,
        start_line=note.start_line,
        end_line=note.end_line,
        text_hash=note.gene_id,
    )


def _covered(item: NoteItem, terms: Sequence[Term], reader: Reader) -> float:
    held = frozenset(reader.words.tokens(f"{item.title} {item.breadcrumb} {item.name} {item.text}"))
    present = [term.word for term in terms if (parts := reader.words.tokens(term.word)) and held.issuperset(parts)]
    return coverage(terms, present)


def _contradicted(memory: Memory, reader: Reader, items: Sequence[NoteItem]) -> dict[int, str]:
    """Return, for items whose value for a key no file has while some have another, the location of one."""
    claims = memory.notes.claims_of(item.id for item in items)
    others = reader.claims.with_same_key({claim.key for held in claims.values() for claim in held})
    doubts: dict[int, str] = {}
    for item_id, held in claims.items():
        for claim in held:
            same = others.get(claim.key, [])
            if same and all(other.value != claim.value for other in same):
                source = reader.files.sources_by_id([same[0].source_id]).get(same[0].source_id)
                place = f"{source.source_id}:{same[0].line}" if source is not None else "a file"
                doubts.setdefault(item_id, f"{claim.key} = {same[0].value} in {place}")
    return doubts


def _ranked(recalled: Sequence[Recalled], found: Found) -> list[Ranked]:
    """Rank notes below the best matching file, by the share of the question they contain."""
    best = found.ranked[0].score if found.ranked and not found.seems_empty else 0.0
    top = best * BELOW_FILES if best else (found.ranked[0].score / BELOW_FILES if found.ranked else 1.0)
    return [
        Ranked(item_of(one.item), top * one.covered if best else top, (Signal(RANKER, rank, 1.0),))
        for rank, one in enumerate(recalled, 1)
    ]


def _merged(files: Sequence[T], notes: Sequence[T], k: int, score: Callable[[T], float]) -> list[T]:
    kept = [*files[: max(k - len(notes), 0)], *notes]
    return sorted(kept, key=lambda one: -score(one))


def _quote(text: str) -> str:
    """Return whole lines from the first on, or a truncated first line."""
    shown = text[:QUOTE_CHARS]
    if len(text) > QUOTE_CHARS and "\n" in shown:
        shown = shown.rpartition("\n")[0]
    return "\n".join(shown.rstrip("\n").split("\n")[:QUOTE_LINES])
