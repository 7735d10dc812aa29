"""The operations that store, consolidate and delete notes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from helix_core.memory import CONTENT_TYPES, MOST_BYTES
from helix_ls.operations.arguments import DAEMON, HTTP, Argument, AskContext, Operation
from helix_ls.operations.questions import LONGEST_ID, LONGEST_NAME, SESSION, Workspace, WorkspaceArguments

if TYPE_CHECKING:
    from helix_core.engine import Helix

LAYERS = ("org_id", "party_id", "participant_id", "participant_handle", "agent_id", "agent_handle", "authored_tz")


def _layer(who: str) -> Argument:
    return Argument(f"The author: {who}.", most=LONGEST_NAME, on=HTTP | DAEMON)


@dataclass(frozen=True, slots=True)
class IngestArguments:
    """The arguments of ``ingest``."""

    content: Annotated[str, Argument("The text to keep.", most=MOST_BYTES)]
    content_type: Annotated[str, Argument("The kind of text.", choices=CONTENT_TYPES)] = "text"
    title: Annotated[str, Argument("A short name for it.", most=LONGEST_NAME)] = ""
    workspace: Workspace = None
    metadata: Annotated[
        dict[str, Any],
        Argument("path names a file of the workspace, or a language; title; anything else.", on=HTTP | DAEMON),
    ] = field(default_factory=dict)
    org_id: Annotated[str, _layer("organisation")] = ""
    party_id: Annotated[str, _layer("device")] = ""
    participant_id: Annotated[str, _layer("user")] = ""
    participant_handle: Annotated[str, _layer("user, by name")] = ""
    agent_id: Annotated[str, _layer("agent")] = ""
    agent_handle: Annotated[str, _layer("agent, by name")] = ""
    authored_tz: Annotated[str, _layer("time zone, by its IANA name")] = ""
    local_federation: Annotated[
        bool, Argument("Record the author, taken from this machine if not given.", on=HTTP | DAEMON)
    ] = True


def ingest(helix: Helix, given: IngestArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Store notes and return ``{gene_ids, count, stored}``, with ``attributed`` if a note names its author."""
    from helix_core.memory import NoteInput
    from helix_core.model import Attribution
    from helix_ls.operations.attribution import attribution

    layers = {name: value for name in LAYERS if (value := getattr(given, name))}
    by = attribution(layers, os.environ) if given.local_federation else Attribution()
    named = {"title": given.title} if given.title else {}
    stored = helix.memory.ingest(NoteInput(given.content, given.content_type, named | given.metadata), by)
    answer = {"schema": "helix.ingested/1"} | stored
    if given.local_federation and stored["stored"] == "note":
        said_by = {"org": by.org, "party": by.device, "participant": by.user, "agent": by.agent or None}
        answer["attributed"] = said_by | {"authored_tz": by.timezone}
    return answer


INGEST = Operation(
    "ingest",
    "Keep a note",
    "Keep a text as a note of this workspace. Searches find it next to the files, ranked below them and never "
    "verified. Secrets are masked. Use it only for what the user wants kept; the same text again is the same note.",
    IngestArguments,
    ingest,
    "helix.ingested/1",
    access="admin",
    changes="memory",
)


@dataclass(frozen=True, slots=True)
class ConsolidateArguments:
    """The arguments of ``consolidate``: the exchanges of one session, or of all."""

    session_id: Annotated[str, SESSION] = ""
    workspace: Workspace = None


def consolidate(helix: Helix, given: ConsolidateArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Extract facts from exchanges and return ``{facts_extracted, gene_ids, exchanges, facts}``."""
    return {"schema": "helix.consolidated/1"} | helix.memory.consolidate(given.session_id)


CONSOLIDATE = Operation(
    "consolidate",
    "Extract facts from chats",
    "Extract facts by rules from the kept chats of this workspace, and keep each as a note that names its exchanges. "
    "Repeating it gives the same notes.",
    ConsolidateArguments,
    consolidate,
    "helix.consolidated/1",
    access="admin",
    changes="memory",
)


@dataclass(frozen=True, slots=True)
class ForgetArguments:
    """The arguments of ``forget``: a note, or a session's exchanges."""

    gene_id: Annotated[str | None, Argument("The gene_id of a chunk of the note.", most=LONGEST_ID, also=("id",))] = (
        None
    )
    workspace: Workspace = None
    session_id: Annotated[
        str | None, Argument("The session whose exchanges to delete.", most=LONGEST_NAME, on=HTTP | DAEMON)
    ] = None


def forget(helix: Helix, given: ForgetArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Delete a note or a session's exchanges and return what was deleted."""
    gone = helix.memory.forget(given.gene_id) if given.gene_id else helix.memory.forget_session(given.session_id or "")
    return {"schema": "helix.forgotten/1"} | gone


FORGET = Operation(
    "forget",
    "Delete a note",
    "Delete every note of this workspace that holds the chunk of this gene_id, whole. Files are never touched.",
    ForgetArguments,
    forget,
    "helix.forgotten/1",
    access="admin",
    changes="memory",
    destroys=True,
    needs=(("gene_id",), ("session_id",)),
    is_exclusive=True,
)


def backfill(helix: Helix, given: WorkspaceArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Extract the literal claims of every note again and return ``{backfilled, total}``."""
    return helix.memory.kv_backfill()


BACKFILL = Operation(
    "backfill",
    "Rebuild the claims of notes",
    "Extract the literal claims of every note again.",
    WorkspaceArguments,
    backfill,
    access="admin",
    changes="memory",
)
