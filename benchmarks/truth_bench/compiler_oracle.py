"""Which definitions of JavaScript, TypeScript and Java are where, as the compilers of these languages read a file.

In: the bytes of a file and its name. Out: each definition with its chain of names and its lines; None for a text with
syntax errors, and where the compiler is not at hand. A compiler runs in a process of its own, which is asked about
many files: TypeScript in Node, from ``node_modules`` of the extension or the folder that ``TRUTH_BENCH_TYPESCRIPT``
names, and javac of a JDK. They are asked where ``TRUTH_BENCH_COMPILERS`` is set, as it is in a unit of a run. Knows
nothing of Helix's parser.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Set
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import IO

HERE = Path(__file__).parent
TYPESCRIPT = Path(
    os.environ.get("TRUTH_BENCH_TYPESCRIPT", HERE.parents[1] / "vscode-extension" / "node_modules" / "typescript")
)
SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
_LINE_END = re.compile(r"\r\n|\r|\n")
OPTIONAL = "value"
"""A chain may leave out a value which is no function, class or object: what stands in it is none of its members."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A definition: the names and kinds (``class``, ``function``, ``object``, ``test``, ``value``, ``unnamed``) of what
    is around it and of itself, outermost first, and its 1-based lines."""

    chain: tuple[tuple[str, str], ...]
    first: int
    last: int

    @property
    def name(self) -> str:
        return ".".join(name for name, _ in self.chain)

    @property
    def is_value(self) -> bool:
        return self.chain[-1][1] in {"value", "object"}

    def is_called(self, symbol: str) -> bool:
        """Is ``symbol`` its chain? A member of what has no name is none of the class around that."""
        return _is_chain(symbol, self.chain, "")


def _is_chain(symbol: str, chain: tuple[tuple[str, str], ...], around: str) -> bool:
    """Are the names those of the chain? ``around`` is the kind of the definition before it."""
    (name, kind), *rest = chain
    if kind == "unnamed":
        return bool(rest) and around != "class" and _is_chain(symbol, tuple(rest), around)
    if not rest:
        return symbol == name
    if symbol.startswith(f"{name}.") and _is_chain(symbol[len(name) + 1 :], tuple(rest), kind):
        return True
    return kind == OPTIONAL and _is_chain(symbol, tuple(rest), around)


@dataclass(frozen=True, slots=True)
class CompiledFile:
    """``code`` are the lines that have code, where the compiler tells them."""

    definitions: tuple[Compiled, ...]
    code: frozenset[int] = frozenset()

    def fault(self, symbol: str, code: Set[int], start_line: int, end_line: int) -> str:
        """Why the lines are not ``symbol``; empty when they are. ``code`` are the lines that have code."""
        code = self.code or code
        inside = [line for line in code if start_line <= line <= end_line]
        # A comment leads to the code behind it.
        inside = inside or [min((line for line in code if line > end_line), default=end_line)]
        first, last = min(inside), max(inside)
        if "…" in symbol:
            # A long name ends with its hash.
            return ""
        own = [one for one in self.definitions if one.is_called(symbol)]
        near = [one for one in own if one.first <= last and first <= one.last]
        if near:
            end = max(one.last for one in near)
            behind = (one for one in self.definitions if not one.is_value and end < one.first <= last)
            other = next((one for one in behind if not one.name.startswith(f"{symbol}.")), None)
            return f"{symbol!r} ends in line {end}, and {other.name!r} begins in {other.first}" if other else ""
        around = [one for one in self.definitions if one.first <= last and first <= one.last and not one.is_value]
        there = max(around, key=lambda one: len(one.chain)).name if around else "nothing that has a name"
        is_at = "; it is at " + ", ".join(f"{one.first}-{one.last}" for one in own[:3]) if own else ""
        return f"{symbol!r} is not what stands there ({there}){is_at}"


def has_compiler(path: bytes) -> bool:
    """Is there one for a file of that name, which may be asked?"""
    if not os.environ.get("TRUTH_BENCH_COMPILERS"):
        return False
    suffix = _suffix(path)
    if suffix in SCRIPTS:
        return _script_compiler() is not None
    return suffix == ".java" and _java_compiler() is not None


def compiled(path: bytes, data: bytes) -> CompiledFile | None:
    """The definitions of a file; None where nobody here can tell."""
    if not has_compiler(path):
        return None
    text = _LINE_END.sub("\n", data.decode("utf-8", "replace"))
    # These compilers end a line where an editor does not.
    text = text.translate({0x2028: " ", 0x2029: " "})
    return _of_script(_suffix(path), text) if _suffix(path) in SCRIPTS else _of_java(text)


def _suffix(path: bytes) -> str:
    return "." + path.rpartition(b".")[2].decode("utf-8", "replace")


def missing() -> list[str]:
    """What is not at hand, in words."""
    found = [] if _script_compiler() is not None else [f"TypeScript in {TYPESCRIPT}, or node"]
    return found if _java_compiler() is not None else [*found, "java of a JDK"]


@dataclass(frozen=True, slots=True)
class _Process:
    requests: IO[bytes]
    answers: IO[bytes]

    def ask(self, request: bytes) -> bytes:
        self.requests.write(request)
        self.requests.flush()
        return self.line()

    def line(self) -> bytes:
        answer = self.answers.readline()
        if not answer:
            raise RuntimeError("the compiler that is asked about definitions has ended")
        return answer


def _started(command: list[str]) -> _Process:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    atexit.register(process.kill)
    return _Process(process.stdin, process.stdout)


@cache
def _script_compiler() -> _Process | None:
    node = shutil.which("node")
    is_there = node is not None and (TYPESCRIPT / "package.json").exists()
    return _started([node, str(HERE / "outline_typescript.cjs"), str(TYPESCRIPT)]) if node and is_there else None


@cache
def _java_compiler() -> _Process | None:
    java = shutil.which("java") if shutil.which("javac") else None
    return _started([java, "-Xmx512m", str(HERE / "OutlineJava.java")]) if java else None


@lru_cache(maxsize=128)
def _of_script(suffix: str, text: str) -> CompiledFile | None:
    compiler = _script_compiler()
    assert compiler is not None
    answer = json.loads(compiler.ask(json.dumps({"path": f"file{suffix}", "text": text}).encode() + b"\n"))
    if answer is None:
        return None
    definitions = (
        Compiled(tuple((name, kind) for name, kind in chain), first, last)
        for chain, first, last in answer["definitions"]
    )
    return CompiledFile(tuple(definitions), frozenset(answer["code"]))


@lru_cache(maxsize=128)
def _of_java(text: str) -> CompiledFile | None:
    compiler = _java_compiler()
    assert compiler is not None
    data = text.encode()
    line, found = compiler.ask(struct.pack(">I", len(data)) + data), []
    while line != b"\n":
        found.append(line.decode().split())
        line = compiler.line()
    if found == [["broken"]]:
        return None
    return CompiledFile(
        tuple(
            Compiled(tuple(zip(chain.split("."), kinds.split("."), strict=True)), int(first), int(last))
            for first, last, kinds, chain in found
        )
    )
