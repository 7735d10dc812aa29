"""Decide what a conversation asks of the workspace: the text to search for, what it is judged by, and why.

The gate has three answers, of which two are decided here (``Need``); whether what is asked is there, the search says.
Pure: the same conversation always gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

from helix_core.conversation.messages import MAX_QUESTION, own_words, shortened, text_of
from helix_core.conversation.parts import PASTED, MessagePart, PartKind, message_parts, words_of
from helix_core.conversation.pasted import Coordinate, coordinates, errors_of
from helix_core.conversation.phrases import (
    BARE_VERBS,
    CONTINUATIONS,
    DEMONSTRATIVES,
    ELLIPSES,
    FOLLOWING,
)
from helix_core.conversation.prompts import needs_nothing
from helix_core.words import IDENTIFIER, is_compound

MAX_READ = 32_000
TURNS_READ = 8
MOST_NAMES = 8
MOST_FILES = 12
MOST_ERRORS = 2


class Need(StrEnum):
    """What a message needs of the workspace."""

    NOTHING = "nothing"
    EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True)
class ConversationQuery:
    """What is searched for, and why.

    Attributes:
        text: The text to search for.
        judged: The part of it by which is judged whether the workspace has what is asked; empty: all of it.
        need: Whether the message asks for anything a workspace could have.
        why: One sentence that says so.
        index: The message that the question stands in; -1 without one.
        parts: The message's parts, in order.
        places: Coordinates in what was pasted, the likeliest first.
        carried: Words and names that came from earlier turns.
        files: Files that the conversation has shown, opened, edited or got from a tool, latest first.
        is_of_workspace: Whether it says that it means this workspace: by a path, an identifier, a place or a word.
    """

    text: str
    judged: str = ""
    need: Need = Need.EVIDENCE
    why: str = ""
    index: int = -1
    parts: tuple[MessagePart, ...] = ()
    places: tuple[Coordinate, ...] = ()
    carried: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_of_workspace: bool = False

    def account(self) -> dict[str, Any]:
        """Return what was searched for and why, as the member ``asked`` of an answer.

        An answer lacks it where the whole message is the question and nothing else was searched.
        """
        is_plain = self.need is Need.EVIDENCE and not (self.judged or self.places)
        if is_plain and all(part.part is PartKind.QUESTION for part in self.parts):
            return {}
        return {"asked": self._account()}

    def _account(self) -> dict[str, Any]:
        return {
            "needs": self.need.value,
            "why": self.why,
            "searched": self.text,
            "judged_by": self.judged or self.text,
            "parts": [{"part": part.part.value, "text": part.text[:SHOWN]} for part in self.parts],
            "places": [{"path": one.path, "line": one.line, "symbol": one.symbol} for one in self.places],
            "carried": list(self.carried),
            "files": list(self.files),
        }


SHOWN = 160
_OF_WORKSPACE = frozenset(
    [
        "our",
        "here",
        "repo",
        "repository",
        "project",
        "codebase",
        "workspace",
        "we",
        "code",
        "module",
        "file",
        "class",
        "function",
        "method",
        "unser",
        "unserem",
        "projekt",
        "nuestro",
        "proyecto",
        "notre",
        "projet",
        "nosso",
        "projeto",
    ]
)
_PATH = re.compile(r"(?<![\w.@+~/\\-])(?:[\w.@+~-]{1,100}+/){0,12}[\w@+~-]{1,100}+\.[A-Za-z]\w{0,7}\b")
_TICKED = re.compile(r"`([^`\n]{2,120})`")


@dataclass(slots=True)
class _Carry:
    """What earlier turns contribute: their question, the names in their answers, and files, weighted by age."""

    questions: list[str] = field(default_factory=list)
    names: dict[str, float] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)


def read_question(text: str) -> ConversationQuery:
    """Return what one text asks that a person typed, without any conversation."""
    return _read(shortened(text, MAX_READ), 0, None)


def read_conversation(messages: Sequence[Any]) -> ConversationQuery | None:
    """Return what the last question of a conversation asks; None where nobody asks anything."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, dict) and message.get("role") == "user" and (own := own_words(text_of(message))):
            return _read(shortened(own, MAX_READ), index, messages[:index])
    return None


