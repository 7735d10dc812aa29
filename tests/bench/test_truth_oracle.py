"""The truth benchmark's oracle finds each planted wrong claim, and none where everything is true."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.ingest.data_blocks import is_always
from tests.engine.repository import git

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
VAULT = '''"""Keeps letters."""

import os


class Vault:
    """A place for letters."""

    kinds = ("open", "sealed")

    def seal(self, letter):
        wax = os.urandom(4)
        return letter + wax


def lonely(value):
    return value
'''
STORE = "export class Store {\n  /** Reads. */\n  read(key) {\n    return this.rows[key]\n  }\n}\n"
Judge = Callable[..., Any]


@pytest.fixture(scope="module")
def bench() -> Iterator[Callable[[str], Any]]:
    """A module of the benchmarks."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module
    sys.path.remove(str(BENCHMARKS))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "vault.py").write_text(VAULT)
    (root / "store.ts").write_text(STORE)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    return root


@pytest.fixture
def oracle(bench: Callable[[str], Any], folder: Path, tmp_path: Path) -> Any:
    repository = bench("truth_bench.repository").Repository(folder, tmp_path)
    return bench("truth_bench.oracle").Oracle(repository, 1_000_000)


@pytest.fixture
def judge(oracle: Any) -> Judge:
    """The wrongs the oracle finds in a packet of these items, as the set of their kinds."""

    def judged(*items: dict[str, Any], **more: Any) -> set[str]:
        packet = {status: [one for one in items if one["status"] == status] for status in STATUSES}
        given = {"versions": {}, "secrets": {}, "expected": None, "task": "explain"}
        return {kind for kind, _ in oracle.judge(packet, **(given | more)).wrong}

    return judged


STATUSES = ("verified", "stale_risk", "needs_refresh")


def item(folder: Path, symbol: str, start: int, end: int, name: str = "vault.py", **changed: Any) -> dict[str, Any]:
    """A true claim about these lines, but for what is ``changed``."""
    data = (folder / name).read_bytes()
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").splitlines(keepends=True) if b"\r" in data else None
    text = b"".join((lines or data.splitlines(keepends=True))[start - 1 : end])
    about = {
        "gene_id": hashlib.sha256(text).hexdigest()[:16],
        "source_id": name,
        "uri": (folder / name).as_uri(),
        "symbol": symbol,
        "start_line": start,
        "end_line": end,
        "content_hash": hashlib.sha256(data).hexdigest(),
        "quote": text.decode().removesuffix("\n"),
        "status": "verified",
        "reason": "unchanged",
        "relevance_score": 1.0,
        "authority_class": "primary",
    }
    return about | changed


