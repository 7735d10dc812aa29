"""Class hierarchies: what a class extends, and from which class it takes a member, as the files are on disk now.

In: definitions of the index. Out: classes by their path and chain. Bases are found by name and import; where these may
mean several classes, none is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from enum import Enum

from helix_core.engine.symbols.choice import CursorContext, chain_of, choose_base
from helix_core.engine.verdict import FileObservation, Weigher
from helix_core.ingest import base_name, declarations, language_of
from helix_core.ingest.signatures import LANGUAGES
from helix_core.search import Imports
from helix_core.store import DefinedAt, Reader

MOST_BASES = 4
"""Levels of base classes that are searched for the class of a method, or for what a class does not define itself."""
WITHOUT_BASES = frozenset(("go", "lua"))
"""Languages that have methods, and no way to say what their owner extends."""
ClassAt = tuple[bytes, tuple[str, ...]]
"""The path and the chain of a class."""


class MemberOrigin(Enum):
    """From where a class has a member: from a class that is meant, from another one, from none that is known here, or
    perhaps from elsewhere.
    """

    MEANT = "meant"
    OTHER = "other"
    NONE = "none"
    OPEN = "open"


class ClassHierarchy:
    """The classes of one answer. Names are looked up as seen from the file at ``path``; without ``reads_all`` only
    files that have the name of a class asked for are read, because a hover waits for them.
    """

    def __init__(self, reader: Reader, weigher: Weigher, path: bytes, *, reads_all: bool) -> None:
        self._reader, self._weigher, self._observer = reader, weigher, weigher.observer
        self._path, self._reads_all = path, reads_all
        self._named: dict[str, list[DefinedAt]] = {}
        self._contexts: dict[bytes, Imports] = {}
        self._heads: dict[tuple[bytes, tuple[str, ...], int], tuple[str, ...]] = {}
        self.untold: set[bytes] = set()

    def named(self, name: str) -> list[DefinedAt]:
        """Return the definitions of a class's name."""
        if name not in self._named:
            self._named[name] = self._reader.names.defined_at(name, self._path)
        return self._named[name]

    def context(self, path: bytes, chain: tuple[str, ...]) -> CursorContext:
        """Return the context of a class: its file with its imports, and its chain."""
        if path not in self._contexts:
            source = self._reader.files.source(path)
            imports = self._reader.names.imports_of(source.id) if source is not None else []
            self._contexts[path] = Imports(path, imports)
        return CursorContext(path, 0, chain, self._contexts[path])

    def owners(self, methods: Iterable[DefinedAt]) -> set[ClassAt]:
        """Return the classes of methods, by the places where their bases are written."""
        found = set()
        for method in methods:
            if method.trail:
                found |= {(method.path, method.trail), self.written(method.path, method.trail)}
        return found

    def written(self, path: bytes, chain: tuple[str, ...]) -> ClassAt:
        """Return where the head of a class is: elsewhere for a method of C++ that is defined outside of its class."""
        if _language(path) != "cpp" or any(one.path == path for one in self.named(chain[-1])):
            return path, chain
        meant = choose_base(chain[-1], self.named(chain[-1]), self.context(path, ()))
        return (meant.path, chain_of(meant)) if meant is not None else (path, chain)

    def extends(self, at: ClassAt, owners: Set[ClassAt], *, line: int = 0) -> bool:
        """Return whether a class has one of these among its bases or theirs.

        Args:
            at: The path and the chain of the class.
            owners: The paths and chains of the classes above.
            line: A line of the class, 1-based, where it has several parts of one name in its file; 0 where it has not.
        """
        return self._extends(at, owners, set(), depth=0, line=line)

    def _extends(self, at: ClassAt, owners: Set[ClassAt], seen: set[ClassAt], *, depth: int, line: int) -> bool:
        written = self.written(*at)
        if written in seen:
            return False
        seen.add(written)
        names = {chain[-1] for _, chain in owners}
        for base, above in self.bases(written, names, line=line if written == at else 0):
            name = base_name(base)
            if above is None:
                if name in names and not self.named(name):
                    # The class is gone from the index, and what extends it still says so.
                    return True
                continue
            if above in owners:
                return True
            goes_on = depth < MOST_BASES and (self._reads_all or name in names)
            if goes_on and self._extends(above, owners, seen, depth=depth + 1, line=0):
                return True
        return False

    def bases(self, at: ClassAt, names: Set[str] = frozenset(), *, line: int = 0) -> list[tuple[str, ClassAt | None]]:
        """Return the bases of a class as written, each with its class; None for one from elsewhere, or of which there
        may be several. ``names`` are those of the classes looked for, none for any.
        """
        found: list[tuple[str, ClassAt | None]] = []
        here: CursorContext | None = None
        for base in self._heads_of(*at, names, line):
            here = here or self.context(*at)
            meant = choose_base(base, self.named(base_name(base)), here)
            found.append((base, (meant.path, chain_of(meant)) if meant is not None else None))
        return found

    def origin(self, at: ClassAt, meant: Set[ClassAt], others: Set[ClassAt], *, own: bool = True) -> MemberOrigin:
        """Return from where a class has a member that the classes ``meant`` and ``others`` define; ``own`` says whether
        its own definition counts, as it does not for ``super``.
        """
        return self._origin(at, (meant, others), set(), depth=0, own=own)

    def _origin(
        self, at: ClassAt, owners: tuple[Set[ClassAt], Set[ClassAt]], seen: set[ClassAt], *, depth: int, own: bool
    ) -> MemberOrigin:
        meant, others = owners
        written = self.written(*at)
        if own and (at in meant or written in meant):
            return MemberOrigin.MEANT
        if own and (at in others or written in others):
            return MemberOrigin.OTHER
        if written in seen:
            return MemberOrigin.NONE
        seen.add(written)
        is_open = _language(written[0]) in WITHOUT_BASES
        for base, above in self.bases(written):
            if above is None:
                # A base from elsewhere has no class of the workspace above it; of several here, one may be meant.
                is_open = is_open or bool(self.named(base_name(base)))
                continue
            found = (
                self._origin(above, owners, seen, depth=depth + 1, own=True)
                if depth < MOST_BASES
                else MemberOrigin.OPEN
            )
            if found in (MemberOrigin.MEANT, MemberOrigin.OTHER):
                return found
            is_open = is_open or found is MemberOrigin.OPEN
        return MemberOrigin.OPEN if is_open else MemberOrigin.NONE

    def _heads_of(self, path: bytes, chain: tuple[str, ...], names: Set[str], line: int) -> tuple[str, ...]:
        """Return the bases of a class in the file as it is on disk now."""
        asked = (path, chain, line)
        if asked in self._heads:
            return self._heads[asked]
        self._weigher.facts.check()
        source = self._reader.files.source(path)
        observed = self._observer.look(source) if source is not None else None
        if observed is None or observed.file is None:
            return ()
        # Most files that define the name do not have the owner's at all, and are not parsed while a hover waits.
        if names and not self._reads_all and not any(name.encode() in observed.file.data for name in names):
            return ()
        language = _language(path)
        if language in LANGUAGES:
            classes = declarations(observed.file.data, language)
            found = tuple(base for one in classes if one.chain == chain for base in one.bases)
        else:
            found = self._bases_in_tree(path, chain, observed, line)
        self._heads[asked] = found
        return found

    def _bases_in_tree(
        self, path: bytes, chain: tuple[str, ...], observed: FileObservation, line: int
    ) -> tuple[str, ...]:
        classes = self._weigher.facts.chains.classes(path, observed, self._weigher.mask(observed))
        if classes is None:
            self.untold.add(path)
            return ()
        own = [one for one in classes if one.chain == chain]
        around: Sequence[object] = [one for one in own if one.start_line <= line <= one.end_line]
        return tuple(base for one in own if not around or one in around for base in one.bases)


def _language(path: bytes) -> str:
    return language_of(path, b"").name
