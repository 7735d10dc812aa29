"""Estimate whether the best place is the right one: signs of words and ranks, and a fitted probability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from helix_core.embed.table import static_table
from helix_core.model import Role
from helix_core.search.confidence_weights import PLACE, PLACE_WITH_MODEL, PRESENCE
from helix_core.search.fuse import Fused
from helix_core.search.question import Intent, Question, Term, highest_score, rarest_missing
from helix_core.search.rankers import Votes

FLOOR = 0.5
"""Below this presence nothing is here to be found."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for the answer; every field is a share from 0 to 1.

    ``covered``: how much of the question one of the best files holds, rare words counting most. ``missing_proper``: the
    rarest of its names and identifiers, which nobody paraphrases, that even the best of these files lacks, as a share
    of the rarest word asked. ``unfamiliar``: how far the strangest word that the index has never seen is from common
    English, which is what people paraphrase in. ``strength``: the best chunk's score as a share of the highest a chunk
    could have. ``agreement``: how much of the rankers' weight puts the first file among its first three. ``gap``: how
    far the next file stays behind. ``named``: is the first file, or something in it, what the question names outright?

    None is a cosine or a sum of cosines: how sure an answer is means the same whichever vectors serve.
    """

    covered: float = 0.0
    missing_proper: float = 0.0
    unfamiliar: float = 0.0
    strength: float = 0.0
    agreement: float = 0.0
    gap: float = 0.0
    named: float = 0.0


AGAINST = frozenset({"missing_proper", "unfamiliar"})
"""The signs that speak against an answer; all others speak for it."""
PRESENCE_SIGNS = ("covered", "missing_proper", "unfamiliar", "named")
PLACE_SIGNS = ("strength", "agreement", "gap")


def presence(signs: Signs) -> float:
    """Is what was asked in the index at all?"""
    return _weighed(PRESENCE, signs)


def place(signs: Signs, *, with_model: bool = False) -> float:
    """Is the first place the right one, if what was asked is here? With a model's vectors it is more often."""
    return _weighed(PLACE_WITH_MODEL if with_model else PLACE, signs)


def confidence(signs: Signs, *, with_model: bool = False) -> float:
    """How sure an answer is."""
    return min(presence(signs), place(signs, with_model=with_model))


def _weighed(weights: Mapping[str, float], signs: Signs) -> float:
    known = asdict(signs)
    return _logistic(sum(weight * known.get(name, 1.0) for name, weight in weights.items()))


def _logistic(evidence: float) -> float:
    return 1.0 / (1.0 + math.exp(-evidence))


AGREEING_RANK = 3
FILES_COVERING = 5
MOST_PIECES = 3
STRANGERS_WEIGHED = 8
_MENTIONS: Mapping[Role, Intent] = {
    Role.TEST: Intent.TESTS,
    Role.EXAMPLE: Intent.EXAMPLES,
    Role.HISTORY: Intent.HISTORY,
}
"""Files that mention what need not be here, unless they are what is asked for."""


@dataclass(frozen=True, slots=True)
class FilesFound:
    """The first stage's outcome: files best first with their scores, their roles, the rankers' votes and weights."""

    files: Sequence[tuple[Fused, float]]
    roles: Mapping[int, Role]
    votes: Mapping[str, Votes]
    weights: Mapping[str, float]


def signs_of(question: Question, terms: Sequence[Term], found: FilesFound) -> Signs:
    """The signs; ``terms`` are all words of the question, also those nobody was asked for."""
    if not found.files:
        return Signs()
    best, score = found.files[0]
    held = _words_held(question, found)
    named = any(signal.ranker == "exact" for signal in best.signals)
    agreeing = sum(found.weights[signal.ranker] for signal in best.signals if signal.rank <= AGREEING_RANK)
    return Signs(
        covered=max((_covered(terms, words) for words in held), default=0.0),
        missing_proper=_missing_proper(question, terms, held, named=named),
        unfamiliar=_unfamiliar(question, terms),
        named=float(named),
        strength=_strength(terms, found.votes.get("chunks"), best.id),
        agreement=agreeing / sum(found.weights.values()),
        gap=1 - found.files[1][1] / score if len(found.files) > 1 else 1.0,
    )


def _words_held(question: Question, found: FilesFound) -> list[frozenset[str]]:
    """The question's words in each of the best files that can hold what is asked; in the best ones where none can."""
    present = found.votes["files"].present if "files" in found.votes else {}
    ids = [one.id for one, _ in found.files]
    own = [id_ for id_ in ids if _can_hold(found.roles[id_], question.intents)] or ids
    return [present.get(id_, frozenset()) for id_ in own[:FILES_COVERING]]


def _can_hold(role: Role, intents: frozenset[Intent]) -> bool:
    return role not in _MENTIONS or _MENTIONS[role] in intents


def _covered(terms: Sequence[Term], words: Iterable[str]) -> float:
    """How much of the question the words are, 0..1. Squared weights: the rare word is the one that decides."""
    total = sum(term.weight**2 for term in terms)
    held = frozenset(words)
    return sum(term.weight**2 for term in terms if term.word in held and term.frequency) / total if total else 0.0


def _missing_proper(question: Question, terms: Sequence[Term], held: Sequence[frozenset[str]], *, named: bool) -> float:
    """The rarest name that even the best of the files lacks, as a share, 0..1, of the rarest word asked.

    What is named outright is there, unless a name nobody ever wrote was taken for one spelled like it.
    """
    proper = {term.word for term in terms if term.word in question.proper}
    if named and all(term.frequency for term in terms if term.word in proper):
        return 0.0
    others = {term.word for term in terms} - proper
    return min((rarest_missing(terms, others | words) for words in held), default=1.0)


def _unfamiliar(question: Question, terms: Sequence[Term]) -> float:
    """How little a common English word, 0..1, the strangest word is that the index has never seen.

    Who paraphrases uses common words. A word of the table's vocabulary is one; what is put together from pieces is a
    name or jargon, which would be here if what it stands for were.
    """
    parts = {part for name in question.identifiers for part in name.lower().split("_")}
    unknown = [term.word for term in terms if not term.frequency and term.word not in parts]
    return max((_strangeness(word) for word in unknown[:STRANGERS_WEIGHED]), default=0.0)


def _strangeness(word: str) -> float:
    return min(MOST_PIECES, len(static_table().pieces(word)) or MOST_PIECES) / MOST_PIECES


def _strength(terms: Sequence[Term], votes: Votes | None, source_id: int) -> float:
    """The score of the file's best chunk, as a share of what a chunk full of every word would have."""
    total = highest_score(terms)
    if votes is None or not total:
        return 0.0
    own = (vote.items for vote in votes.votes if vote.source_id == source_id)
    return max((votes.item_scores[items[0]] for items in own), default=0.0) / total
