"""Ranges of a file that no run reaches, told by its syntax tree: what a condition that is a literal guards, items that
Rust is never configured to have, and what stands behind the ``exit`` of a script.

A pattern finds where a tree is worth a look; only the tree decides. Knows trees; knows no chunks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

_BOOLEANS = {"false": False, "true": True}
_SCRIPT = {**_BOOLEANS, "null": False, "0": False, "1": True}
_LITERALS = {
    "python": {"False": False, "None": False, "True": True, "0": False, "1": True},
    **dict.fromkeys(("java", "c_sharp", "scala", "rust"), _BOOLEANS),
    **dict.fromkeys(("javascript", "typescript", "tsx", "php"), _SCRIPT),
    **{language: {**_BOOLEANS, "nil": False, "0": True, "1": True} for language in ("lua", "ruby")},
}
"""What is true or false in a condition, by language; in Lua and Ruby every number is true."""
_WORTH_A_LOOK = tuple(
    re.compile(word + rb"(?:[\s(!]|not\b)++(?:[Ff]alse|FALSE|[Tt]rue|TRUE|[01](?![\w.])|None|null|NULL|nil)\b")
    for word in (b"if", b"while", b"unless", b"until")
)
_IN_SHELL = tuple(re.compile(word + rb"[\s!]++(?:false|true|:)(?=[\s;])") for word in (b"if", b"while", b"until"))
_EXIT = re.compile(rb"exit(?![\w.=-])")
_CFG = re.compile(rb"cfg[ \t]*+\([^\]\n]*?(?:FALSE|false|(?:any|all)\s*+\(\s*+\))")
_NEGATIONS = ("!", "not")
_LATER = frozenset({"elif_clause", "elseif_statement", "else_if_clause", "else_clause", "else_statement"})
_CONDITIONALS = _LATER - {"else_clause", "else_statement"} | {
    *("if_statement", "if_expression", "if", "elsif", "if_modifier", "while_statement", "while", "while_modifier"),
    *("unless", "unless_modifier", "until", "until_modifier"),
}
_BESIDE_AN_ITEM = frozenset({"attribute_item", "line_comment", "block_comment"})
_CFG_TOKEN = re.compile(r"\s*(\w+(?:\s*=\s*\"[^\"]*\")?|[(),])")

Range = tuple[int, int]


def never_run(language: str, root: tree_sitter.Node, data: bytes) -> list[Range]:
    """Return the disjoint ranges of a text that no run reaches, in order.

    Args:
        language: The name of its language.
        root: The root of its tree.
        data: The text of the tree.
    """
    found: list[Range] = []
    if language == "bash":
        found += _guarded_in_shell(root, data)
        found += _behind_exit(root, data)
    elif language in _LITERALS:
        found += _guarded(root, data, _LITERALS[language], is_php=language == "php")
        if language == "rust":
            found += _configured_out(root, data)
    merged: list[Range] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _parents(
    root: tree_sitter.Node, patterns: tuple[re.Pattern[bytes], ...], data: bytes
) -> Iterator[tree_sitter.Node]:
    """Yield the nodes whose first word, or whose word between, a pattern finds."""
    for pattern in patterns:
        for match in pattern.finditer(data):
            word = root.descendant_for_byte_range(match.start(), match.start() + 1)
            if word is not None and not word.is_named and word.parent is not None:
                yield word.parent


def _guarded(root: tree_sitter.Node, data: bytes, literals: dict[str, bool], *, is_php: bool) -> Iterator[Range]:
    for node in _parents(root, _WORTH_A_LOOK, data):
        condition = node.child_by_field_name("condition")
        if node.type not in _CONDITIONALS or condition is None:
            continue
        value = _value(condition, literals, is_any_case=is_php)
        if value is None:
            continue
        if node.type.startswith(("unless", "until")):
            value = not value
        if value:
            yield from (other.byte_range for other in _alternatives(node))
        is_run_first = node.type in ("while_modifier", "until_modifier")
        for body in (*node.children_by_field_name("consequence"), *node.children_by_field_name("body")):
            # ``begin … end while false`` runs once.
            if not value and not (is_run_first and body.type == "begin"):
                yield body.byte_range


def _alternatives(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield what runs only where the condition of ``node`` does not hold."""
    yield from node.children_by_field_name("alternative")
    following = node.next_named_sibling if node.type in _LATER else None
    while following is not None:
        if following.type in _LATER:
            yield following
        following = following.next_named_sibling


def _value(node: tree_sitter.Node, literals: dict[str, bool], *, is_any_case: bool) -> bool | None:
    """Return whether a condition always holds, or never (False); None where that depends."""
    if node.type.startswith("parenthesized") and node.named_child_count == 1:
        return _value(node.named_children[0], literals, is_any_case=is_any_case)
    if node.child_count == 0 or node.named_child_count == 0:
        text = (node.text or b"").decode("utf-8", "replace")
        return literals.get(text.lower() if is_any_case else text)
    operands = node.named_children
    signs = [child.type for child in node.children if not child.is_named]
    if len(signs) != 1:
        return None
    if len(operands) == 1 and signs[0] in _NEGATIONS:
        value = _value(operands[0], literals, is_any_case=is_any_case)
        return None if value is None else not value
    if len(operands) == 2 and signs[0] in ("&&", "||", "and", "or"):
        decisive = signs[0] in ("||", "or")
        values = [_value(one, literals, is_any_case=is_any_case) for one in operands]
        return decisive if decisive in values else None if None in values else not decisive
    return None


