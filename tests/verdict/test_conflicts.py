"""A conflict is seen in the text itself."""

import pytest

from helix_core.engine.verdict.contradictions import has_conflict_markers

CONFLICT = b"a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> other\nc = 4\n"


@pytest.mark.parametrize("data", [CONFLICT, CONFLICT.removeprefix(b"a = 1\n"), CONFLICT.replace(b"\n", b"\r\n")])
def test_the_three_markers_in_their_order_are_a_conflict(data):
    assert has_conflict_markers(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Title\n=======\n\nText\n",
        b"    <<<<<<< HEAD\n    =======\n    >>>>>>> other\n",
        b"=======\n<<<<<<< HEAD\n>>>>>>> other\n",
        b"x = '<<<<<<< HEAD'\n=======\ny = '>>>>>>> other'\n",
    ],
)
def test_less_than_that_is_none(data):
    assert not has_conflict_markers(data)
