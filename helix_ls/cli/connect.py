"""``helix connect``: what to write into a client's configuration, with the key of this user's server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from helix_ls.cli.output import complain, print_json, print_text
from helix_ls.cli.verbs import HERE, Json, PathOption


def connect(
    client: Annotated[
        str, typer.Argument(help="openai, continue, cursor, cline, zed, claude, codex, vscode or admin.")
    ],
    *,
    path: PathOption = HERE,
    model: Annotated[str, typer.Option("--model", help="The model's name at the upstream.")] = "MODEL",
    as_json: Json = False,
) -> None:
    """Print how a client reaches Helix: the server that runs (see helix serve), or helix mcp. Changes no file."""
    from helix_ls.proxy.clients import CLIENTS, STARTERS, Endpoint, configuration
    from helix_ls.proxy.key import admins_key, users_key
    from helix_ls.proxy.running import found

    workspace = os.path.realpath(path)
    if client in STARTERS or client not in CLIENTS:
        made = configuration(client, Endpoint("", "", workspace, model, _command()))
        said = {"where": made.where, "configuration": made.text}
    else:
        key = admins_key(os.environ) if client == "admin" else users_key(os.environ)
        running = found(os.environ, key, workspace)
        endpoint = Endpoint(f"{running.url}/v1", key, workspace, model)
        made = configuration(client, endpoint)
        said = {"base_url": endpoint.base_url, "api_key": key}
        if client not in ("openai", "admin"):
            said |= {"where": made.where, "configuration": made.text}
    if as_json:
        print_json(said)
        return
    complain(f"note: for {made.where}")
    print_text(made.text + "\n")


def _command() -> tuple[str, ...]:
    """How a client starts this helix, whatever its PATH is."""
    script = Path(sys.executable).with_name("helix")
    return (str(script),) if script.exists() else (sys.executable, "-m", "helix_ls.cli")
