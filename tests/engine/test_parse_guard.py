"""Parsing in this process holds the guard, and quarantined bytes are never parsed here."""

import hashlib
from contextlib import contextmanager

import pytest

from helix_core.engine import Helix
from tests.engine.conftest import config_in
from tests.engine.repository import write


class RecordingGuard:
    """Notes each hash as it is acquired and released; gives False for those it is told to refuse."""

    def __init__(self):
        self.refused = set()
        self.taken = []
        self.held = None

    @contextmanager
    def __call__(self, content_hash):
        assert self.held is None
        self.held = content_hash
        self.taken.append(content_hash)
        try:
            yield content_hash not in self.refused
        finally:
            self.held = None


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def guard():
    return RecordingGuard()


@pytest.fixture
def helix(repository, tmp_path, guard):
    with Helix.open(repository, config=config_in(tmp_path, repository), parse_guard=guard) as engine:
        engine.refresh()
        yield engine


def test_a_saved_file_and_an_answer_that_ingests_both_hold_what_they_parse(helix, repository, guard):
    guard.taken.clear()
    saved, edited = "def saved_one():\n    pass\n", "def match_route():\n    return 2\n"
    write(repository, {"app/saved.py": saved})
    helix.refresh_paths([b"app/saved.py"])
    assert guard.taken == [sha(saved)]
    write(repository, {"app/routing.py": edited})
    helix.packet("match_route")
    assert guard.taken == [sha(saved), sha(edited)]
    assert guard.held is None


def test_what_is_refused_is_recorded_as_quarantined_by_a_refresh(helix, repository, guard):
    poison = "def poison(): pass\n"
    guard.refused.add(sha(poison))
    write(repository, {"app/poison.py": poison, "app/fine.py": "def fine(): pass\n"})
    report = helix.refresh_paths([b"app/poison.py", b"app/fine.py"])
    assert report.quarantined == (("app/poison.py", "crashed"),)
    assert helix.search("fine")["items"][0]["source_id"] == "app/fine.py"
    assert {"source_id": "app/poison.py", "reason": "quarantined"} in helix.status(skipped=True)["skipped_files"]


def test_what_is_refused_is_not_parsed_for_an_answer_either(helix, repository, guard):
    poison = "def match_route(): poison\n"
    guard.refused.add(sha(poison))
    write(repository, {"app/routing.py": poison})
    packet = helix.packet("match_route")
    (item,) = [item for item in packet["needs_refresh"] if item["symbol"] == "match_route"]
    assert (item["reason"], item["quote"]) == ("changed", "")
