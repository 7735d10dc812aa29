"""The rankers: each queries the index in its own way and returns files, best first, with the chunks that matched.

Word rankers use FTS5, name rankers exact and fuzzy symbols and paths, neighborhood rankers vectors and the graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from types import MappingProxyType

from helix_core.model import Item, Role
from helix_core.search.meaning import OUTLINES, PASSAGES, QuestionVector
from helix_core.search.question import (
    SIGNS,
    Intent,
    Question,
    Term,
    any_of,
    bm25,
    bm25f,
    idf,
    match_expression,
    narrower_expression,
)
from helix_core.search.whole_project import OF_THE_WHOLE, WholePlace, documents_called, places_of_the_whole
from helix_core.store import DefinitionHit, MatchCounts, Reader, VectorHit, Weights
from helix_core.tuples import NamedTuple
from helix_core.words import is_compound, lazy_pattern, split_identifier

_WORD = re.compile(r"\w+")
OVER_BUDGET = "ran out of its budget"
"""The state of a ranker, or of a later step, whose query was interrupted."""
HITS = 60
MAX_FILES = 6
MAX_FILES_OF_A_WORD = 2
MAX_PLACES_OF_A_WORD = 6
WORD_HITS = 400
MAX_FILES_OF_A_TEXT = 3
TEXT_MATCHES = 12
MAX_POSTINGS = 6_000
SHORTEST_MISSPELT = 5
ALIKE = 20
SLIP = 0.85
NEXT_PLACE = 0.5
"""How far each definition of a plain word stands behind the one before it, of which a definition alone has 1."""
MAX_POSTINGS_OF_A_SENTENCE = 500


def named_files(question: Question, reader: Reader) -> list[int]:
    """Return sources whose path equals the question, else those whose path ends with it."""
    if not question.path:
        return []
    found = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([question.path], HITS))
    whole = [id_ for id_, source in found.items() if source.source_id == question.path]
    ending = [id_ for id_, source in found.items() if source.source_id.endswith(f"/{question.path}")]
    named = whole or ending
    return named if len(named) <= MAX_FILES else []


WHOLE = 2.0
"""How much more than a name of the question the place of an overview counts: its words are of no matter."""


def of_the_whole(intent: Intent, query: RankerInput) -> Votes:
    """Rank the places that speak of the whole project."""
    return _whole_votes(places_of_the_whole(intent, query.question.words, query.reader))


def _whole_votes(places: Sequence[WholePlace]) -> Votes:
    votes = tuple(Vote(one.source_id, one.score, one.items) for one in places)
    return Votes(votes, {item: WHOLE + one.score for one in places for item in one.items})


def named_definitions(query: RankerInput) -> list[DefinitionHit]:
    """Return definitions of the one name that the question consists of: case-sensitive matches first, within the
    class or module typed before it. Of a name with many definitions none are returned, of a plain word the first that
    the implementation has (``WordPlaces``).
    """
    question, reader = query.question, query.reader
    *owners, name = question.subject or ("",)
    if not name:
        return []
    if question.word:
        hits = query.word.definitions
        if all(hit.kind in VALUE_KINDS for hit in hits) and query.word.is_own_file_meant:
            # A test may call a helper that, and any type a field.
            return []
        if hits:
            return hits[:MAX_PLACES_OF_A_WORD]
    hits = reader.names.definitions([name.lower()], HITS) or reader.names.definitions(with_every_sign([name]), HITS)
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


def with_every_sign(names_: Iterable[str]) -> set[str]:
    """Return names in lower case, also with each sign that may end a name of Ruby."""
    return {f"{name.lower()}{sign}" for name in names_ for sign in ("", *SIGNS)}


class WordPlaces:
    """The places of a plain word that may be a name as well, each looked up once, when it is first asked for.

    Each raises QueryBudgetError.
    """

    def __init__(self, word: str, reader: Reader) -> None:
        self._word, self._reader = word, reader

    @cached_property
    def definitions(self) -> list[DefinitionHit]:
        """The definitions of the word in the implementation, whatever their case unless it has a capital:
        those at the top level of a file of that name, then callables and types before values, then in few folders.
        """
        hits = self._reader.names.definitions([self._word.lower()], WORD_HITS)
        if not self._word.islower():
            hits = [hit for hit in hits if hit.name == self._word] or hits
        items = self._reader.files.items(list({hit.item_id for hit in hits}))
        own = [hit for hit in hits if hit.kind in _DEFINING and _is_implemented(items.get(hit.item_id))]

        def order(hit: DefinitionHit) -> tuple[bool, bool, int, bool, int, bytes]:
            item = items[hit.item_id]
            depth = (len(item.breadcrumb.split(".")) if item.breadcrumb else 0) + (item.name not in ("", hit.name))
            heads_its_file = depth == 0 and stem_of(item.source.source_id) == self._word.lower()
            folders = item.source.source_id.count("/")
            return not heads_its_file, hit.kind in VALUE_KINDS, depth, hit.name != self._word, folders, item.source.path

        return sorted(own, key=order)

    @cached_property
    def files(self) -> list[int]:
        """The files of the implementation that have the word for their name; none where many have."""
        found = self._reader.files.sources_by_id(id_ for id_, _ in self._reader.text.paths_like([self._word], HITS))
        own = [id_ for id_, one in found.items() if stem_of(one.source_id) == self._word.lower()]
        own = [id_ for id_ in own if found[id_].role is Role.IMPLEMENTATION]
        return own if len(own) <= MAX_FILES_OF_A_WORD else []

    @cached_property
    def files_at_the_top(self) -> list[int]:
        """The files at the top of the workspace that have the word for their name, whatever they are: ``test.c``."""
        paths = self._reader.text.paths_like([self._word], WORD_HITS) if self._word else []
        found = self._reader.files.sources_by_id(id_ for id_, _ in paths)
        own = [id_ for id_, one in found.items() if "/" not in one.source_id]
        own = [id_ for id_ in own if stem_of(found[id_].source_id) == self._word.lower()]
        return own if len(own) <= MAX_FILES_OF_A_WORD else []

    @property
    def is_own_file_meant(self) -> bool:
        """Whether a file of the implementation is called so, and has none of the values that are."""
        called = set(self.files)
        return bool(called) and called.isdisjoint(hit.source_id for hit in self.definitions)

    @cached_property
    def longer_names(self) -> list[DefinitionHit]:
        """The definitions in the implementation of the word and one more; none for several names."""
        alike = [one.name for one in self._reader.names.similar_names(self._word, ALIKE) if not one.is_path]
        names_ = {name.lower() for name in alike if _is_word_of_two(self._word.lower(), name)}
        hits = self._reader.names.definitions(names_, HITS) if names_ else []
        items = self._reader.files.items(list({hit.item_id for hit in hits}))
        own = [hit for hit in hits if hit.kind in _DEFINING - VALUE_KINDS and _is_implemented(items.get(hit.item_id))]
        if len({hit.name.lower() for hit in own}) > 1:
            return []
        own.sort(key=lambda hit: (hit.kind == "declaration", items[hit.item_id].source.path, hit.start_line))
        return own if len({hit.source_id for hit in own}) <= MAX_FILES else []


def stem_of(path: str) -> str:
    """Return a file's name without its ending, as one word."""
    return path.rpartition("/")[2].partition(".")[0].lower().replace("_", "").replace("-", "")


