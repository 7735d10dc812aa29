"""Who uses a definition is told by import, receiver and scope; what only has its name is marked, or left out."""

import time

import pytest

from helix_core.engine.symbols.receivers import (
    LITERAL,
    Binding,
    Made,
    Step,
    bindings,
    chain_before,
    chain_of_value,
    made_of,
    type_words,
)
from helix_core.engine.verdict import code_lines
from helix_core.engine.verdict.spans import line_like_definition
from tests.engine.repository import begin, write


def indexed(tmp_path, open_helix, files):
    folder = tmp_path / "project"
    write(folder, files)
    engine = open_helix(folder)
    engine.refresh()
    return engine


def told(engine, name, **more):
    """The lines that use a name for sure, and those that only have it."""
    known = engine.symbols.about(name, k=40, **more)
    places = [*known["users"], *known["tests"]]
    return tuple(
        sorted(f"{one['source_id']}:{one['start_line']}" for one in places if bool(one.get("by_name")) is by_name)
        for by_name in (False, True)
    )


PYTHON = {
    "app/__init__.py": "",
    "app/lock.py": "class Lock:\n    def create(self):\n        return 1\n\n"
    "    def renew(self):\n        self.create()\n",
    "app/wire.py": "def create(size):\n    return size\n\n\ndef twice(create=2):\n    return create * 2\n",
    "app/start.py": "from app import wire\nfrom app.lock import Lock\n\n\ndef start(other):\n"
    "    lock = Lock()\n    lock.create()\n    wire.create(3)\n    other.create()\n    return dict(create=1)\n",
    "app/begin.py": "from app.wire import create as make\nfrom app.wire import create\n\n\ndef begin(pool):\n"
    "    pool.create()\n    return create(3)\n",
    "app/held.py": "from app.lock import Lock\n\n\nclass Holder:\n    def __init__(self, lock: Lock):\n"
    "        self.lock = lock\n\n    def hold(self):\n        self.lock.create()\n",
    "app/below.py": "from app.lock import Lock\n\n\nclass Own(Lock):\n    def create(self):\n"
    "        return super().create()\n\n    def again(self):\n        return self.create()\n\n\n"
    "class Plain(Lock):\n    def again(self):\n        return self.create()\n",
    "app/page.svg": '<svg><create offset="0"/></svg>\n',
    "app/text.py": 'import os\n\n\ndef say():\n    os.create()\n    return "create it"\n',
}


def test_a_method_and_a_function_of_one_name_have_their_own_users(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, PYTHON)
    sure, by_name = told(engine, "Lock.create")
    assert sure == ["app/below.py:14", "app/below.py:6", "app/held.py:9", "app/lock.py:6", "app/start.py:7"]
    assert by_name == [], "one place a function, and the sure one of it"
    for asked in ("wire.create", "app.wire.create"):
        assert told(engine, asked) == (["app/begin.py:1", "app/begin.py:7", "app/start.py:8"], [])
    (user,) = [one for one in engine.symbols.about("Own.create", k=9)["users"] if not one.get("by_name")]
    assert (user["start_line"], user["symbol"]) == (9, "Own.again")


@pytest.mark.parametrize(
    ("files", "asked", "used"),
    [
        (
            {
                "pkg/core.py": "def compute_tax(amount):\n    return amount\n",
                "pkg/use.py": "from pkg.core import (\n    compute_tax as tax,\n)\n\nTOTAL = tax(5)\n\n\n"
                "def run(n):\n    return tax(n)\n\n\ndef other(tax):\n    return tax(1)\n\n\n"
                "def third(bill):\n    return bill.tax(1), dict(tax=2), 'tax'\n",
                "pkg/lazy.py": "def run():\n    from pkg.core import compute_tax as tax\n\n    return tax(5)\n",
                "pkg/alone.py": "from pkg.core import compute_tax as tax\n",
                "tests/test_core.py": "from pkg.core import compute_tax as tax\n\n\ndef test_tax():\n"
                "    assert tax(1) == 1\n",
                "pkg/foreign.py": "from stripe import compute_tax as tax\n\nA = tax(1)\n",
            },
            "compute_tax",
            [
                *("pkg/alone.py:1", "pkg/lazy.py:4", "pkg/use.py:2", "pkg/use.py:5", "pkg/use.py:9"),
                *("tests/test_core.py:1", "tests/test_core.py:5"),
            ],
        ),
        (
            {
                "src/core.ts": "export function computeTax(a: number) {\n  return a;\n}\n",
                "src/use.ts": "import { computeTax as tax, type Other } from './core';\n\n"
                "export function run() {\n  return tax(5);\n}\n\nexport const KEYS = {\n  tax: 1,\n};\n",
                "src/old.js": "const { computeTax: tax } = require('./core');\n\ntax(3);\n",
                "src/again.ts": "export { computeTax as tax } from './core';\n",
            },
            "computeTax",
            ["src/again.ts:1", "src/old.js:1", "src/old.js:3", "src/use.ts:1", "src/use.ts:4"],
        ),
        (
            {
                "Cargo.toml": "[package]\nname = 'x'\n",
                "src/core.rs": "pub fn compute_tax(a: i32) -> i32 {\n    a\n}\n",
                "src/main.rs": "mod core;\nuse crate::core::compute_tax as tax;\n\nfn main() {\n    tax(5);\n}\n",
            },
            "compute_tax",
            ["src/main.rs:2", "src/main.rs:5"],
        ),
        (
            {
                "go.mod": "module x\n",
                "core/core.go": "package core\n\nfunc ComputeTax(a int) int {\n\treturn a\n}\n",
                "main.go": 'package main\n\nimport tax "x/core"\n\nfunc main() {\n\ttax.ComputeTax(5)\n}\n',
            },
            "ComputeTax",
            ["main.go:6"],
        ),
    ],
)
def test_what_is_imported_under_another_name_is_used_under_that_name(tmp_path, open_helix, files, asked, used):
    engine = indexed(tmp_path, open_helix, files)
    assert told(engine, asked) == (used, [])
    known = engine.symbols.about(asked)
    assert known["users_total"] + known["tests_total"] == len(used)


def test_what_a_change_reaches_follows_no_bare_name(tmp_path, open_helix):
    files = {
        "app/sock.py": "def close_all():\n    return 1\n",
        "app/main.py": "from app.sock import close_all\n\n\nclass Main:\n    def stop(self):\n        close_all()\n\n"
        "    def halt(self):\n        self.stop()\n",
        "app/other.py": "class Other:\n    def stop(self):\n        return 2\n\n"
        "    def end(self):\n        self.stop()\n",
        "app/server.py": "def run(server, stop=False):\n    server.stop()\n    return stop\n",
        "app/image.svg": '<svg><stop offset="0"/></svg>\n',
    }
    engine = indexed(tmp_path, open_helix, files)
    reached = engine.symbols.about("close_all", k=10, depth=2)["reached"]
    assert [(one["source_id"], one["symbol"], one["via"]) for one in reached] == [
        ("app/main.py", "Main.halt", "Main.stop")
    ]


