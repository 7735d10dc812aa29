"""Run a verb of the command line inside the daemon, for the process whose command it is (``delegate.py``).

The verb is the same code, with the caller's arguments, folder, environment, input and terminal (``output.Caller``), on
an index that is open and a program that is loaded. Here an answer is given whole or declined, and then the command
runs in its own process: what is wrong in a command, what must be indexed first, and what the daemon's settings do not
hold is reported, done and held there. Nothing here starts a process.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.errors import HelixError
from helix_core.ingest import ParseGuard
from helix_core.telemetry import Spans, no_span
from helix_ls.cli.delegate import VERBS
from helix_ls.cli.output import CALLER, Caller, CommandEndedError, CommandProcess
from helix_ls.host.child_processes import give_models, reranker_for
from helix_ls.host.log import LOG
from helix_ls.host.open_workspace import QuestionThreads

if TYPE_CHECKING:
    import click

    from helix_core.config import Config
    from helix_core.engine import Helix

MOST_FOLDERS = 4
LINGER_S = 60.0
# Shorter than that of a command by itself: no question in the daemon rebuilds an index.
WRITE_WAIT_MS = 1_000
_PLATFORM = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
# Variables of a process, of which no answer depends.
_OF_THE_PROCESS = frozenset({"HELIX_RUNTIME_DIR", "HELIX_IDLE_S", "HELIX_TRANSPORT", "HELIX_DEBUG", "HELIX_STATE_DIR"})


class DeclinedError(HelixError):
    """The command must run in its own process; the message says why."""


@dataclass(frozen=True, slots=True)
class SentCommand:
    """A command as its process sent it."""

    arguments: tuple[str, ...]
    process: CommandProcess

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> SentCommand:
        """Read the params of a call. Raises KeyError, TypeError and ValueError for anything else, and OSError."""
        arguments, environment = tuple(map(str, params["arguments"])), dict(params["environment"])
        folder = Path(str(params["folder"]))
        if not arguments or arguments[0] not in VERBS or not folder.is_absolute():
            raise ValueError("this is not a command that asks")
        here = os.stat(folder)
        if [here.st_dev, here.st_ino] != params["folder_id"]:
            # The caller sees another file system, as in a container.
            raise ValueError("the folder is another one here")
        data = str(params["input"]).encode("utf-8", "surrogateescape")
        widths = int(params["columns"]), int(params["error_columns"])
        return cls(arguments, CommandProcess(folder, environment, bool(params["is_terminal"]), *widths, data))


class CommandServer:
    """Answer commands; at most ``MOST_FOLDERS`` folders open, each for ``LINGER_S`` seconds after its last command.

    Bound to one event loop.
    """

    def __init__(self, parse_guard: ParseGuard, span: Spans = no_span) -> None:
        self._parse_guard, self._span = parse_guard, span
        self._folders: OrderedDict[Path, _CommandFolder] = OrderedDict()
        self._counts = {"answered": 0, "declined": 0}

    def counts(self) -> dict[str, int]:
        """Return how many commands were ``answered``, and how many ``declined``."""
        return dict(self._counts)

    async def run(self, params: Mapping[str, Any], cancelled: threading.Event) -> dict[str, Any]:
        """Return ``status``, ``out`` and ``err`` of a command, or ``declined`` with the reason.

        Once ``cancelled`` is set, work ends soon.
        """
        answer = await self._run(params, cancelled)
        self._counts["declined" if "declined" in answer else "answered"] += 1
        return answer

    async def _run(self, params: Mapping[str, Any], cancelled: threading.Event) -> dict[str, Any]:
        try:
            command = SentCommand.of(params)
            workspace, parsed = await asyncio.to_thread(_parsed, command)
            folder = self._folder(workspace)
            try:
                return await folder.threads.ask(
                    lambda helix: _answer(helix, command, parsed, cancelled, folder.threads)
                )
            finally:
                folder.users -= 1
                self._close_later(workspace, folder)
        except HelixError as error:
            return {"declined": str(error)}
        except (KeyError, TypeError, ValueError, OSError) as error:
            LOG.info("a command was declined: %s", type(error).__name__)
            return {"declined": f"this is not a command ({type(error).__name__})"}

    async def close(self) -> None:
        """Close the engine of every folder, in a thread."""
        folders, self._folders = list(self._folders.values()), OrderedDict()
        for folder in folders:
            await asyncio.to_thread(folder.close)

    def _folder(self, workspace: Path) -> _CommandFolder:
        folder = self._folders.get(workspace)
        if folder is None:
            folder = self._folders[workspace] = _CommandFolder(workspace, self._parse_guard, self._span)
        self._folders.move_to_end(workspace)
        folder.users += 1
        if folder.closing is not None:
            folder.closing.cancel()
        unused = [each for each, one in self._folders.items() if not one.users]
        for each in unused[: max(0, len(self._folders) - MOST_FOLDERS)]:
            self._close(each)
        return folder

    def _close_later(self, workspace: Path, folder: _CommandFolder) -> None:
        if not folder.users and self._folders.get(workspace) is folder:
            loop = asyncio.get_running_loop()
            folder.closing = loop.call_later(LINGER_S, self._close, workspace)

    def _close(self, workspace: Path) -> None:
        folder = self._folders.pop(workspace, None)
        if folder is not None:
            asyncio.get_running_loop().run_in_executor(None, folder.close)


class _CommandFolder:
    """An open folder of commands; ``users`` of them run now."""

    def __init__(self, workspace: Path, parse_guard: ParseGuard, span: Spans) -> None:
        self.threads = QuestionThreads(lambda: _opened(workspace, parse_guard, span))
        self.users = 0
        self.closing: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """Wait for what runs, and close the folder. Blocks."""
        if self.closing is not None:
            self.closing.cancel()
        self.threads.close()


def _opened(workspace: Path, parse_guard: ParseGuard, span: Spans) -> Helix:
    from helix_core.config import load_config
    from helix_core.engine import Helix

    config = load_config(workspace)
    helix = Helix.open(workspace, config=config, write_wait_ms=WRITE_WAIT_MS, parse_guard=parse_guard)
    give_models(helix, config)
    if config.rerank:
        # Nothing else here loads it; the first answers say that it is not ready.
        reranker = reranker_for(config.cache_dir)
        threading.Thread(target=reranker.follow, name="reranker", daemon=True).start()
    helix.session.span = span
    return helix


def _parsed(command: SentCommand) -> tuple[Path, click.Context]:
    """Return the real path of the folder that a command is about, and the parsed command.

    Raises DeclinedError, and HelixError for settings that cannot be understood.
    """
    import click
    import typer

    from helix_core.workspace import check_project
    from helix_ls.cli.verbs import verb

    if not has_same_settings(command.process.environment):
        raise DeclinedError("the daemon has other settings")
    name, *rest = command.arguments
    caller = CALLER.set(Caller(command.process, helix=None, cancelled=lambda: False))
    try:
        parsed = verb(name).make_context(f"helix {name}", rest)
    except (click.ClickException, typer.Exit, typer.Abort) as error:
        raise DeclinedError("the arguments are reported by the command itself") from error
    finally:
        CALLER.reset(caller)
    workspace = Path(os.path.realpath(command.process.folder / parsed.params["path"]))
    check_project(workspace)
    return workspace, parsed


def has_same_settings(given: Mapping[str, str], own: Mapping[str, str] = os.environ) -> bool:
    """Return whether a command with this environment has the user's settings that the daemon has.

    Raises ConfigError for settings that cannot be understood.
    """
    from helix_core.config import load_config

    if any(given.get(name, "") != own.get(name, "") for name in _PLATFORM):
        return False
    ours, theirs = _of_helix(own), _of_helix(given)
    if ours.get("HELIX_CONFIG", "") != theirs.get("HELIX_CONFIG", "") or not _is_whole(theirs.get("HELIX_CONFIG", "")):
        return False
    config = load_config(None, environ=theirs)
    return ours == theirs or _values(config) == _values(load_config(None, environ=ours))


def _of_helix(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if name.startswith("HELIX_") and not name.endswith("_KEY") and name not in _OF_THE_PROCESS
    }


def _is_whole(path: str) -> bool:
    return not path or os.path.isabs(path)


def _values(config: Config) -> Config:
    return replace(config, reload=None, origins={})


def _answer(
    helix: Helix, command: SentCommand, parsed: click.Context, cancelled: threading.Event, threads: QuestionThreads
) -> dict[str, Any]:
    """Run the verb on the open workspace and return what it wrote. Raises HelixError where it must not answer."""
    import click
    import typer

    if cancelled.is_set():
        raise DeclinedError("nobody waits for the answer")
    caller, status = Caller(command.process, helix, cancelled.is_set), 0
    token = CALLER.set(caller)
    try:
        with parsed:
            parsed.command.invoke(parsed)
    except typer.Exit as end:
        status = end.exit_code
    except CommandEndedError as end:
        status = end.status
    except (click.ClickException, typer.Abort) as error:
        raise DeclinedError("the command reports this itself") from error
    finally:
        CALLER.reset(token)
        if helix.behind or helix.notices != helix.session.config.warnings:
            # What was said of this moment must not be said of the next.
            threads.renew()
    if command.arguments[0] != "status" and not helix.is_indexed():
        raise DeclinedError("the index is built by the command itself")
    return {"status": status, "out": "".join(caller.out), "err": "".join(caller.err)}
