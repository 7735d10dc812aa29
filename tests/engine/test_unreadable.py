"""Files and folders somebody may not read any more: nothing of them is shown, and all of it again when they may."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.engine.test_faults import run_child

PROGRAM = """
import json, os, shutil, sys, time
from pathlib import Path
from helix_core.engine import Helix
from tests.engine.conftest import config_in

source, base = Path(sys.argv[1]), Path(sys.argv[2]) / "theirs"
# Once with all rights, so that all modules are loaded before the interpreter's own files cannot be read.
with Helix.open(source, config=config_in(Path(sys.argv[2]) / "before", source)) as helix:
    helix.refresh()
    helix.packet("sign_cookie")
    helix.symbols.about("sign_cookie")
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
base.mkdir()
os.environ["HOME"] = str(base)
folder = base / "project"
shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".git"))
TEXT = "def sign_cookie"

def shown(helix):
    packet = helix.packet("sign_cookie", task="edit")
    quoted = [item["source_id"] for item in packet["verified"] if TEXT in item["quote"]]
    symbol = helix.symbols.about("sign_cookie") or {"definitions": []}
    verified = [place["source_id"] for place in symbol["definitions"] if place["status"] == "verified"]
    assert TEXT not in json.dumps([packet["stale_risk"], packet["needs_refresh"]])
    return quoted, verified

there = (["app/sessions.py"], ["app/sessions.py"])
with Helix.open(folder, config=config_in(base, folder)) as helix:
    helix.refresh()
    assert shown(helix) == there, shown(helix)
    for closed in (folder / "app/sessions.py", folder / "app"):
        mode = closed.stat().st_mode
        closed.chmod(0)
        assert shown(helix) == ([], []), (closed, shown(helix))
        helix.refresh()
        assert shown(helix) == ([], []), (closed, shown(helix))
        assert sum(helix.status()["skipped"].values()) >= 1, helix.status()
        closed.chmod(mode)
        helix.refresh()
        assert shown(helix) == there, (closed, shown(helix))
        # What was read in the moment it changed is read once more.
        time.sleep(0.2)
        helix.refresh()
        assert helix.status()["fresh"]
print("as it should be")
"""


def run_where_others_may_read(program, repository, *left_out):
    """Run a program on a copy of a repository, with a folder in which another user may write; return what it says."""
    # Not below pytest's own folder, which every run closes to other users when it begins.
    with tempfile.TemporaryDirectory(prefix="helix-unreadable-") as own:
        base = Path(own)
        base.chmod(0o755)
        shutil.copytree(repository, base / "project", ignore=shutil.ignore_patterns(*left_out))
        (base / "open").mkdir()
        (base / "open").chmod(0o777)
        return run_child(program, base / "project", base / "open")


@pytest.mark.process
def test_what_may_not_be_read_is_not_shown_until_it_may_be_again(repository):
    assert run_where_others_may_read(PROGRAM, repository, ".git") == "as it should be"


CLOSED = """
import os, shutil, sys
from pathlib import Path
from helix_core.engine import Helix
from tests.engine.conftest import config_in

source, base = Path(sys.argv[1]), Path(sys.argv[2]) / "theirs"
# Once with all rights, so that all modules are loaded before the interpreter's own files cannot be read.
with Helix.open(source, config=config_in(Path(sys.argv[2]) / "before", source)) as helix:
    helix.refresh()
    helix.symbols.about("never_was_here")
    helix.symbols.changes("HEAD")
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
base.mkdir()
os.environ["HOME"] = str(base)
folder = base / "project"
shutil.copytree(source, folder)
with Helix.open(folder, config=config_in(base, folder)) as helix:
    helix.refresh()
    for closed in (folder / "app/sessions.py", folder / "app"):
        mode = closed.stat().st_mode
        closed.chmod(0)
        for _ in range(2):
            answer = helix.symbols.changes("HEAD")
            assert answer["changes"] == [], answer["changes"]
            assert any("not indexed, and w" in note for note in answer["notes"]), answer["notes"]
            known = helix.symbols.about("sign_cookie")
            assert not known["definitions"], known
            assert "which is there and not indexed as it is now: read it" in known["notes"][0], known["notes"]
            helix.refresh()
        closed.chmod(mode)
        helix.refresh()
    assert helix.symbols.about("sign_cookie")["definitions"]
print("as it should be")
"""


@pytest.mark.process
def test_what_may_not_be_read_is_neither_told_as_gone_nor_as_changed(repository):
    assert run_where_others_may_read(CLOSED, repository) == "as it should be"
