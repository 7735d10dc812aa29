"""The one door from bytes to clean text: secrets are masked in place, and nothing else makes ``Clean``.

``mask`` takes a file's raw bytes and gives bytes of the same length, with every line end at the same offset, in which
each secret is a mask of its own length: ``[masked:<kind>***]`` where that fits, ``[masked:secret]``, ``[masked]`` or
``[***]`` where it does not. What follows works on the masked bytes only, so that chunks, names, claims and postings are
clean by construction. Time is linear in the size of the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from helix_core.ingest.secret_places import lines_of_interest, secrets_by_place
from helix_core.ingest.secret_shapes import Finding, private_keys, second_opinion, tokens
from helix_core.ingest.secret_values import is_masked
from helix_core.model import Clean

_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Masked:
    """A file's bytes without its secrets, and where those were: disjoint findings in order."""

    data: bytes
    findings: tuple[Finding, ...] = ()

    def text(self, start: int = 0, end: int | None = None) -> Clean:
        """The masked bytes ``[start, end)`` as text; what is not UTF-8 becomes U+FFFD."""
        return Clean(self.data[start:end].decode("utf-8", "replace"))

    def clean(self, words: str) -> Clean:
        """Text put together from this file's masked text (names, parts of words): it cannot hold what was masked."""
        return Clean(words)

    def overlaps(self, start: int, end: int) -> bool:
        """Was anything masked inside ``[start, end)``?"""
        before = bisect_left(self.findings, end, key=lambda finding: finding.start)
        return before > 0 and self.findings[before - 1].end > start


def mask(data: bytes) -> Masked:
    """``data`` with every secret replaced; the same length, the same line ends, and stable under a second call."""
    findings: list[Finding] = []
    for _ in range(_ROUNDS):
        runs = _merged(_scan(data))
        if not runs:
            break
        data = _replaced(data, runs)
        findings += runs
    return Masked(data, tuple(_merged(findings)))


def marker(kind: str, length: int) -> bytes:
    """What stands in for a secret of ``length`` bytes: as much of its kind as fits, closed, of exactly that length."""
    for opening in (f"[masked:{kind}", "[masked:secret", "[masked", "["):
        if length > max(len(opening), 2):
            return opening.encode().ljust(length - 1, b"*") + b"]"
    return b"*" * length


def holds_mask(text: str) -> bool:
    """Does a text show what stands in for a secret?"""
    return is_masked(text.encode("utf-8", "replace"))


def _scan(data: bytes) -> Iterator[Finding]:
    found = list(tokens(data))
    found += (Finding("secret", start, end) for start, end in secrets_by_place(data))
    yield from private_keys(data)
    yield from found
    yield from second_opinion(data, [*(finding.start for finding in found), *lines_of_interest(data)])


def _merged(found: Iterable[Finding]) -> list[Finding]:
    """Overlapping spans as one, named by the one that begins first (the longest of those)."""
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda finding: (finding.start, -finding.end)):
        if merged and finding.start < merged[-1].end:
            last = merged[-1]
            kind = finding.kind if last.kind == "secret" else last.kind
            merged[-1] = Finding(kind, last.start, max(last.end, finding.end))
        else:
            merged.append(finding)
    return merged


def _replaced(data: bytes, findings: list[Finding]) -> bytes:
    masked = bytearray(data)
    for finding in findings:
        length = finding.end - finding.start
        masked[finding.start : finding.end] = marker(finding.kind, length)
    return bytes(masked)
