"""Whether a symbol stands where an item says, as Python's own ``ast``, the compilers of other languages and Pygments
read the file.

In: the bytes of a file, a symbol, a span of lines. Out: what is wrong with the claim, in words. Knows nothing of
Helix's parser, which it checks: ``A.b`` must be a definition or a binding at those lines whose chain of enclosing
classes and functions is exactly ``A``; of JavaScript, TypeScript and Java, too, where a compiler is at hand. A function
of Vim script must hold all code of the span, one of C or C++ as well where its braces balance. For other languages a
span is wrong only when all of it is a string or a comment.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from pygments import lexers
from pygments.lexer import Lexer
from pygments.token import Comment, String, _TokenType

from truth_bench.brace_oracle import braced
from truth_bench.compiler_oracle import compiled, has_compiler

LEXERS = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescript",
    ".go": "go",
    ".rs": "rust",
    ".c": "c",
    ".h": "c",
    ".java": "java",
    ".cs": "csharp",
    ".php": "php",
    ".rb": "ruby",
    ".kt": "kotlin",
    ".swift": "swift",
    ".lua": "lua",
}
BRACED = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"})
LOOKED_AT_AFTER = 300
CODE, COMMENT, STRING, ATTRIBUTE = "code", "comment", "string", "attribute"
DEAD = frozenset({COMMENT, STRING})
_LINE_END = re.compile(r"\r\n|\r|\n")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Place:
    """A definition or binding: its chain of names, outermost first, and its 1-based inclusive lines."""

    chain: tuple[str, ...]
    first: int
    last: int


@dataclass(slots=True)
class PythonFile:
    """Every definition and binding of a file, the lines on which code stands, those that a string literal spans, and
    those of statements that no run reaches, which are none of the others."""

    definitions: dict[tuple[str, ...], list[Place]] = field(default_factory=dict)
    bindings: dict[tuple[str, ...], list[Place]] = field(default_factory=dict)
    code_lines: set[int] = field(default_factory=set)
    texts: list[tuple[int, int]] = field(default_factory=list)
    unrun: list[tuple[int, int]] = field(default_factory=list)

    def fault(self, symbol: str, start_line: int, end_line: int) -> str:
        """Why the lines are not ``symbol``; empty when they are."""
        chain = tuple(symbol.split("."))
        code = self.code_lines & set(range(start_line, end_line + 1))
        for place in self.definitions.get(chain, ()):
            if code and place.first <= min(code) and max(code) <= place.last:
                return ""
            if not code and place.first <= end_line + 1 and not self._is_code_between(place.last, start_line):
                return ""
        for place in self.bindings.get(chain, ()):
            if place.first <= end_line and start_line <= place.last:
                return ""
        return self._words(chain, start_line, end_line)

    def _is_code_between(self, last: int, start_line: int) -> bool:
        return any(line in self.code_lines for line in range(last + 1, start_line))

    def _words(self, chain: tuple[str, ...], start_line: int, end_line: int) -> str:
        there = {".".join(one.chain) for one in self._all() if one.first <= end_line and start_line <= one.last}
        at = [f"{one.first}-{one.last}" for one in (*self.definitions.get(chain, ()), *self.bindings.get(chain, ()))]
        deepest = sorted(there, key=lambda name: (-name.count("."), name))[:3]
        stands = f"it is at {', '.join(at[:3])}" if at else "it is defined nowhere in the file"
        return f"{'.'.join(chain)!r} is not what stands there ({', '.join(deepest) or 'no definition'}); {stands}"

    def _all(self) -> Iterator[Place]:
        for places in self.definitions.values():
            yield from places


def symbol_fault(path: bytes, data: bytes, symbol: str, start_line: int, end_line: int) -> str:
    """Why the claim is false; empty when it is true, or when nobody here can tell."""
    if not symbol or "[masked" in symbol or "[*" in symbol:
        return ""
    suffix = _suffix(path)
    if suffix in {".py", ".pyi"}:
        python = parsed(data)
        return python.fault(symbol, start_line, end_line) if python is not None else ""
    if suffix == ".vim":
        return _vim_fault(data, symbol, start_line, end_line)
    lexer = LEXERS.get(suffix)
    if lexer is not None and has_compiler(path):
        read = compiled(path, data)
        code = _code_lines(data, lexer, 1, _line_count(data)) if read is not None and not read.code else set()
        return read.fault(symbol, code, start_line, end_line) if read is not None else ""
    if lexer is not None and _is_dead(data, lexer, symbol, start_line, end_line):
        return f"all that stands there is a string or a comment, not {symbol!r}"
    if suffix in BRACED:
        file = braced(data)
        code = _code_lines(data, LEXERS.get(suffix, "cpp"), start_line, end_line)
        return file.fault(symbol, code, start_line, end_line) if file is not None else ""
    return ""


def _line_count(data: bytes) -> int:
    return len(_LINE_END.split(data.decode("utf-8", "replace")))


def _code_lines(data: bytes, language: str, start_line: int, end_line: int) -> set[int]:
    """The lines of a span that have code which is no directive of the preprocessor."""
    here = _LINE_END.split(data.decode("utf-8", "replace"))
    found = {
        number
        for line, text, kind in _tokens(data, language)
        if kind == CODE
        for number, part in enumerate(_LINE_END.split(text), line)
        if start_line <= number <= end_line and part.strip(" \t{}();,")
    }
    return {number for number in found if not here[number - 1].lstrip().startswith("#")}


_VIM_HEAD = re.compile(r"\s*(?:export\s+)?(?:fu(?:n(?:c(?:t(?:i(?:o(?:n)?)?)?)?)?)?|def)!?\s+([\w:#.<>]+)\s*\(")
_VIM_END = re.compile(r"\s*end(?:f(?:u(?:n(?:c(?:t(?:i(?:o(?:n)?)?)?)?)?)?)?|def)\b")


def _vim_fault(data: bytes, symbol: str, start_line: int, end_line: int) -> str:
    """Why a span is not a function of Vim script, which ends with a word of its own: code in it is behind the end.

    One that ``endfunction`` does not close goes on to the next head at the margin; a comment may stand above.
    """
    here = _LINE_END.split(data.decode("utf-8", "replace"))
    inside: set[int] = set()
    names: list[str] = []
    for number, line in enumerate(here, 1):
        head = _VIM_HEAD.match(line)
        if head is not None:
            names = [*(names if line[0].isspace() else ()), head[1]]
        if symbol in names:
            inside.add(number)
        if names and _VIM_END.match(line) is not None:
            names.pop()
    code = [
        number
        for number in range(start_line, min(end_line, len(here)) + 1)
        if here[number - 1].strip() and not here[number - 1].lstrip().startswith('"')
    ]
    outside = [number for number in code if number not in inside]
    if not inside or not outside:
        return ""
    return f"{symbol!r} does not reach line {outside[0]}: it is at {min(inside)}-{max(inside)}"


def can_tell(path: bytes, data: bytes) -> bool:
    """Is the file one whose symbols are checked here?"""
    suffix = _suffix(path)
    if has_compiler(path):
        return compiled(path, data) is not None
    return parsed(data) is not None if suffix in {".py", ".pyi"} else suffix in LEXERS


def is_broken(path: bytes, data: bytes) -> bool:
    """Does a file of another language than Python not compile, or its brackets or quotes not match, so that nobody can
    name what is there?"""
    if has_compiler(path) and compiled(path, data) is None:
        return True
    language = LEXERS.get(_suffix(path))
    return language is not None and _is_unbalanced(data, language)


@lru_cache(maxsize=64)
def _is_unbalanced(data: bytes, language: str) -> bool:
    pending, quotes = list[str](), 0
    for _, text, kind in _tokens(data, language):
        quotes += kind == STRING and text in {'"', 'b"'}
        for character in text if kind in {CODE, ATTRIBUTE} else "":
            if character in "([{":
                pending.append(character)
            elif character in ")]}" and (not pending or pending.pop() + character not in {"()", "[]", "{}"}):
                return True
    return bool(pending) or quotes % 2 == 1


def is_dead(path: bytes, data: bytes, start_line: int, end_line: int) -> bool:
    """Are the lines inside a literal of several lines, or a comment, or does no run reach what they hold?"""
    suffix = _suffix(path)
    if suffix in {".py", ".pyi"}:
        python = parsed(data)
        if python is None:
            return False
        is_unrun = any(first <= end_line and start_line <= last for first, last in python.unrun)
        if is_unrun and python.code_lines.isdisjoint(range(start_line, end_line + 1)):
            return True
        return any(first < start_line and end_line < last for first, last in python.texts)
    return suffix in LEXERS and _is_dead(data, LEXERS[suffix], "", start_line, end_line)


_HEAD = re.compile(r"\s*(?:async\s+def|def|class)\s+(\w+)")


def is_decorator_of(name: str, start_line: int, end_line: int, data: bytes) -> bool:
    """Are the lines among the decorators of a definition of that name?

    A file that is indented as a whole is read without that. In one that Python refuses because of another line, they
    are where a decorator begins at them or above, and the next definition has the name.
    """
    python = parsed(data) or parsed(textwrap.dedent(data.decode("utf-8", "replace")).encode())
    if python is None:
        lines = data.decode("utf-8", "replace").splitlines()
        above = (
            line for line in reversed(lines[:start_line]) if line.strip() and not line.startswith((" ", "\t", ")"))
        )
        defined = (match for line in lines[end_line:] if (match := _HEAD.match(line)))
        following = next(defined, None)
        return next(above, "").startswith("@") and following is not None and following[1] == name
    places = (place for chain, places in python.definitions.items() if chain[-1] == name for place in places)
    return any(place.first <= start_line and end_line <= place.last for place in places)


def _suffix(path: bytes) -> str:
    name = path.rpartition(b"/")[2]
    return ("." + name.rpartition(b".")[2].decode("utf-8", "replace")) if b"." in name else ""


@lru_cache(maxsize=256)
def parsed(data: bytes) -> PythonFile | None:
    """The file as ``ast`` reads it; None when Python refuses it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = PythonFile()
    pending: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while pending:
        node, chain = pending.pop()
        _note_lines(found, node)
        inside = chain
        if isinstance(node, _DEFINITIONS):
            inside = (*chain, node.name)
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            place = Place(inside, first, node.end_lineno or node.lineno)
            found.definitions.setdefault(inside, []).append(place)
        else:
            for name, statement in _bound(node):
                place = Place((*chain, name), statement.lineno, statement.end_lineno or statement.lineno)
                found.bindings.setdefault((*chain, name), []).append(place)
        dead = _never_run(node)
        found.unrun += [(one.lineno, one.end_lineno or one.lineno) for one in dead]
        pending += [(child, inside) for child in ast.iter_child_nodes(node) if child not in dead]
    return found


