"""``helix changes``: what broke since a commit?"""

from __future__ import annotations

from typing import Annotated

import typer

from helix_ls.cli.opened import bring_as_far_as_possible, opened, waiting
from helix_ls.cli.options import HERE, Json, PathOption
from helix_ls.cli.output import is_cancelled, print_json
from helix_ls.operations.places import CHANGES
from helix_ls.operations.questions import filter_name

_SINCE, _K, _USES, _PAGE = map(CHANGES.parameter, ("since", "k", "uses", "page"))


def changes(
    *,
    since: Annotated[str | None, typer.Option("--since", metavar="COMMIT", help=_SINCE.about.description)] = None,
    path: PathOption = HERE,
    k: Annotated[int, typer.Option("--limit", "-k", help=_K.about.description)] = _K.default,
    uses: Annotated[int, typer.Option("--uses", help=_USES.about.description)] = _USES.default,
    page: Annotated[str, typer.Option("--page", metavar="PAGE", help=_PAGE.about.description)] = "",
    as_json: Json = False,
) -> None:
    """Show which definitions changed or went away since a commit, and who still uses them."""
    _K.check(k, "--limit")
    _USES.check(uses, "--uses")
    start = filter_name("--since", since)
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        with waiting("comparing"):
            answer = helix.symbols.changes(start, k=k, uses=uses, page=page, cancelled=is_cancelled)
        workspace, shown = helix.workspace, {*helix.notices, helix.behind}
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_changes

        draw_changes(answer, workspace, shown)
