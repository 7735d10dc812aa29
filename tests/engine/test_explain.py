"""A verdict can be explained: what was looked at, in the order of the table, and which of it decided."""

import os

import pytest

from helix_core.errors import UsageError
from tests.engine.repository import git

ORDER = ["signature", "hash", "place", "buffer", "conflict", "document", "claims", "age", "authority", "confidence"]
CODE = "app/sessions.py"
GUIDE = "docs/sessions.md"


def explain(helix, name=CODE, lines=(6, 8), **asked):
    answer = helix.explain(name, *lines, **asked)
    assert answer["schema"] == "helix.explain/1"
    deciding = [step for step in answer["observations"] if step["decides"]]
    assert [step["finding"] for step in deciding] == [answer["reason"]]
    return answer


def said(answer, step):
    (one,) = [one for one in answer["observations"] if one["step"] == step]
    return one["observation"]


def decided(answer):
    return next(step["step"] for step in answer["observations"] if step["decides"])


def edit(repository, before, after, name=CODE):
    path = repository / name
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


def test_every_look_is_told_in_the_order_of_the_table(helix):
    answer = explain(helix)
    assert [step["step"] for step in answer["observations"]] == ORDER
    assert (answer["status"], answer["reason"], decided(answer)) == ("verified", "unchanged", "signature")
    assert (answer["symbol"], answer["start_line"]) == ("sign_cookie", 6)
    assert "as when it was indexed" in said(answer, "signature")
    assert answer["refresh_targets"] == []


def test_the_explanation_agrees_with_the_packet(helix, repository):
    edit(repository, "SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60")
    git(repository, "commit", "-q", "-am", "Shorter sessions")
    helix.refresh()
    packet = helix.packet("SESSION_COOKIE_AGE session cookie sign", task="edit")
    shown = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    for item in shown:
        answer = explain(
            helix,
            item["source_id"],
            (item["start_line"], item["end_line"]),
            task="edit",
            confidence=packet["coordinate_confidence"],
        )
        assert [answer[key] for key in ("symbol", "status", "reason", "start_line", "end_line")] == [
            item[key] for key in ("symbol", "status", "reason", "start_line", "end_line")
        ]


def test_a_touched_file_is_verified_by_its_hash(helix, repository):
    os.utime(repository / CODE, ns=(1, 1))
    answer = explain(helix)
    assert (answer["reason"], decided(answer)) == ("touched", "hash")
    assert "when it was indexed it had" in said(answer, "signature")


def test_a_text_that_moved_is_told_with_both_places(helix, repository):
    path = repository / CODE
    path.write_text("# one\n# two\n" + path.read_text())
    answer = explain(helix)
    assert (answer["reason"], answer["start_line"], decided(answer)) == ("moved", 8, "place")
    assert "lines 6 to 10 is at lines 8 to 12 now" in said(answer, "place")


def test_a_changed_text_is_explained_by_the_symbol_that_was_meant(helix, repository):
    edit(repository, '+ "."', '+ "|"')
    edit(repository, "SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 3600\nOTHER = 1")
    answer = explain(helix)
    assert (answer["reason"], answer["symbol"], answer["start_line"]) == ("reingested", "sign_cookie", 7)
    assert "when it was indexed it was" in said(answer, "hash")


def test_what_there_was_no_time_to_ingest_is_told(repository, open_helix):
    (repository / "helix.toml").write_text("[packet]\nreingest_budget_ms = 0\n")
    helix = open_helix(repository)
    helix.refresh()
    edit(repository, '+ "."', '+ "|"')
    answer = explain(helix, task="edit")
    assert (answer["status"], answer["reason"], decided(answer)) == ("needs_refresh", "changed", "place")
    assert "nowhere in the file" in said(answer, "place")
    assert [target["reason"] for target in answer["refresh_targets"]] == ["changed"]


def test_a_file_that_is_gone_is_one_look(helix, repository):
    (repository / CODE).unlink()
    answer = explain(helix)
    assert (answer["status"], answer["reason"]) == ("needs_refresh", "gone")
    assert [step["step"] for step in answer["observations"]] == ["file"]
    assert "does not exist any more" in said(answer, "file")
    assert (answer["start_line"], answer["refresh_targets"][0]["reason"]) == (6, "gone")


