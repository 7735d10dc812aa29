"""A packet shown earlier is judged again: each pointer by what its text and its file have become since."""

import hashlib
import os
import random

import pytest

from helix_core.engine.verdict import Judgement
from helix_core.errors import Cancelled, UsageError
from helix_core.model import Pointer
from tests.engine.repository import FILES, git

COOKIE = "where is the session cookie signed?"
FIELDS = Pointer._fields


def shown(helix, question=COOKIE, **asked):
    """The pointers of a packet, as whoever showed it keeps them."""
    packet = helix.packet(question, **asked)
    items = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    return [Pointer(**{name: item[name] for name in FIELDS}) for item in items]


def pointer_to(helix, symbol, source_id="app/sessions.py"):
    return next(one for one in shown(helix, symbol) if one.source_id == source_id and symbol in one.symbol)


def judged(helix, pointer, **asked):
    (one,), targets = helix.judge([pointer], **asked)
    assert one.pointer == pointer
    return one, targets


def word(one):
    return str(one.verdict.status), str(one.verdict.reason)


def edit(repository, before, after, name="app/sessions.py"):
    path = repository / name
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def test_nothing_happened_so_everything_is_as_it_was_shown(helix):
    pointers = shown(helix)
    found, targets = helix.judge(pointers)
    assert [one.pointer for one in found] == pointers
    assert {word(one) for one in found} == {("verified", "unchanged")}
    assert [(one.start_line, one.end_line) for one in found] == [(one.start_line, one.end_line) for one in pointers]
    assert targets == []


@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_text_that_moved_is_verified_where_it_stands_now(helix, repository, indexed):
    pointer = pointer_to(helix, "sign_cookie")
    edit(repository, "SESSION_COOKIE_AGE", "# one\n# two\nSESSION_COOKIE_AGE")
    if indexed:
        helix.refresh_paths([b"app/sessions.py"])
    one, targets = judged(helix, pointer)
    assert word(one) == ("verified", "moved")
    assert (one.start_line, one.end_line) == (pointer.start_line + 2, pointer.end_line + 2)
    assert targets == []


def test_a_save_that_is_indexed_between_two_pointers_changes_no_verdict(helix, repository, monkeypatch):
    pointers = [pointer_to(helix, symbol) for symbol in ("sign_cookie", "verify_cookie")]
    edit(repository, '"""Signed', '# one\n# two\n"""Signed')
    find = Judgement._find

    def find_and_refresh(judgement, pointer):
        found = find(judgement, pointer)
        helix.refresh()
        return found

    monkeypatch.setattr(Judgement, "_find", find_and_refresh)
    judged_now, _ = helix.judge(pointers)
    assert [word(one) for one in judged_now] == [("verified", "moved")] * 2


@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_text_that_changed_must_be_read_again_and_its_symbol_is_named_where_known(helix, repository, indexed):
    pointer = pointer_to(helix, "sign_cookie")
    edit(repository, '    return payload + "."', '    extra = 1\n    return payload + "|"')
    edit(repository, "SESSION_COOKIE_AGE", "# one\nSESSION_COOKIE_AGE")
    if indexed:
        helix.refresh_paths([b"app/sessions.py"])
    one, (target,) = judged(helix, pointer, task="edit")
    assert word(one) == ("needs_refresh", "changed")
    now = (pointer.start_line + 1, pointer.end_line + 2) if indexed else (0, 0)
    assert (one.start_line, one.end_line) == now
    assert (target.source_id, target.reason) == ("app/sessions.py", "changed")
    assert target.start_line == (now[0] or pointer.start_line)


def test_an_edit_taken_back_makes_the_pointer_true_again(helix, repository):
    pointer = pointer_to(helix, "sign_cookie")
    edit(repository, '+ "."', '+ "|"')
    helix.refresh_paths([b"app/sessions.py"])
    assert word(judged(helix, pointer)[0]) == ("needs_refresh", "changed")
    edit(repository, '+ "|"', '+ "."')
    for _ in range(2):
        assert word(judged(helix, pointer)[0]) == ("verified", "unchanged")
        helix.refresh_paths([b"app/sessions.py"])


