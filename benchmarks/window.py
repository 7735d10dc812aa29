"""What a chat model gets to see: is the line that answers the question inside the window, at 1k to 12k tokens?

    python benchmarks/window.py CORPORA [--bench FOLDER] [--budgets 1000,3000,6000,12000] [--cuts 40]

CORPORA holds one folder a project; the bench folder (else ../shared/bench beside this repository) holds
questions.jsonl. Beside ours, in the same run and counted by the same estimate: whole files in the order of a plain BM25
over whole files (SQLite FTS5, porter), packed until the budget is full, the last one cut.

Then up to --cuts files of every language in CORPORA are cut to a fifth, a half and four fifths of their tokens: none
may parse with more errors than before, go over its budget, or show a line that is not in the file (Python is judged by
Python's own parser as well). One that does ends the run with 1. Files that cannot be cut so small are counted.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest
from helix_core.ingest.languages import language_of
from helix_core.store import open_index
from helix_core.tokens import estimate
from helix_core.window.fit import fit, syntax_errors

SHARES = (0.2, 0.5, 0.8)
LARGEST_CUT = 40_000
DEFAULT_BENCH = Path(__file__).resolve().parents[2] / "shared" / "bench"
Question = dict[str, Any]


class WholeFiles:
    """Plain BM25 over whole files, and packing them."""

    def __init__(self, folder: Path, paths: Sequence[str]) -> None:
        self._folder = folder
        self._table = apsw.Connection(":memory:")
        self._table.execute("CREATE VIRTUAL TABLE f USING fts5(path UNINDEXED, text, tokenize='porter unicode61')")
        for path in paths:
            self._table.execute("INSERT INTO f VALUES (?, ?)", (path, self._text(path)))

    def _text(self, path: str) -> str:
        return (self._folder / path).read_text(encoding="utf-8", errors="replace")

    def window(self, question: str, budget: int) -> str:
        """Whole files, best first, until ``budget`` tokens are full."""
        words = re.findall(r"\w+", question.lower())
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._table.execute("SELECT path FROM f WHERE f MATCH ? ORDER BY rank LIMIT 20", (match,))
        packed, left = [], budget
        for (path,) in rows:
            text = f"{path}\n{self._text(str(path))}"
            cost = estimate(text)
            packed.append(text if cost <= left else text[: int(len(text) * left / cost)])
            left -= cost
            if left <= 0:
                break
        return "\n".join(packed)


def indexed(helix: Helix) -> list[str]:
    """The files that count, the same for both sides."""
    with open_index(helix.index_path) as index, index.reader() as reader:
        return [path.decode() for path, state in reader.files.states().items() if not state.skipped]


def is_inside(question: Question, text: str) -> bool:
    """Does the text hold a line of evidence?"""
    return any(evidence in text for evidence in question["evidence"])


def measured(
    helix: Helix, peer: WholeFiles, questions: Sequence[Question], budgets: Sequence[int]
) -> dict[int, list[tuple[bool, bool, float, int]]]:
    """Per budget and question: ours, theirs, our milliseconds, our tokens."""
    rows: dict[int, list[tuple[bool, bool, float, int]]] = {}
    for budget in budgets:
        for question in questions:
            started = time.perf_counter()
            answer = helix.context(question["question"], ContextRequest(budget_tokens=budget))
            elapsed_ms = (time.perf_counter() - started) * 1e3
            theirs = is_inside(question, peer.window(question["question"], budget))
            row = (is_inside(question, answer["text"]), theirs, elapsed_ms, answer["tokens"])
            rows.setdefault(budget, []).append(row)
    return rows


def sources(corpora: Path, each: int, seed: int) -> dict[str, list[Path]]:
    """Some files of every language that has a grammar."""
    found: dict[str, list[Path]] = {}
    files = sorted(path for path in corpora.rglob("*") if path.is_file() and ".git" not in path.parts)
    random.Random(seed).shuffle(files)
    for path in files:
        language = language_of(str(path).encode("utf-8", "replace"), b"")
        grammar = language.grammar
        if grammar is None or grammar.headings or not 200 <= path.stat().st_size <= LARGEST_CUT:
            continue
        if len(found.setdefault(language.name, [])) < each:
            found[language.name].append(path)
    return found


def broken_cuts(language: str, path: Path) -> tuple[int, int, list[str]]:
    """How many cuts were made and how many could not be, and what is wrong with any."""
    text = path.read_text(encoding="utf-8", errors="replace")
    whole, before = estimate(text), syntax_errors(text, language)
    made, refused, wrong = 0, 0, []
    if before is None:
        return 0, 0, []
    for share in SHARES:
        most = int(whole * share)
        cut = fit(text, language, name=path.name, start_line=1, terms=("error",), most_tokens=most, count=estimate)
        if cut is None:
            refused += 1
            continue
        made += 1
        lines = iter(text.split("\n"))
        after = syntax_errors(cut.text, language)
        if after is None or after > before or (language == "python" and parses(text) and not parses(cut.text)):
            wrong.append(f"{path} at {share}: {before} errors before, {after} after")
        if estimate(cut.text) > most:
            wrong.append(f"{path} at {share}: over its budget")
        if not all(line in lines for line in cut.text.split("\n") if " left out" not in line):
            wrong.append(f"{path} at {share}: shows a line that is not there")
    return made, refused, wrong


def parses(text: str) -> bool:
    """By Python itself."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def cuts(corpora: Path, each: int) -> int:
    """Cut, print, and say how many were wrong."""
    print(f"\n{'language':>12} {'files':>6} {'cuts':>6} {'not so small':>13} {'wrong':>6}")
    total = 0
    for language, paths in sorted(sources(corpora, each, 7).items()):
        made, refused, wrong = 0, 0, []
        for path in paths:
            more = broken_cuts(language, path)
            made, refused, wrong = made + more[0], refused + more[1], wrong + more[2]
        print(f"{language:>12} {len(paths):>6} {made:>6} {refused:>13} {len(wrong):>6}")
        for one in wrong:
            print(f"  {one}")
        total += len(wrong)
    return total


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--bench", type=Path, default=DEFAULT_BENCH)
    parser.add_argument("--budgets", default="1000,3000,6000,12000")
    parser.add_argument("--cuts", type=int, default=40, help="files of each language that are cut; 0 for none")
    options = parser.parse_args()
    budgets = [int(budget) for budget in options.budgets.split(",")]
    lines = (options.bench / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [each for each in map(json.loads, lines) if each.get("evidence")]
    rows: dict[int, list[tuple[bool, bool, float, int]]] = {budget: [] for budget in budgets}
    with tempfile.TemporaryDirectory() as cache:
        for project in dict.fromkeys(each["corpus"] for each in questions):
            folder = options.corpora / project
            config = replace(load_config(folder), cache_dir=Path(cache))
            with Helix.open(folder, config=config) as helix:
                helix.refresh()
                paths = indexed(helix)
                asked = [each for each in questions if each["corpus"] == project]
                for budget, more in measured(helix, WholeFiles(folder, paths), asked, budgets).items():
                    rows[budget] += more
            print(f"  {project}: {len(asked)} questions", file=sys.stderr)
    print(f"\n{'budget':>7} {'ours':>7} {'whole files':>12} {'ratio':>6} {'tokens used':>12} {'ms p50':>7}")
    for budget, found in rows.items():
        ours = statistics.mean(row[0] for row in found)
        theirs = statistics.mean(row[1] for row in found)
        used = statistics.median(row[3] for row in found)
        p50 = statistics.median(row[2] for row in found)
        print(f"{budget:>7} {ours:>7.3f} {theirs:>12.3f} {ours / theirs:>6.2f} {used:>12.0f} {p50:>7.1f}")
    return 1 if options.cuts and cuts(options.corpora, options.cuts) else 0


if __name__ == "__main__":
    sys.exit(main())
