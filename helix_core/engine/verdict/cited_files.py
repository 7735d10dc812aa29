"""Find and read the files that a text cites: which file of the workspace a written path means, as it is on disk now.

Opens only files that are indexed and still count, and at most ``MOST_FILES`` of them.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property

from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import UsageError
from helix_core.model import Source
from helix_core.store import DefinitionHit, Reader
from helix_core.workspace import checked

MOST_FILES = 100
MOST_COPIES = 500
LEAST_STEM = 4
"""Shorter names are too often one letter from another that is meant so."""


class CitedFile:
    """A file as it is on disk: its masked text, and its definitions if the index has this version."""

    def __init__(self, source: Source, data: bytes, defined: Sequence[DefinitionHit]) -> None:
        self.source, self.data, self.defined = source, data, defined

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines, neither indentation nor trailing blanks included."""
        return [raw.decode("utf-8", "replace").strip() for raw in self.data.splitlines()]

    @cached_property
    def rows(self) -> dict[str, list[int]]:
        """Return the rows of each line, at most ``MOST_COPIES``."""
        found: dict[str, list[int]] = {}
        for row, line in enumerate(self.lines):
            same = found.setdefault(line, [])
            if len(same) < MOST_COPIES:
                same.append(row)
        return found


class CitedFiles:
    """The files of one text. ``folder`` is the workspace's path, ``base`` the folder of the text in it.

    What was left out is a key of ``notes``.
    """

    def __init__(self, reader: Reader, weigher: Weigher, folder: str, base: str, notes: dict[str, None]) -> None:
        self._reader, self._weigher, self._observer = reader, weigher, weigher.observer
        self._folder, self._base, self._notes = folder.rstrip("/"), base, notes
        self._read: dict[bytes, CitedFile | None] = {}
        self._folders: dict[tuple[bytes, bytes], list[bytes]] | None = None

    def spellings(self, written: str) -> list[bytes]:
        """Return the paths inside the workspace that a written path may mean, the likeliest first."""
        path = written.removeprefix(self._folder + "/") if self._folder else written
        tries = [path]
        if self._base and not path.startswith("/"):
            tries.insert(0, posixpath.normpath(posixpath.join(self._base, path)))
        found = []
        for one in tries:
            try:
                found.append(checked(posixpath.normpath(one)))
            except UsageError:
                continue
        return list(dict.fromkeys(found))

    def named(self, written: str) -> list[bytes]:
        """Return the indexed files a path means: exactly that one, else those whose path ends with it."""
        spellings = self.spellings(written)
        for path in spellings:
            if self._reader.files.state(path) is not None:
                return [path]
            if self._observer.is_there(path):
                # It is this file, which is not indexed, and not one whose path ends so.
                return []
        for path in spellings[-1:]:
            stem = os.path.splitext(os.path.basename(path))[0].decode("utf-8", "replace")
            same = self._reader.related.sources_of_stems([stem], 500)
            return sorted({one for _, one in same if one.endswith(b"/" + path)})
        return []

    def is_there(self, written: str) -> bool:
        """Return whether the disk has a file or folder that a written path may mean, indexed or not."""
        return any(self._observer.is_there(path) or self._observer.is_folder(path) for path in self.spellings(written))

    def read(self, path: bytes) -> CitedFile | None:
        """Return the file as it is on disk, None for one that is not indexed, not readable or beyond the limit."""
        if path in self._read:
            return self._read[path]
        if len(self._read) >= MOST_FILES:
            self._notes[f"only the first {MOST_FILES} cited files were read"] = None
            return None
        source = self._reader.files.source(path)
        observed = self._observer.look(source) if source is not None else None
        if source is None or observed is None or observed.file is None:
            self._read[path] = None
            return None
        now = self._reader.files.source(path)
        is_current = now is not None and now.content_hash == observed.file.content_hash
        defined = self._reader.names.defined_in(now.id) if now is not None and is_current else ()
        found = CitedFile(source, self._weigher.mask(observed).data, defined)
        self._read[path] = found
        return found

    def _one_stroke_away(self, path: bytes) -> bytes:
        """Return the only indexed file of the same folder and ending whose name of four letters or more is one stroke
        away, or an empty path.
        """
        folder, (stem, ending) = os.path.dirname(path), os.path.splitext(os.path.basename(path))
        text = stem.decode("utf-8", "replace").lower()
        if len(text) < LEAST_STEM:
            return b""
        found = []
        for one in self._beside(folder, ending):
            other = os.path.splitext(os.path.basename(one))[0].decode("utf-8", "replace").lower()
            if len(other) >= LEAST_STEM and _is_stroke(text, other) and not _differs_by_number(text, other):
                found.append(one)
        return found[0] if len(found) == 1 else b""

    def _beside(self, folder: bytes, ending: bytes) -> list[bytes]:
        """Return the indexed files of a folder with an ending."""
        if self._folders is None:
            self._folders = {}
            for path in self._reader.files.live_paths():
                self._folders.setdefault((os.path.dirname(path), os.path.splitext(path)[1]), []).append(path)
        return self._folders.get((folder, ending), [])

    def nearest(self, path: bytes, *, has_folder: bool) -> bytes:
        """Return the only file with almost this path, or an empty path.

        The same name in another folder below the same top folder, or a name with a letter or two of difference.
        """
        name, top = os.path.basename(path), path.split(b"/")[0] + b"/"
        stem, ending = os.path.splitext(name)
        text = stem.decode("utf-8", "replace")
        same = {one for _, one in self._reader.related.sources_of_stems([text], 200) if os.path.basename(one) == name}
        below = [one for one in same if one.startswith(top)]
        if has_folder and path.count(b"/") > 1 and len(below) == 1 and len(same) == 1:
            return below[0]
        if same:
            return b""
        if has_folder and (near := self._one_stroke_away(path)):
            return near
        if len(text) < 5:
            return b""
        alike = [one.name for one in self._reader.names.similar_names(text, 20)]
        folder = os.path.dirname(path)
        found = [
            one
            for _, one in self._reader.related.sources_of_stems(alike, 200)
            if os.path.splitext(one)[1] == ending
            and (os.path.dirname(one) == folder or os.path.dirname(one).endswith(b"/" + folder) or not folder)
            and _is_misspelled(text, os.path.splitext(os.path.basename(one))[0].decode("utf-8", "replace"))
        ]
        return found[0] if len(found) == 1 else b""


def _is_stroke(one: str, other: str) -> bool:
    """Return whether one word becomes the other by one letter more, less or other, or by two letters swapped."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[start:], other[start:]
    return left[1:] == right or left == right[1:] or left[1:] == right[1:] or (
        left[2:] == right[2:] and left[:2] == right[:2][::-1]
    )  # fmt: skip


def _differs_by_number(one: str, other: str) -> bool:
    """Return whether two names differ in a digit, or in an ``s`` at the end: then each is as likely meant."""
    return one.strip("0123456789") == other.strip("0123456789") or one.rstrip("s") == other.rstrip("s") or (
        re.sub(r"\d", "", one) == re.sub(r"\d", "", other)
    )  # fmt: skip


def _is_misspelled(one: str, other: str) -> bool:
    if _differs_by_number(one.lower(), other.lower()):
        return one.lower() == other.lower()
    return one.lower() == other.lower() or SequenceMatcher(None, one, other, autojunk=False).ratio() >= 0.88
