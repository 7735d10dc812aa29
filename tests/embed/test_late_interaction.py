"""A real late-interaction model, small and made here: its tokens, its scores, its place in an answer."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from helix_core.config import load_config
from helix_core.embed import minilm
from helix_core.embed.late_interaction import BATCH, LateInteraction, TokenSettings
from helix_core.embed.minilm import Graph
from helix_core.embed.model import RERANKER_ABOUT, models_folder
from helix_core.embed.model_sources import take_folder
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

from .test_rerank import FILES, QUESTION, files_of, never, write_cross_encoder

WORDS = ["[PAD]", "[Q]", "[D]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "plain", "splendid", "dull", *string.punctuation]
SETTINGS = {"query_prefix": "[Q] ", "document_prefix": "[D] ", "do_query_expansion": False, "document_length": 32}
WIDTH = 96


def rows() -> NDArray[np.float32]:
    """A vector of unit length for each word. A question mark means what "splendid" does."""
    drawn = np.random.default_rng(7).normal(size=(len(WORDS), WIDTH))
    drawn[WORDS.index("?")] = drawn[WORDS.index("splendid")]
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


@pytest.fixture
def write(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write the files of a model whose graph looks up a row for each token: (batch, sequence, width)."""
    declared = minilm._value

    def value(name: str, kind: str, shape: tuple[str | int, ...]) -> bytes:
        return declared(name, kind, ("batch", "sequence", WIDTH) if name == "rows" else shape)

    def written(folder: Path, *, weights: str = "model.onnx", settings: dict[str, Any] | None = None) -> Path:
        (folder / weights).parent.mkdir(parents=True, exist_ok=True)
        graph = Graph()
        found = graph.node("Gather", [graph.constant("table", rows()), "input_ids"], "rows")
        with monkeypatch.context() as patch:
            patch.setattr(minilm, "_value", value)
            (folder / weights).write_bytes(graph.file("late", ("input_ids", "attention_mask"), found, WIDTH))
        tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.add_special_tokens(["[PAD]", "[Q]", "[D]", "[CLS]", "[SEP]", "[MASK]"])
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 5), ("[CLS]", 4))
        tokenizer.save(str(folder / "tokenizer.json"))
        if settings is not None:
            (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
        return folder

    return written


@pytest.fixture
def given(write: Any, tmp_path: Path) -> Path:
    """A folder as PyLate's export leaves it: no settings of the tokenizer."""
    return Path(write(tmp_path / "given", settings=SETTINGS))


def closeness(question: list[str], text: list[str]) -> float:
    """MaxSim by hand."""
    table = rows()
    asked, said = (np.stack([table[WORDS.index(word)] for word in words]) for words in (question, text))
    return float(sum(max(float(one @ other) for other in said) for one in asked))


def test_a_score_is_the_sum_of_the_closest_tokens(given: Path, tmp_path: Path) -> None:
    model = take_reranker_folder(given, tmp_path)
    assert model.tokens == TokenSettings(1, 2, "[MASK]")
    scorer = load_reranker(model)
    assert isinstance(scorer, LateInteraction)
    texts = ["plain", "dull plain dull", "splendid , plain", "", "dull"]
    found = scorer.scores("splendid", texts, never)
    asked = ["[CLS]", "[Q]", "splendid", "[SEP]"]
    assert found == pytest.approx(
        [closeness(asked, ["[CLS]", "[D]", *text.split(), "[SEP]"]) for text in texts], abs=1e-5
    )
    assert max(range(len(texts)), key=found.__getitem__) == 2
    assert read_reranker(model.folder) == model


def test_skipped_words_are_no_part_of_a_text(write: Any, tmp_path: Path) -> None:
    folder = write(tmp_path / "skips", settings=SETTINGS | {"skiplist_words": [",", "nowhere"]})
    model = take_reranker_folder(folder, tmp_path)
    assert model.tokens is not None and model.tokens.skipped == (WORDS.index(","),)
    plain, comma = load_reranker(model).scores(", ,", ["plain", "plain , ,"], never)
    assert comma == pytest.approx(plain, abs=1e-5)


def test_a_question_is_filled_up_with_masks_where_the_model_wants_it(write: Any, tmp_path: Path) -> None:
    settings = SETTINGS | {"do_query_expansion": True, "query_length": 8}
    model = take_reranker_folder(write(tmp_path / "fills", settings=settings), tmp_path)
    assert model.tokens is not None and model.tokens.query_length == 8
    (found,) = load_reranker(model).scores("dull", ["plain"], never)
    asked = ["[CLS]", "[Q]", "dull", "[SEP]", *4 * ["[MASK]"]]
    assert found == pytest.approx(closeness(asked, ["[CLS]", "[D]", "plain", "[SEP]"]), abs=1e-5)


def test_it_stops_between_batches_when_it_is_late(given: Path, tmp_path: Path) -> None:
    scorer = load_reranker(take_reranker_folder(given, tmp_path))
    late = iter([False, False, False, True])
    assert len(scorer.scores("plain", ["splendid"] * 20, lambda: next(late))) == 2 * BATCH
    assert scorer.scores("plain", ["splendid"], lambda: True) == []


def test_one_of_fastembeds_list_is_loaded_from_where_it_was_kept(write: Any, tmp_path: Path) -> None:
    about = listed_reranker("answerai-colbert-small-v1")
    assert about.name == "answerdotai/answerai-colbert-small-v1" and about.licence == "apache-2.0"
    folder = write(tmp_path / "kept", weights="vespa_colbert.onnx")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    model = RerankerModel("kept@0", folder, "fastembed", "vespa_colbert.onnx", about.name)
    found = load_reranker(model).scores("splendid", ["dull", "splendid"], never)
    asked = ["[CLS]", "[Q]", "splendid", "[SEP]", *28 * ["[MASK]"]]
    assert found == pytest.approx(
        [closeness(asked, ["[CLS]", "[D]", word, "[SEP]"]) for word in ("dull", "splendid")], abs=1e-4
    )


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (None, "pylate-onnx-export"),
        (SETTINGS | {"query_prefix": "[Nowhere] "}, "no token '\\[Nowhere\\] '"),
        (SETTINGS | {"query_prefix_id": 10**9}, "no token"),
        (SETTINGS | {"query_prefix": 5}, "pylate-onnx-export"),
    ],
)
def test_what_cannot_be_used_says_why_and_leaves_nothing(
    write: Any, tmp_path: Path, settings: dict[str, Any] | None, why: str
) -> None:
    folder = write(tmp_path / "given", settings=settings)
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    with pytest.raises(ModelError, match=why):
        take_reranker_folder(folder, tmp_path / "cache")
    assert list(models_folder(tmp_path / "cache").glob("*")) == []


