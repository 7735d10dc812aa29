"""The trail: states of attention as a pure function of a log, with search for moments like one, and versions.

The state at a step is the sum of the codes of the last 128 looks on its branch, each a phasor that decays with its age,
at four rates for a quarter of the phases each (a holographic reduced representation in Fourier form, Plate 1995). All
sums are integers below 2^24, so float32 products are exact and every machine computes the same phases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from helix_core.errors import TrailError
from helix_core.phase.lattice import DIM, Code, Reals, bundle, code, cosine, delta, phases_of, phasors, waves
from helix_core.phase.log import (
    LONGEST_TEXT,
    MOST_EVENTS,
    MOST_FLAGS,
    MOST_WEIGHT,
    ROOT,
    Look,
    TrailEntry,
    TrailItem,
    TrailLog,
    TrailVersion,
    checked_log,
)

CLOCKS = (0.3, 0.6, 0.8, 0.95)
"""Decay of a look's weight with each later step, for each quarter of the phases."""
WINDOW = 128
"""Looks that a state is made of; the integer weight of an older one is 0."""
SAME_TOPIC = 0.3
"""Likeness from which a moment belongs to the topic of the head: eight looks elsewhere are a topic of their own."""
FLOOR = 0.2
"""Least similarity of a moment: 4.5 standard deviations of unrelated codes."""
HALF_LIFE = 20
"""Steps after which a look counts half in ``prior``."""
VOTERS = 20
VOTED = 0.25
FOLLOWING, FOLLOWING_DECAY = 4, 0.8
"""Looks after a moment that it votes for, and how much less each counts than the one before."""
RECENT = 32
"""Looks whose items a version has, for ``diff``."""
_WHOLE = 256
_BAND = DIM // len(CLOCKS)
_DROPPED = MOST_EVENTS // 10
_BLOCK = 128
_LOOP_LIKENESS = 0.95


@dataclass(frozen=True, slots=True)
class Moment:
    """One recorded step: its look and the state after it. Nothing is interpolated."""

    look: Look
    phases: Code

    @property
    def step(self) -> int:
        """The number of the step."""
        return self.look.step


@dataclass(frozen=True, slots=True)
class TrailHit:
    """A moment found: ``score`` is its similarity, ``margin`` how far it is above the next hit, or the floor."""

    step: int
    score: float
    margin: float


@dataclass(frozen=True, slots=True)
class TrailDiff:
    """What lies between two versions: items of recent looks, and the turn of the phases, which can be inverted."""

    gained: tuple[TrailItem, ...]
    faded: tuple[TrailItem, ...]
    turn: Code


def keep_all(path: str) -> bool:
    """Accept every path that is not empty."""
    return bool(path)


def item_code(item: TrailItem) -> Code:
    """Return the code of an item: near those of the same file, of its folder, and of the test of the same stem."""
    folder, _, name = item.path.rpartition("/")
    stem = name.partition(".")[0].lower().removeprefix("test_").removesuffix("_test")
    parts = [(code(f"path {item.path}"), 2), (code(f"folder {folder}"), 1), (code(f"stem {stem}"), 2)]
    return bundle([*parts, (code(f"symbol {item.symbol}"), 2)] if item.symbol else parts)


