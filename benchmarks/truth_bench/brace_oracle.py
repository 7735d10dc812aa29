"""Which definitions of C and C++ are where, by balanced braces alone: a second opinion beside Helix's parser.

In: the bytes of a file. Out: each function, class, struct and namespace with its lines, and the lines that the
preprocessor always drops; None where braces do not balance, also where the branches of a condition open different ones,
because then nobody can tell without expanding macros. Knows no grammar: a brace's meaning is told by the words between
the last ``;``, ``{`` or ``}`` and itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<directive>(?m:^)[ \t]*\#(?:/\*.*?\*/|\\\n|[^\n])*)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.']) *)
    |(?P<word>[A-Za-z_$~]\w*)
    |(?P<mark_>::|->|.)""",
    re.X | re.S,
)
_DIRECTIVE = re.compile(r"\s*#\s*(\w*)\s*(.*)", re.S)
_ATTRIBUTES = ("__attribute__", "__declspec", "alignas", "decltype", "noexcept", "throw", "requires", "explicit")
_STATEMENTS = ("if", "while", "for", "switch", "return", "catch", "sizeof", "typeof", "asm", "__asm__", "static_assert")
_OF_NO_NAME = frozenset((*_ATTRIBUTES, *_STATEMENTS))
_TYPES = frozenset({"class", "struct", "union", "enum"})
_NO_NAMES = _TYPES | {"namespace", "template", "typename", "operator"}
OUTER = frozenset({"namespace", "extern", "type"})
"""Scopes in which a brace behind a parameter list begins a function."""


def _bare(name: str) -> str:
    return re.sub(r'[\s"~]', "", name)


@dataclass(frozen=True, slots=True)
class Braced:
    """A definition: what it is, its last name, the names written or opened around it, and its 1-based lines."""

    kind: str
    name: str
    around: tuple[str, ...]
    first: int
    last: int
    words: frozenset[str] = frozenset()
    """Those of its head where a macro makes it, so that any of them may be its name."""

    def is_called(self, name: str) -> bool:
        return _bare(self.name) == _bare(name) or name in self.words


def parts_of(symbol: str) -> list[str]:
    """The names of a chain, outermost first, without type arguments."""
    while (bare := re.sub(r"<[^<>]*>", "", symbol)) != symbol and "operator" not in symbol:
        symbol = bare
    return [part for part in re.split(r"::|\.", symbol) if part] or [symbol]


@dataclass(frozen=True, slots=True)
class BracedFile:
    definitions: tuple[Braced, ...]
    dropped: tuple[tuple[int, int], ...]

    def fault(self, symbol: str, code_lines: set[int], start_line: int, end_line: int) -> str:
        """Why the lines are not ``symbol``; empty when they are, or when nobody can tell. ``code_lines`` have code."""
        code = sorted(line for line in code_lines if start_line <= line <= end_line)
        if not code:
            return ""
        if any(first <= code[0] and code[-1] <= last for first, last in self.dropped):
            return f"the preprocessor drops all of it, so it is not {symbol!r}"
        *owners, name = parts = parts_of(symbol)
        own = [one for one in self.definitions if one.is_called(name)]
        near = [one for one in own if one.first <= code[-1] and code[0] <= one.last]
        if near:
            inside = min(near, key=lambda one: max(0, code[-1] - one.last) + max(0, one.first - code[0]))
            # What is nested in it, or bound beside it, is of its name; a function behind its end is not.
            beyond = [one for one in self.functions if inside.last < one.first <= code[-1] and not one.is_called(name)]
            if beyond:
                return f"{symbol!r} ends in line {inside.last}, and {beyond[0].name!r} begins in {beyond[0].first}"
            around_it = {_bare(one) for each in near for one in (*each.around, each.name)}
            others = {_bare(one.name) for one in self.functions} | _NO_NAMES
            alien = [one for one in owners if _bare(one) in others - around_it]
            if alien and not inside.words:
                return f"{symbol!r} is in no {alien[0]!r}, but in {'.'.join(inside.around) or 'the file'}"
            return ""
        around = [one for one in self.functions if one.first <= code[0] and code[-1] <= one.last]
        if around and not any(one.is_called(part) for one in around for part in parts):
            where = f"; it is at {own[0].first}-{own[0].last}" if own else ""
            return f"all of it is in {around[-1].name!r} ({around[-1].first}-{around[-1].last}), not {symbol!r}{where}"
        return ""

    @property
    def functions(self) -> list[Braced]:
        return [one for one in self.definitions if one.kind == "function"]


@dataclass(slots=True)
class _Scope:
    kind: str
    name: str
    around: tuple[str, ...]
    first: int
    words: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Condition:
    """An open ``#if``: the scopes and words before it, those after its first branch, and where it drops lines."""

    before: list[_Scope]
    head: list[tuple[str, int]]
    parens: int
    after: list[_Scope] | None = None
    dropped_from: int = 0
    is_taken: bool = False
    branch: int = 0


