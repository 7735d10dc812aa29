"""An agent that says what it will pay gets the best places for it, and a later call still knows them."""

import json

from helix_core.packet import estimated_tokens
from tests.mcp.agent import text_of
from tests.mcp.conftest import repository


def test_a_budget_is_held_and_its_items_can_be_judged_and_read_again(start, tmp_path):
    body = "".join(f"    total += teapot.part_{number}.weight\n" for number in range(40))
    files = {f"src/pot_{number}.py": f"def weigh_teapot_{number}(teapot):\n{body}" for number in range(15)}
    agent = start(repository(tmp_path / "project", files), "--profile", "full")
    agent.initialize()
    said = agent.call("helix_context_packet", question="how is a teapot weighed?", max_tokens=800)
    packet = said["structuredContent"]
    assert json.loads(text_of(said)) == packet
    assert estimated_tokens(packet) <= 820
    items = packet["verified"]
    assert 4 <= len(items) == packet["accounting"]["returned"] <= 12
    assert packet["accounting"]["left_out"] == 12 - len(items)
    assert all("uri" not in item and item["content_hash"] for item in items)
    judged = agent.answer("helix_refresh_targets", packet_id=packet["packet_id"])
    assert [one["status"] for one in judged["items"]] == ["verified"] * len(items)
    again = agent.answer("helix_gene_get", id=items[0]["gene_id"])
    assert again["text"].startswith(items[0]["quote"])
    assert "max_tokens must be" in agent.refusal("helix_context_packet", question="x", max_tokens=5)
