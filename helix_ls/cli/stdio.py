"""Serve an editor on stdin and stdout: through the daemon, or in this process with ``solo`` or without a daemon."""

from __future__ import annotations

import os


def serve_stdio(*, solo: bool) -> int:
    """Serve until the editor disconnects; return the exit status."""
    _fill_closed_descriptors()
    notice = ""
    if not solo:
        from helix_ls.host.shim import end, run_shim

        status = run_shim(os.environ)
        if status is not None:
            end(status)
        notice = "The daemon could not be started, so Helix runs in this window's own process; see helix daemon logs."
    from helix_ls.lsp.session import run
    from helix_ls.proxy.embedded import EmbeddedProxy
    from helix_ls.proxy.keys import taken

    keys = taken(os.environ)
    return run(notice=notice, chats=lambda host: EmbeddedProxy(host, os.environ, keys))


def _fill_closed_descriptors() -> None:
    """Open /dev/null for descriptors that the caller closed, so that no socket gets their numbers."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
