"""What becomes of a second statement: a repeat, a replacement, a contradiction, or something else that stays."""

import itertools

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.errors import UsageError
from helix_core.memory.consolidation import is_paraphrase
from tests.memory.test_ranking import labeled


def states(helix, *texts):
    """The status of each text once all were remembered in order."""
    for text in texts:
        helix.memory.remember(RememberRequest(text))
    every = ["active", "contested", "superseded"]
    found = {one["text"]: one["status"] for one in helix.memory.listed(statuses=every)["items"]}
    return [found.get(text, "known already") for text in texts]


ADDED = "in the api with the old database of the team and all its very many long tables at night on each host by hand"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Latency stays < 5 ms", "Latency stays > 5 ms"),
        ("The guard tests a == b", "The guard tests a != b"),
        ("The offset is -5", "The offset is 5"),
        ("Growth was +5%", "Growth was -5%"),
        ("Copy the data from prod to staging", "Copy the data to prod from staging"),
        ("Alice and Bob approve releases", "Alice or Bob approve releases"),
        ("The gateway is slow", "The gateway was slow"),
        ("The job has failed", "The job will be failed"),
        (f"Backups are enabled {ADDED}", f"Backups are disabled {ADDED}"),
        ("The variable is named PATH", "The variable is named path"),
        ("Plan A is the default", "Plan is the default"),
    ],
)
def test_texts_that_differ_in_a_word_or_sign_are_never_known_already(helix, one, other):
    assert "known already" not in states(helix, one, other)


@pytest.mark.parametrize(
    "again", ["the  gateway retries a request twice!", "Gateway retries the request twice.", "GATEWAY retries it twice"]
)
def test_case_articles_spacing_and_the_last_mark_make_no_other_statement(helix, again):
    is_same = "it" not in again.split()
    assert (states(helix, "The gateway retries a request twice", again)[1] == "known already") == is_same


@pytest.mark.slow
@pytest.mark.parametrize(
    "texts",
    [
        ("Retries are 5", "The price went from 5 to 10"),
        ("The queue uses Redis", "The rate limiter uses Redis", "We no longer use Redis for sessions"),
        ("We use spaces in Python", "Use tabs instead of spaces in Makefiles"),
        ("The timeout is 300 ms", "The timeout is 3000 ms in staging"),
        ("The timeout is 300 ms", "The timeout is 3000 ms, but in staging alone"),
        ("The timeout defaults to 30 s", "The timeout is 60 s"),
        ("The client allows 5 retries", "The client allows 3 redirects"),
        ("The API uses Postgres for storage", "The worker uses MySQL for storage"),
        ("The API uses Postgres", "The analytics worker uses MySQL"),
        ("We use Python", "We no longer support Python 3.8"),
        ("We use MongoDB", "We plan to switch from MongoDB to Postgres"),
        ("We use spaces", "Never use tabs instead of spaces"),
        ("The backup from prod is 5 GB", "The backup to prod is 6 GB"),
        ("Use structlog for logging", "Use care for logging"),
        ("Filler number 11 of the list", "Filler number 12 of the list"),
        ("Item 3 is about the harbor", "Item 4 is about the harbor"),
        ("Never force push", "Force push is forbidden"),
        ("Never force push", "Squash merge is allowed"),
        ("On Mondays the build is slow", "On Tuesdays the build is slow"),
        ("The Monday meeting is short", "The Tuesday meeting is short"),
        ("The deploy broke on Friday", "The deploy broke on Monday"),
        ("The first argument is a path", "The second argument is a path"),
    ],
)
def test_facts_of_other_subjects_attributes_or_qualifiers_stay_side_by_side(helix, texts):
    assert set(states(helix, *texts)) == {"active"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use spaces", "I prefer tabs over spaces"),
        ("The cache is enabled", "The cache is disabled"),
        ("Do not deploy on Friday", "Deploy on Friday"),
        ("The cache isn't shared", "The cache is shared"),
        (f"Backups are enabled {ADDED}", f"Backups are disabled {ADDED}"),
        ("We no longer use Redis", "We use Redis"),
        ("Never force push", "Force push is allowed"),
        ("Force pushes are forbidden", "Force pushing is fine"),
        ("Don't merge on red", "Merging on red is permitted"),
        ("Deploys happen on Fridays", "Deploys happen on Mondays"),
        ("We release jinja on the first Tuesday of a month", "We release jinja on the second Monday of a month"),
    ],
)
def test_statements_that_exclude_each_other_are_contested_and_neither_is_lost(helix, one, other):
    assert states(helix, one, other) == ["contested", "contested"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use MongoDB", "We switched from MongoDB to Postgres"),
        ("The price is 5 USD", "The price went from 5 USD to 10 USD"),
        ("The queue uses Redis", "The queue no longer uses Redis"),
        ("We use Redis for sessions", "We no longer use Redis for sessions"),
        ("We use npm", "Use pnpm instead of npm"),
        ("The timeout in staging is 300 ms", "The timeout in staging is 3 s"),
        ("Always squash merge", "Never squash merge"),
    ],
)
def test_a_change_of_the_same_thing_supersedes_what_was_so(helix, one, other):
    assert states(helix, one, other) == ["superseded", "active"]


