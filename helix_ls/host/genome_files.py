"""Read the JSON export (format 1) of the older Helix Context: chunks with ids made of their content, and tags.

Such a file is not signed, so what it states is only imported for review. Chunks of files are left to the index.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from helix_core.errors import UsageError

FORMAT_KEY = "helix_format_version"
FORMAT = 1
MOST_BYTES = 64 << 20
_ID_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Genome:
    """What a file says in its own words: ``(id, text)`` of each chunk that is of no file, and counts of the others."""

    description: str
    texts: tuple[tuple[str, str], ...]
    of_files: int
    altered: int


def is_genome(data: bytes) -> bool:
    """Return whether the bytes may be a JSON export: a strand never begins with a brace."""
    return data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read_genome(data: bytes, name: str) -> Genome:
    """Return the content of an export; a chunk whose id is not that of its content was altered, and is left out.

    Raises:
        UsageError: It is too large, of another format, or no such export.
    """
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name} is larger than {MOST_BYTES >> 20} MiB; export fewer chunks")
    try:
        decoded = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise UsageError(f"{name} is neither a strand nor JSON; name a .dna file or an export of format 1") from None
    version = decoded.get(FORMAT_KEY) if isinstance(decoded, dict) else None
    if version != FORMAT or not isinstance(decoded.get("genes"), list):
        raise UsageError(f"{name} is not an export of format {FORMAT}; name a .dna file or such an export")
    chunks = [each for each in decoded["genes"] if isinstance(each, dict) and isinstance(each.get("content"), str)]
    whole = [each for each in chunks if each.get("gene_id") == _id_of(each["content"])]
    own = [each for each in whole if not each.get("source_id")]
    header: Any = decoded.get("header")
    description = header.get("description") if isinstance(header, dict) else ""
    return Genome(
        description=str(description or ""),
        texts=tuple((each["gene_id"], each["content"]) for each in own),
        of_files=len(whole) - len(own),
        altered=len(decoded["genes"]) - len(whole),
    )


def _id_of(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_DIGITS]
