"""Rerank the first results with a model, within a budget of CPU time, where one is set up.

Only a host has one: a one-shot command does not load it, and hovers are never reranked. On failure the order is
unchanged and the answer's ``rankers`` name the error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helix_core.engine.verdict import Weigher
from helix_core.errors import ModelError
from helix_core.lines import LineTable, without_line_end
from helix_core.model import Found, Ranked
from helix_core.printable import count
from helix_core.search import MOST_CHARS, MOST_PLACES, Reranker, rerank, reranker_text

RANKER = "rerank"


@dataclass(frozen=True, slots=True)
class Reranking:
    """The reranker of one workspace. ``budget_ms`` limits the CPU time for one answer; a last batch may exceed it.

    The default ``clock`` is the calling thread's CPU time: the model runs in that thread, and a busy machine must not
    change the order.
    """

    reranker: Reranker
    budget_ms: float
    clock: Callable[[], float] = time.thread_time

    def places_to_search(self, k: int) -> int:
        """Return the number of results to search for, so that ``k`` of them can be chosen."""
        return max(k, MOST_PLACES) if not self.reranker.problem else k

    def of(self, question: str, found: Found, weigher: Weigher, k: int) -> Found:
        """Return the first ``k`` results of ``found``, reranked."""
        if self.reranker.problem:
            return _cut(found, found.ranked, k, f"not ready: {self.reranker.problem}")
        texts = _texts(found.ranked[:MOST_PLACES], weigher)
        until = self.clock() + self.budget_ms / 1e3
        weigher.facts.check()
        try:
            scores = self.reranker.scores(question[:MOST_CHARS], list(texts.values()), lambda: self.clock() >= until)
        except ModelError as error:
            return _cut(found, found.ranked, k, str(error))
        state = "used" if len(scores) == len(texts) else f"{len(scores)} of {len(texts)} in {self.budget_ms:g} ms"
        ranked = rerank(found.ranked, dict(zip(texts, scores, strict=False)))
        cut = _cut(found, ranked, k, state if texts else "empty")
        if len(scores) == len(texts):
            return cut
        places = f"{len(scores)} of {count(len(texts), 'place')}"
        note = f"the order is not final: the budget was enough to read {places} again"
        return cut._replace(notes=(*cut.notes, note))


def _texts(ranked: Sequence[Ranked], weigher: Weigher) -> dict[int, str]:
    """Return the current text of each result by position; without related ones and those that changed since
    indexing.
    """
    texts = {}
    for place, one in enumerate(ranked):
        observed = weigher.observer.look(one.item.source)
        if one.related or observed.file is None or observed.file.content_hash != one.item.source.content_hash:
            continue
        masked = weigher.mask(observed)
        start, end = LineTable(masked.data).span(one.lines.start_line, one.lines.end_line)
        texts[place] = reranker_text(one.item, without_line_end(masked.text(start, end)))
    return texts


def _cut(found: Found, ranked: Sequence[Ranked], k: int, state: str) -> Found:
    return found._replace(ranked=tuple(ranked[:k]), rankers={**found.rankers, RANKER: state})
