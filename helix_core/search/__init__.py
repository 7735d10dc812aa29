"""Rank the items of an index for a query.

In: the words of a question, a store ``Reader``, session hints. Out: ``Found``, best first: each item with its rankers
and priors, and the confidence of the whole answer. Never reads the disk, never writes, never decides whether an item is
still true.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.search.confidence import FLOOR
    from helix_core.search.coordinates import PASTED_RANKER
    from helix_core.search.import_paths import FROM_IMPORT, Imports, module_of, resolves_to
    from helix_core.search.known_words import verbatim_chunks
    from helix_core.search.language import LANGUAGE_NOTE
    from helix_core.search.meaning import (
        BUILT_IN,
        MOST_CHARS,
        MOST_PLACES,
        QuestionEncoder,
        Reranker,
        rerank,
        reranker_text,
    )
    from helix_core.search.named import (
        NAMED_CONFIDENCE,
        are_names,
        half_read_note,
        is_called,
        is_implemented,
        says_undefined,
        undefined_note,
    )
    from helix_core.search.question import Question, Term, coverage, parse_question, weigh_terms
    from helix_core.search.related import related_sources
    from helix_core.search.search import ABSENT_NOTE, DOUBT_NOTE, UNSEARCHED_NOTE, SearchRequest
    from helix_core.search.several_questions import asks_for_tests, separate_questions

__all__ = [
    "ABSENT_NOTE",
    "BUILT_IN",
    "DOUBT_NOTE",
    "FLOOR",
    "FROM_IMPORT",
    "LANGUAGE_NOTE",
    "MOST_CHARS",
    "MOST_PLACES",
    "NAMED_CONFIDENCE",
    "PASTED_RANKER",
    "UNSEARCHED_NOTE",
    "Imports",
    "Question",
    "QuestionEncoder",
    "Reranker",
    "SearchRequest",
    "Term",
    "are_names",
    "asks_for_tests",
    "coverage",
    "half_read_note",
    "is_called",
    "is_implemented",
    "module_of",
    "parse_question",
    "related_sources",
    "rerank",
    "reranker_text",
    "resolves_to",
    "says_undefined",
    "separate_questions",
    "undefined_note",
    "verbatim_chunks",
    "weigh_terms",
]

__getattr__ = lazy_face(
    __name__,
    {
        "confidence": ("FLOOR",),
        "coordinates": ("PASTED_RANKER",),
        "import_paths": ("FROM_IMPORT", "Imports", "module_of", "resolves_to"),
        "known_words": ("verbatim_chunks",),
        "language": ("LANGUAGE_NOTE",),
        "meaning": ("BUILT_IN", "MOST_CHARS", "MOST_PLACES", "QuestionEncoder", "Reranker", "rerank", "reranker_text"),
        "named": (
            "NAMED_CONFIDENCE",
            "are_names",
            "half_read_note",
            "is_called",
            "is_implemented",
            "says_undefined",
            "undefined_note",
        ),
        "question": ("Question", "Term", "coverage", "parse_question", "weigh_terms"),
        "related": ("related_sources",),
        "search": ("ABSENT_NOTE", "DOUBT_NOTE", "UNSEARCHED_NOTE", "SearchRequest"),
        "several_questions": ("asks_for_tests", "separate_questions"),
    },
)
