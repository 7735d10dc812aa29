"""Decide what a conversation asks of the workspace: the text to search for, what it is judged by, and why.

The gate has three answers, of which two are decided here (``Need``); whether what is asked is there, the search says.
Pure: the same conversation always gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from helix_core.conversation.messages import MAX_QUESTION, own_words, shortened, text_of
from helix_core.conversation.parts import PASTED, MessagePart, PartKind, asks, message_parts, words_of
from helix_core.conversation.pasted import (
    Coordinate,
    coordinates,
    error_message,
    errors_of,
    has_values,
    log_messages,
    without_printed,
    without_values,
)
from helix_core.conversation.phrases import (
    ACK_FILLER,
    ACKNOWLEDGEMENTS,
    ARTICLES,
    BARE_VERBS,
    CONTINUATIONS,
    DEMONSTRATIVES,
    ELLIPSES,
    FOLLOWING,
    GENERIC_WORDS,
    OF_WORKSPACE,
    SOCIAL_WORDS,
    STOP_WORDS,
    WH_WORDS,
)
from helix_core.conversation.prompts import (
    OF_THE_PROJECT,
    around_asks,
    means_here,
    names_nothing,
    needs_nothing,
    system_asks,
    worldly_subjects,
)
from helix_core.conversation.subject import after_change, chosen_items
from helix_core.printable import count
from helix_core.tuples import NamedTuple
from helix_core.words import HOW_TO, HOW_TO_CUES, IDENTIFIER, SETUP_VERBS, is_compound, lazy_pattern

MAX_READ = 32_000
TURNS_READ = 8
CARRIED_READ = 32_000
MOST_NAMES = 8
MOST_FILES = 12
MOST_ERRORS = 2
PASTED_NAMES = 3
LEAST_DESCRIBING, MOST_DESCRIBED = 3, 1_200
"""Telling words of a statement that describes something, and characters of such statements that are searched for."""
# Of two characters at least: not "e.g.".
_MEMBER = lazy_pattern(r"(?<![\w./\\-])[A-Za-z_]\w{0,80}(?:\.|::|#)[A-Za-z_]\w{1,80}(?![\w/\\-]|\.\w)", cues=".|::|#")


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
        index: The message with the question; -1 without one.
        parts: The message's parts, in order.
        places: Coordinates in what was pasted, the likeliest first.
        carried: Words and names that came from earlier turns.
        discussed: Those of them that are names, for a follow-up: what the conversation is about.
        alone: The question of a follow-up that may as well stand by itself: it begins like one that goes on, and says
            what it is about.
        files: Files that the conversation has shown, opened, edited or got from a tool, latest first.
        is_of_workspace: Whether it says that it means this workspace: by a path, an identifier, a place or a word.
        may_be_general: Whether it may as well be about anything else: a message of a chat in which nothing means this
            workspace. It is answered only with what names of the index bear out.
        worldly: The words by which it is taken to be of the world and to need nothing, such as ``weather``.
        message: What its paste says that went wrong, without the kind of the error.
        of_changes: Whether it asks for what is changed here and not committed, of which it carries nothing.
        only_of_changes: Whether it asks for nothing else.
    """

    text: str
    judged: str = ""
    need: Need = Need.EVIDENCE
    why: str = ""
    index: int = -1
    parts: tuple[MessagePart, ...] = ()
    places: tuple[Coordinate, ...] = ()
    carried: tuple[str, ...] = ()
    discussed: tuple[str, ...] = ()
    alone: str = ""
    files: tuple[str, ...] = ()
    is_of_workspace: bool = False
    may_be_general: bool = False
    message: str = ""
    worldly: tuple[str, ...] = ()
    of_changes: bool = False
    only_of_changes: bool = False

    @property
    def bare_names(self) -> tuple[str, ...]:
        """Return the words of a message that may be names of code and nothing else, as a user types them into a
        search (``save``, ``message queue``, ``go version``), or the one that a question of a name's form asks for
        (``what does help do``); none for any other sentence.
        """
        asked = _ASKED_NAME.fullmatch(self.text.strip())
        if asked is not None and not self.is_formula:
            return () if asked.group(1).lower() in STOP_WORDS else (asked.group(1),)
        words = tuple(self.text.split(" "))
        low = [word.lower() for word in words]
        # "go" and "make" are programs as well as verbs, and the name of one comes before what it does.
        others = low[1:] if low[0] in _PROGRAMS else low
        is_sentence = len(words) > MOST_BARE or (
            len(words) > 1 and (self.is_formula or not STOP_WORDS.isdisjoint(others))
        )
        return () if is_sentence or not all(map(str.isidentifier, words)) else words

    @property
    def code_names(self) -> tuple[str, ...]:
        """Return the identifiers of a short message of one line that are written as only code writes them; none of a
        longer one: a client writes its own, and what it carries has names too.
        """
        text = self.text.strip()
        if len(text) > SHORT_MESSAGE or "\n" in text:
            return ()
        return tuple(dict.fromkeys(name for name in IDENTIFIER.findall(text) if _is_of_code(name)))

    @property
    def bare_number(self) -> str:
        """Return the number or version that is the whole first message, "" for another: a later one answers, "2"."""
        found = _BARE_NUMBER.fullmatch(self.text.strip()) if self.index <= 1 else None
        return found[1] if found else ""

    @property
    def is_bare_step(self) -> bool:
        """Whether the message opens a conversation and is one word that says to go on, as ``retry`` or ``next``: it may
        be typed into a search for what is called so, in whatever case.
        """
        kinds = {part.part for part in self.parts}
        return self.index <= 1 and len(self.bare_names) == 1 and kinds == {PartKind.ACKNOWLEDGEMENT}

    @property
    def is_formula(self) -> bool:
        """Whether the message is a greeting, thanks or the like, which a name has to be written as to be meant."""
        return any(part.part is not PartKind.QUESTION for part in self.parts)

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