def test_the_merge_that_resolved_a_conflict_in_a_file_changed_it(judge: Judge, folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    for branch, word in (("side", "clay"), ("main", "lead")):
        git(folder, "checkout", "-q", branch)
        (folder / "vault.py").write_text(VAULT.replace("wax", word))
        git(folder, "commit", "-q", "-a", "-m", f"Seal with {word}")
    with pytest.raises(subprocess.CalledProcessError):
        git(folder, "merge", "-q", "side")
    (folder / "vault.py").write_text(VAULT.replace("wax", "clay_and_lead"))
    git(folder, "commit", "-q", "-a", "-m", "Seal with both")
    commit = git(folder, "rev-parse", "HEAD").strip()
    begin = git(folder, "rev-parse", "HEAD~2").strip()
    assert not judge(item(folder, "lonely", 16, 17, commit=commit))
    assert not judge(item(folder, "lonely", 16, 17, commit=begin))
    assert "wrong_commit" in judge(item(folder, "Store", 1, 6, "store.ts", commit=commit))


def test_true_claims_are_left_alone(judge: Judge, folder: Path) -> None:
    assert (
        judge(
            item(folder, "Vault", 6, 10),
            item(folder, "Vault.seal", 11, 15),
            item(folder, "Vault.kinds", 9, 10),
            item(folder, "lonely", 16, 17),
            item(folder, "", 1, 5),
            item(folder, "Store.read", 3, 5, "store.ts"),
        )
        == set()
    )


def test_every_item_of_a_real_packet_is_true(bench: Callable[[str], Any], oracle: Any, folder: Path) -> None:
    environ = {"HELIX_CACHE_DIR": str(folder.parent / "cache")}
    with Helix.open(folder, config=load_config(environ=environ, user=folder / "none.toml")) as helix:
        helix.refresh()
        packet = helix.packet("how is a letter sealed in the Vault", task="edit")
    said = oracle.judge(packet, versions={}, secrets={}, expected=None, task="edit")
    assert (said.wrong, said.needless) == ([], [])
    assert said.told > 0
    assert said.verified >= 2


@pytest.mark.parametrize(
    ("change", "symbol"),
    [
        (("class Vault:", "class Safe:"), "Vault.seal"),
        (("    def seal", "class Safe:\n    def seal"), "Vault.seal"),
        (("    def seal", 'TEXT = """\n    def seal'), "Vault.seal"),
        (("def lonely", 'TEXT = """\ndef lonely'), "lonely"),
        (("def lonely", "if True:\n  class Safe:\n    pass\nif True:\n  TEXT = '''\ndef lonely"), "lonely"),
    ],
)
def test_the_same_text_under_another_name_or_none_is_a_wrong_symbol(
    judge: Judge, folder: Path, change: tuple[str, str], symbol: str
) -> None:
    text = VAULT.replace(*change)
    for quotes in ('"""', "'''"):
        if text.count(quotes) % 2:
            text += f"{quotes}\n"
    (folder / "vault.py").write_text(text)
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines, 1) if f"def {symbol.rpartition('.')[2]}" in line)
    end = start + (2 if "seal" in symbol else 1)
    assert judge(item(folder, symbol, start, end)) == {"wrong_symbol"}


def test_a_claim_of_a_deeper_chain_than_its_own_is_a_wrong_symbol(judge: Judge, folder: Path) -> None:
    assert judge(item(folder, "seal", 11, 13)) == {"wrong_symbol"}
    assert judge(item(folder, "Vault.lonely", 16, 17)) == {"wrong_symbol"}


def test_code_of_another_language_that_became_a_comment_is_a_wrong_symbol(judge: Judge, folder: Path) -> None:
    (folder / "store.ts").write_text(f"/*\n{STORE.replace('/** Reads. */', '')}*/\n")
    assert judge(item(folder, "Store.read", 4, 6, "store.ts")) == {"wrong_symbol"}


def test_a_part_of_a_long_comment_belongs_to_what_follows_it_and_to_the_body_it_is_in(
    judge: Judge, folder: Path
) -> None:
    (folder / "store.ts").write_text(
        "export class Store {\n  /**\n   * Reads.\n   *\n   * Twice.\n   */\n  read(key) {\n    return 1\n  }\n}\n"
        "// Nothing follows.\n"
    )
    assert judge(item(folder, "Store.read", 2, 4, "store.ts"), item(folder, "Store", 2, 4, "store.ts")) == set()
    assert judge(item(folder, "Store", 11, 11, "store.ts")) == {"wrong_symbol"}
    (folder / "make.ts").write_text("function make({ key }) {\n  // Slow.\n}\n// Gone.\n")
    assert judge(item(folder, "make", 2, 2, "make.ts")) == set()
    assert judge(item(folder, "make", 4, 4, "make.ts")) == {"wrong_symbol"}
    assert judge(item(folder, "Store.write", 2, 4, "store.ts")) == {"false_verified"}


def test_a_literal_of_one_line_is_not_closed_by_a_quote_further_down(judge: Judge, folder: Path) -> None:
    (folder / "store.ts").write_text(f'const broken = """({{[\n{STORE}const closed = "here"\n')
    assert judge(item(folder, "Store.read", 4, 6, "store.ts")) == set()


RUST = (
    '/// Joins.\n///\n/// Twice.\n#[pyclass(name = "Joined")]\n#[pyo3(text = "(self)")]\n'
    "pub struct PyJoined {\n    text: String,\n}\n"
)


