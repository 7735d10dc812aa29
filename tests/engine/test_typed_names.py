"""A symbol box: what is typed of a name finds it from memory, nearest first, and each place is as it is on disk now."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from helix_core.engine.symbols.typed import HUMPS, MOST_ADDED, NameTable, patterns
from helix_core.errors import Cancelled
from helix_core.store.names import NameQueries
from helix_core.workspace import DiskFile
from tests.engine.repository import write

FILES = {
    "wire/packets.py": (
        "class WritePacket:\n    def send(self):\n        return 1\n\n\nclass ReadPacket:\n    def send(self):\n"
        "        return 2\n\n\ndef write_packet_header(packet):\n    return packet\n"
    ),
    "wire/signing.py": (
        "def get_signing_serializer(app):\n    return app\n\n\ndef get_send_file_max_age(name):\n    return 0\n"
    ),
    "tests/test_packets.py": "def test_write_packet():\n    assert True\n",
    "docs/packets.md": "# Write packets\n\nHow packets are written.\n",
}


@pytest.fixture
def engine(tmp_path, open_helix):
    folder = tmp_path / "wire"
    folder.mkdir()
    write(folder, FILES)
    helix = open_helix(folder)
    helix.refresh()
    return helix


def symbols(helix, typed, **options):
    return [item["symbol"] for item in helix.symbols.typed(typed, **options)["items"]]


@pytest.mark.parametrize("typed", ["WP", "wp", "WriteP", "wri", "pkt", "writepacket", "write_p", "write p", "WrPa"])
def test_prefix_humps_and_letters_in_order_find_a_name(engine, typed):
    assert "WritePacket" in symbols(engine, typed)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("get_sig", "get_signing_serializer"),
        ("gss", "get_signing_serializer"),
        ("write", "WritePacket"),
        ("WritePacket", "WritePacket"),
        ("ReadPacket.s", "ReadPacket.send"),
        ("packets.py", "packets.py"),
        ("docs/pack", "packets.md"),
    ],
)
def test_the_nearest_match_comes_first(engine, typed, first):
    assert symbols(engine, typed)[0] == first


def test_an_owner_names_the_class(engine):
    found = engine.symbols.typed("WritePacket.send")["items"]
    assert [(item["symbol"], item["start_line"]) for item in found[:1]] == [("WritePacket.send", 2)]
    assert "ReadPacket.send" not in [item["symbol"] for item in found]


@pytest.mark.parametrize(
    "typed", ["kubernetes operator for billing", "zzqx", "", "   ", "...", "(", "a" * 5_000, "|\n\0"]
)
def test_what_nothing_is_called_finds_nothing(engine, typed):
    assert engine.symbols.typed(typed)["items"] == []


def test_each_place_has_its_mark_and_lines_of_now(engine):
    [place] = [one for one in engine.symbols.typed("get_sig")["items"] if one["symbol"] == "get_signing_serializer"]
    assert (place["status"], place["start_line"]) == ("verified", 1)
    file = engine.workspace / "wire" / "signing.py"
    file.write_text("import os\n\n" + FILES["wire/signing.py"].replace("return app", "return app.key"))
    place = engine.symbols.typed("get_sig")["items"][0]
    assert place["status"] != "verified"
    [moved] = [one for one in engine.symbols.typed("get_send")["items"] if one["kind"] == "function"]
    assert (moved["status"], moved["start_line"]) == ("verified", 7)
    file.unlink()
    assert "get_signing_serializer" not in symbols(engine, "get_sig")


def test_keystrokes_read_the_names_once_and_no_more_files_than_they_show(engine, monkeypatch):
    opened = []
    kept = DiskFile.__new__

    def count(cls, *given, **named):
        opened.append(kept(cls, *given, **named))
        return opened[-1]

    symbols(engine, "w")
    monkeypatch.setattr(DiskFile, "__new__", count)
    for end in range(1, len("WritePacket") + 1):
        before = len(opened)
        shown = engine.symbols.typed("WritePacket"[:end])["items"]
        assert len(opened) - before <= len({place["source_id"] for place in shown}) <= 4
    assert opened
    assert engine.symbols._typed.built == 1


@pytest.mark.slow
def test_a_new_name_is_found_without_reading_all_names_again(engine):
    symbols(engine, "w")
    write(engine.workspace, {"wire/later.py": "def brand_new_thing():\n    return 1\n"})
    engine.refresh()
    assert symbols(engine, "bnt") == ["brand_new_thing"]
    assert symbols(engine, "later.py")[0] == "later.py"
    assert engine.symbols._typed.built == 1
    many = "".join(f"def made_{n}():\n    return {n}\n\n\n" for n in range(MOST_ADDED + 1))
    write(engine.workspace, {"wire/made.py": many})
    engine.refresh()
    assert "made_77" in symbols(engine, "made_77")
    assert engine.symbols._typed.built == 2
    engine.rebuild()
    assert symbols(engine, "bnt") == ["brand_new_thing"]


def test_a_keystroke_can_be_taken_back(engine):
    with pytest.raises(Cancelled):
        engine.symbols.typed("write", cancelled=lambda: True)


def test_a_table_marks_humps_whatever_separates_them():
    table = NameTable(["HTTPServer", "utf8_decode", "a|b", "two\nlines", "übergabeWert", "x" * 3_000])
    for typed, name in [
        ("hs", "HTTPServer"),
        ("server", "HTTPServer"),
        ("utf8", "utf8_decode"),
        ("üw", "übergabeWert"),
    ]:
        assert name in [found for way in patterns(typed) for found in table.matches(way, 9)], typed
    assert "two\nlines" not in table.names


NAMES = some.text(alphabet="aAbBxX12_. -", min_size=1, max_size=9)


@given(
    names=some.lists(NAMES, max_size=30), typed=some.text(alphabet="aAbBx1_ .", max_size=5), most=some.integers(0, 9)
)
def test_what_a_nearer_way_matches_is_left_by_the_humps(names, typed, most):
    table = NameTable(names)
    for way in patterns(typed)[: HUMPS + 1]:
        left = table.having(patterns(typed)[HUMPS], most)
        assert left.matches(way, 5) == table.matches(way, 5)


@pytest.mark.parametrize("typed", ["w", "wri", "gss", "write_p", "get_send_file_max_age"])
def test_a_keystroke_looks_up_a_name_once(engine, monkeypatch, typed):
    asked, look_up = [], NameQueries.defined_at

    def counted(self, name, *given, **named):
        asked.append(name)
        return look_up(self, name, *given, **named)

    monkeypatch.setattr(NameQueries, "defined_at", counted)
    assert symbols(engine, typed)
    assert sorted(asked) == sorted(set(asked))


def test_a_long_name_reads_all_names_twice_at_most(engine, monkeypatch):
    read, rows = [], NameTable._rows

    def counted(self, pattern, limit):
        read.append(len(self.names))
        return rows(self, pattern, limit)

    symbols(engine, "get_send")
    added = "".join(f"def other_{number}_name():\n    pass\n\n\n" for number in range(100))
    write(engine.workspace, {"others.py": added})
    engine.refresh()
    symbols(engine, "get_send")
    monkeypatch.setattr(NameTable, "_rows", counted)
    assert symbols(engine, "get_send_file") == ["get_send_file_max_age"]
    assert sum(count >= 100 for count in read) <= 2
