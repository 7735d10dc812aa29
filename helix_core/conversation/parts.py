"""Divide a message into its parts: what it asks, what it pastes, and what only surrounds the question.

Works by structure first (lines, fences, sentences, clauses), then by the lists of ``phrases``. What no rule
recognizes is part of the question. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from helix_core.conversation.messages import MAX_QUESTION
from helix_core.conversation.pasted import PastedBlock, split_pasted
from helix_core.conversation.phrases import (
    ACK_FILLER,
    ACKNOWLEDGEMENTS,
    ASIDES,
    CLOSINGS,
    CONTINUATIONS,
    ENVIRONMENT_JOINERS,
    ENVIRONMENT_OPENERS,
    ENVIRONMENTS,
    GREETINGS,
    INTERJECTIONS,
    INTERROGATIVES,
    INTRODUCTIONS,
    LABELS,
    REPORT_FILLER,
    REPORTING,
    ROLES,
    STOP_WORDS,
    STYLE_CORE,
    STYLE_WORDS,
    THANKS,
    THANKS_FILLER,
    VOCATIVES,
    WH_WORDS,
    WIDE_ACKNOWLEDGEMENTS,
    WIDE_CLOSINGS,
    WIDE_OPENINGS,
    WIDE_PARTICLES,
)
from helix_core.tuples import NamedTuple
from helix_core.words import is_compound, lazy_pattern, words_in


class PartKind(StrEnum):
    """What a part of a message is."""

    QUESTION = "question"
    GREETING = "greeting"
    THANKS = "thanks"
    ACKNOWLEDGEMENT = "acknowledgement"
    SIGNATURE = "signature"
    INTRODUCTION = "introduction"
    STYLE = "style"
    ENVIRONMENT = "environment"
    TICKET = "ticket"
    REPORT = "report"
    CONTEXT = "context"
    TRACE = "trace"
    DIFF = "diff"
    LOG = "log"
    CODE = "code"
    QUOTE = "quote"


PASTED = frozenset({PartKind.TRACE, PartKind.DIFF, PartKind.LOG, PartKind.CODE, PartKind.QUOTE})


class MessagePart(NamedTuple):
    """A part of a message, in the message's order."""

    part: PartKind
    text: str


