"""Committed bytes asked for once, as the tests of history do."""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.workspace.blobs import BlobReader
from helix_core.workspace.git import Git


def blobs(git: Git, wanted: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
    """The bytes of each (commit, path), by a reader of their own."""
    with BlobReader(git) as reader:
        return reader.read(wanted)
