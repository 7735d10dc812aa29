"""One open workspace: its index thread, its query threads, and their events forwarded to the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from helix_core.config import Config, current
from helix_core.engine import Helix
from helix_core.engine.indexing import PendingNotices
from helix_core.errors import HelixError
from helix_core.ingest import ParseGuard
from helix_core.telemetry import COUNTS, WORDS, Spans, TraceSpan, Value, no_span
from helix_ls.host.child_processes import BackgroundEmbedding, give_models
from helix_ls.host.index_thread import IndexThread
from helix_ls.host.settings import Settings
from helix_ls.host.status import LEVEL, IndexFacts, ServerInfo, StatusChange, WorkspaceStatus, state_of, status_of
from helix_ls.host.watcher import watch_mode
from helix_ls.operations.hosting import MOST_KEPT

THREADS = 2
T = TypeVar("T")


class QuestionThreads:
    """A thread pool for queries, with one ``Helix`` per thread, as a SQLite connection belongs to a thread.

    ``open_helix`` is called in a thread at its first query, and again after ``renew``.
    """

    def __init__(self, open_helix: Callable[[], Helix], *, threads: int = THREADS) -> None:
        self._open_helix = open_helix
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="helix-question")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._opened: list[Helix] = []
        self._generation = 0

    async def ask(self, act: Callable[[Helix], T]) -> T:
        """Run ``act`` in a thread of the pool and in the caller's context; return its result or raise its exception."""
        run = contextvars.copy_context().run
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: run(lambda: act(self._helix())))

    def renew(self) -> None:
        """Open a new ``Helix`` per thread from the next query on, because settings have changed."""
        with self._lock:
            self._generation += 1

    def _helix(self) -> Helix:
        generation = self._generation
        helix: Helix | None = getattr(self._own, "helix", None)
        if helix is not None and self._own.generation != generation:
            self._own.helix = None
            with self._lock:
                self._opened.remove(helix)
            helix.close()
            helix = None
        if helix is None:
            helix = self._open_helix()
            self._own.helix, self._own.generation = helix, generation
            with self._lock:
                self._opened.append(helix)
        return helix

    def close(self) -> None:
        """Wait for running queries, cancel queued ones and close every ``Helix``. Blocks: not for the event loop."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            opened, self._opened = self._opened, []
        for helix in opened:
            helix.close()


QUESTION_WRITE_WAIT_MS = 20
# How long a query waits for a few files that changed just before it.
CATCH_UP_S = 0.3
FIRST_LOOK_S, LONGEST_LOOK_S = 1.0, 60.0


@dataclass(slots=True)
class LookBackoff:
    """Exponential backoff for whole refreshes caused by a difference that no watcher event reported.

    The first is due at once; while the difference stays, the interval doubles from 1 to 60 seconds.
    """

    wait_s: float = 0.0
    next_at: float = 0.0

    def is_due(self, now: float, *, differs: bool) -> bool:
        """Return whether to refresh now; ``now`` is in monotonic seconds. Resets when nothing ``differs``."""
        if not differs:
            self.wait_s = self.next_at = 0.0
        elif now >= self.next_at:
            self.wait_s = min(max(2 * self.wait_s, FIRST_LOOK_S), LONGEST_LOOK_S)
            self.next_at = now + self.wait_s
            return True
        return False


_WINDOW = "helix.window"


class AnswerLog:
    """The last answers of one workspace as numbers: which verdicts they had, how large and how slow they were.

    Made of the spans that the engine begins, so that answers to editors, agents and chats are all in it, the newest
    last. Kept in memory only, and never with a question, a path or a line. Written by the query threads, read by any.
    """

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._entries: deque[dict[str, Any]] = deque(maxlen=MOST_KEPT)

    def latest(self, limit: int) -> list[dict[str, Any]]:
        """Return the last answers, the newest first."""
        return list(self._entries)[::-1][:limit]

    @contextmanager
    def span(self, name: str, /, **attributes: Value | None) -> Iterator[TraceSpan]:
        """Begin the span as the process would, and keep the numbers of one that is a packet or a window."""
        with self._spans(name, **attributes) as span:
            is_kept = name == _WINDOW or attributes.get("verb") == "packet"
            if not is_kept:
                yield span
                return
            kept = _LoggedSpan(span)
            kept.set(**attributes)
            at, began = time.time(), time.monotonic()
            yield kept
            elapsed_ms = round((time.monotonic() - began) * 1e3, 1)
            verb = "window" if name == _WINDOW else "packet"
            self._entries.append({"at": at, "elapsed_ms": elapsed_ms, **kept.numbers, "verb": verb})


class _LoggedSpan:
    """A span whose numbers and words are kept as well; an answer that failed is not."""

    def __init__(self, span: TraceSpan) -> None:
        self._span = span
        self.numbers: dict[str, Value] = {}

    def set(self, **attributes: Value | None) -> None:
        """Set attributes; None sets nothing."""
        self._span.set(**attributes)
        for name, value in attributes.items():
            if value is not None and (name in COUNTS or name in WORDS):
                self.numbers[name] = value


class OpenWorkspace:
    """Bound to the event loop it is made on; made and closed by the host.

    ``opened_at``: the event loop's time of that. ``was_settled``: since then, a whole comparison with the disk has
    finished or failed. ``answers`` are the last ones, as numbers.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        watch: str,
        server: ServerInfo,
        parse_guard: ParseGuard,
        span: Spans = no_span,
    ) -> None:
        self.folder = folder
        self.uri = folder.as_uri()
        self.settings, self.watch = settings, watch
        self._server, self._parse_guard = server, parse_guard
        self.answers = AnswerLog(span)
        self._loop = asyncio.get_running_loop()
        self.opened_at = self._loop.time()
        self._listeners: dict[object, Callable[[StatusChange], None]] = {}
        self._recording: set[object] = set()
        self._facts = IndexFacts()
        self.status: WorkspaceStatus = self._status()
        self.was_settled = False
        self._rules_backoff, self._pending_backoff = LookBackoff(), LookBackoff()
        self._config: Config | None = None
        self._untold = PendingNotices()
        self._threads = QuestionThreads(self._open_helix)
        self._index = IndexThread(
            folder,
            settings,
            watch=watch_mode(watch),
            parse_guard=parse_guard,
            tell=self._on_facts,
            written=self._on_written,
            span=span,
        )
        self._embedding = BackgroundEmbedding(folder, settings)
        self._index.start()

    @property
    def indexer_pid(self) -> int:
        """The process id of the indexer that runs a whole refresh now, or 0."""
        return self._index.indexer_pid

    async def ask(self, act: Callable[[Helix], T], *, records_trail: bool | None = None, catches_up: bool = True) -> T:
        """Run ``act`` in a query thread, which waits for indexing at most ``CATCH_UP_S`` seconds, and with
        ``catches_up`` false, as for verdicts, which need no index, never; return its result or raise its exception.

        ``records_trail`` is the setting of the window that asks, which adds to the user's own settings. An asker
        without one (None), such as an agent, is recorded while any window of the workspace wants a trail.

        Cancelling the awaiting task does not stop ``act``: give the engine a ``cancelled`` callable for that.
        """
        is_trail_wanted = bool(self._recording) if records_trail is None else records_trail
        return await self._threads.ask(
            lambda helix: self._answered(helix, act, is_trail_wanted=is_trail_wanted, catches_up=catches_up)
        )

    def _answered(self, helix: Helix, act: Callable[[Helix], T], *, is_trail_wanted: bool, catches_up: bool) -> T:
        """Run ``act`` in a query thread, then check the index and schedule a whole refresh if it is not usable.

        A query is the first to notice that the index was removed or damaged, or that the ignore rules changed.
        """
        helix.session.is_trail_wanted = is_trail_wanted
        helix.session.unindexed = self._index.catch_up(CATCH_UP_S if catches_up else 0)
        answer = act(helix)
        facts = self._facts
        if facts.complete and not facts.whole:
            with suppress(HelixError):
                is_ruled_anew = self._rules_backoff.is_due(time.monotonic(), differs=helix.has_other_rules())
                if is_ruled_anew or not helix.is_indexed():
                    self._index.schedule_whole_refresh()
        return answer

    def _on_pending(self, files: int) -> None:
        """Schedule a whole refresh if a status finds unindexed ``files`` that no watcher event explains."""
        facts = self._facts
        is_expected = state_of(facts) not in LEVEL or facts.watching == "off" or self._index.has_changes
        if not is_expected and self._pending_backoff.is_due(time.monotonic(), differs=files > 0):
            self._index.schedule_whole_refresh()

    def hint(self, paths: Iterable[bytes]) -> None:
        """Queue paths, relative to the root, that may have changed: an editor saved them or saw a change."""
        self._index.hint(paths)

    async def refresh(self) -> dict[str, Any]:
        """Compare the whole index with the disk; return the ``helix.index/1`` object when it is done."""
        return await asyncio.wrap_future(self._index.request_refresh())

    async def rebuild(self) -> dict[str, Any]:
        """Drop the index and build it again; return the ``helix.index/1`` object when it is done."""
        return await asyncio.wrap_future(self._index.request_refresh(rebuild=True))

    def pause(self) -> None:
        """Stop indexing until ``resume``; queries are still answered."""
        self._index.pause()

    def resume(self) -> None:
        """Resume indexing, beginning with the changes that were missed."""
        self._index.resume()

    def cancel(self) -> None:
        """Cancel a running whole refresh, keeping what is committed, and pause until ``resume``."""
        if self.status.state in ("indexing", "starting"):
            self._index.pause(cancelled=True)

    def configure(self, settings: Settings, watch: str) -> None:
        """Apply other settings or another trust; do nothing if they are unchanged."""
        if settings == self.settings and watch == self.watch:
            return
        self.settings, self.watch = settings, watch
        self._renew_threads()
        self._embedding.configure(settings)
        self._index.configure(settings, watch_mode(watch))
        self._take(self._facts, frozenset(), False)

    def set_index_options(
        self,
        *,
        exclude: tuple[str, ...] | None = None,
        include: tuple[str, ...] | None = None,
        max_file_bytes: int | None = None,
        max_files: int | None = None,
    ) -> None:
        """Apply the editor's index settings; None leaves the value to the settings files."""
        given = Settings(self.settings.restricted, exclude, include, max_file_bytes, max_files)
        self.configure(given, self.watch)

    def set_trail(self, window: object, *, record: bool) -> None:
        """Note a window's setting of the trail; False leaves it to the user's own settings, and forgets the window."""
        if record:
            self._recording.add(window)
        else:
            self._recording.discard(window)

    def records_trail(self) -> bool:
        """Return whether the user's own settings of this moment record a trail; True while no query has read them."""
        if self._config is None:
            return True
        self._config = current(self._config)
        return self._config.trail_record

    def _renew_threads(self) -> None:
        self._config = None
        self._threads.renew()

    def subscribe(self, listener: Callable[[StatusChange], None]) -> Callable[[], None]:
        """Call ``listener`` on the event loop at every change; the returned function unsubscribes it."""
        key = object()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    async def close(self) -> None:
        """Stop indexing, keeping what is committed, and wait for running queries."""
        self._listeners.clear()
        await asyncio.to_thread(self._close_threads)

    def _close_threads(self) -> None:
        self._embedding.close()
        self._index.close()
        self._threads.close()

    def _open_helix(self) -> Helix:
        settings = self.settings
        config = settings.config(self.folder)
        if settings is self.settings:
            self._config = config
        helix = Helix.open(
            self.folder, config=config, write_wait_ms=QUESTION_WRITE_WAIT_MS, parse_guard=self._parse_guard
        )
        helix.session.index.share(self._untold)
        helix.session.span = self.answers.span
        helix.session.on_pending = self._on_pending
        helix.session.on_unembedded = self._embedding.wake
        give_models(helix, config)
        return helix

    def _on_facts(self, facts: IndexFacts, paths: frozenset[bytes], everything: bool) -> None:
        """Forward facts from the index thread to the event loop."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, facts, paths, everything)

    def _take(self, facts: IndexFacts, paths: frozenset[bytes], everything: bool) -> None:
        self._facts = facts
        before, self.status = self.status, self._status()
        self.was_settled = self.was_settled or self.status.state not in ("starting", "indexing")
        if self.status.state in LEVEL and (paths or everything or before.state not in LEVEL):
            self._embedding.wake()
        if self.status == before and not paths and not everything:
            return
        self._notify(StatusChange(self.status, paths, everything))

    def _on_written(self) -> None:
        """Forward a write from the watcher's thread to the event loop."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._take_written)

    def _take_written(self) -> None:
        written = self._index.take_written()
        if written:
            self._notify(StatusChange(self.status, written=written))

    def _notify(self, change: StatusChange) -> None:
        for listener in tuple(self._listeners.values()):
            listener(change)

    def _status(self) -> WorkspaceStatus:
        return status_of(
            self._facts,
            workspace=str(self.folder),
            uri=self.uri,
            restricted=self.settings.restricted,
            server=self._server,
        )
