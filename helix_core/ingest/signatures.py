"""Declarations of a code file: names with their owners, parameters with defaults, constants with values.

In: bytes and a language. Out: declarations, without annotations, comments and layout, so that two versions can be
compared for what callers and readers of documents see. One pass of RE2 over the lines, then each parameter list by
hand: no syntax tree, and a syntax error loses only what is broken. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from helix_core.ingest.claim_config import pattern

LONGEST_SIGNATURE = 8_000
LONGEST_VALUE = 400
MOST_DECLARATIONS = 5_000
_KEPT = 96

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(")]}")
_PYTHON = pattern(
    rb"(?m)\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''"
    rb"|^([ \t]*)(?:(class|def|async[ ]+def)[ \t]+([A-Za-z_]\w*)"
    rb"|([A-Za-z_]\w*)[ \t]*(?::[^=\r\n\"'#]{1,200}|:[ \t]*\"[^\"\r\n]{1,200}\"[ \t]*)?="
    rb"|(@[\w.]+)"
    rb"|([A-Za-z_]\w*)[ \t]*:[ \t]*[A-Za-z_]|([A-Za-z_]))"
    # A quote inside a comment or string opens no string.
    rb"|#[^\r\n]*|\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'"
)
_SCRIPT = pattern(
    rb"(?m)/\*(?s:.*?)\*/|^[ \t]*//[^\r\n]*"
    rb"|^([ \t]*)(?:export[ ]+)?(?:default[ ]+)?(?:declare[ ]+)?(?:abstract[ ]+)?"
    rb"(?:(class|interface|enum)[ ]+([A-Za-z_$][\w$]*)"
    rb"|(?:async[ ]+)?(function)[ ]*\*?[ ]*([A-Za-z_$][\w$]*)"
    rb"|(?:const|let|var)[ ]+([A-Za-z_$][\w$]*)[^=\r\n\"'`]*="
    rb"|(?:(?:public|private|protected|static|readonly|override|async|get|set)[ ]+)*"
    rb"(#?[A-Za-z_$][\w$]*)[ ]*(?:<[^<>\r\n]*>)?\("
    rb"|([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+)[ ]*="
    rb"|([A-Za-z_$][\w$]*)[ ]*:[ ]*"
    rb"|(\})[;,]?[ \t]*\r?$)"
    rb"|//[^\r\n]*|\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'|`[^`]*`"
)
_MEMBER_ASSIGNED = re.compile(rb"\s*([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+)[ ]*=(?![=>])")
_OPENED_OBJECT = re.compile(rb"[ \t]*\{[ \t]*(?://[^\r\n]*)?\r?\n")
_FUNCTION_VALUE = re.compile(
    rb"\s*(?:async\b\s*)?(?:(function\b\s*\*?\s*(?:[A-Za-z_$][\w$]*)?)|([A-Za-z_$][\w$]*)\s*=>|(?=[(<]))"
)
_DECLARING = frozenset(b"def class function const let var interface enum async static public private".split())
_FIELD = re.compile(r"(?:\w+\.)*[Ff]ield\((.*)\)\s*$", re.S)
MOST_DECORATOR_LINES = 8
_LAMBDA = re.compile(r"(?<![\w.])lambda\b")
_NOT_METHODS = frozenset(
    ("if", "for", "while", "switch", "catch", "return", "function", "super", "constructor", "await")
)
LANGUAGES = frozenset(("python", "javascript", "typescript", "tsx"))


@dataclass(frozen=True, slots=True)
class Parameter:
    """``kind`` is ``""``, ``/`` positional only, ``=`` keyword only, ``*`` or ``**``; ``default`` is None without one.

    Defaults are as written, their white space folded. Where types decide which calls are right, ``type`` is the tokens
    of this one's, ``written`` is the parameter without its default as it stands there, and the ``name`` is empty unless
    calls write it.
    """

    name: str
    kind: str = ""
    default: str | None = None
    type: str = ""
    written: str = ""

    def __str__(self) -> str:
        if self.written:
            return self.written
        mark = self.kind if self.kind in ("*", "**") else ""
        return f"{mark}{self.name}" + (f"={self.default}" if self.default is not None else "")

    @property
    def as_called(self) -> tuple[str, str, str | None]:
        """The name, kind and default as far as a call tells them: neither the names of ``*args`` and ``**kwargs`` nor
        the quotes around a default matter.
        """
        default = None if self.default is None else in_double_quotes(self.default)
        return ("" if self.kind in ("*", "**") else self.name, self.kind, default)


@dataclass(frozen=True, slots=True)
class Declaration:
    """``chain`` holds the owners outermost first, then the name; ``kind`` is ``class``, ``function`` or ``value``.

    ``parameters`` exclude ``self`` and ``cls``; those of a class are its constructor's, None where it has none of its
    own. ``value`` is a constant's value, as written. ``bases`` are the words after a class's name, in Python as
    written, else without type arguments. ``result`` is the tokens of the type of what a function returns, and
    ``end_line`` its last line, where a tree says so; in Python it is ``COROUTINE`` for an ``async def``, and of an
    attribute all that is written behind its name.
    """

    chain: tuple[str, ...]
    kind: str
    line: int
    parameters: tuple[Parameter, ...] | None = None
    value: str = ""
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    result: str = ""
    end_line: int = 0


COROUTINE = "coroutine"
PROPERTIES = frozenset(("property", "cached_property"))
"""Decorators of Python that make of a method what is read without a call."""
MEMBERLESS_BASES = frozenset(("object", "ABC", "Generic", "Protocol"))
"""Base classes of Python that give a class neither a member of a name nor a constructor with parameters."""


def plain_base(written: str) -> str:
    """Return a base as written after a class's name without its type arguments: ``Base`` of ``Base[T]``."""
    return written.partition("[")[0].strip()


