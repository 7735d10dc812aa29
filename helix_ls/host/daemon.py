"""The daemon: one process per user, protocol and version that owns every open workspace and serves every client.

It is started on demand, elected by a file lock that it holds until it exits, and it shuts down after an idle timeout.
It also shuts down when its socket was removed or replaced: no client finds it any more, and the next starts another.
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
from helix_core.ingest import ParseGuard
from helix_core.telemetry import Spans
from helix_ls.host.calls import Calls, RunsCommands
from helix_ls.host.connection import PROTOCOL, encoded, is_own_user, proof, transport_of
from helix_ls.host.endpoint import BoundEndpoint, DaemonPaths, Secret, bound_socket, place
from helix_ls.host.framing import MAX_BODY_BYTES, Frames, TooLarge, framed
from helix_ls.host.host import Chats, Host
from helix_ls.host.log import LOG, loop_failed, open_log
from helix_ls.host.loop import LoopLag, new_loop
from helix_ls.host.parse_journal import ParseJournal
from helix_ls.host.telemetry import users_telemetry

IDLE_S = 30.0
LOCK_WAIT_S = 10.0
HELLO_S = 10.0
MOST_HELLO_BYTES = 1 << 16
KINDS = ("lsp", "call")
CLOSE_S = 5.0
# How often the daemon checks that clients still find it, in seconds.
PLACE_S = 2.0
# The buffer of a connection before the client is held back (flow control), in bytes.
UNREAD_BYTES = 1 << 20


class Serve(Protocol):
    """Serves one LSP connection until the client disconnects."""

    def __call__(
        self, host: Host, frames: Frames, writer: asyncio.StreamWriter, *, resumed: bool, mode: str
    ) -> Awaitable[None]: ...


def run_daemon(
    serve: Serve,
    *,
    warm_up: Callable[[], object],
    environ: Mapping[str, str],
    ready: Callable[[], None],
    chats: Callable[[Host], Chats] | None = None,
    commands: Callable[[ParseGuard, Spans], RunsCommands] | None = None,
) -> int:
    """Run the daemon until it shuts down; return the exit status: 1 if clients could no longer find it, else 0.

    Returns 0 at once if another process holds its lock. With status 1 a service manager starts it again.

    ``warm_up`` loads in a thread what the first client needs. ``chats`` makes the chat proxy, and ``commands`` makes
    what runs the verbs of the command line. ``ready`` is called when a daemon accepts connections, whether it is this
    process or another. Raises PlaceError if the runtime folder is unusable.
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
        parse_guard = ParseJournal(where.parse_guard)
        if parse_guard.died_of:
            LOG.error("the last daemon died while parsing; quarantined: %s", ", ".join(parse_guard.died_of))
        with asyncio.Runner(loop_factory=lambda: new_loop(lag)) as runner:
            telemetry = users_telemetry(environ)
            if telemetry.problem:
                LOG.warning("telemetry is off; helix doctor says why")
            host = Host(mode="daemon", parse_guard=parse_guard.hold, lag=lag, telemetry=telemetry)
            host.chats = chats(host) if chats is not None else None
            running = commands(parse_guard.hold, host.telemetry.span) if commands is not None else None
            daemon = Daemon(where, host, serve, running, idle_s=idle_of(environ))
            runner.run(daemon.run(warm_up, environ, ready))
    finally:
        lock.release()
    return 1 if daemon.is_displaced else 0


def idle_of(environ: Mapping[str, str]) -> float:
    """Return the idle timeout in seconds: ``HELIX_IDLE_S``, or half a minute if it is unset or not a number."""
    try:
        return max(0.0, float(environ.get("HELIX_IDLE_S", "") or IDLE_S))
    except ValueError:
        return IDLE_S


def should_leave(now: float, *, clients: int, idle_since: float, idle_s: float) -> bool:
    """Return whether the idle timeout has passed without a client. Times are monotonic seconds."""
    return clients == 0 and now - idle_since >= idle_s


