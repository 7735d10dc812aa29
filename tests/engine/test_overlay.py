"""The editor's unsaved buffers: what they touch is a risk, what they do not touch keeps the disk's verdict."""

import difflib
import hashlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.engine.verdict.overlay import edits
from helix_core.model import LineSpan
from tests.engine.repository import write

PATH = b"app/sessions.py"
COOKIE = "sign_cookie and verify_cookie"


def item_of(packet, symbol, source_id="app/sessions.py"):
    items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    return next(item for item in items if item["source_id"] == source_id and symbol in item["symbol"])


def asked(helix, buffer, symbol, question=COOKIE, **more):
    return item_of(helix.packet(question, overlays={PATH: buffer}, **more), symbol)


def word(item):
    return item["status"], item["reason"]


@pytest.fixture
def text(repository):
    return (repository / "app/sessions.py").read_bytes()


def test_a_touched_span_is_a_risk_with_the_buffers_own_lines_and_the_disks_quote(helix, text):
    before = item_of(helix.packet(COOKIE), "sign_cookie")
    buffer = b"# one\n# two\n" + text.replace(b'    return payload + "."', b'    extra = 1\n    return payload + "|"')
    item = asked(helix, buffer, "sign_cookie", task="edit")
    assert word(item) == ("stale_risk", "unsaved")
    assert item["buffer"] == {"start_line": before["start_line"] + 2, "end_line": before["end_line"] + 3}
    for key in ("start_line", "end_line", "quote", "content_hash"):
        assert item[key] == before[key] or key == "quote"
    assert 'payload + "."' in item["quote"]


def test_a_span_beside_the_edits_keeps_its_verdict_and_says_where_the_buffer_has_it(helix, text):
    buffer = b"# one\n# two\n" + text.replace(b'payload + "."', b'payload + "|"')
    item = asked(helix, buffer, "verify_cookie")
    assert word(item) == ("verified", "unchanged")
    assert item["buffer"]["start_line"] == item["start_line"] + 2


def test_a_buffer_that_only_grows_at_its_end_changes_nothing_before(helix, text):
    item = asked(helix, text + b"\n\ndef later():\n    pass\n", "sign_cookie")
    assert word(item) == ("verified", "unchanged")
    assert "buffer" not in item


def test_undoing_every_edit_makes_it_verified_again(helix, text):
    assert word(asked(helix, text.replace(b"payload", b"load"), "sign_cookie")) == ("stale_risk", "unsaved")
    assert word(asked(helix, text, "sign_cookie")) == ("verified", "unchanged")
    assert "buffer" not in asked(helix, text, "sign_cookie")


def test_what_an_editor_changes_on_opening_is_no_edit(helix, text, repository):
    (repository / "app/sessions.py").write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    helix.refresh()
    assert word(asked(helix, text, "sign_cookie")) == ("verified", "unchanged")
    moved = asked(helix, b"# one\n" + text, "verify_cookie")
    assert word(moved) == ("verified", "unchanged")
    assert moved["buffer"]["start_line"] == moved["start_line"] + 1
    assert word(asked(helix, text.replace(b'+ "."', b'+ "|"'), "sign_cookie")) == ("stale_risk", "unsaved")


def test_a_buffer_beside_a_file_that_moved_on_disk_too_is_compared_with_the_disk_as_it_is(helix, text, repository):
    (repository / "app/sessions.py").write_bytes(b"# disk\n" + text)
    item = asked(helix, b"# editor\n# more\n" + text, "sign_cookie")
    assert word(item) == ("verified", "moved")
    assert item["buffer"]["start_line"] == item["start_line"] + 1


def test_a_buffer_of_a_file_that_is_gone_does_not_bring_it_back(helix, text, repository):
    (repository / "app/sessions.py").unlink()
    packet = helix.packet("where are cookies signed?", overlays={PATH: text})
    assert word(item_of(packet, "sign_cookie")) == ("needs_refresh", "gone")
    assert not [item for item in packet["verified"] if item["source_id"] == "app/sessions.py"]


def test_nothing_of_a_buffer_enters_the_index(helix, text):
    before = helix.digest()
    asked(helix, text + b"\n\ndef quokka_in_buffer():\n    pass\n", "sign_cookie")
    assert helix.digest() == before
    assert not [i for i in helix.search("quokka_in_buffer")["items"] if "quokka" in i["symbol"]]
    assert b"quokka_in_buffer" not in helix.index_path.read_bytes()


def test_unsaved_edits_are_only_told_for_their_own_file(helix, text, repository):
    write(repository, {"lib/sessions.py": (repository / "app/sessions.py").read_text()})
    helix.refresh()
    packet = helix.packet(COOKIE, overlays={PATH: text.replace(b"payload", b"load")})
    assert word(item_of(packet, "sign_cookie")) == ("stale_risk", "unsaved")
    assert item_of(packet, "sign_cookie", "lib/sessions.py")["status"] == "verified"


