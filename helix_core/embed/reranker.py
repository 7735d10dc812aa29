"""Cross-encoders for reranking, through fastembed: their sources, their folder on disk, and their scores."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from helix_core.embed.model import (
    MAKING,
    MODEL,
    NEEDED,
    RERANKER_ABOUT,
    SESSION,
    check_installed,
    is_inside,
    is_known,
    models_folder,
    move_into_place,
    offline,
    read_object,
    unusable,
)
from helix_core.embed.model_sources import ListedModel, closest, copied, downloaded, weights_in
from helix_core.errors import ModelError

CHOSEN = "reranker"


@dataclass(frozen=True, slots=True)
class RerankerModel:
    """A cross-encoder that can be loaded from ``folder``; ``fastembed`` is its name in fastembed's list, or empty."""

    name: str
    folder: Path
    source: str
    model_file: str = MODEL
    fastembed: str = ""


def write_reranker(model: RerankerModel) -> None:
    """Write the cross-encoder's metadata file."""
    fields = {key: value for key, value in asdict(model).items() if key != "folder"}
    (model.folder / RERANKER_ABOUT).write_text(json.dumps(fields, indent=1) + "\n", "utf-8")


def read_reranker(folder: Path) -> RerankerModel:
    """Read the metadata that ``write_reranker`` wrote. Raises ModelError, naming what is wrong with it."""
    about = read_object(folder / RERANKER_ABOUT, "reranker", "helix embed setup --reranker")
    if any(not isinstance(value, str) for value in about.values()):
        raise ModelError(f"{folder / RERANKER_ABOUT} is not what Helix wrote; run helix embed setup --reranker again.")
    try:
        model = RerankerModel(folder=folder, **about)
    except TypeError:
        raise ModelError(
            f"{folder / RERANKER_ABOUT} is not what Helix wrote; run helix embed setup --reranker again."
        ) from None
    if not is_inside(model.model_file):
        raise ModelError(f"{folder / RERANKER_ABOUT} names a file elsewhere; run helix embed setup --reranker again.")
    missing = [name for name in (model.model_file, *NEEDED) if not (folder / name).is_file()]
    if missing:
        raise ModelError(f"The reranker in {folder} lacks {missing[0]}; run helix embed setup --reranker again.")
    return model


def choose_reranker(cache_dir: Path, model: RerankerModel) -> None:
    """Select this cross-encoder; ``search.rerank`` enables it."""
    chosen = models_folder(cache_dir) / CHOSEN
    fresh = chosen.with_name(f"{CHOSEN}.new")
    fresh.write_text(str(model.folder) + "\n", "utf-8")
    os.replace(fresh, chosen)


def chosen_reranker(cache_dir: Path) -> RerankerModel | None:
    """Return the selected cross-encoder, or None. Raises ModelError when the selected one cannot be used."""
    try:
        text = (models_folder(cache_dir) / CHOSEN).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"Which reranker to use cannot be read ({error}); set it up again.") from error
    return read_reranker(Path(text.strip()))


BATCH = 4
"""Batch size, in texts; the deadline is checked between batches."""


class CrossEncoder:
    """A loaded cross-encoder. For one thread at a time."""

    def __init__(self, model: RerankerModel) -> None:
        """Raises ModelError when the files are damaged or no cross-encoder, or its packages are missing."""
        check_installed()
        self.model = model
        try:
            self._encoder = _loaded(model)
            self.scores("helix", ["helix"], lambda: False)
        except Exception as error:
            # The runtime raises its own exception types, and a damaged file must not fail a question.
            raise unusable(model.name, error) from error

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """Return one score for each text, higher is better, in order; fewer, from the first on, when the deadline
        passes.
        """
        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            if is_late():
                break
            found += [float(score) for score in self._encoder.rerank(question, list(texts[start : start + BATCH]))]
        return found


class LoadedReranker:
    """The selected reranker, shared by threads. ``problem`` describes why it is unavailable."""

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._loaded: CrossEncoder | None = None
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self.problem = "is being loaded"

    def follow(self) -> None:
        """Load the selected reranker in this thread, unless it is loaded."""
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
        """Return ``CrossEncoder.scores``; none while it is unavailable. Raises ModelError when the model fails."""
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


def listed_reranker(name: str) -> ListedModel:
    """Return fastembed's entry of a cross-encoder. Raises ModelError, with the closest names, for one it does not
    list.
    """
    check_installed()
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    otherwise = "name a cross-encoder of fastembed's list, or a folder"
    return closest(name, TextCrossEncoder.list_supported_models(), otherwise)


def fetch_listed_reranker(model: ListedModel, cache_dir: Path) -> RerankerModel:
    """Download a listed cross-encoder through fastembed into the cache. Raises ModelError when that fails."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    def fetch(downloads: str) -> Any:
        return TextCrossEncoder(model.name, cache_dir=downloads, threads=1).model

    with downloaded(model, _title(model.name.rsplit("/", 1)[-1]), cache_dir, fetch) as made:
        source = f"fastembed {model.source}"
        return _kept(RerankerModel(made.name, made.folder, source, made.model_file, model.name))


def take_reranker_folder(folder: Path, cache_dir: Path) -> RerankerModel:
    """Copy a cross-encoder of the user's (model.onnx, tokenizer.json, tokenizer_config.json) into the cache.

    Raises ModelError when it lacks a file, or cannot be loaded.
    """
    name = folder.resolve().name
    with copied(folder, weights_in(folder), _title(name), cache_dir) as made:
        return _kept(RerankerModel(made.name, made.folder, f"the folder {name}", made.model_file))


def _title(name: str) -> str:
    """Return a name that differs from an embedding model's of the same name."""
    return f"rerank-{name}"


def _kept(model: RerankerModel) -> RerankerModel:
    """Move the model to its final place after a test load."""
    write_reranker(model)
    # Use a unique name: fastembed registers names with their file for the life of the process.
    CrossEncoder(replace(read_reranker(model.folder), name=f"{model.name}{MAKING}"))
    return read_reranker(move_into_place(model.folder, model.name))
