"""What goes wrong between a chat and its upstream: each row of the table, and the test that plays it."""

import ast
import asyncio
from pathlib import Path

import pytest
from starlette.requests import Request

from helix_core.errors import BusyStoreError, StoreError, UsageError
from helix_ls.proxy.refused import on_helix_error
from tests.host.clients import until
from tests.mcp.conftest import repository
from tests.proxy.test_process import leave_after

ASK = [{"role": "user", "content": "where are session cookies signed?"}]
CHAT, PROCESS, LEARN, CONTEXT, FAULTS = (
    f"test_{name}.py" for name in ("chat", "process", "learn", "context", "faults")
)
ROWS = {
    "ends cleanly, no finish and no [DONE]": {
        CHAT: ["test_an_answer_that_stops_before_its_end_is_an_error_and_never_a_stop"],
        LEARN: ["test_an_answer_that_broke_off_or_failed_is_not_kept"],
    },
    "is reset, or closed without the last chunk": {
        CHAT: [
            "test_a_reset_after_some_chunks_gives_these_chunks_and_an_error",
            "test_an_answer_that_stops_before_its_end_is_an_error_and_never_a_stop",
        ],
    },
    "an error object as data, or as event: error": {
        CHAT: ["test_the_upstreams_own_error_frame_arrives_as_it_is"],
        FAULTS: ["test_an_error_event_arrives_as_an_error"],
    },
    "a bare error line": {
        CHAT: ["test_what_no_client_could_read_ends_in_one_error_and_the_next_request_succeeds"],
    },
    "comments, CRLF, no blank, lines, split characters, unknown fields and finish": {
        CHAT: ["test_good_streams_arrive_byte_for_byte_and_give_the_events_of_a_direct_connection"],
    },
    "JSON that is none": {
        CHAT: ["test_what_no_client_could_read_ends_in_one_error_and_the_next_request_succeeds"],
    },
    "503 or 502, asked again by the client": {
        CHAT: ["test_refusals_of_the_upstream_keep_status_shape_and_time_to_retry"],
        FAULTS: ["test_a_client_that_asks_again_is_answered_and_kept_once"],
    },
    "one piece although a stream was asked for": {
        CHAT: ["test_one_piece_although_a_stream_was_asked_for_is_an_error_and_asked_once"],
    },
    "the upstream is down": {
        CHAT: ["test_without_an_upstream_that_answers_the_rest_goes_on"],
    },
    "the upstream is slow to begin": {
        FAULTS: ["test_before_the_first_byte_an_upstream_may_take_its_time"],
        PROCESS: ["test_the_upstream_is_left_as_soon_as_the_client_has_gone"],
    },
    "the upstream is cut in the middle": {
        CHAT: ["test_a_reset_after_some_chunks_gives_these_chunks_and_an_error"],
        LEARN: ["test_an_answer_that_broke_off_or_failed_is_not_kept"],
    },
    "malformed events, a line without end": {
        CHAT: ["test_what_no_client_could_read_ends_in_one_error_and_the_next_request_succeeds"],
    },
    "the upstream stands still": {
        CHAT: ["test_what_no_client_could_read_ends_in_one_error_and_the_next_request_succeeds"],
    },
    "the client leaves": {
        PROCESS: [
            "test_the_upstream_is_left_as_soon_as_the_client_has_gone",
            "test_a_client_that_leaves_while_it_still_sends_is_nobodys_trouble",
        ],
        LEARN: ["test_a_client_that_leaves_leaves_nothing_half_said"],
    },
    "the client does not read": {
        PROCESS: ["test_a_client_that_does_not_read_holds_no_more_than_its_buffers"],
        LEARN: ["test_while_the_memory_cannot_be_written_chats_go_on_and_what_finds_no_room_is_counted"],
    },
    "a model whose template refuses the evidence": {
        CONTEXT: ["test_a_model_whose_template_wants_turns_gets_the_block_inside_the_question"],
    },
}


def test_every_row_is_played_by_a_test_that_is_there():
    folder = Path(__file__).parent
    for row, files in ROWS.items():
        assert files, row
        for file, names in files.items():
            tree = ast.parse((folder / file).read_text("utf-8"))
            there = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
            assert set(names) <= there, (row, set(names) - there)


def test_an_error_event_arrives_as_an_error(server, openai):
    chunks = []
    with pytest.raises(openai.APIError, match="the model ran away"):
        for chunk in server.client().chat.completions.create(model="event_error", messages=ASK, stream=True):
            chunks.append(chunk)
    assert len(chunks) == 2


def test_before_the_first_byte_an_upstream_may_take_its_time(server, upstream):
    """The server gives up an answer that stands still for a second; a model that is being loaded is none yet."""
    client = leave_after(server, "loading", 0)
    try:
        until(lambda: len(upstream.asked) == 1, "the upstream is asked")
        client.settimeout(2.5)
        with pytest.raises(TimeoutError):
            client.recv(1)
        upstream.go_on.set()
        client.settimeout(60)
        said = b""
        while b"[DONE]" not in said:
            said += client.recv(65536)
    finally:
        client.close()
    assert b"upstream_incomplete" not in said and b'"finish_reason": "stop"' in said


@pytest.mark.slow
def test_a_client_that_asks_again_is_answered_and_kept_once(start, tmp_path, upstream):
    data = str(tmp_path / "data")
    server = start(repository(tmp_path / "project"), HELIX_DATA_DIR=data, HELIX_MEMORY_LEARN="on")
    stream = server.client(max_retries=2).chat.completions.create(model="busy:2", messages=ASK, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "The key signs it all."
    assert len(upstream.asked) == 3
    with server.http() as client:

        def kept():
            facts = client.get("/stats").json()["memory"]
            return facts["waiting"] == 0 and facts["kept"]

        assert until(kept, "the chat is kept") == 1


@pytest.mark.parametrize("error", [StoreError, BusyStoreError, UsageError])
def test_an_error_over_http_does_not_say_whose_home_this_is(error, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    request = Request({"type": "http", "method": "POST", "path": "/uses", "headers": []})
    answer = asyncio.run(on_helix_error(request, error(f"The index {tmp_path}/.cache/index.db is damaged")))
    assert str(tmp_path).encode() not in answer.body
    assert b"The index ~/.cache/index.db is damaged" in answer.body
