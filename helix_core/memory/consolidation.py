"""Compare a new memory with those that are there: the same, a replacement, a refinement, a contradiction, or new.

Pure. A row is never changed: the result is links, or that only evidence is added. The same words in the same order are
the same memory, and two texts that are read whole as one value of one attribute. A memory is superseded only by one of
the same subject, attribute and qualifiers; in doubt both stay. What would take a user's memory away, and is not the
user's, waits for review.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from helix_core.memory.cues import (
    ALLOWS,
    BEFORE_DAYS,
    BESIDE_ORDERS,
    FORBIDS,
    LIMITS,
    NARROWS,
    NUMBER,
    OPPOSITES,
    ORDERS_NOT,
    ORDINALS,
    SIZES,
    TIMES,
)
from helix_core.memory.paraphrases import without_introduction, wording_key
from helix_core.memory.ranking import is_over
from helix_core.memory.slots import content_words, critical, is_critical
from helix_core.memory.statements import Statement, statement
from helix_core.model import (
    CONFLICTS,
    REFINES,
    SUPERSEDES,
    USABLE,
    Consolidation,
    MemoryDraft,
    MemoryFact,
    MemoryLink,
    MemoryOrigin,
    MemoryStatus,
    StoredMemory,
)
from helix_core.words import WEEKDAYS

LEAST_REFINED = 3
_KEPT = 4_096
_COMPARED = USABLE | {MemoryStatus.QUARANTINED}


def text_key(text: str) -> bytes:
    """Return the hash of a text without its spacing and last mark."""
    return hashlib.sha256(" ".join(text.split()).rstrip(" .!;").encode("utf-8", "replace")).digest()[:16]


def template_key(text: str) -> bytes:
    """Return the hash of the text's words that are not critical: equal for texts that differ in a number or a name."""
    names = frozenset(critical(text))
    words = [word for word in content_words(text) if not is_critical(word) and word not in names]
    return hashlib.sha256(" ".join(words).encode("utf-8", "replace")).digest()[:16]


def is_in_force_at_once(origin: MemoryOrigin, *, reviews_agents: bool) -> bool:
    """Return whether what ``origin`` asserts is in force without a review: who may write memories that are recalled.

    What a person says always is. What an agent or another program writes is where the user's settings say so
    (``memory.review_agents`` off); what comes from elsewhere never is. Everything else is a proposal.
    """
    return origin is MemoryOrigin.USER or (origin is MemoryOrigin.AGENT and not reviews_agents)


@dataclass(frozen=True, slots=True)
class OnDisk:
    """What files say to the values that a draft and memories like it state.

    ``is_confirmed`` tells whether they give what the draft states; ``confirmed`` are the ids of memories whose values
    they give, ``denying`` of those among them that the same lines prove right and the draft wrong.
    """

    is_confirmed: bool = False
    confirmed: frozenset[str] = frozenset()
    denying: frozenset[str] = frozenset()

    def between(self, relation: str, other: str, *, is_newer: bool) -> str:
        """Return how a draft relates to another memory, as the disk has it: nothing takes the place of what is so.

        Args:
            relation: How they relate by their words.
            other: The id of the other memory.
            is_newer: Whether the draft would take the place of the other one.
        """
        if relation != SUPERSEDES:
            return CONFLICTS if other in self.denying and relation != _EQUAL else relation
        stays, takes = other in self.confirmed, self.is_confirmed
        if not is_newer:
            stays, takes = takes, stays
        return relation if not stays else "" if takes else CONFLICTS


NOTHING_ON_DISK = OnDisk()


