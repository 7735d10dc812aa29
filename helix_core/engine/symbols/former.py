"""Find what a name was that nothing defines any more, so that those who still use it can be told.

In: a name, and the files that changed lately as git had them. Out: the former definitions, as the index had them. Of
the disk it is asked which of these files are there and left out; one that had the name and is not indexed is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from helix_core.engine.symbols.choice import NameQuery
from helix_core.engine.symbols.receivers import package_in
from helix_core.engine.verdict import ABSENT, Weigher
from helix_core.ingest import ParseGuard, ingest, language_of
from helix_core.ingest.provenance import provenance
from helix_core.model import Reason, Role, SourceKind
from helix_core.store import DefinedAt, DefinitionHit, Reader
from helix_core.tuples import NamedTuple
from helix_core.workspace import Git, changed_since

MOST_READ = 400
"""So many changed files are read as they were; those that have the name are parsed, ``MOST_PARSED`` at most."""
MOST_PARSED = 8
PARSE_LIMIT_S = 0.1
_KNOWN = frozenset((Reason.UNCHANGED, Reason.TOUCHED, Reason.REINGESTED))


class FormerDefinitions(NamedTuple):
    """``is_gone`` is False where their file may still define them, but is not in the index as it is on disk.
    ``packages`` are those that their file said it belongs to.
    """

    definitions: list[DefinedAt]
    is_gone: bool = True
    packages: Mapping[bytes, str] = MappingProxyType({})


def former_definitions(
    wanted: NameQuery, reader: Reader, weigher: Weigher, git: Git, parse_guard: ParseGuard
) -> FormerDefinitions:
    """Return the definitions of a name that one of the last commits had, or the work since removed: of the first file
    that had any. Those in tests do not count. Raises GitError.
    """
    for path, data in islice(_with_name(wanted.name, weigher, git), MOST_PARSED):
        weigher.facts.check()
        with parse_guard(hashlib.sha256(data).hexdigest()) as may_parse:
            document = ingest(path, data, parse_limit_s=PARSE_LIMIT_S, embed=False) if may_parse else None
        found = [
            DefinedAt(
                DefinitionHit(0, 0, one.name, one.kind, one.start_line, one.end_line),
                path,
                document.role,
                document.source_kind,
                tuple(part for part in one.trail.split(".") if part),
            )
            for chunk in (document.chunks if document is not None else ())
            for one in chunk.definitions
            if document is not None and one.name == wanted.name
        ]
        owned = [one for one in found if not wanted.owners or one.trail[-1:] == wanted.owners[-1:]]
        if owned:
            text, language = data.decode("utf-8", "replace"), language_of(path, data).name
            packages = {path: package_in(path, text, language, owned[0].hit.start_line)}
            return FormerDefinitions(owned, not _may_define(path, wanted.name, reader, weigher), packages)
    return FormerDefinitions([])


def _may_define(path: bytes, name: str, reader: Reader, weigher: Weigher) -> bool:
    """Return whether a file has a name now, or cannot be read, and the index does not know it as it is on disk."""
    observer, source = weigher.observer, reader.files.source(path)
    observed = observer.look(source) if source is not None and source.is_indexed else observer.peek(path)
    is_known = source is not None and source.is_indexed and observed.reason in _KNOWN
    if is_known or observed.reason in ABSENT:
        return False
    return observed.file is None or name.encode() in observed.file.data


def _with_name(name: str, weigher: Weigher, git: Git) -> Iterator[tuple[bytes, bytes]]:
    """Yield the changed files of code that had a name, with their bytes: at HEAD, then before the last commits."""
    committed, head = weigher.facts.committed, weigher.facts.state.head
    if committed is None or not head:
        return
    changed = changed_since(git)
    code = [path for path in changed.paths if _is_own_code(path)][:MOST_READ]
    left_out = weigher.observer.left_out(code)
    code = [path for path in code if path not in left_out]
    for commit in dict.fromkeys((head, changed.commit)):
        for path in code if commit else ():
            weigher.facts.check()
            (data,) = committed.read([(commit, path)])
            if data is not None and name.encode() in data:
                yield path, data


def _is_own_code(path: bytes) -> bool:
    about = provenance(path)
    return about.source_kind is SourceKind.CODE and about.role not in (Role.TEST, Role.VENDORED)
