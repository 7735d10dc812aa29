"""Recognize an order about the chat itself or about a text that it carries, as programs give them: a title, a label.

An order is a verb that makes or works on a text, its object, and the exact form of the answer. It counts by how many
of these it has, not by any client's words; what names this workspace speaks against it. Pure.
"""

from __future__ import annotations

import re

from helix_core.conversation.parts import sentences_of, words_of
from helix_core.words import lazy_pattern, words_in

HEAD, TAIL = 1_500, 600
SENTENCES = 24
FIRST_WORDS = 30
LEAST_PAYLOAD = 3
ENOUGH = 4

_MAKES = words_in(
    """generate generates create creates write writes suggest suggests produce produces provide provides give gives
    reply
    respond return output propose proposes draft craft compose make name names come comes predict build list offer
    answer"""
)
_WORKS_ON = words_in(
    """summarize summarise summarizes summarizing summarising condense condenses compress compact distill distil recap
    rephrase rewrite reword reformulate translate classify classifies categorize categorise detect detects determine
    determines decide decides judge rate rates grade grades score label tag extract extracts analyze analyse identify
    pick choose select route moderate evaluate assess convert correct proofread transcribe punctuate shorten expand
    enhance improve title titling titles normalize"""
)
_OPENERS = words_in(
    """please now then first finally just only also carefully briefly concisely so ok can could would will you must
    should need to your task job goal role is want i we like have be going helpful and that who which"""
)
_ASKING = words_in("""how where which who whom whose when why wo wie""")
_OF_THE_TEXT = words_in("""what is are does do was""")
_LEADING = words_in("""given based using considering after before""")
_ARTEFACT = lazy_pattern(
    r"\b(?:titles?|headlines?|topics?|labels?|tags?|keywords?|emojis?|names?|summar(?:y|ies)|recap|hand-?offs?|synopsis"
    r"|bullet points|follow-?ups?|replies|suggestions?|questions?|prompts?|predictions?|quer(?:y|ies)|memor(?:y|ies)"
    r"|facts|preferences|commit messages?|branch names?|release notes|change ?logs?|pull requests?|categor(?:y|ies)"
    r"|intents?|scores?|ratings?|verdict|locale(?: code)?|language code|translations?|captions?)\b",
    re.IGNORECASE,
)
_LABEL = lazy_pattern(r"\b(?:titles?|headline|emojis?|label|categor(?:y|ies)|intent|locale)\b", re.IGNORECASE)
_CHANGES = lazy_pattern(
    r"\b(?:commit messages?|pull requests?|branch names?|release notes|change ?logs?)\b", re.IGNORECASE
)
_CHAT = lazy_pattern(
    r"\b(?:this|the|our|these|following|above|partial|entire|coding|user's|users?|your|for|of|chats? and) (?:\w+ )?"
    r"(?:chats?|conversations?|discussions?|dialogues?|transcript|chat history)\b"
    r"|\b(?:chat|conversation|thread) (?:titles?|history|summary|name)\b|\b(?:summarizing|name) (?:conversations"
    r"|chats)\b"
    r"|\b(?:user|user's|user’s|human's) (?:\w+ )?(?:messages?|quer(?:y|ies)|questions?|requests?|prompts?|inputs?"
    r"|intent"
    r"|task|ask)\b|\bfirst message\b|\bmessages (?:above|below|to summarize)\b"
    r"|\b(?:the )?(?:user|i|they|human) (?:\w+ )?(?:could|might|may|will|would|should|wants?|am going|is going|ask|say"
    r"|send|type)\b[^.\n]{0,40}\bnext\b|\bfollow-?up questions?\b"
    r"|\b(?:another|next|other|new) (?:llm|agent|assistant|language model|context window)\b",
    re.IGNORECASE,
)
_TEXT = lazy_pattern(
    r"\b(?:the|a|this|these|last|latest|following|given|original|standalone|below|source) (?:\w+ )?(?:messages?"
    r"|quer(?:y|ies)|question|request|prompt|input|utterance|text|passage|sentence|paragraph|answer|response|reply"
    r"|snippet|document"
    r"|selection|email|excerpt)\b",
    re.IGNORECASE,
)
_EXACT = lazy_pattern(
    r"\b(?:only|just|nothing but|exactly|strictly|simply)(?: \w+)? (?:return|output|reply|respond|answer|the|one|with"
    r"|a|an|give|provide)\b"
    r"|\b(?:return|output|reply|respond|answer|give|provide|write)\b[^.\n]{0,60}\b(?:only|just|nothing else|json|alone"
    r"|one of|one word|plain text|no other text|comma[- ]separated)\b"
    r"|\bnothing (?:else|more)\b|\bno (?:quotes|punctuation|preamble|explanations?|other text|prose|prefix"
    r"|commentary)\b"
    r"|\b(?:json|plain text)\b|\bone (?:word|line|per line)\b|\bseparated by\b|\bwithout (?:any )?(?:numbering|quotes"
    r"|punctuation|preamble|explanation|repeating)\b|\bdo not (?:include|add|explain|use|provide|mention)\b"
    r"|\bexact format\b"
    r"|\b(?:max\w*|most|than|under|least|within|exactly|about|of|in an?|in) (?:\w+ ){0,3}?(?:\d{1,3}|one|two|three|four"
    r"|five|six|seven|eight|ten)(?:\s?(?:-|–|to|or)\s?\d{1,3})?[- ](?:words?|char\w*|letters|sentences?|bullet"
    r"|lines?|items)\b"
    r"|\b\d{1,3}(?:\s?(?:-|–|to|or)\s?\d{1,3})?[- ]words?\b|\bwords? (?:or (?:less|fewer)|max\w*)\b"
    r"|\bfrom \d to \d{1,3}\b|\btrue or false\b|\byes or no\b|\b(?:max\w*:?|<=?) \d{1,3}\b",
    re.IGNORECASE,
)
_ROLE = lazy_pattern(
    r"^\W{0,6}(?:you are|you're|you will|act as|your (?:task|job|goal)|you (?:have been|generate))\b", re.IGNORECASE
)
_QUOTED = lazy_pattern(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”")
_TAG = lazy_pattern(r"<([A-Za-z][\w-]{1,30})(?: [^<>\n]{0,80})?>")
_DIFF_LINE = lazy_pattern(r"^(?:diff --git |index [0-9a-f]{4}|--- |\+\+\+ |@@ |[-+ ]).*$", re.MULTILINE)
_SPOKEN = lazy_pattern(
    r"^[\W_]{0,4}(?:user|human|assistant|ai|bot|claude|chatgpt|developer|agent|model|question|answer|message|query"
    r"|input"
    r"|text|source|history|chat history|conversation|transcript|request|prompt|document|content|diff|commits?"
    r"|user (?:message|question|query|prompt|request)|here (?:is|are) the \w+(?: \w+)?)[\])>\"]{0,3}(?:\s?:|\]).*",
    re.IGNORECASE | re.MULTILINE,
)
_LABELED = lazy_pattern(
    r"(?<=[.!?] )(?:here (?:is|are) )?(?:the )?(?:user )?(?:message|text|question|query|input|request|prompt):.*",
    re.IGNORECASE | re.DOTALL,
    cues="input:|message:|prompt:|query:|question:|request:|text:",
)
_NAMES_CODE = lazy_pattern(
    r"\b[a-zA-Z]\w*_\w+\b|\b\w+\(\)|\b[\w-]+/[\w/-]*\.\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b\w+\.py\b"
)
_WORKSPACE = lazy_pattern(
    r"\b(?:this|our|the) (?:repo\w*|project|code ?base|workspace|package|module|class|function)\b", re.IGNORECASE
)
_ASSISTS = lazy_pattern(
    r"\b(?:answers? (?:the |users?|any |all )?(?:user'?s? )?questions?"
    r"|helps? (?:the |users?|developers?|people|me|with)|coding (?:agent|assistant)|pair programmer"
    r"|programming assistant|software engineering|copilot|assist(?:s|ing)? "
    r"(?:the |users?|developers?|with))\b",
    re.IGNORECASE,
)


_COMMAND = lazy_pattern(r"^/[a-z][a-z-]{1,20}$")
_ECHO = lazy_pattern(
    r"^(?:(?:hello|hi|hey|ok)[,!]? )?(?:please |just |simply ){0,2}(?:say|respond|reply|answer)\b(?: back| only"
    r"| just| exactly"
    r"| with| the| a| single| one| word| text){0,6}:? [\"'`]?\w{1,12}[\"'`]?(?: only| and nothing else)?\W{0,3}$",
    re.IGNORECASE,
)
_HANDS_OVER = lazy_pattern(
    r"\b(?:write|list|note|record|capture|state|collect)\b[^?\n]{0,60}\b(?:next|new|another|other|future)"
    r" (?:agent|assistant|llm|model|chat|session|context)\b",
    re.IGNORECASE,
)


def is_of_the_client(text: str) -> bool:
    """Return whether a message is a command of the client, a trial whether the model answers, or a hand-over."""
    bare = text.strip()
    return bool(_COMMAND.match(bare) or _ECHO.match(bare[:200]) or _HANDS_OVER.search(text[:600]))


def is_order_about_text(text: str) -> bool:
    """Return whether a message is an order about the chat, or about a text that it carries."""
    order, has_material = _without_material(text[:HEAD])
    if len(text) > HEAD:
        tail, _ = _without_material(text[-TAIL:])
        return _suffices(order, has_material=True) or _suffices(tail, has_material=True)
    return _suffices(order, has_material=has_material)


def is_narrow_job(system: str) -> bool:
    """Return whether a system prompt is one job on the user's message, rather than that of an assistant."""
    order, _ = _without_material(system[:HEAD])
    return any(sign.search(order) for sign in (_CHAT, _TEXT, _CHANGES, _LABEL)) and _suffices(order, has_material=True)


def is_of_an_assistant(system: str) -> bool:
    """Return whether a system prompt says that it answers or helps."""
    return _ASSISTS.search(system[:400]) is not None


def _without_material(text: str) -> tuple[str, bool]:
    """Return the text without what it quotes, fences, tags or labels, and whether there was any."""
    left = _without_elements(text)
    if "\n@@ " in left or left.startswith("diff --git "):
        left = _DIFF_LINE.sub("", left)
    left = _SPOKEN.sub("", _LABELED.sub("", _QUOTED.sub(" ", left)))
    taken = len(words_of(text)) - len(words_of(left))
    # A last paragraph that asks is what a short order before it works on.
    before, cut, last = left.rstrip().rpartition("\n\n")
    if cut and last.rstrip().endswith("?") and _suffices(before, has_material=True):
        return before, True
    return left, taken >= LEAST_PAYLOAD


def _without_elements(text: str) -> str:
    """Return the text without fenced blocks and without tagged elements, tags included."""
    kept = "\n".join(text.split("```")[::2])
    parts: list[str] = []
    at = 0
    for tag in _TAG.finditer(kept):
        if tag.start() < at:
            continue
        end = kept.find(f"</{tag.group(1)}>", tag.end())
        if end >= 0:
            parts.append(kept[at : tag.start()])
            at = end + len(tag.group(1)) + 3
        elif len(parts) > SENTENCES:
            break
    return "\n".join((*parts, kept[at:]))


def _suffices(order: str, *, has_material: bool) -> bool:
    """Return whether the signs of an order about the chat or a carried text are enough."""
    best = max((_order_in(sentence) for sentence in sentences_of(order)[:SENTENCES]), default=0)
    if not best:
        return False
    of_chat, of_text = _CHAT.search(order) is not None, _TEXT.search(order) is not None
    plays = _ROLE.search(order) is not None
    exact = len({found.group().lower() for found in _EXACT.finditer(order)})
    if not of_chat and not (has_material or plays):
        return False
    signs = best + (of_chat or of_text) + min(exact, 2) + has_material + plays
    return signs >= ENOUGH - (of_chat and best > 1)


def _order_in(sentence: str) -> int:
    """Return 2 for a sentence that orders a text of the kind or work on one, 1 for one that may, 0 for any other."""
    words = words_of(sentence[:400])
    if not words or words[0] in _ASKING or sentence.lstrip().startswith("#"):
        return 0
    if _NAMES_CODE.search(sentence) or _WORKSPACE.search(sentence):
        return 0
    is_about_chat = _CHAT.search(sentence) is not None
    if words[0] in _OF_THE_TEXT:
        return (1 + (_ARTEFACT.search(sentence) is not None)) if is_about_chat else 0
    is_led = words[0] in _LEADING
    if is_led and is_about_chat and "what" in words:
        return 2
    orders = _MAKES | _WORKS_ON
    verb = next(
        (
            word
            for at, word in enumerate(words[:FIRST_WORDS])
            if word in orders and (is_led or _opens(words, at, sentence))
        ),
        "",
    )
    has_artefact = _ARTEFACT.search(sentence) is not None
    if verb in _WORKS_ON:
        return 2 if has_artefact or is_about_chat or _TEXT.search(sentence) else 1
    return 2 if verb and has_artefact else 0


def _opens(words: list[str], at: int, sentence: str) -> bool:
    """Return whether a clause begins with the word: an order rather than a noun or a verb of a statement."""
    if at == 0 or words[at - 1] in _OPENERS:
        return True
    found = re.search(rf"[,:;*(–-] ?\W{{0,2}}{re.escape(words[at])}\b", sentence[:400], re.IGNORECASE)
    return found is not None
