"""What passes without evidence, with the official client: as bytes, to the upstream of its model, with its key."""

import json

import httpx
import pytest

from helix_ls.proxy.guard import FORM, FORM_PATHS
from helix_ls.proxy.presets import traits_of
from helix_ls.proxy.route_table import HTTP_ROUTES, known_route, meant_routes, unknown_path
from helix_ls.proxy.upstream import Address, Upstreams, request_headers
from tests.proxy.conftest import UPSTREAM_KEY, Server
from tests.proxy.passed import COMPLETION, SPOKEN, TRANSCRIPT
from tests.proxy.upstream import Upstream

SETTINGS = """
[proxy.upstreams.local]
url = "{local}"
dialects = ["chat"]

[proxy.upstreams.azure]
url = "{azure}/openai/deployments/d"
models = ["gpt-*"]
auth = "api-key"
query = {{ "api-version" = "2024-10-21" }}
key_env = "AZURE_KEY"
dialects = ["chat", "responses"]
"""


def test_the_official_client_gets_what_the_upstream_says_and_nothing_is_added(server, upstream):
    client = server.client()
    assert client.embeddings.create(model="e", input="sign", encoding_format="float").data[0].embedding == [
        0.25,
        -0.0015,
    ]
    assert client.completions.create(model="m", prompt="where is sign_cookie?").choices[0].text == "return"
    with client.completions.create(model="m", prompt="a", stream=True) as stream:
        assert [one.choices[0].text for one in stream] == [COMPLETION["choices"][0]["text"]]
    assert client.moderations.create(model="m", input="a").id == "modr-1"
    assert client.images.generate(model="m", prompt="a").data[0].b64_json == "aGVsaXg="
    assert client.audio.speech.create(model="m", voice="alloy", input="a").content == SPOKEN
    said = client.audio.transcriptions.create(model="whisper", file=("a.wav", SPOKEN))
    assert said.text == TRANSCRIPT["text"]
    bodies = [body for _, _, body in upstream.asked]
    assert b"helix" not in b"".join(bodies)
    assert SPOKEN in bodies[-1]
    assert upstream.asked[-1][1]["Content-Type"].startswith("multipart/form-data; boundary=")
    assert {headers["Authorization"] for _, headers, _ in upstream.asked} == {f"Bearer {UPSTREAM_KEY}"}


def test_a_body_passes_to_the_byte(server, upstream):
    sent = b'{ "model":"e", "x":1.50e+10, "input":"\\u00e9" ,"y":123456789012345678901234567890}'
    with server.http() as http:
        http.post("/v1/embeddings", content=sent, headers={"Content-Type": "application/json"})
    assert upstream.asked[-1][2] == sent


def test_a_page_in_place_of_an_answer_is_one_error(server):
    with server.http() as http:
        for path in ("/v1/embeddings", "/v1/completions"):
            said = http.post(path, json={"model": "e", "input": "a page", "prompt": "a page"})
            assert said.status_code == 502
            assert (
                said.json()["error"]["message"]
                == "the upstream's answer is not valid JSON; see whether its address is right"
            )


def test_a_number_of_many_digits_passes_and_a_byte_order_mark_is_named(server, upstream):
    sent = b'{"model":"e","input":"a","y":' + b"7" * 5_000 + b"}"
    json_ = {"Content-Type": "application/json"}
    with server.http() as http:
        assert http.post("/v1/embeddings", content=sent, headers=json_).status_code == 200
        assert upstream.asked[-1][2] == sent
        said = http.post("/v1/embeddings", content=b"\xef\xbb\xbf" + sent, headers=json_)
    assert (said.status_code, "byte order mark" in said.json()["error"]["message"]) == (400, True)


def test_an_answer_that_breaks_off_breaks_off_for_the_client_too(server):
    with server.http() as http, pytest.raises(httpx.RemoteProtocolError):
        http.post("/v1/audio/speech", json={"model": "m", "input": "cut"})
    assert server.client().models.list().data


def test_a_refusal_keeps_its_status_and_shows_no_key(server, openai):
    with pytest.raises(openai.AuthenticationError) as caught:
        server.client().embeddings.create(model="e", input="fail")
    error = caught.value.response.json()["error"]
    assert (error["code"], "(wrong Bearer [key])" in error["message"]) == ("upstream_key_refused", True)


def test_one_model_is_described_by_its_upstream(server, openai):
    assert server.client().models.retrieve("m").id == "m"
    with pytest.raises(openai.NotFoundError) as caught:
        server.client().models.retrieve("never/heard")
    assert "/v1/models" in str(caught.value)
    with server.http() as http:
        assert http.get("/v1/models/..%2f..%2fadmin").status_code == 404


@pytest.fixture
def several(environ, project, tmp_path):
    """A server with a plain upstream and one as Azure's."""
    local, azure = Upstream("llama"), Upstream("gpt-x")
    file = tmp_path / "config.toml"
    file.write_text(SETTINGS.format(local=local.base, azure=azure.base.removesuffix("/v1")))
    own = {name: value for name, value in environ.items() if not name.startswith("HELIX_UPSTREAM")}
    server = Server(own | {"HELIX_CONFIG": str(file), "AZURE_KEY": "azure-4711"}, project)
    yield server, local, azure
    server.close()
    local.close()
    azure.close()


