"""Where the lines of a file begin. A line ends with the byte ``\\n`` and with nothing else."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class Lines:
    """Line starts of ``data``; rows are 0-based. The empty rest after a final newline is not a line."""

    __slots__ = ("size", "starts")

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        starts = [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]
        while starts and starts[-1] >= self.size:
            starts.pop()
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts)

    def row(self, offset: int) -> int:
        """The row of the byte at ``offset``."""
        return bisect_right(self.starts, offset) - 1

    def start(self, row: int) -> int:
        """The first byte of ``row``; the end of the file for rows after the last."""
        return self.starts[row] if row < len(self.starts) else self.size


def line_count(data: bytes) -> int:
    """How many lines ``data`` has."""
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)
