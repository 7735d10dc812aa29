"""One text, made to fit: code and data at their borders, logs and diffs by their own rules, prose condensed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.window import diffs, logs
from helix_core.window.keep import Trimmed
from helix_core.window.prose import PROSE, Condense, condensed
from helix_core.window.tokens import Count
from helix_core.window.trim import trim

_DIFFS = (".diff", ".patch")
_LOGS = (".log",)


def fit(
    text: str,
    language: str,
    *,
    name: str,
    start_line: int,
    terms: Sequence[str],
    most_tokens: int,
    count: Count,
    condense: Condense | None = None,
) -> Trimmed | None:
    """At most ``most_tokens`` of ``text``, the lines of a source called ``name`` from ``start_line`` (1-based) on.

    ``condense`` shortens prose where it is given; never code. None when not even what must stay fits.
    """
    kind = kind_of(text, language, name)
    if kind == "diff":
        return diffs.condense(text, start_line=start_line, terms=terms, most_tokens=most_tokens, count=count)
    if kind == "log":
        return logs.condense(text, start_line=start_line, terms=terms, most_tokens=most_tokens, count=count)
    if condense is not None and kind == "prose" and count(text) > most_tokens:
        shorter = condensed(text, most_tokens, count, condense)
        if shorter is not None:
            return shorter
    return trim(text, language, start_line=start_line, terms=terms, most_tokens=most_tokens, count=count)


def kind_of(text: str, language: str, name: str) -> str:
    """``diff``, ``log``, ``prose``, or ``code`` for all the rest: by its name, else, for plain text, by its look."""
    low = name.lower()
    if low.endswith(_DIFFS):
        return "diff"
    if language == "log" or low.endswith(_LOGS):
        return "log"
    if language in PROSE or not language:
        if diffs.looks_like_diff(text):
            return "diff"
        if logs.looks_like_log(text):
            return "log"
    return "prose" if language in PROSE else "code"
