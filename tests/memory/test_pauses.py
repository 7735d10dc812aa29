"""Pauses of agents for a person: kept beside the exchanges, filtered and bounded; open ones say what to decide by."""

from __future__ import annotations

import pytest

from helix_core.engine import Helix
from helix_core.engine.answer import ContextRequest
from helix_core.errors import StoreError, UsageError
from helix_core.memory import PauseInput, changed_since, files_snapshot
from helix_core.model import PauseFilter, PauseType
from helix_core.store import Memory
from tests.memory.made import HERE, older_memory

ASKED = "how is the session cookie signed?"
SESSIONS = "app/sessions.py"
CHECK, ROLLBACK = PauseType.UNCERTAINTY_CHECK, PauseType.ROLLBACK_CONFIRM


def rewrite(project, old, new):
    path = project / SESSIONS
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_packet_during_an_open_check_lists_what_changed_since_it_was_raised(helix: Helix, project) -> None:
    rewrite(project, 'payload + "."', 'payload + ";"')
    helix.refresh()
    raised = helix.pauses.emit(PauseInput(CHECK, "is the cookie signed over the dot?"))
    (open_now,) = helix.packet(ASKED)["pauses"]
    assert (open_now["event_id"], open_now["changed"], open_now["changed_total"]) == (raised["event_id"], [], 0)
    rewrite(project, 'payload + ";"', 'payload + ":"')
    (project / "new.py").write_text("def added():\n    return 1\n")
    helix.refresh()
    packet = helix.packet(ASKED)
    (open_now,) = packet["pauses"]
    assert open_now["changed"] == [
        {"source_id": SESSIONS, "change": "changed"},
        {"source_id": "new.py", "change": "added"},
    ]
    (note,) = [one for one in packet["notes"] if raised["event_id"] in one]
    assert "2 files changed since: app/sessions.py, new.py" in note
    bounded = helix.packet(ASKED, max_tokens=800)
    assert "pauses" not in bounded and note in bounded["notes"] and bounded["accounting"]["tokens"] <= 800
    window = helix.context(ASKED, ContextRequest(2_000))
    assert window["pauses"][0]["changed_total"] == 2 and "app/sessions.py, new.py" in window["text"]


def test_what_changed_since_a_check_is_told_by_the_disk_and_not_by_the_index(helix: Helix, project) -> None:
    rewrite(project, 'payload + "."', 'payload + ";"')
    (project / "before.py").write_text("def before():\n    return 1\n")
    (project / ".gitignore").write_text("ignored.py\n")
    helix.pauses.emit(PauseInput(CHECK, "is the cookie signed over the dot?"))
    (open_now,) = helix.pauses.recent(PauseFilter())["events"]
    assert open_now["changed"] == [], "what was on disk when it was raised is not a change"
    rewrite(project, 'payload + ";"', 'payload + ":"')
    (project / "before.py").unlink()
    for name in ("after.py", "ignored.py"):
        (project / name).write_text("def added():\n    return 1\n")
    changed = [
        {"source_id": "after.py", "change": "added"},
        {"source_id": SESSIONS, "change": "changed"},
        {"source_id": "before.py", "change": "gone"},
    ]
    for shown in (helix.pauses.recent(PauseFilter())["events"], helix.packet(ASKED)["pauses"]):
        assert shown[0]["changed"] == changed
    rewrite(project, 'payload + ":"', 'payload + ";"')
    assert helix.pauses.recent(PauseFilter())["events"][0]["changed_total"] == 2


def test_a_rollback_cites_its_files_with_the_verdict_of_the_moment(helix: Helix, project) -> None:
    raised = helix.pauses.emit(PauseInput(ROLLBACK, f"undo the change of `{SESSIONS}:6-8`, please."))
    (place,) = raised["files"]
    assert (place["source_id"], place["start_line"], place["end_line"]) == (SESSIONS, 6, 8)
    (open_now,) = helix.packet(ASKED)["pauses"]
    assert open_now["files"][0]["status"] == "verified"
    assert "changed" not in open_now, "only a check asks what changed since"
    rewrite(project, 'payload + "."', 'payload + ":"')
    packet = helix.packet(ASKED)
    assert (packet["pauses"][0]["files"][0]["status"], packet["pauses"][0]["files"][0]["reason"]) == (
        "needs_refresh",
        "changed",
    )
    assert any(f"{SESSIONS}:6-8 [needs_refresh: changed]" in note for note in packet["notes"])
    (project / SESSIONS).unlink()
    (listed,) = helix.pauses.recent(PauseFilter(is_open=True))["events"]
    assert listed["files"][0]["reason"] == "gone"


