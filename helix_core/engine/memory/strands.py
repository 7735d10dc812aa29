"""Memories leave in a strand's records and come in from them: everything is checked first, then one transaction.

Texts are masked again on their way in. Opens no ``.dna`` file and knows no key: that is the caller's.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from helix_core.engine.memory.remembering import LONGEST_TEXT, actor_of, found_by
from helix_core.engine.opened import WorkspaceSession
from helix_core.errors import DamagedStrandError, MemoryStoreError, TamperedStrandError, UsageError
from helix_core.memory import comparison_keys, is_clash, is_contradiction, statement, template_key, text_key
from helix_core.model import (
    CONFLICTS,
    GLOBAL_SCOPE,
    SUPERSEDES,
    USABLE,
    Attribution,
    MemoryEvidence,
    MemoryFact,
    MemoryLink,
    MemoryOp,
    MemoryOrigin,
    Slot,
    memory_id,
    record_hash,
)
from helix_core.printable import count
from helix_core.secrets import mask, quoted
from helix_core.store import CarriedRecord, ForeignMemories, Memory, written_args
from helix_core.strand import (
    FORMAT,
    NEWEST_SCHEMA,
    ClashPolicy,
    ItemStatus,
    OpenedStrand,
    RandomBytes,
    StrandRecord,
    accepted_after_all,
    altered,
    altered_error,
    clashes,
    content_root,
    difference,
    item_changes,
    owner_of,
    purged_ids,
    quarantined,
    record_of,
    signer_text,
    statuses,
    union,
)
from helix_core.workspace import DiskError, path_of

MANIFEST_SCHEMA = "helix.strandManifest/1"
ALL_WORKSPACES = "all"
"""In place of a folder: every workspace that the memory knows."""
PRIVATE_KINDS = frozenset({"identity"})
"""Kinds that are never shared."""
KNOWN_TYPES = frozenset({"memory", "evidence", "link", "op"})
MOST_CARRIED, MOST_CARRIED_BYTES = 100_000, 64 << 20
"""Records that are kept for a newer Helix, at most."""
WRITING = frozenset({"remember", "propose"})
MOST_LAMPORT = 2**48
_HANDLE = re.compile(r"m_[a-z2-7]{8}")
_SCOPE = re.compile(r"global|w_[0-9a-f]{16}")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,31}")


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to do with an opened strand. An untrusted one comes in for review, memory by memory.

    ``assumed`` are records that a dry run takes as present, too: those of strands that would come in before. ``label``
    is the user's name for the signer, empty for none; ``is_own`` says that the user signed it.
    """

    strand: OpenedStrand
    is_trusted: bool
    policy: ClashPolicy
    dry_run: bool = False
    assumed: Sequence[StrandRecord] = ()
    label: str = ""
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class StrandSelection:
    """Records that leave, and whose memories they are, by the key of each workspace.

    ``paths`` has the folder of a key, where one is known here; ``left_out`` counts the memories of the workspaces that
    were not chosen.
    """

    records: tuple[StrandRecord, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    paths: Mapping[str, str]

    def to_wire(self) -> dict[str, Any]:
        """Return the members ``workspaces``, ``about_all`` and ``left_out`` of an export's answer."""
        of = {key: number for key, number in self.counts.items() if key != GLOBAL_SCOPE}
        return {
            "workspaces": [
                {"path": self.paths.get(key), "key": key, "memories": number} for key, number in sorted(of.items())
            ],
            "about_all": self.counts.get(GLOBAL_SCOPE, 0),
            "left_out": {"memories": sum(self.left_out.values()), "workspaces": len(self.left_out)},
        }


class MemoryStrands:
    """The memory of one open workspace as records of a strand."""

    def __init__(self, session: WorkspaceSession, by: Attribution) -> None:
        self._session, self._by = session, by

    def exported(self, *, is_shared: bool = False, scope: str = "") -> tuple[StrandRecord, ...]:
        """Return all memories of the file, or with ``is_shared`` those of this workspace that are for others.

        Others get what is in force, nothing private, nothing that looks like a secret by the rules of today, and no
        trace of anything else. With the ``scope`` workspace or global they get what is of that scope alone.
        """
        found = self._session.memory_file.read(
            lambda memory: self._shared(memory, scope) if is_shared else _records(memory.transfer.records())
        )
        return union(found or ())

    def selected(self, workspaces: Sequence[str] = (), *, is_shared: bool = False, scope: str = "") -> StrandSelection:
        """Return what leaves of these workspaces and of all of them at once, with whose memories it is.

        ``workspaces`` are absolute paths of folders, or keys of workspaces that no folder here has; ``all`` takes every
        one, and none this folder's alone. With ``is_shared`` what leaves is as in ``exported``. Raises UsageError.
        """
        if workspaces and is_shared:
            raise UsageError("what is shared is of this folder; name another one with --path, not with --workspace")
        found = self._session.memory_file.read(
            lambda memory: self._selected(memory, workspaces, is_shared=is_shared, scope=scope)
        )
        if found is not None:
            return found
        self._require_known(workspaces, {})
        return StrandSelection((), {}, {}, {})

    def _selected(self, memory: Memory, workspaces: Sequence[str], *, is_shared: bool, scope: str) -> StrandSelection:
        everything = _records(memory.transfer.records())
        held = Counter(_values_of(each)["scope"] for each in everything if each.type == "memory")
        own, here = memory.items.scope(self._session.place), os.fsdecode(self._session.place)
        keys = {os.fsdecode(place): key for place, key in memory.transfer.workspaces()} | {here: own}
        chosen = {own, GLOBAL_SCOPE}
        if ALL_WORKSPACES in workspaces:
            chosen |= held.keys()
        elif workspaces:
            known = {key: key for key in held} | keys
            self._require_known(workspaces, known)
            chosen = {known[name] for name in workspaces} | {GLOBAL_SCOPE}
        records = self._shared(memory, scope) if is_shared else _of_scopes(everything, chosen)
        return StrandSelection(
            union(records),
            Counter(_values_of(each)["scope"] for each in records if each.type == "memory"),
            {key: number for key, number in held.items() if key not in chosen},
            {key: path for path, key in keys.items()},
        )

    def _require_known(self, workspaces: Sequence[str], known: Mapping[str, str]) -> None:
        """Raise UsageError for a workspace that the memory does not know."""
        here = os.fsdecode(self._session.place)
        for name in workspaces:
            if name not in known and name not in (ALL_WORKSPACES, here):
                raise UsageError(
                    f"no memories of {quoted(name, 200)} are here; "
                    f"helix strand export FILE --workspace {ALL_WORKSPACES} --dry-run lists whose are"
                )

    def manifest(self) -> dict[str, Any]:
        """Return the ``helix.strandManifest/1`` object: of what a strand of all memories would hold only counts and
        hashes. Equal roots are equal records; ``head`` is the last operation's hash in this file.
        """
        started = time.monotonic()
        records = self.exported()
        by_status = Counter(one.value for one in statuses(records).values())
        log = self._session.memory_file.read(lambda memory: memory.items.log(1, ""))
        return {
            "schema": MANIFEST_SCHEMA,
            "format": FORMAT,
            "record_schema": NEWEST_SCHEMA,
            "records": dict(sorted(Counter(one.type for one in records).items())),
            "memories": dict(sorted(by_status.items())),
            "root": content_root(records).hex(),
            "head": log[0].head if log else "",
            "elapsed_ms": round((time.monotonic() - started) * 1e3, 1),
        }

    def imported(self, wanted: ImportRequest, random: RandomBytes) -> dict[str, Any]:
        """Take an opened strand's memories in, or say with ``dry_run`` what would come in.

        What an agent takes in waits for a person, whoever signed it.

        Raises:
            AlteredRecordError: A trusted strand has a record in another wording than this memory.
            TamperedStrandError: A memory is not what the operation that wrote it says.
            DamagedStrandError: A record is not as a memory's records are.
            MemoryStoreError: The memory cannot be written. In all cases nothing has changed.
        """
        file, now = self._session.memory_file, int(time.time() * 1e3)
        answer: dict[str, Any] = {}
        if self._by.agent:
            wanted = replace(wanted, is_trusted=False)

        def decide(memory: Memory) -> ForeignMemories:
            nonlocal answer
            present = _records(memory.transfer.records())
            intake = _StrandComparison(wanted, union(present, wanted.assumed), self._actor, now, random)
            key = intake.scope_to_adopt()
            adopts = bool(key) and memory.transfer.is_free(self._session.place, key) and self._is_of_here(intake, key)
            answer = intake.to_wire(key if adopts else "")
            if wanted.dry_run:
                answer["changes"] = intake.changes()
            return intake.rows(key if adopts else "")

        def take(memory: Memory) -> bool:
            return memory.transfer.take(lambda: decide(memory), self._session.place, self._actor, now)

        if wanted.dry_run:
            if file.read(decide) is None:
                intake = _StrandComparison(wanted, wanted.assumed, self._actor, now, random)
                answer = intake.to_wire("") | {"changes": intake.changes()}
        else:
            answer["overwritten"] = file.write(take)
        return answer | {"dry_run": wanted.dry_run}

    def _is_of_here(self, intake: _StrandComparison, key: str) -> bool:
        """Return whether memories of a scope can be this workspace's: they cite a file that is here, or none at all."""
        cited = intake.cited_paths(key)
        return not cited or any(map(self._is_here, cited))

    def _is_here(self, source_id: str) -> bool:
        try:
            self._session.root.stat(path_of(source_id))
        except DiskError:
            return False
        return True

    @property
    def _actor(self) -> str:
        return actor_of(MemoryOrigin.AGENT if self._by.agent else MemoryOrigin.USER, self._by)

    def _shared(self, memory: Memory, scope: str) -> tuple[StrandRecord, ...]:
        records = _records(memory.transfer.records())
        by_name = {"global": GLOBAL_SCOPE, "workspace": memory.items.scope(self._session.place)}
        scopes = {by_name[scope]} if scope else set(by_name.values())
        usable = {
            one.id
            for one in memory.items.by_ids([each.id for each in records if each.type == "memory"])
            if one.status in USABLE
        }
        chosen = {
            each.id
            for each in records
            if each.type == "memory"
            and each.id in usable
            and _values_of(each)["scope"] in scopes
            and _values_of(each)["kind"] not in PRIVATE_KINDS
            and not _holds_secret(_words(_fact(each)))
        }
        spoken = [_evidence(each) for each in records if each.type == "evidence" and _belongs(each, chosen)]
        chosen -= {one.item_id for one in spoken if _holds_secret(_spoken(one))}
        # What a record of an unknown type says to others nobody here can tell.
        return tuple(each for each in records if each.type in KNOWN_TYPES and _belongs(each, chosen))


class _StrandComparison:
    """One strand compared with the rows that are here. Pure but for ``random``."""

    def __init__(
        self, wanted: ImportRequest, present: Sequence[StrandRecord], actor: str, now: int, random: RandomBytes
    ) -> None:
        self._wanted, self._present, self._actor, self._now, self._random = wanted, present, actor, now, random
        sent = wanted.strand.records
        known = [record for record in sent if record.type in KNOWN_TYPES]
        self._later = [record for record in sent if record.type not in KNOWN_TYPES]
        for record in known:
            _require_fit(record)
        self._facts = {record.id: _fact(record) for record in known if record.type == "memory"}
        self._evidence = {record.id: _evidence(record) for record in known if record.type == "evidence"}
        self._lamport = _next_lamport(present)
        secret = {id_ for id_, fact in self._facts.items() if _holds_secret(_words(fact))}
        secret |= {one.item_id for one in self._evidence.values() if _holds_secret(_spoken(one))}
        handles = {_values_of(each)["handle"]: each.id for each in present if each.type == "memory"}
        taken = {id_ for id_, fact in self._facts.items() if handles.setdefault(fact.handle, id_) != id_}
        self._left_out = {"secret": secret, "handle": taken}
        self._unkept = {record.key for record in self._later if _holds_secret(_texts_in(record))}
        kept = [*known, *(record for record in self._later if record.key not in self._unkept)]
        usable = [record for record in kept if not _belongs_to_any(record, secret | taken)]
        if wanted.is_trusted:
            for record in altered(present, usable):
                raise altered_error(record)
            _require_written(self._facts, self._evidence, usable)
            accepted = accepted_after_all(union(present, usable))
            self._lamport = _next_lamport((*present, *usable))
            self.incoming: tuple[StrandRecord, ...] = (*usable, *map(self._approval, accepted))
            self._links = clashes(present, self.incoming, wanted.policy, _compared_by, _relation)
        else:
            self.incoming = quarantined(usable, [*present, *_gone(present)], self._proposal)
            self._links = ()
        self._after = union(present, self.incoming, self._links)
        self.change = difference(present, self._after)
        after = statuses(self._after)
        self._risen = sum(
            status is ItemStatus.QUARANTINED and after.get(id_, status) is not status
            for id_, status in statuses(present).items()
        )
        self._require_room(present)

    def scope_to_adopt(self) -> str:
        """Return the one workspace that the new memories are of, empty for none or several."""
        added = {record.id for record in self.change.added if record.type == "memory"}
        scopes = {self._facts[id_].scope for id_ in added} - {GLOBAL_SCOPE}
        return scopes.pop() if len(scopes) == 1 else ""

    def cited_paths(self, scope: str) -> set[str]:
        """Return the files that evidence of a scope cites."""
        return {one.path for one in self._evidence.values() if one.scope == scope and one.path}

    def rows(self, key: str) -> ForeignMemories:
        """Return what to add and to remove."""
        added = self.change.added
        return ForeignMemories(
            facts=tuple(self._facts[each.id] for each in added if each.type == "memory"),
            evidence=tuple(self._evidence[each.id] for each in added if each.type == "evidence"),
            links=tuple(_link(each) for each in added if each.type == "link"),
            ops=tuple(_op(each) for each in added if each.type == "op"),
            carried=tuple(
                CarriedRecord(each.type, each.id, owner_of(each) or "", each.line.decode())
                for each in added
                if each.type not in KNOWN_TYPES
            ),
            purged=tuple(each.id for each in self.change.removed if each.type == "memory"),
            args={
                "signer": signer_text(self._wanted.strand.signer),
                "root": self._wanted.strand.root.hex(),
                "links": [[link.src, link.rel, link.dst] for link in map(_link, self._links)],
                **({"label": self._wanted.label} if self._wanted.label else {}),
                **({"is_own": True} if self._wanted.is_own else {}),
            },
            key=key,
        )

    def to_wire(self, key: str) -> dict[str, Any]:
        """Return what comes in, as counts, and notes for what does not."""
        counts = Counter(record.type for record in self.change.added)
        memories = [record for record in self._wanted.strand.records if record.type == "memory"]
        added = {kind: counts[kind] for kind in sorted(KNOWN_TYPES)}
        added["other"] = counts.total() - sum(added.values())
        notes = []
        here = {record.key for record in self._after}
        for kind in sorted({record.type for record in self._later}):
            sent = {record.key for record in self._later if record.type == kind}
            if counts[kind]:
                notes.append(
                    f"kept as it is, for a Helix that knows the type {kind!a}: {count(counts[kind], 'record')}; it "
                    "leaves with the memories, and this Helix shows nothing of it"
                )
            if secret := sent & self._unkept:
                notes.append(f"left out for what looks like a secret: {count(len(secret), 'record')} of type {kind!a}")
            if alone := sent - self._unkept - here:
                notes.append(
                    f"left out, as their memory did not come in: {count(len(alone), 'record')} of type {kind!a}"
                )
        if held := self._left_out["secret"]:
            notes.append(f"left out for what looks like a secret: {count(len(held), 'memory', 'memories')}")
        if held := self._left_out["handle"]:
            notes.append(f"left out for a handle of another memory: {count(len(held), 'memory', 'memories')}")
        if self._risen:
            risen = count(self._risen, "memory", "memories")
            notes.append(f"no longer waits for review, as its signer is believed: {risen}")
        if contested := sum(_link(each).rel == CONFLICTS for each in self._links):
            pairs = count(contested, "pair", "pairs")
            notes.append(f"contested, as both cannot be so: {pairs} of memories; see helix review")
        if key:
            notes.append("the memories of its workspace are now those of this one")
        return {
            "added": added,
            "known": len(memories) - counts["memory"],
            "removed": sum(record.type == "memory" for record in self.change.removed),
            "decided": sum(_link(each).rel == SUPERSEDES for each in self._links),
            "waits_for_review": 0 if self._wanted.is_trusted else counts["memory"],
            "notes": notes,
        }

    def changes(self) -> list[dict[str, Any]]:
        """Return each memory that comes in, goes, or gets another status: what a dry run shows."""
        found = []
        for each in item_changes(self._present, self._after):
            fields = _values_of(each.record)
            statuses = {"before": each.before, "after": each.after}
            shown = {name: status.value if status else None for name, status in statuses.items()}
            # The text may be older than a rule for secrets.
            text = mask(fields["text"].encode()).text()
            found.append({"id": fields["handle"], "kind": fields["kind"], "text": text, **shown})
        return found

    def _require_room(self, present: Sequence[StrandRecord]) -> None:
        """Raise MemoryStoreError where the file would keep too much that this Helix does not know."""
        sizes = [len(each.line) for each in (*present, *self.change.added) if each.type not in KNOWN_TYPES]
        if len(sizes) > MOST_CARRIED or sum(sizes) > MOST_CARRIED_BYTES:
            raise MemoryStoreError(
                f"nothing comes in: with this strand the memory would keep {len(sizes):,} records, "
                f"{sum(sizes) >> 20} MiB, of types that this Helix does not know; upgrade Helix first"
            )

    def _proposal(self, record: StrandRecord) -> StrandRecord:
        """Return the operation that puts an untrusted memory into review."""
        about = [one for one in self._evidence.values() if one.item_id == record.id]
        return self._operation("propose", record, written_args(self._facts[record.id], about, ()))

    def _approval(self, record: StrandRecord) -> StrandRecord:
        """Return the operation that puts a memory in force which waits, though who is believed has accepted it."""
        return self._operation("approve", record, {})

    def _operation(self, kind: str, record: StrandRecord, args: Mapping[str, Any]) -> StrandRecord:
        fields = {
            "lamport": self._lamport,
            "actor": self._actor,
            "kind": kind,
            "item_id": record.id,
            "args": args,
            "at": self._now,
        }
        return record_of({"type": "op", "id": memory_id(self._now, self._random(10)), "fields": fields})


def _records(rows: Iterable[Mapping[str, Any]]) -> tuple[StrandRecord, ...]:
    return tuple(record_of(row) for row in rows)


def _of_scopes(records: Sequence[StrandRecord], scopes: Collection[str]) -> tuple[StrandRecord, ...]:
    """Return the memories of some scopes with all that is about them; and every purge, which says no word of what."""
    memories = {each.id for each in records if each.type == "memory"}
    others = {each.id for each in records if each.type == "memory" and _values_of(each)["scope"] not in scopes}
    chosen = memories - others
    gone = purged_ids(records)

    def stays(record: StrandRecord) -> bool:
        if record.type == "link":
            fields = _values_of(record)
            return bool({fields["src"], fields["dst"]} & chosen) and not {fields["src"], fields["dst"]} & others
        if record.type not in KNOWN_TYPES and owner_of(record) not in memories:
            return not others
        return _belongs(record, chosen | gone) or (
            record.type == "op" and not _values_of(record)["item_id"] and not others
        )

    return tuple(filter(stays, records))


def _gone(present: Iterable[StrandRecord]) -> list[StrandRecord]:
    """Return placeholders for what was purged: an untrusted strand does not even propose it."""
    return [record_of({"type": "memory", "id": id_}) for id_ in purged_ids(present)]


def _values_of(record: StrandRecord) -> Mapping[str, Any]:
    fields = record.fields().get("fields")
    if not isinstance(fields, dict):
        raise _unfit(record, "has no fields")
    return fields


def _next_lamport(records: Iterable[StrandRecord]) -> int:
    """Return the Lamport time after that of every operation of some records."""
    return 1 + max((_values_of(each)["lamport"] for each in records if each.type == "op"), default=0)


def _compared_by(fields: Mapping[str, Any]) -> Iterator[Hashable]:
    """Yield what a memory may clash by, or contradict another one: its words, and what it states a value of."""
    for key in comparison_keys(fields["text"]):
        yield fields["scope"], *key
    if fields["subject"]:
        yield fields["scope"], fields["subject"], fields["attribute"]


def _relation(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    if is_clash(one["text"], other["text"]):
        return SUPERSEDES
    return CONFLICTS if is_contradiction(one["text"], other["text"]) else ""


def _belongs(record: StrandRecord, chosen: Collection[str]) -> bool:
    """Return whether a record is one of the chosen memories, or about those alone."""
    if record.type == "memory":
        return record.id in chosen
    if record.type == "link":
        fields = _values_of(record)
        return fields["src"] in chosen and fields["dst"] in chosen
    return owner_of(record) in chosen


def _belongs_to_any(record: StrandRecord, ids: Collection[str]) -> bool:
    if not ids:
        return False
    owner = record.id if record.type == "memory" else owner_of(record)
    return owner in ids and (record.type != "op" or _values_of(record).get("kind") != "purge")


def _fact(record: StrandRecord) -> MemoryFact:
    fields = _values_of(record)
    texts = {"handle", "kind", "scope", "text", "origin", "salt", "subject", "attribute", "value"}
    numbers = {"importance", "confidence", "valid_from"}
    if fields.keys() != texts | numbers | {"valid_to"}:
        raise _unfit(record, "has other fields than a memory")
    _require_kinds(record, fields, texts, numbers)
    ends = fields["valid_to"]
    shapes = ((_HANDLE, "handle"), (_SCOPE, "scope"), (_WORD, "kind"))
    is_fit = all(shape.fullmatch(fields[name]) for shape, name in shapes) and fields["origin"] in list(MemoryOrigin)
    is_fit = is_fit and 0 < len(fields["text"]) <= LONGEST_TEXT and (ends is None or type(ends) is int)
    if not is_fit or max(fields["importance"], fields["confidence"]) > 100:
        raise _unfit(record, "has a value out of its bounds")
    masked = mask(fields["text"].encode())
    clean = masked.clean
    text = clean(fields["text"])
    return MemoryFact(
        id=record.id,
        handle=fields["handle"],
        kind=fields["kind"],
        scope=fields["scope"],
        text=text,
        slot=Slot(clean(fields["subject"]), clean(fields["attribute"]), clean(fields["value"])),
        origin=MemoryOrigin(fields["origin"]),
        importance=fields["importance"],
        confidence=fields["confidence"],
        valid_from=fields["valid_from"],
        valid_to=ends,
        salt=fields["salt"],
        text_key=text_key(text),
        template_key=template_key(text),
        extra=clean(found_by(text, statement(text).choice, fields["subject"])),
    )


def _evidence(record: StrandRecord) -> MemoryEvidence:
    fields = _values_of(record)
    numbers = {"at", "start_line", "end_line"}
    names = {each for each in MemoryEvidence.__dataclass_fields__ if each != "id"}
    if fields.keys() != names:
        raise _unfit(record, "has other fields than evidence")
    _require_kinds(record, fields, names - numbers, numbers)
    return MemoryEvidence(id=record.id, **fields)


def _require_fit(record: StrandRecord) -> None:
    """Raise DamagedStrandError for a link or an operation of another shape; memories and evidence are read anyway."""
    if record.type == "link":
        _link(record)
    elif record.type == "op":
        _op(record)


def _link(record: StrandRecord) -> MemoryLink:
    fields = _values_of(record)
    if fields.keys() != {"src", "rel", "dst"}:
        raise _unfit(record, "has other fields than a link")
    _require_kinds(record, fields, fields, ())
    if record.id != "/".join((fields["src"], fields["rel"], fields["dst"])):
        raise _unfit(record, "is not a link")
    return MemoryLink(fields["src"], fields["rel"], fields["dst"])


def _op(record: StrandRecord) -> MemoryOp:
    fields = _values_of(record)
    if fields.keys() != {"lamport", "actor", "kind", "item_id", "args", "at"} or not isinstance(fields["args"], dict):
        raise _unfit(record, "has other fields than an operation")
    _require_kinds(record, fields, {"actor", "kind", "item_id"}, {"lamport", "at"})
    if fields["lamport"] > MOST_LAMPORT:
        raise _unfit(record, "has a time that leaves none after it")
    return MemoryOp(0, record.id, prev="", head="", **fields)


def _require_kinds(
    record: StrandRecord, fields: Mapping[str, Any], texts: Iterable[str], numbers: Iterable[str]
) -> None:
    if not all(isinstance(fields[name], str) for name in texts):
        raise _unfit(record, "has a field that is not text")
    if not all(type(fields[name]) is int and fields[name] >= 0 for name in numbers):
        raise _unfit(record, "has a field that is not a number")


def _require_written(
    facts: Mapping[str, MemoryFact], evidence: Mapping[str, MemoryEvidence], records: Iterable[StrandRecord]
) -> None:
    """Compare each memory and its evidence with the operations that wrote them. Raises TamperedStrandError."""
    wrote: dict[str, str] = {}
    known: set[str] = set()
    kept = set()
    for record in records:
        if record.type == "op":
            op = _op(record)
            known |= set(map(str, op.args.get("evidence", ())))
            if op.kind in WRITING:
                wrote[op.item_id] = str(op.args.get("memory"))
        kept.add(record.key)
    for id_, fact in facts.items():
        if ("memory", id_) in kept and wrote.get(id_) != record_hash(fact.record()):
            raise TamperedStrandError(f"the strand is refused: memory {id_[:60]!r} is not what its log says")
    for id_, one in evidence.items():
        if ("evidence", id_) in kept and record_hash(one.record()) not in known:
            raise TamperedStrandError(f"the strand is refused: evidence {id_[:60]!r} is not what its log says")


def _words(fact: MemoryFact) -> tuple[str, ...]:
    slot = fact.slot
    return fact.text, slot.subject, slot.attribute, slot.value, f"{slot.subject} {slot.attribute}: {slot.value}"


def _spoken(one: MemoryEvidence) -> tuple[str, ...]:
    return one.text, one.path, one.symbol, one.session, one.actor, one.extractor


def _texts_in(record: StrandRecord) -> Iterator[str]:
    """Yield every text and name of a record, and each text after its name; but for its type and its id."""
    pending = [("", {name: value for name, value in record.fields().items() if name not in ("type", "id")})]
    while pending:
        name, value = pending.pop()
        if isinstance(value, dict):
            yield from value
            pending += value.items()
        elif isinstance(value, list):
            pending += [(name, inner) for inner in value]
        elif isinstance(value, str):
            yield value
            yield f"{name}: {value}"


def _holds_secret(texts: Iterable[str]) -> bool:
    data = "\n\n".join(filter(None, texts)).encode()
    return mask(data).data != data


def _unfit(record: StrandRecord, why: str) -> DamagedStrandError:
    message = f"{record.type} {record.id[:60]!r} {why}"
    return DamagedStrandError(
        f"the strand is refused: {message}; have whoever made it export it with helix strand export"
    )
