"""One daemon per user and version: it comes when it is needed, says how it is, and leaves."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys

import psutil
import pytest

from helix_core import __version__
from helix_ls.host.connection import DaemonConnection, encoded
from helix_ls.host.daemon import idle_of, should_leave
from helix_ls.host.election import reach
from helix_ls.host.endpoint import place
from helix_ls.host.log import LOG, last_lines
from tests.host.clients import Caller, until
from tests.host.conftest import apart, processes_of


@pytest.fixture
def daemon(environ):
    """A daemon that runs, and a caller of it."""
    reach(environ, {"kind": "call"}).socket.close()
    with Caller(environ) as call:
        yield call


@pytest.fixture(scope="module")
def lasting_environ(tmp_path_factory, starts_processes):
    """Of the tests that only call the daemon."""
    with apart(tmp_path_factory.mktemp("lasting")) as variables:
        yield variables


@pytest.fixture
def lasting(lasting_environ):
    """The module's daemon, which is started again should it have left, and a caller of it."""
    reach(lasting_environ, {"kind": "call"}).socket.close()
    with Caller(lasting_environ) as call:
        yield call


def is_gone(pid):
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_it_leaves_when_nobody_has_come_for_long_enough():
    assert not should_leave(100.0, clients=1, idle_since=0.0, idle_s=10)
    assert not should_leave(9.0, clients=0, idle_since=0.0, idle_s=10)
    assert should_leave(10.0, clients=0, idle_since=0.0, idle_s=10)
    assert (idle_of({"HELIX_IDLE_S": "2.5"}), idle_of({"HELIX_IDLE_S": "soon"}), idle_of({})) == (2.5, 30.0, 30.0)


def test_after_its_last_client_it_leaves_with_all_it_started(environ, project):
    environ = environ | {"HELIX_IDLE_S": "0.3"}
    connection = reach(environ, {"kind": "call"})
    with Caller(environ) as call:
        assert "result" in call("helix.search", question="sign cookie", path=str(project))
        connection.socket.close()
        assert not is_gone(connection.pid)
    until(lambda: is_gone(connection.pid), "the daemon leaves")
    until(lambda: not processes_of(environ), "nothing is left behind")
    assert not place(environ).socket.exists()


def test_it_answers_calls_with_the_same_objects_as_the_command_line(daemon, project, helix):
    called = daemon("helix.packet", question="sign_cookie", path=str(project), task="edit", k=3)["result"]
    printed = json.loads(
        helix("packet", "sign_cookie", "--path", str(project), "--task", "edit", "-k", "3", "--json").stdout
    )
    for answer in (called, printed):
        # The digits of the times are counted as tokens, too.
        answer["accounting"].pop("elapsed_ms")
        answer["accounting"].pop("tokens")
        for item in answer["verified"]:
            item.pop("last_verified_at")
    assert called == printed
    assert daemon("helix.search", question="sign_cookie", path=str(project))["result"]["schema"] == "helix.search/1"
    assert daemon("helix.status", path=str(project))["result"]["fresh"] is True


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"nonsense", "not a call"),
        (b"[]", "not a call"),
        (b"{}", "not a call"),
        (b'{"method": "helix.nothing"}', "there is no such call"),
        (b'{"method": "helix.packet", "params": {"path": "/"}}', "question is missing"),
        (b'{"method": "helix.packet", "params": {"question": "x", "path": "here"}}', "not absolute"),
        (b'{"method": "helix.packet", "params": {"question": "x", "path": "/nowhere/at/all"}}', "does not exist"),
        (
            b'{"method": "helix.search", "params": {"question": "x", "path": "/", "k": "many"}}',
            "k must be a whole number from 1 to 100",
        ),
    ],
)
def test_a_wrong_call_is_answered_with_what_is_wrong_and_the_next_is_served(lasting, line, said):
    reply = lasting.send(line)
    assert said in reply["error"]["message"]
    assert lasting("daemon.status")["result"]["running"] is True


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        ({"protocol": 99, "version": __version__, "kind": "lsp"}, "protocol 2"),
        ({"protocol": 2, "version": "0.0.1", "kind": "call"}, f"version {__version__}"),
        ({"protocol": 2, "version": __version__, "kind": "telnet"}, "lsp and call"),
        ({}, "protocol 2"),
    ],
)
@pytest.mark.usefixtures("lasting")
def test_a_hello_of_another_protocol_version_or_kind_is_refused(lasting_environ, hello, said):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(place(lasting_environ).socket))
        reply = DaemonConnection(peer).exchange(encoded(hello), 60)
    assert reply["ok"] is False
    assert said in reply["error"]


def test_the_command_line_shows_stops_and_logs_it(daemon, helix):
    pid = daemon("daemon.status")["result"]["pid"]
    status = json.loads(helix("daemon", "status", "--json").stdout)
    assert (status["schema"], status["running"], status["pid"]) == ("helix.daemon/1", True, pid)
    assert f"running as {pid}" in helix("daemon").stdout
    stopped = helix("daemon", "stop", "--json")
    assert (stopped.returncode, json.loads(stopped.stdout)["stopped"]) == (0, True)
    until(lambda: is_gone(pid), "the daemon has gone")
    assert json.loads(helix("daemon", "stop", "--json").stdout)["stopped"] is False
    assert json.loads(helix("daemon", "status", "--json").stdout)["running"] is False
    logs = helix("daemon", "logs")
    assert "listening" in logs.stdout
    assert len(json.loads(helix("daemon", "logs", "-n", "1", "--json").stdout)["lines"]) == 1
    assert helix("daemon", "restart").returncode == 2


