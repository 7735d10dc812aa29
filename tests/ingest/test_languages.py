from __future__ import annotations

import subprocess
import sys

import pytest

from helix_core.ingest.grammars import GRAMMARS
from helix_core.ingest.languages import FALLBACK, LANGUAGES, language_of
from helix_core.ingest.syntax import load


@pytest.mark.parametrize(
    ("path", "head", "name"),
    [
        (b"src/a.py", b"", "python"),
        (b"types.pyi", b"", "python"),
        (b"A.JS", b"", "javascript"),
        (b"a.test.tsx", b"", "tsx"),
        (b"Dockerfile", b"", "dockerfile"),
        (b"docker/Dockerfile.dev", b"", "dockerfile"),
        (b"app.dockerfile", b"", "dockerfile"),
        (b"Gemfile", b"", "ruby"),
        (b"CMakeLists.txt", b"", "cmake"),
        (b"notes.txt", b"", "text"),
        (b"bin/run", b"#!/usr/bin/env python3\n", "python"),
        (b"bin/run", b"#!/usr/bin/env -S FOO=1 node --flag\n", "javascript"),
        (b"bin/run", b"#!/bin/sh\n", "bash"),
        (b"bin/run", b"#!", "text"),
        (b"a.h", b"#pragma once\nnamespace x {\n", "cpp"),
        (b"a.h", b"/*" + b" license" * 200 + b" */\n#include <vector>\n\nclass Box {\npublic:\n  int a;\n};\n", "cpp"),
        (b"a.h", b"#pragma once\n" + b"#include <stdio.h>\n" * 40 + b"template <class T>\nT twice(T one);\n", "cpp"),
        (b"a-inl.h", b'#include "a.h"\n\nvoid reg::drop() {\n}\n', "cpp"),
        (b"a.h", b"int f(void);\n", "c"),
        (b"a.h", b"/* A class of templates, in no namespace of C++. */\nint class(int template);\n", "c"),
        (b"a.c", b"int namespace;\nclass:\n  goto class;\n", "c"),
        (b"README", b"", "text"),
        (b"\xff\xfe.py", b"", "python"),
        (b".env.example", b"", "env"),
    ],
)
def test_a_language_is_told_by_name_extension_or_first_line(path: bytes, head: bytes, name: str) -> None:
    assert language_of(path, head).name == name


def test_an_unknown_file_falls_back_to_text_without_a_grammar() -> None:
    assert language_of(b"a.unknown", b"\0\1") is FALLBACK
    assert FALLBACK.grammar is None


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_grammar_loads_and_its_queries_compile(name: str) -> None:
    assert LANGUAGES[name].grammar is GRAMMARS[name]
    assert load(GRAMMARS[name]).language.abi_version >= 13


@pytest.mark.process
def test_telling_a_language_or_a_parser_version_loads_no_grammar() -> None:
    program = (
        "import sys\n"
        "from helix_core.ingest.document import parser_version\n"
        "print(parser_version(b'a.py', b''), parser_version(b'a.zig', b''))\n"
        "assert not [name for name in sys.modules if name.startswith('tree_sitter_')]\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "tree-sitter-python/" in done.stdout
    assert "lines/zig" in done.stdout
