"""Findings the user has put away: remembered per workspace beside its index, for as long as their text stays as it is.

In: a folder, (path, code, text hash). Out: what was put away. Called in question threads only; losing the file costs
nothing but having to say it again.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from helix_core.errors import StoreError

FILE = "dismissed.json"
MOST = 5_000
_writing = threading.Lock()
Dismissal = tuple[str, str, str]


def dismissed(folder: Path) -> frozenset[Dismissal]:
    """What was put away; nothing where the file is missing or cannot be understood."""
    return frozenset(_read(folder / FILE))


def dismiss(folder: Path, one: Dismissal) -> None:
    """Put one away, atomically. Raises StoreError when it cannot be written."""
    file = folder / FILE
    with _writing:
        kept = [each for each in _read(file) if each != one][-MOST + 1 :]
        new = file.with_name(f"{FILE}.{os.getpid()}.new")
        try:
            new.write_text(json.dumps([*kept, one]), encoding="utf-8")
            os.replace(new, file)
        except OSError as error:
            raise StoreError(
                f"{file} cannot be written ({error.strerror}); free some space or mend its permissions"
            ) from error


def _read(file: Path) -> list[Dismissal]:
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    rows = given if isinstance(given, list) else []
    return [(row[0], row[1], row[2]) for row in rows if _is_dismissal(row)]


def _is_dismissal(row: object) -> bool:
    return isinstance(row, list) and len(row) == 3 and all(isinstance(part, str) for part in row)
