"""Run a set of questions against a workspace several times and sample the machine's load: ``helix.bench/1``."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix_core import __version__
from helix_core.bench.compare import SCHEMA
from helix_core.bench.questions import (
    PLACES,
    BenchQuestion,
    Interval,
    Row,
    abstention,
    figures,
    fingerprint,
    quantile,
    scores_of,
)
from helix_core.embed import STATIC
from helix_core.engine import Helix
from helix_core.engine.indexing import Progress
from helix_core.errors import Cancelled
from helix_core.ingest import parser_generation
from helix_core.printable import count
from helix_core.search import BUILT_IN
from helix_core.workspace import DiskError, Git, Root, checked

STALL_S = 20.0
"""Time limit of a question, in seconds; the run is stalled when one takes longer."""
GAP_S = 5.0
"""Least gap between two questions, in seconds, that means that the machine slept or the process was stopped."""
WATCH_S = 30.0
"""Seconds between two looks at the index and the disk during a run, which ends at once where they changed."""
OTHERS_SHARE = 0.5
"""Share of the other cores (a quarter of an only one) that others may use before latency measures them instead."""
WAITED_SHARE = 0.25
"""Tolerated shortfall of a computing process's CPU share below one core."""
Kind = Literal["index_changed", "stalled", "busy_machine", "model_not_ready"]


@dataclass(frozen=True, slots=True)
class Sample:
    """The machine at one moment; CPU times in seconds since an arbitrary start. ``all_cpu_s`` is None where unknown."""

    at_s: float
    own_cpu_s: float
    all_cpu_s: float | None
    load: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why some figures are omitted, and what to do."""

    kind: Kind
    detail: str


def machine_doubt(before: Sample, after: Sample, cores: int) -> Doubt | None:
    """Return a doubt when other processes took the CPU that the questions needed.

    Where all CPU time is known: others used more than half of the other cores (a quarter of an only one). Elsewhere:
    the load average of the last minute, less one for this process, exceeds the same limit.
    """
    wall_s = after.at_s - before.at_s
    border = OTHERS_SHARE * (cores - 1) if cores > 1 else OTHERS_SHARE / 2
    if wall_s <= 0:
        return None
    if before.all_cpu_s is None or after.all_cpu_s is None:
        others = max(0.0, after.load - 1)
    else:
        own = after.own_cpu_s - before.own_cpu_s
        others = max(0.0, after.all_cpu_s - before.all_cpu_s - own) / wall_s
    if others <= border:
        return None
    doubt = f"other processes used {others:.1f} of {count(cores, 'core')} (load {after.load:.1f})"
    return Doubt("busy_machine", f"{doubt}; no latency is reported; run again when the machine is quiet")


def index_doubt(before: str, after: str) -> Doubt | None:
    """Return a doubt when the index changed. ``before`` and ``after`` are digests, each up to date with the disk."""
    if before == after:
        return None
    doubt = "files or their index changed while questions were asked"
    return Doubt("index_changed", f"{doubt}; no figure is reported; run again without edits")


def gap_doubt(gaps_s: Sequence[float]) -> Doubt | None:
    """Return a doubt when the run paused between its questions."""
    worst = max(gaps_s, default=0.0)
    if worst < GAP_S:
        return None
    return Doubt(
        "stalled", f"the run stood still for {worst:.0f} s between two questions; no latency is reported; run again"
    )


def stall(question: str, waited_s: float) -> Doubt:
    """Return the doubt of a question that timed out."""
    message = f"{question[:80]!r} was not answered in {waited_s:.0f} s"
    return Doubt("stalled", f"{message}; no figure is reported; see helix doctor and run again")


def model_doubt(wanted: str, notes: Collection[str]) -> Doubt | None:
    """Return a doubt when the built-in vectors served an answer for which a model was ``wanted``; ``notes`` are those
    of all answers.
    """
    found = next((note for note in sorted(notes) if note.startswith(BUILT_IN)), "")
    if wanted == STATIC or not found:
        return None
    return Doubt("model_not_ready", f"{found}; the figures are theirs, run helix embed run and measure again")


_IDLE, _WAITING = 3, 4


def sample() -> Sample:
    """Sample the machine now."""
    return Sample(time.monotonic(), time.process_time(), _all_cpu_s(), _load())


def cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def described() -> dict[str, Any]:
    """Describe processor, cores, memory in bytes (0: unknown), load average of the last minute, system and Python."""
    return {
        "cpu": _processor(),
        "cores": cores(),
        "memory_bytes": _memory("MemTotal"),
        "available_bytes": _memory("MemAvailable"),
        "load": round(_load(), 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def _all_cpu_s() -> float | None:
    """Return the CPU seconds of all the machine's cores, stolen ones included."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    return sum(tick for place, tick in enumerate(ticks) if place not in (_IDLE, _WAITING)) / os.sysconf("SC_CLK_TCK")


def _load() -> float:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return 0.0


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory(name: str) -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return 0
    return 0


ROUNDS = 3
MOST_ROUNDS = 50


class _EndedError(Exception):
    def __init__(self, doubt: Doubt) -> None:
        super().__init__(doubt.detail)
        self.doubt = doubt


