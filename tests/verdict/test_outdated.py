"""What a document says of its code is wrong only where the code changed what it says."""

import pytest

from helix_core.engine.verdict.declaration_changes import changes
from helix_core.ingest.references import references_in
from helix_core.ingest.signatures import declared
from helix_core.model import DocumentChange


def flags(document, before, after, name, language="markdown"):
    """The flags of the references to ``name``."""
    chain = tuple(name.split("."))
    then, now = (declared(code.encode(), "python", chain) for code in (before, after))
    assert then is not None and now is not None
    return [
        flag
        for one in references_in(document, language)
        if one.parts[-len(chain) :] == chain or one.name == chain[-1]
        for flag in changes(one, then, now)
    ]


def said(*arguments, **options):
    return [(flag.change, flag.sentence) for flag in flags(*arguments, **options)]


SIGN = "def sign(key, text):\n    return key + text\n"


@pytest.mark.parametrize(
    "after",
    [
        "def sign(key: str, text: 'Text') -> str:\n    return key + text\n",
        "def sign(\n    key,  # the key\n    text,\n):\n    '''Sign it.'''\n    return key + text\n",
        "def sign(key, text):\n    return text + key\n",
        "@cached\nasync def sign(key, text):\n    return key + text\n",
        "def sign(key, text, *, salt=None):\n    return key + text\n",
        "def sign(key, text, _seen=()):\n    return key + text\n",
    ],
)
def test_annotations_comments_bodies_and_optional_parameters_outdate_no_call(after):
    assert flags("Call `sign(key, text)`, or `sign()` for short.", SIGN, after, "sign") == []


def test_a_call_that_no_longer_fits_is_told_with_both_signatures():
    after = "def sign(key, text, salt):\n    return key\n"
    assert said("Call `sign(key, text)` first.", SIGN, after, "sign") == [
        (DocumentChange.SIGNATURE, "sign(key, text) is sign(key, text, salt) now")
    ]
    assert flags("The function `sign` makes a cookie.", SIGN, after, "sign") == []
    assert flags("Call `sign(...)` first.", SIGN, after, "sign") == []


def test_a_renamed_or_moved_parameter_outdates_the_call_that_writes_it():
    assert flags("`sign(key, text)` signs.", SIGN, "def sign(key, body): ...\n", "sign")
    assert flags("`sign(key, text)` signs.", SIGN, "def sign(text, key): ...\n", "sign")
    assert flags('`sign(text="a", key="b")` signs.', SIGN, "def sign(text, key): ...\n", "sign") == []
    assert flags('`sign(b"k", "a")` signs.', SIGN, "def sign(key, body): ...\n", "sign") == []


def test_a_documented_signature_must_be_whole():
    document = ".. function:: sign(key, text)\n\n   Sign it.\n"
    after = "def sign(key, text, salt=None): ...\n"
    (flag,) = flags(document, SIGN, after, "sign", "rst")
    assert (flag.change, flag.line) == (DocumentChange.SIGNATURE, 1)
    assert flags(".. autofunction:: sign\n", SIGN, after, "sign", "rst") == []
    # What never fitted is the author's own way to write it.
    assert flags(".. function:: sign(key, ...)\n", SIGN, after, "sign", "rst") == []


def test_a_default_is_wrong_only_where_it_is_written():
    before, after = "def get(url, timeout=5.0): ...\n", "def get(url, timeout=10): ...\n"
    assert said("`get(url)` waits; its `timeout` is 5 seconds by default.", before, after, "get") == [
        (DocumentChange.DEFAULT, "timeout of get was 5.0 and is 10 now")
    ]
    assert flags("`get(url)` has a `timeout`.", before, after, "get") == []
    assert flags("`get(url)` takes `timeout` (5 was the default before version 2).", before, after, "get") == []


def test_a_parameter_that_a_paragraph_names_and_that_is_gone_is_told():
    before, after = "def get(url, pool_limits=None): ...\n", "def get(url, limits=None): ...\n"
    assert said("Pass `pool_limits` to `get()` to bound it.", before, after, "get") == [
        (DocumentChange.PARAMETER, "get has no parameter pool_limits any more; limits is new")
    ]
    assert flags("Pass `pool_limits` to `get()`.", before, "def get(url, **options): ...\n", "get") == []


@pytest.mark.parametrize(
    ("document", "before", "after"),
    [
        ("`TIMEOUT` is 30 seconds.", "30", "60"),
        ("`TIMEOUT` defaults to `30`.", "30", "60"),
        ("`TIMEOUT = 30` seconds.", "30", "60"),
        ("`TIMEOUT` is an hour, that is 3600 seconds.", "60 * 60", "60 * 30"),
        ('`TIMEOUT` is `"lax"` by default.', '"lax"', '"strict"'),
        ("`TIMEOUT` is `True`.", "True", "False"),
        ("A refund is possible for 30 days. `TIMEOUT` says so.", "timedelta(days=30)", "timedelta(days=14)"),
    ],
)
def test_a_value_that_the_document_states_and_the_code_no_longer_has_is_told(document, before, after):
    (flag,) = flags(document, f"TIMEOUT = {before}\n", f"TIMEOUT = {after}\n", "TIMEOUT")
    assert flag.change is DocumentChange.VALUE
    assert (flag.was, flag.now) == (before, after)
    assert flag.sentence == f"TIMEOUT was {before} and is {after} now"


@pytest.mark.parametrize(
    ("document", "before", "after"),
    [
        ("`TIMEOUT` bounds a request.", "30", "60"),
        ("`TIMEOUT` is 60 seconds.", "30", "60"),
        ("`TIMEOUT` is 30 seconds.", "30", "30.0"),
        ("`TIMEOUT` is 30 seconds.", "30", "compute()"),
        ("`TIMEOUT` was 30 before version 2.", "30", "60"),
        ("`TIMEOUT` is in section 1.30 of the guide.", "30", "60"),
        ("`TIMEOUT` bounds what 30 people in the same office of a very large company may wait for.", "30", "60"),
    ],
)
def test_a_value_that_the_document_does_not_state_is_no_flag(document, before, after):
    assert flags(document, f"TIMEOUT = {before}\n", f"TIMEOUT = {after}\n", "TIMEOUT") == []
