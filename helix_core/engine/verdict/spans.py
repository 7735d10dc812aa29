"""Find the line of an item that declares, uses or mentions a name, and lines that were only formatted anew; tell prose
about the current code. Pure.

Names are compared case-sensitively, unlike postings, which fold the case.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence

from helix_core.lines import LineTable, with_line_feeds
from helix_core.model import Item, LineSpan, Role, SourceKind
from helix_core.words import is_compound, lazy_pattern

_COMMENT = ("//", "/*", "--", ";", '"""', "'''")
_WITH_REQUIRE = frozenset(("javascript", "typescript", "tsx", "vue", "svelte"))
"""Languages in which ``const name = require("module")`` is an import."""
_IMPORT = ("import ", "from ", "use ", "#include", "require ", "export * from")
_REQUIRED = lazy_pattern(
    r"^[ \t]*(?:const|let|var)\s+(?:\{[^{}]{0,2000}+\}|[\w$]++)\s*=\s*(?:await\s+)?(?:require|import)\s*\(",
    re.M,
    cues="require|import",
)
_USE_FIXTURES = lazy_pattern(r"\busefixtures\([^()]{0,2000}\)", cues="usefixtures(")
LONGEST_IMPORT = 200
"""Lines of one import."""
_CHAIN = lazy_pattern(r"(?:[^\W\d]\w*(?:::|->|\?\.|\.))+$")
_JOINTS = lazy_pattern(r"::|->|\?\.|\.")
_JOINED = lazy_pattern(r"(?:::|->|\.)$")
LONGEST_LINE = 2_000
LONGEST_OWNER = 200
_FENCE = lazy_pattern(r"\s*(?:```|~~~)")
_DECLARING = (
    "const|let|var|val|def|defp|defmacro|class|fn|func|fun|function|interface|trait|struct|enum|type|module|object|"
    "record|sub|macro_rules"
)
_LITERAL = lazy_pattern(r"`+([^`\n]{1,200})`+")


