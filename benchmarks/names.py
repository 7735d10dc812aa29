"""Is every name true that an index claims? Each place of each script and each file of Java, as compilers read the file.

    python benchmarks/names.py FOLDER... [--show 40]

Nothing is written. Ends with status 1 when a name is false, and with 2 when a compiler is not at hand.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from truth_bench.compiler_oracle import compiled, has_compiler, missing
from truth_bench.symbol_oracle import symbol_fault

from helix_core.ingest import ingest
from helix_core.model import SourceKind, joined_symbol

LARGEST_BYTES = 400_000


def main() -> int:
    parser = argparse.ArgumentParser(description="Is every name true that an index claims?")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=40, help="how many false names to print")
    arguments = parser.parse_args()
    os.environ["TRUTH_BENCH_COMPILERS"] = "1"
    if lacking := missing():
        print("not at hand: " + ", ".join(lacking), file=sys.stderr)
        return 2
    false = 0
    for folder in arguments.folders:
        counts: Counter[str] = Counter()
        for fault in _faults(folder, counts):
            false += 1
            if false <= arguments.show:
                print(fault)
        figures = ", ".join(f"{counts[word]:,} {word}" for word in ("files", "claimed", "in doubt", "broken"))
        print(f"{folder.name}: {figures}, {counts['false']:,} false", flush=True)
    return 1 if false else 0


def _faults(folder: Path, counts: Counter[str]) -> Iterator[str]:
    listed = subprocess.run(["git", "-C", str(folder), "ls-files", "-z"], capture_output=True, check=True).stdout
    for path in filter(None, listed.split(b"\0")):
        file = folder / os.fsdecode(path)
        if not has_compiler(path) or not file.is_file() or file.stat().st_size > LARGEST_BYTES:
            continue
        data = file.read_bytes()
        counts["files"] += 1
        if compiled(path, data) is None:
            counts["broken"] += 1
            continue
        for chunk in ingest(path, data, embed=False).chunks:
            symbol = joined_symbol(chunk.breadcrumb, chunk.name, SourceKind.CODE)
            counts["claimed" if symbol and chunk.is_claimed else "in doubt" if symbol else "unnamed"] += 1
            fault = symbol_fault(path, data, symbol, chunk.start_line, chunk.end_line) if chunk.is_claimed else ""
            if fault:
                counts["false"] += 1
                yield f"{folder.name}/{os.fsdecode(path)}:{chunk.start_line}-{chunk.end_line} {fault}"


if __name__ == "__main__":
    sys.exit(main())
