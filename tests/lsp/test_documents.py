"""Buffers follow every edit, whatever the client counts in, and know when they may differ from the disk."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from helix_ls.lsp.documents import LARGE_CHARACTERS, OpenBuffer, name_at, to_column, to_units

ENCODINGS = ("utf-8", "utf-16", "utf-32")
FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}"
ACCENT = "e\N{COMBINING ACUTE ACCENT}"
TEXT = st.text(st.sampled_from("ab\r\n\n\x0c\u2028\u0085é\N{COMBINING ACUTE ACCENT}\N{PILE OF POO}"), max_size=14)
PLACE = st.tuples(st.integers(0, 6), st.integers(0, 8))


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(types.Range(types.Position(*start), types.Position(*end)), text)


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


def offset(text: str, place: tuple[int, int], encoding: str) -> int:
    lines = lines_of(text)
    if place[0] >= len(lines):
        return len(text)
    return sum(map(len, lines[: place[0]])) + to_column(lines[place[0]].rstrip("\r\n"), place[1], encoding)


@given(TEXT, st.lists(st.tuples(PLACE, PLACE, TEXT), max_size=5), st.sampled_from(ENCODINGS))
def test_a_buffer_is_what_its_edits_make_of_it(text: str, edits: list, encoding: str) -> None:
    document = OpenBuffer("file:///a", 1, text)
    for start, end, new in edits:
        here, there = sorted((offset(text, start, encoding), offset(text, end, encoding)))
        text = text[:here] + new + text[there:]
        document.change([edit(start, end, new)], 2, encoding)
        assert document.content().decode() == text
        shown = [line.rstrip("\r\n") for line in lines_of(text)]
        assert [document.line(number) for number in range(len(shown) + 1)] == [*shown, ""]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", ["plain", f"a {FAMILY} b", f"caf{ACCENT} = 1", "日本語 x", "\N{PILE OF POO}" * 3])
def test_columns_and_units_are_each_others_way_back(text: str, encoding: str) -> None:
    for column in range(len(text) + 1):
        assert to_column(text, to_units(text, column, encoding), encoding) == column
    assert to_column(text, 10_000, encoding) == len(text)
    assert to_column(text, -1, encoding) == 0


def test_a_place_inside_a_character_is_before_it() -> None:
    assert to_column("\N{PILE OF POO}x", 1, "utf-16") == 0
    assert to_column("\N{PILE OF POO}x", 3, "utf-8") == 0


def test_a_name_is_found_right_of_an_emoji_and_a_combining_mark() -> None:
    line = f'mark("{FAMILY} caf{ACCENT}", sign_cookie)'
    column = line.index("cookie")
    assert name_at(line, column)[0] == "sign_cookie"
    assert name_at(f"caf{ACCENT} = 1", 2)[0] == f"caf{ACCENT}"


@pytest.mark.parametrize(("line", "column", "name"), [("", 0, ""), ("x", 9, "x"), ("a + b", 2, ""), ("12ab", 3, "")])
def test_there_may_be_no_name(line: str, column: int, name: str) -> None:
    assert name_at(line, column)[0] == name


def test_a_buffer_is_dirty_until_it_is_known_to_read_as_its_file() -> None:
    document = OpenBuffer("file:///a", 1, "x")
    assert document.is_dirty
    document.mark_clean(document.edition)
    assert not document.is_dirty
    document.change([edit((0, 0), (0, 0), "y")], 2, "utf-16")
    assert document.is_dirty


def test_of_a_large_document_only_the_fact_is_kept() -> None:
    document = OpenBuffer("file:///a", 1, "line\n" * (LARGE_CHARACTERS // 5 + 1))
    assert document.is_large
    began = time.process_time()
    for number in range(1000):
        document.change([edit((number, 0), (number, 1), "x")], number, "utf-16")
    assert document.content() == b""
    assert time.process_time() - began < 5
    document.change([types.TextDocumentContentChangeWholeDocument("small")], 2, "utf-16")
    assert not document.is_large
    assert document.content() == b"small"
