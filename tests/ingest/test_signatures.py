"""What code declares, as callers and readers of documents see it."""

import ast
from pathlib import Path

import pytest

import helix_core
from helix_core.ingest.signatures import declarations, declared

CODE = '''
"""def not_this(a): pass"""
LIMIT: int = 60 * 60  # seconds
NAMES = ("a",
         "b")


class Box(Base[int], metaclass=Meta):
    size = 3

    @overload
    def __init__(self): ...
    def __init__(self, width: "int, or more" = 1, /, *rest, deep: dict[str, int] = {"a": 1}, **options):
        inner = 4

        def hidden(a): ...

    @staticmethod
    def make(cls, *, of=lambda x, y: (x, y)): ...


if True:
    async def load(path,  # where, from
                   mode="a,b"):
        pass

setup(
    name="x",
)
'''


def shown(code, *chain, language="python"):
    one = declared(code.encode(), language, chain)
    return [str(each) for each in one.parameters or ()] if one is not None else None


def test_parameters_come_without_annotations_comments_and_self():
    assert shown(CODE, "Box", "__init__") == ["width=1", "*rest", 'deep={"a": 1}', "**options"]
    assert shown(CODE, "Box") == shown(CODE, "Box", "__init__")
    assert shown(CODE, "Box", "make") == ["cls", "of=lambda x, y: (x, y)"]
    assert shown(CODE, "load") == ["path", 'mode="a,b"']
    kinds = {one.name: one.kind for one in declared(CODE.encode(), "python", ("Box",)).parameters}
    assert kinds == {"width": "/", "rest": "*", "deep": "=", "options": "**"}


def test_values_are_those_of_modules_and_classes():
    values = {".".join(one.chain): one.value for one in declarations(CODE.encode(), "python") if one.kind == "value"}
    assert values == {"LIMIT": "60 * 60", "NAMES": '("a", "b")', "Box.size": "3"}


def test_what_is_hidden_or_quoted_is_not_declared():
    found = {".".join(one.chain) for one in declarations(CODE.encode(), "python")}
    assert not found & {"not_this", "hidden", "Box.hidden", "name", "inner"}


def test_two_that_differ_are_none():
    assert declared(b"def f(a): ...\ndef f(b): ...\n", "python", ("f",)) is None
    assert declared(b"def f(a): ...\ndef f(a): ...\n", "python", ("f",)) is not None


def test_typescript_functions_methods_and_constants():
    code = """
export const LIMIT = 30;
export async function load(path: string, mode?: Mode, ...rest: string[]): Promise<void> {
}
export class Box<T> {
  constructor(private width: number) {}
  open(key: string = "a,b") {
    if (key) { run(key) }
  }
}
"""
    assert shown(code, "load", language="typescript") == ["path", "mode=undefined", "*rest"]
    assert shown(code, "Box", "open", language="typescript") == ['key="a,b"']
    assert declared(code.encode(), "typescript", ("LIMIT",)).value == "30"
    assert declared(code.encode(), "typescript", ("Box", "if")) is None


@pytest.mark.parametrize(
    ("head", "bases"),
    [
        ("class Raft", ()),
        ("class Raft extends Hull", ("Hull",)),
        (
            "export class Raft<T extends Wood>extends boats.Hull<() => void, T> implements Floats, Sinks",
            ("boats.Hull",),
        ),
        ("class Raft extends Painted(Hull)", ("Painted",)),
        ("interface Raft extends Hull, Deck<string>", ("Hull", "Deck")),
        ("class Raft\n  extends Hull", ("Hull",)),
        ("class Raft implements Hull", ()),
        ("class Raft extends Hull<", ("Hull",)),
        ("class Raft extends", ()),
    ],
)
def test_what_a_class_of_typescript_extends_are_its_bases(head, bases):
    (raft,) = declarations(f"{head} {{\n}}\n".encode(), "typescript")
    assert (raft.chain, raft.bases) == (("Raft",), bases)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(Path(helix_core.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_our_own_functions_read_as_python_itself_reads_them(path):
    data = path.read_bytes()
    ours = {
        (one.chain, tuple((each.name, each.default is not None) for each in one.parameters))
        for one in declarations(data, "python")
        if one.kind == "function"
    }
    assert ours == set(_functions(ast.parse(data).body, ()))


def _functions(body, chain):
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body, (*chain, node.name))
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions([*node.body, *node.orelse], chain)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (*chain, node.name), tuple(_parameters(node, chain))


def _parameters(node, chain):
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    found = [(one.arg, index >= len(plain) - len(given.defaults)) for index, one in enumerate(plain)]
    if chain and found and found[0][0] in ("self", "cls"):
        found = found[1:]
    found += [(given.vararg.arg, False)] if given.vararg else []
    found += [(one.arg, default is not None) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return found + ([(given.kwarg.arg, False)] if given.kwarg else [])


MEMBERS = """exports.parse = function parse (text, deep) {
  exports.hidden = function (a) {};
};
module.exports.print = (text) => text;
Cart.prototype.total = function (rate = 2) {
};
app.del = app.delete = async function (path) {
};
exports.LIMIT = 3;
if (app.total === 3) {
}
this.own = function (a) {};
const tools = {
  compute(a) {
    send(a);
  },
  shrink: function (b, c) {
  },
  grow: (d) => d,
  wrapped: once(function () {
    inner(e) {
    }
  }),
  deep: {
    dig(f) {
    },
  },
};
Cart.prototype = {
  add(item) {
  },
};
module.exports = {
  reset(all) {
  },
};
"""


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_functions_that_are_members_of_an_object_are_declared(language):
    found = {
        ".".join(one.chain): ", ".join(map(str, one.parameters or ()))
        for one in declarations(MEMBERS.encode(), language)
        if one.kind == "function"
    }
    assert found == {
        "exports.parse": "text, deep",
        "module.exports.print": "text",
        "Cart.total": "rate=2",
        "app.del": "path",
        "app.delete": "path",
        "tools.compute": "a",
        "tools.shrink": "b, c",
        "tools.grow": "d",
        "tools.deep.dig": "f",
        "Cart.add": "item",
        "module.exports.reset": "all",
    }
