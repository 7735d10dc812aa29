"""Estimate the number of tokens of a text without the model's tokenizer.

Fitted on 600 files in 20 languages against the larger of OpenAI's cl100k and o200k counts: with its margin it is at or
above the true count of 592 of them, and a fifth above it in the median.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

Count = Callable[[str], int]
"""Returns an upper bound of a text's tokens, so that a budget holds."""

MARGIN_PERCENT = 117
_LONG_WORD = 7
_CACHED_LINES, _LONGEST_CACHED = 16_384, 200
_CACHED_RUNS = 8_192
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\x00-\x7f]+|[!-/:-@\[-`{-~]+")


def estimate(text: str) -> int:
    """Return the estimated tokens, rounded up: words, long words, digits by three, line ends, punctuation, other
    scripts.
    """
    lines = text.split("\n")
    is_short = len(text) <= _LONGEST_CACHED or max(map(len, lines)) <= _LONGEST_CACHED
    cost = sum(map(_cached_cost, lines)) if is_short else sum(map(_cost_of_any, lines))
    # Line ends in a row count once: an empty line between two others ends none.
    ends = len(lines) - 1 - lines[1:-1].count("")
    return (100 + 160 * ends + cost) * MARGIN_PERCENT // 10_000 + 1


def _cost(line: str) -> int:
    """Return the estimated tokens of a line without its end, in hundredths."""
    return sum(map(_cost_of_run, _RUN.findall(line)))


@lru_cache(_CACHED_RUNS)
def _cost_of_run(run: str) -> int:
    """Return the estimated tokens of one match of ``_RUN``, in hundredths: a text has few different ones."""
    first = run[0]
    if not first.isascii():
        return 70 * len(run.encode("utf-8", "replace"))
    if first.isalpha():
        return 90 + 25 * max(0, len(run) - _LONG_WORD)
    if first.isdigit():
        return 170 * ((len(run) + 2) // 3)
    return 57 + 30 * (len(run) - 1)


# Trimming counts the same lines again with each unit it tries.
_cached_cost = lru_cache(_CACHED_LINES)(_cost)


def _cost_of_any(line: str) -> int:
    return _cached_cost(line) if len(line) <= _LONGEST_CACHED else _cost(line)
