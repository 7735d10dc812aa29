"""Which exchanges are kept, and how much of each: whole answers to somebody's question, and nothing half said as whole.

Kept: what ended as the upstream said it would; one that ran into its limit is kept and flagged. Not kept: an answer
that broke off or failed, a round of a tool loop, one without text. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.ingest.secrets import mask
from helix_core.model import Attribution, Clean, Exchange

MOST_QUESTION = 8_000
MOST_ANSWER = 128 * 1024
LONGEST_WORD = 4_096
LONGEST_NAME = 128
_TOOLS = frozenset({"tool_calls", "function_call"})
_WHOLE = frozenset({"stop", "end_turn", "eos", "stop_sequence"})


@dataclass(frozen=True, slots=True)
class Heard:
    """An exchange as it went by. ``is_cut`` says that not all of the answer was noted."""

    workspace: bytes
    session: str
    question: str
    answer: str
    model: str
    packet_id: str
    at: float
    finish: str
    is_cut: bool = False


def kept(heard: Heard, by: Attribution) -> Exchange | None:
    """What is kept of it, or None. Any ``finish`` of the upstream but a plain stop says that more was to come."""
    if heard.finish in _TOOLS or not heard.finish or not heard.answer.strip() or not heard.question.strip():
        return None
    question, _ = bounded(heard.question, MOST_QUESTION)
    answer, was_cut = bounded(heard.answer, MOST_ANSWER, is_cut=heard.is_cut)
    return Exchange(
        workspace=heard.workspace,
        session=session_name(heard.session),
        question=question,
        answer=answer,
        model=_name(heard.model),
        packet_id=heard.packet_id,
        at=heard.at,
        finish=_name(heard.finish),
        truncated=was_cut or heard.finish not in _WHOLE,
        by=by,
    )


def session_name(text: str) -> Clean:
    """A session as it is stored and looked up: one line, masked, at most 128 characters."""
    return _name(text)


def bounded(text: str, most: int, *, is_cut: bool = False) -> tuple[Clean, bool]:
    """The text, masked, with at most ``most`` characters, and whether some of it is missing.

    Where it is cut, the last word goes as well: it may be half of a secret, which no rule would know.
    """
    is_cut = is_cut or len(text) > most
    text = text[:most]
    if is_cut:
        end = max(text.rfind(blank, max(0, len(text) - LONGEST_WORD)) for blank in (" ", "\n", "\t"))
        text = text[:end] if end >= 0 else text[: max(0, len(text) - LONGEST_WORD)]
    return mask(text.replace("\0", "\ufffd").encode("utf-8", "replace")).text(), is_cut


def _name(text: str) -> Clean:
    plain = "".join(character if character.isprintable() else " " for character in text[:1_000]).strip()
    masked = mask(plain.encode("utf-8", "replace"))
    return masked.clean(masked.text()[:LONGEST_NAME])
