"""Detect the language of a file by name, extension and first line. Pure and cheap: loads no grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from helix_core.ingest.grammar import Grammar
from helix_core.ingest.grammars import GRAMMARS


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its name; without a grammar its files are chunked by lines."""

    name: str
    grammar: Grammar | None = None


FALLBACK = Language("text")
HEADER_BYTES = 65_536
"""So many bytes of a header are looked at for lines of C++."""
_EXTENSIONS = {
    "python": "py pyi pyw py-tpl wsgi",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hpp hh hxx h++ ipp inl cu cuh",
    "c_sharp": "cs csx",
    "ruby": "rb rake gemspec ru podspec",
    "php": "php php5 phtml phpt",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala sc sbt",
    "lua": "lua rockspec",
    "bash": "sh bash zsh ksh bats",
    "sql": "sql ddl psql",
    "html": "html htm xhtml",
    "css": "css",
    "json": "json jsonc json5 webmanifest geojson ipynb",
    "yaml": "yaml yml",
    "toml": "toml",
    "markdown": "md markdown mdx mdown",
    "rst": "rst rest",
    "dockerfile": "dockerfile",
    "ini": "ini cfg conf properties",
    "env": "env",
    "xml": "xml xsd xsl xslt svg plist csproj pom",
    "perl": "pl pm t",
    "r": "r",
    "julia": "jl",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs lhs",
    "clojure": "clj cljs cljc edn",
    "dart": "dart",
    "zig": "zig",
    "nim": "nim",
    "ocaml": "ml mli",
    "fsharp": "fs fsx fsi",
    "groovy": "groovy gradle",
    "objective_c": "m mm",
    "cython": "pyx pxd",
    "vue": "vue",
    "svelte": "svelte",
    "scss": "scss sass less",
    "terraform": "tf tfvars hcl",
    "protobuf": "proto",
    "graphql": "graphql gql",
    "make": "mk mak",
    "cmake": "cmake",
    "powershell": "ps1 psm1",
    "batch": "bat cmd",
    "gettext": "po pot",
    "csv": "csv tsv",
    "log": "log",
    "tex": "tex sty",
    "vim": "vim",
    "fortran": "f f90 f95 f03",
    "assembly": "s asm",
}
_NAMES = {
    "dockerfile": "dockerfile containerfile",
    "ruby": "gemfile rakefile vagrantfile podfile guardfile brewfile",
    "python": "sconstruct sconscript wscript",
    "bash": ".bashrc .bash_profile .profile .zshrc pkgbuild",
    "make": "makefile gnumakefile",
    "cmake": "cmakelists.txt",
    "json": ".babelrc .eslintrc .prettierrc composer.lock pipfile.lock",
    "toml": "cargo.lock poetry.lock uv.lock pipfile",
    "ini": ".editorconfig .gitconfig .coveragerc .flake8 .npmrc .pylintrc",
    "groovy": "jenkinsfile",
}
_INTERPRETERS = {
    "python": ("python", "pypy"),
    "bash": ("sh", "bash", "zsh", "ksh", "dash", "ash"),
    "javascript": ("node", "deno", "bun"),
    "ruby": ("ruby",),
    "php": ("php",),
    "lua": ("lua",),
    "perl": ("perl",),
}


def _languages() -> dict[str, Language]:
    return {name: Language(name, GRAMMARS.get(name)) for name in {**_EXTENSIONS, **_NAMES, **GRAMMARS}}


LANGUAGES = _languages()
_BY_EXTENSION = {extension: LANGUAGES[name] for name, row in _EXTENSIONS.items() for extension in row.split()}
_BY_NAME = {filename: LANGUAGES[name] for name, row in _NAMES.items() for filename in row.split()}


def language_of(path: bytes, data: bytes) -> Language:
    """Return the language of the file at ``path``; of its bytes only the first are read: for a shebang, and in a header
    for whether it is C or C++.
    """
    name = path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    known = _BY_NAME.get(name)
    if known is not None:
        return known
    stem, dot, extension = name.rpartition(".")
    if dot and extension in _BY_EXTENSION:
        return LANGUAGES["cpp"] if extension == "h" and _has_cpp(data) else _BY_EXTENSION[extension]
    if stem in {"dockerfile", "containerfile"} or name.startswith("dockerfile."):
        return LANGUAGES["dockerfile"]
    if name.startswith(".env"):
        return LANGUAGES["env"]
    return _by_shebang(data) or FALLBACK


def _has_cpp(data: bytes) -> bool:
    """Return whether a header has lines of C++; a license and includes may come before them."""
    return _line_of_cpp().search(data, 0, HEADER_BYTES) is not None


@cache
def _line_of_cpp() -> re.Pattern[bytes]:
    return re.compile(
        rb"^[ \t]*(?:namespace[ \t]+\w[^;\n]{0,200}(?:\{|$)|namespace[ \t]*\{|template[ \t]*<"
        rb"|using[ \t]+(?:namespace[ \t]+)?\w+[^\n]{0,200};|class[ \t]+\w[^;\n]{0,200}(?:[:{]|$)"
        rb"|[^\n/*\"#]{0,200}\w::~?\w|(?:public|private|protected)[ \t]*:|[^\n]{0,80}-\*-[ \t]*C\+\+)",
        re.M,
    )


def _by_shebang(head: bytes) -> Language | None:
    if not head.startswith(b"#!"):
        return None
    words = head[2:256].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    programs = [word.rpartition("/")[2] for word in words if not word.startswith("-") and "=" not in word]
    if programs and programs[0] == "env":
        programs = programs[1:]
    program = programs[0].rstrip("0123456789.") if programs else ""
    for name, interpreters in _INTERPRETERS.items():
        if program in interpreters:
            return LANGUAGES[name]
    return None
