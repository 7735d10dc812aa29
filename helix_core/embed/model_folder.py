"""A model as a folder on disk: weights in ONNX, tokenizer, and one file of Helix's that says what it is.

Models lie in ``models/`` of the cache folder, each in a folder of its own; ``chosen`` there names the one in use.
What a folder holds is somebody else's: sizes are bounded and every field is checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helix_core.errors import ModelError

ABOUT = "helix.json"
MODEL = "model.onnx"
NEEDED = ("tokenizer.json", "tokenizer_config.json")
FILES = (MODEL, *NEEDED, "config.json", "special_tokens_map.json")
POOLINGS = ("none", "mean", "cls", "last")
_NAME = re.compile(r"[\w.@+-]{1,80}", re.ASCII)
_MOST_JSON_BYTES = 1 << 20
_MOST_DIMENSIONS = 4096


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be loaded from ``folder``.

    ``name`` is what its vectors are kept under and holds the first digits of the weights' hash, so that vectors of
    other weights are never compared. ``pooling`` is ``none`` where the graph pools by itself; ``query_prefix`` stands
    before a question, and never before what is indexed. ``fastembed`` is the model's name in fastembed's own list,
    which then says how its output is pooled.
    """

    name: str
    folder: Path
    dimensions: int
    pooling: str
    normalize: bool
    source: str
    query_prefix: str = ""
    model_file: str = MODEL
    fastembed: str = ""


def models_folder(cache_dir: Path) -> Path:
    """Where models lie."""
    return cache_dir / "models"


def named(title: str, weights: Path) -> str:
    """``all-MiniLM-L6-v2@1f3a9c2b``: the title and the first digits of the weights' SHA-256."""
    digest = hashlib.sha256()
    with weights.open("rb") as file:
        while data := file.read(1 << 20):
            digest.update(data)
    return f"{re.sub(r'[^A-Za-z0-9_.+-]', '-', title)[:60]}@{digest.hexdigest()[:8]}"


def is_inside(file: str) -> bool:
    """Is it a path below the folder it is told of, whatever the folder?"""
    return bool(file) and not os.path.isabs(file) and ".." not in Path(file).parts


def write_about(model: Model) -> None:
    """Write down what the folder holds."""
    fields = {key: value for key, value in asdict(model).items() if key != "folder"}
    (model.folder / ABOUT).write_text(json.dumps(fields, indent=1) + "\n", "utf-8")


def read_model(folder: Path) -> Model:
    """The model in a folder that ``write_about`` was called for. Raises ModelError, naming what is wrong with it."""
    about = read_object(folder / ABOUT, "model", "helix embed setup")
    missing = [name for name in (str(about.get("model_file", MODEL)), *NEEDED) if not (folder / name).is_file()]
    if missing:
        raise ModelError(f"The model in {folder} lacks {missing[0]}; run helix embed setup again.")
    try:
        model = Model(folder=folder, **about)
        is_right = (
            _NAME.fullmatch(model.name)
            and 0 < int(model.dimensions) <= _MOST_DIMENSIONS
            and model.dimensions % 8 == 0
            and model.pooling in POOLINGS
            and is_inside(model.model_file)
            and isinstance(model.query_prefix, str)
        )
    except (TypeError, ValueError):
        is_right = False
    if not is_right:
        raise ModelError(f"{folder / ABOUT} is not what Helix wrote; run helix embed setup again.")
    return model


def choose(cache_dir: Path, model: Model | None) -> None:
    """Use this model from now on, or none."""
    chosen = models_folder(cache_dir) / "chosen"
    if model is None:
        chosen.unlink(missing_ok=True)
        return
    chosen.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = chosen.with_name("chosen.new")
    fresh.write_text(str(model.folder) + "\n", "utf-8")
    os.replace(fresh, chosen)


def chosen_model(cache_dir: Path, setting: str = "") -> Model | None:
    """The model in use; None where there is none but the built-in vectors.

    ``setting`` is ``embed.model``: empty for what was set up, ``static`` for none, else a name under ``models/`` or a
    folder's whole path. Raises ModelError when there should be one and it cannot be used.
    """
    if setting == "static":
        return None
    if setting:
        return read_model(
            Path(setting) if os.path.isabs(setting) else models_folder(cache_dir) / os.path.basename(setting)
        )
    try:
        text = (models_folder(cache_dir) / "chosen").read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"Which model to use cannot be read ({error}); run helix embed setup again.") from error
    return read_model(Path(text.strip()))


def read_object(path: Path, kind: str, setup: str) -> dict[str, Any]:
    """The JSON object in a file of a model's folder. Raises ModelError, naming the ``kind`` and its ``setup``."""
    try:
        if path.stat().st_size > _MOST_JSON_BYTES:
            raise ValueError("too large")
        found = json.loads(path.read_text("utf-8"))
        if not isinstance(found, dict):
            raise ValueError("no object")
    except (OSError, ValueError) as error:
        raise ModelError(f"There is no usable {kind} in {path.parent} ({error}); run {setup}.") from error
    return found
