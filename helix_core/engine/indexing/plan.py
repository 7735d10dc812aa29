"""Decide what a refresh must read. Pure: a listing of the disk and what the index knows, in; paths, out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from helix_core.config import WORKSPACE_FILE
from helix_core.model import FileEntry, Listing, Reason, SetAside, SourceState, StatSignature

FIRST_RETRY_S, RETRY_FACTOR, LONGEST_RETRY_S = 60.0, 5.0, 86_400.0
"""What was set aside is tried again after a minute, 5, 25, 2 hours, 10, and then once a day."""
MOST_RETRIES = 8
"""A whole refresh tries so many again, those that waited longest: they may cost a worker each."""
FINE_CLOCK_NS = 50_000_000
COARSE_CLOCK_NS = 2_000_000_000
_SETTINGS_FILE = WORKSPACE_FILE.encode()
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


def retry_at(one: SetAside, limits: str) -> float:
    """When a file that was set aside is tried again, in Unix seconds: at once under other ``limits``."""
    if not one.attempts or one.limits != limits:
        return 0.0
    return one.tried_at + min(FIRST_RETRY_S * RETRY_FACTOR ** min(one.attempts - 1, 16), LONGEST_RETRY_S)


def first_retry_at(set_aside: Sequence[SetAside]) -> float:
    """When the first of them is due, in Unix seconds; 0 for at once, and where there is none."""
    if not set_aside:
        return 0.0
    # The pool brings the parsers along.
    from helix_core.ingest import Limits

    limits = Limits().version
    return min(retry_at(one, limits) for one in set_aside)


def due_again(set_aside: Iterable[SetAside], limits: str, now: float) -> frozenset[bytes]:
    """Which files that were set aside a whole refresh tries again now; a try in the future means a clock set back."""
    due = [one for one in set_aside if retry_at(one, limits) <= now or one.tried_at > now]
    return frozenset(one.path for one in sorted(due, key=lambda one: one.tried_at)[:MOST_RETRIES])


def work_plan(
    listing: Listing,
    known: Mapping[bytes, SourceState],
    same_generation: bool,
    again: Collection[bytes] = frozenset(),
) -> WorkPlan:
    """Decide what to read: what is new, what moved, what was too recent to trust, everything after an upgrade.

    What could not be read is tried again each time: why it could not may have passed without a trace in its stat.
    ``again`` are files set aside that are tried again; they come last, behind what has never broken anything.
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
    if again:
        read = [entry for entry in read if entry.path not in again]
        read += [entry for entry in listing.files if entry.path in again]
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


def is_rule_file(path: bytes) -> bool:
    """Can a change of this file change which other files count, or what git says of them?"""
    return path == _SETTINGS_FILE or path.rpartition(b"/")[2] in _RULE_FILES or b".git" in path.split(b"/")
