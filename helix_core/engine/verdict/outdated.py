"""Detect outdated documents: symbols that a document names and that changed after its last commit."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from helix_core.engine.verdict.declaration_changes import changes, dotted, speaks_of_other_times, states_something
from helix_core.engine.verdict.observe import Observer
from helix_core.engine.verdict.spans import same_text, whole_word
from helix_core.errors import GitError
from helix_core.ingest import (
    MEMBERLESS_BASES,
    Declaration,
    Reference,
    base_name,
    block,
    declarations,
    declared,
    language_of,
    may_differ,
    references_in,
    sole,
)
from helix_core.ingest.provenance import provenance
from helix_core.ingest.signatures import LANGUAGES
from helix_core.model import DocumentChange, DocumentFlag, Item, LastCommit, Reason, Role, Source, SourceKind
from helix_core.store import DefinedAt, Reader
from helix_core.words import is_compound, split_identifier
from helix_core.workspace import BlobReader

MOST_REFERENCES = 60
# At most so many of the files changed since a commit are searched for a removed name.
MOST_SEARCHED = 400
MOST_READ = 24
MOST_KEPT = 4_096
MOST_SETTINGS = 4
MOST_FOUND = 24
_KINDS = {"meth": "function", "func": "function", "class": "class", "exc": "class", "data": "value", "const": "value"}
_COMMENT_MARKS: dict[bytes, tuple[bytes, ...]] = {
    **dict.fromkeys((b"py", b"pyi", b"rb", b"ex", b"exs", b"jl"), (b"#",)),
    **dict.fromkeys(
        b"js jsx mjs ts tsx go rs java kt c h cc cpp hpp cs swift scala php dart".split(), (b"//", b"/*", b"* ")
    ),
}


@dataclass(frozen=True, slots=True)
class CommittedText:
    """A document item, the masked text of its whole file, and the commit that last touched that file.

    ``lines`` is the blame of the file, one commit per line, empty until it is computed.
    """

    item: Item
    text: str
    commit: str
    lines: tuple[LastCommit, ...] = ()


@dataclass(frozen=True, slots=True)
class _CurrentCode:
    """A declaration in the current file: its source, the file's masked bytes, its language and the declaration."""

    source: Source
    data: bytes
    language: str
    declaration: Declaration


_Lost: TypeAlias = tuple[bytes, Declaration]
_Asked: TypeAlias = tuple[str, str, tuple[str, ...], str, tuple[bytes, ...]]


class KeptLookups:
    """A cache of name lookups across answers, bounded by dropping the oldest entries.

    Lookups between two commits never change; lookups in the index are valid until it is written.
    """

    def __init__(self) -> None:
        self._lost: OrderedDict[_Asked, tuple[_Lost, ...]] = OrderedDict()
        self._defined: OrderedDict[str, list[DefinedAt]] = OrderedDict()
        self._uncommitted: dict[str, tuple[bytes, ...]] = {}
        self._version = -1
        self.said: set[str] = set()

    def lost(self, asked: _Asked, search: Callable[[], tuple[_Lost, ...]]) -> tuple[_Lost, ...]:
        """Return where the name was, computed by ``search`` at a cache miss."""
        if asked not in self._lost:
            self._lost[asked] = search()
            while len(self._lost) > MOST_KEPT:
                self._lost.popitem(last=False)
        return self._lost[asked]

    def follow(self, reader: Reader) -> None:
        """Invalidate the lookups in the index if it was written since."""
        version = reader.version()
        if version != self._version:
            self._version = version
            self._defined.clear()
            self._uncommitted.clear()
            self.said.clear()

    def uncommitted(self, head: str, search: Callable[[str], tuple[bytes, ...]]) -> tuple[bytes, ...]:
        """Return the files that differ from a commit on disk; ``search`` is asked once an index, as a file that changes
        is written to it.
        """
        if head not in self._uncommitted:
            self._uncommitted[head] = search(head)
        return self._uncommitted[head]

    def defined(self, name: str, reader: Reader) -> list[DefinedAt]:
        """Return the definitions of the name, case-sensitive, cached."""
        if name not in self._defined:
            self._defined[name] = [one for one in reader.names.defined_at(name, b"", 60) if one.hit.name == name]
            while len(self._defined) > MOST_KEPT:
                self._defined.popitem(last=False)
        return self._defined[name]


