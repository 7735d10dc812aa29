"""A model that a user gives, unlike those of the list: its tokenizer puts nothing around a text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from helix_core.embed.model import FastModel
from helix_core.embed.model_sources import take_folder
from tests.embed.conftest import TokenRows


def test_a_text_without_a_token_has_a_vector_like_nothing(tmp_path: Path, token_rows: TokenRows) -> None:
    given = tmp_path / "given"
    given.mkdir()
    token_rows(given, 4)
    words = {"[PAD]": 0, "helix": 1, "plain": 2, "row": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(given / "tokenizer.json"))
    (given / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    blank, said = FastModel(take_folder(given, tmp_path)).vectors(["  ", "plain row"])
    assert not blank.any()
    assert np.linalg.norm(said) == pytest.approx(1)
