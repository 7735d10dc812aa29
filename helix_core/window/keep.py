"""Keep the lines of a text that matter most, in their order, as many as a budget holds; say what is not there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helix_core.window.tokens import Count

Say = Callable[[int, int], str]
"""The line that stands for the lines from one to another (0-based, inclusive)."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The text that fits, and how many of its lines were hidden."""

    text: str
    hidden_lines: int


def kept(
    lines: Sequence[str], ranks: Sequence[tuple[float, ...]], most_tokens: int, count: Count, say: Say
) -> tuple[str, frozenset[int]] | None:
    """The lines of lowest rank that fit ``most_tokens``, whatever is between them told by ``say``, and which they are.

    ``ranks`` has one for each line, equal ones in the order of the text. None when not one line fits.
    """
    order = sorted(range(len(lines)), key=lambda line: (ranks[line], line))
    low, high, best = 1, len(order), None
    while low <= high:
        middle = (low + high) // 2
        shown = frozenset(order[:middle])
        text = _rendered(lines, shown, say)
        if count(text) <= most_tokens:
            best, low = (text, shown), middle + 1
        else:
            high = middle - 1
    return best


def _rendered(lines: Sequence[str], shown: frozenset[int], say: Say) -> str:
    out: list[str] = []
    first = -1
    for number, line in enumerate(lines):
        if number not in shown:
            first = number if first < 0 else first
            continue
        if first >= 0:
            out.append(say(first, number - 1))
            first = -1
        out.append(line)
    if first >= 0:
        out.append(say(first, len(lines) - 1))
    return "\n".join(out)


def between(start_line: int, first: int, last: int) -> str:
    """How a run of lines is called by its numbers in the file, whose line ``start_line`` is line 0 of the text."""
    one, other = start_line + first, start_line + last
    return f"line {one}" if one == other else f"lines {one}-{other}"


def stems(terms: Sequence[str]) -> tuple[str, ...]:
    """The words of a question as what the words of an answer begin with."""
    return tuple({term.lower()[: max(4, len(term) - 2)] for term in terms if term})
