# ruff: noqa: E501 - a sample of a language is easier to read on few lines
from __future__ import annotations

import pytest

from helix_core.ingest import Chains, document
from helix_core.ingest.document import ingest, outline_and_tree
from helix_core.ingest.languages import language_of
from helix_core.ingest.syntax import Deadline
from helix_core.lines import LineTable
from helix_core.model import Chunk, Document

FILLER = "word and more words to make it long enough to be cut in parts, which is all this is about "

SAMPLES: dict[str, tuple[bytes, str, set[tuple[str, str]], set[str]]] = {
    "python": (
        b"a.py",
        "import os.path as p\nfrom .x import y\nK = 1\n@d\nclass A:\n    z = 1\n    async def m(self): pass\ndef f():\n    def g(): pass\n",
        {("K", "constant"), ("A", "class"), ("z", "field"), ("m", "method"), ("f", "function"), ("g", "function")},
        {"os.path", ".x"},
    ),
    "javascript": (
        b"a.js",
        "import a from './x'\nconst b = require('y')\nexport const f = () => {\n  return 1\n}\nclass A {\n  m() {}\n}\n"
        "const t = { u: function () {} }\nA.prototype.v = function () {\n}\nfunction* gen() {}\n",
        {("f", "function"), ("A", "class"), ("m", "method"), ("u", "method"), ("v", "method"), ("gen", "function"), ("t", "constant")},
        {"./x", "y"},
    ),
    "typescript": (
        b"a.ts",
        "import { a } from '@s/x'\nexport default class A<T> {\n  q = 1\n  m(): void {}\n}\ninterface I { z(): void; y: string }\n"
        "type T = { k: string }\nenum E { X }\nnamespace N { export const w = 1 }\nabstract class B {}\n",
        {("A", "class"), ("q", "field"), ("m", "method"), ("I", "interface"), ("z", "declaration"), ("y", "field"), ("T", "type"),
         ("E", "enum"), ("N", "namespace"), ("w", "constant"), ("B", "class")},
        {"@s/x"},
    ),
    "tsx": (b"a.tsx", "export const C = (p: P) => <div id=\"x\">{p.y}</div>\n", {("C", "function")}, set()),
    "go": (
        b"a.go",
        'package a\nimport (\n\t"fmt"\n\tx "a/b"\n)\ntype S struct {\n\tp int\n}\ntype D interface {\n\tDo() error\n}\nconst M = 3\n'
        "var v = 1\nfunc (s *S) Run() error {\n\treturn nil\n}\nfunc main() {\n}\n",
        {("S", "struct"), ("p", "field"), ("D", "interface"), ("Do", "declaration"), ("M", "constant"), ("v", "constant"),
         ("Run", "method"), ("main", "function")},
        {"fmt", "a/b"},
    ),
    "rust": (
        b"a.rs",
        "use a::b::{c, d};\nmod other;\npub struct F { x: i32 }\nimpl F {\n    fn go(&self) {}\n}\nenum E { A }\ntrait T { fn z(&self); }\n"
        "type Q = i32;\nconst K: i32 = 1;\nmacro_rules! mac { () => {} }\n",
        {("F", "struct"), ("x", "field"), ("go", "method"), ("E", "enum"), ("A", "field"), ("T", "trait"), ("z", "declaration"),
         ("Q", "type"), ("K", "constant"), ("mac", "macro")},
        {"a::b", "other"},
    ),
    "java": (
        b"A.java",
        "import java.util.List;\nclass A {\n  static final int K = 1;\n  A() {}\n  int go() { return 1; }\n}\ninterface I { void z(); }\n"
        "enum E { X }\nrecord R(int a) {}\n",
        {("A", "class"), ("K", "field"), ("A", "method"), ("go", "method"), ("I", "interface"), ("z", "method"), ("E", "enum"),
         ("X", "field"), ("R", "class")},
        {"java.util.List"},
    ),
    "c": (
        b"a.c",
        '#include <stdio.h>\n#include "x.h"\n#define MAX 3\n#define SQ(x) ((x)*(x))\nstruct s { int q; };\ntypedef struct { int w; } t;\n'
        "enum e { A };\nstatic const int lim = 4;\nint proto(int a);\nstatic char **name(int a)\n{\n    return 0;\n}\n",
        {("MAX", "macro"), ("SQ", "macro"), ("s", "struct"), ("q", "field"), ("t", "type"), ("e", "enum"), ("A", "field"),
         ("lim", "constant"), ("proto", "declaration"), ("name", "function")},
        {"stdio.h", "x.h"},
    ),
    "cpp": (
        b"a.cpp",
        "#include <v>\nnamespace n {\nclass F {\n  int go(int a);\n  int x = 1;\n  void in() {}\n};\ntemplate<class T>\nT mx(T a) { return a; }\n}\n"
        "int n::F::go(int a) {\n  return 1;\n}\nF::F() {}\nF::~F() {}\nstd::string &nm() { return s; }\nusing V = int;\nenum class E { A };\n",
        {("n", "namespace"), ("F", "class"), ("x", "field"), ("in", "method"), ("mx", "function"), ("go", "method"), ("F", "method"),
         ("~F", "method"), ("nm", "function"), ("V", "type"), ("E", "enum")},
        {"v"},
    ),
    "c_sharp": (
        b"A.cs",
        "using System.Text;\nnamespace A.B {\nclass F { const int K = 1; int P { get; } F() {} int Go() { return 1; } }\ninterface I { void Z(); }\n"
        "struct S {}\nenum E { X }\nrecord R(int a);\n}\n",
        {("A.B", "namespace"), ("F", "class"), ("K", "field"), ("P", "field"), ("Go", "method"), ("I", "interface"), ("S", "struct"),
         ("E", "enum"), ("X", "field"), ("R", "class")},
        {"System.Text"},
    ),
    "ruby": (
        b"a.rb",
        "require 'x'\nrequire_relative \"y/z\"\nputs 'no'\nmodule A\n  class F < B\n    K = 1\n    def go(b)\n    end\n    def self.cm; end\n  end\nend\n",
        {("A", "module"), ("F", "class"), ("K", "constant"), ("go", "method"), ("cm", "method")},
        {"x", "y/z"},
    ),
    "php": (
        b"a.php",
        "<?php\nnamespace A\\B;\nuse X\\Y;\nrequire_once 'x.php';\nconst K = 1;\nclass F { const C = 1; private $x; public function go() { } }\n"
        "interface I { function z(); }\ntrait T {}\nenum E { case A; }\nfunction top() { }\n",
        {("A\\B", "namespace"), ("K", "constant"), ("F", "class"), ("C", "constant"), ("x", "field"), ("go", "method"),
         ("I", "interface"), ("T", "trait"), ("E", "enum"), ("top", "function")},
        {"X\\Y", "x.php"},
    ),
    "kotlin": (
        b"a.kt",
        "package a\n\nimport x.y.Z\n\nclass F(val a: Int) {\n    val x = 1\n    fun go(b: String): Int {\n        return 1\n    }\n}\n\n"
        "object O {\n    fun w() {}\n}\n\ninterface I {\n    fun z()\n}\n\nconst val TOP = 2\n\ntypealias T = F\n",
        {("F", "class"), ("x", "constant"), ("go", "method"), ("O", "object"), ("I", "class"), ("TOP", "constant"), ("T", "type")},
        {"x.y.Z"},
    ),
    "swift": (
        b"a.swift",
        "import Foundation\nclass F: B {\n  let x: Int = 3\n  init(a: Int) { }\n  func go() { }\n}\nstruct S { var a = 1 }\nenum E { case k }\n"
        "protocol P { func z() }\nextension F { func ext() {} }\nfunc top() {}\n",
        {("F", "class"), ("x", "constant"), ("init", "method"), ("go", "method"), ("S", "struct"), ("E", "enum"), ("k", "field"),
         ("P", "interface"), ("ext", "method"), ("top", "function")},
        {"Foundation"},
    ),
    "scala": (
        b"a.scala",
        "import x.y.Z\nclass F(a: Int) {\n  val x = 1\n  def go(b: String): Int = 1\n}\nobject O { val K = 3 }\ntrait I { def z(): Int }\n",
        {("F", "class"), ("x", "constant"), ("go", "method"), ("O", "object"), ("K", "constant"), ("I", "trait"), ("z", "declaration")},
        {"x.y.Z"},
    ),
    "lua": (
        b"a.lua",
        "local m = require('x.y')\nprint('no')\nlocal function f() end\nfunction m.go() end\nfunction m:me() end\nm.h = function() end\n",
        {("m", "constant"), ("f", "function"), ("go", "method"), ("me", "method"), ("h", "method")},
        {"x.y"},
    ),
    "bash": (
        b"a.sh",
        "#!/bin/bash\n. ./x.sh\nsource lib.sh\necho no\nK=1\nexport Z=2\nf() {\n  echo a\n}\nfunction g { local x=1; }\n",
        {("K", "constant"), ("Z", "constant"), ("f", "function"), ("g", "function")},
        {"./x.sh", "lib.sh"},
    ),
    "sql": (
        b"a.sql",
        "CREATE TABLE a.users (id INT, name TEXT);\nCREATE INDEX ix ON users (id);\nCREATE VIEW v AS SELECT 1;\n"
        "CREATE FUNCTION f() RETURNS INT AS $$ SELECT 1 $$ LANGUAGE sql;\n",
        {("users", "table"), ("id", "field"), ("ix", "index"), ("v", "view"), ("f", "function")},
        set(),
    ),
    "css": (
        b"a.css",
        '@import "x.css";\n.a, #b { color: red; }\n@media print { .c { x: y } }\n@keyframes foo { from {a: b} }\n',
        {(".a, #b", "rule"), (".c", "rule"), ("foo", "rule")},
        {"x.css"},
    ),
    "json": (b"a.json", '{"a": 1, "b": {"c": 2}}\n', {("a", "key"), ("b", "key")}, set()),
    "yaml": (b"a.yaml", "a: 1\n'k l':\n  c: 2\n", {("a", "key"), ("k l", "key")}, set()),
    "toml": (b"a.toml", "x = 1\n[a.b]\ny = 2\n[[t]]\n", {("x", "key"), ("a.b", "table"), ("y", "key"), ("t", "table")}, set()),
    "dockerfile": (b"Dockerfile", "FROM a AS build\nARG X=1\nENV A=b C=d\n", {("build", "stage"), ("X", "key"), ("A", "key"), ("C", "key")}, set()),
    "markdown": (b"a.md", "# One `x`\n\ntext\n\nTwo\n===\n", {("One `x`", "section"), ("Two", "section")}, set()),
    "rst": (b"a.rst", "One\n===\n\nTwo\n---\n\n.. data:: X\n", {("One", "section"), ("Two", "section"), ("X", "entry")}, set()),
}  # fmt: skip


