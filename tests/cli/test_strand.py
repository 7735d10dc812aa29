"""``helix strand`` checks a file without believing it, and says in one line why it refuses one."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.strand import LEAST_MEMORY_MIB, LEAST_PASSES, Passphrase, StrandKeys, open_strand
from helix_ls.host.strand_keys import own_or_new_keys
from tests.strand.made import CODE, FACTS, OWN, STRANGER, made

from .conftest import FILES, ROOT, RunHelix, environment, make_repository, runner

PASSPHRASE = Passphrase("correct horse", LEAST_MEMORY_MIB, LEAST_PASSES)


def secret(file: Path, text: str) -> Path:
    """A file that only its owner reads: Helix warns of others."""
    file.write_text(text)
    file.chmod(0o600)
    return file


@pytest.fixture(scope="module")
def sealed() -> bytes:
    return made(locks=[PASSPHRASE, CODE])


@pytest.fixture
def strand(tmp_path: Path, sealed: bytes) -> Path:
    file = tmp_path / "ada.dna"
    file.write_bytes(sealed)
    file.chmod(0o600)
    secret(tmp_path / "passphrase", "correct horse\nand a second line\n")
    secret(tmp_path / "wrong", "wrong horse\n")
    return file


def test_a_whole_strand_is_told_without_a_passphrase(helix: RunHelix, strand: Path) -> None:
    ran = helix("strand", "verify", strand, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.answer == {
        "schema": "helix.strand/1",
        "whole": True,
        "format": 1,
        "signer": f"dna-signer:{OWN.signer.hex()}",
        "opens_with": ["passphrase", "recovery code"],
        "size_bytes": strand.stat().st_size,
        "trust": "none",
    }
    shown = helix("strand", "verify", strand)
    assert shown.status == 0
    assert "not trusted here" in shown.out
    assert [word for word in ("Ada", "NATS", "memory") if word in shown.out.replace("ada.dna", "")] == []


def test_with_the_passphrase_the_content_is_checked_too(helix: RunHelix, strand: Path, tmp_path: Path) -> None:
    ran = helix("strand", "verify", strand, "--passphrase-file", tmp_path / "passphrase", "--json")
    assert ran.status == 0
    assert ran.answer["records"] == {"link": 1, "memory": 3}
    assert ran.answer["label"] == "Ada's laptop"
    secret(tmp_path / "code", CODE.text().lower())
    assert helix("strand", "verify", strand, "--recovery-file", tmp_path / "code", "--json").answer == ran.answer


@pytest.mark.slow
def test_a_refusal_is_one_line_and_status_1(helix: RunHelix, strand: Path, tmp_path: Path, sealed: bytes) -> None:
    wrong = helix("strand", "verify", strand, "--passphrase-file", tmp_path / "wrong")
    assert wrong.status == 1
    assert "does not open with this key" in wrong.complaint
    for name, data, said in (
        ("flipped", sealed[:-200] + bytes([sealed[-200] ^ 1]) + sealed[-199:], "damaged or altered"),
        ("short", sealed[:-1], "copy it again"),
        ("newer", sealed[:8] + b"\0\2" + sealed[10:], "format 2, and this Helix reads format 1; update Helix"),
        ("other", b"PK\x03\x04", "not a strand"),
        ("empty", b"", "not a strand"),
    ):
        (tmp_path / name).write_bytes(data)
        refused = helix("strand", "verify", tmp_path / name, "--json")
        assert refused.status == 1, name
        assert said in refused.complaint


@pytest.mark.slow
def test_a_wrong_call_is_misuse(helix: RunHelix, strand: Path, tmp_path: Path) -> None:
    secret(tmp_path / "empty", "\n")
    for arguments in (
        ("verify",),
        ("verify", tmp_path / "nowhere.dna"),
        ("verify", tmp_path),
        ("verify", "/dev/zero"),
        ("sing", strand),
        ("verify", strand, "--passphrase-file", tmp_path / "nowhere"),
        ("verify", strand, "--passphrase-file", tmp_path / "empty"),
        ("verify", strand, "--passphrase-file", strand),
        ("verify", strand, "--recovery-file", tmp_path / "wrong"),
        ("rekey", strand, "--passphrase-file", tmp_path / "passphrase"),
        ("trust", "dna-signer:zz"),
        ("untrust", f"dna-signer:{OWN.signer.hex()}"),
    ):
        ran = helix("strand", *arguments)
        assert ran.status == 2, arguments
        assert ran.complaint


def test_an_option_that_the_action_would_ignore_is_misuse(helix: RunHelix, strand: Path, tmp_path: Path) -> None:
    for arguments, said in (
        (("sync", tmp_path, "--recovery"), "--recovery is for export, merge, rekey, share, not for sync"),
        (("keys", "--prune"), "--prune is for sync, not for keys"),
        (("verify", strand, "--new-passphrase-file", "x"), "--new-passphrase-file is for merge, rekey, not for verify"),
    ):
        ran = helix("strand", *arguments)
        assert (ran.status, said in ran.complaint) == (2, True), ran.complaint


@pytest.mark.slow
def test_trust_is_by_key(helix: RunHelix, strand: Path, tmp_path: Path) -> None:
    assert helix("strand", "trust", "--json").answer["trusted"] == []
    assert helix("strand", "trust", strand, "--label", "Ada", "--dry-run").status == 0
    assert helix("strand", "trust", "--json").answer["trusted"] == []
    assert helix("strand", "trust", strand, "--label", "Ada").status == 0
    assert helix("strand", "verify", strand, "--json").answer["trust"] == "trusted"
    stranger = tmp_path / "stranger.dna"
    stranger.write_bytes(made(keys=STRANGER))
    assert helix("strand", "verify", stranger, "--json").answer["trust"] == "none"
    (pin,) = helix("strand", "trust", "--json").answer["trusted"]
    assert (pin["signer"], pin["label"]) == (f"dna-signer:{OWN.signer.hex()}", "Ada")
    assert helix("strand", "untrust", pin["signer"]).status == 0
    assert helix("strand", "verify", strand, "--json").answer["trust"] == "none"


@pytest.mark.slow
def test_rekey_changes_who_opens_a_strand_of_ones_own(helix: RunHelix, tmp_path: Path) -> None:
    keys = helix("strand", "keys", "--json").answer
    home = tmp_path / "home"
    (kept,) = home.rglob("strand-keys.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    own = own_or_new_keys(kept.parent)
    assert keys["recipient"] == own.recipient.text()
    file = tmp_path / "mine.dna"
    file.write_bytes(made(keys=own, locks=[CODE]))
    before = file.read_bytes()
    secret(tmp_path / "code", CODE.text())
    wanted = ("rekey", file, "--recovery-file", tmp_path / "code", "--recipient", keys["recipient"])
    assert helix("strand", *wanted, "--dry-run").status == 0
    assert file.read_bytes() == before
    ran = helix("strand", *wanted, "--recovery", "--json")
    assert ran.status == 0
    assert ran.answer["opens_with"] == ["recipient", "recovery code"]
    again = helix("strand", *wanted)
    assert (again.status, "does not open with this key" in again.complaint) == (1, True)
    # The recipient opens it without a passphrase, and the printed code opens it, too.
    secret(tmp_path / "new", ran.answer["recovery_code"])
    opened = helix("strand", "verify", file, "--recovery-file", tmp_path / "new", "--json").answer
    assert opened["trust"] == "own"
    assert helix("strand", "rekey", file, "--recovery", "--rotate").status == 0
    assert helix("strand", "verify", file, "--recovery-file", tmp_path / "new").status == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["code", "home", "mine.dna", "new"]


def test_a_strand_of_somebody_else_is_not_rekeyed(helix: RunHelix, strand: Path, tmp_path: Path) -> None:
    ran = helix("strand", "rekey", strand, "--passphrase-file", tmp_path / "passphrase", "--recovery")
    assert ran.status == 2
    assert "only its signer changes its keys" in ran.complaint


RING = {"PYTHON_KEYRING_BACKEND": "tests.proxy.ring.FileRing"}


def test_the_keys_are_in_the_key_ring_where_there_is_one(tmp_path: Path, starts_processes: None) -> None:
    helix = runner(tmp_path)
    ring = {**RING, "HELIX_TEST_RING": str(tmp_path / "ring.json")}
    keys = helix("strand", "keys", "--json", **ring).answer
    (kept,) = tmp_path.rglob("strand-keys.json")
    said = json.loads(kept.read_text())
    assert said["kept_in"] == "key ring"
    assert "secret" not in said
    (secret,) = json.loads((tmp_path / "ring.json").read_text()).values()
    assert StrandKeys(bytes.fromhex(secret)[:32], bytes.fromhex(secret)[32:]).recipient.text() == keys["recipient"]
    assert secret not in kept.read_text()
    # A ring that is away is an error; other keys would be another person.
    gone = helix("strand", "keys", PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    assert (gone.status, "key ring" in gone.complaint) == (1, True)
    assert helix("strand", "keys", "--json", **ring).answer == keys


def test_damaged_keys_are_an_error_and_never_replaced(helix: RunHelix, tmp_path: Path) -> None:
    helix("strand", "keys")
    (kept,) = (tmp_path / "home").rglob("strand-keys.json")
    for text in ("", "{}", kept.read_text().replace('"secret": "', '"secret": "00')):
        kept.write_text(text)
        ran = helix("strand", "keys")
        assert ran.status == 1
        assert "strand-keys.json" in ran.complaint
        assert kept.read_text() == text


def test_keys_behind_a_link_are_not_followed(helix: RunHelix, tmp_path: Path) -> None:
    helix("strand", "keys")
    (kept,) = (tmp_path / "home").rglob("strand-keys.json")
    moved = tmp_path / "elsewhere.json"
    kept.rename(moved)
    kept.symlink_to(moved)
    assert helix("strand", "keys").status == 1


def test_what_the_command_line_checked_is_what_the_python_api_opens(sealed: bytes) -> None:
    assert set(open_strand(sealed, PASSPHRASE, newest_schema=1).records) == set(FACTS)


@pytest.mark.slow
def test_memories_go_from_one_user_to_another_by_a_file(tmp_path: Path, starts_processes: None) -> None:
    shared = secret(tmp_path / "secret", "correct horse\n")
    people = {}
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        shop = make_repository(tmp_path / name / "shop", FILES)
        people[name] = (partial(runner(tmp_path / name), cwd=shop), shop)
    ada, bob = people["ada"][0], people["bob"][0]
    cite = "shop/shipping.py:4-6"
    assert ada("remember", "Shipping is charged by weight", "--cite", cite).status == 0
    file = tmp_path / "ada.dna"
    export = ("strand", "export", file, "--passphrase-file", shared)
    assert ada(*export, "--dry-run").status == 0
    assert not file.exists()
    assert ada(*export).status == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "already there" in ada(*export).complaint
    assert b"Shipping" not in file.read_bytes()
    take = ("strand", "import", file, "--passphrase-file", shared)
    refused = bob(*take)
    assert (refused.status, "whom you do not trust" in refused.complaint) == (1, True)
    assert bob("strand", "trust", file, "--label", "Ada").status == 0
    assert bob(*take, "--policy", "sing").status == 2
    assert bob(*take, "--dry-run", "--json").answer["added"]["memory"] == 1
    assert bob(*take, "--json").answer["added"]["memory"] == 1
    (item,) = bob("recall", "how is shipping charged?", "--json").answer["items"]
    assert [(each["source_id"], each["status"]) for each in item["evidence"]][-1] == ("shop/shipping.py", "verified")
    assert bob(*take, "--json").answer["known"] == 1


@pytest.mark.slow
def test_an_export_is_of_this_folder_and_names_the_others_before_it_writes(
    helix: RunHelix, shop: Path, tmp_path: Path
) -> None:
    secret(tmp_path / "secret", "correct horse\n")
    other = make_repository(tmp_path / "mill", FILES)
    assert helix("remember", "The queue is NATS", "--path", shop).status == 0
    assert helix("remember", "The mill grinds rye", "--path", other).status == 0
    export = ("strand", "export", tmp_path / "one.dna", "--passphrase-file", tmp_path / "secret", "--path", shop)
    shown = helix(*export, "--dry-run")
    assert f"one.dna takes 1 memory: 1 of {shop}" in shown.err
    assert "1 memory of 1 other workspace stays out; --workspace all takes every one" in shown.err
    told = helix(*export, "--dry-run", "--json")
    assert told.err == ""
    assert [(each["path"], each["memories"]) for each in told.answer["workspaces"]] == [(str(shop), 1)]
    assert told.answer["left_out"] == {"memories": 1, "workspaces": 1}
    assert helix(*export, "--workspace", "all", "--dry-run", "--json").answer["records"]["memory"] == 2
    mill = helix(*export, "--workspace", other, "--json").answer
    assert [each["path"] for each in mill["workspaces"]] == [str(other)]
    assert "no memories of" in helix(*export[:2], tmp_path / "no.dna", *export[3:], "--workspace", "nowhere").complaint
    shared = helix("strand", "share", tmp_path / "no.dna", *export[3:], "--workspace", "all")
    assert (shared.status, "--workspace is for export" in shared.complaint) == (2, True)
    assert not (tmp_path / "no.dna").exists()


@pytest.mark.slow
def test_an_untrusted_file_comes_in_for_review_only(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    other = runner(tmp_path / "other")
    (tmp_path / "other").mkdir()
    assert other("remember", "Deploys happen on Fridays", "--global", "--path", shop).status == 0
    file = tmp_path / "other.dna"
    mine = helix("strand", "keys", "--json").answer["recipient"]
    wrote = other("strand", "export", file, "--recipient", mine, "--path", shop)
    assert (wrote.status, wrote.out.startswith("wrote 1 piece of evidence, 1 memory, 1 operation; ")) == (0, True)
    would = helix("strand", "import", file, "--review", "--dry-run", "--path", shop).out
    assert would.startswith(
        "would take in 1 piece of evidence, 1 memory, 1 operation; 0 memories were here or left out, 0 removed"
    )
    assert would.endswith("1 memory waits for your review: helix review\n")
    ran = helix("strand", "import", file, "--review", "--path", shop, "--json")
    assert (ran.status, ran.answer["waits_for_review"]) == (0, 1)
    assert helix("recall", "when do deploys happen?", "--path", shop, "--json").answer["known_empty"]
    again = helix("strand", "import", file, "--review", "--path", shop).out
    assert "1 memory was here or left out" in again
    assert helix("strand", "trust", file, "--label", "Ada").status == 0
    assert helix("strand", "import", file, "--path", shop).status == 0
    shown = helix("recall", "when do deploys happen?", "--path", shop).out
    assert "· Deploys happen on Fridays" in shown
    assert "signed by Ada" in shown
    assert "said by you" not in shown


@pytest.mark.slow
def test_a_golden_strand_of_the_format_is_verified_and_is_no_memory(helix: RunHelix, tmp_path: Path) -> None:
    golden, project = ROOT / "fixtures/strands/memories.dna", make_repository(tmp_path / "shop", FILES)
    key = secret(tmp_path / "golden", "caf\u00e9 horse battery staple\n")
    assert helix("strand", "verify", golden, "--passphrase-file", key).status == 0
    refused = helix("strand", "import", golden, "--passphrase-file", key, "--review", "--dry-run", cwd=project)
    assert (refused.status, "export it with helix strand export" in refused.complaint) == (1, True)


CRASHES = """
import runpy, sys
import nacl.bindings

