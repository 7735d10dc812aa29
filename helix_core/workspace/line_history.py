"""Who wrote these lines: read beside the answers, never waited for long.

In: lines of a file. Out: what is known by now. git works in its own process and a thread waits for it, so that
an answer takes what is there and the next answer finds the rest. Bounded in time and in what is kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from helix_core.errors import GitError
from helix_core.lines import LineTable
from helix_core.model import LastCommit
from helix_core.workspace.git import Git
from helix_core.workspace.history import blame

BLAME_S = 4.0
KEPT = 512
MOST_WAITING = 4


@dataclass(frozen=True, slots=True)
class LinesCommit:
    """The newest commits among some lines, several where they were made within one second; none where no line is
    committed. ``uncommitted`` when some are not committed yet."""

    newest: tuple[LastCommit, ...]
    uncommitted: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of one version of a file, 1-based and inclusive; ``data`` are its bytes, ``content_hash`` names them."""

    path: bytes
    content_hash: str
    start_line: int
    end_line: int
    data: bytes = field(repr=False, compare=False, hash=False, default=b"")


class LineHistory:
    """The history of one repository at one HEAD; ``boundaries`` are the commits where a shallow clone is cut off.

    Its threads end with ``close``, and so does the git they wait for.
    """

    def __init__(self, git: Git, history: str, boundaries: frozenset[str] = frozenset()) -> None:
        self.git, self.history = git, history
        self._boundaries = boundaries
        self._change = threading.Condition()
        self._known: OrderedDict[Lines, tuple[LastCommit, ...]] = OrderedDict()
        self._waiting: list[Lines] = []
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()

    def ask(self, lines: Lines) -> None:
        """Have the lines looked up, unless they are known; of many asked for in a row the oldest are forgotten."""
        with self._change:
            if self._closed.is_set() or lines in self._known or lines in self._waiting:
                return
            self._waiting = [*self._waiting[-MOST_WAITING + 1 :], lines]
            if not any(thread.name == "helix-blame" for thread in self._threads):
                self._start("helix-blame", self._look_up)
            self._change.notify_all()

    def of(self, lines: Lines, wait_s: float = 0.0) -> LinesCommit | None:
        """What is known of lines that were asked for, after at most ``wait_s`` seconds; None while nothing is."""
        found = self.each(lines, wait_s)
        if not found:
            return None
        committed = [commit for commit in found if commit.commit.strip("0")]
        known = [commit for commit in committed if commit.commit not in self._boundaries]
        last = max((commit.committed_at for commit in known), default=0)
        newest = dict.fromkeys(commit for commit in known if commit.committed_at == last)
        return LinesCommit(tuple(newest), len(committed) < len(found))

    def each(self, lines: Lines, wait_s: float = 0.0) -> tuple[LastCommit, ...]:
        """The commit of each of the lines, as ``of`` knows it: zeros for one that is not committed; empty while
        nothing is known, and where git cannot say."""
        with self._change:
            self._change.wait_for(lambda: lines in self._known or self._closed.is_set(), max(wait_s, 0.0))
            found = self._known.get(lines, ())
            if found:
                self._known.move_to_end(lines)
            return found

    def close(self) -> None:
        """End the threads and git; what is not known by now is never known."""
        self._closed.set()
        with self._change:
            self._change.notify_all()
        for thread in self._threads:
            thread.join()

    def _start(self, name: str, work: object) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _look_up(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._closed.is_set())
                if self._closed.is_set():
                    return
                lines = self._waiting[-1]
            found = self._blamed(lines)
            with self._change:
                self._waiting = [one for one in self._waiting if one != lines]
                self._known[Lines(lines.path, lines.content_hash, lines.start_line, lines.end_line)] = found
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
                self._change.notify_all()

    def _blamed(self, lines: Lines) -> tuple[LastCommit, ...]:
        first, last = _git_lines(lines)
        try:
            return tuple(
                blame(
                    self.git,
                    lines.path,
                    first,
                    last,
                    contents=lines.data,
                    timeout_seconds=BLAME_S,
                    stopped=self._closed,
                )
            )
        except GitError:
            return ()


def _git_lines(lines: Lines) -> tuple[int, int]:
    """The lines as git counts them: for git a lone ``\\r`` ends no line."""
    if not lines.data:
        return lines.start_line, lines.end_line
    start, end = LineTable(lines.data).span(lines.start_line, lines.end_line)
    return lines.data.count(b"\n", 0, start) + 1, lines.data.count(b"\n", 0, max(end - 1, start)) + 1
