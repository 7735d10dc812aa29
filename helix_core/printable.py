"""Text of others made safe to look at: nothing in a name or a quote may move the cursor, reorder or hide characters."""

from __future__ import annotations

import unicodedata

TAB = "    "
# Letters and marks by category, invisible by looks.
_UNSEEN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)]
)


def one_line(text: str) -> str:
    """The text on one line, with control, bidi, zero-width and other unseen characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def lines_of(text: str) -> list[str]:
    """The lines of a quote, each safe, tabs as four blanks."""
    return [one_line(line.rstrip("\r").replace("\t", TAB)) for line in text.split("\n")]


def without_surrogate(character: str) -> str:
    """The character, or an escape when it is half of a pair: ``\\xNN`` for a byte that was no UTF-8."""
    code = ord(character)
    if not 0xD800 <= code <= 0xDFFF:
        return character
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else _escape(code)


def _shown(character: str) -> str:
    code = ord(character)
    if code in _UNSEEN:
        return _escape(code)
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    if 0xD800 <= code <= 0xDFFF:
        return without_surrogate(character)
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character) or _escape(code)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
