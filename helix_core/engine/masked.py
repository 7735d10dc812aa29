"""Masked files kept between answers: questions in a row often meet the same files, and masking one is a whole scan."""

from __future__ import annotations

from collections import OrderedDict

from helix_core.ingest.secrets import Masked, mask
from helix_core.workspace.disk import DiskFile

KEPT_BYTES = 4 * 1024 * 1024


class MaskedFiles:
    """By content hash, the least recently used dropped first; holds at most ``kept_bytes`` of text."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._size_bytes = 0
        self._files: OrderedDict[str, Masked] = OrderedDict()

    def of(self, file: DiskFile) -> Masked:
        """The bytes that may leave: secrets masked, every offset and line where it was."""
        masked = self._files.get(file.content_hash)
        if masked is not None:
            self._files.move_to_end(file.content_hash)
            return masked
        masked = mask(file.data)
        self._files[file.content_hash] = masked
        self._size_bytes += len(masked.data)
        while self._size_bytes > self._kept_bytes and len(self._files) > 1:
            self._size_bytes -= len(self._files.popitem(last=False)[1].data)
        return masked
