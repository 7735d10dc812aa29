"""A file whose lines end in every way: every place that is given is the line that an editor shows."""

import hashlib
import random

import pytest

from helix_core.model import Pointer
from tests.engine.repository import git, write
from tests.engine.test_symbol import eventually

LINES = [
    "import os",
    "import sys",
    "LIMIT = 3600",
    "",
    "def stamp_parcel(box):",
    '    """Stamp the parcel\x0c with\u2028a date."""',
    "    box.stamped = True",
    "    return box",
    "",
    "",
    "class Depot:",
    '    """Keeps parcels."""',
    "",
    "    def unload_depot(self, box):",
    "        return stamp_parcel(box)",
    "",
]
ENDS = {
    "lone returns": lambda number: "\r",
    "mixed": lambda number: ("\r", "\n", "\r\n")[number % 3],
    "one lone return": lambda number: "\r" if number == 1 else "\n",
    "returns after feeds": lambda number: "\n" if number < 5 else "\r",
}
FIELDS = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")


def joined(lines, ends):
    return "".join(line + ends(number) for number, line in enumerate(lines)).encode()


def made(tmp_path, open_helix, ends, lines=LINES):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "depot.py").write_bytes(joined(lines, ends))
    write(folder, {"docs/depot.md": "# Depot\n\nThe depot unloads parcels.\n"})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "core.autocrlf", "false")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    helix = open_helix(folder)
    helix.refresh()
    return folder, helix


def items_of(packet):
    groups = ("verified", "stale_risk", "needs_refresh")
    return [item for group in groups for item in packet[group] if item["source_id"] == "depot.py"]


def line_of(text, lines=LINES):
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_a_packet_an_explanation_and_lines_read_agree_with_the_editor(tmp_path, open_helix, ends):
    folder, helix = made(tmp_path, open_helix, ends)
    lines = (folder / "depot.py").read_bytes().splitlines(keepends=True)
    assert [line.rstrip(b"\r\n").decode() for line in lines] == LINES
    for question, symbol, first in (
        ("where is stamp_parcel defined?", "stamp_parcel", "def stamp_parcel"),
        ("Depot.unload_depot", "Depot", "class Depot"),
    ):
        item = next(item for item in items_of(helix.packet(question)) if item["symbol"].startswith(symbol))
        assert item["status"] == "verified"
        assert item["start_line"] == line_of(first)
        span = lines[item["start_line"] - 1 : item["end_line"]]
        assert hashlib.sha256(b"".join(span)).hexdigest()[:16] == item["gene_id"]
        assert b"".join(span).decode().startswith(item["quote"])
        end = len(item["quote"].encode())
        assert b"".join(span)[end:] in (b"\r", b"\n", b"\r\n")
        read = helix.show("depot.py", item["start_line"], item["end_line"])
        assert (read["text"].encode(), read["gene_id"]) == (b"".join(span), item["gene_id"])
        assert read["total_lines"] == len(LINES)
        explained = helix.explain("depot.py", item["start_line"], item["start_line"])
        assert explained["symbol"] == item["symbol"]
    assert helix.search("stamp_parcel")["items"][0]["start_line"] == line_of("def stamp_parcel")


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_a_symbol_its_use_and_the_commit_of_its_lines_stand_where_the_editor_has_them(tmp_path, open_helix, ends):
    folder, helix = made(tmp_path, open_helix, ends)
    known = helix.symbols.about("stamp_parcel", path=b"depot.py", line=line_of("return stamp_parcel"))
    assert [place["start_line"] for place in known["definitions"]] == [line_of("def stamp_parcel")]
    assert [place["start_line"] for place in known["users"]] == [line_of("return stamp_parcel")]
    told = eventually(lambda: helix.symbols.about("stamp_parcel"), lambda known: known["commit_of"] == "lines")
    assert (told["commit_of"], told["commit"]) == ("lines", git(folder, "rev-parse", "HEAD").strip())


