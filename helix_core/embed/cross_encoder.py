"""Question and text together → how well the text answers, by a cross-encoder through fastembed.

Far better at telling two good places apart than two vectors compared, and far too slow for more than a few: some
milliseconds a text. Never asks the network. ``LoadedReranker`` is what a host shares between its threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helix_core.embed.fast import SESSION, is_known, offline, unusable
from helix_core.embed.reranker_folder import RerankerModel, chosen_reranker
from helix_core.errors import ModelError

BATCH = 4
"""Between batches it is asked whether there is time for another."""


class CrossEncoder:
    """A loaded model. For one thread at a time."""

    def __init__(self, model: RerankerModel) -> None:
        """Raises ModelError when the files are damaged or no cross-encoder."""
        self.model = model
        try:
            self._encoder = _loaded(model)
            self.scores("helix", ["helix"], lambda: False)
        except Exception as error:
            # The runtime raises kinds of its own, and a damaged file must not end a question.
            raise unusable(model.name, error) from error

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """One number for each text, higher for better, in their order; fewer, from the first on, when it is late."""
        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            if is_late():
                break
            found += [float(score) for score in self._encoder.rerank(question, list(texts[start : start + BATCH]))]
        return found


class LoadedReranker:
    """The reranker that is set up, for threads to share. ``problem`` says why it does not serve."""

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._loaded: CrossEncoder | None = None
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self.problem = "is being loaded"

    def follow(self) -> None:
        """Load the one that is set up now, in this thread, unless it is the one that is loaded."""
        with self._loading:
            try:
                model = chosen_reranker(self._cache_dir)
                if model is None:
                    raise ModelError("none is set up; run helix embed setup --reranker")
                if self._loaded is None or self._loaded.model != model:
                    self._loaded = CrossEncoder(model)
                self.problem = ""
            except ModelError as error:
                self._loaded, self.problem = None, str(error)

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """As ``CrossEncoder.scores``; none while it does not serve. Raises ModelError when the model fails."""
        loaded = self._loaded
        if loaded is None:
            return []
        try:
            with self._lock:
                return loaded.scores(question, texts, is_late)
        except Exception as error:
            raise unusable(loaded.model.name, error) from error


def _loaded(model: RerankerModel) -> Any:
    offline()
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    options = {"specific_model_path": str(model.folder), **SESSION}
    if model.fastembed:
        return TextCrossEncoder(model.fastembed, **options)
    name = f"helix/{model.name}"
    if not is_known(name, TextCrossEncoder.list_supported_models()):
        TextCrossEncoder.add_custom_model(model=name, sources=ModelSource(hf="helix/none"), model_file=model.model_file)
    return TextCrossEncoder(name, **options)
