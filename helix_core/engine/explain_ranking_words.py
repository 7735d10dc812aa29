"""What rankers and signs are called when a person reads about them. Data only; what is unknown here keeps its name."""

from __future__ import annotations

from collections.abc import Mapping

RANKERS: Mapping[str, str] = {
    "chunks": "words of the question in one place",
    "files": "words of the question in the whole file",
    "outlines": "the file's outline is near in meaning",
    "passages": "a place is near in meaning",
    "phrases": "words of the question in sequence",
    "names": "defines a name of the question",
    "similar": "defines a name spelled like one of the question",
    "claims": "gives a value to a key of the question",
    "paths": "the question names the file",
    "tests": "tests what the question names",
    "exact": "the question names it outright",
    "tested": "its tests say what was asked",
}

SIGNS: Mapping[str, str] = {
    # of the confidence
    "covered": "of what the words tell is in one of the best files",
    "missing_proper": "rarest name that even the best file lacks",
    "unfamiliar": "strangest word that nothing here has",
    "strength": "of what a perfect place would score",
    "agreement": "of the rankers' weight has it among its first three",
    "gap": "ahead of the next file",
    "named": "the question names it outright",
}

PLACE_SIGNS: Mapping[str, str] = {
    "file_score": "how well its file stands",
    "file_rank": "its file's rank",
    "file_small": "one of few places in its file",
    "document": "in a document",
    "length": "its length",
    "short": "very short",
    "head": "defines something",
    "top_level": "at the top level",
    "nested": "nested in a function",
    "test": "inside tests",
    "dunder": "a special method",
    "imports": "imports",
    "macro": "a macro",
    "value": "a value",
    "text": "the question's words",
    "covered": "how many of them",
    "name": "words in its name",
    "members": "words in its members",
    "owner": "words in what it stands in",
    "phrase": "words in sequence",
    "chunk": "its own score for words",
    "named": "found by name",
    "value_asked": "a value was asked for",
    "similar": "near in meaning",
}

PLACE_SIGNS_ABSENT: Mapping[str, str] = {
    "document": "not in a document",
    "short": "not very short",
    "head": "defines nothing",
    "top_level": "not at the top level",
    "nested": "not nested in a function",
    "test": "not inside tests",
    "dunder": "no special method",
    "imports": "no imports",
    "macro": "no macro",
    "value": "no value",
    "phrase": "no words in sequence",
    "named": "not found by name",
    "members": "no words in members",
    "owner": "no words in what it stands in",
    "name": "no words in its name",
}
"""What it is called when there is nothing of it: that too speaks for a place, where others have it."""