def test_another_versions_daemon_is_left_alone(environ, daemon, helix):
    script = (
        "import helix_core, runpy, sys; helix_core.__version__ = '99.0';"
        "sys.argv = ['daemon']; runpy.run_module('helix_ls.daemon', run_name='__main__')"
    )
    other = subprocess.Popen([sys.executable, "-c", script], env=environ, cwd=environ["HELIX_RUNTIME_DIR"])
    try:
        folder = place(environ).folder
        until((folder / "helix-2-99.0.sock").exists, "the other version listens")
        assert json.loads(helix("daemon", "status", "--json").stdout)["pid"] != other.pid
        assert helix("daemon", "stop").returncode == 0
        assert other.poll() is None
        assert (folder / "helix-2-99.0.sock").exists()
    finally:
        other.terminate()
        other.wait(60)


def test_a_second_daemon_of_the_version_sees_the_first_and_ends(environ, daemon, monkeypatch):
    script = (
        "import helix_ls.host.daemon as d, runpy; d.LOCK_WAIT_S = 0.1;"
        "runpy.run_module('helix_ls.daemon', run_name='__main__')"
    )
    second = subprocess.run([sys.executable, "-c", script], env=environ, timeout=120, check=False)
    assert second.returncode == 0
    assert daemon("daemon.status")["result"]["running"] is True
    assert "another daemon is running" in place(environ).log.read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(environ, number):
    connection = reach(environ, {"kind": "call"})
    os.kill(connection.pid, number)
    until(lambda: is_gone(connection.pid), "the daemon has gone")
    assert "left" in last_lines(place(environ).log, 1)[0]
    assert not place(environ).socket.exists()
    connection.socket.close()


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_daemon_whose_files_were_removed_ends_and_its_editors_get_another(environ, editor, project, transport):
    environ = environ | {"HELIX_TRANSPORT": transport}
    window = editor(HELIX_TRANSPORT=transport)
    window.begin(project)
    older = window.live("fresh")["server"]["pid"]
    shutil.rmtree(place(environ).folder)
    until(lambda: is_gone(older), "the daemon that nobody finds ends")
    newer = window.live("fresh")["server"]["pid"]
    with Caller(environ) as call:
        assert call("daemon.status")["result"]["pid"] == newer != older


def test_the_end_of_a_daemon_without_its_files_leaves_those_of_the_next(environ, helix):
    older = reach(environ, {"kind": "call"})
    shutil.rmtree(place(environ).folder)
    newer = reach(environ, {"kind": "call"})
    os.kill(older.pid, signal.SIGTERM)
    until(lambda: is_gone(older.pid), "the older daemon has gone")
    assert newer.pid != older.pid
    assert json.loads(helix("daemon", "status", "--json").stdout)["pid"] == newer.pid
    assert json.loads(helix("daemon", "stop", "--json").stdout) | {"log": ""} == {
        "schema": "helix.daemon/1",
        "running": False,
        "log": "",
        "stopped": True,
        "pid": newer.pid,
    }
    for one in (older, newer):
        one.socket.close()


def test_a_daemon_that_nobody_finds_ends_with_a_status_that_a_service_manager_restarts_on(environ):
    where = place(environ)
    process = subprocess.Popen([sys.executable, "-m", "helix_ls.daemon"], env=environ, cwd=where.folder)
    try:
        until(where.socket.exists, "it listens")
        where.socket.unlink()
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.wait()


def test_its_files_are_the_users_alone_and_its_environment_is_small(environ, project):
    before = os.umask(0)
    try:
        connection = reach(environ | {"SECRET_TOKEN": "sesame"}, {"kind": "call"})
    finally:
        os.umask(before)
    with Caller(environ) as call:
        call("helix.search", question="sign cookie", path=str(project))
    for file in place(environ).folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    assert "SECRET_TOKEN" not in psutil.Process(connection.pid).environ()
    assert psutil.Process(connection.pid).cwd() == str(place(environ).folder)
    connection.socket.close()


def test_the_log_holds_nothing_of_questions_files_or_paths(environ, daemon, project):
    daemon("helix.packet", question="where is the sesame of the cookie", path=str(project))
    daemon("helix.packet", question="sesame", path="/sesame")
    daemon("daemon.stop")
    pid = daemon.connection.pid
    until(lambda: is_gone(pid), "the daemon has gone")
    log = place(environ).log.read_text()
    assert "sesame" not in log
    assert str(project) not in log
    assert "a client connected" in log


@pytest.mark.process
def test_an_error_is_logged_by_type_and_place_without_its_message(tmp_path):
    script = (
        "from pathlib import Path; from helix_ls.host.log import open_log, LOG; import threading\n"
        f"open_log(Path({str(tmp_path / 'log')!r}))\n"
        "def fail(): raise ValueError('sesame')\n"
        "try: fail()\n"
        "except ValueError: LOG.exception('caught')\n"
        "t = threading.Thread(target=fail, name='worker'); t.start(); t.join()\n"
        "fail()"
    )
    subprocess.run([sys.executable, "-c", script], timeout=120, check=False)
    log = (tmp_path / "log").read_text()
    assert log.count("ValueError at <string>:3 fail") == 3
    assert "thread worker ended" in log
    assert "sesame" not in log
    assert LOG.name == "helix.daemon"