_ENDS_A_BLOCK = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ENDS_THE_RUN = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})


def _never_run(node: ast.AST) -> list[ast.stmt]:
    """The statements below a condition that is constant, and those behind one that ends their block or the run."""
    found: list[ast.stmt] = []
    for field_name in ("body", "orelse", "finalbody"):
        block = getattr(node, field_name, None)
        ends = (at for at, one in enumerate(block) if _ends(one)) if isinstance(block, list) else ()
        if isinstance(block, list) and (at := next(iter(ends), None)) is not None:
            found += block[at + 1 :]
    if isinstance(node, ast.If | ast.While):
        value = _truth(node.test)
        found += node.body if value is False else node.orelse if value else []
    return found


def _ends(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_exit = isinstance(call, ast.Call) and ast.unparse(call.func) in _ENDS_THE_RUN
    return is_exit or isinstance(statement, _ENDS_A_BLOCK)


def _truth(test: ast.expr) -> bool | None:
    """Whether a condition always holds, or never (False); None where that depends."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        value = _truth(test.operand)
        return None if value is None else not value
    if isinstance(test, ast.BoolOp):
        values = [_truth(one) for one in test.values]
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in values else None if None in values else not decisive
    return None


def _note_lines(found: PythonFile, node: ast.AST) -> None:
    if isinstance(node, ast.stmt):
        found.code_lines.add(node.lineno)
    if isinstance(node, ast.expr):
        found.code_lines.add(node.lineno)
        if isinstance(node, ast.Constant | ast.JoinedStr):
            found.texts.append((node.lineno, node.end_lineno or node.lineno))
            found.code_lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """The names a statement assigns to."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = list(node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    elif type(node).__name__ == "TypeAlias":
        targets = [cast("ast.expr", node.name)]  # type: ignore[attr-defined]
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Name):
            yield target.id, cast("ast.stmt", node)
        elif isinstance(target, ast.Attribute):
            yield target.attr, cast("ast.stmt", node)
        elif isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif isinstance(target, ast.Starred):
            targets.append(target.value)


