"""Parse a question into words, identifiers, paths and phrases, and select the terms to search for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate

from helix_core.store import MatchCounts, QueryBudgetError, Reader, phrase
from helix_core.tuples import NamedTuple
from helix_core.words import (
    ASKS_TO_RELEASE,
    ASKS_TO_SET_UP,
    ASKS_TO_TEST,
    ASKS_WHO_WROTE,
    HOW_TO,
    HOW_TO_CUES,
    IDENTIFIER,
    RELEASE_CUES,
    WHO_WROTE,
    WHOLE,
    is_compound,
    lazy_pattern,
    split_identifier,
    wide_pairs,
)

_QUESTION_WORD_LINES = """
a about actually after again all also am an and any anything are as at be because been before being both but by came
can come comes could did do does doing done each either else etc ever every exactly explain find for from further gave
get gets getting give given gives go goes going got had happen happens has have having he her here him his how however
i if in inside instead into is it its itself just know let like look looking made make makes many may me meant might
more most much must my need needs neither no nor not now of off on once one only onto or other our out over own part
please
put puts same say see shall she should show so some somebody someone something still such take takes taken tell than
that the their them then there these they thing things this those through thus to too under up upon us use used uses
using very want wants was way we well went were what whatever when whenever where wherever whether which while who
whom whose why will with within without would yet you your code file repo repository project codebase defined declared
ur wanna gonna gotta dont doesnt isnt cant wont whats wheres hows thats theres im ive lets pls plz thx cuz coz tho
btw idk
"""

QUESTION_WORDS = frozenset(_QUESTION_WORD_LINES.split())

_REQUEST_WORD_LINES = """
implement implements implemented implementing implementation impl impls support supports supported supporting provide
provides provided offer offers feature features functionality default defaults read reads call calls called caller
callers located live lives responsible deal deals exist exists available builtin built possible way place part done made
handle handles handled handling
semantics behavior behaviour mechanism internals workings logic machinery
"""
REQUEST_WORDS = frozenset(_REQUEST_WORD_LINES.split())
_ACT_WORD_LINES = """
review reviews optimize optimise profile visualize visualise refactor improve audit rewrite simplify clean port convert
hierarchy overview summary diagram structure class classes function functions method methods module modules summarize
describe
document debug inspect check fix change update
"""
_ACT_WORDS = frozenset(_ACT_WORD_LINES.split())


def is_request_word(word: str) -> bool:
    """Return whether the word asks about any subject alike, or says what to do with it."""
    return word in REQUEST_WORDS or word in _ACT_WORDS


READ_CHARS = 8_000
MAX_WORDS = 256
MAX_NAMES = 8
MAX_PHRASES = 24
PHRASE_WORDS = 3
LONGEST_SUBJECT = 400
MAX_SPOKEN, MAX_SPOKEN_PARTS = 24, 4
MAX_LITERALS = 3

# Possessive quantifiers and a guard before each start keep these linear on adversarial text.
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"`([^`\n]{1,400})`|\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|(?<!\w)'([^'\n]{1,400})'(?!\w)")
_PATH = re.compile(r"(?<![\w.@+~\\/-])[\w.@+~-]*+(?:[/\\][\w.@+~-]++)++")
_FILE_NAME = re.compile(r"(?<![\w./\\-])[\w-]++(?:\.[\w-]++)++")
_DOTTED = re.compile(r"(?<!\w)[^\W\d]\w*+(?:(?:\.|::|->|#)[^\W\d]\w*+)++")
_SIGNED = lazy_pattern(r"(?<!\w)([^\W\d]\w*+)(\?|!(?![=~])|=(?![\w=~>\"']))", cues="?|!|=")
_OPTION = lazy_pattern(r"(?<![\w-])--([a-z][a-z0-9]*+(?:-[a-z0-9]++)++)(?![\w-])", cues="--")
_CALLED = lazy_pattern(r"(?<!\w)([^\W\d]\w*+)\(\)", cues="()")
_PLACEHOLDER = re.compile(r"%(?:\(\w{1,60}\))?[-+#0-9.]{0,8}[a-zA-Z]|\$?\{[^{}\n]{0,80}\}|<[^<>\s]{1,60}>|\d+|\.\.\.|…")
_ERROR_HEAD = lazy_pattern(
    r"(?<![\w.])(?:[A-Za-z_]\w{0,60}\.){0,6}(?:[A-Za-z]\w{0,60}(?:Error|Exception)|(?i:error|exception|fatal|panic"
    r"|warning|says?|saying|prints?|message)):\s++(?=\S)",
    cues=":",
)
_FILLED_IN = lazy_pattern(rf"{_QUOTED.pattern}|(?<!\w)\d[\d.,:]*+(?!\w)|(?<=\w):\s++[^\s\"'`]++\s*+$")
"""The values of a message: what it quotes, numbers, and one word behind its last colon."""
_STATE = lazy_pattern(
    r"(?i)^(?:no|not|invalid|unknown|missing|unable|cannot|failed|bad|illegal|unexpected|unsupported) "
    r"|\bnot\b|[a-z]{3}ed$"
)
"""How a short message tells that something is so or failed, where a search names a thing."""
_BREAK = re.compile(r"[^\w\s'’]+")
_RUN_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]+|\n")
_PLURAL_ACRONYM = re.compile(r"\b([A-Z]{2,8})s\b")
# "Where do validators live?" asks for validators: the verb means nothing but the question's own "where".
_PLACE_VERB = re.compile(
    r"(?i)(?<=\w)[ \t]++(?:lives?|living|located|sits?|sitting|resides?|residing|found|situated|kept)"
    r"(?=[ \t]*+(?:in (?:the|this|our) \w{1,20}[ \t]*+)?(?:[?!.,;\n]|\Z))"
)
_WIDE = r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_BESIDE_WIDE = lazy_pattern(rf"(?<=[A-Za-z0-9_])(?={_WIDE})|(?<={_WIDE})(?=[A-Za-z0-9_])")
_WHERE = re.compile(r"(?i)\bwhere\b")
_WORK_VERB = re.compile(
    r"(?i)(?<=\w)[ \t]++(?:works?|working|functions?|implemented|done)(?=[ \t]*+(?:(?:here|internally|exactly)[ \t]*+)?"
    r"(?:[?!.,;\n]|\Z))"
)
_HOW = re.compile(r"(?i)\bhow\b")
_ONE_WORD = lazy_pattern(
    r"(?i)\W*+(?:(?:where|what)(?:['’]?s| is| are| does| do)?\s+|(?:show(?: me)?|find)\s+)?(?:(?:the|an?)\s+)?"
    r"\W*+\w++\W*+(?:defined\W*+)?"
)
_VERSION = lazy_pattern(r"(?<![\w.])[vV]?(\d{1,4}(?:\.\d{1,4}){1,3})(?:\.x)?(?!\.?\w)", cues=".")
_OF_VERSIONS = lazy_pattern(
    r"(?i)\b(?:versions?|releases?|released|upgrad(?:e|ed|es|ing)|migrat(?:e|ed|ing|ion))\b",
    cues="version|releas|upgrad|migrat",
)
_PROTOCOL = lazy_pattern(r"(?<![\w/.\\-])([A-Za-z]{2,8}/\d(?:\.\d)?)(?![\w/])", cues="/")
"""A protocol with its version, as ``HTTP/2``: another version is another thing."""
_SIGNS_OF_CODE = frozenset("/{}[]()<>|&^$%+=\\@")
LEAST_SIGNS, SHARE_OF_SIGNS, FRAGMENT_WORDS = 3, 0.25, 6
_APOSTROPHE = re.compile(r"(?<=\w)['’](?:s|t|re|ve|ll|d|m)\b")
_FILE_EXTENSION_WORDS = """
py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala c h cc cpp cxx hpp hh cs fs rb php pl pm
swift m mm lua r jl ex exs erl hs ml clj sh bash zsh ps1 bat sql html htm css scss less json yml yaml toml ini cfg conf
env lock md rst txt adoc xml proto graphql tf gradle cmake mk ipynb
"""
_FILE_EXTENSIONS = frozenset(_FILE_EXTENSION_WORDS.split())


class Intent(StrEnum):
    """The kind of file the question asks for, besides implementation."""

    TESTS = "tests"
    EXAMPLES = "examples"
    HISTORY = "history"
    DOCS = "docs"
    CONFIG = "config"
    DEFINITION = "definition"
    OVERVIEW = "overview"
    SETUP = "setup"
    TESTING = "testing"
    PACKAGES = "packages"
    AUTHORSHIP = "authorship"
    RELEASING = "releasing"


_OF_A_NAME = r"(?:the )?`?([\w@][\w.@/-]{0,60}\w)`?"
_ENDS = r"\s{0,3}(?:\?|!|\.|\n|\Z)"
_OF_A_PROJECT = {
    "authorship": lazy_pattern(rf"(?i){WHO_WROTE} {_OF_A_NAME}{_ENDS}", cues="who"),
    "setup": lazy_pattern(
        rf"(?i)(?:\b{HOW_TO}|\A\W{{0,3}})(?:install|set ?up|build|compile) {_OF_A_NAME}(?: locally| here"
        rf"| (?:on|in|with|from|using|via|under) [^?.!\n]{{1,48}})?{_ENDS}",
        cues="install|set|build|compile",
    ),
    "testing": lazy_pattern(
        rf"(?i)\b{HOW_TO}(?:test {_OF_A_NAME}|run (?:the )?(?:unit )?tests? (?:suite )?(?:of|for|in) "
        rf"{_OF_A_NAME}|run {_OF_A_NAME}(?:'s|’s) (?:unit )?tests?(?: suite)?){_ENDS}",
        cues="test",
    ),
    "releasing": lazy_pattern(
        rf"(?i)\b{HOW_TO}(?:release|publish|ship|(?:cut|make|create|do|prepare|tag) (?:an?|the) (?:new |next )?"
        rf"(?:release|version) of) {_OF_A_NAME}{_ENDS}",
        cues=RELEASE_CUES,
    ),
}
"""How one asks of a project by its name, by the value of the intent."""
_INTENT_PATTERNS = {
    Intent.TESTS: re.compile(
        r"\b(?:tests|unit ?tests?|test (?:suite|case|file|function|class|for|of|that)s?|tested|pytest|unittest|"
        r"fixtures?|specs?|covered|(?:which|what|a|the|another|more) test|getestet|pruebas?|"
        r"probad[ao]s?)\b|テスト|测试|測試"
    ),
    Intent.EXAMPLES: re.compile(r"(?<!for )\b(?:examples?|samples?|demos?|tutorials?|benchmarks?|snippets?)\b"),
    Intent.HISTORY: re.compile(
        r"\b(?:changelogs?|change ?logs?|release notes?|what changed|(?:when|which (?:version|release)) .{0,40}"
        r"(?:added|introduced|removed|deprecated|changed|fixed|dropped|released)|history of|what(?:'?s| is| was) new"
        r"|breaking changes?|news entry"
        r"|(?:new|changes?|changed|added|fixed|removed) (?:in|since|with) (?:version |release )?v?\d+\.\d+)\b"
    ),
    Intent.DOCS: re.compile(r"\b(?:docs?|documentation|documented|readme|guides?|manual|tutorials?|docs page)\b"),
    Intent.CONFIG: re.compile(
        r"\b(?:defaults?|settings?|config(?:ur\w{1,12})?|options?|environment variables?|env vars?|flags?|"
        r"(?:lowest|minimum|supported|required|allowed) .{0,30}versions?|dependenc(?:y|ies))\b"
    ),
    Intent.DEFINITION: re.compile(
        r"\b(?:defined?|definition|declared?|declaration|implemented|implementation|lives?|what does|what is)\b"
    ),
    Intent.OVERVIEW: re.compile(
        rf"\bwhat(?: does|'s| is| are| do) (?:this|the|our|that|your) {WHOLE}(?: all)?(?: (?:do|does|about|for"
        rf"|good for|used for))?(?: exactly)?\s{{0,3}}(?:[?.!\n]|\Z)"
        rf"|\b(?:overview|introduction|tour|purpose|architecture|summary) (?:of|to|for) (?:this|the|our|your) (?:whole "
        rf"|entire )?{WHOLE}"
        rf"|\b(?:explain|review|summari[sz]e|describe|understand|introduce|audit)(?: me| to me)? (?:this|our|your|the"
        rf"|my)(?: whole| entire)? {WHOLE}(?: to me)?\s{{0,3}}(?:[?.!,;\n]|and\b|\Z)"
        r"|\b(?:explain|summari[sz]e|describe|understand|introduce)(?: me| to me)? (?:our|your|the|my)(?: whole"
        r"| entire)? code(?!\.?\w)(?: to me)?\s{0,3}(?:[?.!,;\n]|and\b|\Z)"
    ),
    Intent.SETUP: lazy_pattern(
        r"\b(?:get|getting) started(?: (?:with|here|in) (?:this|it|here|the|our)\b[\w ]{0,20})?\s{0,3}(?:[?.!\n]|\Z)"
        rf"|{ASKS_TO_SET_UP}"
        r"|\bwhere (?:do|should|can|to) (?:i |we |you )?(?:start|begin)\s{0,3}(?:[?.!\n]|\Z)",
        cues=f"started|install|set|build|compil|{HOW_TO_CUES}|where do|where should|where can|where to",
    ),
    Intent.TESTING: lazy_pattern(ASKS_TO_TEST, cues="test|spec"),
    Intent.PACKAGES: lazy_pattern(
        r"\b(?:list|show|name|enumerate|which|what)\b[^?.!\n]{0,24}\b(?:packages|crates|workspaces|sub-?projects|apps)\b"
        rf"[^?.!\n]{{0,24}}\b(?:this|the|our) {WHOLE}(?: (?:have|has|contain|consist of|include))?"
        r"\s{0,3}(?:[?.!\n]|\Z)",
        cues="packages|crates|workspaces|project|apps",
    ),
    Intent.AUTHORSHIP: lazy_pattern(ASKS_WHO_WROTE, cues="who"),
    Intent.RELEASING: lazy_pattern(ASKS_TO_RELEASE, cues=RELEASE_CUES),
}
_SETTINGS = r"(?:config(?:uration)?s?|settings?|options?|flags?|environment variables?|env vars?)(?: files?)?"
_TREATS = r"(?:pars|read|load|reload|writ|sav|validat|merg|process|persist|migrat|watch)(?:e[drs]?|s|ing|ten)?"
_CODE_OF_SETTINGS = lazy_pattern(
    rf"\b(?:{_SETTINGS} (?:(?:is|are|gets?|was|were) )?(?:being )?{_TREATS}"
    rf"|{_TREATS} (?:(?:the|an?|its|our|their|all|any|this|user|\w+'s) ){{0,2}}{_SETTINGS})\b",
    cues="config|setting|option|flag|env",
)
"""Asks for code ("where is the config file parsed?"), which the values of a configuration do not answer."""


class Question(NamedTuple):
    """A parsed question, as the rankers use it.

    ``words`` are lower-case and distinct, in order, stop words removed, compound identifiers both whole and split;
    ``identifiers`` are as typed; ``proper`` are lower-case words that cannot be paraphrased: identifiers and names
    capitalized inside a sentence; ``paths`` use ``/``; ``phrases`` are runs of lower-case words to match in sequence;
    ``quoted`` the same for quoted text.

    A question that is one name, stop words aside, has it in ``subject``: as typed, after its qualifiers; one that asks
    only where or what a word is that may be English as well as a name has it in ``word``; a question that is one path
    has it in ``path``. ``spoken`` are runs of lower-case words that may be the parts of one name.
    ``literals`` are the quoted texts of several words, longest first; ``sentence`` is the whole text when it is not a
    question and short enough to be an error message. ``printed`` are the runs of words of a message that a program
    printed, between the values that it filled in (quoted texts, numbers), in order. ``toolchain`` is the language whose
    version is all that is asked for: ``go`` of "which go version do I need". ``versions`` are lower-case words too:
    ``3.20`` of a question about versions, and protocols with theirs, ``http/2``. ``fragment`` is the whole text where
    it is a piece of code, mostly signs: it is the first of ``literals``. ``acts`` are lower-case words that say what is
    done, as ``decide`` in "where do we decide the etag?": code says that otherwise more often than what it is done to.
    ``ticked`` is the one name of code that stands in backticks, in a sentence that has no other. ``workings`` is the
    one word whose workings are all that is asked for: ``retry`` of "the retry logic". ``document`` is the name of
    a document that every project has, where a text asks for nothing else, as typed: ``readme``, ``Changelog``.
    """

    words: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    proper: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    quoted: tuple[tuple[str, ...], ...] = ()
    intents: frozenset[Intent] = frozenset()
    subject: tuple[str, ...] = ()
    word: str = ""
    path: str = ""
    literals: tuple[str, ...] = ()
    sentence: str = ""
    spoken: tuple[tuple[str, ...], ...] = ()
    printed: tuple[str, ...] = ()
    toolchain: str = ""
    versions: tuple[str, ...] = ()
    fragment: str = ""
    acts: frozenset[str] = frozenset()
    ticked: str = ""
    workings: str = ""
    document: str = ""


_QUESTIONS_KEPT = 8
"""One answer asks for its question three times; a paste may be long, so few are kept."""


@lru_cache(_QUESTIONS_KEPT)
def parse_question(text: str) -> Question:
    """Parse ``text``; never raises, an empty or wordless text gives an empty ``Question``."""
    text = _without_proviso(_PLURAL_ACRONYM.sub(r"\1", readable(text)))
    for asks, verb in ((_WHERE, _PLACE_VERB), (_HOW, _WORK_VERB)):
        if said := asks.search(text):
            text = text[: said.end()] + verb.sub("", text[said.end() :])
    quoted = [next(part for part in match if part) for match in _QUOTED.findall(text)]
    paths = _paths(text)
    # Scripts without spaces stand directly beside the names of code.
    spaced = text if text.isascii() else _BESIDE_WIDE.sub(" ", text)
    identifiers, toolchain = _identifiers(spaced, quoted, paths), _toolchain(text)
    subject = () if toolchain else _subject(text)
    intents, fragment = _intents(text), _fragment(text)
    versions = _versions(text, intents)
    return Question(
        words=_with_options(_with_versions(text, versions), text),
        identifiers=identifiers,
        proper=_proper(spaced, identifiers) | frozenset(versions),
        paths=paths,
        phrases=_phrases([text]),
        quoted=_phrases(quoted),
        intents=intents,
        subject=subject,
        word=_word(text, subject),
        path=_path(text, paths),
        literals=(*([fragment] if fragment else []), *_literals(quoted)),
        sentence=text if _is_message(text) else "",
        spoken=_spoken(text),
        printed=_printed(text, quoted),
        toolchain=toolchain,
        versions=versions,
        fragment=fragment,
        acts=_acts(text),
        ticked=_ticked(text, identifiers),
        workings=_workings(text),
        document=_document(text),
    )


_TESTS = (
    r"(?:(?:all|any|the|our|my|its|existing|current|unit|other|of) ){0,4}(?:tests?|specs?)(?: suite)?"
    r"(?! (?:case|file|for|of)s?\b)"
)
_PASS = r"(?:\w+ ){0,2}(?:pass(?:es|ing)?|green|work(?:s|ing)?|succeed(?:s|ing)?|running|intact|unbroken|happy)"
_PROVISO = lazy_pattern(
    r"(?:(?<=[.;!?])\s{1,3}|[,;]?\s{1,3}(?:and|but|while|so(?: that)?|then|please)\s{1,3}|,\s{1,3}"
    r"|\s{1,3}(?=without\s))"
    r"(?:please |also |then |still |do ){0,2}"
    rf"(?:keep(?:ing)? {_TESTS} {_PASS}"
    rf"|(?:mak(?:e|ing) sure|ensur(?:e|ing)|check(?:ing)?)(?: that)? {_TESTS} {_PASS}"
    rf"|{_TESTS} (?:must|should|have to|need to|still|keep|stay|remain) {_PASS}"
    rf"|(?:without|don'?t|do not|not|never) break(?:ing)? {_TESTS})\b[ .!]{{0,3}}",
    re.IGNORECASE,
    cues="test|spec",
)
"""What an order says of the tests besides what it asks for: they are to pass afterwards, too."""


def _without_proviso(text: str) -> str:
    """Return an order without the condition that the tests still pass, where it asks for anything else."""
    rest = _PROVISO.sub(" ", text) if len(text) <= READ_CHARS and _PROVISO.search(text) else text
    return rest if rest != text and _without_stop_words(rest) else text


_WHOM = r"(?:an?|the|all|each|every|some|any|this|that|these|those|my|our|its?|them|only|both|another)"
_ACT = lazy_pattern(
    r"\b(?:we|i|you|they|it|(?:do|does|did|can|could|must|should|will|would) (?:the|our|this|my)"
    r" (?:code|project|library|app|server|client|program|tool|framework)) ([a-z]{3,20})\b"
    rf"|\bto ([a-z]{{3,20}})(?= {_WHOM}\b)|\A\W{{0,3}}([a-z]{{3,20}})(?= {_WHOM}\b)",
    re.IGNORECASE,
)
_ASKING = frozenset(["how", "where", "what", "which", "who", "when", "why", "are", "does", "can"])


_TICKED = lazy_pattern(r"`([^\W\d]\w{1,80})(?:\(\))?`", cues="`")


def _ticked(text: str, identifiers: Sequence[str]) -> str:
    """Return the one name that a text writes between backticks, where it has no other name of code; "" otherwise."""
    ticked = set(_TICKED.findall(text[:LONGEST_SUBJECT]))
    return ticked.pop() if len(ticked) == 1 and ticked.issuperset(identifiers) else ""


_DOCUMENT = lazy_pattern(
    r"(?i)\W*+(?:(?:open|read|find|show(?: me)?|where(?:['’]?s| is)|what(?:['’]?s| is))\s+)?"
    r"(?:(?:the|our|its|this)\s+)?(?:project(?:['’]s)?\s+)?"
    r"(read ?me|licen[sc]e|change ?log|release ?notes|contributing(?: guide)?|code of conduct)"
    r"(?:\s+(?:file|document))?\W*+",
    cues="me|licen|log|notes|contributing|conduct",
)


def _document(text: str) -> str:
    """Return the name of a document that every project has, where a short text asks for nothing else."""
    found = _DOCUMENT.fullmatch(text) if len(text) <= LONGEST_SUBJECT else None
    return found[1] if found is not None else ""


_OF_WORKINGS = lazy_pattern(
    r"(?i)\W*+(?:(?:where|what|how)(?:['’]?s| is| are| does)?\s+|(?:show(?: me)?|find|explain)\s+)?"
    r"(?:(?:the|our|its)\s+)?([^\W\d]\w{2,60})\s+(?:logic|machinery|mechanism|handling|implementation|code)"
    r"(?:\s+(?:defined|located|implemented|working|works?|lives?))?\W*+",
    cues="logic|machinery|mechanism|handling|implementation|code",
)


def _workings(text: str) -> str:
    """Return the one word whose workings a short text asks for; "" for any other text."""
    found = _OF_WORKINGS.fullmatch(text) if len(text) <= LONGEST_SUBJECT else None
    return "" if found is None or found[1].lower() in QUESTION_WORDS else found[1]


def _acts(text: str) -> frozenset[str]:
    """Return the words behind who does something, and those that order it done to something."""
    found = (word.lower() for groups in _ACT.findall(text[:READ_CHARS]) for word in groups if word)
    return frozenset(found) - _ASKING


_LANGUAGE = r"(go|golang|python|node|nodejs|node\.js|rust|rustc|java|jdk|ruby|php|elixir)"
_TOOLCHAIN = lazy_pattern(
    rf"(?i)(?<![\w./-]){_LANGUAGE} (?:version|release)s?(?![\w/.-]\w)"
    rf"|\bversions? of (?:the )?{_LANGUAGE}(?![\w/-]|\.\w)",
    cues="version|release",
)
_OF_A_VERSION_LINES = """
version versions release releases minimum minimal lowest oldest latest newest least need needs needed require requires
required support supports supported run runs build builds compile work works install
"""
_OF_A_VERSION = frozenset(_OF_A_VERSION_LINES.split())


def _toolchain(text: str) -> str:
    """Return the language whose version is all that a short text asks for; "" for any other text."""
    found = _TOOLCHAIN.search(text) if len(text) <= LONGEST_SUBJECT else None
    if found is None:
        return ""
    language = (found.group(1) or found.group(2)).lower()
    others = {word.lower() for word in _RUN_WORD.findall(_APOSTROPHE.sub("", text))} - set(_RUN_WORD.findall(language))
    return language if others <= QUESTION_WORDS | _OF_A_VERSION | REQUEST_WORDS else ""


def project_asked_of(text: str) -> tuple[Intent, str] | None:
    """Return what a text asks of a project by its name, if it is one, with that name in lower case: who wrote it, how
    it is installed, tested or released; None for any other text.
    """
    if len(text) > LONGEST_SUBJECT:
        return None
    for intent, pattern in _OF_A_PROJECT.items():
        if (found := pattern.search(text)) is not None:
            return Intent(intent), next(name for name in found.groups() if name).lower()
    return None


def owners_of(name: str, text: str) -> frozenset[str]:
    """Return the names that the text writes directly before a dotted name; ``self`` owns nothing."""
    name = name.rstrip("".join(SIGNS))
    dotted = [IDENTIFIER.findall(one) for one in _DOTTED.findall(text)]
    before = (one[one.index(name) - 1] for one in dotted if name in one[1:])
    return frozenset(before) - {"self", "cls", "this"}


SIGNS = ("?", "!", "=")
"""The signs that end names of methods in Ruby."""
_OF_DATA = frozenset({"key", "table", "section", "entry"})
"""The kinds of definitions that are no code: of settings and of documents."""


def with_signs(question: Question, text: str, reader: Reader) -> Question:
    """Return the question with the names of Ruby that the text writes with their sign, as in ``run!``, instead of the
    words before the sign, which are other names.

    Only names that the index defines. A mark behind the last word of a sentence is one of a name only where that word
    is all the sentence asks for or is joined as code, and nothing is called so without it.
    """
    bare = text.strip().removesuffix("?")
    if not (question.subject or any(sign in bare for sign in SIGNS) or _is_code(bare.rpartition(" ")[2])):
        return question
    written = {found.group(): found for found in _SIGNED.finditer(readable(text))}
    if not written:
        return question
    try:
        folded = {part.lower() for name in written for part in (name, name[:-1])}
        defined = {hit.name for hit in reader.names.definitions(folded) if hit.kind not in _OF_DATA}
    except QueryBudgetError:
        return question
    names = {}
    for name, found in written.items():
        word = name[:-1]
        is_told = word in question.subject[-1:] or _is_code(word)
        is_name = not _ends_sentence(found) or (is_told and word not in defined)
        if name in defined and is_name:
            names[word] = name
    if not names:
        return question
    *owners, last = question.subject or ("",)
    others = (names.get(name, name) for name in question.identifiers)
    return question._replace(
        identifiers=tuple(dict.fromkeys((*names.values(), *others)))[:MAX_NAMES],
        subject=(*owners, names.get(last, last)) if last else (),
        word="" if question.word in names else question.word,
    )


def _ends_sentence(found: re.Match[str]) -> bool:
    """Return whether the sign of a name may be the mark of a sentence: not in a text that is the name alone."""
    rest = found.string[found.end() :].lstrip(" \t")
    is_end = found.group().endswith("?") and (not rest or rest[0] == "\n" or rest[0].isupper())
    return is_end and bool(re.search(r"\s", found.string.strip()))


def _is_message(text: str) -> bool:
    is_question = text.rstrip().endswith(("?", "？"))
    return not is_question and len(text) <= LONGEST_SUBJECT and len(_RUN_WORD.findall(text)) > PHRASE_WORDS


def printed_runs(message: str) -> tuple[str, ...]:
    """Return the runs of words of a message that a program printed, between the values that it filled in."""
    parts = _FILLED_IN.sub("\0", message[:LONGEST_SUBJECT]).split("\0")
    return tuple(run for part in parts if (run := " ".join(_RUN_WORD.findall(part))))


def _printed(text: str, quoted: list[str]) -> tuple[str, ...]:
    """Return the runs of words of the message that a program printed; none where nothing shows that it is one: what
    stands before it (``Error: ``), a value among its words, or that it tells a state (``channel disconnected``).
    """
    head = _ERROR_HEAD.search(text[:READ_CHARS])
    if head is not None:
        runs = printed_runs(text[head.end() :].partition("\n")[0])
        return runs if len(" ".join(runs).split()) > 1 else ()
    is_whole = len(text) <= LONGEST_SUBJECT and not text.rstrip().endswith(("?", "？"))
    for message in (*_literals(quoted), *([text.strip()] if is_whole else [])):
        runs = printed_runs(message)
        words = " ".join(runs).split()
        if len(words) >= PHRASE_WORDS and _FILLED_IN.search(message) is not None:
            return runs
        if len(runs) == 1 and 1 < len(words) <= PHRASE_WORDS and _STATE.search(runs[0]) is not None:
            return runs
    return ()


def without_values(question: Question, text: str) -> Question:
    """Return the question of a printed message without the words of the values that it quotes."""
    left = set(_content_words(_QUOTED.sub(" ", text)))
    return question._replace(
        words=tuple(word for word in question.words if word in left), proper=question.proper & left
    )


def readable(text: str) -> str:
    """Truncate a long text to its start and its end, where error messages are."""
    if len(text) > 2 * READ_CHARS:
        text = f"{text[:READ_CHARS]}\n{text[-READ_CHARS:]}"
    # Who writes in capitals throughout names nothing by them.
    if text.isupper() and text.count(" ") >= PHRASE_WORDS and "_" not in text:
        text = text.lower()
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _options(text: str) -> list[str]:
    """Return the options of a command as names: ``--max-restarts`` is ``max_restarts``."""
    return [name.replace("-", "_") for name in _OPTION.findall(text)][:MAX_NAMES]


def _with_options(words: tuple[str, ...], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*words, *_options(text))))[:MAX_WORDS]


def _versions(text: str, intents: frozenset[Intent]) -> tuple[str, ...]:
    """Return the versions that a text names, as words: numbers only where it is about versions, ``1.5`` may be
    anything.
    """
    read = text[:READ_CHARS]
    is_about = Intent.HISTORY in intents or bool(_OF_VERSIONS.search(read) or _VERSION.fullmatch(read.strip()))
    found = [*(_VERSION.findall(read) if is_about else ()), *map(str.lower, _PROTOCOL.findall(read))]
    return tuple(dict.fromkeys(found))[:MAX_NAMES]


def _with_versions(text: str, versions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the text with its versions, which are no words of their own in parts."""
    for version in versions:
        if version[0].isdigit():
            text = re.sub(rf"(?<![\w.])[vV]?{re.escape(version)}(?!\w)", " ", text)
    return tuple(dict.fromkeys((*_content_words(text), *versions)))[:MAX_WORDS]


