"""What a text cites: places, paths, symbols and quotes, and whether a sentence claims that they are so now."""

import pytest

from helix_core.check import MOST_CITATIONS, CitationKind, citations_in

PLACE, PATH, SYMBOL, QUOTE = CitationKind


def places(text):
    return [(one.path, one.start_line, one.end_line) for one in citations_in(text) if one.kind is PLACE]


def only(text, kind):
    (one,) = (one for one in citations_in(text) if one.kind is kind)
    return one


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("see `app/a.py:12`", (12, 12)),
        ("see app/a.py:12-20.", (12, 20)),
        ("see app/a.py:12:5 for it", (12, 12)),
        ("see `app/a.py#L12-L20`", (12, 20)),
        ("see [it](app/a.py#L12)", (12, 12)),
        ("see [it](app/a.py:12-20)", (12, 20)),
        ("`app/a.py`, line 12", (12, 12)),
        ("`app/a.py` (lines 12 to 20)", (12, 20)),
        ("on lines 12–20 of `app/a.py`", (12, 20)),
        ("| `app/a.py:12` | a table |", (12, 12)),
        ("In app/a.py:12: it fails", (12, 12)),
        ("app/a.py:12-20:", (12, 20)),
    ],
)
def test_a_place_is_read_in_every_usual_form(text, lines):
    assert places(text) == [("app/a.py", *lines)]


@pytest.mark.parametrize(
    "text",
    [
        "open http://localhost:8080 and https://example.org/a.py:12",
        "at 12:30 the ratio was 3:4",
        "```\nFile a.py:12\n```",
        "<!-- a.py:12 -->",
        "$ python a.py:12",
        "redis:6379 and example.com:443",
        "a.py:12:x is no place",
        "    app/a.py:12 in an indented block",
    ],
)
def test_addresses_times_commands_and_logs_are_no_places(text):
    assert places(text) == []


def test_a_place_knows_where_it_is_in_the_text():
    text = "Intro.\n\nHere: `app/a.py:12` and more."
    (one,) = citations_in(text)
    assert text.split("\n")[one.line - 1][one.column - 1 : one.end_column - 1] == "app/a.py:12"


@pytest.mark.parametrize(
    "text",
    [
        "`Basket.add()` is defined in `app/a.py:12`.",
        "`Basket.add()` (`app/a.py:12`)",
        "[`Basket.add()`](app/a.py#L12)",
        "- `app/a.py:12` – `Basket.add()`",
    ],
)
def test_a_symbol_right_beside_a_place_belongs_to_it(text):
    assert only(text, PLACE).parts == ("Basket", "add")


def test_a_symbol_elsewhere_in_the_sentence_does_not():
    assert only("`Basket.add()` calls what `app/a.py:12` returns.", PLACE).parts == ()


@pytest.mark.parametrize(
    "text",
    [
        "Create `app/new.py`.",
        "Add `Basket.clear()` to it.",
        "There is no `Basket.clear()`.",
        "`Basket.clear()` doesn't exist.",
        "It was called `Basket.clear()` previously.",
        "There was a function called `Basket.clear()`.",
        "`Basket.clear()` wurde entfernt.",
        "`Basket.clear()` gibt es nicht mehr.",
        "Früher gab es `Basket.clear()`.",
        "Il n'y a plus de `Basket.clear()`.",
        "Ya no existe `Basket.clear()`.",
        "## Entfernt\n\n- `Basket.clear()`",
        "## Proposed changes\n\n`Basket.clear()` empties it.",
        "Version 2.0\n-----------\n\n`Basket.clear()` empties it.",
        "===========\nShop 1.10.7\n===========\n\nBugs\n====\n\n`Basket.clear()` empties it.",
    ],
)
def test_proposals_denials_and_other_times_claim_nothing(text):
    assert [one.is_claim for one in citations_in(text)] == [False]


def test_the_words_of_a_sentence_count_and_not_its_code():
    assert only("`Basket.remove_new()` empties it.", SYMBOL).is_claim


@pytest.mark.parametrize(
    "text",
    [
        "```12:13:app/a.py\na = 1\nb = 2\n```",
        "```python app/a.py:12-13\na = 1\nb = 2\n```",
        "`app/a.py:12-13`:\n\n```python\na = 1\nb = 2\n```",
        "```python\n# app/a.py:12-13\na = 1\nb = 2\n```",
    ],
)
def test_a_block_that_names_its_place_is_a_quote(text):
    one = only(text, QUOTE)
    assert (one.path, one.start_line, one.end_line, one.quoted) == ("app/a.py", 12, 13, ("a = 1", "b = 2"))
    assert one.is_claim


@pytest.mark.parametrize(
    "text",
    [
        "Change it to this:\n\n```12:13:app/a.py\na = 1\n```",
        "Replace the line.\n\n`app/a.py:12`:\n\n```python\na = 1\n```",
        "```python\n# app/a.py:12-13 (new)\na = 1\n```",
    ],
)
def test_a_block_that_proposes_claims_nothing(text):
    assert not only(text, QUOTE).is_claim


@pytest.mark.parametrize(
    "text", ["```diff\n# app/a.py:1\n-a\n+b\n```", "```python\na = 1\n```", "Look:\n\n```\na\n```"]
)
def test_diffs_and_blocks_without_a_place_are_no_quotes(text):
    assert [one for one in citations_in(text) if one.kind is QUOTE] == []


@pytest.mark.parametrize(
    "piece",
    ["a", "[", "[a](", "`", "`a` ", "a.py:1 ", "[a](b.py#L1) ", "```\n", "# ", "line 1 of a.py, ", "a.b.", "<!--\n"],
)
def test_hostile_texts_are_read_in_linear_work(piece):
    # Quadratic work on 256 KB would not come to an end here.
    assert len(citations_in(piece * (262_144 // len(piece)))) <= MOST_CITATIONS
