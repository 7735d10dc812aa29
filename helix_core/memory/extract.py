"""Durable facts in exchanges, by rules: decisions, what is used here, literal values, sentences that cite lines.

A fact is a sentence as it was said, never a new wording. Few and plain: a sentence that asks, hedges or supposes is
none. It says what somebody said, not what is so; the files decide that. Pure, and linear in what is read (RE2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import re2

from helix_core.ingest.secrets import holds_mask
from helix_core.model import KeptExchange

MOST_FACTS = 20
MOST_READ = 32_000
SHORTEST, LONGEST = 12, 300
USER, MODEL = "user", "model"
_THOUGHT, _THOUGHT_END = "<think>", "</think>"

_HEDGE = re2.compile(
    r"(?i)\b(?:maybe|perhaps|might|could|would|probably|possibly|i think|i guess|i believe|seems?|if you|if we|"
    r"for example|e\.g\.|suppose|assuming|not sure|unsure|should we|shall we|can you|could you|would you)\b"
)
_DECIDED = re2.compile(
    r"(?i)\b(?:we(?:'ve| have)? (?:decided|agreed|chosen|settled on|chose)|it was decided|decision:|"
    r"from now on|let'?s (?:use|keep|go with|stick (?:to|with))|we(?:'re| are) going with|we (?:always|never) )"
)
_REMEMBER = re2.compile(r"(?i)^(?:please )?(?:remember|keep in mind|note)(?: that|:)\s")
_USES = re2.compile(
    r"(?i)\b(?:we|our (?:team|project|code|tests?|ci)|(?:the|this) (?:project|repo|repository|team|codebase|service))"
    r" (?:now |only |all |currently )?(?:uses?|runs? on|deploys? (?:to|with|on|from)|targets?|requires?|depends? on|"
    r"ships?|stores?|supports?)\b"
)
_LITERAL = re2.compile(
    r"`([A-Za-z_][\w.\-]{1,80})\s*(?:=|:=)\s*([^`\n]{1,120})`"
    r"|`([A-Za-z_][\w.\-]{1,80})`\s+(?:is|defaults to|is set to|equals|=)\s+(?:the )?`([^`\n]{1,120})`"
)
_CITED = re2.compile(r"(?:^|[\s`(\[])([\w./\-]{1,200}\.[A-Za-z0-9]{1,8}):(\d{1,7})(?:-(\d{1,7}))?")
_SENTENCE_END = re2.compile(r"[.!?;](?:\s+|$)")
_BULLET = re2.compile(r"^\s*(?:[-*+>#]+|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that was said: why it counts as a fact, who said it, in which exchanges, and which lines it cites."""

    text: str
    rule: str
    said_by: str
    exchanges: tuple[int, ...]
    citations: tuple[str, ...] = ()
    key: str = ""
    value: str = ""


def facts_in(exchanges: Iterable[KeptExchange]) -> list[Fact]:
    """At most 20 facts, in the order they were said first; one said again has all its exchanges.

    An answer that stops before its end is not read: its last sentence may want its "not".
    """
    found: dict[str, Fact] = {}
    for exchange in exchanges:
        texts = [(USER, exchange.question)] + ([] if exchange.truncated else [(MODEL, exchange.answer)])
        for said_by, text in texts:
            for fact in _facts(_spoken(text), said_by, exchange.id):
                key = " ".join(fact.text.lower().split())
                known = found.get(key)
                if known is not None:
                    found[key] = replace(known, exchanges=tuple(dict.fromkeys((*known.exchanges, exchange.id))))
                elif len(found) < MOST_FACTS:
                    found[key] = fact
    return list(found.values())


def _facts(text: str, said_by: str, exchange: int) -> Iterator[Fact]:
    for sentence in sentences(text[:MOST_READ]):
        if not SHORTEST <= len(sentence) <= LONGEST or sentence.endswith("?") or holds_mask(sentence):
            continue
        if _HEDGE.search(sentence):
            continue
        cited = tuple(_citations(sentence))
        rule, key, value = _rule(sentence, said_by, cited)
        if rule:
            yield Fact(sentence, rule, said_by, (exchange,), cited, key, value)


def _spoken(text: str) -> str:
    """What was said after the last of a model's thoughts aloud; nothing where they have no end."""
    before, _, after = text.rpartition(_THOUGHT_END)
    return "" if _THOUGHT in (after if before else text) else after


def _rule(sentence: str, said_by: str, cited: Sequence[str]) -> tuple[str, str, str]:
    if _DECIDED.search(sentence) or (said_by == USER and _REMEMBER.search(sentence)):
        return "decision", "", ""
    literal = _LITERAL.search(sentence)
    if literal is not None:
        key, value = literal.group(1) or literal.group(3), literal.group(2) or literal.group(4)
        return "literal", key, value.strip()
    if _USES.search(sentence):
        return "use", "", ""
    return ("citation" if cited else ""), "", ""


def _citations(sentence: str) -> Iterator[str]:
    for match in _CITED.finditer(sentence):
        path, first, last = match.groups()
        yield f"{path}:{first}-{last or first}"


def sentences(text: str) -> Iterator[str]:
    """The sentences outside of code: a fence hides its lines, a list's mark is no part of what it lists."""
    is_code = False
    for row in text.splitlines():
        if row.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            continue
        if is_code or row.startswith("    "):
            continue
        line = _BULLET.sub("", row, count=1).strip()
        start = 0
        for end in _SENTENCE_END.finditer(line):
            # A dot inside inline code ends nothing.
            if line.count("`", start, end.start()) % 2 == 0:
                yield line[start : end.start() + 1].strip()
                start = end.end()
        if line[start:].strip():
            yield line[start:].strip()
