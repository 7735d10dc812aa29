"""References of a document to code: names, calls, signatures and paths written as code, each with its line.

In: text of markdown, MyST or reStructuredText. Out: unresolved references. Of code blocks and doctests only what Python
imports is one; shell commands, comments and notes about other versions contain none. Linear in the size of the text;
reads no disk. Backticks pair as in CommonMark 0.31 (6.1, code spans): a run of n closes at the next run of exactly n.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Lock

MOST_REFERENCES = 4_000
_KEPT = 32
LONGEST_CODE = 300
LONGEST_PARAGRAPH = 4_000

_MARKS = ("`", "](", "::: ", "~~~", ".. ", ">>> ")
"""What each reference is in: code, a link, a directive of MyST, mkdocstrings or reST, a session. A text without is not
parsed.
"""
_IMPORT = re.compile(r"[ \t]*(?:>>> ?|\.\.\. )?[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+(\(?)([\w, \t]*)")
_MORE_NAMES = re.compile(r"[ \t]*(?:>>>|\.\.\.)?[ \t]*([\w, \t]*)(\)?)")
_PYTHON_BLOCKS = frozenset(("", "python", "python3", "py", "pycon"))
MOST_LINES_OF_IMPORT = 40

_ROLES = frozenset(
    ("meth", "func", "class", "attr", "data", "exc", "mod", "obj", "const", "property", "decorator", "type", "deco")
)
_SIGNATURES = {
    "function": "func",
    "method": "meth",
    "classmethod": "meth",
    "staticmethod": "meth",
    "coroutinefunction": "func",
    "coroutinemethod": "meth",
    "comethod": "meth",
    "cofunction": "func",
    "decorator": "func",
    "class": "class",
    "exception": "exc",
    "attribute": "attr",
    "property": "attr",
    "data": "data",
}
_AUTO = {f"auto{name}": role for name, role in _SIGNATURES.items()} | {"automodule": "mod"}
_PATH_ROLES = frozenset(("doc", "download", "file"))
_CODE_DIRECTIVES = frozenset(
    ("code", "code-block", "sourcecode", "prompt", "doctest", "testcode", "testoutput", "parsed-literal", "math", "raw")
)
_SHOWN_CODE = frozenset(("code", "code-block", "sourcecode", "testcode", "doctest"))
_OTHER_TIMES = frozenset(("versionadded", "versionchanged", "versionremoved", "deprecated", "deprecated-removed"))
_ADMONITIONS = frozenset(
    ("note", "warning", "tip", "important", "hint", "caution", "danger", "attention", "admonition", "seealso")
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+(?:(?:\.|::|#)[A-Za-z_][A-Za-z0-9_]*+)*+")
_JOINT = re.compile(r"\.|::|#")
_FENCE = re.compile(r"(`{3,}|~{3,})([^\n]*)")
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ROLE_BEFORE = re.compile(r":([A-Za-z][\w:+.-]{0,40}):$")
_MYST_ROLE = re.compile(r"\{([A-Za-z][\w:+.-]{0,40})\}$")
_TITLED = re.compile(r"[^<>]*+<([^<>]++)>$")
_DIRECTIVE = re.compile(r"\.\. +([A-Za-z][\w:+.-]*?):: *(.*)$")
_PATH = re.compile(r"[\w.@+~-]*+(?:/[\w.@+~-]++)++/?|[\w@+-]++(?:\.[\w@+-]++)*\.[A-Za-z][A-Za-z0-9]{0,9}")
_LINK = re.compile(r"\[[^\[\]\n]{0,200}\]\(<?([^()\s<>]{1,300})>?(?: +\"[^\"\n]*\")?\)")
_RST_ITEM = re.compile(r"(?:[-*+]|#\.|\d{1,9}[.)])[ ]+")
_SENTENCE_END = re.compile(r"[.!?](?=\s)")
_ASSIGNED = re.compile(r"([A-Za-z_][\w.]*+) ?= ?(\S.*)$", re.S)


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference of a document to something in the project.

    ``parts`` are the names outermost first (``("Flask", "run")``), empty for a path, which is in ``path``. ``role`` is
    the reST role without its domain, ``link`` for a link, ``import`` for what Python code takes from a module, empty
    for code in backticks. ``arguments`` is the text in the parentheses of a call, None without any; ``is_signature``
    says that it is a declaration, ``is_generated`` that the documentation tool takes everything about the name from the
    code itself. ``sentence`` is the enclosing sentence,
    ``paragraph`` all text around it and ``other_code`` its other code. ``line`` is 1-based, and ``first_line`` to
    ``last_line`` are those of the paragraph.
    """

    line: int
    written: str
    parts: tuple[str, ...]
    path: str = ""
    role: str = ""
    arguments: str | None = None
    is_signature: bool = False
    is_generated: bool = False
    sentence: str = ""
    paragraph: str = ""
    other_code: tuple[str, ...] = ()
    first_line: int = 0
    last_line: int = 0

    @property
    def name(self) -> str:
        """Return the last name, which is the one referred to."""
        return self.parts[-1] if self.parts else ""


