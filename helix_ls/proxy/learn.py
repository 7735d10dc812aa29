"""Record chats: each exchange is queued for a thread that stores it, and no request waits for that thread.

The queue is bounded in number and in bytes; when it is full, exchanges are dropped and counted. A chat is stored only
where the user agreed to (``memory.learn``); without that, only the places and memories that its answer cites are noted
(``memory.co_use``). The header ``x-helix-learn: off`` keeps one chat out of both. Nothing of it leaves the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.types import Scope

from helix_core.config import Config, current
from helix_core.engine import MemoryFile
from helix_core.errors import HelixError
from helix_core.memory import SITTING_S, ObservedExchange, cited_memories, cited_paths, is_due, kept, kept_path
from helix_core.model import Attribution, Exchange, MemoryUse, UseKind
from helix_ls.operations.attribution import attribution
from helix_ls.proxy.bodies import Body
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.question import last_question
from helix_ls.proxy.stream import CompletionRecorder

if TYPE_CHECKING:
    from helix_core.store import Memory

LOG = logging.getLogger(__name__)
MOST_WAITING = 64
MOST_WAITING_BYTES = 32 * 1024 * 1024
MOST_WHOLE_BYTES = 4 * 1024 * 1024
END_S = 3.0
COUNTED = "helix_learned_total"
# Ours, Claude Code's and Codex's.
_SESSION_HEADERS = (b"x-helix-session", b"x-claude-code-session-id", b"session_id", b"session-id")


@dataclass(frozen=True, slots=True)
class _QueuedExchange:
    """A finished exchange in the queue. ``whole`` is an unparsed non-streaming answer; ``keeps`` is whether the user
    agreed to store it.
    """

    workspace: bytes
    session: str
    messages: list[Any]
    model: str
    packet_id: str
    at: float
    recorder: CompletionRecorder
    whole: bytes
    size: int
    keeps: bool = True


class Learner:
    """Bound to one event loop, except for its thread, which starts with the first exchange."""

    def __init__(self, config: Config, environ: Mapping[str, str], measures: Measures) -> None:
        self._config = config
        self._environ, self._measures = environ, measures
        self._queue: queue.SimpleQueue[_QueuedExchange | None] = queue.SimpleQueue()
        self._waiting, self._waiting_bytes = 0, 0
        self._thread: threading.Thread | None = None

    @property
    def is_on(self) -> bool:
        """Return whether chats are stored, by the current settings: the user may just have agreed."""
        self._config = current(self._config)
        return self._config.memory_learn

    def recorder_for(self, scope: Scope, folder: Path | None, body: Body, packet_id: str) -> ExchangeRecorder | None:
        """Return the recorder of this chat; None when it must not be recorded."""
        is_wanted = self.is_on or self._config.co_use
        if not is_wanted or folder is None or _header(scope, b"x-helix-learn").lower() == "off":
            return None
        model = body.fields.get("model")
        return ExchangeRecorder(
            self,
            workspace=os.fsencode(os.path.realpath(folder)),
            session=session_of(scope, body),
            body=body,
            model=model if isinstance(model, str) else "",
            packet_id=packet_id,
            keeps=self._config.memory_learn,
        )

    def keep(self, waiting: _QueuedExchange) -> None:
        """Queue an exchange, or drop it when the queue is full. Never blocks."""
        if self._waiting >= MOST_WAITING or self._waiting_bytes + waiting.size > MOST_WAITING_BYTES:
            self._measures.add(COUNTED, became="dropped")
            return
        self._waiting += 1
        self._waiting_bytes += waiting.size
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._run, args=(loop,), name="helix-learn", daemon=True)
            self._thread.start()
        self._queue.put(waiting)

    def facts(self) -> dict[str, Any]:
        """Return the numbers for ``/stats``."""
        became = ("kept", "passed_over", "dropped", "failed", "not_wanted")
        counts = {word: int(self._measures.total(COUNTED, became=word)) for word in became}
        return {"learn": self.is_on, "waiting": self._waiting, **counts}

    async def begin(self) -> None:
        """Do nothing: the thread starts with the first exchange."""

    async def end(self) -> None:
        """Store the queued exchanges, within a time limit."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            await asyncio.to_thread(thread.join, END_S)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        memory, by = MemoryFile(self._config.data_dir), attribution({}, self._environ)
        try:
            while (waiting := self._queue.get()) is not None:
                became = _store_exchange(memory, by, waiting, notes_uses=self._config.co_use)
                # The loop may be closed by now; then the counters are not needed.
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._done, waiting.size, became)
        finally:
            memory.close()

    def _done(self, size: int, became: str) -> None:
        self._waiting -= 1
        self._waiting_bytes -= size
        self._measures.add(COUNTED, became=became)


