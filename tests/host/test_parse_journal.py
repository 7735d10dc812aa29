"""What killed the daemon is known to the next one."""

import hashlib
import os
import stat
import subprocess
import sys
import threading

import pytest

from helix_ls.host.parse_journal import QUARANTINED, SLOTS, CommandJournal, ParseJournal, clear_crashes

POISON = hashlib.sha256(b"poison").hexdigest()


def test_what_is_parsed_in_order_leaves_no_trace(tmp_path):
    file = ParseJournal(tmp_path / "hand")
    with file.hold(POISON) as may:
        assert may
    file.close()
    again = ParseJournal(tmp_path / "hand")
    assert again.died_of == ()
    assert again.quarantined == frozenset()
    assert stat.S_IMODE((tmp_path / "hand").stat().st_mode) == 0o600
    again.close()


@pytest.mark.process
def test_what_a_process_died_of_is_never_held_again(tmp_path):
    script = (
        "import os, sys; from pathlib import Path; from helix_ls.host.parse_journal import ParseJournal\n"
        "with ParseJournal(Path(sys.argv[1])).hold(sys.argv[2]): os.abort()"
    )
    path = str(tmp_path / "hand")
    died = subprocess.run([sys.executable, "-c", script, path, POISON], check=False, timeout=120)
    assert died.returncode < 0
    file = ParseJournal(tmp_path / "hand")
    assert file.died_of == (POISON,)
    with file.hold(POISON) as may:
        assert not may
    file.close()
    later = ParseJournal(tmp_path / "hand")
    assert later.died_of == ()
    assert later.quarantined == {POISON}
    later.close()


@pytest.mark.process
def test_nobody_is_to_blame_where_the_process_was_ended_on_purpose(tmp_path):
    script = (
        "import os, sys; from pathlib import Path; from helix_ls.host.parse_journal import ParseJournal\n"
        "with ParseJournal(Path(sys.argv[1]), deaths=2).hold(sys.argv[2]): os.abort()"
    )
    path = tmp_path / "indexer.in-hand"
    for _ in range(3):
        subprocess.run([sys.executable, "-c", script, str(path), POISON], check=False, timeout=120)
        clear_crashes(tmp_path)
    file = ParseJournal(path, deaths=2)
    assert (file.died_of, file.quarantined) == ((), frozenset())
    file.close()


def test_a_command_writes_no_journal_before_it_parses_and_allows_all_where_it_cannot(tmp_path):
    journal = CommandJournal(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with journal(POISON) as may_parse:
        assert may_parse
        assert POISON in (tmp_path / "command.in-hand").read_bytes().hex()
        with CommandJournal(tmp_path)(POISON) as also:
            assert also
    (tmp_path / "file").write_text("no folder")
    with CommandJournal(tmp_path / "file")(POISON) as may_parse:
        assert may_parse


def test_an_error_in_the_parser_is_no_death(tmp_path):
    file = ParseJournal(tmp_path / "hand")
    try:
        with file.hold(POISON):
            raise ValueError("bad")
    except ValueError:
        pass
    file.close()
    assert ParseJournal(tmp_path / "hand").died_of == ()


def test_many_threads_hold_at_once(tmp_path):
    file = ParseJournal(tmp_path / "hand")
    inside, go = threading.Barrier(SLOTS + 3), threading.Event()
    allowed = []

    def work(number):
        with file.hold(hashlib.sha256(b"%d" % number).hexdigest()) as may:
            allowed.append(may)
            inside.wait(60)
            go.wait(60)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(SLOTS + 2)]
    for thread in threads:
        thread.start()
    inside.wait(60)
    held = os.stat(tmp_path / "hand").st_size
    go.set()
    for thread in threads:
        thread.join()
    assert allowed == [True] * (SLOTS + 2)
    assert held == (SLOTS + QUARANTINED) * 32
    file.close()
    assert ParseJournal(tmp_path / "hand").died_of == ()


def test_a_second_chance_may_be_given(tmp_path):
    for deaths in (1, 2):
        file = ParseJournal(tmp_path / "hand", deaths=2)
        with file.hold(POISON) as may:
            assert may
        file._put(0, bytes.fromhex(POISON))
        file.close()
        assert deaths <= 2
    last = ParseJournal(tmp_path / "hand", deaths=2)
    with last.hold(POISON) as may:
        assert not may
    last.close()


def test_the_oldest_of_a_thousand_may_be_tried_again(tmp_path):
    hashes = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(QUARANTINED + SLOTS)]
    for start in range(0, len(hashes), SLOTS):
        file = ParseJournal(tmp_path / "hand")
        for slot, content_hash in enumerate(hashes[start : start + SLOTS]):
            file._put(slot, bytes.fromhex(content_hash))
        file.close()
    last = ParseJournal(tmp_path / "hand")
    assert last.quarantined == frozenset(hashes[SLOTS:])
    last.close()
