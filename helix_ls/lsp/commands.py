"""workspace/executeCommand: the table of commands, each with the shape of its one argument."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from helix_ls.lsp import arguments as args
from helix_ls.lsp.acts import Acts
from helix_ls.lsp.questions import Questions
from helix_ls.lsp.replies import INVALID_PARAMS, RefusedError


@dataclass(frozen=True, slots=True)
class Command:
    """The shape of its argument, and the act; ``lasts``: the act takes the client's progress token too."""

    shape: type[Any]
    act: Callable[..., Awaitable[Any]]
    lasts: bool = False


class Commands:
    """The commands of one session."""

    def __init__(self, questions: Questions, acts: Acts) -> None:
        self.table: dict[str, Command] = {
            "helix.packet": Command(args.Packet, questions.packet),
            "helix.packet.close": Command(args.PacketId, questions.close_packet),
            "helix.search": Command(args.Search, questions.search),
            "helix.refreshPlan": Command(args.Plan, questions.plan),
            "helix.explain": Command(args.Explain, questions.explain),
            "helix.open": Command(args.Open, questions.open),
            "helix.symbol": Command(args.Symbol, questions.symbol),
            "helix.index.refresh": Command(args.Workspace, acts.refresh, lasts=True),
            "helix.index.rebuild": Command(args.Workspace, acts.rebuild, lasts=True),
            "helix.index.pause": Command(args.Workspace, acts.pause),
            "helix.index.resume": Command(args.Workspace, acts.resume),
            "helix.status": Command(args.Workspace, acts.status),
            "helix.proxy": Command(args.Proxy, acts.proxy),
            "helix.doctor": Command(args.Workspace, acts.doctor),
            "helix.dismiss": Command(args.Dismiss, acts.dismiss),
            "helix.refreshFile": Command(args.File, acts.refresh_file),
            "helix.openSides": Command(args.Sides, acts.open_sides),
        }

    async def execute(self, params: types.ExecuteCommandParams) -> Any:
        """Do one; RefusedError (-32602) for one nobody knows and for wrong arguments."""
        command = self.table.get(params.command)
        if command is None:
            raise RefusedError(INVALID_PARAMS, f"there is no command {params.command[:200]}")
        given = args.read(command.shape, params.command, params.arguments)
        return await (command.act(given, params.work_done_token) if command.lasts else command.act(given))
