"""No answer is longer than a model can use, and whatever was cut is said."""

import json

from helix_ls.mcp.outgoing import MOST_CHARACTERS, as_text, fitted
from tests.mcp.agent import text_of
from tests.mcp.conftest import repository


def test_answers_are_cut_to_size_and_say_so(start, tmp_path):
    body = "".join(f'    teapot_{n} = "a teapot of \\"porcelain\\" number {n}"\n' for n in range(70))
    files = {f"src/pot_{n}.py": f"def teapot_{n}():\n{body}" for n in range(60)}
    files["src/wide.txt"] = "teapot \u202e" * 4000 + "\n" + "x\n" * 5
    files["src/tall.txt"] = "\x01\u202e teapots\n" * 15000
    agent = start(repository(tmp_path / "project", files), "--profile", "full")
    agent.initialize()
    said = agent.call("helix_context_packet", question="teapot porcelain", max_items=50, task_type="edit")
    assert len(text_of(said)) <= MOST_CHARACTERS
    packet = said["structuredContent"]
    assert "cut to size" in packet["notes"][-1]
    kept = [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]
    assert len(kept) > 10
    for arguments in (
        {"source_id": "src/wide.txt"},
        {"source_id": "src/tall.txt", "end_line": 10_000_000},
        {"source_id": "src/pot_1.py", "end_line": 10_000_000},
    ):
        shown = agent.call("helix_open", **arguments)
        assert len(text_of(shown)) <= MOST_CHARACTERS
        assert shown["structuredContent"]["text"]
    assert shown["structuredContent"]["more"] is False
    tall = agent.answer("helix_open", source_id="src/tall.txt", end_line=10_000_000)
    assert tall["more"] is True
    assert tall["escaped"] is True
    following = agent.answer("helix_open", source_id="src/tall.txt", start_line=tall["end_line"] + 1)
    assert following["start_line"] == tall["end_line"] + 1
    window = agent.answer("helix_context", question="teapot porcelain", budget=20_000)
    assert window["tokens"] <= 20_000
    assert len(as_text(window)) <= MOST_CHARACTERS + 2 * len(window["text"])


def test_quotes_go_first_then_the_ends_of_the_longest_lists():
    items = [{"source_id": f"{n}.py", "quote": "q" * 100} for n in range(10)]
    answer = {"verified": items, "needs_refresh": [], "refresh_targets": [{"source_id": "a" * 50}] * 4, "notes": ["n"]}
    assert fitted(answer) is answer
    little = fitted(answer, len(json.dumps(answer)) - 250)
    assert [item["source_id"] for item in little["verified"]] == [item["source_id"] for item in items]
    assert [bool(item["quote"]) for item in little["verified"]] == [True] * 6 + [False] * 4 or little["verified"][0][
        "quote"
    ]
    assert little["verified"][-1]["quote"] == ""
    least = fitted(answer, 400)
    assert len(as_text(least)) <= 400
    assert least["refresh_targets"]
    assert items[0]["quote"]
