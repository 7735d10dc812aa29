"""Budgets count work: a busy machine gives the answers of an idle one, and what runs out is named."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from helix_core.engine import Helix
from helix_core.engine.verdict.observe import OVER_BUDGET as LEFT_BEHIND
from helix_core.search.rankers import OVER_BUDGET
from helix_core.store import QueryBudgetError
from helix_core.store.lexical import WordQueries
from helix_core.store.sqlite_file import QuerySession
from helix_ls.cli.render.packet import printed
from helix_ls.cli.render.search import draw as draw_results
from helix_ls.mcp.text import rendered
from tests.engine.conftest import config_in
from tests.engine.repository import write

QUESTIONS = [
    "where is the session cookie signed?",
    "sign_cookie",
    "sesion cookie verifcation",
    "how long does a session live",
    "which test covers verify_cookie",
]
ASKING = """
import json, sys
from pathlib import Path
from helix_core.config import load_config
from helix_core.engine import Helix
folder, cache = Path(sys.argv[1]), sys.argv[2]
environ = {"HELIX_CACHE_DIR": cache, "HELIX_DATA_DIR": cache + "/data"}
config = load_config(folder, environ=environ, user=folder / "none.toml")
with Helix.open(folder, config=config) as helix:
    print("ready", flush=True)
    for _ in range(int(sys.argv[3])):
        for question in json.loads(sys.argv[4]):
            print(json.dumps(helix.packet(question)), flush=True)
