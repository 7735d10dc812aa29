"""Looking at everything now and then, for what cannot be watched: a refresh's listing, compared with the last one.

Told is only what moved. The interval follows the tree: two seconds for a small one, and a look never takes more than a
fiftieth of the time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from helix_core.errors import GitError
from helix_core.model import GitState, StatSignature
from helix_core.workspace.disk import Root
from helix_core.workspace.files import FileOptions, list_files
from helix_core.workspace.git import Git
from helix_core.workspace.state import GitStateReader

LEAST_S = 2.0
_SHARE = 50


@dataclass(frozen=True, slots=True)
class Moved:
    """What is not as it was at the last look; ``whole`` when there was none."""

    paths: tuple[bytes, ...] = ()
    git: bool = False
    whole: bool = False


class Poller:
    """Belongs to one thread. ``interval_s`` is how long to wait until the next look."""

    def __init__(self, path: Path, options: FileOptions) -> None:
        self._path, self._options = path, options
        self._signatures: dict[bytes, StatSignature] | None = None
        self._git: Git | None = None
        self._reader = GitStateReader(None)
        self._state = GitState()
        self.interval_s = LEAST_S

    def look(self, git: Git | None) -> Moved:
        """Compare with the last time; raises WorkspaceError when the root cannot be opened."""
        started = time.monotonic()
        with Root.open(self._path) as root:
            now = {entry.path: entry.signature for entry in list_files(root, git, self._options).files}
        before, self._signatures = self._signatures, now
        has_moved = self._git_moved(git)
        self.interval_s = max(LEAST_S, (time.monotonic() - started) * _SHARE)
        if before is None:
            return Moved(git=has_moved, whole=True)
        changed = [path for path, signature in now.items() if before.get(path) != signature]
        return Moved((*changed, *(path for path in before if path not in now)), has_moved)

    def _git_moved(self, git: Git | None) -> bool:
        if git is not self._git:
            self._git, self._reader = git, GitStateReader(None if git is None or git.problem else git)
        try:
            state = self._reader.state()
        except GitError:
            return False
        before, self._state = self._state, state
        return state != before
