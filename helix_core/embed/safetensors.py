"""Read the safetensors format: a JSON header that says where each tensor lies, then the tensors' bytes.

Source: the format section of the safetensors documentation. A file may come from anyone, so every place is compared
with the file's size before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Container
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_HEADER_BYTES = 10_000_000
_LENGTH_BYTES = 8
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def tensor_names(path: Path) -> frozenset[str]:
    """Return the names of a file's tensors from its header alone. Raises ModelError for an invalid file."""
    try:
        with path.open("rb") as file:
            start = file.read(_LENGTH_BYTES)
            return frozenset(_header(start + file.read(min(_MOST_HEADER_BYTES, int.from_bytes(start, "little")))))
    except OSError as error:
        raise _unreadable(error) from error


def read_tensors(path: Path, names: Container[str]) -> dict[str, NDArray[Any]]:
    """Return the named tensors that the file has. Raises ModelError for an invalid file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(error) from error
    return {name: _tensor(data, name, about) for name, about in _header(data).items() if name in names}


def float_tensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the float32 tensors by name, as views of ``data``. Raises ModelError for an invalid file."""
    header = _header(data)
    return {name: _tensor(data, name, about) for name, about in header.items() if about.get("dtype") == "F32"}


def _header(data: bytes) -> dict[str, dict[str, Any]]:
    try:
        length = int.from_bytes(data[:_LENGTH_BYTES], "little")
        if not 0 < length <= min(_MOST_HEADER_BYTES, len(data) - _LENGTH_BYTES):
            raise ValueError("header length")
        header: dict[str, Any] = json.loads(data[_LENGTH_BYTES : _LENGTH_BYTES + length])
        if not isinstance(header, dict) or not all(isinstance(about, dict) for about in header.values()):
            raise ValueError("header")
    except (ValueError, RecursionError) as error:
        raise _unreadable(error) from error
    header.pop("__metadata__", None)
    return header


def _tensor(data: bytes, name: str, about: dict[str, Any]) -> NDArray[Any]:
    """Return one tensor as a view of the file's bytes."""
    import numpy as np

    try:
        kind = np.dtype(_TYPES[about["dtype"]])
        start, end = (_size(offset) for offset in about["data_offsets"])
        shape = tuple(_size(size) for size in about["shape"])
        body = memoryview(data)[_LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little") :]
        if not start <= end <= len(body) or end - start != kind.itemsize * prod(shape):
            raise ValueError(f"place of {name}")
        return np.frombuffer(body[start:end], kind).reshape(shape)
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(error) from error


def _size(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r:.40} is not a size")
    return value


def _unreadable(error: Exception) -> ModelError:
    return ModelError(f"The model's weights cannot be read ({str(error)[:200]}); get the file again.")