def _fragment(text: str) -> str:
    """Return the text where it is a piece of code that no name or path stands for: ``/{id:[0-9]+}``; "" otherwise."""
    text = text.strip().strip("`")
    if not 0 < len(text) <= LONGEST_SUBJECT or not 0 < len(_RUN_WORD.findall(text)) <= FRAGMENT_WORDS:
        return ""
    signs = sum(character in _SIGNS_OF_CODE for character in text)
    return text if signs >= max(LEAST_SIGNS, SHARE_OF_SIGNS * len(text)) else ""


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
    slashed = (path for path in _PATH.findall(text) if _PROTOCOL.fullmatch(path) is None)
    found = (path.replace("\\", "/").strip("./~") for path in (*slashed, *named))
    return tuple(dict.fromkeys(path for path in found if len(path) > 2))[:MAX_NAMES]


def _identifiers(text: str, quoted: list[str], paths: tuple[str, ...]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    path_parts = {part for path in paths for part in _RUN_WORD.findall(path)}
    for dotted in _DOTTED.findall(text):
        if dotted.rpartition(".")[2].lower() in _FILE_EXTENSIONS:
            continue
        parts = IDENTIFIER.findall(dotted)
        names.update(dict.fromkeys(reversed(parts)))
    names.update(dict.fromkeys(_options(text)))
    names.update(dict.fromkeys(_CALLED.findall(text)))
    names.update(dict.fromkeys(part for part in quoted if IDENTIFIER.fullmatch(part)))
    names.update(dict.fromkeys(token for token in IDENTIFIER.findall(text) if _is_code(token)))
    return tuple(name for name in names if len(name) > 1 and (name not in path_parts or _is_code(name)))[:MAX_NAMES]


def _is_code(token: str) -> bool:
    """Return whether the token joins several words as only code does. A name with a number, like ``sha256``, is a
    word.
    """
    return "_" in token.strip("_") or sum(not part.isdigit() for part in split_identifier(token)) > 1


def _proper(text: str, identifiers: tuple[str, ...]) -> frozenset[str]:
    """Return words that are not paraphrased: typed identifiers, and capitalized names that do not start a sentence."""
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
    """Return windows of three words within one run of text; placeholders, numbers and punctuation end a run."""
    windows: dict[tuple[str, ...], None] = {}
    for text in texts:
        for run in _BREAK.split(_PLACEHOLDER.sub(" . ", text)):
            words = [word.lower() for word in _RUN_WORD.findall(run)]
            for start in range(max(0, len(words) - PHRASE_WORDS) + 1 if len(words) > 1 else 0):
                window = tuple(words[start : start + PHRASE_WORDS])
                if sum(word not in QUESTION_WORDS for word in window) >= (1 if len(window) == PHRASE_WORDS else 2):
                    windows[window] = None
    return tuple(windows)[:MAX_PHRASES]


def _spoken(text: str) -> tuple[tuple[str, ...], ...]:
    """Return runs of adjacent words, stop words between none of them, longest first: "cache control" may mean
    ``cache_control``.
    """
    runs: list[list[str]] = [[]]
    for token in _TOKEN.findall(_APOSTROPHE.sub("", text)):
        word = token.lower()
        if word.isalnum() and word.isascii() and word not in QUESTION_WORDS:
            runs[-1].append(word)
        else:
            runs.append([])
    found = (
        tuple(run[start : start + length])
        for length in range(MAX_SPOKEN_PARTS, 1, -1)
        for run in runs
        for start in range(len(run) - length + 1)
    )
    return tuple(dict.fromkeys(found))[:MAX_SPOKEN]


def _without_stop_words(text: str) -> list[str]:
    """Return the words that are not stop words; all of them where there is no other."""
    words = _RUN_WORD.findall(_APOSTROPHE.sub("", text))
    return [word for word in words if word.lower() not in QUESTION_WORDS] or words


_KIND_WORDS = frozenset(["class", "function", "method", "decorator", "exception", "constant", "variable", "module"])


def _of_kind(words: list[str]) -> list[str]:
    """Return the one name next to a word such as "class"; a class typed in lower case begins with a capital."""
    names = [word for word in words if word.lower() not in _KIND_WORDS]
    is_class = any(word.lower() in {"class", "exception"} for word in words)
    return [name.capitalize() if is_class and name.islower() else name for name in names] or words


_TASK_WORD_LINES = """
add adding break breaks broken bug bugs comment debug delete deprecate error errors extend fail failed failing fails
failure fix fixing inspect investigate issue move optimize patch refactor remove rename repair replace reproduce rerun
review rewrite reuse run simplify split summarize understand write change update
"""
_TASK_WORDS = frozenset(_TASK_WORD_LINES.split())


def is_task_word(word: str) -> bool:
    """Return whether the word says what to do with what the question names, and not what that is."""
    return word in _TASK_WORDS


def _without_task_words(words: list[str]) -> list[str]:
    """Return the one name, written as code, that the words say what to do with; all words where there is none."""
    names = {word for word in words if _is_code(word)}
    is_test = any(name.lower().startswith("test") for name in names)
    others = {word.lower() for word in words if word not in names} - ({"test", "tests"} if is_test else set())
    return list(names) if len(names) == 1 and others <= _TASK_WORDS else words


def _subject(text: str) -> tuple[str, ...]:
    if len(text) > LONGEST_SUBJECT:
        return ()
    telling = _without_task_words(_without_stop_words(text))
    dotted = [IDENTIFIER.findall(name) for name in _DOTTED.findall(text)]
    if len(dotted) == 1 and set(telling) <= set(dotted[0]):
        # A member may be called like a stop word: "what does app.use do".
        return tuple(dotted[0])
    if len(telling) == 2 and any(word.lower() in _KIND_WORDS for word in telling):
        # "the RequestContext class" asks for the one name, in whatever case.
        telling = _of_kind(telling)
    if len(telling) == 1:
        is_name = IDENTIFIER.fullmatch(telling[0]) and not _is_of_a_file(telling[0], text)
        return tuple(telling) if is_name else ()
    return ()


def _word(text: str, subject: tuple[str, ...]) -> str:
    """Return the subject where it is a plain word and the text asks for nothing but what or where that is: "how does a
    refund work" asks for more than what is called ``refund``.
    """
    if len(subject) != 1 or is_compound(subject[0]):
        return ""
    return subject[0] if _ONE_WORD.fullmatch(text) else ""


def _is_of_a_file(word: str, text: str) -> bool:
    """Return whether the word says which file is meant: "the pid file" asks for no definition of ``pid``."""
    return not _is_code(word) and re.search(rf"(?i)(?<!\w){re.escape(word)} files?\b", text) is not None


def _path(text: str, paths: tuple[str, ...]) -> str:
    """Return the path that is the whole question; a short text without stop words may be a file name."""
    if len(text) > LONGEST_SUBJECT:
        return ""
    if len(paths) == 1 and set(_without_stop_words(text)) <= set(_RUN_WORD.findall(paths[0])):
        return paths[0]
    return text.strip().removeprefix("./") if len(text.split()) <= PHRASE_WORDS else ""


def _literals(quoted: list[str]) -> tuple[str, ...]:
    texts = [part for part in quoted if len(_RUN_WORD.findall(part)) > 1 or is_compound(part)]
    return tuple(sorted(dict.fromkeys(texts), key=len, reverse=True))[:MAX_LITERALS]


def _intents(text: str) -> frozenset[Intent]:
    folded = text[:READ_CHARS].lower()
    found = {intent for intent, pattern in _INTENT_PATTERNS.items() if pattern.search(folded)}
    if Intent.CONFIG in found and not _INTENT_PATTERNS[Intent.CONFIG].search(_CODE_OF_SETTINGS.sub(" ", folded)):
        found.remove(Intent.CONFIG)
    if Intent.TESTING in found:
        # Who runs the tests asks for no test.
        found.discard(Intent.TESTS)
    return frozenset(found)


MAX_TERMS = 16
CORE_POSTINGS = 2_000
RANKED_POSTINGS = 8_000
COUNTED_POSTINGS = 200_000
COMMON_SHARE = 0.5

# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), usual values.
K1 = 1.2
B = 0.75


class Term(NamedTuple):
    """A word of the question; ``frequency`` is its document frequency in chunks, ``weight`` its IDF."""

    word: str
    frequency: int
    weight: float


def weigh_terms(words: Iterable[str], frequency: Mapping[str, int], items: int) -> tuple[Term, ...]:
    """Return every word with its IDF, in the given order; ``items`` is the number of chunks in the index."""
    return tuple(Term(word, frequency.get(word, 0), idf(frequency.get(word, 0), items)) for word in words)


def idf(frequency: int, items: int) -> float:
    """Return BM25's inverse document frequency, in the form that stays positive for words in over half of the
    chunks.
    """
    items = max(items, frequency)
    return math.log1p((items - frequency + 0.5) / (frequency + 0.5))


def select_terms(terms: Sequence[Term], items: int) -> tuple[Term, ...]:
    """Select the known terms to search for, rarest first: at most ``MAX_TERMS``, words in over half of the chunks
    only if there is no other, and beyond the second term only while the posting lists that BM25 must count sum to at
    most ``COUNTED_POSTINGS``.
    """
    known = sorted((term for term in terms if term.frequency), key=lambda term: (term.frequency, term.word))
    telling = [term for term in known if term.frequency <= COMMON_SHARE * items] or known
    counted = accumulate(term.frequency for term in telling)
    affordable = sum(postings <= COUNTED_POSTINGS for postings in counted)
    return tuple(telling[: min(MAX_TERMS, max(2, affordable))])


def match_expression(terms: Sequence[Term]) -> str:
    """Build a MATCH expression of the terms (rarest first); its phrases begin with the terms in their order.

    The cost of a query is the postings it visits. So the rarest terms, as many as sum to ``CORE_POSTINGS``, decide what
    matches; the others are only counted in those matches.
    """
    core, postings = 1, terms[0].frequency
    while core < len(terms) and postings + terms[core].frequency <= CORE_POSTINGS:
        postings += terms[core].frequency
        core += 1
    decisive = any_of(term.word for term in terms[:core])
    others = any_of(term.word for term in terms[core:])
    return _decided_by(decisive, others)


def narrower_expression(terms: Sequence[Term]) -> str:
    """Build a MATCH expression that requires the two rarest terms, or the only one in a name; its phrases keep their
    order.

    In a large index even the rarest term may match too many chunks to rank. Returns "" where it does not.
    """
    if terms[0].frequency <= RANKED_POSTINGS:
        return ""
    if len(terms) == 1:
        return f"names : {phrase(terms[0].word)}"
    both = " AND ".join(phrase(term.word) for term in terms[:2])
    others = any_of(term.word for term in terms[2:])
    return _decided_by(both, others)


def _decided_by(decisive: str, others: str) -> str:
    """Match ``decisive``; append the phrases of ``others``, which are counted only in its matches."""
    return f"({decisive}) OR (({others}) AND ({decisive}))" if others else decisive


def any_of(texts: Iterable[str]) -> str:
    """Build a MATCH expression that matches any of the texts; each is quoted, so no part is an operator."""
    return " OR ".join(map(phrase, texts))


def bm25(weights: Sequence[float], evidence: MatchCounts) -> float:
    """Score with BM25 over weighted fields; ``weights`` belong to the expression's first phrases, in order."""
    length = 1 - B + B * evidence.length / max(1.0, evidence.average_length)
    return sum(
        weight * count * (K1 + 1) / (count + K1 * length)
        for weight, count in zip(weights, evidence.counts, strict=False)
        if count
    )


def bm25f(weights: Sequence[float], evidence: MatchCounts) -> float:
    """Score with BM25F: like ``bm25``, for counts already normalized by each field's length (Zaragoza et al., TREC
    2004).
    """
    return sum(
        weight * count * (K1 + 1) / (count + K1)
        for weight, count in zip(weights, evidence.counts, strict=False)
        if count
    )


def highest_score(terms: Sequence[Term]) -> float:
    """Return the limit of BM25 as every term's count grows."""
    return (K1 + 1) * sum(term.weight for term in terms)


def coverage(terms: Sequence[Term], present: Iterable[str]) -> float:
    """Return the share, 0..1, of the terms' total IDF that the present words have; 0 without terms."""
    total = sum(term.weight for term in terms)
    found = frozenset(present)
    return sum(term.weight for term in terms if term.word in found) / total if total else 0.0


def rarest_missing(terms: Sequence[Term], present: Iterable[str]) -> float:
    """Return the IDF of the rarest term that is not present, as a share, 0..1, of the rarest term's; 0 where all are
    present.
    """
    found = frozenset(present)
    missing = max((term.weight for term in terms if term.word not in found), default=0.0)
    return missing / max(term.weight for term in terms) if missing else 0.0
