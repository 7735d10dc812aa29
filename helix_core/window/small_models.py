"""Models that do better with facts first: few parameters, or a mixture of experts. Recognised by name alone. Pure."""

from __future__ import annotations

import re

SMALL_BILLIONS = 10.0
# "e" counts effective parameters (gemma 3n's e4b).
_SIZE = re.compile(r"(?:^|[-_:/ ])(?:e|a)?(\d{1,4}(?:\.\d{1,2})?)b(?![a-z0-9])", re.IGNORECASE)
_MIXTURE = re.compile(
    r"moe|mixtral|\d+x\d+b|-a\d+(?:\.\d+)?b|gemma4|qwen3\.?5?-next|gpt-oss|deepseek-v[23]", re.IGNORECASE
)


def is_small(model: str) -> bool:
    """Does the name say at most ten billion parameters, or a mixture of experts? Unknown names do not."""
    if not model:
        return False
    if _MIXTURE.search(model):
        return True
    sizes = [float(size) for size in _SIZE.findall(model)]
    return bool(sizes) and min(sizes) <= SMALL_BILLIONS