def _is_word_of_two(word: str, name: str) -> bool:
    parts = split_identifier(name)
    return len(parts) == 2 and word in parts


VALUE_KINDS = frozenset({"constant", "field"})
"""The kinds of definitions in code that are neither called nor types."""
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "object", "module", "namespace"})
_DEFINING = VALUE_KINDS | _TYPES | {"function", "method", "macro", "declaration"}


def _is_implemented(item: Item | None) -> bool:
    return item is not None and item.source.role is Role.IMPLEMENTATION


def misspelt_definitions(question: Question, reader: Reader) -> list[DefinitionHit]:
    """Return definitions of the known name that the question's only, undefined name is a typo of."""
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
    """Return chunks that contain a quoted text, or else the whole question, verbatim; none for a text in many files.

    A message found only in tests is assembled elsewhere, so a question must quote it to mean the tests.
    """
    if found := _printing(question.printed, frequency, reader, weights):
        return found
    for text in question.literals:
        found = _verbatim(text, frequency, reader, weights, MAX_POSTINGS)
        if found:
            return found
    if not question.sentence:
        return []
    found = _verbatim(question.sentence, frequency, reader, weights, MAX_POSTINGS_OF_A_SENTENCE)
    sources = reader.files.sources_by_id({one.source_id for one in found})
    return [one for one in found if sources[one.source_id].role is not Role.TEST]


