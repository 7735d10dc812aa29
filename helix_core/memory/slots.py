"""Read the slot of a sentence, what it says of what: subject, attribute and value, each in its compared form.

Also which words of a text are compared, and which of them are critical. Rules only, linear in the text; where no rule
fits there is no slot, since a wrong one is worse than none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from helix_core.memory.cues import (
    AMOUNT,
    AUXILIARIES,
    BARE,
    CHOICE_OF,
    DESCRIBES,
    DONE,
    DROPPED,
    EVERYONE,
    FOR,
    FOR_WHICH,
    FOREIGN_IS,
    GIVEN,
    GONE,
    HAS,
    HAS_OF,
    INDEPENDENT,
    INSTEAD,
    IS,
    MUST,
    NARROWS,
    NEGATORS,
    NEUTRAL,
    NO_DEED,
    NOT_A_SUBJECT,
    NOT_SIMPLE,
    NOT_YET,
    NUMBER,
    OCCURS,
    ONE_OF,
    OTHER_THAN_IS,
    PASSIVE,
    QUALIFIES,
    QUANTIFIERS,
    QUESTION,
    REASONS,
    REPLACED,
    RULE,
    SAME,
    SWITCH,
    TOKEN,
    USE,
    WE_DO,
)
from helix_core.words import IDENTIFIER, is_compound, wide_pairs

_KEPT = 4_096
MOST_SUBJECT_WORDS = 6
"""Words of a subject with what limits it; what has more is a clause, and says of other things, too."""
MOST_LIMITING_WORDS = 4
_AND_SO_ON = "…"
"""Stands for limits of a value that are more than a short phrase: such a value is compared with no other."""
_CLAUSE_ENDS = (",", ";", ":")
_DASHES = ("–", "—", "-", "->", "→")


def slot_of(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    """Return subject, attribute, value, choice, replaced values and exclusiveness; None where no rule fits, or where
    the subject would be more than a short phrase.
    """
    found = _read(core)
    if found is None:
        return None
    words = [word for word in found[0].split(" ") if word != _AND_SO_ON]
    is_clause = found[1] != "rule" and NOT_SIMPLE.intersection(words)
    if is_clause or len(words) > MOST_SUBJECT_WORDS:
        return None
    is_whole = _AND_SO_ON not in found[0]
    return found if is_whole else (" ".join(words), *found[1:3], "", (), False)


def _read(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    low = core.lower()
    changed = SWITCH.search(core) if " from " in low else None
    if changed is not None:
        what, before, after = (part or "" for part in changed.groups())
        return _changed(core[: changed.start()], what, before, after)
    changed = REPLACED.search(core) if "replac" in low else None
    if changed is not None:
        return _changed(core[: changed.start()], "", *changed.groups())
    pair = INSTEAD.search(core)
    if pair is not None:
        found = _changed(core[: pair.start()], "", pair.group(3), pair.group(2))
        is_wish = pair.group(1).lower().startswith(("prefer", "want"))
        return (*found[:4], (), False) if found and is_wish else found
    gone = GONE.search(core)
    if gone is not None:
        value, limits = _parted(gone.group(2))
        choice = _choice(value)
        subject = _subject_of(choice or normalized(value), core[: gone.start()], limits)
        replaced = (value,) if choice and gone.group(1).lower().startswith("us") else ()
        return subject, "uses", f"not {value}", "", replaced, False
    rule = RULE.search(core)
    if rule is not None:
        who = "i " if (rule.group(1) or "").strip().lower() == "i" else ""
        return f"{who}{_subject(rule.group(3))}", "rule", _polarity(rule.group(2)), "", (), True
    return _stated(core)


def _changed(
    prefix: str, what: str, before: str, after: str
) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    """Return the slot of a change from one value to another; None where it did not surely take place."""
    if NOT_YET & set(_plain_words(prefix)):
        return None
    old, old_limits = _parted(before)
    new, new_limits = _parted(after)
    choice = _choice(new) if _choice(new) == _choice(old) else ""
    owner = _subject(what) or ("" if choice else _owner(prefix))
    limits = " ".join(filter(None, (old_limits, new_limits)))
    if owner:
        subject = _subject_of(owner, prefix if what else "", limits)
        return subject, "is", new, choice, (old,), _is_one_thing(owner, new)
    if not choice:
        return None
    return _subject_of(choice, prefix, limits), "uses", new, choice, (old,), True


def _stated(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    purpose = FOR.search(core)
    if purpose is not None:
        prefix = core[: purpose.start()]
        if NOT_YET & set(_plain_words(prefix)):
            return None
        value, limits = _parted(purpose.group(1))
        choice = _choice(value)
        subject = _subject(purpose.group(2))
        subject = _subject_of(f"{choice} for {subject}" if choice else subject, prefix, limits)
        return subject, "uses", value, choice, (), bool(choice)
    return _deed(core) or _is_said(core) or _had(core)


def _deed(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    """Return the slot of what is done with a subject, what it does when, how many of something it has; else None."""
    passive = PASSIVE.search(core)
    if passive is not None and passive.group(2).split(" ")[0].lower() not in NO_DEED:
        who, attribute, rest = passive.groups()
        return _of_deed(who, attribute.lower(), rest, is_name=attribute.lower() in ("called", "named"))
    occurs = OCCURS.search(core)
    if occurs is not None:
        who, verb, when, rest = occurs.groups()
        return _of_deed(who, _verb(f"{verb} {when}"), rest)
    amount = AMOUNT.search(core)
    if amount is not None:
        who, verb, bound, rest = amount.groups()
        # Two bounds are contested, as those of any words are: neither is the value itself.
        return _of_deed(who, _verb(f"{verb} {bound or ''}".rstrip()), rest, is_bound=bool(bound))
    owned = HAS_OF.search(core)
    if owned is not None:
        who, named, sort, rest = owned.groups()
        return _of_deed(f"{named or sort} of {who}", "is", rest) if _is_subject(who) else None
    chosen = FOR_WHICH.search(core)
    if chosen is not None:
        return _of_deed(chosen.group(1), "uses", chosen.group(2))
    deed = WE_DO.search(core)
    if deed is not None:
        verb, what, where, rest = deed.groups()
        done = DONE.get(verb.lower(), f"{verb.lower().rstrip('e')}ed")
        return _of_deed(what, f"{done} {where.lower()}", rest)
    given = GIVEN.search(core)
    if given is not None:
        return _of_deed(given.group(1), "is", given.group(2))
    for pattern in FOREIGN_IS:
        foreign = pattern.search(core)
        if foreign is not None:
            return _of_deed(foreign.group(1), "is", foreign.group(2))
    return None


def _of_deed(
    who: str, attribute: str, rest: str, *, is_name: bool = False, is_bound: bool = False
) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    if not _is_subject(who) or NOT_YET & set(_plain_words(who)) or NOT_SIMPLE & set(_plain_words(who)):
        return None
    value, limits = _parted(rest)
    if not value or value.split(" ")[0] in NEGATORS:
        return None
    subject = _subject_of(_subject(who), "", limits)
    is_number = NUMBER.match(value.split(" ")[0]) is not None and _is_one_thing(subject, value)
    return subject, attribute, value, _choice(value), (), is_name or (is_number and not is_bound)


def _is_said(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    is_ = IS.search(core)
    if is_ is not None and _is_subject(is_.group(1)):
        (value, limits), verb = _parted(is_.group(3)), is_.group(2).lower()
        subject, attribute = _subject_of(_subject(is_.group(1)), "", limits), OTHER_THAN_IS.get(verb, "is")
        choice = _choice(value)
        if value.split(" ")[0] in NEGATORS:
            return subject, attribute, value, "", (), False
        is_exclusive = bool(choice) or _is_one_thing(_subject(is_.group(1)), value)
        return subject, attribute, value, choice, (), is_exclusive
    must = MUST.search(core)
    if must is not None and _is_subject(must.group(1)):
        return _subject(f"{must.group(1)} {must.group(3)}"), "rule", _polarity(must.group(2)), "", (), True
    return None


def _had(core: str) -> tuple[str, str, str, str, tuple[str, ...], bool] | None:
    use = USE.search(core)
    if use is not None:
        value, limits = _parted(use.group(1))
        choice = _choice(value)
        return (_subject_of(choice, "", limits), "uses", value, choice, (), False) if choice else None
    has = HAS.search(core)
    if has is None or not _is_subject(has.group(1)) or NOT_YET & set(_plain_words(has.group(1))):
        return None
    value, limits = _parted(has.group(3))
    choice, first = _choice(value), has.group(2).lower().split(" ")[0].rstrip("s")
    if choice and first in ("use", "run", "require"):
        return _subject_of(choice, has.group(1), limits), "uses", value, choice, (), False
    subject, attribute = _subject_of(_subject(has.group(1)), "", limits), _verb(has.group(2))
    is_exclusive = bool(NUMBER.match(value.split(" ")[0])) and _is_one_thing(subject, value)
    return subject, attribute, value, choice, (), is_exclusive


def _verb(phrase: str) -> str:
    """Return the verb of a phrase such as "listens on" without its inflection."""
    first, _, rest = phrase.lower().partition(" ")
    return " ".join(filter(None, (first if first == "is" else first.rstrip("s"), rest)))


def _parted(text: str) -> tuple[str, str]:
    """Return a value in its compared form, and the words that qualify it: where, when, for what it holds."""
    words = text.split()
    for number, word in enumerate(words):
        low = word.lower().strip("`'\"(),;")
        if number and (low in QUALIFIES or low.endswith("ly") or word.startswith("(")):
            return _value(" ".join(words[:number])), _limits(words[number:])
        if word.endswith((",", ";", ":")) or (word.endswith(".") and number < len(words) - 1):
            rest = words[number + 1 :]
            is_limit = word.endswith(",") and bool(rest) and rest[0].lower() in NARROWS
            return _value(" ".join(words[: number + 1])), _limits(rest) if is_limit else ""
    return _value(text), ""


def _limits(words: Sequence[str]) -> str:
    """Return the words that limit what was said before them, to the end of their clause; none of a sentence of its own
    does.
    """
    ends = (at for at, word in enumerate(words, 1) if word.endswith(_CLAUSE_ENDS) or word in _DASHES)
    words = words[: next(ends, len(words))]
    text = " ".join(words)
    is_own = INDEPENDENT.search(text) is not None and (words[0].lower() in REASONS or words[0].lower() not in QUALIFIES)
    limits = "" if is_own else _subject(text)
    is_short = len(limits.split()) <= MOST_LIMITING_WORDS and not NOT_SIMPLE.intersection(limits.split())
    return limits if is_short else _AND_SO_ON


def _plain_words(text: str) -> list[str]:
    return [word.strip("`'\".,;:()") for word in text.lower().replace("’", "'").split()]


def _subject(text: str) -> str:
    """Return what a statement is about in its compared form: every word but articles and the like."""
    return " ".join(word for word in _plain_words(text) if word and word not in BARE)


def _owner(prefix: str) -> str:
    """Return what a phrase before a verb names, empty for everyone who works here."""
    words = [word for word in _subject(prefix).split() if word not in AUXILIARIES]
    return "" if set(words) <= EVERYONE else " ".join(words)


def _subject_of(subject: str, prefix: str, limits: str) -> str:
    owner = _owner(prefix)
    return " ".join(filter(None, (subject, f"of {owner}" if owner else "", limits)))


def _is_subject(text: str) -> bool:
    words = text.lower().split()
    is_clause = any(word.endswith(_CLAUSE_ENDS) or word in _DASHES for word in words)
    return 0 < len(words) <= 8 and not is_clause and words[0] not in NOT_A_SUBJECT and not QUESTION.search(text)


def _is_one_thing(subject: str, value: str) -> bool:
    """Return whether a value excludes others: a number or a name, or a plain word for what there is one of; never a
    description.
    """
    words = value.strip(" .`'\"").split()
    if not words or len(words) > 2 or words[0].lower() in DESCRIBES:
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
    if len(named) == 1 and all(word in NEUTRAL for word in words if word != named[0]):
        return SAME.get(named[0], named[0])
    return " ".join(SAME.get(word, word) for word in words)


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
    if low in NEGATORS or low in QUANTIFIERS or low in CHOICE_OF:
        return True
    # Most tokens are words in lower case, of which all that follows is false.
    return (low != token or not token.isalpha()) and (
        NUMBER.match(token) is not None
        or any(mark in token for mark in "_/.@#:")
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
