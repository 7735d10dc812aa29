"""Read an order to change code: the existing name that it is about, and the part that says what is to be new.

``Refactor Context.Render into smaller pieces`` is about ``Context.Render``, whatever is to become of it. ``Add a
`trimall` builtin, like ltrimstr`` is about ``ltrimstr``: nothing here has to have ``trimall``. Pure: which of the names
are defined, the index knows.
"""

from __future__ import annotations

import re

from helix_core.tuples import NamedTuple
from helix_core.words import IDENTIFIER, is_compound, lazy_pattern, words_in

LONGEST_ORDER = 400
MOST_ABOUT = 4
_POLITE = (
    r"\A\W{0,4}(?:(?:hi|hey|hello|ok|okay|so|now|next|then|first|please|pls|plz|kindly|just"
    r"|(?:can|could|would|will) (?:you|we)|let'?s|i (?:want|need|would like)(?: you)? to|i'?d like(?: you)? to"
    r"|we (?:need|have|want) to|help me(?: to)?)[\s,]{1,3}){0,4}"
)
_KIND = (
    r"(?:(?:the|our|my|this|existing) )?(?:(?:method|function|class|struct|type|trait|interface|macro|field|option"
    r"|constant|helper|module|variable)s? )?"
)
_NAME = r"(`[^`\n]{1,80}`|[^\W\d]\w{0,60}(?:(?:\.|::|->|#)[^\W\d]\w{0,60}){0,4}(?:\(\))?)"
_CHANGES = lazy_pattern(
    rf"{_POLITE}(?:refactor|rewrite|simplify|split(?: up)?|clean ?up|tidy(?: up)?|rename|move|extract|inline"
    r"|optimi[sz]e|speed up|shorten|document|deprecate|delete|remove|drop|make|improve|modify|change|update|extend"
    r"|convert|port|generali[sz]e|annotate|rework|restructure|break up|decouple|harden|fix"
    r"|(?:write|add|create|generate) (?:(?:an?|the|some|proper|missing|short|better) ){0,2}"
    r"(?:docstrings?|doc comments?|comments?|documentation|docs|type (?:hints?|annotations?)|types|logging)"
    rf" (?:for|to|in|on|of)) {_KIND}{_NAME}(?![\w.])",
    re.IGNORECASE,
    cues="refactor|rewrite|simplify|split|clean|tidy|rename|move|extract|inline|optimi|speed up|shorten|doc|deprecate"
    "|delete|remove|drop|make|improve|modify|change|update|extend|convert|port|generali|annotat|rework|restructure"
    "|break up|decouple|harden|fix|comment|type|logging",
)
"""An order on what stands directly behind its verb. ``fix the crash in res.send`` says more than the name."""
_ADDS = lazy_pattern(
    rf"{_POLITE}(?:(?:add|create|implement|introduce|write|define|provide|build|generate|expose|support)\b"
    r"|(?:i|we)(?:'d| would)? (?:want|need|like) (?=an? |some |another ))",
    re.IGNORECASE,
    cues="add|create|implement|introduce|write|define|provide|build|generate|expose|support|want|need|like",
)
_BESIDE = (
    r"next to|besides?|like|similar(?:ly)? to|alongside|along with|analogous to|same as|as (?:in|with|for)|such as"
    r"|modell?ed (?:on|after)|based on|derived from|inspired by|following|wrapping|extending|calling"
    r"|that (?:wraps|calls|extends|mirrors)"
)
_INTO = r"to|in|into|on|onto|for|of|from|inside|within"
_ANCHOR = lazy_pattern(
    rf"\b(?:(?P<beside>{_BESIDE})|{_INTO}) (?:the |our |an? |what )?(?:existing )?{_KIND}{_NAME}(?![\w.])",
    re.IGNORECASE,
)
_OF_TESTS = lazy_pattern(r"(?i)\b(?:tests?|specs?|test cases?)\b")
"""Who wants a test of something new asks for the tests of it."""
NAMES_OF_CODE = lazy_pattern(r"`[^`\n]{1,80}`|[^\W\d]\w*")
_PRONOUNS = words_in("a an the this that it them one some any all each every what how our my new same")


class EditOrder(NamedTuple):
    """An order to change code.

    Attributes:
        about: The names that it may be about, as typed, the likeliest first.
        new: The span of the text, in characters, that says what is to be new; empty where nothing is.
    """

    about: tuple[str, ...]
    new: tuple[int, int] = (0, 0)


def read_edit(text: str) -> EditOrder | None:
    """Return what an order to change code is about; None for any other text."""
    if len(text) > LONGEST_ORDER:
        return None
    changed = _CHANGES.search(text)
    if changed is not None and _is_written_as_code(changed[1]):
        return EditOrder((_bare(changed[1]),))
    adds = _ADDS.search(text)
    if adds is None:
        return None
    anchors = list(_ANCHOR.finditer(text, adds.end()))
    beside = [one for one in anchors if one["beside"] and one[2].lower() not in _PRONOUNS]
    into = [one for one in anchors if not one["beside"] and _is_a_name(one[2])]
    found = (*beside, *into)[:MOST_ABOUT]
    if not found:
        return None
    end = min(one.start() for one in found)
    if _OF_TESTS.search(text, adds.end(), end):
        return None
    return EditOrder(tuple(_bare(one[2]) for one in found), (adds.end(), end))


def _bare(name: str) -> str:
    return name.strip("`").removesuffix("()")


def _is_written_as_code(name: str) -> bool:
    return name.startswith("`") or name.endswith("()") or not name.isidentifier() or _is_joined(name)


def _is_joined(name: str) -> bool:
    return "_" in name.strip("_") or (is_compound(name) and not name.isupper() and name[1:] != name[1:].lower())


def _is_a_name(name: str) -> bool:
    """Return whether a word behind "to" or "in" is a name: as code writes it, or capitalized."""
    return _is_written_as_code(name) or (name[0].isupper() and not name.isupper())


def parts_of(name: str) -> list[str]:
    """Return the owners and the member of a name, in order: ``Context``, ``Render``."""
    return IDENTIFIER.findall(name)
