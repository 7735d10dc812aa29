"""Configuration snippets of each client for this server, and the location of each client's settings file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import Any, Literal

from helix_core.errors import UsageError
from helix_ls.proxy.config_files import FileEdit, Merge, planned, with_entry, with_member, with_table


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``base_url`` ends in /v1; ``model`` is the name to show where a client needs one; ``command`` starts helix on
    this machine, and goes only into files of this user. ``is_users`` asks for the user's file, not the project's;
    ``is_served`` says that the running server serves the workspace.
    """

    base_url: str
    key: str = field(repr=False)
    workspace: str = ""
    model: str = "MODEL"
    command: tuple[str, ...] = ("helix",)
    is_users: bool = False
    is_served: bool = False


@dataclass(frozen=True, slots=True)
class ClientSnippet:
    """A snippet, and ``where`` to put it, in words."""

    where: str
    text: str


def configuration(client: str, endpoint: Endpoint) -> ClientSnippet:
    """Return the snippet for a client. Raises UsageError for an unknown one."""
    if started := STARTED.get(client):
        return started.snippet(endpoint)
    if client == AGENTS:
        return ClientSnippet("AGENTS.md in the workspace", AGENTS_TEXT)
    made = CLIENTS.get(client)
    if made is None:
        raise UsageError(f"unknown client {client!r}; use one of {', '.join([*CLIENTS, *STARTED, AGENTS])}")
    return made(endpoint)


def _openai(to: Endpoint) -> ClientSnippet:
    return ClientSnippet(
        "the environment of any OpenAI client", f"OPENAI_BASE_URL={to.base_url}\nOPENAI_API_KEY={to.key}"
    )


def _admin(to: Endpoint) -> ClientSnippet:
    url = to.base_url.removesuffix("/v1")
    return ClientSnippet("the environment of what administers Helix", f"HELIX_URL={url}\nHELIX_ADMIN_KEY={to.key}")


def _continue(to: Endpoint) -> ClientSnippet:
    text = "\n".join(
        (
            "models:",
            "  - name: Helix",
            "    provider: openai",
            f"    model: {to.model}",
            f"    apiBase: {to.base_url}",
            f"    apiKey: {to.key}",
            "    roles: [chat, edit, apply]",
        )
    )
    return ClientSnippet("~/.continue/config.yaml", text)


def _cline(to: Endpoint) -> ClientSnippet:
    lines = (
        "API Provider: OpenAI Compatible",
        f"Base URL: {to.base_url}",
        f"API Key: {to.key}",
        f"Model ID: {to.model}",
    )
    return ClientSnippet("Cline's settings, API Configuration", "\n".join(lines))


def _zed(to: Endpoint) -> ClientSnippet:
    model = {"name": to.model, "display_name": to.model, "max_tokens": 32_000}
    text = {"language_models": {"openai_compatible": {"Helix": {"api_url": to.base_url, "available_models": [model]}}}}
    note = f"// Zed asks for the key in its agent settings, or takes it from its environment: HELIX_API_KEY={to.key}"
    return ClientSnippet("~/.config/zed/settings.json", f"{note}\n{_json(text)}")


def _anthropic(to: Endpoint) -> ClientSnippet:
    # Its clients append /v1 themselves.
    text = f"ANTHROPIC_BASE_URL={_root(to)}\nANTHROPIC_API_KEY={to.key}"
    return ClientSnippet("the environment of any Anthropic client", text)


def _ollama(to: Endpoint) -> ClientSnippet:
    return ClientSnippet("the environment of an Ollama client", f"OLLAMA_HOST={_root(to)}\nOLLAMA_API_KEY={to.key}")


def _claude_code(to: Endpoint) -> ClientSnippet:
    return ClientSnippet(".claude/settings.local.json in the workspace", _json({"env": _claude_variables(to)}))


def _claude_variables(to: Endpoint) -> dict[str, str]:
    """Return the variables of Claude Code's documentation, "LLM gateway"; a token is sent as Bearer."""
    return {"ANTHROPIC_BASE_URL": _root(to), "ANTHROPIC_AUTH_TOKEN": to.key}


