"""What changed since a commit in a way that others may not have followed (``helix.changes/1``).

Compares the declarations of each changed file with those it has on disk now, and lists who still uses, overrides, tests
and documents what changed its signature or went away. Like everything here it goes by names and imports: it resolves
no types.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from helix_core.engine.requests import NOT_COMPARED, PageCursor
from helix_core.engine.symbols.choice import CursorContext, chain_of, choose_base
from helix_core.engine.symbols.hierarchy import MOST_BASES
from helix_core.engine.symbols.lookup import NameNeighborhood, Uses
from helix_core.engine.symbols.place import Spot, weigh_spots
from helix_core.engine.verdict import ALIKE, FileObservation, Weigher, parameters_differ, renamed, share, signature
from helix_core.errors import RefusedStatementError
from helix_core.ingest import (
    MEMBERLESS_BASES,
    Declaration,
    Parameter,
    base_name,
    block,
    declarations,
    declared,
    language_of,
    mask,
    plain_base,
)
from helix_core.ingest.provenance import provenance
from helix_core.ingest.signatures import LANGUAGES
from helix_core.model import Role, SourceKind
from helix_core.search import Imports
from helix_core.store import DefinedAt, DefinitionHit, Reader
from helix_core.words import is_compound
from helix_core.workspace import ChangedSince, StartingPoint, source_id_of

SCHEMA = "helix.changes/1"
_AROUND = ("users", "tests", "documents", "overrides")
MOST_FILES = 300
"""So many changed files are compared; reading one from git and parsing it twice takes milliseconds."""
MOST_CANDIDATES = 60
MOST_BASES_OF_A_NAME = 200
_IMPORTING = (b"import ", b"from ", b"export {")
_WORDS = re.compile(rb"\w+")
MOST_LOOKED_UP = 60
"""So many changes are looked up for what is around them, before the first ones are shown."""
NEARBY = 4
"""Times as many uses are read as are shown, of which those that import the definition are kept."""


@dataclass(frozen=True, slots=True)
class Change:
    """A declaration that is not as it was: ``then`` in the file at ``path``, ``now`` where it is, None if it is gone.

    ``kind`` is ``signature``, ``gone``, ``renamed`` (the same text under another name), ``moved`` (to ``now_path``) or
    ``inherited`` (a base class has it now).
    """

    kind: str
    path: bytes
    then: Declaration
    now: Declaration | None = None
    now_path: bytes = b""

    @property
    def breaks(self) -> bool:
        """Return whether a call or an import that was right before may be wrong now."""
        if self.kind not in ("signature", "inherited") or self.now is None:
            return True
        return not still_binds(self.then.parameters or (), self.now.parameters or ())

    @property
    def order(self) -> tuple[object, ...]:
        """Return the sort key: what breaks first, public names before private ones."""
        return (not self.breaks, self.then.chain[-1].startswith("_"), self.path, self.then.line)


def still_binds(before: Sequence[Parameter], after: Sequence[Parameter]) -> bool:
    """Return whether every call that the parameters ``before`` accept is accepted by those ``after``."""
    new = {one.name: one for one in after}
    if {one.kind for one in before} & {"*", "**"} - {one.kind for one in after}:
        return False
    plain = [one for one in before if one.kind not in ("*", "**")]
    for one in plain:
        other = new.pop(one.name, None)
        if other is None or (one.default is not None and other.default is None):
            return False
        if one.kind != other.kind and (one.kind, other.kind) != ("=", "") and (one.kind, other.kind) != ("/", ""):
            return False
    by_place = [one.name for one in plain if one.kind != "="]
    if [one.name for one in after if one.kind in ("", "/")][: len(by_place)] != by_place:
        return False
    return all(one.default is not None or one.kind in ("*", "**") for one in new.values())


def compared(path: bytes, then: bytes, now: bytes, language: str) -> list[Change]:
    """Return the changes between two versions of a file; ``now`` is empty where there is no file any more.

    What went away with its owner is reported by the owner alone, a constructor by its class. Local names, private
    constants and fields are never reported.
    """
    if declarations(then, language) == declarations(now, language):
        return []
    # Signatures and values are shown, so secrets among them are masked; most files need none of that.
    then, now = mask(then).data, mask(now).data
    before, after = _by_chain(then, language), _by_chain(now, language)
    # Overloads, and definitions by platform, are several under one chain: they are there, and not compared.
    several = {declaration.chain for declaration in declarations(now, language)} - after.keys()
    found: list[Change] = []
    for chain, one in before.items():
        if chain in several:
            continue
        if chain not in after:
            is_said = any(chain[:depth] in before and chain[:depth] not in after for depth in range(1, len(chain)))
            if not is_said and _counts(one, language) and not _is_imported(one, now):
                other = renamed(one, before, after.values(), then=then, now=now)
                found.append(Change("gone" if other is None else "renamed", path, one, other, path if other else b""))
            continue
        other = after[chain]
        is_constructor = chain[-1] in ("__init__", "constructor") and chain[:-1] in before
        # Whether a value can be called, and how, is not known.
        if "value" in (one.kind, other.kind) or is_constructor:
            continue
        if _bound(one) != _bound(other):
            found.append(Change("signature", path, one, other, path))
    return found


def _before_renaming(data: bytes, name: str) -> str:
    """Return what an import calls by this name (``Other as name``); the name itself where none does."""
    alias = name.encode()
    for words in _imports(data):
        for own, joint, other in zip(words, words[1:], words[2:], strict=False):
            if joint == b"as" and other == alias:
                return own.decode("utf-8", "replace")
    return name


def _by_chain(data: bytes, language: str) -> dict[tuple[str, ...], Declaration]:
    """Return the declarations by chain, without those of which there are several."""
    found: dict[tuple[str, ...], Declaration] = {}
    several: set[tuple[str, ...]] = set()
    for declaration in declarations(data, language):
        several |= {declaration.chain} & found.keys()
        found.setdefault(declaration.chain, declaration)
    return {chain: one for chain, one in found.items() if chain not in several}


def _bound(one: Declaration) -> tuple[tuple[str, str, str | None], ...]:
    return tuple(parameter.as_called for parameter in one.parameters or ())


def _counts(one: Declaration, language: str) -> bool:
    """Return whether others may refer to it: of values only constants of a module, in Python those in capitals."""
    name = one.chain[-1]
    return one.kind != "value" or (len(one.chain) == 1 and name[0] != "_" and (name.isupper() or language != "python"))


def _is_imported(one: Declaration, now: bytes) -> bool:
    """Return whether the file has the name by an import now: who imports it from here still gets it."""
    return len(one.chain) == 1 and any(one.chain[0].encode() in words for words in _imports(now))


def _imports(data: bytes) -> Iterator[list[bytes]]:
    """Yield the words of each line that belongs to an import, or to an export from elsewhere, brackets included.

    Line by line, because a pattern for whole statements takes quadratic time on hostile text.
    """
    is_open = False
    for line in data.splitlines():
        if is_open or line.lstrip().startswith(_IMPORTING):
            yield _WORDS.findall(line)
            opening, closing = max(map(line.rfind, (b"(", b"{"))), max(map(line.rfind, (b")", b"}")))
            is_open = opening > closing or (is_open and closing < 0)


_Around = tuple[dict[str, list[Spot]], dict[str, Any]]
"""Places by kind, and their totals."""


class ChangesAnswer:
    """The answer for one commit. Use it once."""

    def __init__(self, reader: Reader, weigher: Weigher, shown: int) -> None:
        self._reader, self._weigher, self._shown = reader, weigher, shown
        self._started = time.monotonic()
        self._notes: list[str] = []
        self._commit = ""
        self._then: dict[bytes, bytes | None] = {}

    def since(self, start: StartingPoint, changed: ChangedSince, page: PageCursor) -> dict[str, Any]:
        """Return the ``helix.changes/1`` object: one page of the changes, what breaks first. Raises GitError."""
        self._commit = changed.commit
        changes = sorted(self._moved(self._changes(changed)), key=lambda one: one.order)
        found = self._ordered(changes, page.end)
        entries = [f"{start.commit} {one.kind} {source_id_of(one.path)} {'.'.join(one.then.chain)}" for one, _ in found]
        part = found[page.offset : page.end]
        shown, around = [one for one, _ in part], [spots for _, spots in part]
        spots = [spot for groups in around for group in groups[0].values() for spot in group]
        placed = iter(weigh_spots(self._weigher, spots))
        folder = self._weigher.facts.folder
        items = []
        for one, (groups, totals) in zip(shown, around, strict=True):
            places = {
                name: [place.wire(folder) for _ in group if (place := next(placed)) is not None]
                for name, group in groups.items()
            }
            items.append(_change_object(one) | {"place": next(iter(places.pop("place")), None)} | places | totals)
        return {
            "schema": SCHEMA,
            "since": start.name,
            "commit": start.commit,
            "why": start.why,
            "head": self._weigher.facts.state.head,
            "changes": items,
            "changes_total": len(changes),
            "breaking_total": sum(change.breaks for change in changes),
            "files": len(changed.paths),
            "offset": page.offset,
            "next_page": page.then(entries[: page.end]) if page.end < len(changes) else "",
            "notes": [
                *self._notes,
                *self._weigher.notes,
                *page.notes(entries[: page.offset], is_empty=not shown),
            ],
            "elapsed_ms": round((time.monotonic() - self._started) * 1e3, 3),
        }

    def _ordered(self, changes: Sequence[Change], end: int) -> list[tuple[Change, _Around]]:
        """Return the changes with what is around them, up to the offset ``end`` at least, in the order of all pages.

        What is still used matters more than what no code uses any more. That is known of what was looked up, so the
        order is made of runs of ``MOST_LOOKED_UP``, and that of the first ones does not depend on how many are asked.
        """
        found: list[tuple[Change, _Around]] = []
        while len(found) < min(end, len(changes)):
            run = [
                (change, self._around_or_note(change)) for change in changes[len(found) : len(found) + MOST_LOOKED_UP]
            ]
            run.sort(key=lambda entry: (not entry[0].breaks, not any(map(entry[1][0].get, _AROUND))))
            found += run
        return found

    def _changes(self, changed: ChangedSince) -> list[Change]:
        committed = self._weigher.facts.committed
        if committed is None:
            return []
        known = [path for path in changed.paths if _language(path) in LANGUAGES]
        own = [path for path in known if provenance(path).role not in (Role.TEST, Role.VENDORED)]
        others = {
            _language(path)
            for path in changed.paths
            if provenance(path).source_kind is SourceKind.CODE and _language(path) not in LANGUAGES
        }
        if others:
            listed = ", ".join(sorted(others))
            note = f"signatures of changed files in {listed} are not compared; see them with git diff"
            self._notes.append(note if known else f"{NOT_COMPARED}: {note}")
        if len(own) > MOST_FILES:
            self._notes.append(f"only {MOST_FILES} of {len(own):,} changed files were compared; name a later commit")
        found: list[Change] = []
        for path in own[:MOST_FILES]:
            self._weigher.facts.check()
            (then,) = committed.read([(changed.commit, path)])
            self._then[path] = then
            now = self._now(path)
            if then is not None and now is not None:
                changes = compared(path, then, now, _language(path))
                found += (one for change in changes if (one := self._constructed(change)) is not None)
        return found

    def _now(self, path: bytes) -> bytes | None:
        """Return the file's bytes, nothing where it is gone; None where it is there and cannot be read."""
        observed = self._observed(path)
        if observed is not None and observed.file is not None:
            return observed.file.data
        if not self._weigher.observer.is_there(path):
            return b""
        self._notes.append(f"{source_id_of(path)} is not indexed, and was not compared")
        return None

    def _moved(self, changes: Sequence[Change]) -> list[Change]:
        """Return the changes with those that went to exactly one other place of the index reported as moved."""
        return [self._where_now(change) if change.kind == "gone" else change for change in changes]

    def _where_now(self, one: Change) -> Change:
        """Return the change as ``moved`` where only one other file has the definition that did not have it before; what
        has a plain name must have the same lines there too.
        """
        name = one.then.chain[-1]
        if len(one.then.chain) > 1 and (inherited := self._inherited(one)) is not None:
            return inherited
        if len(one.then.chain) > 1:
            return one
        same = [
            other
            for other in self._reader.names.defined_at(name, b"", MOST_CANDIDATES)
            if other.hit.name == name and not other.trail and other.role is _role(one.path) and other.path != one.path
        ]
        is_telling = is_compound(name) or one.then.kind == "class"
        same = [other for other in same if self._is_new(other) and (is_telling or self._is_alike(one, other))]
        if len(same) != 1:
            return one
        other = same[0]
        now = Declaration((name,), one.then.kind, other.hit.start_line)
        return Change("moved", one.path, one.then, now, other.path)

    def _is_new(self, one: DefinedAt) -> bool:
        """Return whether a definition was not in its file at the commit that is compared with."""
        committed = self._weigher.facts.committed
        if committed is None:
            return False
        if one.path not in self._then:
            (self._then[one.path],) = committed.read([(self._commit, one.path)])
        then = self._then[one.path]
        return then is None or not any(
            declaration.chain == (one.hit.name,) for declaration in declarations(then, _language(one.path))
        )

    def _is_alike(self, one: Change, other: DefinedAt) -> bool:
        """Return whether a definition that is gone has nearly the same lines elsewhere, a constant the same value."""
        now = self._declared(other.path, (other.hit.name,))
        then = self._then.get(one.path)
        if now is None or then is None:
            return False
        if one.then.kind == now.kind == "value" and one.then.value:
            return one.then.value == now.value
        text = block(mask(then).data, one.then)[1:]
        return bool(text) and share(text, block(self._data(other.path), now)[1:]) >= ALIKE

    def _inherited(self, one: Change) -> Change | None:
        """Return the change of a method that a base class of its class has now."""
        *owner, name = one.then.chain
        level, seen = [(one.path, tuple(owner))], {(one.path, tuple(owner))}
        for _ in range(MOST_BASES):
            bases = [base for path, chain in level for base in self._bases(path, chain)]
            level = [base for base in dict.fromkeys(bases) if base not in seen]
            seen.update(level)
            for path, chain in level:
                now = self._declared(path, (*chain, name))
                if now is not None:
                    return Change("inherited", one.path, one.then, now, path)
        return None

    def _bases(self, path: bytes, chain: tuple[str, ...]) -> list[tuple[bytes, tuple[str, ...]]]:
        """Return the classes of the index that a class names as its bases."""
        here = self._declared(path, chain)
        found = [self._base(path, chain, base) for base in (here.bases if here is not None else ())]
        return [one for one in found if one is not None]

    def _base(self, path: bytes, chain: tuple[str, ...], written: str) -> tuple[bytes, tuple[str, ...]] | None:
        """Return the class of the index that a class means by a base; None where it is elsewhere, or may be several."""
        source = self._reader.files.source(path)
        if source is None:
            return None
        plain = plain_base(written)
        plain = plain if "." in plain else _before_renaming(self._data(path), plain)
        known = self._reader.names.defined_at(plain.rpartition(".")[2], path, MOST_BASES_OF_A_NAME)
        imports = Imports(path, self._reader.names.imports_of(source.id))
        meant = choose_base(plain, known, CursorContext(path, 0, chain, imports))
        return (meant.path, chain_of(meant)) if meant is not None else None

    def _constructed(self, one: Change) -> Change | None:
        """Return the change of a class with the constructors that it inherits; None where these are the same.

        The parameters of one that is not known are None.
        """
        if one.kind != "signature" or one.then.kind != "class" or one.now is None:
            return one
        sides = []
        for declaration in (one.then, one.now):
            is_known, parameters = self._constructor(one.path, declaration)
            sides.append(replace(declaration, parameters=(parameters or ()) if is_known else None))
        then, now = sides
        is_same = None not in (then.parameters, now.parameters) and _bound(then) == _bound(now)
        return None if is_same else replace(one, then=then, now=now)

    def _constructor(self, path: bytes, one: Declaration, depth: int = 0) -> tuple[bool, tuple[Parameter, ...] | None]:
        """Return whether the constructor of a class is known, and its parameters: of its own one, else of that of the
        first base that has one; None where none has.

        That of a base from elsewhere is not known, nor one that a decorator makes.
        """
        if one.parameters is not None:
            return True, one.parameters
        if one.decorators or depth > MOST_BASES:
            return False, None
        for written in one.bases:
            if base_name(written) in MEMBERLESS_BASES:
                continue
            base = self._base(path, one.chain, written) if "=" not in written else None
            above = self._declared(*base) if base is not None else None
            if base is None or above is None:
                return False, None
            is_known, parameters = self._constructor(base[0], above, depth + 1)
            if not is_known or parameters is not None:
                return is_known, parameters
        return True, None

    def _declared(self, path: bytes, chain: tuple[str, ...]) -> Declaration | None:
        return declared(self._data(path), _language(path), chain)

    def _data(self, path: bytes) -> bytes:
        """Return the file's bytes with secrets masked; nothing where it cannot be read."""
        observed = self._observed(path)
        return self._weigher.mask(observed).data if observed is not None and observed.file is not None else b""

    def _observed(self, path: bytes) -> FileObservation | None:
        """Return what an indexed file is now; None for one that is not indexed."""
        source = self._reader.files.source(path)
        return self._weigher.observer.look(source) if source is not None else None

    def _around_or_note(self, one: Change) -> _Around:
        """Return what is around a change; where that cannot be looked up, nothing and a note: others still can."""
        try:
            return self._around(one)
        except RefusedStatementError as error:
            self._notes.append(f"who uses {'.'.join(one.then.chain)} is not known: {error}")
            nothing = dict[str, list[Spot]](place=[], users=[], tests=[], documents=[], overrides=[])
            return nothing, {"users_total": 0, "tests_total": 0, "namesakes": 0}

    def _around(self, one: Change) -> _Around:
        self._weigher.facts.check()
        name = one.then.chain[-1]
        candidates = [other for other in self._reader.names.defined_at(name, one.path) if other.hit.name == name]
        own = [other for other in candidates if other.path == one.path and other.trail == one.then.chain[:-1]]
        meant = own[0] if own else _former(one)
        around = NameNeighborhood(
            self._reader,
            self._weigher,
            name,
            meant=[meant],
            candidates=candidates,
            shown=NEARBY * self._shown,
            # Who changed is the constructor, which ``Class.member`` does not call.
            as_owner=one.kind != "signature" or one.then.kind != "class",
        )
        others = [other for other in candidates if other not in own and other.role is not Role.TEST]
        users, tests = around.users(), around.tests()
        is_telling = is_compound(name) and not others
        if not is_telling and (one.kind != "signature" or len(one.then.chain) == 1):
            # Others have the name, or it is a plain word: only where its file is imported is it meant.
            importing = {*around.importing, *self._id_of(one.path)} - self._importing_now(one, candidates)
            users, tests = (_within(uses, importing) for uses in (users, tests))
        now, documents = self._place(one), list(around.documents().spots)
        return {
            "place": [now] if now is not None else [],
            "users": list(users.spots[: self._shown]),
            "tests": list(tests.spots[: self._shown]),
            "documents": documents[: self._shown] if is_telling or len(one.then.chain) > 1 else [],
            "overrides": [replace(spot, end_line=spot.start_line) for spot in around.overrides().spots[: self._shown]],
        }, {"users_total": users.total, "tests_total": tests.total, "namesakes": len(others)}

    def _importing_now(self, one: Change, candidates: Sequence[DefinedAt]) -> frozenset[int]:
        """Return the sources that import a definition from where it went: they have followed."""
        there = [other for other in candidates if other.path == one.now_path and one.kind == "moved"]
        if not there:
            return frozenset()
        around = NameNeighborhood(
            self._reader, self._weigher, one.then.chain[-1], meant=there[:1], candidates=candidates
        )
        return around.importing

    def _id_of(self, path: bytes) -> list[int]:
        source = self._reader.files.source(path)
        return [source.id] if source is not None else []

    def _place(self, one: Change) -> Spot | None:
        """Return the definition where it is now."""
        source = self._reader.files.source(one.now_path) if one.now is not None else None
        if source is None or one.now is None:
            return None
        line = one.now.line
        items = [item for item in self._reader.files.items_of(source.id) if item.start_line <= line <= item.end_line]
        if not items:
            return None
        return Spot(min(items, key=lambda item: item.end_line - item.start_line), line, line, ".".join(one.now.chain))


