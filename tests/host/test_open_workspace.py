"""A workspace that is open follows the disk, by whoever tells of it."""

import asyncio
import itertools
import os
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.errors import BusyStoreError, Cancelled, WorkspaceError
from helix_core.model import MOST_UNINDEXED, NO_CHANGES
from helix_core.workspace.watch import Settled, settle
from helix_ls.host import open_workspace, watcher
from helix_ls.host.calls import FIRST_INDEX_S, first_indexed
from helix_ls.host.child_processes import Run
from helix_ls.host.host import Host
from helix_ls.host.index_thread import SAVED_BATCH_FILES, IndexThread
from helix_ls.host.loop import LoopLag, new_loop
from tests.engine.repository import FILES, git, write
from tests.host.opened import DEADLINE_S, Heard, cold_digest, opened


@pytest.fixture(autouse=True)
def own_folders(environ, monkeypatch):
    """The host in this process, and the children it starts, keep to the test's folders."""
    for name, value in environ.items():
        if name.startswith("HELIX_"):
            monkeypatch.setenv(name, value)


def on_a_processor():
    """Seconds, less those for which this thread waited for a processor: what a busy machine adds."""
    started = time.monotonic()
    try:
        waited_ns = int(Path("/proc/thread-self/schedstat").read_text().split()[1])
    except OSError:
        return started
    return started - waited_ns / 1e9


def run(coroutine):
    """Run on a loop that knows its lag; 50 ms is the most a loop may be kept, and a busy machine adds its own."""
    lag = LoopLag()
    with asyncio.Runner(loop_factory=lambda: new_loop(lag, on_a_processor)) as runner:
        runner.run(coroutine)
    return lag


def test_opening_tells_its_steps_and_ends_fresh_with_all_files(project):
    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        assert workspace.status.state == "starting"
        heard = Heard(workspace)
        status = await heard.state("fresh")
        assert (status.files, status.branch, status.watching) == (len(FILES), "main", "events")
        assert len(status.head) == 40
        states = [state for state, _ in itertools.groupby(change.status.state for change in heard.changes)]
        assert states == ["indexing", "fresh"]
        await host.close()

    run(main())


def test_a_save_is_indexed_once_though_watcher_and_editor_both_tell_of_it(project):
    async def main():
        async with opened(project) as heard:
            heard.changes.clear()
            (project / "app/routing.py").write_text("def entirely_new_routing():\n    return 1\n")
            heard.workspace.hint([b"app/routing.py"])
            await heard.until(lambda: any(b"app/routing.py" in one.paths for one in heard.changes), "the save")
            await heard.finds("entirely_new_routing", "app/routing.py")
            heard.workspace.hint([b"app/routing.py"])
            await asyncio.sleep(0.5)
            report = await heard.workspace.refresh()
            assert (report["parsed"], report["changed"], report["touched"]) == (0, 0, 0)
            told = [one for one in heard.changes if b"app/routing.py" in one.paths]
            assert 1 <= len(told) <= 2

    run(main())


def test_a_save_read_as_it_was_written_is_looked_at_again_until_the_index_is_level(project):
    async def main():
        async with opened(project) as heard:
            for number in range(5):
                (project / "app/routing.py").write_text(f"def route_{number}():\n    return 1\n")
                await asyncio.sleep(0.03 * number)
            deadline = time.monotonic() + 60
            while not (await heard.workspace.ask(lambda helix: helix.status()))["fresh"]:
                assert time.monotonic() < deadline, "the index never came level with the disk"
                await asyncio.sleep(0.05)

    run(main())


def test_without_a_watcher_an_editors_word_is_enough(project):
    async def main():
        async with opened(project, watch="off") as heard:
            assert heard.workspace.status.watching == "off"
            (project / "app/new.py").write_text("def told_by_the_editor():\n    return 1\n")
            heard.workspace.hint([b"app/new.py"])
            await heard.finds("told_by_the_editor", "app/new.py")

    run(main())


def test_polling_is_said_and_follows(project):
    async def main():
        async with opened(project, watch="polling") as heard:
            assert heard.workspace.status.watching == "polling"
            (project / "app/new.py").write_text("def found_by_polling():\n    return 1\n")
            await heard.finds("found_by_polling", "app/new.py")

    run(main())