_LINE_ALONE = re.compile(r"\b(?:at |on |in )?lines? \d{1,7}(?:\s?-\s?\d{1,7})?\b", re.IGNORECASE)
_WIDE_MARK = re.compile(r"[，、,。！!？ 　]")
# Runs of one character class and bounded repeats only: none of these backtracks on hostile text.
_WORD = re.compile(r"[^\W_][\w'’+]*+(?:-[^\W_][\w'’]*+)*+")
_SENTENCE_END = re.compile(r"[.!?…]++[\"')\]]*+(?=\s|$)|\s(?=[¿¡])|[。！？]++|\n++|;(?=\s)")
_TICKET_NAMES = r"(?i:ticket|issue|jira|bug|pr|pull request|task|story|case|incident|ref|see)"
_TICKET_ID = r"(?:[A-Z][A-Z0-9]{1,9}-\d{1,7}|[A-Z]{2,5}\d{5,10})"
_TICKET = re.compile(
    rf"[(\[](?:{_TICKET_NAMES}s?[:.\s]{{1,3}}){{0,2}}(?:#\d{{1,8}}|{_TICKET_ID}|(?<=\s)\d{{2,8}})[)\]]"
    rf"|\b{_TICKET_NAMES}(?: no\.?| number| nr\.?)?[:\s]{{0,2}}(?:#\d{{1,8}}|{_TICKET_ID})\b"
    rf"|(?<![\w/#.-]){_TICKET_ID}\b(?![.\w-])|(?<![\w/#&])#\d{{2,8}}\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|(?<=\s)(?:in |on |with |of |for |since )?(?:v\d{1,4}(?:\.\d{1,5}){0,3}"
    r"|(?i:version) \d{1,4}(?:\.\d{1,5}){0,3})\b(?![./\w])"
)
_VERSIONED = lazy_pattern(r"(?i)(?:(?:in|on|with|of|for|since) )?(?:v|version )\d{1,4}(?:\.\d{1,5}){1,3}", cues=".")
_OF_A_RELEASE = lazy_pattern(
    r"(?i)\b(?:chang(?:e[ds]?|ing)|changelogs?|release notes?|new|news|added|fixed|removed|dropped|deprecated"
    r"|introduced|broke|breaking|upgrad\w{1,4}|migrat\w{1,4}|releases?|released)\b"
)
"""Asks for what a version brought: the version is what is asked for, and not where the question came up."""
_STANDARDS = frozenset(
    [
        "utf",
        "iso",
        "sha",
        "rfc",
        "pep",
        "md",
        "http",
        "tls",
        "aes",
        "ipv",
        "base",
        "latin",
        "cp",
        "windows",
        "koi",
        "big",
        "gpt",
        "py",
        "ascii",
        "cve",
        "es",
        "ecma",
        "ansi",
        "ieee",
        "rsa",
        "ed",
        "x",
        "argon",
        "pbkdf",
        "hs",
        "rs",
        "ps",
        "us",
        "en",
        "mp",
        "h",
        "sm",
        "gb",
        "ucs",
        "ean",
        "isbn",
        "crc",
        "int",
        "uint",
        "float",
        "bit",
        "ubuntu",
        "python",
    ]
)
_IDENTIFIER_FRAGMENT = re.compile(r"(?:[\w.-]{1,20}[=:]\s{0,2})?v?[\w.#-]{0,40}\d[\w.#-]{0,40}")
_SIGNED = re.compile(r"(?:^|\s)(?:--|—|–|~)\s{0,3}((?:[^\W\d_a-z][\w.'’]{0,30}\s?){1,3})$")
AS_CODE = lazy_pattern(r"`\S|\w\(\)|\{[{%]|</?[A-Za-z][\w-]{0,30}/?>", cues="`|()|{{|{%|<")
"""Signs that stand around words only in code: ``{{ super() }}`` is no praise."""
_TALKED_TO = re.compile(r"^@[\w-]{2,30}[,:]?\s")
_LAST_NUMBER = re.compile(r"(?<=\s)(?:\d{5,12}|[\w.-]{1,20}=[\w.-]{0,40}\d[\w.-]{0,40})$")
_BARE_GREETINGS = frozenset({"hi", "hey", "hello", "hallo", "hola", "moin"})
_ONLY_BEFORE_A_NAME = frozenset(["dear", "cher", "chère", "caro", "cara", "liebe", "lieber", "morning", "evening"])
_CALLS_FOR_HELP = frozenset(["please", "pls", "plz", "help", "urgent", "asap", "sos", "anyone", "anybody", "needed"])
_STYLE_OPENERS = frozenset({"please", "pls", "plz", "bitte", "answer", "respond", "reply", "be"})
MOST_ENVIRONMENT, MOST_AFTER_ONE_WORD = 8, 5
"""Telling words behind "I'm on" and behind a mere "on", with which a sentence still says no more than where it runs."""
MOST_SENTENCES = 400
# People greet, thank, sign and say where they work at the ends of what they write: a sentence further in is left whole.
EDGE = 8
# No more than this is searched for, so no more is divided.
MOST_PROSE = MAX_QUESTION


def message_parts(text: str) -> list[MessagePart]:
    """Return the parts of one message of at most some tens of thousands of characters."""
    parts: list[MessagePart] = []
    for block in _bounded(split_pasted(text)):
        if block.kind:
            parts.append(MessagePart(PartKind(block.kind), block.text))
        else:
            parts.extend(_prose_parts(block.text))
    return parts


