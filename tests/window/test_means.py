"""Counting by the model's own tokenizer: made here, read from its file, and never over the budget by it."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest, condenser, means_of, tokenizer_count
from helix_core.window.fit import fit

HERE = Path(__file__).resolve().parents[2]
SOURCES = sorted(HERE.glob("helix_core/window/*.py")) + sorted(HERE.glob("docs/*.md"))


@pytest.fixture(scope="module")
def tokenizers_made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two real ones of different kinds, trained on these sources, one with the cutting and filling of an embedder."""
    folder = tmp_path_factory.mktemp("tokenizers")
    texts = [file.read_text("utf-8") for file in SOURCES]
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    pairs.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pairs.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=2_000, show_progress=False, initial_alphabet=alphabet)
    )
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()  # type: ignore[assignment]
    pieces.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=2_000, show_progress=False, special_tokens=["[UNK]", "[PAD]"])
    )
    pieces.enable_truncation(16)
    pieces.enable_padding(length=16)
    paths = {}
    for name, made in (("pairs", pairs), ("pieces", pieces)):
        paths[name] = str(folder / f"{name}.json")
        made.save(paths[name])
    return paths


@pytest.mark.parametrize("name", ["pairs", "pieces"])
def test_a_tokenizer_is_read_from_its_file_and_neither_cuts_nor_fills(
    tokenizers_made: dict[str, str], name: str
) -> None:
    count = tokenizer_count(tokenizers_made[name])
    long = SOURCES[0].read_text("utf-8")
    assert count(long) > 100
    assert count("def") < 16
    assert abs(count(long + "\n" + long) - 2 * count(long)) <= 2


@settings(max_examples=60, deadline=None)
@given(
    file=st.sampled_from(SOURCES),
    first=st.integers(0, 100),
    length=st.integers(3, 120),
    share=st.floats(0.1, 0.95),
    name=st.sampled_from(["pairs", "pieces"]),
)
def test_a_cut_holds_its_budget_by_a_real_tokenizer(
    tokenizers_made: dict[str, str], file: Path, first: int, length: int, share: float, name: str
) -> None:
    count = tokenizer_count(tokenizers_made[name])
    text = "\n".join(file.read_text("utf-8").split("\n")[first : first + length])
    most = int(count(text) * share)
    language = "python" if file.suffix == ".py" else "markdown"
    out = fit(text, language, name=file.name, start_line=1, terms=("count",), most_tokens=most, count=count)
    assert out is None or count(out.text) <= most


def project(folder: Path) -> Path:
    (folder / "src").mkdir(parents=True)
    for n in range(8):
        body = "\n".join(f"    step_{i} = refund_{n} + {i}" for i in range(60))
        (folder / "src" / f"refund_{n}.py").write_text(f"def refund_{n}(amount):\n{body}\n    return amount\n")
    return folder


@pytest.mark.parametrize("budget", [300, 1_000, 3_000])
def test_a_window_holds_its_budget_by_the_tokenizer_that_is_set(
    tokenizers_made: dict[str, str], tmp_path: Path, budget: int
) -> None:
    folder = project(tmp_path / "shop")
    config = replace(load_config(folder), cache_dir=tmp_path / "cache", tokenizer=tokenizers_made["pairs"])
    with Helix.open(folder, config=config) as helix:
        helix.refresh()
        found = helix.context("where is a refund made?", ContextRequest(budget_tokens=budget))
    count = tokenizer_count(tokenizers_made["pairs"])
    assert found["counted_by"] == "tokenizer"
    assert found["text"]
    assert count(found["text"]) == found["tokens"] <= budget


def test_a_tokenizer_that_cannot_be_read_is_said_and_the_estimate_counts(tmp_path: Path) -> None:
    folder = project(tmp_path / "shop")
    broken = tmp_path / "tokenizer.json"
    broken.write_text('{"model": 7}')
    for path in (broken, tmp_path / "nowhere.json"):
        config = replace(load_config(folder), cache_dir=tmp_path / "cache", tokenizer=str(path))
        with Helix.open(folder, config=config) as helix:
            helix.refresh()
            found = helix.context("where is a refund made?", ContextRequest(budget_tokens=500))
        assert found["counted_by"] == "estimate"
        assert found["text"]
        said = [note for note in found["notes"] if "tokens are estimated" in note]
        assert len(said) == 1 and "window.tokenizer" in said[0]


def test_prose_is_condensed_where_the_extra_is_installed_and_nowhere_else(tmp_path: Path) -> None:
    installed = importlib.util.find_spec("headroom") is not None
    config = load_config(tmp_path)
    assert (means_of(config).condense is not None) is installed
    assert means_of(replace(config, condense_prose=False)).condense is None
    if condense := condenser():
        prose = " ".join(
            f"Refunds of kind {n} go back. Nothing else is done with account {n} there." for n in range(60)
        )
        out = fit(prose, "markdown", name="a.md", start_line=1, terms=(), most_tokens=400, count=len, condense=condense)
        assert out is None or len(out.text) <= 400
        assert condense(prose, 0.3).split("\n")[0] in prose
