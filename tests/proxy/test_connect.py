"""``helix connect --write``: a client's own file, in a home of its own, with our entry and the rest as it was."""

import json
import os
import pty
import stat
import subprocess
import sys
import tomllib

import pytest
import yaml

from helix_ls.proxy.clients import CLIENTS, STARTED, TOOLS, Endpoint
from tests.mcp.conftest import repository

pytestmark = pytest.mark.slow

CHATS = ("claude-code", "codex-chats")
HOME_FILES = {
    "continue": ".continue/config.yaml",
    "zed": ".config/zed/settings.json",
    "zed-tools": ".config/zed/settings.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "cline-cli": ".cline/data/settings/cline_mcp_settings.json",
    "copilot": ".copilot/mcp-config.json",
    "codex-chats": ".codex/config.toml",
}
FILES = {
    **HOME_FILES,
    "claude": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "opencode.json",
    "continue-tools": ".continue/mcpServers/helix.yaml",
    "claude-code": ".claude/settings.local.json",
    "vscode": ".vscode/mcp.json",
}
BEFORE = {
    "continue": "name: Mine\nmodels:\n  - name: GPT # paid\n",
    "cursor": '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}},\n}\n',
    "zed": '{\n  "theme": "One", // nice\n}\n',
    "zed-tools": '{\n  "theme": "One", // nice\n}\n',
    "windsurf": '{"mcpServers": {"other": {"command": "x"}}}\n',
    "cline-cli": '{"mcpServers": {"other": {"command": "x"}}}\n',
    "copilot": '{"mcpServers": {"other": {"command": "x"}}}\n',
    "gemini": '{\n  "theme": "One"\n}\n',
    "opencode": '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    "continue-tools": "name: Mine\nversion: 2.0.0\nschema: v1\n",
    "codex": '# mine\nmodel = "o3"\n',
    "codex-chats": '# mine\nmodel = "o3"\n\n[mcp_servers.other]\ncommand = "x"\n',
    "claude-code": '{\n  "permissions": {"allow": []},\n  "env": {"OTHER": "1"}\n}\n',
    "claude": '{"mcpServers": {"other": {"command": "x"}}}\n',
    "vscode": '{\n\t"inputs": [],\n}\n',
}


@pytest.fixture
def run(server, tmp_path, project):
    """``helix connect CLIENT --write`` in a home of the test's own; the folder is a fresh repository."""
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    repository(folder)

    def connect(client, *arguments, **more):
        return subprocess.run(
            [sys.executable, "-m", "helix_ls.cli", "connect", client, "--path", str(folder), *arguments],
            env=server.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")},
            stdin=more.pop("stdin", subprocess.DEVNULL),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            **more,
        )

    connect.file = lambda client: (home if client in HOME_FILES else folder) / FILES[client]
    connect.home, connect.folder = home, folder
    return connect