def whole_word(name: str) -> re.Pattern[str]:
    """Return a pattern that matches the name as a whole word."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def line_like_definition(text: str, name: str) -> int:
    """Return the first line, 1-based, that reads like a definition of the name in some language; 0 where none does.

    For names that no parser has seen defined: in a text without a grammar, inside of a function, or behind a syntax
    error. It goes by the word in front of the name and takes no assignment alone.
    """
    if name not in text:
        return 0
    word = re.escape(name)
    declares = re.compile(
        rf"(?m)^[ \t]*(?:[a-z]+(?:\([a-z:]+\))?[ \t]+){{0,4}}?(?:{_DECLARING})[ \t!*]+"
        rf"(?:\([^()\n]{{0,80}}\)[ \t]*)?(?:[\w$]+[.:#]+){{0,4}}{word}(?!\w)|^[ \t]*{word}[ \t]*:="
    )
    match = declares.search(text)
    return text.count("\n", 0, match.end()) + 1 if match is not None else 0


def owners_in(line: str, name: str) -> tuple[str, ...]:
    """Return the qualifier of the name on a line, ``a.b`` of ``a.b.name``, outermost first, if unambiguous.

    ``("()",)`` means an owner without a name, such as the value of a call.
    """
    if len(line) > LONGEST_LINE:
        return ()
    found = {
        _owners(line[max(0, match.start() - LONGEST_OWNER) : match.start()])
        for match in whole_word(name).finditer(line)
    }
    return found.pop() if len(found) == 1 else ()


def _owners(before: str) -> tuple[str, ...]:
    chain = _CHAIN.search(before)
    if chain is not None:
        return tuple(_JOINTS.split(chain[0])[:-1])
    return ("()",) if _JOINED.search(before) else ()


_STRING = lazy_pattern(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'", cues="\"|'")
_RUST_STRING = lazy_pattern(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.[^'\n]{0,8}+)'", cues="\"|'")
_LONG_QUOTES = lazy_pattern(r"\"\"\"|'''", cues="\"\"\"|'''")
_INSERTED = lazy_pattern(r"\{[^{}]*+\}", cues="{")
_HASH_COMMENTS = frozenset(
    ("python", "cython", "ruby", "bash", "perl", "r", "julia", "elixir", "nim", "yaml", "toml", "make", "cmake")
)
_DASH_COMMENTS = frozenset(("lua", "sql", "haskell"))
_NO_COMMENTS = frozenset(("xml", "html", "markdown", "rst", "text", "css", "json"))


def code_lines(text: str, language: str) -> list[str]:
    """Return the lines of a text with strings blanked and comments cut off, so that offsets stay what they are.

    What Python inserts into a string is kept; a line over ``LONGEST_LINE`` characters is left out as a whole.
    """
    found: list[str] = []
    quotes, in_comment = "", False
    has_blocks = language not in _HASH_COMMENTS | _DASH_COMMENTS | _NO_COMMENTS
    mark = "#" if language in _HASH_COMMENTS else "--" if language in _DASH_COMMENTS else "//"
    for line in text.split("\n"):
        code = line if len(line) <= LONGEST_LINE else ""
        if language in ("python", "cython"):
            code, quotes = _without_long_strings(code, quotes)
        if in_comment:
            end = code.find("*/")
            if end < 0:
                found.append("")
                continue
            code, in_comment = " " * (end + 2) + code[end + 2 :], False
        code = (_RUST_STRING if language == "rust" else _STRING).sub(_blanked, code)
        if (
            language not in _NO_COMMENTS
            and (at := code.find(mark)) >= 0
            and not (mark == "#" and code[at - 1 : at] == "$")
        ):
            code = code[:at]
        while has_blocks and (start := code.find("/*")) >= 0:
            end = code.find("*/", start + 2)
            in_comment = end < 0
            code = code[:start] if in_comment else code[:start] + " " * (end + 2 - start) + code[end + 2 :]
        found.append(code)
    return found


def _blanked(match: re.Match[str]) -> str:
    """Return a string without what is in it; of a formatted one what it inserts is kept."""
    text = match[0]
    before = match.string[max(match.start() - 2, 0) : match.start()].lower()
    inside = [" "] * (len(text) - 2)
    if before.endswith("f") or before in ("fr", "rf"):
        for inserted in _INSERTED.finditer(text):
            inside[inserted.start() - 1 : inserted.end() - 1] = f" {inserted[0][1:-1]} "
    return f"{text[0]}{''.join(inside)}{text[-1]}"


def lines_of_use(
    data: bytes,
    item: Item,
    name: str,
    without: Collection[int] = (),
    *,
    as_owner: bool = True,
    owners: Collection[str] = (),
) -> list[int]:
    """Return the lines of code in the item that have the name, 1-based. Comments and imports are skipped. Of an item in
    which only strings have it, docstrings included, the first line that does, with one of its owners if any has.

    Args:
        data: The whole file.
        item: Whose lines are looked at.
        name: The name, unqualified.
        without: Lines to skip: those of the definition.
        as_owner: Count a name before its member (``Name.member``).
        owners: What stands before the name where a string means it: its class or its module.
    """
    joined = "|".join(map(re.escape, owners))
    said = re.compile(rf"(?<!\w)(?:{joined})(?:\.|::|#|:){re.escape(name)}(?!\w)") if owners else None
    pattern = whole_word(name) if as_owner else re.compile(rf"{whole_word(name).pattern}(?!\s*(?:\?\.|\.|::)\s*\w)")
    text = data[item.start_byte : item.end_byte].decode("utf-8", "replace")
    if pattern.search(text) is None:
        return []
    used: list[int] = []
    quoted = with_owner = 0
    lines = with_line_feeds(text)
    codes = code_lines(lines, item.source.language)
    imports = _import_lines(codes, item.source.language)
    marked = _marked_rows(lines) if "usefixtures(" in lines else ()
    for row, (line, code) in enumerate(zip(lines.split("\n"), codes, strict=True)):
        number = item.start_line + row
        if number in without or row in imports or not pattern.search(line) or _is_comment(line, item.source.language):
            continue
        if pattern.search(code) or row in marked:
            used.append(number)
        quoted = quoted or number
        if said is not None and not with_owner and said.search(line):
            with_owner = number
    return used or [number for number in (with_owner or quoted,) if number]


def _is_comment(line: str, language: str) -> bool:
    """Return whether a line begins like a comment, or one that goes on: ``*at = next()`` and ``#define`` do not."""
    text = line.lstrip()
    if text.startswith("#"):
        return language in _HASH_COMMENTS or (language == "php" and not text.startswith("#["))
    if text.startswith("*"):
        return not text[1:2].strip(" \t*/")
    return text.startswith(_COMMENT)


