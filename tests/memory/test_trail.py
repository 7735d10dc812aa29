"""The trail of a workspace: recorded only when wanted, judged as of now, and forgotten to the last byte."""

from __future__ import annotations

import dataclasses
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.engine.answer.answer import within_one_place
from helix_core.errors import TrailError, TrailStoreError, UsageError
from helix_core.model import Ranked, Weighed
from helix_core.phase import MOST_EVENTS, Trail, TrailItem, TrailLog, TrailVersion, entry_text
from helix_core.store import TrailChange, TrailFile
from helix_ls.operations.arguments import AskContext
from helix_ls.operations.memory import FORGET_TRAIL, WHERE, ForgetTrailArguments, WhereArguments
from helix_ls.operations.places import OPEN, OpenArguments
from helix_ls.operations.questions import CONTEXT, ContextArguments
from tests.engine.repository import FILES, begin, put_index

CODE = "".join(f"def step{number}(value):\n    return value + {number}\n\n\n" for number in range(12))


NAMES = ("alpha", "beta", "gamma")
COMMITTED = (
    FILES | {f"{name}.py": CODE.replace("step", f"{name}_step") for name in NAMES} | {".gitignore": "ignored.py\n"}
)


@pytest.fixture
def workspace(tmp_path):
    folder = begin(tmp_path / "project", COMMITTED)
    (folder / "ignored.py").write_text("secret_thing = 1\n", "utf-8")
    return folder


@pytest.fixture
def recording(open_helix, workspace, tmp_path):
    """An engine that records."""
    put_index(workspace, tmp_path / "cache", COMMITTED)
    helix = open_helix(workspace)
    helix.session.config = dataclasses.replace(helix.session.config, trail_record=True)
    helix.refresh()
    return helix


def opens(helix, source_id, first=1, last=2):
    return OPEN.run(helix, OpenArguments(source_id, first, last), AskContext())


def where(helix, k=5):
    return WHERE.run(helix, WhereArguments(k), AskContext())


def trail_file(helix) -> Path:
    return helix.session.index_path.with_name("trail.db")


