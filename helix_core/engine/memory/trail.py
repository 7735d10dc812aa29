"""The trail of one workspace: record the places that were opened, and answer "where was I?" with verdicts of now.

Recording is off until the user's own settings switch it on. An entry is a path, lines, a symbol and hashes; a file that
does not count, or whose path looks like a secret, is never recorded.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from helix_core.engine.opened import NEVER_INDEX, WorkspaceSession, heals_index
from helix_core.engine.requests import NO_OVERLAYS, go_on
from helix_core.errors import StoreError, StrandError, TrailError, TrailStoreError, UsageError
from helix_core.model import NOTE_SCHEME, Judged, LastCommit, LineSpan, Overlays, Pointer, Reason, Status, TaskType
from helix_core.printable import count, safe_name
from helix_core.store import TrailChange
from helix_core.workspace import checked, path_of, source_id_of

if TYPE_CHECKING:
    from helix_core.phase import Look, Trail, TrailLog, TrailVersion
    from helix_core.strand import Key, Lock, RandomBytes, StrandKeys

TRAIL_SCHEMA = "helix.trail/1"
DISMISSED = "dismissed "
"""What a flag that hides a finding begins with: the code of the finding and the hash of its text follow."""
ENTRY_RECORD, FLAG_RECORD = "trail_entry", "trail_flag"
"""Types of the records of a sealed trail."""
MOST_MOMENTS = 3
MOMENT_LOOKS = 8
"""Looks up to a moment whose places are shown with it."""
MOMENT_PLACES = 5
TOPIC_ENTRIES = 256
"""Newest entries of which the present topic, and what comes next, are read: a question waits for it."""
MOST_NAMED = 3
"""Flags of an import that are named; the others are counted."""
MOST_EXPECTED = 16
"""Files that a long refresh reads first."""
NOT_RECORDING = "nothing is recorded: set trail.record = true in your own settings"


class WorkspaceTrail:
    """The trail of the session's workspace; its file is next to the index."""

    def __init__(self, session: WorkspaceSession) -> None:
        self.session = session
        self._file = session.trail_file

    def note(self, shown: Mapping[str, Any], at: float, kind: str = "open") -> bool:
        """Record the lines of a ``helix.open/1`` object at ``at`` (Unix seconds); return whether they were.

        A trail that cannot be written costs nothing but this: the next answer says why.
        """
        source_id = shown["source_id"]
        if not self.session.records_trail or source_id.startswith(NOTE_SCHEME) or not shown["gene_id"]:
            return False
        from helix_core.phase import MOST_EVENTS, Look, entry_of, entry_text, next_step

        try:
            if not self._may_record(source_id):
                return False

            seen = shown_pointer(self.session, shown)

            def make(newest: int, last: str | None) -> tuple[int, str]:
                step, parent = next_step(newest, None if last is None else entry_of(last))
                hashes, lines = (seen.gene_id, seen.content_hash), (seen.start_line, seen.end_line)
                return step, entry_text(Look(step, parent, source_id, seen.symbol, kind, 1, *hashes, *lines, at))

            self._file.append(make, MOST_EVENTS)
        except (StoreError, TrailError) as error:
            self.session.memory_problem = str(error)
            return False
        return True

    @heals_index()
    def where(self, k: int = 5, overlays: Overlays = NO_OVERLAYS) -> dict[str, Any]:
        """Return the ``helix.trail/1`` object: the last ``k`` places, each once and the newest first, and past moments
        like the present one, all with verdicts of this moment; the lines of an open buffer are those in the buffer.

        Raises: TrailStoreError for a trail that cannot be read.
        """
        started = time.perf_counter()
        trail = self._trail()
        last = _places(trail, reversed(trail.branch), k)
        moments = [(trail.recall_at(hit.step).look.at, hit, _around(trail, hit.step)) for hit in trail.resume()]
        looks = [*last, *(look for _, _, found in moments for look in found)]
        judged = self._judged(looks, overlays)
        notes = [*self.session.take_notices(), *self.session.doubts()]
        return {
            "schema": TRAIL_SCHEMA,
            "recording": self.session.records_trail,
            "last": _shown(last, judged),
            "moments": [
                {"at": at, "score": round(hit.score, 3), "margin": round(hit.margin, 3), "places": places}
                for at, hit, found in moments[:MOST_MOMENTS]
                if (places := _shown(found, judged))
            ],
            "velocity": round(trail.velocity(), 3),
            "steps": len(trail.steps),
            "notes": [*notes, *self._off()],
            "elapsed_ms": round((time.perf_counter() - started) * 1000, 1),
        }

    def topic_began(self) -> float:
        """Return when the present topic began (Unix seconds); 0 where no other came before it within the last looks,
        and where nothing is recorded.
        """
        if not self.session.records_trail:
            return 0.0
        try:
            trail = self._trail_of(*self._file.read(TOPIC_ENTRIES))
        except StoreError as error:
            self.session.memory_problem = str(error)
            return 0.0
        topic = trail.stretch()
        return trail.recall_at(topic[0]).look.at if len(topic) < len(trail.branch) else 0.0

    def expected(self) -> list[bytes]:
        """Return the files that the trail expects next, the likeliest first; none where there is no trail to read."""
        chances = self.chances()
        return sorted(chances, key=lambda path: (-chances[path], path))[:MOST_EXPECTED]

    def chances(self) -> dict[bytes, float]:
        """Return how likely each file is looked at next, 0 … 1; empty where there is no trail to read."""
        if not self._file.exists():
            return {}
        try:
            trail = self._trail_of(*self._file.read(TOPIC_ENTRIES))
        except StoreError as error:
            self.session.memory_problem = str(error)
            return {}
        found: dict[bytes, float] = {}
        for item, chance in trail.prior({trail.recall_at(step).look.item for step in trail.branch}).items():
            path = path_of(item.path)
            found[path] = max(chance, found.get(path, 0.0))
        return found

    def log(self) -> TrailLog:
        """Return the log. Raises: TrailStoreError for a trail that cannot be read."""
        return self._trail().log

    def history(self) -> dict[str, Any]:
        """Return the ``helix.trailLog/1`` object: versions, flags and where the trail is."""
        trail = self._trail()
        return {
            "schema": "helix.trailLog/1",
            "recording": self.session.records_trail,
            "versions": [asdict(version) for version in trail.versions],
            "flags": sorted(trail.flags),
            "steps": len(trail.steps),
            "head": trail.head,
            "digest": trail.digest(),
        }

    def commit(self, label: str, at: float, *, dry_run: bool = False) -> dict[str, Any]:
        """Mark the present state under a label, masked; return the ``helix.trailVersion/1`` object. Raises:
        UsageError.
        """
        label = _named(label)
        return self._marked(lambda trail: trail.commit(label, at), dry_run=dry_run)

    def rollback(self, number: int, at: float, *, dry_run: bool = False) -> dict[str, Any]:
        """Go back to a version, or undo a rollback; nothing is removed. Raises: TrailError for one that is not kept."""
        return self._marked(lambda trail: trail.rollback(number, at), dry_run=dry_run)

    def _marked(self, act: Callable[[Trail], TrailVersion], *, dry_run: bool) -> dict[str, Any]:
        from helix_core.phase import MOST_EVENTS, entry_text

        def marked(bodies: Sequence[str], flags: Sequence[str]) -> TrailVersion:
            try:
                return act(self._trail_of(bodies, flags))
            except ValueError as error:
                raise UsageError(str(error)) from error

        made: list[TrailVersion] = []

        def decide(bodies: list[str], flags: list[str]) -> TrailChange:
            made.append(marked(bodies, flags))
            return TrailChange([(None, entry_text(made[-1]))])

        if dry_run:
            made.append(marked(*self._file.read()))
        else:
            self._file.change(decide, MOST_EVENTS)
        return {"schema": "helix.trailVersion/1", **asdict(made[-1]), "dry_run": dry_run, "notes": self._off()}

    def _off(self) -> list[str]:
        return [] if self.session.records_trail else [NOT_RECORDING]

    def diff(self, before: int, after: int) -> dict[str, Any]:
        """Return the ``helix.trailDiff/1`` object: what was added and removed between two versions, and their
        distance, 0 … 1. Raises: TrailError for a version that is not kept.
        """
        from helix_core.phase import similarity

        trail = self._trail()
        found = trail.diff(before, after)
        # Equal phases turn by 0 everywhere.
        likeness = float(similarity(found.turn, found.turn[None] - found.turn)[0])
        return {
            "schema": "helix.trailDiff/1",
            "before": before,
            "after": after,
            "gained": [{"source_id": item.path, "symbol": item.symbol} for item in found.gained],
            "faded": [{"source_id": item.path, "symbol": item.symbol} for item in found.faded],
            "turned": round(min(1.0, max(0.0, 1.0 - likeness)), 3),
        }

    def flag(self, name: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Set a flag, its name masked, for as long as there is a trail. ``never-index PATH`` keeps a file or folder out
        of the index, ``dismissed CODE HASH`` hides a finding wherever the same text has it.

        Raises: UsageError for what is not a name or cannot be followed, TrailError for too many.
        """
        name = _flag_name(_named(name), name)
        trail = self._trail()
        is_new = name not in trail.flags
        try:
            trail.flag(name)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if not dry_run:
            self._file.set_flag(name)
        return {"schema": "helix.trailFlag/1", "flag": name, "is_new": is_new, "dry_run": dry_run, "notes": self._off()}

    def imported(self, log: TrailLog, *, dry_run: bool = False) -> dict[str, Any]:
        """Take a log in: as it is into an empty trail, else its looks by time and its flags; return what was added.

        Looks at files that do not count here are left out; those at files that are gone, and would count, are kept.
        Versions name states of one log, so that a trail with looks of its own keeps none of either; a note says so.
        Raises: TrailError, and nothing is taken in.
        """
        from helix_core.phase import MOST_EVENTS, Look, Trail, TrailLog, entry_text, merged_log

        here, gone = self._sorted_out({each.path for each in log.entries if isinstance(each, Look)})
        kept = Trail(log, (here | gone).__contains__).log
        at_gone = sum(isinstance(each, Look) and each.path in gone for each in kept.entries)
        left_out = sum(isinstance(each, Look) for each in log.entries) - sum(
            isinstance(each, Look) for each in kept.entries
        )
        before, made = 0, kept
        acting: list[str] = []

        def decide(bodies: Sequence[str], flags: Sequence[str]) -> TrailChange:
            nonlocal before, made, acting
            own = self._trail_of(bodies, flags).log
            acting = sorted(flag for flag in kept.flags - own.flags if flag.startswith((NEVER_INDEX, DISMISSED)))
            before = sum(isinstance(each, Look) for each in own.entries)
            made = merged_log(own, kept) if own.entries else TrailLog(kept.entries, own.flags | kept.flags)
            entries = [(each.step if isinstance(each, Look) else None, entry_text(each)) for each in made.entries]
            return TrailChange(entries, made.flags, replaces=True)

        if dry_run:
            decide(*self._file.read())
        else:
            self._file.change(decide, MOST_EVENTS)
        steps = sum(isinstance(each, Look) for each in made.entries)
        notes = [f"left out {count(left_out, 'look')} at what does not count here"] if left_out else []
        notes += [f"{count(at_gone, 'look')} at files that are not there now"] if at_gone else []
        if before and any(not isinstance(each, Look) for each in kept.entries):
            notes.append("versions are left out: each names a state of one trail, and these are two")
        if acting:
            # The file may be another user's: report what it changes here.
            what = f"{count(len(acting), 'flag')} of it keep files out of the index or hide findings here"
            shown = [safe_name(flag) for flag in acting[:MOST_NAMED]]
            more = [f"{len(acting) - MOST_NAMED:,} more"] if len(acting) > MOST_NAMED else []
            notes.append(f"{what}: {', '.join([*shown, *more])}; helix where --forget ends them with the trail")
        return {
            "schema": "helix.trailImported/1",
            "added": steps - before,
            "left_out": left_out,
            "gone": at_gone,
            "steps": steps,
            "flags": sorted(made.flags),
            "notes": notes,
            "dry_run": dry_run,
        }

    def forget(self) -> dict[str, Any]:
        """Remove the trail, every byte of it; return the ``helix.trailForgotten/1`` object."""
        return {"schema": "helix.trailForgotten/1", "forgotten": self._file.forget()}

    def _trail(self) -> Trail:
        return self._trail_of(*self._file.read())

    def _trail_of(self, bodies: Sequence[str], flags: Sequence[str]) -> Trail:
        from helix_core.memory import kept_path
        from helix_core.phase import Trail, TrailLog, entry_of

        try:
            log = TrailLog(tuple(entry_of(body) for body in bodies), frozenset(flags))
            return Trail(log, lambda path: kept_path(os.fsencode(path)) is not None)
        except TrailError as error:
            raise TrailStoreError(f"{error} helix where --forget removes it, and a new one begins.") from error

    def _may_record(self, source_id: str) -> bool:
        from helix_core.memory import kept_path

        path = checked(source_id)
        return kept_path(path) is not None and self.session.index.reader.files.source(path) is not None

    def _sorted_out(self, source_ids: Collection[str]) -> tuple[set[str], set[str]]:
        """Return those of the files that count here, and those that are gone and would count; all may be recorded."""
        from helix_core.memory import kept_path
        from helix_core.workspace import list_files, would_count

        session, paths = self.session, dict[bytes, str]()
        for source_id in source_ids:
            with suppress(UsageError):
                path = checked(source_id)
                if kept_path(path) is not None and source_id_of(path) == source_id:
                    paths[path] = source_id
        git, options = session.git_facts.git, session.file_options()
        gone = [path for path in paths if not os.path.lexists(os.path.join(session.place, path))]
        there = sorted(paths.keys() - set(gone))
        listed = [file.path for file in list_files(session.root, git, options, only=there).files] if there else []
        would = would_count(session.root, git, options, gone)
        return {paths[path] for path in listed if path in paths}, {paths[path] for path in would}

    def _judged(self, looks: Sequence[Look], overlays: Overlays) -> dict[Look, tuple[Judged, LastCommit | None]]:
        """Return the verdict of each look, and the last commit of its file where that came after the look."""
        from helix_core.engine.verdict import Judgement

        pointers = [
            Pointer(look.path, look.span_hash, look.symbol, look.start_line, look.end_line, look.file_hash)
            for look in looks
        ]
        weigher = self.session.weigher(overlays, go_on, mends=False)
        judged, _ = Judgement(self.session.index.reader, weigher).of(pointers, TaskType.EXPLAIN, 1.0)
        commits = weigher.facts.commits_of([*{path_of(look.path) for look in looks}])
        found = {}
        for look, now in zip(looks, judged, strict=True):
            last = commits.get(path_of(look.path))
            found[look] = now, last if last is not None and last.committed_at > look.at else None
        return found


def _named(text: str) -> str:
    """Return a label or a name as it is kept, with secrets masked. Raises: UsageError for an empty or a broken line."""
    from helix_core.secrets import mask_typed

    if not text.strip() or not text.isprintable():
        raise UsageError("a label or a name is one line of printable characters; give one")
    return mask_typed(text).text()


def _flag_name(name: str, given: str) -> str:
    """Return the name of a flag that Helix acts on in its one spelling, any other as it is. ``given`` is not masked."""
    if f"{name} ".startswith("consent "):
        raise UsageError(
            "a trail gives no consent, as it may come from somebody else; say it in your own settings: "
            "helix config --keep-chats, or trail.record = true"
        )
    if f"{name} ".startswith(NEVER_INDEX):
        if name != given:
            raise UsageError("this path looks like a secret and is not kept; write it into .helixignore")
        return NEVER_INDEX + source_id_of(checked(name[len(NEVER_INDEX) :]))
    if f"{name} ".startswith(DISMISSED) and len(name.split()) != 3:
        raise UsageError("name the code and the text_hash of a finding, as helix.hints lists them: dismissed CODE HASH")
    return name


def shown_pointer(session: WorkspaceSession, shown: Mapping[str, Any]) -> Pointer:
    """Return a pointer at the lines of a ``helix.open/1`` object, under the symbol that a later verdict compares; that
    of ``shown`` where the lines could not be followed.
    """
    from helix_core.engine.verdict import Judgement

    lines = LineSpan(shown["start_line"], shown["end_line"])
    weigher = session.weigher(NO_OVERLAYS, go_on, mends=False)
    try:
        return Judgement(session.index.reader, weigher).pinned(shown["source_id"], lines)[0]
    except UsageError:
        seen = shown["source_id"], shown["gene_id"], shown["symbol"] or "", lines.start_line, lines.end_line
        return Pointer(*seen, shown["content_hash"])


def sealed_trail(log: TrailLog, *, keys: StrandKeys, locks: Sequence[Lock], random: RandomBytes, at: float) -> bytes:
    """Return the content of a ``.hxe`` file: the log as records of a strand, signed by ``keys``, sealed for ``locks``.

    Args:
        log: The entries, oldest first.
        keys: The signer's.
        locks: What opens the file.
        random: Random bytes of a length.
        at: When it was made, in Unix seconds.

    Raises: What ``strand.seal`` raises.
    """
    from helix_core.phase import entry_text
    from helix_core.strand import NEWEST_SCHEMA, Manifest, record_of, seal

    records = [
        record_of({"type": ENTRY_RECORD, "id": f"{number:08d}", "body": entry_text(entry)})
        for number, entry in enumerate(log.entries)
    ]
    records += [
        record_of({"type": FLAG_RECORD, "id": hashlib.sha256(flag.encode("utf-8")).hexdigest(), "name": flag})
        for flag in log.flags
    ]
    with _trail_errors():
        return seal(Manifest(NEWEST_SCHEMA, int(at), ENTRY_RECORD), records, keys=keys, locks=locks, random=random)


def opened_trail(data: bytes, key: Key, trusted: Collection[bytes] | None = None) -> TrailLog:
    """Return the log of a ``.hxe`` file that ``key`` opens, signed by one of ``trusted``; None accepts any signer.

    Raises: What ``strand.open_strand`` raises, and TrailError for a strand with anything but a trail in it.
    """
    from helix_core.phase import TrailLog, checked_log, entry_of
    from helix_core.strand import NEWEST_SCHEMA, open_strand

    with _trail_errors():
        strand = open_strand(data, key, newest_schema=NEWEST_SCHEMA, trusted=trusted)
    entries, flags = [], []
    for record in strand.records:
        match record.fields():
            case {"type": str(kind), "body": str(body)} if kind == ENTRY_RECORD:
                entries.append(entry_of(body))
            case {"type": str(kind), "name": str(name)} if kind == FLAG_RECORD:
                flags.append(name)
            case _:
                raise TrailError("The file is a strand, not a trail; helix strand import takes strands in.")
    return checked_log(TrailLog(tuple(entries), frozenset(flags)))


@contextmanager
def _trail_errors() -> Iterator[None]:
    """Reword an error of a strand for a sealed trail: the envelope is the same, and the file that was named is not."""
    try:
        yield
    except (StrandError, UsageError) as error:
        message = re.sub(r"(?<!helix )\bstrand\b", "sealed trail", str(error))
        raise type(error)(message.replace(".dna", ".hxe")) from error


def _places(trail: Trail, steps: Iterable[int], most: int) -> list[Look]:
    """Return the first looks of different items, in the order of the steps."""
    found: dict[Any, Look] = {}
    for step in steps:
        look = trail.recall_at(step).look
        found.setdefault(look.item, look)
        if len(found) == most:
            break
    return [*found.values()]


def _around(trail: Trail, step: int) -> list[Look]:
    steps = trail.branch[: trail.branch.index(step) + 1][-MOMENT_LOOKS:]
    return _places(trail, reversed(steps), MOMENT_PLACES)


def _shown(looks: Sequence[Look], judged: Mapping[Look, tuple[Judged, LastCommit | None]]) -> list[dict[str, Any]]:
    """Return the places of an answer, without files that count no longer."""
    places = []
    for look in looks:
        now, commit = judged[look]
        if now.verdict.reason is Reason.IGNORED:
            continue
        seen = LineSpan(look.start_line, look.end_line)
        is_there = now.verdict.status is not Status.NEEDS_REFRESH and now.start_line
        lines = now.buffer or (LineSpan(now.start_line, now.end_line) if is_there else seen)
        places.append(
            {
                "source_id": look.path,
                "start_line": lines.start_line,
                "end_line": lines.end_line,
                "was": {"start_line": seen.start_line, "end_line": seen.end_line},
                "symbol": look.symbol or None,
                "at": look.at,
                "status": now.verdict.status.value,
                "reason": now.verdict.reason.value,
                "detail": now.verdict.detail,
                "commit": commit._asdict() if commit is not None else None,
            }
        )
    return places