@dataclass(slots=True)
class OutdatedDocuments:
    """The check of documents for one answer. ``head`` is the commit that is checked out."""

    committed: BlobReader | None
    reader: Reader
    observer: Observer
    head: str = ""
    kept: KeptLookups = field(default_factory=KeptLookups)
    notes: list[str] = field(default_factory=list)

    def flags(self, documents: Sequence[CommittedText]) -> dict[int, tuple[DocumentFlag, ...]]:
        """Return the flags by item id, in line order; items without flags are omitted."""
        if self.committed is None:
            return {}
        found: dict[int, tuple[DocumentFlag, ...]] = {}
        self.kept.follow(self.reader)
        try:
            for document in documents:
                flags = self._flags(document, self.committed)
                if flags:
                    found[document.item.id] = flags
        except GitError as error:
            self.notes.append(f"documents were not checked against the code they name: {error}")
        return found

    def _flags(self, document: CommittedText, committed: BlobReader) -> tuple[DocumentFlag, ...]:
        source = document.item.source
        language = "rst" if source.path.endswith((b".rst", b".rest", b".txt")) else "markdown"
        # Parse the whole file, as a code block or a class may begin before the item.
        lines = range(document.item.start_line, document.item.end_line + 1)
        if speaks_of_other_times(f"{document.item.breadcrumb} {document.item.name}"):
            return ()
        references = references_in(document.text, language, lines)[:MOST_REFERENCES]
        if not references or not self._is_as_committed(document, committed):
            return ()
        look = _ReferenceCheck(self, document, committed)
        found: dict[tuple[DocumentChange, str, int], DocumentFlag] = {}
        for reference in references:
            for flag in look.flags(reference):
                # Report a repeated statement of a paragraph once.
                found.setdefault((flag.change, flag.symbol, reference.first_line), flag)
        return tuple(found.values())

    def _is_as_committed(self, document: CommittedText, committed: BlobReader) -> bool:
        """Return whether the document equals its committed text; one with local edits is being updated right now."""
        source = document.item.source
        file = self.observer.look(source).file
        (then,) = committed.read([(document.commit, source.path)])
        return file is not None and then is not None and same_text(file.data, then)

    def is_imported_from_elsewhere(self, name: str) -> bool:
        """Return whether an example in a document imports the name from a package that is not of this project."""
        items = self.reader.files.items(self.reader.uses.documents_mentioning(name, MOST_READ))
        imported = re.compile(
            rf"\bfrom\s+(\w+)[\w.]*\s+import\s+(?:\([^)]{{0,400}}|[^\n(]{{0,200}})\b{re.escape(name)}\b"
        )
        files = [
            self.observer.look(source).file
            for source in {item.source.path: item.source for item in items.values()}.values()
        ]
        texts = [file.data.decode("utf-8", "replace") for file in files if file is not None]
        return any(not self._is_own_package(match[1]) for text in texts for match in imported.finditer(text))

    def _is_own_package(self, name: str) -> bool:
        paths = [f"{root}{name}".encode() for root in ("", "src/", "lib/")]
        return any(self.observer.is_folder(path) or self.observer.is_there(path + b".py") for path in paths)

    def defined(self, name: str) -> list[DefinedAt]:
        """Return the definitions of the name in the index, case-sensitive."""
        return self.kept.defined(name, self.reader)

    def is_in_code(self, name: str) -> bool:
        """Return whether any code contains the name, even in a string; True with ``MOST_READ`` or more candidates."""
        if name in self.kept.said:
            return True
        is_said = self._is_written(name)
        if is_said:
            self.kept.said.add(name)
        return is_said

    def _is_written(self, name: str) -> bool:
        paths = self.reader.uses.code_mentioning(name, MOST_READ)
        pattern = whole_word(name)
        for path in paths:
            source = self.reader.files.source(path)
            file = self.observer.look(source).file if source is not None else None
            lines = _code_lines_with(name, path, file.data) if file is not None else ()
            if any(pattern.search(line.decode("utf-8", "replace")) for line in lines):
                return True
        return len(paths) == MOST_READ

    def contains(self, one: DefinedAt, name: str) -> bool:
        """Return whether the file of a definition contains the name anywhere, which needs no parse."""
        source = self.reader.files.source(one.path)
        file = self.observer.look(source).file if source is not None else None
        return file is not None and name.encode() in file.data

    def code(self, one: DefinedAt) -> _CurrentCode | None:
        """Return the definition as it is on disk, even if the index lags behind; None if the file lost it."""
        source = self.reader.files.source(one.path)
        file = self.observer.look(source).file if source is not None else None
        if source is None or file is None:
            return None
        language = language_of(one.path, file.data).name
        declaration = declared(file.data, language, (*one.trail, one.hit.name))
        return _CurrentCode(source, file.data, language, declaration) if declaration is not None else None

    def uncommitted(self, committed: BlobReader) -> tuple[bytes, ...]:
        """Return the files that differ from HEAD on disk or that it lacks, as in the middle of a rename."""
        return self.kept.uncommitted(self.head, committed.uncommitted) if self.head else ()

    def moved_to(self, commit: str, lost: bytes) -> str:
        """Return the only new file with the bytes of one that a commit had, else the only one of the same name, else an
        empty string. Raises GitError.
        """
        if self.committed is None:
            return ""
        differing = self.committed.differing(commit, self.head) if self.head else {}
        own = differing.get(lost, ("", ""))[0]
        new = [path for path, (then, now) in differing.items() if not then and now]
        same = [path for path in new if own and differing[path][1] == own]
        unstaged = self.uncommitted(self.committed)
        new += [path for path in unstaged if path not in differing and self.observer.is_there(path)]
        if len(same) != 1:
            same = [path for path in new if posixpath.basename(path) == posixpath.basename(lost)]
        if not same and (then := self.committed.read([(commit, lost)])[0]) is not None:
            # A move that is not committed.
            files = [(path, self.observer.peek(path).file) for path in new[:MOST_READ]]
            same = [path for path, file in files if file is not None and file.data == then]
        return same[0].decode("utf-8", "replace") if len(same) == 1 else ""

    def declaration(self, one: DefinedAt) -> Declaration | None:
        """Return what a definition declares on disk, in any language that has definitions; None if the file lost it."""
        source = self.reader.files.source(one.path)
        file = self.observer.look(source).file if source is not None else None
        if file is None:
            return None
        return sole(self.observer.declares(one.path, file.data).declared, (*one.trail, one.hit.name))


