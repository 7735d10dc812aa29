"""The request of a question, validated once and passed on unchanged; an error names the valid values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType

from helix_core.conversation import ConversationQuery, read_question
from helix_core.errors import Cancelled, UsageError
from helix_core.model import HIGH_RISK, Filters, Hints, Overlays, TaskType
from helix_core.packet import LEAST_TOKENS, MOST_TOKENS, Quotes, Spending

MAX_K = 100
DEEPEST, MOST_USES = 3, 200
MOST_TYPED = 20
HINT_FILES, MOST_HINT_FILES = 40, 500
PLACES, PLACES_WITHIN_BUDGET = 8, 12
LEAST_BUDGET, MOST_BUDGET = 200, 200_000
LONGEST_TEXT = 262_144
DIRECTIONS = ("all", "forward", "backward", "sideways")
MOST_NEIGHBOURS = 50
NO_HINTS = Hints()
NO_FILTERS = Filters()
NOTHING_ASKED = ConversationQuery("")
NO_OVERLAYS: Overlays = MappingProxyType({})


def go_on() -> None:
    """The default ``check``: never cancel."""


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """A question on its way to an answer.

    Attributes:
        question: What is asked, not empty.
        k: At most so many places, 1..100.
        task: What the answer is for.
        hints: What else is known of who asks: open files, session.
        overlays: The editor's unsaved buffers.
        check: Called between steps; raises Cancelled once nobody wants the answer any more.
        explained: The answer says how it came about.
        previewed: A search compares each place with the disk and returns the line that declares it.
        asked: What of the question is searched for; read from the question itself where nobody gives it.
        filters: Which files are searched.
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
