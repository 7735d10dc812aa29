"""The outline of a file: its symbols with their nesting, its imports, comments and strings.

Text without a grammar is outlined by titles, ``[sections]`` and definition-like lines.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import tree_sitter

from helix_core.ingest.exact_names import bounded, heading_text, name_text
from helix_core.ingest.headings import Entry, Heading, entries, html_headings, nested, readable, underlined
from helix_core.ingest.line_patterns import definitions
from helix_core.ingest.recovery import as_far_as_sure, misread_namespace, misread_scope
from helix_core.ingest.scopes import Around, Membership, NamingScope, membership, scopes
from helix_core.ingest.syntax import Loaded
from helix_core.lines import LineTable
from helix_core.model import FUNCTIONS

CONTAINERS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "impl", "module", "namespace", "object", "extension", "suite",
     "section"}
)  # fmt: skip
NAMES_NOTHING_NEW = frozenset({"impl", "extension", "suite", "test"})
_HEAVY = FUNCTIONS | CONTAINERS
_OWNERS = _HEAVY - {"suite", "test", "section", "namespace", "module"}
"""What has members, or locals, that nothing else has."""
_SUITES = frozenset({"describe", "context", "suite", "feature", "fdescribe", "xdescribe"})
_TESTS = frozenset({"it", "test", "specify", "scenario", "fit", "xit"})
_MODIFIERS = frozenset(
    {"only", "skip", "todo", "each", "for", "concurrent", "sequential", "serial", "parallel", "failing", "fails"}
    | {"fixme", "slow", "skipIf", "runIf", "shuffle", "cb"}
)
"""What stands between the word for a test or a suite of JavaScript and its text: ``describe.each(…)('…')``."""
_WORD_OF_A_TEST = re.compile(r"(\w+)((?:\s*\.\s*\w+)*)\s*(?:[(`<]|\Z)")
_ESCAPED_QUOTE = re.compile(r"\\(['\"`\\])")
_PARTS = frozenset({"name", "owner", "call", "callee", "word", "declarator", "body", "hoisted"})
_WORDS = {"struct": "struct", "enum": "enum", "extension": "extension"}
_C_NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name"})
_WORDS_OF_C = """
_Bool __extension__ __inline __inline__ __restrict auto bool break case catch char class const
constexpr continue default delete do double else enum explicit extern false float for friend
goto if inline int long mutable namespace new nullptr private protected public register
restrict return short signed sizeof static struct switch template this throw true try typedef
typename union unsigned using virtual void volatile wchar_t while
"""
_NO_NAMES_IN_C = frozenset(_WORDS_OF_C.split())
"""Words of C and C++ that name nothing: where one stands for a name, a macro in front of it was not understood."""
_NAME_LISTS = frozenset({"variable_list", "pattern_list", "tuple_pattern", "const_spec", "var_spec"})
"""The nodes that hold the names of a declaration whose values stand in a list of their own."""
_FUNCTION_VALUES = frozenset({"function_definition"})
_DEFAULT_NAMES = {"companion_object": "Companion"}
"""What a definition without a name is called by its language's rules, by the type of its node."""
_WITH_ARGUMENTS = frozenset({"template_type", "template_function", "template_method", "qualified_identifier"})
_ACCESSORS = frozenset({"get", "set", "value"})
_PARTS_OF_TYPES = frozenset(
    {"object_type", "interface_body", "union_type", "intersection_type", "parenthesized_type", "array_type"}
    | {"readonly_type", "type_annotation", "property_signature"}
)
_NAMED_TYPES = frozenset(
    {"interface_declaration", "type_alias_declaration", "public_field_definition", "class_body", "ERROR"}
)
_DEEPEST_DECLARATOR = 16
_AFTER_BASE = re.compile(r"[<(\[\s{]")
_BASE_JOINTS = re.compile(r"::|[.\\]")
_OWN_ROOTS = frozenset({"", "crate", "self", "super", "global"})
"""The words before a name that mean this project, or this module."""
_NESTED_CALLS = 6
_LOADERS = frozenset({"require", "import", "require_relative", "load", "source", "."})


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: bytes ``[start, end)``, the index of the enclosing one in ``parent`` (-1: none), and the path of
    enclosing names in ``trail``. One that is not ``is_sure`` is found by its name, and no place claims it.
    """

    kind: str
    name: str
    start: int
    end: int
    parent: int
    trail: tuple[str, ...]
    is_sure: bool = True

    @property
    def is_heavy(self) -> bool:
        """Return whether it is a chunk by itself, however small."""
        return self.kind in _HEAVY

    @property
    def is_container(self) -> bool:
        return self.kind in CONTAINERS


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement's bytes, and the module path as written, or ''."""

    start: int
    end: int
    module: str


