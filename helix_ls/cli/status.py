"""``helix status``: what the index knows of a folder, and what it left out."""

from __future__ import annotations

from typing import Annotated

import typer

from helix_ls.cli.opened import opened
from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import print_json


def status(
    path: Folder = HERE,
    skipped: Annotated[
        bool, typer.Option("--skipped", help="List the files that are not indexed, with the reason.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what the index holds and whether it is fresh."""
    with opened(path) as helix:
        answer = helix.status(skipped=skipped)
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_status

        draw_status(answer)
