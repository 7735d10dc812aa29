"""A progress bar on stderr, for people only: nothing when piped, nothing for work that is over in a blink."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from helix_core.printable import one_line

if TYPE_CHECKING:
    import rich.progress

    from helix_core.engine import Progress

PATIENCE_S = 0.5


class Bar:
    """Pass ``show`` as the progress callback. ``done`` and ``total`` are files of the last phase that counted any."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self._drawn: rich.progress.Progress | None = None
        self._task: rich.progress.TaskID | None = None
        self._phase = ""
        self._wanted = sys.stderr.isatty()
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def show(self, progress: Progress) -> None:
        """Take note of where the work stands, and draw it once it has lasted."""
        if progress.total:
            self.done, self.total = progress.done, progress.total
        if not self._wanted:
            return
        if self._drawn is None:
            if time.monotonic() - self._since < PATIENCE_S:
                return
            self._drawn = _bar()
            self._drawn.start()
        if progress.phase != self._phase:
            self._begin(self._drawn, progress)
        assert self._task is not None
        of = f"{progress.done:,}/{progress.total:,}" if progress.total else ""
        self._drawn.update(self._task, completed=progress.done, of=of, path=one_line(progress.path))

    def _begin(self, drawn: rich.progress.Progress, progress: Progress) -> None:
        """A phase gets a bar of its own, one that swings when nobody knows how long it will take."""
        if self._task is not None:
            drawn.remove_task(self._task)
        self._phase = progress.phase
        self._task = drawn.add_task(one_line(progress.phase), total=progress.total or None, of="", path="")


def _bar() -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    quiet = Console(stderr=True, markup=False, emoji=False, highlight=False)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=28, complete_style="green", finished_style="green"),
        TextColumn("{task.fields[of]}", style="green", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn(
            "{task.fields[path]}",
            style="dim",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
        console=quiet,
        transient=True,
        expand=True,
        refresh_per_second=8,
    )
