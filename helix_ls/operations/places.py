"""The operations on known places of a workspace, and its status. Each is a dataclass, one function and one entry."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from helix_core.engine.requests import (
    DEEPEST,
    DIRECTIONS,
    LONGEST_TEXT,
    MOST_NEIGHBORS,
    MOST_TYPED,
    MOST_USES,
    checked_places,
)
from helix_core.errors import UsageError
from helix_core.model import TaskType
from helix_ls.operations.arguments import DAEMON, HTTP, LAST_LINE, LSP, MCP, Argument, AskContext, Operation
from helix_ls.operations.questions import (
    LONGEST_ID,
    LONGEST_NAME,
    LONGEST_PATH,
    PAGE,
    PLACES,
    QUESTION,
    SOURCE,
    TASK,
    URI,
    GivenItem,
    Page,
    Task,
    Workspace,
)

if TYPE_CHECKING:
    from helix_core.engine import Helix
    from helix_core.model import Judged, RefreshTarget

OPENED_LINES = 400


@dataclass(frozen=True, slots=True)
class OpenArguments:
    """The arguments of ``open``."""

    source_id: Annotated[str, SOURCE]
    start_line: Annotated[int, Argument("The first line.", 1, LAST_LINE)] = 1
    end_line: Annotated[
        int | None,
        Argument(f"The last line; by default {OPENED_LINES} lines.", 1, LAST_LINE),
    ] = None
    task_type: Task = TaskType.EXPLAIN.value
    workspace: Workspace = None
    most_bytes: Annotated[int, Argument("The maximum number of bytes, in whole lines.", 1, 200_000, on=DAEMON)] = (
        200_000
    )


def open_lines(helix: Helix, given: OpenArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.open/1`` object, and record that the lines were opened."""
    last = given.end_line if given.end_line is not None else given.start_line + OPENED_LINES - 1
    shown = helix.show(
        given.source_id,
        given.start_line,
        last,
        task=given.task_type,
        most_bytes=given.most_bytes,
        cancelled=context.cancelled,
    )
    helix.memory.sessions.note_use(context.asker, [given.source_id])
    helix.trail.note(shown, time.time())
    return shown


OPEN = Operation(
    "open",
    "Read lines",
    "Read lines of a file as they are on disk now, with the file's SHA-256 and their verdict. Secrets are masked.",
    OpenArguments,
    open_lines,
    "helix.open/1",
)


@dataclass(frozen=True, slots=True)
class DocumentPosition:
    """A position of the Language Server Protocol, 0-based."""

    line: Annotated[int, Argument("The line, counted from 0.", 0, LAST_LINE)]
    character: Annotated[int, Argument("The character, in the client's units.", 0, LAST_LINE)] = 0


Position = Annotated[DocumentPosition | None, Argument("A position in that document.", on=LSP)]


@dataclass(frozen=True, slots=True)
class ExplainArguments:
    """The arguments of ``explain``: lines of a file, a position in a document, a packet, or a question."""

    source_id: Annotated[str | None, SOURCE] = None
    start_line: Annotated[int | None, Argument("The first line.", 1, LAST_LINE)] = None
    end_line: Annotated[int | None, Argument("The last line.", 1, LAST_LINE)] = None
    task_type: Task = TaskType.EXPLAIN.value
    workspace: Workspace = None
    symbol: Annotated[str, Argument("What the packet calls the lines.", most=LONGEST_PATH, on=LSP)] = ""
    uri: Annotated[str | None, URI] = None
    position: Position = None
    packet_id: Annotated[str | None, Argument("An open packet.", most=LONGEST_ID, on=LSP)] = None
    question: Annotated[str | None, QUESTION._replace(on=LSP | DAEMON)] = None
    k: Annotated[int | None, PLACES._replace(on=LSP | DAEMON)] = None


