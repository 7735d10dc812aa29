"""The memory's contract for agents, asked by the official client: exact names, aliases, resources."""

import asyncio
import json

import pytest

from helix_core.memory.statements import without_own
from helix_core.packet import estimated_tokens
from helix_core.tokens import estimate
from helix_ls.mcp.text import rendered
from helix_ls.mcp.tools import FULL_TOOLS, WRITE_TOOLS, tools_of
from tests.fork_server import run_helix_as_text
from tests.mcp.agent import official, text_of
from tests.mcp.conftest import repository

CONTRACT = {
    "memory.search": {"query", "scope", "k", "types", "budget_tokens"},
    "memory.write": {"content", "type", "scope", "source"},
    "memory.note": {"text"},
    "memory.forget": {"id", "query"},
    "memory.list": {"scope", "types", "limit"},
    "memory.relate": {"from_id", "to_id", "relation"},
    "memory.context": {"scope", "budget_tokens"},
    "memory.get": {"id"},
    "memory.review": {"limit"},
}
FACTS = (
    ("The session cookie is signed with Ed25519", "decision", ()),
    ("I prefer tabs over spaces", "preference", ("--global",)),
    ("The session store is Redis on port 6390", "fact", ()),
)


@pytest.fixture
def environ(fresh_environ):
    """A memory, settings and a daemon of each test's own."""
    return fresh_environ


@pytest.fixture
def told(environ, tmp_path):
    """A project whose user remembers three facts; their ids."""
    folder = repository(tmp_path / "project")
    ids = []
    for text, kind, more in FACTS:
        ran = run_helix_as_text(["remember", text, "--kind", kind, *more, "--json"], env=environ, cwd=folder)
        ids.append(json.loads(ran.stdout)["items"][0]["id"])
    environ["HELIX_MCP_WRITE_TOOLS"] = "true"
    return folder, ids


def test_the_memory_profile_is_the_contract_and_its_other_verbs():
    tools = {one.name: one.input_schema() for one in tools_of("memory", writes=True)}
    for name, arguments in CONTRACT.items():
        assert arguments <= set(tools[name]["properties"]), name
    assert all(name.startswith("memory.") for name in tools)
    assert {one.name for one in tools_of("memory")} <= {one.name for one in FULL_TOOLS}
    assert not {one.name for one in tools_of("memory")} & {one.name for one in WRITE_TOOLS}
    names = [name for one in FULL_TOOLS + WRITE_TOOLS for name in one.names]
    assert len(set(names)) == len(names), "an alias is not another tool's name"


def test_the_contract_as_the_official_client_finds_it(environ, told):
    folder, (cookie, tabs, store) = told

    async def talk():
        async with official(environ, folder, "--profile", "memory", mode="auto") as client:
            tools = {one.name: one for one in (await client.list_tools()).tools}
            assert set(CONTRACT) <= set(tools)
            assert not [name for name in tools if "_" in name], "the underscore aliases are accepted, and not listed"
            writing = {name for name, one in tools.items() if not one.annotations.read_only_hint}
            assert {"memory.write", "memory.note", "memory.forget", "memory.relate"} <= writing
            assert [name for name in tools if tools[name].annotations.destructive_hint] == ["memory.forget"]

            async def ask(name, **arguments):
                said = await client.call_tool(name, arguments)
                assert not said.is_error, said.content
                return said.structured_content

            async def refused(name, **arguments):
                said = await client.call_tool(name, arguments)
                assert said.is_error
                return said.content[0].text

            async def found(**arguments):
                return [one["id"] for one in (await ask("memory.search", **arguments))["items"]]

            assert await found(query="how is the session cookie signed?", k=1) == [cookie]
            assert await found(query="tabs or spaces?") == [tabs]
            assert await found(query="tabs or spaces?", scope="workspace") == []
            assert await found(query="session store cookie", types="fact") == [store]
            assert await found(query="session store cookie", types=["decision", "preference"]) == [cookie]
            assert (await ask("memory_search", query="session cookie", k=1))["items"][0]["id"] == cookie

            listed = [one["id"] for one in (await ask("memory.list", type="decision", limit=5))["items"]]
            assert listed == [cookie]
            assert [one["id"] for one in (await ask("memory.list", scope="global"))["items"]] == [tabs]
            assert (await ask("memory_get", id=store))["items"][0]["text"] == FACTS[2][0]

            said = {"type": "convention", "source": "stand-up, 3 March", "valid_to": 4_102_444_800}
            (own,) = (await ask("memory.write", content="Deploys go out on Mondays", **said))["items"]
            assert (own["kind"], own["status"], own["valid_to"]) == ("convention", "quarantined", 4_102_444_800)
            waiting = (await ask("memory.review"))["items"]
            assert [(one["id"], one["why"]) for one in waiting] == [(own["id"], "proposed")]
            link = await ask("memory.relate", from_id=own["id"], to_id=cookie, relation="depends_on")
            assert link["link"] == {"relation": "depends_on", "from": own["id"], "to": cookie, "is_new": True}

            kept = await ask("memory.note", text="The quokka dashboard is at port 4711.")
            assert (kept["stored"], kept["count"]) == ("note", 1)

            everything = await ask("memory.context", budget_tokens=3000)
            assert [one["id"] for one in everything["items"]] == [cookie, tabs, store]
            assert [one["id"] for one in (await ask("memory_context", scope="global"))["items"]] == [tabs]

            candidates = (await ask("memory.forget", query="deploys on Mondays"))["candidates"]
            assert candidates == [], "what waits for review is not recalled, so a query does not find it"
            assert (await ask("memory.forget", id=own["id"]))["items"][0]["status"] == "forgotten"
            assert "give" in await refused("memory.forget")

            graph = json.loads((await client.read_resource("helix://graph")).contents[0].text)
            assert {one["id"] for one in graph["items"]} == {cookie, tabs, store}
            manifest = json.loads((await client.read_resource("helix://strand/manifest")).contents[0].text)
            assert manifest["memories"] == {"active": 3, "forgotten": 1}
            assert manifest["records"]["memory"] == 4 and len(manifest["root"]) == 64
            assert not [text for text, *_ in FACTS if text in json.dumps(manifest)]
            uris = {str(one.uri) for one in (await client.list_resources()).resources}
            assert {"helix://graph", "helix://strand/manifest"} <= uris

    asyncio.run(talk())


