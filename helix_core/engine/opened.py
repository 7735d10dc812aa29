"""What every verb of an open workspace stands on: its folder, settings, index and git, each followed where it goes.

Holds no verb of its own. Belongs to one thread.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from helix_core.config import Config, current
from helix_core.embed.static import Encoder, StaticEncoder
from helix_core.engine.git_facts import GitFacts
from helix_core.engine.in_hand import InHand
from helix_core.engine.opened_index import OpenedIndex
from helix_core.engine.refresh import RULES, Refresh
from helix_core.engine.remembered import Remembered
from helix_core.engine.report import Progress
from helix_core.errors import BusyStoreError, CorruptStoreError, StoreError
from helix_core.model import Found, Hints, Overlays
from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions, list_files

if TYPE_CHECKING:
    from helix_core.engine.answer import Answer
    from helix_core.engine.chains import KeptChains
    from helix_core.engine.masked import MaskedFiles
    from helix_core.engine.not_indexed import NotIndexed
    from helix_core.engine.outdated import KeptLookups
    from helix_core.engine.reranking import Reranker, Reranking
    from helix_core.engine.unsaved import UnsavedNames
    from helix_core.engine.weigher import Weigher
    from helix_core.store.reader import Reader
    from helix_core.workspace.counting import Counting
    from helix_core.workspace.git import Git

PATIENT_MS = 5_000
CHAIN_BUDGET_MS = 250.0
"""Processor time of one answer for telling under which symbols texts of changed files are: about 700 KB."""
MOST_PATIENCE = 4
# A question waits so long for another process that indexes, or that builds an index nobody has finished yet.
QUESTION_WAIT_S = 1.0
FIRST_INDEX_WAIT_S = 5.0
BUSY_WRITE_WAIT_MS = 100
NO_OVERLAYS: Overlays = MappingProxyType({})
T = TypeVar("T")


class Opened:
    """One open workspace with its index. ``encoder`` makes vectors of questions; a host may put a better one in, and a
    ``reranker``, which reads the first places of an answer again. ``behind`` says why the index could not be brought up
    to date before the last question; empty where it was."""

    def __init__(self, root: Root, config: Config, write_wait_ms: int, in_hand: InHand) -> None:
        self._root = root
        self._config = config
        self._in_hand = in_hand
        self._never_waits = write_wait_ms < PATIENT_MS
        self.workspace = root.path
        self.index_path = index_folder(config.cache_dir, root.path) / "index.db"
        self._index = OpenedIndex(self.index_path, write_wait_ms)
        self._facts = GitFacts(root.path)
        self._masked: MaskedFiles | None = None
        self._lacking: tuple[Reader, int, NotIndexed] | None = None
        self._counted: tuple[tuple[Root, Git | None], Counting] | None = None
        self._chains: KeptChains | None = None
        self._lookups: KeptLookups | None = None
        self._memory = Remembered(config.data_dir)
        self.behind = ""
        self.encoder: Encoder = StaticEncoder()
        self.reranker: Reranker | None = None

    def close(self) -> None:
        """Close the index and the folder. Nothing is lost by not calling it."""
        self._facts.forget()
        self._memory.close()
        self._index.close()
        self._root.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know of settings and index; an index moved aside while open is told here too."""
        return (*self._config.warnings, *self._index.notices, *self._memory.notices)

    def _new_refresh(
        self, history: str, progress: Callable[[Progress], None] | None, *, retries: bool = False
    ) -> Refresh:
        return Refresh(
            self._root,
            self._facts.git,
            self._index.reader,
            self._index.writer,
            counting=self._counting(),
            history=history,
            options=self._file_options(),
            in_hand=self._in_hand,
            workers=self._config.workers,
            progress=progress,
            retries=retries,
        )

    def _turn(
        self, progress: Callable[[Progress], None] | None, wait_s: float | None = None
    ) -> AbstractContextManager[None]:
        from helix_core.engine.turn import LOCK_WAIT_S, turn

        waiting = Progress("waiting for another Helix on this folder", 0, 0)
        tell = progress if progress is not None else lambda _: None
        return turn(self.index_path, lambda: tell(waiting), LOCK_WAIT_S if wait_s is None else wait_s)

    def _fall_behind(self, error: StoreError) -> None:
        """The index could not be brought up to date: its answers say so until it can."""
        if isinstance(error, BusyStoreError):
            self.behind = (
                "the index was not brought up to date: another process is indexing this folder, and what it has not "
                "reached yet may be missing here"
            )
            self._index.wait_at_most(BUSY_WRITE_WAIT_MS)
        else:
            self.behind = f"the index was not brought up to date and answers as it is: {error}"

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
        if indexed and not self._never_waits:
            try:
                with self._turn(None, QUESTION_WAIT_S):
                    self._new_refresh(self._facts.state().history, None).run()
            except BusyStoreError as error:
                self._fall_behind(error)
        return act()

    def _follow(self) -> None:
        """Speak of what stands at the workspace's path now, whatever stood there when it was opened.

        The settings are followed too. Raises WorkspaceError when no folder stands there any more.
        """
        self._config = current(self._config)
        if not self._root.is_in_place():
            root = Root.open(self.workspace)
            self._root.close()
            self._root = root
            self._facts.forget()
        else:
            self._facts.follow()

    def _said(self, found: Found) -> tuple[str, ...]:
        """What stands beside every answer: of settings and index, of this moment, of how it was found."""
        return (*self.notices, *self._doubts(), *found.notes)

    def _doubts(self) -> list[str]:
        """What an answer from this index should say of itself."""
        doubts = [note for note in (self.behind, self._facts.note) if note]
        doubts += self._not_indexed().notes
        if self.encoder.problem:
            doubts.append(f"the built-in vectors serve: {self.encoder.problem}")
        return doubts

    def _not_indexed(self) -> NotIndexed:
        """The files that count and that this index does not hold."""
        from helix_core.engine.not_indexed import NotIndexed

        reader = self._index.reader
        version = reader.version()
        known = self._lacking
        if known is None or known[:2] != (reader, version):
            pending = reader.pending()
            new: Sequence[bytes] = pending.new
            if not pending.is_listed and self._facts.git is not None:
                # Nobody has listed the disk yet; a list by git takes less than the first files do.
                new = [entry.path for entry in list_files(self._root, self._facts.git, self._file_options()).files]
            files, _ = reader.size()
            aside = [one.path for one in reader.set_aside()]
            lacking = NotIndexed(aside, new, pending.changed, files, is_listed=pending.is_listed)
            known = self._lacking = (reader, version, lacking)
        return known[2]

    def _find(
        self, question: str, hints: Hints, k: int, check: Callable[[], None], *, explained: bool = False
    ) -> Found:
        """Places for a question, as the settings want them and in the best vectors there are."""
        from helix_core.engine.not_indexed import with_named
        from helix_core.search.question import understand
        from helix_core.search.search import search

        prefer, reranking = self._config.prefer_implementation, self._reranking()
        # Before the search: what comes in meanwhile is then counted as missing, never the other way round.
        lacking = self._not_indexed()
        found = search(
            question,
            self._index.reader,
            hints,
            k if reranking is None else reranking.asked(k),
            prefer_implementation=prefer,
            check=check,
            encoder=self.encoder,
            explained=explained,
        )
        if reranking is not None:
            found = reranking.of(question, found, self._weigher(NO_OVERLAYS, check, mends=False), k)
        return with_named(lacking.limits(found), lacking.named_by(understand(question)), k)

    def _reranking(self) -> Reranking | None:
        if self.reranker is None:
            return None
        from helix_core.engine.reranking import Reranking

        return Reranking(self.reranker, self._config.rerank_budget_ms)

    def _answer(self, weigher: Weigher, unsaved: UnsavedNames | None, *, explained: bool = False) -> Answer:
        from helix_core.engine.answer import Answer

        return Answer(
            self._index.reader,
            weigher,
            prefer_implementation=self._config.prefer_implementation,
            encoder=self.encoder,
            unsaved=unsaved,
            not_indexed=self._not_indexed(),
            reranking=self._reranking(),
            explained=explained,
        )

    def _weigher(
        self,
        overlays: Overlays,
        check: Callable[[], None],
        *,
        mends: bool = True,
        patience: float = 1,
        busy_ms: float = 0,
    ) -> Weigher:
        """What gives verdicts now, for one question. Without ``mends`` it leaves the index as it is.

        ``patience`` is how many times the setting's milliseconds the asker has for what must be read again, and
        ``busy_ms`` how long it may wait for others who write the index.
        """
        from helix_core.engine.chains import ChainLookup, KeptChains
        from helix_core.engine.masked import MaskedFiles
        from helix_core.engine.observe import Observer
        from helix_core.engine.outdated import KeptLookups
        from helix_core.engine.overlay import Buffers
        from helix_core.engine.weigher import Facts, Weigher

        if self._masked is None:
            self._masked = MaskedFiles()
        if self._chains is None:
            self._chains = KeptChains()
        if self._lookups is None:
            self._lookups = KeptLookups()
        reader, options, counting = self._index.reader, self._file_options(), self._counting()
        observer = Observer(
            self._root,
            reader,
            self._index.writer if mends else None,
            max_bytes=self._config.max_file_bytes,
            budget_ms=patience * self._config.reingest_budget_ms,
            in_hand=self._in_hand,
            check=check,
            uncounted=lambda paths, indexed: counting.uncounted(paths, options, reader.meta(RULES) if indexed else ""),
            never_waits=self._never_waits,
            busy_ms=busy_ms,
        )
        chains = ChainLookup(self._chains, self._in_hand, CHAIN_BUDGET_MS * min(patience, MOST_PATIENCE))
        facts = Facts(
            folder=self._root.path,
            state=self._facts.state(),
            committed=self._facts.committed(),
            commits_of=lambda paths: self._facts.commits_of(paths, reader),
            masked=self._masked,
            buffers=Buffers(overlays, chains),
            chains=chains,
            check=check,
            lines=self._facts.lines(),
            lookups=self._lookups,
        )
        return Weigher(reader, observer, facts)

    def _counting(self) -> Counting:
        """What says which files still count; another one for another root or repository."""
        from helix_core.workspace.counting import Counting

        place = (self._root, self._facts.git)
        if self._counted is None or self._counted[0] != place:
            self._counted = (place, Counting(*place))
        return self._counted[1]

    def _unsaved_names(self, overlays: Overlays, check: Callable[[], None]) -> UnsavedNames:
        from helix_core.engine.unsaved import UnsavedNames

        return UnsavedNames(
            self._root, self._index.reader, overlays, self._in_hand, max_bytes=self._config.max_file_bytes, check=check
        )

    def _file_options(self) -> FileOptions:
        return FileOptions(max_bytes=self._config.max_file_bytes, helixignore=self._config.exclude)


def index_folder(cache_dir: Path, workspace: Path) -> Path:
    """The folder of a workspace's index: named for people, unique by the workspace's real path."""
    real = os.fsencode(os.path.realpath(workspace))
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in workspace.name)[:40] or "root"
    return cache_dir / "workspaces" / f"{name}-{hashlib.sha256(real).hexdigest()[:16]}"
