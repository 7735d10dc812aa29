"""What changed since a commit in a way that others may not have followed (``helix.changes/1``).

Compares the declarations of each changed file with those it has on disk now, and lists who still uses, overrides, tests
and documents what changed its signature or went away. Like everything here it goes by names and imports: it resolves
no types.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

from helix_core.engine.requests import NOT_COMPARED, PageCursor
from helix_core.engine.symbols.choice import CursorContext, chain_of, choose_base
from helix_core.engine.symbols.compared import (
    Change,
    before_renaming,
    bound,
    change_object,
    compared,
    is_of_tree,
    members_compared,
)
from helix_core.engine.symbols.hierarchy import MOST_BASES
from helix_core.engine.symbols.lookup import NameNeighborhood, Uses, importing
from helix_core.engine.symbols.place import Spot, weigh_spots
from helix_core.engine.symbols.receivers import Binding, module_named, package_in
from helix_core.engine.verdict import ALIKE, FileObservation, Weigher, share
from helix_core.errors import RefusedStatementError
from helix_core.ingest import (
    MEMBERLESS_BASES,
    TREE_LANGUAGES,
    Declaration,
    FileDeclarations,
    Parameter,
    ParseGuard,
    base_name,
    block,
    file_declarations,
    language_of,
    plain_base,
    sole,
)
from helix_core.ingest.provenance import provenance
from helix_core.ingest.signatures import LANGUAGES
from helix_core.model import TYPES, Role, SourceKind
from helix_core.search import Imports, module_of, resolves_to
from helix_core.secrets import mask
from helix_core.store import DefinedAt, DefinitionHit, Reader
from helix_core.words import is_compound
from helix_core.workspace import ChangedSince, StartingPoint, source_id_of

SCHEMA = "helix.changes/1"
_AROUND = ("users", "tests", "documents", "overrides")
MOST_FILES = 300
"""So many changed files are compared; reading one from git and parsing it twice takes milliseconds."""
MOST_CANDIDATES = 60
MOST_BASES_OF_A_NAME = 200
_HEADERS = (b".h", b".hh", b".hpp", b".hxx")
_COMPARED = LANGUAGES | TREE_LANGUAGES
_DEFINING = frozenset(("terraform", "sql"))
"""Languages of configuration and data whose files define names, too."""
_WHOLE_FOLDERS = frozenset(("go", "java", "kotlin", "scala"))
"""Languages in which the files of a folder share their names."""
_WHOLE_MODULES = frozenset(("c_sharp", "swift"))
"""Languages in which it does not matter to users which file has a definition."""
MOST_GONE = 20
"""So many files that are gone are looked at for who still imports them; ``NAMED`` of these places are named."""
NAMED = 5
MOST_LOOKED_UP = 60
"""So many changes are looked up for what is around them, before the first ones are shown."""
MOST_AROUND = 60
"""So many uses are read, of which those that import the definition are kept."""


_PACKAGE_FILES = (b"__init__", b"index", b"mod")
_OF_C = frozenset({"c", "cpp"})
_Around = tuple[dict[str, list[Spot]], dict[str, Any]]
"""Places by kind, and their totals."""


class ChangesAnswer:
    """The answer for one commit. Use it once."""

    def __init__(self, reader: Reader, weigher: Weigher, parse_guard: ParseGuard, shown: int) -> None:
        self._reader, self._weigher, self._shown = reader, weigher, shown
        self._parse_guard = parse_guard
        self._started = time.monotonic()
        self._notes: list[str] = []
        self._commit = ""
        self._unread: list[bytes] = []
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
            items.append(change_object(one) | {"place": next(iter(places.pop("place")), None)} | places | totals)
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
        known = [path for path in changed.paths if _language(path) in _COMPARED]
        own = [path for path in known if provenance(path).role not in (Role.TEST, Role.VENDORED)]
        others = {
            _language(path)
            for path in changed.paths
            if _language(path) not in _COMPARED
            and (provenance(path).source_kind is SourceKind.CODE or _language(path) in _DEFINING)
        }
        if others:
            listed = ", ".join(sorted(others))
            note = f"signatures of changed files in {listed} are not compared; see them with git diff"
            self._notes.append(note if known else f"{NOT_COMPARED}: {note}")
        if len(own) > MOST_FILES:
            self._notes.append(f"only {MOST_FILES} of {len(own):,} changed files were compared; name a later commit")
        if conflicted := sorted(self._weigher.facts.state.conflicted.intersection(own)):
            first = source_id_of(conflicted[0])
            which = f"{first} is" if len(conflicted) == 1 else f"{len(conflicted)} files, such as {first}, are"
            self._notes.append(f"{which} in conflict: what changes there shows once that is resolved")
        found: list[Change] = []
        in_part: set[bytes] = set()
        for path in own[:MOST_FILES]:
            self._weigher.facts.check()
            (then,) = committed.read([(changed.commit, path)])
            self._then[path] = then
            now = self._now(path)
            if then is not None and now is not None:
                changes = compared(path, then, now, partial(self._compared, in_part))
                changes = [one for one in changes if one.kind not in ("gone", "renamed") or not self._has_alias(one)]
                found += (one for change in changes if (one := self._constructed(change)) is not None)
        self._notes += self._left_imports(own[:MOST_FILES])
        if self._unread:
            first = source_id_of(self._unread[0])
            which = f"{len(self._unread)} changed files, such as {first}, are not indexed, and were not compared"
            self._notes.append(which if len(self._unread) > 1 else f"{first} is not indexed, and was not compared")
        if in_part:
            first = source_id_of(min(in_part))
            which = first if len(in_part) == 1 else f"{len(in_part)} changed files, such as {first},"
            self._notes.append(f"{which} could be parsed in part only: changes may be missing; see them with git diff")
        return list(_without_twins(found))

    def _left_imports(self, changed: Sequence[bytes]) -> Iterator[str]:
        """Yield a note on each file that is not there any more and that others still import, with some of them."""
        gone = [path for path in changed if self._then.get(path) and path not in self._unread]
        gone = [path for path in gone if not self._weigher.observer.may_be_there(path)]
        for path in gone[:MOST_GONE]:
            self._weigher.facts.check()
            left = list(self._importers(path))
            if left:
                files = "file still imports" if len(left) == 1 else "files still import"
                named = ", ".join(left[:NAMED])
                more = f" and {len(left) - NAMED:,} more" if len(left) > NAMED else ""
                yield f"{len(left):,} {files} {source_id_of(path)}, which is not there any more: {named}{more}"

    def _importers(self, path: bytes) -> Iterator[str]:
        """Yield the places where files import one that is gone, and no other that is there."""
        folder, dot, ending = path.rpartition(b".")
        packages = [b"".join((folder, b"/", name, dot, ending)) for name in _PACKAGE_FILES]
        known = [there for there in packages if self._reader.files.source(there) is not None]
        known += [there for _, there in self._reader.related.sources_of_stems([module_of(path)[-1]], MOST_CANDIDATES)]
        if path.endswith(_HEADERS):
            known = [there for there in known if there.endswith(_HEADERS)]
        for source_id, target in sorted(importing(self._reader, path).items()):
            source = self._reader.files.sources_by_id([source_id]).get(source_id)
            observed = self._observed(source.path) if source is not None else None
            if source is None or observed is None or observed.file is None:
                continue
            # Out of its package it is imported by its name.
            stem = "" if resolves_to(target, source.path, path) else module_of(path)[-1]
            whole = module_named(Binding(target, stem))
            if any(resolves_to(whole, source.path, there) for there in known if there != path):
                continue
            lines = observed.file.data.decode("utf-8", "replace").split("\n")
            at = next((row for row, line in enumerate(lines, 1) if target in line and stem in line), 0)
            if at:
                yield f"{source.source_id}:{at}"

    def _compared(self, in_part: set[bytes], path: bytes, data: bytes) -> FileDeclarations:
        """Return what a file declares, and record one that could be parsed in part only."""
        found = self._declarations(path, data)
        # Elsewhere a name in doubt is that of a member of something without a name, which nobody else can use.
        if found.has_errors or (found.in_doubt and _language(path) in _OF_C):
            in_part.add(path)
        return found

    def _has_alias(self, one: Change) -> bool:
        """Return whether ``class_alias`` keeps the name of a class of PHP that is gone or renamed."""
        if _language(one.path) != "php" or one.then.kind not in TYPES:
            return False
        name = re.escape(one.then.chain[-1])
        space = re.escape(self._packages(one)[one.path])
        whole = rf"{space}\\{{1,2}}{name}" if space else name
        keeps = re.compile(
            rf"\bclass_alias\s*\([^;]{{1,400}}?,\s*(?:(['\"])\\{{0,2}}{whole}\1|(?:[\w\\]*\\)?{name}::class\b)", re.I
        )
        aliasing = self._reader.uses.code_mentioning("class_alias", MOST_CANDIDATES)
        return any(keeps.search(self._data(path).decode("utf-8", "replace")) for path in aliasing)

    def _now(self, path: bytes) -> bytes | None:
        """Return the file's bytes, nothing where it is gone; None where it is there and cannot be read."""
        observed = self._observed(path)
        if observed is not None and observed.file is not None:
            return observed.file.data
        if not self._weigher.observer.may_be_there(path):
            return b""
        self._unread.append(path)
        return None

    def _moved(self, changes: Sequence[Change]) -> list[Change]:
        """Return the changes with those that went to exactly one other place of the index reported as moved, and with
        what changed in those that moved or were renamed.
        """
        found = []
        for change in changes:
            one = self._where_now(change) if change.kind == "gone" else change
            found.append(one)
            then = self._then.get(one.path)
            if one.kind in ("moved", "renamed") and then is not None:
                found += members_compared(one, then, self._data(one.now_path), self._declarations)
        return found

    def _where_now(self, one: Change) -> Change:
        """Return the change as ``moved`` where only one other file has the definition that did not have it before; what
        has a plain name must have the same lines there too.
        """
        name = one.then.chain[-1]
        chain, is_tree = one.then.chain, is_of_tree(one.then)
        if len(chain) > 1 and (inherited := self._inherited(one)) is not None:
            return inherited
        if len(chain) > 1 and not is_tree:
            return one
        same = [
            other
            for other in self._reader.names.defined_at(name, one.path if is_tree else b"", MOST_CANDIDATES)
            if chain_of(other) == chain and _may_move(one.path, other) and other.path != one.path
        ]
        is_telling = is_compound(name) or one.then.kind == "class" or len(chain) > 1
        same = [other for other in same if self._is_new(other) and (is_telling or self._is_alike(one, other))]
        if not one.path.endswith(_HEADERS):
            # A header that declares a function of C has done so before.
            same = [other for other in same if not other.path.endswith(_HEADERS)] or same
        if not same or (len(same) > 1 and not is_tree):
            return one
        other = same[0]
        now = Declaration(chain, one.then.kind, other.hit.start_line)
        is_reached = other.role is _role(one.path) and _is_reached(one.path, other.path)
        return Change("moved", one.path, one.then, now, other.path, is_reached=is_reached)

    def _is_new(self, one: DefinedAt) -> bool:
        """Return whether a definition was not in its file at the commit that is compared with."""
        committed = self._weigher.facts.committed
        if committed is None:
            return False
        if one.path not in self._then:
            (self._then[one.path],) = committed.read([(self._commit, one.path)])
        then = self._then[one.path]
        return then is None or not any(
            declaration.chain == chain_of(one) for declaration in self._declarations(one.path, then).declared
        )

    def _is_alike(self, one: Change, other: DefinedAt) -> bool:
        """Return whether a definition that is gone has nearly the same lines elsewhere, a constant the same value."""
        now = self._declared(other.path, chain_of(other))
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
        plain = plain if "." in plain else before_renaming(self._data(path), plain)
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
        is_same = None not in (then.parameters, now.parameters) and bound(then) == bound(now)
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
        return sole(self._declarations(path, self._data(path)).declared, chain)

    def _declarations(self, path: bytes, data: bytes) -> FileDeclarations:
        """Return what a file declares; nothing, and that in doubt, where its parse broke a process."""
        with self._parse_guard(hashlib.sha256(data).hexdigest()) as may_parse:
            return file_declarations(path, data) if may_parse else FileDeclarations(has_errors=True)

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
            return nothing, {"users_total": 0, "tests_total": 0, "totals_exact": False, "untold": 0, "namesakes": 0}

    def _around(self, one: Change) -> _Around:
        self._weigher.facts.check()
        *owners, name = one.called
        candidates = [other for other in self._reader.names.defined_at(name, one.path) if other.hit.name == name]
        own = [other for other in candidates if (other.path, other.trail) == (one.path, tuple(owners))]
        moved = self._where_it_went(one, candidates)
        if one.kind == "signature" and not own:
            own = moved
        meant = own[0] if own else _former(one)
        around = NameNeighborhood(
            self._reader,
            self._weigher,
            name,
            meant=[meant],
            candidates=candidates,
            shown=max(MOST_AROUND, self._shown),
            counts=True,
            # Who changed is the constructor, which ``Class.member`` does not call.
            as_owner=one.called == one.then.chain and (one.kind != "signature" or one.then.kind != "class"),
            # An import is right whatever a call of it gives.
            in_imports=one.kind != "signature",
            moved=moved,
            packages=self._packages(one),
        )
        known = (*own, *moved)
        others = [other for other in candidates if other not in known and other.role is not Role.TEST]
        users, tests = around.users(), around.tests()
        if one.kind == "moved":
            # What went with it still has it beside itself.
            users, tests = (_outside(uses, one.now_path) for uses in (users, tests))
        untold = around.unlisted
        is_telling = is_compound(name) and not others
        if not is_telling and len(one.then.chain) == 1:
            # Others have the name, or it is a plain word: only where its file is imported is it meant.
            importing = {*around.importing, *self._id_of(one.path)} - self._importing_now(one, moved, candidates)
            found = len(users.spots) + len(tests.spots)
            users, tests = (_within(uses, importing) for uses in (users, tests))
            untold += found - len(users.spots) - len(tests.spots)
        now, documents = self._place(one), list(around.documents().spots)
        return {
            "place": [now] if now is not None else [],
            "users": list(users.spots[: self._shown]),
            "tests": list(tests.spots[: self._shown]),
            "documents": documents[: self._shown] if is_telling or len(one.then.chain) > 1 else [],
            "overrides": [replace(spot, end_line=spot.start_line) for spot in around.overrides().spots[: self._shown]],
        }, {
            "users_total": users.total,
            "tests_total": tests.total,
            "totals_exact": users.is_counted and tests.is_counted and not untold,
            "untold": untold,
            "namesakes": len(others),
        }

    @staticmethod
    def _where_it_went(one: Change, candidates: Sequence[DefinedAt]) -> list[DefinedAt]:
        """Return the definition that is now what moved, or is a member of what moved or has another name."""
        if one.now is None or one.now_path == b"" or one.kind == "inherited":
            return []
        return [
            other
            for other in candidates
            if other.path == one.now_path and chain_of(other) == one.now.chain and one.now_path != one.path
        ]

    def _packages(self, one: Change) -> dict[bytes, str]:
        """Return the package that the file of a change said it belongs to, for what the index does not have."""
        then = (self._then.get(one.path) or b"").decode("utf-8", "replace")
        return {one.path: package_in(one.path, then, _language(one.path), one.then.line)}

    def _importing_now(
        self, one: Change, there: Sequence[DefinedAt], candidates: Sequence[DefinedAt]
    ) -> frozenset[int]:
        """Return the sources that import a definition from where it went: they have followed."""
        if one.kind != "moved" or not there:
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