def base_name(written: str) -> str:
    """Return the last name of a base as written after a class's name: ``Base`` of ``pkg.Base[T]``."""
    return plain_base(written).rpartition(".")[2]


@dataclass(slots=True)
class _OuterDeclaration:
    indent: int
    name: str
    is_class: bool
    is_object: bool = False


def declarations(data: bytes, language: str) -> tuple[Declaration, ...]:
    """Return every declaration at module or class level, in line order; none for unsupported languages.

    Cached (LRU): a document's references often resolve to the same few files.
    """
    return _parsed(data, language) if language in LANGUAGES else ()


def declared(data: bytes, language: str, chain: tuple[str, ...]) -> Declaration | None:
    """Return the one declaration of this chain; None for none, or for several that differ (overloads, platforms)."""
    return sole(declarations(data, language), chain)


def sole(found: Iterable[Declaration], chain: tuple[str, ...]) -> Declaration | None:
    """Return the one of several declarations that has this chain; None for none, or for several that differ."""
    same = [one for one in found if one.chain == chain]
    plain = [one for one in same if not {"overload", "setter", "deleter"} & set(one.decorators)] or same
    if not plain:
        return None
    first = plain[0]
    alike = all((one.kind, one.parameters, one.value) == (first.kind, first.parameters, first.value) for one in plain)
    return first if alike else None


def may_differ(one: bytes, other: bytes, name: str, is_class: bool) -> bool:
    """Return whether the declarations of a name in two versions of a file can differ.

    A quick check before both are parsed: False when all lines that declare it, and for a class all constructors, are
    the same text.

    Args:
        one: One version.
        other: The other version.
        name: The declared name, unqualified.
        is_class: It is a class.
    """
    words = (name.encode(), b"__init__") if is_class else (name.encode(),)
    return any(_heads(one, word) != _heads(other, word) for word in words)


def _heads(data: bytes, name: bytes) -> list[bytes]:
    """Return the text of each declaration of a name, as far as its signature or its line may extend."""
    found = []
    start = data.find(name)
    while start >= 0:
        end = start + len(name)
        line_start = data.rfind(b"\n", 0, start) + 1
        before = data[line_start:start].split()
        after = data[end : end + 1]
        is_word = not (after.isalnum() or after == b"_")
        if is_word and (not before or before[-1] in _DECLARING):
            if after == b"(":
                found.append(_inside(data, end)[0].encode("utf-8", "replace"))
            else:
                line_end = data.find(b"\n\n", end)
                found.append(data[end : min(line_end if line_end >= 0 else len(data), end + LONGEST_VALUE)])
        start = data.find(name, end)
    return found


def block(data: bytes, declaration: Declaration) -> tuple[str, ...]:
    """Return the stripped, non-blank lines of a declaration, as far as it extends: by its tree or its indentation."""
    lines = data.decode("utf-8", "replace").split("\n")[declaration.line - 1 :]
    if declaration.end_line:
        own = lines[: declaration.end_line - declaration.line + 1]
        return tuple(text for line in own if (text := line.strip()))
    if not lines:
        return ()
    depth = len(lines[0]) - len(lines[0].lstrip())
    found = [lines[0].strip()]
    for line in lines[1:]:
        text = line.strip()
        if text and len(line) - len(line.lstrip()) <= depth and text[0] not in ")]}":
            break
        if text:
            found.append(text)
    return tuple(found)