def uses_of_name(query: RankerInput) -> dict[int, float]:
    """Return the chunks that have the one name of which the question consists, written as only code has names, where no
    definition of it is known, with their scores: uses in the implementation, in tests, then documents and other texts.
    None for a name in many files.
    """
    name, reader = query.question.subject[-1] if query.question.subject else "", query.reader
    if reader.is_narrowed or not is_compound(name) or reader.names.definitions(with_every_sign([name]), 1):
        # The uses of a name are not known by file.
        return {}
    found: dict[int, float] = {}
    for score, in_tests in ((1.0, False), (USED_IN_A_TEST, True)):
        uses = reader.uses.items_using(name, in_tests=in_tests, near=b"", importing=(), defining=(), limit=TEXT_MATCHES)
        for ids in uses:
            found.update(dict.fromkeys(set(ids) - found.keys(), score))
    documents = set(reader.uses.documents_mentioning(name, TEXT_MATCHES))
    found.update(dict.fromkeys(documents - found.keys(), MENTIONED))
    if not found:
        others = _verbatim(name, query.frequency, reader, FIELD_WEIGHTS, MAX_POSTINGS)
        found = {one.id: MENTIONED for one in others}
    files = {item.source.id for item in reader.files.items(list(found)).values()}
    return found if len(found) < TEXT_MATCHES and len(files) <= MAX_FILES else {}


USED_IN_A_TEST, MENTIONED = 0.9, 0.8


MOST_BETWEEN = 3
"""So many tokens of code may produce one value of a message: ``%s``, ``{self.name}``, ``" + str(n) + "``."""
LEAST_PRINTED = 0.75
"""Least share of a message's words that the text which prints it must have."""


def _printing(runs: Sequence[str], frequency: Mapping[str, int], reader: Reader, weights: Weights) -> list[MatchCounts]:
    """Return the chunks whose code has most of a printed message: its runs of words in order, a value between each two.
    None where many files have as much of it.
    """
    told = [run for run in runs if " " in run]
    affordable_ = [run for run in told if 0 < _rarest(run, frequency) <= MAX_POSTINGS]
    if not affordable_:
        return []
    found = _best_with(affordable_, HITS, reader, weights)
    offsets = reader.text.phrase_offsets(any_of(runs), [one.id for one in found])
    lengths = [len(reader.words.tokens(run)) for run in runs]
    held = {id_: _longest_chain(lengths, where.body) for id_, where in offsets.items()}
    sources = reader.files.sources_by_id({one.source_id for one in found})
    own = [one for one in found if one.id in held and sources[one.source_id].role is Role.IMPLEMENTATION]
    own = [one for one in own if held[one.id][0] >= LEAST_PRINTED * sum(lengths)]
    best = max((held[one.id] for one in own), default=(0, 0))
    own = [one for one in own if held[one.id] == best]
    return own if len(own) < TEXT_MATCHES and len({one.source_id for one in own}) <= MAX_FILES_OF_A_TEXT else []


def _rarest(text: str, frequency: Mapping[str, int]) -> int:
    """Return how many chunks have the text's rarest word; 0 where all its words are in every chunk."""
    return min((frequency[word] for word in _WORD.findall(text.lower()) if word in frequency), default=0)