def _bounded(blocks: Sequence[PastedBlock]) -> list[PastedBlock]:
    """Return the blocks with ``MOST_PROSE`` characters of prose at most: those at both ends of the message."""
    total = sum(len(block.text) for block in blocks if not block.kind)
    if total <= MOST_PROSE:
        return list(blocks)
    kept: list[PastedBlock] = []
    at, half = 0, MOST_PROSE // 2
    for block in blocks:
        if block.kind:
            kept.append(block)
            continue
        head = block.text[: max(0, half - at)]
        tail = block.text[max(len(head), total - half - at) :]
        if rest := "\n".join(part for part in (head, tail) if part.strip()):
            kept.append(PastedBlock("", rest))
        at += len(block.text)
    return kept


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, with the typographic apostrophe as the plain one."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def sentences_of(text: str) -> list[str]:
    """Return the sentences of prose, each with its mark; a line's end also ends one."""
    sentences, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        if sentence := text[start : end.end()].strip():
            sentences.append(sentence)
        start = end.end()
        if len(sentences) >= MOST_SENTENCES:
            break
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _prose_parts(text: str) -> list[MessagePart]:
    if _is_name_or_path(text):
        return [MessagePart(PartKind.QUESTION, text.strip())]
    parts: list[MessagePart] = []
    sentences = sentences_of(text)
    for number, sentence in enumerate(sentences):
        if _signs_off(sentences[number:]) and any(part.part is not PartKind.GREETING for part in parts):
            parts.extend(MessagePart(PartKind.SIGNATURE, one) for one in sentences[number:])
            break
        if EDGE <= number < len(sentences) - EDGE:
            parts.append(MessagePart(PartKind.QUESTION, sentence))
        else:
            parts.extend(_divide(sentence, is_last=number >= len(sentences) - 2, after=parts))
    return _with_context(parts)


def _signs_off(sentences: Sequence[str]) -> bool:
    """Do the sentences begin with a closing formula, and is the rest short lines as of a signature?"""
    words = words_of(sentences[0])
    is_formula = CLOSINGS.length_at(words) == len(words) > 0 and words[0] != "cheers"
    return is_formula and len(sentences) <= 6 and all(len(one) <= 80 and "?" not in one for one in sentences[1:])


def _with_context(parts: Sequence[MessagePart]) -> list[MessagePart]:
    """Mark the sentences that state something next to one that asks."""
    asking = [part.part is PartKind.QUESTION and asks(part.text) for part in parts]
    if not any(asking):
        return list(parts)
    return [
        MessagePart(PartKind.CONTEXT, part.text) if part.part is PartKind.QUESTION and not is_asking else part
        for part, is_asking in zip(parts, asking, strict=True)
    ]


def asks(sentence: str) -> bool:
    """Return whether a sentence is a question or an order: by its mark, or by its first words."""
    bare = sentence.rstrip(" \"')]")
    if bare.endswith(("?", "？", "か。", "か", "吗", "呢", "吗。")):
        return True
    words = words_of(sentence)
    while words and (words[0] in CONTINUATIONS | {"please", "now", "well", "ok"} or _is_number(words[0])):
        words = words[1:]
    # "If it is complicated, I'll ask again" asks nothing; "if x is None, what happens" does.
    if words and words[0] in {"if", "whether"}:
        return any(word in WH_WORDS and word not in {"when", "who", "which"} for word in words[1:])
    return bool(words) and words[0] in INTERROGATIVES


def _is_number(word: str) -> bool:
    """Return whether the word numbers a question: "1) how is it done 2) where"."""
    return word.isdigit() and len(word) < 3


def _is_name_or_path(text: str) -> bool:
    """Is the text one token as only code has it, or quoted whole?"""
    bare = text.strip()
    is_code = "_" in bare or "/" in bare or "." in bare[1:-1] or "`" in bare or bare.endswith("()")
    return bool(bare) and len(bare.split()) == 1 and is_code


