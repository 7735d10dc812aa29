"""The status of an open workspace: decided from facts by pure functions, sent as ``helix.live/1``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

LIVE_SCHEMA = "helix.live/1"
State = Literal["starting", "indexing", "fresh", "incomplete", "paused", "missing", "error"]
LEVEL: frozenset[State] = frozenset(("fresh", "incomplete"))
"""The states in which nothing is to be taken in now; what is ``incomplete`` lacks files that broke their parser."""
Watching = Literal["events", "polling", "off"]
Mode = Literal["daemon", "solo"]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The process that serves the workspace."""

    pid: int
    version: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """What the index thread knows of a workspace.

    ``whole`` says that a whole refresh runs or is due; ``failure`` is why none succeeds. ``behind`` says that changes
    are pending for longer than a save takes, as git is running or the batch is large. ``set_aside`` counts the files
    that broke their parser and are not indexed. ``phase``, ``done`` and ``total`` are the progress of a whole refresh,
    in files; a total of zero is not known yet.
    """

    opened: bool = False
    whole: bool = True
    behind: bool = False
    paused: bool = False
    missing: bool = False
    cancelled: bool = False
    failure: str = ""
    complete: bool = False
    phase: str = ""
    done: int = 0
    total: int = 0
    files: int = 0
    items: int = 0
    branch: str = ""
    head: str = ""
    watching: Watching = "off"
    notes: tuple[str, ...] = ()
    set_aside: int = 0


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """The status of a workspace at one moment. ``message`` is the problem, ``action`` the remedy; both may be empty."""

    workspace: str
    uri: str
    state: State
    watching: Watching
    restricted: bool
    phase: str
    done: int
    total: int
    files: int
    items: int
    message: str
    action: str
    branch: str
    head: str
    server: ServerInfo
    set_aside: int = 0

    def wire(self) -> dict[str, Any]:
        """Return the status as the ``helix.live/1`` object."""
        return {
            "schema": LIVE_SCHEMA,
            "workspace": self.workspace,
            "uri": self.uri,
            "state": self.state,
            "watching": self.watching,
            "restricted": self.restricted,
            "phase": self.phase,
            "done": self.done,
            "total": self.total,
            "files": self.files,
            "items": self.items,
            "set_aside": self.set_aside,
            "message": self.message,
            "action": self.action,
            "branch": self.branch,
            "head": self.head,
            "server": {"pid": self.server.pid, "version": self.server.version, "mode": self.server.mode},
        }


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A status notification: the status now, and what was indexed since the last one.

    ``paths`` are relative to the workspace's root; ``everything`` says that any path may have changed. ``written`` are
    files that were just written to the disk and are not indexed yet.
    """

    status: WorkspaceStatus
    paths: frozenset[bytes] = frozenset()
    everything: bool = False
    written: frozenset[bytes] = frozenset()


def state_of(facts: IndexFacts) -> State:
    """Return the state of a workspace; of several conditions the most severe wins."""
    if facts.missing:
        return "missing"
    if facts.failure:
        return "error"
    if facts.paused:
        return "paused"
    if not facts.opened:
        return "starting"
    if facts.whole or facts.behind:
        return "indexing"
    return "incomplete" if facts.set_aside else "fresh"


def explanation_of(facts: IndexFacts) -> tuple[str, str]:
    """Return the problem and its remedy as sentences; two empty strings if there is no problem."""
    match state_of(facts):
        case "missing":
            return "The folder no longer exists; its index is kept.", "Restore the folder, or close it."
        case "error":
            return facts.failure, "Refresh the index to try again."
        case "paused" if facts.cancelled:
            return "Indexing was canceled; completed work is kept.", "Resume indexing to continue."
        case "paused":
            return "Indexing is paused; answers still read the files themselves.", "Resume indexing to continue."
        case "fresh" | "incomplete" if facts.complete and not facts.files:
            return "No file in this folder is indexed.", "See what was left out, and why, with Show Status."
        case "incomplete":
            files, are = ("file", "is") if facts.set_aside == 1 else ("files", "are")
            why = "parsing them failed or took too long"
            sentence = f"{facts.set_aside:,} {files} {are} set aside and not searched: {why}."
            return sentence, "See which with Show Status; they are tried again later."
        case "fresh" if facts.notes:
            return facts.notes[0], ""
    return "", ""


def status_of(facts: IndexFacts, *, workspace: str, uri: str, restricted: bool, server: ServerInfo) -> WorkspaceStatus:
    """Return the status that these facts amount to."""
    message, action = explanation_of(facts)
    state = state_of(facts)
    is_running = state == "indexing"
    return WorkspaceStatus(
        workspace=workspace,
        uri=uri,
        state=state,
        watching=facts.watching,
        restricted=restricted,
        phase=facts.phase if is_running else "",
        done=facts.done if is_running else 0,
        total=facts.total if is_running else 0,
        files=facts.files,
        items=facts.items,
        message=message,
        action=action,
        branch=facts.branch,
        head=facts.head,
        server=server,
        set_aside=facts.set_aside,
    )
