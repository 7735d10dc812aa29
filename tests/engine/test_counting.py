"""What the user says must not count is neither quoted nor verified from that moment on, whether anybody refreshes."""

import json
import os
import time
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest
from helix_core.engine.indexing.plan import is_settled
from helix_core.model import Pointer, Reason, Status
from helix_core.workspace.disk import signature_of
from tests.engine.repository import git, write

SECRET = "plans/numbat.py"
TEXT = 'def numbat_plan():\n    """The numbat plan."""\n    return "numbats march at dawn"\n'
QUESTION = "numbat_plan the numbat plan"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of the test's own for git."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def global_ignore_file(home, _):
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("numbat.py\n")


def excludes_file_of_the_user(home, _):
    (home / "mine").write_text("plans/\n")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")


def excludes_file_of_the_repository(home, repository):
    (home / "mine").write_text("*bat.py\n")
    git(repository, "config", "core.excludesFile", str(home / "mine"))


def included_configuration(home, repository):
    (home / "mine").write_text("*bat.py\n")
    (home / "more.inc").write_text(f"[core]\n\texcludesFile = {home}/mine\n")
    git(repository, "config", "include.path", str(home / "more.inc"))


def info_exclude(_, repository):
    (repository / ".git" / "info" / "exclude").write_text("numbat.py\n")


def gitignore_at_the_root(_, repository):
    write(repository, {".gitignore": "/plans/\n"})


def gitignore_beside_it(_, repository):
    write(repository, {"plans/.gitignore": "numbat.py\n"})


def helixignore(_, repository):
    write(repository, {"plans/.helixignore": "*.py\n"})


def settings_of_the_workspace(_, repository):
    write(repository, {"helix.toml": '[index]\nexclude = ["plans/"]\n'})


def included_files_of_the_workspace(_, repository):
    write(repository, {"helix.toml": '[index]\ninclude = ["*.py", "!plans/"]\n'})


def settings_of_the_user(home, _):
    (home / "helix.toml").write_text('[index]\nexclude = ["plans/"]\n')


WAYS = [
    global_ignore_file,
    excludes_file_of_the_user,
    excludes_file_of_the_repository,
    included_configuration,
    info_exclude,
    gitignore_at_the_root,
    gitignore_beside_it,
    helixignore,
    settings_of_the_workspace,
    included_files_of_the_workspace,
    settings_of_the_user,
]
OUTSIDE_GIT = [
    gitignore_at_the_root,
    gitignore_beside_it,
    helixignore,
    settings_of_the_workspace,
    included_files_of_the_workspace,
]


def engine(folder: Path, home: Path) -> Helix:
    environ = {"HELIX_CACHE_DIR": str(home / "cache"), "HELIX_DATA_DIR": str(home / "data")}
    return Helix.open(folder, config=load_config(folder, environ=environ, user=home / "helix.toml"))


