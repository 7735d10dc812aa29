"""Files that count but are not in the index: the notes about them, and which of them a question names.

In: their paths. Out: notes, and items that point at a file by its name alone. Pure: reads neither disk nor index.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence

from helix_core.model import Found, Item, Ranked, Reason, Role, Signal, Source
from helix_core.printable import count
from helix_core.search import Question
from helix_core.tuples import NamedTuple
from helix_core.words import split_identifier
from helix_core.workspace import source_id_of

MOST_NAMED = 3
"""Maximum number of files that an answer lists by name only."""
UNSURE = 0.5
"""Maximum confidence while the question names a file that is not indexed."""
NAMED_IN_NOTE = 3
KIND = "file"
_BY_FOLDER = frozenset({"__init__", "index", "mod", "main", "lib", "package"})
"""File names that represent their folder."""
_WORD = re.compile(r"\w+")
_LOWER = bytes(range(256)).lower()
_SIGNS = bytes(byte for byte in range(256) if not bytes((byte,)).isalnum())
"""What ``_squeezed`` leaves out of a path in ASCII; a pattern takes ten times as long for thousands of paths."""


class Named(NamedTuple):
    """A file that a question names. ``surely`` when it is named by its path, or by its whole name as a symbol."""

    ranked: Ranked
    surely: bool


class NotIndexed(NamedTuple):
    """``set_aside`` broke or outran the parser; ``pending`` were not reached yet. Raw paths from the root.

    ``changed`` counts files that are in as they were before, ``files`` those that can be searched. ``is_listed`` is
    False while the disk is not listed, so that what is missing is not known. ``over_limit`` and ``outside`` count
    the files that the settings leave out, as more than are wanted and as none of those to include, and
    ``settings_notes`` say so. ``is_current`` is False while it is known that files changed, but not which.
    ``unreadable`` files count, and this user may not read them.
    """

    set_aside: Sequence[bytes] = ()
    pending: Sequence[bytes] = ()
    changed: int = 0
    files: int = 0
    is_listed: bool = True
    over_limit: int = 0
    outside: int = 0
    settings_notes: tuple[str, ...] = ()
    is_current: bool = True
    unreadable: Sequence[bytes] = ()

    @property
    def is_whole(self) -> bool:
        """Return whether every listed file is indexed."""
        return self.is_listed and self.is_current and not self.pending and not self.changed

    @property
    def share(self) -> float:
        """Return the share of files indexed as they are on disk, 0..1; below 1 while one is missing."""
        total = self.files + len(self.pending) + self.over_limit
        if not total or (self.is_whole and not self.over_limit):
            return float(self.is_whole)
        return max(self.files - self.changed, 0) / total

    def limits(self, found: Found) -> Found:
        """Cap the confidence by the indexed share, with a note while files are missing."""
        is_empty_by_choice = bool(self.outside) and not self.files
        if self.is_whole and (self.over_limit or is_empty_by_choice):
            return found._replace(known_empty=False, indexed_share=self.share)
        if self.is_whole:
            return found
        total = self.files + len(self.pending)
        return found._replace(
            known_empty=False,
            confidence=found.confidence * (self.files / total if total else 0.0),
            indexed_share=self.share,
            notes=(*found.notes, self.partial_note),
        )

    @property
    def partial_note(self) -> str:
        """Describe how many of the files are indexed, or ""."""
        if self.is_whole:
            return ""
        if not self.is_listed:
            return "the index has only just been begun: what it does not know may still be there"
        if not self.pending and not self.changed:
            return "the index is behind the disk at the moment: what it does not know may still be there"
        total = self.files + len(self.pending)
        there = max(self.files - self.changed, 0)
        done = f"{there:,} of {count(total, 'file')}"
        return f"the index is not complete yet ({done}): what it does not know may still be there"

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes on quarantined and unreadable files, and on those that the settings leave out."""
        aside = (set_aside_note(self.set_aside),) if self.set_aside else ()
        unreadable = (unreadable_note(self.unreadable),) if self.unreadable else ()
        return (*aside, *unreadable, *self.settings_notes)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Return the notes on everything that is missing: not indexed yet, or quarantined."""
        return (*((self.partial_note,) if self.partial_note else ()), *self.notes)

    @property
    def paths(self) -> frozenset[bytes]:
        """Return the files that are missing."""
        return frozenset((*self.set_aside, *self.pending))

    def named_by(self, question: Question) -> list[Named]:
        """Return the files that a question names, the surest first, at most ``MOST_NAMED``."""
        if not self.set_aside and not self.pending:
            return []
        names = _Names(question)
        matches = []
        for path in self.paths:
            if not names.may_mean(path):
                continue
            strength = names.strength(source_id_of(path))
            if strength:
                matches.append((-strength, _source(path).role is not Role.IMPLEMENTATION, len(path), path))
        chosen = sorted(matches)[:MOST_NAMED]
        return [Named(_ranked(path, rank), -less >= _SURE) for rank, (less, _, _, path) in enumerate(chosen, 1)]


def set_aside_note(paths: Sequence[bytes]) -> str:
    """Describe how many files are quarantined, and name the first of them."""
    are = "is" if len(paths) == 1 else "are"
    why = "parsing them failed or took too long"
    return f"{count(len(paths), 'file')} {are} set aside and not searched, {why}: {_first_of(paths)}"


def unreadable_note(paths: Sequence[bytes]) -> str:
    """Describe how many files could not be read, and name the first of them."""
    are = "is" if len(paths) == 1 else "are"
    return (
        f"{count(len(paths), 'file')} cannot be read and {are} not searched: {_first_of(paths)}; check the permissions"
    )


def _first_of(paths: Sequence[bytes]) -> str:
    shown = ", ".join(source_id_of(path) for path in sorted(paths)[:NAMED_IN_NOTE])
    return f"{shown} and {len(paths) - NAMED_IN_NOTE:,} more" if len(paths) > NAMED_IN_NOTE else shown


def with_named(found: Found, named: Sequence[Named], k: int) -> Found:
    """What search found, with the files that the question names among it, and as sure as that allows."""
    if not named:
        return found
    sure, others = _shares(named, len(found.ranked), k)
    best = found.ranked[0].score if found.ranked else 1.0
    last = found.ranked[-1].score if found.ranked else 1.0
    first = [one.ranked._replace(score=best) for one in sure]
    after = [one.ranked._replace(score=last) for one in others]
    kept = found.ranked[: max(k - len(first) - len(after), 0)]
    return found._replace(
        ranked=(*first, *kept, *after),
        known_empty=False,
        confidence=min(found.confidence, UNSURE),
    )


def _shares(named: Sequence[Named], found: int, k: int) -> tuple[list[Named], list[Named]]:
    """Those that come before what was found, and those behind it; they never push out most of what was found."""
    room = max(k // 3, k - found)
    sure = [one for one in named if one.surely][: max(room, 1)]
    return sure, [one for one in named if not one.surely][: max(room - len(sure), 0)]


def _ranked(path: bytes, rank: int) -> Ranked:
    """Return the file as one item; its text is unknown, so it is ranked by its path."""
    own = hashlib.sha256(path).hexdigest()[:16]
    item = Item(0, _source(path), KIND, "", "", 0, 0, 1, 1, own)
    return Ranked(item, 1.0, (Signal(Reason.NOT_INDEXED.value, rank, 1.0),))


def _source(path: bytes) -> Source:
    # The judge brings the parsers along, which cost a search more than all of its answer.
    from helix_core.engine.verdict.judge import unindexed

    return unindexed(path)


_AS_PATH, _SURE, _AS_PARTS, _AS_WORD = 4, 3, 2, 1


class _Names:
    """The names by which a question could mean a file."""

    def __init__(self, question: Question) -> None:
        self._paths = [path.lower() for path in (*question.paths, question.path) if path]
        symbols = (*question.identifiers, *question.proper, *question.subject)
        self._symbols = {_squeezed(name) for name in symbols if len(name) > 1}
        self._words = {_singular(word) for word in question.words}
        long = (word for word in self._words if len(word) > 2)
        named = (*self._symbols, *long, *map(_squeezed, self._paths))
        self._hints = [os.fsencode(name) for name in named if name.isascii()]
        self._hints += [b""] * any(not name.isascii() for name in named)

    def may_mean(self, path: bytes) -> bool:
        """A fast filter for many paths: False only where ``strength`` is 0."""
        squeezed = path.translate(_LOWER, _SIGNS)
        return any(hint in squeezed for hint in self._hints)

    def strength(self, source_id: str) -> int:
        """Return how surely the question means this file: 0 not at all … 4 by its path."""
        folded = source_id.lower()
        if any(folded == path or folded.endswith(f"/{path}") for path in self._paths):
            return _AS_PATH
        stem = _stem(source_id)
        if _squeezed(stem) in self._symbols:
            return _SURE
        parts = [part for word in _WORD.findall(stem) for part in split_identifier(word)]
        if not parts or any(_singular(part) not in self._words for part in parts):
            return 0
        return _AS_PARTS if len(parts) > 1 else _AS_WORD * (len(stem) > 2)


def _stem(source_id: str) -> str:
    """Return the file name up to its first dot; the folder's for files that represent their folder."""
    folder, _, name = source_id.rpartition("/")
    stem = name.lstrip(".").partition(".")[0]
    return folder.rpartition("/")[2] if stem in _BY_FOLDER and folder else stem


def _squeezed(name: str) -> str:
    return _singular(re.sub(r"[\W_]", "", name).lower())


def _singular(word: str) -> str:
    return word.lower().removesuffix("s") if len(word) > 3 else word.lower()
