"""``helix index``: bring the index up to date."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_ls.cli.opened import bring_up_to_date, opened
from helix_ls.cli.output import print_json
from helix_ls.cli.verbs import HERE, Folder, Json

if TYPE_CHECKING:
    from helix_core.engine import RefreshReport

SCHEMA = "helix.index/1"


def index(
    path: Folder = HERE,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Throw the index away and build it from the files.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring the index of a folder up to date."""
    with opened(path) as helix:
        answer = report(str(helix.workspace), bring_up_to_date(helix, rebuild=rebuild))
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.index import draw

        draw(answer)


def report(workspace: str, done: RefreshReport) -> dict[str, Any]:
    """The ``helix.index/1`` object."""
    facts = asdict(done)
    facts["quarantined"] = [{"source_id": path, "reason": reason} for path, reason in done.quarantined]
    facts["elapsed_ms"] = round(done.elapsed_ms, 3)
    return {"schema": SCHEMA, "workspace": workspace, **facts}
