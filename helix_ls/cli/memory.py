"""The verbs of the memory: ``helix remember``, ``recall``, ``list``, ``review``, ``log`` and the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.errors import UsageError
from helix_core.memory import CONTENT_TYPES, is_memory_id
from helix_core.model import RELATED, MemoryOrigin
from helix_ls.cli.opened import opened, question_text, stated
from helix_ls.cli.options import HERE, Json, PathOption
from helix_ls.cli.output import print_json, warn
from helix_ls.operations.arguments import AskContext
from helix_ls.operations.memory import (
    CONSOLIDATE,
    DECIDE,
    DRY_RUN,
    EDIT,
    FORGET,
    INGEST,
    LATEST,
    MAINTAIN,
    MEMORIES,
    MEMORY_CONTEXT,
    MEMORY_DIFF,
    MEMORY_GET,
    MEMORY_LOG,
    PURGE,
    RECALL,
    RELATE,
    REMEMBER,
    RESTORE,
    REVIEW,
    ROLLBACK,
    ConsolidateArguments,
    DecideArguments,
    DiffArguments,
    EditArguments,
    ForgetArguments,
    GetArguments,
    IngestArguments,
    ListArguments,
    LogArguments,
    MaintainArguments,
    MemoryIdArguments,
    PurgeArguments,
    RecallArguments,
    RelateArguments,
    RememberArguments,
    ReviewArguments,
    RollbackArguments,
    TopicArguments,
    by_of,
)

if TYPE_CHECKING:
    from helix_core.engine import Helix

_ITS_ID = "The id of a memory, such as m_k3xq7a2b."
CONSOLIDATES = (
    "Draw facts from the kept chats; with --dry-run only show them. Where your settings name a model, this sends it "
    "parts of chats and memories, and costs tokens."
)
DryRun = Annotated[bool, typer.Option("--dry-run", help=DRY_RUN.description)]
Id = Annotated[str, typer.Argument(metavar="ID", help=_ITS_ID)]
_MAX_TOKENS = MEMORY_CONTEXT.parameter("max_tokens")
_K, _LIMIT, _TASK = RECALL.parameter("k"), MEMORIES.parameter("limit"), RECALL.parameter("task_type")


def _help(operation: Any, name: str) -> str:
    return str(operation.parameter(name).about.description)


REVIEW_VARIABLE = "HELIX_MEMORY_REVIEW_AGENTS"


def _speaker() -> MemoryOrigin:
    """Return who types here: an agent where the environment names one. Raises UsageError where that environment also
    puts what agents say in force, which is the user's to say.
    """
    if not by_of("").agent:
        return MemoryOrigin.USER
    if REVIEW_VARIABLE in os.environ:
        message = f"{REVIEW_VARIABLE} is the user's to say, not an agent's"
        raise UsageError(f"{message}; leave it out, or let the user set memory.review_agents in config.toml")
    return MemoryOrigin.AGENT


def remember(
    text: Annotated[str, typer.Argument(help="The statement, in quotes; - reads it from standard input.")],
    *,
    cite: Annotated[
        list[str] | None, typer.Option("--cite", metavar="PATH:LINES", help=_help(REMEMBER, "cites"))
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help=_help(REMEMBER, "kind"))] = "",
    is_global: Annotated[bool, typer.Option("--global", help="It is about every workspace.")] = False,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", metavar="ID", help=_help(REMEMBER, "supersedes"))
    ] = None,
    depends_on: Annotated[
        list[str] | None, typer.Option("--depends-on", metavar="ID", help=_help(REMEMBER, "depends_on"))
    ] = None,
    key: Annotated[str, typer.Option("--key", help=_help(REMEMBER, "key"))] = "",
    force: Annotated[bool, typer.Option("--force", help=_help(REMEMBER, "force"))] = False,
    until: Annotated[
        str, typer.Option("--until", metavar="TIME", help="When it ends to be so: a date, or Unix seconds.")
    ] = "",
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Keep a fact for later, with the code that it is about; secrets are masked."""
    given = RememberArguments(
        stated(text),
        cites=cite or [],
        kind=kind,
        scope="global" if is_global else "workspace",
        supersedes=supersedes or [],
        depends_on=depends_on or [],
        key=key,
        force=force,
        valid_to=_seconds(until, "--until") if until else None,
        origin=_speaker().value,
        dry_run=dry_run,
    )
    _show(path, lambda helix: REMEMBER.run(helix, given, AskContext()), as_json=as_json)


