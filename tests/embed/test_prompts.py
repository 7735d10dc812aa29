"""What a model reads before a question and before a text, and that another prompt is another model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helix_core.embed import minilm as conversion
from helix_core.embed.model import FastModel, Model, ModelEncoder, choose, read_model, write_metadata
from helix_core.embed.model_sources import take_folder
from helix_core.embed.prompts import listed_prompts
from helix_core.errors import ModelError
from tests.embed.test_given_model import write_tokenizer
from tests.embed.test_token_rows import ROWS, direction, write_model

PURGE, ROW, HEADER, PAINT = range(4, 8)


def told(folder: Path, **prompts: object) -> Path:
    settings = {"prompts": prompts, "default_prompt_name": next(iter(prompts))}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    return folder


def test_questions_and_texts_are_read_behind_their_prompts(tmp_path: Path) -> None:
    given = told(write_model(tmp_path / "given"), query="paint ", document="header ")
    model = take_folder(given, tmp_path)
    loaded = FastModel(model)
    assert loaded.question("row") == pytest.approx(direction(ROWS[PAINT], ROWS[ROW]), abs=1e-5)
    assert loaded.documents(["row"])[0] == pytest.approx(direction(ROWS[HEADER], ROWS[ROW]), abs=1e-5)
    assert loaded.vectors(["row"])[0] == pytest.approx(direction(ROWS[ROW]), abs=1e-5)
    # The prompt takes no place of the text's.
    cut = loaded.documents(["row purge purge"], 1)[0]
    assert cut == pytest.approx(direction(ROWS[HEADER], ROWS[ROW]), abs=1e-5)
    choose(tmp_path, model)
    encoder = ModelEncoder(tmp_path)
    encoder.follow()
    assert np.frombuffer(encoder.encode(model.name, "row"), "<f4") == pytest.approx(loaded.question("row"))


@pytest.mark.parametrize(
    ("prompts", "query", "document"),
    [
        ({"query": "q: "}, "q: ", ""),
        ({"passage": "p: ", "corpus": "c: "}, "", "p: "),
        ({"document": "d: ", "passage": "p: "}, "", "d: "),
        ({"query": "q: ", "document": "", "corpus": "c: "}, "q: ", "c: "),
        ({"classification": "c: ", "query": None}, "", ""),
    ],
)
def test_they_are_those_that_sentence_transformers_takes(
    tmp_path: Path, prompts: dict[str, Any], query: str, document: str
) -> None:
    model = take_folder(told(write_model(tmp_path / "given"), **prompts), tmp_path)
    assert (model.query_prefix, model.document_prefix) == (query, document)


def test_another_prompt_is_another_model(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    names = [take_folder(given, tmp_path).name]
    for prompts in ({"query": "a"}, {"document": "a"}, {"query": "b"}, {"query": "a", "document": "a"}):
        names.append(take_folder(told(given, **prompts), tmp_path).name)
    assert len(set(names)) == len(names)
    assert take_folder(told(given, query=""), tmp_path).name == names[0]


@pytest.mark.parametrize(
    "settings",
    ['{"prompts": ["query"]}', '{"prompts": {"query": 3}}', "[" * 200_000, "[]", "{", '{"prompts": "query"}'],
)
def test_prompts_that_are_no_texts_are_refused(tmp_path: Path, settings: str) -> None:
    given = write_model(tmp_path / "given")
    (given / "config_sentence_transformers.json").write_text(settings)
    with pytest.raises(ModelError, match=r"config_sentence_transformers\.json"):
        take_folder(given, tmp_path)
    for prompt in ("x" * 5_000, "\ud800"):
        for kind in ("query", "document"):
            told(given, **{kind: prompt})
            with pytest.raises(ModelError, match="not texts"):
                take_folder(given, tmp_path)


def test_a_prompt_that_is_left_out_of_the_mean_is_refused(tmp_path: Path) -> None:
    given = told(write_model(tmp_path / "given"), query="q: ")
    (given / "1_Pooling").mkdir()
    (given / "1_Pooling" / "config.json").write_text('{"include_prompt": false}')
    with pytest.raises(ModelError, match="mean"):
        take_folder(given, tmp_path)


def test_each_listed_model_that_needs_a_prompt_has_one() -> None:
    from fastembed import TextEmbedding

    needed = {
        each["model"]: bool(re.search(r"Prefixes for queries/documents: (necessary|`)", each["description"]))
        for each in TextEmbedding.list_supported_models()
    }
    assert {name: bool(listed_prompts(name)) for name in needed} == needed


def test_a_listed_model_of_tasks_embeds_a_question_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """jina-embeddings-v3 has no prompt but a task, which fastembed gives to its graph; here it chooses a row."""
    folder = tmp_path / "tasks"
    (folder / "onnx").mkdir(parents=True)
    rng = np.random.default_rng(3)
    table, tasks = (rng.normal(size=(size, 1024)).astype(np.float32) for size in (4, 5))
    graph, declared = conversion.Graph(), conversion._value
    rows = graph.node("Gather", [graph.constant("table", table), "input_ids"], "rows")
    task = graph.node("Gather", [graph.constant("tasks", tasks), "task_id"], "task")
    added = graph.node("Add", [rows, task], "added")
    shapes: dict[str, tuple[str | int, ...]] = {"task_id": (), "added": ("batch", "sequence", 1024)}
    monkeypatch.setattr(conversion, "_value", lambda name, kind, shape: declared(name, kind, shapes.get(name, shape)))
    inputs = ("input_ids", "attention_mask", "task_id")
    (folder / "onnx" / "model.onnx").write_bytes(graph.file("tasks", inputs, added, 1024))
    write_tokenizer(folder)
    (folder / "config.json").write_text('{"pad_token_id": 0}')
    name, file = "jinaai/jina-embeddings-v3", "onnx/model.onnx"
    write_metadata(Model("tasks@0", folder, 1024, "mean", True, "", model_file=file, fastembed=name))
    loaded = FastModel(read_model(folder))
    assert loaded.question("row") == pytest.approx(direction(table[3], tasks[0]), abs=1e-4)
    assert loaded.documents(["row"])[0] == pytest.approx(direction(table[3], tasks[1]), abs=1e-4)