JAVA = {
    "src/a/Lock.java": "package a;\n\npublic class Lock {\n  public int unbar() {\n    return 1;\n  }\n\n"
    "  public Lock with(int size) {\n    return this;\n  }\n\n  void again() {\n    unbar();\n  }\n}\n",
    "src/a/Door.java": "package a;\n\npublic class Door {\n  public int unbar() {\n    return 2;\n  }\n\n"
    "  void again() {\n    unbar();\n  }\n}\n",
    "src/b/Use.java": "package b;\n\nimport a.Door;\nimport a.Lock;\n\nclass Use {\n  private final Lock held;\n\n"
    "  void one(Lock lock) {\n    lock.unbar();\n  }\n\n  void two(Door door) {\n    door.unbar();\n  }\n\n"
    "  void three() {\n    held.unbar();\n  }\n\n  void four() {\n    new Lock()\n        .with(3)\n"
    "        .unbar();\n  }\n\n"
    "  void five(java.io.File file, Object lockLike) {\n    file.unbar();\n  }\n}\n",
}
TYPESCRIPT = {
    "src/lock.ts": "export class Lock {\n  unbar(): number {\n    return 1;\n  }\n  again() {\n"
    "    this.unbar();\n  }\n}\n",
    "src/door.ts": "export class Door {\n  unbar(): number {\n    return 2;\n  }\n}\n",
    "src/use.ts": "import { Door } from './door';\nimport { Lock } from './lock';\n\n"
    "export function one(lock: Lock) {\n"
    "  lock.unbar();\n}\n\nexport function two() {\n  const door = new Door();\n  door.unbar();\n}\n\n"
    "export function three() {\n  const lock = new Lock();\n  return lock.unbar();\n}\n\n"
    "export function four() {\n  return { unbar: 1 };\n}\n",
}
GO = {
    "lock/lock.go": "package lock\n\ntype Lock struct{}\n\nfunc NewLock() *Lock {\n\treturn &Lock{}\n}\n\n"
    "func (l *Lock) Unbar() int {\n\treturn 1\n}\n\nfunc (l *Lock) Again() int {\n\treturn l.Unbar()\n}\n",
    "door/door.go": "package door\n\ntype Door struct{}\n\nfunc (d *Door) Unbar() int {\n\treturn 2\n}\n",
    "use/use.go": 'package use\n\nimport (\n\t"example.org/x/door"\n\t"example.org/x/lock"\n)\n\n'
    "func One(l *lock.Lock) {\n\tl.Unbar()\n}\n\nfunc Two(d *door.Door) {\n\td.Unbar()\n}\n\n"
    "func Three() {\n\tl := lock.NewLock()\n\tl.Unbar()\n}\n",
}
RUST = {
    "src/lock.rs": "pub struct Lock;\n\nimpl Lock {\n    pub fn new() -> Self {\n        Lock\n    }\n\n"
    "    pub fn unbar(&self) -> u32 {\n        1\n    }\n\n    fn again(&self) -> u32 {\n"
    "        self.unbar()\n    }\n}\n",
    "src/door.rs": "pub struct Door;\n\nimpl Door {\n    pub fn unbar(&self) -> u32 {\n        2\n    }\n\n"
    "    fn again(&self) -> u32 {\n        self.unbar()\n    }\n}\n",
    "src/use_it.rs": "use crate::door::Door;\nuse crate::lock::Lock;\n\nfn one(lock: &Lock) -> u32 {\n"
    "    lock.unbar()\n}\n\n"
    "fn two(door: &Door) -> u32 {\n    door.unbar()\n}\n\nfn three() -> u32 {\n    let lock = Lock::new();\n"
    "    lock.unbar()\n}\n",
}
KOTLIN = {
    "src/Lock.kt": "package a\n\nclass Lock {\n    fun unbar(): Int {\n        return 1\n    }\n\n"
    "    fun again(): Int {\n"
    "        return unbar()\n    }\n}\n",
    "src/Door.kt": "package a\n\nclass Door {\n    fun unbar(): Int {\n        return 2\n    }\n\n"
    "    fun again(): Int {\n"
    "        return unbar()\n    }\n}\n",
    "src/Use.kt": "package a\n\nfun one(lock: Lock): Int {\n    return lock.unbar()\n}\n\n"
    "fun two(door: Door): Int {\n"
    "    return door.unbar()\n}\n\nfun three(): Int {\n    val lock = Lock()\n    return lock.unbar()\n}\n",
}
CPP = {
    "lock.hpp": "class Lock {\npublic:\n    int unbar();\n    int again();\n};\n",
    "lock.cpp": '#include "lock.hpp"\n\nint Lock::unbar() {\n    return 1;\n}\n\nint Lock::again() {\n'
    "    return unbar();\n}\n",
    "door.hpp": "class Door {\npublic:\n    int unbar() {\n        return 2;\n    }\n    int again() {\n"
    "        return unbar();\n"
    "    }\n};\n",
    "use.cpp": '#include "door.hpp"\n#include "lock.hpp"\n\nint one(Lock& lock) {\n    return lock.unbar();\n}\n\n'
    "int two(Door* door) {\n    return door->unbar();\n}\n\nint three() {\n    Lock lock;\n"
    "    return lock.unbar();\n}\n",
}
RUBY = {
    "lock.rb": "class Lock\n  def unbar\n    1\n  end\n\n  def again\n    self.unbar\n  end\nend\n",
    "door.rb": "class Door\n  def unbar\n    2\n  end\n\n  def again\n    self.unbar\n  end\nend\n",
    "use.rb": "def one\n  lock = Lock.new\n  lock.unbar\nend\n\ndef two\n  door = Door.new\n  door.unbar\nend\n",
}


@pytest.mark.parametrize(
    ("files", "asked", "used"),
    [
        pytest.param(
            JAVA,
            "Lock.unbar",
            ["src/a/Lock.java:13", "src/b/Use.java:10", "src/b/Use.java:18", "src/b/Use.java:24"],
            id="java",
        ),
        pytest.param(TYPESCRIPT, "Lock.unbar", ["src/lock.ts:6", "src/use.ts:15", "src/use.ts:5"], id="typescript"),
        pytest.param(GO, "Lock.Unbar", ["lock/lock.go:14", "use/use.go:18", "use/use.go:9"], id="go"),
        pytest.param(RUST, "Lock.unbar", ["src/lock.rs:13", "src/use_it.rs:14", "src/use_it.rs:5"], id="rust"),
        pytest.param(KOTLIN, "Lock.unbar", ["src/Lock.kt:9", "src/Use.kt:13", "src/Use.kt:4"], id="kotlin"),
        pytest.param(CPP, "Lock.unbar", ["lock.cpp:8", "use.cpp:14", "use.cpp:5"], id="cpp"),
        pytest.param(RUBY, "Lock.unbar", ["lock.rb:7", "use.rb:3"], id="ruby"),
    ],
)
def test_a_method_is_used_where_its_class_is_known_in_every_language(tmp_path, open_helix, files, asked, used):
    sure, by_name = told(indexed(tmp_path, open_helix, files), asked)
    assert sure == used
    assert not {place for place in by_name if not place.startswith("use")}


LOOSE = {
    "lock.py": "class Lock:\n    def open(self):\n        return 1\n\n    def again(self):\n        self.open()\n",
    "door.py": "class Door:\n    def open(self):\n        return 2\n",
    "near.py": "from lock import Lock\n\n\n"
    + "\n\n".join(f"def use_{n}(thing):\n    thing.open()\n" for n in range(9)),
    "far.py": "\n\n".join(f"def use_{n}(thing):\n    thing.open()\n" for n in range(5)),
}


def test_what_is_not_known_is_marked_and_makes_no_total_exact(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, LOOSE)
    known = engine.symbols.about("Lock.open", k=10)
    assert [place["source_id"] for place in known["users"]] == ["lock.py", *["near.py"] * 9]
    assert [bool(place.get("by_name")) for place in known["users"]] == [False, *[True] * 9]
    assert (known["users_total"], known["totals_exact"]) == (10, False)
    assert (
        "5 lines more have the name open, of which the text does not tell whose it is; find them with grep"
        in (known["notes"])
    )


def test_a_total_is_the_same_however_many_places_are_asked_for(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, LOOSE)
    answers = [engine.symbols.about("Lock.open", k=k) for k in (1, 3, 5, 40)] + [engine.symbols.about("Lock.open")]
    assert {(one["users_total"], one["tests_total"], one["totals_exact"], *one["notes"]) for one in answers} == {
        (10, 0, False, *answers[0]["notes"])
    }
    assert [len(one["users"]) for one in answers] == [1, 3, 5, 10, 5]
    few, page = [], ""
    for _ in range(4):
        answer = engine.symbols.about("Lock.open", k=3, page=page)
        few += [(place["source_id"], place["start_line"]) for place in answer["users"]]
        page = answer["next_page"]
    assert page == ""
    assert len(set(few)) == len(few) == 10


def test_a_hover_lists_few_of_what_only_has_the_name(tmp_path, open_helix):
    known = indexed(tmp_path, open_helix, LOOSE).symbols.about("Lock.open", k=None)
    assert sum(bool(place.get("by_name")) for place in known["users"]) == 3
    assert not known["totals_exact"]


def test_what_is_handed_on_by_a_package_is_used_by_who_imports_it_there(tmp_path, open_helix):
    files = {
        "shop/__init__.py": "from shop.prices import total\n",
        "shop/prices.py": "def total(lines):\n    return lines\n",
        "shop/hours.py": "def total(days):\n    return days\n",
        "user.py": "from shop import total\n\n\ndef use():\n    return total([])\n",
        "worker.py": "import shop\nfrom shop.hours import total\n\n\ndef work():\n    return total(3)\n\n\n"
        "def sell():\n    return shop.total([])\n",
    }
    engine = indexed(tmp_path, open_helix, files)
    assert told(engine, "prices.total") == (["shop/__init__.py:1", "user.py:5", "worker.py:10"], [])
    assert told(engine, "hours.total") == (["worker.py:6"], [])