def _longest_chain(lengths: Sequence[int], places: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Return how many tokens of a message stand in its order, and the tokens between them beyond one a value, negated.

    ``lengths`` are the tokens of each run, ``places`` the run and the offset of each occurrence.
    """
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    for run, offset in sorted(places, key=lambda place: (place[1], place[0])):
        if run >= len(lengths):
            continue
        before = [
            (count, -more)
            for between in range(MOST_BETWEEN + 1)
            if (known := ends.get((run - 1, offset - between))) is not None
            for count, more in [(known[0], abs(between - 1) - known[1])]
        ]
        count, more = max(before, default=(0, 0))
        ends[run, offset + lengths[run]] = (count + lengths[run], more)
    return max(ends.values(), default=(0, 0))


def _verbatim(
    text: str, frequency: Mapping[str, int], reader: Reader, weights: Weights, max_postings: int
) -> list[MatchCounts]:
    """Return the chunks with the text. A look-up costs the posting list of its rarest word; an unknown word means no
    match.
    """
    if not 0 < _rarest(text, frequency) <= max_postings:
        return []
    found = reader.text.all_evidence(any_of([text]), 1, TEXT_MATCHES - 1, weights) or []
    return found if len({one.source_id for one in found}) <= MAX_FILES_OF_A_TEXT else []


DAMPING = 0.3
DAMPED_CHUNKS = 3


class Vote(NamedTuple):
    """A file in a ranker's list: its score within this ranker, and the matching chunks, best first (may be empty).

    A question creates hundreds of these.
    """

    source_id: int
    score: float
    items: tuple[int, ...] = ()


class Votes(NamedTuple):
    """A ranker's list, best first, the scores of the chunks it considered, and the question's words in each file."""

    votes: tuple[Vote, ...] = ()
    item_scores: Mapping[int, float] = MappingProxyType({})
    present: Mapping[int, frozenset[str]] = MappingProxyType({})


NOTHING = Votes()


@dataclass(frozen=True)
class RankerInput:
    """The input of every ranker: the question, the terms to search for, each word's document frequency in chunks,
    the number of chunks, and the query embedding where vectors are available.
    """

    question: Question
    terms: tuple[Term, ...]
    frequency: Mapping[str, int]
    items: int
    reader: Reader
    meaning: QuestionVector | None = None

    @cached_property
    def word(self) -> WordPlaces:
        """Where the one word is defined that the question asks for; without places where it asks for none."""
        return WordPlaces(self.question.word, self.reader)

    @property
    def has_model(self) -> bool:
        """Whether the query embedding is one of a model, not of the built-in vectors."""
        return self.meaning is not None and not self.meaning.is_static


def best_first(scored: Mapping[int, float]) -> list[tuple[int, float]]:
    """Sort ``(id, score)`` by score, equal scores by id."""
    return sorted(scored.items(), key=lambda entry: (-entry[1], entry[0]))


def damped_sum(scores: Sequence[float]) -> float:
    """Add to the best score geometrically smaller parts of the next ones; ``scores`` best first."""
    return sum(score * DAMPING**place for place, score in enumerate(scores[:DAMPED_CHUNKS]))


def by_file(item_scores: Mapping[int, float], source_of: Mapping[int, int]) -> tuple[Vote, ...]:
    """Aggregate chunk scores by file: the best chunk plus a damped sum of the next ones."""
    chunks: dict[int, list[int]] = {}
    for item_id, _ in best_first(item_scores):
        chunks.setdefault(source_of[item_id], []).append(item_id)
    scored = {source: damped_sum([item_scores[item] for item in items]) for source, items in chunks.items()}
    return tuple([Vote(source, score, tuple(chunks[source])) for source, score in best_first(scored)])


def by_best_item(items: Mapping[int, Item], scores: Mapping[int, float]) -> Votes:
    """Rank files of items found by name by their best item; ties in byte order of path."""
    by_source: dict[int, list[Item]] = {}
    for item in sorted(items.values(), key=lambda item: (-scores[item.id], item.source.path, item.start_byte)):
        by_source.setdefault(item.source.id, []).append(item)
    votes = (Vote(id_, scores[own[0].id], tuple(item.id for item in own)) for id_, own in by_source.items())
    return Votes(tuple(votes), {item: scores[item] for item in items})


def words_of_path(path: str) -> Iterable[str]:
    """Split a path into tokens as the postings are."""
    return path.replace("/", " ").replace(".", " ").replace("-", " ").split()


MATCHES = 80
PHRASE_MATCHES = 30
PHRASE_POSTINGS = 2_000
FIELD_WEIGHTS = Weights(path=2.0, names=2.0, doc=1.5, body=1.0, extra=1.0)
BY_FIELD_LENGTH = FIELD_WEIGHTS._replace(doc=3.5, length_counts=0.75)
"""Comments weigh more than code: questions use the words of comments."""


def chunks(query: RankerInput) -> Votes:
    """Rank files by BM25F over chunks: the best chunk plus a damped sum of the next ones."""
    if not query.terms:
        return NOTHING
    words = [term.word for term in query.terms]
    weights = [term.weight for term in query.terms]
    found = _matches(query, query.reader.text.chunk_evidence)
    return _votes(words, found, {one.id: bm25f(weights, one) for one in found})


def files(query: RankerInput) -> Votes:
    """Rank files by BM25F over whole files, with IDF over chunks: in whole files every word seems common."""
    if not query.terms:
        return NOTHING
    words = [term.word for term in query.terms]
    weights = [term.weight for term in query.terms]
    found = _matches(query, query.reader.text.file_evidence)
    scored = {one.source_id: bm25f(weights, one) for one in found}
    present = {one.source_id: _present(words, one) for one in found}
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(scored)), present=present)


def _matches(query: RankerInput, ask: Callable[[str, int, int, Weights], list[MatchCounts]]) -> list[MatchCounts]:
    """Return the best matches; where the rarest term alone matches too much, among matches of the two rarest."""
    count, narrow = len(query.terms), narrower_expression(query.terms)
    found = ask(narrow, count, MATCHES, BY_FIELD_LENGTH) if narrow else []
    return found if len(found) == MATCHES else ask(match_expression(query.terms), count, MATCHES, BY_FIELD_LENGTH)


def phrases(query: RankerInput) -> Votes:
    """Rank files by runs of the question's words in sequence: quoted text, error messages, compound names written
    apart.
    """
    wanted = dict.fromkeys((*query.question.quoted, *query.question.phrases))
    wanted.update(dict.fromkeys(tuple(split_identifier(name)) for name in query.question.identifiers))
    texts = [" ".join(words) for words in affordable(wanted, query.frequency)]
    if not texts:
        return NOTHING
    # A phrase's document frequency is unknown: weigh each like a word in one of a hundred chunks.
    weights = [idf(query.items // 100, query.items)] * len(texts)
    found = _best_with(texts, PHRASE_MATCHES, query.reader, FIELD_WEIGHTS)
    return _votes(texts, found, {one.id: bm25(weights, one) for one in found})


def _best_with(texts: Sequence[str], limit: int, reader: Reader, weights: Weights) -> list[MatchCounts]:
    """Return at most ``limit`` chunks with some of the texts, in no order; the best by BM25 where more have one."""
    match, count = any_of(texts), len(texts)
    found = reader.text.all_evidence(match, count, limit, weights)
    return reader.text.chunk_evidence(match, count, limit, weights) if found is None else found


def affordable(wanted: Iterable[tuple[str, ...]], frequency: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Return the phrases that can occur, rarest words first, while their look-ups stay within budget.

    A look-up costs the posting list of the phrase's rarest word. Words of unknown frequency are stop words: they are in
    every chunk.
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
    return frozenset([word for word, count in zip(words, evidence.counts, strict=False) if count])


NAME_HITS = 60
SIMILAR_ENOUGH = 0.55
SHORTEST_PREFIX = 4
MAX_DEFINING_FILES = 6
MAX_SIMILAR = 2
SPOKEN = 0.8
"""Strength of a name that the question writes as separate words."""


def names(query: RankerInput) -> Votes:
    """Rank definitions of the question's identifiers. A name that many files define votes for none.

    A question for the tests of a name does not ask for its definition.
    """
    hits: list[tuple[float, DefinitionHit]] = []
    if Intent.TESTS in query.question.intents:
        return NOTHING
    for name in query.question.identifiers:
        defined = query.reader.names.definitions([name.lower()], NAME_HITS)
        if len({hit.source_id for hit in defined}) <= MAX_DEFINING_FILES:
            hits += [(1.0 if hit.name == name else 0.9, hit) for hit in defined]
    return _defined(query, hits or _spoken_definitions(query))


def _spoken_definitions(query: RankerInput) -> list[tuple[float, DefinitionHit]]:
    """Return definitions whose name's parts are adjacent words of the question."""
    runs = [run for run in query.question.spoken if all(query.frequency.get(word, 0) for word in run)]
    forms = {form for run in runs for form in ("_".join(run), "".join(run))}
    parts = set(runs)
    by_name: dict[str, list[DefinitionHit]] = {}
    for hit in query.reader.names.definitions(forms, NAME_HITS) if forms else []:
        if tuple(split_identifier(hit.name)) in parts:
            by_name.setdefault(hit.name.lower(), []).append(hit)
    rare = (own for own in by_name.values() if len({hit.source_id for hit in own}) <= MAX_DEFINING_FILES)
    return [(SPOKEN, hit) for own in rare for hit in own]


def similar(query: RankerInput) -> Votes:
    """Rank definitions that start with, or are spelled like, an identifier without a definition."""
    compound = [name for name in query.question.identifiers if is_compound(name)]
    unknown = [name for name in compound if not query.reader.names.definitions([name.lower()], 1)]
    hits = [hit for name in unknown[:MAX_SIMILAR] for hit in _alike(query.reader, name)]
    return _defined(query, hits[:NAME_HITS])


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


def _defined(query: RankerInput, hits: Sequence[tuple[float, DefinitionHit]]) -> Votes:
    """Rank files of definitions by how well the name matches, then by the question's other words around the chunk,
    then implementation first and the least nested.
    """
    fit: dict[int, float] = {}
    for strength, hit in hits:
        fit[hit.item_id] = max(strength, fit.get(hit.item_id, 0.0))
    own = {part for name in query.question.identifiers for part in (name.lower(), *split_identifier(name))}
    others = frozenset(query.question.words) - own
    items = query.reader.files.items(list(fit))
    return by_best_item(items, {item.id: fit[item.id] + _place_bonus(item, others) for item in items.values()})


def _place_bonus(item: Item, words: frozenset[str]) -> float:
    """Return a bonus, small relative to the name's match, that orders chunks which define the same name."""
    around = frozenset(split_identifier(f"{item.source.source_id} {item.breadcrumb}"))
    depth = min(len(item.breadcrumb.split(".")), 4)
    return 0.05 * min(len(around & words), 4) + 0.02 * (item.source.role is Role.IMPLEMENTATION) - 0.005 * depth


def claims(query: RankerInput) -> Votes:
    """Rank files in which a key of the question has a literal value."""
    keys = [*query.question.identifiers]
    if Intent.CONFIG in query.question.intents:
        keys += [term.word for term in query.terms if len(term.word) >= SHORTEST_PREFIX]
    counts: dict[int, float] = {}
    for hit in query.reader.claims.matching(keys, NAME_HITS) if keys else []:
        counts[hit.item_id] = counts.get(hit.item_id, 0.0) + 1.0
    return by_best_item(query.reader.files.items(list(counts)), counts)


_SPOKEN_ENDINGS = {
    "powershell": ("ps1", "psm1"),
    "bash": ("sh", "bash"),
    "batch": ("bat", "cmd"),
}
"""The endings of scripts by what a person calls their shell, where it is no part of the ending."""


def _spoken_paths(query: RankerInput) -> Iterator[str]:
    """Yield the names of scripts that are said by a word and a shell: "powershell install" is ``install.ps1``."""
    words = dict.fromkeys(query.question.words)
    for ending in (each for word in words for each in _SPOKEN_ENDINGS.get(word, ())):
        for word in words:
            wanted = f"{word}.{ending}"
            found = query.reader.text.paths_like([" ".join(words_of_path(wanted))], NAME_HITS)
            sources = query.reader.files.sources_by_id(id_ for id_, _ in found).values()
            if any(one.source_id.rpartition("/")[2].lower() == wanted for one in sources):
                yield wanted


def paths(query: RankerInput) -> Votes:
    """Rank files by path or file name; path parts match in sequence, so ``a/b.py`` is not ``b/a.py``."""
    scored: dict[int, float] = {}
    for path in (*query.question.paths, *_spoken_paths(query)):
        words = " ".join(words_of_path(path))
        for source_id, score in query.reader.text.paths_like([words], NAME_HITS):
            scored[source_id] = max(score, scored.get(source_id, 0.0))
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(scored)))


