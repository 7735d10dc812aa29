import os
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helix_core.errors import GitError
from helix_core.model import Listing, Skipped
from helix_core.workspace import disk, files, ignore, tracked
from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions, LastListing, ignored_files, list_files, would_count
from helix_core.workspace.git import Git

NOBODY = 65534


def listed(path: Path, options: FileOptions | None = None, only: tuple[bytes, ...] = ()) -> Listing:
    with Root.open(path) as root:
        return list_files(root, Git.open(path), options or FileOptions(), only)


def names(listing: Listing) -> list[bytes]:
    return [file.path for file in listing.files]


def reasons(listing: Listing) -> dict[bytes, str]:
    return {one.path: one.reason for one in listing.skipped}


def test_git_decides_by_nested_rules_excludes_and_the_users_own(repository, own_home):
    (own_home / ".config" / "git").mkdir(parents=True)
    (own_home / ".config" / "git" / "ignore").write_text("*.swp\n")
    (repository.path / ".git" / "info" / "exclude").write_text("private-notes.md\n")
    repository.write(".gitignore", "*.log\nout/\n!keep.log\n")
    repository.write("sub/.gitignore", "!again.log\nlocal.py\n")
    for path in ("a.py", "b.log", "keep.log", "sub/again.log", "sub/local.py", "out/x.py", "c.swp", "private-notes.md"):
        repository.write(path)
    repository.write("tracked.log")
    repository.git("add", "--force", "tracked.log")
    listing = listed(repository.path)
    assert names(listing) == [
        b".gitignore", b"a.py", b"keep.log", b"sub/.gitignore", b"sub/again.log", b"tracked.log",
    ]  # fmt: skip
    assert listing.source == "git" and listing.notes == ()


def test_global_excludes_named_in_the_users_configuration_count(repository, own_home):
    (own_home / "mine").write_text("*.mine\n")
    with open(own_home / ".gitconfig", "a") as file:
        file.write(f"[core]\n\texcludesFile = {own_home}/mine\n")
    repository.write("a.mine")
    repository.write("b.py")
    assert names(listed(repository.path)) == [b"b.py"]


def test_signatures_are_those_of_the_disk_and_order_is_that_of_bytes(repository):
    for path in ("b.py", "B.py", "a/z.py", "a.py", "a-b.py"):
        repository.write(path)
    listing = listed(repository.path)
    assert names(listing) == sorted(names(listing))
    with Root.open(repository.path) as root:
        assert all(file.signature == root.stat(file.path) for file in listing.files)


def test_what_is_gone_from_disk_is_simply_not_listed(repository):
    repository.write("a.py")
    repository.write("b/c.py")
    repository.commit()
    (repository.path / "a.py").unlink()
    (repository.path / "b" / "c.py").unlink()
    (repository.path / "b").rmdir()
    (repository.path / "b").write_text("a file now")
    listing = listed(repository.path)
    assert names(listing) == [b"b"] and listing.skipped == ()


@pytest.mark.parametrize("with_git", [True, False])
def test_what_is_not_a_file_is_recorded_and_never_opened(tmp_path, make_repository, with_git, monkeypatch):
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "real.py").write_text("x")
    (folder / "alias.py").symlink_to("real.py")
    (folder / "up").symlink_to("..")
    (folder / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "fifo")
    if with_git:
        make_repository(folder).git("add", "alias.py", "up")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        listing = listed(folder)
    assert names(listing) == [b"real.py"]
    found = reasons(listing)
    assert {found[name] for name in (b"alias.py", b"up", b"broken")} == {"symlink"}
    assert set(found) - {b"alias.py", b"up", b"broken"} <= {b"fifo", b"socket"}


def test_a_tracked_folder_replaced_by_a_link_is_not_followed(repository, tmp_path):
    repository.write("pkg/a.py")
    repository.commit()
    os.rename(repository.path / "pkg", tmp_path / "elsewhere")
    (repository.path / "pkg").symlink_to(tmp_path / "elsewhere")
    listing = listed(repository.path)
    assert names(listing) == []
    assert set(reasons(listing).values()) == {"symlink"}