def _codex_chats(to: Endpoint) -> ClientSnippet:
    lines = (f"{name} = {json.dumps(value)}" for name, value in _codex_provider(to).items())
    note = f"# Then: codex -c 'model_provider=\"helix\"' -m {to.model}"
    return ClientSnippet("~/.codex/config.toml", "\n".join((note, "[model_providers.helix]", *lines)))


def _codex_provider(to: Endpoint) -> dict[str, str]:
    """Return a model provider as Codex's configuration reference has it; ``responses`` is the only API it speaks."""
    return {
        "name": "Helix",
        "base_url": to.base_url,
        "wire_api": "responses",
        "experimental_bearer_token": to.key,
    }


def _root(to: Endpoint) -> str:
    return to.base_url.removesuffix("/v1")


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


CLIENTS: dict[str, Callable[[Endpoint], ClientSnippet]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "ollama": _ollama,
    "admin": _admin,
    "continue": _continue,
    "cline": _cline,
    "zed": _zed,
    "claude-code": _claude_code,
    "codex-chats": _codex_chats,
}
ENVIRONMENTS = frozenset(("openai", "anthropic", "ollama", "admin"))
"""Clients that read the address and the key from their environment, and have no file."""
# These clients choose the model themselves.
CHOOSERS = frozenset(("claude-code",))
TOOLS = {
    "continue": "continue-tools",
    "cline": "cline-tools",
    "zed": "zed-tools",
    "claude-code": "claude",
    "codex-chats": "codex",
}
"""A client of chats, and its name as a client of tools, which starts Helix itself."""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A client's settings file. ``inside`` is the workspace it belongs to, None for one of the user's home; ``note``
    is for the user.
    """

    path: Path
    merge: Merge
    inside: Path | None = None
    secret: str = field(default="", repr=False)
    note: str = ""

    def change(self) -> FileEdit:
        """Return the edit to make. Raises FileError."""
        return planned(self.path, self.merge, inside=self.inside, secret=self.secret)


def own_file(client: str, to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    """Return the client's file. Raises UsageError for one without a file, or with one we may not write."""
    if started := STARTED.get(client):
        return started.file(to, environ)
    if client == AGENTS:
        folder = Path(to.workspace)
        return OwnFile(folder / "AGENTS.md", _with_agents_text, inside=folder)
    made = _FILES.get(client)
    if made is None:
        names = ", ".join([*_FILES, *STARTED, AGENTS])
        message = "Cline keeps its settings inside VS Code" if client == "cline" else f"{client} has no settings file"
        raise UsageError(f"{message}; paste what is printed without --write (it writes for {names})")
    return made(to, environ)


def _home(environ: Mapping[str, str], variable: str, *default: str) -> Path:
    named = environ.get(variable, "")
    return Path(named) if named and Path(named).is_absolute() else Path.home().joinpath(*default)


AGENTS = "agents"
_BEGIN, _END = "<!-- helix: begin -->", "<!-- helix: end -->"
AGENTS_TEXT = f"""{_BEGIN}
## Helix

Helix knows this repository and says whether each place it names is still true on disk.

- Ask `helix_context_packet` first when you do not know where something is; grep for a literal string is as good.
- Ask `helix_uses` before you change, rename or delete a symbol: callers, tests, documents, overrides; `depth` 2 for
  what a change reaches.
- After edits, ask `helix_refresh_targets` with the `packet_id` before you rely on an earlier answer.
- Places of a packet are verified unless marked. Read a `needs_refresh` place again with `helix_open`; say so when you
  use a `stale_risk`.
- Cite `path:line` of what you rely on. `known_empty` means that it is not here: say that instead of guessing.
{_END}"""


def _with_agents_text(text: str) -> str:
    """Return the text with the paragraph for agents: in place of the earlier one, else at the end."""
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if begin and end:
        return f"{before}{AGENTS_TEXT}{after}"
    return f"{text.rstrip()}\n\n{AGENTS_TEXT}\n".lstrip()


