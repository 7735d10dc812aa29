"""An open workspace follows git in every shape of repository: a second work tree, a submodule, a detached HEAD."""

import asyncio

import pytest

from tests.engine.repository import FILES, git, write
from tests.host.opened import cold_digest, opened


@pytest.fixture(autouse=True)
def own_folders(environ, monkeypatch):
    for name, value in environ.items():
        if name.startswith("HELIX_"):
            monkeypatch.setenv(name, value)


def switched(folder, tmp_path):
    """Open it, go to another commit and back: each time the index ends as one built from nothing."""
    write(folder, {"app/only_there.py": "def only_there():\n    return 1\n"})
    (folder / "app/routing.py").unlink()
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "There")
    there, there_digest = git(folder, "rev-parse", "HEAD").strip(), cold_digest(folder, tmp_path / "cold-there")
    git(folder, "checkout", "-q", "--detach", "HEAD~1")
    here, here_digest = git(folder, "rev-parse", "HEAD").strip(), cold_digest(folder, tmp_path / "cold-here")

    async def main():
        async with opened(folder) as heard:
            assert await heard.digest() == here_digest
            for head, digest in ((there, there_digest), (here, here_digest), (there, there_digest)):
                git(folder, "checkout", "-q", "--detach", head)
                await heard.settles_as(digest)
                await heard.until(lambda head=head: heard.workspace.status.head == head, "the head")
                assert heard.workspace.status.branch == ""
            await heard.state("fresh")
            assert (await heard.workspace.refresh())["parsed"] == 0

    asyncio.run(main())


def test_a_detached_head_is_followed_there_and_back(project, tmp_path):
    switched(project, tmp_path)


def test_a_second_work_tree_is_followed_by_its_own_head(project, tmp_path):
    git(project, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert (tmp_path / "side/.git").is_file()
    switched(tmp_path / "side", tmp_path)


def test_a_submodule_that_is_opened_by_itself_is_followed(project, tmp_path):
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(project), "inner")
    git(outer, "commit", "-q", "-m", "Inner")
    assert (outer / "inner/.git").is_file()
    switched(outer / "inner", tmp_path)


def test_a_submodule_moved_to_another_commit_is_followed_from_the_outer_folder(project, tmp_path):
    write(project, {"app/later.py": "def later_in_the_inner_one():\n    return 1\n"})
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Later")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(project), "inner")
    git(outer, "commit", "-q", "-m", "Inner")
    git(outer / "inner", "checkout", "-q", "HEAD~1")

    async def main():
        async with opened(outer) as heard:
            assert heard.workspace.status.files >= len(FILES)
            git(outer / "inner", "checkout", "-q", "main")
            await heard.finds("later_in_the_inner_one", "inner/app/later.py")
            git(outer / "inner", "checkout", "-q", "HEAD~1")
            await heard.settles_as(cold_digest(outer, tmp_path / "cold"))

    asyncio.run(main())


def test_a_repository_made_and_unmade_around_an_open_folder_is_followed(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    write(folder, FILES)

    async def main():
        async with opened(folder) as heard:
            assert heard.workspace.status.branch == ""
            git(folder, "init", "-q", "-b", "trunk")
            git(folder, "add", "-A")
            git(folder, "commit", "-q", "-m", "Begin")
            await heard.until(lambda: heard.workspace.status.branch == "trunk", "the branch")
            (folder / "app/new.py").write_text("def after_the_init():\n    return 1\n")
            await heard.finds("after_the_init", "app/new.py")

    asyncio.run(main())
