"""Decide what the names and coordinates of a question settle about its answer, whatever verb it asks with.

The fitted confidence weighs words. A name that is defined in the first place, a line that is in the first place, and a
name that is used without a known definition are facts of the index, and bound that confidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix_core.conversation import Coordinate
from helix_core.model import Ranked, Role
from helix_core.search.confidence import telling_terms
from helix_core.search.coordinates import is_built
from helix_core.search.question import SIGNS, Intent, Question, Term, any_of, is_request_word, is_task_word, owners_of
from helix_core.search.rankers import VALUE_KINDS, WordPlaces, stem_of, with_every_sign
from helix_core.store import DefinitionHit, QueryBudgetError, Reader
from helix_core.tuples import NamedTuple
from helix_core.words import is_compound, split_identifier

NAMED_CONFIDENCE = 0.9
"""Least confidence of an answer whose first place is the definition, or the line, that the question names."""
MANY_CONFIDENCE = 0.69
"""Most confidence of an answer to a single word of which there are many."""
SAID = 0.5
"""Least confidence of such an answer whose first place is a definition of the word."""
MANY_DEFINITIONS = 3
LEAST_MANY = 20
EVERYWHERE, EVERYWHERE_UNDEFINED = 0.2, 0.05
"""The shares of all chunks from which on a single word says nothing of the place: one with a definition, and one with
none or two.
"""
UNDEFINED_CONFIDENCE = 0.5
"""Most confidence of an answer to a question for a name that the workspace uses and does not define."""
MOST_OTHER_WORDS = 3
"""With more words next to the name a question asks for something else, of which the name is the context."""
MOST_OTHER_WORDS_OF_UNDEFINED = 2
"""An error message or a longer question names what a library defines, and its other words are here."""
MOST_UNDEFINED = 2
HOMONYM_FILES = 6
MOST_FILES_CALLED = 400
"""So many paths that have a word are looked at for one that is called so."""
_WORD = re.compile(r"\w+")
_MEMBER = re.compile(r"(?<![\w./\\-])[A-Za-z_]\w{0,80}\.([A-Za-z]\w{2,80})\b(?![./\\-]\w)")
_ASKS_FOR_USES = re.compile(
    r"(?i)\b(?:use[sd]?|using|usages?|call(?:s|ed|ers?|ing)?|import(?:s|ed|ing)?|references?)\b"
)
_WITH_MACROS = frozenset({"c", "cpp", "rust", "elixir"})
"""Languages in which a macro may define a name, whose text no parser expands."""
OF_DOCUMENTS = frozenset({Intent.DOCS, Intent.EXAMPLES, Intent.HISTORY})
HEADING = "section"
"""The kind of a definition that is a heading of a document."""


class ConfidenceBounds(NamedTuple):
    """The bounds, 0..1, that facts put on the confidence of an answer, and the notes that say so."""

    at_least: float = 0.0
    at_most: float = 1.0
    notes: tuple[str, ...] = ()

    def bound(self, confidence: float) -> float:
        """Return the confidence within the bounds."""
        return min(max(confidence, self.at_least), self.at_most)


NO_BOUNDS = ConfidenceBounds()


def settle(
    text: str, question: Question, terms: Sequence[Term], ranked: Sequence[Ranked], *, word: WordPlaces, reader: Reader
) -> ConfidenceBounds:
    """Return what the names of a question settle; nothing where a look-up exceeds its budget.

    Args:
        text: The question that ``question`` is parsed from.
        terms: All its words with their frequencies.
        ranked: The answer, best first.
        word: The places of the one word that the question asks for.
        reader: The index.
    """
    names = question.subject[-1:] or question.identifiers
    if not names or not ranked:
        return NO_BOUNDS
    try:
        if question.word and (bounds := _of_a_word(question.word, word, terms, ranked[0], reader)) is not None:
            return bounds
        hits = reader.names.definitions(with_every_sign(names))
        # Of the files that a filter leaves nothing follows for the workspace.
        undefined = [] if reader.is_narrowed else _undefined(names, hits, reader)
        half_read = {name: reader.uses.code_mentioning(name, 1, half_read=True) for name in undefined}
    except QueryBudgetError:
        return NO_BOUNDS
    others = _other_words(question, names, terms)
    if undefined and len(others) <= MOST_OTHER_WORDS_OF_UNDEFINED:
        at_most = 1.0 if _ASKS_FOR_USES.search(text) else UNDEFINED_CONFIDENCE
        by_macro = any(one.item.source.language in _WITH_MACROS for one in ranked)
        notes = tuple(
            undefined_note(name, by_macro=by_macro, may_be_in=half_read_note(paths[0]) if paths else "")
            for name, paths in half_read.items()
        )
        return ConfidenceBounds(at_most=at_most, notes=notes)
    is_about = len(others) <= MOST_OTHER_WORDS and all(term.frequency for term in others)
    own = [hit for hit in hits if hit.kind != HEADING or not others]
    if is_about and _is_definition(text, question, names, own, ranked[0]):
        return ConfidenceBounds(at_least=NAMED_CONFIDENCE)
    return NO_BOUNDS


def _of_a_word(
    word: str, known: WordPlaces, terms: Sequence[Term], first: Ranked, reader: Reader
) -> ConfidenceBounds | None:
    """Return the bounds of an answer to a single word that says little of which of its places is meant; None for one
    that says it.
    """
    places = known.definitions
    if not places:
        if known.files:
            return None
        if known.longer_names:
            name = known.longer_names[0].name
            return ConfidenceBounds(
                at_most=MANY_CONFIDENCE, notes=(f"nothing here is called {word} alone; see {name}",)
            )
        if not reader.names.definitions([word.lower()], 1):
            # It is only said here, at places of which none is more its own than another.
            return ConfidenceBounds(at_most=MANY_CONFIDENCE)
    frequency = max((term.frequency for term in terms if term.word == word.lower()), default=0)
    _, items = reader.text.size()
    telling = [hit for hit in places if hit.kind not in VALUE_KINDS] or places
    least = SAID if first.item.id in {hit.item_id for hit in places} else 0.0
    if len(telling) >= MANY_DEFINITIONS:
        many = f"{word} is defined at {len(telling)} places; name the class or the file, or say what of it you ask for"
        return ConfidenceBounds(least, MANY_CONFIDENCE, (many,))
    if frequency >= max(LEAST_MANY, items * (EVERYWHERE if len(telling) == 1 else EVERYWHERE_UNDEFINED)):
        many = f"{word} is in {frequency:,} of {items:,} places here; say what of it you ask for"
        return ConfidenceBounds(least, MANY_CONFIDENCE, (many,))
    return None


def unknown_members(text: str, reader: Reader) -> list[str]:
    """Return the members that a text names behind an owner and a dot, and that code neither defines, uses nor sets;
    none where a look-up exceeds its budget.

    Only compound names: of a single word nothing follows. A member of a name with more dots is left out: it may be that
    of a host or of a package.
    """
    names = [name for name in dict.fromkeys(_MEMBER.findall(text)) if is_compound(name)][:MOST_UNDEFINED]
    try:
        defined = _unsigned(reader.names.definitions(with_every_sign(names)))
        return [name for name in names if name.lower() not in defined and not _is_used(name, reader)]
    except QueryBudgetError:
        return []


def are_names(words: Sequence[str], reader: Reader) -> bool:
    """Return whether names or paths of the index have each word, also as a part. Assumed where a query exceeds its
    budget: such a word is everywhere.
    """
    try:
        return all(reader.text.occurs(f"{{names path}} : {any_of([word.lower()])}") for word in words)
    except QueryBudgetError:
        return True


def is_implemented(name: str, reader: Reader) -> bool:
    """Return whether the implementation defines a name that is written alike."""
    hits = [hit for hit in reader.names.definitions([name.lower()]) if hit.name == name]
    sources = reader.files.sources_by_id(hit.source_id for hit in hits)
    return any(source.role is Role.IMPLEMENTATION for source in sources.values())


_NO_CODE_OF_ITS_OWN = frozenset({Role.TEST, Role.EXAMPLE})


def is_called(word: str, reader: Reader) -> bool:
    """Return whether a file, or something in code other than a value, is called like the word, in whatever case; the
    code of tests and examples aside.
    """
    hits = [hit for hit in reader.names.definitions([word.lower()]) if hit.kind not in VALUE_KINDS | {HEADING}]
    sources = reader.files.sources_by_id(hit.source_id for hit in hits)
    if any(source.role not in _NO_CODE_OF_ITS_OWN for source in sources.values()):
        return True
    files = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([word], MOST_FILES_CALLED))
    return any(stem_of(source.source_id) == word.lower() for source in files.values())


def is_of_tests(question: Question, reader: Reader) -> bool:
    """Return whether a question writes names as only code has them, and tests alone define them: it asks of tests."""
    names = {name for name in question.identifiers if is_compound(name)}
    try:
        hits = [hit for hit in reader.names.definitions(map(str.lower, names)) if hit.kind != HEADING] if names else []
    except QueryBudgetError:
        return False
    sources = reader.files.sources_by_id({hit.source_id for hit in hits if hit.name in names})
    return bool(sources) and all(source.role is Role.TEST for source in sources.values())


def _is_used(name: str, reader: Reader) -> bool:
    totals = reader.uses.totals(name)
    return bool(totals.users or totals.tests or reader.claims.matching([name], 1))


def has_line(place: Ranked, coordinates: Sequence[Coordinate]) -> bool:
    """Return whether a place has the line of a coordinate that names it, or the name of one without a line or of a
    built bundle.
    """
    path, item = place.item.source.source_id, place.item
    if any(one.symbol == item.name and is_built(one.path) for one in coordinates):
        return True
    return any(
        (
            item.start_line <= one.line <= item.end_line or (one.symbol.rpartition(".")[2] or None) == item.name
            if one.line
            else bool(one.symbol and _shows(place, one.symbol))
        )
        and one.path.rpartition("/")[2] == path.rpartition("/")[2]
        for one in coordinates
    )


def _shows(place: Ranked, symbol: str) -> bool:
    """Return whether a place is the definition of a name: the chunk itself, or lines of a chunk that has several."""
    return place.focus is not None or place.item.chain.endswith(symbol)


def undefined_note(name: str, *, by_macro: bool = False, may_be_in: str = "") -> str:
    """Return the note of a name that is used, and of which no definition is known.

    It never says that the name is defined nowhere: macros, generators and syntax that no parser here knows define
    names, too. ``by_macro`` says that one may have; ``may_be_in`` names a file that was parsed only in part, or a line
    that reads like a definition.
    """
    maybe = f", but {may_be_in}" if may_be_in else "; a macro may define it" if by_macro else ""
    return f"no definition of {name} was recognized in the indexed files{maybe}; the places that use it come first"


def half_read_note(path: bytes) -> str:
    """Return the reason, a clause, for which a name of a file with syntax errors may be defined there."""
    return f"{path.decode('utf-8', 'replace')} has it and could be parsed only in part"


def says_undefined(note: str, name: str) -> bool:
    """Return whether a note is one of ``undefined_note`` for this name."""
    return note.startswith(f"no definition of {name} was recognized ")


def _undefined(names: Sequence[str], hits: Sequence[DefinitionHit], reader: Reader) -> list[str]:
    """Return the compound names that code uses, and that no definition, in whatever case, or value has."""
    defined = _unsigned(hits)
    unknown = [name for name in names if is_compound(name) and name.lower() not in defined][:MOST_UNDEFINED]
    used = []
    for name in unknown:
        totals = reader.uses.totals(name)
        if (totals.users or totals.tests) and not reader.claims.matching([name], 1):
            used.append(name)
    return used


def _unsigned(hits: Sequence[DefinitionHit]) -> set[str]:
    """Return the names in lower case, those of Ruby with their sign and without it: who asks for ``etag_matches`` may
    mean ``etag_matches?``.
    """
    return {name for hit in hits for name in (hit.name.lower(), hit.name.lower().rstrip("".join(SIGNS)))}


def _is_definition(
    text: str, question: Question, names: Sequence[str], hits: Sequence[DefinitionHit], first: Ranked
) -> bool:
    """Return whether the first place defines a name of the question, as written, under the owner and in the file that
    the question puts it in, and all its other names are defined too.
    """
    if not set(names) <= {hit.name for hit in hits}:
        return False
    here = [hit for hit in hits if hit.item_id == first.item.id and hit.name in names]
    if not here or len({hit.source_id for hit in hits if hit.name == here[0].name}) > HOMONYM_FILES:
        return False
    item = first.item
    if question.intents & OF_DOCUMENTS or (Intent.TESTS in question.intents and item.source.role is not Role.TEST):
        return False
    path = item.source.source_id
    if question.paths and not any(path == one or path.endswith(f"/{one}") for one in question.paths):
        return False
    around = set(_WORD.findall(f"{path} {item.breadcrumb} {item.name}"))
    return all(owners <= around for hit in here if (owners := owners_of(hit.name, text)))


def _other_words(question: Question, names: Sequence[str], terms: Sequence[Term]) -> list[Term]:
    """Return the words of the question other than its names, its paths and what it wants done with them."""
    own = {part for name in names for part in (name.lower(), *split_identifier(name))}
    in_paths = [word.lower() for path in question.paths for word in _WORD.findall(path)]
    own.update(part for word in (*in_paths, *map(str.lower, question.subject)) for part in (word, *word.split("_")))
    others = [term for term in telling_terms(question, terms) if term.word not in own]
    return [term for term in others if not (is_request_word(term.word) or is_task_word(term.word))]
