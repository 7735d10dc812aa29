"""Two versions of a file in any language with a grammar: what went away, and what is called in another way now."""

import pytest

from helix_core.engine.symbols.compared import compared
from helix_core.ingest.tree_declarations import TREE_LANGUAGES
from tests.engine.repository import begin, write
from tests.engine.test_changes import asked, places

CHANGES = {
    "a.go": ("func Total(a int) int {\n\treturn a\n}\n", "func Total(a int, b string) int {\n\treturn a\n}\n"),
    "a.rs": ("pub fn total(a: u8) -> u8 {\n    a\n}\n", "pub fn total(a: u8, b: &str) -> u8 {\n    a\n}\n"),
    "A.java": ("class A {\n  int total(int a) {\n    return a;\n  }\n}\n", "class A {\n  int total() {\n  }\n}\n"),
    "a.c": ("int total(const char *a)\n{\n  return 1;\n}\n", "int total(const char *a, int b)\n{\n  return 1;\n}\n"),
    "a.cc": ("class A {\n int total(int a);\n};\n", "class A {\n int total(const std::string &a);\n};\n"),
    "a.rb": ("class A\n  def total(a)\n    a\n  end\nend\n", "class A\n  def total(a, b:)\n    a\n  end\nend\n"),
    "a.php": ("<?php\nfunction total(int $a) {\n}\n", "<?php\nfunction total(int $other) {\n}\n"),
    "a.kt": ("fun total(a: Int): Int {\n    return a\n}\n", "fun total(a: Long): Int {\n    return 1\n}\n"),
    "a.swift": ("func total(_ a: Int) -> Int {\n  a\n}\n", "func total(of a: Int) -> Int {\n  a\n}\n"),
    "a.scala": (
        "object A {\n  def total(a: Int): Int = a\n}\n",
        "object A {\n  def total(a: Int, b: Int): Int = a\n}\n",
    ),
    "A.cs": ("class A {\n  int Total(int a) {\n  }\n}\n", "class A {\n  int Total(int a, ref int b) {\n  }\n}\n"),
    "a.lua": ("function M.total(a)\n  return a\nend\n", "function M.total(a, b)\n  return a\nend\n"),
}
SAME = {
    "a.go": [("func F(a int, b int) any {\n}\n", "func F(\n\tx, y int, // both\n) interface{} {\n}\n")],
    "a.rs": [("fn f<'a>(mut a: &'a str) {\n}\n", "fn f(other: &str) {\n}\n")],
    "A.java": [("class A {\n  int f(int a) {}\n}\n", "class A {\n  @Deprecated\n  public int f(final int b) {}\n}\n")],
    "a.c": [
        ("int f(void);\nint f(void) {\n}\n", "int f() {\n  return 1;\n}\n"),
        ("#ifndef A_H\n#define A_H\n#endif\n", ""),
    ],
    "a.kt": [("fun f(a: Int) = a\n", "fun f(a: Int): Int = a\n")],
    "a.rb": [("def f(a, &block)\nend\n", "def f(other)\nend\n")],
}


def told(path, before, after):
    return [(one.kind, one.breaks) for one in compared(path.encode(), before.encode(), after.encode())]


@pytest.mark.parametrize("path", CHANGES)
def test_a_signature_is_compared_in_every_language(path):
    before, after = CHANGES[path]
    assert told(path, before, after) == [("signature", True)]
    assert told(path, before, before.replace("otal", "otal2")) != [], "it is gone, or has another name"
    assert told(path, before, "\n\n" + before) == []


def test_no_language_is_left_out():
    endings = {
        "go": "go",
        "rs": "rust",
        "java": "java",
        "c": "c",
        "cc": "cpp",
        "rb": "ruby",
        "php": "php",
        "kt": "kotlin",
    }
    endings |= {"swift": "swift", "scala": "scala", "cs": "c_sharp", "lua": "lua"}
    assert {endings[path.partition(".")[2]] for path in CHANGES} == TREE_LANGUAGES - {"bash"}, "bash has no parameters"


