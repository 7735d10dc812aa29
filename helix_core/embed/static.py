"""The built-in encoder: a text is the weighted sum of its distinct word pieces. It needs no loading.

Two implementations of the same vector: with numpy for documents, thousands at once, and without for a question, whose
process would pay more for importing numpy than for the search. Weighting by frequency: Arora, Liang & Ma 2017, "A
Simple but Tough-to-Beat Baseline for Sentence Embeddings"; it is part of the table.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from math import dist, sqrt
from typing import TYPE_CHECKING, Any, Protocol

from helix_core.embed.table import static_table
from helix_core.words import split_identifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STATIC = "static"
WORDS_KEPT = 1 << 13
"""Tokens whose rows are kept: twice as many spare one token in fifty a look-up, and no time that can be measured."""
WORDS_NEAR = 1 << 10
"""Words whose vectors ``nearness`` keeps, of 8 KiB each."""
_WORD = re.compile(r"\w+")
_ASCII_WORDS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_LONG = 200


class Encoder(Protocol):
    """Embeds questions. ``models`` are the models it can encode with, the best first."""

    @property
    def models(self) -> tuple[str, ...]: ...

    @property
    def problem(self) -> str:
        """Describe why a configured better model is unavailable; "" when nothing is wrong."""
        ...

    def encode(self, model: str, text: str) -> bytes:
        """Return the unit vector of ``text`` as little-endian float32; all zero when the model knows none of its
        words.
        """
        ...


class StaticEncoder:
    """The built-in table as an ``Encoder``."""

    models: tuple[str, ...] = (STATIC,)
    problem = ""

    def encode(self, model: str, text: str) -> bytes:
        """Return the vector of ``text``.

        Raises:
            ValueError: ``model`` is not ``static``.
        """
        if model != STATIC:
            raise ValueError(f"The built-in encoder does not know the model {model}.")
        table = static_table()
        dimensions, values, scales = table.dimensions, table.values(), table.scales()
        total = [0.0] * dimensions
        for row in pieces_of(text):
            scale = scales[row]
            start = row * dimensions
            total = [
                sum_ + scale * value
                for sum_, value in zip(total, values[start : start + dimensions].tolist(), strict=True)
            ]
        length = sqrt(sum(value * value for value in total)) or 1.0
        return packed_floats([value / length for value in total])


def nearness(word: str, others: Iterable[str]) -> float:
    """Return the largest cosine, 0..1, of a word and one of others; 0 where the table knows none."""
    own = _vector(word)
    # Of unit vectors; ``dist`` takes a third of the time that a sum of products does.
    squares = [dist(own, vector) ** 2 for vector in map(_vector, others) if vector] if own else []
    return max(1.0 - min(squares) / 2, 0.0) if squares else 0.0


@lru_cache(WORDS_NEAR)
def _vector(word: str) -> tuple[float, ...]:
    """Return the vector of a word, empty where the table does not know it."""
    vector = tuple(array("f", StaticEncoder().encode(STATIC, word)))
    return vector if any(vector) else ()


def packed_floats(values: Sequence[float]) -> bytes:
    """Encode values as little-endian float32."""
    packed = array("f", values)
    if packed.itemsize != 4 or array("H", [1]).tobytes() != b"\1\0":
        packed.byteswap()
    return packed.tobytes()


def pieces_of(text: str) -> list[int]:
    """Return the table's rows for the distinct words of a text, in row order."""
    # Half the time of a regular expression, whose words these are: letters, digits and the underscore.
    words = text.translate(_ASCII_WORDS).split() if text.isascii() else _WORD.findall(text)
    return sorted(set().union(*map(_rows_of, set(words))))


@lru_cache(WORDS_KEPT)
def _rows_of(token: str) -> tuple[int, ...]:
    """Return the rows of each word of a token, which may be a compound identifier."""
    if len(token) > _LONG:
        return ()
    if token.isascii() and token.islower() and token.isalpha():
        return _pieces(token)
    words = split_identifier(_plain(token))
    return _pieces(words[0]) if len(words) == 1 else tuple([row for word in words for row in _pieces(word)])


@lru_cache(WORDS_KEPT)
def _pieces(word: str) -> tuple[int, ...]:
    return static_table().pieces(word)


def _plain(token: str) -> str:
    """Remove accents, as in the table's tokens."""
    if token.isascii():
        return token
    from unicodedata import combining, normalize

    return "".join(letter for letter in normalize("NFD", token) if not combining(letter))


def vectors_of(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one unit row for each text; zeros where no word is known."""
    import numpy as np

    values, scales = _arrays()
    found = np.zeros((len(texts), values.shape[1]), np.float32)
    for place, text in enumerate(texts):
        rows = pieces_of(text)
        if rows:
            chosen = np.array(rows)
            np.matmul(scales.take(chosen), values.take(chosen, axis=0).astype(np.float32), out=found[place])
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    found /= np.where(lengths > 0, lengths, 1)
    return found


@cache
def _arrays() -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    import numpy as np

    table = static_table()
    table.load_all_tokens()
    values: Any = np.frombuffer(table.values(), np.int8).reshape(table.rows, table.dimensions)
    return values, np.asarray(table.scales(), np.float32)
