"""Recognize messages that no workspace can help with: prompts that clients write, translations, general knowledge.

The rules go by the form of a request (an imperative, its object, what it works on), not by one client's words. Pure.
"""

from __future__ import annotations

import re

from helix_core.conversation.parts import words_of

HEAD, TAIL = 1_500, 600

_MAKE = (
    r"(?:generate|create|write|suggest|produce|provide|give|reply with|respond with|come up with"
    r"|summari[sz]e|extract|craft|draft|propose|determine|classify|analy[sz]e|choose)"
)
_META = (
    r"(?:titles?|name|topic|label|emoji|tags?|keywords|follow-?ups?(?: questions?)?|(?:next|suggested"
    r"|relevant) (?:questions?|prompts?|replies)"
    r"|commit messages?|branch name|pull request (?:title|description)|pr (?:title|description)|changelog entry"
    r"|search quer(?:y|ies)|summary|recap|hand-?off)"
)
_OBJECT = (
    r"(?:chat|conversation|discussion|dialogue|messages?|chat history|thread|session|exchange|query"
    r"|request|prompt|diffs?|changes|staged|task|user(?:'s)? (?:input|message|request|question)|above|so far"
    r"|transcript)"
)
_CLIENT = re.compile(rf"\b{_MAKE}\b[^\n?]{{0,140}}?\b{_META}\b[^?]{{0,400}}?\b{_OBJECT}\b", re.IGNORECASE)
_CLIENT_OF = re.compile(
    rf"\b(?:summari[sz]e|recap|condense|compact)\b[^\n?]{{0,60}}\b(?:this|the|our|following|above|entire|whole"
    rf"|previous)\b[^\n?]{{0,60}}\b{_OBJECT}\b",
    re.IGNORECASE,
)
_FOR_A_CLIENT = re.compile(
    r"### Task:|<chat_history>|<conversation_history>|title for (?:the|this|a) (?:chat|conversation)"
    r"|new conversation topic"
    r"|summary of (?:the|this|our) conversation|conversation so far|context checkpoint|handoff summary|context window"
    r"|did not use a tool in your previous response|\[SUGGESTION MODE|you are an autocomplete|fill in the middle"
    r"|<fim_|</?FILL_HERE|<\|fim",
    re.IGNORECASE,
)  # fmt: skip
_COMMIT = re.compile(
    rf"^\W{{0,3}}(?:please |can you |could you )?{_MAKE}\b.{{0,60}}\b(?:commit message|pr description"
    rf"|pull request description|changelog entry|branch name)\b",
    re.IGNORECASE,
)
_LANGUAGE = (
    r"(?:english|german|french|spanish|portuguese|italian|dutch|polish|russian|japanese|chinese|mandarin"
    r"|korean|arabic|hindi|turkish|swedish|latin|greek|deutsch\w{0,2}|englisch\w{0,2}|französisch\w{0,2}"
    r"|spanisch\w{0,2}|inglés|francés|alemán|español|anglais|allemand|espagnol|français|inglês|alemão|francês"
    r"|espanhol|português)"
)
_TRANSLATE = re.compile(
    rf"^\W{{0,3}}(?:please |can you |could you |bitte |por favor |kannst du )?(?:translate|übersetz\w{{0,4}}"
    rf"|traduc\w{{0,5}}|traduz\w{{0,3}}|tradui\w{{0,4}})\b(?:.{{0,600}}?\b(?:in|into|to|ins|auf|al|en|para|a"
    rf"|o)\b.{{0,12}}\b{_LANGUAGE}\b|(?: (?:this|the|following|word|phrase|sentence|text|it)){{0,3}}"
    rf"\s{{0,2}}[:\"'“«「])"
    rf"|^\W{{0,3}}how (?:do|would|can) (?:you|i|we|one) say\b.{{0,200}}\b(?:in )?{_LANGUAGE}\b"
    rf"|^\W{{0,3}}wie sagt man\b|^.{{0,20}}(?:翻译成|翻譯成|翻訳して|に訳して|英訳|和訳|翻译一下)"
    r"|(?:翻译成|に翻訳|を翻訳)",
    re.IGNORECASE | re.DOTALL,
)
_REWRITE = re.compile(
    r"^\W{0,3}(?:please |can you |could you )?(?:summari[sz]e|rephrase|reword|paraphrase|proofread|shorten"
    r"|spell-?check|correct (?:the |my )?(?:grammar|spelling|english)"
    r"|fix (?:the |my )?(?:grammar|spelling|typos?)|make (?:this|it) (?:sound|more polite|shorter)"
    r"|improve (?:the )?wording|polish)\b.{0,80}?\b(?:this|following|below|text|email|e-mail|mail|message"
    r"|paragraph|sentence|grammar|spelling|english|typos?)\b",
    re.IGNORECASE | re.DOTALL,
)
_CREATIVE = re.compile(
    r"\b(?:write|tell|compose|make|sing|give|schreib\w?|erzähl\w?|cuéntame|escribe|raconte|écris|conta"
    r"|escreva)\b.{0,30}\b(?:poem|haiku|limerick|joke|story|song|lyrics|sonnet|rap|riddle|cover letter"
    r"|love letter|birthday|essay|tweet|linkedin post|toast|speech|gedicht|witz|chiste|poema|blague|poème|piada)\b",
    re.IGNORECASE,
)
_EXPLAINED_TO = re.compile(
    r"\bto (?:a|an|my) (?:\w{3,6}[- ]year[- ]old|child|kid|toddler|grandm\w{2,6}|grandpa)\b"
    r"|\b(?:idioms?|proverbs?|etymology|rhymes? with)\b"
    r"|\bnames? for (?:a|my|our) (?:\w{3,12} )?(?:dog|cat|puppy|kitten|baby|band|horse|retriever|daughter|son)\b",
    re.IGNORECASE,
)
_OWN_ANSWER = re.compile(
    r"^\W{0,3}(?:please |can you |could you )?(?:rephrase|reword|repeat|shorten|summari[sz]e|translate|simplify)"
    r" (?:your|the|that) (?:(?:last|previous|above) )?(?:answer|reply|response|message|explanation)\b",
    re.IGNORECASE,
)
_ABOUT_YOU = re.compile(
    r"^\W{0,3}(?:who|what) are you\b|^\W{0,3}what(?:'s| is) your name\b|^\W{0,3}what can you do\b"
    r"|^\W{0,3}(?:are you (?:there|sure|real|human|a bot|an ai|ok|ready|chatgpt|claude|gpt))\b"
    r"|^\W{0,3}can you (?:hear|help|understand|see) me\W*$|^\W{0,3}(?:which|what) (?:model|llm"
    r"|version)(?: model)? (?:are you|is this)\b|^\W{0,3}how (?:are|old are) you\b"
    r"|^\W{0,3}(?:wer|was) bist du\b|^\W{0,3}¿?quién eres\b|^\W{0,3}qui es-tu\b|^\W{0,3}quem é você\b|あなたは誰|你是谁"
    r"|do you (?:like|love|speak|dream|feel|have feelings)\b",
    re.IGNORECASE,
)
_WORLD = re.compile(
    r"\bweather\b.{0,40}\b(?:in|today|tomorrow|like|forecast|outside)\b|\b(?:how|what)\b.{0,20}\bweather\b"
    r"|\bwetter\b|\bcapital (?:city )?of (?-i:[A-Z])|\b(?:president|prime minister|queen|chancellor) of\b"
    r"|\bwho (?:won|invented|discovered|painted|directed|is the ceo|was the first)\b|\bpopulation of (?-i:[A-Z])"
    r"|\bhow (?:tall|far|high) (?:is|was|are) (?:the )?(?-i:[A-Z])"
    r"|\b(?:recipes?|cook|bake|restaurants?|horoscope|world cup|olympics|workout|lottery)\b"
    r".{0,40}\b(?:for|with|recommend|tonight|won)\b"
    r"|\bwhat (?:time|day|date|year) is (?:it|today)\b|\b(?:bitcoin|gold) price\b|\b(?:meaning of life"
    r"|speed of light|boiling point)\b|\bhow many (?:people live|countries|planets|continents|calories)\b",
    re.IGNORECASE,
)
_ARITHMETIC = re.compile(
    r"^(?:what(?:'s| is| are)|calculate|compute|was ist|cuánto es|combien font"
    r"|quanto é)?\s{0,3}[\d\s.,()+*/x×÷^%=-]{3,200}\??$",
    re.IGNORECASE,
)
_TONGUES = (
    r"(?:python|javascript|typescript|java|kotlin|swift|rust|go|golang|c|c\+\+|c#|ruby|php|perl|haskell"
    r"|scala|bash|shell|sql|html|css|regex|git|excel|linux|vim|programming|computer science|general"
    r"|object[- ]oriented programming|oop|math\w*|statistics)"
)
_GENERAL = re.compile(
    rf"^(?:what(?:'s| is| are)|explain|define|how (?:do|does|can|would|to)|when (?:should|do|would) i use"
    rf"|why (?:is|are|do|does)|difference between|can you explain|tell me)\b[^?\n]{{0,120}}\b(?:in|of"
    rf"|with) (?:plain |vanilla |modern |general )?{_TONGUES}(?: \d[\d.]{{0,6}})?\W*$"
    r"|^(?:what(?:'s| is)|what does) (?:a |an |the )?[\w /+#.-]{2,40}(?: stand for| mean in general)\W*$"
    r"|^(?:what is|what's) an? [a-z-]{3,20}(?: [a-z-]{3,20})? in (?:programming|computing|software|general)\W*$",
    re.IGNORECASE,
)
_TERM = rf"(?:[A-Z]{{2,6}}|(?i:{_TONGUES}))"
_DIFFERENCE = re.compile(
    rf"^(?i:what(?:'s| is| are)|explain|tell me)\b[^?\n]{{0,20}}\b(?i:differences? between) {_TERM} and {_TERM}\W*$"
)
_HERE = re.compile(
    r"\b(?:this|our|the|my|your) (?:repo\w*|project|codebase|code|workspace|folder|app\w*|package|library|module"
    r"|file|class|function|test\w*|docs?)\b|\bhere\b|[`_/]|\w\.\w|[a-z][A-Z]|\(\)|\bwe\b",
)
_AGENT = re.compile(
    r"^\W{0,3}(?:apply|merge|insert|output only|return only|edit) (?:the |this |these |only )?(?:following"
    r"|update|edit|change|patch|snippet|diff|below)",
    re.IGNORECASE,
)


