"""Embedding models: a folder on disk, loaded through fastembed or as rows of tokens, and the question encoder.

Never opens a network connection.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from helix_core.embed.prompts import NO_PROMPTS, Prompts
from helix_core.embed.static import STATIC, StaticEncoder
from helix_core.embed.token_rows import WEIGHTS, TokenRows
from helix_core.errors import ModelError
from helix_core.extras import why_missing
from helix_core.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

ABOUT = "helix.json"
RERANKER_ABOUT = "helix-reranker.json"
MODEL = "model.onnx"
NEEDED = ("tokenizer.json", "tokenizer_config.json")
FILES = (MODEL, *NEEDED, "config.json", "special_tokens_map.json")
MAKING = ".making"
POOLINGS = ("none", "mean", "cls", "last")
_NAME = re.compile(r"[\w.@+-]{1,80}", re.ASCII)
_MOST_JSON_BYTES = 1 << 20
_MOST_DIMENSIONS = 4096
_ABANDONED_S = 3600.0
"""A folder of an unfinished model that was not written to for so long was left behind by a process that was killed."""


class Model(NamedTuple):
    """A model that can be loaded from ``folder``.

    ``name`` identifies its vectors and contains the first digits of the weights' hash, so that vectors of other weights
    are never compared. ``dimensions`` are those of the stored vectors: the model's, and zeros up to a multiple of 8.
    ``pooling`` is ``none`` where the graph pools by itself; ``query_prefix`` is prepended to a question and
    ``document_prefix`` to what is indexed. ``fastembed`` is the model's name in fastembed's own list, which then
    determines the pooling.
    """

    name: str
    folder: Path
    dimensions: int
    pooling: str
    normalize: bool
    source: str
    query_prefix: str = ""
    document_prefix: str = ""
    model_file: str = MODEL
    fastembed: str = ""

    @property
    def has_rows(self) -> bool:
        """Return whether it is a row for each token (``token_rows``), and no graph."""
        return Path(self.model_file).name == WEIGHTS

    def size_bytes(self) -> int:
        """Return the size of its files."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())


def models_folder(cache_dir: Path) -> Path:
    """Return the folder of installed models."""
    return cache_dir / "models"


