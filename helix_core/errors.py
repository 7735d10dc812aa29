"""One exception per cause; each message names the cause and the next action.

Raised where the cause is known, turned into one line once, at a surface. ``usage`` errors are the asker's to mend
(exit status 2), the others are the machine's (exit status 1).
"""

from __future__ import annotations


class HelixError(Exception):
    """Anything Helix can explain. ``str(error)`` is one line: cause, then what to do."""

    usage = False


class UsageError(HelixError):
    """The call itself is wrong: an unknown task, a k out of range, an empty question, a missing folder."""

    usage = True


class ConfigError(UsageError):
    """A setting cannot be understood; the message names file, line and key."""


class StoreError(HelixError):
    """The index cannot be opened, read or written."""


class NewerStoreError(StoreError):
    """The index was written by a newer Helix; it is left untouched."""


class BusyStoreError(StoreError):
    """Another connection is writing for longer than this one waits; nothing was written, try again later."""


class HandedOverError(BusyStoreError):
    """A refresh ended early for another process that waits to do the same; what it has taken in is kept."""


class CorruptStoreError(StoreError):
    """The index file is damaged; it is disposable, so the caller moves it aside and builds another."""


class MemoryStoreError(StoreError):
    """The memory cannot be opened, read or written; answers go on without it and say so."""


class CorruptMemoryError(MemoryStoreError):
    """The memory file is damaged; it is precious, so it is set aside whole and never thrown away."""


class WorkspaceError(UsageError):
    """The folder is missing, not a folder, or not readable."""


class GitError(HelixError):
    """git failed, was refused, or took too long; callers go on without its facts and say so."""


class Cancelled(HelixError):  # noqa: N818 - not a failure
    """The asker took the question back; nothing was left half written."""


class ModelError(HelixError):
    """A model for embedding is missing, damaged, or not one that Helix can use."""
