"""A memory comes into force in one state, on whatever path: by an import, a review, a restore, a merge or a sync."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.memory import ImportRequest
from helix_core.memory import comparison_keys, is_clash, is_contradiction
from helix_core.strand import ClashPolicy, signer_text, union
from tests.engine.repository import put_index
from tests.mcp.conftest import repository
from tests.memory.test_strands import ada, bob, holding, person, remember, strand_of, take

__all__ = ["ada", "bob", "person"]
FIFTY, SIXTY = "The cart holds at most 50 items", "The cart holds at most 60 items"
FROZEN, QUEUE = "The release branch is frozen", "The queue is NATS"
REVIEW, IMPORT, APPROVE, REJECT = "import --review", "import", "review --approve", "review --reject"


def shop(helix):
    """The memories of a shop, the first of which cites its lines, and two of which contradict each other."""
    remember(helix, FIFTY, cites=["app.py:1-3"])
    for text in (SIXTY, FROZEN, QUEUE):
        remember(helix, text)


def states(helix):
    statuses = ("active", "contested", "quarantined", "superseded", "forgotten")
    return {one["text"]: one["status"] for one in helix.memory.listed(statuses=statuses)["items"]}


def links(helix):
    return sorted(each.id for each in helix.memory.exported() if each.type == "link")


IN_FORCE = {FIFTY: "contested", SIXTY: "contested", FROZEN: "active", QUEUE: "active"}


@pytest.mark.parametrize("steps", [*itertools.permutations([REVIEW, IMPORT, REVIEW]), (IMPORT, IMPORT), (IMPORT,)])
def test_what_is_believed_is_in_force_whatever_was_in_review_before(ada, bob, steps):
    shop(ada)
    strand = strand_of(ada)
    for step in steps:
        take(bob, strand, trusted=step == IMPORT)
    assert states(bob) == states(ada) == IN_FORCE
    assert bob.memory.log(verify=True)["first_broken"] is None


def test_what_a_believed_signer_has_in_review_stays_there_unless_it_is_approved_here(ada, bob):
    name = remember(ada, FROZEN)
    proposed = [
        each
        if each.type != "op"
        else type(each)(each.type, each.id, each.line.replace(b'"kind":"remember"', b'"kind":"propose"'))
        for each in ada.memory.exported()
    ]
    take(bob, holding(proposed))
    assert states(bob) == {FROZEN: "quarantined"}
    bob.memory.approve(name)
    take(bob, holding(proposed))
    assert states(bob) == {FROZEN: "active"}


def test_the_answer_of_an_import_says_what_no_longer_waits_and_what_is_contested(ada, bob):
    shop(ada)
    remember(bob, "The queue is not NATS", is_global=True)
    remember(ada, "The queue is NATS", is_global=True)
    strand = strand_of(ada)
    take(bob, strand, trusted=False)
    told = take(bob, strand)
    assert told["notes"] == [
        "no longer waits for review, as its signer is believed: 5 memories",
        "contested, as both cannot be so: 1 pair of memories; see helix review",
    ]
    assert not take(bob, strand)["notes"]


def test_the_state_is_that_of_the_decisions_in_whatever_order(ada, tmp_path):
    """A rejected memory stays rejected, a believed or approved one is in force, and every other one waits."""
    for text in (FIFTY, SIXTY):
        remember(ada, text, is_global=True)
    strand, numbers = strand_of(ada), itertools.count()
    folder = repository(tmp_path / "bob" / "project")
    put_index(folder, tmp_path / "bob" / "cache")

    @settings(max_examples=25)
    @given(
        steps=st.lists(st.sampled_from([REVIEW, IMPORT, APPROVE, REJECT]), max_size=5),
        policy=st.sampled_from(list(ClashPolicy)),
    )
    def is_in_the_state_decided(steps, policy):
        data = tmp_path / "bob" / f"data{next(numbers)}"
        environ = {"HELIX_CACHE_DIR": str(tmp_path / "bob" / "cache"), "HELIX_DATA_DIR": str(data)}
        with Helix.open(folder, config=load_config(folder, environ=environ, user=tmp_path / "none.toml")) as bob:
            is_here = is_in_force = is_gone = False
            for step in steps:
                if step in (REVIEW, IMPORT):
                    take(bob, strand, trusted=step == IMPORT, policy=policy)
                    is_in_force |= step == IMPORT
                    is_here = True
                    continue
                for one in bob.memory.listed(statuses=["quarantined"])["items"]:
                    (bob.memory.approve if step == APPROVE else bob.memory.forget)(one["id"])
                    is_gone |= step == REJECT
                    is_in_force |= step == APPROVE
            if not is_here:
                assert states(bob) == {}
            else:
                state = "forgotten" if is_gone else "contested" if is_in_force else "quarantined"
                assert states(bob) == dict.fromkeys((FIFTY, SIXTY), state)

    is_in_the_state_decided()


@pytest.mark.parametrize("is_reviewed", [True, False])
@pytest.mark.parametrize(("policy", "winner"), [("skip_existing", "300"), ("overwrite", "3000"), ("newest", "3000")])
def test_a_policy_decides_also_where_the_other_statement_was_in_review(ada, bob, policy, winner, is_reviewed):
    remember(bob, "The retry limit is 300 ms", is_global=True)
    remember(ada, "The retry limit is 3000 ms", is_global=True)
    strand = strand_of(ada)
    if is_reviewed:
        take(bob, strand, trusted=False)
    assert take(bob, strand, policy=ClashPolicy(policy))["decided"] == 1
    in_force = [text for text, state in states(bob).items() if state == "active"]
    assert in_force == [f"The retry limit is {winner} ms"]


@pytest.mark.parametrize("is_first", [True, False])
def test_what_two_persons_said_apart_is_contested_wherever_it_meets(person, ada, bob, is_first):
    remember(ada, FIFTY, is_global=True)
    remember(bob, SIXTY, is_global=True)
    from_ada, from_bob = strand_of(ada), strand_of(bob)
    merged = holding(union(from_ada.records, from_bob.records))
    contested = {FIFTY: "contested", SIXTY: "contested"}
    # A sync on both sides, a merge that a third one imports, and both files one after the other.
    take(ada, from_bob)
    take(bob, from_ada)
    cid, dan, eve = person("cid"), person("dan"), person("eve")
    take(cid, merged)
    for strand in (from_ada, from_bob) if is_first else (from_bob, from_ada):
        take(dan, strand)
        take(eve, strand, trusted=False)
    for one in eve.memory.listed(statuses=["quarantined"])["items"]:
        eve.memory.approve(one["id"])
    everyone = (ada, bob, cid, dan, eve)
    assert [states(each) for each in everyone] == [contested] * 5
    assert len({tuple(links(each)) for each in everyone}) == 1
    # What met once is not judged again.
    before = ada.memory.exported()
    take(ada, strand_of(dan))
    assert ada.memory.exported() == before


@pytest.mark.parametrize("is_first", [True, False])
def test_a_file_of_somebody_who_only_reviews_takes_nothing_out_of_force(person, ada, bob, is_first):
    shop(ada)
    take(bob, strand_of(ada), trusted=False)
    cid = person("cid")
    files = [strand_of(ada), strand_of(bob)]
    for strand in files if is_first else reversed(files):
        take(cid, strand)
    assert states(cid) == IN_FORCE


def test_what_is_restored_or_approved_is_contested_by_what_was_said_meanwhile(ada, bob):
    name = remember(ada, FIFTY)
    ada.memory.forget(name)
    remember(ada, SIXTY)
    ada.memory.restore(name)
    assert states(ada) == {FIFTY: "contested", SIXTY: "contested"}
    assert ada.memory.log(verify=True)["first_broken"] is None
    other = remember(ada, "The retry limit is 3000 ms", is_global=True)
    remember(bob, "The retry limit is 300 ms", is_global=True)
    take(bob, strand_of(ada), trusted=False)
    bob.memory.approve(other)
    assert {state for text, state in states(bob).items() if "retry" in text} == {"contested"}


STATEMENTS = (
    *(FIFTY, SIXTY, FROZEN, QUEUE, "The queue is not NATS", "We use MongoDB", "We use Postgres", "Always squash"),
    *(
        "Never squash",
        "Always force push",
        "Never force push",
        "Force push is allowed",
        "Retros are on the first Monday",
    ),
    *(
        "Retros are on the last Friday",
        "Deploys happen on Mondays",
        "Deploys happen on Fridays",
        "Tests need no network",
    ),
    *(
        "The timeout is 300 ms",
        "The timeout is 3000 ms",
        "Keep logs for at most 7 days",
        "Keep logs for at most 9 days",
    ),
    *("We deploy every Monday", "We deploy every Friday", "The API is public", "The API is not public"),
    *("Use tabs", "Do not use tabs", "Tests need network", "the queue is NATS", "Tests may use the network"),
)


def test_every_two_statements_that_disagree_have_a_key_in_common():
    pairs = list(itertools.combinations(STATEMENTS, 2))
    disagreeing = [pair for pair in pairs if is_clash(*pair) or is_contradiction(*pair)]
    assert len(disagreeing) >= 12
    for one, other in disagreeing:
        assert set(comparison_keys(one)) & set(comparison_keys(other)), (one, other)


def test_a_newer_value_is_no_contradiction_and_a_limit_is_one():
    assert is_contradiction(FIFTY, SIXTY)
    assert not is_clash(FIFTY, SIXTY)
    assert is_clash("The timeout is 300 ms", "The timeout is 3000 ms")
    assert not is_contradiction("The timeout is 300 ms", "The timeout is 3000 ms")
    assert not is_contradiction(FROZEN, QUEUE)


def reasons(helix):
    """The detail of each memory's verdict, by its text."""
    return {one["text"]: one["verdict"]["detail"] for one in helix.memory.listed(verify=True)["items"]}


