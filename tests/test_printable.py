"""Whatever a name or a quote holds, what is printed neither moves the cursor nor hides."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.printable import inert_text, inert_value, is_joiner_at, lines_of, one_line
from helix_ls.cli.output import _without_surrogates
from tests.control_tokens import ALL, broken


@given(st.text(st.characters(exclude_categories=[])))
def test_no_control_format_or_surrogate_character_comes_through(text: str) -> None:
    shown = one_line(text)
    plain = [one for at, one in enumerate(shown) if not 0x1F000 <= ord(one) < 0x1FB00 and not is_joiner_at(shown, at)]
    assert not {unicodedata.category(character) for character in plain} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    shown.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "P", "S"], max_codepoint=0x2FF)))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200db", "a\\u200db"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("a\ufe01b\u3164", "a\\ufe01b\\u3164"),
        ("\u2642\u200d \u200d\u2642", "\u2642\\u200d \\u200d\u2642"),
        ("\u2642\u200c\u2642", "\u2642\\u200c\u2642"),
        ("\u0645\u200c\u200c\u0645", "\u0645\\u200c\\u200c\u0645"),
        ("two\nlines\r\tand", "two\\nlines\\r\\tand"),
        ("caf\udce9", "caf\\xe9"),
        ("日本語 é ❤\ufe0f", "日本語 é ❤\ufe0f"),
    ],
)
def test_what_could_deceive_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert one_line(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "\U0001fa77",
        "\U0001f468\u200d\U0001f467",
        "\u2764\ufe0f\u200d\U0001f525",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    ],
)
def test_new_pictures_and_the_joiners_that_spell_are_left_alone(text: str) -> None:
    assert one_line(text) == text


def test_a_quote_keeps_its_lines_and_expands_tabs() -> None:
    assert lines_of("a\r\n\tb\n") == ["a", "    b", ""]


@pytest.mark.parametrize("quote", ["a\r\r\nb", "a\n\r\r\nb", "a\rb\r\nc"])
def test_no_quote_loses_a_line_that_ends_with_a_lone_carriage_return(quote: str) -> None:
    count = len(quote.splitlines())
    assert len(inert_text(quote).replace("\\r", "\n").splitlines()) == count
    assert len(inert_value("quote", quote).replace("\\r", "\n").splitlines()) == count


@pytest.mark.slow
@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_no_string_of_a_inert_value_hides_anything(value: Any) -> None:
    for said in _strings(inert_value("symbol", value)):
        assert one_line(said) == said
    for said in _strings(inert_value("quote", value)):
        for line in said.split("\n"):
            shown = line.removesuffix("\r").replace("\t", "")
            assert one_line(shown) == shown


@pytest.mark.parametrize("token", ALL)
def test_a_control_token_is_broken_wherever_it_stands(token: str) -> None:
    outer = [
        f"<|{token}|>",
        f"[{token}]",
        f"{token}{token}",
        f"<{token}>",
        f"x{token}y",
        f"<s{token}s>",
        f"[IN{token}ST]",
    ]
    for text in outer:
        shown = inert_text(text)
        assert not [one for one in ALL if one in shown]
        assert broken(token) in shown or shown.count("\\x") >= text.count(token)
    packet = {
        "verified": [{"source_id": f"a/{token}.py", "quote": f"x = '{token}'\n", "symbol": token}],
        "query": token,
    }
    (item,) = inert_value("", packet, unchanged=("query",))["verified"]
    assert token not in str(item)
    assert item["escaped"] is True


def test_an_item_whose_quote_is_exact_is_not_called_escaped() -> None:
    item = {"source_id": "a/\u202e.py", "quote": "<b>x</b>\r\n\treturn [1]\r\n"}
    assert inert_value("", item) == {"source_id": "a/\\xe2\\x80\\xae.py", "quote": item["quote"]}


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    return [said for one in inner for said in _strings(one)]


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs"], max_codepoint=0x2FF) | st.sampled_from("\n\t")))
def test_a_safe_quote_is_the_text_of_the_file_where_nothing_hides(text: str) -> None:
    for quote in (text, text.replace("\n", "\r\n")):
        assert inert_value("quote", {"quote": quote}) == {"quote": quote}


def test_json_never_holds_a_lone_surrogate() -> None:
    assert _without_surrogates({"p\udcff": ["\udce9", {"k": ("x\ud800",)}, 3, None]}) == {
        "p\\xff": ["\\xe9", {"k": ["x\\ud800"]}, 3, None]
    }
