"""One exception per cause; each message names the cause and the next action.

Raised where the cause is known, turned into one line once, at a surface. ``usage`` errors are the caller's to fix (exit
status 2), the others are the machine's (exit status 1).
"""

from __future__ import annotations


class HelixError(Exception):
    """Base of all expected errors. ``str(error)`` is one line: cause, then what to do."""

    usage = False


class UsageError(HelixError):
    """The call is invalid: an unknown task, a k out of range, an empty question, a missing folder."""

    usage = True


class ConfigError(UsageError):
    """A setting is invalid; the message names file, line and key."""


class StoreError(HelixError):
    """The index cannot be opened, read or written."""


class RefusedStatementError(StoreError):
    """SQLite refused a statement on a whole index: a fault of Helix that ends one look-up; the index is well."""


class NewerStoreError(StoreError):
    """A newer Helix wrote the index; it is left untouched."""


class BusyStoreError(StoreError):
    """Another connection writes for longer than the busy timeout; nothing was written, try again later."""


class HandedOverError(BusyStoreError):
    """A refresh ended early for another process that waits to do the same; what it has indexed is kept."""


class LargeChangeError(HelixError):
    """A refresh that may start no process has more to read than is parsed in this one."""


class CorruptStoreError(StoreError):
    """The index file is damaged; it is disposable, so the caller moves it aside and builds another."""


class MemoryStoreError(StoreError):
    """The memory cannot be opened, read or written; answers continue without it, with a note."""


class CorruptMemoryError(MemoryStoreError):
    """The memory file is damaged; it cannot be rebuilt, so it is moved aside and never deleted."""


class WorkspaceError(UsageError):
    """The folder is missing, not a folder, or not readable."""


class GitError(HelixError):
    """git failed, was refused, or timed out; callers continue without its facts, with a note."""


class Cancelled(HelixError):  # noqa: N818 - not a failure
    """The client cancelled the request; nothing was left half written."""


class ModelError(HelixError):
    """A model for embedding is missing, damaged, or not one that Helix can use."""


class StrandError(HelixError):
    """A ``.dna`` file was refused; nothing of it was kept."""


class DamagedStrandError(StrandError):
    """The bytes are not whole: no strand, cut off, damaged, altered, or not in canonical form."""


class TamperedStrandError(StrandError):
    """A valid signature or key covers content that contradicts it: another inner signer, count or content root."""


class LockedStrandError(StrandError):
    """The passphrase, recovery code or recipient key does not open the strand."""


class UntrustedSignerError(StrandError):
    """The strand is whole, and its signer's key is not pinned here."""


class NewerStrandError(StrandError):
    """A newer Helix wrote the strand; the message names both versions."""


class StrandKdfError(StrandError):
    """The header asks for a key derivation outside the accepted bounds, or memory for it is missing."""


class MissingSodiumError(StrandError):
    """PyNaCl, which seals and opens, cannot be imported; nothing was read or written."""


class StrandLimitError(StrandError):
    """The strand, one of its records or one of its fields is larger than the limits of the format."""


class AlteredRecordError(StrandError):
    """Two sets have one record in two wordings though records never change; neither is taken for the right one."""


class PhaseFull(HelixError):  # noqa: N818 - the name of the contract
    """A word of bits has reached its stated capacity; nothing was dropped."""


class TrailStoreError(StoreError):
    """The file of a trail cannot be opened, read or written, or is damaged; nothing but the trail depends on it."""


class TrailError(HelixError):
    """A trail's log was refused, or names a step or a version that is not there."""


def unwritable(where: str, error: OSError) -> str:
    """Return the message for what cannot be written, as on a disk that is full, with the next action."""
    return f"{where} cannot be written ({error.strerror or error}); free space there, or send it elsewhere"
