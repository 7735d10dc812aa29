"""A collector of each test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.telemetry.collector import Collector


@pytest.fixture
def collector() -> Iterator[Collector]:
    one = Collector()
    yield one
    one.close()