@pytest.mark.parametrize("indexed", [True, False])
def test_a_file_that_is_gone_is_told_and_the_index_is_left_as_it_is(helix, repository, indexed):
    pointer = pointer_to(helix, "sign_cookie")
    text = (repository / "app/sessions.py").read_text()
    (repository / "app/sessions.py").unlink()
    if indexed:
        helix.refresh_paths([b"app/sessions.py"])
    before = helix.digest()
    one, (target,) = judged(helix, pointer)
    assert word(one) == ("needs_refresh", "gone")
    assert (one.start_line, target.start_line, target.reason) == (0, pointer.start_line, "gone")
    assert helix.digest() == before
    (repository / "app/sessions.py").write_text(text)
    assert word(judged(helix, pointer)[0]) == ("verified", "unchanged")


def test_a_link_in_the_files_place_is_not_followed(helix, repository, tmp_path):
    pointer = pointer_to(helix, "sign_cookie")
    path = repository / "app/sessions.py"
    os.replace(path, tmp_path / "elsewhere.py")
    path.symlink_to(tmp_path / "elsewhere.py")
    assert word(judged(helix, pointer)[0]) == ("needs_refresh", "not_a_file")


def test_a_private_file_is_never_read_for_a_pointer(helix, repository):
    (repository / ".env").write_text("TOKEN=1\n")
    pointer = Pointer(".env", "0" * 16, "", 1, 1, "")
    assert word(judged(helix, pointer)[0]) == ("needs_refresh", "unreadable")


def test_a_pointer_out_of_the_workspace_is_refused(helix):
    with pytest.raises(UsageError, match="inside the workspace"):
        helix.judge([Pointer("../secret.py", "0" * 16, "", 1, 1, "")])


def test_a_merge_that_stopped_is_heard(helix, repository):
    pointer = pointer_to(helix, "verify_cookie")
    git(repository, "checkout", "-q", "-b", "other")
    edit(repository, '+ "."', '+ "!"')
    git(repository, "commit", "-q", "-am", "One way")
    git(repository, "checkout", "-q", "main")
    edit(repository, '+ "."', '+ "?"')
    git(repository, "commit", "-q", "-am", "Another way")
    git(repository, "merge", "other", check=False)
    one, (target,) = judged(helix, pointer)
    assert word(one) == ("stale_risk", "conflicted")
    assert target.reason == "conflicted"
    git(repository, "merge", "--abort")
    assert word(judged(helix, pointer)[0]) == ("verified", "unchanged")


def test_documents_and_claims_are_weighed_as_in_an_answer(helix, repository):
    question = "docs: sessions signs the session cookie before it is sent to the browser"
    pointer = next(one for one in shown(helix, question) if one.source_id == "docs/sessions.md")
    assert word(judged(helix, pointer)[0]) == ("verified", "unchanged")
    edit(repository, "sign_cookie(secret_key, payload)", "sign_cookie(secret_key, text)")
    helix.refresh_paths([b"app/sessions.py"])
    one, _ = judged(helix, pointer)
    assert word(one) == ("stale_risk", "outdated_doc")
    assert one.verdict.detail == "sign_cookie(secret_key, payload) is sign_cookie(secret_key, text) now"


def test_the_confidence_of_the_question_goes_on_counting(helix):
    pointer = pointer_to(helix, "sign_cookie")
    one, _ = judged(helix, pointer, task="edit", confidence=0.1)
    assert word(one) == ("needs_refresh", "unlocated")


def test_a_file_the_index_never_heard_of_is_judged_by_its_text(helix, repository):
    pointer = pointer_to(helix, "sign_cookie")
    os.replace(repository / "app/sessions.py", repository / "app/cookies.py")
    there = pointer._replace(source_id="app/cookies.py")
    assert word(judged(helix, there)[0]) == ("verified", "unchanged")
    above = there._replace(start_line=1, end_line=1 + pointer.end_line - pointer.start_line)
    one, _ = judged(helix, above)
    assert (word(one), one.start_line) == (("verified", "moved"), pointer.start_line)
    other = there._replace(gene_id="0" * 16)
    assert word(judged(helix, other)[0]) == ("needs_refresh", "not_indexed")