class ExchangeRecorder:
    """The recorder of one chat; it stores nothing before ``ended``."""

    def __init__(
        self,
        learner: Learner,
        *,
        workspace: bytes,
        session: str,
        body: Body,
        model: str,
        packet_id: str,
        keeps: bool,
    ) -> None:
        self._learner, self._workspace, self._session = learner, workspace, session
        self._body, self._model, self._packet_id, self._keeps = body, model, packet_id, keeps
        self.recorder = CompletionRecorder(body.dialect)

    def ended(self, whole: bytes = b"") -> None:
        """Queue the exchange after the client received the whole answer; ``whole`` for a non-streaming one."""
        if len(whole) > MOST_WHOLE_BYTES:
            return
        self._learner.keep(
            _QueuedExchange(
                workspace=self._workspace,
                session=self._session,
                messages=self._body.messages,
                model=self._model,
                packet_id=self._packet_id,
                at=time.time(),
                recorder=self.recorder,
                whole=whole,
                size=len(self._body.text) + len(whole),
                keeps=self._keeps,
            )
        )


def session_of(scope: Scope, body: Body) -> str:
    """Return the session that the client names, and no other: two parallel chats must not become one."""
    if named := next((value for name in _SESSION_HEADERS if (value := _header(scope, name))), ""):
        return named
    metadata = body.fields.get("metadata")
    session = metadata.get("session_id") if isinstance(metadata, dict) else None
    return session if isinstance(session, str) else ""


def _store_exchange(memory: MemoryFile, by: Attribution, waiting: _QueuedExchange, *, notes_uses: bool) -> str:
    """Store one exchange, in the thread; return the outcome as a word. An error costs only this exchange.

    Files that an answer cites with a line are uses of its session, if named.
    """
    try:
        heard = _on_exchange(waiting)
        exchange = kept(heard, by) if heard is not None else None
        if exchange is None:
            return "passed_over"
        if waiting.keeps:
            memory.write(lambda opened: opened.exchanges.add(exchange))
    except HelixError as error:
        LOG.warning("an exchange was not kept (%s)", type(error).__name__)
        return "failed"
    except (ValueError, TypeError, RecursionError, OSError) as error:
        LOG.error("an exchange was not kept (%s)", type(error).__name__)
        return "failed"
    if notes_uses:
        _note_uses(memory, exchange)
    return "kept" if waiting.keeps else "not_wanted"


def _note_uses(memory: MemoryFile, exchange: Exchange) -> None:
    """Record the files, of a named session, and the memories that an answer cites; an error here does not affect the
    stored exchange.
    """
    paths = [path for path in cited_paths(exchange.answer) if kept_path(path)] if exchange.session else []
    handles = cited_memories(exchange.answer)
    use = MemoryUse(UseKind.CITED, int(exchange.at * 1e3))

    def note(opened: Memory) -> None:
        if paths:
            opened.uses.add(exchange.workspace, exchange.session, paths, exchange.at, SITTING_S)
        if handles:
            opened.items.use(handles, use, exchange.workspace, is_due)

    if not paths and not handles:
        return
    try:
        # Without files of a session there is nothing to note but uses of memories that are there.
        if paths:
            memory.write(note)
        else:
            memory.read(note)
    except (HelixError, OSError) as error:
        LOG.warning("what an answer cites was not noted (%s)", type(error).__name__)


def _on_exchange(waiting: _QueuedExchange) -> ObservedExchange | None:
    question = last_question(waiting.messages)
    if question is None:
        return None
    if waiting.whole:
        waiting.recorder.whole(json.loads(waiting.whole))
    return ObservedExchange(
        workspace=waiting.workspace,
        session=waiting.session,
        question=question.text,
        answer=waiting.recorder.text,
        model=waiting.model,
        packet_id=waiting.packet_id,
        at=waiting.at,
        finish=waiting.recorder.finish,
        is_cut=waiting.recorder.is_cut,
    )


def _header(scope: Scope, name: bytes) -> str:
    found = next((bytes(value).strip() for each, value in scope["headers"] if each == name), b"")
    return found.decode("utf-8", "replace")
