"""Whose commit is named: that of these lines, or that of their file and so it is said; none at the edge of a clone."""

import shutil
import subprocess

import pytest

from helix_core.engine.verdict.weigher import SHALLOW
from helix_core.packet.compact import place_line
from helix_core.workspace.git import Git
from helix_core.workspace.history import co_changes, last_commits
from helix_ls.cli.render.packet import printed
from helix_ls.lsp.hover import render
from tests.engine.repository import git, write
from tests.engine.test_symbol import eventually

OLD = "def seal_letter(letter):\n    return letter.sealed\n\n\ndef open_letter(letter):\n    return letter.text\n"
NEW = OLD.replace("letter.text", "letter.text.strip()")


@pytest.fixture
def origin(tmp_path):
    """Three commits: two files, then one of them again, then another file."""
    folder = tmp_path / "origin"
    folder.mkdir()
    write(folder, {"letters.py": OLD, "stamps.py": "def frank_stamp(stamp):\n    return stamp\n"})
    git(folder, "init", "-q", "-b", "main")
    for message, files in (("Begin", {}), ("Strip", {"letters.py": NEW}), ("Weigh", {"scales.py": "SCALE = 3\n"})):
        write(folder, files)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", message)
    return folder


def cloned(origin, tmp_path, depth):
    folder = tmp_path / f"clone{depth}"
    command = ["git", "clone", "-q", f"--depth={depth}", origin.as_uri(), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def revision(folder, name):
    return git(folder, "rev-parse", name).strip()


def items_of(packet):
    groups = ("verified", "stale_risk", "needs_refresh")
    return {item["source_id"]: item for group in groups for item in packet[group]}


def asked(helix):
    packets = [helix.packet(name) for name in ("seal_letter", "frank_stamp", "SCALE")]
    return packets, {path: item for packet in packets for path, item in items_of(packet).items()}


@pytest.mark.parametrize(("depth", "known"), [(1, {}), (2, {"scales.py": "HEAD"})])
def test_the_edge_of_a_shallow_clone_is_nobodys_last_change(origin, tmp_path, open_helix, depth, known):
    folder = cloned(origin, tmp_path, depth)
    helix = open_helix(folder)
    helix.refresh()
    packets, items = asked(helix)
    for path in ("letters.py", "stamps.py", "scales.py"):
        item = items[path]
        commit = revision(folder, known[path]) if path in known else None
        assert item["commit"] == commit
        assert (item["author"] is None, item["committed_at"] is None) == (commit is None, commit is None)
        assert item["commit_of"] == ("file" if commit else "")
    assert packets[0]["notes"].count(SHALLOW) == 1
    told = [helix.symbols.about("seal_letter") for _ in range(20)][-1]
    assert (told["commit"], told["author"], told["commit_of"]) == (None, None, "")
    assert all(place["commit"] is None for place in told["definitions"])
    assert co_changes(Git.open(folder)) == {}


def test_blame_that_ends_at_the_edge_names_no_commit(origin, tmp_path, open_helix):
    folder = cloned(origin, tmp_path, 1)
    (folder / "letters.py").write_text(NEW.replace("letter.sealed", "letter.sealed and letter.stamped"))
    git(folder, "commit", "-qam", "Seal")
    helix = open_helix(folder)
    helix.refresh()
    sealed = eventually(lambda: helix.symbols.about("seal_letter"), lambda known: known["commit_of"] == "lines")
    assert sealed["commit"] == revision(folder, "HEAD")
    untouched = eventually(lambda: helix.symbols.about("open_letter"), lambda known: known["commit_of"] != "file")
    assert (untouched["commit"], untouched["author"], untouched["commit_of"]) == (None, None, "")
    assert untouched["definitions"][0]["commit"] is None


def test_a_clone_that_gets_its_history_names_the_commits_at_the_same_head(origin, tmp_path, open_helix):
    folder = cloned(origin, tmp_path, 1)
    helix = open_helix(folder)
    helix.refresh()
    assert asked(helix)[1]["stamps.py"]["commit"] is None
    git(folder, "fetch", "-q", "--unshallow")
    for follow in (lambda: None, helix.refresh):
        follow()
        packets, items = asked(helix)
        assert items["stamps.py"]["commit"] == revision(folder, "HEAD~2")
        assert items["letters.py"]["commit"] == revision(folder, "HEAD~1")
        assert not any(SHALLOW in packet["notes"] for packet in packets)


def test_a_history_that_was_cut_off_only_while_it_was_read_is_read_again(origin, open_helix, monkeypatch):
    shallow = origin / ".git" / "shallow"

    def cut_off(repository, *arguments):
        shallow.write_text(revision(origin, "HEAD~1") + "\n")
        try:
            return last_commits(repository, *arguments)
        finally:
            shallow.unlink()

    helix = open_helix(origin)
    with monkeypatch.context() as patched:
        patched.setattr("helix_core.engine.indexing.refresh.last_commits", cut_off)
        helix.refresh()
    for follow in (lambda: None, helix.refresh):
        follow()
        _, items = asked(helix)
        assert items["stamps.py"]["commit"] == revision(origin, "HEAD~2")
        assert items["scales.py"]["commit"] == revision(origin, "HEAD")


def test_a_whole_history_in_which_a_file_was_never_committed_is_not_called_long(origin, open_helix):
    (origin / "staged.py").write_text("STAGED = 1\n")
    git(origin, "add", "staged.py")
    found = last_commits(Git.open(origin))
    assert found.complete
    assert b"staged.py" not in found
    assert open_helix(origin).refresh().notes == ()


def test_a_commit_that_did_not_touch_the_lines_is_said_to_be_the_files(origin, open_helix):
    helix = open_helix(origin)
    helix.refresh()
    begin, strip = revision(origin, "HEAD~2"), revision(origin, "HEAD~1")
    packet = helix.packet("seal_letter")
    item = next(item for item in packet["verified"] if item["symbol"] == "seal_letter")
    assert (item["commit"], item["commit_of"]) == (strip, "file")
    shown = printed(packet)
    assert f"by Ada in {strip[:8]}" in shown
    assert shown.count("file last changed") == shown.count("by Ada in")
    told = eventually(lambda: helix.symbols.about("seal_letter"), lambda known: known["commit_of"] == "lines")
    assert (told["commit"], told["definitions"][0]["commit_of"]) == (begin, "lines")
    others = [place for key in ("users", "tests", "documents", "co_changed") for place in told[key]]
    assert all(place["commit_of"] == "file" for place in others if place["commit"])


def item_called(packet, symbol):
    groups = ("verified", "stale_risk", "needs_refresh")
    return next(item for group in groups for item in packet[group] if item["symbol"] == symbol)


EDITED = NEW.replace("return letter.sealed", "return letter.sealed and letter.wax")


def test_lines_that_are_edited_and_not_committed_say_so_everywhere(origin, open_helix):
    write(origin, {"letters.py": EDITED + "\n\ndef burn_letter(letter):\n    letter.burn()\n", "new.py": "INK = 3\n"})
    helix = open_helix(origin)
    helix.refresh()
    for name in ("seal_letter", "burn_letter", "INK"):
        item = item_called(helix.packet(name), name)
        assert item["uncommitted"] is True, name
        told = helix.symbols.about(name)
        assert told["uncommitted"]
        assert told["definitions"][0]["uncommitted"] is True
        assert "edited and not committed" in render(told, 2e9)
        assert "not committed]" in place_line(item)
    packet = helix.packet("seal_letter")
    assert "edited and not committed · file last committed" in printed(packet)
    assert "[verified: unchanged, not committed]" in helix.packet("seal_letter", as_text=True)["text"]
    window = helix.context("seal_letter")
    assert "seal_letter - verified (unchanged), not committed" in str(window)


def test_lines_as_head_has_them_are_committed_whatever_else_was_edited(origin, open_helix):
    write(origin, {"letters.py": "# Letters.\n" + EDITED.replace("\n", "\r\n"), "scales.py": "SCALE = 3\r\n"})
    helix = open_helix(origin)
    helix.refresh()
    for name in ("open_letter", "frank_stamp", "SCALE"):
        item = item_called(helix.packet(name), name)
        assert "uncommitted" not in item, name
        assert "uncommitted" not in helix.symbols.about(name)["definitions"][0]


def test_nothing_is_said_of_what_is_committed_in_a_repository_inside(origin, open_helix):
    inner = origin / "inner"
    inner.mkdir()
    write(inner, {"seals.py": "def melt_wax(wax):\n    return wax\n"})
    git(inner, "init", "-q", "-b", "main")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "Begin")
    helix = open_helix(origin)
    helix.refresh()
    assert "uncommitted" not in items_of(helix.packet("melt_wax"))["inner/seals.py"]


