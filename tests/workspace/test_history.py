import os

import pytest

from helix_core.errors import GitError
from helix_core.workspace import history
from helix_core.workspace.blobs import BlobReader
from helix_core.workspace.git import Git
from helix_core.workspace.history import blame, co_changes, last_commits
from tests.workspace.committed import blobs

ODD = [
    b"\xff.py",
    b"a\nb.py",
    b"-rf",
    b":(glob)x",
    "caf\u00e9".encode(),
    "cafe\u0301".encode(),
    b"\x01x",
    b" lead",
    b'q"',
]


def opened(repository, folder: str = ".") -> Git:
    git = Git.open(repository.path / folder)
    assert git is not None
    return git


def plain_last(repository, path: bytes) -> str:
    return repository.git("--literal-pathspecs", "log", "-1", "--format=%H", "HEAD", "--", path).decode().strip()


def test_every_file_gets_the_commit_that_touched_it_last(repository):
    repository.write("a.py", "1")
    repository.write("b/c.py", "1")
    first = repository.commit("first", author="Ada L\u00f6wen", at=1_700_000_000)
    repository.write("a.py", "2")
    second = repository.commit("second", author="Bea", at=1_700_000_100)
    found = last_commits(opened(repository))
    assert found.complete
    assert (found[b"a.py"].commit, found[b"a.py"].author, found[b"a.py"].committed_at) == (second, "Bea", 1_700_000_100)
    assert (found[b"b/c.py"].commit, found[b"b/c.py"].author) == (first, "Ada L\u00f6wen")


def test_a_commit_is_that_of_the_real_history_where_one_is_replaced(repository):
    repository.write("a.py", "1")
    first = repository.commit("first")
    repository.write("b.py", "1")
    repository.commit("second")
    repository.git("replace", "--graft", "HEAD")
    found = last_commits(opened(repository))
    assert found[b"a.py"].commit == first


def test_a_commit_is_that_of_the_real_history_where_a_graft_cuts_it(repository):
    repository.write("a.py", "1")
    first = repository.commit("first")
    repository.write("b.py", "1")
    second = repository.commit("second")
    grafts = repository.path / ".git" / "info" / "grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{second}\n")
    found = last_commits(opened(repository))
    assert found[b"a.py"].commit == first


def test_odd_names_and_odd_authors_survive(repository):
    for name in ODD:
        repository.write(name)
    commit = repository.commit("odd\nnames\n\n\x01 trap", author="  <\u65e5\u672c> \x01 ")
    found = last_commits(opened(repository))
    assert set(found) == {path for path in repository.git("ls-files", "-z").split(b"\0") if path}
    assert {one.commit for one in found.values()} == {commit}


def test_merges_agree_with_git_file_by_file(repository):
    for name in ("a", "b", "c", "d"):
        repository.write(name, "base\n")
    repository.commit("base", at=1_700_000_000)
    repository.git("branch", "side")
    repository.write("a", "main\n")
    repository.write("c", "main\n")
    repository.commit("main", at=1_700_000_100)
    repository.git("switch", "--quiet", "side")
    repository.write("b", "side\n")
    repository.write("c", "side\n")
    repository.commit("side", at=1_700_000_200)
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "side", check=False)
    repository.write("c", "resolved\n")
    merge = repository.commit("merge", at=1_700_000_300)
    found = last_commits(opened(repository))
    for path in (b"a", b"b", b"c", b"d"):
        assert found[path].commit == plain_last(repository, path)
    assert found[b"c"].commit == merge


def test_paths_are_relative_to_a_root_inside_the_repository(repository):
    repository.write("top.py")
    repository.write("in/er/a.py", "one\n")
    commit = repository.commit("both")
    repository.write("top.py", "again")
    repository.commit("top only")
    git = opened(repository, "in")
    assert {path: one.commit for path, one in last_commits(git).items()} == {b"er/a.py": commit}
    assert blobs(git, [("HEAD", b"er/a.py"), ("HEAD", b"top.py")]) == [b"one\n", None]
    assert blame(git, b"er/a.py", 1, 1)[0].commit == commit
    assert co_changes(git) == {}


