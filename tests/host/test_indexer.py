"""The indexer is a process that may die: nobody else does, and what it was doing is done again."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import psutil
import pytest

from helix_core.engine import Helix
from helix_core.engine.indexing import Progress
from helix_core.errors import Cancelled, StoreError
from helix_ls.host import child
from helix_ls.host.child import ProgressLines
from helix_ls.host.child_processes import ChildProcess, Indexing, RefreshRequest, fit_in_process, newest_in_process
from helix_ls.host.host import Host
from helix_ls.host.parent import AUTOGROUP
from helix_ls.host.settings import Settings
from tests.engine.repository import FILES
from tests.host.clients import Caller, until
from tests.host.conftest import processes_of
from tests.host.opened import Heard, cold_digest, opened


@pytest.fixture(autouse=True)
def own_folders(environ, monkeypatch):
    for name, value in environ.items():
        if name.startswith("HELIX_"):
            monkeypatch.setenv(name, value)


def many_files(project, count=150):
    for number in range(count):
        text = "".join(f"def function_{number}_{line}():\n    return {line}\n" for line in range(30))
        (project / f"many{number}.py").write_text(text)


def ordered(**more):
    return json.dumps({"rebuild": False, "paths": []} | Settings().wire() | more)


def indexer(project, environ, *arguments):
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "helix_ls.host.child", "index", str(project)],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_tells_its_progress_and_what_it_did_in_lines(project, environ):
    many_files(project)
    with indexer(project, environ) as process:
        process.stdin.write(ordered() + "\n")
        process.stdin.flush()
        lines = [json.loads(line) for line in process.stdout]
    assert process.returncode == 0
    assert lines[-1]["report"]["parsed"] == len(FILES) + 150
    done = [line["done"] for line in lines if line.get("phase") == "indexing"]
    assert done == sorted(done)


@pytest.mark.slow
def test_it_ends_and_keeps_what_it_has_when_who_started_it_is_killed(project, environ):
    many_files(project, 300)
    with indexer(project, environ) as process:
        process.stdin.write(ordered() + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if json.loads(line).get("done", 0) > 150:
                break
        process.stdin.close()
        assert json.loads(process.stdout.readlines()[-1]) == {"cancelled": True}
        assert process.wait(60) == 0
    with Helix.open(project) as helix:
        assert 64 <= helix.summary().files < 300


def test_without_an_order_it_does_nothing(project, environ):
    with indexer(project, environ) as process:
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stdout.read() == ""


def test_what_it_cannot_do_it_says_in_one_line(tmp_path, environ):
    with indexer(tmp_path / "nowhere", environ) as process:
        process.stdin.write(ordered() + "\n")
        process.stdin.flush()
        assert "nowhere" in json.loads(process.stdout.readline())["failed"]


def test_a_defect_is_told_by_type_and_place_and_nothing_is_printed(project, environ):
    with indexer(project, environ) as process:
        process.stdin.write('{"restricted": false}\n')
        process.stdin.flush()
        said = json.loads(process.stdout.readline())
        assert said["failed"].startswith("an internal error: KeyError at child.py:")
        assert process.wait(60) == 1
        assert process.stderr.read() == ""


PRIORITIES = """
import os
from helix_ls.host.parent import AUTOGROUP, lower_priority, lower_session_priority
# The first session of a container belongs to no group: the file is empty then.
session = lambda: (open(AUTOGROUP).read().split() or ["none"])[-1]
before = session()
lower_priority(7)
lower_session_priority(7)
print(before, session(), os.nice(0), os.sched_getscheduler(0))
"""


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists(AUTOGROUP), reason="the kernel groups no processes by session")
@pytest.mark.parametrize("leads", [True, False])
def test_its_session_has_a_low_priority_where_linux_groups_processes_by_session(leads):
    """Its niceness alone counts within its session only. A session that it does not lead is somebody else's."""
    told = subprocess.run(
        [sys.executable, "-c", PRIORITIES], capture_output=True, text=True, check=True, start_new_session=leads
    )
    before, after, *rest = told.stdout.split()
    assert after == ("7" if leads else before)
    assert rest == [str(os.nice(0) + 7), str(os.SCHED_BATCH)]


def test_a_first_index_keeps_the_priority_of_its_session(project, monkeypatch):
    lowered, sent = [], []
    monkeypatch.setattr(child, "lower_session_priority", lowered.append)
    child._index(project, json.loads(ordered()), sent.append)
    assert not lowered, "everybody waits for a first index"
    child._index(project, json.loads(ordered()), sent.append)
    assert lowered == [child.INDEX_NICE]
    assert [line["report"]["files"] for line in sent if "report" in line] == [len(FILES)] * 2


def test_some_paths_are_brought_up_to_date_without_looking_at_the_rest(project, environ):
    with Helix.open(project) as helix:
        helix.refresh()
        (project / "app/one.py").write_text("def one():\n    return 1\n")
        (project / "app/two.py").write_text("def two():\n    return 1\n")
        outcome = Indexing(project).run(RefreshRequest(paths=(b"app/one.py",)), Settings(), lambda *_: None)
        assert outcome.end == "done"
        assert outcome.report["added"] == 1
        assert helix.search("two")["items"] == [] or helix.search("two")["items"][0]["source_id"] != "app/two.py"


