"""Phases and the trail beside their original and the ordinary code that does the same; exits with 1 on a missed target.

    python benchmarks/phase.py [--only ROW ...] [--history REPOSITORY ...]

The original's figures are those of a run of its own scripts, as reported; they are constants here. ``--history``
predicts the files of the next commit from the commits before it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from helix_core.conversation import read_conversation
from helix_core.engine.memory import opened_trail, sealed_trail
from helix_core.errors import PhaseFull, StrandError, TrailError
from helix_core.phase import (
    BRACKETS,
    DIM,
    MOST_EVENTS,
    Look,
    Trail,
    TrailItem,
    is_balanced,
    learn_majority,
    learn_parity,
    log_bytes,
    modular,
    next_samples,
    pack,
    read_log,
    similarity,
    unpack,
)
from helix_core.phase.lattice import phases_of, phasors
from helix_core.phase.trail import HALF_LIFE, item_code
from helix_core.strand import Passphrase, StrandKeys
from helix_core.words import IDENTIFIER

CONVERSATIONS = Path(__file__).parents[1] / "fixtures" / "conversations"
MOST_COMMITS = 600
LEAST_HISTORY = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; ``is_met`` is the target."""

    name: str
    ours: str
    original: str
    baseline: str
    is_met: bool


def parity() -> Row:
    """Learn parity from 100 random starts; try every input of 16 bits, and a million bits."""
    ones = np.array([number.bit_count() for number in range(1 << 16)])
    counts = np.bincount(ones, minlength=17)
    right, slowest = [], 0.0
    for seed in range(100):
        start = time.process_time()
        counter, _ = learn_parity(np.random.default_rng(seed))
        slowest = max(slowest, time.process_time() - start)
        right.append(sum(int(counts[n]) for n in range(17) if counter.after((16 - n, n)).is_upper == (n % 2 == 0)))
    long = np.random.default_rng(1).integers(0, 2, (4, 1_000_000))
    exact = sum(counter.run(bits).is_upper == (bits.sum() % 2 == 0) for bits in long)
    xor = sum((number.bit_count() & 1) == _xor(number) for number in range(1 << 16))
    whole = sum(one == 65_536 for one in right)
    ours = f"{whole} of 100 seeds, 2 parameters, {slowest:.2f} CPU s; {exact} of 4 at 1,000,000"
    original = "170 parameters, wired start; 4 of 6 seeds without"
    is_met = min(right) == 65_536 and exact == 4 and slowest < 1
    return Row("parity 16", ours, original, f"xor: {xor:,} of 65,536", is_met)


def majority() -> Row:
    """Learn the majority of eight bits from 50 random starts."""
    inputs = [[number >> place & 1 for place in range(8)] for number in range(256)]
    learned = [learn_majority(np.random.default_rng(seed)) for seed in range(50)]
    whole = sum(all(counter.run(bits).is_upper == (sum(bits) > 4) for bits in inputs) for counter, _ in learned)
    updates = [count for _, count in learned]
    ours = f"{whole} of 50 seeds, 4 parameters, {median(updates):.0f} updates, at most {max(updates)}"
    return Row(
        "majority 8",
        ours,
        "410 parameters, 150–650 epochs",
        "popcount: 256 of 256",
        whole == 50 and max(updates) <= 100,
    )


def brackets() -> Row:
    """Judge random strings of up to 20 brackets, and an even mix of balanced and barely unbalanced ones up to 2,000."""
    random = np.random.default_rng(3)
    short = [random.integers(0, 2, 2 * int(random.integers(1, 11))).tolist() for _ in range(20_000)]
    hard = list(_hard_brackets(random, 400))
    scores = []
    for strings in (short, hard):
        said = np.array([is_balanced(BRACKETS.run(string)) for string in strings])
        truth = np.array([_is_balanced(string) for string in strings])
        balanced = (said[truth].mean() + (~said[~truth]).mean()) / 2
        scores.append((int((said == truth).sum()), float(balanced), max(truth.mean(), 1 - truth.mean())))
    (right, even, constant), (right_hard, even_hard, constant_hard) = scores
    told = f"{right:,} of 20,000, balanced {even:.2f}"
    ours = f"{told}; hard {right_hard} of {len(hard)}, balanced {even_hard:.2f}; 0 trained"
    baseline = f"depth: all; always the commoner answer: {constant:.3f}, hard {constant_hard:.3f}"
    is_met = right == 20_000 and right_hard == len(hard)
    return Row("brackets", ours, "95.9 %, balanced 0.70; 5,378 parameters", baseline, is_met)


