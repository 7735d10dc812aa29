"""No place is verified under a name that only a guess gave it, and none whose text is dead by now."""

import pytest

from helix_core.model import Pointer
from tests.engine.repository import git
from tests.engine.test_judge import FIELDS, word

HASKELL = """module Store where

class Monad m => MonadLedger m where
  readLedger :: m Int

ledgerTotal :: MonadLedger m => m Int
ledgerTotal = readLedger
"""
C = """#include <stdio.h>

int ledger_open(const char *path) {
    return path != 0;
}

int ledger_total(int count) {
    int total = 0;
    for (int i = 0; i < count; i++) total += i;
    return total;
}
"""


def items_of(helix, question):
    packet = helix.packet(question)
    return [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]


def opened(folder, open_helix, **files):
    folder.mkdir()
    git(folder, "init", "-q")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    helix = open_helix(folder)
    helix.refresh()
    return helix


def test_without_a_grammar_a_name_finds_its_place_and_no_place_claims_it(tmp_path, open_helix):
    helix = opened(tmp_path / "work", open_helix, Store_hs=HASKELL)
    found = items_of(helix, "where is MonadLedger declared?")
    assert {item["source_id"] for item in found} == {"Store.hs"}
    assert {item["symbol"] for item in found} == {""}
    assert {item["status"] for item in found} == {"verified"}
    places = helix.search("ledgerTotal")["items"]
    assert places[0]["source_id"] == "Store.hs"
    assert {place["symbol"] for place in places} == {""}
    about = helix.symbols.about("Store")
    assert about is not None and [one["symbol"] for one in about["definitions"]] == [""]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("#if 1\nint other;\n#else", "#endif"), ("#if (0)", "#endif"), ("const char *text = STRINGIFY(", ");")],
)
def test_a_definition_in_text_that_is_dead_by_now_is_not_verified(tmp_path, open_helix, opening, closing):
    helix = opened(tmp_path / "work", open_helix, ledger_c=C)
    (item,) = [one for one in items_of(helix, "ledger_total") if one["symbol"] == "ledger_total"]
    pointer = Pointer(**{name: item[name] for name in FIELDS})
    file = tmp_path / "work" / "ledger.c"
    head = C.partition("int ledger_total")[0]
    file.write_text(head + opening + "\n" + C.removeprefix(head) + closing + "\nint ledger_end;\n")
    (judged,), _ = helix.judge([pointer])
    assert word(judged)[0] != "verified"
    helix.refresh()
    (judged,), _ = helix.judge([pointer])
    assert word(judged)[0] != "verified"
    assert not [one for one in items_of(helix, "ledger_total") if one["symbol"] == "ledger_total"]
