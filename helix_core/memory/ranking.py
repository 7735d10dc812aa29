"""Order memories for a question: by how much of it they contain, faded by age where their kind fades.

Pure: frequencies, times and texts are arguments. Reading changes nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helix_core.memory.cues import DROPPED
from helix_core.memory.slots import content_words, is_critical, tokens
from helix_core.model import MemoryFact, MemoryUse, StoredMemory, UseKind
from helix_core.words import split_identifier, wide_pairs, words_in

FLOOR = 0.34
"""Least share of the question's weight that a memory contains, and least score, faded by its age; below it, it does not
answer.
"""
LEAST_OF_ONE = 0.5
"""The same share of a memory that has one word of the question alone, and not as its subject."""
LEAST_BESIDE_UNKNOWN = 0.495
"""The same where another word of the question is in no memory at all. Fitted on ``questions-development.jsonl``
(``benchmarks/memory.py --topics``).
"""
LEAST_REWORDED = 0.6
"""The same where that one word is there in another wording only."""
FLOOR_AROUND = 0.2
"""Least score of a memory of a session next to an answer: what is said in turns rarely repeats what it is about."""
NAMED = 0.1
"""What it adds to the rank of a memory that it has all names of the question as they are written."""
OTHER_WORDING = 0.9
"""What a word counts for a memory that has another wording of it."""
DAY_MS = 86_400_000
LONGEST_HALF_LIFE_DAYS = 3_650.0
APART = 0.1
"""Least distance of two uses that count, in half-lives: what is used ten times in an hour is used once."""
APART_DAYS = 7.0
"""The same in days, of a kind that does not fade."""
HALF_LIFE_DAYS = {"episode": 7.0, "snippet": 90.0, "procedure": 90.0}
"""Kinds that fade, from their last use on; all others hold until they are contradicted or their citation changes."""
LEAST_FADED = 0.5
EASE = {UseKind.OPENED: 2.36, UseKind.CITED: 2.5, UseKind.CONFIRMED: 2.6}
"""Factor of the half-life for a use: SM-2's easiness after an answer of quality 3, 4 and 5 (Wozniak 1990)."""
UNSAID = words_in(
    """still yet already ever again now currently today anymore always usually often normally generally first last next
    then before after until since soon away back out up down off into onto over under along together enough more less
    most least many much both either neither whole entire full single other another same different own certain exact
    exactly correct right proper real actual actually really main special particular not no yes if else than instead
    like because why
    good better best bad worse worst new common typical simple easy hard possible useful
    need needs needed require requires required happen happens happened decide decided decides allow allows allowed
    permit permitted forbidden be become becomes make makes made get gets give gives given take takes put puts go goes
    come comes came move moved leave keep keeps kept hold holds have has contain contains include includes choose chose
    chosen pick picked picks select selected prefer preferred want wants wanted mean means call called calls name named
    define defined set sets configure configured change changes changed replace replaced replaces switch switched
    implement implemented handle handled handles work works run runs write writes written create created build built
    start starts started stop stops stopped begin begins end ends live lives stay stays sit sits find found look see
    seen show shown shows think say says expect expected suppose supposed try tried help let plan agree agreed occur
    cause caused causes lead result reach reached reaches access send sends get receive perform performed done apply
    applies applied follow follows followed stand stands belong belongs matter matters count counts ask asked
    answer answers answered explain explained describe described treat treated consider considered
    thing things kind type sort way version versions day days date time times hour hours week weekday month months year
    years number numbers amount value values size length height depth width speed name names person people somebody
    someone anybody place places location region country city language languages file files folder path tool tools
    library framework algorithm method format reason reasons rule rules policy convention purpose goal part parts
    setting settings option options unit units color colour level limit problem problems issue cause fix solution step
    steps process procedure command commands character characters style approach strategy decision choice default role
    background responsible responsibility charge long old big large small high low fast slow far deep wide short
    maximum max"""
)
"""Words of a question that an answer often leaves unsaid: what relates any two things, and what a value is one of."""
_ASKING = words_in(
    """what where when why who which how whose whom do does did can could should would may might about any there
    tell show find me know use used uses using we our us remember recall say said anything something is are was were am
    been"""
)
_MEASURES = re.compile(
    r"\bhow\s+(?:long|many|much|often|far|fast|slow|big|large|small|high|low|deep|wide|old|new|soon|late|early|well)\b"
    r"|\b(?:what|which)\s+(?:kind|sort|type)s?\s+of\b"
    r"|是什么|什么|为什么|哪个|哪些|哪里|哪儿|怎么样|怎么|怎样|如何|多少|几个|谁|何时|请问|吗|呢"
    r"|何ですか|何|誰|どこ|どれ|どの|いつ|なぜ|どうやって|どう|いくつ|ですか|ますか"
    r"|무엇입니까|무엇인가요|무엇|뭐예요|뭐야|어디|언제|누구|어떻게|얼마나|입니까|인가요",
    re.IGNORECASE,
)
"""What only asks: of a question such as "how long is the timeout?" its "how long"."""
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_SEAM = re.compile(rf"(?<=[{_WIDE}])(?=[!-~])|(?<=[!-~])(?=[{_WIDE}])")
_SINGLE_OR_RUN = re.compile(rf"^[{_WIDE}]$|[{_WIDE}]{{2}}")
_HIRAGANA = re.compile("[\u3040-\u309f]")


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """A word of a question, its tokens as the postings have them, its weight, and whether any memory has it.

    ``forms`` are the tokens of other wordings of it.
    """

    word: str
    tokens: tuple[str, ...]
    weight: float
    is_known: bool = True
    forms: tuple[tuple[str, ...], ...] = ()

    def is_in(self, held: frozenset[str]) -> bool:
        """Return whether tokens have the word in one of its wordings."""
        return self.share_in(held) > 0

    def share_in(self, held: frozenset[str]) -> float:
        """Return 1 where tokens have the word, ``OTHER_WORDING`` where they have another wording of it, else 0."""
        if held.issuperset(self.tokens):
            return 1.0
        return OTHER_WORDING if any(held.issuperset(form) for form in self.forms) else 0.0