@dataclass(frozen=True, slots=True)
class Outline:
    """All parts in file order. ``doc`` and ``strings`` are disjoint byte ranges; ``leads`` are the ranges of
    comments, decorators and attributes.
    """

    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    doc: tuple[tuple[int, int], ...] = ()
    strings: tuple[tuple[int, int], ...] = ()
    leads: tuple[tuple[int, int], ...] = ()
    keywords: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class _Captured:
    kind: str
    name: str
    owner: str
    start: int
    end: int
    name_start: int
    is_sure: bool = True
    own_start: int = 0
    is_declared: bool = False
    membership: Membership = Membership.INSIDE
    doubt_end: int = 0
    """``own_start`` is where its own part of a declaration of several names begins. What ``is_declared`` is a name that
    a declaration gives to a type or a value, which owns no type that stands in it. Whether what stands from ``end`` to
    ``doubt_end`` is a member cannot be told."""


def outline(
    loaded: Loaded, tree: tree_sitter.Tree, data: bytes, *, headings: bool, dead: Sequence[tuple[int, int]] = ()
) -> Outline:
    """Return the outline of ``tree``, which is the parse of ``data`` and is not tangled. Nothing in the disjoint ranges
    ``dead``, which are in order, defines or imports anything: they are strings.
    """
    root = tree.root_node
    captures = tree_sitter.QueryCursor(loaded.text).captures(root)
    definitions = _definitions(loaded, root, data)
    if dead:
        captures = {
            name: [node for node in nodes if not _is_inside(node.start_byte, dead)] for name, nodes in captures.items()
        }
        definitions = [item for item in definitions if not _is_inside(item.start, dead)]
    found = _without_locals(definitions, captures)
    titles = [title for item in found for title in _titles(item, data)] if headings else []
    between = scopes(loaded.scopes, root, data) if loaded.scopes is not None else []
    symbols = sections(titles, data, entries(data)) if headings else _nest(found, between)
    comments = _ranges(captures.get("comment", []))
    doc = _disjoint([*comments, *_ranges(captures.get("docstring", []))])
    return Outline(
        symbols=tuple(symbols),
        imports=tuple(_imports(captures, data)),
        doc=tuple(doc),
        strings=tuple(sorted([*_outside(_ranges(captures.get("string", [])), doc), *dead])),
        leads=tuple(sorted([*comments, *_ranges(captures.get("lead", []))])),
        keywords=loaded.keywords,
    )


def bases_by_class(loaded: Loaded, root: tree_sitter.Node, data: bytes) -> dict[int, tuple[str, ...]]:
    """Map the first byte of each class to what it extends or implements, joined by dots, without type arguments."""
    found: dict[int, dict[str, None]] = {}
    if loaded.bases is not None:
        for _, captures in tree_sitter.QueryCursor(loaded.bases).matches(root):
            for node in captures["base"]:
                name = _base_name(_slice(node, data))
                if name:
                    found.setdefault(captures["class"][0].start_byte, {})[name] = None
    return {start: tuple(names) for start, names in found.items()}


def _base_name(written: str) -> str:
    """Return ``geo.Solid`` for ``::geo::Solid<int>(1)``; '' for what is no name."""
    parts = [part.strip() for part in _BASE_JOINTS.split(_AFTER_BASE.split(written.strip(), maxsplit=1)[0])]
    names = [part for part in parts if part not in _OWN_ROOTS]
    return ".".join(names) if names and all(name.isidentifier() for name in names) else ""


def _titles(item: _Captured, data: bytes) -> list[Heading]:
    """Return the headings that a node of a document is, or that a block of HTML draws."""
    if data[item.start : item.end].lstrip()[:1] == b"<":
        return html_headings(data, item.start, item.end)
    return [Heading(item.start, item.end, readable(item.name))]


