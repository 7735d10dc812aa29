"""Is every file taken in where the indexer hardly runs? A first index under a CPU quota, and one beside busy loops.

    python benchmarks/starved.py PROJECT... [--quota 2] [--loops 8] [--python PATH] [--gate]

Each PROJECT is indexed by ``helix index`` in a cache of its own: once with so many per cent of one processor for it and
all its processes, and once beside that many busy loops at nice 0. The quota is a control group's (v1 or v2) where one
can be made; elsewhere all processes are stopped and continued in turn. A file is lost when it counts and has no items.
With --gate one lost file, or an answer that is silent about one, ends the run with 1. --python runs another version.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))

from processes import busy_loops

LONGEST_S = 3_000.0
PERIOD_S = 0.1
GROUPS = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one first index left."""

    files: int
    lost: int
    is_told: bool
    wall_s: float


class Quota:
    """So many per cent of one processor for a process and all it starts. Use as a context; ``kind`` says how."""

    def __init__(self, percent: float) -> None:
        self._percent = percent
        self._group: Path | None = None
        self.kind = "stop and continue"

    def __enter__(self) -> Quota:
        for base in GROUPS:
            group, quota_us = base / f"helix-starved-{os.getpid()}", int(self._percent * 1_000)
            with suppress(OSError):
                group.mkdir()
                self._group = group
                if (group / "cpu.cfs_quota_us").exists():
                    (group / "cpu.cfs_period_us").write_text("100000")
                    (group / "cpu.cfs_quota_us").write_text(str(quota_us))
                else:
                    (group / "cpu.max").write_text(f"{quota_us} 100000")
                self.kind = "control group"
                return self
            self.__exit__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._group is not None:
            with suppress(OSError):
                self._group.rmdir()
            self._group = None

    def enter(self) -> None:
        """In the child, before it becomes the program."""
        if self._group is not None:
            (self._group / "cgroup.procs").write_text(str(os.getpid()))

    def hold(self, process: subprocess.Popen[str]) -> None:
        """Until the process has ended: where there is no control group, let it run for its share of the time."""
        run_s = PERIOD_S * self._percent / 100
        until = time.monotonic() + LONGEST_S
        while process.poll() is None and time.monotonic() < until:
            if self._group is not None:
                time.sleep(PERIOD_S)
                continue
            for number, wait_s in ((signal.SIGSTOP, PERIOD_S - run_s), (signal.SIGCONT, run_s)):
                for each in _session_of(process.pid):
                    with suppress(ProcessLookupError):
                        os.kill(each, number)
                time.sleep(wait_s)


def _session_of(leader: int) -> list[int]:
    """All processes of the session that the process leads."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                if os.getsid(int(folder.name)) == leader:
                    found.append(int(folder.name))
    return found


def indexed(python: str, project: Path, enter: Callable[[], None], hold: Callable[[Any], None]) -> Outcome:
    """One first index in a cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environ = {**os.environ, "HELIX_CACHE_DIR": cache, "HELIX_CONFIG": str(Path(cache) / "none.toml")}
        command = [python, "-m", "helix_ls.cli"]
        started = time.monotonic()
        with subprocess.Popen(
            [*command, "index", str(project), "--json"],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=enter,  # noqa: PLW1509
            start_new_session=True,
        ) as process:
            hold(process)
            said, _ = process.communicate(timeout=LONGEST_S)
        wall_s = time.monotonic() - started
        if process.returncode:
            raise SystemExit(f"helix index ended with {process.returncode} in {project}")
        status = _answer([*command, "status", str(project), "--json"], environ)
        lost = status["skipped"].get("quarantined", 0)
        is_told = not lost or (not status["fresh"] and any("set aside" in note for note in status["notes"]))
        return Outcome(json.loads(said)["files"], lost, is_told, wall_s)


def _answer(command: list[str], environ: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=LONGEST_S)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main() -> int:
    """Index every project both ways; 1 with --gate where a file was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--quota", type=float, default=2.0, help="per cent of one processor")
    parser.add_argument("--loops", type=int, default=8, help="busy loops beside it")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the version to measure")
    parser.add_argument("--gate", action="store_true", help="end with 1 where a file was lost")
    arguments = parser.parse_args()
    is_good = True
    for project in arguments.projects:
        with Quota(arguments.quota) as quota:
            found = {
                f"{arguments.quota:g} % of a processor ({quota.kind})": indexed(
                    arguments.python, project, quota.enter, quota.hold
                )
            }
        with busy_loops(arguments.loops):
            found[f"beside {arguments.loops} busy loops"] = indexed(
                arguments.python, project, lambda: None, lambda _: None
            )
        for how, one in found.items():
            said = "" if one.is_told else ", and nobody is told"
            print(f"{project.name}, {how}: {one.lost} of {one.files} lost{said}, {one.wall_s:.0f} s", flush=True)
            is_good = is_good and not one.lost and one.is_told
    return 0 if is_good or not arguments.gate else 1


if __name__ == "__main__":
    sys.exit(main())
