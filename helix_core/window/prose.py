"""Prose in fewer words, by whoever can do that; taken only where every line of it is a line of the prose. Pure."""

from __future__ import annotations

from collections.abc import Callable

from helix_core.window.logs import Trimmed
from helix_core.window.tokens import Count

Condense = Callable[[str, float], str]
"""A text, and the share of it to keep (0..1) → a shorter text."""
PROSE = frozenset({"markdown", "rst", "text", "tex"})
LEAST_TOKENS = 200
"""Shorter prose is left to be cut by paragraphs."""
_NOTE = "[condensed: {shown} of {all} lines, whole sentences in their order]"
_SLACK = 0.85
_SENTENCE_ENDS = ".!?:;"


def condensed(text: str, most_tokens: int, count: Count, condense: Condense) -> Trimmed | None:
    """``text`` condensed to at most ``most_tokens`` and marked so.

    None where it is too short for that or holds code, where what came back is too long, and where it says anything the
    text does not say in whole sentences and in that order.
    """
    whole = count(text)
    if whole < LEAST_TOKENS or most_tokens < LEAST_TOKENS // 2 or holds_code(text):
        return None
    lines = _full(text)
    room = most_tokens - count(_NOTE.format(shown=lines, all=lines)) - 1
    made = condense(text, max(0.0, min(1.0, _SLACK * room / whole)))
    if not made.strip() or not says_nothing_else(made, text):
        return None
    shown = min(_full(made), lines)
    said = f"{_NOTE.format(shown=shown, all=lines)}\n{made}"
    return Trimmed(said, max(lines - shown, 1)) if count(said) <= most_tokens else None


def holds_code(text: str) -> bool:
    """Is there a fence, a prompt, a literal block or a deep indent in it?"""
    return any(
        line.startswith(("    ", "\t", ".. "))
        or line.lstrip().startswith(("```", "~~~", ">>>", "$ "))
        or line.rstrip().endswith("::")
        for line in text.split("\n")
    )


def says_nothing_else(short: str, long: str) -> bool:
    """Is each line of ``short`` whole sentences or lines of ``long``, but for blanks, behind the one before it?"""
    source, borders = _flat(long)
    at = 0
    for line in short.split("\n"):
        words = " ".join(line.split())
        found = source.find(words, at)
        while found >= 0 and not (
            _is_border(source, borders, found) and _is_border(source, borders, found + len(words))
        ):
            found = source.find(words, found + 1)
        if found < 0:
            return False
        at = found + len(words)
    return True


def _flat(text: str) -> tuple[str, frozenset[int]]:
    """The text on one line, and where its lines began and ended."""
    parts: list[str] = []
    borders, at = {0}, 0
    for line in text.split("\n"):
        if words := " ".join(line.split()):
            parts.append(words)
            borders |= {at, at + len(words)}
            at += len(words) + 1
    return " ".join(parts), frozenset(borders)


def _is_border(source: str, borders: frozenset[int], at: int) -> bool:
    return at in borders or source[max(at - 2, 0) : at].rstrip(" ")[-1:] in _SENTENCE_ENDS


def _full(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())
