"""Stores that sync through one folder end alike in whatever order, and a file that is not whole costs nothing."""

from __future__ import annotations

import itertools
import os
import stat
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.memory import ImportRequest, RememberRequest
from helix_core.errors import UsageError
from helix_core.strand import (
    Pin,
    Recipient,
    StrandKeys,
    StrandRecord,
    active,
    altered,
    altered_error,
    content_root,
    difference,
    inspect,
    record_of,
    union,
)
from helix_ls.host.strand_files import StrandAccess
from helix_ls.host.strand_sync import SyncRequest, synced
from tests.mcp.conftest import repository
from tests.strand.made import STRANGER, fixed_random, made

NAMES = ("ada", "bob", "eve")
KEYS = {name: StrandKeys.made(fixed_random(f"keys of {name}")) for name in NAMES}
RANDOM = fixed_random("sync")
ALL: list[Recipient] = [keys.recipient for keys in KEYS.values()]


def request(name: str, folder: Path, trusts: Sequence[str] = NAMES, **given: Any) -> SyncRequest:
    pins = {KEYS[other].signer: Pin(other, 1) for other in trusts if other != name}
    keys = KEYS[name]
    return SyncRequest(folder, StrandAccess([keys], keys.signer, pins), keys, ALL, **given)


class RecordStore:
    """A memory that is nothing but a set of records: what a union does, without a database."""

    def __init__(self) -> None:
        self.records: tuple[StrandRecord, ...] = ()

    def exported(self) -> tuple[StrandRecord, ...]:
        return self.records

    def imported(self, wanted: ImportRequest) -> dict[str, Any]:
        assert wanted.is_trusted
        for record in altered(self.records, wanted.strand.records):
            raise altered_error(record)
        present = union(self.records, wanted.assumed)
        change = difference(present, union(present, wanted.strand.records))
        if not wanted.dry_run:
            self.records = union(self.records, wanted.strand.records)
        removed = sum(record.type == "memory" for record in change.removed)
        return {"added": {"record": len(change.added)}, "removed": removed, "decided": 0, "notes": []}


def item(id_: str) -> StrandRecord:
    return record_of({"type": "memory", "id": id_, "fields": {"text": f"the text of {id_}"}})


def op(kind: str, id_: str, lamport: int) -> StrandRecord:
    fields = {"kind": kind, "item_id": id_, "lamport": lamport}
    return record_of({"type": "op", "id": f"{kind}-{id_}-{lamport}", "fields": fields})


WRITES = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(["i1", "i2", "i3"]).map(item)
    | st.builds(
        op,
        st.sampled_from(["remember", "forget", "restore", "purge"]),
        st.sampled_from(["i1", "i2"]),
        st.integers(1, 3),
    ),
)
STEPS = st.lists(st.one_of(st.sampled_from([(name, None) for name in NAMES]), WRITES), max_size=18)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(STEPS, st.permutations(NAMES), st.booleans())
def test_stores_end_alike_in_whatever_order_they_write_and_sync(
    steps: list[tuple[str, StrandRecord | None]], last: list[str], prunes: bool
) -> None:
    stores = {name: RecordStore() for name in NAMES}
    written: list[StrandRecord] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, record in steps:
            if record is None:
                synced(stores[name], request(name, folder, prunes=prunes), RANDOM)
            else:
                stores[name].records = union(stores[name].records, [record])
                written.append(record)
        for name in (*last, *last):
            synced(stores[name], request(name, folder, prunes=prunes), RANDOM)
        assert {store.records for store in stores.values()} == {union(written)}
        assert {active(store.records) for store in stores.values()} == {active(union(written))}
        before = {entry: (folder / entry).read_bytes() for entry in os.listdir(folder)}
        for name in NAMES:
            again = synced(stores[name], request(name, folder, prunes=prunes), RANDOM)
            assert (again["taken"], again["writes"], again["pruned"]) == ([], False, [])
        assert {entry: (folder / entry).read_bytes() for entry in os.listdir(folder)} == before


@pytest.fixture
def stores() -> dict[str, RecordStore]:
    return {name: RecordStore() for name in NAMES}


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


