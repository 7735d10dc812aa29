"""Pauses of agents for a person: raise one, list them, and say in answers what an open one needs to be decided.

An open uncertainty check has the files that changed since it was raised, the bytes on disk then and now compared; every
pause has a verdict of this moment for the files that it is about. Nothing of a pause's own text is repeated in an
answer's notes.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from helix_core.engine.memory.trail import shown_pointer
from helix_core.engine.opened import WorkspaceSession, heals_index
from helix_core.engine.requests import NO_OVERLAYS, go_on
from helix_core.errors import StoreError, UsageError
from helix_core.model import Judged, KeptPause, PauseFilter, PauseType, Pointer, Status, TaskType
from helix_core.printable import count
from helix_core.workspace import checked, source_id_of

if TYPE_CHECKING:
    from helix_core.memory import PauseInput, PausePlace

EMITTED_SCHEMA, RECENT_SCHEMA = "helix.hitl/1", "helix.hitlRecent/1"
MOST_OPEN, MOST_LOOKED_AT = 4, 200
"""Open pauses that an answer has, and those that it chooses them from."""
MOST_CHANGED, MOST_NOTED = 50, 5
"""Changed files of a pause that are listed, and files that a note names."""
LAST_SHOWN = 1_000_000_000
_WORDS = {
    PauseType.PERMISSION_REQUEST: "a request for permission",
    PauseType.UNCERTAINTY_CHECK: "an uncertainty check",
    PauseType.ROLLBACK_CONFIRM: "a rollback to confirm",
    PauseType.OTHER: "a pause",
}
_DECIDED_BY_FILES = frozenset({PauseType.UNCERTAINTY_CHECK, PauseType.ROLLBACK_CONFIRM})
Show = Callable[[str, int, int], dict[str, Any]]


class WorkspacePauses:
    """The pauses of one open workspace. ``show`` returns the ``helix.open/1`` object of lines of a file."""

    def __init__(self, session: WorkspaceSession, show: Show) -> None:
        self.session = session
        self._show = show

    @heals_index()
    def emit(self, given: PauseInput) -> dict[str, Any]:
        """Keep a pause: the ``helix.hitl/1`` object with its ``event_id`` and the files that it is about.

        Raises UsageError for an invalid one, and for ``resolves`` that names no open pause; StoreError.
        """
        from helix_core.memory import files_snapshot
        from helix_core.secrets import quoted

        asked = given.places()
        at, place, file = time.time(), self.session.place, self.session.memory_file
        if given.resolves and not file.read(lambda memory: memory.pauses.is_open(place, event_id=given.resolves)):
            raise UsageError(
                f"{quoted(given.resolves, 80)} is not an open pause of this workspace; helix_hitl_recent lists them"
            )
        files, missing = self._pinned(asked, given.named_places())
        is_asked = given.pause_type is PauseType.UNCERTAINTY_CHECK and not given.resolved_without_operator
        snapshot = files_snapshot(self.session.files_now()) if is_asked else b""
        pause = given.kept(secrets.token_hex(8), place, files, snapshot, at)
        file.write(lambda memory: memory.pauses.add(pause, given.resolves))
        notes = [f"not cited, as no file of that name is indexed here: {', '.join(missing)}"] if missing else []
        if is_asked and not snapshot:
            notes.append("this workspace has too many files to say later what changed since")
        return {
            "schema": EMITTED_SCHEMA,
            "event_id": pause.event_id,
            "ok": True,
            "files": [_place(each) for each in files],
            "notes": notes,
        }

    @heals_index()
    def recent(self, wanted: PauseFilter) -> dict[str, Any]:
        """Return the ``helix.hitlRecent/1`` object: the pauses that fit, newest first. Raises StoreError."""
        from helix_core.memory import session_name

        names = (str(session_name(wanted.participant)), str(session_name(wanted.party)))
        asked = PauseFilter(wanted.pause_type, *names, wanted.since, wanted.is_open, wanted.limit)
        place, now = self.session.place, time.time()
        kept = self.session.memory_file.read(lambda memory: memory.pauses.listed(place, asked)) or []
        if wanted.is_open:
            kept = [one for one in kept if _is_open(one, now)]
        return {"schema": RECENT_SCHEMA, "events": self._shown(kept, now)}

    def of_answer(self) -> list[dict[str, Any]]:
        """Return the open pauses, at most four, with what an answer says of each; empty where none is open.

        First those that an answer can help to decide, then the newest; the last one says how many are left out. A
        memory that cannot be read costs an answer nothing but this: a note says why.
        """
        place, now = self.session.place, time.time()
        wanted = PauseFilter(is_open=True, since=_open_since(now), limit=MOST_LOOKED_AT)
        try:
            kept = self.session.memory_file.read(lambda memory: memory.pauses.listed(place, wanted))
        except StoreError as error:
            self.session.memory_problem = str(error)
            return []
        chosen = sorted(kept or (), key=lambda one: one.pause_type not in _DECIDED_BY_FILES)
        shown = self._shown(chosen[:MOST_OPEN], now)
        if left := len(chosen) - len(shown):
            shown[-1]["left_out"] = left
        return shown

    def _pinned(
        self, asked: Sequence[PausePlace], named: Iterable[PausePlace]
    ) -> tuple[tuple[Pointer, ...], list[str]]:
        """Return pointers at the files of these places, as they are now, and those ``asked`` for that are not here."""
        from helix_core.memory import MOST_PAUSE_FILES, kept_path

        found: dict[bytes, Pointer] = {}
        missing = []
        for number, (name, first, last) in enumerate(chain(asked, named)):
            try:
                path = checked(name)
                if kept_path(path) is None or self.session.index.reader.files.source(path) is None:
                    raise UsageError(name)
                shown = self._show(source_id_of(path), first or 1, last if first else LAST_SHOWN)
            except UsageError:
                missing += [name] if number < len(asked) else []
                continue
            if shown["gene_id"]:
                found.setdefault(path, shown_pointer(self.session, shown))
            if len(found) == MOST_PAUSE_FILES:
                break
        return tuple(found.values()), missing

    def _shown(self, pauses: Sequence[KeptPause], now: float) -> list[dict[str, Any]]:
        """Return pauses as answers have them."""
        is_asked = any(one.snapshot and _is_open(one, now) for one in pauses)
        files = self.session.files_now() if is_asked else []
        return [_event(one, now) | self._now(one, now, files) for one in pauses]

    def _now(self, one: KeptPause, now: float, files: Collection[tuple[bytes, str]]) -> dict[str, Any]:
        """Return the verdicts of this moment of the files of a pause, and what changed since an open check."""
        current: dict[str, Any] = {"files": self._judged(one.files)}
        if one.snapshot and _is_open(one, now):
            from helix_core.memory import changed_since

            changed = changed_since(one.snapshot, files)
            current["changed"] = [
                {"source_id": source_id_of(each.path), "change": each.change} for each in changed[:MOST_CHANGED]
            ]
            current["changed_total"] = len(changed)
        return current

    def _judged(self, files: Sequence[Pointer]) -> list[dict[str, Any]]:
        if not files:
            return []
        from helix_core.engine.verdict import Judgement

        weigher = self.session.weigher(NO_OVERLAYS, go_on, mends=False)
        judged, _ = Judgement(self.session.index.reader, weigher).of(files, TaskType.OPS, 1.0)
        return [
            _place(one.pointer)
            | ({"start_line": one.start_line, "end_line": one.end_line} if _is_there(one) else {})
            | {"status": one.verdict.status.value, "reason": one.verdict.reason.value}
            | ({"detail": one.verdict.detail} if one.verdict.detail else {})
            for one in judged
        ]


def pause_notes(events: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return a note for each open pause of an answer: how long it is open, what changed since, and its files."""
    return tuple(_note(one) for one in events)


