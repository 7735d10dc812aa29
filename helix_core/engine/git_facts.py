"""What git says of an open workspace, kept while it stays the same repository: state, last commits, committed bytes.

Where git is missing, refuses or fails, its facts are left out and ``note`` says why; nothing here raises GitError.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from helix_core.errors import GitError
from helix_core.model import GitState, LastCommit
from helix_core.store.reader import Reader
from helix_core.workspace.blobs import BlobReader
from helix_core.workspace.git import Git
from helix_core.workspace.history import LineHistory
from helix_core.workspace.state import GitStateReader

MOVED_HEAD_S = 0.25


class GitFacts:
    """Of one folder. Opened when first asked, closed and opened anew when a repository is made or taken away."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._git: Git | None = None
        self._states: GitStateReader | None = None
        self._blobs: BlobReader | None = None
        self._lines: LineHistory | None = None
        self._moved: tuple[str, dict[bytes, LastCommit]] = ("", {})
        self._opened = False
        self._marks: tuple[bool, ...] = ()
        self.note = ""

    def follow(self) -> None:
        """Forget a repository that is no longer where it was, and the lack of one that has been made."""
        if self._opened and self._marks != self._marks_now():
            self.forget()

    def forget(self) -> None:
        """Close what is open; the next question opens it again."""
        if self._blobs is not None:
            self._blobs.close()
        if self._lines is not None:
            self._lines.close()
        self._git = self._states = self._blobs = self._lines = None
        self.note, self._opened, self._moved = "", False, ("", {})

    @property
    def git(self) -> Git | None:
        """git as seen from the folder; None where no work tree encloses it."""
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
        """Where the repository stands now; the empty state where git cannot say."""
        if self.git is None or self._states is None:
            return GitState()
        try:
            state = self._states.state()
        except GitError as error:
            self._miss(error)
            return GitState()
        self.note = ""
        return state

    def commits_of(self, paths: Sequence[bytes], reader: Reader) -> Mapping[bytes, LastCommit]:
        """The last commits as the index knows them; asked of git itself when HEAD has moved since they were read."""
        history, git = self.state().history, self.git
        if not paths or not history or git is None or history == reader.meta("commits_head"):
            return reader.commits(paths)
        if self._moved[0] != history:
            self._moved = (history, {})
        known = self._moved[1]
        self._ask_for([path for path in paths if path not in known], git, known)
        return {path: known[path] for path in paths if path in known}

    def _ask_for(self, paths: Sequence[bytes], git: Git, known: dict[bytes, LastCommit]) -> None:
        """Ask git itself, once for each path at a HEAD that the index has not followed yet."""
        from helix_core.workspace.history import last_commits

        if not paths:
            return
        try:
            found = last_commits(git, MOVED_HEAD_S, paths)
        except GitError as error:
            self._miss(error)
            return
        known.update(found)

    def committed(self) -> BlobReader | None:
        """Reads files as they were committed; None where there is no repository."""
        if self._blobs is None and self.git is not None:
            self._blobs = BlobReader(self.git)
        return self._blobs

    def lines(self) -> LineHistory | None:
        """Who wrote which lines, as seen from the HEAD of this moment; None where nothing is committed."""
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
        """Where a repository begins, from the workspace upwards: it may be made or taken away while we are open."""
        return tuple(os.path.lexists(folder / ".git") for folder in (self._folder, *self._folder.parents))
