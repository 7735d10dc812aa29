"""A real cross-encoder, small and made here: loaded by fastembed, put before answers, late, broken, absent."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from helix_core.config import load_config
from helix_core.embed.late_interaction import BATCH
from helix_core.embed.minilm import Graph
from helix_core.embed.model import RERANKER_ABOUT, models_folder
from helix_core.embed.reranker import (
    LoadedReranker,
    RerankerModel,
    choose_reranker,
    chosen_reranker,
    listed_reranker,
    load_reranker,
    read_reranker,
    take_reranker_folder,
)
from helix_core.engine import Helix
from helix_core.errors import ModelError
from helix_core.search.meaning import MOST_CHARS
from helix_ls.host.host import Host

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "plain", "splendid", "dull"]
WORTH = [0.0, 0.0, 0.0, 0.0, 0.0, 5.0, -5.0]
QUESTION = "where is the rate computed?"
FILES = {
    "rate.py": 'def rate(amount):\n    """Where the rate is computed."""\n    return 2 * amount  # dull\n',
    "other.py": 'def other(amount):\n    """A splendid rate, computed."""\n    return amount\n',
    "third.py": 'def third(amount):\n    """The rate, said plain."""\n    return amount - 1\n',
}


def write_cross_encoder(folder: Path, *, weights: str = "model.onnx") -> Path:
    """Files as such models have them. Its graph adds up what the second text's words are worth: (batch, 1)."""
    (folder / weights).parent.mkdir(parents=True, exist_ok=True)
    graph = Graph()
    worth = graph.constant("worth", np.array(WORTH, np.float32))
    given = graph.node("Gather", [worth, "input_ids"], "given")
    second = graph.node("Cast", [graph.node("Mul", ["token_type_ids", "attention_mask"], "kept")], "second", to=1)
    axis = graph.constant("axis", np.array([1], np.int64))
    score = graph.node("ReduceSum", [graph.node("Mul", [given, second], "own"), axis], "logits", keepdims=1)
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    (folder / weights).write_bytes(graph.file("cross", inputs, score, 1))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    return folder


def never() -> bool:
    return False


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "given")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HELIX_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("HELIX_DATA_DIR", str(tmp_path / "data"))
    with Helix.open(folder) as helix:
        helix.refresh()
    return folder


@pytest.fixture
def set_up(given: Path, project: Path) -> RerankerModel:
    cache = load_config(project).cache_dir
    model = take_reranker_folder(given, cache)
    choose_reranker(cache, model)
    return model


def files_of(answer: dict[str, Any]) -> list[str]:
    items = [*answer.get("items", ()), *answer.get("verified", ())]
    return list(dict.fromkeys(item["source_id"] for item in items))


def test_a_folder_is_taken_and_reads_question_and_text_together(given: Path, tmp_path: Path) -> None:
    model = take_reranker_folder(given, tmp_path)
    assert model.name.startswith("rerank-given@") and model.source == "the folder given"
    encoder = load_reranker(model)
    # What the question says is not counted, only what the text says.
    assert encoder.scores("splendid", ["plain", "splendid", "dull dull"], never) == [0.0, 5.0, -10.0]
    choose_reranker(tmp_path, model)
    assert chosen_reranker(tmp_path) == model


def test_two_of_one_title_are_kept_apart(given: Path, tmp_path: Path) -> None:
    first = take_reranker_folder(given, tmp_path)
    other = write_cross_encoder(tmp_path / "other" / "given")
    (other / "model.onnx").write_bytes((other / "model.onnx").read_bytes().replace(b"cross", b"angry"))
    second = take_reranker_folder(other, tmp_path)
    assert (first.folder.name, second.folder.name) == ("rerank-given", second.name)
    assert (read_reranker(first.folder), take_reranker_folder(given, tmp_path)) == (first, first)