def needs_nothing(text: str, asking: str, *, has_paste: bool, has_places: bool) -> str:
    """Return why a message needs nothing of a workspace, as a clause; empty where it may.

    ``text`` is the whole message, ``asking`` the part of it that asks.
    """
    head, tail = text[:HEAD], text[-TAIL:] if len(text) > HEAD else ""
    if _FOR_A_CLIENT.search(head) or _FOR_A_CLIENT.search(tail):
        return "the client asks for its own purpose: a title, a summary, follow-ups"
    opening = asking[:400].lstrip()
    if _COMMIT.match(opening):
        return "the message asks for a text about changes that it carries"
    if not has_places:
        for part in (head, tail):
            match = _CLIENT.search(part) or _CLIENT_OF.search(part)
            if match is not None and not _is_question(part, match.start()):
                return "the client asks for its own purpose: a title, a summary, follow-ups"
    if _OWN_ANSWER.search(opening):
        return "the message is about the answer before it"
    if _TRANSLATE.search(opening):
        return "the message asks for a translation"
    if _REWRITE.search(opening) and not _HERE.search(opening):
        return "the message carries the text that it is about"
    if has_paste and _AGENT.search(opening):
        return "the step carries its own material"
    if has_places or _HERE.search(asking[:400]):
        return ""
    if any(pattern.search(opening) for pattern in (_CREATIVE, _ABOUT_YOU, _WORLD, _EXPLAINED_TO)):
        return "the message is about no code"
    if not has_paste and words_of(opening) and any(p.match(opening) for p in (_ARITHMETIC, _GENERAL, _DIFFERENCE)):
        return "the message asks for general knowledge"
    return ""


def _is_question(text: str, at: int) -> bool:
    """Is the imperative at ``at`` inside a question about such things, as ``where do we generate …``?"""
    before = text[max(0, at - 60) : at].rpartition("\n")[2].rpartition(". ")[2]
    asks = {"where", "how", "which", "who", "does", "when", "why", "what", "do", "is", "wo", "wie"}
    return any(word in asks for word in words_of(before))
