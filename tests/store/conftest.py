"""The store's tests share a builder of documents, and an index in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helix_core.store import Index, Reader, Writer, open_index


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with open_index(tmp_path / "cache" / "index.db") as opened:
        yield opened


@pytest.fixture
def writer(index: Index) -> Writer:
    return index.writer()


@pytest.fixture
def reader(index: Index) -> Iterator[Reader]:
    with index.reader(budget_ms=5_000) as opened:
        yield opened
