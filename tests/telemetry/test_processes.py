"""Spans and metrics of real server processes, as a real collector gets them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp.agent import Agent
from tests.mcp.conftest import apart, repository
from tests.proxy.conftest import UPSTREAM_KEY, Server
from tests.proxy.upstream import Upstream
from tests.telemetry.collector import CollectedSpan, Collector

pytestmark = pytest.mark.slow

SECRET = "ghp_" + "9kQ2vXz7LmN4pRt8WsYb3cDf6gHj1aEu5iOo"
ASK = "where are session cookies signed?"
QUESTION = f"{ASK} My token is {SECRET}"
CHAT = [{"role": "system", "content": f"the token is {SECRET}"}, {"role": "user", "content": ASK}]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project")


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def environ(
    tmp_path: Path, collector: Collector, upstream: Upstream, starts_processes: None
) -> Iterator[dict[str, str]]:
    with apart(tmp_path) as variables:
        yield variables | {
            "HELIX_STATE_DIR": str(tmp_path / "state"),
            "HELIX_UPSTREAM": upstream.base,
            "HELIX_UPSTREAM_KEY": UPSTREAM_KEY,
            "HELIX_OTEL_ENABLED": "true",
            "HELIX_OTEL_ENDPOINT": collector.endpoint,
        }


@pytest.fixture
def server(environ: dict[str, str], project: Path) -> Iterator[Server]:
    one = Server(environ, project)
    yield one
    if one.process.poll() is None:
        one.close()


def below(collector: Collector, parent: CollectedSpan) -> set[str]:
    return {span.name for span in collector.spans() if span.parent == parent.identity}


def assert_content_free(collector: Collector, *words: str) -> None:
    sent = b"".join(body for _, body in collector.bodies)
    assert sent
    for word in (SECRET, UPSTREAM_KEY, "cookies signed", "sign_cookie", "sessions.py", *words):
        assert word.encode() not in sent, word


def test_a_chat_is_one_trace_from_the_request_to_the_upstream(
    server: Server, collector: Collector, project: Path
) -> None:
    said = server.client().chat.completions.with_raw_response.create(model="plain", messages=CHAT, stream=True)
    assert said.headers["x-helix-context"] == "added"
    assert list(said.parse())
    assert server.close() == 0
    (upstream,) = collector.named("helix.upstream")
    request = next(one for one in collector.named("helix.request") if one.identity == upstream.parent)
    assert request.attributes == {"http.route": "/v1/chat/completions", "http.response.status_code": 200}
    assert upstream.attributes["helix.became"] == "added"
    assert upstream.attributes["helix.first_byte_ms"] > 0
    (window,) = collector.named("helix.window")
    (question,) = collector.named("helix.question")
    assert (window.parent, question.parent) == (request.identity, window.identity)
    assert {window.trace, question.trace, upstream.trace} == {request.trace}
    assert window.attributes["helix.verified"] > 0
    whole = max(collector.named("helix.index"), key=lambda one: one.attributes.get("helix.files", 0))
    assert whole.attributes["helix.ended"] == "done"
    assert whole.attributes["helix.added"] > 0
    assert_content_free(collector, str(project), project.name, server.key)


def test_a_request_is_below_the_span_that_its_caller_names_and_a_wrong_name_is_none(
    server: Server, collector: Collector
) -> None:
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    given = [f"00-{trace}-{parent}-01", f"00-{trace}-{parent}", f"00-{'0' * 32}-{parent}-01", "x" * 200, ""]
    with server.http() as client:
        for header in given:
            asked = client.post("/context/packet", json={"query": ASK}, headers={"traceparent": header})
            assert asked.status_code == 200
    assert server.close() == 0
    packets = [one for one in collector.spans() if one.attributes.get("http.route") == "/context/packet"]
    (called,) = [one for one in packets if one.parent]
    assert (called.parent, called.trace) == (bytes.fromhex(parent), bytes.fromhex(trace))
    assert len({one.trace for one in packets}) == len(given)
    (question,) = [one for one in collector.named("helix.question", len(given)) if one.trace == called.trace]
    assert question.parent == called.identity


def test_a_command_without_a_daemon_exports_its_own_spans(
    environ: dict[str, str], project: Path, collector: Collector
) -> None:
    def run(*arguments: str, **more: str) -> None:
        command = [sys.executable, "-m", "helix_ls.cli", *arguments]
        subprocess.run(command, cwd=project, env=environ | more, capture_output=True, check=True, timeout=120)

    run("packet", QUESTION, "--json", HELIX_OTEL_ENABLED="false")
    assert collector.bodies == []
    run("packet", QUESTION, "--json")
    (question,) = collector.named("helix.question")
    assert (question.parent, question.attributes["helix.verb"]) == (b"", "packet")
    before = len(collector.named("helix.index"))
    run("index")
    assert collector.named("helix.index", before + 1)[-1].attributes["helix.files"] > 0
    assert_content_free(collector, str(project), project.name)


def test_the_metrics_are_those_of_the_route(server: Server, collector: Collector) -> None:
    server.client().chat.completions.create(model="plain", messages=CHAT)
    with server.http() as client:
        text = client.get("/metrics").text
    assert server.close() == 0
    metrics = collector.metrics()
    names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")}
    counted = {line.split("{")[0].split()[0] for line in text.splitlines() if not line.startswith("#")}
    assert counted <= metrics.keys() <= names
    assert ({"became": "added"}, 1.0) in metrics["helix_context_total"]
    assert ({"ended": "complete"}, 1.0) in metrics["helix_answers_total"]


def test_a_refused_upstream_and_a_passed_route_are_told_too(server: Server, collector: Collector) -> None:
    with server.http() as client:
        client.post("/v1/embeddings", json={"model": "embed", "input": QUESTION})
    assert server.close() == 0
    (upstream,) = collector.named("helix.upstream")
    request = next(one for one in collector.named("helix.request") if one.identity == upstream.parent)
    assert request.attributes["http.route"] == "/v1/embeddings"
    assert_content_free(collector)


@pytest.mark.parametrize("arguments", [(), ("--solo",)])
def test_a_tool_call_and_its_question_are_told_by_the_processes_that_did_them(
    environ: dict[str, str], project: Path, collector: Collector, arguments: tuple[str, ...]
) -> None:
    agent = Agent(environ, project, *arguments)
    try:
        agent.initialize()
        said = agent.request("tools/call", {"name": "helix_context_packet", "arguments": {"query": QUESTION}})
        assert not said["result"].get("isError"), said
        (question,) = collector.named("helix.question")
    finally:
        agent.close()
    (call,) = collector.named("helix.mcp")
    assert call.attributes == {"helix.tool": "helix_context_packet"}
    assert question.attributes["helix.verb"] == "packet"
    assert question.trace == call.trace
    assert_content_free(collector, str(project), project.name)


def test_a_tool_call_over_http_is_told(server: Server, collector: Collector) -> None:
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
    headers = {"accept": "application/json, text/event-stream"}
    with server.http() as client:
        begun = client.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}, headers=headers
        )
        headers["mcp-session-id"] = begun.headers["mcp-session-id"]
        client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
        call = {"name": "helix_context_packet", "arguments": {"query": QUESTION}}
        done = client.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, headers=headers
        )
        assert done.status_code == 200
    assert server.close() == 0
    (called,) = collector.named("helix.mcp")
    (question,) = collector.named("helix.question")
    assert question.parent == called.identity
    assert_content_free(collector)


def test_a_server_stops_soon_although_no_collector_is_there(
    environ: dict[str, str], project: Path, collector: Collector
) -> None:
    collector.close()
    one = Server(environ, project)
    with one.http() as client:
        assert client.post("/context/packet", json={"query": QUESTION}).status_code == 200
    assert one.close() == 0
    assert one.log.decode().count("telemetry could not be exported") == 1
    assert "Traceback" not in one.log.decode()