def tests(query: RankerInput) -> Votes:
    """Rank tests of what the question names, when it asks for tests."""
    if Intent.TESTS not in query.question.intents:
        return NOTHING
    found = [item for name in query.question.identifiers for item in query.reader.names.tests_of(name, NAME_HITS)]
    known = query.reader.files.items(found)
    votes: dict[int, list[int]] = {}
    for item_id in dict.fromkeys(found):
        if item_id in known:
            votes.setdefault(known[item_id].source.id, []).append(item_id)
    return Votes(tuple(Vote(source, 1.0, tuple(items)) for source, items in votes.items()))


_MANIFESTS: Mapping[str, Mapping[str, str]] = {
    "go": {"go.mod": "go"},
    "python": {
        "pyproject.toml": "requires python|poetry dependencies",
        "setup.cfg": "python_requires",
        "setup.py": "python_requires",
        ".python-version": "",
    },
    "node": {"package.json": "engines", ".nvmrc": "", ".node-version": ""},
    "rust": {"Cargo.toml": "rust version", "rust-toolchain.toml": "channel", "rust-toolchain": ""},
    "java": {"pom.xml": "java", "build.gradle": "java", "build.gradle.kts": "java"},
    "ruby": {".ruby-version": "", "Gemfile": "ruby"},
    "php": {"composer.json": "php"},
    "elixir": {"mix.exs": "elixir"},
}
"""The files that say which version of a language a project needs, and the words with which each may say it."""
_SAME_LANGUAGE = {"golang": "go", "nodejs": "node", "node.js": "node", "rustc": "rust", "jdk": "java"}


