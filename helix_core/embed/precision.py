"""How vectors are kept: int8 where there are few (outlines), one bit a dimension where there are many (chunks).

int8: a vector's own largest value becomes 127; only the direction is kept, which is all that cosine looks at.
Bits: the sign of each dimension, the first dimension in the highest bit of the first byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def as_int8(vectors: NDArray[np.float32]) -> list[bytes]:
    """Each row as ``dimensions`` bytes."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True) if len(vectors) else vectors
    scaled = np.round(vectors * (127 / np.where(largest > 0, largest, 1)))
    return [row.tobytes() for row in scaled.astype(np.int8)]


def as_bits(vectors: NDArray[np.float32]) -> list[bytes]:
    """Each row as ``dimensions / 8`` bytes."""
    import numpy as np

    return [row.tobytes() for row in np.packbits(vectors > 0, axis=1)]
