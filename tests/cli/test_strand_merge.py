"""``helix strand merge`` and ``diff``: the union of believed files, and what each of two sides has alone."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.errors import AlteredRecordError, UntrustedSignerError, UsageError
from helix_core.strand import (
    OpenedStrand,
    StrandKeys,
    StrandRecord,
    TrustedSigners,
    active,
    content_root,
    link_record,
    open_strand,
    record_of,
    union,
)
from helix_ls.cli.strand_actions import merged_file
from helix_ls.host.strand_files import StrandAccess
from helix_ls.host.strand_keys import keep_trusted, own_or_new_keys
from tests.strand.made import CODE, OWN, SCHEMA, STRANGER, made

from .conftest import FILES, Ran, RunHelix, git, make_repository, runner

pytestmark = pytest.mark.slow

ITEMS = [f"i{number}" for number in range(4)]
KINDS = ["remember", "propose", "approve", "forget", "restore", "purge"]


def item(id_: str, text: str = "") -> StrandRecord:
    return record_of({"type": "memory", "id": id_, "fields": {"text": text or f"the text of {id_}", "valid_from": 1}})


def op(kind: str, item_id: str, lamport: int) -> StrandRecord:
    fields = {"kind": kind, "item_id": item_id, "lamport": lamport}
    return record_of({"type": "op", "id": f"{kind}-{item_id}-{lamport}", "fields": fields})


STORES = st.lists(
    st.sampled_from(ITEMS).map(item)
    | st.builds(op, st.sampled_from(KINDS), st.sampled_from(ITEMS), st.integers(1, 3))
    | st.builds(link_record, st.sampled_from(ITEMS), st.just("supersedes"), st.sampled_from(ITEMS)),
    max_size=14,
).map(union)


class Merging:
    """Strands as files of one folder, merged by a user who trusts one other signer."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self._numbers = folder, folder / "data", itertools.count()
        self.own = own_or_new_keys(self.data)
        keep_trusted(self.data, TrustedSigners().accepted(OWN.signer, "Ada", 1))

    def file(self, records: tuple[StrandRecord, ...], keys: StrandKeys = OWN) -> str:
        path = self.folder / f"{next(self._numbers)}.dna"
        path.write_bytes(made(records, keys=keys))
        return str(path)

    def merged(self, *files: str) -> str:
        out = str(self.folder / f"{next(self._numbers)}.dna")
        access = StrandAccess.read(self.data, [CODE])
        merged_file(self.data, files, out, access, [CODE], description="", replaces=False, dry_run=False)
        return out

    def opened(self, file: str) -> OpenedStrand:
        return open_strand(Path(file).read_bytes(), CODE, newest_schema=SCHEMA)

    def root(self, file: str) -> bytes:
        return self.opened(file).root


@pytest.fixture(scope="module")
def merging() -> Iterator[Merging]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
        yield Merging(Path(folder))


@settings(max_examples=40, deadline=None)
@given(STORES, STORES, STORES)
def test_merging_files_is_commutative_associative_and_idempotent(
    merging: Merging, a: tuple[StrandRecord, ...], b: tuple[StrandRecord, ...], c: tuple[StrandRecord, ...]
) -> None:
    one, two, three = map(merging.file, (a, b, c))
    both = merging.merged(one, two)
    assert merging.opened(both).records == union(a, b)
    assert merging.root(both) == merging.root(merging.merged(two, one))
    assert (
        merging.root(merging.merged(both, three))
        == merging.root(merging.merged(one, merging.merged(two, three)))
        == merging.root(merging.merged(one, two, three))
    )
    again = merging.merged(both, both)
    assert merging.root(again) == merging.root(both)
    assert active(merging.opened(again).records) == active(union(b, a))


def test_a_merged_file_is_signed_by_the_user_and_names_what_it_was_made_from(merging: Merging) -> None:
    one, two = merging.file(union([item("i1")])), merging.file(union([item("i2")]), keys=merging.own)
    strand = merging.opened(merging.merged(one, two))
    assert strand.signer == merging.own.signer
    assert set(strand.manifest.parents) == {merging.root(one).hex(), merging.root(two).hex()}


def test_a_file_of_a_signer_who_is_not_trusted_is_never_signed_again(merging: Merging) -> None:
    mine, strange = merging.file(union([item("i1")])), merging.file(union([item("i2")]), keys=STRANGER)
    for files in ((mine, strange), (strange, mine)):
        before = sorted(os.listdir(merging.folder))
        with pytest.raises(UntrustedSignerError, match="whom you do not trust"):
            merging.merged(*files)
        assert sorted(os.listdir(merging.folder)) == before


