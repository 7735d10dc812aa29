"""What a ranker is asked, what it answers, and how scores of chunks become scores of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from helix_core.model import Item
from helix_core.search.meaning import Meaning
from helix_core.search.question import Question
from helix_core.search.terms import Term
from helix_core.store.reader import Reader

DAMPING = 0.3
DAMPED_CHUNKS = 3


@dataclass(frozen=True, slots=True)
class Vote:
    """A file a ranker names: its score inside this ranker, and the chunks meant, best first (may be empty)."""

    source_id: int
    score: float
    items: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Votes:
    """A ranker's list, best first, the scores of the chunks it looked at, and which question words each file has."""

    votes: tuple[Vote, ...] = ()
    item_scores: dict[int, float] = field(default_factory=dict)
    present: dict[int, frozenset[str]] = field(default_factory=dict)


NOTHING = Votes()


@dataclass(frozen=True, slots=True)
class Asked:
    """What every ranker gets: the question, its terms worth asking, in how many chunks each of its words occurs, how
    many chunks there are, and its meaning where vectors are at hand."""

    question: Question
    terms: tuple[Term, ...]
    frequency: Mapping[str, int]
    items: int
    reader: Reader
    meaning: Meaning | None = None


def best_first(scored: Mapping[int, float]) -> list[tuple[int, float]]:
    """``(id, score)``, equal scores by id."""
    return sorted(scored.items(), key=lambda entry: (-entry[1], entry[0]))


def damped_sum(scores: Sequence[float]) -> float:
    """The best score, and ever smaller parts of the next ones; ``scores`` best first."""
    return sum(score * DAMPING**place for place, score in enumerate(scores[:DAMPED_CHUNKS]))


def by_file(item_scores: Mapping[int, float], source_of: Mapping[int, int]) -> tuple[Vote, ...]:
    """Files of scored chunks: each counts its best chunk and a damped sum of the next ones."""
    chunks: dict[int, list[int]] = {}
    for item_id, _ in best_first(item_scores):
        chunks.setdefault(source_of[item_id], []).append(item_id)
    scored = {source: damped_sum([item_scores[item] for item in items]) for source, items in chunks.items()}
    return tuple(Vote(source, score, tuple(chunks[source])) for source, score in best_first(scored))


def by_best_item(items: Mapping[int, Item], scores: Mapping[int, float]) -> Votes:
    """Files of items found by name, each as good as its best item; equal ones in byte order of path."""
    by_source: dict[int, list[Item]] = {}
    for item in sorted(items.values(), key=lambda item: (-scores[item.id], item.source.path, item.start_byte)):
        by_source.setdefault(item.source.id, []).append(item)
    votes = (Vote(id_, scores[own[0].id], tuple(item.id for item in own)) for id_, own in by_source.items())
    return Votes(tuple(votes), {item: scores[item] for item in items})


def words_of_path(path: str) -> Iterable[str]:
    """The parts of a path as postings see them."""
    return path.replace("/", " ").replace(".", " ").replace("-", " ").split()
