"""Sources of models besides the pinned wheel: a folder of the user's, or fastembed's own list.

Only ``fetch_listed`` uses the network; ``helix embed setup`` calls it, after consent. ``hub`` has what is in no list.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from helix_core.embed.late_interaction import is_late_interaction
from helix_core.embed.model import (
    FILES,
    MODEL,
    NEEDED,
    FastModel,
    Model,
    check_installed,
    making,
    models_folder,
    move_into_place,
    named,
    padded,
    read_model,
    write_metadata,
)
from helix_core.embed.prompts import NO_PROMPTS, POOLING, Prompts, folder_prompts, listed_prompts
from helix_core.embed.token_rows import CONFIG, TOKENIZER, WEIGHTS, TokenRows, folder_of_rows, why_no_file
from helix_core.errors import ModelError

MOST_BYTES = 4 << 30
_MOST_TOKENIZER_BYTES = 40_000_000
"""Gemma's, the largest that is known, has 33 MB."""
_MOST_ENTRIES = 1_500_000
"""Entries of the tokenizer's lists: 1.3 million for the tokens and merges of Gemma, 1 million for 500,000 tokens with a
score.
"""
_MOST_PREFIXES = 3_000_000
"""Different beginnings of tokens: the library keeps each of a Unigram model in 350 bytes."""
_MOST_GROWTH = 64
"""How many characters a normalizer may make of one."""
_MOST_TEMPLATE = 64
"""How many tokens the template around a text may have; BERT's adds two."""
_MOST_PADDING = 8_192
_MOST_SETTINGS_BYTES = 16_000_000
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

    return closest(
        name,
        TextEmbedding.list_supported_models(),
        "name minilm, one of fastembed, OWNER/NAME of the Hugging Face Hub, or a folder",
    )


def closest(name: str, list_: Iterable[dict[str, Any]], otherwise: str) -> ListedModel:
    """Return the list entry of that name, with or without its owner's name. Raises ModelError."""
    models = {str(each["model"]): each for each in list_}
    by_folded = {each.lower(): each for each in models}
    by_folded |= {each.rsplit("/", 1)[-1].lower(): each for each in models}
    found = by_folded.get(name.lower())
    if found is None:
        if name.startswith(("/", "./", "../", "~")):
            raise ModelError(f"There is no model folder {name}; {otherwise}")
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

    title, dimensions = model.name.rsplit("/", 1)[-1], padded(model.dimensions)
    with downloaded(model, title, cache_dir, fetch, listed_prompts(model.name)) as made:
        return _install(made._replace(dimensions=dimensions, fastembed=model.name, source=f"fastembed {model.source}"))


