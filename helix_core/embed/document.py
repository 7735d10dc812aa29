"""A file's chunks → what the index keeps of their meaning: which texts stand for it, and their built-in vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.embed.precision import as_bits, as_int8
from helix_core.embed.static import vectors_of
from helix_core.embed.texts import chunk_texts, outlines
from helix_core.model import Chunk, EmbeddedText, Level

HASH_BYTES = 8


def embedded_texts(path: bytes, chunks: Sequence[Chunk]) -> tuple[EmbeddedText, ...]:
    """The outlines of a file, then its chunks, each with its static vector."""
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
    """A text to be embedded, and the hash it is kept under."""

    text: str
    input_hash: bytes


def texts_of(path: bytes, chunks: Sequence[Chunk], level: Level) -> list[Text]:
    """The texts of one level, as a better model than the built-in one is to see them."""
    texts = (one.text for one in outlines(path, chunks)) if level == "outline" else chunk_texts(path, chunks)
    return [Text(text, input_hash(level, text)) for text in texts]


def input_hash(level: Level, text: str) -> bytes:
    """What a text is kept under: equal for equal text at one level, whatever file it stands in and whatever model."""
    return hashlib.sha256(f"{level}\n{text}".encode("utf-8", "replace")).digest()[:HASH_BYTES]
