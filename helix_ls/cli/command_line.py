"""The process: find the verb, and turn whatever goes wrong into one line on stderr and an exit status.

0 is an answer (also an empty one), 1 a failure, 2 a misuse, 130 an interrupt.
"""

from __future__ import annotations

import gc
import sys
from types import TracebackType

import click

from helix_core.errors import HelixError
from helix_ls.cli.output import complain, fill_closed_streams, use_utf8
from helix_ls.cli.verbs import command


def run_command_line() -> None:
    """Do what the arguments say, and end the process."""
    # A short life makes little garbage: looking for it less often saves 25 ms of a search.
    gc.set_threshold(50_000, 20, 50)
    fill_closed_streams()
    use_utf8()
    sys.excepthook = _one_line
    sys.exit(_status())


def _status() -> int:
    try:
        status = command().main(prog_name="helix", standalone_mode=False)
    except HelixError as error:
        complain(str(error))
        return 2 if error.usage else 1
    except click.ClickException as error:
        complain(_misuse(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted; run the same command to go on")
        return 130
    except OSError as error:
        where = f" ({error.filename})" if isinstance(error.filename, str) else ""
        complain(f"{error.strerror or error}{where}; check that the folder is there, writable and has free space")
        return 1
    return status if isinstance(status, int) else 0


def _misuse(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    verb = context.command_path if context else "helix"
    cause = " ".join(error.format_message().split()).rstrip(".")
    cause = cause[:1].lower() + cause[1:]
    if "extra argument" in cause:
        return f"{cause}; put a question of several words in quotes"
    return f"{cause}; see {verb} --help"


def _one_line(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What Helix cannot explain is a defect; it is still one line, with the way to the details."""
    import os

    if os.environ.get("HELIX_DEBUG"):
        sys.__excepthook__(kind, error, trace)
    else:
        complain(f"a defect of Helix: {kind.__name__}: {error}; set HELIX_DEBUG=1 for the details and report it")
