"""The daemon's own proxy: on demand, beside the editors, on the index the daemon has open."""

import contextlib
import json
import socket
import subprocess
import sys

import httpx
import psutil
import pytest

from helix_ls.host.election import reach
from helix_ls.host.endpoint import place
from helix_ls.proxy.keys import users_key
from helix_ls.proxy.running import NotRunningError, found
from tests.host.clients import Caller, Editor, until
from tests.mcp.conftest import apart, repository
from tests.proxy.conftest import UPSTREAM_KEY

ASK = [{"role": "user", "content": "where are session cookies signed?"}]


@pytest.fixture(scope="module")
def own(tmp_path_factory, running_upstream, starts_processes):
    """An environment with a daemon of its own."""
    folder = tmp_path_factory.mktemp("beside")
    with apart(folder) as variables:
        yield variables | {
            "HELIX_STATE_DIR": str(folder / "state"),
            "HELIX_UPSTREAM": running_upstream.base,
            "HELIX_UPSTREAM_KEY": UPSTREAM_KEY,
            "HELIX_PROXY_PORT": "0",
        }


@pytest.fixture(scope="module")
def folders(own, tmp_path_factory):
    base = tmp_path_factory.mktemp("folders")
    return repository(base / "one"), repository(base / "two", {"zebra.py": "def stripes():\n    return 2\n"})


def open_window(environ, folder, trusted=True):
    editor = Editor(environ)
    options = {"helix": {"trusted": trusted}}
    editor.begin(folder, initializationOptions=options)
    return editor


def proxy(editor, **given):
    params = {"command": "helix.proxy", "arguments": [given]}
    return editor.request("workspace/executeCommand", params)


@pytest.fixture(scope="module")
def windows(own, folders):
    editors = [open_window(own, folder) for folder in folders]
    yield editors
    for editor in editors:
        editor.close()


def http(told):
    return httpx.Client(base_url=told["url"], headers={"Authorization": f"Bearer {told['api_key']}"}, timeout=60)


def test_it_listens_only_once_it_is_asked_for_and_then_stays(own, windows, folders):
    idle = proxy(windows[0], start=False)["result"]
    assert (idle["running"], [one["state"] for one in idle["upstreams"]]) == (False, ["unknown"])
    assert "api_key" not in idle
    told = proxy(windows[0])["result"]
    assert (told["schema"], told["running"], told["last_request"]) == ("helix.proxy/1", True, None)
    assert told["url"] == f"http://127.0.0.1:{told['port']}"
    assert told["api_key"] == users_key(own)
    assert [(one["name"], one["url"], one["state"]) for one in told["upstreams"]] == [
        ("default", own["HELIX_UPSTREAM"], "up")
    ]
    assert told["models"] == [{"id": "m", "upstream": "default", "context_tokens": None}]
    again = proxy(windows[1])["result"]
    assert (again["port"], again["pid"]) == (told["port"], told["pid"])
    with Caller(own) as call:
        assert call("helix.proxy")["result"]["port"] == told["port"]
    assert UPSTREAM_KEY not in json.dumps(told)


def test_it_is_the_daemons_own_process_and_index_and_is_found_like_any_other(own, windows, folders):
    told = proxy(windows[0])["result"]
    with Caller(own) as call:
        assert call("daemon.status")["result"]["pid"] == told["pid"]
    until(lambda: str(folders[1]) in found(own, told["api_key"]).workspaces, "it says which folders it answers for")
    connected = subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", "connect", "openai", "--json", "--path", str(folders[0])],
        env=own,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(connected.stdout) == {
        "base_url": f"{told['url']}/v1",
        "api_key": told["api_key"],
        "workspace": str(folders[0]),
    }
    listening = [
        one.laddr.ip for one in psutil.Process(told["pid"]).net_connections("inet") if one.status == psutil.CONN_LISTEN
    ]
    assert listening == ["127.0.0.1"]
    for process in psutil.Process(told["pid"]).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            assert "HELIX_UPSTREAM_KEY" not in process.environ()