def _divide(sentence: str, *, is_last: bool, after: Sequence[MessagePart]) -> list[MessagePart]:
    """Divide one sentence: first as a whole, then what is before and behind its question."""
    whole = _whole(sentence, is_last=is_last, after=after)
    if whole is not None:
        return [MessagePart(whole, sentence)]
    before, rest = _without_openings(sentence)
    behind: list[MessagePart] = []
    while True:
        shorter, part = _without_closing(rest)
        if part is None:
            break
        behind.insert(0, part)
        rest = shorter
    rest, tickets = _without_tickets(rest)
    is_other = bool(rest) and rest != sentence
    whole = _whole(rest, is_last=is_last, after=after) if is_other else None
    middle = [MessagePart(whole or PartKind.QUESTION, rest)] if rest else []
    return [*before, *middle, *tickets, *behind]


def _whole(sentence: str, *, is_last: bool, after: Sequence[MessagePart]) -> PartKind | None:
    """Return what the whole sentence is when it asks nothing."""
    words = words_of(sentence)
    if not words:
        return PartKind.ACKNOWLEDGEMENT if not any(c.isalnum() for c in sentence) else _wide(sentence)
    if AS_CODE.search(sentence):
        return None
    if (wide := _wide(sentence)) is not None:
        return wide
    if _CALLS_FOR_HELP.issuperset(words) and not sentence.rstrip().endswith("?"):
        return PartKind.REPORT
    if _is_greeting(sentence, words):
        return PartKind.GREETING
    if _is_thanks(sentence, words):
        return PartKind.THANKS
    if ACKNOWLEDGEMENTS.covers(words, ACK_FILLER):
        return PartKind.ACKNOWLEDGEMENT
    if is_last and _is_closing(sentence, words, after):
        return PartKind.SIGNATURE
    asks = sentence.rstrip().endswith(("?", "？"))
    if not asks:
        if _is_environment(words, sentence):
            return PartKind.ENVIRONMENT
        if _is_introduction(sentence, words):
            return PartKind.INTRODUCTION
        if len(words) > 1 and _is_style(words):
            return PartKind.STYLE
    if any(part.part is PartKind.QUESTION for part in after):
        bare = sentence.strip(".! ")
        if _TICKET.fullmatch(bare) or _IDENTIFIER_FRAGMENT.fullmatch(bare.strip("()")):
            return PartKind.TICKET
    return None


def _wide(sentence: str) -> PartKind | None:
    """Return what a whole sentence of a script without spaces is; its phrases are lists of their own."""
    if sentence.isascii():
        return None
    bare = sentence.strip(" 　。！？!?.,、，~～")
    pieces = [piece for piece in _WIDE_MARK.split(bare) if piece]
    if len(pieces) > 1:
        kinds = [_wide(piece) for piece in pieces]
        return kinds[0] if all(kinds) else None
    said = {bare, bare.rstrip(WIDE_PARTICLES)}
    if not said.isdisjoint(WIDE_OPENINGS):
        return PartKind.GREETING
    if not said.isdisjoint(WIDE_ACKNOWLEDGEMENTS):
        return PartKind.ACKNOWLEDGEMENT
    return PartKind.THANKS if not said.isdisjoint(WIDE_CLOSINGS) else None


def _is_greeting(sentence: str, words: Sequence[str]) -> bool:
    at = GREETINGS.length_at(words)
    while at and (more := GREETINGS.length_at(words, at)):
        at += more
    rest = _WORD.findall(sentence)[at:]
    return bool(at) and len(rest) <= 4 and all(map(_may_be_addressed, rest))


def _may_be_addressed(word: str) -> bool:
    low = word.lower().replace("’", "'")
    return low in VOCATIVES or (word[0].isupper() and low not in INTERROGATIVES and low not in REPORT_FILLER)


def _is_thanks(sentence: str, words: Sequence[str]) -> bool:
    at = THANKS.length_at(words)
    if not at and words[:1] == ["and"]:
        return _is_thanks(sentence, words[1:]) if len(words) > 1 else False
    while 0 < at < len(words):
        length = THANKS.length_at(words, at) or CLOSINGS.length_at(words, at) or (words[at] in THANKS_FILLER)
        if not length:
            break
        at += length
    rest = _WORD.findall(sentence)[at - len(words) :] if at < len(words) else []
    return bool(at) and len(rest) <= 3 and all(map(_may_be_addressed, rest))


