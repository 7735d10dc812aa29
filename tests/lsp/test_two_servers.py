"""Two servers that know nothing of each other on one workspace and one index: both answer, and the index is whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lsp.conftest import StartWire

pytestmark = pytest.mark.slow


def test_two_servers_on_one_index_both_answer_while_both_write(start: StartWire, project: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "shared-cache")
    wires = [start(HELIX_CACHE_DIR=cache) for _ in range(2)]
    for wire in wires:
        wire.initialize(project)
    for wire in wires:
        wire.until_fresh(project)
    file = project / "app/sessions.py"
    uris = [wire.open(file) for wire in wires]
    hover = {"position": {"line": 5, "character": 6}}
    for number in range(12):
        (project / f"app/new_{number}.py").write_text(f"def made_{number}():\n    return {number}\n")
        for wire, uri in zip(wires, uris, strict=True):
            assert wire.result("textDocument/hover", {"textDocument": {"uri": uri}, **hover})
            if number % 4 == 0:
                wire.command("helix.index.refresh")
            found = wire.command("helix.packet", {"question": "sign_cookie", "task": "edit"})
            assert any(item["source_id"] == "app/sessions.py" for item in found["verified"])
    for wire in wires:
        wire.command("helix.index.refresh")
        assert wire.command("helix.status")["fresh"] is True
        assert wire.command("helix.search", {"question": "made_11"})["items"][0]["source_id"] == "app/new_11.py"
        said = (json.dumps(wire.heard) + wire.errors.read_text()).lower()
        assert "locked" not in said
        assert not [told for told in wire.told("helix/status") if told["state"] == "error"]
