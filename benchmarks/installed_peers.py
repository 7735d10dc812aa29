"""Peers that are packages of others: asked by benchmarks/search.py where an interpreter that has them is named.

Their own models come from a hub; here they are given a static one of the same teacher as Helix's built-in vectors
(``peers/static_model.py``), which is said beside their figures. Whatever is not named or does not run is left out, and
why is said too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ADAPTERS = Path(__file__).parent / "peers"
HOUR_S = 3600


@dataclass(frozen=True)
class Installed:
    """A peer as it is run: an adapter of ours, in an interpreter that has the package."""

    name: str
    option: str
    adapter: str
    options: tuple[str, ...] = ()


INSTALLED = (
    Installed("semble, code", "semble", "with_semble.py"),
    Installed("semble, all files", "semble", "with_semble.py", ("--content", "all")),
    Installed("cocoindex-code", "cocoindex", "with_cocoindex.py"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The interpreters, which may be several: the packages want different versions of what they share."""
    parser.add_argument("--semble", metavar="PYTHON", help="an interpreter that has semble")
    parser.add_argument(
        "--cocoindex", metavar="PYTHON", help="one that has cocoindex-code, and loads SQLite extensions"
    )
    parser.add_argument("--static-model", type=Path, metavar="FOLDER", help="for these two: peers/static_model.py's")


def answers_of_installed(args: argparse.Namespace) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Name and answers of each that runs; of each other one it prints why not."""
    if not args.static_model:
        print("\nsemble and cocoindex-code were left out: give them a model with --static-model")
        return
    for peer in INSTALLED:
        python = getattr(args, peer.option)
        if not python:
            print(f"\n{peer.name} was left out: name an interpreter that has it with --{peer.option}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "answers.jsonl"
            places = (args.corpora.resolve(), out, args.bench, args.static_model.resolve())
            command = [python, "-B", str(ADAPTERS / peer.adapter), *map(str, places), *peer.options]
            run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HOUR_S)
            if run.returncode:
                print(f"\n{peer.name} was left out, it did not run: {run.stderr.strip().splitlines()[-1:]}")
                continue
            yield (
                f"{peer.name} (our model)",
                [json.loads(line) for line in out.read_text("utf-8").splitlines()],
            )