def _guarded_in_shell(root: tree_sitter.Node, data: bytes) -> Iterator[Range]:
    for node in _parents(root, _IN_SHELL, data):
        words = [child for child in node.children if not child.is_named and child.type in ("then", "fi")]
        body = node.child_by_field_name("body")
        if node.type == "while_statement" and body is not None:
            value = _status(node.children[0], body)
            if value is not None and value is (node.children[0].type == "until"):
                yield body.byte_range
        elif node.type in ("if_statement", "elif_clause") and words and words[0].type == "then":
            value = _status(node.children[0], words[0])
            later = [child for child in node.children if child.type in ("elif_clause", "else_clause")]
            if value:
                yield from (other.byte_range for other in later)
                yield from (other.byte_range for other in _alternatives(node))
            elif value is False:
                end = later[0].start_byte if later else words[1].start_byte if len(words) > 1 else node.end_byte
                yield words[0].end_byte, end


def _status(word: tree_sitter.Node, end: tree_sitter.Node) -> bool | None:
    """Return whether the one command between two nodes always succeeds, or never (False); None where that depends."""
    commands: list[tree_sitter.Node] = []
    following = word.next_sibling
    while following is not None and following.start_byte < end.start_byte:
        if following.type not in (";", "\n", "comment"):
            commands.append(following)
        following = following.next_sibling
    is_negated = len(commands) == 1 and commands[0].type == "negated_command"
    command = commands[0].named_child(0) if is_negated else commands[0] if len(commands) == 1 else None
    if command is None or command.type != "command":
        return None
    value = {b"false": False, b"true": True, b":": True}.get(command.text or b"")
    return value if value is None or not is_negated else not value


def _behind_exit(root: tree_sitter.Node, data: bytes) -> Iterator[Range]:
    """Yield what follows an ``exit`` that no condition guards, up to the end of the script."""
    first = len(data)
    for match in _EXIT.finditer(data):
        word = root.descendant_for_byte_range(match.start(), match.end())
        command = word.parent if word is not None else None
        if command is not None and command.type == "function_definition":
            return
        if command is not None and command.type == "command_name":
            command = command.parent
        if command is None or command.type != "command" or command.start_byte != match.start():
            continue
        if command.parent is not None and command.parent.type == "redirected_statement":
            command = command.parent
        following = command.next_sibling
        is_of_a_job = following is not None and following.type == "&"
        if command.parent == root and not is_of_a_job:
            first = min(first, command.end_byte)
    # Where the parser guesses in front of it, a condition may guard it.
    if first < len(data) and not any(child.is_error for child in root.children if child.start_byte < first):
        yield first, len(data)


def _configured_out(root: tree_sitter.Node, data: bytes) -> Iterator[Range]:
    """Yield the items that no configuration has. The Rust Reference, "Conditional compilation"."""
    for match in _CFG.finditer(data):
        word = root.descendant_for_byte_range(match.start(), match.start() + 3)
        attribute = word.parent if word is not None else None
        written = attribute.child_by_field_name("arguments") if attribute is not None else None
        holder = attribute.parent if attribute is not None else None
        if written is None or holder is None or _is_configured(written) is not False:
            continue
        if holder.type == "attribute_item":
            item = holder.next_named_sibling
            while item is not None and item.type in _BESIDE_AN_ITEM:
                item = item.next_named_sibling
            if item is not None:
                yield holder.start_byte, item.end_byte
        elif holder.type == "inner_attribute_item" and holder.parent is not None:
            around = holder.parent
            yield (0, len(data)) if around == root or around.parent is None else around.parent.byte_range


def _is_configured(arguments: tree_sitter.Node) -> bool | None:
    """Return whether a ``cfg`` predicate always holds, or never (False); None where that depends."""
    text = (arguments.text or b"").decode("utf-8", "replace")
    tokens = _CFG_TOKEN.findall(text)
    if _CFG_TOKEN.sub("", text).strip():
        return None
    values: list[tuple[str, list[bool | None]]] = [("all", [])]
    for at, token in enumerate(tokens):
        if token == "(":
            values.append((tokens[at - 1] if at else "all", []))
        elif token == ")" and len(values) > 1:
            word, inner = values.pop()
            values[-1][1].append(_configured(word, inner))
        elif token != "," and tokens[at + 1 : at + 2] != ["("]:
            values[-1][1].append({"FALSE": False, "false": False, "true": True}.get(token))
    return values[0][1][0] if len(values) == 1 and len(values[0][1]) == 1 else None


def _configured(word: str, values: list[bool | None]) -> bool | None:
    if word == "not" and len(values) == 1:
        return None if values[0] is None else not values[0]
    if word not in ("any", "all"):
        return None
    decisive = word == "any"
    return decisive if decisive in values else None if None in values else not decisive
