"""A packet tells the truth about files that change under it, without being told that they did."""

import hashlib
import os
import shutil
import time
from contextlib import ExitStack

import pytest

from helix_core.engine import Helix
from helix_core.errors import BusyStoreError, UsageError
from helix_core.store import Writer, open_index
from helix_core.workspace import LineHistory
from tests.engine.conftest import config_in
from tests.engine.repository import git, write

COOKIE = "where is the session cookie signed?"
GROUPS = ("verified", "stale_risk", "needs_refresh")


def items(packet, *groups):
    return [item for group in groups or GROUPS for item in packet[group]]


def item_of(packet, source_id, symbol=""):
    found = [i for i in items(packet) if i["source_id"] == source_id and symbol in i["symbol"]]
    assert found, f"{source_id} {symbol} is not among {[(i['source_id'], i['symbol']) for i in items(packet)]}"
    return found[0]


def assert_true(packet, folder):
    """Every verified item must be, byte for byte, what stands on the disk."""
    for item in packet["verified"]:
        data = (folder / item["source_id"]).read_bytes()
        assert item["content_hash"] == hashlib.sha256(data).hexdigest()
        lines = data.split(b"\n")[item["start_line"] - 1 : item["end_line"]]
        assert b"\n".join(lines).startswith(item["quote"].encode())


def test_a_packet_points_at_the_right_place_and_quotes_it(helix, repository):
    packet = helix.packet(COOKIE, task="edit")
    assert packet["schema"] == "helix.packet/1"
    found = item_of(packet, "app/sessions.py", "sign_cookie")
    assert (found["status"], found["reason"]) == ("verified", "unchanged")
    assert "def sign_cookie(secret_key, payload):" in found["quote"]
    assert found["author"] == "Ada"
    assert found["commit"] == packet["head"] == git(repository, "rev-parse", "HEAD").strip()
    assert_true(packet, repository)


def test_the_implementation_stands_before_its_test(helix):
    ranked = [item["source_id"] for item in helix.search("sign_cookie")["items"]]
    assert ranked[0] == "app/sessions.py"
    assert "tests/test_sessions.py" in ranked


def test_the_preference_for_the_implementation_can_be_switched_off(repository, open_helix):
    def priors(engine):
        return {item["source_id"]: item.get("priors", []) for item in engine.search("sign_cookie")["items"]}

    engine = open_helix(repository)
    engine.refresh()
    assert priors(engine)["tests/test_sessions.py"] == ["test x0.5"]
    (repository / "helix.toml").write_text("[search]\nprefer_implementation = false\n")
    assert priors(open_helix(repository))["tests/test_sessions.py"] == []


def test_touching_a_file_changes_no_verdict_and_heals_the_signature(helix, repository):
    os.utime(repository / "app/sessions.py", ns=(1, 1))
    assert item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")["reason"] == "touched"
    assert item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")["reason"] == "unchanged"


def test_an_edit_inside_the_span_is_quoted_as_it_is_now(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace('payload + "."', 'payload + "|"'))
    packet = helix.packet(COOKIE, task="quote")
    found = item_of(packet, "app/sessions.py", "sign_cookie")
    assert (found["status"], found["reason"]) == ("verified", "reingested")
    assert 'payload + "|"' in found["quote"]
    assert_true(packet, repository)


def test_an_edit_before_the_span_moves_it(helix, repository):
    before = item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")
    path = repository / "app/sessions.py"
    path.write_text('"""New first lines."""\n\nimport os\n\n\n' + path.read_text())
    packet = helix.packet(COOKIE)
    found = item_of(packet, "app/sessions.py", "sign_cookie")
    assert (found["status"], found["reason"]) == ("verified", "moved")
    assert found["start_line"] == before["start_line"] + 5
    assert_true(packet, repository)


