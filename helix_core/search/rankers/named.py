"""Rankers that go by what a question names: identifiers, keys, paths, texts."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.model import Item, Role
from helix_core.search.exact import literal_chunks, misspelt_definitions, named_definitions, named_files
from helix_core.search.question import Intent
from helix_core.search.rankers.votes import NOTHING, Asked, Vote, Votes, best_first, by_best_item, words_of_path
from helix_core.search.rankers.words import FIELD_WEIGHTS
from helix_core.search.terms import bm25
from helix_core.store.hits import DefinitionHit
from helix_core.store.reader import Reader
from helix_core.words import is_compound, split_identifier

NAME_HITS = 60
SIMILAR_ENOUGH = 0.55
SHORTEST_PREFIX = 4
MAX_DEFINING_FILES = 6
MAX_SIMILAR = 2


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
    return by_best_item(items, {item.id: fit[item.id] + _place_bonus(item, others) for item in items.values()})


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
    return by_best_item(asked.reader.items(list(counts)), counts)


def paths(asked: Asked) -> Votes:
    """Files the question names by path or file name; the whole path in sequence, so ``a/b.py`` is not ``b/a.py``."""
    scored: dict[int, float] = {}
    for path in asked.question.paths:
        words = " ".join(words_of_path(path))
        for source_id, score in asked.reader.paths_like([words], NAME_HITS):
            scored[source_id] = max(score, scored.get(source_id, 0.0))
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(scored)))


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
    return by_best_item(asked.reader.items(list(scores)), scores)