RESTATED = (
    ("The request timeout is 300 ms", "Our request timeout is set to 300 ms.", "request timeout = 300 ms"),
    (
        "We switched from MongoDB to Postgres",
        "We migrated from MongoDB to PostgreSQL",
        "We have moved from MongoDB to Postgres",
    ),
    ("Always squash merge", "We always squash merge", "Please always squash merge."),
    ("The default branch is main", "Our default branch is main", "The default branch is now main"),
    ("The retry limit is 5", "Remember that our retry limit is set to 5", "Retry limit: 5"),
)


def test_a_fact_in_other_words_is_the_memory_that_is_there_with_both_wordings(helix):
    for number in range(3):
        for texts in RESTATED:
            helix.memory.remember(RememberRequest(texts[number], session=f"s{number}"))
    items = helix.memory.listed(limit=50)["items"]
    assert len(items) <= 8, [one["text"] for one in items]
    evidence = helix.session.memory_file.read(
        lambda memory: memory.items.evidence(memory.items.named(one["id"]).id for one in items)
    )
    assert sorted(one.text for one in evidence) == sorted(text for texts in RESTATED for text in texts)
    again = helix.memory.remember(RememberRequest("The request timeout equals 300 ms"), dry_run=True)["items"][0]
    assert not again["is_new"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The request timeout is 300 ms", "The request timeout should be 300 ms"),
        ("The drain timeout is 300 ms", "The drain timeout is to be 300 ms"),
        ("My database is Postgres", "Your database is Postgres"),
        ("The request timeout is 300 ms", "The request timeout defaults to 300 ms"),
        ("The request timeout is 300 ms", "The request timeout is 300 ms in staging"),
        ("The project name is PATH", "The project name is path"),
        ("Releases must never skip the audit", "Releases should never skip the audit"),
        ("We switched from MongoDB to Postgres", "We switched from MySQL to Postgres"),
        ("I always squash merge", "We always squash merge"),
        ("The default branch of the docs is main", "The default branch of the api is main"),
        ("The offset limit is -5", "The offset limit is 5"),
        ("The retry limit is 5", "The retry limit is < 5"),
        ("The owner is Ana", "The owner is not Ana"),
        ("The owner is Ana", "The owner is Ana or Bob"),
    ],
)
def test_what_says_as_much_of_another_thing_or_otherwise_is_a_memory_of_its_own(helix, one, other):
    assert "known already" not in states(helix, one, other)


