"""Sources of models besides the pinned wheel: a folder of the user's, or fastembed's own list.

Only ``fetch_listed`` uses the network; ``helix embed setup`` calls it, after consent.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from helix_core.embed.model import (
    FILES,
    MODEL,
    NEEDED,
    FastModel,
    Model,
    check_installed,
    models_folder,
    move_into_place,
    named,
    padded,
    read_model,
    write_metadata,
)
from helix_core.embed.prompts import NO_PROMPTS, POOLING, Prompts, folder_prompts, listed_prompts
from helix_core.embed.token_rows import CONFIG, WEIGHTS, TokenRows, folder_of_rows
from helix_core.errors import ModelError

_MOST_BYTES = 4 << 30
# Other entries of the models folder: the selected names, and downloads in progress.
_TAKEN = ("chosen", "reranker", "downloads")


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model of one of fastembed's lists. ``dimensions`` is 0 for a cross-encoder; static ones have rows."""

    name: str
    size_mb: int
    dimensions: int
    source: str
    licence: str
    has_rows: bool = False


def listed(name: str) -> ListedModel:
    """Return fastembed's entry of a model. Raises ModelError, with the closest names, for one that it does not list."""
    check_installed()
    from fastembed import TextEmbedding

    return closest(name, TextEmbedding.list_supported_models(), "name minilm, one of fastembed, or a folder")


def closest(name: str, list_: Iterable[dict[str, Any]], otherwise: str) -> ListedModel:
    """Return the list entry of that name, with or without its owner's name. Raises ModelError."""
    models = {str(each["model"]): each for each in list_}
    by_folded = {each.lower(): each for each in models}
    by_folded |= {each.rsplit("/", 1)[-1].lower(): each for each in models}
    found = by_folded.get(name.lower())
    if found is None:
        close = get_close_matches(name.lower(), by_folded, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(sorted({by_folded[each] for each in close}))}?" if close else ""
        raise ModelError(f"There is no model {name}; {hint or otherwise}")
    about = models[found]
    source = about.get("sources") or {}
    origin = source.get("hf") or source.get("url") or "its own source"
    size_mb, dimensions = round(about["size_in_GB"] * 1000), int(about.get("dim") or 0)
    has_rows = about.get("model_file") == WEIGHTS
    return ListedModel(found, size_mb, dimensions, str(origin), str(about.get("license", "")), has_rows)


def fetch_listed(model: ListedModel, cache_dir: Path) -> Model:
    """Download a listed model through fastembed into the cache. Raises ModelError when that fails."""
    from fastembed import TextEmbedding

    def fetch(downloads: str) -> Any:
        return TextEmbedding(model.name, cache_dir=downloads).model

    kept = downloaded(model, model.name.rsplit("/", 1)[-1], cache_dir, fetch, listed_prompts(model.name))
    return _kept(
        replace(kept, dimensions=padded(model.dimensions), fastembed=model.name, source=f"fastembed {model.source}")
    )


def downloaded(
    model: ListedModel, title: str, cache_dir: Path, fetch: Callable[[str], Any], prompts: Prompts = NO_PROMPTS
) -> Model:
    """Copy what ``fetch`` downloads into its folder into the cache as ``title``.

    Raises ModelError when that fails.
    """
    downloads = models_folder(cache_dir) / "downloads"
    try:
        loaded = fetch(str(downloads))
        folder, file = Path(loaded._model_dir), str(loaded.model_description.model_file)
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise ModelError(
            f"{model.name} could not be fetched ({type(error).__name__}: {why}); nothing changed."
        ) from error
    made = copied(folder, file, title, cache_dir, prompts, flat=False)
    shutil.rmtree(downloads, ignore_errors=True)
    return made


