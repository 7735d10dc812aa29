"""Have the first places of an answer read again by a cross-encoder, within a budget of CPU time, where one is set up.

It is a host's to give: no command that asks once and leaves has one, and what hovers show is never ranked at all.
Whatever goes wrong, the order stays as it was and the answer's ``rankers`` say what.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helix_core.engine.verdict import Weigher
from helix_core.errors import ModelError
from helix_core.lines import LineTable, without_line_end
from helix_core.model import Found, Ranked
from helix_core.search import MOST_CHARS, MOST_PLACES, Reranker, rerank, reranker_text

RANKER = "rerank"


@dataclass(frozen=True, slots=True)
class Reranking:
    """Of one workspace. ``budget_ms`` is for the reading of one answer's places; a few texts may overrun it.

    The default ``clock`` is the calling thread's CPU time: the model runs in that thread, and a busy machine must not
    change the order.
    """

    reranker: Reranker
    budget_ms: float
    clock: Callable[[], float] = time.thread_time

    def asked(self, k: int) -> int:
        """How many places to search for, so that ``k`` of them can be chosen."""
        return max(k, MOST_PLACES) if not self.reranker.problem else k

    def of(self, question: str, found: Found, weigher: Weigher, k: int) -> Found:
        """The first ``k`` places of ``found`` in the better order."""
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
        note = f"the order is not final: {len(scores)} of {len(texts)} places were read again within the budget"
        return dataclasses.replace(cut, notes=(*cut.notes, note))


def _texts(ranked: Sequence[Ranked], weigher: Weigher) -> dict[int, str]:
    """What stands at each place now, by its place; without those that are only related, or not as they were indexed."""
    texts = {}
    for place, one in enumerate(ranked):
        sight = weigher.observer.look(one.item.source)
        if one.related or sight.file is None or sight.file.content_hash != one.item.source.content_hash:
            continue
        masked = weigher.mask(sight)
        start, end = LineTable(masked.data).span(one.lines.start_line, one.lines.end_line)
        texts[place] = reranker_text(one.item, without_line_end(masked.text(start, end)))
    return texts


def _cut(found: Found, ranked: Sequence[Ranked], k: int, state: str) -> Found:
    return dataclasses.replace(found, ranked=tuple(ranked[:k]), rankers={**found.rankers, RANKER: state})