@dataclass(slots=True)
class _TextBlock:
    """Lines of one paragraph, heading, list item or table row; ``indent`` is that of the first."""

    first_line: int
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _CodeMark:
    """Code in a paragraph: its start and end with backticks, its text, and the role before it."""

    start: int
    end: int
    text: str
    role: str = ""


@lru_cache(_KEPT)
def references_in(text: str, language: str, lines: range | None = None) -> tuple[Reference, ...]:
    """The references of a document in the order of their lines, at most ``MOST_REFERENCES``.

    Args:
        text: The whole document or some of its lines, beginning at a line start.
        language: ``rst``, or anything else for markdown.
        lines: Those whose references are wanted, from 1 on; None for all. The others are read no further than it takes
            to know which lines are prose, and about what.
    """
    if not any(mark in text for mark in _MARKS):
        return ()
    blocks = _blocks_of(text, language)
    if lines is not None and blocks.may_have_more:
        return tuple(one for one in references_in(text, language) if one.line in lines)
    of_block = _in_rst_block if language == "rst" else _in_markdown_block
    found: list[Reference] = []
    for block in blocks.before(lines.stop if lines is not None else None):
        if isinstance(block, Reference):
            found.append(block)
        elif lines is None or (block.first_line < lines.stop and block.first_line + len(block.lines) > lines.start):
            found += of_block(block)
    return tuple(
        one if one.first_line else replace(one, first_line=one.line, last_line=one.line)
        for one in found[:MOST_REFERENCES]
        if lines is None or one.line in lines
    )


class _Blocks:
    """The blocks of prose of a document in which references may be, and the references outside them, in order.

    They are read no further than they are asked for. ``may_have_more`` says that there may be over ``MOST_REFERENCES``:
    those of some lines may then be beyond the limit.
    """

    def __init__(self, text: str, language: str) -> None:
        self.may_have_more = text.count("`") // 2 + sum(map(text.count, _MARKS[1:])) > MOST_REFERENCES
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = _Rst(lines, 1).read() if language == "rst" else _markdown_blocks(lines)
        self._read: list[_TextBlock | Reference] = []
        # Questions in other threads share it, and a generator runs in one at a time.
        self._lock = Lock()

    def before(self, stop: int | None) -> list[_TextBlock | Reference]:
        """Return those that begin before a line, 1-based, and perhaps more; all for None."""
        with self._lock:
            while stop is None or not self._read or _first_line(self._read[-1]) < stop:
                block = next(self._rest, None)
                if block is None:
                    break
                self._read.append(block)
            return [*self._read]


def _first_line(block: _TextBlock | Reference) -> int:
    return block.line if isinstance(block, Reference) else block.first_line


_blocks_of = lru_cache(_KEPT)(_Blocks)


