"""Sanitize and truncate answers: no paths of this machine, no invisible characters, no control tokens of chat
templates, no more than a model can use.

Pure. ``notes`` of an answer say what was truncated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from helix_core.printable import inert_line, inert_name, inert_text, with_escaped_flag

MOST_CHARACTERS = 60_000
MOST_ERROR = 600
_LEFT_OUT = frozenset({"uri", "path", "log", "server"})
_QUOTED = frozenset({"text", "quote"})
_NAMES = frozenset({"source_id", "title"})
# A memory's text is a statement, not lines of a file: it may name a folder of this machine as any sentence may.
_REMEMBERED = frozenset({"memories", "conflicts", "rests_on", "replaces", "rivals", "links"})
_MEMORY_SCHEMAS = (
    "helix.recall/",
    "helix.memory",
    "helix.review/",
    "helix.changed/",
    "helix.log/",
    "helix.maintenance/",
)
# Text of the client itself, which may contain its paths.
_ECHOED = frozenset({"query"})
_QUOTING = ("needs_refresh", "stale_risk", "verified")


def cleaned(answer: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer sanitized. ``places`` maps the machine's folders to their replacements."""
    cleaner = _Cleaner(places, remembers=str(answer.get("schema", "")).startswith(_MEMORY_SCHEMAS))
    return {key: cleaner.value(key, value) for key, value in answer.items() if key not in _LEFT_OUT}


def cleaned_sentence(sentence: str, places: Mapping[str, str]) -> str:
    """Return an error text sanitized and truncated to ``MOST_ERROR`` characters."""
    words = _Cleaner(places).words(sentence)
    return words if len(words) <= MOST_ERROR else words[: MOST_ERROR - 1] + "…"


def cleaned_text(text: str, places: Mapping[str, str]) -> str:
    """Return a text of several lines sanitized, with the machine's folders replaced."""
    return inert_text(_Cleaner(places).without_folders(text))


class _Cleaner:
    def __init__(self, places: Mapping[str, str], *, remembers: bool = False) -> None:
        # Longest first, as folders may be nested.
        self._places = sorted(places.items(), key=lambda place: -len(place[0]))
        self._remembers = remembers

    def value(self, key: str, value: Any) -> Any:
        """Return a value sanitized by the rule of its key."""
        if key in _REMEMBERED and not self._remembers:
            return _Cleaner(dict(self._places), remembers=True).value(key, value)
        if key == "evidence" and self._remembers:
            # What a memory cites is quoted as it is in the file.
            return _Cleaner(dict(self._places)).value(key, value)
        if isinstance(value, str):
            if key in _QUOTED:
                return inert_text(self.without_folders(value) if self._remembers else value)
            if key in _ECHOED:
                return inert_line(value)
            return inert_name(value) if key in _NAMES else self.words(value)
        if isinstance(value, Mapping):
            inert = {
                inert_line(name): self.value(name, inner) for name, inner in value.items() if name not in _LEFT_OUT
            }
            return with_escaped_flag(inert, value)
        if isinstance(value, Sequence):
            return [self.value(key, inner) for inner in value]
        return value

    def words(self, text: str) -> str:
        """Return the text on one line, with the machine's folders replaced."""
        return inert_line(self.without_folders(text))

    def without_folders(self, text: str) -> str:
        """Return the text with the machine's folders replaced."""
        for path, name in self._places:
            text = text.replace(path, name)
        return text


def fitted(answer: dict[str, Any], most: int = MOST_CHARACTERS) -> dict[str, Any]:
    """Truncate the answer to ``most`` characters of JSON, and say so in its notes.

    Quotes are removed first, from the last to the first, then items at the end of the longest lists. ``text`` is kept,
    as it has a budget of its own.
    """
    over = len(_json(answer)) - most
    if over <= 0:
        return answer
    note = "cut to size: ask for fewer items, or for one place with helix_open"
    fit = {key: list(value) if isinstance(value, list) else value for key, value in answer.items()}
    fit["notes"] = [*fit.get("notes", [])[:5], note]
    over += len(_json(note)) + 16
    for group in _QUOTING:
        items = fit.get(group, [])
        for number in reversed(range(len(items))):
            if over > 0 and items[number].get("quote"):
                over -= len(_json(items[number]["quote"])) - 2
                items[number] = {**items[number], "quote": ""}
    sizes = {key: [len(_json(entry)) + 1 for entry in value] for key, value in fit.items() if isinstance(value, list)}
    del sizes["notes"]
    while over > 0 and any(sizes.values()):
        longest = max(sizes, key=lambda key: sum(sizes[key]))
        fit[longest].pop()
        over -= sizes[longest].pop()
    return fit


def as_text(answer: Mapping[str, Any]) -> str:
    """Return the answer as compact JSON."""
    return _json(answer)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
