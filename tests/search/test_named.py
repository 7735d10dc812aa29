"""A name that is defined, a line that exists, a name that is gone: what they settle about an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from helix_core.conversation import coordinates
from helix_core.model import Found
from helix_core.search.judge import ABSENT_CONFIDENCE, NO_AUTHORS_NOTE
from helix_core.search.named import MANY_CONFIDENCE, NAMED_CONFIDENCE, UNDEFINED_CONFIDENCE
from helix_core.search.question import parse_question, with_signs
from helix_core.search.rankers import WORD_HITS
from helix_core.search.search import SearchRequest, search
from helix_core.store import DefinitionHit, Reader


def ask(reader: Reader, question: str) -> Found:
    return search(SearchRequest(question, 8, places=coordinates(question)), reader)


def is_first(found: Found, path: str, name: str) -> bool:
    return (found.ranked[0].item.source.source_id, found.ranked[0].item.name) == (path, name)


@pytest.mark.parametrize(
    "question",
    [
        "send_confirmation",
        "fix send_confirmation",
        "refactor send_confirmation please",
        "repair the bug in send_confirmation",
    ],
)
def test_a_defined_name_is_sure_whatever_verb_stands_before_it(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert is_first(found, "src/shop/mail.py", "send_confirmation")
    assert found.confidence >= NAMED_CONFIDENCE and not found.notes


@pytest.mark.parametrize(
    "question", ["test_total_price", "fix test_total_price", "fix the failing test test_total_price"]
)
def test_a_test_that_the_question_names_is_as_sure_as_any_definition(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert is_first(found, "tests/test_cart.py", "test_total_price")
    assert found.confidence >= NAMED_CONFIDENCE


def test_homonyms_come_first_together_and_are_sure_as_a_set(indexed) -> None:  # type: ignore[no-untyped-def]
    code = '"""Centrality."""\n\n\ndef betweenness_centrality(graph):\n    """Compute betweenness centrality."""\n'
    others = {
        f"tests/test_{number}.py": f"from a import betweenness_centrality\n\n\ndef test_{number}():\n"
        + "    betweenness_centrality(betweenness_centrality)\n" * 5
        for number in range(90)
    }
    reader = indexed({"a.py": code, "bipartite/a.py": code, **others})
    for question in ("betweenness_centrality", "fix betweenness_centrality"):
        found = ask(reader, question)
        assert {one.item.source.source_id for one in found.ranked[:2]} == {"a.py", "bipartite/a.py"}
        assert found.confidence >= NAMED_CONFIDENCE


def test_a_defined_name_settles_nothing_about_what_nobody_wrote_or_what_others_own(shop: Reader) -> None:
    for question in ("does send_confirmation shard over kubernetes pods", "fix kubernetes.reserve_stock"):
        assert ask(shop, question).confidence < NAMED_CONFIDENCE
    assert ask(shop, "explain Mailbox.send_confirmation and Cart").confidence < NAMED_CONFIDENCE


@pytest.mark.parametrize(
    "question",
    [
        "what is at stock.py:10",
        "in stock.py what does line 10 do",
        "what is on line 10 of src/shop/stock.py?",
        "Line 10 in `stock.py`",
        "stock.py line 10",
    ],
)
def test_a_line_of_a_file_is_a_place_of_its_own(shop: Reader, question: str) -> None:
    found = ask(shop, question)
    assert found.ranked[0].item.start_line <= 10 <= found.ranked[0].item.end_line
    assert found.ranked[0].signals[0].ranker == "pasted"
    assert found.ranked[0].item.source.source_id == "src/shop/stock.py"
    assert found.confidence >= NAMED_CONFIDENCE


@pytest.mark.parametrize("question", ["what is at stock.py:9999", "line 9999 of stock.py", "line 3 of warehouse.py"])
def test_a_line_that_no_file_has_is_not_sure(shop: Reader, question: str) -> None:
    assert ask(shop, question).confidence < NAMED_CONFIDENCE


def test_a_line_of_several_files_of_one_name_is_shown_of_each(indexed) -> None:  # type: ignore[no-untyped-def]
    code = "def view(request):\n    return request\n"
    reader = indexed({"a/views.py": code, "b/views.py": code})
    found = ask(reader, "what is at views.py:2")
    assert {one.item.source.source_id for one in found.ranked[:2]} == {"a/views.py", "b/views.py"}


def test_prose_with_two_files_or_two_lines_names_no_place() -> None:
    assert coordinates("does line 3 of a.py differ from b.py") == ()
    assert coordinates("lines 3 and line 8 of a.py") == ()
    assert [(one.path, one.line) for one in coordinates("the loop, e.g. on line 8, is in app/main.py")] == [
        ("app/main.py", 8)
    ]


@pytest.mark.parametrize(
    "definition", ["def parse_cookies(text):", "# def cookie_parser(text):\n#     pass\n\n\ndef other(text):"]
)
def test_a_name_that_is_used_and_no_longer_defined_is_said_to_be_so(indexed, definition) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/cookies.py": f'"""Cookies."""\n\n\n{definition}\n    """Parse a cookie header."""\n    return text\n',
        "src/requests.py": "from cookies import cookie_parser\n\n\ndef cookies(request):\n"
        "    return cookie_parser(request.header)\n",
    }
    reader = indexed(files)
    for question in ("cookie_parser", "fix cookie_parser"):
        found = ask(reader, question)
        assert any(
            note.startswith("no definition of cookie_parser was recognized in the indexed files")
            for note in found.notes
        )
        assert found.confidence <= UNDEFINED_CONFIDENCE
    assert not ask(
        indexed(files | {"src/old.py": "def cookie_parser(text):\n    return text\n"}), "cookie_parser"
    ).notes


def test_a_name_that_a_macro_may_define_is_not_said_to_be_defined_nowhere(indexed) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/tree.c": "DEFINE_TREE(page_tree, struct page, by_number)\n\nint first_page(void) {\n  return 1;\n}\n",
        "src/cache.c": "int cached(struct page *page) {\n  return page_tree_insert(page) + 1;\n}\n",
    }
    found = ask(indexed(files), "where is page_tree_insert defined?")
    assert found.notes == (
        "no definition of page_tree_insert was recognized in the indexed files; a macro may define it; "
        "the places that use it come first",
    )
    assert found.confidence <= UNDEFINED_CONFIDENCE


def test_a_key_with_a_value_and_a_name_nobody_uses_are_not_said_to_be_undefined(shop: Reader) -> None:
    for question in ("fix RETRY_DELAY", "fix retry_delay", "fix qwrtplk_zzyzx"):
        assert not any("defined nowhere" in note for note in ask(shop, question).notes)


def test_what_a_library_defines_takes_nothing_from_a_question_for_more(shop: Reader) -> None:
    found = ask(shop, "ValueError: the order has no mail address to confirm to")
    assert found.confidence > UNDEFINED_CONFIDENCE and not found.notes


RUN_FILES = {
    "app/command.py": "class Command:\n    run = None\n\n    def flags(self):\n        return self.run\n\n"
    + "".join(f"    def step_{number}(self):\n        return self.run(self.flags())\n\n" for number in range(40)),
    "lint.yml": "run:\n  timeout: 5m\n",
    "tests/test_command.py": "def run():\n    return flags\n",
}


def test_a_word_that_is_everywhere_gets_its_definitions_first_and_no_high_confidence(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed(RUN_FILES)
    for question, first in (("flags", "Command.flags"), ("run", "Command"), ("where are the flags", "Command.flags")):
        found = ask(reader, question)
        assert (found.ranked[0].item.source.source_id, found.ranked[0].item.symbol) == ("app/command.py", first)
        assert 0.5 <= found.confidence <= MANY_CONFIDENCE
        assert any("say what of it you ask for" in note for note in found.notes), question


def test_of_a_word_that_many_define_the_implementations_come_first_the_least_nested_of_all(indexed) -> None:  # type: ignore[no-untyped-def]
    acks = {
        f"bus/transport/{name}.py": f"class {name.title()}:\n    def ack(self, tag):\n        return tag\n"
        for name in ("redis", "mongo", "files")
    }
    reader = indexed(
        acks
        | {
            "bus/message.py": "class Message:\n    def ack(self):\n        return self.channel.basic_ack(self.tag)\n",
            "bus/channel.py": "class Channel:\n    def basic_ack(self, tag):\n        self.do_ack(tag)\n",
            "tests/test_ack.py": "def ack():\n    return None\n",
            "docs/ack.md": "# ack\n\nAll of `ack`, ack and ack.\n",
        }
    )
    found = ask(reader, "where is ack")
    assert found.ranked[0].item.source.source_id == "bus/message.py"
    assert {one.item.source.source_id for one in found.ranked[:4]} == {"bus/message.py", *acks}
    assert found.confidence <= MANY_CONFIDENCE
    assert "ack is defined at 4 places; name the class or the file, or say what of it you ask for" in found.notes
    # With its class the name is one place again.
    assert ask(reader, "Message.ack").confidence >= NAMED_CONFIDENCE


def test_the_places_of_a_word_are_looked_up_once(indexed, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    reader = indexed({"routing.py": "def route(path):\n    return path\n", "app.py": "import routing\n"})
    definitions, asked = type(reader.names).definitions, list[str]()

    def counted(self: object, names: Iterable[str], limit: int = 200) -> list[DefinitionHit]:
        known = list(names)
        asked.extend(known if limit == WORD_HITS else ())
        return definitions(self, known, limit)

    monkeypatch.setattr(type(reader.names), "definitions", counted)
    found = ask(reader, "what's the route")
    assert is_first(found, "routing.py", "route")
    assert asked == ["route"]


def test_a_word_heads_the_file_that_has_its_name(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed(
        {
            "bench/safe.py": "def parse(text):\n    return text\n",
            "core/parse.py": "parse = object()\n",
            "core/types.py": "class Type:\n    def parse(self):\n        return self\n\n\ndef parse(x):\n    pass\n",
        }
    )
    assert ask(reader, "parse").ranked[0].item.source.source_id == "core/parse.py"


def test_a_file_of_the_words_name_comes_before_a_helper_of_a_test_and_a_field(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed(
        {
            "popup.c": "int popup_draw(int pane) {\n  return pane;\n}\n",
            "input.c": "int input_parse(int pane) {\n  return pane;\n}\n",
            "prompt.h": "struct prompt {\n  int input;\n};\n",
            "regress/screen.sh": "popup() {\n  echo popup popup\n}\npopup\n",
        }
    )
    for word in ("popup", "input"):
        assert ask(reader, word).ranked[0].item.source.source_id == f"{word}.c", word


def test_a_word_that_names_only_have_in_them_finds_what_is_called_after_it(indexed) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/loop.c": "int uv_walk(int loop) {\n  return loop;\n}\n",
        "src/heap.c": "/* walk, walk and walk: walk the heap. */\nint heap_insert(int walk) {\n  return walk;\n}\n",
    }
    found = ask(indexed(files), "walk")
    assert found.ranked[0].item.name == "uv_walk"
    assert found.notes == ("nothing here is called walk alone; see uv_walk",)
    # Who asks how it works asks for more than a name.
    assert ask(indexed(files), "how does the walk work?").notes == ()
    said = {
        "src/a.py": "def one():\n    # Of quorum.\n    pass\n",
        "src/b.py": "def two():\n    # The quorum.\n    pass\n",
    }
    assert ask(indexed(said), "quorum").confidence <= MANY_CONFIDENCE
    code = "class ShoppingList:\n    pass\n"
    lists = indexed({"alembic/first.py": code, "app/db/models/shopping_list.py": code})
    assert ask(lists, "shoppinglist").ranked[0].item.source.source_id == "app/db/models/shopping_list.py"


def test_a_file_of_a_kind_is_no_definition_of_that_word(indexed) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/process.c": "struct process {\n  int pid;\n};\n",
        "src/spawn.py": "def spawn(args):\n    '''Write the id into a file.'''\n    return args\n",
    }
    reader = indexed(files)
    assert ask(reader, "pid").ranked[0].signals[0].ranker == "exact"
    assert all(
        signal.ranker != "exact" for one in ask(reader, "where is the pid file").ranked for signal in one.signals
    )


def test_the_version_of_a_language_is_told_by_the_manifest(indexed) -> None:  # type: ignore[no-untyped-def]
    files = {
        "go.mod": "module example.org/shop\n\ngo 1.21\n",
        "vendor/tool/go.mod": "module example.org/tool\n\ngo 1.11\n",
        "setup.py": "from setuptools import setup\n\nsetup(name='shop', python_requires='>=3.9')\n",
        "pyproject.toml": "[tool.lint]\nline-length = 100\n",
        "cmd/version.go": 'package cmd\n\nvar version = "1.0"\n\nfunc Version() string {\n\treturn version\n}\n',
    }
    reader = indexed(files)
    for question in ("go version", "what go version do I need?", "which version of golang is required"):
        assert ask(reader, question).ranked[0].item.source.source_id == "go.mod", question
    assert ask(reader, "minimum python version").ranked[0].item.source.source_id == "setup.py"
    assert ask(reader, "version").ranked[0].item.source.source_id == "cmd/version.go"
    assert parse_question("where is the go version printed").toolchain == ""


def test_who_wrote_the_project_is_told_by_the_file_of_its_authors_or_by_git(indexed) -> None:  # type: ignore[no-untyped-def]
    code = {"src/tty.c": "/* Written by the project. */\nint tty_write_callback(int project) {\n  return project;\n}\n"}
    found = ask(
        indexed({**code, "AUTHORS.rst": "Authors\n=======\n\n- Ada\n", "README.md": "# Tty\n"}),
        "who wrote this project?",
    )
    assert found.ranked[0].item.source.source_id == "AUTHORS.rst" and not found.known_empty
    nobody = ask(indexed(code), "who wrote this project?")
    assert nobody.confidence <= ABSENT_CONFIDENCE and NO_AUTHORS_NOTE in nobody.notes
    written = ask(indexed(code), "who writes the project to the tty?")
    assert NO_AUTHORS_NOTE not in written.notes


def test_who_wrote_it_is_asked_by_its_name_and_told_by_the_data_of_its_package(indexed) -> None:  # type: ignore[no-untyped-def]
    code = {f"lib/part{at}.js": f"// A quokka wrote part {at}.\nexports.part = {at};\n" for at in range(5)}
    package = (
        '{\n  "name": "@zoo/quokka",\n  "author": "Ada <ada@zoo.example>",\n  "dependencies": {"wombat": "1"}\n}\n'
    )
    reader = indexed({**code, "package.json": package})
    for question in ("who wrote quokka", "who is the author of quokka?", "who maintains this project?"):
        found = ask(reader, question)
        assert (found.ranked[0].item.source.source_id, found.known_empty) == ("package.json", False), question
    signals = {signal.ranker for one in ask(reader, "who wrote wombat").ranked for signal in one.signals}
    assert "exact" not in signals, "a dependency's name"
    gem = "Gem::Specification.new 'quokka' do |s|\n  s.authors = ['Ada']\nend\n"
    assert ask(indexed({"quokka.gemspec": gem, "lib/q.rb": "# quokka\n"}), "who wrote quokka?").confidence > 0.3


README = "\n\n".join(
    [
        "![logo](x)\n\n# Shop\n\nSells things from the terminal." + "\nIt has a basket and a counter." * 20,
        "## Installation\n\nGet it with pip." + "\nThen open the counter." * 20,
        "## Caching\n\nThis project caches what it explains: what a repository does." + "\nMore on running it." * 20,
    ]
)


def test_who_asks_for_the_whole_gets_where_its_documents_begin(indexed) -> None:  # type: ignore[no-untyped-def]
    reader = indexed(
        {"README.md": README, "shop/run.py": "def start(project):\n    '''Run this.'''\n    return project\n"}
    )
    for question in ("explain this project", "what does this repo do?"):
        found = ask(reader, question)
        first = found.ranked[0].item
        assert (first.source.source_id, first.start_line <= 5) == ("README.md", True), question
        assert found.confidence >= MANY_CONFIDENCE
    for question in ("where do I start?", "how do I run this?", "how can I try it here?", "getting started"):
        found = ask(reader, question)
        assert found.ranked[0].item.name.endswith("Installation"), question
        assert found.confidence >= MANY_CONFIDENCE


RUBY = """module Post
  class Base
    def call(env)
      dup.call!(env)
    end

    def call!(env)
      run_filters! if etag_matches?(env)
    end

    def etag_matches?(list)
      list.include?(development?)
    end

    def development?; environment == :development end

    def inline_templates=(file)
      inline_parse file
    end
  end

  class Runner
    def run
      call
    end

    def run!(port)
      run_filters!
    end
  end
