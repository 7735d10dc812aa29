"""Ranges of a file that no run reaches, told by its syntax tree: what a condition that is constant guards, items that
Rust is never configured to have, and what stands behind a statement that ends its block or the whole run.

A pattern finds where a tree is worth a look; only the tree decides. Knows trees; knows no chunks.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator

import tree_sitter

_BOOLEANS = {"false": False, "true": True}
_NUMBERS = {"0": False, "1": True}
_EMPTY = {'""': False, "''": False}
_SCRIPT = {**_BOOLEANS, **_NUMBERS, **_EMPTY, "null": False}
_LITERALS = {
    "python": {"False": False, "None": False, "True": True, "00": False, "0.0": False, **_NUMBERS, **_EMPTY},
    **dict.fromkeys(("java", "c_sharp", "scala", "rust"), _BOOLEANS),
    **{language: {**_SCRIPT, "undefined": False} for language in ("javascript", "typescript", "tsx")},
    "php": {form(word): value for word, value in _SCRIPT.items() for form in (str.lower, str.upper, str.title)},
    **{language: {**_BOOLEANS, "nil": False, "0": True, "1": True} for language in ("lua", "ruby")},
}
"""What is true or false in a condition, by language; in Lua and Ruby every number is true."""
_GAP = rb"(?:[\s(!]|not\b|\\\r?\n|\#[^\n]*+|//[^\n]*+|/\*(?:(?!\*/)[\s\S])*+\*/)"
_LITERAL = (
    rb"(?P<literal>(?:[Ff]alse|FALSE|[Tt]rue|TRUE|None|null|NULL|nil|undefined|\d[\d.]*+)(?![\w.])"
    rb"|\"[^\"\\\n]{0,9}+\"|'[^'\\\n]{0,9}+')"
)
_WORTH_A_LOOK = tuple(
    re.compile(word + _LITERAL)
    for word in (
        *(word + _GAP + b"++" for word in (b"if", b"while", b"unless", b"until", b"and", b"or")),
        *(sign + _GAP + b"*+" for sign in (rb"&&", rb"\|\|")),
        rb"for\s*+\([^;\n]*+;\s*+",
    )
)
_OPERANDS = (re.compile(rb"(?P<literal>alse)\s*+(?:&&|\?|and\b)"), re.compile(rb"(?P<literal>rue)\s*+(?:\|\||\?|or\b)"))
"""A constant in front of what it decides, where no condition begins."""
_IN_SHELL = tuple(
    re.compile(word + rb"(?<![\w./=$-]" + word + rb")(?=[\s;&|)]|\Z)") for word in (b"false", b"true", b":")
)
"""A pattern that begins with letters is searched for many times as fast as one that looks behind first."""
_OPERAND_IN_SHELL = rb"(?:[\w.]++|\"[\w. ]*+\"|'[\w. ]*+')"
_TEST_OF_LITERALS = re.compile(
    rb"(?:\[\[?|\(\(|test\b)[ \t]*+(?:(?P<unary>-[nz])[ \t]++)?(?P<one>" + _OPERAND_IN_SHELL + rb")"
    rb"(?:[ \t]*+(?P<sign>-(?:eq|ne|lt|gt|le|ge)|[=!<>]=|=|<|>)[ \t]*+(?P<other>" + _OPERAND_IN_SHELL + rb"))?+"
    rb"(?:[ \t]++\]\]?|[ \t]*+\)\)|(?=[ \t]*+(?:[;&|\n]|\Z)))"
)
_SIGNS_OF_SHELL = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-gt": operator.gt, "-le": operator.le,
    "-ge": operator.ge,
}  # fmt: skip
_TESTING = ("command", "test_command", "compound_statement")
"""The nodes of ``false`` and ``test 1 = 0``, of ``[ 1 = 0 ]``, and of ``(( 0 ))``."""
_NEGATIONS = ("!", "not")
_DECISIVE = {"&&": False, "and": False, "||": True, "or": True}
"""The value of one side of an operator that is also that of the whole."""
_COMPARISONS = {
    **dict.fromkeys(("==", "==="), operator.eq), **dict.fromkeys(("!=", "!==", "~="), operator.ne),
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "is": operator.eq, "is not": operator.ne,
}  # fmt: skip
_EQUALITIES = frozenset({"==", "===", "!=", "!==", "~=", "is", "is not"})
_WORDS = frozenset({"False", "True", "None", "false", "true", "null", "nil"})
"""Literals of which each is another value than every other one."""
_TEXT = re.compile(r"(?P<quote>[\"'])(?P<text>[\w .-]*)(?P=quote)")
_LATER = frozenset({"elif_clause", "elseif_statement", "else_if_clause", "else_clause", "else_statement"})
_CONDITIONALS = _LATER - {"else_clause", "else_statement"} | {
    *("if_statement", "if_expression", "if", "elsif", "if_modifier", "while_statement", "while", "while_modifier"),
    *("unless", "unless_modifier", "until", "until_modifier", "for_statement"),
    *("ternary_expression", "conditional_expression", "conditional"),
}
_DEEPEST_CONDITION = 12
_MOST_PARTS = 12
_LONGEST_LITERAL = 9
_BESIDE_AN_ITEM = frozenset({"attribute_item", "line_comment", "block_comment"})
_CFG = re.compile(rb"cfg[ \t]*+\([^\]\n]*?(?:FALSE|false|(?:any|all)\s*+\(\s*+\))")
_CFG_TOKEN = re.compile(r"\s*(\w+(?:\s*=\s*\"[^\"]*\")?|[(),])")
_ENDS_IN_PYTHON = rb"(?:return|raise|continue|break|exit|quit|sys\.exit|os\._exit|os\.abort)\b"
_ENDINGS = {
    # A statement of the same indentation follows, perhaps behind lines that go on.
    "python": re.compile(
        rb"(?m)^(?P<indent>[ \t]*+)(?P<word>" + _ENDS_IN_PYTHON + rb")[^\n]*+\n"
        rb"(?:[ \t]*+(?:\#[^\n]*+)?\n|(?P=indent)(?:[ \t]++[^\n]++|[)\]}\"'][^\n]*+)\n){0,40}+"
        rb"(?P=indent)(?![ \t)\]}\"'\#\n])"
    ),
    "ruby": re.compile(rb"(?m)^(?P<word>exit!?|abort|raise|return)(?![\w=.?:])"),
    "lua": re.compile(rb"(?m)^(?P<word>do\s++return\b|(?:os\.exit|error)\b)"),
    "bash": re.compile(rb"(?P<word>ex(?<!\wex)(?:it(?![\w.=-])|ec(?=[ \t])))"),
}
_ENDING_STATEMENTS = frozenset(
    {"return_statement", "raise_statement", "continue_statement", "break_statement", "return"}
)
_ROOTS = ("module", "program", "chunk")
_ENDING_CALLS = frozenset(
    {b"exit", b"quit", b"sys.exit", b"os._exit", b"os.abort", b"exit!", b"abort", b"raise", b"os.exit", b"error"}
)

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
    elif language in _LITERALS:
        found += _guarded(root, data, language)
    if language in _ENDINGS:
        found += _behind_endings(language, root, data)
    elif language == "rust":
        found += _configured_out(root, data)
    merged: list[Range] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _guarded(root: tree_sitter.Node, data: bytes, language: str) -> Iterator[Range]:
    literals = _LITERALS[language]
    for pattern in (*_WORTH_A_LOOK, *_OPERANDS):
        for match in pattern.finditer(data):
            node = root.descendant_for_byte_range(*match.span("literal"))
            for parent in _holding(node):
                if node is None:
                    break
                if node in parent.children_by_field_name("condition"):
                    value = _value(node, literals)
                    if value is not None and parent.type in _CONDITIONALS:
                        yield from _branches(parent, is_met=value)
                    break
                sign, operands = _expression(parent)
                if sign in _DECISIVE and operands[0] == node and _value(node, literals) is _DECISIVE[sign]:
                    yield operands[-1].byte_range
                if sign is None and parent.byte_range != node.byte_range:
                    break
                node = parent


def _holding(node: tree_sitter.Node | None) -> Iterator[tree_sitter.Node]:
    """Yield the nodes around a node, from the inside, as many as a condition may have."""
    for _ in range(_DEEPEST_CONDITION):
        node = node.parent if node is not None else None
        if node is None:
            return
        yield node


def _expression(node: tree_sitter.Node) -> tuple[str | None, list[tree_sitter.Node]]:
    """Return the operator of an expression and its operands: "" for brackets; None where it is no such thing."""
    if node.child_count > _MOST_PARTS:
        return None, []
    operands = [child for child in node.named_children if not child.is_extra]
    if node.type.startswith("parenthesized") and len(operands) == 1:
        return "", operands
    signs = [child.type for child in node.children if not child.is_named]
    is_one = len(signs) == 1 and (
        (len(operands) == 1 and signs[0] in _NEGATIONS)
        or (len(operands) == 2 and (signs[0] in _DECISIVE or signs[0] in _COMPARISONS))
    )
    return (signs[0], operands) if is_one else (None, [])


def _branches(node: tree_sitter.Node, *, is_met: bool) -> Iterator[Range]:
    """Yield what a conditional whose condition is always met, or never, does not run."""
    if node.type.startswith(("unless", "until")):
        is_met = not is_met
    if is_met:
        yield from (other.byte_range for other in _alternatives(node))
        return
    is_run_first = node.type in ("while_modifier", "until_modifier")
    for body in (*node.children_by_field_name("consequence"), *node.children_by_field_name("body")):
        # ``begin … end while false`` runs once.
        if not (is_run_first and body.type == "begin"):
            yield body.byte_range


def _alternatives(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield what runs only where the condition of ``node`` does not hold."""
    yield from node.children_by_field_name("alternative")
    following = node.next_named_sibling if node.type in _LATER else None
    while following is not None:
        if following.type in _LATER:
            yield following
        following = following.next_named_sibling


