"""A log as what it says: repeats told once with their number, stack traces at their ends, errors before the rest. Pure.

Every line that is shown is a line of the log; what stands for others says so in brackets, with their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.window.keep import Trimmed, between, kept, stems
from helix_core.window.tokens import Count

SAME_RUN = 3
"""So many lines alike, one after the other, are folded."""
LONGEST_CYCLE = 4
FRAMES_KEPT = (2, 3)
ENDS_KEPT = (3, 5)
_VARIES = re.compile(r"[0-9]+")
_BAD = ("error", "fatal", "panic", "exception", "critical", "traceback", "fail", "assert", "denied", "abort")
_DOUBTFUL = ("warn", "timeout", "retry", "refused", "caused by")
_LEVELS = ("debug", "info", "warn", "warning", "error", "fatal", "critical", "trace", "notice")
_SNIFFED = 40


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of the lines from ``first`` to ``last``: the one line there is, or what stands for them."""

    said: str
    first: int
    last: int
    is_line: bool = True


def looks_like_log(text: str) -> bool:
    """Do most of its first lines begin with a time, or a level?"""
    head = [line for line in text.split("\n", 4 * _SNIFFED)[: 4 * _SNIFFED] if line.strip()][:_SNIFFED]
    return len(head) >= 4 and 2 * sum(map(_begins_an_entry, head)) > len(head)


def condense(text: str, *, start_line: int, terms: Sequence[str], most_tokens: int, count: Count) -> Trimmed | None:
    """A log, folded; and where that is still more than ``most_tokens``, its errors, its ends and what is asked for.

    ``start_line`` is the number of the text's first line (1-based). None when not one line fits.
    """
    lines = text.split("\n")
    folded = _folded(lines, start_line)
    said = [one.said for one in folded]
    if count(whole := "\n".join(said)) <= most_tokens:
        return Trimmed(whole, len(lines) - sum(one.is_line for one in folded))
    made = kept(
        said,
        _ranks(said, stems(terms)),
        most_tokens,
        count,
        lambda first, last: f"[{between(start_line, folded[first].first, folded[last].last)} left out]",
    )
    if made is None:
        return None
    return Trimmed(made[0], len(lines) - sum(folded[number].is_line for number in made[1]))


def _begins_an_entry(line: str) -> bool:
    head = line.lstrip("[(<| ")[:32].lower()
    digits = sum(char.isdigit() for char in head[:20])
    return (head[:1].isdigit() and digits >= 4) or any(head.startswith(level) for level in _LEVELS)


def _shape(line: str) -> str:
    return _VARIES.sub("0", line.strip())


def _folded(lines: Sequence[str], start_line: int) -> list[_Told]:
    """The lines as they are, or what stands for several of them."""
    shapes = [_shape(line) for line in lines]
    ends = _indented_until(lines)
    out: list[_Told] = []
    at = 0
    while at < len(lines):
        cycle, again = _repeats(shapes, at)
        frames = ends[at] - at if any(map(_is_frame, lines[at : min(at + 2, ends[at])])) else 0
        if frames > sum(FRAMES_KEPT) + 1:
            head, tail = FRAMES_KEPT
            first, last = at + head, at + frames - tail - 1
            out += [_Told(lines[line], line, line) for line in range(at, first)]
            said = f"[{between(start_line, first, last)}: the middle of the trace, left out]"
            out.append(_Told(said, first, last, is_line=False))
            out += [_Told(lines[line], line, line) for line in range(last + 1, at + frames)]
            at += frames
        elif again:
            out += [_Told(lines[line], line, line) for line in range(at, at + cycle)]
            first, last = at + cycle, at + cycle * (again + 1) - 1
            same = all(lines[line] == lines[line - cycle] for line in range(first, last + 1))
            above = "the line above" if cycle == 1 else f"the {cycle} lines above"
            how = "" if same else ", but for numbers"
            said = f"[{between(start_line, first, last)}: {above}, {again} times more{how}]"
            out.append(_Told(said, first, last, is_line=False))
            at = last + 1
        else:
            out.append(_Told(lines[at], at, at))
            at += 1
    return out


def _repeats(shapes: Sequence[str], at: int) -> tuple[int, int]:
    """The shortest cycle of lines alike that begins here, and how often it comes again; 0 where that is not enough."""
    if not shapes[at]:
        return 1, 0
    for cycle in range(1, LONGEST_CYCLE + 1):
        end = at + cycle
        while end < len(shapes) and shapes[end] == shapes[end - cycle]:
            end += 1
        again = (end - at) // cycle - 1
        if again >= SAME_RUN - 1:
            return cycle, again
    return 1, 0


def _indented_until(lines: Sequence[str]) -> list[int]:
    """For each line where the run of indented lines that it is in ends, itself where it is in none: found in one pass,
    for a log may be nothing else. Such a run is a stack trace where it begins with lines that name places.
    """
    ends = list(range(len(lines)))
    for number in range(len(lines) - 1, -1, -1):
        if lines[number][:1] in (" ", "\t") and lines[number].strip():
            ends[number] = max(number + 1, ends[number + 1] if number + 1 < len(lines) else 0)
    return ends


def _is_frame(line: str) -> bool:
    bare = line.strip()
    return bare.startswith(("at ", 'File "', "#", "from ")) or ".go:" in bare or ".rs:" in bare


def _ranks(lines: Sequence[str], asked: Sequence[str]) -> list[tuple[float, ...]]:
    """What goes wrong first, with what is asked for; then both ends, what is said for the first time, and the rest."""
    seen: set[str] = set()
    ranks: list[tuple[float, ...]] = []
    for number, line in enumerate(lines):
        low = line.lower()
        hits = min(3, sum(stem in low for stem in asked))
        shape = _shape(line)
        is_end = number < ENDS_KEPT[0] or number >= len(lines) - ENDS_KEPT[1]
        if any(word in low for word in _BAD):
            rank = 1.0
        elif is_end:
            rank = 2.0
        elif any(word in low for word in _DOUBTFUL):
            rank = 3.0
        else:
            rank = 5.0
        ranks.append((rank - hits + (1.5 if shape in seen else 0.0),))
        seen.add(shape)
    return ranks
