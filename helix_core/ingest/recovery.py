"""Where a definition ends for sure, whether its name is sure, and where code ends, in a text that parses only in part.

A parser that meets what its grammar does not know, such as a macro, guesses: it skips tokens (an ``ERROR`` node) or
makes some up (a ``MISSING`` one), and what follows may stand under a false name, or run on over its neighbors. So a
definition ends where a guess begins that could have moved its end, and has no sure name where the guess is in its head.

Knows trees; knows no chunks. tree-sitter, "Error recovery".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from helix_core.tuples import NamedTuple

_BRACKETS = {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}
_BODIES = ("body", "block", "declaration_list", "compound_statement")
_VALUES = ("value", "right")
_RUN_BY_A_TEST = frozenset({"arrow_function", "function_expression"})
_CONTAINERS = frozenset(
    {"class", "struct", "union", "enum", "interface", "trait", "impl", "module", "namespace", "object", "extension"}
)
_HOLDING = (*sorted(_CONTAINERS), "function", "method")
"""Words in the types of nodes that hold others; what has none of them is a value."""
_CALLABLE = frozenset(
    {"function_declarator", "abstract_function_declarator", "operator_cast", "parenthesized_declarator"}
)
"""Declarators of what is called; the last is that of a macro which makes a function: ``TEST(name) {``."""
_NAMESPACE_HEAD = re.compile(rb"\bnamespace\s+([A-Za-z_]\w*(?:::\w+)*)\s*\Z")
_WORDS = re.compile(rb"[\w\s:*&]*")
_NOT_BEFORE_A_NAME = re.compile(rb"\b(?:namespace|class|struct|union|enum|typedef|using|template|operator)\b")


_COMMENT = rb"(/\*)"
_OPENERS = {
    **dict.fromkeys(("c", "cpp", "css", "dart", "php", "rust", "scss", "sql"), re.compile(_COMMENT)),
    **dict.fromkeys(("c_sharp", "java", "kotlin", "scala", "swift"), re.compile(_COMMENT + rb'|(""")')),
    **dict.fromkeys(("go", "javascript", "tsx", "typescript"), re.compile(_COMMENT + rb"|(`)")),
    "lua": re.compile(rb"--(\[\[)"),
    "python": re.compile(rb"[rRbBuUfF]{0,2}(?:(\"{3})|('{3}))"),
}
"""What opens a comment or a string of several lines, by language."""
_CLOSERS = {b"/*": b"*/", b"[[": b"]]"}


class Sure(NamedTuple):
    """The byte behind what surely belongs to a definition, whether its name and those around it are sure, and where it
    ends as parsed: whether what stands between is a part of it is in doubt.
    """

    end: int
    is_named: bool
    parsed_end: int


def as_far_as_sure(
    definition: tree_sitter.Node, name: tree_sitter.Node, body: tree_sitter.Node | None, data: bytes
) -> Sure:
    """Return how much of a definition is sure.

    Args:
        definition: Its node.
        name: The node of its name.
        body: The node of its body where the definition's does not hold it, else None.
        data: The text of the tree.
    """
    whole = max(definition.end_byte, body.end_byte if body is not None else 0)
    is_named = bool(misread_namespace(definition, data)) or not _is_in_doubt(definition, name, data)
    if not definition.has_error and (body is None or not body.has_error):
        return Sure(whole, is_named, whole)
    inner = body or _body(definition, name)
    if not misread_namespace(definition, data):
        is_named = is_named and not _is_head_guessed(definition, name, inner, data)
    if inner is None:
        return Sure(whole, is_named, whole)
    return Sure(min(whole, _end(inner, data)), is_named, whole)


def unended_from(language: str, root: tree_sitter.Node, data: bytes) -> int:
    """Return the offset of a comment or a string of several lines that is opened and not ended, as while somebody types
    it: all behind it is its text, and the parser, which finds no end, skips the opener. The size of the data where
    there is none.
    """
    opener = _OPENERS.get(language)
    for guess in _guesses(root) if opener is not None and root.has_error else ():
        node = guess.parent if guess.is_missing else guess
        match = opener.match(data, node.start_byte) if node is not None and opener is not None else None
        if match is not None:
            mark = match[match.lastindex or 0]
            if data.find(_CLOSERS.get(mark, mark), match.end()) < 0:
                return match.start()
    return len(data)


