"""Several upstreams: each is asked for its own models, with its own key, and a dead one is no trouble to others."""

import asyncio
import json
from pathlib import Path

import pytest

from helix_ls.proxy.presets import Preset, advice, answering
from helix_ls.proxy.upstream import CHUNK_BYTES, Address, Upstreams, next_bytes
from helix_ls.proxy.upstream import Upstream as Connections
from tests.fork_server import run_helix_as_text
from tests.proxy.conftest import Server
from tests.proxy.upstream import Upstream

ASK = [{"role": "user", "content": "hello"}]
CLOUD_KEY = "sk-cloud-77aa"
SETTINGS = """
[proxy.upstreams.local]
url = "{local}"

[proxy.upstreams.cloud]
url = "{cloud}"
models = ["gpt-*", "both"]
key_env = "CLOUD_KEY"
"""


@pytest.fixture(scope="module")
def both():
    servers = Upstream("llama", "both", "org/name"), Upstream("gpt-x", "both", "hidden")
    yield servers
    for server in servers:
        server.close()


@pytest.fixture(scope="module")
def several(environ, project, both, tmp_path_factory):
    """One server with two upstreams."""
    file = tmp_path_factory.mktemp("several") / "config.toml"
    file.write_text(SETTINGS.format(local=both[0].base, cloud=both[1].base))
    own = {name: value for name, value in environ.items() if not name.startswith("HELIX_UPSTREAM")}
    server = Server(own | {"HELIX_CONFIG": str(file), "CLOUD_KEY": CLOUD_KEY}, project)
    yield server
    server.close()


