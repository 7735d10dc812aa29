"""Read what a text states: is it worth keeping, what kind of memory is it, and what does it say of what.

Rules only: deterministic, linear in the text, without a model. A gate scores a sentence of a conversation; who asks for
one text to be remembered passes it by, but for questions and acknowledgments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import re2

from helix_core.memory.cues import ACK, CONTROL, EXPLICIT, FENCE, LEAD, NOISE, ORDERS, PACKET, PRINTED, QUOTED, SETTLED
from helix_core.memory.exchanges import sentences
from helix_core.memory.kinds import odds_of
from helix_core.memory.slots import slot_of
from helix_core.printable import is_joiner_at

KEEP = 0.5
"""Least score of the gate at which a sentence of a conversation is proposed."""
SAID_SO = 0.6
"""Score of what is told in so many words, whatever the weights say."""
KEEP_SETTLED = 0.15
"""The same of one that the next sentence calls settled."""
_MAY_BE_SETTLED = frozenset({"fact", "convention", "project", "entity"})
_LINE_ENDS = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_NEVER_SEEN = (range(0x2065, 0x2066), range(0xFDD0, 0xFDF0), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000))
"""Code points without a character that are none, or reserved for invisible ones."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a text states.

    ``subject``, ``attribute`` and ``value`` are normalized, and empty where no rule knows them; ``choice`` names the
    kind of thing that the value is one of; ``replaces`` are values that the text says are no longer so. A value of an
    ``is_exclusive`` slot leaves no room for another.
    """

    text: str
    kind: str
    score: float
    subject: str = ""
    attribute: str = ""
    value: str = ""
    choice: str = ""
    replaces: tuple[str, ...] = ()
    is_exclusive: bool = False


def plain(text: str) -> str:
    """Return the text in composed form (NFC), with line feeds for whatever ends a line, and without characters that
    nobody sees.

    Joiners that spell stay, and so do characters that are newer than this Python.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _composed(text)
    return "".join(one for at, one in enumerate(text) if not _is_left_out(text, at))


def left_out(text: str) -> int:
    """Return how many characters ``plain`` leaves out; those of a line end do not count."""
    text = _composed(text)
    return sum(_is_left_out(text, at) for at in range(len(text)))


def _composed(text: str) -> str:
    return _LINE_ENDS.sub("\n", unicodedata.normalize("NFC", text))


def _is_left_out(text: str, at: int) -> bool:
    one = text[at]
    category = unicodedata.category(one)
    if category == "Cn":
        return ord(one) & 0xFFFE == 0xFFFE or any(ord(one) in block for block in _NEVER_SEEN)
    return category in ("Cc", "Cf", "Co", "Cs") and one not in "\n\t" and not is_joiner_at(text, at)


def without_own(text: str) -> str:
    """Return the text without what Helix put into a conversation: what it said before is never learned."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        if FENCE.search(line):
            inside = line.rstrip().endswith("begin")
        elif not inside and not PACKET.search(line):
            kept.append(line)
    return "\n".join(kept)


def is_order(text: str) -> bool:
    """Return whether a text gives orders to a model, rather than stating a fact: what it says never becomes a rule."""
    return bool(ORDERS.search(text) or CONTROL.search(text))


def refusal(text: str) -> str:
    """Return why a text states nothing that can be remembered, empty where it does."""
    said = " ".join(text.split())
    if not said or not any(one.isalnum() for one in said):
        return "it says nothing"
    if ACK.search(said):
        return "it is an acknowledgment"
    if said.endswith(("?", "？")) and len(list(sentences(said))) <= 1:
        return "it is a question"
    if not without_own(text).strip():
        return "it is what Helix said itself"
    return ""


def statements_in(text: str) -> Iterator[Statement]:
    """Yield the statements of a slice of a conversation that pass the gate, in order.

    A sentence that only says of the one before it that it is settled makes that one a decision.
    """
    said = list(sentences(without_own(plain(text))))
    for sentence, following in zip(said, [*said, ""][1:], strict=True):
        if SETTLED.search(sentence) and sentence is not said[0]:
            continue
        one = statement(sentence)
        is_settled = one.kind in _MAY_BE_SETTLED and SETTLED.search(following) is not None
        if one.score >= (KEEP_SETTLED if is_settled else KEEP):
            yield replace(one, kind="decision") if is_settled else one


def statement(text: str) -> Statement:
    """Read one sentence, or a text that is to be kept whole: its kind, its slot and the gate's score."""
    said = " ".join(plain(text).split())
    odds = odds_of(said)
    core = LEAD.sub("", said, count=1).rstrip(" .!;")
    found = slot_of(core) or ()
    return Statement(said, _kind(said, odds), score(said, odds), *found)


def score(said: str, odds: Mapping[str, float]) -> float:
    """Return how surely a sentence of a conversation states something durable; ``KEEP`` and above is proposed.

    Args:
        said: The sentence.
        odds: What ``odds_of`` gives for it.
    """
    if _NO_STATEMENT.search(said) or said.endswith(("?", "？")):
        return 0.0
    durable = 1.0 - odds[""]
    return round(max(durable, SAID_SO) if EXPLICIT.search(said) else durable, 3)


def _kind(said: str, odds: Mapping[str, float]) -> str:
    if "```" in said or said.startswith("$ "):
        return "snippet"
    return max((kind for kind in odds if kind), key=odds.__getitem__)


def _one_of(*patterns: re2._Regexp) -> re2._Regexp:
    """Return a pattern of all, which is searched in the time of one; for few, as its states are many."""
    return re2.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns))


_NO_STATEMENT = _one_of(ACK, NOISE, QUOTED, PRINTED)
