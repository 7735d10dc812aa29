"""The words of each reason of a verdict, for people: one table for the command line, the editors and the reference.

``vscode-extension/src/view/words.ts`` has the same words; ``tests/docs/test_reasons.py`` compares them.
"""

from __future__ import annotations

from collections.abc import Mapping

from helix_core.model import Reason
from helix_core.tuples import NamedTuple
from helix_core.workspace import MAX_LINES


class ReasonText(NamedTuple):
    """The texts of one reason.

    ``words`` complete a line about an item; ``{since}`` is what was done to it last: ``indexed``, ``cited`` or
    ``opened``. ``meaning`` is Markdown for the table of the reference.
    """

    words: str
    meaning: str


REASONS: Mapping[Reason, ReasonText] = {
    Reason.UNCHANGED: ReasonText(
        "unchanged since it was {since}", "The file has the size, times and inode it had when it was indexed."
    ),
    Reason.TOUCHED: ReasonText("touched, but the bytes are the same", "The file's times changed; its SHA-256 did not."),
    Reason.REINGESTED: ReasonText(
        "changed, and read again just now", "The file had changed, and Helix read it again while answering."
    ),
    Reason.MOVED: ReasonText(
        "the same text, now on these lines",
        "The file had changed; the same text is under the same symbol, on the lines shown.",
    ),
    Reason.RENAMED: ReasonText(
        "the same text, now under another name",
        "The same text is now under another name or in another class; `detail` names both.",
    ),
    Reason.CHANGED: ReasonText(
        "changed on disk since it was {since}",
        "The text that was indexed is not there now, or is no longer a definition.",
    ),
    Reason.NOT_INDEXED: ReasonText(
        "not indexed: its lines were not searched",
        "The file is not in the index yet, or it was set aside because it broke the parser.",
    ),
    Reason.GONE: ReasonText("no longer there", "The file is not there any more."),
    Reason.UNREADABLE: ReasonText("cannot be read", "The file cannot be read."),
    Reason.OUTSIDE_ROOT: ReasonText("points outside the folder", "The path leads out of the workspace folder."),
    Reason.NOT_A_FILE: ReasonText(
        "no longer an ordinary file", "Something that is not an ordinary file is in its place."
    ),
    Reason.TOO_LARGE: ReasonText(
        f"larger than index.max_file_size, or more than {MAX_LINES:,} lines",
        f"The file has grown over `index.max_file_size`, or has more than {MAX_LINES:,} lines.",
    ),
    Reason.IGNORED: ReasonText("now ignored", "An ignore rule names the file now."),
    Reason.UNSAVED: ReasonText(
        "has unsaved edits in the editor",
        "An open editor has unsaved edits that touch the lines; `buffer` has the editor's lines.",
    ),
    Reason.CONFLICTED: ReasonText(
        "part of an unfinished merge or rebase",
        "A merge or rebase touches the file, or conflict markers are in it.",
    ),
    Reason.OUTDATED_DOC: ReasonText(
        "describes code that changed after it was written",
        "The document names code that changed after the document's last commit; `detail` says what.",
    ),
    Reason.CONTRADICTED: ReasonText(
        "contradicted by another source",
        "A line that changed later, or may have, gives another value; both are listed under `contradictions`.",
    ),
    Reason.AGED: ReasonText(
        "too old for this task", "A note or chat that nothing can compare with a disk is too old for the task."
    ),
    Reason.WEAK_AUTHORITY: ReasonText(
        "not a primary source",
        "The source is not first-hand: a note (then `stale_risk` at least), or made by a program.",
    ),
    Reason.UNLOCATED: ReasonText(
        "may not be the right place",
        "The confidence is so low that this may not be the right place at all.",
    ),
    Reason.ASSERTED: ReasonText(
        "said by you, and cites nothing that could be checked",
        "A memory that cites nothing, or whose value cannot be compared with what it cites (`detail`): its `origin` "
        "said so, and no other memory says otherwise.",
    ),
    Reason.SUPERSEDED: ReasonText(
        "depends on a memory that is no longer in force",
        "A memory that depends on one that was superseded, forgotten or purged; `detail` names it.",
    ),
}


NOT_YOURS = "nothing in it could be checked"
"""The words of ``asserted`` where the user did not say it, or has not approved it."""


def reason_words(reason: str, since: str = "indexed", *, is_users: bool = True) -> str:
    """Return a reason in words, such as ``changed on disk since it was cited``.

    Args:
        reason: the wire's word; one that this version does not know is returned with spaces for underscores.
        since: what was done to the item last: ``indexed``, ``cited`` or ``opened``.
        is_users: whether the user says it, where the item is a memory.
    """
    if reason == Reason.ASSERTED and not is_users:
        return NOT_YOURS
    try:
        return REASONS[Reason(reason)].words.replace("{since}", since)
    except ValueError:
        return reason.replace("_", " ")