def lines_of_import(data: bytes, item: Item, name: str, alias: str = "") -> list[int]:
    """Return the lines of imports in the item that take in a name, 1-based.

    Args:
        data: The whole file.
        item: Whose lines are looked at.
        name: The name, unqualified.
        alias: What it is called here, where that is another name.
    """
    text = data[item.start_byte : item.end_byte].decode("utf-8", "replace")
    renamed = rf"\s*(?:\bas\s|:)\s*{re.escape(alias)}(?!\w)" if alias else ""
    takes = re.compile(f"{whole_word(name).pattern}{renamed}")
    if takes.search(text) is None:
        return []
    codes = code_lines(with_line_feeds(text), item.source.language)
    imports = _import_lines(codes, item.source.language)
    return [item.start_line + row for row in sorted(imports) if takes.search(codes[row])]


def _marked_rows(lines: str) -> set[int]:
    """Return the rows of ``usefixtures("name")`` of pytest, counted from 0: its strings are names of fixtures."""
    found: set[int] = set()
    for match in _USE_FIXTURES.finditer(lines):
        first = lines.count("\n", 0, match.start())
        found.update(range(first, first + match[0].count("\n") + 1))
    return found


def _import_lines(codes: Sequence[str], language: str) -> set[int]:
    """Return the rows of imports, counted from 0, with those on which an import of several lines goes on."""
    found: set[int] = set()
    depth, end = 0, 0
    for row, code in enumerate(codes):
        # Inside of a class of PHP ``use`` takes in a trait.
        if row < end or (code if language == "php" else code.lstrip()).startswith(_IMPORT):
            end = end if row < end else row + LONGEST_IMPORT
            found.add(row)
            depth += sum(map(code.count, "({[")) - sum(map(code.count, ")}]"))
            if depth <= 0 and not code.endswith("\\"):
                depth, end = 0, 0
    if language not in _WITH_REQUIRE:
        return found
    text = "\n".join(codes)
    for match in _REQUIRED.finditer(text):
        first = text.count("\n", 0, match.start())
        found.update(range(first, first + match[0].count("\n") + 1))
    return found


def _without_long_strings(line: str, quotes: str) -> tuple[str, str]:
    """Return a line of Python with strings in three quotes blanked, and the quotes open after it; ``quotes`` are those
    open before it.
    """
    code, at = [], 0
    for mark in _LONG_QUOTES.finditer(line):
        if "#" in line[:at] and not quotes:
            break
        code.append(line[at : mark.start()] if not quotes else " " * (mark.start() - at))
        code.append("   ")
        at = mark.end()
        if quotes in ("", mark[0]):
            quotes = "" if quotes else mark[0]
    code.append(" " * (len(line) - at) if quotes else line[at:])
    return "".join(code), quotes


