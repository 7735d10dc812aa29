"""What a packet costs: a budget is held, whatever is asked, and what was left out for it is said."""

import json
import shutil
from pathlib import Path

import pytest

import helix_core
from helix_core.engine import Helix
from helix_core.engine.answer import ContextRequest
from helix_core.engine.answer.window import SPARE_PLACES
from helix_core.engine.verdict.weigher import Weigher
from helix_core.errors import UsageError
from helix_core.packet import LEAST_TOKENS, estimated_tokens
from helix_core.tokens import estimate
from tests.engine.repository import begin, write

LONG = "def weigh(box):\n" + "\n".join(f"    total += box.part_{n}.weight" for n in range(30))
GROUPS = ("verified", "stale_risk", "needs_refresh")
BRIEF = {
    *("gene_id", "source_id", "symbol", "start_line", "end_line", "content_hash"),
    *("status", "reason", "quote"),
}


def items(packet):
    shown = [item for group in GROUPS for item in packet[group]]
    return sorted(shown, key=lambda item: -item.get("relevance_score", 0))


@pytest.mark.parametrize("most", [LEAST_TOKENS, 350, 500, 1000, 2400])
def test_a_packet_costs_what_it_may_and_says_what_it_left_out(helix, repository, most):
    write(repository, {f"app/pot_{n}.py": LONG.replace("weigh", f"weigh_box_{n}") + "\n" for n in range(12)})
    helix.refresh()
    packet = helix.packet("how is a box weighed, part by part?", k=12, max_tokens=most)
    assert estimated_tokens(packet) <= most
    assert packet["accounting"]["tokens"] <= most
    shown = items(packet)
    assert shown
    assert packet["accounting"]["returned"] + packet["accounting"]["left_out"] == 12
    assert len(shown) == packet["accounting"]["returned"]
    for item in shown:
        assert BRIEF <= item.keys() <= BRIEF | {"detail", "buffer", "related"}
        lines = (repository / item["source_id"]).read_text().splitlines()
        assert "\n".join(lines[item["start_line"] - 1 :]).startswith(item["quote"])
    if most == 2400:
        assert len(shown) == 12
        assert shown[0]["quote"].count("\n") > 3


def test_what_is_not_here_is_said_within_the_budget_too(helix, repository):
    write(repository, {f"app/pot_{n}.py": LONG.replace("weigh", f"weigh_box_{n}") + "\n" for n in range(12)})
    helix.refresh()
    question = "which kubernetes operator renews the tls certificate lease?"
    assert helix.packet(question)["known_empty"]
    packet = helix.packet(question, max_tokens=400)
    assert packet["known_empty"]
    assert len(items(packet)) == 1
    assert packet["accounting"]["tokens"] <= 400


def test_a_question_of_a_megabyte_costs_no_more_than_it_may(helix):
    packet = helix.packet("session cookie " * 70_000, max_tokens=600)
    assert packet["accounting"]["tokens"] <= 600
    assert items(packet)


def test_tasks_that_want_the_very_words_have_every_quote_whole(helix, repository):
    write(repository, {f"app/pot_{n}.py": LONG.replace("weigh", f"weigh_box_{n}") + "\n" for n in range(3)})
    helix.refresh()
    edited = items(helix.packet("weigh box parts", task="edit", k=3))
    assert all(item["quote"].count("\n") == item["end_line"] - item["start_line"] for item in edited)
    explained = items(helix.packet("weigh box parts", k=3))
    assert [len(item["quote"].split("\n")) for item in explained[1:]] == [1, 1]
    whole = items(helix.packet("weigh box parts", k=3, quotes="whole"))
    assert all(item["quote"].count("\n") >= 15 for item in whole)
    assert [item["gene_id"] for item in whole] == [item["gene_id"] for item in explained]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("\N{FOX FACE}" * 200, "app/pot.py"),
        ("how is a box weighed, part by part? " * 6, "/".join(["a_folder_of_many"] * 6) + "/weigh_box.py"),
        ("how is a box weighed?", "/".join(["a_folder_of_so_many_words"] * 30) + "/weigh_box.py"),
    ],
)
def test_the_least_budget_holds_whatever_is_asked_and_however_long_a_path_is(helix, repository, question, path):
    write(repository, {path: LONG + "\n", "app/other_box.py": LONG.replace("weigh", "carry") + "\n"})
    helix.refresh()
    packet = helix.packet(question, max_tokens=LEAST_TOKENS, as_text=True)
    text, _ = packet.pop("text"), packet.pop("text_items")
    assert estimated_tokens(packet) <= LEAST_TOKENS
    assert estimate(text) <= LEAST_TOKENS
    # A place whose path alone is over the budget gives way to one that fits.
    assert bool(items(packet)) is not (packet["known_empty"] or "unsearched" in packet)


