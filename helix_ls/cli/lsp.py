"""``helix lsp``: the language server on stdin and stdout."""

from __future__ import annotations

from typing import Annotated

import typer

from helix_ls.cli.stdio import serve_stdio


def lsp(
    solo: Annotated[bool, typer.Option("--solo", help="Run in this process, without the daemon.")] = False,
    stdio: Annotated[bool, typer.Option("--stdio", hidden=True)] = False,  # noqa: ARG001
    client_process_id: Annotated[  # noqa: ARG001
        int | None, typer.Option("--clientProcessId", hidden=True)
    ] = None,
) -> None:
    """Serve an editor on stdin and stdout; for editors, not for people."""
    raise typer.Exit(serve_stdio(solo=solo))
