"""The phase algebra is exact, and codes are the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helix_core.phase import apply, bind, bundle, code, delta, harmonics, invert, similarity, unbind, wound
from helix_core.phase.lattice import phases_of

FIXED = bytes.fromhex(
    "63091099ab7d3530fb6e1e97d7830ef871ae28c4e7ae82e2ee825d909930a57e"
    "0e1955cbab84b871b5a0e676af75ee24919325150479684f828f0e070e25cae3"
    "845a3f69cae035eb89e2e763c11f051225b5028d9760e764b30e3c954f1b13f2"
    "291ad3ca7a501c286e6fc155024b81a0eab48e09e608c7dbe0f014294f0a1968"
    "98e6a47e31544dd14d03534863ecb21b4add61d25047e3002ac5964ee617a4f4"
    "cabba006547bcc0510da95e4803a3bde558ce2010582937a4950096dbb70946d"
    "43e6c5b52ea52605525ef1e0fe6f1882740f187c161dae774898c5303acdb910"
    "8e3a23d5f89dcfd57a3ddb325b2c0e10b33fb859b7ad7df79b6f1f3d5d693ce3"
)
BYTES = arrays(np.uint8, 256)
FINE = arrays(np.uint16, 32)


def test_the_code_of_a_name_is_the_vector_of_the_repository() -> None:
    assert code("x").tobytes() == FIXED


@pytest.mark.process
@pytest.mark.parametrize("seed", ["0", "4711"])
def test_another_process_makes_the_same_code_whatever_its_hash_seed_and_loads_no_torch(seed: str) -> None:
    script = (
        "import sys; from helix_core.phase import code, PhaseCounter, Trail; print(code('x').tobytes().hex());"
        "print('torch' in sys.modules or 'apsw' in sys.modules)"
    )
    environ = os.environ | {"PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [FIXED.hex(), "False"]


@pytest.mark.process
def test_phases_and_the_trail_are_imported_in_half_a_second_beyond_numpy() -> None:
    script = (
        "import time, numpy; start = time.process_time(); from helix_core.phase import PhaseCounter, Trail, code;"
        "import helix_core.engine.memory.trail; print(time.process_time() - start)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.5


@given(BYTES, BYTES)
def test_a_difference_leads_there_and_back_bit_for_bit(a: np.ndarray, b: np.ndarray) -> None:
    turn = delta(a, b)
    assert (apply(a, turn) == b).all()
    assert (apply(b, invert(turn)) == a).all()
    assert (unbind(bind(a, b), b) == a).all()


@given(FINE, FINE)
def test_the_algebra_is_the_same_modulo_two_to_the_sixteen(a: np.ndarray, b: np.ndarray) -> None:
    assert (apply(a, delta(a, b)) == b).all()
    assert (apply(b, invert(delta(a, b))) == a).all()


def test_ten_thousand_random_differences_lead_there_and_back() -> None:
    a, b = np.random.default_rng(3).integers(0, 256, (2, 10_000, 256), dtype=np.uint8)
    assert (apply(a, delta(a, b)) == b).all()
    assert (apply(b, invert(delta(a, b))) == a).all()
    assert (unbind(bind(a, b), b) == a).all()


def test_phases_of_different_kinds_do_not_combine() -> None:
    with pytest.raises(ValueError, match="do not combine"):
        bind(code("a"), code("a").astype(np.uint16))
    with pytest.raises(ValueError, match="do not combine"):
        delta(code("a"), code("a", 64))
    with pytest.raises(ValueError, match="cannot be compared"):
        similarity(code("a"), np.stack([code("a", 64)]))


def test_unrelated_codes_are_dissimilar_and_a_code_is_itself() -> None:
    scores = similarity(code("x"), np.stack([code(f"name {number}") for number in range(2_000)]))
    assert abs(float(similarity(code("x"), code("x")[None])[0]) - 1) < 1e-6
    assert abs(float(scores.mean())) < 0.01
    assert abs(float(scores.std()) - 0.044) < 0.006
    assert float(scores.max()) < 0.25


def test_rounding_to_a_byte_hardly_changes_a_similarity() -> None:
    exact = np.random.default_rng(5).uniform(0, 256, (400, 256))
    rounded = (np.rint(exact).astype(np.int64) % 256).astype(np.uint8)
    before = np.cos((exact[1:] - exact[0]) * (2 * np.pi / 256)).mean(axis=1)
    near = exact[0] + np.random.default_rng(6).normal(0, 20, (400, 256))
    before_near = np.cos((near - exact[0]) * (2 * np.pi / 256)).mean(axis=1)
    after_near = similarity(rounded[0], (np.rint(near).astype(np.int64) % 256).astype(np.uint8))
    assert np.abs(similarity(rounded[0], rounded[1:]) - before).max() < 0.005
    assert np.abs(after_near - before_near).max() < 0.005


def test_a_bundle_is_near_its_parts_and_nearer_to_the_heavier() -> None:
    a, b, other = code("a"), code("b"), code("other")
    both = bundle([(a, 3), (b, 2)])
    near_a, near_b, near_other = similarity(both, np.stack([a, b, other]))
    assert near_a > near_b > 0.2 > near_other
    assert (bundle([(a, 5)]) == a).all()
    with pytest.raises(ValueError, match="needs a part"):
        bundle([])
    with pytest.raises(ValueError, match="at least 1"):
        bundle([(a, 0)])


@given(st.integers(0, 255), st.sampled_from([1, 2, 4, 8, -1, 255]))
def test_a_harmonic_is_the_cosine_of_that_multiple(phase: int, order: int) -> None:
    cosines, sines = harmonics(np.array([phase], np.uint8), [order])
    assert cosines[0, 0] == pytest.approx(np.cos(2 * np.pi * phase * order / 256), abs=1e-6)
    assert sines[0, 0] == pytest.approx(np.sin(2 * np.pi * phase * order / 256), abs=1e-6)


@given(st.integers(-(2**40), 2**40), st.sampled_from([8, 16]))
def test_a_sum_is_its_phase_and_its_winding(total: int, bits: int) -> None:
    phase, turns = wound(total, bits)
    assert 0 <= phase < 1 << bits
    assert turns * (1 << bits) + phase == total


@given(arrays(np.int64, (2, 50), elements=st.integers(-(2**31), 2**31)))
def test_the_phase_of_a_vector_is_the_nearest_byte_to_its_angle(vectors: np.ndarray) -> None:
    real, imaginary = vectors
    angle = np.arctan2(imaginary, real) * 128 / np.pi
    off = (phases_of(real, imaginary) - angle + 128) % 256 - 128
    is_zero = (real == 0) & (imaginary == 0)
    assert (np.abs(off[~is_zero]) < 0.5001).all()
    assert (phases_of(real, imaginary)[is_zero] == 0).all()