def _read(text: str, index: int, before: Sequence[Any] | None) -> ConversationQuery:
    text = text.encode("utf-8", "replace").decode()
    parts = tuple(message_parts(text))
    asking = " ".join(part.text for part in parts if part.part is PartKind.QUESTION).strip()
    pasted = "\n".join(part.text for part in parts if part.part in PASTED)
    places = coordinates(text)
    if nothing := needs_nothing(text, asking, has_paste=bool(pasted), has_places=bool(places)):
        return ConversationQuery(text.strip()[:MAX_QUESTION], need=Need.NOTHING, why=nothing, index=index, parts=parts)
    if all(part.part is PartKind.QUESTION for part in parts):
        asking = text.strip()
    errors = errors_of(pasted)[:MOST_ERRORS] if pasted else ()
    if not asking and not pasted:
        why = "the message has no question: " + ", ".join(dict.fromkeys(part.part.value for part in parts))
        return ConversationQuery(text.strip()[:MAX_QUESTION], need=Need.NOTHING, why=why, index=index, parts=parts)
    own = _content(asking)
    carry = _carried(before) if before else _Carry()
    follows = bool(carry.questions) and _follows(asking, own, has_paste=bool(pasted))
    names = _pasted_names(parts) if pasted else ()
    carried: tuple[str, ...] = ()
    judged = ""
    if follows:
        best = sorted(carry.names, key=lambda name: -carry.names[name])[:MOST_NAMES]
        carried = (*carry.questions, *best)
        judged = " ".join((*carry.questions, asking))
    searched = " ".join(part for part in (asking, *errors, *names, *carried) if part)
    if not judged and searched != asking:
        judged = asking if len(own) > 1 else " ".join((asking, *errors)).strip() or searched
    return ConversationQuery(
        shortened(searched or text.strip()),
        judged=shortened(judged),
        why=_why(parts, follows=follows, places=places),
        index=index,
        parts=parts,
        places=places,
        carried=carried,
        files=tuple(carry.files)[:MOST_FILES],
        is_of_workspace=_means_workspace(asking, places, follows=follows),
    )


def _why(parts: Sequence[MessagePart], *, follows: bool, places: Sequence[Coordinate]) -> str:
    around = dict.fromkeys(
        part.part.value for part in parts if part.part is not PartKind.QUESTION and part.part not in PASTED
    )
    pasted = dict.fromkeys(part.part.value for part in parts if part.part in PASTED)
    said = ["the follow-up is searched with the turns before it" if follows else "the question is searched"]
    if around:
        said.append(f"without {', '.join(around)}")
    if pasted:
        said.append(f"with what the {', '.join(pasted)} names")
    if places:
        said.append(f"{len(places)} places of it first")
    return ", ".join(said)


def _content(text: str) -> list[str]:
    return [word for word in words_of(text) if word not in _STOP]


def _follows(asking: str, own: Sequence[str], *, has_paste: bool) -> bool:
    """Does the question need the turns before it to say what it is about?"""
    words = words_of(asking)
    if not words:
        return not has_paste
    telling = [word for word in own if word not in BARE_VERBS and word not in FOLLOWING]
    if not telling:
        return True
    if ELLIPSES.length_at(words) and len(telling) <= 3:
        return True
    refers = any(word in FOLLOWING for word in words) or words[-1] in DEMONSTRATIVES
    refers = refers or any(
        word in DEMONSTRATIVES and following in _STOP and following not in _ARTICLES
        for word, following in pairwise(words)
    )
    if refers and (len(telling) <= 3 or next((at for at, word in enumerate(words) if word in FOLLOWING), 99) < 3):
        return True
    return words[0] in CONTINUATIONS and len(telling) <= 3


