"""The speed bench: what it measures when there is little to measure."""

import json
from pathlib import Path

import pytest

from tests.engine.repository import begin

PARTS = Path(__file__).parents[2] / "benchmarks" / "speedbench"


@pytest.mark.parametrize("count", [3, 12, 25])
def test_of_few_questions_some_warm_up_and_the_others_are_measured(tmp_path, monkeypatch, count):
    monkeypatch.syspath_prepend(PARTS)
    from inside import WARM_UP, packets

    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HELIX_CONFIG", str(tmp_path / "none.toml"))
    questions = tmp_path / "questions"
    questions.write_text("\n".join(json.dumps(f"where is cookie number {number}") for number in range(count)))
    told = packets(begin(tmp_path / "project"), questions)
    assert len(told["ms"]) == len(told["cpu_ms"]) == count - min(WARM_UP, count // 3)


def test_too_few_questions_are_told(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(PARTS)
    from inside import packets

    questions = tmp_path / "questions"
    questions.write_text('"where are cookies signed"')
    with pytest.raises(SystemExit, match="of 1 question none is left"):
        packets(begin(tmp_path / "project"), questions)
