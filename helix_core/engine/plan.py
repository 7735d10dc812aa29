"""Decide what a refresh must read. Pure: a listing of the disk and what the index knows, in; paths, out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from helix_core.model import FileEntry, Listing, Reason, SourceState, StatSignature

FINE_CLOCK_NS = 50_000_000
COARSE_CLOCK_NS = 2_000_000_000
_RULE_FILES = frozenset({b".gitignore", b".helixignore", b".gitmodules", b".gitattributes"})


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """What a listing asks for: files to read, known paths that are gone, and how many need nothing."""

    read: tuple[FileEntry, ...]
    gone: tuple[bytes, ...]
    unchanged: int


def is_settled(signature: StatSignature, observed_ns: int) -> bool:
    """Was the file quiet long enough before it was read, that an equal signature means equal bytes?

    File systems stamp with a few milliseconds' grain, some with whole seconds; a write inside the grain leaves the
    signature as it was ("racily clean", as git calls it).
    """
    return settled_ns(signature) <= observed_ns


def settled_ns(signature: StatSignature) -> int:
    """From when on (Unix nanoseconds) a file read with this signature is settled."""
    grain_ns = COARSE_CLOCK_NS if signature.mtime_ns % 1_000_000_000 == 0 else FINE_CLOCK_NS
    return max(signature.mtime_ns, signature.ctime_ns) + grain_ns


def unsettled(states: Iterable[SourceState], now_ns: int) -> tuple[tuple[bytes, ...], float]:
    """What was read so soon after it was written that it must be looked at once more, and in how many seconds.

    A file stamped in the future is not waited for: the next whole refresh reads it.
    """
    recent = [
        state
        for state in states
        if not state.skipped
        and not is_settled(state.signature, state.observed_ns)
        and settled_ns(state.signature) < now_ns + COARSE_CLOCK_NS
    ]
    last_ns = max((settled_ns(state.signature) for state in recent), default=now_ns)
    return tuple(state.path for state in recent), max(last_ns - now_ns, 0) / 1e9


def work_plan(listing: Listing, known: Mapping[bytes, SourceState], same_generation: bool) -> WorkPlan:
    """Decide what to read: what is new, what moved, what was too recent to trust, everything after an upgrade.

    What could not be read is tried again each time: why it could not may have passed without a trace in its stat.
    """
    read = []
    for entry in listing.files:
        state = known.get(entry.path)
        if (
            state is None
            or not same_generation
            or state.signature != entry.signature
            or state.skipped == Reason.UNREADABLE
            or not is_settled(state.signature, state.observed_ns)
        ):
            read.append(entry)
    present = {entry.path for entry in listing.files}
    gone = tuple(path for path in known if path not in present)
    return WorkPlan(tuple(read), gone, len(listing.files) - len(read))


def is_pending(entry: FileEntry, known: Mapping[bytes, SourceState], *, same_generation: bool, now_ns: int) -> bool:
    """Of what is to be read: is it news, and not just another look at what cannot be read or settled yet?

    A file stamped in the future is read at every refresh until then, and nothing says that it changed.
    """
    state = known.get(entry.path)
    if state is None or state.signature != entry.signature:
        return True
    if state.skipped == Reason.UNREADABLE:
        return False
    return not same_generation or settled_ns(state.signature) < now_ns + COARSE_CLOCK_NS


def decides_for_others(path: bytes) -> bool:
    """Can a change of this file change which other files count, or what git says of them?"""
    return path.rpartition(b"/")[2] in _RULE_FILES or b".git" in path.split(b"/")