def line_of_mention(data: bytes, item: Item, name: str) -> int:
    """Return the first line of a document's item that mentions the name as code, 1-based, or 0.

    A mention is in backticks or in a fenced block, or a compound name: ``parse_header``, ``Model.save``.
    """
    pattern = whole_word(name)
    text = data[item.start_byte : item.end_byte].decode("utf-8", "replace")
    is_telling, fenced = "." in name or is_compound(name), False
    for number, line in enumerate(with_line_feeds(text).split("\n"), item.start_line):
        if _FENCE.match(line):
            fenced = not fenced
        elif pattern.search(line) and (
            is_telling or fenced or any(pattern.search(literal) for literal in _LITERAL.findall(line))
        ):
            return number
    return 0


_LAST_COMMENT = lazy_pattern(r"(?:^|\s)(?:#|//|/\*)(?:\s.*)?$")
_PLAIN_STRINGS = lazy_pattern(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'")


def first_line(text: str) -> str:
    """Return the first line of a text that is not blank, without indentation."""
    return next((line.strip() for line in with_line_feeds(text).split("\n") if line.strip()), "")


MOST_SIGNATURE_LINES = 24
LONGEST_SIGNATURE = 240


def declaring_line(text: str, name: str) -> str:
    """Return the line of code that declares the name, else the first one, without indentation.

    Comments and decorators before a declaration are skipped, unless there is nothing else. Where its parentheses go on
    over several lines, they are on one here; after ``LONGEST_SIGNATURE`` characters it is cut between two parameters.
    """
    lines: list[str] = []
    decorated = 0
    for line in (line.strip() for line in with_line_feeds(text).split("\n")):
        if decorated > 0 or line.startswith(("@", "#[")):
            decorated = max(decorated + _opened(line), 0)
        elif line:
            lines.append(line)
    code = [at for at, line in enumerate(lines) if not _is_beside_code(line)]
    pattern = whole_word(name) if name else None
    named = (at for at in code if pattern is not None and pattern.search(lines[at]))
    return _whole_signature(lines[next(named, code[0]) :]) if code else first_line(text)


def _is_beside_code(line: str) -> bool:
    """Return whether a line is none of code in any language: a macro of C is declared behind a hash."""
    if line.startswith("#"):
        return not line[1:].lstrip().startswith("define ")
    return line.startswith(_COMMENT) or (line.startswith("*") and line[1:2] in ("", " ", "\t", "*", "/"))


def _opened(line: str) -> int:
    """Return how many more parentheses a line opens than it closes, outside of plain strings."""
    if line.count("(") == line.count(")"):
        return 0
    bare = _PLAIN_STRINGS.sub("", line)
    return bare.count("(") - bare.count(")")


def _whole_signature(lines: Sequence[str]) -> str:
    """Return the first line with those that its parentheses go on over; alone where they do not end soon."""
    first, *others = lines[:MOST_SIGNATURE_LINES]
    signature, depth = first, _opened(first)
    for line in others if depth > 0 else ():
        bare = _LAST_COMMENT.sub("", line)
        depth += _opened(bare)
        if bare.startswith((")", "]", "}")):
            signature = f"{signature.removesuffix(',')}{bare}"
        else:
            signature = f"{signature}{'' if signature.endswith(('(', '[')) else ' '}{bare}".rstrip()
        if depth <= 0:
            break
    if depth > 0:
        return first
    if len(signature) <= max(LONGEST_SIGNATURE, len(first)):
        return signature
    kept = signature[:LONGEST_SIGNATURE].rpartition(", ")[0]
    return f"{kept}, …" if len(kept) >= len(first) else first


def narrowed(item: Item, data: bytes, start_line: int, end_line: int) -> Item:
    """Return the item cut to a range of lines.

    Args:
        item: What to cut.
        data: Its whole file.
        start_line: The first line, 1-based.
        end_line: The last line.
    """
    start, end = max(start_line, item.start_line), min(end_line, item.end_line)
    lines = LineTable(data[item.start_byte : item.end_byte])
    first, last = lines.span(start - item.start_line + 1, end - item.start_line + 1)
    return item._replace(
        start_byte=item.start_byte + first,
        end_byte=item.start_byte + last,
        start_line=start,
        end_line=max(end, start),
    )


MOST_LINES_ABOVE = 24
"""So many lines above the ones that were chosen a part of a definition begins at most."""
_QUOTES = re.compile(rb"\"\"\"|'''")
_HEADERS = (b"def ", b"class ", b"async def ")


def telling(item: Item, data: bytes, start_line: int, end_line: int) -> LineSpan:
    """Return lines of an item without the blank ones at their ends. Where they begin inside a docstring or a comment,
    they begin at the header of its definition, or at the first line of the comment, if that is near and in the item.

    Args:
        item: What the lines are a part of.
        data: Its whole file.
        start_line: The first line, 1-based.
        end_line: The last line.
    """
    rows = data.splitlines()
    first, last = max(start_line, item.start_line), min(end_line, item.end_line, len(rows))
    while first < last and _says_nothing(rows, first):
        first += 1
    while first < last and not rows[last - 1].strip():
        last -= 1
    above = _beginning(rows, first, item.source.language) if first > item.start_line else first
    is_near = above >= max(item.start_line, first - MOST_LINES_ABOVE)
    return LineSpan(above if is_near else first, max(first, last))


def _says_nothing(rows: Sequence[bytes], line: int) -> bool:
    """Return whether a line is blank, or ends a comment or a docstring and no more."""
    text = rows[line - 1].strip()
    return text in (b"", b"*/") or (text in (b'"""', b"'''") and _open_docstring(rows, line) > 0)


def _beginning(rows: Sequence[bytes], first: int, language: str) -> int:
    """Return the line of the header of the docstring, or of the comment, that a line is in; that line for none."""
    if language == "python":
        opening = _open_docstring(rows, first)
        nearest = range(opening, max(opening - MOST_LINES_ABOVE, 0), -1)
        return next((line for line in nearest if rows[line - 1].lstrip().startswith(_HEADERS)), first)
    above = first
    while above > 1 and first - above <= MOST_LINES_ABOVE and _is_in_comment(rows[above - 1]):
        above -= 1
    is_opened = rows[above - 1].lstrip().startswith(b"/*")
    return above if is_opened or above == first else above + 1


def _is_in_comment(row: bytes) -> bool:
    text = row.lstrip()
    return text.startswith((b"///", b"//!")) or (text[:1] == b"*" and not (text[1:2].isalnum() or text[1:2] == b"_"))


def _open_docstring(rows: Sequence[bytes], first: int) -> int:
    """Return the line where the string of three quotes begins that is open before a line; 0 for none."""
    opening, quotes = 0, b""
    for line, text in enumerate(rows[: first - 1], 1):
        for found in _QUOTES.finditer(text):
            if not quotes:
                opening, quotes = line, found[0]
            elif found[0] == quotes:
                opening, quotes = 0, b""
    return opening


_BLANKS = re.compile(rb"[ \t\f\v]+")
_WORD_BREAK = re.compile(rb"(?<![\w]) | (?![\w])")
_OVER_LINES = (b'"""', b"'''", b"`")
RELAID_BYTES = 4 * 1024 * 1024
_QUOTED = re.compile(rb"[\"'`]")


def layout(lines: Sequence[bytes]) -> str:
    """Return the number of lines that are not blank, and a hash of them without the spacing that a formatter changes.

    Kept are the order of the lines, which is indented deeper than which, and every blank inside a line that has quotes,
    or between two words: what is equal by this means the same. Empty where a string goes over several lines.
    """
    parts: list[bytes] = []
    indents: list[int] = []
    for line in lines:
        text = line.strip()
        if not text:
            continue
        if any(text.count(quotes) % 2 for quotes in _OVER_LINES):
            return ""
        indent = len(line[: len(line) - len(line.lstrip())].expandtabs(8))
        while indents and indents[-1] > indent:
            indents.pop()
        if not indents or indents[-1] < indent:
            indents.append(indent)
        if _QUOTED.search(text) is None:
            text = _WORD_BREAK.sub(b"", _BLANKS.sub(b" ", text))
        parts.append(b"%d %s" % (len(indents), text))
    digest = hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]
    return f"{len(parts)}-{digest}"


