"""A question, taken apart: words, identifiers, paths, phrases, and what sort of place it asks for.

Pure. Any language, any length: only the first and last part of a very long text is read, and every pattern is a run
of one character class, so time is linear in what is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from helix_core.search.vocabulary import QUESTION_WORDS
from helix_core.words import IDENTIFIER, is_compound, split_identifier, wide_pairs

READ_CHARS = 8_000
MAX_WORDS = 256
MAX_NAMES = 8
MAX_PHRASES = 24
PHRASE_WORDS = 3
LONGEST_SUBJECT = 400
MAX_LITERALS = 3

# Possessive quantifiers and a guard before each start keep these linear on hostile text.
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"`([^`\n]{1,400})`|\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|(?<!\w)'([^'\n]{1,400})'(?!\w)")
_PATH = re.compile(r"(?<![\w.@+~\\/-])[\w.@+~-]*+(?:[/\\][\w.@+~-]++)++")
_FILE_NAME = re.compile(r"(?<![\w./\\-])[\w-]++(?:\.[\w-]++)++")
_DOTTED = re.compile(r"(?<!\w)[^\W\d]\w*+(?:(?:\.|::|->|#)[^\W\d]\w*+)++")
_CALLED = re.compile(r"(?<!\w)([^\W\d]\w*+)\(\)")
_PLACEHOLDER = re.compile(r"%(?:\(\w{1,60}\))?[-+#0-9.]{0,8}[a-zA-Z]|\$?\{[^{}\n]{0,80}\}|<[^<>\s]{1,60}>|\d+|\.\.\.|…")
_BREAK = re.compile(r"[^\w\s'’]+")
_RUN_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]+|\n")
_PLURAL_ACRONYM = re.compile(r"\b([A-Z]{2,8})s\b")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?:s|t|re|ve|ll|d|m)\b")
_FILE_EXTENSION_WORDS = """
py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala c h cc cpp cxx hpp hh cs fs rb php pl pm
swift m mm lua r jl ex exs erl hs ml clj sh bash zsh ps1 bat sql html htm css scss less json yml yaml toml ini cfg conf
env lock md rst txt adoc xml proto graphql tf gradle cmake mk ipynb
"""
_FILE_EXTENSIONS = frozenset(_FILE_EXTENSION_WORDS.split())


class Intent(StrEnum):
    """What sort of place the question asks for, besides the implementation."""

    TESTS = "tests"
    EXAMPLES = "examples"
    HISTORY = "history"
    DOCS = "docs"
    CONFIG = "config"
    DEFINITION = "definition"


_INTENT_PATTERNS = {
    Intent.TESTS: re.compile(
        r"\b(?:tests|unit ?tests?|test (?:suite|case|file|function|class|for|of|that)s?|tested|pytest|unittest|"
        r"fixtures?|specs?|covered|(?:which|what|a) test)\b"
    ),
    Intent.EXAMPLES: re.compile(r"(?<!for )\b(?:examples?|samples?|demos?|tutorials?|benchmarks?|snippets?)\b"),
    Intent.HISTORY: re.compile(
        r"\b(?:changelogs?|change ?logs?|release notes?|what changed|(?:when|which (?:version|release)) .{0,40}"
        r"(?:added|introduced|removed|deprecated|changed|fixed)|history of|what'?s new|breaking changes?|news entry)\b"
    ),
    Intent.DOCS: re.compile(r"\b(?:docs?|documentation|documented|readme|guides?|manual|tutorials?|docs page)\b"),
    Intent.CONFIG: re.compile(
        r"\b(?:defaults?|settings?|config(?:ur\w{1,12})?|options?|environment variables?|env vars?|flags?|"
        r"(?:lowest|minimum|supported|required|allowed) .{0,30}versions?|dependenc(?:y|ies))\b"
    ),
    Intent.DEFINITION: re.compile(
        r"\b(?:defined?|definition|declared?|declaration|implemented|implementation|lives?|what does|what is)\b"
    ),
}


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, as the rankers want it.

    ``words`` are lower-case and distinct, in order, question words dropped, compound identifiers both whole and split;
    ``identifiers`` are as typed; ``proper`` are lower-case words that cannot be paraphrased: identifiers and names
    written with capitals inside a sentence; ``paths`` use ``/``; ``phrases`` are runs of lower-case words to be met in
    sequence; ``quoted`` the same for text the asker quoted.

    A question that consists of one thing, question words aside, has it in ``subject``: a name as typed, after the
    names it is qualified with; or in ``path``. ``literals`` are the quoted texts of several words, longest first;
    ``sentence`` is the whole text where it asks nothing and is short enough to be a message that somebody met.
    """

    words: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    proper: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    quoted: tuple[tuple[str, ...], ...] = ()
    intents: frozenset[Intent] = frozenset()
    subject: tuple[str, ...] = ()
    path: str = ""
    literals: tuple[str, ...] = ()
    sentence: str = ""


def understand(text: str) -> Question:
    """Take ``text`` apart; never fails, an empty or wordless text gives an empty ``Question``."""
    text = _PLURAL_ACRONYM.sub(r"\1", _readable(text))
    quoted = [next(part for part in match if part) for match in _QUOTED.findall(text)]
    paths = _paths(text)
    identifiers = _identifiers(text, quoted, paths)
    return Question(
        words=_content_words(text),
        identifiers=identifiers,
        proper=_proper(text, identifiers),
        paths=paths,
        phrases=_phrases([text]),
        quoted=_phrases(quoted),
        intents=_intents(text),
        subject=_subject(text),
        path=_path(text, paths),
        literals=_literals(quoted),
        sentence=text if _is_message(text) else "",
    )