def test_odd_names_are_listed_as_they_are(repository):
    odd = [
        b"\xff\xfe.py",
        b"a\nb.py",
        b"-rf",
        b":(glob)x",
        "caf\u00e9".encode(),
        "cafe\u0301".encode(),
        b'q".py',
        b"\ttab",
    ]
    for name in odd:
        repository.write(name)
    assert names(listed(repository.path)) == sorted(odd)
    assert listed(repository.path, only=tuple(odd[:4])).files == tuple(
        file for file in listed(repository.path).files if file.path in odd[:4]
    )
    repository.commit()
    assert names(listed(repository.path)) == sorted(odd)


def test_every_skipped_file_has_its_reason(repository):
    repository.write(".env", "KEY=1\n")
    repository.write("huge.txt", "x" * 3_000_000)
    repository.write("image.png")
    repository.write("notes/draft.md")
    repository.write(".helixignore", "notes/\n")
    listing = listed(repository.path, FileOptions(helixignore=("*.tmp",)))
    assert reasons(listing) == {
        b".env": "private", b"huge.txt": "too_large", b"image.png": "binary", b"notes/draft.md": "helixignore",
    }  # fmt: skip


def test_only_what_is_included_counts_and_nothing_ignored_is_taken_in(repository):
    repository.write(".gitignore", "*.log\n")
    repository.write(".helixignore", "src/gen/\n")
    for path in ("src/a.py", "src/b.log", "src/gen/c.py", "src/old/d.py", "lib/e.py", "f.py", "lib/.env"):
        repository.write(path)
    options = FileOptions(include=("src/", "f.py", "!src/old/"))
    listing = listed(repository.path, options)
    assert names(listing) == [b"f.py", b"src/a.py"] and listing.notes == ()
    assert reasons(listing) == {
        b".gitignore": "not_included", b".helixignore": "not_included", b"lib/.env": "private",
        b"lib/e.py": "not_included", b"src/gen/c.py": "helixignore", b"src/old/d.py": "not_included",
    }  # fmt: skip
    part = listed(repository.path, options, only=(b"lib/e.py", b"src/a.py"))
    assert names(part) == [b"src/a.py"] and reasons(part) == {b"lib/e.py": "not_included"}
    with Root.open(repository.path) as root:
        asked = (b"src/new.py", b"lib/new.py", b"src/old/new.py")
        assert would_count(root, Git.open(repository.path), options, asked) == {b"src/new.py"}


@pytest.mark.parametrize("glob", ["../up", "[", "!", "/", "\\", "a\nb"])
def test_an_included_pattern_that_is_none_is_told_and_the_others_count(repository, glob):
    repository.write("src/a.py")
    repository.write("b.py")
    listing = listed(repository.path, FileOptions(include=(glob, "src/")))
    assert names(listing) == [b"src/a.py"]
    how = "write it as in .gitignore, from the workspace folder: src/, *.py, docs/**/*.md"
    assert listing.notes == (f"index.include: {glob!a} is no path pattern and is ignored; {how}",)
    nothing_sound = listed(repository.path, FileOptions(include=(glob,)))
    assert names(nothing_sound) == [b"b.py", b"src/a.py"], "nothing is lost"
    assert nothing_sound.notes == (
        f"index.include: {glob!a} is no path pattern and is ignored, so that every file counts; {how}",
    )


def test_excluded_patterns_that_are_none_are_told_in_one_note_and_the_others_count(repository):
    repository.write("src/a.py")
    repository.write("b.py")
    wrong = ("[", "!", *(f"[{number}" for number in range(5)))
    listing = listed(repository.path, FileOptions(helixignore=(*wrong, "# a comment", "  ", "src/", "!c.py")))
    assert names(listing) == [b"b.py"]
    (note,) = listing.notes
    assert note.startswith(
        "index.exclude: '[', '!', '[0', '[1', '[2' and 2 more are no path patterns and are ignored; "
    )
    assert listed(repository.path, FileOptions(helixignore=("src/", "!c.py"))).notes == ()


