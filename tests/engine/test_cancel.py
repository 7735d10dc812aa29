"""A question can be taken back at any step, and never waits for somebody who writes the index."""

import threading

import apsw
import pytest

from helix_core.engine import Helix
from helix_core.engine.verdict.observe import BEING_WRITTEN, Observer
from helix_core.errors import Cancelled
from helix_core.store.index import open_index
from tests.engine.conftest import config_in
from tests.engine.repository import write

COOKIE = "where is the session cookie signed?"
BOTH = "sign_cookie and verify_cookie"


class After:
    """Says that the question is taken back when it is asked for the n-th time."""

    def __init__(self, steps):
        self.left = steps

    def __call__(self):
        self.left -= 1
        return self.left < 0


@pytest.fixture
def hasty(helix, repository, tmp_path):
    """An engine beside the one that indexed, that waits for nobody."""
    with Helix.open(repository, config=config_in(tmp_path, repository), write_wait_ms=20) as engine:
        yield engine


@pytest.fixture
def writing(helix):
    """Somebody holds the index's write lock as long as the test runs."""
    other = apsw.Connection(str(helix.index_path))
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


def changed(repository):
    path = repository / "app/sessions.py"
    path.write_text("# one more line\n" + path.read_text().replace('payload + "."', 'payload + "|"'))


def reasons(packet):
    groups = ("verified", "stale_risk", "needs_refresh")
    return {item["symbol"]: item["reason"] for group in groups for item in packet[group]}


def counted(ask):
    """How often an answer asks whether it is still wanted."""
    steps = After(10**6)
    ask(steps)
    return 10**6 - steps.left


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["packet", "search"])
def test_taken_back_at_any_step_nothing_is_left_half_done(verb, helix, repository):
    def ask(cancelled):
        return getattr(helix, verb)(BOTH, cancelled=cancelled)

    total = counted(ask)
    assert total >= 10
    for steps in range(total):
        changed(repository)
        with pytest.raises(Cancelled):
            ask(After(steps))
    assert ask(After(10 * total))
    with open_index(helix.index_path) as index:
        assert index.damage() == ""
    helix.refresh()
    before = helix.digest()
    helix.rebuild()
    assert helix.digest() == before


def test_the_answer_after_one_that_was_taken_back_is_whole(helix):
    whole = reasons(helix.packet(COOKIE))
    with pytest.raises(Cancelled):
        helix.packet(COOKIE, cancelled=After(5))
    assert reasons(helix.packet(COOKIE)) == whole


def test_it_is_taken_back_from_another_thread(helix):
    gone = threading.Event()
    asked = threading.Event()

    def cancelled():
        asked.set()
        gone.wait(60)
        return True

    threading.Thread(target=lambda: (asked.wait(60), gone.set())).start()
    with pytest.raises(Cancelled):
        helix.packet(COOKIE, cancelled=cancelled)


def test_while_somebody_writes_the_answer_is_true_and_not_alarming(hasty, repository, writing):
    changed(repository)
    packet = hasty.packet(BOTH)
    assert reasons(packet)["verify_cookie"] == "moved"
    assert reasons(packet)["sign_cookie"] == "changed"
    assert packet["notes"] == [BEING_WRITTEN]


def test_while_somebody_writes_nothing_is_waited_for_more_than_once(helix, hasty, repository, monkeypatch):
    write(repository, {f"many/handler_{n}.py": f"def handle_{n}(cookie):\n    return cookie\n" for n in range(12)})
    helix.refresh()
    for n in range(12):
        (repository / f"many/handler_{n}.py").unlink()

    waits = []
    written = Observer._written

    def counted(self, writer, write):
        waits.append(write)
        return written(self, writer, write)

    monkeypatch.setattr(Observer, "_written", counted)
    other = apsw.Connection(str(helix.index_path))
    other.execute("BEGIN IMMEDIATE")
    packet = hasty.packet("handle cookie handler", k=12)
    other.execute("ROLLBACK")
    other.close()
    assert len([item for item in packet["needs_refresh"] if item["reason"] == "gone"]) >= 2
    # Twelve files are gone, and each would be a wait of its own.
    assert len(waits) == 1


def test_once_nobody_writes_the_next_question_mends_again(helix, hasty, repository):
    other = apsw.Connection(str(helix.index_path))
    other.execute("BEGIN IMMEDIATE")
    changed(repository)
    assert reasons(hasty.packet(BOTH))["sign_cookie"] == "changed"
    other.execute("ROLLBACK")
    other.close()
    assert reasons(hasty.packet(BOTH))["sign_cookie"] == "reingested"


@pytest.mark.slow
def test_many_questions_beside_a_writer_are_all_answered(helix, hasty, repository):
    """A whole rebuild in another thread, again and again, while questions go on."""
    stop = threading.Event()

    def rebuild(config):
        with Helix.open(repository, config=config) as engine:
            while not stop.is_set():
                engine.rebuild()

    thread = threading.Thread(target=rebuild, args=(hasty.session.config,))
    thread.start()
    try:
        for _ in range(60):
            assert hasty.packet(COOKIE)["schema"] == "helix.packet/1"
    finally:
        stop.set()
        thread.join(60)


def test_an_index_taken_away_is_not_built_by_who_must_not_wait(helix, hasty, repository):
    helix.close()
    hasty.index_path.unlink()
    packet = hasty.packet(COOKIE)
    assert packet["known_empty"] is False and packet["verified"] == [], "nobody knows yet what is here"
    assert any("only just been begun" in note for note in packet["notes"])
    assert hasty.is_indexed() is False
    hasty.refresh()
    assert hasty.packet(COOKIE)["verified"]


def test_a_file_seen_gone_and_put_back_is_known_again_when_its_path_is_heard_of(helix, repository):
    path = repository / "app/sessions.py"
    text = path.read_text()
    path.unlink()
    assert reasons(helix.packet(COOKIE))["sign_cookie"] == "gone"
    path.write_text(text)
    assert "sign_cookie" not in reasons(helix.packet(COOKIE))
    report = helix.refresh_paths([b"app/sessions.py"])
    assert (report.reactivated, report.parsed) == (1, 0)
    assert reasons(helix.packet(COOKIE))["sign_cookie"] == "unchanged"
