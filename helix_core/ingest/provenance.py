"""Derive a file's kind, role, volatility and authority from its path alone.

The first matching rule decides; the tables of names are data, all lower case.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from helix_core.model import Authority, Role, SourceKind, Volatility


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_EXTENSIONS = {
    SourceKind.CODE: """
        py pyi pyx pxd pxi pyw js mjs cjs jsx ts mts cts tsx vue svelte astro go rs java kt kts scala sc groovy
        clj cljs cljc c h cc cpp cxx hh hpp hxx ipp inl m mm cs fs fsx vb rb rake erb php phtml pl pm t r jl lua
        swift dart ex exs erl hrl hs lhs elm ml mli nim zig d pas f f90 f95 for asm s v sv vhd vhdl sol move cairo
        cu cuh metal glsl hlsl wgsl vert frag sh bash zsh fish ksh ps1 psm1 bat cmd awk sed tcl vim el lisp scm
        rkt html htm xhtml css scss sass less styl proto thrift graphql gql capnp fbs avdl jinja jinja2 j2 hbs
        mustache ejs pug haml slim liquid twig ipynb cmake mk py-tpl py-tmpl coffee cr gd bzl star nix dhall rego
        lean""",
    SourceKind.CONFIG: """
        toml yaml yml json json5 jsonc hjson ini cfg conf cnf config properties props env envrc editorconfig plist
        xml xsd lock tf tfvars hcl nomad service socket timer desktop reg gradle sbt csproj fsproj vbproj vcxproj
        sln proj targets nuspec podspec gemspec cabal opam dockerfile containerfile dockerignore gitignore
        gitattributes npmrc nvmrc babelrc eslintrc prettierrc stylelintrc flake8 pylintrc coveragerc helmignore
        manifest mypy ruff rc sum mod work kdl ron cue am ac npmignore eslintignore prettierignore""",
    SourceKind.DOC: """
        md mdx markdown mkd rst rest txt text adoc asciidoc asc org tex latex bib rtf pod rdoc man 1 2 3 5 7 8
        textile mediawiki wiki creole po pot mo srt vtt pdf docx odt epub""",
    SourceKind.LOG: "log out err trace journal",
    SourceKind.DB: """
        sql ddl dml psql mysql pgsql sqlite sqlite3 db db3 mdb csv tsv psv ndjson jsonl parquet avro orc feather
        arrow h5 hdf5 dbf dump""",
    SourceKind.NOTE: "note notes todo scratch tdl",
}
KIND_OF_EXTENSION: dict[bytes, SourceKind] = {
    extension: kind for kind, extensions in _EXTENSIONS.items() for extension in _words(extensions)
}

_NAMES = {
    SourceKind.CODE: """
        makefile gnumakefile rakefile gemfile guardfile podfile fastfile brewfile vagrantfile jenkinsfile justfile
        sconstruct sconscript build build.bazel workspace configure gradlew mvnw wscript meson.build snakefile
        tiltfile""",
    SourceKind.CONFIG: """
        dockerfile containerfile procfile pipfile cmakelists.txt requirements.txt constraints.txt robots.txt
        manifest.in go.mod go.sum codeowners .env .gitignore .gitattributes .gitmodules .gitkeep .dockerignore
        .helixignore .editorconfig .npmrc .nvmrc .babelrc .eslintrc .prettierrc .flake8 .pylintrc .coveragerc
        .python-version .ruby-version .tool-versions .mailmap .bashrc .zshrc .profile .vimrc .browserslistrc
        pkg-info top_level.txt sources.txt py.typed requires.txt entry_points.txt dependency_links.txt runtime.txt""",
    SourceKind.DOC: """
        readme license licence copying copyright notice authors contributors maintainers contributing install
        changelog changes history news thanks credits faq security code_of_conduct roadmap patents unlicense""",
    SourceKind.NOTE: "todo notes ideas scratch journal todo.md todo.txt notes.md notes.txt ideas.md scratch.md",
}
KIND_OF_NAME: dict[bytes, SourceKind] = {name: kind for kind, names in _NAMES.items() for name in _words(names)}

# Endings that wrap another name: settings.py.example is code, nginx.conf.in is configuration.
WRAPPERS = _words("example sample dist in tmpl tpl template orig bak default j2 jinja jinja2 erb")

VENDORED_FOLDERS = _words(
    """
    vendor vendors vendored _vendor _vendored third_party third-party thirdparty 3rdparty node_modules
    bower_components jspm_packages site-packages dist-packages .venv venv pods carthage externals extern
    subprojects"""
)
GENERATED_FOLDERS = _words(
    "generated __generated__ autogen codegen_out _build __snapshots__ __pycache__ migrations_generated"
)
BUILD_FOLDERS = _words("build dist out target bin obj output coverage htmlcov public_build .next .nuxt")
TEST_FOLDERS = _words(
    """
    tests __tests__ __test__ testsuite testsuites test-suite unittests unit_tests integration_tests
    integration-tests functional_tests e2e cypress testdata test_data test-data fixtures __fixtures__
    __mocks__ __snapshots__ benchmarks benches fuzz fuzzing conformance test_apps testcases androidtest
    commontest jvmtest"""
)
TEST_FOLDERS_AT_ROOT = _words("testing bench benchmark perf qa mocks spec specs test regress regressions")
TEST_ENDINGS_AT_ROOT: dict[bytes, tuple[bytes, ...]] = {
    b"t": (b".t", b".sh", b".pl", b".pm"),
    b"regression": (b".sh", b".c", b".cc", b".cpp", b".h", b".t", b".pl", b".result", b".out", b".expected", b".sql"),
}
"""Folders at the root whose names mean tests only of some files: ``t`` of Perl and of shell scripts; ``regression`` of
Python or R may well be statistics.
"""
EXAMPLE_FOLDERS = _words(
    """
    example examples demo demos sample samples tutorial tutorials docs_src doc_src cookbook cookbooks
    playground playgrounds quickstart quickstarts getting-started getting_started snippets recipes notebooks
    showcase stories example-app sandbox"""
)
HISTORY_FOLDERS = _words(
    """
    changelog changelogs changes releases release release-notes release_notes releasenotes newsfragments news
    whatsnew .changeset changelog.d history unreleased"""
)
DOC_FOLDERS = _words("doc docs documentation manual manuals wiki guides adr adrs rfc rfcs man website site")
NOTE_FOLDERS = _words("notes journal scratch scratchpad")
LOG_FOLDERS = _words("logs log")

LOCK_NAMES = _words(
    """
    package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock uv.lock
    poetry.lock pdm.lock pipfile.lock cargo.lock gemfile.lock composer.lock go.sum go.work.sum mix.lock
    pubspec.lock podfile.lock packages.lock.json flake.lock gradle.lockfile paket.lock conan.lock pkg-info
    sources.txt requires.txt top_level.txt dependency_links.txt entry_points.txt"""
)


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
_MAIN_SOURCES = re2.compile(rb"src/(?:main|[a-z]+main)", _BYTES)
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
    """The classification of a source; see the enums."""

    source_kind: SourceKind
    volatility: Volatility
    authority: Authority
    role: Role


def provenance(path: bytes) -> Provenance:
    """Classify ``path``: raw bytes relative to the workspace root, with ``/`` between parts."""
    folders = path.lower().split(b"/")
    name = folders.pop()
    kind = source_kind(folders, name)
    role = _role(folders, path.rsplit(b"/", 1)[-1], name, kind)
    return Provenance(kind, _VOLATILITY[kind], _authority(folders, name, kind, role), role)


def source_kind(folders: list[bytes], name: bytes) -> SourceKind:
    """Classify by well-known name, then by extension; lower-case parts in."""
    known = KIND_OF_NAME.get(name)
    if known is not None:
        return known
    stem, _, extension = name.rpartition(b".")
    if not stem or not extension:
        return _bare_kind(folders, extension or name)
    kind = KIND_OF_EXTENSION.get(extension)
    if extension in WRAPPERS and (b"." in stem or stem in KIND_OF_NAME):
        return source_kind(folders, stem)
    if kind is None:
        return KIND_OF_NAME.get(stem, SourceKind.DOC if _HISTORY_NAME.fullmatch(name) else SourceKind.CODE)
    if kind is SourceKind.DOC:
        if stem.startswith((b"requirements", b"constraints")) and extension == b"txt":
            return SourceKind.CONFIG
        if not NOTE_FOLDERS.isdisjoint(folders) or stem in (b"notes", b"todo", b"scratch"):
            return SourceKind.NOTE
        if extension == b"txt" and not LOG_FOLDERS.isdisjoint(folders):
            return SourceKind.LOG
    return kind


def _bare_kind(folders: list[bytes], name: bytes) -> SourceKind:
    """Classify a name without an extension, or one that is only an extension (``.bashrc``)."""
    if name in KIND_OF_EXTENSION:
        return KIND_OF_EXTENSION[name]
    if name.startswith((b"dockerfile", b"containerfile")) or name.endswith(b"rc"):
        return SourceKind.CONFIG
    if name.startswith((b"readme", b"license", b"copying")):
        return SourceKind.DOC
    return SourceKind.CODE if not DOC_FOLDERS.intersection(folders[:1]) else SourceKind.DOC


def _role(folders: list[bytes], raw_name: bytes, name: bytes, kind: SourceKind) -> Role:
    if not VENDORED_FOLDERS.isdisjoint(folders) or any(f.endswith(b"_vendored") for f in folders):
        return Role.VENDORED
    if kind in _PROSE and (_HISTORY_NAME.fullmatch(name) or not HISTORY_FOLDERS.isdisjoint(folders)):
        return Role.HISTORY
    if (_TEST_NAME.fullmatch(name) and not _is_of_a_gem(folders, name)) or _TEST_CLASS.fullmatch(raw_name):
        return Role.TEST
    in_docs = bool(DOC_FOLDERS.intersection(folders[:1]))
    for depth, folder in enumerate(folders):
        if _is_test_folder(folder, depth, folders, name) and not (in_docs and kind in _PROSE):
            return Role.TEST
        if folder in _TESTING_PACKAGES:
            break
        if folder in EXAMPLE_FOLDERS and not (in_docs and kind in _PROSE):
            return Role.EXAMPLE
    if not folders and name in (b"test.py", b"tests.py", b"test.js", b"test.ts", b"test.sh", b"test.rb"):
        return Role.TEST
    return _plain_role(folders, kind, in_docs)


def _plain_role(folders: list[bytes], kind: SourceKind, in_docs: bool) -> Role:
    if kind in _PROSE or in_docs or (DOC_FOLDERS.intersection(folders[1:2]) and folders[0] in _MONOREPO):
        return Role.DOC
    if kind in (SourceKind.CONFIG, SourceKind.LOG):
        return Role.CONFIG
    return Role.IMPLEMENTATION


_BENCHES = frozenset({b"bench", b"benchmark", b"perf"})
_TESTING_PACKAGES = frozenset({b"test", b"testing"})
_MONOREPO = frozenset({b"packages", b"crates", b"apps", b"libs", b"modules", b"services", b"projects"})


def _is_test_folder(folder: bytes, depth: int, folders: list[bytes], name: bytes) -> bool:
    if folder in TEST_FOLDERS:
        return True
    if depth == 0 and name.endswith(TEST_ENDINGS_AT_ROOT.get(folder, ())):
        return True
    if folder in TEST_FOLDERS_AT_ROOT:
        # A project that measures keeps its own code in ``src/benchmark``.
        is_in_source = folders[depth - 1] == b"src" and folder not in _BENCHES
        if depth == 0 or is_in_source or (depth == 2 and folders[0] in _MONOREPO):
            return True
        return folder in (b"test", b"spec", b"specs") and not name.endswith((b".py", b".pyi", b".pyx"))
    if _TEST_PROJECT.fullmatch(folder) is None:
        return False
    # A library that helps to test has its own code where Gradle and Maven look for it: ``spring-test/src/main``.
    return b"integration" in folder or _MAIN_SOURCES.fullmatch(b"/".join(folders[depth + 1 : depth + 3])) is None


def _is_of_a_gem(folders: list[bytes], name: bytes) -> bool:
    """Return whether a file of Ruby called ``test_…`` is what ``require`` finds: ``lib/shop/test_api.rb``."""
    return name.startswith(b"test_") and name.endswith(b".rb") and b"lib" in folders


def _authority(folders: list[bytes], name: bytes, kind: SourceKind, role: Role) -> Authority:
    if kind is SourceKind.NOTE:
        return Authority.INFERRED
    if role in (Role.VENDORED, Role.HISTORY) or name in LOCK_NAMES or _GENERATED_NAME.fullmatch(name):
        return Authority.DERIVED
    if not GENERATED_FOLDERS.isdisjoint(folders) or BUILD_FOLDERS.intersection(folders[:1]):
        return Authority.DERIVED
    if name.endswith((b".po", b".mo")) or any(folder.endswith((b".egg-info", b".dist-info")) for folder in folders):
        return Authority.DERIVED
    return Authority.PRIMARY
