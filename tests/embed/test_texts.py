"""What is embedded of a file: at most eight outlines, a heading for each chunk, and a folder that costs nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.embed.texts import (
    CARD_CHARS,
    LONGEST_OUTLINE,
    MOST_OUTLINES,
    card_texts,
    chunk_texts,
    embedded_texts,
    first_sentence,
    outlines,
    path_words,
    texts_of,
)
from helix_core.ingest.document import ingest

CODE = b'''"""Rows of the cache."""

def evict_oldest(rows):
    """Drop the row nobody asked for longest. More words follow."""
    return rows[1:]

class LeastRecentlyUsed:
    """Keeps what was used last."""

    def touch(self, key):
        self.order.append(key)
'''


def test_an_outline_says_path_names_and_first_sentences() -> None:
    (only,) = outlines(b"src/cacheRows.py", ingest(b"src/cacheRows.py", CODE).chunks)
    assert only.text.startswith("src cache rows py\n")
    assert "evict oldest: Drop the row nobody asked for longest." in only.text
    assert "More words" not in only.text
    assert "least recently used" in only.text


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 400), st.integers(1, 60))
def test_any_file_has_few_short_outlines(functions: int, words: int) -> None:
    code = b"".join(
        b'def name_%d():\n    """%s."""\n    return %d\n\n\n' % (number, b"word " * words, number)
        for number in range(functions)
    )
    document = ingest(b"big.py", code)
    found = outlines(document.path, document.chunks)
    assert len(found) <= MOST_OUTLINES
    assert bool(found) == bool(document.chunks)
    assert all(len(one.text) <= LONGEST_OUTLINE and 0 <= one.chunk < len(document.chunks) for one in found)


def test_a_file_that_moves_keeps_the_vectors_of_its_chunks() -> None:
    chunks = ingest(b"a/cache.py", CODE).chunks
    here, there = embedded_texts(b"a/cache.py", chunks), embedded_texts(b"b/c/cache.py", chunks)
    assert [text for text in here if text.level == "chunk"] == [text for text in there if text.level == "chunk"]
    assert here[0].input_hash != there[0].input_hash


def test_what_a_model_embeds_has_the_hashes_the_index_keeps() -> None:
    document = ingest(b"a/cache.py", CODE)
    for level in ("outline", "chunk"):
        wanted = [text.input_hash for text in document.embedded if text.level == level]
        assert [text.input_hash for text in texts_of(document.path, document.chunks, level)] == wanted


def test_a_card_says_names_the_first_sentence_and_each_word_of_the_code_once() -> None:
    chunks = ingest(b"src/cacheRows.py", CODE).chunks
    cards = list(card_texts(b"src/cacheRows.py", chunks))
    (evict,) = (card for card in cards if "evict" in card)
    assert evict == "cache rows py evict oldest. Drop the row nobody asked for longest. def return"
    assert max(map(len, cards)) <= CARD_CHARS


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1500), st.integers(0, 1500), st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
def test_chunks_of_one_text_have_one_card(doc: int, body: int, first: str, second: str) -> None:
    """A card is stored under the hash of the text, of which only the beginning counts."""
    (chunk,) = ingest(b"a.py", b"def name():\n    return 1\n").chunks
    chunks = [
        chunk._replace(text=chunk.text._replace(doc="x " * doc + word, body="y_z(q)\n" * body + word))
        for word in (first, second)
    ]
    said, cards = list(chunk_texts(b"a.py", chunks)), list(card_texts(b"a.py", chunks))
    assert said[0] != said[1] or cards[0] == cards[1]


def test_secrets_never_reach_a_text() -> None:
    document = ingest(b"a.py", b'# the key\nTOKEN = "ghp_' + b"0aB1cD2eF3" * 4 + b'"\n')
    texts = [text.text for level in ("outline", "chunk") for text in texts_of(document.path, document.chunks, level)]
    assert document.masked_count
    assert not any("0aB1cD2eF3" in text for text in texts)


def test_paths_and_sentences_are_read_as_words() -> None:
    assert path_words(b"src/flask/jsonTag_v2.py") == "src flask json tag v 2 py"
    assert first_sentence("Says 3.5 things.\nMore.") == "Says 3.5 things."
    assert first_sentence("x" * 50 + " " + "y" * 200) == "x" * 50