@dataclass(slots=True)
class _ReferenceCheck:
    """The check of the references of one document item."""

    asked: OutdatedDocuments
    document: CommittedText
    committed: BlobReader

    def flags(self, reference: Reference) -> Iterable[DocumentFlag]:
        """Return the flags of one reference."""
        line = self._baseline(reference)
        commit = line.commit if line is not None else self.document.commit
        for flag in self._checked(reference, commit):
            yield flag._replace(since=line)

    def _checked(self, reference: Reference, commit: str) -> Iterable[DocumentFlag]:
        if reference.path:
            return self._lost_file(reference, commit)
        if not _is_telling(reference):
            return ()
        known = self.asked.defined(reference.name)
        if not any(one.source_kind is SourceKind.CODE for one in known) and (
            setting := self._setting(reference, commit)
        ):
            return setting
        if not known:
            lost = list(self._lost_name(reference, commit)) or list(self._lost_member(reference, known, commit))
            return lost or self._lost_module(reference, commit)
        return [
            *self._changed(reference, known, commit),
            *self._lost_member(reference, known, commit),
            *self._lost_owner(reference, commit),
            *self._lost_module(reference, commit),
        ]

    def _baseline(self, reference: Reference) -> LastCommit | None:
        """Return the newest commit among the lines of the reference's paragraph, or None without a complete blame."""
        lines = self.document.lines[reference.first_line - 1 : reference.last_line]
        own = [line for line in lines if line.commit.strip("0")]
        if not own or len(own) < len(lines):
            return None
        return max(own, key=lambda line: line.committed_at)

    # Changed

    def _changed(self, reference: Reference, known: Sequence[DefinedAt], commit: str) -> Iterable[DocumentFlag]:
        meant = _one_definition(reference, known) if states_something(reference) else None
        if meant is None or not self._may_differ(commit, meant):
            return
        code = self.asked.code(meant)
        if code is None or not _fits(reference, code.declaration):
            return
        then = self._then(commit, code)
        if then is None or _means(then) == _means(code.declaration):
            return
        for flag in changes(reference, then, code.declaration):
            if flag.change is DocumentChange.PARAMETER and self._is_placeholder(then.chain[-1], flag.was):
                continue
            if not self._changed_together(commit, lambda at: _means(self._then(at, code)), _means(then)):
                shown = _without_secrets(flag)
                if shown is not None:
                    yield shown._replace(path=code.source.path)

    def _may_differ(self, commit: str, meant: DefinedAt) -> bool:
        """Return whether the definition's text differs from the commit's; most do not, and need not be parsed."""
        source = self.asked.reader.files.source(meant.path)
        file = self.asked.observer.look(source).file if source is not None else None
        for path in _places(meant.path):
            (data,) = self.committed.read([(commit, path)])
            if data is not None:
                return (
                    file is not None
                    and data != file.data
                    and may_differ(data, file.data, meant.hit.name, meant.hit.kind == "class")
                )
        return False

    def _then(self, commit: str, code: _CurrentCode) -> Declaration | None:
        for path in _places(code.source.path):
            (data,) = self.committed.read([(commit, path)])
            if data is not None:
                if data == code.data:
                    return code.declaration
                return declared(data, code.language, code.declaration.chain)
        return None

    def _changed_together(self, commit: str, read: Callable[[str], object], then: object) -> bool:
        """Return whether a commit that touched this document made the change, so that its author saw both."""
        since = next((line.committed_at for line in self.document.lines if line.commit == commit), None)
        if since is None:
            return False
        later = {line.commit for line in self.document.lines if line.committed_at > since and line.commit.strip("0")}
        return any(read(f"{at}^") == then != read(at) for at in later)

    def _setting(self, reference: Reference, commit: str) -> list[DocumentFlag]:
        """Flag a key of a single configuration file whose documented value has changed."""
        if reference.role or reference.arguments is not None or not states_something(reference):
            return []
        key = ".".join(reference.parts)
        hits = self.asked.reader.claims.matching([key], MOST_SETTINGS)
        items = self.asked.reader.files.items([hit.item_id for hit in hits])
        sources = {hit.key: item.source for hit in hits if (item := items.get(hit.item_id)) is not None}
        if len(hits) != 1 or len(sources) != 1 or hits[0].key.rpartition(".")[2] != reference.name:
            return []
        ((key, source),) = sources.items()
        file = self.asked.observer.look(source).file
        if source.source_kind is not SourceKind.CONFIG or file is None:
            return []
        (data,) = self.committed.read([(commit, source.path)])
        if data is None or data == file.data:
            return []
        then, now = (_stated(one, source.language, key) for one in (data, file.data))
        if then is None or now is None:
            return []

        def read(at: str) -> object:
            (text,) = self.committed.read([(at, source.path)])
            return _means(_stated(text, source.language, key)) if text is not None else None

        return [
            flag._replace(path=source.path)
            for flag in changes(reference, then, now)
            if not self._changed_together(commit, read, _means(then))
        ]

    # Removed

    def _lost_name(self, reference: Reference, commit: str) -> Iterable[DocumentFlag]:
        """Flag a name that the commit declared and that no code contains any more."""
        name = reference.name
        is_own = is_compound(name) or reference.role or (len(reference.parts) > 1 and reference.parts[-2][:1].isupper())
        if not is_own or not self.asked.head or speaks_of_other_times(reference.sentence):
            return
        if self.asked.is_in_code(name):
            return
        found = self._searched(reference, commit)
        if found is None:
            return
        path, then = found
        if not self._is_gone(path, name) or self._is_written_at_head(commit, name):
            return
        if self.asked.is_imported_from_elsewhere(name):
            return
        (data,) = self.committed.read([(commit, path)])
        assert data is not None

        def read(at: str) -> bool:
            (text,) = self.committed.read([(at, path)])
            return text is not None and name.encode() in text

        if self._changed_together(commit, read, True):
            return
        became = self._became(path, data, then) if then.line else None
        if then.line and len(then.chain) > 1 and became is None and self._may_inherit(then.chain[-2], name):
            return
        yield DocumentFlag(
            DocumentChange.NAME,
            dotted(then.chain),
            reference.line,
            dotted(then.chain) if then.line else then.value,
            dotted(became.chain) if became is not None else "",
            path=path,
            code_line=became.line if became is not None else 0,
            written=reference.written,
        )

    def _is_gone(self, path: bytes, name: str) -> bool:
        """Return whether the file that had the name no longer contains it on disk, as the index may lag behind.

        An unreadable file proves nothing.
        """
        observed = self.asked.observer.peek(path)
        if observed.file is not None:
            return next(_code_lines_with(name, path, observed.file.data), None) is None
        return observed.reason is Reason.GONE

    @property
    def _uncommitted(self) -> tuple[bytes, ...]:
        return self.asked.uncommitted(self.committed)

    def _is_written_at_head(self, commit: str, name: str) -> bool:
        """Return whether code changed since the commit contains the name, indexed or not: at HEAD, and as it is on disk
        where that differs, also in a folder that was renamed just now.
        """
        differing = self.committed.differing(commit, self.asked.head)
        for path in filter(_is_implementation, self._uncommitted[:MOST_SEARCHED]):
            file = self.asked.observer.peek(path).file
            if file is not None and next(_code_lines_with(name, path, file.data), None) is not None:
                return True
        now = [
            (path, now)
            for path, (_, now) in sorted(differing.items())
            if now and _is_implementation(path) and path not in self._uncommitted
        ]
        now = now[:MOST_SEARCHED]
        contents = self.committed.contents([blob for _, blob in now])
        return any(
            data is not None and next(_code_lines_with(name, path, data), None) is not None
            for (path, _), data in zip(now, contents, strict=True)
        )

    def _searched(self, reference: Reference, commit: str) -> _Lost | None:
        """Return where the commit had the referenced name, if the rest of the document supports that meaning."""
        asked = (commit, self.asked.head, reference.parts, reference.role, self._uncommitted)
        found = self.asked.kept.lost(asked, lambda: self._search(reference, commit))
        return next((one for one in found if self._is_borne_out(reference, one[1])), None)

    def _is_borne_out(self, reference: Reference, then: Declaration) -> bool:
        """Return whether the document supports that the reference means this declaration.

        A bare name means a member only if its owner is named too or the name is long, and a parameter only if its
        function is named.
        """
        if len(then.chain) == 1:
            return True
        if then.line == 0 and self._is_placeholder(then.chain[-2], reference.name):
            return False
        owners = [name for name in then.chain[:-1] if name != "__init__"]
        is_named = reference.role or len(reference.parts) > 1 or len(split_identifier(reference.name)) > 2
        if then.line == 0 or not is_named:
            is_named = any(whole_word(name).search(self.document.text) for name in owners[-2:])
        return bool(is_named)

    def _is_placeholder(self, function: str, name: str) -> bool:
        """Return whether an example of the document passes the name by position: it is the reader's, whatever the
        parameter is called.
        """
        call = re.compile(rf"^(?!\s*\.\. ).*\b{re.escape(function)}\([^)\n]*\b{re.escape(name)}\b(?!\s*=)", re.M)
        return call.search(self.document.text) is not None

    def _may_inherit(self, owner: str, name: str) -> bool:
        """Return whether the class may now inherit the member."""
        known = [one for one in self.asked.defined(owner) if one.source_kind is SourceKind.CODE]
        if not known:
            return self.asked.is_in_code(owner)
        one = self.asked.declaration(known[0]) if len(known) == 1 else None
        return one is None or any(self._may_give(base, name, 0) for base in one.bases)

    def _search(self, reference: Reference, commit: str) -> tuple[_Lost, ...]:
        """Find the name in the commit's changed files: declarations, then parameters, then attributes and keys."""
        name = reference.name
        is_plain = len(reference.parts) == 1 and not reference.role
        ranked: tuple[list[_Lost], list[_Lost], list[_Lost]] = [], [], []
        for path, data in self._differing_code(commit):
            if data is None or name.encode() not in data:
                continue
            if _language(path, data) not in LANGUAGES and not self._may_declare(data, name):
                continue
            for declaration in self.asked.observer.declares(path, data).declared:
                if (
                    declaration.chain[-1] == name
                    and _fits(reference, declaration)
                    and _is_owner(reference, declaration.chain, path)
                ):
                    ranked[0].append((path, declaration))
                elif is_plain and any(parameter.name == name for parameter in declaration.parameters or ()):
                    title = f"parameter {name} of {dotted(declaration.chain)}"
                    ranked[1].append((path, Declaration((*declaration.chain, name), "value", 0, value=title)))
            if is_plain and _is_given(data, name):
                ranked[2].append((path, Declaration((name,), "value", 0, value=name)))
        return tuple(one for some in ranked for one in some)[:MOST_FOUND]

    @staticmethod
    def _may_declare(data: bytes, name: str) -> bool:
        from helix_core.ingest import may_declare

        return may_declare(data, name)

    def _differing_code(self, commit: str) -> Iterable[tuple[bytes, bytes | None]]:
        """Yield the implementation files of the commit that differ at HEAD or on disk, as they were in it."""
        differing = self.committed.differing(commit, self.asked.head)
        code = sorted(path for path, (then, _) in differing.items() if then and _is_implementation(path))[
            :MOST_SEARCHED
        ]
        yield from zip(code, self.committed.contents([differing[path][0] for path in code]), strict=True)
        others = [path for path in self._uncommitted if path not in differing and _is_implementation(path)]
        others = others[:MOST_SEARCHED]
        yield from zip(others, self.committed.read([(commit, path) for path in others]), strict=True)

    def _lost_module(self, reference: Reference, commit: str) -> Iterable[DocumentFlag]:
        """Flag a dotted name whose path contains a module that the commit had and that is missing on disk."""
        if speaks_of_other_times(reference.sentence) or len(reference.parts) < 2:
            return
        for count in range(len(reference.parts), 1, -1):
            path = "/".join(reference.parts[:count])
            if not self._is_module(reference, count):
                continue
            tries = [f"{root}{path}{ending}".encode() for root in ("", "src/") for ending in (".py", "/__init__.py")]
            if any(self.asked.observer.is_there(one) for one in tries):
                return
            read = self.committed.read([(commit, one) for one in tries])
            lost = next((one for one, data in zip(tries, read, strict=True) if data is not None), None)
            if lost is None:
                continue
            if self._changed_together(commit, self._had(lost), True):
                return
            module = ".".join(reference.parts[:count])
            now = self.asked.moved_to(commit, lost)
            yield DocumentFlag(DocumentChange.NAME, module, reference.line, module, now, written=reference.written)
            return

    def _is_module(self, reference: Reference, count: int) -> bool:
        """Return whether the first ``count`` names can only be a module, and not an attribute of its package."""
        name = reference.parts[count - 1]
        if not name.islower() or (count == len(reference.parts) and reference.role not in ("mod", "")):
            return False
        package = "/".join(reference.parts[: count - 1])
        given = [self.asked.reader.files.source(f"{root}{package}/__init__.py".encode()) for root in ("", "src/")]
        files = [self.asked.observer.look(source).file for source in given if source is not None]
        if reference.role == "import" and count < len(reference.parts):
            # Code takes something from it, so that it is no attribute.
            return True
        return any(files) and not any(file is not None and _may_give_module(file.data, name) for file in files)

    def _lost_member(self, reference: Reference, known: Sequence[DefinedAt], commit: str) -> Iterable[DocumentFlag]:
        """Flag a member that its class had at the commit and now neither has nor inherits."""
        owner = reference.parts[-2] if len(reference.parts) > 1 else ""
        if not owner[:1].isupper() or any(owner in one.trail for one in known):
            return
        classes = [one for one in self.asked.defined(owner) if one.role is Role.IMPLEMENTATION]
        if len(classes) != 1 or self.asked.contains(classes[0], reference.name):
            return
        code = self.asked.code(classes[0])
        if code is None or code.declaration.kind != "class":
            return
        if any(self._may_give(base, reference.name, 0) for base in code.declaration.bases):
            return
        if speaks_of_other_times(reference.sentence):
            return
        chain = (*code.declaration.chain, reference.name)

        def read(at: str) -> bool:
            for path in _places(code.source.path):
                (data,) = self.committed.read([(at, path)])
                if data is not None:
                    return any(declaration.chain == chain for declaration in declarations(data, code.language))
            return False

        if read(commit) and not self._changed_together(commit, read, True):
            yield DocumentFlag(
                DocumentChange.NAME, dotted(chain), reference.line, dotted(chain), "", written=reference.written
            )

    def _lost_owner(self, reference: Reference, commit: str) -> Iterable[DocumentFlag]:
        """Flag the class of a member that the commit had in it, when no code names that class any more."""
        if len(reference.parts) < 2 or not reference.parts[-2][:1].isupper():
            return
        owner = dataclasses.replace(reference, parts=reference.parts[:-1], role="class", arguments=None)
        if speaks_of_other_times(reference.sentence) or self.asked.is_in_code(owner.name):
            return
        found = self._searched(owner, commit)
        if found is None:
            return
        path, then = found
        (data,) = self.committed.read([(commit, path)])
        if data is None:
            return
        if sole(self.asked.observer.declares(path, data).declared, (*then.chain, reference.name)) is not None:
            yield from self._lost_name(owner, commit)

    def _may_give(self, base: str, name: str, depth: int) -> bool:
        """Return whether a base class may have the member: True unless it and all its bases are known and lack it."""
        last = base_name(base)
        if last in MEMBERLESS_BASES or "=" in base:
            return False
        known = [one for one in self.asked.defined(last) if one.role is Role.IMPLEMENTATION]
        if len(known) != 1 or depth >= 8 or self.asked.contains(known[0], name):
            return True
        declaration = self.asked.declaration(known[0])
        if declaration is None:
            return True
        return any(self._may_give(one, name, depth + 1) for one in declaration.bases)

    def _became(self, path: bytes, then_data: bytes, then: Declaration) -> Declaration | None:
        """Return the new declaration with the same owner, kind and similar text in the same file: a rename."""
        source = self.asked.reader.files.source(path)
        file = self.asked.observer.look(source).file if source is not None else None
        if file is None:
            return None
        before = {declaration.chain for declaration in self.asked.observer.declares(path, then_data).declared}
        text = block(then_data, then)
        alike = [
            declaration
            for declaration in self.asked.observer.declares(path, file.data).declared
            if declaration.chain[:-1] == then.chain[:-1]
            and declaration.kind == then.kind
            and declaration.chain not in before
            and _likeness(text, block(file.data, declaration)) >= 0.6
        ]
        return alike[0] if len(alike) == 1 else None

    def _lost_file(self, reference: Reference, commit: str) -> Iterable[DocumentFlag]:
        if speaks_of_other_times(reference.sentence):
            return
        places = _paths(self.document.item.source.path, reference)
        if not places or any(self.asked.observer.is_there(path) for path in places):
            return
        read = self.committed.read([(commit, path) for path in places])
        lost = next((path for path, data in zip(places, read, strict=True) if data is not None), None)
        if lost is None or self._changed_together(commit, self._had(lost), True):
            return
        yield DocumentFlag(
            DocumentChange.FILE,
            reference.path,
            reference.line,
            lost.decode("utf-8", "replace"),
            self.asked.moved_to(commit, lost),
            written=reference.written,
        )

    def _had(self, path: bytes) -> Callable[[str], bool]:
        """Return a predicate: whether a commit has the file."""
        return lambda at: self.committed.read([(at, path)])[0] is not None