def consolidated(
    draft: MemoryDraft,
    said: Statement,
    alike: Sequence[StoredMemory],
    replaces: Collection[str] = (),
    on_disk: OnDisk = NOTHING_ON_DISK,
) -> Consolidation:
    """Decide what becomes of a draft.

    Args:
        draft: The memory to write.
        said: What its text states.
        alike: The memories of its scope that may say something of the same.
        replaces: Ids of memories that the caller says it replaces.
        on_disk: What files say to the values that are stated.
    """
    links: list[MemoryLink] = []
    waits = ""
    for one in alike:
        if one.id == draft.fact.id:
            continue
        if one.status is MemoryStatus.SUPERSEDED and _relation(draft, said, one) == SUPERSEDES:
            # Where what came between is forgotten, the older one does not come back next to this one.
            if draft.fact.valid_from >= one.fact.valid_from:
                links.append(MemoryLink(draft.fact.id, SUPERSEDES, one.id))
            continue
        if one.status not in _COMPARED:
            continue
        relation = SUPERSEDES if one.id in replaces else _relation(draft, said, one)
        is_lower = draft.fact.origin.rank > one.fact.origin.rank
        if relation == _EQUAL and _ends_otherwise(draft.fact, one.fact):
            relation = SUPERSEDES
        if relation == _EQUAL:
            is_confirmed = one.status is MemoryStatus.QUARANTINED and not draft.is_proposal and not is_lower
            if not is_confirmed and draft.fact.origin.rank >= one.fact.origin.rank:
                return Consolidation(one.id, words_only=one.status in USABLE and (draft.is_proposal or is_lower))
            relation = SUPERSEDES
        is_older = draft.fact.valid_from < one.fact.valid_from and one.id not in replaces
        is_taken_over = is_older and draft.fact.origin is one.fact.origin
        if one.id not in replaces:
            relation = on_disk.between(relation, one.id, is_newer=not is_taken_over)
        if not relation:
            continue
        if relation == SUPERSEDES and is_taken_over:
            links.append(MemoryLink(one.id, SUPERSEDES, draft.fact.id))
            continue
        if is_lower and relation in (SUPERSEDES, CONFLICTS) and one.status is not MemoryStatus.QUARANTINED:
            waits = f"it says otherwise than {one.fact.handle}, which the {one.fact.origin.value} asserted"
        links.append(MemoryLink(draft.fact.id, relation, one.id))
    return Consolidation(links=tuple(links), needs_review=waits)


def _ends_otherwise(new: MemoryFact, known: MemoryFact) -> bool:
    """Return whether a memory is said again for another time: until another moment, or after it was over."""
    return new.valid_to not in (None, known.valid_to) or is_over(known, new.valid_from)


_EQUAL = "equal"
_OPPOSITE = {
    word: frozenset(other for pair in OPPOSITES if word in pair.split() for other in pair.split()) - {word}
    for pair_ in OPPOSITES
    for word in pair_.split()
}
_LAST_MARK = re.compile(r"(?:(?<=[^\W\d_]{2})[.!;]|(?<=[\w)`'\"])\.)\Z")
_NOT = frozenset({"not", "never", "no", "cannot"})
_FILLERS = frozenset({"please", "kindly"})
_HELPERS = frozenset({"do", "does", "did"})


def same_words(text: str, other: str) -> bool:
    """Return whether two texts have the same words and signs in the same order, as ``exact_words`` reads them."""
    return exact_words(text) == exact_words(other)


@lru_cache(maxsize=_KEPT)
def near_words(text: str) -> tuple[str, ...]:
    """Return what two texts have in common where one of them alone is worth a place in an answer: the words and signs
    in their order, as ``exact_words`` reads them, without the few English words that change nothing.

    A word more may negate or narrow what is said, in any language: every other difference is one.
    """
    return tuple(word for word in exact_words(text) if word.lower().rstrip(",") not in _FILLERS)


def is_clash(text: str, other: str) -> bool:
    """Return whether of two texts one alone can be in force: they have the same words, or one supersedes the other."""
    if same_words(text, other):
        return True
    said, was = _read(text), _read(other)
    return supersedes(said, was) or supersedes(was, said)


def is_contradiction(text: str, other: str) -> bool:
    """Return whether two texts contradict each other where neither is the newer value of the other: both are contested
    where both are in force. No clash of ``is_clash`` is one.
    """
    if says_the_same(text, other) or is_clash(text, other):
        return False
    said, was = _read(text), _read(other)
    is_same_slot = bool(said.subject) and (said.subject, said.attribute) == (was.subject, was.attribute)
    if is_same_slot and _conflict_of_values(said, was):
        return True
    return _of_words(text, other) == CONFLICTS


def contested_by(fact: MemoryFact, alike: Iterable[StoredMemory]) -> list[MemoryLink]:
    """Return the links of a memory that comes into force by a decision on it to those in force that it disagrees with.

    The decision names no other memory, so it takes none away: both are contested, also where the newer of the two would
    have superseded the older one, had it been said anew.
    """
    text = fact.text
    rivals = (
        one.fact
        for one in alike
        if one.status in USABLE
        and not same_words(text, one.fact.text)
        and (is_clash(text, one.fact.text) or is_contradiction(text, one.fact.text))
    )
    # From the newer one, as where both come in with a strand: the same link wherever it is made.
    pairs = (sorted(((fact.valid_from, fact.id), (one.valid_from, one.id))) for one in rivals)
    return [MemoryLink(newer, CONFLICTS, older) for (_, older), (_, newer) in pairs]


