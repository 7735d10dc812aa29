"""Two runs compared: what moved beyond chance decides, and what was not measured decides nothing."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.bench.compare import Decision, compare_runs
from helix_core.bench.measure import Sample, gap_doubt, index_doubt, machine_doubt
from helix_core.bench.questions import BenchQuestion, fingerprint, interval, quantile, read_questions, scores_of
from helix_core.errors import UsageError

COUNT = 120


def run(share_first: float = 0.5, ms: float = 10.0, seed: int = 1) -> dict[str, Any]:
    """A run in which the first ``share_first`` of the questions were found."""
    noise = random.Random(seed)
    rows = [
        {
            "question": f"q{n}",
            "scores": {"hit@1": float(n < COUNT * share_first), "mrr@10": float(n < COUNT * share_first)},
            "known_empty": False,
            "absent": False,
            "median_ms": ms * noise.uniform(0.97, 1.03),
        }
        for n in range(COUNT)
    ]
    return {
        "schema": "helix.bench/1",
        "questions": {"count": COUNT, "sha256": "0" * 64},
        "machine": {"cpu": "x", "cores": 2},
        "index": {"digest": "d"},
        "code": {"head": "", "dirty": False},
        "doubts": [],
        "figures": {},
        "latency_ms": {"p50": ms},
        "rows": rows,
    }


@pytest.mark.parametrize(
    ("first", "second", "decision"),
    [
        (run(0.5), run(0.7, seed=2), Decision.SHIP),
        (run(0.5, ms=20), run(0.5, ms=10, seed=2), Decision.SHIP),
        (run(0.5), run(0.7, ms=15, seed=2), Decision.SLOWER),
        (run(0.5), run(0.5, seed=2), Decision.NO_GAIN),
        (run(0.5), run(0.51, seed=2), Decision.NO_GAIN),
        (run(0.7), run(0.5, ms=1, seed=2), Decision.WORSE),
    ],
)
def test_what_moved_beyond_chance_decides(first: dict[str, Any], second: dict[str, Any], decision: Decision) -> None:
    found = compare_runs(first, second)
    assert found.decision is decision
    assert found.wire()["exit_status"] == int(decision)


def test_without_speed_nothing_ships_unless_only_quality_is_asked_for() -> None:
    busy = run(0.7, seed=2) | {"latency_ms": None}
    assert compare_runs(run(0.5), busy).decision is Decision.UNDECIDED
    assert compare_runs(run(0.5), busy, quality_only=True).decision is Decision.SHIP
    other = run(0.7, seed=2) | {"machine": {"cpu": "y", "cores": 2}}
    assert compare_runs(run(0.5), other).decision is Decision.UNDECIDED
    assert compare_runs(run(0.7), run(0.5) | {"latency_ms": None}).decision is Decision.WORSE


def test_other_questions_and_runs_without_figures_are_not_compared() -> None:
    other = run() | {"questions": {"count": COUNT, "sha256": "1" * 64}}
    with pytest.raises(UsageError, match="different questions"):
        compare_runs(run(), other)
    moved = run() | {"figures": None, "doubts": [{"kind": "index_changed", "detail": "the index changed"}]}
    with pytest.raises(UsageError, match="the index changed"):
        compare_runs(run(), moved)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_run_that_is_not_whole_is_refused_in_one_sentence(data: st.DataObject) -> None:
    broken = copy.deepcopy(run())
    name = data.draw(st.sampled_from(sorted(set(broken) - {"doubts", "latency_ms"})))
    broken[name] = data.draw(st.sampled_from([None, 7, "x", [], [1], {}]))
    if name == "figures" and broken[name] is not None:
        return
    with pytest.raises(UsageError):
        compare_runs(run(), broken)


def test_what_differs_beside_is_noted() -> None:
    second = run(0.7, seed=2) | {"index": {"digest": "e"}, "code": {"head": "a", "dirty": True}}
    notes = compare_runs(run(0.5), second).notes
    assert len(notes) == 2
    assert "content differs" in notes[0] and "uncommitted" in notes[1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_an_interval_holds_its_mean_and_is_the_same_again(values: list[float]) -> None:
    found = interval(values)
    assert found == interval(values)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert min(values) <= quantile(values, 0.5) <= max(values)


@pytest.mark.slow
def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    draw = random.Random(5)
    held = 0
    for number in range(60):
        found = interval([float(draw.random() < 0.4) for _ in range(80)], seed=number)
        held += found.low <= 0.4 <= found.high
    assert held >= 51


def test_scores_count_files_and_lines() -> None:
    question = BenchQuestion("q", ("b.py", "c.py"), ("def b", "def c"))
    items = [{"source_id": name, "start_line": 1, "end_line": 2} for name in ("a.py", "a.py", "b.py", "c.py")]
    found = scores_of(question, items, lambda path, first, last: "def c" if path == "c.py" else "")
    assert found == {"hit@1": 0.0, "hit@5": 1.0, "hit@10": 1.0, "mrr@10": 0.5, "lines@5": 1.0}
    assert "lines@5" not in scores_of(BenchQuestion("q", ("a.py",)), items, lambda *_: "")


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", '{"question": ""}', '{"question": "q", "files": "a"}', '{"question": "q", "files": [1]}',
     '{"question": "q", "files": ["a"], "contains": ["x", "y"]}', '{"question": "q"}\n{"question": "q"}', "[" * 5000],
)  # fmt: skip
def test_questions_that_cannot_be_read_are_refused_with_the_reason(line: str) -> None:
    with pytest.raises(UsageError, match=r"own\.jsonl"):
        read_questions(line, "own.jsonl")


def test_the_public_names_of_places_are_read_too_and_order_counts() -> None:
    ours = read_questions('{"question": "q", "files": ["a"], "contains": ["x"]}\n\n', "f")
    theirs = read_questions('{"question": "q", "expect_files": ["a"], "evidence": ["x"], "kind": "k"}', "f")
    assert ours == theirs
    assert fingerprint(ours) != fingerprint(read_questions('{"question": "q"}', "f"))


def test_others_are_seen_in_the_cpu_time_of_all_and_elsewhere_in_the_load() -> None:
    before = Sample(0.0, 0.0, 100.0, 0.1)
    assert machine_doubt(before, Sample(10.0, 9.0, 110.0, 0.1), cores=2) is None
    busy = machine_doubt(before, Sample(10.0, 5.0, 118.0, 2.0), cores=2)
    assert busy is not None and busy.kind == "busy_machine" and "1.3 of 2 cores" in busy.detail
    dark = Sample(0.0, 0.0, None, 0.0)
    assert machine_doubt(dark, Sample(10.0, 9.0, None, 1.2), cores=2) is None
    assert machine_doubt(dark, Sample(10.0, 9.0, None, 3.0), cores=2) is not None


def test_an_index_that_moved_and_a_run_that_stood_still_are_doubted() -> None:
    assert index_doubt("a", "a") is None
    changed = index_doubt("a", "b")
    assert changed is not None and changed.kind == "index_changed"
    assert gap_doubt([0.1, 0.2]) is None
    still = gap_doubt([0.1, 90.0])
    assert still is not None and "90 s" in still.detail
