"""Parse many files in worker processes: spawned, niced, with memory and CPU limits.

``IngestPool`` runs in the parent, ``serve`` in the worker; documents are serialized with ``marshal``.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import marshal
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import ModuleType, TracebackType
from typing import Any

from helix_core.ingest.document import ingest
from helix_core.model import (
    Authority,
    Chunk,
    Claim,
    Definition,
    Document,
    EmbeddedText,
    IndexText,
    Role,
    SecretSpan,
    SourceKind,
    Volatility,
)
from helix_core.secrets import Masked

_clean = Masked(b"").clean


def serialized(document: Document) -> bytes:
    """Serialize a document with marshal, for the pipe from a worker."""
    return marshal.dumps(
        (
            document.path,
            document.content_hash,
            document.size_bytes,
            document.line_count,
            document.language,
            document.parser,
            str(document.source_kind),
            str(document.volatility),
            str(document.authority),
            str(document.role),
            [_chunk_row(chunk) for chunk in document.chunks],
            document.has_errors,
            document.masked_count,
            [(span.kind, span.start, span.end) for span in document.secrets],
            document.skipped,
            [(text.level, text.chunk, text.input_hash, text.vector) for text in document.embedded],
        )
    )


def deserialized(data: bytes) -> Document:
    """Deserialize a document that ``serialized`` made; its text was Clean then and is Clean again."""
    (path, content_hash, size_bytes, line_count, language, parser, source_kind, volatility, authority, role, rows,
     has_errors, masked_count, secrets, skipped, embedded) = marshal.loads(data)  # fmt: skip
    return Document(
        path=path,
        content_hash=content_hash,
        size_bytes=size_bytes,
        line_count=line_count,
        language=language,
        parser=parser,
        source_kind=SourceKind(source_kind),
        volatility=Volatility(volatility),
        authority=Authority(authority),
        role=Role(role),
        chunks=tuple(map(_chunk, rows)),
        has_errors=has_errors,
        masked_count=masked_count,
        secrets=tuple([SecretSpan(*span) for span in secrets]),
        skipped=skipped,
        embedded=tuple([EmbeddedText(*text) for text in embedded]),
    )


def _chunk_row(chunk: Chunk) -> tuple[Any, ...]:
    text = chunk.text
    return (
        (chunk.kind, chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line),
        (str(chunk.name), str(chunk.breadcrumb), chunk.text_hash),
        (str(text.names), str(text.doc), str(text.body), str(text.extra), str(text.refs)),
        [(str(item.name), item.kind, item.start_line, item.end_line, str(item.trail)) for item in chunk.definitions],
        [(str(item.key), str(item.value), item.value_type, item.line) for item in chunk.claims],
        [str(item) for item in chunk.imports],
        [str(item) for item in chunk.tests],
        chunk.is_claimed,
    )


def _chunk(row: tuple[Any, ...]) -> Chunk:
    place, (name, breadcrumb, text_hash), text, definitions, claims, imports, tests, is_claimed = row
    kind, start_byte, end_byte, start_line, end_line = place
    return Chunk(
        kind,
        start_byte,
        end_byte,
        start_line,
        end_line,
        _clean(name),
        _clean(breadcrumb),
        text_hash,
        IndexText(*map(_clean, text)),
        tuple(
            [
                Definition(_clean(name), kind, first, last, _clean(trail))
                for name, kind, first, last, trail in definitions
            ]
        ),
        tuple([Claim(_clean(key), _clean(value), *rest) for key, value, *rest in claims]),
        tuple(map(_clean, imports)),
        tuple(map(_clean, tests)),
        is_claimed,
    )


Ingest = Callable[[bytes, bytes, str], Document]
READY = b""
OUT_OF_TIME: signal.Signals | None = getattr(signal, "SIGPROF", None)
"""The signal of the CPU timer, which ends a worker; None where the platform has none."""
FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


def serve(channel: Connection, ingest: Ingest, memory_bytes: int, nice: int, cpu_s: float) -> None:
    """Send ready, then answer each batch of ``(path, data, skipped)`` with the serialized documents, until end of file.

    A batch that takes more than ``cpu_s`` of CPU time ends the process by ``OUT_OF_TIME``.
    """
    _set_signals()
    _limit(memory_bytes, nice)
    _leave_out_http()
    _collect_less_often()
    with contextlib.suppress(EOFError, OSError):
        channel.send_bytes(READY)
        while True:
            batch = marshal.loads(channel.recv_bytes())
            _allow_cpu(cpu_s)
            answer = _answer(batch, ingest)
            _allow_cpu(0)
            channel.send_bytes(answer)


def _set_signals() -> None:
    """Reset signal dispositions and masks, which are inherited: the parent may ignore or block the signals that end
    a worker.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if OUT_OF_TIME is not None:
        signal.signal(OUT_OF_TIME, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {OUT_OF_TIME, signal.SIGTERM})