def test_a_search_within_a_budget_has_the_best_that_fit_and_counts_the_rest(start, environ, told):
    folder, _ = told
    agent = start(folder, "--profile", "full")
    agent.initialize()
    asked = "session cookie store signed Redis Ed25519 port"
    whole = agent.answer("memory.search", query=asked)
    assert (len(whole["items"]), whole["left_out"]) == (2, 0)
    size = estimated_tokens(whole)
    assert size > 300
    said = agent.call("memory.search", query=asked, budget_tokens=size - 20)
    bounded = said["structuredContent"]
    assert bounded["items"] == whole["items"][:1] and bounded["left_out"] == 1
    assert estimated_tokens(bounded) <= size - 20
    assert estimate(text_of(said)) < estimated_tokens(bounded)
    least = agent.answer("memory.search", query="session " * 400, max_tokens=200)
    assert estimated_tokens(least) <= 200
    assert "budget_tokens must be" in agent.refusal("memory.search", query="x", budget_tokens=10)


def test_what_is_remembered_is_a_line_a_memory_in_every_tool(start, told):
    folder, (cookie, tabs, store) = told
    agent = start(folder, "--profile", "full")
    agent.initialize()

    def lines(name, **asked):
        return text_of(agent.call(name, **asked)).split("\n")

    said = f'fact, by user: "{FACTS[2][0]}"'
    assert f"memory {store} [not compared] {said}" in lines("memory.list")
    assert lines("memory.get", id=store) == [f"memory {store} [asserted, nothing to check] {said}"]
    gathered = lines("memory.context")
    assert len(gathered) == 3 and f"memory {store} [asserted, nothing to check] {said}" in gathered
    assert lines("memory.review") == ["nothing waits for a decision"]
    (own,) = agent.answer("memory.write", content="The session store is Redis on port 6391", type="fact")["items"]
    proposed, waits, *beside = lines("memory.review")
    assert proposed.startswith(f"memory {own['id']} [") and "quarantined, fact, by agent" in proposed
    assert waits == "  waits: proposed"
    assert all(line.startswith(f"memory {store} [") for line in beside)
    related = agent.answer("memory.relate", from_id=own["id"], to_id=cookie, relation="depends_on")
    assert related["link"]["is_new"] and f"  {own['id']} depends_on {cookie}" in lines("memory.get", id=own["id"])
    whole = json.loads(text_of(agent.call("memory.get", id=tabs, format="json")))
    assert whole["items"][0]["id"] == tabs == agent.answer("memory.get", id=tabs)["items"][0]["id"]


def test_what_a_memory_cites_is_judged_and_quoted_in_its_text():
    cited = {"source_id": "a.py", "start_line": 1, "end_line": 1, "symbol": "", "status": "needs_refresh"}
    entry = {"id": "m_aaaaaaaa", "kind": "fact", "text": 'A is "1"', "status": "verified", "reason": "unchanged"}
    entry |= {"state": "active", "origin": "user", "confidence": 0.8, "detail": ""}
    evidence = [cited | {"reason": "changed"}, cited | {"status": "verified", "reason": "unchanged", "text": "A = 1\n"}]
    rests = [{"relation": "depends_on", "id": "m_bbbbbbbb", "text": "B", "state": "superseded"}]
    answer = {"schema": "helix.memoryContext/1", "items": [entry | {"evidence": evidence, "rests_on": rests}]}
    answer |= {"conflicts": [{"memories": [entry, entry | {"id": "m_cccccccc", "text": "A is 2"}]}]}
    text = rendered(answer | {"known_empty": False, "nearest": [], "left_out": 1, "notes": []})
    assert text.split("\n") == [
        'memory m_aaaaaaaa [verified] fact, by user, cites a.py:1-1 (needs_refresh: changed), a.py:1-1: "A is \\"1\\""',
        'memory m_bbbbbbbb [it rests on this, superseded]: "B"',
        "```",
        "A = 1",
        "```",
        'memory m_aaaaaaaa [contradicts the other, undecided]: "A is \\"1\\""',
        'memory m_cccccccc [contradicts the other, undecided]: "A is 2"',
        "1 memory left out for the budget",
    ]
    assert without_own(text).split("\n") == ["```", "A = 1", "```", "1 memory left out for the budget"]


def test_a_search_is_a_line_a_memory_and_json_where_that_is_asked(start, told):
    folder, (cookie, _, _) = told
    agent = start(folder, "--profile", "full")
    agent.initialize()
    asked = {"query": "how is the session cookie signed?", "k": 1}
    said = agent.call("memory.search", **asked)
    assert text_of(said) == f'memory {cookie} [asserted, nothing to check] decision, by user: "{FACTS[0][0]}"'
    whole = json.loads(text_of(agent.call("memory.search", **asked, format="json")))
    assert [one["id"] for one in whole["items"]] == [cookie]
