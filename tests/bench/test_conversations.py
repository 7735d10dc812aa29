"""The conversations: enough of them, halves that share no project and no wording, right files that are known."""

import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures" / "conversations"
BENCH = ROOT / "benchmarks" / "conversation.py"
HALVES = ("development", "held-out")
LANGUAGES = {"de", "es", "ja", "zh"}


def lines(name):
    return [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]


PROJECTS = {one["project"]: one for one in lines("projects.jsonl")}
RECORDS = {half: lines(f"{half}.jsonl") for half in HALVES}
MANNERS = {half: json.loads((FIXTURES / "manners" / f"{half}.json").read_text("utf-8")) for half in HALVES}
ALL = [*chain(*RECORDS.values())]


def of(kind, records=ALL):
    return [one for one in records if one["kind"] == kind]


def test_there_are_as_many_as_the_figures_need():
    turns = Counter(len(one["turns"]) for one in of("conversation"))
    assert len(of("message")) >= 600
    assert turns.total() >= 120 and set(turns) == set(range(2, 10))
    assert len(of("absent")) >= 200 and len({one["project"] for one in of("absent")}) >= 8
    assert len({one["id"] for one in ALL}) == len(ALL)


def test_a_project_is_in_one_half_and_in_no_other_set_of_questions():
    mine = {half: {one["project"] for one in RECORDS[half]} for half in HALVES}
    assert not mine["development"] & mine["held-out"]
    for half, projects in mine.items():
        assert len(projects) >= 3
        assert {PROJECTS[name]["half"] for name in projects} == {half}
    other = (ROOT / "fixtures" / "questions").glob("*.jsonl")
    used = {json.loads(line)["corpus"] for file in other for line in file.read_text("utf-8").splitlines()}
    assert used and not used & set(PROJECTS)


def test_the_halves_have_no_wording_in_common():
    for kind in ("same", "tests", "thanks", "nothing"):
        first, second = (set(MANNERS[half][kind]) for half in HALVES)
        assert first and second and not first & second
    names = [{one["name"] for one in MANNERS[half]["wrappings"]} for half in HALVES]
    assert not names[0] & names[1]
    texts = [
        {one.get("text") for one in MANNERS[half]["wrappings"] if one.get("text") not in (None, "{q}")}
        for half in HALVES
    ]
    assert len(texts[0]) >= 15 and not texts[0] & texts[1]


def test_every_right_file_is_in_the_list_of_its_project():
    for record in ALL:
        known = PROJECTS[record["project"]]["files"]
        turns = record.get("turns", [record])
        named = [file for turn in turns for file in turn.get("files", ())] + record.get("twin", {}).get("files", [])
        assert set(named) <= set(known), record["id"]
        if record["kind"] == "message":
            assert bool(record["files"]) == (record["group"] != "nothing"), record["id"]
    for project in PROJECTS.values():
        assert re.fullmatch(r"[0-9a-f]{64}", project["sha256"])


@pytest.mark.parametrize("half", HALVES)
def test_every_wrapped_question_has_its_plain_one_and_every_wrapping_is_used(half):
    messages = of("message", RECORDS[half])
    plain = {one["of"]: one for one in messages if one["group"] == "plain"}
    wrapped = [one for one in messages if one["group"] == "wrapped"]
    assert set(Counter(one["of"] for one in wrapped).values()) == {5 if half == "development" else 3}
    assert {one["of"] for one in wrapped} == set(plain)
    for one in wrapped:
        assert set(plain[one["of"]]["files"]) <= set(one["files"])
        assert one["messages"] != plain[one["of"]]["messages"], one["id"]
    assert {one["manner"] for one in wrapped} == {one["name"] for one in MANNERS[half]["wrappings"]}
    languages = [one for one in messages if one["group"] == "language"]
    assert {one["of"] for one in languages} <= set(plain)
    assert set(Counter(one["manner"] for one in languages).values()) == {8}
    assert {one["manner"] for one in languages} == LANGUAGES


def test_a_conversation_opens_with_a_question_and_leans_on_it_afterwards():
    for one in of("conversation"):
        first, *others = one["turns"]
        assert first["files"] and not first["follow_up"]
        assert all(turn["answer"] and turn["text"] for turn in one["turns"])
        assert all(turn["files"] for turn in others if turn["follow_up"])
    leaning = [turn for one in of("conversation") for turn in one["turns"] if turn["follow_up"]]
    assert len(leaning) >= 300


