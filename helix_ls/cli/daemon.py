"""``helix daemon``: the process that serves the editors."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from helix_core.errors import UsageError
from helix_ls.cli.options import Json
from helix_ls.cli.output import complain, print_json, print_text

LOGS_SCHEMA = "helix.logs/1"
INSTALL_SCHEMA = "helix.service/1"


class DaemonAction(StrEnum):
    """Actions of ``helix daemon``."""

    STATUS = "status"
    STOP = "stop"
    LOGS = "logs"
    INSTALL = "install"


def daemon(
    action: Annotated[
        DaemonAction, typer.Argument(metavar="[ACTION]", help="status, stop, logs or install.")
    ] = DaemonAction.STATUS,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="The maximum number of log lines.")] = 100,
    write: Annotated[bool, typer.Option("--write", help="For install: write the file, after confirmation.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --write: do not ask for confirmation.")] = False,
    as_json: Json = False,
) -> None:
    """Show, or stop, the process that serves the editors; install has your session start it.

    An editor that is open starts it again. Without --write, install only prints the file of systemd or launchd.
    """
    if write and action is not DaemonAction.INSTALL:
        raise UsageError("--write applies only to: helix daemon install")
    if action is DaemonAction.INSTALL:
        _install(write=write, yes=yes, as_json=as_json)
        return
    if action is DaemonAction.LOGS:
        _show(_logs(lines), as_json)
        return
    from helix_ls.host.election import daemon_status, stop_daemon

    _show(daemon_status(os.environ) if action is DaemonAction.STATUS else stop_daemon(os.environ), as_json)


def _install(*, write: bool, yes: bool, as_json: bool) -> None:
    from helix_ls.host.service import service_file
    from helix_ls.proxy.config_files import planned

    made = service_file(sys.platform, os.environ, Path.home(), sys.executable)
    edit = planned(made.path, lambda _: made.text)
    answer: dict[str, Any] = {
        "schema": INSTALL_SCHEMA,
        "path": str(made.path),
        "text": made.text,
        "changed": edit.is_needed,
        "written": False,
        "start": made.start,
        "remove": made.remove,
    }
    if not as_json:
        print_text(edit.diff() if write else made.text)
    if not edit.is_needed:
        complain(f"note: {made.path} is already up to date")
    elif write:
        if not yes and not _agreed(made.path):
            raise typer.Exit(1)
        edit.write()
        answer["written"] = True
        complain(f"note: written to {made.path}; start it with: {made.start}")
        complain(f"note: to remove it: {made.remove}")
    else:
        complain(f"note: nothing is written; --write puts this into {made.path}")
    if as_json:
        print_json(answer)


def _agreed(path: Path) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"{path} is not written without confirmation; add --yes")
    return typer.confirm(f"Write {path}?", err=True)


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
