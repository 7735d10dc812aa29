"""A window on a workspace: what a bench does with it, said as an editor's user would."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wire import Client

_WORD = re.compile(r"\b(?:def|class)\s+(\w{4,})")
MOST_SYMBOLS = 200


def is_fresh(method: str, params: Any) -> bool:
    """Does the server say that the index is level with the disk?"""
    return bool(method == "helix/status" and params["state"] == "fresh")


def is_indexing(method: str, params: Any) -> bool:
    """Does the server say that it indexes, and how far it is?"""
    return bool(method == "helix/status" and params["state"] == "indexing" and params["total"])


async def hover_at(client: Client, place: tuple[Path, int, int]) -> tuple[float, bool]:
    """One hover: milliseconds there and back, and whether there was something to show."""
    file, line, column = place
    position = {"line": line, "character": column}
    started = time.perf_counter()
    shown = await client.ask("textDocument/hover", {"textDocument": {"uri": file.as_uri()}, "position": position})
    return (time.perf_counter() - started) * 1e3, shown is not None


def symbols(folder: Path, seed: int) -> list[tuple[Path, int, int]]:
    """Places of definitions in the folder's Python files: file, 0-based line, 0-based column inside the name."""
    files = sorted(folder.rglob("*.py"))
    random.Random(seed).shuffle(files)
    places = []
    for file in files:
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
        found = [
            (file, number, match.start(1) + 1) for number, line in enumerate(lines) if (match := _WORD.search(line))
        ]
        places += found[:3]
        if len(places) >= MOST_SYMBOLS:
            break
    return places


def name_at(place: tuple[Path, int, int]) -> str:
    """The name defined at one of ``symbols``' places."""
    file, line, _ = place
    found = _WORD.search(file.read_text(encoding="utf-8", errors="replace").split("\n")[line])
    return found.group(1) if found else ""


def open_documents(client: Client, places: Iterable[tuple[Path, int, int]]) -> None:
    """``didOpen`` of every file among ``places``, with what is on disk."""
    for file in dict.fromkeys(place[0] for place in places):
        text = file.read_text(encoding="utf-8", errors="replace")
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        client.tell("textDocument/didOpen", {"textDocument": document})


def git(folder: Path, *command: str) -> None:
    """A git command that must succeed."""
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *command], check=True, capture_output=True)


async def in_thread(function: Any, *given: Any) -> Any:
    """What blocks runs beside the client, which must go on reading."""
    return await asyncio.to_thread(function, *given)
