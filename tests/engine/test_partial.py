"""An index that is not whole says so in every answer, is no surer than that allows, and points at what is missing."""

import apsw
import pytest

from helix_core.engine import Helix
from helix_core.engine.indexing.intake import Intake
from helix_core.engine.indexing.refresh import Refresh
from helix_core.engine.verdict.not_indexed import NotIndexed
from helix_core.model import Pointer, Status
from helix_core.search.question import parse_question
from tests.engine.conftest import config_in
from tests.engine.repository import git, write

GROUPS = ("verified", "stale_risk", "needs_refresh")
WHERE = "where are vault letters sealed?"
NAMED = "what does vault_letters.py do?"


class CutShortError(Exception):
    """The refresh ends here, as if its process had been killed."""


@pytest.fixture
def cut(repository, open_helix, monkeypatch, starts_processes) -> Helix:
    """An index whose first refresh was cut short: a quarter of 40 files is in, and ``app/vault_letters.py`` is not."""
    write(repository, {f"app/many_{n:02}.py": f"def handle_{n}(letter):\n    return letter\n" for n in range(30)})
    write(repository, {"app/vault_letters.py": "def seal_letter(vault):\n    '''Vault letters are sealed here.'''\n"})
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "More")
    fresh, kept = Intake._fresh_files, 10

    def some(self, entries):
        yield from fresh(self, [entry for entry in entries if entry.path != b"app/vault_letters.py"][:kept])

    def end(*_):
        raise CutShortError

    engine = open_helix(repository)
    with monkeypatch.context() as patch:
        patch.setattr(Intake, "_fresh_files", some)
        patch.setattr(Refresh, "_remember_history", end)
        with pytest.raises(CutShortError):
            engine.refresh()
    return engine


def share(engine):
    known = engine.session.index.reader
    return known.text.size()[0] / (known.text.size()[0] + len(known.files.pending().new))


def test_a_partial_index_says_how_much_is_in(cut, repository):
    packet = cut.packet(WHERE)
    assert packet["accounting"]["indexed_share"] == pytest.approx(share(cut), abs=1e-4)
    assert 0 < share(cut) < 0.5
    (note,) = [note for note in packet["notes"] if "not complete yet" in note]
    listed = len(git(repository, "ls-files").split())
    assert f"of {listed} files" in note


def test_every_surface_of_the_engine_says_it(cut):
    for answer in (cut.search(WHERE), cut.context(WHERE), cut.explain_search(WHERE), cut.explain_answer(WHERE)):
        assert any("not complete yet" in note for note in answer["notes"])
    assert cut.search(WHERE)["indexed_share"] < 0.5
    assert cut.context(WHERE)["indexed_share"] < 0.5
    known = next(iter(cut.session.index.reader.names.definitions_by_prefix("handle_")))
    symbol = cut.symbols.about(known.name)
    assert symbol["indexed_share"] < 0.5
    assert any("not complete yet" in note for note in symbol["notes"])


def test_confidence_counts_the_share_that_is_in(cut):
    known = next(iter(cut.session.index.reader.names.definitions_by_prefix("handle_"))).name
    partial = cut.packet(known)
    cut.refresh()
    whole = cut.packet(known)
    assert partial["coordinate_confidence"] < 0.5 * whole["coordinate_confidence"]
    assert whole["accounting"]["indexed_share"] == 1
    assert whole["notes"] == []


def test_that_something_is_not_here_is_never_claimed_of_a_partial_index(cut):
    for question in (WHERE, "kubernetes flamingo telemetry"):
        packet = cut.packet(question)
        assert not packet["known_empty"]
        assert packet["coordinate_confidence"] < 0.3
    cut.refresh()
    assert cut.packet("kubernetes flamingo telemetry")["known_empty"]


def test_a_file_not_yet_in_is_pointed_at_when_the_question_names_it(cut):
    (item,) = [one for one in cut.packet(NAMED)["needs_refresh"] if one["source_id"] == "app/vault_letters.py"]
    assert (item["reason"], item["quote"], item["start_line"]) == ("not_indexed", "", 1)
    first = cut.search(NAMED)["items"][0]
    assert (first["source_id"], first["reason"]) == ("app/vault_letters.py", "not_indexed")
    cut.refresh()
    assert cut.packet(NAMED)["verified"][0]["source_id"] == "app/vault_letters.py"


