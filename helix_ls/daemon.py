"""``python -m helix_ls.daemon``: the daemon, with the language server and the command line in it."""

from __future__ import annotations

import asyncio
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from helix_ls.host.election import DETACH, detach
from helix_ls.host.parent import set_up_process

if TYPE_CHECKING:
    from helix_ls.host.framing import Frames
    from helix_ls.host.host import Host

SESSION = "helix_ls.lsp.session"


async def serve_editor(host: Host, frames: Frames, writer: asyncio.StreamWriter, *, resumed: bool, mode: str) -> None:
    """One editor's session; its packages are loaded when the first comes, or before, in a thread."""
    session = await asyncio.to_thread(import_module, SESSION)
    await session.serve(host, frames, writer, resumed=resumed, mode=mode)


def main() -> int:
    """Run the daemon until it exits."""
    set_up_process()
    ready = detach() if DETACH in sys.argv else lambda: None
    from helix_ls.cli.served import CommandServer
    from helix_ls.host.daemon import run_daemon
    from helix_ls.proxy.embedded import EmbeddedProxy
    from helix_ls.proxy.keys import taken

    # No process started from here on has a use for the key.
    keys = taken(os.environ)
    return run_daemon(
        serve_editor,
        warm_up=lambda: import_module(SESSION),
        environ=os.environ,
        ready=ready,
        chats=lambda host: EmbeddedProxy(host, os.environ, keys),
        commands=CommandServer,
    )


if __name__ == "__main__":
    sys.exit(main())