def comparison_keys(text: str) -> Iterator[tuple[str, ...]]:
    """Yield what a text may clash with another one by, or contradict it: texts without a key in common do neither.

    The keys leave out what the rules let differ: a negation, a word that another one excludes, a permission.
    """
    words, said = exact_words(text), _read(text)
    yield ("words", *words)
    if said.subject:
        yield "slot", said.subject, said.attribute
    bare, _ = _unnegated(words)
    yield ("bare", *bare)
    for at, word in enumerate(bare):
        low = word.lower()
        is_day = low.removesuffix("s") in WEEKDAYS
        if low in _OPPOSITE or is_day or NUMBER.match(word):
            yield ("but", str(at), *bare[:at], *bare[at + 1 :])
        if is_day and at and bare[at - 1].lower() in ORDINALS:
            yield ("but", str(at), *bare[: at - 1], *bare[at + 1 :])
    rest, _, _ = _permission(words)
    if len(rest) > 1:
        yield ("permission", *rest)


def supersedes(said: Statement, was: Statement) -> bool:
    """Return whether a statement leaves no room for another one.

    Both are about one attribute of one subject. The statement says that the other's value is no longer so, or both give
    a value that excludes others, and the values are comparable: times with times, but retries not with seconds.
    """
    if not said.subject or (said.subject, said.attribute) != (was.subject, was.attribute):
        return False
    if was.value in said.replaces:
        return True
    return said.value != was.value and said.is_exclusive and was.is_exclusive and _unit(said.value) == _unit(was.value)


def restates(said: Statement, was: Statement) -> bool:
    """Return whether two statements give one thing the same value: "Our timeout is set to 300 ms", "timeout = 300 ms".

    A slot has every word of its text but articles, verbs of being and what leads in. Numbers, names, negations and
    quantifiers are compared as they stand in the texts; a wish leaves room for another value, and is no such statement.
    """
    slot = (said.subject, said.attribute, said.value)
    if not said.subject or not said.value or slot != (was.subject, was.attribute, was.value):
        return False
    if not (said.is_exclusive and was.is_exclusive):
        return False
    if _OTHERS.findall(said.text.lower()) != _OTHERS.findall(was.text.lower()):
        return False
    return sorted(critical(said.text)) == sorted(critical(was.text)) and _signs(said.text) == _signs(was.text)


def says_the_same(text: str, other: str) -> bool:
    """Return whether two texts are one memory: in the same words, or by a rule that knows both wordings."""
    return same_words(text, other) or restates(_read(text), _read(other)) or is_paraphrase(text, other)


def is_paraphrase(text: str, other: str) -> bool:
    """Return whether two texts are wordings of one statement by rules that keep every word of them; see
    ``wording_key``.
    """
    key = _wording(text)
    return len(key) > LEAST_REFINED and key == _wording(other)


@lru_cache(maxsize=_KEPT)
def _wording(text: str) -> tuple[str, ...]:
    return wording_key(exact_words(without_introduction(text)))


_OTHERS = re.compile(r"\b(?:my|your|his|her|their|to be|will|would|should|must|may|might|can|could|shall)\b")
"""Whose a thing is, where it is not the team's own, and that it is not so yet."""


def _signs(text: str) -> list[str]:
    """Return the words of a text with a digit, as they stand, and its signs but those that give a value."""
    words = [word.strip(".,;!?`'\"()") for word in text.split()]
    return [word for word in words if re.search(r"\d|^[^\w=:]+$", word)]


