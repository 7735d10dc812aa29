"""Compare the citations of a text with the disk: which are right, which are wrong, and what each means today.

In: citations of ``helix_core.check``. Out: the ``helix.check/1`` object. Precision comes before recall: what may be
right for a reason that the index cannot see (a library's name, an inherited member, a file still to be made) is left
unjudged and counted as unknown. ``cited_files`` opens the files that a text names.
"""

from __future__ import annotations

import builtins
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from helix_core.check import (
    MOST_CITATIONS,
    Citation,
    CitationKind,
    Diff,
    DiffedDocument,
    citations_in,
    diff_in,
)
from helix_core.engine.verdict.citation_outcome import (
    RIGHT,
    WORDS,
    CitationOutcome,
    CitedPlace,
    Unjudged,
    uncompared,
    wrong_citation,
)
from helix_core.engine.verdict.cited_calls import compare_call
from helix_core.engine.verdict.cited_files import MOST_FILES, CitedFile, CitedFiles
from helix_core.engine.verdict.cited_history import CitedHistory, FormerDeclaration
from helix_core.engine.verdict.cited_imports import CitedImports
from helix_core.engine.verdict.declaration_changes import renamed
from helix_core.engine.verdict.judge import unindexed
from helix_core.engine.verdict.outdated import OutdatedDocuments
from helix_core.engine.verdict.spans import whole_word
from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import GitError
from helix_core.ingest import (
    MEMBERLESS_BASES,
    Declaration,
    base_name,
    block,
    declarations,
    language_of,
    plain_base,
)
from helix_core.ingest.provenance import provenance
from helix_core.ingest.signatures import LANGUAGES
from helix_core.model import Reason, Role, SourceKind, Status
from helix_core.search import FROM_IMPORT
from helix_core.store import DefinedAt, DefinitionHit, Reader
from helix_core.words import is_compound
from helix_core.workspace import Git, source_id_of, untracked_paths

CHECK_SCHEMA = "helix.check/1"
MOST_FINDINGS = 200
MOST_NAMED = 3
MOST_SAME_NAME = 8
ROUNDS = 2
MOST_LOOKED_UP = 200
MOST_GONE_NAMES = 80
MOST_SAID_NAMES = 40
MOST_MEMBERS = 100
# A name is at a cited line if it is in it, or as many lines before or after.
NEAR_LINES = 3
MOST_DECORATOR_LINES = 80
# A quote has its place if it begins that near to it.
QUOTE_SLACK = 3
# Of a quote that differs so many lines are in the file; one with fewer is not a quote of it.
LEAST_QUOTED_SHARE = 0.5
_ELLIPSIS = re.compile(r"\s*(?:#|//|--|/\*|;)?\s*(?:\.{3}|…)\s*(?:\*/)?\s*|\s*(?:#|//)\s*(?:\.{3}|…).*")
# A class or module with one of these may have more names than it declares.
_DYNAMIC_CLASS = re.compile(r"\b(?:__getattr__|__getattribute__|__dict__|setattr)\b|\bmetaclass\b")
_DYNAMIC_MODULE = re.compile(rb"\b(?:def __getattr__|globals\(\)|import \*|sys\.modules)")
_SETS_FROM_OUTSIDE = re.compile(rb"\bsetattr\(\s*(?:cls|klass|[A-Z]\w*)\s*,")
_DECLARES = re.compile(
    r"(?:(?:async|export|default|public|private|static|pub|abstract) )*(?:def|class|function|fn|func)\b"
)
# Inner classes that users of a library write with options of their own.
_WRITTEN_BY_USERS = frozenset({"Meta", "Config", "Options", "Params", "Arguments"})
# Classes of a language or its platform, which a class of the workspace may be named like.
_OF_LANGUAGES = frozenset(dir(builtins)) | frozenset(
    (
        *("Symbol", "Object", "Array", "Map", "Set", "WeakMap", "WeakSet", "Promise", "JSON", "Math", "Date", "Error"),
        *("RegExp", "String", "Number", "Boolean", "Function", "Reflect", "Proxy", "Intl", "Buffer", "Response"),
        *("Request", "Headers", "URL", "Event", "EventTarget", "Element", "Node", "Document", "Window", "Iterator"),
        *("Vec", "Option", "Result", "Box", "Rc", "Arc", "HashMap", "HashSet", "List", "Optional", "Stream", "Path"),
    )
)
# A folder or a document of an earlier version, or of the way from one.
_OF_ANOTHER_VERSION = re.compile(
    r"(?:^|/)(?:versioned|versions?[-_ ]?\d|v\d|\d+\.[\dx]|archived?\b|legacy|old\b|deprecated)[^/]*"
    r"|(?:migrat|upgrad|chang)\w*[^/]*$",
    re.I,
)
_BODIES = frozenset(("function", "method", "test", "class"))


