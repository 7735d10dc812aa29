"""A tree of any size made of real sources: copies in which paths and defined names differ, as in a larger project."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

_DEFINED = re.compile(r"\b(?:class|def|function|fn|func|struct)\s+(\w{3,})")
_SOURCES = (b".py", b".js", b".ts", b".go", b".rs", b".c", b".h", b".java", b".txt", b".rst", b".md")
_LEAST_BYTES, _MOST_BYTES = 200, 60_000
BASE_FILES = 500
FILES_PER_FOLDER = 50


def base_texts(folder: Path, paths: Sequence[bytes], seed: int) -> list[tuple[str, str]]:
    """Up to 500 real sources of ordinary size, with their file names."""
    shuffled = sorted(path for path in paths if path.endswith(_SOURCES))
    random.Random(seed).shuffle(shuffled)
    found = []
    for path in shuffled:
        file = folder / path.decode("utf-8", "surrogateescape")
        if _LEAST_BYTES <= file.stat().st_size <= _MOST_BYTES:
            found.append((file.name, file.read_text(encoding="utf-8", errors="replace")))
        if len(found) == BASE_FILES:
            break
    return found


def grow(target: Path, base: Sequence[tuple[str, str]], count: int) -> int:
    """Write ``count`` files below ``target``, a git work tree without commits; returns their bytes."""
    target.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(target)], check=True)
    size_bytes = 0
    for number in range(count):
        copy, which = divmod(number, len(base))
        name, text = base[which]
        folder = target / f"part{copy}" / f"group{which // FILES_PER_FOLDER}"
        folder.mkdir(parents=True, exist_ok=True)
        data = renamed(text, f"V{copy}").encode()
        (folder / f"{which}_{name}").write_bytes(data)
        size_bytes += len(data)
    return size_bytes


def renamed(text: str, suffix: str) -> str:
    """The text with every name it defines, and every use of it, given a suffix."""
    names = {*_DEFINED.findall(text)}
    if not names:
        return f"{text}\nCopy {suffix}.\n"
    return re.sub(r"\b(" + "|".join(map(re.escape, sorted(names))) + r")\b", rf"\1{suffix}", text)
