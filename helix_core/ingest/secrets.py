"""The one door from bytes to clean text: secrets are masked in place, and nothing else makes ``Clean``.

``mask`` takes a file's raw bytes and gives bytes of the same length, with every line end at the same offset, in which
each secret is ``[masked:<kind>]`` filled up with ``*`` (or cut short). What follows works on the masked bytes only, so
that chunks, names, claims and postings are clean by construction. Time is linear in the size of the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from helix_core.ingest import secret_detectors
from helix_core.ingest.secret_blocks import find_blocks
from helix_core.ingest.secret_literals import is_placeholder, is_secret, looks_random
from helix_core.ingest.secret_rules import ASSIGNMENT, ELEMENT, NEARBY, TOKEN_RULES, TOKENS
from helix_core.model import Clean

_ROUNDS = 4
_TOKEN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret was here: ``kind`` is the field's word for it, the byte span is half-open."""

    kind: str
    start: int
    end: int


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
    """What stands in for a secret of ``length`` bytes."""
    return f"[masked:{kind}]".encode().ljust(length, b"*")[:length]


def _scan(data: bytes) -> Iterator[Finding]:
    lines: set[int] = set()
    for block in find_blocks(data):
        for start, end in block.runs:
            yield Finding("private-key", start, end)
    yield from _tokens(data, lines)
    yield from _assignments(data, lines)
    for match in NEARBY.finditer(data):
        start, end = match.span(1)
        lines.add(_line_start(data, start))
    for start in lines:
        yield from _second_opinion(data, start)


def _tokens(data: bytes, lines: set[int]) -> Iterator[Finding]:
    reached = 0
    for match in TOKENS.finditer(data):
        finding = _token(data, match, 0)
        while finding is not None and finding.end > reached:
            lines.add(_line_start(data, finding.start))
            yield finding
            # A token right behind another begins no word, until the first is masked: so it is looked at as if it were.
            reached = finding.end
            behind = data[reached : reached + _TOKEN_BYTES] if _is_word(data[reached : reached + 1]) else b""
            found = TOKENS.match(behind)
            finding = _token(data, found, reached) if found is not None else None


def _token(data: bytes, match: Any, offset: int) -> Finding | None:
    """What matched in the bytes from ``offset`` on, unless it is masked already or stands for a token to come."""
    group = match.lastindex
    rule = TOKEN_RULES[group - 1]
    start, end = (offset + place for place in match.span(group))
    value = data[start:end]
    placeholder = _is_masked(value) or (rule.judged and is_placeholder(value))
    return None if placeholder else Finding(rule.kind, start, end)


def _is_word(byte: bytes) -> bool:
    """A byte of ``\\w``, at which a token that follows another can begin."""
    return byte.isalnum() or byte == b"_"


def _assignments(data: bytes, lines: set[int]) -> Iterator[Finding]:
    for match in ASSIGNMENT.finditer(data):
        group = match.lastindex
        start, end = match.span(group)
        between = data[match.end(1) : start]
        assigned = b"=" in between or b":" in between
        if is_secret(match.group(1), data[start:end], quoted=group < 5, assigned=assigned):
            lines.add(_line_start(data, start))
            yield Finding("secret", start, end)
    for match in ELEMENT.finditer(data):
        start, end = match.span(1)
        if is_secret(b"password", data[start:end]):
            yield Finding("secret", start, end)


def _second_opinion(data: bytes, line_start: int) -> Iterator[Finding]:
    newline = data.find(b"\n", line_start)
    line_end = min(len(data) if newline < 0 else newline, line_start + secret_detectors.LONGEST_LINE)
    line = data[line_start:line_end]
    found = [(kind, value) for kind, value in secret_detectors.issued(line) if not is_placeholder(value)]
    found += [("secret", value) for value in secret_detectors.random_strings(line) if looks_random(value)]
    for kind, value in found:
        offset = line.find(value)
        while offset >= 0:
            yield Finding(kind, line_start + offset, line_start + offset + len(value))
            offset = line.find(value, offset + len(value))


def _line_start(data: bytes, position: int) -> int:
    """Where the line of ``position`` begins; a long line is seen as blocks, so many findings in it cost no more."""
    longest = secret_detectors.LONGEST_LINE
    newline = data.rfind(b"\n", max(0, position - longest), position)
    return newline + 1 if newline >= 0 else position - position % longest


def _is_masked(value: bytes) -> bool:
    return b"[masked:" in value or value[:8] == b"[masked:"[: len(value)]


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
