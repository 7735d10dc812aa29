"""Models of the Hugging Face Hub that fastembed's lists lack: what one is, and its download.

Only ``helix embed setup NAME`` calls it. ``hub_model`` asks the Hub for the size and the license of one repository, so
that the question for consent can say both; ``fetch_hub_model`` and ``fetch_hub_reranker`` download after it. The Hub's
own library is not used: it sends what it finds in the environment, and bounds neither time nor bytes. No token of the
user is sent. What the Hub says is checked: sizes, the hashes it gives, and that a commit is one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from helix_core.embed.model import FILES, MAKING, MODEL, Model, models_folder
from helix_core.embed.model_sources import MOST_BYTES, ListedModel, take_folder
from helix_core.embed.prompts import POOLING, SETTINGS
from helix_core.embed.reranker import RerankerModel, take_reranker_folder
from helix_core.embed.token_rows import NESTED, WEIGHTS
from helix_core.errors import ModelError

if TYPE_CHECKING:
    import httpx

HUB = "https://huggingface.co"
_KNOWN = {"potion-code-16m-v2": "minishlab/potion-code-16M-v2"}
"""Models that are named without their owner: those that Helix recommends."""
_NAME = re.compile(r"[\w-][\w.-]{0,95}/[\w-][\w.-]{0,95}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_STATIC = {"model2vec", "static-embeddings"}
"""Libraries and tags of models that are a row for each token: a transformer's weights have the name of the rows."""
_GRAPHS = (MODEL, f"onnx/{MODEL}")
_SETTINGS = {*FILES[1:], POOLING.as_posix(), SETTINGS}
_FILE = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*){0,2}", re.ASCII)
_MOST_ANSWER, _MOST_FILES = 8 << 20, 10_000
_HEADERS = {"User-Agent": "helix", "Accept-Encoding": "identity"}
_ASK_S, _FETCH_S = 20.0, 3_600.0
"""Seconds for what the Hub says of a repository, and for one file of it."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository: its size in bytes, and its SHA-256 where the Hub gives one."""

    path: str
    size: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class HubModel:
    """A repository of the Hub at one commit, and the ``files`` of it that are needed."""

    about: ListedModel
    commit: str
    files: tuple[HubFile, ...]


def hub_name(wanted: str) -> str | None:
    """Return ``OWNER/NAME`` of what may be a model of the Hub; None for anything else."""
    name = _KNOWN.get(wanted.lower(), wanted)
    return name if _NAME.fullmatch(name) and ".." not in name else None


def hub_model(name: str) -> HubModel:
    """Ask the Hub about ``OWNER/NAME``. Raises ModelError where there is none, or nothing in it can be loaded here."""
    with _client(name) as client:
        address = f"{_endpoint()}/api/models/{name}?blobs=true"
        body = bytearray()
        _read(client, name, address, body.extend, most=_MOST_ANSWER, within_s=_ASK_S)
    try:
        found = json.loads(body)
        files = {one.path: one for one in map(_file, found["siblings"][:_MOST_FILES]) if one is not None}
        kinds = {str(found.get("library_name")), *map(str, found.get("tags") or ())}
        commit, card = str(found["sha"]), found.get("cardData") or {}
        licence = str(card.get("license") or "")[:80]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{_host()} says nothing usable of {name}; nothing changed. Try again later.") from error
    if not _COMMIT.fullmatch(commit):
        raise ModelError(f"{_host()} names no commit of {name}; nothing changed. Try again later.")
    needed = needed_files(files, is_static=not _STATIC.isdisjoint(kinds))
    if not needed:
        raise ModelError(
            f"{name} has neither an ONNX graph ({MODEL}) nor a row for each token ({WEIGHTS} of a static model); "
            "export it, and name its folder."
        )
    size = sum(files[path].size for path in needed)
    if size > MOST_BYTES:
        raise ModelError(f"{name} is larger than 4 GiB; choose a smaller one.")
    has_rows = any(path.endswith(WEIGHTS) for path in needed)
    about = ListedModel(name, max(1, round(size / 1e6)), 0, f"{_host()}/{name}", licence, has_rows)
    return HubModel(about, commit, tuple(files[path] for path in needed))


def _file(told: Mapping[str, Any]) -> HubFile | None:
    """Return a file as the Hub describes it; None for a name or a size that no file of a model has."""
    path, size, lfs = str(told["rfilename"]), told.get("size"), told.get("lfs") or {}
    if not _FILE.fullmatch(path) or ".." in path or not isinstance(size, int) or size < 0:
        return None
    return HubFile(path, size, str(lfs.get("sha256") or ""))