def _within(uses: Uses, source_ids: Set[int]) -> Uses:
    kept = tuple(spot for spot in uses.spots if spot.item.source.id in source_ids)
    return Uses(kept, len(kept))


def _role(path: bytes) -> Role:
    return provenance(path).role


def _former(one: Change) -> DefinedAt:
    """Return the definition as the index had it, for look-ups that go by its path and owners."""
    hit = DefinitionHit(0, 0, one.then.chain[-1], one.then.kind, one.then.line, one.then.line)
    about = provenance(one.path)
    return DefinedAt(hit, one.path, about.role, about.source_kind, one.then.chain[:-1])


def _change_object(one: Change) -> dict[str, Any]:
    """Return what changed, without the places."""
    then, now = one.then, one.now
    is_shown = one.kind in ("signature", "inherited") and now is not None
    return {
        "change": one.kind,
        "breaks": one.breaks,
        "symbol": ".".join(then.chain),
        "kind": then.kind,
        "source_id": source_id_of(one.path),
        "line_then": then.line,
        "was": _signature(then) if then.kind != "value" else ".".join(then.chain),
        "now": "" if now is None else _signature(now) if is_shown else ".".join(now.chain),
        "detail": _differing(then, now) if one.kind == "signature" and now else "",
    }


def _signature(one: Declaration) -> str:
    """Return the signature; of a class of which no constructor is known its name alone."""
    return ".".join(one.chain) if one.kind == "class" and one.parameters is None else signature(one)


def _differing(then: Declaration, now: Declaration) -> str:
    if then.kind == "class" and then.parameters is None:
        return "has a constructor of its own now"
    if now.kind == "class" and now.parameters is None:
        return "has no constructor of its own any more"
    return parameters_differ(then.parameters or (), now.parameters or ())


def _language(path: bytes) -> str:
    return language_of(path, b"").name
