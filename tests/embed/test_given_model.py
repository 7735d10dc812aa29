"""A model that a user gives, unlike those of the list: its tokenizer puts nothing around a text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from helix_core.embed import onnx_file
from helix_core.embed.fast import FastModel
from helix_core.embed.model_sources import take_folder


def test_a_text_without_a_token_has_a_vector_like_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "given"
    given.mkdir()
    table = np.random.default_rng(7).normal(size=(4, 16)).astype(np.float32)
    graph, declared = onnx_file.Graph(), onnx_file._value
    graph.node("Gather", [graph.constant("table", table), "input_ids"], "rows")
    monkeypatch.setattr(
        onnx_file,
        "_value",
        lambda name, kind, shape: declared(name, kind, shape if kind == "int64" else ("batch", "sequence", 16)),
    )
    (given / "model.onnx").write_bytes(graph.file("tokens", ("input_ids", "attention_mask"), "rows", 16))
    words = {"[PAD]": 0, "helix": 1, "plain": 2, "row": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(given / "tokenizer.json"))
    (given / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    blank, said = FastModel(take_folder(given, tmp_path)).vectors(["  ", "plain row"])
    assert not blank.any()
    assert np.linalg.norm(said) == pytest.approx(1)
