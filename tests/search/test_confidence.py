"""How sure an answer is."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.search.confidence import FLOOR, AnswerFeatures, confidence, presence

shares = st.floats(0, 1)
all_signs = st.builds(AnswerFeatures, *[shares] * len(fields(AnswerFeatures)))


@given(all_signs)
def test_confidence_is_a_probability_and_never_above_presence(signs: AnswerFeatures) -> None:
    assert 0.0 < confidence(signs) <= presence(signs) < 1.0
    assert 0.0 < confidence(signs, with_model=True) <= presence(signs)


@pytest.mark.parametrize("field", ["covered", "in_code", "titled", "strength", "agreement", "gap"])
@given(signs=all_signs, share=shares)
def test_better_evidence_never_lowers_confidence(field: str, signs: AnswerFeatures, share: float) -> None:
    less, more = sorted((getattr(signs, field), share))
    assert confidence(replace(signs, **{field: less})) <= confidence(replace(signs, **{field: more}))


@pytest.mark.slow
@pytest.mark.parametrize("field", ["missing_proper", "missing_in_code", "unfamiliar", "brief"])
@given(signs=all_signs, share=shares)
def test_missing_words_never_raise_confidence(field: str, signs: AnswerFeatures, share: float) -> None:
    less, more = sorted((getattr(signs, field), share))
    assert confidence(replace(signs, **{field: less})) >= confidence(replace(signs, **{field: more}))


def test_a_question_whose_every_word_is_unknown_is_below_the_floor() -> None:
    assert presence(AnswerFeatures(unfamiliar=1 / 3)) < FLOOR


def test_a_question_all_in_one_file_is_well_above_the_floor() -> None:
    signs = AnswerFeatures(covered=1.0, strength=0.6, agreement=1.0, gap=0.3)
    assert presence(signs) > 0.9
    assert confidence(signs) > 0.7
