"""What a definition surely is where its file parses only in part: it ends where the parser begins to guess."""

from __future__ import annotations

import pytest

from helix_core.ingest import Chains, ingest
from helix_core.ingest.document import outline_and_tree
from helix_core.ingest.languages import language_of
from helix_core.ingest.outline import Symbol
from helix_core.ingest.syntax import Deadline
from helix_core.lines import LineTable

NAMESPACES = b"""#pragma once
LOG_NAMESPACE_BEGIN
namespace audit {
LOG_INLINE void open(const char *path) {
    remember(path);
}
LOG_INLINE bool is_open() {
    return true;
}
}
"""
OLD_STYLE = b"""int before(int a) {
    return a;
}

int
FORMAT_CHECKED(1, 2)
written(const char *format, ...)
{
    return print(format);
}

int after(int a) {
    return a;
}
"""
BRANCHES = b"""int read_all(int count) {
    int left = count;
#ifdef FAST
    if (left > 8) {
        read_fast(left);
#else
    while (left > 0) {
#endif
        left = read_some(left);
    }
    return left;
}

int write_all(int count) {
    return count;
}
"""
MACRO_BODY = b"""TRY_BLOCK {
    int code = 1;
}
ON_FAILURE(...) {}

int later(void) {
    return 2;
}
"""


UNENDED_CLASS = b"""class Pool {
 public:
    int size();
    void run(Work *work) {
        (work->pool->*(work->method))(1);
    }
    int give(int count) {
        return count;
    }
    struct Slot {
        int number() { return 1; }
    };
};
"""
RUNNING_LABEL = b"""int closed(int code) {
    {
#ifdef A
        if (code) {
        } else
#endif
        if (code > 1) {
            code = 2;
        }
    }
    return code;

error:
#ifdef WIN
    close_all(code);
#endif
    return 0;
}
"""
MACROS_IN_FRONT = b"""namespace audit {
LOG_INLINE level::level_enum logger::level() const {
    return level_;
}
LOG_INLINE level_t logger::least() const {
    return least_;
}
LOG_INLINE ns::level::level_enum outer::pool<T>::most() const {
    return most_;
}
template <typename Mutex>
void LOG_INLINE sinks::base_sink<Mutex>::log(const message &text) {
    write(text);
}
}
"""


def symbols(path: bytes, data: bytes) -> tuple[Symbol, ...]:
    return outline_and_tree(language_of(path, data), data, LineTable(data), Deadline(5.0))[0].symbols


def claimed(path: bytes, data: bytes) -> dict[str, tuple[int, int]]:
    """The first and last line of each sure definition."""
    row = LineTable(data).row
    return {
        ".".join((*one.trail, one.name)): (row(one.start) + 1, row(one.end - 1) + 1)
        for one in symbols(path, data)
        if one.is_sure
    }


def names(path: bytes, data: bytes) -> set[str]:
    """Every name that the file is found by."""
    chunks = ingest(path, data, embed=False).chunks
    return {definition.name for chunk in chunks for definition in chunk.definitions}


def test_a_namespace_behind_a_macro_is_no_function_and_its_functions_keep_their_names() -> None:
    kinds = {one.name: one.kind for one in symbols(b"a.hpp", NAMESPACES)}
    assert kinds == {"audit": "namespace", "open": "function", "is_open": "function"}
    assert claimed(b"a.hpp", NAMESPACES) == {"audit": (2, 10), "audit.open": (4, 6), "audit.is_open": (7, 9)}


def test_a_function_is_not_called_like_the_macro_in_front_of_it() -> None:
    assert claimed(b"a.c", OLD_STYLE) == {"before": (1, 3)}


def test_a_macro_that_reads_like_a_variable_is_none() -> None:
    assert claimed(b"a.hpp", OLD_STYLE) == {"before": (1, 3), "written": (7, 10), "after": (12, 14)}


def test_what_stands_in_a_function_that_is_not_whole_has_no_name_of_its_own() -> None:
    assert claimed(b"a.c", BRANCHES) == {"write_all": (14, 16)}
    assert "left" in names(b"a.c", BRANCHES)


def test_a_block_of_a_macro_is_no_function() -> None:
    assert claimed(b"a.cpp", MACRO_BODY) == {"later": (6, 8)}


@pytest.mark.parametrize(
    ("path", "data", "name", "last"),
    [
        (b"a.js", b"function one() {\n  return 1;\n\nfunction two() {\n  return 2;\n}\n", "one", 3),
        (b"a.java", b"class A {\n  int one() {\n    return 1;\n\n  int two() {\n    return 2;\n  }\n}\n", "A.one", 4),
        (b"a.go", b"package a\n\nfunc one() int {\n\treturn 1\n\nfunc two() int {\n\treturn 2\n}\n", "one", 5),
        (b"a.rs", b"fn one() -> u8 {\n    1\n\nfn two() -> u8 {\n    2\n}\n", "one", 3),
    ],
)
def test_a_function_without_its_end_does_not_run_on_over_the_next(
    path: bytes, data: bytes, name: str, last: int
) -> None:
    found = claimed(path, data)
    assert found.get(name, (0, 0))[1] <= last
    assert "two" in names(path, data) or "two" not in str(found)


def test_what_a_guess_does_not_reach_keeps_its_name() -> None:
    data = b"int add(__unused struct item *a, int b) {\n    FOREACH(x, list) {\n        b++;\n    }\n    return b;\n}\n"
    assert claimed(b"a.c", data) == {"add": (1, 6)}