@pytest.mark.parametrize(
    ("before", "chain"),
    [
        ("x = create", None),
        ("return ", None),
        ("range(1..", None),
        ("self.", (Step("self"),)),
        ("a.b(1, (2)).", (Step("a"), Step("b", True))),
        ("new Lock().with(3)\n    .", (Step("Lock", True), Step("with", True))),
        ("Lock::<u8>::", (Step("Lock"),)),
        ("lock->", (Step("lock"),)),
        ("x?.", (Step("x"),)),
        ("''.", LITERAL),
        ("return (a or b).", ()),
        ("items[0].", ()),
    ],
)
def test_what_stands_before_a_name_is_read_backwards(before, chain):
    assert chain_before(before) == chain


@pytest.mark.parametrize(
    ("value", "chain"),
    [
        ("Lock()", (Step("Lock", True),)),
        ("new a.Lock<>(1);", (Step("a"), Step("Lock", True))),
        ("&Lock{size: 3}", (Step("Lock", True),)),
        ("await open().close()", (Step("open", True), Step("close", True))),
        ("a or Lock()", ()),
        ("'text'", LITERAL),
    ],
)
def test_the_value_of_a_variable_is_a_chain_or_nothing(value, chain):
    assert chain_of_value(value) == chain


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Optional[Lock]", ("Lock",)),
        ("'a.Lock' | None", ("a", "Lock")),
        ("&mut Lock<T>", ("Lock",)),
        ("Arc<Lock>", ("Lock",)),
        ("list[Lock]", ("list",)),
        ("Lock[]", ("[]",)),
        ("Lock | Door", ()),
    ],
)
def test_a_type_is_read_without_its_wrappers(written, words):
    assert type_words(written) == words


@pytest.mark.parametrize(
    ("language", "line", "made"),
    [
        ("python", "    lock = Lock()", [Made(value="Lock()")]),
        ("python", "def use(lock: Lock, size):", [Made("Lock")]),
        ("python", "    with Lock() as lock:", [Made(value="Lock()")]),
        ("python", "    for lock in locks:", [Made()]),
        ("python", "    with pool(size=lock, other=1) as door:", []),
        ("java", "  void use(Lock lock) {", [Made("Lock")]),
        ("java", "    return lock;", []),
        ("typescript", "const lock = new Lock();", [Made(value="new Lock();")]),
        ("go", "\tlock, err := open()", [Made(value="open()")]),
        ("rust", "let mut lock: Lock = make();", [Made("Lock", "make();")]),
    ],
)
def test_a_line_says_what_its_variable_is_made_of(language, line, made):
    assert made_of("lock", [line], language) == made


@pytest.mark.parametrize(
    ("language", "text", "bound"),
    [
        ("python", "from a.b import (\n    c,\n    d as e,\n)", {"c": Binding("a.b", "c"), "e": Binding("a.b", "d")}),
        ("python", "import a.b as c", {"c": Binding("a.b")}),
        (
            "typescript",
            "import one, { two as three } from './x'",
            {"one": Binding("./x", "default"), "three": Binding("./x", "two")},
        ),
        ("javascript", "const { a, b: c } = require('./x')", {"a": Binding("./x", "a"), "c": Binding("./x", "b")}),
        ("rust", "use a::{b, c::d as e};", {"b": Binding("a", "b"), "e": Binding("a::c", "d")}),
        ("java", "import a.b.C;", {"C": Binding("a.b.C", "C")}),
        ("go", 'import (\n\t"x.org/a"\n\tb "x.org/c"\n)', {"a": Binding("x.org/a"), "b": Binding("x.org/c")}),
    ],
)
def test_imports_bind_names(language, text, bound):
    assert bindings(text, language) == bound


def test_strings_and_comments_are_no_code_and_offsets_stay():
    text = 'a = "stop # x"  # stop\nb = f"{stop(1)} stop"\n"""\nstop\n"""\nstop()'
    lines = code_lines(text, "python")
    assert [line.count("stop") for line in lines] == [0, 1, 0, 0, 0, 1]
    assert lines[1].index("stop") == 7
    lines = code_lines('int a; /* stop\n stop */ stop(); // stop\nchar *s = "a\\"stop";', "c")
    assert [line.count("stop") for line in lines] == [0, 1, 0]
    assert code_lines("fn a<'a>(x: &'a str) -> &'a str { stop('x') }", "rust")[0].count("stop") == 1


