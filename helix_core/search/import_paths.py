"""Resolve an import, as written, to a file. Pure: text and paths in, a decision out.

Helix resolves no packages and runs no interpreter. An import means a file when its parts are the end of the file's path
(``a.b.c`` and ``src/a/b/c.py``), or when it is relative to the importing file and leads there (``..b``, ``./c``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from helix_core.words import lazy_pattern

FROM_IMPORT = lazy_pattern(
    r"^[ \t]*+from[ \t]++([.\w]++)[ \t]++import[ \t]++(\([^()]{1,4000}+\)|[^\n(]{1,1000}+)", re.M, cues="import"
)
"""Python's ``from`` import: the module, and the names with their parentheses."""
_PACKAGE_FILES = frozenset({"__init__", "index", "mod", "main", "lib", "package-info"})
_ROOTS = frozenset({"crate", "self", "@", "~"})
"""What stands for the root of a package: of Rust's, and by custom of TypeScript's, as in ``@/components/button``."""
_SEPARATORS = re.compile(r"::|[./\\:]")
_SUFFIX = re.compile(r"\.(?:[cm]?[jt]sx?|py|rb|php|h|hh|hpp|hxx|c|cc|cpp|cxx|css|scss|lua|sh|json|vue|svelte)$")
_LONGEST = 300
_KEPT = 4_096


@lru_cache(_KEPT)
def module_of(path: bytes) -> tuple[str, ...]:
    """Split a file's path as imports name it: without extension; a package's ``__init__`` file is the package."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.split(".")[0] if not name.startswith(".") else name
    return tuple(folders) if stem in _PACKAGE_FILES and folders else (*folders, stem)


def _dotted(path: bytes) -> tuple[str, ...]:
    """Split a file's path with all of its name but the last extension: ``order.schema.ts`` is ``order.schema``."""
    return tuple(path.decode("utf-8", "replace").rpartition(".")[0].split("/"))


def resolves_to(target: str, importer: bytes, path: bytes, *, is_named: bool = False) -> bool:
    """Return whether an import means the file at ``path``.

    Args:
        target: What is imported, as it is written.
        importer: The file that imports it.
        path: The file that may be meant.
        is_named: The import also names something in the file: then a single path part is enough.
    """
    if not target or len(target) > _LONGEST or importer == path:
        return False
    module = module_of(path)
    climbed = _climbed(target, importer)
    if climbed is not None:
        return climbed in (module, _dotted(path))
    parts = _parts(target)
    if not parts or len(parts) > len(module):
        return False
    return module[-len(parts) :] == parts and (is_named or len(parts) > 1 or _is_unambiguous(module, importer))


class Imports:
    """The imports of one file, to be matched against many paths."""

    def __init__(self, importer: bytes = b"", targets: Iterable[str] = ()) -> None:
        known = [target for target in targets if 0 < len(target) <= _LONGEST]
        self._importer = importer
        self._climbed = {parts for target in known if (parts := _climbed(target, importer))}
        self._whole = {_parts(target) for target in known if _climbed(target, importer) is None} - {()}
        self._packages = self._whole | self._climbed
        self.words = frozenset(word for parts in self._whole for word in (parts[0], parts[-1]))

    def include(self, path: bytes) -> bool:
        """Return whether one of the imports means the file at ``path``."""
        module = module_of(path)
        if path == self._importer or not module:
            return False
        return (
            module in self._climbed
            or _dotted(path) in self._climbed
            or any(module[-count:] in self._whole for count in range(2, len(module) + 1))
            or (module[-1:] in self._whole and _is_unambiguous(module, self._importer))
        )

    def depth(self, path: bytes) -> int:
        """Return the number of leading folders of ``path`` that an imported package covers; 0 for none."""
        module = module_of(path)
        above = (count for count in range(len(module), 1, -1) if module[:count] in self._packages)
        return next(above, 0)


def _is_unambiguous(module: tuple[str, ...], importer: bytes) -> bool:
    """A single name is only sure at the top level, or in the importer's own folder."""
    return len(module) == 1 or module[:-1] == module_of(importer)[:-1]


@lru_cache(_KEPT)
def _parts(target: str) -> tuple[str, ...]:
    return tuple(part for part in _SEPARATORS.split(_SUFFIX.sub("", target)) if part and part not in _ROOTS)


@lru_cache(_KEPT)
def _climbed(target: str, importer: bytes) -> tuple[str, ...] | None:
    """Return the module of a relative import; None for one that is absolute or leaves the workspace."""
    folder = tuple(importer.decode("utf-8", "replace").split("/")[:-1])
    if target.startswith(("./", "../")) or (target in (".", "..") and not importer.endswith(b".py")):
        for step in _SUFFIX.sub("", target).split("/"):
            if step == "..":
                if not folder:
                    return None
                folder = folder[:-1]
            elif step not in ("", "."):
                folder = (*folder, step)
        return folder[:-1] if folder and folder[-1] in _PACKAGE_FILES else folder
    if not target.startswith("."):
        return None
    rest = target.lstrip(".")
    climbs = len(target) - len(rest) - 1
    if climbs > len(folder):
        return None
    return (*folder[: len(folder) - climbs], *(part for part in rest.split(".") if part))
