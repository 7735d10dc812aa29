"""Ignore files in gitignore syntax, decided as git decides: top down, the last matching line of the deepest file wins.

Pathspec translates the patterns; RE2 matches them, because they come with the repository and must not be able to
stall us. Patterns and paths are compared byte by byte (as Latin-1), so any file name works.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from helix_core.workspace.brackets import bracket

MAX_RULES_BYTES = 256 * 1024
_PRIVATE = 0xE000
_EVERYTHING = "."
_EVERYTHING_INSIDE = "/"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line: what it matches in full (a path relative to its file), whether only folders, and what it decides."""

    pattern: Any
    folders_only: bool
    ignores: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The lines of one ignore file, last first; ``gate`` matches whatever any of them might."""

    rules: tuple[Rule, ...]
    gate: Any

    def decision(self, path: str, is_folder: bool) -> bool | None:
        """True ignore, False keep, None no line speaks of it. ``path`` is relative to the file, Latin-1 decoded."""
        if not self.rules or not self.gate.fullmatch(path):
            return None
        for rule in self.rules:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(path):
                return rule.ignores
        return None


def parse_rules(data: bytes) -> Rules:
    """The rules of an ignore file; lines git would not understand are left out, as git does."""
    return rules_of(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"))


def rules_of(lines: Iterable[str]) -> Rules:
    """The rules of lines already decoded as Latin-1."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    translated = [found for found in map(_translate, lines) if found is not None]
    rules: list[Rule] = []
    sources: list[str] = []
    for source, folders_only, ignores in reversed(translated):
        try:
            rules.append(Rule(re2.compile(source, options=options), folders_only, ignores))
        except re2.error:
            continue
        sources.append(f"(?:{source})")
    if not rules:
        return Rules((), None)
    return Rules(tuple(rules), re2.compile("|".join(sources), options=options))


class RuleTree:
    """The ignore files of a tree by the folder they stand in, plus rules that hold everywhere."""

    def __init__(self, everywhere: Rules, files: Mapping[bytes, Rules]) -> None:
        self._files: dict[bytes, list[Rules]] = {b"": [everywhere]} if everywhere.rules else {}
        for folder, rules in files.items():
            self.add(folder, rules)
        self._folders: dict[bytes, bool] = {b"": False}

    def add(self, folder: bytes, rules: Rules) -> None:
        """Let ``rules`` hold below ``folder`` (``b""`` is the root); tell before asking about paths below it."""
        if rules.rules:
            self._files.setdefault(folder, []).append(rules)

    def ignores(self, path: bytes, is_folder: bool = False) -> bool:
        """Is ``path``, or a folder above it, ignored?"""
        if not self._files:
            return False
        folder = path.rpartition(b"/")[0]
        above = self._folders.get(folder)
        if above is None:
            above = self._folders[folder] = self.ignores(folder, is_folder=True)
        return above or self._decide(path, folder, is_folder)

    def _decide(self, path: bytes, folder: bytes, is_folder: bool) -> bool:
        while True:
            for rules in reversed(self._files.get(folder, ())):
                relative = path[len(folder) + 1 :] if folder else path
                decision = rules.decision(relative.decode("latin-1"), is_folder)
                if decision is not None:
                    return decision
            if not folder:
                return False
            folder = folder.rpartition(b"/")[0]


def _translate(line: str) -> tuple[str, bool, bool] | None:
    """A line as (RE2 source for a full match, folders only, ignores), or None for comments and what cannot match."""
    from pathspec.patterns.gitignore.base import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    text = _without_trailing_spaces(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.removesuffix("/") if folders_only else text
    if not text:
        return None
    # A leading slash changes nothing where another slash already anchors, and keeps ``#`` and ``!`` literal.
    if "/" in text and not text.startswith(("/", "**/")):
        text = "/" + text
    elif text.startswith(("#", "!")):
        text = "\\" + text
    protected = _protect(text)
    if protected is None:
        return None
    try:
        source, _ = GitIgnoreSpecPattern.pattern_to_regex(protected[0])
    except GitIgnorePatternError:
        return None
    if source is None:
        return None
    source = source.translate(protected[1])
    if source == _EVERYTHING:
        source = ".+"
    elif source == _EVERYTHING_INSIDE:
        source = ".+/.+"
    elif source.endswith("/"):
        source += ".+"
    return source, folders_only, ignores


def _protect(text: str) -> tuple[str, dict[int, str]] | None:
    """The pattern with one private character for every bracket expression and white space, and what each stands for.

    Pathspec hands brackets on as they are and strips white space that git keeps. None for a broken bracket.
    """
    kept: list[str] = []
    meanings: dict[int, str] = {}
    text, at = _open_stars(text, meanings), 0
    while at < len(text):
        char, after = text[at], at + 1
        if char == "\\":
            char, after = text[at + 1 : at + 2], at + 2
            kept.append("" if char == "/" else "\\")
        elif char == "[":
            expression = bracket(text, at)
            if expression is None:
                return None
            meanings[_PRIVATE + len(meanings)], after = expression
            char = chr(_PRIVATE + len(meanings) - 1)
        if char.isspace():
            meanings[_PRIVATE + len(meanings)] = f"\\x{{{ord(char):x}}}"
            char = chr(_PRIVATE + len(meanings) - 1)
        kept.append(char)
        at = after
    return "".join(kept), meanings


def _open_stars(text: str, meanings: dict[int, str]) -> str:
    """Git compares the plain beginning of ``/a**/b`` by itself, so that its stars cross folders as ``**/`` would."""
    stars = len(re.split(r"[*?\[\\]", text, maxsplit=1)[0])
    after = len(text) - len(text[stars:].lstrip("*"))
    if (
        after - stars < 2
        or text[after : after + 1] not in ("", "/")
        or text[stars - 1] == "/"
        or not text.startswith("/")
    ):
        return text
    meanings[_PRIVATE] = "(?:.*/)?" if after < len(text) else ".*"
    rest = text[after + 1 :]
    while rest.startswith("**/"):
        rest = rest[3:]
    return text[:stars] + chr(_PRIVATE) + rest


def _without_trailing_spaces(line: str) -> str:
    """Git drops spaces at the end unless a backslash protects the last one."""
    stripped = line.rstrip(" ")
    if stripped == line or (len(stripped) - len(stripped.rstrip("\\"))) % 2 == 0:
        return stripped
    return stripped + " "
