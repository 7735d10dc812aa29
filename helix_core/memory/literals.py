"""Read which values a text gives to constants and settings: ``MAX_RETRIES = 25``, "`timeout` is 30". Pure, by rules.

Precision comes before recall: what was, may be, should be or is so only at times states no value of now, and a number
in a unit that its name lacks cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from helix_core.words import is_compound, lazy_pattern

MOST_VALUES = 16
_NAME = r"[A-Za-z_]\w{0,79}+(?:(?:\.|::)[A-Za-z_]\w{0,79}+){0,8}+"
_NUMBER = r"[-+]?(?:0[xX][0-9a-fA-F_]++|\d[\d_]*+(?:,\d{3}(?!\d))*+(?:\.\d++)?+(?:[eE][-+]?\d++)?+"
_NUMBER += r"(?: ?\* ?\d[\d_]*+){0,4}+)"
_LITERAL = rf"\"[^\"\n]{{1,200}}+\"|'[^'\n]{{1,200}}+'|{_NUMBER}|[Tt]rue\b|[Ff]alse\b"
_STATED = lazy_pattern(
    rf"(?<![\w.$/@:-])(`{{0,2}}+)({_NAME})`{{0,2}}+"
    r"(?: ?(==?|:=|:) ?| (?:is|equals|stays at|stands at|defaults to|is set to|is now|is still|of) )"
    rf"`{{0,2}}+({_LITERAL})`{{0,2}}+"
)
_NOT_NOW = lazy_pattern(
    r"(?:\b(?:not|never|no longer|if|unless|when(?:ever)?|was|were|been|used to|former(?:ly)?|previous(?:ly)?|earlier"
    r"|would|could|might|may|should|must|will|instead|rather|avoid|until|before|old|examples?|such as|tests?|testing"
    r"|rais(?:e|ed|ing)|lower(?:ed|ing)?|increas(?:e|ed|ing)|decreas(?:e|ed|ing)|chang(?:e|ed|ing)|overrid\w{1,6}"
    r"|set \w{1,40} to|wants?|plan(?:ned|s)?|propos\w{1,6}|least|most|more|less|over|under|between)\b"
    r"|n't\b|n’t\b|\be\.g\.)",
    re.I,
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")
# What may follow a number so that it is the whole value; any other word may be its unit.
_AFTER_NUMBER = re.compile(
    r"`{0,2}(?:\s*$|\s*(?:[;!?)\]]|,(?!\s*\d))|\.(?:\s|$)|\s+[(–—-]\s*|\s+(?:in|and|for|by|but|because|as|since|so|on"
    r"|at|with"
    r"|which|here|there|holds|applies|everywhere|now|today|per the|according|see|where|while"
    r"|to (?:keep|avoid|let|make|stay))\b)",
    re.I,
)
_UNIT = re.compile(r"`{0,2}\s+([A-Za-z]+)")
_BASE_UNITS = frozenset(("second", "byte", "item", "entry", "entrie", "request", "connection", "time"))
_UNITS = frozenset(("m", "u", "n", "min", "minute", "hour", "h", "day", "kb", "mb", "gb", "kib", "mib", "gib"))
_SUFFIX = re.compile(r"(?<=\d)(?:[uU]?[lL]{1,2}|[uUfFdDmMn]|[iu](?:8|16|32|64|128|size)|f(?:32|64))$")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MARKS = "\"'`"


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value that a text gives to a name, both as written; the name may be dotted."""

    name: str
    value: str


def stated_values(text: str) -> tuple[StatedValue, ...]:
    """Return the values that a text states as they are now, in order, at most ``MOST_VALUES``."""
    found: list[StatedValue] = []
    for match in _STATED.finditer(text):
        is_assigned = match[3] in ("=", "==", ":=")
        if not (is_assigned or match[1] or _is_name_of_code(match[2])):
            continue
        if _NOT_NOW.search(_sentence(text, match.start(), match.end())) is None and _is_whole(text, match):
            found.append(StatedValue(match[2].replace("::", "."), match[4]))
            if len(found) == MOST_VALUES:
                break
    return tuple(found)


def comparable(value: str) -> str:
    """Return a literal in the form in which two of one value are equal: ``1_000``, ``1,000`` and ``1000.0`` are."""
    bare = value.strip()
    if len(bare) >= 2 and bare[0] in _MARKS and bare[-1] == bare[0]:
        return bare[1:-1].strip()
    number = _THOUSANDS.fullmatch(bare)
    plain = (bare.replace(",", "") if number else bare).replace("_", "")
    factors = [_as_number(_SUFFIX.sub("", one.strip())) for one in plain.split("*")]
    if all(one is not None for one in factors):
        product = 1.0
        for one in factors:
            product *= one if one is not None else 1.0
        return repr(product)
    return bare.casefold() if bare.casefold() in ("true", "false") else bare


def _as_number(text: str) -> float | None:
    try:
        return float(int(text, 16)) if text.lower().startswith("0x") else float(text)
    except (ValueError, OverflowError):
        return None


def _is_name_of_code(name: str) -> bool:
    return "." in name or "::" in name or is_compound(name) or (name.isupper() and len(name) > 2)


def _sentence(text: str, start: int, end: int) -> str:
    begins = [match.end() for match in _SENTENCE_END.finditer(text, 0, start)]
    after = _SENTENCE_END.search(text, end)
    return text[begins[-1] if begins else 0 : after.start() if after else len(text)]


def _is_whole(text: str, match: re.Match[str]) -> bool:
    """Return whether nothing after a literal makes another value of it: a unit, a range, an operator."""
    literal = match[4]
    if literal[0] in _MARKS or literal[0].isalpha():
        return True
    if _AFTER_NUMBER.match(text, match.end(4)) is not None:
        return True
    unit = _UNIT.match(text, match.end(4))
    word = unit[1].lower().removesuffix("s") if unit is not None else ""
    return bool(word) and ((word in _BASE_UNITS and not _has_unit(match[2])) or word in _parts(match[2]))


def _parts(name: str) -> Iterator[str]:
    return (part.removesuffix("s") for part in re.split(r"[._:]+", name.lower()))


def _has_unit(name: str) -> bool:
    return not _UNITS.isdisjoint(_parts(name))
