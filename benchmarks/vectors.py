"""How long finding the nearest of very many vectors takes, through the product's own store and reader.

    python benchmarks/vectors.py [--sizes 100000,1000000] [--level chunk] [--questions 200] [--seed 7] [--gate]

Files with 200 chunks each, every chunk with a vector of its own (random signs, or bytes for outlines), are written
through the store's writer, as an indexing process does. Then questions, each a stored vector with three of ten signs
turned, are asked of ``Reader.nearest``: in a process that has numpy loaded, as a server has, and in one that has not,
as a single command. Each must find the place it was made from: an answer that is quick and wrong is counted as lost.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))

from figures import Figure, missed_gates, percentile, table
from processes import MIB, resident_bytes

DIMENSIONS = 384
CHUNKS = 200
FILES_AT_ONCE = 50
TURNED = 0.3
NEAREST = 50
TARGETS_MS = {100_000: 10.0, 1_000_000: 60.0}
SOURCE = b"\n\n".join(b"def f%d(a):\n    return a\n" % number for number in range(CHUNKS))


def vector_of(level: str, chance: random.Random) -> bytes:
    """As the store keeps it: signs in bits, or int8."""
    if level == "chunk":
        return chance.randbytes(DIMENSIONS // 8)
    return bytes(chance.randrange(256) for _ in range(DIMENSIONS))


def asked_for(stored: bytes, level: str, chance: random.Random) -> bytes:
    """A question's float32 vector that is near to a stored one."""
    if level == "chunk":
        signs = [1.0 if stored[place // 8] >> (7 - place % 8) & 1 else -1.0 for place in range(DIMENSIONS)]
    else:
        signs = [float(value - 256 if value > 127 else value) for value in stored]
    turned = [-value if chance.random() < TURNED else value for value in signs]
    length = sum(value * value for value in turned) ** 0.5
    return struct.pack(f"<{DIMENSIONS}f", *(value / length for value in turned))


def documents(count: int, level: str, seed: int) -> Iterator[tuple[Any, list[bytes]]]:
    """Files of ``CHUNKS`` chunks until there are ``count`` vectors."""
    from helix_core.ingest.document import ingest
    from helix_core.model import EmbeddedText

    base, chance = ingest(b"a.py", SOURCE), random.Random(seed)
    per_file = len(base.chunks)
    for number in range(-(-count // per_file)):
        vectors = [vector_of(level, chance) for _ in range(min(per_file, count - number * per_file))]
        texts = tuple(
            EmbeddedText(level, chunk, (number * per_file + chunk + 1).to_bytes(8, "big"), vector)  # type: ignore[arg-type]
            for chunk, vector in enumerate(vectors)
        )
        path = b"part%d/file%d.py" % (number // 100, number)
        content_hash = hashlib.sha256(path).hexdigest()
        yield base._replace(path=path, content_hash=content_hash, embedded=texts), vectors


def build(path: Path, count: int, level: str, options: argparse.Namespace) -> list[tuple[int, bytes]]:
    """The store with ``count`` vectors; returns some of them with the source each belongs to."""
    from helix_core.model import StatSignature
    from helix_core.store import open_index

    chance = random.Random(options.seed + 1)
    share = 2 * options.questions / count
    some: list[tuple[int, bytes]] = []
    with open_index(path) as index:
        writer = index.writer()
        left = documents(count, level, options.seed)
        while batch := list(itertools.islice(left, FILES_AT_ONCE)):
            with writer.batch():
                for document, vectors in batch:
                    source_id = writer.replace(document, StatSignature(1, 2, 3, 4), 0)
                    some += [(source_id, vector) for vector in vectors if chance.random() < share]
        writer.checkpoint()
    return some[: options.questions]


def inside(path: Path, level: str, questions_file: Path, loaded: bool) -> dict[str, Any]:
    """One process: the first question, then all of them."""
    if loaded:
        import numpy  # noqa: F401
    from helix_core.store import open_index

    questions = [(source, bytes.fromhex(vector)) for source, vector in json.loads(questions_file.read_text())]
    space = f"static/{level}"
    with open_index(path) as index, index.reader(budget_ms=60_000) as reader:
        started = time.perf_counter()
        reader.vectors.nearest(space, questions[0][1], NEAREST)
        first_ms = (time.perf_counter() - started) * 1e3
        taken, cpu_ms, lost = [], [], 0
        for source_id, vector in questions:
            started, cpu = time.perf_counter(), time.process_time()
            hits = reader.vectors.nearest(space, vector, NEAREST)
            taken.append((time.perf_counter() - started) * 1e3)
            cpu_ms.append((time.process_time() - cpu) * 1e3)
            lost += not any(hit.source_id == source_id for hit in hits[:1])
        memory = resident_bytes(os.getpid())
    return {"first_ms": first_ms, "ms": taken, "cpu_ms": cpu_ms, "lost": lost, "memory": memory}


def measured(count: int, level: str, options: argparse.Namespace, scratch: Path) -> Iterator[Figure]:
    """Both kinds of process on one store."""
    path = scratch / f"{level}{count}.db"
    started = time.process_time()
    questions = build(path, count, level, options)
    written = f"written in {(time.process_time() - started) / count * 1e6:.0f} CPU s a million"
    print(f"  {count:,} {level} vectors: {written}, {path.stat().st_size / MIB:.0f} MiB", file=sys.stderr)
    asked = scratch / "questions"
    chance = random.Random(options.seed + 2)
    asked.write_text(json.dumps([(source, asked_for(one, level, chance).hex()) for source, one in questions]))
    for loaded in (True, False):
        command = [sys.executable, __file__, "--inside", str(path), level, str(asked), str(int(loaded))]
        ran = subprocess.run(command, check=True, capture_output=True, text=True, env=_environment())
        told = json.loads(ran.stdout)
        kind = "numpy loaded" if loaded else "one command"
        note = (
            f"p50 {percentile(told['ms'], 0.5):.1f}, CPU p95 {percentile(told['cpu_ms'], 0.95):.1f}, first "
            f"{told['first_ms']:.0f} ms; {told['memory'] / MIB:.0f} MiB; {told['lost']} of {len(questions)} lost"
        )
        target = TARGETS_MS.get(count) if loaded else None
        yield Figure(f"{count:,} {level}s, {kind}, p95", percentile(told["ms"], 0.95), "ms", target=target, note=note)
        if told["lost"] > len(questions) // 100:
            lost = told["lost"] / len(questions)
            yield Figure("the same, not found", lost, "share", 1.0, "questions", 0.01, gates=True)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}


def main() -> int:
    """Run, print, and judge."""
    if sys.argv[1:2] == ["--inside"]:
        path, level, questions, loaded = sys.argv[2:6]
        print(json.dumps(inside(Path(path), level, Path(questions), loaded == "1")))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--level", default="chunk", choices=("chunk", "outline"))
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--gate", action="store_true", help="end with 1 when answers are lost")
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="helix-vectors-") as scratch:
        for size in options.sizes.split(","):
            figures += measured(int(size), options.level, options, Path(scratch))
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}, load average now {os.getloadavg()[0]:.2f}\n")
    print(table(figures))
    return 1 if missed_gates(figures) and options.gate else 0


if __name__ == "__main__":
    sys.exit(main())