def test_a_record_in_two_wordings_ends_a_merge_and_writes_nothing(merging: Merging) -> None:
    one, two = merging.file((item("i1", "300 ms"),)), merging.file((item("i1", "3000 ms"),))
    before = sorted(os.listdir(merging.folder))
    with pytest.raises(AlteredRecordError, match="in another wording"):
        merging.merged(one, two)
    assert sorted(os.listdir(merging.folder)) == before


def test_a_merge_replaces_no_file_without_force_and_no_folder_with_it(merging: Merging) -> None:
    one = merging.file(union([item("i1")]))
    kept = Path(one).read_bytes()
    access = StrandAccess.read(merging.data, [CODE])
    with pytest.raises(UsageError, match="already there"):
        merged_file(merging.data, [one, one], one, access, [CODE], description="", replaces=False, dry_run=False)
    with pytest.raises(UsageError, match="not a regular file"):
        merged_file(
            merging.data, [one, one], str(merging.folder), access, [CODE], description="", replaces=True, dry_run=False
        )
    answer = merged_file(merging.data, [one, one], one, access, [CODE], description="", replaces=True, dry_run=True)
    assert (answer["merged"], Path(one).read_bytes()) == (False, kept)
    merged_file(merging.data, [one, one], one, access, [CODE], description="", replaces=True, dry_run=False)
    assert merging.opened(one).signer == merging.own.signer
    assert content_root(merging.opened(one).records) == content_root([item("i1")])


@pytest.fixture
def people(tmp_path: Path, starts_processes: None) -> dict[str, Callable[..., Ran]]:
    """Two users on their own copies of one project, and a passphrase that both know."""
    (tmp_path / "secret").write_text("correct horse\n")
    (tmp_path / "secret").chmod(0o600)
    found: dict[str, Callable[..., Ran]] = {}
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        found[name] = partial(runner(tmp_path / name), cwd=make_repository(tmp_path / name / "shop", FILES))
    return found