def test_of_more_files_than_the_limit_those_in_the_fewest_folders_count_and_the_rest_is_told(repository):
    for path in ("a/b/deep.py", "a/c.py", "z.py", "d/e.py"):
        repository.write(path)
    listing = listed(repository.path, FileOptions(max_files=2))
    assert names(listing) == [b"a/c.py", b"z.py"]
    assert reasons(listing) == {b"a/b/deep.py": "over_limit", b"d/e.py": "over_limit"}
    assert listing.notes == (
        "2 files are left out and not searched, because index.max_files is 2; raise it, or choose files with "
        "index.include",
    )
    assert listed(repository.path, FileOptions(max_files=4)).notes == ()
    assert names(listed(repository.path, FileOptions(max_files=1, include=("d/",)))) == [b"d/e.py"]


def test_helixignore_files_nest_and_cannot_call_back_what_is_private_or_ignored(repository):
    repository.write(".gitignore", "*.log\n")
    repository.write(".helixignore", "*.gen.py\n/docs/\n!.env\n!a.log\n")
    repository.write("sub/.helixignore", "!keep.gen.py\n*.sql\n")
    for path in ("a.gen.py", "sub/keep.gen.py", "sub/x.sql", "y.sql", "docs/a.md", "sub/docs/b.md", ".env", "a.log"):
        repository.write(path)
    listing = listed(repository.path)
    assert names(listing) == [
        b".gitignore", b".helixignore", b"sub/.helixignore", b"sub/docs/b.md", b"sub/keep.gen.py", b"y.sql",
    ]  # fmt: skip
    assert reasons(listing) == {
        b".env": "private", b"a.gen.py": "helixignore", b"docs/a.md": "helixignore", b"sub/x.sql": "helixignore",
    }  # fmt: skip
    part = listed(repository.path, only=(b"sub/x.sql", b"sub/keep.gen.py"))
    assert names(part) == [b"sub/keep.gen.py"] and reasons(part) == {b"sub/x.sql": "helixignore"}


def test_one_path_can_be_asked_about_alone(repository):
    repository.write(".gitignore", "*.log\n")
    for path in ("a.py", "b.py", "c.log", "d/e.py"):
        repository.write(path)
    assert names(listed(repository.path, only=(b"a.py", b"c.log", b"d"))) == [b"a.py", b"d/e.py"]
    assert names(listed(repository.path, only=(b"nothing",))) == []


