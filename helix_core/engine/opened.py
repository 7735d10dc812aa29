"""The session that every verb of an open workspace uses: its folder, settings, index, memory and git facts."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from helix_core.config import Config, current, load_config
from helix_core.embed import Encoder, StaticEncoder
from helix_core.engine.indexing import LastLook, PendingNotices, Progress, Refresh, work_plan
from helix_core.errors import (
    BusyStoreError,
    CorruptMemoryError,
    CorruptStoreError,
    GitError,
    MemoryStoreError,
    StoreError,
)
from helix_core.ingest import ParseGuard
from helix_core.model import NO_CHANGES, Found, GitState, LastCommit, Overlays, UnindexedChanges
from helix_core.store import (
    BUSY_TIMEOUT_MS,
    NOT_INCLUDED_FILES,
    OVER_LIMIT_FILES,
    RULES,
    Identity,
    Reader,
    TrailFile,
    Writer,
    open_or_rebuild,
    rebuild,
)
from helix_core.telemetry import Spans, no_span
from helix_core.tuples import NamedTuple
from helix_core.workspace import (
    BlobReader,
    DiskError,
    FileOptions,
    Git,
    GitStateReader,
    LineHistory,
    Root,
    include_note,
    limit_note,
    list_files,
    path_of,
    pattern_notes,
    source_id_of,
)

if TYPE_CHECKING:
    from helix_core.engine.verdict import KeptChains, KeptLookups, MaskedFiles, NotIndexed, UnsavedNames, Weigher
    from helix_core.search import Reranker
    from helix_core.store import Memory, Reader
    from helix_core.workspace import Counting, Git

MOVED_HEAD_S = 0.25
NEVER_INDEX = "never-index "
"""What a flag of a trail begins with that keeps a file out of the index: its path follows."""


class GitFacts:
    """git's facts about one folder. Opened on first use, reopened when a repository is created or removed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._git: Git | None = None
        self._states: GitStateReader | None = None
        self._blobs: BlobReader | None = None
        self._lines: LineHistory | None = None
        self._moved: tuple[str, dict[bytes, LastCommit]] = ("", {})
        self._opened = False
        self._project: bytes | None = None
        self._marks: tuple[bool, ...] = ()
        self.note = ""

    def follow(self) -> None:
        """Drop a repository that was moved or removed, or look again where one was created."""
        if self._opened and self._marks != self._marks_now():
            self.forget()

    def forget(self) -> None:
        """Close everything; the next question opens it again."""
        if self._blobs is not None:
            self._blobs.close()
        if self._lines is not None:
            self._lines.close()
        self._git = self._states = self._blobs = self._lines = self._project = None
        self.note, self._opened, self._moved = "", False, ("", {})

    @property
    def git(self) -> Git | None:
        """Return git as seen from the folder; None where no work tree encloses it."""
        if not self._opened:
            self._opened, self._marks = True, self._marks_now()
            try:
                self._git = Git.open(self._folder)
            except GitError as error:
                self._miss(error)
            if self._git is not None:
                self._states = GitStateReader(self._git)
        return self._git

    def state(self) -> GitState:
        """Return the repository's state; the empty state when git fails."""
        if self.git is None or self._states is None:
            return GitState()
        try:
            state = self._states.state()
        except GitError as error:
            self._miss(error)
            return GitState()
        self.note = ""
        return state

    def project(self) -> bytes:
        """Return the name of the folder's project in every clone (``Git.project``); empty when git fails."""
        if self.git is None:
            return b""
        if self._project is None:
            try:
                self._project = self.git.project()
            except GitError as error:
                self._miss(error)
                self._project = b""
        return self._project

    def commits_of(self, paths: Sequence[bytes], reader: Reader) -> Mapping[bytes, LastCommit]:
        """Return the indexed last commits, or what git itself says when HEAD moved since they were indexed; none where
        there is no HEAD that reaches one.
        """
        history, git = self.state().history, self.git
        if not paths or not history or git is None:
            return {}
        if history == reader.meta("commits_head"):
            return reader.files.commits(paths)
        if self._moved[0] != history:
            self._moved = (history, {})
        known = self._moved[1]
        self._ask_for([path for path in paths if path not in known], git, known)
        return {path: known[path] for path in paths if path in known}

    def _ask_for(self, paths: Sequence[bytes], git: Git, known: dict[bytes, LastCommit]) -> None:
        """Read from git itself, once for each path at a HEAD that the index has not followed yet."""
        from helix_core.workspace import last_commits

        if not paths:
            return
        try:
            found = last_commits(git, MOVED_HEAD_S, paths)
        except GitError as error:
            self._miss(error)
            return
        known.update(found)

    def committed(self) -> BlobReader | None:
        """Return the reader of committed files; None without a repository."""
        if self._blobs is None and self.git is not None:
            self._blobs = BlobReader(self.git)
        return self._blobs

    def lines(self) -> LineHistory | None:
        """Return the blame of the current HEAD; None where nothing is committed."""
        state, git = self.state(), self.git
        if self._lines is not None and self._lines.history != state.history:
            self._lines.close()
            self._lines = None
        if self._lines is None and git is not None and state.head:
            self._lines = LineHistory(git, state.history, state.boundaries)
        return self._lines

    def _miss(self, error: GitError) -> None:
        self.note = f"git facts are missing: {error}"

    def _marks_now(self) -> tuple[bool, ...]:
        """Return where a repository exists, from the workspace upwards: one may be created or removed while open."""
        return tuple(os.path.lexists(folder / ".git") for folder in (self._folder, *self._folder.parents))


