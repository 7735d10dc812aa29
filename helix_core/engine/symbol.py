"""What is known of a name somebody points at: ``helix.symbol/1``.

In: a name and where it was pointed at. Out: its definitions, users, tests, documents and history, each place with the
verdict that is true at this moment. Reads a handful of files, never the whole list of places: totals come from the
index. Never guesses where nothing defines the name: then there is no answer.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from typing import Any

from helix_core.engine.overlay import line_on_disk
from helix_core.engine.symbol_around import Around, Uses
from helix_core.engine.symbol_choice import Asked, Here, Meant, asked, choose
from helix_core.engine.symbol_place import Place, Spot, weigh_spots
from helix_core.engine.symbol_text import owners_in
from helix_core.engine.weigher import Weigher
from helix_core.lines import LineTable
from helix_core.model import Overlays
from helix_core.search.import_paths import Imports
from helix_core.store.hits import DefinitionHit
from helix_core.store.names import DefinedAt
from helix_core.store.reader import Reader
from helix_core.workspace.history import BlamedLines, LineHistory

SYMBOL_SCHEMA = "helix.symbol/1"
ROUNDS = 2
HISTORY_WAIT_MS = 12.0
PARTNERS = 5


class SymbolAnswer:
    """One name answered. Use once."""

    def __init__(self, reader: Reader, weigher: Weigher, history: LineHistory | None) -> None:
        self._reader, self._weigher, self._history = reader, weigher, history
        self._started = time.monotonic()

    def about(self, name: str, path: bytes, line: int, overlays: Overlays) -> dict[str, Any] | None:
        """The ``helix.symbol/1`` object; None where nothing that is known has this name."""
        wanted = asked(name)
        if wanted is None:
            return None
        for _ in range(ROUNDS):
            before = self._weigher.observer.mended
            here, text = self._here(path, line, overlays)
            wanted = wanted if wanted.owners else Asked(wanted.name, owners_in(text, wanted.name))
            candidates = self._reader.defined_at(wanted.name, path)
            meant = choose(candidates, wanted, here)
            if not meant.definitions:
                return None
            answer = self._answer(wanted, meant, candidates)
            if self._weigher.observer.mended == before:
                break
        return answer

    def _answer(self, wanted: Asked, meant: Meant, candidates: list[DefinedAt]) -> dict[str, Any] | None:
        around = Around(
            self._reader, self._weigher.observer, wanted.name, meant=meant.definitions, candidates=candidates
        )
        definitions = around.definitions()
        lines = self._asked_of_git(definitions)
        users, tests = around.users(), around.tests()
        groups = {
            "definitions": definitions,
            "users": users.spots,
            "tests": tests.spots,
            "documents": around.documents(),
            "co_changed": self._co_changed(meant.definitions[0].path),
        }
        places = self._weighed(groups)
        if not places["definitions"]:
            return None
        first, change = self._dated(places["definitions"][0], lines)
        places["definitions"][0] = first
        folder = self._weigher.facts.folder
        return {
            "schema": SYMBOL_SCHEMA,
            "name": wanted.name,
            "kind": meant.definitions[0].hit.kind,
            "symbol": first.spot.symbol,
            **change,
            **self._totals(meant, users, tests),
            "importers_total": len(around.importing),
            **{key: [place.wire(folder) for place in group] for key, group in places.items()},
            "notes": list(self._weigher.notes),
            "elapsed_ms": round((time.monotonic() - self._started) * 1e3, 3),
        }

    def _totals(self, meant: Meant, users: Uses, tests: Uses) -> dict[str, int]:
        return {"definitions_total": meant.total, "users_total": users.total, "tests_total": tests.total}

    def _here(self, path: bytes, line: int, overlays: Overlays) -> tuple[Here, str]:
        """The place as the index knows places, and the text of its line."""
        source = self._reader.source(path) if path else None
        file = self._weigher.observer.look(source).file if source is not None else None
        source = self._reader.source(path) if path else None
        buffer = overlays.get(path, file.data if file is not None else b"")
        text = _line(buffer, line)
        if file is not None and path in overlays:
            line = line_on_disk(buffer, file.data, line)
        if source is None:
            return Here(path, line), text
        trail = enclosing(self._reader.defined_in(source.id), line)
        return Here(path, line, trail, Imports(path, self._reader.imports_of(source.id))), text

    def _weighed(self, groups: dict[str, Any]) -> dict[str, list[Place]]:
        """All places weighed at once, so that git is asked once."""
        spots: list[Spot] = [spot for group in groups.values() for spot in group]
        places = iter(weigh_spots(self._weigher, spots))
        weighed = {key: [next(places) for _ in group] for key, group in groups.items()}
        return {key: [place for place in group if place is not None] for key, group in weighed.items()}

    def _co_changed(self, path: bytes) -> list[Spot]:
        """The files that often change together with this one, as the index knows them from git."""
        source = self._reader.source(path)
        partners = self._reader.co_changed([source.id])[:PARTNERS] if source is not None else []
        first = [self._reader.items_of(partner.source_id)[:1] for partner in partners]
        return [Spot(item, 1, 1, "") for items in first for item in items]

    def _asked_of_git(self, definitions: list[Spot]) -> BlamedLines | None:
        """Have git look up who wrote the first definition while the rest is found out."""
        if self._history is None or not definitions:
            return None
        spot = definitions[0]
        source = spot.item.source
        file = self._weigher.observer.look(source).file
        if file is None or file.content_hash != source.content_hash:
            return None
        lines = BlamedLines(source.path, file.content_hash, spot.start_line, spot.end_line, file.data)
        self._history.ask(lines)
        return lines

    def _dated(self, first: Place, lines: BlamedLines | None) -> tuple[Place, dict[str, Any]]:
        """The definition with the last commit of its own lines where git told in time, or else of its file."""
        uncommitted = False
        if self._history is not None and lines is not None and first.commit is not None:
            left_ms = HISTORY_WAIT_MS - (time.monotonic() - self._started) * 1e3
            found = self._history.of(lines, left_ms / 1e3)
            if found is not None:
                own = first.commit if first.commit in found.newest else next(iter(found.newest), None)
                first = dataclasses.replace(first, commit=own, commit_of="lines")
                uncommitted = found.uncommitted
        commit = first.commit
        is_known = commit is not None or uncommitted
        return first, {
            "commit": commit.commit if commit else None,
            "author": commit.author if commit else None,
            "committed_at": commit.committed_at if commit else None,
            "commit_of": first.commit_of if is_known else "",
            "uncommitted": uncommitted,
        }


def _line(text: bytes, line: int) -> str:
    start, end = _line_span(text, line)
    return text[start:end].decode("utf-8", "replace").rstrip("\r\n") if line > 0 else ""


def _line_span(text: bytes, line: int) -> tuple[int, int]:
    """The bytes of a 1-based line with its end; of the last line for lines after it."""
    lines = LineTable(text)
    return lines.span(min(line, len(lines)), min(line, len(lines)))


def enclosing(definitions: Iterable[DefinitionHit], line: int) -> tuple[str, ...]:
    """The names of what is defined around a line, outermost first."""
    around = [hit for hit in definitions if hit.start_line <= line <= hit.end_line]
    return tuple(hit.name for hit in sorted(around, key=lambda hit: (hit.start_line, -hit.end_line)))
