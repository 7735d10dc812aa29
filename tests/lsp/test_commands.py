"""Commands: their arguments to the letter, their answers as on the command line, their complaints in one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helix_core.config import load_config
from helix_core.config.load import APPLICATION
from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.memory.notes import NoteInput
from helix_ls.lsp.documents import line_in_file, reads_as_file
from helix_ls.operations.places import STATUS, StatusArguments
from helix_ls.operations.questions import PACKET, PacketArguments
from helix_ls.operations.validation import validated
from tests.engine.repository import write
from tests.lsp.wire import Wire, environment

pytestmark = pytest.mark.slow


def refused(wire: Wire, command: str, *given: Any) -> str:
    error = wire.error("workspace/executeCommand", {"command": command, "arguments": list(given)})
    assert error["code"] == -32602, error
    assert "\n" not in error["message"]
    assert "helix_ls" not in error["message"]
    return str(error["message"])


@pytest.fixture
def opened(visited: Wire) -> Wire:
    """The module's server, on a repository of the test's own."""
    return visited


def test_wrong_arguments_are_told_in_one_sentence(opened: Wire) -> None:
    assert "question is missing" in refused(opened, "helix.packet")
    assert "question is missing" in refused(opened, "helix.packet", {})
    assert "question must be a string" in refused(opened, "helix.packet", {"question": 5})
    assert "k must be a whole number from 1 to 100" in refused(opened, "helix.packet", {"question": "x", "k": "many"})
    assert "k must be a whole number from 1 to 100" in refused(opened, "helix.packet", {"question": "x", "k": True})
    assert "open must be true or false" in refused(opened, "helix.packet", {"question": "x", "open": 1})
    assert "there is no argument 'nonsense'" in refused(opened, "helix.packet", {"question": "x", "nonsense": 1})
    assert "takes one object" in refused(opened, "helix.packet", {"question": "x"}, {})
    assert "takes one object" in refused(opened, "helix.packet", "x")
    assert opened.command("helix.status", None)["schema"] == "helix.status/1"
    assert "question is empty" in refused(opened, "helix.packet", {"question": "  "})
    assert "k must be a whole number from 1 to 100" in refused(opened, "helix.packet", {"question": "x", "k": 0})
    assert "task must be one of plan" in refused(opened, "helix.packet", {"question": "x", "task": "sing"})
    assert "is not a folder" in refused(opened, "helix.search", {"question": "x", "workspace": "file:///other"})
    assert "no command helix.nothing" in refused(opened, "helix.nothing")
    assert "no command rm -rf" in refused(opened, "rm -rf", {})
    assert "give either packet_id, or question" in refused(opened, "helix.refreshPlan", {})
    assert "no longer open" in refused(opened, "helix.refreshPlan", {"packet_id": "x"})
    assert "give source_id with start_line and end_line, or uri" in refused(opened, "helix.explain", {})
    assert "give name, or uri with position" in refused(opened, "helix.symbol", {})
    assert "in no folder" in refused(opened, "helix.refreshFile", {"uri": "file:///other.py"})
    uri = {"uri": "file:///other.py"}
    assert "in no folder" in refused(opened, "helix.explain", {**uri, "position": {"line": 1, "character": 0}})
    assert "text_hash is missing" in refused(opened, "helix.dismiss", {**uri, "code": "stale"})


def test_a_position_must_be_one(opened: Wire, project: Path) -> None:
    uri = opened.open(project / "README.md")
    for position in ({}, {"line": -1}, {"line": "1"}, {"line": True}):
        assert "whole number" in refused(opened, "helix.symbol", {"uri": uri, "position": position})


def test_what_leads_out_of_the_folder_is_refused(opened: Wire) -> None:
    for path in ("../outside.py", "/etc/passwd", "app/../../x"):
        refused(opened, "helix.explain", {"source_id": path, "start_line": 1, "end_line": 1})


def test_null_stands_for_what_is_left_out() -> None:
    given = validated(PACKET, {"question": "x", "k": None, "workspace": None}, "lsp")
    assert given == PacketArguments("x")
    assert validated(STATUS, {"workspace": None}, "lsp") == StatusArguments()
    with pytest.raises(UsageError, match="question is missing"):
        validated(PACKET, {"question": None}, "lsp")


def test_the_answers_are_those_of_the_command_line(opened: Wire) -> None:
    packet = opened.command("helix.packet", {"question": "sign a cookie", "task": "edit", "k": 3})
    assert packet["schema"] == "helix.packet/1"
    assert "packet_id" not in packet
    assert len(packet["verified"]) == 3
    assert opened.command("helix.search", {"question": "sign_cookie"})["items"][0]["symbol"] == "sign_cookie"
    first = opened.command("helix.search", {"question": "cookie", "k": 1})
    (item,) = opened.command("helix.search", {"question": "cookie", "page": first["next_page"]})["items"]
    assert item != first["items"][0]
    assert "page is not the next_page" in refused(opened, "helix.changes", {"page": "2"})
    status = opened.command("helix.status")
    assert (status["schema"], status["index"]["files"], status["live"]["schema"]) == (
        "helix.status/1",
        5,
        "helix.live/1",
    )
    doctor = opened.command("helix.doctor")
    assert (doctor["schema"], doctor["ok"]) == ("helix.doctor/1", True)
    report = opened.command("helix.index.refresh")
    assert (report["schema"], report["parsed"]) == ("helix.index/1", 0)
    assert opened.command("helix.index.rebuild")["parsed"] == 5
    plan = opened.command("helix.refreshPlan", {"question": "cookie", "task": "edit"})
    assert plan.keys() >= {"schema", "refresh_targets", "counts"}
    assert opened.command("helix.symbol", {"name": "no_such_name_anywhere"}) is None
    json.dumps([packet, status, doctor, report, plan])


def test_an_open_packet_tells_what_to_read_again(opened: Wire, project: Path) -> None:
    packet = opened.command("helix.packet", {"question": "sign_cookie", "task": "edit", "open": True})
    assert opened.command("helix.refreshPlan", {"packet_id": packet["packet_id"]})["refresh_targets"] == []
    (project / "app/sessions.py").unlink()
    plan = opened.command("helix.refreshPlan", {"packet_id": packet["packet_id"]})
    assert {target["source_id"] for target in plan["refresh_targets"]} == {"app/sessions.py"}
    assert opened.command("helix.packet.close", {"packet_id": packet["packet_id"]}) is None
    assert opened.command("helix.packet.close", {"packet_id": packet["packet_id"]}) is None


def test_indexing_pauses_and_goes_on(opened: Wire, project: Path) -> None:
    opened.command("helix.index.pause")
    opened.until_told("helix/status", lambda told: told["state"] == "paused")
    write(project, {"app/late.py": "def arrives_late():\n    pass\n"})
    before = len(opened.heard)
    opened.command("helix.index.resume", {"workspace": project.as_uri()})
    opened.until_told("helix/status", lambda told: told["state"] == "fresh" and told["files"] == 6, since=before)
    assert opened.command("helix.symbol", {"name": "arrives_late"}) is not None


def test_lines_are_opened_as_they_are_on_disk_and_a_note_by_its_address(opened: Wire, project: Path) -> None:
    folder = project.as_uri()
    text = (project / "app/sessions.py").read_text()
    whole = opened.command("helix.open", {"source_id": "app/sessions.py", "workspace": folder})
    assert (whole["schema"], whole["text"]) == ("helix.open/1", text)
    two = opened.command("helix.open", {"source_id": "app/sessions.py", "start_line": 2, "end_line": 3})
    assert two["text"].splitlines() == text.splitlines()[1:3]
    home = opened.errors.parent
    config = load_config(project, environ=environment(home))
    config = replace(config, data_dir=home / ".local/share" / APPLICATION)
    with Helix.open(project, config=config) as helix:
        helix.memory.ingest(NoteInput("We sign cookies with the oldest key."))
        [note] = [
            one["source_id"]
            for one in helix.packet("We sign cookies with the oldest key")["stale_risk"]
            if one["source_id"].startswith("helix-note:")
        ]
    assert opened.command("helix.open", {"source_id": note})["text"] == "We sign cookies with the oldest key."
    assert "forgotten" in refused(opened, "helix.open", {"source_id": "helix-note:0000000000000000"})


def test_a_place_in_a_dirty_buffer_is_explained_where_its_text_stands(opened: Wire, project: Path) -> None:
    file = project / "app/sessions.py"
    uri = opened.open(file)
    where = {"uri": uri, "position": {"line": 12, "character": 4}}
    assert opened.command("helix.explain", where)["symbol"] == "verify_cookie"
    opened.change(uri, "# one\n# two\n# three\n# four\n" + file.read_text())
    where["position"] = {"line": 10, "character": 4}
    found = opened.command("helix.explain", where)
    assert (found["schema"], found["symbol"], found["source_id"]) == (
        "helix.explain/1",
        "sign_cookie",
        "app/sessions.py",
    )
    assert [step["decides"] for step in found["observations"]].count(True) == 1


def test_lines_of_a_buffer_are_found_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert reads_as_file(tmp_path, b"a.py", b"one\ntwo\nthree\n")
    assert not reads_as_file(tmp_path, b"a.py", b"one\ntwo\n")
    assert not reads_as_file(tmp_path, b"gone.py", b"")
    buffer = b"zero\none\nnew\ntwo\nthree\n"
    assert [line_in_file(tmp_path, b"a.py", buffer, line) for line in (2, 4, 5)] == [1, 2, 3]
    assert line_in_file(tmp_path, b"gone.py", buffer, 4) == 4
    assert line_in_file(tmp_path, b"a.py", buffer, 99) == 99
