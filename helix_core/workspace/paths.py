"""Convert paths between raw bytes, as the disk has them, and printable text for the surfaces.

Pure. ``checked`` validates every path from outside; all others are relative, canonical and inside the root.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from helix_core.errors import UsageError

_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")
_LOOKS_ESCAPED = re.compile(rb"\\(?=x[0-9a-f]{2})")
_DRIVE = re.compile(rb"[A-Za-z]:")
_STREAM = re.compile(rb":\$|[^/:]\.[A-Za-z0-9]+:[^/]*$")
_MAX_BYTES = 4096


def source_id_of(path: bytes) -> str:
    r"""Return the printable form of a path: UTF-8, with invalid bytes as ``\xNN``. It is unique for each path."""
    unambiguous = _LOOKS_ESCAPED.sub(rb"\\x5c", path) if b"\\x" in path else path
    return unambiguous.decode("utf-8", "backslashreplace")


def path_of(source_id: str) -> bytes:
    """Return the path of a ``source_id``; raises ``UsageError`` for text that is not Unicode (lone surrogates)."""
    try:
        raw = source_id.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"{source_id!a} is not a path; name a file as `helix search` prints it") from error
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), raw) if b"\\x" in raw else raw


def uri_of(root: Path, path: bytes) -> str:
    """Return the ``file://`` URI of ``path`` under ``root``, raw bytes percent-encoded (RFC 8089)."""
    return "file://" + quote_from_bytes(os.fsencode(root).rstrip(b"/") + b"/" + path, safe="/")


def checked(raw: str) -> bytes:
    """Validate a path from outside; return it relative to the workspace, with ``.`` and doubled slashes folded.

    Raises ``UsageError`` for what is empty or too long, absolute, a drive, UNC or stream form, or contains ``..``
    written plainly, with backslashes, percent-encoded or escaped.
    """
    path = path_of(raw)
    written = raw.encode("utf-8")
    spellings = {path, written, *_unquoted(path), *_unquoted(written)}
    if not path or len(path) > _MAX_BYTES or any(_is_unsafe(spelling) for spelling in spellings):
        raise UsageError(f"{raw[:200]!a} is not a path inside the workspace; name it relative to the workspace folder")
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    if not parts:
        raise UsageError(f"{raw[:200]!a} names no file; name one relative to the workspace folder")
    return b"/".join(parts)


def _unquoted(path: bytes) -> list[bytes]:
    """Percent-decode twice, against double encoding."""
    if b"%" not in path:
        return []
    once = unquote_to_bytes(path)
    return [once, unquote_to_bytes(once)]


def _is_unsafe(path: bytes) -> bool:
    if b"\0" in path or path.startswith(b"/") or _DRIVE.match(path) or _STREAM.search(path):
        return True
    if path.startswith(b"\\") and not _ESCAPE.match(path):
        return True
    return b".." in re.split(rb"[/\\]", path)