@dataclass(slots=True)
class _Reader:
    scopes: list[_Scope] = field(default_factory=list)
    head: list[tuple[str, int]] = field(default_factory=list)
    conditions: list[_Condition] = field(default_factory=list)
    found: list[Braced] = field(default_factory=list)
    dropped: list[tuple[int, int]] = field(default_factory=list)
    said: dict[str, tuple[bool, str, tuple[int, ...]]] = field(default_factory=dict)
    """The last word on each macro: whether it is defined, as what, and in which branches of the open conditions."""
    begun: int = 0
    parens: int = 0
    is_balanced: bool = True

    @property
    def is_dropping(self) -> bool:
        return any(one.dropped_from for one in self.conditions)

    def directive(self, text: str, line: int) -> None:
        match = _DIRECTIVE.match(text)
        word, rest = (match[1], re.sub(r"/\*.*?\*/|//.*", "", match[2], flags=re.S).strip()) if match else ("", "")
        if word in {"define", "undef", "include", "include_next", "import", "pragma"} and not self.is_dropping:
            self._say(word, rest)
        elif word in {"if", "ifdef", "ifndef"}:
            value = self._value(word, rest)
            one = _Condition(list(self.scopes), list(self.head), self.parens, is_taken=value is True)
            one.dropped_from = line + 1 if value is False else 0
            self.begun += 1
            one.branch = self.begun
            self.conditions.append(one)
            if word != "if" and value is None:
                self.said[rest.split()[0] if rest else ""] = (word == "ifdef", "", self._branches())
        elif word in {"else", "elif", "elifdef", "elifndef"} and self.conditions:
            one = self.conditions[-1]
            self._end_branch(one, line)
            self.begun += 1
            one.branch = self.begun
            value = constant(rest) if word == "elif" else None
            one.dropped_from = line + 1 if one.is_taken or value is False else 0
            one.is_taken = one.is_taken or value is True
            self.scopes, self.head, self.parens = list(one.before), list(one.head), one.parens
        elif word == "endif" and self.conditions:
            one = self.conditions.pop()
            self._end_branch(one, line)
            self.scopes = one.after if one.after is not None else self.scopes

    def _branches(self) -> tuple[int, ...]:
        return tuple(one.branch for one in self.conditions)

    def _say(self, word: str, rest: str) -> None:
        match = re.match(r"(\w+)(\(?)\s*(.*)", rest, re.S)
        if word in {"define", "undef"} and match is not None:
            self.said[match[1]] = (word == "define", "" if match[2] else match[3], self._branches())
        elif word.startswith("i") or "pop_macro" in rest:
            self.said.clear()

    def _value(self, word: str, rest: str) -> bool | None:
        """The value of a condition: a constant, or what the last word on its one macro says in the same branches."""
        is_defined, written, branches = self.said.get(rest.split(maxsplit=1)[0] if rest else "", (False, "", (-1,)))
        is_known = self._branches()[: len(branches)] == branches
        if word != "if":
            return (word == "ifdef") is is_defined if is_known else None
        characters = re.fullmatch(r"'(\w)' (==|!=) '(\w)'", rest)
        if characters is not None:
            return (characters[1] == characters[3]) is (characters[2] == "==")
        return constant(written) if is_known and is_defined and rest.isidentifier() else constant(rest)

    def _end_branch(self, one: _Condition, line: int) -> None:
        if one.dropped_from:
            self.dropped.append((one.dropped_from, line - 1))
            one.dropped_from = 0
            return
        if one.after is None:
            one.after = list(self.scopes)
        if len(one.after) != len(self.scopes) or len(one.before) != len(self.scopes):
            self.is_balanced = False

    def mark(self, text: str, line: int) -> None:
        if text == "{":
            self.scopes.append(self._opened(line) if not self.parens else _Scope("block", "", (), line))
            self.scopes[-1].around = (*self._names(), *self.scopes[-1].around)
            self.head = self.head if self.parens else []
        elif text == "}":
            if not self.scopes:
                self.is_balanced = False
                return
            one = self.scopes.pop()
            if one.name:
                self.found.append(Braced(one.kind, one.name, one.around, one.first, line, one.words))
            self.head = self.head if self.parens else []
        elif text == ";" and not self.parens:
            self.head = []
        else:
            self.parens = max(0, self.parens + (text in "([") - (text in ")]"))
            self.head.append((text, line))

    def _names(self) -> tuple[str, ...]:
        around = self.scopes[-2] if len(self.scopes) > 1 else None
        return (*around.around, *filter(None, (around.name,))) if around is not None else ()

    def _opened(self, line: int) -> _Scope:
        words = [text for text, _ in self.head]
        first = self.head[0][1] if self.head else line
        if not words:
            return _Scope("block", "", (), line)
        if self.scopes and self.scopes[-1].kind not in OUTER:
            is_type = words[0] in _TYPES and "(" not in words and "=" not in words
            return _Scope("type", words[1], (), first) if is_type and len(words) > 1 else _Scope("block", "", (), line)
        if "namespace" in words:
            named = [word for word in words[words.index("namespace") + 1 :] if re.match(r"\w", word)]
            return _Scope("namespace", named[-1] if named else "", tuple(named[:-1]), first)
        if words[:1] == ["extern"] and '"' in words:
            return _Scope("extern", "", (), first)
        name, around = self._function(words)
        if name:
            return _Scope("function", name, around, first, frozenset(words) if name.isupper() else frozenset())
        at = next((at for at, word in enumerate(words) if word in _TYPES), -1)
        if at >= 0 and "=" not in words:
            named = _last_name(words, at)
            return (
                _Scope("type", words[named], _qualifiers(words, named), first)
                if named
                else _Scope("type", "", (), first)
            )
        return _Scope("block", "", (), line)

    @staticmethod
    def _function(words: list[str]) -> tuple[str, tuple[str, ...]]:
        """The name in front of the parameters, and those before it; "" where the words begin no function."""
        depth, candidates = 0, list[int]()
        for at, word in enumerate(words):
            if depth == 0 and word == "operator":
                end = words.index("(", at + 2) if "(" in words[at + 2 :] else len(words)
                return "".join(words[at:end]), _qualifiers(words, at)
            if depth == 0 and word == ":" and (candidates or not _TYPES.isdisjoint(words[:at])):
                break
            if depth == 0 and word == "=":
                return "", ()
            if word == "(" and depth == 0 and at and re.match(r"[A-Za-z_~]", words[at - 1]):
                candidates.append(at - 1)
            depth += (word in "([") - (word in ")]")
        named = [at for at in candidates if words[at] not in _OF_NO_NAME]
        plain = [at for at in named if not words[at].isupper()] or named
        if not plain:
            return "", ()
        at = plain[-1]
        return words[at], _qualifiers(words, at)