@pytest.mark.slow
def test_another_branch_and_back_ends_as_a_cold_build_with_nothing_parsed_twice(project, tmp_path):
    async def main():
        git(project, "switch", "-q", "-c", "other")
        for number in range(210):
            (project / f"m{number}.py").write_text(f"def module_{number}():\n    return {number}\n")
        (project / "app/routing.py").unlink()
        git(project, "add", "-A")
        git(project, "commit", "-q", "-m", "Other")
        other = cold_digest(project, tmp_path / "cold-other")
        git(project, "switch", "-q", "main")
        main_digest = cold_digest(project, tmp_path / "cold-main")
        async with opened(project) as heard:
            assert await heard.digest() == main_digest
            git(project, "switch", "-q", "other")
            await heard.settles_as(other)
            await heard.until(lambda: heard.workspace.status.branch == "other", "the branch")
            git(project, "switch", "-q", "main")
            await heard.settles_as(main_digest)
            await heard.until(lambda: heard.workspace.status.branch == "main", "the branch")
            assert (await heard.workspace.refresh())["parsed"] == 0

    run(main())


def test_a_storm_of_commits_and_resets_ends_as_a_cold_build(project, tmp_path):
    async def main():
        async with opened(project) as heard:
            for number in range(8):
                (project / "app/storm.py").write_text(f"def storm_{number}():\n    return {number}\n")
                git(project, "add", "-A")
                git(project, "commit", "-q", "-m", f"Storm {number}")
                await asyncio.sleep(0.01)
            git(project, "reset", "-q", "--hard", "HEAD~3")
            await heard.settles_as(cold_digest(project, tmp_path / "cold"))
            head = git(project, "rev-parse", "HEAD").strip()
            await heard.until(lambda: heard.workspace.status.head == head, "the head")

    run(main())


def test_git_writing_its_index_again_is_no_reason_to_look_at_everything(project):
    async def main():
        async with opened(project) as heard:
            heard.changes.clear()
            os.utime(project / "README.md")
            git(project, "status")
            git(project, "update-index", "--refresh")
            await asyncio.sleep(1.2)
            assert not [one for one in heard.changes if one.everything]
            git(project, "commit", "-q", "--allow-empty", "-m", "Empty")
            await heard.until(lambda: any(one.everything for one in heard.changes), "a commit is")

    run(main())


def test_two_who_ask_for_a_folder_share_it_until_the_last_has_left(project):
    async def main():
        host = Host(mode="solo", linger_s=0)
        first = await host.attach(project, trusted=True)
        (project.parent / "link").symlink_to(project)
        second = await host.attach(project.parent / "link", trusted=True)
        assert first is second
        await host.detach(first)
        await Heard(second).state("fresh")
        assert (await second.ask(lambda helix: helix.search("sign_cookie")))["items"]
        await host.detach(second)
        assert list(host.workspaces) == []
        await host.close()

    run(main())


def test_a_folder_lingers_so_that_a_window_that_comes_back_finds_it_warm(project):
    async def main():
        host = Host(mode="solo", linger_s=30)
        first = await host.attach(project, trusted=True)
        await Heard(first).state("fresh")
        await host.detach(first)
        again = await host.attach(project, trusted=True)
        assert again is first
        assert again.status.state == "fresh"
        await host.close()

    run(main())


def test_a_folder_nobody_trusts_sets_nothing(project):
    (project / "helix.toml").write_text('[index]\nexclude = ["app/"]\n')

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=False)
        heard = Heard(workspace)
        status = await heard.state("fresh")
        assert status.restricted
        assert (await workspace.ask(lambda helix: helix.search("sign_cookie")))["items"]
        await host.attach(project, trusted=True)
        assert not workspace.status.restricted
        await heard.loses("match_route", "app/routing.py")
        await host.detach(workspace, trusted=True)
        assert workspace.status.restricted
        await heard.finds("match_route", "app/routing.py")
        await host.close()

    run(main())


