"""Logs, diffs and prose made to fit: told once, at their ends, by what changes; nothing said that was not there."""

from __future__ import annotations

import re
from typing import Any, SupportsIndex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.tokens import estimate
from helix_core.window.fit import fit, kind_of
from helix_core.window.logs import Trimmed, _folded
from helix_core.window.prose import Condense, condensed, is_extract

STAND_IN = re.compile(r"^\[.*(left out|times more|condensed).*\]$")
TRACE = [
    "2026-03-01 10:00:07 ERROR charge failed",
    "Traceback (most recent call last):",
    *[f'  File "app/step_{n}.py", line {n}, in step_{n}' for n in range(20)],
    "RefundError: amount is negative",
]
LOG = "\n".join(
    [
        "2026-03-01 10:00:00 INFO started version 4.2",
        *[f"2026-03-01 10:00:{n % 60:02d} DEBUG poll {n} ok" for n in range(300)],
        *TRACE,
        *["2026-03-01 10:01:00 WARN ledger is slow"] * 40,
        "2026-03-01 10:02:00 INFO stopped",
    ]
)
DIFF = "\n".join(
    [
        "diff --git a/pay.py b/pay.py",
        "--- a/pay.py",
        "+++ b/pay.py",
        "@@ -1,60 +1,60 @@ def charge(account):",
        *[f" unchanged_{n} = {n}" for n in range(30)],
        "-    refund(amount)",
        "+    refund(abs(amount))",
        *[f" later_{n} = {n}" for n in range(30)],
        "@@ -200,30 +200,31 @@ def close(account):",
        *[f" other_{n} = {n}" for n in range(20)],
        "+    account.closed = True",
        *[f" last_{n} = {n}" for n in range(20)],
    ]
)


def made(text: str, name: str, most: int, *terms: str, condense: Condense | None = None, language: str = "text") -> str:
    out = fit(text, language, name=name, start_line=1, terms=terms, most_tokens=most, count=estimate, condense=condense)
    assert out is not None
    assert estimate(out.text) <= most
    return out.text


def test_lines_that_repeat_are_told_once_with_their_number() -> None:
    text = made(LOG, "app.log", 2_000)
    assert text.count("DEBUG poll") == 1
    assert "[lines 3-301: the line above, 299 times more, but for numbers]" in text
    assert "the line above, 39 times more]" in text
    assert text.count("ledger is slow") == 1


def test_a_stack_trace_keeps_its_ends() -> None:
    text = made(LOG, "app.log", 2_000)
    assert "step_0.py" in text and "step_19.py" in text
    assert "step_9.py" not in text
    assert "RefundError: amount is negative" in text


def test_a_repeating_group_of_lines_is_told_once() -> None:
    pairs = "\n".join(
        line for n in range(20) for line in (f"12:00:{n:02d} INFO begin job {n}", f"12:00:{n:02d} INFO end")
    )
    text = made(pairs, "app.log", 500)
    assert text.split("\n")[2] == "[lines 3-40: the 2 lines above, 19 times more, but for numbers]"


def test_of_a_log_that_is_still_too_long_errors_and_ends_stay() -> None:
    lines = [f"10:00:00 INFO {'abcdefghijklmnop'[n % 16]}{'qrstuvwxyz'[n // 16 % 10]} alone" for n in range(160)]
    lines[80] = "10:00:01 ERROR disk full on /var"
    text = made("\n".join(lines), "app.log", 200)
    assert lines[0] in text and lines[-1] in text and lines[80] in text
    assert "left out]" in text


def test_a_diff_keeps_heads_and_changes_and_cuts_what_stands_around() -> None:
    text = made(DIFF, "fix.patch", 260)
    for line in ("--- a/pay.py", "-    refund(amount)", "+    refund(abs(amount))", "+    account.closed = True"):
        assert line in text
    assert "@@ -200,30 +200,31 @@ def close(account):" in text
    assert "unchanged_3 " not in text
    assert re.search(r"\[lines \d+-\d+ left out\]", text)


def test_what_is_left_out_of_a_diff_is_counted() -> None:
    long = "\n".join(["--- a/x", "+++ b/x", "@@ -1,99 +1,99 @@", *[f"+added {n}" for n in range(99)]])
    assert re.search(r"left out, \d+ changed\]", made(long, "x.diff", 120))


