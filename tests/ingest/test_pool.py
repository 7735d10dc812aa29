from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix_core.ingest.document import ingest
from helix_core.ingest.pool import LOOK_S, IngestPool, Limits, Quarantined, Stall, deserialized, serialized
from helix_core.model import Document

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def _files(*names: bytes) -> list[tuple[bytes, bytes, str]]:
    return [(name, b"def f():\n    return 1\n", "") for name in names]


@pytest.mark.process
def test_every_file_comes_back_as_the_document_that_one_process_would_make() -> None:
    files = [
        (b"a/%d.py" % n, b"import os\n\ndef f%d():\n    '''doc'''\n    return %d\n" % (n, n), "") for n in range(100)
    ]
    files.append((b"skipped.bin", b"\0\1", "binary"))
    with IngestPool(2) as pool:
        results = {result.path: result for result in pool.run(iter(files))}
    assert results == {path: ingest(path, data, skipped=skipped) for path, data, skipped in files}


@pytest.mark.process
def test_a_pool_serves_several_runs_and_an_empty_one_starts_no_process() -> None:
    with IngestPool(2) as pool:
        assert list(pool.run([])) == []
        assert not pool.process_ids
        assert len(list(pool.run(_files(b"a.py")))) == 1
        first = pool.process_ids
        assert len(list(pool.run(_files(b"b.py")))) == 1
        assert pool.process_ids == first


@pytest.mark.process
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="child processes are counted in /proc")
def test_a_pool_starts_no_process_but_its_workers(tmp_path: Path) -> None:
    """multiprocessing would start a tracker of semaphores, a Python process that takes 16 MiB."""
    program = textwrap.dedent(
        """
        import glob
        from helix_core.ingest.pool import IngestPool
        with IngestPool(2) as pool:
            assert len(list(pool.run((b"%d.py" % n, b"x = 1", "") for n in range(100)))) == 100
            tasks = glob.glob("/proc/self/task/*/children")
            children = [int(child) for task in tasks for child in open(task).read().split()]
            print(sorted(children) == sorted(pool.process_ids), len(children))
        """
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split() in (["True", "1"], ["True", "2"])


@pytest.mark.process
def test_a_worker_looks_for_cycles_less_often_than_the_default(tmp_path: Path) -> None:
    """Each file is thousands of tuples, and hardly any cycle."""
    from hostile_ingest import write_gc_threshold

    source = tmp_path / "shop.py"
    with IngestPool(1, ingest=write_gc_threshold) as pool:
        assert len(list(pool.run([(os.fsencode(source), b"x = 1\n", "")]))) == 1
    assert int(source.read_text()) >= 10_000


@pytest.mark.process
def test_a_worker_loads_what_parses_and_masks_and_nothing_else(tmp_path: Path) -> None:
    """Every module costs its memory once a worker."""
    from hostile_ingest import write_modules  # type: ignore[import-not-found]

    source = tmp_path / "shop.py"
    token = "ghp_" + "x4Kp9LmQ2vRt7WnZ" * 2 + "b8Yd"
    with IngestPool(1, ingest=write_modules) as pool:
        (document,) = pool.run([(os.fsencode(source), f"def pay():\n    return '{token}'\n".encode(), "")])
    assert isinstance(document, Document) and document.masked_count == 1
    modules = set(source.read_text().splitlines())
    assert {"detect_secrets.plugins.aws", "tree_sitter_python", "numpy"} <= modules
    rooms = {name.split(".")[1] for name in modules if name.startswith("helix_core.")}
    assert rooms == {"embed", "faces", "ingest", "lines", "model", "secrets", "tuples", "words"}
    libraries = {"urllib3", "ssl", "http", "json", "sqlite3", "pydantic", "asyncio", "git", "yaml"}
    assert not modules & libraries
    assert len(modules) <= 384


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (b"crash.py", "crashed"),
        (b"exit.py", "crashed"),
        (b"raise.py", "raised RuntimeError"),
        (b"allocate.py", "out of memory"),
        (b"spin.py", "timed out"),
        (b"sleep.py", "stalled"),
    ],
)
def test_a_file_that_breaks_its_worker_is_quarantined_and_its_neighbours_are_not(name: bytes, reason: str) -> None:
    from hostile_ingest import misbehave  # type: ignore[import-not-found]

    limits = Limits(cpu_s=1.0, stalled_s=3.0)
    with IngestPool(1, ingest=misbehave, limits=limits) as pool:
        results = {result.path: result for result in pool.run(_files(b"a.py", name, b"b.py"))}
    assert isinstance(results[b"a.py"], Document)
    assert isinstance(results[b"b.py"], Document)
    broken = results[name]
    assert isinstance(broken, Quarantined)
    assert broken.reason == reason
    assert broken.content_hash == ingest(name, b"def f():\n    return 1\n").content_hash