def test_it_stops_between_batches_when_it_is_late(given: Path, tmp_path: Path) -> None:
    encoder = load_reranker(take_reranker_folder(given, tmp_path))
    late = iter([False, False, True])
    assert encoder.scores("plain", ["splendid"] * 20, lambda: next(late)) == [5.0] * (2 * BATCH)


def test_one_of_fastembeds_list_is_loaded_from_where_it_was_kept(tmp_path: Path) -> None:
    """As it lies after it was fetched: the weights in the folder that fastembed's list names."""
    about = listed_reranker("ms-marco-MiniLM-L-6-v2")
    assert (about.name, about.dimensions) == ("Xenova/ms-marco-MiniLM-L-6-v2", 0) and about.size_mb > 0
    folder = write_cross_encoder(tmp_path / "kept", weights="onnx/model.onnx")
    model = RerankerModel("kept@0", folder, "fastembed", "onnx/model.onnx", about.name)
    assert load_reranker(model).scores("plain", ["splendid"], never) == [5.0]


@pytest.mark.parametrize("damage", ["model.onnx", "tokenizer.json", RERANKER_ABOUT])
def test_a_damaged_one_is_said_and_serves_nothing(set_up: RerankerModel, damage: str, tmp_path: Path) -> None:
    (set_up.folder / damage).write_bytes(b"\0damaged")
    loaded = LoadedReranker(tmp_path / "cache")
    loaded.follow()
    assert "set" in loaded.problem and "up" in loaded.problem and len(loaded.problem) < 600
    assert loaded.scores(QUESTION, ["splendid"], never) == []


def test_what_is_no_cross_encoder_leaves_nothing_behind(given: Path, tmp_path: Path) -> None:
    (given / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError):
        take_reranker_folder(given, tmp_path / "cache")
    assert list(models_folder(tmp_path / "cache").glob("*")) == []
    with pytest.raises(ModelError, match="did you mean Xenova/ms-marco"):
        listed_reranker("ms-marco-MiniLM-L6")


def test_a_folder_that_is_missing_is_not_taken_for_a_misspelled_name() -> None:
    with pytest.raises(ModelError, match="There is no model folder /nope/ms-marco-MiniLM-L6; name") as refused:
        listed_reranker("/nope/ms-marco-MiniLM-L6")
    assert "did you mean" not in str(refused.value)


@pytest.mark.parametrize(
    "about", ["[]", "{}", '{"name": 1, "source": ""}', '{"name": "x", "source": "", "model_file": "../model.onnx"}']
)
def test_what_a_folder_says_of_itself_is_checked(given: Path, about: str) -> None:
    (given / RERANKER_ABOUT).write_text(about)
    with pytest.raises(ModelError, match="set"):
        read_reranker(given)


def test_the_first_places_come_in_its_order_and_all_else_stays(project: Path, set_up: RerankerModel) -> None:
    reranker = LoadedReranker(load_config(project).cache_dir)
    with Helix.open(project, config=replace(load_config(project), rerank_budget_ms=5_000.0)) as helix:
        plain = helix.search(QUESTION)
        assert files_of(plain)[0] == "rate.py" and "rerank" not in plain["rankers"]
        helix.session.reranker = reranker
        waiting = helix.search(QUESTION)
        assert files_of(waiting) == files_of(plain)
        assert waiting["rankers"]["rerank"] == "not ready: is being loaded"
        reranker.follow()
        assert (reranker.problem, chosen_reranker(load_config(project).cache_dir)) == ("", set_up)
        found, packet, one = helix.search(QUESTION), helix.packet(QUESTION), helix.search(QUESTION, k=1)
    assert files_of(found) == files_of(packet) == ["other.py", "third.py", "rate.py"]
    assert files_of(one) == ["other.py"] and len(one["items"]) == 1
    assert found["rankers"]["rerank"] == packet["accounting"]["signals"]["rerank"] == "used"
    assert [item["score"] for item in found["items"]] == [item["score"] for item in plain["items"]]
    assert found["confidence"] == plain["confidence"]


