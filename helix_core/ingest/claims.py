"""Extract literal facts ``key = value`` from a masked file: constants and defaults in code, and values stated in
documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import tree_sitter

from helix_core.ingest.claim_config import (
    LITERAL,
    NUMBER,
    FoundClaim,
    dockerfile_claims,
    found_claim,
    ini_claims,
    json_claims,
    pattern,
    shell_claims,
    toml_claims,
    value_of,
    yaml_claims,
)
from helix_core.lines import with_line_feeds
from helix_core.model import Claim
from helix_core.secrets import Masked

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
    rb"(?m)^([ \t]*)(?:#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?(" + LITERAL + rb")\)?[ \t]*(?:/[/*][^\r\n]*)?\r?$"
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
class _IndentedScope:
    indent: int
    name: str
    is_function: bool = False
    is_open_signature: bool = False


def indented_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse Python and Ruby: ``class`` and ``def`` are scopes, and so are dictionaries and calls that span lines."""
    scopes: list[_IndentedScope] = []
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
                yield found_claim(_key(scopes, name), match, 6)
            else:
                scopes.append(_IndentedScope(indent, name))


def _is_parameter(data: bytes, match: Any, scope: _IndentedScope) -> bool:
    """Return whether the line belongs to a signature, which ends in a comma, unlike a statement of the body."""
    return scope.is_open_signature and data[match.start(5) : match.end()].rstrip().endswith(b",")


def _opened(data: bytes, match: Any, indent: int, scopes: list[_IndentedScope]) -> Iterator[FoundClaim]:
    name = data[match.start(3) : match.end(3)].decode("latin-1")
    if data[match.start(2) : match.end(2)] in (b"class", b"module"):
        hidden = bool(scopes) and scopes[-1].is_function
        scopes.append(_IndentedScope(indent, name, is_function=hidden))
        return
    rest_start, rest_end = match.span(4)
    rest = data[rest_start:rest_end]
    inner = bool(scopes) and scopes[-1].is_function
    is_open = b"(" in rest and not rest.rstrip().endswith((b":", b")"))
    scopes.append(_IndentedScope(indent, name, is_function=True, is_open_signature=is_open and not inner))
    if b"=" in rest and not inner:
        for default in _DEFAULT.finditer(rest[:1000]):
            start, end = default.span(2)
            if rest[end : end + 3].lstrip()[:1] not in (b",", b")", b""):
                continue
            yield FoundClaim(_key(scopes, default.group(1).decode("latin-1")), rest_start + start, rest_start + end)


def braced_claims(data: bytes, *, type_last: bool = False) -> Iterator[FoundClaim]:
    """Parse a language with braces: a line that opens one and is not a type, namespace or literal is a function or a
    block.

    ``type_last``: as in Go, a name comes before its type.
    """
    scopes: list[_IndentedScope] = []
    for match in _BRACED.finditer(data):
        indent = match.end(1) - match.start(1)
        while scopes and scopes[-1].indent >= indent:
            scopes.pop()
        hidden = bool(scopes) and scopes[-1].is_function
        if match.start(2) >= 0:
            if not data[match.start(2) : match.end(2)].endswith(b"_H"):
                yield found_claim(_text(data, match, 2), match, 3)
        elif match.start(4) >= 0:
            scopes.append(_IndentedScope(indent, _text(data, match, 5), is_function=hidden))
        elif match.start(6) >= 0:
            scopes.append(_IndentedScope(indent, "", is_function=hidden))
        elif match.start(8) >= 0:
            name = _text(data, match, 7 if type_last and match.start(7) >= 0 else 8)
            if match.start(10) >= 0:
                scopes.append(_IndentedScope(indent, name, is_function=hidden or name in _NOT_A_NAME))
            elif not hidden and name not in _NOT_A_NAME:
                yield found_claim(_key(scopes, name), match, 9)
        else:
            scopes.append(_IndentedScope(indent, "", is_function=True))