def asked_words(question: str) -> list[str]:
    """Return the words of a question that a memory may contain, each once."""
    question = _SEAM.sub(" ", _MEASURES.sub(" ", question)) or question
    words = [word for word in content_words(question) if word not in _ASKING]
    if not question.isascii():
        words = _without_runs(words)
    # As they were written: in lower case, readOrder9 has other parts than a memory of it is found by.
    names = [token for token in tokens(question) if is_critical(token) and token.lower() not in _ASKING]
    parts = [part for name in names for part in split_identifier(name) if len(part) > 2]
    return list(dict.fromkeys((*words, *parts)))


def alternatives(question: str) -> dict[str, str]:
    """Return the words of which an English question asks one or the other, each with that other: "tabs or spaces"."""
    words = [token.lower() for token in tokens(question)]
    pairs = [(words[at - 1], words[at + 1]) for at in range(1, len(words) - 1) if words[at] == "or"]
    return {one: other for pair in pairs for one, other in (pair, pair[::-1])}


def function_words(question: str) -> int:
    """Return how many words of a question only relate others or ask, as those of English do."""
    return sum(word in DROPPED or word in _ASKING for word in map(str.lower, tokens(question)))


def asked_names(question: str) -> frozenset[str]:
    """Return the names of code, paths, numbers and the like that a question has, as written."""
    return frozenset(word for word in _whole_words(question) if is_critical(word))


def named_share(names: frozenset[str], text: str) -> float:
    """Return the share, 0..1, of the names that a memory has as words of their own; in another case they count half."""
    if not names:
        return 0.0
    held = _whole_words(text)
    folded = {word.lower() for word in held}
    return sum(1.0 if name in held else 0.5 * (name.lower() in folded) for name in names) / len(names)


def _whole_words(text: str) -> frozenset[str]:
    return frozenset(word.strip("`'\"“”‘’()[]{}<>,;:.!?") for word in text.split())


def _without_runs(words: Sequence[str]) -> list[str]:
    """Return the words with pairs in place of the runs of Chinese, Japanese or Korean that they come from.

    No memory has the run as a word. Pairs with hiragana are mostly endings: they are asked for only without others.
    """
    pairs = dict.fromkeys(pair for word in words for pair in wide_pairs(word))
    plain = [pair for pair in pairs if _HIRAGANA.search(pair) is None]
    others = [word for word in words if not _SINGLE_OR_RUN.search(word)]
    return [*others, *(plain or pairs)] or list(words)


