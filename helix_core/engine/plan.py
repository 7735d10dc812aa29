"""Decide what a refresh must read. Pure: a listing of the disk and what the index knows, in; paths, out."""

from __future__ import annotations

from collections.abc import Mapping
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
    grain_ns = COARSE_CLOCK_NS if signature.mtime_ns % 1_000_000_000 == 0 else FINE_CLOCK_NS
    return max(signature.mtime_ns, signature.ctime_ns) + grain_ns <= observed_ns


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


def is_pending(entry: FileEntry, known: Mapping[bytes, SourceState]) -> bool:
    """Of what is to be read: is it news, and not just another try at what could not be read before?"""
    state = known.get(entry.path)
    return state is None or state.signature != entry.signature or state.skipped != Reason.UNREADABLE


def decides_for_others(path: bytes) -> bool:
    """Can a change of this file change which other files count, or what git says of them?"""
    return path.rpartition(b"/")[2] in _RULE_FILES or b".git" in path.split(b"/")