def _leave_out_http() -> None:
    """Put an empty module in the place of requests, which takes 10 MiB.

    The plugins of detect-secrets import it to ask an issuer whether a credential is valid. Helix never does.
    """
    if "requests" not in sys.modules:
        empty = ModuleType("requests")
        vars(empty)["Response"] = object
        sys.modules["requests"] = empty


def _collect_less_often() -> None:
    """Look for reference cycles after 50,000 new objects instead of 700, and never among the modules' own.

    A file becomes thousands of tuples and almost no cycle.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _allow_cpu(cpu_s: float) -> None:
    """Set the CPU timer to ``cpu_s`` seconds from now; 0 for no limit."""
    if OUT_OF_TIME is not None:
        signal.setitimer(signal.ITIMER_PROF, cpu_s)


def _answer(batch: list[tuple[bytes, bytes, str]], ingest: Ingest) -> bytes:
    """Return the serialized documents, or the failure's name as text when one of the batch cannot be ingested."""
    try:
        return marshal.dumps([serialized(ingest(*file)) for file in batch])
    except MemoryError:
        return marshal.dumps("out of memory")
    except FAILURES as error:
        return marshal.dumps(f"raised {type(error).__name__}")


def _limit(memory_bytes: int, nice: int) -> None:
    """Lower the priority, limit memory and disable core dumps, where the platform supports it."""
    if hasattr(os, "nice"):
        os.nice(nice)
    with contextlib.suppress(OSError):
        if hasattr(os, "SCHED_BATCH"):
            # A worker that got its next batch does not preempt whoever works for a user.
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


