from __future__ import annotations

import hashlib
from itertools import accumulate

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix_core.ingest.chunk import LONG, Size
from helix_core.ingest.document import ingest
from helix_core.lines import LineTable
from helix_core.model import Document
from helix_core.secrets.masking import mask

pytestmark = pytest.mark.slow

NAMES = {
    "python": b"a.py",
    "javascript": b"a.js",
    "typescript": b"a.ts",
    "tsx": b"a.tsx",
    "go": b"a.go",
    "rust": b"a.rs",
    "java": b"A.java",
    "c": b"a.c",
    "cpp": b"a.cpp",
    "c_sharp": b"A.cs",
    "ruby": b"a.rb",
    "php": b"a.php",
    "kotlin": b"a.kt",
    "swift": b"a.swift",
    "scala": b"a.scala",
    "lua": b"a.lua",
    "bash": b"a.sh",
    "sql": b"a.sql",
    "html": b"a.html",
    "css": b"a.css",
    "json": b"a.json",
    "yaml": b"a.yaml",
    "toml": b"a.toml",
    "markdown": b"a.md",
    "rst": b"a.rst",
    "dockerfile": b"Dockerfile",
    "text": b"a.txt",
    "ini": b"a.ini",
    "zig": b"a.zig",
    "csv": b"a.csv",
}

PIECES = [
    b"class A:\n",
    b"class A {\n",
    b"def f(x):\n",
    b"    return 1\n",
    b"\treturn 2\n",
    b"}\n",
    b"function f() {\n",
    b"{",
    b"}",
    b"fn f() {\n",
    b"func (s *S) F() {\n",
    b"impl A {\n",
    b"import os\n",
    b"#include <a.h>\n",
    b"@decorator\n",
    b"#[test]\n",
    b"// comment\n",
    b"# heading\n",
    b"## sub\n",
    b"/* open",
    b"*/",
    b'"""',
    b'"',
    b"'",
    b"`",
    b"\n",
    b"\r\n",
    b"\r",
    b"\f",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"Title\n=====\n",
    b"Sub\n---\n",
    b".. setting:: X\n",
    b"[table]\n",
    b"key = 1\n",
    b"a: b\n",
    b'{"k": [1, 2]}\n',
    b"<div>\n",
    b"</div>",
    b"SELECT 1;\n",
    b"CREATE TABLE t (id INT);\n",
    b"FROM a AS b\n",
    b"end\n",
    b"  x = 1  # note\n",
    b"module M\n",
    b"namespace N {\n",
    b"describe('x', () => {\n",
    b"});\n",
    "é漢\n".encode(),
    b"=>",
    b"<<EOF\n",
    b"password = 'hunter2hunter2'\n",
    b"x = 1\n" * 60,
    b"word " * 300,
]

broken_source = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
any_bytes = st.one_of(
    st.binary(max_size=400), broken_source, st.tuples(broken_source, st.binary(max_size=40)).map(b"".join)
)


def assert_partition(document: Document, data: bytes) -> None:
    masked = mask(data).data
    # Of bytes, splitlines knows \n, \r\n and \r, which are an editor's line ends.
    starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
    line_at = {start: number for number, start in enumerate(starts, 1)}
    position, line = 0, 1
    for chunk in document.chunks:
        assert chunk.start_byte == position
        assert chunk.end_byte > position
        assert position in line_at
        assert chunk.start_line == line
        line = line_at[chunk.end_byte]
        assert chunk.end_line == line - 1
        assert chunk.text_hash == hashlib.sha256(masked[position : chunk.end_byte]).hexdigest()[:16]
        for definition in chunk.definitions:
            assert chunk.start_line <= definition.start_line <= chunk.end_line
            assert definition.start_line <= definition.end_line <= document.line_count
        for claim in chunk.claims:
            assert chunk.start_line <= claim.line <= chunk.end_line
        position = chunk.end_byte
    assert position == len(data)
    assert document.line_count == len(starts) - 1


@pytest.mark.parametrize("language", NAMES)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=any_bytes)
def test_every_byte_is_in_exactly_one_chunk_whatever_the_bytes_are(language: str, data: bytes) -> None:
    document = ingest(NAMES[language], data)
    assert document.language in {language, "cpp"}
    assert_partition(document, data)


