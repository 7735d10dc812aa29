"""``helix search --explain``: who found what, at which rank, how much that counted, and how sure the answer is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helix_ls.cli.render.page import bar, cells_of, draws_blocks, stacked

from .conftest import RunHelix

EXPLAINS = {"lists", "weights", "vectors", "certainty"}


def test_each_rankers_list_is_shown_with_rank_bar_and_share(helix: RunHelix, shop: Path) -> None:
    ran = helix("search", "shipping cost", "--path", shop, "--explain")
    assert ran.status == 0
    lines = ran.out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("chunks  "))
    rank, drawn, share, file = lines[start + 1].split()
    assert rank.isdigit()
    assert set(drawn) <= {"█", "·"}
    assert share.endswith("%")
    assert file.startswith("shop/")
    assert "\x1b" not in ran.out


def test_each_place_has_a_bar_of_its_rankers_and_the_same_in_numbers(helix: RunHelix, shop: Path) -> None:
    ran = helix("search", "shipping cost", "--path", shop, "--explain")
    lines = ran.out.splitlines()
    at = 1 + next(number for number, line in enumerate(lines) if line.startswith("✓ "))
    drawn, score = lines[at + 1].split("  score ")
    assert len(drawn.strip()) == 40
    assert float(score) > 0
    found = re.findall(r"[█▓▒░] (\w+) #(\d+) (<?\d+)%", lines[at + 2])
    assert {name for name, _, _ in found} >= {"chunks", "files"}
    assert all(f"{texture} " in lines[at + 2] for texture in dict.fromkeys(drawn.strip()))


def test_the_vectors_the_silent_rankers_and_the_confidence_are_told(helix: RunHelix, shop: Path) -> None:
    ran = helix("search", "shipping cost", "--path", shop, "--explain")
    assert re.search(r"^Silent:.*claims empty", ran.out, re.MULTILINE)
    assert re.search(r"^Vectors: built in \(chunk, outline\)$", ran.out, re.MULTILINE)
    told = re.search(r"^Confidence (0\.\d+)  here at all (\d\.\d+), the right place (\d\.\d+)$", ran.out, re.MULTILINE)
    assert told is not None
    whole, here, place = map(float, told.groups())
    assert whole <= min(here, place)


def test_where_blocks_cannot_be_shown_bars_are_plain(helix: RunHelix, shop: Path) -> None:
    ran = helix("search", "shipping cost", "--path", shop, "--explain", LANG="C", LC_ALL="POSIX")
    assert "#######" in ran.out
    assert not set(ran.out) & set("█▓▒░·") - {"·"}
    assert draws_blocks({"LANG": "de_DE.UTF-8"})
    assert not draws_blocks({"LC_ALL": "C", "LANG": "C.UTF-8"})


def test_the_lists_are_further_keys_of_the_json_and_agree_with_the_signals(helix: RunHelix, shop: Path) -> None:
    plain = json.loads(helix("search", "shipping cost", "--path", shop, "--json").out)
    told = json.loads(helix("search", "shipping cost", "--path", shop, "--json", "--explain").out)
    assert not plain.keys() & EXPLAINS
    assert told.keys() - plain.keys() == EXPLAINS
    assert told["lists"].keys() >= told["rankers"].keys()
    for item, same in zip(told["items"], plain["items"], strict=True):
        assert {key: item[key] for key in same} == same
        for signal in item["signals"]:
            own = [one for one in told["lists"][signal["ranker"]] if one["source_id"] == item["source_id"]]
            assert [(one["rank"], one["share"]) for one in own] == [(signal["rank"], signal["share"])]
    shares: dict[str, float] = {}
    for entries in told["lists"].values():
        assert [one["rank"] for one in entries] == sorted(one["rank"] for one in entries)
        for one in entries:
            if one["shown"]:
                shares[one["source_id"]] = shares.get(one["source_id"], 0.0) + one["share"]
    assert shares
    assert all(share == pytest.approx(1.0, abs=0.01) for share in shares.values())


def test_a_bar_has_as_many_cells_as_its_shares_are_worth() -> None:
    assert bar(0.0, 10, blocks=True) == "█·········"
    assert bar(0.5, 4, blocks=False) == "##.."
    assert cells_of([0.5, 0.3, 0.2], 10) == [5, 3, 2]
    assert sum(cells_of([1 / 3, 1 / 3, 1 / 3], 40)) == 40
    assert stacked([("chunks", 0.5), ("files", 0.5)], 4, blocks=True).plain == "██▓▓"


def test_a_message_is_told_with_what_of_it_was_searched_and_why(helix: RunHelix, shop: Path) -> None:
    message = "Hi Claude! I'm on Ubuntu 22.04. Where is the shipping cost? Thanks a lot!"
    asked = json.loads(helix("search", message, "--path", shop, "--json", "--explain").out)["asked"]
    assert (asked["needs"], asked["searched"]) == ("evidence", "Where is the shipping cost?")
    assert asked["judged_by"] == asked["searched"]
    assert [part["part"] for part in asked["parts"]] == ["greeting", "environment", "question", "thanks"]
    assert asked["why"] == "the question is searched, without greeting, environment, thanks"
    lines = " ".join(helix("search", message, "--path", shop, "--explain").out.split())
    assert f"Searched: {asked['searched']} ({asked['why']})" in lines
    plain = json.loads(helix("search", "Where is the shipping cost?", "--path", shop, "--json", "--explain").out)
    assert "asked" not in plain, "the whole message is the question"