def _definitions(document: Document) -> set[tuple[str, str]]:
    return {(str(item.name), item.kind) for chunk in document.chunks for item in chunk.definitions}


def _chunk(document: Document, name: str) -> Chunk:
    return next(chunk for chunk in document.chunks if chunk.name == name)


@pytest.mark.slow
@pytest.mark.parametrize("language", SAMPLES)
def test_what_a_language_defines_and_imports_is_found(language: str) -> None:
    path, source, definitions, imports = SAMPLES[language]
    document = ingest(path, source.encode())
    assert document.language == language
    assert not document.has_errors
    assert definitions <= _definitions(document)
    assert {str(item) for chunk in document.chunks for item in chunk.imports} == imports


@pytest.mark.parametrize(
    ("path", "source", "name", "breadcrumb"),
    [
        (b"a.go", "package a\n\nfunc (s *Server) Run() {\n\treturn\n}\n", "Run", "Server"),
        (b"a.cpp", "int Foo::go(int a) {\n  return 1;\n}\n", "go", "Foo"),
        (b"a.lua", "function M.go()\n  return 1\nend\n", "go", "M"),
        (b"a.js", "Foo.prototype.bar = function () {\n  return 1\n}\n", "bar", "Foo"),
        (b"a.js", "app.use = function use(fn) {\n  return fn\n}\n", "use", "app"),
        (b"a.js", "defineGetter(req, 'ip', function ip() {\n  return 1\n})\n", "ip", "req"),
        (b"a.js", "function View() {\n}\nView.at = 1\nView.prototype.go = () => {\n}\n", "go", "View"),
        (b"a.ts", "Object.defineProperty(app, 'router', {\n  get: function () {\n  },\n})\n", "router", "app"),
        (b"a.js", "Object.defineProperty(app, 'router', {\n  get() {\n  },\n})\n", "router", "app"),
    ],
)
def test_a_method_written_outside_its_type_carries_the_type_in_its_breadcrumb(
    path: bytes, source: str, name: str, breadcrumb: str
) -> None:
    chunk = _chunk(ingest(path, source.encode()), name)
    assert (chunk.kind, chunk.breadcrumb) == ("method", breadcrumb)