def _is_telling(reference: Reference) -> bool:
    """Return whether the reference can mean a symbol of the project, and not a common word marked up as code."""
    if reference.role or len(reference.parts) > 1 or reference.arguments is not None:
        return len(reference.name) > 1
    return is_compound(reference.name) or (reference.name.isupper() and len(reference.name) > 2)


def _one_definition(reference: Reference, known: Sequence[DefinedAt]) -> DefinedAt | None:
    """Return the only definition in the implementation that the reference can mean, or None."""
    code = [one for one in known if one.source_kind is SourceKind.CODE and one.role is Role.IMPLEMENTATION]
    owned = [one for one in code if _is_owner(reference, (*one.trail, one.hit.name), one.path)]
    if len(owned) == 1:
        return owned[0]
    if owned:
        # The same name in a stub or several times in a file is ambiguous, unless path and owner are equal.
        places = {(one.path, one.trail) for one in owned}
        return owned[0] if len(places) == 1 else None
    is_plain = len(reference.parts) == 1 or reference.role or reference.parts[0][:1].isupper()
    return code[0] if len(code) == 1 and len(known) == 1 and not is_plain and is_compound(reference.name) else None


def _is_owner(reference: Reference, chain: Sequence[str], path: bytes) -> bool:
    """Return whether the qualifying names match the declaration's classes and then parts of its path."""
    if len(reference.parts) == 1:
        # A bare name is not compared: it rarely means a method, unless its role says so or the name is unique.
        return True
    owners = list(chain[:-1])
    given = list(reference.parts[:-1])
    while given and owners and given[-1] == owners[-1]:
        given.pop()
        owners.pop()
    if owners:
        return False
    folders = path.decode("utf-8", "replace").rpartition(".")[0].split("/")
    return all(name in folders or f"_{name}" in folders for name in given)


