"""A document is told where its code left it behind, and a value where a fresher source contradicts it."""

import shutil
import time

import pytest

from helix_core.workspace.history import LineHistory
from tests.engine.repository import git, write

GUIDE = b"docs/sessions.md"
# More than a busy machine needs to blame a file.
AMPLE_MS = 60_000


def edit(folder, name, old, new):
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def changed(helix, repository):
    """The code has another signature, and the guide still tells the old one."""
    edit(repository, "app/sessions.py", "sign_cookie(secret_key, payload):", "sign_cookie(secret_key, payload, salt):")
    return helix


def coded(findings, code):
    return [finding for finding in findings if finding["code"] == code]


def test_nothing_is_found_where_nothing_is_wrong(helix):
    for path in (GUIDE, b"app/sessions.py", b"README.md", b"tests/test_sessions.py"):
        findings = helix.symbols.findings(path, budget_ms=AMPLE_MS)
        assert findings == []
        assert not findings.partial


def test_a_document_left_behind_says_by_what_and_since_when(changed, repository):
    (finding,) = changed.symbols.findings(GUIDE)
    assert (finding["code"], finding["start_line"], finding["end_line"]) == ("outdated_doc", 3, 3)
    assert "sign_cookie(secret_key, payload) is sign_cookie(secret_key, payload, salt) now" in finding["message"]
    assert "(app/sessions.py:6)" in finding["message"]
    assert git(repository, "rev-parse", "HEAD")[:8] in finding["message"]
    assert "bring the text up to date" in finding["message"]
    assert finding["other"] == {
        "uri": (repository / "app/sessions.py").as_uri(),
        "source_id": "app/sessions.py",
        "start_line": 6,
        "end_line": 6,
    }


def test_a_contradicted_value_points_at_both_sides(helix, repository):
    edit(repository, "app/sessions.py", "AGE = 3600", "AGE = 60")
    for _ in range(2):
        (finding,) = coded(helix.symbols.findings(GUIDE, budget_ms=AMPLE_MS), "contradicted")
        assert finding["start_line"] == 5
        assert "SESSION_COOKIE_AGE is 3600 here, but 60 in app/sessions.py:3" in finding["message"]
        assert (finding["other"]["source_id"], finding["other"]["start_line"]) == ("app/sessions.py", 3)
    # The fresher side is not the one to be mended.
    assert helix.symbols.findings(b"app/sessions.py") == []


def test_the_hash_of_a_finding_survives_lines_above_and_not_an_edit_of_its_own(changed, repository):
    (before,) = changed.symbols.findings(GUIDE)
    edit(repository, "docs/sessions.md", "# Sessions\n", "# Sessions\n\nA word more.\n")
    git(repository, "stash", "-q", "--", "app/sessions.py")
    git(repository, "commit", "-q", "-am", "A word more")
    git(repository, "stash", "pop", "-q")
    changed.refresh()
    (after,) = changed.symbols.findings(GUIDE)
    assert after["start_line"] == before["start_line"] + 2
    assert after["text_hash"] == before["text_hash"]
    edit(repository, "docs/sessions.md", "signs the session", "signs each session")
    git(repository, "stash", "-q", "--", "app/sessions.py")
    git(repository, "commit", "-q", "-am", "Each")
    git(repository, "stash", "pop", "-q")
    changed.refresh()
    (edited,) = changed.symbols.findings(GUIDE)
    assert edited["text_hash"] != before["text_hash"]


def test_two_names_on_one_line_are_two_findings_to_put_away(tmp_path, open_helix):
    folder = tmp_path / "project"
    code = "def open_gate(by):\n    return 1\n\n\ndef close_gate(by):\n    return 2\n"
    write(folder, {"app/gate.py": code, "docs/gate.md": "# Gates\n\n`open_gate(1)` and `close_gate(2)` move it.\n"})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    engine = open_helix(folder)
    engine.refresh()
    (folder / "app/gate.py").write_text(code.replace("(by)", "(by, key)"))
    findings = engine.symbols.findings(b"docs/gate.md")
    assert [finding["start_line"] for finding in findings] == [3, 3]
    assert len({finding["text_hash"] for finding in findings}) == 2


