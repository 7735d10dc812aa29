"""Scopes that are no definitions: they name what stands in them, or keep it from having a sure chain of names.

A property that holds an object or a table is a part of the chains in it (``store.mutations.setUser``). What an
anonymous class or object has is no member of the class around it, nor is what stands in a block that another object
runs, such as Ruby's ``class_eval``; a friend that a class of C++ defines belongs to the namespace around.

Knows trees; knows no chunks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import tree_sitter

from helix_core.ingest.exact_names import bounded, name_text

_METHODS_OF_RUBY = ("method", "singleton_method")
_BLOCKS_OF_RUBY = ("do_block", "block")
_CHANGING = frozenset(
    {"class_eval", "class_exec", "module_eval", "module_exec", "instance_eval", "instance_exec", "new", "define"}
    | {"refine", "included", "prepended", "class_methods", "concerning", "define_method", "define_singleton_method"}
)
"""Methods of Ruby and Rails whose block defines methods elsewhere than where it stands; the block of any other may do
so in a class.
"""
_KEEPING = frozenset(
    {"each", "each_pair", "each_key", "each_value", "each_with_index", "each_with_object", "each_slice", "each_cons"}
    | {"map", "select", "reject", "inject", "times", "upto", "step", "loop", "tap", "then", "silence_warnings"}
)
"""Methods of Ruby whose block defines methods where it stands."""
_SUITES = frozenset({"describe", "context", "feature", "suite", "fdescribe", "xdescribe"})
_PROTOTYPE = "prototype"
_WORDS = re.compile(rb"\w+")
_TYPES_OF_RUST = frozenset({"struct_item", "enum_item", "union_item", "type_item", "trait_item"})


@dataclass(frozen=True, slots=True)
class NamingScope:
    """Bytes ``[start, end)`` in which chains of names have the part ``name``, or are not sure where that is empty.

    ``name_start`` is where the name is written: a definition whose name is there is this scope.
    """

    start: int
    end: int
    name: str = ""
    name_start: int = -1


class Membership(Enum):
    """What a definition is a member of: what it stands in, the namespace around, the file, or it cannot be told."""

    INSIDE = auto()
    IN_NAMESPACE = auto()
    IN_FILE = auto()
    ELSEWHERE = auto()


def scopes(query: tree_sitter.Query, root: tree_sitter.Node, data: bytes) -> list[NamingScope]:
    """Return the scopes of a tree that are no definitions, in order, as a grammar's query captures them."""
    held: set[int] = set()
    anonymous: dict[int, NamingScope] = {}
    named: dict[int, NamingScope] = {}
    for _, captures in tree_sitter.QueryCursor(query).matches(root):
        held.update(node.id for node in captures.get("held", ()))
        anonymous.update((node.id, NamingScope(*node.byte_range)) for node in captures.get("anonymous", ()))
        for node in captures.get("part", ()):
            named[node.id] = _part(node, captures, data)
    found = {**anonymous, **named}
    return sorted(
        (scope for key, scope in found.items() if key not in held), key=lambda scope: (scope.start, -scope.end)
    )


def _part(node: tree_sitter.Node, captures: dict[str, list[tree_sitter.Node]], data: bytes) -> NamingScope:
    name = captures["name"][0]
    written = name_text(data[name.start_byte : name.end_byte]).strip("\"'`")
    owner = name_text(data[slice(*captures["owner"][0].byte_range)]) if "owner" in captures else "this"
    if owner != "this":
        written = owner if written == _PROTOTYPE else f"{owner}.{written}"
    return NamingScope(*node.byte_range, bounded(written) or "''", name.start_byte)


class Around:
    """The scopes around definitions that are asked for in the order of their first bytes."""

    def __init__(self, found: Sequence[NamingScope]) -> None:
        self._coming = list(reversed(found))
        self._open: list[NamingScope] = []

    def parts(self, start: int, name_start: int, parent: tuple[int, int]) -> tuple[str, ...]:
        """Return the parts of a chain between a definition and its parent; an empty one leaves the chain in doubt.

        Args:
            start: The first byte of the definition.
            name_start: The first byte of its name.
            parent: Those of its parent; -1 and -1 where it has none.
        """
        while self._coming and self._coming[-1].start <= start:
            self._open.append(self._coming.pop())
        while self._open and self._open[-1].end <= start:
            self._open.pop()
        return tuple(
            scope.name
            for scope in self._open
            if scope.start >= parent[0]
            and name_start < scope.end
            and not (scope.name and scope.name_start in (name_start, parent[1]))
        )