def test_a_listing_is_the_same_whatever_was_expected(repository, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text("x = 1\n")
    for name in ("a.py", "b/c.py", "b/.env", "gone.py", "was/a.py", "link.py", "picture.png"):
        repository.write(name, "x = 1\n")
    repository.git("add", "-A")
    (repository.path / "gone.py").unlink()
    shutil.rmtree(repository.path / "was")
    (repository.path / "was").symlink_to(tmp_path / "outside")
    (repository.path / "link.py").unlink()
    (repository.path / "link.py").symlink_to("a.py")
    repository.write(".gitignore", "ignored.py\n")
    repository.write("ignored.py", "x = 1\n")
    expected = [b"ignored.py", b"b/c.py", b"was/a.py", b"link.py", b"gone.py", b"never.py", b"a.py", b"b", b"../x", b""]
    with Root.open(repository.path) as root:
        git = Git.open(repository.path)
        whole = list_files(root, git)
        assert b"b/c.py" in names(whole) and reasons(whole)[b"was/a.py"] == "symlink"
        assert list_files(root, git, expected=expected) == whole
        assert list_files(root, git, expected=names(whole)) == whole


def test_expected_files_are_looked_at_once_and_while_git_reads_the_folders(repository, monkeypatch):
    for number in range(20):
        repository.write(f"f{number % 3}/{number}.py", "x = 1\n")
    looked_at, stats = threading.Event(), []
    regular_files, names_in, stat = files._regular_files, tracked.names_in, os.stat

    def look(*given):
        found = regular_files(*given)
        looked_at.set()
        return found

    def wait_for_the_look(git):
        assert looked_at.wait(60)
        return names_in(git)

    def count(path, **given):
        stats.append(path)
        return stat(path, **given)

    with Root.open(repository.path) as root:
        git = Git.open(repository.path)
        known = names(list_files(root, git))
        monkeypatch.setattr(files, "_regular_files", look)
        monkeypatch.setattr(tracked, "names_in", wait_for_the_look)
        monkeypatch.setattr(files.os, "stat", count)
        assert names(list_files(root, git, expected=known)) == known
    assert sorted(one for one in stats if isinstance(one, bytes) and one.endswith(b".py")) == sorted(
        path.rpartition(b"/")[2] for path in known
    )


def test_a_folder_is_opened_once_for_the_files_that_are_expected_and_for_the_others(repository, monkeypatch):
    for number in range(20):
        repository.write(f"f{number % 4}/{number}.py", "x = 1\n")
        repository.write(f"f{number % 4}/{number}.png", "x = 1\n")
    opened, open_file = [], os.open

    def count(path, *given, **more):
        opened.append(path)
        return open_file(path, *given, **more)

    with Root.open(repository.path) as root:
        git = Git.open(repository.path)
        whole = list_files(root, git)
        monkeypatch.setattr(disk.os, "open", count)
        assert list_files(root, git, expected=names(whole)) == whole
    assert sorted(name for name in opened if isinstance(name, bytes) and name.startswith(b"f")) == [
        b"f0",
        b"f1",
        b"f2",
        b"f3",
    ]


def test_what_is_wrong_with_git_is_told_of_an_expected_listing_too(repository, monkeypatch):
    repository.write("a.py", "x = 1\n")

    def fail(git):
        raise GitError("git is broken")

    monkeypatch.setattr(tracked, "names_in", fail)
    with Root.open(repository.path) as root:
        listing = list_files(root, Git.open(repository.path), expected=[b"a.py"])
    assert names(listing) == [b"a.py"]
    assert listing.notes == ("git is broken (files were found without git)",)


def test_a_listing_like_the_last_one_is_the_last_one(repository):
    for name in ("a.py", "b/c.py", "b/.env", "gone.py"):
        repository.write(name, "x = 1\n")
    repository.git("add", "-A")
    (repository.path / "gone.py").unlink()
    (repository.path / "link.py").symlink_to("a.py")
    last = LastListing()

    def changed(**settings):
        before = last.listing
        with Root.open(repository.path) as root:
            git, options = Git.open(repository.path), FileOptions(**settings)
            again = list_files(root, git, options, last=last)
            assert again == list_files(root, git, options)
        return again is not before

    assert changed()
    assert not changed()
    repository.write("a.py", "x = 22\n")
    assert changed()
    repository.write("new.py", "x = 1\n")
    assert changed()
    (repository.path / "b" / "c.py").unlink()
    assert changed()
    repository.write("gone.py", "x = 1\n")
    assert changed()
    (repository.path / "link.py").unlink()
    repository.write("link.py", "x = 1\n")
    assert changed()
    repository.write(".gitignore", "/.helixignore\n")
    assert changed()
    assert not changed()
    # Git does not name it, and it decides all the same.
    repository.write(".helixignore", "new.py\n")
    assert changed()
    repository.write(".helixignore", "link.py\n")
    assert changed()
    assert changed(max_files=1)
    assert changed()
    assert not changed()


def test_submodules_are_listed_with_their_own_rules(repository, tmp_path, make_repository):
    inner = make_repository(tmp_path / "inner")
    inner.write("lib.py")
    inner.write(".gitignore", "*.out\n")
    inner.commit()
    repository.git("submodule", "--quiet", "add", str(inner.path), "deps/inner")
    repository.commit()
    repository.write("deps/inner/x.out")
    repository.write("deps/inner/new.py")
    assert {b"deps/inner/lib.py", b"deps/inner/new.py"} <= set(names(listed(repository.path)))
    assert b"deps/inner/x.out" not in names(listed(repository.path))
    repository.git("submodule", "--quiet", "deinit", "--force", "--all")
    assert names(listed(repository.path)) == [b".gitmodules"]


def test_a_repository_that_merely_lies_inside_is_part_of_the_tree(repository, make_repository):
    inner = make_repository(repository.path / "vendor" / "inner")
    inner.write("a.py")
    inner.write("b.log")
    inner.write(".gitignore", "*.log\n")
    assert names(listed(repository.path)) == [b"vendor/inner/.gitignore", b"vendor/inner/a.py"]
    inner.commit()
    assert names(listed(repository.path)) == [b"vendor/inner/.gitignore", b"vendor/inner/a.py"]
    (inner.path / ".git" / "HEAD").write_text("broken")
    assert b"vendor/inner/a.py" in names(listed(repository.path))


def test_a_second_work_tree_inside_the_first_is_not_listed_twice(repository):
    repository.write("a.py")
    repository.commit()
    repository.git("worktree", "add", "--quiet", "trees/second")
    listing = listed(repository.path)
    assert names(listing) == [b"a.py"]
    assert "another work tree" in listing.notes[0]
    assert reasons(listing) == {b"trees/second/": "work_tree"}
    assert names(listed(repository.path / "trees" / "second")) == [b"a.py"]


def test_files_left_out_of_a_sparse_checkout_are_not_deleted(repository):
    for path in ("in/a.py", "out/b.py", "top.py"):
        repository.write(path)
    repository.commit()
    repository.git("sparse-checkout", "set", "--cone", "in")
    listing = listed(repository.path)
    assert names(listing) == [b"in/a.py", b"top.py"]
    assert listing.skipped == (Skipped(b"out/b.py", "sparse"),)
    repository.write("out/b.py", "written all the same")
    assert b"out/b.py" in names(listed(repository.path))


def test_a_conflicted_file_is_listed_once(repository):
    repository.write("a.py", "base\n")
    repository.commit()
    repository.git("branch", "side")
    repository.write("a.py", "ours\n")
    repository.commit()
    repository.git("switch", "--quiet", "side")
    repository.write("a.py", "theirs\n")
    repository.commit()
    repository.git("merge", "main", check=False)
    assert names(listed(repository.path)) == [b"a.py"]


def test_a_root_inside_a_repository_sees_only_its_part(repository):
    repository.write("top.py")
    repository.write("in/a.py")
    repository.write(".gitignore", "*.log\n")
    repository.write("in/b.log")
    listing = listed(repository.path / "in")
    assert names(listing) == [b"a.py"] and listing.source == "git"


def test_a_root_that_git_ignores_is_walked_because_it_was_asked_for(repository):
    repository.write(".gitignore", "build/\n")
    repository.write("build/site/index.md")
    listing = listed(repository.path / "build")
    assert names(listing) == [b"site/index.md"]
    assert listing.source == "walk" and "counts no file" in listing.notes[0]


def test_unborn_bare_and_empty_folders_are_no_trouble(repository, tmp_path):
    assert names(listed(repository.path)) == []
    repository.write("a.py")
    assert names(listed(repository.path)) == [b"a.py"]
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "bare.git")], check=True)
    listing = listed(tmp_path / "bare.git")
    assert names(listing) == [] and set(reasons(listing).values()) == {"private"}
    (tmp_path / "empty").mkdir()
    assert listed(tmp_path / "empty") == Listing((), (), "walk")