@pytest.mark.process
def test_a_worker_that_hardly_runs_loses_no_file_however_long_it_takes() -> None:
    """Stopped for four fifths of the time, the batch takes several times its limit on the wall."""
    from hostile_ingest import steadily

    limits = Limits(cpu_s=1.0)
    done = threading.Event()
    with IngestPool(1, ingest=steadily, limits=limits) as pool:
        assert len(list(pool.run(_files(b"first.py")))) == 1
        first = pool.process_ids
        starve = threading.Thread(target=_run_a_fifth_of_the_time, args=(first[0], done))
        starve.start()
        started = time.monotonic()
        try:
            results = list(pool.run(_files(b"a.py", b"b.py")))
        finally:
            done.set()
            starve.join()
        assert pool.process_ids == first
    assert time.monotonic() - started > 2 * limits.cpu_s
    assert {type(result) for result in results} == {Document}


def _run_a_fifth_of_the_time(process_id: int, done: threading.Event) -> None:
    while not done.is_set():
        for number, wait_s in ((signal.SIGSTOP, 0.2), (signal.SIGCONT, 0.05)):
            os.kill(process_id, number)
            time.sleep(wait_s)


def test_a_machine_that_was_suspended_is_no_stall() -> None:
    stall = Stall(looked_at=0.0, cpu_s=1.0)
    assert stall.look(3600.0, 1.0) == LOOK_S
    assert stall.look(3600.5, 1.0) == LOOK_S + 0.5
    assert stall.look(3601.0, 1.001) == 0.0
    assert stall.look(3601.5, None) == 0.5


@pytest.mark.slow
@pytest.mark.process
def test_a_worker_started_where_signals_are_ignored_is_limited_all_the_same() -> None:
    """What is ignored stays ignored in every process that is started below."""
    from hostile_ingest import misbehave

    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGPROF, signal.SIGINT)}
    try:
        with IngestPool(1, ingest=misbehave, limits=Limits(cpu_s=1.0)) as pool:
            results = {result.path: result for result in pool.run(_files(b"a.py", b"spin.py"))}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert isinstance(results[b"a.py"], Document)
    assert isinstance(results[b"spin.py"], Quarantined)


@pytest.mark.process
def test_a_suspect_is_tried_once_and_alone() -> None:
    from hostile_ingest import misbehave

    with IngestPool(1, ingest=misbehave) as pool:
        results = {
            result.path: result
            for result in pool.run(_files(b"crash.py", b"a.py", b"b.py"), suspects={b"crash.py", b"b.py"})
        }
        survivors = pool.process_ids
    assert isinstance(results[b"crash.py"], Quarantined)
    assert isinstance(results[b"a.py"], Document)
    assert isinstance(results[b"b.py"], Document)
    assert len(survivors) == 1


@pytest.mark.process
def test_a_worker_that_dies_once_costs_nothing_but_a_second_try(tmp_path: Path) -> None:
    from hostile_ingest import misbehave

    file = (b"once.txt", os.fsencode(tmp_path / "marker"), "")
    with IngestPool(1, ingest=misbehave) as pool:
        (result,) = pool.run([file])
    assert isinstance(result, Document)


@pytest.mark.process
def test_workers_killed_from_outside_are_replaced() -> None:
    from hostile_ingest import slowly

    files = _files(*(b"%d.py" % n for n in range(80)))
    results = []
    with IngestPool(2, ingest=slowly, limits=Limits(batch_files=4)) as pool:
        for result in pool.run(files):
            results.append(result)
            if len(results) == 8:
                os.kill(pool.process_ids[0], signal.SIGKILL)
    assert sorted(result.path for result in results) == sorted(path for path, _, _ in files)
    assert all(isinstance(result, Document) for result in results)


