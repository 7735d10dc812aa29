"""A trail's log comes back from its file as it was, and what is not whole is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.errors import TrailError
from helix_core.phase import (
    Look,
    Trail,
    TrailItem,
    TrailLog,
    TrailVersion,
    entry_of,
    entry_text,
    log_bytes,
    merged_log,
    read_log,
)

names = st.text(max_size=40)


def a_trail() -> Trail:
    trail = Trail()
    for step in range(40):
        item = TrailItem(f"src/ä{step % 7}.py", "Cart.total" if step % 2 else "")
        trail.observe(
            item, 1_700_000_000.25 + step, kind="cited", weight=1 + step % 3, span_hash="ab" * 32, lines=(3, 9)
        )
    trail.rollback(trail.commit("the label", 1.5).number, 2.5)
    trail.flag("never-index src/ä1.py")
    return trail


def test_a_file_brings_back_log_flags_versions_and_digest() -> None:
    trail = a_trail()
    again = Trail(read_log(log_bytes(trail.log)))
    assert again.log == trail.log
    assert (again.flags, again.versions, again.digest()) == (trail.flags, trail.versions, trail.digest())
    assert log_bytes(again.log) == log_bytes(trail.log)


def test_a_file_that_is_cut_off_extended_altered_or_foreign_is_refused() -> None:
    data = log_bytes(a_trail().log)
    wrong = [data[:length] for length in range(len(data))] + [data + b"\0", b"HELX" + data, b""]
    wrong += [data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :] for place in range(len(data))]
    for each in wrong:
        with pytest.raises(TrailError, match="nothing of it was taken in"):
            read_log(each)


@settings(max_examples=100)
@given(st.one_of(names, st.lists(st.one_of(st.integers(), names, st.none(), st.floats(), st.booleans())).map(str)))
def test_a_line_that_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(TrailError):
        entry_of(text)


@pytest.mark.parametrize(
    "line",
    [
        '["look",0,-1,"a.py","","open",9,"","",0,0,1.0]',
        '["look",0,-1,"","","open",1,"","",0,0,1.0]',
        '["look",true,-1,"a.py","","open",1,"","",0,0,1.0]',
        '["look",0,-1,"a.py","","open",1,"","",0,0,NaN]',
        '["look",0,-1,"a.py","","open",1,"","",0,0,1.0,2]',
        '["version",0,5,5,"x",3,1.0]',
        '["version",0,5,5,"x"]',
        "[" * 100_000,
    ],
)
def test_an_entry_out_of_bounds_is_refused(line: str) -> None:
    with pytest.raises(TrailError):
        entry_of(line)


def test_entries_are_lines_and_come_back() -> None:
    entries = a_trail().log.entries
    assert {type(entry) for entry in entries} == {Look, TrailVersion}
    assert all("\n" not in entry_text(entry) and entry_of(entry_text(entry)) == entry for entry in entries)


@pytest.mark.parametrize(
    "entries",
    [
        (Look(0, -1, "a"), Look(2, 0, "b")),
        (Look(0, 0, "a"),),
        (Look(3, 4, "a"),),
        (Look(0, -1, "a"), TrailVersion(0, 5, 0)),
        (TrailVersion(0, -1, -1), TrailVersion(2, -1, -1)),
    ],
)
def test_a_log_out_of_order_is_refused(entries: tuple[Look | TrailVersion, ...]) -> None:
    with pytest.raises(TrailError, match="out of order"):
        Trail(TrailLog(entries))


def test_two_logs_merge_by_time_each_look_once() -> None:
    one, other = Trail(), Trail()
    for step in range(10):
        one.observe(TrailItem(f"one{step}.py"), 2.0 * step)
        other.observe(TrailItem(f"other{step}.py"), 2.0 * step + 1)
    both = merged_log(one.log, other.log)
    looks = [entry for entry in both.entries if isinstance(entry, Look)]
    assert [look.at for look in looks] == [float(at) for at in range(20)]
    assert merged_log(other.log, one.log) == both
    assert merged_log(both, one.log) == both
    assert Trail(both).steps == range(20)


@pytest.mark.parametrize(
    "log",
    [
        TrailLog((), frozenset({"never-index \ud800"})),
        TrailLog((Look(0, -1, "a\udc80.py"),)),
        TrailLog((Look(0, -1, "a.py"), TrailVersion(0, 0, 0, "\ud800"))),
    ],
)
def test_a_name_that_is_no_unicode_is_refused(log):
    with pytest.raises(TrailError, match="not Unicode"):
        read_log(log_bytes(log))
