"""Processes that die while they work: the daemon and commands by a file that breaks their parser, or by a signal."""

import os
import signal

import pytest

from helix_core.engine import Helix
from helix_ls.host.endpoint import place
from tests.host.clients import Caller, until
from tests.host.opened import cold_digest

BREAKS = """
import importlib.machinery, os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != "helix_core.ingest.document":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def execute_and_change(module):
            execute(module)
            real = module.ingest

            def ingest(path, data, **more):
                if b"BREAKS THE PARSER" in data:
                    os.abort()
                return real(path, data, **more)

            module.ingest = ingest

        spec.loader.exec_module = execute_and_change
        return spec

sys.meta_path.insert(0, Finder())
"""


def daemon_facts(environ):
    with Caller(environ) as call:
        return call("daemon.status")["result"]


def test_a_file_that_kills_the_daemon_kills_it_once(project, tmp_path, environ, editor):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook/sitecustomize.py").write_text(BREAKS)
    environ |= {"PYTHONPATH": str(tmp_path / "hook")}
    window = editor(PYTHONPATH=environ["PYTHONPATH"])
    window.begin(project)
    window.live("fresh")
    first = daemon_facts(environ)["pid"]
    (project / "app/poison.py").write_text("# BREAKS THE PARSER\ndef poison():\n    return 1\n")
    until(lambda: "died while parsing" in place(environ).log.read_text(), "the next daemon knows what of")
    window.live("incomplete")
    second = daemon_facts(environ)["pid"]
    assert second != first
    (project / "app/poison.py").touch()
    (project / "app/healthy.py").write_text("def healthy():\n    return 1\n")

    def found():
        with Caller(environ) as call:
            items = call("helix.search", question="healthy", path=str(project))["result"]["items"]
        return items and items[0]["source_id"] == "app/healthy.py"

    until(found, "work goes on")
    with Caller(environ) as call:
        skipped = call("helix.status", path=str(project), skipped=True)["result"]["skipped_files"]
    assert {"source_id": "app/poison.py", "reason": "quarantined"} in skipped
    assert daemon_facts(environ)["pid"] == second


def test_a_file_that_kills_a_command_kills_two_and_the_third_answers_without_it(project, tmp_path, helix):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook/sitecustomize.py").write_text(BREAKS)
    assert helix("index", project).returncode == 0
    (project / "app/poison.py").write_text("# BREAKS THE PARSER\ndef poison():\n    return 1\n")

    def search():
        return helix("search", "sign_cookie", "--path", project, PYTHONPATH=str(tmp_path / "hook"))

    assert [search().returncode for _ in range(2)] == [-signal.SIGABRT, -signal.SIGABRT]
    answered = search()
    assert answered.returncode == 0
    assert "app/sessions.py" in answered.stdout
    assert "poison.py" in answered.stdout
    (project / "app/poison.py").write_text("def poison():\n    return 1\n")
    assert "set aside" not in search().stdout


@pytest.mark.slow
def test_a_daemon_killed_in_the_middle_of_the_first_index_loses_nothing(
    project, tmp_path, environ, editor, monkeypatch
):
    for number in range(900):
        (project / f"many{number}.py").write_text(f"def function_{number}():\n    return {number}\n" * 20)
    window = editor()
    window.begin(project)

    def is_under_way():
        # On a fast machine the whole of it may pass between two looks.
        return any(one["done"] > 5 or one["state"] == "fresh" for one in daemon_facts(environ)["workspaces"])

    until(is_under_way, "some files are done")
    os.kill(daemon_facts(environ)["pid"], signal.SIGKILL)
    window.live("starting")
    window.live("fresh")
    monkeypatch.setenv("HELIX_CACHE_DIR", environ["HELIX_CACHE_DIR"])
    with Helix.open(project) as helix:
        assert helix.digest() == cold_digest(project, tmp_path / "cold")
