"""The value types of a window."""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model import Decoder, Reason, Status, Weighed


@dataclass(frozen=True, slots=True)
class Evidence:
    """A weighed item with the current text of its whole span, secrets masked; no text where nothing may be quoted."""

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
    """The caller's request. ``terms`` are the question's words except stop words; ``delivered`` the gene_ids that
    the session received before; ``prompt_tokens`` is the size of the caller's own prompt within ``context_tokens``, and
    ``prompt`` its text: a quote that is in it is not repeated, but for the gene_ids that are ``superseded``: another
    text of those places was quoted after it.
    """

    terms: tuple[str, ...]
    budget_tokens: int
    decoder: Decoder = Decoder.CONDENSED
    model: str = ""
    small_models: tuple[str, ...] = ()
    delivered: frozenset[str] = frozenset()
    prompt_tokens: int = 0
    context_tokens: int = 128_000
    prompt: str = ""
    superseded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Block:
    """A quoted item in the window. ``hidden_lines`` were trimmed; ``repeated`` means that only its legend is
    repeated.
    """

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
    """An item that answers the question but is not quoted, with the reason. ``named``: a line of the window names
    it.
    """

    source_id: str
    start_line: int
    end_line: int
    reason: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """How well the window answers the question; each 0..1, with the formulas of ``window.health``."""

    coverage: float
    density: float
    freshness: float
    ellipticity: float
    status: str


@dataclass(frozen=True, slots=True)
class Window:
    """The text for the model and its account. The text is empty when nothing worth adding was found.

    ``remembered`` are the lines of memories that it holds.
    """

    text: str
    tokens: int
    tier: str
    blocks: tuple[Block, ...]
    left_out: tuple[LeftOut, ...]
    facts: tuple[WindowFact, ...]
    health: Health
    remembered: tuple[str, ...] = ()
