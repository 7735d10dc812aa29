"""Trim one text to a budget at the borders of statements, entries or paragraphs, so that it still parses."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import tree_sitter

from helix_core.ingest import Deadline, is_worth_parsing, load, parse, time_for
from helix_core.ingest.languages import LANGUAGES
from helix_core.tokens import Count
from helix_core.window.logs import Trimmed, condense_diff, condense_log, looks_like_diff, looks_like_log, stems
from helix_core.window.prose import PROSE, Condense, condensed
from helix_core.words import lazy_pattern, split_identifier

DEEPEST = 24
LONGEST_PARAGRAPH = 12
_SEQUENCE_WORDS = """
module block program statement_block class_body switch_body interface_body compound_statement declaration_list
field_declaration_list translation_unit source_file statement_list statements function_body enum_class_body
protocol_body constructor_body template_body indented_block body_statement block_body do_block chunk do_group
stylesheet switch_block match_block preproc_ifdef preproc_if preproc_else
document element table table_array_element object array block_mapping block_sequence
"""
_SEQUENCES = frozenset(_SEQUENCE_WORDS.split())
STAND_IN = lazy_pattern(r"\blines? \d+(?:-\d+)? left out\b", cues="left out")
"""What stands for hidden lines."""
# Children of a sequence that are its delimiters.
_FRAME = frozenset({"start_tag", "end_tag", "doctype", "bare_key", "dotted_key", "quoted_key"})
# Languages without trailing commas: hiding the last entry would leave one.
_COMMA_BETWEEN = frozenset({"object", "array"})
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_HASH = "python ruby bash yaml toml dockerfile r perl julia elixir make cmake env ini nim terraform graphql"
_SLASHES = (
    "json javascript typescript tsx go rust java c cpp c_sharp php kotlin swift scala dart zig groovy scss protobuf"
)
COMMENTS = {
    **dict.fromkeys(_HASH.split(), "# {}"),
    **dict.fromkeys(_SLASHES.split(), "// {}"),
    **dict.fromkeys(("sql", "lua", "haskell"), "-- {}"),
    **dict.fromkeys(("html", "xml", "markdown", "vue", "svelte"), "<!-- {} -->"),
    "css": "/* {} */",
}
# Languages without empty blocks: the placeholder must be a statement.
_STATEMENTS = {"python": "...  # {}", "bash": ": # {}"}


@dataclass(slots=True)
class Unit:
    """Lines ``first`` to ``last``, 0-based and inclusive, and the parts that can be hidden separately."""

    first: int
    last: int
    sequences: list[list[Unit]] = field(default_factory=list)

    def own_lines(self) -> list[int]:
        """Return the lines that are always shown with the unit."""
        held = {line for sequence in self.sequences for unit in sequence for line in range(unit.first, unit.last + 1)}
        return [line for line in range(self.first, self.last + 1) if line not in held]


def marker(language: str, is_code: bool) -> str:
    """Return the placeholder line for hidden lines; ``{}`` is replaced by their range."""
    return (_STATEMENTS.get(language) if is_code else None) or COMMENTS.get(language, "[{}]")


def code_units(text: str, language: str) -> Unit | None:
    """Parse code into units; None without a grammar, or when nothing can be hidden."""
    tree = parsed(text, language)
    if tree is None:
        return None
    lines = text.split("\n")
    root = Unit(0, len(lines) - 1)
    _fill(root, tree.root_node, lines, 0)
    return root if root.sequences else None


def syntax_errors(text: str, language: str) -> int | None:
    """Count the syntax errors; None without a grammar."""
    tree = parsed(text, language)
    if tree is None:
        return None
    count = 0
    pending = [tree.root_node]
    while pending and count < 1_000:
        node = pending.pop()
        count += node.is_error or node.is_missing
        pending += [child for child in node.children if child.has_error]
    return count


def parsed(text: str, language: str) -> tree_sitter.Tree | None:
    """Return the syntax tree, if the language has a grammar and the parse is in time."""
    known = LANGUAGES.get(language)
    grammar = known.grammar if known is not None else None
    data = text.encode("utf-8", "replace")
    if grammar is None or grammar.headings or not is_worth_parsing(grammar, data, text.count("\n") + 1):
        return None
    return parse(load(grammar), data, Deadline(time_for(len(data))))


def paragraphs(text: str) -> Unit:
    """Split prose and data at blank lines; a deeper indented line stays with the one above it."""
    lines = text.split("\n")
    root = Unit(0, len(lines) - 1)
    units: list[Unit] = []
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        previous = units[-1] if units else None
        goes_on = previous is not None and previous.last == number - 1
        if previous is not None and goes_on and number - previous.first < LONGEST_PARAGRAPH:
            previous.last = number
        else:
            units.append(Unit(number, number))
    root.sequences = [units] if len(units) > 1 else []
    return root


def _fill(unit: Unit, node: tree_sitter.Node, lines: list[str], depth: int) -> None:
    """Add the sequences below ``node`` to ``unit``."""
    if depth > DEEPEST:
        return
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type in _SEQUENCES:
            sequence = _sequence(one, unit, lines, depth)
            if sequence:
                unit.sequences.append(sequence)
                continue
        pending += [child for child in one.named_children if child.start_point.row < child.end_point.row]


def _sequence(node: tree_sitter.Node, around: Unit, lines: list[str], depth: int) -> list[Unit]:
    """Return the children of a sequence as units of whole lines; children on one line are one unit."""
    units: list[tuple[Unit, list[tree_sitter.Node]]] = []
    children = [child for child in node.named_children if child.type not in _FRAME]
    if node.type in _COMMA_BETWEEN and children:
        _fill(around, children.pop(), lines, depth + 1)
    for child in children:
        first, last = child.start_point.row, _last_row(child)
        if units and units[-1][0].last >= first:
            units[-1][0].last = max(units[-1][0].last, last)
            units[-1][1].append(child)
        elif units and units[-1][0].last == first - 1 and _only_comments(units[-1][1]):
            # Keep a comment with the code it describes.
            units[-1][0].last = last
            units[-1][1].append(child)
        else:
            units.append((Unit(first, last), [child]))
    found = []
    for unit, children in units:
        if unit.first < around.first or unit.last > around.last or not _stands_alone(children, unit, lines):
            continue
        for child in children:
            _fill(unit, child, lines, depth + 1)
        found.append(unit)
    return found


def _last_row(node: tree_sitter.Node) -> int:
    """Return the last row: some nodes end after their line end."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _only_comments(nodes: list[tree_sitter.Node]) -> bool:
    return all(node.type in _COMMENTS for node in nodes)