class Trail:
    """A log of looks with the state after each; equal logs give equal states, bit for bit.

    At most 10,000 events are kept; beyond that the oldest 1,000 leave. Not safe for several threads.

    Args:
        log: The log to continue.
        keeps: Whether a path may be recorded; entries of others never enter, not even from ``log``.

    Raises:
        TrailError: The log is out of order.
    """

    def __init__(self, log: TrailLog | None = None, keeps: Callable[[str], bool] = keep_all) -> None:
        log = checked_log(log or TrailLog())
        self._keeps = keeps
        self._flags = set(log.flags)
        self._codes: dict[TrailItem, Code] = {}
        self._entries: list[TrailEntry] = []
        self._begin(_kept_entries(log.entries, keeps))

    @property
    def log(self) -> TrailLog:
        """The log, of which everything else is a function."""
        return TrailLog(tuple(self._entries), frozenset(self._flags))

    @property
    def steps(self) -> range:
        """The numbers of the steps that are kept."""
        return range(self._first, self._first + len(self._looks))

    @property
    def head(self) -> int:
        """The step that the next look continues; ``ROOT`` for none."""
        return self._branch[-1] if self._branch else ROOT

    @property
    def branch(self) -> tuple[int, ...]:
        """The kept steps that lead to the head, oldest first."""
        return tuple(self._branch)

    @property
    def versions(self) -> tuple[TrailVersion, ...]:
        """Commits and rollbacks, oldest first."""
        return tuple(entry for entry in self._entries if isinstance(entry, TrailVersion))

    @property
    def flags(self) -> frozenset[str]:
        """The names of the flags that are set."""
        return frozenset(self._flags)

    def observe(
        self,
        item: TrailItem,
        at: float,
        *,
        kind: str = "open",
        weight: int = 1,
        span_hash: str = "",
        file_hash: str = "",
        lines: tuple[int, int] = (0, 0),
    ) -> Look | None:
        """Record that an item was looked at.

        Args:
            item: What was looked at.
            at: When, in Unix seconds.
            kind: How it was looked at.
            weight: How much the look counts, 1 … 8.
            span_hash: Hash of the item's text; empty when it was not read.
            file_hash: Hash of the file's bytes; empty when it was not read.
            lines: First and last line, 1-based; zeros when they are not known.

        Returns:
            The look; None where the path may not be recorded.

        Raises:
            ValueError: The weight is not 1 … 8, or a name is too long.
        """
        if not 1 <= weight <= MOST_WEIGHT or any(
            len(text) > LONGEST_TEXT for text in (*item, kind, span_hash, file_hash)
        ):
            raise ValueError(f"a weight is 1 … {MOST_WEIGHT}, a name at most {LONGEST_TEXT} characters")
        if not self._keeps(item.path):
            return None
        look = Look(self.steps.stop, self.head, *item, kind, weight, span_hash, file_hash, *lines, at)
        self._entries.append(look)
        self._looks.append(look)
        self._settle([look])
        self._branch.append(look.step)
        self._trim()
        return look

    def recall_at(self, step: int) -> Moment:
        """Return a recorded moment. Raises: IndexError for a step that is not kept."""
        return Moment(self._look(step), self._phases[step - self._first].copy())

    def search(self, query: TrailItem | Moment | Code, k: int = 5) -> tuple[TrailHit, ...]:
        """Return the best moment of each stretch of the head's branch that is like the query, best first.

        A query below the floor of 0.2 everywhere returns nothing. Raises: ValueError for a code of another width.
        """
        return _hits(self._scores(_query_code(query)), self._branch, k)

    def resume(self, k: int = 3) -> tuple[TrailHit, ...]:
        """Return past moments like the head, best first; the stretch that leads to the head is left out."""
        if not self._branch:
            return ()
        scores = self._scores(self._state(self.head))
        return _hits(scores[: _stretch_start(scores, FLOOR)], self._branch, k)

    def stretch(self) -> tuple[int, ...]:
        """Return the steps, oldest first, that lead to the head and are all like it: the present topic."""
        if not self._branch:
            return ()
        return tuple(self._branch[_stretch_start(self._scores(self._state(self.head)), SAME_TOPIC) :])

    def prior(self, items: Iterable[TrailItem]) -> dict[TrailItem, float]:
        """Return how likely each item is next, 0 … 1: by recent frequency, and a quarter by votes of moments like now.

        ``benchmarks/phase.py --history`` compares it with the frequency alone.
        """
        asked = [*items]
        frequency, votes = self._frequency(), self._votes()
        most, most_votes = max(frequency.values(), default=1.0), max(votes.values(), default=1.0)
        share = {one: (frequency.get(one, 0.0) / most, votes.get(one, 0.0) / most_votes) for one in asked}
        return {one: (1 - VOTED) * seen + VOTED * voted for one, (seen, voted) in share.items()}

    def velocity(self) -> float:
        """Return how far the last look moved the state, 0 … 1; 0 while there is only one."""
        if len(self._branch) < 2:
            return 0.0
        last, before = self._branch[-1], self._branch[-2]
        return min(1.0, max(0.0, 1.0 - cosine(self._state(last), self._state(before))))

    def loop(self, max_period: int = 16) -> int | None:
        """Return the period, in steps, of a cycle through several items that came round three times; None for none."""
        for period in range(2, max_period + 1):
            # Two turns of the cycle are compared with the turn before each.
            steps = self._branch[-3 * period :]
            if len(steps) < 3 * period:
                return None
            states = [self._state(step) for step in steps]
            likeness = [cosine(one, other) for one, other in zip(states[period:], states, strict=False)]
            is_still = cosine(states[-1], states[-2]) >= _LOOP_LIKENESS
            if min(likeness) >= _LOOP_LIKENESS and not is_still:
                return period
        return None

    def commit(self, label: str, at: float) -> TrailVersion:
        """Mark the head under a label. Raises: ValueError for a label that is too long."""
        if len(label) > LONGEST_TEXT:
            raise ValueError(f"a label has at most {LONGEST_TEXT} characters")
        return self._version(self.head, label, None, at)

    def rollback(self, number: int, at: float) -> TrailVersion:
        """Move the head to a commit, or, for a rollback, back to where it came from. Nothing is removed.

        Raises: TrailError for a version that is not kept, or whose step has left the ring.
        """
        target = self._known(number).target
        return self._version(target, "", number, at)

    def diff(self, before: int, after: int) -> TrailDiff:
        """Return what lies between two versions. Raises: TrailError for one that is not kept."""
        heads = self._known(before).head, self._known(after).head
        old, new = (self._recent(head) for head in heads)
        turn = delta(*(self._state(head) for head in heads))
        gained = tuple(item for item in new if item not in old)
        return TrailDiff(gained, tuple(item for item in old if item not in new), turn)

    def flag(self, name: str) -> None:
        """Set a flag; there is no way to clear one. Raises: ValueError without a name, TrailError for too many."""
        if not 0 < len(name) <= LONGEST_TEXT:
            raise ValueError(f"a flag has a name of at most {LONGEST_TEXT} characters")
        if name not in self._flags and len(self._flags) >= MOST_FLAGS:
            raise TrailError(f"A trail has at most {MOST_FLAGS} flags; forget the trail to begin anew.")
        self._flags.add(name)

    def digest(self) -> str:
        """Return the SHA-256 (hex) of the head's integer state; equal after equal branches."""
        state = np.concatenate(_states(self._window, 1), axis=-1).astype("<i4")
        return sha256(state.tobytes() + self._state(self.head).tobytes()).hexdigest()

    def phases(self) -> Code:
        """Return the state after each kept step, shape ``(steps, 256)``."""
        return self._phases[: len(self._looks)].copy()

    def _begin(self, entries: list[TrailEntry]) -> None:
        """Compute everything from these entries."""
        self._entries = entries
        self._looks = [entry for entry in entries if isinstance(entry, Look)]
        self._first = self._looks[0].step if self._looks else 0
        self._phases = np.zeros((max(len(self._looks), 64), DIM), np.uint8)
        self._waves: Reals = np.zeros((0, 2 * DIM), np.float32)
        self._compared = 0
        self._go_to(ROOT)
        self._settle(self._looks)
        last = entries[-1] if entries else None
        self._go_to(ROOT if last is None else last.step if isinstance(last, Look) else last.head)

    def _settle(self, looks: Sequence[Look]) -> None:
        """Compute the states of these looks, given in the order of their steps; leave the window at the last."""
        needed = len(self._looks)
        if needed > len(self._phases):
            self._phases = np.concatenate([self._phases, np.zeros_like(self._phases)])
        at = self.head
        for run in _runs(looks):
            if run[0].parent != at:
                self._window = self._window_at(run[0].parent)
            features = np.stack([self._features(look) for look in run], axis=1)
            context = np.concatenate([self._window[:, 1:], features], axis=1)
            start = run[0].step - self._first
            self._phases[start : start + len(run)] = phases_of(*_states(context, len(run)))
            self._window = context[:, -WINDOW:]
            at = run[-1].step

    def _features(self, look: Look) -> Reals:
        """Return the weighted phasors of a look by band, shape ``(bands, 2 · phases of a band)``."""
        known = self._codes.get(look.item)
        if known is None:
            known = self._codes[look.item] = item_code(look.item)
        parts = phasors(known).reshape(2, len(CLOCKS), _BAND).transpose(1, 0, 2)
        return (look.weight * parts).reshape(len(CLOCKS), 2 * _BAND).astype(np.float32)

    def _window_at(self, step: int) -> Reals:
        """Return the features of the last 128 looks on the branch of a step, oldest first, zeros before the first."""
        window = np.zeros((len(CLOCKS), WINDOW, 2 * _BAND), np.float32)
        for place, one in enumerate(_branch_of(self._looks, self._first, step, WINDOW)):
            window[:, WINDOW - 1 - place] = self._features(self._looks[one - self._first])
        return window

    def _go_to(self, step: int) -> None:
        self._branch = _branch_of(self._looks, self._first, step, len(self._looks))[::-1]
        self._window = self._window_at(step)

    def _version(self, head: int, label: str, undoes: int | None, at: float) -> TrailVersion:
        known = self.versions
        version = TrailVersion(known[-1].number + 1 if known else 0, head, self.head, label, undoes, at)
        self._entries.append(version)
        if head != self.head:
            self._go_to(head)
        self._trim()
        return version

    def _known(self, number: int) -> TrailVersion:
        version = next((one for one in self.versions if one.number == number), None)
        if version is None or (version.target != ROOT and version.target < self._first):
            raise TrailError(f"Version {number} is not in the trail, or has left it; see the versions that it lists.")
        return version

    def _trim(self) -> None:
        """Drop the oldest events where there are too many; states that rested on them are computed anew."""
        if len(self._entries) <= MOST_EVENTS:
            return
        kept = self._entries[_DROPPED:]
        gone = sum(isinstance(entry, Look) for entry in self._entries[:_DROPPED])
        head = self.head
        self._entries = kept
        self._looks = self._looks[gone:]
        self._first += gone
        self._phases = np.concatenate([self._phases[gone:], np.zeros((gone, DIM), np.uint8)])
        self._compared = 0
        self._go_to(ROOT)
        self._settle(_shallow(self._looks, self._first))
        self._go_to(head)

    def _look(self, step: int) -> Look:
        if step not in self.steps:
            raise IndexError(f"step {step} is not in the trail, which has {self.steps.start} … {self.steps.stop - 1}")
        return self._looks[step - self._first]

    def _state(self, step: int) -> Code:
        """Return the phases after a step; zeros before the first."""
        if step not in self.steps:
            return np.zeros(DIM, np.uint8)
        row: Code = self._phases[step - self._first]
        return row

    def _recent(self, head: int) -> dict[TrailItem, None]:
        steps = _branch_of(self._looks, self._first, head, RECENT)
        return dict.fromkeys(self._look(step).item for step in steps)

    def _scores(self, query: Code) -> Reals:
        """Return the similarity of the query and the state after each step of the branch."""
        if query.shape != (DIM,):
            raise ValueError(f"a code of this trail has {DIM} phases, not {query.shape}")
        needed = len(self._looks)
        if len(self._waves) < needed:
            grown = np.zeros((len(self._phases), 2 * DIM), np.float32)
            grown[: self._compared] = self._waves[: self._compared]
            self._waves = grown
        self._waves[self._compared : needed] = waves(self._phases[self._compared : needed])
        self._compared = needed
        scores: Reals = self._waves[:needed] @ waves(query)
        return scores if len(self._branch) == needed else scores[np.array(self._branch, np.int64) - self._first]

    def _frequency(self) -> dict[TrailItem, float]:
        counts: dict[TrailItem, float] = {}
        for age, step in enumerate(reversed(self._branch)):
            if age > 20 * HALF_LIFE:
                break
            look = self._look(step)
            counts[look.item] = counts.get(look.item, 0.0) + look.weight * 2.0 ** (-age / HALF_LIFE)
        return counts

    def _votes(self) -> dict[TrailItem, float]:
        """Return how strongly moments like the head were followed by each item."""
        if len(self._branch) < 2:
            return {}
        scores = self._scores(self._state(self.head))[:-1]
        best = np.argsort(-scores, kind="stable")[:VOTERS]
        votes: dict[TrailItem, float] = {}
        for place in best[scores[best] >= FLOOR].tolist():
            for away, step in enumerate(self._branch[place + 1 : place + 1 + FOLLOWING]):
                item = self._look(step).item
                votes[item] = votes.get(item, 0.0) + float(scores[place]) * FOLLOWING_DECAY**away
        return votes