def take_folder(folder: Path, cache_dir: Path) -> Model:
    """Copy a model folder of the user's into the cache: an ONNX graph (model.onnx, tokenizer.json,
    tokenizer_config.json), or a row for each token (model.safetensors, tokenizer.json).

    Raises ModelError when it lacks a file, or cannot be loaded.
    """
    title, prompts = folder.resolve().name, folder_prompts(folder)
    # Before a graph: model2vec's own folders have one beside the rows, which takes other inputs.
    if (place := _rows_in(folder)) is not None:
        pooling, dimensions = "mean", TokenRows(place).dimensions
        kept = copied(place, WEIGHTS, title, cache_dir, prompts)
    else:
        weights = weights_in(folder)
        pooling, dimensions = _output_of(folder, folder / weights)
        kept = copied(folder, weights, title, cache_dir, prompts)
    return _kept(replace(kept, dimensions=padded(dimensions), pooling=pooling, source=f"the folder {title}"))


def _rows_in(folder: Path) -> Path | None:
    """Return ``folder_of_rows``; None where damaged weights, such as a pointer of Git LFS, stand beside a graph."""
    try:
        return folder_of_rows(folder)
    except ModelError:
        if _graph_in(folder) is None:
            raise
        return None


def _graph_in(folder: Path) -> str | None:
    return next((file for file in (MODEL, f"onnx/{MODEL}") if (folder / file).is_file()), None)


def weights_in(folder: Path) -> str:
    """Return the path of the weights inside a model folder. Raises ModelError when it lacks a file."""
    weights = _graph_in(folder)
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if weights is None or missing:
        raise ModelError(f"{folder} is no model: it has no {missing[0] if missing else MODEL}; name another folder.")
    return weights


def _output_of(folder: Path, weights: Path) -> tuple[str, int]:
    """Return how to pool the first output, and its dimensions."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
        shape = session.get_outputs()[0].shape
        settings = json.loads((folder / POOLING).read_text("utf-8")) if (folder / POOLING).is_file() else {}
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise ModelError(f"The model in {folder} cannot be loaded ({why}); name another folder.") from error
    if not isinstance(shape[-1], int):
        raise ModelError(f"The model in {folder} does not say how many dimensions it has; name another folder.")
    if len(shape) == 2:
        return "none", shape[-1]
    by_setting = {"pooling_mode_cls_token": "cls", "pooling_mode_lasttoken": "last"}
    return next((pooling for key, pooling in by_setting.items() if settings.get(key)), "mean"), shape[-1]


def copied(
    folder: Path, weights: str, title: str, cache_dir: Path, prompts: Prompts = NO_PROMPTS, *, flat: bool = True
) -> Model:
    """Copy the required files to a folder of the cache, external weight files included.

    Unless ``flat`` the weights keep their relative path, where fastembed looks for what it lists.
    """
    if title in _TAKEN:
        raise ModelError(f"A model cannot be called {title}, which Helix uses itself; rename {folder}.")
    making = models_folder(cache_dir) / f"{title}.making"
    shutil.rmtree(making, ignore_errors=True)
    place = Path(os.path.basename(weights) if flat else weights)
    (making / place).parent.mkdir(mode=0o700, parents=True)
    source = folder / weights
    beside = [file for file in source.parent.iterdir() if file.name.startswith(f"{source.name}") and file.is_file()]
    wanted = {file: (making / place).with_name(file.name) for file in beside}
    wanted |= {folder / name: making / name for name in FILES[1:] if (folder / name).is_file()}
    try:
        if sum(file.stat().st_size for file in wanted) > _MOST_BYTES:
            shutil.rmtree(making)
            raise ModelError(f"The model in {folder} is larger than 4 GiB; choose a smaller one.")
        for file, target in wanted.items():
            shutil.copyfile(file, target)
    except OSError as error:
        shutil.rmtree(making, ignore_errors=True)
        raise ModelError(f"The model could not be copied into {making} ({error.strerror}); free disk space.") from error
    deciding = (place, NEEDED[0], CONFIG) if place.name == WEIGHTS else (place,)
    name = named(title, *(making / file for file in deciding if (making / file).is_file()), prompts=prompts)
    return Model(name, making, 0, "mean", True, "", prompts.query, prompts.document, place.as_posix())


def _kept(model: Model) -> Model:
    """Move the model to its final place after a test load; delete it when the load fails."""
    write_metadata(model)
    try:
        FastModel(read_model(model.folder))
    except ModelError:
        shutil.rmtree(model.folder, ignore_errors=True)
        raise
    return read_model(move_into_place(model.folder, model.name))
