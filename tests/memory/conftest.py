"""An engine on a small repository, with a memory of the test's own."""

from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from tests.engine.repository import put_index
from tests.mcp.conftest import repository


@pytest.fixture
def project(tmp_path):
    return repository(tmp_path / "project")


@pytest.fixture
def open_helix(tmp_path):
    """Open engines on folders, with one memory for all; closed at the end."""
    opened = []

    def begin(folder: Path, settings=(), **options) -> Helix:
        environ = {"HELIX_CACHE_DIR": str(tmp_path / "cache"), "HELIX_DATA_DIR": str(tmp_path / "data")}
        config = load_config(folder, environ=environ | dict(settings), user=tmp_path / "no-user-file.toml")
        opened.append(Helix.open(folder, config=config, **options))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


@pytest.fixture
def helix(open_helix, project, tmp_path):
    """With the index of another folder of the same files: its answers hold, and no memory waits for a refresh."""
    put_index(project, tmp_path / "cache")
    return open_helix(project)
