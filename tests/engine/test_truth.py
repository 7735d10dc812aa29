"""The truth bench, small: some hundred mutations of a repository made here, each verdict checked against the disk."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCH = Path(__file__).resolve().parents[2] / "benchmarks" / "truth.py"
MUTATIONS = 300
NEVER = (
    "false_verified",
    "wrong_symbol",
    "uncounted",
    "wrong_quote",
    "wrong_hash",
    "wrong_commit",
    "leaked_secret",
    "malformed",
    "unsaid",
    "waited",
    "crashes",
    "cold_builds_unequal",
)

MODULE = '''"""The {name} part of a small shop."""

import json
from shop.{other} import {Other}

{NAME}_TIMEOUT_SECONDS = {number}


class {Name}:
    """Keeps what is known about one {name}."""

    def __init__(self, key, value=None):
        self.key = key
        self.value = value

    def load_{name}(self, path):
        """Read the {name} from a JSON file."""
        with open(path) as file:
            self.value = json.load(file)
        return self

    def price_of_{name}(self, factor):
        total = 0
        for part in self.value or []:
            total += part * factor
        return total + {number}


def find_{name}(items, key):
    """The first {name} with this key."""
    for item in items:
        if item.key == key:
            return item
    raise LookupError(key)


def describe_{name}({name}):
    return f"{{{name}.key}}: {{{name}.value}} of {Other}"
'''
GUIDE = """# The {name} guide

Use `find_{name}` to look one up and `{Name}.load_{name}` to read it.

## Waiting

After `{NAME}_TIMEOUT_SECONDS` it is given up.
"""
NAMES = ("order", "basket", "invoice", "parcel", "refund", "voucher", "customer", "warehouse", "courier", "receipt")


def shop(folder: Path) -> Path:
    for number, name in enumerate(NAMES):
        other = NAMES[(number + 1) % len(NAMES)]
        words = {"name": name, "Name": name.title(), "NAME": name.upper(), "number": number + 3}
        code = MODULE.format(**words, other=other, Other=other.title())
        for path, text in ((f"shop/{name}.py", code), (f"docs/{name}.md", GUIDE.format(**words))):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    (folder / "settings.toml").write_text("[server]\nport = 8080\n\n[parcel]\nweight_limit = 30\n")
    (folder / "README.md").write_text("# Shop\n\nA small shop.\n")
    return folder


@pytest.mark.process
def test_no_mutation_makes_a_verdict_or_a_quote_untrue(tmp_path):
    results = tmp_path / "results.json"
    command = [sys.executable, BENCH, shop(tmp_path / "shop"), "--mutations", str(MUTATIONS), "--json", results]
    done = subprocess.run(
        [*map(str, command), "--seed", "7", "--compare-every", "150"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(BENCH.parents[1])},
        check=False,
    )
    assert results.exists(), done.stdout + done.stderr
    figures = json.loads(results.read_text())
    faults = "\n".join(str(fault) for group in figures["faults"].values() for fault in group)
    assert figures["mutations"] >= MUTATIONS, done.stdout
    assert figures["kinds"] >= 20
    assert figures["verified"] > figures["packets"]
    assert {name: figures[name] for name in NEVER} == dict.fromkeys(NEVER, 0), faults
    assert figures["needless_share"] <= 0.005, faults
    assert figures["symbols_told"] > figures["packets"] / 2