def sections(headings: list[Heading], data: bytes, entries: Sequence[Entry] = ()) -> list[Symbol]:
    """Return headings as symbols that extend to the next heading of the same or a higher level, with the entries in
    them.
    """
    found = [
        _Captured(heading.kind, bounded(heading_text(heading.name)), "", heading.start, end, heading.start)
        for heading, end in nested(headings, data)
    ]
    found += [_Captured("entry", entry.name, "", entry.start, entry.end, entry.start) for entry in entries]
    return _nest(sorted(found, key=lambda item: (item.start, -item.end)))


_BLOCK_COMMENT_OR_END = re.compile(rb"(?m)^(?:=(begin|end)(?=\s|\Z)|__END__$)")
_HALT_COMPILER = re.compile(rb"(?i)(?<![\w$>:\\])__halt_compiler\s*\(\s*\)\s*(?:;|\?>)")


def end_of_code(language: str, data: bytes, texts: Sequence[tuple[int, int]]) -> int:
    """Return the offset from which on the interpreter reads no code: Ruby's ``__END__`` and a ``=begin`` without its
    ``=end``, PHP's ``__halt_compiler();``; the size of the data where there is none.

    ``texts`` are the ranges of comments and strings, in which these words mean nothing.
    """
    held = _disjoint(list(texts))
    starts = [start for start, _ in held]

    def is_code(match: re.Match[bytes]) -> bool:
        index = bisect_right(starts, match.start()) - 1
        return index < 0 or match.start() >= held[index][1]

    if language == "php":
        halts = _HALT_COMPILER.finditer(data) if b"__halt_compiler" in data.lower() else ()
        return next((match.end() for match in halts if is_code(match)), len(data))
    comment = -1
    if language == "ruby" and (b"=begin" in data or b"__END__" in data):
        for match in filter(is_code, _BLOCK_COMMENT_OR_END.finditer(data)):
            if match[1] == b"begin":
                comment = comment if comment >= 0 else match.start()
            elif match[1] == b"end":
                comment = -1
            elif comment < 0:
                return match.start()
    return comment if comment >= 0 else len(data)


def _ranges(nodes: list[tree_sitter.Node]) -> list[tuple[int, int]]:
    return [node.byte_range for node in nodes]


def _definitions(loaded: Loaded, root: tree_sitter.Node, data: bytes) -> list[_Captured]:
    best: dict[int, _Captured] = {}
    for _, captures in tree_sitter.QueryCursor(loaded.definitions).matches(root):
        found = _definition(captures, data)
        if found is None:
            continue
        other = best.get(found.name_start)
        if other is None or (found.kind in _HEAVY and other.kind not in _HEAVY) or (found.owner and not other.owner):
            best[found.name_start] = found
    return sorted(_apart(best.values()), key=lambda item: (item.start, -item.end, item.name_start))


def _apart(found: Iterable[_Captured]) -> Iterator[_Captured]:
    """Yield the definitions, those of one declaration as siblings: in ``const A = class {…}, B = class {…}`` each has
    its own part, and the first one what stands before it, too.
    """
    in_order = sorted(found, key=lambda item: (*_place(item), item.own_start, item.name_start))
    for _, same in groupby(in_order, key=_place):
        several = list(same)
        for one, following in zip(several, [*several[1:], None], strict=True):
            start = one.start if one is several[0] else one.own_start
            yield replace(one, start=start, end=following.own_start if following is not None else one.end)


def _place(item: _Captured) -> tuple[int, int]:
    return item.start, item.end


def _without_locals(found: list[_Captured], captures: dict[str, list[tree_sitter.Node]]) -> list[_Captured]:
    """Return the definitions without the variables of functions that have no name, and so are no symbols themselves.

    What stands in a block of C may be a variable of a function that its parser did not recognize, or a member of such
    a class: it is in doubt.
    """
    closures = _disjoint(sorted(set(_ranges(captures.get("closure", []))) - set(_ranges(captures.get("wrapper", [])))))
    blocks = _disjoint(sorted(_ranges(captures.get("block", []))))
    return [
        replace(item, is_sure=False) if item.kind == "constant" and _is_inside(item.start, blocks) else item
        for item in found
        if item.kind != "constant" or not _is_inside(item.start, closures)
    ]


