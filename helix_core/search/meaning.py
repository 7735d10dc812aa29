"""Query embeddings: which vector spaces of the index a query is compared with, and reranking by a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from helix_core.model import Item, Ranked
from helix_core.store import Reader, VectorHit
from helix_core.tuples import NamedTuple

COMPLETE = 0.95
"""Least share of a level's texts with a vector for it to be searched; the others would rank as dissimilar."""
STATIC = "static"
OUTLINES, PASSAGES = "outline", "chunk"


class Reranker(Protocol):
    """Reads question and text together. ``problem`` says why it does not serve now; empty when it does."""

    @property
    def problem(self) -> str: ...

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """Higher for better, in the order of ``texts``; fewer, from the first on, when ``is_late`` says so."""
        ...


class QuestionEncoder(Protocol):
    """Embeds questions. ``models`` are the models it can encode with, the best first."""

    @property
    def models(self) -> tuple[str, ...]: ...

    @property
    def problem(self) -> str:
        """Describe why a configured better model is unavailable; "" when nothing is wrong."""
        ...

    def encode(self, model: str, text: str) -> bytes:
        """Return the embedding of ``text`` as little-endian float32; all zero when the model knows none of its
        words, empty when it fails at the text, and then ``problem`` says why.
        """
        ...


class QuestionVector(NamedTuple):
    """The embedding of a query. ``levels`` are complete enough to be searched; ``unready`` names why other levels or
    a better model are not used (``minilm/chunk 40 %``).
    """

    reader: Reader
    model: str
    vector: bytes
    levels: frozenset[str]
    unready: tuple[str, ...] = ()

    @property
    def is_static(self) -> bool:
        """Return whether the built-in word table made it, which embeds words, not sentences."""
        return self.model == STATIC

    def nearest(self, level: str, limit: int) -> list[VectorHit]:
        """Return the nearest items of a level, best first; none where the level is not complete."""
        return self.reader.vectors.nearest(f"{self.model}/{level}", self.vector, limit) if level in self.levels else []

    def similarities_in(self, source_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine with each chunk of some files; empty while chunks have no vectors."""
        if PASSAGES not in self.levels:
            return {}
        return self.reader.vectors.similarities_in(f"{self.model}/{PASSAGES}", self.vector, source_ids)


def encode_question(text: str, reader: Reader, encoder: QuestionEncoder | None) -> QuestionVector | None:
    """Embed the question with the best model that is ready; None without an encoder, vectors, or a known word."""
    if encoder is None:
        return None
    shares = reader.vectors.spaces()
    unready: list[str] = []
    for model in encoder.models:
        # The built-in vectors are written with the words; a model's first ones come later, and are none until then.
        given = shares if model == STATIC else {f"{model}/{level}": 0.0 for level in (OUTLINES, PASSAGES)} | shares
        known = {level: given[f"{model}/{level}"] for level in (OUTLINES, PASSAGES) if f"{model}/{level}" in given}
        unready += [f"{model}/{level} {share:.0%}" for level, share in known.items() if share < COMPLETE]
        levels = frozenset(level for level, share in known.items() if share >= COMPLETE)
        if OUTLINES in levels:
            vector = encoder.encode(model, text)
            if any(vector):
                return QuestionVector(reader, model, vector, levels, tuple(unready))
    return None


def state_of(meaning: QuestionVector | None, level: str, state: str, encoder: QuestionEncoder | None) -> str:
    """Return the reported state of a vector ranker: off, empty, used, not ready, or static only where a better model
    was wanted; ``vectors_note`` says why.
    """
    if encoder is None:
        return "off"
    if meaning is None:
        return "empty"
    if level not in meaning.levels:
        return "not ready" if meaning.unready else "empty"
    return "static only" if meaning.is_static and _why_static(meaning, encoder) else state


BUILT_IN = "the built-in vectors are used"
"""How the note begins that says so."""


def vectors_note(meaning: QuestionVector | None, encoder: QuestionEncoder | None) -> str:
    """Return the note that says which vectors did not serve a question and why; "" where the wanted ones did."""
    if encoder is None:
        return ""
    if meaning is None:
        return f"nothing was searched by meaning: {encoder.problem}" if encoder.problem else ""
    if meaning.is_static and (why := _why_static(meaning, encoder)):
        return f"{BUILT_IN}: {why}"
    own = [one for one in meaning.unready if one.startswith(f"{meaning.model}/")]
    return f"not everything was searched by meaning yet: {', '.join(own)}" if own else ""


def _why_static(meaning: QuestionVector, encoder: QuestionEncoder) -> str:
    return encoder.problem or ", ".join(one for one in meaning.unready if not one.startswith(f"{meaning.model}/"))


MOST_PLACES = 20
"""Number of results to rerank: few right ones are below them, and each costs milliseconds."""
MOST_CHARS = 1_200
"""Length limit of an item and of a question: a batch cannot be cancelled once it runs."""


def reranker_text(item: Item, text: str) -> str:
    """Format an item for the reranker: its path and symbol, then its lines."""
    return f"{item.source.source_id} {item.chain}\n{text}"[:MOST_CHARS]


def rerank(ranked: Sequence[Ranked], scores: Mapping[int, float]) -> tuple[Ranked, ...]:
    """Reorder results by ``scores``, keyed by position in ``ranked`` from 0, higher is better; ties keep their order.

    Results without a score keep their position; those with one are permuted among each other.
    """
    places = sorted(scores)
    best_first = sorted(places, key=lambda place: (-scores[place], place))
    order = dict(zip(places, best_first, strict=True))
    return tuple(ranked[order.get(place, place)]._replace(score=one.score) for place, one in enumerate(ranked))