def leads_to(path: bytes, data: bytes, name: str, start_line: int, end_line: int) -> bool:
    """Are the lines a comment whose next code names ``name``: the first part of a long comment above a declaration?"""
    if _suffix(path) in {".py", ".pyi"}:
        return _leads_in_python(data, name, start_line, end_line)
    language = LEXERS.get(_suffix(path))
    return language is not None and _next_code(data, language, start_line, end_line, DEAD).names(name)


def _leads_in_python(data: bytes, name: str, start_line: int, end_line: int) -> bool:
    """Are the lines, and all up to a definition of that name, comments outside of a string, or blank?"""
    python = parsed(data)
    if python is None or any(first < start_line <= last for first, last in python.texts):
        return False
    lines = _LINE_END.split(data.decode("utf-8", "replace"))
    following = (
        number for number in range(start_line, len(lines) + 1) if lines[number - 1].strip()[:1] not in {"", "#"}
    )
    code = next(following, 0)
    return code > end_line and any(
        place.first == code for chain, places in python.definitions.items() if chain[-1] == name for place in places
    )


def _is_dead(data: bytes, language: str, symbol: str, start_line: int, end_line: int) -> bool:
    """Is every word of the span part of a string or a comment, and neither of one that leads to the symbol, nor of a
    comment in the symbol's own body, nor of the string that is the symbol's own value?"""
    # Of a file whose brackets do not match nobody can say where its strings end.
    dead = {COMMENT} if _is_unbalanced(data, language) else DEAD
    found = _next_code(data, language, start_line, end_line, dead)
    names = re.findall(r"\w+", symbol)
    if not found.is_dead or not names:
        return found.is_dead
    if found.names(names[-1]) or _is_in_body(data, language, names[-1], start_line):
        return False
    return not _is_in_value(data, language, names[-1], start_line, end_line)


