"""Asked while ``helix serve`` indexes a folder for the first time: every answer says what it has not searched yet."""

import json
import subprocess
import sys

import pytest
from filelock import FileLock

from tests.engine.repository import FILES, git, write
from tests.host.clients import until
from tests.mcp.conftest import repository
from tests.proxy.test_context import chat

WHERE = "where are vault letters sealed? see vault_letters.py"
MISSING = "app/vault_letters.py"
# Index ten files, all but the missing one, as a first refresh that was killed.
CUT_SHORT = """
import sys
from pathlib import Path

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.indexing.intake import Intake
from helix_core.engine.indexing.refresh import Refresh

fresh = Intake._fresh_files


def some(self, entries):
    yield from fresh(self, [entry for entry in entries if entry.path != sys.argv[2].encode()][:10])


def end(*_):
    raise KeyboardInterrupt


Intake._fresh_files, Refresh._remember_history = some, end
folder = Path(sys.argv[1])
with Helix.open(folder, config=load_config(folder)) as helix:
    try:
        helix.refresh()
    except KeyboardInterrupt:
        print(helix.status()["index"]["path"])
"""


@pytest.fixture
def half(environ, tmp_path):
    """A folder, and the lock of its index, of which a quarter is made."""
    folder = repository(tmp_path / "half")
    files = {f"app/many_{number:02}.py": f"def handle_{number}(letter):\n    return letter\n" for number in range(30)}
    write(folder, {**files, MISSING: 'def seal_letter(vault):\n    """Vault letters are sealed here."""\n'})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "More")
    command = [sys.executable, "-c", CUT_SHORT, str(folder), MISSING]
    made = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return folder, FileLock(made.stdout.strip().removesuffix(".db") + ".lock")


def test_a_server_is_found_and_says_what_it_does_while_it_indexes(environ, half):
    folder, lock = half
    connect = [sys.executable, "-m", "helix_ls.cli", "connect", "openai", "--json", "--path", str(folder)]
    with lock:
        server = subprocess.Popen(
            [sys.executable, "-m", "helix_ls.cli", "serve", str(folder), "--port", "0", "--json"],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with server:
            note = next(line for line in server.stderr if "still being brought up to date" in line)
            connected = subprocess.run(connect, env=environ, capture_output=True, text=True, check=True)
            url = json.loads(connected.stdout)["base_url"].removesuffix("/v1")
            assert url in note and str(folder) in note
            server.terminate()
            assert "url" not in server.stdout.read()


@pytest.mark.slow
def test_chats_and_packets_during_the_first_index_say_so_and_are_right_afterwards(start, half, upstream):
    folder, lock = half
    listed = len(FILES) + 31
    with lock:
        server = start(folder)
        with server.http() as client:
            packet = client.post("/context/packet", json={"query": WHERE}).json()
            window = client.post("/context", json={"query": WHERE, "format": "helix", "budget_tokens": 2000}).json()
        messages = [{"role": "user", "content": f"{WHERE} Read the workspace."}]
        _, answer = chat(server, messages)
        evidence = upstream.bodies()[0]["messages"][0]["content"]
    share = packet["accounting"]["indexed_share"]
    assert 0 < share < 0.5
    assert packet["coordinate_confidence"] <= share
    for notes in (packet["notes"], window["notes"]):
        (note,) = [note for note in notes if "not complete yet" in note]
        assert f"of {listed} files" in note
    (item,) = [item for item in packet["needs_refresh"] if item["source_id"] == MISSING]
    assert (item["reason"], item["quote"]) == ("not_indexed", "")
    assert [one for one in packet["refresh_targets"] if one["source_id"] == MISSING]
    assert window["indexed_share"] == pytest.approx(share, abs=1e-3)
    assert answer.headers["x-helix-context"] == "added"
    assert f"of {listed} files" in evidence and MISSING in evidence and "needs refresh" in evidence

    def is_whole():
        with server.http() as client:
            return client.post("/context/packet", json={"query": WHERE}).json()["accounting"]["indexed_share"] == 1

    until(is_whole, "the server takes in the rest once it may")
    upstream.forget()
    with server.http() as client:
        packet = client.post("/context/packet", json={"query": WHERE}).json()
    _, answer = chat(server, [{"role": "user", "content": WHERE}])
    evidence = upstream.bodies()[0]["messages"][0]["content"]
    assert packet["coordinate_confidence"] > share
    assert packet["verified"][0]["source_id"] == MISSING
    assert not [note for note in packet["notes"] if "not complete" in note]
    assert "def seal_letter(vault)" in evidence and "not complete" not in evidence