def test_what_an_editors_settings_leave_out_is_left_out_at_once(project):
    async def main():
        async with opened(project) as heard:
            heard.workspace.set_index_options(exclude=("app/routing.py", "bad\nline", ""), max_file_bytes=1)
            await heard.loses("match_route", "app/routing.py")
            heard.workspace.set_index_options(exclude=None, max_file_bytes=None)
            await heard.finds("match_route", "app/routing.py")
            heard.workspace.set_index_options(include=("app/sessions.py", "tests/", "bad\nline"))
            await heard.loses("match_route", "app/routing.py")
            heard.workspace.set_index_options(include=())
            await heard.finds("match_route", "app/routing.py")
            heard.workspace.set_index_options(max_files=1)
            await heard.loses("match_route", "app/routing.py", is_known=False)
            heard.workspace.set_index_options(max_files=-1)
            await heard.finds("match_route", "app/routing.py")

    run(main())


def test_paused_nothing_is_indexed_and_resumed_everything(project):
    async def main():
        async with opened(project) as heard:
            heard.workspace.pause()
            await heard.state("paused")
            (project / "app/new.py").write_text("def written_while_paused():\n    return 1\n")
            await asyncio.sleep(0.5)
            assert not any(b"app/new.py" in one.paths for one in heard.changes)
            heard.workspace.resume()
            await heard.finds("written_while_paused", "app/new.py")
            assert heard.workspace.status.state == "fresh"

    run(main())


def test_what_changed_while_paused_is_pointed_at_and_nothing_is_called_absent(project):
    async def main():
        async with opened(project) as heard:
            heard.workspace.pause()
            await heard.state("paused")
            write(project, {"app/zeta.py": "def zeta(x):\n    return x\n"})
            packet = await heard.workspace.ask(lambda helix: helix.packet("where is zeta defined"))
            assert not packet["known_empty"]
            assert packet["coordinate_confidence"] <= 0.5
            assert packet["accounting"]["indexed_share"] < 1
            assert any("not complete yet" in note for note in packet["notes"])
            assert "app/zeta.py" in {one["source_id"] for one in packet["needs_refresh"]}
            sentence = await heard.workspace.ask(lambda helix: helix.symbols.unknown("zeta"))
            assert "app/zeta.py" in sentence and "not complete yet" in sentence
            checked = await heard.workspace.ask(lambda helix: helix.check("`zeta(x)` is in `app/zeta.py`."))
            assert any("not complete yet" in note for note in checked["notes"])
            heard.workspace.resume()
            await heard.finds("zeta", "app/zeta.py")
            packet = await heard.workspace.ask(lambda helix: helix.packet("where is zeta defined"))
            assert packet["notes"] == [] and packet["accounting"]["indexed_share"] == 1

    run(main())


def test_while_more_changed_than_is_remembered_nothing_is_called_absent(project):
    async def main():
        async with opened(project) as heard:
            heard.workspace.pause()
            await heard.state("paused")
            write(project, {f"many/f{number}.txt": "one\n" for number in range(2 * MOST_UNINDEXED)})
            (project / "many").rename(project / "others")
            write(project, {f"app/f{number}.py": f"number = {number}\n" for number in range(2 * MOST_UNINDEXED)})
            packet = await heard.workspace.ask(lambda helix: helix.packet("where is quokka_wombat_numbat defined"))
            assert not packet["known_empty"]
            assert any("behind the disk" in note for note in packet["notes"])
            heard.workspace.resume()
            await heard.state("fresh")
            await heard.loses("where is quokka_wombat_numbat defined", "app/f1.py")

    run(main())


def many_files(project, count=200):
    for number in range(count):
        text = "".join(f"def function_{number}_{line}():\n    return {line}\n" for line in range(40))
        (project / f"many{number}.py").write_text(text)


@pytest.mark.slow
def test_a_whole_refresh_that_is_cancelled_keeps_what_it_has_and_goes_on_when_resumed(project, tmp_path):
    many_files(project)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.until(lambda: workspace.status.done > 20, "some files are done")
        workspace.cancel()
        status = await heard.state("paused")
        assert "canceled" in status.message
        kept = (await workspace.ask(lambda helix: helix.summary())).files
        assert 0 < kept < 200
        workspace.resume()
        await heard.state("fresh")
        assert await heard.digest() == cold_digest(project, tmp_path / "cold")
        await host.close()

    run(main())