@pytest.mark.parametrize("language", ["python", "java", "typescript", "go", "rust", "cpp", "ruby", "php", "kotlin"])
@pytest.mark.parametrize(
    "piece", ["for x ", "x, ", "x<", "(x ", "import x ", "with x as ", "a.x(", "use a::{x, ", "x = x = ", "/*x", "'x"]
)
def test_no_text_takes_long(language, piece):
    text = piece * (60_000 // len(piece))
    lines = [text[at : at + 390] for at in range(0, 39_000, 390)]
    started = time.process_time()
    made_of("x", lines, language)
    bindings(text, language)
    code_lines(text, language)
    chain_before(text + ".")
    chain_of_value(text)
    assert time.process_time() - started < 10


DEFINING = [
    ("const makeThing = 1", True),
    ("export default async function makeThing(", True),
    ("  pub(crate) async fn makeThing<T>(", True),
    ("func (s *Server) makeThing(", True),
    ("local function Module.makeThing(", True),
    ("function! s:makeThing()", True),
    ("  def self.makeThing", True),
    ("makeThing := 3", True),
    ("class makeThing", True),
    ("makeThing = 3", False),
    ("return makeThing", False),
    ("const other = makeThing", False),
    ("def makeThings(", False),
    ("# def makeThing", False),
    ("// const makeThing = 1", False),
    ("class Other(makeThing)", False),
]


@pytest.mark.parametrize(("line", "reads_like_one"), DEFINING)
def test_a_line_reads_like_a_definition_by_the_word_before_the_name(line, reads_like_one):
    assert line_like_definition(f"first\n{line}\n", "makeThing") == (2 if reads_like_one else 0)


def test_a_name_is_unknown_only_where_no_line_reads_like_its_definition(tmp_path, open_helix):
    files = {
        "run.vim": "function! s:shownBox() abort\n  return 1\nendfunction\n",
        "web/make.py": "def run():\n    madeLater = 2\n    return madeLater\n",
        "web/half.ts": "interface A {{{ (((\nexport const madeLater = (((a) =>\n",
        "web/in.go": "package web\n\nfunc run() int {\n\tinnerName := 2\n\treturn innerName\n}\n",
    }
    unknown = indexed(tmp_path, open_helix, files).symbols.unknown
    assert unknown("no_such_name").startswith("no definition of 'no_such_name' was recognized in the indexed files")
    assert unknown("innerName") == (
        "no definition of 'innerName' was recognized in the indexed files, "
        "but web/in.go:4 reads like a definition: read it"
    )
    assert unknown("madeLater") == (
        "no definition of 'madeLater' was recognized in the indexed files, "
        "but web/half.ts:2 reads like a definition: read it"
    )


def test_the_note_of_an_answer_does_not_deny_a_line_that_reads_like_the_definition(tmp_path, open_helix):
    files = {"web/in.go": "package web\n\nfunc run() int {\n\tinnerName := 2\n\treturn innerName\n}\n"}
    notes = indexed(tmp_path, open_helix, files).search("innerName")["notes"]
    assert any("but web/in.go:4 reads like one" in note for note in notes), notes
    assert not any("defined nowhere" in note for note in notes)


OWNED = {
    "app/__init__.py": "",
    "app/lock.py": "class Lock:\n    def renewLater(self):\n        return 1\n",
    "app/pool.py": "from app.lock import Lock\n\n\ndef run(lock: Lock):\n    lock.renewLater()\n",
}


def test_a_name_with_an_owner_that_is_nowhere_is_not_answered_with_that_of_another(tmp_path, open_helix):
    symbols = indexed(tmp_path, open_helix, OWNED).symbols
    assert symbols.about("Nope.renewLater") is None
    assert symbols.unknown("Nope.renewLater") == (
        "no renewLater was recognized in 'Nope'; there is Lock.renewLater in app/lock.py"
    )


@pytest.mark.parametrize("name", ["Lock.renewLater", "lock.renewLater", "app.lock.Lock.renewLater", "renewLater"])
def test_a_name_with_its_owner_is_answered_without_a_note(tmp_path, open_helix, name):
    known = indexed(tmp_path, open_helix, OWNED).symbols.about(name)
    assert known["symbol"] == "Lock.renewLater"
    assert known["notes"] == []


def test_an_owner_that_is_a_variable_or_another_class_is_said_to_have_no_definition_of_its_own(tmp_path, open_helix):
    files = OWNED | {"app/other.py": "class Other:\n    def run(self, held):\n        held.renewLater()\n"}
    symbols = indexed(tmp_path, open_helix, files).symbols
    for owner in ("held", "Other"):
        known = symbols.about(f"{owner}.renewLater")
        assert known["symbol"] == "Lock.renewLater"
        assert known["notes"] == [f"no renewLater was recognized in '{owner}'; there is Lock.renewLater in app/lock.py"]


FIXTURES = {
    "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef shelf():\n    return []\n\n\n"
    "@pytest.fixture(\n    scope='session',\n)\ndef full_shelf(shelf):\n    return [*shelf, 1]\n",
    "tests/api/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef shelf():\n    return [2]\n",
    "tests/test_shelf.py": "import pytest\n\n\ndef test_one(shelf):\n    assert not shelf\n\n\n"
    "class TestShelf:\n    def test_two(self, shelf, full_shelf):\n        assert full_shelf\n\n"
    "    def helper(self, shelf):\n        return shelf\n",
    "tests/api/test_api.py": "def test_far(shelf):\n    assert shelf == [2]\n",
    "tests/test_own.py": "import pytest\n\n\n@pytest.fixture\ndef shelf():\n    return [3]\n\n\n"
    "def test_own(shelf):\n    assert shelf\n",
}


def test_the_tests_that_ask_for_a_fixture_by_a_parameter_use_it(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, FIXTURES)
    known = engine.symbols.about("shelf", path=b"conftest.py", line=5, k=40)
    found = [(one["source_id"], one["symbol"], bool(one.get("by_name"))) for one in known["tests"]]
    assert found == [
        ("tests/test_shelf.py", "TestShelf.test_two", False),
        ("conftest.py", "full_shelf", False),
        ("tests/test_shelf.py", "test_one", False),
    ]
    assert known["users"] == []
    assert known["totals_exact"]


def test_of_fixtures_of_one_name_the_nearest_is_used(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, FIXTURES)
    for path, user in (
        (b"tests/api/conftest.py", "tests/api/test_api.py:1"),
        (b"tests/test_own.py", "tests/test_own.py:9"),
    ):
        assert told(engine, "shelf", path=path, line=5)[0] == [user]


def test_a_test_that_is_marked_to_use_a_fixture_uses_it(tmp_path, open_helix):
    marked = {
        "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef clean_shelf():\n    yield\n",
        "tests/test_marked.py": "import pytest\n\n\n"
        "@pytest.mark.usefixtures('clean_shelf')\ndef test_one():\n    assert 1\n\n\n"
        "@pytest.mark.usefixtures(\n    'other',\n    'clean_shelf',\n)\ndef test_two():\n    assert 2\n\n\n"
        "def test_three():\n    assert call(usefixtures('x'), 'clean_shelf')\n",
    }
    known = indexed(tmp_path, open_helix, marked).symbols.about("clean_shelf", k=40)
    found = [(one["source_id"], one["start_line"], bool(one.get("by_name"))) for one in known["tests"]]
    assert found == [("tests/test_marked.py", 4, False), ("tests/test_marked.py", 11, False)]


def test_a_test_module_of_rust_is_no_user_of_what_its_file_defines_but_tests_it(tmp_path, open_helix):
    body = "".join(f"        let line_{n} = {n};\n" for n in range(14))
    files = {
        "src/lib.rs": "pub fn parcel_weight(a: u8) -> u8 {\n    a\n}\n\n"
        "pub fn ship_parcel() -> u8 {\n    parcel_weight(1)\n}\n\n"
        f"#[cfg(test)]\nmod tests {{\n    use super::*;\n\n    #[test]\n    fn weighs() {{\n{body}"
        "        assert_eq!(parcel_weight(1), 1);\n    }\n}\n",
    }
    known = indexed(tmp_path, open_helix, files).symbols.about("parcel_weight", k=40)
    assert [one["symbol"] for one in known["users"]] == ["ship_parcel"]
    assert [one["symbol"] for one in known["tests"]] == ["tests.weighs"]


def test_a_member_that_is_named_with_its_owner_has_its_owners_users_and_documents_alone(tmp_path, open_helix):
    folder = tmp_path / "project"
    write(
        folder,
        {
            "arbiter.py": "class Arbiter:\n    def spawn_worker(self):\n        return 1\n",
            "dirty.py": "class DirtyArbiter:\n    def spawn_worker(self):\n        return 2\n",
            "docs/dirty.md": "# Dirty Arbiters\n\nThe Dirty Arbiter calls `self.spawn_worker()`.\n",
            "docs/main.md": "# The Arbiter\n\nIt calls `self.spawn_worker()`.\n",
        },
    )
    helix = open_helix(folder)
    helix.refresh()
    for owner, document in (("Arbiter", "docs/main.md"), ("DirtyArbiter", "docs/dirty.md")):
        known = helix.symbols.about(f"{owner}.spawn_worker")
        assert known["definitions_total"] == 1
        assert [place["source_id"] for place in known["documents"]] == [document]
    both = helix.symbols.about("spawn_worker")
    assert both["definitions_total"] == 2
    assert len(both["documents"]) == 2


BESIDE_IMPORTS = {
    "pkg/__init__.py": "",
    "pkg/core.py": "def compute_tax(amount):\n    return amount\n",
    "pkg/core.js": "export function priceOf(one) {\n  return one\n}\n",
    "pkg/old.js": "const {\n  priceOf,\n} = require('./core.js')\n\npriceOf(4)\n",
    "pkg/use.js": "import {\n  priceOf,\n} from './core.js'\n\npriceOf(3)\n",
    "pkg/use.py": "from pkg.core import (\n    compute_tax,\n)\n\nTOTAL = compute_tax(5)\n",
    "pkg/marks.py": "import pkg.core as core\n\n\n@core.compute_tax\ndef run():\n    pass\n",
    "pkg/only.py": "from pkg.core import \\\n    compute_tax\n\n__all__ = []\n",
    "tests/test_core.py": "from pkg.core import compute_tax\n\nassert compute_tax(1) == 1\n",
}


def test_a_statement_that_stands_with_the_imports_is_a_use(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, BESIDE_IMPORTS)
    assert told(engine, "compute_tax") == (["pkg/marks.py:4", "pkg/use.py:5", "tests/test_core.py:3"], [])
    assert told(engine, "priceOf") == (["pkg/old.js:5", "pkg/use.js:5"], [])
    known = engine.symbols.about("compute_tax", k=40)
    assert (known["users_total"], known["tests_total"], known["totals_exact"]) == (2, 1, True)


@pytest.mark.parametrize(
    ("path", "code", "user", "call"),
    [
        ("shop/cost.py", "def ship_cost(grams):\n    return grams\n", "shop/bill.py", "ship_cost"),
        ("shop/cost.go", "package shop\n\nfunc ShipCost(g int) int {\n\treturn g\n}\n", "shop/bill.go", "ShipCost"),
    ],
)
def test_who_still_uses_a_name_that_is_gone_is_told_with_where_it_was(tmp_path, open_helix, path, code, user, call):
    if path.endswith(".py"):
        using = f"from shop.cost import {call}\n\n\ndef bill(grams):\n    return {call}(grams)\n"
    else:
        using = f"package shop\n\nfunc Bill(g int) int {{\n\treturn {call}(g)\n}}\n"
    folder = begin(tmp_path / "project", {path: code, user: using})
    (folder / path).write_text(code.replace(call, f"{call}Now"))
    helix = open_helix(folder)
    helix.refresh()
    known = helix.symbols.about(call)
    assert (known["symbol"], known["definitions"], known["definitions_total"]) == (call, [], 0)
    assert user in {place["source_id"] for place in known["users"]}
    assert known["notes"][0].startswith(f"{call} was defined in {path}:")
    assert helix.symbols.about("never_was_here") is None


WORKSPACES = {
    "package.json": '{"name": "root", "private": true, "workspaces": ["packages/*"]}\n',
    "packages/lib/package.json": '{"author": {"name": "@x/app"}, "name": "@x/lib", "main": "./dist/index.js"}\n',
    "packages/lib/src/index.ts": 'export * from "./links";\n',
    "packages/lib/src/links.ts": "export function fancyLink(a: number) {\n  return a;\n}\n\nexport class Gadget {\n"
    "  spinUp() {\n    return 1;\n  }\n}\n",
    "packages/app/package.json": '{"name": "@x/app", "dependencies": {"@x/lib": "workspace:*"}}\n',
    "packages/app/src/main.ts": "import { fancyLink, Gadget } from '@x/lib';\n\nexport function main() {\n"
    "  const gadget = new Gadget();\n  gadget.spinUp();\n  return fancyLink(3);\n}\n",
    "packages/app/src/other.ts": "import { fancyLink } from '@y/lib';\n\nexport function other() {\n"
    "  return fancyLink(4);\n}\n",
    "packages/app/src/util/start.ts": "export function start() {\n  return 1;\n}\n",
    "packages/app/src/own.ts": "import { start } from '@/util/start';\n\nexport function own() {\n"
    "  return start();\n}\n",
}


@pytest.mark.parametrize(
    ("name", "user"),
    [
        ("fancyLink", "packages/app/src/main.ts:6"),
        ("Gadget", "packages/app/src/main.ts:4"),
        ("spinUp", "packages/app/src/main.ts:5"),
        ("start", "packages/app/src/own.ts:4"),
    ],
)
def test_who_imports_a_package_of_the_workspace_by_its_name_uses_what_it_defines(tmp_path, open_helix, name, user):
    assert told(indexed(tmp_path, open_helix, WORKSPACES), name) == ([user], [])


def test_who_still_imports_the_file_that_was_renamed_has_the_name(tmp_path, open_helix):
    helper = "def helper(x):\n    return x\n"
    user = "from {} import helper\n\n\ndef run():\n    return helper(2)\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/c.py": helper,
        "pkg/b.py": user.format("pkg.a"),
        "pkg/elsewhere.py": user.format("other.a"),
    }
    assert told(indexed(tmp_path, open_helix, files), "helper") == ([], ["pkg/b.py:5"])


