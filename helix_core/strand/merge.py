"""Merge sets of records: the union of immutable records, what is in force in it, and what a merge would change.

A union needs no common ancestor: it is commutative, associative and idempotent, and a purge always wins in it. What is
in force is a pure function of the union, decided by Lamport time. Of a record it knows the members that
``docs/strand-format.md`` lists under "Merging", and nothing else. Trust is decided before: what an untrusted signer
sent comes in ``quarantined``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from helix_core.errors import AlteredRecordError, DamagedStrandError
from helix_core.strand.container import Manifest, OpenedStrand
from helix_core.strand.records import StrandRecord, ordered, record_of

MEMORY, LINK, OP = "memory", "link", "op"
SUPERSEDES = "supersedes"
PURGE = "purge"
_JUDGED = frozenset({SUPERSEDES, "refines", "conflicts_with"})
"""Relations that say how two items agree: what they link is judged already."""
_ACCEPTING = frozenset({"remember", "approve"})
_FORGETTING = {"forget": 1, "restore": 0, "confirm": 0}
_PROPOSING = {"propose": 1, "remember": 0, "approve": 0}
_ARCHIVING = {"archive": 1, "restore": 0, "confirm": 0}
"""Operations on one question, by their rank: of two at one Lamport time the higher rank decides."""


class ItemStatus(StrEnum):
    """Whether an item is in force."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"