SIGNED = "where is the session cookie signed?"


def commits_shown(helix):
    packet = helix.packet(SIGNED)
    items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    assert items
    return {item["commit"] for item in items}


def reached(repository):
    return {*git(repository, "rev-list", "HEAD").split(), None}


def test_without_its_repository_no_place_has_a_commit(helix, repository):
    assert commits_shown(helix) != {None}
    shutil.rmtree(repository / ".git")
    assert commits_shown(helix) == {None}
    helix.refresh()
    assert commits_shown(helix) == {None}


def test_a_repository_in_place_of_the_old_one_is_asked(helix, repository):
    assert commits_shown(helix) != {None}
    shutil.rmtree(repository / ".git")
    git(repository, "init", "-q")
    assert commits_shown(helix) == {None}
    git(repository, "add", "-A")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "anew")
    assert commits_shown(helix) <= reached(repository)
    assert commits_shown(helix) != {None}
    helix.refresh()
    assert commits_shown(helix) <= reached(repository)


def test_after_history_is_rewritten_no_place_has_a_commit_of_the_old_one(helix, repository):
    assert commits_shown(helix) != {None}
    git(repository, "checkout", "-q", "--orphan", "anew")
    assert commits_shown(helix) == {None}
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "anew")
    assert commits_shown(helix) <= reached(repository)
    helix.refresh()
    assert commits_shown(helix) <= reached(repository)