TS = """\
import { sign } from "./sign";

/** Greets. */
export function greet(name: string): string {
  const said = `hello ${name}`;
  return said;
}

export const part = (name: string): string => {
  return `bye ${name}`;
};

@Sealed({ deep: true })
export class Store {
  held = 1;
}
"""
JS = (
    "function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\n\nexport default function hold() {\n  return 1;\n}\n"
)
PY = "@cached\n@named('x')\ndef load(path):\n    return path\n"
PLACES = [
    ("greet.ts", 4, 7, "greet"),
    ("greet.ts", 3, 7, "greet"),
    ("greet.ts", 4, 5, "greet"),
    ("greet.ts", 5, 5, "greet"),
    ("greet.ts", 9, 11, "part"),
    ("greet.ts", 13, 16, "Store"),
    ("greet.ts", 4, 11, None),
    ("greet.ts", 1, 4, None),
    ("hold.js", 1, 4, "add"),
    ("hold.js", 6, 8, "hold"),
    ("load.py", 1, 4, "load"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("source_id", "first", "last", "symbol"), PLACES)
def test_a_place_has_the_symbol_of_its_definition_in_every_language(
    recording, workspace, source_id, first, last, symbol
):
    for name, text in (("greet.ts", TS), ("hold.js", JS), ("load.py", PY)):
        (workspace / name).write_text(text, "utf-8")
    recording.refresh()
    opens(recording, source_id, first, last)
    (workspace / source_id).write_text("\n\n" + (workspace / source_id).read_text("utf-8"), "utf-8")
    (place,) = where(recording)["last"]
    assert (place["symbol"], place["reason"], place["start_line"]) == (symbol, "moved", first + 2)


def test_nothing_is_recorded_until_the_setting_is_on(open_helix, workspace):
    helix = open_helix(workspace)
    helix.refresh()
    assert helix.session.config.trail_record is False
    opens(helix, "alpha.py")
    answer = where(helix)
    assert (answer["recording"], answer["last"], answer["moments"]) == (False, [], [])
    assert any("trail.record = true" in note for note in answer["notes"])
    assert not trail_file(helix).exists()


def test_a_workspaces_own_settings_cannot_switch_recording_on(open_helix, workspace):
    (workspace / "helix.toml").write_text("[trail]\nrecord = true\n", "utf-8")
    assert open_helix(workspace).session.config.trail_record is False


def test_the_last_places_are_there_newest_first_with_the_verdict_of_now(recording, workspace):
    opens(recording, "alpha.py", 1, 2)
    opens(recording, "beta.py", 5, 6)
    opens(recording, "gamma.py", 9, 10)
    opens(recording, "alpha.py", 1, 2)
    (workspace / "beta.py").write_text("# a line above\n" + (workspace / "beta.py").read_text("utf-8"), "utf-8")
    (workspace / "gamma.py").unlink()
    recording.refresh()
    answer = where(recording)
    assert answer["schema"] == "helix.trail/1"
    assert answer["steps"] == 4
    alpha, gamma, beta = answer["last"]
    assert (alpha["source_id"], alpha["status"], alpha["symbol"]) == ("alpha.py", "verified", "alpha_step0")
    assert (beta["source_id"], beta["status"], beta["start_line"], beta["end_line"]) == ("beta.py", "verified", 6, 7)
    assert (gamma["source_id"], gamma["status"], gamma["reason"]) == ("gamma.py", "needs_refresh", "gone")
    (workspace / "alpha.py").write_text(CODE.replace("value + 0", "value - 1"), "utf-8")
    recording.refresh()
    assert where(recording, 1)["last"][0]["status"] == "needs_refresh"


@pytest.mark.slow
@pytest.mark.parametrize("lines", [(1, 1), (1, 6), (3, 3), (2, 2), (1, 48), (5, 10), (1, 4_000)])
def test_lines_that_were_not_touched_are_verified_however_they_lie_to_definitions(recording, lines):
    opens(recording, "alpha.py", *lines)
    [place] = where(recording)["last"]
    assert (place["status"], place["start_line"]) == ("verified", lines[0]), place


@pytest.mark.slow
def test_an_earlier_moment_like_now_is_shown(recording, workspace):
    for topic in ("alpha", "beta", "gamma", "alpha"):
        for number in range(12):
            opens(recording, f"{topic}.py", 4 * number + 1, 4 * number + 2)
    moments = where(recording)["moments"]
    assert moments
    assert {place["source_id"] for place in moments[0]["places"]} == {"alpha.py"}
    assert all(place["status"] == "verified" for moment in moments for place in moment["places"])


def test_files_that_do_not_count_or_look_like_a_secret_are_not_recorded(recording, workspace):
    shown = {"start_line": 1, "end_line": 1, "gene_id": "0" * 16, "content_hash": "0" * 64, "symbol": ""}
    for path in ("ignored.py", ".env", "nowhere.py", "password=hunter2hunter2.py", "helix-note:abc"):
        assert recording.trail.note({**shown, "source_id": path}, 1.0) is False
    assert not trail_file(recording).exists()
    assert where(recording)["last"] == []


def test_no_text_of_a_file_is_in_the_trail_and_only_the_user_may_read_it(recording):
    opens(recording, "alpha.py", 1, 2)
    data = trail_file(recording).read_bytes()
    assert b"alpha.py" in data
    assert b"return value" not in data
    assert stat.S_IMODE(os.stat(trail_file(recording)).st_mode) == 0o600


def test_forgetting_leaves_no_byte_in_the_cache_folder(recording):
    for _ in range(3):
        opens(recording, "alpha.py", 1, 2)
    folder = trail_file(recording).parent
    trail_file(recording).with_name("trail.db-wal").touch()
    assert FORGET_TRAIL.run(recording, ForgetTrailArguments(origin="user"), AskContext())["forgotten"] is True
    assert [file.name for file in folder.rglob("*") if "trail" in file.name] == []
    assert where(recording)["last"] == []
    assert FORGET_TRAIL.run(recording, ForgetTrailArguments(origin="user"), AskContext())["forgotten"] is False
    opens(recording, "beta.py", 1, 2)
    assert [place["source_id"] for place in where(recording)["last"]] == ["beta.py"]


def test_forgetting_leaves_no_word_of_a_trail_in_any_file(recording, open_helix, workspace):
    word = "zanzibar"
    recording.trail.commit(f"before {word}", 1.0)
    recording.trail.flag(f"never-index {word}.py")
    opens(recording, "alpha.py", 1, 2)
    recording.refresh()
    recording.packet("alpha_step3")
    cache = trail_file(recording).parents[2]
    assert any(word.encode() in file.read_bytes() for file in cache.rglob("*") if file.is_file())
    FORGET_TRAIL.run(recording, ForgetTrailArguments(origin="user"), AskContext())
    open_helix(workspace).refresh()
    assert [file for file in cache.rglob("*") if file.is_file() and word.encode() in file.read_bytes()] == []


def test_a_damaged_trail_is_a_problem_of_the_trail_alone(recording):
    trail_file(recording).write_bytes(b"no database" * 100)
    assert opens(recording, "alpha.py")["status"] == "verified"
    with pytest.raises(TrailStoreError, match="helix where --forget"):
        where(recording)
    recording.trail.forget()
    opens(recording, "alpha.py")
    assert len(where(recording)["last"]) == 1


def test_an_entry_that_cannot_be_read_is_refused_with_what_to_do(recording):
    TrailFile(trail_file(recording)).append(lambda *_: (0, "no entry"), 10)
    assert opens(recording, "alpha.py")["status"] == "verified"
    with pytest.raises(TrailStoreError, match="helix where --forget removes it"):
        where(recording)


def test_a_file_opened_in_an_editor_is_recorded_whole_where_it_counts(recording, workspace):
    assert recording.note_opened("alpha.py", 5.0) is True
    assert [recording.note_opened(path, 6.0) for path in ("ignored.py", "nowhere.py", ".env")] == [False, False, False]
    [place] = where(recording)["last"]
    assert (place["source_id"], place["start_line"], place["status"], place["at"]) == ("alpha.py", 1, "verified", 5.0)
    (workspace / "alpha.py").write_text(CODE, "utf-8")
    recording.refresh()
    assert where(recording)["last"][0]["status"] != "verified"


def test_a_link_in_the_trails_place_is_not_followed(recording, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine", "utf-8")
    trail_file(recording).symlink_to(victim)
    opens(recording, "alpha.py")
    with pytest.raises(TrailStoreError, match="is a link"):
        where(recording)
    assert victim.read_text("utf-8") == "mine"


def test_the_file_keeps_no_more_than_the_ring_and_overwrites_what_left(tmp_path):
    file = TrailFile(tmp_path / "trail.db")
    for number in range(25):
        file.append(lambda newest, last, number=number: (number, f"entry-{number:03}"), 10)
    assert file.read() == ([f"entry-{number:03}" for number in range(15, 25)], [])
    assert b"entry-003" not in (tmp_path / "trail.db").read_bytes()
    assert MOST_EVENTS == 10_000


def test_writers_at_the_same_time_number_their_steps_one_after_the_other(tmp_path):
    def write(name):
        file = TrailFile(tmp_path / "trail.db")
        for _ in range(20):
            file.append(lambda newest, _: (newest + 1, f"{newest + 1} {name}"), 1_000)

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, "abcd"))
    bodies, _ = TrailFile(tmp_path / "trail.db").read()
    assert [int(body.split()[0]) for body in bodies] == list(range(80))
    assert {body.split()[1] for body in bodies} == set("abcd")


