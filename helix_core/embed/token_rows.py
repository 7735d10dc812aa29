"""Static models as model2vec saves them: a row for each token of a vocabulary; a text is the mean of its tokens' rows.

Source of the format and of the sum: model2vec's ``persistence`` and ``StaticModel.encode``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.embed.safetensors import read_tensors, tensor_names
from helix_core.errors import ModelError
from helix_core.printable import count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
NESTED = "0_StaticEmbedding"
_ROWS = ("embeddings", "embedding.weight")
_LONGEST_TOKENS = 512
_LARGEST = 1e6


def folder_of_rows(folder: Path) -> Path | None:
    """Return the folder with such a model's files, this one or a part of it; None where there is no such model.

    Raises ModelError for weights that are damaged.
    """
    for place in (folder, folder / NESTED):
        if (place / WEIGHTS).is_file() and not tensor_names(place / WEIGHTS).isdisjoint(_ROWS):
            return place
    return None


def why_no_file(folder: Path, name: str) -> str:
    """Return why a model's file cannot be read, as a clause about its folder."""
    place = folder / name
    if place.is_symlink():
        return f"its {name} is a link to {os.readlink(place)}, which is not a file"
    return f"its {name} is not a file" if place.exists() else f"it has no {name}"


class TokenRows:
    """A loaded static model. ``weights`` and ``mapping`` are those of a model with fewer rows than tokens."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelError where the parts of the model do not fit each other."""
        found = read_tensors(folder / WEIGHTS, (*_ROWS, "weights", "mapping"))
        rows = next((found[name] for name in _ROWS if name in found), None)
        if rows is None:
            raise _refused(folder, "it has no rows for tokens")
        self._rows, self._weights, self._mapping = rows, found.get("weights"), found.get("mapping")
        self._tokenizer = _tokenizer(folder)
        self._unknown = _unknown_token(self._tokenizer)
        tokens = 1 + max(self._tokenizer.get_vocab().values(), default=0)
        if problem := _problem(rows, self._weights, self._mapping, tokens):
            raise _refused(folder, problem)

    @property
    def dimensions(self) -> int:
        """Return the width of a row."""
        return int(self._rows.shape[1])

    def rows(self, texts: Sequence[str], most_tokens: int = 0) -> NDArray[np.float32]:
        """Return the sum of the tokens' rows for each text, in order; zeros where no token is known.

        The sum has the direction of the mean. ``most_tokens`` truncates each text to so many tokens.
        """
        import numpy as np

        found = np.zeros((len(texts), self.dimensions), np.float32)
        for place, encoding in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            tokens = encoding.ids[:most_tokens] if most_tokens else encoding.ids
            known = np.array([token for token in tokens if token != self._unknown], np.int64)
            own = self._rows[known if self._mapping is None else self._mapping[known]].astype(np.float32)
            if self._weights is not None:
                own *= self._weights[known].astype(np.float32)[:, None]
            own.sum(axis=0, out=found[place])
        return found

    def question(self, text: str) -> NDArray[np.float32]:
        """Return the one row of a question, which is embedded as any text is."""
        return self.rows([text])

    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _problem(rows: NDArray[Any], weights: NDArray[Any] | None, mapping: NDArray[Any] | None, tokens: int) -> str:
    """Return why the tensors cannot serve a tokenizer of so many tokens; "" where they can."""
    if rows.ndim != 2 or not rows.size or rows.dtype.name not in ("float64", "float32", "float16", "int8"):
        return "its rows are not a matrix of floats or int8"
    if not _are_numbers(rows):
        return "its rows have values that are not numbers"
    if mapping is not None and (mapping.ndim != 1 or mapping.dtype.kind != "i"):
        return "its mapping is not a list of rows"
    if mapping is not None and (mapping.min(initial=0) < 0 or mapping.max(initial=0) >= len(rows)):
        return "its mapping names rows that it does not have"
    if weights is not None and (weights.ndim != 1 or weights.dtype.kind != "f" or not _are_numbers(weights)):
        return "its weights are not a list of numbers"
    known = min(len(part) for part in (rows if mapping is None else mapping, weights) if part is not None)
    return f"its tokenizer has {count(tokens, 'token')}, and rows for {known} of them" if tokens > known else ""


def _are_numbers(values: NDArray[Any]) -> bool:
    """Return whether no value is infinite, no number, or so large that a sum of float32 would overflow."""
    import numpy as np

    return float(np.abs(values).max(initial=0)) < _LARGEST


def _tokenizer(folder: Path) -> Tokenizer:
    """Return the model's tokenizer, which reads as many tokens as the model's settings say, and adds none."""
    from tokenizers import Tokenizer

    if not (folder / TOKENIZER).is_file():
        raise _refused(folder, why_no_file(folder, TOKENIZER))
    try:
        tokenizer: Tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        settings = json.loads((folder / CONFIG).read_text("utf-8")) if (folder / CONFIG).is_file() else {}
        longest = settings.get("max_length", _LONGEST_TOKENS)
        tokenizer.no_padding()
        if longest is None:
            tokenizer.no_truncation()
        else:
            tokenizer.enable_truncation(longest)
    except Exception as error:
        # The library raises bare exceptions.
        raise _refused(folder, f"{TOKENIZER} or {CONFIG}: {' '.join(str(error).split())[:200]}") from error
    return tokenizer


def _refused(folder: Path, why: str) -> ModelError:
    return ModelError(f"The model in {folder} cannot be used ({why}); name another folder.")


def _unknown_token(tokenizer: Tokenizer) -> int | None:
    """Return the id of the token for unknown text, which has no meaning in such a model and is left out."""
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    if model["type"] == "Unigram":
        unknown = model.get("unk_id")
    else:
        unknown = tokenizer.token_to_id(model["unk_token"]) if model.get("unk_token") else None
    return unknown if isinstance(unknown, int) else None
