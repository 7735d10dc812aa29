"""What a message asks is found among what surrounds it, and stays byte for byte where nothing surrounds it."""

import json
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.conversation.asked import Need, read_question
from helix_core.conversation.parts import PartKind

QUESTIONS = [
    json.loads(line)["question"]
    for name in ("answerable", "absent")
    for line in (Path(__file__).parents[2] / f"fixtures/questions/{name}.jsonl").read_text("utf-8").splitlines()
]
WRAPPINGS = [
    "Hi Claude, {} Thanks a lot!",
    "hello {}",
    "I'm on Ubuntu 22.04 with PyCharm. {}",
    "Hi! I'm Maria, a new colleague. {}",
    "{} thanks, -- Bob",
    "(ticket ABC-1234) {}",
    "{} lol",
    "{} pls",
    "PROJ-77: {}",
    "{} 48213",
    "{} id=7f3a9c",
    "{} (issue #32415)",
    "Good morning team!\n\n{}\n\nBest regards,\nBob",
    "{}\n\nSent from my iPhone",
    "As discussed with Tom yesterday, {}",
    "For our customer Siemens: {}",
    "Quick question - {}",
    "{} please look at line 1204",
    "Hey team,\n\n{}\n\nBest regards,\nPetra Müller\nSenior Engineer, Acme GmbH",
    "Guten Morgen zusammen! {} Besten Dank und viele Grüße, Jürgen",
    "Happy Friday! {} Asking for Siemens.",
    "{}\n\nPS: take your time, I am away on Monday.",
    "@helix {}",
    "Hallo zusammen, {} Vielen Dank im Voraus!",
    "Hola, {} ¡Muchas gracias!",
    "Bonjour, {} Merci beaucoup !",
    "Olá, {} Muito obrigado!",
    "こんにちは。{} ありがとうございます。",
    "你好，{} 谢谢！",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plain_question_is_searched_as_it_was_typed(question):
    asked = read_question(question)
    assert (asked.text, asked.judged, asked.need) == (question, "", Need.EVIDENCE)


@pytest.mark.slow
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_what_surrounds_a_question_is_not_searched(wrapping):
    marked = [question for question in QUESTIONS if question.endswith("?")]
    assert len(marked) > 50
    searched = [read_question(wrapping.format(question)) for question in marked]
    differing = [
        (one.text, question)
        for one, question in zip(searched, marked, strict=True)
        if (one.judged or one.text).rstrip(" ?") != question.rstrip("?") or one.need is not Need.EVIDENCE
    ]
    assert differing == []


@pytest.mark.parametrize(
    ("text", "part", "of"),
    [
        ("Hi there! Where is the cache cleared?", PartKind.GREETING, "Hi there!"),
        ("Where is the cache cleared? Be concise; use bullet points.", PartKind.STYLE, "use bullet points."),
        ("I'm using Python 3.12 on macOS 14. Where is it?", PartKind.ENVIRONMENT, "I'm using Python 3.12 on macOS 14."),
        ("My name is Ana. Where is it?", PartKind.INTRODUCTION, "My name is Ana."),
        ("Bob asked me how cookies are signed", PartKind.REPORT, "Bob asked me"),
        ("Where is the cache cleared (JIRA-1234)?", PartKind.TICKET, "(JIRA-1234)"),
    ],
)
def test_each_part_is_named(text, part, of):
    assert (part, of) in [(one.part, one.text) for one in read_question(text).parts]


def test_a_statement_beside_a_question_is_searched_only_where_the_question_needs_it():
    alone = read_question("I started this week. How is a password hashed with PBKDF2 and a salt?")
    assert alone.text == "How is a password hashed with PBKDF2 and a salt?"
    needed = read_question("I get a 403 when I post a form. How do I fix this?")
    assert "403" in needed.text and needed.judged in ("", needed.text)
    named = read_question("The `login_view` crashes. Where are sessions stored in the database?")
    assert "login_view" in named.text and "login_view" not in named.judged


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("resume an upload that was cut off yesterday: where is the offset kept?", "resume an upload"),
        ("one invoice for several customers at once: who splits it?", "several customers"),
        ("The nightly import dies on umlauts in file names. Where is the encoding of a path decided again?", "umlauts"),
        ("retries use a doubled delay up to a minute; which setting bounds it", "doubled delay"),
    ],
)
def test_what_describes_the_thing_asked_for_is_searched_with_the_question(text, described):
    assert described in read_question(text).text


