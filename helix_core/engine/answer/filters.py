"""Filters of a question: which files of the index it is asked of, and which filter left none.

Verdicts know nothing of filters: they choose among candidates, never what is said of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from helix_core.engine.opened import WorkspaceSession
from helix_core.errors import GitError, UsageError
from helix_core.ingest import language_of
from helix_core.ingest.languages import LANGUAGES
from helix_core.ingest.provenance import provenance
from helix_core.model import Filters, Found, Kept, Role, SourceKind
from helix_core.printable import count
from helix_core.store import Reader, SourceProfile
from helix_core.workspace import Git, PathGlobs, authored_paths, changed_paths, commit_named

if TYPE_CHECKING:
    from helix_core.engine.verdict import NotIndexed

MOST_GLOBS = 50
_SHORT_NAMES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "rb": "ruby",
    "c++": "cpp",
    "c#": "c_sharp",
    "sh": "bash",
    "md": "markdown",
    "yml": "yaml",
}
Keeps = Callable[[SourceProfile], bool]


@dataclass(frozen=True, slots=True)
class FileFilter:
    """Filters that were checked. ``tests`` are the single filters, each with how it reads in a note."""

    tests: tuple[tuple[str, Keeps], ...]

    def keeps(self, path: bytes) -> bool:
        """Return whether a file that is not indexed passes, by what its path says."""
        about = provenance(path)
        profile = SourceProfile(0, path, language_of(path, b"").name, about.source_kind, about.role)
        return all(keep(profile) for _, keep in self.tests)

    def not_indexed(self, lacking: NotIndexed) -> NotIndexed:
        """Return what is not indexed without the files that the filters leave out: none of them is named."""
        aside = [path for path in lacking.set_aside if self.keeps(path)]
        unreadable = [path for path in lacking.unreadable if self.keeps(path)]
        pending = [path for path in lacking.pending if self.keeps(path)]
        return lacking._replace(set_aside=aside, unreadable=unreadable, pending=pending)

    def scope(self, reader: Reader) -> SearchScope:
        """Return the files of the index that pass, and where none does the note that says which filter left none."""
        every = reader.files.profiles()
        left, note = every, ""
        for name, keep in self.tests:
            before, left = left, [one for one in left if keep(one)]
            if before and not left:
                is_alone = not any(map(keep, every))
                of = _any_of(len(every)) if is_alone else "what the filters before it left"
                note = f"no file was searched: the filter {name} does not keep {of}; change it or leave it out"
        return SearchScope(tuple(one.id for one in left), len(every), note, " ".join(name for name, _ in self.tests))


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The sources that filters left of ``total``; ``note`` where they left none; ``said`` are the filters in words."""

    source_ids: tuple[int, ...]
    total: int
    note: str
    said: str

    def limits(self, found: Found) -> Found:
        """Return what was found with what a reader must know of the filters: an empty answer is about these files."""
        if self.note:
            found = found.where_nothing_was_searched(self.note)
        note = self.note
        if not note and (found.known_empty or found.seems_empty or not found.ranked):
            were = "was" if len(self.source_ids) == 1 else "were"
            note = f"only {len(self.source_ids):,} of {count(self.total, 'file')} {were} searched: {self.said}"
        notes = (*found.notes, note) if note else found.notes
        return found._replace(searched_sources=len(self.source_ids), notes=notes)


def _any_of(files: int) -> str:
    return "the one indexed file" if files == 1 else f"any of the {count(files, 'indexed file')}"


class QuestionFilters:
    """Check the filters of a question and resolve them against git. One question may ask several times."""

    def __init__(self, session: WorkspaceSession) -> None:
        self._session = session

    def checked(self, filters: Filters) -> FileFilter:
        """Return the filters to apply. Raises UsageError with the cause and what to do."""
        tests: list[tuple[str, Keeps]] = []
        if filters.paths:
            tests.append((f"paths {' '.join(filters.paths)}", _on_path(filters.paths)))
        if filters.language:
            tests.append((f"language {filters.language}", _in_language(self._language(filters.language))))
        for kind, kept, is_one in (("tests", filters.tests, _is_test), ("docs", filters.docs, _is_document)):
            if kept is not Kept.WITH:
                tests.append((f"{kind} {kept.value}", _of_kind(is_one, wanted=kept is Kept.ONLY)))
        if filters.since or filters.author:
            tests.append(self._in_history(filters.since, filters.author))
        return FileFilter(tuple(tests))

    def _language(self, name: str) -> str:
        folded = name.strip().lower().replace("-", "_")
        wanted = _SHORT_NAMES.get(folded, folded)
        here = self._session.index.reader.files.languages()
        if wanted in here or wanted in LANGUAGES:
            return wanted
        close = get_close_matches(wanted, {*here, *LANGUAGES}, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        listed = ", ".join(list(here)[:12]) or "none yet"
        raise UsageError(f"there is no language {name[:80]!a}; {hint}this workspace has {listed}")

    def _in_history(self, since: str, author: str) -> tuple[str, Keeps]:
        asked = " ".join(f"{name} {value}" for name, value in (("since", since), ("author", author)) if value)
        git = self._git(asked)
        commit = commit_named(git, since) if since else ""
        try:
            paths = authored_paths(git, author, commit) if author else changed_paths(git, commit)
        except GitError as error:
            raise UsageError(f"the filter {asked} cannot be applied: {error}; leave it out or ask again") from error
        return asked, lambda one: one.path in paths

    def _git(self, wanted: str) -> Git:
        git = self._session.git_facts.git
        if git is None:
            raise UsageError(f"the filter {wanted} needs git, and this folder is in no repository; leave it out")
        if git.problem:
            raise UsageError(f"the filter {wanted} needs git: {git.problem}")
        return git


def _on_path(globs: Sequence[str]) -> Keeps:
    if len(globs) > MOST_GLOBS:
        raise UsageError(f"there are {len(globs)} path globs; give at most {MOST_GLOBS}")
    meant = PathGlobs(globs)
    return lambda one: meant.mean(one.path)


def _in_language(language: str) -> Keeps:
    return lambda one: one.language == language


def _of_kind(is_one: Keeps, *, wanted: bool) -> Keeps:
    return lambda one: is_one(one) is wanted


def _is_test(one: SourceProfile) -> bool:
    return one.role is Role.TEST


def _is_document(one: SourceProfile) -> bool:
    return one.source_kind in (SourceKind.DOC, SourceKind.NOTE)
