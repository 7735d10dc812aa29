"""Who points at a name is told what it is, who uses it and what is said of it, each place true at this moment."""

import os
import random
import shutil
import string
import time

import pytest

from helix_core.errors import Cancelled
from helix_core.search.related import CHANGED, related_sources
from tests.engine.repository import git, write

PATIENCE_S = 60.0


def places(known, key):
    return [(place["source_id"], place["start_line"]) for place in known[key]]


def eventually(ask, is_there):
    """Ask until the answer is there: git is read beside the answers."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        known = ask()
        if is_there(known) or time.monotonic() > deadline:
            return known
        time.sleep(0.02)


def indexed(tmp_path, open_helix, files, *, commit=True):
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    write(folder, files)
    if commit:
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "Begin")
    engine = open_helix(folder)
    engine.refresh()
    return folder, engine


def test_a_name_is_told_with_its_definition_tests_documents_and_commit(helix, repository):
    known = helix.symbols.about("sign_cookie")
    assert (known["schema"], known["name"], known["kind"]) == ("helix.symbol/1", "sign_cookie", "function")
    assert places(known, "definitions") == [("app/sessions.py", 6)]
    assert places(known, "tests") == [("tests/test_sessions.py", 5)]
    assert places(known, "documents") == [("docs/sessions.md", 3)]
    assert places(known, "users") == []
    assert (known["users_total"], known["importers_total"]) == (0, 1)
    assert (known["author"], known["commit"]) == ("Ada", git(repository, "rev-parse", "HEAD").strip())
    shown = [place for key in ("definitions", "tests", "documents") for place in known[key]]
    assert {place["status"] for place in shown} == {"verified"}
    assert all(place["uri"] == (repository / place["source_id"]).as_uri() for place in shown)
    assert all(place["author"] == "Ada" and place["committed_at"] > 0 for place in shown)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("", "  ", "def", "self", "42", "browser", "nothing_has_this_name", "a b", "`", "..", "\0", "sign\0cookie"),
        *("x" * 1_000_000, "a" * 150 + "." * 40, '"); DROP TABLE item; --', "sign_cookie\ud800"),
    ],
    ids=lambda name: ascii(name[:20]),
)
def test_what_nothing_defines_has_no_answer(helix, name):
    assert helix.symbols.about(name, path=b"app/sessions.py", line=8) is None


def test_a_name_whose_file_is_stored_anew_between_two_queries_is_looked_up_again(
    helix, repository, open_helix, monkeypatch
):
    names = type(helix.session.index.reader.names)
    original, asked = names.defined_at, []

    def defined_at(self, *given):
        asked.append(given)
        if len(asked) > 1:
            return original(self, *given)
        file = repository / "app/sessions.py"
        file.write_text(file.read_text() + "# more\n")
        open_helix(repository).refresh_paths([b"app/sessions.py"])
        return []

    monkeypatch.setattr(names, "defined_at", defined_at)
    assert places(helix.symbols.about("sign_cookie"), "definitions") == [("app/sessions.py", 6)]


def test_a_name_with_white_space_around_it_is_that_name(helix):
    assert helix.symbols.about(" sign_cookie\n")["name"] == "sign_cookie"


def test_a_path_or_line_that_is_not_there_changes_nothing(helix):
    for path, line in ((b"no/such.py", 3), (b"app/sessions.py", 100_000), (b"app/sessions.py", -4), (b"\xff/\0", 1)):
        assert places(helix.symbols.about("sign_cookie", path=path, line=line), "definitions") == [
            ("app/sessions.py", 6)
        ]


def test_who_types_a_name_need_not_know_its_case_and_a_text_is_taken_at_its_word(helix):
    assert helix.symbols.about("SIGN_COOKIE")["symbol"] == "sign_cookie"
    assert helix.symbols.about("SIGN_COOKIE", path=b"app/routing.py", line=1) is None


def test_a_changed_definition_is_told_as_it_stands_now(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text("# one\n# two\n" + path.read_text().replace("(secret_key, payload):", "(secret_key, text):"))
    known = helix.symbols.about("sign_cookie")
    assert places(known, "definitions") == [("app/sessions.py", 8)]
    assert known["definitions"][0]["status"] == "verified"
    (document,) = known["documents"]
    assert (document["status"], document["reason"]) == ("stale_risk", "outdated_doc")
    assert "sign_cookie" in document["detail"]


def test_a_renamed_symbol_has_its_new_name_only(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("sign_cookie", "seal_cookie"))
    former = helix.symbols.about("sign_cookie")
    assert places(former, "definitions") == []
    assert places(former, "tests") == [("tests/test_sessions.py", 5)]
    assert helix.symbols.about("sign_cookie", path=b"tests/test_sessions.py", line=5) is None
    helix.refresh()
    assert places(helix.symbols.about("seal_cookie"), "definitions") == [("app/sessions.py", 6)]


def test_a_deleted_file_is_never_shown(helix, repository):
    (repository / "tests/test_sessions.py").unlink()
    (repository / "docs/sessions.md").unlink()
    known = helix.symbols.about("sign_cookie")
    assert places(known, "tests") == places(known, "documents") == []
    (repository / "app/sessions.py").unlink()
    gone = helix.symbols.about("sign_cookie")
    assert [place for key in ("definitions", "users", "tests", "documents") for place in gone[key]] == []


def test_unsaved_edits_move_lines_and_mark_what_they_touch(helix, repository):
    disk = (repository / "app/sessions.py").read_bytes()
    above = {b"app/sessions.py": b"# a\n# b\n" + disk}
    (moved,) = helix.symbols.about("sign_cookie", path=b"app/sessions.py", line=8, overlays=above)["definitions"]
    assert (moved["status"], moved["start_line"]) == ("verified", 6)
    assert moved["buffer"] == {"start_line": 8, "end_line": 10}
    inside = {b"app/sessions.py": disk.replace(b'payload + "."', b'payload + "|"')}
    (touched,) = helix.symbols.about("sign_cookie", path=b"app/sessions.py", line=6, overlays=inside)["definitions"]
    assert (touched["status"], touched["reason"]) == ("stale_risk", "unsaved")
    (other,) = helix.symbols.about("verify_cookie", path=b"app/sessions.py", line=11, overlays=inside)["definitions"]
    assert other["status"] == "verified"
    same = {b"app/sessions.py": disk}
    assert "buffer" not in helix.symbols.about("sign_cookie", overlays=same)["definitions"][0]


def test_conflict_markers_mark_every_place_of_their_file(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text() + "\n<<<<<<< ours\nAGE = 1\n=======\nAGE = 2\n>>>>>>> theirs\n")
    (definition,) = helix.symbols.about("sign_cookie")["definitions"]
    assert (definition["status"], definition["reason"]) == ("stale_risk", "conflicted")


def test_a_contradicted_constant_says_so_and_its_neighbour_does_not(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("AGE = 3600", "AGE = 60\nSESSION_COOKIE_NAME = 'sid'"))
    git(repository, "commit", "-q", "-am", "Shorter sessions")
    helix.refresh()
    (document,) = helix.symbols.about("SESSION_COOKIE_AGE")["documents"]
    assert document["status"] == "stale_risk"
    assert helix.symbols.about("SESSION_COOKIE_NAME")["definitions"][0]["status"] == "verified"


COMMON = "def save(self):\n    return {number}\n"


@pytest.fixture
def crowded(tmp_path, open_helix, starts_processes):
    """One name in thirty files, a method of two classes in one file, and two who import one of them."""
    files = {f"shop/part_{number:02}.py": COMMON.format(number=number) for number in range(30)}
    files |= {
        "shop/models.py": "class Order:\n    def total(self):\n        return 1\n\n\n"
        "class Basket:\n    def total(self):\n        return 2\n\n"
        "    def twice(self):\n        return self.total() * 2\n",
        "shop/till.py": "from shop.part_17 import save\n\n\ndef close_day():\n    save(1)\n",
        "shop/night.py": "from . import part_17\n\n\ndef close_night():\n    part_17.save(1)\n",
        "other/far.py": "def lonely():\n    return save(3)\n",
        "tests/test_part_17.py": "from shop.part_17 import save\n\n\ndef test_save():\n    assert save(1) == 17\n",
        "tests/helpers.py": "def save(x):\n    return x\n",
    }
    return indexed(tmp_path, open_helix, files)[1]


def test_of_many_definitions_at_most_five_are_listed_and_tests_come_last(crowded):
    known = crowded.symbols.about("save")
    assert known["definitions_total"] == 31
    assert len(known["definitions"]) == 5
    assert all(path.startswith("shop/part_") for path, _ in places(known, "definitions"))


def test_the_definition_in_this_file_is_meant_and_then_the_imported_one(crowded):
    assert places(crowded.symbols.about("save", path=b"shop/part_09.py", line=1), "definitions") == [
        ("shop/part_09.py", 1)
    ]
    assert places(crowded.symbols.about("save", path=b"shop/till.py", line=5), "definitions") == [
        ("shop/part_17.py", 1)
    ]
    assert places(crowded.symbols.about("save", path=b"shop/night.py", line=5), "definitions") == [
        ("shop/part_17.py", 1)
    ]
    assert places(crowded.symbols.about("save", path=b"tests/helpers.py", line=1), "definitions") == [
        ("tests/helpers.py", 1)
    ]


def test_users_come_nearest_first_and_a_definition_is_no_user_of_its_name(crowded):
    known = crowded.symbols.about("save", path=b"shop/part_17.py", line=1)
    assert [path for path, _ in places(known, "users")] == ["shop/night.py", "shop/till.py"]
    assert known["users"][0]["symbol"] == "close_night"
    assert places(known, "tests") == [("tests/test_part_17.py", 5)]
    assert known["importers_total"] == 3


def test_importers_are_known_however_they_write_the_import(tmp_path, open_helix):
    files = {
        "src/shop/rates.py": "def rate_of(x):\n    return x\n",
        "src/shop/a.py": "from shop.rates import rate_of\n\n\ndef a():\n    return rate_of(1)\n",
        "src/shop/b.py": "from .rates import rate_of\n\n\ndef b():\n    return rate_of(1)\n",
        "src/shop/sub/c.py": "from ..rates import rate_of\n\n\ndef c():\n    return rate_of(1)\n",
        "src/shop/d.py": "from shop import rates\n\n\ndef d():\n    return rates.rate_of(1)\n",
        "src/other/e.py": "from other.rates import something\n\n\ndef e():\n    return something(1)\n",
        "web/money.ts": "export function euros(x: number) {\n  return x;\n}\n",
        "web/f.ts": "import { euros } from './money';\n\nexport function f() {\n  return euros(1);\n}\n",
        "web/deep/g.ts": "import { euros } from '../money.js';\n\nexport function g() {\n  return euros(1);\n}\n",
        "net/wire.h": "int wire_size(int x);\nstatic inline int wire_twice(int x) { return 2 * x; }\n",
        "net/h.c": '#include "net/wire.h"\n\nint h(void) {\n  return wire_twice(1);\n}\n',
    }
    _, engine = indexed(tmp_path, open_helix, files)
    assert engine.symbols.about("rate_of")["importers_total"] == 4
    assert engine.symbols.about("euros")["importers_total"] == 2
    assert engine.symbols.about("wire_twice")["importers_total"] == 1


def test_a_method_is_told_by_its_class_and_self_by_the_class_around(crowded):
    assert [place["symbol"] for place in crowded.symbols.about("Basket.total")["definitions"]] == ["Basket.total"]
    assert crowded.symbols.about("total", path=b"shop/models.py", line=2)["symbol"] == "Order.total"
    assert crowded.symbols.about("total", path=b"shop/models.py", line=11)["symbol"] == "Basket.total"


def test_overrides_are_those_whose_class_names_the_class_as_the_file_is_now(tmp_path, open_helix):
    files = {
        "ship/hull.ts": "export class Hull {\n  paint(color: string) {\n    return color;\n  }\n}\n",
        "ship/raft.ts": "import { Hull } from './hull';\n\nexport class Raft extends Hull {\n  paint(color: string) {\n"
        "    return color + '!';\n  }\n}\n",
        "ship/wall.ts": "// Not a Hull.\nexport class Wall {\n  paint(color: string) {\n    return color;\n  }\n}\n",
        "tests/hull.test.ts": "class Fake extends Hull {\n  paint(color: string) {\n    return color;\n  }\n}\n",
    }
    folder, engine = indexed(tmp_path, open_helix, files, commit=False)
    painted = engine.symbols.about("Hull.paint")
    assert places(painted, "overrides") == [("ship/raft.ts", 4)]
    assert places(painted, "same_name") == [("ship/raft.ts", 4), ("ship/wall.ts", 3)]
    write(folder, {"ship/raft.ts": files["ship/raft.ts"].replace(" extends Hull", "")})
    assert places(engine.symbols.about("Hull.paint"), "overrides") == []


def test_siblings_below_a_base_of_the_same_name_do_not_override_each_other(tmp_path, open_helix):
    sibling = """from . import virtual


