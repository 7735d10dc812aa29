"""What an agent reads as text: places, what is known of them, and lines; what all share is said once."""

import pytest

from helix_core.model import Contradiction, Found, Reason, SourcedClaim, Status, TaskType, Verdict
from helix_core.packet import PacketFacts, Spending, packet_text, search_text
from helix_core.tokens import estimate
from tests.packet.made import place

UNLOCATED = Verdict(Status.STALE_RISK, Reason.UNLOCATED)
BODY = "".join(f"    total += box.part_{number}.weight\n" for number in range(30))


def text_of(places, *, confidence=0.6, others=(), most=1000):
    found = Found(tuple(one.ranked for one in places), confidence, False, (), {}, 1, 1, len(places))
    spending = Spending(max_tokens=most, as_text=True, names_more=bool(others))
    facts = PacketFacts("how?", TaskType.EXPLAIN, "/w", "", found, (), 0.0, spending, others=others)
    return packet_text(places, (), facts).text


def judged(verdict, files="abcd"):
    return [place(f"{name}.py", quote=f"{name} = 1\n", name="")._replace(verdict=verdict) for name in files]


def test_the_status_that_all_places_share_is_said_once_and_its_reason_at_each():
    text = text_of(judged(UNLOCATED), confidence=0.2)
    first, *others = text.split("\n")
    assert first == "confidence 0.20; verified unless marked; unlocated: stale_risk"
    assert [line for line in others if line.endswith("[unlocated]")] == [
        f"{name}.py:1-2 [unlocated]" for name in "abcd"
    ]
    assert text.count("stale_risk") == 1


@pytest.mark.parametrize(
    "places",
    [
        judged(UNLOCATED, "ab"),
        [*judged(UNLOCATED, "abc"), *judged(Verdict(Status.VERIFIED, Reason.UNCHANGED), "d")],
        [*judged(UNLOCATED, "abc"), *judged(Verdict(Status.NEEDS_REFRESH, Reason.UNLOCATED), "d")],
        [*judged(UNLOCATED, "abc"), *judged(UNLOCATED._replace(detail="Old -> New"), "d")],
    ],
    ids=["two", "one verified", "one of another status", "one with a detail"],
)
def test_places_that_do_not_share_their_verdict_are_marked_in_full(places):
    text = text_of(places)
    assert text.startswith("confidence 0.60; verified unless marked\n")
    assert text.count("[stale_risk: unlocated") == sum(one.verdict.status is Status.STALE_RISK for one in places)


def test_a_few_lines_are_quoted_after_bars_and_more_in_a_fence():
    short = place("a.py", quote="def weigh(\n    box,\n):\n")
    long = place("b.py", quote=f"def pack(box):\n{BODY}")
    lines = text_of([short, long]).split("\n")
    assert lines[1:5] == ["a.py:1-4", "| def weigh(", "|     box,", "| ):"]
    assert lines[5:8] == ["b.py:1-32", "```", "def pack(box):"]
    assert lines[-1] == "```"


def test_fewer_files_are_named_where_the_answer_is_very_likely_among_the_places():
    others = tuple(f"src/kitchen/pots/pot_{number}.py" for number in range(40))
    counts = []
    for confidence in (0.2, 0.79, 0.8, 0.95):
        text = text_of([place("a.py", quote=BODY, name="a")], confidence=confidence, others=others)
        (named,) = [line for line in text.split("\n") if line.startswith("less likely: ")]
        counts.append(len(named.split()) - 2)
        assert estimate(text) <= 1000
    assert counts[0] == counts[1] > 1.5 * counts[2] == 1.5 * counts[3] > 0


def test_a_search_calls_no_place_verified():
    item = {"source_id": "a.py", "start_line": 1, "end_line": 9, "symbol": "weigh"}
    answer = {"items": [item], "confidence": 0.7, "known_empty": False, "nearest": [], "notes": []}
    assert search_text(answer) == "a.py:1-9 weigh\nconfidence 0.70; lines as indexed"
    assert search_text(answer | {"items": []}) == "confidence 0.70"


def test_of_sources_that_contradict_each_other_the_fresher_is_named_or_it_is_said_that_nobody_knows():
    sides = [
        SourcedClaim(number, place(name).ranked.item.source, "CACHE_SECONDS", value, "int", 3)
        for number, (name, value) in enumerate((("a.py", "30"), ("a.md", "60")))
    ]
    pairs = [Contradiction("CACHE_SECONDS", *sides), Contradiction("CACHE_SECONDS", *sides, order_known=False)]
    found = Found((), 0.6, False, (), {}, 1, 1, 0)
    facts = PacketFacts("how?", TaskType.EXPLAIN, "/w", "", found, (), 0.0, Spending(max_tokens=1000, as_text=True))
    known, unknown = [line for line in packet_text([], pairs, facts).text.split("\n") if "contradiction" in line]
    assert "(fresher)" in known and "(order unknown)" in unknown and "fresher" not in unknown
