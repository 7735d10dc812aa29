"""The workspaces open in this process, shared by every client that asks for the same folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from helix_core import __version__
from helix_core.errors import WorkspaceError
from helix_core.ingest import ParseGuard, no_parse_guard
from helix_ls.host.loop import LoopLag
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.host.settings import Settings
from helix_ls.host.status import Mode, ServerInfo


class Chats(Protocol):
    """Belongs to the host's loop, and does its work elsewhere."""

    async def facts(self, *, folder: Path | None = None, start: bool = True) -> dict[str, Any]:
        """``helix.proxy/1``; begins to listen where it does not yet, unless ``start`` is false. Raises HelixError.

        ``folder`` is the one that ``base_url`` is about; None for whichever has the focus.
        """
        ...

    def active_at(self) -> float:
        """When there was last a chat under way, monotonic seconds."""
        ...

    async def close(self) -> None:
        """Answer nobody any more."""
        ...


LINGER_S = 60.0


@dataclass(slots=True)
class _Shared:
    """One open workspace, the trust of each who holds it, and what closes it when nobody has for a while."""

    workspace: OpenWorkspace
    trusts: list[bool]
    closing: asyncio.TimerHandle | None = None


class Host:
    """Belongs to one event loop. ``linger_s`` is how long a folder stays open after its last user has left.

    ``chats`` is this process's chat proxy, where it can have one. ``on_change`` is called when a folder has come or
    gone, or is trusted or not. ``focused`` is the folder that was last worked in.
    """

    def __init__(
        self,
        *,
        mode: Mode,
        in_hand: ParseGuard = no_parse_guard,
        lag: LoopLag | None = None,
        linger_s: float = LINGER_S,
    ) -> None:
        self.pid = os.getpid()
        self.version = __version__
        self.mode: Mode = mode
        self._in_hand, self._lag, self._linger_s = in_hand, lag, linger_s
        self._shared: dict[Path, _Shared] = {}
        self._closers: set[asyncio.Task[None]] = set()
        self._closed = False
        self.chats: Chats | None = None
        self.on_change: Callable[[], None] = lambda: None
        self.focused: Path | None = None

    @property
    def loop_lag_ms(self) -> float:
        """The longest time, in the last minute, that the loop was kept from its next turn."""
        return self._lag.worst_ms() if self._lag is not None else 0.0

    @property
    def workspaces(self) -> Iterable[OpenWorkspace]:
        """What is open, also while it lingers; from any thread."""
        return [shared.workspace for shared in tuple(self._shared.values())]

    async def attach(self, folder: Path, *, trusted: bool, watch: str = "auto") -> OpenWorkspace:
        """The workspace of a folder, opened when it is not; call ``detach`` once for each ``attach``.

        Returns before anything is read of the folder's files. It is restricted while nobody who holds it trusts it.
        Raises WorkspaceError when there is no such folder.
        """
        real = await asyncio.to_thread(_real_folder, folder)
        if self._closed:
            raise WorkspaceError(f"Helix is stopping; open {folder} again in a moment")
        shared = self._shared.get(real)
        if shared is None:
            server = ServerInfo(self.pid, self.version, self.mode)
            settings = Settings(restricted=not trusted)
            workspace = OpenWorkspace(real, settings, watch=watch, server=server, in_hand=self._in_hand)
            shared = self._shared[real] = _Shared(workspace, [])
        if shared.closing is not None:
            shared.closing.cancel()
            shared.closing = None
        shared.trusts.append(trusted)
        self._follow_trust(shared)
        return shared.workspace

    async def detach(self, workspace: OpenWorkspace, *, trusted: bool = True) -> None:
        """One user less; after the last one the workspace stays warm for a while and is closed."""
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
        """Close every workspace, keeping what is finished."""
        self._closed = True
        if self.chats is not None:
            await self.chats.close()
        await asyncio.gather(*(self._close(shared) for shared in tuple(self._shared.values())))
        await asyncio.gather(*self._closers)

    def _follow_trust(self, shared: _Shared) -> None:
        workspace = shared.workspace
        workspace.configure(replace(workspace.settings, restricted=not any(shared.trusts)), workspace.watch)
        self.on_change()

    def _close_soon(self, shared: _Shared) -> None:
        if shared.trusts:
            return
        task = asyncio.get_running_loop().create_task(self._close(shared))
        self._closers.add(task)
        task.add_done_callback(self._closers.discard)

    async def _close(self, shared: _Shared) -> None:
        if shared.closing is not None:
            shared.closing.cancel()
        if self._shared.get(shared.workspace.folder) is shared:
            del self._shared[shared.workspace.folder]
            self.on_change()
        await shared.workspace.close()


def _real_folder(folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    if not real.exists():
        raise WorkspaceError(f"{folder} does not exist; name a folder that does")
    if not real.is_dir():
        raise WorkspaceError(f"{folder} is not a folder; name the folder it is in")
    return real