def test_what_describes_a_property_is_no_name_of_its_own() -> None:
    source = b"Object.defineProperty(app, 'router', {\n  get: function () {},\n  set(v) {},\n})\nconst api = {\n  get() {},\n}\n"
    assert _definitions(ingest(b"a.js", source)) == {("router", "method"), ("api", "constant"), ("get", "method")}
    fields = b"Object.defineProperty(app, 'size', { value: 3 })\nObject.defineProperty(exports, '__esModule', { value: true })\n"
    assert _definitions(ingest(b"a.js", fields)) == {("size", "field")}
    assert _definitions(ingest(b"a.js", b"register(app, 'size', function () {})\n")) == set()


def test_what_a_constructor_gives_its_object_stands_under_the_constructor() -> None:
    source = f"function View() {{\n  this.lookup = function () {{\n{'    go()' * 12}\n  }}\n}}\n"
    chains = Chains(b"a.js", source.encode(), 5.0)
    assert [symbol for _, symbol in chains.definitions] == ["View", "View.lookup"]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("app.get('/', function (req, res) {", "})"),
        ("app.get('/', (req, res) => {", "})"),
        ("app.get('/', async function* (req, res) {", "})"),
        ("describe('time', () => {", "})"),
    ],
)
@pytest.mark.parametrize("path", [b"a.js", b"a.ts", b"a.tsx"])
def test_a_variable_of_a_function_without_a_name_is_no_symbol(path: bytes, opening: str, closing: str) -> None:
    source = f"go()\n\n{opening}\n  var minute = 60000\n  app.locals = {{ minute }}\n  go(minute)\n{closing}\n"
    document = ingest(path, source.encode())
    assert _definitions(document).isdisjoint({("minute", "constant"), ("locals", "constant")})
    assert {str(chunk.name) for chunk in document.chunks}.isdisjoint({"minute", "locals"})


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(function () {", "})()"),
        ("(function () {", "}())"),
        ("!function () {", "}()"),
        ("(() => {", "})()"),
        ("define(['a'], function (a) {", "})"),
        ("(function (root, factory) {\n  factory(root)\n})(this, function () {", "})"),
    ],
)
def test_a_variable_of_the_function_around_a_module_is_the_modules(opening: str, closing: str) -> None:
    source = f"{opening}\n  var minute = 60000\n  go(function () {{ var second = 1000 }})\n{closing}\n"
    assert _definitions(ingest(b"a.js", source.encode())) == {("minute", "constant")}


def test_the_functions_of_a_rust_impl_stand_under_its_type() -> None:
    functions = "".join(
        f"    /// Number {n}.\n    #[inline]\n    pub fn f{n}(&self) -> i32 {{\n        {n}\n    }}\n"
        for n in range(12)
    )
    document = ingest(b"a.rs", f"impl<T> Store<T> {{\n{functions}}}\n".encode())
    chunk = _chunk(document, "f3")
    assert (chunk.kind, chunk.breadcrumb) == ("method", "Store")
    assert chunk.text.doc == "Number 3."


def test_long_suites_of_javascript_tests_are_cut_at_their_cases() -> None:
    cases = "".join(
        f"  it('does thing {n}', () => {{\n    // {FILLER}\n    expect({n}).toBe({n})\n  }})\n" for n in range(15)
    )
    document = ingest(b"src/store.test.ts", f"describe('createStore', () => {{\n{cases}}})\n".encode())
    case = _chunk(document, "does thing 3")
    assert (case.kind, case.breadcrumb) == ("test", "createStore")
    assert set(document.chunks[0].tests) == {"createStore", "store"}


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (r"test('doesn\'t throw on \"a.b\"', run)", {'doesn\'t throw on "a.b"': "test"}),
        ("it(`says ${hi}\n  to ${all}`, run)", {"says ${hi} to ${all}": "test"}),
        ("describe.each([1, 2])('a suite', run)", {"a suite": "suite"}),
        ("describe.skipIf(!gc)('a suite', run)", {"a suite": "suite"}),
        ("it.each`a|b\n${1}|${2}`('a case', run)", {"a case": "test"}),
        ("test.describe.parallel('a suite', run)", {"a suite": "suite"}),
        ("suite.add('a benchmark', run)", {}),
        ("test('', run)", {}),
    ],
)
def test_a_test_of_javascript_is_called_by_its_whole_text(call: str, named: dict[str, str]) -> None:
    data = f"{call}\n".encode()
    for path in (b"a.test.js", b"a.test.ts"):
        symbols = outline_and_tree(language_of(path, data), data, LineTable(data), Deadline(5.0))[0].symbols
        assert {one.name: one.kind for one in symbols} == named