end
"""


@pytest.fixture
def post(indexed) -> Reader:  # type: ignore[no-untyped-def]
    config = {f"config/{number}.yml": "development:\n  run: call\n  call: run\n" for number in range(3)}
    # Each method has lines enough for a place of its own.
    body = "".join(f"      # Line {number} of it.\n" for number in range(14))
    code = "".join(
        f"{line}\n{body}" if "def " in line and " end" not in line else f"{line}\n" for line in RUBY.split("\n")
    )
    return indexed({"lib/post.rb": code, **config})  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("run!", "run!"),
        ("how do I use run! ?", "run!"),
        ("what does run! do?", "run!"),
        ("run", "run"),
        ("call!", "call!"),
        ("Post::Base#call!", "call!"),
        ("Post::Base::call!", "call!"),
        ("Base.call!", "call!"),
        ("Post::Base#call", "call"),
        ("what is call?", "call"),
        ("etag_matches?", "etag_matches?"),
        ("etag_matches", "etag_matches?"),
        ("what does etag_matches? do", "etag_matches?"),
        ("where is etag_matches defined?", "etag_matches?"),
        ("where is development? defined", "development?"),
        ("where is development?", "development?"),
        ("inline_templates=", "inline_templates="),
        ("Base#inline_templates=", "inline_templates="),
    ],
)
def test_a_name_of_ruby_is_found_by_its_sign_and_not_said_to_be_undefined(
    post: Reader, question: str, name: str
) -> None:
    found = ask(post, question)
    first = found.ranked[0].item
    assert first.source.source_id == "lib/post.rb"
    places = [hit for hit in post.names.definitions([name]) if hit.item_id == first.id]
    assert [hit.name for hit in places] == [name]
    assert not any("defined nowhere" in note for note in found.notes)


def test_the_mark_of_a_sentence_is_no_sign_of_a_name(post: Reader) -> None:
    text = "is the server in development?"
    assert with_signs(parse_question(text), text, post) == parse_question(text)
    text = "does run_filters! come before call!"
    assert with_signs(parse_question(text), text, post).identifiers[:1] == ("call!",)


def test_a_member_may_be_called_like_a_stop_word(indexed) -> None:  # type: ignore[no-untyped-def]
    code = "var app = exports = module.exports = {}\n\n"
    for name in ("use", "all", "get", "handle"):
        code += f"app.{name} = function {name}(fn) {{\n" + "  app.go(fn)\n" * 8 + "}\n\n"
    code += "defineGetter(req, 'ip', function ip() {\n" + "  return app.go(req)\n" * 8 + "})\n"
    tests = {f"test/{number}.js": "var app = express()\napp.use(go)\nreq.ip\n" for number in range(9)}
    reader = indexed({"lib/application.js": code, **tests})
    for question in ("app.use", "what does app.all do?", "how does app.use work", "app.get", "req.ip"):
        first = ask(reader, question).ranked[0].item
        owner, name = re.findall(r"(\w+)\.(\w+)", question)[0]
        assert (first.breadcrumb, first.name) == (owner, name)


def test_a_short_text_that_stands_in_a_file_is_not_absent(indexed) -> None:  # type: ignore[no-untyped-def]
    history = "# History\n\n" + "\n\n".join(f"## 5.{n}.0\n\n* fixes CVE-2024-5{n}990 (#48{n}3)" for n in range(9))
    reader = indexed({"History.md": history, "app.py": "def app(params):\n    return params\n"})
    for question in ("CVE-2024-54990", "#4843", "where is CVE-2024-54990?"):
        found = ask(reader, question)
        assert not found.known_empty, question
        assert found.confidence >= 0.5
    for question in ("CVE-2024-64990", "#9999", "splat params"):
        assert ask(reader, question).known_empty, question


def test_a_version_is_answered_with_its_own_section(indexed) -> None:  # type: ignore[no-untyped-def]
    said = "* changed what is new in parsing and fixed what was added\n" * 9
    history = "# Changes\n\n" + "\n\n".join(f"## 5.{n}.0 / 2025-03-{n}1\n\n{said}" for n in (3, 2, 1, 0))
    reader = indexed({"History.md": history, "app.py": "def changed():\n    return 5.1\n"})
    for question in ("what changed in 5.1.0?", "changelog of 5.1.0", "5.1.0", "what's new in 5.1?"):
        found = ask(reader, question)
        assert found.ranked[0].item.name.startswith("5.1.0"), question
        assert not found.known_empty, question


def test_a_name_in_a_file_that_was_parsed_in_part_is_not_said_to_be_defined_nowhere(indexed) -> None:  # type: ignore[no-untyped-def]
    files = {
        "src/make.ts": "interface A {{{ (((\nexport const createFactory = (((a) =>\n",
        "src/use.ts": "import { createFactory } from './make'\n\nexport const app = () => createFactory()\n",
    }
    found = ask(indexed(files), "createFactory")
    assert found.notes == (
        "no definition of createFactory was recognized in the indexed files, "
        "but src/make.ts has it and could be parsed only in part; the places that use it come first",
    )


@pytest.mark.parametrize(
    ("question", "path"),
    [("powershell install", "tool/install.ps1"), ("the install script for bash", "tool/install.sh")],
)
def test_a_script_is_named_by_its_shell(indexed, question, path) -> None:  # type: ignore[no-untyped-def]
    files = {"tool/install.sh": "echo install\n", "tool/install.ps1": "Write-Output install\n", "a.py": "install = 1\n"}
    found = ask(indexed(files), question)
    assert found.ranked[0].item.source.source_id == path


MENTIONED = {
    "src/chars.py": "class Chars:\n    def to_list(self):\n        return list(self)\n\n\ndef copy_slice(chars):\n"
    "    return chars\n\n\ndef slice_to_right(chars):\n    return chars\n",
    "src/reader.py": "import http\n\n\ndef feed(chars, future):\n    try:\n        return copy_slice(chars)\n"
    "    except OSError as error:\n        future.setBroken(error)\n",
    "tests/test_chars.py": "import http\n\n\ndef test_slice():\n    assert http.ReadSlice('GET') == copy_slice('a')\n",
    "README.md": "# Chars\n\nWrite a handler:\n\n```go\nfunc SliceHandler(w io.Writer) {}\n```\n",
    "doc/paper.tex": "\\newcommand{\\wideSlice}{x}\n",
}


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("setBroken", "src/reader.py"),
        ("ReadSlice", "tests/test_chars.py"),
        ("SliceHandler", "README.md"),
        ("wideSlice", "doc/paper.tex"),
    ],
)
def test_the_one_place_that_has_a_name_which_nothing_defines_comes_first(indexed, name: str, place: str) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(name, 5), indexed(MENTIONED))
    assert found.ranked[0].item.source.source_id == place
    assert not found.known_empty


def test_an_error_of_the_language_is_not_said_to_be_apart_from_a_name(indexed) -> None:  # type: ignore[no-untyped-def]
    reader: Reader = indexed(
        {
            "src/props.ts": "export function emitsOptions(a: Vnode) {\n  return a.emits\n}\n",
            "src/parse.ts": "export function parse(a: string) {\n  if (!a) throw new TypeError('nothing')\n}\n",
        }
    )
    question = "TypeError: cannot read properties of null in emitsOptions"
    assert not [note for note in ask(reader, question).notes if "has both" in note]
    assert [note for note in ask(reader, "how does `parse` use emitsOptions in it?").notes if "has both" in note]
