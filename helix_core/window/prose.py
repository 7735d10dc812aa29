"""Condense prose with an external function; its result is used only if every line of it is in the prose. Pure."""

from __future__ import annotations

from collections.abc import Callable

from helix_core.tokens import Count
from helix_core.window.logs import Trimmed

Condense = Callable[[str, float], str]
"""Shortens a text to a share of it (0..1)."""
PROSE = frozenset({"markdown", "rst", "text", "tex"})
LEAST_TOKENS = 200
"""Least length of prose to condense, in characters; shorter prose is trimmed by paragraphs."""
_NOTE = "[condensed: {shown} of {all} lines, whole sentences in their order]"
_SLACK = 0.85
_SENTENCE_ENDS = ".!?:;"


def condensed(text: str, most_tokens: int, count: Count, condense: Condense) -> Trimmed | None:
    """Return ``text`` condensed to at most ``most_tokens`` and marked as such.

    None where it is too short or contains code, where the result is too long, and where the result is not whole
    sentences of the text in their order.
    """
    whole = count(text)
    if whole < LEAST_TOKENS or most_tokens < LEAST_TOKENS // 2 or holds_code(text):
        return None
    lines = _full(text)
    room = most_tokens - count(_NOTE.format(shown=lines, all=lines)) - 1
    made = condense(text, max(0.0, min(1.0, _SLACK * room / whole)))
    if not made.strip() or not is_extract(made, text):
        return None
    shown = min(_full(made), lines)
    said = f"{_NOTE.format(shown=shown, all=lines)}\n{made}"
    return Trimmed(said, max(lines - shown, 1)) if count(said) <= most_tokens else None


def holds_code(text: str) -> bool:
    """Return whether the text contains a fence, a prompt, a literal block or a deep indent."""
    return any(
        line.startswith(("    ", "\t", ".. "))
        or line.lstrip().startswith(("```", "~~~", ">>>", "$ "))
        or line.rstrip().endswith("::")
        for line in text.split("\n")
    )


def is_extract(short: str, long: str) -> bool:
    """Return whether each line of ``short`` is whole sentences or lines of ``long``, ignoring blanks, in their
    order.
    """
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
    """Return the text on one line, and the offsets of its line borders."""
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
