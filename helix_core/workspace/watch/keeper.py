"""What passes between those who hear and the one who sees to it that they hear everything."""

from __future__ import annotations

from typing import Protocol

from helix_core.workspace.watch.git_places import GitPlace

# A force-added file counts although it is ignored; a commit is a dozen moves, and no hurry.
GIT_LOOK_S = 1.0


class Keeper(Protocol):
    """What the reader hands on: it may be called from its thread and returns at once."""

    def look_into(self, folder: bytes) -> None:
        """A folder came, or changed its permissions: watch it if it counts."""

    def look_again(self, in_s: float = 0.0) -> None:
        """What counts may have changed, or events were lost."""

    def overflowed(self) -> None:
        """The queue was full and events were lost."""

    def root_lost(self) -> None:
        """The root was moved, removed or unmounted."""


class Events(Protocol):
    """One way to hear what happens below a root. ``quiet``: single files whose events are dropped."""

    quiet: frozenset[bytes]

    @property
    def is_alive(self) -> bool: ...
    @property
    def folders(self) -> int: ...
    def watched(self) -> frozenset[bytes]: ...
    def watch(self, path: bytes, descriptor: int) -> bool: ...
    def forget(self, path: bytes) -> None: ...
    def watch_git(self, places: tuple[GitPlace, ...]) -> None: ...
    def wait(self, folder: bytes, timeout_s: float) -> bool: ...
    def stop(self) -> None: ...


class LimitReached(Exception):  # noqa: N818 - told as a note, never to a user as an error
    """The kernel gives no further watch."""
