"""What a file is to its project, read from its path alone: its kind, how fast it ages, how much it counts, its role.

Pure: a path in, a ``Provenance`` out; no disk, no content. The role decides most of the ranking, by these rules, first
match first:

1. *vendored*: a folder of other people's code anywhere in the path.
2. *history*: a changelog or news file by name, or a document inside a folder of releases.
3. *test* by file name (``test_x.py``, ``x.spec.ts``, ``conftest.py``) or by folder (``tests`` anywhere; ``test``,
   ``testing``, ``bench`` … at the root). A ``test`` folder *inside* a Python package is library code for testing with
   (``django/test``), so there only the file's name counts; so is a module named ``testing``.
4. *example* by folder, unless it is prose inside the documentation.
5. *doc* for prose and for whatever lies in the documentation's folder at the root; *config* for settings and data;
   *implementation* for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from helix_core.ingest import provenance_tables as tables
from helix_core.model import Authority, Role, SourceKind, Volatility

_BYTES = re2.Options()
_BYTES.encoding = re2.Options.Encoding.LATIN1
_TEST_NAME = re2.compile(
    rb"test_[^/]*\.(?:py|pyi|c|cc|cpp|rb|sh|jl|r|lua|exs?|ts|js)|[^/]*_(?:test|tests|unittest|spec|bench)\.[a-z0-9]+"
    rb"|[^/]*[.\-](?:test|tests|spec|cy|e2e|bench|test-d|spec-d)\.[cm]?[jt]sx?(?:\.snap)?|conftest\.py|tests\.(?:py|rs|c|cpp|js|ts)"
    rb"|[^/]*\.(?:bats|snap|feature)|jest\.(?:setup|config)\.[cm]?[jt]s|(?:vitest|playwright|cypress|karma)\.config\.[cm]?[jt]s",
    _BYTES,
)
_TEST_CLASS = re2.compile(
    rb"(?:[^/]*[a-z0-9](?:Tests?|TestCase|Spec|Specs|IT)|Test[A-Z][^/]*)\.(?:java|kt|kts|scala|groovy|cs|vb|fs|swift|php|m|mm)",
    _BYTES,
)
_TEST_PROJECT = re2.compile(rb"[^/]*[.\-_](?:unit|integration)?tests?", _BYTES)
_HISTORY_NAME = re2.compile(
    rb"(?:(?:change[sd]?(?:[_\-]?logs?)?|history|news|release[_\-]?notes?|releases|what'?s[_\-]?new|changelog)(?:[._\-][^/]*)?)",
    _BYTES,
)
_GENERATED_NAME = re2.compile(
    rb"[^/]*(?:[._]min\.(?:js|css|mjs)|\.map|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|rs)|_pb\.(?:js|ts|rb)|_grpc\.pb\.go|\.snap|\.lock"
    rb"|\.lockfile|[._\-]generated\.[a-z0-9]+|\.gen\.[a-z0-9]+|_gen\.go|\.g\.(?:dart|cs)|\.designer\.cs|\.freezed\.dart|\.d\.ts\.map)",
    _BYTES,
)
_PROSE = frozenset({SourceKind.DOC, SourceKind.NOTE})
_VOLATILITY = {
    SourceKind.CODE: Volatility.STABLE,
    SourceKind.DOC: Volatility.STABLE,
    SourceKind.CONFIG: Volatility.HOT,
    SourceKind.LOG: Volatility.HOT,
    SourceKind.DB: Volatility.MEDIUM,
    SourceKind.NOTE: Volatility.MEDIUM,
}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a source stands: see the enums' own words."""

    source_kind: SourceKind
    volatility: Volatility
    authority: Authority
    role: Role


def provenance(path: bytes) -> Provenance:
    """``path``: raw bytes from the workspace root with ``/`` between parts."""
    folders = path.lower().split(b"/")
    name = folders.pop()
    kind = source_kind(folders, name)
    role = _role(folders, path.rsplit(b"/", 1)[-1], name, kind)
    return Provenance(kind, _VOLATILITY[kind], _authority(folders, name, kind, role), role)