@lru_cache(_KEPT)
def _parsed(data: bytes, language: str) -> tuple[Declaration, ...]:
    found = _python(data) if language == "python" else _script(data, is_typed=language != "javascript")
    return tuple(one for one, _ in zip(found, range(MOST_DECLARATIONS), strict=False))


def _python(data: bytes) -> Iterator[Declaration]:
    scopes: list[_OuterDeclaration] = []
    decorators: list[str] = []
    inits: dict[tuple[str, ...], Declaration] = {}
    found: list[Declaration] = []
    line, position, bound = 1, 0, 0
    for match in _PYTHON.finditer(data):
        if match.start(1) < 0 or match.start() < bound:
            continue
        line += data.count(b"\n", position, match.start())
        position = match.start()
        indent = len(data[match.start(1) : match.end(1)].expandtabs(8))
        while scopes and scopes[-1].indent >= indent:
            scopes.pop()
        if match.start(5) >= 0:
            decorators.append(_text(data, match, 5)[1:].rpartition(".")[2])
            continue
        own, decorators = tuple(decorators), []
        is_hidden = any(not scope.is_class for scope in scopes)
        owners = tuple(scope.name for scope in scopes)
        if match.start(2) >= 0:
            name, word = _text(data, match, 3), _text(data, match, 2)
            inside, end = _inside(data, match.end(3))
            bound = end
            scopes.append(_OuterDeclaration(indent, name, word == "class"))
            if is_hidden:
                continue
            chain = (*owners, name)
            if word == "class":
                bases = tuple(piece.strip() for piece in split(inside))
                found.append(Declaration(chain, "class", line, bases=bases, decorators=own))
                continue
            is_method = bool(owners) and "staticmethod" not in own
            result = COROUTINE if word.startswith("async") else ""
            one = Declaration(chain, "function", line, python_parameters(inside, is_method), "", (), own, result)
            found.append(one)
            if name == "__init__" and "overload" not in own:
                inits.setdefault(owners, one)
        elif not is_hidden and match.start(7) < 0:
            group = 4 if match.start(4) >= 0 else 6
            name = _text(data, match, group)
            value = ""
            if group == 4:
                if data[match.end() : match.end() + 1] == b"=":
                    continue
                value, bound = _assigned(data, match.end())
            is_argument = indent > 0 and not owners and data[match.end(4) : match.end(4) + 1] == b"="
            if (group == 6 and not owners) or name in _PYTHON_WORDS or is_argument:
                continue
            # What is written behind the name of an attribute says whether it is a field of a dataclass.
            written = _assigned(data, match.end(group))[0] if owners else ""
            found.append(Declaration((*owners, name), "value", line, value=value, decorators=own, result=written))
    return (
        replace(one, parameters=inits[one.chain].parameters) if one.kind == "class" and one.chain in inits else one
        for one in found
    )


_PYTHON_WORDS = frozenset(("else", "try", "finally", "lambda", "except", "if", "return", "with", "for", "while"))


def python_parameters(inside: str, is_method: bool = False) -> tuple[Parameter, ...]:
    """Parse ``a, /, b: int = 3, *, c``; drop ``self`` or ``cls`` of a method."""
    found: list[Parameter] = []
    is_keyword_only = False
    for piece in split(inside):
        text = piece.strip()
        if text == "/":
            found = [Parameter(one.name, "/", one.default) for one in found]
        elif text == "*":
            is_keyword_only = True
        elif text.startswith("**"):
            found.append(Parameter(_name_of(text[2:]), "**"))
        elif text.startswith("*"):
            found.append(Parameter(_name_of(text[1:]), "*"))
            is_keyword_only = True
        elif text:
            before, default = _default_of(text)
            found.append(Parameter(_name_of(before), "=" if is_keyword_only else "", default))
    if is_method and found and found[0].kind in ("", "/") and found[0].name in ("self", "cls", "mcs", "metacls"):
        found = found[1:]
    return tuple(found)


