"""``helix daemon``: the process that serves the editors."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated, Any

import typer

from helix_ls.cli.output import print_json
from helix_ls.cli.verbs import Json

LOGS_SCHEMA = "helix.logs/1"


class DaemonAction(StrEnum):
    """What can be done with it."""

    STATUS = "status"
    STOP = "stop"
    LOGS = "logs"


def daemon(
    action: Annotated[
        DaemonAction, typer.Argument(metavar="[ACTION]", help="status, stop or logs.")
    ] = DaemonAction.STATUS,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="The maximum number of log lines.")] = 100,
    as_json: Json = False,
) -> None:
    """Show, or stop, the process that serves the editors. An editor that is open starts it again."""
    if action is DaemonAction.LOGS:
        _show(_logs(lines), as_json)
        return
    from helix_ls.host.election import daemon_status, stop_daemon

    _show(daemon_status(os.environ) if action is DaemonAction.STATUS else stop_daemon(os.environ), as_json)


def _logs(most: int) -> dict[str, Any]:
    from helix_ls.host.endpoint import place
    from helix_ls.host.log import last_lines

    log = place(os.environ).log
    return {"schema": LOGS_SCHEMA, "log": str(log), "lines": last_lines(log, most)}


def _show(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_daemon

        draw_daemon(answer)
