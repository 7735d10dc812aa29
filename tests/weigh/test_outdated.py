"""Which names of a document the code has left behind."""

from helix_core.weigh.outdated import NamedSymbol, names_in, outdated


def test_names_are_taken_from_what_a_document_writes_as_code():
    text = "Call :meth:`Flask.make_response`, ``open_session(app)`` or `run`; plain make_thing is prose."
    assert names_in(text) == ("make_response", "open_session")


def test_a_symbol_that_reads_as_it_did_is_not_outdated():
    then = b"x = 1\n\ndef make_response(rv):\n    return rv\n"
    assert outdated([NamedSymbol("make_response", b"def make_response(rv):\n    return rv\n\n", then)]) == ()


def test_a_symbol_that_changed_is_named():
    then = b"def make_response(rv):\n    return rv\n"
    assert outdated([NamedSymbol("make_response", b"def make_response(rv):\n    return str(rv)\n", then)]) == (
        "make_response",
    )


def test_nothing_is_said_of_a_file_that_was_not_there_or_a_name_that_is_new():
    now = b"def make_response(rv):\n    return rv\n"
    assert outdated([NamedSymbol("make_response", now, None)]) == ()
    assert outdated([NamedSymbol("make_response", now, b"def other(): pass\n")]) == ()


def test_trailing_blanks_and_line_ends_change_nothing():
    now = b"def make_response(rv):\r\n    return rv\r\n"
    then = b"# top\ndef make_response(rv):  \n    return rv\n# end\n"
    assert outdated([NamedSymbol("make_response", now, then)]) == ()