@pytest.mark.slow
def test_questions_are_answered_while_everything_is_indexed_and_the_loop_is_not_kept(project):
    many_files(project)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        asked = 0
        while workspace.status.state != "fresh":
            await workspace.ask(lambda helix: helix.packet("where is function_7_3"))
            asked += 1
        assert asked >= 3
        done = [(one.status.done, one.status.total) for one in heard.changes if one.status.phase == "indexing"]
        assert done == sorted(done)
        await host.close()

    lag = run(main())
    assert lag.worst_ever_s < 0.5


def test_a_rebuild_gives_the_same_index(project):
    async def main():
        async with opened(project) as heard:
            before = await heard.digest()
            report = await heard.workspace.rebuild()
            assert report["schema"] == "helix.index/1"
            assert report["parsed"] == len(FILES)
            assert await heard.digest() == before

    run(main())


def test_a_removed_index_is_told_in_one_answer_whichever_thread_gives_it(project):
    async def main():
        async with opened(project) as heard:
            asks = [lambda helix: (helix.index_path, helix.packet("sign_cookie")["notes"])] * 8
            answers = await asyncio.gather(*map(heard.workspace.ask, asks))
            shutil.rmtree(answers[0][0].parent)
            answers = await asyncio.gather(*map(heard.workspace.ask, asks))
            answers += await asyncio.gather(*map(heard.workspace.ask, asks))
            assert sum("was removed or replaced" in note for _, notes in answers for note in notes) == 1
            await heard.finds("sign_cookie", "app/sessions.py")

    run(main())


def test_an_index_removed_at_the_end_of_its_refresh_is_built_again(project, environ, monkeypatch):
    run_to_end, ended = IndexThread._run_to_end, []

    def then_removed(self, request):
        outcome = run_to_end(self, request)
        if not ended:
            shutil.rmtree(Path(environ["HELIX_CACHE_DIR"]) / "workspaces")
        ended.append(outcome.end)
        return outcome

    monkeypatch.setattr(IndexThread, "_run_to_end", then_removed)

    async def main():
        async with opened(project) as heard:
            assert heard.workspace.status.files == len(FILES)
            assert ended == ["done", "done"]

    run(main())


def test_a_folder_taken_away_is_missing_its_index_is_kept_and_it_is_compared_when_it_returns(project, tmp_path):
    async def main():
        async with opened(project) as heard:
            before = await heard.digest()
            project.rename(tmp_path / "away")
            status = await heard.state("missing")
            assert status.action
            assert status.files == len(FILES)
            with pytest.raises(WorkspaceError):
                await heard.workspace.refresh()
            (tmp_path / "away" / "app/new.py").write_text("def written_while_away():\n    return 1\n")
            (tmp_path / "away").rename(project)
            await heard.state("fresh")
            await heard.finds("written_while_away", "app/new.py")
            (project / "app/new.py").unlink()
            await heard.settles_as(before)

    run(main())


def test_an_empty_folder_in_its_place_is_no_reason_to_forget_everything(project, tmp_path):
    async def main():
        async with opened(project) as heard:
            before = await heard.digest()
            project.rename(tmp_path / "away")
            project.mkdir()
            await heard.state("missing")
            await asyncio.sleep(1.5)
            assert heard.workspace.status.state == "missing"
            shutil.copytree(tmp_path / "away", project, dirs_exist_ok=True)
            await heard.state("fresh")
            await heard.settles_as(before)

    run(main())


def test_what_cannot_be_understood_in_a_workspaces_settings_is_a_note_and_stops_nothing(project):
    (project / "helix.toml").write_text("[index\n")

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        status = await heard.state("fresh")
        assert "helix.toml" in status.message
        await host.close()

    run(main())


def test_a_folder_that_is_none_is_refused(tmp_path):
    async def main():
        host = Host(mode="solo")
        with pytest.raises(WorkspaceError, match="does not exist"):
            await host.attach(tmp_path / "nowhere", trusted=True)
        (tmp_path / "file").write_text("x")
        with pytest.raises(WorkspaceError, match="not a folder"):
            await host.attach(tmp_path / "file", trusted=True)
        await host.close()
        with pytest.raises(WorkspaceError, match="stopping"):
            await host.attach(tmp_path, trusted=True)

    run(main())