def test_a_pause_is_over_when_a_later_one_resolves_it_or_nobody_is_waited_for(helix: Helix) -> None:
    raised = helix.pauses.emit(PauseInput(CHECK))["event_id"]
    helix.pauses.emit(PauseInput(PauseType.OTHER, resolved_without_operator=True, resolves=raised))
    packet = helix.packet(ASKED)
    assert "pauses" not in packet and not [note for note in packet["notes"] if "is open" in note]
    assert helix.pauses.recent(PauseFilter(is_open=True))["events"] == []
    assert [one["is_open"] for one in helix.pauses.recent(PauseFilter())["events"]] == [False, False]
    with pytest.raises(UsageError, match="not an open pause"):
        helix.pauses.emit(PauseInput(CHECK, resolves=raised))


def test_a_pause_that_nobody_resolves_is_open_for_a_day(helix: Helix, monkeypatch) -> None:
    helix.pauses.emit(PauseInput(CHECK))
    import helix_core.engine.memory.pauses as module

    now = module.time.time()
    monkeypatch.setattr(module.time, "time", lambda: now + 86_500)
    assert not helix.memory.answers.has_open_pause()
    assert "pauses" not in helix.packet(ASKED)
    (listed,) = helix.pauses.recent(PauseFilter())["events"]
    assert listed["is_open"] is False and "changed" not in listed


def test_every_field_of_the_event_comes_back_with_secrets_masked(helix: Helix) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    given = PauseInput(
        PauseType.PERMISSION_REQUEST,
        f"push with {token}",
        participant="max",
        party="desk",
        session="s1",
        tone_uncertainty=0.4,
        risk_keywords=["force", "drop"],
        time_since_last_risk=12.5,
        recoverability="uncertain",
        genome_snapshot={"total_genes": 4},
        metadata={"why": "release"},
    )
    helix.pauses.emit(given)
    (event,) = helix.pauses.recent(PauseFilter())["events"]
    assert token not in str(event) and event["task_context"].startswith("push with ")
    assert (event["participant_id"], event["party_id"], event["session_id"]) == ("max", "desk", "s1")
    assert event["chat_signals"] == {
        "tone_uncertainty": 0.4,
        "risk_keywords": ["force", "drop"],
        "time_since_last_risk": 12.5,
        "recoverability": "uncertain",
    }
    assert (event["genome_snapshot"], event["metadata"]) == ({"total_genes": 4}, {"why": "release"})


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (PauseFilter(), 3),
        (PauseFilter(pause_type="other"), 1),
        (PauseFilter(participant="ada"), 2),
        (PauseFilter(party="desk", participant="ada"), 1),
        (PauseFilter(since=4e9), 0),
        (PauseFilter(limit=2), 2),
    ],
)
def test_pauses_are_filtered(helix: Helix, wanted: PauseFilter, count: int) -> None:
    helix.pauses.emit(PauseInput(CHECK, participant="ada", party="desk"))
    helix.pauses.emit(PauseInput(PauseType.OTHER, participant="ada", party="lap"))
    helix.pauses.emit(PauseInput(CHECK, participant="max", party="desk"))
    assert len(helix.pauses.recent(wanted)["events"]) == count


def test_the_oldest_pauses_go_and_only_a_few_keep_what_they_compare_with(tmp_path) -> None:
    with Memory(tmp_path / "data", 1.0, most_pauses=12) as memory:
        for number in range(20):
            snapshot = files_snapshot([(b"a.py", "ab" * 32)])
            memory.pauses.add(PauseInput(CHECK).kept(f"{number:02}", HERE, (), snapshot, float(number)))
        kept = memory.pauses.listed(HERE, PauseFilter(limit=500))
        assert [one.event_id for one in kept] == [f"{number:02}" for number in reversed(range(8, 20))]
        assert sum(bool(one.snapshot) for one in kept) == 8


def test_forgetting_a_session_removes_its_pauses(helix: Helix) -> None:
    helix.pauses.emit(PauseInput(CHECK, "of s1", session="s1"))
    helix.pauses.emit(PauseInput(CHECK, "of s2", session="s2"))
    helix.memory.forget_session("s1")
    assert [one["task_context"] for one in helix.pauses.recent(PauseFilter())["events"]] == ["of s2"]


def test_a_pause_names_only_files_of_the_workspace(helix: Helix, project) -> None:
    (project.parent / "outside.py").write_text("secret = 1\n")
    raised = helix.pauses.emit(PauseInput(ROLLBACK, "../outside.py and .env", files=("../outside.py", "none.py")))
    assert raised["files"] == []
    assert raised["notes"] == ["not cited, as no file of that name is indexed here: ../outside.py, none.py"]


