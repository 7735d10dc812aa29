"""Prompts, resource templates, completion and progress, as the official client has them from a real server process."""

import asyncio
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from mcp import types
from mcp.shared.exceptions import MCPError

from helix_core.config import Config
from helix_core.engine import Helix
from tests.engine.repository import begin, git, write
from tests.mcp.agent import official

pytestmark = pytest.mark.process

KEY = "sk-live-" + "9f8e7d6c5b4a3f2e1d0c9b8a"
FILES = {
    "app/sessions.py": "def sign_cookie(secret_key, payload):\n    return payload + secret_key\n",
    "app/views.py": "from app.sessions import sign_cookie\n\n\ndef login(user):\n    return sign_cookie('k', user)\n",
    "app/settings.py": f'API_KEY = "{KEY}"\n',
    "odd name#1?.txt": "an odd name\n",
    ".gitignore": "private/\n",
    "private/notes.md": "nobody may read this\n",
}
PLACE = "helix://place/{+path}{?lines}"


@pytest.fixture
def shop(tmp_path):
    folder = begin(tmp_path / "shop", FILES)
    write(folder, {"app/sessions.py": FILES["app/sessions.py"].replace("payload)", "payload, salt)")})
    git(folder, "commit", "-qam", "Salt cookies")
    return folder


def talk(environ, folder, act, **more):
    async def run():
        async with official(environ, folder, **more) as client:
            return await act(client)

    return asyncio.run(run())


def text_of(prompt):
    [message] = prompt.messages
    assert message.role == "user"
    return message.content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_prompts_bring_their_evidence_with_its_marks(environ, shop, mode):
    async def act(client):
        listed = {one.name: one for one in (await client.list_prompts()).prompts}
        assert list(listed) == ["explain_symbol", "review_changes", "check_answer"]
        assert [(one.name, one.required) for one in listed["review_changes"].arguments] == [("since", False)]
        explained = text_of(await client.get_prompt("explain_symbol", {"symbol": "sign_cookie"}))
        assert "app/views.py:5" in explained and "return sign_cookie('k', user)" in explained
        assert explained.startswith("Explain what `sign_cookie` is for")
        review = text_of(await client.get_prompt("review_changes"))
        assert "signature: sign_cookie(secret_key, payload) -> sign_cookie(secret_key, payload, salt)" in review
        assert "app/views.py:5" in review
        wrong = "`sign_cookie` is called in `app/views.py:5` and in `app/views.py:50`."
        checked = text_of(await client.get_prompt("check_answer", {"answer": wrong}))
        found = checked.partition("1 of 3 references is wrong")[2]
        assert wrong in checked
        assert "line 1: " in found and "app/views.py:50" in found, checked
        for name, given, said in (
            ("explain_symbol", {}, "symbol is missing"),
            ("explain_symbol", {"symbol": "nobody_has_this_name"}, "no definition of"),
            ("explain_symbol", {"symbol": "sign_cookie", "path": "/etc"}, "there is no argument"),
            ("review_changes", {"since": "--output=/tmp/x"}, "no commit"),
            ("tell_secrets", {}, "the prompts are explain_symbol"),
        ):
            with pytest.raises(MCPError, match=said):
                await client.get_prompt(name, given)

    talk(environ, shop, act, mode=mode)


def test_places_are_resources_by_a_template_and_no_path_leads_out(environ, shop, tmp_path):
    (tmp_path / "outside.txt").write_text("out of the workspace\n")
    (shop / "link.txt").symlink_to(tmp_path / "outside.txt")

    async def act(client):
        templates = {one.uri_template: one for one in (await client.list_resource_templates()).resource_templates}
        assert list(templates) == [PLACE, "helix://packets/{packet_id}"]

        async def read(uri):
            [found] = (await client.read_resource(uri)).contents
            return found.text

        whole = await read("helix://place/app/views.py")
        assert whole.startswith("app/views.py:1-5") and "def login(user):" in whole
        assert "def login" not in await read("helix://place/app/views.py?lines=5")
        assert "app/views.py:4-5" in await read("helix://place/app%2Fviews.py?lines=4-5")
        assert "an odd name" in await read("helix://place/odd%20name%231%3F.txt?lines=1")
        assert KEY not in (settings := await read("helix://place/app/settings.py")) and "API_KEY" in settings
        for path in (
            "../outside.txt",
            "%2e%2e/outside.txt",
            "/etc/passwd",
            "%2Fetc%2Fpasswd",
            "link.txt",
            "private/notes.md",
            ".git/config",
            "app/views.py?lines=two",
            "app/views.py?lines=0",
            "%ff.py",
            "",
        ):
            try:
                said = await read(f"helix://place/{path}")
            except MCPError as refused:
                said = str(refused)
                assert refused.error.code == types.INVALID_PARAMS, path
            else:
                assert "nothing to show" in said or "0 lines in the file" in said, path
            for secret in ("nobody may", "out of the workspace", "root:", "[core]", str(tmp_path)):
                assert secret not in said, path

    talk(environ, shop, act)


def test_paths_symbols_and_packets_are_completed(environ, shop):
    async def act(client):
        async def completed(ref, name, value):
            return (await client.complete(ref, {"name": name, "value": value})).completion.values

        place = types.ResourceTemplateReference(uri=PLACE)
        assert await completed(place, "path", "app/") == ["app/sessions.py", "app/settings.py", "app/views.py"]
        assert await completed(place, "path", "VIEWS") == ["app/views.py"]
        assert await completed(place, "path", "private") == await completed(place, "path", "../") == []
        assert await completed(place, "lines", "1") == []
        symbol = types.PromptReference(name="explain_symbol")
        assert (await completed(symbol, "symbol", "sign"))[0] == "sign_cookie"
        await client.call_tool("helix_context_packet", {"question": "sign_cookie"})
        packet = types.ResourceTemplateReference(uri="helix://packets/{packet_id}")
        assert await completed(packet, "packet_id", "") == ["1"]
        assert await completed(types.PromptReference(name="nothing"), "symbol", "sign") == []

    talk(environ, shop, act)


def test_a_call_that_waits_for_the_first_index_says_how_far_it_is(environ, shop):
    with Helix.open(shop, config=Config(cache_dir=Path(environ["HELIX_CACHE_DIR"]))) as helix:
        lock = FileLock(str(helix.index_path.with_suffix(".lock")), thread_local=False)
    reported, held = [], threading.Event()

    async def progress(done, total, message):
        reported.append((done, total, message))
        # The index can be built as soon as the second report has come.
        if len(reported) == 2 and not held.is_set():
            held.set()
            lock.release()

    async def act(client):
        return await client.call_tool("helix_search", {"question": "sign_cookie"}, progress_callback=progress)

    lock.acquire()
    try:
        answer = talk(environ, shop, act)
    finally:
        lock.release(force=True)
    assert answer.structured_content["items"][0]["symbol"] == "sign_cookie"
    assert len(reported) >= 2
    assert [one[0] for one in reported] == sorted({one[0] for one in reported}), "progress increases"
    assert all(total is None and message for _, total, message in reported)
