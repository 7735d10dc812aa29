"""Configuration snippets of each client for this server, and the location of each client's settings file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helix_core.errors import UsageError
from helix_ls.proxy.config_files import FileEdit, Merge, planned, with_entry, with_member, with_table


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``base_url`` ends in /v1; ``model`` is the name to show where a client needs one; ``command`` starts helix."""

    base_url: str
    key: str = field(repr=False)
    workspace: str = ""
    model: str = "MODEL"
    command: tuple[str, ...] = ("helix",)


@dataclass(frozen=True, slots=True)
class ClientSnippet:
    """A snippet, and ``where`` to put it, in words."""

    where: str
    text: str


def configuration(client: str, endpoint: Endpoint) -> ClientSnippet:
    """Return the snippet for a client. Raises UsageError for an unknown one."""
    made = CLIENTS.get(client)
    if made is None:
        raise UsageError(f"unknown client {client!r}; use one of {', '.join(CLIENTS)}")
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


def _cursor(to: Endpoint) -> ClientSnippet:
    return _mcp("~/.cursor/mcp.json", "mcpServers", to)


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


def _claude(to: Endpoint) -> ClientSnippet:
    return _mcp(".mcp.json in the workspace", "mcpServers", to)


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


def _codex(to: Endpoint) -> ClientSnippet:
    text = "\n".join(
        (
            "[mcp_servers.helix]",
            f"command = {json.dumps(to.command[0])}",
            f"args = {json.dumps([*to.command[1:], 'mcp', to.workspace])}",
        )
    )
    return ClientSnippet("~/.codex/config.toml", text)


def _vscode(to: Endpoint) -> ClientSnippet:
    return _mcp(".vscode/mcp.json in the workspace", "servers", to)


def _mcp(where: str, section: str, to: Endpoint) -> ClientSnippet:
    started = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    return ClientSnippet(where, _json({section: {"helix": started}}))


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


CLIENTS: dict[str, Callable[[Endpoint], ClientSnippet]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "ollama": _ollama,
    "admin": _admin,
    "continue": _continue,
    "cursor": _cursor,
    "cline": _cline,
    "zed": _zed,
    "claude": _claude,
    "codex": _codex,
    "vscode": _vscode,
    "claude-code": _claude_code,
    "codex-chats": _codex_chats,
}
ENVIRONMENTS = frozenset(("openai", "anthropic", "ollama", "admin"))
"""Clients that read the address and the key from their environment, and have no file."""
# These clients choose the model themselves.
CHOOSERS = frozenset(("claude-code",))
# These clients start helix over MCP: their own servers cannot reach an address on this machine.
STARTERS = frozenset(("cursor", "claude", "codex", "vscode"))


NEW_CONTINUE = "name: Local\nversion: 1.0.0\nschema: v1\n"


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
    made = _FILES.get(client)
    if made is None:
        names = ", ".join(_FILES)
        said = "Cline keeps its settings inside VS Code" if client == "cline" else f"{client} has no settings file"
        raise UsageError(f"{said}; paste what is printed without --write (it writes for {names})")
    return made(to, environ)


def _home(environ: Mapping[str, str], variable: str, *default: str) -> Path:
    named = environ.get(variable, "")
    return Path(named) if named and Path(named).is_absolute() else Path.home().joinpath(*default)


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


def _codex_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    table = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    file = _home(environ, "CODEX_HOME", ".codex") / "config.toml"
    return OwnFile(file, lambda text: with_table(text, ("mcp_servers", "helix"), table))


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


def _cursor_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    return OwnFile(Path.home() / ".cursor" / "mcp.json", _starts(to, "mcpServers"))


def _claude_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    folder = Path(to.workspace)
    return OwnFile(folder / ".mcp.json", _starts(to, "mcpServers"), inside=folder)


def _vscode_file(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    folder = Path(to.workspace)
    return OwnFile(folder / ".vscode" / "mcp.json", _starts(to, "servers"), inside=folder)


def _starts(to: Endpoint, section: str) -> Merge:
    entry = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    return lambda text: with_member(text, (section, "helix"), entry)


_FILES: dict[str, Callable[[Endpoint, Mapping[str, str]], OwnFile]] = {
    "continue": _continue_file,
    "cursor": _cursor_file,
    "zed": _zed_file,
    "claude": _claude_file,
    "codex": _codex_file,
    "vscode": _vscode_file,
    "claude-code": _claude_code_file,
    "codex-chats": _codex_chats_file,
}
