"""The proxy inside the host process: a thread with its own event loop, started by the first use.

The host keeps the only index and the only watchers; questions go to its threads, which any loop may use. Nothing here
waits on the host's loop, and a busy proxy does not delay an editor.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from helix_core.config import Config, load_config
from helix_core.errors import HelixError
from helix_core.extras import missing, why_missing
from helix_ls.host.host import Host
from helix_ls.host.log import LOG, loop_failed
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.operations.memory import ConsolidateArguments
from helix_ls.proxy.keys import admins_key, configured, noted, users_key
from helix_ls.proxy.running import RunningServer, announce

if TYPE_CHECKING:
    from helix_core.engine import Helix
    from helix_ls.proxy.upstream import Upstreams

AskEngine: TypeAlias = "Callable[[Callable[[Helix], Any]], Awaitable[Any]]"
SCHEMA = "helix.proxy/1"
START_S = 30.0
CLOSE_S = 4.0


class ProxyError(HelixError):
    """The proxy cannot run."""


def extended(
    config: Config,
    keys: Mapping[str, str],
    environ: Mapping[str, str],
    *,
    ask: AskEngine,
    given: ConsolidateArguments,
    answer: dict[str, Any],
    warn: Callable[[Sequence[str]], None],
) -> dict[str, Any]:
    """Return the answer of ``consolidate`` with what the user's model drew, where the user's ``config`` names one.

    ``ask`` runs a function on the engine; ``warn`` is called for upstreams whose key the key ring lacks. Blocks.
    """
    if not config.extractor_model and not config.tie_break_model:
        return answer
    if why := why_missing("proxy"):
        return answer | {"notes": [f"Only rules drew facts: {why}.", *answer["notes"]]}
    # Import here: without such a model nothing needs the client of the upstreams, which is an extra.
    from helix_ls.proxy.extractor import extended_apart
    from helix_ls.proxy.upstream import addresses

    found, warnings = addresses(config, keys, environ)
    warn(warnings)
    return extended_apart(found, ask, given, answer)


def _log_keyless(warnings: Sequence[str]) -> None:
    for _ in warnings:
        LOG.warning("an upstream is asked without its key: the key ring does not give it")


class EmbeddedProxy:
    """The proxy of one host, used from the host's loop. ``keys`` are the upstreams', by environment variable."""

    def __init__(self, host: Host, environ: Mapping[str, str], keys: Mapping[str, str]) -> None:
        self._host, self._environ, self._keys = host, environ, keys
        self._starting, self._extracting = asyncio.Lock(), asyncio.Lock()
        self._thread: _Serving | None = None
        self._closed = False
        self._settings: dict[str, Any] = {}

    async def facts(
        self, *, folder: Path | None = None, start: bool = True, settings: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return ``helix.proxy/1``. Raises HelixError when no port or key is available, or a setting is wrong."""
        async with self._starting:
            if self._closed:
                raise ProxyError("Helix is stopping; ask again in a moment")
            if settings is not None:
                self._settings = dict(settings)
            config = replace(await asyncio.to_thread(load_config, None, environ=self._environ), **self._settings)
            if self._thread is not None and (self._thread.config, self._thread.kept_keys) != (
                config,
                noted(self._environ),
            ):
                # The settings changed, perhaps to another upstream or key: restart.
                outdated, self._thread = self._thread, None
                await asyncio.to_thread(outdated.end)
                start = True
            if self._thread is None:
                if not start:
                    return _idle(config)
                thread = _Serving(self._host, self._environ, self._keys, config)
                await asyncio.to_thread(thread.begin)
                self._thread = thread
                self._host.on_change = thread.workspaces_changed
        asking = asyncio.run_coroutine_threadsafe(self._thread.facts(folder), self._thread.loop)
        return await asyncio.wrap_future(asking)

    async def extended(
        self,
        ask: AskEngine,
        given: ConsolidateArguments,
        answer: dict[str, Any],
    ) -> dict[str, Any]:
        """Return the answer of ``consolidate`` with what the user's model drew; the proxy need not run for it."""
        config = await asyncio.to_thread(load_config, None, environ=self._environ)
        async with self._extracting:
            return await asyncio.to_thread(
                extended, config, self._keys, self._environ, ask=ask, given=given, answer=answer, warn=_log_keyless
            )

    def active_at(self) -> float:
        """Return the monotonic time when a chat was last open."""
        return self._thread.active_at() if self._thread is not None else 0.0

    async def close(self) -> None:
        """Stop the proxy; running streams are cut off after a grace period."""
        async with self._starting:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.to_thread(thread.end)


def _idle(config: Config) -> dict[str, Any]:
    """Return ``helix.proxy/1`` of a stopped proxy: where chats would go, and which modules it lacks to start.

    Imports nothing of the server.
    """
    upstreams = [{"name": each.name, "url": each.url, "state": "unknown"} for each in configured(config)]
    return {
        "schema": SCHEMA,
        "running": False,
        "upstreams": upstreams,
        "models": [],
        "last_request": None,
        "missing": list(missing("proxy")),
    }


