"""The rankers: each reads the index in its own way and returns files, best first, with the chunks that matched.

Word rankers use FTS5, name rankers exact and fuzzy symbols and paths, near rankers vectors and the graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from helix_core.model import Item, Role
from helix_core.search.meaning import OUTLINES, PASSAGES, Meaning
from helix_core.search.question import Intent, Question, Term, any_of, bm25, bm25f, expression, narrower, rarity
from helix_core.store.hits import DefinitionHit, Weights
from helix_core.store.lexical import MatchCounts
from helix_core.store.reader import Reader
from helix_core.store.vectors import VectorHit
from helix_core.words import is_compound, split_identifier

_WORD = re.compile(r"\w+")
HITS = 60
MAX_FILES = 6
MAX_FILES_OF_A_WORD = 2
MAX_FILES_OF_A_TEXT = 3
TEXT_MATCHES = 12
MAX_POSTINGS = 6_000
SHORTEST_MISSPELT = 5
ALIKE = 20
SLIP = 0.85
MAX_POSTINGS_OF_A_SENTENCE = 500


def named_files(question: Question, reader: Reader) -> list[int]:
    """Sources whose path is what the question consists of, or ends with it; the whole path alone if there is one."""
    if not question.path:
        return []
    found = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([question.path], HITS))
    whole = [id_ for id_, source in found.items() if source.source_id == question.path]
    ending = [id_ for id_, source in found.items() if source.source_id.endswith(f"/{question.path}")]
    named = whole or ending
    return named if len(named) <= MAX_FILES else []


def named_definitions(question: Question, reader: Reader) -> list[DefinitionHit]:
    """Definitions of the one name the question consists of: as it is written where there are such, inside the class
    or module typed before it. A name with many places, or a common word, names none."""
    *owners, name = question.subject or ("",)
    if not name:
        return []
    hits = reader.names.definitions([name.lower()], HITS)
    hits = [hit for hit in hits if hit.name == name] or hits
    if owners:
        items = reader.files.items([hit.item_id for hit in hits])
        around = {
            id_: set(_WORD.findall(f"{item.source.source_id} {item.breadcrumb} {item.name}"))
            for id_, item in items.items()
        }
        hits = [hit for hit in hits if owners[-1] in around.get(hit.item_id, ())]
    limit = MAX_FILES if owners or is_compound(name) else MAX_FILES_OF_A_WORD
    return hits if len({hit.source_id for hit in hits}) <= limit else []


def misspelt_definitions(question: Question, reader: Reader) -> list[DefinitionHit]:
    """Definitions of the known name that the question's only name, which nobody defines, is a slip away from."""
    name = question.subject[-1].lower() if question.subject else ""
    if len(name) < SHORTEST_MISSPELT:
        return []
    from difflib import get_close_matches

    known = {hit.name.lower(): None for hit in reader.names.similar_names(name, ALIKE) if not hit.is_path}
    close = get_close_matches(name, known, n=1, cutoff=SLIP) if name not in known else []
    hits = reader.names.definitions(close, HITS)
    return hits if len({hit.source_id for hit in hits}) <= MAX_FILES else []


def literal_chunks(
    question: Question, frequency: Mapping[str, int], reader: Reader, weights: Weights
) -> list[MatchCounts]:
    """Chunks that hold a quoted text, or else the whole question, word for word; none for what many files say.

    A message that only tests hold as a whole is put together somewhere else, so it must be quoted to mean them.
    """
    for text in question.literals:
        found = _verbatim(text, frequency, reader, weights, MAX_POSTINGS)
        if found:
            return found
    if not question.sentence:
        return []
    found = _verbatim(question.sentence, frequency, reader, weights, MAX_POSTINGS_OF_A_SENTENCE)
    sources = reader.files.sources_by_id({one.source_id for one in found})
    return [one for one in found if sources[one.source_id].role is not Role.TEST]


def _verbatim(
    text: str, frequency: Mapping[str, int], reader: Reader, weights: Weights, max_postings: int
) -> list[MatchCounts]:
    """Looking a text up costs about the postings of its rarest word; a text with a word nobody wrote is nowhere."""
    rarest = min((frequency[word] for word in _WORD.findall(text.lower()) if word in frequency), default=0)
    if not 0 < rarest <= max_postings:
        return []
    found = reader.text.chunk_evidence(any_of([text]), 1, TEXT_MATCHES, weights)
    files = {one.source_id for one in found}
    return found if len(found) < TEXT_MATCHES and len(files) <= MAX_FILES_OF_A_TEXT else []


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
class RankerInput:
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