def test_an_entry_continues_the_one_before_and_flags_are_kept(tmp_path):
    file, seen = TrailFile(tmp_path / "deeper" / "trail.db"), []

    def make(newest, last):
        seen.append((newest, last))
        return newest + 1, f"body {newest + 1}"

    for _ in range(3):
        file.append(make, 10)
    file.set_flag("consent")
    file.set_flag("consent")
    assert seen == [(-1, None), (0, "body 0"), (1, "body 1")]
    assert file.read()[1] == ["consent"]


@pytest.mark.process
def test_the_command_shows_and_forgets(recording, workspace, tmp_path):
    opens(recording, "alpha.py", 1, 2)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HELIX_")}
    environ |= {
        "HELIX_CACHE_DIR": str(tmp_path / "cache"),
        "HELIX_DATA_DIR": str(tmp_path / "data"),
        "HELIX_CONFIG": str(tmp_path / "none.toml"),
        "HELIX_TRAIL_RECORD": "true",
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "helix_ls.cli", "where", str(workspace), *arguments]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=True)

    assert "alpha.py:1-2" in run().stdout
    assert '"schema": "helix.trail/1"' in run("--json").stdout.replace('":"', '": "')
    (workspace / "alpha.py").write_text(CODE.replace("value + 0", "value - 1"), "utf-8")
    said = run().stdout
    assert "changed on disk since it was opened" in said and "indexed" not in said
    assert "removed" in run("--forget").stdout
    assert not trail_file(recording).exists()


