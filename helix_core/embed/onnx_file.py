"""Write an ONNX file without the onnx package: the few protobuf messages a graph of tensors needs.

Field numbers are those of ``onnx.proto`` (ONNX IR version 8); protobuf's wire format is varints and lengths.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

IR_VERSION = 8
OPSET = 17
CONTRIBUTED = "com.microsoft"
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_FLOAT_ATTRIBUTE, _INT_ATTRIBUTE, _INTS_ATTRIBUTE = 1, 2, 7


@dataclass(slots=True)
class Graph:
    """A graph in the making: nodes in order of evaluation, and constant tensors."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """A tensor of its own; gives its name back."""
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
        """An operator's call; gives the name of its first output."""
        parts = [*(_text(1, name) for name in inputs), *(_text(2, name) for name in (output, *more))]
        parts += [_text(3, f"{operator}_{len(self.nodes)}"), _text(4, operator)]
        parts += [_bytes(5, _attribute(name, value)) for name, value in options.items()]
        self.nodes.append(b"".join([*parts, _text(7, domain)]))
        return output

    def file(self, name: str, inputs: Iterable[str], output: str, dimensions: int) -> bytes:
        """The whole model: int64 inputs of (batch, sequence), one float32 output of (batch, dimensions)."""
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
