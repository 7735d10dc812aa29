"""Escape untrusted text for display: no name or quote may move the cursor, reorder or hide characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from helix_core.lines import with_line_feeds

TAB = "    "
_QUOTES = frozenset({"text", "quote", "content"})
_FILE_NAMES = frozenset({"source_id", "source", "path", "title"})
# Letters and marks by category, but invisible.
_UNSEEN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)]
)


def one_line(text: str) -> str:
    """Return the text on one line, with control, bidi, zero-width and other invisible characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def lines_of(text: str) -> list[str]:
    """Return the escaped lines of a quote, with tabs as four blanks."""
    return [one_line(line.rstrip("\r").replace("\t", TAB)) for line in with_line_feeds(text).split("\n")]


def safe_text(text: str) -> str:
    """Escape every invisible character of a quote except line ends and tabs."""
    if (
        text.isascii()
        and "\r" not in text
        and "\x1b" not in text
        and text.replace("\n", "").replace("\t", "").isprintable()
    ):
        return text
    return "\n".join("\t".join(map(one_line, line.rstrip("\r").split("\t"))) for line in text.split("\n"))


def safe_name(source_id: str) -> str:
    r"""Escape the invisible characters of a path as ``\xNN``, byte by byte: this form still names its file."""
    if source_id.isascii() and source_id.isprintable():
        return source_id
    return "".join(one if one_line(one) == one else _bytes_of(one) for one in source_id)


def safe_value(key: str, value: Any, *, unchanged: Collection[str] = ()) -> Any:
    """Escape all strings of a JSON value, found under ``key``.

    Quotes (``quote``, ``text``, ``content``) keep their lines, ``source_id`` and ``title`` stay names of files. Strings
    under the keys of ``unchanged`` are returned unchanged.
    """
    if isinstance(value, str):
        if key in unchanged:
            return value
        if key in _QUOTES:
            return _safe_lines(value)
        return safe_name(value) if key in _FILE_NAMES else one_line(value)
    if isinstance(value, Mapping):
        return {one_line(name): safe_value(name, inner, unchanged=unchanged) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [safe_value(key, inner, unchanged=unchanged) for inner in value]
    return value


def _safe_lines(text: str) -> str:
    """Return ``safe_text`` with carriage returns kept, so that a quote keeps the bytes of the file."""
    lines = text.split("\n")
    return "\n".join(safe_text(line) + ("\r" if line.endswith("\r") else "") for line in lines)


def _bytes_of(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def without_surrogate(character: str) -> str:
    r"""Return the character, or ``\xNN`` for a surrogate that stands for an invalid UTF-8 byte."""
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
