"""Read what a text states: is it worth keeping, what kind of memory is it, and what does it say of what.

Rules only: deterministic, linear in the text, without a model. A gate scores a sentence of a conversation; who asks for
one text to be remembered passes it by, but for questions and acknowledgments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import re2

from helix_core.memory.clauses import (
    ACTIVITY,
    ACTS_ON,
    ASKED_FOR,
    CHAIN,
    CONTRAST,
    COUNT_OF_RUN,
    DECIDED,
    DEFINES,
    FINITE,
    FORM_OF_OUTPUT,
    GENERAL,
    HABIT,
    OF_NOW,
    OF_SELF,
    OF_THE_TALK,
    OWN_ACT,
    POSSIBLE,
    PRINTED,
    PURPOSE,
    QUOTED,
    REPORTED,
    RULED,
    SECTION,
    SETTLED,
    STACK,
    STEPS,
    SUBORDINATE,
    TO_THE_OTHER,
    WENT_WRONG,
    WHO_WHAT,
    WISH,
    is_mishap,
    is_past,
    is_past_choice,
)
from helix_core.memory.cues import (
    ACK,
    BARE,
    COMMAND,
    CONTROL,
    CUE,
    DOES,
    FENCE,
    FOREIGN,
    FOREIGN_PASSING,
    HEARSAY,
    HEDGE,
    KINDS,
    LEAD,
    LETS,
    MODAL,
    NAMED_FIRST,
    NOISE,
    NOT_A_SUBJECT,
    ORDERS,
    PACKET,
    PASSING,
    PLANNED,
    QUESTION,
    STATES,
    UNDECIDED,
    UNREAL,
)
from helix_core.memory.exchanges import sentences
from helix_core.memory.slots import is_critical, slot_of, tokens
from helix_core.printable import is_joiner_at
from helix_core.words import wide_pairs

KEEP = 0.5
"""Least score of the gate at which a sentence of a conversation is proposed."""
KEEP_SETTLED = 0.15
"""The same of one that the next sentence calls settled."""
MOST_WORDS = 60
_MAY_BE_SETTLED = frozenset({"fact", "convention", "project", "entity"})
_KEPT = 4_096
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
        if one.score >= KEEP or (is_settled and one.score >= KEEP_SETTLED):
            yield replace(one, kind="decision") if is_settled else one


def statement(text: str) -> Statement:
    """Read one sentence, or a text that is to be kept whole: its kind, its slot and the gate's score."""
    said = " ".join(plain(text).split())
    core = LEAD.sub("", said, count=1).rstrip(" .!;")
    kind = _kind(said, core)
    found = slot_of(core)
    return Statement(said, kind, score(said), *found) if found else Statement(said, kind, score(said))


def score(sentence: str) -> float:
    """Return how surely a sentence of a conversation states something durable; ``KEEP`` and above is proposed."""
    said = " ".join(sentence.split())
    words = said.split()
    if _NO_STATEMENT.search(said):
        return 0.0
    if len(words) < 2 and not wide_pairs(said):
        return 0.0
    has_cue = bool(CUE.search(said)) or _is_any(said, _CUES) or is_past_choice(said) or is_mishap(said)
    is_foreign = bool(FOREIGN.search(said))
    states = is_foreign or bool(STATES.search(said) or DOES.search(said)) or _is_any(said, _STATED)
    dense = sum(map(is_critical, tokens(said))) / max(len(words), 1)
    length = 0.15 if is_foreign or 3 <= len(words) <= MOST_WORDS else -0.1
    found = min(0.45 * has_cue + 0.4 * states + min(dense, 0.4) * 0.6 + length, 1.0)
    return round(max(found - _doubt(said, words, has_cue=has_cue), 0.0), 3)


def _one_of(*patterns: re2._Regexp) -> re2._Regexp:
    """Return a pattern of all, which is searched in the time of one; for few, as its states are many."""
    return re2.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns))


