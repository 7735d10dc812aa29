"""What counts as a use of a memory, and what a use changes: how soon a memory fades, and nothing else."""

import dataclasses
import os
import time

import pytest

from helix_core.engine import Helix
from helix_core.engine.memory import RememberRequest
from helix_core.engine.opened import MemoryFile
from helix_core.errors import UsageError
from helix_core.memory import faded, is_due
from helix_core.memory.ranking import DAY_MS, LONGEST_HALF_LIFE_DAYS, reinforced
from helix_core.model import Attribution, MemoryOrigin, MemoryUse, UseKind
from helix_core.store.memory_items import MOST_USES
from helix_core.strand import content_root
from helix_ls.proxy.learn import _QueuedExchange, _store_exchange
from helix_ls.proxy.stream import CompletionRecorder

AGENT = MemoryOrigin.AGENT
SAID = "The session cookie is signed with Ed25519"
ASKED = "how is the session cookie signed?"


def remember(helix: Helix, text: str = SAID, **given) -> str:
    (item,) = helix.memory.remember(RememberRequest(text, **given))["items"]
    return item["id"]


def uses(helix: Helix) -> list[str]:
    """The kind of every use that is kept, the oldest first."""
    rows = helix.session.memory_file.read(lambda memory: memory._file.rows("SELECT kind FROM item_use ORDER BY at"))
    return [kind for (kind,) in rows]


@pytest.fixture
def later(monkeypatch):
    """Set the clock of this process forward by days."""
    begun, began = time.time(), time.monotonic()
    ahead = 0.0

    def forward(days: float) -> None:
        nonlocal ahead
        ahead += days * 86_400

    monkeypatch.setattr(time, "time", lambda: begun + ahead + time.monotonic() - began)
    return forward


def test_opening_a_memory_by_its_id_is_a_use_and_being_shown_is_none(helix):
    handle = remember(helix)
    for _ in range(3):
        assert helix.memory.recall(ASKED)["items"]
        helix.memory.context(ASKED)
        helix.memory.listed(verify=True)
        helix.memory.log()
        helix.memory.review()
        helix.packet(ASKED)
        helix.context(ASKED)
    assert uses(helix) == []
    (item,) = helix.memory.get(handle)["items"]
    assert (item["id"], item["text"], item["uses"], uses(helix)) == (handle, SAID, [], ["opened"])
    (again,) = helix.memory.get(handle)["items"]
    assert [one["kind"] for one in again["uses"]] == ["opened"]
    with pytest.raises(UsageError, match="there is no memory of the id 'm_aaaaaaaa'; helix list shows"):
        helix.memory.get("m_aaaaaaaa")


@pytest.mark.slow
def test_a_thousand_answers_and_openings_change_no_hash(helix):
    """Fact 21."""
    handle = remember(helix)
    head, root = helix.memory.log()["head"], content_root(helix.memory.exported())
    for _ in range(450):
        helix.memory.recall(ASKED)
        helix.memory.get(handle)
    for _ in range(100):
        helix.packet(ASKED)
    assert (helix.memory.log(verify=True)["first_broken"], helix.memory.log()["head"]) == (None, head)
    assert content_root(helix.memory.exported()) == root


def test_a_use_never_changes_a_verdict(helix, later):
    handle = remember(helix, origin=AGENT)
    helix.memory.approve(handle)
    for _ in range(20):
        later(30)
        helix.memory.get(handle)
    (item,) = helix.memory.recall(ASKED)["items"]
    assert (item["status"], item["state"]) == ("stale_risk", "active")
    stored = helix.session.memory_file.read(lambda memory: memory.items.named(handle))
    assert stored.fact.confidence == 50


def test_a_person_who_says_it_again_or_approves_it_confirms_it_and_an_agent_does_not(helix):
    remember(helix)
    remember(helix, origin=AGENT)
    assert uses(helix) == []
    remember(helix)
    assert uses(helix) == ["confirmed"]
    proposal = remember(helix, "Routes are matched by pattern", is_proposal=True)
    helix.memory.get(proposal)
    assert uses(helix) == ["confirmed"], "what waits for review is not in use"
    helix.memory.approve(proposal, dry_run=True)
    assert uses(helix) == ["confirmed"]
    helix.memory.approve(proposal)
    assert uses(helix) == ["confirmed", "confirmed"]