def sums() -> Row:
    """Add and subtract modulo eight."""
    counter = modular(8)
    cases = [(a, b, minus) for a in range(8) for b in range(8) for minus in (0, 1)]
    right = sum(
        counter.run([a, b + 8 * minus]).phase // 8_192 == (a - b if minus else a + b) % 8 for a, b, minus in cases
    )
    return Row("sums modulo 8", f"{right} of 128, 0 trained", "10.8–14.3 %", "%: 128 of 128", right == 128)


def packing() -> Row:
    """Pack bytes and words of 52 bits; and how many bits survive being halved into a float of each width."""
    whole = sum(pack(bits).value == number and unpack(pack(bits)) == bits for number, bits in _bytes())
    words = np.random.default_rng(8).integers(0, 2, (10_000, 52)).tolist()
    kept = sum(unpack(pack(word)) == tuple(word) for word in words)
    try:
        pack([1] * 53)
        refuses = False
    except PhaseFull:
        refuses = True
    narrow, wide = _halvings(np.float32), _halvings(np.float64)
    ours = f"{whole} of 256; {kept:,} of 10,000 words of 52 bits; bit 53 {'refused' if refuses else 'TAKEN'}"
    baseline = f"bytes: 256 of 256; bits held: float32 {narrow}, float64 {wide}, integer unlimited"
    is_met = (whole, kept, refuses, narrow, wide) == (256, 10_000, True, 24, 53)
    return Row("bytes", ours, "84–100 %", baseline, is_met)


def sine() -> Row:
    """Predict the next sample of 500 waves."""
    random = np.random.default_rng(12)
    waves = np.sin(random.uniform(0, 2 * np.pi, (500, 1)) + random.uniform(0.05, 3, (500, 1)) * np.arange(100))
    ours = ((next_samples(waves)[:, :-1] - waves[:, 1:]) ** 2).mean(axis=0)
    repeated = ((waves[:, :-1] - waves[:, 1:]) ** 2).mean(axis=0)
    is_met = bool(ours[2:].max() < 1e-9 and (ours <= repeated).all())
    told = f"squared error {ours[2:].max():.0e} after 3 samples, nothing trained"
    return Row("sine", told, "0.354", f"repeat the last: {repeated.mean():.3f}; the recurrence: the same", is_met)


def revisit() -> Row:
    """Return to one of six topics: do states of the earlier visit come first, and is its best one the nearest?

    The files of a topic share a folder. In the hard form, which has no target, nothing is shared, and a tenth of the
    looks go anywhere.
    """
    plain, hard = ([_revisit(seed, is_hard=form) for seed in range(30)] for form in (False, True))
    ours, first, control, control_first, exact = (fmean(column) for column in zip(*plain, strict=True))
    hard_ours, hard_first, _, _, hard_exact = (fmean(column) for column in zip(*hard, strict=True))
    told = f"AUC {ours:.3f}, first {first:.0%}; hard {hard_ours:.3f}, {hard_first:.0%}"
    original = f"AUC 0.49, first 10 %; a sum without decay here: {control:.2f}, {control_first:.0%}"
    baseline = f"exact decayed mean: {exact:.3f}; hard {hard_exact:.3f}"
    return Row("revisit", told, original, baseline, ours >= 0.97 and first >= 0.95 and control < 0.65)


