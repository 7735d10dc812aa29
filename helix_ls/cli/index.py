"""``helix index``: bring the index up to date."""

from __future__ import annotations

from typing import Annotated

import typer

from helix_ls.cli.opened import bring_up_to_date, opened
from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import print_json
from helix_ls.host.index_answer import index_answer


def index(
    path: Folder = HERE,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Delete the index and rebuild it from the files.")] = False,
    as_json: Json = False,
) -> None:
    """Bring the index of a folder up to date."""
    with opened(path) as helix:
        answer = index_answer(str(helix.workspace), bring_up_to_date(helix, rebuild=rebuild))
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_index

        draw_index(answer)