@pytest.mark.parametrize(
    ("files", "used"),
    [
        (
            {
                "go.mod": "module x\n",
                "tmux.go": "package x\n\nfunc run() string {\n\tsh, err := sh(true)\n\tif err != nil {\n"
                '\t\treturn ""\n\t}\n\treturn sh\n}\n',
                "proxy.go": 'package x\n\nfunc sh(bash bool) (string, error) {\n\treturn "sh", nil\n}\n',
            },
            ["tmux.go:4"],
        ),
        (
            {
                "Cargo.toml": "[package]\nname = 'x'\n",
                "src/main.rs": "fn sh(a: i32) -> i32 {\n    a\n}\n\nfn main() {\n    let sh = sh(1);\n"
                '    println!("{}", sh);\n}\n',
            },
            ["src/main.rs:6"],
        ),
        ({"a.py": "def sh(x):\n    return x\n\n\ndef run():\n    return sh(2)\n"}, ["a.py:6"]),
    ],
)
def test_a_name_of_two_letters_is_used_where_a_variable_of_it_is_made_by_it(tmp_path, open_helix, files, used):
    assert told(indexed(tmp_path, open_helix, files), "sh") == (used, [])


LOCAL_IMPORTS = {
    "one.py": "def fetch_item(key):\n    return key\n",
    "other.py": "def fetch_item(key):\n    return -key\n",
    "two.py": "from one import fetch_item\n\n\ndef local():\n    from other import fetch_item\n\n"
    "    return fetch_item(5)\n\n\ndef real():\n    return fetch_item(6)\n",
    "three.py": "try:\n    from one import fetch_item\nexcept ImportError:\n    from other import fetch_item\n\n\n"
    "def run():\n    return fetch_item(7)\n",
    "a.js": "export function grab() {\n  return 1;\n}\n",
    "b.js": "export function grab() {\n  return 2;\n}\n",
    "c.js": "import { grab } from './a.js';\n\nexport async function lazy() {\n"
    "  const { grab } = await import('./b.js');\n  return grab();\n}\n\nexport function eager() {\n"
    "  return grab();\n}\n",
}


def test_an_import_in_a_function_binds_its_names_there_alone(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, LOCAL_IMPORTS)
    assert told(engine, "one.fetch_item") == (["three.py:8", "two.py:11"], [])
    assert told(engine, "other.fetch_item") == (["two.py:7"], [])
    assert told(engine, "a.grab") == (["c.js:9"], [])
    assert told(engine, "b.grab") == (["c.js:5"], [])


def test_a_variable_of_a_comprehension_and_a_destructured_parameter_hide_a_name(tmp_path, open_helix):
    files = {
        "one.py": "def fetch_item(key):\n    return key\n",
        "two.py": "from one import fetch_item\n\n\ndef hidden():\n"
        "    return [fetch_item for fetch_item in range(3)]\n\n\ndef used():\n"
        "    return [fetch_item(key) for key in range(3)]\n",
        "a.js": "export function shadowJs() {\n  return 1;\n}\n",
        "b.js": "import { shadowJs } from './a.js';\n\nexport function hidden({ shadowJs }) {\n"
        "  return shadowJs();\n}\n\nexport function used({ other }) {\n  return shadowJs(other);\n}\n",
    }
    engine = indexed(tmp_path, open_helix, files)
    assert told(engine, "fetch_item") == (["two.py:9"], [])
    assert told(engine, "shadowJs") == (["b.js:8"], [])


C_FILES = {
    "include/fs.h": "#ifndef FS_H\n#define FS_H\ntypedef struct fs_poll_s fs_poll_t;\nstruct fs_poll_s { int a; };\n"
    "int fs_poll_stop(fs_poll_t* one);\n#endif\n",
    "src/unix/fs.c": '#include "fs.h"\n\nint fs_poll_stop(fs_poll_t* one) {\n  return one->a;\n}\n',
    "src/win/fs.c": '#include "fs.h"\n\nint fs_poll_stop(fs_poll_t* one) {\n  return 0;\n}\n\n'
    "static int helper(int a) {\n  return a;\n}\n\nint close_win(fs_poll_t* one) {\n  return helper(1);\n}\n",
    "src/loop.c": '#include "fs.h"\n\nvoid end(fs_poll_t* one, int* at) {\n  *at = fs_poll_stop(one);\n}\n\n'
    "#define STOP(one) fs_poll_stop(one)\n",
    "src/other.c": "static int helper(int a) {\n  return a + 1;\n}\n\nint use(void) {\n  return helper(2);\n}\n",
    "docs/fs.rst": "API\n===\n\n.. c:function:: int fs_poll_stop(fs_poll_t* one)\n\n   Stops ``fs_poll_stop``.\n",
}


def test_a_function_of_c_is_one_with_its_prototype_and_with_that_of_another_platform(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, C_FILES)
    assert told(engine, "fs_poll_stop") == (["src/loop.c:4", "src/loop.c:7"], [])
    assert engine.symbols.about("fs_poll_stop")["totals_exact"]
    assert told(engine, "helper", path=b"src/other.c", line=1) == (["src/other.c:6"], [])


def test_a_namespace_that_no_text_opens_is_followed_by_its_name(tmp_path, open_helix):
    files = {
        "core.h": '#include "begin.inc"\n\ntemplate <class T> int check_format(T one) {\n  return 1;\n}\n\n'
        '#include "end.inc"\n\ntemplate <class T> int run(T one) {\n  return detail::check_format(one);\n}\n',
        "use.cc": '#include "core.h"\n\nint main() {\n  return std::check_format(2);\n}\n',
    }
    assert told(indexed(tmp_path, open_helix, files), "check_format") == (["core.h:10"], [])


def test_a_prototype_is_no_user(tmp_path, open_helix):
    files = {
        "reg.h": "class SHOP_API reg {\npublic:\n    void drop_all();\n    std::shared_ptr<box> drop_one(int a);\n};\n",
        "reg-inl.h": '#include "reg.h"\n\nvoid reg::drop_all() {\n    drop_one(1);\n}\n\n'
        "std::shared_ptr<box> reg::drop_one(int a) {\n    return nullptr;\n}\n\nvoid reg::end() {\n"
        "    drop_all();\n}\n",
    }
    engine = indexed(tmp_path, open_helix, files)
    assert told(engine, "drop_all")[0] == ["reg-inl.h:12"]
    assert told(engine, "drop_one")[0] == ["reg-inl.h:4"]