def test_outside_git_caches_and_ignored_files_are_left_out(tmp_path):
    for path in (
        "a.py",
        "node_modules/x/i.js",
        "sub/__pycache__/a.pyc",
        ".venv/lib/x.py",
        "sub/b.py",
        "c.log",
        ".git-note",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    (tmp_path / ".gitignore").write_text("*.log\n")
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55")
    listing = listed(tmp_path)
    assert names(listing) == [b".git-note", b".gitignore", b"a.py", b"sub/b.py"]
    with Root.open(tmp_path) as root:
        ignored = ignored_files(root, None)
    assert [one.path for one in ignored] == [b".venv/", b"c.log", b"cache/", b"node_modules/", b"sub/__pycache__/"]


def test_ignored_files_of_a_repository_are_told_folder_by_folder(repository):
    repository.write(".gitignore", "out/\n*.log\n")
    for path in ("out/a", "out/b/c", "x.log", "kept.py"):
        repository.write(path)
    with Root.open(repository.path) as root:
        ignored = ignored_files(root, Git.open(repository.path))
    assert ignored == (Skipped(b"out/", "ignored"), Skipped(b"x.log", "ignored"))


def test_links_to_ancestors_and_great_depth_end(tmp_path):
    folder = tmp_path
    for _ in range(230):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "deep.py").write_text("x")
    (tmp_path / "d" / "loop").symlink_to(tmp_path)
    listing = listed(tmp_path)
    assert names(listing) == []
    assert sorted(reasons(listing).values()) == ["symlink", "too_deep"]