def _without_twins(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes without those of a definition in C that its declaration in a header has, too."""

    def facts(one: Change) -> tuple[object, ...]:
        return one.kind, one.then.chain, bound(one.then), one.now and (one.now.chain, bound(one.now))

    declared = {facts(one) for one in changes if one.path.endswith(_HEADERS)}
    for one in changes:
        if one.path.endswith(_HEADERS) or _language(one.path) not in ("c", "cpp") or facts(one) not in declared:
            yield one


def _within(uses: Uses, source_ids: Set[int]) -> Uses:
    """Return the uses without those of which only the name tells it, in other sources than these."""
    kept = tuple(spot for spot in uses.spots if spot.item.source.id in source_ids or not spot.by_name)
    # What was not read is as likely one of these as what was.
    rest = max(uses.total - len(uses.spots), 0) * len(kept) // max(len(uses.spots), 1)
    return Uses(kept, len(kept) + rest, is_counted=uses.is_counted and not rest)


def _outside(uses: Uses, path: bytes) -> Uses:
    """Return the uses in other files than this one."""
    kept = tuple(spot for spot in uses.spots if spot.item.source.path != path)
    return replace(uses, spots=kept, total=uses.total - len(uses.spots) + len(kept))


def _role(path: bytes) -> Role:
    return provenance(path).role


def _may_move(path: bytes, other: DefinedAt) -> bool:
    """Return whether the definition may be that of ``path``: what only looks like a test may lie beside it."""
    is_beside = path.rpartition(b"/")[0] == other.path.rpartition(b"/")[0]
    return other.role is _role(path) or (other.role is Role.TEST and is_beside)


def _former(one: Change) -> DefinedAt:
    """Return the definition as the index had it, for look-ups that go by its path and owners."""
    *owners, name = one.called
    hit = DefinitionHit(0, 0, name, one.then.kind, one.then.line, one.then.line)
    about = provenance(one.path)
    return DefinedAt(hit, one.path, about.role, about.source_kind, tuple(owners))


def _language(path: bytes) -> str:
    return language_of(path, b"").name


def _is_reached(then: bytes, now: bytes) -> bool:
    """Return whether users of a definition reach it where it is now as they did where it was."""
    language = _language(now)
    is_same_folder = then.rpartition(b"/")[0] == now.rpartition(b"/")[0]
    # A function of C is declared in a header, wherever it is defined.
    is_linked = language in _OF_C and not then.endswith(_HEADERS) and not now.endswith(_HEADERS)
    return is_linked or language in _WHOLE_MODULES or (language in _WHOLE_FOLDERS and is_same_folder)