def go_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse Go: braces, and ``var name type = literal``."""
    return braced_claims(data, type_last=True)


def _text(data: bytes, match: Any, group: int) -> str:
    return data[match.start(group) : match.end(group)].decode("latin-1")


def _key(scopes: list[_IndentedScope], name: str) -> str:
    return ".".join([*(scope.name for scope in scopes[-_DEEPEST:] if scope.name), name])


_NAME = rb"[A-Za-z_][\w.\-]{1,80}"
_CONSTANT = rb"[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*"
_GAP = rb"(?:[ ]|[ ]?\r?\n[ ]{0,8})"
"""Between two words of a paragraph, which may be wrapped there."""
_JOINT = _GAP + rb"?[(,:=\-]{0,2}" + _GAP + rb"?"
_DOCUMENT = pattern(
    # The setting of the next "Default:": a directive, or a heading that is one name.
    rb"(?m)^\.\.[ ]+(?:\w+:)?(?:setting|data|attribute|confval|envvar|option)::[ ]+(" + _NAME + rb")[^\r\n]*$"
    rb"|^(?::\w{1,12}:)?[`*]{0,2}(" + _NAME + rb")[`*]{0,2}[ ]*\r?\n[=\-~^\"'+#*]{3,}[ ]*\r?$"
    rb"|^#{1,6}[ ]+`?(" + _NAME + rb")`?[ ]*\r?$"
    rb"|^[ \t]*[:*\-]{0,2}[ ]?(?i:default(?:[ ]value)?):{1,2}\*{0,2}[ ]+`{0,2}(" + LITERAL + rb"|/[\w./\-]+)`{0,2}"
    rb"|`{1,2}(" + _NAME + rb")`{1,2}[ ,]{1,2}(?:\(?(?i:which[ ]|by[ ]default[ ]|it[ ]|is[ ])?\(?"
    rb"(?i:defaults[ ](?:to|is)|default(?:[ ]value)?(?:[ ]is|:)?|(?:is[ ])?set[ ]to)[ ]+)`{1,2}([^`\r\n]{1,100})`{1,2}"
    # Without spaces only constants: `force=True` shows a call, not a fact.
    rb"|`{1,2}(" + _NAME + rb"[ ]=[ ]|[A-Z][A-Z0-9_]{2,60}=)([^`\s=][^`\r\n=]{0,100})`{1,2}"
    # "is" is ambiguous: it states a value only between a constant's name and a plain number that ends the clause.
    rb"|`{1,2}(" + _CONSTANT + rb")`{1,2}[ ]is[ ]`{0,2}(" + NUMBER + rb")`{0,2}"
    rb"(?:[ ]([A-Za-z]+))?(?:[ ]by[ ]default)?(?:[.,;)]|[ ]*\r?$)"
    # "by default" and "defaults to" say that the number is the constant's own, whatever follows.
    rb"|`{1,2}("
    + _CONSTANT
    + rb")`{1,2}"
    + _JOINT
    + rb"(?:(?i:(?:which|that|it)"
    + _GAP
    + rb")?(?:is|are)"
    + _GAP
    + rb")?"
    rb"`{0,2}(" + NUMBER + rb")`{0,2}(?:[ ]([A-Za-z]+))??" + _GAP + rb"(?i:by" + _GAP + rb"default)\b"
    rb"|`{1,2}(" + _CONSTANT + rb")`{1,2}" + _JOINT + rb"(?i:(?:which|that|it|the)" + _GAP + rb")?"
    rb"(?i:defaults?(?:"
    + _GAP
    + rb"(?:value))?(?:"
    + _GAP
    + rb"(?:to|is|of)|[ ]?[:=])?)"
    + _GAP
    + rb"`{0,2}("
    + NUMBER
    + rb")`{0,2}"
    rb"(?:[ ]([A-Za-z]+))?(?:[.,;)]|[ ]*\r?$)"
)
_SUBJECTS = (1, 2, 3)
_PAIRS = (5, 7, 9, 12, 15)
# Units of a constant's number when its name has no unit.
_BASE_UNITS = frozenset(("", "second", "byte", "item", "entry", "entrie", "request", "connection", "time"))
_UNITS = frozenset(
    ("ns", "us", "ms", "millis", "minutes", "mins", "hours", "days", "weeks", "kb", "kib", "mb", "mib", "gb", "gib")
)
_EXAMPLE = pattern(rb"(?i)\b(?:examples?|e\.g\.|instance|such as|you (?:can|could|may|might)|to \w+, set)")


def document_claims(data: bytes) -> Iterator[FoundClaim]:
    """Parse Markdown, reStructuredText and plain text; a heading is the key of the first ``Default:`` below it only."""
    subject = ""
    for match in _DOCUMENT.finditer(data):
        heading = next((group for group in _SUBJECTS if match.start(group) >= 0), 0)
        if heading:
            subject = _stated_text(data, *match.span(heading))
        elif match.start(4) >= 0:
            if subject:
                yield found_claim(subject, match, 4, bare=True)
            subject = ""
        else:
            group = next(group for group in _PAIRS if match.start(group) >= 0)
            if group in (7, 12, 15) and _EXAMPLE.search(data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]):
                continue
            key = _stated_text(data, *match.span(group))
            unit = group + 2
            if group >= 9 and not _is_in_unit(
                key, _stated_text(data, *match.span(unit)) if match.start(unit) >= 0 else ""
            ):
                continue
            yield found_claim(key, match, group + 1, bare=group == 5)


def _is_in_unit(key: str, unit: str) -> bool:
    word = unit.lower().removesuffix("s")
    return word in key.lower() or (word in _BASE_UNITS and (not word or key.lower().rpartition("_")[2] not in _UNITS))


def _stated_text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("latin-1").rstrip(" =")


MOST_CLAIMS = 500
_MOST_CANDIDATES = 5000
_LONGEST_KEY = 160

_BRACED_LANGUAGES = (
    *("javascript", "typescript", "tsx", "rust", "java", "c", "cpp", "c_sharp", "php", "kotlin", "swift"),
    *("scala", "lua", "css", "scss", "dart", "zig", "groovy"),
)
_FINDERS: dict[str, Callable[[bytes], Iterator[FoundClaim]]] = {
    **dict.fromkeys(("python", "ruby"), indented_claims),
    **dict.fromkeys(_BRACED_LANGUAGES, braced_claims),
    "go": go_claims,
    **dict.fromkeys(("ini", "properties", "cfg", "conf"), ini_claims),
    "toml": toml_claims,
    "yaml": yaml_claims,
    "json": json_claims,
    "dockerfile": dockerfile_claims,
    **dict.fromkeys(("bash", "env", "dotenv", "make", "makefile"), shell_claims),
    **dict.fromkeys(("markdown", "rst", "text"), document_claims),
}


def find(masked: Masked, language: str, _tree: tree_sitter.Tree | None = None) -> list[Claim]:
    """Return the claims of a file in line order, at most ``MOST_CLAIMS``.

    The tree is not used: line patterns were measured to be faster than a query and its captures.
    """
    finder = _FINDERS.get(language)
    if finder is None:
        return []
    data = with_line_feeds(masked.data)
    claims: list[Claim] = []
    line, position = 1, 0
    for found in islice(finder(data), _MOST_CANDIDATES):
        stated = value_of(data[found.start : found.end], found.bare)
        if stated is None or len(found.key) > _LONGEST_KEY or masked.overlaps(found.start, found.end):
            continue
        line += data.count(b"\n", position, found.start)
        position = found.start
        value, value_type = stated
        claims.append(Claim(masked.clean(found.key), masked.clean(value.decode("utf-8", "replace")), value_type, line))
        if len(claims) == MOST_CLAIMS:
            break
    return claims