class CheckedText:
    """The check of one text. ``folder`` is the workspace's path, ``base`` the folder of the text in it.

    ``is_whole`` says that the index holds every file, so that a name it does not know is not in the workspace. A name
    that occurs in one of the files that were ``set_aside`` may be defined there.
    """

    def __init__(
        self,
        reader: Reader,
        weigher: Weigher,
        folder: str,
        *,
        git: Git | None,
        base: str = "",
        is_whole: bool = True,
        set_aside: Sequence[bytes] = (),
    ) -> None:
        self._reader, self._weigher, self._observer = reader, weigher, weigher.observer
        self._git, self._is_whole = git, is_whole
        facts = weigher.facts
        self._known = OutdatedDocuments(facts.committed, reader, weigher.observer, facts.state.head, facts.lookups())
        self._known.kept.follow(reader)
        self._set_aside = set_aside
        self._names: dict[tuple[tuple[str, ...], bool, bool, str], CitationOutcome] = {}
        self._old: dict[tuple[str, ...], FormerDeclaration] = {}
        self._notes: dict[str, None] = {}
        self._stale: dict[bytes, bytes | None] = {}
        self._changed_code: list[bytes] | None = None
        self._folder, self._base = folder, base
        self._files = CitedFiles(reader, weigher, folder, base, self._notes)
        self._imports = CitedImports(reader, weigher, self._files, self._known, base)
        self._history = CitedHistory(weigher, self._known, git, self._notes, b"")
        self._is_of_past = False
        self._placed: set[tuple[str, ...]] = set()
        self._compared = 0

    def of(self, text: str, path: str = "") -> dict[str, Any]:
        """Return the ``helix.check/1`` object; ``path`` is the text's own, as findings have it. Raises Cancelled.

        Of a diff the added lines of documents are checked, and findings are where these lines are in the documents.
        """
        started = time.perf_counter()
        if not self._is_whole:
            self._notes["the index is not complete yet: names were not checked"] = None
        diff = diff_in(text)
        self._look_back(path)
        outcomes: list[tuple[str, Citation, CitationOutcome]] = []
        if diff is None:
            outcomes = [(path, *judged) for judged in self._outcomes(citations_in(text))]
        else:
            self._notes[_of_diff(diff)] = None
            for document in diff.documents:
                self._base = os.path.dirname(document.path)
                self._look_back(document.path)
                self._begin_again()
                outcomes += [(document.path, *judged) for judged in self._outcomes(_added(document))]
        wrong = [one for one in outcomes if one[2].rule]
        left = [one for one in outcomes if not one[2].is_known]
        if len(wrong) > MOST_FINDINGS:
            self._notes[f"only the first {MOST_FINDINGS} of {len(wrong):,} findings are listed"] = None
        if len(left) > MOST_FINDINGS:
            self._notes[f"only the first {MOST_FINDINGS} of {len(left):,} that are not comparable are listed"] = None
        return {
            "schema": CHECK_SCHEMA,
            "findings": [_wire(one, outcome, at) for at, one, outcome in wrong[:MOST_FINDINGS]],
            "checked": len(outcomes) - len(left),
            "wrong": len(wrong),
            "unknown": len(left),
            "unjudged": [_left(one, outcome.why, at) for at, one, outcome in left[:MOST_FINDINGS] if outcome.why],
            "notes": [*self._notes, *self._observer.notes],
            "elapsed_ms": round((time.perf_counter() - started) * 1e3, 1),
        }

    def _look_back(self, path: str) -> None:
        """Begin with the history of a document, whose path is empty where the workspace does not have it."""
        document = os.fsencode(path)
        self._history = CitedHistory(self._weigher, self._known, self._git, self._notes, document)
        self._is_of_past = provenance(document).role is Role.HISTORY or _OF_ANOTHER_VERSION.search(path) is not None

    def _is_of_now(self, one: Citation) -> bool:
        """Return whether what git knows to be gone is wrong here: the sentence and the document are not of the past."""
        return one.is_of_now and not self._is_of_past

    def _outcomes(self, citations: Sequence[Citation]) -> list[tuple[Citation, CitationOutcome]]:
        """Judge citations, once more where files that had changed were indexed anew meanwhile."""
        if len(citations) == MOST_CITATIONS:
            self._notes[f"only the first {MOST_CITATIONS:,} references were checked"] = None
        outcomes: list[tuple[Citation, CitationOutcome]] = []
        self._placed = {one.parts for one in citations if one.kind is CitationKind.PLACE}
        for _ in range(ROUNDS):
            before = self._observer.mended
            self._find_gone(citations)
            judged = [(citation, self._judged(citation)) for citation in citations]
            # What is wrong about the name of an imported function is said once, at its import.
            outcomes = [
                (one, outcome)
                for one, outcome in judged
                if outcome is RIGHT or outcome.rule == "arguments-differ" or not (one.is_import and one.is_call)
            ]
            if self._observer.mended == before:
                break
            self._begin_again()
        return outcomes

    def _begin_again(self) -> None:
        """Forget what the index said before files that had changed were indexed anew."""
        self._known.kept.follow(self._reader)
        self._names.clear()
        self._stale.clear()
        self._old, self._compared = {}, 0
        self._changed_code = None
        self._files = CitedFiles(self._reader, self._weigher, self._folder, self._base, self._notes)
        self._imports = CitedImports(self._reader, self._weigher, self._files, self._known, self._base)

    def _judged(self, one: Citation) -> CitationOutcome:
        self._weigher.facts.check()
        match one.kind:
            case CitationKind.PLACE:
                return self._place(one)
            case CitationKind.PATH:
                return self._path(one)
            case CitationKind.SYMBOL:
                return self._symbol(one)
            case CitationKind.QUOTE:
                return self._quote(one)

    def _missing(self, one: Citation) -> CitationOutcome:
        """Judge a path that no file of the workspace has."""
        if not one.is_claim and not self._is_of_now(one):
            return uncompared(Unjudged.NO_CLAIM)
        if self._files.is_there(one.path):
            return uncompared(Unjudged.NOT_INDEXED)
        spellings = self._files.spellings(one.path)
        if not spellings:
            return uncompared(Unjudged.OUTSIDE)
        if (gone := self._lost_file(one, spellings)) is not None:
            return gone
        if not one.is_claim:
            return uncompared(Unjudged.NO_CLAIM)
        path = spellings[-1]
        has_folder = b"/" in path and self._observer.is_folder(path.split(b"/")[0])
        near = self._files.nearest(path, has_folder=has_folder)
        now = CitedPlace(near, max(one.start_line, 1)) if near else None
        shown = f"; there is {source_id_of(near)}" if near else ""
        if near or (one.kind is CitationKind.PLACE and has_folder):
            return wrong_citation("file-missing", Reason.GONE, f"there is no such file{shown}", now)
        return uncompared(Unjudged.NOT_HERE)

    def _lost_file(self, one: Citation, spellings: Sequence[bytes]) -> CitationOutcome | None:
        """Judge a path that a commit had; None where none did, or the sentence may mean another time."""
        # A link begins at its document, and a bare name in a text may be of the reader's project.
        lost = self._history.lost_file(spellings[:1] if one.is_link else spellings) if self._is_of_now(one) else None
        if lost is None:
            return None
        near = lost.now or self._files.nearest(lost.path, has_folder=self._observer.is_folder(lost.path.split(b"/")[0]))
        now = CitedPlace(near, max(one.start_line, 1)) if near else None
        shown = f"; it is {source_id_of(near)} now" if lost.now else f"; there is {source_id_of(near)}" if near else ""
        reason = Reason.RENAMED if lost.now else Reason.GONE
        return wrong_citation("file-gone", reason, f"the file is not there any more{shown}", now)

    # Places and paths

    def _path(self, one: Citation) -> CitationOutcome:
        if self._files.named(one.path) or self._files.is_there(one.path):
            return RIGHT
        if "/" in one.path:
            return self._missing(one)
        # A bare file name is as often a file of the reader's own project; a link is to one beside its document.
        spellings = self._files.spellings(one.path) if one.is_link else []
        return (self._lost_file(one, spellings) if spellings else None) or uncompared(Unjudged.READERS_OWN)

    def _place(self, one: Citation) -> CitationOutcome:
        paths = self._files.named(one.path)
        if not paths:
            return self._missing(one)
        files = [file for path in paths[:MOST_SAME_NAME] if (file := self._files.read(path)) is not None]
        if not files or len(paths) > MOST_SAME_NAME:
            return uncompared(Unjudged.AMBIGUOUS if len(paths) > MOST_SAME_NAME else Unjudged.NOT_INDEXED)
        if not 0 < one.start_line <= one.end_line:
            problem = "lines are counted from 1" if not one.start_line else "the range ends before it begins"
            return wrong_citation("line-missing", Reason.CHANGED, problem, self._definition(one, files))
        # Lines to be written begin at most right after the end; a line farther on is wrong whatever the sentence says.
        last = one.end_line if one.is_claim else one.start_line
        long_enough = [file for file in files if last <= len(file.lines) + 1]
        if not long_enough:
            most = max(len(file.lines) for file in files)
            now = self._definition(one, files)
            known = f"; {one.symbol} is at {_shown(now)}" if now is not None else ""
            count = f"{most:,} line{'s' if most != 1 else ''}"
            return wrong_citation("line-missing", Reason.CHANGED, f"the file has {count}{known}", now)
        if not one.is_claim:
            return uncompared(Unjudged.NO_CLAIM)
        # Of two symbols beside a place one is enough: it need not be the same line for both.
        named = [one, *([replace(one, parts=one.also)] if one.also else [])]
        if not one.parts or any(
            _is_named_at(file, each, self._owned_in(file, each)) for file in long_enough for each in named
        ):
            return RIGHT
        now = self._definition(one, long_enough)
        if now is None:
            return uncompared(Unjudged.NAME_BESIDE)
        return wrong_citation("symbol-elsewhere", Reason.MOVED, f"{one.symbol} is at {_shown(now)} now", now)

    def _definitions_in(self, file: CitedFile, one: Citation) -> list[DefinitionHit]:
        """Return the definitions of a file that a symbol may name: a qualified one names a member of its owner, or
        what the file itself, as a module, has at its top.
        """
        named = [hit for hit in file.defined if hit.name == one.name]
        if len(one.parts) < 2:
            return named
        if owned := self._owned_in(file, one):
            return owned
        is_module = one.parts[-2] in _modules(file.source.path)
        return [hit for hit in named if is_module and _innermost(file.defined, hit) is None]

    def _owned_in(self, file: CitedFile, one: Citation) -> list[DefinitionHit]:
        """Return the definitions of a qualified name that a file has under the name's owner."""
        named = [hit for hit in file.defined if hit.name == one.name]
        if len(one.parts) < 2 or not named:
            return []
        owner, path = one.parts[-2], file.source.path
        # An owner need not enclose its members: a receiver in Go, a scope in C++.
        known = {
            at.hit
            for at in self._reader.names.defined_at(one.name, path, MOST_LOOKED_UP)
            if at.path == path and at.trail[-1:] == (owner,)
        }
        around = ((hit, _innermost(file.defined, hit)) for hit in named)
        return [hit for hit, outer in around if hit in known or (outer is not None and outer.name == owner)]

    def _definition(self, one: Citation, files: Sequence[CitedFile]) -> CitedPlace | None:
        """Return where the symbol next to a place is defined: in the cited file, else the only definition there is."""
        if not one.parts or not _is_telling(one):
            return None
        own = [
            CitedPlace(file.source.path, hit.start_line, one.symbol)
            for file in files
            if file.source.source_kind is SourceKind.CODE
            for hit in self._definitions_in(file, one)
        ]
        if own:
            return min(own, key=lambda place: abs(place.start_line - one.start_line))
        if any(file.source.source_kind is not SourceKind.CODE for file in files) or not self._is_whole:
            return None
        if any(whole_word(one.parts[-1]).search(line) for file in files for line in file.lines):
            return None
        if self._is_in_set_aside(one.parts[-1]):
            return None
        # What changed is indexed first.
        self._changed()
        code = self._implementations(one.parts[-1])
        owned = [at for at in code if len(one.parts) < 2 or at.trail[-1:] == one.parts[-2:-1]]
        if len(owned) != 1 or (len(code) > 1 and len(one.parts) < 2):
            return None
        file = self._files.read(owned[0].path)
        if file is None or not file.defined:
            # The file changed, and what it defines now is not known.
            return None
        return CitedPlace(owned[0].path, owned[0].hit.start_line, one.symbol)

    # Symbols

    def _implementations(self, name: str) -> list[DefinedAt]:
        return [
            at
            for at in self._known.defined(name)
            if at.source_kind is SourceKind.CODE and at.role in (Role.IMPLEMENTATION, Role.EXAMPLE)
        ]

    def _symbol(self, one: Citation) -> CitationOutcome:
        if not self._is_whole:
            return uncompared(Unjudged.NOT_INDEXED)
        if one.name.startswith("__") and one.name.endswith("__"):
            return uncompared(Unjudged.OPEN)
        asked = (one.parts, one.is_call, one.is_import, one.module)
        if asked not in self._names:
            self._names[asked] = self._imports.judge(one) if one.module else self._named(one)
        outcome = self._names[asked]
        if outcome is RIGHT and one.is_call and not one.module:
            outcome = compare_call(one, self._still_defined(one.parts[-2:]), self._known, self._placed)
        is_claim = self._is_of_now(one) if outcome.rule == "name-gone" else one.is_claim
        if not is_claim and outcome is not RIGHT:
            return uncompared(Unjudged.NO_CLAIM)
        if outcome.rule and (self._is_in_set_aside(one.name) or self._is_in_changed(one.name)):
            return uncompared(Unjudged.NOT_INDEXED)
        return outcome

    def _is_in_changed(self, name: str) -> bool:
        """Return whether a file that the index does not have as it is on disk has the name, as the new name of a rename
        has for a moment. Files that are indexed meanwhile are judged in the next round.
        """
        return any(_has_word(data, name) for data in self._changed())

    def _changed(self) -> list[bytes]:
        """Return the bytes of the code that changed since it was indexed, or is new. As much of it as an answer may
        bring up to date is then in the index.
        """
        if self._changed_code is None:
            self._changed_code = [*self._read_changed(), *self._read_new()]
        return self._changed_code

    def _read_changed(self) -> Iterator[bytes]:
        states = self._reader.files.states().values()
        changed = self._observer.changed(state for state in states if not state.skipped and _is_code(state.path))
        for path in changed[:MOST_FILES]:
            source = self._reader.files.source(path)
            file = self._observer.look(source).file if source is not None else None
            if file is not None:
                yield file.data

    def _read_new(self) -> Iterator[bytes]:
        new = [path for path in self._untracked() if _is_code(path) and self._reader.files.state(path) is None]
        for path in new[:MOST_FILES]:
            file = self._observer.peek(path).file
            if file is not None:
                yield file.data

    def _has_lost(self, path: bytes, name: str) -> bool:
        """Return whether a file changed since it was indexed, and has the name no more."""
        if path not in self._stale:
            self._stale[path] = self._bytes_if_changed(path)
        data = self._stale[path]
        return data is not None and not _has_word(data, name)

    def _bytes_if_changed(self, path: bytes) -> bytes | None:
        """Return the bytes of a file that is not as it was indexed, none where it is gone; None for any other."""
        state, source = self._reader.files.state(path), self._reader.files.source(path)
        if state is None or source is None or not self._observer.is_there(path):
            return b""
        if not self._observer.changed([state]):
            return None
        file = self._observer.look(source).file
        return file.data if file is not None else None

    def _untracked(self) -> Sequence[bytes]:
        try:
            return untracked_paths(self._git) if self._git is not None else ()
        except GitError as error:
            self._notes[f"new files were not looked for: {error}"] = None
            return ()

    def _is_in_set_aside(self, name: str) -> bool:
        """Return whether a file that was set aside has the name, or there are too many of them to look."""
        return len(self._set_aside) > MOST_FILES or any(_has_word(data, name) for data in self._unread)

    @cached_property
    def _unread(self) -> list[bytes]:
        """Return the bytes of the files that were set aside, of those that can be read."""
        observations = (self._observer.look(unindexed(path)) for path in self._set_aside)
        return [observed.file.data for observed in observations if observed.file is not None]

    def _named(self, one: Citation) -> CitationOutcome:
        known = [at for at in self._known.defined(one.name) if not self._has_lost(at.path, one.name)]
        if len(one.parts) == 1:
            return RIGHT if known else self._gone(one)
        owner = one.parts[-2]
        if owner in _OF_LANGUAGES or owner in _WRITTEN_BY_USERS:
            return uncompared(Unjudged.OF_LANGUAGE)
        if any(at.trail[-1:] == (owner,) or owner in _modules(at.path) for at in known):
            return RIGHT
        if one.is_import:
            return self._module_member(one)
        if not _is_telling(one):
            return uncompared(Unjudged.COMMON_WORD)
        classes = [at for at in self._implementations(owner) if at.hit.kind == "class"]
        if owner[:1].isupper() and len(self._known.defined(owner)) >= 1:
            gone = self._gone(one)
            # What became of it is known; else an unseen base may give it.
            return gone if gone.now is not None else self._member(one, classes)
        return self._module_member(one) if not classes else uncompared(Unjudged.OPEN)

    def _member(self, one: Citation, classes: Sequence[DefinedAt]) -> CitationOutcome:
        """Judge a member: wrong where no class of the owner's name has it, and no base of one."""
        self._compared += 1
        if self._compared > MOST_MEMBERS:
            self._notes[f"only the first {MOST_MEMBERS} members that no index entry has were compared"] = None
            return uncompared(Unjudged.OPEN)
        members: dict[str, CitedPlace] = {}
        for at in classes[:MOST_SAME_NAME]:
            code = self._known.code(at)
            if code is None or code.declaration.kind != "class" or code.language not in LANGUAGES:
                return uncompared(Unjudged.OPEN)
            own = self._members(at.path, code.data, code.declaration, one.name, 0)
            if own is None:
                return uncompared(Unjudged.OPEN)
            members = own | members
        if not 0 < len(classes) <= MOST_SAME_NAME or self._is_assigned(one):
            return uncompared(Unjudged.OPEN)
        # A name that several classes have is likely that of one elsewhere too, whose members code here may call.
        if len(classes) > 1 and self._known.is_in_code(one.name):
            return uncompared(Unjudged.OPEN)
        owner = one.parts[-2]
        near = get_close_matches(one.name, members, n=1, cutoff=0.6)
        now = members[near[0]] if near else None
        shown = f"; nearest is {owner}.{near[0]}" if near else ""
        reason = Reason.RENAMED if near else Reason.GONE
        return wrong_citation("member-missing", reason, f"{owner} has no such member{shown}", now)

    def _members(
        self, path: bytes, data: bytes, declaration: Declaration, name: str, depth: int
    ) -> dict[str, CitedPlace] | None:
        """Return the members of a class and its bases; None where it may have the name from somewhere unseen."""
        language = _language(path)
        head = b" ".join(data.split(b"\n")[declaration.line - 1 : declaration.line + 4]).partition(b"{")[0]
        is_script = language != "python"
        own = "\n".join(block(data, declaration))
        is_open = _DYNAMIC_CLASS.search(own) is not None or _SETS_FROM_OUTSIDE.search(data) is not None
        if _has_word(data, name) or is_open or depth > 8 or (is_script and b"extends" in head):
            return None
        found: dict[str, CitedPlace] = {}
        for written in declaration.bases:
            if base_name(written) in MEMBERLESS_BASES:
                continue
            base = self._certain_base(path, data, declaration, written)
            above = None
            if base is not None and (code := self._known.code(base)) is not None and code.declaration.kind == "class":
                above = self._members(base.path, code.data, code.declaration, name, depth + 1)
            if above is None:
                return None
            found |= above
        for member in declarations(data, language):
            if member.chain[:-1] == declaration.chain:
                found[member.chain[-1]] = CitedPlace(path, member.line, ".".join(member.chain[-2:]))
        return found

    def _certain_base(self, path: bytes, data: bytes, declaration: Declaration, written: str) -> DefinedAt | None:
        """Return the class that a base means, of its own file or imported from one; None unless it is the only one.

        Surer than ``symbols.choice.choose_base``, which takes the likeliest of several for what is shown: from a wrong
        class here a right citation would be judged wrong.
        """
        base = plain_base(written)
        meant = [
            at
            for at in (self._implementations(base.rpartition(".")[2]) if "=" not in written else ())
            if _is_imported(data, base, at.path)
            or ("." not in base and at.path == path and (*at.trail, at.hit.name) != declaration.chain)
        ]
        return meant[0] if len(meant) == 1 else None

    def _is_assigned(self, one: Citation) -> bool:
        """Return whether any code sets the member from outside of its class, or names it as this member."""
        owner, name = re.escape(one.parts[-2]), re.escape(one.name)
        pattern = re.compile(rf"\b{owner}(?:\.|::){name}\b|\.{name}\s*=(?!=)|[\"']{name}[\"']")
        paths = self._reader.uses.code_mentioning(one.name, MOST_SAME_NAME * 3)
        if len(paths) == MOST_SAME_NAME * 3:
            return True
        files = [self._files.read(path) for path in paths]
        return any(file is None or pattern.search(file.data.decode("utf-8", "replace")) for file in files)

    def _module_member(self, one: Citation) -> CitationOutcome:
        """Judge a name of a module or package of this workspace, named by its whole dotted path."""
        owners = one.parts[:-1]
        if (lost := self._history.lost_module(one.parts)) is not None:
            module, former = lost
            now = CitedPlace(former.now, 1) if former.now else None
            shown = f"; {source_id_of(former.path)} is {source_id_of(former.now)} now" if former.now else ""
            reason = Reason.RENAMED if former.now else Reason.GONE
            return wrong_citation("name-gone", reason, f"there is no module {module} any more{shown}", now)
        if owners[0] in sys.stdlib_module_names or not all(part.isidentifier() for part in one.parts):
            return uncompared(Unjudged.OF_LANGUAGE)
        # ``django.server`` may name a logger, a setting or a command.
        if not one.is_call and not one.is_import and one.name.islower() and not is_compound(one.name):
            return uncompared(Unjudged.COMMON_WORD)
        path = "/".join(owners)
        for root in ("", "src/"):
            for ending in (".py", "/__init__.py"):
                file = self._files.read(f"{root}{path}{ending}".encode())
                if file is None:
                    continue
                folder = f"{root}{path}/{one.name}".encode()
                is_module = any(
                    self._observer.is_there(folder + tail)
                    for tail in (b".py", b".pyx", b".pyi", b".so", b"/__init__.py")
                )
                is_folder = self._observer.is_folder(folder)
                if (
                    is_module
                    or is_folder
                    or self._is_assigned(one)
                    or _has_word(file.data, one.name)
                    or _DYNAMIC_MODULE.search(file.data)
                ):
                    return uncompared(Unjudged.OPEN)
                elsewhere = self._implementations(one.name)
                now = (
                    CitedPlace(elsewhere[0].path, elsewhere[0].hit.start_line, one.name)
                    if len(elsewhere) == 1
                    else None
                )
                shown = f"; {one.name} is at {_shown(now)}" if now is not None else ""
                has = "".join((".".join(owners), " has no such name", shown))
                return wrong_citation("name-missing", Reason.RENAMED if now is not None else Reason.GONE, has, now)
        gone = self._gone(one)
        return self._misspelled_module(one) if one.is_import and not gone.rule else gone

    def _misspelled_module(self, one: Citation) -> CitationOutcome:
        """Judge an import from a module that a package of this workspace does not have, though one spelled so."""
        *package, module = one.parts[:-1]
        for root in ("", "src/"):
            folder = root + "/".join(package)
            if not package or not self._observer.is_folder(folder.encode()):
                continue
            path = f"{folder}/{module}.py".encode()
            if self._files.is_there(path.decode()) or self._observer.is_folder(f"{folder}/{module}".encode()):
                return uncompared(Unjudged.OPEN)
            near = self._files.nearest(path, has_folder=True)
            if near.startswith(f"{folder}/".encode()):
                now = CitedPlace(near, 1)
                missing = ".".join(one.parts[:-1])
                message = f"there is no module {missing}; there is {source_id_of(near)}"
                return wrong_citation("name-missing", Reason.RENAMED, message, now)
        return uncompared(Unjudged.NOT_HERE)

    def _find_gone(self, citations: Iterable[Citation]) -> None:
        """Look up, in the files changed lately, the names that nothing defines any more: of a name without its owner,
        those that no code has; of ``Owner.name``, those that its owner lost, whoever else has a member of that name.
        """
        if not self._is_whole or self._git is None:
            return
        asked = dict.fromkeys(
            citation.parts[-2:]
            for citation in citations
            if citation.kind is CitationKind.SYMBOL
            and (citation.is_claim or citation.is_of_now)
            and (len(citation.parts) > 1 or is_compound(citation.name))
            and len(citation.name) > 5
        )
        lost = [parts for parts in list(asked)[:MOST_LOOKED_UP] if not self._still_defined(parts)]
        # A name that code still says is wrong only where its file has what it became.
        likely = [parts for parts in lost if self._may_be_gone(parts)]
        said = [parts for parts in lost if parts not in likely and is_compound(parts[-1])]
        wanted = [*likely, *said[:MOST_SAID_NAMES]]
        if wanted:
            self._old = self._history.declarations(wanted[:MOST_GONE_NAMES])

    def _still_defined(self, parts: tuple[str, ...]) -> list[DefinedAt]:
        """Return the definitions of a name that the disk still has, of ``Owner.name`` those of its owner or module."""
        known = [at for at in self._known.defined(parts[-1]) if not self._has_lost(at.path, parts[-1])]
        return [at for at in known if len(parts) < 2 or at.trail[-1:] == parts[-2:-1] or parts[-2] in _modules(at.path)]

    def _may_be_gone(self, parts: tuple[str, ...]) -> bool:
        is_member = len(parts) > 1 and parts[-2] not in _OF_LANGUAGES and bool(self._known.defined(parts[-2]))
        return is_member or (is_compound(parts[-1]) and not self._known.is_in_code(parts[-1]))

    def _gone(self, one: Citation) -> CitationOutcome:
        """Judge a name that nothing defines any more: wrong where a file of this workspace declared it before, and no
        code has it, or the same file has what it became.
        """
        old = self._old.get(one.parts[-2:])
        if old is None:
            return uncompared(Unjudged.NOT_HERE)
        now = self._became(old)
        is_said = self._known.is_in_code(one.name)
        if now is None and is_said:
            return uncompared(Unjudged.OPEN)
        had = f"{source_id_of(old.path)} had it"
        shown = f"; it may be {now.symbol} now" if now is not None else ""
        reason = Reason.RENAMED if now is not None else Reason.GONE
        missing = "has it no more" if is_said else "no code has it any more"
        return wrong_citation("name-gone", reason, f"{had}, and {missing}{shown}", now)

    def _became(self, old: FormerDeclaration) -> CitedPlace | None:
        """Return what the same file has in the place of what is gone."""
        file = self._files.read(old.path)
        if file is None:
            return None
        before = {declaration.chain for declaration in self._observer.declares(old.path, old.data).declared}
        after = self._observer.declares(old.path, file.data).declared
        if any(declaration.chain == old.declaration.chain for declaration in after):
            return None
        now = renamed(old.declaration, before, after, then=old.data, now=file.data)
        return CitedPlace(old.path, now.line, ".".join(now.chain[-2:])) if now is not None else None

    # Quotes

    def _quote(self, one: Citation) -> CitationOutcome:
        paths = self._files.named(one.path)
        files = [file for path in paths[:MOST_SAME_NAME] if (file := self._files.read(path)) is not None]
        if not files or len(paths) > MOST_SAME_NAME:
            if one.is_explicit and not paths:
                return self._missing(one)
            return uncompared(Unjudged.AMBIGUOUS if len(paths) > MOST_SAME_NAME else Unjudged.NOT_HERE)
        pieces = _pieces(one.quoted)
        if not pieces:
            return uncompared(Unjudged.NOT_A_QUOTE)
        places = [(file, at) for file in files if (at := _found(pieces, file, one.start_line)) is not None]
        if places:
            file, (first, last) = min(places, key=lambda found: abs(found[1][0] - one.start_line))
            is_near = one.start_line - QUOTE_SLACK <= first and last <= one.end_line + QUOTE_SLACK
            if not one.start_line or is_near:
                return RIGHT
            if not one.is_claim:
                return uncompared(Unjudged.NO_CLAIM)
            now = CitedPlace(file.source.path, first)
            return wrong_citation(
                "quote-moved",
                Reason.MOVED,
                f"this text is at {'line' if first == last else 'lines'} {_span(first, last)} now",
                now,
            )
        if not one.is_claim or not one.start_line or len(files) > 1:
            return uncompared(Unjudged.NOT_A_QUOTE if one.is_claim else Unjudged.NO_CLAIM)
        return _differing(files[0], one.quoted)