@pytest.mark.parametrize(
    ("files", "asked", "sure", "by_name"),
    [
        (
            # Whatever has its methods is an interface of Go.
            {
                "enc/enc.go": "package enc\n\ntype Encoder interface {\n\tEncode(a int) int\n}\n\n"
                "type jsonEnc struct{}\n\n"
                "func (j *jsonEnc) Encode(a int) int { return a }\n\ntype core struct {\n\tenc Encoder\n}\n\n"
                "func (c *core) Write() int {\n\treturn c.enc.Encode(1)\n}\n",
            },
            "jsonEnc.Encode",
            [],
            ["enc/enc.go:16"],
        ),
        (
            # A variable, and a type of the same name in another package.
            {
                "kind.go": "package shop\n\ntype codec struct{}\n\nfunc (c codec) Encode(a int) int { return a }\n",
                "json/codec.go": "package json\n\ntype Codec struct{}\n\nfunc (Codec) Encode(a int) int { return a }\n",
                "json/codec_test.go": "package json\n\nfunc TestCodec(t *T) {\n\tcodec := Codec{}\n"
                "\tcodec.Encode(1)\n}\n",
            },
            "Codec.Encode",
            ["json/codec_test.go:5"],
            [],
        ),
        (
            # A result with a name.
            {
                "gin.go": "package gin\n\ntype Context struct{}\n\nfunc (c *Context) GetInt(a int) int { return a }\n\n"
                "type Other struct{}\n\nfunc (c *Other) GetInt(a int) int { return a }\n\n"
                "func NewTest(w int) (c *Context, err error) {\n\treturn nil, nil\n}\n",
                "gin_test.go": "package gin\n\nfunc TestInt(t *T) {\n\tc, _ := NewTest(1)\n\tc.GetInt(1)\n}\n",
            },
            "Context.GetInt",
            ["gin_test.go:5"],
            [],
        ),
        (
            # One type for each build.
            {
                "b/one.go": "//go:build !slim\n\npackage b\n\ntype Checker interface{}\n\nvar First Checker = 1\n",
                "b/two.go": "//go:build slim\n\npackage b\n\ntype Checker interface{}\n\nvar First Checker = 2\n",
                "b/use.go": "package b\n\nvar _ Checker = 3\n",
            },
            "b.one.Checker",
            ["b/one.go:7", "b/two.go:7", "b/use.go:3"],
            [],
        ),
        (
            # The type of a variable that is assigned.
            {
                "kind.py": "class Kind:\n    pass\n\n\nONE: Kind = make()\nKind = 3\n",
                "use.py": "from kind import Kind\n\nTWO: Kind = make()\n",
            },
            "Kind",
            ["kind.py:5", "use.py:3"],
            [],
        ),
        (
            # A function in a function.
            {
                "timer.ts": "export const timer = (request: Req) => {\n"
                "  const onSocket = (socket: Sock) => {\n    socket.end()\n"
                "  }\n\n  if (request.socket) {\n    onSocket(request.socket)\n  }\n}\n",
            },
            "timer.onSocket",
            ["timer.ts:7"],
            [],
        ),
        (
            # A module of Ruby is included elsewhere, and a block runs in another object.
            {
                "webdav.rb": "module Request\n  def self.included(base)\n    base.class_eval do\n"
                "      def idempotent?\n"
                "        get? or move?\n      end\n    end\n  end\n\n  def move?\n    true\n  end\nend\n",
                "names.rb": "module Names\n  def redirect_to(uri)\n    uri\n  end\nend\n",
                "spec/names_spec.rb": "describe Names do\n  it { send(:get, '/') { redirect_to '/foo' } }\nend\n",
            },
            "redirect_to",
            [],
            ["spec/names_spec.rb:2"],
        ),
        (
            # The package hands on a class.
            {
                "bars/__init__.py": "from .std import Bars\n",
                "bars/std.py": "class Bars:\n    @staticmethod\n    def meter(n):\n        return n\n",
                "bars/bars.1": '.TH "BARS"\n',
                "tests/test_bars.py": "from bars import Bars\n\n\ndef test_meter():\n    assert Bars.meter(1) == 1\n",
            },
            "Bars.meter",
            ["tests/test_bars.py:5"],
            [],
        ),
    ],
)
def test_a_call_is_found_where_the_text_says_less_than_a_compiler_knows(
    tmp_path, open_helix, files, asked, sure, by_name
):
    assert told(indexed(tmp_path, open_helix, files), asked) == (sure, by_name)


def test_a_constructor_is_said_to_be_called_by_its_class(tmp_path, open_helix):
    files = {"box.py": "class Box:\n    def __init__(self, size):\n        self.size = size\n\n\nBIG = Box(9)\n"}
    engine = indexed(tmp_path, open_helix, files)
    known = engine.symbols.about("Box.__init__")
    assert known["notes"] == ["who makes a Box calls its constructor, too: ask who uses Box"]
    assert not known["totals_exact"]
    assert engine.symbols.about("Box")["totals_exact"]


def test_a_bare_call_of_ruby_behind_or_is_no_declaration(tmp_path, open_helix):
    files = {
        "webdav.rb": "module Request\n  def self.included(base)\n    base.class_eval do\n      def idempotent?\n"
        "        get? or move?\n      end\n    end\n  end\n\n  def move?\n    true\n  end\nend\n",
    }
    assert told(indexed(tmp_path, open_helix, files), "Request.move?")[1] == ["webdav.rb:5"]


RENAMED = {
    "pid.py": "class Pidfile:\n    def create(self, pid):\n        return pid\n",
    "wsgi.py": "def create(req):\n    return req\n\n\ndef run(req):\n    return create(req)\n",
    "arbiter.py": "from pid import Pidfile\n\n\ndef start():\n    file = Pidfile()\n    return file.create(1)\n",
}


def test_a_member_that_was_renamed_is_told_by_its_old_name_not_by_another_owners(tmp_path, open_helix):
    folder = begin(tmp_path / "project", RENAMED)
    write(folder, {"pid.py": RENAMED["pid.py"].replace("create", "make")})
    engine = open_helix(folder)
    engine.refresh()
    known = engine.symbols.about("Pidfile.create", k=5)
    assert (known["symbol"], known["definitions"]) == ("Pidfile.create", [])
    assert [(one["source_id"], one["start_line"]) for one in known["users"]] == [("arbiter.py", 6)]
    assert known["notes"][0].startswith("Pidfile.create was defined in pid.py:2")


UNTOLD_TYPES = {
    "kotlin": (
        {
            "ids.kt": 'package ids\n\n@Deprecated(ONCE)\nfun Int.toLabel(): String = "$this"\n\n'
            "fun show(a: Int): String {\n"
            "    return a.toLabel()\n}\n",
            "marked.kt": "package ids\n\nfun marked() = 4L.toLabel()\n",
            "far.kt": "package far\n\nimport ids.toLabel\n\nfun far(a: Long) = a.plus(1).toLabel()\n",
            "other.kt": "package other\n\nfun other(a: Any) = a.toLabel()\n",
        },
        "toLabel",
        (["far.kt:5", "ids.kt:7", "marked.kt:3"], []),
    ),
    "kotlin_block": (
        {
            "App.kt": "package app\n\nclass App {\n  fun addAll(a: Int): App { return this }\n}\n"
            "fun start(body: App.() -> Unit) {}\n",
            "run.kt": "package run\n\nimport app.start\n\nfun go() {\n  start {\n    addAll(1)\n  }\n}\n",
        },
        "addAll",
        ([], ["run.kt:7"]),
    ),
    "java_returned": (
        {
            "Entry.java": "package p;\nclass Entry {\n   void touchIt() { }\n}\n"
            "class Bag<T> { T borrow() { return null; } }\n",
            "Use.java": "package p;\nclass Use {\n   Bag<Entry> bag = new Bag<>();\n"
            "   void b() {\n      final var e = bag.borrow();\n      e.touchIt();\n   }\n"
            "   void c() {\n      bag.borrow().touchIt();\n   }\n}\n",
        },
        "touchIt",
        ([], ["Use.java:6", "Use.java:9"]),
    ),
    "java_bound": (
        {
            "Entry.java": "package p;\nclass Entry {\n   void touch() { }\n}\n",
            "Use.java": "package p;\nclass Use<T extends Entry> {\n   void d(T e) {\n      e.touch();\n   }\n}\n",
            "Other.java": "package p;\nclass Other {\n   void d(Thread e) {\n      e.touch();\n   }\n}\n",
        },
        "touch",
        (["Use.java:4"], []),
    ),
    "java_library_above": (
        {
            "Plug.java": "package p;\nimport java.io.Closeable;\nclass Plug implements Closeable {\n"
            "   public void close() { }\n}\n",
            "Use.java": "package p;\nimport java.io.Closeable;\nclass Use {\n   void end(Closeable one) {\n"
            "      one.close();\n   }\n   void other(Thread one) {\n      one.close();\n   }\n}\n",
        },
        "close",
        ([], ["Use.java:5"]),
    ),
    "typescript": (
        {
            "entry.ts": "export class Entry {\n  markSeen() {}\n}\n",
            "use.ts": "export function use(bag: any, other: unknown) {\n  bag?.entry?.markSeen()\n}\n\n"
            "export function again(bag: any) {\n  const x = bag.borrow()\n  x.markSeen()\n}\n",
        },
        "markSeen",
        ([], ["use.ts:2", "use.ts:7"]),
    ),
    "swift": (
        {
            "int.swift": "extension Int {\n    func asLabel() -> Int { return self }\n}\n",
            "use.swift": "func use(a: Int, b: [Int]) -> Int {\n    return a.asLabel()\n}\n\n"
            "func other(b: Double) -> Int {\n    return b.asLabel()\n}\n",
        },
        "asLabel",
        (["use.swift:2"], ["use.swift:6"]),
    ),
    "c_sharp": (
        {
            "Ext.cs": "namespace P;\nstatic class Ext {\n    public static int Doubled(this int a) { return a; }\n}\n",
            "Use.cs": "namespace P;\nclass Use {\n    int A(int b) {\n        return b.Doubled();\n    }\n}\n",
        },
        "Doubled",
        ([], ["Use.cs:4"]),
    ),
    "scala": (
        {
            "Syntax.scala": "object Syntax {\n"
            "  implicit class Rich(val a: Int) extends AnyVal {\n    def twice: Int = a\n"
            "  }\n}\n",
            "Use.scala": "import Syntax._\n\nobject Use {\n  def run(a: Int): Int = {\n    a.twice\n  }\n}\n",
        },
        "twice",
        ([], ["Use.scala:5"]),
    ),
    "lua": (
        {
            "shelf.lua": "local Shelf = {}\nfunction Shelf:put_book(a) return a end\n"
            "function Shelf.run() Shelf:put_book(1) end\nreturn Shelf\n",
            "use.lua": "local Shelf = require('shelf')\nlocal function use(o)\n  o:put_book(2)\nend\n",
        },
        "put_book",
        (["shelf.lua:3"], ["use.lua:3"]),
    ),
    "required": (
        {
            "lib/tags.js": "function makeTag(a) {\n  return a\n}\nmodule.exports = { makeTag }\n",
            "lib/use.js": "function use() {\n  return require('./tags').makeTag(1)\n}\n",
        },
        "makeTag",
        (["lib/tags.js:4"], ["lib/use.js:2"]),
    ),
}