def test_a_memory_of_an_older_format_takes_pauses(tmp_path) -> None:
    older_memory(tmp_path / "data", 2)
    with Memory(tmp_path / "data", 1.0) as memory:
        memory.pauses.add(PauseInput(CHECK).kept("one", HERE, (), b"", 1.0))
        assert [one.event_id for one in memory.pauses.listed(HERE, PauseFilter())] == ["one"]


def test_what_changed_is_told_from_a_snapshot_alone() -> None:
    was = [(b"a.py", "aa" * 32), (b"b.py", "bb" * 32), (b"c d.py", "cc" * 32)]
    now = [(b"a.py", "aa" * 32), (b"b.py", "00" * 32), (b"e.py", "ee" * 32)]
    found = changed_since(files_snapshot(was), now)
    assert [(one.path, one.change) for one in found] == [(b"b.py", "changed"), (b"c d.py", "gone"), (b"e.py", "added")]
    assert changed_since(files_snapshot(was), was) == []


def test_a_check_is_in_an_answer_however_many_other_pauses_are_newer(helix: Helix, project) -> None:
    check = helix.pauses.emit(PauseInput(CHECK, "is the cookie signed over the dot?"))
    for number in range(6):
        helix.pauses.emit(PauseInput(PauseType.OTHER, f"waiting {number}"))
    (project / "new.py").write_text("def added():\n    return 1\n")
    helix.refresh()
    packet = helix.packet(ASKED)
    assert packet["pauses"][0]["event_id"] == check["event_id"]
    assert packet["pauses"][0]["changed_total"] == 1 and len(packet["pauses"]) == 4
    assert packet["pauses"][-1]["left_out"] == 3
    assert any("3 more pauses are open" in note for note in packet["notes"])


@pytest.mark.parametrize("place", ["", "app/sessions.py:x", "app/sessions.py:9-2", "app/sessions.py:0-3"])
def test_a_file_of_a_pause_that_is_no_place_is_refused_and_nothing_kept(helix: Helix, place: str) -> None:
    with pytest.raises(UsageError, match="is not a place; write path or path:first-last"):
        helix.pauses.emit(PauseInput(PauseType.OTHER, files=[place]))
    assert helix.pauses.recent(PauseFilter())["events"] == []


def test_a_file_of_a_pause_may_have_any_name(helix: Helix, project) -> None:
    name = "odd name é $(x).py"
    (project / name).write_text("def odd():\n    return 1\n")
    helix.refresh()
    assert [
        one["source_id"] for one in helix.pauses.emit(PauseInput(PauseType.OTHER, files=[f"{name}:1"]))["files"]
    ] == [name]


def test_whether_a_pause_is_open_is_asked_within_a_workspace_a_time_and_an_id(tmp_path) -> None:
    with Memory(tmp_path / "data", 1.0) as memory:
        assert not memory.pauses.is_open(HERE)
        memory.pauses.add(PauseInput(CHECK).kept("one", HERE, (), b"", 5.0))
        assert memory.pauses.is_open(HERE, 5.0) and memory.pauses.is_open(HERE, event_id="one")
        assert not memory.pauses.is_open(HERE, 6.0)
        assert not memory.pauses.is_open(HERE, event_id="two") and not memory.pauses.is_open(b"/elsewhere")
        memory.pauses.add(PauseInput(CHECK, resolved_without_operator=True).kept("two", HERE, (), b"", 7.0), "one")
        assert not memory.pauses.is_open(HERE)


def test_a_pause_that_cannot_be_kept_ends_no_other(tmp_path) -> None:
    with Memory(tmp_path / "data", 1.0) as memory:
        memory.pauses.add(PauseInput(CHECK).kept("one", HERE, (), b"", 5.0))
        with pytest.raises(StoreError):
            memory.pauses.add(PauseInput(CHECK).kept("one", HERE, (), b"", 6.0), "one")
        assert memory.pauses.is_open(HERE, event_id="one")


def test_an_id_that_is_no_open_pause_begins_no_memory(helix: Helix) -> None:
    with pytest.raises(UsageError, match="not an open pause"):
        helix.pauses.emit(PauseInput(CHECK, resolves="one"))
    assert not helix.session.memory_file.read(lambda memory: memory)


def test_a_wrong_recoverability_is_refused() -> None:
    with pytest.raises(UsageError, match="recoverability must be one of recoverable, uncertain, lost"):
        PauseInput(CHECK, recoverability="maybe")


def test_one_more_pause_is_told_in_the_singular(helix: Helix) -> None:
    for number in range(5):
        helix.pauses.emit(PauseInput(PauseType.OTHER, f"waiting {number}"))
    assert any("1 more pause is open" in note for note in helix.packet(ASKED)["notes"])