_CUES = (ASKED_FOR, WISH, OF_SELF, DECIDED, RULED, WENT_WRONG, PURPOSE, STEPS)
_STATED = (WHO_WHAT, DEFINES, GENERAL, ACTS_ON, HABIT, *_CUES)
_OF_THE_MOMENT = _one_of(OF_NOW, COUNT_OF_RUN, SECTION, POSSIBLE, TO_THE_OTHER)
_NO_STATEMENT = _one_of(ACK, NOISE, UNDECIDED, QUOTED, PRINTED)


def _is_any(said: str, patterns: Sequence[re2._Regexp]) -> bool:
    return any(pattern.search(said) for pattern in patterns)


def _doubt(said: str, words: Sequence[str], *, has_cue: bool) -> float:
    """Return what speaks against a sentence: it asks, orders, is about this moment, another's word, a guess."""
    doubt = 0.0
    is_told = has_cue and bool(LEAD.search(said) or LETS.search(said))
    if said.endswith(("?", "？")):
        doubt += 0.8
    elif QUESTION.search(said) and not is_told:
        doubt += 0.5
    is_named = bool(NAMED_FIRST.search(said)) and words[1].lower() not in NOT_A_SUBJECT | BARE
    if COMMAND.search(said) and not is_told and not is_named and not MODAL.search(said):
        doubt += 0.35 if has_cue else 0.6
    if _is_under_way(said):
        doubt += 0.6
    elif PASSING.search(said):
        doubt += 0.2 if has_cue else 0.45
    if FORM_OF_OUTPUT.search(said) and not is_told:
        doubt += 0.6
    if PLANNED.search(said) or FOREIGN_PASSING.search(said) or _OF_THE_MOMENT.search(said):
        doubt += 0.6
    if HEARSAY.search(said) or UNREAL.search(said) or REPORTED.search(said):
        doubt += 0.6
    if HEDGE.search(said):
        doubt += 0.4
    return doubt


def _is_under_way(said: str) -> bool:
    """Return whether a sentence reports what its speaker is at, or looks at, in this session."""
    if OWN_ACT.search(said) or OF_THE_TALK.search(said):
        return True
    if ACTIVITY.search(said) is None:
        return False
    below = SUBORDINATE.search(said)
    above = said[: below.start()] if below is not None else said
    return FINITE.search(above) is None and not is_past(above)


@cache
def _kind_rules() -> Sequence[tuple[str, Callable[[str], object]]]:
    """Return the kinds in the order in which they are looked for, each with a test of a sentence."""
    known = [(kind, re2.compile(f"(?i){pattern}").search) for kind, pattern in KINDS]
    of = {kind: [search for one, search in known if one == kind] for kind, _ in known}
    rules: list[tuple[str, Sequence[Callable[[str], object]]]] = [
        ("identity", [OF_SELF.search, *of["identity"]]),
        ("preference", [WISH.search, *of["preference"]]),
        ("decision", [DECIDED.search]),
        ("episode", [WENT_WRONG.search, *of["episode"]]),
        ("decision", [*of["decision"], is_past_choice]),
        ("project", [PURPOSE.search]),
        ("procedure", [STEPS.search, CHAIN.search, *of["procedure"]]),
        ("episode", [is_mishap]),
        ("convention", [RULED.search, ASKED_FOR.search, *of["convention"]]),
        ("entity", [WHO_WHAT.search, DEFINES.search, *of["entity"]]),
        ("project", [STACK.search, *of["project"]]),
        ("decision", [CONTRAST.search]),
        ("convention", [HABIT.search]),
    ]
    return [(kind, rule) for kind, tests in rules for rule in tests]


def _kind(said: str, core: str) -> str:
    for kind, rule in _kind_rules():
        if rule(core if kind == "procedure" else said):
            return kind
    return "snippet" if "```" in said or said.startswith("$ ") else "fact"
