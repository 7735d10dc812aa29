"""What is told before a model is fetched, and which model is recommended: none that was not measured as better."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helix_core.embed import listed, minilm, models_folder
from helix_core.embed.model_sources import take_folder
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


def test_an_estimate_is_told_as_one() -> None:
    assert "estimate" in expected(1_000, 640).said and "1,000 texts" in expected(1_000, 640).said
    assert expected(1_000, 640).cpu_s > expected(1_000, 90).cpu_s > expected_minilm(1_000).cpu_s
    assert expected(1_000, 640, has_rows=True).cpu_s < 1
    assert "no text" in expected(0, 640).said


def test_a_model_that_is_there_is_timed(tmp_path: Path) -> None:
    offered = offer("potion-base-8M", tmp_path)
    assert offered.expect is not None and not offered.expect(1_000).is_timed
    rows = np.ones((len(WORDS), 256), np.float32)
    model = take_folder(write_model(tmp_path / "potion-base-8M", embeddings=rows), tmp_path)
    told = offered.expect(1_000)
    assert told.is_timed and "timed on" in told.said
    (model.folder / "tokenizer.json").write_text("{}")
    assert not offered.expect(1_000).is_timed


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
    helix("search", "purge")
    asked = helix("embed", "setup", "jina-embeddings-v2-base-code")
    assert asked.returncode == 2
    for said in ("640 MB", "apache-2.0", "768 dimensions", "2 texts", "an estimate", "--yes"):
        assert said in asked.stderr
    answer = json.loads(helix("embed", "setup", "--recommend", "--json").stdout)
    assert (answer["schema"], answer["files"], answer["texts"]) == ("helix.models/1", 1, 2)
    shown = helix("embed", "setup", "--recommend").stdout
    assert all(each["name"] in shown for each in answer["candidates"])
    assert not models_folder(tmp_path / "cache").exists()
    refused = helix("embed", "status", "--recommend")
    assert refused.returncode == 2 and "setup" in refused.stderr
