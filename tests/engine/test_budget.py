"""What a packet costs: a budget is held, whatever is asked, and what was left out for it is said."""

import pytest

from helix_core.errors import UsageError
from helix_core.packet import estimated_tokens
from tests.engine.repository import write

LONG = "def weigh(box):\n" + "\n".join(f"    total += box.part_{n}.weight" for n in range(30))
GROUPS = ("verified", "stale_risk", "needs_refresh")
BRIEF = {
    *("gene_id", "source_id", "symbol", "start_line", "end_line", "content_hash"),
    *("status", "reason", "quote"),
}


def items(packet):
    shown = [item for group in GROUPS for item in packet[group]]
    return sorted(shown, key=lambda item: -item.get("relevance_score", 0))


@pytest.mark.parametrize("most", [400, 500, 1000, 2400])
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
    ("call", "word"), [({"max_tokens": 10}, "max_tokens is 10"), ({"quotes": "some"}, "chosen, whole")]
)
def test_a_wrong_budget_is_refused_with_what_would_be_right(helix, call, word):
    with pytest.raises(UsageError, match=word):
        helix.packet("sessions", **call)
