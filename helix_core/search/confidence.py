"""Estimate the probability that the best result is right: features of words and ranks, and a fitted logistic model."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from helix_core.embed import static_table
from helix_core.model import Role
from helix_core.search.confidence_weights import CALIBRATION, PLACE, PLACE_WITH_MODEL, PRESENCE
from helix_core.search.fuse import Fused
from helix_core.search.priors import LIFTED_BY
from helix_core.search.question import REQUEST_WORDS, Intent, Question, Term, highest_score, rarest_missing
from helix_core.search.rankers import Votes
from helix_core.tuples import NamedTuple

FLOOR = 0.5
"""Below this presence the index is taken not to contain the answer."""


class AnswerFeatures(NamedTuple):
    """Evidence for the answer; every field is a share from 0 to 1.

    ``covered``: IDF-weighted share of the question's words that one of the best files contains. ``missing_proper``: the
    rarest of its names and identifiers (words that are not paraphrased) that even the best of these files lacks,
    relative to the rarest word of the question. ``unfamiliar``: how far the least common word that the index has never
    seen is from common English, the vocabulary of paraphrases. ``strength``: the best chunk's score relative to the
    maximum. ``agreement``: the share of the rankers' weight that puts the first file among its first three. ``gap``:
    the distance of the next file. ``named``: whether the question names the first file, or something in it, exactly.
    ``in_code``: like ``covered``, of the best files that implement, or that have a role which the question asks for:
    what only documents mention is often not here; the words for what is done count only where they raise it.
    ``missing_in_code``: like ``missing_proper``, of those files: a name of another tool is in documents that recommend
    it. ``titled``: like ``covered``, of one name or heading in those files: what a project has, it has a name for.
    ``brief``: how few words the question has: a long one paraphrases some of them, a short one means each.

    None is a cosine or a sum of cosines: a confidence means the same whichever vectors are used.
    """

    covered: float = 0.0
    missing_proper: float = 0.0
    unfamiliar: float = 0.0
    strength: float = 0.0
    agreement: float = 0.0
    gap: float = 0.0
    named: float = 0.0
    in_code: float = 0.0
    missing_in_code: float = 0.0
    titled: float = 0.0
    brief: float = 0.0


NOTHING_COVERED = 0.4
AGAINST = frozenset({"missing_proper", "missing_in_code", "unfamiliar", "brief"})
"""The features that are evidence against an answer; all others are evidence for it."""
PRESENCE_SIGNS = (
    "covered",
    "missing_proper",
    "missing_in_code",
    "unfamiliar",
    "named",
    "in_code",
    "titled",
    "brief",
    "strength",
)
PLACE_SIGNS = ("strength", "agreement", "gap")


def presence(signs: AnswerFeatures) -> float:
    """Return the probability that the index contains what the question asks for."""
    found = _weighed(PRESENCE, signs)
    # The fit has hardly any question of which no word at all is here.
    return found if signs.covered or signs.named else min(found, NOTHING_COVERED)


def place(signs: AnswerFeatures, *, with_model: bool = False) -> float:
    """Return the probability that the first result is right, given that the index contains it. A model's vectors
    raise it.
    """
    return _weighed(PLACE_WITH_MODEL if with_model else PLACE, signs)


def confidence(signs: AnswerFeatures, *, with_model: bool = False) -> float:
    """Return the probability that the answer is right: that the index contains it, and that its place is the first.
    The product of both probabilities, which were fitted apart, is read off a rising curve that was fitted to both.
    """
    return calibrated(presence(signs) * place(signs, with_model=with_model), CALIBRATION)


def calibrated(value: float, curve: Sequence[tuple[float, float]]) -> float:
    """Return the point, 0..1, of a curve through ``curve`` at ``value``, between its points on straight lines."""
    for (before, low), (after, high) in pairwise(curve):
        if value <= after:
            return low + (high - low) * (value - before) / (after - before)
    return curve[-1][1]


def _weighed(weights: Mapping[str, float], signs: AnswerFeatures) -> float:
    return _logistic(sum(weight * getattr(signs, name, 1.0) for name, weight in weights.items()))


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
"""Roles of files that mention names the project does not define, unless the question asks for those roles. A file that
defines a name of the question, or is all that has it, does not only mention it."""


class FilesFound(NamedTuple):
    """The first stage's result: files best first with their scores, their roles, the rankers' votes and weights, and
    the question's words, lower-case, in each name and heading of a file that was read. ``is_narrowed``: a filter left
    files out, so nothing follows from what code and names lack.
    """

    files: Sequence[tuple[Fused, float]]
    roles: Mapping[int, Role]
    votes: Mapping[str, Votes]
    weights: Mapping[str, float]
    titles: Mapping[int, Collection[frozenset[str]]] = MappingProxyType({})
    is_narrowed: bool = False


def answer_features(question: Question, terms: Sequence[Term], found: FilesFound) -> AnswerFeatures:
    """Compute the features; ``terms`` are all words of the question, including those not searched for."""
    if not found.files:
        return AnswerFeatures()
    best, score = found.files[0]
    held = _words_in(_files_of(question, found), found)
    implementing = _files_of(question, found, in_code=True)
    held_in_code = held if found.is_narrowed else _words_in(implementing, found)
    titles = [words for id_ in implementing for words in found.titles.get(id_, ())]
    told = telling_terms(question, terms)
    subjects = without_manner(question, told)
    things = without_acts(question, subjects)
    named = any(signal.ranker == "exact" for signal in best.signals)
    agreeing = sum(found.weights[signal.ranker] for signal in best.signals if signal.rank <= AGREEING_RANK)
    return AnswerFeatures(
        covered=max((_covered(subjects, words) for words in held), default=0.0) if told else 1.0,
        missing_proper=_missing_proper(question, terms, held, named=named),
        unfamiliar=_unfamiliar(question, subjects),
        named=float(named),
        strength=_strength(terms, found.votes.get("chunks"), best.id),
        agreement=agreeing / sum(found.weights.values()),
        gap=1 - found.files[1][1] / score if len(found.files) > 1 else 1.0,
        in_code=_most_covered((subjects, things), held_in_code),
        missing_in_code=_missing_proper(question, terms, held_in_code, named=named),
        titled=_most_covered((subjects, things), held if found.is_narrowed else titles),
        brief=max(0.0, 1 - len(told) / WORDS_OF_A_PARAPHRASE) if told else 0.0,
    )


WORDS_OF_A_PARAPHRASE = 8


def telling_terms(question: Question, terms: Sequence[Term]) -> Sequence[Term]:
    """Return the terms without those that ask about any subject alike; all of them where there is no other."""
    return [one for one in terms if one.word not in REQUEST_WORDS or one.word in question.proper] or terms


SHORTEST_OF_MANNER = 6
_PARTICIPLE_LINES = """
brought built caught chosen drawn dealt fed given held kept laid led left made met put said seen sent shown sought
spoken taken taught thought thrown told torn understood written
"""
_PARTICIPLES = frozenset(_PARTICIPLE_LINES.split())
LEAST_SUBJECTS = 2


def without_manner(question: Question, terms: Sequence[Term]) -> Sequence[Term]:
    """Return the terms without the unknown words, where each is a participle or an adverb and others are known.

    "mistyped" in "suggestions for mistyped commands" says of what kind or how, which the index may say in other words.
    A noun, or a verb that names an act, is what is asked for.
    """
    known = [one for one in terms if one.frequency]
    unknown = [one.word for one in terms if not one.frequency]
    are_of_manner = all(word not in question.proper and _is_of_manner(word) for word in unknown)
    return known if are_of_manner and len(known) >= LEAST_SUBJECTS else terms


def without_acts(question: Question, terms: Sequence[Term]) -> Sequence[Term]:
    """Return the terms without those that say what is done; all of them where there is no other."""
    return [one for one in terms if one.word in question.proper or not _is_act(one.word, question)] or terms


def _is_act(word: str, question: Question) -> bool:
    return word in question.acts or _is_participle(word)


def _is_participle(word: str) -> bool:
    is_long = len(word) >= SHORTEST_OF_MANNER
    return word in _PARTICIPLES or (is_long and word.endswith("ed") and not word.endswith("eed"))


def _is_of_manner(word: str) -> bool:
    if _is_participle(word):
        return True
    if len(word) < SHORTEST_OF_MANNER or word.endswith("eed"):
        return False
    return word.endswith("ically") or (word.endswith("ly") and len(static_table().pieces(word[:-2])) == 1)


def _files_of(question: Question, found: FilesFound, *, in_code: bool = False) -> list[int]:
    """Return the best files whose role fits the question, or the best files where none fits. With ``in_code`` only
    implementation fits, and roles that the question asks for.
    """
    ids = [one.id for one, _ in found.files]
    naming = {vote.source_id for by in ("names", "exact") if by in found.votes for vote in found.votes[by].votes}
    own = [id_ for id_ in ids if id_ in naming or _can_hold(found.roles[id_], question.intents)] or ids
    if in_code:
        own = [id_ for id_ in own if _is_wanted(found.roles[id_], question.intents)] or own
    return own[:FILES_COVERING]


def _words_in(ids: Iterable[int], found: FilesFound) -> list[frozenset[str]]:
    """Return the question's words in each of the files."""
    present = found.votes["files"].present if "files" in found.votes else {}
    return [present.get(id_, frozenset()) for id_ in ids]


