"""However many start at the same instant, one daemon serves them all."""

import json
import os
import signal
import socket
import subprocess
import sys

import psutil
import pytest

from helix_core import __version__
from helix_ls.host.election import StartError, reach
from helix_ls.host.endpoint import place
from tests.host.clients import until
from tests.host.conftest import processes_of

GO = "import os, sys, json; from helix_ls.host.election import reach; sys.stdin.readline();"
REACH = GO + "c = reach(os.environ, {'kind': 'call'}); print(c.pid, flush=True); sys.stdin.read()"


def daemons(environ):
    """Processes that are, or try to be, the daemon."""
    found = []
    for process in processes_of(environ):
        try:
            if "helix_ls.daemon" in process.cmdline():
                found.append(process)
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("many", [2, 2, 2, 12])
def test_one_daemon_serves_all_who_start_at_the_same_instant(environ, many):
    started = [
        subprocess.Popen([sys.executable, "-c", REACH], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(many)
    ]
    try:
        for one in started:
            one.stdin.write(b"go\n")
            one.stdin.flush()
        pids = {int(one.stdout.readline()) for one in started}
        assert len(pids) == 1
        assert [process.pid for process in daemons(environ)] == list(pids)
    finally:
        for one in started:
            one.stdin.close()
            one.wait(60)
            one.stdout.close()


def test_all_of_many_recover_from_the_daemons_death_with_one_new_one(environ):
    first = reach(environ, {"kind": "call"})
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: first.socket.recv(1) == b"", "the end is heard")
    first.socket.close()
    again = [reach(environ, {"kind": "call"}) for _ in range(5)]
    assert len({one.pid for one in again}) == 1
    assert again[0].pid != first.pid
    for one in again:
        one.socket.close()


def test_a_daemon_that_cannot_start_is_an_error_with_the_log_in_it(environ):
    log = place(environ).log
    with pytest.raises(StartError, match=log.name):
        reach(environ | {"PYTHONPATH": "", "PYTHONHOME": "/nowhere"}, {"kind": "call"}, start_s=1.0)
    assert log.read_text()


def test_a_client_that_can_reach_no_daemon_serves_its_editor_itself(environ, editor, project):
    (place(environ).folder / place(environ).socket.name).mkdir()
    one = editor()
    reply = one.begin(project)
    assert reply["result"]["serverInfo"]["name"]
    assert one.live("fresh")["server"]["mode"] == "solo"
    assert any(
        said.get("method") == "window/logMessage" and "The daemon could not be started" in json.dumps(said)
        for said in one.said
    )


def test_a_daemon_of_the_protocol_before_is_left_to_its_own_clients(environ, helix):
    older = place(environ).folder / f"helix-1-{__version__}.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(older))
        listener.listen()
        listener.setblocking(False)
        connection = reach(environ, {"kind": "call"})
        assert connection.version == __version__
        connection.socket.close()
        assert helix("daemon", "stop").returncode == 0
        with pytest.raises(BlockingIOError):
            listener.accept()
        assert older.exists()
