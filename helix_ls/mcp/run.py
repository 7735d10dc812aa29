"""``helix mcp``: take over stdio, load the protocol while the daemon starts, serve, and exit without joins."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from helix_ls.host.log import ContentFree
from helix_ls.host.telemetry import users_telemetry
from helix_ls.mcp.asking import Asking, Daemons
from helix_ls.mcp.roots import GivenFolders

if TYPE_CHECKING:
    from helix_ls.mcp.server import ToolOffer


def run(folder: Path, *, is_named: bool, offer: Callable[[], ToolOffer], solo: bool) -> NoReturn:
    """Serve one client until EOF on stdin and exit the process, even while work is running.

    ``offer`` is called after the daemon's start was initiated.
    """
    source, sink = _taken_stdio()
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _log_to_stderr()
    daemons = None if solo else Daemons(os.environ)
    if daemons is not None:
        threading.Thread(target=daemons.warm, name="helix-warm", daemon=True).start()
    from helix_ls.mcp.server import serve

    async def main() -> None:
        made = offer()
        telemetry = users_telemetry(os.environ)
        folders = GivenFolders(folder, is_named=is_named)
        asking = Asking(daemons, telemetry)
        await serve(source, sink, asking=asking, folders=folders, offer=made, span=telemetry.span)
        telemetry.close()
        # Running threads are not joined.
        sys.stderr.flush()
        os._exit(0)

    asyncio.run(main())
    raise AssertionError("the process ends where serving does")


def _taken_stdio() -> tuple[int, int]:
    """Duplicate stdin and stdout for the protocol; redirect 0 to the null device and 1 to stderr for the rest."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # Open a closed standard descriptor on the null device, so that no socket gets its number.
            os.open(os.devnull, os.O_RDWR)
    source, sink = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return source, sink


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ContentFree("helix: %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
