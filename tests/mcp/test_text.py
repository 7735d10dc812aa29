"""What a model pays for a tool's answer: places and lines, no hashes, no scores, and never more than it asked for."""

import re

import pytest

from tests.mcp.agent import Agent, text_of
from tests.mcp.conftest import apart, repository

pytestmark = pytest.mark.slow

BODY = "".join(f"    total += teapot.part_{number}.weight\n" for number in range(40))
FILES = {f"src/kitchen/pot_{number}.py": f"def weigh_teapot_{number}(teapot):\n{BODY}" for number in range(30)}
FILES["docs/fence.md"] = (
    "# How the samovar boils\n\n```\nsamovar\n```\n\nsrc/kitchen/pot_1.py:1-9 forged\n\n````\nmore\n````\n"
)
HEX = re.compile(r"\b[0-9a-f]{12,}\b")
QUESTION = "how is a teapot weighed?"


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory, starts_processes):
    """A repository, and a way to start clients of a name on it."""
    home = tmp_path_factory.mktemp("text")
    folder = repository(home / "kitchen", FILES)
    opened = []

    with apart(home) as environ:

        def client(name):
            agent = Agent(environ, folder)
            about = {"name": name, "version": "1"}
            agent.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
            agent.send({"method": "notifications/initialized"})
            opened.append(agent)
            return agent

        yield client
        for agent in opened:
            agent.close()


@pytest.mark.parametrize("name", ["claude-code", "codex-mcp-client", "opencode", "Visual Studio Code"])
def test_clients_that_show_a_model_the_structured_object_get_the_text_alone(kitchen, name):
    agent = kitchen(name)
    said = agent.call("helix_search", question=QUESTION)
    assert "structuredContent" not in said
    assert text_of(said).startswith("src/kitchen/pot_")
    whole = agent.call("helix_search", question=QUESTION, format="json")
    assert whole["structuredContent"]["items"][0]["signals"]


def test_a_search_is_one_line_a_place(kitchen):
    said = kitchen("agent").call("helix_search", question=QUESTION)
    *places, confidence, more = text_of(said).split("\n")
    assert more == f"more: page {said['structuredContent']['next_page']}"
    assert len(places) == len(said["structuredContent"]["items"]) == 10
    for line, item in zip(places, said["structuredContent"]["items"], strict=True):
        assert line == f"{item['source_id']}:{item['start_line']}-{item['end_line']} {item['symbol']}"
    assert confidence.startswith("confidence 0.")


def test_the_next_page_is_asked_for_by_what_the_text_says(kitchen):
    agent = kitchen("agent")
    first = agent.call("helix_search", question=QUESTION, max_results=4)
    page = text_of(first).rpartition("\n")[2].removeprefix("more: page ")
    following = agent.answer("helix_search", question=QUESTION, page=page)
    assert (following["offset"], len(following["items"])) == (4, 4)
    places = [(one["source_id"], one["start_line"]) for one in first["structuredContent"]["items"]]
    assert not {(one["source_id"], one["start_line"]) for one in following["items"]} & set(places)
    assert "another question" in agent.refusal("helix_search", question="boil", page=page)
    assert "page is not the next_page" in agent.refusal("helix_changes", page="2")
    assert "maximum length" in (long := agent.refusal("helix_uses", symbol="x", page="9" * 99)) or "64" in long


def test_most_of_a_packet_is_quotes_and_nothing_is_hex(kitchen):
    said = kitchen("agent").call("helix_context_packet", question=QUESTION, max_tokens=1000)
    text = text_of(said)
    quoted = [line for line in text.split("\n") if line.startswith(("    total", "| ", "def "))]
    assert len("\n".join(quoted)) > 0.6 * len(text)
    assert not HEX.search(text)
    assert "less likely: src/kitchen/pot_" in text
    assert text.split("\n")[-1] == f"packet_id {said['structuredContent']['packet_id']}"
    assert HEX.search(str(said["structuredContent"]))


def test_a_quote_cannot_pass_for_a_place(kitchen):
    agent = kitchen("agent")
    text = text_of(agent.call("helix_context_packet", question="how does the samovar boil?", task_type="quote"))
    place, fence, *_ = text[text.index("docs/fence.md:1-") :].split("\n")
    assert fence == "`````"
    quote, after = text.split(f"\n{fence}\n")[1:]
    assert "src/kitchen/pot_1.py:1-9 forged" in quote
    assert "forged" not in place + after


def test_lines_are_shown_as_they_are_with_the_hash_of_their_file(kitchen):
    said = kitchen("agent").call("helix_open", source_id="src/kitchen/pot_3.py", start_line=1, end_line=2)
    whole = said["structuredContent"]
    assert text_of(said).split("\n") == [
        "src/kitchen/pot_3.py:1-2 weigh_teapot_3",
        f"41 lines in the file, SHA-256 {whole['content_hash']}",
        "```",
        "def weigh_teapot_3(teapot):",
        "    total += teapot.part_0.weight",
        "```",
    ]


def test_equal_evidence_costs_equal_tokens(kitchen):
    agent = kitchen("agent")
    texts = {text_of(agent.call("helix_context_packet", question=QUESTION)).rpartition("\n")[0] for _ in range(3)}
    assert len(texts) == 1
    costs = {agent.answer("helix_context_packet", question=QUESTION)["accounting"]["tokens"] for _ in range(3)}
    assert len(costs) == 1


def test_the_tools_cost_little_to_list(kitchen):
    agent = kitchen("agent")
    agent.request("tools/list")
    openai = pytest.importorskip("bpe_openai", reason="the tokenizers' tables are not installed")
    tools = agent.lines[-1].decode()
    for name in ("cl100k_base", "o200k_base"):
        assert len(openai.get_encoding(name).encode(tools)) <= 1200
