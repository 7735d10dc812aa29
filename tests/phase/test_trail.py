"""The trail's states are a pure function of its log, and what it finds, undoes and forgets is exact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.errors import TrailError
from helix_core.phase import MOST_EVENTS, Look, Trail, TrailItem, apply, code, invert, merged_log, similarity
from helix_core.phase import trail as trail_module
from helix_core.phase.trail import FLOOR, item_code

ITEMS = [TrailItem(f"src/{'abcdefgh'[number % 8]}/part{number}.py") for number in range(60)]


def walk(steps: int, seed: int = 0) -> Trail:
    """A trail of random looks at the items."""
    random = np.random.default_rng(seed)
    trail = Trail()
    for step in range(steps):
        trail.observe(ITEMS[random.integers(len(ITEMS))], float(step))
    return trail


@pytest.fixture(scope="module")
def long() -> Trail:
    return walk(MOST_EVENTS)


@pytest.mark.slow
def test_every_one_of_ten_thousand_steps_is_recalled_as_it_was_recorded() -> None:
    trail, recorded = Trail(), []
    random = np.random.default_rng(4)
    for step in range(MOST_EVENTS):
        look = trail.observe(ITEMS[random.integers(len(ITEMS))], float(step), span_hash=f"{step:x}")
        recorded.append((look, trail.recall_at(step).phases.tobytes()))
    for step, (look, phases) in enumerate(recorded):
        moment = trail.recall_at(step)
        assert (moment.look, moment.phases.tobytes()) == (look, phases)
    for outside in (-1, MOST_EVENTS):
        with pytest.raises(IndexError, match="not in the trail"):
            trail.recall_at(outside)


def test_a_recalled_moment_cannot_change_the_trail() -> None:
    trail = walk(3)
    before = trail.recall_at(1).phases.copy()
    trail.recall_at(1).phases[:] = 0
    assert (trail.recall_at(1).phases == before).all()


@pytest.mark.slow
def test_a_replay_of_the_log_gives_the_same_states_bit_for_bit(long: Trail) -> None:
    again = Trail(long.log)
    assert again.digest() == long.digest()
    assert again.phases().tobytes() == long.phases().tobytes()
    assert again.log == long.log


def test_the_states_of_a_fixed_log_are_those_of_the_repository() -> None:
    # Every version of Python and numpy, and every machine, has to agree on this.
    assert walk(300).digest() == "bc8ffce8c27995d380194bed8cd7fd3770df558eb62d4be5fba4a29bd5eda94c"


steps_of = st.lists(
    st.one_of(
        st.tuples(st.just("look"), st.integers(0, 20), st.integers(1, 8)),
        st.tuples(st.just("commit"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("rollback"), st.integers(0, 30), st.just(0)),
    ),
    max_size=120,
)


@settings(max_examples=60, deadline=None)
@given(steps_of)
def test_any_sequence_of_looks_commits_and_rollbacks_replays_to_the_same_states(
    steps: list[tuple[str, int, int]],
) -> None:
    trail = Trail()
    for at, (verb, number, weight) in enumerate(steps):
        if verb == "look":
            trail.observe(ITEMS[number], float(at), weight=weight)
        elif verb == "commit":
            trail.commit(f"label {number}", float(at))
        elif number < len(trail.versions):
            trail.rollback(number, float(at))
    again = Trail(trail.log)
    assert (again.head, again.digest()) == (trail.head, trail.digest())
    assert again.phases().tobytes() == trail.phases().tobytes()
    assert again.search(ITEMS[0]) == trail.search(ITEMS[0])


def test_a_rollback_restores_the_commit_bit_for_bit_and_goes_on_from_it() -> None:
    trail, other = walk(300), walk(300)
    version = trail.commit("before", 300.0)
    digest, found, prior = trail.digest(), trail.search(ITEMS[7]), trail.prior(ITEMS)
    state = trail.recall_at(trail.head).phases
    for step in range(100):
        trail.observe(ITEMS[step % 9], 301.0 + step)
    assert trail.digest() != digest
    trail.rollback(version.number, 500.0)
    assert trail.digest() == digest
    assert (trail.recall_at(trail.head).phases == state).all()
    assert (trail.search(ITEMS[7]), trail.prior(ITEMS)) == (found, prior)
    trail.observe(ITEMS[50], 501.0)
    other.observe(ITEMS[50], 501.0)
    assert trail.digest() == other.digest()
    assert trail.velocity() == other.velocity()
    assert len(trail.steps) == 401


def test_a_rollback_of_a_rollback_restores_the_later_head_and_keeps_flags() -> None:
    trail = walk(50)
    early = trail.commit("early", 50.0)
    for step in range(30):
        trail.observe(ITEMS[step], 51.0 + step)
    later, head = trail.digest(), trail.head
    back = trail.rollback(early.number, 90.0)
    trail.flag("never-index src/a")
    trail.observe(ITEMS[3], 91.0)
    trail.rollback(back.number, 92.0)
    assert (trail.head, trail.digest()) == (head, later)
    assert [version.undoes for version in trail.versions] == [None, early.number, back.number]
    assert "never-index src/a" in trail.flags


def test_a_version_that_is_not_there_is_refused() -> None:
    trail = walk(5)
    with pytest.raises(TrailError, match="Version 0 is not in the trail"):
        trail.rollback(0, 1.0)
    assert trail.versions == ()


def test_a_difference_names_items_and_can_be_undone() -> None:
    trail = Trail()
    for step, item in enumerate(ITEMS[:10]):
        trail.observe(item, float(step))
    before = trail.commit("before", 10.0)
    old = trail.recall_at(trail.head).phases
    for step, item in enumerate(ITEMS[20:52]):
        trail.observe(item, 11.0 + step)
    after = trail.commit("after", 50.0)
    new = trail.recall_at(trail.head).phases
    found = trail.diff(before.number, after.number)
    assert (set(found.gained), set(found.faded)) == (set(ITEMS[20:52]), set(ITEMS[:10]))
    assert (apply(old, found.turn) == new).all()
    assert (apply(new, invert(found.turn)) == old).all()


def test_a_flag_stays_set_and_there_is_no_way_to_clear_it() -> None:
    trail = walk(10)
    trail.flag("consent")
    trail.flag("consent")
    version = trail.commit("x", 10.0)
    trail.rollback(version.number, 11.0)
    assert trail.flags == {"consent"}
    assert Trail(trail.log).flags == {"consent"}
    assert merged_log(trail.log, walk(3, seed=1).log).flags == {"consent"}
    assert merged_log(walk(3, seed=1).log, trail.log).flags == {"consent"}
    assert [name for name in dir(Trail) if "unflag" in name or "clear" in name] == []
    with pytest.raises(AttributeError):
        trail.flags.discard("consent")  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="has a name"):
        trail.flag("")


def test_velocity_is_zero_on_repeats_and_jumps_on_what_is_new() -> None:
    trail = Trail()
    assert trail.velocity() == 0.0
    for step in range(20):
        trail.observe(ITEMS[0], float(step))
        assert trail.velocity() == 0.0
    trail.observe(TrailItem("docs/other.md"), 20.0)
    assert trail.velocity() > 0.15
    moved = []
    for step, item in enumerate(ITEMS * 3):
        trail.observe(item, 21.0 + step)
        moved.append(trail.velocity())
    assert all(0.0 <= one <= 1.0 for one in moved)


@pytest.mark.parametrize("period", [2, 3, 5, 16])
def test_a_cycle_is_found_with_its_period_whatever_came_before(period: int) -> None:
    trail = walk(40, seed=period)
    for step in range(period * 5):
        trail.observe(TrailItem(f"loop{step % period}/file{step % period}.py"), 100.0 + step)
    assert trail.loop() == period


@pytest.mark.slow
def test_a_random_walk_and_staying_at_one_place_are_no_loop() -> None:
    random = np.random.default_rng(2)
    trail, still = Trail(), Trail()
    for step in range(400):
        trail.observe(ITEMS[random.integers(12)], float(step))
        still.observe(ITEMS[0], float(step))
        assert trail.loop() is None
        assert still.loop() is None


@pytest.mark.slow
def test_an_item_is_found_within_two_steps_of_its_visit() -> None:
    near = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        visit = int(random.integers(20, 180))
        trail = Trail()
        for step in range(200):
            name = "the/visited.py" if step == visit else f"{random.integers(10**9)}/{random.integers(10**9)}.py"
            trail.observe(TrailItem(name), float(step))
        hits = trail.search(TrailItem("the/visited.py"), k=1)
        near += bool(hits) and abs(hits[0].step - visit) <= 2
    assert near == 100


def test_what_was_never_looked_at_is_not_found() -> None:
    trail = walk(500)
    assert trail.search(TrailItem("no/such.thing")) == ()
    assert Trail().search(ITEMS[0]) == ()
    assert Trail().resume() == ()


def test_hits_are_the_best_of_separate_visits_with_score_and_margin() -> None:
    trail = Trail()
    for visit in range(3):
        for step in range(30):
            trail.observe(TrailItem(f"one{step}/{visit}x{step}.py"), visit * 100.0 + step)
        for step in range(4):
            trail.observe(TrailItem("topic/file.py"), visit * 100.0 + 50 + step)
    hits = trail.search(TrailItem("topic/file.py"))
    assert len(hits) == 3
    assert all(hit.score >= FLOOR for hit in hits)
    assert all(one.score >= other.score for one, other in pairwise(hits))
    assert all(one.margin == pytest.approx(one.score - other.score) for one, other in pairwise(hits))
    assert hits[-1].margin == pytest.approx(hits[-1].score - FLOOR)
    moment = trail.recall_at(hits[0].step)
    assert trail.search(moment, 1)[0].score == pytest.approx(1, abs=1e-6)
    with pytest.raises(ValueError, match="256 phases"):
        trail.search(code("x", 64))


def test_an_earlier_visit_is_resumed_and_the_current_one_is_left_out() -> None:
    random = np.random.default_rng(9)
    trail = Trail()
    for topic in (0, 1, 2, 1):
        for _ in range(25):
            trail.observe(TrailItem(f"t{topic}/m{random.integers(6)}.py"), 0.0)
    hits = trail.resume()
    assert 25 <= hits[0].step < 60
    assert all(hit.step < 75 for hit in hits)


def test_a_prior_prefers_what_followed_before_and_what_is_frequent() -> None:
    trail = Trail()
    for step in range(60):
        trail.observe(ITEMS[step % 3], float(step))
    prior = trail.prior([*ITEMS[:3], ITEMS[9]])
    assert all(0.0 <= one <= 1.0 for one in prior.values())
    assert prior[ITEMS[0]] == max(prior.values())
    assert prior[ITEMS[9]] == 0.0


def test_items_of_one_file_one_folder_and_one_stem_are_near() -> None:
    here = item_code(TrailItem("app/cart.py", "Cart.total"))
    rows = [("app/cart.py", "Cart.add"), ("app/basket.py", ""), ("tests/test_cart.py", ""), ("docs/index.md", "")]
    same, folder, test, other = similarity(here, np.stack([item_code(TrailItem(*row)) for row in rows]))
    assert same > folder > other
    assert test > 0.1 > abs(other)


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> int:
    """A ring of a tenth of its steps, which is full in a tenth of the time."""
    assert (MOST_EVENTS, trail_module._DROPPED) == (10_000, 1_000)
    monkeypatch.setattr(trail_module, "MOST_EVENTS", 1_000)
    monkeypatch.setattr(trail_module, "_DROPPED", 100)
    return 1_000


@pytest.mark.slow
def test_the_ring_never_grows_past_its_limit_and_replays_to_the_same_states(ring: int) -> None:
    trail = walk(200)
    trail.commit("soon gone", 0.0)
    random = np.random.default_rng(6)
    most = 0
    for step in range(2 * ring + 500):
        trail.observe(ITEMS[random.integers(len(ITEMS))], float(step))
        most = max(most, len(trail.log.entries)) if step % 7 == 0 else most
    assert most <= ring
    assert trail.steps.stop == 2 * ring + 700
    assert len(trail.phases()) == len(trail.steps)
    again = Trail(trail.log)
    assert again.digest() == trail.digest()
    assert again.phases().tobytes() == trail.phases().tobytes()
    with pytest.raises(IndexError):
        trail.recall_at(0)
    with pytest.raises(TrailError):
        trail.rollback(0, 0.0)


def test_a_branch_whose_first_steps_left_the_ring_replays_too(ring: int) -> None:
    trail = walk(30)
    version = trail.commit("early", 0.0)
    for step in range(ring - 40):
        trail.observe(ITEMS[step % 50], float(step))
    trail.rollback(version.number, 1.0)
    for step in range(20):
        trail.observe(ITEMS[step % 7], float(step))
    assert trail.steps.start > version.head
    again = Trail(trail.log)
    assert (again.head, again.digest(), again.search(ITEMS[3])) == (trail.head, trail.digest(), trail.search(ITEMS[3]))
    assert again.phases().tobytes() == trail.phases().tobytes()


def test_a_path_that_may_not_be_recorded_never_enters_not_even_from_a_log() -> None:
    trail = walk(20)
    trail.observe(TrailItem(".env"), 20.0)
    trail.observe(ITEMS[1], 21.0)
    version = trail.commit("x", 22.0)

    def keeps(path: str) -> bool:
        return not path.startswith(".env")

    strict = Trail(trail.log, keeps)
    assert strict.observe(TrailItem(".env.local"), 23.0) is None
    assert [entry.path for entry in strict.log.entries if isinstance(entry, Look) and ".env" in entry.path] == []
    assert len(strict.steps) == 21
    strict.rollback(version.number, 24.0)
    assert Trail(strict.log).digest() == strict.digest()


def test_a_weight_or_a_name_out_of_bounds_is_refused() -> None:
    for weight in (0, 9):
        with pytest.raises(ValueError, match="a weight is"):
            Trail().observe(ITEMS[0], 0.0, weight=weight)
    with pytest.raises(ValueError, match="characters"):
        Trail().observe(TrailItem("x" * 1_025), 0.0)


def test_a_topic_is_seen_after_eight_looks_elsewhere_and_not_split_while_it_lasts() -> None:
    seen, whole = 0, 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        trail = Trail()
        for step in range(40):
            trail.observe(TrailItem(f"app/billing/{'abcde'[random.integers(5)]}.py"), float(step))
        whole += len(trail.stretch()) >= 30
        for step in range(40, 48):
            trail.observe(TrailItem(f"web/views/{'klmno'[random.integers(5)]}.ts"), float(step))
        seen += 38 <= trail.stretch()[0] <= 42
    assert whole >= 25 and seen >= 25, (whole, seen)
    assert Trail().stretch() == ()
