"""The embedder process beside an open folder: it embeds what is missing, is courteous, and ends when it is told to."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.embed.model import Model, choose
from helix_core.engine import Helix
from helix_ls.host.child import LoadThrottle
from helix_ls.host.child_processes import BackgroundEmbedding, encoder_for
from helix_ls.host.settings import Settings

LONG_S = 300.0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "rows.py").write_text('def purge(key):\n    """Remove a record."""\n    del TABLE[key]\n')
    cache = tmp_path / "cache"
    (tmp_path / "config.toml").write_text(f'cache_dir = "{cache}"\n')
    monkeypatch.setenv("HELIX_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("HELIX_CACHE_DIR", str(cache))
    with Helix.open(folder) as helix:
        helix.refresh()
    return folder


def shares(folder: Path) -> dict[str, float]:
    with Helix.open(folder) as helix:
        return dict(helix.status()["vectors"])


@pytest.mark.slow
@pytest.mark.process
def test_a_folder_at_rest_is_embedded_in_a_process_of_its_own(project: Path, minilm: Model) -> None:
    config = load_config(project)
    choose(config.cache_dir, minilm)
    background = BackgroundEmbedding(project, Settings(), rest_s=0.01)
    try:
        background.wake()
        until = time.monotonic() + LONG_S
        while shares(project).get(f"{minilm.name}/chunk") != 1.0:
            assert time.monotonic() < until, background.problem
            time.sleep(0.1)
        assert shares(project)[f"{minilm.name}/outline"] == 1.0
    finally:
        background.close()
    assert background.pid == 0
    assert encoder_for(config.cache_dir, config.embed_model).models == (minilm.name, "static")


def test_without_a_model_no_process_is_started_and_closing_is_quick(project: Path) -> None:
    background = BackgroundEmbedding(project, Settings(), rest_s=0.01)
    background.wake()
    background.close()
    assert (background.pid, background.problem) == (0, "")
    assert not any(name for name in shares(project) if not name.startswith("static/"))


def test_it_waits_while_others_want_the_machine_and_not_for_ever() -> None:
    now, slept, load = 0.0, 0.0, [100.0, 100.0, 0.0]

    def sleep(seconds: float) -> None:
        nonlocal now, slept
        now, slept = now + seconds, slept + seconds

    courtesy = LoadThrottle(lambda: load.pop(0), lambda: now)
    courtesy.wait(sleep)
    assert slept == 4.0
    courtesy.wait(sleep)
    assert slept == 4.0
    now += 100
    LoadThrottle(lambda: 100.0, lambda: now).wait(sleep)
    assert 10 <= slept - 4 < 20