def fails(*_, **__):
    raise RuntimeError("the derivation failed")

nacl.bindings.crypto_pwhash_alg = fails
sys.argv = ["helix", *sys.argv[1:]]
runpy.run_module("helix_ls.cli", run_name="__main__")
"""


@pytest.mark.slow
def test_no_passphrase_and_no_key_is_in_an_output_a_log_or_a_file(tmp_path: Path, starts_processes: None) -> None:
    own, other, key = "quokka-passphrase-7713", "numbat-passphrase-4401", "sk-bilby-4096-wombat-upstream"
    home, hidden = tmp_path / "home", tmp_path / "hidden"
    home.mkdir()
    hidden.mkdir()
    shop = make_repository(home / "shop", FILES)
    mine, theirs = secret(hidden / "mine", f"{own}\n"), secret(hidden / "theirs", f"{other}\n")
    names = {"HELIX_UPSTREAM_KEY": key, "HELIX_UPSTREAM": "http://127.0.0.1:9", "HELIX_DEBUG": "1"}
    names |= {"HELIX_MEMORY_LEARN": "on", "HELIX_MEMORY_EXTRACTOR_MODEL": "facts"}
    names |= {"HELIX_MONTHLY_TOKEN_BUDGET": "100000", "HELIX_DATA_DIR": str(home / "data")}
    helix, file, said = partial(runner(home), cwd=shop, **names), home / "a.dna", []

    def run(*arguments: str | Path) -> int:
        ran = helix(*arguments)
        said.append(ran.out + ran.err)
        return ran.status

    locked = ("--passphrase-file", mine)
    assert run("remember", "Shipping is charged by weight") == 0
    assert run("strand", "export", file, *locked) == 0
    assert run("strand", "verify", file, *locked) == 0
    assert run("strand", "import", file, "--passphrase-file", theirs) == 1
    assert run("strand", "merge", file, file, "-o", home / "b.dna", *locked) == 0
    assert run("strand", "rekey", file, *locked, "--new-passphrase-file", theirs, "--rotate") == 0
    assert run("strand", "export", home / "c.dna", "--passphrase-file", home / "gone") == 2
    assert run("strand", "export", home / "d.dna", "--passphrase", own) == 2
    file.write_bytes(file.read_bytes()[:-9])
    assert run("strand", "import", file, "--passphrase-file", theirs) == 1
    with Helix.open(shop, config=load_config(shop, environ=environment(home, **names))) as engine:
        engine.memory.learn("We decided to charge by weight, because the carrier does.", "It is so.")
    assert run("review", "--consolidate") == 0
    assert run("log", "--all", "--json") == 0
    assert run("config", "--explain", "--json") == 0
    assert run("doctor") in (0, 1)
    crash = [sys.executable, "-c", CRASHES, "strand", "export", str(home / "e.dna"), *map(str, locked)]
    crashed = subprocess.run(crash, env=environment(home, **names), cwd=shop, capture_output=True, check=False)
    assert (crashed.returncode, b"the derivation failed" in crashed.stderr) == (1, True)
    said.append((crashed.stdout + crashed.stderr).decode())
    kept = b"\0".join(one.read_bytes() for one in sorted(home.rglob("*")) if one.is_file())
    for word in (own, other, key):
        assert word not in "\n".join(said)
        assert word.encode() not in kept