def test_a_same_size_edit_with_its_time_restored_is_seen(helix, repository):
    path = repository / "app/sessions.py"
    stat = path.stat()
    path.write_text(path.read_text().replace("Return the payload", "Deliver the goods."[:18]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    packet = helix.packet(COOKIE, task="edit")
    assert item_of(packet, "app/sessions.py", "sign_cookie")["reason"] == "reingested"
    assert_true(packet, repository)


def test_a_deleted_file_is_never_verified_and_then_forgotten(helix, repository):
    (repository / "app/sessions.py").unlink()
    found = item_of(helix.packet(COOKIE, task="edit"), "app/sessions.py")
    assert (found["status"], found["reason"], found["quote"]) == ("needs_refresh", "gone", "")
    assert not [i for i in items(helix.packet(COOKIE)) if i["source_id"] == "app/sessions.py"]


@pytest.mark.parametrize("kind", ["folder", "symlink", "fifo"])
def test_something_else_in_the_files_place_is_never_read(helix, repository, tmp_path, kind):
    path = repository / "app/sessions.py"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "symlink":
        outside = tmp_path / "outside.py"
        outside.write_text("def sign_cookie(): return 'session cookie signed outside'\n")
        path.symlink_to(outside)
    else:
        os.mkfifo(path)
    found = item_of(helix.packet(COOKIE), "app/sessions.py")
    assert found["status"] == "needs_refresh"
    assert found["reason"] in {"not_a_file", "outside_root"}
    assert found["quote"] == ""


def test_a_changed_file_beyond_the_budget_needs_refresh_unless_the_text_still_stands(repository, open_helix, tmp_path):
    (repository / "helix.toml").write_text("[packet]\nreingest_budget_ms = 0\n")
    helix = open_helix(repository)
    helix.refresh()
    path = repository / "app/sessions.py"
    text = path.read_text().replace('payload + "."', 'payload + "|"')
    path.write_text("# one more line\n" + text)
    packet = helix.packet("sign_cookie and verify_cookie")
    assert item_of(packet, "app/sessions.py", "verify_cookie")["reason"] == "moved"
    changed = item_of(packet, "app/sessions.py", "sign_cookie")
    assert (changed["status"], changed["reason"], changed["quote"]) == ("needs_refresh", "changed", "")
    target = next(t for t in packet["refresh_targets"] if t["reason"] == "changed")
    assert (target["source_id"], target["target_kind"]) == ("app/sessions.py", "code")
    assert_true(packet, repository)


def test_a_window_for_a_model_has_the_time_to_read_again_what_a_packet_only_names(repository, open_helix):
    (repository / "helix.toml").write_text("[packet]\nreingest_budget_ms = 1\n")
    path = repository / "app/sessions.py"
    path.write_text(path.read_text() + "# one more line\n" * 600)
    helix = open_helix(repository)
    helix.refresh()
    path.write_text(path.read_text().replace('payload + "."', 'payload + "|"'))
    changed = item_of(helix.packet("sign_cookie"), "app/sessions.py", "sign_cookie")
    assert (changed["status"], changed["reason"], changed["quote"]) == ("needs_refresh", "changed", "")
    assert 'payload + "|"' in helix.context("sign_cookie")["text"]


def test_a_window_for_a_model_waits_for_who_writes_the_index(helix, repository, tmp_path, monkeypatch):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace('payload + "."', 'payload + "|"'))
    config, in_vain, batch = config_in(tmp_path, repository), [], ExitStack()
    activate = Writer.activate

    def tried(*given):
        try:
            return activate(*given)
        except BusyStoreError as error:
            in_vain.append(error)
            if len(in_vain) == 3:
                batch.close()
            raise

    with open_index(helix.index_path) as other, Helix.open(repository, config=config, write_wait_ms=1) as asked:
        batch.enter_context(other.writer().batch())
        held = item_of(asked.packet("sign_cookie"), "app/sessions.py", "sign_cookie")
        assert (held["status"], held["quote"]) == ("needs_refresh", "")
        monkeypatch.setattr(Writer, "activate", tried)
        assert 'payload + "|"' in asked.context("sign_cookie")["text"]
    assert len(in_vain) == 3


def test_a_merge_conflict_is_a_risk(helix, repository):
    git(repository, "checkout", "-q", "-b", "other")
    path = repository / "app/sessions.py"
    original = path.read_text()
    path.write_text(original.replace('payload + "."', 'payload + "!"'))
    git(repository, "commit", "-q", "-am", "One way")
    git(repository, "checkout", "-q", "main")
    path.write_text(original.replace('payload + "."', 'payload + "?"'))
    git(repository, "commit", "-q", "-am", "Another way")
    git(repository, "merge", "other", check=False)
    found = item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")
    assert (found["status"], found["reason"]) == ("stale_risk", "conflicted")
    git(repository, "merge", "--abort")
    assert item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")["status"] == "verified"


def test_conflict_markers_are_a_risk_also_where_git_cannot_say(repository, open_helix):
    shutil.rmtree(repository / ".git")
    path = repository / "app/sessions.py"
    helix = open_helix(repository)
    helix.refresh()
    path.write_text(path.read_text() + "\n<<<<<<< ours\nAGE = 1\n=======\nAGE = 2\n>>>>>>> theirs\n")
    found = item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")
    assert (found["status"], found["reason"]) == ("stale_risk", "conflicted")


def test_a_document_is_outdated_once_what_it_names_has_changed(helix, repository):
    question = "docs: sessions signs the session cookie before it is sent to the browser"
    assert item_of(helix.packet(question), "docs/sessions.md")["status"] == "verified"
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("sign_cookie(secret_key, payload)", "sign_cookie(secret_key, text)"))
    found = item_of(helix.packet(question), "docs/sessions.md")
    assert (found["status"], found["reason"]) == ("stale_risk", "outdated_doc")
    assert found["detail"] == "sign_cookie(secret_key, payload) is sign_cookie(secret_key, text) now"
    (flag,) = found["outdated"]
    assert (flag["change"], flag["symbol"], flag["line"]) == ("signature_changed", "sign_cookie", 3)


