"""Files of any name: what the client calls them, Helix answers about, and every address it gives leads back."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import pytest

from tests.lsp.conftest import StartWire, make_project
from tests.lsp.wire import Wire

NAMES = [
    b"caf\xe9.py",
    b"two\nlines.py",
    b"-dash.py",
    b":(glob)x.py",
    b"50% #1?.py",
    b"%41.py",
    b"[link](x).py",
    *(unicodedata.normalize(form, "naïve.py").encode() for form in ("NFC", "NFD")),
]


@pytest.fixture
def named(start: StartWire, tmp_path: Path) -> tuple[Wire, Path]:
    project = make_project(tmp_path / "project")
    for number, name in enumerate(NAMES):
        (project / os.fsdecode(name)).write_text(f"def odd_{number}():\n    return {number}\n")
    wire = start()
    wire.initialize(project, capabilities={"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    wire.until_fresh(project)
    return wire, project


@pytest.mark.slow
def test_every_name_goes_to_the_server_and_back(named: tuple[Wire, Path]) -> None:
    wire, project = named
    for number, name in enumerate(NAMES):
        uri = f"{project.as_uri()}/{quote(name)}"
        item = {"uri": uri, "languageId": "python", "version": 1, "text": f"def odd_{number}():\n    return {number}\n"}
        wire.notify("textDocument/didOpen", {"textDocument": item})
        where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}}
        assert wire.result("textDocument/hover", where), name
        found = wire.command("helix.symbol", {"name": f"odd_{number}"})["definitions"][0]
        assert unquote_to_bytes(found["uri"].removeprefix("file://")) == os.fsencode(project) + b"/" + name
        first = wire.command("helix.packet", {"question": f"odd_{number}", "task": "edit"})["verified"][0]
        assert unquote_to_bytes(first["uri"].removeprefix("file://")) == os.fsencode(project) + b"/" + name
        span = {"source_id": first["source_id"], "start_line": 1, "end_line": 2}
        assert wire.command("helix.explain", span)["status"] == "verified", name


@pytest.mark.slow
def test_a_save_of_every_name_is_followed(named: tuple[Wire, Path]) -> None:
    wire, project = named
    for number, name in enumerate(NAMES):
        (project / os.fsdecode(name)).write_text(f"def saved_{number}():\n    return {number}\n")
        uri = f"{project.as_uri()}/{quote(name)}"
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
    wire.command("helix.index.refresh")
    for number, name in enumerate(NAMES):
        found = wire.command("helix.symbol", {"name": f"saved_{number}"})["definitions"][0]
        assert unquote_to_bytes(found["uri"].removeprefix("file://")).endswith(b"/" + name)
        assert wire.command("helix.symbol", {"name": f"odd_{number}"}) is None
