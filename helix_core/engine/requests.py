"""The request of a question, validated once and passed on unchanged; an error names the valid values.

The engine's own rooms use all of it. ``__all__`` lists what other rooms may use: the bounds and two checks.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from helix_core.conversation import ConversationQuery, read_question
from helix_core.errors import Cancelled, UsageError
from helix_core.model import HIGH_RISK, Filters, Hints, Overlays, TaskType
from helix_core.packet import LEAST_TOKENS, MOST_TOKENS, Quotes, Spending
from helix_core.tuples import NamedTuple

__all__ = [
    "DEEPEST",
    "DIRECTIONS",
    "HINT_FILES",
    "LEAST_BUDGET",
    "LONGEST_TEXT",
    "MAX_K",
    "MOST_BUDGET",
    "MOST_HINT_FILES",
    "MOST_NEIGHBORS",
    "MOST_TYPED",
    "MOST_USES",
    "NOT_COMPARED",
    "NOT_IN_OWNER",
    "NO_FILTERS",
    "checked_places",
    "checked_spending",
    "no_use",
]

MAX_K = 100
DEEPEST, MOST_USES = 3, 200
USES_SHOWN = 5
MOST_TYPED = 20
HINT_FILES, MOST_HINT_FILES = 40, 500
PLACES, PLACES_WITHIN_BUDGET = 8, 12
LEAST_BUDGET, MOST_BUDGET = 200, MOST_TOKENS
LONGEST_TEXT = 262_144
DIRECTIONS = ("all", "forward", "backward", "sideways")
MOST_NEIGHBORS = 50
NO_HINTS = Hints()
NOT_COMPARED = "no changed file was compared"
"""Begins the note on changes in languages alone whose signatures are not compared."""
NOT_IN_OWNER = "was recognized in"
"""Is behind ``no NAME`` in the note on an owner that has no such member, so that what is told is of another one's."""
NO_FILTERS = Filters()
NOTHING_ASKED = ConversationQuery("")
NO_OVERLAYS: Overlays = MappingProxyType({})


_CURSOR = re.compile(r"(\d{1,4})-(\d{1,3})-([0-9a-f]{4})([0-9a-f]{6})", re.ASCII)
LAST_PAGE_NOTE = "the list ends before this page"
PAGE_NOTE = (
    "the pages before this one would be others now: this page may repeat or miss places; ask without page to "
    "begin again"
)


def bounded_tokens(max_tokens: int | None) -> None:
    """Raise UsageError for a budget of tokens that is out of its bounds; None is without one."""
    if max_tokens is not None and not LEAST_BUDGET <= max_tokens <= MOST_BUDGET:
        raise UsageError(f"max_tokens is {max_tokens}; it must be from {LEAST_BUDGET} to {MOST_BUDGET:,}")


def no_use(untold: int) -> str:
    """Return the sentence for a name of which no use is listed; ``untold`` lines have it and may mean another one."""
    said = "no use of it was recognized here"
    if not untold:
        return said
    return f"{said}; {'1 line has' if untold == 1 else f'{untold:,} lines have'} its name and may mean another"


def go_on() -> None:
    """The default ``check``: never cancel."""


class PageCursor(NamedTuple):
    """Where a page of a list begins: ``size`` entries after the first ``offset``.

    On the wire it is ``OFFSET-SIZE-DIGESTS``. ``question`` is a digest of what is asked, and ``before`` one of the
    entries that the pages before gave: nothing is kept between two pages, and a list that changed is noticed.
    """

    offset: int
    size: int
    question: str
    before: str = ""

    @property
    def end(self) -> int:
        """The offset of the first entry after the page."""
        return self.offset + self.size

    def then(self, entries: Sequence[str]) -> str:
        """Return the cursor of the page after this one; ``entries`` are those of all pages up to this one."""
        return f"{self.end}-{self.size}-{self.question}{_digest(entries)}"

    def notes(self, entries: Sequence[str], *, is_empty: bool = False) -> tuple[str, ...]:
        """Return notes for a page: where ``entries``, those of the pages before, are others than these pages gave, and
        where nothing is left.
        """
        moved = (PAGE_NOTE,) if self.offset and _digest(entries) != self.before else ()
        return (*moved, LAST_PAGE_NOTE) if self.offset and is_empty else moved