@contextmanager
def downloaded(
    model: ListedModel, title: str, cache_dir: Path, fetch: Callable[[str], Any], prompts: Prompts = NO_PROMPTS
) -> Iterator[Model]:
    """Yield what ``fetch`` downloads into its folder as ``copied`` does. Raises ModelError when that fails.

    The folder is the model's alone, so that another setup takes no file of this one away; what a broken connection left
    in it is continued the next time.
    """
    own = model.name.replace("/", "--")
    downloads = models_folder(cache_dir) / "downloads" / own
    downloads.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(downloads.with_name(f"{own}.lock"), mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ModelError(
            f"Another process is fetching {model.name}; wait until it is done, and set it up again if it failed."
        ) from None
    try:
        loaded = _fetched(model, partial(fetch, str(downloads)))
        folder, file = Path(loaded._model_dir), str(loaded.model_description.model_file)
        with copied(folder, file, title, cache_dir, prompts, flat=False) as made:
            shutil.rmtree(downloads, ignore_errors=True)
            yield made
    finally:
        lock.release()


def _fetched(model: ListedModel, fetch: Callable[[], Any]) -> Any:
    try:
        return fetch()
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise ModelError(
            f"{model.name} could not be fetched ({type(error).__name__}: {why}); nothing changed."
        ) from error


def take_folder(folder: Path, cache_dir: Path, source: str = "") -> Model:
    """Copy a model folder of the user's into the cache: an ONNX graph (model.onnx, tokenizer.json,
    tokenizer_config.json), or a row for each token (model.safetensors, tokenizer.json). ``source`` says where it is
    from, if not the folder.

    Raises ModelError when it lacks a file, or cannot be loaded.
    """
    title, prompts = folder.resolve().name, folder_prompts(folder)
    if is_late_interaction(folder):
        raise ModelError(
            f"The model in {folder} compares tokens; set it up with helix embed setup --reranker {folder}."
        )
    source = source or f"the folder {title}"
    # Before a graph: model2vec's own folders have one next to the rows, which takes other inputs.
    if (place := _rows_in(folder)) is not None:
        _check_size(folder, [place / WEIGHTS])
        check_settings(place)
        dimensions = padded(TokenRows(place).dimensions)
        with copied(place, WEIGHTS, title, cache_dir, prompts) as made:
            return _install(made._replace(dimensions=dimensions, source=source))
    with copied(folder, weights_in(folder), title, cache_dir, prompts) as made:
        # Of the copy: the runtime opens no weights next to a graph through a link that leads elsewhere.
        pooling, width = _output_of(folder, made.folder / made.model_file)
        return _install(made._replace(dimensions=padded(width), pooling=pooling, source=source))


def _rows_in(folder: Path) -> Path | None:
    """Return ``folder_of_rows``; None where damaged weights, such as a pointer of Git LFS, are next to a graph."""
    try:
        return folder_of_rows(folder)
    except ModelError:
        if _graph_in(folder) is None:
            raise
        return None


def _graph_in(folder: Path) -> str | None:
    return next((file for file in (MODEL, f"onnx/{MODEL}") if (folder / file).is_file()), None)


def weights_in(folder: Path, *, is_late: bool = False) -> str:
    """Return the path of the weights inside a model folder. Raises ModelError when it lacks a file.

    A late-interaction model needs no settings of its tokenizer.
    """
    weights = _graph_in(folder)
    needed = (TOKENIZER,) if is_late else NEEDED
    missing = [name for name in (weights or MODEL, *needed) if not (folder / name).is_file()]
    # What is there and no file says more than what is not there.
    there = [name for name in (MODEL, WEIGHTS, *needed) if os.path.lexists(folder / name)]
    for name in (*(each for each in there if not (folder / each).is_file()), *missing):
        raise ModelError(f"{folder} is not a model: {why_no_file(folder, name)}; name another folder.")
    return weights or MODEL


def vector_width(folder: Path, weights: Path) -> int:
    """Return how many numbers a graph's vector of each token has; 0 where its first output is no such vector.

    Raises ModelError for a graph that cannot be loaded.
    """
    shape = _output_shape(folder, weights)
    return shape[-1] if len(shape) == 3 and isinstance(shape[-1], int) and shape[-1] > 1 else 0


def _output_shape(folder: Path, weights: Path) -> list[Any]:
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
        return list(session.get_outputs()[0].shape)
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise ModelError(f"The model in {folder} cannot be loaded ({why}); name another folder.") from error


def _output_of(folder: Path, weights: Path) -> tuple[str, int]:
    """Return how to pool the first output, and its dimensions."""
    shape = _output_shape(folder, weights)
    try:
        settings = json.loads((folder / POOLING).read_text("utf-8")) if (folder / POOLING).is_file() else {}
    except (OSError, ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise ModelError(f"The model in {folder} cannot be loaded ({why}); name another folder.") from error
    if not isinstance(shape[-1], int):
        raise ModelError(f"The model in {folder} does not say how many dimensions it has; name another folder.")
    if len(shape) == 2:
        return "none", shape[-1]
    by_setting = {"pooling_mode_cls_token": "cls", "pooling_mode_lasttoken": "last"}
    return next((pooling for key, pooling in by_setting.items() if settings.get(key)), "mean"), shape[-1]


@contextmanager
def copied(
    folder: Path, weights: str, title: str, cache_dir: Path, prompts: Prompts = NO_PROMPTS, *, flat: bool = True
) -> Iterator[Model]:
    """Copy the required files to a folder of the cache, external weight files included; the copy is deleted at the end
    unless it was moved into place.

    Unless ``flat`` the weights keep their relative path, where fastembed looks for what it lists.
    """
    if title in _TAKEN:
        raise ModelError(f"A model cannot be called {title}, which Helix uses itself; rename {folder}.")
    source = folder / weights
    beside = [file for file in source.parent.iterdir() if file.name.startswith(f"{source.name}") and file.is_file()]
    settings = [folder / name for name in FILES[1:] if (folder / name).is_file()]
    _check_size(folder, [*beside, *settings])
    check_settings(folder)
    with making(cache_dir, title) as made:
        place = Path(os.path.basename(weights) if flat else weights)
        wanted = {file: (made / place).with_name(file.name) for file in beside}
        wanted |= {file: made / file.name for file in settings}
        try:
            (made / place).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for file, target in wanted.items():
                shutil.copyfile(file, target)
        except OSError as error:
            raise ModelError(
                f"The model could not be copied into {made} ({error.strerror}); free disk space."
            ) from error
        deciding = (place, TOKENIZER, CONFIG) if place.name == WEIGHTS else (place,)
        name = named(title, *(made / file for file in deciding if (made / file).is_file()), prompts=prompts)
        yield Model(name, made, 0, "mean", True, "", prompts.query, prompts.document, place.as_posix())


def _check_size(folder: Path, files: Iterable[Path]) -> None:
    if sum(file.stat().st_size for file in files) > MOST_BYTES:
        raise ModelError(f"The model in {folder} is larger than 4 GiB; choose a smaller one.")


def check_settings(folder: Path) -> None:
    """Raise ModelError for a tokenizer or settings that take too much time or memory to load or to run.

    They are bounded here because nothing stops the library once it reads them.
    """
    files = [folder / name for name in (*FILES[2:], POOLING) if (folder / name).is_file()]
    large = [file.name for file in files if file.stat().st_size > _MOST_SETTINGS_BYTES]
    problem = f"its {large[0]} is larger than {_MOST_SETTINGS_BYTES // 10**6} MB" if large else _excess(folder)
    if problem:
        raise ModelError(f"The model in {folder} cannot be used ({problem}); name another folder.")


def _excess(folder: Path) -> str:
    """Return what of the tokenizer is too large; "" where nothing is, or there is none."""
    if not (folder / TOKENIZER).is_file():
        return ""
    with (folder / TOKENIZER).open("rb") as file:
        data = file.read(_MOST_TOKENIZER_BYTES + 1)
    if len(data) > _MOST_TOKENIZER_BYTES:
        return f"its {TOKENIZER} is larger than {_MOST_TOKENIZER_BYTES // 10**6} MB"
    if data.count(b",") > _MOST_ENTRIES:
        return f"its {TOKENIZER} has more than {_MOST_ENTRIES:,} entries"
    try:
        found = json.loads(data)
        prefixes, growth = _prefix_count(_tokens(found)), _growth(found.get("normalizer"))
        padding = (found.get("padding") or {}).get("pad_to_multiple_of") or 0
        if prefixes > _MOST_PREFIXES:
            return f"the tokens of its {TOKENIZER} are too long"
        template = _template_length(found.get("post_processor"))
        if growth > _MOST_GROWTH or template > _MOST_TEMPLATE or padding > _MOST_PADDING:
            return f"its {TOKENIZER} makes texts much longer"
    except (ValueError, RecursionError) as error:
        return f"{TOKENIZER}: {error}"
    except (AttributeError, KeyError, IndexError, TypeError):
        return f"its {TOKENIZER} is none"
    return ""


def _tokens(tokenizer: dict[str, Any]) -> list[bytes]:
    vocabulary = tokenizer["model"]["vocab"]
    texts = list(vocabulary) if isinstance(vocabulary, dict) else [each[0] for each in vocabulary]
    texts += [each["content"] for each in tokenizer.get("added_tokens") or ()]
    return [text.encode("utf-8", "surrogatepass") for text in texts]


def _prefix_count(tokens: list[bytes]) -> int:
    """Return how many different beginnings the tokens have, which are the nodes of their trie."""
    if (most := sum(map(len, tokens))) <= _MOST_PREFIXES:
        return most
    count, before = 0, b""
    for token in sorted(tokens):
        shared = (place for place, (one, other) in enumerate(zip(before, token, strict=False)) if one != other)
        count += len(token) - next(shared, min(len(before), len(token)))
        before = token
    return count


def _growth(normalizer: dict[str, Any] | None) -> int:
    """Return how many characters a normalizer's replacements and beginnings make of one at most."""
    about = normalizer or {}
    growth = max(1, len(about.get("content") or ""), 1 + len(about.get("prepend") or ""))
    for part in about.get("normalizers") or ():
        growth *= _growth(part)
    return growth


def _template_length(processor: dict[str, Any] | None) -> int:
    """Return how many tokens the templates of a post-processor have at most, with one for each text in them."""
    about = processor or {}
    special = (about.get("special_tokens") or {}).values()
    longest = max((max(len(each["ids"]), len(each["tokens"])) for each in special), default=1)
    pieces = max(len(about.get("single") or ()), len(about.get("pair") or ()))
    return pieces * max(1, longest) + sum(map(_template_length, about.get("processors") or ()))


def _install(model: Model) -> Model:
    """Move the model to its final place after a test load."""
    write_metadata(model)
    FastModel(read_model(model.folder))
    return read_model(move_into_place(model.folder, model.name))