def test_a_renamed_and_a_deleted_file(repository):
    repository.write("old", "x\n" * 20)
    repository.write("dead")
    repository.commit("first")
    repository.git("mv", "old", "new")
    repository.git("rm", "--quiet", "dead")
    renamed = repository.commit("rename", at=1_700_000_100)
    found = last_commits(opened(repository))
    assert set(found) == {b"new"}
    assert found[b"new"].commit == renamed


def test_an_unborn_branch_and_an_empty_repository_have_no_history(repository):
    git = opened(repository)
    assert last_commits(git) == {} and co_changes(git) == {}
    repository.write("a.py")
    repository.git("add", "a.py")
    found = last_commits(git)
    assert found == {} and found.complete
    assert blobs(git, [("HEAD", b"a.py")]) == [None]


@pytest.mark.parametrize("depth", [1, 2])
def test_a_shallow_clone_knows_what_it_has_but_for_its_edge(repository, tmp_path, make_repository, depth):
    repository.write("a.py")
    repository.commit("first")
    repository.write("a.py", "again")
    repository.commit("second")
    repository.write("b.py")
    last = repository.commit("third")
    repository.git("clone", "--quiet", f"--depth={depth}", f"file://{repository.path}", str(tmp_path / "shallow"))
    git = Git.open(tmp_path / "shallow")
    assert git is not None
    found = last_commits(git)
    assert found.complete
    assert {path: one.commit for path, one in found.items()} == ({b"b.py": last} if depth == 2 else {})


def test_the_edge_is_found_though_the_clone_is_cut_off_only_while_git_reads(repository, monkeypatch):
    repository.write("a.py")
    repository.commit("first")
    repository.write("a.py", "again")
    repository.write("b.py")
    edge = repository.commit("second")
    repository.write("b.py", "again")
    last = repository.commit("third")
    git = opened(repository)
    (repository.path / ".git" / "shallow").write_text(f"{edge}\n")
    monkeypatch.setattr(history, "shallow_boundaries", lambda git: frozenset())
    found = last_commits(git)
    assert ({path: one.commit for path, one in found.items()}, found.boundaries) == ({b"b.py": last}, {edge})
    assert co_changes(git).commits == 1
    blamed = history.LineHistory(git, last, frozenset({edge}))
    try:
        lines = history.BlamedLines(b"a.py", "", 1, 1)
        blamed.ask(lines)
        assert blamed.of(lines, 5.0) is None
    finally:
        blamed.close()


def test_time_running_out_gives_what_was_found_and_says_so(repository):
    repository.write("a.py")
    repository.commit()
    found = last_commits(opened(repository), timeout_seconds=0)
    assert found == {} or found.complete
    assert found.complete == (set(found) == {b"a.py"})


def test_files_that_change_together_are_counted_in_byte_order(repository):
    for number in range(3):
        repository.write("b.py", str(number))
        repository.write("a.py", str(number))
        repository.commit(str(number))
    repository.write("a.py", "alone")
    repository.commit("alone")
    for number in range(40):
        repository.write(f"many/{number}")
    repository.commit("a sweep")
    assert co_changes(opened(repository)) == {(b"a.py", b"b.py"): 3}
    assert co_changes(opened(repository), max_commits=3) == {(b"a.py", b"b.py"): 1}


def test_blame_tells_each_line_and_uncommitted_lines_are_zeros(repository):
    repository.write("a.py", "one\ntwo\n")
    first = repository.commit("first", author="Ada")
    repository.write("a.py", "one\ntwo\n\tthree\n")
    second = repository.commit("second", author="Bea", at=1_700_000_100)
    repository.write("a.py", "one\ntwo\n\tthree\nfour\n")
    lines = blame(opened(repository), b"a.py", 1, 4)
    assert [line.commit for line in lines] == [first, first, second, "0" * 40]
    assert [line.author for line in lines[:3]] == ["Ada", "Ada", "Bea"]
    assert lines[2].committed_at == 1_700_000_100
    assert [line.commit for line in blame(opened(repository), b"a.py", 3, 3)] == [second]