def _definition(captures: dict[str, list[tree_sitter.Node]], data: bytes) -> _Captured | None:
    kind, nodes = next((item for item in captures.items() if item[0] not in _PARTS), ("", []))
    if not nodes:
        return None
    owner = _asserted(_slice(captures["owner"][0], data)) if "owner" in captures else ""
    if "declarator" in captures:
        name_node, owner, is_callable = _declared(_unwrapped(nodes[0], captures["declarator"][0]), data)
        kind = _declared_kind(kind, owner, is_callable=is_callable)
    else:
        name_node = captures["name"][0] if "name" in captures else _own_name(nodes[0])
    if "call" in captures:
        kind = _test_kind(_slice(captures["call"][0], data))
        name_node = name_node if name_node is not None and _has_text(name_node) else None
    elif "word" in captures:
        kind = _WORDS.get(_slice(captures["word"][0], data), kind)
    if name_node is None or not kind:
        return None
    written = _slice(name_node, data)
    name = bounded(_renamed(nodes[0], _name_in(written, kind)))
    if not name or _is_in_a_type_without_name(nodes[0]) or (name in _ACCESSORS and _describes_property(nodes[0], data)):
        return None
    if not name_node.is_named:
        name = _DEFAULT_NAMES.get(nodes[0].type, name)
    misread = misread_namespace(nodes[0], data) if kind == "function" else ""
    if misread:
        kind, name, owner = "namespace", misread, ""
    sure = as_far_as_sure(nodes[0], name_node, captures["body"][0] if "body" in captures else None, data)
    is_named = sure.is_named and not ("declarator" in captures and name in _NO_NAMES_IN_C)
    member_of = membership(nodes[0], data, is_hoisted="hoisted" in captures)
    is_named = is_named and member_of is not Membership.ELSEWHERE
    is_named = is_named and not ("declarator" in captures and _is_attribute(nodes[0], name_node, name))
    own = _own_part(name_node, nodes[0])
    if own.parent is not None and own.parent.type in _NAME_LISTS:
        value, are_functions = _own_value(own)
        if kind == "function" and are_functions and (value is None or value.type not in _FUNCTION_VALUES):
            return None
        is_one_line = nodes[0].start_point.row == nodes[0].end_point.row
        is_named = is_named and (value is not None or is_one_line or _is_sole(own))
        own = value or own
    return _Captured(
        kind,
        name,
        owner,
        nodes[0].start_byte,
        sure.end,
        name_node.start_byte,
        is_named,
        own.start_byte,
        is_declared="declarator" in captures and kind not in FUNCTIONS,
        membership=member_of,
        doubt_end=sure.parsed_end if kind in _OWNERS and sure.end < sure.parsed_end else 0,
    )


def _renamed(node: tree_sitter.Node, written: str) -> str:
    """Return what a definition is called where that is not what is written at its head."""
    if node.type == "destructor_declaration":
        return f"~{written}"
    return written.removeprefix("::") if node.type in ("class", "module") else written


def _own_part(name: tree_sitter.Node, definition: tree_sitter.Node) -> tree_sitter.Node:
    """Return the part of a declaration of several names that is about ``name`` alone; a list of names has none."""
    own = name
    while (parent := own.parent) is not None and parent != definition and parent.start_byte >= definition.start_byte:
        if parent.type in _NAME_LISTS or parent.type == "variable_declaration":
            break
        own = parent
    return own


def _own_value(name: tree_sitter.Node) -> tuple[tree_sitter.Node | None, bool]:
    """Return the value at the place of ``name`` in ``a, b = 1, 2``, and whether any value there is a function."""
    names = name.parent
    values = names.child_by_field_name("value") if names is not None else None
    values = values or (names.next_named_sibling if names is not None else None)
    if names is None or values is None or values.type != "expression_list":
        return None, False
    parts = [one for one in values.named_children if one.type != "comment"]
    at = [one for one in names.named_children if one.type != "comment"].index(name)
    # One value for several names is of none of them alone.
    own = parts[at] if at < len(parts) and (len(parts) > 1 or _is_sole(name)) else None
    return own, any(one.type in _FUNCTION_VALUES for one in parts)


def _is_sole(name: tree_sitter.Node) -> bool:
    """Return whether a list of names has no other one."""
    names = name.parent
    return names is None or sum(one.type == name.type for one in names.named_children) == 1


