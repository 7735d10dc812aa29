"""Claude Code and Codex themselves, started against the real server: how far they go without an account.

`make check-javascript` installs both, at the versions of tests/js/package.json, and runs these; they are skipped where
the programs are not on the PATH.
"""

import json
import os
import shutil
import subprocess

import pytest

from helix_ls.proxy.clients import Endpoint, own_file
from tests.proxy import anthropic_api, responses_api

QUESTION = "where are session cookies signed?"


def program(name):
    """The client's command; the test is skipped without it."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on the PATH; install it with npm to run this test")
    return found


def environment(home, **more):
    """Of a user who has never started the client."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "NO_PROXY": "127.0.0.1", "DISABLE_AUTOUPDATER": "1", **more}


def connected(client, server, project, model, environ):
    """Write the client's own file as ``helix connect CLIENT --write`` does."""
    to = Endpoint(server.connected["base_url"], server.key, str(project), model)
    change = own_file(client, to, environ).change()
    change.write()
    return change.path


def evidence_in(body):
    return "=== helix" in body and "def sign_cookie" in body


def claude_code(server, project, home, model, *more):
    """Ask Claude Code once, without a terminal."""
    claude = program("claude")
    own = connected("claude-code", server, project, model, {})
    environ = environment(home, CLAUDE_CONFIG_DIR=str(home / "claude"))
    try:
        return subprocess.run(
            [claude, "-p", QUESTION, "--output-format", "json", "--model", model, *more],
            cwd=project,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        own.unlink()


def test_claude_codes_tool_loop_keeps_its_evidence_and_its_own_prompts_get_none(server, upstream, project, tmp_path):
    claude_code(server, project, tmp_path, "claude-tool", "--max-turns", "2")
    bodies = [json.loads(body) for path, _, body in upstream.asked if path.startswith("/v1/messages?")]
    loop = [body["messages"] for body in bodies if body.get("tools")]
    assert len(loop) == 2 and loop[1][-1]["content"][0]["type"] == "tool_result"
    first, second = ([part["text"] for part in turns[0]["content"]] for turns in loop)
    assert first == second and evidence_in(json.dumps(first[-2])) and first[-1] == QUESTION
    assert not any("=== helix" in json.dumps(body) for body in bodies if not body.get("tools"))


def test_claude_code_asks_through_the_file_that_connect_writes(server, upstream, project, tmp_path):
    done = claude_code(server, project, tmp_path, "claude")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["result"] == "".join(anthropic_api.TEXT)
    asked = [body.decode() for path, _, body in upstream.asked if path.startswith("/v1/messages")]
    assert any(evidence_in(body) and QUESTION in body for body in asked)
    assert server.key not in json.dumps([headers for _, headers, _ in upstream.asked])


def test_codex_asks_through_the_file_that_connect_writes(server, upstream, project, tmp_path):
    codex = program("codex")
    environ = environment(tmp_path, CODEX_HOME=str(tmp_path / "codex"))
    connected("codex-chats", server, project, "gpt", environ)
    done = subprocess.run(
        [codex, "exec", "-c", 'model_provider="helix"', "-m", "gpt", "--skip-git-repo-check", "--json", QUESTION],
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "".join(responses_api.TEXT) in done.stdout
    asked = [body.decode() for path, _, body in upstream.asked if path == "/v1/responses"]
    assert any(evidence_in(body) and QUESTION in body for body in asked)
    assert server.key not in json.dumps([headers for _, headers, _ in upstream.asked])
