"""A real ``helix`` process on a real git repository, away from the user's own settings and caches."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fork_server import run_helix

ROOT = Path(__file__).parents[2]
FILES = {
    "shop/basket.py": '''"""What a customer is about to buy."""

PRICE_LIMIT = 5000


class Basket:
    """Items with their prices."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int]] = []

    def add_line(self, name: str, price: int) -> None:
        """Put an item into the basket."""
        if price > PRICE_LIMIT:
            raise ValueError(f"{name} is too dear")
        self.lines.append((name, price))

    def total_price(self) -> int:
        """The sum of all prices."""
        return sum(price for _, price in self.lines)
''',
    "shop/shipping.py": '''"""Sending parcels."""


def shipping_cost(weight_grams: int) -> int:
    """Postage by weight, in cents."""
    return 300 + weight_grams // 10
''',
    "docs/guide.md": "# Guide\n\n## Shipping\n\nParcels are sent with `shipping_cost`.\n",
    "settings.toml": "[server]\nport = 8080\n",
}


@dataclass(frozen=True)
class Ran:
    """How a process ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON object on stdout."""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer

    @property
    def complaint(self) -> str:
        """The one line on stderr; nothing else was said."""
        assert self.out == ""
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith("helix: ")
        return self.err.removesuffix("\n")


RunHelix = Callable[..., Ran]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment in which Helix finds no settings but those of the test."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "HELIX_CACHE_DIR": str(folder / "cache"),
        "HELIX_CONFIG": str(folder / "user.toml"),
        **more,
    }


def git(folder: Path, *arguments: str) -> None:
    """Run git as a fixed author."""
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
    identity += ["-c", "maintenance.auto=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def make_repository(folder: Path, files: dict[str, str]) -> Path:
    """A repository with one commit of the files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Open the shop")
    return folder


def runner(home: Path) -> RunHelix:
    """``run(*arguments)`` runs a helix process to its end."""

    def run(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **more: str) -> Ran:
        variables = environment(home, **more)
        done = run_helix([*map(str, arguments)], stdin=stdin, env=variables, cwd=cwd or home)
        return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


@pytest.fixture
def helix(tmp_path: Path, starts_processes: None) -> RunHelix:
    """Runs helix with a cache of its own."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return runner(home)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A small repository."""
    return make_repository(tmp_path / "shop", FILES)