class OpenedIndex:
    """The open index. Belongs to one thread. ``notices`` describes, in order, what was moved aside and why; those that
    no answer has carried yet are ``untold``.
    """

    def __init__(self, path: Path, write_wait_ms: int = BUSY_TIMEOUT_MS) -> None:
        """Open or create the index at ``path``; raises StoreError when both fail.

        ``write_wait_ms`` is the busy timeout of writes (BusyStoreError).
        """
        self.path = path
        self._write_wait_ms = write_wait_ms
        self._index, notice = open_or_rebuild(path, time.time(), source_id_of=source_id_of)
        self.notices: tuple[str, ...] = (notice,) if notice else ()
        self.untold = PendingNotices()
        if notice:
            self.untold.add(notice, None)
        try:
            self._reader = self._index.reader()
        except CorruptStoreError as error:
            self._replace(str(error))
        except BaseException:
            self._index.close()
            raise

    @property
    def reader(self) -> Reader:
        """Return the reader of the file that is open now: do not keep it across calls."""
        return self._reader

    @property
    def writer(self) -> Writer:
        """Return the writer of the file that is open now."""
        writer = self._index.writer()
        writer.wait_at_most(self._write_wait_ms)
        return writer

    def wait_at_most(self, write_wait_ms: int) -> None:
        """Set the busy timeout of writes, in milliseconds."""
        self._write_wait_ms = min(self._write_wait_ms, write_wait_ms)

    def share(self, untold: PendingNotices) -> None:
        """Use the notices that the workspace's other threads use, and add to them those that were not given here."""
        for text in self.untold.take():
            untold.add(text, None)
        untold.opened(self._index.identity)
        self.untold = untold

    def check_present(self) -> None:
        """Raise CorruptStoreError when the file was removed, emptied or replaced since it was opened."""
        if not self._index.is_present():
            raise CorruptStoreError(f"The index {self.path} was removed or replaced while open; it was built again.")

    def start_over(self, cause: str) -> None:
        """Move the damaged file aside and open an empty one, or the one another process has already created."""
        # A damaged file may fail to close cleanly; its descriptors are closed anyway.
        with suppress(StoreError):
            self._reader.close()
        self._replace(cause)

    def _replace(self, cause: str) -> None:
        # Closed by an attempt that failed, it says nothing of the file that is there now.
        is_known_damaged = self._index.is_open
        damaged: Identity | None = self._index.identity
        with suppress(StoreError):
            self._index.close()
        try:
            if is_known_damaged:
                self._index, notice = rebuild(self.path, time.time(), cause, damaged=damaged, source_id_of=source_id_of)
            else:
                self._index, notice = open_or_rebuild(self.path, time.time(), source_id_of=source_id_of)
        except CorruptStoreError:
            # Another process replaced our file, and the new one is damaged too.
            self._index, notice = open_or_rebuild(self.path, time.time(), source_id_of=source_id_of)
        if notice:
            self.notices = (*self.notices, notice)
            self.untold.add(notice, damaged)
        self.untold.opened(self._index.identity)
        self._reader = self._index.reader()

    def close(self) -> None:
        """Close reader and index."""
        self._reader.close()
        self._index.close()