_SAYS = {kind: kind.value for kind in PartKind} | {
    PartKind.GREETING: "a greeting",
    PartKind.ACKNOWLEDGEMENT: "an acknowledgement",
    PartKind.SIGNATURE: "a signature",
    PartKind.INTRODUCTION: "who writes it",
    PartKind.STYLE: "how to answer",
    PartKind.ENVIRONMENT: "where it runs",
    PartKind.TICKET: "a ticket's number",
    PartKind.REPORT: "a call for help",
    PartKind.CONTEXT: "a statement",
    PartKind.QUOTE: "a quotation",
}
"""What the parts of a message are called in a sentence to the user."""
SHOWN = 160
_BARE_NUMBER = lazy_pattern(r"(?i)(?:version |v|#)?(\d[\d.:]{2,30})", cues="|".join("0123456789"))
MOST_BARE = 3
SHORT_MESSAGE = 300
SHORT_WIDE = 18
_PATH = re.compile(r"(?<![\w.@+~/\\-])(?:[\w.@+~-]{1,100}+/){0,12}[\w@+~-]{1,100}+\.[A-Za-z]\w{0,7}\b")
_ASKED_NAME = lazy_pattern(
    r"(?:(?:what|how|when|why) (?:does|do|did|is|are)|where is) (?:the |an? )?([^\W\d]\w{1,60})"
    r"(?: (?:do|work|mean|for|called|used|defined|implemented|handled|run|happen))\s?\??",
    re.IGNORECASE,
)
_ITS_FEATURE = lazy_pattern(
    r"\b(?:does|do|did|can|could|will|is|are) (?:it|this|they) "
    r"(?:also |already |still |really |even |currently )?"
    r"(?:support|have|use|handle|provide|implement|allow|offer|include|contain|need|require|depend|work (?:with|on)"
    r"|run (?:with|on)|come with|able to|based on|compatible with|written in)\b"
    r"|\bis there (?:any |already |also )?support for\b"
    r"|\bcan (?:i|we|you|one) (?:also )?use (?:it|this) (?:with|for|from|in)\b",
    re.IGNORECASE,
    cues=" it | this | they |support for",
)
"""With nothing before it, "does it support graphql?" can ask of nothing but the workspace."""
_OF_WHAT_IS_THERE = lazy_pattern(
    r"\A\W{0,3}(?:(?:ok|okay|alright|cool|great|good|nice|right|sure|yes|yeah|thanks)[,.!]? ){1,3}"
    r"(?=(?:is|are) there )",
    re.IGNORECASE,
    cues="is there |are there ",
)
_ITS_WAY = lazy_pattern(
    r"\A\W{0,3}(?:how|where|when|which \w{2,20}) (?:does|do|will|can) (?:it|this) (?!feel\b|work\b|look\b)\w",
    re.IGNORECASE,
    cues=" it | this ",
)
_OF_CHANGES = lazy_pattern(
    r"\b(?:review|check|look (?:at|over|through)|go (?:over|through)|explain|audit|verify|inspect|summari[sz]e|describe"
    r"|(?:bugs?|problems?|issues?|mistakes?|wrong) (?:with|in))\b[^.?!\n]{0,30}?"
    r"\b(?:my|our|these|uncommitted|unstaged|staged|local|pending|working|current)\b "
    r"(?:(?:uncommitted|unstaged|staged|local|pending|working|current|latest|recent) ){0,2}"
    r"(?:changes|diff|edits|working (?:tree|copy)|modifications)\b(?! (?:to|in|of|between)\b)"
    r"|\bwhat (?:did|have) (?:i|we) (?:just )?changed?\b(?! (?:to|in|of|between)\b)",
    re.IGNORECASE,
    cues="changes|diff|edits|tree|copy|modifications|i change|we change|just change",
)
_PROGRAMS = frozenset({"go", "make"})
MOST_BESIDE = 2
"""Most telling words beside a wish to see the changes that still ask for nothing else."""
LEAD_READ = 120
"""Characters of a question in which words may stand that only lead over to it."""
_LEADS = frozenset(CONTINUATIONS | ACK_FILLER) | {"alright", "actually", "basically", "next", "hm", "uh", "um"}
_TICKED = re.compile(r"`([^`\n]{2,120})`")


