"""A small real repository and an engine on it, each test with a cache of its own."""

from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from tests.engine.repository import begin, put_index


@pytest.fixture
def repository(tmp_path):
    """A repository of one commit."""
    return begin(tmp_path / "project")


def config_in(base: Path, folder: Path, cache: str = "cache"):
    """The settings of a folder, with nobody's own settings and a cache below ``base``."""
    return load_config(folder, environ={"HELIX_CACHE_DIR": str(base / cache)}, user=base / "no-user-file.toml")


@pytest.fixture
def open_helix(tmp_path):
    """Open an engine on a folder; all are closed at the end."""
    opened = []

    def start(folder: Path) -> Helix:
        opened.append(Helix.open(folder, config=config_in(tmp_path, folder)))
        return opened[-1]

    yield start
    for helix in opened:
        helix.close()


@pytest.fixture
def helix(repository, open_helix, tmp_path):
    """An engine on the repository, up to date."""
    put_index(repository, tmp_path / "cache")
    engine = open_helix(repository)
    engine.refresh()
    return engine