def _kept_entries(entries: Iterable[TrailEntry], keeps: Callable[[str], bool]) -> list[TrailEntry]:
    """Return the entries without the looks at paths that may not be recorded; steps are numbered anew where any go."""
    given = [*entries]
    if all(not isinstance(entry, Look) or keeps(entry.path) for entry in given):
        return given
    number: dict[int, int] = {ROOT: ROOT}
    kept: list[TrailEntry] = []
    step = 0
    for entry in given:
        if isinstance(entry, TrailVersion):
            heads = number.get(entry.head, ROOT), number.get(entry.before, ROOT)
            kept.append(replace(entry, head=heads[0], before=heads[1]))
        elif keeps(entry.path):
            kept.append(replace(entry, step=step, parent=number.get(entry.parent, ROOT)))
            number[entry.step] = step
            step += 1
        else:
            number[entry.step] = number.get(entry.parent, ROOT)
    return kept


def _query_code(query: TrailItem | Moment | Code) -> Code:
    if isinstance(query, TrailItem):
        return item_code(query)
    return query.phases if isinstance(query, Moment) else query


def _branch_of(looks: Sequence[Look], first: int, head: int, most: int) -> list[int]:
    """Return the kept steps from the head towards the first one, at most that many."""
    steps: list[int] = []
    while head >= first and len(steps) < most:
        steps.append(head)
        head = looks[head - first].parent
    return steps