def test_a_test_of_ruby_is_called_by_its_whole_text() -> None:
    data = b'describe "a #{name}\\"s cart" do\n  it("is empty") { 1 }\nend\n'
    symbols = outline_and_tree(language_of(b"a_spec.rb", data), data, LineTable(data), Deadline(5.0))[0].symbols
    assert [one.name for one in symbols] == ['a #{name}"s cart', "is empty"]


@pytest.mark.parametrize(
    ("written", "claimed"),
    [
        (r"/* \u002a\u002f int dead; */", {"A", "A.a"}),
        (r"// \u000a int other;", {"A", "A.a"}),
        (r'String s = "\u0022; int b = 1; //";', {"A", "A.a"}),
        (r"\u002f\u002a", {"A", "A.a"}),
        (r'char c = "\u0000\u001b \\u0022"; // \u0041', {"A", "A.a", "A.c", "A.z"}),
    ],
)
def test_what_a_unicode_escape_of_java_may_hide_or_show_is_claimed_by_no_place(written: str, claimed: set[str]) -> None:
    data = f"class A {{\n  int a = 1;\n  {written}\n  void z() {{}}\n}}\n".encode()
    symbols = outline_and_tree(language_of(b"A.java", data), data, LineTable(data), Deadline(5.0))[0].symbols
    assert {".".join((*one.trail, one.name)) for one in symbols if one.is_sure} == claimed - (
        {"A"} if "A.z" not in claimed else set()
    )
    assert "z" in {one.name for one in symbols} or "u002f" in written


def test_a_class_of_c_sharp_keeps_its_name_with_directives_in_its_head() -> None:
    data = (
        b"public class Log : ILog\n#if ASYNC\n    , IAsync\n#else\n    , ISync\n#endif\n{\n    void Write() { }\n"
        b"#if X\n    void Other() { }\n#endif\n    enum E {\n        One,\n#if B\n        Two,\n#endif\n    }\n}\n"
    )
    outlined, _, has_errors = outline_and_tree(language_of(b"A.cs", data), data, LineTable(data), Deadline(5.0))
    assert not has_errors
    names = [".".join((*one.trail, one.name)) for one in outlined.symbols if one.is_sure]
    assert names == ["Log", "Log.Write", "Log.Other", "Log.E", "Log.E.One", "Log.E.Two"]


def test_a_member_of_a_type_that_no_name_holds_is_no_definition() -> None:
    text = "type A = { one: { two: string } }\nclass K { p: { q: string } }\nconst m = make<{ foo: string }>({})\n"
    data = f"{text}function f(a: {{ z: string }}): {{ y(): void }} {{}}\nnode!.next!.run = function () {{}}\n".encode()
    symbols = outline_and_tree(language_of(b"a.ts", data), data, LineTable(data), Deadline(5.0))[0].symbols
    names = {".".join((*one.trail, one.name)) for one in symbols}
    assert names == {"A", "A.one", "A.one.two", "K", "K.p", "K.p.q", "m", "f", "node.next.run"}


@pytest.mark.parametrize(
    ("name", "kind", "tested"),
    [
        ("test_foo", "function", "foo"),
        ("testFoo", "method", "Foo"),
        ("TestFoo", "class", "Foo"),
        ("FooTest", "class", "Foo"),
        ("FooTests", "class", "Foo"),
        ("FooTestCase", "class", "Foo"),
        ("Test_Foo", "function", "Foo"),
        ("BenchmarkFoo", "function", "Foo"),
        ("testament", "function", ""),
        ("TestCase", "class", "Case"),
        ("test", "function", ""),
        ("createStore", "suite", "createStore"),
        ("does a thing", "test", ""),
    ],
)
def test_the_name_of_a_test_tells_what_it_tests(name: str, kind: str, tested: str) -> None:
    assert document.tested_name(name, kind) == tested


@pytest.mark.parametrize(
    ("path", "tested"),
    [
        (b"tests/test_store.py", "store"),
        (b"a/store_test.go", "store"),
        (b"src/store.test.ts", "store"),
        (b"StoreTest.java", "Store"),
        (b"spec/store_spec.rb", "store"),
        (b"tests/conftest.py", ""),
    ],
)
def test_the_name_of_a_test_file_tells_what_it_tests(path: bytes, tested: str) -> None:
    assert document.tested_file(path) == tested


def test_a_function_called_test_is_a_test_only_where_tests_are() -> None:
    source = b"def test_client():\n    return 1\n"
    assert ingest(b"src/app.py", source).chunks[0].tests == ()
    assert "client" in ingest(b"tests/test_app.py", source).chunks[0].tests


def test_references_are_distinct_names_without_reserved_words() -> None:
    assert document.references(b"if foo.bar(foo, ab, i): return None", frozenset({"if", "return"})) == "foo bar ab"
    assert document.references("if größe.bar(0xbar, 12): return".encode(), frozenset({"if", "return"})) == "größe bar"
    assert document.references(b"__all__ 1e5 x_1 0xff", frozenset()) == "__all__ x_1"


