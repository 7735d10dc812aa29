"""Measure answers: questions with expected files, scores, statistics over them, and a comparison of two runs.

In: questions, answers, times, samples of the machine's load. Out: figures, doubts, a verdict. Pure: asks nothing, reads
no disk and no clock; every random number comes from a fixed seed.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.bench.compare import compare_runs
    from helix_core.bench.measure import bench, described
    from helix_core.bench.questions import SHAPE, BenchQuestion, read_questions

__all__ = ["SHAPE", "BenchQuestion", "bench", "compare_runs", "described", "read_questions"]

__getattr__ = lazy_face(
    __name__,
    {
        "compare": ("compare_runs",),
        "measure": ("bench", "described"),
        "questions": ("SHAPE", "BenchQuestion", "read_questions"),
    },
)