FILE = "memory.db"
T = TypeVar("T")


class MemoryFile:
    """The user's memory, opened on first use. Belongs to one thread. ``notices`` describes what was moved aside."""

    def __init__(self, folder: Path | None, project_key: Callable[[bytes], str] = lambda _: "") -> None:
        self._folder, self._project_key = folder, project_key
        self._file = os.fspath(folder / FILE) if folder is not None else ""
        self._memory: Memory | None = None
        self._is_suspect = False
        self.notices: tuple[str, ...] = ()

    def read(self, act: Callable[[Memory], T]) -> T | None:
        """Return the result of ``act``, or None without a memory. Raises StoreError."""
        if not self._file or not os.path.lexists(self._file):
            if self._memory is not None:
                self.close()
            return None
        return self._with(act)

    def write(self, act: Callable[[Memory], T]) -> T:
        """Return the result of ``act``; create the memory when missing. Raises StoreError, and the errors of
        ``act``.
        """
        return self._with(act)

    def close(self) -> None:
        """Close it; the next use opens it again."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def _with(self, act: Callable[[Memory], T]) -> T:
        try:
            return act(self._opened())
        except CorruptMemoryError:
            # The next open checks every page, and moves the file aside if it is damaged.
            self._is_suspect = True
            self.close()
            raise

    def _opened(self) -> Memory:
        from helix_core.store import Memory

        if self._folder is None:
            raise MemoryStoreError("No folder is set for the memory; set HELIX_DATA_DIR to one.")
        if self._memory is not None and not self._memory.is_present():
            self.close()
        if self._memory is None:
            suspect = self._is_suspect
            self._memory = Memory(self._folder, time.time(), suspect=suspect, project_key=self._project_key)
            self._is_suspect = False
            if self._memory.notice:
                self.notices = (*self.notices, self._memory.notice)
        return self._memory


PATIENT_MS = 5_000
CHAIN_BUDGET_MS = 250.0
"""CPU time of one answer, in milliseconds, for labeling texts of changed files with symbols: about 700 KB."""
MOST_PATIENCE = 4
# Time limits of a question for another process that refreshes, or that builds a first index of which few files lack.
QUESTION_WAIT_S = 1.0
FIRST_INDEX_WAIT_S = 5.0
SOON_FILES = 500
BUSY_WRITE_WAIT_MS = 100


class WorkspaceSession:
    """What every verb of one open workspace uses. Belongs to one thread.

    Attributes:
        root, workspace: The folder, and its path.
        config: The settings, followed when a file of theirs changes.
        index, index_path: The open index and its file.
        git_facts, memory_file: What git and the user's memory say, each opened when first asked.
        parse_guard: Held around everything that is parsed in this process.
        never_waits: A question waits for no writer and for no indexing.
        encoder: Makes vectors of questions; a host may put a better one in.
        reranker: Reads the first places of an answer again; None where no host gave one.
        process_name: What a status tells others of this process while it changes the index.
        span: Begins spans of telemetry; does nothing where no host gave one that does.
        on_pending: Called by every status with the number of files that are neither set aside nor indexed as they are
            on the disk.
        on_unembedded: Called by a recall that finds memories without a vector of a model that is loaded.
        unindexed: The changes on the disk that a watcher knows of and the index lacks; set before each question.
        behind: Why the index could not be brought up to date before the last question; empty where it was.
        memory_problem: Why the memory could not be used for the last answer; empty where it could.
    """

    def __init__(self, root: Root, config: Config, write_wait_ms: int, parse_guard: ParseGuard) -> None:
        self.root = root
        self.config = config
        self.parse_guard = parse_guard
        self.never_waits = write_wait_ms < PATIENT_MS
        self.workspace = root.path
        self.index_path = index_folder(config.cache_dir, root.path) / "index.db"
        self.index = OpenedIndex(self.index_path, write_wait_ms)
        self.git_facts = GitFacts(root.path)
        self._masked: MaskedFiles | None = None
        self._lacking: tuple[tuple[Reader, int, UnindexedChanges], NotIndexed] | None = None
        self.unindexed = NO_CHANGES
        self._counted: tuple[tuple[Root, Git | None], Counting] | None = None
        self._chains: KeptChains | None = None
        self._looked: LastLook | None = None
        self._lookups: KeptLookups | None = None
        self.memory_file = MemoryFile(config.data_dir, self._project_key)
        self.behind = ""
        self.memory_problem = ""
        self.encoder: Encoder = StaticEncoder()
        self.reranker: Reranker | None = None
        self.process_name = "a program"
        self.span: Spans = no_span
        self.on_pending: Callable[[int], None] = lambda _: None
        self.on_unembedded: Callable[[], None] = lambda: None
        self.is_trail_wanted = False
        self.trail_file = TrailFile(self.index_path.with_name("trail.db"))
        self._flags: tuple[object, frozenset[str]] = (None, frozenset())
        self._flags_problem = ""

    @classmethod
    def open(
        cls, folder: Path, config: Config | None, *, parse_guard: ParseGuard, write_wait_ms: int = PATIENT_MS
    ) -> WorkspaceSession:
        """Open a folder; its index is made in the cache folder when there is none. Raises as ``Helix.open`` does."""
        root = Root.open(Path(folder))
        try:
            chosen = config if config is not None else load_config(root.path)
            return cls(root, chosen, write_wait_ms, parse_guard)
        except BaseException:
            root.close()
            raise

    def close(self) -> None:
        """Close the index and the folder. Nothing is lost without it."""
        self.git_facts.forget()
        self.memory_file.close()
        self.index.close()
        self.root.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """Return warnings for the user about settings and index, including an index moved aside while open."""
        return (*self.config.warnings, *self.index.notices, *self.memory_file.notices)

    def take_notices(self) -> tuple[str, ...]:
        """Return the warnings that an answer carries: those on a rebuilt index only in the first answer after it."""
        return (*self.config.warnings, *self.index.untold.take(), *self.memory_file.notices)

    @property
    def place(self) -> bytes:
        """Return the workspace's real path, its key in the memory."""
        return os.fsencode(os.path.realpath(self.workspace))

    def _project_key(self, place: bytes) -> str:
        """Return the memory's key of this workspace's project, the same in every clone; empty where git names none."""
        if place != self.place:
            return ""
        name = self.git_facts.project()
        return f"w_{hashlib.sha256(name).hexdigest()[:16]}" if name else ""

    def new_refresh(
        self,
        history: str,
        progress: Callable[[Progress], None] | None,
        *,
        retries: bool = False,
        only_small: bool = False,
        read_first: Callable[[], Sequence[bytes]] = tuple,
        last: LastLook | None = None,
    ) -> Refresh:
        """Return a new refresh of this workspace; with ``only_small`` one that starts no process. Of many files, those
        of ``read_first`` are read first. ``last`` is what the look before it saw.
        """
        return Refresh(
            self.root,
            self.git_facts.git,
            self.index.reader,
            self.index.writer,
            counting=self.counting(),
            history=history,
            options=self.file_options(),
            parse_guard=self.parse_guard,
            workers=self.config.workers,
            progress=progress,
            retries=retries,
            only_small=only_small,
            read_first=read_first,
            last=last,
        )

    def look_ahead(self, *, is_question: bool) -> LastLook:
        """Read from the index what a whole refresh compares the disk with, and ask git meanwhile for what it will ask.

        Returns:
            What the last look saw, with the state of the index now. A host that asks question after question looks
            before each, and keeps it.
        """
        last = (self._looked or LastLook()) if is_question else LastLook()
        if is_question:
            self._looked = last
        reader, options = self.index.reader, self.file_options()
        if not last.is_of(reader):

            def ask() -> None:
                self.git_facts.state()
                self.counting().begin(options)

            asking = threading.Thread(target=ask, name="helix-git", daemon=True)
            asking.start()
            try:
                last.read(reader)
            finally:
                asking.join()
        return last

    def write_lock(
        self, progress: Callable[[Progress], None] | None, wait_s: float | None = None
    ) -> AbstractContextManager[None]:
        """Hold the inter-process write lock, waiting at most ``wait_s`` seconds (BusyStoreError)."""
        from helix_core.engine.indexing import LOCK_WAIT_S, turn

        waiting = Progress("waiting for another Helix on this folder", 0, 0)
        tell = progress if progress is not None else lambda _: None
        most_s = LOCK_WAIT_S if wait_s is None else wait_s
        return turn(self.index_path, lambda: tell(waiting), most_s, name=self.process_name)

    def handing_over(self, at: float) -> Callable[[], None]:
        """Return a check that ends a refresh for a waiting process, from ``at`` (monotonic) on."""
        from helix_core.engine.indexing import handing_over

        return handing_over(self.index_path, at)

    def fall_behind(self, error: StoreError) -> None:
        """Record that the index could not be refreshed; answers carry a note until it can."""
        if isinstance(error, BusyStoreError):
            self.behind = (
                "the index was not brought up to date: another process is indexing this folder, and what it has not "
                "reached yet may be missing here"
            )
            self.index.wait_at_most(BUSY_WRITE_WAIT_MS)
        else:
            self.behind = f"the index was not brought up to date and answers as it is: {error}"

    def start_over(self, cause: str, *, fill: bool) -> None:
        """Replace a damaged index by an empty one, and with ``fill`` refresh that within the time limit."""
        self.index.start_over(cause)
        if fill and not self.never_waits:
            try:
                with self.write_lock(None, QUESTION_WAIT_S):
                    self.new_refresh(self.git_facts.state().history, None).run()
            except BusyStoreError as error:
                self.fall_behind(error)

    def follow(self) -> None:
        """Reload changed settings, and reopen the folder when another is at the workspace's path.

        Raises WorkspaceError when there is no folder any more.
        """
        self.config = current(self.config)
        if not self.root.is_in_place():
            root = Root.open(self.workspace)
            self.root.close()
            self.root = root
            self.git_facts.forget()
        else:
            self.git_facts.follow()

    def notes(self, found: Found) -> tuple[str, ...]:
        """Return the notes of an answer: of settings and index, of this moment, and of the search."""
        doubts = self.doubts()
        is_whole = not doubts and found.indexed_share == 1 and self.not_indexed().is_whole
        is_empty = is_whole and not self.index.reader.text.size()[0]
        if is_empty:
            from helix_core.engine.indexing import EMPTY_FOLDER

            doubts = [*doubts, EMPTY_FOLDER]
        return (*self.take_notices(), *doubts, *found.notes)

    def doubts(self) -> list[str]:
        """Return the notes that an answer from this index needs."""
        doubts = [note for note in (self.behind, self.git_facts.note, self._flags_problem) if note]
        doubts += self.not_indexed().notes
        return [*doubts, *([self.memory_problem] if self.memory_problem else [])]

    def not_indexed(self) -> NotIndexed:
        """Return the files that count and are not in this index."""
        from helix_core.engine.verdict import NotIndexed

        reader = self.index.reader
        now = (reader, reader.version(), self.unindexed)
        known = self._lacking
        if known is None or known[0] != now:
            pending = reader.files.pending()
            arrived, rewritten = self._arrived(pending.new)
            new: Sequence[bytes] = (*pending.new, *arrived)
            if not pending.is_listed and self.git_facts.git is not None:
                # The disk is not listed yet; git's listing takes less time than indexing the first files.
                new = [entry.path for entry in list_files(self.root, self.git_facts.git, self.file_options()).files]
            files, _ = reader.text.size()
            aside = [one.path for one in reader.files.set_aside()]
            over = int((self.config.max_files and reader.meta(OVER_LIMIT_FILES)) or 0)
            outside = int((self.config.include and reader.meta(NOT_INCLUDED_FILES)) or 0)
            lacking = NotIndexed(
                aside,
                new,
                pending.changed + rewritten,
                files,
                is_listed=pending.is_listed,
                is_current=self.unindexed.is_listed,
                over_limit=over,
                outside=outside,
                unreadable=reader.files.unreadable(),
                settings_notes=(
                    *((limit_note(over, self.config.max_files),) if over else ()),
                    *((include_note(outside),) if outside else ()),
                    *(pattern_notes(self.file_options()) if self.config.include or self.config.exclude else ()),
                ),
            )
            known = self._lacking = (now, lacking)
        return known[1]

    def _arrived(self, known: Sequence[bytes]) -> tuple[list[bytes], int]:
        """Return the files of ``unindexed`` that are new beside those ``known`` to be, and how many others changed."""
        paths = self.unindexed.paths
        if not paths:
            return [], 0
        reader = self.index.reader
        listed = list_files(self.root, self.git_facts.git, self.file_options(), only=paths).files
        states = reader.files.states_at([entry.path for entry in listed])
        new = {entry.path for entry in listed if entry.path not in states}
        changed = sum(entry.path in states and states[entry.path].signature != entry.signature for entry in listed)
        return sorted(new.difference(known)), changed

    def weigher(
        self,
        overlays: Overlays,
        check: Callable[[], None],
        *,
        mends: bool = True,
        patience: float = 1,
        busy_ms: float = 0,
    ) -> Weigher:
        """Return the weigher for one question. Without ``mends`` it never writes to the index.

        ``patience`` multiplies the setting's milliseconds for reading changed files, and ``busy_ms`` is the busy
        timeout for the index.
        """
        from helix_core.engine.verdict import (
            Buffers,
            ChainLookup,
            KeptChains,
            MaskedFiles,
            Observer,
            VerdictContext,
            Weigher,
        )

        if self._masked is None:
            self._masked = MaskedFiles()
        if self._chains is None:
            self._chains = KeptChains()
        reader, options, counting = self.index.reader, self.file_options(), self.counting()
        observer = Observer(
            self.root,
            reader,
            self.index.writer if mends else None,
            max_bytes=self.config.max_file_bytes,
            budget_ms=patience * self.config.reingest_budget_ms,
            parse_guard=self.parse_guard,
            check=check,
            uncounted=lambda paths, indexed: counting.uncounted(paths, options, reader.meta(RULES) if indexed else ""),
            never_waits=self.never_waits,
            busy_ms=busy_ms,
        )
        chains = ChainLookup(self._chains, self.parse_guard, CHAIN_BUDGET_MS * min(patience, MOST_PATIENCE))
        facts = VerdictContext(
            folder=self.root.path,
            state=self.git_facts.state(),
            committed=self.git_facts.committed(),
            commits_of=lambda paths: self.git_facts.commits_of(paths, reader),
            masked=self._masked,
            buffers=Buffers(overlays, chains),
            chains=chains,
            check=check,
            lines=self.git_facts.lines(),
            lookups=self._kept_lookups,
        )
        return Weigher(reader, observer, facts)

    def _kept_lookups(self) -> KeptLookups:
        from helix_core.engine.verdict import KeptLookups

        if self._lookups is None:
            self._lookups = KeptLookups()
        return self._lookups

    def read_memory(self, act: Callable[[Memory], T]) -> T | None:
        """Return the result from the memory; None without one, or where ``memory_problem`` says why not."""
        self.memory_problem = ""
        try:
            return self.memory_file.read(act)
        except StoreError as error:
            self.memory_problem = str(error)
            return None

    @property
    def records_uses(self) -> bool:
        """Whether it is recorded which files and memories sessions use."""
        return self.config.co_use and self.config.data_dir is not None

    @property
    def records_trail(self) -> bool:
        """Whether what is opened is recorded: by the user's own settings, or because the caller asks for it."""
        return self.config.trail_record or self.is_trail_wanted

    def files_now(self) -> list[tuple[bytes, str]]:
        """Return the files that count with the hashes of their bytes on disk now; of those whose stat is that of the
        index, its hash.
        """
        states = self.index.reader.files.states()
        listing = list_files(self.root, self.git_facts.git, self.file_options())
        read = {entry.path for entry in work_plan(listing, states, True).read}
        paths = [entry.path for entry in listing.files]
        found = [(path, states[path].content_hash) for path in paths if path not in read and states[path].content_hash]
        with self.root.scan() as scan:
            for path in sorted(read):
                # What cannot be read now is gone for who decides by it.
                with suppress(DiskError):
                    found.append((path, scan.read(path, self.config.max_file_bytes).content_hash))
        return found

    def counting(self) -> Counting:
        """Return the check for files that still count, of the current root and repository."""
        from helix_core.workspace import Counting

        place = (self.root, self.git_facts.git)
        if self._counted is None or self._counted[0] != place:
            self._counted = (place, Counting(*place))
        return self._counted[1]

    def unsaved_names(self, overlays: Overlays, check: Callable[[], None]) -> UnsavedNames:
        """Return the names that only unsaved buffers define."""
        from helix_core.engine.verdict import UnsavedNames

        return UnsavedNames(
            self.root, self.index.reader, overlays, self.parse_guard, max_bytes=self.config.max_file_bytes, check=check
        )

    def file_options(self) -> FileOptions:
        """Return the settings for which files count."""
        flags = self.trail_flags()
        flagged = (path_of(flag.removeprefix(NEVER_INDEX)) for flag in flags if flag.startswith(NEVER_INDEX))
        return FileOptions.of(self.config, self.root.path, flagged)

    def trail_flags(self) -> frozenset[str]:
        """Return the flags of the trail, read again when its file changes; the last known where it cannot be read."""
        state = self.trail_file.state()
        if state != self._flags[0]:
            try:
                self._flags, self._flags_problem = (state, frozenset(self.trail_file.read(0)[1])), ""
            except StoreError as error:
                self._flags, self._flags_problem = (state, self._flags[1]), f"flags of the trail are not read: {error}"
        return self._flags[1]