def test_few_small_files_fit_beside_the_questions_also_in_a_folder(tmp_path):
    (tmp_path / "small").write_bytes(b"x" * 10)
    (tmp_path / "large").write_bytes(b"x" * 1000)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one").write_bytes(b"x" * 10)
    assert fit_in_process(tmp_path, [b"small", b"gone"], most=2, most_bytes=10)
    assert not fit_in_process(tmp_path, [b"small", b"gone", b"away"], most=2, most_bytes=10)
    assert not fit_in_process(tmp_path, [b"large"], most=2, most_bytes=10)
    assert fit_in_process(tmp_path, [b"folder"], most=2, most_bytes=10)
    assert not fit_in_process(tmp_path, [b"folder"], most=1, most_bytes=10)
    assert not fit_in_process(tmp_path, [b"folder"], most=2, most_bytes=9)


def test_a_new_folder_stands_for_its_files_and_none_is_chosen_twice(tmp_path):
    (tmp_path / "new/sub/.git").mkdir(parents=True)
    for seconds, name in enumerate(("new/1.py", "new/sub/2.py", "new/sub/.git/config", "3.py")):
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (seconds, seconds))
    (tmp_path / "new/link.py").symlink_to(tmp_path / "3.py")
    reported = [b"new", b"new/sub", b"new/sub/2.py", b"gone"]

    def newest(paths, most=4, hinted=(), keep=lambda _path: True):
        return newest_in_process(tmp_path, paths, hinted, most=most, most_bytes=10, keep=keep)

    assert newest(reported) == (b"new/sub/2.py", b"new/1.py")
    assert newest(reported, hinted=[b"new/1.py"]) == (b"new/1.py", b"new/sub/2.py")
    assert newest([b"new", b"3.py"], most=1) == (b"3.py",)
    assert newest([b"new"], keep=lambda path: not path.endswith(b"2.py")) == (b"new/1.py",)


@pytest.mark.slow
def test_killed_in_the_middle_it_is_started_again_and_the_index_ends_as_a_cold_build(project, tmp_path):
    many_files(project, 200)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.until(lambda: workspace.status.done > 10, "some files are done")
        first = workspace.indexer_pid
        children = psutil.Process(first).children(recursive=True)
        os.kill(first, signal.SIGKILL)
        await heard.until(lambda: workspace.indexer_pid not in (0, first), "it is started again")
        await heard.state("fresh")
        assert await heard.digest() == cold_digest(project, tmp_path / "cold")
        assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
        await host.close()

    asyncio.run(main())


def test_one_that_always_dies_in_the_same_place_is_left_alone_until_somebody_asks(project, monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'helix_ls.host.child' in sys.orig_argv: os.abort()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("helix_ls.host.child_processes.FIRST_RETRY_S", 0.05)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        status = await heard.state("error")
        assert "signal 6" in status.message
        assert "3 times" in status.message
        with pytest.raises(StoreError):
            await workspace.refresh()
        monkeypatch.setenv("PYTHONPATH", "")
        assert (await workspace.refresh())["parsed"] == len(FILES)
        await heard.state("fresh")
        await host.close()

    asyncio.run(main())


@pytest.mark.slow
def test_an_order_that_is_cancelled_says_so(project):
    many_files(project, 200)

    async def main():
        async with opened(project) as heard:
            rebuilding = asyncio.ensure_future(heard.workspace.rebuild())
            await heard.until(lambda: heard.workspace.status.done > 5, "it is under way")
            heard.workspace.cancel()
            with pytest.raises(Cancelled):
                await rebuilding

    asyncio.run(main())


def test_the_daemon_outlives_its_indexer_and_leaves_no_worker_when_it_is_killed_itself(project, environ, editor):
    many_files(project, 300)
    window = editor()
    window.begin(project)
    window.live("indexing")
    facts = until(lambda: _with_indexer(environ), "an indexer")
    os.kill(facts["workspaces"][0]["indexer_pid"], signal.SIGKILL)
    window.live("fresh")
    window.ask("workspace/executeCommand", {"command": "helix.index.rebuild", "arguments": [{}]})
    assert until(lambda: _with_indexer(environ), "a rebuild")["pid"] == facts["pid"]
    others = [process for process in processes_of(environ) if process.pid not in (facts["pid"], window.process.pid)]
    assert others
    os.kill(facts["pid"], signal.SIGKILL)
    window.process.stdin.close()
    window.close()
    until(lambda: not [one for one in others if one.is_running()], "no orphan is left")


def _with_indexer(environ):
    """The daemon's facts while an indexer runs."""
    with Caller(environ) as call:
        facts = call("daemon.status")["result"]
    return facts if facts["workspaces"] and facts["workspaces"][0]["indexer_pid"] else None


def test_a_closed_child_is_ended_and_none_is_started_any_more(project, environ, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    many_files(project, 300)
    child = ChildProcess("index", project)
    request = {"rebuild": False, "paths": []} | Settings().wire()
    last, _ = child.run(request, lambda _progress: child.close())
    assert (last, child.was_stopped, child.pid) == ({}, True, 0)
    assert child.run(request, lambda _progress: pytest.fail("it was started")) == ({}, 0)
    assert not child.was_stopped


def test_progress_is_a_line_an_interval_and_one_at_each_new_phase():
    now, lines = [0.0], []
    progress = ProgressLines(lines.append, 0.1, clock=lambda: now[0])
    for at, phase, done in (
        (0.0, "read", 1),
        (0.05, "read", 2),
        (0.11, "read", 3),
        (0.12, "embed", 0),
        (0.2, "embed", 1),
    ):
        now[0] = at
        progress.show(Progress(phase, done, 9))
    assert [(line["phase"], line["done"]) for line in lines] == [("read", 1), ("read", 3), ("embed", 0)]
