"""Entry point of the ``helix`` script.

``helix lsp``, and a command that a running daemon answers, skip the command line's imports: a user waits for them.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from helix_ls.host.parent import interrupts_first, set_up_process


def run() -> None:
    """Serve an editor, let the daemon answer, or run the command line."""
    if sys.platform == "win32":
        # The workspace is read by handles of folders (openat), which Windows does not have.
        sys.exit("helix: Windows is not supported; install Helix on Linux, for example inside WSL")
    set_up_process()
    try:
        with interrupts_first():
            _run(sys.argv[1:])
    except KeyboardInterrupt:
        # Before the command line was imported, which has an end of its own for it.
        from helix_ls.cli.delegate import INTERRUPTED

        if sys.stderr is not None:
            sys.stderr.write(f"helix: {INTERRUPTED}\n")
        sys.exit(130)


def _run(arguments: Sequence[str]) -> None:
    if is_plain_lsp(arguments):
        from helix_ls.cli.stdio import serve_stdio

        sys.exit(serve_stdio(solo="--solo" in arguments))
    from helix_ls.cli.delegate import run_in_daemon

    status = run_in_daemon(arguments)
    if status is not None:
        sys.exit(status)
    from helix_ls.cli.direct import run_directly

    try:
        status = run_directly(arguments)
        if status is not None:
            sys.exit(status)
        from helix_ls.cli.verbs import run_command_line

        run_command_line()
    finally:
        # The interpreter looks for cycles among all that it is about to drop, module after module; what a command
        # opened, it closed.
        gc.freeze()


def is_plain_lsp(arguments: Sequence[str]) -> bool:
    """Return whether the arguments are ``lsp`` with known options only; the command line handles all others."""
    return arguments[:1] == ["lsp"] and all(
        each in ("--solo", "--stdio") or each.startswith("--clientProcessId=") for each in arguments[1:]
    )