QUESTIONS = (
    "how is a packet fitted to its budget?",
    "estimate tokens without a tokenizer",
    "where are contradictions between sources found?",
    "fitted",
    "why does a document become stale when the code that it describes has been changed since it was last committed?",
    "how do several rankers become one list of places, and which of them may be left out of it?",
    "which kubernetes operator renews the tls certificate lease?",
    "где считаются токены пакета?",
    "在哪里估计数据包的标记数量？",
    "Traceback (most recent call last): File \"wire.py\", line 92, in packet: KeyError: 'status'",
)


# The largest room is taken in by workers.
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("room", ["packet", "search", "engine/verdict"])
def test_by_the_tables_of_openai_no_packet_is_over_any_budget_that_is_accepted(repository, open_helix, room):
    tables = pytest.importorskip("bpe_openai", reason="the tokenizers' tables are not installed")
    encodings = [tables.get_encoding(name) for name in ("cl100k_base", "o200k_base")]

    def tokens(text):
        return max(len(encoding.encode(text)) for encoding in encodings)

    shutil.copytree(Path(helix_core.__file__).parent / room, repository / room)
    helix = open_helix(repository)
    helix.refresh()
    over, packets = [], 0
    for question in QUESTIONS:
        for most in (LEAST_TOKENS, LEAST_TOKENS + 20, 350, 400, 600, 1000, 3000):
            packet = helix.packet(question, max_tokens=most, as_text=True)
            text, _ = packet.pop("text"), packet.pop("text_items")
            made = json.dumps(packet, ensure_ascii=False, separators=(",", ":"))
            packets += 1
            over += [(question, most, count) for count in (tokens(made), tokens(text)) if count > most]
            assert items(packet) or not packet["accounting"]["left_out"], (question, most)
    assert (packets, over) == (70, [])


@pytest.mark.parametrize(
    ("call", "word"),
    [
        ({"max_tokens": LEAST_TOKENS - 1}, "it must be from 300"),
        ({"max_tokens": 10}, "max_tokens is 10"),
        ({"quotes": "some"}, "chosen, whole"),
    ],
)
def test_a_wrong_budget_is_refused_with_what_would_be_right(helix, call, word):
    with pytest.raises(UsageError, match=word):
        helix.packet("sessions", **call)


def test_a_window_reads_no_more_places_than_it_can_show_and_accounts_for_all(tmp_path, monkeypatch):
    part = "def part{0}(cookie):\n    # Signs no cookie.\n    return cookie\n\n\n" + "#\n" * 40
    files = {f"app/part{one}.py": "\n".join(part.format(f"{one}_{at}") for at in range(8)) for one in range(5)}
    files |= {"app/signing.py": 'def sign_cookie(cookie):\n    """Sign a cookie."""\n    return cookie + "."\n'}
    weighed = []

    def counted(weigher, ranked, *rest):
        weighed.append(len(ranked))
        return weigh(weigher, ranked, *rest)

    weigh = Weigher.weigh
    monkeypatch.setattr(Weigher, "weigh", counted)
    with Helix.open(begin(tmp_path / "app", files)) as helix:
        helix.refresh()
        clear = helix.context("how is a cookie signed?", ContextRequest(budget_tokens=3_000))
        absent = helix.context("where is the zebra of a quokka?", ContextRequest(budget_tokens=3_000))
    assert clear["budget_tier"] == "tight" and weighed[0] == 2 * 3 + SPARE_PLACES
    assert len(clear["blocks"]) + len(clear["left_out"]) > weighed[0]
    assert absent["known_empty"] and absent["left_out"] == [] and weighed[1] <= SPARE_PLACES
