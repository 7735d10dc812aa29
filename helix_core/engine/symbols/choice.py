"""Choose the definition that a name means at a place in a file. Pure: candidates in, the likely ones out.

Names are not resolved as a compiler would: candidates are ordered by nearness, and where one is plainly meant the
others are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from helix_core.engine.requests import NOT_IN_OWNER
from helix_core.ingest import plain_base
from helix_core.model import Role, SourceKind
from helix_core.search import Imports, module_of
from helix_core.store import DefinedAt
from helix_core.words import IDENTIFIER, is_compound

MOST_DEFINITIONS = 5
OWNERS_NAMED = 3
LONGEST_NAME = 200
_JOINTS = re.compile(r"::|->|\?\.|[.#]")
_PATH_PARTS = re.compile(r"[/.]")
_SELF = frozenset({"self", "this", "cls", "super", "super()", "Self", "@"})
_CLASSES = frozenset({"class", "interface", "trait", "struct", "object", "module"})
_ROLES = {Role.IMPLEMENTATION: 0, Role.CONFIG: 1, Role.EXAMPLE: 2, Role.TEST: 3}
_MINOR_KINDS = frozenset({"field", "entry", "key", "rule", "section", "table", "variable"})


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A parsed name: ``owners`` are the words before it (``Class`` in ``Class.method``), outermost first."""

    name: str
    owners: tuple[str, ...] = ()

    @property
    def is_own(self) -> bool:
        """Return whether the owner is ``self`` or its equivalent."""
        return bool(self.owners) and self.owners[-1] in _SELF


@dataclass(frozen=True, slots=True)
class CursorContext:
    """The place of the name: the file's path, the 1-based line on disk, the names of the enclosing definitions, and
    the file's imports.
    """

    path: bytes = b""
    line: int = 0
    trail: tuple[str, ...] = ()
    imports: Imports = field(default_factory=Imports)


@dataclass(frozen=True, slots=True)
class LikelyDefinitions:
    """The likely definitions, best first, and the number of all of the name, of ``Owner.name`` those of the owner."""

    definitions: tuple[DefinedAt, ...] = ()
    total: int = 0


def parse_name(text: str) -> NameQuery | None:
    """Parse a name; None for a text that is not a name."""
    text = text[: LONGEST_NAME + 1].strip()
    if not text or len(text) > LONGEST_NAME or any(c.isspace() or not c.isprintable() for c in text):
        return None
    *owners, name = _JOINTS.split(text.removesuffix("()"))
    if not IDENTIFIER.search(name) or (name in _SELF and not owners):
        return None
    return NameQuery(name, tuple(owner for owner in owners if owner))


def choose(candidates: Sequence[DefinedAt], wanted: NameQuery, here: CursorContext) -> LikelyDefinitions:
    """Return at most ``MOST_DEFINITIONS`` definitions; only one where it is plainly meant."""
    known = _of_code(candidates, here)
    exact = [one for one in known if one.hit.name == wanted.name]
    # A name in a text has its exact case; a typed name may not.
    known = exact or ([] if here.path else known)
    if wanted.owners and not wanted.is_own:
        known = _owned(known, wanted.owners, here)
    total = len(known)
    pointed = [one for one in known if one.path == here.path and one.hit.start_line == here.line]
    if pointed:
        return LikelyDefinitions(tuple(pointed[:1]), total)
    imported = {path for path in {one.path for one in known} if here.imports.include(path)}
    ranked = sorted(known, key=lambda one: _order(one, here, imported))
    if ranked and not wanted.owners and _is_plain(ranked[0], here, imported):
        return LikelyDefinitions(tuple(ranked[:1]), total)
    if here.path and not is_compound(wanted.name):
        # A field ``name`` in another file is unrelated to this ``name``.
        near = {here.path, *imported}
        ranked = [one for one in ranked if one.path in near or one.hit.kind not in _MINOR_KINDS]
    return LikelyDefinitions(tuple(ranked[:MOST_DEFINITIONS]), total)


