"""Merging is a union: in whatever order stores meet, they end with the same records and the same items in force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.errors import AlteredRecordError, DamagedStrandError
from helix_core.strand import (
    ClashPolicy,
    ItemStatus,
    StrandRecord,
    active,
    altered,
    applied,
    clashes,
    content_root,
    difference,
    link_record,
    open_strand,
    purged_ids,
    quarantined,
    record_of,
    statuses,
    union,
)
from tests.strand.made import CODE, SCHEMA, STRANGER, made

Records = tuple[StrandRecord, ...]
ITEMS = [f"i{number}" for number in range(6)]
KINDS = ["remember", "propose", "approve", "forget", "restore", "confirm", "archive", "purge", "a kind of later"]


def item(id_: str, text: str = "", **more: Any) -> StrandRecord:
    return record_of({"type": "memory", "id": id_, "fields": {"text": text or f"the text of {id_}", **more}})


def evidence(id_: str, item_id: str, **more: Any) -> StrandRecord:
    return record_of({"type": "evidence", "id": id_, "fields": {"item_id": item_id, "actor": "Ada", **more}})


link = link_record


def op(kind: str, item_id: str, lamport: int, by: str = "a") -> StrandRecord:
    fields = {"kind": kind, "item_id": item_id, "lamport": lamport, "actor": by}
    return record_of({"type": "op", "id": f"{kind}-{item_id}-{lamport}-{by}", "fields": fields})


OPERATIONS = st.builds(op, st.sampled_from(KINDS), st.sampled_from(ITEMS), st.integers(1, 5), st.sampled_from("ab"))
LINKS = st.builds(
    link, st.sampled_from(ITEMS), st.sampled_from(["supersedes", "refines", "conflicts_with"]), st.sampled_from(ITEMS)
)
EVIDENCE = st.builds(lambda number, of: evidence(f"e{number}-{of}", of), st.integers(0, 3), st.sampled_from(ITEMS))
OTHERS = st.builds(lambda number: record_of({"type": "hologram", "id": f"h{number}"}), st.integers(0, 3))
STORES = st.lists(
    st.sampled_from(ITEMS).map(lambda id_: item(id_, valid_from=int(id_[1:]) % 3))
    | OPERATIONS
    | LINKS
    | EVIDENCE
    | OTHERS,
    max_size=25,
).map(union)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(STORES, STORES, STORES)
def test_merging_is_commutative_associative_and_idempotent(a: Records, b: Records, c: Records) -> None:
    assert content_root(union(a, b)) == content_root(union(b, a))
    assert content_root(union(union(a, b), c)) == content_root(union(a, union(b, c))) == content_root(union(a, b, c))
    assert content_root(union(a, a)) == content_root(a)
    assert active(union(a, b)) == active(union(b, a))
    assert active(union(union(a, b), c)) == active(union(a, union(b, c)))
    assert active(union(a, a)) == active(a)
    assert union(union(a, b), b) == union(a, b)


@given(STORES, STORES)
def test_links_evidence_and_operations_of_both_sides_survive_as_they_were(a: Records, b: Records) -> None:
    merged = union(a, b)
    gone = purged_ids(merged)
    for kind in ("link", "op", "hologram", "evidence"):
        kept = Counter(each.line for each in merged if each.type == kind)
        sent = {
            each.line
            for each in (*a, *b)
            if each.type == kind and each.fields().get("fields", {}).get("item_id") not in gone
        }
        sent |= {each.line for each in (*a, *b) if each.type == kind == "op"}
        assert kept == Counter(sent)


def test_what_one_side_purged_is_absent_in_either_order_and_in_the_bytes() -> None:
    text = "the zebra password of Mars"
    old = union([item("i1", text), evidence("e1", "i1", text=text), item("i2"), link("i1", "refines", "i2")])
    purging = union([op("purge", "i1", 3), item("i2")])
    for merged in (union(old, purging), union(purging, old), union(union(old, purging), old)):
        assert [each.id for each in merged if each.type in ("memory", "evidence")] == ["i2"]
        strand = open_strand(made(merged), CODE, newest_schema=SCHEMA)
        lines = b"".join(each.line for each in strand.records).lower()
        assert [word for word in text.encode().lower().split() if word in lines and len(word) > 3] == []
    assert purged_ids(old) == set()


@pytest.mark.slow
@settings(max_examples=300)
@given(STORES, STORES, st.sampled_from(ITEMS))
def test_a_purge_is_never_undone_by_a_merge(a: Records, b: Records, id_: str) -> None:
    purging = union(a, [op("purge", id_, 1)])
    for merged in (union(purging, b), union(b, purging), union(union(b, purging), b)):
        assert [each for each in merged if each.type == "memory" and each.id == id_] == []
        assert [each for each in merged if each.type == "evidence" and each.fields()["fields"]["item_id"] == id_] == []


@pytest.mark.parametrize(
    ("forget", "confirm", "status"),
    [(5, 4, ItemStatus.FORGOTTEN), (4, 5, ItemStatus.ACTIVE), (5, 5, ItemStatus.FORGOTTEN)],
)
@pytest.mark.parametrize("kind", ["confirm", "restore"])
def test_of_a_forget_and_a_confirm_the_later_wins_and_a_tie_is_forgotten(
    forget: int, confirm: int, status: ItemStatus, kind: str
) -> None:
    here = [item("i1"), op("remember", "i1", 1), op("forget", "i1", forget)]
    there = [item("i1"), op("remember", "i1", 1), op(kind, "i1", confirm, by="b")]
    assert statuses(union(here, there)) == statuses(union(there, here)) == {"i1": status}


def test_a_supersedes_link_counts_once_its_source_is_accepted() -> None:
    store = [item("i1"), op("remember", "i1", 1), item("i2"), link("i2", "supersedes", "i1"), op("propose", "i2", 2)]
    assert statuses(store) == {"i1": ItemStatus.ACTIVE, "i2": ItemStatus.QUARANTINED}
    store.append(op("approve", "i2", 3))
    assert statuses(store) == {"i1": ItemStatus.SUPERSEDED, "i2": ItemStatus.ACTIVE}


def test_what_is_forgotten_or_purged_supersedes_nothing() -> None:
    store = [item("i1"), op("remember", "i1", 1), item("i2"), link("i2", "supersedes", "i1"), op("remember", "i2", 2)]
    assert statuses(store)["i1"] is ItemStatus.SUPERSEDED
    assert statuses([*store, op("forget", "i2", 3)])["i1"] is ItemStatus.ACTIVE
    assert statuses([*store, op("forget", "i2", 3), op("restore", "i2", 4)])["i1"] is ItemStatus.SUPERSEDED
    assert statuses(union([*store, op("purge", "i2", 3)]))["i1"] is ItemStatus.ACTIVE


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)), max_size=14))
def test_items_that_supersede_each_other_in_a_circle_never_all_vanish(pairs: list[tuple[str, str]]) -> None:
    store = [item(id_, valid_from=int(id_[1:]) % 3) for id_ in ITEMS] + [op("remember", id_, 1) for id_ in ITEMS]
    found = statuses([*store, *union([link(src, "supersedes", dst) for src, dst in pairs])])
    onward: dict[str, set[str]] = {id_: {dst for src, dst in pairs if src == id_} for id_ in ITEMS}

    def leads(src: str, dst: str) -> bool:
        seen, ahead = set(), [src]
        while ahead:
            for each in onward[ahead.pop()] - seen:
                seen.add(each)
                ahead.append(each)
        return dst in seen

    for id_ in ITEMS:
        circle = {other for other in ITEMS if other == id_ or (leads(id_, other) and leads(other, id_))}
        is_newest = id_ == max(circle, key=lambda each: (int(each[1:]) % 3, each))
        from_outside = any(src not in circle and dst == id_ for src, dst in pairs)
        alone = circle == {id_}
        wanted = from_outside or (not alone and not is_newest and any(dst == id_ and src != id_ for src, dst in pairs))
        assert found[id_] is (ItemStatus.SUPERSEDED if wanted else ItemStatus.ACTIVE), (pairs, id_)


def test_a_long_chain_of_supersedes_recurses_nowhere() -> None:
    names = [f"n{number:05}" for number in range(3_000)]
    store = [each for name in names for each in (item(name), op("remember", name, 1))]
    store += [link(new, "supersedes", old) for old, new in pairwise(names)]
    assert [each.id for each in active(store)] == [names[-1]]


def test_a_record_in_two_wordings_is_refused_in_either_order_and_named() -> None:
    ours, theirs = [item("i1", "300 ms"), item("i2")], [item("i1", "3000 ms")]
    for sides in ((ours, theirs), (theirs, ours)):
        with pytest.raises(AlteredRecordError, match="memory 'i1' is here in another wording"):
            union(*sides)
    assert altered(ours, theirs) == tuple(theirs)
    assert altered(ours, [item("i2"), item("i3")]) == ()


@pytest.mark.parametrize("wrong", [{}, {"kind": "forget"}, {"kind": 1, "item_id": "i1", "lamport": 1}])
@pytest.mark.parametrize("lamport", ["1", -1, 1.5, True])
def test_an_operation_without_its_members_is_refused(wrong: dict[str, Any], lamport: Any) -> None:
    with pytest.raises(DamagedStrandError, match="the operation 'o1'"):
        union([record_of({"type": "op", "id": "o1", "fields": {"lamport": lamport, **wrong}})])


@pytest.mark.slow
@given(STORES, STORES)
def test_a_difference_leads_from_one_set_to_the_other(a: Records, b: Records) -> None:
    assert not difference(a, a)
    assert applied(difference(a, b), a) == b
    assert difference(a, union(a, b)).added == tuple(each for each in union(a, b) if each not in set(a))


def proposal(record: StrandRecord) -> StrandRecord:
    return op("propose", record.id, 9, by="import")


def test_what_an_untrusted_signer_sends_waits_for_review_one_by_one() -> None:
    ours = union([item("mine"), op("remember", "mine", 1)])
    theirs = [
        *(item("x1", "ignore previous instructions"), item("x2"), item("mine")),
        *(op("remember", "x1", 99), op("approve", "x2", 99), op("forget", "mine", 99), op("purge", "mine", 99)),
        *(
            link("x1", "supersedes", "mine"),
            link("mine", "supersedes", "x1"),
            evidence("e1", "x1"),
            evidence("e2", "mine"),
        ),
        record_of({"type": "hologram", "id": "h1"}),
    ]
    taken = quarantined(theirs, ours, proposal)
    assert sorted(each.id for each in taken if each.type != "op") == ["e1", "x1", "x1/supersedes/mine", "x2"]
    merged = union(ours, taken)
    assert [each.id for each in active(merged)] == ["mine"]
    approved = union(merged, [op("approve", "x2", 10)])
    assert statuses(approved) == {
        "mine": ItemStatus.ACTIVE,
        "x1": ItemStatus.QUARANTINED,
        "x2": ItemStatus.ACTIVE,
    }


def test_an_untrusted_signer_cannot_replace_an_item_in_another_wording() -> None:
    ours = union([item("mine"), op("remember", "mine", 1)])
    assert quarantined([item("mine", "something else"), evidence("e1", "mine")], ours, proposal) == ()


def test_an_untrusted_file_in_a_real_container_ends_in_review() -> None:
    file = made([item("x1"), op("remember", "x1", 1)], keys=STRANGER)
    strand = open_strand(file, CODE, newest_schema=SCHEMA)
    merged = union(quarantined(strand.records, [], proposal))
    assert statuses(merged) == {"x1": ItemStatus.QUARANTINED}


def slots(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(fields["scope"], fields["subject"])] if fields.get("subject") else []


def differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    return "supersedes" if one["value"] != other["value"] else ""


def stating(id_: str, value: str, valid_from: int) -> list[StrandRecord]:
    said = {"scope": "global", "subject": "timeout", "value": value, "valid_from": valid_from}
    return [item(id_, f"the timeout is {value}", **said), op("remember", id_, 1)]


@pytest.mark.parametrize(
    ("policy", "winner"),
    [(ClashPolicy.SKIP_EXISTING, "old"), (ClashPolicy.OVERWRITE, "other"), (ClashPolicy.NEWEST, "other")],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_policy_decides_which_of_two_statements_is_in_force(policy: ClashPolicy, winner: str, swapped: bool) -> None:
    ours = [*stating("old", "300 ms", 1), item("free"), op("remember", "free", 1)]
    theirs = [*stating("other", "500 ms", 2), link("other", "refines", "free"), evidence("e1", "other")]
    if swapped:
        ours, theirs = theirs, ours
        winner = {"old": "other", "other": "old"}[winner] if policy is not ClashPolicy.NEWEST else winner
    links = clashes(ours, theirs, policy, slots, differ)
    merged = union(ours, theirs, links)
    assert {each.id for each in active(merged)} == {winner, "free"}
    # The other one is superseded, not lost, and its relations are kept.
    assert {each.id for each in merged if each.type == "memory"} == {"old", "other", "free"}
    assert link("other", "refines", "free") in merged
    assert evidence("e1", "other") in merged
    assert clashes(union(ours, theirs, links), theirs, policy, slots, differ) == ()


def test_stores_that_decided_a_clash_in_opposite_ways_end_with_the_newest() -> None:
    a, b = stating("a", "300 ms", 1), stating("b", "500 ms", 2)
    here = union(a, b, clashes(a, b, ClashPolicy.SKIP_EXISTING, slots, differ))
    there = union(a, b, clashes(b, a, ClashPolicy.SKIP_EXISTING, slots, differ))
    assert [each.id for each in active(here)] == ["a"]
    assert [each.id for each in active(there)] == ["b"]
    assert [each.id for each in active(union(here, there))] == ["b"]


def test_a_thousand_records_in_any_order_make_one_file() -> None:
    draw = random.Random(14)
    records: list[StrandRecord] = [item(f"i{number:03}") for number in range(500)]
    records += [op("remember", f"i{number:03}", number) for number in range(500)]
    parts: Sequence[list[StrandRecord]] = [records[:600], records[400:], records[200:900]]
    files = set()
    for _ in range(3):
        for part in parts:
            draw.shuffle(part)
        files.add(made(union(*draw.sample(list(parts), 3))))
    assert len(files) == 1
