"""The question as typed, or read from standard input when it is ``-``."""

from __future__ import annotations

import sys

from helix_core.errors import UsageError

MAX_BYTES = 8 * 1024 * 1024


def asked(question: str) -> str:
    """The question as valid text. Raises UsageError when standard input holds more than a question can be."""
    if question != "-":
        return question.encode("utf-8", "replace").decode("utf-8")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"the question is larger than {MAX_BYTES // 1024 // 1024} MiB; ask a shorter one")
    return data.decode("utf-8", "replace")
