"""Which definition of a name is meant, seen from a place in a file. Pure: candidates in, the likely ones out.

Nothing is resolved as a compiler would: the candidates are ordered by what is near, and where one is plainly meant the
others are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from helix_core.model import Role, SourceKind
from helix_core.search import Imports
from helix_core.store import DefinedAt
from helix_core.words import IDENTIFIER, is_compound

MOST_DEFINITIONS = 5
LONGEST_NAME = 200
_JOINTS = re.compile(r"::|->|\?\.|[.#]")
_PATH_PARTS = re.compile(r"[/.]")
_SELF = frozenset({"self", "this", "cls", "super", "super()", "Self", "@"})
_ROLES = {Role.IMPLEMENTATION: 0, Role.CONFIG: 1, Role.EXAMPLE: 2, Role.TEST: 3}
_MINOR_KINDS = frozenset({"field", "entry", "key", "rule", "section", "table", "variable"})


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A name taken apart: ``owners`` are the words before it (``Class`` in ``Class.method``), outermost first."""

    name: str
    owners: tuple[str, ...] = ()

    @property
    def is_own(self) -> bool:
        """Is it said of the very object the asker is in?"""
        return bool(self.owners) and self.owners[-1] in _SELF


@dataclass(frozen=True, slots=True)
class CursorContext:
    """Where the name was pointed at: the file's path, the 1-based line on disk, the names of what is defined around
    that line, and what the file imports."""

    path: bytes = b""
    line: int = 0
    trail: tuple[str, ...] = ()
    imports: Imports = field(default_factory=Imports)


@dataclass(frozen=True, slots=True)
class Meant:
    """The definitions that may be meant, best first, and how many places define the name at all."""

    definitions: tuple[DefinedAt, ...] = ()
    total: int = 0


def asked(text: str) -> NameQuery | None:
    """What a text names; None for what can be no name."""
    text = text[: LONGEST_NAME + 1].strip()
    if not text or len(text) > LONGEST_NAME or any(c.isspace() or not c.isprintable() for c in text):
        return None
    *owners, name = _JOINTS.split(text.removesuffix("()"))
    if not IDENTIFIER.search(name) or (name in _SELF and not owners):
        return None
    return NameQuery(name, tuple(owner for owner in owners if owner))


def choose(candidates: Sequence[DefinedAt], wanted: NameQuery, here: CursorContext) -> Meant:
    """At most ``MOST_DEFINITIONS`` definitions; one alone where it is plainly that one."""
    known = _of_code(candidates, here)
    exact = [one for one in known if one.hit.name == wanted.name]
    # From inside a text the case is written as it is meant; who types a name need not know it.
    known = exact or ([] if here.path else known)
    total = len(known)
    if wanted.owners and not wanted.is_own:
        known = _owned(known, wanted.owners, here)
    pointed = [one for one in known if one.path == here.path and one.hit.start_line == here.line]
    if pointed:
        return Meant(tuple(pointed[:1]), total)
    imported = {path for path in {one.path for one in known} if here.imports.include(path)}
    ranked = sorted(known, key=lambda one: _order(one, here, imported))
    if ranked and not wanted.owners and _is_plain(ranked[0], here, imported):
        return Meant(tuple(ranked[:1]), total)
    if here.path and not is_compound(wanted.name):
        # A field called ``name`` in some other file says nothing about this ``name``.
        near = {here.path, *imported}
        ranked = [one for one in ranked if one.path in near or one.hit.kind not in _MINOR_KINDS]
    return Meant(tuple(ranked[:MOST_DEFINITIONS]), total)


def _of_code(candidates: Sequence[DefinedAt], here: CursorContext) -> list[DefinedAt]:
    """Symbols of code; keys of configuration where nothing else has the name; never headings."""
    code = [one for one in candidates if one.source_kind is SourceKind.CODE]
    own = [one for one in candidates if one.path == here.path and one.source_kind is SourceKind.CONFIG]
    if code or own:
        return [*own, *code]
    return [one for one in candidates if one.source_kind is SourceKind.CONFIG and is_compound(one.hit.name)]


def _owned(known: list[DefinedAt], owners: Sequence[str], here: CursorContext) -> list[DefinedAt]:
    """Those inside the class or module named before; where the owner is a variable, all; none of an outside module."""
    owned = [one for one in known if _is_owned(one, owners[-1])]
    if owned:
        return owned
    return [] if owners[0] in here.imports.words else known


def _is_owned(one: DefinedAt, owner: str) -> bool:
    return owner in one.trail or owner in _PATH_PARTS.split(one.path.decode("utf-8", "replace"))


def _is_plain(best: DefinedAt, here: CursorContext, imported: Collection[bytes]) -> bool:
    """A definition at the top level of this file, or of one it imports, is what a bare name means."""
    return not best.trail and (best.path == here.path or best.path in imported)


def _order(one: DefinedAt, here: CursorContext, imported: Collection[bytes]) -> tuple[object, ...]:
    is_here = one.path == here.path
    return (
        not is_here,
        is_here and not (one.trail and one.trail[-1] in here.trail),
        abs(one.hit.start_line - here.line) if is_here else 0,
        one.path not in imported,
        -here.imports.depth(one.path),
        _ROLES.get(one.role, 4),
        one.hit.kind in _MINOR_KINDS,
        -_shared(one.path, here.path),
        one.path.count(b"/"),
        one.path,
        one.hit.start_line,
    )


def _shared(one: bytes, other: bytes) -> int:
    """How many folders two paths have in common from the root on."""
    count = 0
    for left, right in zip(one.split(b"/")[:-1], other.split(b"/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
