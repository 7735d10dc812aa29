"""Strands of earlier versions open as they did, and the same input still gives the same bytes."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helix_core.strand import (
    NEWEST_SCHEMA,
    Key,
    Passphrase,
    RecoveryCode,
    StrandKeys,
    data_key_of,
    inspect,
    open_strand,
    signer_of,
)

FOLDER = Path(__file__).parents[2] / "fixtures" / "strands"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
KEYS = EXPECTED["keys"]
NAMES = sorted(EXPECTED["files"])


def keys_of(name: str) -> list[Key]:
    reader = StrandKeys(bytes(32), bytes.fromhex(KEYS["reader_x25519_secret"]))
    code = RecoveryCode.read(KEYS["recovery_code"])
    return [code, Passphrase(KEYS["passphrase"]), reader] if name == "memories.dna" else [code]


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_strands", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_is_expected() -> None:
    assert sorted(file.name for file in FOLDER.glob("*.dna")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_strand_opens_with_each_of_its_keys(name: str) -> None:
    data, wanted = (FOLDER / name).read_bytes(), EXPECTED["files"][name]
    assert hashlib.sha256(data).hexdigest() == wanted["sha256"]
    for key in keys_of(name):
        strand = open_strand(data, key, newest_schema=NEWEST_SCHEMA, trusted={signer_of(KEYS["signer"])})
        lines = [record.line.decode() for record in strand.records]
        assert (strand.root.hex(), len(lines)) == (wanted["root"], wanted["records"])
        assert hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == wanted["lines_sha256"]
        assert wanted["lines"] in ([], lines)
        assert (strand.manifest.label, strand.manifest.created_at) == (wanted["label"], EXPECTED["created_at"])
        assert data_key_of(inspect(data), key).hex() == wanted["data_key"]


def test_the_maker_still_makes_these_bytes() -> None:
    make = maker()
    assert {name: make.strand(name) for name in NAMES} == {name: (FOLDER / name).read_bytes() for name in NAMES}
    assert make.expected() == EXPECTED