class Daemon:
    """Accept connections, authenticate them, and shut down on a signal, on a call or after the idle timeout."""

    def __init__(
        self, where: DaemonPaths, host: Host, serve: Serve, commands: RunsCommands | None = None, *, idle_s: float
    ) -> None:
        self._commands = commands
        self._where, self._host, self._serve, self._idle_s = where, host, serve, idle_s
        self._started = self._idle_since = time.monotonic()
        self._clients: set[asyncio.Task[None]] = set()
        self._leaving = asyncio.Event()
        self._look: asyncio.TimerHandle | None = None
        self._secret: Secret | None = None
        self._stays = False
        self.is_displaced = False
        self._calls = Calls(host, self.facts, self.leave, commands, self.stay)
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
            "commands": self._commands.counts() if self._commands is not None else {},
            "workspaces": [
                workspace.status.wire() | {"indexer_pid": workspace.indexer_pid or None}
                for workspace in self._host.workspaces
            ],
            "loop_lag_ms": self._host.loop_lag_ms,
            "idle_s": self._idle_s,
            "stays": self._stays,
            "log": str(self._where.log),
        }

    def leave(self) -> None:
        """Begin a graceful shutdown; ``run`` returns when the clients are closed."""
        self._leaving.set()

    def stay(self) -> None:
        """Do not leave for want of clients from now on."""
        self._stays = True

    async def run(self, warm_up: Callable[[], object], environ: Mapping[str, str], ready: Callable[[], None]) -> None:
        """Listen on the socket and serve clients until shutdown or idle timeout; call ``ready`` once it listens."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_failed)
        self._follow_signals(loop)
        self._transport = transport_of(environ)
        endpoint = bound_socket(self._where, transport_of(environ))
        self._secret = endpoint.secret
        server = await asyncio.start_server(self._accept, sock=endpoint.listener, limit=UNREAD_BYTES)
        LOG.info("listening, version %s, %s", __version__, self._transport)
        ready()
        warming = asyncio.create_task(asyncio.to_thread(warm_up))
        self._watch_idle()
        self._watch_place(endpoint)
        await self._leaving.wait()
        endpoint.remove()
        server.close()
        LOG.info("shutting down with %d clients", len(self._clients))
        await self._close(warming)

    async def _close(self, warming: asyncio.Task[object]) -> None:
        for client in tuple(self._clients):
            client.cancel()
        commands = [self._commands.close()] if self._commands is not None else []
        closing = asyncio.gather(*self._clients, self._host.close(), *commands, warming, return_exceptions=True)
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
        if self._stays:
            return
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

    def _watch_place(self, endpoint: BoundEndpoint) -> None:
        """Shut down, also with clients, once the endpoint's file is not this daemon's: the clients connect again."""
        if endpoint.is_in_place():
            asyncio.get_running_loop().call_later(PLACE_S, self._watch_place, endpoint)
            return
        LOG.warning("the socket was removed or replaced")
        self.is_displaced = True
        self.leave()

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
        frames = Frames(reader, max_body_bytes=MOST_HELLO_BYTES)
        hello = await asyncio.wait_for(self._greet(frames, writer), HELLO_S)
        if hello is None:
            return
        frames.limit(MAX_BODY_BYTES)
        kind = hello["kind"]
        LOG.info("a client connected: %s", kind)
        if kind == "lsp":
            await self._serve(self._host, frames, writer, resumed=bool(hello.get("resumed")), mode="daemon")
        else:
            await self._calls.serve(frames, writer)

    async def _greet(self, frames: Frames, writer: asyncio.StreamWriter) -> dict[str, Any] | None:
        """Return a client's hello after the answer to it, or None if it was refused or disconnected."""
        challenge = os.urandom(16).hex()
        if self._secret is not None:
            await _send(writer, {"challenge": challenge})
        body = await frames.next()
        if body is None or isinstance(body, TooLarge):
            return None
        hello = json.loads(body)
        if not isinstance(hello, dict) or refusal(hello):
            await _send(writer, {"ok": False, "error": refusal(hello)})
            return None
        reply: dict[str, Any] = {"ok": True, "pid": os.getpid(), "version": __version__}
        if self._secret is not None:
            token, nonce = self._secret.token, str(hello.get("nonce"))
            if not hmac.compare_digest(str(hello.get("proof")), proof(token, "client", challenge, nonce)):
                LOG.warning("a client without the token was refused")
                await _send(writer, {"ok": False, "error": "the proof is wrong"})
                return None
            reply["proof"] = proof(token, "daemon", nonce, challenge)
        await _send(writer, reply)
        return hello


def refusal(hello: dict[str, Any]) -> str:
    """Return why a client with this hello is refused, or an empty string."""
    if hello.get("protocol") != PROTOCOL or hello.get("version") != __version__:
        return f"this daemon speaks protocol {PROTOCOL} of version {__version__}"
    return "" if hello.get("kind") in KINDS else f"the kinds of a connection are {' and '.join(KINDS)}"


async def _send(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(framed(encoded(message)))
    await writer.drain()


def _leave_streams() -> None:
    """Redirect stdin, stdout and stderr to the null device, as a daemon has no terminal."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