def test_unsaved_edits_are_told_and_forgotten_with_the_save(helix, repository):
    pointer = pointer_to(helix, "sign_cookie")
    buffer = (repository / "app/sessions.py").read_bytes().replace(b'payload + "."', b'payload + "|"')
    overlays = {b"app/sessions.py": b"# one\n" + buffer}
    one, (target,) = judged(helix, pointer, overlays=overlays)
    assert word(one) == ("stale_risk", "unsaved")
    assert (one.buffer.start_line, one.buffer.end_line) == (pointer.start_line + 1, pointer.end_line + 1)
    assert target.reason == "unsaved"
    assert word(judged(helix, pointer)[0]) == ("verified", "unchanged")


@pytest.mark.slow
@pytest.mark.parametrize("lines", [(0, 0), (10**9, 1), (-5, 5), (10**9, 2 * 10**9), (1, 10**9)])
def test_lines_that_make_no_sense_are_nowhere(helix, lines):
    pointer = pointer_to(helix, "sign_cookie")._replace(start_line=lines[0], end_line=lines[1])
    other = pointer._replace(gene_id="0" * 16)
    assert word(judged(helix, other)[0]) == ("needs_refresh", "changed")
    assert helix.explain("app/sessions.py", *lines)["schema"] == "helix.explain/1"


def test_judging_is_taken_back_too(helix):
    with pytest.raises(Cancelled):
        helix.judge(shown(helix), cancelled=lambda: True)


@pytest.mark.parametrize("path", ["app/sessions.py", "app/new.py"])
def test_a_pointer_into_a_buffer_stays_unsaved_until_it_is_saved(helix, repository, path):
    saved = (repository / path).read_bytes() if (repository / path).exists() else b""
    buffer = saved + b"\n\ndef quokka_of_cookie(jar):\n    return jar\n"
    overlays = {path.encode(): buffer}
    packet = helix.packet("quokka_of_cookie", overlays=overlays)
    (item,) = [item for item in packet["stale_risk"] if "quokka" in item["symbol"]]
    pointer = Pointer(**{name: item[name] for name in FIELDS})
    assert word(judged(helix, pointer, overlays=overlays)[0]) == ("stale_risk", "unsaved")
    (repository / path).write_bytes(buffer)
    assert word(judged(helix, pointer)[0]) == ("verified", "unchanged")
    helix.refresh_paths([path.encode()])
    assert word(judged(helix, pointer, overlays=overlays)[0]) == ("verified", "unchanged")


def mutate(rng, folder, helix):
    """One thing that happens to a workspace between two looks at a packet."""
    path = folder / rng.choice(["app/sessions.py", "app/routing.py", "docs/sessions.md"])
    act = rng.randrange(7)
    if act == 0 and path.exists():
        helix.refresh_paths([os.fsencode(path.relative_to(folder))])
        return
    if act == 1 and path.exists():
        path.unlink()
        return
    if act == 2 or not path.exists():
        path.write_text(FILES[str(path.relative_to(folder))])
        return
    lines = path.read_text().splitlines(keepends=True)
    at = rng.randrange(len(lines) + 1)
    if act == 3 and lines:
        del lines[at - 1]
    elif act == 4 and lines:
        lines[at - 1] = f"changed_{rng.randrange(9)} = 1\n"
    else:
        lines[at:at] = [f"# added {rng.randrange(9)}\n"] * rng.randrange(1, 4)
    path.write_text("".join(lines))


def text_at(text, start_line, end_line):
    return "".join(text.splitlines(keepends=True)[start_line - 1 : end_line])