def test_closing_ends_orders_and_threads(project):
    many_files(project, 200)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        ordered = asyncio.ensure_future(workspace.rebuild())
        await asyncio.sleep(0.3)
        await host.close()
        with pytest.raises(Cancelled):
            await ordered

    run(main())
    names = {thread.name for thread in threading.enumerate()}
    assert not {name for name in names if name.startswith("helix-")}


def test_a_clock_that_jumps_changes_nothing(project, monkeypatch):
    async def main():
        async with opened(project) as heard:
            real = time.time
            for jump in (86_400, -86_400):
                monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
                name = "later" if jump > 0 else "earlier"
                write(project, {f"app/{name}.py": f"def written_{name}():\n    return 1\n"})
                await heard.finds(f"written_{name}", f"app/{name}.py")
                assert heard.workspace.status.state == "fresh"

    run(main())


def test_a_save_goes_before_what_is_left_of_many_files_beside_a_whole_refresh(project, monkeypatch):
    taken, original = [], Helix.take_saved

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.state("fresh")

        def take(helix, paths):
            taken.append(set(paths))
            report = original(helix, paths)
            if len(taken) == 1:
                write(project, {"app/late.py": "def quokka_late():\n    return 1\n"})
                queued = workspace._index._watcher.queued
                while b"app/late.py" not in queued().paths or workspace._index._next_batch_wait_s() > 0:
                    time.sleep(0.005)
            return report

        monkeypatch.setattr(Helix, "take_saved", take)
        monkeypatch.setattr(Run, "outcome", lambda run: ended(run) if len(taken) > 1 else None)
        ordered = asyncio.ensure_future(workspace.refresh())
        await heard.until(lambda: workspace.indexer_pid, "an indexer")
        write(project, {f"app/f{number}.py": f"def bulk_{number}():\n    return {number}\n" for number in range(20)})
        await heard.finds("quokka_late", "app/late.py")
        assert all(len(paths) <= SAVED_BATCH_FILES for paths in taken)
        assert b"app/late.py" in taken[1]
        await ordered
        await heard.finds("bulk_0", "app/f0.py")
        await heard.finds("bulk_19", "app/f19.py")
        await heard.state("fresh")
        await host.close()

    ended = Run.outcome
    run(main())


@pytest.mark.slow
@pytest.mark.parametrize("is_whole_due", [False, True])
def test_the_newest_file_of_a_bulk_change_does_not_wait_for_the_others(project, monkeypatch, is_whole_due):
    """The child process that indexes the others does not begin before the newest was found, also where a whole refresh
    that was due anyway begins with the change.
    """
    gate, original = threading.Event(), IndexThread._run

    def run_later(thread, request):
        assert gate.wait(DEADLINE_S)
        return original(thread, request)

    async def main():
        async with opened(project, watch="off") as heard:
            monkeypatch.setattr(IndexThread, "_run", run_later)
            files = {f"app/f{number}.py": f"def bulk_{number}():\n    return {number}\n" for number in range(60)}
            write(project, files | {"app/saved.py": "def quokka_saved():\n    return 1\n"})
            later = time.time_ns() + 1_000_000_000
            os.utime(project / "app/saved.py", ns=(later, later))
            try:
                heard.workspace.hint([*map(os.fsencode, files), b"app/saved.py"])
                whole = asyncio.ensure_future(heard.workspace.refresh()) if is_whole_due else None
                await heard.finds("quokka_saved", "app/saved.py")
            finally:
                gate.set()
            assert whole is None or (await whole)["schema"] == "helix.index/1"
            await heard.finds("bulk_0", "app/f0.py")
            await heard.finds("bulk_59", "app/f59.py")
            await heard.state("fresh")

    run(main())


