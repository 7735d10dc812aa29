"""The weights of what kind a sentence is: what they are of, and that their table is whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.memory.kinds import KINDS, MOST_CHARS, odds_of, signs_of


@given(st.text(max_size=200))
def test_the_odds_of_any_text_are_one_together(text):
    odds = odds_of(text)
    assert tuple(odds) == KINDS
    assert sum(odds.values()) == pytest.approx(1.0)
    assert min(odds.values()) >= 0.0


def test_names_numbers_and_code_count_as_such():
    one = signs_of("The gateway of Acme listens on 8080, see `listen`")
    assert {"has <name>", "has <number>", "has <code>", "pair of <name>", "pair on <number>"} <= one
    assert not any("8080" in sign or "`" in sign for sign in one)


def test_what_is_very_long_is_judged_by_its_beginning():
    text = "The importer reads its rows from S3. " * 200
    assert len(text) > MOST_CHARS
    assert odds_of(text) == odds_of(text + "Thanks!")