@pytest.mark.parametrize("with_git", [True, False])
def test_what_may_not_be_read_is_skipped_with_its_reason(
    open_folder, make_repository, unprivileged, monkeypatch, with_git
):
    tree = open_folder / "tree"
    tree.mkdir(mode=0o755)
    (tree / "closed").mkdir()
    (tree / "closed" / "a.py").write_text("x")
    (tree / "b.py").write_text("x")
    if with_git:
        make_repository(tree).commit()
    if os.geteuid() == 0:
        for path in [tree, *tree.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
    os.chmod(tree / "closed", 0)

    def look() -> tuple[list[bytes], dict[bytes, str]]:
        monkeypatch.setenv("HOME", str(open_folder))
        listing = listed(tree)
        return names(listing), reasons(listing)

    try:
        files, skipped = unprivileged(look)
    finally:
        os.chmod(tree / "closed", 0o755)
    assert files == [b"b.py"]
    assert set(skipped.values()) == {"unreadable"}


FOLDERS = ["a", "b", "a b", "build", "doc", "node_modules", "é"]
FILES = ["a.py", "b.txt", "c.log", "x", "CACHEDIR.TAG", "HEAD", "objects", "refs", ".env", "[z]"]
RULES = [
    "*.log",
    "build/",
    "!build/",
    "/a",
    "a/*",
    "!a/b",
    "**/doc",
    "!*.py",
    "*.py",
    "x",
    "!x",
    "b/**",
    "é/",
    "\\[z\\]",
]


def plant(tree: Path, rng: random.Random) -> list[Path]:
    """A random tree with nested rules, links, caches and unreadable folders; all of its paths."""
    folders = [tree]
    for _ in range(rng.randint(3, 14)):
        folder = rng.choice(folders) / rng.choice(FOLDERS)
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for folder in folders:
        for name in rng.sample(FILES, 3 if rng.random() < 0.9 else len(FILES)):
            (folder / name).write_text("x" * rng.choice([1, 1, 5000]))
        for rules in (".gitignore", ".helixignore"):
            if rng.random() < 0.4:
                lines = [rng.choice(RULES) for _ in range(rng.randint(1, 4))]
                (folder / rules).write_text("\n".join(lines) + ("\n.helixignore" if rng.random() < 0.2 else ""))
        if rng.random() < 0.2:
            (folder / "link").symlink_to(rng.choice(folders))
    return [Path(base) / name for base, inner, files in os.walk(tree) for name in [*inner, *files]]


@pytest.mark.slow
@pytest.mark.parametrize("with_git", [True, False])
@pytest.mark.parametrize("seed", range(16))
def test_paths_asked_about_alone_get_the_verdict_of_the_whole_listing(tmp_path, make_repository, with_git, seed):
    rng = random.Random(seed)
    tree = tmp_path / "tree"
    tree.mkdir()
    places = plant(tree, rng)
    if with_git:
        make_repository(tree)
        inner = rng.choice([place for place in places if place.is_dir()] or [tree])
        if not inner.is_symlink():
            make_repository(inner)
    root = os.fsencode(tree) + b"/"
    paths = [os.fsencode(place).removeprefix(root) for place in places]
    paths += [b"nowhere", b"a/nowhere/x.py", b"link/a.py", b"a.py/below", b"a/../b", b".git/config"]
    options = FileOptions(max_bytes=4096, helixignore=("*.txt",) if seed % 3 == 0 else ())
    whole = listed(tree, options)

    def below(path: bytes, only: tuple[bytes, ...]) -> bool:
        return any((path.removesuffix(b"/") + b"/").startswith(one + b"/") for one in only)

    alone_or_together = [1] * 12 + [4] * 6
    for only in (tuple(rng.sample(paths, min(count, len(paths)))) for count in alone_or_together):
        alone = listed(tree, options, only)
        assert alone.files == tuple(file for file in whole.files if below(file.path, only)), only
        if not with_git:
            assert alone.skipped == tuple(one for one in whole.skipped if below(one.path, only)), only


def test_a_path_alone_costs_its_depth_and_not_the_size_of_the_tree(tmp_path, monkeypatch):
    for number in range(400):
        (tmp_path / f"f{number % 20}").mkdir(exist_ok=True)
        (tmp_path / f"f{number % 20}" / f"{number}.py").write_text("x")
    calls = []
    for name in ("stat", "open", "scandir"):
        plain = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, plain=plain, **named: calls.append(given) or plain(*given, **named)
        )
    with Root.open(tmp_path) as root:
        calls.clear()
        assert names(list_files(root, None, only=[b"f3/3.py"])) == [b"f3/3.py"]
    assert 0 < len(calls) < 60