def _carried(before: Sequence[Any]) -> _Carry:
    """Collect from the earlier turns, latest first; each turn further back counts for half."""
    carry = _Carry()
    weight, turns, complete = 1.0, 0, False
    for message in reversed(before):
        if turns >= TURNS_READ or not isinstance(message, dict):
            if turns >= TURNS_READ:
                break
            continue
        role = message.get("role")
        text = text_of(message)
        _collect_calls(message, carry)
        if role == "user":
            own = shortened(own_words(text), MAX_READ)
            if own:
                turns += 1
                complete = _collect_question(own, carry, complete=complete)
                _collect_names(own, carry, weight)
                weight /= 2
        elif role in {"assistant", "tool", "function"} and text:
            _collect_names(shortened(text, MAX_READ // 4), carry, weight, only_ticked=role != "assistant")
    return carry


def _collect_question(own: str, carry: _Carry, *, complete: bool) -> bool:
    """Add an earlier question until one stands on its own; returns whether that one is reached."""
    if complete:
        return True
    parts = message_parts(own)
    asking = " ".join(part.text for part in parts if part.part is PartKind.QUESTION).strip()
    if not asking:
        return False
    content = _content(asking)
    carry.questions.append(shortened(asking, 600))
    return not _follows(asking, content, has_paste=False) or len(carry.questions) >= 3


def _collect_calls(message: Mapping[str, Any], carry: _Carry) -> None:
    """Files that tools were asked for: opened, edited, searched in."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, str):
            _collect_files(arguments[:2_000], carry)


def _collect_files(text: str, carry: _Carry) -> None:
    for found in _PATH.findall(text):
        if len(carry.files) >= 2 * MOST_FILES:
            return
        carry.files.setdefault(found.removeprefix("./"))


def _collect_names(text: str, carry: _Carry, weight: float, *, only_ticked: bool = False) -> None:
    _collect_files(text, carry)
    if only_ticked:
        return
    ticked = {name for quoted in _TICKED.findall(text) for name in IDENTIFIER.findall(quoted)}
    for name in IDENTIFIER.findall(text):
        if len(name) > 2 and (name in ticked or (is_compound(name) and not name.isupper())) and not name[0].isdigit():
            carry.names[name] = carry.names.get(name, 0.0) + weight


def _pasted_names(parts: Sequence[MessagePart]) -> tuple[str, ...]:
    """The compound names of pasted code and traces, the most frequent first."""
    counts: dict[str, int] = {}
    for part in parts:
        if part.part in {PartKind.TRACE, PartKind.CODE, PartKind.DIFF}:
            for name in IDENTIFIER.findall(part.text[:8_000]):
                if 3 < len(name) < 60 and is_compound(name) and not name.startswith("__"):
                    counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts, key=lambda name: -counts[name]))[:MOST_NAMES]


def _means_workspace(asking: str, places: Sequence[Coordinate], *, follows: bool) -> bool:
    if places or follows or _PATH.search(asking) or "`" in asking:
        return True
    if any(word in _OF_WORKSPACE for word in words_of(asking)):
        return True
    return any(
        "_" in name.strip("_") or (is_compound(name) and not name[0].isdigit()) for name in IDENTIFIER.findall(asking)
    )


_ARTICLES = frozenset(["the", "a", "an"])
_STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "anything",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "but",
        "by",
        "came",
        "can",
        "come",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "each",
        "else",
        "etc",
        "ever",
        "every",
        "for",
        "from",
        "get",
        "gets",
        "give",
        "go",
        "goes",
        "had",
        "happen",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "know",
        "let",
        "like",
        "look",
        "made",
        "make",
        "many",
        "may",
        "me",
        "might",
        "more",
        "most",
        "much",
        "must",
        "my",
        "need",
        "no",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "put",
        "say",
        "see",
        "she",
        "should",
        "show",
        "so",
        "some",
        "something",
        "still",
        "such",
        "take",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "things",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "up",
        "us",
        "want",
        "was",
        "way",
        "we",
        "well",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whose",
        "why",
        "will",
        "with",
        "without",
        "would",
        "yet",
        "you",
        "your",
        "i'm",
        "it's",
        "that's",
        "what's",
        "where's",
        "how's",
        "don't",
        "doesn't",
        "isn't",
        "can't",
        "won't",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "und",
        "oder",
        "ist",
        "sind",
        "wie",
        "wo",
        "was",
        "wird",
        "werden",
        "für",
        "mit",
        "von",
        "zu",
        "im",
        "in",
        "auf",
        "nicht",
        "auch",
        "man",
        "den",
        "dem",
        "des",
        "es",
        "el",
        "la",
        "los",
        "las",
        "un",
        "una",
        "y",
        "o",
        "es",
        "son",
        "como",
        "cómo",
        "dónde",
        "qué",
        "se",
        "de",
        "del",
        "en",
        "por",
        "para",
        "con",
        "no",
        "le",
        "les",
        "et",
        "ou",
        "est",
        "sont",
        "comment",
        "où",
        "que",
        "qui",
        "dans",
        "pour",
        "avec",
        "sur",
        "ne",
        "pas",
        "os",
        "as",
        "um",
        "uma",
        "e",
        "é",
        "são",
        "onde",
        "que",
        "no",
        "na",
        "em",
        "com",
        "não",
        "do",
        "da",
    ]
)
