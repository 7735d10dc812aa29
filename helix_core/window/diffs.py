"""A diff as what it changes: heads of files and hunks, the lines that change, then what stands around them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.window.keep import Trimmed, between, kept, stems
from helix_core.window.tokens import Count

_FILE_HEADS = ("diff ", "--- ", "+++ ", "rename ", "new file", "deleted file", "similarity ", "Binary files")
_FARTHEST = 4


def looks_like_diff(text: str) -> bool:
    """Does it begin as a diff or a mailed commit does, and have a hunk's head? A page that shows one does not."""
    head = text.lstrip("\n")
    begins = head.startswith(("diff ", "--- ", "@@ -", "Index: ", "commit ", "From "))
    return begins and any(line.startswith(("@@ -", "@@@ -")) for line in head.split("\n", 400)[:400])


def condense(text: str, *, start_line: int, terms: Sequence[str], most_tokens: int, count: Count) -> Trimmed | None:
    """At most ``most_tokens`` of a diff; what is left out is named with how many changed lines are in it.

    ``start_line`` is the number of the text's first line (1-based). None when not one line fits.
    """
    if count(text) <= most_tokens:
        return Trimmed(text, 0)
    lines = text.split("\n")
    kinds = _kinds(lines)

    def say(first: int, last: int) -> str:
        changed = sum(kind == "changed" for kind in kinds[first : last + 1])
        inside = f", {changed} changed" if changed else ""
        return f"[{between(start_line, first, last)} left out{inside}]"

    made = kept(lines, _ranks(lines, kinds, stems(terms)), most_tokens, count, say)
    return Trimmed(made[0], len(lines) - len(made[1])) if made is not None else None


def _kinds(lines: Sequence[str]) -> list[str]:
    """``file``, ``hunk``, ``changed`` or ``context`` for each line. Inside a hunk ``---`` may be a removed ``--``."""
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


def _ranks(lines: Sequence[str], kinds: Sequence[str], asked: Sequence[str]) -> list[tuple[float, ...]]:
    """Heads, then changes, those of hunks that speak of the question first, then context by how near a change it is."""
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
    """How many lines each is from the nearest change."""
    far = len(kinds)
    distances = [far] * len(kinds)
    for order in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):
        last = -far
        for number in order:
            if kinds[number] == "changed":
                last = number
            distances[number] = min(distances[number], abs(number - last) if last != -far else far)
    return distances
