"""A reason of a verdict reads the same on every surface."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helix_core.engine.verdict import REASONS, reason_words
from helix_core.model import Reason
from helix_ls.cli.render.page import reason_of
from helix_ls.lsp.hover import title

WORDS = Path(__file__).parents[2] / "vscode-extension" / "src" / "view" / "words.ts"


def words_of_the_extension() -> dict[str, str]:
    """The table of the extension, read from its source."""
    table = WORDS.read_text(encoding="utf-8").split("const reasons: ")[1].split("};")[0]
    return dict(re.findall(r"^  (\w+): '(.*)',$", table, re.MULTILINE))


def test_every_reason_has_words_and_a_meaning() -> None:
    assert set(REASONS) == set(Reason)
    assert [reason for reason, text in REASONS.items() if not text.words or not text.meaning.endswith(".")] == []


def test_the_extension_has_the_words_of_the_table() -> None:
    assert words_of_the_extension() == {reason.value: text.words for reason, text in REASONS.items()}


@pytest.mark.parametrize("reason", Reason)
def test_the_command_line_and_a_lens_have_the_words_of_the_table(reason: Reason) -> None:
    words = reason_words(reason)
    assert "{" not in words and "_" not in words.replace("max_file_size", "")
    assert reason_of({"reason": reason.value}) == words
    lens = {"uses": 1, "tests": 0, "status": "stale_risk", "reason": reason.value}
    assert title(lens) == f"1 use · no tests · ~ stale risk ({words})"


def test_the_words_say_what_was_done_last() -> None:
    assert reason_words("changed", "cited") == "changed on disk since it was cited"
    assert (
        reason_of({"reason": "changed", "detail": "a -> b"}, "opened") == "changed on disk since it was opened (a -> b)"
    )
    assert reason_words("a_reason_of_tomorrow") == "a reason of tomorrow"
