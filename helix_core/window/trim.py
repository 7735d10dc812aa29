"""Cut a text to a budget at the borders of its statements or paragraphs, and never break it.

Signatures and what stands around a block stay; of the rest, what speaks of the question comes first. Hidden lines are
named by their numbers in the file, in a comment where the language has one. Code that parsed still parses: the result
is parsed again, and a cut that broke it is not used.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from helix_core.window.keep import Trimmed, stems
from helix_core.window.tokens import Count
from helix_core.window.units import Unit, code_units, faults, marker, paragraphs
from helix_core.words import split_identifier

_MARKER_TOKENS = 14
_TRIED = 6


def trim(
    text: str, language: str, *, start_line: int, terms: Sequence[str], most_tokens: int, count: Count
) -> Trimmed | None:
    """At most ``most_tokens`` of ``text``, whose first line is ``start_line`` (1-based) of its file.

    None when not even what must stay fits.
    """
    if count(text) <= most_tokens:
        return Trimmed(text, 0)
    root = code_units(text, language)
    mark = marker(language, is_code=root is not None)
    if root is not None:
        cut = _Cut(text, root, mark=mark, start_line=start_line, terms=terms, count=count).fit(most_tokens)
        return cut if cut is not None and _is_as_sound(cut.text, text, language) else None
    rough = _Cut(text, paragraphs(text), mark=mark, start_line=start_line, terms=terms, count=count).fit(most_tokens)
    is_text = rough is None or faults(text, language) is None
    return rough if rough is None or is_text or _is_as_sound(rough.text, text, language) else None


def _is_as_sound(cut: str, whole: str, language: str) -> bool:
    """Does the cut parse with no more errors than the whole, which may be a piece of something itself?"""
    now, before = faults(cut, language), faults(whole, language)
    return now is not None and before is not None and now <= before


class _Cut:
    """One text being cut: which units are shown, and what that costs."""

    def __init__(
        self, text: str, root: Unit, *, mark: str, start_line: int, terms: Sequence[str], count: Count
    ) -> None:
        self._lines = text.split("\n")
        self._root, self._mark, self._start_line, self._count = root, mark, start_line, count
        self._stems = stems(terms)
        self._shown: set[int] = set()
        self._order: list[Unit] = []
        self._hidden_lines = 0

    def fit(self, most_tokens: int) -> Trimmed | None:
        """Show what must stay, then unit after unit while the budget lasts."""
        self._show(self._root)
        spent = self._cost(self._root)
        waiting: list[tuple[float, int, Unit]] = []
        tight: list[Unit] = []
        self._offer(self._root, waiting)
        while waiting:
            _, _, unit = heapq.heappop(waiting)
            cost = self._cost(unit)
            if spent + cost > most_tokens:
                tight.append(unit)
                continue
            spent += cost
            self._show(unit)
            self._offer(unit, waiting)
        # Costs of parts add up to a little less or more than the whole.
        while self._count(self._text()) > most_tokens:
            if len(self._order) == 1:
                return None
            self._shown.discard(id(self._order.pop()))
        for unit in tight[:_TRIED]:
            self._show(unit)
            if self._count(self._text()) > most_tokens:
                self._shown.discard(id(self._order.pop()))
        self._hidden_lines = 0
        return Trimmed(self._text(), self._hidden_lines)

    def _show(self, unit: Unit) -> None:
        self._shown.add(id(unit))
        self._order.append(unit)

    def _offer(self, unit: Unit, waiting: list[tuple[float, int, Unit]]) -> None:
        for sequence in unit.sequences:
            for place, inner in enumerate(sequence):
                heapq.heappush(waiting, (-self._worth(inner, place, len(sequence)), inner.first, inner))

    def _worth(self, unit: Unit, place: int, siblings: int) -> float:
        """Words of the question, most of all in its own lines; a first place (a docstring) and a lone one next."""
        own = set(unit.own_lines())
        hits = deep = 0
        for line in range(unit.first, unit.last + 1):
            found = self._hits(self._lines[line])
            hits += found if line in own else 0
            deep = max(deep, found)
        return 2.0 * min(hits, 4) + deep + (1.5 if place == 0 else 0.0) + (1.0 if siblings == 1 else 0.0)

    def _hits(self, line: str) -> int:
        parts = split_identifier(line) if self._stems else []
        return sum(any(part.startswith(stem) for part in parts) for stem in self._stems)

    def _cost(self, unit: Unit) -> int:
        text = "\n".join(self._lines[line] for line in unit.own_lines())
        return self._count(text) + _MARKER_TOKENS * len(unit.sequences)

    def _text(self) -> str:
        shown: list[str] = []
        self._write(self._root, shown)
        return "\n".join(shown)

    def _write(self, unit: Unit, out: list[str]) -> None:
        """The unit's own lines and its shown units in the order of the file, a marker for each run that is hidden."""
        starts = {inner.first: inner for sequence in unit.sequences for inner in sequence}
        line, hidden = unit.first, None
        while line <= unit.last:
            inner = starts.get(line)
            if inner is not None and id(inner) not in self._shown:
                hidden = (hidden[0] if hidden else inner.first, inner.last)
                line = inner.last + 1
                continue
            if hidden is not None and (inner is not None or self._lines[line].strip()):
                out.append(self._stand_in(*hidden))
                hidden = None
            if inner is not None:
                self._write(inner, out)
                line = inner.last + 1
            else:
                if hidden is None:
                    out.append(self._lines[line])
                line += 1
        if hidden is not None:
            out.append(self._stand_in(*hidden))

    def _stand_in(self, first: int, last: int) -> str:
        self._hidden_lines += last - first + 1
        head = self._lines[first]
        indent = head[: len(head) - len(head.lstrip())]
        one, other = self._start_line + first, self._start_line + last
        said = f"line {one} left out" if one == other else f"lines {one}-{other} left out"
        return indent + self._mark.format(said)
