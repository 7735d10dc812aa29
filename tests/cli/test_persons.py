"""What only a person may do at the terminal is refused to an agent, verb by verb, before anything begins."""

from __future__ import annotations

import shlex
from itertools import product
from pathlib import Path

import pytest

from helix_core.errors import UsageError
from helix_ls.cli.daemon import DaemonAction
from helix_ls.cli.embed import EmbedAction
from helix_ls.cli.strand import StrandAction
from helix_ls.cli.trail import TrailAction
from helix_ls.cli.verbs import VERBS, command, verb
from helix_ls.operations.persons import PERSON_COMMANDS, PersonCommand, is_for_a_person
from helix_ls.operations.table import OPERATIONS

from .conftest import FILES, make_repository, runner
from .test_strand import secret

FOR_A_PERSON = (
    "where --forget",
    "embed setup",
    "embed setup minilm --yes",
    "embed off",
    "up",
    "up --no-browser",
    "dashboard --no-browser --json",
    "connect admin",
    "connect claude --write --yes",
    "connect upstream openai --key",
    "connect upstream openai --forget-key",
    "review --approve m_k3xq7a2b",
    "review --reject m_k3xq7a2b",
    "review --archive m_k3xq7a2b",
    "rollback 0",
    "rollback 0 --dry-run",
    "maintain --archive",
    "purge m_k3xq7a2b --confirm",
    "purge m_k3xq7a2b --dry-run",
    "trail commit now",
    "trail rollback 0",
    "trail flag seen-the-guide",
    "trail export mine.hx",
    "trail import mine.hx",
    "strand trust ada.dna",
    "strand untrust ada.dna",
    "strand export all.dna --recovery",
    "strand share all.dna --recovery",
    "strand rekey ada.dna --recovery",
    "strand rekey ada.dna --rotate --recovery",
    "strand merge a.dna b.dna -o c.dna --recovery",
    "strand sync folder",
    "config --keep-chats",
    "config --no-keep-chats",
    "daemon install --write --yes",
)
FOR_ANYONE = (
    "index --rebuild",
    "search x",
    "packet x",
    "context x",
    "uses x",
    "changes",
    "check README.md",
    "where",
    "status",
    "embed",
    "embed status",
    "embed run",
    "embed setup --recommend",
    "serve",
    "connect claude",
    "connect upstream openai",
    "remember x",
    "recall x",
    "note x",
    "list",
    "review",
    "review --consolidate",
    "edit m_k3xq7a2b x",
    "relate m_k3xq7a2b refines m_a7c2mzp4",
    "log",
    "diff --since 0",
    "forget m_k3xq7a2b",
    "restore m_k3xq7a2b",
    "maintain",
    "trail log",
    "trail diff 0 1",
    "strand import ada.dna",
    "strand verify ada.dna",
    "strand diff a.dna b.dna",
    "strand keys",
    "strand trust",
    "bench run .",
    "doctor",
    "config --explain",
    "lsp",
    "daemon status",
    "daemon stop",
    "daemon logs",
    "daemon install",
    "mcp",
)
"""Of these the operation itself decides what an agent may: what it says and takes in waits for a person."""


def test_every_verb_and_every_action_is_somebodys() -> None:
    named = {tuple(shlex.split(each)[:2]) for each in (*FOR_A_PERSON, *FOR_ANYONE)}
    assert {each[0] for each in named} == set(VERBS)
    for name, actions in {
        "strand": StrandAction,
        "trail": TrailAction,
        "embed": EmbedAction,
        "daemon": DaemonAction,
    }.items():
        assert {(name, action.value) for action in actions} <= named, name
    assert {each.verb for each in PERSON_COMMANDS} == {each.split()[0] for each in FOR_A_PERSON}


@pytest.mark.parametrize("typed", FOR_A_PERSON)
def test_an_agent_is_told_what_the_user_runs(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIX_AGENT", "bot")
    with pytest.raises(UsageError) as refused:
        command().main(shlex.split(typed), prog_name="helix", standalone_mode=False)
    assert str(refused.value) == (
        f"only a person decides that, never an agent; the user runs it without HELIX_AGENT: helix {typed}"
    )


@pytest.mark.parametrize("command", PERSON_COMMANDS, ids=lambda each: each.typed or each.verb)
def test_what_an_operation_says_to_type_is_refused_to_an_agent_at_the_terminal(command: PersonCommand) -> None:
    operations = [one for one in OPERATIONS.values() if one.person is command]
    assert len(operations) == (1 if command.typed else 0)
    for operation in operations:
        members = {each.name: each.about.choices or ("1",) for each in operation.parameters("lsp")}
        for values in product(*members.values()):
            name, *words = shlex.split(command.typed.format_map(dict(zip(members, values, strict=True))))
            assert name == command.verb
            assert is_for_a_person(name, verb(name).make_context(name, words).params), words


@pytest.mark.parametrize("typed", FOR_ANYONE)
def test_the_rest_is_open_to_an_agent(typed: str) -> None:
    name, *words = shlex.split(typed)
    given = verb(name).make_context(name, words).params
    assert not is_for_a_person(name, given)


@pytest.mark.process
def test_a_strand_that_an_agent_takes_in_waits_for_a_person_whoever_signed_it(tmp_path: Path) -> None:
    project = make_repository(tmp_path / "shop", FILES)
    key = secret(tmp_path / "secret", "correct horse\n")
    user = runner(tmp_path)
    evil, kept = "The request timeout in production is 9 ms", "The request timeout in production is 5000 ms"
    file = tmp_path / "evil.dna"
    other = {"HELIX_DATA_DIR": str(tmp_path / "other")}
    user("remember", evil, "--global", cwd=project, **other)
    assert user("strand", "export", file, "--passphrase-file", key, cwd=project, **other).status == 0
    user("remember", kept, "--global", cwd=project)
    assert user("strand", "trust", file, cwd=project).status == 0
    taking = ("strand", "import", file, "--policy", "overwrite", "--passphrase-file", key, "--json")
    took = user(*taking, cwd=project, HELIX_AGENT="bot").answer
    assert (took["trust"], took["waits_for_review"], took["decided"]) == ("trusted", 1, 0)
    assert [one["text"] for one in user("recall", "request timeout", "--json", cwd=project).answer["items"]] == [kept]
    assert [one["text"] for one in user("review", "--json", cwd=project).answer["items"]] == [evil]
    ops = user("log", "--json", "--all", cwd=project).answer["ops"]
    assert [op["actor"] for op in ops if op["kind"] != "remember"] == ["agent:bot"] * 2
    assert [(op["kind"], op["status"]) for op in ops if not op["uuid"]] == [("merge", "")]
    shown = user("log", "--all", cwd=project).out
    assert "took in a strand signed by dna-signer:" in shown and "purged" not in shown
    waiting = user("review", cwd=project).out
    assert "nothing in it could be checked" in waiting and "said by you" not in waiting
    unknown = user(*taking, "--dry-run", cwd=project, HELIX_AGENT="bot", HELIX_DATA_DIR=str(tmp_path / "third"))
    assert (unknown.answer["trust"], unknown.answer["waits_for_review"]) == ("none", 1)
