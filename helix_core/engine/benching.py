"""Ask a workspace a set of questions, several times, and watch while it answers: the ``helix.bench/1`` object.

What was seen decides what is told: no figures at all where the index changed underneath or an answer never came, and
no latency where other processes took the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from helix_core import __version__
from helix_core.bench.compare import SCHEMA
from helix_core.bench.questions import BenchQuestion, fingerprint
from helix_core.bench.scoring import PLACES, Row, abstention, figures, scores_of
from helix_core.bench.statistics import Interval, quantile
from helix_core.bench.watch import STALL_S, Doubt, gap_doubt, index_doubt, machine_doubt, stall
from helix_core.engine import machine
from helix_core.engine.helix import Helix
from helix_core.engine.report import Progress
from helix_core.errors import Cancelled
from helix_core.ingest.generation import parser_generation
from helix_core.workspace.disk import DiskError, Root
from helix_core.workspace.git import Git
from helix_core.workspace.paths import checked

ROUNDS = 3
MOST_ROUNDS = 50


class _StalledError(Exception):
    def __init__(self, doubt: Doubt) -> None:
        super().__init__(doubt.detail)
        self.doubt = doubt


def bench(
    helix: Helix,
    questions: Sequence[BenchQuestion],
    *,
    rounds: int = ROUNDS,
    stall_s: float = STALL_S,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Ask every question once for its answer and ``rounds`` times for its time. The index must be up to date."""
    began = time.time()
    digest, before = helix.digest(), machine.sample()
    asking = _Asking(helix, stall_s, progress, total=len(questions) * (rounds + 1))
    doubts: list[Doubt] = []
    rows: list[Row] = []
    try:
        rows = asking.rows(questions, rounds)
    except _StalledError as error:
        doubts.append(error.doubt)
    after = machine.sample()
    # What changed on disk meanwhile comes into the index now, and shows in its digest.
    helix.refresh()
    status = helix.status()
    found = (
        index_doubt(digest, helix.digest()),
        machine_doubt(before, after, machine.cores()),
        gap_doubt(asking.gaps_s),
    )
    doubts += [doubt for doubt in found if doubt is not None]
    is_told = bool(rows) and not any(doubt.kind == "index_changed" for doubt in doubts)
    return {
        "schema": SCHEMA,
        "began_at": round(began, 3),
        "elapsed_s": round(after.at_s - before.at_s, 3),
        "cpu_s": round(after.own_cpu_s - before.own_cpu_s, 3),
        "workspace": str(helix.workspace),
        "helix": {"version": __version__, "parsers": parser_generation()},
        "code": _code(helix),
        "index": {"digest": digest, "files": status["index"]["files"], "items": status["index"]["items"]},
        "model": helix.encoder.models[0],
        "machine": machine.described(),
        "questions": {"count": len(questions), "sha256": fingerprint(questions)},
        "rounds": rounds,
        "doubts": [{"kind": doubt.kind, "detail": doubt.detail} for doubt in doubts],
        "figures": {name: _wire(one) for name, one in figures(rows).items()} if is_told else None,
        "abstention": {name: round(share, 4) for name, share in abstention(rows).items()} if is_told else None,
        "latency_ms": _latency(rows) if is_told and not doubts else None,
        "rows": [_row(row) for row in rows] if is_told else [],
    }


class _Asking:
    """The questions being asked. Use once."""

    def __init__(
        self, helix: Helix, stall_s: float, progress: Callable[[Progress], None] | None, *, total: int
    ) -> None:
        self._helix, self._stall_s, self._progress, self._total = helix, stall_s, progress, total
        self._asked, self._ended = 0, 0.0
        self._texts: dict[str, list[str]] = {}
        self.gaps_s: list[float] = []

    def rows(self, questions: Sequence[BenchQuestion], rounds: int) -> list[Row]:
        """Raises _StalledError."""
        rows = []
        for question in questions:
            answer, _ = self._ask(question.text)
            rows.append(
                Row(
                    question.text,
                    scores_of(question, answer["items"], self._lines),
                    bool(answer["known_empty"]),
                    not question.files,
                    (),
                )
            )
        times: list[list[float]] = [[] for _ in questions]
        for _ in range(rounds):
            for number, question in enumerate(questions):
                times[number].append(self._ask(question.text)[1])
        return [
            Row(row.question, row.scores, row.known_empty, row.is_absent, tuple(took))
            for row, took in zip(rows, times, strict=True)
        ]

    def _ask(self, text: str) -> tuple[dict[str, Any], float]:
        """The answer and its milliseconds."""
        started = time.monotonic()
        if self._ended:
            self.gaps_s.append(started - self._ended)
        try:
            answer = self._helix.search(text, k=PLACES, cancelled=lambda: time.monotonic() - started > self._stall_s)
        except Cancelled:
            raise _StalledError(stall(text, time.monotonic() - started)) from None
        self._ended = time.monotonic()
        if self._ended - started > self._stall_s:
            raise _StalledError(stall(text, self._ended - started))
        self._asked += 1
        if self._progress is not None:
            self._progress(Progress("asking", self._asked, self._total))
        return answer, (self._ended - started) * 1e3

    def _lines(self, source_id: str, first: int, last: int) -> str:
        """The lines on disk; nothing where they cannot be read any more, which the index's doubt then tells."""
        if source_id not in self._texts:
            with Root.open(self._helix.workspace) as root:
                try:
                    data = root.read(checked(source_id)).data
                except DiskError:
                    data = b""
            self._texts[source_id] = [line.decode("utf-8", "replace") for line in data.splitlines()]
        return "\n".join(self._texts[source_id][first - 1 : last])


def _code(helix: Helix) -> dict[str, Any]:
    """Where the workspace's own code stands; nothing but empty words outside git."""
    git = Git.open(helix.workspace)
    if git is None or git.problem:
        return {"head": "", "branch": "", "dirty": False}
    standing = helix.standing()
    dirty = bool(git.run(["status", "--porcelain=v1", "-z", "--untracked-files=no"]))
    return {"head": standing.head, "branch": standing.branch, "dirty": dirty}


def _latency(rows: Sequence[Row]) -> dict[str, float]:
    all_ms = [ms for row in rows for ms in row.elapsed_ms]
    told = {f"p{round(share * 100)}": quantile(all_ms, share) for share in (0.5, 0.95, 0.99)}
    return {name: round(ms, 3) for name, ms in told.items()} | {"max": round(max(all_ms, default=0.0), 3)}


def _row(row: Row) -> dict[str, Any]:
    return {
        "question": row.question,
        "scores": {name: round(score, 5) for name, score in row.scores.items()},
        "known_empty": row.known_empty,
        "absent": row.is_absent,
        "median_ms": round(quantile(row.elapsed_ms, 0.5), 3),
    }


def _wire(one: Interval) -> dict[str, float]:
    return {"mean": round(one.mean, 5), "low": round(one.low, 5), "high": round(one.high, 5)}
