"""When a batch is due, with a clock of our own."""

from helix_core.workspace.watch import PendingChanges, Settled, settle


def test_a_single_save_is_due_after_thirty_milliseconds_of_quiet():
    assert settle(10.01, PendingChanges(10.0, 10.0)) == Settled(False, 10.0 + 0.03)
    assert settle(10.03, PendingChanges(10.0, 10.0)).is_due


def test_saves_that_never_pause_are_due_after_two_hundred_milliseconds():
    assert settle(10.19, PendingChanges(10.0, 10.18)) == Settled(False, 10.0 + 0.2)
    assert settle(10.2, PendingChanges(10.0, 10.19)).is_due


def test_while_git_moves_its_state_three_hundred_milliseconds_must_be_quiet():
    assert settle(11.0, PendingChanges(10.0, 10.99, git_at=10.9)) == Settled(False, 10.99 + 0.3)
    assert not settle(11.25, PendingChanges(10.0, 10.99, git_at=10.9)).is_due
    assert settle(11.3, PendingChanges(10.0, 10.99, git_at=10.9)).is_due


def test_while_git_holds_the_lock_it_is_asked_again_and_again():
    settled = settle(11.0, PendingChanges(10.0, 10.1, locked_at=9.9))
    assert not settled.is_due
    assert 11.0 < settled.at <= 11.2


def test_a_git_that_never_rests_is_interrupted_after_five_seconds():
    assert not settle(14.9, PendingChanges(10.0, 14.9, git_at=14.9)).is_due
    assert settle(15.0, PendingChanges(10.0, 14.99, git_at=14.99)).is_due
    assert settle(15.0, PendingChanges(10.0, 14.99, locked_at=10.5)).is_due


def test_a_lock_left_behind_by_a_dead_git_stops_counting():
    assert settle(20.1, PendingChanges(20.0, 20.0, locked_at=10.0)) == Settled(True, 20.0 + 0.03)


def test_git_that_rested_long_ago_does_not_slow_a_save():
    assert settle(20.04, PendingChanges(20.0, 20.0, git_at=19.0)).is_due