def _is_message(text: str) -> bool:
    is_question = text.rstrip().endswith(("?", "？"))
    return not is_question and len(text) <= LONGEST_SUBJECT and len(_RUN_WORD.findall(text)) > PHRASE_WORDS


def _readable(text: str) -> str:
    """The part of the text that is read: its start and its end, where errors state themselves."""
    if len(text) > 2 * READ_CHARS:
        text = f"{text[:READ_CHARS]}\n{text[-READ_CHARS:]}"
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _content_words(text: str) -> tuple[str, ...]:
    words: dict[str, None] = {}
    for token in _WORD.findall(_APOSTROPHE.sub("", text)):
        whole = token.lower().strip("_")
        parts = split_identifier(token) if is_compound(token) else []
        if not parts and (whole in QUESTION_WORDS or (len(whole) < 2 and whole.isascii())):
            continue
        words[whole] = None
        words.update(dict.fromkeys(part for part in parts if len(part) > 1 and part not in QUESTION_WORDS))
        if len(words) >= MAX_WORDS:
            break
    words.update(dict.fromkeys(wide_pairs(text)))
    return tuple(word for word in words if word)[:MAX_WORDS]


def _paths(text: str) -> tuple[str, ...]:
    named = (name for name in _FILE_NAME.findall(text) if name.rpartition(".")[2].lower() in _FILE_EXTENSIONS)
    found = (path.replace("\\", "/").strip("./~") for path in (*_PATH.findall(text), *named))
    return tuple(dict.fromkeys(path for path in found if len(path) > 2))[:MAX_NAMES]


def _identifiers(text: str, quoted: list[str], paths: tuple[str, ...]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    path_parts = {part for path in paths for part in _RUN_WORD.findall(path)}
    for dotted in _DOTTED.findall(text):
        if dotted.rpartition(".")[2].lower() in _FILE_EXTENSIONS:
            continue
        parts = IDENTIFIER.findall(dotted)
        names.update(dict.fromkeys(reversed(parts)))
    names.update(dict.fromkeys(_CALLED.findall(text)))
    names.update(dict.fromkeys(part for part in quoted if IDENTIFIER.fullmatch(part)))
    names.update(dict.fromkeys(token for token in IDENTIFIER.findall(text) if _is_code(token)))
    return tuple(name for name in names if len(name) > 1 and (name not in path_parts or _is_code(name)))[:MAX_NAMES]


def _is_code(token: str) -> bool:
    """Is it written as only code is: several words in one? A name with a number, like ``sha256``, is still a word."""
    return "_" in token.strip("_") or sum(not part.isdigit() for part in split_identifier(token)) > 1


def _proper(text: str, identifiers: tuple[str, ...]) -> frozenset[str]:
    """Words nobody paraphrases: typed identifiers, and names with a capital that does not open a sentence."""
    proper = {identifier.lower() for identifier in identifiers}
    opens = True
    for token in _TOKEN.findall(text):
        if not token[0].isalnum() and token[0] != "_":
            opens = opens or token[0] in ".!?:\"'`(\n“"
            continue
        if len(token) > 1 and ((token[0].isupper() and not opens) or _has_inner_capital(token)):
            proper.add(token.lower())
        opens = False
    return frozenset(proper)


def _has_inner_capital(token: str) -> bool:
    return not token.isupper() and any(c.isupper() for c in token[1:])


def _phrases(texts: list[str]) -> tuple[tuple[str, ...], ...]:
    """Windows of three words inside one run of text; placeholders, numbers and punctuation end a run."""
    windows: dict[tuple[str, ...], None] = {}
    for text in texts:
        for run in _BREAK.split(_PLACEHOLDER.sub(" . ", text)):
            words = [word.lower() for word in _RUN_WORD.findall(run)]
            for start in range(max(0, len(words) - PHRASE_WORDS) + 1 if len(words) > 1 else 0):
                window = tuple(words[start : start + PHRASE_WORDS])
                if sum(word not in QUESTION_WORDS for word in window) >= (1 if len(window) == PHRASE_WORDS else 2):
                    windows[window] = None
    return tuple(windows)[:MAX_PHRASES]


def _telling(text: str) -> list[str]:
    """The words that are not question words; all of them where there is no other."""
    words = _RUN_WORD.findall(_APOSTROPHE.sub("", text))
    return [word for word in words if word.lower() not in QUESTION_WORDS] or words


def _subject(text: str) -> tuple[str, ...]:
    if len(text) > LONGEST_SUBJECT:
        return ()
    telling = _telling(text)
    if len(telling) == 1:
        return tuple(telling) if IDENTIFIER.fullmatch(telling[0]) else ()
    dotted = [IDENTIFIER.findall(name) for name in _DOTTED.findall(text)]
    return tuple(dotted[0]) if len(dotted) == 1 and set(telling) <= set(dotted[0]) else ()


def _path(text: str, paths: tuple[str, ...]) -> str:
    """The path the question consists of; a short text without question words may be the name of a file as it is."""
    if len(text) > LONGEST_SUBJECT:
        return ""
    if len(paths) == 1 and set(_telling(text)) <= set(_RUN_WORD.findall(paths[0])):
        return paths[0]
    return text.strip().removeprefix("./") if len(text.split()) <= PHRASE_WORDS else ""


def _literals(quoted: list[str]) -> tuple[str, ...]:
    texts = [part for part in quoted if len(_RUN_WORD.findall(part)) > 1 or is_compound(part)]
    return tuple(sorted(dict.fromkeys(texts), key=len, reverse=True))[:MAX_LITERALS]


def _intents(text: str) -> frozenset[Intent]:
    folded = text[:READ_CHARS].lower()
    return frozenset(intent for intent, pattern in _INTENT_PATTERNS.items() if pattern.search(folded))