def _differing(file: CitedFile, quoted: Sequence[str]) -> CitationOutcome:
    """Judge a quote that is nowhere in its file: wrong where most of its lines are."""
    lines = [(number, line.strip()) for number, line in enumerate(quoted, 1) if not _ELLIPSIS.fullmatch(line)]
    telling = [(number, line) for number, line in lines if len(line) > 3]
    strange = [number for number, line in telling if line not in file.rows]
    if not strange or len(telling) < 2 or 1 - len(strange) / len(telling) < LEAST_QUOTED_SHARE:
        return uncompared(Unjudged.NOT_A_QUOTE)
    are = "is" if len(strange) == 1 else "are"
    shown = ", ".join(map(str, strange[:MOST_NAMED])) + (", …" if len(strange) > MOST_NAMED else "")
    which = f"{'line' if len(strange) == 1 else 'lines'} {shown} of the quote"
    differs = f"the text differs: {len(strange)} of {len(telling)} lines {are} not in the file ({which})"
    return wrong_citation("quote-differs", Reason.CHANGED, differs, None)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _of_diff(diff: Diff) -> str:
    """Return the note on what of a diff was checked."""
    names = [source_id_of(os.fsencode(one.path)) for one in diff.documents]
    shown = ", ".join(names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    checked = f"the lines that it adds to {shown}{more}" if names else "nothing, as it adds to no document"
    others = f"; its other files ({diff.others:,}) are not documents" if diff.others and names else ""
    return f"this is a diff: checked {'are' if names else 'is'} {checked}{others}"


def _added(document: DiffedDocument) -> list[Citation]:
    """Return the citations of the lines that a diff adds to a document, where they are in it."""
    cited = citations_in(document.text)
    placed = [replace(one, line=document.numbers[one.line - 1]) for one in cited]
    return [one for one in placed if one.line in document.added]


def _left(one: Citation, why: Unjudged, path: str) -> dict[str, Any]:
    """Return a reference that was not compared, with the reason."""
    return {
        "path": path,
        "line": one.line,
        "column": one.column,
        "end_column": one.end_column,
        "reference": one.written,
        "kind": one.kind.value,
        "reason": why.value,
        "message": WORDS[why],
    }


def _wire(one: Citation, outcome: CitationOutcome, path: str) -> dict[str, Any]:
    is_movable = outcome.reason in (Reason.MOVED, Reason.RENAMED)
    return {
        "path": path,
        "line": one.line,
        "column": one.column,
        "end_column": one.end_column,
        "reference": one.written,
        "kind": one.kind.value,
        "rule": outcome.rule,
        "verdict": (Status.STALE_RISK if is_movable else Status.NEEDS_REFRESH).value,
        "reason": outcome.reason.value,
        "message": outcome.message,
        "now": outcome.now.wire() if outcome.now is not None else None,
    }


def _shown(place: CitedPlace | None) -> str:
    return f"{source_id_of(place.path)}:{place.start_line}" if place is not None else ""


def _language(path: bytes) -> str:
    return language_of(path, b"").name


def _is_code(path: bytes) -> bool:
    return provenance(path).source_kind is SourceKind.CODE


def _modules(path: bytes) -> list[str]:
    """Return the names of a file that can own its definitions: its stem and its folders."""
    return os.path.splitext(path.decode("utf-8", "replace"))[0].split("/")


def _is_telling(one: Citation) -> bool:
    """Return whether the symbol is more than a common word in code marks."""
    return len(one.name) > 2 and (len(one.parts) > 1 or one.is_call or is_compound(one.name) or one.name[0].isupper())


def _innermost(defined: Sequence[DefinitionHit], hit: DefinitionHit) -> DefinitionHit | None:
    """Return the smallest definition around another one of its file, None for one at the top."""
    around = [
        one
        for one in defined
        if one.start_line <= hit.start_line
        and hit.end_line <= one.end_line
        and (one.start_line, one.end_line) != (hit.start_line, hit.end_line)
    ]
    return min(around, key=lambda one: one.end_line - one.start_line, default=None)


def _is_named_at(file: CitedFile, one: Citation, owned: Sequence[DefinitionHit]) -> bool:
    """Return whether the cited lines contain the name, or lie in its definition.

    Where the file has definitions ``owned`` by the owner of a qualified name, one of another owner, or of none, does
    not stand for it, and neither does the line where that one begins. Lines of another function are near to nothing
    outside of it.
    """
    named = [hit for hit in file.defined if hit.name == one.name]
    others = [hit for hit in named if hit not in owned] if owned else []
    meant = [hit for hit in named if hit not in others]
    first, last = _near_lines(file, one, meant)
    if file.lines[one.start_line - 1 : one.start_line] and file.lines[one.start_line - 1].startswith("@"):
        # A definition begins with its decorators, which may be long.
        below = file.lines[last : last + MOST_DECORATOR_LINES]
        last += next((count for count, line in enumerate(below, 1) if _DECLARES.match(line)), 0)
    pattern = whole_word(one.name)
    bodies = (enumerate(file.lines[hit.start_line - 1 : hit.end_line], hit.start_line) for hit in others)
    begins = {next((row for row, line in body if pattern.search(line)), 0) for body in bodies}
    shown = enumerate(file.lines[first - 1 : last], first)
    if any(row not in begins and pattern.search(line) for row, line in shown):
        return True
    return any(hit.start_line <= last and first <= hit.end_line for hit in meant)


def _near_lines(file: CitedFile, one: Citation, meant: Sequence[DefinitionHit]) -> tuple[int, int]:
    """Return the cited lines with those near to them, as far as these lie in no other function or class than the first
    and the last cited line do.
    """
    start, end = one.start_line, min(one.end_line, len(file.lines))
    while end > start and not file.lines[end - 1]:
        end -= 1
    first, last = max(start - NEAR_LINES, 1), one.end_line + NEAR_LINES
    if (above := _other_at(file, start, meant)) is not None:
        first = max(first, above.start_line)
    if (below := _other_at(file, end, meant)) is not None:
        last = min(last, below.end_line)
    return first, last


def _other_at(file: CitedFile, line: int, meant: Sequence[DefinitionHit]) -> DefinitionHit | None:
    """Return the smallest function or class at a line, unless it is one of those that are meant, or lies in one or
    around one; None where nothing is meant.
    """
    around = [hit for hit in file.defined if hit.kind in _BODIES and hit.start_line <= line <= hit.end_line]
    if not around or not meant:
        return None
    at = min(around, key=lambda hit: hit.end_line - hit.start_line)
    is_apart = all(hit.end_line < at.start_line or at.end_line < hit.start_line for hit in meant)
    return at if is_apart else None


def _has_word(data: bytes, name: str) -> bool:
    return re.search(rb"(?<!\w)%s(?!\w)" % re.escape(name.encode()), data) is not None


def _is_imported(data: bytes, base: str, path: bytes) -> bool:
    """Return whether a file takes a base class from the module at ``path``, and not one of that name from elsewhere."""
    text = data.decode("utf-8", "replace")
    owner, _, name = base.rpartition(".")
    modules = {module.removeprefix("_") for module in _modules(path)} | {"", "__init__"}
    if owner:
        return owner.rpartition(".")[2].removeprefix("_") in modules
    for match in FROM_IMPORT.finditer(text):
        names = re.split(r"[,()\s]+", match[2])
        if name in names:
            at = names.index(name)
            is_renamed = at > 0 and names[at - 1] == "as"
            return not is_renamed and match[1].rpartition(".")[2].removeprefix("_") in modules
    return False


def _pieces(quoted: Sequence[str]) -> list[list[str]]:
    """Split a quote at ellipses; each piece is without blank ends, its lines without indentation."""
    pieces: list[list[str]] = [[]]
    for line in quoted:
        if _ELLIPSIS.fullmatch(line):
            pieces.append([])
        elif line.strip() or pieces[-1]:
            pieces[-1].append(line.strip())
    for piece in pieces:
        while piece and not piece[-1]:
            piece.pop()
    return [piece for piece in pieces if piece]


def _found(pieces: Sequence[Sequence[str]], file: CitedFile, near: int) -> tuple[int, int] | None:
    """Return the lines of the pieces in a file, in their order; of several places the nearest to ``near``."""
    places = []
    for start in _starts(pieces[0], file, 0):
        last = start + len(pieces[0])
        for piece in pieces[1:]:
            at = next(_starts(piece, file, last), None)
            if at is None:
                break
            last = at + len(piece)
        else:
            places.append((start + 1, last))
    return min(places, key=lambda place: abs(place[0] - near)) if places else None


def _starts(piece: Sequence[str], file: CitedFile, begin: int) -> Iterator[int]:
    """Yield the rows from ``begin`` on where a piece occurs, whatever its indentation."""
    for row in file.rows.get(piece[0], ()):
        if row >= begin and file.lines[row : row + len(piece)] == piece:
            yield row
