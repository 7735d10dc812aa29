"""A client that asked about the memory is told when to ask again: after a write of anybody, and after an edit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import StartWire
from tests.lsp.wire import Wire, environment

METHOD = "helix/memory"


def told_of(wire: Wire, project: Path, since: int) -> None:
    wire.until_told(METHOD, lambda params: params == {"workspace": project.as_uri()}, since=since)


def remember(wire: Wire, text: str, **more: Any) -> dict[str, Any]:
    item: dict[str, Any] = wire.command("helix.memory.remember", {"text": text, "origin": "user", **more})["items"][0]
    return item


def listed(wire: Wire) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = wire.command("helix.memory.list", {"verify": True})["items"]
    return items


@pytest.mark.slow
def test_a_client_that_lists_memories_is_told_of_every_change(start: StartWire, project: Path, tmp_path: Path) -> None:
    wire = start()
    wire.initialize(project)
    wire.until_fresh(project)
    assert listed(wire) == []

    began = len(wire.heard)
    one = remember(wire, "We decided that cookies are signed with the oldest key.", cites=["app/sessions.py:1-3"])
    told_of(wire, project, began)
    assert listed(wire)[0]["verdict"]["status"] == "verified"

    began = len(wire.heard)
    code = project / "app/sessions.py"
    code.write_text("import os\n" + "\n".join(f"{line}  # edited" for line in code.read_text().splitlines()) + "\n")
    told_of(wire, project, began)
    assert listed(wire)[0]["verdict"]["status"] == "needs_refresh"

    # Another process writes the same file: the command line.
    began = len(wire.heard)
    home = wire.errors.parent
    command = [sys.executable, "-m", "helix_ls.cli", "forget", one["id"], "--path", str(project)]
    subprocess.run(command, env=environment(home), check=True, capture_output=True, cwd=tmp_path)
    told_of(wire, project, began)
    assert listed(wire) == []


@pytest.mark.slow
def test_a_client_that_never_asked_about_the_memory_is_told_nothing(start: StartWire, project: Path) -> None:
    wire = start()
    wire.initialize(project)
    wire.until_fresh(project)
    remember(wire, "We decided that cookies are signed with the oldest key.")
    (project / "app/extra.py").write_text("EXTRA = 1\n")
    wire.command("helix.index.refresh", {})
    assert wire.told(METHOD) == []
    assert len(listed(wire)) == 1


def underlined(wire: Wire, file: Path) -> list[dict[str, Any]]:
    report = wire.result("textDocument/diagnostic", {"textDocument": {"uri": file.as_uri()}})
    return [one for one in report["items"] if one["code"] == "stale_memory"]


def test_lines_that_a_memory_cites_are_underlined_once_they_are_not_as_they_were(
    start: StartWire, project: Path
) -> None:
    wire = start()
    wire.initialize(project, capabilities={"textDocument": {"diagnostic": {"dynamicRegistration": True}}})
    wire.until_fresh(project)
    code = project / "app/sessions.py"
    before = code.read_text()
    cited = next(n for n, line in enumerate(before.splitlines(), 1) if line.startswith("def "))
    text = "We decided that cookies are signed with the oldest key."
    one = remember(wire, text, cites=[f"app/sessions.py:{cited}-{cited + 2}"])
    uri = wire.open(code)
    assert underlined(wire, code) == []
    lines = before.splitlines()
    lines[cited] = "    raise NotImplementedError"
    wire.change(uri, "\n".join(lines) + "\n")
    (found,) = underlined(wire, code)
    assert (found["severity"], found["data"]["memory"]) == (3, one["id"])
    assert one["id"] in found["message"] and text in found["message"]
    wire.change(uri, before, 3)
    assert underlined(wire, code) == []
    wire.change(uri, "", 4)
    assert [each["range"]["start"]["line"] for each in underlined(wire, code)] == [0]
    wire.command("helix.memory.forget", {"id": one["id"]})
    assert underlined(wire, code) == []