def test_comment_text_loses_its_markers() -> None:
    assert document.plain("/** Reads\n * things. */\n# and\n// more") == "Reads things. and more"


@pytest.mark.parametrize(
    ("path", "never", "text"),
    [
        (b"a.c", "0", "int {}(int x) {{\n  return x;\n}}\n"),
        (b"a.cpp", "false", "int {}(int x) {{\n  return x;\n}}\n"),
        (b"a.cs", "false", "class {} {{\n  int x = 1;\n}}\n"),
        (b"a.swift", "false", "class {} {{\n  let x = 1\n}}\n"),
    ],
)
def test_what_the_preprocessor_always_drops_is_no_symbol(path: bytes, never: str, text: str) -> None:
    one, two, three = (text.format(name) for name in ("dropped", "other", "kept"))
    data = f"#if {never}\n{one}#if X\n{one}#endif\n#else\n{two}#endif\n{three}"
    names = {name for name, _ in _definitions(ingest(path, data.encode()))}
    assert names & {"dropped", "other", "kept"} == {"other", "kept"}


@pytest.mark.parametrize("path", [b"heap.h", b"heap.c", b"heap.cpp"])
def test_a_function_that_a_macro_wraps_is_found_by_its_own_name(path: bytes) -> None:
    data = """#ifndef HEAP_H
#define HEAP_H
#define EXPORT(declaration) static declaration

EXPORT(void heap_init(struct heap* heap));

EXPORT(struct node* heap_min(const struct heap* heap)) {
  return heap->min;
}

EXPORT(static void heap_insert(struct heap* heap,
                               compare_fn less_than)) {
  if (heap->min == NULL) {
    heap->count += 1;
  }
}
#endif
"""
    document = ingest(path, data.encode())
    names = _definitions(document)
    assert {("heap_min", "function"), ("heap_insert", "function")} <= names
    assert ("EXPORT", "function") not in names
    assert "heap_init" not in {name for name, _ in names}, "a prototype defines nothing"
    (insert,) = [one for chunk in document.chunks for one in chunk.definitions if one.name == "heap_insert"]
    assert (insert.start_line, insert.end_line) == (11, 16)


def test_a_constructor_that_takes_a_function_keeps_its_name() -> None:
    names = _definitions(ingest(b"a.cpp", b"Button::Button(void on_click(int)) {\n  click = on_click;\n}\n"))
    assert ("Button", "method") in names


CALL_SIGNATURES = """
import type { Handler } from './types'

interface Getter {
  (name: string): string
  <Key extends keyof Names>(name: Key): Names[Key]
}

export interface Factory<E> {
  (handler: Handler): Handler[]
  <
    I extends Input = {},
    R extends Response | void = void,
  >(
    first: Handler<I>,
    second: Handler<R>
  ): [Handler<I>, Handler<R>]
  <T>(only: T): T
}

export class Maker<E> {
  make = (options?: E): Handler => new Handler(options)
}

export const createFactory = <E, P>(init?: { value?: E }): Factory<E> => new Maker<E>(init)
export const TEXT_PLAIN = 'text/plain'
"""