def _stands_alone(children: list[tree_sitter.Node], unit: Unit, lines: list[str]) -> bool:
    """Return whether the unit's first and last lines contain nothing else."""
    before = lines[unit.first].encode()[: children[0].start_point.column]
    end = children[-1].end_point
    after = lines[unit.last].encode()[end.column :] if end.row == unit.last else b""
    return not before.strip() and after.strip() in (b"", b";", b",")


_MARKER_TOKENS = 14
_TRIED = 6


def trim(
    text: str, language: str, *, start_line: int, terms: Sequence[str], most_tokens: int, count: Count
) -> Trimmed | None:
    """Trim ``text``, whose first line is ``start_line`` (1-based) of its file, to at most ``most_tokens``.

    None when even the required parts do not fit.
    """
    if count(text) <= most_tokens:
        return Trimmed(text, 0)
    root = code_units(text, language)
    mark = marker(language, is_code=root is not None)
    if root is not None:
        cut = _Cut(text, root, mark=mark, start_line=start_line, terms=terms, count=count).fit(most_tokens)
        return cut if cut is not None and _is_as_sound(cut.text, text, language) else None
    rough = _Cut(text, paragraphs(text), mark=mark, start_line=start_line, terms=terms, count=count).fit(most_tokens)
    is_text = rough is None or syntax_errors(text, language) is None
    return rough if rough is None or is_text or _is_as_sound(rough.text, text, language) else None


