"""On a real terminal: colour, links and a width; without one: plain text."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from helix_core.tokens import estimate
from helix_ls.cli.opened import waiting

from .conftest import RunHelix
from .terminal import Terminal

DOUBTFUL = "how are discounts of returning customers worked out?"


def on_terminal(home: Path, *arguments: str, **more: str) -> tuple[int, str]:
    """Run helix on a pseudo terminal of 60 columns; the exit status and all it wrote."""
    with Terminal(home, *arguments, **more) as terminal:
        terminal.read_until(None)
        return terminal.process.wait(), terminal.said


def test_a_packet_is_coloured_linked_and_cut_to_the_width(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    helix("index", shop)
    (shop / "shop/basket.py").write_text("def very_long():\n    return 'x" + "y" * 300 + "'\n")
    status, said = on_terminal(tmp_path / "home", "packet", "very_long", "--path", str(shop))
    assert status == 0
    assert "\x1b[1;32m✓" in said
    assert "Very likely the right place" in said
    assert f"file://{shop}/shop/basket.py\x1b\\" in said
    assert "y" * 60 not in said
    assert "…" in said
    assert "\x1b[35mdef\x1b[0m" in said
    told = re.search(r"about ([\d,]+) tokens", said)
    assert told is not None
    assert int(told[1].replace(",", "")) <= estimate("\n".join(rows(said))) + 4, "colors and links are no tokens"


def rows(said: str) -> list[str]:
    """What a terminal shows in each row."""
    shown = re.sub(r"\x1b\[\?25[lh]|\x1b\[[0-9;]*[A-Za-z]|\x1b\]8;[^\x1b]*\x1b\\", "", said)
    return [row.rstrip() for row in shown.replace("\r", "").split("\n")]


@pytest.mark.process
def test_what_the_doctor_says_stays_beside_the_names_of_its_checks(shop: Path, tmp_path: Path) -> None:
    missing = str(shop / "not" / "there")
    _, said = on_terminal(tmp_path / "home", "doctor", missing)
    shown = [row for row in rows(said.partition("helix: ")[0]) if row]
    begins = {row.index(row[2:].split("  ")[-1].strip()) for row in shown if row[0] in "✓~!"}
    assert len(begins) == 1, shown
    (column,) = begins
    continued = [row for row in shown if row[0] not in "✓~!"]
    assert len(continued) >= 2, "a path and the advice take more than a row of 60 columns"
    assert [row for row in continued if row[:column].strip()] == []
    assert missing in "".join(row[column:] for row in shown), "a long path is not cut"


@pytest.mark.parametrize("verb", ["search", "packet"])
def test_no_row_is_wider_than_the_terminal_and_no_word_is_wrapped(
    helix: RunHelix, shop: Path, tmp_path: Path, verb: str
) -> None:
    folder = shop / "a_folder_with_a_long_name" / "another_one_of_them"
    folder.mkdir(parents=True)
    (folder / "warehouse_of_the_shop.py").write_text(
        "class WarehouseOfTheShop:\n    def stored_pallets_of_everything(self, every_argument_has_a_name):\n"
        "        return every_argument_has_a_name\n"
    )
    helix("index", shop)
    _, said = on_terminal(tmp_path / "home", verb, "stored_pallets_of_everything", "--path", str(shop))
    shown = [row for row in rows(said) if "searching" not in row]
    assert max(map(cell_len, shown)) <= 60, shown
    (found,) = [row for row in shown if "warehouse_of_the_shop.py:" in row]
    assert found.startswith("✓ …"), "folders are cut, names are not"
    assert found.endswith("WarehouseOfTheShop")


def test_a_complaint_wraps_between_words_on_a_terminal(tmp_path: Path, starts_processes: None) -> None:
    _, said = on_terminal(tmp_path, "serach", "where is the basket?")
    shown = [row for row in rows(said) if row]
    assert len(shown) > 1
    assert max(map(cell_len, shown)) <= 60
    assert " ".join(shown).startswith("helix: there is no command serach; did you mean helix search?")


@pytest.mark.slow
def test_below_even_odds_nothing_is_green(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    helix("index", shop)
    for verb in ("search", "packet"):
        answer = helix(verb, DOUBTFUL, "--path", shop, "--json").answer
        assert answer.get("confidence", answer.get("coordinate_confidence")) < 0.5
        _, said = on_terminal(tmp_path / "home", verb, DOUBTFUL, "--path", str(shop))
        assert "shop/" in said
        assert not re.search(r"\x1b\[[0-9;]*\b(?:32|92)m", said), "no green"
    _, said = on_terminal(tmp_path / "home", "search", "shipping_cost", "--path", str(shop))
    assert "\x1b[1;32m✓" in said


def test_no_color_is_honoured(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    helix("index", shop)
    _, said = on_terminal(tmp_path / "home", "packet", "shipping_cost", "--path", str(shop), NO_COLOR="1")
    assert "shipping_cost" in said
    assert "\x1b[32m" not in said
    assert ";32m" not in said


def test_a_terminal_without_links_gets_none(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    helix("index", shop)
    _, said = on_terminal(tmp_path / "home", "search", "shipping_cost", "--path", str(shop), FORCE_HYPERLINK="0")
    assert "shop/shipping.py" in said
    assert "\x1b]8;" not in said


def test_json_on_a_terminal_is_indented(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    helix("index", shop)
    _, said = on_terminal(tmp_path / "home", "search", "shipping_cost", "--path", str(shop), "--json")
    assert '\n  "schema"' in said.replace("\r", "")


def test_what_takes_long_says_so_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    try:
        with os.fdopen(theirs, "w") as terminal:
            monkeypatch.setattr(sys, "stderr", terminal)
            said = b""
            with waiting("searching", after_s=0):
                while b"searching" not in said:
                    said += os.read(ours, 4096)
            pipe = io.StringIO()
            monkeypatch.setattr(sys, "stderr", pipe)
            with waiting("searching", after_s=0):
                pass
            assert pipe.getvalue() == ""
    finally:
        os.close(ours)
