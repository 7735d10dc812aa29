"""The values a window is made of."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model import Decoder, Reason, Status, Weighed


@dataclass(frozen=True, slots=True)
class Evidence:
    """A weighed item with its whole span as it is on disk now, secrets masked; no text where nothing may be quoted."""

    weighed: Weighed
    text: str


@dataclass(frozen=True, slots=True)
class WindowFact:
    """A literal ``key = value`` of an item in the window."""

    key: str
    value: str
    source_id: str
    line: int


@dataclass(frozen=True, slots=True)
class WindowRequest:
    """What the caller knows. ``terms`` are the words of the question that count; ``delivered`` the gene_ids that the
    session was given before; ``prompt_tokens`` what the caller's own prompt takes of ``context_tokens``."""

    terms: tuple[str, ...]
    budget_tokens: int
    decoder: Decoder = Decoder.CONDENSED
    model: str = ""
    small_models: tuple[str, ...] = ()
    delivered: frozenset[str] = frozenset()
    prompt_tokens: int = 0
    context_tokens: int = 128_000


@dataclass(frozen=True, slots=True)
class Block:
    """A place in the window. ``hidden_lines`` were trimmed; ``repeated`` says that only its legend is given again."""

    gene_id: str
    source_id: str
    start_line: int
    end_line: int
    symbol: str
    status: Status
    reason: Reason
    tokens: int
    hidden_lines: int = 0
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A place that answers the question and is not quoted in the window, and why. ``named``: a line there names it."""

    source_id: str
    start_line: int
    end_line: int
    reason: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """How well the window serves the question; each 0..1, the formulas in ``health.py``."""

    coverage: float
    density: float
    freshness: float
    ellipticity: float
    status: str


@dataclass(frozen=True, slots=True)
class Window:
    """The text for the model and the account of it. Empty text: nothing worth adding was found."""

    text: str
    tokens: int
    tier: str
    blocks: tuple[Block, ...]
    left_out: tuple[LeftOut, ...]
    facts: tuple[WindowFact, ...]
    health: Health
