"""Ranges of a file that look like code of its language and are none: no definition stands in them.

These are branches that the preprocessor always drops, what a macro makes a string of, the second heredoc of a shell
line, and SQL's ``COPY … FROM stdin`` with its rows. A grammar takes them for code, so ``blanked`` hides them from it.
Pure text, no trees; every pattern takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

_PREPROCESSED = frozenset({"c", "cpp", "c_sharp", "swift"})
_LONGEST_CONDITION = 1_000
_DEEPEST_CONDITION = 40
_SPLICE = rb"(?:\\[ \t\r]*+\n)"
_C_COMMENT = rb"(?:/~*+\*(?:(?!\*~*+/)[\s\S])*+\*~*+/)".replace(b"~", _SPLICE)
_C_UNCLOSED = rb"(?P<unclosed>/~*+\*[\s\S]*+)".replace(b"~", _SPLICE)
_C_REMARK = rb"(?:/~*+/(?:~|[^\n])*+)".replace(b"~", _SPLICE)
_C_GAP = rb"(?:[ \t\f\v\r]|" + _SPLICE + rb"|" + _C_COMMENT + rb")*+"
_ON_ONE_LINE = rb"\"(?:\\[\s\S]|[^\"\\\n])*+\"?|'(?:\\[\s\S]|[^'\\\n])*+'?"


def _tokens_of_c() -> re.Pattern[bytes]:
    """Return the pattern of what decides whether a line is a directive; C17 5.1.1.2, C++20 [lex.string]."""
    words = b"|".join(
        _SPLICE.join(word[at : at + 1] for at in range(len(word))).replace(_SPLICE, _SPLICE + b"*+")
        for word in (b"ifndef", b"ifdef", b"if", b"elifndef", b"elifdef", b"elif", b"else", b"endif")
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
_MAYBE_CONSTANT = re.compile(
    rb"if(?!\w)(?:/\*(?:(?!\*/)[\s\S])*+\*/|[^\n/\\])*?(?:\b\d|\btrue\b|\bfalse\b|\\[ \t\r]*\n|/)|\\[ \t\r]*+\n[ \t]*+f"
)
_REMARK = re.compile(rb"/\*(?:(?!\*/)[\s\S])*+(?:\*/|\Z)|//[^\n]*|\\\r?\n")
_CONDITION_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)(?P<suffix>[uUlLzZ]*)(?![\w.])"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>&&|\|\||==|!=|<=|>=|<<|>>|[-+!~()<>*/%&|^?:,]))"
)
_BINDING = {
    **dict.fromkeys(("||",), 1), **dict.fromkeys(("&&",), 2), "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
    **dict.fromkeys(("<", ">", "<=", ">="), 7), "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_STRINGIFIES = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\([^()\n]*\)(?:\\\r?\n|[^\n#])*#[ \t]*\w")
_STRINGIFYING = frozenset((b"STRINGIFY", b"STRINGIZE", b"STRINGIFY_", b"QUOTE", b"TO_STRING", b"TOSTRING"))
_CALL = re.compile(rb"\b([A-Za-z_]\w*)[ \t]*\(")
_HEREDOC = re.compile(rb"""(?<![<\d])<<(-?)[ \t]*+((?:'[^'\n]*+'|"[^"\n]*+"|\\[^\n]|[^\s'"\\<>|&;()`$])++)""")
_MARK_QUOTES = re.compile(rb"""['"]|\\(?=.)""")
_CONTINUED = re.compile(rb"(?<!\\)(?:\\\\)*+\\\r?\Z")
_COPY = re.compile(rb"(?im)^[ \t]*\\?copy[ \t\r\n][^;]{0,2000}?\bfrom[ \t\r\n]+p?stdin\b[^\n]*\n")
_COPY_END = re.compile(rb"(?m)^\\\.[ \t\r]*$")
_NO_BLANK = re.compile(rb"[^\n]")


