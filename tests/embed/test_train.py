"""The recipe of a model of our own: pairs of a real repository, as Helix embeds it, and a model as Helix takes it."""

from __future__ import annotations

import json
import lzma
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from helix_core.embed import texts_of
from helix_core.embed.minilm import convert_wheel
from helix_core.embed.model import FastModel
from helix_core.embed.model_sources import take_folder
from helix_core.ingest import ingest
from tests.embed.conftest import ModulesOf

TRAIN = Path(__file__).parents[2] / "benchmarks" / "train"
PYTHON = '''"""Rows."""


def purge(table, key):
    """Forget whatever somebody once stored under that heading. A heading nobody knows is an error."""
    del table[key]
    return table


def double(number):
    return number + number
'''
TESTED = """from rows import double, purge


def test_forgotten_headings_never_come_back():
    assert not purge({1: 2}, 1)


def test_double():
    assert double(2) == 4
    assert double(double(2)) == 8
    assert double(double(double(2))) == 16
"""
GO = """package cache

// Evict makes room by giving up whatever was asked for longest ago.
func Evict(entries map[string]int, limit int) {
	for len(entries) > limit {
		for name := range entries {
			delete(entries, name)
			break
		}
	}
}
"""
MIT = "MIT License\n\nPermission is hereby granted, free of charge,\nto any person\n"
CHANGES = "# Changes\n\n- `double` answered nonsense where somebody handed over words\n"


@pytest.fixture
def script(modules_of: ModulesOf) -> Callable[[str], ModuleType]:
    """A script of the recipe, as a module."""
    return modules_of(TRAIN)


