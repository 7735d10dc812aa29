"""What a question names outright and the index holds in a few places only: a file, a definition, a sentence.

Whoever types nothing but a name wants that place first, be it a test or an example. These functions say what is named;
none of them ranks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from helix_core.model import Role
from helix_core.search.question import Question
from helix_core.search.terms import any_of
from helix_core.store.hits import DefinitionHit, Weights
from helix_core.store.lexical import MatchCounts
from helix_core.store.reader import Reader
from helix_core.words import is_compound

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
    found = reader.sources_by_id(id_ for id_, _ in reader.paths_like([question.path], HITS))
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
    hits = reader.definitions([name.lower()], HITS)
    hits = [hit for hit in hits if hit.name == name] or hits
    if owners:
        items = reader.items([hit.item_id for hit in hits])
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

    known = {hit.name.lower(): None for hit in reader.similar_names(name, ALIKE) if not hit.is_path}
    close = get_close_matches(name, known, n=1, cutoff=SLIP) if name not in known else []
    hits = reader.definitions(close, HITS)
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
    sources = reader.sources_by_id({one.source_id for one in found})
    return [one for one in found if sources[one.source_id].role is not Role.TEST]


def _verbatim(
    text: str, frequency: Mapping[str, int], reader: Reader, weights: Weights, max_postings: int
) -> list[MatchCounts]:
    """Looking a text up costs about the postings of its rarest word; a text with a word nobody wrote is nowhere."""
    rarest = min((frequency[word] for word in _WORD.findall(text.lower()) if word in frequency), default=0)
    if not 0 < rarest <= max_postings:
        return []
    found = reader.chunk_evidence(any_of([text]), 1, TEXT_MATCHES, weights)
    files = {one.source_id for one in found}
    return found if len(found) < TEXT_MATCHES and len(files) <= MAX_FILES_OF_A_TEXT else []