def source_kind(folders: list[bytes], name: bytes) -> SourceKind:
    """The sort of thing, by well-known name, then by extension; lower-case parts in."""
    known = tables.KIND_OF_NAME.get(name)
    if known is not None:
        return known
    stem, _, extension = name.rpartition(b".")
    if not stem or not extension:
        return _bare_kind(folders, extension or name)
    kind = tables.KIND_OF_EXTENSION.get(extension)
    if extension in tables.WRAPPERS and (b"." in stem or stem in tables.KIND_OF_NAME):
        return source_kind(folders, stem)
    if kind is None:
        return tables.KIND_OF_NAME.get(stem, SourceKind.DOC if _HISTORY_NAME.fullmatch(name) else SourceKind.CODE)
    if kind is SourceKind.DOC:
        if stem.startswith((b"requirements", b"constraints")) and extension == b"txt":
            return SourceKind.CONFIG
        if not tables.NOTE_FOLDERS.isdisjoint(folders) or stem in (b"notes", b"todo", b"scratch"):
            return SourceKind.NOTE
        if extension == b"txt" and not tables.LOG_FOLDERS.isdisjoint(folders):
            return SourceKind.LOG
    return kind


def _bare_kind(folders: list[bytes], name: bytes) -> SourceKind:
    """A name without an extension, or one that is nothing but an extension (``.bashrc``)."""
    if name in tables.KIND_OF_EXTENSION:
        return tables.KIND_OF_EXTENSION[name]
    if name.startswith((b"dockerfile", b"containerfile")) or name.endswith(b"rc"):
        return SourceKind.CONFIG
    if name.startswith((b"readme", b"license", b"copying")):
        return SourceKind.DOC
    return SourceKind.CODE if not tables.DOC_FOLDERS.intersection(folders[:1]) else SourceKind.DOC


def _role(folders: list[bytes], raw_name: bytes, name: bytes, kind: SourceKind) -> Role:
    if not tables.VENDORED_FOLDERS.isdisjoint(folders) or any(f.endswith(b"_vendored") for f in folders):
        return Role.VENDORED
    if kind in _PROSE and (_HISTORY_NAME.fullmatch(name) or not tables.HISTORY_FOLDERS.isdisjoint(folders)):
        return Role.HISTORY
    if _TEST_NAME.fullmatch(name) or _TEST_CLASS.fullmatch(raw_name):
        return Role.TEST
    in_docs = bool(tables.DOC_FOLDERS.intersection(folders[:1]))
    for depth, folder in enumerate(folders):
        if _is_test_folder(folder, depth, folders, name) and not (in_docs and kind in _PROSE):
            return Role.TEST
        if folder in _TESTING_PACKAGES:
            break
        if folder in tables.EXAMPLE_FOLDERS and not (in_docs and kind in _PROSE):
            return Role.EXAMPLE
    if not folders and name in (b"test.py", b"tests.py", b"test.js", b"test.ts", b"test.sh", b"test.rb"):
        return Role.TEST
    return _plain_role(folders, kind, in_docs)


def _plain_role(folders: list[bytes], kind: SourceKind, in_docs: bool) -> Role:
    if kind in _PROSE or in_docs or (tables.DOC_FOLDERS.intersection(folders[1:2]) and folders[0] in _MONOREPO):
        return Role.DOC
    if kind in (SourceKind.CONFIG, SourceKind.LOG):
        return Role.CONFIG
    return Role.IMPLEMENTATION


_TESTING_PACKAGES = frozenset({b"test", b"testing"})
_MONOREPO = frozenset({b"packages", b"crates", b"apps", b"libs", b"modules", b"services", b"projects"})


def _is_test_folder(folder: bytes, depth: int, folders: list[bytes], name: bytes) -> bool:
    if folder in tables.TEST_FOLDERS:
        return True
    if folder in tables.TEST_FOLDERS_AT_ROOT:
        if depth == 0 or folders[depth - 1] == b"src" or (depth == 2 and folders[0] in _MONOREPO):
            return True
        return folder in (b"test", b"spec", b"specs") and not name.endswith((b".py", b".pyi", b".pyx"))
    return _TEST_PROJECT.fullmatch(folder) is not None


def _authority(folders: list[bytes], name: bytes, kind: SourceKind, role: Role) -> Authority:
    if kind is SourceKind.NOTE:
        return Authority.INFERRED
    if role in (Role.VENDORED, Role.HISTORY) or name in tables.LOCK_NAMES or _GENERATED_NAME.fullmatch(name):
        return Authority.DERIVED
    if not tables.GENERATED_FOLDERS.isdisjoint(folders) or tables.BUILD_FOLDERS.intersection(folders[:1]):
        return Authority.DERIVED
    if name.endswith((b".po", b".mo")) or any(folder.endswith((b".egg-info", b".dist-info")) for folder in folders):
        return Authority.DERIVED
    return Authority.PRIMARY