def _is_attribute(node: tree_sitter.Node, name_node: tree_sitter.Node, name: str) -> bool:
    """Return whether what stands behind the body of a type of C is a macro, as in ``struct s {…} __packed;``, and no
    name: one that is reserved, one in capitals, or a word in front of the name.
    """
    type_ = node.child_by_field_name("type")
    if type_ is None or type_.child_by_field_name("body") is None:
        return False
    following = name_node.next_sibling
    is_in_front = following is not None and following.is_error and following.end_byte > following.start_byte
    return is_in_front or name.startswith("__") or (name.isupper() and node.type != "type_definition")


def _describes_property(node: tree_sitter.Node, data: bytes) -> bool:
    """Return whether the node is in the object that ``Object.defineProperty(app, 'router', {…})`` takes: it is
    ``app.router`` that it defines, and no name of its own.
    """
    call = node
    for kind in ("object", "arguments", "call_expression"):
        parent = call.parent
        if parent is None or parent.type != kind:
            return False
        call = parent
    callee = call.child_by_field_name("function")
    return callee is not None and _slice(callee, data).rpartition(".")[2].startswith("define")


def _asserted(owner: str) -> str:
    """Return an owner without what TypeScript asserts of it: ``node.next`` for ``node!.next!``."""
    return owner.replace("!.", ".").removesuffix("!")


def _is_in_a_type_without_name(node: tree_sitter.Node) -> bool:
    """Return whether a member of TypeScript is one of a type that no name holds, such as that of a parameter or an
    argument of a type.
    """
    around = node.parent if node.type in ("property_signature", "method_signature") else None
    while around is not None and around.type in _PARTS_OF_TYPES:
        around = around.parent
    return around is not None and around.type not in _NAMED_TYPES


def _name_in(written: str, kind: str) -> str:
    """Return a name without its quotes. A key with a dot in quotes is one name, and a heading in quotes another than
    one without; the text of a test is one line.
    """
    if kind in ("suite", "test"):
        return " ".join(_ESCAPED_QUOTE.sub(r"\1", _unquoted(written)).split())
    return written.strip() if kind == "section" or "." in written else _unquoted(written)


def _has_text(literal: tree_sitter.Node) -> bool:
    return literal.type not in ("string", "template_string") or literal.named_child_count > 0


