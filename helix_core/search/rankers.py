"""The rankers: each reads the index in its own way and returns files, best first, with the chunks it means.

A ranker that has nothing to go by returns no votes. None knows of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from helix_core.model import Item, Role
from helix_core.search.exact import literal_chunks, misspelt_definitions, named_definitions, named_files
from helix_core.search.question import Intent, Question
from helix_core.search.terms import Term, any_of, bm25, expression, rarity
from helix_core.store.evidence import Evidence
from helix_core.store.hits import DefinitionHit, Weights
from helix_core.store.reader import Reader
from helix_core.words import is_compound, split_identifier

MATCHES = 150
PHRASE_MATCHES = 60
PHRASE_POSTINGS = 6_000
NAME_HITS = 60
DAMPING = 0.3
DAMPED_CHUNKS = 3
SIMILAR_ENOUGH = 0.55
SHORTEST_PREFIX = 4
MAX_DEFINING_FILES = 6
MAX_SIMILAR = 2
FIELD_WEIGHTS = Weights(path=2.0, names=2.0, doc=1.5, body=1.0, extra=1.0)


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
    """What every ranker gets: the question, its terms worth asking, in how many chunks each of its words occurs, and
    how many chunks there are."""

    question: Question
    terms: tuple[Term, ...]
    frequency: Mapping[str, int]
    items: int
    reader: Reader


def chunks(asked: Asked) -> Votes:
    """BM25 over chunks; a file counts its best chunk and a damped sum of the next ones."""
    if not asked.terms:
        return NOTHING
    words = [term.word for term in asked.terms]
    return _by_text(asked, expression(asked.terms), words, [term.weight for term in asked.terms], MATCHES)


def files(asked: Asked) -> Votes:
    """BM25 over whole files, with the words' rarity among chunks: among long files every word seems common."""
    if not asked.terms:
        return NOTHING
    words = [term.word for term in asked.terms]
    found = asked.reader.file_evidence(expression(asked.terms), len(words), MATCHES, FIELD_WEIGHTS)
    weights = [term.weight for term in asked.terms]
    scored = {one.source_id: bm25(weights, one) for one in found}
    present = {one.source_id: _present(words, one) for one in found}
    return Votes(tuple(Vote(id_, score) for id_, score in _best_first(scored)), present=present)


