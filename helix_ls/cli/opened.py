"""A folder opened for one command, and its index brought up to date before it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from helix_core.config import load_config
from helix_core.errors import CorruptStoreError, NewerStoreError, StoreError
from helix_ls.cli.output import complain, warn
from helix_ls.cli.progress import Bar

if TYPE_CHECKING:
    from helix_core.engine import Helix, RefreshReport


@contextmanager
def opened(folder: Path) -> Iterator[Helix]:
    """The engine on a folder, closed at the end; what the user should know of settings and index goes to stderr."""
    from helix_core.embed.encoder import HastyEncoder
    from helix_core.engine import Helix

    config = load_config(folder)
    with Helix.open(folder, config=config) as helix:
        warn((*config.warnings, *helix.notices))
        helix.encoder = HastyEncoder(config.cache_dir, config.embed_model)
        yield helix


def bring_as_far_as_possible(helix: Helix) -> None:
    """Refresh before a question; where the index cannot be written any more, say so and let it answer as it is."""
    try:
        bring_up_to_date(helix, retries=False)
    except (CorruptStoreError, NewerStoreError):
        raise
    except StoreError as error:
        if not helix.is_indexed():
            raise
        warn([f"the index was not brought up to date and answers as it is: {error}"])


def bring_up_to_date(helix: Helix, *, rebuild: bool = False, retries: bool = True) -> RefreshReport:
    """Refresh with a progress bar on a terminal. An interrupt keeps what was stored, says so, and ends with 130."""
    bar = Bar()
    try:
        with bar:
            return helix.rebuild(bar.show) if rebuild else helix.refresh(bar.show, retries=retries)
    except KeyboardInterrupt:
        kept = f"{bar.done:,} of {bar.total:,} files done are kept" if bar.total else "the index keeps what it had"
        complain(f"interrupted; {kept}, run the same command to go on")
        raise typer.Exit(130) from None
