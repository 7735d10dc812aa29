"""A line above each top-level definition: how often it is used and tested, and whether that is still true.

Off unless the user turns it on. In: the engine's ``lenses``. Out: code lenses, which a click does not act on.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from helix_core.errors import WorkspaceError
from helix_ls.lsp.connection import Connection
from helix_ls.lsp.hover import MARKS


async def lenses(connection: Connection, params: types.CodeLensParams) -> list[types.CodeLens]:
    """``textDocument/codeLens``."""
    place, document = connection.place(params.text_document.uri), connection.documents.get(params.text_document.uri)
    if place is None or document is None or document.is_large or not place.folder.settings.code_lens:
        return []
    try:
        found = await connection.ask(
            place.folder, lambda helix, overlays, _: helix.lenses(place.path, overlays=overlays)
        )
    except WorkspaceError:
        return []
    return [_lens(each) for each in found]


def _lens(found: dict[str, Any]) -> types.CodeLens:
    line = max(found["start_line"] - 1, 0)
    span = types.Range(types.Position(line, 0), types.Position(line, 0))
    return types.CodeLens(range=span, command=types.Command(title=title(found), command=""))


def title(found: dict[str, Any]) -> str:
    """The words of one lens."""
    uses = _counted(found["uses"], "use")
    if found.get("same_name", 1) > 1:
        uses += f" of {found['same_name']} of that name"
    tests = _counted(found["tests"], "test")
    status, reason = found["status"], found["reason"].replace("_", " ")
    mark = MARKS.get(status, str(status))
    return f"{uses} · {tests} · {mark}" + ("" if status == "verified" else f" ({reason})")


def _counted(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"