def test_a_graph_without_its_projection_is_refused(given: Path, tmp_path: Path) -> None:
    (given / "1_Dense").mkdir()
    (given / "1_Dense" / "config.json").write_text(json.dumps({"in_features": WIDTH, "out_features": 48}))
    with pytest.raises(ModelError, match="lacks the model's projection"):
        take_reranker_folder(given, tmp_path / "cache")


def test_a_cross_encoder_with_such_settings_is_refused(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "cross")
    (folder / "config_sentence_transformers.json").write_text(json.dumps(SETTINGS))
    with pytest.raises(ModelError, match="no vector for each token"):
        take_reranker_folder(folder, tmp_path / "cache")


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        {},
        {"query_marker": "1", "document_marker": 2, "mask": "m", "skipped": []},
        {"query_marker": 1, "document_marker": 2, "mask": "m", "skipped": [], "query_length": 10**9},
        {"query_marker": 1, "document_marker": 2, "mask": "m", "skipped": [], "attends": "yes"},
        {"query_marker": 1, "document_marker": 2, "mask": "m", "skipped": [], "other": 1},
    ],
)
def test_what_a_folder_says_of_its_tokens_is_checked(given: Path, tmp_path: Path, tokens: object) -> None:
    model = take_reranker_folder(given, tmp_path)
    about = json.loads((model.folder / RERANKER_ABOUT).read_text())
    (model.folder / RERANKER_ABOUT).write_text(json.dumps(about | {"tokens": tokens}))
    with pytest.raises(ModelError, match="not what Helix wrote"):
        read_reranker(model.folder)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HELIX_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("HELIX_DATA_DIR", str(tmp_path / "data"))
    with Helix.open(folder) as helix:
        helix.refresh()
    yield folder


def test_the_first_places_come_in_its_order_and_nothing_gets_surer(project: Path, given: Path) -> None:
    config = replace(load_config(project), rerank_budget_ms=5_000.0)
    choose_reranker(config.cache_dir, take_reranker_folder(given, config.cache_dir))
    reranker = LoadedReranker(config.cache_dir)
    reranker.follow()
    assert reranker.problem == "" and chosen_reranker(config.cache_dir) is not None
    with Helix.open(project, config=config) as helix:
        plain = helix.search(QUESTION)
        helix.session.reranker = reranker
        found, packet = helix.search(QUESTION), helix.packet(QUESTION)
    assert found["rankers"]["rerank"] == "used"
    assert files_of(plain)[0] == "rate.py"
    assert files_of(found)[0] == files_of(packet)[0] == "other.py"
    assert found["confidence"] == plain["confidence"]


def test_it_is_no_model_for_vectors(given: Path, tmp_path: Path) -> None:
    (given / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    with pytest.raises(ModelError, match="--reranker"):
        take_folder(given, tmp_path)