def _git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits: the second one changes ``double`` and speaks of it in other words."""
    folder = tmp_path / "some+project"
    (folder / "tests").mkdir(parents=True)
    _git(tmp_path, "init", "-q", folder.name)
    given = {"rows.py": PYTHON, "tests/test_rows.py": TESTED, "cache.go": GO, "CHANGES.md": CHANGES, "LICENSE": MIT}
    for name, text in given.items():
        (folder / name).write_text(text)
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "Bump version")
    (folder / "rows.py").write_text(PYTHON.replace("number + number", "2 * number"))
    _git(folder, "commit", "-qam", "fix: answer sensibly where somebody hands over words (#12)")
    return folder


def _mined(script: Callable[[str], ModuleType], out: Path, *arguments: str | Path) -> tuple[list[Any], list[Any], Any]:
    mine = script("mine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["mine.py", *map(str, arguments), "--out", str(out), "--jobs", "1"])
        mine.main()
    found = []
    for name in ("pairs", "pool"):
        with lzma.open(out / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
            found.append([json.loads(line) for line in file])
    return found[0], found[1], json.loads((out / "card.json").read_text("utf-8"))


def test_pairs_of_every_kind_are_mined_with_the_texts_that_helix_embeds(
    script: Callable[[str], ModuleType], repository: Path, tmp_path: Path
) -> None:
    pairs, pool, card = _mined(script, tmp_path / "out", repository)
    said = {(pair["kind"], pair["level"]): pair for pair in pairs if pair["language"] == "python"}
    kinds = ("docstring", "sentence", "commit", "heading", "test")
    assert set(said) == {(kind, level) for kind in kinds for level in ("card", "outline")}
    assert said["commit", "card"]["query"] == "answer sensibly where somebody hands over words"
    assert said["test", "card"]["query"] == "forgotten headings never come back"
    assert said["sentence", "card"]["query"] == "A heading nobody knows is an error"
    before = ingest(b"rows.py", PYTHON.encode(), embed=False).chunks
    for level, name in (("card", "chunk"), ("outline", "outline")):
        embedded = {one.text for one in texts_of(b"rows.py", before, name)}
        assert said["sentence", level]["passage"] in embedded
        # Of the tree before the commit, which is what could have been asked.
        assert said["commit", level]["passage"] in embedded
    assert "number + number" in said["commit", "card"]["text"]
    assert [pair["query"] for pair in pairs if pair["language"] == "go" and pair["level"] == "card"] == [
        "makes room by giving up whatever was asked for longest ago"
    ]
    assert not pool
    assert card[0]["license"] == "MIT" and card[0]["commit"] == _git(repository, "rev-parse", "HEAD").strip()
    assert card[0]["pairs"]["docstring"] == 4


def test_no_passage_says_the_docstring_that_is_asked_for(
    script: Callable[[str], ModuleType], repository: Path, tmp_path: Path
) -> None:
    pairs, _, _ = _mined(script, tmp_path / "out", repository)
    asked = [pair for pair in pairs if pair["kind"] == "docstring"]
    assert asked
    for pair in asked:
        assert "somebody" not in pair["passage"] + pair["text"] and "longest" not in pair["passage"] + pair["text"]


def test_a_repository_without_a_permissive_license_is_not_read(
    script: Callable[[str], ModuleType], repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "LICENSE").write_text("GNU AFFERO GENERAL PUBLIC LICENSE\n")
    _git(repository, "commit", "-qam", "Take another license")
    pairs, pool, card = _mined(script, tmp_path / "out", repository, "--develop", "some+project")
    assert not pairs and not pool and card[0]["license"] == "" and card[0]["files"] == 0
    assert "no permissive license" in capsys.readouterr().err


def test_a_query_of_the_passages_own_words_is_left_out(script: Callable[[str], ModuleType]) -> None:
    mine = script("mine")
    assert mine.shared("purge the tables by their key", "rows py purge. def table key del") > mine.MOST_SHARED
    assert mine.shared("forget what was stored under a heading", "rows py purge. def table key del") == 0
    assert not mine.is_query("see above") and not mine.is_query("Copyright of the authors of this fine file")


def test_housekeeping_is_no_question(script: Callable[[str], ModuleType]) -> None:
    asked_of = script("mine").asked_of
    assert (
        asked_of("feat(router): let a folder answer for what it lacks (#7)") == "let a folder answer for what it lacks"
    )
    for subject in ("Bump lodash from one to two", "docs: say what the folder lacks", "Fix several typos in the guide"):
        assert not asked_of(subject)


def test_mining_twice_gives_the_same_and_a_repository_of_development_all_its_texts(
    script: Callable[[str], ModuleType], repository: Path, tmp_path: Path
) -> None:
    first = _mined(script, tmp_path / "a", repository, "--develop", "some+project")
    assert first == _mined(script, tmp_path / "b", repository, "--develop", "some+project")
    now = ingest(b"rows.py", (repository / "rows.py").read_bytes(), embed=False).chunks
    cards = [one for one in first[1] if one["path"] == "rows.py" and one["level"] == "card"]
    assert [one["text"] for one in cards] == [one.text for one in texts_of(b"rows.py", now, "chunk")]
    assert any("somebody" in one["text"] for one in cards) and not any("somebody" in one["bare"] for one in cards)
    with pytest.raises(SystemExit, match="what was not given: other"):
        _mined(script, tmp_path / "c", repository, "--develop", "other")


@pytest.mark.slow
def test_weights_as_they_were_give_minilms_vectors_and_others_another_model(
    script: Callable[[str], ModuleType], minilm_wheel: Path, tmp_path: Path
) -> None:
    export = script("export")
    _, weights = export.weights_of(minilm_wheel)
    name = "encoder.layer.5.output.dense.weight"
    for place, factor in (("same", 1.0), ("other", -1.0)):
        np.savez(tmp_path / f"{place}.npz", **{name: (factor * weights[name]).astype(np.float16)})
        export.folder(minilm_wheel, tmp_path / f"{place}.npz", tmp_path / place)
    cache = tmp_path / "cache"
    texts = ["how does one get rid of an entry?", "rows py purge. Remove a record. def table key del"]
    old = FastModel(convert_wheel(minilm_wheel, cache)).vectors(texts)
    same = take_folder(tmp_path / "same", cache)
    assert (same.dimensions, same.pooling) == (384, "none")
    assert ((FastModel(same).vectors(texts) * old).sum(axis=1) > 0.99).all()
    assert ((FastModel(take_folder(tmp_path / "other", cache)).vectors(texts) * old).sum(axis=1) < 0.9).all()
    np.savez(tmp_path / "odd.npz", **{"pooler.odd": np.zeros(3)})
    with pytest.raises(SystemExit, match=r"that MiniLM has not: pooler\.odd"):
        export.folder(minilm_wheel, tmp_path / "odd.npz", tmp_path / "odd")


def test_a_batch_takes_texts_of_the_same_file_and_of_the_same_words_for_no_wrong_answers(
    script: Callable[[str], ModuleType],
) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed; it trains and nothing else needs it")
    train = script("train")
    rows = [
        {"repository": "a", "path": path, "kind": kind, "level": "card", "query": str(number), "passage": text}
        for number, (path, kind, text) in enumerate(
            [
                ("x", "commit", "1"),
                ("x", "commit", "2"),
                ("y", "docstring", "3"),
                ("y", "docstring", "4"),
                ("z", "test", "1"),
            ]
        )
    ]
    wrong = train.allowed(rows, "cpu").numpy()
    assert not wrong[0, 1] and wrong[2, 3] and not wrong[0, 4] and wrong[0, 2] and wrong.diagonal().all()
    batches = list(train.batches(rows, 4, random.Random(1)))
    assert all(len(batch) > 1 for batch in batches) and len({place for batch in batches for place in batch}) >= 4