def record_fields(one: Declaration, declared: Iterable[Declaration], data: bytes) -> tuple[Parameter, ...] | None:
    """Return the parameters of the constructor that Python makes of a class's fields; None where it makes none, or
    of a base's fields, too.

    Args:
        one: The class.
        declared: What its file declares.
        data: The bytes of the file.
    """
    bases = [base_name(base) for base in one.bases if base_name(base) not in MEMBERLESS_BASES]
    is_made = ("dataclass" in one.decorators and not bases) or (bases in (["NamedTuple"], ["BaseModel"]))
    above = b"\n".join(data.split(b"\n")[max(one.line - 1 - MOST_DECORATOR_LINES, 0) : one.line - 1])
    if one.parameters is not None or not is_made or (one.decorators and b"=" in above.rpartition(b"@")[2]):
        return None
    found: list[Parameter] = []
    kind = "=" if bases == ["BaseModel"] else ""
    for each in declared:
        written, default = _default_of(each.result[1:])
        if each.chain[:-1] != one.chain or not each.result.startswith(":") or "ClassVar" in written:
            continue
        if written.strip().endswith("KW_ONLY"):
            kind = "="
            continue
        made = _FIELD.match(default or "")
        given = [piece.partition("=") for piece in split(made[1])] if made is not None else []
        options = {name.strip(): value.strip() for name, joint, value in given if joint}
        if options.get("init") == "False":
            continue
        is_first = bool(given) and not given[0][1] and given[0][0].strip() != "..."
        is_optional = made is None or is_first or bool({"default", "default_factory"} & options.keys())
        found.append(Parameter(each.chain[-1], kind, default if is_optional else None))
    return tuple(found)


def _extended(data: bytes, position: int) -> tuple[str, ...]:
    """Return what a class or an interface extends, of the text after its name: a mixin by the name of its function."""
    head = data[position : position + LONGEST_VALUE].partition(b"{")[0].decode("utf-8", "replace")
    outer, depth = [], 0
    for before, character in zip(" " + head, head, strict=False):
        closes = character == ")" or (character == ">" and before != "=")
        depth = max(depth + (character in "<(") - closes, 0)
        if depth == 0:
            outer.append(" " if closes else character)
    words = "".join(outer).partition("implements")[0].split()
    if "extends" not in words:
        return ()
    return tuple(one for one in "".join(words[words.index("extends") + 1 :]).split(",") if one)


def _script(data: bytes, is_typed: bool) -> Iterator[Declaration]:
    scopes: list[_OuterDeclaration] = []
    line, position, bound = 1, 0, 0
    for match in _SCRIPT.finditer(data):
        if match.start(1) < 0 or match.start() < bound:
            continue
        line += data.count(b"\n", position, match.start())
        position = match.start()
        indent = len(data[match.start(1) : match.end(1)].expandtabs(4))
        while scopes and scopes[-1].indent >= indent:
            scopes.pop()
        owners = tuple(part for scope in scopes for part in scope.name.split("."))
        is_hidden = any(not scope.is_class for scope in scopes)
        if match.start(2) >= 0:
            name = _text(data, match, 3)
            scopes.append(_OuterDeclaration(indent, name, True))
            if not is_hidden:
                yield Declaration((*owners, name), "class", line, bases=_extended(data, match.end(3)))
        elif match.start(4) >= 0:
            name = _text(data, match, 5)
            inside, bound = _inside(data, match.end(5))
            scopes.append(_OuterDeclaration(indent, name, False))
            if not is_hidden:
                yield Declaration((*owners, name), "function", line, _script_parameters(inside, is_typed))
        elif match.start(6) >= 0:
            name = _text(data, match, 6)
            if (bound_function := _bound_function(data, match.end(), is_typed)) is not None:
                parameters, bound = bound_function
                scopes.append(_OuterDeclaration(indent, name, False))
                if not is_hidden:
                    yield Declaration((*owners, name), "function", line, parameters)
                continue
            value, _ = _assigned(data, match.end())
            if "=>" in value or value.startswith(("function", "async", "{", "class", "(")):
                is_object = _OPENED_OBJECT.match(data, match.end()) is not None
                scopes.append(_OuterDeclaration(indent, name, is_object, is_object))
            if not is_hidden:
                yield Declaration((*owners, name), "value", line, value=value if "=>" not in value else "")
        elif match.start(8) >= 0 or match.start(9) >= 0:
            found, bound = _object_members(data, match, scopes, (line, indent), is_typed)
            yield from found
        elif owners and not is_hidden:
            name = _text(data, match, 7)
            inside, end = _inside(data, match.end() - 1)
            after = data[end : end + 200].lstrip()
            if name in _NOT_METHODS or not after.startswith((b"{", b":", b";")):
                continue
            bound = end
            scopes.append(_OuterDeclaration(indent, name, False))
            yield Declaration((*owners, name), "function", line, _script_parameters(inside, is_typed))


