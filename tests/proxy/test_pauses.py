"""An agent's pause for a person over HTTP: raised with the administrator's key, listed, and seen in answers."""

from __future__ import annotations

import pytest

from tests.mcp.conftest import repository

ASK = {"query": "how is the session cookie signed?"}


@pytest.mark.slow
def test_a_pause_is_raised_listed_and_seen_until_it_is_resolved(start, tmp_path):
    folder = repository(tmp_path / "project")
    server = start(folder, HELIX_DATA_DIR=str(tmp_path / "data"))
    raised = {
        "pause_type": "uncertainty_check",
        "participant_id": "max",
        "task_context": "is app/sessions.py right?",
        "chat_signals": {"tone_uncertainty": 0.5, "risk_keywords": ["drop"], "recoverability": "lost"},
        "genome_snapshot": {"total_genes": 4},
        "metadata": {"why": "test"},
    }
    with server.http() as asking, server.admin() as admin:
        assert asking.post("/hitl/emit", json=raised).status_code == 403
        said = admin.post("/hitl/emit", json=raised)
        assert said.status_code == 200, said.text
        event_id = said.json()["event_id"]
        assert said.json()["ok"] is True and said.json()["files"][0]["source_id"] == "app/sessions.py"
        (listed,) = asking.post("/hitl/recent", json={"pause_type": "uncertainty_check"}).json()["events"]
        assert (listed["event_id"], listed["participant_id"], listed["is_open"]) == (event_id, "max", True)
        assert listed["chat_signals"]["risk_keywords"] == ["drop"]
        assert asking.post("/hitl/recent", json={"participant_id": "ada"}).json()["events"] == []
        asked = {"pause_type": "uncertainty_check", "is_open": "true", "limit": "1", "since": "0.5", "unknown": "1"}
        (again,) = asking.get("/hitl/recent", params=asked).json()["events"]
        assert {**again, "age_s": 0} == {**listed, "age_s": 0}
        assert asking.get("/hitl/recent", params={"participant_id": "1"}).json()["events"] == []
        (folder / "app" / "sessions.py").write_text("def nothing():\n    return 1\n")
        assert admin.post("/admin/refresh").status_code == 200
        (pause,) = asking.post("/context/packet", json=ASK).json()["pauses"]
        assert pause["changed"] == [{"source_id": "app/sessions.py", "change": "changed"}]
        assert pause["files"][0]["status"] == "needs_refresh"
        over = {"pause_type": "other", "resolves": event_id, "resolved_without_operator": True}
        assert admin.post("/hitl/emit", json=over).status_code == 200
        assert "pauses" not in asking.post("/context/packet", json=ASK).json()


def test_a_wrong_pause_is_refused_with_what_would_be_right(start, tmp_path):
    server = start(repository(tmp_path / "project"), HELIX_DATA_DIR=str(tmp_path / "data"))
    with server.admin() as admin:
        wrong = admin.post("/hitl/emit", json={"pause_type": "coffee"})
        assert wrong.status_code == 400 and "uncertainty_check" in wrong.json()["error"]["message"]
        ended = admin.post("/hitl/emit", json={"pause_type": "other", "resolves": "nothing"})
        assert ended.status_code == 400 and "not an open pause" in ended.json()["error"]["message"]
        signals = {"pause_type": "other", "chat_signals": {"tone_uncertainty": 7}}
        assert admin.post("/hitl/emit", json=signals).status_code == 400


def test_a_filter_in_a_query_is_refused_with_what_would_be_right(start, tmp_path):
    server = start(repository(tmp_path / "project"), HELIX_DATA_DIR=str(tmp_path / "data"))
    faults = {
        "limit=many": "limit must be a whole number",
        "limit=": "limit must be a whole number",
        "limit=501": "limit must be a whole number from 1 to 500",
        "since=null": "since must be a number",
        "since=NaN": "since must be a number",
        "is_open=yes": "is_open must be true or false",
        "is_open=" + "[" * 10_000: "is_open must be true or false",
        "limit=1&limit=2": "limit is given twice; give it once",
        "pause_type=coffee": "uncertainty_check",
    }
    with server.http() as asking:
        for query, said in faults.items():
            answer = asking.get(f"/hitl/recent?{query}")
            assert answer.status_code == 400 and said in answer.json()["error"]["message"], query
        assert asking.get("/hitl/recent", headers={"Authorization": ""}).status_code == 401
        wrong = asking.delete("/hitl/recent")
        assert wrong.status_code == 405 and {"GET", "POST"} <= set(wrong.headers["allow"].split(", "))
