"""A pointer to a part of a long chunk is as true as one to a whole chunk, when it is made and when it is judged."""

import hashlib

import pytest

from helix_core.engine.verdict.judge import unindexed
from helix_core.engine.verdict.spans import telling
from helix_core.model import Item, Pointer

QUESTION = "how is the parcel stamped and franked?"
FIELDS = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")
LONG = "def send_parcel(box):\n" + "".join(f"    weight_{n} = box.weigh({n})\n" for n in range(66))
TAIL = "    box.stamped = frank(box)  # the parcel is stamped and franked\n    return box\n"


def _files(folder):
    for number in range(5):
        text = LONG.replace("send_parcel", f"send_parcel_{number}") + TAIL
        (folder / "app" / f"parcel_{number}.py").write_text(text)


def _pointers(packet):
    shown = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    return [Pointer(**{name: item[name] for name in FIELDS}) for item in shown if "parcel_" in item["source_id"]]


def _stands(folder, pointer, start_line):
    lines = (folder / pointer.source_id).read_bytes().splitlines(keepends=True)
    text = b"".join(lines[start_line - 1 : start_line + pointer.end_line - pointer.start_line])
    return hashlib.sha256(text).hexdigest()[:16] == pointer.gene_id


def test_a_part_of_a_chunk_is_pointed_at_quoted_and_judged_by_its_own_text(helix, repository):
    _files(repository)
    helix.refresh()
    packet = helix.packet(QUESTION, k=8)
    pointers = _pointers(packet)
    assert len(pointers) >= 5
    assert sum(one.end_line - one.start_line + 1 for one in pointers[:5]) <= 120
    assert any(one.end_line - one.start_line < 60 for one in pointers)
    for one in pointers:
        assert _stands(repository, one, one.start_line)
    for item in packet["verified"]:
        lines = (repository / item["source_id"]).read_text().splitlines()
        assert "\n".join(lines[item["start_line"] - 1 : item["end_line"]]).startswith(item["quote"])
    searched = {
        (i["source_id"], i["start_line"], i["end_line"]) for i in helix.search(QUESTION, k=8, previews=True)["items"]
    }
    assert {(one.source_id, one.start_line, one.end_line) for one in pointers} <= searched
    judged, _ = helix.judge(pointers)
    assert [(str(one.verdict.status), str(one.verdict.reason)) for one in judged] == [("verified", "unchanged")] * len(
        judged
    )


def test_lines_that_moved_are_found_and_lines_that_changed_are_not_vouched_for(helix, repository):
    _files(repository)
    helix.refresh()
    pointers = _pointers(helix.packet(QUESTION, k=8))
    moved, changed = pointers[0], next(one for one in pointers if one.source_id != pointers[0].source_id)
    path = repository / moved.source_id
    path.write_text("# one\n# more\n" + path.read_text())
    other = repository / changed.source_id
    other.write_text(other.read_text().replace("box", "crate"))
    first, second = helix.judge([moved, changed])[0]
    assert (str(first.verdict.status), str(first.verdict.reason)) == ("verified", "moved")
    assert first.start_line == moved.start_line + 2
    assert str(second.verdict.status) == "needs_refresh"
    for one in _pointers(helix.packet(QUESTION, k=8)):
        assert _stands(repository, one, one.start_line)


def _part(path, text, first, last):
    lines = text.encode().splitlines(keepends=True)
    source = unindexed(path)._replace(language="python" if path.endswith(b".py") else "typescript")
    item = Item(1, source, "function", "f", "", 0, len(text), 1, len(lines), "")
    found = telling(item, text.encode(), first, last)
    return found.start_line, found.end_line


DOCUMENTED = '''def f(a):
    """Do it.

    At length.

    In full.
    """

    b = a

    return b
'''


@pytest.mark.parametrize(
    ("lines", "expected"),
    [((3, 6), (1, 6)), ((5, 7), (1, 7)), ((7, 9), (9, 9)), ((8, 10), (9, 9)), ((9, 11), (9, 11)), ((1, 5), (1, 4))],
)
def test_lines_that_begin_in_a_docstring_begin_at_its_header_and_blank_ends_are_left_out(lines, expected):
    assert _part(b"a.py", DOCUMENTED, *lines) == expected


def test_lines_that_begin_in_a_comment_begin_at_its_first_line():
    text = "const before = 1\n/**\n * Does it.\n * @param a the value\n */\nfunction f(a) {\n  return a\n    * 2\n}\n"
    assert _part(b"a.ts", text, 4, 7) == (2, 7)
    assert _part(b"a.ts", text, 5, 7) == (6, 7), "the end of a comment says nothing"
    assert _part(b"a.ts", text, 8, 9) == (8, 9), "this one is no comment"
    assert _part(b"a.ts", "f()\n/// Does it.\n/// Well.\nfn g() {}\n", 3, 4) == (2, 4)
    far = 'def f():\n    """One.\n' + "\n".join(f"    Line {n}." for n in range(40)) + '\n    """\n    return 1\n'
    assert _part(b"a.py", far, 35, 44) == (35, 44), "its header is too far above"
