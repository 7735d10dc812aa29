"""``helix note``, ``helix forget --query`` and ``helix strand share``, and a dry run of all that changes the memory."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from helix_ls.cli.verbs import OF_MEMORY, command
from tests.cli.conftest import FILES, RunHelix, make_repository, runner

READING = {"recall", "list", "log", "diff"}


@pytest.fixture
def remembering(helix: RunHelix, shop: Path, tmp_path: Path) -> RunHelix:
    """Runs helix in the shop with a memory of its own."""
    return lambda *arguments, **more: helix(*arguments, cwd=shop, HELIX_DATA_DIR=str(tmp_path / "data"), **more)


@pytest.mark.unit
def test_every_verb_that_changes_the_memory_has_a_dry_run() -> None:
    group = command()
    assert isinstance(group, click.Group)
    context = click.Context(group)
    verbs = {"remember", "recall", "note", "forget", "restore", "purge", "list", "relate", "edit", "review"}
    assert verbs | {"log", "diff", "rollback", "maintain"} == OF_MEMORY
    without = []
    for verb in (*OF_MEMORY - READING, "strand"):
        found = group.get_command(context, verb)
        assert found is not None
        without += [] if "--dry-run" in {name for each in found.params for name in each.opts} else [verb]
    assert without == []


@pytest.mark.process
def test_a_note_of_a_person_answers_and_one_of_an_agent_waits(remembering: RunHelix, tmp_path: Path) -> None:
    said = "The wombat carrier collects parcels at noon."
    dry = remembering("note", said, "--dry-run", "--json").answer
    assert (dry["dry_run"], dry["count"]) == (True, 1)
    assert not (tmp_path / "data").exists()
    kept = remembering("note", "-", "--title", "carriers", stdin=said.encode())
    assert (kept.status, "kept as a note of 1 chunk" in kept.out) == (0, True)
    assert "wombat" in remembering("packet", "when does the wombat carrier collect parcels?").out
    answered = remembering("packet", "who is the wombat carrier?").out
    assert answered.startswith("From a note, not from a file · confidence 0.")
    assert "right place" not in answered.splitlines()[0]
    waiting = remembering("note", "The quokka carrier collects at midnight.", "--json", HELIX_AGENT="bot")
    assert (waiting.answer["status"], "a person approves it" in waiting.err) == ("quarantined", True)
    (gene,) = waiting.answer["gene_ids"]
    shown = remembering("review")
    assert "quokka" in shown.out and gene in shown.out
    assert remembering("search", "quokka carrier midnight", "--json").answer["known_empty"]
    refused = remembering("review", "--approve", gene, HELIX_AGENT="bot")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert remembering("review", "--approve", gene).status == 0
    assert not remembering("search", "quokka carrier midnight", "--json").answer["known_empty"]
    wrong = remembering("note", "x", "--type", "poem")
    assert (wrong.status, "--type must be one of" in wrong.complaint) == (2, True)


@pytest.mark.process
def test_to_forget_by_a_query_takes_the_token_of_one_candidate(remembering: RunHelix) -> None:
    for text in ("Postage starts at 300 cents", "Postage of books is free", "Baskets are kept for a day"):
        remembering("remember", text)
    shown = remembering("forget", "--query", "how much is postage?")
    tokens = re.findall(r"--confirm (m_\w+-[0-9a-f]{12})", shown.out)
    assert (shown.status, len(tokens), "nothing was forgotten" in shown.err) == (0, 2, True)
    assert len(remembering("list", "--json").answer["items"]) == 3
    unrelated = remembering("forget", "--query", "zebra stripes on mars", "--json").answer
    assert (unrelated["candidates"], unrelated["count"]) == ([], 0)
    other = remembering("forget", "--query", "baskets", "--confirm", tokens[0])
    assert (other.status, "confirms no memory" in other.complaint) == (2, True)
    dry = remembering("forget", "--query", "how much is postage?", "--confirm", tokens[0], "--dry-run")
    assert "nothing was changed" in dry.out
    done = remembering("forget", "--query", "how much is postage?", "--confirm", tokens[0], "--json").answer
    assert (done["count"], done["items"][0]["status"]) == (1, "forgotten")
    assert len(remembering("list", "--json").answer["items"]) == 2
    for misuse in ((), ("m_k3xq7a2b", "--query", "x"), ("m_k3xq7a2b", "--confirm", "x")):
        assert remembering("forget", *misuse).status == 2


@pytest.mark.process
def test_share_is_an_export_of_what_is_for_others(remembering: RunHelix, tmp_path: Path) -> None:
    remembering("remember", "Postage starts at 300 cents")
    remembering("remember", "I am Ada", "--kind", "identity")
    remembering("remember", "Postage of all shops is in cents", "--global")
    target = tmp_path / "team.dna"
    dry = remembering("strand", "share", target, "--recovery", "--dry-run", "--json").answer
    assert (dry["exported"], dry["records"]["memory"], target.exists()) == (False, 2, False)
    here = remembering("strand", "share", target, "--scope", "workspace", "--recovery", "--json").answer
    assert (here["exported"], here["records"]["memory"], target.exists()) == (True, 1, True)
    refused = remembering("strand", "share", tmp_path / "b.dna", "--share", "--recovery")
    assert (refused.status, "not for share" in refused.complaint) == (2, True)


@pytest.mark.process
def test_what_an_agent_notes_is_nowhere_called_the_users_words(tmp_path: Path) -> None:
    project, helix = make_repository(tmp_path / "shop", FILES), runner(tmp_path)
    asked = ("recall", "quokka carrier", "--json")
    helix("note", "The quokka carrier collects at midnight.", cwd=project, HELIX_AGENT="bot")
    helix("remember", "The quokka carrier is called Rottnest", cwd=project, HELIX_AGENT="bot")
    helix("remember", "The quokka carrier sails on Sundays", cwd=project, HELIX_AGENT="bot")
    (note,) = helix(*asked, cwd=project).answer["notes"]
    assert note == "2 proposals wait for a person's approval and answer nothing before it: helix review"
    waiting = helix("review", cwd=project).out
    assert waiting.count("by agent · not a primary source") == 2, waiting
    assert waiting.count("by agent · nothing in it could be checked") == 1, waiting
    assert "said by you" not in waiting
    helix("remember", "The wombat gate opens at nine", cwd=project)
    assert "said by you, and cites nothing that could be checked" in helix("list", "--verify", cwd=project).out
