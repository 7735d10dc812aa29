"""``helix uses``: who calls, overrides, tests and documents a name?"""

from __future__ import annotations

from typing import Annotated

import typer

from helix_core.errors import UsageError
from helix_ls.cli.opened import bring_as_far_as_possible, opened, waiting
from helix_ls.cli.options import HERE, Json, PathOption
from helix_ls.cli.output import is_cancelled, print_json
from helix_ls.operations.places import SYMBOL

_NAME, _K, _DEPTH, _PAGE = map(SYMBOL.parameter, ("name", "k", "depth", "page"))


def uses(
    name: Annotated[str, typer.Argument(help=_NAME.about.description)],
    *,
    path: PathOption = HERE,
    k: Annotated[int, typer.Option("--limit", "-k", help=_K.about.description)] = _K.default,
    depth: Annotated[int, typer.Option("--depth", help=_DEPTH.about.description)] = _DEPTH.default,
    page: Annotated[str, typer.Option("--page", metavar="PAGE", help=_PAGE.about.description)] = "",
    as_json: Json = False,
) -> None:
    """Show who calls, overrides, tests and documents a name, and its definitions."""
    _K.check(k, "--limit")
    _DEPTH.check(depth, "--depth")
    wanted = name.encode("utf-8", "replace").decode("utf-8")
    if not wanted.strip():
        raise UsageError("the name is empty; give one, as in: helix uses Basket.add_line")
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        with waiting("looking for uses"):
            answer = helix.symbols.about(wanted, k=k, depth=depth, page=page, cancelled=is_cancelled)
        if answer is None:
            raise UsageError(helix.symbols.unknown(wanted, search="helix search"))
        workspace, shown = helix.workspace, {*helix.notices, helix.behind}
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_uses

        draw_uses(answer, workspace, shown)
