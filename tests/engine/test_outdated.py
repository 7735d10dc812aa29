"""A document is outdated by what it names, not by what stands near it, and never by an index that lags."""

import pytest

from tests.engine.repository import git

QUESTION = "docs: how long does a session cookie live, SESSION_COOKIE_AGE seconds"


@pytest.fixture
def helix(repository, open_helix, tmp_path, monkeypatch):
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    helix = open_helix(repository)
    helix.refresh()
    return helix


def guide(helix):
    packet = helix.packet(QUESTION, k=20)
    items = [*packet["verified"], *packet["stale_risk"], *packet["needs_refresh"]]
    (found,) = [item for item in items if item["source_id"] == "docs/sessions.md"]
    return found["status"], found["reason"], found.get("detail", "")


def test_a_change_beside_the_named_constant_does_not_outdate_the_document(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("Signed cookies", "Cookies with a signature"))
    helix.refresh()
    assert guide(helix)[0] == "verified"


def test_lines_inserted_above_what_is_named_do_not_outdate_the_document(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text("# a word before\n" * 3 + path.read_text())
    assert guide(helix)[0] == "verified"


def test_the_name_the_document_writes_is_the_name_it_is_told(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(
        path.read_text().replace("sign_cookie(secret_key, payload):", "sign_cookie(secret_key, payload, salt):")
    )
    assert guide(helix) == ("stale_risk", "outdated_doc", "sign_cookie")


def test_a_conflict_elsewhere_in_the_file_does_not_outdate_the_document(helix, repository):
    path = repository / "app/sessions.py"
    text = path.read_text()
    for branch, age in (("theirs", "bad"), ("main", "wrong")):
        git(repository, "checkout", "-q", "-B", branch, "HEAD" if branch == "theirs" else "HEAD~1")
        path.write_text(text.replace("bad cookie signature", f"{age} signature of a cookie"))
        git(repository, "commit", "-q", "-am", branch)
    git(repository, "merge", "-q", "theirs", check=False)
    assert "<<<<<<<" in path.read_text()
    assert guide(helix)[0] == "verified"
