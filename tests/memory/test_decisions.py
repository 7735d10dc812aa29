"""What is kept, whose it is, and what can be drawn from it: decisions on values alone."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.errors import UsageError
from helix_core.ingest.document import ingest
from helix_core.memory.exchanges import MOST_ANSWER, ObservedExchange, attributed, bounded, facts_in, kept
from helix_core.memory.notes import MOST_BYTES, EmptyError, NoteInput, UnfitError, note_of
from helix_core.model import Attribution, KeptExchange, SourceKind
from tests.memory.made import HERE

KEY = "AKIA" + "Z3XQ7PLM2WNK4RTB"
BY = Attribution("local", "desk", "someone")


def heard(**said):
    about = {
        "workspace": HERE,
        "session": "s",
        "question": "why?",
        "answer": "Because.",
        "model": "m",
        "packet_id": "",
        "at": 1.0,
        "finish": "stop",
    }
    return ObservedExchange(**about | said)


def told(question, answer="", **more):
    about = {"id": 1, "session": "", "model": "m", "packet_id": "", "at": 1.0, "finish": "stop", "truncated": False}
    return KeptExchange(**about | {"question": question, "answer": answer, "by": BY} | more)


def texts(*exchanges):
    return [fact.text for fact in facts_in(exchanges)]


@pytest.mark.parametrize(
    "said", [{"finish": ""}, {"finish": "tool_calls"}, {"finish": "function_call"}, {"answer": " \n"}, {"question": ""}]
)
def test_what_broke_off_or_is_a_round_of_tools_or_says_nothing_is_not_kept(said):
    assert kept(heard(**said), BY) is None


@pytest.mark.parametrize(
    ("finish", "truncated"), [("stop", False), ("length", True), ("content_filter", True), ("pondering", True)]
)
def test_an_answer_that_ran_into_its_limit_is_kept_and_flagged(finish, truncated):
    assert kept(heard(finish=finish), BY).truncated is truncated


def test_secrets_are_masked_wherever_they_stand():
    exchange = kept(heard(question=f"is {KEY} ok?", answer=f"No: {KEY}", session=KEY, model=KEY), BY)
    assert KEY not in repr(exchange)
    assert "[masked:" in exchange.question
    assert KEY not in repr(attributed({"participant_handle": KEY, "authored_tz": KEY}, {"HELIX_ORG": KEY}))


@settings(max_examples=60, deadline=None)
@given(before=st.integers(0, 40), most=st.integers(1, 80))
def test_no_cut_leaves_half_of_a_secret(before, most):
    text, was_cut = bounded(f"{'a ' * before}{KEY} and more", most)
    assert was_cut == (2 * before + len(KEY) + 9 > most)
    assert not any(KEY[:length] in text for length in range(8, len(KEY) + 1))


def test_a_long_answer_is_cut_and_said_to_be():
    exchange = kept(heard(answer="word " * MOST_ANSWER), BY)
    assert exchange.truncated and len(exchange.answer) <= MOST_ANSWER
    assert kept(heard(answer="one two", is_cut=True), BY).answer == "one"
    assert kept(heard(answer="x" * (MOST_ANSWER + 1)), BY).truncated


def test_what_a_request_names_goes_before_the_environment_and_that_before_the_machine():
    environ = {"HELIX_ORG": "Acme", "HELIX_PARTY": "old", "HELIX_USER": "Anna", "HELIX_AGENT": "Robin"}
    plain = attributed({}, {}, user="root", host="Desk", timezone="UTC")
    assert plain == Attribution("local", "desk", "root", "", "UTC")
    assert attributed({}, environ, user="root", host="desk") == Attribution("acme", "old", "anna", "robin")
    assert attributed({}, environ | {"HELIX_DEVICE": "new", "HELIX_TZ": "Europe/Prague"}).device == "new"
    named = {"org_id": "O", "party_id": "P", "participant_id": "7", "participant_handle": "H", "agent_handle": "A"}
    assert attributed(named, environ) == Attribution("o", "p", "h", "a")
    assert attributed({"org_id": " \u202e\0x" + "y" * 90}, {}).org == ("x" + "y" * 90)[:64]
    assert attributed({"org_id": " \n"}, environ).org == "acme"
    # A name that cannot be shown is a program's all the same.
    assert attributed({}, {"HELIX_AGENT": " \u202e"}).agent == "agent"
    assert attributed({}, {"HELIX_AGENT": ""}).agent == ""


def test_decisions_uses_literals_and_citations_are_facts_as_they_were_said():
    exchange = told(
        "We decided to keep sessions in Redis. What about cookies?",
        "This project uses itsdangerous for signing. Maybe we use Redis too. The `SESSION_TTL = 3600` is read once.\n"
        "- The key is read in src/flask/sessions.py:303-322\n"
        "```python\n# we decided nothing here\n```\n"
        "Does the project use tabs? If you like, we use spaces. Fine.",
    )
    found = facts_in([exchange])
    assert [(fact.rule, fact.said_by) for fact in found] == [
        ("decision", "user"),
        ("use", "model"),
        ("literal", "model"),
        ("citation", "model"),
    ]
    assert (found[2].key, found[2].value) == ("SESSION_TTL", "3600")
    assert found[3].citations == ("src/flask/sessions.py:303-322",)
    assert all(fact.exchanges == (1,) for fact in found)


@pytest.mark.parametrize(
    "chatter",
    [
        "ok thanks",
        "Can you fix the test?",
        "I think we use tabs.",
        "You could set `port = 80` here.",
        "Hello! How are you today?",
        "We would have decided otherwise.",
        "Here is the code you asked for.",
    ],
)
def test_chatter_questions_and_hedges_are_no_facts(chatter):
    assert texts(told(chatter, chatter)) == []


def test_a_fact_said_again_has_all_its_exchanges_and_an_unfinished_answer_is_not_read():
    found = facts_in([told("We use tabs here.", id=4), told("we use  TABS here.", id=9), told("hm", id=11)])
    assert [(fact.text, fact.exchanges) for fact in found] == [("We use tabs here.", (4, 9))]
    assert texts(told("so", "We decided to use tabs, but", truncated=True)) == []
    assert len(facts_in([told(" ".join(f"We use tool{n} here." for n in range(50)))])) == 20
    for mask in ("[masked:aws]", "[masked:aws***]", "[masked]", "[***]"):
        assert texts(told(f"We use {KEY[:4]} {mask} here.")) == []


def test_what_a_model_thinks_aloud_is_not_what_it_said():
    thought = "<think>We decided to use tabs.</think>\nWe decided to use spaces."
    assert texts(told("hm", thought)) == ["We decided to use spaces."]
    assert texts(told("hm", "<think>We decided to use tabs.")) == []
    assert texts(told("hm", "We use tabs here. </think>We use spaces here.")) == ["We use spaces here."]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_is_read_without_failing(question, answer):
    for fact in facts_in([told(question, answer)]):
        assert fact.text in question or fact.text in answer


def test_a_note_is_cut_as_a_file_and_its_spans_are_those_of_its_masked_text():
    wanted = NoteInput(
        f"def sign(key):\n    return key\n\n\ndef other():\n    return '{KEY}'\n", "code", {"path": "a/b.py"}
    )
    masked = wanted.checked().masked()
    note = note_of(wanted, masked, ingest(wanted.named_as(), masked.data), workspace=HERE, by=BY, at=1.0)
    assert note.language == "python"
    assert KEY not in note.text and len(note.text) == len(wanted.content)
    assert "".join(note.text[chunk.start_byte : chunk.end_byte] for chunk in note.chunks) == note.text
    assert json.loads(note.metadata) == {"path": "a/b.py"}
    assert (note.title, note.source_kind) == ("a/b.py", SourceKind.NOTE)


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/shadow", "..\\x.py", "a\0b.py", "é/\u202e.md", "x" * 5000])
def test_a_path_names_a_language_and_nothing_else(path):
    wanted = NoteInput("some text", "text", {"path": path})
    masked = wanted.checked().masked()
    note = note_of(wanted, masked, ingest(wanted.named_as(), masked.data), workspace=HERE, by=BY, at=1.0)
    assert note.gene_ids and len(note.metadata) <= 4_096 and len(note.title) <= 200
    assert b"/" not in wanted.named_as() and b"\0" not in wanted.named_as()


@pytest.mark.parametrize(
    "metadata",
    [{"title": "password=hunter2-Tr0ub4dor"}, {"env": [{"of": "password=hunter2-Tr0ub4dor"}]}],
)
def test_a_secret_that_a_text_of_the_metadata_assigns_is_masked_though_it_stands_in_quotes(metadata):
    wanted = NoteInput("some text", "text", metadata | {"team": "tools"})
    masked = wanted.masked()
    document = ingest(wanted.named_as(), masked.data)
    note = note_of(wanted, masked, document, workspace=HERE, by=BY, at=1.0)
    assert "hunter2" not in note.metadata + note.title
    assert json.loads(note.metadata)["team"] == "tools"


@pytest.mark.parametrize("metadata", [{"path": 7, "title": ["x"]}, {"a": {"b": "c" * 9_000}, "path": f"{KEY}/x.md"}])
def test_metadata_of_any_shape_is_bounded_and_masked(metadata):
    wanted = NoteInput("some text", "text", metadata)
    masked = wanted.masked()
    note = note_of(wanted, masked, ingest(wanted.named_as(), masked.data), workspace=HERE, by=BY, at=1.0)
    assert KEY not in note.metadata + note.title
    assert isinstance(json.loads(note.metadata), dict)


def test_what_is_no_text_or_too_much_is_refused_by_its_cause():
    with pytest.raises(EmptyError, match="empty"):
        NoteInput(" \n").checked()
    for content, why in (("a\0b", "zero byte"), ("x" * (MOST_BYTES + 1), "in parts"), ("é" * MOST_BYTES, "in parts")):
        with pytest.raises(UnfitError, match=why):
            NoteInput(content).checked()
    with pytest.raises(UsageError, match="content_type"):
        NoteInput("x", "poem").checked()
    assert NoteInput("\ud800 half").checked().masked().data == b"? half"
