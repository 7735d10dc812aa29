from __future__ import annotations

import hashlib

import pytest

from helix_core.ingest.document import ingest, parser_version
from helix_core.model import Chunk, Role
from helix_core.secrets.masked import masked_at
from helix_core.secrets.masking import mask

LONG_CLASS = (
    "import os\nfrom a.b import c\n\n\n"
    "# Registers things.\n@register\nclass Outer(Base):\n    '''Keeps things.'''\n\n    limit = 3\n\n"
    + "".join(
        f"    # number {n}\n    @property\n    def method_{n}(self):\n        return self.x{n}\n\n" for n in range(20)
    )
    + "    class Inner:\n"
    + "        def deep(self):\n            def nested():\n                return 1\n            return nested\n"
)


def _outline(name: bytes, source: str) -> list[tuple[str, str, str]]:
    return [(chunk.kind, chunk.breadcrumb, chunk.name) for chunk in ingest(name, source.encode()).chunks]


def _named(name: bytes, source: str, symbol: str) -> Chunk:
    return next(chunk for chunk in ingest(name, source.encode()).chunks if chunk.name == symbol)


def test_a_long_class_is_its_header_and_its_methods_with_what_stands_over_them() -> None:
    assert _outline(b"a.py", LONG_CLASS)[:4] == [
        ("imports", "", ""),
        ("class", "", "Outer"),
        ("method", "Outer", "method_0"),
        ("method", "Outer", "method_1"),
    ]
    lines = LONG_CLASS.split("\n")
    header = _named(b"a.py", LONG_CLASS, "Outer")
    assert lines[header.start_line - 1] == "# Registers things."
    method = _named(b"a.py", LONG_CLASS, "method_1")
    assert lines[method.start_line - 1] == "    # number 1"
    inner = _named(b"a.py", LONG_CLASS, "Inner")
    assert [definition.name for definition in inner.definitions] == ["Inner", "deep", "nested"]
    assert (inner.kind, inner.breadcrumb) == ("class", "Outer")


@pytest.mark.parametrize("comment", ["  # registers things", "  # \u2028\u202e \x0c\x0b\x85 \U0001f9ec"])
def test_a_comment_behind_the_line_of_a_class_is_the_class_s_and_not_the_first_method_s(comment: str) -> None:
    methods = "".join(f"    def method_{number}(self):\n        return {number}\n\n" for number in range(30))
    source = f"class Outer:{comment}\n{methods}"
    assert [
        (chunk.name, chunk.start_line, chunk.end_line) for chunk in ingest(b"a.py", source.encode()).chunks[:2]
    ] == [
        ("Outer", 1, 1),
        ("method_0", 2, 4),
    ]


def test_a_decorator_behind_another_and_comments_over_both_lead_to_their_method() -> None:
    members = "".join(f"    x{number}() {{ return {number}; }}\n\n" for number in range(60))
    source = (
        "class Page { // shown\n    /* Long */ @Input() @Bound(\n        'a',\n    )\n    first() { return 0; }\n\n"
        + members
        + "}\n"
    )
    first = _named(b"a.ts", source, "first")
    assert (first.start_line, first.end_line) == (2, 6)


def test_a_small_class_stays_whole() -> None:
    source = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    assert _outline(b"a.py", source) == [("class", "", "A")]


def test_a_very_long_function_is_cut_at_statement_borders_under_its_own_name() -> None:
    body = "".join(f"    if x{n}:\n        y{n} = 1\n        z{n} = 2\n" for n in range(60))
    source = f"def long():\n{body}    return 1\n"
    chunks = ingest(b"a.py", source.encode()).chunks
    assert len(chunks) > 1
    assert {(chunk.kind, chunk.name) for chunk in chunks} == {("function", "long")}
    assert all(source.split("\n")[chunk.start_line - 1].startswith(("    if", "def")) for chunk in chunks)


def test_small_neighbouring_values_are_one_chunk_and_a_long_one_is_its_own() -> None:
    source = "A = 1\nB = 2\n\nTABLE = {\n" + "".join(f"    'k{n}': {n},\n" for n in range(12)) + "}\n"
    assert _outline(b"a.py", source) == [("constant", "", ""), ("constant", "", "TABLE")]


def test_the_fields_of_the_index_are_told_apart() -> None:
    source = 'def parseHeader(raw):\n    """Reads a header."""\n    # fast path\n'
    source += '    return cache.fetchOne("some words")\n'
    text = ingest(b"a.py", source.encode()).chunks[0].text
    assert text.names == "parseHeader parse header"
    assert text.doc == "Reads a header. fast path"
    assert "some words" in text.body
    assert "fast path" not in text.body
    assert text.extra.split() == ["parse", "header", "fetch", "one"]
    assert set(text.refs.split()) == {"parseHeader", "raw", "cache", "fetchOne"}


def test_secrets_are_in_no_part_of_a_document() -> None:
    secret = "AKIA" + "Q3EGRIWLD5SZ7PTM"
    source = f"def f():\n    aws_key = '{secret}'\n    # {secret}\n    return 1\n"
    document = ingest(b"a.py", source.encode())
    assert document.masked_count >= 1
    assert masked_at(source.encode(), document.secrets) == mask(source.encode())
    assert secret not in repr(document)
    assert document.content_hash == hashlib.sha256(source.encode()).hexdigest()