@pytest.mark.parametrize("case", UNTOLD_TYPES)
def test_a_call_on_an_object_whose_class_is_not_told_is_a_use_in_doubt(tmp_path, open_helix, case):
    files, name, used = UNTOLD_TYPES[case]
    assert told(indexed(tmp_path, open_helix, files), name) == used


RECEIVERS = {
    "java": ("Entry.java", "class Entry {\n   void run() { }\n}\nclass Other {\n   void run() { }\n}\n",
             "Use.java", "class Use<T> {\n   void go(T one) {\n      one.run();\n   }\n}\n"),
    "typescript": ("entry.ts", "export class Entry {\n  run() {}\n}\nexport class Other {\n  run() {}\n}\n",
                   "use.ts", "export function go(one: any) {\n  one.run()\n}\n"),
    "python": ("entry.py", "class Entry:\n    def run(self): ...\n\n\nclass Other:\n    def run(self): ...\n",
               "use.py", "from typing import Any\n\n\ndef go(one: Any):\n    one.run()\n"),
    "kotlin": ("Entry.kt", "class Entry {\n  fun run() {}\n}\nclass Other {\n  fun run() {}\n}\n",
               "Use.kt", "fun <T> go(one: T) {\n  one.run()\n}\n"),
    "c_sharp": ("Entry.cs", "class Entry {\n  public void Run() {}\n}\nclass Other {\n  public void Run() {}\n}\n",
                "Use.cs", "class Use {\n  void Go(dynamic one) {\n    one.Run();\n  }\n  void To(object one) {\n"
                "    one.Run();\n  }\n}\n"),
    "go": ("entry.go", "package p\n\ntype Entry struct{}\n\nfunc (e Entry) Run() {}\n\ntype Other struct{}\n\n"
           "func (e Other) Run() {}\n", "use.go", "package p\n\nfunc use(one any) {\n\tone.Run()\n}\n"),
    "rust": ("entry.rs", "pub struct Entry;\nimpl Entry { pub fn run(&self) {} }\npub struct Other;\n"
             "impl Other { pub fn run(&self) {} }\n", "use.rs", "pub fn go<T>(one: T) {\n    one.run();\n}\n"),
    "swift": ("entry.swift", "class Entry {\n  func run() {}\n}\nclass Other {\n  func run() {}\n}\n",
              "use.swift", "func go(one: Any) {\n  one.run()\n}\n"),
    "lua": ("entry.lua", "local Entry = {}\nfunction Entry:run() end\nlocal Other = {}\nfunction Other:run() end\n",
            "use.lua", "function go(one)\n  one:run()\nend\n"),
    "php": ("entry.php", "<?php\nclass Entry { public function run() {} }\nclass Other { public function run() {} }\n",
            "use.php", "<?php\nfunction go(mixed $one) {\n  $one->run();\n}\n"),
    "ruby": ("entry.rb", "class Entry\n  def run(a)\n  end\nend\nclass Other\n  def run(a)\n  end\nend\n",
             "use.rb", "def go(one)\n  one.run(1)\nend\n"),
}  # fmt: skip


@pytest.mark.parametrize("language", RECEIVERS)
def test_no_total_is_exact_where_the_class_of_an_object_is_not_told(tmp_path, open_helix, language):
    path, defined, user, using = RECEIVERS[language]
    engine = indexed(tmp_path, open_helix, {path: defined, user: using})
    known = engine.symbols.about("Entry.Run" if "Run" in defined else "Entry.run")
    assert not known["totals_exact"]
    assert known["users_total"] or any("of which the text does not tell whose it is" in note for note in known["notes"])


def test_a_function_whose_name_differs_by_its_case_alone_uses_the_other(tmp_path, open_helix):
    files = {
        "lib/response.js": "res.sendFile = function sendFile(path) {\n  var file = path\n  sendfile(res, file)\n}\n\n"
        "function sendfile(res, file) {\n  file.pipe(res)\n}\n",
    }
    assert told(indexed(tmp_path, open_helix, files), "sendfile") == (["lib/response.js:3"], [])


LOST_CLASS = {
    "Level.cs": "namespace P;\n\nclass Level : IOne,\n{\n"
    "    public int ReadLevel(int a)\n    {\n        return a;\n    }\n}\n",
    "Use.cs": "namespace P;\n\nclass Use\n{\n    readonly Level? _level;\n\n    int A()\n    {\n"
    "        return _level.ReadLevel(1);\n    }\n}\n",
}


def test_a_method_of_a_class_that_could_not_be_parsed_is_used_in_doubt(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, LOST_CLASS)
    assert "." not in engine.symbols.about("ReadLevel")["symbol"], "the class has no name in the index"
    assert told(engine, "ReadLevel") == ([], ["Use.cs:9"])


def test_no_total_is_exact_that_counts_a_use_by_its_name_alone(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, LOST_CLASS)
    known = engine.symbols.about("ReadLevel")
    assert (known["users_total"], known["totals_exact"]) == (1, False)


@pytest.mark.parametrize(
    ("files", "asked", "used"),
    [
        (
            {
                "pkg/__init__.py": "from pkg.wait import (\n    default_wait,\n)\n",
                "pkg/wait.py": "def default_wait():\n    return 1\n",
                "pkg/sub/__init__.py": "from ..wait import default_wait\n",
                "pkg/both.py": "from pkg.wait import default_wait\n\nWAIT = default_wait()\n",
                "other/__init__.py": "from others.wait import default_wait\n",
            },
            "default_wait",
            ["pkg/__init__.py:2", "pkg/both.py:3", "pkg/sub/__init__.py:1"],
        ),
        (
            {
                "src/core.ts": "export function computeTax(a: number) {\n  return a;\n}\n",
                "src/index.ts": "import { computeTax } from './core';\n\nexport default { a: 1 };\n",
                "src/again.ts": "export { computeTax } from './core';\n",
                "src/far.ts": "import { computeTax } from 'taxes';\n",
            },
            "computeTax",
            ["src/again.ts:1", "src/index.ts:1"],
        ),
        (
            {
                "a/b/Shop.java": "package a.b;\n\npublic class Shop {\n}\n",
                "a/c/Use.java": "package a.c;\n\nimport a.b.Shop;\n\npublic class Use {\n}\n",
                "a/c/Other.java": "package a.c;\n\nimport x.y.Shop;\n\npublic class Other {\n}\n",
            },
            "Shop",
            ["a/c/Use.java:3"],
        ),
    ],
)
def test_an_import_is_a_use_where_its_file_has_no_other(tmp_path, open_helix, files, asked, used):
    assert told(indexed(tmp_path, open_helix, files), asked) == (used, [])