def test_a_sentence_about_a_system_says_more_than_where_it_runs():
    order = "on windows, remove the lock file before the service is started again"
    assert read_question(order).need is Need.EVIDENCE and "lock file" in read_question(order).text
    assert read_question("We use pytest, and the second worker loses its temporary folder").need is Need.EVIDENCE
    assert read_question("I'm on Windows 11 with Docker and PyCharm.").need is Need.NOTHING


def test_an_order_that_is_only_quoted_makes_no_job_of_a_client():
    text = 'The hint ("write a title first", the kind of message that is shown twice) comes too early. Who prints it?'
    assert read_question(text).need is Need.EVIDENCE


@pytest.mark.parametrize(
    "text",
    [
        "hello world example",
        "where is UTF-8 decoded?",
        "what does RFC-2822 demand of dates?",
        "why does the parser use markdown",
        "how is the thank you page rendered?",
        "which code greets with hello?",
        "where are Windows paths split?",
        "how are two halves of a rename joined on linux?",
        "`thanks`",
        "ABC-1234",
    ],
)
def test_words_that_only_look_like_a_wrapping_stay(text):
    assert read_question(text).text == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_read_the_same_twice_and_nothing_is_raised(text):
    assert read_question(text) == read_question(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "\n",
        "(",
        "at a(",
        'File "',
        "thanks ",
        "-- A ",
        "a.",
        "a/",
        "#1",
        "A-1 ",
        "```\n",
        "1:1 ",
        "@@ -1 ",
        "É",
    ],
)
def test_work_grows_with_the_bound_and_not_with_the_text(unit):
    """Four times the text costs about as much once both are longer than what is read."""

    def took(text: str) -> float:
        began = time.process_time()
        read_question(text)
        return time.process_time() - began

    shorter, longer = unit * (200_000 // len(unit)), unit * (800_000 // len(unit))
    assert took(longer) <= 20 * took(shorter) + 1


TRACE = "".join(f'  File "/srv/app/m{at}.py", line {at}, in f{at}\n    x = f{at}()\n' for at in range(400))


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("where are session cookies signed?", 1_100),
        ("why?\nTraceback (most recent call last):\n" + TRACE + "ValueError: no", 35_000),
        ("The server reads the request. " * 1_100 + "where is it?", 45_000),
    ],
    ids=["a question", "a trace of 400 frames", "33,000 characters of prose"],
)
def test_the_calls_of_a_reading_are_counted(text, most):
    """A clock would measure the machine. Each of these took two to five times as many before they were bounded."""
    read_question(text)
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        read_question(text)
    finally:
        sys.setprofile(None)
    assert calls <= most


def test_a_long_message_is_asked_by_the_question_at_its_end():
    asked = read_question("The server reads the request. " * 1_100 + "Where are session cookies signed?")
    assert asked.text == "Where are session cookies signed? The server reads the request."


@pytest.mark.parametrize("tail", [", I'm new here", ", im new here lol", ", we're beginners"])
def test_who_asks_is_no_part_of_the_question(tail):
    assert read_question(f"can you explain the asyncio executor{tail}").text == "can you explain the asyncio executor"


def test_what_follows_a_comma_about_the_code_stays():
    for text in ("where is the model set, it's a user object", "what does sum return, this is a test"):
        assert read_question(text).text == text