def _is_closing(sentence: str, words: Sequence[str], after: Sequence[MessagePart]) -> bool:
    typed = _WORD.findall(sentence)
    at = CLOSINGS.length_at(words)
    if at and len(typed) - at <= 3 and all(word[0].isupper() for word in typed[at:]):
        return True
    if _SIGNED.search(sentence) and sentence.lstrip().startswith(("-", "—", "–", "~")):
        return True
    follows = bool(after) and after[-1].part in {PartKind.THANKS, PartKind.SIGNATURE, PartKind.GREETING}
    return follows and len(typed) <= 3 and all(word[0].isupper() and not word.isupper() for word in typed)


def _is_environment(words: Sequence[str], sentence: str) -> bool:
    """Does the sentence only say where the user works: a product of the list, or an opener with a version?"""
    opener = ENVIRONMENT_OPENERS.length_at(words)
    products = ENVIRONMENTS.may_be_in(words) and any(ENVIRONMENTS.length_at(words, at) for at in range(len(words)))
    has_version = any(character.isdigit() for character in sentence)
    if opener and (products or (has_version and len(words) - opener <= 6)):
        # "On Windows, leave a dump behind" is an order, and "we use click and lose the help" tells what goes wrong.
        besides = sum(word not in STOP_WORDS and not word[0].isdigit() for word in words[opener:])
        return besides <= (MOST_ENVIRONMENT if opener > 1 else MOST_AFTER_ONE_WORD)
    return products and _only_environment(words)


def _only_environment(words: Sequence[str]) -> bool:
    if not ENVIRONMENTS.may_be_in(words):
        return False
    others = [word for word in words if not word[0].isdigit()]
    return ENVIRONMENTS.covers(others, ENVIRONMENT_JOINERS)


def _is_introduction(sentence: str, words: Sequence[str]) -> bool:
    at = INTRODUCTIONS.length_at(words)
    rest = _WORD.findall(sentence)[at:]
    if not at or not rest or len(words) > 20:
        return False
    if words[at] == "new" or any(word in ROLES for word in words[at : at + 6]):
        return True
    named = rest[0][0].isupper() and not rest[0].isupper() and words[0] != "it's"
    return named and (
        len(rest) <= 3 or words[at + 1] in {"from", "and", "a", "the", "here", "aus", "von", "de", "und", "y"}
    )


def _is_style(words: Sequence[str]) -> bool:
    if words[0] in CONTINUATIONS and words[1] == "for":
        return False  # "and for yaml" asks the question before it again, of something else.
    known = sum(word in STYLE_WORDS or word.isdigit() for word in words)
    return known == len(words) and any(word in STYLE_CORE for word in words)


def _without_openings(sentence: str) -> tuple[list[MessagePart], str]:
    """Take greeting, thanks, names of who is addressed, environment and report off the front of a sentence."""
    taken: list[MessagePart] = []
    rest = sentence
    for _ in range(6):
        found = _opening(rest) if not _is_thanks(rest, words_of(rest)) else None
        if found is None:
            break
        part, length = found
        taken.append(MessagePart(part, rest[:length].strip()))
        rest = rest[length:].lstrip(" \t,.!:;–—-、，")
    return taken, rest