def manifests(language: str, reader: Reader) -> Votes:
    """Rank the files that say which version of a language the project needs: of each name those in the fewest
    folders.
    """
    votes: dict[int, Vote] = {}
    for name, words in _MANIFESTS.get(_SAME_LANGUAGE.get(language, language), {}).items():
        sources = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([name], HITS))
        depths = {id_: one.source_id.count("/") for id_, one in sources.items() if _is_called(one.source_id, name)}
        own = [id_ for id_, depth in depths.items() if depth == min(depths.values())][:MAX_FILES_OF_A_WORD]
        found = (
            {source: item for item, source, _ in reader.text.matches_in(any_of(words.split("|")), own, HITS)}
            if words
            else {}
        )
        for id_ in own:
            if id_ in found or not words:
                votes[id_] = Vote(id_, 1.0 / (len(votes) + 1), (found[id_],) if id_ in found else ())
    items = {item: vote.score for vote in votes.values() for item in vote.items}
    return Votes(tuple(votes.values()), items)


_OF_CHANGES = lazy_pattern(r"(?i)chang|news|histor|releas|upgrad|migrat|what'?s.?new|version|\A\W*v?\d")


def of_versions(versions: Sequence[str], reader: Reader, is_of_history: bool = False) -> Votes:
    """Rank the sections whose heading names a version, changelogs by their order of files; none for protocols. Where
    what changed ``is_of_history``, not those of a document of something else: a license has versions, too.
    """
    found: dict[int, float] = {}
    for version in versions:
        numbers = re.compile(rf"(?<![\w.])[vV]?{re.escape(version)}(?:\.0)?(?!\w|\.\w)")
        written = any_of([version, f"v{version}"])
        hits = reader.text.chunk_matches(f"names : ({written})", HITS) if version[0].isdigit() else []
        items = reader.files.items([item for item, _, _ in hits])
        own = [(id_, item) for id_, item in items.items() if item.kind == "section" and numbers.search(item.name)]
        found |= {id_: WHOLE for id_, item in own if not is_of_history or _tells_changes(item)}
    return by_best_item(reader.files.items(list(found)), found)


