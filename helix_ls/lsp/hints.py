"""What is outdated, contradicted or dead in the whole workspace, a page of files at a time: ``helix.hints/1``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helix_core.engine import Helix
from helix_core.model import DocumentChange, Overlays, Reason
from helix_core.workspace import path_of, source_id_of
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.diagnostics import PutAway, put_away
from helix_ls.lsp.folders import Folder, uri_of_file
from helix_ls.operations.hosting import HintsArguments

SCHEMA = "helix.hints/1"
_GONE = frozenset({DocumentChange.NAME.value, DocumentChange.FILE.value})


def kind_of(finding: dict[str, Any]) -> str:
    """Return ``contradicted``, ``dead`` for a reference to what is gone, or ``outdated``."""
    if finding["code"] == Reason.CONTRADICTED.value:
        return "contradicted"
    return "dead" if finding.get("flag", {}).get("change") in _GONE else "outdated"


async def hints(connection: ClientConnection, given: HintsArguments) -> dict[str, Any]:
    """Handle ``helix.hints``: return the findings of the next files in path order, dismissed ones marked as such.

    The list is empty where the folder's diagnostics are turned off.
    """
    folder = connection.folders.named(given.workspace)
    if not folder.settings.diagnostics:
        return _answer([], 0, 0, None)

    def act(helix: Helix, overlays: Overlays, cancelled: Callable[[], bool]) -> dict[str, Any]:
        after = path_of(given.after)
        page = helix.symbols.hints(after, files=given.files, overlays=overlays, cancelled=cancelled)
        hidden = put_away(helix)
        found = [_hint(folder, path, each, hidden) for path, findings in page.found.items() for each in findings]
        partial = [source_id_of(path) for path, findings in page.found.items() if findings.partial]
        return _answer(found, page.done, page.total, page.last, partial)

    return await connection.ask(folder, act)


def _hint(folder: Folder, path: bytes, finding: dict[str, Any], hidden: PutAway) -> dict[str, Any]:
    source_id = source_id_of(path)
    return {
        "kind": kind_of(finding),
        "source_id": source_id,
        "uri": uri_of_file(folder.uri, path),
        **{
            name: finding[name]
            for name in ("code", "message", "start_line", "end_line", "text_hash", "mention", "other")
        },
        "flag": finding.get("flag"),
        "ignored": (source_id, finding["code"], finding["text_hash"]) in hidden,
    }


def _answer(
    found: list[dict[str, Any]], done: int, total: int, last: bytes | None, partial: list[str] | None = None
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "hints": found,
        "done": done,
        "total": total,
        "next": source_id_of(last) if last is not None else None,
        "partial": partial or [],
    }