def test_versions_flags_and_imports_leave_the_trail_one_log(recording):
    trail = recording.trail
    opens(recording, "alpha.py", 1, 2)
    assert trail.commit("one", 1.0, dry_run=True)["number"] == 0
    assert trail.history()["versions"] == []
    assert trail.commit("one", 1.0)["number"] == 0
    at_one = trail.history()["digest"]
    opens(recording, "beta.py", 5, 6)
    later = trail.history()["digest"]
    assert [item["source_id"] for item in trail.diff(0, trail.commit("two", 2.0)["number"])["gained"]] == ["beta.py"]
    trail.flag("seen")
    trail.rollback(0, 3.0)
    assert trail.history()["digest"] == at_one
    assert [place["source_id"] for place in where(recording)["last"]] == ["alpha.py"]
    trail.rollback(2, 4.0)
    assert (trail.history()["digest"], trail.history()["flags"]) == (later, ["seen"])
    log = trail.log()
    FORGET_TRAIL.run(recording, ForgetTrailArguments(origin="user"), AskContext())
    assert trail.imported(log)["added"] == 2
    assert trail.log() == log
    # Known looks come in once; the versions of two logs name states of neither.
    merged = trail.imported(log)
    assert (merged["added"], merged["steps"]) == (0, 2)
    assert any("versions are left out" in note for note in merged["notes"])


def test_an_import_brings_no_look_at_a_file_that_does_not_count_here(recording, workspace):
    (workspace / ".helixignore").write_text("private/\n", "utf-8")
    (workspace / ".gitignore").write_text("ignored.py\n*.log.py\n", "utf-8")
    whole = Trail()
    left_out = ("ignored.py", ".env", "../out.py", "./beta.py", "private/gone.py", "gone.log.py", "gone/.env.local")
    for step, path in enumerate(("alpha.py", *left_out, "node_modules/a.js", "gone.png")):
        whole.observe(TrailItem(path), float(step))
    taken = recording.trail.imported(whole.log)
    assert (taken["added"], taken["left_out"], taken["gone"]) == (1, 9, 0)
    assert {look.path for look in recording.trail.log().entries} == {"alpha.py"}


def test_an_import_keeps_looks_at_files_that_are_gone_and_they_come_back_with_the_file(recording, workspace):
    opens(recording, "beta.py", 5, 6)
    opens(recording, "alpha.py", 1, 2)
    log = recording.trail.log()
    recording.trail.forget()
    text = (workspace / "beta.py").read_text("utf-8")
    (workspace / "beta.py").unlink()
    recording.refresh()
    taken = recording.trail.imported(log)
    assert (taken["added"], taken["left_out"], taken["gone"]) == (2, 0, 1)
    assert taken["notes"] == ["1 look at files that are not there now"]
    assert [(one["source_id"], one["reason"]) for one in where(recording)["last"]] == [
        ("alpha.py", "unchanged"),
        ("beta.py", "gone"),
    ]
    (workspace / "beta.py").write_text("# above\n" + text, "utf-8")
    beta = where(recording)["last"][1]
    assert (beta["status"], beta["start_line"]) == ("verified", 6)


