"""The one word a workspace says of itself, and what it explains."""

import pytest

from helix_ls.host.status import IndexFacts, ServerInfo, explanation_of, state_of, status_of

SERVER = ServerInfo(1, "1.0", "daemon")
SETTLED = {"opened": True, "whole": False, "complete": True, "files": 3, "items": 5}


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (IndexFacts(), "starting"),
        (IndexFacts(opened=True), "indexing"),
        (IndexFacts(**SETTLED), "fresh"),
        (IndexFacts(**SETTLED, set_aside=1), "incomplete"),
        (IndexFacts(**SETTLED | {"whole": True}, set_aside=1), "indexing"),
        (IndexFacts(**SETTLED, set_aside=1, paused=True), "paused"),
        (IndexFacts(**SETTLED | {"whole": True}), "indexing"),
        (IndexFacts(**SETTLED, behind=True), "indexing"),
        (IndexFacts(**SETTLED, paused=True), "paused"),
        (IndexFacts(paused=True), "paused"),
        (IndexFacts(**SETTLED, failure="The disk is full; free some."), "error"),
        (IndexFacts(**SETTLED, failure="The disk is full; free some.", paused=True), "error"),
        (IndexFacts(**SETTLED, failure="no folder", missing=True), "missing"),
    ],
)
def test_what_the_user_must_know_first_is_the_state(facts, state):
    assert state_of(facts) == state


def test_every_state_but_a_quiet_one_says_what_to_do():
    for facts in (
        IndexFacts(missing=True),
        IndexFacts(failure="broken"),
        IndexFacts(paused=True),
        IndexFacts(paused=True, cancelled=True),
    ):
        message, action = explanation_of(facts)
        assert message
        assert action


def test_an_empty_folder_is_explained_and_not_indexed_for_ever():
    facts = IndexFacts(**SETTLED | {"files": 0, "items": 0})
    assert state_of(facts) == "fresh"
    assert "is indexed" in explanation_of(facts)[0]


def test_files_set_aside_are_counted_and_explained():
    facts = IndexFacts(**SETTLED, set_aside=2)
    assert explanation_of(facts)[0].startswith("2 files are set aside and not searched")
    wire = status_of(facts, workspace="/w", uri="file:///w", restricted=False, server=SERVER).wire()
    assert (wire["state"], wire["set_aside"]) == ("incomplete", 2)


def test_progress_is_told_only_while_there_is_some():
    facts = IndexFacts(**SETTLED | {"whole": True, "phase": "indexing", "done": 3, "total": 9})
    working = status_of(facts, workspace="/w", uri="file:///w", restricted=False, server=SERVER)
    assert (working.phase, working.done, working.total) == ("indexing", 3, 9)
    still = status_of(
        IndexFacts(**SETTLED | {"phase": "indexing", "done": 9, "total": 9}),
        workspace="/w",
        uri="file:///w",
        restricted=False,
        server=SERVER,
    )
    assert (still.phase, still.done, still.total) == ("", 0, 0)


def test_the_wire_has_every_key_of_the_contract():
    wire = status_of(IndexFacts(), workspace="/w", uri="file:///w", restricted=True, server=SERVER).wire()
    assert wire["schema"] == "helix.live/1"
    assert wire["restricted"] is True
    assert wire["server"] == {"pid": 1, "version": "1.0", "mode": "daemon"}
    told = "workspace uri state watching restricted phase done total files items message action branch head server"
    assert set(wire) == {"schema", "set_aside", *told.split()}
