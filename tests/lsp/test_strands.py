"""Memories leave one user's editor in a sealed file and come into another's; no secret stays anywhere on the way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from helix_core.strand import ClashPolicy
from helix_ls.operations.strands import POLICIES, ExportArguments, ImportArguments
from tests.lsp.conftest import StartWire
from tests.lsp.wire import Message, Wire

pytestmark = pytest.mark.slow

PASSPHRASE = "Tr0ubador & zebra stripes"
WRONG = "Tr0ubador & zebra strides"


def opened(start: StartWire, project: Path) -> Wire:
    """A server of a user of their own."""
    number = len(list(project.parent.glob("home*")))
    wire = start(HELIX_DATA_DIR=str(project.parent / f"home{number}/data"))
    wire.initialize(project)
    wire.until_fresh(project)
    return wire


def refusal(wire: Wire, command: str, given: Message) -> Message:
    return wire.error("workspace/executeCommand", {"command": command, "arguments": [given]})


def remember(wire: Wire, *texts: str) -> None:
    for text in texts:
        wire.command("helix.memory.remember", {"text": text, "origin": "user", "scope": "global"})


def listed(wire: Wire) -> set[str]:
    return {each["text"] for each in wire.command("helix.memory.list", {})["items"]}


def written_by(home: Path) -> str:
    """Everything below a home, as text."""
    files = [each for each in home.rglob("*") if each.is_file() and not each.is_symlink()]
    return "".join(each.read_bytes().decode("utf-8", "replace") for each in files)


def test_memories_travel_from_one_editor_to_another(start: StartWire, project: Path, tmp_path: Path) -> None:
    ada, bob, file = opened(start, project), opened(start, project), tmp_path / "ada.dna"
    remember(ada, "Deploys happen on Fridays", "We decided that cookies are signed with the oldest key.")
    given: dict[str, Any] = {"file": str(file), "passphrase": PASSPHRASE}
    wrote = ada.command("helix.strand.export", {**given, "recovery": True})
    assert (wrote["exported"], wrote["records"]["memory"]) == (True, 2)
    assert (wrote["about_all"], wrote["left_out"]) == (2, {"memories": 0, "workspaces": 0})
    assert wrote["opens_with"] == ["passphrase", "recovery code"]
    assert "already there" in refusal(ada, "helix.strand.export", given)["message"]

    told = bob.command("helix.strand.verify", {"file": str(file)})
    assert (told["trust"], told["signer_label"], told["opens_with_own_key"]) == ("none", "", False)
    assert "whom you do not trust" in refusal(bob, "helix.strand.import", given)["message"]
    wrong = refusal(bob, "helix.strand.import", {**given, "passphrase": WRONG, "review": True, "dry_run": True})
    assert wrong["data"] == {"refused": "locked"}

    would = bob.command("helix.strand.import", {**given, "review": True, "dry_run": True})
    assert [(each["before"], each["after"]) for each in would["changes"]] == [(None, "quarantined")] * 2
    assert listed(bob) == set()
    assert bob.command("helix.strand.trust", {"signer": told["signer"], "label": "Ada"})["trust"] == "trusted"
    assert bob.command("helix.strand.verify", {"file": str(file)})["signer_label"] == "Ada"
    code = {"file": str(file), "recovery_code": wrote["recovery_code"]}
    assert bob.command("helix.strand.import", {**code, "dry_run": True})["added"]["memory"] == 2
    assert bob.command("helix.strand.import", given)["added"]["memory"] == 2
    assert listed(bob) == listed(ada) != set()
    assert bob.command("helix.strand.import", given)["known"] == 2

    home = tmp_path
    for secret in (PASSPHRASE, WRONG, wrote["recovery_code"]):
        assert secret not in written_by(home)
        assert secret not in str([each for wire in (ada, bob) for each in wire.heard if each.get("method")])
        for process in (ada.process.pid, bob.process.pid):
            about = Path(f"/proc/{process}")
            assert secret.encode() not in (about / "cmdline").read_bytes() + (about / "environ").read_bytes()


def test_proposals_of_a_trusted_signer_wait_for_review_too(start: StartWire, project: Path, tmp_path: Path) -> None:
    ada, bob, file = opened(start, project), opened(start, project), tmp_path / "ada.dna"
    remember(ada, "Deploys happen on Fridays")
    given = {"file": str(file), "passphrase": PASSPHRASE}
    signer = ada.command("helix.strand.export", given)["signer"]
    bob.command("helix.strand.trust", {"signer": signer})
    assert bob.command("helix.strand.import", {**given, "review": True})["waits_for_review"] == 1
    assert len(bob.command("helix.memory.review", {})["items"]) == 1


def test_a_file_that_is_no_whole_strand_is_refused_before_any_key(
    start: StartWire, project: Path, tmp_path: Path
) -> None:
    wire, file = opened(start, project), tmp_path / "ada.dna"
    remember(wire, "Deploys happen on Fridays")
    wire.command("helix.strand.export", {"file": str(file), "passphrase": PASSPHRASE})
    data = file.read_bytes()
    cases = {
        data[:-1]: "the strand is refused",
        data[:9] + b"\x02" + data[10:]: "update Helix",
        b"{}": "name a .dna file",
    }
    for wrong, said in cases.items():
        file.write_bytes(wrong)
        assert said in refusal(wire, "helix.strand.verify", {"file": str(file)})["message"]
    assert "absolute" in refusal(wire, "helix.strand.verify", {"file": "ada.dna"})["message"]
    assert "no-such.dna" in refusal(wire, "helix.strand.verify", {"file": str(tmp_path / "no-such.dna")})["message"]


@pytest.mark.unit
def test_a_secret_is_in_no_repr_and_the_policies_are_those_of_strands() -> None:
    given = ExportArguments(os.devnull, PASSPHRASE), ImportArguments(os.devnull, PASSPHRASE, "code")
    assert PASSPHRASE not in repr(given)
    assert "code'" not in repr(given)
    assert tuple(ClashPolicy) == POLICIES
