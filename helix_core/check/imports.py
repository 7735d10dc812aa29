"""Find what imports of JavaScript and TypeScript, Rust and Go in a text take from which module. Pure and linear."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SCRIPT, RUST, GO = "script", "rust", "go"
BLOCKS = {
    **dict.fromkeys(("js", "javascript", "jsx", "mjs", "ts", "typescript", "tsx", "mts", "node", "vue"), SCRIPT),
    **dict.fromkeys(("rust", "rs"), RUST),
    **dict.fromkeys(("go", "golang"), GO),
}
"""The language of a fenced block by the first word of its info string."""
_LISTED = re.compile(
    r"\b(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^{}]{1,1000}+)\}\s*from\s*['\"]([^'\"\n]{1,200}+)['\"]"
    r"|\b(?:const|let|var)\s+\{([^{}]{1,1000}+)\}\s*=\s*(?:await\s+)?(?:require|import)\(\s*['\"]([^'\"\n]{1,200}+)['\"]"
)
_SCRIPT_NAME = re.compile(r"(?:^|,)\s*(?:type\s+)?([\w$]+)")
_USE = re.compile(r"\buse\s+((?:\w{1,100}+::){1,12})(?:(\w{1,100}+)(?!::|\w)|\{([^{};]{1,1000}+)\})")
_RUST_NAME = re.compile(r"(?:^|,)\s*(\w+)(?=\s*(?:,|$|as\b))")
_IMPORT = re.compile(r"^[ \t]*import\s+(?:[\w.]+\s+)?\"([^\"\s]{1,200}+)\"|^[ \t]*import\s*\(([^()]{1,4000}+)\)", re.M)
_GO_PATH = re.compile(r"^[ \t]*(?:[\w.]+[ \t]+)?\"([^\"\s]{1,200}+)\"", re.M)


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A name that an import takes, at ``start`` to ``end`` of the text; of Go the last part of a package's path."""

    start: int
    end: int
    module: str
    name: str
    language: str


def imported_names(text: str, language: str) -> Iterator[ImportedName]:
    """Yield what the imports of a language take from modules, in order."""
    match language:
        case "script":
            for found in _LISTED.finditer(text):
                group = 1 if found[1] is not None else 3
                for one in _SCRIPT_NAME.finditer(found[group]):
                    at = found.start(group) + one.start(1)
                    if one[1] != "default":
                        yield ImportedName(at, at + len(one[1]), found[group + 1], one[1], SCRIPT)
        case "rust":
            for found in _USE.finditer(text):
                module = found[1].removesuffix("::")
                group = 2 if found[2] is not None else 3
                names = _RUST_NAME.finditer(found[3]) if group == 3 else [found]
                for one in names:
                    name = one[1] if group == 3 else found[2]
                    at = found.start(3) + one.start(1) if group == 3 else found.start(2)
                    if name != "self":
                        yield ImportedName(at, at + len(name), module, name, RUST)
        case "go":
            for found in _IMPORT.finditer(text):
                if found[1] is not None:
                    yield _package(found[1], found.start(1))
                    continue
                yield from (_package(one[1], found.start(2) + one.start(1)) for one in _GO_PATH.finditer(found[2]))


def _package(path: str, at: int) -> ImportedName:
    return ImportedName(at, at + len(path), path, path.rpartition("/")[2], GO)


def language_of_code(code: str) -> str:
    """Return the language of an import in code marks; empty for any other code."""
    if code.startswith(("import {", "import type {", "export {", "const {")) or re.match(r"import [\w$]+, ?\{", code):
        return SCRIPT
    if re.match(r"(?:pub )?use \w+::", code):
        return RUST
    return GO if re.match(r"import (?:\w+ )?\"", code) else ""
