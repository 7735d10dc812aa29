"""Which words are asked for, and how a text is scored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helix_core.search.question import (
    CORE_POSTINGS,
    COUNTED_POSTINGS,
    MAX_TERMS,
    RANKED_POSTINGS,
    Term,
    any_of,
    bm25,
    coverage,
    highest_score,
    idf,
    match_expression,
    narrower_expression,
    rarest_missing,
    select_terms,
    weigh_terms,
)
from helix_core.search.rankers import PHRASE_POSTINGS, affordable, damped_sum
from helix_core.store.lexical import MatchCounts

ITEMS = 10_000
frequencies = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.integers(0, ITEMS), max_size=40)


def terms_of(frequency: dict[str, int]) -> tuple[Term, ...]:
    return weigh_terms(frequency, frequency, ITEMS)


def evidence(counts: tuple[float, ...], length: float = 100.0) -> MatchCounts:
    return MatchCounts(1, 1, length, 100.0, counts)


@given(frequencies)
def test_the_rarest_known_words_are_asked_for(frequency: dict[str, int]) -> None:
    asked = select_terms(terms_of(frequency), ITEMS)
    assert len(asked) <= MAX_TERMS
    assert all(term.frequency for term in asked)
    left = [count for word, count in frequency.items() if count and word not in {term.word for term in asked}]
    assert all(count >= max(term.frequency for term in asked) for count in left if asked)


def test_a_word_in_half_of_the_chunks_is_asked_for_only_when_there_is_no_other() -> None:
    assert [t.word for t in select_terms(terms_of({"self": 9_000, "retry": 40}), ITEMS)] == ["retry"]
    assert [t.word for t in select_terms(terms_of({"self": 9_000}), ITEMS)] == ["self"]


def test_words_whose_postings_take_long_to_count_are_left_out_behind_the_second() -> None:
    frequency = {"retry": 40, "session": 150_000, "value": 150_001, "type": 160_000}
    many = terms_of(frequency)
    assert [t.word for t in select_terms(many, 10 * COUNTED_POSTINGS)] == ["retry", "session"]
    assert [t.word for t in select_terms(many[1:], 10 * COUNTED_POSTINGS)] == ["session", "value"]


def test_common_words_are_only_counted_where_a_rare_one_is() -> None:
    rare, common = Term("retry", 40, 5.0), Term("model", CORE_POSTINGS, 1.0)
    assert match_expression([rare]) == '"retry"'
    assert match_expression([rare, common]) == '("retry") OR (("model") AND ("retry"))'


def test_where_even_the_rarest_word_is_everywhere_it_is_asked_for_beside_the_next_or_in_a_name() -> None:
    rare, everywhere = Term("retry", RANKED_POSTINGS, 5.0), Term("model", RANKED_POSTINGS + 1, 1.0)
    common, commoner = Term("value", 90_000, 0.5), Term("type", 99_000, 0.4)
    assert narrower_expression([rare, everywhere]) == ""
    assert narrower_expression([everywhere]) == 'names : "model"'
    assert narrower_expression([everywhere, common]) == '"model" AND "value"'
    both = '"model" AND "value"'
    assert narrower_expression([everywhere, common, commoner]) == f'({both}) OR (("type") AND ({both}))'


def test_quotes_cannot_leave_their_phrase() -> None:
    assert any_of(['a" OR "b', "c"]) == '"a"" OR ""b" OR "c"'


@given(st.integers(0, ITEMS), st.integers(0, ITEMS))
def test_a_rarer_word_tells_more(one: int, other: int) -> None:
    assert idf(min(one, other), ITEMS) >= idf(max(one, other), ITEMS) > 0


@given(st.lists(st.floats(0, 50), min_size=2, max_size=2), st.floats(0, 10))
def test_more_occurrences_never_lower_a_score_and_it_never_passes_the_highest(counts: list[float], more: float) -> None:
    terms = terms_of({"a": 10, "b": 500})
    weights = [term.weight for term in terms]
    before = bm25(weights, evidence((counts[0], counts[1])))
    after = bm25(weights, evidence((counts[0] + more, counts[1])))
    assert before <= after + 1e-9
    assert after <= highest_score(terms)


def test_a_longer_text_with_the_same_words_scores_less() -> None:
    assert bm25([1.0], evidence((2.0,), 400.0)) < bm25([1.0], evidence((2.0,), 50.0))


@given(frequencies)
def test_coverage_is_a_share(frequency: dict[str, int]) -> None:
    terms = terms_of(frequency)
    assert coverage(terms, ()) == 0.0
    assert 0.0 <= coverage(terms, list(frequency)[:3]) <= 1.0 + 1e-9


def test_phrases_of_common_words_are_left_out_when_they_would_cost_too_much() -> None:
    frequency = {"query": PHRASE_POSTINGS, "retry": 12, "model": 900, "ghost": 0}
    wanted = [("of", "the", "query"), ("the", "retry", "query"), ("ghost", "of", "model"), ("is", "not", "to")]
    assert affordable(wanted, frequency) == [("the", "retry", "query")]


@given(st.lists(st.floats(0, 100), max_size=6))
def test_a_file_counts_at_least_its_best_chunk_and_less_than_twice_it(scores: list[float]) -> None:
    scores.sort(reverse=True)
    best = scores[0] if scores else 0.0
    assert best <= damped_sum(scores) <= 1.5 * best + 1e-9


@given(frequencies, st.sets(st.text("abcdef", min_size=1, max_size=4)))
def test_what_is_missing_is_told_by_its_rarest_word(frequency: dict[str, int], present: set[str]) -> None:
    terms = terms_of(frequency)
    assert 0.0 <= rarest_missing(terms, present) <= rarest_missing(terms, ()) <= 1.0
    assert rarest_missing(terms, frequency) == 0.0
    assert not terms or rarest_missing(terms, ()) == 1.0
