"""Bracket expressions of a gitignore pattern, read as git reads them (wildmatch) and written for RE2.

Pure. Git's classes know ranges, escapes and ``[:names:]``; reversed ranges are empty, and no class matches ``/``.
"""

from __future__ import annotations

import string

_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": string.digits,
    "graph": "".join(map(chr, range(33, 127))),
    "lower": string.ascii_lowercase,
    "print": "".join(map(chr, range(32, 127))),
    "punct": string.punctuation,
    "space": " \t\n\r\x0b\x0c",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}


def bracket(pattern: str, start: int) -> tuple[str, int] | None:
    """The RE2 class for the expression opening at ``start`` (Latin-1 text) and the index behind it.

    None when git would never match the pattern: no closing bracket, or an unknown class name.
    """
    at = start + 1
    negated = pattern[at : at + 1] in ("!", "^") and at < len(pattern)
    at += negated
    members: set[str] = set()
    previous = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        step = _member(pattern, at, previous)
        if step is None:
            return None
        matched, previous, at = step
        members |= matched
    return _written(members, negated), at + 1


def _member(pattern: str, at: int, previous: str) -> tuple[set[str], str, int] | None:
    """One member: the characters it adds, the character a following range would begin with, the next index."""
    char = pattern[at : at + 1]
    following = pattern[at + 1 : at + 2]
    if not char or (char == "\\" and not following):
        return None
    if char == "\\":
        return {following}, following, at + 2
    if char == "-" and previous and following and following != "]":
        end = at + 1 + (following == "\\")
        if end >= len(pattern):
            return None
        return set(map(chr, range(ord(previous), ord(pattern[end]) + 1))), "", end + 1
    if char == "[" and following == ":":
        return _named(pattern, at)
    return {char}, char, at + 1


def _named(pattern: str, at: int) -> tuple[set[str], str, int] | None:
    close = pattern.find("]", at + 2)
    if close < 0:
        return None
    name = pattern[at + 2 : close]
    if not name.endswith(":"):
        return {"["}, "[", at + 1
    characters = _CLASSES.get(name[:-1])
    return None if characters is None else (set(characters), "", close + 1)


def _written(members: set[str], negated: bool) -> str:
    codes = "".join(f"\\x{{{ord(char):x}}}" for char in sorted(members - {"/"}))
    if negated:
        return f"[^/{codes}]"
    return f"[{codes}]" if codes else r"[^\x{0}-\x{10FFFF}]"