def explain(helix: Helix, given: ExplainArguments, context: AskContext) -> dict[str, Any] | None:
    """Return the ``helix.explain/1`` object of lines, or of the ranking that answers a question."""
    if given.question is not None:
        return helix.explain_answer(
            given.question,
            task=given.task_type,
            k=checked_places(given.k, None),
            hints=context.hints,
            overlays=context.overlays,
            cancelled=context.cancelled,
        )
    assert given.source_id is not None and given.start_line is not None and given.end_line is not None
    lines = given.start_line, given.end_line
    return helix.explain(given.source_id, *lines, task=given.task_type, cancelled=context.cancelled)


EXPLAIN = Operation(
    "explain",
    "Why this verdict",
    "Explain step by step why lines of a file have the verdict they have now.",
    ExplainArguments,
    explain,
    "helix.explain/1",
    needs=(("source_id", "start_line", "end_line"), ("uri", "position"), ("packet_id",), ("question",)),
)


@dataclass(frozen=True, slots=True)
class NameArguments:
    """The arguments of ``symbol``: a name, or a position in a document."""

    name: Annotated[
        str | None, Argument("Its name, plain or qualified.", most=LONGEST_PATH, also=("symbol", "query"))
    ] = None
    workspace: Workspace = None
    uri: Annotated[str | None, URI] = None
    position: Position = None
    k: Annotated[int, Argument("Places of each kind.", 1, MOST_USES, on=MCP | HTTP | DAEMON)] = 10
    depth: Annotated[
        int, Argument("2 or 3: also users of users, what a change reaches.", 1, DEEPEST, on=MCP | HTTP | DAEMON)
    ] = 1
    page: Annotated[str, PAGE._replace(on=MCP | HTTP | DAEMON)] = ""


