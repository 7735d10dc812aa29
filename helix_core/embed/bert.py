"""BERT's encoder (Devlin et al. 2019) as an ONNX graph, with mean pooling and length one at the end.

Weights become int8, a scale for each output (dynamic quantisation: inputs are quantised as they come), which costs half
the time and a quarter of the file; ``quantised=False`` keeps float32. Fused operators are those of ONNX Runtime
(its ``ContribOperators.md``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helix_core.embed.onnx_file import CONTRIBUTED, Graph
from helix_core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "sentence_embedding"


def bert_file(
    config: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]], *, quantised: bool = True
) -> bytes:
    """The ONNX file. Raises ModelError when the weights are not those of the BERT that ``config`` describes."""
    try:
        return _Bert(config, weights, quantised).file()
    except (KeyError, ValueError, TypeError) as error:
        raise ModelError(f"The model is no BERT encoder as its config says ({error}); choose another one.") from error


class _Bert:
    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]], quantised: bool) -> None:
        if config["model_type"] != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise ValueError("another architecture")
        self._weights = {name.removeprefix("bert."): values for name, values in weights.items()}
        self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        self._width, self._epsilon = int(config["hidden_size"]), float(config["layer_norm_eps"])
        self._quantised = quantised
        self._graph = Graph()

    def file(self) -> bytes:
        """All of it."""
        graph = self._graph
        hidden = self._embedded()
        mask = graph.node("Cast", ["attention_mask"], "mask_int", to=6)
        for number in range(self._layers):
            hidden = self._layer(number, hidden, mask)
        return graph.file("bert", INPUTS, self._pooled(hidden), self._width)

    def _embedded(self) -> str:
        """Token, position and segment, added and normalised."""
        import numpy as np

        graph, prefix = self._graph, "embeddings."
        words = self._looked_up(f"{prefix}word_embeddings.weight")
        shape = graph.node("Shape", ["input_ids"], "shape")
        length = graph.node("Gather", [shape, graph.constant("second", np.array(1, np.int64))], "length")
        zero, one = graph.constant("zero", np.array(0, np.int64)), graph.constant("one", np.array(1, np.int64))
        places = graph.node("Range", [zero, length, one], "places")
        position = graph.node("Gather", [self._weight(f"{prefix}position_embeddings.weight"), places], "position")
        segment = self._weight(f"{prefix}token_type_embeddings.weight")
        kind = graph.node("Gather", [segment, "token_type_ids"], "kind")
        total = graph.node("Add", [graph.node("Add", [words, position], "placed"), kind], "embedded")
        scale, bias = self._weight(f"{prefix}LayerNorm.weight"), self._weight(f"{prefix}LayerNorm.bias")
        return graph.node("LayerNormalization", [total, scale, bias], "hidden_0", axis=-1, epsilon=self._epsilon)

    def _looked_up(self, name: str) -> str:
        if not self._quantised:
            return self._graph.node("Gather", [self._weight(name), "input_ids"], "words")
        import numpy as np

        graph, values = self._graph, self._weights[name]
        kept, scales = _quantised(values, axis=1)
        rows = graph.node("Gather", [graph.constant(name, kept), "input_ids"], "word_rows")
        floats = graph.node("Cast", [rows], "word_floats", to=1)
        by_row = graph.constant(f"{name}.scale", scales.reshape(-1, 1).astype(np.float32))
        return graph.node("Mul", [floats, graph.node("Gather", [by_row, "input_ids"], "word_scales")], "words")

    def _layer(self, number: int, hidden: str, mask: str) -> str:
        import numpy as np

        graph, prefix = self._graph, f"encoder.layer.{number}."
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        weight = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        joined = self._times(f"{prefix}qkv", hidden, weight, bias)
        query, key, value = f"{prefix}q", f"{prefix}k", f"{prefix}v"
        graph.node("Split", [joined], query, key, value, axis=-1)
        attended = graph.node(
            "MultiHeadAttention",
            [query, key, value, "", mask],
            f"{prefix}attended",
            domain=CONTRIBUTED,
            num_heads=self._heads,
        )
        output = self._dense(f"{prefix}attention.output.dense", attended)
        middle = self._normed(f"{prefix}attention.output.LayerNorm", output, hidden)
        wide = self._dense(f"{prefix}intermediate.dense", middle)
        active = graph.node("Gelu", [wide], f"{prefix}active", domain=CONTRIBUTED)
        narrow = self._dense(f"{prefix}output.dense", active)
        return self._normed(f"{prefix}output.LayerNorm", narrow, middle)

    def _dense(self, name: str, hidden: str) -> str:
        return self._times(name, hidden, self._weights[f"{name}.weight"].T, self._weights[f"{name}.bias"])

    def _times(self, name: str, hidden: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        graph = self._graph
        added = graph.constant(f"{name}.b", bias)
        if not self._quantised:
            product = graph.node("MatMul", [hidden, graph.constant(f"{name}.w", weight)], f"{name}.product")
            return graph.node("Add", [product, added], f"{name}.out")
        kept, scales = _quantised(weight, axis=0)
        inputs = [hidden, graph.constant(f"{name}.w", kept), graph.constant(f"{name}.scale", scales), "", added]
        return graph.node("DynamicQuantizeMatMul", inputs, f"{name}.out", domain=CONTRIBUTED)

    def _normed(self, name: str, new: str, old: str) -> str:
        # Added and then normalised, not SkipLayerNormalization: that fused operator of ONNX Runtime's CPU provider goes
        # number by number, and was a quarter of the time of all.
        graph = self._graph
        total = graph.node("Add", [new, old], f"{name}.sum")
        inputs = [total, self._weight(f"{name}.weight"), self._weight(f"{name}.bias")]
        return graph.node("LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=self._epsilon)

    def _pooled(self, hidden: str) -> str:
        """The mean over the tokens that are there, of length one (Reimers & Gurevych 2019, "Sentence-BERT")."""
        import numpy as np

        graph = self._graph
        mask = graph.node("Cast", ["attention_mask"], "mask_float", to=1)
        last, first = (
            graph.constant("last_axis", np.array([2], np.int64)),
            graph.constant("axis_1", np.array([1], np.int64)),
        )
        spread = graph.node("Unsqueeze", [mask, last], "mask_spread")
        total = graph.node("ReduceSum", [graph.node("Mul", [hidden, spread], "kept"), first], "total", keepdims=0)
        count = graph.node("ReduceSum", [spread, first], "count", keepdims=0)
        mean = graph.node("Div", [total, count], "mean")
        return graph.node("LpNormalization", [mean], OUTPUT, axis=1, p=2)

    def _weight(self, name: str) -> str:
        return self._graph.constant(name, self._weights[name])


def _quantised(values: NDArray[np.float32], axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """int8 and the scale along ``axis``: value = int8 x scale."""
    import numpy as np

    scales = np.abs(values).max(axis=axis, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    return np.round(values / scales).astype(np.int8), scales.reshape(-1).astype(np.float32)
