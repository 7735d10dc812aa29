"""What the index thread does next, with the clock passed in."""

import pytest

from helix_ls.host.child_processes import Outcome, Setbacks
from helix_ls.host.index_thread import EMPTY_GRACE_S, NextStep, Wants, is_present, next_step


@pytest.mark.parametrize(
    ("wants", "step"),
    [
        (Wants(), NextStep("wait")),
        (Wants(whole_at=10.0), NextStep("whole")),
        (Wants(whole_at=12.5), NextStep("wait", 2.5)),
        (Wants(batch_at=10.0), NextStep("batch")),
        (Wants(batch_at=10.5, whole_at=12.0), NextStep("wait", 0.5)),
        (Wants(batch_at=9.0, whole_at=9.5), NextStep("whole")),
        (Wants(batch_at=9.0, whole_at=40.0), NextStep("batch")),
        (Wants(paused=True, whole_at=9.0, batch_at=9.0), NextStep("wait")),
        (Wants(paused=True, ordered=True), NextStep("whole")),
        (Wants(look_at=10.5, whole_at=9.0), NextStep("wait", 0.5)),
        (Wants(look_at=10.0, whole_at=9.0), NextStep("look")),
        (Wants(look_at=10.5, ordered=True), NextStep("look")),
        (Wants(closing=True, look_at=9.0, ordered=True), NextStep("close")),
    ],
)
def test_the_most_urgent_comes_first(wants, step):
    assert next_step(10.0, wants) == step


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
    setbacks = Setbacks()
    waits = []
    for _ in range(3):
        assert not setbacks.is_hopeless
        setbacks = setbacks.after(Outcome("died"))
        waits.append(setbacks.retry_s())
    assert waits == [0.5, 1.0, 2.0]
    assert setbacks.is_hopeless


def test_an_indexer_that_gets_on_between_its_deaths_is_never_given_up():
    setbacks = Setbacks()
    for _ in range(20):
        setbacks = setbacks.after(Outcome("died", progressed=True))
    assert not setbacks.is_hopeless


def test_a_failure_with_a_reason_is_tried_again_for_ever_at_most_every_half_minute():
    setbacks = Setbacks()
    for _ in range(50):
        setbacks = setbacks.after(Outcome("failed", message="the disk is full"))
    assert setbacks.retry_s() == 30.0
    assert not setbacks.is_hopeless
    assert setbacks.after(Outcome("done")) == Setbacks()