@pytest.mark.parametrize(
    ("text", "language", "name", "kind"),
    [
        (DIFF, "text", "notes", "diff"),
        (LOG, "text", "", "log"),
        ("x = 1", "python", "build.log.py", "code"),
        ("Some words.\n\nMore words.", "markdown", "README.md", "prose"),
        ("Some words.\n\nMore words.", "text", "NEWS", "prose"),
        ("a", "log", "server.out", "log"),
    ],
)
def test_what_a_text_is_shows_in_its_name_or_its_look(text: str, language: str, name: str, kind: str) -> None:
    assert kind_of(text, language, name) == kind


@settings(max_examples=120, deadline=None)
@given(
    lines=st.lists(
        st.sampled_from(
            [*LOG.split("\n")[::9], *DIFF.split("\n"), *TRACE, "", "---", "+++ b", "@@ -1 +1 @@", "\tat x.go:1"]
        ),
        max_size=120,
    ),
    name=st.sampled_from(["a.log", "a.diff"]),
    most=st.integers(5, 800),
    start=st.integers(1, 5_000),
)
def test_whatever_is_shown_is_there_in_its_order_within_the_budget(
    lines: list[str], name: str, most: int, start: int
) -> None:
    text = "\n".join(lines)
    out = fit(text, "text", name=name, start_line=start, terms=("refund",), most_tokens=most, count=estimate)
    if out is None:
        return
    assert estimate(out.text) <= most
    shown = [line for line in out.text.split("\n") if not STAND_IN.match(line)]
    remaining = iter(lines or [""])
    assert all(line in remaining for line in shown)
    assert len(shown) + out.hidden_lines == len(lines or [""])


PROSE = " ".join(
    f"Refunds of kind {n} go back to the account. Nothing else happens with them there." for n in range(60)
)


def first_sentences(text: str, share: float) -> str:
    said = text.split(". ")
    return "\n".join(f"{one}." for one in said[: max(1, int(len(said) * share * 0.8))])


def test_prose_is_condensed_and_marked_so() -> None:
    text = made(PROSE, "README.md", 300, condense=first_sentences, language="markdown")
    assert text.startswith("[condensed: ")
    assert "Refunds of kind 0 go back to the account." in text


@pytest.mark.parametrize(
    "invented",
    [
        lambda text, share: "Refunds never go back.",
        lambda text, share: "go back to the account",
        lambda text, share: "Refunds of kind 5 go back to the account.\nRefunds of kind 2 go back to the account.",
        lambda text, share: text,
        lambda text, share: "",
    ],
)
def test_what_the_prose_does_not_say_so_is_not_taken(invented: Condense) -> None:
    assert condensed(PROSE, 300, estimate, invented) is None


def test_prose_with_code_in_it_is_left_to_be_cut_whole() -> None:
    assert condensed(f"{PROSE}\n\n```\nrefund()\n```\n", 300, estimate, first_sentences) is None


def test_half_a_sentence_says_something_else() -> None:
    assert is_extract("Never do that.", "Now listen. Never do that. It is bad.")
    assert not is_extract("do that.", "Now listen. Never do that. It is bad.")


def test_code_never_goes_to_the_condenser() -> None:
    def refuse(text: str, share: float) -> str:
        raise AssertionError("code was handed over")

    code = "def a():\n    return 1\n\n\n" * 80
    assert isinstance(
        fit(code, "python", name="a.py", start_line=1, terms=(), most_tokens=100, count=estimate, condense=refuse),
        Trimmed,
    )


class Counted(list[str]):
    """Lines that count how often one of them is read by its number."""

    reads = 0

    def __getitem__(self, which: SupportsIndex | slice) -> Any:
        found = super().__getitem__(which)
        self.reads += len(found) if isinstance(found, list) else 1
        return found


def test_a_log_of_nothing_but_indented_lines_is_read_a_few_times_and_not_squared() -> None:
    lines = Counted(f"  state of {chr(97 + n % 26) * (n // 26 + 1)}" for n in range(2_000))
    assert len(_folded(lines, 1)) == len(lines)
    assert lines.reads < 20 * len(lines)
