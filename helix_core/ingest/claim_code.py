"""Constants and defaults in code: ``DEFAULT_TIMEOUT = 30``, ``static final int X = 3``, ``def run(port=5000)``.

One pass of RE2 over the lines that matter; what a line lies in is read from indentation, which is faster than walking
the tree and does not need one. Names inside a function's body are its own business and no claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from helix_core.ingest.claim_values import LITERAL, Found, found, pattern

_DEEPEST = 8

_INDENTED = pattern(
    rb"(?m)\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''"
    rb"|^([ \t]*)(?:(class|module|def|async def)[ \t]+([A-Za-z_][\w.]*)([^\r\n]*)"
    rb"|[\"':]?([A-Za-z_@][\w.\-]*)[\"']?(?:[ \t]*:[ \t]*[A-Za-z_][\w.\[\], |\"']*?)?[ \t]*(?:=>|=|:)[ \t]*"
    rb"(?:(" + LITERAL + rb")|[\w.]*[({\[])[ \t]*,?[ \t]*(?:#[^\r\n]*)?\r?$)"
)
_DEFAULT = pattern(rb"[(,][ \t]*\*{0,2}([A-Za-z_]\w*)[ \t]*(?::[^=,()]*)?=[ \t]*(" + LITERAL + rb")")
_MODIFIER = (
    rb"(?:(?:export|default|declare|public|private|protected|internal|fileprivate|static|final|readonly|const|constexpr"
    rb"|inline|let|var|val|mut|pub(?:\([a-z]+\))?|lazy|override|open|local|unsigned|extern|required|auto|my|our|@[\w.]+)"
    rb"[ \t]+)*"
)
_BRACED = pattern(
    rb"(?m)^([ \t]*)(?:#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+(" + LITERAL + rb")[ \t]*(?:/[/*][^\r\n]*)?\r?$"
    rb"|"
    + _MODIFIER
    + rb"(class|struct|enum(?:[ ]class)?|interface|trait|impl|namespace|module|mod|object|record|package)"
    rb"[ \t]+([A-Za-z_][\w.:]*)[^;\r\n]*\{[ \t]*\r?$"
    rb"|(?:const|var|type)[ \t]*(\()[ \t]*\r?$"
    rb"|"
    + _MODIFIER
    + rb"(?:([A-Za-z_][\w.<>\[\],?]*(?:::[\w<>]+)*[*&]?)[ \t]+[*&]?)?[\"'$]?([A-Za-z_$][\w$.\-]*)[\"']?(?:\[\w*\])?"
    rb"(?:[ \t]*\??:[ \t]*&?(?:'static[ ])?[A-Za-z_][\w.<>\[\]|&]*)?(?:[ \t]*\{[^{}\r\n]*\})?[ \t]*(?:=>|:=|=|:)[ \t]*"
    rb"(?:("
    + LITERAL
    + rb")[ \t]*(?:as[ ]const[ \t]*)?[;,]?[ \t]*(?:/[/*][^\r\n]*)?|(?:new[ ])?[\w.<>]*[ \t]*([{(\[]))[ \t]*\r?$"
    rb"|[^\r\n]*(\{)[ \t]*\r?$)"
)
_NOT_A_NAME = frozenset(
    {"case", "return", "default", "else", "if", "while", "for", "import", "from", "package", "throw", "yield"}
)


@dataclass(slots=True)
class _Scope:
    indent: int
    name: str
    is_function: bool = False
    is_open_signature: bool = False


def indented_claims(data: bytes) -> Iterator[Found]:
    """Python, Ruby: scopes are ``class`` and ``def``; dictionaries and calls that span lines are scopes as well."""
    scopes: list[_Scope] = []
    for match in _INDENTED.finditer(data):
        if match.start(1) < 0:
            continue
        indent = match.end(1) - match.start(1)
        while scopes and scopes[-1].indent >= indent:
            scopes.pop()
        if match.start(2) >= 0:
            yield from _opened(data, match, indent, scopes)
        elif not scopes or not scopes[-1].is_function or _is_parameter(data, match, scopes[-1]):
            name = data[match.start(5) : match.end(5)].decode("latin-1").lstrip("@")
            if match.start(6) >= 0:
                yield found(_key(scopes, name), match, 6)
            else:
                scopes.append(_Scope(indent, name))


def _is_parameter(data: bytes, match: Any, scope: _Scope) -> bool:
    """A line of a signature ends in a comma; a statement of the body does not."""
    return scope.is_open_signature and data[match.start(5) : match.end()].rstrip().endswith(b",")


def _opened(data: bytes, match: Any, indent: int, scopes: list[_Scope]) -> Iterator[Found]:
    name = data[match.start(3) : match.end(3)].decode("latin-1")
    if data[match.start(2) : match.end(2)] in (b"class", b"module"):
        hidden = bool(scopes) and scopes[-1].is_function
        scopes.append(_Scope(indent, name, is_function=hidden))
        return
    rest_start, rest_end = match.span(4)
    rest = data[rest_start:rest_end]
    inner = bool(scopes) and scopes[-1].is_function
    is_open = b"(" in rest and not rest.rstrip().endswith((b":", b")"))
    scopes.append(_Scope(indent, name, is_function=True, is_open_signature=is_open and not inner))
    if b"=" in rest and not inner:
        for default in _DEFAULT.finditer(rest[:1000]):
            start, end = default.span(2)
            if rest[end : end + 3].lstrip()[:1] not in (b",", b")", b""):
                continue
            yield Found(_key(scopes, default.group(1).decode("latin-1")), rest_start + start, rest_start + end)


def braced_claims(data: bytes, *, type_last: bool = False) -> Iterator[Found]:
    """Languages with braces: a line that opens one and is no type, namespace or literal is a function or a block.

    ``type_last``: as in Go, a name comes before its type.
    """
    scopes: list[_Scope] = []
    for match in _BRACED.finditer(data):
        indent = match.end(1) - match.start(1)
        while scopes and scopes[-1].indent >= indent:
            scopes.pop()
        hidden = bool(scopes) and scopes[-1].is_function
        if match.start(2) >= 0:
            if not data[match.start(2) : match.end(2)].endswith(b"_H"):
                yield found(_text(data, match, 2), match, 3)
        elif match.start(4) >= 0:
            scopes.append(_Scope(indent, _text(data, match, 5), is_function=hidden))
        elif match.start(6) >= 0:
            scopes.append(_Scope(indent, "", is_function=hidden))
        elif match.start(8) >= 0:
            name = _text(data, match, 7 if type_last and match.start(7) >= 0 else 8)
            if match.start(10) >= 0:
                scopes.append(_Scope(indent, name, is_function=hidden or name in _NOT_A_NAME))
            elif not hidden and name not in _NOT_A_NAME:
                yield found(_key(scopes, name), match, 9)
        else:
            scopes.append(_Scope(indent, "", is_function=True))


def go_claims(data: bytes) -> Iterator[Found]:
    """Go: braces, and ``var name type = literal``."""
    return braced_claims(data, type_last=True)


def _text(data: bytes, match: Any, group: int) -> str:
    return data[match.start(group) : match.end(group)].decode("latin-1")


def _key(scopes: list[_Scope], name: str) -> str:
    return ".".join([*(scope.name for scope in scopes[-_DEEPEST:] if scope.name), name])