def _note(one: dict[str, Any]) -> str:
    sentence = f"{_WORDS[PauseType(one['pause_type'])]} ({one['event_id']}) is open for {round(one['age_s'] / 60)} min"
    if "changed_total" in one:
        names = ", ".join(each["source_id"] for each in one["changed"][:MOST_NOTED])
        more = one["changed_total"] - MOST_NOTED
        total = one["changed_total"]
        since = f"{count(total, 'file')} changed since: {names}" if total else "no file changed since"
        sentence += f"; {since}{f' and {more} more' if more > 0 else ''}"
    if one["files"]:
        sentence += f"; it is about {', '.join(map(_marked, one['files']))}"
    if "left_out" in one:
        left = one["left_out"]
        sentence += f"; {count(left, 'more pause')} {'is' if left == 1 else 'are'} open, see helix_hitl_recent"
    return sentence


def _marked(one: dict[str, Any]) -> str:
    why = "" if one["status"] == Status.VERIFIED else f": {one['reason']}"
    return f"{one['source_id']}:{one['start_line']}-{one['end_line']} [{one['status']}{why}]"


def _is_there(one: Judged) -> bool:
    return one.verdict.status is not Status.NEEDS_REFRESH and one.start_line > 0


def _place(one: Pointer) -> dict[str, Any]:
    return {
        "source_id": one.source_id,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "content_hash": one.content_hash,
    }


def _open_since(now: float) -> float:
    from helix_core.memory import OPEN_S

    return now - OPEN_S


def _is_open(one: KeptPause, now: float) -> bool:
    return one.resolved_at is None and one.at >= _open_since(now)


def _event(one: KeptPause, now: float) -> dict[str, Any]:
    about = json.loads(one.about)
    return {
        "event_id": one.event_id,
        "pause_type": one.pause_type.value,
        "at": one.at,
        "age_s": round(max(now - one.at, 0.0), 1),
        "is_open": _is_open(one, now),
        "participant_id": one.participant,
        "party_id": one.party,
        "session_id": one.session,
        "task_context": one.task_context,
        "resolved_without_operator": one.resolved_without_operator,
        "chat_signals": json.loads(one.signals),
        "genome_snapshot": about.get("genome_snapshot", {}),
        "metadata": about.get("metadata", {}),
    }