def _opening(sentence: str) -> tuple[PartKind, int] | None:
    for phrase in WIDE_OPENINGS:
        if sentence.startswith(phrase):
            return PartKind.GREETING, len(phrase)
    if (tag := _TALKED_TO.match(sentence)) is not None:
        return PartKind.GREETING, tag.end()
    matches = list(_WORD.finditer(sentence[:400]))
    if len(matches) < 2:
        return None
    words = [match.group().lower().replace("’", "'") for match in matches]
    typed = [match.group() for match in matches]

    def closes(at: int) -> bool:
        """Does a mark follow word ``at`` - 1 before the next word?"""
        gap = sentence[matches[at - 1].end() : matches[at].start()] if at < len(matches) else ""
        return any(mark in gap for mark in ",!.:–—-\n") or gap.count(" ") > 1

    at = GREETINGS.length_at(words)
    if at:
        end = at
        while end < min(len(typed) - 1, at + 4) and _may_be_addressed(typed[end]) and not closes(end):
            end += 1
        if end < len(typed) and not (closes(end) or _begins_a_question(words, end)) and words[end - 1] not in VOCATIVES:
            end = at
        is_bare = at == end == 1 and words[0] in _BARE_GREETINGS and len(words) > 4 and words[1] != "world"
        opens = _begins_a_question(words, end) or is_bare
        if end < len(typed) and (closes(end) or (opens and words[0] not in _ONLY_BEFORE_A_NAME)):
            return PartKind.GREETING, matches[end - 1].end()
    at = THANKS.length_at(words)
    if at:
        while at < len(words) - 1 and words[at] in THANKS_FILLER and not closes(at):
            at += 1
        while at < len(words) - 1 and typed[at][0].isupper() and not closes(at) and words[at] in VOCATIVES:
            at += 1
        if closes(at) or _begins_a_question(words, at):
            return PartKind.THANKS, matches[at - 1].end()
    at = ACKNOWLEDGEMENTS.length_at(words)
    if at and at < len(words) and closes(at):
        return PartKind.ACKNOWLEDGEMENT, matches[at - 1].end()
    if words[0] in VOCATIVES - {"ai", "all", "there", "again", "à", "alle", "sir"} and closes(1):
        return PartKind.GREETING, matches[0].end()
    if words[0] in {"ok", "okay", "so", "well", "alright", "right", "also"} and closes(1):
        return PartKind.ACKNOWLEDGEMENT, matches[0].end()
    label = next((at for at in range(1, min(5, len(words))) if closes(at)), 0)
    if label and LABELS.issuperset(words[:label]):
        return PartKind.REPORT, matches[label - 1].end()
    comma = next((at for at in range(1, min(14, len(words))) if closes(at)), 0)
    if comma and ASIDES.length_at(words) and _begins_a_question(words, comma):
        return PartKind.REPORT, matches[comma - 1].end()
    return (
        _adjunct(sentence, matches, words)
        or _report(words, typed, matches)
        or _preamble(words, typed, matches, sentence)
    )


def _begins_a_question(words: Sequence[str], at: int) -> bool:
    return at < len(words) and words[at] in INTERROGATIVES


def _adjunct(sentence: str, matches: Sequence[re.Match[str]], words: Sequence[str]) -> tuple[PartKind, int] | None:
    """A first clause that only names an environment: ``On Ubuntu 22.04, …``."""
    comma = sentence.find(",", 0, 120)
    inside = [word for match, word in zip(matches, words, strict=True) if match.end() <= comma]
    if comma < 0 or not inside or len(inside) == len(words):
        return None
    if inside[0] in {"on", "in", "with", "using", "under", "for"} or ENVIRONMENT_OPENERS.length_at(inside):
        opener = ENVIRONMENT_OPENERS.length_at(inside)
        if _only_environment(inside) or (opener > 1 and _is_environment(inside, sentence[:comma])):
            return PartKind.ENVIRONMENT, comma + 1
    return None


def _report(
    words: Sequence[str], typed: Sequence[str], matches: Sequence[re.Match[str]]
) -> tuple[PartKind, int] | None:
    """Who asks, before what is asked: ``Bob asked me how …``, ``my boss wants to know where …``."""
    has_verb = False
    for at, word in enumerate(words[:16]):
        if (
            has_verb
            and at > 1
            and word
            in INTERROGATIVES - {"can", "could", "would", "will", "help", "is", "are"} - REPORT_FILLER - REPORTING
        ):
            return PartKind.REPORT, matches[at].start()
        if has_verb and ":" in matches[at].string[matches[at - 1].end() : matches[at].start()]:
            return PartKind.REPORT, matches[at].start()
        if word in REPORTING:
            has_verb = True
        elif word not in REPORT_FILLER and not (typed[at][0].isupper() and at <= 3):
            return None
    return None


