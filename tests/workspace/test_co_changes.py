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
        found.commits += 1
        found.touched.update(files)
        for one in files:
            for other in files:
                if one < other:
                    found[one, other] = found.get((one, other), 0) + 1
    return found


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