def is_text_of(pointer, text):
    return hashlib.sha256(text.encode()).hexdigest()[:16] == pointer.gene_id


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_verified_means_that_the_text_stands_there(helix, repository, seed):
    rng = random.Random(seed)
    pointers = [one for question in (COOKIE, "match_route build_address") for one in shown(helix, question)]
    stood = lost = 0
    for _ in range(60):
        mutate(rng, repository, helix)
        overlays = {}
        if rng.random() < 0.5:
            lines = FILES["app/sessions.py"].splitlines(keepends=True)
            lines[rng.randrange(len(lines))] = "# unsaved\n"
            overlays = {b"app/sessions.py": "".join(lines).encode()}
        for one in helix.judge(pointers, overlays=overlays)[0]:
            path = repository / one.pointer.source_id
            text = path.read_text() if path.exists() else ""
            count = one.pointer.end_line - one.pointer.start_line + 1
            if one.verdict.status == "verified":
                assert is_text_of(one.pointer, text_at(text, one.start_line, one.end_line))
                buffer = overlays.get(os.fsencode(one.pointer.source_id))
                if buffer is not None:
                    span = one.buffer or one
                    assert is_text_of(one.pointer, text_at(buffer.decode(), span.start_line, span.end_line))
                stood += 1
            elif one.verdict.reason in ("changed", "gone"):
                last = len(text.splitlines()) - count + 2
                assert not any(is_text_of(one.pointer, text_at(text, at, at + count - 1)) for at in range(1, last))
                lost += 1
    assert min(stood, lost) > 50


def test_what_left_its_file_or_its_name_is_followed_where_that_is_asked(helix, repository):
    pointer = pointer_to(helix, "sign_cookie")
    edit(repository, "def sign_cookie(", "def seal_cookie(")
    helix.refresh()
    assert word(judged(helix, pointer)[0]) == ("needs_refresh", "changed")
    one, _ = judged(helix, pointer, follows=True)
    assert word(one) == ("stale_risk", "renamed")
    assert (one.start_line, one.verdict.detail) == (pointer.start_line, "sign_cookie -> seal_cookie")
    edit(repository, "def seal_cookie(", "def sign_cookie(")
    (repository / "app/sessions.py").rename(repository / "app/cookies.py")
    helix.refresh()
    assert judged(helix, pointer)[0].start_line == 0
    one, (target,) = judged(helix, pointer, follows=True)
    lines = f"{pointer.start_line}-{pointer.end_line}"
    assert (word(one), one.moved_to) == (("needs_refresh", "gone"), "app/cookies.py")
    assert one.verdict.detail == f"the same text is in app/cookies.py:{lines}"
    assert (target.source_id, target.start_line) == ("app/cookies.py", pointer.start_line)
    edit(repository, "SESSION_COOKIE_AGE", "# New here.\nSESSION_COOKIE_AGE", "app/cookies.py")
    helix.refresh()
    one, _ = judged(helix, pointer, follows=True)
    assert (one.moved_to, one.start_line) == ("app/cookies.py", pointer.start_line + 1)
    (repository / "app/copy.py").write_text((repository / "app/cookies.py").read_text())
    helix.refresh()
    assert judged(helix, pointer, follows=True)[0].moved_to == ""


def _ledger(head):
    rows = "".join(f"    row_{n} = Field('number {n}', width={n})\n" for n in range(30))
    return f"{head}\n    '''Keeps the rows.'''\n\n{rows}\n    def total_of_rows(self):\n        return 1\n"


@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_what_a_class_held_is_doubted_where_a_function_of_its_name_holds_it(helix, repository, indexed):
    path = repository / "app/ledger.py"
    path.write_text(_ledger("class SalesLedger:"))
    helix.refresh()
    pointers = [one for one in shown(helix, "SalesLedger total_of_rows", k=9) if one.source_id == "app/ledger.py"]
    below = [one for one in pointers if one.start_line > 1 and one.symbol.startswith("SalesLedger")]
    assert below
    for head, expected in (
        ("def SalesLedger():", ("stale_risk", "renamed")),
        ("class SalesLedger(Base):", ("verified", "unchanged")),
    ):
        path.write_text(_ledger(head))
        if indexed:
            helix.refresh()
        found, _ = helix.judge(below)
        assert {word(one) for one in found} == {expected}
    assert {one.verdict.detail for one in helix.judge(below)[0]} == {""}
    path.write_text(_ledger("def SalesLedger():"))
    assert {one.verdict.detail for one in helix.judge(below)[0]} == {"class SalesLedger -> function SalesLedger"}
