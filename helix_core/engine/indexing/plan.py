"""Decide what a refresh must read. Pure: a listing of the disk and the index's state in; paths out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from helix_core.config import WORKSPACE_FILE
from helix_core.model import FileEntry, Listing, Reason, SetAside, SourceState, StatSignature
from helix_core.tuples import NamedTuple

FIRST_RETRY_S, RETRY_FACTOR, LONGEST_RETRY_S = 60.0, 5.0, 86_400.0
"""Exponential backoff of retries of a quarantined file: after 1, 5 and 25 minutes, 2 and 10 hours, then daily."""
MOST_RETRIES = 8
"""Maximum retries in a whole refresh, longest waiting first: each may crash a worker."""
FINE_CLOCK_NS = 50_000_000
COARSE_CLOCK_NS = 2_000_000_000
_SETTINGS_FILE = WORKSPACE_FILE.encode()
_RULE_FILES = frozenset({b".gitignore", b".helixignore", b".gitmodules", b".gitattributes"})


IN_PROCESS_FILES = 24
IN_PROCESS_BYTES = 256 * 1024
MOST_GONE = 1_000
QUARANTINED = "quarantined"


class WorkPlan(NamedTuple):
    """The plan for a listing: files to read, indexed paths that are gone, and how many indexed files are unchanged."""

    read: tuple[FileEntry, ...]
    gone: tuple[bytes, ...]
    unchanged: int

    def sooner(self, paths: Sequence[bytes], last: Collection[bytes] = frozenset()) -> WorkPlan:
        """Return the plan with these files read first, in the order of ``paths``, but for those that come ``last``."""
        rank = {path: place for place, path in enumerate(paths) if path not in last}
        return self._replace(read=tuple(sorted(self.read, key=lambda entry: rank.get(entry.path, len(paths)))))

    @property
    def is_small(self) -> bool:
        """Return whether it is done in a moment, without worker processes."""
        return len(self.gone) <= MOST_GONE and fits_in_process(self.read)


def perhaps_renamed(plan: WorkPlan, known: Mapping[bytes, SourceState]) -> dict[bytes, str]:
    """Return the files that are gone and may be among those to read under another name, with their content hashes.

    Of a small plan these are all, as a renamed file may be edited, too; of a large one those of equal size.
    """
    if not plan.read:
        return {}
    sizes, is_small = {entry.signature.size_bytes for entry in plan.read}, plan.is_small
    states = ((path, known[path]) for path in plan.gone)
    return {path: state.content_hash for path, state in states if is_small or state.signature.size_bytes in sizes}


def fits_in_process(entries: Sequence[FileEntry]) -> bool:
    """Return whether so few small files are to be read that no worker process is worth its start."""
    return len(entries) <= IN_PROCESS_FILES and sum(entry.signature.size_bytes for entry in entries) <= IN_PROCESS_BYTES


def is_any_suspect(entries: Iterable[FileEntry], known: Mapping[bytes, SourceState]) -> bool:
    """Return whether a file crashed a worker before: it is never parsed in this process, which it could crash."""
    states = (known.get(entry.path) for entry in entries)
    return any(state is not None and state.skipped == QUARANTINED for state in states)


def is_settled(signature: StatSignature, observed_ns: int) -> bool:
    """Return whether the file was quiet long enough before it was read that an equal signature means equal bytes.

    File systems stamp with a few milliseconds' granularity, some with whole seconds; a write within it leaves the
    signature unchanged ("racily clean", as git calls it).
    """
    return settled_ns(signature) <= observed_ns


def settled_ns(signature: StatSignature) -> int:
    """Return the time (Unix nanoseconds) from which a file read with this signature is settled."""
    grain_ns = COARSE_CLOCK_NS if signature.mtime_ns % 1_000_000_000 == 0 else FINE_CLOCK_NS
    return max(signature.mtime_ns, signature.ctime_ns) + grain_ns


def unsettled(states: Iterable[SourceState], now_ns: int) -> tuple[tuple[bytes, ...], float]:
    """Return the files read racily, to be read once more, and in how many seconds.

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
    """Return when a quarantined file is retried, in Unix seconds (exponential backoff): at once under other
    ``limits``.
    """
    if not one.attempts or one.limits != limits:
        return 0.0
    return one.tried_at + min(FIRST_RETRY_S * RETRY_FACTOR ** min(one.attempts - 1, 16), LONGEST_RETRY_S)


def first_retry_at(set_aside: Sequence[SetAside]) -> float:
    """Return when the first of them is due, in Unix seconds; 0 for at once, and for none."""
    if not set_aside:
        return 0.0
    # The pool brings the parsers along.
    from helix_core.ingest import Limits

    limits = Limits().version
    return min(retry_at(one, limits) for one in set_aside)


def due_again(set_aside: Iterable[SetAside], limits: str, now: float) -> frozenset[bytes]:
    """Return the quarantined files that a whole refresh retries now; a try in the future means a clock set back."""
    due = [one for one in set_aside if retry_at(one, limits) <= now or one.tried_at > now]
    return frozenset(one.path for one in sorted(due, key=lambda one: one.tried_at)[:MOST_RETRIES])


def work_plan(
    listing: Listing,
    known: Mapping[bytes, SourceState],
    same_generation: bool,
    again: Collection[bytes] = frozenset(),
) -> WorkPlan:
    """Decide what to read: new and changed files, files read racily, everything after an upgrade.

    Unreadable files are retried each time: the cause may have gone without a change of their stat.

    Args:
        listing: The files that count now.
        known: The state of each file in the index.
        same_generation: The index was made by these versions of chunker and grammars.
        again: Quarantined files to retry; they come last.
    """
    read, unchanged = [], 0
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
        elif not state.skipped:
            unchanged += 1
    present = {entry.path for entry in listing.files}
    if again:
        read = [entry for entry in read if entry.path not in again]
        read += [entry for entry in listing.files if entry.path in again]
    gone = tuple(path for path in known if path not in present)
    return WorkPlan(tuple(read), gone, unchanged)


def is_pending(entry: FileEntry, known: Mapping[bytes, SourceState], *, same_generation: bool, now_ns: int) -> bool:
    """Return whether a file to read is new or changed, not merely unreadable or unsettled.

    A file stamped in the future is read at every refresh until then, although it may be unchanged.
    """
    state = known.get(entry.path)
    if state is None or state.signature != entry.signature:
        return True
    if state.skipped == Reason.UNREADABLE:
        return False
    return not same_generation or settled_ns(state.signature) < now_ns + COARSE_CLOCK_NS


def is_rule_file(path: bytes) -> bool:
    """Return whether a change of this file may affect which other files count, or what git reports about them."""
    return path == _SETTINGS_FILE or path.rpartition(b"/")[2] in _RULE_FILES or b".git" in path.split(b"/")
