"""Shorten logs and diffs: fold repeated lines, keep the ends of stack traces and the changed lines of hunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helix_core.printable import count
from helix_core.tokens import Count

GapText = Callable[[int, int], str]
"""Returns the placeholder for a range of lines (0-based, inclusive)."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The text that fits, and the number of hidden lines."""

    text: str
    hidden_lines: int


def fitting_lines(
    lines: Sequence[str], ranks: Sequence[tuple[float, ...]], most_tokens: int, count: Count, gap_text: GapText
) -> tuple[str, frozenset[int]] | None:
    """Return the lines of lowest rank that fit ``most_tokens``, gaps written by ``gap_text``, and their indices.

    ``ranks`` has one for each line, equal ones in text order. None when not one line fits.
    """
    order = sorted(range(len(lines)), key=lambda line: (ranks[line], line))
    low, high, best = 1, len(order), None
    while low <= high:
        middle = (low + high) // 2
        shown = frozenset(order[:middle])
        text = _rendered(lines, shown, gap_text)
        if count(text) <= most_tokens:
            best, low = (text, shown), middle + 1
        else:
            high = middle - 1
    return best


def _rendered(lines: Sequence[str], shown: frozenset[int], gap_text: GapText) -> str:
    out: list[str] = []
    first = -1
    for number, line in enumerate(lines):
        if number not in shown:
            first = number if first < 0 else first
            continue
        if first >= 0:
            out.append(gap_text(first, number - 1))
            first = -1
        out.append(line)
    if first >= 0:
        out.append(gap_text(first, len(lines) - 1))
    return "\n".join(out)


def between(start_line: int, first: int, last: int) -> str:
    """Return the range of lines in the file, whose line ``start_line`` is line 0 of the text."""
    one, other = start_line + first, start_line + last
    return f"line {one}" if one == other else f"lines {one}-{other}"


def stems(terms: Sequence[str]) -> tuple[str, ...]:
    """Return the question's words as prefixes to match in the answer."""
    return tuple({term.lower()[: max(4, len(term) - 2)] for term in terms if term})


SAME_RUN = 3
"""Least number of consecutive equal-shaped lines to fold."""
LONGEST_CYCLE = 4
FRAMES_KEPT = (2, 3)
ENDS_KEPT = (3, 5)
_VARIES = re.compile(r"[0-9]+")
_BAD = ("error", "fatal", "panic", "exception", "critical", "traceback", "fail", "assert", "denied", "abort")
_DOUBTFUL = ("warn", "timeout", "retry", "refused", "caused by")
_LEVELS = ("debug", "info", "warn", "warning", "error", "fatal", "critical", "trace", "notice")
_SNIFFED = 40


@dataclass(frozen=True, slots=True)
class _FoldedLine:
    """The line at ``first``, or the placeholder for the lines from ``first`` to ``last``."""

    said: str
    first: int
    last: int
    is_line: bool = True


def looks_like_log(text: str) -> bool:
    """Return whether most of its first lines start with a time or a level."""
    head = [line for line in text.split("\n", 4 * _SNIFFED)[: 4 * _SNIFFED] if line.strip()][:_SNIFFED]
    return len(head) >= 4 and 2 * sum(map(_begins_an_entry, head)) > len(head)


def condense_log(text: str, *, start_line: int, terms: Sequence[str], most_tokens: int, count: Count) -> Trimmed | None:
    """Fold a log; if it still exceeds ``most_tokens``, keep errors, both ends and the question's words.

    ``start_line`` is the number of the text's first line (1-based). None when not one line fits.
    """
    lines = text.split("\n")
    folded = _folded(lines, start_line)
    parts = [one.said for one in folded]
    if count(whole := "\n".join(parts)) <= most_tokens:
        return Trimmed(whole, len(lines) - sum(one.is_line for one in folded))
    made = fitting_lines(
        parts,
        _ranks(parts, stems(terms)),
        most_tokens,
        count,
        lambda first, last: f"[{between(start_line, folded[first].first, folded[last].last)} left out]",
    )
    if made is None:
        return None
    return Trimmed(made[0], len(lines) - sum(folded[number].is_line for number in made[1]))


def _begins_an_entry(line: str) -> bool:
    head = line.lstrip("[(<| ")[:32].lower()
    if head[:1].isdigit() and sum(map(str.isdigit, head[:20])) >= 4:
        return True
    return head.startswith(_LEVELS)


def _shape(line: str) -> str:
    return _VARIES.sub("0", line.strip())