@pytest.mark.parametrize("path", [b"a.ts", b"a.tsx"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_call_signatures_without_semicolons_hide_nothing_behind_them(path: bytes, end: str) -> None:
    found = ingest(path, CALL_SIGNATURES.replace("\n", end).encode())
    assert not found.has_errors
    defined = {one.name: one.start_line for chunk in found.chunks for one in chunk.definitions}
    assert {"Getter", "Factory", "Maker", "make", "createFactory", "TEXT_PLAIN"} <= defined.keys()
    lines = CALL_SIGNATURES.split("\n")
    assert all(name in lines[line - 1] for name, line in defined.items())


def test_elements_that_begin_a_line_are_read_as_elements_where_a_file_is_wrong() -> None:
    text = (
        "const page = (\n  <\n    Box>\n    <A extends />\n  </Box>\n)\nexport const other = () => <B />\nconst = 3\n"
    )
    names = {one.name for chunk in ingest(b"a.tsx", text.encode()).chunks for one in chunk.definitions}
    assert {"page", "other"} <= names


LONG_BODY = "".join(f"  {{name}}{number}(value) {{{{\n    return value + {number};\n  }}}}\n" for number in range(30))
SIBLINGS = {
    b"a.js": (
        "const Reader = class {\n"
        + LONG_BODY.format(name="read")
        + "}, Writer = class {\n"
        + LONG_BODY.format(name="write")
        + "};\nvar one = 1, two = 2;\n",
        {"Reader", "Writer", "Reader.read3", "Writer.write3", "one", "two"},
    ),
    b"a.c": (
        "typedef struct tree_node {\n"
        + "".join(f"  int field_{number};\n" for number in range(60))
        + "  struct tree_node *left, *right;\n} tree_alias, *tree_pointer;\n"
        + "static struct conf_block { int option; } defaults, *current;\nint a = 3, b = 4;\n"
        + "typedef struct { int inner; } anonymous;\n",
        {
            "tree_node",
            "tree_alias",
            "tree_pointer",
            "tree_node.field_3",
            "tree_node.left",
            "tree_node.right",
            "conf_block",
        }
        | {"conf_block.option", "defaults", "current", "a", "b", "anonymous", "anonymous.inner"},
    ),
}


@pytest.mark.parametrize("path", SIBLINGS)
def test_names_of_one_declaration_are_siblings_and_own_no_type_that_is_declared_with_them(path: bytes) -> None:
    text, expected = SIBLINGS[path]
    data = text.encode()
    language = language_of(path, data)
    symbols = outline_and_tree(language, data, LineTable(data), Deadline(5.0))[0].symbols
    chains = {".".join((*one.trail, one.name)) for one in symbols}
    assert expected <= chains
    owners = ("Reader.", "Writer.", "tree_node.", "conf_block.", "anonymous.")
    assert not [chain for chain in chains if "." in chain and not chain.startswith(owners)]
    assert not [chain for chain in chains if chain.count(".") > 1]


def test_a_method_of_another_object_is_no_method_of_the_class_it_stands_in() -> None:
    text = (
        b"class Registry\n  class << Other\n    def foreign(x)\n      x\n    end\n  end\n  def Other.looked_up(x)\n    x\n  end\n"
        b"  class << self\n    def own(x)\n      x\n    end\n  end\n  def self.made(x)\n    x\n  end\n  def Registry.found(x)\n"
        b"    x\n  end\nend\n"
    )
    language = language_of(b"a.rb", text)
    symbols = outline_and_tree(language, text, LineTable(text), Deadline(5.0))[0].symbols
    sure = {one.name: one.is_sure for one in symbols}
    assert sure == {"Registry": True, "foreign": False, "looked_up": False, "own": True, "made": True, "found": True}


@pytest.mark.parametrize(
    ("path", "text", "claimed", "unclaimed"),
    [
        (b"a.c", "struct x { int a; } __packed;\n", {"x", "x.a"}, {"__packed"}),
        (b"a.c", "struct x { int a; } __aligned(4);\n", {"x", "x.a"}, {"__aligned"}),
        (b"a.c", "enum e { A } PACKED;\n", {"e", "e.A"}, {"PACKED"}),
        (b"a.h", "struct z { struct { int b; } __packed; int c; };\n", {"z", "z.b", "z.c"}, {"__packed"}),
        (b"a.h", "typedef struct { int d; } __packed t;\n", set(), {"__packed"}),
        (b"a.h", "typedef struct { int d; } packed t;\n", set(), {"packed"}),
        (b"a.h", "typedef struct { int d; } OK;\nstruct { int d; } ok;\n", {"OK", "OK.d", "ok", "ok.d"}, set()),
        (
            b"a.h",
            "@interface F\n@end\nNS_INLINE int f3(int x) { return x; }\nstruct s { int x; };\n",
            {"s"},
            {"NS_INLINE"},
        ),
        (b"a.cu", "__constant__ int c[3];\n__global__ void k(int *a) { a[0] = 1; }\n", {"k"}, {"int"}),
    ],
)
def test_a_macro_beside_a_declaration_is_no_name_that_is_claimed(
    path: bytes, text: str, claimed: set[str], unclaimed: set[str]
) -> None:
    chains = {chain for _, chain in Chains(path, text.encode(), 5.0).definitions}
    assert claimed <= chains
    assert not {chain for chain in chains if chain.rpartition(".")[2] in unclaimed}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            b"a.cpp",
            "namespace std {\ntemplate <> struct hash<Foo> { int operator()(int a) const { return a; } };\n}\n"
            "template <> struct std::less<Foo> { void less_helper() {} };\nstruct geo::Outer::Inner { void inner() {} };\n"
            "template <typename T>\nstruct made<\n    T, void_t<A>> { void on_lines() {} };\n"
            "template <> union U<int> { int u; };\nenum class A::B : int { C };\n",
            {
                "made< T, void_t<A>>.on_lines",
                "std.hash<Foo>.operator()",
                "std::less<Foo>.less_helper",
                "geo::Outer::Inner.inner",
                "U<int>.u",
                "A::B.C",
            },
        ),
        (
            b"a.rs",
            "impl<'a> Iterator for &'a Tree<u8> { fn next_item(&self) {} }\nimpl Tr for &mut geo::Tree { fn scoped(&self) {} }\n"
            "impl Tr for [u8] { fn on_slice(&self) {} }\nimpl Tr for &str { fn on_str(&self) {} }\nimpl Tr for u8 { fn on_u8(&self) {} }\n"
            "impl Tr for (A, B) { fn on_pair(&self) {} }\nimpl Tr for dyn Other { fn on_dyn(&self) {} }\n"
            "const _: () = { impl Serialize for Point { fn serialize_point(&self) {} } };\n",
            {
                "Tree.next_item",
                "Tree.scoped",
                "[u8].on_slice",
                "str.on_str",
                "u8.on_u8",
                "(A, B).on_pair",
                "dyn Other.on_dyn",
                "Point.serialize_point",
            },
        ),
        (
            b"a.kt",
            "class Alpha {\n    companion object {\n        fun compute() {\n        }\n    }\n}\n\n"
            "class Beta {\n    companion object Named {\n        fun named() {\n        }\n    }\n}\n",
            {"Alpha.Companion.compute", "Beta.Named.named"},
        ),
    ],
)
def test_a_member_stands_under_its_type_however_that_is_written(path: bytes, text: str, expected: set[str]) -> None:
    chains = {chain for _, chain in Chains(path, text.encode(), 5.0).definitions}
    assert expected <= chains
    assert not {chain.rpartition(".")[2] for chain in expected} & chains


