# ruff: noqa: ARG001 - every kind is called alike
"""Mutations of a file's bytes: pure functions of the bytes, the span (0-based lines, inclusive) and a random source.

None means that the kind does not apply to this text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Edit = Callable[[bytes, int, int, Random], bytes | None]
CONTENT_KINDS: dict[str, Edit] = {}


def content_kind(edit: Edit) -> Edit:
    CONTENT_KINDS[edit.__name__] = edit
    return edit


def _note(rng: Random) -> bytes:
    return f"# bench note {rng.randrange(10**6)}".encode()


@content_kind
def edit_inside(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    lines[rng.randint(first, last)] += b"  " + _note(rng)
    return b"\n".join(lines)


@content_kind
def edit_before(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    if first == 0:
        return None
    lines = data.split(b"\n")
    at = rng.randrange(first)
    lines[at:at] = [_note(rng) for _ in range(rng.randint(1, 3))]
    return b"\n".join(lines)


@content_kind
def delete_before(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    if first < 2:
        return None
    at = rng.randrange(first - 1)
    del lines[at : at + rng.randint(1, 2)]
    return b"\n".join(lines)


@content_kind
def edit_after(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    if last + 1 >= len(lines):
        return None
    lines.insert(rng.randint(last + 1, len(lines) - 1), _note(rng))
    return b"\n".join(lines)


@content_kind
def insert_at_top(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return b"\n".join(_note(rng) for _ in range(rng.randint(1, 60))) + b"\n" + data


@content_kind
def same_size_edit(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    start, end = _bytes_of(data, first, last)
    letters = [at for at in range(start, end) if chr(data[at]).isalpha() and data[at] < 128]
    if not letters:
        return None
    at = rng.choice(letters)
    other = b"q" if data[at : at + 1] != b"q" else b"z"
    return data[:at] + other + data[at + 1 :]


@content_kind
def same_size_line_swap(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    if last == first:
        return None
    one, other = rng.sample(range(first, last + 1), 2)
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


@content_kind
def truncate(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return data[: rng.randrange(1, len(data))] if len(data) > 1 else None


@content_kind
def truncate_to_nothing(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return b""


@content_kind
def append(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return data + rng.choice((b"", b"\n")) + _note(rng) + rng.choice((b"", b"\n"))


@content_kind
def drop_last_newline(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return data.rstrip(b"\n") if data.endswith(b"\n") and data.strip() else None


@content_kind
def delete_symbol(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    del lines[first : last + 1]
    return b"\n".join(lines)


@content_kind
def rename_symbol(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    start, end = _bytes_of(data, first, last)
    names = re.findall(rb"\b[A-Za-z_]\w{3,}\b", data[start:end])
    if not names:
        return None
    return re.sub(rb"\b" + names[min(1, len(names) - 1)] + rb"\b", b"renamed_by_bench", data)


@content_kind
def move_symbol_down(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    block = lines[first : last + 1]
    rest = lines[:first] + lines[last + 1 :]
    return b"\n".join([*rest, *block, b""])


@content_kind
def duplicate_symbol_above(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    return b"\n".join(lines[: last + 1] + lines[first : last + 1] + lines[last + 1 :])


@content_kind
def reindent(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return b"\n".join(b"  " + line if line.strip() else line for line in data.split(b"\n"))


@content_kind
def line_endings_crlf(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@content_kind
def line_endings_cr(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r")


@content_kind
def lone_cr_before(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """Some lines above end with CR alone, as an editor counts them, or one line more does."""
    lines = data.split(b"\n")
    if first == 0:
        return None
    at = rng.randrange(first)
    lines[at] += rng.choice((b"  # one\r# two", b"\r\r", b"\r# a comment of its own\r"))
    return b"\n".join(lines)


@content_kind
def lone_cr_inside(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """A comment of the span ends with CR: another line for an editor and for Python."""
    lines = data.split(b"\n")
    lines[rng.randint(first, last)] += b"  # one\r# two"
    return b"\n".join(lines)


@content_kind
def line_endings_mixed(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return b"".join(line + rng.choice((b"\n", b"\r\n")) for line in data.split(b"\n"))


@content_kind
def encoding_utf16(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return data.decode("utf-8", "replace").encode("utf-16")


@content_kind
def encoding_latin1(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    lines[rng.randint(first, last)] += "  # naïve café ß".encode("latin-1")
    return b"\n".join(lines)


@content_kind
def byte_order_mark(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return b"\xef\xbb\xbf" + data


@content_kind
def unicode_edit(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    odd = (
        "# \u2028 line separator",
        "# e\u0301 \u00e9",
        "# \U0001f9ec\u200d",
        "# \u202e rtl",
        "# \x0c\x0b\x85",
        "# 变量",
    )
    lines[rng.randint(first, last)] += b"  " + rng.choice(odd).encode()
    return b"\n".join(lines)


@content_kind
def split_character(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    lines[rng.randint(first, last)] += b"  # " + "🧬é".encode()[: rng.randint(1, 5)]
    return b"\n".join(lines)


@content_kind
def nul_byte(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    start, end = _bytes_of(data, first, last)
    at = rng.randint(start, end)
    return data[:at] + b"\0" + data[at:]


@content_kind
def very_long_line(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    lines.insert(rng.randint(first, last), b"# " + b"long " * rng.randint(1500, 8000))
    return b"\n".join(lines)


@content_kind
def marked_generated(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    return b"# @" + b"generated by a tool. DO NOT EDIT.\n" + data


@content_kind
def becomes_private_key(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    body = b"\n".join(rng.randbytes(24).hex().encode() for _ in range(8))
    return b"-----BEGIN RSA PRIV" + b"ATE KEY-----\n" + body + b"\n-----END RSA PRIV" + b"ATE KEY-----\n"


@content_kind
def broken_syntax(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    lines = data.split(b"\n")
    lines.insert(rng.randint(first, last), b'"""' + b"({[" * rng.randint(1, 30))
    return b"\n".join(lines)


def _bytes_of(data: bytes, first: int, last: int) -> tuple[int, int]:
    lines = data.split(b"\n")
    start = sum(len(line) + 1 for line in lines[:first])
    return start, start + len(b"\n".join(lines[first : last + 1]))