@dataclass(frozen=True, slots=True)
class NextCode:
    """Whether a span is all strings and comments, and the first code behind it."""

    is_dead: bool
    after: str

    def names(self, name: str) -> bool:
        """Is the span dead, and does the code behind it hold the name?"""
        return self.is_dead and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.after) is not None


def _next_code(data: bytes, language: str, start_line: int, end_line: int, dead: Set[str]) -> NextCode:
    is_anything, after = False, ""
    for line, text, kind in _tokens(data, language):
        for number, part in enumerate(_LINE_END.split(text), line):
            if start_line <= number <= end_line and part.strip():
                # An attribute leads to a declaration as a comment above it does.
                if kind not in dead | {ATTRIBUTE}:
                    return NextCode(False, "")
                is_anything = is_anything or kind in dead
            elif number > end_line and kind not in dead:
                after += part
        if len(after) > LOOKED_AT_AFTER:
            break
    return NextCode(is_anything, after)


def _is_in_value(data: bytes, language: str, name: str, start_line: int, end_line: int) -> bool:
    """Are the lines part of one string, of which the code before says that it is the value of the name?"""
    before = ""
    for line, text, kind in _tokens(data, language):
        last = line + len(_LINE_END.findall(text))
        if kind == STRING and line < start_line and end_line <= last:
            return re.search(rf"(?<!\w){re.escape(name)}\s*(?::\s*[\w&' ]+)?\s*(?::?=|:)\s*\(?\s*$", before) is not None
        before = (before + text)[-LOOKED_AT_AFTER:] if kind == CODE else before
    return False


_HEAD_OF_WORDS = re.compile(r"\s*(?:class|module|def|local function|function|[A-Z]\w* *=)(?!\w)")


def _is_in_body_of_words(data: bytes, name: str, start_line: int) -> bool:
    """Does a head that names ``name`` stand above the span, with no ``end`` of its own depth between?"""
    lines = _LINE_END.split(data.decode("utf-8", "replace"))[: start_line - 1]
    open_at: list[int] = []
    for line in lines:
        head = _HEAD_OF_WORDS.match(line)
        depth = len(line) - len(line.lstrip())
        if re.match(r"\s*end\b", line):
            open_at = [each for each in open_at if each < depth]
        elif head is not None and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line):
            open_at.append(depth)
    return bool(open_at)


def _is_in_body(data: bytes, language: str, name: str, start_line: int) -> bool:
    """Is a brace that was opened behind the name still open where the span begins?"""
    if language in {"ruby", "lua"}:
        return _is_in_body_of_words(data, name, start_line)
    depth, parens, named_at, bodies = 0, 0, -1, list[int]()
    for line, text, kind in _tokens(data, language):
        if line >= start_line:
            break
        if kind in DEAD:
            continue
        named_at = parens if text == name else named_at
        for character in text:
            parens += (character == "(") - (character == ")")
            if character == "{":
                depth += 1
                # A brace among the parameters opens no body.
                if named_at == parens:
                    bodies.append(depth)
                    named_at = -1
            elif character == "}":
                depth -= 1
                bodies = [each for each in bodies if each <= depth]
            elif character == ";":
                named_at = -1
    return bool(bodies)


@lru_cache(maxsize=64)
def _tokens(data: bytes, language: str) -> tuple[tuple[int, str, str], ...]:
    """Tokens with their 1-based line, and what each is: code, a comment, a string or an attribute of Rust."""
    # Pygments ends a line, and so a comment behind ``//``, at a line feed only.
    text = _LINE_END.sub("\n", data.decode("utf-8", "replace"))
    found, line = [], 1
    for _, kind, value in _lexer(language).get_tokens_unprocessed(text):
        found.append((line, value, _what(kind, value, language)))
        line += len(_LINE_END.findall(value))
    return tuple(found)


def _what(kind: _TokenType, value: str, language: str) -> str:
    if kind in Comment.Preproc or kind in Comment.PreprocFile:
        return ATTRIBUTE if language == "rust" else CODE
    if kind in Comment or kind in String.Doc:
        return COMMENT
    # Outside of Rust a line end ends such a literal, unterminated: what Pygments adds to it is code.
    is_ended = language != "rust" and value[:1] in {"'", '"'} and "\n" in value
    return STRING if kind in String and not is_ended else CODE


@lru_cache(maxsize=8)
def _lexer(language: str) -> Lexer:
    return lexers.get_lexer_by_name(language)