def _fits(reference: Reference, declaration: Declaration) -> bool:
    """Return whether the declaration is of the kind that the reference's role requires."""
    wanted = _KINDS.get(reference.role)
    if reference.role == "meth" and len(declaration.chain) < 2:
        return False
    if reference.role == "" and reference.arguments is not None and declaration.kind == "value":
        return False
    return wanted is None or wanted == declaration.kind


def _stated(data: bytes, language: str, key: str) -> Declaration | None:
    """Return the value of a key that a configuration file sets exactly once; masked secrets are not claims."""
    from helix_core.ingest import find as find_claims
    from helix_core.secrets import mask

    same = [claim for claim in find_claims(mask(data), language) if claim.key == key]
    if len(same) != 1:
        return None
    is_text = same[0].value_type not in ("int", "float", "bool")
    value = f'"{same[0].value}"' if is_text else same[0].value
    return Declaration(tuple(key.split(".")), "value", same[0].line, value=value)


def _means(one: Declaration | None) -> tuple[object, ...] | None:
    """Return a declaration without its position, for comparison."""
    return (one.kind, one.parameters, one.value) if one is not None else None


def _language(path: bytes, data: bytes) -> str:
    return language_of(path, data).name


@lru_cache(MOST_KEPT)
def _is_implementation(path: bytes) -> bool:
    kind = provenance(path)
    if kind.source_kind is not SourceKind.CODE or kind.role is not Role.IMPLEMENTATION:
        return False
    return declares_names(_language(path, b""))