def note(
    text: Annotated[str, typer.Argument(help="The text, in quotes; - reads it from standard input.")],
    *,
    title: Annotated[str, typer.Option("--title", help=_help(INGEST, "title"))] = "",
    content_type: Annotated[
        str, typer.Option("--type", help=f"{_help(INGEST, 'content_type')} One of {', '.join(CONTENT_TYPES)}.")
    ] = CONTENT_TYPES[0],
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Keep a longer text as a note of this workspace, which answers below the files; secrets are masked."""
    INGEST.parameter("content_type").check(content_type, "--type")
    given = IngestArguments(stated(text), content_type, title, origin=_speaker().value, dry_run=dry_run)
    _show(path, lambda helix: INGEST.run(helix, given, AskContext()) | {"dry_run": dry_run}, as_json=as_json)


def recall(
    question: Annotated[str, typer.Argument(help="The question, in quotes, or a memory's id; - reads standard input.")],
    *,
    path: PathOption = HERE,
    task: Annotated[str, typer.Option("--task", help=_TASK.about.description)] = _TASK.default,
    k: Annotated[int, typer.Option("--limit", "-k", help=_K.about.description)] = _K.default,
    kind: Annotated[list[str] | None, typer.Option("--kind", help=_help(RECALL, "kinds"))] = None,
    as_of: Annotated[float | None, typer.Option("--as-of", metavar="SECONDS", help=_help(RECALL, "as_of"))] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Also show the cited lines, what it rests on, and open contradictions.")
    ] = False,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", help=f"With --context: {_help(MEMORY_CONTEXT, 'max_tokens').lower()}")
    ] = _MAX_TOKENS.default,
    as_json: Json = False,
) -> None:
    """Find what was remembered, with a verdict of this moment for each memory; or open one by its id."""
    _K.check(k, "--limit")
    if is_memory_id(question):
        if context or kind or as_of is not None:
            raise UsageError(
                f"{question} is one memory, and shown whole; --context, --kind and --as-of are for a question"
            )
        _show(path, lambda helix: MEMORY_GET.run(helix, GetArguments(question), AskContext()), as_json=as_json)
        return
    if context:
        if as_of is not None:
            raise UsageError("--context shows what is so now; leave out --as-of")
        _MAX_TOKENS.check(max_tokens, "--max-tokens")
        topic = TopicArguments(question_text(question), max_tokens, k, task, kind or [])
        _show(path, lambda helix: MEMORY_CONTEXT.run(helix, topic, AskContext()), as_json=as_json)
        return
    given = RecallArguments(question_text(question), k=k, task_type=task, kinds=kind or [], as_of=as_of)
    _show(path, lambda helix: RECALL.run(helix, given, AskContext()), as_json=as_json)


def listed(
    *,
    path: PathOption = HERE,
    status: Annotated[list[str] | None, typer.Option("--status", help=_help(MEMORIES, "statuses"))] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help=_help(MEMORIES, "kinds"))] = None,
    limit: Annotated[int, typer.Option("--limit", "-k", help=_LIMIT.about.description)] = _LIMIT.default,
    verify: Annotated[bool, typer.Option("--verify", help=_help(MEMORIES, "verify"))] = False,
    as_json: Json = False,
) -> None:
    """List memories, the newest first."""
    _LIMIT.check(limit, "--limit")
    given = ListArguments(status or [], kind or [], limit, verify)
    _show(path, lambda helix: MEMORIES.run(helix, given, AskContext()), as_json=as_json)


def review(
    *,
    approve: Annotated[str, typer.Option("--approve", metavar="ID", help="Accept a memory that waits.")] = "",
    reject: Annotated[str, typer.Option("--reject", metavar="ID", help="Turn a memory down.")] = "",
    archive: Annotated[
        str, typer.Option("--archive", metavar="ID", help="Take a memory out of recall without calling it wrong.")
    ] = "",
    consolidate: Annotated[bool, typer.Option("--consolidate", help=CONSOLIDATES)] = False,
    limit: Annotated[int, typer.Option("--limit", "-k", help=_LIMIT.about.description)] = _LIMIT.default,
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """List the memories that wait for a decision, or decide on one."""
    _LIMIT.check(limit, "--limit")
    named = [
        (word, memory_id)
        for word, memory_id in (("approve", approve), ("reject", reject), ("archive", archive))
        if memory_id
    ]
    if len(named) + consolidate > 1:
        raise UsageError("give one of --approve, --reject, --archive and --consolidate")
    if consolidate:
        _show(path, lambda helix: _consolidated(helix, ConsolidateArguments(dry_run=dry_run)), as_json=as_json)
        return
    if not named:
        _show(path, lambda helix: REVIEW.run(helix, ReviewArguments(limit), AskContext()), as_json=as_json)
        return
    decided = DecideArguments(named[0][1], named[0][0], origin=_speaker().value, dry_run=dry_run)
    _show(path, lambda helix: DECIDE.run(helix, decided, AskContext()), as_json=as_json)


def _consolidated(helix: Helix, given: ConsolidateArguments) -> dict[str, Any]:
    """Return what rules draw from kept chats, and what the user's model draws where the settings name one."""
    from helix_core.config import load_config
    from helix_ls.proxy.embedded import extended
    from helix_ls.proxy.keys import taken

    async def ask(act: Callable[[Helix], Any]) -> Any:
        return act(helix)

    answer: dict[str, Any] = CONSOLIDATE.run(helix, given, AskContext()) | {"dry_run": given.dry_run}
    return extended(load_config(None), taken(os.environ), os.environ, ask=ask, given=given, answer=answer, warn=warn)


def log(
    memory_id: Annotated[str, typer.Argument(metavar="[ID]", help=_ITS_ID)] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-k", help=_help(MEMORY_LOG, "limit"))] = _LIMIT.default,
    verify: Annotated[bool, typer.Option("--verify", help=_help(MEMORY_LOG, "verify"))] = False,
    everywhere: Annotated[bool, typer.Option("--all", help=_help(MEMORY_LOG, "everywhere"))] = False,
    path: PathOption = HERE,
    as_json: Json = False,
) -> None:
    """Show what was done to the memory, the last first; exit with 1 where --verify finds a change from outside."""
    _LIMIT.check(limit, "--limit")
    given = LogArguments(memory_id, limit, verify, everywhere)
    answer = _show(path, lambda helix: MEMORY_LOG.run(helix, given, AskContext()), as_json=as_json)
    raise typer.Exit(1 if answer.get("first_broken") is not None else 0)


def edit(
    memory_id: Id,
    text: Annotated[str, typer.Argument(help="What it says from now on; - reads it from standard input.")],
    *,
    cite: Annotated[list[str] | None, typer.Option("--cite", metavar="PATH:LINES", help=_help(EDIT, "cites"))] = None,
    kind: Annotated[str, typer.Option("--kind", help=_help(EDIT, "kind"))] = "",
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Put another text in the place of a memory's, which is superseded; the log keeps both."""
    origin = _speaker().value
    given = EditArguments(memory_id, stated(text), cite, kind, origin=origin, dry_run=dry_run)
    _show(path, lambda helix: EDIT.run(helix, given, AskContext()), as_json=as_json)


def relate(
    memory_id: Id,
    relation: Annotated[str, typer.Argument(help=f"One of {', '.join(RELATED)}.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The id of the other memory.")],
    *,
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say how one memory is related to another."""
    given = RelateArguments(memory_id, relation, other, origin=_speaker().value, dry_run=dry_run)
    _show(path, lambda helix: RELATE.run(helix, given, AskContext()), as_json=as_json)


def diff(
    *,
    since: Annotated[str, typer.Option("--since", metavar="TIME", help="The earlier time: a date, or Unix seconds.")],
    until: Annotated[
        str, typer.Option("--until", metavar="TIME", help="The later time, in the same forms; now if not given.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-k", help=_help(MEMORY_DIFF, "limit"))] = _LIMIT.default,
    path: PathOption = HERE,
    as_json: Json = False,
) -> None:
    """Show which memories were added, removed, or are in another state at a later time than at an earlier one."""
    _LIMIT.check(limit, "--limit")
    given = DiffArguments(_seconds(since, "--since"), _seconds(until, "--until") if until else None, limit)
    _show(path, lambda helix: MEMORY_DIFF.run(helix, given, AskContext()), as_json=as_json)


def _seconds(typed: str, option: str) -> float:
    """Return a time in Unix seconds; a date or time without a zone is one of this machine's."""
    from datetime import datetime

    try:
        seconds = float(typed)
    except ValueError:
        try:
            seconds = datetime.fromisoformat(typed).astimezone().timestamp()
        except (ValueError, OverflowError, OSError):
            message = f"{typed[:40]!a} is not a time; give one such as 2026-01-31, 2026-01-31T12:00 or 1769860800"
            raise UsageError(f"{option}: {message}") from None
    if not 0 <= seconds <= LATEST:
        raise UsageError(f"{option}: {typed[:40]!a} is out of range; give a time from 1970 to 9999")
    return seconds


def forget(
    memory_id: Annotated[str, typer.Argument(metavar="[ID]", help=_ITS_ID)] = "",
    *,
    query: Annotated[str, typer.Option("--query", metavar="TEXT", help=_help(FORGET, "query"))] = "",
    confirm: Annotated[str, typer.Option("--confirm", metavar="TOKEN", help=_help(FORGET, "confirm"))] = "",
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take a memory out of every answer; helix restore brings it back. Given the id of a note, delete it."""
    if bool(memory_id) == bool(query):
        raise UsageError("give the id of a memory, or --query with words that find it")
    origin = _speaker().value
    given = ForgetArguments(memory_id or None, query=query or None, confirm=confirm, origin=origin, dry_run=dry_run)
    _show(path, lambda helix: FORGET.run(helix, given, AskContext()), as_json=as_json)


def restore(memory_id: Id, *, path: PathOption = HERE, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Bring a forgotten or archived memory back, with its evidence."""
    given = MemoryIdArguments(memory_id, origin=_speaker().value, dry_run=dry_run)
    _show(path, lambda helix: RESTORE.run(helix, given, AskContext()), as_json=as_json)


def rollback(
    operation: Annotated[int, typer.Argument(metavar="OPERATION", help=_help(ROLLBACK, "to"), min=0)],
    *,
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Make what was in force after an operation of the log be in force again, by new operations; nothing is erased."""
    given = RollbackArguments(operation, origin=_speaker().value, dry_run=dry_run)
    _show(path, lambda helix: ROLLBACK.run(helix, given, AskContext()), as_json=as_json)


def maintain(
    *,
    archive: Annotated[
        bool, typer.Option("--archive", help="Archive what is proposed for it, but purge nothing.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-k", help=_help(MAINTAIN, "limit"))] = _LIMIT.default,
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Propose which memories could be archived or purged; nothing is changed unless --archive says so."""
    _LIMIT.check(limit, "--limit")
    given, origin = MaintainArguments(limit), _speaker().value

    def act(helix: Helix) -> Any:
        answer = MAINTAIN.run(helix, given, AskContext())
        archived = [memory["id"] for memory in answer["archive"]] if archive and not dry_run else []
        for id_ in archived:
            DECIDE.run(helix, DecideArguments(id_, "archive", origin=origin), AskContext())
        return answer | {"archived": archived, "dry_run": dry_run}

    _show(path, act, as_json=as_json)


def purge(
    memory_id: Id,
    *,
    confirm: Annotated[bool, typer.Option("--confirm", help="Really remove it; this cannot be undone.")] = False,
    path: PathOption = HERE,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Remove a memory and its evidence from the file, every word of it."""
    origin = _speaker().value

    def act(helix: Helix) -> Any:
        if not confirm and not dry_run:
            helix.memory.purge(memory_id, "", dry_run=True)
            raise UsageError(f"a purge cannot be undone; to do it: helix purge {memory_id} --confirm")
        found = helix.memory.purge(memory_id, "", dry_run=True)["items"][0]
        given = PurgeArguments(memory_id, f"purge {found['id']}", origin=origin, dry_run=dry_run)
        return PURGE.run(helix, given, AskContext())

    _show(path, act, as_json=as_json)


def _show(path: Path, act: Callable[[Helix], dict[str, Any]], *, as_json: bool) -> dict[str, Any]:
    with opened(path) as helix:
        answer = act(helix)
        workspace = helix.workspace
    warn(answer.get("notes", ()))
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.memory import draw

        draw(answer, workspace)
    return answer
