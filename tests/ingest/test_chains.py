"""A text keeps its symbol while its chain of definitions does, in every language with an outline."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core.ingest.chains import INERT, Chains
from helix_core.ingest.document import ingest
from helix_core.model import joined_symbol
from helix_core.secrets.masking import mask

PROJECT = Path(__file__).resolve().parents[2]


def chunks(path, data):
    """Symbol, as claimed, and text of every chunk."""
    document = ingest(path, data, embed=False)
    return [
        (
            joined_symbol(one.breadcrumb, one.name, document.source_kind) if one.is_claimed else "",
            data[one.start_byte : one.end_byte],
        )
        for one in document.chunks
    ]


def names(path, before, after):
    """What each chunk of ``before`` that is there unchanged is called in ``after``, by what it was called."""
    chains = Chains(path, mask(after).data, 5.0)
    found = {}
    for symbol, text in chunks(path, before):
        at = after.find(b"\n" + text) + 1
        if at or after.startswith(text):
            found.setdefault(symbol, set()).add(chains.name(at, at + len(text), symbol).symbol)
    return found


def lines(form, count=25):
    return "".join(form.format(number) for number in range(count))


JS = (
    "class Old {\n  size = 1;\n"
    + "".join(
        f"  {name}(x) {{\n{lines('    const wax{0} = x * {0};' + chr(10))}    return x;\n  }}\n\n"
        for name in ("seal", "open")
    )
    + "}\n"
)
JAVA = (
    "class Old {\n    int size = 1;\n"
    + "".join(
        f"    int {name}(int x) {{\n{lines('        int wax{0} = {0};' + chr(10))}        return x;\n    }}\n\n"
        for name in ("seal", "open")
    )
    + "}\n"
)
RUST = JAVA.replace("class Old", "impl Old").replace("    int size = 1;\n", "").replace("int x)", "x: i32)")
RUST = RUST.replace("    int seal", "    fn seal").replace("    int open", "    fn open").replace("int wax", "let wax")
GO = f"package a\n\nfunc (o *Old) Seal() int {{\n{lines(chr(9) + 'wax{0} := {0}' + chr(10), 100)}\treturn 1\n}}\n"
C = f"#include <a.h>\n\nint old_seal(int x)\n{{\n{lines('    int wax{0} = {0};' + chr(10), 100)}    return x;\n}}\n"
MARKDOWN = f"# Guide\n\nIntro.\n\n## Install\n\n{lines('Step {0} is to run it.' + 2 * chr(10), 60)}## Use\n\nRun it.\n"
RST = MARKDOWN.replace("# Guide\n", "Guide\n=====\n", 1).replace("## Install\n", "Install\n-------\n")
RST = RST.replace("## Use\n", "Use\n---\n")
YAML = f"services:\n  web:\n{lines('    key{0}: {0}' + chr(10), 50)}  db:\n{lines('    opt{0}: {0}' + chr(10), 50)}"
TOML = f"[tool.old]\n{lines('key{0} = {0}' + chr(10), 90)}[tool.other]\nx = 1\n"
INI = TOML.replace("tool.", "")
PYTHON = (
    f"def outer():\n{lines('    a{0} = {0}' + chr(10), 50)}    def inner():\n{lines('        b{0} = {0}' + chr(10))}"
    f"        return 1\n{lines('    c{0} = {0}' + chr(10), 60)}    return inner\n"
)


RUBY = "".join(
    f"  def {name}(x)\n{lines('    wax{0} = {0}' + chr(10), 12)}    x\n  end\n\n" for name in ("seal", "open", "keep")
)
PHP = "".join(
    f"function {name}($x) {{\n{lines('  $wax{0} = {0};' + chr(10), 12)}  return $x;\n}}\n\n"
    for name in ("seal", "open", "keep")
)


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "symbol", "now"),
    [
        ("a.js", JS, "class Old", "class New", "Old.open", "New.open"),
        ("a.ts", JS, "class Old", "class New", "Old.open", "New.open"),
        ("a.js", JS, "class Old", "function wrap() {\nclass Old", "Old.open", "wrap.Old.open"),
        ("A.java", JAVA, "class Old", "class New", "Old.seal", "New.seal"),
        ("a.rs", RUST, "impl Old", "impl New", "Old.open", "New.open"),
        ("a.rs", RUST, "impl Old", "impl Drop for Old", "Old.open", "Old.open"),
        ("a.go", GO, "*Old", "*New", "Old.Seal", "New.Seal"),
        ("a.c", C, "int old_seal", "int new_seal", "old_seal", "new_seal"),
        ("g.md", MARKDOWN, "# Guide\n", "# Manual\n", "Guide > Use", "Manual > Use"),
        ("g.md", MARKDOWN, "## Install\n", "## Setup\n", "Guide > Install", "Guide > Setup"),
        ("g.md", MARKDOWN, "Intro.", "Another intro.", "Guide > Use", "Guide > Use"),
        ("g.rst", RST, "Guide\n=====", "Manual\n======", "Guide > Use", "Manual > Use"),
        ("c.yml", YAML, "services:", "machines:", "services", "machines"),
        ("c.toml", TOML, "[tool.old]", "[tool.new]", "tool.old", "tool.new"),
        ("c.ini", INI, "[old]", "[new]", "old", "new"),
        ("p.py", PYTHON, "def outer", "def other", "outer.inner", "other.inner"),
        ("p.py", PYTHON, "def outer", "def other", "outer", "other"),
        ("p.py", PYTHON, "def outer", "class Owner:\n    pass\n\n\ndef outer", "outer.inner", "outer.inner"),
    ],
)
def test_a_text_is_called_by_the_definitions_around_it(name, text, old, new, symbol, now):
    after = text.replace(old, new, 1)
    if new.endswith("class Old"):
        after += "}\n"
    assert names(name.encode(), text.encode(), after.encode())[symbol] == {now}


@pytest.mark.parametrize(
    ("name", "text", "opening", "closing", "symbol"),
    [
        ("a.js", JS, "const old = `\n", "`;\n", "Old.open"),
        ("a.ts", JS, "/*\n", "*/\n", "Old.open"),
        ("A.java", JAVA, "/*\n", "*/\n", "Old.seal"),
        ("a.rs", RUST, "/*\n", "*/\n", "Old.open"),
        ("a.go", GO, "var old = `\n", "`\n", "Old.Seal"),
        ("a.c", C, "/*\n", "*/\n", "old_seal"),
        ("a.c", C, "#if 0\n", "#endif\n", "old_seal"),
        ("a.cpp", C, "#if false\n", "#endif\n", "old_seal"),
        ("a.cs", JAVA, "#if false\n", "#endif\n", "Old.seal"),
        ("p.py", PYTHON, "OLD = '''\n", "'''\n", "outer.inner"),
        ("p.py", PYTHON, 'def other():\n    """\n', '    """\n', "outer.inner"),
        ("g.md", MARKDOWN, "# Examples\n\n```\n", "```\n", "Guide > Use"),
    ],
)
def test_a_text_that_is_quoted_defines_nothing(name, text, opening, closing, symbol):
    head = "package a\n" if name.endswith(".go") else ""
    after = head + opening + text.removeprefix(head) + closing
    assert names(name.encode(), text.encode(), after.encode())[symbol] == {None}


@pytest.mark.parametrize(
    ("name", "head", "text", "before", "line"),
    [
        ("a.rb", "", RUBY, "  def open", "=begin"),
        ("a.rb", "", RUBY, "  def open", "=begin of what is done"),
        ("a.rb", "", RUBY, "  def open", "__END__"),
        ("a.rb", "module Post\n", f"{RUBY}end\n", "  def open", "=begin"),
        ("a.rb", "module Post\n", f"{RUBY}end\n", "  def open", "__END__"),
        ("a.rb", "A = <<E\n__END__\nE\n", RUBY, "  def open", "__END__"),
        ("a.php", "<?php\n", PHP, "function open", "__halt_compiler();"),
        ("a.php", "<?php\n", PHP, "function open", "__HALT_COMPILER ( ) ?>"),
        ("a.php", "<?php\n# __halt_compiler();\n", PHP, "function open", "__halt_compiler();"),
    ],
)
def test_behind_the_end_of_the_code_nothing_is_defined(name, head, text, before, line):
    whole = head + text
    owner = "Post." if "Post" in head else ""
    after = whole.replace(f"\n{before}", f"{line}\n{before}", 1)
    assert after.count("\n") == whole.count("\n")
    found = names(name.encode(), whole.encode(), after.encode())
    assert found[f"{owner}open"] == found[f"{owner}keep"] == {None}
    again = {symbol for symbol, _ in chunks(name.encode(), after.encode())}
    # What a module that nobody closes holds is found, and claimed under no name.
    assert "seal" in again or owner
    assert again.isdisjoint({f"{owner}open", f"{owner}keep", "open", "keep", "Post"})


@pytest.mark.parametrize(
    ("name", "head", "text", "lines_before"),
    [
        ("a.rb", "", RUBY, "# __END__\n"),
        ("a.rb", "", RUBY, "A = <<E\n=begin\n__END__\nE\n"),
        ("a.rb", "", RUBY, "=begin\n__END__\n=end\n"),
        ("a.php", "<?php\n", PHP, "// __halt_compiler();\n"),
        ("a.php", "<?php\n", PHP, "$a = '__halt_compiler();';\n"),
        ("a.php", "<?php\n", PHP, "$post->__halt_compiler();\n"),
    ],
)
def test_words_in_comments_and_strings_do_not_end_the_code(name, head, text, lines_before):
    found = names(name.encode(), (head + text).encode(), (head + lines_before + text).encode())
    assert found["open"] == {"open"} and found["keep"] == {"keep"}


def test_what_an_else_gives_is_compiled():
    after = f"#if 0\nint other;\n#else\n{C}#endif\n"
    assert names(b"a.c", C.encode(), after.encode())["old_seal"] == {"old_seal"}


def test_a_definition_that_begins_in_a_dropped_range_is_dropped_though_the_range_ends_inside_of_it():
    first, rest = C.split("{\n", 1)
    after = f"#if 0\n{first}{{\n#endif\n{rest}"
    assert "old_seal" not in {symbol for _, symbol in Chains(b"a.c", after.encode(), 5.0).definitions}
    whole = Chains(b"a.c", C.encode(), 5.0)
    assert "old_seal" in {symbol for _, symbol in whole.definitions}
    assert "old_seal" not in {symbol for symbol, _ in chunks(b"a.c", after.encode())}


def test_a_text_that_goes_on_into_the_next_class_is_not_called_by_the_one_it_begins_in():
    text = b"class A:\n    def seal(self):\n        return 1\n\n\nclass B:\n    def open(self):\n        return 2\n"
    chains = Chains(b"a.py", text, 5.0)
    part = text.index(b"        return 1")
    assert chains.name(part, part + len(b"        return 1\n"), "A.seal").symbol == "A.seal"
    for end in (text.index(b"        return 2"), len(text)):
        assert chains.name(part, end, "A").symbol != "A"
        assert chains.name(part, end, "A.seal").symbol != "A.seal"


def test_why_is_said():
    text = f"OLD = '''\n{PYTHON}'''\n".encode()
    assert Chains(b"p.py", text, 5.0).name(11, len(text) - 4, "outer").why == INERT


@pytest.mark.slow
def test_every_chunk_of_this_project_is_called_what_ingest_calls_it():
    paths = [
        *PROJECT.glob("helix_core/**/*.py"),
        *PROJECT.glob("vscode-extension/src/**/*.ts"),
        PROJECT / "README.md",
        PROJECT / "pyproject.toml",
    ]
    wrong, count = [], 0
    for path in paths:
        name, data = str(path.relative_to(PROJECT)).encode(), path.read_bytes()
        if len(data) > 300_000:
            continue
        masked = mask(data).data
        chains = Chains(name, masked, 5.0)
        for symbol, text in chunks(name, masked):
            count += 1
            at = masked.find(text)
            naming = chains.name(at, at + len(text), symbol)
            if naming.symbol != symbol and masked.count(text) == 1:
                wrong.append((name, symbol, naming))
    assert count > 1_000
    assert wrong == []
