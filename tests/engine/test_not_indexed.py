"""A file that counts and is not in the index: every answer counts it, and one that the question names is pointed at."""

import pytest

from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest
from helix_core.engine.verdict.not_indexed import MOST_NAMED, NotIndexed
from helix_core.ingest import pool
from helix_core.ingest.document import ingest
from helix_core.model import Pointer, Reason
from helix_core.search.question import parse_question
from helix_core.workspace import DiskError
from helix_core.workspace.disk import Scan
from tests.engine.repository import begin, write

SCAFFOLD = "class Scaffold:\n    '''What an application and a blueprint share.'''\n"


@pytest.fixture
def set_aside(repository, open_helix, monkeypatch) -> Helix:
    """An engine on the repository, with ``app/sansio/scaffold.py`` set aside."""

    def raising(path, data, *, skipped=""):
        if path.endswith(b"scaffold.py"):
            raise RecursionError
        return ingest(path, data, skipped=skipped)

    monkeypatch.setattr(pool, "ingest", raising)
    write(repository, {"app/sansio/scaffold.py": SCAFFOLD, "app/sansio/blueprints.py": "class Blueprint: pass\n"})
    engine = open_helix(repository)
    assert engine.refresh().quarantined == (("app/sansio/scaffold.py", "raised RecursionError"),)
    return engine


@pytest.fixture
def unreadable(repository, open_helix, monkeypatch) -> Helix:
    """An engine on the repository, of which ``app/closed.py`` and ``app/locked.py`` cannot be read."""
    read = Scan.read

    def refusing(self, path, most):
        if path in (b"app/closed.py", b"app/locked.py"):
            raise DiskError(path, Reason.UNREADABLE)
        return read(self, path, most)

    monkeypatch.setattr(Scan, "read", refusing)
    write(repository, {"app/closed.py": SCAFFOLD, "app/locked.py": SCAFFOLD})
    engine = open_helix(repository)
    engine.refresh()
    return engine


def test_every_answer_names_the_files_that_cannot_be_read(unreadable):
    question = "how are session cookies signed"
    for answer in (unreadable.search(question), unreadable.packet(question), unreadable.context(question)):
        (note,) = [note for note in answer["notes"] if "cannot be read" in note]
        assert note.startswith("2 files cannot be read and are not searched: app/closed.py, app/locked.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    ["where is Scaffold defined", "what does sansio/scaffold.py do", "Scaffold", "how does the scaffold work"],
)
def test_a_file_set_aside_that_the_question_names_is_to_be_read_and_never_verified(set_aside, question):
    packet = set_aside.packet(question, task="edit")
    (item,) = [item for item in packet["needs_refresh"] if item["source_id"] == "app/sansio/scaffold.py"]
    assert (item["reason"], item["start_line"], item["end_line"], item["quote"]) == ("not_indexed", 1, 2, "")
    assert not [item for item in packet["verified"] if item["source_id"] == "app/sansio/scaffold.py"]
    (target,) = [one for one in packet["refresh_targets"] if one["source_id"] == "app/sansio/scaffold.py"]
    assert target["reason"] == "not_indexed"
    assert not packet["known_empty"]
    assert packet["coordinate_confidence"] <= 0.5


def test_a_symbol_with_the_name_of_a_file_set_aside_is_looked_for_there_first(set_aside):
    found = set_aside.search("where is Scaffold defined")["items"][0]
    assert (found["source_id"], found["status"], found["reason"]) == (
        "app/sansio/scaffold.py",
        "needs_refresh",
        "not_indexed",
    )


def test_every_answer_says_how_many_files_are_set_aside_whatever_was_asked(set_aside):
    question = "how are session cookies signed"
    answers = (
        set_aside.search(question),
        set_aside.explain_search(question),
        set_aside.packet(question),
        set_aside.packet(question, max_tokens=400),
        set_aside.context(question),
    )
    for answer in answers:
        (note,) = [note for note in answer["notes"] if "set aside" in note]
        assert note.startswith("1 file is set aside") and "app/sansio/scaffold.py" in note
    packet = answers[2]
    assert "app/sansio/scaffold.py" not in {item["source_id"] for item in packet["needs_refresh"]}
    assert packet["verified"]