def test_an_attribute_of_rust_leads_to_a_declaration_as_a_comment_does(judge: Judge, folder: Path) -> None:
    (folder / "join.rs").write_text(RUST)
    assert judge(item(folder, "PyJoined", 1, 4, "join.rs")) == set()
    (folder / "join.rs").write_text(RUST.split("pub struct", maxsplit=1)[0] + "pub struct Other;\n")
    assert judge(item(folder, "PyJoined", 1, 4, "join.rs")) == {"false_verified"}


def test_where_the_strings_of_a_file_whose_brackets_do_not_match_end_nobody_can_say(judge: Judge, folder: Path) -> None:
    (folder / "join.rs").write_text(f'""" ({{[\n{RUST}')
    assert judge(item(folder, "PyJoined", 7, 9, "join.rs")) == set()
    (folder / "join.rs").write_text(f"/*\n{RUST}*/ ({{[\n")
    assert judge(item(folder, "PyJoined", 7, 9, "join.rs")) == {"wrong_symbol"}


def test_in_a_file_whose_brackets_do_not_match_doubt_about_names_is_due(oracle: Any, folder: Path) -> None:
    doubt = {
        "status": "needs_refresh",
        "reason": "changed",
        "detail": "untold, since the file does not parse",
        "quote": "",
    }
    told = item(folder, "Store.read", 3, 5, "store.ts", **doubt)
    packet = {"verified": [], "stale_risk": [], "needs_refresh": [told]}
    given = {"versions": {}, "secrets": {}, "expected": None, "task": "explain"}
    (folder / "store.ts").write_text("// }\n" + STORE)
    told["content_hash"] = hashlib.sha256((folder / "store.ts").read_bytes()).hexdigest()
    assert len(oracle.judge(packet, **given).needless) == 1
    (folder / "store.ts").write_text("}\n" + STORE)
    told["content_hash"] = hashlib.sha256((folder / "store.ts").read_bytes()).hexdigest()
    assert oracle.judge(packet, **given).needless == []


def test_a_lone_carriage_return_ends_a_line_comment_of_another_language(judge: Judge, folder: Path) -> None:
    (folder / "store.ts").write_bytes(b"// Keeps rows.\rexport class Store {\r  read(key) { return 1 }\r}\r")
    read = item(folder, "Store.read", 3, 3, "store.ts")
    assert judge(read | {"gene_id": hashlib.sha256(b"  read(key) { return 1 }\r").hexdigest()[:16]}) == set()


def test_a_file_that_python_cannot_parse_is_said_to_be_untold(oracle: Any, folder: Path) -> None:
    (folder / "vault.py").write_text(VAULT + "def broken(:\n")
    packet = {"verified": [item(folder, "Vault.seal", 11, 15)], "stale_risk": [], "needs_refresh": []}
    said = oracle.judge(packet, versions={}, secrets={}, expected=None, task="explain")
    assert (said.wrong, said.told, said.untold) == ([], 0, 1)


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"start_line": 12, "end_line": 16, "quote": ""}, "false_verified"),
        ({"end_line": 400}, "false_verified"),
        ({"gene_id": "0" * 16}, "false_verified"),
        ({"content_hash": "0" * 64}, "wrong_hash"),
        ({"quote": "    def seal(self, letter, stamp):"}, "wrong_quote"),
        ({"quote": ""}, "wrong_quote"),
        ({"uri": "file:///etc/passwd"}, "malformed"),
        ({"source_id": "other.py"}, "malformed"),
    ],
)
def test_a_planted_wrong_claim_is_found(judge: Judge, folder: Path, changed: dict[str, Any], wrong: str) -> None:
    assert wrong in judge(item(folder, "Vault.seal", 11, 15, **changed))


@pytest.mark.parametrize(
    ("written", "quote", "is_right"),
    [
        ("x = 1  # \u202e rtl", "x = 1  # \\u202e rtl", True),
        ("x = 1  # \u2028 \x0c\x85", "x = 1  # \\u2028 \\x0c\\x85", True),
        ("x = '<|im_end|>\U000e0041'", "x = '\\x3c|im_end|>\\U000e0041'", True),
        ("x = 1  # \u202e rtl", "x = 1  # \\u202d rtl", False),
        ("x = 1  # \u202e rtl", "x = 1  # \\u202e ltr", False),
        ("x = 1  # \u202e rtl", "x = 1  # \\u202e rtl more", False),
    ],
)
def test_an_escaped_quote_is_that_of_its_characters_and_says_that_it_is_escaped(
    judge: Judge, folder: Path, written: str, quote: str, is_right: bool
) -> None:
    (folder / "vault.py").write_text(written + "\ny = 2\n", newline="")
    claim = item(folder, "", 1, 1, quote=quote, escaped=True)
    assert judge(claim) == (set() if is_right else {"wrong_quote"})
    del claim["escaped"]
    assert judge(claim) == {"wrong_quote"}


