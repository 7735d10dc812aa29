"""The same answers on a busy machine? Packets asked in peace, and again beside busy loops.

    python benchmarks/load.py PROJECT... [--questions FILE] [--most 60] [--loops 8] [--gate]

Each PROJECT is indexed in a temporary cache; the questions are those of questions.jsonl (one JSON object a line, with
``question`` and ``corpus``, the project's name) that are about it. Every question is asked in a process that has been
warmed up, first in peace, then beside that many busy loops at nice 0. Two answers differ where anything but their times
does. With --gate a differing answer, or an error under load, ends the run with 1.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))

from processes import busy_loops

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.errors import HelixError
from helix_core.model import Status

DEFAULT_QUESTIONS = Path(__file__).resolve().parents[2] / "shared" / "bench" / "questions.jsonl"


def main() -> None:
    """Print one line a project, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", type=Path, nargs="+")
    parser.add_argument("--questions", type=Path, default=DEFAULT_QUESTIONS)
    parser.add_argument("--most", type=int, default=60, help="questions a project, at most")
    parser.add_argument("--loops", type=int, default=8)
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    asked = [json.loads(line) for line in args.questions.read_text("utf-8").splitlines()]
    total = differing = errors = 0
    for project in args.projects:
        questions = [one["question"] for one in asked if one["corpus"] == project.name][: args.most]
        with tempfile.TemporaryDirectory() as cache:
            counts = compared(project, questions, Path(cache), args.loops)
        print(f"{project.name:16} {counts[0]:4} questions  {counts[1]} differ  {counts[2]} errors  "
              f"p50 {counts[3]:.0f} ms in peace, {counts[4]:.0f} ms beside {args.loops} loops")  # fmt: skip
        total, differing, errors = total + counts[0], differing + counts[1], errors + counts[2]
    print(f"{'all':16} {total:4} questions  {differing} differ  {errors} errors")
    if args.gate and (differing or errors):
        raise SystemExit(1)


def compared(project: Path, questions: list[str], cache: Path, loops: int) -> tuple[int, int, int, float, float]:
    """How many questions, answers that differ, errors, and the median milliseconds in peace and under load."""
    config = replace(load_config(project), cache_dir=cache, data_dir=cache / "data")
    with Helix.open(project, config=config) as helix:
        helix.refresh()
        answers_of(helix, questions)
        calm, calm_ms = answers_of(helix, questions)
        with busy_loops(loops):
            loaded, loaded_ms = answers_of(helix, questions)
    differing = sum(one != other for one, other in zip(calm, loaded, strict=True))
    return len(questions), differing, sum("error" in answer for answer in loaded), calm_ms, loaded_ms


def answers_of(helix: Helix, questions: list[str]) -> tuple[list[dict[str, Any]], float]:
    """The packets without their times, and the median time in milliseconds."""
    answers, times = [], [0.0]
    for question in questions:
        started = time.perf_counter()
        try:
            answers.append(timeless(helix.packet(question)))
        except HelixError as error:
            answers.append({"error": str(error)})
        times.append((time.perf_counter() - started) * 1e3)
    return answers, sorted(times)[len(times) // 2]


def timeless(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without its times, whose digits count among its tokens."""
    answer = copy.deepcopy(answer)
    answer["accounting"] |= {"elapsed_ms": 0, "tokens": 0}
    for status in Status:
        for item in answer[status.value]:
            item["last_verified_at"] = 0
    return answer


if __name__ == "__main__":
    main()