class Channel(virtual.Channel):
    def consume(self):
        return "a queue of its own kind"
"""
    files = {
        "mail/__init__.py": "",
        "mail/base.py": "class Channel:\n    def consume(self):\n        return None\n\n"
        "    def close(self):\n        pass\n",
        "mail/virtual/__init__.py": "from .base import Channel\n",
        "mail/virtual/base.py": sibling.replace("from . import virtual", "from mail import base").replace(
            "virtual.Channel", "base.Channel"
        ),
        "mail/redis.py": sibling,
        "mail/sqs.py": sibling + "\n    def close(self):\n        return self\n",
        "mail/fifo.py": sibling.replace("from . import virtual", "from . import sqs").replace(
            "Channel(virtual.Channel)", "Fifo(sqs.Channel)"
        ),
    }
    _, engine = indexed(tmp_path, open_helix, files, commit=False)

    def overriding(path):
        return places(engine.symbols.about("consume", path=path, line=5), "overrides")

    closed = engine.symbols.about("close", path=b"mail/base.py", line=5)
    assert places(closed, "overrides") == [("mail/sqs.py", 8)], "below a class between that has no such method"
    assert overriding(b"mail/redis.py") == []
    assert overriding(b"mail/sqs.py") == [("mail/fifo.py", 5)]
    assert overriding(b"mail/virtual/base.py") == [("mail/fifo.py", 5), ("mail/redis.py", 5), ("mail/sqs.py", 5)]


JAVA = {
    "draw/Shape.java": "package draw;\n\npublic abstract class Shape {\n    public void paint(int ink) { }\n}\n",
    "draw/Round.java": "package draw;\n\npublic abstract class Round extends Shape {\n    int size;\n}\n",
    "draw/Circle.java": "package draw;\n\nfinal class Circle<T> extends draw.Round<T> implements Sized {\n"
    "    public void paint(int ink) { }\n}\n",
    "draw/Wall.java": "package draw;\n\n// Not a Shape.\npublic class Wall {\n    public void paint(int ink) { }\n}\n",
}
C_SHARP = """namespace Draw {
    interface IShape {
        void Paint(int ink);
    }
    class Circle : Draw.IShape, IDisposable {
        public void Paint(int ink) { }
    }
    class Oval : Circle {
        public override void Paint(int ink) { }
    }
    class Wall {
        public void Paint(int ink) { }
    }
}
"""
KOTLIN = """interface Shape {
    fun paint(ink: Int): Int
}
open class Circle(val size: Int) : Shape {
    override fun paint(ink: Int): Int = ink
}
class Oval(size: Int) : Circle(size), Cloneable {
    override fun paint(ink: Int): Int = 2
}
class Wall {
    fun paint(ink: Int): Int = 3
}
"""
PHP = """<?php
namespace App;
interface Shape {
    public function paint($ink);
}
trait Loud {
    public function shout() { return 1; }
}
class Circle implements \\App\\Shape {
    use Loud;
    public function paint($ink) { return 1; }
    public function shout() { return 2; }
}
class Wall {
    public function paint($ink) { return 3; }
}
"""
RUBY = """module Zoo
  class Animal
    def speak(to)
      to
    end
  end
  class Dog < Zoo::Animal
    def speak(to)
      1
    end
  end
  class Rock
    def speak(to)
      2
    end
  end