def bench(
    helix: Helix,
    questions: Sequence[BenchQuestion],
    *,
    rounds: int = ROUNDS,
    stall_s: float = STALL_S,
    watch_s: float = WATCH_S,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Run every question once for its answer and ``rounds`` times for its latency. The index must be up to date.

    Every ``watch_s`` seconds the index and the disk are compared with those of the start: where they changed, the run
    ends without figures instead of at its last question.

    Args:
        helix: The opened workspace.
        questions: With the places that each expects.
        rounds: How often each question is timed.
        stall_s: An answer that takes longer is a stall of the machine, and puts the run in doubt.
        watch_s: How often index and disk are compared with those of the start.
        progress: Called after each answer.
    """
    began = time.time()
    digest, before = helix.digest(), sample()
    watch = _ChangeGuard(helix, digest, watch_s)
    asking = _BenchRun(helix, stall_s, progress, watch, total=len(questions) * (rounds + 1))
    doubts: list[Doubt] = []
    rows: list[Row] = []
    try:
        rows = asking.rows(questions, rounds)
    except _EndedError as error:
        doubts.append(error.doubt)
    after = sample()
    # Refresh now, so that concurrent changes on disk show in the digest.
    helix.refresh()
    status = helix.status()
    found = (
        index_doubt(digest, helix.digest()),
        machine_doubt(before, after, cores()),
        gap_doubt(asking.gaps_s),
        unready := model_doubt(helix.session.encoder.models[0], asking.notes),
    )
    doubts += [doubt for doubt in found if doubt is not None and doubt not in doubts]
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
        "model": STATIC if unready else helix.session.encoder.models[0],
        "machine": described(),
        "questions": {"count": len(questions), "sha256": fingerprint(questions)},
        "rounds": rounds,
        "doubts": [{"kind": doubt.kind, "detail": doubt.detail} for doubt in doubts],
        "figures": {name: _wire(one) for name, one in figures(rows).items()} if is_told else None,
        "abstention": {name: round(share, 4) for name, share in abstention(rows).items()} if is_told else None,
        "latency_ms": _latency(rows) if is_told and not doubts else None,
        "rows": [_row(row) for row in rows] if is_told else [],
    }


class _ChangeGuard:
    """Sees during a run that the index or the disk changed; ``digest`` is the index's at the start.

    ``ended`` is the monotonic time of the last look.
    """

    def __init__(self, helix: Helix, digest: str, every_s: float) -> None:
        self._helix, self._digest, self._every_s = helix, digest, every_s
        self._pending = helix.status()["pending"]
        self.ended = time.monotonic()

    def look(self) -> None:
        """Raise _EndedError where something changed, at most once in ``every_s`` seconds."""
        if time.monotonic() - self.ended < self._every_s:
            return
        now = self._helix.digest() if self._helix.status()["pending"] == self._pending else ""
        self.ended = time.monotonic()
        if (doubt := index_doubt(self._digest, now)) is not None:
            raise _EndedError(doubt)


class _BenchRun:
    """The state of one run. Use it once."""

    def __init__(
        self,
        helix: Helix,
        stall_s: float,
        progress: Callable[[Progress], None] | None,
        watch: _ChangeGuard,
        *,
        total: int,
    ) -> None:
        self._helix, self._stall_s, self._progress, self._total = helix, stall_s, progress, total
        self._watch = watch
        self._answered, self._ended = 0, 0.0
        self._texts: dict[str, list[str]] = {}
        self.gaps_s: list[float] = []
        self.notes: set[str] = set()

    def rows(self, questions: Sequence[BenchQuestion], rounds: int) -> list[Row]:
        """Run the questions and score the answers. Raises _EndedError for one over the time limit, and for a change."""
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
        """Return the answer and its latency in milliseconds."""
        started = time.monotonic()
        if self._ended:
            self.gaps_s.append(started - self._ended)
        try:
            answer = self._helix.search(text, k=PLACES, cancelled=lambda: time.monotonic() - started > self._stall_s)
        except Cancelled:
            raise _EndedError(stall(text, time.monotonic() - started)) from None
        self._ended = time.monotonic()
        self.notes.update(answer["notes"])
        if self._ended - started > self._stall_s:
            raise _EndedError(stall(text, self._ended - started))
        self._answered += 1
        if self._progress is not None:
            self._progress(Progress("asking", self._answered, self._total))
        took_ms = (self._ended - started) * 1e3
        self._watch.look()
        # A look is not a pause of the machine.
        self._ended = max(self._ended, self._watch.ended)
        return answer, took_ms

    def _lines(self, source_id: str, first: int, last: int) -> str:
        """Return the lines on disk; "" where they cannot be read any more, which ``index_doubt`` then reports."""
        if source_id not in self._texts:
            with Root.open(self._helix.workspace) as root:
                try:
                    data = root.read(checked(source_id)).data
                except DiskError:
                    data = b""
            self._texts[source_id] = [line.decode("utf-8", "replace") for line in data.splitlines()]
        return "\n".join(self._texts[source_id][first - 1 : last])


def _code(helix: Helix) -> dict[str, Any]:
    """Describe the state of Helix's own code; empty strings outside git."""
    git = Git.open(helix.workspace)
    if git is None or git.problem:
        return {"head": "", "branch": "", "dirty": False}
    standing = helix.summary()
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
