r"""Line borders: the one rule for all code that counts, splits, quotes or cites lines.

A line ends with ``\n``, ``\r\n`` or a lone ``\r``, and with nothing else: neither a form feed nor U+2028 ends one (LSP
3.17, "Text Documents"; VS Code does the same). The empty rest after the final line end is not a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import AnyStr, overload

_LONE_CR = re.compile(r"\r(?!\n)")
_LONE_CR_BYTE = re.compile(rb"\r(?!\n)")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class LineTable:
    """The offset of every line of ``data``; rows are 0-based."""

    __slots__ = ("size", "starts")

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
        starts.pop()
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts)

    def row(self, offset: int) -> int:
        """Return the row of the byte at ``offset``."""
        return bisect_right(self.starts, offset) - 1

    def start(self, row: int) -> int:
        """Return the first byte of ``row``; the end of the file for rows after the last."""
        return self.starts[row] if row < len(self.starts) else self.size

    def span(self, start_line: int, end_line: int) -> tuple[int, int]:
        """Return the half-open bytes of lines ``start_line`` to ``end_line``, 1-based and inclusive, with their line
        ends.
        """
        return self.start(max(start_line - 1, 0)), self.start(max(end_line, 0))


def is_line_start(data: bytes, offset: int) -> bool:
    """Return whether a line begins at ``offset``."""
    before = data[offset - 1 : offset] if offset else b"\n"
    return before == b"\n" or (before == b"\r" and data[offset : offset + 1] != b"\n")


def line_count(data: bytes) -> int:
    """Return the number of lines of ``data``."""
    return line_breaks(data) + (not data.endswith((b"\n", b"\r")) if data else 0)


def line_breaks(data: bytes) -> int:
    """Return the number of line ends of ``data``."""
    feeds = data.count(b"\n")
    return feeds + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else feeds


@overload
def with_line_feeds(text: str) -> str: ...
@overload
def with_line_feeds(text: bytes) -> bytes: ...
def with_line_feeds(text: str | bytes) -> str | bytes:
    """The text with ``\\n`` in place of every lone ``\\r``: the same length, so that offsets stay true.

    What knows ``\\n`` as the only line end, such as a grammar, a pattern with ``(?m)`` or ``split("\\n")``, then sees
    the lines of an editor. Text without a lone ``\\r`` is returned as it is, uncopied.
    """
    if isinstance(text, str):
        return _LONE_CR.sub("\n", text) if "\r" in text and text.count("\r") > text.count("\r\n") else text
    return _LONE_CR_BYTE.sub(b"\n", text) if b"\r" in text and text.count(b"\r") > text.count(b"\r\n") else text


def lines_with_ends(text: str) -> list[str]:
    """Split a text into lines with their line ends; joined, they are the text."""
    return _LINES.findall(text)


def without_line_end(text: AnyStr) -> AnyStr:
    """Strip one line end from the end of the text."""
    if isinstance(text, str):
        return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text.removesuffix("\r")
    return text.removesuffix(b"\n").removesuffix(b"\r") if text.endswith(b"\n") else text.removesuffix(b"\r")
