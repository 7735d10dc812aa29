"""``helix doctor``: can Helix work on this machine?"""

from __future__ import annotations

import typer

from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import complain, print_json


def doctor(path: Folder = HERE, as_json: Json = False) -> None:
    """Check what Helix needs of this machine."""
    from helix_core.doctor import doctor_answer, examine

    checks = examine(path)
    answer = doctor_answer(checks)
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_doctor

        draw_doctor(answer)
    if not answer["ok"]:
        failed = ", ".join(check.name for check in checks if check.state == "fail")
        complain(f"Helix cannot work here yet: {failed}; follow the advice of each failed check")
        raise typer.Exit(1)