def symbol(helix: Helix, given: NameArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.symbol/1`` object. Raises UsageError where nothing defines the name."""
    assert given.name is not None
    known = helix.symbols.about(given.name, k=given.k, depth=given.depth, page=given.page, cancelled=context.cancelled)
    if known is None:
        raise UsageError(helix.symbols.unknown(given.name))
    return known


SYMBOL = Operation(
    "symbol",
    "Around a symbol",
    "Show who uses, overrides, tests and documents a symbol, its definitions and others of the same name, and "
    "what changes together with it, each place with its verdict. Users are found by name and import.",
    NameArguments,
    symbol,
    "helix.symbol/1",
    needs=(("name",), ("uri", "position")),
)


@dataclass(frozen=True, slots=True)
class TypedArguments:
    """The arguments of ``names``."""

    text: Annotated[
        str,
        Argument(
            "What is typed: a name, owner.name, or a file.", most=LONGEST_PATH, also=("name", "query"), on=LSP | DAEMON
        ),
    ]
    k: Annotated[int, Argument("The maximum number of places.", 1, MOST_USES, on=LSP | DAEMON)] = MOST_TYPED
    workspace: Workspace = None


def names(helix: Helix, given: TypedArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.names/1`` object: definitions and files by what is typed of their names."""
    return helix.symbols.typed(given.text, k=given.k, overlays=context.overlays, cancelled=context.cancelled)


NAMES = Operation(
    "names",
    "Names as they are typed",
    "List definitions and files by a prefix of their name, by its humps (WP is WritePacket) or by letters of it in "
    "order, the nearest match first, each place with its mark. The names are searched in memory, at every keystroke.",
    TypedArguments,
    names,
    "helix.names/1",
)


@dataclass(frozen=True, slots=True)
class PathsArguments:
    """The arguments of ``paths``."""

    text: Annotated[str, Argument("What is typed of a path.", most=LONGEST_PATH, on=DAEMON)]
    k: Annotated[int, Argument("The maximum number of paths.", 1, MOST_USES, on=DAEMON)] = MOST_TYPED


def paths(helix: Helix, given: PathsArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Return the ``helix.paths/1`` object: indexed files by what is typed of their path."""
    return helix.paths(given.text, k=given.k)


PATHS = Operation(
    "paths",
    "Paths as they are typed",
    "List indexed files whose path begins with what is typed, then those that have it further on.",
    PathsArguments,
    paths,
    "helix.paths/1",
)

MOST_CHANGES = 100


@dataclass(frozen=True, slots=True)
class ChangesArguments:
    """The arguments of ``changes``."""

    since: Annotated[
        str,
        Argument(
            "A commit, tag or branch; by default where the branch left its upstream, or the last commit.",
            most=LONGEST_NAME,
        ),
    ] = ""
    workspace: Workspace = None
    k: Annotated[int, Argument("The maximum number of definitions.", 1, MOST_CHANGES)] = 10
    uses: Annotated[int, Argument("The maximum number of places of each kind.", 1, MOST_USES)] = 5
    page: Page = ""


def changes(helix: Helix, given: ChangesArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.changes/1`` object: definitions that changed since a commit, and who still uses them."""
    return helix.symbols.changes(given.since, k=given.k, uses=given.uses, page=given.page, cancelled=context.cancelled)


CHANGES = Operation(
    "changes",
    "What broke since a commit",
    "Show definitions that changed their signature or went away since a commit, and who still uses, overrides, tests "
    "and documents them.",
    ChangesArguments,
    changes,
    "helix.changes/1",
)


@dataclass(frozen=True, slots=True)
class ExpandArguments:
    """The arguments of ``expand``: a place by the hash of its text, or by its file and line."""

    gene_id: Annotated[str, Argument("The place, by the hash of its text.", most=LONGEST_ID)] = ""
    source_id: Annotated[str, Argument("The place, by its file, with start_line.", most=LONGEST_PATH)] = ""
    start_line: Annotated[int, Argument("A line of the file, counted from 1.", 0, LAST_LINE)] = 0
    direction: Annotated[str, Argument("Which neighbors.", choices=DIRECTIONS)] = "all"
    k: Annotated[int, Argument("The maximum number of neighbors.", 1, MOST_NEIGHBORS)] = 5
    task_type: Task = TaskType.EXPLAIN.value
    session_id: Annotated[str, Argument("Omit what this session already has.", most=LONGEST_NAME, on=HTTP | DAEMON)] = (
        ""
    )


def expand(helix: Helix, given: ExpandArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.expand/1`` object: the places related to one place."""
    return helix.memory.expand(
        gene_id=given.gene_id,
        source_id=given.source_id,
        start_line=given.start_line,
        direction=given.direction,
        k=given.k,
        task=given.task_type,
        session=given.session_id,
        cancelled=context.cancelled,
    )


EXPAND = Operation(
    "expand",
    "The context of a place",
    "List the context of a place: the symbol it is in, the chunks before and after it, users, tests, documents and "
    "files that change with it, each with its verdict.",
    ExpandArguments,
    expand,
    "helix.expand/1",
)


@dataclass(frozen=True, slots=True)
class JudgeArguments:
    """The arguments of ``judge``."""

    items: Annotated[list[GivenItem], Argument("The items of a packet, or as much of them as points.", on=DAEMON)]
    task_type: Annotated[str, TASK._replace(on=DAEMON)] = TaskType.EXPLAIN.value
    confidence: Annotated[float, Argument("The packet's coordinate_confidence.", 0, 1, on=DAEMON)] = 1.0


def judge(helix: Helix, given: JudgeArguments, context: AskContext) -> dict[str, Any]:
    """Return the current verdicts of a packet's items, and the refresh targets."""
    shown = [item.pointer for item in given.items]
    missing = helix.symbols.missing_notes()
    judged, targets = helix.judge(
        shown, task=given.task_type, confidence=given.confidence, follows=True, cancelled=context.cancelled
    )
    return _judged(judged, targets, missing)


def _judged(judged: list[Judged], targets: list[RefreshTarget], notes: Sequence[str]) -> dict[str, Any]:
    from helix_core.packet import target_object

    return {
        "schema": "helix.refreshPlan/1",
        "items": [
            {
                "source_id": one.pointer.source_id,
                "gene_id": one.pointer.gene_id,
                "start_line": one.pointer.start_line,
                "end_line": one.pointer.end_line,
                "status": one.verdict.status.value,
                "reason": one.verdict.reason.value,
                "detail": one.verdict.detail,
                "now": {
                    "source_id": one.moved_to or one.pointer.source_id,
                    "start_line": one.start_line,
                    "end_line": one.end_line,
                }
                if one.start_line
                else None,
            }
            for one in judged
        ],
        "refresh_targets": [target_object(target) for target in targets],
        "notes": list(notes),
    }


JUDGE = Operation(
    "judge",
    "Current verdicts of a packet",
    "Show the current verdicts of an earlier packet's items, and what to read again.",
    JudgeArguments,
    judge,
    "helix.refreshPlan/1",
)


@dataclass(frozen=True, slots=True)
class CheckArguments:
    """The arguments of ``check``."""

    text: Annotated[str, Argument("The text, in Markdown.", most=LONGEST_TEXT)]
    source_id: Annotated[
        str,
        Argument("The path of the text itself, from the workspace folder: its links start there.", most=LONGEST_PATH),
    ] = ""
    workspace: Workspace = None


def check(helix: Helix, given: CheckArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.check/1`` object: the references of a text that are wrong on disk. Raises UsageError."""
    if not given.text.strip():
        raise UsageError("the text is empty; give the text whose references are to be checked")
    return helix.check(given.text, source_id=given.source_id, cancelled=context.cancelled)


CHECK = Operation(
    "check",
    "Check a text",
    "Compare the places (path:line), paths, symbols and quotes that a text cites with the disk, and list those that "
    "are wrong, each with the place it means now. What may be right for a reason outside the workspace is not listed.",
    CheckArguments,
    check,
    "helix.check/1",
)


@dataclass(frozen=True, slots=True)
class StatusArguments:
    """The arguments of ``status``."""

    workspace: Workspace = None
    skipped: Annotated[bool, Argument("List every file that is not indexed.", on=DAEMON)] = False


def status(helix: Helix, given: StatusArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.status/1`` object, with ``live`` if the workspace is open in this process."""
    live = {"live": context.live} if context.live is not None else {}
    return helix.status(skipped=given.skipped) | live


STATUS = Operation(
    "status",
    "Status",
    "Show whether the workspace is indexed and up to date, and what is pending or not indexed.",
    StatusArguments,
    status,
    "helix.status/1",
)


@dataclass(frozen=True, slots=True)
class FreshnessArguments:
    """The arguments of ``freshness``."""

    limit: Annotated[int, Argument("The maximum number of folders.", 1, 500)] = 100
    workspace: Workspace = None


def freshness(helix: Helix, given: FreshnessArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Return the ``helix.freshness/1`` object."""
    return helix.freshness(given.limit)


FRESHNESS = Operation(
    "freshness",
    "How fresh the index is",
    "Count for each folder the files that the index has as they are on disk, and those that changed, are new, are gone "
    "or were set aside; the least fresh folders first.",
    FreshnessArguments,
    freshness,
    "helix.freshness/1",
)


@dataclass(frozen=True, slots=True)
class ItemArguments:
    """The arguments of ``item``."""

    gene_id: Annotated[
        str,
        Argument("The gene_id of an item that a packet of this session gave.", most=LONGEST_ID, also=("id",), on=MCP),
    ]
    task_type: Annotated[str, TASK._replace(on=MCP)] = TaskType.EXPLAIN.value


ITEM = Operation(
    "item",
    "Read an item",
    "Read an item of an earlier packet of this session again, as its lines are on disk now.",
    ItemArguments,
    answer="helix.open/1",
)