def weigh(
    words: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]],
    frequency: Mapping[str, int],
    count: int,
) -> list[AskedTerm]:
    """Return the words, each with its tokens and those of its other wordings, with the IDF of their rarest token.

    A word that no memory has weighs as much as one that a single memory has: it is asked for, and it is not here.

    Args:
        words: Each word with its own tokens, and with those of each of its other wordings.
        frequency: How many memories have a token.
        count: How many memories there are.
    """
    terms = []
    for word, posted, forms in words:
        if posted:
            held = max(min(frequency.get(token, 0) for token in form) for form in (posted, *forms))
            known = max(held, 1)
            weight = math.log1p((count - known + 0.5) / (known + 0.5)) + 0.25
            others = tuple(map(tuple, forms))
            terms.append(AskedTerm(word, tuple(posted), weight, held > 0, others))
    return terms


def covered(terms: Sequence[AskedTerm], held: frozenset[str]) -> float:
    """Return the share, 0..1, of the question's weight that is in a memory with these tokens."""
    total = sum(term.weight for term in terms)
    return sum(term.weight * term.share_in(held) for term in terms) / total if total else 0.0


def is_about(
    terms: Sequence[AskedTerm],
    held: frozenset[str],
    subject: frozenset[str] = frozenset(),
    *,
    least: float = FLOOR,
) -> bool:
    """Return whether a memory has enough of a question.

    Args:
        terms: The terms of the question.
        held: The tokens of the memory.
        subject: Those of its subject.
        least: The share, 0..1, that it has to have at any rate.
    """
    had = [term for term in terms if term.is_in(held)]
    if len(had) == 1 and not (subject and subject.issubset(had[0].tokens)):
        if had[0].share_in(held) < 1.0 and len(terms) > 1:
            least = max(least, LEAST_REWORDED)
        least = max(least, LEAST_OF_ONE if all(term.is_known for term in terms) else LEAST_BESIDE_UNKNOWN)
    return covered(terms, held) >= least


def is_over(fact: MemoryFact, now: int) -> bool:
    """Return whether what a memory states is no longer so at a time, in Unix milliseconds."""
    return fact.valid_to is not None and fact.valid_to <= now


def faded(one: StoredMemory, uses: Sequence[MemoryUse], now: int) -> float:
    """Return the factor, 1 down to ``LEAST_FADED``, of a memory's age since it was written or last used.

    Each use that counts makes its half-life longer. ``uses`` are the oldest first, ``now`` is in Unix milliseconds.
    """
    if one.fact.kind not in HALF_LIFE_DAYS:
        return 1.0
    half_life, last = reinforced(one, uses)
    days = max(now - last, 0) / DAY_MS
    return float(LEAST_FADED + (1 - LEAST_FADED) * 2.0 ** (-days / half_life))


def reinforced(one: StoredMemory, uses: Sequence[MemoryUse]) -> tuple[float, int]:
    """Return the half-life of a memory in days, and when it was written or last used, in Unix milliseconds."""
    half_life, last = HALF_LIFE_DAYS.get(one.fact.kind, LONGEST_HALF_LIFE_DAYS), one.at
    for use in uses:
        if use.at - last >= APART * half_life * DAY_MS:
            half_life = min(half_life * EASE[use.kind], LONGEST_HALF_LIFE_DAYS)
        last = max(last, use.at)
    return half_life, last


def is_due(one: StoredMemory, uses: Sequence[MemoryUse], now: int) -> bool:
    """Return whether a use at ``now`` (Unix ms) is recorded: the first one, and each that is far enough from the last.

    So a memory of a fading kind has about eight rows when its half-life is at its longest.
    """
    half_life, last = reinforced(one, uses)
    apart = APART * half_life if one.fact.kind in HALF_LIFE_DAYS else APART_DAYS
    return not uses or now - last >= apart * DAY_MS


def salience(one: StoredMemory) -> float:
    """Return a small factor for what matters more: importance and confidence, 0..100 each."""
    return 1.0 + (one.fact.importance + one.fact.confidence - 100) / 2_000