def page_at(page: str, size: int, *question: object) -> PageCursor:
    """Return the first page, of ``size`` entries, or the one that ``page`` names, the ``next_page`` of an answer.

    Raises UsageError for a text that is no such name, and for one of another question.
    """
    asked = _digest([repr(question)])[:4]
    if not page:
        return PageCursor(0, size, asked)
    found = _CURSOR.fullmatch(page)
    if found is None or not int(found[2]):
        raise UsageError("page is not the next_page of an answer; give that, or leave page out to begin")
    if found[3] != asked:
        raise UsageError("that page is of another question; repeat its question and filters, or leave page out")
    return PageCursor(int(found[1]), int(found[2]), asked, found[4])


def _digest(entries: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(entries).encode("utf-8", "surrogateescape")).hexdigest()[:6]


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """A question on its way to an answer.

    Attributes:
        question: What is asked, not empty.
        k: At most so many places, 1..100.
        task: What the answer is for.
        hints: What else is known of the client: open files, session.
        overlays: The editor's unsaved buffers.
        check: Called between steps; raises Cancelled once the client drops the request.
        explained: The answer says how it came about.
        previewed: A search compares each place with the disk and returns the line that declares it.
        asked: What of the question is searched for; read from the question itself by default.
        filters: Which files are searched.
        page: Which part of the list a search returns, and ``k`` is its size; None for the first, without a next one.
    """

    question: str
    k: int
    task: TaskType = TaskType.EXPLAIN
    hints: Hints = NO_HINTS
    overlays: Overlays = field(default_factory=lambda: NO_OVERLAYS)
    check: Callable[[], None] = go_on
    explained: bool = False
    previewed: bool = False
    asked: ConversationQuery = NOTHING_ASKED
    filters: Filters = NO_FILTERS
    page: PageCursor | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for an empty question or a k out of bounds."""
        checked_question(self.question)
        checked_k(self.k)
        if self.asked is NOTHING_ASKED:
            object.__setattr__(self, "asked", read_question(self.question))


def checked_question(question: str) -> str:
    """Return the question. Raises UsageError when it is empty."""
    if not question.strip():
        raise UsageError("the question is empty; ask in words, names or a quoted message")
    return question


def checked_text(text: str) -> str:
    """Return the text to check. Raises UsageError when it is too long."""
    if len(text) > LONGEST_TEXT:
        raise UsageError(f"the text has {len(text):,} characters; check at most {LONGEST_TEXT:,} at once")
    return text


def checked_k(k: int) -> int:
    """Return k. Raises UsageError outside 1..100."""
    if not 1 <= k <= MAX_K:
        raise UsageError(f"k is {k}; it must be from 1 to {MAX_K}")
    return k


def checked_places(k: int | None, max_tokens: int | None) -> int:
    """Return the number of items of a packet. Raises UsageError."""
    if k is not None:
        return checked_k(k)
    return PLACES if max_tokens is None else PLACES_WITHIN_BUDGET


def checked_task(task: TaskType | str) -> TaskType:
    """Return the task by name. Raises UsageError that lists the tasks."""
    try:
        return TaskType(task)
    except ValueError:
        raise UsageError(f"unknown task {task!r}; use one of {', '.join(TaskType)}") from None


def checked_spending(quotes: Quotes | str, max_tokens: int | None, task: TaskType) -> Spending:
    """Return the packet's budget. Raises UsageError. A task that needs the exact text gets whole quotes."""
    try:
        chosen = Quotes(quotes)
    except ValueError:
        raise UsageError(f"unknown quotes {quotes!r}; use one of {', '.join(Quotes)}") from None
    if max_tokens is not None and not LEAST_TOKENS <= max_tokens <= MOST_TOKENS:
        raise UsageError(f"max_tokens is {max_tokens}; it must be from {LEAST_TOKENS} to {MOST_TOKENS:,}")
    return Spending(whole=chosen is Quotes.WHOLE or task in HIGH_RISK, max_tokens=max_tokens)


def stop_when(cancelled: Callable[[], bool] | None) -> Callable[[], None]:
    """Return a check that raises Cancelled once ``cancelled`` returns True."""

    def check() -> None:
        if cancelled is not None and cancelled():
            raise Cancelled("The question was taken back before it was answered; ask it again.")

    return check