def test_a_window_names_the_file_it_could_not_quote(set_aside):
    window = set_aside.context("where is Scaffold defined", ContextRequest(budget_tokens=2_000))
    assert "What an application and a blueprint share" not in window["text"]
    (left_out,) = [one for one in window["left_out"] if one["source_id"] == "app/sansio/scaffold.py"]
    assert (left_out["reason"], left_out["named"]) == ("not_indexed", True)
    assert "app/sansio/scaffold.py:1-2 - needs refresh (not_indexed)" in window["text"]


def test_the_verdict_of_a_file_set_aside_is_the_same_when_it_is_asked_for_again(set_aside):
    item = set_aside.packet("Scaffold")["needs_refresh"][0]
    fields = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")
    (judged,), _ = set_aside.judge([Pointer(*(item[field] for field in fields))])
    assert (judged.verdict.status, judged.verdict.reason) == ("needs_refresh", "not_indexed")
    explained = set_aside.explain("app/sansio/scaffold.py", 1, 2)
    assert (explained["status"], explained["reason"]) == ("needs_refresh", "not_indexed")
    assert [one["finding"] for one in explained["observations"] if one["decides"]] == ["not_indexed"]


def test_a_file_set_aside_that_is_gone_since_is_not_pointed_at(set_aside, repository):
    (repository / "app/sansio/scaffold.py").unlink()
    packet = set_aside.packet("where is Scaffold defined")
    assert "app/sansio/scaffold.py" not in {item["source_id"] for item in packet["needs_refresh"]}


def test_nothing_is_said_of_files_that_are_left_out_on_purpose(helix, repository):
    write(repository, {"data/big.bin": "\0" * 100})
    helix.refresh()
    assert not [note for note in helix.packet("what is in data/big.bin")["notes"] if "set aside" in note]


@pytest.mark.parametrize(
    ("question", "path", "is_named"),
    [
        ("how does HttpClient retry", b"src/http_client.py", True),
        ("how does the http client retry", b"src/http-client.ts", True),
        ("where is class URL in httpx defined", b"httpx/_urls.py", True),
        ("what is in helix_core/store", b"helix_core/store/__init__.py", True),
        ("open store/session.py", b"helix_core/store/session.py", True),
        ("how does the client retry", b"src/http_client.py", False),
        ("where are sessions kept", b"src/session/keys.py", False),
        ("what is the default port", b"a/b.py", False),
    ],
)
def test_a_question_names_a_file_by_its_path_its_symbol_or_the_words_of_its_name(question, path, is_named):
    named = NotIndexed(pending=[path]).named_by(parse_question(question))
    assert bool(named) is is_named


def test_of_many_files_with_a_fitting_name_the_surest_few_are_named():
    paths = [b"%s/client.py" % letter.encode() for letter in "abcdefgh"] + [b"deep/folder/RetryClient.ts"]
    named = NotIndexed(pending=paths).named_by(parse_question("what does RetryClient do when the client is offline"))
    assert len(named) == MOST_NAMED
    assert (named[0].ranked.item.source.path, named[0].surely) == (b"deep/folder/RetryClient.ts", True)


def test_a_name_of_a_file_that_grew_over_the_limit_is_not_told_as_gone(tmp_path, open_helix):
    text = "def seal_letter(vault):\n    return vault\n"
    files = {"helix.toml": '[index]\nmax_file_size = "1 KB"\n', "vault.py": text}
    folder = begin(tmp_path / "project", files)
    engine = open_helix(folder)
    engine.refresh()
    write(folder, {"vault.py": text + "# grown\n" * 200})
    for _ in range(2):
        known = engine.symbols.about("seal_letter", k=5)
        assert known["notes"][0] == (
            "seal_letter was defined in vault.py:1, which is there and not indexed as it is now: read it"
        )
        engine.refresh()
    write(folder, {"vault.py": "# grown\n" * 200})
    known = engine.symbols.about("seal_letter", k=5)
    assert known["notes"][0].startswith("seal_letter was defined in vault.py:1, ")
