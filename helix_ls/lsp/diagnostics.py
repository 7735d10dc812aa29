"""Diagnostics about text that may mislead, their code actions, and the findings that the user dismissed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from helix_core.engine import Helix
from helix_core.engine.memory import DISMISSED
from helix_core.engine.verdict import reason_words
from helix_core.errors import StoreError, WorkspaceError
from helix_core.model import Judged, Overlays
from helix_core.printable import inert_line
from helix_core.workspace import source_id_of
from helix_ls.lsp.connection import Act, ClientConnection
from helix_ls.lsp.debounce import Debouncer
from helix_ls.lsp.documents import OpenBuffer, to_units
from helix_ls.lsp.folders import FileInFolder, Folder
from helix_ls.lsp.packets import OpenPackets, stale

FILE = "dismissed.json"
MOST = 5_000
_writing = threading.Lock()
Dismissal = tuple[str, str, str]


def dismissed(folder: Path) -> frozenset[Dismissal]:
    """Return the dismissed findings; none if the file is missing or invalid."""
    return frozenset(_read(folder / FILE))


@dataclass(frozen=True, slots=True)
class PutAway:
    """Findings that are not shown: each by itself, or by flags that hold for a text in every file."""

    findings: frozenset[Dismissal]
    flags: frozenset[str]

    def __contains__(self, one: Dismissal) -> bool:
        return one in self.findings or self.is_flagged(one)

    def is_flagged(self, one: Dismissal) -> bool:
        """Return whether a flag hides it, which only the end of the trail takes back."""
        return f"{DISMISSED}{one[1]} {one[2]}" in self.flags


def put_away(helix: Helix) -> PutAway:
    """Return what is not shown: findings that were dismissed, and those that a flag of the trail names."""
    return PutAway(dismissed(helix.index_path.parent), helix.session.trail_flags())


def dismiss(folder: Path, one: Dismissal, *, restore: bool = False) -> None:
    """Add a dismissed finding, or take it out again, and replace the file atomically.

    Raises StoreError if it cannot be written.
    """
    file = folder / FILE
    with _writing:
        kept = [each for each in _read(file) if each != one][-MOST + 1 :]
        new = file.with_name(f"{FILE}.{os.getpid()}.new")
        try:
            new.write_text(json.dumps(kept if restore else [*kept, one]), encoding="utf-8")
            os.replace(new, file)
        except OSError as error:
            raise StoreError(
                f"{file} cannot be written ({error.strerror}); free some space or fix its permissions"
            ) from error


def _read(file: Path) -> list[Dismissal]:
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    rows = given if isinstance(given, list) else []
    return [(row[0], row[1], row[2]) for row in rows if _is_dismissal(row)]


def _is_dismissal(row: object) -> bool:
    return isinstance(row, list) and len(row) == 3 and all(isinstance(part, str) for part in row)


SOURCE = "helix"
QUIET_S = 0.3
_ALL = "all open documents"
MOST_TRIES = 4
NONE = "none"
# The engine reports these for the file itself, independent of any packet.
STALE_MEMORY = "stale_memory"
LONGEST_SAID = 120
_OWN_CODES = frozenset({"outdated_doc", "contradicted"})


class Diagnostics:
    """Pull and push diagnostics of one session, debounced by ``QUIET_S`` seconds."""

    def __init__(self, connection: ClientConnection, packets: OpenPackets) -> None:
        self._connection, self._packets = connection, packets
        self._known: dict[str, str] = {}
        self._shown: dict[str, list[types.Diagnostic]] = {}
        self._due = Debouncer(QUIET_S)
        self._looking = False
        self._again = False
        # Consecutive checks of a document that exceeded their time budget, by URI.
        self._unfinished: dict[str, int] = {}

    async def pull(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        """Handle ``textDocument/diagnostic``: return a full report, or an unchanged one for ``previousResultId``."""
        uri = params.text_document.uri
        items, result_id = await self._of(uri)
        self._known[uri] = result_id
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)

    def shown(self, uri: str, hints: Sequence[types.Diagnostic]) -> list[types.Diagnostic]:
        """Return our own diagnostics among ``hints``, with their ``data``, which not every client sends back."""
        ours = {(each.code, each.message, each.range.start.line): each for each in self._shown.get(uri, ())}
        found = [ours.get((each.code, each.message, each.range.start.line)) for each in hints]
        return [each for each in found if each is not None]

    def changed(self) -> None:
        """Schedule a check of the open documents, ``QUIET_S`` seconds after the first change at the latest."""
        self._due.soon(_ALL, QUIET_S, self._begin)

    def forget(self, uri: str) -> None:
        """Drop the diagnostics of a closed document and clear what was published for it."""
        self._shown.pop(uri, None)
        if self._known.pop(uri, NONE) != NONE and not self._connection.client.pulls_diagnostics:
            self._publish(uri, [], None)

    def forget_folder(self, folder: Folder) -> None:
        """Drop the diagnostics of a removed folder; call it while its documents can still be resolved."""
        for document in self._connection.documents:
            place = self._connection.place(document.uri)
            if place is not None and place.folder is folder:
                self.forget(document.uri)

    def close(self) -> None:
        """Cancel the pending check."""
        self._due.close()

    def _begin(self) -> None:
        if self._looking:
            self._again = True
        else:
            self._connection.spawn(self._look(), "looking for hints")

    async def _look(self) -> None:
        """Publish changed diagnostics, or send ``workspace/diagnostic/refresh`` to a client that pulls them."""
        client = self._connection.client
        self._looking, is_moved = True, False
        try:
            for document in self._connection.documents:
                if client.pulls_diagnostics and document.uri not in self._known:
                    continue
                items, result_id = await self._of(document.uri)
                is_closed = self._connection.documents.get(document.uri) is not document
                if is_closed or self._known.get(document.uri, NONE) == result_id:
                    continue
                is_moved, self._known[document.uri] = True, result_id
                if not client.pulls_diagnostics:
                    self._publish(document.uri, items, document.version)
        finally:
            self._looking = False
        if is_moved and client.pulls_diagnostics and client.refreshes_diagnostics:
            self._connection.protocol.send_request(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        if self._again:
            self._again = False
            self.changed()

    def _publish(self, uri: str, items: list[types.Diagnostic], version: int | None) -> None:
        params = types.PublishDiagnosticsParams(uri=uri, diagnostics=items, version=version)
        self._connection.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    async def _of(self, uri: str) -> tuple[list[types.Diagnostic], str]:
        """Return the diagnostics of a document and their result id."""
        items, result_id = await self._find(uri)
        self._shown[uri] = items
        return items, result_id

    def _look_again(self, uri: str, is_partial: bool) -> None:
        """Retry a check that exceeded its time budget, at most ``MOST_TRIES`` times: the second read is cached."""
        tries = self._unfinished.pop(uri, 0)
        if is_partial and tries < MOST_TRIES:
            self._unfinished[uri] = tries + 1
            self.changed()

    async def _find(self, uri: str) -> tuple[list[types.Diagnostic], str]:
        place, document = self._connection.place(uri), self._connection.documents.get(uri)
        if place is None or document is None or document.is_large or not place.folder.settings.diagnostics:
            return [], NONE
        try:
            found, hidden, is_partial = await self._connection.ask(place.folder, _finding(place))
        except WorkspaceError:
            return [], NONE
        self._look_again(uri, is_partial)
        shown = [*found, *_stale_findings(self._packets, place)]
        kept = [each for each in shown if (place_id(place), each["code"], each["text_hash"]) not in hidden]
        severity = _SEVERITIES[place.folder.settings.severity]
        items = [diagnostic(each, uri, document, self._connection, severity) for each in kept]
        return items, result_id_of(kept, place.folder.settings.severity)


def result_id_of(findings: Sequence[dict[str, Any]], severity: str) -> str:
    """Return what tells findings apart by what a person sees of them: blame may give the commit of a flag later than
    its sentence, which is the same.
    """
    seen = [{name: value for name, value in each.items() if name != "flag"} for each in findings]
    text = severity + json.dumps(seen, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16] if findings else NONE


def place_id(place: FileInFolder) -> str:
    """Return the path in its folder by which a dismissed finding remembers the document."""
    return source_id_of(place.path)


def _finding(place: FileInFolder) -> Act[tuple[list[dict[str, Any]], PutAway, bool]]:
    def find(helix: Helix, overlays: Overlays, _: Any) -> tuple[list[dict[str, Any]], PutAway, bool]:
        found = helix.symbols.findings(place.path, overlays=overlays)
        found.extend(
            _memory_finding(citation)
            for citation in helix.memory.answers.stale_citations(place_id(place), overlays=overlays)
        )
        return found, put_away(helix), found.partial

    return find


def _memory_finding(cited: dict[str, Any]) -> dict[str, Any]:
    """Return the finding of lines that a memory cites and that are not as they were."""
    text = inert_line(cited["text"])
    message = text if len(text) <= LONGEST_SAID else text[: LONGEST_SAID - 1].rstrip() + "…"
    reason = reason_words(cited["reason"], "cited") + (f": {inert_line(cited['detail'])}" if cited["detail"] else "")
    return {
        "code": STALE_MEMORY,
        "message": f"Memory {cited['id']} cites this: “{message}”; is it still so? ({reason})",
        "start_line": cited["start_line"],
        "end_line": cited["end_line"],
        "text_hash": f"{cited['id']}-{cited['reason']}",
        "other": None,
        "memory": cited["id"],
    }


def _stale_findings(packets: OpenPackets, place: FileInFolder) -> list[dict[str, Any]]:
    """Return the pointers of open packets into this document that are no longer verified, without duplicates."""
    found: dict[tuple[int, int, str], dict[str, Any]] = {}
    for packet in packets:
        if packet.folder is place.folder and place.path in packet.paths:
            for judged in stale(packet):
                one = _stale_finding(judged, place)
                if one is not None:
                    found[one["start_line"], one["end_line"], one["text_hash"]] = one
    return list(found.values())


def _stale_finding(judged: Judged, place: FileInFolder) -> dict[str, Any] | None:
    lines = judged.buffer or judged
    is_here = judged.pointer.source_id == source_id_of(place.path) and lines.start_line > 0
    if not is_here or judged.verdict.reason.value in _OWN_CODES:
        return None
    reason, verdict = reason_words(judged.verdict.reason), judged.verdict
    why = f"{reason}: {verdict.detail}" if verdict.detail else reason
    return {
        "code": "stale",
        "message": f"An open packet cites this; its verdict is {verdict.status.value.replace('_', ' ')} now ({why}).",
        "start_line": lines.start_line,
        "end_line": lines.start_line,
        "text_hash": f"{judged.pointer.gene_id}-{verdict.reason.value}",
        "other": None,
    }


_SEVERITIES = {"hint": types.DiagnosticSeverity.Hint, "information": types.DiagnosticSeverity.Information}


def diagnostic(
    finding: dict[str, Any],
    uri: str,
    document: OpenBuffer,
    connection: ClientConnection,
    severity: types.DiagnosticSeverity = types.DiagnosticSeverity.Hint,
) -> types.Diagnostic:
    """Convert a finding to an LSP diagnostic: of what the line mentions, or of the line without its indentation."""
    other = finding.get("other")
    related = None
    if other is not None and connection.client.relates_diagnostics:
        where = types.Location(other["uri"], _lines(other["start_line"], other["end_line"]))
        related = [types.DiagnosticRelatedInformation(location=where, message=other["source_id"])]
    # A memory may cite lines that the document no longer has.
    row = min(max(finding["start_line"] - 1, 0), document.last_line)
    first, encoding = document.line(row), connection.documents.encoding
    if finding["code"] == STALE_MEMORY:
        severity = types.DiagnosticSeverity.Information
    start, end = mentioned(first, finding.get("mention", ""))
    span = types.Range(
        types.Position(row, to_units(first, start, encoding)),
        types.Position(row, to_units(first, end, encoding)),
    )
    return types.Diagnostic(
        range=span,
        message=finding["message"],
        severity=severity,
        code=finding["code"],
        source=SOURCE,
        related_information=related,
        data={
            "uri": uri,
            "text_hash": finding["text_hash"],
            "other": other,
            **{name: finding[name] for name in ("flag", "memory") if name in finding},
        },
    )


def _lines(start_line: int, end_line: int) -> types.Range:
    return types.Range(types.Position(max(start_line - 1, 0), 0), types.Position(max(end_line, 1), 0))


def mentioned(line: str, mention: str) -> tuple[int, int]:
    """Return the columns of what a line mentions, or of all of it but its indentation and what follows it."""
    name = re.escape(mention.strip())
    found = re.search(rf"(?<!\w){name}(?!\w)", line, re.IGNORECASE) if name else None
    if found is not None:
        return found.span()
    text = line.strip()
    start = line.index(text) if text else 0
    return start, start + len(text)


Action = types.CodeAction | types.Command


def actions(params: types.CodeActionParams, ours: Sequence[types.Diagnostic], *, literals: bool) -> Sequence[Action]:
    """Return the code actions for our diagnostics; plain commands for a client without ``CodeAction`` literals."""
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    if only and not any(_holds(kind, types.CodeActionKind.QuickFix.value) for kind in only):
        return []
    return [_action(command, each, literals) for each in ours for command in _commands(each, params.text_document.uri)]


def _holds(kind: str, wanted: str) -> bool:
    """Return whether a code action kind includes ``wanted``: kinds are hierarchical, and the empty one has all."""
    return not kind or wanted == kind or wanted.startswith(kind + ".")


def _commands(hint: types.Diagnostic, uri: str) -> list[types.Command]:
    data: dict[str, Any] = hint.data if isinstance(hint.data, dict) else {}
    refresh = types.Command("Helix: refresh this file", "helix.refreshFile", arguments=[{"uri": uri}])
    commands = [] if hint.code == STALE_MEMORY else [refresh]
    other = data.get("other")
    if isinstance(other, dict):
        sides = {
            "uri": uri,
            "start_line": hint.range.start.line + 1,
            "other_uri": other.get("uri"),
            "other_start_line": other.get("start_line"),
        }
        commands.append(types.Command("Helix: open both places", "helix.openSides", arguments=[sides]))
    one = {"uri": uri, "code": hint.code, "text_hash": data.get("text_hash")}
    commands.append(types.Command("Helix: don't show again for this text", "helix.dismiss", arguments=[one]))
    return commands


def _action(command: types.Command, hint: types.Diagnostic, literals: bool) -> Action:
    if not literals:
        return command
    return types.CodeAction(
        title=command.title, kind=types.CodeActionKind.QuickFix, diagnostics=[hint], command=command
    )
