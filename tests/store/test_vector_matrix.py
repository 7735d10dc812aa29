"""The smallest of many distances are found by a sample, and are the smallest all the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helix_core.store.vectors import _least


@given(st.integers(2, 20_000), st.integers(1, 500), st.integers(1, 400), st.integers(0, 1 << 32))
def test_no_value_left_out_is_smaller_than_one_that_was_chosen(size: int, count: int, kinds: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, kinds, size, dtype=np.uint16)
    wanted = min(count, size - 1)
    chosen = _least(values, wanted)
    assert len(set(chosen.tolist())) == wanted
    assert sorted(values[chosen]) == sorted(values)[:wanted]


def test_small_values_that_stand_together_are_all_found() -> None:
    values = np.full(100_000, 200, np.uint16)
    values[1000:1400] = 7
    assert sorted(_least(values, 400).tolist()) == list(range(1000, 1400))
    values[5:37_000] = 3
    assert set(values[_least(values, 400)].tolist()) == {3}