@settings(max_examples=20, deadline=None)
@given(data=any_bytes)
def test_ingest_is_a_function_of_its_arguments(data: bytes) -> None:
    assert ingest(b"a.py", data) == ingest(b"a.py", data)


@pytest.mark.parametrize("language", NAMES)
def test_an_empty_file_has_no_chunks(language: str) -> None:
    document = ingest(NAMES[language], b"")
    assert document.chunks == ()
    assert document.line_count == 0


@pytest.mark.parametrize("language", NAMES)
@pytest.mark.parametrize(
    "data",
    [
        b"(" * 4_000,
        b"[\n" * 2_000 + b"]\n" * 2_000,
        b"{" * 3_000 + b"}" * 3_000,
        b"- " * 3_000,
        b"<div>" * 2_000,
        b"".join(b" " * depth + b"if x:\n" for depth in range(300)),
        b'"' * 5_001,
        b"a = b; " * 2_000,
        b"\r" * 5_000,
        b"\0" * 5_000,
    ],
    ids=["parentheses", "brackets", "braces", "dashes", "tags", "indents", "quotes", "one line", "returns", "nul"],
)
def test_hostile_text_is_partitioned_without_recursion(language: str, data: bytes) -> None:
    assert_partition(ingest(NAMES[language], data), data)


def test_a_million_lines_are_chunked_by_lines() -> None:
    data = b"x\n" * 1_000_000
    document = ingest(b"a.py", data)
    assert document.line_count == 1_000_000
    assert all(chunk.end_line - chunk.start_line < LONG.rows for chunk in document.chunks)
    assert_partition(document, data)


def test_two_mebibytes_on_one_line_are_one_chunk() -> None:
    data = b"var a = 1;" * 200_000
    (chunk,) = ingest(b"a.js", data).chunks
    assert (chunk.start_line, chunk.end_line, chunk.end_byte) == (1, 1, len(data))


def test_a_parse_that_takes_too_long_becomes_line_chunks_and_says_so() -> None:
    data = b"def f():\n    return 1\n\n" * 5_000
    document = ingest(b"a.py", data, parse_limit_s=0.0)
    assert document.has_errors
    assert_partition(document, data)


@pytest.mark.parametrize("name", [b"a.py", b"a.txt", b"a.csv", b"a.zig", b"a.md"])
def test_no_chunk_is_much_longer_than_the_limit_where_lines_are_short(name: bytes) -> None:
    data = b"".join(b"value_%d, other_%d\n" % (number, number) for number in range(3_000))
    for chunk in ingest(name, data).chunks:
        assert not Size(2 * LONG.rows, 2 * LONG.size_bytes).exceeded_by(
            LineTable(data), chunk.start_byte, chunk.end_byte
        )


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (b"a.py", b"def alpha(): return 1\ndef beta(): return 2\nclass Gamma: pass\n", ["alpha", "beta", "Gamma"]),
        (b"a.rs", b"use std::io;\n\npub struct Box { a: u8 }\npub fn open() {}\n", ["", "Box", "open"]),
        (b"a.ts", b"export interface Face { a: number }\nfunction run() {}\n", ["Face", "run"]),
        (b"a.kt", b"object Only\nfun free() {}\n", ["Only", "free"]),
        (b"a.js", b"function run() {}\nconst settings = { run() {} };\n", ["run", "settings"]),
        (b"a.py", b"def alpha(): return 1", ["alpha"]),
    ],
)
def test_a_definition_of_one_row_is_a_chunk_that_bears_its_name(path: bytes, text: bytes, names: list[str]) -> None:
    assert [chunk.name for chunk in ingest(path, text).chunks] == names


def test_chinese_text_can_be_found_by_two_characters_of_it() -> None:
    (chunk,) = ingest(b"a.py", "def f():\n    # 处理用户请求\n    return '数据库错误'\n".encode()).chunks
    assert {"用户", "数据"} <= set(chunk.text.extra.split())


def test_no_chunk_behind_the_first_is_blank() -> None:
    text = b"def run():\n    return 1\n" + b"\r\n" * 400 + b"def later():\n    return 2\n" + b"\n" * 300
    found = [(chunk.name, chunk.start_line, chunk.end_line) for chunk in ingest(b"a.py", text).chunks]
    assert found == [("run", 1, 402), ("later", 403, 704)]
