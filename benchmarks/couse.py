"""Does it pay to rank what was used together a little higher? Histories replayed: commits stand for sittings.

usage: python benchmarks/couse.py REPOSITORY... [--commits N] [--learn N] [--factors USED CHANGED]
                                     [--elsewhere]

REPOSITORY is a git folder with a history; it is only read. The files of a commit stand for files that somebody opened
in one sitting. Each repository is checked out, in a temporary folder, as it stood before its last commits, and indexed
there once. Then its later commits are replayed in order: the subject is the question, one file of the commit is open,
and the commit's other files are what is looked for. Links of use are learned from earlier commits alone, through the
memory itself; kin in git is what the index read at the checkout. Release notes are not looked for: everything changes
with them. Every figure is beside the same question with neither; differences are paired, with 95 % bootstrap intervals
over the questions and over the repositories. With --elsewhere the open file is one of another commit, so that the links
lead away from what is looked for: what they cost then.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from helix_core.bench.questions import interval, mean
from helix_core.config import load_config
from helix_core.embed.static import StaticEncoder
from helix_core.engine import Helix
from helix_core.engine.memory.session_records import co_changed, co_used
from helix_core.memory.uses import SITTING_S
from helix_core.model import Hints, Role
from helix_core.search import priors
from helix_core.search.search import SearchRequest, search
from helix_core.store import Reader, open_index
from helix_core.store.memory import Memory

K = 10
SEED = 20_250_101
MOST_FILES = 30
BUDGET_MS = 5_000.0
_NUMBER = re.compile(r"\s*\(?#\d+\)?")
_MARK = "\x01"
WAYS = ("neither", "used", "changed", "both")
Figures = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Commit:
    """``at`` in Unix seconds."""

    name: str
    at: float
    subject: str
    files: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--commits", type=int, default=80, help="questions a repository")
    parser.add_argument("--learn", type=int, default=1_500, help="commits before them that are learned from")
    parser.add_argument("--factors", type=float, nargs=2, metavar=("USED", "CHANGED"))
    parser.add_argument("--elsewhere", action="store_true", help="open a file of another commit")
    args = parser.parse_args()
    if args.factors:
        priors.USED_WITH_FACTOR, priors.CHANGED_WITH_FACTOR = args.factors
    print(f"used with what is open x{priors.USED_WITH_FACTOR:g}, changes with it x{priors.CHANGED_WITH_FACTOR:g}")
    every: dict[str, list[Figures]] = {}
    for repository in args.repositories:
        with tempfile.TemporaryDirectory() as folder:
            every[_named(repository)] = list(
                replayed(repository, Path(folder), args.commits, args.learn, elsewhere=args.elsewhere)
            )
        report(_named(repository), every[_named(repository)])
    report("all", [figures for found in every.values() for figures in found])
    for way in WAYS[1:]:
        for metric in ("recall@10", "first@10"):
            gains = [mean([one[way][metric] - one["neither"][metric] for one in found]) for found in every.values()]
            gain = interval(gains)
            print(f"{way:8s} {metric} over repositories {gain.mean:+.4f} {gain.low:+.4f}..{gain.high:+.4f}")


def _named(repository: Path) -> str:
    return repository.parent.name if repository.name in {"repo", ".git"} else repository.name


def replayed(repository: Path, folder: Path, count: int, learn: int, *, elsewhere: bool) -> Iterator[Figures]:
    """The figures of each question, way by way."""
    others: list[bytes] = []
    commits = list(history(repository))
    base = _base(commits, 2 * count)
    tree = folder / "tree"
    for command in (
        ["git", "clone", "--quiet", "--shared", "--no-checkout", str(repository), str(tree)],
        ["git", "-C", str(tree), "checkout", "--quiet", commits[base].name],
    ):
        subprocess.run(command, check=True, capture_output=True)
    config = replace(load_config(tree), cache_dir=folder / "cache")
    with Helix.open(tree, config=config) as helix:
        helix.refresh()
        path = helix.index_path
    encoder, draw, workspace = StaticEncoder(), random.Random(SEED), _place(tree)
    with open_index(path) as index, index.reader(budget_ms=BUDGET_MS) as reader, Memory(folder / "data", 0.0) as memory:
        # On a busy machine a figure must not depend on who was served first.
        memory._budget_ms = BUDGET_MS
        for one in commits[max(0, base + 1 - learn) : base + 1]:
            _learn(memory, workspace, one)
        asked, spent = 0, [0.0, 0.0]
        for one in commits[base + 1 :]:
            wanted = sorted(_looked_for(reader, one))
            if asked < count and len(wanted) > 1:
                asked += 1
                strangers = [path for path in others if path not in wanted] if elsewhere else []
                others = [*others, *wanted][-2 * K :]
                opened = draw.choice(strangers or wanted)
                began = time.process_time()
                used = co_used(memory, workspace, (opened,), one.at)
                spent[0] += time.process_time() - began
                began = time.process_time()
                changed = co_changed(reader, (opened,))
                spent[1] += time.process_time() - began
                rest = set(wanted) - {opened}
                yield {
                    way: _figures(reader, one.subject, hints, rest, encoder)
                    for way, hints in _hints(opened, used, changed).items()
                }
            _learn(memory, workspace, one)
        milliseconds = [1e3 * each / max(asked, 1) for each in spent]
        print(f"{_named(repository)}: links {milliseconds[0]:.2f}, kin {milliseconds[1]:.2f} CPU ms a question")


def _hints(opened: bytes, used: tuple[bytes, ...], changed: tuple[bytes, ...]) -> dict[str, Hints]:
    neither = Hints(open_paths=(opened,))
    return {
        "neither": neither,
        "used": neither._replace(used_with=used),
        "changed": neither._replace(changed_with=changed),
        "both": neither._replace(used_with=used, changed_with=changed),
    }


def _place(path: Path) -> bytes:
    return str(path).encode()


def history(repository: Path) -> Iterator[Commit]:
    """Oldest first, merges left out."""
    form = f"--format={_MARK}%H%x00%ct%x00%s"
    command = ["git", "-C", str(repository), "log", "--no-merges", "--no-renames", "--name-only", "--reverse", form]
    told = subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")
    for block in told.split(_MARK)[1:]:
        head, *files = block.strip("\n").split("\n")
        name, at, subject = head.split("\0")
        listed = tuple(file for file in files if file and not file.startswith('"'))
        yield Commit(name, float(at), _NUMBER.sub("", subject).strip(), listed)


def _base(commits: Sequence[Commit], count: int) -> int:
    """The last commit before so many that touch several files."""
    several = [place for place, one in enumerate(commits) if 1 < len(one.files) <= MOST_FILES]
    if len(several) < count // 2:
        raise SystemExit("too short a history")
    return max(0, several[-min(count, 2 * len(several) // 3)] - 1)


def _learn(memory: Memory, workspace: bytes, one: Commit) -> None:
    if 1 < len(one.files) <= MOST_FILES:
        memory.uses.add(workspace, one.name, [file.encode() for file in one.files], one.at, SITTING_S)


def _looked_for(reader: Reader, one: Commit) -> Iterator[bytes]:
    """Files of the commit that the index knows, release notes left out."""
    if not 1 < len(one.files) <= MOST_FILES or len(one.subject.split()) < 3:
        return
    for file in one.files:
        source = reader.files.source(file.encode())
        if source is not None and source.role is not Role.HISTORY:
            yield source.path


def _figures(
    reader: Reader, subject: str, hints: Hints, wanted: set[bytes], encoder: StaticEncoder
) -> dict[str, float]:
    """Of the first ten files but the open one: the share of those wanted, and the first one's reciprocal rank."""
    found = search(SearchRequest(subject, 2 * K, hints, encoder=encoder), reader)
    files = list(dict.fromkeys(one.item.source.path for one in found.ranked))
    shown = [path for path in files if path not in hints.open_paths][:K]
    first = next((place for place, path in enumerate(shown, 1) if path in wanted), 0)
    return {"recall@10": len(wanted & set(shown)) / min(len(wanted), K), "first@10": 1 / first if first else 0.0}


def report(name: str, found: Sequence[Figures]) -> None:
    print(f"\n{name}: {len(found)} questions")
    for way in WAYS:
        cells = []
        for metric in ("recall@10", "first@10"):
            gain = interval([one[way][metric] - one["neither"][metric] for one in found])
            value = mean([one[way][metric] for one in found])
            cells.append(f"{metric} {value:.3f} ({gain.mean:+.4f} {gain.low:+.4f}..{gain.high:+.4f})")
        print(f"  {way:8s} " + "  ".join(cells))


if __name__ == "__main__":
    main()
