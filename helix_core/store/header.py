"""What the first 100 bytes of an index file tell before SQLite is let near it.

Layout: "Database File Format", section 1.3 "The Database Header" (sqlite.org/fileformat2.html).
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass

from helix_core.errors import CorruptStoreError, NewerStoreError

APPLICATION_ID = 0x48454C58  # "HELX"
HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Header:
    """The fields of a SQLite header that say whose file it is and whether it is all there."""

    page_size: int
    page_count: int
    user_version: int
    application_id: int


def read_header(path: str) -> Header | None:
    """The header of the file at ``path``, or None when the file is missing or empty.

    Raises: CorruptStoreError when the bytes are no SQLite header; OSError when they cannot be read.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(HEADER_BYTES)
    except FileNotFoundError:
        return None
    if not data:
        return None
    if len(data) < HEADER_BYTES or not data.startswith(_MAGIC):
        raise CorruptStoreError(f"The index {path} is damaged (no SQLite header); it will be moved aside and rebuilt.")
    (page_size,) = struct.unpack_from(">H", data, 16)
    (page_count,) = struct.unpack_from(">I", data, 28)
    (user_version,) = struct.unpack_from(">I", data, 60)
    (application_id,) = struct.unpack_from(">I", data, 68)
    return Header(65536 if page_size == 1 else page_size, page_count, user_version, application_id)


def check_version(path: str, user_version: int, known: int) -> None:
    """Raises NewerStoreError when the file was written by a Helix that knows more than this one."""
    if user_version > known:
        raise NewerStoreError(
            f"The index {path} was written by a newer Helix (format {user_version}, this one knows {known}); "
            "upgrade Helix, or delete the file to have it rebuilt."
        )


def check_owner(path: str, application_id: int) -> None:
    """Raises CorruptStoreError when the file is another application's database."""
    if application_id not in (APPLICATION_ID, 0):
        raise CorruptStoreError(
            f"The file {path} is another application's database; it will be moved aside and the index rebuilt."
        )


def is_shorter_than_it_says(path: str, header: Header) -> bool:
    """Is the file smaller than its header's page count? True after a truncation, and in the middle of a checkpoint."""
    return os.path.getsize(path) < header.page_count * header.page_size