MEMBERS: dict[str, tuple[bytes, str, set[str], set[str]]] = {
    "properties": (
        b"store.js",
        "export const store = {\n  mutations: {\n    rename(state) {},\n    'on-off': { toggle() {} },\n  },\n"
        "  actions: { rename: () => {}, [Keys.a]: { press() {} }, made: class { made_by() {} } },\n};\n"
        "function setup() {\n  const handlers = { click() {} }\n  this.later = { tap() {} }\n}\n"
        "module.exports = { load() {} }\nregister({ hooks: { before() {} } })\n",
        {
            *("store", "store.mutations.rename", "store.mutations.on-off.toggle", "store.actions.rename"),
            *("store.actions.[Keys.a].press", "store.actions.made.made_by", "setup", "setup.handlers.click"),
            *("setup.later.tap", "module.exports", "module.exports.load", "hooks.before"),
        },
        set(),
    ),
    "prototype": (
        b"k.js",
        "K.prototype = {\n  one() {},\n  two: function () {},\n}\nfunction f() {\n  L.prototype = { three() {} }\n}\n",
        {"K.prototype", "K.one", "K.two", "f", "f.L.three"},
        set(),
    ),
    "lua": (
        b"a.lua",
        "local T = { a = { b = function() end } }\nM.on = { click = { run = function() end }, ['x'] = { go = function() end } }\n",
        {"T", "T.a.b", "M.on.click.run", "M.on.x.go"},
        set(),
    ),
    "typescript": (
        b"a.ts",
        "class R<T extends { hash(): string }> {\n  held = class { q() {} }\n  cast = { k() {} } as Keys\n"
        "  static { register({ on() {} }) }\n  @Watch({ watched() {} }) count = 1\n  find() {}\n}\n"
        "class S extends mixed({ mix() {} }) {}\nuse(class { given() {} })\nuse(class Named { run() {} })\n"
        "const A = class B { own() {} }\n",
        {*("R", "R.held", "R.held.q", "R.cast", "R.cast.k", "R.count", "R.find", "S", "Named.run", "A", "A.own")},
        {"on", "watched", "mix", "given"},
    ),
    "java": (
        b"A.java",
        "class A {\n  L held = new L() { void h() {} };\n  { bus.add(new L() { void i() {} }); }\n"
        "  static { class Local {} }\n  void m() { bus.add(new L() { void j() {} }); }\n"
        "  enum E { X { void k() {} } }\n}\n",
        {"A", "A.held", "A.held.h", "A.m", "A.E", "A.E.X", "A.E.X.k"},
        {"i", "Local", "j"},
    ),
    "kotlin": (
        b"a.kt",
        "class A(b: B) : C(object : D {\n    fun d() {\n        x()\n    }\n}) {\n    init {\n        b.add(object : L {\n"
        "            fun i() {\n                x()\n            }\n        })\n    }\n    val held = object : L {\n"
        "        fun h() {\n            x()\n        }\n    }\n    companion object {\n        fun c() {\n            x()\n"
        "        }\n    }\n}\nclass N {\n    companion object Factory : X() {\n        fun f() {\n            x()\n"
        "        }\n    }\n}\n",
        {"A", "A.held", "A.held.h", "A.Companion", "A.Companion.c", "N", "N.Factory", "N.Factory.f"},
        {"d", "i"},
    ),
    "scala": (
        b"a.scala",
        "class A(r: R) extends B(new C { def c(): Unit = {} }) {\n  given Ordering[A] with { def o(a: A): Int = 1 }\n"
        "  given named: Ordering[A] with { def p(a: A): Int = 1 }\n  r.add(new L { def l(): Unit = {} })\n"
        "  val held = new L { def h(): Unit = {} }\n}\n",
        {"A", "A.named", "A.named.p", "A.held", "A.held.h"},
        {"c", "o", "l"},
    ),
    "php": (
        b"a.php",
        "<?php\nclass A { function m() { return new class { function n() {} }; } }\n",
        {"A", "A.m"},
        {"n"},
    ),
    "ruby": (
        b"a.rb",
        "module M\n  class A\n    String.class_eval do\n      def a; end\n    end\n    refine(Integer) { def b; end }\n"
        "    included do\n      def c; end\n    end\n    resource :x do\n      def d; end\n    end\n"
        "    x = Class.new(B) do\n      def e; end\n    end\n    P = Struct.new(:x) do\n      def f; end\n    end\n"
        "    %w[a b].each do |one|\n      def g; end\n    end\n    class ::Top\n      def h; end\n    end\n  end\nend\n"
        "task :x do\n  def i; end\nend\n",
        {"M", "M.A", "M.A.P", "M.A.P.f", "M.A.g", "Top", "Top.h", "i"},
        {"a", "b", "c", "d", "e"},
    ),
    "friends": (
        b"a.cpp",
        "namespace geo {\nclass V {\n  friend int dot(V a, V b) { return 1; }\n  template <class T>\n"
        "  friend bool operator==(T a, V b) { return true; }\n  int own(V a) { return 1; }\n"
        "  struct In {\n    friend void in(In a) {}\n  };\n};\n}\n",
        {"geo", "geo.V", "geo.dot", "geo.operator==", "geo.V.own", "geo.V.In", "geo.in"},
        set(),
    ),
    "c_sharp": (
        b"A.cs",
        "namespace N {\nclass A { A() { } ~A() { } }\n"
        "static class S { extension(string s) { public int Count() { return 1; } } }\n}\n",
        {"N", "N.A", "N.A.A", "N.A.~A", "N.S", "N.S.Count"},
        {"extension"},
    ),
    "hoisted in php": (
        b"a.php",
        "<?php\nnamespace N {\nfunction f() {\n  function g() {}\n  class K { function m() { function h() {} } }\n"
        "  interface I {}\n  $x = function () { function i() {} };\n}\n}\n",
        {"N", "N.f", "N.g", "N.K", "N.K.m", "N.h", "N.I", "N.i"},
        set(),
    ),
    "hoisted in a shell": (
        b"a.sh",
        "f() {\n  g() {\n    h() {\n      :\n    }\n  }\n}\n",
        {"f", "g", "h"},
        set(),
    ),
    "hoisted in lua": (
        b"a.lua",
        "local M, q = {}\nfunction f(self, P)\n  function g() end\n  local function l() end\n  local late, K = 1\n"
        "  function late() end\n  M.m = function() end\n  function M:n() end\n  function K.k() end\n"
        "  function P.p() end\n  function self.s() end\n  q = function() end\n  local o = function() end\n"
        "  for i in pairs(M) do\n    i.t = function() end\n    function u() end\n  end\n  if x then\n"
        "    local v\n  end\n  function v() end\nend\n",
        {"M", "q", "f", "g", "f.l", "f.late", "M.m", "M.n", "f.K.k", "f.P.p", "f.self.s", "f.o", "f.i.t", "u", "v"},
        set(),
    ),
    "implemented in a block of rust": (
        b"a.rs",
        "const NAMED: () = {\n    impl Point { fn a(&self) {} }\n    struct Own;\n    impl Own { fn b(&self) {} }\n};\n"
        "mod m {\n    fn f() {\n        impl super::Point { fn c(&self) {} }\n        enum E { V }\n"
        "        impl From<E> for u8 { fn d() {} }\n    }\n}\n",
        {"NAMED", "Point", "Point.a", "NAMED.Own", "NAMED.Own.b", "m", "m.f", "m.Point", "m.Point.c", "m.f.E", "m.f.E.V"}
        | {"m.u8", "m.u8.d"},
        set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("sample", MEMBERS)
def test_a_chain_names_what_a_definition_is_a_member_of_or_is_not_claimed(sample: str) -> None:
    path, text, claimed, unclaimed = MEMBERS[sample]
    data = text.encode()
    language = language_of(path, data)
    symbols = outline_and_tree(language, data, LineTable(data), Deadline(5.0))[0].symbols
    assert {".".join((*one.trail, one.name)) for one in symbols if one.is_sure} == claimed
    assert {one.name for one in symbols if not one.is_sure} == unclaimed


def test_a_method_of_an_anonymous_class_is_found_and_claimed_by_no_place() -> None:
    body = "".join(f"          log({row});\n" for row in range(30))
    text = f"class Screen {{\n  {{\n    bus.add(new Listener() {{\n        void onEvent() {{\n{body}        }}\n    }});\n  }}\n"
    text += f"  void draw() {{\n{body}  }}\n}}\n"
    document = ingest(b"Screen.java", text.encode())
    assert {str(chunk.name): chunk.is_claimed for chunk in document.chunks if chunk.kind == "method"} == {
        "onEvent": False,
        "draw": True,
    }
    event = _chunk(document, "onEvent")
    chains = Chains(b"Screen.java", text.encode(), 5.0)
    assert chains.label(event.start_byte, event.end_byte).symbol == ""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            b"a.go",
            "package a\nvar first, second = func() {\n\ta()\n}, func() {\n\tb()\n}\nconst k, l = 1, 2\nconst (\n\t_, Three = iota, iota\n)\n",
            [("first", 2, 4), ("second", 4, 6), ("k", 7, 7), ("l", 7, 7), ("Three", 9, 9)],
        ),
        (
            b"a.cs",
            "class B {\n  static Action first = () => {\n    A();\n  }, second = () => {\n    C();\n  };\n  int one = 1, two = 2;\n}\n",
            [("B", 1, 8), ("B.first", 2, 4), ("B.second", 4, 6), ("B.one", 7, 7), ("B.two", 7, 7)],
        ),
        (
            b"a.lua",
            "local first, second = function()\n  a()\nend, function()\n  b()\nend\nM.one, limit = function()\n  a()\nend, 3\nlocal p, q = 1, 2\n",
            [("first", 1, 3), ("second", 3, 5), ("M.one", 6, 8), ("limit", 8, 8), ("p", 9, 9), ("q", 9, 9)],
        ),
        (
            b"a.py",
            "first, second = [\n    1,\n], [\n    2,\n]\n(third, _) = 1, 2\nif (found := 3): pass\nclass A:\n    low, high = 1, 2\n",
            [("first", 1, 3), ("second", 3, 5), ("third", 6, 6), ("found", 7, 7), ("A", 8, 9), ("A.low", 9, 9), ("A.high", 9, 9)],
        ),
        (
            b"a.go",
            "package a\nvar p, q = pair(func() int {\n\treturn 1\n})\nvar r, s = pair()\nvar t, u int\n",
            [("p ?", 2, 2), ("q ?", 2, 4), ("r", 5, 5), ("s", 5, 5), ("t", 6, 6), ("u", 6, 6)],
        ),
        (b"a.py", "p, q = pair(\n    1,\n)\nr, s = pair(1)\n", [("p ?", 1, 1), ("q ?", 1, 3), ("r", 4, 4), ("s", 4, 4)]),
        (b"a.lua", "local p, q = pair(\n  1\n)\nlocal r = pair(\n  1\n)\n", [("p ?", 1, 1), ("q ?", 1, 3), ("r", 4, 6)]),
    ],
)  # fmt: skip
def test_each_name_of_a_list_of_names_has_its_own_value(
    path: bytes, text: str, expected: list[tuple[str, int, int]]
) -> None:
    data = text.encode()
    lines = LineTable(data)
    symbols = outline_and_tree(language_of(path, data), data, lines, Deadline(5.0))[0].symbols
    found = [
        (
            ".".join((*one.trail, one.name)) + " ?" * (not one.is_sure),
            lines.row(one.start) + 1,
            lines.row(one.end - 1) + 1,
        )
        for one in symbols
    ]
    assert found == expected


def test_the_result_of_a_function_of_a_swift_protocol_is_no_definition() -> None:
    source = b"protocol P {\n  func z(a: Int) -> Size\n  static func y() throws -> [Size]\n}\n"
    assert _definitions(ingest(b"a.swift", source)) == {("P", "interface"), ("z", "declaration"), ("y", "declaration")}