def _object_members(
    data: bytes, match: re.Match[bytes], scopes: list[_OuterDeclaration], at: tuple[int, int], is_typed: bool
) -> tuple[list[Declaration], int]:
    """Return the members of objects that a line assigns, or writes with a colon in an object, and the offset behind
    them; what they open is put on the scopes.

    Args:
        data: The bytes of the file.
        match: The match of ``_SCRIPT``.
        scopes: What is open around the line.
        at: The line and its indentation.
        is_typed: Parameters have types.
    """
    line, indent = at
    is_assigned = match.start(8) >= 0
    is_of_object = bool(scopes) and scopes[-1].is_object
    if is_assigned:
        members, start = _members_assigned(data, match.start(8))
    else:
        owners = tuple(part for scope in scopes for part in scope.name.split("."))
        members, start = [(*owners, _text(data, match, 9))] if is_of_object else [], match.end()
    if not members:
        return [], match.end()
    is_object = _OPENED_OBJECT.match(data, start) is not None
    bound_function = _bound_function(data, start, is_typed)
    is_shown = not scopes if is_assigned else all(scope.is_class for scope in scopes) and bound_function is not None
    name = ".".join(members[-1]) if is_assigned else members[-1][-1]
    scopes.append(_OuterDeclaration(indent, name, is_object, is_object))
    parameters, bound = bound_function or (None, start)
    kind = "value" if bound_function is None else "function"
    shown = members if is_shown and not is_object else []
    return [Declaration(chain, kind, line, parameters) for chain in shown], bound


def _members_assigned(data: bytes, start: int) -> tuple[list[tuple[str, ...]], int]:
    """Return the chains of the members that are assigned at ``start``, as of ``app.del = app.delete = …``, and the
    offset of the value; none of a comparison, nor of what only ``this`` has.
    """
    found: list[tuple[str, ...]] = []
    while (assigned := _MEMBER_ASSIGNED.match(data, start)) is not None:
        parts = assigned[1].decode("latin-1").split(".")
        if parts[0] != "this":
            found.append(tuple(part for part in parts if part != "prototype"))
        start = assigned.end()
    return found, start


def _bound_function(data: bytes, start: int, is_typed: bool) -> tuple[tuple[Parameter, ...] | None, int] | None:
    """Return the parameters of the function that is assigned at ``start`` and the offset behind them; None where
    another value is, which may be made by a function.
    """
    head = _FUNCTION_VALUE.match(data, start)
    if head is None:
        return None
    if head[2] is not None:
        return (Parameter(head[2].decode("latin-1")),), head.end()
    inside, end = _inside(data, head.end())
    after = data[end : end + 200].lstrip()
    # Behind its parameters a function in parentheses has an arrow or the type that it returns.
    if end <= head.end() or not (head[1] is not None or after.startswith((b"=>", b":") if is_typed else b"=>")):
        return None
    return _script_parameters(inside, is_typed), end


def _script_parameters(inside: str, is_typed: bool) -> tuple[Parameter, ...] | None:
    found: list[Parameter] = []
    for piece in split(inside):
        text = piece.strip()
        while text.split(" ", 1)[0] in ("public", "private", "protected", "readonly") and " " in text:
            text = text.split(" ", 1)[1].lstrip()
        if text.startswith(("{", "[")):
            return None
        if text.startswith("..."):
            found.append(Parameter(_name_of(text[3:]), "*"))
        elif text:
            before, default = _default_of(text)
            name = before.partition(":")[0] if is_typed else before
            is_optional = name.rstrip().endswith("?")
            found.append(Parameter(_name_of(name), "", "undefined" if is_optional and default is None else default))
    return tuple(one for one in found if one.name != "this")


def split(text: str, at: str = ",") -> list[str]:
    """Split at commas that no bracket and no string encloses."""
    pieces, start, depth, position = [], 0, 0, 0
    # The bracket depth of a lambda's parameters, whose commas do not split.
    lambda_depth = -1
    while position < len(text):
        character = text[position]
        if character in "\"'`":
            position = _after_string(text, position)
            continue
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == ":" and depth == lambda_depth:
            lambda_depth = -1
        elif character == "l" and _LAMBDA.match(text, position):
            lambda_depth = depth
        elif character == at and depth == 0 and lambda_depth:
            pieces.append(text[start:position])
            start = position + 1
        position += 1
    last = text[start:]
    return [*pieces, last] if last.strip() else pieces