def _unquoted(name: str) -> str:
    name = name.strip()
    quoted = len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`"
    return name[1:-1].strip() if quoted else name


def _own_name(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the node's name by its field, else its first reference or identifier."""
    named = node.child_by_field_name("name") or node.child_by_field_name("column")
    if named is not None:
        return named
    for child in node.named_children:
        if child.type == "object_reference":
            return child.child_by_field_name("name")
        if child.type == "identifier":
            return child
    return None


def _unwrapped(definition: tree_sitter.Node, declarator: tree_sitter.Node) -> tree_sitter.Node:
    """Return the declarator of a function that a macro wraps (``EXPORT(void name(int a)) {``), which C++'s grammar
    takes for a function without a type that is called like the macro; any other declarator as it is.
    """
    name, parameters = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters")
    # A constructor has no type either, and may take a function; a macro is written in capitals.
    is_macro = name is not None and name.type == "identifier" and (name.text or b"").isupper()
    if not is_macro or parameters is None or definition.child_by_field_name("type") is not None:
        return declarator
    inner = parameters.named_children
    wrapped = inner[0].child_by_field_name("declarator") if len(inner) == 1 else None
    found = wrapped
    while found is not None and found.type in ("pointer_declarator", "reference_declarator"):
        found = found.child_by_field_name("declarator") or found.named_child(0)
    return wrapped if wrapped is not None and found is not None and found.type == "function_declarator" else declarator


def _declared(node: tree_sitter.Node, data: bytes) -> tuple[tree_sitter.Node | None, str, bool]:
    """Return the name inside a C declarator, the scope written before it, and whether it declares a callable."""
    owners: list[str] = []
    is_callable = False
    current: tree_sitter.Node | None = node
    for _ in range(_DEEPEST_DECLARATOR):
        if current is None or current.type in _C_NAMES:
            break
        is_callable = is_callable or current.type == "function_declarator"
        scope = current.child_by_field_name("scope")
        if scope is not None:
            owners.append(_slice(scope, data))
        moved = misread_scope(current)
        if moved is not None:
            owners = [" ".join(name_text(data[slice(*moved)]).split())]
        current = (
            current.child_by_field_name("declarator")
            or current.child_by_field_name("name")
            or (current.named_child(0) if current.named_child_count else None)
        )
    found = current if current is not None and current.type in _C_NAMES else None
    return found, ".".join(owners), is_callable


def _declared_kind(kind: str, owner: str, *, is_callable: bool) -> str:
    if kind == "function":
        return "method" if owner else kind
    return "declaration" if is_callable and kind != "type" else kind


def _slice(node: tree_sitter.Node, data: bytes) -> str:
    """Return what a node says; arguments of a template, which may be written on several lines, on one."""
    text = name_text(data[node.start_byte : node.end_byte])
    return " ".join(text.split()) if node.type in _WITH_ARGUMENTS else text


def _test_kind(call: str) -> str:
    match = _WORD_OF_A_TEST.match(call)
    words = re.findall(r"\w+", match[0]) if match is not None else [call.strip()]
    while len(words) > 1 and (words[-1] in _MODIFIERS or words[-1].isdigit()):
        words.pop()
    # ``test.describe`` is a suite, ``suite.add`` is neither.
    word = words[-1] if words[0] in _SUITES | _TESTS or len(words) == 1 else ""
    if word in _SUITES:
        return "suite"
    return "test" if word in _TESTS else ""


def _nest(found: list[_Captured], between: Sequence[NamingScope] = ()) -> list[Symbol]:
    """Nest by containment; plain values inside functions are dropped. The scopes ``between`` are no symbols, and parts
    of the trail of what is in them.
    """
    symbols: list[Symbol] = []
    items: list[_Captured] = []
    unknown: list[bool] = []
    open_: list[int] = []
    around_each = Around(between)
    doubts: list[_Captured] = []
    for item in found:
        while open_ and symbols[open_[-1]].end < item.end:
            open_.pop()
        while open_ and symbols[open_[-1]].end <= item.start:
            open_.pop()
        parent = open_[-1] if open_ else -1
        heavy = item.kind in _HEAVY
        around = _nearest_heavy(symbols, parent)
        if not heavy and around is not None and around.kind in FUNCTIONS:
            continue
        kind = item.kind
        if kind == "function" and around is not None and around.is_container and around.kind != "suite":
            kind = "method" if around.kind not in {"module", "namespace"} else kind
        holder = _holder(symbols, parent, item.membership)
        trail = inner_trail(symbols[holder]) if holder >= 0 else ()
        if holder >= 0 and item.kind in CONTAINERS and items[holder].is_declared:
            # The tag of a type is no member of the alias or the value that is declared with it.
            trail = symbols[holder].trail
        place = (items[parent].start, items[parent].name_start) if parent >= 0 else (-1, -1)
        parts = around_each.parts(item.start, item.name_start, place)
        doubts = [one for one in doubts if item.start < one.doubt_end]
        is_known = all(parts) and (parent < 0 or not unknown[parent])
        # What surely is a function or a type may stand behind a function that did not end.
        is_known = is_known and all(item.start < one.end or (heavy and one.kind in FUNCTIONS) for one in doubts)
        doubts += [item] if item.doubt_end else []
        if holder == parent:
            trail += tuple(filter(None, parts))
        if item.owner:
            trail += (item.owner.removesuffix(".prototype"),) if item.owner != "this" and item.is_sure else ()
            kind = "method" if kind == "function" else kind
        symbols.append(Symbol(kind, item.name, item.start, item.end, parent, trail, item.is_sure and is_known))
        items.append(item)
        unknown.append(not is_known)
        open_.append(len(symbols) - 1)
    return symbols


def _holder(symbols: list[Symbol], parent: int, membership: Membership) -> int:
    """Return the index of the symbol that has a definition as its member, out of those it stands in; -1 for none."""
    if membership is Membership.IN_FILE:
        return -1
    while membership is Membership.IN_NAMESPACE and parent >= 0 and symbols[parent].kind not in ("namespace", "module"):
        parent = symbols[parent].parent
    return parent


def inner_trail(symbol: Symbol) -> tuple[str, ...]:
    """Return the path of names of what stands in a definition; a name in doubt is no part of it, nor is that of a
    prototype, whose members are those of its class.
    """
    is_prototype = symbol.name == "prototype" and symbol.kind == "constant" and symbol.trail
    return (*symbol.trail, symbol.name) if symbol.is_sure and not is_prototype else symbol.trail


def _nearest_heavy(symbols: list[Symbol], index: int) -> Symbol | None:
    while index >= 0:
        if symbols[index].is_heavy:
            return symbols[index]
        index = symbols[index].parent
    return None


def _imports(captures: dict[str, list[tree_sitter.Node]], data: bytes) -> list[Import]:
    """Return import statements with their modules; a call counts only when it loads a module."""
    calls = {node.start_byte: _slice(node, data) in _LOADERS for node in captures.get("loader", [])}
    statements = sorted(_ranges(captures.get("import", [])))
    starts = [start for start, _ in statements]
    bare = {index for index, start in enumerate(starts) if calls.get(start, True)}
    found = []
    for node in captures.get("module", []):
        index = _around(statements, starts, node)
        if index < 0:
            found.append(Import(*node.byte_range, _module(_slice(node, data))))
        elif calls.get(starts[index], True):
            bare.discard(index)
            found.append(Import(*statements[index], _module(_slice(node, data))))
    for start, end in (statements[index] for index in bare):
        found.append(Import(start, end, _second_word(data[start:end])))
    return sorted(found, key=lambda item: (item.start, item.module))


def _around(statements: list[tuple[int, int]], starts: list[int], node: tree_sitter.Node) -> int:
    """Return the index of the statement that contains ``node``, among the last few that begin before it; -1 for
    none.
    """
    last = bisect_right(starts, node.start_byte) - 1
    for index in range(last, max(-1, last - _NESTED_CALLS), -1):
        if statements[index][1] >= node.end_byte:
            return index
    return -1


def _second_word(statement: bytes) -> str:
    words = statement[:400].decode("utf-8", "replace").split(None, 2)
    return _module(words[1]) if len(words) > 1 else ""


def _module(written: str) -> str:
    return written.strip("\"'`<> \t\r\n").partition("{")[0].rstrip(":. ")[:300] or written[:300]


def _disjoint(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    end = 0
    for item in sorted(ranges):
        if item[0] >= end and item[1] > item[0]:
            out.append(item)
            end = item[1]
    return out


def _is_inside(offset: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Return whether one of the disjoint ranges, which are in order, holds a byte."""
    index = bisect_right(ranges, (offset, sys.maxsize)) - 1
    return index >= 0 and offset < ranges[index][1]


def _outside(ranges: list[tuple[int, int]], taken: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return those of ``ranges`` that are not inside one of ``taken``, made disjoint."""
    starts = [start for start, _ in taken]
    free = []
    for item in _disjoint(ranges):
        index = bisect_right(starts, item[0]) - 1
        if index < 0 or taken[index][1] <= item[0]:
            free.append(item)
    return free


_PROSE = frozenset({"text", "rst", "log", "csv", "gettext", "xml", "env", "json", "toml"})


def outline_of(language: str, data: bytes, lines: LineTable) -> Outline:
    """Return the outline that line patterns give; empty for data and logs."""
    if language in {"text", "rst"}:
        return Outline(symbols=tuple(sections(underlined(data, lines), data, entries(data))))
    if language in {"ini", "env"}:
        return Outline(symbols=tuple(sections(_tables(data, lines), data)))
    if language in _PROSE:
        return Outline()
    found, leads = definitions(language, data, lines)
    captured = [
        _Captured(one.kind, bounded(one.name), "", one.start, one.end, one.start, is_sure=False) for one in found
    ]
    return Outline(symbols=tuple(_nest(captured)), leads=tuple(leads))


def _tables(data: bytes, lines: LineTable) -> list[Heading]:
    found = []
    for row in range(len(lines)):
        start, end = lines.start(row), lines.start(row + 1)
        line = data[start : min(end, start + 200)].strip()
        if line[:1] == b"[" and line[-1:] == b"]" and line[1:-1].strip():
            name = name_text(line[1:-1]).strip()
            found.append(Heading(start, end, name, "table", level=1))
    return found