COPY, NEAR_COPY = "*", "~"
"""Marks after a ``layout``: the file had the same lines twice under the symbol; it had them under another symbol."""
_WORDS = re.compile(rb"\w+")
_LETTERS = re.compile(rb"[^\W\d_]|[\x80-\xff]")
LEAST_WORDS = 4


def is_telling(lines: Sequence[bytes]) -> bool:
    """Return whether lines say enough to be known again elsewhere: two lines with words, or one with four of them."""
    worded = [line for line in lines if _LETTERS.search(line)]
    return len(worded) >= 2 or len(set(_WORDS.findall(b"".join(worded)))) >= LEAST_WORDS


def copies(data: bytes, lines: LineSpan) -> list[LineSpan]:
    """Return all places of a file that have the same text as these lines, whatever their spacing; these included."""
    full = [(number, b"".join(row.split())) for number, row in enumerate(data.splitlines(), 1) if row.strip()]
    wanted = [text for number, text in full if lines.start_line <= number <= lines.end_line]
    texts, count = [text for _, text in full], len(wanted)
    if not wanted:
        return [lines]
    starts = (at for at, text in enumerate(texts) if text == wanted[0] and texts[at : at + count] == wanted)
    return [LineSpan(full[at][0], full[at + count - 1][0]) for at in starts]