def entry(client, file, folder):
    """Our entry as the client reads it."""
    text = file.read_text()
    if client == "continue":
        return yaml.safe_load(text)["models"][-1]
    if client == "continue-tools":
        return yaml.safe_load(text)["mcpServers"][-1]
    if client == "codex":
        return tomllib.loads(text)["mcp_servers"]["helix"]
    if client == "codex-chats":
        return tomllib.loads(text)["model_providers"]["helix"]
    lines = [line.partition(" //")[0] for line in text.splitlines() if not line.strip().startswith("//")]
    said = json.loads("\n".join(lines).replace(",\n}", "\n}"))
    return {
        **dict.fromkeys(("cursor", "gemini", "windsurf", "cline-cli", "copilot"), lambda: said["mcpServers"]["helix"]),
        "opencode": lambda: said["mcp"]["helix"],
        "zed-tools": lambda: said["context_servers"]["helix"],
        "claude": lambda: said["mcpServers"]["helix"],
        "claude-code": lambda: {name: said["env"][name] for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN")},
        "vscode": lambda: said["servers"]["helix"],
        "zed": lambda: said["language_models"]["openai_compatible"]["Helix"],
    }[client]()


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("client", list(FILES))
def test_each_clients_own_file_gets_the_entry_once_and_keeps_the_rest(run, server, client, begun):
    file = run.file(client)
    if begun:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(BEFORE[client])
        file.chmod(0o640)
    done = run(client, "--write", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("--- ") and "+++ " in done.stdout
    assert server.key not in done.stdout + done.stderr
    found = entry(client, file, run.folder)
    if client in ("continue", "zed"):
        assert server.url in json.dumps(found)
        assert "m" in (found.get("model"), *(one["name"] for one in found.get("available_models", ())))
    elif client in CHATS:
        assert {server.key} < set(found.values()) and any(server.url in value for value in found.values())
    else:
        command, *arguments = [found["command"], *found["args"]] if client != "opencode" else found["command"]
        assert (command == "helix") is (client not in HOME_FILES), "a colleague has no such folder"
        assert arguments[-1 - (client in ("cursor", "vscode")) :][0] == "mcp"
        assert str(run.folder) not in file.read_text()
    if client == "vscode":
        assert found["type"] == "stdio"
    backups = list(file.parent.glob("*.helix-backup"))
    mode = stat.S_IMODE(file.stat().st_mode)
    assert mode == (0o600 if client in ("continue", *CHATS) else 0o640 if begun else 0o644)
    if begun:
        assert [one.read_text() for one in backups] == [BEFORE[client]]
        assert stat.S_IMODE(backups[0].stat().st_mode) == mode
        for line in BEFORE[client].strip().splitlines():
            assert line.rstrip(",}\n").rstrip() in file.read_text()
    else:
        assert backups == []
    after = file.read_bytes()
    again = run(client, "--write", "--yes", "--json")
    assert json.loads(again.stdout) == {"client": client, "path": str(file), "changed": False, "backup": None}
    assert "already up to date" in again.stderr
    assert (file.read_bytes(), list(file.parent.glob("*.helix-backup"))) == (after, backups)
    assert sorted(one.name for one in file.parent.iterdir() if one.name.startswith(f".{file.name}.")) == []


STDIO = {"command": str, "args": list}
ACCEPTED = {
    "vscode": STDIO | {"type": "stdio", "cwd": str, "env": dict, "envFile": str, "sandboxEnabled": bool, "dev": dict},
    "opencode": {"type": "local", "command": list, "environment": dict, "enabled": bool, "timeout": int},
    "continue-tools": STDIO | {"name": str, "type": "stdio", "env": dict, "cwd": str, "connectionTimeout": int},
    "cline-cli": STDIO | {"type": "stdio", "cwd": str, "env": dict},
    "codex": STDIO | {"env": dict, "cwd": str, "enabled": bool},
    "gemini": STDIO | {"env": dict, "cwd": str, "timeout": int, "trust": bool},
    "copilot": STDIO | {"type": "local", "tools": list, "env": dict},
    "claude": STDIO | {"type": "stdio", "env": dict},
}
"""Members of an entry that starts a server, of those that its client accepts: a type, or the one value.

Read on 2026-11-23 in the schema of ``mcp.json`` of VS Code 1.117.0, which allows no others, and in ``@opencode-ai/sdk``
1.19.3, ``@continuedev/config-yaml`` 1.42.0 and ``@cline/core`` 0.0.86, and tried in codex-cli 0.169.0, Gemini CLI
0.61.0, Copilot CLI 1.0.102 and Claude Code 2.1.197.
"""
REQUIRED = {"vscode": {"command"}, "opencode": {"type", "command"}, "continue-tools": {"name", "command"}}


@pytest.mark.parametrize("is_users", [False, True])
@pytest.mark.parametrize("client", list(ACCEPTED))
def test_an_entry_has_what_its_client_requires_and_nothing_that_it_refuses(client, is_users):
    started = STARTED[client]
    if is_users and not started.home:
        return
    found = started.entry(Endpoint("http://127.0.0.1:1/v1", "k", "/work", is_users=is_users))
    accepted = ACCEPTED[client]
    assert REQUIRED.get(client, {"command", "args"}) <= set(found) <= set(accepted)
    for name, value in found.items():
        fits = isinstance(value, accepted[name]) if isinstance(accepted[name], type) else value == accepted[name]
        assert fits, (name, value)
        assert not isinstance(value, list) or all(isinstance(one, str) for one in value)


def test_a_file_of_the_user_names_no_folder_and_is_written_where_asked_for(run):
    done = run("codex", "--write", "--yes", "--user")
    assert done.returncode == 0, done.stderr
    entry = tomllib.loads((run.home / ".codex/config.toml").read_text())["mcp_servers"]["helix"]
    assert entry["args"][-1] == "mcp"
    assert os.path.isabs(entry["command"])
    assert not (run.folder / ".codex").exists()
    assert "in the workspace only" in run("claude", "--user").stderr
    assert "--user applies to tools" in run("continue", "--user").stderr


def test_the_paragraph_for_agents_is_renewed_in_its_place(run):
    file = run.folder / "AGENTS.md"
    file.write_text("# House rules\n\nKnock first.\n")
    assert run("agents", "--write", "--yes").returncode == 0
    text = file.read_text()
    assert text.startswith("# House rules\n\nKnock first.\n\n<!-- helix: begin -->")
    assert "helix_uses" in text
    file.write_text(text.replace("helix_uses", "helix_old") + "\nLast word.\n")
    assert run("agents", "--write", "--yes").returncode == 0
    assert file.read_text() == text + "\nLast word.\n"
    assert "already up to date" in run("agents", "--write", "--yes").stderr


def test_nothing_is_written_without_being_asked_for(run):
    done = run("cursor", "--write")
    assert done.returncode == 2 and "--yes" in done.stderr
    assert not run.file("cursor").exists()


@pytest.mark.parametrize(("said", "is_written"), [("y", True), ("n", False)])
def test_a_terminal_is_asked_after_it_was_shown_the_change(run, said, is_written):
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{said}\n".encode())
        done = run("cursor", "--write", stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert "+++ " in done.stdout and "Write " in done.stderr
    assert (done.returncode == 0, run.file("cursor").exists()) == (is_written, is_written)


def test_a_link_in_the_home_is_followed_and_one_in_the_workspace_refused(run, tmp_path):
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}\n")
    run.file("windsurf").parent.mkdir(parents=True)
    run.file("windsurf").symlink_to(kept)
    assert run("windsurf", "--write", "--yes").returncode == 0
    assert run.file("windsurf").is_symlink() and "helix" in kept.read_text()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}\n")
    (run.folder / ".vscode").symlink_to(outside)
    run.file("claude").symlink_to(outside / "mcp.json")
    for client in ("vscode", "claude"):
        done = run(client, "--write", "--yes")
        assert done.returncode == 1 and "is a link" in done.stderr and done.stderr.count("\n") == 1
    assert (outside / "mcp.json").read_text() == "{}\n"


@pytest.mark.parametrize("client", list(FILES))
def test_a_file_that_cannot_be_understood_is_left_and_the_next_action_named(run, client):
    file = run.file(client)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a: [\n{ = \n")
    done = run(client, "--write", "--yes")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is left as it is" in done.stderr and "without --write" in done.stderr
    assert file.read_text() == "a: [\n{ = \n"
    file.write_bytes(b"\xff")
    assert "UTF-8" in run(client, "--write", "--yes").stderr
    file.unlink()
    file.mkdir()
    assert run(client, "--write", "--yes").returncode == 1


def test_a_client_without_a_file_says_what_to_do_instead(run):
    done = run("cline", "--write", "--yes")
    assert done.returncode == 2 and "inside VS Code" in done.stderr
    assert run("openai", "--write", "--yes").returncode == 2
    assert run("emacs", "--write", "--yes").returncode == 2


def test_each_chat_client_that_has_tools_names_a_client_that_starts_them():
    assert TOOLS.keys() < CLIENTS.keys() and set(TOOLS.values()) <= STARTED.keys()
