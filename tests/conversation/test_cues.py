"""A cue spares a pattern that cannot match: every match in ASCII text has one, by the pattern's own syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from helix_core.words import _DeferredPattern, lazy_pattern

MOST_TEXTS = 2_000
ROOMS = ("conversation.prompts", "conversation.orders", "conversation.pasted", "search.question", "search.language")
CUED = [
    (f"{room}.{name}", found)
    for room in ROOMS
    for name, found in sorted(vars(import_module(f"helix_core.{room}")).items())
    if isinstance(found, _DeferredPattern) and found._cues
]


def texts_of(sequence: Sequence[Any]) -> set[str] | None:
    """All ASCII texts that a part of a pattern matches, in lower case; None where they are too many."""
    found = {""}
    for kind, argument in sequence:
        more = _texts(kind, argument)
        if more is None or len(found) * len(more) > MOST_TEXTS:
            return None
        found = {one + other for one in found for other in more}
    return found


def _texts(kind: Any, argument: Any) -> set[str] | None:
    if kind is op.LITERAL:
        return {chr(argument).lower()} if argument < 128 else set()
    if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
        return {""}
    if kind is op.IN and all(each is op.LITERAL for each, _ in argument):
        return {chr(value).lower() for _, value in argument if value < 128}
    if kind is op.SUBPATTERN:
        return texts_of(argument[3])
    if kind is op.BRANCH:
        branches = [texts_of(branch) for branch in argument[1]]
        return None if None in branches else set().union(*(one for one in branches if one is not None))
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT) and argument[1] is not op.MAXREPEAT and argument[1] <= 2:
        parts = [texts_of([*argument[2]] * times) for times in range(argument[0], argument[1] + 1)]
        return None if None in parts else set().union(*(one for one in parts if one is not None))
    return None


def runs_of(sequence: Sequence[Any]) -> Iterator[set[str]]:
    """The neighboring parts of a sequence of which all texts are known, joined."""
    run = {""}
    for part in sequence:
        texts = texts_of([part])
        if texts is None or len(run) * len(texts) > MOST_TEXTS:
            yield run
            run = {""} if texts is None else texts
        else:
            run = {one + other for one in run for other in texts}
    yield run


def has_cue(sequence: Sequence[Any], cues: Sequence[str]) -> bool:
    """Whether every ASCII text that a part of a pattern matches has one of the cues."""
    if any(all(any(cue in text for cue in cues) for text in run) for run in runs_of(sequence)):
        return True
    for kind, argument in sequence:
        if kind is op.SUBPATTERN and has_cue(argument[3], cues):
            return True
        if kind is op.BRANCH and all(has_cue(branch, cues) for branch in argument[1]):
            return True
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT) and argument[0] and has_cue(argument[2], cues):
            return True
    return False


@pytest.mark.parametrize(("name", "pattern"), CUED, ids=[name for name, _ in CUED])
def test_every_match_of_a_pattern_has_one_of_its_cues(name: str, pattern: _DeferredPattern) -> None:
    assert has_cue(_parser.parse(pattern._source, pattern._flags), pattern._cues)


def test_a_match_without_a_cue_is_noticed() -> None:
    assert has_cue(_parser.parse(r"\b(?:write|give) me \w+"), ["write", "give"])
    assert not has_cue(_parser.parse(r"\b(?:write|give) me \w+"), ["write"])
    assert not has_cue(_parser.parse(r"(?:write)? me"), ["write"])
    assert not has_cue(_parser.parse(r"writ\w"), ["write"])
    assert len(CUED) > 20


def test_a_text_without_a_cue_compiles_nothing_and_any_other_is_searched() -> None:
    pattern = lazy_pattern("straße|write me", re.IGNORECASE, cues="write")
    assert pattern.search("nothing of it") is None and pattern.match("nothing") is None
    assert pattern.findall("nothing") == [] and list(pattern.finditer("nothing")) == []
    assert pattern._compiled is None  # type: ignore[attr-defined]
    assert pattern.search("die STRASSE, die Straße") is not None, "text that is not ASCII is always searched"
    assert pattern.search("Write me a poem") is not None and pattern.search("nothing of it") is None
