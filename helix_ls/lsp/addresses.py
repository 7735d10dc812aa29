"""Addresses as clients write them ↔ paths as the disk keeps them.

Pure, but for following links where a file's own address leads into no folder. Only ``file:`` counts; a path keeps its
bytes, also those that are not UTF-8.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit


def path_of(uri: str) -> bytes | None:
    """The absolute path of a ``file:`` address, without ``.`` and ``..``; None for every other address."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file" or parts.netloc.lower() not in ("", "localhost"):
        return None
    path = unquote_to_bytes(parts.path)
    if os.name == "nt":
        path = path.lstrip(b"/").replace(b"\\", b"/")
    if b"\0" in path or not os.path.isabs(path):
        return None
    return os.path.normpath(path)


def inside(folder: bytes, path: bytes) -> bytes | None:
    """``path`` relative to ``folder`` with ``/`` between parts; None when it is not below it."""
    prefix = folder.rstrip(os.fsencode(os.sep)) + os.fsencode(os.sep)
    return path[len(prefix) :].replace(os.fsencode(os.sep), b"/") if path.startswith(prefix) else None


def uri_of_file(folder_uri: str, path: bytes) -> str:
    """The address of a path below a folder, spelled as the client spells the folder."""
    return folder_uri.rstrip("/") + "/" + quote_from_bytes(path, safe="/")


def folder_path(uri: str) -> Path | None:
    """The path of a workspace folder; None when it is not on this machine's disk."""
    path = path_of(uri)
    return Path(os.fsdecode(path)) if path is not None else None


def real_file(path: bytes) -> bytes:
    """The path with the links of its folders followed, not its own."""
    parent, name = os.path.split(path)
    return os.path.join(os.path.realpath(parent), name)
