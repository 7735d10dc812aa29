"""Text that looks like code of its language and is none defines nothing: dropped branches, data, strings of macros."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.ingest import Chains, ingest
from helix_core.ingest.conditions import is_always
from helix_core.ingest.data_blocks import blanked, data_blocks

C = b"int add(int a, int b) {\n    int c = a + b;\n    return c;\n}\n"
SHELL = b"add() {\n  echo one\n  echo two\n}\n"
SQL = b"CREATE TABLE add (\n  id int,\n  name text\n);\n"
AROUND = {
    b"c": (b"int before(void) {\n    return 1;\n}\n", C, b"int after(void) {\n    return 2;\n}\n"),
    b"sh": (b"before() {\n  echo 1\n}\n", SHELL, b"after() {\n  echo 2\n}\n"),
    b"sql": (b"CREATE TABLE before (id int);\n", SQL, b"CREATE TABLE after (id int);\n"),
}
AROUND[b"cpp"] = AROUND[b"c"]
DEAD = [
    (b"c", b"#if 0\n", b"#endif\n"),
    (b"c", b"#if (0)\n", b"#endif\n"),
    (b"cpp", b"#if !1\n", b"#endif\n"),
    (b"c", b"#ifdef X\nint x;\n#elif 0\n", b"#endif\n"),
    (b"cpp", b"#if 1\nint x;\n#else\n", b"#endif\n"),
    (b"c", b"#if 1\nint x;\n#elif defined(X)\n", b"#endif\n"),
    (b"c", b"#if defined(X) && 0\n", b"#endif\n"),
    (b"c", b"#if 1 || X\n#else\n", b"#endif\n"),
    (b"c", b"#if 0L /* off */\n", b"#endif\n"),
    (b"c", b"#if \\\n 0\n", b"#endif\n"),
    (b"c", b"#if 0\n#if X\n#else\n", b"#endif\n#endif\n"),
    (b"c", b"#if 0\n", b""),
    (b"cpp", b'const char *s = R"(\nsrc/*.c\n)";\n#if 0\n', b"#endif\n"),
    (b"cpp", b'const char *s = u8R"x(\n)" /*\n)x";\n#if 0\n', b"#endif\n"),
    (b"cpp", b"int x = 1'000; /* it's */\n#if 0\n", b"#endif\n"),
    (b"c", b"/* off */ #if 0\n", b"#endif\n"),
    (b"c", b"/* off\n */ #/**/if 0\n", b"#endif\n"),
    (b"c", b"#i\\\nf 0\n", b"#endif\n"),
    (b"c", b"#if 0 // see src/*\n", b"#endif // */\n"),
    (b"cpp", b"#if 'a' == 'b'\n", b"#endif\n"),
    (b"cpp", b"#if not 1\n", b"#endif\n"),
    (b"c", b"#undef X\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#undef X\n#if defined(X) && Y\n", b"#endif\n"),
    (b"c", b"#undef X\n#if X\n", b"#endif\n"),
    (b"c", b"#if Y\n#undef X\n#ifdef X\n", b"#endif\n#endif\n"),
    (b"c", b"#ifdef X\n#ifndef X\n", b"#endif\n#endif\n"),
    (b"c", b"#ifndef X\n#if Y\n#if defined X\n", b"#endif\n#endif\n#endif\n"),
    (b"c", b"#ifdef X\n#else\n#ifdef X\n", b"#endif\n#endif\n"),
    (b"c", b"#ifdef X\n#elif Y\n#ifdef X\n", b"#endif\n#endif\n"),
    (b"c", b"#define YES 1\n#if YES\n#else\n", b"#endif\n"),
    (b"c", b"#define NO (0) /* off */\n#if NO\n", b"#endif\n"),
    (b"c", b"#define LEVEL 2\n#if LEVEL > 2 && Y\n", b"#endif\n"),
    (b"c", b"#define X\n#ifndef X\n", b"#endif\n"),
    (b"c", b"#define F(a) a\n#ifndef F\n", b"#endif\n"),
    (b"c", b"#if 0\n#define X\n#endif\n#undef X\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#undef X\n#if 0\n#define X\n#endif\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#ifndef A_H\n#define A_H\n#ifndef A_H\n", b"#endif\n#endif\n"),
    (b"c", b"#undef \\\n X\n#ifdef X\n", b"#endif\n"),
    (b"c", b"const char *source = STRINGIFY(\n", b");\n"),
    (b"c", b"#define SHADER(version, ...) #version #__VA_ARGS__\nconst char *s = SHADER(330,\n", b");\n"),
    (b"sh", b"cat <<A <<B\nx\nA\n", b"B\n"),
    (b"sh", b"cat <<A <<-'B'\nx\nA\n", b"\tB\n"),
    (b"sh", b"cat <<A <<B <<C\nx\nA\ny\nB\n", b"C\n"),
    (b"sh", b"cat <<A.B <<C.D\nx\nA.B\n", b"C.D\n"),
    (b"sh", b"cat <<A <<'D-E'\nx\nA\n", b"D-E\n"),
    (b"sh", b"cat <<1 <<2\n1\n", b"2\n"),
    (b"sh", b'cat <<\\A <<"B C"\nx\nA\n', b"B C\n"),
    (b"sh", b"cat <<A \\\n  <<B\nx\nA\n", b"B\n"),
    (b"sh", b"cat <<''\n", b"\n"),
    (b"sh", b'cat <<A <<""\nx\nA\n', b"\n"),
    (b"sql", b"COPY t (a, b) FROM stdin;\n", b"\\.\n"),
    (b"sql", b"copy t (a)\n  from STDIN WITH (FORMAT csv);\n", b"\\.\n"),
    (b"sql", b"\\copy t from stdin\n", b"\\.\n"),
]
ALIVE = [
    (b"c", b"#if 0\nint x;\n#else\n", b"#endif\n"),
    (b"c", b"#if 1\n", b"#endif\n"),
    (b"c", b"#if X\n", b"#endif\n"),
    (b"c", b"#if 0 || X\n", b"#endif\n"),
    (b"c", b"#if 0 == 0\n", b"#endif\n"),
    (b"c", b"#if true\nint x;\n#else\n", b"#endif\n"),
    (b"c", b"/*\n#if 0\n*/\n", b""),
    (b"c", b"#undef X\n#define X\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#undef X\n#include <x.h>\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#undef X\n#if Y\n#define X\n#endif\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#undef X\n#if Y\n#include <x.h>\n#else\n#endif\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#ifdef Y\n#undef X\n#endif\n#ifdef X\n", b"#endif\n"),
    (b"c", b"#ifdef Y\n#undef X\n#else\n#ifdef X\n", b"#endif\n#endif\n"),
    (b"c", b"#ifdef X\n#endif\n#ifndef X\n", b"#endif\n"),
    (b"c", b"#ifdef X\n#undef X\n#ifndef X\n", b"#endif\n#endif\n"),
    (b"c", b"#ifndef X\n#define X 0\n#endif\n#if X\n", b"#endif\n"),
    (b"c", b"#if defined(X) || Y\n#ifndef X\n", b"#endif\n#endif\n"),
    (b"c", b"#define YES (1 - Y)\n#if !YES\n", b"#endif\n"),
    (b"c", b"#define YES 1\n#if YES\n", b"#endif\n"),
    (b"c", b"#define F(a) 0\n#if F(1)\n", b"#endif\n"),
    (b"c", b"/* #undef X */\n#ifdef X\n", b"#endif\n"),
    (b"c", b'#undef X\n#pragma pop_macro("X")\n#ifdef X\n', b"#endif\n"),
    (b"c", b'const char *s = "\\\n#if 0";\n', b""),
    (b"c", b"#if 0\n#endif\n", b""),
    (b"cpp", b'const char *s = R"(\n#if 0\n)";\n', b""),
    (b"c", b"const char *s = STRINGIFY(a);\n", b""),
    (b"sh", b"cat <<A\nx\nA\n", b""),
    (b"sh", b"# cat <<A <<B\n", b"A\nB\n"),
    (b"sh", b"x=$((1 << 2 << 3))\n", b""),
    (b"sql", b"COPY t FROM stdin;\n1\n\\.\n", b""),
    (b"sql", b"COPY t (a, b) FROM stdin;\n1\t2\n\\.\n", b""),
    (b"sql", b"COPY t TO stdout;\n", b""),
]


def standing(ending: bytes, opening: bytes, closing: bytes) -> tuple[bytes, bytes, Chains, int, int]:
    before, text, after = AROUND[ending]
    path, start = b"a." + ending, len(before) + len(opening)
    data = before + opening + text + closing + after
    return path, data, Chains(path, data, 5.0), start, start + len(text)


def defined(path: bytes, data: bytes) -> set[str]:
    chunks = ingest(path, data, embed=False).chunks
    return {definition.name for chunk in chunks for definition in chunk.definitions}


@pytest.mark.parametrize(("ending", "opening", "closing"), DEAD)
def test_code_in_dead_text_defines_nothing(ending: bytes, opening: bytes, closing: bytes) -> None:
    path, data, chains, start, end = standing(ending, opening, closing)
    assert chains.name(start, end, "add").symbol != "add"
    assert "add" not in defined(path, data)
    assert {"before", "after"} - ({"after"} if not closing else set()) <= defined(path, data)


@pytest.mark.parametrize(("ending", "opening", "closing"), ALIVE)
def test_code_beside_dead_text_keeps_its_name(ending: bytes, opening: bytes, closing: bytes) -> None:
    path, data, chains, start, end = standing(ending, opening, closing)
    assert chains.name(start, end, "add").symbol == "add"
    assert {"before", "add", "after"} <= defined(path, data)


@pytest.mark.parametrize(
    ("path", "opening", "closing"),
    [
        (b"a.swift", b'let s = """\nsrc/*.c\n"""\n#if false\n', b"#endif\n"),
        (b"a.swift", b'let s = #"""\n"" /*\n"""#\n#if false\n', b"#endif\n"),
        (b"a.swift", b"/* /* */ #endif */\n#if false\n", b"#elseif X\n#endif\n"),
    ],
)
def test_a_string_of_several_lines_hides_no_directive_behind_it(path: bytes, opening: bytes, closing: bytes) -> None:
    assert defined(path, opening + b"func add() {\n}\n" + closing + b"func after() {\n}\n") >= {"after"}
    assert "add" not in defined(path, opening + b"func add() {\n}\n" + closing + b"func after() {\n}\n")