def test_a_carriage_return_before_a_line_end_is_shown_as_a_line_of_its_own(bench: Callable[[str], Any]) -> None:
    is_quote, data = bench("truth_bench.oracle")._is_quote, b"import os\r\r\nx = 1\n"
    claim = {"start_line": 1, "end_line": 3, "escaped": True}
    assert is_quote({**claim, "quote": "import os\\r\nx = 1"}, data)
    assert not is_quote({**claim, "quote": "import os\nx = 1"}, data)
    # Beside an escape that the text itself holds.
    claim = {"start_line": 1, "end_line": 4, "escaped": True}
    assert is_quote({**claim, "quote": 'x = "\\r"\\ry = 2\\rz = 3'}, b'x = "\\r"\ry = 2\rz = 3\r')


def test_a_file_that_is_gone_or_a_link_is_never_verified(judge: Judge, folder: Path) -> None:
    claim = item(folder, "lonely", 16, 17)
    (folder / "vault.py").rename(folder / "aside.py")
    assert "false_verified" in judge(claim)
    (folder / "vault.py").symlink_to(folder / "aside.py")
    assert "false_verified" in judge(claim)


def test_what_does_not_count_and_what_is_secret_must_not_be_shown(judge: Judge, folder: Path) -> None:
    claim = item(folder, "lonely", 16, 17)
    assert judge(claim, uncounted=frozenset({b"vault.py"})) == {"uncounted"}
    assert judge(claim, secrets={"return value": "rule"}) == {"leaked_secret"}


def test_half_merged_text_is_never_verified(judge: Judge, folder: Path) -> None:
    text = VAULT + "<<<<<<< ours\nA = 1\n=======\nA = 2\n>>>>>>> theirs\n"
    (folder / "vault.py").write_text(text)
    assert judge(item(folder, "lonely", 16, 17)) == {"false_verified"}


def test_lines_are_counted_as_editors_count_them(judge: Judge, folder: Path) -> None:
    (folder / "vault.py").write_bytes(b"import os\rimport sys\r\n\n\ndef lonely(value):\n    return value\n")
    text = b"def lonely(value):\n    return value\n"
    claim = item(folder, "lonely", 1, 1, gene_id=hashlib.sha256(text).hexdigest()[:16], quote=text.decode().rstrip())
    assert judge(claim | {"start_line": 5, "end_line": 6}) == set()
    assert "false_verified" in judge(claim | {"start_line": 4, "end_line": 5})


def test_an_agents_item_is_found_by_its_name_alone(judge: Judge, folder: Path) -> None:
    odd = os.fsencode(folder) + b"/va\xffult.py"
    Path(os.fsdecode(odd)).write_text(VAULT)
    claim = item(folder, "lonely", 16, 17, source_id="va\\xffult.py")
    del claim["uri"]
    assert judge(claim) == set()
    assert judge(claim | {"content_hash": "0" * 64}) == {"wrong_hash", "false_verified", "wrong_quote"}


def mark(folder: Path, symbol: str, start: int, end: int, **changed: Any) -> dict[str, Any]:
    claim = item(folder, symbol, start, end) | {"now": {"start_line": start, "end_line": end}, "detail": ""}
    return claim | changed


