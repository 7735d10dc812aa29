"""Every process a window's server starts, by name: workers of its own, and git with its hands tied."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path

import psutil
import pytest

from tests.lsp.conftest import StartWire

# What git may be asked: each of them only reads, as it is asked here.
READING = {
    "rev-parse",
    "symbolic-ref",
    "ls-files",
    "check-ignore",
    "log",
    "blame",
    "cat-file",
    "config",
    "version",
    "diff",
}
TIED = (
    *("--no-optional-locks", "--no-pager", "core.hooksPath=/dev/null", "core.fsmonitor=", "diff.external= "),
    *("protocol.allow=never", "safe.bareRepository=explicit", "gpg.program=false", "log.showSignature=false"),
)


class Seen:
    """The command lines of everything below a process, looked at all the time."""

    def __init__(self, pid: int) -> None:
        self.commands: set[tuple[str, ...]] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, args=(psutil.Process(pid),))
        self._thread.start()

    def _look(self, process: psutil.Process) -> None:
        while not self._over.wait(0.01):
            try:
                for child in process.children(recursive=True):
                    self.commands.add(tuple(child.cmdline()))
            except psutil.Error:
                continue

    def stop(self) -> set[tuple[str, ...]]:
        self._over.set()
        self._thread.join()
        return {command for command in self.commands if command}


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [True, False])
def test_only_workers_of_our_own_and_reading_git_are_started(
    start: StartWire, project: Path, tmp_path: Path, trusted: bool
) -> None:
    programs, asked = tmp_path / "programs", tmp_path / "asked"
    programs.mkdir()
    real = shutil.which("git")
    (programs / "git").write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {asked}\nexec {real} "$@"\n')
    (programs / "git").chmod(0o755)
    wire = start(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    seen = Seen(wire.process.pid)
    try:
        wire.initialize(project, trusted=trusted, codeLens=True)
        wire.until_fresh(project)
        uri = wire.open(project / "app/sessions.py")
        where = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 6}}
        wire.result("textDocument/hover", where)
        wire.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        wire.change(uri, "changed = 1\n")
        for question in ("sign_cookie", "how is a route matched?"):
            wire.command("helix.packet", {"question": question, "task": "edit", "open": True})
        wire.command("helix.explain", {"source_id": "docs/sessions.md", "start_line": 1, "end_line": 3})
        wire.command("helix.index.rebuild")
        wire.command("helix.status")
    finally:
        commands = seen.stop()
    git = asked.read_text().splitlines()
    assert len(git) > 3
    for line in git:
        if line not in ("version", "--version"):
            assert all(tied in line for tied in TIED), line
            what, *details = line.split(f" -C {project} ")[1].split()
            assert what in READING, line
            assert what != "diff" or {"--no-ext-diff", "--no-textconv", "--ignore-submodules=all"} <= set(details), line
            assert what != "config" or {"--get", "--get-all", "--get-regexp", "--list", "-l"} & set(details), line
            assert what != "symbolic-ref" or len([each for each in details if each[0] != "-"]) == 1, line
    others = {command for command in commands if "git" not in os.path.basename(command[0])}
    own = {command for command in others if command[0] == sys.executable}
    assert any({"helix_ls.host.child", "index"} <= set(command) for command in own)
    assert {command for command in others - own if str(programs / "git") not in command} == set()
    for command in own:
        assert {"-m", "-c"} & set(command), command
