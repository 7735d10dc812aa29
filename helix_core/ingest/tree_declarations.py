"""Declarations of a code file in any language whose grammar names definitions, from its syntax tree.

In: masked bytes and their path. Out: what ``signatures`` finds by lines in Python and JavaScript: names with their
owners, parameters and results, without layout and comments. One mechanism for all languages: the fields and brackets of
a tree say what a parameter is. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import tree_sitter

from helix_core.ingest.document import outline_and_tree
from helix_core.ingest.grammars import GRAMMARS
from helix_core.ingest.languages import Language, language_of
from helix_core.ingest.outline import CONTAINERS, Symbol, bases_by_class
from helix_core.ingest.signatures import LANGUAGES, MOST_DECLARATIONS, Declaration, Parameter, declarations
from helix_core.ingest.syntax import Deadline, load, time_for
from helix_core.lines import LineTable, with_line_feeds
from helix_core.model import FUNCTIONS

_KEPT = 32
TREE_LANGUAGES = (
    frozenset(("bash", "c", "c_sharp", "cpp", "go", "java", "kotlin", "lua", "php", "ruby", "rust", "scala", "swift"))
    & GRAMMARS.keys()
)
"""The languages whose declarations are read from a tree."""
NAMED_PARAMETERS = frozenset(("c_sharp", "kotlin", "php", "scala", "swift"))
"""Languages in which a call may name any parameter; in Ruby it names those with a colon, in the others none."""
UNSTATED_RESULTS = frozenset(("kotlin", "php", "ruby", "scala", "lua", "bash"))
"""Languages in which a function need not say what it returns."""
_CALLABLE = FUNCTIONS | {"declaration"}
_CLASSES = CONTAINERS - {"extension", "impl", "module", "namespace", "section", "suite"}
"""What one file defines alone, which a namespace is not."""
_TYPE_LISTS = frozenset(("type_parameters", "template_parameter_list"))
_LISTS = frozenset(("class_parameters", "function_value_parameters", "parameter_list"))
_HOLDERS = frozenset(("primary_constructor", "expression_list", "function_definition"))
"""Nodes between a definition and the list of its parameters that no field of the definition names."""
_SILENT = frozenset(
    (
        *(
            "annotation",
            "attribute",
            "attribute_declaration",
            "attribute_item",
            "attribute_list",
            "attribute_specifier",
        ),
        *("block_comment", "comment", "line_comment", "multiline_comment", "lifetime", "mutable_specifier"),
        *("modifiers", "readonly_modifier", "visibility_modifier", "val", "var"),
    )
)
"""Nodes of a parameter that its caller does not see."""
_VARIADIC = frozenset(("...", "params", "repeated_parameter_type", "splat_parameter", "vararg", "vararg_expression"))
_NAMES = frozenset(("field_identifier", "identifier", "simple_identifier", "variable_name"))
_RESULTS = ("return_type", "result", "returns")
_DEEPEST = 12
LONGEST_LINE = 400
_WORD_AROUND = re.compile(rb"\w")
_BEFORE_DECLARED = re.compile(
    rb"[^\s#/*][^=\n]*|[ \t]*#[ \t]*define[ \t]+"
    rb"|[ \t]+(?!(?:return|else|case|throw|new|await|goto|yield|if|elif|while|for|and|or|not|in|is|then|do|print)\b)"
    rb"[\w:<>\[\]&*?.$@ \t,]*[\w>\]&*?:.][ \t]+[*&$]*"
)
_AFTER_DECLARED = re.compile(rb"[ \t]*(?:=(?!=)|:(?!:)|,?[ \t]*(?:/[/*].*)?\r?$|\([^;]*\{\s*$)")


@dataclass(frozen=True, slots=True)
class FileDeclarations:
    """What a file declares, in line order. The lack of a name that is ``in_doubt`` there means nothing, nor does, where
    it ``has_errors``, that of any.
    """

    declared: tuple[Declaration, ...] = ()
    in_doubt: frozenset[str] = frozenset()
    has_errors: bool = False


def may_declare(data: bytes, name: str) -> bool:
    """Return whether a line may declare a name, in any language: a quick check before a file is parsed.

    A call is indented, and no word but that of a statement stands before it.
    """
    wanted, at = name.encode(), 0
    while (at := data.find(wanted, at)) >= 0:
        end = at + len(wanted)
        before = data[data.rfind(b"\n", 0, at) + 1 : at]
        after = data[end : end + LONGEST_LINE].partition(b"\n")[0]
        is_word = not _WORD_AROUND.match(before[-1:]) and not _WORD_AROUND.match(after[:1])
        if is_word and len(before) < LONGEST_LINE and (
            _BEFORE_DECLARED.fullmatch(before) or (not before.strip() and _AFTER_DECLARED.match(after))
        ):  # fmt: skip
            return True
        at = end
    return False


def file_declarations(path: bytes, data: bytes) -> FileDeclarations:
    """Return what a file declares at module or class level; nothing for a language that has no definitions.

    Cached (LRU).
    """
    language = language_of(path, data)
    if language.name in LANGUAGES:
        return FileDeclarations(declarations(data, language.name))
    return _in_tree(language, data) if language.name in TREE_LANGUAGES else FileDeclarations()


@lru_cache(_KEPT)
def _in_tree(language: Language, data: bytes) -> FileDeclarations:
    data = with_line_feeds(data)
    lines = LineTable(data)
    outline, tree, has_errors = outline_and_tree(language, data, lines, Deadline(time_for(len(data))))
    if tree is None or language.grammar is None:
        return FileDeclarations(has_errors=True)
    symbols = outline.symbols
    bases = bases_by_class(load(language.grammar), tree.root_node, data)
    found = []
    for one in symbols[:MOST_DECLARATIONS]:
        kind = _kind(one, symbols)
        if kind and one.is_sure and not _is_local(one, symbols):
            node = tree.root_node.descendant_for_byte_range(one.start, max(one.start, one.end - 1))
            if node is not None and node.type == "preproc_def" and node.child_by_field_name("value") is None:
                continue
            declaration = Declaration(
                (*one.trail, one.name),
                kind,
                lines.row(one.start) + 1,
                bases=bases.get(one.start, ()),
                end_line=lines.row(max(one.start, one.end - 1)) + 1,
            )
            found.append(_with_signature(declaration, node, one, language.name))
    in_doubt = frozenset(one.name for one in symbols if not one.is_sure)
    return FileDeclarations(tuple(found), in_doubt, has_errors)


def _kind(one: Symbol, symbols: Sequence[Symbol]) -> str:
    """Return what a symbol declares; nothing for a field, but for those of an enumeration."""
    if one.kind in _CALLABLE and one.kind != "test":
        return "function"
    if one.kind in _CLASSES or one.kind == "type":
        return "class"
    around = symbols[one.parent].kind if one.parent >= 0 else ""
    if one.kind == "field":
        return "value" if around == "enum" else ""
    is_property = around in ("class", "interface", "struct", "trait") and not one.name.isupper()
    return "value" if one.kind in ("constant", "macro") and not is_property else ""


def _is_local(one: Symbol, symbols: Sequence[Symbol]) -> bool:
    parent = one.parent
    while parent >= 0:
        if symbols[parent].kind in FUNCTIONS:
            return True
        parent = symbols[parent].parent
    return False


# Signatures


def _with_signature(one: Declaration, node: tree_sitter.Node | None, symbol: Symbol, language: str) -> Declaration:
    if node is None or node.start_byte != symbol.start:
        return one
    lists, holder = _parameter_lists(node)
    if one.kind != "function" and not lists:
        return one
    parameters = [parameter for each in lists for group in _groups(each) for parameter in _parameters(group, language)]
    if language in ("c", "cpp") and [str(parameter) for parameter in parameters] == ["void"]:
        parameters = []
    kind = "function" if symbol.kind == "macro" else one.kind
    has_result = kind == "function" and "constructor" not in node.type
    result = _result(node, holder, lists) if has_result else ""
    return replace(one, kind=kind, parameters=tuple(parameters), result=result)


def _parameter_lists(node: tree_sitter.Node, depth: int = 0) -> tuple[list[tree_sitter.Node], tree_sitter.Node]:
    """Return the nodes that hold the parameters of a definition between brackets, and the one that holds them."""
    found = [one for one in node.children_by_field_name("parameters") if one.type not in _TYPE_LISTS]
    found = found or [one for one in node.children if one.type in _LISTS]
    if (
        not found
        and any(one.type == "(" for one in node.children)
        and any(one.type == "parameter" for one in node.children)
    ):
        found = [node]
    if found or depth >= _DEEPEST:
        return found, node
    declarator = node.child_by_field_name("declarator")
    inside = [declarator] if declarator is not None else [one for one in node.children if one.type in _HOLDERS]
    for one in inside:
        lists, holder = _parameter_lists(one, depth + 1)
        if lists:
            return lists, holder
    return [], node


def _groups(holder: tree_sitter.Node) -> Iterator[list[tuple[str, tree_sitter.Node]]]:
    """Yield the nodes of each parameter, with their fields: what stands between brackets and commas."""
    has_brackets = any(one.type == "(" for one in holder.children)
    is_open = not has_brackets
    group: list[tuple[str, tree_sitter.Node]] = []
    for at, one in enumerate(holder.children):
        if not is_open:
            is_open = one.type == "("
        elif has_brackets and one.type == ")":
            break
        elif one.type == ",":
            if group:
                yield group
            group = []
        elif one.type not in _SILENT:
            group.append((holder.field_name_for_child(at) or "", one))
    if group:
        yield group


def _parameters(group: Sequence[tuple[str, tree_sitter.Node]], language: str) -> Iterator[Parameter]:
    """Yield the parameters of a group: in Go several may have one type."""
    kinds = {one.type for _, one in group}
    if kinds & {"self_parameter", "block_parameter"}:
        return
    parts = [part for field, one in group for part in _parts(field, one)]
    equals = next((at for at, (_, one) in enumerate(parts) if one.type == "="), len(parts))
    default = _text(one for _, one in parts[equals + 1 :]) if equals < len(parts) else None
    if "keyword_parameter" in kinds:
        values = [one for field, one in parts if field == "value"]
        default, equals = (_text(values) if values else None), len(parts)
        parts = [part for part in parts if part[0] != "value"]
    before = [one for _, one in parts[:equals]]
    is_variadic = not _VARIADIC.isdisjoint({*kinds, *(leaf.type for one in before for leaf in _nodes(one))})
    kind = "**" if "hash_splat_parameter" in kinds else "*" if is_variadic else ""
    kind = "=" if "keyword_parameter" in kinds else kind
    names = _name_nodes(parts[:equals])
    inner = [one for field, one in parts[:equals] if field == "name" and one.type in _NAMES]
    type_ = _type(before, without=[*names, *inner])
    is_named = language in NAMED_PARAMETERS or (language == "ruby" and kind == "=")
    each: Sequence[tree_sitter.Node | None] = names or [None]
    for name in each:
        called = (name.text or b"").decode("utf-8", "replace").lstrip("$") if name is not None and is_named else ""
        others = {one.start_byte for one in names if one is not name}
        shown = [one for _, one in (group if len(names) < 2 else parts) if one.start_byte not in others]
        yield Parameter(called, kind, default, type=type_, written=_written(shown))


def _parts(field: str, node: tree_sitter.Node) -> list[tuple[str, tree_sitter.Node]]:
    """Return what a parameter consists of, with fields; a node that is no parameter is a part itself."""
    if not node.type.endswith(("parameter", "parameter_declaration")) or not node.named_child_count:
        return [(field, node)]
    return [
        (node.field_name_for_child(at) or "", one)
        for at, one in enumerate(node.children)
        if one.type not in _SILENT and one.type != ","
    ]


def _name_nodes(parts: Sequence[tuple[str, tree_sitter.Node]]) -> list[tree_sitter.Node]:
    """Return the nodes of the names that a parameter has, in Swift the one that a call writes; none without a name."""
    labels = [one for field, one in parts if field == "external_name"]
    if labels:
        return labels
    declarators = [one for field, one in parts if field == "declarator"]
    if declarators:
        return [leaf for leaf in _nodes(declarators[0]) if leaf.type in _NAMES][:1]
    named = [one for field, one in parts if field == "pattern" or (field == "name" and one.type in _NAMES)] or [
        leaf for _, one in parts if one.type == "variable_declarator" for leaf in _nodes(one) if leaf.type in _NAMES
    ]
    return named or [one for field, one in parts if not field and one.type in ("identifier", "simple_identifier")][:1]


def _result(node: tree_sitter.Node, holder: tree_sitter.Node, lists: Sequence[tree_sitter.Node]) -> str:
    """Return what a function returns, as its tree says it; nothing where it says nothing."""
    if holder.type == "function_declarator":
        trailing = [one for one in holder.children if one.type == "trailing_return_type"]
        type_ = node.child_by_field_name("type")
        around = [
            one for one in _nodes(node) if type_ is not None and type_.end_byte <= one.start_byte < holder.start_byte
        ]
        pieces = [one.children[-1] for one in trailing] or [
            *([type_] if type_ is not None else []),
            *(one for one in around if not one.child_count),
        ]
    else:
        pieces = next(([one] for field in _RESULTS if (one := node.child_by_field_name(field)) is not None), [])
        end = lists[-1].end_byte if lists else node.start_byte
        if not pieces and node.type in ("method_declaration", "delegate_declaration"):
            type_ = node.child_by_field_name("type")
            pieces = [type_] if type_ is not None else []
        if not pieces:
            arrows = [
                at
                for at, one in enumerate(node.children)
                if one.type in ("->", ":") and (one.start_byte >= end or node in lists)
            ]
            pieces = node.children[arrows[0] + 1 : arrows[0] + 2] if arrows else []
    result = _type(pieces)
    return "" if result == "void" else result


def _nodes(node: tree_sitter.Node, without: Collection[tuple[int, int]] = ()) -> Iterator[tree_sitter.Node]:
    """Yield a node and what is in it, in order, without byte ranges and without what a caller does not see."""
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type not in _SILENT and one.byte_range not in without:
            yield one
            pending += reversed(one.children)


def _type(nodes: Iterable[tree_sitter.Node], without: Sequence[tree_sitter.Node] = ()) -> str:
    """Return the tokens of a type; of two spellings of one type the shorter."""
    tokens = _text(nodes, without).removeprefix(": ")
    return tokens.replace("interface { }", "any")


def _text(nodes: Iterable[tree_sitter.Node], without: Sequence[tree_sitter.Node] = ()) -> str:
    """Return the tokens of nodes, with a blank between each two, so that layout does not matter."""
    left = {one.byte_range for one in without}
    tokens = (leaf for node in nodes for leaf in _nodes(node, left) if not leaf.child_count)
    return " ".join((token.text or b"").decode("utf-8", "replace") for token in tokens)


def _written(nodes: Sequence[tree_sitter.Node]) -> str:
    """Return the text of nodes that follow each other, with white space folded."""
    pieces: list[str] = []
    end = -1
    for one in nodes:
        blank = " " if pieces and one.start_byte > end else ""
        pieces.append(blank + " ".join((one.text or b"").decode("utf-8", "replace").split()))
        end = one.end_byte
    return "".join(pieces)