def test_an_absent_question_and_its_near_twin_differ_only_in_what_they_ask_for():
    for one in of("absent"):
        phrase = MANNERS[PROJECTS[one["project"]]["half"]]["rules"][one["rule"]]
        before, after = phrase.split("{x}")
        for question in (one["question"], one["twin"]["question"]):
            assert question.startswith(before) and question.endswith(after)
        assert one["question"] != one["twin"]["question"]
        assert one["absent_terms"] and one["twin"]["files"]
    assert set(Counter(one["rule"] for one in of("absent"))) == {"feature", "symbol", "config"}


def test_what_is_written_is_what_the_questions_are_made_from():
    written = {
        line.split(" | ")[1]
        for file in (FIXTURES / "written").glob("*.txt")
        for line in file.read_text("utf-8").splitlines()
        if line.startswith("Q ")
    }
    assert written == {one["messages"][0]["content"] for one in of("message") if one["group"] == "plain"}


TYPED = lines("typed.jsonl")


def test_what_people_type_is_over_projects_of_no_other_set_and_says_what_is_right():
    projects = {one["project"] for one in of("project", TYPED)}
    typed = of("typed", TYPED)
    assert len(typed) == 40 and len(projects) == 2 and not projects & set(PROJECTS)
    assert {one["project"] for one in typed} == projects
    assert set(Counter(one["want"] for one in typed)) == {"evidence", "nothing", "absent"}
    for one in typed:
        assert bool(one["files"]) == (one["want"] == "evidence"), one["id"]
        assert not set(one["files"]) & set(one["stale"]) and one["messages"][-1]["role"] == "user"


@pytest.mark.parametrize(
    ("want", "quoted", "known_empty", "rights"),
    [
        ("evidence", ["a.py"], False, [True, True]),
        ("evidence", ["b.py", "a.py"], False, [False, False]),
        ("evidence", ["a.py", "old.py"], False, [False, True]),
        ("nothing", [], False, [True, True]),
        ("absent", [], True, [True, True]),
        ("absent", ["b.py"], False, [False, False]),
    ],
)
def test_the_bench_counts_a_typed_message_by_what_it_wants(monkeypatch, want, quoted, known_empty, rights):
    monkeypatch.syspath_prepend(str(BENCH.parent))
    bench = importlib.import_module("conversation")
    shown = bench.Evidence.of("".join(f"[{at}] {file}:1-2 f\n" for at, file in enumerate(quoted)))
    places = [{"source_id": file, "relevance_score": -at} for at, file in enumerate(quoted)]
    packet = {"verified": places, "stale_risk": [], "needs_refresh": [], "notes": [], "known_empty": known_empty}
    server = SimpleNamespace(
        chat=lambda _: bench.Received("added", shown, shown),
        post=lambda *_: (packet | {"coordinate_confidence": 0.5}, ""),
    )
    wanted = {"files": ["a.py"] if want == "evidence" else [], "is_first": want == "evidence", "stale": ["old.py"]}
    record = {"kind": "typed", "id": "1", "manner": "m", "want": want, "messages": [{"content": "q"}]} | wanted
    tally = bench.Tally()
    bench.measure(server, [record], tally)
    assert [tally.outcomes[f"typed: right {how}"] for how in ("in the chat", "as a packet")] == [
        [one] for one in rights
    ]


@pytest.mark.slow
@pytest.mark.process
def test_the_bench_reads_what_the_upstream_got_and_its_gate_can_fail(tmp_path):
    name = next(name for name in PROJECTS if PROJECTS[name]["half"] == "development")
    asked = [one for one in of("message") if one["project"] == name and one["group"] == "plain"]
    for file in PROJECTS[name]["files"]:
        said = "\n".join(one["messages"][0]["content"] for one in asked if file in one["files"])
        (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / file).write_text(f'"""{Path(file).stem}.\n\n{said}\n"""\n')
    command = [sys.executable, str(BENCH), str(tmp_path), "--half", "development", "--only", name, "--json", "--gate"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 1, done.stderr
    figures = json.loads(done.stdout)["development"]["figures"]
    assert figures["present, plain: right file"][0] > 0.8, "each question stands in its right file, word for word"
    assert figures["near-twin of an absent one: told absent"][0] > 0.05, "what the twins ask for is left out"
    assert figures["absent: told"][1] == len([one for one in of("absent") if one["project"] == name])