def declares_names(language: str) -> bool:
    """Return whether what a file of a language declares is known: by its lines, or in others by its tree."""
    # Trees cost an answer a tenth of a second that has no use for them.
    from helix_core.ingest import TREE_LANGUAGES

    return language in LANGUAGES or language in TREE_LANGUAGES


def _may_give_module(data: bytes, name: str) -> bool:
    """Return whether a package has a name that is no module, in another way than by taking something from it."""
    word = re.escape(name.encode())
    from_it = re.compile(rb"\bfrom[ \t]+[\w.]*\." + word + rb"[ \t]+import\b")
    return re.search(rb"\b" + word + rb"\b", from_it.sub(b"", data)) is not None


def _places(path: bytes) -> tuple[bytes, ...]:
    """Return the paths a file may have had: many projects moved into or out of ``src``."""
    return (path, path.removeprefix(b"src/")) if path.startswith(b"src/") else (path, b"src/" + path)


def _paths(document: bytes, reference: Reference) -> list[bytes]:
    """Return the paths a reference may mean: relative to the document, and to the root unless it is a link."""
    folder = posixpath.dirname(document.decode("utf-8", "surrogateescape"))
    path = reference.path
    if path.startswith("/") or "*" in path or "<" in path or "{" in path:
        return []
    is_own = not folder and (is_compound(path.rpartition(".")[0]) or path[:1].isupper())
    if "/" not in path and reference.role != "link" and not is_own:
        # ``app.py`` and ``setup.py`` usually are files of the reader's project; ``NOTES.md`` in a root document is not.
        return []
    endings = ("", ".rst", ".md") if reference.role == "doc" else ("",)
    tries = [posixpath.normpath(posixpath.join(folder, path + ending)) for ending in endings]
    if reference.role not in ("link", "doc"):
        tries.append(posixpath.normpath(path))
    return [one.encode("utf-8", "surrogateescape") for one in dict.fromkeys(tries) if not one.startswith("..")]


