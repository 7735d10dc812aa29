"""Load grammars on first use, and parse with a time limit. Knows trees; knows no chunks."""

from __future__ import annotations

import ctypes
import importlib
import re
import time
from dataclasses import dataclass
from functools import cache

import tree_sitter

from helix_core.ingest.grammar import Grammar

PARSE_LIMIT_S = 2.0
_START_S = 0.2
_S_PER_BYTE = 1.5e-6
MOST_LINES = 100_000
LONGEST_AVERAGE_BYTES = 2000
_SMALL_BYTES = 65536
_MOST_QUERY_STEPS = 200_000_000
_MOST_ERROR_NODES = 20_000
_READ_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded grammar. ``keywords`` are the reserved words, taken from it; ``unended`` is that of ``Grammar``."""

    language: tree_sitter.Language
    definitions: tree_sitter.Query
    text: tree_sitter.Query
    bases: tree_sitter.Query | None
    scopes: tree_sitter.Query | None
    keywords: frozenset[str]
    unended: re.Pattern[bytes] | None = None


@cache
def load(grammar: Grammar) -> Loaded:
    """Return the grammar and its compiled queries, cached; the first call costs a few milliseconds."""
    pointer = getattr(importlib.import_module(grammar.module), grammar.entry)()
    language = tree_sitter.Language(_capsule(pointer) if isinstance(pointer, int) else pointer)
    return Loaded(
        language=language,
        definitions=tree_sitter.Query(language, grammar.definitions),
        text=tree_sitter.Query(language, grammar.text),
        bases=tree_sitter.Query(language, grammar.bases) if grammar.bases else None,
        scopes=tree_sitter.Query(language, grammar.scopes) if grammar.scopes else None,
        keywords=frozenset(_keywords(language)),
        unended=re.compile(grammar.unended.encode()) if grammar.unended else None,
    )


def _capsule(pointer: int) -> object:
    """Wrap the bare address that some wheels return in a named capsule, which tree-sitter requires."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule: object = new(pointer, b"tree_sitter.Language", None)
    return capsule


def _keywords(language: tree_sitter.Language) -> list[str]:
    kinds = range(language.node_kind_count)
    names = (language.node_kind_for_id(kind) for kind in kinds if not language.node_kind_is_named(kind))
    return [name for name in names if name and name.isidentifier()]


class Deadline:
    """A budget of this thread's CPU time, from now on."""

    __slots__ = ("_end_s", "passed")

    def __init__(self, limit_s: float) -> None:
        self._end_s = time.thread_time() + limit_s
        self.passed = False

    def check(self, *_: object) -> bool:
        """Return whether the budget is used up: a tree-sitter progress callback, which cancels by returning True."""
        if not self.passed and time.thread_time() > self._end_s:
            self.passed = True
        return self.passed


def parse(loaded: Loaded, data: bytes, deadline: Deadline) -> tree_sitter.Tree | None:
    """Return the tree of ``data``, or None when the deadline passed.

    Where it has errors, and lines have ended that the scanner reads on from, these are ended with a semicolon in a
    blank's place: of the two trees the one counts in which less is wrong.
    """
    tree = _parsed(loaded, data, deadline)
    if tree is None or loaded.unended is None or not tree.root_node.has_error:
        return tree
    ended = bytearray(data)
    for match in loaded.unended.finditer(data):
        ended[match.start(1) : match.end(1)] = b";"
    other = _parsed(loaded, bytes(ended), deadline) if ended != data else None
    return other if other is not None and _wrong_bytes(other.root_node) < _wrong_bytes(tree.root_node) else tree


def _wrong_bytes(root: tree_sitter.Node) -> int:
    """Return the number of bytes in error nodes, and one for each node that is missing."""
    count = 0
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            count += max(1, node.end_byte - node.start_byte)
        else:
            pending += [child for child in node.children if child.has_error]
    return count


def _parsed(loaded: Loaded, data: bytes, deadline: Deadline) -> tree_sitter.Tree | None:
    """Return the tree, or None when the deadline passed.

    The read callback must return ``bytes``: tree-sitter keeps a reference, and crashes on a released view.
    """

    def read(offset: int, _: tree_sitter.Point) -> bytes:
        return data[offset : offset + _READ_BYTES]

    try:
        return tree_sitter.Parser(loaded.language).parse(read, progress_callback=deadline.check)
    except ValueError:
        if deadline.passed:
            return None
        raise


def time_for(size_bytes: int) -> float:
    """Return the time limit of a parse, in seconds: about twenty times what ordinary text of this size needs, so
    that a highly ambiguous text is abandoned before its parse exhausts the memory.
    """
    return min(PARSE_LIMIT_S, _START_S + _S_PER_BYTE * size_bytes)


def is_worth_parsing(grammar: Grammar, data: bytes, line_count: int) -> bool:
    """Return False for data in a million lines, or all in one, whose tree is not worth the time and memory, and for
    a text nested deeper than its grammar's scanner supports, which would overwrite this process's memory.
    """
    if line_count > MOST_LINES:
        return False
    if len(data) >= _SMALL_BYTES and len(data) > line_count * LONGEST_AVERAGE_BYTES:
        return False
    return not grammar.deepest or _block_levels(data) <= grammar.deepest


def _block_levels(data: bytes) -> int:
    """Return an upper bound of the block levels open at once: each indentation and each compact marker in a line
    (``- - key: value``) opens one, and a line closes those of earlier lines indented as it is.
    """
    levels: dict[int, int] = {}
    for line in data.splitlines():
        text = line.lstrip()
        if text:
            indent = len(line) - len(text)
            markers = text.count(b"-") + text.count(b"?") + text.count(b":") if len(text) > 1 else 1
            if markers > 3:
                words = text.replace(b"\t", b" ")
                markers = words.count(b"- ") + words.count(b"? ") + words.count(b": ") + 1
            levels[indent] = max(levels.get(indent, 0), markers + 1)
    return sum(levels.values())


def is_tangled(root: tree_sitter.Node) -> bool:
    """Return whether a query over this tree would take too long: its time is quadratic in an error node's children.

    Regular nodes are kept as balanced trees and are harmless however wide; a tree with too many error nodes is tangled
    as well.
    """
    cost = visited = 0
    pending = [root] if root.has_error else []
    while pending:
        node = pending.pop()
        visited += 1
        cost += node.child_count**2 if node.is_error else 0
        if cost > _MOST_QUERY_STEPS or visited > _MOST_ERROR_NODES:
            return True
        pending += [child for child in node.children if child.has_error and child.child_count]
    return False
