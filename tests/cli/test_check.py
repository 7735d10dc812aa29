"""``helix check`` tells by its exit status whether a text is wrong, and says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import FILES, RunHelix, make_repository, runner

WRONG = "The limit is checked in `shop/basket.py:400`.\n\nSee `Basket.total_prices()`.\n"


@pytest.fixture(scope="module")
def open_shop(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> tuple[RunHelix, Path]:
    """A repository that was indexed once."""
    folder = tmp_path_factory.mktemp("check")
    helix = runner(folder)
    shop = make_repository(folder / "shop", FILES)
    assert helix("index", shop).status == 0
    return helix, shop


def test_a_right_text_ends_with_0_and_a_wrong_one_with_1(open_shop: tuple[RunHelix, Path], tmp_path: Path) -> None:
    helix, shop = open_shop
    right = helix("check", shop / "docs/guide.md", "--path", shop)
    assert (right.status, right.err) == (0, "")
    assert right.out == "1 reference checked, none wrong, 0 not comparable\n"
    answer = tmp_path / "answer.md"
    answer.write_text(WRONG)
    wrong = helix("check", answer, "--path", shop)
    assert wrong.status == 1
    assert wrong.out.splitlines() == [
        f"{answer}:1:26: shop/basket.py:400 - the file has 20 lines [line-missing]",
        f"{answer}:3:6: Basket.total_prices() - Basket has no such member; nearest is Basket.total_price"
        " [member-missing]",
        "2 references checked, 2 wrong, 0 not comparable",
    ]


def test_json_names_each_finding_with_the_place_it_means_now(open_shop: tuple[RunHelix, Path], tmp_path: Path) -> None:
    helix, shop = open_shop
    answer = tmp_path / "answer.md"
    answer.write_text(WRONG)
    ran = helix("check", answer, shop / "docs/guide.md", "--path", shop, "--json")
    assert ran.status == 1
    assert ran.answer["schema"] == "helix.check/1"
    assert ran.answer["checked"] == 3
    keys = {"path", "line", "column", "end_column", "reference", "kind", "rule", "verdict", "reason", "message", "now"}
    assert [set(one) for one in ran.answer["findings"]] == [keys, keys]
    assert ran.answer["findings"][1]["now"] == {
        "source_id": "shop/basket.py",
        "start_line": 18,
        "symbol": "Basket.total_price",
    }


def test_a_file_that_cannot_be_read_is_a_misuse(open_shop: tuple[RunHelix, Path], tmp_path: Path) -> None:
    helix, shop = open_shop
    ran = helix("check", tmp_path / "nowhere.md", "--path", shop)
    assert (ran.status, ran.out) == (2, "")
    assert "cannot be read" in ran.err
    assert helix("check", "--path", shop).status == 2


def test_a_folder_among_the_files_is_named_and_the_files_are_checked(
    open_shop: tuple[RunHelix, Path], tmp_path: Path
) -> None:
    helix, shop = open_shop
    answer = tmp_path / "answer.md"
    answer.write_text(WRONG)
    ran = helix("check", shop / "docs", answer, shop / "docs/guide.md", "--path", shop)
    assert ran.status == 1
    assert ran.out.splitlines()[-1] == "3 references checked, 2 wrong, 0 not comparable"
    assert ran.err.count(f"folders are not read: {shop / 'docs'}; name the files in them") == 1
    alone = helix("check", shop / "docs", "--path", shop)
    assert (alone.status, alone.out) == (2, "")
    assert "cannot be read" in alone.err


def test_control_characters_of_a_text_reach_no_terminal(open_shop: tuple[RunHelix, Path], tmp_path: Path) -> None:
    helix, shop = open_shop
    answer = tmp_path / "answer.md"
    answer.write_text(
        "See [it](shop/basket.py\x1b]0;owned\x07#L400) and `shop/basket.py:4\u202e00`, `shop/basket.py:400`.\n"
    )
    ran = helix("check", answer, "--path", shop)
    assert ran.status == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(ran.out)
