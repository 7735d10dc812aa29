"""The operations on a running Helix: index, servers, the editor's window. Most are answered by the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from helix_core.engine.requests import HINT_FILES, MOST_HINT_FILES
from helix_ls.operations.arguments import DAEMON, HTTP, LAST_LINE, LSP, Argument, AskContext, Operation
from helix_ls.operations.questions import LONGEST_ID, LONGEST_NAME, LONGEST_PATH, Workspace, WorkspaceArguments

if TYPE_CHECKING:
    from helix_core.engine import Helix

DOWNTIME_S = 30.0
MOST_DOWNTIME_S = 3_600.0
MOST_KEPT = 200
"""Chats, and answers of a workspace, that a running server remembers."""


@dataclass(frozen=True, slots=True)
class NoArguments:
    """The arguments of an operation that takes none."""


REFRESH_INDEX = Operation(
    "refresh_index",
    "Refresh the index",
    "Update the whole index from the disk, and answer when it is done.",
    WorkspaceArguments,
    answer="helix.index/1",
    access="admin",
    changes="index",
)
REBUILD_INDEX = Operation(
    "rebuild_index",
    "Rebuild the index",
    "Delete the index and rebuild it from the disk.",
    WorkspaceArguments,
    answer="helix.index/1",
    access="admin",
    changes="index",
)
PAUSE_INDEX = Operation(
    "pause_index",
    "Pause indexing",
    "Stop updating the index until it is resumed; for every folder if none is named.",
    WorkspaceArguments,
    changes="index",
)
RESUME_INDEX = Operation(
    "resume_index",
    "Resume indexing",
    "Resume updating the index; for every folder if none is named.",
    WorkspaceArguments,
    changes="index",
)


def vacuum(helix: Helix, given: WorkspaceArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Prune and compact the index's SQLite file; return the ``helix.vacuum/1`` object."""
    return helix.vacuum(cancelled=context.cancelled)


VACUUM = Operation(
    "vacuum",
    "Compact the index",
    "Delete versions that are no longer on disk, and shrink the index file.",
    WorkspaceArguments,
    vacuum,
    "helix.vacuum/1",
    access="admin",
    changes="index",
)


@dataclass(frozen=True, slots=True)
class RestartArguments:
    """The arguments of ``announce_restart``."""

    reason: Annotated[str, Argument("Why, in a few words.", most=LONGEST_NAME, on=HTTP)] = ""
    actor: Annotated[str, Argument("Who announces it.", most=LONGEST_NAME, on=HTTP)] = ""
    expected_downtime_s: Annotated[float, Argument("Seconds until it is back.", 0, MOST_DOWNTIME_S, on=HTTP)] = (
        DOWNTIME_S
    )


ANNOUNCE_RESTART = Operation(
    "announce_restart",
    "Announce a restart",
    "Announce that this server is about to restart.",
    RestartArguments,
    access="admin",
    changes="server",
)


@dataclass(frozen=True, slots=True)
class ProxyArguments:
    """The arguments of ``proxy``."""

    workspace: Workspace = None
    focused: Annotated[bool, Argument("The window of this folder has the focus.", on=LSP)] = False
    start: Annotated[bool, Argument("Start listening; false only returns the state.", on=LSP | DAEMON)] = True
    keep: Annotated[bool, Argument("Keep the folder open and the daemon running until it is stopped.", on=DAEMON)] = (
        False
    )
    port: Annotated[int | None, Argument("The port, in place of proxy.port.", 0, 65_535, on=LSP)] = None
    budget_tokens: Annotated[
        int | None, Argument("Tokens added to a chat, in place of proxy.budget_tokens.", 200, 200_000, on=LSP)
    ] = None
    idle_s: Annotated[
        float | None, Argument("Seconds an answer may pause, in place of proxy.idle_s.", 1, 3_600, on=LSP)
    ] = None

    def settings(self) -> dict[str, float]:
        """Return the settings that are given, by the fields of ``Config``."""
        given = {"proxy_port": self.port, "proxy_budget_tokens": self.budget_tokens, "proxy_idle_s": self.idle_s}
        return {name: value for name, value in given.items() if value is not None}


PROXY = Operation(
    "proxy",
    "The chat proxy",
    "Start the chat proxy, and return its address and key.",
    ProxyArguments,
    changes="server",
)


@dataclass(frozen=True, slots=True)
class ActivityArguments:
    """The arguments of ``activity``."""

    limit: Annotated[int, Argument("The maximum number of chats, and of packets.", 1, MOST_KEPT, on=HTTP)] = MOST_KEPT
    workspace: Workspace = None


ACTIVITY = Operation(
    "activity",
    "What the server did lately",
    "List the last chats of this server, with the time to their first byte and their tokens, and the last packets and "
    "windows of evidence of the workspace, with counts of their verdicts. Kept in memory, without any question.",
    ActivityArguments,
    answer="helix.activity/1",
)


@dataclass(frozen=True, slots=True)
class TicketArguments:
    """The arguments of ``dashboard_session``."""

    ticket: Annotated[str, Argument("The ticket of a link that helix dashboard printed.", most=LONGEST_NAME, on=HTTP)]


