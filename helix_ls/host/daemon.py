"""The daemon: one process per user, protocol and version that owns every open workspace and serves every client.

It is started on demand, elected by a file lock that it holds until it exits, and it shuts down after an idle timeout.
The handler of editor connections is passed in, so that this module needs no LSP.
"""

from __future__ import annotations

import asyncio
import faulthandler
import hmac
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from filelock import FileLock, Timeout

from helix_core import __version__
from helix_ls.host.calls import Calls
from helix_ls.host.endpoint import (
    PROTOCOL,
    DaemonPaths,
    Secret,
    bound_socket,
    is_own_user,
    place,
    proof,
    remove_traces,
    transport_of,
)
from helix_ls.host.host import Chats, Host
from helix_ls.host.log import LOG, loop_failed, open_log
from helix_ls.host.loop import LoopLag, new_loop
from helix_ls.host.parse_journal import InHandFile

IDLE_S = 600.0
LOCK_WAIT_S = 10.0
HELLO_S = 10.0
CLOSE_S = 5.0
# The size limit of a request line: a note of 1 MiB in which JSON escapes each character as two surrogates.
MOST_CALL = 16 << 20


class Serve(Protocol):
    """Serves one LSP connection until the client disconnects."""

    def __call__(
        self, host: Host, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, resumed: bool, mode: str
    ) -> Awaitable[None]: ...


def run_daemon(
    serve: Serve,
    *,
    warm_up: Callable[[], object],
    environ: Mapping[str, str],
    ready: Callable[[], None],
    chats: Callable[[Host], Chats] | None = None,
) -> int:
    """Run the daemon until it shuts down, or return 0 at once if another process holds its lock.

    ``warm_up`` loads in a thread what the first client needs. ``chats`` makes the chat proxy. ``ready`` is called when
    a daemon accepts connections, whether it is this process or another. Raises PlaceError if the runtime folder is
    unusable.
    """
    os.umask(0o077)
    where = place(environ)
    open_log(where.log)
    lock = FileLock(where.lock, mode=0o600)
    try:
        lock.acquire(timeout=LOCK_WAIT_S)
    except Timeout:
        LOG.info("another daemon is running")
        ready()
        return 0
    try:
        faulthandler.enable(os.open(where.log, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC))
        _leave_streams()
        lag = LoopLag()
        in_hand = InHandFile(where.in_hand)
        if in_hand.died_of:
            LOG.error("the last daemon died while parsing; quarantined: %s", ", ".join(in_hand.died_of))
        with asyncio.Runner(loop_factory=lambda: new_loop(lag)) as runner:
            host = Host(mode="daemon", in_hand=in_hand.hold, lag=lag)
            host.chats = chats(host) if chats is not None else None
            daemon = Daemon(where, host, serve, idle_s=idle_of(environ))
            runner.run(daemon.run(warm_up, environ, ready))
    finally:
        lock.release()
    return 0


def idle_of(environ: Mapping[str, str]) -> float:
    """Return the idle timeout in seconds: ``HELIX_IDLE_S``, or ten minutes if it is unset or not a number."""
    try:
        return max(0.0, float(environ.get("HELIX_IDLE_S", "") or IDLE_S))
    except ValueError:
        return IDLE_S


def should_leave(now: float, *, clients: int, idle_since: float, idle_s: float) -> bool:
    """Return whether the idle timeout has passed without a client. Times are monotonic seconds."""
    return clients == 0 and now - idle_since >= idle_s


