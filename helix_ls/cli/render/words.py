"""Numbers, times and the words of the verdict table, said for people. Pure."""

from __future__ import annotations

REASONS = {
    "unchanged": "unchanged since it was indexed",
    "touched": "touched, but the bytes are the same",
    "reingested": "it had changed and was read again just now",
    "moved": "the same text, now on these lines",
    "renamed": "the same text, now under another name",
    "changed": "changed on disk since it was indexed",
    "not_indexed": "not indexed: its lines were not searched",
    "gone": "no longer there",
    "unreadable": "cannot be read",
    "outside_root": "leads out of the folder",
    "ignored": "ignored now: it does not count any more",
    "not_a_file": "no longer an ordinary file",
    "too_large": "has grown too large to read",
    "unsaved": "has unsaved edits in the editor",
    "conflicted": "in the middle of a merge or rebase",
    "outdated_doc": "speaks of code that changed after it was written",
    "contradicted": "a fresher source says otherwise",
    "aged": "too old for this task",
    "weak_authority": "not a first-hand source",
    "unlocated": "perhaps not the right place",
}
_STEPS = ((60, "minute"), (3600, "hour"), (86_400, "day"), (7 * 86_400, "week"), (30 * 86_400, "month"))
_YEAR_S = 365 * 86_400


def reason(word: str) -> str:
    """The reason of a verdict in words."""
    return REASONS.get(word, word.replace("_", " "))


def ago(then_s: float, now_s: float) -> str:
    """How long ago, in the largest unit that fits: ``3 weeks ago``."""
    seconds = now_s - then_s
    if seconds < 60:
        return "just now"
    if seconds >= _YEAR_S:
        return f"{count(int(seconds // _YEAR_S), 'year')} ago"
    size, unit = next((size, unit) for size, unit in reversed(_STEPS) if seconds >= size)
    return f"{count(int(seconds // size), unit)} ago"


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``1,234 files``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(size_bytes: int) -> str:
    """Bytes in the unit people would use: ``4.2 MB``."""
    amount = float(size_bytes)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def duration(elapsed_ms: float) -> str:
    """``41 ms`` or ``3.2 s``."""
    return f"{elapsed_ms:.0f} ms" if elapsed_ms < 1000 else f"{elapsed_ms / 1000:.1f} s"
