"""The verbs by name, each imported when it is called, and the options they share."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import click
import typer
from typer.core import TyperGroup
from typer.main import get_command

VERBS = (
    *("index", "search", "packet", "context", "status", "embed", "serve", "connect"),
    *("bench", "doctor", "config", "lsp", "daemon", "mcp"),
)


def _folder(typed: str | Path) -> Path:
    """A folder as typed. ``~`` stays for us where a shell does not see it, as in ``--path=~/work``."""
    if typed == "":
        raise click.UsageError("the path is empty; name a folder, or . for this one")
    path = Path(typed)
    try:
        return path.expanduser() if str(path).startswith("~") and not path.exists() else path
    except RuntimeError:
        return path


Folder = Annotated[Path, typer.Argument(parser=_folder, metavar="[PATH]", help="The folder to work on.")]
PathOption = Annotated[Path, typer.Option("--path", parser=_folder, metavar="PATH", help="The folder to ask about.")]
Question = Annotated[str, typer.Argument(help="The question, in quotes; - reads it from standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")]
HERE = Path()


class Verbs(TyperGroup):
    """The group of verbs; building all of them would cost more than answering one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The verbs in the order people meet them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The verb of that name, or None."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"helix_ls.cli.{cmd_name}")
        verb = typer.Typer(add_completion=False, rich_markup_mode=None)
        verb.command(cmd_name)(getattr(module, cmd_name))
        return get_command(verb)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb to run; an unknown one is refused with the closest name."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], VERBS, n=1)
            hint = f"did you mean helix {close[0]}?" if close else f"the verbs are {', '.join(VERBS)}"
            raise click.UsageError(f"there is no verb {args[0]}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _print_version(wanted: bool) -> None:
    if wanted:
        from helix_core import __version__

        typer.echo(f"helix {__version__}")
        raise typer.Exit


def command() -> click.Command:
    """The whole command line."""
    app = typer.Typer(cls=Verbs, rich_markup_mode=None, invoke_without_command=True)

    @app.callback()
    def helix(
        context: typer.Context,
        version: Annotated[  # noqa: ARG001
            bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        """Do I know this, where is it, and is it still true right now?"""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return get_command(app)