@pytest.mark.parametrize("name", ODD)
def test_blame_and_blobs_take_any_name(repository, name):
    repository.write(name, "x\n")
    commit = repository.commit()
    git = opened(repository)
    assert blame(git, name, 1, 1)[0].commit == commit
    assert blobs(git, [("HEAD", b"missing\n"), (commit, name)]) == [None, b"x\n"]


def test_blame_of_what_git_does_not_know_is_an_error(repository):
    repository.write("a.py")
    repository.commit()
    repository.write("new.py")
    for path in (b"new.py", b"nothing", b"../outside"):
        with pytest.raises(GitError):
            blame(opened(repository), path, 1, 1)
    with pytest.raises(GitError, match="not a commit"):
        blobs(opened(repository), [("--batch-all-objects", b"a.py")])


def test_blobs_are_raw_bytes_whatever_is_in_them(repository):
    data = bytes(range(256)) * 10
    (repository.path / "bin").write_bytes(data)
    repository.write("dir/x", "")
    repository.commit()
    git = opened(repository)
    assert blobs(git, [("HEAD", b"bin"), ("HEAD", b"dir"), ("HEAD", b"dir/x"), ("HEAD", b"bin")]) == [
        data,
        None,
        b"",
        data,
    ]
    assert blobs(git, []) == []


def test_history_of_a_repository_with_a_thousand_commits_stops_when_all_is_known(repository):
    stream = ["blob\nmark :1\ndata 2\nx\n"]
    for number in range(1000):
        stream.append(
            f"commit refs/heads/main\nmark :{number + 2}\n"
            + f"committer A <a@example.org> {1_700_000_000 + number} +0000\ndata 1\nc\n"
            + (f"from :{number + 1}\n" if number else "")
            + f"M 644 :1 f{number % 50}/{number}\n"
        )
    repository.git("fast-import", "--quiet", input="".join(stream).encode())
    repository.git("reset", "--quiet", "--hard", "main")
    found = last_commits(opened(repository))
    assert found.complete and len(found) == 1000
    for path in (b"f0/0", b"f49/999", b"f7/507"):
        assert found[path].commit == plain_last(repository, path)
    assert os.path.isdir(repository.path / "f0")


def test_one_git_process_answers_all_questions_and_is_gone_at_the_end(repository):
    for name in ODD:
        repository.write(name, "x\n")
    repository.write("a.py", "one\n")
    repository.commit()
    with BlobReader(opened(repository)) as reader:
        for name in (*ODD, b"a.py"):
            asked = [("HEAD", name + b" missing\n"), ("HEAD", name), ("HEAD", b"nothing"), ("HEAD", name)]
            data = b"one\n" if name == b"a.py" else b"x\n"
            assert reader.read(asked) == [None, data, None, data]
        process = reader._process
        assert process is not None
        process.kill()
        process.wait()
        assert reader.read([("HEAD", b"a.py")]) == [b"one\n"]
        process = reader._process
        assert process is not None
    assert process.poll() is not None


def test_two_commits_are_compared_by_their_trees(repository):
    for name in ("a.py", "same/deep/kept.py", "app/left.py", "app/moved.py", "app/turned"):
        repository.write(name, f"{name}\n")
    repository.commit()
    first = repository.git("rev-parse", "HEAD").strip().decode()
    repository.write("a.py", "other\n")
    repository.git("rm", "-q", "app/left.py", "app/turned")
    repository.git("mv", "app/moved.py", "app/new.py")
    repository.write("app/turned/into.py", "folder\n")
    repository.commit()
    last = repository.git("rev-parse", "HEAD").strip().decode()
    with BlobReader(opened(repository)) as reader:
        found = reader.differing(first, last)
        assert set(found) == {
            b"a.py",
            b"app/left.py",
            b"app/moved.py",
            b"app/new.py",
            b"app/turned",
            b"app/turned/into.py",
        }
        assert found[b"app/moved.py"] == (found[b"app/new.py"][1], "")
        assert found[b"app/turned"][1] == "" and found[b"app/turned/into.py"][0] == ""
        assert reader.contents([found[b"a.py"][0], found[b"a.py"][1]]) == [b"a.py\n", b"other\n"]
        assert reader.differing(last, last) == {}
