"""Living with the daemon: without one, with one that dies, and folders that are not a project."""

import json

import psutil
import pytest

from tests.host.clients import Caller, until
from tests.host.conftest import processes_of
from tests.mcp.agent import Agent


@pytest.fixture
def environ(fresh_environ):
    """A memory, settings and a daemon of each test's own."""
    return fresh_environ


def daemon_of(environ):
    with Caller(environ) as call:
        return call("daemon.status")["result"]


def test_a_daemon_that_is_killed_between_two_calls_is_replaced(start, environ, project):
    agent = start(project)
    agent.initialize()
    before = agent.answer("helix_search", question="sign_cookie")["items"]
    first = daemon_of(environ)["pid"]
    for _ in range(2):
        pid = daemon_of(environ)["pid"]
        process = psutil.Process(pid)
        process.kill()
        until(lambda process=process: not process.is_running(), "the daemon is gone")
        assert agent.answer("helix_search", question="sign_cookie")["items"] == before
    assert daemon_of(environ)["pid"] != first


def test_a_session_keeps_its_folder_open_and_lets_go_of_it(start, environ, project):
    agent = start(project)
    agent.initialize()
    agent.answer("helix_status")
    assert agent.answer("helix_status")["live"]["state"] == "fresh"
    assert agent.answer("helix_status")["mode"] == "daemon"
    assert agent.close() == 0
    until(lambda: daemon_of(environ)["clients"] == 1, "only who asks is left")


@pytest.mark.slow
def test_alone_it_answers_the_same_and_leaves_nobody_behind(start, environ, project):
    with_daemon, alone = start(project), start(project, "--solo")
    answers = []
    for agent in (with_daemon, alone):
        agent.initialize()
        answers.append(agent.answer("helix_search", question="sign_cookie")["items"])
    assert answers[0] == answers[1]
    assert alone.answer("helix_status")["mode"] == "solo"
    assert alone.close() == 0
    until(lambda: alone.process.pid not in [one.ppid() for one in processes_of(environ)], "its processes are gone")


def test_where_no_daemon_can_start_it_answers_itself_and_says_so(environ, project):
    agent = Agent(environ | {"HELIX_RUNTIME_DIR": "/dev/null/nowhere"}, project)
    agent.initialize()
    assert agent.answer("helix_search", question="sign_cookie")["items"]
    assert agent.answer("helix_status")["mode"] == "solo"
    agent.process.stdin.close()
    assert agent.process.wait(60) == 0
    assert b"Answering in this process instead" in agent.process.stderr.read()
    agent.close()


@pytest.mark.slow
def test_a_home_or_the_whole_disk_is_no_project_named_or_not(start, tmp_path):
    for agent in (start(cwd="/"), start("/")):
        agent.initialize()
        said = agent.refusal("helix_search", question="sign_cookie")
        assert "add the project's folder to the command" in said
        assert [tool["name"] for tool in agent.request("tools/list")["result"]["tools"]]


def test_the_folder_it_is_started_in_is_the_one_it_is_about(start, project):
    agent = start(cwd=project)
    agent.initialize()
    assert agent.answer("helix_status")["workspace"] == "project"


def test_a_folder_that_is_not_there_is_said_with_every_call(start, tmp_path):
    agent = start(tmp_path / "nowhere")
    agent.initialize()
    said = agent.refusal("helix_status")
    assert "does not exist" in said
    assert str(tmp_path) not in said


def test_what_is_taken_back_is_not_answered_and_what_follows_is(start, project):
    agent = start(project)
    agent.initialize()
    taken_back = agent.ask("tools/call", {"name": "helix_context_packet", "arguments": {"question": "sign_cookie"}})
    agent.send({"method": "notifications/cancelled", "params": {"requestId": taken_back}})
    assert agent.answer("helix_search", question="sign_cookie")["items"]
    assert taken_back not in [json.loads(line).get("id") for line in agent.lines]
