"""Memories that leave in a strand and come in elsewhere are the same memories, and what is refused changes nothing."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.memory import ImportRequest, RememberRequest
from helix_core.errors import (
    AlteredRecordError,
    DamagedStrandError,
    MemoryStoreError,
    StrandError,
    TamperedStrandError,
    UsageError,
)
from helix_core.model import MemoryFact, MemoryLink, MemoryOrigin, Slot
from helix_core.secrets import Masked
from helix_core.store import Memory
from helix_core.strand import (
    ClashPolicy,
    content_root,
    link_record,
    open_strand,
    record_of,
    statuses,
    union,
)
from tests.engine.repository import put_index
from tests.mcp.conftest import repository
from tests.memory.made import clean
from tests.strand.made import CODE, SCHEMA, made

APP = "def retry(times):\n    limit = times + 1\n    return limit\n"


@pytest.fixture
def person(tmp_path):
    """Open the same project as one person or another, each with a memory of their own, or that of somebody."""
    opened = []

    def begin(name, of=""):
        folder = tmp_path / name / "project"
        if not folder.exists():
            repository(folder)
            put_index(folder, tmp_path / name / "cache")
            (folder / "app.py").write_text(APP)
        environ = {
            "HELIX_CACHE_DIR": str(tmp_path / name / "cache"),
            "HELIX_DATA_DIR": str(tmp_path / (of or name) / "data"),
        }
        opened.append(Helix.open(folder, config=load_config(folder, environ=environ, user=tmp_path / "none.toml")))
        opened[-1].refresh()
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


@pytest.fixture
def ada(person):
    return person("ada")


@pytest.fixture
def bob(person):
    return person("bob")


def remember(helix, text, **given):
    (item,) = helix.memory.remember(RememberRequest(text, **given))["items"]
    return item["id"]


def strand_of(helix, **given):
    """What a real file of these memories holds."""
    return open_strand(made(helix.memory.exported(**given)), CODE, newest_schema=SCHEMA)


def holding(records):
    """The same, of any records."""
    return open_strand(made(records), CODE, newest_schema=SCHEMA)


def take(helix, strand, *, trusted=True, policy=ClashPolicy.SKIP_EXISTING, dry_run=False):
    return helix.memory.imported(ImportRequest(strand, trusted, policy, dry_run))


def texts(helix, *statuses):
    listed = helix.memory.listed(statuses=statuses)["items"]
    return sorted(item["text"] for item in listed)


def root(helix):
    return content_root(helix.memory.exported())


def is_whole(helix):
    return helix.memory.log(verify=True)["first_broken"] is None


def test_what_was_exported_and_imported_exports_the_same_records(ada, bob):
    remember(ada, "The queue is NATS", cites=["app.py:1-3"])
    old = remember(ada, "The retry limit is 300 ms", is_global=True)
    remember(ada, "The retry limit is 3000 ms", is_global=True, supersedes=[old])
    strand = strand_of(ada)
    told = take(bob, strand)
    assert (told["added"]["memory"], told["known"], told["removed"]) == (3, 0, 0)
    assert bob.memory.exported() == ada.memory.exported() == strand.records
    assert texts(bob) == texts(ada)
    assert is_whole(bob)
    assert is_whole(ada)


def test_a_file_takes_this_workspace_and_says_whose_memories_stay_out(person):
    ada, shop = person("ada"), person("shop", of="ada")
    remember(ada, "The queue is NATS", cites=["app.py:1-3"])
    gone = remember(ada, "The cache is Redis")
    remember(ada, "Deploys happen on Fridays", is_global=True)
    remember(shop, "The till is blue")
    ada.memory.purge(gone, f"purge {gone}")
    here, there = (os.path.realpath(os.fsdecode(each.workspace)) for each in (ada, shop))

    own = ada.memory.selected()
    told = own.to_wire()
    assert [(each["path"], each["memories"]) for each in told["workspaces"]] == [(here, 1)]
    assert (told["about_all"], told["left_out"]) == (1, {"memories": 1, "workspaces": 1})
    plain = b"".join(record.line for record in own.records)
    assert (b"NATS" in plain, b"Fridays" in plain, b"till" in plain) == (True, True, False)
    assert [each for each in own.records if b'"kind":"purge"' in each.line], "a purge wins elsewhere too"

    everything = ada.memory.selected(["all"])
    assert everything.records == ada.memory.exported()
    assert everything.to_wire()["left_out"] == {"memories": 0, "workspaces": 0}
    assert {each["path"] for each in everything.to_wire()["workspaces"]} == {here, there}
    other = ada.memory.selected([there])
    assert other.records == shop.memory.selected().records
    assert union(own.records, other.records) == everything.records
    with pytest.raises(UsageError, match="no memories of '/nowhere' are here"):
        ada.memory.selected(["/nowhere"])


def test_what_a_file_took_of_one_workspace_comes_in_whole(person, bob):
    ada, shop = person("ada"), person("shop", of="ada")
    remember(ada, "The queue is NATS", cites=["app.py:1-3"])
    remember(shop, "The till is blue")
    take(bob, open_strand(made(ada.memory.selected().records), CODE, newest_schema=SCHEMA))
    assert texts(bob) == ["The queue is NATS"]
    assert is_whole(bob)


def test_an_imported_citation_is_compared_with_the_files_that_are_here(ada, bob):
    remember(ada, "retry adds one attempt", cites=["app.py:1-3"])
    told = take(bob, strand_of(ada))
    assert told["notes"] == ["the memories of its workspace are now those of this one"]
    (item,) = bob.memory.recall("how many attempts does retry add?")["items"]
    assert item["status"] == "verified"
    with open(os.path.join(os.fsdecode(bob.workspace), "app.py"), "w") as file:
        file.write(APP.replace("+ 1", "+ 2"))
    (item,) = bob.memory.recall("how many attempts does retry add?")["items"]
    assert item["status"] == "needs_refresh"


def test_importing_again_changes_nothing(ada, bob):
    remember(ada, "The queue is NATS", is_global=True)
    strand = strand_of(ada)
    take(bob, strand)
    before, log = root(bob), len(bob.memory.log()["ops"])
    told = take(bob, strand)
    assert (sum(told["added"].values()), told["known"]) == (0, 1)
    assert (root(bob), len(bob.memory.log()["ops"])) == (before, log)


def test_a_dry_run_says_what_would_come_in_and_keeps_nothing(ada, bob):
    remember(ada, "The queue is NATS", is_global=True)
    told = take(bob, strand_of(ada), dry_run=True)
    assert told["added"] == {"evidence": 1, "link": 0, "memory": 1, "op": 1, "other": 0}
    assert bob.memory.exported() == ()
    assert not os.path.exists(os.path.join(bob.session.config.data_dir, "memory.db"))


def test_two_stores_that_take_in_each_other_end_alike(ada, bob):
    one = remember(ada, "The queue is NATS", is_global=True)
    remember(ada, "Use tabs", is_global=True)
    remember(bob, "The cache is Redis", is_global=True)
    ada.memory.forget(one)
    from_ada, from_bob = strand_of(ada), strand_of(bob)
    take(ada, from_bob)
    take(bob, from_ada)
    assert ada.memory.exported() == bob.memory.exported()
    assert root(ada) == content_root(union(from_ada.records, from_bob.records))
    assert texts(ada, "active") == texts(bob, "active") == ["The cache is Redis", "Use tabs"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("forgets", "restores", "status"), [(8, 9, "active"), (9, 8, "forgotten"), (9, 9, "forgotten")]
)
@pytest.mark.parametrize("kind", ["restore", "confirm"])
@pytest.mark.parametrize("is_first", [True, False])
def test_of_a_forget_and_a_restore_elsewhere_the_later_wins_and_a_tie_is_forgotten(
    ada, bob, forgets, restores, status, kind, is_first
):
    remember(ada, "The queue is NATS", is_global=True)
    records = ada.memory.exported()
    (item_id,) = (each.id for each in records if each.type == "memory")

    def deciding(what, lamport):
        fields = {"lamport": lamport, "actor": "user:eve", "kind": what, "item_id": item_id, "args": {}, "at": 1}
        return holding([*records, record_of({"type": "op", "id": f"{what}-{lamport}", "fields": fields})])

    strands = [deciding("forget", forgets), deciding(kind, restores)]
    for strand in strands if is_first else reversed(strands):
        take(bob, strand)
    assert texts(bob, status) == ["The queue is NATS"]
    assert is_whole(bob)
    # What is decided here from now on comes after all of that.
    (item,) = bob.memory.listed(statuses=[status])["items"]
    other = bob.memory.restore if status == "forgotten" else bob.memory.forget
    other(item["id"])
    assert texts(bob, status) == []


def test_an_untrusted_strand_waits_for_review_memory_by_memory(ada, bob):
    mine = remember(bob, "The queue is NATS", is_global=True)
    take(ada, strand_of(bob))
    ada.memory.forget(mine)
    first = remember(ada, "Deploy on Fridays", is_global=True)
    remember(ada, "Ignore the linter", is_global=True)
    told = take(bob, strand_of(ada), trusted=False)
    assert told["waits_for_review"] == 2
    # What the stranger forgot is not forgotten here.
    assert texts(bob, "active") == ["The queue is NATS"]
    assert texts(bob, "quarantined") == ["Deploy on Fridays", "Ignore the linter"]
    assert bob.memory.recall("when do we deploy?")["known_empty"]
    bob.memory.approve(first)
    assert texts(bob, "active") == ["Deploy on Fridays", "The queue is NATS"]
    assert texts(bob, "quarantined") == ["Ignore the linter"]
    assert is_whole(bob)


@pytest.mark.parametrize("is_first", [True, False])
def test_what_was_purged_elsewhere_leaves_no_byte_in_either_order(ada, bob, is_first):
    name = remember(ada, "The zebra password rule of Mars", is_global=True)
    remember(ada, "The queue is NATS", is_global=True)
    old = strand_of(ada)
    ada.memory.purge(name, f"purge {name}")
    purging = strand_of(ada)
    for strand in (purging, old) if is_first else (old, purging):
        told = take(bob, strand)
    assert texts(bob) == ["The queue is NATS"]
    assert told.get("overwritten", True)
    assert bob.memory.exported() == purging.records
    folder = os.fspath(bob.session.config.data_dir)
    bob.close()
    for file in os.listdir(folder):
        with open(os.path.join(folder, file), "rb") as reader:
            assert b"zebra" not in reader.read().lower(), file


def changed(strand, kind, **fields):
    """The strand with other fields in its first record of a kind; its owner signed that, too."""
    records = list(strand.records)
    place = next(number for number, record in enumerate(records) if record.type == kind)
    said = records[place].fields()
    records[place] = record_of(said | {"fields": said["fields"] | fields})
    return holding(records)


def test_a_memory_in_another_wording_is_refused_and_nothing_changes(ada, bob):
    remember(ada, "The timeout is 300 ms", is_global=True)
    strand = strand_of(ada)
    take(bob, strand)
    remember(ada, "The queue is NATS", is_global=True)
    before = root(bob)
    with pytest.raises(AlteredRecordError, match="in another wording"):
        take(bob, changed(strand_of(ada), "memory", text="The timeout is 3000 ms"))
    assert root(bob) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "fields", "error"),
    [
        ("memory", {"text": "something else"}, TamperedStrandError),
        ("evidence", {"text": "something else"}, TamperedStrandError),
        ("op", {"args": {}}, TamperedStrandError),
        ("op", {"lamport": 2**53 - 1}, DamagedStrandError),
        ("op", {"args": None}, DamagedStrandError),
        ("memory", {"origin": "god"}, DamagedStrandError),
        ("memory", {"confidence": 101}, DamagedStrandError),
        ("memory", {"text": ""}, DamagedStrandError),
        ("memory", {"text": "x" * 4_001}, DamagedStrandError),
        ("memory", {"handle": "m_\u202e"}, DamagedStrandError),
        ("memory", {"valid_to": "later"}, DamagedStrandError),
        ("memory", {"more": 1}, DamagedStrandError),
        ("evidence", {"start_line": "1"}, DamagedStrandError),
    ],
)
def test_records_that_contradict_their_log_or_their_shape_are_refused_whole(ada, bob, kind, fields, error):
    remember(ada, "The queue is NATS", is_global=True)
    with pytest.raises(error):
        take(bob, changed(strand_of(ada), kind, **fields))
    assert bob.memory.exported() == ()


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("kind", ["memory", "evidence", "link", "op"])
@pytest.mark.parametrize("fields", [{}, {"fields": 1}, {"fields": {}}, {"fields": {"src": 1}}])
def test_a_record_without_its_fields_is_refused_by_a_typed_error(bob, kind, fields, trusted):
    with pytest.raises(StrandError):
        take(bob, holding([record_of({"type": kind, "id": "x", **fields})]), trusted=trusted)
    assert bob.memory.exported() == ()


def test_a_memory_that_holds_a_secret_is_left_out_and_said(ada, bob):
    remember(ada, "The queue is NATS", is_global=True)
    remember(ada, "The region is eu-central-1", is_global=True)
    strand = strand_of(ada)
    secret = "AKIAIOSFODNN7EXAMPLZ"
    (region,) = (each for each in strand.records if each.type == "memory" and b"region" in each.line)
    said = region.fields()
    leaking = record_of(said | {"fields": said["fields"] | {"text": f"aws_access_key_id = {secret}"}})
    records = [leaking if each is region else each for each in strand.records]
    told = take(bob, holding(records))
    assert told["notes"] == ["left out for what looks like a secret: 1 memory"]
    assert texts(bob) == ["The queue is NATS"]
    assert secret not in str(bob.memory.exported())


def test_a_secret_that_older_rules_let_into_the_memory_is_neither_shared_nor_shown(ada, bob, monkeypatch):
    remember(ada, "The queue is NATS", is_global=True)
    with monkeypatch.context() as older:
        older.setattr("helix_core.engine.memory.remembering.mask_typed", lambda text: Masked(text.encode()))
        remember(ada, "The db password is hunter2", is_global=True)
    assert "hunter2" in str(ada.memory.exported()), "the older rules let it through"
    assert "hunter2" not in str(ada.memory.exported(is_shared=True))
    assert "NATS" in str(ada.memory.exported(is_shared=True))
    assert "hunter2" not in str(ada.memory.listed()) + str(ada.memory.recall("db password"))
    take(bob, strand_of(ada))
    assert texts(bob) == ["The queue is NATS"]


def test_a_slot_that_holds_the_secret_that_its_text_hides_is_left_out(ada, bob):
    remember(ada, "The password is set", is_global=True)
    strand = strand_of(ada)
    (memory,) = (each for each in strand.records if each.type == "memory")
    said = memory.fields()
    leaking = said["fields"] | {"subject": "password", "attribute": "", "value": "hunter2"}
    records = [record_of(said | {"fields": leaking}) if each is memory else each for each in strand.records]
    assert take(bob, holding(records))["notes"] == ["left out for what looks like a secret: 1 memory"]
    assert texts(bob) == []


def later(id_, owner="", **said):
    """A record of a type that this Helix does not know."""
    fields = {"fields": {"item_id": owner} | said} if owner else said
    return record_of({"type": "hologram", "id": id_} | fields)


def carried(helix, **given):
    return [record.line for record in helix.memory.exported(**given) if record.type == "hologram"]


def owners(helix):
    return {
        record.fields()["fields"]["text"]: record.id for record in helix.memory.exported() if record.type == "memory"
    }


def test_records_of_a_newer_helix_are_kept_and_leave_as_they_came(ada, bob, person):
    remember(ada, "The queue is NATS", is_global=True)
    (owner,) = owners(ada).values()
    strange = later("h1", rays=[1.5, None, {"é": [True]}], of="h2")
    records = union([*ada.memory.exported(), strange, later("h2", owner, angle=30)])
    told = take(bob, holding(records))
    assert told["added"] == {"memory": 1, "evidence": 1, "link": 0, "op": 1, "other": 2}
    (note,) = told["notes"]
    assert note.startswith("kept as it is, for a Helix that knows the type 'hologram': 2 records")
    assert bob.memory.exported() == records
    assert strange.line in carried(bob)
    again = take(bob, holding(records))
    assert (any(again["added"].values()), again["notes"]) == (False, [])
    carol = person("carol")
    take(carol, strand_of(bob))
    assert root(carol) == content_root(records)
    assert is_whole(bob) and is_whole(carol)
    assert texts(carol) == ["The queue is NATS"]


def test_a_record_of_a_newer_helix_in_another_wording_is_refused(ada, bob):
    take(bob, holding([later("h1", angle=30)]))
    with pytest.raises(AlteredRecordError):
        take(bob, holding([later("h1", angle=31)]))
    assert carried(bob) == [later("h1", angle=30).line]


def test_what_belongs_to_a_purged_memory_goes_with_it(ada, bob):
    handle = remember(ada, "The queue is NATS", is_global=True)
    (owner,) = owners(ada).values()
    take(ada, holding([later("h1", owner, said="zebra"), later("h2")]))
    ada.memory.purge(handle, confirm=f"purge {handle}")
    assert carried(ada) == [later("h2").line]
    assert is_whole(ada)
    told = take(ada, holding([later("h1", owner, said="zebra")]))
    assert told["notes"] == ["left out, as their memory did not come in: 1 record of type 'hologram'"]
    assert "zebra" not in str(ada.memory.exported())


def test_an_untrusted_signer_brings_only_what_belongs_to_a_memory_that_waits(ada, bob):
    remember(ada, "The queue is NATS", is_global=True)
    (owner,) = owners(ada).values()
    records = [*ada.memory.exported(), later("h1", owner), later("h2")]
    told = take(bob, holding(records), trusted=False)
    assert carried(bob) == [later("h1", owner).line]
    assert "left out, as their memory did not come in: 1 record of type 'hologram'" in told["notes"]


@pytest.mark.parametrize(
    "said",
    [
        {"token": "ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
        {"deep": [{"password": "hunter2"}]},
        {"AKIAZQ3DRSTUVWXY2345": 1},
    ],
)
def test_a_record_of_a_newer_helix_that_holds_a_secret_stays_out(bob, said):
    told = take(bob, holding([later("h1", **said), later("h2", angle=30)]))
    assert "left out for what looks like a secret: 1 record of type 'hologram'" in told["notes"]
    assert carried(bob) == [later("h2", angle=30).line]


def test_what_nobody_here_can_read_is_not_shared_and_leaves_with_its_own_workspace(ada, person):
    remember(ada, "The queue is NATS")
    beside = person("beside", of="ada")
    remember(beside, "The cache is Valkey")
    ours, theirs = owners(ada)["The queue is NATS"], owners(ada)["The cache is Valkey"]
    take(ada, holding([later("h1", ours), later("h2", theirs), later("h3")]))
    assert len(carried(ada)) == 3
    assert carried(ada, is_shared=True) == []
    held = [record.id for record in ada.memory.selected().records if record.type == "hologram"]
    assert held == ["h1"]
    assert len([one for one in ada.memory.selected(["all"]).records if one.type == "hologram"]) == 3


def test_no_more_is_kept_for_a_newer_helix_than_there_is_room(ada, bob, monkeypatch):
    remember(ada, "The queue is NATS", is_global=True)
    monkeypatch.setattr("helix_core.engine.memory.strands.MOST_CARRIED", 2)
    take(bob, holding([later("h1"), later("h2")]))
    with pytest.raises(MemoryStoreError, match=r"would keep 3 records, 0 MiB, of types .* upgrade Helix first"):
        take(bob, holding([*ada.memory.exported(), later("h3")]))
    assert texts(bob) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "active"),
    [
        (ClashPolicy.SKIP_EXISTING, "The timeout is 500 ms"),
        (ClashPolicy.OVERWRITE, "The timeout is 300 ms"),
        (ClashPolicy.NEWEST, "The timeout is 500 ms"),
    ],
)
def test_a_policy_decides_which_of_two_statements_is_in_force_and_none_is_lost(ada, bob, policy, active):
    remember(ada, "The timeout is 300 ms", is_global=True, valid_from=1_000)
    remember(bob, "The timeout is 500 ms", is_global=True, valid_from=2_000)
    told = take(bob, strand_of(ada), policy=policy)
    assert told["decided"] == 1
    assert texts(bob, "active", "contested") == [active]
    assert texts(bob, "active", "contested", "superseded") == ["The timeout is 300 ms", "The timeout is 500 ms"]
    assert is_whole(bob)


@pytest.mark.parametrize("policy", list(ClashPolicy))
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Redis is fast", "Redis is cheap"),
        ("The limit is 3 retries", "The limit is 300 ms"),
        ("We use Redis", "We use Memcached"),
        ("The queue is NATS", "The queue is slow"),
    ],
)
def test_what_can_both_be_so_is_no_clash_under_any_policy(ada, bob, policy, one, other):
    remember(ada, one, is_global=True)
    remember(bob, other, is_global=True)
    assert take(bob, strand_of(ada), policy=policy)["decided"] == 0
    assert texts(bob, "active", "contested") == sorted((one, other))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use tabs in this project", "Use tabs in this project."),
        ("Always squash merges", "Never squash merges"),
        ("We switched from NATS to Kafka", "We use NATS"),
    ],
)
def test_of_what_cannot_both_be_so_the_policy_leaves_one_in_force(ada, bob, one, other):
    remember(ada, one, is_global=True)
    remember(bob, other, is_global=True)
    assert take(bob, strand_of(ada), policy=ClashPolicy.OVERWRITE)["decided"] == 1
    assert texts(bob, "active", "contested") == [one]
    assert texts(bob, "superseded") == [other]


def test_stores_that_decided_in_opposite_ways_agree_on_the_newest(ada, bob):
    remember(ada, "The timeout is 300 ms", is_global=True, valid_from=1_000)
    remember(bob, "The timeout is 500 ms", is_global=True, valid_from=2_000)
    from_ada, from_bob = strand_of(ada), strand_of(bob)
    take(ada, from_bob)
    take(bob, from_ada)
    assert texts(ada, "active") == ["The timeout is 300 ms"]
    assert texts(bob, "active") == ["The timeout is 500 ms"]
    take(ada, strand_of(bob))
    take(bob, strand_of(ada))
    assert texts(ada, "active") == texts(bob, "active") == ["The timeout is 500 ms"]


def test_a_question_as_of_an_earlier_time_sees_nothing_that_came_in_later(ada, bob):
    remember(ada, "The queue is NATS", is_global=True)
    remember(bob, "The cache is Redis", is_global=True)
    (known,) = bob.memory.log()["ops"]
    take(bob, strand_of(ada))
    assert bob.memory.recall("which queue?")["items"]
    assert bob.memory.recall("which queue?", as_of=known["at"])["known_empty"]


def test_what_is_shared_is_in_force_and_of_this_folder_alone(ada, person):
    remember(ada, "The queue is NATS", cites=["app.py:1-3"])
    remember(ada, "I am Ada Lovelace", kind="identity", is_global=True)
    gone = remember(ada, "The zebra is forgotten", is_global=True)
    ada.memory.forget(gone)
    old = remember(ada, "The limit is 300 ms", is_global=True)
    remember(ada, "The limit is 3000 ms", is_global=True, supersedes=[old])
    ada.memory.propose("We decided to always use Postgres.", MemoryOrigin.AGENT)
    shared = strand_of(ada, is_shared=True)
    said = b"".join(record.line for record in shared.records)
    assert [word for word in (b"Ada", b"zebra", b"300 ms", b"Postgres") if word in said] == []
    bob = person("bob")
    take(bob, shared)
    assert texts(bob, "active") == ["The limit is 3000 ms", "The queue is NATS"]
    assert is_whole(bob)


def test_a_crash_in_the_middle_of_an_import_leaves_nothing_of_it(ada, bob, monkeypatch):
    for number in range(5):
        remember(ada, f"The port of service {number} is 80{number}0", is_global=True)
    remember(bob, "The cache is Redis", is_global=True)
    strand, before = strand_of(ada), root(bob)
    from helix_core.store.memory_items import MemoryItems

    add = MemoryItems.add_evidence

    def fails(self, one):
        if calls.append(one) or len(calls) > 3:
            raise OSError("the machine went away")
        add(self, one)

    calls = []
    monkeypatch.setattr(MemoryItems, "add_evidence", fails)
    with pytest.raises(OSError, match="went away"):
        take(bob, strand)
    monkeypatch.undo()
    assert root(bob) == before
    assert is_whole(bob)
    take(bob, strand)
    assert len(texts(bob)) == 6


def test_the_strand_of_a_store_names_no_path_of_the_machine(ada):
    remember(ada, "The queue is NATS", cites=["app.py:1-3"])
    said = b"".join(record.line for record in ada.memory.exported())
    assert os.fsencode(os.path.dirname(os.fsdecode(ada.workspace))) not in said


def test_a_dry_run_names_each_memory_that_comes_in_goes_or_changes(ada, bob):
    remember(ada, "The timeout is 300 ms", is_global=True, valid_from=2_000)
    gone = remember(ada, "The zebra is striped", is_global=True)
    take(bob, strand_of(ada))
    ada.memory.purge(gone, f"purge {gone}")
    remember(ada, "The cache is Redis", is_global=True)
    remember(bob, "The cache is Memcached", is_global=True, valid_from=1_000)
    told = take(bob, strand_of(ada), policy=ClashPolicy.NEWEST, dry_run=True)
    assert sorted((each["text"], each["before"], each["after"]) for each in told["changes"]) == [
        ("The cache is Memcached", "active", "superseded"),
        ("The cache is Redis", None, "active"),
        ("The zebra is striped", "active", None),
    ]
    assert "changes" not in take(bob, strand_of(ada), policy=ClashPolicy.NEWEST)
    assert take(bob, strand_of(ada), dry_run=True)["changes"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "shared"),
    [
        ("", ["Deploys run nightly", "The queue is NATS"]),
        ("workspace", ["The queue is NATS"]),
        ("global", ["Deploys run nightly"]),
    ],
)
def test_what_is_shared_can_be_of_one_scope(ada, bob, scope, shared):
    remember(ada, "The queue is NATS")
    remember(ada, "Deploys run nightly", is_global=True)
    take(bob, strand_of(ada, is_shared=True, scope=scope))
    assert texts(bob) == shared


def test_a_memory_whose_evidence_holds_a_secret_is_not_shared(ada, monkeypatch):
    remember(ada, "The queue is NATS", is_global=True)
    with monkeypatch.context() as older:
        older.setattr("helix_core.engine.memory.remembering.session_name", str)
        remember(ada, "The cache is Redis", is_global=True, session="AKIAIOSFODNN7EXAMPLZ")
    assert "AKIAIOSFODNN7EXAMPLZ" in str(ada.memory.exported())
    shared = ada.memory.exported(is_shared=True)
    assert [record.type for record in shared] == ["evidence", "memory", "op"]
    assert [word for word in ("AKIA", "Redis") if word in str(shared)] == []


@pytest.fixture(scope="module")
def empty_memory(tmp_path_factory):
    with Memory(tmp_path_factory.mktemp("memory") / "data", 1.0) as memory:
        yield memory


ITEMS = [f"i{number}" for number in range(5)]
WRITTEN = st.dictionaries(
    st.sampled_from(ITEMS), st.tuples(st.integers(0, 2), st.sampled_from(["remember", "propose"]), st.integers(1, 4))
)
DECIDED = st.lists(
    st.tuples(
        st.sampled_from(["remember", "propose", "approve", "forget", "restore", "confirm", "archive", "purge"]),
        st.sampled_from(ITEMS),
        st.integers(1, 8),
    ),
    max_size=8,
)
SUPERSEDING = st.sets(st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)), max_size=8)


NONE = clean("")


def fact(id_, valid_from):
    kinds = (id_, id_, "fact", "global", clean(id_), Slot(NONE, NONE, NONE), MemoryOrigin.USER, 50, 50)
    return MemoryFact(*kinds, valid_from, None, "", b"", b"", NONE)


@pytest.mark.slow
@settings(max_examples=500)
@given(WRITTEN, DECIDED, SUPERSEDING)
def test_a_memory_and_a_merge_of_its_records_agree_on_every_status(empty_memory, written, decided, superseding):
    ops = {(kind, id_, lamport) for id_, (_, kind, lamport) in written.items()} | set(decided)
    purged = {id_ for kind, id_, _ in ops if kind == "purge"}
    records = [
        record_of({"type": "memory", "id": id_, "fields": {"valid_from": at}}) for id_, (at, *_) in written.items()
    ]
    records += [
        record_of(
            {
                "type": "op",
                "id": f"{kind}-{id_}-{lamport}",
                "fields": {"kind": kind, "item_id": id_, "lamport": lamport},
            }
        )
        for kind, id_, lamport in ops
    ]
    records += [link_record(src, "supersedes", dst) for src, dst in superseding]
    items = empty_memory.items

    def kept():
        for kind, id_, lamport in sorted(ops):
            items.append(kind, id_, {}, "a", 1, own_id=f"{kind}-{id_}-{lamport}", lamport=lamport)
        for id_, (valid_from, *_) in written.items():
            if id_ not in purged:
                items.add_fact(fact(id_, valid_from), 1)
        for src, dst in superseding:
            items.add_link(MemoryLink(src, "supersedes", dst), 1)
        now, then = items.by_ids(ITEMS), items.by_ids(ITEMS, items.last_op())
        return [{one.id: one.status.value for one in found} for found in (now, then)]

    expected = {id_: status.value for id_, status in statuses(union(records)).items()}
    assert items.together(kept, keep=False) == [expected, expected]
