"""What is remembered of a topic in one answer: memories, their cited lines now, what they rest on, open conflicts."""

import itertools

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.errors import UsageError
from helix_core.packet import estimated_tokens

ASKED = "how is the session cookie signed?"
SIGNED = "The session cookie is signed with Ed25519"
SESSIONS = "app/sessions.py"


def remember(helix, text, **given):
    """Remember a text and return its handle."""
    (found,) = helix.memory.remember(RememberRequest(text, **given))["items"]
    return found["id"]


def test_a_topic_has_the_memories_of_a_recall_with_the_lines_that_they_cite(helix, project):
    remember(helix, SIGNED, cites=[f"{SESSIONS}:6-8", f"{SESSIONS}:1-3"])
    remember(helix, "The session cookie is signed again every hour")
    topic = helix.memory.context(ASKED)
    wanted = [(one["id"], one["status"], one["reason"]) for one in helix.memory.recall(ASKED)["items"]]
    assert [(one["id"], one["status"], one["reason"]) for one in topic["items"]] == wanted
    (both,) = [one["evidence"] for one in topic["items"] if one["evidence"]]
    lines = (project / SESSIONS).read_text().splitlines(keepends=True)
    assert [one["text"] for one in both] == ["".join(lines[5:8]), "".join(lines[:3])]
    assert not topic["known_empty"] and topic["conflicts"] == [] and topic["left_out"] == 0


def test_the_lines_of_a_topic_are_those_of_now_and_none_where_they_changed(helix, project):
    remember(helix, SIGNED, cites=[f"{SESSIONS}:6-8"])
    path = project / SESSIONS
    was = path.read_text()
    path.write_text("# moved\n" + was)
    (cited,) = helix.memory.context(ASKED)["items"][0]["evidence"]
    assert (cited["start_line"], cited["text"].splitlines()[0]) == (7, "def sign_cookie(secret_key, payload):")
    path.write_text(was.replace('payload + "."', 'payload + ":"'))
    (cited,) = helix.memory.context(ASKED)["items"][0]["evidence"]
    assert (cited["status"], cited["reason"]) == ("needs_refresh", "changed")
    assert "text" not in cited


def test_a_topic_says_what_its_memories_rest_on(helix):
    parent = remember(helix, "The timeout of a route is 300 ms")
    remember(helix, SIGNED, depends_on=[parent])
    (one,) = helix.memory.context(ASKED)["items"]
    said = {"relation": "depends_on", "id": parent, "text": "The timeout of a route is 300 ms", "state": "active"}
    assert one["rests_on"] == [said]
    remember(helix, "The timeout of a route is 3000 ms")
    (one,) = helix.memory.context(ASKED)["items"]
    assert (one["reason"], one["rests_on"][0]["state"]) == ("superseded", "superseded")
    helix.memory.purge(parent, f"purge {parent}")
    (one,) = helix.memory.context(ASKED)["items"]
    assert one["rests_on"] == [{"relation": "depends_on", "id": "", "text": "", "state": "purged"}]


def test_a_topic_has_each_open_contradiction_once_and_none_that_was_decided(helix):
    mongo = remember(helix, "We use MongoDB")
    postgres = remember(helix, "We use Postgres")
    (pair,) = helix.memory.context("MongoDB or Postgres?")["conflicts"]
    assert {one["id"] for one in pair["memories"]} == {mongo, postgres}
    assert {one["reason"] for one in pair["memories"]} == {"contradicted"}
    (other,) = helix.memory.context("MongoDB")["conflicts"]
    assert other == pair, "the other side is named although it does not answer"
    helix.memory.forget(mongo)
    assert helix.memory.context("MongoDB or Postgres?")["conflicts"] == []


@pytest.mark.slow
@pytest.mark.parametrize("most", [200, 300, 500, 1_000, 4_000])
def test_a_topic_is_never_over_its_budget_and_counts_what_it_left_out(helix, most):
    for number, word in enumerate(("red", "green", "blue", "black", "white", "pink")):
        text = f"The session cookie of the {word} tenant is signed with key {number}"
        remember(helix, text, cites=[f"{SESSIONS}:6-8", f"{SESSIONS}:11-16"])
    topic = helix.memory.context(ASKED, max_tokens=most)
    assert estimated_tokens(topic) <= most
    assert len(topic["items"]) + topic["left_out"] == 6
    assert topic["left_out"] == 0 or most < 4_000
    texts = list(itertools.chain.from_iterable(one["evidence"] for one in topic["items"]))
    assert most < 4_000 or any("text" in one for one in texts)


def test_a_long_topic_is_echoed_within_its_budget(helix):
    remember(helix, SIGNED)
    topic = helix.memory.context(ASKED + "\N{FOX FACE}" * 200, max_tokens=200)
    assert ASKED.startswith(topic["query"]) and topic["query"]
    assert estimated_tokens(topic) <= 200


def test_a_topic_of_nothing_is_known_empty_and_makes_no_memory(helix, tmp_path):
    assert helix.memory.context(ASKED)["known_empty"]
    assert not (tmp_path / "data").exists()
    remember(helix, "Routes are matched by pattern")
    assert helix.memory.context(ASKED)["known_empty"]
    assert [one["text"] for one in helix.memory.context()["items"]] == ["Routes are matched by pattern"]
    for wrong in ({"question": "x", "scope": "moon"}, {"question": "x", "max_tokens": 5}):
        with pytest.raises(UsageError):
            helix.memory.context(**wrong)


def test_a_secret_in_cited_lines_is_masked(helix, project):
    (project / "app" / "keys.py").write_text('KEY = 1\nTOKEN = "ghp_' + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" + '"\n')
    remember(helix, "The session cookie is signed with a token of GitHub", cites=["app/keys.py:1-2"])
    (one,) = helix.memory.context(ASKED)["items"]
    assert "KEY = 1" in one["evidence"][0]["text"] and "ghp_a1B2" not in one["evidence"][0]["text"]
