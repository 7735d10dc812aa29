"""Records have one canonical form, that of RFC 8785, and a root that tells any two sets apart."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.errors import DamagedStrandError, StrandLimitError
from helix_core.strand import StrandRecord, canonical, content_root, ordered, parse_record, record_of

# RFC 8785, appendix B: the bits of a double, and its text.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("3ff0000000000000", "1"),
    ("3fe0000000000000", "0.5"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_a_float_is_written_as_ecmascript_writes_it(bits: str, text: str) -> None:
    assert canonical(struct.unpack(">d", bytes.fromhex(bits))[0]) == text


def test_names_are_sorted_by_utf_16_as_in_the_example_of_rfc_8785() -> None:
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    made = json.loads(canonical(dict.fromkeys(names, 0)))
    assert list(made) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_texts_are_escaped_as_little_as_json_allows_and_never_normalized() -> None:
    assert canonical('\u20ac$\u000f\nA\'B"\\\\"/\x7f') == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f"'
    assert canonical("e\u0301") != canonical("\u00e9")


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, -(2**53), 1e17, "\0", "\ud800", b"x", {1: 2}, {"a": {1}}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(DamagedStrandError):
        canonical({"a": value})


def test_sizes_and_depth_are_limited() -> None:
    deep: Any = 0
    for _ in range(40):
        deep = [deep]
    for more in ({"a": "x" * 300_000}, {"a": deep}, {"id": "i" * 201}, {"a": ["x" * 200_000] * 6}):
        with pytest.raises(StrandLimitError):
            record_of({"type": "memory", "id": "m", **more})
    with pytest.raises(StrandLimitError, match="nested deeper than 32"):
        parse_record(b'{"a":' + b"[" * 50_000)
    # Brackets in a text nest nothing.
    brackets = record_of({"type": "memory", "id": "m", "a": '[{"\\' * 500})
    assert parse_record(brackets.line) == brackets


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda n: not n.is_integer() or abs(n) < 2**53)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_a_record_comes_back_from_its_line(value: Any) -> None:
    record = record_of({"type": "memory", "id": "m", "value": value})
    assert parse_record(record.line) == record
    assert record.fields()["value"] == value
    assert record_of(record.fields()) == record


def root_by_definition(records: Sequence[StrandRecord]) -> bytes:
    """The root as RFC 6962 §2.1 defines it, by recursion."""

    def digest(data: bytes) -> bytes:
        return hashlib.blake2b(data, digest_size=32).digest()

    if not records:
        return digest(b"")
    if len(records) == 1:
        return digest(b"\0" + len(records[0].line).to_bytes(8, "big") + records[0].line)
    split = 1 << (len(records) - 1).bit_length() - 1
    return digest(b"\1" + root_by_definition(records[:split]) + root_by_definition(records[split:]))


@given(st.integers(0, 70))
def test_the_root_is_the_tree_of_rfc_6962(count: int) -> None:
    records = ordered(record_of({"type": "memory", "id": f"{number}"}) for number in range(count))
    assert content_root(records) == root_by_definition(records)


def test_a_leaf_repeated_at_the_end_changes_the_root() -> None:
    # Trees that double the last leaf of an odd level give three and four leaves one root.
    three = [record_of({"type": "memory", "id": name}) for name in "abc"]
    assert content_root(three) != content_root([*three, three[-1]])
