"""Which folder stands at a path, and whether anything is in it."""

from __future__ import annotations

import os
from pathlib import Path


def looked_at(folder: Path) -> tuple[tuple[int, int] | None, bool]:
    """Device and inode of the folder at that path, None when there is none; and whether it is empty."""
    try:
        status = os.stat(folder)
        with os.scandir(folder) as entries:
            is_empty = next(entries, None) is None
    except OSError:
        return None, True
    return (status.st_dev, status.st_ino), is_empty
