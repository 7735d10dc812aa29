"""The official client against the real server process: what the upstream says arrives, and nothing else does."""

import json

import openai
import pytest

from tests.proxy.upstream import BENIGN, WORDS, Upstream

pytestmark = pytest.mark.process

QUESTION = [{"role": "user", "content": "where are session cookies signed?"}]


def streamed(client, model, **options):
    """The chunks, and the error if the stream ended in one."""
    chunks = []
    try:
        with client.chat.completions.create(model=model, messages=QUESTION, stream=True, **options) as stream:
            for chunk in stream:
                chunks.append(chunk.model_dump())
    except openai.APIError as error:
        return chunks, error
    return chunks, None


def test_good_streams_arrive_byte_for_byte_and_give_the_events_of_a_direct_connection(server, upstream):
    for model, parts in BENIGN.items():
        with openai.OpenAI(base_url=upstream.base, api_key="k", max_retries=0) as direct:
            assert streamed(server.client(), model) == streamed(direct, model), model
        with server.http() as http:
            answer = http.post("/v1/chat/completions", json={"model": model, "messages": QUESTION, "stream": True})
        assert answer.content == b"".join(parts), model


def test_usage_comes_only_when_the_upstream_sends_it(server, upstream):
    usages = [chunk["usage"] for chunk in streamed(server.client(), "usage")[0]]
    assert [usage is not None for usage in usages] == [False] * (len(usages) - 1) + [True]
    assert not any(chunk.get("usage") for chunk in streamed(server.client(), "plain")[0])
    assert all("stream_options" not in body for body in upstream.bodies())


@pytest.mark.parametrize("count", range(6))
def test_a_reset_after_some_chunks_gives_these_chunks_and_an_error(server, count):
    chunks, error = streamed(server.client(), f"cut:{count}")
    assert [chunk["choices"][0]["delta"]["content"] for chunk in chunks] == list(WORDS[:count])
    assert error is not None and "broke the connection" in str(error)


@pytest.mark.parametrize("model", ["unfinished:3", "unterminated:3", "unfinished:0"])
def test_an_answer_that_stops_before_its_end_is_an_error_and_never_a_stop(server, model):
    chunks, error = streamed(server.client(), model)
    assert len(chunks) == int(model[-1])
    assert error is not None
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in chunks)
    with server.http() as http:
        said = http.post("/v1/chat/completions", json={"model": model, "messages": QUESTION, "stream": True}).text
    assert said.endswith("data: [DONE]\n\n")
    assert said.count('"error"') == 1
    assert "stop" not in said


@pytest.mark.parametrize("model", ["junk", "giant", "latin", "bare", "stall"])
def test_what_no_client_could_read_ends_in_one_error_and_the_next_request_succeeds(server, model):
    chunks, error = streamed(server.client(), model)
    assert len(chunks) == 2
    assert isinstance(error, openai.APIError)
    assert "ran away" in str(error) or model != "bare"
    assert streamed(server.client(), "plain")[1] is None


def test_the_upstreams_own_error_frame_arrives_as_it_is(server):
    chunks, error = streamed(server.client(), "error")
    assert len(chunks) == 2
    assert "the model ran away" in str(error)


def test_a_finished_stream_without_its_last_line_gets_it(server):
    with server.http() as http:
        said = http.post("/v1/chat/completions", json={"model": "nodone", "messages": QUESTION, "stream": True}).text
    assert said.endswith("data: [DONE]\n\n")
    assert "error" not in said


def test_one_piece_although_a_stream_was_asked_for_is_an_error_and_asked_once(server, upstream):
    chunks, error = streamed(server.client(max_retries=2), "json")
    assert (chunks, error.status_code) == ([], 502)
    assert len(upstream.asked) == 1


@pytest.mark.parametrize("kind", ["json", "html"])
@pytest.mark.parametrize("status", [400, 404, 429, 503])
def test_refusals_of_the_upstream_keep_status_shape_and_time_to_retry(server, status, kind):
    with pytest.raises(openai.APIStatusError) as caught:
        server.client().chat.completions.create(model=f"status:{status}-{kind}", messages=QUESTION)
    error = caught.value
    assert (error.status_code, error.response.headers["retry-after"]) == (status, "7")
    assert set(error.response.json()["error"]) == {"message", "type", "param", "code"}
    assert str(status) in error.response.json()["error"]["message"]
    assert "set-cookie" not in error.response.headers


def test_a_redirect_is_not_followed(server, upstream):
    with pytest.raises(openai.APIStatusError) as caught:
        server.client().chat.completions.create(model="redirect", messages=QUESTION)
    assert caught.value.status_code == 502
    assert "location" not in caught.value.response.headers
    assert [path for path, _, _ in upstream.asked] == ["/v1/chat/completions"]


def test_without_an_upstream_that_answers_the_rest_goes_on(start, project):
    upstream = Upstream()
    server = start(project, HELIX_UPSTREAM=upstream.base)
    assert [model.id for model in server.client().models.list()] == ["m"]
    upstream.close()
    with pytest.raises(openai.InternalServerError) as caught:
        server.client().chat.completions.create(model="plain", messages=QUESTION)
    assert caught.value.status_code == 502
    assert caught.value.response.headers["retry-after"] == "1"
    assert caught.value.response.json()["error"]["code"] == "upstream_down"
    assert [model.id for model in server.client().models.list()] == ["m"]
    with server.http() as http:
        assert http.get("/health").json()["status"] == "ok"
        assert http.post("/context/packet", json={"query": "sign_cookie"}).json()["verified"]


def test_the_callers_key_never_reaches_the_upstream_and_the_upstreams_never_the_caller(server, upstream, folder):
    with server.http() as http:
        headers = {
            "x-api-key": server.key,
            "Cookie": "a=b",
            "Connection": "keep-alive, x-hop",
            "x-hop": "1",
            "x-own": "2",
        }
        http.post("/v1/chat/completions", json={"model": "plain", "messages": QUESTION}, headers=headers)
        refused = http.post("/v1/chat/completions", json={"model": "echo_key", "messages": QUESTION})
    said = refused.json()["error"]
    assert (refused.status_code, said["code"], said["type"]) == (401, "upstream_key_refused", "authentication_error")
    assert "the upstream refuses the key" in said["message"] and "(wrong Bearer [key])" in said["message"]
    assert "www-authenticate" not in refused.headers, "the caller's own key is right"
    seen = {name.lower(): value for name, value in upstream.asked[0][1].items()}
    assert seen["authorization"] == "Bearer sk-upstream-5f1d7c"
    assert seen["x-own"] == "2"
    assert not {"cookie", "x-hop", "x-api-key"} & set(seen)
    assert server.key not in json.dumps([headers for _, headers, _ in upstream.asked])
    for file in folder.rglob("*"):
        if file.is_file() and "project" not in file.parts:
            data = file.read_bytes()
            assert b"sk-upstream-5f1d7c" not in data, file
            assert file.name == "api-key" or server.key.encode() not in data, file
            assert file.name == "admin-key" or server.admin_key.encode() not in data, file
    assert server.key.encode() not in server.log


def test_no_request_chooses_the_upstream(server, upstream):
    with server.http() as http:
        body = {
            "model": "plain",
            "messages": QUESTION,
            "api_base": "http://192.0.2.1/v1",
            "base_url": "http://192.0.2.1",
        }
        assert http.post("/v1/chat/completions", json=body).status_code == 200
        assert http.post("/v1/embeddings", json=body).status_code == 200
    assert [path for path, _, _ in upstream.asked] == ["/v1/chat/completions", "/v1/embeddings"]
