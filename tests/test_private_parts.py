"""Private parts of libraries that Helix uses: the version they were read in, and their shape.

A new version of a library fails here first, with what to read again.
"""

import inspect
from importlib.metadata import version

import apsw
import numpy as np
import pytest
import sqlite_vec
from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.workspace import TextDocument

from helix_core.secrets.values import LazyPattern

READ_AT = {
    "watchdog": ("7.1.0", "helix_core/workspace/watch/inotify.py: inotify_c.InotifyFD and its callbacks"),
    "sqlite-vec": ("0.1.9", "helix_core/store/vectors.py, vector_rows.py: the shadow tables of vec0"),
    "pathspec": ("1.1.1", "helix_core/workspace/ignore.py: the regular expressions of GitIgnoreSpecPattern"),
    "google-re2": (
        "1.1.20251105",
        "helix_core/secrets/values.py: the Match of a compiled pattern, the anchors and _Match",
    ),
    "pygls": ("2.1.1", "helix_ls/lsp/protocol.py: LanguageServerProtocol's request table and message handling"),
}


@pytest.mark.parametrize("library", READ_AT)
def test_private_parts_were_read_in_the_version_that_is_installed(library):
    known, where = READ_AT[library]
    assert version(library) == known, f"{library} {version(library)}: read {where} again, then raise the version here"


def test_watchdog_gives_its_reader_of_one_inotify_queue():
    inotify = pytest.importorskip("watchdog.observers.inotify_c", exc_type=OSError)
    assert list(inspect.signature(inotify.InotifyFD.add_callback).parameters)[1:] == ["path", "mask", "callback", "id_"]
    for name in ("start", "stop", "remove_callbacks"):
        assert callable(getattr(inotify.InotifyFD, name))


def test_a_vector_table_keeps_its_vectors_in_the_tables_that_are_read():
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.execute("CREATE VIRTUAL TABLE v USING vec0(embedding int8[4], chunk_size=8)")
    one = np.array([1, -2, 3, -4], dtype=np.int8).tobytes()
    connection.execute("INSERT INTO v(rowid, embedding) VALUES (7, vec_int8(?))", (one,))
    ((chunk, size, validity, rowids),) = connection.execute("SELECT chunk_id, size, validity, rowids FROM v_chunks")
    assert (size, validity, rowids[:8]) == (8, b"\x01", (7).to_bytes(8, "little"))
    ((block,),) = connection.execute("SELECT vectors FROM v_vector_chunks00 WHERE rowid = ?", (chunk,))
    assert block[:4] == one
    assert list(connection.execute("SELECT rowid, chunk_id, chunk_offset FROM v_rowids")) == [(7, chunk, 0)]


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        ("/a", "^a(?:(?P<ps_d>/)|$)"),
        ("*.p", r"^(?:.+/)?[^/]*\.p(?:(?P<ps_d>/)|$)"),
        ("/a/**", "^a/"),
        ("**", "."),
        ("**/*/**", "/"),
        # What helix_core/workspace/ignore.py keeps from it stands there as one character of private use.
        ("/a\ue000", "^a\ue000(?:(?P<ps_d>/)|$)"),
    ],
)
def test_pathspec_translates_a_pattern_to_the_expression_that_is_completed(pattern, source):
    assert GitIgnoreSpecPattern.pattern_to_regex(pattern) == (source, True)


def test_pathspec_refuses_what_is_no_pattern():
    with pytest.raises(GitIgnorePatternError):
        GitIgnoreSpecPattern.pattern_to_regex("\\")


def test_documents_of_pygls_still_split_lines_where_the_protocol_does_not():
    """Once they do not, helix_ls/lsp/documents.py can go."""
    assert len(TextDocument("file:///a", "a\u2028b\x0cc\n").lines) > 1


def test_pygls_keeps_what_the_protocol_overrides():
    shape = {
        name: list(inspect.signature(getattr(LanguageServerProtocol, name)).parameters)
        for name in ("_execute_handler",)
    }
    assert shape == {"_execute_handler": ["self", "msg_id", "handler", "callback", "args", "kwargs"]}
    protocol = LanguageServerProtocol.__new__(LanguageServerProtocol)
    LanguageServerProtocol.__init__(protocol, _Server(), default_converter())
    assert protocol._request_futures == {}
    assert protocol.fm.builtin_features.keys() >= {"initialize", "shutdown", "exit"}


class _Server:
    """What a protocol asks of its server when it is made."""

    name, version = "helix", "0"


@pytest.mark.parametrize(("start", "end"), [(0, None), (3, 9), (9, 3), (-2, 5), (0, 99), (14, 14), (15, 15)])
@pytest.mark.parametrize("source", [rb"(a)|(b+)", rb"\Aone", rb"e\z", rb"", rb"zz"])
def test_a_pattern_of_secrets_finds_what_re2_itself_finds(source, start, end):
    pattern, data = LazyPattern(source), b"one abba three"
    public = pattern.compiled()
    stop = len(data) if end is None else end
    for found, expected in (
        (pattern.search(data, start, end), public.search(data, start, stop)),
        (pattern.match(data, start, end), public.match(data, start, stop)),
    ):
        assert (found is None) is (expected is None)
        if found is not None:
            groups = range(public.groups + 1)
            assert [found.span(group) for group in groups] == [expected.span(group) for group in groups]
            assert (found.group(), found.lastindex) == (expected.group(), expected.lastindex)