def test_the_newest_file_of_a_new_folder_is_found_though_the_folder_alone_is_reported(project, monkeypatch):
    """What is written below a folder before it is watched causes no event of its own."""
    gate, original = threading.Event(), IndexThread._run

    def run_later(thread, request):
        assert gate.wait(DEADLINE_S)
        return original(thread, request)

    async def main():
        async with opened(project, watch="off") as heard:
            monkeypatch.setattr(IndexThread, "_run", run_later)
            files = {f"bulk/deep/f{number}.py": f"def bulk_{number}():\n    return {number}\n" for number in range(60)}
            write(project, files | {"bulk/saved.py": "def quokka_saved():\n    return 1\n", "bulk/.gitignore": "a\n"})
            for name, seconds in (("bulk/saved.py", 1), ("bulk/.gitignore", 2)):
                later = time.time_ns() + seconds * 1_000_000_000
                os.utime(project / name, ns=(later, later))
            try:
                heard.workspace.hint([b"bulk"])
                await heard.finds("quokka_saved", "bulk/saved.py")
            finally:
                gate.set()
            await heard.finds("bulk_0", "bulk/deep/f0.py")
            await heard.finds("bulk_59", "bulk/deep/f59.py")
            await heard.state("fresh")

    run(main())


def ingesting(indexer):
    """The workers of an indexer."""
    with suppress(psutil.NoSuchProcess):
        return [each for each in indexer.children(recursive=True) if "spawn_main" in " ".join(each.cmdline())]


@pytest.mark.slow
def test_a_save_is_taken_at_once_while_a_whole_refresh_stands_still(project):
    """The workers of the whole refresh are stopped: nothing of it can end before the save was found."""

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.state("fresh")
        write(project, {f"bulk/f{number}.py": f"def bulk_{number}():\n    return {number}\n" for number in range(600)})
        await heard.until(lambda: workspace.indexer_pid, "an indexer")
        indexer = psutil.Process(workspace.indexer_pid)
        workers = await heard.until(lambda: ingesting(indexer), "workers")
        for worker in workers:
            worker.suspend()
        try:
            write(project, {"app/routing.py": "def quokka_route():\n    return 1\n", "app/new.py": "wombat_new = 1\n"})
            workspace.hint([b"app/routing.py"])
            await heard.finds("quokka_route", "app/routing.py")
            await heard.finds("wombat_new", "app/new.py")
            assert workspace.indexer_pid == indexer.pid, "the whole refresh has not ended meanwhile"
        finally:
            for worker in workers:
                worker.resume()
        await heard.until(lambda: workspace.status.state == "fresh" and workspace.status.files > 600, "all files")
        await heard.finds("bulk_599", "bulk/f599.py")
        await heard.finds("quokka_route", "app/routing.py")
        await host.close()

    run(main())


@pytest.mark.slow
def test_a_question_waits_for_the_save_before_it_and_not_for_what_the_indexer_is_at_work_on(project, monkeypatch):
    """Many files are left to a refresh that stands still, and no debounce ends: the one question finds the save."""
    monkeypatch.setattr(open_workspace, "CATCH_UP_S", DEADLINE_S)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.state("fresh")
        write(project, {f"app/f{number}.py": f"def bulk_{number}():\n    return {number}\n" for number in range(600)})
        await heard.until(lambda: workspace.indexer_pid, "an indexer")
        await heard.until(lambda: not workspace._index.has_changes, "the bulk is taken")
        workers = await heard.until(lambda: ingesting(psutil.Process(workspace.indexer_pid)), "workers")
        for worker in workers:
            worker.suspend()
        try:
            monkeypatch.setattr(watcher, "settle", lambda now, _: Settled(False, now + DEADLINE_S))
            write(project, {"app/okapi.py": "wombat_gnu = 1\n"})
            found = await workspace.ask(lambda helix: helix.search("wombat_gnu")["items"])
            assert [one["source_id"] for one in found[:1]] == ["app/okapi.py"]
            assert not workspace._index._watcher.unindexed().is_listed, "the bulk is still said to be missing"
        finally:
            monkeypatch.setattr(watcher, "settle", settle)
            for worker in workers:
                worker.resume()
        await heard.until(lambda: workspace.status.state == "fresh" and workspace.status.files > 600, "all files")
        await host.close()

    run(main())


