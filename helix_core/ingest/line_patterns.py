"""Definitions of files without a grammar, told by the patterns of their lines.

In: a language's name, bytes and their line table. Out: each definition whose first line stands at the left margin, and
the comments right above it. Without a grammar the end of a definition is known by its layout only, so it ends as early
as that allows: a line of it that is left out loses a name, one too many would stand under a false one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from helix_core.lines import LineTable
from helix_core.words import lazy_pattern

_DEFINING = {
    "def": "function", "defp": "function", "fn": "function", "func": "function", "function": "function",
    "sub": "function", "proc": "function", "fun": "function", "subroutine": "function", "rpc": "function",
    "cdef": "function", "cpdef": "function", "class": "class", "module": "class", "defmodule": "class",
    "struct": "class", "message": "class", "service": "class", "interface": "class", "trait": "class",
    "type": "class", "enum": "class", "resource": "class", "object": "class", "package": "class",
}  # fmt: skip
_OWN_WORDS = {
    "dart": {"mixin": "class", "extension": "class"},
    "julia": {"macro": "function"},
    "powershell": {"filter": "function", "workflow": "function"},
}
"""By language the words that define there beside those of most languages."""
_VIM_WORDS = {
    **dict.fromkeys(("fu", "fun", "func", "funct", "functi", "functio", "function", "def"), "function"),
    **dict.fromkeys(("class", "interface", "enum"), "class"),
}
_BEFORE = frozenset(
    {"export", "public", "private", "protected", "static", "async", "pub", "abstract", "local", "final", "override",
     "inline", "cdef", "mutable", "sealed", "base", "primitive"}
)  # fmt: skip
_TWO_WORDS = frozenset(
    {("extension", "type"), ("mixin", "class"), ("enum", "class"), ("enum", "struct"), ("struct", "class")}
)  # fmt: skip
_AFTER_NAME = lazy_pattern(
    r"\s*(?:$|[^\w\s,.]|(?:extends|implements|with|on|is|does|isa)\s)|.*[{=;]\s*$|[^,]*\b(?:where|do|end|begin)\s*$|[^=]*\w\s*=[^=]"
)
"""What follows the name of a definition, but no word in a sentence ("type of thing")."""
_IGNORES_CASE = frozenset({"powershell", "fortran", "batch"})
_NAME_MARKS = {"vim": "_.:-$#<>", "julia": "_.:-$!"}
_TAKES_WORDS = frozenset({"def", "defp"})
"""Words whose parameters may follow the name without brackets."""
_SCOPES = frozenset({"global", "script", "local", "private"})
_CALLABLE = lazy_pattern(
    r"(?:external )?(?P<type>[A-Za-z_][\w.<>?, ]*[\w>?] +)?(?:[gs]et +)?(?P<name>[A-Za-z_][\w.!]*)\("
)
_STATEMENTS = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "await", "throw", "new", "else", "assert", "const", "var",
     "final", "import", "export", "part", "library", "yield", "do", "try"}
)  # fmt: skip
_DART_BODY = lazy_pattern(r"\s*(?:(?:async|sync)\*?\s*)?(?:\{|=>)")
_JULIA_BODY = lazy_pattern(r"(?:::[\w{}., ]+?)?(?: +where +[^=]+?)?\s*=(?![=>])")
_CLOSING = lazy_pattern(
    r"end(?:f(?:u(?:n(?:c(?:tion)?)?)?)?|def|class|interface|enum)?\b(?!\s*[=(.:\[])|(?:fi|esac|done)\s*$",
    re.IGNORECASE,
)
_COMMENT = ("#", "//", "--", ";", "%")
_OPENING_ENDS = ("{", "(", "[", ",", "=>", "=", "->", "\\")
_TEXTS = (("/*", "*/"), ("<#", "#>"), ("#=", "=#"), ("=pod", "=cut"), ("=head", "=cut"), ("=begin", "=cut"))
"""How texts begin and end that hold no code, where a line begins with the first."""
_TELLS_TEXTS = frozenset({"powershell", "vim"})
"""Languages whose strings of several lines begin in a way that nothing else does, so that code goes on after them."""
_ALWAYS_CLOSED = frozenset({"vim"})
"""Languages whose functions end with a word that ends nothing else, so that code at the margin may stand in them."""
_HERE_STRING = lazy_pattern(r"(?:^|[\s=(,])@([\"'])$", cues="@")
_HEREDOC = lazy_pattern(r"=<<\s*(?:(?:trim|eval)\s+)*(\w+)$", cues="=<<")
_LONGEST_HEAD = 300


@dataclass(frozen=True, slots=True)
class LineDefinition:
    """A definition's bytes ``[start, end)``, whole lines."""

    kind: str
    name: str
    start: int
    end: int


