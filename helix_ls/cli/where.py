"""``helix where``: where was I?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from helix_core.model import MemoryOrigin
from helix_ls.cli.opened import bring_as_far_as_possible, opened
from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import print_json, warn
from helix_ls.operations.arguments import AskContext
from helix_ls.operations.memory import FORGET_TRAIL, WHERE, ForgetTrailArguments, WhereArguments

_K = WHERE.parameter("k")


def where(
    path: Folder = HERE,
    *,
    k: Annotated[int, typer.Option("--limit", "-k", help=_K.about.description)] = _K.default,
    forget: Annotated[bool, typer.Option("--forget", help="Remove what was recorded, every byte of it.")] = False,
    as_json: Json = False,
) -> None:
    """Show the places that were opened last, and past moments like now, with their verdicts."""
    _K.check(k, "--limit")
    with opened(Path(path)) as helix:
        if forget:
            answer = FORGET_TRAIL.run(helix, ForgetTrailArguments(origin=MemoryOrigin.USER.value), AskContext())
        else:
            bring_as_far_as_possible(helix)
            answer = WHERE.run(helix, WhereArguments(k), AskContext())
        workspace = helix.workspace
    if as_json:
        print_json(answer)
        return
    warn(answer.get("notes", ()))
    from helix_ls.cli.render.memory import draw_forgotten_trail, draw_trail

    if forget:
        draw_forgotten_trail(answer)
    else:
        draw_trail(answer, workspace)
