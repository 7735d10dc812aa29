"""The example of the documentation is run, and prints what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
STARTED = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
VARYING = (
    (re.compile(r"\b[0-9a-f]{8}\b"), "<commit>"),
    (re.compile(r"about [\d,]+ tokens · [\d,.]+ m?s"), "<cost>"),
)


def constant(text: str) -> list[str]:
    """The lines without what differs from run to run."""
    for pattern, marker in VARYING:
        text = pattern.sub(marker, text)
    return [line.rstrip() for line in text.strip().splitlines()]


@pytest.mark.process
def test_getting_started_prints_what_it_shows(tmp_path: Path) -> None:
    part = STARTED.split("## See a verdict change")[1].split("\n## ")[0]
    blocks = re.findall(r"^```\n(.*?)^```", part, re.DOTALL | re.MULTILINE)
    (*steps, shown) = blocks
    command, _, expected = shown.partition("\n")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("HELIX_", "GIT_"))} | {
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "HELIX_CACHE_DIR": str(tmp_path / "cache"),
        "HELIX_DATA_DIR": str(tmp_path / "data"),
        "HELIX_CONFIG": str(tmp_path / "none.toml"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "You",
        "GIT_AUTHOR_EMAIL": "you@example.com",
        "GIT_COMMITTER_NAME": "You",
        "GIT_COMMITTER_EMAIL": "you@example.com",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    script = "set -e\n" + steps[0] + "\n".join(steps[1:])
    subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environ, check=True, capture_output=True)
    asked = command.removeprefix("$ ")
    done = subprocess.run(
        ["bash", "-c", asked], cwd=tmp_path / "shop", env=environ, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert constant(done.stdout) == constant(expected)


def test_the_readme_shows_lines_of_the_same_example() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(
        block for block in re.findall(r"^```\n(.*?)^```", readme, re.DOTALL | re.MULTILINE) if "$ helix" in block
    )
    lines = [line for line in shown.splitlines() if line != "…"]
    assert len(lines) > 5
    assert [line for line in lines if line not in STARTED.splitlines()] == []


def test_the_picture_of_the_terminal_shows_the_same_example() -> None:
    """Draw it again by docs/terminal.py where this fails."""
    drawn: dict[float, str] = {}
    for text in ElementTree.parse(ROOT / "docs" / "pictures" / "terminal.svg").iter("{http://www.w3.org/2000/svg}text"):
        if "textLength" in text.attrib:
            row, column = float(text.attrib["y"]), round(float(text.attrib["x"]) / 12.2)
            drawn[row] = drawn.get(row, "").ljust(column) + (text.text or "").replace("\N{NO-BREAK SPACE}", " ").rstrip(
                "\n"
            )
    shown = re.search(r"^```\n(\$ helix packet.*?)^```", STARTED, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert constant("\n".join(drawn[row] for row in sorted(drawn))) == constant(shown[1])
