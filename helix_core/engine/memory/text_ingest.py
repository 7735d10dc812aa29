"""Take in a text that a client gives: as a note, or as the workspace file it is said to be."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from helix_core.engine.verdict import reason_now
from helix_core.errors import UsageError
from helix_core.ingest import ParseGuard, Quarantined, ingest_in_process, parser_version
from helix_core.memory import NoteInput, UnfitError, note_of
from helix_core.model import Attribution, Document, Note
from helix_core.store import Memory
from helix_core.workspace import (
    DiskError,
    DiskFile,
    FileOptions,
    Git,
    Root,
    checked,
    content_reason,
    name_reason,
    source_id_of,
)


@dataclass(frozen=True, slots=True)
class FileTaken:
    """The file that is used instead of the given text; ``is_same`` says whether both have the same bytes."""

    path: bytes
    file: DiskFile
    document: Document
    is_same: bool

    def to_wire(self) -> dict[str, Any]:
        """Return the wire object for the client."""
        genes = list(dict.fromkeys(chunk.text_hash for chunk in self.document.chunks))
        source_id = source_id_of(self.path)
        differs = "" if self.is_same else ", which differs from what was given,"
        return {
            "gene_ids": genes,
            "count": len(genes),
            "stored": "file",
            "source_id": source_id,
            "content_hash": self.file.content_hash,
            "same_as_file": self.is_same,
            "note": f"{source_id} is a file of this workspace: the file on disk{differs} is what answers; "
            "no copy was kept",
        }


class TextIngest:
    """For one call. ``place`` is the workspace's real path."""

    def __init__(
        self, root: Root, git: Git | None, options: FileOptions, parse_guard: ParseGuard, place: bytes
    ) -> None:
        self._root, self._git, self._options = root, git, options
        self._parse_guard, self._place = parse_guard, place

    def note(self, given: NoteInput, by: Attribution, at: float) -> Note:
        """Return the note of a text. Raises UnfitError for one that crashed the parser."""
        masked = given.masked()
        document = self._parsed(given.named_as(), masked.data)
        note = note_of(given, masked, document, workspace=self._place, by=by, at=at)
        if not note.chunks:
            raise UnfitError("nothing of this text can be kept; give text with words in it")
        return note

    def file_of(self, given: NoteInput) -> FileTaken | None:
        """The file of this workspace that the text is said to be of; None where there is none that counts.

        Raises UnfitError for a file of a kind that is never read: what is said to be in it is not kept either.
        """
        if not given.path:
            return None
        if name_reason(given.path.replace("\\", "/").encode("utf-8", "replace").lstrip(b"/")) == "private":
            raise UnfitError("files of this kind are never read, and what is in them is not kept; give something else")
        path = self._inside(given.path)
        if path is None:
            return None
        try:
            file = self._root.read(path, self._options.max_bytes)
        except DiskError:
            return None
        if reason_now(self._root, self._git, self._options, path) or content_reason(path, file.data):
            return None
        document = self._parsed(path, file.data)
        return FileTaken(path, file, document, file.data == given.content.encode("utf-8", "replace"))

    def _inside(self, named: str) -> bytes | None:
        """Return the path relative to the workspace, if it is in it."""
        here = os.fsdecode(self._place)
        for folder in (os.fspath(self._root.path), here):
            if named.startswith(f"{folder.rstrip('/')}/"):
                named = named.removeprefix(f"{folder.rstrip('/')}/")
                break
        try:
            return checked(named)
        except UsageError:
            return None

    def _parsed(self, path: bytes, data: bytes) -> Document:
        with _guarded(self._parse_guard, data) as may_parse:
            document = ingest_in_process(path, data, "") if may_parse else None
        if document is None or isinstance(document, Quarantined):
            raise UnfitError("no parser here can read this text; give it as content_type text, without a path")
        return document


def backfilled(memory: Memory, place: bytes, parse_guard: ParseGuard) -> tuple[int, int]:
    """Parse notes of another chunker version again; return how many, of how many."""
    done = 0
    notes = memory.notes.all(place)
    for note_id, parser, content_type, metadata, text in notes:
        name = NoteInput(text, content_type, json.loads(metadata)).named_as()
        data = text.encode("utf-8", "replace")
        if parser == parser_version(name, data):
            continue
        with _guarded(parse_guard, data) as may_parse:
            document = ingest_in_process(name, data, "") if may_parse else None
        if isinstance(document, Document) and document.chunks:
            memory.notes.replace_items(note_id, document.chunks, document.parser)
            done += 1
    return done, len(notes)


@contextmanager
def _guarded(parse_guard: ParseGuard, data: bytes) -> Iterator[bool]:
    """Hold the parse guard with the text's hash: a text can crash the process only once."""
    with parse_guard(hashlib.sha256(data).hexdigest()) as may_parse:
        yield may_parse
