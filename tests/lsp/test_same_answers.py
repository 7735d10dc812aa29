"""The commands of the language server answer with the objects of the command line, field for field."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.wire import Wire, environment

pytestmark = pytest.mark.slow

# What differs between any two runs; the digits of times are counted as tokens too.
MOMENTARY = {"elapsed_ms", "tokens", "last_verified_at", "size_bytes"}


def still(value: Any) -> Any:
    """The answer without what only says when it was given."""
    if isinstance(value, dict):
        return {name: still(each) for name, each in value.items() if name not in MOMENTARY}
    return [still(each) for each in value] if isinstance(value, list) else value


@pytest.fixture
def window(visited: Wire) -> Wire:
    visited.command("helix.index.refresh")
    return visited


def printed(wire: Wire, *arguments: str) -> Any:
    """What the command says, with the same index."""
    home = wire.errors.parent
    done = subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", *arguments, "--json"],
        env=environment(home),
        cwd=home,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("task", ["explain", "edit"])
@pytest.mark.parametrize("question", ["sign_cookie", "how is a route matched?", "nothing of the kind zzqx"])
def test_packets(window: Wire, project: Path, question: str, task: str) -> None:
    told = window.command("helix.packet", {"question": question, "task": task, "k": 4})
    shown = printed(window, "packet", question, "--path", str(project), "--task", task, "-k", "4")
    assert still(told) == still(shown)


def test_searches(window: Wire, project: Path) -> None:
    told = window.command("helix.search", {"question": "cookie", "k": 3})
    assert still(told) == still(printed(window, "search", "cookie", "--path", str(project), "-k", "3"))


def test_the_status_with_what_is_live_beside_it(window: Wire, project: Path) -> None:
    told = window.command("helix.status")
    assert told.pop("live")["state"] == "fresh"
    assert still(told) == still(printed(window, "status", str(project)))


def test_the_doctor(window: Wire, project: Path) -> None:
    told, shown = window.command("helix.doctor"), printed(window, "doctor", str(project))
    assert [each["name"] for each in told["checks"]] == [each["name"] for each in shown["checks"]]
    assert (told["schema"], told["ok"], set(told)) == (shown["schema"], shown["ok"], set(shown))


@pytest.mark.parametrize(("command", "arguments"), [("refresh", ()), ("rebuild", ("--rebuild",))])
def test_refreshes_and_rebuilds(window: Wire, project: Path, command: str, arguments: tuple[str, ...]) -> None:
    told = window.command(f"helix.index.{command}")
    assert still(told) == still(printed(window, "index", str(project), *arguments))