def test_marks_of_an_open_packet_are_judged_where_they_are_displayed(oracle: Any, folder: Path) -> None:
    shown = mark(folder, "Vault.seal", 11, 15)

    def wrong(text: str, **changed: Any) -> tuple[set[str], list[str]]:
        (folder / "vault.py").write_text(text)
        said = oracle.judge_marks([shown | changed], secrets={}, task="explain")
        return {kind for kind, _ in said.wrong}, [one.split()[1] for one in said.needless]

    lower = {"now": {"start_line": 12, "end_line": 16}}
    assert wrong(VAULT) == (set(), [])
    assert wrong("# One more.\n" + VAULT) == ({"false_verified"}, [])
    assert wrong("# One more.\n" + VAULT, **lower) == (set(), [])
    assert wrong(VAULT.replace("Vault", "Safe")) == ({"wrong_symbol"}, [])
    renamed = {"status": "stale_risk", "reason": "renamed"}
    assert wrong(VAULT.replace("Vault", "Safe"), **renamed) == (set(), [])
    assert wrong(VAULT, **renamed) == (set(), ["renamed"])
    changed = {"status": "needs_refresh", "reason": "changed", "now": None}
    assert wrong(VAULT.replace("+ wax", "- wax"), **changed) == (set(), [])
    assert wrong("# One more.\n" + VAULT, **changed) == (set(), ["changed"])
    assert wrong(VAULT.replace("    def seal", 'TEXT = """\n    def seal') + '"""\n', **changed) == (set(), [])


def test_a_run_goes_on_where_it_was(bench: Callable[[str], Any], tmp_path: Path) -> None:
    units = bench("truth_bench.units")
    planned = units.planned([tmp_path / "a", tmp_path / "b"], ["api", "lsp", "cli"], [1, 2], 3000)
    assert sum(unit.mutations for unit in planned) == 3000
    assert len({unit.name for unit in planned}) == len(planned)
    by_surface = {name: sum(one.mutations for one in planned if one.surface == name) for name in ("api", "lsp", "cli")}
    assert by_surface["api"] > by_surface["lsp"] > by_surface["cli"] > 0
    run = bench("truth_bench.run")
    outcome = run.Outcome("a", 1, "lsp", 8, mutations=3)
    outcome.tallies["truncate"] = run.Tally(packets=2, wrong=run.Counter(wrong_symbol=1), elapsed_ms=[1.5, 2.5])
    for unit in planned:
        units._write(tmp_path / "state", unit, outcome)
    [first, *others] = units.Run(tmp_path / "state", 1, []).outcomes(planned)
    assert first == outcome
    assert len(others) == len(planned) - 1
    assert bench("truth_bench.report").summary([first])["wrong_symbol"] == 1
    assert not bench("truth_bench.report").summary([first])["passed"]


def test_in_a_file_that_does_not_parse_decorators_are_of_the_next_definition(bench: Callable[[str], Any]) -> None:
    oracle = bench("truth_bench.symbol_oracle")
    options = "@option(\n    '--method',\n    help='GET',\n)\n@option(\n    '--params',\n)\n"
    decorated = f"@command()\n{options}def main():\n    pass\n"
    indented = textwrap.indent(decorated, "  ")
    for data in (decorated + "impqrt json\n", decorated + "import json\n", indented):
        assert oracle.is_decorator_of("main", 3, 7, data.encode())
        assert not oracle.is_decorator_of("other", 3, 7, data.encode())
    assert not oracle.is_decorator_of("main", 1, 1, b"impqrt json\n\ndef main():\n    pass\n")


def test_a_part_of_a_long_comment_is_of_the_definition_of_python_that_it_leads_to(bench: Callable[[str], Any]) -> None:
    leads = bench("truth_bench.symbol_oracle").leads_to
    data = (
        b"import os\n# long\n# more\n\n@mark\ndef one():\n    pass\n\n# of x\nx = '''\n# text\n'''\ndef two(): pass\n"
    )
    assert leads(b"a.py", data, "one", 2, 2)
    assert leads(b"a.py", data, "one", 2, 3)
    assert not leads(b"a.py", data, "two", 2, 3)
    assert not leads(b"a.py", data, "one", 1, 3)
    assert not leads(b"a.py", data, "two", 9, 9)
    assert not leads(b"a.py", data, "two", 11, 11)


