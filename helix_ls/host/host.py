"""The registry of workspaces open in this process: reference-counted, and shared by all clients of a folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from helix_core import __version__
from helix_core.errors import WorkspaceError
from helix_core.ingest import ParseGuard, no_parse_guard
from helix_ls.host.loop import LoopLag
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.host.settings import Settings
from helix_ls.host.status import Mode, ServerInfo
from helix_ls.host.telemetry import NoTelemetry, Telemetry
from helix_ls.operations.memory import ConsolidateArguments

if TYPE_CHECKING:
    from helix_core.engine import Helix


class Chats(Protocol):
    """The chat proxy of this process: bound to the host's event loop, with its work in other threads."""

    async def facts(
        self, *, folder: Path | None = None, start: bool = True, settings: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the ``helix.proxy/1`` object, and start to listen unless ``start`` is false. Raises HelixError.

        ``folder`` is the workspace that ``base_url`` selects; None selects the focused one. ``settings`` are an
        editor's, by the fields of ``Config``: they hold until others are given, None leaves them.
        """
        ...

    async def extended(
        self,
        ask: Callable[[Callable[[Helix], Any]], Awaitable[Any]],
        given: ConsolidateArguments,
        answer: dict[str, Any],
    ) -> dict[str, Any]:
        """Return the answer of ``consolidate`` with what the user's model drew, where the settings name one."""
        ...

    def active_at(self) -> float:
        """Return when a chat was last active, in monotonic seconds."""
        ...

    async def close(self) -> None:
        """Stop listening and close the connections."""
        ...


LINGER_S = 60.0


@dataclass(slots=True)
class _WorkspaceUse:
    """An open workspace, one trust flag per user of it, and the timer that closes it after the last detach."""

    workspace: OpenWorkspace
    trusts: list[bool]
    closing: asyncio.TimerHandle | None = None


class Host:
    """Open, share and close workspaces on one event loop; a folder stays open ``linger_s`` seconds after its last user.

    ``chats`` is this process's chat proxy, or None. ``on_change`` is called when a folder is opened or closed or its
    trust changes. ``focused`` is the folder that was last worked in. ``telemetry`` is closed with the host.
    """

    def __init__(
        self,
        *,
        mode: Mode,
        parse_guard: ParseGuard = no_parse_guard,
        lag: LoopLag | None = None,
        linger_s: float = LINGER_S,
        telemetry: Telemetry | None = None,
    ) -> None:
        self.pid = os.getpid()
        self.version = __version__
        self.mode: Mode = mode
        self.telemetry: Telemetry = telemetry or NoTelemetry()
        self._parse_guard, self._lag, self._linger_s = parse_guard, lag, linger_s
        self._shared: dict[Path, _WorkspaceUse] = {}
        self._closers: set[asyncio.Task[None]] = set()
        self._closed = False
        self.chats: Chats | None = None
        self.on_change: Callable[[], None] = lambda: None
        self.focused: Path | None = None

    @property
    def loop_lag_ms(self) -> float:
        """The longest turn of the event loop in the last minute, in milliseconds."""
        return self._lag.worst_ms() if self._lag is not None else 0.0

    @property
    def workspaces(self) -> Iterable[OpenWorkspace]:
        """The open workspaces, including those that linger; safe to read from any thread."""
        return [shared.workspace for shared in tuple(self._shared.values())]

    async def attach(self, folder: Path, *, trusted: bool, watch: str = "auto") -> OpenWorkspace:
        """Return the workspace of a folder, opened if it is not; call ``detach`` once for each ``attach``.

        Returns before any file of the folder is read. The workspace is restricted while no user of it trusts the
        folder. Raises WorkspaceError if there is no such folder.
        """
        real = await asyncio.to_thread(_real_folder, folder)
        if self._closed:
            raise WorkspaceError(f"Helix is stopping; open {folder} again in a moment")
        shared = self._shared.get(real)
        if shared is None:
            server = ServerInfo(self.pid, self.version, self.mode)
            settings = Settings(restricted=not trusted)
            workspace = OpenWorkspace(
                real,
                settings,
                watch=watch,
                server=server,
                parse_guard=self._parse_guard,
                span=self.telemetry.span,
            )
            shared = self._shared[real] = _WorkspaceUse(workspace, [])
        if shared.closing is not None:
            shared.closing.cancel()
            shared.closing = None
        shared.trusts.append(trusted)
        self._follow_trust(shared)
        return shared.workspace

    async def detach(self, workspace: OpenWorkspace, *, trusted: bool = True) -> None:
        """Drop one reference to a workspace; after the last one it lingers ``linger_s`` seconds and is closed."""
        shared = self._shared.get(workspace.folder)
        if shared is None or shared.workspace is not workspace:
            return
        shared.trusts.remove(trusted if trusted in shared.trusts else not trusted)
        if shared.trusts:
            self._follow_trust(shared)
            return
        if self._linger_s <= 0 or self._closed:
            await self._close(shared)
            return
        loop = asyncio.get_running_loop()
        shared.closing = loop.call_later(self._linger_s, self._close_soon, shared)

    async def close(self) -> None:
        """Close the chat proxy and every workspace, keeping what is indexed."""
        self._closed = True
        if self.chats is not None:
            await self.chats.close()
        await asyncio.gather(*(self._close(shared) for shared in tuple(self._shared.values())))
        await asyncio.gather(*self._closers)
        await asyncio.to_thread(self.telemetry.close)

    def _follow_trust(self, shared: _WorkspaceUse) -> None:
        workspace = shared.workspace
        workspace.configure(replace(workspace.settings, restricted=not any(shared.trusts)), workspace.watch)
        self.on_change()

    def _close_soon(self, shared: _WorkspaceUse) -> None:
        if shared.trusts:
            return
        task = asyncio.get_running_loop().create_task(self._close(shared))
        self._closers.add(task)
        task.add_done_callback(self._closers.discard)

    async def _close(self, shared: _WorkspaceUse) -> None:
        if shared.closing is not None:
            shared.closing.cancel()
        if self._shared.get(shared.workspace.folder) is shared:
            del self._shared[shared.workspace.folder]
            self.on_change()
        await shared.workspace.close()


def _real_folder(folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    if not real.exists():
        raise WorkspaceError(f"{folder} does not exist; name an existing folder")
    if not real.is_dir():
        raise WorkspaceError(f"{folder} is not a folder; name the folder it is in")
    return real