def test_git_is_asked_for_the_lines_as_git_counts_them(tmp_path, open_helix):
    ends = ENDS["one lone return"]
    folder, helix = made(tmp_path, open_helix, ends)
    first = git(folder, "rev-parse", "HEAD").strip()
    later = [line.replace("return stamp_parcel(box)", "return stamp_parcel(box) or box") for line in LINES]
    (folder / "depot.py").write_bytes(joined(later, ends))
    git(folder, "commit", "-qam", "Unload otherwise")
    helix.refresh()
    told = eventually(lambda: helix.symbols.about("stamp_parcel"), lambda known: known["commit_of"] == "lines")
    assert told["commit"] == first
    told = eventually(lambda: helix.symbols.about("unload_depot"), lambda known: known["commit_of"] == "lines")
    assert told["commit"] == git(folder, "rev-parse", "HEAD").strip() != first


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_text_that_moved_between_lone_returns_is_found_at_its_line(tmp_path, open_helix, ends):
    folder, helix = made(tmp_path, open_helix, ends)
    shown = [Pointer(**{name: item[name] for name in FIELDS}) for item in items_of(helix.packet("stamp_parcel"))]
    pointer = next(one for one in shown if one.symbol == "stamp_parcel")
    data = (folder / "depot.py").read_bytes()
    (folder / "depot.py").write_bytes(b"# one\r# two\r\n# three\n" + data)
    for indexed in (False, True):
        (one,), _ = helix.judge([pointer])
        assert (str(one.verdict.status), str(one.verdict.reason)) == ("verified", "moved")
        assert (one.start_line, one.end_line) == (pointer.start_line + 3, pointer.end_line + 3)
        if not indexed:
            helix.refresh_paths([b"depot.py"])
    assert helix.search("stamp_parcel")["items"][0]["start_line"] == line_of("def stamp_parcel") + 3


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_an_editor_that_opens_such_a_file_with_its_own_line_ends_has_edited_nothing(tmp_path, open_helix, ends):
    _, helix = made(tmp_path, open_helix, ends)
    for end in ("\n", "\r\n"):
        buffer = joined(LINES, lambda number, end=end: end)
        item = items_of(helix.packet("stamp_parcel", overlays={b"depot.py": buffer}))[0]
        assert (item["status"], item["reason"]) == ("verified", "unchanged")
        item = items_of(helix.packet("stamp_parcel", overlays={b"depot.py": b"# one\r\n" + buffer}))[0]
        assert item["status"] == "verified"
        assert item["buffer"]["start_line"] == item["start_line"] + 1


def test_text_that_begins_in_the_middle_of_a_line_now_is_not_where_it_was(tmp_path, open_helix):
    folder, helix = made(tmp_path, open_helix, lambda number: "\n")
    item = next(one for one in items_of(helix.packet("stamp_parcel")) if one["symbol"] == "stamp_parcel")
    pointer = Pointer(**{name: item[name] for name in FIELDS})
    data = (folder / "depot.py").read_bytes()
    (folder / "depot.py").write_bytes(data.replace(b"\n\ndef stamp", b"\n#def stamp"))
    (one,), _ = helix.judge([pointer])
    assert str(one.verdict.status) == "needs_refresh"


def test_files_of_random_line_ends_are_cited_by_the_editors_lines(tmp_path, open_helix):
    chance = random.Random(11)
    folder = tmp_path / "project"
    folder.mkdir()
    helix = None
    for number in range(12):
        many = [f"# {word}" for word in chance.sample("abcdefghij", 5)]
        lines = [*many, f"def carry_{number}(box):", "    return box", "", f"FEE_{number} = {number}"]
        (folder / f"carry_{number}.py").write_bytes(joined(lines, lambda _: chance.choice(["\r", "\n", "\r\n"])))
    helix = open_helix(folder)
    helix.refresh()
    for number in range(12):
        hit = helix.symbols.about(f"carry_{number}")["definitions"][0]
        lines = (folder / hit["source_id"]).read_bytes().splitlines()
        # It begins at the comment above it.
        assert (hit["start_line"], lines[5]) == (1, f"def carry_{number}(box):".encode())
        assert lines[hit["end_line"] - 1] == b"    return box"