def test_a_directive_in_a_string_of_several_lines_hides_nothing() -> None:
    swift = b'let s = """\n#if false\n"""\nfunc add() {\n}\n'
    sharp = b'class A {\n  string s = @"\n#if false\n""x""";\n  void add() {\n  }\n}\n'
    raw = b'class A {\n  string s = """\n#if false\n""";\n  void add() {\n  }\n}\n'
    assert "add" in defined(b"a.swift", swift)
    assert "add" in defined(b"a.cs", sharp)
    assert "add" in defined(b"a.cs", raw)


def test_a_string_of_several_lines_in_c_sharp_hides_no_directive_behind_it() -> None:
    text = b'class A {\n  string s = @"\nsrc/*.c\n";\n#if false\n  void add() {\n  }\n#endif\n  void after() { }\n}\n'
    assert "add" not in defined(b"a.cs", text)
    assert "after" in defined(b"a.cs", text)


def test_code_behind_a_comment_that_is_not_closed_claims_no_name() -> None:
    text = b"/* see src/* \n" + C
    assert Chains(b"a.c", text, 5.0).name(text.index(b"int add"), len(text), "add").symbol != "add"


def test_a_word_of_the_language_is_no_name() -> None:
    for text in (
        b"int kr4 _ANSI_ARGS_((int a)) { return 1; }\n",
        b"SPDLOG_INLINE void registry::add(int a)\n{\n    work(a);\n}\n",
        b"__constant__ int c[3];\n",
    ):
        for path in (b"a.c", b"a.cpp"):
            assert {"int", "void"}.isdisjoint(name for _, name in Chains(path, text, 5.0).definitions)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        *(("0", False), ("(0)", False), ("!1", False), ("1", True), ("0x10 > 0b11", True), ("017 == 15", True)),
        *(("0 && A", False), ("A && 0", False), ("A || 1", True), ("!(A && 0)", True), ("A", None), ("!A", None)),
        *(("defined(A) || 1u", True), ("defined A && 0", False), ("defined(A)", None), ("F(A, (B)) && 0", False)),
        *(("1 ? 0 : A", False), ("A ? 1 : 1", True), ("-1 < 0", True), ("7 / -2 == -3", True), ("-7 % 4 == -3", True)),
        *(("1 / 0", None), ("1 << 99", None), ("", None), ("(", None), ("0 0", None), ("'a'", True), ("1.5", None)),
        *(("2 - 1 - 1", False), ("08", None), ("false", False), ("~0", True), ("1 == 1 == 0", False)),
        *(
            ("'a' == 'b'", False),
            ("'a' != 'b'", True),
            ("'a' == 97", None),
            ("'z' - 'a' == 25", None),
            ("'\\0'", False),
        ),
        *(("'\\n' == 'n'", False), ("L'a' == 'a'", True), ("'ab'", None), ("-'a' < 0", None), ("!'a'", False)),
        *(("not 1", False), ("not 1 or A", None), ("A and 0", False), ("1 not_eq 1", False), ("compl 0", True)),
        ("(" * 100 + "0" + ")" * 100, None),
    ],
)
def test_a_condition_is_evaluated_as_far_as_it_can_be_known(condition: str, value: bool | None) -> None:
    assert is_always(condition) is value


