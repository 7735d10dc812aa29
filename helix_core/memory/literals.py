"""Read which values a text gives to constants and settings: ``MAX_RETRIES = 25``, "`timeout` is 30". Pure, by rules.

Precision comes before recall: what was, may be, should be or is so only at times states no value of now. A number in a
unit is compared with one whose unit is known, by its name, its type or a comment; any other comparison is left undone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from helix_core.words import is_compound, lazy_pattern, split_identifier

MOST_VALUES = 16
_NAME = r"[A-Za-z_]\w{0,79}+(?:(?:\.|::)[A-Za-z_]\w{0,79}+){0,8}+"
_NUMBER = r"[-+]?(?:0[xX][0-9a-fA-F_]++|\d[\d_]*+(?:,\d{3}(?!\d))*+(?:\.\d++)?+(?:[eE][-+]?\d++)?+"
_NUMBER += r"(?: ?\* ?\d[\d_]*+){0,4}+)"
_ONES = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_POWERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_IN_WORDS = (
    rf"(?i:(?:{'|'.join((*_TENS, *sorted(_ONES, key=len, reverse=True)))})"
    rf"(?:[ -](?:{'|'.join((*_ONES, *_POWERS))})){{0,3}}+)\b"
)
_LITERAL = rf"\"[^\"\n]{{1,200}}+\"|'[^'\n]{{1,200}}+'|{_NUMBER}|[Tt]rue\b|[Ff]alse\b|{_IN_WORDS}"
_PLACE = r"(?: \(?(?:in|at|from) `?(?=[\w@+~-]{0,80}[./])[\w./@+~:-]{3,300}+`?\)?)?+"
_STATED = lazy_pattern(
    rf"(?<![\w.$/@:-])(`{{0,2}}+)({_NAME})`{{0,2}}+{_PLACE}"
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
_UNIT = re.compile(r"`{0,2}[ \t-]?([A-Za-zµ]+)`{0,2}(?!\w|\.\w)")
_COUNTS = frozenset(("item", "entry", "entrie", "request", "connection", "time", "try", "trie", "retry", "retrie"))
_SECONDS, _BYTES = "second", "byte"
_SCALES = {
    "ns nsec nano nanosecond": (_SECONDS, 1e-9),
    "us µs usec micro microsecond": (_SECONDS, 1e-6),
    "ms msec milli millisecond": (_SECONDS, 1e-3),
    "s sec second": (_SECONDS, 1.0),
    "min minute": (_SECONDS, 60.0),
    "h hr hour": (_SECONDS, 3_600.0),
    "day": (_SECONDS, 86_400.0),
    "week": (_SECONDS, 604_800.0),
    "byte": (_BYTES, 1.0),
    "kib kibibyte": (_BYTES, 2.0**10),
    "mib mebibyte": (_BYTES, 2.0**20),
    "gib gibibyte": (_BYTES, 2.0**30),
    # Of a thousand bytes or of 1,024: compared with themselves alone.
    "kb kilobyte": ("kb", 1.0),
    "mb megabyte": ("mb", 1.0),
    "gb gigabyte": ("gb", 1.0),
}
_UNITS = {word: scale for words, scale in _SCALES.items() for word in words.split()}
_AMBIGUOUS = frozenset(("min", "h", "day"))
"""Words that at the end of a name may say something else than a unit: the least, a height, a date."""
_TYPE = re.compile(r":\s*&?(?:[\w.]+(?:::|\.))?([A-Za-z]{4,})\s*=")
_COMMENT = re.compile(r"(?:#|//|--|;|/\*)\s*(?:in\s+)?([A-Za-zµ]+)\s*\.?\s*(?:\*/)?\s*$")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s?([A-Za-zµ]+)")
_SUFFIX = re.compile(r"(?<=\d)(?:[uU]?[lL]{1,2}|[uUfFdDmMn]|[iu](?:8|16|32|64|128|size)|f(?:32|64))$")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MARKS = "\"'`"


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value that a text gives to a name, both as written but for a number in words; the name may be dotted.

    ``unit`` is the word for a unit after a number, in lower case and without its plural. A value that is not
    ``is_whole`` is part of another one, such as a range, which nothing can be compared with.
    """

    name: str
    value: str
    unit: str = ""
    is_whole: bool = True


def stated_values(text: str) -> tuple[StatedValue, ...]:
    """Return the values that a text states as they are now, in order, at most ``MOST_VALUES``."""
    found: list[StatedValue] = []
    for match in _STATED.finditer(text):
        is_assigned = match[3] in ("=", "==", ":=")
        if not (is_assigned or match[1] or _is_name_of_code(match[2])):
            continue
        if _NOT_NOW.search(_sentence(text, match.start(), match.end())) is None:
            found += _stated(text, match)
            if len(found) == MOST_VALUES:
                break
    return tuple(found)