def test_a_chat_is_about_the_folder_that_is_named_or_else_was_last_in_focus(own, windows, folders, upstream):
    one, two = (proxy(editor)["result"] for editor in windows)
    with http(one) as client:

        def workspace(**headers):
            return client.post("/context/packet", json={"query": "stripes"}, headers=headers).json()["workspace"]

        proxy(windows[0], focused=True)
        assert workspace() == str(folders[0])
        proxy(windows[1], focused=True, start=False)
        assert workspace() == str(folders[1])
        assert workspace(**{"X-Helix-Workspace": "one"}) == str(folders[0])
        asked = {"model": "plain", "messages": ASK}

        def became(told):
            return client.post(f"{told['base_url']}/chat/completions", json=asked).headers["x-helix-context"]

        until(lambda: became(one) == "added", "a chat that names the first folder gets its evidence")
        until(lambda: became(two) == "none", "the second has none")
    # Typing in a window brings it to the front too.
    document = {"uri": (folders[0] / "app/sessions.py").as_uri(), "languageId": "python", "version": 1, "text": "a\n"}
    windows[0].notify("textDocument/didOpen", {"textDocument": document})
    change = {"textDocument": {"uri": document["uri"], "version": 2}, "contentChanges": [{"text": "b\n"}]}
    windows[0].notify("textDocument/didChange", change)
    with http(one) as client:
        until(
            lambda: client.post("/context/packet", json={"query": "a"}).json()["workspace"] == str(folders[0]),
            "the window that is typed in has the focus",
        )


def test_the_last_request_is_told_with_its_time_to_the_first_token(own, windows, upstream):
    with http(proxy(windows[0])["result"]) as client:
        client.post("/v1/chat/completions", json={"model": "plain", "messages": ASK, "stream": True})
        stats = client.get("/stats").json()["proxy"]
    last = proxy(windows[0])["result"]["last_request"]
    assert (last["model"], last["status"], last["upstream"]) == ("plain", 200, "default")
    assert last["at"] > 1_000_000_000 and last["ttft_ms"] > 0
    assert last["context"] in ("added", "none", "late")
    assert stats["last_request"] == last
    assert stats["upstreams"] == proxy(windows[0])["result"]["upstreams"]


@pytest.mark.process
def test_another_upstream_in_the_users_settings_is_used_from_the_next_look_on(own, running_upstream, tmp_path):
    settings = tmp_path / "helix.toml"
    environ = {name: value for name, value in own.items() if name != "HELIX_UPSTREAM"}
    environ |= {"HELIX_RUNTIME_DIR": str(tmp_path / "run"), "HELIX_CONFIG": str(settings)}
    connection = reach(environ, {"kind": "call"})
    try:
        with Caller(environ) as call:
            assert call("helix.proxy")["result"]["upstreams"] == []
            settings.write_text(f'[proxy]\nupstream = "{running_upstream.base}"\n', "utf-8")
            told = call("helix.proxy", start=False)["result"]
            assert [(one["url"], one["state"]) for one in told["upstreams"]] == [(running_upstream.base, "up")]
            with http(told) as client:
                assert client.post("/v1/chat/completions", json={"model": "plain", "messages": ASK}).status_code == 200
            call("daemon.stop")
    finally:
        connection.socket.close()


def test_a_folder_that_nobody_trusts_is_no_part_of_any_chat(own, windows, tmp_path):
    hidden = repository(tmp_path / "hidden")
    window = open_window(own, hidden, trusted=False)
    try:
        refused = proxy(window)
        assert "not trusted" in refused["error"]["message"]
        told = proxy(windows[0])["result"]
        with http(told) as client:
            for path in (str(hidden), "hidden"):
                answer = client.post("/context/packet", json={"query": "a"}, headers={"X-Helix-Workspace": path})
                assert answer.status_code == 404
            assert str(hidden) not in client.get("/stats").text
    finally:
        window.close()


@pytest.mark.process
def test_without_any_folder_chats_go_on_without_evidence_and_the_daemon_leaves_nothing(own, running_upstream, tmp_path):
    environ = own | {"HELIX_RUNTIME_DIR": str(tmp_path / "run"), "HELIX_CACHE_DIR": str(tmp_path / "cache")}
    connection = reach(environ, {"kind": "call"})
    try:
        with Caller(environ) as call:
            told = call("helix.proxy")["result"]
            assert told["base_url"] == f"{told['url']}/v1"
            with http(told) as client:
                answer = client.post("/v1/chat/completions", json={"model": "plain", "messages": ASK})
                assert (answer.status_code, answer.headers["x-helix-context"]) == (200, "none")
                refused = client.post("/context/packet", json={"query": "a"})
                assert (refused.status_code, refused.json()["error"]["code"]) == (503, "no_workspace")
                assert client.get("/health").status_code == 200
            call("daemon.stop")
    finally:
        connection.socket.close()
    until(lambda: _is_dead(told["pid"]), "the daemon leaves")
    with pytest.raises(NotRunningError):
        found(environ, told["api_key"])
    assert not list(place(environ).folder.glob("helix-serve-*"))


