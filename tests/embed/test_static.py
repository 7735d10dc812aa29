"""The built-in encoder: the same vector on both ways, nearer for what means alike, and nothing heavy imported."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.embed.static import StaticEncoder, pieces_of, vectors_of
from helix_core.embed.table import static_table

ENCODER = StaticEncoder()


def encoded(text: str) -> np.ndarray:
    return np.frombuffer(ENCODER.encode("static", text), "<f4")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_questions_and_documents_are_encoded_alike(text: str) -> None:
    vector = encoded(text)
    assert vector == pytest.approx(vectors_of([text])[0], abs=1e-5)
    length = float(np.linalg.norm(vector))
    assert length == pytest.approx(1.0, abs=1e-4) or (length == 0 and not pieces_of(text))


def test_what_means_alike_is_nearer_than_what_does_not() -> None:
    question, near, far = map(encoded, ("remove a record", "deleteRow(table)", "parse_http_header"))
    assert question @ near > question @ far


def test_identifiers_are_their_words() -> None:
    assert pieces_of("parseHTTPHeader") == pieces_of("parse_http header") == pieces_of("Header http PARSE")
    assert encoded("café") == pytest.approx(encoded("cafe"))


def test_both_ways_of_looking_a_token_up_agree() -> None:
    table = static_table()
    words = ["database", "tokenization", "xqzzt", "a" * 101, "", "##ing"]
    by_search = [table.pieces(word) for word in words]
    table.load_all_tokens()
    assert [table.pieces(word) for word in words] == by_search
    assert list(table.tokens()) == sorted(table.tokens())


def test_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="does not know"):
        ENCODER.encode("minilm", "x")


@pytest.mark.process
def test_a_question_imports_no_numpy_and_no_runtime() -> None:
    script = (
        "import sys\nfrom helix_core.embed.static import StaticEncoder\n"
        "assert len(StaticEncoder().encode('static', 'how are rows deleted?')) == 1024\n"
        "heavy = {'numpy', 'onnxruntime', 'fastembed', 'tokenizers'} & set(sys.modules)\nassert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