File = tuple[bytes, bytes, str]
LOOK_S = 1.0
"""Poll interval, in seconds, of workers that do not answer."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A file that crashed a worker twice.

    ``reason`` is ``timed out`` (too much CPU time), ``out of memory``, ``raised …``, ``crashed`` or ``stalled``.
    """

    path: bytes
    content_hash: str
    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of a worker. ``cpu_s`` is the CPU time of one message's files, so of any one file;
    ``stalled_s`` how long a worker may use no CPU time, and ``unclocked_s`` how long it may take where its CPU time
    is unknown, in wall seconds. A worker that has had ``files_before_replaced`` files and holds over ``kept_bytes`` is
    replaced: what its patterns and caches keep grows with the files, and to start another takes half a CPU second.
    """

    cpu_s: float = 10.0
    stalled_s: float = 600.0
    unclocked_s: float = 1800.0
    memory_bytes: int = 1 << 30
    nice: int = 10
    batch_bytes: int = 128 << 10
    batch_files: int = 32
    buffered_bytes: int = 2 << 20
    files_per_worker: int = 4000
    files_before_replaced: int = 800
    kept_bytes: int = 96 << 20

    @property
    def version(self) -> str:
        """Return a key of the limits that decide whether a file is quarantined: under another key it is retried."""
        return f"cpu {self.cpu_s:g} s, memory {self.memory_bytes}"


def ingest_file(path: bytes, data: bytes, skipped: str) -> Document:
    """Call ``ingest`` with the signature of a worker."""
    return ingest(path, data, skipped=skipped)


def ingest_in_process(path: bytes, data: bytes, skipped: str) -> Document | Quarantined:
    """Ingest a small file in this process; quarantine it when it raises."""
    try:
        return ingest(path, data, skipped=skipped)
    except FAILURES as error:
        return Quarantined(path, hashlib.sha256(data).hexdigest(), f"raised {type(error).__name__}")


@dataclass(slots=True)
class Stall:
    """Time that a process used no CPU.

    Two polls add at most ``LOOK_S``: a suspended machine or a paused container stops the polls too, and its processes
    could not run in between.
    """

    looked_at: float
    cpu_s: float | None
    still_s: float = 0.0

    def look(self, now: float, cpu_s: float | None) -> float:
        """Return the seconds without CPU time up to ``now``; all seconds where CPU time is unknown (None)."""
        has_run = cpu_s is not None and cpu_s != self.cpu_s
        self.still_s = 0.0 if has_run else self.still_s + min(now - self.looked_at, LOOK_S)
        self.looked_at, self.cpu_s = now, cpu_s
        return self.still_s


def cpu_seconds(process_id: int) -> float | None:
    """Return the CPU time of a process, in seconds; None where the platform does not report it, or the process
    ended.
    """
    if sys.platform != "linux":
        return None
    try:
        # The clock id that clock_getcpuclockid(3) returns.
        return time.clock_gettime(~process_id << 3 | 2)
    except OSError:
        return None


def resident_bytes(process_id: int) -> int:
    """Return the memory that a process holds; 0 where the platform does not report it, or the process ended."""
    try:
        with open(f"/proc/{process_id}/statm", encoding="ascii") as sizes:
            return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


class _Worker:
    """One process and the batch it was sent."""

    def __init__(self, ingest: Ingest, limits: Limits) -> None:
        self._limits = limits
        self.batch: list[File] = []
        self.served = 0
        self.is_ready = False
        context = multiprocessing.get_context("spawn")
        self.channel, far = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=serve,
            args=(far, ingest, limits.memory_bytes, limits.nice, limits.cpu_s),
            daemon=True,
            name="helix-ingest",
        )
        with _blocked_interrupts(), _hidden_main(), _no_resource_tracker():
            self.process.start()
        far.close()
        self._stall = self._new_stall()

    @property
    def is_idle(self) -> bool:
        return self.is_ready and not self.batch

    def send(self, batch: list[File]) -> None:
        """Send a batch; the worker waits for it, so sending does not block."""
        self.batch = batch
        self.served += len(batch)
        self._stall = self._new_stall()
        with contextlib.suppress(OSError):
            self.channel.send_bytes(marshal.dumps(batch))

    def is_stalled(self, now: float) -> bool:
        """Return whether it used no CPU time for so long that it will never answer."""
        cpu_s = cpu_seconds(self.process.pid or 0)
        most_s = self._limits.unclocked_s if cpu_s is None else self._limits.stalled_s
        return self._stall.look(now, cpu_s) >= most_s

    def is_used_up(self) -> bool:
        """Return whether another worker is to take its place."""
        limits = self._limits
        may_be_large = self.served >= limits.files_before_replaced
        is_large = may_be_large and resident_bytes(self.process.pid or 0) > limits.kept_bytes
        return is_large or self.served >= limits.files_per_worker

    def _new_stall(self) -> Stall:
        return Stall(time.monotonic(), cpu_seconds(self.process.pid or 0))

    def kill(self) -> int:
        """Kill it; return its exit status."""
        self.process.kill()
        self.process.join()
        status = self.process.exitcode or 0
        self.process.close()
        self.channel.close()
        return status


@contextlib.contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block SIGINT in a process started in the block, so that Ctrl-C cannot interrupt its start."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _no_resource_tracker() -> Iterator[None]:
    """Start no resource tracker for a process spawned in the block: a Python of 16 MiB that removes semaphores and
    shared memory, of which a worker has none.
    """
    named = vars(resource_tracker)
    real = named["getfd"]
    with open(os.devnull, "wb") as sink:
        named["getfd"] = sink.fileno
        try:
            yield
        finally:
            named["getfd"] = real


@contextlib.contextmanager
def _hidden_main() -> Iterator[None]:
    """Hide ``__main__``: a spawned process imports its parent's main module, which would run an unguarded script
    again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class IngestPool:
    """Up to ``workers`` processes, started when there is work. Close it, or use it as a context manager."""

    def __init__(self, workers: int = 2, *, ingest: Ingest = ingest_file, limits: Limits | None = None) -> None:
        self._size = max(1, workers)
        self._ingest = ingest
        self._limits = limits or Limits()
        self._workers: list[_Worker] = []

    def __enter__(self) -> IngestPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def process_ids(self) -> tuple[int, ...]:
        """Return the ids of the running workers."""
        return tuple(one.process.pid or 0 for one in self._workers)

    def close(self) -> None:
        """Kill all workers and forget them."""
        for one in self._workers:
            one.kill()
        self._workers.clear()

    def run(self, files: Iterable[File], suspects: Collection[bytes] = frozenset()) -> Iterator[Document | Quarantined]:
        """Yield every file of ``files`` as a document or as quarantined, in order of completion.

        ``suspects`` are paths that crashed a worker before: each is alone in its message and tried once.
        """
        job = _Job(iter(files), self._limits, suspects)
        try:
            while not job.is_over(self._workers):
                self._pump(job, wait=not job.done)
                if job.done:
                    yield job.take()
        finally:
            for one in [one for one in self._workers if one.batch]:
                self._drop(one)

    def _pump(self, job: _Job, *, wait: bool) -> None:
        """Receive results, kill stalled workers, send the next batches."""
        self._hand_out(job)
        timeout = LOOK_S if wait else 0.0
        channels = [one.channel for one in self._waiting()]
        waiting: dict[object, _Worker] = {one.channel: one for one in self._waiting()}
        for channel in connection.wait(channels, timeout):
            self._receive(job, waiting[channel])
        now = time.monotonic()
        for one in [one for one in self._waiting() if one.is_stalled(now)]:
            if not one.is_ready:
                self._drop(one)
                raise ChildProcessError("an ingest worker did not start: it gets no CPU time; run `helix doctor`")
            job.failed(one.batch, "stalled")
            self._drop(one)
        self._hand_out(job)

    def _waiting(self) -> list[_Worker]:
        return [one for one in self._workers if not one.is_idle]

    def _receive(self, job: _Job, one: _Worker) -> None:
        try:
            answer = one.channel.recv_bytes()
        except (EOFError, OSError):
            self._died(job, one)
            return
        if not one.is_ready:
            one.is_ready = True
            return
        batch, one.batch = one.batch, []
        replies = marshal.loads(answer)
        if isinstance(replies, str):
            job.failed(batch, replies)
            self._drop(one)
            return
        job.finished(zip(batch, replies, strict=True))
        if one.is_used_up():
            self._drop(one)

    def _died(self, job: _Job, one: _Worker) -> None:
        was_ready, batch = one.is_ready, one.batch
        status = self._drop(one)
        if not was_ready:
            raise ChildProcessError(f"an ingest worker could not start (exit status {status}); run `helix doctor`")
        is_over = OUT_OF_TIME is not None and status == -OUT_OF_TIME
        job.failed(batch, "timed out" if is_over else "crashed")

    def _drop(self, one: _Worker) -> int:
        self._workers.remove(one)
        return one.kill()

    def _hand_out(self, job: _Job) -> None:
        for one in [one for one in self._workers if one.is_idle]:
            batch = job.next_batch()
            if not batch:
                return
            if batch[0][0] in job.suspects and one.served > self._limits.batch_files:
                self._drop(one)
                job.put_back(batch)
            else:
                one.send(batch)
        if len(self._workers) < self._size and job.has_more():
            self._workers.append(_Worker(self._ingest, self._limits))


