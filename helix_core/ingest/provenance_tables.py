"""What names mean: extensions, well-known file names, folders. Data only, all in lower case."""

from __future__ import annotations

from helix_core.model import SourceKind


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
        manifest mypy ruff rc sum mod work kdl ron cue""",
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
TEST_FOLDERS_AT_ROOT = _words("testing bench benchmark perf qa mocks spec specs test")
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
