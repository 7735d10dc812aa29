"""A text that is written without rich is what rich would have written."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len as rich_cell_len
from rich.console import Console
from rich.text import Text

from helix_ls.cli.render.page import Page
from helix_ls.cli.render.styled import Styled, cell_len

pytestmark = pytest.mark.unit
STYLES = st.sampled_from(["", "bold", "dim", "bold green", "cyan"])
PARTS = st.lists(st.tuples(st.text(max_size=20), STYLES), max_size=4)


def printed(text: object, *, is_terminal: bool) -> str:
    out = io.StringIO()
    Console(file=out, width=10_000, force_terminal=is_terminal, markup=False, emoji=False, highlight=False).print(
        text, soft_wrap=True
    )
    return out.getvalue()


@given(PARTS)
def test_a_pipe_gets_the_characters_that_rich_prints(parts: list[tuple[str, str]]) -> None:
    page = Page()
    assert not page.is_terminal
    page.line(*(Styled(text, style) for text, style in parts))
    whole = printed(Text.assemble(*parts), is_terminal=False)
    assert page.text() == "\n".join(line.rstrip() for line in whole.split("\n"))


@given(PARTS, st.integers(0, 9), st.integers(0, 9))
def test_a_terminal_gets_the_styles_that_rich_prints(parts: list[tuple[str, str]], start: int, end: int) -> None:
    ours, theirs = Styled.assemble(*parts), Text.assemble(*parts)
    ours.stylize("red", start, end)
    theirs.stylize("red", start, end)
    assert printed(Styled.assemble("> ", ours), is_terminal=True) == printed(
        Text.assemble("> ", theirs), is_terminal=True
    )


@given(st.text())
def test_a_text_is_as_wide_as_rich_says(text: str) -> None:
    assert cell_len(text) == rich_cell_len(text)
