"""``helix trail``: versions and flags of a trail, and its files, which come back whole or are refused."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path

import pytest
from typer.core import TyperOption

from helix_core.phase import Trail, TrailItem, log_bytes
from helix_ls.cli.verbs import verb

from .conftest import ROOT, RunHelix

pytestmark = pytest.mark.slow

BASKET, SHIPPING, GUIDE = "shop/basket.py", "shop/shipping.py", "docs/guide.md"


@pytest.fixture(scope="module")
def recorded() -> bytes:
    """A plain trail file: one version after two files, another after a third; a flag; a file that never counts."""
    whole = Trail()
    for step, path in enumerate((BASKET, SHIPPING, ".env")):
        whole.observe(TrailItem(path), 1_700_000_000.0 + step)
    whole.commit("two files", 1_700_000_010.0)
    whole.observe(TrailItem(GUIDE), 1_700_000_020.0)
    whole.commit("and the guide", 1_700_000_030.0)
    whole.flag("seen-the-guide")
    return log_bytes(whole.log)


def test_a_trail_is_imported_marked_compared_rolled_back_and_exported(
    helix: RunHelix, shop: Path, tmp_path: Path, recorded: bytes
) -> None:
    assert helix("index", shop).status == 0
    here = ("--path", shop, "--json")
    plain = tmp_path / "one.hx"
    plain.write_bytes(recorded)

    would = helix("trail", "import", plain, "--dry-run", *here).answer
    assert (would["added"], would["left_out"], would["dry_run"]) == (3, 1, True)
    assert helix("trail", "log", *here).answer["steps"] == 0
    taken = helix("trail", "import", plain, *here).answer
    assert (taken["schema"], taken["added"], taken["flags"]) == ("helix.trailImported/1", 3, ["seen-the-guide"])
    [left_out] = taken["notes"]
    assert left_out == "left out 1 look at what does not count here"

    then = helix("trail", "log", *here).answer
    assert [(one["number"], one["label"], one["head"]) for one in then["versions"]] == [
        (0, "two files", 1),
        (1, "and the guide", 2),
    ]
    difference = helix("trail", "diff", "0", "1", *here).answer
    assert [item["source_id"] for item in difference["gained"]] == [GUIDE]
    assert difference["faded"] == [] and 0 < difference["turned"] < 1

    assert helix("trail", "rollback", "0", "--dry-run", *here).answer["head"] == 1
    assert helix("trail", "log", *here).answer["digest"] == then["digest"]
    back = helix("trail", "rollback", "0", *here).answer
    assert (back["number"], back["head"], back["undoes"]) == (2, 1, 0)
    assert [place["source_id"] for place in helix("where", shop, "--json").answer["last"]] == [SHIPPING, BASKET]
    helix("trail", "rollback", "2", *here)
    now = helix("trail", "log", *here).answer
    assert (now["digest"], now["flags"]) == (then["digest"], ["seen-the-guide"])
    shown = helix("trail", "log", "--path", shop).out
    assert "and the guide" in shown and "back to 0" in shown and "flag  seen-the-guide" in shown

    secret, sealed = tmp_path / "secret.txt", tmp_path / "two.hxe"
    secret.write_text("correct horse battery staple\n")
    secret.chmod(0o600)
    opens = ("--passphrase-file", secret)
    assert helix("trail", "export", sealed, *opens, "--dry-run", *here).answer["exported"] is False
    assert not sealed.exists()
    assert helix("trail", "export", sealed, *opens, *here).answer["sealed"] is True
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    data = sealed.read_bytes()
    assert [word for word in (b"basket", b"guide", b"two files", b"helix.trail") if word in data] == []
    assert helix("where", shop, "--forget", "--json").answer["forgotten"] is True
    sealed.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert helix("trail", "import", sealed, *opens, "--path", shop).status == 1
    assert helix("trail", "log", *here).answer["steps"] == 0
    sealed.write_bytes(data)
    helix("trail", "import", sealed, *opens, *here)
    again = helix("trail", "log", *here).answer
    assert (again["digest"], again["versions"], again["flags"]) == (now["digest"], now["versions"], now["flags"])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("rollback", "7"), "Version 7 is not in the trail"),
        (("rollback", "x"), "is not a version; helix trail log lists them"),
        (("diff", "0"), "name two versions"),
        (("commit",), "name the version with a label"),
        (("import", "trail.txt"), "is neither a .hx nor a .hxe file"),
        (("import", "nowhere.hx"), "cannot be read"),
        (("export", "new.hx", "--recovery"), "--recovery is for .hxe files"),
        (("export", "new.hxe"), "no key would open the file"),
        (("export", "nowhere/new.hx"), "No such file or directory (nowhere/new.hx)"),
    ],
)
def test_a_wrong_trail_command_is_one_line(helix: RunHelix, shop: Path, typed: tuple[str, ...], said: str) -> None:
    assert said in helix("trail", *typed, "--path", shop).complaint


def test_a_trail_of_one_look_is_told_in_the_singular(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    one = Trail()
    one.observe(TrailItem(BASKET), 1_700_000_000.0)
    one.flag("seen")
    (tmp_path / "one.hx").write_bytes(log_bytes(one.log))
    assert helix("index", shop).status == 0
    assert "1 event is added, 1 step in all" in helix("trail", "import", tmp_path / "one.hx", "--path", shop).out
    assert "1 event and 1 flag are written" in helix("trail", "export", tmp_path / "two.hx", "--path", shop).out


def test_a_label_or_a_flag_of_several_words_needs_no_quotes(helix: RunHelix, shop: Path) -> None:
    here = ("--path", shop, "--json")
    assert helix("trail", "commit", "before", "the", "refactoring", *here).answer["label"] == "before the refactoring"
    assert helix("trail", "flag", "never-index", SHIPPING, *here).answer["flag"] == f"never-index {SHIPPING}"
    assert SHIPPING not in helix("search", "shipping_cost", "--path", shop, "--json").out


def test_the_state_before_the_first_step_is_called_the_start(helix: RunHelix, shop: Path) -> None:
    assert helix("index", shop).status == 0
    assert helix("trail", "commit", "before", "all", "--path", shop).out == "the start marked as version 0\n"
    assert helix("trail", "log", "--path", shop).out.endswith("0 steps, at the start; 1 version\n")
    assert helix("where", shop).out == "No place is recorded here yet.\n"


KILLER = """
import os, signal, sys
left, folder = int(os.environ["KILL_AT"]), os.environ["KILL_IN"]
def reached():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def heard(event, arguments):
    if event in ("open", "os.chmod", "os.link", "os.rename", "os.remove") and folder in str(arguments[0]):
        reached()