def _value(node: tree_sitter.Node, literals: dict[str, bool], depth: int = 0) -> bool | None:
    """Return whether a condition always holds, or never (False); None where that depends."""
    if depth > _DEEPEST_CONDITION:
        return None
    written = (
        (node.text or b"").decode("utf-8", "replace") if node.end_byte - node.start_byte <= _LONGEST_LITERAL else ""
    )
    if written in literals:
        return literals[written]
    sign, operands = _expression(node)
    if sign in _COMPARISONS:
        return _compared(sign, [(one.text or b"").decode("utf-8", "replace") for one in operands])
    values = [_value(one, literals, depth + 1) for one in operands]
    if sign == "":
        return values[0]
    if sign in _NEGATIONS:
        return None if values[0] is None else not values[0]
    return _joined(sign, values) if sign is not None else None


def _compared(sign: str, written: list[str]) -> bool | None:
    """Return whether a comparison of two literals holds; None for other operands."""
    compare = _COMPARISONS[sign]
    if all(_is_number(number) for number in written):
        return bool(compare(*map(int, written)))
    if sign not in _EQUALITIES:
        return None
    if all(word in _WORDS for word in written):
        # ``null == undefined`` is left out, and so is ``nil == false``, which is like any other here.
        return bool(compare(*written))
    texts = [match["text"] for one in written if (match := _TEXT.fullmatch(one)) is not None]
    return bool(compare(*texts)) if len(texts) == 2 and not sign.startswith("is") else None