REWORDED = (
    ("Releases are cut on Thursdays", "We cut releases on Thursdays", "Every Thursday, we cut releases."),
    (
        "The cache is flushed after every deploy",
        "We flush the cache after every deploy",
        "After every deploy we flush the cache",
    ),
    (
        "Generated files are not committed",
        "We don't commit generated files",
        "Remember that we do not commit generated files",
    ),
    (
        "In staging, the limit is 3,000 requests",
        "The limit is 3000 requests in staging",
        "Note that in staging, the limit is 3,000 requests",
    ),
    (
        "Tags must be signed with the offline key",
        "We must sign tags with the offline key",
        "Remember that tags must be signed with the offline key.",
    ),
)


def test_five_facts_in_three_wordings_each_are_five_memories_with_fifteen_wordings(helix):
    for number in range(3):
        for texts in REWORDED:
            helix.memory.remember(RememberRequest(texts[number], session=f"s{number}"))
    items = helix.memory.listed(limit=50)["items"]
    assert len(items) == 5, [one["text"] for one in items]
    evidence = helix.session.memory_file.read(
        lambda memory: memory.items.evidence(memory.items.named(one["id"]).id for one in items)
    )
    assert sorted(one.text for one in evidence) == sorted(text for texts in REWORDED for text in texts)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Orders depend on billing", "Billing depends on orders"),
        ("We don't sign all commits", "All commits are not signed"),
        ("We pay the Vienna office", "The Vienna office pays us"),
        ("We keep the backups in Lisbon", "The backups are kept in Lisbon by Ana"),
        ("Tags should be signed", "We must sign tags"),
        ("The shop is deployed on Fridays", "On Friday, we deploy the shop"),
        ("The shop is never deployed on Fridays", "We deploy the shop on Fridays"),
        ("We read the mailbox only on Mondays", "The mailbox is read on Mondays"),
        ("The pull timeout is 3 m", "The pull timeout is 3 min"),
        ("The disk quota is 3 MB", "The disk quota is 3 Mb"),
        ("We moved the docs from npm to pnpm", "The docs are moved from pnpm to npm"),
        ("We run the tests of the api", "The tests are run by the api"),
        ("If the queue is full, we drop events", "We drop events if the queue is empty"),
        ("The tables are locked while we migrate", "We migrate while the tables are locked"),
    ],
)
def test_the_same_words_in_other_roles_moods_or_order_are_another_memory(helix, one, other):
    assert "known already" not in states(helix, one, other)


def test_no_two_labeled_statements_are_taken_for_wordings_of_one():
    texts = {row["text"] for half in ("development", "blind-open") for row in labeled(f"slices-{half}")}
    texts |= {row["memory"] for row in labeled("paraphrases-open")}
    pairs = [(one, other) for one, other in itertools.combinations(sorted(texts), 2) if is_paraphrase(one, other)]
    assert len(texts) > 200
    assert pairs == []


def test_a_wording_under_a_key_of_its_own_is_the_memory_that_is_there(helix):
    kept = helix.memory.remember(RememberRequest(REWORDED[0][0], key="first"))["items"][0]["id"]
    again = helix.memory.remember(RememberRequest(REWORDED[0][1], key="second"))["items"][0]
    assert (again["id"], again["is_new"]) == (kept, False)
    with pytest.raises(UsageError, match="says something else"):
        helix.memory.remember(RememberRequest("Releases are cut on Fridays", key="first"))


def test_the_same_write_a_hundred_times_is_one_memory_with_one_wording(helix):
    for number in range(100):
        helix.memory.remember(RememberRequest("The default branch is main", key=f"k{number}"))
    items = helix.memory.listed(limit=50)["items"]
    assert [one["text"] for one in items] == ["The default branch is main"]
    evidence = helix.session.memory_file.read(
        lambda memory: memory.items.evidence([memory.items.named(items[0]["id"]).id])
    )
    assert [one.text for one in evidence] == ["The default branch is main"]
    assert helix.memory.log(verify=True)["first_broken"] is None
