"""An interrupt keeps what was done and leaves nobody behind; rounds without end leak nothing."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from helix_core.engine.indexing.plan import FINE_CLOCK_NS
from helix_core.store import open_index
from tests.engine.repository import FILES, write
from tests.engine.test_faults import assert_answers_right, cold_digest

pytestmark = pytest.mark.slow

MANY = 400


def children() -> set[int]:
    """Processes started by this one, and not waited for yet."""
    resource_tracker.ensure_running()
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(one) for one in (task / "children").read_text().split()}
    return found


def descriptors() -> list[str]:
    names = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            names.append(os.readlink(one))
        except FileNotFoundError:
            continue
    return sorted(names)


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists() or not Path(f"/proc/self/task/{os.getpid()}/children").exists(),
    reason="there is no /proc to count descriptors and children in",
)


def come_to_rest(helix) -> None:
    """Let the files that are indexed already be old enough to be trusted by their stat: else one may be read again,
    and counted as done, among the new ones."""
    time.sleep(FINE_CLOCK_NS / 1e9)
    helix.refresh()
    assert helix.refresh().touched == 0


def many_modules(folder: Path) -> None:
    text = "".join(f"def function_{line}(argument):\n    return argument + {line}\n\n\n" for line in range(20))
    write(folder, {f"many/module_{number}.py": f"NUMBER = {number}\n{text}" for number in range(MANY)})


@pytest.fixture(autouse=True)
def interruptible():
    """These interrupt their own process, also where whoever started it ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.process
@needs_proc
@pytest.mark.parametrize("moment", [0, 1, 100, 300])
def test_an_interrupt_while_files_are_parsed_keeps_what_was_done(moment, helix, repository, open_helix, tmp_path):
    before = children()
    come_to_rest(helix)
    many_modules(repository)
    done = 0

    def interrupt_when_due(progress) -> None:
        nonlocal done
        done = progress.done
        if progress.phase == "indexing" and progress.done > moment:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        helix.refresh(interrupt_when_due)
    assert children() <= before
    assert_answers_right(helix)
    with open_index(helix.index_path) as index, index.reader() as reader:
        assert index.damage() == ""
        kept = len(reader.files.states()) - len(FILES)
    assert done - 64 <= kept <= done
    rest = helix.refresh()
    assert rest.parsed == MANY - kept
    assert helix.digest() == cold_digest(repository, tmp_path)
    helix.close()
    assert children() <= before


@pytest.fixture
def no_collection():
    """Python swallows an interrupt that falls into a callback of its collector, and Hypothesis hangs one there."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.process
@needs_proc
@pytest.mark.usefixtures("no_collection")
def test_an_interrupt_at_any_moment_leaves_an_engine_that_goes_on(helix, repository, tmp_path):
    """By the clock, so that it also falls into git, locks and the store."""
    before = children()
    interrupted = 0
    for number in range(12):
        many_modules(repository)
        write(repository, {f"many/module_{number}.py": f"def changed_{number}(): pass\n"})
        timer = threading.Timer(number * 0.05, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
        try:
            timer.start()
            helix.refresh()
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            timer.join()
        assert_answers_right(helix)
    assert interrupted > 3
    helix.refresh()
    assert helix.notices == ()
    assert helix.digest() == cold_digest(repository, tmp_path)
    helix.close()
    deadline = time.monotonic() + 60
    while not children() <= before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert children() <= before


@pytest.mark.process
@needs_proc
def test_rounds_without_end_leak_no_descriptor_and_no_process(helix, repository):
    def rounds(count: int) -> None:
        for number in range(count):
            write(repository, {f"app/changing{number % 5}.py": f"def changing(): return {number}\n"})
            helix.refresh()
            helix.packet("where is the session cookie signed?", task="edit")
            helix.search("changing")

    rounds(10)
    open_before, children_before = descriptors(), children()
    rounds(200)
    assert abs(len(descriptors()) - len(open_before)) <= 2, descriptors()
    assert abs(len(children()) - len(children_before)) <= 2


@needs_proc
def test_opening_and_closing_leaves_nothing_open(helix, repository, open_helix):
    helix.close()

    def once() -> None:
        engine = open_helix(repository)
        engine.refresh()
        engine.packet("where is the session cookie signed?")
        engine.close()

    once()
    gc.collect()  # what earlier tests left is closed now, not while it is counted
    open_before, children_before = descriptors(), children()
    for _ in range(12):
        once()
    assert abs(len(descriptors()) - len(open_before)) <= 2, descriptors()
    assert children() == children_before
