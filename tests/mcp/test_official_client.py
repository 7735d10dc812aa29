"""The official SDK's client on the real process, in both eras of the protocol; its roots, and its way to cancel."""

import asyncio
import json

import pytest

from helix_core.packet import LEAST_TOKENS, estimated_tokens
from helix_core.tokens import estimate
from tests.mcp.agent import MODERN, official
from tests.mcp.conftest import repository


def said_by(result):
    [text] = result.content
    return text.text


with_deprecated_roots = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "version"), [("auto", MODERN), ("legacy", "2025-11-25")])
def test_a_conversation(environ, project, mode, version):
    async def talk():
        async with official(environ, project, mode=mode) as client:
            assert client.protocol_version == version
            assert client.server_info.name == "helix"
            assert "helix_open" in [tool.name for tool in (await client.list_tools()).tools]
            packet = await client.call_tool("helix_context_packet", {"question": "sign_cookie", "max_items": 2})
            assert said_by(packet).startswith("confidence ")
            assert packet.structured_content["verified"]
            window = await client.call_tool("helix_context", {"question": "sign_cookie"})
            assert window.structured_content["text"] == said_by(window)
            wrong = await client.call_tool("helix_search", {"question": ""})
            assert wrong.is_error is True
            assert "the question is empty" in said_by(wrong)
            await asyncio.gather(*(client.call_tool("helix_search", {"question": f"cookie {n}"}) for n in range(20)))
            [read] = (await client.read_resource("helix://packets/1")).contents
            assert json.loads(read.text) == packet.structured_content
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.call_tool("helix_context_packet", {"question": "routes"}), 0.0001)
            assert not (await client.call_tool("helix_status")).is_error

    asyncio.run(talk())


@with_deprecated_roots
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_folder_is_the_one_the_client_offers(environ, project, tmp_path, mode):
    from mcp import types

    other = repository(tmp_path / "other place", {"tea.py": "def brew_tea():\n    pass\n"})
    asked, offered = [], ["file:///nowhere/at/all", "file:///", other.as_uri()]

    async def roots(context):
        asked.append(context)
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in offered])

    async def talk():
        async with official(environ, project, mode=mode, list_roots_callback=roots) as client:
            answer = (await client.call_tool("helix_context_packet", {"question": "brew_tea"})).structured_content
            assert answer["workspace"] == "other place"
            assert answer["verified"][0]["source_id"] == "tea.py"
            await client.call_tool("helix_status")
            assert "notes" in answer
            assert not any("workspace chooses" in note for note in answer["notes"])
            assert len(asked) == 1
            offered.insert(0, project.as_uri())
            # Packets stay those of the folder they are of.
            if mode == "legacy":
                await client.session.send_roots_list_changed()
                assert (await client.call_tool("helix_status")).structured_content["workspace"] == "project"
                assert len(asked) == 2
                both = (await client.call_tool("helix_context_packet", {"question": "brew_tea"})).structured_content
                assert both["known_empty"] is True
                assert "this is about project only; workspace chooses another: other place" in both["notes"]
                # The note is within a budget, and gives way where a place needs the room.
                for most, is_noted in ((LEAST_TOKENS, False), (500, True)):
                    asking = {"question": "sign_cookie", "max_tokens": most}
                    bounded = await client.call_tool("helix_context_packet", asking)
                    object_, text = bounded.structured_content, said_by(bounded)
                    assert any("workspace chooses" in note for note in object_["notes"]) is is_noted
                    assert ("workspace chooses" in text) is is_noted
                    assert estimated_tokens(object_) <= most and estimate(text) <= most
                    assert object_["accounting"]["returned"] > 0
                there = {"question": "brew_tea", "workspace": "other place"}
                assert (await client.call_tool("helix_context_packet", there)).structured_content["verified"]
            plan = await client.call_tool("helix_refresh_targets", {"packet_id": "1"})
            assert plan.structured_content["items"][0]["status"] == "verified"

    asyncio.run(talk())