def spans_of(lines):
    """Neighbouring pairs of lines, as byte spans and line numbers."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return [(starts[i], starts[min(i + 2, len(lines))], i, min(i + 2, len(lines))) for i in range(0, len(lines), 2)]


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"}\n", b"d e\n"]), min_size=1, max_size=14)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(LINES, LINES, st.booleans())
def test_what_is_called_untouched_stands_in_the_buffer_word_for_word(before, after, at_end):
    disk, buffer = b"".join(before), b"".join(after).removesuffix(b"\n" if at_end else b"")
    found = edits(disk, buffer)
    if found is None:
        assert disk == buffer
        return
    there = buffer.split(b"\n")
    for start, end, first, last in spans_of(before):
        place = found.place(start, end)
        assert 1 <= place.lines.start_line <= place.lines.end_line
        if not place.touched:
            assert place.lines.end_line - place.lines.start_line == last - first - 1
            text = disk[start:end].removesuffix(b"\n").split(b"\n")
            assert there[place.lines.start_line - 1 : place.lines.end_line] == text


@settings(max_examples=200, deadline=None)
@given(st.sets(st.integers(0, 59), max_size=6), st.integers(0, 2))
def test_with_lines_that_differ_every_untouched_span_is_found_and_no_touched_one(changed, added):
    before = [b"line %d\n" % number for number in range(60)]
    after = []
    for number, line in enumerate(before):
        after += [b"new %d %d\n" % (number, extra) for extra in range(added)] if number in changed else [line]
    found = edits(b"".join(before), b"".join(after))
    if found is None:
        assert not changed
        return
    now = {line: number for number, line in enumerate(after, 1)}
    for start, end, first, last in spans_of(before):
        place = found.place(start, end)
        assert place.touched == bool(changed & set(range(first, last)))
        if not place.touched:
            assert place.lines == LineSpan(now[before[first]], now[before[last - 1]])
        elif first not in changed:
            assert place.lines.start_line == now[before[first]]
        elif last - 1 not in changed:
            assert place.lines.end_line == now[before[last - 1]]


def test_a_copy_of_a_decorator_put_before_an_item_does_not_touch_it():
    disk = b"@d\ndef a():\n    pass\n"
    found = edits(disk, b"@d\ndef c():\n    pass\n\n\n" + disk)
    place = found.place(0, len(disk))
    assert (place.touched, place.lines) == (False, LineSpan(6, 8))


def test_a_copy_of_an_item_pasted_elsewhere_does_not_touch_the_item():
    before = b"import os\n\n\n"
    item = b"def a():\n    pass\n"
    disk = before + item + b"\n\nlast = 1\n"
    found = edits(disk, b"import re\n" + disk + b"\n\n" + item)
    place = found.place(len(before), len(before) + len(item))
    assert (place.touched, place.lines) == (False, LineSpan(5, 6))


@pytest.mark.slow
def test_a_buffer_of_a_million_lines_is_compared_without_delay():
    lines = [b"value_%d = %d\n" % (number % 1000, number % 7) for number in range(1_000_000)]
    disk = b"".join(lines[:50_000])
    buffer = b"# first\n" + b"".join(lines[:20_000]) + b"# between\n" + b"".join(lines[20_010:])
    started = time.process_time()
    found = edits(disk, buffer)
    offset = sum(map(len, lines[:20_000]))
    for start in (0, offset // 2, offset - 10, offset + 5_000):
        begin = disk.rfind(b"\n", 0, start) + 1
        found.place(begin, disk.find(b"\n", begin + 400) + 1)
    assert time.process_time() - started < 20 * _one_diff_of_a_thousand_lines()


def _one_diff_of_a_thousand_lines():
    started = time.process_time()
    one, other = ([f"{number * step % 500}" for number in range(3000)] for step in (3, 7))
    difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return time.process_time() - started


def test_what_only_a_buffer_defines_is_found_when_it_is_named(helix, text):
    buffer = b"# one\n" + text + b"\n\ndef quokka_of_cookie(jar):\n    return jar\n"
    packet = helix.packet("where is quokka_of_cookie?", overlays={PATH: buffer}, task="edit")
    item = item_of(packet, "quokka_of_cookie")
    first = buffer.split(b"\n").index(b"def quokka_of_cookie(jar):") + 1
    assert word(item) == ("stale_risk", "unsaved")
    assert item["buffer"]["start_line"] == item["start_line"] == first
    assert (item["quote"], item["content_hash"]) == ("", hashlib.sha256(text).hexdigest())
    assert packet["known_empty"] is False
    assert packet["stale_risk"][0] is item
    assert item_of(helix.packet("sign_cookie", overlays={PATH: buffer}), "sign_cookie")["status"] == "verified"


def test_a_file_that_was_never_saved_is_found_by_name_and_an_ignored_one_is_not(helix, repository):
    write(repository, {".gitignore": "made.py\n", "made.py": "x = 1\n"})
    helix.refresh()
    defined = b"def quokka_of_cookie(jar):\n    return jar\n"
    item = item_of(helix.packet("quokka_of_cookie", overlays={b"app/new.py": defined}), "quokka", "app/new.py")
    assert (word(item), item["content_hash"]) == (("stale_risk", "unsaved"), "")
    for path in (b"made.py", b".env"):
        packet = helix.packet("quokka_of_cookie", overlays={path: defined})
        assert packet["known_empty"] is True
        assert "quokka" not in str(packet["stale_risk"])


def test_a_secret_in_a_buffer_does_not_come_out(helix, text):
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    buffer = text + f'\n\ndef quokka_of_cookie():\n    return "{secret}"\n'.encode()
    packet = helix.packet("quokka_of_cookie", overlays={PATH: buffer})
    assert item_of(packet, "quokka_of_cookie")["reason"] == "unsaved"
    assert secret not in str(packet)
