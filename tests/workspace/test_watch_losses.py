"""Whatever the system loses or refuses ends in a look at everything, and is said."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helix_core.workspace.watch import watch
from helix_core.workspace.watch.change_queue import ChangeQueue
from tests.workspace.listening import Listener, saved_by_rename

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")

PROJECT = Path(__file__).parents[2]

FEW_WATCHES = """
import sys
from pathlib import Path
from tests.workspace.listening import Listener
folder = Path(sys.argv[1])
with Listener(folder) as listener:
    state = listener.watch.state
    assert state.mode == "polling" and 0 < state.folders <= 100, state
    for number in range(300):
        (folder / f"d{number}" / "f.py").write_text("again")
    assert listener.follows_the_disk()
    assert listener.wholes == 0
    print(*listener.watch.state.notes, sep="|")
"""

STOPPED = """
import sys
from pathlib import Path
from tests.workspace.listening import Listener
with Listener(Path(sys.argv[1])) as listener:
    print("ready", flush=True)
    sys.stdin.readline()
    assert listener.follows_the_disk()
    print(listener.wholes, listener.watch.state.overflows, flush=True)
"""


def python(code: str, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", code, *map(str, arguments)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def has_user_namespaces() -> bool:
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", "echo 100 > /proc/sys/user/max_inotify_watches"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


@pytest.mark.process
def test_folders_over_the_kernels_limit_are_compared_instead_and_one_note_says_so(tmp_path):
    if not has_user_namespaces():
        pytest.skip("no user namespaces here")
    for number in range(300):
        (tmp_path / f"d{number}").mkdir()
        (tmp_path / f"d{number}/f.py").write_text("1")
    limited = ("unshare", "-Ur", "sh", "-c", 'echo 100 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh")
    with python(FEW_WATCHES, tmp_path, prefix=limited) as child:
        out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert "fs.inotify.max_user_watches" in out
    assert "|" not in out


def test_a_user_out_of_queues_polls_and_is_told_which_setting_to_raise(repository):
    def none_left():
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    repository.write("src/a.py")
    repository.commit()
    with Listener(repository.path, queue=none_left) as listener:
        assert listener.watch.state.mode == "polling"
        assert "fs.inotify.max_user_instances" in listener.watch.state.notes[0]
        repository.write("src/a.py", "2")
        repository.commit()
        assert listener.until(lambda heard: heard.git and bool(heard.paths)).paths == {b"src/a.py"}


def test_polling_tells_only_what_moved(repository):
    repository.write("a.py")
    repository.write("b.py")
    with Listener(repository.path, "polling") as listener:
        assert listener.watch.state.mode == "polling"
        repository.write("a.py", "changed")
        (repository.path / "b.py").unlink()
        repository.write("new/c.py")
        heard = listener.until(lambda heard: len(heard.paths) >= 3)
        assert heard.paths == {b"a.py", b"b.py", b"new/c.py"}
        assert not heard.whole


def test_a_handler_that_fails_is_replaced_and_everything_is_looked_at(repository, monkeypatch):
    failures: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    called: list[int] = []

    def heard():
        called.append(1)
        if len(called) == 1:
            raise RuntimeError("a listener's mistake")

    # So that nothing but the replacement can be what looks at everything.
    monkeypatch.setattr(watch, "RETRY_S", 3_600.0)
    repository.write("src/a.py", "0")
    with Listener(repository.path, on_change=heard) as listener:
        repository.write("src/a.py", "1")
        _soon(lambda: bool(failures))
        repository.write("src/a.py", "2")
        assert listener.until(lambda heard: heard.whole).whole
        assert listener.watch.state.mode == "events"
        repository.write("src/a.py", "3")
        assert listener.hear().paths == {b"src/a.py"}


def test_a_keeper_that_died_is_replaced_by_whoever_asks(repository, monkeypatch):
    failures: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    with Listener(repository.path) as listener:
        turn, times = listener.watch._turn, []

        def fails_once():
            times.append(1)
            if len(times) == 1:
                raise RuntimeError("a mistake of ours")
            turn()

        listener.watch._turn = fails_once  # type: ignore[method-assign]
        repository.write("new/a.py")
        _soon(lambda: bool(failures))
        listener.until(lambda heard: heard.whole and listener.watch.state.folders == 2)
        repository.write("new/a.py", "2")
        assert b"new/a.py" in listener.hear().paths


@pytest.mark.slow
@pytest.mark.process
def test_a_process_stopped_during_ten_thousand_saves_follows_when_it_goes_on(tmp_path):
    files = [tmp_path / f"f{number}.py" for number in range(10_000)]
    for file in files:
        file.write_text("0")
    with python(STOPPED, tmp_path) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGSTOP)
        for file in files:
            saved_by_rename(file, "1")
        child.send_signal(signal.SIGCONT)
        out, err = child.communicate("\n", timeout=60)
    assert child.returncode == 0, err
    wholes, overflows = map(int, out.split())
    assert wholes >= 1 and overflows >= 1


def test_a_machine_that_slept_looks_at_everything(repository):
    slept = [0.0]
    with Listener(repository.path, pulse=lambda: time.monotonic() + slept[0]) as listener:
        assert not listener.watch.take().whole
        slept[0] = 3600.0
        assert listener.until(lambda heard: heard.whole).whole


def test_changes_heard_while_the_root_is_missing_are_dropped_and_its_return_checks_everything():
    calls: list[str] = []
    queue = ChangeQueue(lambda: calls.append("change"), time.monotonic, lambda: calls.append("written"))
    queue.missing(True)
    assert queue.take().missing and calls == ["change"]
    queue.file_written(b"ghost.py")
    queue.hint([b"ghost.py"])
    assert not queue.take().paths and not queue.take_written() and calls == ["change"]
    queue.missing(False)
    assert queue.take().whole
    queue.file_written(b"here.py")
    assert queue.take().paths == queue.take_written() == {b"here.py"}


def test_a_root_removed_is_missing_and_when_it_returns_everything_is_looked_at(repository, tmp_path):
    repository.write("src/a.py", "1")
    with Listener(repository.path) as listener:
        shutil.rmtree(repository.path)
        assert listener.until(lambda heard: heard.missing).missing
        assert listener.watch.state.missing
        shutil.copytree(_another(tmp_path / "other"), repository.path)
        assert listener.until(lambda heard: heard.whole and not heard.missing).whole
        listener.until(lambda _: listener.watch.state.folders == 2)
        assert listener.follows_the_disk()
        (repository.path / "src/b.py").write_text("2")
        assert listener.hear().paths == {b"src/b.py"}


def _another(folder: Path) -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "src/b.py").write_text("1")
    return folder


@pytest.mark.parametrize("part", ["root", "above"])
def test_a_root_renamed_is_missing_and_heard_no_more_until_it_is_back(tmp_path, part):
    root = tmp_path / "above/root"
    root.mkdir(parents=True)
    moved = root if part == "root" else root.parent
    with Listener(root) as listener:
        os.rename(moved, tmp_path / "elsewhere")
        assert listener.until(lambda heard: heard.missing).missing
        inside = tmp_path / "elsewhere" / ("" if part == "root" else "root")
        (inside / "ghost.py").write_text("1")
        assert not listener.watch.take().paths
        os.rename(tmp_path / "elsewhere", moved)
        assert listener.until(lambda heard: heard.whole and not heard.missing).whole
        assert not listener.watch.state.missing
        (root / "real.py").write_text("1")
        assert b"real.py" in listener.hear().paths


def test_another_folder_in_the_roots_place_is_a_reason_to_look_at_everything(tmp_path):
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (other / "b.py").write_text("1")
    with Listener(root) as listener:
        os.rename(root, tmp_path / "old")
        os.rename(other, root)
        listener.until(lambda heard: heard.whole and not heard.missing)
        assert listener.follows_the_disk()
        (root / "b.py").write_text("2")
        assert listener.hear().paths == {b"b.py"}


def test_a_watch_that_is_lost_is_missed_and_set_again(repository):
    repository.write("src/a.py", "1")
    with Listener(repository.path) as listener:
        events = listener.watch._coverage.events
        folder = events._folders[b"src"]  # type: ignore[union-attr]
        from watchdog.observers.inotify_c import inotify_rm_watch

        inotify_rm_watch(events._queue._inotify_fd, folder.wd)  # type: ignore[union-attr]
        assert b"src" in listener.until(lambda heard: b"src" in heard.paths).paths
        listener.until(lambda _: listener.watch.state.folders == 2)
        repository.write("src/a.py", "2")
        assert b"src/a.py" in listener.hear().paths


def _soon(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