def code_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield ``(start, end, content)`` of each code span of one paragraph of markdown; start and end include the
    backticks.
    """
    runs = [(match.start(), match.end() - match.start()) for match in re.finditer(r"`+", text)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for start, length in runs:
        by_length[length].append(start)
    position = 0
    for start, length in runs:
        if start < position:
            continue
        opening, width = start, length
        if _is_escaped(text, start):
            # Only the first backtick is escaped: what is left of the run may still open a span.
            opening, width = start + 1, length - 1
        if not width:
            continue
        closers = by_length[width]
        index = bisect_right(closers, start)
        if index == len(closers):
            continue
        close = closers[index]
        content = text[opening + width : close].replace("\n", " ")
        if len(content) > 1 and content[0] == content[-1] == " " and content.strip():
            content = content[1:-1]
        position = close + width
        yield opening, position, content


def _is_escaped(text: str, position: int) -> bool:
    before = position
    while before and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1


# Markdown


def _in_markdown(lines: Sequence[str]) -> Iterator[Reference]:
    for block in _markdown_blocks(lines):
        yield from [block] if isinstance(block, Reference) else _in_markdown_block(block)


def _in_markdown_block(block: _TextBlock) -> Iterator[Reference]:
    text = "\n".join(block.lines)
    spans = code_spans(text) if "`" in text else ()
    codes = [_CodeMark(start, end, content, _myst_role(text, start)) for start, end, content in spans]
    links = _LINK.finditer(text) if "](" in text else ()
    return _referred(block, text, codes, [(match.start(), match[1]) for match in links])


def _myst_role(text: str, start: int) -> str:
    match = _MYST_ROLE.search(text, max(0, start - 44), start)
    return match[1] if match is not None else ""


def _markdown_blocks(lines: Sequence[str]) -> Iterator[_TextBlock | Reference]:
    block, fence, fenced_from, info = _TextBlock(0), "", 0, ""
    container, was_blank, in_comment = 0, True, False
    for number, raw in enumerate(lines, 1):
        line = raw.expandtabs(4)
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        while not fence and text.startswith(">"):
            text = text[1:].lstrip(" ")
        opened = _FENCE.match(text) if text.startswith(("```", "~~~")) else None
        if fence:
            if opened and opened[1].startswith(fence) and not opened[2].strip():
                fence = ""
                yield from _in_fence(lines[fenced_from : number - 1], fenced_from + 1, info)
            continue
        if in_comment or text.startswith("<!--"):
            in_comment = "-->" not in text
            continue
        starts_block = not block.lines
        is_item = text.startswith(("-", "*", "+")) or text[:1].isdecimal()
        bullet = _BULLET.match(text) if is_item else None
        is_apart = text[:1] in "#|" or bullet is not None or text.startswith(("!!!", "???", "===", ":::"))
        is_fence = opened is not None and not (opened[1][0] == "`" and "`" in opened[2])
        if block.lines and (not text or is_apart or is_fence):
            yield block
            block = _TextBlock(0)
        if is_fence and opened is not None:
            fence, fenced_from, info = opened[1], number, opened[2].strip()
        elif text.startswith("::: "):
            name = _NAME.fullmatch(text[4:].strip())
            if name is not None:
                yield Reference(number, name[0], tuple(_JOINT.split(name[0])), role="obj", is_generated=True)
        elif text:
            if was_blank and not indent and not is_apart:
                container = 0
            if starts_block and was_blank and indent >= container + 4:
                continue
            if bullet is not None:
                container = indent + bullet.end()
            elif text.startswith(("!!!", "???", "===")):
                container = indent + 4
            if not block.lines:
                block.first_line = number
            block.lines.append(text)
            if text[0] in "#|":
                yield block
                block = _TextBlock(0)
        was_blank = not text
    if block.lines:
        yield block


def _in_fence(lines: Sequence[str], first_line: int, info: str) -> Iterator[Reference]:
    if info.startswith("{"):
        yield from _in_myst(lines, first_line, info)
    elif info.partition(" ")[0].lower() in _PYTHON_BLOCKS:
        yield from imports_of_python(lines, first_line)


def _in_myst(lines: Sequence[str], first_line: int, info: str) -> Iterator[Reference]:
    """Parse a MyST directive: ``{eval-rst}`` contains reST, ``{func}`` and the like are the same directive in reST."""
    name, _, argument = info[1:].partition("}")
    if name == "eval-rst":
        yield from _in_rst(lines, first_line)
    elif name.rpartition(":")[2] in _SIGNATURES or name in _AUTO:
        yield from _in_rst([f".. {name}:: {argument.strip()}"], first_line - 1)
    elif name in _ADMONITIONS:
        yield from _moved_down(_in_markdown(lines), first_line - 1)


def _moved_down(references: Iterator[Reference], by: int) -> Iterator[Reference]:
    for one in references:
        first_line, last_line = one.first_line + by, one.last_line + by
        yield replace(one, line=one.line + by, first_line=first_line, last_line=last_line)


def imports_of_python(lines: Sequence[str], first_line: int) -> Iterator[Reference]:
    """Yield the names that lines of Python, with or without prompts, take from modules by their whole paths."""
    for number, line in enumerate(lines):
        found = _IMPORT.match(line) if "import" in line else None
        if found is None or "." not in found[1]:
            continue
        names, at = found[3], number
        while found[2] and ")" not in lines[at] and at + 1 < min(len(lines), number + MOST_LINES_OF_IMPORT):
            at += 1
            more = _MORE_NAMES.match(lines[at])
            names += f", {more[1]}" if more is not None else ""
        for name in dict.fromkeys(piece.split()[0] for piece in names.split(",") if piece.strip()):
            written = f"{found[1]}.{name}"
            yield Reference(first_line + number, written, tuple(written.split(".")), role="import")


# reStructuredText


def _in_rst(lines: Sequence[str], first_line: int) -> Iterator[Reference]:
    for block in _Rst(lines, first_line).read():
        yield from [block] if isinstance(block, Reference) else _in_rst_block(block)


def _in_rst_block(block: _TextBlock) -> Iterator[Reference]:
    text = "\n".join(block.lines)
    return _referred(block, text, list(_rst_codes(text)), [])


class _Rst:
    """A reST parser: which module and class the lines describe, and which lines are not prose about code."""

    def __init__(self, lines: Sequence[str], first_line: int) -> None:
        self._lines, self._first_line = lines, first_line
        self._block = _TextBlock(0)
        self._module: tuple[str, ...] = ()
        self._owners: list[tuple[int, tuple[str, ...]]] = []
        # Skip lines indented deeper than this: below a directive with code, or a comment.
        self._skipped = -1
        # What is skipped is code that may be Python.
        self._is_code = False
        # Indentation of a paragraph that ended with ``::``: deeper lines after a blank line are a literal block.
        self._literal = -1

    def read(self) -> Iterator[_TextBlock | Reference]:
        """Yield the blocks with code, and the references outside them. A line is no generator: most yield nothing."""
        for number, raw in enumerate(self._lines, self._first_line):
            line = raw.expandtabs(8)
            text = line.lstrip(" ")
            # Most lines are blank, or of prose that begins with a word: no mark has to be looked for in them.
            if not text:
                if self._block.lines:
                    yield from self._paragraph()
            elif text[0].isalpha() and (self._block.lines or self._skipped < 0 > self._literal):
                self._prose(number, text, len(line) - len(text))
            else:
                yield from self._line(number, text, len(line) - len(text))
        yield from self._paragraph()

    def _prose(self, number: int, text: str, indent: int) -> None:
        """Add a line to the paragraph, or begin one."""
        while self._owners and self._owners[-1][0] >= indent:
            self._owners.pop()
        if not self._block.lines:
            self._block.first_line = number
        self._block.lines.append(text)
        self._literal = indent if text.endswith("::") else -1

    def _line(self, number: int, text: str, indent: int) -> Iterable[_TextBlock | Reference]:
        if self._is_passed_over(text, indent):
            before = self._paragraph()
            is_code = self._is_code or text.startswith(">>> ")
            return (*before, *self._imports_at(number)) if is_code and " import" in text else before
        while self._owners and self._owners[-1][0] >= indent:
            self._owners.pop()
        directive = _DIRECTIVE.match(text) if text.startswith("..") else None
        before = ()
        if directive is not None:
            before = self._paragraph()
            return (*before, *self._directive(number, indent, directive[1].rpartition(":")[2], directive[2].strip()))
        if text == ".." or text.startswith(".. "):
            before = self._paragraph()
            self._skipped, self._is_code = indent, False
        else:
            if _RST_ITEM.match(text):
                before = self._paragraph()
            self._prose(number, text, indent)
        return before

    def _is_passed_over(self, text: str, indent: int) -> bool:
        if self._skipped >= 0:
            if indent > self._skipped:
                return True
            self._skipped = -1
        if self._literal >= 0 and not self._block.lines:
            is_code, self._skipped = indent > self._literal, self._literal
            self._literal, self._is_code = -1, is_code
            if is_code:
                return True
            self._skipped = -1
        return text.startswith((">>> ", "... "))

    def _imports_at(self, number: int) -> Iterable[Reference]:
        """Return what the import that begins at a line takes."""
        index = number - self._first_line
        lines = self._lines[index : index + MOST_LINES_OF_IMPORT]
        return (one for one in imports_of_python(lines, number) if one.line == number)

    def _paragraph(self) -> tuple[_TextBlock, ...]:
        """End the paragraph, and return it where it has code."""
        if not self._block.lines:
            return ()
        block, self._block = self._block, _TextBlock(0)
        return (block,) if any("`" in line for line in block.lines) else ()

    def _directive(self, number: int, indent: int, name: str, argument: str) -> Iterator[Reference]:
        index = number - self._first_line
        while argument.endswith("\\") and index + 1 < len(self._lines):
            index += 1
            argument = f"{argument[:-1].rstrip()} {self._lines[index].strip()}"
        if name in ("module", "currentmodule"):
            self._module = tuple(argument.split("."))
        elif name in _CODE_DIRECTIVES or name in _OTHER_TIMES:
            self._skipped = indent
            self._is_code = name in _SHOWN_CODE and argument.lower() in _PYTHON_BLOCKS
        elif name in _SIGNATURES or name in _AUTO:
            declared = _declared(number, name, argument, self._owners[-1][1] if self._owners else self._module)
            if declared is not None:
                yield declared
                self._owners.append((indent, declared.parts))
        elif name == "literalinclude":
            yield Reference(number, argument, (), path=argument, role="link")
        elif name in _ADMONITIONS and argument:
            self._block = _TextBlock(number, [argument])


def _declared(number: int, directive: str, argument: str, prefix: tuple[str, ...]) -> Reference | None:
    """Parse a directive that documents one thing, with the parameters that it states."""
    declared = argument
    for word in ("async ", "classmethod ", "staticmethod ", "abstractmethod "):
        declared = declared.removeprefix(word)
    match = _NAME.match(declared)
    if match is None:
        return None
    rest = declared[match.end() :].strip()
    arguments = None
    if rest.startswith("(") and ")" in rest:
        arguments = rest[1 : rest.rindex(")")]
    own = tuple(_JOINT.split(match[0]))
    shared = next((count for count in range(min(len(own), len(prefix)), 0, -1) if prefix[-count:] == own[:count]), 0)
    is_auto = directive in _AUTO
    role = _AUTO[directive] if is_auto else _SIGNATURES[directive]
    return Reference(
        number,
        match[0],
        (*prefix[: len(prefix) - shared], *own),
        role=role,
        arguments=None if is_auto else arguments,
        is_signature=not is_auto and arguments is not None,
        is_generated=is_auto,
        sentence=argument,
    )


def _rst_codes(text: str) -> Iterator[_CodeMark]:
    position = 0
    while (start := text.find("`", position)) >= 0:
        if _is_escaped(text, start):
            position = start + 1
        elif text.startswith("``", start):
            end = text.find("``", start + 2)
            if end < 0:
                position = start + 2
                continue
            while text.startswith("`", end + 2):
                end += 1
            yield _CodeMark(start, end + 2, text[start + 2 : end].replace("\n", " "))
            position = end + 2
        else:
            end = text.find("`", start + 1)
            if end < 0:
                return
            before = _ROLE_BEFORE.search(text, max(0, start - 44), start)
            is_target = text.startswith("_", end + 1)
            if before is not None:
                yield _CodeMark(start, end + 1, text[start + 1 : end].replace("\n", " "), before[1])
            elif not is_target:
                # The default role: a project may define it as code, and text that is not a name is dropped anyway.
                yield _CodeMark(start, end + 1, text[start + 1 : end].replace("\n", " "))
            position = end + 1


# Both


def _referred(
    block: _TextBlock, text: str, codes: Sequence[_CodeMark], links: Sequence[tuple[int, str]]
) -> Iterator[Reference]:
    if not codes and not links:
        return
    ends = [match.end() for match in _SENTENCE_END.finditer(_blanked(text, codes))]
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line_of(position: int) -> int:
        return block.first_line + bisect_right(line_starts, position) - 1

    def sentence_at(position: int) -> str:
        index = bisect_right(ends, position)
        start, end = ends[index - 1] if index else 0, ends[index] if index < len(ends) else len(text)
        # In a text without sentences only the surrounding characters count.
        return text[max(start, position - LONGEST_PARAGRAPH) : min(end, position + LONGEST_PARAGRAPH)]

    for code in codes:
        row = block.lines[line_of(code.start) - block.first_line]
        if len(code.text) > LONGEST_CODE or row.startswith(("$ ", "% ", ">>> ", "... ")):
            continue
        other_code = tuple(one.text for one in codes if one is not code)
        found = _reference(code, line_of(code.start))
        if found is not None:
            yield Reference(
                found.line,
                found.written,
                found.parts,
                found.path,
                found.role,
                found.arguments,
                sentence=sentence_at(code.start),
                paragraph=text[:LONGEST_PARAGRAPH],
                other_code=other_code,
                first_line=block.first_line,
                last_line=block.first_line + len(block.lines) - 1,
            )
    for start, target in links:
        path = target.partition("#")[0]
        if path and "://" not in path and not path.startswith(("mailto:", "/", "{", "<")) and "." in path:
            line = line_of(start)
            said = sentence_at(start)
            yield Reference(line, path, (), path=path, role="link", sentence=said, first_line=line, last_line=line)


def _blanked(text: str, codes: Sequence[_CodeMark]) -> str:
    """Blank out the code: a dot in a name ends no sentence."""
    pieces, position = [], 0
    for code in codes:
        pieces += [text[position : code.start], "x" * (code.end - code.start)]
        position = code.end
    return "".join(pieces) + text[position:]


def _reference(code: _CodeMark, line: int) -> Reference | None:
    role = code.role.rpartition(":")[2]
    text = code.text.strip()
    if code.role:
        titled = _TITLED.match(text)
        text = titled[1].strip() if titled is not None else text
        text = text.lstrip("!~").lstrip(".")
        if role in _PATH_ROLES:
            return Reference(line, text, (), path=text, role=role)
        if role not in _ROLES:
            return None
    return _named(text, line, role) or (_pathed(text, line) if not code.role else None)


def _named(text: str, line: int, role: str) -> Reference | None:
    if not role:
        # A list under a class's heading writes methods as ``def .read()`` or ``.read()``.
        text = text.removeprefix("async ").removeprefix("def ").lstrip("@.")
    match = _NAME.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    arguments = None
    if rest.startswith("(") and rest.endswith(")"):
        arguments = rest[1:-1]
        if arguments.count("(") != arguments.count(")"):
            return None
    elif _ASSIGNED.match(text) and not role:
        pass
    elif rest:
        return None
    parts = tuple(_JOINT.split(match[0]))
    if not role and rest == "" and _PATH.fullmatch(text) and _looks_like_file(parts):
        return None
    return Reference(line, text, parts, role=role, arguments=arguments)


_FILE_ENDINGS = frozenset(
    ("py", "pyi", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "rs", "java", "c", "h", "cc", "cpp", "hpp", "cs", "rb")
) | frozenset(("php", "md", "rst", "txt", "toml", "yaml", "yml", "json", "ini", "cfg", "html", "css", "sh", "xml"))


def _looks_like_file(parts: tuple[str, ...]) -> bool:
    return len(parts) > 1 and parts[-1] in _FILE_ENDINGS


def _pathed(text: str, line: int) -> Reference | None:
    if _PATH.fullmatch(text) is None or text.startswith(("/", "~", "-", "@")):
        return None
    ending = text.rpartition(".")[2]
    if "/" not in text and ending not in _FILE_ENDINGS:
        return None
    return Reference(line, text, (), path=text)
