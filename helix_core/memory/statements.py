"""Read what a text states: is it worth keeping, what kind of memory is it, and what does it say of what.

Rules only: deterministic, linear in the text, without a model. A gate scores a sentence of a conversation; who asks for
one text to be remembered passes it by, but for questions and acknowledgments.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import re2

from helix_core.memory.cues import (
    ACK,
    CHOICE_OF,
    COMMAND,
    CONTROL,
    CUE,
    DESCRIBES,
    DROPPED,
    FENCE,
    FOR,
    GONE,
    HAS,
    HEDGE,
    INSTEAD,
    IS,
    KINDS,
    LEAD,
    LETS,
    MODAL,
    MUST,
    NEGATORS,
    NOT_A_SUBJECT,
    NUMBER,
    ONE_OF,
    ORDERS,
    PACKET,
    PASSING,
    QUANTIFIERS,
    QUESTION,
    REPLACED,
    RULE,
    SAME,
    STATES,
    SWITCH,
    TOKEN,
    USE,
)
from helix_core.memory.exchanges import sentences
from helix_core.words import IDENTIFIER, is_compound, wide_pairs

KEEP = 0.5
"""Least score of the gate at which a sentence of a conversation is proposed."""
MOST_WORDS = 60
_KEPT = 4_096


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
    """Return the text in composed form (NFC) and without characters that nobody sees."""
    text = unicodedata.normalize("NFC", text)
    return "".join(
        one for one in text if one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cf", "Co", "Cn", "Cs")
    )


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
    """Yield the statements of a slice of a conversation that pass the gate, in order."""
    for sentence in sentences(without_own(plain(text))):
        one = statement(sentence)
        if one.score >= KEEP:
            yield one


def statement(text: str) -> Statement:
    """Read one sentence, or a text that is to be kept whole: its kind, its slot and the gate's score."""
    said = " ".join(plain(text).split())
    core = LEAD.sub("", said, count=1).rstrip(" .!;")
    kind = _kind(said, core)
    found = _slot(core)
    return Statement(said, kind, score(said), *found) if found else Statement(said, kind, score(said))


def score(sentence: str) -> float:
    """Return how surely a sentence of a conversation states something durable; ``KEEP`` and above is proposed."""
    said = " ".join(sentence.split())
    words = said.split()
    if ACK.search(said) or len(words) < 2:
        return 0.0
    has_cue, states = bool(CUE.search(said)), bool(STATES.search(said))
    dense = sum(map(is_critical, tokens(said))) / max(len(words), 1)
    found = 0.45 * has_cue + 0.4 * states + min(dense, 0.4) * 0.6 + (0.15 if 3 <= len(words) <= MOST_WORDS else -0.1)
    is_told = has_cue and bool(LEAD.search(said) or LETS.search(said))
    if said.endswith(("?", "？")):
        found -= 0.8
    elif QUESTION.search(said) and not is_told:
        found -= 0.5
    if COMMAND.search(said) and not is_told and not MODAL.search(said):
        found -= 0.35 if has_cue else 0.6
    if PASSING.search(said):
        found -= 0.2 if has_cue else 0.45
    if HEDGE.search(said):
        found -= 0.4
    return round(min(max(found, 0.0), 1.0), 3)


@cache
def _kind_patterns() -> Sequence[tuple[str, object]]:
    return [(kind, re2.compile(f"(?i){pattern}")) for kind, pattern in KINDS]


def _kind(said: str, core: str) -> str:
    for kind, pattern in _kind_patterns():
        if pattern.search(core if kind == "procedure" else said):  # type: ignore[attr-defined]
            return kind
    return "snippet" if "```" in said or said.startswith("$ ") else "fact"