def test_a_file_that_is_there_is_never_written_again(stores: dict[str, RecordStore], shared: Path) -> None:
    kept: dict[str, tuple[bytes, int]] = {}
    for number, name in enumerate(itertools.chain(NAMES, NAMES, NAMES)):
        stores[name].records = union(stores[name].records, [item(f"i{number}")])
        synced(stores[name], request(name, shared), RANDOM)
        found = {file.name: (file.read_bytes(), file.stat().st_ino) for file in shared.iterdir()}
        assert found.items() >= kept.items()
        kept = found
    assert len(kept) == 9
    for name, (data, _) in kept.items():
        sealed = inspect(data)
        assert name == f"{sealed.signer[:8].hex()}-{sealed.id.hex()}.dna"


def test_what_is_damaged_half_copied_or_foreign_is_named_and_the_rest_taken_in(
    stores: dict[str, RecordStore], shared: Path, tmp_path: Path
) -> None:
    stores["ada"].records = union([item("i1"), item("i2")])
    (shared / synced(stores["ada"], request("ada", shared), RANDOM)["written"]).rename(shared / "a copy of it.DNA")
    whole = (shared / "a copy of it.DNA").read_bytes()
    (shared / "half.dna").write_bytes(whole[: len(whole) // 2])
    (shared / "flipped.dna").write_bytes(whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])
    (shared / "empty.dna").touch()
    (shared / "strange.dna").write_bytes(made([item("x1")], keys=STRANGER, locks=ALL))
    (shared / "locked.dna").write_bytes(made([item("x2")], keys=KEYS["ada"], locks=[STRANGER.recipient]))
    (shared / "altered.dna").write_bytes(
        made([record_of({"type": "memory", "id": "i1", "fields": {"text": "other"}})], keys=KEYS["eve"], locks=ALL)
    )
    (shared / "notes.txt").write_text("hello")
    (shared / "folder.dna").mkdir()
    os.mkfifo(shared / "pipe.dna")
    (tmp_path / "elsewhere.dna").write_bytes(whole)
    (shared / "link.dna").symlink_to(tmp_path / "elsewhere.dna")
    (shared / ".DS_Store").write_bytes(b"x")
    before = {file.name: file.lstat().st_mtime_ns for file in shared.iterdir()}
    answer = synced(stores["bob"], request("bob", shared), RANDOM)
    assert {each["file"]: each["reason"].split(";")[0].split(": ")[-1] for each in answer["skipped"]} == {
        "altered.dna": "memory 'i1' is here in another wording, and records never change",
        "empty.dna": "this is not a strand, or its first bytes are damaged",
        "flipped.dna": "it is cut off, damaged or altered",
        "folder.dna": "it is not a file",
        "half.dna": "it is cut off",
        "link.dna": "it is a link",
        "locked.dna": "the strand does not open with this key",
        "notes.txt": "its name does not end with .dna",
        "pipe.dna": "it is not a file",
        "strange.dna": f"the strand is signed by dna-signer:{STRANGER.signer.hex()}, whom you do not trust",
    }
    assert [each["file"] for each in answer["taken"]] == ["a copy of it.DNA"]
    assert stores["bob"].records == stores["ada"].records
    after = {file.name: file.lstat().st_mtime_ns for file in shared.iterdir()}
    assert after.items() >= before.items()
    # What arrives whole later is taken in then.
    (shared / "half.dna").write_bytes(made([item("i3")], keys=KEYS["ada"], locks=ALL))
    assert [each["file"] for each in synced(stores["bob"], request("bob", shared), RANDOM)["taken"]] == ["half.dna"]


def test_a_dry_run_says_what_each_file_would_add_and_touches_nothing(
    stores: dict[str, RecordStore], shared: Path
) -> None:
    stores["ada"].records = union([item("i1")])
    synced(stores["ada"], request("ada", shared), RANDOM)
    stores["ada"].records = union(stores["ada"].records, [item("i2")])
    synced(stores["ada"], request("ada", shared), RANDOM)
    before = {file.name: file.read_bytes() for file in shared.iterdir()}
    dry = synced(stores["bob"], request("bob", shared, dry_run=True, prunes=True), RANDOM)
    assert sum(each["added"]["record"] for each in dry["taken"]) == 2
    assert (dry["writes"], dry["written"], dry["synced"]) == (True, "", False)
    assert {file.name: file.read_bytes() for file in shared.iterdir()} == before
    assert stores["bob"].records == ()
    really = synced(stores["bob"], request("bob", shared), RANDOM)
    assert (really["taken"], really["root"]) == (dry["taken"], dry["root"])


def test_pruning_removes_only_what_ones_own_newest_file_holds(stores: dict[str, RecordStore], shared: Path) -> None:
    for number in range(3):
        for name in ("ada", "bob"):
            stores[name].records = union(stores[name].records, [item(f"{name}{number}")])
            synced(stores[name], request(name, shared), RANDOM)
    of_bob = {file.name for file in shared.iterdir() if inspect(file.read_bytes()).signer == KEYS["bob"].signer}
    assert "--prune" in synced(stores["ada"], request("ada", shared), RANDOM)["notes"][0]
    answer = synced(stores["ada"], request("ada", shared, prunes=True), RANDOM)
    left = {file.name for file in shared.iterdir()}
    assert (len(answer["pruned"]), of_bob <= left, len(left - of_bob)) == (3, True, 1)
    # A store that starts from nothing gets everything of what is left.
    synced(stores["eve"], request("eve", shared), RANDOM)
    assert stores["eve"].records == stores["ada"].records


def test_an_own_file_with_more_than_the_store_is_never_pruned(stores: dict[str, RecordStore], shared: Path) -> None:
    stores["ada"].records = union([item("i1")])
    synced(stores["ada"], request("ada", shared), RANDOM)
    other = made([record_of({"type": "memory", "id": "i1", "fields": {"text": "other"}})], keys=KEYS["ada"], locks=ALL)
    (shared / "other.dna").write_bytes(other)
    stores["ada"].records = union(stores["ada"].records, [item("i2")])
    synced(stores["ada"], request("ada", shared, prunes=True), RANDOM)
    assert (shared / "other.dna").read_bytes() == other


def test_a_store_that_was_lost_comes_back_from_its_own_files(stores: dict[str, RecordStore], shared: Path) -> None:
    stores["ada"].records = union([item("i1"), item("i2")])
    synced(stores["ada"], request("ada", shared), RANDOM)
    lost, stores["ada"] = stores["ada"].records, RecordStore()
    answer = synced(stores["ada"], request("ada", shared), RANDOM)
    assert (stores["ada"].records, answer["writes"]) == (lost, False)


def test_what_was_purged_is_named_as_long_as_a_file_holds_it(stores: dict[str, RecordStore], shared: Path) -> None:
    stores["ada"].records = union([item("i1"), item("i2")])
    synced(stores["ada"], request("ada", shared), RANDOM)
    stores["ada"].records = union(stores["ada"].records, [op("purge", "i1", 5)])
    assert "what was purged is still in 1 file: " in synced(stores["ada"], request("ada", shared), RANDOM)["notes"][0]
    assert synced(stores["ada"], request("ada", shared, prunes=True), RANDOM)["notes"] == []
    (left,) = shared.iterdir()
    synced(stores["bob"], request("bob", shared), RANDOM)
    assert [each.id for each in stores["bob"].records if each.type == "memory"] == ["i2"]
    assert left.exists()


def test_a_new_recipient_gets_a_file_when_it_is_forced(stores: dict[str, RecordStore], shared: Path) -> None:
    stores["ada"].records = union([item("i1")])
    wanted = request("ada", shared)
    narrow = SyncRequest(shared, wanted.access, wanted.keys, [])
    synced(stores["ada"], narrow, RANDOM)
    assert "does not open" in synced(stores["bob"], request("bob", shared), RANDOM)["skipped"][0]["reason"]
    assert not synced(stores["ada"], wanted, RANDOM)["writes"]
    assert synced(stores["ada"], request("ada", shared, is_forced=True, prunes=True), RANDOM)["writes"]
    assert len(list(shared.iterdir())) == 1
    assert synced(stores["bob"], request("bob", shared), RANDOM)["taken"]


def test_only_stale_unfinished_files_of_ones_own_are_removed(stores: dict[str, RecordStore], shared: Path) -> None:
    stores["ada"].records = union([item("i1")])
    written = synced(stores["ada"], request("ada", shared), RANDOM)["written"]
    old, new = shared / f".{written}.0123abcd", shared / f".{written}.4567abcd"
    other = shared / f".{KEYS['bob'].signer[:8].hex()}{written[16:]}.0123abcd"
    for file in (old, new, other):
        file.write_bytes(b"half")
    long_ago = time.time() - 7_200
    for file in (old, other):
        os.utime(file, (long_ago, long_ago))
    assert synced(stores["ada"], request("ada", shared, prunes=True), RANDOM)["skipped"] == []
    assert [file.exists() for file in (old, new, other)] == [False, True, True]


@pytest.mark.parametrize(("mode", "wanted"), [(0o700, 0o600), (0o755, 0o644), (0o750, 0o640)])
def test_a_file_can_be_read_by_whoever_can_read_the_folder(
    stores: dict[str, RecordStore], shared: Path, mode: int, wanted: int
) -> None:
    shared.chmod(mode)
    stores["ada"].records = union([item("i1")])
    written = shared / synced(stores["ada"], request("ada", shared), RANDOM)["written"]
    assert stat.S_IMODE(written.stat().st_mode) == wanted


def test_a_folder_that_is_not_there_is_misuse_and_is_not_made(stores: dict[str, RecordStore], tmp_path: Path) -> None:
    stores["ada"].records = union([item("i1")])
    with pytest.raises(UsageError, match="cannot be read"):
        synced(stores["ada"], request("ada", tmp_path / "unplugged"), RANDOM)
    assert not (tmp_path / "unplugged").exists()


def test_an_empty_store_writes_nothing(stores: dict[str, RecordStore], shared: Path) -> None:
    answer = synced(stores["ada"], request("ada", shared), RANDOM)
    assert (answer["writes"], list(shared.iterdir())) == (False, [])


@pytest.fixture
def engines(tmp_path: Path) -> Any:
    opened = {}
    for name in NAMES:
        folder = repository(tmp_path / name / "project")
        environ = {"HELIX_CACHE_DIR": str(tmp_path / name / "cache"), "HELIX_DATA_DIR": str(tmp_path / name / "data")}
        opened[name] = Helix.open(folder, config=load_config(folder, environ=environ, user=tmp_path / "none.toml"))
    yield opened
    for one in opened.values():
        one.close()


@pytest.mark.slow
@pytest.mark.parametrize("order", list(itertools.permutations(NAMES))[:3])
def test_real_memories_that_contradict_each_other_end_alike(
    engines: dict[str, Helix], shared: Path, order: tuple[str, ...]
) -> None:
    ids = {}
    for number, name in enumerate(NAMES):
        memory = engines[name].memory
        memory.remember(RememberRequest(f"The timeout is {number + 1}00 ms", is_global=True, valid_from=number + 1))
        (one,) = memory.remember(RememberRequest(f"The port of {name} is 80{number}0", is_global=True))["items"]
        ids[name] = one["id"]
    for name in order:
        synced(engines[name].memory, request(name, shared), RANDOM)
    engines["ada"].memory.forget(ids["ada"])
    engines["bob"].memory.purge(ids["bob"], f"purge {ids['bob']}")
    for name in (*order, *order, *order):
        synced(engines[name].memory, request(name, shared), RANDOM)
    roots = {content_root(engine.memory.exported()) for engine in engines.values()}
    assert len(roots) == 1
    for engine in engines.values():
        texts = {each["text"] for each in engine.memory.listed(statuses=("active", "contested"))["items"]}
        assert texts == {"The timeout is 300 ms", "The port of eve is 8020"}
        assert engine.memory.log(verify=True)["first_broken"] is None
    logs = [len(engine.memory.log(limit=500)["ops"]) for engine in engines.values()]
    files = sorted(os.listdir(shared))
    for name in NAMES:
        assert synced(engines[name].memory, request(name, shared), RANDOM)["taken"] == []
    assert [len(engine.memory.log(limit=500)["ops"]) for engine in engines.values()] == logs
    assert sorted(os.listdir(shared)) == files
