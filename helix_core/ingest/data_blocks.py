"""Ranges of a file that look like code of its language and are none: no definition stands in them.

These are branches that the preprocessor always drops, what a macro makes a string of, the second heredoc of a shell
line, SQL's ``COPY … FROM stdin`` with its rows, and what only some dialects of SQL take for a comment. A grammar takes
them for code, so ``blanked`` hides them from it.
Pure text, no trees; every pattern takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from helix_core.ingest.conditions import Macros, is_always
from helix_core.lines import LineTable

_PREPROCESSED = frozenset({"c", "cpp", "c_sharp", "swift"})
_SPLICE = rb"(?:\\[ \t\r]*+\n)"
_C_COMMENT = rb"(?:/~*+\*(?:(?!\*~*+/)[\s\S])*+\*~*+/)".replace(b"~", _SPLICE)
_C_UNCLOSED = rb"(?P<unclosed>/~*+\*[\s\S]*+)".replace(b"~", _SPLICE)
_C_REMARK = rb"(?:/~*+/(?:~|[^\n])*+)".replace(b"~", _SPLICE)
_C_GAP = rb"(?:[ \t\f\v\r]|" + _SPLICE + rb"|" + _C_COMMENT + rb")*+"
_CONDITIONS_OF_C = (b"ifndef", b"ifdef", b"if", b"elifndef", b"elifdef", b"elif")
_ABOUT_MACROS = (b"define", b"undef", b"include_next", b"include", b"import", b"pragma")
_ON_ONE_LINE = rb"\"(?:\\[\s\S]|[^\"\\\n])*+\"?|'(?:\\[\s\S]|[^'\\\n])*+'?"


def _tokens_of_c() -> re.Pattern[bytes]:
    """Return the pattern of what decides whether a line is a directive; C17 5.1.1.2, C++20 [lex.string]."""
    words = b"|".join(
        _SPLICE.join(word[at : at + 1] for at in range(len(word))).replace(_SPLICE, _SPLICE + b"*+")
        for word in (*_CONDITIONS_OF_C, b"else", b"endif", *_ABOUT_MACROS)
    )
    directive = rb"(?:\#|%:)" + _C_GAP + rb"(?P<word>" + words + rb")(?!\w)"
    raw = (
        rb"(?<!\w)(?:u8|[uUL])?R\"(?P<mark>[^()\\\s\"]{0,16}+)\("
        rb"(?:(?:(?!\)(?P=mark)\")[\s\S])*+\)(?P=mark)\"|(?P<open_text>[\s\S]*+))"
    )
    rest = _C_COMMENT + b"|" + _C_REMARK + b"|" + _SPLICE + b"|" + _ON_ONE_LINE + rb"|(?!/" + _SPLICE + rb"*+\*)[^\n]"
    return re.compile(
        rb"(?m:^)(?=[ \t\f\v\r/\\#%])" + _C_GAP + rb"(?:" + directive + rb"(?P<rest>(?:" + rest + rb")*+))?+"
        rb"|" + _C_COMMENT + rb"|" + _C_UNCLOSED + rb"|" + _C_REMARK + rb"|" + raw + rb"|"
        # A number with marks between its digits opens no text.
        rb"(?<!\w)\d(?:'?[\w.])*+|" + _ON_ONE_LINE
    )  # fmt: skip


_COMMENT_TO_ITS_END = rb"/\*(?:(?!\*/)[\s\S])*+\*/|(?P<unclosed>/\*[\s\S]*+)|//[^\n]*+"
_CLOSED_DIRECTIVE = rb"(?m:^)[ \t\f\v]*+\#[ \t]*+(?P<word>if|WORDS|else|endif)\b(?P<rest>(?://[^\n]*+|[^\n])*+)"
_TOKENS = {
    "c": _tokens_of_c(),
    "cpp": _tokens_of_c(),
    # C# 12, 6.4.5.6 and 6.5: raw and verbatim strings; a comment stands in front of no directive.
    "c_sharp": re.compile(
        _CLOSED_DIRECTIVE.replace(b"WORDS", b"elif") + rb"|" + _COMMENT_TO_ITS_END + rb"|"
        rb"(?P<mark>\"{3,}+)(?:(?:(?!(?P=mark))[\s\S])*+(?P=mark)|(?P<open_text>[\s\S]*+))"
        rb"|(?:@\$?|\$@)\"(?:\"\"|[^\"])*+(?:\"|(?P<open_verbatim>\Z))|" + _ON_ONE_LINE
    ),
    # The Swift Programming Language, "Lexical Structure": comments nest.
    "swift": re.compile(
        rb"(?P<nested>/\*)|//[^\n]*+"
        rb"|(?P<hashes>\#++)(?P<quote>\"\"\"|\")(?:(?!(?P=quote)(?P=hashes))[\s\S])*+(?:(?P=quote)(?P=hashes)|(?P<unclosed>\Z))"
        rb"|\"\"\"(?:(?:\\[\s\S]|(?!\"\"\")[^\\])*+\"\"\"|(?P<open_text>[\s\S]*+))|\"(?:\\[^\n]|[^\"\\\n])*+\"?"
        rb"|\#(?P<word>if|elseif|else|endif)\b(?P<rest>(?:/\*(?:(?!\*/)[\s\S])*+\*/|//[^\n]*+|[^\n])*+)"
    ),
}  # fmt: skip
_DIRECTIVE_OF_CS = re.compile(_CLOSED_DIRECTIVE.replace(b"WORDS", b"elif"))
_SPLICES = re.compile(_SPLICE)
_NEST = re.compile(rb"/\*|\*/")
_MAYBE_CONSTANT = re.compile(rb"#[ \t]*+(?:el(?:se)?)?if(?!\w)[^\n]*?(?:\b\d|\btrue\b|\bfalse\b|/)")
_DIRECTIVE_OF_C = re.compile(
    rb"#(?:[ \t\f\v\r]|/\*(?:(?!\*/)[\s\S])*+\*/|\\[ \t\r]*+\n)*+"
    rb"(?:(?P<broken>[a-z]++\\[ \t\r]*+\n)|(?P<word>" + b"|".join((*_CONDITIONS_OF_C, *_ABOUT_MACROS)) + rb")(?!\w)"
    rb"(?P<rest>(?:\\[ \t\r]*+\n|[^\n])*+))"
)
_PERHAPS_KNOWN = re.compile(rb"\b\d|\b(?:true|false)\b|['/]")
_NAME = re.compile(rb"\b[A-Za-z_]\w*+")
_REMARK = re.compile(rb"/\*(?:(?!\*/)[\s\S])*+(?:\*/|\Z)|//[^\n]*|\\\r?\n")
_STRINGIFIES = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\([^()\n]*\)(?:\\\r?\n|[^\n#])*#[ \t]*\w")
_STRINGIFYING = frozenset((b"STRINGIFY", b"STRINGIZE", b"STRINGIFY_", b"QUOTE", b"TO_STRING", b"TOSTRING"))
_CALL = re.compile(rb"\b([A-Za-z_]\w*)[ \t]*\(")
_HEREDOC = re.compile(rb"""(?<![<\d])<<(-?)[ \t]*+((?:'[^'\n]*+'|"[^"\n]*+"|\\[^\n]|[^\s'"\\<>|&;()`])++)""")
_EMPTY_MARK = re.compile(rb"""<<-?[ \t]*+(?:''|"")""")
_MARK_QUOTES = re.compile(rb"""['"]|\\(?=.)""")
_CONTINUED = re.compile(rb"(?<!\\)(?:\\\\)*+\\\r?\Z")
_COPY = re.compile(rb"(?im)^[ \t]*\\?copy[ \t\r\n][^;]{0,2000}?\bfrom[ \t\r\n]+p?stdin\b[^\n]*\n")
_COPY_END = re.compile(rb"(?m)^\\\.[ \t\r]*$")
_REMARKS_OF_SQL = re.compile(
    rb"(?m)(?P<nested>/\*)|--[^\n]*+|'(?:''|[^'])*+'|\"[^\"\n]*+\"|(?P<remark>^[ \t]*+\#(?:[ \t]|(?i:create)\b)[^\n]*+)"
)
_NO_BLANK = re.compile(rb"[^\n]")


