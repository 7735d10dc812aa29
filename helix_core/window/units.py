"""What of a text can be left out without breaking it: statements of a block, entries of a table, paragraphs.

Pure: a text and its language, in; a tree of units, whole lines each, out. Units of one sequence may be hidden in any
combination; a unit's own lines are those that none of its sequences hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import tree_sitter

from helix_core.ingest.languages import LANGUAGES
from helix_core.ingest.syntax import Deadline, is_worth_parsing, load, parse, time_for

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
# Of a sequence's children those that are its frame.
_FRAME = frozenset({"start_tag", "end_tag", "doctype", "bare_key", "dotted_key", "quoted_key"})
# Where the last entry has no comma behind it, hiding that one would leave a comma too many.
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
# Where an empty block is no block, what stands for the hidden lines must be a statement.
_STATEMENTS = {"python": "...  # {}", "bash": ": # {}"}


@dataclass(slots=True)
class Unit:
    """Lines ``first`` to ``last``, 0-based and inclusive, and what of them can be hidden by itself."""

    first: int
    last: int
    sequences: list[list[Unit]] = field(default_factory=list)

    def own_lines(self) -> list[int]:
        """The lines that are shown with the unit, whatever of its sequences is."""
        held = {line for sequence in self.sequences for unit in sequence for line in range(unit.first, unit.last + 1)}
        return [line for line in range(self.first, self.last + 1) if line not in held]


def marker(language: str, is_code: bool) -> str:
    """The line that stands for hidden ones, ``{}`` where they are named."""
    return (_STATEMENTS.get(language) if is_code else None) or COMMENTS.get(language, "[{}]")


def code_units(text: str, language: str) -> Unit | None:
    """The units of code; None where there is no grammar, or where a parse finds nothing that can be hidden."""
    tree = parsed(text, language)
    if tree is None:
        return None
    lines = text.split("\n")
    root = Unit(0, len(lines) - 1)
    _fill(root, tree.root_node, lines, 0)
    return root if root.sequences else None


def faults(text: str, language: str) -> int | None:
    """How many errors a parse finds; None where there is nothing to parse with."""
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
    """The text's tree, when its language has one and it is found in time."""
    known = LANGUAGES.get(language)
    grammar = known.grammar if known is not None else None
    data = text.encode("utf-8", "replace")
    if grammar is None or grammar.headings or not is_worth_parsing(grammar, data, text.count("\n") + 1):
        return None
    return parse(load(grammar), data, Deadline(time_for(len(data))))


def paragraphs(text: str) -> Unit:
    """Prose and data: runs of lines between blank ones; a deeper indented line stays with the one above it."""
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
    """Find the sequences below ``node`` that belong to ``unit``."""
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
    """The children of a sequence as units of whole lines, those that share a line together."""
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
            # A comment goes with what it speaks of, the next line of it included.
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
    """Some nodes end behind their line end."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _only_comments(nodes: list[tree_sitter.Node]) -> bool:
    return all(node.type in _COMMENTS for node in nodes)


def _stands_alone(children: list[tree_sitter.Node], unit: Unit, lines: list[str]) -> bool:
    """Is there nothing but the unit on its first and last lines?"""
    before = lines[unit.first].encode()[: children[0].start_point.column]
    end = children[-1].end_point
    after = lines[unit.last].encode()[end.column :] if end.row == unit.last else b""
    return not before.strip() and after.strip() in (b"", b";", b",")
