"""What measures a model asks with it, and what fits weights writes them as the file has them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helix_core.config import load_config
from helix_core.embed.model import FastModel, Model, ModelEncoder, choose
from helix_core.engine import Helix
from helix_core.engine.embedding import Embedding
from helix_core.search import weights
from tests.embed.conftest import ModulesOf

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TEXT = 'def purge(table, key):\n    """Remove a record and all that refers to it."""\n    del table[key]\n'
QUESTION = {"question": "how does one get rid of an entry?", "kind": "x", "expect_files": ["rows.py"], "evidence": [""]}


@pytest.fixture
def benchmark(modules_of: ModulesOf) -> Callable[[str], ModuleType]:
    """A script of the benchmarks, as a module."""
    return modules_of(BENCHMARKS)


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora" / "project"
    folder.mkdir(parents=True)
    (folder / "rows.py").write_text(TEXT)
    return folder.parent


class _Heard:
    """A model's encoder that remembers which models it was asked for."""

    def __init__(self, encoder: ModelEncoder) -> None:
        self._encoder, self.problem, self.asked_for = encoder, "", list[str]()

    @property
    def models(self) -> tuple[str, ...]:
        return self._encoder.models

    def encode(self, model: str, text: str) -> bytes:
        self.asked_for.append(model)
        return self._encoder.encode(model, text)


@pytest.mark.slow
def test_packets_are_measured_with_the_model(
    corpora: Path, minilm: Model, benchmark: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    search = benchmark("search")
    bench = search.Bench(tmp_path, corpora, [QUESTION | {"corpus": "project"}])
    with ExitStack() as stack:
        made = search.Engine.of(tmp_path / "cache", minilm.folder, stack=stack)
        heard = _Heard(made.encoder)
        engine = search.Engine(made.cache, heard, made.model, made.levels)
        stack.enter_context(engine.indexed(corpora / "project"))
        search.report_packets(bench, engine)
    assert heard.asked_for and set(heard.asked_for) == {minilm.name}


@pytest.mark.process
def test_a_bench_of_ones_own_asks_with_the_model_that_is_set_up(
    corpora: Path, minilm: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, questions = corpora / "project", tmp_path / "own.jsonl"
    questions.write_text(json.dumps({"question": QUESTION["question"], "files": ["rows.py"]}))
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    config = load_config(folder)
    with Helix.open(folder, config=config) as helix:
        helix.refresh()

    def run() -> dict[str, Any]:
        command = [sys.executable, "-m", "helix_ls.cli", "bench", "run", str(folder), "--questions", str(questions)]
        ran = subprocess.run([*command, "--rounds", "1", "--json"], capture_output=True, text=True, check=True)
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer

    assert run()["model"] == "static"
    choose(config.cache_dir, minilm)
    with Embedding.open(folder, config) as embedding:
        embedding.run(FastModel(minilm))
    assert run()["model"] == minilm.name


@pytest.mark.process
def test_a_command_that_asks_once_says_that_it_does_not_load_the_model(
    corpora: Path, minilm: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))

    def ask(verb: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "helix_ls.cli", verb, "how is a record removed?"]
        ran = subprocess.run(
            [*command, "--path", str(corpora / "project"), "--json"], capture_output=True, text=True, check=True
        )
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer

    assert not any("built-in" in note for note in ask("packet")["notes"])
    choose(tmp_path / "cache", minilm)
    notes = [note for note in ask("packet")["notes"] if "built-in" in note]
    said = f"a command that asks once does not load {minilm.name}; hosts do"
    assert notes == [f"the built-in vectors are used: {said}"]
    found = ask("search")
    assert found["rankers"]["outlines"] == "static only"
    assert [note for note in found["notes"] if "built-in" in note] == notes


@pytest.mark.process
def test_weights_of_lines_are_written_as_the_file_has_them(
    benchmark: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    fit_lines = benchmark("fit_lines")
    shipped, copy = Path(str(weights.__file__)), tmp_path / "weights.py"
    shutil.copy(shipped, copy)
    tables = {name: dict(getattr(weights, name)) for name in fit_lines.TABLES}
    fit_lines.write(copy, fit_lines.as_text(tables))
    assert copy.read_text() == shipped.read_text()

    tables["LINES_BY_WORDS"]["short"] = -0.37
    fit_lines.write(copy, fit_lines.as_text(tables))
    found: dict[str, Any] = {}
    exec(copy.read_text(), found)
    assert found["LINES_BY_WORDS"]["short"] == -0.37
    assert found["LINES_WITH_MODEL"] == weights.LINES_WITH_MODEL


@pytest.mark.process
def test_weights_are_written_as_the_file_has_them(benchmark: Callable[[str], ModuleType], tmp_path: Path) -> None:
    fit = benchmark("fit")
    shipped = Path(str(weights.__file__))
    copy = tmp_path / "weights.py"
    shutil.copy(shipped, copy)
    columns = [
        fit.Fit(
            fit.np.log([weights.weight(name, with_model=with_model) for name in fit.FITTED]),
            fit.SHARPNESS * fit.np.log([weights.ROLE_FACTORS[role] for role in fit.ROLES]),
        )
        for with_model in (False, True)
    ]
    everything = frozenset(fit.FITTED)
    fit.write(copy, fit.as_text(columns, [everything, everything]))
    assert copy.read_text() == shipped.read_text()

    other = fit.Fit(fit.np.log([0.37] * len(fit.FITTED)), columns[0].roles)
    fit.write(copy, fit.as_text([other], [everything - {"passages"}]))
    assert copy.read_text() != shipped.read_text()
    found: dict[str, Any] = {}
    exec(copy.read_text(), found)
    assert found["weight"]("chunks", with_model=False) == 0.37
    # What was not heard, and the column that was not fitted, stay.
    assert found["weight"]("passages", with_model=False) == weights.weight("passages", with_model=False)
    assert found["weight"]("chunks", with_model=True) == weights.weight("chunks", with_model=True)
    assert subprocess.run([sys.executable, "-m", "ruff", "format", "--check", copy], check=False).returncode == 0


@pytest.mark.slow
def test_a_file_without_the_marks_is_left_as_it_is(benchmark: Callable[[str], ModuleType], tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x = 1\n")
    with pytest.raises(SystemExit, match="fitted: begin"):
        benchmark("fit").write(other, "y = 2\n")
    assert other.read_text() == "x = 1\n"


def test_a_run_is_paired_with_an_earlier_one_and_asks_chosen_rankers_alone(
    corpora: Path, benchmark: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    search = benchmark("search")
    questions, answers = tmp_path / "questions.jsonl", tmp_path / "earlier.jsonl"
    rows = [QUESTION | {"corpus": "project", "question": text} for text in ("purge a key", "zebra")]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["search.py", str(corpora), "--bench", str(questions)]

    def printed(*more: str) -> str:
        monkeypatch.setattr(sys, "argv", [*command, *more])
        search.main()
        return capsys.readouterr().out

    first = printed("--answers", str(answers))
    assert "ours - " not in first
    assert "ours - earlier           hit@1 +0.000" in printed("--against", str(answers))
    told = [json.loads(line) for line in answers.read_text().splitlines()]
    answers.write_text("".join(json.dumps(one | {"files": []}) + "\n" for one in told))
    assert "ours - earlier           hit@1 +0.500" in printed("--against", str(answers), "--only", "names,chunks")
    monkeypatch.setattr(sys, "argv", [*command, "--only", "names,luck"])
    with pytest.raises(SystemExit):
        search.main()
    assert "there is no ranker luck" in capsys.readouterr().err