def test_a_file_of_a_folder_that_git_ignores_counts_alone_as_it_does_in_the_whole(repository):
    repository.write(".gitignore", "build/\n")
    repository.write("build/site/index.md")
    assert names(listed(repository.path / "build", only=(b"site/index.md",))) == [b"site/index.md"]


def test_a_folder_that_opens_and_cannot_be_listed_is_left_out_and_the_rest_is_listed(tmp_path, monkeypatch):
    for name in ("shut/a.py", "open/b.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("a = 1\n")
    shut, scandir = os.stat(tmp_path / "shut"), os.scandir

    def refusing(place):
        if isinstance(place, int) and os.path.samestat(os.fstat(place), shut):
            raise PermissionError(13, "Permission denied", place)
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refusing)
    listing = listed(tmp_path)
    assert names(listing) == [b"open/b.py"]
    assert Skipped(b"shut/", "unreadable") in listing.skipped


@pytest.fixture
def quick_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let folders count as quiet after a moment longer than a tick of the file system; the result waits that long."""
    monkeypatch.setattr(ignore, "_QUIET_NS", 30_000_000)
    return lambda: time.sleep(0.06)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is given to ``os.scandir`` from now on."""
    calls: list[object] = []
    scandir = os.scandir

    def counted(place: int) -> object:
        calls.append(place)
        return scandir(place)

    monkeypatch.setattr(os, "scandir", counted)
    return calls