def _tells_changes(item: Item) -> bool:
    path = item.source.source_id
    return item.source.role is Role.HISTORY or _OF_CHANGES.search(f"{item.name} {path.rpartition('/')[2]}") is not None


def _is_called(path: str, name: str) -> bool:
    return path == name or path.endswith(f"/{name}")


def _ticked_definitions(query: RankerInput) -> list[DefinitionHit]:
    """Return the definitions of the one name in backticks, in its own case where one has it; none where values have it,
    or many files: then the words beside it say which is meant.
    """
    hits = WordPlaces(name := query.question.ticked, query.reader).definitions
    hits = [hit for hit in hits if hit.name == name] or hits
    own = [hit for hit in hits if hit.kind not in VALUE_KINDS]
    return own if len({hit.source_id for hit in own}) <= MAX_FILES_OF_A_TEXT else []


def _top_definitions(query: RankerInput) -> list[DefinitionHit]:
    """Return the definitions, at the top level of their files, of the one word whose workings are asked for; none where
    many files have one: a member that is called so as well is seldom the whole of it.
    """
    hits = [hit for hit in WordPlaces(query.question.workings, query.reader).definitions if hit.kind not in VALUE_KINDS]
    items = query.reader.files.items([hit.item_id for hit in hits])
    own = [hit for hit in hits if not items[hit.item_id].breadcrumb]
    return own if len({hit.source_id for hit in own}) <= MAX_FILES_OF_A_TEXT else []


