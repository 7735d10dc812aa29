"""The verdict table, line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.engine.verdict.table import (
    HALF_LIFE_S,
    TRUE_NOW,
    Observation,
    freshness,
    live_truth,
    specificity,
    verdict,
)
from helix_core.model import HIGH_RISK, Authority, DocumentChange, DocumentFlag, Reason, Status, TaskType, Volatility

TASKS = list(TaskType)
LEFT = DocumentFlag(DocumentChange.SIGNATURE, "run", 3, "run(host)", "run(host, port)")
GONE = DocumentFlag(DocumentChange.NAME, "stop", 4, "stop", "")
LOW_RISK = [task for task in TASKS if task not in HIGH_RISK]


@pytest.mark.parametrize("reason", sorted(TRUE_NOW))
@pytest.mark.parametrize("task", TASKS)
def test_bytes_that_agree_are_verified_for_every_task(reason, task):
    assert verdict(Observation(disk=reason), task).status is Status.VERIFIED


@pytest.mark.parametrize(
    "reason", [r for r in Reason if r in {"gone", "unreadable", "outside_root", "not_a_file", "changed"}]
)
@pytest.mark.parametrize("task", TASKS)
def test_what_cannot_be_read_as_it_was_needs_refresh(reason, task):
    found = verdict(Observation(disk=reason), task)
    assert (found.status, found.reason) == (Status.NEEDS_REFRESH, reason)


@pytest.mark.parametrize(
    ("observation", "reason"),
    [
        (Observation(disk=Reason.UNCHANGED, unsaved=True), Reason.UNSAVED),
        (Observation(disk=Reason.UNCHANGED, conflicted=True), Reason.CONFLICTED),
        (Observation(disk=Reason.UNCHANGED, outdated=(LEFT,)), Reason.OUTDATED_DOC),
        (Observation(disk=Reason.UNCHANGED, contradicted_by="PORT is 8080 in app.py:3"), Reason.CONTRADICTED),
    ],
)
def test_doubts_about_true_bytes_are_stale_risk(observation, reason):
    for task in TASKS:
        found = verdict(observation, task)
        assert (found.status, found.reason) == (Status.STALE_RISK, reason)


def test_an_outdated_document_says_what_changed_from_what_to_what():
    found = verdict(Observation(disk=Reason.UNCHANGED, outdated=(LEFT, GONE)), TaskType.EXPLAIN)
    assert found.detail == "run(host) is run(host, port) now; stop is gone"


def test_the_most_severe_finding_wins_and_the_others_are_kept():
    found = verdict(Observation(disk=Reason.CHANGED, conflicted=True, outdated=(LEFT,)), TaskType.PLAN)
    assert found.reason is Reason.CHANGED
    assert found.also == (Reason.CONFLICTED, Reason.OUTDATED_DOC)


@pytest.mark.parametrize("task", TASKS)
def test_a_wrong_place_is_refused_for_risky_tasks_and_doubted_for_others(task):
    found = verdict(Observation(disk=Reason.UNCHANGED, confidence=0.29), task)
    assert found.status is (Status.NEEDS_REFRESH if task in HIGH_RISK else Status.STALE_RISK)
    assert found.reason is Reason.UNLOCATED
    assert verdict(Observation(disk=Reason.UNCHANGED, confidence=0.30), task).status is Status.VERIFIED


@pytest.mark.parametrize("task", LOW_RISK)
def test_time_decides_only_where_nothing_can_be_read_again(task):
    assert verdict(Observation(disk=Reason.UNCHANGED, freshness=0.0), task).status is Status.VERIFIED
    assert verdict(Observation(disk=None, freshness=0.0), task).reason is Reason.AGED


def test_inferred_evidence_is_too_weak_to_act_on():
    weak = Observation(disk=Reason.UNCHANGED, authority=Authority.INFERRED)
    assert verdict(weak, TaskType.EDIT).reason is Reason.WEAK_AUTHORITY
    assert verdict(weak, TaskType.EXPLAIN).status is Status.VERIFIED


@pytest.mark.parametrize("volatility", list(Volatility))
def test_a_half_life_is_a_half_life(volatility):
    assert freshness(HALF_LIFE_S[volatility], volatility) == pytest.approx(0.5)
    assert freshness(0, volatility) == 1.0


def test_a_clock_set_back_makes_nothing_fresher_than_fresh():
    assert freshness(-86_400, Volatility.HOT) == 1.0


OBSERVATIONS = st.builds(
    Observation,
    disk=st.sampled_from([None, *(r for r in Reason if r in TRUE_NOW), Reason.CHANGED, Reason.GONE]),
    freshness=st.floats(0, 1),
    authority=st.sampled_from(list(Authority)),
    unsaved=st.booleans(),
    conflicted=st.booleans(),
    outdated=st.sampled_from([(), (LEFT,)]),
    contradicted_by=st.sampled_from(["", "key is 1 in a.py:1"]),
    confidence=st.floats(0, 1),
)


@given(OBSERVATIONS, st.sampled_from(TASKS))
def test_nothing_with_a_finding_is_ever_verified(seen, task):
    found = verdict(seen, task)
    doubted = seen.unsaved or seen.conflicted or seen.outdated or seen.contradicted_by or seen.confidence < 0.30
    unread = seen.disk is not None and seen.disk not in TRUE_NOW
    if doubted or unread:
        assert found.status is not Status.VERIFIED


@given(OBSERVATIONS)
def test_a_riskier_task_is_never_told_more_comforting_things(seen):
    severity = [Status.VERIFIED, Status.STALE_RISK, Status.NEEDS_REFRESH]
    calm = severity.index(verdict(seen, TaskType.PLAN).status)
    risky = severity.index(verdict(seen, TaskType.OPS).status)
    assert risky >= calm


@given(st.floats(0, 1), st.sampled_from(list(Authority)), st.floats(0, 1))
def test_live_truth_stays_between_nothing_and_certainty(fresh, authority, specific):
    assert 0.0 <= live_truth(fresh, authority, specific) <= 1.0


def test_a_part_of_a_span_is_less_literal_than_the_whole():
    assert specificity("code") == 1.0
    assert specificity("code", whole_span=False) == 0.9
    assert specificity("doc") == 0.75
