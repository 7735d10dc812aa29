"""An engine that stays open speaks of what stands at the workspace's path, also when the whole folder changes."""

import shutil

import pytest

from helix_core.errors import WorkspaceError
from tests.engine.repository import git, write

QUESTION = "match_route finds the handler whose pattern fits the address"


@pytest.fixture
def helix(repository, open_helix, tmp_path, monkeypatch):
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    helix = open_helix(repository)
    helix.refresh()
    assert quotes(helix.packet(QUESTION))
    return helix


def quotes(packet):
    return [item["quote"] for item in packet["verified"] if item["source_id"] == "app/routing.py"]


def test_nothing_is_told_of_a_workspace_that_was_moved_away(helix, repository, tmp_path):
    repository.rename(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="does not exist"):
        helix.packet(QUESTION)
    (tmp_path / "elsewhere").rename(repository)
    assert quotes(helix.packet(QUESTION))


def test_another_folder_in_the_same_place_is_what_the_answer_is_about(helix, repository, tmp_path):
    shutil.copytree(repository, tmp_path / "other")
    path = tmp_path / "other/app/routing.py"
    path.write_text(path.read_text().replace("no route matches", "nothing matches"))
    repository.rename(tmp_path / "elsewhere")
    (tmp_path / "other").rename(repository)
    (quote,) = [quote for quote in quotes(helix.packet(QUESTION)) if "def match_route" in quote]
    assert "nothing matches" in quote


def test_a_repository_made_while_the_engine_is_open_is_seen(tmp_path, open_helix, monkeypatch):
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "plain"
    write(folder, {"app/routing.py": "def match_route(routes, address):\n    return routes[address]\n"})
    helix = open_helix(folder)
    helix.refresh()
    assert helix.packet(QUESTION)["head"] == ""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    assert helix.packet(QUESTION)["head"] == git(folder, "rev-parse", "HEAD").strip()
    shutil.rmtree(folder / ".git")
    assert helix.packet(QUESTION)["head"] == ""
