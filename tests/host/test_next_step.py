"""What the index thread does next, with the clock passed in."""

import pytest

from helix_ls.host.child_processes import FailureCount, Outcome
from helix_ls.host.index_thread import EMPTY_GRACE_S, NextStep, PendingWork, is_present, next_step


@pytest.mark.parametrize(
    ("pending", "step"),
    [
        (PendingWork(), NextStep("wait")),
        (PendingWork(whole_at=10.0), NextStep("whole")),
        (PendingWork(whole_at=12.5), NextStep("wait", 2.5)),
        (PendingWork(batch_at=10.0), NextStep("batch")),
        (PendingWork(batch_at=10.5, whole_at=12.0), NextStep("wait", 0.5)),
        (PendingWork(batch_at=9.0, whole_at=9.5), NextStep("whole")),
        (PendingWork(batch_at=9.0, whole_at=40.0), NextStep("batch")),
        (PendingWork(paused=True, whole_at=9.0, batch_at=9.0), NextStep("wait")),
        (PendingWork(paused=True, requested=True), NextStep("whole")),
        (PendingWork(hurried=True, batch_at=10.5, whole_at=9.0), NextStep("hurry")),
        (PendingWork(hurried=True, paused=True, batch_at=10.5), NextStep("wait")),
        (PendingWork(poll_at=10.5, whole_at=9.0), NextStep("wait", 0.5)),
        (PendingWork(poll_at=10.0, whole_at=9.0), NextStep("poll")),
        (PendingWork(poll_at=10.5, requested=True), NextStep("poll")),
        (PendingWork(closing=True, poll_at=9.0, requested=True), NextStep("close")),
    ],
)
def test_the_most_urgent_comes_first(pending, step):
    assert next_step(10.0, pending) == step


def test_a_folder_that_came_back_empty_is_given_a_minute():
    def present(now, **facts):
        return is_present(now, is_folder=True, missing_since=0.0, **{"is_same": False, "is_empty": True} | facts)

    assert not present(EMPTY_GRACE_S - 1)
    assert present(EMPTY_GRACE_S)
    assert present(1.0, is_empty=False)


def test_a_folder_emptied_in_place_is_empty_and_one_swapped_for_an_empty_one_is_away():
    assert is_present(5.0, is_folder=True, is_same=True, is_empty=True, missing_since=None)
    assert not is_present(5.0, is_folder=True, is_same=False, is_empty=True, missing_since=None)
    assert not is_present(5.0, is_folder=False, is_same=False, is_empty=True, missing_since=None)


def test_an_indexer_that_dies_is_tried_again_ever_later_and_left_alone_the_third_time_in_one_place():
    setbacks = FailureCount()
    waits = []
    for _ in range(3):
        assert not setbacks.gives_up
        setbacks = setbacks.after(Outcome("died"))
        waits.append(setbacks.retry_s())
    assert waits == [0.5, 1.0, 2.0]
    assert setbacks.gives_up


def test_an_indexer_that_gets_on_between_its_deaths_is_never_given_up():
    setbacks = FailureCount()
    for _ in range(20):
        setbacks = setbacks.after(Outcome("died", progressed=True))
    assert not setbacks.gives_up


def test_a_failure_with_a_reason_is_tried_again_for_ever_at_most_every_half_minute():
    setbacks = FailureCount()
    for _ in range(50):
        setbacks = setbacks.after(Outcome("failed", message="the disk is full"))
    assert setbacks.retry_s() == 30.0
    assert not setbacks.gives_up
    assert setbacks.after(Outcome("done")) == FailureCount()
