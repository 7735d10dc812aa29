"""Tokenize text, the same way for chunks and questions.

Pure. The patterns here are runs of one character class, single or possessive: they cannot backtrack on adversarial
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, cast


class _DeferredPattern:
    def __init__(self, source: str, flags: int, cues: tuple[str, ...]) -> None:
        self._source, self._flags, self._cues = source, flags, cues
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._compiled is None and self._cues and name in _NO_MATCH:
            return partial(self._ask, name)
        found = getattr(self._compile(), name)
        # Found without this call from now on: looking a method up costs more than matching a short line.
        setattr(self, name, found)
        return found

    def _compile(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled

    def _ask(self, name: str, text: str, *at: int) -> Any:
        if text.isascii():
            folded = text.lower()
            if not any(cue in folded for cue in self._cues):
                return _NO_MATCH[name]()
        return getattr(self._compile(), name)(text, *at)


_NO_MATCH: dict[str, Callable[[], Any]] = {
    "search": lambda: None,
    "match": lambda: None,
    "fullmatch": lambda: None,
    "findall": list,
    "finditer": lambda: iter(()),
}


def lazy_pattern(source: str, flags: int = 0, *, cues: str = "") -> re.Pattern[str]:
    """Return a pattern that is compiled at its first use: a long one costs a short command more than all it finds.

    Of ``cues``, separated by ``|`` and in lower case, each match in ASCII text has one: a text without any is not
    searched, and the pattern not compiled for it.
    """
    return cast("re.Pattern[str]", _DeferredPattern(source, flags, tuple(cues.split("|")) if cues else ()))


IDENTIFIER = re.compile(r"[^\W\d]\w*")
_WIDE = lazy_pattern(r"[぀-ヿ㐀-鿿가-힯豈-﫿]{2,}")
_RUN = re.compile(r"[A-Z]+(?![^\W\dA-Z_])|[A-Z]?[^\W\dA-Z_]+|\d+")

# Only these have parts, and they are few. Possessive, so that a failed match does not backtrack.
_MIXED = re.compile(r"\b[^\W\d][^\WA-Z0-9]*+[A-Z0-9]\w*+")
_PARTS_KEPT = 1 << 13
_LONG = 100


def split_identifier(identifier: str) -> list[str]:
    """Split at ``_``, case and digits, lower-cased: ``parseHTTPHeader2`` gives ``parse http header 2``."""
    return [*_kept_split(identifier)] if len(identifier) < _LONG else _split(identifier)


def is_compound(identifier: str) -> bool:
    """Return whether the identifier consists of more than one word, so that it is worth a match of its own."""
    return len(split_identifier(identifier)) > 1


def camel_parts(text: str) -> Iterator[str]:
    """Yield the parts of each distinct camel-case identifier of ``text``; FTS5's tokenizer splits snake case itself."""
    # Most text is lower case, and splitting it is far cheaper than a regular expression.
    mixed = " ".join([word for word in text.split() if not word.islower()])
    for identifier in dict.fromkeys(_MIXED.findall(mixed)):
        yield from _kept_parts(identifier) if len(identifier) < _LONG else _parts(identifier)


def wide_pairs(text: str) -> Iterator[str]:
    """Yield the bigrams of Chinese, Japanese or Korean runs, which are written without spaces."""
    if not text.isascii():
        for run in _WIDE.findall(text):
            yield from (run[i : i + 2] for i in range(len(run) - 1))


def _split(identifier: str) -> list[str]:
    return [part.lower() for part in _RUN.findall(identifier)]


_kept_split = lru_cache(_PARTS_KEPT)(_split)


def _parts(identifier: str) -> tuple[str, ...]:
    if identifier.islower() or identifier.isupper():
        return ()
    parts = split_identifier(identifier)
    return tuple(parts) if len(parts) > 1 else ()


_kept_parts = lru_cache(_PARTS_KEPT)(_parts)


def spread(names: Iterable[str]) -> str:
    """Return names as a searchable field: each one whole, followed by its parts."""
    words: list[str] = []
    for name in names:
        words.append(name)
        parts = split_identifier(name)
        if len(parts) > 1:
            words.extend(parts)
    return " ".join(words)


def words_in(text: str) -> frozenset[str]:
    """Return the words of a list written as text."""
    return frozenset(text.split())


WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
HOW_TO = r"how (?:do|can|to|would|should) (?:i |we |you )?"
"""How a question for a procedure begins, as a pattern; ``HOW_TO_CUES`` are its cues."""
HOW_TO_CUES = "how do|how can|how to|how would|how should"
WHOLE = (
    r"(?:project|repo|repository|code ?base|package|library|app|application|tool|program|workspace|mono ?repo)(?!\.?\w)"
)
"""The words for a whole project, as a pattern: not "our app.render", which names a member."""
SETUP_VERBS = "install|set ?up|build|run|use|start|try"
"""What one does first with a project, as a pattern."""
_INSTALLERS = (
    r"(?:home)?brew|mac ?ports|npm|npx|yarn|pnpm|bun|pip|pipx|uv|poetry|conda|mamba|cargo|go (?:get|install|modules?)"
    r"|gem|bundler|composer|apt(?:-get|itude)?|dnf|yum|pacman|apk|nix|zypper|snap|flatpak|docker|vcpkg|conan|c?make|meson|bazel"
    r"|maven|gradle|spm|swift package manager|cocoa ?pods|carthage|choco(?:latey)?|winget|scoop|nuget|hex|luarocks|opam"
    r"|sources?|scratch|windows|linux|macos|mac|ubuntu|debian|fedora|alpine|arch|freebsd|android|ios"
)
"""By what means, or on what, a whole project is installed, as a pattern."""
_FROM_NOTHING = "install|set ?up|build|compile"
ASKS_TO_SET_UP = (
    rf"\b{HOW_TO}(?:(?:{SETUP_VERBS}) (?:this|it|(?:the|our|my) {WHOLE})(?: {WHOLE})?(?: locally| here)?"
    rf"|(?:{_FROM_NOTHING}) (?:(?:this|it|(?:the|our|my) {WHOLE})(?: {WHOLE})?(?: locally| here)?"
    r" (?:on|in|with|from|using|via|under|inside) [^?.!\n]{1,48}"
    r"|(?:from|on) [^?.!\n]{1,48}))\s{0,3}(?:[?.!\n]|\Z)"
    r"|\A\W{0,3}(?:please )?(?:install(?:ing|ation)?|set ?up|build(?:ing)?|compil(?:e|ing))"
    rf"(?: (?:this|it|(?:the|our|my) {WHOLE}))?"
    rf" (?:on|with|from|using|via|through|under|by) (?:an? |the |my )?(?:{_INSTALLERS})\s{{0,3}}(?:[?.!\n]|\Z)"
)
"""How one asks for the first steps with the whole project, as a pattern: where, or by what means, may be said."""
_SOME_TESTS = (
    r"(?:(?:all|the|an?|our|my|your|its|these|single|one|individual|specific|only|just|unit|integration|e2e|end-to-end"
    r"|whole|full|entire|existing|some) ){0,4}(?:unit ?|integration )?(?:tests?|specs?)(?: ?suites?| cases?)?"
)
_OF_IT = (
    rf"(?: (?:of|for|in|on) (?:this|the|our) {WHOLE})?(?: (?:locally|here|myself|manually))?"
    r"(?: (?:on|in|with|from|using|without|under|against) [^?.!\n]{1,40})?\s{0,3}(?:[?.!\n]|\Z)"
)
ASKS_TO_TEST = (
    rf"(?:\b{HOW_TO}(?:run|execute|start|launch|invoke) {_SOME_TESTS}"
    rf"|\bwhat(?:'?s| is|'re| are)?(?: the)? (?:commands?|scripts?|steps|way) (?:\w{{1,8}} ){{0,4}}"
    rf"(?:runs?|running|execut\w{{1,3}}|starts?) {_SOME_TESTS}"
    rf"|\A\W{{0,3}}(?:running|run) {_SOME_TESTS}|\bhow (?:are|is) {_SOME_TESTS} (?:run|executed|started))"
    rf"{_OF_IT}"
)
"""How one asks for the way to run the tests of the project, as a pattern: not for the tests of anything."""
_A_RELEASE = r"(?:an?|the|another|our)? ?(?:new |next |bug-?fix |patch |minor |major ){0,2}(?:release|version)s?"
ASKS_TO_RELEASE = (
    rf"(?:\b{HOW_TO}(?:(?:release|publish|ship) (?:this|it|(?:the|our|my) {WHOLE}|{_A_RELEASE})"
    rf"|(?:cut|make|create|do|prepare|tag|draft) {_A_RELEASE}(?! of \w))"
    rf"|\bhow (?:are|is) (?:this|it|(?:the|our) {WHOLE}|{_A_RELEASE}) (?:released|published|made|cut)"
    r"|\bwhat(?:'?s| is) (?:the|our) releas(?:e|ing) (?:process|procedure|workflow)"
    r"|\A\W{0,3}(?:the )?releas(?:e|ing) (?:process|procedure|checklist))"
    r"(?: (?:here|of (?:this|it)))?\s{0,3}(?:[?.!\n]|\Z)"
)
"""How one asks for the way to release the project, as a pattern."""
RELEASE_CUES = "releas|publish|ship|version|how are|how is"
WHO_WROTE = (
    r"\bwho (?:wrote|made|created|built|authored|maintains?|develop(?:s|ed)|started|owns"
    r"|(?:is|are) (?:the )?(?:authors?|maintainers?|creators?|contributors?) of)"
)
ASKS_WHO_WROTE = rf"{WHO_WROTE} (?:this|it|(?:this|the|our|that) {WHOLE})\s{{0,3}}(?:[?.!\n]|\Z)"
"""How one asks for the authors of the project, as a pattern."""
