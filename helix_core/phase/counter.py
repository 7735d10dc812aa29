"""Exact machines on phases: a counter whose increments can be learned, a word of bits, and a tracker of sine waves.

The counters are exact because they are integers, not because of phases; ``docs/benchmarks.md`` shows each next to the
one line of ordinary code that does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from helix_core.errors import PhaseFull
from helix_core.phase.lattice import wound

BITS = 16
TURN_16 = 1 << BITS
HALF = TURN_16 // 2
QUARTER = TURN_16 // 4
WORD_BITS = 52
"""Capacity of a word: as many bits as a float64 holds below one turn."""

Batch: TypeAlias = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""Examples: how often each token occurs (shape ``(n, tokens)``), and the answers (shape ``(n,)``)."""


@dataclass(frozen=True, slots=True)
class CounterState:
    """The sum of all increments so far; ``latched`` once it has been below 0 in a counter with a latch."""

    total: int = 0
    latched: bool = False

    @property
    def phase(self) -> int:
        """The sum modulo one turn, 0 … 65,535."""
        return wound(self.total, BITS)[0]

    @property
    def winding(self) -> int:
        """The number of whole turns of the total phase."""
        return wound(self.total, BITS)[1]

    @property
    def is_upper(self) -> bool:
        """Whether the sine of the phase is positive: the answer of a counter that decides."""
        return 0 < self.phase < HALF


@dataclass(frozen=True, slots=True)
class PhaseCounter:
    """A neuron that turns by one increment for each token (65,536 to a turn), beginning at ``start``.

    With ``latch`` it remembers that the sum was below 0. The state is a plain integer: no length loses anything.
    """

    increments: tuple[int, ...]
    start: int = 0
    latch: bool = False

    def begin(self) -> CounterState:
        """Return the state before the first token."""
        return CounterState(self.start)

    def step(self, state: CounterState, token: int) -> CounterState:
        """Return the state after one token. Raises: ValueError for an unknown token."""
        if not 0 <= token < len(self.increments):
            raise ValueError(f"token {token} is out of range; this counter has tokens 0 to {len(self.increments) - 1}")
        total = state.total + self.increments[token]
        return CounterState(total, state.latched or (self.latch and total < 0))

    def run(self, tokens: Sequence[int] | NDArray[np.integer], state: CounterState | None = None) -> CounterState:
        """Return the state after all tokens; the same as that many steps. Raises: ValueError for an unknown token."""
        given = np.asarray(tokens, dtype=np.int64)
        state = self.begin() if state is None else state
        if given.size == 0:
            return state
        if given.min() < 0 or given.max() >= len(self.increments):
            raise ValueError(f"a token is out of range; this counter has tokens 0 to {len(self.increments) - 1}")
        if self.latch and not state.latched:
            sums = accumulate((self.increments[token] for token in given.tolist()), initial=state.total)
            state = replace(state, latched=min(sums) < 0)
        counts = np.bincount(given, minlength=len(self.increments)).tolist()
        return replace(state, total=self._sum(state.total, counts))

    def after(self, counts: Sequence[int]) -> CounterState:
        """Return the state after tokens of which only the counts are known. Raises: ValueError with a latch, whose
        state depends on the order.
        """
        if self.latch:
            raise ValueError("the state of a latch depends on the order of the tokens")
        return CounterState(self._sum(self.start, counts))

    def _sum(self, total: int, counts: Sequence[int]) -> int:
        return total + sum(count * turn for count, turn in zip(counts, self.increments, strict=True))


BRACKETS = PhaseCounter((1, -1), latch=True)
"""Token 0 opens, token 1 closes. Nothing in it is learned."""


def is_balanced(state: CounterState) -> bool:
    """Return whether the brackets that ``BRACKETS`` has read are balanced."""
    return state.total == 0 and not state.latched


