"""Logs and diffs in a real window: of files, and of text that was given; folded, and never over the budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest
from helix_core.memory.notes import NoteInput
from helix_core.tokens import estimate

LOG = "\n".join(
    [
        "2026-03-01 10:00:00 INFO ledger service started",
        *[f"2026-03-01 10:00:{n:02d} DEBUG polled the ledger {n} times" for n in range(50)],
        "2026-03-01 10:01:00 ERROR ledger refused the refund of a closed account",
    ]
)
PATCH = "\n".join(
    [
        "diff --git a/ledger.py b/ledger.py",
        "--- a/ledger.py",
        "+++ b/ledger.py",
        "@@ -1,40 +1,40 @@ def refund(account):",
        *[f" entry_{n} = account.entries[{n}]  # as it was before" for n in range(20)],
        "-    return refused(account)",
        "+    return refunded(account)",
        *[f" later_{n} = account.entries[{n}]  # as it was before" for n in range(20)],
    ]
)


@pytest.fixture
def helix(tmp_path: Path) -> Iterator[Helix]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "ledger.log").write_text(LOG)
    (folder / "refund.patch").write_text(PATCH)
    config = replace(load_config(folder), cache_dir=tmp_path / "cache", data_dir=tmp_path / "data")
    with Helix.open(folder, config=config) as opened:
        opened.refresh()
        yield opened


def window(helix: Helix, question: str, budget: int) -> str:
    found = helix.context(question, ContextRequest(budget_tokens=budget))
    assert estimate(found["text"]) <= budget
    return str(found["text"])


def test_a_log_file_is_folded_and_keeps_its_error(helix: Helix) -> None:
    text = window(helix, "why did the ledger refuse a refund of a closed account?", 2_000)
    assert "ERROR ledger refused the refund of a closed account" in text
    assert text.count("DEBUG polled the ledger") == 1
    assert "times more, but for numbers]" in text


def test_a_patch_keeps_what_it_changes(helix: Helix) -> None:
    text = window(helix, "where does refund return refunded(account)?", 600)
    assert "+    return refunded(account)" in text
    assert "-    return refused(account)" in text
    assert "left out]" in text


def test_a_log_that_was_given_is_folded_too(helix: Helix) -> None:
    helix.memory.ingest(NoteInput(LOG.replace("ledger", "zeppelin"), "text", {}))
    text = window(helix, "why did the zeppelin refuse a refund of a closed account?", 2_000)
    assert "ERROR zeppelin refused the refund" in text
    told = text.count("DEBUG polled the zeppelin")
    assert told == text.count("times more, but for numbers]") <= 2, "once in each part of it"