def test_code_behind_the_end_of_a_vim_function_is_not_of_it(bench: Callable[[str], Any]) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = (
        b'" of one\nfunction! s:one()\ntry\n  fu d.in()\n  endf\nendtry\nendfunction\n\ncall s:one()\nfu Two()\nendf\n'
    )
    assert fault(b"a.vim", data, "s:one", 1, 8) == fault(b"a.vim", data, "Two", 10, 11) == ""
    assert fault(b"a.vim", data, "s:one", 1, 9) == "'s:one' does not reach line 9: it is at 2-7"
    assert fault(b"a.vim", data, "s:one", 10, 11)


def test_a_part_of_a_long_string_is_of_the_constant_whose_value_it_is(bench: Callable[[str], Any]) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = b"package a\n\nconst Usage = `one\ntwo\nthree\nfour`\n\nfunc Run() {\n\tprint(`five\nsix\nseven`)\n}\n"
    assert fault(b"a.go", data, "Usage", 4, 5) == ""
    assert "a string or a comment" in fault(b"a.go", data, "Stop", 4, 5)
    assert "a string or a comment" in fault(b"a.go", data, "Stop", 10, 10)


SCRIPT = b"""// leads to Cart
class Cart extends (class { hidden() {} }) {
  @log({ key() {} })
  add(item) {
    run({ done() {} })
    const held = { inner() {} }
    res.send = res.write = function send() {}
  }
}
Cart.prototype.total = () => 1
describe.each([1])('a \\'cart\\'', () => {
  function helper() {}
})
/* class Dead { gone() {} } */
"""


@pytest.mark.process
@pytest.mark.parametrize("path", [b"a.js", b"a.ts"])
def test_what_a_script_defines_is_told_by_the_compiler(
    bench: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, path: bytes
) -> None:
    monkeypatch.setenv("TRUTH_BENCH_COMPILERS", "1")
    if not bench("truth_bench.compiler_oracle").has_compiler(path):
        pytest.skip("TypeScript is not installed in vscode-extension/node_modules")
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    true = {"Cart": 1, "Cart.add": 4, "done": 0, "Cart.add.held.inner": 6, "res.send": 0, "Cart.add.res.send": 7}
    true |= {"Cart.add.res.write": 7, "Cart.total": 10, "a 'cart'": 11, "a 'cart'.helper": 12, "Cart.add.done": 5}
    for symbol, line in true.items():
        told = fault(path, SCRIPT, symbol, line or 5, line or 5)
        assert (told == "") is (line > 0), (symbol, told)
    for symbol in ("Cart.hidden", "hidden", "Cart.key", "Dead", "helper", "Cart.held"):
        assert "is not what stands there" in fault(path, SCRIPT, symbol, 1, 14)
    assert fault(path, SCRIPT, "Cart.add", 4, 9) == ""
    assert "begins in 10" in fault(path, SCRIPT, "Cart.add", 4, 13)
    renamed = SCRIPT.replace(b"class Cart", b"class Basket")
    assert "is not what stands there (Basket.add)" in fault(path, renamed, "Cart.add", 4, 4)
    assert bench("truth_bench.symbol_oracle").is_broken(path, SCRIPT + b"class {")