def _folded(lines: Sequence[str], start_line: int) -> list[_FoldedLine]:
    """Return the lines, with repeated runs and stack traces folded."""
    shapes = [_shape(line) for line in lines]
    ends = _indented_until(lines)
    out: list[_FoldedLine] = []
    at = 0
    while at < len(lines):
        cycle, again = _repeats(shapes, at)
        frames = ends[at] - at if any(map(_is_frame, lines[at : min(at + 2, ends[at])])) else 0
        if frames > sum(FRAMES_KEPT) + 1:
            head, tail = FRAMES_KEPT
            first, last = at + head, at + frames - tail - 1
            out += [_FoldedLine(lines[line], line, line) for line in range(at, first)]
            summary = f"[{between(start_line, first, last)}: the middle of the trace, left out]"
            out.append(_FoldedLine(summary, first, last, is_line=False))
            out += [_FoldedLine(lines[line], line, line) for line in range(last + 1, at + frames)]
            at += frames
        elif again:
            out += [_FoldedLine(lines[line], line, line) for line in range(at, at + cycle)]
            first, last = at + cycle, at + cycle * (again + 1) - 1
            same = all(lines[line] == lines[line - cycle] for line in range(first, last + 1))
            above = "the line above" if cycle == 1 else f"the {cycle} lines above"
            how = "" if same else ", but for numbers"
            summary = f"[{between(start_line, first, last)}: {above}, {count(again, 'time')} more{how}]"
            out.append(_FoldedLine(summary, first, last, is_line=False))
            at = last + 1
        else:
            out.append(_FoldedLine(lines[at], at, at))
            at += 1
    return out


def _repeats(shapes: Sequence[str], at: int) -> tuple[int, int]:
    """Return the shortest cycle of equal-shaped lines that starts here, and its number of repetitions; 0 below the
    threshold.
    """
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
    """Return, for each line, the end of its run of indented lines, or itself; one linear pass, because a log may be
    a single run. A run that starts with lines that name source locations is a stack trace.
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
    """Rank lines: errors with the question's words first; then both ends, first occurrences, and the rest."""
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


_FILE_HEADS = ("diff ", "--- ", "+++ ", "rename ", "new file", "deleted file", "similarity ", "Binary files")
_FARTHEST = 4


def looks_like_diff(text: str) -> bool:
    """Return whether the text starts like a diff or a mailed commit and has a hunk header."""
    head = text.lstrip("\n")
    begins = head.startswith(("diff ", "--- ", "@@ -", "Index: ", "commit ", "From "))
    return begins and any(line.startswith(("@@ -", "@@@ -")) for line in head.split("\n", 400)[:400])


def condense_diff(
    text: str, *, start_line: int, terms: Sequence[str], most_tokens: int, count: Count
) -> Trimmed | None:
    """Trim a diff to at most ``most_tokens``; gaps are written with their number of changed lines.

    ``start_line`` is the number of the text's first line (1-based). None when not one line fits.
    """
    if count(text) <= most_tokens:
        return Trimmed(text, 0)
    lines = text.split("\n")
    kinds = _kinds(lines)

    def gap_text(first: int, last: int) -> str:
        changed = sum(kind == "changed" for kind in kinds[first : last + 1])
        inside = f", {changed} changed" if changed else ""
        return f"[{between(start_line, first, last)} left out{inside}]"

    made = fitting_lines(lines, _diff_ranks(lines, kinds, stems(terms)), most_tokens, count, gap_text)
    return Trimmed(made[0], len(lines) - len(made[1])) if made is not None else None


def _kinds(lines: Sequence[str]) -> list[str]:
    """Classify each line as ``file``, ``hunk``, ``changed`` or ``context``. Inside a hunk ``---`` may be a removed
    ``--``.
    """
    kinds: list[str] = []
    in_hunk = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        begins_file = line.startswith("diff ") or (line.startswith("--- ") and following.startswith("+++ "))
        if begins_file:
            in_hunk = False
        if line.startswith("@@"):
            in_hunk = True
            kinds.append("hunk")
        elif not in_hunk and line.startswith(_FILE_HEADS):
            kinds.append("file")
        elif in_hunk and line[:1] in ("+", "-"):
            kinds.append("changed")
        else:
            kinds.append("context")
    return kinds


def _diff_ranks(lines: Sequence[str], kinds: Sequence[str], asked: Sequence[str]) -> list[tuple[float, ...]]:
    """Rank headers first, then changes, in hunks with the question's words first, then context by distance from a
    change.
    """
    hunk_hits: list[int] = []
    at = 0
    hunk = [0] * len(lines)
    for number, kind in enumerate(kinds):
        if kind in ("hunk", "file"):
            hunk_hits.append(0)
            at = len(hunk_hits) - 1
        elif not hunk_hits:
            hunk_hits.append(0)
        hunk[number] = at
        hunk_hits[at] += sum(stem in lines[number].lower() for stem in asked)
    distances = _distances(kinds)
    ranks: list[tuple[float, ...]] = []
    for number, kind in enumerate(kinds):
        hits = -float(min(5, hunk_hits[hunk[number]]))
        if kind == "file":
            ranks.append((0.0, 0.0))
        elif kind == "hunk":
            ranks.append((1.0, hits))
        elif kind == "changed":
            ranks.append((2.0, hits))
        else:
            ranks.append((2.0 + min(distances[number], _FARTHEST), hits))
    return ranks


def _distances(kinds: Sequence[str]) -> list[int]:
    """Return each line's distance from the nearest change, in lines."""
    far = len(kinds)
    distances = [far] * len(kinds)
    for order in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):
        last = -far
        for number in order:
            if kinds[number] == "changed":
                last = number
            distances[number] = min(distances[number], abs(number - last) if last != -far else far)
    return distances
