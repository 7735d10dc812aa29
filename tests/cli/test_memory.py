"""``helix remember`` and what follows it, through real processes: no character is lost in silence."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.memory import RememberRequest
from helix_core.tokens import estimate
from tests.cli.conftest import RunHelix

pytestmark = pytest.mark.process


@pytest.fixture
def remembering(helix: RunHelix, shop: Path, tmp_path: Path) -> RunHelix:
    """Runs helix in the shop with a memory of its own."""
    return lambda *arguments, **more: helix(*arguments, cwd=shop, HELIX_DATA_DIR=str(tmp_path / "data"), **more)


def test_a_text_that_is_not_utf_8_is_refused_in_one_line(remembering: RunHelix) -> None:
    ran = remembering("remember", "-", stdin=b"The caf\xe9 opens at 8")
    assert ran.status == 2
    assert "not UTF-8 (byte 8)" in ran.complaint
    assert "Nothing is remembered" in remembering("list").out


def test_characters_that_are_left_out_are_named_in_one_note(remembering: RunHelix) -> None:
    said = "The mascot is \U0001fa77 and \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert remembering("remember", said).err == ""
    assert said in remembering("list").out
    ran = remembering("remember", "The region\u202e is eu\u200b-central-1")
    assert ran.err.count("\n") == 1
    assert "2 invisible characters were left out" in ran.err


def test_a_changed_citation_says_since_when(remembering: RunHelix, shop: Path) -> None:
    remembering("remember", "Postage starts at 300 cents", "--cite", "shop/shipping.py:4-6")
    path = shop / "shop" / "shipping.py"
    path.write_text(path.read_text().replace("300", "400"))
    said = " ".join(remembering("list", "--verify").out.split())
    assert "changed on disk since it was cited" in said
    assert "indexed" not in said


@pytest.mark.slow
def test_a_printed_packet_has_a_section_of_memories_within_its_budget(remembering: RunHelix, shop: Path) -> None:
    asked = ("packet", "how is postage priced?")
    assert "Remembered" not in remembering(*asked).out
    for number in range(4):
        said = f"Postage of zone {number} is priced by weight, as the carrier told us in the meeting of week {number}"
        remembering("remember", said, "--cite", "shop/shipping.py:4-6")
    printed = " ".join(remembering(*asked).out.split())
    assert "Remembered" in printed and "Postage of zone 0 is priced by weight" in printed
    whole = [remembering(*asked, "--max-tokens", str(most)).out for most in (300, 500, 2500)]
    assert [out.count("Postage of zone") for out in whole] == sorted(out.count("Postage of zone") for out in whole)
    assert whole[-1].count("Postage of zone") == 4
    assert "memories left out" in whole[0] or "memory left out" in whole[0]
    for out, most in zip(whole, (300, 500, 2500), strict=True):
        assert estimate(out) <= most + 2
        assert "shop/shipping.py:" in out


def test_a_window_of_memories_alone_says_that_the_files_do_not_answer(remembering: RunHelix) -> None:
    remembering("remember", "The kubernetes ingress controller retries three times")
    ran = remembering("context", "which kubernetes ingress controller retries?")
    assert "nothing in this folder answers that" in ran.err
    assert "retries three times" in ran.out


@pytest.mark.slow
def test_what_was_done_to_a_memory_is_said_once(remembering: RunHelix) -> None:
    remembering("remember", "Postage starts at 300 cents")
    (one,) = remembering("list", "--json").answer["items"]
    assert "would be forgotten · " in remembering("forget", one["id"], "--dry-run").out
    assert remembering("forget", one["id"]).out.count("forgotten") == 1
    assert remembering("restore", one["id"]).out.count("restored") == 1
    assert remembering("review", "--archive", one["id"]).out.count("archived") == 1


def test_an_edit_a_relation_and_a_difference_are_told_in_words(remembering: RunHelix) -> None:
    old = remembering("remember", "Postage starts at 300 cents", "--json").answer["items"][0]["id"]
    other = remembering("remember", "Baskets are kept for a day", "--json").answer["items"][0]["id"]
    dry = remembering("edit", old, "Postage starts at 400 cents", "--cite", "shop/shipping.py:4-6", "--dry-run")
    assert "nothing was changed" in dry.out
    assert "300 cents" in remembering("recall", "postage").out
    edited = remembering("edit", old, "Postage starts at 400 cents", "--cite", "shop/shipping.py:4-6", "--json").answer
    new = edited["items"][0]["id"]
    assert f"{new} depends on {other}" in remembering("relate", new, "depends_on", other).out
    told = " ".join(remembering("diff", "--since", "2020-01-31").out.split())
    assert "Added" in told and "400 cents" in told and "Postage starts at 300" in told
    assert "superseded" in told, "one that came and was replaced since then"
    assert "Nothing was done" in remembering("diff", "--since", "2020-01-31", "--until", "2020-02-01").out
    for wrong in (("diff", "--since", "soon"), ("diff", "--since", "1e99"), ("relate", new, "eats", other)):
        ran = remembering(*wrong)
        assert (ran.status, ran.err.count("\n")) == (2, 1)


def test_a_note_is_rejected_only_while_it_waits_and_by_a_person(remembering: RunHelix) -> None:
    kept = remembering("note", "The heron pond is drained in May by hand.", "--json").answer["gene_ids"][0]
    waiting = remembering("note", "The otter gate opens at noon.", "--json", HELIX_AGENT="bot").answer["gene_ids"][0]
    for arguments in (("forget", kept), ("review", "--reject", kept), ("review", "--reject", waiting)):
        ran = remembering(*arguments, HELIX_AGENT="bot")
        assert (ran.status, ran.err.count("\n"), "only a person" in ran.complaint) == (2, 1, True), ran.err
    active = remembering("review", "--reject", kept)
    assert (active.status, active.err.count("\n"), f"helix forget {kept}" in active.complaint) == (2, 1, True)
    rejected = remembering("review", "--reject", waiting)
    assert (rejected.status, rejected.err) == (0, ""), rejected.err
    assert "otter gate" in rejected.out and "rejected" in rejected.out
    assert remembering("review", "--json").answer["items"] == []
    assert remembering("forget", kept, "--json").answer["deleted"] == [kept]


@pytest.mark.slow
@pytest.mark.parametrize("unknown", ["m_k3xq7a2b", "m_nothere0"])
def test_an_unknown_id_is_told_as_an_id_and_not_as_a_search(remembering: RunHelix, unknown: str) -> None:
    empty = remembering("recall", unknown)
    assert (empty.status, f"there is no memory of the id '{unknown}': this memory is empty" in empty.complaint) == (
        2,
        True,
    )
    remembering("remember", "Postage starts at 300 cents")
    other = remembering("recall", unknown)
    assert (other.status, f"there is no memory of the id '{unknown}'; helix list" in other.complaint) == (2, True)


@pytest.mark.slow
def test_maintain_archives_what_it_proposes_where_it_is_told_to_and_nothing_else(
    remembering: RunHelix, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"HELIX_CACHE_DIR": str(tmp_path / "cache"), "HELIX_DATA_DIR": str(tmp_path / "data")}
    config = load_config(shop, environ=environ, user=tmp_path / "user.toml")
    with monkeypatch.context() as past, Helix.open(shop, config=config) as helix:
        now = time.time()
        past.setattr(time, "time", lambda: now - 45 * 86_400)
        (faded,) = helix.memory.remember(RememberRequest("The deploy broke on Friday", kind="episode"))["items"]
        helix.memory.remember("We decided to sign sessions with Ed25519")
    remembering("remember", "The deploy broke on Monday", "--kind", "episode")

    def in_status(status: str) -> list[str]:
        return [one["id"] for one in remembering("list", "--status", status, "--json").answer.get("items", [])]

    told = remembering("maintain").out
    assert "not used for 45 days" in told and "nothing was changed" in told
    dry = remembering("maintain", "--archive", "--dry-run", "--json").answer
    assert ([one["id"] for one in dry["archive"]], dry["archived"]) == ([faded["id"]], [])
    assert in_status("archived") == []
    assert "1 memory archived" in remembering("maintain", "--archive").out
    assert in_status("archived") == [faded["id"]] and len(in_status("active")) == 2
    again = remembering("maintain", "--archive", "--json").answer
    assert (again["archive"], again["archived"]) == ([], [])
    assert faded["id"] in remembering("restore", faded["id"]).out
    assert in_status("archived") == []


def test_a_fact_is_so_until_a_date(remembering: RunHelix) -> None:
    text = "The release branch is frozen"
    (one,) = remembering("remember", text, "--until", "2099-12-24", "--json").answer["items"]
    assert datetime.fromtimestamp(one["valid_to"]).isoformat() == "2099-12-24T00:00:00"
    assert "until 2099-12-24" in remembering("list").out
    past = remembering("remember", "The mill grinds rye", "--until", "2001-01-01")
    assert (past.status, "its end is past already" in past.complaint) == (2, True)
    assert remembering("remember", "The mill grinds rye", "--until", "soon").status == 2
