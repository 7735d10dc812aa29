"""How sure an answer is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.search.confidence import (
    FLOOR,
    AnswerFeatures,
    calibrated,
    confidence,
    presence,
    without_acts,
)
from helix_core.search.confidence_weights import CALIBRATION
from helix_core.search.question import Term, parse_question

shares = st.floats(0, 1)
all_signs = st.builds(AnswerFeatures, *[shares] * len(AnswerFeatures._fields))


@given(all_signs)
def test_confidence_is_a_probability_and_never_certain(signs: AnswerFeatures) -> None:
    assert 0.0 <= confidence(signs) < 1.0 and 0.0 < presence(signs) < 1.0
    assert 0.0 <= confidence(signs, with_model=True) < 1.0


@given(shares, shares)
def test_the_last_curve_rises_through_its_points(one: float, other: float) -> None:
    curve = ((0.0, 0.0), (0.4, 0.2), (0.6, 0.9), (1.0, 0.97))
    assert [calibrated(at, curve) for at, _ in curve] == [pytest.approx(to) for _, to in curve]
    assert calibrated(0.5, curve) == pytest.approx(0.55)
    for rising in (curve, CALIBRATION):
        assert calibrated(min(one, other), rising) <= calibrated(max(one, other), rising)


def test_what_is_done_may_be_said_otherwise_than_the_code_says_it() -> None:
    asked = parse_question("where do we decide the etag of a response?")
    terms = [Term("decide", 0, 9.0), Term("etag", 3, 5.0), Term("response", 9, 3.0)]
    assert asked.acts == {"decide"} and [one.word for one in without_acts(asked, terms)] == ["etag", "response"]
    assert without_acts(asked, terms[:1]) == terms[:1], "what is only done is asked for"
    assert parse_question("redis client").acts == parse_question("access to redis").acts == frozenset()
    assert parse_question("hand a file to the browser").acts == {"hand"}


@pytest.mark.parametrize("field", ["covered", "in_code", "titled", "strength", "agreement", "gap"])
@given(signs=all_signs, share=shares)
def test_better_evidence_never_lowers_confidence(field: str, signs: AnswerFeatures, share: float) -> None:
    less, more = sorted((getattr(signs, field), share))
    assert confidence(signs._replace(**{field: less})) <= confidence(signs._replace(**{field: more}))


@pytest.mark.slow
@pytest.mark.parametrize("field", ["missing_proper", "missing_in_code", "unfamiliar", "brief"])
@given(signs=all_signs, share=shares)
def test_missing_words_never_raise_confidence(field: str, signs: AnswerFeatures, share: float) -> None:
    less, more = sorted((getattr(signs, field), share))
    assert confidence(signs._replace(**{field: less})) >= confidence(signs._replace(**{field: more}))


def test_a_question_whose_every_word_is_unknown_is_below_the_floor() -> None:
    assert presence(AnswerFeatures(unfamiliar=1 / 3)) < FLOOR


def test_a_question_all_in_one_file_is_well_above_the_floor() -> None:
    signs = AnswerFeatures(covered=1.0, strength=0.6, agreement=1.0, gap=0.3)
    assert presence(signs) > 0.9
    assert confidence(signs) > 0.7