def comparable(value: str) -> str:
    """Return a literal in the form in which two of one value are equal: ``1_000``, ``1,000`` and ``1000.0`` are."""
    bare = value.strip()
    if len(bare) >= 2 and bare[0] in _MARKS and bare[-1] == bare[0]:
        return bare[1:-1].strip()
    number = _number(bare)
    if number is not None:
        return repr(number)
    return bare.casefold() if bare.casefold() in ("true", "false") else bare


def agrees(stated: StatedValue, value: str, line: str = "") -> bool | None:
    """Return whether a file gives a name the value that a text states, None where that cannot be told.

    Args:
        stated: What the text states.
        value: The literal of the file.
        line: The line that it stands in, whose type or comment may tell the unit.
    """
    if not stated.is_whole:
        return None
    if not stated.unit:
        return comparable(value) == comparable(stated.value)
    number, unit = _number(value.strip()), _unit_of(stated.name) or _declared_unit(line)
    if number is None:
        match = _DURATION.fullmatch(value.strip())
        if match is None or (unit := _singular(match[2])) not in _UNITS:
            return None
        number = float(match[1])
    wanted = _number(stated.value)
    if wanted is None:
        return None
    if stated.unit not in _UNITS:
        return None if unit else math.isclose(number, wanted)
    (kind, factor), other = _UNITS[stated.unit], _UNITS.get(unit)
    if other is None:
        # Most numbers without a unit are of seconds or bytes, but that is nowhere said.
        return True if stated.unit in (_SECONDS, _BYTES) and math.isclose(number, wanted) else None
    return math.isclose(number * other[1], wanted * factor) if kind == other[0] else None


def _stated(text: str, match: re.Match[str]) -> Iterator[StatedValue]:
    """Yield the value of a match with its unit; a number in words is one only where it is whole."""
    name, literal = match[2].replace("::", "."), match[4]
    if literal[0] in _MARKS or literal.lower() in ("true", "false"):
        yield StatedValue(name, literal)
        return
    is_in_words = literal[0].isalpha()
    value = str(_in_words(literal)) if is_in_words else literal
    end = match.end(4)
    if _AFTER_NUMBER.match(text, end) is not None:
        yield StatedValue(name, value)
        return
    unit = _UNIT.match(text, end)
    word = _singular(unit[1]) if unit is not None else ""
    is_known = word in _UNITS or word in _COUNTS or word in _parts(name)
    if unit is not None and is_known and _AFTER_NUMBER.match(text, unit.end()) is not None:
        yield StatedValue(name, value, word)
    elif not is_in_words:
        yield StatedValue(name, value, is_whole=False)


def _number(bare: str) -> float | None:
    """Return the value of a literal number or product, None for any other literal."""
    plain = (bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare).replace("_", "")
    product = 1.0
    for one in plain.split("*"):
        factor = _as_number(_SUFFIX.sub("", one.strip()))
        if factor is None:
            return None
        product *= factor
    return product


def _in_words(literal: str) -> int:
    """Return the number that words such as "twenty-five" or "two hundred" name."""
    total = part = 0
    for word in re.split("[ -]", literal.lower()):
        if word in _POWERS:
            part = max(part, 1) * _POWERS[word]
            if _POWERS[word] > _POWERS["hundred"]:
                total, part = total + part, 0
        else:
            part += _TENS.get(word, 0) or _ONES.get(word, 0)
    return total + part


def _unit_of(name: str) -> str:
    """Return the unit that the last part of a name is, "" where it is none or may be something else."""
    *before, last = [part for one in re.split(r"[._:]+", name) for part in split_identifier(one)] or [""]
    word = _singular(last)
    is_rate = bool(before) and before[-1].lower() == "per"
    return "" if is_rate or not before or word in _AMBIGUOUS or word not in _UNITS else word


def _declared_unit(line: str) -> str:
    """Return the unit that a declaration names by its type or in a comment that says nothing else."""
    of_type, comment = _TYPE.search(line), _COMMENT.search(line)
    words = [_singular(match[1]) for match in (of_type, comment) if match is not None]
    return next((word for word in words if word in _UNITS), "")


def _singular(word: str) -> str:
    low = word.lower()
    return low if low in _UNITS else low.removesuffix("s")


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


def _parts(name: str) -> Iterator[str]:
    return (part.removesuffix("s") for part in re.split(r"[._:]+", name.lower()))