sys.addaudithook(heard)
synced = os.fsync
def fsync(file):
    synced(file)
    reached()
os.fsync = fsync
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it sends SIGKILL")
def test_an_export_that_is_killed_at_any_point_leaves_a_whole_file_or_none_and_no_plaintext(
    helix: RunHelix, shop: Path, tmp_path: Path, recorded: bytes
) -> None:
    assert helix("index", shop).status == 0
    for name in ("out", "killer"):
        (tmp_path / name).mkdir()
    (tmp_path / "killer" / "sitecustomize.py").write_text(KILLER)
    (tmp_path / "one.hx").write_bytes(recorded)
    secret = tmp_path / "secret.txt"
    secret.write_text("correct horse battery staple\n")
    secret.chmod(0o600)
    here, opens = ("--path", shop, "--json"), ("--passphrase-file", secret)
    helix("trail", "import", tmp_path / "one.hx", *here)
    # The user's keys are made once.
    helix("trail", "export", tmp_path / "first.hxe", *opens, *here)
    sealed, killed = tmp_path / "out" / "two.hxe", 0
    kills = {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path / "killer", ROOT))), "KILL_IN": str(tmp_path / "out")}
    for point in range(1, 30):
        ran = helix("trail", "export", sealed, *opens, *here, **kills, KILL_AT=str(point))
        for file in (tmp_path / "out").iterdir():
            assert [word for word in (b"basket", b"guide", b"two files") if word in file.read_bytes()] == []
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        if sealed.exists():
            assert helix("trail", "import", sealed, *opens, "--dry-run", *here).status == 0
        if ran.status == 0:
            break
        assert ran.status == -signal.SIGKILL, ran
        killed += 1
        sealed.unlink(missing_ok=True)
    assert ran.status == 0 and killed >= 4


def test_a_file_that_is_refused_changes_nothing_of_a_trail(
    helix: RunHelix, shop: Path, tmp_path: Path, recorded: bytes
) -> None:
    assert helix("index", shop).status == 0
    file, here = tmp_path / "one.hx", ("--path", shop, "--json")
    file.write_bytes(recorded)
    helix("trail", "import", file, *here)
    [kept] = (tmp_path / "home" / "cache").rglob("trail.db")
    before = kept.read_bytes(), helix("trail", "log", *here).answer, sorted(kept.parent.iterdir())
    for wrong in (recorded[:-1], recorded + b"\0", b"HELX" + recorded, b""):
        file.write_bytes(wrong)
        for name in (file, file.rename(tmp_path / "one.hxe")):
            refused = helix("trail", "import", name, "--path", shop)
            assert refused.status in (1, 2) and refused.complaint, wrong[:8]
        (tmp_path / "one.hxe").rename(file)
    assert (kept.read_bytes(), helix("trail", "log", *here).answer, sorted(kept.parent.iterdir())) == before


def test_without_pynacl_sealing_is_refused_in_words_and_nothing_is_written(
    helix: RunHelix, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "nacl.py").write_text("raise ImportError('libsodium is not here')\n")
    without = {
        "PYTHONPATH": os.pathsep.join(map(str, (tmp_path / "without", ROOT))),
        "HELIX_DATA_DIR": str(tmp_path / "data"),
    }
    secret = tmp_path / "secret.txt"
    secret.write_text("correct horse battery staple\n")
    secret.chmod(0o600)
    for typed in (("trail", "export", tmp_path / "one.hxe"), ("strand", "export", tmp_path / "one.dna")):
        refused = helix(*typed, "--passphrase-file", secret, "--path", shop, **without)
        assert (refused.status, "run: pip install pynacl" in refused.complaint) == (1, True), refused
    assert [*tmp_path.glob("one.*")] == [] and [*tmp_path.glob("data/*key*")] == []
    assert helix("trail", "export", tmp_path / "plain.hx", "--path", shop, **without).status == 0


def test_the_options_for_keys_have_one_wording() -> None:
    helps = [
        {each.name: each.help for each in verb(name).params if isinstance(each, TyperOption)}
        for name in ("trail", "strand")
    ]
    for option in ("passphrase_file", "recovery_file", "recipient", "recovery"):
        assert helps[0][option] == helps[1][option]