def test_what_does_not_count_has_no_chunks_but_a_hash_and_a_reason() -> None:
    document = ingest(b"a.bin", b"\0\1\2\n", skipped="binary")
    assert (document.chunks, document.skipped, document.size_bytes) == ((), "binary", 4)
    assert document.content_hash == hashlib.sha256(b"\0\1\2\n").hexdigest()


def test_a_document_names_the_parser_that_made_it() -> None:
    assert ingest(b"a.py", b"x = 1\n").parser == parser_version(b"a.py", b"x = 1\n")
    assert parser_version(b"a.py", b"") != parser_version(b"a.rs", b"")


def test_broken_syntax_is_reported_and_still_outlined() -> None:
    document = ingest(b"a.py", b"def good():\n    return 1\n\nclass (:\n\ndef other():\n    return 2\n")
    assert document.has_errors
    assert {"good", "other"} <= {d.name for chunk in document.chunks for d in chunk.definitions}


def test_claims_go_to_the_chunk_they_stand_in() -> None:
    source = "def f():\n    return 1\n\n\nclass Settings:\n    PORT = 8080\n    HOST = 'db.example.org'\n"
    chunks = ingest(b"a.py", source.encode()).chunks
    assert not chunks[0].claims
    assert [(claim.key, claim.value, claim.line) for claim in chunks[1].claims][:1] == [("Settings.PORT", "8080", 6)]


@pytest.mark.parametrize("name", [b"doc.md", b"doc.rst", b"doc.txt"])
def test_documents_are_cut_at_their_headings(name: bytes) -> None:
    paragraph = "".join(f"Sentence number {n} of a long paragraph.\n" for n in range(15)) + "\n"
    if name.endswith(b".md"):
        source = f"# Guide\n\n{paragraph}## Install\n\n{paragraph}### Linux\n\n{paragraph}## Use\n\n{paragraph}"
    else:
        source = f"Guide\n=====\n\n{paragraph}Install\n-------\n\n{paragraph}"
        source += f"Linux\n~~~~~\n\n{paragraph}Use\n---\n\n{paragraph}"
    document = ingest(name, source.encode())
    assert document.role is Role.DOC
    assert [(chunk.kind, chunk.breadcrumb, chunk.name) for chunk in document.chunks] == [
        ("section", "", "Guide"),
        ("section", "Guide", "Install"),
        ("section", "Guide > Install", "Linux"),
        ("section", "Guide", "Use"),
    ]


def test_what_a_page_describes_one_by_one_can_be_found_by_name() -> None:
    text = "".join(f"   Line {n} about it.\n" for n in range(30))
    source = f"Settings\n========\n\n.. setting:: DEBUG\n\n{text}\n.. py:method:: App.run(host, port)\n\n{text}"
    assert [chunk.name for chunk in ingest(b"ref.rst", source.encode()).chunks] == ["Settings", "DEBUG", "App.run"]


def test_unknown_languages_are_cut_at_lines_that_define_something() -> None:
    body = "".join(f"    const x{n} = {n};\n" for n in range(20))
    source = f"const std = 1;\n\npub fn first() void {{\n{body}}}\n\npub fn second() void {{\n{body}}}\n"
    assert _outline(b"a.zig", source) == [("block", "", ""), ("function", "", "first"), ("function", "", "second")]


def test_tables_of_an_ini_file_are_its_sections() -> None:
    rows = "".join(f"option_{n} = {n}\n" for n in range(30))
    assert _outline(b"setup.cfg", f"[metadata]\n{rows}[tool:x]\n{rows}") == [
        ("table", "", "metadata"),
        ("table", "", "tool:x"),
    ]


@pytest.mark.parametrize("declared", ["latin-1", "iso-8859-15", "cp1252"])
def test_words_of_a_file_are_read_in_the_encoding_that_it_declares(declared: str) -> None:
    source = f"# -*- coding: {declared} -*-\ndef café_latin():\n    return naïve\n"
    document = ingest(b"a.py", source.encode("cp1252"))
    assert "café_latin" in "".join(chunk.text.body for chunk in document.chunks)
    assert "café_latin" in "".join(chunk.text.refs for chunk in document.chunks)


@pytest.mark.parametrize("declared", ["utf-8", "utf-16", "rot13", "idna", "nothing", "hex", "zlib"])
def test_an_encoding_that_is_unknown_or_moves_ascii_is_read_as_utf_8(declared: str) -> None:
    document = ingest(b"a.py", f"# -*- coding: {declared} -*-\ndef café_latin():\n    return 1\n".encode())
    assert "café_latin" in document.chunks[0].text.body


def test_no_chunk_but_the_first_begins_with_a_blank_line() -> None:
    body = "".join(f"    line_{n} = {n}\n" for n in range(14))
    source = f"def first():\n{body}\n\nalias_of_first = first\nother = 2\n\n\ndef second():\n{body}\n\nlast = 3\n"
    chunks = ingest(b"a.py", source.encode()).chunks
    lines = source.splitlines()
    assert len(chunks) >= 3
    assert [one.start_line for one in chunks if not lines[one.start_line - 1].strip()] == []