def _preamble(
    words: Sequence[str], typed: Sequence[str], matches: Sequence[re.Match[str]], sentence: str
) -> tuple[PartKind, int] | None:
    """What is said before the question of the same sentence: up to a colon, or up to ``but`` or ``so`` next to a mark.

    ``this might be a dumb question but how …``, ``a coworker asked me this in review and I had no answer: which …``
    """
    for at in range(2, min(len(words) - 2, 40)):
        if words[at] not in WH_WORDS:
            continue
        gap = sentence[matches[at - 1].end() : matches[at].start()]
        is_joined = words[at - 1] in {"but", "so", "anyway", "anyways"}
        is_told = any(word in _SPEAKERS for word in words[:at]) and not any(word in WH_WORDS for word in words[:at])
        if ":" in gap and not any(is_compound(one) for one in typed[:at]):
            # "Stop a crawl, go on tomorrow: where …" tells what is asked for, "a colleague asked me: where …" who asks.
            return (PartKind.REPORT if _tells_who_asks(words[:at]) else PartKind.CONTEXT), matches[at].start()
        if is_joined and is_told:
            return PartKind.REPORT, matches[at].start()
    return None


def _tells_who_asks(words: Sequence[str]) -> bool:
    """Does what is before a colon tell who asks, or that something is asked, rather than of what?"""
    if not (_OF_ASKING.isdisjoint(words) or _SPEAKERS.isdisjoint(words)):
        return True
    return sum(word not in STOP_WORDS and word not in REPORT_FILLER and word not in REPORTING for word in words) < 2


_OF_ASKING = REPORTING - words_in("""need needs like help find show out figure know learn want wants interested""")
_SPEAKERS = frozenset(
    {"i", "we", "i'm", "i've", "we're", "my", "our", "me", "us", "this", "it", "that", "sorry", "not"}
)


def _without_closing(sentence: str) -> tuple[str, MessagePart | None]:
    """Take one closing off the end of a sentence: signature, thanks, style, environment, whom it addresses."""
    body = sentence.rstrip()
    for phrase in WIDE_CLOSINGS:
        bare = body.rstrip("。！!.~～ ")
        if bare.endswith(phrase) and len(bare) > len(phrase):
            return bare[: -len(phrase)].rstrip("、，, "), MessagePart(PartKind.THANKS, phrase)
    if ((signed := _SIGNED.search(body[-120:])) is not None and len(body) > 120) or (
        signed is not None and signed.start() > 0
    ):
        start = max(0, len(body) - 120) + signed.start()
        return body[:start].rstrip(" ,"), MessagePart(PartKind.SIGNATURE, body[start:].strip())
    cut = max(body.rfind(mark, max(0, len(body) - 160)) for mark in (", ", " - ", " – ", " — ", "; "))
    if cut > 0:
        tail = body[cut:].strip(" ,;–—-")
        words = words_of(tail)
        part = _tail_part(tail, words) if words else None
        if part is not None:
            return body[:cut].rstrip(" ,;–—-"), MessagePart(part, tail)
    return _without_last_words(body)


def _tail_part(tail: str, words: Sequence[str]) -> PartKind | None:
    if _is_thanks(tail, words):
        return PartKind.THANKS
    if CLOSINGS.covers(words):
        return PartKind.SIGNATURE
    if len(words) <= 2 and all(word in VOCATIVES for word in words):
        return PartKind.GREETING
    if words in (["please"], ["pls"], ["plz"], ["bitte"], ["por", "favor"]):
        return PartKind.THANKS
    if len(words) > 1 and _is_style(words):
        return PartKind.STYLE
    if _is_newcomer(words):
        return PartKind.INTRODUCTION
    return PartKind.ENVIRONMENT if _only_environment(words) else None