def test_a_document_that_the_code_contradicts_says_so(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60"))
    git(repository, "-c", "user.name=Ada", "commit", "-q", "-am", "Shorter sessions")
    helix.refresh()
    packet = helix.packet("how many seconds does a session cookie live, SESSION_COOKIE_AGE?")
    (pair,) = packet["contradictions"]
    assert pair["key"] == "SESSION_COOKIE_AGE"
    assert (pair["fresher"]["value"], pair["older"]["value"]) == ("60", "3600")


def test_an_edit_not_yet_committed_is_fresher_than_any_commit(helix, repository):
    guide = repository / "docs/sessions.md"
    guide.write_text(guide.read_text().replace("sent to the browser", "given to the browser"))
    git(repository, "commit", "-q", "-am", "Better words")
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60"))
    helix.refresh()
    packet = helix.packet("how many seconds does a session cookie live, SESSION_COOKIE_AGE?")
    (pair,) = packet["contradictions"]
    assert (pair["fresher"]["value"], pair["older"]["value"]) == ("60", "3600")
    assert item_of(packet, "docs/sessions.md")["status"] == "stale_risk"


def test_contradictions_that_git_could_not_date_say_so(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60"))
    git(repository, "commit", "-q", "-am", "Shorter sessions")
    helix.refresh()
    shutil.rmtree(repository / ".git/objects")
    packet = helix.packet("how many seconds does a session cookie live, SESSION_COOKIE_AGE?")
    assert [(pair["key"], pair["order_known"]) for pair in packet["contradictions"]] == [("SESSION_COOKIE_AGE", False)]
    assert any("git could not date the lines" in note for note in packet["notes"])
    # Nobody knows which of them is right: neither is verified.
    for path in ("app/sessions.py", "docs/sessions.md"):
        found = next(
            item for item in packet["stale_risk"] if item["source_id"] == path and "which changed" in str(item)
        )
        assert found["reason"] == "contradicted"


AGE = "how many seconds does a session cookie live, SESSION_COOKIE_AGE?"


def test_words_changed_elsewhere_in_a_document_do_not_make_it_the_fresher_side(helix, repository):
    code, guide = repository / "app/sessions.py", repository / "docs/sessions.md"
    code.write_text(code.read_text().replace("SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60"))
    commit_at(repository, "2040-01-01T00:00:00Z")
    guide.write_text(guide.read_text().replace("sent to the browser", "given to the browser"))
    for is_committed in (False, True):
        if is_committed:
            commit_at(repository, "2040-02-01T00:00:00Z")
        helix.refresh()
        packet = helix.packet(AGE)
        (pair,) = packet["contradictions"]
        assert (pair["fresher"]["value"], pair["older"]["value"], pair["order_known"]) == ("60", "3600", True)
        assert item_of(packet, "docs/sessions.md")["status"] == "stale_risk"
        assert item_of(packet, "app/sessions.py")["reason"] != "contradicted"
    guide.write_text(guide.read_text().replace("3600", "90"))
    commit_at(repository, "2040-03-01T00:00:00Z")
    helix.refresh()
    (pair,) = helix.packet(AGE)["contradictions"]
    assert (pair["fresher"]["value"], pair["older"]["value"], pair["order_known"]) == ("90", "60", True)


def test_lines_that_git_does_not_date_in_time_have_no_order_until_it_does(helix, repository, monkeypatch):
    code = repository / "app/sessions.py"
    code.write_text(code.read_text().replace("SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60"))
    commit_at(repository, "2040-01-01T00:00:00Z")
    helix.refresh()
    # Git is never started, as on a machine where it does not get to run.
    monkeypatch.setattr(LineHistory, "ask", lambda *_: None)
    packet = helix.packet(AGE)
    assert [pair["order_known"] for pair in packet["contradictions"]] == [False]
    assert any("did not date the lines in time" in note for note in packet["notes"])
    assert helix.symbols.findings(b"docs/sessions.md").partial
    monkeypatch.undo()
    assert [pair["order_known"] for pair in helix.packet(AGE)["contradictions"]] == [True]


def test_without_a_repository_nobody_knows_which_side_changed_last(tmp_path, open_helix):
    folder = tmp_path / "plain"
    write(folder, {"app/cache.py": "CACHE_SECONDS = 30\n", "docs/cache.md": "# Cache\n\n`CACHE_SECONDS` is 60.\n"})
    engine = open_helix(folder)
    engine.refresh()
    packet = engine.packet("what is CACHE_SECONDS?")
    (pair,) = packet["contradictions"]
    assert not pair["order_known"]
    reasons = {(item["source_id"], item["reason"]) for item in packet["stale_risk"]}
    assert reasons == {("app/cache.py", "contradicted"), ("docs/cache.md", "contradicted")}


def commit_at(folder, date):
    git(folder, "commit", "-q", "-am", "Change", date=date)


def test_a_question_about_nothing_here_is_answered_with_empty(helix):
    packet = helix.packet("kubernetes ingress autoscaling quota")
    assert packet["known_empty"] is True
    assert packet["accounting"]["searched"] > 0
    assert packet["verified"] == []


def test_a_new_file_is_found_after_a_refresh_and_a_secret_never(helix, repository):
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    write(
        repository, {"app/billing.py": f'def charge_invoice():\n    """Charge an invoice."""\n    return "{secret}"\n'}
    )
    helix.refresh()
    packet = helix.packet("where is an invoice charged?")
    found = item_of(packet, "app/billing.py", "charge_invoice")
    assert secret not in str(packet)
    assert "masked" in found["quote"]
    assert secret.encode() not in helix.index_path.read_bytes()


def test_at_most_k_items_come_best_first(helix):
    for k in (1, 3):
        packet = helix.packet("session cookie address handler", k=k)
        assert 0 < len(items(packet)) <= k
        for group in GROUPS:
            scores = [item["relevance_score"] for item in packet[group]]
            assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("call", "word"),
    [({"task": "cook"}, "task"), ({"k": 0}, "k is 0"), ({"k": 10_000}, "k is 10000")],
)
def test_a_wrong_call_is_refused_with_what_would_be_right(helix, call, word):
    with pytest.raises(UsageError, match=word):
        helix.packet("sessions", **call)
    with pytest.raises(UsageError, match="empty"):
        helix.packet("  \n ")


def test_a_question_of_a_megabyte_or_in_chinese_is_answered(helix):
    assert helix.packet("会话 cookie 在哪里签名？")["schema"] == "helix.packet/1"

    def cpu_s(question):
        started = time.process_time()
        helix.packet(question)
        return time.process_time() - started

    # Twenty times the text costs less than twenty times the work.
    assert cpu_s("session cookie " * 70_000) < 20 * cpu_s("session cookie " * 3_500)


def test_a_packet_from_an_unfinished_index_says_so(repository, open_helix):
    assert any("only just been begun" in note for note in open_helix(repository).packet(COOKIE)["notes"])


def test_the_last_commit_is_that_of_the_head_of_this_moment(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace('payload + "."', 'payload + "|"'))
    git(repository, "commit", "-q", "-am", "Another sign")
    newer = item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")
    assert newer["commit"] == git(repository, "rev-parse", "HEAD").strip()
    helix.refresh()
    git(repository, "checkout", "-q", "HEAD~1")
    older = item_of(helix.packet(COOKIE), "app/sessions.py", "sign_cookie")
    assert older["commit"] == git(repository, "log", "-1", "--format=%H", "--", "app/sessions.py").strip()
    assert older["commit"] != newer["commit"]


def test_a_question_as_long_as_a_log_is_not_paid_for(helix):
    packet = helix.packet(f"{COOKIE} " + "x1 y2 " * 20_000)
    assert packet["query"].startswith(COOKIE) and len(packet["query"]) == 2_000
    assert packet["accounting"]["tokens"] < 6_000
    assert len(helix.search("sign cookie " * 20_000)["query"]) == 2_000