def _is_number(word: str) -> bool:
    """Return whether a word is a number in decimal digits; in many languages one with a zero in front is octal."""
    return word.isdecimal() and (word[0] != "0" or len(word) == 1)


def _joined(sign: str, values: list[bool | None]) -> bool | None:
    """Return the value of sides that an operator joins; None where that depends."""
    decisive = _DECISIVE[sign]
    return decisive if decisive in values else None if None in values else not decisive


def _guarded_in_shell(root: tree_sitter.Node, data: bytes) -> Iterator[Range]:
    for node in _decided_in_shell(root, data):
        command = node
        for parent in _holding(node):
            if parent.type not in ("list", "negated_command"):
                yield from _not_run(parent, command)
                break
            if parent.type == "list" and parent.children[0] == command:
                value = _status(command)
                if value is not None and value is _DECISIVE.get(parent.children[1].type):
                    yield parent.children[-1].byte_range
            command = parent


def _decided_in_shell(root: tree_sitter.Node, data: bytes) -> Iterator[tree_sitter.Node]:
    """Yield the commands of a shell that may always succeed, or never."""
    for pattern in _IN_SHELL:
        for match in pattern.finditer(data):
            word = root.descendant_for_byte_range(match.start(), match.end())
            name = word.parent if word is not None else None
            if name is not None and name.type == "command_name" and name.parent is not None:
                yield name.parent
    for match in _TEST_OF_LITERALS.finditer(data):
        node = root.descendant_for_byte_range(match.start(), match.start() + 1)
        while node is not None and node.start_byte == match.start():
            if node.type in _TESTING:
                yield node
                break
            node = node.parent