def _is_newcomer(words: Sequence[str]) -> bool:
    """Does the end of a sentence say who asks: ``…, I'm new here``, ``…, we're beginners``?"""
    at = INTRODUCTIONS.length_at(words) if words[0] in {"i", "i'm", "im", "we", "we're"} else 0
    return 0 < at < len(words) <= at + 5 and (words[at] == "new" or words[-1].removesuffix("s") in ROLES)


def _without_last_words(body: str) -> tuple[str, MessagePart | None]:
    """Without a comma: ``… thanks``, ``… on Ubuntu 22.04``."""
    bare = body.rstrip(" .!?…")
    asks = "?" if "?" in body[len(bare) :] else ""
    offset = max(0, len(bare) - 200)
    matches = list(_WORD.finditer(bare, offset))
    words = [match.group().lower().replace("’", "'") for match in matches]
    if len(words) > 2 and words[-1] in INTERJECTIONS:
        text = bare[matches[-1].start() :]
        return bare[: matches[-1].start()].rstrip(" ,") + asks, MessagePart(PartKind.ACKNOWLEDGEMENT, text)
    for count in range(min(8, len(words) - 2), 0, -1):
        tail, start = words[-count:], matches[-count].start()
        text = bare[start:]
        if THANKS.length_at(tail) and _is_thanks(text, tail) and tail[0] not in {"ta", "appreciated", "best"}:
            return bare[:start].rstrip(" ,") + asks, MessagePart(PartKind.THANKS, text)
        is_adjunct = count > 1 and tail[0] in {"on", "in", "with", "using", "under", "from"}
        if is_adjunct and any(c.isdigit() for c in text) and _only_environment(tail[1:]):
            return bare[:start].rstrip(" ,") + asks, MessagePart(PartKind.ENVIRONMENT, text)
        if count > 1 and tail[0] in _STYLE_OPENERS and _is_style(tail):
            return bare[:start].rstrip(" ,") + asks, MessagePart(PartKind.STYLE, text)
    number = _LAST_NUMBER.search(bare[-80:])
    if number is not None and len(words) > 3:
        return bare[: -len(number.group())].rstrip() + asks, MessagePart(PartKind.TICKET, number.group())
    return body, None


def _without_tickets(text: str) -> tuple[str, list[MessagePart]]:
    """Take ticket numbers and versions of products out of a sentence that says something without them."""
    if not any(character.isdigit() for character in text):
        return text, []
    taken: list[MessagePart] = []
    kept, at = [], 0
    for found in _TICKET.finditer(text):
        prefix = found.group().strip("([").partition("-")[0].lower()
        if prefix in _STANDARDS or _is_quoted(text, found.start()):
            continue
        if _VERSIONED.fullmatch(found.group()) and _OF_A_RELEASE.search(text):
            continue
        kept.append(text[at : found.start()].rstrip(" :"))
        taken.append(MessagePart(PartKind.TICKET, found.group()))
        at = found.end()
    if "." not in text.rstrip(" .?!") and (line := _LINE_ALONE.search(text, at)) is not None:
        kept.append(text[at : line.start()].rstrip())
        taken.append(MessagePart(PartKind.TICKET, line.group()))
        at = line.end()
    rest = (" ".join([*kept, text[at:].lstrip(" :,-")]) if taken else text).strip()
    if not taken:
        return text, []
    return (rest, taken) if len(words_of(rest)) > 1 else (text, [])


def asks_of_a_release(text: str) -> bool:
    """Return whether a text names a version and asks what it brought."""
    return _VERSIONED.search(text) is not None and _OF_A_RELEASE.search(text) is not None


def _is_quoted(text: str, at: int) -> bool:
    return text.count("`", 0, at) % 2 == 1 or text.count('"', 0, at) % 2 == 1