def test_two_people_merge_and_compare_their_files(people: dict[str, Callable[..., Ran]], tmp_path: Path) -> None:
    ada, bob = people["ada"], people["bob"]
    secret = ("--passphrase-file", tmp_path / "secret")
    one, two, both = (tmp_path / f"{name}.dna" for name in ("ada", "bob", "both"))
    assert ada("remember", "The queue is NATS", "--global").status == 0
    assert ada("strand", "export", one, *secret).status == 0
    assert bob("strand", "trust", one, "--label", "Ada").status == 0
    assert bob("strand", "import", one, *secret).status == 0
    (listed,) = bob("list", "--json").answer["items"]
    assert bob("forget", listed["id"]).status == 0
    assert bob("remember", "The cache is Redis", "--global").status == 0
    assert bob("strand", "export", two, *secret).status == 0

    said = bob("strand", "diff", one, two, *secret, "--json").answer
    assert [(each["text"], each["second"]) for each in said["only_second"]] == [("The cache is Redis", "active")]
    assert [(each["text"], each["first"], each["second"]) for each in said["status_differs"]] == [
        ("The queue is NATS", "active", "forgotten")
    ]
    assert (said["only_first"], said["altered"], said["is_same"]) == ([], [], False)
    shown = bob("strand", "diff", one, two, *secret).out.splitlines()
    assert [line for line in shown if line.startswith("+ ") and "The cache is Redis  (active)" in line]
    assert [line for line in shown if line.startswith("~ ") and "The queue is NATS  (active → forgotten)" in line]
    assert bob("strand", "diff", "store", two, *secret, "--json").answer["is_same"]

    # Ada does not know Bob's key: nothing of his is signed by her.
    merge = ("strand", "merge", one, two, "-o", both, *secret)
    assert "whom you do not trust" in ada(*merge).complaint
    assert ada("strand", "trust", two, "--label", "Bob").status == 0
    assert ada(*merge, "--dry-run").status == 0
    assert not both.exists()
    ran = ada(*merge, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [each["trust"] for each in ran.answer["files"]] == ["own", "trusted"]
    assert "already there" in ada(*merge).complaint
    assert ada(*merge, "--force").status == 0
    # Bob has all of it: the union of both is what he had.
    assert bob("strand", "diff", two, both, *secret, "--json").answer["is_same"]


def test_a_comparison_shows_no_secret_and_names_what_somebody_altered(helix: RunHelix, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.write_text(CODE.text())
    code.chmod(0o600)
    one, two = tmp_path / "one.dna", tmp_path / "two.dna"
    one.write_bytes(made([item("i1", "300 ms"), item("i2", "The key is AKIAIOSFODNN7EXAMPLZ")]))
    two.write_bytes(made([item("i1", "3000 ms")], keys=STRANGER))
    ran = helix("strand", "diff", one, two, "--recovery-file", code)
    assert (ran.status, "AKIAIOSFODNN7EXAMPLZ" in ran.out) == (0, False)
    lines = ran.out.splitlines()
    assert [line for line in lines if line.startswith("! memory i1 is worded otherwise")]
    assert sum("whom you do not trust" in line for line in lines) == 2


def test_a_wrong_call_is_misuse(helix: RunHelix, tmp_path: Path) -> None:
    file = tmp_path / "one.dna"
    file.write_bytes(made())
    for arguments in (
        ("merge", file, "-o", tmp_path / "out.dna"),
        ("merge", file, file),
        ("merge", file, file, "-o", tmp_path / "out.dna"),
        ("diff", file),
        ("diff", "store", "store"),
        ("diff", file, file, file),
        ("verify", file, file),
    ):
        ran = helix("strand", *arguments)
        assert (ran.status, bool(ran.complaint)) == (2, True), arguments
    assert not (tmp_path / "out.dna").exists()


def test_a_passphrase_that_others_can_read_is_said_with_its_mode_and_the_mend(helix: RunHelix, tmp_path: Path) -> None:
    file, secret = tmp_path / "one.dna", tmp_path / "my secret"
    file.write_bytes(made())
    secret.write_text(CODE.text())
    verify = ("strand", "verify", file, "--recovery-file", secret)
    for mode in (0o644, 0o640, 0o602):
        secret.chmod(mode)
        ran = helix(*verify)
        assert ran.status == 0
        said = f"helix: note: {secret} holds a secret and is open to other users (mode {mode:04o})"
        assert ran.err == f"{said}; run: chmod 600 '{secret}'\n"
    secret.chmod(0o600)
    assert helix(*verify).err == ""


def test_a_description_is_sealed_and_a_dry_run_prints_the_difference(
    people: dict[str, Callable[..., Ran]], tmp_path: Path
) -> None:
    ada, bob = people["ada"], people["bob"]
    secret = ("--passphrase-file", tmp_path / "secret")
    file = tmp_path / "team.dna"
    assert ada("remember", "The queue is NATS", "--global").status == 0
    assert ada("remember", "Shipping is charged by weight").status == 0
    described = "Queue facts, token=ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    export = ("strand", "export", file, *secret, "--description", described)
    assert ada(*export, "--scope", "global").status == 2
    assert ada(*export, "--share", "--scope", "mars").status == 2
    assert ada(*export, "--share", "--scope", "global").status == 0
    assert bob("strand", "trust", file).status == 0
    shown = bob("strand", "verify", file, *secret).out
    assert ("described as: Queue facts" in shown, "ghp_16C7" in shown) == (True, False)
    lines = bob("strand", "import", file, *secret, "--dry-run").out.splitlines()
    assert [line.split("  ", 1)[1] for line in lines if line.startswith("+ ")] == ["The queue is NATS  (active)"]
    assert bob("list", "--json").answer["items"] == []


def test_two_people_sync_through_a_folder(people: dict[str, Callable[..., Ran]], tmp_path: Path) -> None:
    ada, bob = people["ada"], people["bob"]
    shared = tmp_path / "shared"
    shared.mkdir()
    sync = ("strand", "sync", shared, "--passphrase-file", tmp_path / "secret")
    assert ada("remember", "Shipping is charged by weight", "--cite", "shop/shipping.py:4-6").status == 0
    assert ada(*sync, "--dry-run", "--json").answer["writes"]
    assert list(shared.iterdir()) == []
    first = ada(*sync, "--json").answer
    assert [file.name for file in shared.iterdir()] == [first["written"]]
    assert b"Shipping" not in (shared / first["written"]).read_bytes()

    (skipped,) = bob(*sync, "--json").answer["skipped"]
    assert (skipped["file"], "whom you do not trust" in skipped["reason"]) == (first["written"], True)
    assert bob("strand", "trust", shared / first["written"], "--label", "Ada").status == 0
    (taken,) = bob(*sync, "--json").answer["taken"]
    assert (taken["file"], taken["trust"], taken["added"]["memory"]) == (first["written"], "trusted", 1)
    (item,) = bob("recall", "how is shipping charged?", "--json").answer["items"]
    assert [each["status"] for each in item["evidence"]][-1] == "verified"
    again = bob(*sync)
    assert (again.status, again.out.startswith("nothing to write")) == (0, True)
    assert len(list(shared.iterdir())) == 2
    assert bob("strand", "sync").status == bob("strand", "sync", shared).status == 2


def test_memories_of_several_projects_reach_the_right_folders_of_another_machine(
    tmp_path: Path, starts_processes: None
) -> None:
    projects = {
        name: make_repository(
            tmp_path / "ada" / "projects" / name, {f"{name}/rules.py": f"# {name}\n\nRULE = '{name}'\n"}
        )
        for name in ("shop", "billing", "stock")
    }
    there = {name: tmp_path / "bob" / "src" / f"{name}-clone" for name in projects}
    for name, place in there.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        git(place.parent, "clone", "-q", str(projects[name]), str(place))
    ada, bob = runner(tmp_path / "ada"), runner(tmp_path / "bob")
    shared, secret = tmp_path / "shared", tmp_path / "secret"
    shared.mkdir()
    secret.write_text("correct horse\n")
    secret.chmod(0o600)
    sync = ("strand", "sync", shared, "--passphrase-file", secret)

    def recalled(run: RunHelix, folder: Path) -> dict[str, list[str]]:
        items = run("list", "--verify", "--json", "--path", folder).answer["items"]
        return {one["text"]: [each["status"] for each in one["evidence"] if each["source_id"]] for one in items}

    assert ada("remember", "Everybody deploys on Fridays", "--global", "--path", projects["shop"]).status == 0
    for name in ("shop", "billing"):
        said = ("remember", f"The {name} rules are literal", "--cite", f"{name}/rules.py:1-3", "--path", projects[name])
        assert ada(*said).status == 0
    written = ada(*sync, "--path", projects["stock"], "--json").answer["written"]
    assert bob("strand", "trust", shared / written).status == 0
    assert bob(*sync, "--path", there["stock"]).status == 0
    everywhere = {"Everybody deploys on Fridays": []}
    for name in ("shop", "billing"):
        assert recalled(bob, there[name]) == everywhere | {f"The {name} rules are literal": ["verified"]}
    assert recalled(bob, there["stock"]) == everywhere

    # And back: what is remembered there belongs to the same project here.
    assert bob("remember", "The shop closes at noon", "--path", there["shop"]).status == 0
    back = bob(*sync, "--path", there["billing"], "--json").answer["written"]
    assert ada("strand", "trust", shared / back).status == 0
    assert ada(*sync, "--path", projects["billing"]).status == 0
    assert "The shop closes at noon" in recalled(ada, projects["shop"])
    assert "The shop closes at noon" not in recalled(ada, projects["billing"])


def test_memories_of_one_project_do_not_become_those_of_another_that_syncs_first(
    tmp_path: Path, starts_processes: None
) -> None:
    shop = make_repository(tmp_path / "ada" / "shop", FILES)
    other = make_repository(tmp_path / "bob" / "other", {"other.py": "OTHER = 1\n"})
    ada, bob = runner(tmp_path / "ada"), runner(tmp_path / "bob")
    file, secret = tmp_path / "ada.dna", tmp_path / "secret"
    secret.write_text("correct horse\n")
    secret.chmod(0o600)
    assert (
        ada("remember", "Shipping is charged by weight", "--cite", "shop/shipping.py:4-6", "--path", shop).status == 0
    )
    assert ada("strand", "export", file, "--passphrase-file", secret, "--path", shop).status == 0
    assert bob("strand", "trust", file).status == 0
    assert bob("strand", "import", file, "--passphrase-file", secret, "--path", other).status == 0
    assert bob("list", "--json", "--path", other).answer["items"] == []
    clone = tmp_path / "bob" / "clone"
    git(clone.parent, "clone", "-q", str(shop), str(clone))
    (item,) = bob("list", "--json", "--path", clone).answer["items"]
    assert item["text"] == "Shipping is charged by weight"


def test_an_older_export_comes_in_for_review_without_its_code(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    def chunk(content: str, **more: str) -> dict[str, str]:
        return {"gene_id": hashlib.sha256(content.encode()).hexdigest()[:16], "content": content, **more}

    genes = [
        chunk("We decided to always use Postgres for orders. ok thanks"),
        chunk("We decided that the queue must always be NATS.", source_id="docs/queue.md"),
        chunk("We decided to never deploy on Fridays.") | {"content": "We decided to always deploy on Fridays."},
    ]
    export = {"helix_format_version": 1, "header": {"description": "orders"}, "genes": genes, "promoter_index": []}
    file = tmp_path / "project.helix"
    file.write_text(json.dumps(export))
    take = ("strand", "import", file, "--path", shop)
    assert (helix(*take).status, "signed by nobody" in helix(*take).complaint) == (2, True)
    dry = helix(*take, "--review", "--dry-run", "--json").answer
    assert [each["text"] for each in dry["changes"]] == ["We decided to always use Postgres for orders."]
    assert helix("review", "--path", shop, "--json").answer["items"] == []
    answer = helix(*take, "--review", "--json").answer
    assert (answer["added"], answer["waits_for_review"]) == ({"memory": 1}, 1)
    assert answer["notes"] == ["left to the index: 1 chunk", "left out as altered: 1 chunk"]
    again = helix(*take, "--review", "--json").answer
    assert (again["added"], again["known"]) == ({"memory": 0}, 1)
    assert helix("recall", "which database for orders?", "--path", shop, "--json").answer["known_empty"]
    file.write_text(json.dumps(export | {"helix_format_version": 2}))
    assert "not an export of format 1" in helix(*take, "--review").complaint
