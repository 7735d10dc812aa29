"""Questions to time: those of a file, and made ones: names of symbols and sentences found in the folder itself."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"^\s*(?:class|(?:async )?def|function|fn|func|pub fn)\s+(\w{4,})", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?]\s)[A-Z][\w ,'`():/-]{30,160}[.?]")
_READ_FILES = 400


def from_file(path: Path) -> list[str]:
    """The ``question`` of each JSON line."""
    return [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def made(folder: Path, paths: list[bytes], count: int, seed: int) -> list[str]:
    """Half names, alone or in a short question, half sentences."""
    chance = random.Random(seed)
    sample = chance.sample(paths, min(_READ_FILES, len(paths)))
    texts = [text for path in sample if (text := _text(folder, path))]
    names = sorted({name for text in texts for name in _NAME.findall(text)})
    sentences = sorted({" ".join(found.split()) for text in texts for found in _SENTENCE.findall(text)})
    some_names = chance.sample(names, min(count // 2, len(names)))
    asked = [name if chance.random() < 0.5 else f"where is {name} defined and used?" for name in some_names]
    return [*asked, *chance.sample(sentences, min(count - count // 2, len(sentences)))]


def mixed(questions: list[str], seed: int) -> Iterator[str]:
    """All of them in an order that does not depend on where they came from."""
    shuffled = sorted(questions)
    random.Random(seed).shuffle(shuffled)
    return iter(shuffled)


def _text(folder: Path, path: bytes) -> str:
    return (folder / path.decode("utf-8", "surrogateescape")).read_bytes().decode("utf-8", "replace")
