"""Select and mask the exchanges to keep, attribute them, and extract durable facts by rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import re2

from helix_core.model import Attribution, Clean, Exchange, KeptExchange
from helix_core.secrets import holds_mask, mask_typed, masked_line

MOST_QUESTION = 8_000
MOST_ANSWER = 128 * 1024
LONGEST_WORD = 4_096
LONGEST_NAME = 128
_TOOLS = frozenset({"tool_calls", "function_call"})
_WHOLE = frozenset({"stop", "end_turn", "eos", "stop_sequence"})


@dataclass(frozen=True, slots=True)
class ObservedExchange:
    """An exchange as observed. ``is_cut`` means that the recorded answer is incomplete."""

    workspace: bytes
    session: str
    question: str
    answer: str
    model: str
    packet_id: str
    at: float
    finish: str
    is_cut: bool = False


def kept(heard: ObservedExchange, by: Attribution) -> Exchange | None:
    """Return the exchange to keep, or None. Any ``finish`` of the upstream but a plain stop means an incomplete
    answer.
    """
    if heard.finish in _TOOLS or not heard.finish or not heard.answer.strip() or not heard.question.strip():
        return None
    question, _ = bounded(heard.question, MOST_QUESTION)
    answer, was_cut = bounded(heard.answer, MOST_ANSWER, is_cut=heard.is_cut)
    return Exchange(
        workspace=heard.workspace,
        session=session_name(heard.session),
        question=question,
        answer=answer,
        model=masked_line(heard.model, LONGEST_NAME),
        packet_id=heard.packet_id,
        at=heard.at,
        finish=masked_line(heard.finish, LONGEST_NAME),
        truncated=was_cut or heard.finish not in _WHOLE,
        by=by,
    )


def session_name(text: str) -> Clean:
    """Return the stored form of a session name: masked, on one line, at most 128 characters."""
    return masked_line(text, LONGEST_NAME)


def bounded(text: str, most: int, *, is_cut: bool = False) -> tuple[Clean, bool]:
    """Mask the text and truncate it to ``most`` characters; return it and whether it was truncated.

    Truncation drops the last word as well: it may be half of a secret, which no rule would recognize.
    """
    is_cut = is_cut or len(text) > most
    text = text[:most]
    if is_cut:
        end = max(text.rfind(blank, max(0, len(text) - LONGEST_WORD)) for blank in (" ", "\n", "\t"))
        text = text[:end] if end >= 0 else text[: max(0, len(text) - LONGEST_WORD)]
    return mask_typed(text.replace("\0", "\ufffd")).text(), is_cut


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
    """A sentence of an exchange: the rule that matched, the speaker, its exchanges, and the lines it cites."""

    text: str
    rule: str
    said_by: str
    exchanges: tuple[int, ...]
    citations: tuple[str, ...] = ()
    key: str = ""
    value: str = ""


def facts_in(exchanges: Iterable[KeptExchange]) -> list[Fact]:
    """Return at most 20 facts, in order of their first statement; a repeated one has all its exchanges.

    A truncated answer is skipped: its last sentence may lack its "not".
    """
    found: dict[str, Fact] = {}
    for exchange in exchanges:
        texts = [(USER, exchange.question)] + ([] if exchange.truncated else [(MODEL, exchange.answer)])
        for said_by, text in texts:
            for fact in _facts(spoken(text), said_by, exchange.id):
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


def durable(sentence: str, said_by: str) -> bool:
    """Return whether a rule takes a sentence of a conversation for a fact."""
    return next(_facts(sentence, said_by, 0), None) is not None


def is_hedged(text: str) -> bool:
    """Return whether a text leaves open whether what it says is so."""
    return bool(_HEDGE.search(text))


def spoken(text: str) -> str:
    """Return the text after the model's last thinking block; "" where a block is not closed."""
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
    """Yield the sentences outside of code; list markers are removed.

    Skipped are fenced lines, and lines after a bar, which are quotes of a packet or rows of a table.
    """
    is_code = False
    for row in text.splitlines():
        if row.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            continue
        if is_code or row.startswith(("    ", "| ")):
            continue
        line = _BULLET.sub("", row, count=1).strip()
        start = 0
        for end in _SENTENCE_END.finditer(line):
            # A dot inside inline code ends no sentence.
            if line.count("`", start, end.start()) % 2 == 0:
                yield line[start : end.start() + 1].strip()
                start = end.end()
        if line[start:].strip():
            yield line[start:].strip()


LONGEST_LAYER = 64
LOCAL = "local"
# Each layer with its request members, in order of precedence, and its environment variable.
_LAYERS = {
    "org": (("org_id",), ("HELIX_ORG",)),
    "device": (("party_id",), ("HELIX_DEVICE", "HELIX_PARTY")),
    "user": (("participant_handle", "participant_id"), ("HELIX_USER",)),
    "agent": (("agent_handle", "agent_id"), ("HELIX_AGENT",)),
}


UNNAMED = "agent"
"""The name of a program that gives none, or one without a character that can be shown."""


def attributed(
    given: Mapping[str, str], environ: Mapping[str, str], *, user: str = "", host: str = "", timezone: str = ""
) -> Attribution:
    """Return the attribution layers: words in lower case of at most 64 characters, what looks like a secret masked.

    Args:
        given: Members of a request; they come first.
        environ: Variables of the environment; they come second.
        user: The account's name on this machine.
        host: The machine's name.
        timezone: The machine's time zone.
    """
    # A name of blanks alone is still a program's.
    agent = UNNAMED if environ.get("HELIX_AGENT") else ""
    fallback = {"org": LOCAL, "device": host, "user": user, "agent": agent}
    found: dict[str, str] = {}
    for layer, (members, variables) in _LAYERS.items():
        said = (given.get(name, "") for name in members)
        set_ = (environ.get(name, "") for name in variables)
        found[layer] = next((word for text in (*said, *set_, fallback[layer]) if (word := _word(text))), "")
    zone = given.get("authored_tz", "") or environ.get("HELIX_TZ", "") or timezone
    return Attribution(**found, timezone=masked_line(zone, LONGEST_LAYER))


def _word(text: str) -> str:
    return masked_line(text, LONGEST_LAYER).lower()
