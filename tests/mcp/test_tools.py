"""What the tools answer: truth at the moment of the call, the same as everywhere else in Helix, cut to size."""

import json
import subprocess
import sys
from hashlib import sha256

import pytest

from tests.engine.repository import FILES
from tests.mcp.agent import Agent, text_of
from tests.mcp.conftest import apart, repository

VOLATILE = ("accounting", "packet_id", "workspace")


@pytest.fixture(scope="module")
def shared(tmp_path_factory, starts_processes):
    """One server on one repository, for questions that change nothing."""
    home = tmp_path_factory.mktemp("shared")
    folder = repository(home / "project")
    with apart(home) as environ:
        agent = Agent(environ, folder, "--profile", "full")
        agent.initialize()
        yield agent, folder, environ
        agent.close()
        assert agent.strays == []


def test_a_packet_is_the_one_the_command_line_prints_without_the_machine_s_paths(shared):
    agent, folder, environ = shared
    said = agent.call("helix_context_packet", question="sign_cookie", task_type="edit", max_items=3, format="json")
    answer = said["structuredContent"]
    assert json.loads(text_of(said)) == answer
    printed = json.loads(
        subprocess.run(
            [sys.executable, "-m", "helix_ls.cli", "packet", "sign_cookie", "--task", "edit", "-k", "3", "--json"],
            cwd=folder,
            env=environ,
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
    )
    for packet in (answer, printed):
        for name in VOLATILE:
            packet.pop(name, None)
        for group in ("verified", "stale_risk", "needs_refresh"):
            for item in packet[group]:
                item.pop("uri", None)
                item.pop("last_verified_at")
    assert answer == printed
    assert answer["verified"][0]["source_id"] == "app/sessions.py"


def test_no_answer_names_a_folder_of_the_machine(shared):
    agent, folder, _ = shared
    for tool, arguments in {
        "helix_context_packet": {"question": "session cookie"},
        "helix_search": {"question": "session cookie"},
        "helix_context": {"question": "session cookie"},
        "helix_refresh_targets": {"question": "session cookie"},
        "helix_open": {"source_id": "app/sessions.py"},
        "helix_status": {},
        "helix_explain": {"source_id": "app/sessions.py", "start_line": 6, "end_line": 8},
        "helix_neighbors": {"symbol": "sign_cookie"},
    }.items():
        assert not agent.call(tool, **arguments).get("isError"), tool
    agent.request("resources/read", {"uri": "helix://status"})
    said = b"".join(agent.lines).decode()
    assert str(folder.parent) not in said
    assert "file://" not in said


def test_a_search_gives_places_only(shared):
    agent, _, _ = shared
    answer = agent.answer("helix_search", question="verify_cookie", max_results=2)
    assert answer["schema"] == "helix.search/1"
    assert answer["items"][0]["symbol"] == "verify_cookie"
    assert "quote" not in answer["items"][0]


def test_the_context_is_one_text_in_an_envelope_within_the_budget(shared):
    agent, _, _ = shared
    said = agent.call("helix_context", question="how is a session cookie signed", budget=400)
    text = text_of(said)
    assert text == said["structuredContent"]["text"]
    assert said["structuredContent"]["tokens"] <= 400
    first, *_, last = [line for line in text.split("\n") if line.startswith("=== helix ")]
    assert first.removesuffix(" begin") == last.removesuffix(" end")
    assert text.endswith(last)


def test_what_the_workspace_does_not_know_is_said_to_be_unknown(shared):
    agent, _, _ = shared
    assert agent.answer("helix_context_packet", question="kubernetes ingress certificates")["known_empty"] is True
    said = agent.call("helix_context", question="kubernetes ingress certificates")
    assert said["structuredContent"]["known_empty"] is True
    assert text_of(said).startswith("known_empty: nothing in this workspace answers that")


def test_lines_are_shown_with_the_hash_of_the_file_and_their_verdict(shared):
    agent, folder, _ = shared
    data = (folder / "app/sessions.py").read_bytes()
    answer = agent.answer("helix_open", source_id="./app//sessions.py", start_line=6, end_line=8)
    assert answer["source_id"] == "app/sessions.py"
    assert answer["text"].encode() == b"".join(data.splitlines(keepends=True)[5:8])
    assert answer["content_hash"] == sha256(data).hexdigest()
    assert (answer["status"], answer["reason"]) == ("verified", "unchanged")
    assert answer["symbol"] == "sign_cookie"
    assert answer["more"] is False
    beyond = agent.refusal("helix_open", source_id="app/sessions.py", start_line=99)
    assert "has 16 lines" in beyond
    assert "there is no file nosuch.go" in agent.refusal("helix_open", source_id="nosuch.go")


@pytest.mark.parametrize(
    "source_id",
    [
        "../secret.txt",
        "app/../../secret.txt",
        "/etc/passwd",
        "..\\secret.txt",
        "%2e%2e/secret.txt",
        "%252e%252e%252fsecret.txt",
        "\\x2e\\x2e/secret.txt",
        "C:secret.txt",
        "\\\\server\\share",
        "a.py:stream:$DATA",
        "a\0b",
        "",
    ],
)
def test_a_path_out_of_the_workspace_is_refused_in_one_sentence(shared, source_id):
    agent, folder, _ = shared
    (folder.parent / "secret.txt").write_text("sesame")
    said = agent.refusal("helix_open", source_id=source_id)
    assert "inside the workspace" in said
    assert "sesame" not in said
    assert "inside the workspace" in agent.refusal("helix_explain", source_id=source_id, start_line=1, end_line=1)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("helix_search", {}, "question is missing"),
        ("helix_search", {"question": 3}, "question must be a string"),
        ("helix_search", {"question": " "}, "the question is empty"),
        ("helix_open", {"source_id": "x" * 4097}, "longer than 4,096 characters"),
        ("helix_search", {"question": "x", "max_results": 0}, "max_results must be a whole number from 1 to 100"),
        ("helix_search", {"question": "x", "max_results": True}, "max_results must be a whole number"),
        ("helix_search", {"question": "x", "max_result": 1}, "did you mean max_results"),
        ("helix_search", {"question": "x", "query": "y"}, "given twice"),
        ("helix_context_packet", {"question": "x", "task_type": "guess"}, "task_type must be one of plan"),
        ("helix_context", {"question": "x", "budget": 10_000_000}, "budget must be a whole number"),
        ("helix_refresh_targets", {}, "give either packet_id, or question"),
        ("helix_refresh_targets", {"packet_id": "77"}, "there is no packet '77'"),
        ("helix_open", {"source_id": "app/sessions.py", "start_line": 5, "end_line": 2}, "are not a span"),
        ("helix_status", {"verbose": True}, "the arguments are none"),
        (
            "helix_status",
            {"workspace": "elsewhere"},
            "no open folder is named 'elsewhere'; those that are open: project",
        ),
        ("helix_gene_get", {"id": "nothing"}, "no packet of this session"),
        ("helix_neighbors", {"symbol": "no_such_name"}, "no definition of"),
    ],
)
def test_a_wrong_argument_is_refused_with_what_would_be_right(shared, tool, arguments, said):
    agent, _, _ = shared
    assert said in agent.refusal(tool, **arguments)