def _code_lines_with(name: str, path: bytes, data: bytes) -> Iterator[bytes]:
    """Yield each line of code that has the name, but those that are comments: what is commented out is gone. A
    configuration file keeps them, as they show defaults.
    """
    marks = _COMMENT_MARKS.get(path.rpartition(b".")[2].lower(), ())
    wanted, at = name.encode(), 0
    # Splitting whole files into lines cost a fourth of the check of documents.
    while (at := data.find(wanted, at)) >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        at = end + 1 if end >= 0 else len(data) + 1
        line = data[start : at - 1]
        if not line.lstrip().startswith(marks):
            yield line


def _is_given(data: bytes, name: str) -> bool:
    """Return whether code sets an attribute of this long name, or has it as an uppercase key."""
    own = name.encode()
    return (len(split_identifier(name)) > 2 and b"self." + own + b" =" in data) or (
        name.isupper() and any(q + own + q + b":" in data for q in (b'"', b"'"))
    )


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the Jaccard coefficient of two sets of lines."""
    first, second = set(one), set(other)
    return len(first & second) / max(len(first | second), 1)


def _without_secrets(flag: DocumentFlag) -> DocumentFlag | None:
    """Return the flag, or None if one of its values contains a secret."""
    from helix_core.secrets import mask

    for side in (flag.was, flag.now):
        text = f"{flag.symbol.rpartition('.')[2]} = {side}".encode()
        if mask(text).data != text:
            return None
    return flag
