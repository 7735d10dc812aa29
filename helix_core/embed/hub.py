"""Models of the Hugging Face Hub that fastembed's lists lack: what one is, and its download.

Only ``helix embed setup NAME`` calls it. ``hub_model`` asks the Hub for the size and the license of one repository, so
that the question for consent can say both; ``fetch_hub_model`` and ``fetch_hub_reranker`` download after it. No token
of the user is sent.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core.embed.model import FILES, MODEL, Model, models_folder
from helix_core.embed.model_sources import MOST_BYTES, ListedModel, take_folder
from helix_core.embed.prompts import POOLING, SETTINGS
from helix_core.embed.reranker import RerankerModel, take_reranker_folder
from helix_core.embed.token_rows import NESTED, WEIGHTS
from helix_core.errors import ModelError

_KNOWN = {"potion-code-16m-v2": "minishlab/potion-code-16M-v2"}
"""Models that are named without their owner: those that Helix recommends."""
_NAME = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)
_STATIC = {"model2vec", "static-embeddings"}
"""Libraries and tags of models that are a row for each token: a transformer's weights have the name of the rows."""
_GRAPHS = (MODEL, f"onnx/{MODEL}")
_SETTINGS = {*FILES[1:], POOLING.as_posix(), SETTINGS}
_MOST_FILES = 10_000
_ASK_S = 20.0


@dataclass(frozen=True, slots=True)
class HubModel:
    """A repository of the Hub at one commit, and the ``files`` of it that are needed."""

    about: ListedModel
    commit: str
    files: tuple[str, ...]


def hub_name(wanted: str) -> str | None:
    """Return ``OWNER/NAME`` of what may be a model of the Hub; None for anything else."""
    name = _KNOWN.get(wanted.lower(), wanted)
    return name if _NAME.fullmatch(name) and ".." not in name else None


def hub_model(name: str) -> HubModel:
    """Ask the Hub about ``OWNER/NAME``. Raises ModelError where there is none, or nothing in it can be loaded here."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        found = HfApi(token=False).model_info(name, files_metadata=True, timeout=_ASK_S)
        sizes = {str(each.rfilename): int(each.size or 0) for each in (found.siblings or ())[:_MOST_FILES]}
        files = needed_files(sizes, is_static=not _STATIC.isdisjoint((found.library_name, *(found.tags or ()))))
        licence = str(getattr(found.card_data, "license", "") or "")
    except RepositoryNotFoundError as error:
        raise ModelError(f"There is no public model {name} on the Hugging Face Hub; look at its spelling.") from error
    except Exception as error:
        raise _not_fetched(name, error) from error
    if not files:
        raise ModelError(
            f"{name} has neither an ONNX graph ({MODEL}) nor a row for each token ({WEIGHTS} of a static model); "
            "export it, and name its folder."
        )
    size = sum(sizes[file] for file in files)
    if size > MOST_BYTES:
        raise ModelError(f"{name} is larger than 4 GiB; choose a smaller one.")
    size_mb = max(1, round(size / 1e6))
    has_rows = any(file.endswith(WEIGHTS) for file in files)
    about = ListedModel(name, size_mb, 0, f"huggingface.co/{name}", licence[:80], has_rows)
    return HubModel(about, str(found.sha), files)


def needed_files(sizes: Mapping[str, int], *, is_static: bool) -> tuple[str, ...]:
    """Return which of a repository's files, ``{path: bytes}``, a model is loaded from; none where it cannot be.

    Rows come before a graph, as in ``take_folder``: a static model may have a graph beside them, which takes other
    inputs.
    """
    settings = {file for file in sizes if file in _SETTINGS}
    nested = {file for file in sizes if file.startswith(f"{NESTED}/")}
    if f"{NESTED}/{WEIGHTS}" in nested:
        return tuple(sorted(settings | nested))
    if is_static and WEIGHTS in sizes:
        return tuple(sorted(settings | {WEIGHTS}))
    graph = next((file for file in _GRAPHS if file in sizes), None)
    # Weights too large for the graph's file lie beside it: model.onnx_data, model.onnx.data.
    return () if graph is None else tuple(sorted(settings | {file for file in sizes if file.startswith(graph)}))


def fetch_hub_model(model: HubModel, cache_dir: Path) -> Model:
    """Download a model of the Hub into the cache. Raises ModelError when that fails."""
    with _downloaded(model, cache_dir) as folder:
        return take_folder(folder, cache_dir, source=model.about.source)


def fetch_hub_reranker(model: HubModel, cache_dir: Path) -> RerankerModel:
    """Download a reranker of the Hub into the cache. Raises ModelError when that fails."""
    with _downloaded(model, cache_dir) as folder:
        return take_reranker_folder(folder, cache_dir, source=model.about.source)


@contextmanager
def _downloaded(model: HubModel, cache_dir: Path) -> Iterator[Path]:
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if sys.stderr is None or not sys.stderr.isatty():
        disable_progress_bars()
    name = model.about.name
    downloads = models_folder(cache_dir) / "downloads"
    folder = downloads / name.rsplit("/", 1)[-1]
    shutil.rmtree(folder, ignore_errors=True)
    try:
        snapshot_download(
            name,
            revision=model.commit,
            local_dir=folder,
            allow_patterns=[_literal(file) for file in model.files],
            token=False,
        )
        yield folder
    except ModelError as error:
        raise ModelError(str(error).replace(str(folder), name)) from error
    except Exception as error:
        raise _not_fetched(name, error) from error
    finally:
        shutil.rmtree(downloads, ignore_errors=True)


def _literal(file: str) -> str:
    """Return a file's path as a pattern that matches nothing else."""
    return re.sub(r"[*?[]", lambda found: f"[{found[0]}]", file)


def _not_fetched(name: str, error: Any) -> ModelError:
    why = " ".join(str(error).split())[:200]
    return ModelError(f"{name} could not be fetched ({type(error).__name__}: {why}); nothing changed.")