DASHBOARD_SESSION = Operation(
    "dashboard_session",
    "A session of the dashboard",
    "Exchange a ticket, once, for the key of a session that may read what the dashboard shows, for twelve hours.",
    TicketArguments,
    answer="helix.dashboardSession/1",
)
DOCTOR = Operation(
    "doctor",
    "Doctor",
    "Check whether Helix can work on this machine.",
    WorkspaceArguments,
    answer="helix.doctor/1",
)


@dataclass(frozen=True, slots=True)
class ClosePacketArguments:
    """The arguments of ``close_packet``."""

    packet_id: Annotated[str, Argument("The packet_id of an open packet.", most=LONGEST_ID, on=LSP)]


CLOSE_PACKET = Operation(
    "close_packet",
    "Close a packet",
    "Stop updating the verdicts of an open packet.",
    ClosePacketArguments,
    changes="window",
)
_DOCUMENT = Argument("The URI of a document in the editor.", most=LONGEST_PATH, on=LSP)
_LINE = Argument("A line, counted from 1.", 0, LAST_LINE, on=LSP)


@dataclass(frozen=True, slots=True)
class DocumentArguments:
    """The arguments of ``refresh_file``."""

    uri: Annotated[str, _DOCUMENT]


REFRESH_FILE = Operation(
    "refresh_file",
    "Refresh a file",
    "Update one file in the index.",
    DocumentArguments,
    changes="index",
)


@dataclass(frozen=True, slots=True)
class DismissArguments:
    """The arguments of ``dismiss``."""

    uri: Annotated[str, _DOCUMENT]
    code: Annotated[str, Argument("The code of the finding.", most=LONGEST_NAME, on=LSP)]
    text_hash: Annotated[str, Argument("The hash of the text the finding is about.", most=LONGEST_ID, on=LSP)]
    restore: Annotated[bool, Argument("Show it again instead.", on=LSP)] = False


DISMISS = Operation(
    "dismiss",
    "Dismiss a finding",
    "Do not show a finding again while the text it is about stays as it is. It is remembered beside the index.",
    DismissArguments,
    changes="window",
)


@dataclass(frozen=True, slots=True)
class HintsArguments:
    """The arguments of ``hints``."""

    workspace: Workspace = None
    after: Annotated[str, Argument("Go on after this file: the last page's next.", most=LONGEST_PATH, on=LSP)] = ""
    files: Annotated[int, Argument("Files to look at.", 1, MOST_HINT_FILES, on=LSP)] = HINT_FILES


HINTS = Operation(
    "hints",
    "Outdated text of the workspace",
    "List what is outdated, contradicted or dead in all files, a page of files at a time: documents that the code left "
    "behind, values that a later source contradicts, names and files that are gone.",
    HintsArguments,
    answer="helix.hints/1",
)


@dataclass(frozen=True, slots=True)
class SidesArguments:
    """The arguments of ``open_sides``."""

    uri: Annotated[str, _DOCUMENT]
    start_line: Annotated[int, _LINE]
    other_uri: Annotated[str, _DOCUMENT]
    other_start_line: Annotated[int, _LINE]


OPEN_SIDES = Operation(
    "open_sides",
    "Show both places",
    "Show both places of a finding.",
    SidesArguments,
    changes="window",
)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The envelope of a call to the daemon: its arguments besides those of the operation."""

    path: Annotated[
        str | None, Argument("The absolute path of the workspace folder.", most=LONGEST_PATH, on=DAEMON)
    ] = None
    call: Annotated[str, Argument("The caller's name for this call.", most=LONGEST_NAME, on=DAEMON)] = ""
    asker: Annotated[str, Argument("The session that asks.", most=LONGEST_NAME, on=DAEMON)] = ""
    trace: Annotated[
        str, Argument("The caller's span of telemetry, as a traceparent.", most=LONGEST_NAME, on=DAEMON)
    ] = ""


CALL = Operation("call", "A call", "Any call to the daemon.", CallArguments)
CANCEL = Operation("cancel", "Cancel a question", "Cancel the call with that name.", CallArguments, needs=(("call",),))
DAEMON_STATUS = Operation(
    "daemon_status", "The daemon", "Show the state of the daemon.", NoArguments, answer="helix.daemon/1"
)
DAEMON_STOP = Operation("daemon_stop", "Stop the daemon", "Stop the daemon.", NoArguments, changes="server")
TOKENS = Operation(
    "tokens",
    "Tokens of this session",
    "Show how many tokens the answers of this session had, by tool, as an estimate.",
    NoArguments,
    answer="helix.tokens/1",
)
SESSIONS = Operation(
    "sessions",
    "Sessions",
    "List the sessions of agents that this server holds now: client, questions asked, packets kept, how long idle.",
    NoArguments,
    answer="helix.sessions/1",
)
RECENT_PACKETS = Operation(
    "recent_packets",
    "Recent packets",
    "List the packets this session was given, newest first, by question; read one again as helix://packets/<id>.",
    NoArguments,
    answer="helix.packets/1",
)
SERVERS = Operation(
    "servers",
    "Servers and restarts",
    "List the Helix servers of this user that are running, restarting or stopped, as they announced it; an old "
    "announcement is marked as stale.",
    NoArguments,
    answer="helix.bridge/1",
)
