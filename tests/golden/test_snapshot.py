"""Nothing that a client relies on changes unseen: every surface's answers are compared with those of a snapshot.

``HELIX_GOLDEN=write pytest tests/golden`` renews the snapshot; the difference is then part of the commit to review.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.golden import surfaces
from tests.lsp.wire import Wire
from tests.mcp.conftest import apart
from tests.proxy.conftest import Server
from tests.proxy.upstream import Upstream

pytestmark = pytest.mark.process

HERE = Path(__file__).parent
LONGEST = 80


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables for processes that know nothing of the user."""
    (tmp_path / "home").mkdir()
    with apart(tmp_path) as variables:
        kept = {name: value for name, value in variables.items() if name.startswith(("HELIX_", "PYTHONPATH", "PATH"))}
        yield kept | {"HOME": str(tmp_path / "home"), "HELIX_STATE_DIR": str(tmp_path / "state"), "LANG": "C.UTF-8"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The fixed tree."""
    return surfaces.project(tmp_path / "project")


def compare(surface: str, answers: Iterator[tuple[str, Any]], comparable: surfaces.Comparable) -> None:
    """Hold the answers against the snapshot, or write it."""
    found = {comparable.text(asked): comparable.value(said) for asked, said in answers}
    text = json.dumps(found, indent=1, sort_keys=False, ensure_ascii=False) + "\n"
    file = HERE / f"{surface}.json"
    if os.environ.get("HELIX_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    kept = file.read_text(encoding="utf-8")
    changes = list(difflib.unified_diff(kept.splitlines(), text.splitlines(), "snapshot", "now", lineterm="", n=2))
    assert kept == text, "\n".join(changes[:LONGEST])


def test_the_command_line_answers_as_before(environ: dict[str, str], project: Path, tmp_path: Path) -> None:
    comparable = surfaces.Comparable(project=project, folder=tmp_path)
    compare("command_line", surfaces.command_line(environ, project, tmp_path), comparable)


def test_agents_are_answered_as_before(environ: dict[str, str], project: Path, tmp_path: Path) -> None:
    compare("agents", surfaces.agents(environ, project), surfaces.Comparable(project=project, folder=tmp_path))


def test_http_answers_as_before(environ: dict[str, str], project: Path, tmp_path: Path) -> None:
    upstream = Upstream()
    server = Server(environ | {"HELIX_UPSTREAM": upstream.base, "HELIX_UPSTREAM_KEY": "sk-test"}, project)
    try:
        comparable = surfaces.Comparable(project=project, folder=tmp_path)
        compare("http", surfaces.http(server, project), comparable)
    finally:
        server.close()
        upstream.close()


def test_the_language_server_answers_as_before(project: Path, tmp_path: Path) -> None:
    wire = Wire(tmp_path / "home", "-m", "helix_ls.lsp")
    try:
        compare("editor", surfaces.editor(wire, project), surfaces.Comparable(project=project, folder=tmp_path))
    finally:
        wire.close()
