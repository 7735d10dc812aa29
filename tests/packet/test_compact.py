"""What an agent reads as text: places, what is known of them, and lines."""

from helix_core.packet import search_text


def test_a_search_calls_no_place_verified():
    item = {"source_id": "a.py", "start_line": 1, "end_line": 9, "symbol": "weigh"}
    answer = {"items": [item], "confidence": 0.7, "known_empty": False, "nearest": [], "notes": []}
    assert search_text(answer) == "a.py:1-9 weigh\nconfidence 0.70; lines as indexed"
    assert search_text(answer | {"items": []}) == "confidence 0.70"
