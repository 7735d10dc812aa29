"""The arguments and options that verbs share, declared once, without the parser of the command line.

``verbs`` makes options of typer from a declaration; ``direct`` reads plain arguments by it. Imports neither click nor
typer, which take a tenth of a search's time to import.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from helix_core.tuples import NamedTuple
from helix_ls.cli.output import working_folder


class OptionDeclaration(NamedTuple):
    """An option of a verb with its ``flags``, or an argument where there are none, as metadata of ``Annotated``.

    ``parser`` makes the value from what was typed; without one it is of the annotated type.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    parser: Callable[[str], Any] | None = None


def option(*flags: str, help: str, metavar: str | None = None) -> OptionDeclaration:
    """Declare an option that is typed with one of ``flags``."""
    return OptionDeclaration(help, flags, metavar)


def parse_folder(typed: str | Path) -> Path:
    """Return a folder as typed, with ``~`` expanded where a shell does not, as in ``--path=~/src``."""
    if typed == "":
        import click

        raise click.UsageError("the path is empty; name a folder, or . for this one")
    path = Path(typed)
    try:
        is_here = (working_folder() / path).exists()
        return path.expanduser() if str(path).startswith("~") and not is_here else path
    except RuntimeError:
        return path


Folder = Annotated[Path, OptionDeclaration("The folder to work on.", metavar="[PATH]", parser=parse_folder)]
PathOption = Annotated[Path, OptionDeclaration("The folder to ask about.", ("--path",), "PATH", parse_folder)]
Question = Annotated[str, OptionDeclaration("The question, in quotes; - reads it from standard input.")]
Json = Annotated[bool, option("--json", help="Print the answer as one JSON object.")]
PassphraseFile = Annotated[
    str, option("--passphrase-file", metavar="FILE", help="Holds the passphrase on its first line.")
]
RecoveryFile = Annotated[
    str, option("--recovery-file", metavar="FILE", help="Holds the recovery code, instead of a passphrase.")
]
Recipients = Annotated[
    list[str] | None, option("--recipient", metavar="KEY", help="For a sealed file to write: who opens it.")
]
Recovery = Annotated[
    bool, option("--recovery", help="For a sealed file to write: print a recovery code that opens it.")
]
HERE = Path()
