"""``helix mcp``: the workspace as tools for agents, on stdin and stdout."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helix_ls.cli.options import HERE, Folder

if TYPE_CHECKING:
    from helix_ls.mcp.server import ToolOffer


class Profile(StrEnum):
    """How many tools there are."""

    DEFAULT = "default"
    MEMORY = "memory"
    FULL = "full"


def mcp(
    path: Folder = HERE,
    *,
    profile: Annotated[
        Profile, typer.Option("--profile", help="Which tools to offer: those about the code, of the memory, or all.")
    ] = Profile.DEFAULT,
    solo: Annotated[bool, typer.Option("--solo", help="Run in this process, without the daemon.")] = False,
) -> None:
    """Serve an agent on stdin and stdout, in the Model Context Protocol; for agents, not for people."""
    from helix_ls.mcp.run import run

    folder = Path(os.path.realpath(path))
    run(folder, is_named=path != HERE, offer=lambda: _offer(profile), solo=solo)


def _offer(profile: Profile) -> ToolOffer:
    from helix_core.config import load_config
    from helix_ls.mcp.server import ToolOffer
    from helix_ls.mcp.session import ServerFacts
    from helix_ls.proxy.running import Signals

    # Read the user's own settings only: a workspace may not allow tools that write.
    writes = load_config(None).mcp_write_tools
    known = ServerFacts(servers=lambda: Signals.of(os.environ).servers(), layers=_layers())
    return ToolOffer(profile.value, writes, known)


def _layers() -> dict[str, str]:
    """Return the attribution layers of this agent from its environment."""
    named = {"org_id": "HELIX_ORG", "party_id": "HELIX_DEVICE", "participant_handle": "HELIX_USER"}
    named["agent_handle"] = "HELIX_AGENT"
    return {layer: os.environ[name] for layer, name in named.items() if os.environ.get(name)}