@pytest.mark.process
def test_workers_are_recycled_after_so_many_files() -> None:
    with IngestPool(1, limits=Limits(files_per_worker=4, batch_files=2)) as pool:
        assert len(list(pool.run(_files(*(b"%d.py" % n for n in range(4)))))) == 4
        before = pool.process_ids
        assert len(list(pool.run(_files(b"x.py")))) == 1
        assert pool.process_ids != before


@pytest.mark.process
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nobody says what memory a process holds")
@pytest.mark.parametrize(("kept_bytes", "is_replaced"), [(1 << 20, True), (1 << 40, False)])
def test_a_worker_that_holds_much_memory_after_its_first_files_is_replaced(kept_bytes: int, is_replaced: bool) -> None:
    limits = Limits(files_before_replaced=4, kept_bytes=kept_bytes, batch_files=2)
    with IngestPool(1, limits=limits) as pool:
        assert len(list(pool.run(_files(b"0.py", b"1.py")))) == 2
        before = pool.process_ids
        assert len(list(pool.run(_files(b"2.py", b"3.py")))) == 2
        assert len(before) == 1
        assert len(list(pool.run(_files(b"x.py")))) == 1
        assert (pool.process_ids != before) is is_replaced


@pytest.mark.process
def test_only_a_bounded_number_of_bytes_is_taken_ahead() -> None:
    taken = 0

    def files() -> Iterator[tuple[bytes, bytes, str]]:
        nonlocal taken
        for number in range(200):
            taken += 1
            yield b"%d.txt" % number, b"word\n" * 2000, ""

    limits = Limits(batch_bytes=20_000, buffered_bytes=50_000)
    with IngestPool(1, limits=limits) as pool:
        run = pool.run(files())
        next(run)
        time.sleep(0.3)
        next(run)
        assert taken <= 12
        assert sum(1 for _ in run) == 198


@pytest.mark.process
def test_leaving_a_run_early_leaves_no_process_behind() -> None:
    from hostile_ingest import slowly

    pool = IngestPool(2, ingest=slowly)
    run = pool.run(_files(*(b"%d.py" % n for n in range(100))))
    next(run)
    ids = pool.process_ids
    run.close()
    pool.close()
    assert ids
    assert not any(_is_alive(process_id) for process_id in ids)


@pytest.mark.process
def test_workers_leave_when_their_parent_is_killed_and_say_nothing_about_an_interrupt() -> None:
    program = textwrap.dedent(
        """
        import sys
        from helix_core.ingest.pool import IngestPool
        from hostile_ingest import slowly
        if __name__ == "__main__":
            pool = IngestPool(2, ingest=slowly)
            run = pool.run((b"%d.py" % n, b"x = 1", "") for n in range(100000))
            for _ in range(3):
                next(run)
            print(*pool.process_ids, flush=True)
            sys.stdin.read()
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        ids = [int(word) for word in parent.stdout.readline().split()]
        for process_id in ids:
            os.kill(process_id, signal.SIGINT)
        time.sleep(0.2)
        assert ids
        assert all(_is_alive(process_id) for process_id in ids)
        parent.kill()
        _, said = parent.communicate()
    deadline = time.monotonic() + 60
    while any(_is_alive(process_id) for process_id in ids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_is_alive(process_id) for process_id in ids)
    assert b"Traceback" not in said


@pytest.mark.process
def test_workers_are_nice_and_limited_in_memory() -> None:
    resource = pytest.importorskip("resource")
    with IngestPool(1) as pool:
        list(pool.run(_files(b"a.py")))
        (process_id,) = pool.process_ids
        assert os.getpriority(os.PRIO_PROCESS, process_id) >= min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
        if hasattr(resource, "prlimit"):
            assert resource.prlimit(process_id, resource.RLIMIT_AS)[0] == 1 << 30


def test_a_document_survives_the_journey_between_processes() -> None:
    source = b"import os\nPORT = 8080\n\nclass A:\n    '''Doc.'''\n    def test_x(self):\n        return os.sep\n"
    document = ingest(b"tests/test_a.py", source)
    assert document.chunks
    assert deserialized(serialized(document)) == document
    guessed = ingest(b"Ledger.hs", b"module Ledger where\n\nledgerTotal = 1\n")
    assert not all(chunk.is_claimed for chunk in guessed.chunks)
    assert deserialized(serialized(guessed)) == guessed
    assert type(deserialized(serialized(document)).chunks[0].text.body) is type(document.chunks[0].text.body)


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process_id}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
