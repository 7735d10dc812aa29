"""Several searches of one message: which of its questions are complete, and one answer of all that was found.

In: the text, and what was found for each question. Out: values. Searches nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helix_core.model import Found, Ranked
from helix_core.search.confidence import telling_terms
from helix_core.search.question import Intent, is_request_word, parse_question, readable, weigh_terms
from helix_core.words import lazy_pattern

LEAST_SURE = 0.1
"""Above this confidence a question that is probably not answered here still gets its places."""
LEAST_OF_ITS_OWN = 3
"""A question with a pronoun and fewer words of its own asks further of what the question before it names."""
MAX_PARTS = 6
_OPENS = r"(?=(?:how|where|what|why|which|who|when|is|are|does|do|can)\b)"
_PART_BREAK = re.compile(
    rf"\n+|(?<=[?!])[ \t]+|(?:[,;]?[ \t]+and (?:also[ \t]+)?|(?<=[.:;])[ \t]+){_OPENS}", re.IGNORECASE
)
_NUMBER = lazy_pattern(
    rf"(?:^|[ \t]+|(?<=\n))\(?(?:\d{{1,2}}|[a-h])[.)][ \t]+{_OPENS}", re.IGNORECASE, cues=") |. |)\t|.\t"
)
"""What numbers a question: "1) how is it done 2) where is it tested"."""
_ASKS = re.compile(
    r"[\s\W\d]{0,8}(?:how|where|what|why|which|who|when|is|are|does|do|can|could|should|show|explain|find)\b",
    re.IGNORECASE,
)


def question_parts(text: str) -> list[str]:
    """Return the questions of a text that asks several, or that says something in addition to the one it asks, at most
    ``MAX_PARTS``; none of a text that is one question.
    """
    said = readable(text)
    if _NUMBER.search(said) is not None:
        said = _NUMBER.sub("\n", said)
    parts = [part for part in _PART_BREAK.split(said) if part.strip()]
    asking = [part for part in parts[: 4 * MAX_PARTS] if _ASKS.match(part) or part.rstrip().endswith("?")]
    return asking[:MAX_PARTS] if len(parts) > 1 else []


_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|this|that|these|those)\b", re.IGNORECASE)


def _points_back(part: str) -> bool:
    """Return whether a pronoun of one of several questions may refer to what another names."""
    return _PRONOUN.search(part) is not None


def asks_for_tests(text: str) -> bool:
    """Return whether a question asks for tests."""
    return Intent.TESTS in parse_question(text).intents


def separate_questions(text: str) -> list[str]:
    """Return the questions of a text that say themselves what they are about; "and who calls it" does not."""
    return [part for part in question_parts(text) if _stands_alone(part)]


def _stands_alone(part: str) -> bool:
    asked = parse_question(part)
    terms = telling_terms(asked, weigh_terms(asked.words, {}, 0))
    own = [term for term in terms if not is_request_word(term.word)]
    return bool(own) and not (_points_back(part) and len(own) < LEAST_OF_ITS_OWN)


def with_answers(whole: Found, answers: Sequence[Found], notes: Sequence[str], k: int) -> Found:
    """Return what was found for a message with the places of each of its questions that may be answered here.

    Each question's best place counts as much as that of any other. ``notes`` are added to those of the answers.
    Where nothing answers any of them, ``whole`` stays as it is.
    """
    here = [one for one in answers if one.ranked and (not one.seems_empty or one.confidence > LEAST_SURE)]
    if all(one.seems_empty for one in here):
        return whole
    # What a question lacks that nothing answers spoils the places of the whole.
    lists = here if len(here) < len(answers) else [*here, whole]
    ranked = _taken_in_turn(lists, max(one.ranked[0].score for one in here))[:k]
    account = whole.account
    if account is not None:
        lines = [one.account.lines for one in here if one.account is not None]
        account = replace(account, lines={id_: signs for own in (account.lines, *lines) for id_, signs in own.items()})
    return whole._replace(
        ranked=ranked,
        confidence=max(one.confidence for one in here),
        known_empty=False,
        seems_empty=False,
        nearest=(),
        notes=tuple(dict.fromkeys((*(note for one in here for note in one.notes), *notes))),
        account=account,
    )


BEHIND = 0.5
"""Scales what is tested, which the turn before has shown, beside the tests that are asked for."""


def with_tests(found: Found, tests: Sequence[Ranked], k: int) -> Found:
    """Return what was found for a follow-up with the tests that it asks for first."""
    if not tests or not found.ranked:
        return found
    best = found.ranked[0].score
    first = [one._replace(score=one.score * best / (tests[0].score or 1.0)) for one in tests]
    ids = {one.item.id for one in tests}
    rest = [one._replace(score=one.score * BEHIND) for one in found.ranked if one.item.id not in ids]
    return found._replace(ranked=tuple(sorted((*first, *rest), key=lambda ranked: -ranked.score)[:k]))


def _taken_in_turn(lists: Sequence[Found], best: float) -> tuple[Ranked, ...]:
    """Return the places by score, those of equal score one of each list at a time. The first of each has ``best``."""
    scaled: dict[int, Ranked] = {}
    for place in range(max(len(one.ranked) for one in lists)):
        for one in lists:
            if place < len(one.ranked):
                score = one.ranked[place].score * best / (one.ranked[0].score or 1.0)
                scaled.setdefault(one.ranked[place].item.id, one.ranked[place]._replace(score=score))
    return tuple(sorted(scaled.values(), key=lambda ranked: -ranked.score))
