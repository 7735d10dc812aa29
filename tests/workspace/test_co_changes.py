"""Which files change together more often than by chance, told from real commits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helix_core.workspace.git import Git
from helix_core.workspace.history import (
    LEAST_COMMITS_TOGETHER,
    LEAST_LIFT,
    MOST_KIN,
    CoChange,
    CoChanges,
    closest_co_changes,
    co_changes,
)


def changes(commits: list[list[bytes]]) -> CoChanges:
    found = CoChanges()
    for files in commits:
        found.add(files)
    return found.finish()


def test_files_of_three_commits_in_common_are_kin_and_two_are_not_enough(repository):
    for number in range(3):
        for name in ("model.py", "form.py", *(("twice.py",) if number < 2 else ())):
            repository.write(name, str(number))
        repository.commit(f"both {number}")
    for number in range(9):
        repository.write(f"other{number}.py", "x")
        repository.commit(f"other {number}")
    git = Git.open(repository.path)
    assert git is not None
    found = co_changes(git)
    assert (found.commits, found.touched[b"model.py"]) == (12, 3)
    assert closest_co_changes(found) == [
        CoChange(b"form.py", b"model.py", 3, 4.0),
        CoChange(b"model.py", b"form.py", 3, 4.0),
    ]


def test_a_file_that_changes_in_every_commit_is_nobodys_kin():
    commits = [[b"changes.md", b"a.py"] for _ in range(5)] + [[b"changes.md", b"b.py"] for _ in range(5)]
    assert closest_co_changes(changes(commits)) == []


def test_the_closest_comes_first_and_not_the_rarest():
    commits = [[b"a", b"near", b"rare"]] * 3 + [[b"a", b"near"]] * 7 + [[b"z%d" % n] for n in range(40)]
    assert [kin.other for kin in closest_co_changes(changes(commits)) if kin.path == b"a"] == [b"near", b"rare"]


def test_commits_of_many_files_make_no_kin_and_do_not_hide_it():
    headers = [b"file%02d" % n for n in range(25)]
    commits = [headers] * 6 + [[headers[0], headers[1]]] * 2 + [[b"z%d" % n] for n in range(80)]
    found = closest_co_changes(changes(commits))
    assert {(kin.path, kin.other) for kin in found} == {(headers[0], headers[1]), (headers[1], headers[0])}


@given(
    st.lists(
        st.sets(st.integers(0, 12), min_size=1, max_size=8).map(lambda names: [b"%02d" % n for n in sorted(names)]),
        max_size=40,
    )
)
def test_kin_are_few_mutual_and_beyond_chance(commits):
    found = closest_co_changes(changes(commits))
    for kin in found:
        assert kin.together >= LEAST_COMMITS_TOGETHER
        assert kin.lift > LEAST_LIFT
        assert kin.path != kin.other
        assert sum(one.path == kin.path for one in found) <= MOST_KIN
