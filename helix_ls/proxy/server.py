"""The process of ``helix serve``: host, watchers and HTTP on loopback, on one event loop, with limits on slow heads."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from helix_core.config import Config
from helix_core.errors import HelixError
from helix_ls.host.calls import first_indexed
from helix_ls.host.host import Host
from helix_ls.host.log import ContentFree
from helix_ls.host.loop import LoopLag, new_loop
from helix_ls.host.telemetry import telemetry_of
from helix_ls.proxy.app import application
from helix_ls.proxy.bodies import BODY_S
from helix_ls.proxy.guard import MAX_HEAD_BYTES, GuardRules
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.route_table import ADMIN_ROUTES
from helix_ls.proxy.running import RunningServer, announce
from helix_ls.proxy.upstream import Address, Upstreams
from helix_ls.proxy.workspaces import Workspaces

HEAD_S = 10.0
MOST_BODY_S = BODY_S + 15.0
"""How long any body may take; routes that read one say so earlier."""


class TimedConnection(HttpToolsProtocol):
    """uvicorn's protocol, with limits of time and bytes for an incomplete head, and of time for a body."""

    _waiting: asyncio.TimerHandle | None = None
    _is_in_head = True
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout of the first head."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout of a connection that is closed."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive bytes of a head or a body."""
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.transport.close()

    def on_message_begin(self) -> None:
        """Start the limits of a head."""
        super().on_message_begin()
        self._is_in_head, self._head_bytes = True, 0
        self._stop()
        self._wait()

    def on_headers_complete(self) -> None:
        """Stop the limits of a head."""
        self._is_in_head = False
        self._stop()
        self._wait(MOST_BODY_S)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the limit of a body."""
        self._stop()
        super().on_message_complete()

    def _wait(self, most_s: float = HEAD_S) -> None:
        self._waiting = self.loop.call_later(most_s, self._late)

    def _late(self) -> None:
        self.transport.close()

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


LOOPBACK = "127.0.0.1"
PORTS_TRIED = 50
CLOSE_S = 5.0
KEEP_ALIVE_S = 75
END_STREAMS_S = 2
QUIET_S = 1.5
"""A first index that takes longer is spoken of."""
Ready = Callable[[RunningServer], None]


class PortError(HelixError):
    """No port is available."""


class UvicornServer(uvicorn.Server):
    """uvicorn without its own signal handlers and without its periodic tick."""

    def __init__(self, settings: uvicorn.Config, leaving: asyncio.Event) -> None:
        """``leaving`` is set when the server begins to stop."""
        super().__init__(settings)
        self._leaving = leaving

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not install signal handlers."""
        yield

    async def main_loop(self) -> None:
        """Wait until ``leave`` is called."""
        await self._leaving.wait()

    def leave(self) -> None:
        """Stop accepting requests, and end."""
        self.should_exit = True
        self._leaving.set()


def run(
    folders: Sequence[Path],
    *,
    port: int,
    key: str,
    admin_key: str,
    upstreams: Sequence[Address],
    config: Config,
    environ: Mapping[str, str],
    indexing: Ready,
    ready: Ready,
) -> int:
    """Serve until a signal. ``ready`` is called once the first folder is indexed, or after a time limit; ``indexing``
    before it where that takes longer than a moment: questions are answered meanwhile.
    """
    _log_to_stderr()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(
            _serve(
                folders,
                port=port,
                key=key,
                admin_key=admin_key,
                upstreams=upstreams,
                config=config,
                environ=environ,
                indexing=indexing,
                ready=ready,
            )
        )


async def _serve(
    folders: Sequence[Path],
    *,
    port: int,
    key: str,
    admin_key: str,
    upstreams: Sequence[Address],
    config: Config,
    environ: Mapping[str, str],
    indexing: Ready,
    ready: Ready,
) -> int:
    host = Host(mode="solo", linger_s=0.0, telemetry=telemetry_of(config))
    above = Upstreams(upstreams)
    told: Path | None = None
    watching = contextlib.ExitStack()
    listener = bound(port)
    try:
        opened = [await host.attach(folder, trusted=True) for folder in folders]
        rules = GuardRules(listener.getsockname()[1], key, admin_key, admin_routes=ADMIN_ROUTES)
        leaving = asyncio.Event()
        measures = Measures()
        app = application(
            Workspaces(lambda: opened),
            above,
            rules,
            config,
            measures,
            leaving=leaving,
            span=host.telemetry.span,
            below=host.telemetry.below,
        )
        watching.callback(host.telemetry.watch(measures.families))
        server = UvicornServer(settings(app), leaving)
        _follow_signals(server)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        running = RunningServer(rules.port, os.getpid(), tuple(str(workspace.folder) for workspace in opened))
        told = announce(running, environ)
        indexed = asyncio.create_task(first_indexed(opened[0]))
        first = partial(asyncio.wait, (serving, indexed), return_when=asyncio.FIRST_COMPLETED)
        done, _ = await first(timeout=QUIET_S)
        if not done:
            indexing(running)
            await first()
        if not serving.done():
            ready(running)
        await serving
        indexed.cancel()
    finally:
        if told is not None:
            told.unlink(missing_ok=True)
        listener.close()
        await above.close()
        await _close(host, watching)
    return 0


def bound(port: int) -> socket.socket:
    """Return a listening socket on loopback: on this port, or the next free one; 0 for any. Raises PortError."""
    for candidate in range(port, min(port + PORTS_TRIED, 65_536)) if port else (0,):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise PortError(f"port {candidate} cannot be had ({error.strerror}); choose another") from error
        else:
            listener.setblocking(False)
            return listener
    raise PortError(f"no port from {port} on is free; choose another with --port, or 0 for any")


def settings(app: Any, lifespan: Literal["on", "off"] = "on") -> uvicorn.Config:
    """Return uvicorn's configuration for this application."""
    logging.getLogger("uvicorn.error").addFilter(_is_no_broken_answer)
    return uvicorn.Config(
        app,
        http=TimedConnection,
        ws="none",
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=END_STREAMS_S,
    )


def _is_no_broken_answer(record: logging.LogRecord) -> bool:
    """Drop uvicorn's error about an answer that was broken off on purpose, which the proxy logs itself."""
    return "without completing response" not in record.msg


def _follow_signals(server: UvicornServer) -> None:
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(each, lambda *_: loop.call_soon_threadsafe(server.leave))
        else:
            loop.add_signal_handler(each, server.leave)


async def _close(host: Host, watching: contextlib.ExitStack) -> None:
    try:
        await asyncio.wait_for(asyncio.gather(host.close(), asyncio.to_thread(watching.close)), CLOSE_S)
    except TimeoutError:
        # A hanging thread would keep the process alive: exit, because the index is consistent at any moment.
        sys.stdout.flush()
        os._exit(1)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return uvloop's factory, which passes a stream's chunks on faster; asyncio's where it is not installed."""
    try:
        import uvloop
    except ImportError:
        return lambda: new_loop(LoopLag())
    return uvloop.new_event_loop


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ContentFree("helix: %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # uvicorn's warnings are about clients' input, and suggest packages that are excluded on purpose.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