def test_the_label_of_a_span_is_what_ingest_claims() -> None:
    for path, data in ((b"a.hpp", NAMESPACES), (b"a.c", OLD_STYLE), (b"a.c", BRANCHES), (b"a.cpp", MACRO_BODY)):
        chains = Chains(path, data, 5.0)
        for chunk in ingest(path, data, embed=False).chunks:
            symbol = ".".join(filter(None, (chunk.breadcrumb, chunk.name))) if chunk.is_claimed else ""
            naming = chains.name(chunk.start_byte, chunk.end_byte, symbol)
            assert naming.symbol in (symbol, None), (path, chunk.start_line)


def test_a_value_in_a_block_that_is_no_function_is_claimed_by_no_place() -> None:
    # A macro that makes a function is a call and a block to the parser: the variable is a local one.
    document = ingest(b"a.cpp", b'TEST_CASE("a", "[b]") {\n    auto log = make();\n    log->set(1);\n}\n')
    assert [(str(chunk.name), chunk.is_claimed) for chunk in document.chunks] == [("log", False)]
    assert any(str(one.name) == "log" for chunk in document.chunks for one in chunk.definitions)
    sure = ingest(b"b.cpp", b"namespace a {\nint most = 3;\nvoid run() {\n    int local = 1;\n}\n}\n")
    assert all(chunk.is_claimed for chunk in sure.chunks)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "const first = 1;\n/*\nexport function dead(a) {\n  return a;\n}\n"),
        ("a.ts", "const first = 1;\nconst q = `\nexport function dead(a: number) {\n  return a;\n}\n"),
        ("a.php", "<?php\nfunction first() {}\n/*\nfunction dead($a) {\n  return $a;\n}\n"),
        ("a.lua", "function first() end\n--[[\nfunction dead()\n  return 1\nend\n"),
        ("a.sql", "CREATE TABLE first (id int);\n/*\nCREATE TABLE dead (id int);\n"),
        ("a.py", 'first = 1\n"""\ndef dead():\n    return 1\n'),
        ("a.py", "first = 1\nr'''\ndef dead():\n    return 1\n"),
        ("a.kt", 'val first = 1\nval s = """\nfun dead(): Int {\n  return 1\n}\n'),
    ],
)
def test_nothing_is_defined_behind_a_comment_or_a_string_that_does_not_end_yet(path: str, text: str) -> None:
    found = names(path.encode(), text.encode())
    assert "first" in found and "dead" not in found
    opener = next(mark for mark in ("/*", "--[[", '"""', "r'''", "`") if mark in text)
    ends = {"/*": "*/", "--[[": "]]", "r'''": "'''"}
    ended = text.replace(opener, f"{opener} {ends.get(opener, opener)}{'' if path != 'a.sql' else ' '}")
    assert {"first", "dead"} <= names(path.encode(), ended.encode())


def test_what_stands_behind_a_class_whose_end_is_in_doubt_is_claimed_neither_for_it_nor_for_the_file() -> None:
    found = claimed(b"pool.cpp", UNENDED_CLASS)
    assert found.keys() == {"Pool", "Pool.size", "Pool.run"}
    assert {"Pool", "size", "run", "give", "Slot", "number"} <= names(b"pool.cpp", UNENDED_CLASS)


def test_a_call_behind_a_directive_that_the_parser_skipped_declares_nothing() -> None:
    assert "close_all" not in claimed(b"ssl.c", RUNNING_LABEL)


def test_a_macro_in_front_of_a_table_is_not_the_name_of_the_table() -> None:
    table = (
        b'DECLARE_TESTS(tcp)\nDECLARE_TESTS(tcp6)\n\nTESTS = {\n    { "bind", test_bind },\n    { NULL, NULL },\n};\n'
    )
    assert "DECLARE_TESTS" not in claimed(b"tcp_test.c", table)
    assert "handler" in claimed(b"a.c", b"int (*handler)(int) = NULL;\nvoid run(int code);\n")


def test_a_type_behind_a_macro_is_no_scope_of_the_function() -> None:
    owners = {"logger.level", "logger.least", "outer.pool<T>.most", "sinks.base_sink<Mutex>.log"}
    found = claimed(b"log.cpp", MACROS_IN_FRONT)
    assert found.keys() == {"audit", *(f"audit.{name}" for name in owners)}


CONDITIONS_OF_CS = b"""namespace Audit;

public interface ILogger
{
#if DEFAULTS
    private static readonly object[] None = new object[0];
#endif

    ILogger ForContext(string name)
#if DEFAULTS
        => new Configuration().Create().ForContext(name)
#endif
        ;

    void Write(string text)
#if DEFAULTS
    {
        Write(text, None);
    }
#else
        ;
#endif

    bool IsEnabled(int level);
}

public class Methods
{
    static string[] Excluded =
#if SPAN
        typeof(ILogger).GetMethods().Select(one => one.Name)
            .ToArray();
#else
        new string[0];
#endif

    public void Validate(string name)
    {
        Check(name, "#if");
    }

    void Check(string name, string text) { }
}
"""


def test_conditions_within_a_declaration_of_cs_leave_its_class_whole() -> None:
    found = {"ILogger", "ILogger.ForContext", "ILogger.Write", "ILogger.IsEnabled", "Methods.Validate", "Methods.Check"}
    assert found <= claimed(b"Methods.cs", CONDITIONS_OF_CS).keys()


def test_conditions_of_cs_that_hold_declarations_show_all_their_branches() -> None:
    text = b"class A\n{\n#if X\n    void One() { }\n#else\n    void Other() { }\n#endif\n}\n"
    assert {"A.One", "A.Other"} <= claimed(b"a.cs", text + CONDITIONS_OF_CS.partition(b";")[2]).keys()
