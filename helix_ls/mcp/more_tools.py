"""Further tools, as constants: those of the full profile, and those that write, which the user must allow."""

from __future__ import annotations

from helix_ls.mcp.fields import Field
from helix_ls.mcp.tool_words import QUESTION, WORKSPACE, ToolWords

MOST_CONTENT = 200_000

PREVIEW = ToolWords(
    "helix_splice_preview",
    "What a window would hold",
    "Say what helix_context would give for a question, without the text: each place with its tokens and how many of "
    "its lines would be cut, what would be left out and why, the tier and the health of the whole.",
    (
        QUESTION,
        Field("budget", int, "At most so many tokens of evidence.", default=6_000, least=200, most=20_000),
        WORKSPACE,
    ),
    "helix.preview/1",
)
RESONANCE = ToolWords(
    "helix_resonance",
    "Which rankers found it",
    "Say for a question what each ranker of the search contributed, and to which places: whether words, names, the "
    "graph or vectors lead there.",
    (
        QUESTION,
        Field("max_results", int, "Look at so many places.", default=20, least=1, most=100, also=("k", "downsample")),
        WORKSPACE,
    ),
    "helix.resonance/1",
)
TOKENS = ToolWords(
    "helix_metrics_tokens",
    "Tokens of this session",
    "Say how many tokens the answers of this session had, by tool; an estimate, and said to be one.",
    (),
    "helix.tokens/1",
)
SESSIONS = ToolWords(
    "helix_sessions_list",
    "Sessions",
    "List the sessions of agents that this server holds now: client, questions asked, packets kept, how long idle.",
    (),
    "helix.sessions/1",
)
RECENT = ToolWords(
    "helix_session_recent",
    "Recent packets",
    "List the packets this session was given, newest first, by question; read one again as helix://packets/<id>.",
    (),
    "helix.packets/1",
)
BRIDGE = ToolWords(
    "helix_bridge_status",
    "Servers and restarts",
    "Say which Helix servers of this user run, restart or have stopped, as they announced it; an announcement that is "
    "too old is said to be stale. Use it when Helix does not answer, before calling that a crash.",
    (),
    "helix.bridge/1",
)
INGEST = ToolWords(
    "helix_ingest",
    "Keep a note",
    "Keep a text as a note of this workspace, found beside its files from now on, below them and never as verified. "
    "Secrets are masked. Only for what the user wants kept; the same text again is the same note.",
    (
        Field("content", str, "The text that is to be kept.", longest=MOST_CONTENT),
        Field(
            "content_type",
            str,
            "What sort of text it is.",
            default="text",
            choices=("text", "code", "conversation"),
        ),
        Field("title", str, "A short name for it.", default=""),
        WORKSPACE,
    ),
    "helix.ingested/1",
    writes=True,
)
CONSOLIDATE = ToolWords(
    "helix_consolidate",
    "Draw facts from chats",
    "Draw facts, by rules, from the chats kept of this workspace, and keep each as a note with the exchanges it is "
    "from. Done again it gives the same notes.",
    (WORKSPACE,),
    "helix.consolidated/1",
    writes=True,
)
FORGET = ToolWords(
    "helix_forget",
    "Delete a note",
    "Delete every note of this workspace that holds the chunk of this gene_id, whole. Files are never touched.",
    (Field("gene_id", str, "The gene_id of a chunk of the note.", also=("id",)), WORKSPACE),
    "helix.forgotten/1",
    writes=True,
    destroys=True,
)
