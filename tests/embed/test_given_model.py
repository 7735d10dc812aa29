"""A model that a user gives, unlike those of the list: its tokenizer puts nothing around a text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from helix_core.embed.minilm import Graph
from helix_core.embed.model import FastModel
from helix_core.embed.model_sources import take_folder
from helix_core.errors import ModelError
from tests.embed.conftest import TokenRows


def write_tokenizer(folder: Path) -> None:
    words = {"[PAD]": 0, "helix": 1, "plain": 2, "row": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))


def test_a_text_without_a_token_has_a_vector_like_nothing(tmp_path: Path, token_rows: TokenRows) -> None:
    given = tmp_path / "given"
    given.mkdir()
    token_rows(given, 4)
    write_tokenizer(given)
    blank, said = FastModel(take_folder(given, tmp_path)).vectors(["  ", "plain row"])
    assert not blank.any()
    assert np.linalg.norm(said) == pytest.approx(1)


def write_pooled(folder: Path) -> NDArray[np.float32]:
    """Write a model whose graph adds up the rows of a table, which is returned: five dimensions for each token."""
    folder.mkdir()
    table = np.arange(1, 21, dtype=np.float32).reshape(4, 5)
    graph = Graph()
    rows = graph.node("Gather", [graph.constant("table", table), "input_ids"], "rows")
    axis = graph.constant("axis", np.array([1], np.int64))
    total = graph.node("ReduceSum", [rows, axis], "total", keepdims=0)
    (folder / "model.onnx").write_bytes(graph.file("pooled", ("input_ids",), total, 5))
    write_tokenizer(folder)
    return table


def test_a_width_that_fills_no_bytes_gets_zeros(tmp_path: Path) -> None:
    table = write_pooled(tmp_path / "given")
    model = take_folder(tmp_path / "given", tmp_path)
    (found,) = FastModel(model).vectors(["row"])
    assert model.dimensions == 8
    assert found == pytest.approx([*table[3] / np.linalg.norm(table[3]), 0, 0, 0])


def test_weights_that_git_lfs_left_out_are_not_needed_beside_a_graph(tmp_path: Path) -> None:
    given = tmp_path / "given"
    write_pooled(given)
    (given / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")
    assert not take_folder(given, tmp_path).has_rows
    (given / "model.onnx").unlink()
    with pytest.raises(ModelError, match="get the file again"):
        take_folder(given, tmp_path)