def test_an_import_names_the_flags_that_act_here_and_were_not_set_before(recording):
    flags = [*(f"never-index lib/{n}.py" for n in range(4)), "never-index beta.py", "dismissed H1 ab12", "seen"]
    recording.trail.flag("never-index beta.py")
    taken = recording.trail.imported(TrailLog((), frozenset(flags)), dry_run=True)
    [note] = taken["notes"]
    assert note == (
        "5 flags of it keep files out of the index or hide findings here: dismissed H1 ab12, never-index lib/0.py, "
        "never-index lib/1.py, 2 more; helix where --forget ends them with the trail"
    )
    assert recording.trail.imported(TrailLog((), frozenset(["seen"])))["notes"] == []


def test_versions_that_are_made_at_once_have_numbers_of_their_own(recording):
    opens(recording, "alpha.py", 1, 2)
    file = TrailFile(trail_file(recording))
    bodies, _ = file.read()

    def two(old, _):
        assert old[: len(bodies)] == bodies
        return TrailChange([(None, entry_text(TrailVersion(len(old) - len(bodies), 0, 0, "made", None, 1.0)))])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: file.change(two, MOST_EVENTS), range(8)))
    assert [one["number"] for one in recording.trail.history()["versions"]] == [*range(8)]


def test_a_trail_that_was_rolled_back_to_its_start_says_so(recording, workspace, capsys):
    from helix_ls.cli.render.memory import draw_trail

    recording.trail.commit("nothing yet", 1.0)
    opens(recording, "alpha.py", 1, 2)
    recording.trail.rollback(0, 2.0)
    draw_trail(where(recording), workspace)
    assert capsys.readouterr().out == "The trail is back at its start.\n"


def test_a_change_that_is_refused_leaves_the_file_as_it_was(recording):
    opens(recording, "alpha.py", 1, 2)
    before = trail_file(recording).read_bytes()
    with pytest.raises(TrailError, match="Version 9"):
        recording.trail.rollback(9, 1.0)
    with pytest.raises(UsageError, match="label"):
        recording.trail.commit("x" * 2_000, 1.0)
    assert trail_file(recording).read_bytes() == before


def test_a_commit_of_the_file_after_it_was_opened_is_named_and_an_earlier_one_is_not(recording, workspace):
    opens(recording, "alpha.py", 1, 2)
    opens(recording, "beta.py", 5, 6)
    (workspace / "alpha.py").write_text(CODE + "# more\n", "utf-8")
    later = {"GIT_COMMITTER_DATE": "2099-01-01T00:00:00Z"}
    named = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *named, "commit", "-qam", "x"], cwd=workspace, check=True, env={**os.environ, **later})
    beta, alpha = where(recording)["last"]
    assert beta["commit"] is None
    assert (alpha["commit"]["author"], alpha["commit"]["committed_at"]) == ("Ada", 4070908800)
    assert len(alpha["commit"]["commit"]) == 40


@pytest.mark.slow
def test_evidence_that_was_given_is_repeated_once_the_topic_has_moved(recording):
    def look_around(name):
        for number in range(12):
            opens(recording, f"{name}.py", 4 * number + 1, 4 * number + 2)

    def repeats():
        given = ContextArguments("alpha_step3", session_id="s")
        blocks = CONTEXT.run(recording, given, AskContext())["blocks"]
        return {block["repeated"] for block in blocks if block["source_id"] == "alpha.py"}

    look_around("alpha")
    assert repeats() == {False}
    assert repeats() == {True}
    look_around("alpha")
    assert repeats() == {True}, "the topic is the same"
    look_around("beta")
    assert repeats() == {False}
    assert repeats() == {True}
    recording.session.config = dataclasses.replace(recording.session.config, trail_record=False)
    look_around("gamma")
    assert repeats() == {True}, "nothing is recorded"