@pytest.mark.process
def test_without_a_daemon_the_windows_own_process_has_one_and_takes_it_along(own, folders, upstream, tmp_path):
    environ = own | {"HELIX_RUNTIME_DIR": str(tmp_path / "run")}
    window = Editor(environ, "--solo")
    try:
        window.begin(folders[0])
        told = proxy(window)["result"]
        assert told["pid"] == window.process.pid
        with http(told) as client:
            asked = {"model": "plain", "messages": ASK}
            assert client.post(f"{told['base_url']}/chat/completions", json=asked).status_code == 200
        assert found(environ, told["api_key"]).port == told["port"]
    finally:
        window.close()
    assert not list((tmp_path / "run").glob("helix-serve-*"))


@pytest.mark.process
def test_the_daemon_has_the_keys_that_the_settings_name_by_their_variables(own, upstream, tmp_path):
    environ = {name: value for name, value in own.items() if not name.startswith("HELIX_UPSTREAM")} | {
        "HELIX_RUNTIME_DIR": str(tmp_path / "run"),
        "HELIX_STATE_DIR": str(tmp_path / "state"),
        "HELIX_CONFIG": str(tmp_path / "config.toml"),
        "WORK_KEY": "sk-work-31",
    }
    work = f'[proxy.upstreams.work]\nurl = "{upstream.base}"\nmodels = ["w"]\nkey_env = "WORK_KEY"\n'
    (tmp_path / "config.toml").write_text(f'{work}[proxy.upstreams.ring]\nurl = "{upstream.base}"\n')
    connection = reach(environ, {"kind": "call"})
    try:
        with Caller(environ) as call:
            idle = call("helix.proxy", start=False)["result"]
            assert [idle["running"], *(one["name"] for one in idle["upstreams"])] == [False, "work", "ring"]
            keys = {one["name"]: one["has_key"] for one in call("helix.proxy")["result"]["upstreams"]}
            assert keys == {"work": True, "ring": False}
            told = call("helix.proxy")["result"]
            with http(told) as client:
                client.post("/v1/chat/completions", json={"model": "w", "messages": ASK})
            assert upstream.asked[-1][1]["Authorization"] == "Bearer sk-work-31"
            call("daemon.stop")
    finally:
        connection.socket.close()
    until(lambda: _is_dead(told["pid"]), "the daemon leaves")


@pytest.mark.process
def test_an_editors_settings_of_the_proxy_hold_until_it_takes_them_back(own, folders, tmp_path):
    environ = own | {"HELIX_RUNTIME_DIR": str(tmp_path / "run"), "HELIX_IDLE_S": "0.3"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    first, second = open_window(environ, folders[0]), open_window(environ, folders[0])
    try:
        assert proxy(first)["result"]["port"] != port
        given = {"port": port, "budget_tokens": 400, "idle_s": 5}
        told = proxy(first, **given)["result"]
        assert (told["running"], told["port"]) == (True, port)
        # A window without settings of its own takes nobody's back.
        assert proxy(second, start=False)["result"]["port"] == port
        with http(told) as client:
            assert client.get("/health").status_code == 200
        assert proxy(first, start=False)["result"]["port"] != port
        refused = proxy(first, port=70_000)["error"]["message"]
        assert "port" in refused and "65" in refused
    finally:
        first.close()
        second.close()


@pytest.mark.process
def test_with_a_stranger_on_its_port_the_editor_is_served_and_the_stranger_is_told_nothing(own, folders, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        environ = own | {"HELIX_RUNTIME_DIR": str(tmp_path / "run"), "HELIX_PROXY_PORT": str(port)}
        window = Editor(environ, "--solo")
        try:
            window.begin(folders[0])
            told = proxy(window)["result"]
            assert told["running"] and told["port"] > port
            asked = {"command": "helix.packet", "arguments": [{"question": "sign_cookie"}]}
            packet = window.request("workspace/executeCommand", asked)["result"]
            assert packet["schema"] == "helix.packet/1"
            with http(told) as client:
                assert client.get("/health").json()["pid"] == told["pid"]
        finally:
            window.close()
        stranger.setblocking(False)
        with pytest.raises(BlockingIOError):
            stranger.accept()


def _is_dead(pid):
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
