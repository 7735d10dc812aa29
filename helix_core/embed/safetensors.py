"""Tensors out of a safetensors file: eight bytes of length, a JSON header, the numbers.

The file is somebody else's: every offset and shape is checked before it is believed.
"""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Any

from helix_core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_HEADER_BYTES = 10_000_000


def float_tensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors by name, as views of ``data``. Raises ModelError for a file that is not what it should be."""
    import numpy as np

    try:
        length = int.from_bytes(data[:8], "little")
        if not 0 < length <= min(_MOST_HEADER_BYTES, len(data) - 8):
            raise ValueError("header length")
        header: dict[str, Any] = json.loads(data[8 : 8 + length])
        body = memoryview(data)[8 + length :]
        found: dict[str, NDArray[np.float32]] = {}
        for name, about in header.items():
            if name == "__metadata__" or about["dtype"] != "F32":
                continue
            start, end = (int(offset) for offset in about["data_offsets"])
            shape = tuple(int(size) for size in about["shape"])
            if not 0 <= start <= end <= len(body) or min(shape, default=1) < 0 or end - start != 4 * prod(shape):
                raise ValueError(f"place of {name}")
            found[name] = np.frombuffer(body[start:end], "<f4").reshape(shape)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"The model's weights cannot be read ({error}); get the file again.") from error
    return found