def exact(query: RankerInput) -> Votes:
    """Rank what the question names exactly: a file, else the documents about the whole project where it asks for that,
    else a definition, else the manifest where it asks for the version of a language, else the section on
    the version that it names, else the one definition called after its one word, else a verbatim text, else the uses of
    its one name, else a misspelt name.
    """
    named = named_files(query.question, query.reader)
    if named:
        return Votes(tuple(Vote(id_, 1.0) for id_ in named))
    if query.question.document and (documents := documents_called(query.question.document, query.reader)):
        return _whole_votes(documents)
    for intent in OF_THE_WHOLE:
        if intent in query.question.intents:
            told = of_the_whole(intent, query)
            if told.votes:
                return told
    hits = named_definitions(query)
    if hits and query.question.word:
        # Many things have the word: they stay in their order.
        return _defined(query, [(1.0 + NEXT_PLACE * (len(hits) - at), hit) for at, hit in enumerate(hits)])
    if hits:
        return _defined(query, [(1.0, hit) for hit in hits])
    if query.question.ticked and (own := _ticked_definitions(query)):
        return _defined(query, [(1.0 + NEXT_PLACE * (len(own) - at), hit) for at, hit in enumerate(own)])
    if query.question.workings and (own := _top_definitions(query)):
        return _defined(query, [(1.0, hit) for hit in own])
    if query.question.toolchain and (told := manifests(query.question.toolchain, query.reader)).votes:
        return told
    if query.question.word and (own_files := query.word.files_at_the_top):
        return Votes(tuple(Vote(id_, 1.0) for id_ in own_files))
    is_of_history = Intent.HISTORY in query.question.intents
    if query.question.versions and (told := of_versions(query.question.versions, query.reader, is_of_history)).votes:
        return told
    if query.question.word and (after := query.word.longer_names):
        return _defined(query, [(1.0, hit) for hit in after])
    found = literal_chunks(query.question, query.frequency, query.reader, FIELD_WEIGHTS)
    scores = {one.id: bm25([1.0], one) for one in found} or uses_of_name(query)
    if not scores:
        return _defined(query, [(1.0, hit) for hit in misspelt_definitions(query.question, query.reader)])
    return by_best_item(query.reader.files.items(list(scores)), scores)


NEIGHBOURS = 200
_NOT_FOR_THE_IMPLEMENTATION = frozenset({Intent.TESTS, Intent.EXAMPLES, Intent.HISTORY})


def outlines(query: RankerInput) -> Votes:
    """Rank files by their nearest outline vector."""
    return _nearest(query, OUTLINES)


def passages(query: RankerInput) -> Votes:
    """Rank files by their nearest chunk vector."""
    return _nearest(query, PASSAGES)


def _nearest(query: RankerInput, level: str) -> Votes:
    if query.meaning is None:
        return NOTHING
    hits = query.meaning.nearest(level, NEIGHBOURS)
    # Of few files that a filter left the last may well be the answer.
    are_all = query.reader.is_narrowed and len(hits) < NEIGHBOURS
    return _by_nearest(hits, 0.0 if are_all else hits[-1].similarity) if hits else NOTHING


def _by_nearest(hits: Sequence[VectorHit], last: float) -> Votes:
    """Score by distance from the last neighbor: a cosine of 0.4 is high for one question and low for another."""
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
    votes = tuple([Vote(id_, score, tuple(items.get(id_, ()))) for id_, score in best_first(files)])
    return Votes(votes, item_scores)


def tested(query: RankerInput, votes: Mapping[str, Votes]) -> Votes:
    """Rank the implementation whose tests match the question, because tests are named in the words of a question."""
    if query.question.intents & _NOT_FOR_THE_IMPLEMENTATION or "files" not in votes:
        return NOTHING
    scores = {vote.source_id: vote.score for vote in votes["files"].votes}
    pairs = query.reader.names.tested_by(scores)
    targets: dict[int, int] = {}
    for test, _ in pairs:
        targets[test] = targets.get(test, 0) + 1
    found: dict[int, float] = {}
    for test, source in pairs:
        found[source] = max(found.get(source, 0.0), scores[test] / sqrt(targets[test]))
    return Votes(tuple(Vote(id_, score) for id_, score in best_first(found)))


PRIMARY_RANKERS: Mapping[str, Callable[[RankerInput], Votes]] = {
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
DEPENDENT_RANKERS: Mapping[str, Callable[[RankerInput, Mapping[str, Votes]], Votes]] = {"tested": tested}
LEVEL_OF: Mapping[str, str] = {"outlines": OUTLINES, "passages": PASSAGES}
"""The vector rankers and the level that each searches."""
RANKERS: tuple[str, ...] = (*PRIMARY_RANKERS, *DEPENDENT_RANKERS)
"""The names of all rankers, in the order in which they run."""

__all__ = [
    "DEPENDENT_RANKERS",
    "LEVEL_OF",
    "NOTHING",
    "PHRASE_POSTINGS",
    "PRIMARY_RANKERS",
    "RANKERS",
    "RankerInput",
    "Vote",
    "Votes",
    "affordable",
    "damped_sum",
]
