"""An interrupt in the middle of a first index keeps what was done, says so, and leaves nobody behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import environment, make_repository, runner
from .terminal import Terminal

pytestmark = pytest.mark.slow

FILES = 1500
CTRL_C = b"\x03"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that takes some seconds to index."""
    text = "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(40))
    files = {f"part{n % 40}/module{n}.py": f"NUMBER = {n}\n\n\n{text}" for n in range(FILES)}
    return make_repository(tmp_path_factory.mktemp("large") / "large", files)


@pytest.mark.process
def test_a_signal_ends_it_with_one_line_and_the_next_run_goes_on(large: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "helix_ls.cli", "index", str(large)],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while process.poll() is None and sum(log.stat().st_size for log in tmp_path.rglob("*.db-wal")) < 1_000_000:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert err.startswith("helix: interrupted; ")
    assert err.count("\n") == 1
    answer = runner(tmp_path)("index", large, "--json").answer
    assert answer["files"] == FILES
    assert 0 < answer["added"] < FILES


@pytest.mark.process
def test_ctrl_c_on_a_terminal_removes_the_bar_and_says_what_is_kept(large: Path, tmp_path: Path) -> None:
    """There the workers get the signal too; none of them may complain."""
    with Terminal(tmp_path, "index", str(large)) as terminal:
        terminal.read_until(f"/{FILES:,}")
        terminal.press(CTRL_C)
        terminal.read_until(None)
        assert terminal.process.wait() == 130
    assert "Traceback" not in terminal.said
    last = terminal.said.rpartition("\x1b[2K")[2]
    assert last.startswith("helix: interrupted; ")
    assert " ".join(last.split()).endswith("are kept; run the same command to continue")