def blanked(language: str, data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the text with its data blocks made blank, line for line, and their ranges, in order."""
    ranges = data_blocks(language, data)
    return hidden(data, ranges), ranges


def hidden(data: bytes, ranges: Sequence[tuple[int, int]]) -> bytes:
    """Return the text with some ranges made blank, line for line."""
    if not ranges:
        return data
    shown = bytearray(data)
    for start, end in ranges:
        shown[start:end] = _NO_BLANK.sub(b" ", data[start:end])
    return bytes(shown)


def data_blocks(language: str, data: bytes) -> list[tuple[int, int]]:
    """Return the ranges of a text in which no definition stands, although it may look like code."""
    found: list[tuple[int, int]] = []
    if language in _PREPROCESSED:
        found += dropped(language, data)
    if language == "c_sharp" and b"#if" in data:
        found += _directives_in_heads(data, found)
    if language in ("c", "cpp"):
        found += _stringified(data)
    elif language == "bash":
        found += _later_heredocs(data)
    elif language == "sql":
        found += _copied(data)
        found += _remarks_of_some(data)
    return sorted(found)


def dropped(language: str, data: bytes) -> list[tuple[int, int]]:
    """Return the ranges that the preprocessor always drops: branches of a condition that is never met, and those
    behind one that always is.
    """
    if not (_is_decided(data) if language in ("c", "cpp") else _MAYBE_CONSTANT.search(data) is not None):
        return []
    found: list[tuple[int, int]] = []
    macros = Macros()
    # Each open condition: where its dropped branch begins, or -1, and whether a branch of it is always taken.
    open_: list[tuple[int, bool]] = []
    for match in _tokens_in(language, data, open_):
        word = _SPLICES.sub(b"", match["word"] or b"").decode("ascii")
        if not word:
            continue
        written = _REMARK.sub(b" ", _SPLICES.sub(b"", match["rest"])).decode("utf-8", "replace")
        if word.encode() in _ABOUT_MACROS:
            if all(since < 0 for since, _ in open_):
                macros.tell(word, written)
            continue
        is_first = word.startswith("if")
        since, is_taken = (-1, False) if is_first or not open_ else open_.pop()
        if since >= 0:
            found.append((since, match.start()))
        if word == "endif":
            macros.end()
            continue
        if is_first:
            macros.begin()
        else:
            macros.begin_other()
        condition = _condition(word, written)
        value = is_always(condition, knows_true=language != "c", macros=macros) if condition else None
        macros.meet(condition)
        is_dropped = is_taken or value is False
        open_.append((match.end() if is_dropped else -1, is_taken or value is True))
    found += [(since, len(data)) for since, _ in open_ if since >= 0]
    return sorted(found)


_LINE_OF_A_HEAD = rb"(?:(?![ \t]*+\#)[^{};\n]*+\n)"
_IN_A_HEAD = re.compile(
    rb"(?m)^(?P<first>[ \t]*+\#[ \t]*+if\b[^\n]*+\n)" + _LINE_OF_A_HEAD + rb"{1,8}+"
    rb"(?P<rest>(?:[ \t]*+\#[ \t]*+(?:elif|else)\b[^\n]*+\n" + _LINE_OF_A_HEAD + rb"{0,8}+){0,4}+"
    rb"[ \t]*+\#[ \t]*+endif\b[^\n]*+)"
)


def _directives_in_heads(data: bytes, dropped: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the directives of C# around a part of a head, such as some interfaces of a class: the grammar knows them
    between declarations and statements only. The first branch is read.
    """
    for match in _IN_A_HEAD.finditer(data):
        if not any(start < match.end() and match.start() < end for start, end in dropped):
            yield match.span("first")
            yield match.span("rest")


def other_branches(data: bytes, guesses: Iterable[int]) -> list[tuple[int, int]]:
    """Return the directives of C#, and all branches but the first, of the innermost condition around each guess of the
    parser, or on the line beside it: the grammar knows conditions around whole declarations and statements only.
    """
    lines = LineTable(data)
    conditions: list[list[tuple[int, int]]] = []
    open_: list[list[tuple[int, int]]] = []
    for match in _tokens_in("c_sharp", data, ()):
        word = match["word"]
        if word == b"if":
            open_.append([match.span()])
        elif word and open_:
            open_[-1].append(match.span())
            if word == b"endif":
                conditions.append(open_.pop())
    spans = [(lines.row(one[0][0]) - 1, lines.row(one[-1][0]) + 1) for one in conditions]
    found: set[tuple[int, int]] = set()
    for row in {lines.row(guess) for guess in guesses}:
        around = [at for at, (first, last) in enumerate(spans) if first <= row <= last]
        if around:
            first, *others = conditions[min(around, key=lambda at: spans[at][1] - spans[at][0])]
            found |= {first, (others[0][0], others[-1][1])}
    return _disjoint(found)


def _disjoint(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _condition(word: str, written: str) -> str:
    """Return the condition of a directive; "" for that of ``else``."""
    if word.endswith("def"):
        name = written.split(maxsplit=1)[0] if written.strip() else "defined"
        return f"{'!' if 'n' in word else ''}defined {name}"
    return "" if word == "else" else written


def _is_decided(data: bytes) -> bool:
    """Return whether the text of a file of C may decide a condition: a constant is in it, or a macro of which the
    lines above it say something. Knows no comments, and so may be wrong where it says yes.
    """
    told: set[bytes] = set()
    for match in _DIRECTIVE_OF_C.finditer(data):
        word, rest = match["word"], match["rest"]
        if match["broken"]:
            return True
        names = _NAME.findall(rest)
        if word in _CONDITIONS_OF_C:
            if not told.isdisjoint(names) or (not word.endswith(b"def") and _PERHAPS_KNOWN.search(rest)):
                return True
            told.update(name for name in names if name != b"defined")
        elif word in (b"define", b"undef"):
            told.update(names[:1])
    return b"%:" in data


def unclosed_from(language: str, data: bytes) -> int:
    """Return where a comment or a string begins that is not closed up to the end of the text, which is then no code;
    the size of the text where none does.
    """
    is_comment_open = data.find(b"/*", max(0, data.rfind(b"*/") - 1)) >= 0
    if language in _PREPROCESSED and (is_comment_open or b'R"' in data or b"@" in data or b'"""' in data):
        for match in _tokens_in(language, data, ()):
            groups = match.groupdict()
            if any(groups.get(name) is not None for name in ("unclosed", "open_text", "open_verbatim")):
                return match.start()
            if groups.get("nested") is not None and _nest_end(data, match.start()) < 0:
                return match.start()
    return len(data)


def _tokens_in(language: str, data: bytes, open_: Sequence[tuple[int, bool]]) -> Iterator[re.Match[bytes]]:
    """Yield the tokens of a text that are comments, strings or directives; ``open_`` has the conditions so far."""
    pattern, position = _TOKENS[language], 0
    if language in ("c", "cpp"):
        yield from (one for one in pattern.finditer(data) if not one["word"] or not _is_continued(data, one.start()))
        return
    while True:
        # What C# drops is no longer read as tokens.
        is_skipped = language == "c_sharp" and any(since >= 0 for since, _ in open_)
        match = (_DIRECTIVE_OF_CS if is_skipped else pattern).search(data, position)
        if match is None:
            return
        position = match.end()
        if match.lastgroup == "nested":
            end = _nest_end(data, match.start())
            position = end if end >= 0 else len(data)
        yield match


def _is_continued(data: bytes, start: int) -> bool:
    """Return whether the line that begins at ``start`` goes on with the one above it."""
    return data[max(0, start - 100) : start].removesuffix(b"\n").rstrip(b" \t\r").endswith(b"\\")


def _nest_end(data: bytes, start: int) -> int:
    """Return the end of the comment at ``start``, which may hold others; -1 where it has none."""
    level = 0
    for match in _NEST.finditer(data, start):
        level += 1 if match[0] == b"/*" else -1
        if level == 0:
            return match.end()
    return -1


def _stringified(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the arguments of macros that make a string of them, where they hold blocks or statements."""
    own = {match[1] for match in _STRINGIFIES.finditer(data)} if b"#define" in data or b"# define" in data else set()
    names = own | {name for name in _STRINGIFYING if name in data}
    position = 0
    for match in _CALL.finditer(data) if names else ():
        if match[1] not in names or match.start() < position:
            continue
        line = data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith(b"#"):
            continue
        end = _closing(data, match.end())
        if end < 0:
            return
        if any(mark in data[match.end() : end] for mark in (b"{", b";")):
            position = end
            yield match.end(), end


_BRACKET_OR_TEXT = re.compile(
    rb"[()]|/\*(?:(?!\*/)[\s\S])*+(?:\*/|\Z)|//[^\n]*|\"(?:\\[\s\S]|[^\"\\\n])*+\"?|'(?:\\[\s\S]|[^'\\\n])*+'?"
)


def _closing(data: bytes, start: int) -> int:
    """Return the offset of the bracket that closes the one in front of ``start``; -1 where none does."""
    level = 1
    for match in _BRACKET_OR_TEXT.finditer(data, start):
        level += (match[0] == b"(") - (match[0] == b")")
        if level == 0:
            return match.start()
    return -1


def _later_heredocs(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield marks and bodies of the heredocs of a line but the first, the only one that the grammar knows; that one,
    too, where its mark is empty, so that it ends at the first empty line, and where lines end in both ways: of a mark
    without a carriage return no line with one is the end.
    """
    is_mixed = 0 < data.count(b"\r\n") < data.count(b"\n")
    if data.count(b"<<") < 2 and not (is_mixed and b"<<" in data) and _EMPTY_MARK.search(data) is None:
        return
    lines = data.split(b"\n")
    starts = [0]
    rows: dict[bytes, list[int]] = {}
    for number, ended in enumerate(lines):
        starts.append(starts[-1] + len(ended) + 1)
        line = ended if is_mixed else ended.rstrip(b"\r")
        rows.setdefault(line, []).append(number)
        if line.startswith(b"\t"):
            rows.setdefault(b"\t" + line.lstrip(b"\t"), []).append(number)
    row = 0
    while row < len(lines):
        marks: list[tuple[int, re.Match[bytes]]] = []
        is_remark, is_continued = lines[row].lstrip().startswith(b"#"), True
        # The bodies begin behind a line that goes on over a backslash.
        while is_continued and row < len(lines):
            marks += () if is_remark else [(starts[row], mark) for mark in _HEREDOC.finditer(lines[row])]
            is_continued = not is_remark and _CONTINUED.search(lines[row]) is not None
            row += 1
        bodies: list[tuple[int, int]] = []
        at = row
        for _, mark in marks:
            word = _MARK_QUOTES.sub(b"", mark[2])
            # In a line that ends with a carriage return, that is a part of its last word.
            word += b"\r" if is_mixed and mark.string[mark.end() :] == b"\r" else b""
            end = _first_from(rows, at, (word, b"\t" + word) if mark[1] else (word,))
            if end < 0 and not (is_mixed and _first_from(rows, at, (word + b"\r", b"\t" + word + b"\r")) >= 0):
                break
            bodies.append((starts[at], min(starts[end + 1], len(data)) if end >= 0 else len(data)))
            at = end + 1 if end >= 0 else len(lines)
        if len(bodies) == len(marks):
            for number, ((start, mark), body) in enumerate(zip(marks, bodies, strict=True)):
                if not number and not is_mixed and _MARK_QUOTES.sub(b"", mark[2]):
                    continue
                yield start + mark.start(), start + mark.end()
                yield body
            row = at


def _first_from(rows: Mapping[bytes, Sequence[int]], row: int, texts: Sequence[bytes]) -> int:
    """Return the first row from ``row`` on that is one of the texts; -1 where none is."""
    found: list[int] = []
    for text in texts:
        known = rows.get(text, ())
        index = bisect_left(known, row)
        found += known[index : index + 1]
    return min(found, default=-1)


def _remarks_of_some(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield what only some dialects of SQL take for a comment: MySQL a line behind ``#``, others the rest of a comment
    with another one in it.
    """
    position = 0
    while (match := _REMARKS_OF_SQL.search(data, position)) is not None:
        position = match.end()
        if match["remark"] is not None:
            yield match.span()
        elif match["nested"] is not None:
            first, last = data.find(b"*/", position) + 2, _nest_end(data, match.start())
            if last < 0:
                return
            if first < last:
                yield first, last
            position = last


def _copied(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield ``COPY … FROM stdin``, which the grammar does not know, with its rows up to the line ``\\.``."""
    position = 0
    while (match := _COPY.search(data, position)) is not None:
        end = _COPY_END.search(data, match.end())
        position = end.end() if end is not None else len(data)
        yield match.start(), position