def phrases(asked: Asked) -> Votes:
    """Runs of the question's words in sequence: quoted text, error messages, compound names written apart."""
    wanted = dict.fromkeys((*asked.question.quoted, *asked.question.phrases))
    wanted.update(dict.fromkeys(tuple(split_identifier(name)) for name in asked.question.identifiers))
    texts = [" ".join(words) for words in affordable(wanted, asked.frequency)]
    if not texts:
        return NOTHING
    # How often a phrase occurs is not known beforehand: each counts as much as a word met once in a hundred chunks.
    return _by_text(asked, any_of(texts), texts, [rarity(asked.items // 100, asked.items)] * len(texts), PHRASE_MATCHES)


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


def _by_text(asked: Asked, match: str, texts: Sequence[str], weights: Sequence[float], limit: int) -> Votes:
    found = asked.reader.chunk_evidence(match, len(texts), limit, FIELD_WEIGHTS)
    item_scores = {one.id: bm25(weights, one) for one in found}
    by_source: dict[int, list[tuple[int, float]]] = {}
    source_of = {one.id: one.source_id for one in found}
    for item_id, score in _best_first(item_scores):
        by_source.setdefault(source_of[item_id], []).append((item_id, score))
    scored = {source: damped_sum([score for _, score in items]) for source, items in by_source.items()}
    votes = (Vote(id_, score, tuple(item for item, _ in by_source[id_])) for id_, score in _best_first(scored))
    evidence = {one.id: one for one in found}
    present = {source: _present(texts, evidence[items[0][0]]) for source, items in by_source.items()}
    return Votes(tuple(votes), item_scores, present)


def damped_sum(scores: Sequence[float]) -> float:
    """The best score, and ever smaller parts of the next ones; ``scores`` best first."""
    return sum(score * DAMPING**place for place, score in enumerate(scores[:DAMPED_CHUNKS]))


def names(asked: Asked) -> Votes:
    """Where the identifiers of the question are defined. A name that many files define points nowhere.

    Who asks for the tests of a name knows where the name is.
    """
    hits: list[tuple[float, DefinitionHit]] = []
    if Intent.TESTS in asked.question.intents:
        return NOTHING
    for name in asked.question.identifiers:
        defined = asked.reader.definitions([name.lower()], NAME_HITS)
        if len({hit.source_id for hit in defined}) <= MAX_DEFINING_FILES:
            hits += [(1.0 if hit.name == name else 0.9, hit) for hit in defined]
    return _defined(asked, hits)


def similar(asked: Asked) -> Votes:
    """Definitions that begin like an identifier nobody defines, or are spelled like it."""
    compound = [name for name in asked.question.identifiers if is_compound(name)]
    unknown = [name for name in compound if not asked.reader.definitions([name.lower()], 1)]
    hits = [hit for name in unknown[:MAX_SIMILAR] for hit in _alike(asked.reader, name)]
    return _defined(asked, hits[:NAME_HITS])


def _alike(reader: Reader, identifier: str) -> list[tuple[float, DefinitionHit]]:
    folded = identifier.lower()
    if len(folded) < SHORTEST_PREFIX:
        return []
    longer = reader.definitions_by_prefix(folded, NAME_HITS)
    if longer:
        return [(len(folded) / len(hit.name), hit) for hit in longer]
    alike = {n.name.lower(): n.similarity for n in reader.similar_names(identifier, 5) if not n.is_path}
    close = [name for name, similarity in alike.items() if similarity >= SIMILAR_ENOUGH]
    return [(alike[hit.name.lower()], hit) for hit in reader.definitions(close, NAME_HITS)] if close else []


def _defined(asked: Asked, hits: Sequence[tuple[float, DefinitionHit]]) -> Votes:
    """Files of definitions: by how well the name fits, then by the other words of the question around the place, then
    the implementation first, and what is less deeply nested.
    """
    fit: dict[int, float] = {}
    for strength, hit in hits:
        fit[hit.item_id] = max(strength, fit.get(hit.item_id, 0.0))
    own = {part for name in asked.question.identifiers for part in (name.lower(), *split_identifier(name))}
    others = frozenset(asked.question.words) - own
    items = asked.reader.items(list(fit))
    return _named(items, {item.id: fit[item.id] + _place_bonus(item, others) for item in items.values()})


def _place_bonus(item: Item, words: frozenset[str]) -> float:
    """Small beside the fit of a name; orders places that define the same name."""
    around = frozenset(split_identifier(f"{item.source.source_id} {item.breadcrumb}"))
    depth = min(len(item.breadcrumb.split(".")), 4)
    return 0.05 * min(len(around & words), 4) + 0.02 * (item.source.role is Role.IMPLEMENTATION) - 0.005 * depth


def claims(asked: Asked) -> Votes:
    """Where a key of the question has a literal value."""
    keys = [*asked.question.identifiers]
    if Intent.CONFIG in asked.question.intents:
        keys += [term.word for term in asked.terms if len(term.word) >= SHORTEST_PREFIX]
    counts: dict[int, float] = {}
    for hit in asked.reader.claims(keys, NAME_HITS) if keys else []:
        counts[hit.item_id] = counts.get(hit.item_id, 0.0) + 1.0
    return _named(asked.reader.items(list(counts)), counts)


def paths(asked: Asked) -> Votes:
    """Files the question names by path or file name; the whole path in sequence, so ``a/b.py`` is not ``b/a.py``."""
    scored: dict[int, float] = {}
    for path in asked.question.paths:
        words = " ".join(part for part in _path_words(path))
        for source_id, score in asked.reader.paths_like([words], NAME_HITS):
            scored[source_id] = max(score, scored.get(source_id, 0.0))
    return Votes(tuple(Vote(id_, score) for id_, score in _best_first(scored)))


def tests(asked: Asked) -> Votes:
    """The tests of what the question names, when it asks for tests."""
    if Intent.TESTS not in asked.question.intents:
        return NOTHING
    found = [item for name in asked.question.identifiers for item in asked.reader.tests_of(name, NAME_HITS)]
    known = asked.reader.items(found)
    votes: dict[int, list[int]] = {}
    for item_id in dict.fromkeys(found):
        if item_id in known:
            votes.setdefault(known[item_id].source.id, []).append(item_id)
    return Votes(tuple(Vote(source, 1.0, tuple(items)) for source, items in votes.items()))


def exact(asked: Asked) -> Votes:
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
    return _named(asked.reader.items(list(scores)), scores)


RANKERS: dict[str, tuple[Callable[[Asked], Votes], float]] = {
    "chunks": (chunks, 1.0),
    "files": (files, 1.0),
    "phrases": (phrases, 0.3),
    "names": (names, 2.0),
    "similar": (similar, 0.3),
    "claims": (claims, 0.3),
    "paths": (paths, 2.0),
    "tests": (tests, 1.0),
    "exact": (exact, 12.0),  # more than all others together, whatever the file's prior
}
"""Every ranker and how much its list counts in the fusion."""


def _named(items: Mapping[int, Item], scores: Mapping[int, float]) -> Votes:
    """Files of items found by name, each as good as its best item; equal ones in byte order of path."""
    by_source: dict[int, list[Item]] = {}
    for item in sorted(items.values(), key=lambda item: (-scores[item.id], item.source.path, item.start_byte)):
        by_source.setdefault(item.source.id, []).append(item)
    votes = (Vote(id_, scores[own[0].id], tuple(item.id for item in own)) for id_, own in by_source.items())
    return Votes(tuple(votes), {item: scores[item] for item in items})


def _best_first(scored: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(scored.items(), key=lambda entry: (-entry[1], entry[0]))


def _present(words: Sequence[str], evidence: Evidence) -> frozenset[str]:
    return frozenset(word for word, count in zip(words, evidence.counts, strict=False) if count)


def _path_words(path: str) -> Iterable[str]:
    return path.replace("/", " ").replace(".", " ").replace("-", " ").split()
