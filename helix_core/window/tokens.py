"""Estimate the number of tokens of a text without the model's tokenizer.

Fitted on 600 files in 20 languages against the larger of OpenAI's cl100k and o200k counts: with its margin it is at or
above the true count of 592 of them, and a fifth above it in the median.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Count = Callable[[str], int]
"""Returns an upper bound of a text's tokens, so that a budget holds."""

MARGIN = 1.17
_LONG_WORD = 7
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\x00-\x7f]+|[!-/:-@\[-`{-~]+|[ \t]{2,}|\n+")


def estimate(text: str) -> int:
    """Return the estimated tokens, rounded up: words, long words, digits by three, line ends, punctuation, other
    scripts.
    """
    cost = 1.0
    for match in _RUN.finditer(text):
        run = match[0]
        first = run[0]
        if not first.isascii():
            cost += 0.7 * len(run.encode("utf-8", "replace"))
        elif first.isalpha():
            cost += 0.9 + 0.25 * max(0, len(run) - _LONG_WORD)
        elif first.isdigit():
            cost += 1.7 * ((len(run) + 2) // 3)
        elif first == "\n":
            cost += 1.6
        elif first not in " \t":
            cost += 0.57 + 0.3 * (len(run) - 1)
    return int(cost * MARGIN) + 1
