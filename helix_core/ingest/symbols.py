"""What a span says: the text fields the index posts, the names it defines, the names it tests. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from helix_core.ingest.outline import Outline

_LITERALS = frozenset({"None", "True", "False", "null", "true", "false", "nil", "undefined", "self", "this"})
_WORD = re.compile(r"\w+")
_ASCII_WORDS = bytes(code if chr(code).isalnum() or code in b"_" else 0x20 for code in range(128)) + bytes(128)
_MARKERS = str.maketrans(dict.fromkeys("/*#\"'", " "))
_TEST_PREFIXES = ("test_", "Test_", "Tests_", "test", "Test", "Benchmark", "Fuzz", "Example")
_TEST_SUFFIXES = ("TestCase", "Tests", "Test", "Spec", "_test", "_spec", "_tests")
_FILE_MARKS = (".test", ".spec", "_test", "_spec", "_tests", "-test", "-spec", "Test", "Tests", "Spec")


@dataclass(frozen=True, slots=True)
class Texts:
    """Masked bytes of a span by what they are: comments and docstrings, all the rest, and code without strings."""

    doc: bytes
    body: bytes
    code: bytes


class TextSplitter:
    """Splits spans of one file, in any order, at its comments, docstrings and strings."""

    def __init__(self, data: bytes, outline: Outline) -> None:
        self._data = data
        self._ranges = sorted([*((s, e, True) for s, e in outline.doc), *((s, e, False) for s, e in outline.strings)])
        self._starts = [start for start, _, _ in self._ranges]

    def split(self, start: int, end: int) -> Texts:
        """The texts of ``[start, end)``."""
        data = self._data
        doc: list[bytes] = []
        body: list[bytes] = []
        code: list[bytes] = []
        position = body_from = start
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            low, high, is_doc = self._ranges[index]
            if low >= end:
                break
            if high <= position:
                continue
            low, high = max(low, position), min(high, end)
            code.append(data[position:low])
            position = high
            if is_doc:
                doc.append(data[low:high])
                body.append(data[body_from:low])
                body_from = high
        code.append(data[position:end])
        body.append(data[body_from:end])
        return Texts(b"\n".join(doc), b" ".join(body), b" ".join(code))


def plain(doc: str) -> str:
    """Comment text without its markers, its white space folded."""
    return " ".join(doc.translate(_MARKERS).split())


def references(code: bytes, keywords: frozenset[str]) -> str:
    """The distinct identifiers of ``code`` with at least three characters that the language does not reserve."""
    if code.isascii():
        # A third cheaper than the pattern; what begins with a digit is no identifier.
        words = code.translate(_ASCII_WORDS).decode("ascii").split()
    else:
        words = _WORD.findall(code.decode("utf-8", "replace"))
    names = [name for name in dict.fromkeys(words) if len(name) >= 3 and name[0] > "9"]
    return " ".join([name for name in names if name not in keywords and name not in _LITERALS])


def tested_name(name: str, kind: str) -> str:
    """What a test called ``name`` evidently tests, or '': ``test_foo`` and ``TestFoo`` give foo and Foo."""
    if kind in {"suite", "test"}:
        return name if name.isidentifier() else ""
    for prefix in _TEST_PREFIXES:
        rest = name.removeprefix(prefix)
        if rest != name and rest and not (prefix[-1].islower() and rest[0].islower()):
            return rest.lstrip("_")
    if kind == "class":
        for suffix in _TEST_SUFFIXES:
            rest = name.removesuffix(suffix)
            if rest != name and rest:
                return rest
    return ""


def tested_file(path: bytes) -> str:
    """What a test file of this name evidently tests, or ''."""
    stem = path.rpartition(b"/")[2].decode("utf-8", "replace").rpartition(".")[0]
    if stem.startswith("test_"):
        return stem[5:]
    for mark in _FILE_MARKS:
        rest = stem.removesuffix(mark)
        if rest != stem and rest:
            return rest
    return ""
