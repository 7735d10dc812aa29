"""``helix.explain`` of a question or an open packet: how the answer came about, as it was when it was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lsp.test_commands import refused
from tests.lsp.wire import Wire

QUESTION = "how is a session cookie signed?"


def places(items: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    return {(one["gene_id"], one["source_id"], one["start_line"], one["end_line"]) for one in items}


def shown(packet: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]


@pytest.fixture
def opened(visited: Wire) -> Wire:
    """The module's server, on a repository of the test's own."""
    return visited


def test_a_question_is_explained_as_its_packet_answers_it(opened: Wire) -> None:
    packet = opened.command("helix.packet", {"question": QUESTION, "task": "edit", "k": 3})
    told = opened.command("helix.explain", {"question": QUESTION, "task": "edit", "k": 3})
    assert (told["schema"], told["task_type"]) == ("helix.explain/1", "edit")
    assert places(told["items"]) == places(shown(packet))
    assert told["lists"].keys() >= told["rankers"].keys()
    assert told["certainty"]["presence_signs"]
    assert told["vectors"]["model"] == "static"


def test_an_open_packet_is_explained_with_what_was_open_when_it_was_asked(opened: Wire, project: Path) -> None:
    packet = opened.command("helix.packet", {"question": QUESTION, "k": 3, "open": True})
    opened.open(project / "app/sessions.py")
    then = opened.command("helix.explain", {"packet_id": packet["packet_id"]})
    assert (then["query"], places(then["items"])) == (QUESTION, places(shown(packet)))
    assert not [one for one in then["items"] if "open x1.15" in one.get("priors", [])]
    now = opened.command("helix.explain", {"question": QUESTION, "k": 3})
    assert [one["source_id"] for one in now["items"] if "open x1.15" in one.get("priors", [])]


def test_an_open_packet_within_a_budget_is_explained_by_all_of_its_question(opened: Wire) -> None:
    question = "in this application, " * 12 + QUESTION
    asked = {"question": question, "k": 3, "max_tokens": 600, "open": True}
    packet = opened.command("helix.packet", asked)
    assert packet["query"] != question
    assert opened.command("helix.explain", {"packet_id": packet["packet_id"]})["query"] == question


def test_a_packet_that_is_closed_is_explained_by_its_question_or_not_at_all(opened: Wire) -> None:
    gone = {"packet_id": "gone"}
    assert "ask its question again" in refused(opened, "helix.explain", gone)
    assert opened.command("helix.explain", {**gone, "question": QUESTION, "k": 2})["query"] == QUESTION
    assert "question is empty" in refused(opened, "helix.explain", {"question": " "})
    assert "k must be a whole number" in refused(opened, "helix.explain", {"question": "x", "k": "2"})


@pytest.mark.slow
def test_a_place_is_still_explained_by_its_verdict(opened: Wire) -> None:
    told = opened.command("helix.explain", {"source_id": "app/sessions.py", "start_line": 6, "end_line": 8})
    assert told["observations"]
    assert "lists" not in told
