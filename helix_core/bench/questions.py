"""The questions of a bench: JSON lines, each with the places that answer it; bounded, and refused with a reason."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.errors import UsageError

MOST_QUESTIONS = 5_000
LONGEST_QUESTION = 4_000
MOST_PLACES = 50
SHAPE = (
    'one JSON object a line: {"question": "where are sessions signed?", "files": ["src/app/sessions.py"]}; beside it '
    '"contains": ["def sign"] names a text that the right lines hold, one for each file; no files at all says that the '
    "workspace does not answer the question"
)


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with the files that answer it, and for each file a text its right lines hold, or none at all."""

    text: str
    files: tuple[str, ...]
    contains: tuple[str, ...] = ()


def read_questions(text: str, name: str) -> tuple[BenchQuestion, ...]:
    """The questions of the file called ``name``. Raises UsageError, naming line and shape."""
    found = [
        _question(line, f"{name} line {number}") for number, line in enumerate(text.split("\n"), 1) if line.strip()
    ]
    if not found:
        raise UsageError(f"{name} holds no question; write {SHAPE}")
    if len(found) > MOST_QUESTIONS:
        raise UsageError(f"{name} holds {len(found):,} questions; keep to {MOST_QUESTIONS:,}")
    twice = [text for text, times in Counter(one.text for one in found).items() if times > 1]
    if twice:
        raise UsageError(f"{name} asks {twice[0][:60]!r} twice; ask it once")
    return tuple(found)


def fingerprint(questions: Sequence[BenchQuestion]) -> str:
    """SHA-256 (hex) of the questions and their answers: two runs are compared only where it is the same."""
    said = [[one.text, list(one.files), list(one.contains)] for one in questions]
    return hashlib.sha256(json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _question(line: str, where: str) -> BenchQuestion:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"{where} is no JSON; write {SHAPE}") from None
    if not isinstance(given, dict) or not isinstance(given.get("question"), str) or not given["question"].strip():
        raise UsageError(f"{where} has no question; write {SHAPE}")
    files = _texts(given, ("files", "expect_files"), where)
    contains = _texts(given, ("contains", "evidence"), where)
    if contains and len(contains) != len(files):
        raise UsageError(f"{where} has {len(files)} files and {len(contains)} texts in them; give one for each")
    if len(given["question"]) > LONGEST_QUESTION:
        raise UsageError(f"{where} is longer than {LONGEST_QUESTION:,} characters; ask in fewer")
    return BenchQuestion(given["question"], files, contains)


def _texts(given: dict[str, Any], names: tuple[str, ...], where: str) -> tuple[str, ...]:
    value: Any = next((given[name] for name in names if given.get(name) is not None), [])
    if (
        not isinstance(value, list)
        or len(value) > MOST_PLACES
        or not all(isinstance(one, str) and one for one in value)
    ):
        raise UsageError(f"{where}: {names[0]} is no list of at most {MOST_PLACES} texts; write {SHAPE}")
    return tuple(value)