def test_a_window_says_what_it_lacks_or_holds_nothing(cut):
    known = next(iter(cut.session.index.reader.names.definitions_by_prefix("handle_"))).name
    text = cut.context(known)["text"]
    assert "Note: the index is not complete yet" in text
    assert cut.context("kubernetes flamingo telemetry")["text"] == ""
    assert not cut.context("kubernetes flamingo telemetry")["known_empty"]


def test_before_the_disk_was_listed_a_file_is_named_all_the_same(repository, open_helix):
    engine = open_helix(repository)
    packet = engine.packet("what is in app/sessions.py?")
    assert packet["accounting"]["indexed_share"] == 0
    assert not packet["known_empty"]
    item = packet["needs_refresh"][0]
    assert (item["source_id"], item["reason"]) == ("app/sessions.py", "not_indexed")
    assert any("only just been begun" in note for note in packet["notes"])


def test_new_files_of_an_index_that_was_whole_count_as_missing_until_they_are_in(helix, repository, monkeypatch):
    write(repository, {f"lib/new_{n}.py": f"def fresh_{n}(): pass\n" for n in range(40)})
    seen = []

    def looking(self, entries):
        seen.append(helix.packet("fresh_7"))
        return iter(())

    with monkeypatch.context() as patch:
        patch.setattr(Intake, "_fresh_files", looking)
        helix.refresh()
    assert 0 < seen[0]["accounting"]["indexed_share"] < 0.5
    assert not seen[0]["known_empty"]
    assert helix.packet("sign_cookie")["accounting"]["indexed_share"] == 1


def test_a_changed_file_lowers_the_share_and_leaves_with_its_own_transaction(helix, repository):
    writer, reader = helix.session.index.writer, helix.session.index.reader
    writer.set_pending([b"a/new.py"], [b"app/sessions.py"])
    assert (reader.files.pending().new, reader.files.pending().changed) == ((b"a/new.py",), 1)
    state = reader.files.state(b"app/sessions.py")
    writer.touch(b"app/sessions.py", state.signature, 1)
    writer.remove(b"a/new.py")
    assert reader.files.pending().new == () and reader.files.pending().changed == 0


def test_what_is_pending_is_no_content(helix):
    before = helix.digest()
    helix.session.index.writer.set_pending([b"a/new.py"], [b"app/sessions.py"])
    assert helix.digest() == before


def test_many_pending_names_are_looked_through_quickly_enough_to_find_the_one():
    paths = [b"src/package_%d/module_%d.py" % (n % 100, n) for n in range(50_000)] + [b"src/deep/RetryClient.ts"]
    named = NotIndexed(pending=paths).named_by(parse_question("what does RetryClient do?"))
    assert [one.ranked.item.source.path for one in named] == [b"src/deep/RetryClient.ts"]


