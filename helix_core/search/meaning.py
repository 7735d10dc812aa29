"""Questions as vectors: which spaces of the index they compare with, and reranking by a cross-encoder."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from helix_core.model import Item, Ranked
from helix_core.store.reader import Reader
from helix_core.store.vectors import VectorHit

COMPLETE = 0.95
"""From this share of a level's texts on it is searched: below it, what has no vector yet would seem unlike."""
STATIC = "static"
OUTLINES, PASSAGES = "outline", "chunk"


class QuestionEncoder(Protocol):
    """Questions → vectors. ``models`` are the models it can encode for, the best first."""

    @property
    def models(self) -> tuple[str, ...]: ...

    @property
    def problem(self) -> str:
        """Why a better model does not serve, though one is set up; empty when nothing is wrong."""
        ...

    def encode(self, model: str, text: str) -> bytes:
        """The vector of ``text`` as float32, little-endian; all zero where the model knows no word."""
        ...


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's vector. ``levels`` are those complete enough to be searched; ``unready`` says what keeps the others
    or a better model from it (``minilm/chunk 40 %``)."""

    reader: Reader
    model: str
    vector: bytes
    levels: frozenset[str]
    unready: tuple[str, ...] = ()

    @property
    def is_static(self) -> bool:
        """Is it the built-in table's, which knows words but no sentences?"""
        return self.model == STATIC

    def nearest(self, level: str, limit: int) -> list[VectorHit]:
        """The nearest places of a level, best first; none where the level is not complete."""
        return self.reader.vectors.nearest(f"{self.model}/{level}", self.vector, limit) if level in self.levels else []

    def similarities_in(self, source_ids: Sequence[int]) -> dict[int, float]:
        """The cosine with each chunk of some files; none where chunks have no vectors yet."""
        if PASSAGES not in self.levels:
            return {}
        return self.reader.vectors.similarities_in(f"{self.model}/{PASSAGES}", self.vector, source_ids)


def meaning_of(text: str, reader: Reader, encoder: QuestionEncoder | None) -> Meaning | None:
    """The question in the best model that is ready; None without an encoder, vectors, or a word the model knows."""
    if encoder is None:
        return None
    shares = reader.vectors.spaces()
    unready: list[str] = []
    for model in encoder.models:
        known = {level: shares[f"{model}/{level}"] for level in (OUTLINES, PASSAGES) if f"{model}/{level}" in shares}
        unready += [f"{model}/{level} {share:.0%}" for level, share in known.items() if share < COMPLETE]
        levels = frozenset(level for level, share in known.items() if share >= COMPLETE)
        if OUTLINES in levels:
            vector = encoder.encode(model, text)
            return Meaning(reader, model, vector, levels, tuple(unready)) if any(vector) else None
    return None


def state_of(meaning: Meaning | None, level: str, state: str, encoder: QuestionEncoder | None) -> str:
    """What is told of a ranker that goes by a level's vectors: off, empty, used, or what is not ready yet."""
    if encoder is None:
        return "off"
    if meaning is None:
        return "empty"
    if level not in meaning.levels:
        return f"not ready: {', '.join(meaning.unready)}" if meaning.unready else "empty"
    better = [one for one in meaning.unready if not one.startswith(f"{meaning.model}/")]
    why = encoder.problem or ", ".join(better)
    return f"static only: {why}" if meaning.is_static and why else state


MOST_PLACES = 20
"""So many are read again: beyond them little that is right is left, and each costs milliseconds."""
MOST_CHARS = 1_200
"""Of a place, and of a question: a batch once begun is read to its end, however late it gets."""


def told(item: Item, text: str) -> str:
    """What a reranker reads of a place: its path and symbol, then its lines."""
    return f"{item.source.source_id} {item.symbol}\n{text}"[:MOST_CHARS]


def reordered(ranked: Sequence[Ranked], scores: Mapping[int, float]) -> tuple[Ranked, ...]:
    """``scores`` are by place in ``ranked``, from 0, higher for better; equal ones keep their order.

    Places without a score stay where they are; those with one change among each other.
    """
    places = sorted(scores)
    best_first = sorted(places, key=lambda place: (-scores[place], place))
    order = dict(zip(places, best_first, strict=True))
    return tuple(
        dataclasses.replace(ranked[order.get(place, place)], score=one.score) for place, one in enumerate(ranked)
    )