PHP = {
    "src/Log/DateTime.php": "<?php\nnamespace Shop\\Log;\n\nclass DateTime extends \\DateTime\n{\n}\n",
    "src/Log/Near.php": "<?php\nnamespace Shop\\Log;\n\nclass Near\n{\n    public function now(): DateTime\n    {\n"
    "        return new DateTime();\n    }\n}\n",
    "src/Log/Plain.php": "<?php\nnamespace Shop\\Log;\n\nclass Plain\n{\n    public function now()\n    {\n"
    "        return new \\DateTime();\n    }\n}\n",
    "src/Log/Used.php": "<?php\nnamespace Shop\\Log;\n\nuse DateTime;\n\nclass Used\n{\n"
    "    public function now()\n    {\n        return new DateTime();\n    }\n}\n",
    "src/Far.php": "<?php\nnamespace Shop;\n\nuse Shop\\Log\\{Near, DateTime as Time};\n\nclass Far\n{\n"
    "    public function now()\n    {\n        return new Time();\n    }\n\n    public function then()\n    {\n"
    "        return new Log\\DateTime();\n    }\n\n    public function other()\n    {\n        return new DateTime();\n"
    "    }\n}\n",
    "web/top.php": "<?php\n$a = new DateTime();\n$b = new \\Shop\\Log\\DateTime();\n",
}


def test_a_name_of_php_means_what_its_namespace_and_imports_say(tmp_path, open_helix):
    engine = indexed(tmp_path, open_helix, PHP)
    used = ["src/Far.php:10", "src/Far.php:15", "src/Far.php:4", "src/Log/Near.php:6", "web/top.php:3"]
    lost = ["src/Far.php:20"]
    assert told(engine, "DateTime") == (used, lost), "PHP's own class is another; one that is nowhere may be it"
    text = PHP["src/Log/DateTime.php"].replace("Shop\\Log", "Shop\\Time")
    write(tmp_path / "project", {"src/Log/DateTime.php": text})
    engine.refresh()
    assert told(engine, "DateTime") == ([], sorted([*used, *lost])), (
        "the class went to another namespace, and nobody has followed"
    )


def test_a_trait_and_a_function_of_php_are_used_where_they_are_named(tmp_path, open_helix):
    files = {
        "src/Speaks.php": "<?php\nnamespace Shop;\n\ntrait Speaks\n{\n}\n",
        "src/Cat.php": "<?php\nnamespace Shop;\n\nclass Cat\n{\n    use Speaks;\n}\n",
        "src/help.php": "<?php\nnamespace Shop\\Help;\n\nfunction speak_up($one)\n{\n    return $one;\n}\n",
        "src/Use.php": "<?php\nnamespace Shop;\n\nuse function Shop\\Help\\speak_up;\n\nfunction go()\n{\n"
        "    $speak_up = 1;\n    return speak_up($speak_up);\n}\n",
        "src/Other.php": "<?php\nnamespace Shop;\n\nfunction run()\n{\n    return speak_up(1);\n}\n",
    }
    engine = indexed(tmp_path, open_helix, files)
    assert told(engine, "Speaks") == (["src/Cat.php:6"], [])
    assert told(engine, "speak_up") == (["src/Use.php:9"], [])


def test_tests_of_rust_beside_what_they_test_are_tests(tmp_path, open_helix):
    files = {
        "Cargo.toml": "[package]\nname = 'x'\n",
        "src/lib.rs": "pub fn count_all(a: i32) -> i32 {\n    a\n}\n\npub fn twice(a: i32) -> i32 {\n"
        "    count_all(a) * 2\n}\n\n#[test]\nfn counts() {\n    assert_eq!(1, count_all(1));\n}\n\n"
        "#[tokio::test]\n#[ignore]\nasync fn counts_later() {\n    count_all(1);\n}\n\n"
        "#[cfg(test)]\nmod checks {\n    use super::*;\n\n    fn helper() -> i32 {\n        count_all(3)\n    }\n}\n",
    }
    known = indexed(tmp_path, open_helix, files).symbols.about("count_all", k=9)
    assert [one["start_line"] for one in known["users"]] == [6]
    assert [one["start_line"] for one in known["tests"]] == [11, 17, 25]
    assert (known["users_total"], known["tests_total"], known["totals_exact"]) == (1, 3, True)


@pytest.mark.parametrize(
    ("files", "asked", "told_as"),
    [
        (
            {
                "bus/memory.py": "class Channel:\n    pass\n\n\nclass Transport:\n    Channel = Channel\n",
                "bus/other.py": "class Box:\n    Channel = 1\n",
            },
            "bus.memory.Channel",
            (["bus/memory.py:6"], []),
        ),
        (
            {
                "bus/held.py": "class Held:\n    def _walk(self):\n        return 1\n\n    items = _walk\n",
                "bus/other.py": "class Other:\n    def _walk(self):\n        return 1\n",
            },
            "Held._walk",
            (["bus/held.py:5"], []),
        ),
        (
            {
                "src/out.ts": "const noop = (): void => {};\n\nexport function out(): () => void {\n"
                "  const all: Array<typeof noop> = [];\n  const add = (one: number): (typeof noop) => {\n"
                "    return all[one];\n  };\n  return add(1) ?? noop;\n}\n",
                "src/in.ts": "const noop = (): void => {};\n\n"
                "export const go = (noop: number) => {\n  return noop;\n};\n",
            },
            "src.out.noop",
            (["src/out.ts:4", "src/out.ts:5"], []),
        ),
        (
            {
                "src/options.ts": "export type SearchWords = string[];\n\nexport class Options {\n"
                "  get words(): string | SearchWords | undefined {\n    return undefined;\n  }\n}\n",
            },
            "SearchWords",
            (["src/options.ts:4"], []),
        ),
        (
            {
                "src/order.schema.ts": "export const orderRules = 1;\n",
                "src/order.ts": "import { orderRules } from './order.schema';\n\nexport const a = orderRules;\n",
                "src/bill.ts": "import { orderRules } from 'bills';\n\nexport const a = orderRules;\n",
            },
            "orderRules",
            (["src/order.ts:3"], []),
        ),
        (
            {
                "src/hold.ts": "export function hold() {\n  return {\n"
                "    releaseAll() {\n      return 1;\n    },\n  };\n}\n",
                "src/use.ts": "import { hold } from './hold';\n\nexport function go() {\n"
                "  const { once, releaseAll } = hold();\n  releaseAll(once);\n}\n",
            },
            "releaseAll",
            ([], ["src/use.ts:4"]),
        ),
        (
            {
                "bus/cycles.py": "class sorted_cycle:\n    pass\n",
                "bus/load.py": "CYCLES = {\n    'fair': 'bus.fair:sorted_cycle',\n"
                "    'sorted': 'bus.cycles:sorted_cycle',\n}\n",
                "bus/fair.py": "class sorted_cycle:\n    pass\n",
                "tests/test_load.py": "from unittest import mock\n\n\ndef test_load():\n"
                "    with mock.patch('bus.cycles.sorted_cycle'):\n        pass\n",
            },
            "cycles.sorted_cycle",
            ([], ["bus/load.py:3", "tests/test_load.py:5"]),
        ),
        (
            {
                "kit/plugin.py": "class KeenPlugin:\n    pass\n",
                "kit/other.py": "class KeenPlugin:\n    pass\n",
                "pyproject.toml": '[project.entry-points.kit]\nkeen = "kit.plugin:KeenPlugin"\n'
                'other = "kit.other:KeenPlugin"\n',
                "tests/test_plugin.py": "from pytest import importorskip\n\n"
                "KeenPlugin = importorskip('kit.plugin').KeenPlugin\n",
                "tests/test_other.py": "from pytest import importorskip\n\n"
                "KeenPlugin = importorskip('kit.other').KeenPlugin\n",
            },
            "plugin.KeenPlugin",
            (["tests/test_plugin.py:3"], ["pyproject.toml:2"]),
        ),
        (
            {
                "go.mod": "module x\n",
                "kit.go": "package kit\n\ntype H map[string]any\n\nfunc refuse(a int) int { return a }\n\n"
                "func refusing() int { return apply(refuse) }\n",
                "kit_test.go": 'package kit\n\nfunc TestH(t *T) {\n\tsend(H{"a": 1})\n}\n',
            },
            "H",
            (["kit_test.go:4"], []),
        ),
        (
            {
                "go.mod": "module x\n",
                "kit.go": "package kit\n\nfunc refuse(a int) int { return a }\n\n"
                "func refusing() int { return apply(refuse) }\n\nfunc other(refuse int) int { return refuse }\n",
            },
            "refuse",
            (["kit.go:5"], []),
        ),
        (
            {
                "src/plan.ts": "interface Planner {\n  getMethod: (event: string) => string;\n}\n\n"
                "const second: Planner = {\n  getMethod(event) {\n    return event;\n  },\n};\n\n"
                "export function plan(one: Planner) {\n  return one.getMethod('a');\n}\n",
            },
            "second.getMethod",
            ([], ["src/plan.ts:12"]),
        ),
    ],
)
def test_a_use_is_found_beside_another_definition_a_type_or_in_a_string(tmp_path, open_helix, files, asked, told_as):
    assert told(indexed(tmp_path, open_helix, files), asked) == told_as
