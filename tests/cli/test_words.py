"""Numbers and times in words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.printable import count
from helix_ls.cli.render.packet import quoted
from helix_ls.cli.render.page import ago, duration, links_work, size

DAY_S = 86_400


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "just now"),
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7200, "2 hours ago"),
        (DAY_S, "1 day ago"),
        (20 * DAY_S, "2 weeks ago"),
        (45 * DAY_S, "1 month ago"),
        (364 * DAY_S, "12 months ago"),
        (365 * DAY_S, "1 year ago"),
        (3000 * DAY_S, "8 years ago"),
    ],
)
def test_an_age_is_told_in_the_largest_unit(seconds: float, said: str) -> None:
    assert ago(1_000_000_000 - seconds, 1_000_000_000) == said


def test_counts_sizes_and_durations_read_well() -> None:
    assert [count(1, "file"), count(1234, "file")] == ["1 file", "1,234 files"]
    assert [size(999), size(4_200_000), size(12_000_000_000)] == ["999 bytes", "4.2 MB", "12.0 GB"]
    assert [duration(41.4), duration(3210)] == ["41 ms", "3.2 s"]


@pytest.mark.parametrize(
    ("environ", "works"),
    [
        ({}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "VTE_VERSION": "4600"}, False),
        ({"TERM": "dumb", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM": "xterm", "FORCE_HYPERLINK": "0"}, False),
    ],
)
def test_links_are_only_for_terminals_that_know_them(environ: dict[str, str], works: bool) -> None:
    assert links_work(environ) is works


@settings(deadline=None)  # The first text of a language loads its grammar.
@given(st.text(max_size=300), st.sampled_from(["python", "markdown", "tsx", "yaml", "text", "unheard-of"]))
def test_colour_changes_no_character_of_a_quote(quote: str, language: str) -> None:
    plain = [line.plain for line in quoted(quote, 1, 40, language, most=12, colour=False)]
    assert [line.plain for line in quoted(quote, 1, 40, language, most=12, colour=True)] == plain


def test_a_long_quote_says_how_much_more_there_is() -> None:
    lines = [line.plain for line in quoted("a\nb\nc\nd", 8, 30, "text", most=3, colour=False)]
    assert lines == ["   8 │ a", "   9 │ b", "  10 │ c", "   ⋮   20 more lines"]