def _is_wanted(role: Role, intents: frozenset[Intent]) -> bool:
    return role is Role.IMPLEMENTATION or LIFTED_BY.get(role) in intents


def _can_hold(role: Role, intents: frozenset[Intent]) -> bool:
    return role not in _MENTIONS or _MENTIONS[role] in intents


def _most_covered(wanted: Iterable[Sequence[Term]], held: Collection[Collection[str]]) -> float:
    """Return the share, 0..1, that some file, or title, covers of some of the terms that are ``wanted``."""
    return max((_covered(terms, words) for terms in wanted for words in held), default=0.0)


def _covered(terms: Sequence[Term], words: Iterable[str]) -> float:
    """Return the share, 0..1, of the question that the words cover. Weights are squared, so rare words decide."""
    total = sum(term.weight**2 for term in terms)
    held = frozenset(words)
    return sum(term.weight**2 for term in terms if term.word in held and term.frequency) / total if total else 0.0


def _missing_proper(question: Question, terms: Sequence[Term], held: Sequence[frozenset[str]], *, named: bool) -> float:
    """Return the weight of the rarest name that even the best file lacks, as a share, 0..1, of the rarest word's
    weight.

    A name that the question names exactly counts as present, unless it matched only by a corrected spelling.
    """
    proper = {term.word for term in terms if term.word in question.proper}
    if named and all(term.frequency for term in terms if term.word in proper):
        return 0.0
    others = {term.word for term in terms} - proper
    return min((rarest_missing(terms, others | words) for words in held), default=1.0)


def _unfamiliar(question: Question, terms: Sequence[Term]) -> float:
    """Return how uncommon, 0..1, the least common English word is that the index has never seen.

    A paraphrase uses common words, which the word table's vocabulary contains. A word made of pieces is a name or
    jargon, and the index would contain it if it contained what the word means.
    """
    parts = {part for name in question.identifiers for part in name.lower().split("_")}
    unknown = [term.word for term in terms if not term.frequency and term.word not in parts]
    return max((_strangeness(word) for word in unknown[:STRANGERS_WEIGHED]), default=0.0)


def _strangeness(word: str) -> float:
    return min(MOST_PIECES, len(static_table().pieces(word)) or MOST_PIECES) / MOST_PIECES


def _strength(terms: Sequence[Term], votes: Votes | None, source_id: int) -> float:
    """Return the score of the file's best chunk, relative to a chunk with every term at saturation."""
    total = highest_score(terms)
    if votes is None or not total:
        return 0.0
    own = (vote.items for vote in votes.votes if vote.source_id == source_id)
    return max((votes.item_scores[items[0]] for items in own), default=0.0) / total