MATCHES = 80
PHRASE_MATCHES = 30
PHRASE_POSTINGS = 2_000
FIELD_WEIGHTS = Weights(path=2.0, names=2.0, doc=1.5, body=1.0, extra=1.0)
BY_FIELD_LENGTH = replace(FIELD_WEIGHTS, doc=3.5, length_counts=0.75)
"""Questions are asked in the words of comments rather than in those of code."""


def chunks(asked: RankerInput) -> Votes:
    """BM25F over chunks; a file counts its best chunk and a damped sum of the next ones."""
    if not asked.terms:
        return NOTHING
    words = [term.word for term in asked.terms]
    weights = [term.weight for term in asked.terms]
    found = _matches(asked, asked.reader.text.chunk_evidence)
    return _votes(words, found, {one.id: bm25f(weights, one) for one in found})


def files(asked: RankerInput) -> Votes:
    """BM25F over whole files, with the words' rarity among chunks: among long files every word seems common."""
    if not asked.terms:
        return NOTHING
    words = [term.word for term in asked.terms]
    weights = [term.weight for term in asked.terms]
    found = _matches(asked, asked.reader.text.file_evidence)
    scored = {one.source_id: bm25f(weights, one) for one in found}
    present = {one.source_id: _present(words, one) for one in found}
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(scored)), present=present)


def _matches(asked: RankerInput, ask: Callable[[str, int, int, Weights], list[MatchCounts]]) -> list[MatchCounts]:
    """The best matches: among what holds the rarest words together, where one of them alone is in too much."""
    count, narrow = len(asked.terms), narrower(asked.terms)
    found = ask(narrow, count, MATCHES, BY_FIELD_LENGTH) if narrow else []
    return found if len(found) == MATCHES else ask(expression(asked.terms), count, MATCHES, BY_FIELD_LENGTH)