NEW_CONTINUE = "name: Local\nversion: 1.0.0\nschema: v1\n"
NEW_CONTINUE_TOOLS = "name: Helix\nversion: 1.0.0\nschema: v1\n"
Form = Literal["json", "toml", "yaml"]


@dataclass(frozen=True, slots=True)
class StartedClient:
    """A client that starts helix over MCP: its own servers cannot reach an address on this machine.

    ``project`` is its file in a workspace, shared with colleagues, so it names the command alone; ``home`` its file of
    the user, for every folder, so it names no folder. ``place`` is where the entry goes, ``more`` what it has besides
    the command and ``arguments``; with ``is_list`` the command is a list with its arguments. ``variable`` is an
    environment variable that moves the first folder of ``home``. A client that opens no folders ``names_folder``.
    """

    place: tuple[str, ...]
    project: str = ""
    home: str = ""
    arguments: tuple[str, ...] = ("mcp",)
    more: Mapping[str, Any] = field(default_factory=dict)
    form: Form = "json"
    is_list: bool = False
    variable: str = ""
    names_folder: bool = False

    def snippet(self, to: Endpoint) -> ClientSnippet:
        """Return what to write, and where."""
        entry, where = self.entry(to), f"{self.project} in the workspace" if self.is_project(to) else f"~/{self.home}"
        if self.form == "toml":
            lines = (f"{name} = {json.dumps(value)}" for name, value in entry.items())
            return ClientSnippet(where, "\n".join((f"[{'.'.join(self.place)}]", *lines)))
        if self.form == "yaml":
            lines = (f"    {name}: {json.dumps(value)}" for name, value in entry.items() if name != "name")
            return ClientSnippet(where, "\n".join((f"{NEW_CONTINUE_TOOLS}mcpServers:", "  - name: Helix", *lines)))
        value: Any = entry
        for name in reversed(self.place):
            value = {name: value}
        return ClientSnippet(where, _json(value))

    def is_project(self, to: Endpoint) -> bool:
        """Return whether the project's file is meant. Raises UsageError where the client has none of the user."""
        if to.is_users and not self.home:
            raise UsageError(f"this client has {self.project} in the workspace only; leave --user out")
        return bool(self.project) and not to.is_users

    def entry(self, to: Endpoint) -> dict[str, Any]:
        """Return the entry: on PATH in a project's file, this installation's in a file of the user."""
        is_project = self.is_project(to)
        command, *first = ("helix",) if is_project else to.command
        arguments = [*first, *(self.arguments if is_project else self.arguments[:1])]
        if self.names_folder:
            arguments.append(to.workspace)
        if self.is_list:
            return {**self.more, "command": [command, *arguments]}
        return {**self.more, "command": command, "args": arguments}

    def file(self, to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
        """Return the client's file with the entry to merge."""
        entry, folder = self.entry(to), Path(to.workspace)

        def merge(text: str) -> str:
            if self.form == "toml":
                return with_table(text, self.place, entry)
            if self.form == "yaml":
                return with_entry(text, self.place[0], entry, new_file=NEW_CONTINUE_TOOLS)
            return with_member(text, self.place, entry)

        if self.is_project(to):
            note = "" if which("helix") else "helix is not on your PATH; the file names it so, for everybody's machine"
            return OwnFile(folder / self.project, merge, inside=folder, note=note)
        first, *rest = Path(self.home).parts
        return OwnFile(_home(environ, self.variable, first).joinpath(*rest), merge)


_FOLDER = ("mcp", "${workspaceFolder}")
_CLINE = "saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
STARTED: dict[str, StartedClient] = {
    "claude": StartedClient(("mcpServers", "helix"), ".mcp.json"),
    "cursor": StartedClient(("mcpServers", "helix"), ".cursor/mcp.json", ".cursor/mcp.json", _FOLDER),
    "vscode": StartedClient(("servers", "helix"), ".vscode/mcp.json", "", _FOLDER, {"type": "stdio"}),
    "codex": StartedClient(
        ("mcp_servers", "helix"), ".codex/config.toml", ".codex/config.toml", form="toml", variable="CODEX_HOME"
    ),
    "gemini": StartedClient(("mcpServers", "helix"), ".gemini/settings.json", ".gemini/settings.json"),
    "opencode": StartedClient(
        ("mcp", "helix"),
        "opencode.json",
        ".config/opencode/opencode.json",
        more={"type": "local"},
        is_list=True,
        variable="XDG_CONFIG_HOME",
    ),
    "continue-tools": StartedClient(
        ("mcpServers",), ".continue/mcpServers/helix.yaml", more={"name": "Helix"}, form="yaml"
    ),
    "zed-tools": StartedClient(
        ("context_servers", "helix"), home=".config/zed/settings.json", variable="XDG_CONFIG_HOME"
    ),
    "cline-tools": StartedClient(
        ("mcpServers", "helix"), home=f".config/Code/User/globalStorage/{_CLINE}", variable="XDG_CONFIG_HOME"
    ),
    "cline-cli": StartedClient(
        ("mcpServers", "helix"), home=".cline/data/settings/cline_mcp_settings.json", more={"type": "stdio"}
    ),
    "windsurf": StartedClient(("mcpServers", "helix"), home=".codeium/windsurf/mcp_config.json"),
    "claude-desktop": StartedClient(
        ("mcpServers", "helix"),
        home=".config/Claude/claude_desktop_config.json",
        variable="XDG_CONFIG_HOME",
        names_folder=True,
    ),
    "copilot": StartedClient(
        ("mcpServers", "helix"), home=".copilot/mcp-config.json", more={"type": "local", "tools": ["*"]}
    ),
}
"""Clients that start helix over MCP."""


def _continue_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    entry = {
        "name": "Helix",
        "provider": "openai",
        "model": to.model,
        "apiBase": to.base_url,
        "apiKey": to.key,
        "roles": ["chat", "edit", "apply"],
    }
    file = _home(environ, "CONTINUE_GLOBAL_DIR", ".continue") / "config.yaml"
    return OwnFile(file, lambda text: with_entry(text, "models", entry, new_file=NEW_CONTINUE), secret=to.key)


def _zed_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    model = {"name": to.model, "display_name": to.model, "max_tokens": 32_000}
    entry = {"api_url": to.base_url, "available_models": [model]}
    path = ("language_models", "openai_compatible", "Helix")
    file = _home(environ, "XDG_CONFIG_HOME", ".config") / "zed" / "settings.json"
    note = "Zed asks for the key itself, in its agent settings; it is printed by: helix connect openai"
    return OwnFile(file, lambda text: with_member(text, path, entry), note=note)


def _codex_chats_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    file = _home(environ, "CODEX_HOME", ".codex") / "config.toml"
    table, path = _codex_provider(to), ("model_providers", "helix")
    note = f"Codex uses it where it is told to: codex -c 'model_provider=\"helix\"' -m {to.model}"
    return OwnFile(file, lambda text: with_table(text, path, table), secret=to.key, note=note)


def _claude_code_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    folder = Path(to.workspace)

    def merge(text: str) -> str:
        for name, value in _claude_variables(to).items():
            text = with_member(text, ("env", name), value)
        return text

    note = "the file holds your key: keep it out of git, and unset ANTHROPIC_API_KEY, which goes first"
    file = folder / ".claude" / "settings.local.json"
    return OwnFile(file, merge, inside=folder, secret=to.key, note=note)


def _starts(to: Endpoint, section: str) -> Merge:
    entry = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    return lambda text: with_member(text, (section, "helix"), entry)


_FILES: dict[str, Callable[[Endpoint, Mapping[str, str]], OwnFile]] = {
    "continue": _continue_file,
    "zed": _zed_file,
    "claude-code": _claude_code_file,
    "codex-chats": _codex_chats_file,
}