S = TypeVar("S", bound="HasSession")
P = ParamSpec("P")
R = TypeVar("R")


class HasSession(Protocol):
    """An object whose methods work on an open workspace."""

    @property
    def session(self) -> WorkspaceSession: ...


MOST_LOSSES = 4
"""So often an index may be lost within one call: whoever takes it away again and again is stronger."""


def heals_index(*, fills: bool = True) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Decorate a verb to run once more, on a new index, when the index is damaged or was removed, also meanwhile.

    With ``fills`` the new index is refreshed before that; a verb that does so itself needs it empty. Raises
    CorruptStoreError where the index is lost ``MOST_LOSSES`` times within one call.
    """

    def decorate(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        @wraps(verb)
        def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            session = self.session
            session.follow()
            cause = ""
            for _ in range(MOST_LOSSES):
                try:
                    if cause:
                        session.start_over(cause, fill=fills)
                    session.index.check_present()
                    return verb(self, *args, **kwargs)
                except CorruptStoreError as error:
                    cause = str(error)
            session.start_over(cause, fill=fills)
            return verb(self, *args, **kwargs)

        return run

    return decorate


A = TypeVar("A", bound="dict[str, Any] | None")


def answers_from_index(
    *, fills: bool = True
) -> Callable[[Callable[Concatenate[S, P], A]], Callable[Concatenate[S, P], A]]:
    """Decorate a verb that answers with an object of the wire from the index: ``heals_index``, and the answer's
    ``notes`` say which files the index lacks.

    What lacks is read before the verb runs, so that files indexed meanwhile count as missing, never the reverse.
    """

    def decorate(verb: Callable[Concatenate[S, P], A]) -> Callable[Concatenate[S, P], A]:
        @wraps(verb)
        def noted(self: S, /, *args: P.args, **kwargs: P.kwargs) -> A:
            missing = self.session.not_indexed().all_notes
            answer = verb(self, *args, **kwargs)
            if answer is not None:
                answer["notes"] = list(dict.fromkeys((*answer.get("notes", ()), *missing)))
            return answer

        return heals_index(fills=fills)(noted)

    return decorate


def index_folder(cache_dir: Path, workspace: Path) -> Path:
    """Return the folder of a workspace's index: a readable name, unique by the workspace's real path."""
    real = os.fsencode(os.path.realpath(workspace))
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in workspace.name)[:40] or "root"
    return cache_dir / "workspaces" / f"{name}-{hashlib.sha256(real).hexdigest()[:16]}"


class WorkspaceSummary(NamedTuple):
    """``complete`` says that a refresh has once run to its end; ``head`` is a commit's hash, empty outside git.

    ``set_aside`` files broke their parser; ``retry_at`` is when the first of them is due again, in Unix seconds.
    """

    complete: bool
    files: int
    items: int
    branch: str
    head: str
    set_aside: int = 0
    retry_at: float = 0.0
