"""What a turn says of the subject: that it is a new one, or which item of the list before it is meant. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix_core.conversation.parts import words_of
from helix_core.conversation.phrases import CONTINUATIONS, DEMONSTRATIVES, FOLLOWING, SOCIAL_WORDS, STOP_WORDS
from helix_core.words import lazy_pattern, words_in

_CHANGED = lazy_pattern(
    r"(?:^|(?<=[.!?\n])\s{0,3}|^(?:[\w']{1,9}[,.!]?\s){1,3})(?:"
    r"(?:forget|scratch) (?:that|it|about (?:that|it)|all that)|never ?mind(?: that)?|nvm|moving on"
    r"|(?:now |and |but )?(?:on |to )?(?:an? )?(?:(?:completely|totally|entirely|quite|whole|slightly) )?"
    r"(?:different|new|unrelated|separate) (?:question|topic|subject|thing|issue|problem|matter|note)"
    r"|(?:now )?(?:let'?s )?(?:change|changing|switch|switching) (?:of |the |to (?:an?|another) )?(?:different |new )?"
    r"(?:topics?|subjects?|gears)|(?:now )?(?:for )?something (?:else|(?:completely |totally )?different)"
    r"|unrelated(?:ly)?|off[- ]topic|(?:(?:eine )?(?:ganz )?andere|(?:eine )?neue) frage|(?:neues|anderes) thema"
    r"|themenwechsel|themawechsel|(?:ganz )?(?:et)?was (?:ganz )?anderes|vergiss das|otra pregunta"
    r"|(?:otro|cambio de) tema|olvida(?:lo| eso)|(?:une )?autre question|(?:autre|changement de) sujet|oublie(?: ça)?"
    r"|outra pergunta|(?:outro assunto|mudando de assunto)|esquece(?: isso)?"
    r")(?:\s{0,2}[:.,;!–—-]+\s*|\s*\n\s*|\s+(?=(?:how|what|where|which|who|why|when|wie|wo|was|cómo|dónde|où|onde)\b)|\s*$)",
    re.IGNORECASE,
)
CHANGE_READ = 120


def after_change(text: str) -> str | None:
    """Return what a message says after it has announced a new subject; None where it announces none."""
    found = _CHANGED.search(text[:CHANGE_READ])
    if found is None:
        return None
    rest = text[found.end() :].strip()
    first, _, others = rest.partition(" ")
    rest = others if first.lower() in CONTINUATIONS else rest
    return f"{text[: found.start()]} {rest}".strip()


_FROM_FIRST = (
    "first 1st erste ersten erstes primero primera premier première primeiro primeira former",
    "second 2nd zweite zweiten zweites segundo segunda deuxième",
    "third 3rd dritte dritten drittes tercero tercera troisième terceiro terceira",
    "fourth 4th vierte vierten viertes cuarto cuarta quatrième quarto quarta",
    "fifth 5th fünfte fünften quinto quinta cinquième",
    "sixth 6th",
    "seventh 7th",
    "eighth 8th",
)
_LAST = words_in("last latter letzte letzten letztes último última dernier dernière")
_ORDINALS = {word: number for number, words in enumerate(_FROM_FIRST, 1) for word in words.split()} | dict.fromkeys(
    _LAST, -1
)
MOST_WORDS, MOST_CHOSEN, ITEM_READ, LIST_READ = 12, 3, 600, 16_000
_ABOUT = words_in(
    """option options item items point points number nr no suspect candidate bullet choice entry one ones explain show
    elaborate expand describe details let's lets pls plz die der das den el la los le les o a und y et e bitte por
    favor"""
)
_OF_TIME = words_in(
    """question message answer time times week night year month day version line lines commit minute hour moment wait
    hold sec"""
)
_SAYS_LITTLE = STOP_WORDS | SOCIAL_WORDS | DEMONSTRATIVES | FOLLOWING | _ABOUT
_ITEM = lazy_pattern(r"(\s{0,8})(?:#{1,4} )?\**(?:\(?(\d{1,2})[.):]\)?|[-*•+])\**\s+(\S.*)")


def chosen_items(text: str, answer: str) -> tuple[str, ...]:
    """Return the items of the answer's list that a message picks by their number and says little else: ``second:``."""
    words = words_of(text)
    numbers = [number for at, word in enumerate(words) if (number := _number(words, at))]
    others = [word for word in words if not (word.isdigit() or word in _ORDINALS)]
    is_choice = 0 < len(numbers) <= MOST_CHOSEN and len(words) <= MOST_WORDS and _SAYS_LITTLE.issuperset(others)
    if not is_choice or not _OF_TIME.isdisjoint(others):
        return ()
    items = _listed(answer[:LIST_READ])
    at = [number if number > 0 else len(items) for number in numbers]
    return tuple(items[number - 1] for number in at) if len(items) > 1 and max(at) <= len(items) else ()


def _number(words: Sequence[str], at: int) -> int:
    """Return the number that a word means; 0 for any other word, and for ``a second``."""
    word = words[at]
    if word.isdigit():
        return int(word) if len(word) < 3 else 0
    is_while = word == "second" and at > 0 and words[at - 1] in {"a", "one", "per", "every", "each"}
    return 0 if is_while else _ORDINALS.get(word, 0)


def _listed(answer: str) -> list[str]:
    """Return the items of a list at its outermost level: of the numbered list, where there is one."""
    found: list[tuple[int, bool, list[str]]] = []
    for line in answer.split("\n"):
        item = _ITEM.match(line)
        if item is not None:
            found.append((len(item.group(1)), item.group(2) is not None, [item.group(3)]))
        elif found and line[:1].isspace() and line.strip():
            found[-1][2].append(line.strip())
    is_numbered = any(numbered for _, numbered, _ in found)
    kept = [one for one in found if one[1] or not is_numbered]
    outermost = min((indent for indent, _, _ in kept), default=0)
    return [" ".join(lines)[:ITEM_READ] for indent, _, lines in kept if indent == outermost]
