"""A cross-encoder as a folder on disk, beside the models for vectors: ``reranker`` there names the one in use.

It reads question and text together and gives one number; it makes no vectors, so nothing is kept under its name.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from helix_core.embed.model_folder import MODEL, NEEDED, is_inside, models_folder, read_object
from helix_core.errors import ModelError

ABOUT = "helix-reranker.json"
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
    """Write down what the folder holds."""
    fields = {key: value for key, value in asdict(model).items() if key != "folder"}
    (model.folder / ABOUT).write_text(json.dumps(fields, indent=1) + "\n", "utf-8")


def read_reranker(folder: Path) -> RerankerModel:
    """The model in a folder that ``write_reranker`` was called for. Raises ModelError, naming what is wrong with it."""
    about = read_object(folder / ABOUT, "reranker", "helix embed setup --reranker")
    if any(not isinstance(value, str) for value in about.values()):
        raise ModelError(f"{folder / ABOUT} is not what Helix wrote; run helix embed setup --reranker again.")
    try:
        model = RerankerModel(folder=folder, **about)
    except TypeError:
        raise ModelError(f"{folder / ABOUT} is not what Helix wrote; run helix embed setup --reranker again.") from None
    if not is_inside(model.model_file):
        raise ModelError(f"{folder / ABOUT} names a file elsewhere; run helix embed setup --reranker again.")
    missing = [name for name in (model.model_file, *NEEDED) if not (folder / name).is_file()]
    if missing:
        raise ModelError(f"The reranker in {folder} lacks {missing[0]}; run helix embed setup --reranker again.")
    return model


def choose_reranker(cache_dir: Path, model: RerankerModel) -> None:
    """Use this one from now on, wherever ``search.rerank`` says so."""
    chosen = models_folder(cache_dir) / CHOSEN
    fresh = chosen.with_name(f"{CHOSEN}.new")
    fresh.write_text(str(model.folder) + "\n", "utf-8")
    os.replace(fresh, chosen)


def chosen_reranker(cache_dir: Path) -> RerankerModel | None:
    """The one that was set up, or None. Raises ModelError when there should be one and it cannot be used."""
    try:
        text = (models_folder(cache_dir) / CHOSEN).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"Which reranker to use cannot be read ({error}); set it up again.") from error
    return read_reranker(Path(text.strip()))


def moved_to_its_place(model: RerankerModel) -> RerankerModel:
    """From where it was made, ``NAME.making``, to ``NAME``."""
    place = model.folder.with_name(model.folder.name.removesuffix(".making"))
    shutil.rmtree(place, ignore_errors=True)
    model.folder.rename(place)
    return read_reranker(place)