def arguments_at(text: str, opening: int, most: int) -> str | None:
    """Return what stands between the parenthesis at an offset and the one that closes it, without comments and on one
    line; None where none does within ``most`` characters.
    """
    shown, position, _ = _without_comments(text[: opening + most], opening + 1, _CLOSE, depth=1)
    return " ".join(shown.split()) if position < min(len(text), opening + most) else None


def _default_of(text: str) -> tuple[str, str | None]:
    """Split at the top-level ``=`` into the parameter and its default."""
    depth = position = 0
    while position < len(text):
        character = text[position]
        if character in "\"'`":
            position = _after_string(text, position)
            continue
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "=" and depth == 0 and text[position + 1 : position + 2] not in ("=", ">"):
            return text[:position], " ".join(text[position + 1 :].split())
        position += 1
    return text, None


def in_double_quotes(code: str) -> str:
    """Return code with each ``'string'`` in double quotes, so that two styles compare equal; one that has either quote
    in it stays as it is.
    """
    pieces: list[str] = []
    position = 0
    while position < len(code):
        end = _after_string(code, position) if code[position] in "\"'`" else position + 1
        piece, inner = code[position:end], code[position + 1 : end - 1]
        is_plain = piece[0] == "'" == piece[-1] and len(piece) > 1 and not {"'", '"'} & set(inner)
        pieces.append(f'"{inner}"' if is_plain else piece)
        position = end
    return "".join(pieces)


def _name_of(text: str) -> str:
    name = text.partition(":")[0].strip()
    return name.rstrip("?").strip()


def _inside(data: bytes, start: int) -> tuple[str, int]:
    """Return the text between the brackets that open at or after ``start`` on its line, without comments, and the
    closing offset.
    """
    text = data[start : start + LONGEST_SIGNATURE].decode("utf-8", "replace")
    opening = len(text) - len(text.lstrip(" \t"))
    if text[opening : opening + 1] == "[" or text[opening : opening + 1] == "<":
        depth = 0
        for index in range(opening, len(text)):
            depth += text[index] in "[<"
            depth -= text[index] in "]>"
            if not depth:
                opening = index + 1
                break
    if text[opening : opening + 1] != "(":
        return "", start
    shown, position, _ = _without_comments(text, opening + 1, _CLOSE, depth=1)
    if position >= len(text):
        return "", start
    return shown, start + len(text[: position + 1].encode("utf-8", "replace"))


def _assigned(data: bytes, start: int) -> tuple[str, int]:
    """Return the value of an assignment, as far as its brackets and its line extend, without comments, whitespace
    folded.
    """
    text = data[start : start + LONGEST_VALUE].decode("utf-8", "replace")
    value, position, depth = _without_comments(text, 0, "\n;")
    return " ".join(value.split()), start + (0 if depth > 0 else position)


def _without_comments(text: str, start: int, ends: Container[str], *, depth: int = 0) -> tuple[str, int, int]:
    """Return the text from ``start`` to the first character of ``ends`` outside strings and brackets, without comments.

    Behind it stand where it ends, which is the text's length where no such character comes, and how many brackets are
    open there; ``depth`` are open at ``start``.
    """
    pieces: list[str] = []
    position = kept_from = start
    while position < len(text):
        character = text[position]
        if character in "\"'`":
            position = _after_string(text, position)
            continue
        if character == "#" or text.startswith("//", position):
            pieces.append(text[kept_from:position])
            line_end = text.find("\n", position)
            position = kept_from = line_end if line_end >= 0 else len(text)
            continue
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        if depth <= 0 and character in ends:
            break
        position += 1
    pieces.append(text[kept_from:position])
    return "".join(pieces), position, depth


def _after_string(text: str, position: int) -> int:
    quote = text[position]
    if text.startswith(quote * 3, position):
        end = text.find(quote * 3, position + 3)
        return end + 3 if end >= 0 else len(text)
    index = position + 1
    while index < len(text):
        if text[index] == "\\":
            index += 2
            continue
        if text[index] == quote:
            return index + 1
        if text[index] == "\n" and quote != "`":
            return index
        index += 1
    return len(text)


def _text(data: bytes, match: object, group: int) -> str:
    start, end = match.span(group)  # type: ignore[attr-defined]
    return data[start:end].decode("latin-1")