def membership(node: tree_sitter.Node, data: bytes, *, is_hoisted: bool = False) -> Membership:
    """Return what a definition is a member of; one that ``is_hoisted`` of no function that it stands in."""
    if is_hoisted:
        return Membership.INSIDE if _is_local_in_lua(node) else Membership.IN_NAMESPACE
    if node.type == "impl_item":
        return Membership.INSIDE if _is_of_a_local_type(node) else Membership.IN_NAMESPACE
    if node.type in _METHODS_OF_RUBY:
        return Membership.ELSEWHERE if _is_of_another(node, data) else Membership.INSIDE
    if node.type == "constructor_declaration" and node.parent is not None and node.parent.type == "declaration_list":
        # An extension block of C# is parsed as one; a constructor is called like its type.
        type_ = node.parent.parent
        return Membership.INSIDE if type_ is not None and _name(node) == _name(type_) else Membership.ELSEWHERE
    if node.type in ("class", "module") and _name(node).startswith(b"::"):
        return Membership.IN_FILE
    if node.parent is not None and node.parent.type == "friend_declaration":
        return Membership.IN_NAMESPACE
    return Membership.INSIDE


def _is_local_in_lua(node: tree_sitter.Node) -> bool:
    """Return whether a function of Lua is, or is a member of, a local of a function or a block around it."""
    named = node.child_by_field_name("name") or node.named_child(0)
    root = _WORDS.match(named.text or b"") if named is not None else None
    name, inner = root[0] if root is not None else b"", node
    if name == b"self" or _declares(node, name):
        return True
    while (around := inner.parent) is not None and around.type != "chunk":
        parameters = around.child_by_field_name("parameters") or around.child_by_field_name("clause")
        if parameters is not None and any(child.text == name for child in _names_in(parameters)):
            return True
        before = inner.prev_named_sibling
        while before is not None:
            if _declares(before, name):
                return True
            before = before.prev_named_sibling
        inner = around
    return False


def _declares(statement: tree_sitter.Node, name: bytes) -> bool:
    """Return whether a statement of Lua declares a local of a name."""
    if statement.type not in ("variable_declaration", "function_declaration", "assignment_statement"):
        return False
    holder = statement.parent if statement.type == "assignment_statement" else statement
    if holder is None or holder.child_count == 0 or holder.children[0].type != "local":
        return False
    return any(one.text == name for one in _names_in(statement))


def _names_in(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the names that a statement, a list of parameters or the head of a loop of Lua gives."""
    found = node.children_by_field_name("name")
    for child in node.named_children:
        if child.type in ("variable_list", "assignment_statement"):
            found += _names_in(child)
    return found


def _is_of_a_local_type(node: tree_sitter.Node) -> bool:
    """Return whether the type that Rust implements is of the function or the block that it stands in."""
    type_ = node.child_by_field_name("type")
    words = set(_WORDS.findall(type_.text or b"")) if type_ is not None else set()
    around = node.parent
    while around is not None and around.type not in ("source_file", "mod_item"):
        if around.type == "block" and any(
            child.type in _TYPES_OF_RUST and _name(child) in words for child in around.named_children
        ):
            return True
        around = around.parent
    return False


def _name(node: tree_sitter.Node) -> bytes:
    named = node.child_by_field_name("name")
    return (named.text or b"") if named is not None else b""


def _is_of_another(node: tree_sitter.Node, data: bytes) -> bool:
    """Return whether a method of Ruby is one of another object than the class that it stands in, or may be:
    ``def other.run``, one in ``class << other``, or one in a block that another object runs.
    """
    target, around = node.child_by_field_name("object"), node.parent
    is_unknown = False
    while around is not None and around.type not in ("class", "module"):
        if target is None and around.type == "singleton_class":
            target = around.child_by_field_name("value")
        if around.type in _BLOCKS_OF_RUBY and target is None and around.parent is not None:
            call = around.parent
            method = call.child_by_field_name("method")
            word = name_text(method.text or b"") if method is not None else ""
            if word in _SUITES or _is_held(call):
                return False
            if word in _CHANGING:
                return True
            is_unknown = is_unknown or word not in _KEEPING
        around = around.parent
    if target is None or target.type == "self":
        return is_unknown and around is not None
    return around is None or _name(around) != data[target.start_byte : target.end_byte]


def _is_held(call: tree_sitter.Node) -> bool:
    """Return whether a constant holds what a call returns: ``Point = Struct.new(:x) do``."""
    assignment = call.parent
    left = assignment.child_by_field_name("left") if assignment is not None else None
    return left is not None and left.type == "constant"