@dataclass(slots=True)
class _Carry:
    """What earlier turns contribute: their question, the names in their answers, and files, weighted by age."""

    questions: list[str] = field(default_factory=list)
    names: dict[str, float] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    is_idle: bool = False
    """Whether the latest turn with words of its own needs nothing of the workspace."""
    room: dict[bool, int] = field(default_factory=lambda: {True: CARRIED_READ, False: CARRIED_READ})
    """How many characters are still read: of what tools returned, and of what was said."""

    def take(self, text: str, most: int, *, of_tool: bool) -> str:
        """Return as much of the text as is still read."""
        taken = shortened(text, min(most, self.room[of_tool]))
        self.room[of_tool] -= len(taken)
        return taken if self.room[of_tool] >= 0 else ""


def read_question(text: str) -> ConversationQuery:
    """Return what one text asks that a person typed, without any conversation."""
    return _read(shortened(text, MAX_READ), 0, None)


def read_conversation(messages: Sequence[Any]) -> ConversationQuery | None:
    """Return what the last question of a conversation asks; None where nothing is asked."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, dict) and message.get("role") == "user" and (own := own_words(text_of(message))):
            if why := system_asks(_system(messages)) or around_asks(text_of(message), own):
                return _nothing(own, why, index)
            return _read(shortened(own, MAX_READ), index, messages[:index])
    return None


def _system(messages: Sequence[Any]) -> str:
    """Return the prompt that the client set before the chat."""
    first = messages[0] if messages and isinstance(messages[0], dict) else {}
    return text_of(first).strip() if first.get("role") in {"system", "developer"} else ""


def _nothing(text: str, why: str, index: int, parts: tuple[MessagePart, ...] = ()) -> ConversationQuery:
    return ConversationQuery(text.strip()[:MAX_QUESTION], need=Need.NOTHING, why=why, index=index, parts=parts)


def _read(text: str, index: int, before: Sequence[Any] | None) -> ConversationQuery:
    text = text.encode("utf-8", "replace").decode()
    if before and (changed := after_change(text)) is not None:
        if not changed:
            why = "the message says that the subject is a new one, and not which"
            return _nothing(text, why, index)
        text, before = changed, ()
    if before and (items := chosen_items(text, _last_answer(before))):
        return _of_items(items, text, index, _carried(before))
    parts, places = tuple(message_parts(text)), coordinates(text)
    asking, has_paste = _without_lead(_asking(parts)), any(part.part in PASTED for part in parts)
    if nothing := needs_nothing(text, asking, has_paste=has_paste, has_places=bool(places)):
        return replace(_nothing(text, nothing, index, parts), worldly=worldly_subjects(asking))
    own = _message_content(text, parts, places)
    carry = _carried(_from_start(before) if _TO_THE_START.search(text) else before) if before else _Carry()
    if why := _unsearchable(own, carry):
        return _nothing(text, why, index, parts)
    follows = bool(carry.questions) and _follows(own.said, has_paste=has_paste)
    best = sorted(carry.names, key=lambda name: -carry.names[name])[:MOST_NAMES] if follows else []
    carried = (*carry.questions, *best) if follows else ()
    searched = _searched_text(own, carried)
    judged = _judged_text(own, carry.questions if follows else ())
    judged = "" if judged == searched else judged or searched
    changes = None if has_paste or places else _OF_CHANGES.search(own.asking[:SHORT_MESSAGE])
    return ConversationQuery(
        shortened(searched or text.strip()),
        judged=shortened(judged),
        why=_why(parts, follows=follows, places=places),
        index=index,
        parts=parts,
        places=places,
        carried=carried,
        discussed=tuple(best),
        alone=own.asking if follows and (own.is_feature or _may_stand_alone(own.asking)) else "",
        files=tuple(carry.files)[:MOST_FILES],
        is_of_workspace=_is_of_workspace(own, carry.questions, follows=follows),
        message=error_message(own.errors[0]) if own.errors else "",
        of_changes=changes is not None,
        only_of_changes=changes is not None and _asks_little(own.asking, changes),
        may_be_general=before is not None
        and not (follows or has_paste or own.is_printed or places or means_here(own.asking)),
    )


class _MessageContent(NamedTuple):
    """What a message says by itself, whatever came before it.

    Attributes:
        parts: The message's parts, in order.
        places: Coordinates in what was pasted.
        asking: The sentences that ask, without what a program printed.
        stated: The statements beside them.
        errors: What a paste says that went wrong.
        logged: The run of words that tells it best, where log lines or a printed message alone tell it.
        has_paste: Whether it carries code, a trace, a log or the like.
        is_printed: Whether a program printed the question itself, with values in it.
        is_complete: Whether the question says what it is about and refers to nothing else.
        is_feature: Whether it asks for a feature of the project, whatever earlier turns were about: "does it have an
            ORM?".
    """

    parts: tuple[MessagePart, ...]
    places: tuple[Coordinate, ...]
    asking: str
    stated: tuple[str, ...]
    errors: tuple[str, ...]
    logged: str
    has_paste: bool
    is_printed: bool
    is_complete: bool
    is_feature: bool

    @property
    def context(self) -> str:
        """Return the statements as one text."""
        return " ".join(self.stated)

    @property
    def said(self) -> str:
        """Return the statements and the question behind them."""
        return f"{self.context} {self.asking}".strip()


def _message_content(text: str, parts: tuple[MessagePart, ...], places: tuple[Coordinate, ...]) -> _MessageContent:
    has_paste = any(part.part in PASTED for part in parts)
    is_plain = all(part.part is PartKind.QUESTION for part in parts)
    asking = _without_lead(_lowercase_caps(text.strip()) if is_plain else _asking(parts))
    errors, logged = _errors(parts) if has_paste else ((), "")
    if is_printed := not has_paste and has_values(asking):
        runs = () if asks(asking) else without_values(asking)
        asking, logged = (" ".join(runs), runs[0]) if runs else (without_printed(asking), "")
    stated = tuple(part.text for part in parts if part.part is PartKind.CONTEXT)
    telling = bool(_telling(asking))
    return _MessageContent(
        parts,
        places,
        asking,
        stated,
        errors,
        logged,
        has_paste,
        is_printed,
        is_complete=telling and not _refers(asking, is_open=True),
        is_feature=telling and _ITS_FEATURE.match(asking) is not None,
    )


def _unsearchable(own: _MessageContent, carry: _Carry) -> str:
    """Return why a message gives nothing to search for, as a clause; empty where it does."""
    if not own.asking and not own.has_paste:
        said = dict.fromkeys(_SAYS[part.part] for part in own.parts)
        return "the message has no question, only " + " and ".join(said)
    if not (carry.questions or own.has_paste or own.places) and (why := _lacks_subject(own.said)):
        return why
    if carry.is_idle and not carry.questions and not own.has_paste and _follows(own.asking, has_paste=False):
        return "the message follows a turn that needs nothing of the workspace"
    return ""


def _searched_text(own: _MessageContent, carried: Sequence[str]) -> str:
    """Return what is searched for: the question, what describes it, what a paste names, and what earlier turns said."""
    needs_context = not own.is_complete or len(_content(own.asking)) < 3 or _names_code(own.context)
    described = own.context if needs_context else _describing(own.stated)
    names = _pasted_names(own.parts) if own.has_paste else ()
    return " ".join(part for part in (own.asking, described, *own.errors, *names, *carried) if part)


def _judged_text(own: _MessageContent, earlier: Sequence[str]) -> str:
    """Return what an answer is judged by; ``earlier`` are the questions that a follow-up refers to."""
    if earlier and not own.is_feature:
        return " ".join((*earlier, own.asking) if len(_telling(own.asking)) > 1 else earlier[-1:])
    if earlier:
        return own.asking
    if own.logged and (own.is_printed or not own.is_complete):
        return own.logged
    return own.asking if own.is_complete else " ".join(part for part in (own.asking, own.context, *own.errors) if part)


def _is_of_workspace(own: _MessageContent, earlier: Sequence[str], *, follows: bool) -> bool:
    """Return whether the question says that it means this workspace; ``earlier`` are the questions before it."""
    if own.is_feature or _means_workspace(" ".join((own.asking, *earlier)) if follows else own.asking, own.places):
        return True
    if earlier:
        return False
    # With nothing before it, "it" is the project.
    return bool(_ITS_FEATURE.match(own.asking) or _ITS_WAY.match(own.asking) or _asks_to_run(own.asking))


def _last_answer(before: Sequence[Any]) -> str:
    """Return the text of the answer that a message replies to."""
    answers = (text_of(one) for one in reversed(before) if isinstance(one, dict) and one.get("role") == "assistant")
    return next(answers, "")


def _of_items(items: Sequence[str], text: str, index: int, carry: _Carry) -> ConversationQuery:
    """Return what a message asks that picks items of the list before it: these, and the question they answer."""
    said = " ".join(items)
    of_code = _names_code(said)
    if not (carry.questions or of_code):
        why = "the message picks an item of a list that needs nothing of the workspace"
        return _nothing(text, why, index)
    files = dict.fromkeys((*(found.group().removeprefix("./") for found in _PATH.finditer(said)), *carry.files))
    searched = shortened(" ".join((said, *carry.questions[:1])))
    return ConversationQuery(
        searched,
        judged=said if of_code and said != searched else "",
        why=f"the message picks {count(len(items), 'item')} of the list before it",
        index=index,
        parts=(MessagePart(PartKind.QUESTION, text.strip()),),
        places=coordinates(said),
        carried=(*items, *carry.questions[:1]),
        files=tuple(files)[:MOST_FILES],
        is_of_workspace=True,
    )


def _errors(parts: Sequence[MessagePart]) -> tuple[tuple[str, ...], str]:
    """Return what a paste says that went wrong, and, where only log lines say it, the run of words that tells it."""
    errors = errors_of("\n".join(part.text for part in parts if part.part in PASTED and part.part is not PartKind.LOG))
    logged = log_messages("\n".join(part.text for part in parts if part.part is PartKind.LOG))
    said = (*errors, *map(" ".join, logged))[:MOST_ERRORS]
    return said, logged[0][0] if logged and not errors else ""


def _lacks_subject(said: str) -> str:
    """Return why a message with nothing before it lacks what it is about, as a clause; empty where it says that."""
    if names_nothing(said) and not (_TICKED.search(said) or _MEMBER.search(said)):
        return "the message names nothing to look for"
    if _asks_to_run(said):
        return ""
    if _refers(said) and _NAMES_NOTHING.issuperset(words_of(said)) and not _names_code(said):
        return "the message refers to something said before it, and nothing was"
    return ""


def _asks_to_run(text: str) -> bool:
    """Return whether a text asks how to set up, run or test the project."""
    return bool(_ASKS_TO_RUN.search(text) or OF_THE_PROJECT.search(text))


def _asking(parts: Sequence[MessagePart]) -> str:
    """Return the sentences that ask; one without any content counts only where no other asks."""
    texts = [part.text for part in parts if part.part is PartKind.QUESTION]
    # "Explain it step by step" is a wish about style only next to a question.
    texts = texts or [part.text for part in parts if part.part is PartKind.STYLE and _refers(part.text)]
    return " ".join([_lowercase_caps(text) for text in texts if _content(text)] or texts).strip()


def _asks_little(asking: str, found: re.Match[str]) -> bool:
    """Return whether a question has hardly anything beside what was found in it: ``review my changes for typos``."""
    rest = f"{asking[: found.start()]} {asking[found.end() :]}"
    return len(_telling(rest)) <= MOST_BESIDE and WH_WORDS.isdisjoint(words_of(rest)) and not _names_code(rest)


def _without_lead(asking: str) -> str:
    """Return a question for a feature without what leads over to it, as "does it support http/2?" of "ok and does it
    support http/2?": what the project has does not depend on how one comes to ask.
    """
    found = _ITS_FEATURE.search(asking[:LEAD_READ])
    if found is None:
        found = _OF_WHAT_IS_THERE.match(asking)
        return asking if found is None else asking[found.end() :]
    lead = words_of(asking[: found.start()])
    is_lead = _LEADS.issuperset(lead) or ACKNOWLEDGEMENTS.covers(lead, _LEADS)
    return asking[found.start() :] if is_lead else asking


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
        said.append(f"{count(len(places), 'place')} of it first")
    return ", ".join(said)


def _describing(stated: Sequence[str]) -> str:
    """Return the statements that describe what is asked for, as "a gateway answers 414" before "where is that cut?".

    "I started this week" describes nothing. Of many statements those nearest to the end count, where people ask.
    """
    kept: list[str] = []
    left = MOST_DESCRIBED
    for sentence in reversed(dict.fromkeys(stated)):
        if len([word for word in _telling(sentence) if "'" not in word]) < LEAST_DESCRIBING:
            continue
        if (left := left - len(sentence)) < 0:
            break
        kept.append(sentence)
    return " ".join(reversed(kept))


def _content(text: str) -> list[str]:
    return [word for word in words_of(text) if word not in STOP_WORDS]


def _follows(asking: str, *, has_paste: bool) -> bool:
    """Does the question need the turns before it to say what it is about?"""
    words = words_of(asking)
    if not words:
        return not has_paste
    telling = _telling(asking)
    if not telling or _is_short_wide(asking):
        return not _names_code(asking)
    if ELLIPSES.length_at(words) and len(telling) <= 3:
        return True
    # An order with one word of its own works on what was spoken of: "remove the duplication", "no, I meant the setter".
    if len(telling) == 1 and words[0] not in _INFORMING and not any(word in WH_WORDS for word in words):
        return not _names_code(asking) and len(words) > 1
    first = next((at for at, word in enumerate(words) if word in FOLLOWING), len(words))
    if _refers(_first_clause(asking)) and (len(telling) <= 4 or first < 3):
        return not _names_its_subject(asking)
    return words[0] in CONTINUATIONS and len(telling) <= 4


def _may_stand_alone(asking: str) -> bool:
    """Does a follow-up only begin like one, and say what it is about: ``and how do sub-apps inherit settings?``"""
    words = words_of(asking)
    is_elliptic = bool(ELLIPSES.length_at(words)) or _refers(asking)
    named = [word for word in words if word not in _OF_ANY_CODE]
    return len(named) > 1 and not is_elliptic and words[0] in CONTINUATIONS and asks(asking)


def _is_short_wide(text: str) -> bool:
    """Is the text a few signs of a script without spaces, which name nothing as code does?"""
    bare = text.strip(" 。？！?!.,、，")
    return (
        0 < len(bare) <= SHORT_WIDE and not bare.isascii() and not any(one.isascii() and one.isalnum() for one in bare)
    )


def _lowercase_caps(text: str) -> str:
    """Return shouted text in lower case: capitals throughout name nothing."""
    return text.lower() if text.isupper() and text.count(" ") >= 3 and "_" not in text else text


_TO_THE_START = re.compile(
    r"\b(?:(?:my|the|your) (?:very )?(?:first|original|initial) (?:question|one|thing|topic|problem|message)"
    r"|(?:first|start|began|begin) (?:thing )?(?:i|we) (?:asked|started|talked)|(?:at|from|to|in) the"
    r" (?:very )?(?:beginning|start)"
    r"|what (?:i|we) (?:asked|started with|talked about) (?:first|initially|originally))\b",
    re.IGNORECASE,
)


def _first_clause(text: str) -> str:
    """Return the text up to an ``and`` whose pronouns may refer to what is named before it; all of it elsewhere."""
    before, joined, _ = text.partition(" and ")
    return before if joined and len(_telling(before)) >= 2 else text


def _names_its_subject(text: str) -> bool:
    """Does the text first name what its pronoun refers to: ``item pipelines, where are they opened``?"""
    named, comma, rest = text.partition(",")
    words = words_of(rest)
    is_named = bool(_telling(named)) and (STOP_WORDS - ARTICLES).isdisjoint(words_of(named))
    return bool(comma) and is_named and bool(words) and words[0] in WH_WORDS | {"is", "are", "does", "do", "can"}


def _telling(text: str) -> list[str]:
    """Return the words that say what a question is about."""
    return [word for word in words_of(text) if word not in _TELLS_NOTHING]


def _refers(text: str, *, is_open: bool = False) -> bool:
    """Does a pronoun refer to something? With ``is_open`` only for something that the text itself does not name."""
    words = words_of(text)
    for at, word in enumerate(words):
        if is_open and word not in _NAMES_NOTHING:
            return False
        following = words[at + 1] if at + 1 < len(words) else ""
        if is_open and word in _COMPARING:
            continue
        if word in FOLLOWING or (word in DEMONSTRATIVES and _points_back(words[at - 1] if at else "", word, following)):
            return True
    return False


_INFORMING = frozenset(
    {"explain", "show", "find", "list", "describe", "tell", "is", "are", "does", "do", "has", "have"}
)
# United once: a long message asks these of every word.
_UNNAMING = STOP_WORDS | BARE_VERBS
_NAMES_NOTHING = _UNNAMING | FOLLOWING
_ASKS_TO_RUN = lazy_pattern(
    rf"\b{HOW_TO}(?:{SETUP_VERBS}|test) (?:this|it)(?: locally| here)?\W*\Z", re.IGNORECASE, cues=HOW_TO_CUES
)
"""With nothing said before it, the project is meant."""
_OF_ANY_CODE = _NAMES_NOTHING | GENERIC_WORDS
_TELLS_NOTHING = _OF_ANY_CODE | SOCIAL_WORDS
_WORKSPACES = OF_WORKSPACE - {"code", "file", "module", "class", "function", "method"}
_COMPARING = frozenset({"same", "above", "former", "latter", "one", "ones", "here"})


def _points_back(before: str, word: str, following: str) -> bool:
    """Does ``that``, ``this`` … refer to something said before, rather than open a clause or mean the workspace?"""
    if following in ARTICLES or following in _WORKSPACES:
        return word == "such"
    if not following or following in STOP_WORDS:
        return word != "such"
    return word in {"this", "such"} or (word == "that" and (not before or before in _UNNAMING))


def _from_start(before: Sequence[Any]) -> Sequence[Any]:
    """Return the turns up to the answer of the first question."""
    asked = [at for at, one in enumerate(before) if isinstance(one, dict) and one.get("role") == "user"]
    return before[: asked[1]] if len(asked) > 1 else before


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
                changed = after_change(own)
                own = own if changed is None else changed
                complete = _collect_question(own, carry, complete=complete)
                _collect_names(carry.take(own, MAX_READ, of_tool=False), carry, weight)
                weight /= 2
                if changed is not None:
                    break
        elif role == "assistant" and text:
            _collect_names(carry.take(text, MAX_READ // 4, of_tool=False), carry, weight)
        elif role in {"tool", "function"} and text:
            _collect_files(carry.take(text, MAX_READ // 4, of_tool=True), carry)
    return carry


def _collect_question(own: str, carry: _Carry, *, complete: bool) -> bool:
    """Add an earlier question until one is complete by itself; return whether that one is reached."""
    if complete:
        return True
    parts = message_parts(own)
    asking = _without_lead(_asking(parts))
    if any(part.part in PASTED for part in parts):
        # A paste says what it is about, whatever is asked of it.
        errors, _ = _errors(parts)
        told = " ".join((asking, *errors, *_pasted_names(parts)[:PASTED_NAMES])).strip()
        carry.questions.extend([shortened(told, 600)] if told else [])
        return True
    if _telling(asking) and needs_nothing(own, asking, has_paste=False, has_places=False):
        carry.is_idle = carry.is_idle or not carry.questions
        return False
    # A turn that itself only leans on those before it adds nothing to them.
    if not _telling(asking) or _is_short_wide(asking):
        return False
    carry.questions.append(shortened(asking, 600))
    return not _follows(asking, has_paste=False) or len(carry.questions) >= 3


def _collect_calls(message: Mapping[str, Any], carry: _Carry) -> None:
    """Files that tools were asked for: opened, edited, searched in."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, str):
            _collect_files(arguments[:2_000], carry)


