"""On a real terminal: colour, links and a width; without one: plain text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import RunHelix, environment

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")


def on_terminal(home: Path, *arguments: str, columns: int = 60, **more: str) -> tuple[int, str]:
    """Run helix with stdout and stderr on a pseudo terminal; the exit status and all it wrote."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, columns))
    with subprocess.Popen(
        [sys.executable, "-m", "helix_ls.cli", *arguments],
        env=environment(home, TERM="xterm-256color", **more),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        close_fds=True,
    ) as process:
        os.close(theirs)
        said = bytearray()
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
        status = process.wait()
    os.close(ours)
    return status, said.decode("utf-8")


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
