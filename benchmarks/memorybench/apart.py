"""A Helix for one measurement: an empty project with its index, memory and settings in a folder that is removed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helix_core.config import load_config
from helix_core.engine import Helix


@contextmanager
def helix_apart() -> Iterator[Helix]:
    """Open an empty project that shares nothing with this user's own."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "project").mkdir()
        environ = {"HELIX_CACHE_DIR": str(home / "cache"), "HELIX_DATA_DIR": str(home / "data")}
        config = load_config(home / "project", environ=environ, user=home / "none.toml")
        with Helix.open(home / "project", config=config) as helix:
            yield helix