def test_a_second_walk_lists_only_the_folders_that_changed(tmp_path, quick_clock, scanned):
    for name in ("a.py", "b/c.py", "b/deep/d.py", "e/f.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    last = LastListing()
    with Root.open(tmp_path) as root:
        quick_clock()
        first = list_files(root, None, last=last)
        (tmp_path / "b" / "deep" / "d.py").write_text("x = 22\n")
        scanned.clear()
        second = list_files(root, None, last=last)
        # The root, whose own stat no listing has.
        assert len(scanned) == 1
        assert names(second) == names(first) and second != first
        (tmp_path / "e" / "new.py").write_text("x = 1\n")
        scanned.clear()
        third = list_files(root, None, last=last)
        assert len(scanned) == 2
        assert names(third) == [b"a.py", b"b/c.py", b"b/deep/d.py", b"e/f.py", b"e/new.py"]


def test_a_folder_that_changed_a_moment_ago_is_listed_again(tmp_path, scanned):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.py").write_text("x = 1\n")
    last = LastListing()
    with Root.open(tmp_path) as root:
        list_files(root, None, last=last)
        scanned.clear()
        list_files(root, None, last=last)
    assert len(scanned) == 2


def test_a_folder_that_could_not_be_listed_is_tried_again(tmp_path, quick_clock, monkeypatch):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.py").write_text("x = 1\n")
    quick_clock()
    last, scandir = LastListing(), os.scandir
    inode = os.stat(tmp_path / "b").st_ino

    def refusing(place: int) -> object:
        if os.fstat(place).st_ino == inode:
            raise PermissionError
        return scandir(place)

    with Root.open(tmp_path) as root:
        monkeypatch.setattr(os, "scandir", refusing)
        assert [reasons(list_files(root, None, last=last)) for _ in range(2)] == [{b"b/": "unreadable"}] * 2
        monkeypatch.setattr(os, "scandir", scandir)
        assert names(list_files(root, None, last=last)) == [b"b/c.py"]


def test_a_folder_whose_time_was_set_back_is_listed_again(tmp_path, quick_clock):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.py").write_text("x = 1\n")
    before = os.stat(tmp_path / "b")
    quick_clock()
    last = LastListing()
    with Root.open(tmp_path) as root:
        list_files(root, None, last=last)
        (tmp_path / "b" / "new.py").write_text("x = 1\n")
        os.utime(tmp_path / "b", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert names(list_files(root, None, last=last)) == [b"b/c.py", b"b/new.py"]


def test_a_known_folder_that_became_a_link_is_not_followed(tmp_path, quick_clock):
    workspace, outside = tmp_path / "shop", tmp_path / "outside"
    for folder in (workspace / "b", outside):
        folder.mkdir(parents=True)
        (folder / "c.py").write_text("x = 1\n")
    quick_clock()
    last = LastListing()
    with Root.open(workspace) as root:
        assert names(list_files(root, None, last=last)) == [b"b/c.py"]
        (workspace / "b").rename(tmp_path / "gone")
        (workspace / "b").symlink_to(outside)
        again = list_files(root, None, last=last)
    assert names(again) == [] and reasons(again) == {b"b": "symlink"}


@pytest.mark.parametrize("seed", range(6))
def test_a_walk_that_knows_the_last_one_finds_what_a_fresh_one_does(tmp_path, seed, quick_clock):
    chance, last = random.Random(seed), LastListing()
    folders = [tmp_path, *(tmp_path / name for name in ("a", "a/b", "a/b/c", "d", ".venv"))]

    def change() -> None:
        folder, name = chance.choice(folders), chance.choice(("x.py", "y.py", ".gitignore", "z.log", ".env", "e"))
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / name
        act = chance.choice(("write", "write", "delete", "rename", "folder", "remove"))
        if act == "write" and not target.is_dir():
            target.write_text(chance.choice(("*.log\n", "x = 1\n", "/a\n", "")))
        elif act == "delete" and target.is_file():
            target.unlink()
        elif act == "rename" and target.exists():
            target.replace(folder / f"moved{chance.random()}")
        elif act == "folder" and not target.exists():
            target.mkdir()
        elif act == "remove" and folder != tmp_path:
            shutil.rmtree(folder)

    with Root.open(tmp_path) as root:
        for _ in range(12):
            for _ in range(chance.randrange(4)):
                change()
            if chance.random() < 0.5:
                quick_clock()
            assert list_files(root, None, last=last) == list_files(root, None)
