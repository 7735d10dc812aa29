"""Where cross-encoders come from: fastembed's own list, or a folder of the user's.

``fetch_listed_reranker`` goes to a network, and is called for ``helix embed setup --reranker`` alone, after consent.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from helix_core.embed.cross_encoder import CrossEncoder
from helix_core.embed.model_sources import Listed, closest, copied, downloaded, weights_in
from helix_core.embed.reranker_folder import RerankerModel, moved_to_its_place, read_reranker, write_reranker
from helix_core.errors import ModelError


def listed_reranker(name: str) -> Listed:
    """What fastembed says of a cross-encoder. Raises ModelError, with the closest names, for one it does not list."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    otherwise = "name a cross-encoder of fastembed's list, or a folder"
    return closest(name, TextCrossEncoder.list_supported_models(), otherwise)


def fetch_listed_reranker(model: Listed, cache_dir: Path) -> RerankerModel:
    """Download a cross-encoder of the list, fastembed's own way, into the cache. Raises ModelError when that fails."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    def fetch(downloads: str) -> Any:
        return TextCrossEncoder(model.name, cache_dir=downloads, threads=1).model

    made = downloaded(model, _title(model.name.rsplit("/", 1)[-1]), cache_dir, fetch)
    return _kept(RerankerModel(made.name, made.folder, f"fastembed {model.source}", made.model_file, model.name))


def take_reranker_folder(folder: Path, cache_dir: Path) -> RerankerModel:
    """Copy a cross-encoder of the user's (model.onnx, tokenizer.json, tokenizer_config.json) into the cache.

    Raises ModelError when it lacks a file, or cannot be loaded.
    """
    name = folder.resolve().name
    made = copied(folder, weights_in(folder), _title(name), cache_dir)
    return _kept(RerankerModel(made.name, made.folder, f"the folder {name}", made.model_file))


def _title(name: str) -> str:
    """Apart from a model for vectors of the same name."""
    return f"rerank-{name}"


def _kept(model: RerankerModel) -> RerankerModel:
    """Moved to its place once it has proved that it loads; what does not load leaves nothing behind."""
    write_reranker(model)
    try:
        # Under a name of its own: fastembed registers names for the life of the process, with their file.
        CrossEncoder(replace(read_reranker(model.folder), name=f"{model.name}.making"))
    except ModelError:
        shutil.rmtree(model.folder, ignore_errors=True)
        raise
    return moved_to_its_place(model)