def padded(dimensions: int) -> int:
    """Return the least multiple of 8 that is not less: a bit a dimension fills whole bytes."""
    return -(-dimensions // 8) * 8


def named(title: str, *files: Path, prompts: Prompts = NO_PROMPTS) -> str:
    """Return ``all-MiniLM-L6-v2@1f3a9c2b``: the title and the first digits of the SHA-256 of the weights, and of
    what else decides what its vectors are.
    """
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    if prompts:
        digest.update(json.dumps([prompts.query, prompts.document]).encode())
    return f"{re.sub(r'[^A-Za-z0-9_.+-]', '-', title)[:60]}@{digest.hexdigest()[:8]}"


@contextmanager
def making(cache_dir: Path, title: str) -> Iterator[Path]:
    """Yield a new folder for a model, called its title, which is deleted at the end unless it was moved into place.

    Its parent is this process's alone: another may make the same model at the same time.
    """
    models = models_folder(cache_dir)
    models.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in models.glob(f"*{MAKING}"):
        if _last_written(left) < time.time() - _ABANDONED_S:
            shutil.rmtree(left, ignore_errors=True)
    own = Path(tempfile.mkdtemp(dir=models, suffix=MAKING))
    try:
        place = own / title
        place.mkdir(mode=0o700)
        yield place
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _last_written(folder: Path) -> float:
    """Return when a file in the folder was last written, or the folder itself, in Unix seconds."""
    times = [0.0]
    for place in (folder, *folder.rglob("*")):
        with suppress(OSError):
            times.append(place.lstat().st_mtime)
    return max(times)


def move_into_place(folder: Path, name: str) -> Path:
    """Move a folder of ``making``, which has the model of that name, among the models, and return the new folder.

    Where another model has that folder, the new one's is its name, ``TITLE@HASH``, so that no other model is deleted.
    """
    from filelock import FileLock

    models = folder.parent.parent
    place = models / folder.name
    # Two processes that made the same model move it one after the other.
    with FileLock(models.with_suffix(".lock"), mode=0o600):
        if _name_in(place) not in ("", name):
            place = models / name
        shutil.rmtree(place, ignore_errors=True)
        folder.rename(place)
    return place


def _name_in(folder: Path) -> str:
    """Return the name of the model or reranker in a folder; "" where there is none that Helix could load."""
    for about in (folder / ABOUT, folder / RERANKER_ABOUT):
        if about.is_file():
            try:
                return str(read_object(about, "model", "helix embed setup").get("name", ""))
            except ModelError:
                return ""
    return ""


def is_inside(file: str) -> bool:
    """Return whether the path stays below any folder it is joined to."""
    return bool(file) and not os.path.isabs(file) and ".." not in Path(file).parts


def write_metadata(model: Model) -> None:
    """Write the model's metadata file."""
    fields = {key: value for key, value in model._asdict().items() if key != "folder"}
    (model.folder / ABOUT).write_text(json.dumps(fields, indent=1) + "\n", "utf-8")


def read_model(folder: Path) -> Model:
    """Read the metadata that ``write_metadata`` wrote. Raises ModelError, naming what is wrong with it."""
    about = read_object(folder / ABOUT, "model", "helix embed setup")
    try:
        model = Model(folder=folder, **about)
        needed = (model.model_file, *(NEEDED[:1] if model.has_rows else NEEDED))
        if missing := [name for name in needed if not (folder / name).is_file()]:
            raise ModelError(f"The model in {folder} lacks {missing[0]}; run helix embed setup again.")
        is_right = (
            _NAME.fullmatch(model.name)
            and 0 < int(model.dimensions) <= _MOST_DIMENSIONS
            and model.dimensions % 8 == 0
            and model.pooling in POOLINGS
            and is_inside(model.model_file)
            and isinstance(model.query_prefix, str)
            and isinstance(model.document_prefix, str)
        )
    except (TypeError, ValueError):
        is_right = False
    if not is_right:
        raise ModelError(f"{folder / ABOUT} is not what Helix wrote; run helix embed setup again.")
    return model


def kept_models(cache_dir: Path) -> Iterator[Model]:
    """Yield every model of the cache whose files are there, whatever its folder is called."""
    for about in sorted(models_folder(cache_dir).glob(f"*/{ABOUT}")):
        if about.parent.suffix != MAKING:
            with suppress(ModelError):
                yield read_model(about.parent)


def choose(cache_dir: Path, model: Model | None) -> None:
    """Select this model, or none, for all future encoders."""
    chosen = models_folder(cache_dir) / "chosen"
    if model is None:
        chosen.unlink(missing_ok=True)
        return
    chosen.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_choice(chosen, model.folder)


def write_choice(chosen: Path, folder: Path) -> None:
    """Write the file that names the selected folder; another process that selects at the same time is in no way."""
    with tempfile.NamedTemporaryFile("w", dir=chosen.parent, suffix=".new", encoding="utf-8", delete=False) as fresh:
        fresh.write(str(folder) + "\n")
    os.replace(fresh.name, chosen)


def chosen_model(cache_dir: Path, setting: str = "") -> Model | None:
    """Return the selected model; None for the built-in vectors only.

    ``setting`` is ``embed.model``: empty for what was set up, ``static`` for none, else a name under ``models/`` or a
    folder's whole path. Raises ModelError when a selected model cannot be used.
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
    """Return the JSON object in a file of a model's folder. Raises ModelError, naming the ``kind`` and its
    ``setup``.
    """
    try:
        if path.stat().st_size > _MOST_JSON_BYTES:
            raise ValueError("too large")
        found = json.loads(path.read_text("utf-8"))
        if not isinstance(found, dict):
            raise ValueError("no object")
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"There is no usable {kind} in {path.parent} ({error}); run {setup}.") from error
    return found


T = TypeVar("T")
BATCH = 4
"""Batch size, in texts: small batches of similar lengths are faster on a CPU, because little is padded."""
LONGEST = 2_000
SESSION: dict[str, Any] = {"threads": 1, "providers": ["CPUExecutionProvider"], "enable_cpu_mem_arena": False}


class FastModel:
    """A loaded model. For one thread at a time."""

    def __init__(self, model: Model) -> None:
        """Raises ModelError when the files are damaged or no model of the kind that ``model`` says."""
        self.model = model
        try:
            offline()
            self._loaded = TokenRows(model.folder) if model.has_rows else _Session(model)
            width = self.vectors(["helix"]).shape[1]
        except ModelError:
            raise
        except Exception as error:
            # The runtime raises its own exception types, and a damaged file must not fail a question.
            raise unusable(model.name, error) from error
        if width != model.dimensions:
            raise ModelError(f"The model {model.name} gives {width} dimensions; run helix embed setup again.")

    def vectors(self, texts: Sequence[str], most_tokens: int = 0) -> NDArray[np.float32]:
        """Return one row for each text as it is, in order, of unit length.

        ``most_tokens`` truncates each text to so many tokens, special tokens included.
        """
        with _tokenizing(self.model.name):
            return _unit_rows(self._loaded.rows([text[:LONGEST] for text in texts], most_tokens))

    def documents(self, texts: Sequence[str], most_tokens: int = 0) -> NDArray[np.float32]:
        """Return ``vectors`` of the texts behind the model's prompt for them, whose tokens count for no text."""
        prompt = self.model.document_prefix
        if prompt and most_tokens:
            with _tokenizing(self.model.name):
                most_tokens += self._loaded.count(prompt)
        return self.vectors([prompt + text for text in texts], most_tokens)

    def question(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, behind the model's prompt for it."""
        with _tokenizing(self.model.name):
            return _unit_rows(self._loaded.question((self.model.query_prefix + text)[:LONGEST])).reshape(-1)


@contextmanager
def _tokenizing(name: str) -> Iterator[None]:
    """Turn an error of the model's tokenizer into ModelError.

    The library raises bare exceptions, and a panic of its Rust code is a ``PanicException``, which is not an Exception.
    """
    try:
        yield
    except BaseException as error:
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        why = " ".join(str(error).split())[:200]
        raise ModelError(f"The tokenizer of the model {name} fails at a text ({why}); set up another model.") from error


def _unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows with zeros up to a multiple of 8, and of unit length."""
    import numpy as np

    rows = np.pad(rows, ((0, 0), (0, padded(rows.shape[1]) - rows.shape[1])))
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)


class _Session:
    """An ONNX graph loaded through fastembed."""

    def __init__(self, model: Model) -> None:
        self._pools = model.pooling == "none" and not model.fastembed
        self._dimensions = model.dimensions
        self._embedding = _embedding(model)
        self._inputs = {each.name for each in self._embedding.model.model.get_inputs()}
        self._tokenizer = _unpadded(self._embedding.model.tokenizer)

    def rows(self, texts: Sequence[str], most_tokens: int = 0) -> NDArray[np.float32]:
        """Return the graph's vector of each text, in order; ``most_tokens`` is ``FastModel.vectors``'."""
        import numpy as np

        encodings = self._tokenizer.encode_batch(list(texts))
        tokens = [_first(encoding.ids, most_tokens) for encoding in encodings]
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
        # Without an attention mask the graph would treat padding as words.
        size = BATCH if "attention_mask" in self._inputs else 1
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        if self._pools:
            found = [self._run([tokens[place] for place in batch]) for batch in batches]
        else:
            # fastembed does the pooling of its listed models, and it takes texts.
            ends = [max((end for _, end in _first(encoding.offsets, most_tokens)), default=0) for encoding in encodings]
            cut = [text[:end] for text, end in zip(texts, ends, strict=True)]
            found = [self._pooled([cut[place] for place in batch]) for batch in batches]
        together = np.concatenate(found) if found else np.empty((0, self._dimensions))
        rows = np.empty(together.shape, np.float32)
        rows[order] = together
        return rows

    def question(self, text: str) -> NDArray[np.float32]:
        """Return the one row of a question: some of fastembed's models embed it otherwise than a document."""
        import numpy as np

        return self.rows([text]) if self._pools else np.array(list(self._embedding.query_embed([text])))

    def count(self, text: str) -> int:
        """Return the number of tokens, without special ones."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _pooled(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Run a graph whose vectors fastembed pools on one batch."""
        import numpy as np

        return np.array(list(self._embedding.passage_embed(texts)))

    def _run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Run a graph that pools by itself on one batch."""
        import numpy as np

        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(tokens):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        session = self._embedding.model.model
        return np.asarray(session.run(None, {name: given[name] for name in self._inputs})[0], np.float32)


def _first(parts: list[T], most: int) -> list[T]:
    """Return the first tokens and the last one, which ends every text; all of them where ``most`` is 0."""
    return parts if not most or len(parts) <= most else [*parts[: most - 1], parts[-1]]


def check_installed() -> None:
    """Raise ModelError where the packages that load a model are not installed.

    Call it before fastembed is imported: the library that it downloads with would identify itself to the Hub.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    if why := why_missing("models"):
        raise ModelError(why)


def offline() -> None:
    """Put fastembed and its libraries offline: missing files are errors, and tokenizers start no threads.

    Raises ModelError where they are not installed.
    """
    check_installed()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def _embedding(model: Model) -> Any:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    options = {"specific_model_path": str(model.folder), **SESSION}
    if model.fastembed:
        return TextEmbedding(model.fastembed, **options)
    name = f"helix/{model.name}"
    poolings = {
        "none": PoolingType.DISABLED,
        "mean": PoolingType.MEAN,
        "cls": PoolingType.CLS,
        "last": PoolingType.LAST_TOKEN,
    }
    if not is_known(name, TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=poolings[model.pooling],
            normalization=model.normalize,
            sources=ModelSource(hf="helix/none"),
            dim=model.dimensions,
            model_file=model.model_file,
        )
    return TextEmbedding(name, **options)


def _unpadded(tokenizer: Tokenizer) -> Tokenizer:
    """Return a copy of the tokenizer without padding, which counts each text's tokens."""
    from tokenizers import Tokenizer

    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_padding()
    return copy


def is_known(name: str, models: Iterable[dict[str, Any]]) -> bool:
    """Return whether one of fastembed's lists has a model of that name."""
    return any(str(each["model"]).lower() == name.lower() for each in models)


def unusable(name: str, error: Exception) -> ModelError:
    """Return the one-line error of a model that cannot be loaded."""
    why = " ".join(str(error).split())[:200]
    return ModelError(f"The model {name} cannot be loaded ({type(error).__name__}: {why}); set it up again.")


class OneShotEncoder(StaticEncoder):
    """The built-in table for a one-shot process; ``problem`` says that the selected model is not loaded."""

    def __init__(self, cache_dir: Path, setting: str = "") -> None:
        try:
            model = chosen_model(cache_dir, setting)
            self.problem = f"a command that asks once does not load {model.name}; hosts do" if model else ""
        except ModelError as error:
            self.problem = str(error)


NONE_CHOSEN = (0,)
LOADING = "the model is being loaded"


class ModelEncoder:
    """An ``Encoder`` that threads may share. ``problem`` describes why the model is unavailable."""

    def __init__(self, cache_dir: Path, setting: str = "") -> None:
        self._cache_dir, self._setting = cache_dir, setting
        self._static = StaticEncoder()
        self._loaded: FastModel | None = None
        self._wanted: Model | None = None
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._problem = ""
        self._followed: tuple[int, ...] | None = None

    @property
    def problem(self) -> str:
        """Describe why the model is unavailable; "" when nothing is wrong."""
        return self._problem

    @property
    def wanted(self) -> bool:
        """Return whether a model is selected, loaded or not."""
        return self._wanted is not None

    def follow(self) -> None:
        """Load the selected model in this thread, unless it is loaded."""
        with self._loading:
            self._followed = self._choice()
            try:
                model = self._wanted = chosen_model(self._cache_dir, self._setting)
                loaded = self._loaded
                if model is None:
                    self._loaded, self._problem = None, ""
                elif loaded is None or loaded.model != model:
                    self._problem = LOADING
                    self._loaded, self._problem = FastModel(model), ""
            except ModelError as error:
                self._wanted = self._loaded = None
                self._problem = str(error)

    @property
    def models(self) -> tuple[str, ...]:
        """Return the model, when loaded, then the built-in table.

        Where nothing was loaded yet, or another one was set up since, it is loaded in a thread, and the table serves
        meanwhile.
        """
        choice = self._choice()
        if choice != self._followed:
            self._followed, self._loaded = choice, None
            is_wanted = self._setting != STATIC if self._setting else choice != NONE_CHOSEN
            self._problem = LOADING if is_wanted else ""
            if is_wanted:
                threading.Thread(target=self.follow, name="model", daemon=True).start()
        loaded = self._loaded
        return (STATIC,) if loaded is None else (loaded.model.name, STATIC)

    def _choice(self) -> tuple[int, ...]:
        """Return what changes with each choice of a model by ``helix embed``; one ``stat``."""
        try:
            found = os.stat(models_folder(self._cache_dir) / "chosen")
        except OSError:
            return NONE_CHOSEN
        return (found.st_ino, found.st_size, found.st_mtime_ns)

    def encode(self, model: str, text: str) -> bytes:
        """Return the vector of a question, as little-endian float32."""
        loaded = self._loaded
        if loaded is None or model != loaded.model.name:
            return self._static.encode(model, text)
        with self._lock:
            try:
                vector, self._problem = loaded.question(text), ""
            except ModelError as error:
                self._problem = str(error)
                return b""
            return bytes(vector.astype("<f4").tobytes())
