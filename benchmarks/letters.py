"""Make the table that tells a name from letters drawn at random, and say how well it does.

usage: python benchmarks/letters.py FOLDER... [--held-out FOLDER...] [--out FILE]

Counts which letter follows which in the words of source files. The table holds, for a letter after another (or at the
start), the log2 of how much likelier it is in a name than among 52 letters drawn at random, in halves of a bit, clipped
to ±15.5 bits. With --held-out the names of other projects, and random letters, are judged by it.
"""

from __future__ import annotations

import argparse
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from helix_core.secrets import letter_odds

LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
START = len(LETTERS)
WORD = re.compile(rb"(?<![A-Za-z0-9+/=])[A-Za-z]{3,40}(?![A-Za-z0-9+/=])")
ENDINGS = (".py", ".js", ".ts", ".rs", ".c", ".h", ".md", ".rst", ".java", ".go", ".toml", ".yml")
MOST_BYTES = 1 << 20
MOST_FILES_COUNTED = 8
"""A word counts for at most so many files, so that ``self`` does not outweigh all others."""
SMOOTHING = 2
SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--held-out", nargs="+", type=Path, default=[])
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    known = words(args.folders)
    print(f"{len(known):,} words")
    rows = table(known)
    if args.out:
        text = args.out.read_text()
        head, _, rest = text.partition('_ODDS = r"""\n')
        _, _, tail = rest.partition('"""')
        args.out.write_text(f'{head}_ODDS = r"""\n' + "\n".join(rows) + '\n"""' + tail)
    if args.held_out:
        report([word for word in words(args.held_out) if word not in known])


def words(folders: Sequence[Path]) -> Counter[bytes]:
    """Every word of the source files, and in how many of them it stands."""
    found: Counter[bytes] = Counter()
    for path in _files(folders):
        found.update(set(WORD.findall(path.read_bytes()[:MOST_BYTES])))
    return found


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        for place, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name not in (".git", "node_modules"))
            yield from (Path(place, name) for name in sorted(files) if name.endswith(ENDINGS))


def table(known: Counter[bytes]) -> list[str]:
    """53 rows of 52 characters: a row for each letter and for the start."""
    counts: Counter[tuple[int, int]] = Counter()
    for word, files in known.items():
        before = START
        for byte in word:
            place = LETTERS.index(byte)
            counts[before, place] += min(files, MOST_FILES_COUNTED)
            before = place
    rows = []
    for before in range(START + 1):
        total = sum(counts[before, place] + SMOOTHING for place in range(START))
        odds = [math.log2((counts[before, place] + SMOOTHING) / total * START) for place in range(START)]
        rows.append("".join(chr(letter_odds.ZERO + max(-31, min(31, round(2 * one)))) for one in odds))
    return rows


def report(names: Sequence[bytes]) -> None:
    """Say which share of random letters is taken for names, and of unseen names for random letters, by length."""
    rng = Random(SEED)
    print(f"{len(names):,} words of the held-out folders that the table was not made from")
    for length in (12, 14, 16, 20):
        drawn = [bytes(rng.choices(LETTERS, k=length)) for _ in range(10_000)]
        own = [name for name in names if len(name) == length]
        missed = sum(not letter_odds.looks_random_letters(one) for one in drawn) / len(drawn)
        taken = sum(map(letter_odds.looks_random_letters, own)) / max(len(own), 1)
        print(
            f"{length} letters: random taken for a name {missed:.4f}, name taken for random {taken:.4f} of {len(own):,}"
        )


if __name__ == "__main__":
    main()
