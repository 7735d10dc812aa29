"""Private key blocks: PEM, OpenSSH, PGP, PuTTY; whole, truncated, quoted line by line, or on one line with ``\\n``.

Offsets in, spans out: the base64 runs of each block, never the markers and never a line end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import re2

_LATIN1 = re2.Options()
_LATIN1.encoding = re2.Options.Encoding.LATIN1

_BEGIN = re2.compile(
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----", _LATIN1
)
_END = re2.compile(
    rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----", _LATIN1
)
_PUTTY = re2.compile(rb"Private-Lines: [0-9]{1,4}\r?\n", _LATIN1)
_RUN = re2.compile(rb"[A-Za-z0-9+/=_\-]{5,}", _LATIN1)
_BODY_LINE = re2.compile(
    rb"^[ \t\"'`+>#*|/]*(?:[A-Za-z0-9\-]{1,24}: [^\r\n]{0,200}|(?:[A-Za-z0-9+/=]|\\[nr])+)?[ \t\"'`+\\,;)nr]*\r?\n?$",
    _LATIN1,
)
_KEY_LINE = re2.compile(rb"^[ \t\"'`+>#*|]*[A-Za-z0-9+/]{40,}={0,2}(?:\\[nr])*[ \t\"'`+\\,;)]*\r?\n?$", _LATIN1)
_LONGEST_BLOCK = 64 << 10
_SHORTEST_KEY_RUN = 16


@dataclass(frozen=True, slots=True)
class Block:
    """One key: the span from its first to its last masked byte, and the runs to mask inside it."""

    start: int
    end: int
    runs: tuple[tuple[int, int], ...]


def find_blocks(data: bytes) -> Iterator[Block]:
    """Every private key of ``data``, also one cut off at its beginning or its end."""
    if b"PRIVATE KEY" not in data and b"Private-Lines: " not in data:
        return
    position = 0
    for begin in _BEGIN.finditer(data):
        if begin.start() >= position:
            stop = _block_end(data, begin.end())
            position = max(begin.end(), stop)
            yield from _block(data, begin.end(), stop)
    for lines in _PUTTY.finditer(data):
        yield from _block(data, lines.end(), _body_end(data, lines.end()))
    for end in _END.finditer(data):
        start = _body_start(data, end.start())
        if start < end.start():
            yield from _block(data, start, end.start())


def _block(data: bytes, start: int, stop: int) -> Iterator[Block]:
    runs = tuple(run.span() for run in _RUN.finditer(data, start, stop))
    if any(end - begin >= _SHORTEST_KEY_RUN and _is_key_material(data[begin:end]) for begin, end in runs):
        yield Block(runs[0][0], runs[-1][1], runs)


def _is_key_material(run: bytes) -> bool:
    # Identifiers between two marker literals in code are not a key.
    return b"_" not in run and any(48 <= byte <= 57 for byte in run) and any(65 <= byte <= 90 for byte in run)


def _block_end(data: bytes, start: int) -> int:
    """The END marker, or where lines stop to look like a key's body."""
    limit = min(len(data), start + _LONGEST_BLOCK)
    end = _END.search(data, start, limit)
    again = _BEGIN.search(data, start, end.start() if end else limit)
    if end and not again:
        return int(end.start())
    return _body_end(data, start)


def _body_end(data: bytes, start: int) -> int:
    position = start
    limit = min(len(data), start + _LONGEST_BLOCK)
    while position < limit:
        newline = data.find(b"\n", position, limit)
        line_end = limit if newline < 0 else newline + 1
        if line_end - position > 4096:
            return position + 4096
        if not _BODY_LINE.search(data[position:line_end]):
            # The rest of the marker's own line may hold the key and then code.
            return line_end if position == start else position
        position = line_end
    return position


def _body_start(data: bytes, end: int) -> int:
    """Where the key lines directly above an END marker begin."""
    limit = max(0, end - _LONGEST_BLOCK)
    position = data.rfind(b"\n", limit, end) + 1
    first = True
    while position > limit:
        line_start = data.rfind(b"\n", limit, position - 1) + 1
        line = data[line_start:position]
        if not (_KEY_LINE.search(line) or (first and len(line) > 2 and _BODY_LINE.search(line))):
            break
        first = False
        position = line_start
    return position
