"""The least any tool would have to do: a plain one-table FTS5 build, and a bare stat walk. Standard library only.

python yardsticks.py fts5 FOLDER LIST_FILE DATABASE      LIST_FILE: paths from FOLDER, NUL between them
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time

_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_SEPARATORS = re.compile(r"[/._-]")


def _split(text: str) -> str:
    return _CAMEL.sub(r"\1 \2", text).replace("_", " ")


def build_fts5(folder: bytes, paths: list[bytes], database: str) -> None:
    """One row a file: the words of its path, and its text with identifiers split."""
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE VIRTUAL TABLE file USING fts5(source UNINDEXED, path, body)")
    for path in paths:
        with open(os.path.join(folder, path), "rb") as file:
            text = file.read().decode("utf-8", "replace")
        name = path.decode("utf-8", "replace")
        row = (name, _split(_SEPARATORS.sub(" ", name)), _split(text))
        connection.execute("INSERT INTO file VALUES (?, ?, ?)", row)
    connection.commit()
    connection.close()


def stat_walk(folder: str) -> int:
    """``lstat`` everything below a folder but git's own files; returns how many files there are."""
    count, waiting = 0, [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        waiting.append(entry.path)
                else:
                    count += 1
    return count


def timed_stat_walk(folder: str, times: int = 5) -> float:
    """The median seconds of a few walks."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        stat_walk(folder)
        taken.append(time.perf_counter() - started)
    return sorted(taken)[len(taken) // 2]


if __name__ == "__main__":
    _, _, place, list_file, target = sys.argv
    with open(list_file, "rb") as listing:
        build_fts5(os.fsencode(place), [path for path in listing.read().split(b"\0") if path], target)