def test_an_upstream_gets_its_key_and_its_query_as_its_settings_say(several):
    server, local, azure = several
    chat = {"model": "gpt-x", "messages": [{"role": "user", "content": "hello"}]}
    with server.http() as http:
        assert http.post("/v1/chat/completions?api-version=1&beta=true", json=chat).status_code == 200
        form = {"model": (None, "azure/gpt-x"), "file": ("a.wav", b"RIFF")}
        http.post("/v1/audio/transcriptions", files=form)
        assert "azure-4711" not in http.get("/stats").text
    path, headers, _ = azure.asked[-2]
    assert path == "/openai/deployments/d/chat/completions?api-version=2024-10-21&beta=true"
    assert headers["api-key"] == "azure-4711"
    assert "Authorization" not in headers
    assert azure.asked[-1][0] == "/openai/deployments/d/audio/transcriptions?api-version=2024-10-21"
    assert b"\r\n\r\ngpt-x\r\n" in azure.asked[-1][2]
    assert not [path for path, _, _ in local.asked if "models" not in path]
    assert b"azure-4711" not in server.log


@pytest.mark.asyncio
async def test_a_dialect_that_no_upstream_speaks_is_one_error_that_names_cause_and_next_action():
    upstreams = Upstreams([Address("http://127.0.0.1:9/v1", name="a", dialects=("chat", "responses"))])
    try:
        assert (await upstreams.chosen("m", "responses")).model == "m"
        with pytest.raises(Exception, match="Anthropic's messages") as caught:
            await upstreams.chosen("m", "messages")
    finally:
        await upstreams.close()
    assert (caught.value.status, caught.value.code) == (400, "unsupported_dialect")
    assert "a speaks chat and responses" in str(caught.value) and 'dialects = ["messages"]' in str(caught.value)


@pytest.mark.parametrize(
    ("url", "path", "header"),
    [
        ("https://api.anthropic.com/v1", "/messages", ("x-api-key", "k")),
        ("https://api.anthropic.com/v1", "/chat/completions", ("Authorization", "Bearer k")),
        ("https://x.openai.azure.com/openai/v1", "/responses", ("api-key", "k")),
        ("https://api.openai.com/v1", "/responses", ("Authorization", "Bearer k")),
        ("https://llm.example/v1", "/messages", ("Authorization", "Bearer k")),
        ("https://api.anthropic.com.evil.example/v1", "/messages", ("Authorization", "Bearer k")),
    ],
)
def test_a_known_server_gets_the_key_in_the_header_it_reads(url, path, header):
    sent = request_headers([(b"x-api-key", b"ours"), (b"authorization", b"Bearer ours")], Address(url, "k"), path)
    assert header in sent
    assert "ours" not in json.dumps(sent)
    assert (("anthropic-version", "2023-06-01") in sent) == (header[0] == "x-api-key")


def test_what_is_known_of_servers_needs_no_setting():
    assert traits_of("http://127.0.0.1:11434/v1").dialects == ("chat", "responses", "messages", "ollama")
    assert traits_of("http://192.0.2.1:11434/v1").dialects == ()
    assert traits_of("https://api.openai.com/v1").dialects == ("chat", "responses")


def test_ollamas_own_routes_lie_beside_the_version():
    where = Address("http://127.0.0.1:11434/v1", query=(("a", "b c"),))
    assert where.url("/api/tags") == "http://127.0.0.1:11434/api/tags?a=b+c"
    assert where.url("/models", [("a", "x"), ("limit", "1")]) == "http://127.0.0.1:11434/v1/models?a=b+c&limit=1"


def test_forms_are_taken_where_the_table_says_and_nowhere_else():
    assert {each.path for each in HTTP_ROUTES if each.takes == FORM} == FORM_PATHS


def test_routes_are_counted_by_their_pattern():
    assert known_route("/v1/models/org/name") == "/v1/models/{model}"
    assert known_route("/v1/models") == "/v1/models"
    assert known_route("/v1/modelsx") == ""


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/chat/completions", ["/v1/chat/completions"]),
        ("/v1/v1/models", ["/v1/models"]),
        ("/v1/chat/completions/", ["/v1/chat/completions"]),
        ("/openai/deployments/small/chat/completions", ["/v1/chat/completions"]),
        ("/v1/v1/messages", ["/v1/messages"]),
        ("/v1/api/chat", ["/api/chat"]),
        ("/embeddings", ["/api/embeddings", "/v1/embeddings"]),
        ("/V1/Responses", ["/v1/responses"]),
        ("/v1/chat/completion", ["/v1/chat/completions", "/v1/completions"]),
        ("/v1", []),
        ("/nothing/of/ours", []),
    ],
)
def test_an_unknown_path_is_read_as_the_route_that_a_wrong_base_url_misses(path, meant):
    assert sorted(meant_routes(path)) == meant
    said = unknown_path(path)
    assert all(route in said for route in (meant or ["/v1/chat/completions", "/api/chat", "/openapi.json"]))


def test_each_client_with_a_wrong_base_url_hears_of_the_path_in_its_own_format(server):
    of_anthropic = {"x-api-key": server.key}
    with httpx.Client(base_url=server.url, timeout=60) as client:
        doubled = client.post("/v1/v1/messages", json={}, headers=of_anthropic)
        without = client.post("/messages", json={}, headers=of_anthropic)
    with server.http() as client:
        openai_ = client.post("/chat/completions", json={})
        ollama = client.post("/api/chats", json={})
        wrong = client.get("/v1/chat/completions")
    assert [each.status_code for each in (doubled, without, openai_, ollama, wrong)] == [404, 404, 404, 404, 405]
    for each in (doubled, without):
        assert each.json()["type"] == "error"
        assert "/v1/messages" in each.json()["error"]["message"]
    assert "/v1/chat/completions" in openai_.json()["error"]["message"]
    assert "/api/chat" in ollama.json()["error"]
    assert wrong.json()["error"]["message"] == "GET is not allowed on this path; send POST"
    assert wrong.headers["allow"] == "POST"
