"""The texts to embed of a file: a few outlines (path, names, first sentences) and each chunk below its heading.

A model reads a chunk's card instead: its names, its first sentence and the words of its identifiers. It costs less
than half of the time of the whole text (docs/EMBED.md).

Also quantizes vectors for storage: int8 for outlines, one bit a dimension for chunks.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from helix_core.embed.static import vectors_of
from helix_core.model import Chunk, EmbeddedText, Level
from helix_core.words import IDENTIFIER, split_identifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_OUTLINES = 8
OUTLINE_CHARS = 600
LONGEST_OUTLINE = 900
CHUNK_CHARS = 1200
CARD_CHARS = 320
SENTENCE_CHARS = 160
NAMES_IN_HEADING = 6
_NAMES_KEPT = 1 << 11
"""Names whose words are kept: a chunk's outline and its heading have the same."""
_NO_WORD = re.compile(r"\W+")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n")


@dataclass(frozen=True, slots=True)
class OutlineText:
    """A text that describes a part of a file, and the first chunk (0-based) of that part."""

    text: str
    chunk: int


def path_words(path: bytes) -> str:
    """Split a path into words: ``src/flask/json/tag.py`` gives ``src flask json tag py``."""
    text = path.decode("utf-8", "replace")
    return " ".join(part for piece in re.split(r"[\W_]+", text) for part in split_identifier(piece) or [piece] if part)


def outlines(path: bytes, chunks: Sequence[Chunk]) -> tuple[OutlineText, ...]:
    """Return at most eight texts: the path's words, then names and first sentences of the chunks, in file order."""
    if not chunks:
        return ()
    head = path_words(path)
    entries = [(entry, index) for index, chunk in enumerate(chunks) if (entry := _entry(chunk))]
    room = max(OUTLINE_CHARS, -(-sum(len(entry) + 2 for entry, _ in entries) // MOST_OUTLINES) + SENTENCE_CHARS)
    groups: list[tuple[list[str], int]] = []
    size = room
    for entry, index in entries:
        if size + len(entry) > room and len(groups) < MOST_OUTLINES:
            groups.append(([], index))
            size = 0
        groups[-1][0].append(entry)
        size += len(entry) + 2
    if not groups:
        return (OutlineText(head, 0),)
    return tuple(OutlineText(f"{head}\n{'; '.join(parts)}"[:LONGEST_OUTLINE], index) for parts, index in groups)


def chunk_texts(path: bytes, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield for each chunk its heading (file name, breadcrumb, names), then its comments and code."""
    stem = path_words(os.path.basename(path))
    for chunk in chunks:
        yield f"{stem} {_heading(chunk)}\n{chunk.text.doc}\n{chunk.text.body}"[:CHUNK_CHARS]


def card_texts(path: bytes, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield for each chunk its heading and first sentence, then the words of its identifiers, each once.

    Only what ``chunk_texts`` shows is read, because a card's vector is stored under the hash of that text.
    """
    stem = path_words(os.path.basename(path))
    for chunk in chunks:
        heading = f"{stem} {_heading(chunk)}"
        doc = chunk.text.doc[: max(0, CHUNK_CHARS - len(heading) - 1)]
        body = chunk.text.body[: max(0, CHUNK_CHARS - len(heading) - len(chunk.text.doc) - 2)]
        words = dict.fromkeys(word for name in IDENTIFIER.findall(body) for word in split_identifier(name))
        said = frozenset(heading.split())
        known = " ".join(word for word in words if len(word) > 1 and word not in said)
        yield f"{heading}. {first_sentence(doc)} {known}"[:CARD_CHARS]


def _heading(chunk: Chunk) -> str:
    names = dict.fromkeys((chunk.breadcrumb, chunk.name, *(found.name for found in chunk.definitions)))
    return " ".join(_words_of(name) for name in list(names)[:NAMES_IN_HEADING] if name)


def _entry(chunk: Chunk) -> str:
    names = dict.fromkeys((chunk.name, *(found.name for found in chunk.definitions)))
    words = ", ".join(_words_of(name) for name in names if name)
    sentence = first_sentence(chunk.text.doc)
    return f"{words}: {sentence}" if words and sentence else words or sentence


@lru_cache(_NAMES_KEPT)
def _words_of(name: str) -> str:
    return " ".join([part for piece in _NO_WORD.split(name) for part in split_identifier(piece)])


def first_sentence(text: str) -> str:
    """Return the first sentence of a comment, on one line, truncated at a word."""
    head = text[: 4 * SENTENCE_CHARS].strip()
    found = _SENTENCE_END.search(head)
    sentence = " ".join((head[: found.start() + 1] if found else head).split())
    return sentence if len(sentence) <= SENTENCE_CHARS else sentence[:SENTENCE_CHARS].rsplit(" ", 1)[0]


def as_int8(vectors: NDArray[np.float32]) -> list[bytes]:
    """Quantize each row to ``dimensions`` bytes."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True) if len(vectors) else vectors
    scaled = np.round(vectors * (127 / np.where(largest > 0, largest, 1)))
    return [row.tobytes() for row in scaled.astype(np.int8)]


def as_bits(vectors: NDArray[np.float32]) -> list[bytes]:
    """Quantize each row to ``dimensions / 8`` bytes: one sign bit a dimension."""
    import numpy as np

    return [row.tobytes() for row in np.packbits(vectors > 0, axis=1)]


HASH_BYTES = 8


def embedded_texts(path: bytes, chunks: Sequence[Chunk]) -> tuple[EmbeddedText, ...]:
    """Return the outlines of a file, then its chunks, each with its static vector."""
    outlined = outlines(path, chunks)
    texts = [outline.text for outline in outlined]
    bodies = list(chunk_texts(path, chunks))
    vectors = vectors_of(texts + bodies)
    as_outlines = zip(outlined, as_int8(vectors[: len(texts)]), strict=True)
    as_chunks = zip(bodies, as_bits(vectors[len(texts) :]), strict=True)
    return (
        *(EmbeddedText("outline", one.chunk, input_hash("outline", one.text), kept) for one, kept in as_outlines),
        *(
            EmbeddedText("chunk", place, input_hash("chunk", text), kept)
            for place, (text, kept) in enumerate(as_chunks)
        ),
    )


@dataclass(frozen=True, slots=True)
class Text:
    """A text to embed, and the hash it is stored under."""

    text: str
    input_hash: bytes


def texts_of(path: bytes, chunks: Sequence[Chunk], level: Level) -> list[Text]:
    """Return the texts of one level for a model other than the built-in one: outlines, or the cards of the chunks."""
    if level == "outline":
        return [Text(one.text, input_hash(level, one.text)) for one in outlines(path, chunks)]
    kept_under = (input_hash(level, text) for text in chunk_texts(path, chunks))
    return [Text(card, hash_) for card, hash_ in zip(card_texts(path, chunks), kept_under, strict=True)]


def input_hash(level: Level, text: str) -> bytes:
    """Return the storage key of a text: equal for equal text at one level, independent of file and model."""
    return hashlib.sha256(f"{level}\n{text}".encode("utf-8", "replace")).digest()[:HASH_BYTES]
