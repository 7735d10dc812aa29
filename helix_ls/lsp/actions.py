"""What can be done about a hint: read the file again, see both sides, put it away. Never edits the user's text.

Pure: diagnostics of ours in, code actions out; the commands behind them are in ``commands``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

Action = types.CodeAction | types.Command


def actions(params: types.CodeActionParams, ours: Sequence[types.Diagnostic], *, literals: bool) -> Sequence[Action]:
    """The actions for hints of ours; plain commands for a client that takes no ``CodeAction``."""
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    if only and not any(_holds(kind, types.CodeActionKind.QuickFix.value) for kind in only):
        return []
    return [_action(command, each, literals) for each in ours for command in _commands(each, params.text_document.uri)]


def _holds(kind: str, wanted: str) -> bool:
    """Kinds are a tree by their dots; the empty one holds all."""
    return not kind or wanted == kind or wanted.startswith(kind + ".")


def _commands(hint: types.Diagnostic, uri: str) -> list[types.Command]:
    data: dict[str, Any] = hint.data if isinstance(hint.data, dict) else {}
    commands = [types.Command("Helix: read this file again", "helix.refreshFile", arguments=[{"uri": uri}])]
    other = data.get("other")
    if isinstance(other, dict):
        sides = {
            "uri": uri,
            "start_line": hint.range.start.line + 1,
            "other_uri": other.get("uri"),
            "other_start_line": other.get("start_line"),
        }
        commands.append(types.Command("Helix: open both sides", "helix.openSides", arguments=[sides]))
    one = {"uri": uri, "code": hint.code, "text_hash": data.get("text_hash")}
    commands.append(types.Command("Helix: do not show this again for this text", "helix.dismiss", arguments=[one]))
    return commands


def _action(command: types.Command, hint: types.Diagnostic, literals: bool) -> Action:
    if not literals:
        return command
    return types.CodeAction(
        title=command.title, kind=types.CodeActionKind.QuickFix, diagnostics=[hint], command=command
    )
