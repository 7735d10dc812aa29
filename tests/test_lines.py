"""One rule says where a line ends, and it is the rule of editors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helix_core.lines import (
    LineTable,
    is_line_start,
    line_breaks,
    line_count,
    lines_with_ends,
    with_line_feeds,
    without_line_end,
)

PIECES = ["a", "\n", "\r\n", "\r", "\0", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "é"]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def reference(text: str) -> list[str]:
    """The lines by LSP 3.17 (``EOL: string[] = ['\\n', '\\r\\n', '\\r']``), read character by character."""
    lines, line = [], ""
    for place, character in enumerate(text):
        line += character
        if character == "\n" or (character == "\r" and text[place + 1 : place + 2] != "\n"):
            lines.append(line)
            line = ""
    return [*lines, line] if line else lines


@given(texts)
def test_lines_end_where_the_lines_of_an_editor_do(text: str) -> None:
    data, lines = text.encode(), [line.encode() for line in reference(text)]
    table = LineTable(data)
    assert len(table) == line_count(data) == len(lines)
    assert line_breaks(data) == sum(line.endswith((b"\n", b"\r")) for line in lines)
    assert lines_with_ends(text) == reference(text)
    assert data.splitlines(keepends=True) == lines
    offset = 0
    for number, line in enumerate(lines, 1):
        assert table.start(number - 1) == offset
        assert table.span(number, number) == (offset, offset + len(line))
        assert {table.row(at) for at in range(offset, offset + len(line))} == {number - 1}
        assert [is_line_start(data, at) for at in range(offset, offset + len(line))] == [True] + [False] * (
            len(line) - 1
        )
        offset += len(line)
    assert table.span(1, len(lines)) == (0, len(data))


@given(texts)
def test_line_feeds_stand_for_lone_carriage_returns_at_the_same_places(text: str) -> None:
    fed = with_line_feeds(text)
    assert with_line_feeds(text.encode()) == fed.encode()
    assert len(fed) == len(text)
    assert [len(line) for line in fed.split("\n")][: len(reference(text))] == [
        len(line.rstrip("\n")) - (not line.endswith("\n") and line.endswith("\r")) for line in reference(text)
    ]
    assert all(one == other or (one, other) == ("\r", "\n") for one, other in zip(text, fed, strict=True))


def test_text_without_a_lone_carriage_return_is_not_copied() -> None:
    for data in (b"one\ntwo\n", b"one\r\ntwo\r\n", b"one\x0ctwo"):
        assert with_line_feeds(data) is data


def test_one_line_end_is_taken_off() -> None:
    for end in ("\n", "\r\n", "\r", ""):
        assert without_line_end(f"a{end}") == "a"
        assert without_line_end(f"a\n{end}".encode()) == (b"a\n" if end else b"a")