def needed_files(files: Collection[str], *, is_static: bool) -> tuple[str, ...]:
    """Return which of a repository's files, by their paths, a model is loaded from; none where it cannot be.

    Rows come before a graph, as in ``take_folder``: a static model may have a graph next to them, which takes other
    inputs.
    """
    settings = {file for file in files if file in _SETTINGS}
    nested = {file for file in files if file.startswith(f"{NESTED}/")}
    if f"{NESTED}/{WEIGHTS}" in nested:
        return tuple(sorted(settings | nested))
    if is_static and WEIGHTS in files:
        return tuple(sorted(settings | {WEIGHTS}))
    graph = next((file for file in _GRAPHS if file in files), None)
    # Weights too large for the graph's file are next to it: model.onnx_data, model.onnx.data.
    return () if graph is None else tuple(sorted(settings | {file for file in files if file.startswith(graph)}))


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
    """Yield a folder of the name of the model, with its files; nothing is left of it in the end."""
    from tqdm import tqdm  # type: ignore[import-untyped]

    name = model.about.name
    models_folder(cache_dir).mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=models_folder(cache_dir), prefix="fetch-", suffix=MAKING) as made,
        _client(name) as client,
    ):
        folder = Path(made, name.rsplit("/", 1)[-1])
        folder.mkdir()
        # Shown at a terminal only.
        with tqdm(
            total=sum(file.size for file in model.files), unit="B", unit_scale=True, desc=name, disable=None
        ) as bar:
            for file in model.files:
                _fetch(client, model, file, folder / file.path, bar.update)
        try:
            yield folder
        except ModelError as error:
            raise ModelError(str(error).replace(str(folder), name)) from error


def _fetch(
    client: httpx.Client, model: HubModel, file: HubFile, target: Path, advance: Callable[[int], object]
) -> None:
    name, digest = model.about.name, hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("xb") as out:

            def take(data: bytes) -> None:
                digest.update(data)
                out.write(data)
                advance(len(data))

            address = f"{_endpoint()}/{name}/resolve/{model.commit}/{quote(file.path)}"
            _read(client, name, address, take, most=file.size, within_s=_FETCH_S)
            is_whole = out.tell() == file.size
    except OSError as error:
        raise ModelError(
            f"{file.path} of {name} could not be written ({error.strerror}); nothing changed. Free disk space."
        ) from error
    if not is_whole or digest.hexdigest() != (file.sha256 or digest.hexdigest()):
        raise ModelError(f"{file.path} of {name} differs from what {_host()} lists; nothing changed. Try again later.")


def _client(name: str) -> httpx.Client:
    import httpx

    if urlsplit(_endpoint()).scheme not in {"http", "https"}:
        raise ModelError(f"HF_ENDPOINT is not an address, so {name} cannot be asked for; unset it.")
    # Credentials of the user (netrc) are not sent; a proxy of the environment is used.
    return httpx.Client(follow_redirects=True, max_redirects=5, timeout=_ASK_S, auth=_no_credentials)


def _no_credentials(request: httpx.Request) -> httpx.Request:
    return request


def _read(
    client: httpx.Client, name: str, address: str, take: Callable[[bytes], object], *, most: int, within_s: float
) -> None:
    """Pass a response on in parts. Raises ModelError when it is an error, more than ``most`` bytes, or late."""
    import httpx

    ends, left = time.monotonic() + within_s, most
    try:
        with client.stream("GET", address, headers=_HEADERS) as response:
            if response.status_code in {401, 403, 404}:
                raise ModelError(
                    f"There is no public model {name} on {_host()} (status {response.status_code}); look at its "
                    "spelling, or download it yourself where it needs an agreement, and name its folder."
                )
            response.raise_for_status()
            if {response.url.scheme, urlsplit(address).scheme} == {"http", "https"}:
                raise ModelError(f"{_host()} leads to an address without encryption for {name}; nothing changed.")
            for data in response.iter_raw(1 << 16):
                left -= len(data)
                if left < 0:
                    raise ModelError(
                        f"{_host()} sends more of {name} than the size it lists; nothing changed. Try again later."
                    )
                if time.monotonic() > ends:
                    raise ModelError(f"{_host()} is too slow for {name}; nothing changed. Try again later.")
                take(data)
    except httpx.HTTPError as error:
        status = f"status {error.response.status_code}" if isinstance(error, httpx.HTTPStatusError) else ""
        why = status or type(error).__name__
        raise ModelError(f"{name} could not be fetched from {_host()} ({why}); nothing changed. Try again.") from error


def _endpoint() -> str:
    return (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")


def _host() -> str:
    """Return the host that is asked, without the credentials that its address may have."""
    try:
        place = urlsplit(_endpoint())
        return f"{place.hostname or 'the Hub'}{f':{place.port}' if place.port else ''}"
    except ValueError:
        return "the Hub"