def test_true_is_a_name_in_c() -> None:
    assert is_always("true") is True
    assert is_always("true", knows_true=False) is None


@given(st.text(alphabet="01A()!&|<>=+-*/%?: defined,"))
def test_no_condition_raises(condition: str) -> None:
    assert is_always(condition) in (True, False, None)


@given(
    st.sampled_from(["c", "cpp", "bash", "sql", "swift", "c_sharp"]),
    st.lists(
        st.sampled_from(
            [
                *("#if 0\n", "#else\n", "#endif\n", "#elif 1\n", "/*", "*/", '"', "<<A <<B\n", "A\n", "B\n", "x(\n"),
                *(")", "COPY t FROM stdin;\n", "\\.\n", "STRINGIFY(", "{;}", "\n"),
            ]
        )
    ),
)
def test_what_is_blank_keeps_lines_and_size(language: str, parts: list[str]) -> None:
    data = "".join(parts).encode()
    shown, ranges = blanked(language, data)
    assert len(shown) == len(data) and shown.count(b"\n") == data.count(b"\n")
    assert ranges == data_blocks(language, data)
    assert all(0 <= start <= end <= len(data) for start, end in ranges)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"one() {\n:\n}\ncat <<E\nx\nE\r\ntwo() {\n:\n}\nE\nthree() {\n:\n}\n", ["one", "three"]),
        (b"one() {\n:\n}\ncat <<E\nx\nE\r\ntwo() {\n:\n}\n", ["one"]),
        (b"cat <<E\r\nx\nE\r\ntwo() {\n:\n}\n", ["two"]),
        (b"cat <<E\r\nx\nE\ntwo() {\n:\n}\nE\r\nthree() {\n:\n}\n", ["three"]),
        (b"one() {\r\n:\r\n}\r\ncat <<E\r\nx\r\nE\r\ntwo() {\r\n:\r\n}\r\n", ["one", "two"]),
    ],
)
def test_a_carriage_return_is_a_part_of_what_ends_a_heredoc(text: bytes, names: list[str]) -> None:
    # As ``declare -F`` of Bash 5 prints them.
    chunks = ingest(b"a.sh", text, embed=False).chunks
    assert [one.name for chunk in chunks for one in chunk.definitions] == names
