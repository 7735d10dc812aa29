"""Models for reranking, through fastembed: their sources, their folder on disk, and their scores.

A cross-encoder reads question and text together; a late-interaction model compares their tokens
(``late_interaction.py``).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from helix_core.embed.late_interaction import (
    BATCH,
    LateInteraction,
    TokenSettings,
    complete_tokenizer,
    is_late_interaction,
    is_listed,
    token_settings,
)
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
    write_choice,
)
from helix_core.embed.model_sources import ListedModel, closest, copied, downloaded, vector_width, weights_in
from helix_core.embed.prompts import SETTINGS
from helix_core.errors import ModelError

CHOSEN = "reranker"


@dataclass(frozen=True, slots=True)
class RerankerModel:
    """A reranker that can be loaded from ``folder``; ``fastembed`` is its name in one of fastembed's lists, or empty.

    ``tokens`` is how a folder's late-interaction model reads; None for one that is listed, and for a cross-encoder.
    """

    name: str
    folder: Path
    source: str
    model_file: str = MODEL
    fastembed: str = ""
    tokens: TokenSettings | None = None


def write_reranker(model: RerankerModel) -> None:
    """Write the reranker's metadata file."""
    fields = {key: value for key, value in asdict(model).items() if key != "folder" and value is not None}
    (model.folder / RERANKER_ABOUT).write_text(json.dumps(fields, indent=1) + "\n", "utf-8")


def read_reranker(folder: Path) -> RerankerModel:
    """Read the metadata that ``write_reranker`` wrote. Raises ModelError, naming what is wrong with it."""
    about = read_object(folder / RERANKER_ABOUT, "reranker", "helix embed setup --reranker")
    fields = about.pop("tokens", None)
    try:
        if any(not isinstance(value, str) for value in about.values()):
            raise ValueError("a name is not text")
        tokens = None if fields is None else TokenSettings.of_fields(fields)
        model = RerankerModel(folder=folder, tokens=tokens, **about)
    except (AttributeError, KeyError, TypeError, ValueError):
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
    """Select this reranker; ``search.rerank`` enables it."""
    chosen = models_folder(cache_dir) / CHOSEN
    write_choice(chosen, model.folder)


def chosen_reranker(cache_dir: Path) -> RerankerModel | None:
    """Return the selected reranker, or None. Raises ModelError when the selected one cannot be used."""
    try:
        text = (models_folder(cache_dir) / CHOSEN).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"Which reranker to use cannot be read ({error}); set it up again.") from error
    return read_reranker(Path(text.strip()))


class Scorer(Protocol):
    """A loaded reranker. For one thread at a time."""

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """Return one score for each text, higher is better, in order; fewer, from the first on, when the deadline
        passes.
        """
        ...


class CrossEncoder:
    """A loaded cross-encoder. For one thread at a time."""

    def __init__(self, model: RerankerModel) -> None:
        """Raises what the runtime raises for damaged files."""
        offline()
        from fastembed.common.model_description import ModelSource
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        options = {"specific_model_path": str(model.folder), **SESSION}
        name = model.fastembed or f"helix/{model.name}"
        if not is_known(name, TextCrossEncoder.list_supported_models()):
            source = ModelSource(hf="helix/none")
            TextCrossEncoder.add_custom_model(model=name, sources=source, model_file=model.model_file)
        self._encoder: Any = TextCrossEncoder(name, **options)

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """Return ``Scorer.scores``."""
        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            if is_late():
                break
            found += [float(score) for score in self._encoder.rerank(question, list(texts[start : start + BATCH]))]
        return found


def load_reranker(model: RerankerModel) -> Scorer:
    """Load a reranker and let it score once. Raises ModelError when its files are damaged or another model's, or its
    packages are missing.
    """
    check_installed()
    try:
        scorer: Scorer
        if model.tokens is not None or (model.fastembed and is_listed(model.fastembed)):
            name = model.fastembed or f"helix/{model.name}"
            scorer = LateInteraction(name, model.folder, model.model_file, model.tokens)
        else:
            scorer = CrossEncoder(model)
        scorer.scores("helix", ["helix"], lambda: False)
    except Exception as error:
        # The runtime raises its own exception types, and a damaged file must not fail a question.
        raise unusable(model.name, error) from error
    return scorer