class _Failing:
    """What a runtime does that breaks in the middle, or that takes all the time there is."""

    problem = ""

    def __init__(self, act: Callable[[Callable[[], bool]], list[float]]) -> None:
        self._act = act

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        return self._act(is_late)


class _Listening(_Failing):
    """Hears how long a question it is asked."""

    def __init__(self) -> None:
        super().__init__(lambda _: [])
        self.heard: list[int] = []

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        self.heard.append(len(question))
        return super().scores(question, texts, is_late)


def test_a_question_of_a_megabyte_is_read_as_far_as_a_place_is(project: Path) -> None:
    listening = _Listening()
    with Helix.open(project) as helix:
        helix.session.reranker = listening
        helix.packet(QUESTION + " plain" * 200_000)
    assert listening.heard and max(listening.heard) <= MOST_CHARS


def test_late_or_broken_it_leaves_the_order_and_says_so(project: Path) -> None:
    def breaks(_: Callable[[], bool]) -> list[float]:
        raise ModelError("The model small cannot be loaded; set it up again.")

    def takes_its_time(is_late: Callable[[], bool]) -> list[float]:
        while not is_late():
            time.sleep(0.001)
        return [1.0]

    with Helix.open(project, config=replace(load_config(project), rerank_budget_ms=5.0)) as helix:
        plain = files_of(helix.search(QUESTION))
        for act, state in ((breaks, "The model small cannot be loaded; set it up again."), (takes_its_time, "1 of 3")):
            helix.session.reranker = _Failing(act)
            answer = helix.search(QUESTION)
            assert files_of(answer) == plain
            assert answer["rankers"]["rerank"].startswith(state)


@pytest.mark.process
def test_a_host_uses_it_where_the_setting_says_so(
    project: Path, set_up: RerankerModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_SEARCH_RERANK", "true")
    monkeypatch.setenv("HELIX_SEARCH_RERANK_BUDGET_MS", "5000")
    assert chosen_reranker(load_config(project).cache_dir) == set_up

    async def main() -> None:
        host = Host(mode="solo", linger_s=0)
        try:
            workspace = await host.attach(project, trusted=True)
            deadline = time.monotonic() + 120
            while True:
                answer = await workspace.ask(lambda helix: helix.packet(QUESTION))
                if answer["accounting"]["signals"].get("rerank") == "used":
                    break
                assert time.monotonic() < deadline, answer["accounting"]
                await asyncio.sleep(0.1)
            assert files_of(answer)[0] == "other.py"
        finally:
            await host.close()

    asyncio.run(main())


def helix(*arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HELIX_SEARCH_RERANK": "true"}
    command = [sys.executable, "-m", "helix_ls.cli", *arguments]
    return subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.process
def test_it_is_set_up_by_command_and_no_command_that_asks_once_loads_it(project: Path, given: Path) -> None:
    where = ["--path", str(project)]
    done = helix("embed", "setup", "--reranker", str(given), *where, "--json")
    assert done.returncode == 0, done.stderr
    status = json.loads(done.stdout)
    assert status["reranker"].startswith("rerank-given@") and status["rerank"] is True
    assert 0 < status["rerank_ms"] < 60_000 and status["rerank_budget_ms"] == 150
    assert status["model"] == "static"
    answer = json.loads(helix("packet", QUESTION, *where, "--json").stdout)
    assert "rerank" not in answer["accounting"]["signals"] and files_of(answer)[0] == "rate.py"
    questions = project.parent / "own.jsonl"
    questions.write_text(json.dumps({"question": QUESTION, "files": ["other.py"]}))
    ran = helix("bench", "run", str(project), "--questions", str(questions), "--rounds", "1", "--json")
    assert json.loads(ran.stdout)["figures"]["hit@1"]["mean"] == 1.0
    refused = helix("embed", "setup", "--reranker", "Xenova/ms-marco-MiniLM-L-6-v2", *where)
    assert refused.returncode == 2
    assert "80 MB" in refused.stderr and "--yes" in refused.stderr