def test_text_that_is_being_edited_is_left_in_peace_and_the_rest_moves(changed, repository):
    disk = (repository / "docs/sessions.md").read_bytes()
    touched = {GUIDE: disk.replace(b"signs the session", b"signs, with a salt, the session")}
    assert changed.symbols.findings(GUIDE, overlays=touched) == []
    (moved,) = changed.symbols.findings(GUIDE, overlays={GUIDE: b"one\ntwo\n" + disk})
    assert (moved["start_line"], moved["end_line"]) == (5, 5)


def test_a_document_with_edits_of_its_own_on_disk_is_being_brought_up_to_date(changed, repository):
    edit(repository, "docs/sessions.md", "signs the session", "signs with a salt the session")
    assert changed.symbols.findings(GUIDE) == []


def test_nothing_is_said_of_what_is_not_indexed_or_not_there(changed, repository):
    for path in (b"no/such.md", b"", b"\xff\0", b"../outside.md", b"docs", b".git/config"):
        assert changed.symbols.findings(path) == []
    assert changed.symbols.findings(b"docs/new.md", overlays={b"docs/new.md": b"`sign_cookie`"}) == []
    (repository / "docs/sessions.md").unlink()
    assert changed.symbols.findings(GUIDE) == []


def test_time_that_runs_out_is_told(changed):
    findings = changed.symbols.findings(GUIDE, budget_ms=0)
    assert findings.partial
    assert not changed.symbols.findings(GUIDE, budget_ms=AMPLE_MS).partial


def test_lines_that_git_has_not_blamed_yet_are_told(changed, monkeypatch):
    monkeypatch.setattr(LineHistory, "_blamed", lambda self, lines: self._closed.wait() and ())
    findings = changed.symbols.findings(GUIDE, budget_ms=500)
    assert [each["code"] for each in findings] == ["outdated_doc"]
    assert findings.partial


def test_a_clock_that_runs_away_takes_no_finding_away(changed, monkeypatch):
    calm, now = changed.symbols.findings(GUIDE, budget_ms=AMPLE_MS), time.monotonic()

    def later():
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr(time, "monotonic", later)
    hurried = changed.symbols.findings(GUIDE)
    assert calm and hurried == calm
    assert not hurried.partial


def test_without_git_and_before_the_first_commit_no_document_is_called_outdated(changed, repository):
    shutil.rmtree(repository / ".git")
    assert changed.symbols.findings(GUIDE) == []
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    assert changed.symbols.findings(GUIDE) == []


def test_a_long_value_is_cut_and_a_secret_one_is_no_claim(tmp_path, open_helix):
    folder = tmp_path / "project"
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    long = "https://example.invalid/" + "a" * 70
    code = f'SERVICE_ADDRESS_URL = "{long}b"\nSERVICE_API_KEY = "{secret}"\n'
    guide = f'# Service\n\n`SERVICE_ADDRESS_URL = "{long}"`\n\n`SERVICE_API_KEY = "{secret}1"`\n'
    write(folder, {"app/service.py": code, "docs/service.md": guide})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    engine = open_helix(folder)
    engine.refresh()
    found = engine.symbols.findings(b"docs/service.md")
    (finding,) = coded(found, "contradicted")
    assert "…" in finding["message"] and finding["message"].count("a" * 70) == 0
    assert secret not in str(found)


def test_what_a_class_says_of_itself_is_not_contradicted_by_a_namesake_in_the_next_file(tmp_path, open_helix):
    folder = tmp_path / "project"
    write(folder, {f"app/{n}.py": f'class Command:\n    help_text = "Does {n} things"\n' for n in ("one", "other")})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    engine = open_helix(folder)
    engine.refresh()
    assert engine.symbols.findings(b"app/one.py") == engine.symbols.findings(b"app/other.py") == []
