"""The bench of documents finds a statement that the code left, holds it against its verdict, and can fail."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.repository import git, write

BENCH = Path(__file__).parents[2] / "benchmarks" / "documents.py"
CODE = "def ring_bell(times):\n    return times\n\n\ndef open_gate(key):\n    return key\n"


@pytest.fixture
def project(tmp_path):
    """A statement goes wrong on the second day, another is mended on the fourth; two change together on the last."""
    folder = tmp_path / "gates"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    guide = "# Gates\n\nCall `ring_bell(2)`.\n\nThen `open_gate()` opens it.\n"
    days = [
        {"app/gate.py": CODE, "docs/gate.md": guide},
        {"app/gate.py": CODE.replace("(times)", "(times, pause)")},
        {"app/gate.py": CODE.replace("(times)", "(times, pause)").replace("open_gate", "unlock_gate")},
        {"docs/gate.md": guide.replace("open_gate", "unlock_gate")},
        {"app/bell.py": "def bell_tower(rope): ...\n", "docs/bell.md": "# Bell\n\n`bell_tower(rope)` stands.\n"},
        {"app/bell.py": "def bell_tower(): ...\n", "docs/bell.md": "# Bells\n\n`bell_tower(rope)` stands.\n"},
    ]
    for number, files in enumerate(days, 1):
        write(folder, files)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"Day {number}", date=f"2024-01-0{number}T12:00:00Z")
    return folder


def ran(project, *arguments):
    done = subprocess.run(
        [sys.executable, str(BENCH), str(project), "--states", "2", "--together", "2", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.process
def test_precision_recall_and_documents_changed_together(project, tmp_path):
    sheet, judged = tmp_path / "sheet.jsonl", tmp_path / "judged"
    judged.mkdir()
    code, said, errors = ran(project, "--sheet", sheet, "--judged", judged)
    assert code == 1, errors
    assert "no verdict" in said, errors
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert [(row["path"], row["line"], row["change"], row["symbol"]) for row in rows] == [
        ("docs/gate.md", 3, "signature_changed", "ring_bell")
    ]
    assert "recall 1.00" in said and "(1/1)" in said
    assert "together 0 of 2" in said
    for verdict, status in (("right", 0), ("wrong", 1)):
        lines = [json.dumps({**row, "verdict": verdict, "reason": "asks for a pause now"}) for row in rows]
        (judged / "gates.jsonl").write_text("\n".join(lines))
        code, said, errors = ran(project, "--judged", judged)
        assert code == status, said + errors
        assert f"wrong {status}" in said