class Daemon:
    """Accept connections, authenticate them, and shut down on a signal, on a call or after the idle timeout."""

    def __init__(self, where: DaemonPaths, host: Host, serve: Serve, *, idle_s: float) -> None:
        self._where, self._host, self._serve, self._idle_s = where, host, serve, idle_s
        self._started = self._idle_since = time.monotonic()
        self._clients: set[asyncio.Task[None]] = set()
        self._leaving = asyncio.Event()
        self._look: asyncio.TimerHandle | None = None
        self._secret: Secret | None = None
        self._calls = Calls(host, self.facts, self.leave)
        self._transport = ""

    def facts(self) -> dict[str, Any]:
        """Return the ``helix.daemon/1`` object: process, transport, clients, workspaces and event-loop lag."""
        return {
            "schema": "helix.daemon/1",
            "running": True,
            "pid": os.getpid(),
            "version": __version__,
            "protocol": PROTOCOL,
            "transport": self._transport,
            "uptime_s": round(time.monotonic() - self._started, 3),
            "clients": len(self._clients),
            "workspaces": [
                one.status.wire() | {"indexer_pid": one.indexer_pid or None} for one in self._host.workspaces
            ],
            "loop_lag_ms": self._host.loop_lag_ms,
            "idle_s": self._idle_s,
            "log": str(self._where.log),
        }

    def leave(self) -> None:
        """Begin a graceful shutdown; ``run`` returns when the clients are closed."""
        self._leaving.set()

    async def run(self, warm_up: Callable[[], object], environ: Mapping[str, str], ready: Callable[[], None]) -> None:
        """Listen on the socket and serve clients until shutdown or idle timeout; call ``ready`` once it listens."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_failed)
        self._follow_signals(loop)
        self._transport = transport_of(environ)
        listener, self._secret = bound_socket(self._where, transport_of(environ))
        server = await asyncio.start_server(self._accept, sock=listener, limit=MOST_CALL)
        LOG.info("listening, version %s, %s", __version__, self._transport)
        ready()
        warming = asyncio.create_task(asyncio.to_thread(warm_up))
        self._watch_idle()
        await self._leaving.wait()
        remove_traces(self._where)
        server.close()
        LOG.info("shutting down with %d clients", len(self._clients))
        await self._close(warming)

    async def _close(self, warming: asyncio.Task[object]) -> None:
        for client in tuple(self._clients):
            client.cancel()
        closing = asyncio.gather(*self._clients, self._host.close(), warming, return_exceptions=True)
        try:
            await asyncio.wait_for(closing, CLOSE_S)
        except TimeoutError:
            # A thread that does not end would keep the process alive; SQLite's transactions make a hard exit safe.
            LOG.error("exited with work in progress")
            os._exit(1)
        LOG.info("left")

    def _follow_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        if sys.platform == "win32":
            signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(self.leave))
            return
        loop.add_signal_handler(signal.SIGTERM, self.leave)
        loop.add_signal_handler(signal.SIGINT, self.leave)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _watch_idle(self) -> None:
        if self._look is not None:
            self._look.cancel()
        now = time.monotonic()
        # A running chat of the proxy counts as a client.
        chatted = self._host.chats.active_at() if self._host.chats is not None else 0.0
        idle_since = max(self._idle_since, chatted)
        if should_leave(now, clients=len(self._clients), idle_since=idle_since, idle_s=self._idle_s):
            LOG.info("no client for %.0f s", self._idle_s)
            self.leave()
        elif not self._clients:
            left_s = idle_since + self._idle_s - now
            self._look = asyncio.get_running_loop().call_later(max(0.01, left_s), self._watch_idle)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            await self._serve_client(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError, ValueError):
            LOG.info("a client disconnected")
        finally:
            writer.close()
            self._clients.discard(task)
            if not self._clients:
                self._idle_since = time.monotonic()
                self._watch_idle()

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._leaving.is_set() or not is_own_user(writer.get_extra_info("socket")):
            LOG.warning("a client was refused")
            return
        hello = await asyncio.wait_for(self._greet(reader, writer), HELLO_S)
        if hello is None:
            return
        LOG.info("a client connected: %s", "lsp" if hello["kind"] == "lsp" else "call")
        if hello["kind"] == "lsp":
            await self._serve(self._host, reader, writer, resumed=bool(hello.get("resumed")), mode="daemon")
        else:
            await self._calls.serve(reader, writer)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> dict[str, Any] | None:
        challenge = os.urandom(16).hex()
        if self._secret is not None:
            await _send(writer, {"challenge": challenge})
        hello = json.loads(await reader.readline())
        if not isinstance(hello, dict) or hello.get("protocol") != PROTOCOL or hello.get("kind") not in ("lsp", "call"):
            await _send(writer, {"ok": False, "error": f"this daemon speaks protocol {PROTOCOL}, kinds lsp and call"})
            return None
        reply: dict[str, Any] = {"ok": True, "pid": os.getpid(), "version": __version__}
        if self._secret is not None:
            nonce = str(hello.get("nonce"))
            if not hmac.compare_digest(str(hello.get("proof")), proof(self._secret, "client", challenge, nonce)):
                LOG.warning("a client without the token was refused")
                await _send(writer, {"ok": False, "error": "the proof is wrong"})
                return None
            reply["proof"] = proof(self._secret, "daemon", nonce, challenge)
        await _send(writer, reply)
        return hello


async def _send(writer: asyncio.StreamWriter, line: dict[str, Any]) -> None:
    writer.write(json.dumps(line).encode() + b"\n")
    await writer.drain()


def _leave_streams() -> None:
    """Redirect stdin, stdout and stderr to the null device, as a daemon has no terminal."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
