"""Named tuples that are made quickly are those of ``typing``."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from helix_core import tuples


class Quick(tuples.NamedTuple):
    """A place."""

    path: bytes
    line: int
    names: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """Return the next line."""
        return self.line + 1


class Slow(typing.NamedTuple):
    """A place."""

    path: bytes
    line: int
    names: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """Return the next line."""
        return self.line + 1


class Older(Quick):
    @property
    def end(self) -> int:
        return super().end + 1


SAME: list[Callable[[Any], object]] = [
    lambda kind: tuple(kind(b"a", 3)),
    lambda kind: kind(b"a", line=3, names=("x",)).names,
    lambda kind: kind(line=3, path=b"a").end,
    lambda kind: kind(b"a", 3)._replace(line=4),
    lambda kind: kind._make([b"a", 3, ()]),
    lambda kind: kind(b"a", 3)._asdict(),
    lambda kind: repr(kind(b"a", 3)).removeprefix(kind.__name__),
    lambda kind: (
        kind._fields,
        kind.__match_args__,
        kind.__doc__,
        kind.__module__,
        kind.__slots__,
        kind._field_defaults,
    ),
    lambda kind: [*inspect.signature(kind).parameters],
    typing.get_type_hints,
    lambda kind: kind(b"a", 3) == kind(b"a", 3) and hash(kind(b"a", 3)) == hash((b"a", 3, ())),
    lambda kind: copy.copy(kind(b"a", 3)),
    lambda kind: (made := pickle.loads(pickle.dumps(kind(b"a", 3))), type(made) is kind),
]
REFUSED: list[Callable[[Any], object]] = [
    lambda kind: kind(b"a"),
    lambda kind: kind(b"a", 3, (), 4),
    lambda kind: kind(b"a", 3, other=4),
    lambda kind: kind._make([b"a", 3]),
    lambda kind: kind(b"a", 3)._replace(other=4),
    lambda kind: setattr(kind(b"a", 3), "line", 4),
    lambda kind: setattr(kind(b"a", 3), "other", 4),
]


@pytest.mark.parametrize("asked", SAME)
def test_they_hold_and_tell_the_same(asked: Callable[[Any], object]) -> None:
    assert asked(Quick) == asked(Slow)


@pytest.mark.parametrize("asked", REFUSED)
def test_they_refuse_the_same(asked: Callable[[Any], object]) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)) as slow:
        asked(Slow)
    with pytest.raises(slow.type) as quick:
        asked(Quick)
    assert str(quick.value).replace("Quick", "Slow") == str(slow.value)


def test_one_can_be_a_base_and_is_matched_by_its_places() -> None:
    match Older(b"a", 3):
        case Older(path, line):
            assert (path, line, Older(b"a", 3).end) == (b"a", 3, 5)


def test_a_field_without_a_default_does_not_follow_one_with_a_default() -> None:
    fields = {"a": "int", "b": "int"}
    with pytest.raises(TypeError, match="without a default"):
        type(tuples._base[0])("Wrong", (), {"__annotations__": fields, "a": 1})  # type: ignore[attr-defined]
