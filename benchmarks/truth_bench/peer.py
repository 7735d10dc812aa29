"""The earlier system and Helix side by side: one change to a file, then the question that found it before, again.

The peer is helix-context 0.4.0b1, run as its own HTTP server by its own Python; every file is posted to ``/ingest`` as
its examples do. Falsely verified is an item that is ``verified`` although its file is gone or no longer says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from speedbench.peer_process import PeerProcess

from helix_core.config import load_config
from helix_core.engine import Helix
from truth_bench.questions import places
from truth_bench.repository import Repository, copy_of
from truth_bench.world import Target

MOST_FILES = 80
CHANGES = ("deleted", "renamed", "rewritten", "symbol renamed", "truncated")


@dataclass(slots=True)
class Row:
    """One kind of change: in how many trials each system kept the file verified with what it no longer says."""

    change: str
    peer_trials: int = 0
    peer_false: int = 0
    helix_trials: int = 0
    helix_false: int = 0


Ask = Callable[[str], list[tuple[str, str]]]


class Peer:
    """The other system, started for one measurement."""

    def __init__(self, python: Path, work: Path) -> None:
        self._work = work
        self._peer = PeerProcess(python, work / "peer")

    def measure(self, source: Path, *, seed: int, trials: int) -> list[dict[str, Any]]:
        """Changes of each kind, until the peer had ``trials`` of files it told rightly before; the rows as objects."""
        rng = Random(f"peer {seed}")
        self._work.mkdir()
        repository = copy_of(source, self._work / source.name, self._work, rng)
        code = [path for path in repository.tracked() if path.endswith(b".py") and len(places(repository, path)) > 1]
        paths = rng.sample(code, min(MOST_FILES, len(code)))
        with self._peer:
            for path in paths:
                self._peer.post("/ingest", _ingest_body(repository, path))
            return [asdict(row) for row in self._trials(repository, paths, rng, trials)]

    def _trials(self, repository: Repository, paths: list[bytes], rng: Random, trials: int) -> list[Row]:
        config = load_config(environ={"HELIX_CACHE_DIR": str(self._work / "cache")}, user=self._work / "none.toml")
        rows = []
        with Helix.open(repository.root, config=config) as helix:
            helix.refresh()
            asks: dict[str, Ask] = {
                "peer": self._verified_by_peer,
                "helix": lambda question: _verified_by_helix(helix, question),
            }
            for change in CHANGES:
                row = Row(change)
                for _ in range(8 * trials):
                    if row.peer_trials >= trials:
                        break
                    # What the trial before made disappear has come back; the peer never noticed.
                    helix.refresh()
                    _trial(repository, rng.choice(paths), change, asks, row, rng)
                rows.append(row)
        return rows

    def _verified_by_peer(self, question: str) -> list[tuple[str, str]]:
        answer = self._peer.post("/context/packet", {"query": question, "task_type": "edit", "max_genes": 8})
        return [(item["source_id"] or "", item["content"] or "") for item in (answer or {}).get("verified") or []]


def _ingest_body(repository: Repository, path: bytes) -> dict[str, Any]:
    place = os.fsdecode(repository.path(path))
    text = repository.read(path).decode("utf-8", "replace")
    return {"content": text, "content_type": "code", "metadata": {"path": place, "source_id": place}}


def _verified_by_helix(helix: Helix, question: str) -> list[tuple[str, str]]:
    packet = helix.packet(question, task="edit", k=8)
    return [(str(helix.workspace / item["source_id"]), item["quote"]) for item in packet["verified"]]


def _trial(repository: Repository, path: bytes, change: str, asks: dict[str, Ask], row: Row, rng: Random) -> None:
    """Ask both, change the file, ask both again, put the file back."""
    target = rng.choice(places(repository, path))
    found = {name: _finding_question(repository, target, ask) for name, ask in asks.items()}
    data = repository.read(path)
    _change(repository, target, change, data)
    try:
        for name, ask in asks.items():
            question = found[name]
            if question:
                false = any(_is_false(repository, path, text) for text in _told(repository, path, ask(question)))
                setattr(row, f"{name}_trials", getattr(row, f"{name}_trials") + 1)
                setattr(row, f"{name}_false", getattr(row, f"{name}_false") + false)
    finally:
        for other in (repository.path(path), repository.path(path) + b".renamed.py"):
            if os.path.lexists(other):
                os.unlink(other)
        with open(repository.path(path), "wb") as file:
            file.write(data)


def _finding_question(repository: Repository, target: Target, ask: Ask) -> str:
    """The first of some questions to which the file is told, verified and rightly; empty when none is."""
    stem = os.fsdecode(target.path).rpartition("/")[2].removesuffix(".py")
    names = [place.symbol for place in places(repository, target.path)]
    for question in (
        f"{target.symbol} {stem}",
        f"{stem} {' '.join(names[:3])}",
        f"{stem}.py {stem} {target.symbol}",
        stem,
    ):
        told = _told(repository, target.path, ask(question))
        if told and not any(_is_false(repository, target.path, text) for text in told):
            return question
    return ""


def _change(repository: Repository, target: Target, change: str, data: bytes) -> None:
    place = repository.path(target.path)
    if change == "deleted":
        os.unlink(place)
    elif change == "renamed":
        os.rename(place, place + b".renamed.py")
    else:
        name = target.symbol.encode()
        new = {
            "rewritten": b"def something_else():\n    return 'written anew'\n",
            "symbol renamed": re.sub(rb"\b" + re.escape(name) + rb"\b", name + b"_renamed", data),
            "truncated": data[: len(data) // 10],
        }[change]
        with open(place, "wb") as file:
            file.write(new)


def _told(repository: Repository, path: bytes, verified: list[tuple[str, str]]) -> list[str]:
    place = os.fsdecode(repository.path(path))
    return [text for source, text in verified if os.path.normpath(source) == place]


def _is_false(repository: Repository, path: bytes, text: str) -> bool:
    """Is a line of what was told not in the file now? The peer cuts inside lines: first and last are passed over."""
    try:
        now = {line.strip() for line in repository.read(path).decode("utf-8", "replace").split("\n")}
    except OSError:
        return True
    if text.startswith("File-level parent"):
        return False
    return any(line.strip() not in now for line in text.split("\n")[1:-1])


def peer_table(rows: list[dict[str, Any]]) -> str:
    """One line a kind of change."""
    lines = [f"{'change':16} {'earlier system: falsely verified':>34} {'Helix: falsely verified':>26}"]
    for row in rows:
        peer = f"{row['peer_false']} of {row['peer_trials']}"
        helix = f"{row['helix_false']} of {row['helix_trials']}"
        lines.append(f"{row['change']:16} {peer:>34} {helix:>26}")
    return "\n".join(lines)