def test_a_prior_of_the_trail_exchanges_neighbors_and_leaves_items_and_verdicts(recording, workspace):
    for name in ("first", "second"):
        (workspace / f"{name}.py").write_text("def moor_zeppelin(mast):\n    return mast\n", "utf-8")
    recording.refresh()

    def packet(share):
        recording.session.config = dataclasses.replace(recording.session.config, trail_prior=share)
        made = recording.packet("moor_zeppelin")
        made["accounting"].pop("elapsed_ms")
        for item in made["verified"]:
            item.pop("last_verified_at")
        return made

    def places(made):
        return [(item["source_id"], item["start_line"], item["status"]) for item in made["verified"]]

    before = packet(0.0)
    later = places(before)[1][0]
    assert {places(before)[0][0], later} == {"first.py", "second.py"}
    for _ in range(4):
        opens(recording, later)
    assert packet(0.0) == before, "0 leaves every byte of an answer as it is"
    after = packet(0.5)
    assert places(after)[:2] == places(before)[1::-1]
    assert sorted(places(after)) == sorted(places(before))
    assert (after["stale_risk"], after["needs_refresh"]) == (before["stale_risk"], before["needs_refresh"])
    window = recording.context("moor_zeppelin")
    assert window["blocks"][0]["source_id"] == later
    recording.session.config = dataclasses.replace(recording.session.config, trail_record=False)
    assert places(packet(0.5)) == places(before), "without a trail there is no prior"


@given(
    st.lists(st.tuples(st.sampled_from([4.0, 2.0, 1.9, 1.8, 1.0]), st.integers(0, 5)), max_size=12),
    st.dictionaries(st.integers(0, 5), st.floats(0, 1)),
    st.floats(0, 0.5),
)
def test_a_prior_moves_no_item_by_more_than_a_place(scored, likely, share):
    def item(number, score, file):
        ranked = Ranked(SimpleNamespace(id=number, source=SimpleNamespace(path=b"%d" % file)), score, ())
        return Weighed(ranked, None, 1.0, "", "", 0.0, "")

    ordered = sorted(scored, key=lambda one: -one[0])
    weighed = [item(number, *one) for number, one in enumerate(ordered)]
    made = within_one_place(weighed, {b"%d" % file: chance for file, chance in likely.items()}, share)
    numbers = [one.ranked.item.id for one in made]
    assert sorted(numbers) == [*range(len(weighed))]
    assert all(abs(place - number) <= 1 for place, number in enumerate(numbers))
    assert all(one.ranked.score >= other.ranked.score for one, other in pairwise(made))
    assert within_one_place(weighed, {}, share) == weighed


def test_a_damaged_trail_repeats_nothing_and_is_named(recording):
    trail_file(recording).write_bytes(b"no database" * 100)
    assert recording.trail.topic_began() == 0.0
    assert "helix where --forget" in recording.session.memory_problem


@pytest.mark.parametrize("name", ["", " ", "two\nlines"])
def test_a_label_or_a_flag_is_one_line_and_masked(recording, name):
    trail = recording.trail
    for act in (lambda: trail.commit(name, 1.0), lambda: trail.flag(name)):
        with pytest.raises(UsageError, match="one line of printable characters"):
            act()
    secret = "ghp_" + "a1B2c3D4e5" * 4
    trail.commit(f"before {secret}", 1.0)
    trail.flag(f"seen {secret}")
    kept = trail.history()
    assert secret not in str(kept) and kept["versions"][0]["label"].startswith("before [masked")


def test_a_version_of_a_trail_that_is_not_recorded_says_so(open_helix, workspace):
    helix = open_helix(workspace)
    for answer in (helix.trail.commit("before", 1.0, dry_run=True), helix.trail.flag("seen", dry_run=True)):
        assert any("trail.record = true" in note for note in answer["notes"])


@pytest.mark.process
def test_files_that_the_trail_expects_next_are_indexed_before_the_rest(recording, workspace):
    """Of a change too large for one moment, a question that comes before its end finds these up to date."""
    # One worker ends what it is given in that order; of several one may be late on a busy machine.
    recording.session.config = dataclasses.replace(recording.session.config, workers=1)
    for number in range(150):
        (workspace / f"a_module{number:03}.py").write_text(CODE, "utf-8")
    recording.refresh()
    for name in ("gamma", "beta", "alpha") * 6:
        opens(recording, f"{name}.py")
    assert recording.trail.expected() == [b"alpha.py", b"beta.py", b"gamma.py"]
    for file in workspace.glob("*.py"):
        file.write_text(file.read_text("utf-8") + "# changed\n", "utf-8")
    done = []

    def interrupts(progress):
        if progress.phase == "indexing":
            done.append(progress.path)
            if len(done) == 64:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recording.refresh(interrupts)
    assert {"alpha.py", "beta.py", "gamma.py"} < {*done}
    assert "a_module149.py" not in done