def definitions(language: str, data: bytes, lines: LineTable) -> tuple[list[LineDefinition], list[tuple[int, int]]]:
    """Return the definitions in order, disjoint, and the ranges of the comments that stand right above one."""
    found: list[LineDefinition] = []
    leads: list[tuple[int, int]] = []
    scan = _MarginReader(language)
    for row, (line, is_text) in enumerate(_rows(language, data, lines)):
        head = None if is_text else scan.head(line)
        ended = scan.end_before(line, is_head=head is not None, is_text=is_text)
        if scan.opened is not None and ended is not None:
            found.append(scan.opened.ending(lines, ended))
            scan.opened = None
        if head is not None:
            scan.open(row, line, *head)
            leads += scan.comments_above(lines, row)
        scan.see(row, line, is_text=is_text)
    if scan.opened is not None:
        found.append(scan.opened.ending(lines, scan.last_row()))
    return found, leads


@dataclass(slots=True)
class _Open:
    """A definition that begins on ``row`` and has not ended; ``is_closed`` when its last line was seen."""

    kind: str
    name: str
    row: int
    is_closed: bool
    sure: int = -1
    """The last row that belongs to it if its closing word is missing; -1 while no line at the margin raised a doubt."""

    def ending(self, lines: LineTable, row: int) -> LineDefinition:
        return LineDefinition(self.kind, self.name, lines.start(self.row), lines.start(row + 1))


class _MarginReader:
    """Reads a file line by line and keeps the definition that is open."""

    def __init__(self, language: str) -> None:
        self.opened: _Open | None = None
        self._language = language
        self._words = _VIM_WORDS if language == "vim" else {**_DEFINING, **_OWN_WORDS.get(language, {})}
        self._comment = ('"',) if language == "vim" else _COMMENT
        self._last = 0
        """The last row that belongs to the open definition."""
        self._comments = -1
        """The first row of the comment at the margin that ends on the row above; -1 for none."""

    def last_row(self) -> int:
        """Return the last row of the open definition, as far as it was read."""
        return self.opened.sure if self.opened is not None and self.opened.sure >= 0 else self._last

    def head(self, line: str) -> tuple[str, str] | None:
        """Return kind and name of what the line begins to define, or None."""
        if not line or line[0].isspace() or line.startswith(self._comment):
            return None
        text = line[:_LONGEST_HEAD]
        return self._by_word(text) or self._by_shape(text)

    def _by_word(self, text: str) -> tuple[str, str] | None:
        words = text.split(None, 5)
        while len(words) > 2 and words[0] in _BEFORE and words[1] not in ("=", ":"):
            words = words[1:]
        if len(words) > 2 and (words[0], words[1]) in _TWO_WORDS:
            words = words[1:]
        if len(words) < 2:
            return None
        word = words[0].lower() if self._language in _IGNORES_CASE else words[0]
        if self._language == "vim":
            word = word.removesuffix("!")
        kind = self._words.get(word)
        if kind is None:
            return None
        name, after = self._identifier(text, words[1])
        if not name or (word, name) == ("extension", "on"):
            return None
        if self._language == "vim" and kind == "function":
            return (kind, name) if after.lstrip().startswith("(") else None
        return (kind, name) if word in _TAKES_WORDS or _AFTER_NAME.match(after) is not None else None

    def _identifier(self, text: str, word: str) -> tuple[str, str]:
        """Return the name that ``word`` begins with, and what follows it in ``text``."""
        after = text.partition(word)[2]
        bare = word.strip("\"'`")
        if bare != word:
            word, after = bare, f'"{after}'
        marks = _NAME_MARKS.get(self._language, "_.:-$")
        length = 0
        while length < len(word) and (word[length].isalnum() or word[length] in marks):
            length += 1
        name = word[:length].rstrip(".:-")
        after = word[length:] + after
        scope, _, rest = name.partition(":")
        return (rest if rest and self._language == "powershell" and scope.lower() in _SCOPES else name), after

    def _by_shape(self, text: str) -> tuple[str, str] | None:
        """Return a function that no word announces: ``int add(int a) {`` in Dart, ``area(r) = 3 * r`` in Julia."""
        if self._language not in ("dart", "julia"):
            return None
        match = _CALLABLE.match(text)
        if match is None or text.split(None, 1)[0].partition("(")[0] in _STATEMENTS:
            return None
        name, closing = match["name"], _closing(text, match.end() - 1)
        if self._language == "julia":
            is_head = match["type"] is None and closing > 0 and _JULIA_BODY.match(text, closing) is not None
        elif closing > 0:
            is_head = _DART_BODY.match(text, closing) is not None
        else:
            is_head = match["type"] is not None and text.rstrip().endswith(("(", "{", "[", ","))
        return ("function", name) if is_head else None

    def open(self, row: int, line: str, kind: str, name: str) -> None:
        self.opened = _Open(kind, name, row, _is_closed(line))
        self._last = row

    def end_before(self, line: str, *, is_head: bool, is_text: bool) -> int | None:
        """Return the last row of the open definition when this row shows that it ended, else None."""
        if self.opened is None or not line.strip():
            return None
        if self.opened.is_closed or is_head:
            return self.last_row()
        if line[0].isspace():
            return None
        if is_text:
            return None if self._language in _TELLS_TEXTS else self._last
        if line[0] in "{})]" or _is_closing_word(line):
            return None
        # A comment at the margin may stand in the middle of a body: what follows it tells.
        if line.startswith(self._comment):
            return None
        if self._language not in _ALWAYS_CLOSED or self.opened.kind != "function":
            return self._last
        self.opened.sure = self.last_row()
        return None

    def see(self, row: int, line: str, *, is_text: bool) -> None:
        """Take the line into the open definition, and note where a comment began."""
        is_comment = is_text or line.startswith(self._comment)
        self._comments = (self._comments if self._comments >= 0 else row) if is_comment else -1
        if self.opened is None or row == self.opened.row or not line.strip() or is_comment:
            return
        self._last = row
        if line[0] == "}" or _is_closing_word(line):
            self.opened.is_closed = not line.rstrip().endswith(_OPENING_ENDS)
            self.opened.sure = -1 if self.opened.is_closed else self.opened.sure

    def comments_above(self, lines: LineTable, row: int) -> list[tuple[int, int]]:
        if self._comments < 0:
            return []
        return [(lines.start(self._comments), lines.start(row) - 1)]