@pytest.mark.parametrize(("path", "before", "after"), [(path, *pair) for path, pairs in SAME.items() for pair in pairs])
def test_what_no_caller_sees_is_no_change(path, before, after):
    assert told(path, before, after) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "breaks"),
    [
        ("a.go", "func F(a int) {\n}\n", "func F(a int, b ...int) {\n}\n", False),
        ("a.go", "func F() int {\n}\n", "func F() (int, error) {\n}\n", True),
        ("a.kt", "fun f(a: Int) {\n}\n", "fun f(a: Int, b: Int = 1) {\n}\n", False),
        ("a.kt", "fun f(a: Int) {\n}\n", "fun f(b: Int = 1, a: Int) {\n}\n", True),
        ("a.cc", "void f(int a, int b = 1) {\n}\n", "void f(int a, int b) {\n}\n", True),
        ("a.rb", "def f(a)\nend\n", "def f(a, b: 1)\nend\n", False),
        ("a.rb", "def f(a, b: 1)\nend\n", "def f(a)\nend\n", True),
    ],
)
def test_a_signature_breaks_where_a_call_of_before_may_not_fit(path, before, after, breaks):
    assert told(path, before, after) == [("signature", breaks)]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("@dataclass\nclass A:\n    x: int\n", "@dataclass\nclass A:\n    x: int\n    y: int\n", [True]),
        ("@dataclass\nclass A:\n    x: int\n", "@dataclass\nclass A:\n    x: int\n    y: int = 2\n", [False]),
        ("@dataclass\nclass A:\n    x: int = 1\n", "@dataclass\nclass A:\n    x: int\n", [True]),
        ("@dataclass\nclass A:\n    x: int\n", "@dataclass\nclass A:\n    x: str  # text\n", []),
        (
            "@dataclass\nclass A:\n    x: int\n",
            "@dataclass\nclass A:\n    x: int\n    y: list[int] = field(default_factory=list)\n"
            "    z: int = field(init=False)\n    LOW: ClassVar[int] = 3\n    n = 4\n",
            [False],
        ),
        (
            "@dataclass\nclass A:\n    x: int\n",
            "@dataclass\nclass A:\n    x: int\n    y: int = field(repr=False)\n",
            [True],
        ),
        (
            "@dataclass(kw_only=True)\nclass A:\n    x: int\n",
            "@dataclass(kw_only=True)\nclass A:\n    y: int\n    x: int\n",
            [],
        ),
        ("class A(NamedTuple):\n    q: int\n", "class A(NamedTuple):\n    q: int\n    r: int\n", [True]),
        ("class A(BaseModel):\n    q: int\n", "class A(BaseModel):\n    r: int\n    q: int\n", [True]),
        (
            "class A(BaseModel):\n    q: int\n",
            "class A(BaseModel):\n    r: int = Field(3, gt=1)\n    q: int\n",
            [False],
        ),
        (
            "class A(BaseModel):\n    q: int\n",
            "class A(BaseModel):\n    q: int\n    r: int = Field(..., gt=1)\n",
            [True],
        ),
        ("@dataclass\nclass A(B):\n    x: int\n", "@dataclass\nclass A(B):\n    x: int\n    y: int\n", []),
        ("class A:\n    x: int\n", "class A:\n    x: int\n    y: int\n", []),
    ],
)
def test_a_field_that_a_constructor_is_made_of_is_compared(before, after, changes):
    found = [
        (one.kind, one.breaks) for one in compared(b"a.py", before.encode(), after.encode()) if one.then.kind == "class"
    ]
    assert found == [("signature", breaks) for breaks in changes]


def test_an_overload_that_is_gone_is_compared_with_what_is_in_its_place():
    before = "class A {\n  void put(int a) {\n  }\n  void put(String a) {\n  }\n}\n"
    [one] = compared(b"A.java", before.encode(), before.replace("(int a)", "(long a, int b)").encode())
    assert [str(each) for each in (*one.then.parameters, *one.now.parameters)] == ["int a", "long a", "int b"]
    assert told("A.java", before, before.replace("  void put(int a) {\n  }\n", "")) == [("signature", True)]
    assert told("A.java", before, before.replace("}\n}", "}\n  void put(char a) {\n  }\n}")) == []


def test_nothing_is_said_to_be_gone_of_what_a_broken_text_may_still_define():
    before = "int total(int a) {\n  return a;\n}\nint other(int a) {\n  return a;\n}\n"
    broken = before.replace("int total(int a) {", "int total(int a {{{ ((")
    assert [one.then.chain for one in compared(b"a.c", before.encode(), broken.encode()) if one.kind == "gone"] == []


def test_in_go_who_uses_a_plain_name_of_its_package_is_told_and_a_move_inside_it_breaks_nobody(tmp_path, open_helix):
    prices = "package shop\n\nfunc Total(a int) int {\n\treturn a\n}\n\ntype Cart struct{}\n\n"
    close = "func (c *Cart) Close(a int) error {\n\treturn nil\n}\n"
    folder = begin(
        tmp_path / "shop",
        {
            "go.mod": "module example.org/shop\n",
            "shop/prices.go": prices + close,
            "shop/report.go": "package shop\n\nfunc Report() int {\n\treturn Total(1)\n}\n",
        },
    )
    write(folder, {"shop/prices.go": prices.replace("a int) int", "a int, b int) int")})
    write(folder, {"shop/cart.go": f"package shop\n\n{close}"})
    answer, found = asked(open_helix, folder, "HEAD")
    assert places(found["Total"]["users"]) == [("shop/report.go", 4, "verified")]
    assert (found["Total"]["was"], found["Total"]["detail"]) == ("Total(a int)", "also takes b int now")
    moved = found["Cart.Close"]
    assert (moved["change"], moved["breaks"], moved["place"]["source_id"]) == ("moved", False, "shop/cart.go")
    assert answer["notes"] == []


def test_who_makes_an_object_uses_its_constructor(tmp_path, open_helix):
    cart = "class Cart {\n  Cart(int size) {\n  }\n}\n"
    use = "class Shop {\n  Object fresh() {\n    return new Cart(1);\n  }\n}\n"
    folder = begin(tmp_path / "shop", {"Cart.java": cart, "Shop.java": use})
    write(folder, {"Cart.java": cart.replace("int size", "int size, String name")})
    _, found = asked(open_helix, folder, "HEAD")
    assert ("Shop.java", 3, "verified") in places(found["Cart.Cart"]["users"])


def test_a_function_of_c_and_its_prototype_are_one_change(tmp_path, open_helix):
    files = {
        "timer.h": "int timer_start(int a);\n",
        "timer.c": '#include "timer.h"\nint timer_start(int a) {\n  return a;\n}\n',
    }
    folder = begin(tmp_path / "uv", files)
    write(folder, {path: text.replace("int a", "int a, int b") for path, text in files.items()})
    answer, _ = asked(open_helix, folder, "HEAD")
    assert [(one["symbol"], one["source_id"]) for one in answer["changes"]] == [("timer_start", "timer.h")]
    write(folder, {"timer.h": "int timer_start(int a, int b);\nint broken(\n"})
    answer, _ = asked(open_helix, folder, "HEAD")
    assert any("timer.h could be parsed in part only" in note for note in answer["notes"])