"""


def timeless(answer):
    """The answer without its times, whose digits count among its tokens."""
    answer = json.loads(json.dumps(answer))
    answer["accounting"]["elapsed_ms"] = answer["accounting"]["tokens"] = 0
    for group in ("verified", "stale_risk", "needs_refresh"):
        for item in answer[group]:
            item["last_verified_at"] = 0
    return json.dumps(answer, sort_keys=True)


@pytest.fixture
def large(repository, open_helix, starts_processes):
    """Enough text that every full-text query is looked at while it runs."""
    line = "def sign_cookie_{n}(session, cookie):\n    return verify(session, cookie, {n})\n\n\n"
    write(repository, {f"app/many_{n}.py": "".join(line.format(n=k) for k in range(n, n + 60)) for n in range(60)})
    engine = open_helix(repository)
    engine.refresh()
    return engine


def stopped_now_and_then(process):
    """Take the processor away for longer than any budget, again and again, until the process ends."""
    while process.poll() is None:
        time.sleep(0.004)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.08)
        os.kill(process.pid, signal.SIGCONT)


def answers_of_a_process(folder, cache, *, is_stopped):
    """What a process of its own says to the questions, asked three times over."""
    arguments = [str(folder), str(cache), "3", json.dumps(QUESTIONS)]
    environ = os.environ | {"PYTHONHASHSEED": "0"}
    with subprocess.Popen([sys.executable, "-c", ASKING, *arguments], stdout=subprocess.PIPE, env=environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        stopping = threading.Thread(target=stopped_now_and_then, args=(process,))
        if is_stopped:
            stopping.start()
        answers = [timeless(json.loads(line)) for line in process.stdout]
        if is_stopped:
            stopping.join()
    assert len(answers) == 3 * len(QUESTIONS)
    return answers


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_process_that_is_stopped_for_longer_than_its_budgets_gives_the_same_answers(repository, tmp_path):
    calm = answers_of_a_process(repository, tmp_path / "cache", is_stopped=False)
    assert answers_of_a_process(repository, tmp_path / "cache", is_stopped=True) == calm


def test_a_clock_that_runs_away_changes_no_answer(large, monkeypatch):
    # A process that goes on asking keeps vectors in memory: from then on its scores have the same last digit.
    _, calm = ([timeless(large.packet(question)) for question in QUESTIONS] for _ in range(2))
    now = time.monotonic()

    def later():
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr(time, "monotonic", later)
    monkeypatch.setattr(time, "perf_counter", later)
    assert [timeless(large.packet(question)) for question in QUESTIONS] == calm


def lost(monkeypatch, *statements):
    """Let the queries that begin so run out of their budget."""
    bounded = QuerySession.bounded_rows

    def hurried(self, sql, *given):
        if any(statement in sql for statement in statements):
            raise QueryBudgetError
        return bounded(self, sql, *given)

    monkeypatch.setattr(QuerySession, "bounded_rows", hurried)


@pytest.mark.parametrize("statement", ["evidence(chunk_fts", "evidence(file_fts"])
def test_a_ranker_that_was_lost_is_named_and_makes_no_answer_surer(helix, monkeypatch, statement):
    whole = {question: helix.packet(question) for question in QUESTIONS}
    lost(monkeypatch, statement)
    for question, before in whole.items():
        packet = helix.packet(question)
        signals = packet["accounting"]["signals"]
        names = [name for name, state in signals.items() if state == OVER_BUDGET]
        assert names
        assert any(", ".join(names[:1]) in note and "confidence" in note for note in packet["notes"])
        assert packet["coordinate_confidence"] <= before["coordinate_confidence"]
        assert not packet["known_empty"]


def test_every_surface_says_what_ran_out(helix, monkeypatch):
    lost(monkeypatch, "evidence(chunk_fts")
    for answer in (
        helix.search(QUESTIONS[0]),
        helix.explain_search(QUESTIONS[0]),
        helix.explain_answer(QUESTIONS[0]),
        helix.context(QUESTIONS[0]),
    ):
        assert any("chunks" in note for note in answer["notes"])


def test_every_text_says_what_ran_out(helix, monkeypatch, capsys):
    lost(monkeypatch, "evidence(file_fts")
    question = "sign_cookie"
    packet, search = helix.packet(question, as_text=True), helix.search(question)
    (note,) = [note for note in packet["notes"] if "not everything was searched" in note]
    draw_results(search, helix.workspace)
    texts = {
        "a chat's window": helix.context(question)["text"],
        "an agent's packet": packet["text"],
        "an agent's search": rendered(search),
        "an agent's window": rendered(helix.context(question)),
        "a printed packet": printed(packet),
        "printed results": capsys.readouterr().out,
    }
    silent = [name for name, text in texts.items() if " ".join(note.split()) not in " ".join(text.split())]
    assert silent == []


def test_that_something_is_not_here_is_not_claimed_when_a_ranker_was_lost(helix, monkeypatch):
    absent = "kubernetes flamingo telemetry of the session gateway"
    assert helix.packet(absent)["known_empty"]
    lost(monkeypatch, "evidence(file_fts", "evidence(chunk_fts")
    packet = helix.packet(absent)
    assert not packet["known_empty"]
    assert packet["coordinate_confidence"] < 0.3
    assert packet["verified"] == []


def test_a_window_without_places_says_what_was_not_searched(helix, monkeypatch):
    absent = "kubernetes flamingo telemetry of the session gateway"
    assert helix.context(absent)["text"] == ""
    lost(monkeypatch, "evidence(file_fts", "evidence(chunk_fts")
    window = helix.context(absent)
    assert (window["blocks"], window["known_empty"]) == ([], False)
    assert "not everything was searched" in " ".join(window["text"].split())


def test_a_word_that_could_not_be_counted_is_no_error(helix, monkeypatch):
    def uncounted(self, token):
        raise QueryBudgetError

    monkeypatch.setattr(WordQueries, "_term_frequency", uncounted)
    for question in QUESTIONS:
        packet = helix.packet(question)
        assert packet["accounting"]["signals"]["words"] == OVER_BUDGET
        assert any("words" in note for note in packet["notes"])


AWKWARD = [
    "sign_cookieV2 in 681_test_sessions",
    "where is SignCookies handled?",
    "is `verfy_cookie` thread safe, and who calls it",
    "app/sesions.py:3",
    "kubernetes flamingo telemetry",
    "how does session.sign_cookie relate to match_route",
]
DRAFT = (
    "`sign_cookie` is in `app/sesions.py`, and `verify_cookeis()` calls `Session.verify_cookie` of app/session.py:5."
)


@pytest.mark.slow
@pytest.mark.parametrize("question", [QUESTIONS[0], *AWKWARD])
@pytest.mark.parametrize("is_first_alone", [True, False])
def test_no_query_that_runs_out_of_its_budget_is_an_error_of_the_question(helix, monkeypatch, question, is_first_alone):
    """Each bounded query of an answer runs out in turn: alone, or with all that come after it."""
    bounded = QuerySession.bounded_rows
    asked = hurried_from = 0

    def hurried(self, *given):
        nonlocal asked
        asked += 1
        if asked == hurried_from or (asked > hurried_from and not is_first_alone):
            raise QueryBudgetError
        return bounded(self, *given)

    helix.memory.remember("The session cookie is signed by sign_cookie of app/sessions.py.")
    asks = [helix.packet, helix.explain_search]
    if question == QUESTIONS[0]:
        asks += [helix.search, helix.context, lambda _: helix.check(DRAFT)]
    for ask in asks:
        hurried_from, asked = 10**6, 0
        with monkeypatch.context() as patch:
            patch.setattr(QuerySession, "bounded_rows", hurried)
            ask(question)
            for number in range(1, asked + 1):
                hurried_from, asked = number, 0
                ask(question)


def test_what_uses_a_name_is_no_error_when_it_takes_too_much_work(helix, monkeypatch):
    lost(monkeypatch, "ref_fts")
    item = helix.packet("sign_cookie")["verified"][0]
    answer = helix.memory.expand(source_id=item["source_id"], start_line=item["start_line"])
    assert any("who uses the name" in note for note in answer["notes"])


def test_changed_files_beyond_the_budget_are_named_by_their_bytes_and_not_by_the_clock(
    repository, tmp_path, monkeypatch
):
    (repository / "helix.toml").write_text("[packet]\nreingest_budget_ms = 2\n")
    text = "def sign_cookie_{n}(session):\n    return session\n" + "# a line of no meaning\n" * 150
    write(repository, {f"app/part_{n}.py": text.format(n=n) for n in range(4)})
    reasons = []
    for run, speed in enumerate((0.0, 1.0)):
        config = config_in(tmp_path, repository, f"cache{run}")
        with Helix.open(repository, config=config) as engine:
            write(repository, {f"app/part_{n}.py": text.format(n=n) for n in range(4)})
            engine.refresh()
            write(repository, {f"app/part_{n}.py": text.format(n=n) + "# more\n" for n in range(4)})
            now = time.monotonic()

            def clock(step=speed):
                nonlocal now
                now += step
                return now

            with monkeypatch.context() as patch:
                patch.setattr(time, "monotonic", clock)
                packet = engine.packet("sign_cookie part session", k=12)
        assert LEFT_BEHIND in packet["notes"]
        found = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
        reasons.append(sorted((item["source_id"], item["reason"]) for item in found))
    assert reasons[0] == reasons[1]
    assert "reingested" in {reason for _, reason in reasons[0]}
