"""Every verb that answers from the index says which files it lacks: those set aside, and those not indexed yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.ingest import pool
from helix_core.ingest.document import ingest
from helix_ls.mcp.text import rendered
from helix_ls.operations.arguments import AskContext
from helix_ls.operations.table import OPERATIONS
from helix_ls.operations.validation import validated
from tests.engine.conftest import config_in
from tests.engine.repository import begin, write
from tests.mcp.agent import Agent
from tests.mcp.conftest import apart

ASIDE = "app/sansio/scaffold.py"
SCAFFOLD = "class Scaffold:\n    '''What an application and a blueprint share.'''\n\n    def glue_parts(self): pass\n"
QUESTION = {"question": "how are session cookies signed"}
LINES = {"source_id": "app/sessions.py", "start_line": 6, "end_line": 8}
ASKED: dict[str, dict[str, Any]] = {
    "packet": QUESTION,
    "search": QUESTION,
    "context": QUESTION,
    "preview": QUESTION,
    "resonance": QUESTION,
    "fingerprint": QUESTION,
    "plan": QUESTION,
    "open": LINES,
    "explain": LINES,
    "symbol": {"name": "sign_cookie"},
    "names": {"text": "sign_c"},
    "paths": {"text": "app"},
    "changes": {},
    "expand": {"source_id": "app/sessions.py", "start_line": 6},
    "judge": {"items": [{**LINES, "gene_id": "0" * 16}]},
    "check": {"text": "`sign_cookie` signs."},
}
ELSEWHERE = {
    "status": "counts and lists what is missing itself",
    "freshness": "counts what is missing, folder by folder",
    "recall": "memories",
    "memory_context": "memories",
    "memory_get": "memories",
    "memory_diff": "memories",
    "memory_graph": "memories",
    "memory_log": "memories",
    "memories": "memories",
    "maintain": "memories",
    "review": "memories",
    "strand_manifest": "memories",
    "where": "the trail",
    "hitl_recent": "pauses",
}
"""Verbs that only read and do not answer from the index, and what they answer from."""


def break_scaffold(path: bytes, data: bytes, *, skipped: str = "") -> Any:
    if path == ASIDE.encode():
        raise RecursionError
    return ingest(path, data, skipped=skipped)


@pytest.fixture
def lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Helix]:
    """An engine on a repository of which one file was set aside and another is not indexed yet."""
    folder = begin(tmp_path / "project")
    write(folder, {ASIDE: SCAFFOLD})
    with monkeypatch.context() as patched, Helix.open(folder, config=config_in(tmp_path, folder)) as helix:
        patched.setattr(pool, "ingest", break_scaffold)
        assert helix.refresh().quarantined == ((ASIDE, "raised RecursionError"),)
        helix.session.index.writer.set_pending([b"app/vault.py"], [])
        yield helix


def test_every_verb_that_reads_is_known_to_answer_from_the_index_or_from_elsewhere() -> None:
    reading = {name for name, one in OPERATIONS.items() if one.act is not None and one.changes == "nothing"}
    assert reading == ASKED.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("name", ASKED)
def test_every_answer_from_the_index_says_what_is_set_aside_and_that_it_is_not_complete(
    lacking: Helix, name: str
) -> None:
    operation = OPERATIONS[name]
    given = validated(operation, ASKED[name], "daemon")
    answer = operation.run(lacking, given, AskContext())
    (aside,) = [note for note in answer["notes"] if "set aside" in note]
    (partial,) = [note for note in answer["notes"] if note.startswith("the index is not complete yet (")]
    assert aside.startswith("1 file is set aside") and ASIDE in aside
    shown = rendered(answer | {"escaped": False})
    assert partial in shown and aside in shown, "a model that reads the text is told, too"


def test_a_look_at_all_files_says_which_it_could_not_look_at(lacking: Helix) -> None:
    notes = " ".join(lacking.symbols.hints().notes)
    assert ASIDE in notes and "not complete yet" in notes


def test_a_name_that_no_indexed_definition_has_is_not_said_to_be_defined_nowhere(lacking: Helix) -> None:
    operation = OPERATIONS["symbol"]
    for name, may_be_there in (("Scaffold", True), ("no_such_name", False)):
        with pytest.raises(UsageError) as refused:
            operation.run(lacking, validated(operation, {"name": name}, "mcp"), AskContext())
        said = str(refused.value)
        assert said.startswith(f"no definition of {name!r} was recognized in the indexed files")
        assert "1 file is set aside" in said and "not complete yet" in said
        assert (f"{ASIDE} may define {name!r} and is not indexed: read it" in said) is may_be_there


@pytest.mark.process
def test_a_whole_index_says_that_a_name_is_defined_nowhere_and_how_to_look_on(
    lacking: Helix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "ingest", ingest)
    write(lacking.workspace, {ASIDE: SCAFFOLD + "# mended\n"})
    assert lacking.refresh().set_aside == ()
    assert lacking.symbols.unknown("no_such_name") == (
        "no definition of 'no_such_name' was recognized in the indexed files; look for it with helix_search"
    )
    known = lacking.symbols.about("Scaffold")
    assert known is not None and known["notes"] == []


def test_a_file_that_was_set_aside_is_listed_as_its_name_is_typed_until_it_is_gone(lacking: Helix) -> None:
    first = lacking.symbols.typed("Scaffold")["items"][0]
    assert (first["source_id"], first["status"], first["reason"]) == (ASIDE, "needs_refresh", "not_indexed")
    (lacking.workspace / ASIDE).unlink()
    assert lacking.symbols.typed("Scaffold")["items"] == []


@pytest.mark.process
def test_a_member_that_only_a_file_set_aside_has_is_not_called_missing(lacking: Helix) -> None:
    write(lacking.workspace, {"app/vaults.py": "class Vault:\n    def open_vault(self): pass\n"})
    lacking.refresh()
    (found,) = lacking.check("`Vault.glue_all()` and `Vault.glue_parts()`")["findings"]
    assert found["reference"] == "Vault.glue_all()"


def build_without_scaffold(base: Path) -> Path:
    """A repository whose scaffold was set aside by an index in ``base / "cache"``, not to be tried again for a day."""
    folder = begin(base / "project")
    write(folder, {ASIDE: SCAFFOLD, "app/use.py": "from app.sansio.scaffold import Scaffold\n\n\nMADE = Scaffold()\n"})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pool, "ingest", break_scaffold)
        with Helix.open(folder, config=config_in(base, folder)) as helix:
            assert len(helix.refresh().set_aside) == 1
            index = helix.index_path
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute("UPDATE set_aside SET attempts = 6")
    return folder


def test_an_agent_is_told_of_a_file_set_aside(tmp_path: Path, starts_processes: None) -> None:
    folder = build_without_scaffold(tmp_path)
    with apart(tmp_path) as environ:
        agent = Agent(environ, folder)
        agent.initialize()
        said = agent.refusal("helix_uses", symbol="Scaffold")
        assert f"{ASIDE} may define 'Scaffold' and is not indexed: read it" in said
        uses = agent.answer("helix_uses", symbol="sign_cookie")
        assert [note for note in uses["notes"] if note.startswith("1 file is set aside")]
        agent.close()
