"""``--max-tokens`` holds for JSON and for what is printed; a budget that cannot be meant is misuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helix_core.packet import estimated_tokens
from helix_core.tokens import estimate

from .conftest import FILES, RunHelix, make_repository, runner


@pytest.fixture(scope="module")
def open_shop(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> tuple[RunHelix, Path]:
    """A repository that was indexed once; the tests here change nothing."""
    folder = tmp_path_factory.mktemp("budget")
    helix = runner(folder)
    shop = make_repository(folder / "shop", FILES)
    assert helix("index", shop).status == 0
    return helix, shop


def test_a_packet_within_a_budget_has_what_points_judges_and_quotes(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = helix("packet", "total price of the basket", "--path", shop, "--max-tokens", "400", "--json").answer
    assert estimated_tokens(answer) <= 400
    best = answer["verified"][0]
    assert best["source_id"] == "shop/basket.py"
    assert {"content_hash", "gene_id", "quote", "reason"} <= best.keys()
    assert "citations" not in best


def test_what_is_printed_names_the_places_too(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    ran = helix("packet", "total price of the basket", "--path", shop, "--max-tokens", "400")
    assert ran.status == 0, ran.err
    assert "shop/basket.py:" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("most", [300, 400, 600])
def test_what_is_printed_is_counted_as_it_is_printed(open_shop: tuple[RunHelix, Path], most: int) -> None:
    helix, shop = open_shop
    asked = ("packet", "total price of the basket", "--path", shop, "--max-tokens", str(most))
    printed, answer = helix(*asked).out, helix(*asked, "--json").answer
    assert estimate(printed) <= most + 2
    told = [item["source_id"] for group in ("verified", "stale_risk", "needs_refresh") for item in answer[group]]
    assert told
    assert all(f"{source_id}:" in printed for source_id in told), "text has room for all that JSON has room for"
    assert "returned" in printed


def test_a_budget_that_cannot_be_meant_is_misuse(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    ran = helix("packet", "basket", "--path", shop, "--max-tokens", "5")
    assert ran.status == 2
    assert "from 300 to" in ran.complaint


@pytest.mark.slow
def test_a_larger_budget_prints_longer_quotes(tmp_path: Path, starts_processes: None) -> None:
    body = "".join(f"    parcel.label_{number}()\n" for number in range(40))
    files = {f"part{number}.py": f"def send_parcel_{number}(parcel):\n{body}" for number in range(8)}
    helix, shop = runner(tmp_path), make_repository(tmp_path / "shop", FILES | files)
    sizes = []
    for most in ("500", "1000", "2000"):
        out = helix("packet", "where is a parcel sent?", "--path", shop, "--max-tokens", most).out
        assert estimate(out) <= int(most) + 2
        sizes.append(len(out))
    assert sizes[1] > 1.5 * sizes[0]
    assert sizes[2] > 1.5 * sizes[1]


def test_the_footer_tells_the_tokens_of_what_is_printed(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    printed = helix("packet", "total price of the basket", "--path", shop).out
    told = re.search(r"about ([\d,]+) tokens", printed)
    assert told is not None
    assert abs(int(told[1].replace(",", "")) - estimate(printed)) <= 4
