"""Open a folder for one command and refresh its index behind a progress bar."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from helix_core.config import Config, load_config
from helix_core.errors import UsageError
from helix_core.printable import count, one_line
from helix_core.telemetry import Spans, no_span
from helix_core.workspace import check_project
from helix_ls.cli.delegate import MOST_INPUT_BYTES
from helix_ls.cli.output import CALLER, CommandEndedError, complain, read_input, warn

if TYPE_CHECKING:
    import rich.progress
    import rich.status

    from helix_core.engine import Helix
    from helix_core.engine.indexing import Progress, RefreshReport

PATIENCE_S = 0.5


class TerminalProgress:
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
        """Record the progress, and draw it once the work takes long enough."""
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
        """Start a bar for a phase, an indeterminate one when its total is unknown."""
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
        BarColumn(bar_width=28, complete_style="cyan", finished_style="cyan"),
        TextColumn("{task.fields[of]}", style="cyan", markup=False),
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


@contextmanager
def waiting(words: str, *, after_s: float = PATIENCE_S) -> Iterator[None]:
    """Show ``words`` and a spinner on stderr, if it is a terminal, while the block runs for longer than ``after_s``."""
    if not sys.stderr.isatty():
        yield
        return
    shown: list[rich.status.Status] = []

    def show() -> None:
        from rich.console import Console

        status = Console(stderr=True, markup=False, emoji=False, highlight=False).status(words, spinner_style="cyan")
        status.start()
        shown.append(status)

    timer = threading.Timer(after_s, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()


T = TypeVar("T")


@contextmanager
def opened(folder: Path) -> Iterator[Helix]:
    """Open the engine on a folder and close it at the end; warnings about settings and index go to stderr.

    Raises WorkspaceError for a home folder and for the root of the disk.
    """
    caller = CALLER.get()
    if caller is not None:
        assert caller.helix is not None
        warn(caller.helix.notices)
        yield caller.helix
        return
    check_project(folder)
    with waiting("opening the index"):
        from helix_core.embed import OneShotEncoder
        from helix_core.engine import Helix, index_folder
        from helix_ls.host.parse_journal import CommandJournal

        root = Path(os.path.realpath(folder))
        config = load_config(root)
        helix = Helix.open(folder, config=config, parse_guard=CommandJournal(index_folder(config.cache_dir, root)))
    with helix:
        warn(helix.notices)
        helix.session.process_name = "a helix command"
        helix.session.encoder = OneShotEncoder(config.cache_dir, config.embed_model)
        with _telemetry(config) as helix.session.span:
            yield helix


@contextmanager
def _telemetry(config: Config) -> Iterator[Spans]:
    """Yield what begins spans of this command, and export them at its end; nothing is loaded where telemetry is off."""
    if not config.otel_enabled:
        yield no_span
        return
    from helix_ls.host.telemetry import telemetry_of

    telemetry = telemetry_of(config)
    try:
        yield telemetry.span
    finally:
        telemetry.close()


def bring_as_far_as_possible(helix: Helix) -> None:
    """Refresh before a question; warn when that takes too long, and answer from the index as it is."""
    if CALLER.get() is None:
        _with_bar(helix.catch_up)
    else:
        helix.catch_up(only_small=True)
    if helix.behind:
        warn([helix.behind])


def bring_up_to_date(helix: Helix, *, rebuild: bool = False) -> RefreshReport:
    """Refresh with a progress bar on a terminal."""
    return _with_bar(helix.rebuild if rebuild else helix.refresh)


def _with_bar(refresh: Callable[[Callable[[Progress], None]], T]) -> T:
    """Refresh with a progress bar. An interrupt keeps what was stored, reports it, and exits with 130."""
    bar = TerminalProgress()
    try:
        with bar:
            return refresh(bar.show)
    except KeyboardInterrupt:
        done = f"{bar.done:,} of {count(bar.total, 'file')} done {'is' if bar.done == 1 else 'are'} kept"
        kept = done if bar.total else "the index keeps what it had"
        complain(f"interrupted; {kept}; run the same command to continue")
        raise CommandEndedError(130) from None


MAX_BYTES = MOST_INPUT_BYTES


def stated(text: str) -> str:
    """Return a text to keep. Raises UsageError where it is too long, or is not UTF-8: nothing of it may be lost."""
    data = os.fsencode(text) if text != "-" else read_input(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"the text is larger than {MAX_BYTES // 1024 // 1024} MiB; state the fact alone")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"the text is not UTF-8 (byte {error.start + 1:,}); give it as UTF-8 text") from error


def question_text(question: str) -> str:
    """Return the question as valid text. Raises UsageError when standard input is longer than a question may be."""
    if question != "-":
        return question.encode("utf-8", "replace").decode("utf-8")
    data = read_input(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"the question is larger than {MAX_BYTES // 1024 // 1024} MiB; ask a shorter one")
    return data.decode("utf-8", "replace")
