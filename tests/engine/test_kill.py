"""A refresh killed at a hundred random points: the index opens, is whole, and ends where a cold build ends."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helix_core.engine import Helix
from helix_core.ingest.document import ingest
from helix_core.store import open_index
from helix_core.workspace.paths import source_id_of
from tests.engine.conftest import config_in
from tests.engine.repository import git, write

pytestmark = pytest.mark.slow

FILES = 240
WHOLE_BUILD_KILLS = 20
SMALL_CHANGE_KILLS = 80
CHANGED_AT_ONCE = 16


class RefreshServer:
    """Asks the warm process for refreshes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.engine.refresh_server"],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def refresh(self, folder: Path, cache: Path, kill_after_s: float | None = None) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        asked = {"folder": str(folder), "cache": str(cache), "kill_after_s": kill_after_s}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=30)


@pytest.fixture
def server(starts_processes):
    running = RefreshServer()
    yield running
    running.close()


class Tree:
    """A folder whose every version of every file is known, so that an index of it can be judged."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self._chance = chance
        self._versions: dict[bytes, set[bytes]] = {}
        self._spans: dict[tuple[bytes, str], list[tuple[int, int, str]]] = {}
        folder.mkdir()
        for number in range(FILES):
            self._write(self._name(number), 0)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "Begin")

    def change(self, round_: int) -> None:
        """Write some files anew, remove some, and let the removed ones of before come back."""
        for number in self._chance.sample(range(FILES), CHANGED_AT_ONCE):
            name = self._name(number)
            if self._chance.random() < 0.2:
                (self.folder / name).unlink(missing_ok=True)
            else:
                self._write(name, self._chance.choice((0, round_)))

    def assert_each_file_is_wholly_of_one_version(self, index_path: Path) -> int:
        """Judges what is stored against every version there ever was; returns how many files are stored."""
        with open_index(index_path, source_id_of=source_id_of) as index, index.reader() as reader:
            assert index.damage() == ""
            known = reader.files.states()
            for path, state in known.items():
                source = reader.files.source(path)
                assert source is not None
                stored = [(item.start_byte, item.end_byte, item.text_hash) for item in reader.files.items_of(source.id)]
                assert sorted(stored) == self._spans[path, state.content_hash], path
        return len(known)

    def _name(self, number: int) -> str:
        return (
            f"part{number % 7}/{'guide' if number % 10 == 0 else 'module'}{number}.{'md' if number % 10 == 0 else 'py'}"
        )

    def _write(self, name: str, version: int) -> None:
        heading = "# " if name.endswith(".md") else "def "
        text = "".join(f"{heading}name_{line}_{version}():\n    return {name!r}\n\n\n" for line in range(12))
        write(self.folder, {name: text})
        document = ingest(os.fsencode(name), text.encode())
        spans = sorted((chunk.start_byte, chunk.end_byte, chunk.text_hash) for chunk in document.chunks)
        self._spans[document.path, document.content_hash] = spans


def digest(folder: Path, base: Path, cache: str) -> str:
    with Helix.open(folder, config=config_in(base, folder, cache)) as helix:
        helix.refresh()
        return helix.digest()


def delay_s(chance: random.Random, whole_s: float) -> float:
    """Any moment of a run, the earlier the likelier; its first millisecond as often as a tenth of the time."""
    return chance.uniform(0, 0.001) if chance.random() < 0.1 else chance.random() ** 2 * whole_s


def test_a_first_build_killed_at_any_point_goes_on_where_it_was(tmp_path, server):
    chance = random.Random(11)
    tree = Tree(tmp_path / "project", chance)
    whole_s = server.refresh(tree.folder, tmp_path / "timed")["elapsed_s"]
    cold = digest(tree.folder, tmp_path, "cold")
    killed = attempts = 0
    while killed < WHOLE_BUILD_KILLS:
        cache = f"cache{attempts // 3}"
        killed += server.refresh(tree.folder, tmp_path / cache, delay_s(chance, whole_s))["killed"]
        with Helix.open(tree.folder, config=config_in(tmp_path, tree.folder, cache)) as helix:
            assert helix.notices == ()
            tree.assert_each_file_is_wholly_of_one_version(helix.index_path)
        if attempts % 3 == 2:
            assert digest(tree.folder, tmp_path, cache) == cold
        attempts += 1
        assert attempts < 5 * WHOLE_BUILD_KILLS


def test_an_index_killed_again_and_again_while_it_follows_changes_ends_as_a_cold_build(tmp_path, server):
    """The first half with another engine open on the same index, the second with nobody who keeps its log alive."""
    chance = random.Random(12)
    tree = Tree(tmp_path / "project", chance)
    digest(tree.folder, tmp_path, "cache")
    tree.change(1)
    whole_s = server.refresh(tree.folder, tmp_path / "cache")["elapsed_s"]
    killed = attempts = 0
    with Helix.open(tree.folder, config=config_in(tmp_path, tree.folder)) as bystander:
        while killed < SMALL_CHANGE_KILLS:
            if killed == SMALL_CHANGE_KILLS // 2:
                bystander.close()
            attempts += 1
            tree.change(attempts + 1)
            killed += server.refresh(tree.folder, tmp_path / "cache", delay_s(chance, whole_s))["killed"]
            assert tree.assert_each_file_is_wholly_of_one_version(bystander.index_path) > FILES / 2
            if attempts % 30 == 0:
                assert digest(tree.folder, tmp_path, "cache") == digest(tree.folder, tmp_path, f"cold{attempts}")
            assert attempts < 5 * SMALL_CHANGE_KILLS
    assert digest(tree.folder, tmp_path, "cache") == digest(tree.folder, tmp_path, "cold")
    assert not list(bystander.index_path.parent.glob("*.damaged-*"))