def _shallow(looks: Sequence[Look], first: int) -> list[Look]:
    """Return the looks with fewer than 128 kept looks on their branch."""
    depth: dict[int, int] = {}
    for look in looks:
        depth[look.step] = depth[look.parent] + 1 if look.parent >= first else 0
    return [look for look in looks if depth[look.step] < WINDOW]


def _runs(looks: Sequence[Look]) -> Iterable[list[Look]]:
    """Split looks into runs in which each continues the one before, of at most a block."""
    run: list[Look] = []
    for look in looks:
        if run and (look.parent != run[-1].step or look.step != run[-1].step + 1 or len(run) == _BLOCK):
            yield run
            run = []
        run.append(look)
    if run:
        yield run


def _states(context: Reals, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the real and the imaginary sums of the last ``count`` of the looks in ``context``.

    Every product and sum is an integer below 8 · 127 · 256 / (1 − 0.95) < 2^24, so float32 is exact in any order.
    """
    sums = _decay(count) @ context
    parts = sums.reshape(len(CLOCKS), count, 2, _BAND).transpose(2, 1, 0, 3).reshape(2, count, DIM)
    whole = parts.astype(np.int64)
    return whole[0], whole[1]


@lru_cache(maxsize=4)
def _decay(count: int) -> Reals:
    """Return the integer weights of the looks in a context, shape ``(bands, count, 127 + count)``."""
    ages = WINDOW - 1 + np.arange(count)[:, None] - np.arange(WINDOW - 1 + count)[None]
    is_in = (ages >= 0) & (ages < WINDOW)
    powers = np.array(CLOCKS)[:, None, None] ** np.clip(ages, 0, WINDOW)
    return np.where(is_in, np.rint(_WHOLE * powers), 0).astype(np.float32)


def _stretch_start(scores: Reals, floor: float) -> int:
    """Return the place of the first moment after the last one that is unlike the head."""
    below = np.flatnonzero(scores < floor)
    return int(below[-1]) + 1 if below.size else 0


def _hits(scores: Reals, branch: Sequence[int], k: int) -> tuple[TrailHit, ...]:
    """Return the peaks of the stretches at or above the floor."""
    places = np.flatnonzero(scores >= FLOOR)
    if not places.size or k < 1:
        return ()
    stretches = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    peaks = [int(stretch[np.argmax(scores[stretch])]) for stretch in stretches]
    ranked = sorted(peaks, key=lambda place: (-scores[place], -place))
    found = [float(scores[place]) for place in ranked] + [FLOOR]
    return tuple(
        TrailHit(branch[place], found[rank], found[rank] - found[rank + 1]) for rank, place in enumerate(ranked[:k])
    )