def test_a_memory_of_another_signer_says_whose_it_is(ada, bob):
    remember(ada, FROZEN, is_global=True)
    remember(bob, QUEUE, is_global=True)
    strand = strand_of(ada)
    key = signer_text(strand.signer)
    bob.memory.imported(ImportRequest(strand, False, ClashPolicy.NEWEST))
    (proposal,) = bob.memory.listed(statuses=["quarantined"])["items"]
    bob.memory.approve(proposal["id"])
    assert reasons(bob) == {FROZEN: f"signed by {key}", QUEUE: ""}
    # From the next import under a label on it is the name that the user gave.
    remember(ada, "Deploys happen on Mondays", is_global=True)
    bob.memory.imported(ImportRequest(strand_of(ada), True, ClashPolicy.NEWEST, label="Ada"))
    assert reasons(bob) == {FROZEN: "signed by Ada", "Deploys happen on Mondays": "signed by Ada", QUEUE: ""}
    assert bob.memory.log(verify=True)["first_broken"] is None


def test_what_comes_back_with_a_strand_of_ones_own_is_ones_own(ada, bob):
    remember(ada, FROZEN, is_global=True)
    bob.memory.imported(ImportRequest(strand_of(ada), True, ClashPolicy.NEWEST, is_own=True))
    remember(bob, QUEUE, is_global=True)
    assert reasons(bob) == {FROZEN: "", QUEUE: ""}
