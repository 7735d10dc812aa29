"""Find what a text cites that git knows to have been here and that is gone: names, files and modules.

In: names and paths. Out: where a commit had them. Three commits are read: HEAD, the last one that touched the text's
own document, and the one 200 first parents back. Knows nothing of texts, and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from helix_core.engine.verdict.outdated import OutdatedDocuments, declares_names
from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import GitError
from helix_core.ingest import Declaration, language_of, may_declare
from helix_core.ingest.provenance import provenance
from helix_core.ingest.signatures import LANGUAGES
from helix_core.model import Role, SourceKind
from helix_core.workspace import Git, changed_since

MOST_OLD_FILES = 400
MOST_TREES = 40
"""So many former files are parsed for the names of one text, but for those that are read by their lines."""


@dataclass(frozen=True, slots=True)
class FormerDeclaration:
    """A declaration that the file at ``path`` had, with the bytes that it had then."""

    path: bytes
    declaration: Declaration
    data: bytes


@dataclass(frozen=True, slots=True)
class LostFile:
    """A file that a commit had, and the path that it has now, empty where that is not known."""

    path: bytes
    now: bytes


class CitedHistory:
    """The history behind one text. ``document`` is its path in the workspace, empty where it has none.

    What could not be read is a key of ``notes``.
    """

    def __init__(
        self, weigher: Weigher, known: OutdatedDocuments, git: Git | None, notes: dict[str, None], document: bytes
    ) -> None:
        self._facts, self._observer, self._known = weigher.facts, weigher.observer, known
        self._git, self._notes, self._document = git, notes, document

    @cached_property
    def _changed(self) -> dict[str, tuple[bytes, ...]]:
        """Return the files that differ from the disk, by commit, the nearest first; none where git fails."""
        facts, head = self._facts, self._facts.state.head
        if self._git is None or facts.committed is None or not head:
            return {}
        try:
            changed = changed_since(self._git)
            uncommitted = self._known.uncommitted(facts.committed)
            found = {head: uncommitted}
            last = facts.commits_of([self._document]).get(self._document) if self._document else None
            if last is not None and last.commit.strip("0") and last.commit not in found:
                differing = facts.committed.differing(last.commit, head)
                had = sorted(path for path, (then, _) in differing.items() if then)
                found[last.commit] = tuple(dict.fromkeys((*had, *uncommitted)))
            if changed.commit:
                found.setdefault(changed.commit, changed.paths)
        except GitError as error:
            self._notes[f"names were not compared with git's history: {error}"] = None
            return {}
        return found

    def declarations(self, names: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], FormerDeclaration]:
        """Return which of some names, alone or with their owners, a commit declared in its code, and where."""
        found: dict[tuple[str, ...], FormerDeclaration] = {}
        trees = MOST_TREES
        for path, data in self._former_code():
            here = [parts for parts in names if parts not in found and may_declare(data, parts[-1])]
            if not here:
                continue
            if language_of(path, data).name not in LANGUAGES:
                # Most that are declared in a file that changed still are: one look at the disk spares the parse.
                file = self._observer.peek(path).file
                here = [parts for parts in here if file is None or not may_declare(file.data, parts[-1])]
                trees -= bool(here)
                if trees < 0:
                    self._notes[f"names were looked for in the first {MOST_TREES} former files alone"] = None
                    break
            for declaration in self._observer.declares(path, data).declared if here else ():
                for parts in here:
                    if declaration.chain[-1] == parts[-1] and declaration.chain[-2:-1] in ((), parts[-2:-1]):
                        found.setdefault(parts, FormerDeclaration(path, declaration, data))
        return found

    def _former_code(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the files of code that changed since, as the commits had them, each version once."""
        committed, seen = self._facts.committed, set[tuple[bytes, bytes]]()
        if committed is None:
            return
        for commit, paths in self._changed.items():
            for path in [one for one in paths if _is_own_code(one)][:MOST_OLD_FILES]:
                self._facts.check()
                try:
                    (data,) = committed.read([(commit, path)])
                except GitError as error:
                    self._notes[f"names were not compared with git's history: {error}"] = None
                    return
                if data is not None and (path, data) not in seen:
                    seen.add((path, data))
                    yield path, data

    def lost_file(self, paths: Sequence[bytes]) -> LostFile | None:
        """Return the first of some files that a commit had and the disk has no more."""
        committed = self._facts.committed
        if committed is None:
            return None
        found = None
        for commit in self._changed:
            try:
                read = committed.read([(commit, path) for path in paths])
                for path, data in zip(paths, read, strict=True):
                    if data is not None and not self._observer.is_there(path):
                        found = LostFile(path, self._known.moved_to(commit, path).encode("utf-8", "replace"))
                        break
            except GitError as error:
                self._notes[f"paths were not compared with git: {error}"] = None
                return found
            if found is not None and found.now:
                break
        return found

    def lost_module(self, parts: Sequence[str]) -> tuple[str, LostFile] | None:
        """Return the dotted path of the Python module in some names that a commit had as a file, and which is neither a
        file nor a folder now.
        """
        if not all(part.isidentifier() for part in parts):
            return None
        for count in range(len(parts), 1, -1):
            path = "/".join(parts[:count])
            folders = [f"{root}{path}".encode() for root in ("", "src/", "lib/")]
            files = [folder + ending for folder in folders for ending in (b".py", b"/__init__.py")]
            if any(map(self._observer.is_folder, folders)) or any(
                self._observer.is_there(folder + ending) for folder in folders for ending in (b".py", b".pyi", b".pyx")
            ):
                return None
            if (lost := self.lost_file(files)) is not None:
                return ".".join(parts[:count]), lost
        return None


def _is_own_code(path: bytes) -> bool:
    about = provenance(path)
    is_code = about.source_kind is SourceKind.CODE and about.role is not Role.VENDORED
    return is_code and declares_names(language_of(path, b"").name)