@pytest.mark.parametrize(
    ("asked", "at", "model"),
    [
        ("llama", 0, "llama"),
        ("gpt-x", 1, "gpt-x"),
        ("gpt-unheard-of", 1, "gpt-unheard-of"),
        ("both", 1, "both"),
        ("local/both", 0, "both"),
        ("cloud/both", 1, "both"),
        ("org/name", 0, "org/name"),
        ("never-heard-of", 0, "never-heard-of"),
    ],
)
def test_each_model_is_asked_of_its_upstream_by_the_name_it_has_there(several, both, asked, at, model):
    for one in both:
        one.forget()
    with several.http() as client:
        sent = json.dumps({"x": 1.50, "model": asked, "messages": ASK, "y": {"model": "z"}})
        answer = client.post("/v1/chat/completions", content=sent, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    chats = [[body for path, _, body in one.asked if path.endswith("completions")] for one in both]
    assert chats[1 - at] == []
    assert chats[at] == [sent.replace(json.dumps(asked), json.dumps(model), 1).encode()]


def test_each_upstream_gets_its_own_key_and_nobody_elses(several, both):
    for one in both:
        one.forget()
    with several.http() as client:
        for model in ("llama", "gpt-x"):
            client.post("/v1/chat/completions", json={"model": model, "messages": ASK})
        stats = client.get("/stats")
    keys = [{headers.get("Authorization") for path, headers, _ in one.asked if "chat" in path} for one in both]
    assert keys == [{None}, {f"Bearer {CLOUD_KEY}"}]
    assert [one["name"] for one in stats.json()["proxy"]["upstreams"]] == ["local", "cloud"]
    assert CLOUD_KEY not in stats.text
    assert CLOUD_KEY.encode() not in several.log


def test_the_models_are_merged_each_under_a_name_that_means_it(several):
    listed = {model.id: model.helix_upstream for model in several.client().models.list()}
    assert listed == {
        "llama": "local",
        "local/both": "local",
        "org/name": "local",
        "gpt-x": "cloud",
        "both": "cloud",
    }


def test_a_dead_upstream_is_left_out_and_named_and_the_others_answer(environ, project, tmp_path):
    alive, dead = Upstream("llama"), Upstream("gpt-x")
    file = tmp_path / "config.toml"
    file.write_text(SETTINGS.format(local=alive.base, cloud=dead.base))
    dead.close()
    own = {name: value for name, value in environ.items() if not name.startswith("HELIX_UPSTREAM")}
    server = Server(own | {"HELIX_CONFIG": str(file)}, project)
    try:
        with server.http() as client:
            answer = client.get("/v1/models")
            assert [model["id"] for model in answer.json()["data"]] == ["llama"]
            assert answer.headers["x-helix-upstream-down"] == "cloud"
            states = {one["name"]: one["state"] for one in client.get("/stats").json()["proxy"]["upstreams"]}
            assert states == {"local": "up", "cloud": "down"}
            gone = client.post("/v1/chat/completions", json={"model": "gpt-x", "messages": ASK})
            assert (gone.status_code, gone.json()["error"]["code"]) == (502, "upstream_down")
            assert client.post("/v1/chat/completions", json={"model": "llama", "messages": ASK}).status_code == 200
    finally:
        server.close()
        alive.close()


def test_where_nobody_answers_for_a_model_the_names_are_said():
    async def refused():
        upstreams = Upstreams([Address("http://127.0.0.1:9/v1", name="a", models=("x*",))])
        try:
            await upstreams.chosen("y")
        finally:
            await upstreams.close()

    with pytest.raises(Exception, match="begin its name with one of a and /") as caught:
        asyncio.run(refused())
    assert (caught.value.status, caught.value.code) == (404, "model_not_found")


def connect(environ, *arguments, given=""):
    return run_helix_as_text(["connect", "upstream", *arguments], stdin=given, env=environ, cwd=Path.cwd())


@pytest.fixture
def ringed(environ, both, tmp_path):
    """Settings with one upstream that wants a key, and a key ring."""
    file = tmp_path / "config.toml"
    file.write_text(f'[proxy.upstreams.work]\nurl = "{both[0].base}"\n')
    own = {name: value for name, value in environ.items() if not name.startswith("HELIX_UPSTREAM")}
    return own | {
        "HELIX_CONFIG": str(file),
        "HELIX_STATE_DIR": str(tmp_path / "state"),
        "HELIX_TEST_RING": str(tmp_path / "ring.json"),
        "PYTHON_KEYRING_BACKEND": "tests.proxy.ring.FileRing",
    }


@pytest.mark.slow
def test_a_key_is_put_into_the_ring_from_standard_input_and_used_for_that_address_alone(
    ringed, project, both, tmp_path
):
    secret = "sk-ring-4711"
    done = connect(ringed, "work", "--key", given=f"{secret}\n")
    assert (done.returncode, secret in done.stdout + done.stderr) == (0, False), done.stderr
    assert secret in (tmp_path / "ring.json").read_text()
    assert not any(secret in file.read_text() for file in (tmp_path / "state").iterdir())
    both[0].forget()
    server = Server(ringed, project)
    try:
        server.client().chat.completions.create(model="llama", messages=ASK)
        assert both[0].asked[-1][1]["Authorization"] == f"Bearer {secret}"
        assert secret.encode() not in server.log
    finally:
        server.close()
    # The same name at another address: the key does not go there.
    (tmp_path / "config.toml").write_text(f'[proxy.upstreams.work]\nurl = "{both[1].base}"\n')
    both[1].forget()
    server = Server(ringed, project)
    try:
        server.client().chat.completions.create(model="llama", messages=ASK)
        assert "Authorization" not in both[1].asked[-1][1]
    finally:
        server.close()


def test_a_key_can_be_forgotten_and_an_upstream_that_is_not_there_has_none(ringed, tmp_path):
    assert connect(ringed, "work", "--key", given="sk-a\n").returncode == 0
    said = json.loads(connect(ringed, "work", "--json").stdout)
    assert (said["has_key"], said["dialects"], said["auth"]) == (True, [], "bearer")
    assert connect(ringed, "work", "--forget-key").returncode == 0
    assert json.loads((tmp_path / "ring.json").read_text()) == {}
    assert json.loads(connect(ringed, "work", "--json").stdout)["has_key"] is False
    unknown = connect(ringed, "elsewhere", "--key", given="sk-a\n")
    assert (unknown.returncode, unknown.stdout) == (2, "") and "work" in unknown.stderr
    assert connect(ringed, "work", "--key", given="\n").returncode == 2


def test_without_a_key_ring_there_is_one_line_that_names_the_variable(ringed):
    environ = ringed | {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring", "HELIX_UPSTREAM": "http://a"}
    done = connect(environ, "default", "--key", given="sk-b4d\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "HELIX_UPSTREAM_KEY" in done.stderr and "sk-b4d" not in done.stderr
    nothing = ringed | {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    done = connect(nothing, "work", "--key", given="sk-b4d\n")
    assert done.returncode == 1 and "key_env" in done.stderr


@pytest.mark.slow
def test_with_no_upstream_it_says_which_known_server_answers_and_how_to_choose_it():
    server = Upstream("a", "b")
    try:
        port = server.server_port
        found = asyncio.run(answering((Preset("Ollama", port), Preset("vLLM", 9))))
    finally:
        server.close()
    assert [(preset.name, count) for preset, count in found] == [("Ollama", 2)]
    assert advice(found).endswith(f"Ollama answers with 2 models: HELIX_UPSTREAM=http://127.0.0.1:{port}")
    assert "11434" in advice([]) and "HELIX_UPSTREAM" in advice([])


def test_a_part_of_an_answer_has_a_size_however_much_has_come():
    """What a client does not read stays with the upstream: the proxy holds one part, and a bounded buffer."""
    size = 64 * CHUNK_BYTES

    async def answered(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode() + bytes(size))
        await writer.drain()
        writer.close()

    async def parts():
        server = await asyncio.start_server(answered, "127.0.0.1", 0)
        where = Connections(Address(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"))
        answer = await where.open("POST", "/chat/completions", [], b"{}")
        # Its buffer is full: reading of the socket has been paused, and begins when a part is taken.
        while answer.connection.protocol._reading_paused is False:
            await asyncio.sleep(0.001)
        held = answer.content.total_bytes
        sizes = []
        while part := await next_bytes(answer, 60):
            sizes.append(len(part))
        await where.close()
        server.close()
        return held, sizes

    held, sizes = asyncio.run(parts())
    assert sum(sizes) == size and max(sizes) <= CHUNK_BYTES
    assert held < CHUNK_BYTES + 256 * 1024 + 1, "the limit, and one read of asyncio more"
