"""A status never says that all is fresh while something that was heard of waits to be indexed."""

import asyncio
import itertools
import os
import time

import pytest

from helix_core.workspace.watch.change_queue import ChangeQueue
from helix_core.workspace.watch.watch import Coverage
from helix_ls.host.election import reach
from helix_ls.host.open_workspace import LONGEST_LOOK_S, LookBackoff
from tests.engine.repository import git
from tests.host.clients import Caller, until
from tests.host.opened import opened


@pytest.fixture(autouse=True)
def own_folders(environ, monkeypatch):
    for name, value in environ.items():
        if name.startswith("HELIX_"):
            monkeypatch.setenv(name, value)


def test_many_files_saved_at_once_are_work_until_they_are_indexed(project):
    async def main():
        async with opened(project) as heard:
            heard.changes.clear()
            for number in range(120):
                (project / f"app/many_{number}.py").write_text(f"def many_{number}():\n    return {number}\n")
            await heard.state("indexing")
            await heard.finds("many_119", "app/many_119.py")
            await heard.state("fresh")
            assert not any(change.status.total for change in heard.changes if change.status.state == "fresh")

    asyncio.run(main())


def test_while_git_holds_its_lock_what_was_saved_is_said_to_wait(project):
    async def main():
        async with opened(project) as heard:
            lock = project / ".git/index.lock"
            lock.write_text("")
            (project / "app/new.py").write_text("def saved_under_the_lock():\n    return 1\n")
            status = await heard.state("indexing")
            assert (status.phase, status.total) == ("waiting for git", 0)
            os.unlink(lock)
            await heard.finds("saved_under_the_lock", "app/new.py")
            await heard.state("fresh")

    asyncio.run(main())


def test_a_storm_of_a_hundred_heads_is_taken_together_and_ends_as_what_is_on_disk(project):
    async def main():
        for number in range(20):
            (project / "app/storm.py").write_text(f"def storm_{number}():\n    return {number}\n")
            git(project, "add", "-A")
            git(project, "commit", "-q", "-m", f"Storm {number}")
        heads = git(project, "rev-list", "HEAD").split()
        async with opened(project) as heard:
            heard.changes.clear()

            def storm():
                for number in range(100):
                    git(project, "checkout", "-q", "--detach", heads[number % 20])
                git(project, "checkout", "-q", "main")

            await asyncio.to_thread(storm)
            await heard.finds("storm_19", "app/storm.py")
            await heard.until(lambda: heard.workspace.status.branch == "main", "the branch")
            status = await heard.state("fresh")
            assert status.head == heads[0]
            assert sum(bool(change.paths or change.everything) for change in heard.changes) < 50
            assert (await heard.workspace.refresh())["parsed"] == 0

    asyncio.run(main())


@pytest.mark.slow
def test_another_branch_is_never_called_fresh_before_everything_was_compared_under_it(project):
    async def main():
        git(project, "switch", "-q", "-c", "other")
        (project / "app/other.py").write_text("def only_on_the_other_branch():\n    return 1\n")
        git(project, "add", "-A")
        git(project, "commit", "-q", "-m", "Other")
        git(project, "switch", "-q", "main")
        async with opened(project) as heard:
            for number in range(6):
                wanted = ("other", "main")[number % 2]
                await asyncio.to_thread(git, project, "switch", "-q", wanted)
                # A save that is taken on its own tells where git is now, before git itself was heard.
                heard.workspace.hint([b"app/routing.py"])
                await heard.until(
                    lambda: (heard.workspace.status.state, heard.workspace.status.branch) == ("fresh", wanted),  # noqa: B023
                    f"fresh on {wanted}",
                )
                found = await heard.workspace.ask(lambda helix: helix.search("only_on_the_other_branch", k=1))
                is_found = [item["symbol"] for item in found["items"]] == ["only_on_the_other_branch"]
                assert is_found == (wanted == "other")

    asyncio.run(main())


def test_a_call_waits_for_the_first_look_at_a_folder_and_for_no_later_one(project, environ):
    reach(environ, {"kind": "call"}).socket.close()
    with Caller(environ) as call:
        assert call("helix.search", question="sign_cookie", path=str(project))["result"]["items"]
        lock = project / ".git/index.lock"
        lock.write_text("")
        (project / "app/new.py").write_text("def saved_under_the_lock():\n    return 1\n")

        def status():
            return call("helix.status", path=str(project))["result"]

        until(lambda: status()["live"]["state"] == "indexing", "a call is answered while the save waits")
        os.unlink(lock)
        until(lambda: status()["fresh"], "it is indexed")


def ignore_of(home):
    """git's ignore file of the user, who has a home of the test's own."""
    place = home / ".config" / "git" / "ignore"
    place.parent.mkdir(parents=True)
    return place


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def test_a_rule_that_came_and_went_between_two_looks_of_the_watcher_leaves_nothing_behind(project, home, monkeypatch):
    async def main():
        monkeypatch.setattr(Coverage, "compare_rules", lambda _: None)
        (project / "app" / "numbat.py").write_text("def numbat_plan():\n    return 1\n")
        async with opened(project) as heard:
            await heard.finds("numbat_plan", "app/numbat.py")
            place = ignore_of(home)
            place.write_text("numbat.py\n")
            packet = await heard.workspace.ask(lambda helix: helix.packet("numbat_plan"))
            assert "app/numbat.py" not in str(packet)
            place.unlink()
            await heard.finds("numbat_plan", "app/numbat.py")
            deadline = time.monotonic() + 60
            while not (status := await heard.workspace.ask(lambda helix: helix.status()))["fresh"]:
                assert time.monotonic() < deadline, status
                await asyncio.sleep(0.05)
            await heard.state("fresh")

    asyncio.run(main())


def test_a_rule_outside_the_tree_that_no_watcher_heard_of_is_followed_after_the_next_question(
    project, home, monkeypatch
):
    async def main():
        monkeypatch.setattr(Coverage, "compare_rules", lambda _: None)
        (project / "app" / "numbat.py").write_text("def numbat_plan():\n    return 1\n")
        place = ignore_of(home)
        place.write_text("numbat.py\n")
        async with opened(project) as heard:
            assert "numbat" not in str(await heard.workspace.ask(lambda helix: helix.search("numbat_plan")["items"]))
            place.unlink()
            await heard.finds("numbat_plan", "app/numbat.py")

    asyncio.run(main())


def test_a_status_that_sees_a_file_no_event_told_of_has_it_indexed(project, monkeypatch):
    async def main():
        async with opened(project) as heard:
            with monkeypatch.context() as patch:
                patch.setattr(ChangeQueue, "path", lambda *_: None)
                (project / "app" / "numbat.py").write_text("def numbat_plan():\n    return 1\n")
                status = await heard.workspace.ask(lambda helix: helix.status())
                assert status["pending"]["changed_or_new"] == 1
                await heard.finds("numbat_plan", "app/numbat.py")

    asyncio.run(main())


def test_a_difference_that_looking_does_not_end_is_looked_at_ever_less_often():
    backoff, looks = LookBackoff(), []
    for second in range(1_000):
        if backoff.is_due(float(second), differs=True):
            looks.append(second)
    assert looks[:4] == [0, 1, 3, 7]
    assert {later - one for one, later in itertools.pairwise(looks[7:])} == {int(LONGEST_LOOK_S)}
    assert not backoff.is_due(1_000.0, differs=False)
    assert backoff.is_due(1_000.0, differs=True)