def _collect_files(text: str, carry: _Carry) -> None:
    if len(carry.files) >= 2 * MOST_FILES:
        return
    for found in _PATH.finditer(text):
        carry.files.setdefault(found.group().removeprefix("./"))
        if len(carry.files) >= 2 * MOST_FILES:
            return


def _collect_names(text: str, carry: _Carry, weight: float) -> None:
    _collect_files(text, carry)
    ticked = {name for quoted in _TICKED.findall(text) if "/" not in quoted for name in IDENTIFIER.findall(quoted)}
    for name in IDENTIFIER.findall(_PATH.sub(" ", text)):
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


def _means_workspace(asking: str, places: Sequence[Coordinate]) -> bool:
    is_said = any(word in OF_WORKSPACE for word in words_of(asking))
    return bool(places) or is_said or _names_code(asking)


def _names_code(text: str) -> bool:
    """Does the text have a path, a quoted name, or an identifier as only code has it?"""
    if "`" in text or _PATH.search(text):
        return True
    return any(map(_is_of_code, set(IDENTIFIER.findall(text[:MAX_QUESTION]))))


def _is_of_code(name: str) -> bool:
    return "_" in name.strip("_") or (not name.islower() and _has_inner_capital(name))


def _has_inner_capital(name: str) -> bool:
    return not name.isupper() and name[1:] != name[1:].lower() and is_compound(name)