end
"""
RUST = """pub trait Shape {
    fn paint(&self) -> u32;
}
pub struct Circle<T> { ink: T }
impl<T: Copy> crate::Shape for Circle<T> where T: Clone {
    fn paint(&self) -> u32 {
        1
    }
}
pub struct Wall;
impl Wall {
    fn paint(&self) -> u32 {
        2
    }
}
"""
SCALA = """trait Shape {
  def paint(ink: Int): Int
}
class Circle extends Loud with Shape {
  override def paint(ink: Int): Int = 1
}
class Wall {
  def paint(ink: Int): Int = 2
}
"""
SWIFT = """protocol Shape {
    func paint(ink: Int) -> Int
}
class Circle: Shape, Other<Int> {
    func paint(ink: Int) -> Int { return 1 }
}
struct Wall {
    func paint(ink: Int) -> Int { return 2 }
}
"""


@pytest.mark.parametrize(
    ("files", "asked", "overriding"),
    [
        pytest.param(JAVA, "Shape.paint", [("draw/Circle.java", 4, "Circle.paint")], id="java"),
        pytest.param(
            {"draw.cs": C_SHARP},
            "IShape.Paint",
            [("draw.cs", 6, "Draw.Circle.Paint"), ("draw.cs", 9, "Draw.Oval.Paint")],
            id="c_sharp",
        ),
        pytest.param(
            {"draw.kt": KOTLIN},
            "Shape.paint",
            [("draw.kt", 5, "Circle.paint"), ("draw.kt", 8, "Oval.paint")],
            id="kotlin",
        ),
        pytest.param({"draw.php": PHP}, "Shape.paint", [("draw.php", 11, "Circle.paint")], id="php"),
        pytest.param({"draw.php": PHP}, "Loud.shout", [("draw.php", 12, "Circle.shout")], id="php trait"),
        pytest.param({"zoo.rb": RUBY}, "Animal.speak", [("zoo.rb", 8, "Zoo.Dog.speak")], id="ruby"),
        pytest.param({"draw.rs": RUST}, "Shape.paint", [("draw.rs", 6, "Circle.paint")], id="rust"),
        pytest.param({"draw.scala": SCALA}, "Shape.paint", [("draw.scala", 5, "Circle.paint")], id="scala"),
        pytest.param({"draw.swift": SWIFT}, "Shape.paint", [("draw.swift", 5, "Circle.paint")], id="swift"),
    ],
)
def test_overrides_are_told_in_every_language_that_names_what_a_class_extends(
    tmp_path, open_helix, files, asked, overriding
):
    _, engine = indexed(tmp_path, open_helix, files, commit=False)
    answer = engine.symbols.about(asked, k=9)
    assert [(one["source_id"], one["start_line"], one["symbol"]) for one in answer["overrides"]] == overriding
    apart = {one["symbol"].split(".")[-2] for one in answer["same_name"]} - {"Circle", "Oval", "Dog"}
    assert apart == ({"Rock"} if "zoo.rb" in files else set() if asked == "Loud.shout" else {"Wall"})


def test_a_method_of_cpp_outside_of_its_class_overrides_as_its_header_says(tmp_path, open_helix):
    body = "{\n    return 1;\n}\n"
    files = {
        "geo/solid.hpp": "#pragma once\nnamespace geo {\nclass Solid {\npublic:\n    virtual double volume() const;\n"
        "};\n}\n",
        "geo/solid.cpp": f'#include "solid.hpp"\ndouble geo::Solid::volume() const {body}',
        "geo/cube.hpp": '#include "solid.hpp"\nclass Cube final : public virtual geo::Solid, private Noise<int> {\n'
        "public:\n    double volume() const override;\n};\n",
        "geo/cube.cpp": f'#include "cube.hpp"\n\ndouble Cube::volume() const {body}',
        "geo/lone.cpp": f"class Lone {{\n    double volume() const;\n}};\ndouble Lone::volume() const {body}",
    }
    _, engine = indexed(tmp_path, open_helix, files, commit=False)
    overriding = [("geo/cube.cpp", 3), ("geo/cube.hpp", 4)]
    assert places(engine.symbols.about("Solid.volume", k=9), "overrides") == overriding
    pointed = engine.symbols.about("volume", path=b"geo/solid.cpp", line=2, k=9)
    assert places(pointed, "overrides") == overriding


def test_who_overrides_is_said_not_to_be_told_where_no_type_names_what_it_extends(tmp_path, open_helix):
    method = "func (f *{0}) Read(p []byte) int {{\n\treturn 0\n}}\n"
    files = {
        "a/read.go": "package a\n\ntype Reader interface {\n\tRead(p []byte) int\n}\n",
        "a/file.go": "package a\n\ntype File struct{}\n\n" + method.format("File"),
        "a/close.go": "package a\n\ntype Closer interface {\n\tShut() int\n}\n",
    }
    _, engine = indexed(tmp_path, open_helix, files, commit=False)
    read = engine.symbols.about("Reader.Read")
    assert (places(read, "overrides"), places(read, "same_name")) == ([], [("a/file.go", 5)])
    assert [note for note in read["notes"] if "overrides" in note] == [
        "overrides are not listed in Go, where no type names what it extends: look at same_name"
    ]
    assert not [note for note in engine.symbols.about("Closer.Shut")["notes"] if "overrides" in note]


def test_a_class_between_that_does_not_have_the_method_hides_no_override(tmp_path, open_helix):
    files = {
        "app/base.py": "class View:\n    def render(self):\n        return 1\n",
        "app/middle.py": "from app.base import View\n\n\nclass Mid(View):\n    def check(self):\n        return 2\n",
        "app/own.py": "from app.middle import Mid\n\n\nclass Own(Mid):\n    def render(self):\n        return 3\n",
        "app/loop.py": "class One(Two):\n    def render(self):\n        return 4\n\n\nclass Two(One):\n    pass\n",
    }
    _, engine = indexed(tmp_path, open_helix, files, commit=False)
    assert places(engine.symbols.about("View.render", k=9), "overrides") == [("app/own.py", 5)]


def test_what_is_nested_in_one_small_chunk_has_all_its_owners_and_its_namesakes(tmp_path, open_helix):
    code = """class Outer:
    class First:
        def act(self):
            return 1

    class Second:
        def act(self):
            return 2