def _not_run(holder: tree_sitter.Node, command: tree_sitter.Node | None) -> Iterator[Range]:
    """Yield what a conditional of a shell does not run, where ``command`` is the last one of its condition."""
    words = [child for child in holder.children if not child.is_named and child.type in ("then", "fi")]
    body = holder.child_by_field_name("body")
    is_loop = holder.type == "while_statement" and body is not None
    if not is_loop and not (holder.type in ("if_statement", "elif_clause") and words and words[0].type == "then"):
        return
    last = body.prev_sibling if is_loop and body is not None else words[0].prev_sibling
    while last is not None and last.type in (";", "\n", "comment"):
        last = last.prev_sibling
    value = _status(last) if last is not None and last == command else None
    if value is None:
        return
    if body is not None and is_loop:
        if value is (holder.children[0].type == "until"):
            yield body.byte_range
        return
    later = [child for child in holder.children if child.type in ("elif_clause", "else_clause")]
    if value:
        yield from (other.byte_range for other in later)
        yield from (other.byte_range for other in _alternatives(holder))
    else:
        end = later[0].start_byte if later else words[1].start_byte if len(words) > 1 else holder.end_byte
        yield words[0].end_byte, end


def _status(command: tree_sitter.Node, depth: int = 0) -> bool | None:
    """Return whether a command always succeeds, or never (False); None where that depends."""
    parts = [child for child in command.children if not child.is_extra]
    if depth > _DEEPEST_CONDITION:
        return None
    if command.type in _TESTING:
        text = command.text or b""
        return {b"false": False, b"true": True, b":": True}.get(text, _tested(text))
    if command.type == "negated_command" and len(parts) == 2:
        value = _status(parts[1], depth + 1)
        return None if value is None else not value
    if command.type == "list" and len(parts) == 3 and parts[1].type in _DECISIVE:
        return _joined(parts[1].type, [_status(parts[0], depth + 1), _status(parts[2], depth + 1)])
    return None


def _tested(text: bytes) -> bool | None:
    """Return whether a test of literals in a shell holds: ``[ 1 = 0 ]``, ``[[ a == b ]]``, ``test -n ""``, ``(( 0 ))``;
    None for any other.
    """
    match = _TEST_OF_LITERALS.fullmatch(text)
    if match is None:
        return None
    one, other = ((match[name] or b"").strip(b"\"'").decode("ascii") for name in ("one", "other"))
    sign = (match["sign"] or b"").decode("ascii")
    if match["unary"]:
        return None if sign else bool(one) is (match["unary"] == b"-n")
    is_number = _is_number(one) and (not sign or _is_number(other))
    if text.startswith(b"(("):
        compare = _COMPARISONS.get(sign or "!=")
        return bool(compare(int(one), int(other or "0"))) if is_number and compare is not None else None
    if not sign:
        return bool(one)
    if sign in _SIGNS_OF_SHELL:
        return bool(_SIGNS_OF_SHELL[sign](int(one), int(other))) if is_number else None
    return bool(_COMPARISONS["!=" if sign == "!=" else "=="](one, other)) if sign in ("=", "==", "!=") else None


