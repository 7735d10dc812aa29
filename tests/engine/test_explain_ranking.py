"""How an answer came about is worked out only when it is asked for, and agrees with the answer."""

import pytest

from helix_core.engine.answer import explain_ranking as words
from helix_core.errors import UsageError
from helix_core.memory.notes import NoteInput
from helix_core.model import NOTE_SCHEME, Hints
from helix_core.search import confidence
from helix_core.search.rankers import RANKERS
from helix_core.search.second_stage import FEATURES
from helix_ls.cli.render.search import draw

QUESTION = "how is a session cookie signed?"
GROUPS = ("verified", "stale_risk", "needs_refresh")


def shown(packet):
    items = [item for group in GROUPS for item in packet[group]]
    return sorted(items, key=lambda item: -item["relevance_score"])


def place(item):
    return item["gene_id"], item["source_id"], item["start_line"], item["end_line"]


def test_a_packet_is_explained_item_by_item(helix):
    packet = helix.packet(QUESTION)
    told = helix.explain_answer(QUESTION)
    assert (told["schema"], told["query"], told["task_type"]) == ("helix.explain/1", QUESTION, "explain")
    assert {place(item) for item in told["items"]} == {place(item) for item in shown(packet)}
    assert [item["score"] for item in told["items"]] == [item["relevance_score"] for item in shown(packet)]
    assert told["confidence"] == packet["coordinate_confidence"]
    assert told["rankers"] == packet["accounting"]["signals"]
    for item in told["items"]:
        assert sum(signal["share"] for signal in item["signals"]) == pytest.approx(1.0, abs=0.01)


def test_an_explained_search_is_the_search_with_more_beside_it(helix):
    plain, told = helix.search(QUESTION), helix.explain_search(QUESTION)
    more = {key: value for key, value in told.items() if key not in plain}
    assert more.keys() == {"lists", "weights", "vectors", "certainty"}
    assert [{**item, "place": ()} for item in told["items"]] == [{**item, "place": ()} for item in plain["items"]]


def test_every_ranker_is_named_with_its_list_or_with_what_kept_it_silent(helix):
    told = helix.explain_search(QUESTION)
    for name, state in told["rankers"].items():
        assert bool(told["lists"][name]) == (state == "used")
        assert (name in told["weights"]) == (state == "used")
    for name, entries in told["lists"].items():
        assert len(entries) <= told["weights"].get(name, {"files": 0})["files"]
        assert all(entry["part"] <= told["weights"][name]["weight"] for entry in entries)


def test_a_files_parts_add_up_to_its_shares(helix):
    told = helix.explain_search(QUESTION)
    first = told["items"][0]["source_id"]
    parts = {name: entry for name, own in told["lists"].items() for entry in own if entry["source_id"] == first}
    total = sum(entry["part"] for entry in parts.values())
    for entry in parts.values():
        assert entry["share"] == pytest.approx(entry["part"] / total, abs=0.001)


def test_the_confidence_is_told_in_its_two_parts_and_their_signs(helix):
    told = helix.explain_search(QUESTION)
    sure = told["certainty"]
    curve = confidence.calibrated(sure["presence"] * sure["place"], confidence.CALIBRATION)
    assert told["confidence"] == pytest.approx(curve, abs=0.002)
    assert {sign["sign"] for sign in sure["presence_signs"]} == set(confidence.PRESENCE_SIGNS)
    assert {sign["sign"] for sign in sure["place_signs"]} == set(confidence.PLACE_SIGNS)
    for sign in (*sure["presence_signs"], *sure["place_signs"]):
        assert (sign["effect"] <= 0) == (sign["sign"] in confidence.AGAINST) or not (sign["value"] and sign["effect"])
    absent = helix.explain_search("zebra quokka platypus")
    assert absent["known_empty"]
    assert absent["certainty"]["presence"] < absent["certainty"]["floor"]


def test_the_lines_of_a_place_are_told_by_their_signs_the_weightiest_first(helix):
    told = helix.explain_search("sign_cookie payload signature")
    signs = told["items"][0]["place"]
    assert [abs(sign["effect"]) for sign in signs] == sorted((abs(sign["effect"]) for sign in signs), reverse=True)
    assert all(sign["says"] for sign in signs)
    assert {"text", "name"} & {sign["sign"] for sign in signs[:6]}


def test_the_vectors_that_served_are_named(helix):
    told = helix.explain_search(QUESTION)
    assert told["vectors"] == {"model": "static", "levels": ["chunk", "outline"], "unready": []}


def test_what_was_open_counts_only_for_a_question_asked_with_it(helix):
    cold = helix.explain_answer(QUESTION)
    warm = helix.explain_answer(QUESTION, hints=Hints(open_paths=(b"app/sessions.py",)))
    assert not any("open x1.15" in item.get("priors", ()) for item in cold["items"])
    assert any("open x1.15" in item["priors"] for item in warm["items"] if item["source_id"] == "app/sessions.py")


def test_every_ranker_and_every_sign_has_words_for_people():
    assert set(RANKERS) == words.RANKERS.keys()
    assert {*confidence.PRESENCE_SIGNS, *confidence.PLACE_SIGNS} == words.SIGNS.keys()
    assert set(FEATURES) == words.PLACE_SIGNS.keys()
    assert words.PLACE_SIGNS_ABSENT.keys() <= words.PLACE_SIGNS.keys()


def test_a_note_is_explained_beside_the_files_and_is_in_no_list(helix, capsys):
    helix.memory.ingest(NoteInput("We sign the session cookie with the oldest key."))
    asked = "sign the session cookie with the oldest key"
    told = helix.explain_search(asked)
    notes = [item for item in told["items"] if item["source_id"].startswith(NOTE_SCHEME)]
    assert [signal["ranker"] for item in notes for signal in item["signals"]] == ["notes"]
    assert (told["rankers"]["notes"], told["lists"]["notes"]) == ("used", [])
    assert place(notes[0] | {"gene_id": ""}) in {
        place(item | {"gene_id": ""}) for item in helix.explain_answer(asked)["items"]
    }
    draw(told, helix.workspace)
    shown = capsys.readouterr().out
    assert "notes #1 100%" in shown
    assert "notes used" not in shown


def test_a_bad_question_is_refused_as_a_packet_refuses_it(helix):
    with pytest.raises(UsageError, match="empty"):
        helix.explain_answer("  ")
    with pytest.raises(UsageError, match="task"):
        helix.explain_answer(QUESTION, task="sing")
    with pytest.raises(UsageError, match="k is 0"):
        helix.explain_search(QUESTION, k=0)


def test_an_empty_folder_is_explained_without_a_word(tmp_path, open_helix):
    (tmp_path / "bare").mkdir()
    helix = open_helix(tmp_path / "bare")
    helix.refresh()
    told = helix.explain_answer(QUESTION)
    assert (told["items"], told["weights"], told["known_empty"]) == ([], {}, True)
