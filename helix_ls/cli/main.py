"""Entry point of the ``helix`` script. An editor waits for ``helix lsp``: that goes past all a command line needs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from helix_ls.host.parent import own_signals


def run() -> None:
    """Serve an editor, or be the command line."""
    own_signals()
    if is_plain_lsp(sys.argv[1:]):
        from helix_ls.cli.stdio import serve_stdio

        sys.exit(serve_stdio(solo="--solo" in sys.argv))
    from helix_ls.cli.verbs import run_command_line

    run_command_line()


def is_plain_lsp(arguments: Sequence[str]) -> bool:
    """Is this ``lsp`` with nothing but options it knows? Anything else is for the command line to refuse or explain."""
    return arguments[:1] == ["lsp"] and all(
        each in ("--solo", "--stdio") or each.startswith("--clientProcessId=") for each in arguments[1:]
    )
