"""Masked bytes, and the masks in them: the only conversion from bytes to ``Clean`` text.

``secrets`` says which spans are secrets. Those of a file's very bytes may be kept, and applied to the same bytes again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.model import Clean, SecretSpan


@dataclass(frozen=True, slots=True)
class Masked:
    """A file's bytes with secrets masked, and the masked spans: disjoint findings in order."""

    data: bytes
    findings: tuple[SecretSpan, ...] = ()

    def text(self, start: int = 0, end: int | None = None) -> Clean:
        """Decode the masked bytes ``[start, end)``; invalid UTF-8 becomes U+FFFD."""
        return Clean(self.data[start:end].decode("utf-8", "replace"))

    def clean(self, words: str) -> Clean:
        """Mark text made of this file's masked text (names, parts of words) as Clean: it cannot contain a secret."""
        return Clean(words)

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether any byte of ``[start, end)`` was masked."""
        before = bisect_left(self.findings, end, key=lambda finding: finding.start)
        return before > 0 and self.findings[before - 1].end > start


def masked_at(data: bytes, spans: Sequence[SecretSpan]) -> Masked | None:
    """Mask ``spans``, which are all the secrets of these very bytes; None where they are no disjoint spans in order."""
    end = 0
    for span in spans:
        if not end <= span.start < span.end <= len(data):
            return None
        end = span.end
    return Masked(with_masks(data, spans), tuple(spans))


def with_masks(data: bytes, spans: Sequence[SecretSpan]) -> bytes:
    """Return ``data`` with a mask in place of each span."""
    masked = bytearray(data)
    for span in spans:
        masked[span.start : span.end] = marker(span.kind, span.end - span.start)
    return bytes(masked)


def marker(kind: str, length: int) -> bytes:
    """Return the mask for a secret of ``length`` bytes: its kind as far as it fits, closed, of exactly that length."""
    for opening in (f"[masked:{kind}", "[masked:secret", "[masked", "["):
        if length > max(len(opening), 2):
            return opening.encode().ljust(length - 1, b"*") + b"]"
    return b"*" * length