@pytest.mark.process
def test_a_trail_that_cannot_be_read_holds_up_no_refresh(recording, workspace):
    trail_file(recording).write_bytes(b"no database" * 100)
    for number in range(40):
        (workspace / f"a_module{number:02}.py").write_text(CODE, "utf-8")
    assert recording.refresh().added == 40
    assert recording.trail.expected() == []


def test_a_flag_keeps_a_file_and_a_folder_out_of_the_index_for_good(recording, workspace, open_helix):
    (workspace / "deep" / "er").mkdir(parents=True)
    for name in ("deep/er/one.py", "deeper.py"):
        (workspace / name).write_text(CODE, "utf-8")
    # No rule of the repository takes them in again.
    (workspace / ".helixignore").write_text("!alpha.py\n!deep/\n", "utf-8")
    recording.refresh()
    indexed = recording.session.index.reader.files.states
    assert {b"alpha.py", b"deep/er/one.py"} < indexed().keys()
    assert recording.trail.flag("never-index ./alpha.py")["flag"] == "never-index alpha.py"
    recording.trail.flag("never-index deep")
    assert recording.has_other_rules(), "a running host compares the index with the disk"
    with pytest.raises(UsageError, match="ignored"):
        recording.show("alpha.py", 1, 2)
    recording.refresh()
    assert not {b"alpha.py", b"deep/er/one.py"} & indexed().keys()
    assert {b"beta.py", b"deeper.py"} < indexed().keys()
    again = open_helix(workspace)
    (workspace / "alpha.py").write_text(CODE + "# more\n", "utf-8")
    again.refresh_paths([b"alpha.py"])
    assert b"alpha.py" not in again.session.index.reader.files.states()
    FORGET_TRAIL.run(again, ForgetTrailArguments(origin="user"), AskContext())
    again.refresh()
    assert {b"alpha.py", b"deep/er/one.py"} < again.session.index.reader.files.states().keys()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("consent", "own settings"),
        ("consent to keep chats", "own settings"),
        ("never-index", "names no file|is not a path"),
        ("never-index ../out.py", "is not a path"),
        ("never-index password=hunter2hunter2.py", ".helixignore"),
        ("dismissed", "text_hash"),
        ("dismissed outdated_doc", "text_hash"),
    ],
)
def test_a_flag_that_would_do_nothing_is_refused_with_what_to_do(recording, name, said):
    with pytest.raises(UsageError, match=said):
        recording.trail.flag(name)
    assert recording.trail.history()["flags"] == []


def test_flags_that_cannot_be_read_hold_as_they_were_last_and_are_named(recording):
    recording.trail.flag("never-index alpha.py")
    recording.refresh()
    trail_file(recording).write_bytes(b"no database" * 100)
    recording.refresh()
    assert b"alpha.py" not in recording.session.index.reader.files.states()
    assert any("flags of the trail are not read" in note for note in recording.session.doubts())


def test_what_changed_at_a_place_is_told_by_the_disk_before_the_index_knows(recording, workspace):
    for name in ("alpha", "beta", "gamma"):
        opens(recording, f"{name}.py", 1, 2)
    (workspace / "alpha.py").write_text("# above\n" + CODE.replace("step", "alpha_step"), "utf-8")
    (workspace / "beta.py").write_text(CODE.replace("value + 0", "value - 1"), "utf-8")
    (workspace / "gamma.py").unlink()
    gamma, beta, alpha = where(recording)["last"]
    assert (alpha["status"], alpha["start_line"], alpha["was"]["start_line"]) == ("verified", 2, 1)
    assert [(one["status"], one["reason"]) for one in (beta, gamma)] == [
        ("needs_refresh", "changed"),
        ("needs_refresh", "gone"),
    ]
