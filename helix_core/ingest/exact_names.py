"""Names of definitions and headings as text, so that two that are written differently never read alike.

A chain of names is compared as one string. So no byte is lost that is not UTF-8, no long name is cut without a trace,
and no heading looks like two that are joined.
"""

from __future__ import annotations

import codecs
import hashlib
import re

LONGEST_NAME = 200
_HASH_LETTERS = 12
_UNKNOWN = "\ufffd"
_JOINT = re.compile(r"(?<!\S)(\\*)>(?!\S)")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"{_UNKNOWN}{byte:02x}" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("helix.spelled", _spelled)


def name_text(written: bytes) -> str:
    """Return a name as text; a byte that is not UTF-8 becomes U+FFFD and its two hexadecimal digits, and U+FFFD is
    doubled.
    """
    known = _UNKNOWN.encode()
    if known in written:
        return (_UNKNOWN * 2).join(part.decode("utf-8", "helix.spelled") for part in written.split(known))
    return written.decode("utf-8", "helix.spelled")


def bounded(name: str) -> str:
    """Return a name of at most ``LONGEST_NAME`` characters; a longer one ends with ``…`` and its hash (SHA-256)."""
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LETTERS]
    return f"{name[: LONGEST_NAME - _HASH_LETTERS - 1]}…{digest}"


def heading_text(title: str) -> str:
    """Return a title on one line, with a backslash before each ``>`` that could be taken for the joint of two titles
    (``Outer > Inner``).
    """
    return _JOINT.sub(lambda match: f"{match[1] * 2}\\>", " ".join(title.split()))