def guesses(root: tree_sitter.Node) -> list[int]:
    """Return the first byte of each guess of the parser, in order."""
    return [guess.start_byte for guess in _guesses(root)]


_UNICODE_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*+\\u++00([0-7][0-9a-fA-F])")
_HARMLESS_IN_JAVA = {
    **dict.fromkeys(("string_literal", "character_literal"), frozenset(range(128)) - frozenset(b"\"'\\\n\r")),
    **dict.fromkeys(("line_comment", "block_comment"), frozenset(range(128)) - frozenset(b"*/\n\r")),
}


def respelled_from(root: tree_sitter.Node, data: bytes) -> int:
    """Return the offset of the first Unicode escape of Java that may be a part of code, begin or end a comment, or end
    a string: the compiler reads the character before it looks for tokens (JLS 17, 3.3), the parser does not. The size
    of the data where there is none.
    """
    for match in _UNICODE_ESCAPE.finditer(data):
        node = root.descendant_for_byte_range(match.start(1), match.end(1))
        while node is not None and node.parent is not None and node.type not in _HARMLESS_IN_JAVA:
            node = node.parent
        harmless = _HARMLESS_IN_JAVA.get(node.type) if node is not None else None
        if harmless is None or int(match[1], 16) not in harmless:
            return match.start()
    return len(data)


