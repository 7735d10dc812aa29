"""A daemon that was stopped, as by a machine that sleeps or a debugger, catches up with all it has not heard."""

import os
import signal

import pytest

from helix_core.engine import Helix
from tests.host.clients import Caller, until
from tests.host.opened import cold_digest

FILES = 200
ROUNDS = 50


@pytest.mark.slow
def test_ten_thousand_saves_while_it_was_stopped_are_all_in_the_index_soon(
    project, tmp_path, environ, editor, monkeypatch
):
    def rewrite(round_):
        for number in range(FILES):
            (project / f"app/s{number}.py").write_text(f"def saved_{number}_{round_}():\n    return {round_}\n")

    rewrite(0)
    window = editor()
    window.begin(project)
    window.live("fresh")
    with Caller(environ) as call:
        pid = call("daemon.status")["result"]["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        for round_ in range(1, ROUNDS + 1):
            rewrite(round_)
    finally:
        os.kill(pid, signal.SIGCONT)
    with Caller(environ) as call:
        packet = call("helix.packet", question=f"saved_7_{ROUNDS}", path=str(project), task="edit")["result"]
        quotes = "".join(item["quote"] for item in packet["verified"])
        assert "saved_7_0" not in quotes
        until(lambda: call("helix.status", path=str(project))["result"]["fresh"], "the index is level with the disk")
        found = call("helix.search", question=f"saved_199_{ROUNDS}", path=str(project))["result"]["items"]
        assert found[0]["source_id"] == "app/s199.py"
    monkeypatch.setenv("HELIX_CACHE_DIR", environ["HELIX_CACHE_DIR"])
    with Helix.open(project) as helix:
        assert helix.digest() == cold_digest(project, tmp_path / "cold")
