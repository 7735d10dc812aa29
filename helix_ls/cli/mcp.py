"""``helix mcp``: the workspace as tools for agents, on stdin and stdout."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from helix_ls.cli.verbs import HERE, Folder


class Profile(StrEnum):
    """How many tools there are."""

    DEFAULT = "default"
    FULL = "full"


def mcp(
    path: Folder = HERE,
    *,
    profile: Annotated[Profile, typer.Option("--profile", help="How many tools to offer.")] = Profile.DEFAULT,
    solo: Annotated[bool, typer.Option("--solo", help="Work in this process, without the daemon.")] = False,
) -> None:
    """Serve an agent on stdin and stdout, in the Model Context Protocol; for agents, not for people."""
    from helix_ls.mcp.run import run

    folder = Path(os.path.realpath(path))
    run(folder, is_named=path != HERE, profile=profile.value, solo=solo)
