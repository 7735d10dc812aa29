"""``helix serve``: the chat proxy and the HTTP API, for people without the editor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helix_core.errors import UsageError
from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import print_json, print_text, warn

if TYPE_CHECKING:
    from helix_ls.proxy.running import RunningServer


def serve(
    path: Folder = HERE,
    *,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65_535, help="The port to listen on, or the next free one (11437)."),
    ] = None,
    also: Annotated[
        list[Path] | None, typer.Option("--also", metavar="PATH", help="Another folder, served as /w/<its name>/…")
    ] = None,
    as_json: Json = False,
) -> None:
    """Watch a folder and serve OpenAI clients on this machine until interrupted."""
    from helix_core.config import load_config
    from helix_core.extras import why_missing
    from helix_core.telemetry import why_off
    from helix_core.workspace import check_project

    if why := why_missing("proxy"):
        raise UsageError(why)
    from helix_ls.proxy.keys import admins_key, taken, users_key
    from helix_ls.proxy.server import run
    from helix_ls.proxy.upstream import addresses

    for folder in (path, *(also or [])):
        check_project(folder)
    # Read the user's own settings only: a workspace may not choose where chats are sent.
    config = load_config(None)
    warn(config.warnings)
    warn([why] if (why := why_off(config)) else [])
    # Child processes do not need the keys.
    upstreams, warnings = addresses(config, taken(os.environ), os.environ)
    warn(warnings)
    if not upstreams:
        warn([_advice()])
    raise typer.Exit(
        run(
            [path, *(also or [])],
            port=config.proxy_port if port is None else port,
            key=users_key(os.environ),
            admin_key=admins_key(os.environ),
            upstreams=upstreams,
            config=config,
            environ=os.environ,
            indexing=_note_indexing,
            ready=_print_ready_json if as_json else _print_ready,
        )
    )


def _advice() -> str:
    import asyncio

    from helix_ls.proxy.presets import advice, answering

    return advice(asyncio.run(answering()))


def _note_indexing(running: RunningServer) -> None:
    folder = running.workspaces[0]
    warn([f"{running.url} answers already; {folder} is still being brought up to date, and answers say how far"])


def _print_ready_json(running: RunningServer) -> None:
    print_json({"url": running.url, "port": running.port, "pid": running.pid, "workspace": running.workspaces[0]})


def _print_ready(running: RunningServer) -> None:
    print_text(
        f"Helix serves {running.workspaces[0]} at {running.url}\n"
        f"OpenAI clients use {running.url}/v1 with the key printed by: helix connect openai\n"
    )
