"""Tell names that a question asks for and that no file has, and names that no file has together.

``what does StickyName do in ProxyConfig?`` asks for ``StickyName``: where no file has it, the answer is not here,
however much is known of ``ProxyConfig``. A name that the question only mentions (``our KafkaProducer``, ``from
OrderService``, ``raises IntegrityError``) is its writer's own or another project's, and says nothing of what is here.
A member of what is defined here (``Warnings::Throttled``) is asked for, and so is each of the names that a question
compares (``LinearPolicy versus RetryPolicy``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from helix_core import secrets
from helix_core.search.known_words import MAX_POSTINGS
from helix_core.search.named import HEADING
from helix_core.search.question import Question
from helix_core.search.spelling import is_one_stroke
from helix_core.store import DefinitionHit, QueryBudgetError, Reader, phrase
from helix_core.words import is_compound, lazy_pattern, split_identifier

MOST_NOTED = 3
"""Names of one question of which it is said that no file has them."""
MOST_ASKED = 3
MOST_FILES = 200
"""A name in more files than these is everywhere: nothing is said of where it is not."""
FEW_WORDS = 4
SIMILAR = 0.75
SIMILAR_READ = 5
STEM_LETTERS = 4
"""Two words that begin with the same letters are taken for forms of one."""
_ASKS = lazy_pattern(
    r"(?i)\A\W{0,4}(?:(?:so|and|but|ok|hi|hey|please|then)\W+){0,2}(?:in [\w.:`]{1,60}\W+)?(?:how|where|what|which|who"
    r"|why|when|is|are|does|do|did|can|has|have|show|explain|find|describe|tell)\b|\?\W{0,3}\Z"
)
"""How a sentence begins or ends that asks; another one tells what its writer has done."""
_MENTIONS = (
    r"(?:\b(?:my|our|their|his|her|your|own|custom|another|an|from|via|with|using|under|on|into|to|in|inside|within|like|as"
    r"|than|by|at|of|for|after|before|when|if|while|and|or|vs|versus|(?:rais|throw|catch|get|return|say|fail)(?:s|es|ing)?"
    r"|error|exception|warning)|[,:|/\\<>({\[.])[\s`\"'*]{0,4}\Z"
)
_MENTIONED = lazy_pattern(rf"(?i){_MENTIONS}")
_NAMES_AN_ERROR = lazy_pattern(r"(?:Error|Exception|Warning|Fault)s?\Z")
_ASKED_FOR = lazy_pattern(r"(?i)\b(?:what|where)(?:['’]?s|\W+(?:is|are|does|do))\W+(?:(?:the|an?)\W+)?\Z")
_COMPARES = lazy_pattern(
    r"(?i)\b(?:versus|vs|differ(?:s|ence|ences|ent)?|compared? (?:to|with)|next to|besides?|in addition to|instead of"
    r"|rather than|alternatives? to|as opposed to|unlike)\b",
    cues="vers|vs|differ|compar|next to|beside|addition|instead|rather|alternative|opposed|unlike",
)
"""How a question puts names beside each other: it has no answer without each of them."""
_SET_ASIDE = lazy_pattern(
    r"(?i)\b(?:my|our|their|his|her|your|own|custom|another|an|(?:instead|out) of|rather than|unlike|opposed to)"
    r"[\s`\"'*]{0,4}\Z"
)
"""What stands before a compared name that the question does not ask for."""
_PART_OF = lazy_pattern(
    r"(?i)\b(?:function|method|member|field|property|attribute|option|case|variant|entry|key|parameter|argument)s?"
    r"\W{1,3}(?:of|in)\W{1,3}(?:the\W{1,3})?\Z"
)
_JOINED = lazy_pattern(
    r"(?<![\w./\\:#-])([A-Za-z_]\w{1,80})(?:\.|::|#)([A-Za-z_]\w{2,80})(?![\w/\\-]|(?:\.|::|#)\w)", cues=".|::|#"
)
_BEGINS_WITH = lazy_pattern(r"\A\W*(\w{2,80})[\s`]{1,3}(\w{3,80})\b")
_CAPITALIZED = lazy_pattern(r"(?<![\w.])[A-Z][a-z]\w*")
_TOGETHER = lazy_pattern(
    r"(?i)\b(?:in|of|on|inside|within)\b|\b(?:how|where|why|when|what)\b[^.?!\n]{0,20}\b(?:does|do|did)\b|'s\b"
)
"""How a question puts one name into another."""


def asked_nowhere(text: str, question: Question, frequency: Mapping[str, int], reader: Reader) -> list[str]:
    """Return the compound names that a text asks for and no file has: not as a word, nor in parts, nor in another
    spelling; and members of what is defined here that no code has. None of a filtered index, and none where a look-up
    exceeds its budget.

    Args:
        text: The question that ``question`` is parsed from.
        frequency: In how many chunks each of its words is.
        reader: The index.
    """
    if reader.is_narrowed or question.fragment or question.printed or reader.text.size() == (0, 0):
        return []
    unknown = [name for name in question.identifiers if is_compound(name) and not _frequency(name, frequency)]
    may_ask = bool(unknown) or _JOINED.search(text) is not None
    is_comparison = may_ask and _COMPARES.search(text) is not None and len(unknown) < len(question.identifiers)
    is_asked = may_ask and (is_comparison or _is_question(text))
    asked = [name for name in unknown if is_asked and _is_asked(name, text, is_comparison=is_comparison)]
    try:
        members = _members_nowhere(text, question, frequency, reader, is_asked=is_asked)
        names = dict.fromkeys((*members, *asked))
        return [name for name in names if not (is_compound(name) and _is_spelled_otherwise(name, reader))][:MOST_ASKED]
    except QueryBudgetError:
        return []


def _members_nowhere(
    text: str, question: Question, frequency: Mapping[str, int], reader: Reader, *, is_asked: bool
) -> list[str]:
    """Return the members that no code has of names that are defined here: those that the text joins to such a name,
    where something ``is_asked``, and the one that it begins with behind such a name.
    """
    pairs = _JOINED.findall(text) if is_asked else []
    begun = _BEGINS_WITH.search(text) if question.identifiers else None
    if begun is not None and is_compound(begun[2]) and begun[1] in question.identifiers:
        pairs.append(begun.groups())
    pairs = [(owner, name) for owner, name in pairs if owner[0].isupper() or is_compound(owner)][:MOST_ASKED]
    if not pairs:
        return []
    hits = reader.names.definitions({part.lower() for pair in pairs for part in pair})
    defined = {hit.name for hit in hits if hit.kind != HEADING}
    known = {name.lower() for name in defined}
    return [
        name
        for owner, name in dict.fromkeys(pairs)
        if owner in defined and name.lower() not in known and not _has_code(name, frequency, reader)
    ]


def _is_question(text: str) -> bool:
    """Return whether a text asks, or is a few words to search for."""
    return _ASKS.search(text) is not None or len(text.split()) <= FEW_WORDS


def _has_code(name: str, frequency: Mapping[str, int], reader: Reader) -> bool:
    if is_compound(name):
        return _frequency(name, frequency) > 0
    return frequency.get(name.lower(), 1) > MAX_POSTINGS or bool(reader.uses.code_mentioning(name, 1))


def _is_asked(name: str, text: str, *, is_comparison: bool) -> bool:
    """Return whether the text asks for the name at one of its places, and does not only mention it; in a comparison
    each is asked for.
    """
    if f".{name}" in text or f"{name}." in text.rstrip(". "):
        return False
    before = [text[: place.start()] for place in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    if _NAMES_AN_ERROR.search(name):
        # An error of a library is raised by what is here.
        return any(_ASKED_FOR.search(one) is not None for one in before)
    if is_comparison and any(_SET_ASIDE.search(one) is None for one in before):
        return True
    return any(_MENTIONED.search(one) is None or _PART_OF.search(one) is not None for one in before)


def _frequency(name: str, frequency: Mapping[str, int]) -> int:
    """Return in how many chunks a name of the question is; 1 where it was not counted."""
    return frequency.get(name.lower().strip("_"), 1)


def _is_spelled_otherwise(name: str, reader: Reader) -> bool:
    parts = split_identifier(name)
    if reader.text.occurs(phrase(" ".join(parts))) or reader.text.occurs(phrase("".join(parts))):
        return True
    near = reader.names.similar_names(name, SIMILAR_READ)
    return any(
        is_one_stroke(name, one.name) or (one.similarity >= SIMILAR and not _has_other_part(parts, one.name))
        for one in near
    )


def _has_other_part(parts: Sequence[str], other: str) -> bool:
    """Return whether one of a name's parts is in no form a part of the other name: ``linear`` of ``LinearPolicy``, of
    ``RetryPolicy``.
    """
    stems = {part[:STEM_LETTERS] for part in split_identifier(other)}
    return any(len(part) >= STEM_LETTERS and part[:STEM_LETTERS] not in stems for part in parts)


def apart_note(text: str, question: Question, frequency: Mapping[str, int], reader: Reader) -> str:
    """Return the sentence for two names that the text puts into one another and no file has together, with the place of
    the one that is asked for; "" where a file has both, or it is not known.
    """
    names = [name for name in question.identifiers if frequency.get(name.lower())]
    names += [name for name in _capitalized(text, question, names) if frequency.get(name.lower())]
    if len(names) != 2 or reader.is_narrowed or not _TOGETHER.search(text) or not any(map(is_compound, names)):
        return ""
    if any(frequency[name.lower()] > MAX_POSTINGS for name in names):
        return ""
    try:
        hits = reader.names.definitions({name.lower() for name in names})
        files = [set(reader.uses.code_mentioning(name, MOST_FILES)) for name in names]
    except QueryBudgetError:
        return ""
    defined = {hit.name for hit in hits}
    # An error that nothing here defines is raised by the language: no file has to have its name.
    if any(_NAMES_AN_ERROR.search(name) and name not in defined for name in names):
        return ""
    if defined.isdisjoint(names) or not all(0 < len(own) < MOST_FILES for own in files):
        return ""
    if files[0] & files[1]:
        return ""
    said = "; ".join(places_of(names, hits, reader))
    return f"no code file here has both {names[0]} and {names[1]}" + (f"; {said}" if said else "")


def _capitalized(text: str, question: Question, names: Sequence[str]) -> list[str]:
    """Return the words that the text writes like the name of a class, in order."""
    words = dict.fromkeys(_CAPITALIZED.findall(text)) if question.proper else ()
    return [word for word in words if word.lower() in question.proper and word not in names]


def places_of(names: Sequence[str], hits: Sequence[DefinitionHit], reader: Reader) -> list[str]:
    """Return where each of the names is defined that has one definition or whose first is told, as sentences."""
    first = {name: next((hit for hit in hits if hit.name == name), None) for name in names}
    sources = reader.files.sources_by_id(hit.source_id for hit in first.values() if hit is not None)
    return [
        f"{name} is at {sources[hit.source_id].source_id}:{hit.start_line}"
        for name, hit in first.items()
        if hit is not None and hit.source_id in sources
    ]


def nowhere_notes(asked: Sequence[str], question: Question, reader: Reader) -> list[str]:
    """Return a sentence for each name that is asked for and nowhere, with the places of the question's other names."""
    others = [name for name in question.identifiers if name not in asked]
    try:
        hits = reader.names.definitions({name.lower() for name in others}) if others else []
        said = "; ".join(places_of(others, hits, reader))
    except QueryBudgetError:
        said = ""
    notes = nowhere_sentences(asked)
    return [*notes[:-1], f"{notes[-1]}; {said}"] if said and notes else notes


def foreign_notes(question: Question, frequency: Mapping[str, int]) -> list[str]:
    """Return a sentence for each name of a question that no file has, as those of other projects; a few at most."""
    names = [name for name in question.identifiers if is_compound(name) and not frequency.get(name.lower())]
    return nowhere_sentences(names)[:MOST_NOTED]


def nowhere_sentences(names: Iterable[str]) -> list[str]:
    """Return the sentence for each name that is nowhere, but for one that may be a secret, which no answer repeats. A
    plain word is only looked for in code.
    """
    told = [name for name in names if not secrets.mask(name.encode()).findings]
    return [f"{name} is nowhere in the {'index' if is_compound(name) else 'code'}" for name in told]