def _slot(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    """Return subject, attribute, value, choice, replaced values and exclusiveness; None where no rule fits."""
    replaced = SWITCH.search(core)
    if replaced is not None:
        what, before, after = (_value(part or "") for part in replaced.groups())
        choice = _choice(after) or _choice(before)
        return what or choice, "uses", after, choice, (before,), True
    pair = REPLACED.search(core) or None
    if pair is not None:
        before, after = _value(pair.group(1)), _value(pair.group(2))
        return _choice(after) or _choice(before), "uses", after, _choice(after), (before,), True
    pair = INSTEAD.search(core)
    if pair is not None:
        after, before = _value(pair.group(1)), _value(pair.group(2))
        choice = _choice(after) or _choice(before)
        return choice or "preference", "uses", after, choice, (before,), bool(choice)
    gone = GONE.search(core)
    if gone is not None:
        value = _value(gone.group(1))
        return _choice(value) or value, "rule", "never", _choice(value), (value,), True
    rule = RULE.search(core)
    if rule is not None:
        return normalized(rule.group(2)), "rule", _polarity(rule.group(1)), "", (), True
    return _stated(core)


def _stated(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    purpose = FOR.search(core)
    if purpose is not None:
        value, subject = _value(purpose.group(1)), normalized(purpose.group(2))
        choice = _choice(value)
        return (f"{choice} for {subject}" if choice else subject), "uses", value, choice, (), True
    is_ = IS.search(core)
    if is_ is not None and _is_subject(is_.group(1)):
        subject, value = normalized(is_.group(1)), _value(is_.group(2))
        choice = _choice(value)
        if value.split(" ")[0] in NEGATORS:
            return subject, "is", value, "", (), False
        return subject, "is", value, choice, (), bool(choice) or _is_one_thing(subject, is_.group(2))
    must = MUST.search(core)
    if must is not None and _is_subject(must.group(1)):
        return normalized(f"{must.group(1)} {must.group(3)}"), "rule", _polarity(must.group(2)), "", (), True
    use = USE.search(core)
    if use is not None:
        value = _value(use.group(1))
        choice = _choice(value)
        return (choice, "uses", value, choice, (), False) if choice else None
    has = HAS.search(core)
    if has is not None and _is_subject(has.group(1)):
        subject, verb, value = (
            normalized(has.group(1)),
            has.group(2).lower().split(" ")[0].rstrip("s"),
            _value(has.group(3)),
        )
        choice = _choice(value)
        if choice and verb in ("use", "run", "require"):
            return choice, "uses", value, choice, (), False
        return subject, verb, value, choice, (), bool(NUMBER.match(value.split(" ")[0] if value else ""))
    return None


def _is_subject(text: str) -> bool:
    words = text.lower().split()
    return 0 < len(words) <= 8 and words[0] not in NOT_A_SUBJECT and not QUESTION.search(text)


def _is_one_thing(subject: str, value: str) -> bool:
    """Return whether a value excludes others: a number or a name, or a plain word for what there is one of; never a
    description.
    """
    words = value.strip(" .`'\"").split()
    if not words or len(words) > 4 or words[0].lower() in DESCRIBES:
        return False
    if any(is_critical(word.strip("`'\"")) for word in words):
        return True
    return len(words) <= 2 and subject.rsplit(" ", maxsplit=1)[-1] in ONE_OF


def _polarity(word: str) -> str:
    first = word.lower()
    negative = any(one in first for one in ("not", "n't", "nt", "never", "avoid", "no longer"))
    return "never" if negative else "always"


def _choice(value: str) -> str:
    return next((CHOICE_OF[word] for word in value.split(" ") if word in CHOICE_OF), "")


def _value(text: str) -> str:
    """Return a value in its compared form; of names that exclude each other, the name alone."""
    words = normalized(text).split(" ")
    named = [word for word in words if word in CHOICE_OF]
    return SAME.get(named[0], named[0]) if len(named) == 1 else " ".join(SAME.get(word, word) for word in words)


def normalized(text: str) -> str:
    """Return the words of a phrase for comparison: lower case, without articles and marks."""
    return " ".join(word for token in tokens(text) if (word := token.lower()) not in DROPPED)


def tokens(text: str) -> list[str]:
    """Return the words, numbers, names and paths of a text, as written."""
    found = [token.rstrip("-/@").strip(".:'’") for token in TOKEN.findall(text)]
    return [token for token in found if token] + list(wide_pairs(text))


def is_critical(token: str) -> bool:
    """Return whether one other token of this kind makes another statement: a number, version, name, path, negator,
    quantifier, or a choice.
    """
    low = token.lower()
    if low in NEGATORS or low in QUANTIFIERS or low in CHOICE_OF or NUMBER.match(token):
        return True
    return (
        any(mark in token for mark in "_/.@#:")
        or ("-" in token and any(one.isdigit() for one in token))
        or is_compound(token)
    )


@lru_cache(maxsize=_KEPT)
def critical(text: str) -> tuple[str, ...]:
    """Return the critical tokens in order; proper names count where they do not begin a sentence."""
    found: list[str] = []
    for number, token in enumerate(tokens(text)):
        is_name = number > 0 and token[:1].isupper() and IDENTIFIER.fullmatch(token) is not None
        if is_critical(token) or is_name:
            low = token.lower()
            found.append(SAME.get(low, low) if low in CHOICE_OF or low in NEGATORS or low in QUANTIFIERS else token)
    return tuple(found)


@lru_cache(maxsize=_KEPT)
def content_words(text: str) -> tuple[str, ...]:
    """Return the words that carry meaning, lower case, in order."""
    return tuple(word for token in tokens(text) if (word := token.lower()) not in DROPPED)
