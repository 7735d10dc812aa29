"""What no run reaches defines nothing, by the syntax tree: the same text behind a condition that may hold does."""

from __future__ import annotations

import pytest

from helix_core.ingest import Chains, ingest

SCRIPT = "function add(a) {\n  const c = a + 1;\n  return c;\n}\n"
PYTHON = "    def add(a):\n        c = a + 1\n        return c\n"
RUBY = "def add(a)\n  c = a + 1\n  c\nend\n"
LUA = "function add(a)\n  local c = a + 1\n  return c\nend\n"
PHP = "function add($a) {\n  $c = $a + 1;\n  return $c;\n}\n"
SHELL = "add() {\n  echo one\n  echo two\n}\n"
RUST = "fn add(a: i32) -> i32 {\n    let c = a + 1;\n    c\n}\n"
SHARP = "void add(int a) {\n  var c = a + 1;\n  Use(c);\n}\n"
METHOD = "  add(a) {\n    const c = a + 1;\n    return c;\n  },\n"
TABLE = "CREATE TABLE add (\n  one INT,\n  two INT\n);\n"
JAVA = "class add {\n  int c = 1;\n  int d = 2;\n}\n"

DEAD = [
    ("a.py", "if False:\n", PYTHON, ""),
    ("a.py", "if 0:\n", PYTHON, ""),
    ("a.py", "if (None):\n", PYTHON, "else:\n    pass\n"),
    ("a.py", "if not True:\n", PYTHON, "elif x:\n    pass\n"),
    ("a.py", "if False and x:\n", PYTHON, ""),
    ("a.py", "if True or x:\n    pass\nelse:\n", PYTHON, ""),
    ("a.py", "if x:\n    pass\nelif False:\n", PYTHON, ""),
    ("a.py", "if x:\n    pass\nelif True:\n    pass\nelif y:\n", PYTHON, ""),
    ("a.py", "while 0:\n", PYTHON, ""),
    ("a.py", "while False:\n", PYTHON, "else:\n    pass\n"),
    ("a.js", "if (false) {\n", SCRIPT, "}\n"),
    ("a.js", "if (!1) {\n", SCRIPT, "} else {\n}\n"),
    ("a.js", "while (0) {\n", SCRIPT, "}\n"),
    ("a.ts", "if (x) {\n} else if (false) {\n", SCRIPT, "}\n"),
    ("a.ts", "if (true) {\n} else {\n", SCRIPT, "}\n"),
    ("a.tsx", "if (null && x) {\n", SCRIPT, "}\n"),
    ("a.rb", "if false\n", RUBY, "end\n"),
    ("a.rb", "unless true\n", RUBY, "else\n  1\nend\n"),
    ("a.rb", "if x\n  1\nelsif nil\n", RUBY, "end\n"),
    ("a.rb", "while false do\n", RUBY, "end\n"),
    ("a.rb", "begin\n", RUBY, "end if false\n"),
    ("a.lua", "if false then\n", LUA, "end\n"),
    ("a.lua", "if x then\nelseif nil then\n", LUA, "else\nend\n"),
    ("a.lua", "if 0 then\nelse\n", LUA, "end\n"),
    ("a.php", "<?php\nif (false) {\n", PHP, "}\n"),
    ("a.php", "<?php\nif (FALSE):\n", PHP, "endif;\n"),
    ("a.php", "<?php\nif (0) {\n", PHP, "} else {\n}\n"),
    ("a.sh", "if false; then\n", SHELL, "fi\n"),
    ("a.sh", "if ! true\nthen\n", SHELL, "else\n  x\nfi\n"),
    ("a.sh", "if true; then\n  x\nelse\n", SHELL, "fi\n"),
    ("a.sh", "if x; then\n  x\nelif false; then\n", SHELL, "fi\n"),
    ("a.sh", "while false; do\n", SHELL, "done\n"),
    ("a.sh", "until :; do\n", SHELL, "done\n"),
    ("a.sh", ": <<'END'\n", SHELL, "END\n"),
    ("a.sh", "if x; then\n  exit 1\nfi\nexit 0\n", SHELL, ""),
    ("a.sh", "exit >&2\n", SHELL, ""),
    ("a.sh", "x; exit\n", SHELL, ""),
    ("a.rs", "#[cfg(FALSE)]\n", RUST, ""),
    ("a.rs", "#[cfg(any())]\n/// Adds.\n#[inline]\n", RUST, ""),
    ("a.rs", "#[cfg(not(all()))]\n", RUST, ""),
    ("a.rs", '#[cfg(all(feature = "x", any()))]\n', RUST, ""),
    ("a.rs", "#[cfg(any())]\nmod m {\n", RUST, "}\n"),
    ("a.rs", "#![cfg(FALSE)]\n", RUST, ""),
    ("a.rs", "mod m {\n#![cfg(FALSE)]\n", RUST, "}\n"),
    ("a.cs", "if (false) {\n", SHARP, "}\n"),
    ("a.java", "class A { void m() { if (false) {\n", JAVA, "} } }\n"),
    ("a.py", "if x and False:\n", PYTHON, ""),
    ("a.py", "if x and not True:\n", PYTHON, ""),
    ("a.py", "if (x or y) and 0:\n", PYTHON, ""),
    ("a.py", "if False \\\n  and x:\n", PYTHON, ""),
    ("a.py", "if (  # off\n    False):\n", PYTHON, ""),
    ("a.py", "if 0 == 1:\n", PYTHON, ""),
    ("a.py", 'if "":\n', PYTHON, ""),
    ("a.py", "if 0.0 or 00:\n", PYTHON, ""),
    ("a.py", "sys.exit(0)\nif x:\n", PYTHON, ""),
    ("a.py", "sys.exit(\n    0\n)\n\n# off\nif x:\n", PYTHON, ""),
    ("a.py", "raise SystemExit\nclass A:\n", PYTHON, ""),
    ("a.py", "exit()\nx = 1\nclass A:\n", PYTHON, ""),
    ("a.py", "def f():\n    return 1\n", PYTHON, ""),
    ("a.py", "for x in y:\n    continue  # off\n\n", PYTHON, ""),
    ("a.js", "if (x && false) {\n", SCRIPT, "}\n"),
    ("a.js", "if (x && y && !1) {\n", SCRIPT, "}\n"),
    ("a.js", "if (/* off */ false) {\n", SCRIPT, "}\n"),
    ("a.js", "if (1 === 0) {\n", SCRIPT, "}\n"),
    ("a.js", "while (x && false) {\n", SCRIPT, "}\n"),
    ("a.js", "for (; false; ) {\n", SCRIPT, "}\n"),
    ("a.js", "x(false && {\n", METHOD, "});\n"),
    ("a.js", "x(true || {\n", METHOD, "});\n"),
    ("a.ts", "x(false ? {\n", METHOD, "} : null);\n"),
    ("a.php", "<?php\nif ($x && FALSE) {\n", PHP, "}\n"),
    ("a.rb", "if x and false\n", RUBY, "end\n"),
    ("a.rb", "exit\n", RUBY, ""),
    ("a.rb", "abort 'no'\n", RUBY, ""),
    ("a.rb", "raise ArgumentError, 'no'\n", RUBY, ""),
    ("a.rb", "return\n", RUBY, ""),
    ("a.lua", "if x and false then\n", LUA, "end\n"),
    ("a.lua", "do return end\n", LUA, ""),
    ("a.lua", "os.exit(1)\n", LUA, ""),
    ("a.sh", "if x && false; then\n", SHELL, "fi\n"),
    ("a.sh", "if false || false; then\n", SHELL, "fi\n"),
    ("a.sh", "if x; false; then\n", SHELL, "fi\n"),
    ("a.sh", "while x && ! :; do\n", SHELL, "done\n"),
    ("a.sh", "false && ", SHELL, ""),
    ("a.sh", "true || ", SHELL, ""),
    ("a.sh", "{ echo bye; exit 0; }\n", SHELL, ""),
    ("a.sh", "{ { exit; } >&2; }\n", SHELL, ""),
    ("a.sh", "exec bash -c x\n", SHELL, ""),
    ("a.sh", 'exec "$PYTHON" run.py "$@"\n', SHELL, ""),
    ("a.sh", "cat <<$M <<N\none\n$M\n", SHELL, "N\n"),
    ("a.sh", "cat <<$M\n", SHELL, "$M\n"),
    ("a.rs", "#[cfg_attr(all(), cfg(any()))]\n", RUST, ""),
    ("a.py", "if False is True:\n", PYTHON, ""),
    ("a.py", "if None is not None or 2 > 3:\n", PYTHON, ""),
    ("a.py", "if 'a' == 'b':\n", PYTHON, ""),
    ("a.js", "if (true === false) {\n", SCRIPT, "}\n"),
    ("a.rb", "if 'a' != \"a\"\n", RUBY, "end\n"),
    ("a.sh", "if [ 1 = 0 ]; then\n", SHELL, "fi\n"),
    ("a.sh", "if ! [ 0 ]; then\n", SHELL, "fi\n"),
    ("a.sh", "if [[ a == b ]]; then\n", SHELL, "fi\n"),
    ("a.sh", "if x; then\n  x\nelif [ -n '' ]; then\n", SHELL, "fi\n"),
    ("a.sh", "if test 1 -eq 2; then\n", SHELL, "fi\n"),
    ("a.sh", "while (( 0 )); do\n", SHELL, "done\n"),
    ("a.sh", "if (( 1 < 2 )); then\n  x\nelse\n", SHELL, "fi\n"),
    ("a.sh", '[ "" ] && ', SHELL, ""),
    ("a.sql", "/* outer /* inner */\n", TABLE, "*/\n"),
    ("a.sql", "# ", TABLE, ""),
]
ALIVE = [
    ("a.py", "if TYPE_CHECKING:\n", PYTHON, ""),
    ("a.py", "if True:\n", PYTHON, ""),
    ("a.py", "if False or x:\n", PYTHON, ""),
    ("a.py", "if 'False':\n", PYTHON, ""),
    ("a.py", "if 0 == x:\n", PYTHON, ""),
    ("a.py", "if False is not True:\n", PYTHON, ""),
    ("a.py", "if 'a' is x:\n", PYTHON, ""),
    ("a.py", "if 'a' == x:\n", PYTHON, ""),
    ("a.js", "if (010 == 8) {\n", SCRIPT, "}\n"),
    ("a.sh", "if [ 1 = $x ]; then\n", SHELL, "fi\n"),
    ("a.sh", "if [ 1 = 0 -o x ]; then\n", SHELL, "fi\n"),
    ("a.sh", "if [ 0 ]; then\n", SHELL, "fi\n"),
    ("a.sh", "if [[ 2 < 10 ]]; then\n", SHELL, "fi\n"),
    ("a.sh", "if [ 1 = 0 ]; then\n  x\nelse\n", SHELL, "fi\n"),
    ("a.sh", "echo [ 1 = 0 ]\n", SHELL, ""),
    ("a.py", "if False:\n    pass\nelse:\n", PYTHON, ""),
    ("a.py", "while False:\n    pass\nelse:\n", PYTHON, ""),
    ("a.js", "if (falsehood) {\n", SCRIPT, "}\n"),
    ("a.js", "if (0 < x) {\n", SCRIPT, "}\n"),
    ("a.js", "do {\n", SCRIPT, "} while (false)\n"),
    ("a.js", "// if (false) {\n", SCRIPT, "// }\n"),
    ("a.js", "const s = 'if (false) {';\n", SCRIPT, ""),
    ("a.rb", "if 0\n", RUBY, "end\n"),
    ("a.rb", "begin\n", RUBY, "end while false\n"),
    ("a.lua", "if 0 then\n", LUA, "end\n"),
    ("a.php", "<?php\nif (!function_exists('add')) {\n", PHP, "}\n"),
    ("a.php", "<?php\nif (false) {\n} else {\n", PHP, "}\n"),
    ("a.sh", "if false || x; then\n", SHELL, "fi\n"),
    ("a.sh", "if false; x; then\n", SHELL, "fi\n"),
    ("a.sh", "if false; then\n  x\nelse\n", SHELL, "fi\n"),
    ("a.sh", "if x; then\n  exit 0\nfi\n", SHELL, ""),
    ("a.sh", "x && exit 0\n", SHELL, ""),
    ("a.sh", "exit 0 &\n", SHELL, ""),
    ("a.sh", "(exit 0)\n", SHELL, ""),
    ("a.sh", "exit() {\n  :\n}\nexit 0\n", SHELL, ""),
    ("a.rs", "#[cfg(test)]\n", RUST, ""),
    ("a.rs", "#[cfg(all())]\n", RUST, ""),
    ("a.rs", '#[cfg(any(feature = "FALSE", unix))]\n', RUST, ""),
    ("a.rs", "#[cfg(FALSE)]\nstruct Other;\n", RUST, ""),
    ("a.rs", "#[cfg_attr(FALSE, inline)]\n", RUST, ""),
    ("a.rs", "#[cfg_attr(any(), cfg(any()))]\n", RUST, ""),
    ("a.rs", "#[cfg_attr(all(), inline)]\n", RUST, ""),
    ("a.py", "if x or False:\n", PYTHON, ""),
    ("a.py", "if x == 0:\n", PYTHON, ""),
    ("a.py", "if x(y and False):\n", PYTHON, ""),
    ("a.py", "if x:\n    sys.exit()\nif y:\n", PYTHON, ""),
    ("a.py", "x or sys.exit()\nif y:\n", PYTHON, ""),
    ("a.py", "try:\n    raise X\nexcept X:\n    pass\nif y:\n", PYTHON, ""),
    ("a.py", "if x:\n    exit = quit\n", PYTHON, ""),
    ("a.py", "def f(x):\n    return x(\n    1)\n\n\nif y:\n", PYTHON, ""),
    ("a.js", "if (x || false) {\n", SCRIPT, "}\n"),
    ("a.js", "if (FALSE) {\n", SCRIPT, "}\n"),
    ("a.js", "x(false || {\n", METHOD, "});\n"),
    ("a.js", "x(false ? null : {\n", METHOD, "});\n"),
    ("a.rb", "exit if x\n", RUBY, ""),
    ("a.rb", "exit = 1\n", RUBY, ""),
    ("a.rb", "at_exit do\n  exit 1\nend\n", RUBY, ""),
    ("a.lua", "if x then return end\n", LUA, ""),
    ("a.sh", "if x || false; then\n", SHELL, "fi\n"),
    ("a.sh", "if false; then\n  x\nelif y && true; then\n", SHELL, "fi\n"),
    ("a.sh", "x || true\n", SHELL, ""),
    ("a.sh", "false || ", SHELL, ""),
    ("a.sh", "{ exit 0; } &\n", SHELL, ""),
    ("a.sh", "{ exit 0; } | cat\n", SHELL, ""),
    ("a.sh", "die() { exit 1; }\n", SHELL, ""),
    ("a.sh", "exec 3>&1\n", SHELL, ""),
    ("a.sh", 'exec "$@"\n', SHELL, ""),
    ("a.sh", "exec $RUN\n", SHELL, ""),
    ("a.sh", "x && exec y\n", SHELL, ""),
    ("a.sql", "/* outer /* inner */ -- */\n", TABLE, ""),
    ("a.sql", "-- /* one\n", TABLE, "-- /* two */ */\n"),
    ("a.sql", "SELECT a #> b;\n", TABLE, ""),
]


def standing(path: str, opening: str, text: str, closing: str) -> tuple[str, set[str]]:
    data = (opening + text + closing).encode()
    naming = Chains(path.encode(), data, 5.0).name(len(opening), len(opening) + len(text), "add")
    chunks = ingest(path.encode(), data, embed=False).chunks
    names = {definition.name for chunk in chunks for definition in chunk.definitions}
    assert "add" in "".join(chunk.text.body for chunk in chunks)
    return naming.symbol or "", names


@pytest.mark.parametrize(("path", "opening", "text", "closing"), DEAD)
def test_what_no_run_reaches_defines_nothing(path: str, opening: str, text: str, closing: str) -> None:
    symbol, names = standing(path, opening, text, closing)
    assert symbol.rpartition(".")[2] != "add"
    assert "add" not in names


@pytest.mark.parametrize(("path", "opening", "text", "closing"), ALIVE)
def test_what_some_run_may_reach_keeps_its_name(path: str, opening: str, text: str, closing: str) -> None:
    _, names = standing(path, opening, text, closing)
    assert "add" in names
