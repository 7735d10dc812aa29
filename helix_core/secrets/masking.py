"""Mask secrets.

``mask`` takes a file's raw bytes and returns bytes of the same length, with every line end at the same offset, in which
each secret is replaced by a mask of its own length: ``[masked:<kind>***]`` where that fits, ``[masked:secret]``,
``[masked]`` or ``[***]`` where it does not. All later steps see the masked bytes only, so that chunks, names, claims
and postings are clean by construction. Time is linear in the size of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from helix_core.lines import with_line_feeds
from helix_core.model import Clean, SecretSpan
from helix_core.secrets.clauses import in_sentences
from helix_core.secrets.masked import Masked, with_masks
from helix_core.secrets.odds import likely_elsewhere, likely_secrets
from helix_core.secrets.places import Excerpt, lines_of_interest, secrets_by_place
from helix_core.secrets.shapes import detect_secrets_findings, private_keys, tokens
from helix_core.secrets.stand_ins import stand_ins
from helix_core.secrets.typed import lone_passwords
from helix_core.secrets.values import is_masked, masks_in, without_masks

_ROUNDS = 12
_HANDLE = re.compile(rb"m_[a-z2-7]{8}")
_MOST_OF_LINE = 4_096


def mask(data: bytes) -> Masked:
    """Replace every secret of ``data``; same length, same line ends, and idempotent."""
    return _masked(data, _scan)


def mask_typed(text: str) -> Masked:
    """Mask what a person typed into a chat or a memory: as ``mask`` does, and what only there can be a password: a
    common word that a sentence gives, and a text that is a password alone.
    """
    masked = _masked(text.encode("utf-8", "replace"), _scan_typed)
    alone = masked.data.strip(b" \t\r\n\"'`.,")
    if masked.findings:
        return masked
    found: list[SecretSpan] = []
    for password in lone_passwords(alone):
        start = masked.data.index(password, found[-1].end if found else 0)
        found.append(SecretSpan("secret", start, start + len(password)))
    return Masked(with_masks(masked.data, found), tuple(found)) if found else masked


def quoted(text: str, most: int) -> str:
    """Return an argument in quotes for an error about it: masked, then cut to ``most`` characters."""
    return f"{mask(text.encode('utf-8', 'replace')).text()[:most]!a}"


def masked_line(text: str, most: int) -> Clean:
    """Return the text masked, on one line, and cut to ``most`` characters. What is not printable becomes a blank.

    It is masked as it is given, as some syntaxes are known by their lines, and once more on its one line, where a blank
    may have come between a name and its value. Of a longer text the first 4,096 characters are read, without the word
    that ends there: half of a secret would not be recognized.
    """
    text = text.strip()
    if len(text) > _MOST_OF_LINE:
        text = text[:_MOST_OF_LINE].rsplit(None, 1)[0]
    masked = mask(text.encode("utf-8", "replace"))
    text = masked.text()
    if not text.isprintable():
        shown = "".join(character if character.isprintable() else "\n" for character in text)
        words = " ".join(filter(None, (line.strip() for line in shown.split("\n"))))
        masked = mask(words.encode("utf-8", "replace"))
        text = masked.text()
    return masked.clean(text[:most])


def is_only_masks(text: str) -> bool:
    """Return whether a text contains a mask, and no letter or digit outside of its masks."""
    rest = without_masks(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    return holds_mask(text) and not any(character.isalnum() for character in rest)


def holds_mask(text: str) -> bool:
    """Return whether a text contains a mask."""
    return is_masked(text.encode("utf-8", "replace"))


def _masked(data: bytes, scan: Callable[[bytes], Iterable[SecretSpan]]) -> Masked:
    findings: list[SecretSpan] = []
    for _ in range(_ROUNDS):
        runs = _merged(_news(scan(with_line_feeds(data)), data))
        if not runs:
            break
        data = with_masks(data, runs)
        findings += runs
    return Masked(data, tuple(_merged(findings)))


def _news(found: Iterable[SecretSpan], data: bytes) -> Iterator[SecretSpan]:
    """Yield the findings that do not begin inside of a mask (``[masked:url-password]`` is no pair of a log-in), without
    the handles of memories, by which an answer says what it used.
    """
    masks = masks_in(data)
    starts = [start for start, _ in masks]
    ends = [0, *(end for _, end in masks)]
    for one in found:
        is_inside = bool(masks) and one.start < ends[bisect_left(starts, one.start)]
        if not (is_inside or _HANDLE.fullmatch(data, one.start, one.end)):
            yield one


def _scan_typed(data: bytes) -> Iterator[SecretSpan]:
    return _scan(data, is_typed=True)


def _scan(data: bytes, *, is_typed: bool = False) -> Iterator[SecretSpan]:
    excerpt = Excerpt.of(data)
    found = list(tokens(data))
    found += (SecretSpan("secret", start, end) for start, end in secrets_by_place(data, excerpt))
    # Of a message each line may give a secret, of a file only those that speak of one.
    text = data if is_typed else excerpt.text
    for find in (in_sentences, likely_secrets):
        for start, end in find(text, is_typed=is_typed):
            found.append(SecretSpan("secret", *((start, end) if is_typed else excerpt.placed(start, end))))
    if is_typed:
        found += stand_ins(data)
    else:
        found += (SecretSpan("secret", *span) for span in likely_elsewhere(data, excerpt.regions))
    yield from private_keys(data)
    yield from found
    yield from detect_secrets_findings(data, [*(finding.start for finding in found), *lines_of_interest(excerpt)])


def _merged(found: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Merge overlapping spans; the kind is that of the first (the longest of several)."""
    merged: list[SecretSpan] = []
    for finding in sorted(found, key=lambda finding: (finding.start, -finding.end)):
        if merged and finding.start < merged[-1].end:
            last = merged[-1]
            kind = finding.kind if last.kind == "secret" else last.kind
            merged[-1] = SecretSpan(kind, last.start, max(last.end, finding.end))
        else:
            merged.append(finding)
    return merged