class _Serving:
    """The thread. ``begin`` reports start-up errors to its caller."""

    loop: asyncio.AbstractEventLoop

    def __init__(self, host: Host, environ: Mapping[str, str], keys: Mapping[str, str], config: Config) -> None:
        self._host, self._environ, self._keys, self.config = host, environ, keys, config
        self.kept_keys = noted(environ)
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self._run, name="helix-proxy", daemon=True)

    def begin(self) -> None:
        """Start listening. Raises HelixError."""
        if why := why_missing("proxy"):
            raise ProxyError(why)
        # Import here, in the thread: opening an editor does not need the server.
        from helix_ls.proxy.guard import GuardRules
        from helix_ls.proxy.metrics import Measures
        from helix_ls.proxy.route_table import ADMIN_ROUTES
        from helix_ls.proxy.server import bound
        from helix_ls.proxy.upstream import Upstreams, addresses

        self._key = users_key(self._environ)
        found, warnings = addresses(self.config, self._keys, self._environ)
        for _ in warnings:
            LOG.warning("an upstream is asked without its key: the key ring does not give it")
        self._upstreams: Upstreams = Upstreams(found)
        self._listener = bound(self.config.proxy_port)
        self._port = self._listener.getsockname()[1]
        self._measures = Measures()
        self._rules = GuardRules(self._port, self._key, admins_key(self._environ), admin_routes=ADMIN_ROUTES)
        self._thread.start()
        deadline = time.monotonic() + START_S
        while not self._listens.wait(0.1):
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise ProxyError("the proxy does not start; see the end of: helix daemon logs")

    def _run(self) -> None:
        from helix_ls.proxy.server import loop_factory

        for name in ("uvicorn.error", __package__ or ""):
            for handler in LOG.handlers:
                logging.getLogger(name).addHandler(handler)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            self.loop = runner.get_loop()
            self.loop.set_exception_handler(loop_failed)
            runner.run(self._serve())

    async def _serve(self) -> None:
        from helix_ls.proxy.app import application
        from helix_ls.proxy.server import UvicornServer, settings
        from helix_ls.proxy.workspaces import Workspaces

        workspaces = Workspaces(self._served, lambda: self._host.focused)
        leaving = asyncio.Event()
        telemetry = self._host.telemetry
        app = application(
            workspaces,
            self._upstreams,
            self._rules,
            self.config,
            self._measures,
            leaving=leaving,
            span=telemetry.span,
            below=telemetry.below,
        )
        unwatch = telemetry.watch(self._measures.families)
        self._server = UvicornServer(settings(app), leaving)
        told = self._announce()
        self._listens.set()
        LOG.info("the proxy listens")
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            told.unlink(missing_ok=True)
            self._listener.close()
            await self._upstreams.close()
            await asyncio.to_thread(unwatch)

    def _served(self) -> list[OpenWorkspace]:
        """Return the trusted folders; an untrusted one is not part of any chat."""
        return [workspace for workspace in self._host.workspaces if not workspace.settings.restricted]

    def _announce(self) -> Path:
        folders = tuple(str(workspace.folder) for workspace in self._served())
        return announce(RunningServer(self._port, os.getpid(), folders), self._environ)

    def workspaces_changed(self) -> None:
        """Update the announcement after a folder was opened or closed; called on the host's loop."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._announce_again)

    def _announce_again(self) -> None:
        if not self._server.should_exit:
            self._announce()

    async def facts(self, folder: Path | None) -> dict[str, Any]:
        """Return the facts; runs on the thread's own loop."""
        await self._upstreams.refresh_if_stale()
        url, last = f"http://127.0.0.1:{self._port}", self._measures.last
        about = f"/w/{quote(str(folder), safe='')}" if folder is not None else ""
        return {
            "schema": SCHEMA,
            "running": True,
            "url": url,
            "base_url": f"{url}{about}/v1",
            "port": self._port,
            "pid": os.getpid(),
            "api_key": self._key,
            "upstreams": self._upstreams.facts(),
            "models": self._upstreams.offers(),
            "chats_open": self._measures.chats_open,
            "last_request": last.wire() if last is not None else None,
            "prompt_cache": self._measures.prompt_cache(),
        }

    def active_at(self) -> float:
        """Return the time of the last chat; thread-safe."""
        return self._measures.active_at() if self._measures.chats_ever else 0.0

    def end(self) -> None:
        """Stop the thread and wait for it, with a timeout; called from another thread."""
        began = time.monotonic()
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._server.leave)
        self._thread.join(CLOSE_S)
        if self._thread.is_alive():
            LOG.error("the proxy has not ended in %.1f s", time.monotonic() - began)
