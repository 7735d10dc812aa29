"""One open workspace. The Python API; every surface says the same through it.

    with Helix.open(Path("project")) as helix:
        helix.refresh()
        packet = helix.packet("where are sessions signed?", task="edit")

One ``Helix`` belongs to one thread.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from helix_core.config import Config, load_config
from helix_core.engine.opened_index import OpenedIndex
from helix_core.engine.plan import decides_for_others
from helix_core.engine.refresh import Refresh
from helix_core.engine.report import Progress, RefreshReport
from helix_core.errors import CorruptStoreError, GitError, UsageError
from helix_core.model import GitState, Hints, LastCommit, TaskType
from helix_core.packet import PacketFacts, packet, search_answer
from helix_core.search.search import search
from helix_core.weigh.refresh import refresh_plan
from helix_core.workspace.blobs import BlobReader
from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions
from helix_core.workspace.git import Git
from helix_core.workspace.state import GitStateReader

if TYPE_CHECKING:
    from helix_core.engine.answer import Answer
    from helix_core.engine.masked import MaskedFiles

MAX_K = 100
MOST_PATHS = 200
MOVED_HEAD_S = 0.25
NO_HINTS = Hints()
T = TypeVar("T")


class Helix:
    """One open workspace with its index."""

    def __init__(self, root: Root, config: Config) -> None:
        self._root = root
        self._config = config
        self.workspace = root.path
        self.index_path = index_folder(config.cache_dir, root.path) / "index.db"
        self._index = OpenedIndex(self.index_path)
        self._git: Git | None = None
        self._git_state: GitStateReader | None = None
        self._blobs: BlobReader | None = None
        self._masked: MaskedFiles | None = None
        self._git_note = ""
        self._git_opened = False
        self._git_marks: tuple[bool, ...] = ()

    @classmethod
    def open(cls, folder: Path, *, config: Config | None = None) -> Helix:
        """Open a folder; its index is made in the cache folder when there is none.

        Raises WorkspaceError for a folder that is missing, not a folder or not readable, StoreError when the index
        can be neither opened nor made, ConfigError for settings that cannot be understood.
        """
        root = Root.open(Path(folder))
        try:
            return cls(root, config if config is not None else load_config(root.path))
        except BaseException:
            root.close()
            raise

    def __enter__(self) -> Helix:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the index and the folder. Nothing is lost by not calling it."""
        self._forget_git()
        self._index.close()
        self._root.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know of settings and index; an index moved aside while open is told here too."""
        return (*self._config.warnings, *self._index.notices)

    def is_indexed(self) -> bool:
        """Has a refresh ever run to its end here?"""
        return self._mended(lambda: self._index.reader.meta("complete") == "1", indexed=False)

    def refresh(self, progress: Callable[[Progress], None] | None = None) -> RefreshReport:
        """Bring the index up to date with the disk. Two processes take turns; the second finds little left to do."""

        def run() -> RefreshReport:
            refresh = self._new_refresh(self._state().head, progress)
            report = refresh.look()
            if report is not None:
                return report
            with self._turn(progress):
                return refresh.run()

        return self._mended(run, indexed=False)

    def refresh_paths(self, paths: Sequence[bytes]) -> RefreshReport:
        """Bring some files or folders up to date, as raw paths from the workspace root: what a watcher heard of.

        Milliseconds for a saved file. Whatever can change which files count is answered with a whole refresh: many
        paths, an ignore file, git's own state, a path inside an inner repository, an index never finished.
        """
        if not paths:
            return RefreshReport()
        if len(paths) > MOST_PATHS or not self.is_indexed() or any(map(self._needs_whole_refresh, paths)):
            return self.refresh()

        def run() -> RefreshReport:
            with self._turn(None):
                return self._new_refresh("", None).run_only(paths)

        return self._mended(run)

    def _needs_whole_refresh(self, path: bytes) -> bool:
        parts = path.split(b"/")
        folders = (b"/".join([os.fsencode(self.workspace), *parts[:depth]]) for depth in range(1, len(parts)))
        return decides_for_others(path) or any(os.path.lexists(folder + b"/.git") for folder in folders)

    def _new_refresh(self, head: str, progress: Callable[[Progress], None] | None) -> Refresh:
        return Refresh(
            self._root,
            self._opened_git(),
            self._index.reader,
            self._index.writer,
            head=head,
            options=self._file_options(),
            workers=self._config.workers,
            progress=progress,
        )

    def _turn(self, progress: Callable[[Progress], None] | None) -> AbstractContextManager[None]:
        from helix_core.engine.turn import turn

        waiting = Progress("waiting for another Helix on this folder", 0, 0)
        return turn(self.index_path, lambda: progress(waiting) if progress is not None else None)

    def _mended(self, act: Callable[[], T], *, indexed: bool = True) -> T:
        """Do it; when the index proves damaged, or was taken away, do it once more on one built from the files.

        ``indexed`` says whether the act needs an index that is up to date, or makes it so itself.
        """
        self._follow()
        try:
            self._index.check_present()
            return act()
        except CorruptStoreError as error:
            self._index.start_over(str(error))
        if indexed:
            with self._turn(None):
                self._new_refresh(self._state().head, None).run()
        return act()

    def _follow(self) -> None:
        """Speak of what stands at the workspace's path now, whatever stood there when it was opened.

        Raises WorkspaceError when no folder stands there any more.
        """
        if not self._root.is_in_place():
            root = Root.open(self.workspace)
            self._root.close()
            self._root = root
            self._forget_git()
        elif self._git_opened and self._git_marks != self._marks():
            self._forget_git()

    def _marks(self) -> tuple[bool, ...]:
        """Where a repository begins, from the workspace upwards: it may be made or taken away while we are open."""
        return tuple(os.path.lexists(folder / ".git") for folder in (self.workspace, *self.workspace.parents))

    def _forget_git(self) -> None:
        if self._blobs is not None:
            self._blobs.close()
        self._git = self._git_state = self._blobs = None
        self._git_note, self._git_opened = "", False

    def rebuild(self, progress: Callable[[Progress], None] | None = None) -> RefreshReport:
        """Throw the index away and build it again from the disk."""

        def clear() -> None:
            self._index.writer.clear()

        self._mended(clear, indexed=False)
        return self.refresh(progress)

    def search(self, question: str, *, k: int = 10, hints: Hints = NO_HINTS) -> dict[str, Any]:
        """The ``helix.search/1`` object: at most ``k`` places, best first; UsageError for a bad call."""
        started = time.monotonic()
        checked_question(question)
        checked_k(k)
        prefer = self._config.prefer_implementation
        found = self._mended(lambda: search(question, self._index.reader, hints, k, prefer_implementation=prefer))
        return search_answer(question, found, (time.monotonic() - started) * 1e3)

    def packet(
        self, question: str, *, task: TaskType | str = TaskType.EXPLAIN, k: int = 8, hints: Hints = NO_HINTS
    ) -> dict[str, Any]:
        """The ``helix.packet/1`` object: at most ``k`` pointers, each with a verdict true at this moment."""
        started = time.monotonic()
        chosen = checked_task(task)
        checked_question(question)
        checked_k(k)
        answer = self._mended(lambda: self._new_answer().make(question, chosen, k, hints))
        notes = (*self.notices, *self._doubts(), *answer.notes)
        facts = PacketFacts(
            query=question,
            task=chosen,
            workspace=str(self.workspace),
            head=answer.state.head,
            found=answer.found,
            notes=notes,
            elapsed_ms=(time.monotonic() - started) * 1e3,
        )
        return packet(answer.weighed, answer.contradictions, refresh_plan(answer.weighed, chosen), facts)

    def _doubts(self) -> list[str]:
        """What an answer from this index should say of itself."""
        doubts = [self._git_note] if self._git_note else []
        if self._index.reader.meta("complete") != "1":
            doubts.append("the index is not complete yet: what it does not know may still be there")
        return doubts

    def _new_answer(self) -> Answer:
        from helix_core.engine.answer import Answer
        from helix_core.engine.masked import MaskedFiles

        if self._masked is None:
            self._masked = MaskedFiles()
        return Answer(
            self._root,
            self._index.reader,
            self._index.writer,
            committed=self._committed(),
            commits_of=self._commits_of,
            masked=self._masked,
            state=self._state(),
            max_bytes=self._config.max_file_bytes,
            reingest_budget_ms=self._config.reingest_budget_ms,
            prefer_implementation=self._config.prefer_implementation,
        )

    def digest(self) -> str:
        """SHA-256 over what is indexed, independent of how it came to be: equal for equal folders."""

        def digest() -> str:
            return self._index.reader.digest()

        return self._mended(digest)

    def status(self, *, skipped: bool = False) -> dict[str, Any]:
        """The ``helix.status/1`` object: what is indexed, how far it is from the disk, what was left out and why."""
        from helix_core.engine.status import status

        return self._mended(
            lambda: status(
                self._root,
                self._opened_git(),
                self._index.reader,
                self.index_path,
                options=self._file_options(),
                state=self._state(),
                list_skipped=skipped,
            )
        )

    def _file_options(self) -> FileOptions:
        return FileOptions(max_bytes=self._config.max_file_bytes, helixignore=self._config.exclude)

    def _opened_git(self) -> Git | None:
        if not self._git_opened:
            self._git_opened, self._git_marks = True, self._marks()
            try:
                self._git = Git.open(self._root.path)
            except GitError as error:
                self._git_note = f"git facts are missing: {error}"
            if self._git is not None:
                self._git_state = GitStateReader(self._git)
        return self._git

    def _commits_of(self, paths: Sequence[bytes]) -> Mapping[bytes, LastCommit]:
        """The last commits as the index knows them; asked of git itself when HEAD has moved since they were read."""
        head, git = self._state().head, self._opened_git()
        if not paths or not head or git is None or head == self._index.reader.meta("commits_head"):
            return self._index.reader.commits(paths)
        from helix_core.workspace.history import last_commits

        try:
            return last_commits(git, MOVED_HEAD_S, paths)
        except GitError as error:
            self._git_note = f"git facts are missing: {error}"
            return {}

    def _committed(self) -> BlobReader | None:
        git = self._opened_git()
        if self._blobs is None and git is not None:
            self._blobs = BlobReader(git)
        return self._blobs

    def _state(self) -> GitState:
        self._opened_git()
        if self._git_state is None:
            return GitState()
        try:
            state = self._git_state.state()
        except GitError as error:
            self._git_note = f"git facts are missing: {error}"
            return GitState()
        self._git_note = ""
        return state


def index_folder(cache_dir: Path, workspace: Path) -> Path:
    """The folder of a workspace's index: named for people, unique by the workspace's real path."""
    real = os.fsencode(os.path.realpath(workspace))
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in workspace.name)[:40] or "root"
    return cache_dir / "workspaces" / f"{name}-{hashlib.sha256(real).hexdigest()[:16]}"


def checked_question(question: str) -> str:
    """The question, or UsageError when it says nothing."""
    if not question.strip():
        raise UsageError("the question is empty; ask in words, names or a quoted message")
    return question


def checked_k(k: int) -> int:
    """k, or UsageError outside 1..100."""
    if not 1 <= k <= MAX_K:
        raise UsageError(f"k is {k}; it must be from 1 to {MAX_K}")
    return k


def checked_task(task: TaskType | str) -> TaskType:
    """The task by name, or UsageError naming those there are."""
    try:
        return TaskType(task)
    except ValueError:
        raise UsageError(f"unknown task {task!r}; use one of {', '.join(TaskType)}") from None
