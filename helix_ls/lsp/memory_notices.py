"""Send helix/memory notifications: what a client has of its memory may have changed, so it asks again.

A folder's memory is watched from the client's first question about it. A notification follows a new operation in the
log, whichever process wrote it, and a change of files, because the verdicts of citations come from the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from helix_core.engine import Helix
from helix_core.errors import HelixError
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.debounce import Debouncer
from helix_ls.lsp.folders import Folder
from helix_ls.operations.arguments import Operation

METHOD = "helix/memory"
QUIET_S = 0.2
LONGEST_WAIT_S = 2.0
LOOK_S = 2.0


def _nothing() -> None:
    return


class MemoryNotices:
    """The memory notifications of one session, debounced by ``QUIET_S`` seconds."""

    def __init__(self, connection: ClientConnection, changed: Callable[[], None] = _nothing) -> None:
        """``changed`` is called with each notification: what else shows memories is worked out anew."""
        self._connection, self._changed = connection, changed
        # The head of the log that was seen last, by the URI of each folder that the client has asked about.
        self._heads: dict[str, str] = {}
        self._due = Debouncer(LONGEST_WAIT_S)
        self._looking: asyncio.TimerHandle | None = None

    def around(
        self, operation: Operation[Any], act: Callable[[Any], Awaitable[Any]]
    ) -> Callable[[Any], Awaitable[Any]]:
        """Return the handler of a memory command that also watches the folder, or looks at once after a change."""

        async def answer(given: Any) -> Any:
            folder = self._connection.folders.named(given.workspace)
            if operation.changes != "memory":
                # Before the answer is read: what is written meanwhile differs from this head.
                await self._watch(folder)
                return await act(given)
            answered = await act(given)
            if folder.uri in self._heads:
                self._connection.spawn(self._look(folder), "looking at the memory")
            return answered

        return answer

    def files_changed(self, folder: Folder) -> None:
        """Notify a client that has asked about the folder's memory: its citations are judged by the files."""
        if folder.uri in self._heads:
            self._soon(folder)

    def forget(self, uri: str) -> None:
        """Stop watching for a removed folder."""
        self._heads.pop(uri, None)
        self._due.cancel(uri)

    def close(self) -> None:
        """Cancel the timers of all open documents."""
        for uri in list(self._heads):
            self.forget(uri)
        if self._looking is not None:
            self._looking.cancel()

    async def _watch(self, folder: Folder) -> None:
        if folder.uri not in self._heads:
            self._heads[folder.uri] = await self._head(folder)
            if self._looking is None:
                self._rest()

    async def _head(self, folder: Folder) -> str:
        def act(helix: Helix, *_: Any) -> str:
            return str(helix.memory.log(1)["head"])

        return await self._connection.ask(folder, act)

    async def _look(self, folder: Folder) -> None:
        """Compare the log's last operation with the one that was seen before."""
        try:
            head = await self._head(folder)
        except HelixError:
            # The commands and the status report the problem; the next look compares again.
            return
        if self._heads.get(folder.uri, head) != head:
            self._heads[folder.uri] = head
            self._soon(folder)

    async def _look_around(self) -> None:
        """Poll the log: the command line and other daemons write the same file."""
        for folder in self._connection.folders:
            if folder.uri in self._heads:
                await self._look(folder)
        self._rest()

    def _rest(self) -> None:
        loop = asyncio.get_running_loop()
        self._looking = loop.call_later(LOOK_S, lambda: self._connection.spawn(self._look_around(), "watching memory"))

    def _soon(self, folder: Folder) -> None:
        self._due.soon(folder.uri, QUIET_S, lambda: self._send(folder.uri))

    def _send(self, uri: str) -> None:
        self._connection.protocol.notify(METHOD, {"workspace": uri})
        self._changed()