@pytest.mark.process
def test_what_java_defines_is_told_by_its_compiler(
    bench: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUTH_BENCH_COMPILERS", "1")
    if not bench("truth_bench.compiler_oracle").has_compiler(b"A.java"):
        pytest.skip("no JDK is installed")
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = (
        b"package a;\n/** Of A. */\npublic class A<T> {\n  static final int X = 1;\n  A() {}\n"
        b"  void f() {\n    new Runnable() { public void run() {} };\n  }\n  enum E { P { void h() {} } }\n}\n"
    )
    for symbol, line in {"A": 2, "A.X": 4, "A.A": 5, "A.f": 6, "A.E.P": 9}.items():
        assert fault(b"A.java", data, symbol, line, line) == ""
    for symbol, line in {"A.run": 7, "X": 4, "A.E.h": 9, "B": 3}.items():
        assert "is not what stands there" in fault(b"A.java", data, symbol, line, line)
    assert bench("truth_bench.symbol_oracle").is_broken(b"A.java", b"class A { void")
    move = bench("truth_bench.symbol_kinds").moved_into_another_class_of_braces
    moved = move(b"class A {\n  void f() {\n    g();\n  }\n}\n", 1, 3, Random(2))
    assert moved.splitlines()[1:3] == [b"}", b""]
    assert "is not what stands there (BenchOther" in fault(b"A.java", moved, "A.f", 5, 7)


def test_a_name_before_arguments_of_a_template_is_around_what_follows(bench: Callable[[str], Any]) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = b"namespace n {\nBox<T>::Box() {\n}\nvoid Box<std::map<K, T>>::put(int a) {\n  a();\n}\n}\n"
    assert fault(b"a.cpp", data, "n.Box<T>.put", 4, 6) == ""


def test_a_function_of_c_ends_where_its_brace_is_closed(bench: Callable[[str], Any]) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = b"""/* of one */
EXPORT int one(int a) {
  if (a) { return '}'; }
  return 0;
}

namespace two {
TEST(three) { one(1); }
struct four : base<int> { int five() const { return 5; } };
}
int two::four::six() { return 6; }
#if 1
#else
int seven(void) {
  return 7;
}
#endif
"""
    right = [("one", 1, 5), ("two.three", 8, 8), ("two.four", 9, 9), ("two.four.five", 9, 9), ("two::four.six", 11, 11)]
    assert [fault(b"a.cpp", data, *one) for one in right] == [""] * 5
    assert fault(b"a.cpp", data, "one", 1, 9) == "'one' ends in line 5, and 'TEST' begins in 8"
    assert "not 'six'" in fault(b"a.cpp", data, "six", 3, 4)
    assert "drops all of it" in fault(b"a.cpp", data, "seven", 14, 16)
    assert fault(b"a.cpp", data + b"}", "one", 1, 9) == ""


@pytest.mark.parametrize(
    ("opening", "closing", "is_dropped"),
    [
        ("#undef X\n#ifdef X", "#endif", True),
        ("#undef X\n#include <x.h>\n#ifdef X", "#endif", False),
        ("#ifdef A\n#undef X\n#endif\n#ifdef X", "#endif", False),
        ("#ifdef X\n#ifndef X", "#endif\n#endif", True),
        ("#ifdef X\n#else\n#ifndef X", "#endif\n#endif", False),
        ("#define YES 1\n#if YES\nint a;\n#else", "#endif", True),
        ("#define YES 1\n#if YES", "#endif", False),
        ("#if 'a' == 'b'", "#endif", True),
    ],
)
def test_what_a_macro_of_the_same_file_drops_is_no_code_for_the_bench(
    bench: Callable[[str], Any], opening: str, closing: str, is_dropped: bool
) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = f"{opening}\nint seven(void) {{\n  return 7;\n}}\n{closing}\n".encode()
    first = opening.count("\n") + 2
    assert ("drops all of it" in fault(b"a.cpp", data, "seven", first, first + 2)) is is_dropped


@pytest.mark.parametrize("head", ["if False:", "while 0:", "if not True:", "if True:\n pass\nelse:"])
def test_a_class_that_is_never_made_is_nowhere_for_the_bench(bench: Callable[[str], Any], head: str) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = f"{head}\n class A:\n    def b(self):\n        return 1\n".encode()
    first = head.count("\n") + 3
    assert "it is defined nowhere" in fault(b"a.py", data, "A.b", first, first + 1)
    live = (
        data.replace(b"False", b"TYPE_CHECKING").replace(b"not True", b"x").replace(b" 0", b" x").replace(b"True", b"x")
    )
    assert fault(b"a.py", live, "A.b", first, first + 1) == ""


@pytest.mark.parametrize(
    "head",
    ["if x and False:", 'if "" or 0:', "if (  # off\n    False):", "raise X\nif x:", "sys.exit(\n    1\n)\nif x:"],
)
def test_what_no_run_comes_to_is_nowhere_for_the_bench(bench: Callable[[str], Any], head: str) -> None:
    fault = bench("truth_bench.symbol_oracle").symbol_fault
    data = f"{head}\n class A:\n    def b(self):\n        return 1\n".encode()
    first = head.count("\n") + 3
    assert "it is defined nowhere" in fault(b"a.py", data, "A.b", first, first + 1)
    assert fault(b"a.py", b"if x:\n  pass\n" + data[data.index(b" class") :], "A.b", 4, 5) == ""
    behind = bench("truth_bench.symbol_kinds").behind_a_statement_that_ends_the_run
    live = b"import os\n\n@x\ndef a():\n    return 1\n\n\ndef c():\n    return 1\n"
    dead = behind(live, 3, 4, Random(1))
    assert dead is not None and dead.endswith(live[11:])
    count = dead.count(b"\n") - live.count(b"\n")
    for name, at in (("a", 3), ("c", 8)):
        assert fault(b"a.py", live, name, at, at + 1) == ""
        assert "it is defined nowhere" in fault(b"a.py", dead, name, at + count, at + count + 1)
        is_dead = bench("truth_bench.symbol_oracle").is_dead
        assert is_dead(b"a.py", dead, at + count, at + count + 1)
        assert not is_dead(b"a.py", live, at, at + 1)


@pytest.mark.parametrize("condition", ["0", "(0)", "!1", "0 && A", "1", "!0", "A", "0 || A", ""])
def test_a_constant_condition_is_read_alike_by_the_bench_and_by_ingest(
    bench: Callable[[str], Any], condition: str
) -> None:
    known = bench("truth_bench.brace_oracle").constant(condition)
    assert known in (None, is_always(condition))
    assert known is not None or not condition.replace("(", "").replace("!", "").startswith(("0)", "1"))


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["page_damaged", "schema_row_damaged", "schema_table_renamed"])
@pytest.mark.parametrize("surface", ["api", "cli", "cli_daemon", "mcp", "lsp", "daemon"])
def test_a_damaged_index_is_asked_through_every_surface(folder: Path, tmp_path: Path, surface: str, kind: str) -> None:
    """The kinds apply to an index that a server holds open; nothing untrue is verified, and the run goes on."""
    said = tmp_path / "said.json"
    options = ["--mutations", "2", "--through", surface, "--kind", kind, "--json", said, "--state", tmp_path / "state"]
    command = [sys.executable, BENCHMARKS / "truth.py", folder, *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    outcome = json.loads(next((tmp_path / "state").glob("*.json")).read_text())
    asked = sum(tally["packets"] for name, tally in outcome["tallies"].items() if name.startswith(kind))
    assert outcome["mutations"] >= 2 and asked >= 1, ran.stdout
    assert (outcome["crashes"], outcome["faults"]) == ([], [])


def test_a_byte_that_is_no_text_is_no_word_of_a_name(bench: Callable[[str], Any]) -> None:
    fault = bench("truth_bench.oracle")._span_fault
    item = {
        "symbol": "Topics # na\ufffdefve caf\ufffde9 \ufffddf",
        "start_line": 2,
        "end_line": 3,
        "gene_id": "",
    }
    data = b"Intro\nTopics # na\xefve caf\xe9 \xdf\n------\n"
    assert "is not there" not in fault(b"README.md", item, data)
    assert "is not there" in fault(b"README.md", {**item, "symbol": "Subjects"}, data)


def test_a_type_with_a_qualified_name_and_its_members_are_of_the_outer_type(bench: Callable[[str], Any]) -> None:
    symbol_fault = bench("truth_bench.symbol_oracle").symbol_fault
    text = b"namespace db {\nstruct Builder::Rep {\n  int size() {\n    return 1;\n  }\n};\n}\n"
    assert not symbol_fault(b"a.cc", text, "db.Builder::Rep", 2, 6)
    assert not symbol_fault(b"a.cc", text, "db.Builder::Rep.size", 3, 5)
    assert symbol_fault(b"a.cc", text + b"void Other() {\n}\n", "db.Other.size", 3, 5)


def test_a_string_in_a_class_of_ruby_is_of_the_class_until_its_end(bench: Callable[[str], Any]) -> None:
    symbol_fault = bench("truth_bench.symbol_oracle").symbol_fault
    text = b"class Page\n  TEXT = <<-HTML\n    <p>\n    </p>\n  HTML\nend\nX = <<-HTML\n    <p>\nHTML\n"
    assert not symbol_fault(b"a.rb", text, "Page", 3, 4)
    assert symbol_fault(b"a.rb", text, "Page", 8, 8)
