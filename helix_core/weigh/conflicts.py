"""Does a file's own text say that a merge stopped in it?"""

from __future__ import annotations

_MARKERS = (b"<<<<<<< ", b"=======", b">>>>>>> ")


def has_conflict_markers(data: bytes) -> bool:
    """All three markers of an unresolved conflict at line starts, in their order (git-merge(1), "How conflicts are
    presented"): true where git is not asked, cannot answer, or forgot."""
    position = 0
    for marker in _MARKERS:
        if not position and data.startswith(marker):
            position = len(marker)
            continue
        found = data.find(b"\n" + marker, max(position - 1, 0))
        if found < 0:
            return False
        position = found + 1 + len(marker)
    return True
