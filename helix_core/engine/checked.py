"""What the caller of the Python API gives, checked before anything is done; a refusal names what would be right."""

from __future__ import annotations

from collections.abc import Callable

from helix_core.errors import Cancelled, UsageError
from helix_core.model import TaskType

MAX_K = 100


def checked_question(question: str) -> str:
    """The question, or UsageError when it says nothing."""
    if not question.strip():
        raise UsageError("the question is empty; ask in words, names or a quoted message")
    return question


def checked_k(k: int) -> int:
    """k, or UsageError outside 1..100."""
    if not 1 <= k <= MAX_K:
        raise UsageError(f"k is {k}; it must be from 1 to {MAX_K}")
    return k


def checked_task(task: TaskType | str) -> TaskType:
    """The task by name, or UsageError naming those there are."""
    try:
        return TaskType(task)
    except ValueError:
        raise UsageError(f"unknown task {task!r}; use one of {', '.join(TaskType)}") from None


def stop_when(cancelled: Callable[[], bool] | None) -> Callable[[], None]:
    """A call to make between steps: raises Cancelled once ``cancelled`` says that nobody wants the answer any more."""

    def check() -> None:
        if cancelled is not None and cancelled():
            raise Cancelled("The question was taken back before it was answered; ask it again.")

    return check
