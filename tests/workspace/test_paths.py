import json
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.errors import UsageError
from helix_core.workspace.paths import checked, path_of, source_id_of, uri_of

NAMES = st.one_of(
    st.binary(min_size=1, max_size=30),
    st.text(min_size=1, max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(st.sampled_from([b"\\", b"x", b"5c", b"ff", b"\xff", b"\xc3", b"\xa9", b"a", b"\n"]), min_size=1).map(
        b"".join
    ),
).map(lambda name: name.replace(b"\0", b"0").replace(b"/", b"_"))
PATHS = st.lists(NAMES.filter(lambda name: name not in (b".", b"..")), min_size=1, max_size=4).map(b"/".join)


@given(PATHS)
def test_a_source_id_stands_for_exactly_one_path(path):
    assert path_of(source_id_of(path)) == path


@given(PATHS)
def test_a_source_id_is_plain_unicode_that_json_and_sqlite_take(path):
    source_id = source_id_of(path)
    source_id.encode("utf-8")
    assert json.loads(json.dumps(source_id, ensure_ascii=False)) == source_id
    with closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute("select ?", (source_id,)).fetchone() == (source_id,)


@given(PATHS)
def test_a_uri_carries_the_raw_bytes(path):
    uri = uri_of(Path("/work space"), path)
    assert uri.isascii()
    assert unquote_to_bytes(urlsplit(uri).path) == b"/work space/" + path


def test_ordinary_names_are_their_own_source_id():
    for name in ("src/a.py", "caf\u00e9/\u65e5\u672c.md", "a\nb", "dir\\file", "100%.txt", "x\\xyz"):
        assert source_id_of(name.encode()) == name
    assert source_id_of(b"\xff.py") == "\\xff.py"
    assert source_id_of(b"\\xff.py") == "\\x5cxff.py"


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("src/a.py", b"src/a.py"),
        ("./src/./a.py", b"src/a.py"),
        ("src//a.py", b"src/a.py"),
        ("src/", b"src"),
        ("\\xff.py", b"\xff.py"),
        (":(glob)x", b":(glob)x"),
        ("-rf", b"-rf"),
        ("a\nb", b"a\nb"),
        ("100%.txt", b"100%.txt"),
        ("a%20b", b"a%20b"),
        ("Foo::Bar", b"Foo::Bar"),
        ("...", b"..."),
        ("..a/b..", b"..a/b.."),
    ],
)
def test_good_paths_pass_in_one_canonical_form(raw, path):
    assert checked(raw) == path


@pytest.mark.parametrize(
    "raw",
    [
        "",
        ".",
        "./",
        "..",
        "../a",
        "a/..",
        "a/../b",
        "/etc/passwd",
        "//server/share",
        "\\\\server\\share",
        "\\windows",
        "..\\a",
        "a\\..\\b",
        "C:\\a",
        "C:a",
        "c:/a",
        "a\0b",
        "a\\x00b",
        "\\x2e\\x2e/a",
        "\\x2fetc",
        "%2e%2e/a",
        "%2E%2E%2fa",
        "a/%2e%2e/b",
        "..%2fa",
        "..%5ca",
        "%2fetc/passwd",
        "%252e%252e/a",
        "a%00b",
        "a.txt:stream",
        "a.txt::$DATA",
        "dir:$INDEX_ALLOCATION/a",
        "x" * 5000,
        "a\udcff",
    ],
)
def test_everything_else_is_refused(raw):
    with pytest.raises(UsageError):
        checked(raw)


@given(st.text(max_size=60))
def test_what_passes_stays_inside_and_is_stable(raw):
    try:
        path = checked(raw)
    except UsageError:
        return
    assert not path.startswith(b"/")
    assert b"\0" not in path
    assert not {b"", b".", b".."} & set(path.split(b"/"))


@given(st.lists(st.sampled_from(["..", ".", "/", "%2e", "%2f", "%25", "\\", "\\x2e", "a"]), max_size=8).map("".join))
def test_no_mix_of_dots_slashes_and_encodings_climbs(raw):
    try:
        path = checked(raw)
    except UsageError:
        return
    for _ in range(3):
        assert b".." not in path.replace(b"\\", b"/").split(b"/")
        path = unquote_to_bytes(path)