def test_the_older_names_answer_as_the_tools_they_stand_for(shared):
    agent, _, _ = shared
    found = agent.answer("helix_document_fingerprint", query="sign_cookie", max_results=1)
    assert [item["source_id"] for item in found["items"]] == ["app/sessions.py"]
    assert agent.answer("helix_document_query", query="sign_cookie", budget=500)["schema"] == "helix.context/1"
    assert agent.answer("helix_health")["schema"] == "helix.status/1"
    packet = agent.answer("helix_context_packet", query="sign_cookie", max_genes=1)
    [item] = packet["verified"]
    again = agent.answer("helix_document_get", id=item["gene_id"])
    assert again["text"].removesuffix("\n") == item["quote"]
    assert again["gene_id"] == item["gene_id"]


def test_the_packets_of_a_session_are_resources(shared):
    agent, _, _ = shared
    packet = agent.answer("helix_context_packet", question="match_route")
    uri = f"helix://packets/{packet['packet_id']}"
    listed = agent.request("resources/list")["result"]["resources"]
    assert {"helix://status", "helix://packets", uri} <= {one["uri"] for one in listed}
    [read] = agent.request("resources/read", {"uri": uri})["result"]["contents"]
    assert json.loads(read["text"]) == packet
    [read] = agent.request("resources/read", {"uri": "helix://packets"})["result"]["contents"]
    assert json.loads(read["text"])["packets"][0]["packet_id"] == packet["packet_id"]
    [read] = agent.request("resources/read", {"uri": "helix://status"})["result"]["contents"]
    assert json.loads(read["text"])["index"]["files"] == len(FILES)
    assert agent.request("resources/read", {"uri": "file:///etc/passwd"})["error"]["code"] == -32602
    assert agent.request("resources/read", {"uri": "helix://packets/../1"})["error"]["code"] == -32602


def test_a_filter_that_leaves_no_file_heads_the_text_and_is_not_an_empty_workspace(shared):
    agent, _, _ = shared
    for tool in ("helix_search", "helix_context_packet", "helix_context"):
        text = text_of(agent.call(tool, question="sign_cookie", filters={"author": "Nobody"}))
        assert text.startswith("no file was searched: the filter author Nobody does not keep any of the"), tool
        assert text.count("Nobody") == 1
        assert "known_empty" not in text


def test_an_error_names_arguments_as_the_tool_lists_them(shared):
    agent, _, _ = shared
    said = agent.refusal("helix_search", question="x", sing=1)
    assert "the arguments are question, max_results, page, filters" in said
    assert "did you mean max_results?" in agent.refusal("helix_search", question="x", max_result=1)
    assert "did you mean max_results?" in agent.refusal("helix_search", question="x", max_item=1)
    assert "max_results is given twice" in agent.refusal("helix_search", question="x", max_results=1, k=2)
    assert agent.refusal("helix_uses").startswith("symbol is missing")


def test_a_message_that_asks_nothing_gets_one_line_that_says_why(shared):
    agent, _, _ = shared
    for tool in ("helix_search", "helix_context_packet", "helix_context"):
        said, *more = text_of(agent.call(tool, question="thanks!")).splitlines()
        assert said.startswith("nothing was searched: the message is small talk; ask for a name, a file"), tool
        assert [line for line in more if not line.startswith("packet_id ")] == [], tool