def item_query() -> Row:
    """Ask for an item that was looked at once among 200 unrelated ones."""
    near, scanned = 0, 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        visit, trail = int(random.integers(20, 180)), Trail()
        for step in range(200):
            name = "the/visited.py" if step == visit else f"{random.integers(10**9)}/{random.integers(10**9)}.py"
            trail.observe(TrailItem(name), float(step))
        hits = trail.search(TrailItem("the/visited.py"), k=1)
        near += bool(hits) and abs(hits[0].step - visit) <= 2
        scanned += next(step for step in trail.steps if trail.recall_at(step).look.path == "the/visited.py") == visit
    return Row("item query", f"{near} of 100 within 2 steps", "–", f"scan of the log: {scanned} of 100", near == 100)


def speed() -> Row:
    """Observe, replay and search 10,000 steps, in CPU time; then observe up to 50,000 in a ring of 10,000."""
    random, trail = np.random.default_rng(0), Trail()
    items = [TrailItem(f"src/{number % 9}/part{number}.py") for number in range(300)]
    picks = random.integers(0, 300, 10_000)
    observed = [
        _cpu_ms(lambda at=at, pick=pick: trail.observe(items[pick], float(at))) for at, pick in enumerate(picks)
    ]
    replayed = _cpu_ms(lambda: Trail(trail.log))
    trail.search(items[0])
    searched = [_cpu_ms(lambda item=item: trail.search(item)) for item in items[:200]]
    p95 = [float(np.percentile(times, 95)) for times in (observed, searched)]
    looks = [entry for entry in trail.log.entries if isinstance(entry, Look)]
    scanned = float(np.percentile([_cpu_ms(lambda item=item: _scan(looks, item)) for item in items[:200]], 95))
    for at in range(10_000, 50_000):
        trail.observe(items[at % 300], float(at))
    kept = len(trail.log.entries)
    told = f"observe p95 {p95[0]:.2f} ms, search p95 {p95[1]:.1f} ms, replay {replayed / 1000:.2f} s of CPU"
    is_met = p95[0] < 0.2 and p95[1] < 5 and replayed < 1_000 and kept <= MOST_EVENTS
    baseline = f"scan of the log for one name: p95 {scanned:.1f} ms"
    return Row("10,000 steps", f"{told}; {kept:,} events kept of 50,000", "search 161 ms", baseline, is_met)


def seal() -> Row:
    """Turn over each bit of a sealed trail, and of a plain one whose checksum is made anew."""
    trail = Trail()
    for step in range(12):
        trail.observe(TrailItem(f"src/part{step % 4}.py"), float(step))
    keys, passphrase = StrandKeys.made(os.urandom), Passphrase("correct horse battery staple", 64, 2)
    data = sealed_trail(trail.log, keys=keys, locks=[passphrase], random=os.urandom, at=0.0)
    flips = [data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :] for at in range(len(data)) for bit in range(8)]
    refused = sum(_is_refused(flip, passphrase, keys) for flip in flips)
    plain = log_bytes(trail.log)
    broken = sum(_is_refused_plain(plain[:at] + bytes([plain[at] ^ 1]) + plain[at + 1 :]) for at in range(len(plain)))
    forged = replace(trail.log, flags=frozenset({"forged"}))
    is_forged = read_log(log_bytes(forged)) == forged
    told = f"{refused:,} of {len(flips):,} turned bits refused"
    baseline = (
        f"a checksum: {broken} of {len(plain)}; made anew, an altered trail is {'taken' if is_forged else 'REFUSED'}"
    )
    return Row("seal", told, "accepted", baseline, refused == len(flips))


def next_file(repositories: Sequence[str]) -> Row:
    """Rank the files of the next commit by the trail's prior, and by decayed frequency alone."""
    scores = [one for repository in repositories for one in _replayed(repository)]
    ours, frequency, recent = (fmean(column) for column in zip(*scores, strict=True))
    told = f"MRR {ours:.3f} in {len(scores):,} predictions, {len(repositories)} repositories"
    baseline = f"decayed frequency {frequency:.3f}; most recent {recent:.3f}"
    return Row("next file", told, "0.277", f"{baseline}; the prior is off below +0.01", ours >= frequency + 0.01)


def _scan(looks: Sequence[Look], item: TrailItem) -> list[int]:
    return [look.step for look in looks if look.item == item]