def _is_as_sound(cut: str, whole: str, language: str) -> bool:
    """Return whether the trimmed text has no more syntax errors than the whole, which may be a fragment itself."""
    now, before = syntax_errors(cut, language), syntax_errors(whole, language)
    return now is not None and before is not None and now <= before


class _Cut:
    """The state of one trim: the shown units and their cost in tokens."""

    def __init__(
        self, text: str, root: Unit, *, mark: str, start_line: int, terms: Sequence[str], count: Count
    ) -> None:
        self._lines = text.split("\n")
        self._root, self._mark, self._start_line, self._count = root, mark, start_line, count
        self._stems = stems(terms)
        self._hits_of: dict[str, int] = {}
        self._shown: set[int] = set()
        self._order: list[Unit] = []
        self._hidden_lines = 0

    def fit(self, most_tokens: int) -> Trimmed | None:
        """Show the required units, then others by value while the budget lasts."""
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
        # Token counts are not additive, so check the whole.
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
        """Return the value of a unit: words of the question count most, then a first (a docstring) or a single unit."""
        own = set(unit.own_lines())
        hits = deep = 0
        for line in range(unit.first, unit.last + 1):
            found = self._hits(self._lines[line])
            hits += found if line in own else 0
            deep = max(deep, found)
        return 2.0 * min(hits, 4) + deep + (1.5 if place == 0 else 0.0) + (1.0 if siblings == 1 else 0.0)

    def _hits(self, line: str) -> int:
        """Return how many of the question's stems begin a word of the line; a line of nested units is asked often."""
        if (known := self._hits_of.get(line)) is None:
            parts = split_identifier(line) if self._stems else []
            known = self._hits_of[line] = sum(any(part.startswith(stem) for part in parts) for stem in self._stems)
        return known

    def _cost(self, unit: Unit) -> int:
        text = "\n".join(self._lines[line] for line in unit.own_lines())
        return self._count(text) + _MARKER_TOKENS * len(unit.sequences)

    def _text(self) -> str:
        shown: list[str] = []
        self._write(self._root, shown)
        return "\n".join(shown)

    def _write(self, unit: Unit, out: list[str]) -> None:
        """Write the unit's own lines and its shown units in file order, with a marker for each hidden run."""
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
        note = f"line {one} left out" if one == other else f"lines {one}-{other} left out"
        return indent + self._mark.format(note)


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
    """Trim ``text``, the lines of source ``name`` from ``start_line`` (1-based) on, to at most ``most_tokens``.

    ``condense`` shortens prose where it is given; never code. None when even the required parts do not fit.
    """
    kind = kind_of(text, language, name)
    if kind == "diff":
        return condense_diff(text, start_line=start_line, terms=terms, most_tokens=most_tokens, count=count)
    if kind == "log":
        return condense_log(text, start_line=start_line, terms=terms, most_tokens=most_tokens, count=count)
    if condense is not None and kind == "prose" and count(text) > most_tokens:
        shorter = condensed(text, most_tokens, count, condense)
        if shorter is not None:
            return shorter
    return trim(text, language, start_line=start_line, terms=terms, most_tokens=most_tokens, count=count)


def kind_of(text: str, language: str, name: str) -> str:
    """Classify as ``diff``, ``log``, ``prose``, or ``code`` for everything else: by name, else, for plain text, by
    content.
    """
    low = name.lower()
    if low.endswith(_DIFFS):
        return "diff"
    if language == "log" or low.endswith(_LOGS):
        return "log"
    if language in PROSE or not language:
        if looks_like_diff(text):
            return "diff"
        if looks_like_log(text):
            return "log"
    return "prose" if language in PROSE else "code"
