"""The estimate of tokens: fixtures/tokens.json is read by the extension's unit tests, too, which count the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helix_core.tokens import estimate

KNOWN = json.loads((Path(__file__).parents[1] / "fixtures" / "tokens.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", KNOWN, ids=lambda one: repr(one["text"][:20]))
def test_the_estimate_is_that_of_the_extension(one: dict[str, object]) -> None:
    assert estimate(str(one["text"])) == one["tokens"]