def _is_refused(data: bytes, passphrase: Passphrase, keys: StrandKeys) -> bool:
    try:
        opened_trail(data, passphrase, [keys.signer])
    except StrandError:
        return True
    return False


def _is_refused_plain(data: bytes) -> bool:
    try:
        read_log(data)
    except TrailError:
        return True
    return False


def _xor(number: int) -> int:
    parity = 0
    while number:
        parity ^= number & 1
        number >>= 1
    return parity


def _is_balanced(string: Sequence[int]) -> bool:
    depths = [*accumulate(1 if token == 0 else -1 for token in string)]
    return min(depths, default=0) >= 0 and (not depths or depths[-1] == 0)


def _hard_brackets(random: np.random.Generator, count: int) -> Iterator[list[int]]:
    """Yield as many balanced strings of up to 2,000 brackets as ones in which one bracket is turned over."""
    for number in range(count):
        string, depth = [], 0
        for left in range(2 * int(random.integers(5, 1_001)), 0, -1):
            opens = depth == 0 or (depth < left and random.random() < 0.5)
            string.append(0 if opens else 1)
            depth += 1 if opens else -1
        if number % 2:
            place = int(random.integers(len(string)))
            string[place] = 1 - string[place]
        yield string


def _bytes() -> Iterator[tuple[int, tuple[int, ...]]]:
    for number in range(256):
        yield number, tuple(number >> place & 1 for place in reversed(range(8)))


def _halvings(kind: type[np.float32 | np.float64]) -> int:
    """Return how many bits come back whole when each is added after halving the number, tried on 500 random words."""
    random = np.random.default_rng(2)
    for length in range(1, 80):
        for bits in [*random.integers(0, 2, (500, length)).tolist(), [1] * length, [1] + [0] * (length - 1)]:
            held = kind(0)
            for bit in bits:
                held = kind(held / kind(2)) + kind(bit)
            back = []
            for _ in bits:
                bit = int(held >= 1)
                back.append(bit)
                held = kind(held - kind(bit)) * kind(2)
            if back[::-1] != bits:
                return length - 1
    return 80


def _revisit(seed: int, *, is_hard: bool) -> tuple[float, float, float, float, float]:
    random = np.random.default_rng(seed)
    folders = [[random.integers(10**9) for _ in range(8)] for _ in range(6)]
    topics = [
        [TrailItem(f"{folder[place if is_hard else 0]}/{random.integers(10**9)}.py") for place in range(8)]
        for folder in folders
    ]
    order = [topic for topic in range(6) for _ in range(20)] + [int(random.integers(5))] * 20
    trail, total = Trail(), np.zeros((2, DIM), np.int64)
    summed, means, mean = [], [], np.zeros(48)
    for step, topic in enumerate(order):
        stray = is_hard and random.random() < 0.1
        at = int(random.integers(48)) if stray else 8 * topic + int(random.integers(8))
        item = topics[at // 8][at % 8]
        trail.observe(item, float(step))
        total = total + phasors(item_code(item))
        summed.append(phases_of(total[0], total[1]))
        mean = 0.8 * mean + np.eye(48)[at]
        means.append(mean / np.linalg.norm(mean))
    earlier = np.array(order[:120]) == order[-1]
    states = trail.phases()
    ours = similarity(states[-1], states[:120])
    control = similarity(summed[-1], np.stack(summed[:120]))
    exact = np.stack(means[:120]) @ means[-1]
    hits = trail.resume(1)
    first = float(bool(hits) and hits[0].step < 120 and bool(earlier[hits[0].step]))
    return _auc(ours, earlier), first, _auc(control, earlier), float(earlier[control.argmax()]), _auc(exact, earlier)


def _auc(scores: NDArray[np.floating], is_right: NDArray[np.bool_]) -> float:
    """Return the share of pairs of a right and a wrong one in which the right one scores higher."""
    pairs = scores[is_right][:, None] - scores[~is_right][None]
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)


