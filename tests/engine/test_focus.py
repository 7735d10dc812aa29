"""A pointer to a part of a long chunk is as true as one to a whole chunk, when it is made and when it is judged."""

import hashlib

from helix_core.model import Pointer

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
    searched = {(i["source_id"], i["start_line"], i["end_line"]) for i in helix.search(QUESTION, k=8)["items"]}
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
