"""A model that a user gives, unlike those of the list: its tokenizer puts nothing around a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from helix_core.embed import minilm
from helix_core.embed.minilm import Graph
from helix_core.embed.model import FastModel
from helix_core.embed.model_sources import take_folder
from helix_core.errors import ModelError
from tests.embed.conftest import TokenRows
from tests.embed.test_token_rows import write_tensors


def write_tokenizer(folder: Path) -> None:
    write_words(folder, pre_tokenizers.Whitespace())


def write_words(folder: Path, splitter: Any) -> None:
    words = {"[PAD]": 0, "helix": 1, "plain": 2, "row": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = splitter
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


def write_pooled(folder: Path, outside: str = "") -> NDArray[np.float32]:
    """Write a model whose graph adds up the rows of a table, which is returned: five dimensions for each token. With
    ``outside`` the table's bytes are in a file of that name.
    """
    folder.mkdir()
    table = np.arange(1, 21, dtype=np.float32).reshape(4, 5)
    graph = Graph()
    rows = graph.node("Gather", [graph.constant("table", table), "input_ids"], "rows")
    if outside:
        # TensorProto: dims, data_type FLOAT, name, external_data, data_location EXTERNAL.
        where = minilm._bytes(13, minilm._text(1, "location") + minilm._text(2, outside))
        shape = minilm._number(1, 4) + minilm._number(1, 5) + minilm._number(2, 1)
        graph.constants[0] = shape + minilm._text(8, "table") + where + minilm._number(14, 1)
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


def test_weights_beside_a_graph_may_be_links_that_lead_elsewhere(tmp_path: Path) -> None:
    given, elsewhere = tmp_path / "given", tmp_path / "elsewhere"
    table = write_pooled(given, outside="model.onnx_data")
    elsewhere.write_bytes(table.tobytes())
    (given / "model.onnx_data").symlink_to(elsewhere)
    (found,) = FastModel(take_folder(given, tmp_path)).vectors(["row"])
    assert found[:5] == pytest.approx(table[3] / np.linalg.norm(table[3]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "graph", "pooled by fastembed"])
def test_a_tokenizer_that_panics_at_a_text_is_an_error_of_the_model(
    tmp_path: Path, token_rows: TokenRows, kind: str
) -> None:
    given = tmp_path / "given"
    if kind == "graph":
        write_pooled(given)
    else:
        given.mkdir()
        token_rows(given, 4)
    # Its regular expression backtracks beyond the library's limit, which panics.
    write_words(given, pre_tokenizers.Split(Regex("(?:(a+)+)+c"), "isolated"))
    if kind == "rows":
        write_tensors(given / "model.safetensors", {"embeddings": np.ones((4, 8), np.float32)})
    model = take_folder(given, tmp_path)
    loaded, prompted = FastModel(model), FastModel(model._replace(document_prefix="a" * 100))
    with pytest.raises(ModelError, match="set up another"):
        prompted.documents(["row"], 5)
    for read in (lambda text: loaded.vectors([text]), lambda text: loaded.documents([text], 5), loaded.question):
        assert np.linalg.norm(read("row")) == pytest.approx(1)
        with pytest.raises(ModelError, match=r"the model given@.*set up another"):
            read("a" * 100)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_what_is_no_error_of_the_tokenizer_stays_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    write_pooled(tmp_path / "given")
    loaded = FastModel(take_folder(tmp_path / "given", tmp_path))

    def interrupted(*_: object) -> None:
        raise error

    monkeypatch.setattr(loaded._loaded, "rows", interrupted)
    with pytest.raises(error):
        loaded.vectors(["row"])