def test_a_file_the_index_does_not_know_is_told_so_and_a_private_one_is_not_read(helix, repository):
    (repository / "app/new.py").write_text("def new(): pass\n")
    answer = explain(helix, "app/new.py", (1, 1))
    assert (answer["reason"], decided(answer)) == ("not_indexed", "index")
    assert "app/new.py" not in [item["source_id"] for item in helix.search("new")["items"]]
    (repository / ".env").write_text("TOKEN=1\n")
    assert explain(helix, ".env", (1, 1))["reason"] == "unreadable"
    with pytest.raises(UsageError, match="inside the workspace"):
        helix.explain("../elsewhere.py", 1, 1)


def test_lines_of_several_items_are_explained_by_the_file_as_a_whole(helix, repository):
    answer = explain(helix, CODE, (1, 16))
    assert (answer["symbol"], answer["start_line"]) == ("", 1)
    assert answer["end_line"] == len((repository / CODE).read_text().splitlines())


def test_a_document_left_behind_names_what_changed_and_since_when(helix, repository):
    edit(repository, "sign_cookie(secret_key, payload)", "sign_cookie(secret_key, text)")
    day = git(repository, "log", "-1", "--format=%cs", "--date=iso-strict").strip()
    answer = explain(helix, GUIDE, (3, 3))
    assert (answer["reason"], decided(answer)) == ("outdated_doc", "document")
    assert answer["detail"] == "sign_cookie(secret_key, payload) is sign_cookie(secret_key, text) now"
    assert f"line 3: {answer['detail']}" in said(answer, "document")
    (flag,) = answer["outdated"]
    assert (flag["change"], flag["was"]) == ("signature_changed", "sign_cookie(secret_key, payload)")
    assert git(repository, "rev-parse", "--short=7", "HEAD").strip() in said(answer, "document")
    assert day[:7] in said(answer, "document")


def test_a_contradiction_is_told_from_both_sides(helix, repository):
    edit(repository, "SESSION_COOKIE_AGE = 3600", "SESSION_COOKIE_AGE = 60")
    git(repository, "commit", "-q", "-am", "Shorter sessions")
    helix.refresh()
    older = explain(helix, GUIDE, (3, 3))
    assert "contradicted" in (older["reason"], *older["also"])
    assert "SESSION_COOKIE_AGE is 3600 here and 60 in app/sessions.py:3" in said(older, "claims")
    fresher = explain(helix, CODE, (3, 3))
    assert fresher["status"] == "verified"
    assert "is 3600 in docs/sessions.md:5 and 60 here, which changed later" in said(fresher, "claims")


def test_unsaved_edits_and_a_conflict_are_both_told_and_the_table_decides(helix, repository):
    text = (repository / CODE).read_text()
    buffer = text.replace('+ "."', '+ "|"').encode()
    answer = explain(helix, overlays={CODE.encode(): buffer})
    assert (answer["status"], answer["reason"], decided(answer)) == ("stale_risk", "unsaved", "buffer")
    assert answer["buffer"] == {"start_line": 6, "end_line": 10}
    elsewhere = explain(helix, CODE, (11, 12), overlays={CODE.encode(): buffer})
    assert elsewhere["status"] == "verified"
    assert "no unsaved edit touches" in said(elsewhere, "buffer")
    (repository / CODE).write_text(text + "\n<<<<<<< ours\nA = 1\n=======\nA = 2\n>>>>>>> theirs\n")
    helix.refresh()
    both = explain(helix, overlays={CODE.encode(): buffer})
    assert (both["reason"], both["also"]) == ("unsaved", ["conflicted"])
    assert "markers" in said(both, "conflict")


def test_doubt_about_the_place_counts_for_a_risky_task(helix):
    answer = explain(helix, task="edit", confidence=0.1)
    assert (answer["status"], answer["reason"], decided(answer)) == ("needs_refresh", "unlocated", "confidence")
    assert "0.10" in said(answer, "confidence")


def test_lines_of_the_editor_are_explained_where_the_disk_has_them(helix, repository):
    buffer = b"# one\n# two\n# three\n" + (repository / CODE).read_bytes()
    overlays = {CODE.encode(): buffer}
    line = buffer.split(b"\n").index(b"def verify_cookie(secret_key, cookie):") + 1
    asked = explain(helix, CODE, (line, line), overlays=overlays, in_buffer=True)
    assert (asked["symbol"], asked["start_line"], asked["status"]) == ("verify_cookie", line - 3, "verified")
    assert asked["buffer"]["start_line"] == line
    (repository / CODE).write_text("# disk\n" + (repository / CODE).read_text())
    assert explain(helix, CODE, (line, line), overlays=overlays, in_buffer=True)["symbol"] == "verify_cookie"