def choose_base(written: str, known: Sequence[DefinedAt], here: CursorContext) -> DefinedAt | None:
    """Return the class that a base class most likely means, None where none is known or several are as likely.

    Good enough for what is shown with its place; a verdict asks ``verdict.cited`` for a class without doubt.

    Args:
        written: The base as written after the class's name, with its owners (``virtual.Channel``).
        known: The definitions of the base's last name.
        here: The file, its imports, and as ``trail`` the chain of the class whose base it is, never its own base.
    """
    *owners, name = _JOINTS.split(plain_base(written))
    classes = {
        (one.path, *chain_of(one)): one
        for one in known
        if one.hit.name == name and one.hit.kind in _CLASSES and one.role is not Role.TEST
    }
    classes.pop((here.path, *here.trail), None)
    others = list(classes.values())
    if owners:
        owned = _owned(others, owners, here)
        narrowed = [one for one in owned if _is_imported_as(one.path, owners[-1], here)] or owned
    else:
        own = [one for one in others if one.path == here.path]
        imported = [one for one in others if here.imports.include(one.path)]
        narrowed = own or imported or _deepest(others, here) or others
    return narrowed[0] if len(narrowed) == 1 else None


def chain_of(one: DefinedAt) -> tuple[str, ...]:
    """Return the names of a definition: of those around it, outermost first, and its own."""
    return (*one.trail, one.hit.name)


def _is_imported_as(path: bytes, owner: str, here: CursorContext) -> bool:
    """Return whether a file is imported, or lies in a module of the name ``owner`` right below an imported package."""
    depth = here.imports.depth(path)
    return here.imports.include(path) or (depth > 0 and module_of(path)[depth : depth + 1] == (owner,))


def _deepest(known: Sequence[DefinedAt], here: CursorContext) -> list[DefinedAt]:
    """Return the definitions that lie deepest below an imported package, which may hand them on."""
    depths = [here.imports.depth(one.path) for one in known]
    most = max(depths, default=0)
    return [one for one, depth in zip(known, depths, strict=True) if most and depth == most]


def _of_code(candidates: Sequence[DefinedAt], here: CursorContext) -> list[DefinedAt]:
    """Return symbols of code; keys of configuration where nothing else has the name; never headings."""
    code = [candidate for candidate in candidates if candidate.source_kind is SourceKind.CODE]
    own = [
        candidate
        for candidate in candidates
        if candidate.path == here.path and candidate.source_kind is SourceKind.CONFIG
    ]
    if code or own:
        return [*own, *code]
    return [
        candidate
        for candidate in candidates
        if candidate.source_kind is SourceKind.CONFIG and is_compound(candidate.hit.name)
    ]


def _owned(known: list[DefinedAt], owners: Sequence[str], here: CursorContext) -> list[DefinedAt]:
    """Return those inside the named class or module; all where the owner is a variable; none of an external module."""
    # A class of that name comes before a module, and what a module has at its top before what is deeper in it.
    ways = (
        lambda one: one.trail[-1:] == (owners[-1],),
        lambda one: not one.trail and module_of(one.path)[-1:] == (owners[-1],),
        lambda one: _is_owned(one, owners[-1]),
    )
    for way in ways:
        owned = [one for one in known if way(one)]
        whole = [one for one in owned if (*module_of(one.path), *one.trail)[-len(owners) :] == tuple(owners)]
        if owned:
            return whole or owned
    return [] if owners[0] in here.imports.words else known


def _is_owned(one: DefinedAt, owner: str) -> bool:
    return owner in one.trail or owner in _PATH_PARTS.split(one.path.decode("utf-8", "replace"))


def _belongs_to(one: DefinedAt, owner: str) -> bool:
    """Return whether a definition lies in a class, a function, a module or a folder of this name."""
    return _is_owned(one, owner) or module_of(one.path)[-1:] == (owner,)


def owners_note(wanted: NameQuery, known: Sequence[DefinedAt]) -> str:
    """Return which owners a name has, where none of its definitions belongs to the one that it is asked with; "" where
    one does. ``known`` are its definitions, likely ones first.
    """
    if not wanted.owners or wanted.is_own or any(_belongs_to(one, wanted.owners[-1]) for one in known):
        return ""
    named = [f"{'.'.join(chain_of(one))} in {one.path.decode('utf-8', 'replace')}" for one in known]
    listed = list(dict.fromkeys(named))
    more = f" and {len(listed) - OWNERS_NAMED} more" if len(listed) > OWNERS_NAMED else ""
    return (
        f"no {wanted.name[:80]} {NOT_IN_OWNER} {wanted.owners[-1][:80]!a}; there is "
        f"{', '.join(listed[:OWNERS_NAMED])}{more}"
    )


def _is_plain(best: DefinedAt, here: CursorContext, imported: Collection[bytes]) -> bool:
    """Return whether it is a top-level definition of this file, or of one it imports, which a bare name means."""
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
    """Count the leading folders that two paths share."""
    count = 0
    for left, right in zip(one.split(b"/")[:-1], other.split(b"/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