def _behind_endings(language: str, root: tree_sitter.Node, data: bytes) -> Iterator[Range]:
    """Yield what follows a statement that no condition guards and that ends its block, or the run."""
    for match in _ENDINGS[language].finditer(data):
        word = root.descendant_for_byte_range(match.start("word"), match.start("word") + 1)
        node = word.parent if word is not None else None
        if language == "bash" and node is not None and node.type == "function_definition":
            # The script has a function of that name.
            return
        ending = _ending_in_shell(node) if language == "bash" else _ending(word)
        block = ending.parent if ending is not None else None
        if ending is None or block is None or not (block == root or (language == "python" and block.type == "block")):
            continue
        # Where the parser guesses in front of it, a condition may guard it.
        if not any(child.is_error for child in block.children if child.start_byte < ending.start_byte):
            yield ending.end_byte, len(data) if block == root else block.end_byte


def _ending(word: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Return the statement that a word begins, where it ends its block or the run."""
    node = word
    while node is not None and node.parent is not None and node.parent.type not in ("block", *_ROOTS):
        if node.parent.start_byte != node.start_byte:
            return None
        node = node.parent
    if node is None:
        return None
    body = node.child_by_field_name("body")
    if node.type == "do_statement" and body is not None and body.named_child_count == 1:
        return node if body.named_children[0].type == "return_statement" else None
    if node.type in _ENDING_STATEMENTS:
        return node
    call = node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else node
    # ``exit`` alone is a call of Ruby, and a name of Python.
    callee = node if node.type == "identifier" else None
    for field in ("function", "method", "name"):
        callee = callee or call.child_by_field_name(field)
    return node if callee is not None and callee.text in _ENDING_CALLS else None


def _ending_in_shell(node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Return the statement of a script that runs the command at ``node``, which ends it: ``exit``, or ``exec`` with a
    program, also in a group; None where it runs in another process.
    """
    if node is not None and node.type == "command_name":
        node = node.parent
    if node is None or node.type != "command":
        return None
    name = node.child_by_field_name("name")
    if name is None or (name.text == b"exec" and not _has_program(node)) or name.text not in (b"exit", b"exec"):
        return None
    while True:
        parent, following = node.parent, node.next_sibling
        if parent is None or (following is not None and following.type == "&"):
            return None
        if parent.type not in ("redirected_statement", "compound_statement"):
            return node
        node = parent


def _has_program(node: tree_sitter.Node) -> bool:
    """Return whether ``exec`` is given a word that is there for sure: what expands to nothing runs nothing."""
    arguments = node.children_by_field_name("argument")
    return any(one.type in ("word", "raw_string") and not (one.text or b"-").startswith(b"-") for one in arguments)


def _configured_out(root: tree_sitter.Node, data: bytes) -> Iterator[Range]:
    """Yield the items that no configuration has. The Rust Reference, "Conditional compilation"."""
    for match in _CFG.finditer(data):
        word = root.descendant_for_byte_range(match.start(), match.start() + 3)
        attribute = next((one for one in _holding(word) if one.type == "attribute"), None)
        holder = attribute.parent if attribute is not None else None
        if attribute is None or holder is None or _is_configured(attribute) is not False:
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


def _is_configured(attribute: tree_sitter.Node) -> bool | None:
    """Return whether a ``cfg`` attribute always lets its item be, or never (False); None where that depends."""
    text = (attribute.text or b"").decode("utf-8", "replace")
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
    if word in ("not", "cfg") and len(values) == 1:
        return None if values[0] is None else values[0] is (word == "cfg")
    if word == "cfg_attr" and values[:1] == [True]:
        return False if False in values[1:] else None
    if word not in ("any", "all"):
        return None
    return _joined("||" if word == "any" else "&&", values)