def blanked(language: str, data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the text with its data blocks made blank, line for line, and their ranges, in order."""
    ranges = data_blocks(language, data)
    if not ranges:
        return data, ranges
    shown = bytearray(data)
    for start, end in ranges:
        shown[start:end] = _NO_BLANK.sub(b" ", data[start:end])
    return bytes(shown), ranges


def data_blocks(language: str, data: bytes) -> list[tuple[int, int]]:
    """Return the ranges of a text in which no definition stands, although it may look like code."""
    found: list[tuple[int, int]] = []
    if language in _PREPROCESSED:
        found += dropped(language, data)
    if language in ("c", "cpp"):
        found += _stringified(data)
    elif language == "bash":
        found += _later_heredocs(data)
    elif language == "sql":
        found += _copied(data)
    return sorted(found)


def dropped(language: str, data: bytes) -> list[tuple[int, int]]:
    """Return the ranges that the preprocessor always drops: branches of a condition that is never met, and those
    behind one that always is.
    """
    if _MAYBE_CONSTANT.search(data) is None:
        return []
    found: list[tuple[int, int]] = []
    # Each open condition: where its dropped branch begins, or -1, and whether a branch of it is always taken.
    open_: list[tuple[int, bool]] = []
    for match in _tokens_in(language, data, open_):
        word = _SPLICES.sub(b"", match["word"] or b"")
        if not word:
            continue
        is_first = word.startswith(b"if")
        since, is_taken = (-1, False) if is_first or not open_ else open_.pop()
        if since >= 0:
            found.append((since, match.start()))
        if word == b"endif":
            continue
        value = _value(language, match["rest"]) if word in (b"if", b"elif", b"elseif") else None
        is_dropped = is_taken or value is False
        open_.append((match.end() if is_dropped else -1, is_taken or value is True))
    found += [(since, len(data)) for since, _ in open_ if since >= 0]
    return sorted(found)


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


def _value(language: str, written: bytes) -> bool | None:
    condition = _REMARK.sub(b" ", _SPLICES.sub(b"", written)).decode("utf-8", "replace")
    return is_always(condition, knows_true=language != "c")


def is_always(condition: str, *, knows_true: bool = True) -> bool | None:
    """Return whether a condition of the preprocessor is always met, or never (False); None where that depends.

    Names that are not ``false`` are unknown, ``true`` too without ``knows_true``: in C it is a macro of a header.
    C17, 6.10.1; evaluated with three values, so that ``0 && A`` is never met and ``1 || A`` always.
    """
    if len(condition) > _LONGEST_CONDITION:
        return None
    tokens = _tokens(condition)
    if tokens is None:
        return None
    reader = _ConditionReader(tokens, knows_true=knows_true)
    try:
        value = reader.expression(0, 0)
    except _NotAConditionError:
        return None
    return None if value is None or not reader.is_at_end else value != 0


class _NotAConditionError(Exception):
    """The text is no expression that can be evaluated here."""


def _tokens(condition: str) -> list[str | int] | None:
    found: list[str | int] = []
    text, position = condition.strip(), 0
    while position < len(text):
        match = _CONDITION_TOKEN.match(text, position)
        if match is None:
            return None
        if match["number"]:
            digits = match["number"].replace("'", "")
            is_octal = digits[0] == "0" and digits.isdigit()
            if is_octal and set(digits) & set("89"):
                return None
            found.append(int(digits, 8 if is_octal else 0))
        else:
            found.append(match["name"] or match["sign"])
        position = match.end()
    return found


class _ConditionReader:
    """Reads an expression by precedence; None stands for a value that is not known."""

    def __init__(self, tokens: list[str | int], *, knows_true: bool) -> None:
        self._tokens, self._at, self._knows_true = tokens, 0, knows_true

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._tokens)

    def _next(self) -> str | int:
        if self.is_at_end:
            raise _NotAConditionError
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self) -> str | int | None:
        return None if self.is_at_end else self._tokens[self._at]

    def expression(self, least: int, depth: int) -> int | None:
        """Return the value of what follows, up to an operator that binds less than ``least``."""
        value = self._operand(depth)
        while isinstance(sign := self._peek(), str) and _BINDING.get(sign, -1) > least:
            self._at += 1
            value = _combined(sign, value, self.expression(_BINDING[sign], depth + 1))
        if least == 0 and self._peek() == "?":
            self._at += 1
            one = self.expression(0, depth + 1)
            if self._next() != ":":
                raise _NotAConditionError
            other = self.expression(0, depth + 1)
            return one if value else other if value == 0 else one if one == other else None
        return value

    def _operand(self, depth: int) -> int | None:
        if depth > _DEEPEST_CONDITION:
            raise _NotAConditionError
        token = self._next()
        if isinstance(token, int):
            return token
        if token in ("!", "-", "+", "~"):
            value = self._operand(depth + 1)
            if value is None or token == "+":
                return value
            return int(not value) if token == "!" else -value if token == "-" else ~value
        if token == "(":
            value = self.expression(0, depth + 1)
            if self._next() != ")":
                raise _NotAConditionError
            return value
        if not (token[0].isalpha() or token[0] == "_"):
            raise _NotAConditionError
        return self._name(token)

    def _name(self, token: str) -> int | None:
        if token == "defined" and isinstance(self._peek(), str) and self._peek() != "(":
            self._at += 1
            return None
        if self._peek() == "(":
            level = 0
            while True:
                inner = self._next()
                level += (inner == "(") - (inner == ")")
                if level == 0:
                    return None
        if token == "false":
            return 0
        return 1 if token == "true" and self._knows_true else None


def _combined(sign: str, one: int | None, other: int | None) -> int | None:
    if sign in ("&&", "||"):
        decisive = sign == "||"
        if any(value is not None and bool(value) is decisive for value in (one, other)):
            return int(decisive)
        return None if one is None or other is None else int(not decisive)
    if one is None or other is None:
        return None
    if sign in ("/", "%"):
        if other == 0:
            raise _NotAConditionError
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return quotient if sign == "/" else one - quotient * other
    if sign in ("<<", ">>"):
        if not 0 <= other < 64:
            raise _NotAConditionError
        return one << other if sign == "<<" else one >> other
    compared = {"==": one == other, "!=": one != other, "<": one < other, ">": one > other}
    compared |= {"<=": one <= other, ">=": one >= other}
    if sign in compared:
        return int(compared[sign])
    return {"|": one | other, "^": one ^ other, "&": one & other, "+": one + other, "-": one - other, "*": one * other}[
        sign
    ]


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
    """Yield marks and bodies of the heredocs of a line but the first, the only one that the grammar knows."""
    if data.count(b"<<") < 2:
        return
    lines = data.split(b"\n")
    starts = [0]
    rows: dict[bytes, list[int]] = {}
    for number, line in enumerate(lines):
        starts.append(starts[-1] + len(line) + 1)
        rows.setdefault(line.rstrip(b"\r"), []).append(number)
        if line.startswith(b"\t"):
            rows.setdefault(b"\t" + line.strip(b"\t\r"), []).append(number)
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
            end = _first_from(rows, at, (word, b"\t" + word) if mark[1] else (word,))
            if end < 0:
                break
            bodies.append((starts[at], min(starts[end + 1], len(data))))
            at = end + 1
        if len(bodies) == len(marks):
            for (start, mark), body in zip(marks[1:], bodies[1:], strict=True):
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


def _copied(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield ``COPY … FROM stdin``, which the grammar does not know, with its rows up to the line ``\\.``."""
    position = 0
    while (match := _COPY.search(data, position)) is not None:
        end = _COPY_END.search(data, match.end())
        position = end.end() if end is not None else len(data)
        yield match.start(), position