def _cpu_ms(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return (time.process_time() - start) * 1_000


def _replayed(repository: str) -> Iterator[tuple[float, float, float]]:
    """Yield the reciprocal rank of the first right file of each commit: by the prior, by frequency, by recency."""
    trail, last_seen = Trail(), dict[TrailItem, int]()
    for number, paths in enumerate(_commits(repository)):
        known = [item for item in map(TrailItem, paths) if item in last_seen]
        if number >= LEAST_HISTORY and known:
            prior, frequency = trail.prior(last_seen), _frequency(trail)
            rankings = (
                sorted(last_seen, key=lambda item: (-prior[item], -last_seen[item])),
                sorted(last_seen, key=lambda item: (-frequency.get(item, 0.0), -last_seen[item])),
                sorted(last_seen, key=lambda item: -last_seen[item]),
            )
            best = [1 / (1 + min(ranking.index(item) for item in known)) for ranking in rankings]
            yield best[0], best[1], best[2]
        for path in paths:
            item = TrailItem(path)
            trail.observe(item, float(number))
            last_seen[item] = trail.head


def _frequency(trail: Trail) -> dict[TrailItem, float]:
    counts = dict[TrailItem, float]()
    for age, step in enumerate(reversed(trail.steps[-20 * HALF_LIFE :])):
        item = trail.recall_at(step).look.item
        counts[item] = counts.get(item, 0.0) + 2.0 ** (-age / HALF_LIFE)
    return counts


def _commits(repository: str) -> list[list[str]]:
    """Return the files of each of the last commits, oldest first; those of more than 20 files are left out."""
    command = ["git", "-C", repository, "log", "--no-merges", "--name-only", "--format=%x00", f"-{MOST_COMMITS}"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    commits = [[path for path in block.split("\n") if path] for block in told.split("\0")[1:]]
    return [paths for paths in reversed(commits) if 0 < len(paths) <= 20]


def new_topics() -> Row:
    """Tell the questions of a conversation that stand on their own from its follow-ups: by the trail's shift of topic,
    each word of a turn a look, and by the rules that decide what a question carries from earlier turns.
    """
    told = {name: [0, 0] for name in ("shift", "rules")}
    asked = [0, 0]
    for file in sorted(CONVERSATIONS.glob("*.jsonl")):
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for record in [one for one in records if one.get("kind") == "conversation"]:
            trail, said = Trail(), []
            for number, turn in enumerate(record["turns"]):
                first = trail.steps.stop
                for word in IDENTIFIER.findall(turn["text"]):
                    trail.observe(TrailItem(word.lower()), float(number))
                said.append({"role": "user", "content": turn["text"]})
                if number and turn["files"]:
                    asked[turn["follow_up"]] += 1
                    told["shift"][turn["follow_up"]] += first < trail.steps.stop and trail.stretch()[0] >= first
                    read = read_conversation(said)
                    told["rules"][turn["follow_up"]] += read is None or not read.carried
                said.append({"role": "assistant", "content": turn["answer"]})
    own, following = asked
    shown = {name: f"{one} of {own} told, {other} of {following} cut" for name, (one, other) in told.items()}
    is_worse = told["shift"][0] < told["rules"][0]
    return Row("new questions in a conversation, follow-ups cut", shown["shift"], "–", shown["rules"], is_worse)


ROWS = {
    row.__name__: row
    for row in (parity, majority, brackets, sums, packing, sine, revisit, item_query, speed, seal, new_topics)
}


def main() -> int:
    """Print the table; return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--history", nargs="*", default=[], metavar="REPOSITORY", help="git folders with a history")
    parser.add_argument("--only", nargs="*", default=list(ROWS), choices=ROWS, metavar="ROW", help=", ".join(ROWS))
    given = parser.parse_args()
    rows = [ROWS[name]() for name in given.only]
    rows += [next_file(given.history)] if given.history else []
    print("| what | ours | the original | ordinary code | target |\n| --- | --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row.name} | {row.ours} | {row.original} | {row.baseline} | {'met' if row.is_met else 'MISSED'} |")
    return int(not all(row.is_met for row in rows))


if __name__ == "__main__":
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        # As Helix's own processes: numpy reads it when it is imported, which it is by now.
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    sys.exit(main())
