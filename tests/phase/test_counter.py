"""Counters, words and the tracker of sine waves are exact, and what is learned is right on every input."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.errors import PhaseFull
from helix_core.phase import (
    BRACKETS,
    BitWord,
    PhaseCounter,
    is_balanced,
    learn_majority,
    learn_parity,
    modular,
    next_samples,
    pack,
    unpack,
)


def test_ten_million_increments_are_counted_exactly() -> None:
    count, increment = 10_000_000, 40_503
    state = PhaseCounter((increment,)).run(np.zeros(count, np.int64))
    assert (state.phase, state.winding) == (count * increment % 65_536, count * increment // 65_536)


@given(st.lists(st.integers(0, 2), max_size=60), st.lists(st.integers(-70_000, 70_000), min_size=3, max_size=3))
def test_a_run_is_the_same_as_its_steps_with_and_without_a_latch(tokens: list[int], increments: list[int]) -> None:
    for latch in (False, True):
        counter = PhaseCounter(tuple(increments), latch=latch)
        state = counter.begin()
        for token in tokens:
            state = counter.step(state, token)
        assert counter.run(tokens) == state
        half = len(tokens) // 2
        assert counter.run(tokens[half:], counter.run(tokens[:half])) == state


def test_an_unknown_token_is_refused() -> None:
    counter = PhaseCounter((1, 2))
    for token in (-1, 2):
        with pytest.raises(ValueError, match="this counter has tokens 0 to 1"):
            counter.step(counter.begin(), token)
        with pytest.raises(ValueError, match="this counter has tokens 0 to 1"):
            counter.run([0, token])
    with pytest.raises(ValueError, match="order"):
        BRACKETS.after((1, 1))


@pytest.mark.slow
def test_parity_is_learned_from_a_random_start_on_every_seed_and_right_for_all_16_bit_inputs() -> None:
    ones = np.array([number.bit_count() for number in range(1 << 16)])
    for seed in range(100):
        counter, updates = learn_parity(np.random.default_rng(seed))
        assert len(counter.increments) == 2
        assert updates <= 200
        even = {count: counter.after((16 - count, count)).is_upper for count in range(17)}
        assert all(even[count] == (count % 2 == 0) for count in ones.tolist()), seed


def test_the_learned_parity_is_right_on_a_million_bits() -> None:
    random = np.random.default_rng(1)
    counter, _ = learn_parity(np.random.default_rng(0))
    for _ in range(64):
        bits = random.integers(0, 2, 1_000_000)
        assert counter.run(bits).is_upper == (bits.sum() % 2 == 0)


def test_majority_is_learned_within_100_updates_on_every_seed_and_right_for_all_inputs() -> None:
    inputs = [[number >> place & 1 for place in range(8)] for number in range(256)]
    for seed in range(50):
        counter, updates = learn_majority(np.random.default_rng(seed))
        assert len(counter.increments) + 1 <= 5
        assert updates <= 100
        assert all(counter.run(bits).is_upper == (sum(bits) > 4) for bits in inputs), seed


def depth_says(tokens: list[int]) -> bool:
    depth = 0
    for token in tokens:
        depth += 1 if token == 0 else -1
        if depth < 0:
            return False
    return depth == 0


@given(st.lists(st.integers(0, 1), max_size=40))
def test_brackets_are_balanced_where_a_depth_says_so(tokens: list[int]) -> None:
    assert is_balanced(BRACKETS.run(tokens)) == depth_says(tokens)


def test_a_latch_never_forgets_a_bracket_that_closed_too_early() -> None:
    assert not is_balanced(BRACKETS.run([1, 0]))
    assert not is_balanced(BRACKETS.run([0, 1], BRACKETS.run([1, 0])))


def test_every_sum_and_difference_modulo_eight_is_right() -> None:
    counter = modular(8)
    right = [
        counter.run([a, b + 8 * minus]).phase // 8_192 == (a - b if minus else a + b) % 8
        for a in range(8)
        for b in range(8)
        for minus in (0, 1)
    ]
    assert (sum(right), len(right)) == (128, 128)
    with pytest.raises(ValueError, match="does not divide"):
        modular(12)


def test_every_byte_and_ten_thousand_words_come_back() -> None:
    for number in range(256):
        bits = tuple(number >> place & 1 for place in reversed(range(8)))
        assert unpack(pack(bits)) == bits
        assert pack(bits).value == number
    for word in np.random.default_rng(8).integers(0, 2, (10_000, 52)).tolist():
        packed = pack(word)
        assert unpack(packed) == tuple(word)
        assert int(packed.turn * 2**52) == packed.value


def test_a_full_word_refuses_the_next_bit_and_keeps_the_others() -> None:
    word = pack([1, 0] * 26)
    with pytest.raises(PhaseFull, match="holds 52 bits"):
        word.push(0)
    assert unpack(word) == (1, 0) * 26
    with pytest.raises(ValueError, match="not a bit"):
        BitWord().push(2)


def test_words_of_the_same_bits_are_equal_and_longer_ones_differ() -> None:
    assert all(one != other for one, other in pairwise([pack([0] * length) for length in range(10)]))


def test_a_sine_is_followed_after_three_samples_and_never_worse_than_repeating_the_last() -> None:
    random = np.random.default_rng(12)
    waves = np.sin(random.uniform(0, 2 * np.pi, (500, 1)) + random.uniform(0.05, 3, (500, 1)) * np.arange(60))
    ours = ((next_samples(waves)[:, :-1] - waves[:, 1:]) ** 2).mean(axis=0)
    repeated = ((waves[:, :-1] - waves[:, 1:]) ** 2).mean(axis=0)
    assert ours[2:].max() < 1e-9
    assert (ours <= repeated).all()


def test_a_wave_that_is_silent_is_predicted_silent() -> None:
    assert (next_samples(np.zeros((2, 5))) == 0).all()