SCHEMA_DAMAGES = {
    "a column renamed": ("source", "live ", "gone "),
    "a column of items renamed": ("item", "breadcrumb", "headcrumbs"),
    "a column of postings renamed": ("chunk_fts", "names", "mames"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("table", "old", "new"), SCHEMA_DAMAGES.values(), ids=SCHEMA_DAMAGES.keys())
def test_a_damaged_schema_row_heals_like_a_damaged_page(repository, tmp_path, table, old, new):
    config = config_in(tmp_path, repository)
    with Helix.open(repository, config=config) as engine:
        engine.refresh()
        path = engine.index_path
    damage_schema(path, table, old, new)
    write(repository, {"app/later.py": "def sealed_later(): pass\n"})
    with Helix.open(repository, config=config) as engine:
        engine.refresh()
        packet = engine.packet("where is the session cookie signed?")
        assert packet["verified"][0]["source_id"] == "app/sessions.py"
        assert any("moved aside" in note for note in packet["notes"])
        assert engine.search("sealed_later")["items"][0]["source_id"] == "app/later.py"
    assert list(path.parent.glob("index.db.damaged-*"))


def test_a_schema_row_damaged_while_open_heals_too(helix, repository):
    helix.packet("sign_cookie")
    damage_schema(helix.index_path, "item", "breadcrumb", "headcrumbs")
    packet = helix.packet("where is the session cookie signed?")
    assert packet["verified"][0]["source_id"] == "app/sessions.py"


@pytest.mark.parametrize(("table", "old", "new"), [*SCHEMA_DAMAGES.values()][:2], ids=[*SCHEMA_DAMAGES][:2])
def test_judging_what_was_shown_heals_a_schema_row_damaged_while_open(helix, table, old, new):
    shown = helix.packet("where is the session cookie signed?")["verified"]
    names = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")
    pointers = [Pointer(**{name: item[name] for name in names}) for item in shown]
    damage_schema(helix.index_path, table, old, new)
    judged, _ = helix.judge(pointers)
    assert [one.verdict.status for one in judged] == [Status.VERIFIED] * len(shown)
    packet = helix.packet("where is the session cookie signed?")
    assert packet["verified"][0]["source_id"] == "app/sessions.py"
    assert any("moved aside" in note for note in packet["notes"])


@pytest.mark.parametrize(
    "cut",
    [
        "UPDATE {0}_vector_chunks00 SET vectors = zeroblob(8)",
        "UPDATE {0}_chunks SET validity = zeroblob(1)",
        "DELETE FROM {0}_vector_chunks00",
        "DELETE FROM {0}_chunks",
    ],
)
def test_vectors_that_cannot_be_read_heal_like_a_damaged_page(repository, tmp_path, cut):
    config = config_in(tmp_path, repository)
    with Helix.open(repository, config=config) as engine:
        engine.refresh()
        path = engine.index_path
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    tables = "SELECT name FROM sqlite_schema WHERE sql LIKE '%USING vec0%'"
    for (table,) in connection.execute(tables).fetchall():
        connection.execute(cut.format(table))
    connection.close()
    # What is taken in now is written beside the damage, and what is asked is read from it.
    write(repository, {"app/later.py": "def sealed_later(): pass\n"})
    with Helix.open(repository, config=config) as engine:
        engine.refresh()
        assert engine.packet("where is the session cookie signed?")["verified"]
        assert engine.search("sealed_later")["items"][0]["source_id"] == "app/later.py"


@pytest.mark.parametrize("lost", ["chunks", "rowids"])
def test_an_index_whose_vectors_lost_a_table_is_built_again(repository, tmp_path, lost):
    with Helix.open(repository, config=config_in(tmp_path, repository)) as engine:
        engine.refresh()
        connection = apsw.Connection(str(engine.index_path))
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute("PRAGMA writable_schema=1")
        connection.execute("DELETE FROM sqlite_schema WHERE name = ?", (f"vectors_1_{lost}",))
        connection.execute(f"PRAGMA schema_version={connection.pragma('schema_version') + 1}")
        connection.close()
        assert engine.rebuild().files > 0
        assert engine.packet("where is the session cookie signed?")["verified"]


def damage_schema(path, table, old, new):
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema=1")
    change = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?"
    connection.execute(change, (old, new, table))
    version = connection.pragma("schema_version")
    connection.execute(f"PRAGMA schema_version={version + 1}; PRAGMA writable_schema=0")
    connection.close()


def test_a_name_of_a_file_that_is_not_reached_yet_is_not_told_as_gone(cut):
    known = cut.symbols.about("seal_letter", k=5)
    assert known["notes"][0] == (
        "seal_letter was defined in app/vault_letters.py:1, which is there and not indexed as it is now: read it"
    )
    assert not known["totals_exact"]


def test_a_name_that_is_gone_may_have_gone_to_a_file_that_is_not_reached_yet(cut, repository):
    (repository / "app/sessions.py").unlink()
    known = cut.symbols.about("sign_cookie", k=5)
    assert known["notes"][0].startswith("sign_cookie was defined in app/sessions.py:")
    assert known["notes"][0].endswith(", and no file indexed so far defines it")
    assert not known["totals_exact"]
