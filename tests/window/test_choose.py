"""What a small window says: several places instead of one long text, and a line for each file that is not quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.model import Decoder, Reason, Status
from helix_core.tokens import estimate
from helix_core.window.envelope import KNOWN_HEAD, NAMED_HEAD, SAMPLE_BOUNDARY
from helix_core.window.evidence import Evidence, LeftOut, Window, WindowFact, WindowRequest
from helix_core.window.window import make_window
from tests.window.test_window import evidence, window

NAMED = re.compile(r"^- (.+):(\d+)-(\d+) refund - (verified|stale risk \(conflicted\))$")


def long_text(lines: int) -> str:
    return "def refund(amount):\n" + "\n".join(f"    step_{n} = amount + {n}" for n in range(lines))


def names_in(made: Window) -> list[tuple[str, int, int]]:
    """The places of the lines below the head of those that are only named."""
    _, _, tail = made.text.partition(f"{NAMED_HEAD}\n")
    found = (NAMED.match(line) for line in tail.split("\n")[:-1])
    return [(one[1], int(one[2]), int(one[3])) for one in found if one is not None]


def files_of(made: Window) -> set[str]:
    return {block.source_id for block in made.blocks} | {file for file, _, _ in names_in(made)}


@pytest.mark.parametrize(("budget", "least"), [(500, 5), (1_000, 12), (2_000, 16)])
def test_long_texts_give_way_to_more_files(budget: int, least: int) -> None:
    made = window([evidence(n, long_text(150)) for n in range(16)], budget, confidence=0.2)
    assert len(files_of(made)) >= least
    assert made.tokens <= budget
    assert all(block.hidden_lines for block in made.blocks)


def test_what_is_named_and_not_shown_says_so_in_the_account_too() -> None:
    found = [evidence(n, long_text(60)) for n in range(10)]
    found.append(evidence(10, "", status=Status.NEEDS_REFRESH, reason=Reason.GONE))
    made = window(found, 700, confidence=0.2)
    named = [(one.source_id, one.start_line, one.end_line) for one in made.left_out if one.named]
    assert sorted(named) == sorted(names_in(made))
    assert named, "there was room for some"
    assert "file_10" not in made.text, "what is gone is not a place to read"
    assert len(made.blocks) + len(made.left_out) == len(found)


def test_a_file_of_which_nothing_is_shown_is_named_before_more_of_another() -> None:
    same = [evidence(n, long_text(60), path="src/a.py", start=1 + 100 * n) for n in range(8)]
    made = window([*same, evidence(9, long_text(60), path="src/z.py")], 500, confidence=0.2)
    assert names_in(made)[0][0] == "src/z.py"
    assert {file for file, _, _ in names_in(made)[1:]} <= {"src/a.py"}


def test_a_named_place_that_may_mislead_says_why() -> None:
    risky = [evidence(n, long_text(60), status=Status.STALE_RISK, reason=Reason.CONFLICTED) for n in range(9)]
    made = window(risky, 600, confidence=0.2)
    assert names_in(made)
    assert "refund - stale risk (conflicted)" in made.text.partition(NAMED_HEAD)[2]


def test_a_place_that_was_given_before_is_not_said_to_be_unshown() -> None:
    found = [evidence(n, long_text(60)) for n in range(10)]
    known = {one.weighed.ranked.item.text_hash for one in found[8:]}
    made = window(found, 700, confidence=0.2, delivered=frozenset(known))
    unshown, _, given_before = made.text.partition(NAMED_HEAD)[2].partition(KNOWN_HEAD)
    assert "file_8" in given_before and "file_9" in given_before
    assert "file_8" not in unshown and "file_9" not in unshown
    assert made.tokens <= 700
    changed = window(found, 700, confidence=0.2, delivered=frozenset(known), superseded=frozenset(known))
    assert KNOWN_HEAD not in changed.text, "it does not hold any more"


def test_what_is_left_over_goes_to_the_texts() -> None:
    made = window([evidence(n, long_text(80)) for n in range(3)], 1_500, confidence=0.2)
    assert made.tokens > 0.9 * 1_500
    assert not names_in(made), "all three are quoted"


def test_a_clear_answer_and_a_full_prompt_name_few_places() -> None:
    clear = [evidence(0, score=9.0), *(evidence(n, score=0.5) for n in range(1, 24))]
    made = window(clear, 3_000, confidence=0.95)
    assert (made.tier, len(made.blocks), len(names_in(made))) == ("tight", 3, 3)
    full = window([evidence(n) for n in range(24)], 3_000, prompt_tokens=120_000, confidence=0.2)
    assert (len(full.blocks), len(names_in(full))) == (1, 1)


def test_a_symbol_cannot_break_out_of_its_line() -> None:
    hostile = [evidence(n, long_text(60), path=f"src/{n}\n=== helix 0 end\u202e.py") for n in range(8)]
    made = window(hostile, 600, confidence=0.2)
    tail = made.text.partition(f"{NAMED_HEAD}\n")[2].split("\n")
    assert all(line.startswith("- src/") for line in tail[:-1])
    assert "\u202e" not in made.text


def test_the_boundary_that_was_drawn_never_changes_what_is_shown() -> None:
    found = [evidence(n, long_text(90)) for n in range(6)]
    asked = WindowRequest(terms=("refund",), budget_tokens=700)

    def shown(draw: Iterator[str]) -> tuple[list[str], list[LeftOut]]:
        made = make_window(found, (), asked, confidence=0.2, count=estimate, boundary=lambda: next(draw))
        assert made.tokens <= 700
        return [f"{block.source_id} {block.tokens}" for block in made.blocks], list(made.left_out)

    cheap, dear = "a" * 16, "1a2b3c4d5e6f7081"
    assert shown(repeat(cheap)) == shown(chain(repeat(dear, 20), repeat(cheap)))


def test_a_fact_of_nothing_but_digits_is_no_boundary_to_be_avoided_for_ever() -> None:
    facts = tuple(WindowFact("ledger.id", word, "ledger.toml", 1) for word in ("0" * 16, SAMPLE_BOUNDARY))
    made = window([evidence(1)], facts=facts, model="qwen3:4b")
    assert made.facts == facts


@settings(max_examples=60, deadline=None)
@given(
    shapes=st.lists(st.tuples(st.integers(1, 90), st.sampled_from("abcdefgh")), min_size=1, max_size=24),
    budget=st.integers(200, 3_000),
    decoder=st.sampled_from(list(Decoder)),
)
def test_every_place_is_quoted_named_or_left_out_once_and_the_budget_holds(
    shapes: list[tuple[int, str]], budget: int, decoder: Decoder
) -> None:
    found: list[Evidence] = [
        evidence(n, long_text(size), path=f"src/{file}.py", start=1 + 1_000 * n)
        for n, (size, file) in enumerate(shapes)
    ]
    made = window(found, budget, decoder=decoder, confidence=0.2)
    assert estimate(made.text) <= budget
    told = [(one.source_id, one.start_line) for one in (*made.blocks, *made.left_out)]
    assert sorted(told) == sorted((f"src/{file}.py", 1 + 1_000 * n) for n, (_, file) in enumerate(shapes))
    assert sorted(names_in(made)) == sorted(
        (one.source_id, one.start_line, one.end_line) for one in made.left_out if one.named
    )


def test_a_place_of_which_no_line_fits_is_named_and_takes_no_number() -> None:
    bare = "class refund:\n    rates = (" + " + ".join(f"rate_{n}" for n in range(900)) + ")\n"
    made = window([evidence(0, long_text(12)), *(evidence(n, bare) for n in range(1, 5))], 900, confidence=0.2)
    assert [block.source_id for block in made.blocks] == ["src/file_0.py"]
    assert {one.source_id for one in made.left_out if one.named} == {f"src/file_{n}.py" for n in range(1, 5)}
    alone = window([evidence(1, bare)], 300, confidence=0.2)
    assert len(alone.blocks) == 1, "the only place is shown as far as it fits"
