"""The command line: find the verb, run it, and report every failure as one line on stderr and an exit status.

0 is an answer (also an empty one), 1 a failure, 2 a misuse, 130 an interrupt. A verb is imported when it is called.
"""

from __future__ import annotations

import sys
from functools import cache, update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import click
import typer
from click.core import ParameterSource
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from helix_ls.cli.delegate import INTERRUPTED
from helix_ls.cli.direct import exit_status, set_up_streams
from helix_ls.cli.options import OptionDeclaration, parse_folder
from helix_ls.cli.output import CommandEndedError, complain, environment
from helix_ls.host.parent import interrupts_first
from helix_ls.operations.persons import refuse_agents

VERBS = (
    *(
        "index",
        "search",
        "packet",
        "context",
        "uses",
        "changes",
        "check",
        "where",
        "status",
        "embed",
        "serve",
        "up",
        "dashboard",
    ),
    "connect",
    *("remember", "recall", "note", "list", "review", "edit", "relate", "log", "diff", "forget", "restore"),
    *("rollback", "maintain", "purge"),
    *("trail", "strand", "bench", "doctor", "config", "lsp", "daemon", "mcp"),
)


OF_MEMORY = frozenset(VERBS[VERBS.index("remember") : VERBS.index("purge") + 1])
_HELP = {"help_option_names": ["-h", "--help"]}
_QUESTION = '"where are sessions signed?"'
EXAMPLES: dict[str, tuple[str, ...]] = {
    "index": ("helix index", "helix index ~/src/shop --rebuild"),
    "search": (
        f"helix search {_QUESTION}",
        "helix search Basket.total_price --path ~/src/shop --limit 3",
        f"helix search {_QUESTION} -g src/ --tests without",
    ),
    "packet": (f"helix packet {_QUESTION}", f"helix packet {_QUESTION} --task edit --max-tokens 2000"),
    "context": (f"helix context {_QUESTION} --budget 2000 | llm",),
    "uses": ("helix uses Basket.add_line", "helix uses shipping_cost --depth 2 --path ~/src/shop"),
    "changes": ("helix changes", "helix changes --since v2.0 --path ~/src/shop --limit 30"),
    "check": ("helix check README.md docs/*.md", "git diff | helix check -"),
    "where": ("helix where", "helix where ~/src/shop --limit 10", "helix where --forget"),
    "remember": (
        'helix remember "Sessions use Ed25519" --cite app/sessions.py:10-24',
        'helix remember "I prefer tabs over spaces" --global',
    ),
    "recall": (
        'helix recall "how do we sign sessions?"',
        'helix recall "how do we sign sessions?" --context',
        'helix recall "indentation" --task edit --json',
    ),
    "note": (
        'helix note "The staging server restarts on Mondays"',
        "git log -5 | helix note - --title 'last week' --dry-run",
    ),
    "list": ("helix list", "helix list --status superseded --kind decision"),
    "review": ("helix review", "helix review --approve m_k3xq7a2b", "helix review --consolidate --dry-run"),
    "edit": (
        'helix edit m_k3xq7a2b "Sessions are signed with HMAC"',
        'helix edit m_k3xq7a2b "Signed with HMAC" --cite app/sessions.py:10-24',
    ),
    "relate": ("helix relate m_k3xq7a2b depends_on m_a7c2mzp4",),
    "diff": ("helix diff --since 2026-01-31", "helix diff --since 2026-01-31 --until 2026-02-28T12:00"),
    "log": ("helix log", "helix log m_k3xq7a2b", "helix log --verify"),
    "forget": (
        "helix forget m_k3xq7a2b",
        "helix forget m_k3xq7a2b --dry-run",
        'helix forget --query "session cookies"',
    ),
    "restore": ("helix restore m_k3xq7a2b",),
    "rollback": ("helix rollback 12 --dry-run", "helix rollback 12"),
    "maintain": ("helix maintain", "helix maintain --archive --dry-run"),
    "purge": ("helix purge m_k3xq7a2b --dry-run", "helix purge m_k3xq7a2b --confirm"),
    "status": ("helix status", "helix status ~/src/shop --skipped"),
    "embed": ("helix embed setup minilm", "helix embed run ~/src/shop", "helix embed off"),
    "serve": ("helix serve ~/src/shop --port 11500", "helix serve . --also ../library"),
    "up": ("helix up ~/src/shop",),
    "dashboard": ("helix dashboard", "helix dashboard ~/src/shop --no-browser"),
    "connect": (
        "helix connect claude --write",
        "helix connect continue --model qwen3",
        "helix connect upstream openai --key",
    ),
    "strand": (
        "helix strand export ada.dna --passphrase-file secret.txt",
        "helix strand import ada.dna --passphrase-file secret.txt --dry-run",
        "helix strand share team.dna --scope workspace --recovery",
        "helix strand verify ada.dna",
        "helix strand merge ada.dna bob.dna -o both.dna --passphrase-file secret.txt",
        "helix strand diff ada.dna store --passphrase-file secret.txt",
        "helix strand sync ~/Dropbox/memory --passphrase-file secret.txt",
        "helix strand rekey ada.dna --passphrase-file old --new-passphrase-file new",
        "helix strand trust ada.dna --label Ada",
    ),
    "trail": (
        "helix trail log",
        'helix trail commit "before the refactoring"',
        "helix trail diff 0 1",
        "helix trail rollback 0 --dry-run",
        "helix trail export mine.hxe --passphrase-file secret.txt",
        "helix trail import mine.hx --dry-run",
        "helix trail flag seen-the-guide",
    ),
    "bench": ("helix bench run . --questions asked.jsonl --out one.json", "helix bench compare one.json two.json"),
    "doctor": ("helix doctor",),
    "config": ("helix config --explain", "helix config --no-keep-chats"),
    "lsp": ("helix lsp",),
    "daemon": ("helix daemon", "helix daemon logs --lines 20", "helix daemon stop", "helix daemon install --write"),
    "mcp": ("helix mcp ~/src/shop",),
}
"""Commands that work as they are shown, by verb; the first is the simplest."""
_CALLED_ELSEWHERE = {
    **dict.fromkeys(("callers", "usages", "references", "refs", "symbol", "neighbors", "who"), "uses"),
    **dict.fromkeys(("find", "grep", "query", "locate"), "search"),
    **dict.fromkeys(("ask", "question"), "packet"),
    **dict.fromkeys(("explain", "why"), "search --explain"),
    **dict.fromkeys(("init", "reindex", "refresh", "update"), "index"),
    **dict.fromkeys(("lint", "verify", "validate"), "check"),
    **dict.fromkeys(("memories", "memory"), "list"),
    **dict.fromkeys(("setup", "install"), "connect"),
    "help": "--help",
    "version": "--version",
}
"""The verbs by the names that other programs have for what they do."""


