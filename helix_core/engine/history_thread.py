"""The last commits of the whole tree, and which files change together, read beside other work."""

from __future__ import annotations

import threading

from helix_core.errors import GitError
from helix_core.workspace.git import Git
from helix_core.workspace.history import Kin, LastCommits, co_changes, kin_of, last_commits

CO_CHANGES_S = 5.0


class HistoryThread:
    """``git log`` runs in its own process anyway, so it may as well run while files are parsed."""

    def __init__(self, git: Git) -> None:
        self.error = ""
        self.kin_error = ""
        self._commits = LastCommits()
        self._kin: list[Kin] = []

        def read() -> None:
            try:
                self._commits = last_commits(git)
            except GitError as error:
                self.error = str(error)
                return
            try:
                self._kin = kin_of(co_changes(git, timeout_seconds=CO_CHANGES_S))
            except GitError as error:
                self.kin_error = str(error)

        self._thread = threading.Thread(target=read, name="helix-history", daemon=True)
        self._thread.start()

    def result(self) -> LastCommits:
        self._thread.join()
        return self._commits

    def kin(self) -> list[Kin]:
        self._thread.join()
        return self._kin
