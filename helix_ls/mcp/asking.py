"""A client of the daemon's calls: connect, start a daemon where none runs, else answer in this process.

Bound to one event loop. A connection to a daemon that died is replaced; cancelling a call cancels it in the daemon.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Protocol

from helix_core.errors import HelixError, UsageError
from helix_ls.host.connection import DaemonConnection, encoded
from helix_ls.host.election import StartError, reach
from helix_ls.host.private_files import PlaceError
from helix_ls.host.telemetry import NoTelemetry, Telemetry

ANSWER_S = 120.0
MOST_AT_ONCE = 4
_MOST_IDLE = 4


class AskingError(HelixError):
    """A call failed or was not answered in time."""


class Asks(Protocol):
    """A client of calls: ``await ask(method, path=folder, **params)``; cancelling the await cancels the call."""

    @property
    def mode(self) -> str:
        """The process that answers: ``daemon`` or ``solo``."""

    async def ask(self, method: str, **params: Any) -> Any:
        """Return the ``result`` of a call. Raises HelixError."""


class Asking:
    """The client of the daemon's calls, limited to ``MOST_AT_ONCE`` concurrent ones by a semaphore.

    Without ``daemons``, or where none can be started, this process answers itself.
    """

    def __init__(self, daemons: Daemons | None, telemetry: Telemetry | None = None) -> None:
        self._daemon, self._telemetry = daemons, telemetry or NoTelemetry()
        self._solo: _Solo | None = None
        self._turns, self._consolidating = asyncio.Semaphore(MOST_AT_ONCE), asyncio.Semaphore(1)

    @property
    def mode(self) -> str:
        """The process that answers: ``daemon`` or ``solo``."""
        return "solo" if self._daemon is None else "daemon"

    async def ask(self, method: str, **params: Any) -> Any:
        """Return the ``result`` of a call; cancelling this cancels it. Raises UsageError or AskingError."""
        call = os.urandom(8).hex()
        carrier = self._telemetry.carrier()
        traced = {"trace": carrier} if carrier else {}
        request = encoded({"method": method, "params": params | traced | {"call": call}})
        # A call that reports the progress of the others must not wait for them.
        # What may wait for an upstream takes no turn of a question.
        turns = self._consolidating if method == "helix.consolidate" else self._turns
        async with nullcontext() if method == "helix.live" else turns:
            reply = await self._reply(request, call)
        if "error" in reply:
            error = reply["error"]
            raise (UsageError if error.get("usage") else AskingError)(error["message"])
        return reply["result"]

    async def _reply(self, request: bytes, call: str) -> dict[str, Any]:
        if self._daemon is not None:
            try:
                return await _in_thread(self._daemon.reply, request, lambda: self._take_back(call))
            except (StartError, PlaceError) as error:
                sys.stderr.write(f"helix: {error} Answering in this process instead.\n")
                self._daemon = None
        if self._solo is None:
            self._solo = _Solo(self._telemetry)
        return await self._solo.reply(request, call)

    async def close(self) -> None:
        """Close the workspaces of this process, if it answered itself."""
        if self._solo is not None:
            await self._solo.close()

    def _take_back(self, call: str) -> None:
        daemon = self._daemon
        if daemon is not None:
            cancel = encoded({"method": "helix.cancel", "params": {"call": call}})
            threading.Thread(target=daemon.tell, args=(cancel,), name="helix-cancel", daemon=True).start()


class Daemons:
    """A thread-safe connection pool to this user's daemon, which reconnects when the daemon is replaced."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = dict(environ)
        self._idle: list[DaemonConnection] = []
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Connect before the first call, so that the daemon starts early; an error is raised by the call instead."""
        try:
            self._put_back(self._reached())
        except HelixError:
            return

    def reply(self, request: bytes) -> dict[str, Any]:
        """Send a request and return the reply; retry with a new connection, at most twice, if the daemon died.

        Raises StartError and PlaceError if no daemon can be reached, AskingError if it does not reply in ``ANSWER_S``
        seconds or dies at the last attempt.
        """
        for attempt in range(3):
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            connection = kept or self._reached()
            try:
                reply = connection.exchange(request, ANSWER_S)
            except TimeoutError:
                connection.socket.close()
                message = f"Helix has not answered in {ANSWER_S:.0f} s; call helix_status, then ask for less."
                raise AskingError(message) from None
            except (OSError, ValueError) as error:
                connection.socket.close()
                self._forget()
                if attempt == 2:
                    raise AskingError("Helix's daemon ended while it answered; ask again.") from error
                continue
            self._put_back(connection)
            return reply
        raise AssertionError("the last attempt returns or raises")

    def tell(self, request: bytes) -> None:
        """Send a request and discard the reply and any HelixError."""
        try:
            self.reply(request)
        except HelixError:
            return

    def _reached(self) -> DaemonConnection:
        return reach(self._environ, {"kind": "call"})

    def _put_back(self, connection: DaemonConnection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.socket.close()

    def _forget(self) -> None:
        """Close the pooled connections to a daemon that died."""
        with self._lock:
            for connection in self._idle:
                connection.socket.close()
            self._idle.clear()


class _Solo:
    """The host in this process, called without a socket."""

    def __init__(self, telemetry: Telemetry) -> None:
        from helix_ls.host.calls import Asker, Calls
        from helix_ls.host.host import Host

        host = self._host = Host(mode="solo", linger_s=0.0, telemetry=telemetry)
        self._asker = Asker(host)
        self._calls = Calls(host, lambda: {"pid": host.pid, "running": False}, lambda: None)

    async def reply(self, request: bytes, call: str) -> dict[str, Any]:
        try:
            reply: dict[str, Any] = json.loads(await self._calls.answer(request, self._asker))
        except asyncio.CancelledError:
            cancel = encoded({"method": "helix.cancel", "params": {"call": call}})
            await self._calls.answer(cancel, self._asker)
            raise
        return reply

    async def close(self) -> None:
        await self._host.close()


async def _in_thread(act: Any, request: bytes, taken_back: Any) -> dict[str, Any]:
    """Like ``asyncio.to_thread``, but in a daemon thread, which is not joined at interpreter exit."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[dict[str, Any]] = loop.create_future()

    def settle(reply: dict[str, Any] | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        elif reply is not None:
            done.set_result(reply)

    def run() -> None:
        reply, error = None, None
        try:
            reply = act(request)
        except HelixError as caught:
            error = caught
        try:
            loop.call_soon_threadsafe(settle, reply, error)
        except RuntimeError:
            # The event loop is closed.
            return

    threading.Thread(target=run, name="helix-ask", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        taken_back()
        raise
