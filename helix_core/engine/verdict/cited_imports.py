"""Compare imports of JavaScript and TypeScript, Rust and Go that a text shows with the packages of the workspace.

In: citations that an import made, with their module. Out: what became of each. A package is the workspace's own where
one of its manifests (``package.json``, ``Cargo.toml``, ``go.mod``) gives its name; of any other nothing is said.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cached_property

from helix_core.check import Citation
from helix_core.engine.verdict.citation_outcome import (
    RIGHT,
    CitationOutcome,
    CitedPlace,
    Unjudged,
    uncompared,
    wrong_citation,
)
from helix_core.engine.verdict.cited_files import CitedFiles
from helix_core.engine.verdict.outdated import OutdatedDocuments
from helix_core.engine.verdict.weigher import Weigher
from helix_core.model import Reason, SourceKind
from helix_core.store import Reader

MOST_MANIFESTS = 200
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_SCRIPT_ENDING = re.compile(r"\.[cm]?jsx?$")
_CRATE = re.compile(rb"^\[(?:package|lib)\][^\[]*?^name\s*=\s*\"([\w-]{1,100})\"", re.M)
_GO_MODULE = re.compile(rb"^module\s+\"?([^\s\"]{1,200})", re.M)
_TAKES_ALL = re.compile(
    rb"\bexport\s*\*|\bmodule\.exports\s*=\s*(?!\{)|\bObject\.assign\(\s*(?:module\.)?exports|__exportStar"
)
_TAKES_ALL_FROM_OUTSIDE = re.compile(
    rb"\bexport\s*\*\s*(?:as\s+\w+\s*)?from\s*['\"][^.'\"]|\bpub use (?!crate|self|super)[^;]{1,200}\*"
)
_ENTRIES = ("index", "src/index", "lib/index", "src/lib", "main", "src/main")
_OF_RUST = frozenset(("std", "core", "alloc", "proc_macro", "test"))
_VERSION = re.compile(r"v\d+$")


class CitedImports:
    """The imports of one text."""

    def __init__(
        self, reader: Reader, weigher: Weigher, files: CitedFiles, known: OutdatedDocuments, base: str
    ) -> None:
        self._reader, self._observer, self._files = reader, weigher.observer, files
        self._known, self._base = known, base

    def judge(self, one: Citation) -> CitationOutcome:
        """Return what became of a name that an import takes."""
        match one.language:
            case "go":
                return self._of_go(one)
            case "rust":
                return self._of_rust(one)
        return self._of_script(one)

    # Manifests

    def _manifests(self, name: str) -> Iterator[tuple[str, bytes]]:
        """Yield the folder and the bytes of the manifests of a name."""
        stem = os.path.splitext(name)[0]
        for _, path in self._reader.related.sources_of_stems([stem], MOST_MANIFESTS):
            source = self._reader.files.source(path) if os.path.basename(path) == name.encode() else None
            file = self._observer.look(source).file if source is not None else None
            if file is not None:
                yield os.path.dirname(path).decode("utf-8", "replace"), file.data

    @cached_property
    def _packages(self) -> dict[str, str]:
        """Return the folders of the packages of Node.js by their names."""
        found: dict[str, str] = {}
        for folder, data in self._manifests("package.json"):
            try:
                manifest = json.loads(data)
            except ValueError:
                # One that is being edited names no package.
                continue
            name = manifest.get("name") if isinstance(manifest, dict) else None
            if isinstance(name, str) and name:
                found.setdefault(name, folder)
        return found

    @cached_property
    def _crates(self) -> dict[str, str]:
        return {
            match[1].decode().replace("-", "_"): folder
            for folder, data in self._manifests("Cargo.toml")
            for match in _CRATE.finditer(data)
        }

    @cached_property
    def _go_modules(self) -> dict[str, str]:
        return {
            match[1].decode("utf-8", "replace"): folder
            for folder, data in self._manifests("go.mod")
            if (match := _GO_MODULE.search(data)) is not None
        }

    # Languages

    def _of_go(self, one: Citation) -> CitationOutcome:
        if "." not in one.module.partition("/")[0]:
            return uncompared(Unjudged.OF_LANGUAGE)
        for module, folder in self._go_modules.items():
            if one.module != module and not one.module.startswith(f"{module}/"):
                continue
            below = one.module.removeprefix(module).lstrip("/")
            if _VERSION.match(below.partition("/")[0]):
                return uncompared(Unjudged.NO_CLAIM)
            path = posixpath.join(folder, below)
            if not path or self._observer.is_folder(path.encode()):
                return RIGHT
            return wrong_citation("name-missing", Reason.GONE, f"the module {module} has no such package")
        return uncompared(Unjudged.NOT_HERE)

    def _of_rust(self, one: Citation) -> CitationOutcome:
        crate = one.module.partition("::")[0]
        if crate in _OF_RUST:
            return uncompared(Unjudged.OF_LANGUAGE)
        if crate not in self._crates:
            return uncompared(Unjudged.READERS_OWN if crate in ("crate", "self", "super") else Unjudged.NOT_HERE)
        return self._of_package(one, self._crates[crate], f"the crate {crate}", (".rs",))

    def _of_script(self, one: Citation) -> CitationOutcome:
        if one.module.startswith("."):
            return self._of_file(one)
        owner = next((name for name in self._packages if one.module == name or one.module.startswith(f"{name}/")), "")
        if not owner:
            return uncompared(Unjudged.NOT_HERE)
        return self._of_package(one, self._packages[owner], f"the package {owner}", _ENDINGS)

    def _of_file(self, one: Citation) -> CitationOutcome:
        """Judge a name that is taken from a file by a relative path."""
        path = posixpath.normpath(posixpath.join(self._base, one.module))
        bare = _SCRIPT_ENDING.sub("", path)
        tries = [path, *(f"{at}{ending}" for at in (bare, path, f"{path}/index") for ending in _ENDINGS)]
        for each in dict.fromkeys(tries):
            file = None if each.startswith("..") else self._files.read(each.encode())
            if file is None:
                continue
            if re.search(rb"(?<![\w$])%s(?![\w$])" % re.escape(one.name.encode()), file.data):
                return RIGHT
            if _TAKES_ALL.search(file.data):
                return uncompared(Unjudged.OPEN)
            return self._lacking(one, f"{each} has no such name", _ENDINGS)
        return uncompared(Unjudged.READERS_OWN)

    def _of_package(self, one: Citation, folder: str, owner: str, endings: tuple[str, ...]) -> CitationOutcome:
        """Judge a name that is taken from a package of this workspace: wrong where no code here has the word."""
        at = f"{folder}/" if folder else ""
        defined = [each for each in self._known.defined(one.name) if each.path.startswith(at.encode())]
        if any(
            each.source_kind is SourceKind.CODE and each.path.decode("utf-8", "replace").endswith(endings)
            for each in defined
        ):
            return RIGHT
        stems = self._reader.related.sources_of_stems([one.name], MOST_MANIFESTS)
        if any(path.startswith(at.encode()) for _, path in stems) or self._known.is_in_code(one.name):
            return uncompared(Unjudged.OPEN)
        for entry in _ENTRIES:
            for ending in endings:
                file = self._files.read(f"{at}{entry}{ending}".encode())
                if file is not None and _TAKES_ALL_FROM_OUTSIDE.search(file.data):
                    return uncompared(Unjudged.OPEN)
        return self._lacking(one, f"no code of {owner} has the name", endings)

    def _lacking(self, one: Citation, message: str, endings: tuple[str, ...]) -> CitationOutcome:
        names = [each.name for each in self._reader.names.similar_names(one.name, 20) if not each.is_path]
        for near in get_close_matches(one.name, names, n=1, cutoff=0.75):
            places = [
                each
                for each in self._known.defined(near)
                if each.source_kind is SourceKind.CODE and each.path.decode("utf-8", "replace").endswith(endings)
            ]
            if len(places) == 1:
                now = CitedPlace(places[0].path, places[0].hit.start_line, near)
                return wrong_citation("name-missing", Reason.RENAMED, f"{message}; nearest is {near}", now)
        return wrong_citation("name-missing", Reason.GONE, message)
