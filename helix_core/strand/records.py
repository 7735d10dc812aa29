"""Canonical records: one JSON object a line as in RFC 8785, sorted by type and id, and the root of their Merkle tree.

Knows nothing of what a record says. A record is immutable bytes; each reader decodes a copy. Text is carried as it
is: no Unicode normalization.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from helix_core.errors import DamagedStrandError, StrandLimitError

MOST_RECORDS = 2_000_000
MOST_PLAIN_BYTES = 512 << 20
MOST_LINE_BYTES = 1 << 20
MOST_TEXT_BYTES = 256 << 10
MOST_DEPTH = 32
MOST_ID_BYTES = 200
MOST_TYPE_BYTES = 64
MOST_INTEGER = 2**53 - 1
"""The integers that every JSON reader keeps exactly (RFC 7493)."""
ROOT_BYTES = 32
EMPTY_ROOT = hashlib.blake2b(digest_size=ROOT_BYTES).digest()


@dataclass(frozen=True, slots=True)
class StrandRecord:
    """A record; ``line`` is its canonical JSON in UTF-8 without the line feed, and holds type and id too."""

    type: str
    id: str
    line: bytes

    @property
    def key(self) -> tuple[str, str]:
        """What is unique in a set of records."""
        return self.type, self.id

    @property
    def order(self) -> tuple[bytes, bytes]:
        """The place in a strand: by the UTF-8 bytes of type and id."""
        return self.type.encode(), self.id.encode()

    def fields(self) -> dict[str, Any]:
        """Return a decoded copy, type and id included."""
        decoded: dict[str, Any] = json.loads(self.line)
        return decoded


def record_of(fields: Mapping[str, Any]) -> StrandRecord:
    """Return the record of JSON values, ``type`` and ``id`` among them.

    Raises:
        StrandLimitError: A field or the record is too large or too deep.
        DamagedStrandError: A value has no canonical form, or type or id is missing.
    """
    line = canonical(fields).encode()
    return _checked(dict(fields), line)


def parse_record(line: bytes) -> StrandRecord:
    """Return the record of a line, which must be the one canonical form of its values.

    Raises:
        StrandLimitError: The record, or a field of it, is too large or too deep.
        DamagedStrandError: The line is not canonical JSON, or no record.
    """
    if len(line) > MOST_LINE_BYTES:
        raise _too_large("a record", len(line), MOST_LINE_BYTES)
    value = parse_canonical(line, "a record")
    return _checked(value, line)


def parse_canonical(line: bytes, what: str) -> dict[str, Any]:
    """Return the JSON object of its canonical bytes. Raises StrandLimitError, DamagedStrandError naming ``what``."""
    # json.loads would recurse; no object with fewer brackets is deeper.
    if line.count(b"{") + line.count(b"[") > MOST_DEPTH and _depth(line) > MOST_DEPTH:
        raise StrandLimitError(f"the strand is refused: {what} is nested deeper than {MOST_DEPTH} levels")
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise DamagedStrandError(f"the strand is refused: {what} is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise DamagedStrandError(f"the strand is refused: {what} is not a JSON object")
    if canonical(value).encode() != line:
        raise DamagedStrandError(f"the strand is refused: {what} is not in canonical form")
    return value


def ordered(records: Iterable[StrandRecord]) -> tuple[StrandRecord, ...]:
    """Return the records sorted for a strand. Raises DamagedStrandError for two of one type and id."""
    in_order = tuple(sorted(records, key=lambda record: record.order))
    require_order(in_order)
    return in_order


def require_order(records: Sequence[StrandRecord]) -> None:
    """Raise DamagedStrandError unless the records are sorted and each type and id is there once."""
    for before, after in pairwise(records):
        if before.key == after.key:
            raise DamagedStrandError(f"the strand is refused: two records are {after.type} {after.id[:60]!r}")
        if before.order > after.order:
            raise DamagedStrandError("the strand is refused: its records are not sorted")


def content_root(records: Sequence[StrandRecord]) -> bytes:
    """Return the Merkle tree hash of sorted records: the tree of RFC 6962 with BLAKE2b-256.

    A leaf is 0x00, the length of the line as 8 bytes, and the line; an inner node is 0x01 and the hashes of its two
    children, split at the largest power of two below the number of leaves.
    """
    # The right edge of the tree: complete subtrees from the largest to the smallest, each with its number of leaves.
    edge: list[tuple[int, bytes]] = []
    for record in records:
        leaf = b"\x00" + len(record.line).to_bytes(8, "big") + record.line
        size, node = 1, _hash(leaf)
        while edge and edge[-1][0] == size:
            _, left = edge.pop()
            size, node = size * 2, _hash(b"\x01" + left + node)
        edge.append((size, node))
    if not edge:
        return EMPTY_ROOT
    _, root = edge.pop()
    while edge:
        root = _hash(b"\x01" + edge.pop()[1] + root)
    return root


def canonical(value: Any) -> str:
    """Return the JSON text of a value as in RFC 8785.

    Raises:
        StrandLimitError: A text is too long, or the nesting too deep.
        DamagedStrandError: The value has no canonical form: NaN, an integer beyond 2^53 - 1, NUL or half a surrogate
            pair in a text, or a type JSON does not have.
    """
    return "".join(_written(value, 1))


def _written(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield _text(value)
    elif value is None or isinstance(value, bool):
        yield "null" if value is None else "true" if value else "false"
    elif isinstance(value, int):
        if abs(value) > MOST_INTEGER:
            raise DamagedStrandError("the strand is refused: an integer lies beyond 2^53 - 1")
        yield str(value)
    elif isinstance(value, float):
        yield _number(value)
    elif depth > MOST_DEPTH:
        raise StrandLimitError(f"the strand is refused: a record is nested deeper than {MOST_DEPTH} levels")
    elif isinstance(value, Mapping):
        yield "{"
        for place, key in enumerate(sorted(value, key=_utf16)):
            yield f"{',' if place else ''}{_text(key)}:"
            yield from _written(value[key], depth + 1)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for place, each in enumerate(value):
            if place:
                yield ","
            yield from _written(each, depth + 1)
        yield "]"
    else:
        raise DamagedStrandError(f"the strand is refused: JSON has no {type(value).__name__}")


def _utf16(key: Any) -> bytes:
    """RFC 8785 sorts the names of an object by UTF-16 code units."""
    if not isinstance(key, str):
        raise DamagedStrandError("the strand is refused: a name in an object is not a text")
    return key.encode("utf-16-be", "surrogatepass")


def _text(text: str) -> str:
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        raise DamagedStrandError("the strand is refused: a text holds half a surrogate pair") from None
    if size > MOST_TEXT_BYTES:
        raise _too_large("a text", size, MOST_TEXT_BYTES)
    if "\0" in text:
        raise DamagedStrandError("the strand is refused: a text holds the character NUL")
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    """Return a float as ECMAScript writes it (Number::toString, ECMA-262 §6.1.6.1.20)."""
    if not math.isfinite(value):
        raise DamagedStrandError("the strand is refused: JSON has no infinity and no NaN")
    if value == 0:
        return "0"
    if value.is_integer() and MOST_INTEGER < abs(value) < 1e21:
        raise DamagedStrandError("the strand is refused: an integer lies beyond 2^53 - 1")
    sign = "-" if value < 0 else ""
    _, numbers, exponent = Decimal(repr(abs(value))).as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, numbers))
    point = len(digits) + exponent
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _checked(value: Mapping[str, Any], line: bytes) -> StrandRecord:
    if len(line) > MOST_LINE_BYTES:
        raise _too_large("a record", len(line), MOST_LINE_BYTES)
    kind, identity = value.get("type"), value.get("id")
    for name, one, most in (("type", kind, MOST_TYPE_BYTES), ("id", identity, MOST_ID_BYTES)):
        if not isinstance(one, str) or not one:
            raise DamagedStrandError(f"the strand is refused: a record has no {name}")
        if len(one.encode()) > most:
            raise _too_large(f"the {name} of a record", len(one.encode()), most)
    return StrandRecord(str(kind), str(identity), line)


def _depth(line: bytes) -> int:
    """Return how deep the brackets outside of texts are nested."""
    depth = deepest = 0
    is_text = is_escaped = False
    for byte in line:
        if is_text:
            is_text = is_escaped or byte != 0x22
            is_escaped = byte == 0x5C and not is_escaped
        elif byte == 0x22:
            is_text = True
        elif byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    return deepest


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=ROOT_BYTES).digest()


def _too_large(what: str, size: int, most: int) -> StrandLimitError:
    return StrandLimitError(f"the strand is refused: {what} has {size:,} bytes, and the format allows {most:,}")
