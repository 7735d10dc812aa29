"""The values of an agent's pauses for a person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from helix_core.model.answer import Pointer
from helix_core.model.kinds import Clean


class PauseType(StrEnum):
    """Why an agent pauses for a person."""

    PERMISSION_REQUEST = "permission_request"
    UNCERTAINTY_CHECK = "uncertainty_check"
    ROLLBACK_CONFIRM = "rollback_confirm"
    OTHER = "other"


class Recoverability(StrEnum):
    """Whether what an agent is about to do can be undone."""

    RECOVERABLE = "recoverable"
    UNCERTAIN = "uncertain"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of an agent for a person, to be kept. ``at`` and ``resolved_at`` are Unix seconds, None while it is open.

    ``signals`` and ``about`` are JSON objects; ``files`` are the places it is about, as they were; ``snapshot`` is
    every indexed file with its hash, compressed, empty for none.
    """

    event_id: str
    workspace: bytes
    session: Clean
    pause_type: PauseType
    participant: Clean
    party: Clean
    task_context: Clean
    resolved_without_operator: bool
    signals: Clean
    about: Clean
    files: tuple[Pointer, ...]
    snapshot: bytes
    at: float
    resolved_at: float | None


@dataclass(frozen=True, slots=True)
class KeptPause:
    """A pause as read from the memory: masked, but still untrusted text."""

    event_id: str
    session: str
    pause_type: PauseType
    participant: str
    party: str
    task_context: str
    resolved_without_operator: bool
    signals: str
    about: str
    files: tuple[Pointer, ...]
    snapshot: bytes
    at: float
    resolved_at: float | None


@dataclass(frozen=True, slots=True)
class PauseFilter:
    """Which pauses are listed; an empty member keeps all. ``since`` is Unix seconds."""

    pause_type: str = ""
    participant: str = ""
    party: str = ""
    since: float = 0.0
    is_open: bool = False
    limit: int = 50