def exchange(project, answer, session=""):
    told = CompletionRecorder()
    told.whole({"choices": [{"message": {"content": answer}, "finish_reason": "stop"}]})
    place = os.fsencode(os.path.realpath(project))
    asked = [{"role": "user", "content": ASKED}]
    return _QueuedExchange(place, session, asked, "tiny", "", time.time(), told, b"", 1)


@pytest.mark.parametrize("notes_uses", [True, False])
def test_an_answer_that_names_a_memory_uses_it_and_one_of_another_folder_does_not(
    helix, open_helix, project, tmp_path, notes_uses
):
    handle = remember(helix)
    unnamed = remember(helix, "Routes are matched by pattern")
    answer = f"It is signed with Ed25519 ({handle}); xm_abcdefgh, m_abcdefghi and m_abcdefgh are none."
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    memory = MemoryFile(tmp_path / "data")
    try:
        _store_exchange(memory, Attribution(), exchange(elsewhere, answer), notes_uses=notes_uses)
        assert uses(helix) == []
        _store_exchange(memory, Attribution(), exchange(project, answer), notes_uses=notes_uses)
    finally:
        memory.close()
    assert uses(helix) == (["cited"] if notes_uses else [])
    assert helix.memory.get(unnamed)["items"][0]["uses"] == []


def test_no_use_is_kept_where_the_settings_keep_none(helix):
    handle = remember(helix)
    helix.session.config = dataclasses.replace(helix.session.config, co_use=False)
    helix.memory.get(handle)
    remember(helix)
    assert uses(helix) == []


@pytest.mark.slow
def test_uses_are_few_leave_with_a_purge_and_are_in_no_strand(helix, later):
    handle = remember(helix)
    for _ in range(20):
        helix.memory.get(handle)
    assert len(uses(helix)) == 1, "twenty times at once is once"
    for _ in range(MOST_USES + 10):
        later(8)
        helix.memory.get(handle)
    assert len(uses(helix)) == MOST_USES
    assert all("use" not in record.type and b"opened" not in record.line for record in helix.memory.exported())
    helix.memory.purge(handle, f"purge {handle}")
    assert uses(helix) == []


def test_what_was_used_fades_later_than_what_was_not(helix, later):
    unused = remember(helix, "We saw the nightly cookie job fail on Monday", kind="episode")
    used = remember(helix, "We saw the nightly cookie job fail on Friday", kind="episode")
    asked = "when did the nightly cookie job fail?"
    for _ in range(3):
        later(10)
        helix.memory.get(used)
    found = {one["id"]: one["score"] for one in helix.memory.recall(asked)["items"]}
    assert found[used] > found[unused] * 1.3
    assert list(found) == [used, unused]


@pytest.fixture
def episode(helix):
    handle = remember(helix, "The deploy broke on Friday", kind="episode")
    return helix.session.memory_file.read(lambda memory: memory.items.named(handle))


def opened(one, *days):
    return [MemoryUse(UseKind.OPENED, one.at + int(day * DAY_MS)) for day in days]


def test_only_uses_far_enough_apart_lengthen_the_half_life(episode):
    assert reinforced(episode, ()) == (7.0, episode.at)
    crammed, _ = reinforced(episode, opened(episode, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    spaced, last = reinforced(episode, opened(episode, 1, 4, 12))
    assert crammed == 7.0
    assert spaced == pytest.approx(7 * 2.36**3)
    assert last == episode.at + 12 * DAY_MS
    longest, _ = reinforced(episode, opened(episode, *(400 * number for number in range(1, 40))))
    assert longest == LONGEST_HALF_LIFE_DAYS
    confirmed = [MemoryUse(UseKind.CONFIRMED, episode.at + DAY_MS)]
    assert reinforced(episode, confirmed)[0] > reinforced(episode, opened(episode, 1))[0]


def test_a_memory_fades_at_reading_down_to_half_and_a_clock_that_went_back_makes_it_new(episode):
    assert faded(episode, (), episode.at + 7 * DAY_MS) == pytest.approx(0.75)
    assert faded(episode, (), episode.at + 10_000 * DAY_MS) == pytest.approx(0.5)
    assert faded(episode, (), episode.at - DAY_MS) == 1.0
    one = opened(episode, 1)
    assert faded(episode, one, one[0].at) == 1.0
    assert is_due(episode, (), episode.at)
    assert not is_due(episode, one, one[0].at + DAY_MS)
    assert is_due(episode, one, one[0].at + 2 * DAY_MS)