class _Job:
    """The queue of one run: files to do, to retry, and done."""

    def __init__(self, files: Iterator[File], limits: Limits, suspects: Collection[bytes]) -> None:
        self._files = files
        self._limits = limits
        self._next: deque[File] = deque()
        self._again: deque[File] = deque()
        self.suspects = set(suspects)
        self.done: deque[tuple[int, Document | Quarantined]] = deque()
        self._done_bytes = 0

    def is_over(self, workers: list[_Worker]) -> bool:
        """Return whether no file is queued, in progress or done and not yet taken."""
        return not self.done and not any(one.batch for one in workers) and not self.has_more()

    def has_more(self) -> bool:
        """Return whether a file is not yet sent to a worker."""
        if not self._again and not self._next:
            for file in islice(self._files, 1):
                (self._again if file[0] in self.suspects else self._next).append(file)
        return bool(self._again or self._next)

    def take(self) -> Document | Quarantined:
        """Remove and return one result."""
        size, result = self.done.popleft()
        self._done_bytes -= size
        return result

    def put_back(self, batch: list[File]) -> None:
        """Requeue a batch that could not be sent."""
        self._again.extendleft(reversed(batch))

    def next_batch(self) -> list[File]:
        """Return the next batch: small files up to a message's size, a suspect alone; empty while too many results
        wait (backpressure).
        """
        if self._done_bytes >= self._limits.buffered_bytes or not self.has_more():
            return []
        if self._again:
            return [self._again.popleft()]
        batch: list[File] = []
        size = 0
        while len(batch) < self._limits.batch_files and (self._next or self.has_more()) and self._next:
            size += len(self._next[0][1])
            if batch and size > self._limits.batch_bytes:
                break
            batch.append(self._next.popleft())
        return batch

    def finished(self, pairs: Iterable[tuple[File, bytes]]) -> None:
        """Record documents that a worker returned."""
        for file, reply in pairs:
            self._add(len(file[1]), deserialized(reply))

    def failed(self, batch: list[File], reason: str) -> None:
        """Retry each file of a dead worker's batch alone, once; quarantine a file that was alone already."""
        for path, data, skipped in batch:
            if path in self.suspects:
                self._add(0, Quarantined(path, hashlib.sha256(data).hexdigest(), reason))
            else:
                self.suspects.add(path)
                self._again.append((path, data, skipped))

    def _add(self, size: int, result: Document | Quarantined) -> None:
        self.done.append((size, result))
        self._done_bytes += size
