"""A buffer beside its file: do they read the same, and which line of the file is a line of the buffer?

Called in question threads: it reads the file. The comparing itself is the engine's.
"""

from __future__ import annotations

from pathlib import Path

from helix_core.engine.verdict.overlay import edits
from helix_core.errors import WorkspaceError
from helix_core.lines import LineTable
from helix_core.workspace.disk import DiskError, Root

LARGEST_BYTES = 16 * 1024 * 1024


def reads_as_file(folder: Path, path: bytes, buffer: bytes) -> bool:
    """Does the buffer read as the file does? Line ends and a byte order mark do not count."""
    data = _file(folder, path)
    return data is not None and edits(data, buffer) is None


def line_in_file(folder: Path, path: bytes, buffer: bytes, line: int) -> int:
    """The file's line, 1-based, for a line of the buffer; for one that is only in the buffer, a line near it."""
    data = _file(folder, path)
    lines = LineTable(buffer)
    # Looked at from the other side: what would have to be edited in the buffer to read as the file?
    way_back = edits(buffer, data) if data is not None else None
    if way_back is None or not 1 <= line <= len(lines):
        return line
    return way_back.place(*lines.span(line, line)).lines.start_line


def _file(folder: Path, path: bytes) -> bytes | None:
    try:
        with Root.open(folder) as root:
            return root.read(path, LARGEST_BYTES).data
    except (DiskError, WorkspaceError):
        return None