def test_what_is_left_to_the_indexer_is_told_and_not_waited_for(project):
    watching = watcher.WorkspaceWatcher(project, "off", lambda: None, lambda: None)
    watching.start(load_config(project))
    try:
        watching.hint([b"app"])
        watching.take()
        assert watching.soon_indexed() == {b"app"}, "taken, and perhaps indexed in this process"
        watching.leave_taken()
        assert (watching.soon_indexed(), watching.unindexed().paths) == (frozenset(), (b"app",))
        watching.hint([b"app/routing.py"])
        assert watching.soon_indexed() == {b"app/routing.py"}
        turn = watching.turn
        watching.take()
        watching.done([b"app/routing.py"])
        assert watching.soon_indexed() == frozenset()
        watching.done_before(turn)
        assert watching.unindexed() == NO_CHANGES
        watching.hint(os.fsencode(path.relative_to(project)) for path in many_new(project))
        assert watching.soon_indexed() == frozenset() and not watching.unindexed().is_listed
        watching.take()
        watching.hint([b"app/routing.py"])
        assert watching.soon_indexed() == {b"app/routing.py"}, "and not the many that were taken before it"
        watching.leave_taken()
        assert not watching.unindexed().is_listed
    finally:
        watching.stop()


def many_new(project):
    """More new files than are listed one by one."""
    names = [f"app/new{number}.py" for number in range(MOST_UNINDEXED + 1)]
    write(project, dict.fromkeys(names, "x = 1\n"))
    return [project / name for name in names]


def test_a_save_that_waited_in_vain_for_another_transaction_is_tried_again_beside_a_whole_refresh(project, monkeypatch):
    """An indexer without CPU time can hold a transaction for longer than the busy timeout."""
    taken, original, ended = [], Helix.take_saved, Run.outcome

    def take(helix, paths):
        taken.append(set(paths))
        if len(taken) < 3:
            raise BusyStoreError("Another process writes.")
        return original(helix, paths)

    async def main():
        host = Host(mode="solo", linger_s=0)
        workspace = await host.attach(project, trusted=True)
        heard = Heard(workspace)
        await heard.state("fresh")
        monkeypatch.setattr(Helix, "take_saved", take)
        monkeypatch.setattr(Run, "outcome", lambda run: ended(run) if is_found else None)
        ordered = asyncio.ensure_future(workspace.refresh())
        await heard.until(lambda: workspace.indexer_pid, "an indexer")
        write(project, {"app/late.py": "def quokka_late():\n    return 1\n"})
        await heard.finds("quokka_late", "app/late.py")
        is_found.append(True)
        assert taken[:3] == [{b"app/late.py"}] * 3
        await ordered
        await heard.state("fresh")
        await host.close()

    is_found: list[bool] = []
    run(main())


def test_a_rule_outside_the_tree_that_goes_brings_its_files_back(project, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\texcludesFile = {home}/mine\n")
    (home / "mine").write_text("numbat.py\n")
    monkeypatch.setenv("HOME", str(home))
    write(project, {"numbat.py": "def numbat_plan():\n    return 1\n"})

    async def main():
        async with opened(project) as heard:
            found = await heard.workspace.ask(lambda helix: helix.search("numbat_plan")["items"])
            assert all(item["source_id"] != "numbat.py" for item in found)
            (home / "mine").write_text("")
            await heard.finds("numbat_plan", "numbat.py")

    run(main())


class Indexing:
    """What ``first_indexed`` sees of a workspace whose first index is not done."""

    def __init__(self, opened_at):
        self.opened_at, self.was_settled, self.waiting = opened_at, False, []

    def subscribe(self, look):
        self.waiting.append(look)
        return lambda: self.waiting.remove(look)


def test_only_the_questions_of_a_folders_first_seconds_wait_for_its_first_index():
    async def asked():
        now = asyncio.get_running_loop().time()
        late = Indexing(now - FIRST_INDEX_S)
        await asyncio.wait_for(first_indexed(late), FIRST_INDEX_S)
        assert late.waiting == []
        early = Indexing(now)
        question = asyncio.ensure_future(first_indexed(early))
        await asyncio.sleep(0)
        assert len(early.waiting) == 1 and not question.done()
        early.was_settled = True
        early.waiting[0]()
        await question
        # The time of a folder runs out once, not for each question.
        nearly = Indexing(asyncio.get_running_loop().time() - FIRST_INDEX_S + 0.05)
        await first_indexed(nearly)
        assert asyncio.get_running_loop().time() >= nearly.opened_at + FIRST_INDEX_S
        assert nearly.waiting == []

    asyncio.run(asked())