class ClashPolicy(StrEnum):
    """Which of two items that state one thing is in force after an import; both stay in the union."""

    SKIP_EXISTING = "skip_existing"
    OVERWRITE = "overwrite"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class Difference:
    """Records that one set has and another has not."""

    added: tuple[StrandRecord, ...]
    removed: tuple[StrandRecord, ...]

    def __bool__(self) -> bool:
        """Whether the sets differ."""
        return bool(self.added or self.removed)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that is not of the same status in two sets of records; None is the status where a set has it not."""

    record: StrandRecord
    before: ItemStatus | None
    after: ItemStatus | None


def union(*sides: Iterable[StrandRecord]) -> tuple[StrandRecord, ...]:
    """Return all records of all sides, each once, sorted, without what any side purged.

    Raises:
        AlteredRecordError: Two sides have a record of one type and id in two wordings.
        DamagedStrandError: An operation is not as the format says.
    """
    found: dict[tuple[str, str], StrandRecord] = {}
    for side in sides:
        for record in side:
            known = found.setdefault(record.key, record)
            if known.line != record.line:
                raise altered_error(record)
    return ordered(_unpurged(found.values()))


def altered(present: Iterable[StrandRecord], incoming: Iterable[StrandRecord]) -> tuple[StrandRecord, ...]:
    """Return the incoming records that are present in another wording."""
    known = {record.key: record.line for record in present}
    return tuple(each for each in incoming if known.get(each.key, each.line) != each.line)


def purged_ids(records: Iterable[StrandRecord]) -> frozenset[str]:
    """Return the ids of the items that an operation of the set purges. Raises DamagedStrandError."""
    operations = (_operation(record) for record in records if record.type == OP)
    return frozenset(operation["item_id"] for operation in operations if operation["kind"] == PURGE)


def difference(before: Iterable[StrandRecord], after: Iterable[StrandRecord]) -> Difference:
    """Return what leads from one set to the other; a record in another wording is removed and added."""
    first, second = set(before), set(after)
    return Difference(_sorted(second - first), _sorted(first - second))


def item_changes(before: Collection[StrandRecord], after: Collection[StrandRecord]) -> tuple[ItemChange, ...]:
    """Return the items that only one of two sets has, or that differ in status, sorted by id.

    Raises:
        DamagedStrandError: An operation is not as the format says.
    """
    first, second = statuses(before), statuses(after)
    items = {record.id: record for record in (*before, *after) if record.type == MEMORY}
    return tuple(
        ItemChange(items[id_], first.get(id_), second.get(id_))
        for id_ in sorted(items)
        if first.get(id_) is not second.get(id_)
    )


def merged(strands: Sequence[OpenedStrand], *, now: int, label: str = "") -> tuple[Manifest, tuple[StrandRecord, ...]]:
    """Return the manifest and the records of the union of strands that are all believed; ``now`` is in Unix seconds.

    The records depend on the set of strands alone, not on their order, and neither do the parents.

    Raises:
        AlteredRecordError: Two strands have a record of one type and id in two wordings.
        DamagedStrandError: An operation is not as the format says.
    """
    roots = tuple(sorted({strand.root.hex() for strand in strands}))
    schema = max(strand.manifest.schema for strand in strands)
    return Manifest(schema, now, label, roots), union(*(strand.records for strand in strands))


def applied(change: Difference, records: Iterable[StrandRecord]) -> tuple[StrandRecord, ...]:
    """Return the set that a difference leads to."""
    return ordered((set(records) - set(change.removed)) | set(change.added))


def quarantined(
    incoming: Iterable[StrandRecord],
    present: Iterable[StrandRecord],
    proposal: Callable[[StrandRecord], StrandRecord],
) -> tuple[StrandRecord, ...]:
    """Return what may be taken of an untrusted signer's records: new items that wait for review, one by one.

    Items that are present are left out in any wording, and so is every operation: it could approve, forget or purge.
    Links and other records come along where they belong to a new item.

    Args:
        incoming: The untrusted records.
        present: The records they would join.
        proposal: Makes the operation ``propose`` for an item; until an ``approve`` nothing recalls it.
    """
    known = {record.key for record in present}
    taken = [record for record in incoming if record.key not in known and record.type != OP]
    items = {record.id for record in taken if record.type == MEMORY}
    kept = [record for record in taken if record.type == MEMORY or owner_of(record) in items]
    return ordered([*kept, *(proposal(record) for record in kept if record.type == MEMORY)])


def accepted_after_all(records: Collection[StrandRecord]) -> tuple[StrandRecord, ...]:
    """Return the items of a union that wait for review although somebody who is believed put them in force, sorted.

    An untrusted strand's proposal may have a later Lamport time than the acceptance of its signer, who is believed
    since, or of the user: which of the two came in first must not decide. Raises DamagedStrandError.
    """
    operations = (_operation(record) for record in records if record.type == OP)
    accepted = {operation["item_id"] for operation in operations if operation["kind"] in _ACCEPTING}
    waiting = {id_ for id_, status in statuses(records).items() if status is ItemStatus.QUARANTINED}
    return _sorted(each for each in records if each.type == MEMORY and each.id in accepted & waiting)


def statuses(records: Collection[StrandRecord]) -> dict[str, ItemStatus]:
    """Return the status of each item of a union, by id. Raises DamagedStrandError."""
    items = {record.id: _values_of(record) for record in records if record.type == MEMORY}
    by_item: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        if record.type == OP:
            operation = _operation(record)
            by_item.setdefault(operation["item_id"], []).append(operation)
    accepted = {
        id_
        for id_, operations in by_item.items()
        if not _decided(operations, _PROPOSING) and any(operation["kind"] in _PROPOSING for operation in operations)
    }
    gone = {
        id_
        for id_, operations in by_item.items()
        if _decided(operations, _FORGETTING) or any(operation["kind"] == PURGE for operation in operations)
    }
    links = (_values_of(record) for record in records if record.type == LINK)
    superseding = [
        (str(link.get("src")), str(link.get("dst")))
        for link in links
        if link.get("rel") == SUPERSEDES and link.get("src") in accepted and link.get("src") not in gone
    ]
    superseded = _superseded(superseding, {id_: _age(id_, item) for id_, item in items.items()})
    return {id_: _status(by_item.get(id_, []), id_ in superseded) for id_ in items}


def active(records: Collection[StrandRecord]) -> tuple[StrandRecord, ...]:
    """Return the items in force, sorted. Raises DamagedStrandError."""
    found = statuses(records)
    return _sorted(each for each in records if each.type == MEMORY and found[each.id] is ItemStatus.ACTIVE)


def clashes(
    present: Collection[StrandRecord],
    incoming: Collection[StrandRecord],
    policy: ClashPolicy,
    keys: Callable[[Mapping[str, Any]], Iterable[Hashable]],
    relation: Callable[[Mapping[str, Any], Mapping[str, Any]], str],
) -> tuple[StrandRecord, ...]:
    """Return links between items that come into force and those they do not agree with.

    An item comes into force by being new, or by what the incoming records decide about one that is present. Of two
    items of which one alone can be so the policy decides, and of two that come in together the newest; of two that
    contradict each other both stay.

    Args:
        present: The records of this store.
        incoming: The records of the other one.
        policy: ``skip_existing`` keeps what is in force, ``overwrite`` puts what comes in above it, ``newest`` what was
            valid last.
        keys: What to compare an item by, from its ``fields``: items without a key in common are not compared.
        relation: How two items relate, by their ``fields``: ``supersedes`` where one alone can be so,
            ``conflicts_with`` where they contradict each other, else an empty string.
    """
    before, joined = statuses(present), union(present, incoming)
    after = statuses(joined)
    sides: dict[Hashable, tuple[list[StrandRecord], list[StrandRecord]]] = {}
    for record in joined:
        if record.type == MEMORY and after.get(record.id) is ItemStatus.ACTIVE:
            is_coming = before.get(record.id) is not ItemStatus.ACTIVE
            for key in set(keys(_values_of(record))):
                sides.setdefault(key, ([], []))[is_coming].append(record)
    found = (_values_of(record) for record in joined if record.type == LINK)
    linked = {frozenset((each.get("src"), each.get("dst"))) for each in found if each.get("rel") in _JUDGED}
    links = set()
    for ours, theirs in sides.values():
        pairs = [(one, other, policy) for one in ours for other in theirs]
        pairs += [(one, other, ClashPolicy.NEWEST) for one, other in itertools.combinations(theirs, 2)]
        for one, other, rule in pairs:
            values, about = _values_of(one), _values_of(other)
            related = relation(values, about)
            ages = _age(one.id, values), _age(other.id, about)
            if related == SUPERSEDES:
                links.add(_decided_by(rule, *ages))
            elif related and frozenset((one.id, other.id)) not in linked:
                (_, older), (_, newer) = sorted(ages)
                links.add(link_record(newer, related, older))
    return _sorted(links)


def link_record(src: str, rel: str, dst: str) -> StrandRecord:
    """Return the record of a link. Its id is the edge, so that the same link of two stores is one record."""
    return record_of({"type": LINK, "id": f"{src}/{rel}/{dst}", "fields": {"src": src, "rel": rel, "dst": dst}})


def owner_of(record: StrandRecord) -> str | None:
    """Return the id of the item that a record belongs to."""
    owner = _values_of(record).get("src" if record.type == LINK else "item_id")
    return owner if isinstance(owner, str) else None


def _decided_by(policy: ClashPolicy, ours: tuple[float, str], theirs: tuple[float, str]) -> StrandRecord:
    """Return the link from the item that stays in force to the other one; each is given as its age and its id."""
    is_ours = {
        ClashPolicy.SKIP_EXISTING: True,
        ClashPolicy.OVERWRITE: False,
        ClashPolicy.NEWEST: ours > theirs,
    }[policy]
    winner, loser = (ours, theirs) if is_ours else (theirs, ours)
    return link_record(winner[1], SUPERSEDES, loser[1])


def _unpurged(records: Collection[StrandRecord]) -> Iterable[StrandRecord]:
    """Leave out what is purged: the items, and what belongs to them. Operations and links stay, and hold no text."""
    gone = purged_ids(records)
    if not gone:
        return records
    return (
        record
        for record in records
        if record.type in (OP, LINK) or not (owner_of(record) in gone or (record.type == MEMORY and record.id in gone))
    )


def _values_of(record: StrandRecord) -> Mapping[str, Any]:
    """Return the member ``fields`` of a record, empty where it has none."""
    fields = record.fields().get("fields")
    return fields if isinstance(fields, dict) else {}


def _operation(record: StrandRecord) -> Mapping[str, Any]:
    values = _values_of(record)
    is_whole = isinstance(values.get("kind"), str) and isinstance(values.get("item_id"), str)
    if not is_whole or type(values.get("lamport")) is not int or values["lamport"] < 0:
        raise DamagedStrandError(f"the strand is refused: the operation {record.id[:60]!r} has no kind, item or time")
    return values


def _status(operations: Sequence[Mapping[str, Any]], is_superseded: bool) -> ItemStatus:
    if _decided(operations, _FORGETTING):
        return ItemStatus.FORGOTTEN
    if _decided(operations, _PROPOSING):
        return ItemStatus.QUARANTINED
    if is_superseded:
        return ItemStatus.SUPERSEDED
    return ItemStatus.ARCHIVED if _decided(operations, _ARCHIVING) else ItemStatus.ACTIVE


def _decided(operations: Iterable[Mapping[str, Any]], ranks: Mapping[str, int]) -> bool:
    """Return whether the last operation on a question says so; the first of a tie is the cautious one."""
    last = max(
        ((operation["lamport"], ranks[operation["kind"]]) for operation in operations if operation["kind"] in ranks),
        default=(0, 0),
    )
    return bool(last[1])


def _superseded(links: Sequence[tuple[str, str]], ages: Mapping[str, tuple[float, str]]) -> set[str]:
    """Return the items that another one supersedes.

    Two stores may have decided the same clash in opposite ways. Of items that supersede each other, also around a
    corner, the newest stays in force: a circle never takes all of them away.
    """
    circles = _circles(links)
    newest: dict[int, str] = {}
    for id_, circle in circles.items():
        if id_ in ages and (circle not in newest or ages[id_] > ages[newest[circle]]):
            newest[circle] = id_
    return {
        dst
        for src, dst in links
        if src != dst and not (circles[src] == circles[dst] and newest.get(circles[dst]) == dst)
    }


def _circles(links: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return the number of the strongly connected component of each node (Kosaraju), without recursion."""
    onward: dict[str, list[str]] = {}
    back: dict[str, list[str]] = {}
    for src, dst in links:
        for graph, one, other in ((onward, src, dst), (back, dst, src)):
            graph.setdefault(one, []).append(other)
            graph.setdefault(other, [])
    finished: list[str] = []
    _walk(onward, onward, finished, set())
    found: dict[str, int] = {}
    seen: set[str] = set()
    for number, node in enumerate(reversed(finished)):
        reached: list[str] = []
        _walk([node], back, reached, seen)
        found |= dict.fromkeys(reached, number)
    return found


def _walk(starts: Iterable[str], graph: Mapping[str, Sequence[str]], finished: list[str], seen: set[str]) -> None:
    """Append the nodes that are reached and not seen to ``finished``, each after those it leads to."""
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(graph[start]))]
        while stack:
            node, rest = stack[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                finished.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(graph[following])))


def _age(id_: str, item: Mapping[str, Any]) -> tuple[float, str]:
    valid_from = item.get("valid_from")
    return (valid_from if isinstance(valid_from, int | float) else 0.0), id_


def _sorted(records: Iterable[StrandRecord]) -> tuple[StrandRecord, ...]:
    return tuple(sorted(records, key=lambda record: (record.order, record.line)))


def altered_error(record: StrandRecord) -> AlteredRecordError:
    """Return the error of a record that is here in another wording."""
    return AlteredRecordError(
        f"nothing was merged: {record.type} {record.id[:60]!r} is here in another wording, and records never change; "
        "do not trust the file, and ask its owner"
    )
