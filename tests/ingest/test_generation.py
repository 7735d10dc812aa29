"""What is kept in an index was made by rules; whoever changes them says so, so that old rows are made again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import helix_core.secrets
from helix_core.ingest.generation import CHUNKER

RULES_OF = {"60": "07bdc05b5e3765dc"}


def _rules() -> str:
    """The code that masks secrets."""
    folder = Path(helix_core.secrets.__file__).parent
    said = hashlib.sha256()
    for file in sorted(folder.glob("*.py")):
        said.update(file.read_bytes())
    return said.hexdigest()[:16]


def test_whoever_changes_what_is_masked_raises_the_number_of_the_chunker() -> None:
    # An index says where the secrets of a file are, and is believed while the number is the same. After a change that
    # masks nothing new, pin what this prints; after any other, raise CHUNKER and pin it under the new number.
    assert {CHUNKER: _rules()} == RULES_OF
