"""Helix reaches no other machine: no test of the suite may, and a whole short life passes where there is no network."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import OFFLINE, is_here

ROOT = Path(__file__).parents[1]
LIFE = """
import fcntl, json, os, socket, struct, subprocess, sys, time

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as each:
    fcntl.ioctl(each, 0x8914, struct.pack("16sh", b"lo", 1))  # SIOCSIFFLAGS: IFF_UP
    try:
        each.connect(("192.0.2.1", 9))
    except OSError:
        pass
    else:
        sys.exit("there is a network here")

def helix(*arguments, stdin=None):
    command = [sys.executable, "-m", "helix_ls.cli", *arguments]
    ran = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)
    if ran.returncode:
        sys.exit(f"{arguments}: {ran.returncode} {ran.stderr}")
    return ran.stdout

said = {"index": json.loads(helix("index", "--json"))}
said["packet"] = json.loads(helix("packet", "how is the session cookie signed?", "--json"))
kept = json.loads(helix("remember", "Sessions are signed with Ed25519", "--cite", "app/sessions.py:1-3", "--json"))
said["recall"] = json.loads(helix("recall", "how are sessions signed?", "--json"))
said["export"] = json.loads(helix("strand", "export", "all.dna", "--recovery", "--json"))
server = subprocess.Popen(
    [sys.executable, "-m", "helix_ls.cli", "serve", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True
)
said["serve"] = json.loads(server.stdout.readline())
server.terminate()
server.wait(60)
daemon = json.loads(helix("daemon", "status", "--json"))
helix("daemon", "stop")
print(json.dumps(said))
"""


@pytest.mark.parametrize(
    "address", [("127.0.0.1", 80), ("::1", 80, 0, 0), ("localhost", 1), "/run/a.sock", None, ("",)]
)
def test_an_address_of_this_machine_is_here(address: object) -> None:
    assert is_here(address)


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0), ("::ffff:192.0.2.1", 80, 0, 0)])
def test_another_machine_is_refused_by_the_guard_of_every_test(address: tuple[object, ...]) -> None:
    assert not is_here(address) and not is_here(("example.invalid", 80))
    family = socket.AF_INET6 if ":" in str(address[0]) else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as each, pytest.raises(PermissionError, match="no other machine"):
        each.connect(address)
    with pytest.raises(PermissionError, match="no other machine"):
        socket.getaddrinfo("example.invalid", 80)
    # Here it was meant; any other test would fail for it, also where it swallowed the error.
    assert len(OFFLINE.refused) == 2
    OFFLINE.refused.clear()


@pytest.mark.slow
@pytest.mark.process
def test_a_whole_short_life_passes_where_there_is_no_network(tmp_path: Path) -> None:
    import json

    from tests.mcp.conftest import apart, repository

    unshare = shutil.which("unshare")
    tried = unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False)
    if not tried or tried.returncode:
        why = "there is no unshare" if not tried else tried.stderr.decode().strip()
        pytest.skip(f"a namespace without a network cannot be made here: {why}")
    project = repository(tmp_path / "project")
    with apart(tmp_path) as environ:
        environ |= {"HELIX_STATE_DIR": str(tmp_path / "state"), "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
        command = [str(unshare), "-rn", sys.executable, "-c", LIFE]
        ran = subprocess.run(
            command, env=environ, cwd=project, capture_output=True, text=True, timeout=400, check=False
        )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["packet"]["verified"][0]["source_id"] == "app/sessions.py"
    (memory,) = said["recall"]["items"]
    assert (memory["text"], memory["status"]) == ("Sessions are signed with Ed25519", "verified")
    assert said["export"]["exported"] and os.path.getsize(project / "all.dna") == said["export"]["size_bytes"]
    assert said["serve"]["url"].startswith("http://127.0.0.1:")
