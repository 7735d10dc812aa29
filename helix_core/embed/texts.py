"""What is embedded of a file: a few outlines (path, names, first sentences) and each chunk under its heading. Pure.

An outline costs a tenth of a vector for every chunk and finds the file nearly as well; a chunk's own vector finds the
lines. The heading of a chunk names the file but not its folder, so that a file that moves keeps its chunks' vectors.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helix_core.model import Chunk
from helix_core.words import split_identifier

MOST_OUTLINES = 8
OUTLINE_CHARS = 600
LONGEST_OUTLINE = 900
CHUNK_CHARS = 1200
SENTENCE_CHARS = 160
NAMES_IN_HEADING = 6
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Outline:
    """A text that stands for a part of a file, and the first chunk (0-based) of that part."""

    text: str
    chunk: int


def path_words(path: bytes) -> str:
    """A path as words: ``src/flask/json/tag.py`` gives ``src flask json tag py``."""
    text = path.decode("utf-8", "replace")
    return " ".join(part for piece in re.split(r"[\W_]+", text) for part in split_identifier(piece) or [piece] if part)


def outlines(path: bytes, chunks: Sequence[Chunk]) -> tuple[Outline, ...]:
    """At most eight texts: the path's words, then what the chunks say of themselves, in the order of the file."""
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
        return (Outline(head, 0),)
    return tuple(Outline(f"{head}\n{'; '.join(parts)}"[:LONGEST_OUTLINE], index) for parts, index in groups)


def chunk_texts(path: bytes, chunks: Sequence[Chunk]) -> Iterator[str]:
    """For each chunk its heading (file name, breadcrumb, names) and then its comments and code."""
    stem = path_words(os.path.basename(path))
    for chunk in chunks:
        names = dict.fromkeys((chunk.breadcrumb, chunk.name, *(found.name for found in chunk.definitions)))
        heading = " ".join(_said(name) for name in list(names)[:NAMES_IN_HEADING] if name)
        yield f"{stem} {heading}\n{chunk.text.doc}\n{chunk.text.body}"[:CHUNK_CHARS]


def _entry(chunk: Chunk) -> str:
    names = dict.fromkeys((chunk.name, *(found.name for found in chunk.definitions)))
    said = ", ".join(_said(name) for name in names if name)
    sentence = first_sentence(chunk.text.doc)
    return f"{said}: {sentence}" if said and sentence else said or sentence


def _said(name: str) -> str:
    return " ".join(part for piece in re.split(r"\W+", name) for part in split_identifier(piece))


def first_sentence(text: str) -> str:
    """The first sentence of a comment, on one line, cut at a word when it is long."""
    head = text[: 4 * SENTENCE_CHARS].strip()
    found = _SENTENCE_END.search(head)
    sentence = " ".join((head[: found.start() + 1] if found else head).split())
    return sentence if len(sentence) <= SENTENCE_CHARS else sentence[:SENTENCE_CHARS].rsplit(" ", 1)[0]
