"""Compare a new memory with those that are there: the same, a replacement, a refinement, a contradiction, or new.

Pure. A row is never changed: the result is links, or that only evidence is added. What differs in one number, name or
negation is never the same. What would take a user's memory away, and is not the user's, waits for review.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from helix_core.memory.cues import NEGATORS, QUANTIFIERS
from helix_core.memory.statements import Statement, content_words, critical, is_critical
from helix_core.model import (
    CONFLICTS,
    REFINES,
    SUPERSEDES,
    USABLE,
    Consolidation,
    MemoryDraft,
    MemoryLink,
    MemoryStatus,
    StoredMemory,
)

SAME = 0.9
"""Least Jaccard of the words of two texts that say the same, where their critical tokens are equal."""
LEAST_REFINED = 3
ENUMERATED = 4
"""So many memories of one template are a list of different things, and not one thing that changed."""
_COMPARED = USABLE | {MemoryStatus.QUARANTINED}


def text_key(text: str) -> bytes:
    """Return the hash of a text without its spacing and last mark."""
    return hashlib.sha256(" ".join(text.split()).rstrip(" .!;").encode("utf-8", "replace")).digest()[:16]


def template_key(text: str) -> bytes:
    """Return the hash of the text's words that are not critical: equal for texts that differ in a number or a name."""
    names = frozenset(critical(text))
    words = [word for word in content_words(text) if not is_critical(word) and word not in names]
    return hashlib.sha256(" ".join(words).encode("utf-8", "replace")).digest()[:16]


def consolidated(
    draft: MemoryDraft, said: Statement, alike: Sequence[StoredMemory], replaces: Collection[str] = ()
) -> Consolidation:
    """Decide what becomes of a draft.

    Args:
        draft: The memory to write.
        said: What its text states.
        alike: The memories of its scope that may say something of the same.
        replaces: Ids of memories that the caller says it replaces.
    """
    links: list[MemoryLink] = []
    waits = ""
    kin = sum(one.fact.template_key == draft.fact.template_key and one.status in _COMPARED for one in alike)
    for one in alike:
        if one.status not in _COMPARED or one.id == draft.fact.id:
            continue
        relation = SUPERSEDES if one.id in replaces else _relation(draft, said, one, is_list=kin >= ENUMERATED)
        is_lower = draft.fact.origin.rank > one.fact.origin.rank
        if relation == _EQUAL:
            is_confirmed = one.status is MemoryStatus.QUARANTINED and not draft.is_proposal and not is_lower
            if not is_confirmed and draft.fact.origin.rank >= one.fact.origin.rank:
                return Consolidation(same_as=one.id)
            relation = SUPERSEDES
        if not relation:
            continue
        is_older = draft.fact.valid_from < one.fact.valid_from and one.id not in replaces
        if relation == SUPERSEDES and is_older and draft.fact.origin is one.fact.origin:
            links.append(MemoryLink(one.id, SUPERSEDES, draft.fact.id))
            continue
        if is_lower and relation in (SUPERSEDES, CONFLICTS) and one.status is not MemoryStatus.QUARANTINED:
            waits = f"it says otherwise than {one.fact.handle}, which the {one.fact.origin.value} asserted"
        links.append(MemoryLink(draft.fact.id, relation, one.id))
    return Consolidation(links=tuple(links), needs_review=waits)


_EQUAL = "equal"


def _relation(draft: MemoryDraft, said: Statement, one: StoredMemory, *, is_list: bool) -> str:
    """Return how the draft relates to a memory: equal, a name of a link, or "" where they are of different things."""
    fact = one.fact
    if draft.fact.text_key == fact.text_key:
        return _EQUAL
    if said.replaces and fact.slot.value in said.replaces and fact.slot.attribute in ("uses", "is", "use"):
        return SUPERSEDES
    if said.subject and (said.subject, said.attribute) == (fact.slot.subject, fact.slot.attribute):
        related = _of_slot(said, one)
        if related:
            return related
    is_other = bool(said.subject and fact.slot.subject and said.subject != fact.slot.subject)
    same_template = draft.fact.template_key == fact.template_key and not is_other and not is_list
    return _of_words(draft.fact.text, fact.text, same_template=same_template)


def _of_slot(said: Statement, one: StoredMemory) -> str:
    if said.value == one.fact.slot.value:
        return ""
    if said.is_exclusive:
        return SUPERSEDES
    # "We use X" leaves room for another Y, but a reader must know that both are said.
    return CONFLICTS if said.choice and said.attribute == "uses" else ""


def _of_words(text: str, other: str, *, same_template: bool) -> str:
    words, others = content_words(text), content_words(other)
    names, other_names = critical(text), critical(other)
    if names == other_names and _jaccard(words, others) >= SAME and _same_order(words, others):
        return _EQUAL
    if same_template and names != other_names and _differ_once(names, other_names) and len(words) >= LEAST_REFINED:
        return CONFLICTS
    is_longer = len(set(words)) > len(set(others)) >= LEAST_REFINED and set(others) < set(words)
    return REFINES if is_longer and _contains(names, other_names) and not _new_polarity(names, other_names) else ""


def _jaccard(words: Iterable[str], others: Iterable[str]) -> float:
    one, other = set(words), set(others)
    return len(one & other) / len(one | other) if one | other else 0.0


def _same_order(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether the words of both stand in the same order: "rebase before merge" is not "merge before rebase"."""
    both = set(words) & set(others)
    return [word for word in words if word in both] == [word for word in others if word in both]


def _differ_once(names: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two lists of critical tokens differ at one place, or one has one more."""
    if len(names) == len(others):
        return sum(one != other for one, other in zip(names, others, strict=True)) == 1
    longer, shorter = (names, others) if len(names) > len(others) else (others, names)
    return len(longer) - len(shorter) == 1 and _contains(longer, shorter)


def _contains(names: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether ``others`` is a subsequence of ``names``."""
    rest = iter(names)
    return all(one in rest for one in others)


def _new_polarity(names: Sequence[str], others: Sequence[str]) -> bool:
    turned = NEGATORS | QUANTIFIERS
    return [one for one in names if one in turned] != [one for one in others if one in turned]
