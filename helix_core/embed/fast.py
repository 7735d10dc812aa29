"""A model's session, through fastembed: texts in, vectors of length one out. Never asks the network.

One thread, so that no idle thread spins inside an editor and the machine stays the user's. Loading takes about a second
of CPU, nearly all of it imports.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from helix_core.embed.model_folder import Model
from helix_core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

T = TypeVar("T")
BATCH = 4
"""Small batches of texts alike in tokens beat large ones on a CPU: hardly anything is padded."""
LONGEST = 2_000
SESSION: dict[str, Any] = {"threads": 1, "providers": ["CPUExecutionProvider"], "enable_cpu_mem_arena": False}


class FastModel:
    """A loaded model. For one thread at a time."""

    def __init__(self, model: Model) -> None:
        """Raises ModelError when the files are damaged or no model of the kind that ``model`` says."""
        self.model = model
        try:
            self._embedding = _embedding(model)
            self._inputs = {each.name for each in self._embedding.model.model.get_inputs()}
            self._tokenizer = _unpadded(self._embedding.model.tokenizer)
            width = self.vectors(["helix"]).shape[1]
        except ModelError:
            raise
        except Exception as error:
            # The runtime raises kinds of its own, and a damaged file must not end a question.
            raise unusable(model.name, error) from error
        if width != model.dimensions:
            raise ModelError(f"The model {model.name} gives {width} dimensions; run helix embed setup again.")

    def vectors(self, texts: Sequence[str], most_tokens: int = 0) -> NDArray[np.float32]:
        """One row for each text, in its order, of length one.

        With ``most_tokens`` what a text says beyond so many is not read, its first and last special ones counted.
        """
        import numpy as np

        encodings = self._tokenizer.encode_batch([text[:LONGEST] for text in texts])
        tokens = [_first(encoding.ids, most_tokens) for encoding in encodings]
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
        # A graph that is told of no mask would take padding for words.
        size = BATCH if "attention_mask" in self._inputs else 1
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        if self.model.pooling == "none" and not self.model.fastembed:
            found = [self._run([tokens[place] for place in batch]) for batch in batches]
        else:
            # What comes after the graph is fastembed's to know, and it starts from texts.
            ends = [max((end for _, end in _first(encoding.offsets, most_tokens)), default=0) for encoding in encodings]
            cut = [text[:end] for text, end in zip(texts, ends, strict=True)]
            found = [np.array(list(self._embedding.embed([cut[place] for place in batch]))) for batch in batches]
        together = np.concatenate(found) if found else np.empty((0, self.model.dimensions))
        rows = np.empty(together.shape, np.float32)
        rows[order] = together
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)

    def _run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The rows of a few texts by a graph that pools by itself."""
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
    """The first tokens and the last one, which ends every text; all of them where ``most`` is 0."""
    return parts if not most or len(parts) <= most else [*parts[: most - 1], parts[-1]]


def offline() -> None:
    """From now on nothing is ever fetched, what is missing is an error, and tokenizers start no threads."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def _embedding(model: Model) -> Any:
    offline()
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
    """A copy that says how many tokens each text has."""
    from tokenizers import Tokenizer

    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_padding()
    return copy


def is_known(name: str, models: Iterable[dict[str, Any]]) -> bool:
    """Is a model of that name in one of fastembed's lists?"""
    return any(str(each["model"]).lower() == name.lower() for each in models)


def unusable(name: str, error: Exception) -> ModelError:
    """What is said of a model that cannot be loaded, on one line."""
    why = " ".join(str(error).split())[:200]
    return ModelError(f"The model {name} cannot be loaded ({type(error).__name__}: {why}); set it up again.")