def _is_closing_word(line: str) -> bool:
    return line[0] in "eEfFdD" and _CLOSING.match(line) is not None


def _is_closed(head: str) -> bool:
    """Return whether the definition ends on its first line."""
    text = head.rstrip()
    if text.endswith((";", "}")):
        return text.count("{") == text.count("}") and text.count("(") == text.count(")")
    opening = text.find("{")
    closing = _closing(text, opening) if opening >= 0 else -1
    if closing > 0 and text[closing:].lstrip().startswith(_COMMENT):
        return True
    return text.endswith((" end", "\tend"))


def _closing(text: str, opening: int) -> int:
    """Return the offset after the bracket that closes the one at ``opening``; -1 when it is not in the text."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at + 1
    return -1


def _rows(language: str, data: bytes, lines: LineTable) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it is in a text that holds no code: a block comment, a string of several lines."""
    until = ""
    for row in range(len(lines)):
        line = data[lines.start(row) : lines.start(row + 1)].decode("utf-8", "replace").rstrip("\r\n")
        if until:
            yield line, True
            until = "" if until in line else until
            continue
        until = _text_end(language, line)
        # The line that begins a string is code itself.
        yield line, bool(until) and line.lstrip().startswith(tuple(opening for opening, _ in _TEXTS))


def _text_end(language: str, line: str) -> str:
    """Return what ends the text that begins on this line and goes on to the next; '' when none does."""
    text = line.strip()
    for opening, closing in _TEXTS:
        if text.startswith(opening) and closing not in text[len(opening) :]:
            return closing
    if language == "powershell":
        here_string = _HERE_STRING.search(text)
        return f"{here_string[1]}@" if here_string is not None else ""
    if language == "vim":
        heredoc = _HEREDOC.search(text)
        return heredoc[1] if heredoc is not None else ""
    return next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