def laid_out_anew(data: bytes, wanted: str, near: int) -> LineSpan | None:
    """Return the lines with this ``layout``, the nearest to a line; None where there are none."""
    wanted = wanted.rstrip(COPY + NEAR_COPY)
    if not wanted:
        return None
    count = int(wanted.partition("-")[0])
    lines = data.splitlines(keepends=True)
    full = [number for number, line in enumerate(lines) if line.strip()]
    left = RELAID_BYTES
    for at in sorted(range(len(full) - count + 1), key=lambda at: abs(full[at] + 1 - near)):
        first, last = full[at], full[at + count - 1]
        span = lines[first : last + 1]
        left -= sum(map(len, span))
        if left < 0:
            return None
        if layout(span) == wanted:
            return LineSpan(first + 1, last + 1)
    return None


_OTHER_TIMES = frozenset(
    (
        *("upgrading", "upgrade", "migration", "migrating", "migrations", "deprecations", "roadmap"),
        *("proposals", "rfc", "rfcs", "adr", "adrs", "pep", "peps", "sep", "seps", "decisions", "enhancements"),
    )
)


def is_document(item: Item) -> bool:
    """Return whether the item is prose about the current code; a changelog or a numbered proposal is not."""
    source = item.source
    if source.source_kind not in (SourceKind.DOC, SourceKind.NOTE) or source.role is Role.HISTORY:
        return False
    stem = source.path.rpartition(b"/")[2].decode("utf-8", "replace").lower().partition(".")[0]
    folders = source.path.decode("utf-8", "replace").lower().split("/")[:-1]
    # ``sep-016``, ``pep_8``, ``0001-use-git``: proposals and decisions are not updated.
    is_numbered = re.fullmatch(r"[a-z]{2,6}[-_]?\d{1,4}|\d{3,4}[-_].*", stem) is not None
    return not is_numbered and _OTHER_TIMES.isdisjoint((*folders, *stem.replace("-", "_").split("_")))


def same_text(one: bytes, other: bytes) -> bool:
    """Return whether two versions are equal apart from line endings, which git may convert on checkout."""
    return one == other or one.replace(b"\r\n", b"\n") == other.replace(b"\r\n", b"\n")