def _body(definition: tree_sitter.Node, name: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the node of the body, also that of a function which is a value; None for what has none."""
    around: tree_sitter.Node | None = name.parent
    while around is not None and around.start_byte >= definition.start_byte:
        for field in ("body", *_VALUES):
            found = around.child_by_field_name(field)
            if found is not None and found.start_byte >= name.end_byte:
                return found if field == "body" else found.child_by_field_name("body") or found
        if around.type == "arguments":
            run = next((one for one in reversed(around.named_children) if one.type in _RUN_BY_A_TEST), None)
            return run.child_by_field_name("body") if run is not None else None
        last = around.named_children[-1] if around.named_child_count else None
        if last is not None and last.start_byte >= name.end_byte and any(word in last.type for word in _BODIES):
            return last
        if around == definition:
            return None
        around = around.parent
    return None


def _is_head_guessed(
    definition: tree_sitter.Node, name: tree_sitter.Node, body: tree_sitter.Node | None, data: bytes
) -> bool:
    """Return whether a guess outside of the body leaves the name in doubt: all do but words beside it, such as a macro
    in front of a type.
    """
    inside = range(body.start_byte, body.end_byte) if body is not None else range(0)
    for guess in _guesses(definition):
        if guess.start_byte in inside:
            continue
        text = data[guess.start_byte : guess.end_byte]
        is_around = guess.start_byte < name.end_byte and guess.end_byte > name.start_byte
        if guess.is_missing or is_around or not _WORDS.fullmatch(text):
            return True
        if guess.start_byte < name.start_byte and _NOT_BEFORE_A_NAME.search(text):
            return True
    return False


def misread_namespace(definition: tree_sitter.Node, data: bytes) -> str:
    """Return the name of a namespace that was taken for a function, because a macro stands in front of it; else ""."""
    body = definition.child_by_field_name("body")
    if definition.type != "function_definition" or body is None:
        return ""
    match = _NAMESPACE_HEAD.search(data, definition.start_byte, body.start_byte)
    return match[1].decode("ascii") if match is not None else ""


def misread_scope(qualified: tree_sitter.Node) -> tuple[int, int] | None:
    """Return the bytes of a scope that stands in front of a function's name behind a skipped space, since the parser
    takes ``A::B scope`` of ``MACRO A::B scope::name()`` for one name; else None.
    """
    scope = qualified.child_by_field_name("scope") if qualified.has_error else None
    if qualified.type != "qualified_identifier" or scope is None:
        return None
    skipped = [child for child in (*scope.children, *qualified.children) if child.is_error]
    is_name = len(skipped) == 1 and [child.type for child in skipped[0].children] == ["identifier"]
    return (skipped[0].start_byte, max(skipped[0].end_byte, scope.end_byte)) if is_name else None


def _is_in_doubt(definition: tree_sitter.Node, name: tree_sitter.Node, data: bytes) -> bool:
    """Return whether what a definition is, or what it is in, was guessed without an error node inside of it."""
    if definition.type == "function_definition" and definition.child_by_field_name("declarator") is not None:
        if not _has_parameters(definition, name) or _is_in_function(definition, data):
            return True
        # ``MACRO(a, b) {``: what it makes is not called like the macro.
        if definition.child_by_field_name("type") is None and (name.text or b"").isupper():
            return True
    # ``MACRO(a) NAMES = {…}``: no function has a value, so what is called is a macro.
    called = name.parent if name.parent is not None and name.parent.type == "function_declarator" else None
    if called is not None and called.parent is not None and called.parent.type == "init_declarator":
        return True
    around = definition.parent if not definition.type.startswith("preproc") else None
    while around is not None:
        if around.is_error and _is_in_container(around, definition):
            return True
        around = around.parent
    return False


def _is_in_function(definition: tree_sitter.Node, data: bytes) -> bool:
    """Return whether a function of C is in the body of another, which is a macro with a block, or one that runs on."""
    around = definition.parent
    while around is not None and around.type not in ("field_declaration_list", "declaration_list"):
        owner = around.parent
        if around.type == "compound_statement" and (owner is None or not misread_namespace(owner, data)):
            return True
        around = owner
    return False


def _has_parameters(definition: tree_sitter.Node, name: tree_sitter.Node) -> bool:
    around = name.parent
    while around is not None and around != definition:
        if around.type in _CALLABLE:
            return True
        around = around.parent
    return False


def _is_in_container(error: tree_sitter.Node, definition: tree_sitter.Node) -> bool:
    """Return whether the tokens of an error node in front of the definition open a class or the like around it, or
    around a value any block: then it may be a local one.
    """
    # No definition of C stands in an enumeration, which a list of macros often breaks.
    words = _CONTAINERS - {"enum"} if _root_type(error) == "translation_unit" else _CONTAINERS
    is_value = not any(word in definition.type for word in _HOLDING)
    open_: list[bool] = []
    is_head = is_linkage = False
    for child in error.children:
        if child.start_byte >= definition.start_byte:
            break
        if child.type == "{":
            open_.append(is_head or (is_value and not is_linkage))
            is_head = is_linkage = False
        elif child.type == "}" and open_:
            open_.pop()
        elif child.type == ";":
            is_head = is_linkage = False
        elif not child.is_named:
            is_head = is_head or child.type in words
            is_linkage = is_linkage or child.type == "extern"
    return is_head or any(open_)


def _root_type(node: tree_sitter.Node) -> str:
    around = node
    while around.parent is not None:
        around = around.parent
    return around.type


def _end(body: tree_sitter.Node, data: bytes) -> int:
    """Return the byte behind the part of a body whose end no guess could have moved."""
    for guess in _guesses(body):
        at = _doubtful_from(guess, body)
        if at is not None:
            before = data.rfind(b"\n", body.start_byte, at)
            first_line_end = data.find(b"\n", body.start_byte, body.end_byte)
            return before + 1 if before >= 0 else first_line_end + 1 or body.end_byte
    return body.end_byte


def _doubtful_from(guess: tree_sitter.Node, body: tree_sitter.Node) -> int | None:
    """Return the byte from which on the body's end is in doubt by this guess, or None where it moves no end."""
    if guess.is_missing:
        if guess.type in _BRACKETS or guess.type in ("end", "dedent", "_dedent"):
            return guess.parent.start_byte if guess.parent is not None else body.start_byte
        return None
    depth = 0
    for leaf in _leaves(guess):
        depth += _BRACKETS.get(leaf.type, 0)
        if depth < 0 or leaf.type.startswith("#"):
            return guess.start_byte
    return guess.start_byte if depth else None


def _guesses(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the error nodes and missing ones in a node, in order; none inside of an error node."""
    pending = [node]
    while pending:
        one = pending.pop()
        if one.is_error or one.is_missing:
            yield one
        elif one.has_error:
            pending += reversed(one.children)


def _leaves(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [node]
    while pending:
        one = pending.pop()
        if one.child_count:
            pending += reversed(one.children)
        else:
            yield one
