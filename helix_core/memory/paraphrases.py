"""Know two wordings of one statement: active and passive, a phrase in front or at the end, units, short forms.

Pure rules, and precision before recall: merging loses what differs, so that a wording that no rule knows makes another
statement. A key has every word of a text in its order; two texts say the same where their keys are equal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix_core.memory.wordings import base_form, is_participle
from helix_core.words import WEEKDAYS, words_in

WordingKey = tuple[str, ...]
_FRONTED = words_in("in on at for with every each during under within per after before")
"""What begins a phrase that says the same in front of a statement as at its end."""
_PREPOSITIONS = _FRONTED | words_in("by from to into onto through over until before after against between across via")
_FINITE = words_in(
    """is are was were be been being am has have had do does did will would can could may might shall should must we i
    you he she it they because since while unless if when whenever that which who whose where so but although though"""
)
"""Words by which what is left of a statement has a clause of its own."""
_WE = frozenset({"we", "team"})
_BE = frozenset({"is", "are"})
_BE_FORMS = _BE | {"be"}
_MODALS = words_in("must should may can shall will")
_HOW = _MODALS | words_in("always never usually often sometimes not")
_NEGATES = frozenset({"not", "never"})
_QUANTIFIES = words_in("all every each any some most both only either")
_UNCHANGED = words_in("cut set put split shut hit run read let quit cast burst spread")
"""Participles that are as the verb is, and in no list of forms."""
_LEAST_PARTICIPLE = 4
_VERB = re.compile(r"[a-z]{2,}\Z")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)([a-zA-Z%]+)?\Z")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+\Z")
_INTRODUCES = re.compile(
    r"(?i)^(?:(?:fyi|note that|remember(?: that)?|keep in mind(?: that)?|for future reference)[\s,:]+)+"
)
_UNITS = {
    name: names.split()[0]
    for names in (
        "ms msec millisecond milliseconds",
        "s sec secs second seconds",
        "min mins minute minutes",
        "h hr hrs hour hours",
        "day days",
        "week weeks",
        "month months",
        "year years",
        "% percent",
    )
    for name in names.split()
}
_SHORT = {
    "repo": "repository",
    "prod": "production",
    "config": "configuration",
    "k8s": "kubernetes",
    "js": "javascript",
    "ts": "typescript",
    "postgresql": "postgres",
}
_APART = {
    "don't": "do not",
    "doesn't": "does not",
    "can't": "can not",
    "cannot": "can not",
    "isn't": "is not",
    "aren't": "are not",
    "mustn't": "must not",
    "shouldn't": "should not",
    "won't": "will not",
    "we're": "we are",
    "it's": "it is",
}


def without_introduction(text: str) -> str:
    """Return a text without the words that only say that it is to be remembered."""
    return _INTRODUCES.sub("", text, count=1)


def wording_key(words: Sequence[str]) -> WordingKey:
    """Return the key of what a text says; ``words`` are its words without articles, as it has them."""
    plain = _in_order(_normal(words))
    return _active(plain) or _passive(plain) or ("", *plain)


def _normal(words: Sequence[str]) -> list[str]:
    """Return the words with one spelling of each contraction, unit, number, short form and recurring day."""
    found: list[str] = []
    for word in words:
        bare = word.rstrip(",")
        comma = word[len(bare) :]
        low = bare.lower().replace("’", "'")
        amount = _AMOUNT.match(bare)
        if low in _APART:
            parts = _APART[low].split()
        elif amount is not None and amount.group(2) in _UNITS:
            parts = [amount.group(1), _UNITS[amount.group(2)]]
        elif bare in _UNITS and found and _AMOUNT.match(found[-1]):
            parts = [_UNITS[bare]]
        elif _THOUSANDS.match(bare):
            parts = [bare.replace(",", "")]
        elif low.removesuffix("s") in WEEKDAYS and found and found[-1] in _day_before(low):
            found[-1] = "every"
            parts = [low.removesuffix("s")]
        else:
            parts = [_SHORT.get(low, bare)]
        found += [*parts[:-1], parts[-1] + comma]
    return found


def _day_before(day: str) -> Sequence[str]:
    """Return the words by which a day is one that comes again: "on Thursdays", "every Thursday"."""
    return ("on", "every", "each") if day.endswith("days") else ("every", "each")


def _in_order(words: list[str]) -> list[str]:
    """Return the words with a phrase from the front at the end: "on Thursdays, we cut releases"."""
    if not words or words[0] not in _FRONTED:
        return words
    commas = [at for at, word in enumerate(words) if word.endswith(",")]
    ends = [at for at, word in enumerate(words) if word in _WE]
    if len(commas) == 1:
        end = commas[0] + 1
    elif not commas and ends:
        end = ends[0]
    else:
        return words
    front = [word.rstrip(",") for word in words[:end]]
    return words if _FINITE & set(front) else [*words[end:], *front]


def _active(words: Sequence[str]) -> WordingKey:
    """Return the key of what "we" do with something; empty for another text."""
    if not words or words[0] not in _WE:
        return ()
    how, rest = _how(words[1:])
    if _BE_FORMS & set(how):
        return ()
    how = tuple(word for word in how if word != "do")
    if len(rest) < 2 or rest[1] in _PREPOSITIONS or rest[0].endswith(("ed", "ing")):
        return ()
    return _key(rest[0], how, rest[1:])


def _passive(words: Sequence[str]) -> WordingKey:
    """Return the key of what is done with something, by whom is not said; empty for another text."""
    at = next((at for at, word in enumerate(words) if word in _BE | _MODALS), 0)
    how, rest = _how(words[at:])
    if not at or not rest or not _BE_FORMS & set(how):
        return ()
    verb = rest[0]
    is_regular = len(verb) >= _LEAST_PARTICIPLE and verb.endswith("ed")
    if not (is_regular or verb in _UNCHANGED or is_participle(verb)) or "by" in rest:
        return ()
    how = tuple(word for word in how if word not in _BE_FORMS)
    return _key(verb, how, [*words[:at], *rest[1:]])


def _how(words: Sequence[str]) -> tuple[tuple[str, ...], Sequence[str]]:
    """Return the words in front of a verb that say whether, how often and in which mood, and the rest."""
    count = next((at for at, word in enumerate(words) if word not in _HOW | _BE_FORMS | {"do"}), len(words))
    return tuple(words[:count]), words[count:]


def _key(verb: str, how: Sequence[str], rest: Sequence[str]) -> WordingKey:
    """Return the key; empty where the rest has a clause, or a negation leaves open of how many it is said."""
    if not _VERB.match(verb) or _FINITE & {word.rstrip(",;") for word in rest}:
        return ()
    counted = {word for word, following in zip(rest, (*rest[1:], ""), strict=True) if following not in WEEKDAYS}
    if _NEGATES & set(how) and _QUANTIFIES & counted:
        return ()
    return (f"{base_form(verb)}:", *how, ":", *rest)
