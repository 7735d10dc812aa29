"""On a real terminal: colour, links and a width; without one: plain text."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from helix_ls.cli.opened import waiting

from .conftest import RunHelix
from .terminal import Terminal


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
    assert f"file://{shop}/shop/basket.py\x1b\\" in said
    assert "y" * 60 not in said
    assert "…" in said
    assert "\x1b[35mdef\x1b[0m" in said


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
