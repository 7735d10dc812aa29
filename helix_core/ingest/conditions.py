"""Conditions of the preprocessor, evaluated as far as the text of their file tells.

Pure values: knows no directives but what it is told, and no trees. C17, 6.10.1; evaluated with three values, so that
``0 && A`` is never met and ``1 || A`` always.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LONGEST_CONDITION = 1_000
_DEEPEST_CONDITION = 40
_CONDITION_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)(?P<suffix>[uUlLzZ]*)(?![\w.])"
    r"|(?:u8|[uUL])?'(?:(?P<character>[^'\\\n])|\\(?P<escape>[abefnrtv\"'?\\])|\\(?P<octal>[0-7]{1,3}))'"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>&&|\|\||==|!=|<=|>=|<<|>>|[-+!~()<>*/%&|^?:,]))"
)
_BINDING = {
    **dict.fromkeys(("||",), 1), **dict.fromkeys(("&&",), 2), "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
    **dict.fromkeys(("<", ">", "<=", ">="), 7), "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_WORDS = {"not": "!", "and": "&&", "or": "||", "not_eq": "!=", "compl": "~", "bitand": "&", "bitor": "|", "xor": "^"}
"""C++20, 5.5 [lex.digraph]; in C they are macros of a header."""
_ESCAPES = dict(zip("abefnrtv\"'?\\", "\a\b\x1b\f\n\r\t\v\"'?\\", strict=True))
_DEFINED = re.compile(r"(!|not\b)?\s*defined\s*(\()?\s*(\w+)\s*(\))?")
_DEFINITION = re.compile(r"\s*(\w+)(\(?)(.*)", re.S)


@dataclass(frozen=True, slots=True)
class Macro:
    """What is known of a macro: whether it is defined, and the number that it stands for, or None."""

    is_defined: bool
    value: int | None = None


UNDEFINED = Macro(is_defined=False, value=0)


@dataclass(slots=True)
class _OpenCondition:
    """An open condition: the conditions of its branches so far, what its last one says of macros (None where that is
    not known), whether an included file hides there what is said around it, and what changes in any branch.
    """

    conditions: list[str]
    said: dict[str, Macro | None] = field(default_factory=dict)
    is_opaque: bool = False
    changed: set[str] = field(default_factory=set)
    includes: bool = False


class Macros:
    """What is known of the macros of a file, whose directives are told in order.

    Another file that is included may define any of them, or none.
    """

    def __init__(self) -> None:
        self._open = [_OpenCondition([])]

    def get(self, name: str) -> Macro | None:
        """Return what is known of a macro; None for nothing."""
        for one in reversed(self._open):
            if name in one.said:
                return one.said[name]
            if one.is_opaque:
                return None
        return None

    def tell(self, word: str, written: str) -> None:
        """Take in a directive that is no condition; ``written`` follows its word, without comments."""
        match = _DEFINITION.match(written) if word in ("define", "undef") else None
        if match is not None:
            self._change(match[1], _macro(match[2], match[3]) if word == "define" else UNDEFINED)
        elif word.startswith(("include", "import")) or "pop_macro" in written:
            self._include()

    def begin(self) -> None:
        """Begin a condition, and its first branch."""
        self._open.append(_OpenCondition([]))

    def begin_other(self) -> None:
        """Begin another branch of the condition: those before are not met."""
        if len(self._open) > 1:
            one = self._open[-1]
            one.said, one.is_opaque = {}, False
            for condition in one.conditions:
                self._say(condition, is_met=False)

    def meet(self, condition: str) -> None:
        """Take in that the condition of the branch is met, "" for none."""
        self._say(condition, is_met=True)
        self._open[-1].conditions.append(condition)

    def end(self) -> None:
        """End a condition."""
        if len(self._open) > 1:
            last = self._open.pop()
            if last.includes:
                self._include()
            for name in last.changed:
                self._change(name, None)

    def _say(self, condition: str, *, is_met: bool) -> None:
        match = _DEFINED.fullmatch(condition.strip())
        if match is not None and bool(match[2]) == bool(match[4]):
            is_defined = is_met is not bool(match[1])
            known = self.get(match[3])
            if known is None or known.is_defined is not is_defined:
                self._open[-1].said[match[3]] = Macro(is_defined=True) if is_defined else UNDEFINED

    def _include(self) -> None:
        one = self._open[-1]
        one.said, one.is_opaque, one.includes = {}, True, True

    def _change(self, name: str, macro: Macro | None) -> None:
        self._open[-1].said[name] = macro
        self._open[-1].changed.add(name)


def _macro(parameters: str, written: str) -> Macro:
    """Return a macro by its definition; only a number alone has a value here."""
    tokens = [] if parameters else [token for token in _tokens(written) or () if token not in ("(", ")")]
    value = tokens[0] if len(tokens) == 1 and isinstance(tokens[0], int) else None
    return Macro(is_defined=True, value=value)


def is_always(condition: str, *, knows_true: bool = True, macros: Macros | None = None) -> bool | None:
    """Return whether a condition of the preprocessor is always met, or never (False); None where that depends.

    Args:
        condition: As written, without comments.
        knows_true: Whether ``true`` is a word of the language: in C it is a macro of a header.
        macros: What is known of the names in it. Others, but for ``false``, are unknown.
    """
    if len(condition) > _LONGEST_CONDITION:
        return None
    tokens = _tokens(condition)
    if tokens is None:
        return None
    reader = _ConditionReader(tokens, macros or Macros(), knows_true=knows_true)
    try:
        value = reader.expression(0, 0)
    except _NotAConditionError:
        return None
    return None if value is None or not reader.is_at_end else value != 0


class _Character(int):
    """The number of a character, which depends on the character set: two of them are equal or not, and none is 0."""


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
        elif match["octal"]:
            found.append(int(match["octal"], 8))
        elif match["character"] or match["escape"]:
            found.append(_Character(ord(match["character"] or _ESCAPES[match["escape"]])))
        else:
            found.append(_WORDS.get(match["name"], match["name"]) or match["sign"])
        position = match.end()
    return found


class _ConditionReader:
    """Reads an expression by precedence; None stands for a value that is not known."""

    def __init__(self, tokens: list[str | int], macros: Macros, *, knows_true: bool) -> None:
        self._tokens, self._at, self._macros, self._knows_true = tokens, 0, macros, knows_true

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
            if isinstance(value, _Character) and token != "!":
                return None
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
        if token == "defined":
            return self._is_defined()
        if self._peek() == "(":
            level = 0
            while True:
                inner = self._next()
                level += (inner == "(") - (inner == ")")
                if level == 0:
                    return None
        if token == "false":
            return 0
        if token == "true" and self._knows_true:
            return 1
        macro = self._macros.get(token)
        return macro.value if macro is not None else None

    def _is_defined(self) -> int | None:
        is_bracketed = self._peek() == "("
        self._at += is_bracketed
        name = self._next()
        if not isinstance(name, str) or (is_bracketed and self._next() != ")"):
            raise _NotAConditionError
        macro = self._macros.get(name)
        return int(macro.is_defined) if macro is not None else None


def _combined(sign: str, one: int | None, other: int | None) -> int | None:
    if sign in ("&&", "||"):
        decisive = sign == "||"
        if any(value is not None and bool(value) is decisive for value in (one, other)):
            return int(decisive)
        return None if one is None or other is None else int(not decisive)
    if one is None or other is None:
        return None
    characters = isinstance(one, _Character) + isinstance(other, _Character)
    if characters and (characters == 1 or sign not in ("==", "!=")):
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
