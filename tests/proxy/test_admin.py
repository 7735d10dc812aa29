"""What an administrator may do: refresh, give back what the index does not need, tell that the server restarts."""

import json
import stat
import time

import pytest

from helix_ls.proxy.running import GRACE_S, MOST_WORDS, UNKNOWN_S, RestartSignal, Signals, restarting, sentence
from tests.engine.repository import write
from tests.mcp.conftest import repository
from tests.proxy.test_process import connect

pytestmark = pytest.mark.slow

PORT = 11437


@pytest.fixture
def signals(tmp_path):
    return Signals(tmp_path / "state" / "signals")


def test_a_vacuum_gives_back_what_is_not_needed_and_the_answers_stay(start, tmp_path):
    files = {f"src/m{n}.py": "".join(f"def name_{n}_{k}(a):\n    return a\n\n" for k in range(60)) for n in range(120)}
    folder = repository(tmp_path / "wide", files)
    server = start(folder)
    with server.admin() as client:
        ask = {"query": "name_3_4", "k": 3}
        for n in range(1, 120):
            (folder / f"src/m{n}.py").unlink()
        write(folder, {"src/m0.py": "def name_3_4(a):\n    return a\n"})
        assert client.post("/admin/refresh", json={}).status_code == 200
        before = client.post("/context/packet", json=ask).json()
        first = client.post("/admin/vacuum", json={}).json()
        assert first["schema"] == "helix.vacuum/1"
        assert first["freed_bytes"] == first["before_bytes"] - first["after_bytes"] > 0
        second = client.post("/admin/vacuum", json={}).json()
        assert (second["pruned"], second["freed_bytes"]) == (0, 0), "there is no more to give back"
        after = client.post("/context/packet", json=ask).json()
        assert [item["source_id"] for item in after["verified"]] == [item["source_id"] for item in before["verified"]]


def test_a_restart_that_is_announced_is_seen_and_the_next_start_ends_it(start, project, environ, tmp_path):
    own = {"HELIX_STATE_DIR": str(tmp_path / "state"), "HELIX_RUNTIME_DIR": str(tmp_path / "run")}
    server = start(project, **own)
    signals, port = Signals.of(environ | own), server.ready["port"]
    assert signals.read(port).state == "running"
    with server.admin() as client:
        said = client.post(
            "/admin/announce_restart", json={"reason": "new version", "actor": "me", "expected_downtime_s": 90}
        ).json()
        assert (said["schema"], said["state"], said["pid"]) == ("helix.restart/1", "restarting", server.ready["pid"])
        assert said["stale_at"] == said["at"] + 90 + GRACE_S
        assert client.get("/health", headers={"Authorization": ""}).json() == {"status": "restarting"}
        with_key = client.get("/health").json()
        assert with_key["status"] == "restarting"
        assert with_key["restart"]["reason"] == "new version"
        # The server is still there meanwhile, and answers.
        assert client.post("/context/packet", json={"query": "sign_cookie"}).json()["verified"]
    file = signals.file(port)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    server.process.kill()
    server.process.wait(60)
    gone = connect(server, "openai", "--json")
    assert gone.returncode == 1
    assert "restarts, as announced by me (new version)" in gone.stderr
    again = start(project, "--port", str(port), **own)
    with again.http() as client:
        assert client.get("/health").json()["status"] == "ok"
    again.close()
    assert signals.read(port).state == "stopped"


def test_a_restart_that_did_not_come_is_ignored_and_said(start, project, environ, tmp_path):
    own = {"HELIX_STATE_DIR": str(tmp_path / "state"), "HELIX_RUNTIME_DIR": str(tmp_path / "run")}
    server = start(project, **own)
    port = server.ready["port"]
    old = RestartSignal("restarting", port, 1, time.time() - 100, reason="new version", expected_downtime_s=30)
    Signals.of(environ | own).write(old)
    with server.http() as client:
        said = client.get("/health").json()
    assert said["status"] == "ok"
    assert said["restart"]["is_stale"] is True
    assert "did not come; the announcement is ignored" in said["notes"][0]


def test_how_long_a_signal_is_believed(signals):
    at = 1_000_000.0
    announced = RestartSignal("restarting", PORT, 1, at, expected_downtime_s=30)
    assert restarting(announced, at + 30 + GRACE_S)
    assert not restarting(announced, at + 31 + GRACE_S)
    assert not restarting(announced, at - 3600), "a clock that was set back makes no announcement last"
    unknown = RestartSignal("dreaming", PORT, 1, at)
    assert not unknown.is_stale(at + UNKNOWN_S) and unknown.is_stale(at + UNKNOWN_S + 1)
    assert not RestartSignal("stopped", PORT, 1, at).is_stale(at + 1e6)
    assert not restarting(None, at)


def test_what_is_written_is_bounded_and_read_back_whole(signals):
    told = signals.write(RestartSignal("restarting", PORT, 7, 5.0, reason="a\nb\u202e" + "x" * 999, actor="me"))
    assert signals.read(PORT) == told
    assert len(told.reason) <= MOST_WORDS and "\n" not in told.reason and "\u202e" not in told.reason
    assert "\n" not in sentence(told, 6.0)
    assert [each.name for each in signals.folder.iterdir()] == [f"server-{PORT}.json"], "nothing unfinished is left"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"[" * 10_000,
        b'{"state": 3, "pid": 1, "at": 1}',
        b'{"state": "restarting", "pid": 1, "at": 1e999}',
        b'{"state": "restarting", "pid": 1e999, "at": 1}',
        b'{"state": "restarting", "pid": 1, "at": -5}',
        b'{"state": "restarting", "at": 1}',
        b'{"state": "restarting", "pid": 1, "at": 1, "reason": {}}',
        b"\xff\xfe",
    ],
)
def test_a_file_that_says_nothing_is_no_signal(signals, text):
    signals.write(RestartSignal("running", PORT, 1, 5.0))
    signals.file(PORT).write_bytes(text)
    assert signals.read(PORT) is None


def test_a_link_in_its_place_is_not_followed(signals, tmp_path):
    signals.write(RestartSignal("running", PORT, 1, 5.0))
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps({"state": "restarting", "pid": 1, "at": time.time()}))
    signals.file(PORT).unlink()
    signals.file(PORT).symlink_to(elsewhere)
    assert signals.read(PORT) is None
    signals.write(RestartSignal("stopped", PORT, 1, 5.0))
    assert json.loads(elsewhere.read_text())["state"] == "restarting"
    assert signals.read(PORT).state == "stopped"


@pytest.mark.parametrize(
    "body", [{"expected_downtime_s": -1}, {"expected_downtime_s": "x"}, {"reason": "x" * 201}, {"actor": 3}]
)
def test_a_wrong_announcement_is_refused_and_nothing_is_announced(server, body):
    with server.admin() as client:
        assert client.post("/admin/announce_restart", json=body).status_code == 400
        assert client.get("/health").json()["status"] == "ok"
