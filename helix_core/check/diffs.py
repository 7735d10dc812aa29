"""Find what a diff adds to documents: of ``git diff | helix check -`` nothing else is a claim about the code.

In: a text. Out: the documents of a diff with the lines of their new version that it shows; None for any other text. The
headers, what was removed, and code state nothing that could be checked. Pure and linear.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from helix_core.ingest.provenance import provenance
from helix_core.model import SourceKind

_BEGINS = re.compile(r"\s*(?:diff --git |--- |Index: |commit [0-9a-f]{7,64}\b|From [0-9a-f]{40}\b)")
_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_PREFIXED = re.compile(r"[abciow12]/(?=.)")


@dataclass(frozen=True, slots=True)
class DiffedDocument:
    """The new version of a document as far as a diff shows it.

    Attributes:
        path: The path as written, without the prefix of git.
        text: The lines that are there now: the added ones and those around them, hunks set apart by an empty line.
        numbers: The number in the document of each line of ``text``, 1-based.
        added: The numbers of the lines that were added.
    """

    path: str
    text: str
    numbers: tuple[int, ...]
    added: frozenset[int]


@dataclass(frozen=True, slots=True)
class Diff:
    """The documents of a diff, and the number of its other files."""

    documents: tuple[DiffedDocument, ...]
    others: int


def diff_in(text: str) -> Diff | None:
    """Return the documents of a text that is a diff, as of ``git diff``, ``git show`` and ``git log -p``; else None."""
    if _BEGINS.match(text) is None or "\n+++ " not in text or "\n@@ -" not in text:
        return None
    lines = text.split("\n")
    documents: list[DiffedDocument] = []
    row, others = 0, 0
    while row + 1 < len(lines):
        if not (lines[row].startswith("--- ") and lines[row + 1].startswith("+++ ")):
            row += 1
            continue
        before, path = _path(lines[row]), _path(lines[row + 1])
        if path and _PREFIXED.match(path) and (not before or _PREFIXED.match(before)):
            path = path[2:]
        row, shown = _hunks(lines, row + 2)
        if path and provenance(os.fsencode(path)).source_kind is SourceKind.DOC:
            kept = [(number, line) for number, line, _ in shown]
            added = frozenset(number for number, _, is_added in shown if is_added)
            texts, numbers = "\n".join(line for _, line in kept), tuple(number for number, _ in kept)
            documents += [DiffedDocument(path, texts, numbers, added)] if added else []
        else:
            others += 1
    return Diff(tuple(documents), others)


def _path(header: str) -> str:
    """Return the path of a header; empty for ``/dev/null``, which a file has that was added or deleted."""
    path = header[4:].partition("\t")[0].rstrip("\r ")
    if path.startswith('"') and path.endswith('"') and len(path) > 1:
        escaped = path[1:-1].encode("latin-1", "replace").decode("unicode_escape", "replace")
        path = escaped.encode("latin-1", "replace").decode("utf-8", "replace")
    return "" if path == "/dev/null" else path


def _hunks(lines: list[str], row: int) -> tuple[int, list[tuple[int, str, bool]]]:
    """Return the row after the hunks of a file, and their lines that are there now: number, text, whether added."""
    shown: list[tuple[int, str, bool]] = []
    while row < len(lines) and (head := _HUNK.match(lines[row])) is not None:
        row += 1
        left, number, right = int(head[1] or 1), int(head[2]), int(head[3] or 1)
        if shown:
            shown.append((shown[-1][0], "", False))
        while row < len(lines) and (left > 0 or right > 0 or lines[row].startswith("\\")):
            sign, line = lines[row][:1], lines[row][1:].removesuffix("\r")
            if sign == "\\":
                # "No newline at end of file".
                row += 1
                continue
            left -= sign != "+"
            right -= sign != "-"
            if sign != "-":
                shown.append((number, line, sign == "+"))
                number += 1
            row += 1
    return row, shown
