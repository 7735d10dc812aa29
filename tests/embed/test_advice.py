"""What is told before a model is fetched, and which model is recommended: none that was not measured as better."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helix_core.embed import Model, listed, minilm, models_folder
from helix_core.embed.model import write_metadata
from helix_core.embed.model_sources import take_folder
from helix_ls.cli.render.reports import draw_recommendation
from helix_ls.host import model_advice
from helix_ls.host.model_advice import candidates, expected, expected_minilm, recommendation
from helix_ls.host.model_setup import offer
from tests.embed.test_token_rows import WORDS, write_model

GB = 1_000_000_000
MACHINE = {"cores": 4, "memory_bytes": 16 * GB}


@pytest.mark.parametrize(
    ("memory", "texts", "missing", "recommended", "next_step"),
    [
        (16 * GB, 50_000, "", "minilm", "helix embed setup"),
        (0, 50_000, "", "minilm", "helix embed setup"),
        (16 * GB, 50_000, "not installed", "minilm", 'pip install "helix-context-engine[models]" && helix embed setup'),
        (GB // 2, 50_000, "", "built-in", ""),
        (16 * GB, 50_000_000, "", "built-in", ""),
    ],
)
def test_only_what_was_measured_as_better_is_recommended(
    memory: int, texts: int, missing: str, recommended: str, next_step: str
) -> None:
    answer = recommendation(MACHINE | {"memory_bytes": memory}, 100, texts, missing=missing)
    assert (answer["recommended"], answer["next"]) == (recommended, next_step)
    measured = {each["name"]: each["measured"] for each in answer["candidates"]}
    assert measured[recommended]
    assert all("helix bench" in each["why"] for each in answer["candidates"] if not each["measured"])
    assert answer["extra_installed"] is not bool(missing)


def test_a_large_model_fits_less_often_and_says_why() -> None:
    answer = recommendation(MACHINE | {"memory_bytes": 2 * GB}, 100, 1_000, missing="")
    problems = {each["name"]: each["problem"] for each in answer["candidates"] if not each["fits"]}
    assert list(problems) == ["jinaai/jina-embeddings-v2-base-code"]
    assert "memory" in problems["jinaai/jina-embeddings-v2-base-code"]


def test_what_is_said_of_them_is_what_they_are() -> None:
    said = {each.name: each for each in candidates(1_000)}
    jina = listed("jina-embeddings-v2-base-code")
    ours = said[jina.name]
    assert (ours.download_mb, ours.dimensions, ours.license) == (jina.size_mb, jina.dimensions, jina.licence)
    assert said["minilm"].dimensions == minilm.DIMENSIONS
    assert said["minilm"].download_mb == round(minilm.WHEEL_BYTES / 1e6)


@pytest.mark.parametrize(
    ("source", "listed_as", "is_indexed", "set_up", "next_step"),
    [
        ("", "", True, "built-in", "helix embed setup"),
        ("", "", False, "built-in", "helix index && helix embed setup"),
        (minilm.SOURCE, "", True, "minilm", ""),
        (minilm.SOURCE, "", False, "minilm", "helix index"),
        ("fastembed jinaai", "jinaai/jina-embeddings-v2-base-code", True, "jinaai/jina-embeddings-v2-base-code", ""),
        ("the folder given", "", True, "", ""),
    ],
)
def test_it_knows_what_is_set_up_and_sends_to_the_index_first(
    source: str, listed_as: str, is_indexed: bool, set_up: str, next_step: str
) -> None:
    model = Model("given@12345678", Path("given"), 384, "mean", True, source, fastembed=listed_as) if source else None
    texts = 1_000 if is_indexed else 0
    answer = recommendation(MACHINE, 100, texts, missing="", set_up=model, is_indexed=is_indexed)
    assert [each["name"] for each in answer["candidates"] if each["set_up"]] == ([set_up] if set_up else [])
    assert (answer["next"], answer["indexed"]) == (next_step, is_indexed)
    assert answer["set_up"] == (model.name if model else "built-in")
    if model is not None:
        assert ("set up already" if set_up == "minilm" else "`helix bench compare` tells") in answer["why"]


@pytest.mark.parametrize(
    ("memory", "missing", "next_step"),
    [
        (GB // 2, "", "helix embed off"),
        (GB // 2, "not installed", "helix embed off"),
        (16 * GB, "not installed", 'pip install "helix-context-engine[models]"'),
    ],
)
def test_a_model_that_is_set_up_and_cannot_be_used_has_a_next_step(memory: int, missing: str, next_step: str) -> None:
    model = Model("given@12345678", Path("given"), 384, "mean", True, minilm.SOURCE)
    answer = recommendation(MACHINE | {"memory_bytes": memory}, 100, 1_000, missing=missing, set_up=model)
    assert answer["next"] == next_step
    assert ("switched off" in answer["why"]) is (answer["recommended"] == "built-in")
    assert ("not installed" in answer["why"]) is (answer["recommended"] == "minilm")


def test_sizes_that_nobody_measured_are_said_to_be_about_so(capsys: pytest.CaptureFixture[str]) -> None:
    answer = recommendation(MACHINE, 100, 1_000, missing="")
    by_name = {each["name"]: each for each in answer["candidates"]}
    assert by_name["potion-code-16M-v2"]["estimated"] == ["download_mb", "memory_mb", "cpu_s"]
    assert by_name["minilm"]["estimated"] == ["memory_mb", "cpu_s"]
    draw_recommendation(answer)
    said = " ".join(capsys.readouterr().out.split())
    assert "about 33 MB to get, about 150 MB of memory" in said
    assert " 84 MB to get, about 160 MB of memory" in said and "about 84 MB" not in said


def test_an_estimate_is_told_as_one() -> None:
    assert "estimate" in expected(1_000, 640).as_clause and "1,000 texts" in expected(1_000, 640).as_clause
    assert expected(1_000, 640).cpu_s > expected(1_000, 90).cpu_s > expected_minilm(1_000).cpu_s
    assert expected(1_000, 640, has_rows=True).cpu_s < 1
    assert "no text" in expected(0, 640).as_clause


def test_a_model_that_is_there_is_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = offer("potion-base-8M", tmp_path)
    assert offered.expect is not None and not offered.expect(1_000).timed_texts
    rows = np.ones((len(WORDS), 256), np.float32)
    own = take_folder(write_model(tmp_path / "potion-base-8M", embeddings=rows), tmp_path)
    # A folder of that title is another model; the listed one is then kept under its whole name.
    assert not offered.expect(1_000).timed_texts
    place = own.folder.with_name("potion-base-8M@12345678")
    shutil.copytree(own.folder, place)
    model = own._replace(name=place.name, folder=place, fastembed="minishlab/potion-base-8M")
    write_metadata(model)
    told = offered.expect(1_000)
    assert told.timed_texts == 16 and "timed on 16 texts" in told.as_clause
    monkeypatch.setattr(model_advice, "PROBE_CPU_S", 0.0)
    assert offered.expect(1_000).timed_texts == 4
    monkeypatch.setattr(model_advice, "MOST_TIMED_BYTES", model.size_bytes() - 1)
    assert not offered.expect(1_000).timed_texts
    monkeypatch.undo()
    (model.folder / "tokenizer.json").write_text("{}")
    assert not offered.expect(1_000).timed_texts


@pytest.mark.slow
@pytest.mark.process
def test_consent_is_asked_with_size_license_and_time(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "rows.py").write_text("def purge(row):\n    return row\n")
    environ = {**os.environ, "HELIX_CACHE_DIR": str(tmp_path / "cache")}

    def helix(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "helix_ls.cli", *arguments, "--path", str(project)]
        return subprocess.run(
            command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    assert "no text of this folder" in helix("embed", "setup", "potion-base-8M").stderr
    assert json.loads(helix("embed", "setup", "--recommend", "--json").stdout)["next"].startswith("helix index && ")
    helix("search", "purge")
    asked = helix("embed", "setup", "jina-embeddings-v2-base-code")
    assert asked.returncode == 2
    for said in ("640 MB", "apache-2.0", "768 dimensions", "2 texts", "an estimate", "--yes"):
        assert said in asked.stderr
    answer = json.loads(helix("embed", "setup", "--recommend", "--json").stdout)
    assert (answer["schema"], answer["files"], answer["texts"]) == ("helix.models/1", 1, 2)
    assert (answer["indexed"], answer["set_up"]) == (True, "built-in")
    shown = helix("embed", "setup", "--recommend").stdout
    assert all(each["name"] in shown for each in answer["candidates"])
    assert not models_folder(tmp_path / "cache").exists()
    refused = helix("embed", "status", "--recommend")
    assert refused.returncode == 2 and "setup" in refused.stderr
