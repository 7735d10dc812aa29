"""A packet that is open asks itself again: what comes into the index or changes on the disk comes into it, and goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.indexing.intake import Intake
from helix_core.engine.indexing.refresh import Refresh
from helix_core.engine.indexing.write_lock import turn
from helix_ls.lsp.packets import MOST_ASKED
from tests.engine.repository import FILES, write
from tests.lsp.conftest import StartWire, make_project
from tests.lsp.wire import Wire

pytestmark = pytest.mark.slow

MANY = {f"app/many_{n:02}.py": f"def handle_{n}(letter):\n    return letter\n" for n in range(40)}
VAULT = {"app/vault.py": "def seal_letter(wax):\n    '''Letters are sealed with quokka wax.'''\n    return wax\n"}
WHERE = "where are letters sealed with quokka wax?"
GROUPS = ("verified", "stale_risk", "needs_refresh")


def paths(packet: Any) -> set[str]:
    return {item["source_id"] for group in GROUPS for item in packet[group]}


def asked_again(wire: Wire, packet: Any, wanted: Any, since: int = 0) -> Any:
    """The first notification with another answer for the packet that is wanted."""
    return wire.until_told(
        "helix/verdicts",
        lambda told: told["packet_id"] == packet["packet_id"] and "packet" in told and wanted(told),
        since=since,
    )


class CutShortError(Exception):
    """The refresh ends here, as if its process had been killed."""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return make_project(tmp_path / "clone", FILES | MANY | VAULT)


def index_of(clone: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of an index in which ten of the clone's files are, and not the vault."""
    fresh = Intake._fresh_files

    def some(self: Intake, entries: Any) -> Any:
        return fresh(self, [entry for entry in entries if b"vault" not in entry.path][:10])

    def end(*_: Any) -> None:
        raise CutShortError

    config = load_config(clone, environ={"HELIX_CACHE_DIR": str(home / "cache")}, user=home / "none.toml")
    with monkeypatch.context() as patch, Helix.open(clone, config=config) as helix:
        patch.setattr(Intake, "_fresh_files", some)
        patch.setattr(Refresh, "_remember_history", end)
        with pytest.raises(CutShortError):
            helix.refresh()
        return helix.index_path


def test_a_packet_asked_while_files_come_in_ends_right_without_being_asked_again(
    start: StartWire, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = start()
    index = index_of(clone, wire.errors.parent, monkeypatch)
    with turn(index, lambda: None):
        wire.initialize(clone)
        packet = wire.command("helix.packet", {"question": WHERE, "open": True})
        assert 0 < packet["accounting"]["indexed_share"] < 0.5
        assert any("not complete yet" in note for note in packet["notes"])
        assert not packet["known_empty"]
        assert packet["coordinate_confidence"] < 0.3
        assert "app/vault.py" not in {item["source_id"] for item in packet["verified"]}
    told = asked_again(wire, packet, lambda told: told["packet"]["accounting"]["indexed_share"] == 1)
    assert told["packet"]["verified"][0]["source_id"] == "app/vault.py"
    assert told["packet"]["coordinate_confidence"] > packet["coordinate_confidence"]
    assert told["packet"]["notes"] == []
    assert told["packet"]["packet_id"] == packet["packet_id"]
    came = [one for told in wire.told("helix/verdicts") for one in told.get("came", ())]
    assert "app/vault.py" in {one["source_id"] for one in came}


def test_a_fresh_clone_asked_at_once_ends_right(start: StartWire, clone: Path) -> None:
    wire = start()
    wire.initialize(clone)
    packet = wire.command("helix.packet", {"question": WHERE, "open": True})
    if packet["accounting"]["indexed_share"] < 1:
        told = asked_again(wire, packet, lambda told: told["packet"]["accounting"]["indexed_share"] == 1)
        packet = told["packet"]
    assert packet["verified"][0]["source_id"] == "app/vault.py"


@pytest.fixture
def opened(visited: Wire) -> Wire:
    """The module's server, on a repository of the test's own."""
    return visited


def test_what_is_written_comes_and_what_is_deleted_goes(opened: Wire, project: Path) -> None:
    packet = opened.command("helix.packet", {"question": WHERE, "open": True})
    assert "app/vault.py" not in paths(packet)
    since = len(opened.heard)
    write(project, VAULT)
    told = asked_again(opened, packet, lambda told: "app/vault.py" in paths(told["packet"]), since)
    (came,) = [one for one in told["came"] if one["source_id"] == "app/vault.py"]
    assert came["symbol"] == "seal_letter"
    assert "app/vault.py" in {item["source_id"] for item in told["items"]}
    since = len(opened.heard)
    (project / "app/vault.py").unlink()
    told = asked_again(opened, packet, lambda told: "app/vault.py" in {one["source_id"] for one in told["went"]}, since)
    assert "app/vault.py" not in {item["source_id"] for item in told["packet"]["verified"]}


def test_what_was_shown_first_is_judged_as_long_as_the_packet_is_open(opened: Wire, project: Path) -> None:
    packet = opened.command("helix.packet", {"question": "sign_cookie", "open": True})
    (shown,) = [item for item in packet["verified"] if item["symbol"] == "sign_cookie"]
    since = len(opened.heard)
    file = project / "app/sessions.py"
    file.write_text(file.read_text().replace('payload + "."', 'payload + "|"'))
    told = asked_again(opened, packet, lambda told: told["went"], since)
    assert shown["gene_id"] in {one["gene_id"] for one in told["went"]}
    mine = (shown["source_id"], shown["gene_id"], shown["symbol"])
    still = [one for one in told["items"] if (one["source_id"], one["gene_id"], one["symbol"]) == mine]
    assert len(still) == 1
    plan = opened.command("helix.refreshPlan", {"packet_id": packet["packet_id"]})
    assert "app/sessions.py" in {target["source_id"] for target in plan["refresh_targets"]}


def test_only_the_packets_opened_last_are_asked_again(opened: Wire, project: Path) -> None:
    packets = [opened.command("helix.packet", {"question": WHERE, "open": True}) for _ in range(MOST_ASKED + 2)]
    write(project, VAULT)
    for packet in packets[2:]:
        asked_again(opened, packet, lambda told: told["came"])
    renewed = {told["packet_id"] for told in opened.told("helix/verdicts") if "packet" in told}
    assert renewed == {packet["packet_id"] for packet in packets[2:]}


def test_a_packet_of_given_places_keeps_them_and_tells_their_changes(start: StartWire, clone: Path) -> None:
    wire = start()
    wire.initialize(clone)
    wire.until_fresh(clone)
    found = wire.command("helix.packet", {"question": WHERE, "k": 3})
    names = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")
    given = [{name: item[name] for name in names} for group in GROUPS for item in found[group]]
    packet = wire.command("helix.packet", {"question": "sent to the model", "items": given, "open": True})
    assert sorted(paths(packet)) == sorted({one["source_id"] for one in given})
    (clone / "app/vault.py").write_text("def seal_letter(wax):\n    return wax or 'red'\n")
    told = wire.until_told(
        "helix/verdicts",
        lambda one: (
            one["packet_id"] == packet["packet_id"]
            and any(item["source_id"] == "app/vault.py" and item["status"] != "verified" for item in one["items"])
        ),
    )
    assert len(told["items"]) == len(given)