def pointers(packet):
    return [
        Pointer(item["source_id"], item["gene_id"], item["symbol"], item["start_line"], item["end_line"],
                item["content_hash"])
        for item in packet["verified"]
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_is_ignored_now_is_in_no_answer_though_nobody_refreshed(repository, home, way):
    write(repository, {SECRET: TEXT})
    with engine(repository, home) as helix, engine(repository, home) as other:
        helix.refresh()
        other.refresh()
        before = helix.packet(QUESTION)
        assert before["verified"][0]["source_id"] == SECRET
        shown = pointers(before)
        way(home, repository)
        judged, _ = other.judge(shown)
        for one in judged:
            if one.pointer.source_id == SECRET:
                assert (one.verdict.status, one.verdict.reason) == (Status.NEEDS_REFRESH, Reason.IGNORED)
        for asker in (other, helix):
            packet = asker.packet(QUESTION)
            assert SECRET not in json.dumps(packet)
            assert "march at dawn" not in json.dumps(asker.context(QUESTION, ContextRequest()))
        helix.refresh()
        assert all(item["source_id"] != SECRET for item in helix.search(QUESTION)["items"])
        judged, _ = other.judge(shown)
        assert not [one for one in judged if one.pointer.source_id == SECRET and one.verdict.status is Status.VERIFIED]


@pytest.mark.parametrize("way", OUTSIDE_GIT)
def test_the_same_in_a_folder_without_git(tmp_path, home, way):
    folder = tmp_path / "plain"
    write(folder, {SECRET: TEXT, "other.py": "def numbat_other():\n    return 1\n"})
    with engine(folder, home) as helix:
        helix.refresh()
        assert helix.packet(QUESTION)["verified"][0]["source_id"] == SECRET
        way(home, folder)
        assert SECRET not in json.dumps(helix.packet(QUESTION))


def test_what_counts_again_comes_back_with_the_next_refresh(repository, home):
    write(repository, {SECRET: TEXT})
    with engine(repository, home) as helix:
        helix.refresh()
        info_exclude(home, repository)
        assert SECRET not in json.dumps(helix.packet(QUESTION))
        (repository / ".git" / "info" / "exclude").write_text("")
        helix.refresh()
        assert helix.packet(QUESTION)["verified"][0]["source_id"] == SECRET


def test_an_answer_that_leaves_a_file_out_leaves_a_trace_though_the_rule_is_taken_back_at_once(repository, home):
    write(repository, {SECRET: TEXT})
    with engine(repository, home) as helix:
        helix.refresh()
        assert not helix.has_other_rules()
        global_ignore_file(home, repository)
        assert helix.has_other_rules()
        assert SECRET not in json.dumps(helix.packet(QUESTION))
        (home / ".config" / "git" / "ignore").unlink()
        assert helix.has_other_rules()
        helix.refresh()
        assert not helix.has_other_rules()
        assert helix.packet(QUESTION)["verified"][0]["source_id"] == SECRET


def test_tracked_files_count_whatever_is_ignored(repository, home):
    with engine(repository, home) as helix:
        helix.refresh()
        write(repository, {".gitignore": "*.py\n"})
        assert helix.packet("sign_cookie")["verified"][0]["source_id"] == "app/sessions.py"


def test_git_is_asked_only_when_a_rule_has_changed(repository, home, monkeypatch):
    write(repository, {SECRET: TEXT, "plans/.gitignore": "*.log\n"})
    with engine(repository, home) as helix:
        helix.refresh()
        helix.packet(QUESTION)
        asked = []
        from helix_core.workspace import counting

        listing = counting.list_files
        monkeypatch.setattr(counting, "list_files", lambda *given, **named: asked.append(1) or listing(*given, **named))
        helix.packet(QUESTION)
        assert asked == []
        gitignore_at_the_root(home, repository)
        helix.packet(QUESTION)
        before = len(asked)
        assert before
        helix.packet(QUESTION)
        assert len(asked) == before


def test_a_gitignore_that_is_deleted_can_make_a_file_ignored(repository, home):
    write(repository, {".gitignore": "*.py\n", "plans/.gitignore": "!numbat.py\n", SECRET: TEXT})
    with engine(repository, home) as helix:
        helix.refresh()
        assert helix.packet(QUESTION)["verified"][0]["source_id"] == SECRET
        (repository / "plans" / ".gitignore").unlink()
        assert SECRET not in json.dumps(helix.packet(QUESTION))


def test_a_gitignore_that_was_just_written_when_it_was_listed_is_missed_when_it_goes(repository, home):
    write(repository, {".gitignore": "*.py\n", "plans/.gitignore": "!numbat.py\n", SECRET: TEXT})
    # Stamped in the future, it is as one written in the tick of the listing; the other was there long before.
    os.utime(repository / "plans" / ".gitignore", (time.time() + 3600,) * 2)
    with engine(repository, home) as helix:
        while not is_settled(signature_of((repository / ".gitignore").stat()), time.time_ns()):
            time.sleep(0.01)
        helix.refresh()
        assert helix.packet(QUESTION)["verified"][0]["source_id"] == SECRET
        (repository / "plans" / ".gitignore").unlink()
        assert SECRET not in json.dumps(helix.packet(QUESTION))