_BY_OPTION = "helix.folder"
_TYPED = "helix.typed"


def _with_path_option(command: click.Command) -> click.Command:
    """Let a verb whose folder is an argument take it as ``--path`` too, as all others do."""
    for argument in command.params:
        if isinstance(argument, click.Argument) and argument.name == "path":
            argument.callback = _folder_of_both
            told = "The same as the folder alone."
            option = TyperOption(
                param_decls=["--path"], metavar="PATH", help=told, expose_value=False, is_eager=True, callback=_remember
            )
            option.name = _BY_OPTION
            command.params.insert(command.params.index(argument) + 1, option)
            break
    return command


def _remember(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[_BY_OPTION] = parse_folder(value)


def _folder_of_both(context: click.Context, argument: click.Parameter, value: Path) -> Path:
    """Return the folder of the argument or of the option. Raises UsageError where both are given."""
    by_option = context.meta.get(_BY_OPTION)
    if by_option is None:
        return value
    if context.get_parameter_source(argument.name or "") is ParameterSource.COMMANDLINE:
        raise click.UsageError("the folder is given twice; name it once")
    return Path(by_option)


@cache
def verb(name: str) -> click.Command:
    """Return the command of one verb, imported when it is first asked for."""
    module = import_module(f"helix_ls.cli.{'memory' if name in OF_MEMORY else name}")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    # The backspace keeps the lines of the paragraph that it begins.
    examples = "\n".join(["\b", "Examples:", *(f"  {example}" for example in EXAMPLES[name])])
    function = getattr(module, "listed" if name == "list" else name)
    # Evaluated, because typer reads its own metadata, and the declarations of ``options`` stay beside it.
    function.__annotations__ = {
        each: _for_typer(hint) for each, hint in get_type_hints(function, include_extras=True).items()
    }
    app.command(name, context_settings=_HELP, epilog=examples)(function)
    return _for_its_askers(name, _with_path_option(get_command(app)))


def _for_typer(hint: Any) -> Any:
    """Return a hint with the option of typer that it declares."""
    declared = next((each for each in get_args(hint)[1:] if isinstance(each, OptionDeclaration)), None)
    if declared is None:
        return hint
    made = typer.Option if declared.flags else typer.Argument
    told = made(*declared.flags, parser=declared.parser, metavar=declared.metavar, help=declared.help)
    return Annotated[get_args(hint)[0], declared, told]


def _for_its_askers(name: str, command: click.Command) -> click.Command:
    """Let a verb refuse an agent what only a person may do, before it begins."""
    act = command.callback
    assert act is not None, f"helix {name} does nothing"

    def checked(**given: Any) -> Any:
        refuse_agents(name, given, click.get_current_context().meta.get(_TYPED, [name]), environment())
        return act(**given)

    command.callback = update_wrapper(checked, act)
    return command


class Verbs(TyperGroup):
    """The group of verbs, imported lazily: importing all of them would take longer than one answer."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb. An interrupt that it does not report itself is one line, and the exit status 130."""
        try:
            # A verb that has said what it kept ends by an exit.
            with interrupts_first(click.exceptions.Exit, CommandEndedError):
                return super().invoke(ctx)
        except KeyboardInterrupt:
            complain(INTERRUPTED)
            raise typer.Exit(130) from None

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the verbs in the order of their use by a newcomer."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the verb of that name, or None."""
        return verb(cmd_name) if cmd_name in VERBS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs with their whole first sentence, wrapped instead of cut."""
        rows = [(name, verb(name).get_short_help_str(limit=1_000)) for name in VERBS]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb to run; an unknown one is an error that suggests the closest name."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = [_CALLED_ELSEWHERE.get(args[0].lower(), ""), *get_close_matches(args[0], VERBS, n=1)]
            meant = next(filter(None, close), "")
            hint = f"did you mean helix {meant}?" if meant else f"the commands are {', '.join(VERBS)}"
            raise click.UsageError(f"there is no command {args[0]}; {hint}", ctx)
        ctx.meta[_TYPED] = list(args)
        return super().resolve_command(ctx, args)


def _print_version(wanted: bool) -> None:
    if wanted:
        from helix_core import __version__

        typer.echo(f"helix {__version__}")
        raise typer.Exit


def command() -> click.Command:
    """Return the whole command line."""
    app = typer.Typer(cls=Verbs, rich_markup_mode=None, invoke_without_command=True, context_settings=_HELP)

    @app.callback()
    def helix(
        context: typer.Context,
        version: Annotated[  # noqa: ARG001
            bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        """Search code on this machine, and tell whether each result still matches the file on disk."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return get_command(app)


def run_command_line() -> None:
    """Run the command line, and exit the process."""
    set_up_streams()
    sys.exit(_status())


def _status() -> int:
    try:
        return exit_status(lambda: command().main(prog_name="helix", standalone_mode=False))
    except click.ClickException as error:
        complain(_misuse(error))
        return error.exit_code
    except click.Abort:
        complain(INTERRUPTED)
        return 130


def _misuse(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    verb = context.command_path if context else "helix"
    cause = " ".join(error.format_message().split()).rstrip(".")
    cause = cause[:1].lower() + cause[1:]
    asks = context is not None and any(one.name == "question" for one in context.command.params)
    if "extra argument" in cause:
        return f"{cause}; " + ("put a question of several words in quotes" if asks else f"see {verb} --help")
    if asks and isinstance(error, click.NoSuchOption):
        return f"{cause}; see {verb} --help, or put -- before a question that begins with a dash"
    return f"{cause}; see {verb} --help"