def _last_name(words: list[str], at: int) -> int:
    """Where the name of a type stands whose word is at ``at``: the last one before its bases that is no argument of a
    template; 0 where it has none."""
    depth, found = 0, 0
    for here, word in enumerate(words[at + 1 :], at + 1):
        if word == ":" and depth == 0:
            break
        depth += (word == "<") - (word == ">")
        # The arguments of ``template <class A> class B`` end in front of the head.
        depth, found = (0, 0) if depth < 0 else (depth, found)
        if depth == 0 and re.match(r"[A-Za-z_]", word) and word not in _TYPES and word != "final":
            found = here
    return found


def _qualifiers(words: list[str], at: int) -> tuple[str, ...]:
    """The names written before the one at ``at``: ``A`` and ``B`` of ``A<T>::B::name``."""
    found: list[str] = []
    while at >= 2 and words[at - 1] == "::":
        at = _before_arguments(words, at - 2)
        if not re.match(r"\w", words[at]):
            break
        found.insert(0, words[at])
    return tuple(found)


def _before_arguments(words: list[str], at: int) -> int:
    """Where the name stands whose arguments of a template end at ``at``; ``at`` itself where none do."""
    depth = 0
    for here in range(at, -1, -1):
        depth += (words[here] == ">") - (words[here] == "<")
        if depth == 0:
            return here - 1 if here < at and here else here
    return at


def constant(condition: str) -> bool | None:
    """The value of a condition of numbers, ``!``, ``&&``, ``||`` and brackets; None for any other."""
    text = condition.strip()
    if not re.fullmatch(r"(?:\s|\(|\)|!|&&|\|\||\b\d+[uUlL]*\b|\btrue\b|\bfalse\b)+", text):
        return None
    python = re.sub(r"(\d+)[uUlL]*", r"\1", text).replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    python = python.replace("true", "1").replace("false", "0")
    try:
        return bool(eval(python, {"__builtins__": {}}))
    except (SyntaxError, TypeError):
        return None


@lru_cache(maxsize=128)
def braced(data: bytes) -> BracedFile | None:
    """The definitions of a file; None where nobody can tell them by braces."""
    reader, line = _Reader(), 1
    text = re.sub("\r\n?", "\n", data.decode("utf-8", "replace"))
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup or "", match[0]
        if match["directive"] is not None:
            reader.directive(token, line)
        elif not reader.is_dropping and not token.isspace() and match["comment"] is None:
            if match["raw"] is not None or match["text"] is not None:
                reader.head.append(('"', line))
            elif match["word"] is not None or match["number"] is not None:
                reader.head.append((token, line))
            elif kind:
                reader.mark(token, line)
        line += token.count("\n")
    if not reader.is_balanced or reader.scopes or reader.conditions:
        return None
    return BracedFile(tuple(sorted(reader.found, key=lambda one: one.first)), tuple(reader.dropped))