def modular(modulus: int) -> PhaseCounter:
    """Return the counter of sums modulo a power of two: token ``i`` adds ``i``, token ``modulus + i`` subtracts it.

    ``phase // (65536 // modulus)`` is the sum. Raises: ValueError for a modulus that does not divide a turn.
    """
    if modulus < 1 or TURN_16 % modulus:
        raise ValueError(f"{modulus} does not divide a turn of {TURN_16}")
    unit = TURN_16 // modulus
    return PhaseCounter(tuple(sign * token * unit for sign in (1, -1) for token in range(modulus)))


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How a counter is fitted.

    Args:
        updates: The greatest number of updates.
        rate: The first step of Adam, in radians.
        cooling: The share of the rate that is gone after the last update.
        memory: Adam's two decay rates.
        grid: Positions of a turn that the increments snap to when they are learned.
        learns_start: Whether the start phase is learned too, with the gain of the loss; else it is a quarter turn.
    """

    updates: int
    rate: float
    cooling: float = 0.0
    memory: tuple[float, float] = (0.9, 0.99)
    grid: int = TURN_16
    learns_start: bool = False


def fit(
    batch: Callable[[int], Batch],
    first: Sequence[float] | NDArray[np.float64],
    options: FitOptions,
    is_done: Callable[[PhaseCounter], bool] | None = None,
) -> tuple[PhaseCounter, int]:
    """Learn increments by gradient descent, then snap them to the grid once.

    The loss is the cross entropy of a logistic readout of the phase's sine; the optimizer is Adam (Kingma & Ba 2015).

    Args:
        batch: The examples of an update, by its number from 0.
        first: Initial increments in radians; with ``learns_start``, then the start phase and the readout's gain.
        options: See ``FitOptions``.
        is_done: Ends early when it accepts the snapped counter; asked before each update.

    Returns:
        The counter and the number of updates.
    """
    values = np.array(first, dtype=np.float64)
    mean, square = np.zeros_like(values), np.zeros_like(values)
    slow, fast = options.memory
    for update in range(options.updates):
        if is_done is not None and is_done(_snapped(values, options)):
            return _snapped(values, options), update
        gradient = _gradient(values, batch(update), options.learns_start)
        mean = slow * mean + (1 - slow) * gradient
        square = fast * square + (1 - fast) * gradient**2
        rate = options.rate * (1 - options.cooling * update / options.updates)
        step = mean / (1 - slow ** (update + 1)) / (np.sqrt(square / (1 - fast ** (update + 1))) + 1e-8)
        values -= rate * step
    return _snapped(values, options), options.updates


def learn_parity(random: np.random.Generator, updates: int = 200) -> tuple[PhaseCounter, int]:
    """Learn the parity of bits: two increments from anywhere on the circle, on lengths that grow from 1 to 16."""
    lengths = (1, 2, 3, 4, 6, 8, 12, 16)

    def batch(update: int) -> Batch:
        length = lengths[update * len(lengths) // updates]
        ones = random.integers(0, 2, (64, length)).sum(axis=1)
        return np.stack([length - ones, ones], axis=1), ones % 2 == 0

    options = FitOptions(updates, rate=0.3, cooling=0.9, memory=(0.7, 0.9), grid=8)
    return fit(batch, random.uniform(-np.pi, np.pi, 2), options)


def learn_majority(random: np.random.Generator, updates: int = 100) -> tuple[PhaseCounter, int]:
    """Learn the majority of eight bits: two increments, a start and a gain, until all 256 inputs are right."""
    ones = np.array([number.bit_count() for number in range(256)], dtype=np.int64)
    examples = (np.stack([8 - ones, ones], axis=1), ones > 4)

    def is_done(counter: PhaseCounter) -> bool:
        return all(counter.after((8 - count, count)).is_upper == (count > 4) for count in range(9))

    first = random.normal(0, 0.1, 4)
    first[3] = 1 + abs(first[3])
    return fit(lambda _: examples, first, FitOptions(updates, rate=0.05, learns_start=True), is_done)


def _gradient(values: NDArray[np.float64], examples: Batch, learns_start: bool) -> NDArray[np.float64]:
    counts, answers = examples
    tokens = counts.shape[1]
    start, gain = (values[tokens], values[tokens + 1]) if learns_start else (np.pi / 2, 1.0)
    angle = counts @ values[:tokens] + start
    error = 1 / (1 + np.exp(-gain * np.sin(angle))) - answers
    turned = error * gain * np.cos(angle)
    gradient = (turned[:, None] * counts).mean(axis=0)
    if not learns_start:
        return np.asarray(gradient)
    return np.concatenate([gradient, [turned.mean(), (error * np.sin(angle)).mean()]])


def _snapped(values: NDArray[np.float64], options: FitOptions) -> PhaseCounter:
    cell = TURN_16 // options.grid
    turns = [int(np.rint(value / (2 * np.pi) * options.grid)) * cell % TURN_16 for value in values]
    return PhaseCounter(tuple(turns[:-2]), turns[-2]) if options.learns_start else PhaseCounter(tuple(turns), QUARTER)


@dataclass(frozen=True, slots=True)
class BitWord:
    """Bits in one integer, the newest lowest. No n-bit state holds more than n bits: a full word refuses the next."""

    value: int = 0
    length: int = 0
    capacity: int = WORD_BITS

    def push(self, bit: int) -> BitWord:
        """Return the word with one more bit. Raises: PhaseFull at the capacity, ValueError for anything but 0 and 1."""
        if bit not in (0, 1):
            raise ValueError(f"{bit!r} is not a bit")
        if self.length >= self.capacity:
            raise PhaseFull(f"A word holds {self.capacity} bits and is full; begin another word.")
        return BitWord(2 * self.value + bit, self.length + 1, self.capacity)

    @property
    def turn(self) -> float:
        """The word as a share of one turn, 0 … 1; exact in a float64 up to 53 bits."""
        return self.value / (1 << self.length)


def pack(bits: Iterable[int], capacity: int = WORD_BITS) -> BitWord:
    """Pack bits into a word. Raises: PhaseFull for more than its capacity."""
    word = BitWord(capacity=capacity)
    for bit in bits:
        word = word.push(bit)
    return word


def unpack(word: BitWord) -> tuple[int, ...]:
    """Return the bits of a word in the order they were pushed."""
    return tuple(word.value >> place & 1 for place in reversed(range(word.length)))


def next_samples(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predict each next sample of sine waves (shape ``(waves, n)``) from those before it; nothing is trained.

    A sampled sine satisfies x[t+1] = c·x[t] − x[t−1]; ``c`` is fitted by least squares to the samples so far. Before
    the third sample the last one is repeated.

    Returns:
        Predictions of samples 1 … n, shape ``(waves, n)``.
    """
    predicted = samples.copy()
    middle, around = samples[:, 1:-1], samples[:, 2:] + samples[:, :-2]
    products, squares = np.cumsum(middle * around, axis=1), np.cumsum(middle**2, axis=1)
    fitted = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    guess = fitted * samples[:, 2:] - middle
    predicted[:, 2:] = np.where(squares > 0, guess, samples[:, 2:])
    return predicted