def phrases(asked: RankerInput) -> Votes:
    """Runs of the question's words in sequence: quoted text, error messages, compound names written apart."""
    wanted = dict.fromkeys((*asked.question.quoted, *asked.question.phrases))
    wanted.update(dict.fromkeys(tuple(split_identifier(name)) for name in asked.question.identifiers))
    texts = [" ".join(words) for words in affordable(wanted, asked.frequency)]
    if not texts:
        return NOTHING
    # How often a phrase occurs is not known beforehand: each counts as much as a word met once in a hundred chunks.
    weights = [rarity(asked.items // 100, asked.items)] * len(texts)
    found = asked.reader.text.chunk_evidence(any_of(texts), len(texts), PHRASE_MATCHES, FIELD_WEIGHTS)
    return _votes(texts, found, {one.id: bm25(weights, one) for one in found})


def affordable(wanted: Iterable[tuple[str, ...]], frequency: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The phrases that can occur, those with the rarest words first, as long as looking them up stays cheap.

    A look-up costs about the postings of the phrase's rarest word. Words without a known frequency are those that
    questions are asked with: everywhere.
    """
    costs = ((min((frequency[word] for word in words if word in frequency), default=0), words) for words in wanted)
    possible = sorted((cost, words) for cost, words in costs if cost and len(words) > 1)
    chosen: list[tuple[str, ...]] = []
    postings = 0
    for cost, words in possible:
        postings += cost
        if postings > PHRASE_POSTINGS and chosen:
            break
        chosen.append(words)
    return chosen


def _votes(texts: Sequence[str], found: Sequence[MatchCounts], item_scores: dict[int, float]) -> Votes:
    evidence = {one.id: one for one in found}
    votes = by_file(item_scores, {one.id: one.source_id for one in found})
    present = {vote.source_id: _present(texts, evidence[vote.items[0]]) for vote in votes}
    return Votes(votes, item_scores, present)


def _present(words: Sequence[str], evidence: MatchCounts) -> frozenset[str]:
    return frozenset(word for word, count in zip(words, evidence.counts, strict=False) if count)


NAME_HITS = 60
SIMILAR_ENOUGH = 0.55
SHORTEST_PREFIX = 4
MAX_DEFINING_FILES = 6
MAX_SIMILAR = 2


def names(asked: RankerInput) -> Votes:
    """Where the identifiers of the question are defined. A name that many files define points nowhere.

    Who asks for the tests of a name knows where the name is.
    """
    hits: list[tuple[float, DefinitionHit]] = []
    if Intent.TESTS in asked.question.intents:
        return NOTHING
    for name in asked.question.identifiers:
        defined = asked.reader.names.definitions([name.lower()], NAME_HITS)
        if len({hit.source_id for hit in defined}) <= MAX_DEFINING_FILES:
            hits += [(1.0 if hit.name == name else 0.9, hit) for hit in defined]
    return _defined(asked, hits)


def similar(asked: RankerInput) -> Votes:
    """Definitions that begin like an identifier nobody defines, or are spelled like it."""
    compound = [name for name in asked.question.identifiers if is_compound(name)]
    unknown = [name for name in compound if not asked.reader.names.definitions([name.lower()], 1)]
    hits = [hit for name in unknown[:MAX_SIMILAR] for hit in _alike(asked.reader, name)]
    return _defined(asked, hits[:NAME_HITS])


def _alike(reader: Reader, identifier: str) -> list[tuple[float, DefinitionHit]]:
    folded = identifier.lower()
    if len(folded) < SHORTEST_PREFIX:
        return []
    longer = reader.names.definitions_by_prefix(folded, NAME_HITS)
    if longer:
        return [(len(folded) / len(hit.name), hit) for hit in longer]
    alike = {n.name.lower(): n.similarity for n in reader.names.similar_names(identifier, 5) if not n.is_path}
    close = [name for name, similarity in alike.items() if similarity >= SIMILAR_ENOUGH]
    return [(alike[hit.name.lower()], hit) for hit in reader.names.definitions(close, NAME_HITS)] if close else []


def _defined(asked: RankerInput, hits: Sequence[tuple[float, DefinitionHit]]) -> Votes:
    """Files of definitions: by how well the name fits, then by the other words of the question around the place, then
    the implementation first, and what is less deeply nested.
    """
    fit: dict[int, float] = {}
    for strength, hit in hits:
        fit[hit.item_id] = max(strength, fit.get(hit.item_id, 0.0))
    own = {part for name in asked.question.identifiers for part in (name.lower(), *split_identifier(name))}
    others = frozenset(asked.question.words) - own
    items = asked.reader.files.items(list(fit))
    return by_best_item(items, {item.id: fit[item.id] + _place_bonus(item, others) for item in items.values()})


def _place_bonus(item: Item, words: frozenset[str]) -> float:
    """Small beside the fit of a name; orders places that define the same name."""
    around = frozenset(split_identifier(f"{item.source.source_id} {item.breadcrumb}"))
    depth = min(len(item.breadcrumb.split(".")), 4)
    return 0.05 * min(len(around & words), 4) + 0.02 * (item.source.role is Role.IMPLEMENTATION) - 0.005 * depth


def claims(asked: RankerInput) -> Votes:
    """Where a key of the question has a literal value."""
    keys = [*asked.question.identifiers]
    if Intent.CONFIG in asked.question.intents:
        keys += [term.word for term in asked.terms if len(term.word) >= SHORTEST_PREFIX]
    counts: dict[int, float] = {}
    for hit in asked.reader.claims.matching(keys, NAME_HITS) if keys else []:
        counts[hit.item_id] = counts.get(hit.item_id, 0.0) + 1.0
    return by_best_item(asked.reader.files.items(list(counts)), counts)


def paths(asked: RankerInput) -> Votes:
    """Files the question names by path or file name; the whole path in sequence, so ``a/b.py`` is not ``b/a.py``."""
    scored: dict[int, float] = {}
    for path in asked.question.paths:
        words = " ".join(words_of_path(path))
        for source_id, score in asked.reader.text.paths_like([words], NAME_HITS):
            scored[source_id] = max(score, scored.get(source_id, 0.0))
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(scored)))


def tests(asked: RankerInput) -> Votes:
    """The tests of what the question names, when it asks for tests."""
    if Intent.TESTS not in asked.question.intents:
        return NOTHING
    found = [item for name in asked.question.identifiers for item in asked.reader.names.tests_of(name, NAME_HITS)]
    known = asked.reader.files.items(found)
    votes: dict[int, list[int]] = {}
    for item_id in dict.fromkeys(found):
        if item_id in known:
            votes.setdefault(known[item_id].source.id, []).append(item_id)
    return Votes(tuple(Vote(source, 1.0, tuple(items)) for source, items in votes.items()))


def exact(asked: RankerInput) -> Votes:
    """What the question names outright: a file, else a definition, else a text met word for word, else a name that
    was misspelt."""
    named = named_files(asked.question, asked.reader)
    if named:
        return Votes(tuple(Vote(id_, 1.0) for id_ in named))
    hits = named_definitions(asked.question, asked.reader)
    if hits:
        return _defined(asked, [(1.0, hit) for hit in hits])
    found = literal_chunks(asked.question, asked.frequency, asked.reader, FIELD_WEIGHTS)
    if not found:
        return _defined(asked, [(1.0, hit) for hit in misspelt_definitions(asked.question, asked.reader)])
    scores = {one.id: bm25([1.0], one) for one in found}
    return by_best_item(asked.reader.files.items(list(scores)), scores)


NEIGHBOURS = 200
_NOT_FOR_THE_IMPLEMENTATION = frozenset({Intent.TESTS, Intent.EXAMPLES, Intent.HISTORY})


def outlines(asked: RankerInput) -> Votes:
    """Files by the nearest of their outlines."""
    return _by_nearest(asked.meaning.nearest(OUTLINES, NEIGHBOURS)) if asked.meaning else NOTHING


def passages(asked: RankerInput) -> Votes:
    """Files by the nearest of their chunks."""
    return _by_nearest(asked.meaning.nearest(PASSAGES, NEIGHBOURS)) if asked.meaning else NOTHING


def _by_nearest(hits: Sequence[VectorHit]) -> Votes:
    """What counts is how far a place stands out from the last neighbour: a cosine of 0.4 is high for one question and
    low for another."""
    if not hits:
        return NOTHING
    last = hits[-1].similarity
    files: dict[int, float] = {}
    items: dict[int, list[int]] = {}
    item_scores: dict[int, float] = {}
    for hit in hits:
        score = hit.similarity - last
        if score <= 0:
            break
        files.setdefault(hit.source_id, score)
        if hit.item_id is not None and hit.item_id not in item_scores:
            item_scores[hit.item_id] = score
            items.setdefault(hit.source_id, []).append(hit.item_id)
    votes = tuple(Vote(id_, score, tuple(items.get(id_, ()))) for id_, score in best_first(files))
    return Votes(votes, item_scores)


def tested(asked: RankerInput, heard: Mapping[str, Votes]) -> Votes:
    """Implementation whose tests say what was asked, in words their authors chose for it."""
    if asked.question.intents & _NOT_FOR_THE_IMPLEMENTATION or "files" not in heard:
        return NOTHING
    scores = {vote.source_id: vote.score for vote in heard["files"].votes}
    pairs = asked.reader.names.tested_by(scores)
    targets: dict[int, int] = {}
    for test, _ in pairs:
        targets[test] = targets.get(test, 0) + 1
    found: dict[int, float] = {}
    for test, source in pairs:
        found[source] = max(found.get(source, 0.0), scores[test] / sqrt(targets[test]))
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(found)))


FIRST: Mapping[str, Callable[[RankerInput], Votes]] = {
    "chunks": chunks,
    "files": files,
    "outlines": outlines,
    "passages": passages,
    "phrases": phrases,
    "names": names,
    "similar": similar,
    "claims": claims,
    "paths": paths,
    "tests": tests,
    "exact": exact,
}
DERIVED: Mapping[str, Callable[[RankerInput, Mapping[str, Votes]], Votes]] = {"tested": tested}
LEVEL_OF: Mapping[str, str] = {"outlines": OUTLINES, "passages": PASSAGES}
"""The rankers that go by vectors, and whose."""
RANKERS: tuple[str, ...] = (*FIRST, *DERIVED)
"""The names of all rankers, in the order in which they are asked."""

__all__ = [
    "DERIVED",
    "FIRST",
    "LEVEL_OF",
    "NOTHING",
    "PHRASE_POSTINGS",
    "RANKERS",
    "RankerInput",
    "Vote",
    "Votes",
    "affordable",
    "damped_sum",
]
