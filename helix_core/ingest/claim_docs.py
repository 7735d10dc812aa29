"""What documents claim: "`PORT` defaults to `8080`", "`TIMEOUT_S` is 30 seconds", "Default: `30`" under a heading.

What a block of code or a sentence about an example sets is no claim: it says what one could do, not what is.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.ingest.claim_values import LITERAL, NUMBER, Found, found, pattern

_NAME = rb"[A-Za-z_][\w.\-]{1,80}"
_DOCUMENT = pattern(
    # A setting that the following "Default:" speaks of: a directive, or a heading that is one name.
    rb"(?m)^\.\.[ ]+(?:\w+:)?(?:setting|data|attribute|confval|envvar|option)::[ ]+(" + _NAME + rb")[^\r\n]*$"
    rb"|^(?::\w{1,12}:)?[`*]{0,2}(" + _NAME + rb")[`*]{0,2}[ ]*\r?\n[=\-~^\"'+#*]{3,}[ ]*\r?$"
    rb"|^#{1,6}[ ]+`?(" + _NAME + rb")`?[ ]*\r?$"
    rb"|^[ \t]*[:*\-]{0,2}[ ]?(?i:default(?:[ ]value)?):{1,2}\*{0,2}[ ]+`{0,2}(" + LITERAL + rb"|/[\w./\-]+)`{0,2}"
    rb"|`{1,2}(" + _NAME + rb")`{1,2}[ ,]{1,2}(?:\(?(?i:which[ ]|by[ ]default[ ]|it[ ]|is[ ])?\(?"
    rb"(?i:defaults[ ](?:to|is)|default(?:[ ]value)?(?:[ ]is|:)?|(?:is[ ])?set[ ]to)[ ]+)`{1,2}([^`\r\n]{1,100})`{1,2}"
    # Without spaces only constants: `force=True` shows a call, not a fact.
    rb"|`{1,2}(" + _NAME + rb"[ ]=[ ]|[A-Z][A-Z0-9_]{2,60}=)([^`\s=][^`\r\n=]{0,100})`{1,2}"
    # "is" says many things: with a constant's name, a plain number and an end it gives a value.
    rb"|`{1,2}([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`{1,2}[ ]is[ ]`{0,2}(" + NUMBER + rb")`{0,2}"
    rb"(?:[ ]([A-Za-z]+))?(?:[ ]by[ ]default)?(?:[.,;)]|[ ]*\r?$)"
)
_SUBJECTS = (1, 2, 3)
_PAIRS = (5, 7, 9)
# Units that a constant's number is in where its name tells no other.
_BASE_UNITS = frozenset(("", "second", "byte", "item", "entry", "entrie", "request", "connection", "time"))
_EXAMPLE = pattern(rb"(?i)\b(?:examples?|e\.g\.|instance|such as|you (?:can|could|may|might)|to \w+, set)")


def document_claims(data: bytes) -> Iterator[Found]:
    """Markdown, reStructuredText and plain text; a heading lends its name only to the first ``Default:`` below it."""
    subject = ""
    for match in _DOCUMENT.finditer(data):
        heading = next((group for group in _SUBJECTS if match.start(group) >= 0), 0)
        if heading:
            subject = _text(data, *match.span(heading))
        elif match.start(4) >= 0:
            if subject:
                yield found(subject, match, 4, bare=True)
            subject = ""
        else:
            group = next(group for group in _PAIRS if match.start(group) >= 0)
            if group == 7 and _EXAMPLE.search(data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]):
                continue
            key = _text(data, *match.span(group))
            if group == 9 and not _is_in_unit(key, _text(data, *match.span(11)) if match.start(11) >= 0 else ""):
                continue
            yield found(key, match, group + 1, bare=group == 5)


def _is_in_unit(key: str, unit: str) -> bool:
    word = unit.lower().removesuffix("s")
    return word in _BASE_UNITS or word in key.lower()


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("latin-1").rstrip(" =")
