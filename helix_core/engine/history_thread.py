"""The last commits of the whole tree, read beside other work."""

from __future__ import annotations

import threading

from helix_core.errors import GitError
from helix_core.workspace.git import Git
from helix_core.workspace.history import LastCommits, last_commits


class HistoryThread:
    """``git log`` runs in its own process anyway, so it may as well run while files are parsed."""

    def __init__(self, git: Git) -> None:
        self.error = ""
        self._commits = LastCommits()

        def read() -> None:
            try:
                self._commits = last_commits(git)
            except GitError as error:
                self.error = str(error)

        self._thread = threading.Thread(target=read, name="helix-history", daemon=True)
        self._thread.start()

    def result(self) -> LastCommits:
        self._thread.join()
        return self._commits