class LoadedReranker:
    """The selected reranker, shared by threads. ``problem`` describes why it is unavailable."""

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._loaded: tuple[RerankerModel, Scorer] | None = None
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
                if self._loaded is None or self._loaded[0] != model:
                    self._loaded = model, load_reranker(model)
                self.problem = ""
            except ModelError as error:
                self._loaded, self.problem = None, str(error)

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """Return ``Scorer.scores``; none while it is unavailable. Raises ModelError when the model fails."""
        if self._loaded is None:
            return []
        model, scorer = self._loaded
        try:
            with self._lock:
                return scorer.scores(question, texts, is_late)
        except Exception as error:
            raise unusable(model.name, error) from error


def listed_reranker(name: str) -> ListedModel:
    """Return fastembed's entry of a cross-encoder or a late-interaction model. Raises ModelError, with the closest
    names, for one it does not list.
    """
    check_installed()
    from fastembed import LateInteractionTextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    models = [*TextCrossEncoder.list_supported_models(), *LateInteractionTextEmbedding.list_supported_models()]
    otherwise = (
        "name a cross-encoder or a late-interaction model of fastembed's lists, OWNER/NAME of the Hugging Face Hub, "
        "or a folder"
    )
    return closest(name, models, otherwise)


def fetch_listed_reranker(model: ListedModel, cache_dir: Path) -> RerankerModel:
    """Download a listed reranker through fastembed into the cache. Raises ModelError when that fails."""
    from fastembed import LateInteractionTextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    kind = LateInteractionTextEmbedding if is_listed(model.name) else TextCrossEncoder

    def fetch(downloads: str) -> Any:
        return kind(model.name, cache_dir=downloads, threads=1).model

    with downloaded(model, _title(model.name.rsplit("/", 1)[-1]), cache_dir, fetch) as made:
        source = f"fastembed {model.source}"
        return _install(RerankerModel(made.name, made.folder, source, made.model_file, model.name))


def take_reranker_folder(folder: Path, cache_dir: Path, source: str = "") -> RerankerModel:
    """Copy a reranker of the user's into the cache: a cross-encoder (model.onnx, tokenizer.json,
    tokenizer_config.json), or a late-interaction model (the same and config_sentence_transformers.json).

    Raises ModelError when it lacks a file, or cannot be loaded.
    """
    title = folder.resolve().name
    is_late = is_late_interaction(folder)
    with copied(folder, weights_in(folder, is_late=is_late), _title(title), cache_dir) as made:
        width = vector_width(folder, made.folder / made.model_file)
        if is_late and not width:
            raise ModelError(f"The model in {folder} has no vector for each token; name another folder.")
        if width and not is_late:
            raise ModelError(
                f"The model in {folder} has a vector for each token, and no {SETTINGS} with query_prefix and "
                "document_prefix; name a cross-encoder, or export it with pylate-onnx-export."
            )
        tokens = token_settings(folder, width) if is_late else None
        if tokens is not None:
            complete_tokenizer(made.folder, folder, tokens.mask)
        source = source or f"the folder {title}"
        return _install(RerankerModel(made.name, made.folder, source, made.model_file, tokens=tokens))


def _title(name: str) -> str:
    """Return a name that differs from an embedding model's of the same name."""
    return f"rerank-{name}"


def _install(model: RerankerModel) -> RerankerModel:
    """Move the model to its final place after a test load."""
    write_reranker(model)
    # Use a unique name: fastembed registers names with their file for the life of the process.
    load_reranker(replace(read_reranker(model.folder), name=f"{model.name}{MAKING}"))
    return read_reranker(move_into_place(model.folder, model.name))
