"""``helix search --explain``: who found what, at which rank, and how much that counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import RunHelix


def test_each_rankers_list_is_shown_with_rank_bar_and_share(helix: RunHelix, shop: Path) -> None:
    ran = helix("search", "shipping cost", "--path", shop, "--explain")
    assert ran.status == 0
    lines = ran.out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("chunks  "))
    rank, bar, share, file = lines[start + 1].split()
    assert rank.isdigit()
    assert set(bar) <= {"█", "·"}
    assert share.endswith("%")
    assert file.startswith("shop/")
    assert "\x1b" not in ran.out


def test_the_lists_are_one_more_key_of_the_json_and_agree_with_the_signals(helix: RunHelix, shop: Path) -> None:
    plain = json.loads(helix("search", "shipping cost", "--path", shop, "--json").out)
    told = json.loads(helix("search", "shipping cost", "--path", shop, "--json", "--explain").out)
    assert "lists" not in plain
    assert told.keys() - plain.keys() == {"lists"}
    assert told["lists"].keys() >= told["rankers"].keys()
    for item in told["items"]:
        for signal in item["signals"]:
            own = [one for one in told["lists"][signal["ranker"]] if one["source_id"] == item["source_id"]]
            assert [(one["rank"], one["share"]) for one in own] == [(signal["rank"], signal["share"])]
    shares: dict[str, float] = {}
    for entries in told["lists"].values():
        assert [one["rank"] for one in entries] == sorted(one["rank"] for one in entries)
        for one in entries:
            shares[one["source_id"]] = shares.get(one["source_id"], 0.0) + one["share"]
    assert shares
    assert all(share == pytest.approx(1.0, abs=0.01) for share in shares.values())
