"""Truth where a laptop seldom is: a monorepo, a flood of files, few watches, a jumping clock, a user without rights.

    python benchmarks/reach.py MODE FOLDER [--files N] [--busy N] [--nice N] [--limit-s N] [--seed 1]

- ``large``: FOLDER holds git work trees. A monorepo of --files (50,000) made of them is indexed beside --busy (8) loops
  and asked all the while: what lacks is said, no file is lost, nothing untrue is verified.
- ``burst``: --files (100,000) files appear in a copy of FOLDER while a server watches; all are found.
- ``watches``: the kernel grants 1,000 watches for --files (3,000) folders; a change where nobody watches is noticed,
  and that nobody watches is said.
- ``clock``: the clock of a server steps by hours and years, to and fro, between --files (40) changes and questions.
- ``denied``: a user that is not root asks; files and folders closed to this user are never verified nor quoted.

Each ends with one line, and with status 1 on a miss; 3 where this machine cannot run it, with what it lacks.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import psutil
from scale import base_of, monorepo
from truth_bench.index_kinds import says_what_lacks
from truth_bench.oracle import Oracle
from truth_bench.questions import question, random_place
from truth_bench.report import percentile
from truth_bench.repository import Repository, copy_of
from truth_bench.run import MAX_FILE_BYTES
from truth_bench.surfaces import AskError, Cli, Daemon, Packet, environment, helix_command, is_level
from truth_bench.units import busy

MISSING = 3
NOBODY = 65534
BECOME_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
WATCHES = 1000
# An answer that came no sooner than the index was whole, and not soon.
LONG_S = 20.0
STEPS_S = (3600, -3600, 86_400, -86_400, 315_360_000, -315_360_000, 0.5, -0.5)


class MissingError(Exception):
    """This machine cannot run the mode."""


class Asked:
    """Questions about one folder, each judged; ``wrong`` counts what was not true."""

    def __init__(self, repository: Repository, rng: Random) -> None:
        self._oracle = Oracle(repository, MAX_FILE_BYTES)
        self._repository, self._rng = repository, rng
        self._paths = repository.tracked()
        self.wrong: Counter[str] = Counter()
        self.faults: list[str] = []
        self.packets = self.verified = 0
        self.elapsed_ms: list[float] = []

    def ask(self, ask: Callable[[str, str, int], Packet], asked: str = "") -> Packet | None:
        """One question, about a random place where none is given."""
        text = asked or question(random_place(self._repository, self._paths, self._rng), self._rng)
        task = self._rng.choice(("explain", "edit"))
        started = time.perf_counter()
        try:
            packet = ask(text, task, 8)
        except AskError as error:
            self.miss("no_answer", f"{text!r}: {error}")
            return None
        self.elapsed_ms.append((time.perf_counter() - started) * 1e3)
        said = self._oracle.judge(packet, versions={}, secrets={}, expected=None, task=task)
        self.packets += 1
        self.verified += said.verified
        for kind, fault in said.wrong:
            self.miss(kind, f"{text!r}: {fault}")
        return packet

    def miss(self, kind: str, text: str) -> None:
        self.wrong[kind] += 1
        self.faults.append(f"{kind}: {text}")
        print(f"  {self.faults[-1]}"[:400], flush=True)

    def line(self) -> str:
        times = f"p50 {percentile(self.elapsed_ms, 0.5)} ms, p95 {percentile(self.elapsed_ms, 0.95)} ms"
        return f"{self.packets} packets ({times}), {self.verified} verified, {dict(self.wrong) or 'nothing wrong'}"


@contextlib.contextmanager
def serving(folder: Path, scratch: Path, prefix: tuple[str, ...] = (), **more: str) -> Iterator[Daemon]:
    server = Daemon(folder, scratch, prefix=prefix, **more)
    try:
        yield server
    finally:
        server.close()


def until(reached: Callable[[], bool], limit_s: float) -> float | None:
    """Seconds until it is so; None when it is not in time."""
    started = time.monotonic()
    while not reached():
        if time.monotonic() - started > limit_s:
            return None
        time.sleep(0.05)
    return time.monotonic() - started


def large(options: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
    count, rng = options.files or 50_000, Random(options.seed)
    root = scratch / "monorepo"
    monorepo(root, base_of(options.folder, options.seed), count)
    asked = Asked(Repository(root, scratch / "home"), rng)
    environ = environment(scratch)
    said_whole, peak_bytes = 0, 0
    with busy(options.busy):
        command = ["nice", "-n", str(options.nice), *helix_command("index", "--json", str(root))]
        builder = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started = time.monotonic()
        cli = Cli(root, scratch, level=False)
        try:
            while builder.poll() is None and time.monotonic() - started < options.limit_s:
                before = time.monotonic()
                packet = asked.ask(cli.ask)
                if builder.poll() is not None and time.monotonic() - before > LONG_S:
                    asked.miss("waited", f"an answer after {time.monotonic() - before:.0f} s, when the index was whole")
                with contextlib.suppress(psutil.NoSuchProcess):
                    family = [psutil.Process(builder.pid), *psutil.Process(builder.pid).children(recursive=True)]
                    peak_bytes = max(peak_bytes, sum(one.memory_info().rss for one in family))
                if packet is not None and builder.poll() is None and not says_what_lacks(packet):
                    said_whole += _lacks_something(cli.status())
                time.sleep(1)
            elapsed_s, is_done = time.monotonic() - started, builder.poll() == 0
        finally:
            if builder.poll() is None:
                builder.kill()
            builder.wait()
        status = cli.status() if is_done else {}
    lost = len(status.get("set_aside", ())) + status.get("pending", {}).get("changed_or_new", 0)
    if said_whole:
        asked.miss("unsaid", f"{said_whole} packets of a half-built index said nothing of it")
    if is_done and (lost or status["index"]["files"] < count * 0.95):
        asked.miss("lost", f"{lost} files are not in the index, {status['index']['files']} are")
    whole = f"indexed in {elapsed_s:.0f} s" if is_done else f"not whole after {elapsed_s:.0f} s, cut short"
    line = f"{count:,} files beside {options.busy} loops, nice {options.nice}: {whole}, peak {peak_bytes >> 20} MiB"
    return f"{line}; {asked.line()}", not asked.wrong


def _lacks_something(status: dict[str, Any]) -> bool:
    """Does a first index lack a file? Once it lacks none, its builder still merges postings and reads the history."""
    return bool(status["pending"]["changed_or_new"])


def burst(options: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
    count, rng = options.files or 100_000, Random(options.seed)
    repository = copied(options.folder, scratch, rng)
    asked = Asked(repository, rng)
    with serving(repository.root, scratch) as server:
        before = server.status()["index"]["files"]
        started = time.monotonic()
        for number in range(count):
            folder = repository.root / f"bench_burst/part{number // 200}"
            if number % 200 == 0:
                folder.mkdir(parents=True)
            text = f"def bench_burst_{number}(value):\n    return value + {number}\n"
            part = folder / f".part{number}"
            part.write_text(text)
            part.rename(folder / f"burst_{number}.py")
            if number % (count // 10) == count // 20:
                asked.ask(server.ask)
        write_s = time.monotonic() - started
        level_s = until(lambda: is_level(server.status()), options.limit_s)
        status = server.status()
        missing = before + count - status["index"]["files"]
        for number in rng.sample(range(count), 10):
            packet = asked.ask(server.ask, f"where is bench_burst_{number} defined")
            names = [item["source_id"] for item in (packet or {"verified": []})["verified"]]
            if level_s is not None and not any(name.endswith(f"/burst_{number}.py") for name in names):
                asked.miss("not_found", f"bench_burst_{number}")
        memory = psutil.Process(server.pid).memory_info().rss >> 20
    if level_s is None or missing:
        asked.miss("lost", f"{missing} files are not in the index; level: {level_s}")
    level = f"level {level_s:.0f} s after the last" if level_s is not None else "never level"
    return f"{count:,} files written in {write_s:.0f} s, {level}, server {memory} MiB; {asked.line()}", not asked.wrong


def watches(options: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
    folders, rng = options.files or 3000, Random(options.seed)
    few = ("unshare", "-Ur", "sh", "-c", f'echo {WATCHES} > /proc/sys/user/max_inotify_watches && exec "$@"', "sh")
    if shutil.which("unshare") is None or subprocess.run([*few, "true"], check=False, capture_output=True).returncode:
        raise MissingError("user namespaces (unshare -Ur)")
    repository = copied(options.folder, scratch, rng)
    for number in range(folders):
        folder = repository.root / f"bench_folders/f{number % 50}/d{number}"
        folder.mkdir(parents=True)
        (folder / f"bench_watched_{number}.py").write_text(f"def bench_watched_{number}():\n    return {number}\n")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "many folders")
    asked = Asked(repository, rng)
    taken: list[float] = []
    with serving(repository.root, scratch, few) as server:
        status = server.status()
        said = [*status["notes"], status["live"]["message"], status["live"]["watching"]]
        if not any("max_user_watches" in one or "polling" in one for one in said):
            asked.miss("unsaid", f"nothing says that folders are not watched: {said}")
        for number in rng.sample(range(folders), 20):
            name = f"bench_seen_{number}"
            file = repository.root / f"bench_folders/f{number % 50}/d{number}/bench_watched_{number}.py"
            file.write_text(f"def {name}(value):\n    return value\n")
            asked.ask(server.ask, f"where is bench_watched_{number} defined")
            seen_s = until(lambda name=name: _is_found(asked, server, name), options.limit_s)  # type: ignore[misc]
            if seen_s is None:
                asked.miss("not_found", f"{name} after {options.limit_s:.0f} s")
            else:
                taken.append(seen_s)
    slowest = f"{max(taken):.1f} s" if taken else "never"
    line = f"{folders:,} folders, {WATCHES:,} watches: {len(taken)} of 20 changes noticed, the slowest after {slowest}"
    return f"{line}; {asked.line()}", not asked.wrong


def _is_found(asked: Asked, server: Daemon, name: str) -> bool:
    packet = asked.ask(server.ask, f"where is {name} defined")
    return packet is not None and any(item["symbol"] == name for item in packet["verified"])


def clock(options: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise MissingError("C compiler, for a library that steps the clock of one process")
    rng, moment, library = Random(options.seed), scratch / "moment", scratch / "clock_steps.so"
    source = Path(__file__).parent / "truth_bench" / "clock_steps.c"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    moment.write_text("0")
    fake = {"LD_PRELOAD": str(library), "CLOCK_STEP_FILE": str(moment)}
    repository = copied(options.folder, scratch, rng)
    asked = Asked(repository, rng)
    paths = [path for path in repository.tracked() if path.endswith(b".py")]
    late = 0
    with serving(repository.root, scratch, **fake) as server:
        for number in range(options.files or 40):
            replaced(moment, str(rng.choice(STEPS_S)))
            path = rng.choice(paths)
            with open(repository.path(path), "ab") as file:
                file.write(b"\n\ndef bench_clock_%d():\n    return %d\n" % (number, number))
            if rng.random() < 0.3:
                os.utime(repository.path(path), (rng.choice((0, 4_000_000_000)),) * 2)
            asked.ask(server.ask)
            name = f"bench_clock_{number}"
            if until(lambda name=name: _is_found(asked, server, name), options.limit_s) is None:  # type: ignore[misc]
                late += 1
                asked.miss("not_found", f"{name} after {options.limit_s:.0f} s")
    steps = options.files or 40
    return f"{steps} steps of the clock, {late} changes never found; {asked.line()}", not asked.wrong


def replaced(file: Path, text: str) -> None:
    part = file.with_suffix(".part")
    part.write_text(text)
    part.replace(file)


def denied(options: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        raise MissingError("root, to become another user with setpriv")
    rng = Random(options.seed)
    repository = copied(options.folder, scratch, rng)
    paths = [path for path in repository.tracked() if path.endswith(b".py") and b"/" in path]
    closed = set(rng.sample(paths, min(12, len(paths) // 4)))
    folder = os.path.dirname(rng.choice(paths))
    for path in (scratch, *scratch.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    paths_of_modules = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), *sys.path)))
    python = _python_of_nobody(paths_of_modules)
    asked = Asked(repository, rng)
    shown = 0
    with serving(repository.root, scratch, BECOME_NOBODY, python=python, PYTHONPATH=paths_of_modules) as server:
        for rights in ("before", "after"):
            if rights == "after":
                for path in closed:
                    os.chown(repository.path(path), 0, 0)
                    os.chmod(repository.path(path), 0o600)
                os.chown(repository.path(folder), 0, 0)
                os.chmod(repository.path(folder), 0o700)
            for path in sorted(closed):
                name = os.fsdecode(path)
                packet = asked.ask(server.ask, f"`{Path(name).stem}` {name}")
                items = [] if packet is None else [*packet["verified"], *packet["stale_risk"]]
                told = [item for item in items if _is_closed(os.fsencode(item["source_id"]), closed, folder)]
                shown += bool(told)
                if rights == "after" and told:
                    asked.miss("false_verified", f"{told[0]['source_id']} may not be read, but is {told[0]['status']}")
    line = f"user {NOBODY}, {len(closed)} files and one folder closed; {shown} packets showed them while they were open"
    return f"{line}; {asked.line()}", not asked.wrong


def _python_of_nobody(modules: str) -> str:
    """An interpreter that the other user may run, this one or the system's of the same version."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/python{version}"):
        command = [*BECOME_NOBODY, "env", f"PYTHONPATH={modules}", python, "-c", "import apsw, helix_ls.cli"]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            return python
    raise MissingError(f"Python {version} that another user may run ({sys.executable} is out of reach)")


def _is_closed(path: bytes, closed: set[bytes], folder: bytes) -> bool:
    return path in closed or path.startswith(folder + b"/")


def copied(folder: Path, scratch: Path, rng: Random) -> Repository:
    return copy_of(folder.resolve(), scratch / folder.resolve().name, scratch / "home", rng)


MODES = {"large": large, "burst": burst, "watches": watches, "clock": clock, "denied": denied}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=0, help="files, folders or steps, as the mode counts")
    parser.add_argument("--busy", type=int, default=8, help="large: so many busy loops")
    parser.add_argument("--nice", type=int, default=0, help="large: of the indexer beside them")
    parser.add_argument("--limit-s", type=float, default=1800.0, help="the longest wait")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    scratch = Path(tempfile.mkdtemp(prefix="helix-reach-"))
    (scratch / "home").mkdir()
    started = time.monotonic()
    try:
        line, is_right = MODES[options.mode](options, scratch)
    except MissingError as error:
        print(f"{options.mode}: skipped, this machine has no {error}")
        return MISSING
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{options.mode}: {line} ({time.monotonic() - started:.0f} s, load average {os.getloadavg()[0]:.1f})")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
