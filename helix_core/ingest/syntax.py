"""Grammars, loaded when first used, and the time-limited parse. Knows trees; knows no chunks."""

from __future__ import annotations

import ctypes
import importlib
import time
from dataclasses import dataclass
from functools import cache

import tree_sitter

from helix_core.ingest.grammars import Grammar

PARSE_LIMIT_S = 2.0
_READ_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Loaded:
    """A grammar in memory. ``keywords`` are the words its syntax reserves, taken from the grammar itself."""

    language: tree_sitter.Language
    definitions: tree_sitter.Query
    text: tree_sitter.Query
    keywords: frozenset[str]


@cache
def load(grammar: Grammar) -> Loaded:
    """The grammar and its compiled queries; the first call costs a few milliseconds, later ones nothing."""
    pointer = getattr(importlib.import_module(grammar.module), grammar.entry)()
    language = tree_sitter.Language(_capsule(pointer) if isinstance(pointer, int) else pointer)
    return Loaded(
        language=language,
        definitions=tree_sitter.Query(language, grammar.definitions),
        text=tree_sitter.Query(language, grammar.text),
        keywords=frozenset(_keywords(language)),
    )


def _capsule(pointer: int) -> object:
    """Some wheels still give a bare address, which tree-sitter deprecates; it wants a named capsule."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule: object = new(pointer, b"tree_sitter.Language", None)
    return capsule


def _keywords(language: tree_sitter.Language) -> list[str]:
    kinds = range(language.node_kind_count)
    names = (language.node_kind_for_id(kind) for kind in kinds if not language.node_kind_is_named(kind))
    return [name for name in names if name and name.isidentifier()]


def parse(loaded: Loaded, data: bytes, limit_s: float = PARSE_LIMIT_S) -> tree_sitter.Tree | None:
    """The tree of ``data``, or None when parsing took more than ``limit_s`` seconds of this thread's processor time.

    The reader must hand out ``bytes``: tree-sitter keeps what it was given, and crashes on a released view.
    """
    deadline = time.thread_time() + limit_s
    late = False

    def read(offset: int, _: tree_sitter.Point) -> bytes:
        return data[offset : offset + _READ_BYTES]

    def progress(_offset: int, _has_error: bool) -> bool:
        nonlocal late
        late = time.thread_time() > deadline
        return late

    try:
        return tree_sitter.Parser(loaded.language).parse(read, progress_callback=progress)
    except ValueError:
        if late:
            return None
        raise