"""
    _, engine = indexed(tmp_path, open_helix, {"app/nested.py": code}, commit=False)
    first = engine.symbols.about("First.act")
    assert (first["symbol"], places(first, "definitions")) == ("Outer.First.act", [("app/nested.py", 3)])
    assert [one["symbol"] for one in first["same_name"]] == ["Outer.Second.act"]


REOPENED = """module Shop
  module Job
    class Interrupted < ::RuntimeError; end

    module Iterable
      LIMIT = 3

      def cancel!(reason)
        raise Interrupted, reason
      end
{more}
    end
  end
end
"""


def test_each_definition_has_the_owners_that_it_stands_in_whichever_chunk_they_begin_in(tmp_path, open_helix):
    more = "\n".join(f"      def step_{number}\n        {number}\n      end\n" for number in range(20))
    parser = "namespace shop {\nnamespace detail {\nclass Cart {\n public:\n  int total() { return 1; }\n};\n"
    parser += "\n".join(f"int part_{number}() {{\n  return {number};\n}}\n" for number in range(20)) + "}\n}\n"
    files = {"lib/job.rb": REOPENED.replace("{more}", more), "src/cart.cc": parser}
    _, engine = indexed(tmp_path, open_helix, files, commit=False)
    for name, symbol in (
        ("Shop", "Shop"),
        ("Job", "Shop.Job"),
        ("Interrupted", "Shop.Job.Interrupted"),
        ("Iterable", "Shop.Job.Iterable"),
        ("LIMIT", "Shop.Job.Iterable.LIMIT"),
        ("step_7", "Shop.Job.Iterable.step_7"),
        ("detail", "shop.detail"),
        ("Cart", "shop.detail.Cart"),
        ("total", "shop.detail.Cart.total"),
    ):
        known = engine.symbols.about(name)
        assert [one["symbol"] for one in known["definitions"]] == [symbol]
    assert [one["symbol"] for one in engine.symbols.about("Interrupted")["users"]] == ["Shop.Job.Iterable.cancel!"]


def test_a_name_of_a_module_from_elsewhere_is_not_ours(tmp_path, open_helix):
    files = {
        "app/forms.py": "class Form:\n    def compile(self):\n        return 1\n",
        "app/text.py": "import re\n\nPATTERN = re.compile('a')\n\n\ndef of(form):\n    return form.compile()\n",
    }
    _, engine = indexed(tmp_path, open_helix, files)
    assert engine.symbols.about("compile", path=b"app/text.py", line=3) is None
    assert engine.symbols.about("compile", path=b"app/text.py", line=7)["symbol"] == "Form.compile"


def test_a_field_elsewhere_says_nothing_about_a_common_word_here(tmp_path, open_helix):
    files = {
        "app/a.py": "class A:\n    title = 1\n",
        "app/b.py": "def show(title):\n    return title\n",
    }
    _, engine = indexed(tmp_path, open_helix, files)
    assert engine.symbols.about("title", path=b"app/b.py", line=2) is None
    assert engine.symbols.about("title", path=b"app/a.py", line=2)["symbol"] == "A.title"


def test_names_in_any_script_and_names_the_language_calls_itself(tmp_path, open_helix):
    files = {
        "app/größe.py": "class Maß:\n    def __init__(self):\n        self.x = 1\n\n\n"
        "def größe_von(ding):\n    return Maß()\n",
        "app/use.py": "from app.größe import größe_von\n\n\ndef zeig():\n    return größe_von(1)\n",
        "app/计.py": "def 计算(x):\n    return x\n",
    }
    _, engine = indexed(tmp_path, open_helix, files)
    known = engine.symbols.about("größe_von", path=b"app/use.py", line=5)
    assert places(known, "definitions") == [("app/größe.py", 6)]
    assert places(known, "users") == [("app/use.py", 5)]
    assert engine.symbols.about("计算")["kind"] == "function"
    assert engine.symbols.about("__init__", path="app/größe.py".encode(), line=2)["symbol"] == "Maß.__init__"


def test_only_the_case_that_is_meant_is_used(tmp_path, open_helix):
    files = {
        "app/field.py": "class Ledger:\n    pass\n",
        "app/a.py": "from app.field import Ledger\n\n\ndef real():\n    return Ledger()\n",
        "app/b.py": "def other(ledger):\n    return ledger + 1\n",
    }
    _, engine = indexed(tmp_path, open_helix, files)
    known = engine.symbols.about("Ledger")
    assert places(known, "users") == [("app/a.py", 5)]
    assert known["users_total"] == 1


def test_a_name_that_is_typed_in_another_case_has_the_users_of_the_definition_that_is_shown(tmp_path, open_helix):
    files = {
        "app/field.py": "class Ledger:\n    pass\n",
        "app/a.py": "from app.field import Ledger\n\n\ndef real():\n    return Ledger()\n",
        "tests/test_a.py": "from app.field import Ledger\n\n\ndef test_it():\n    assert Ledger()\n",
    }
    _, engine = indexed(tmp_path, open_helix, files)
    for typed in ("ledger", "LEDGER"):
        known = engine.symbols.about(typed, k=9)
        assert (known["name"], known["symbol"]) == ("Ledger", "Ledger")
        assert places(known, "users") == [("app/a.py", 5)]
        assert (known["users_total"], known["tests_total"]) == (1, 1)
        assert f"{typed} is read as Ledger" in known["notes"]
    assert not any("is read as" in note for note in engine.symbols.about("Ledger", k=9)["notes"])


def test_without_git_and_before_the_first_commit_there_is_no_history_and_no_complaint(tmp_path, open_helix):
    files = {"app/a.py": "def lonely_name():\n    return 1\n"}
    folder, engine = indexed(tmp_path, open_helix, files, commit=False)
    known = engine.symbols.about("lonely_name")
    assert (known["commit"], known["author"], known["commit_of"], known["co_changed"]) == (None, None, "", [])
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    assert engine.symbols.about("lonely_name")["definitions"][0]["commit"] is None


def test_the_definitions_own_lines_are_dated_not_its_file(tmp_path, open_helix):
    text = "def first_thing():\n    return 1\n\n\ndef second_thing():\n    return 2\n"
    folder, engine = indexed(tmp_path, open_helix, {"app/a.py": text})
    begin = git(folder, "rev-parse", "HEAD").strip()
    (folder / "app/a.py").write_text(text.replace("return 2", "return 3"))
    git(folder, "-c", "user.name=Grace", "commit", "-q", "-am", "Three")
    engine.refresh()

    def dated(name):
        return eventually(lambda: engine.symbols.about(name), lambda known: known["commit_of"] == "lines")

    first, second = dated("first_thing"), dated("second_thing")
    assert (first["commit"], first["definitions"][0]["commit"]) == (begin, begin)
    assert second["commit"] == git(folder, "rev-parse", "HEAD").strip()
    assert not second["uncommitted"]
    (folder / "app/a.py").write_text(text.replace("return 2", "return 4"))
    assert dated("second_thing")["uncommitted"]


def test_a_hover_and_an_expansion_name_the_same_files_that_change_together(tmp_path, open_helix):
    files = {
        name: f"def pair_{name[4]}():\n    return 0\n" for name in ("app/a.py", "app/b.py", "app/c.py", "app/d.py")
    }
    folder, engine = indexed(tmp_path, open_helix, files)
    # Counting the first commit, c changed with a twice only; d changes whenever anything does.
    steps = [*["abd"] * 3, "acd", *["d"] * 12]
    for number, touched in enumerate(steps, 1):
        for letter in touched:
            (folder / f"app/{letter}.py").write_text(f"def pair_{letter}():\n    return {number}\n")
        git(folder, "commit", "-q", "-am", f"Step {number}")
    engine.refresh()
    known = engine.symbols.about("pair_a")
    assert places(known, "co_changed") == [("app/b.py", 1)]
    assert known["co_changed"][0]["status"] == "verified"
    reader = engine.session.index.reader
    item = reader.files.items_of(reader.files.source(b"app/a.py").id)[0]
    expanded = [item_id for relation, item_id in related_sources(reader, item) if relation == CHANGED]
    assert [one.source.path for one in reader.files.items(expanded).values()] == [b"app/b.py"]


def test_a_file_that_leads_outside_or_became_a_folder_is_not_read(helix, repository, tmp_path):
    (tmp_path / "outside.py").write_text("def sign_cookie():\n    return 'outside'\n")
    target = repository / "app/sessions.py"
    target.unlink()
    target.symlink_to(tmp_path / "outside.py")
    assert helix.symbols.about("sign_cookie")["definitions"] == []
    shutil.rmtree(repository / "tests")
    os.mkfifo(repository / "tests")
    assert helix.symbols.about("match_route")["tests"] == []


def test_no_secret_is_said_in_any_part_of_the_answer(tmp_path, open_helix):
    token = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    files = {
        "app/a.py": f'API_TOKEN = "{token}"\n\n\ndef with_token():\n    """Uses {token}."""\n    return API_TOKEN\n',
        "docs/a.md": f"# Tokens\n\n`API_TOKEN = {token}` is read by `with_token`.\n",
    }
    _, engine = indexed(tmp_path, open_helix, files)
    said = [
        engine.symbols.about("API_TOKEN"),
        engine.symbols.about("with_token"),
        engine.symbols.findings(b"docs/a.md"),
    ]
    said += [engine.symbols.lenses(b"app/a.py"), engine.symbols.about(token)]
    assert said[0] is not None and said[1]["documents"]
    assert token not in str(said)


def test_a_question_taken_back_ends_with_cancelled(helix):
    with pytest.raises(Cancelled):
        helix.symbols.about("sign_cookie", cancelled=lambda: True)


def test_nothing_runs_on_after_the_engine_is_closed(tmp_path, open_helix):
    import threading

    _, engine = indexed(tmp_path, open_helix, {"app/a.py": "def soon_gone():\n    return 0\n"})
    engine.symbols.about("soon_gone")
    engine.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("helix-")]


def test_with_room_for_all_no_user_is_left_out_however_many_are_in_one_file(tmp_path, open_helix):
    one = "from app.core import weigh_leaf\n\n\n" + "\n\n".join(
        f"def brew_{number}(leaf):\n    return weigh_leaf(leaf) + {number}\n" for number in range(9)
    )
    tests = "from app.core import weigh_leaf\n\n\n" + "\n\n".join(
        f"def test_weighing_{number}():\n    assert weigh_leaf({number}) == {number}\n" for number in range(30)
    )
    many = {
        f"far/user_{number}.py": f"from app.core import weigh_leaf\n\n\ndef use_{number}(leaf):\n"
        "    return weigh_leaf(leaf)\n"
        for number in range(11)
    }
    core = "def weigh_leaf(leaf):\n    return leaf\n"
    files = {"app/core.py": core, "app/one.py": one, "tests/test_core.py": tests}
    _, engine = indexed(tmp_path, open_helix, files | many)
    few = engine.symbols.about("weigh_leaf", k=3)
    assert (len(few["users"]), few["users_total"], len(few["tests"]), few["tests_total"]) == (3, 20, 3, 30)
    assert few["totals_exact"]
    every = engine.symbols.about("weigh_leaf", k=40)
    assert len(every["users"]) == every["users_total"] == 20
    assert len(every["tests"]) == every["tests_total"] == 30
    ten = engine.symbols.about("weigh_leaf", k=10)
    assert len(ten["users"]) == 10
    assert len({place["source_id"] for place in ten["users"]}) > 2


def test_each_line_outside_of_functions_and_each_function_is_a_user_of_its_own(tmp_path, open_helix):
    script = """exports.etag = makeTag({ weak: false })

exports.wetag = makeTag({ weak: true })

function both () {
  return [makeTag({}), makeTag({ weak: true })]
}

function makeTag (options) {
  return options
}
"""
    write(tmp_path, {"utils.js": script})
    helix = open_helix(tmp_path)
    helix.refresh()
    told = helix.symbols.about("makeTag")
    assert sorted(place["start_line"] for place in told["users"]) == [1, 3, 6]
    assert told["users_total"] == 3


def test_a_use_is_a_line_of_code_and_no_line_of_a_docstring(tmp_path, open_helix):
    source = '''def linked(text):
    return text


def do_linked(value):
    """Make links.

    Set ``env.policies["linked"]`` to have more of them.
    """
    policies = value["linked"]
    return linked(policies)
'''
    write(tmp_path, {"filters.py": source})
    helix = open_helix(tmp_path)
    helix.refresh()
    (user,) = helix.symbols.about("linked")["users"]
    assert (user["start_line"], user["symbol"]) == (11, "do_linked")
