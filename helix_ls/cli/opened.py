"""A folder opened for one command, and its index brought up to date before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from helix_core.config import load_config
from helix_core.workspace.disk import check_project
from helix_ls.cli.output import complain, warn
from helix_ls.cli.progress import Bar

if TYPE_CHECKING:
    from helix_core.engine import Helix, Progress, RefreshReport

T = TypeVar("T")


@contextmanager
def opened(folder: Path) -> Iterator[Helix]:
    """The engine on a folder, closed at the end; what the user should know of settings and index goes to stderr.

    Raises WorkspaceError for a home folder and for the root of the disk.
    """
    check_project(folder)
    from helix_core.embed.model import HastyEncoder
    from helix_core.engine import Helix

    config = load_config(folder)
    with Helix.open(folder, config=config) as helix:
        warn(helix.notices)
        helix.encoder = HastyEncoder(config.cache_dir, config.embed_model)
        yield helix


def bring_as_far_as_possible(helix: Helix) -> None:
    """Refresh before a question; where that cannot be done soon, say so and let it answer as it is."""
    _with_bar(helix.catch_up)
    if helix.behind:
        warn([helix.behind])


def bring_up_to_date(helix: Helix, *, rebuild: bool = False) -> RefreshReport:
    """Refresh with a progress bar on a terminal."""
    return _with_bar(helix.rebuild if rebuild else helix.refresh)


def _with_bar(refresh: Callable[[Callable[[Progress], None]], T]) -> T:
    """An interrupt keeps what was stored, says so, and ends with 130."""
    bar = Bar()
    try:
        with bar:
            return refresh(bar.show)
    except KeyboardInterrupt:
        kept = f"{bar.done:,} of {bar.total:,} files done are kept" if bar.total else "the index keeps what it had"
        complain(f"interrupted; {kept}, run the same command to go on")
        raise typer.Exit(130) from None