@lru_cache(maxsize=_KEPT)
def exact_words(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text for comparison.

    Spacing, articles, a mark at the end and the case of plain words make no difference; everything else does.
    """
    words = _LAST_MARK.sub("", " ".join(text.split())).split()
    kept: list[str] = []
    for number, word in enumerate(words):
        # A whole word in capitals may be a name: PATH is not path.
        low = word.lower() if word[1:].islower() or (number == 0 and word in ("A", "I")) else word
        following = words[number + 1] if number + 1 < len(words) else ""
        is_article = low in ("the", "an") or (low == "a" and following.isalpha() and len(following) > 2)
        if not is_article:
            kept.append(low)
    return tuple(kept)


@lru_cache(maxsize=_KEPT)
def _read(text: str) -> Statement:
    return statement(text)


def _relation(draft: MemoryDraft, said: Statement, one: StoredMemory) -> str:
    """Return how the draft relates to a memory: equal, a name of a link, or "" where they are of different things."""
    text, other = draft.fact.text, one.fact.text
    was = _read(other)
    if says_the_same(text, other):
        return _EQUAL
    if supersedes(said, was):
        return SUPERSEDES
    if said.subject and (said.subject, said.attribute) == (was.subject, was.attribute):
        related = _conflict_of_values(said, was)
        if related:
            return related
    return _of_words(text, other)


def _conflict_of_values(said: Statement, was: Statement) -> str:
    """Return ``conflicts_with`` for two values of one attribute that may not both be so, else an empty string."""
    if said.value == was.value:
        return ""
    if was.value.startswith("not ") or said.value.startswith("not "):
        is_denied = f"not {said.value}" == was.value or said.value == f"not {was.value}"
        return CONFLICTS if is_denied else ""
    # "We use X" leaves room for another Y, but a reader must know that both are said.
    if said.choice and said.choice == was.choice and said.attribute == "uses":
        return CONFLICTS
    return CONFLICTS if said.is_exclusive and was.is_exclusive and said.attribute == "is" else ""


def _unit(value: str) -> str:
    """Return what a number counts: times compare with times, but retries not with seconds. Empty for other values."""
    first, _, rest = value.partition(" ")
    if not first[:1].isdigit():
        return ""
    unit = rest or first.lstrip("0123456789.,_:")
    return "time" if unit in TIMES else "size" if unit in SIZES else unit.rstrip("s")


def _of_words(text: str, other: str) -> str:
    words, others = exact_words(text), exact_words(other)
    if _contradicts(words, others) or _permits_otherwise(words, others):
        return CONFLICTS
    return REFINES if _refines(text, other) else ""


def _refines(text: str, other: str) -> bool:
    """Return whether a text says all of another one and adds a reason or description: nothing that narrows it."""
    words, others = exact_words(text), exact_words(other)
    added = words[len(others) :]
    if not added or len(others) < LEAST_REFINED or words[: len(others)] != others:
        return False
    return critical(text) == critical(other) and not any(word in NARROWS for word in added)


def _contradicts(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two texts differ only in a negation, in one word that excludes the other, or in the day."""
    (bare, is_negated), (other_bare, was_negated) = _unnegated(words), _unnegated(others)
    if bare == other_bare:
        return is_negated != was_negated
    if is_negated != was_negated or len(bare) != len(other_bare):
        return False
    places = [number for number, pair in enumerate(zip(bare, other_bare, strict=True)) if pair[0] != pair[1]]
    if len(places) == 1:
        return _excludes(bare, other_bare, places[0])
    ordinals, days = places[:-1], places[-1:]
    return (
        [at + 1 for at in ordinals] == days
        and all({bare[at].lower(), other_bare[at].lower()} <= ORDINALS for at in ordinals)
        and _are_days(bare, other_bare, days[0])
    )


def _excludes(words: Sequence[str], others: Sequence[str], at: int) -> bool:
    """Return whether the one word that is another in two texts excludes the other one."""
    one, other = words[at], others[at]
    if other.lower() in _OPPOSITE.get(one.lower(), ()) or _are_days(words, others, at):
        return True
    is_value = at > 0 and words[at - 1] in LIMITS
    return is_value and NUMBER.match(one) is not None and NUMBER.match(other) is not None


def _are_days(words: Sequence[str], others: Sequence[str], at: int) -> bool:
    """Return whether two texts name another day for what happens again: "on Mondays", "on the first Monday"."""
    one, other, before = words[at].lower(), others[at].lower(), words[at - 1].lower()
    if at < 2 or not (before in BEFORE_DAYS or (before == "on" and one.endswith("days") and other.endswith("days"))):
        return False
    return {one.removesuffix("s"), other.removesuffix("s")} <= set(WEEKDAYS)


def _permits_otherwise(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether one text allows what the other forbids: "Force push is allowed" and "Never force push"."""
    (one, allows, is_said), (other, other_allows, other_said) = _permission(words), _permission(others)
    return len(one) > 1 and one == other and allows != other_allows and (is_said or other_said)


def _permission(words: Iterable[str]) -> tuple[list[str], bool, bool]:
    """Return what a text is about, whether it allows that, and whether it says so by a word such as "allowed"."""
    apart = [part.lower() for word in words for part in word.replace("’", "'").replace("n't", " not").split()]
    forbids, allows = any(word in FORBIDS for word in apart), any(word in ALLOWS for word in apart)
    orders_not = sum(word in ORDERS_NOT for word in apart) % 2 == 1
    rest = [_root(word) for word in apart if word not in FORBIDS | ALLOWS | ORDERS_NOT | BESIDE_ORDERS]
    return rest, forbids == orders_not, forbids or allows


def _root(word: str) -> str:
    for ending in ("ing", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_REFINED:
            return word[: -len(ending)]
    return word


def _unnegated(words: Iterable[str]) -> tuple[list[str], bool]:
    """Return the words of a text without its negation, and whether it has one."""
    apart = [part for word in words for part in word.replace("’", "'").replace("n't", " not").split()]
    negations = sum(word.lower() in _NOT for word in apart)
    if not negations:
        return apart, False
    return [word for word in apart if word.lower() not in _NOT | _HELPERS], negations % 2 == 1
