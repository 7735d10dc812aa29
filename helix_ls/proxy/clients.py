"""What to write into a client's own configuration so that it asks this server. Pure; writes nothing anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from helix_core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``base_url`` ends in /v1; ``model`` is the name to show where a client wants one; ``command`` starts helix."""

    base_url: str
    key: str = field(repr=False)
    workspace: str = ""
    model: str = "MODEL"
    command: tuple[str, ...] = ("helix",)


@dataclass(frozen=True, slots=True)
class Configuration:
    """``where`` it goes, in words, and the text."""

    where: str
    text: str


def configuration(client: str, endpoint: Endpoint) -> Configuration:
    """The configuration for a client. Raises UsageError for one that nobody knows."""
    made = CLIENTS.get(client)
    if made is None:
        raise UsageError(f"unknown client {client!r}; use one of {', '.join(CLIENTS)}")
    return made(endpoint)


def _openai(to: Endpoint) -> Configuration:
    return Configuration(
        "the environment of any OpenAI client", f"OPENAI_BASE_URL={to.base_url}\nOPENAI_API_KEY={to.key}"
    )


def _admin(to: Endpoint) -> Configuration:
    url = to.base_url.removesuffix("/v1")
    return Configuration("the environment of what administers Helix", f"HELIX_URL={url}\nHELIX_ADMIN_KEY={to.key}")


def _continue(to: Endpoint) -> Configuration:
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
    return Configuration("~/.continue/config.yaml", text)


def _cursor(to: Endpoint) -> Configuration:
    return _mcp("~/.cursor/mcp.json", "mcpServers", to)


def _cline(to: Endpoint) -> Configuration:
    lines = (
        "API Provider: OpenAI Compatible",
        f"Base URL: {to.base_url}",
        f"API Key: {to.key}",
        f"Model ID: {to.model}",
    )
    return Configuration("Cline's settings, API Configuration", "\n".join(lines))


def _zed(to: Endpoint) -> Configuration:
    model = {"name": to.model, "display_name": to.model, "max_tokens": 32_000}
    text = {"language_models": {"openai_compatible": {"Helix": {"api_url": to.base_url, "available_models": [model]}}}}
    note = f"// Zed asks for the key in its agent settings, or takes it from its environment: HELIX_API_KEY={to.key}"
    return Configuration("~/.config/zed/settings.json", f"{note}\n{_json(text)}")


def _claude(to: Endpoint) -> Configuration:
    return _mcp(".mcp.json in the workspace", "mcpServers", to)


def _codex(to: Endpoint) -> Configuration:
    text = "\n".join(
        (
            "[mcp_servers.helix]",
            f"command = {json.dumps(to.command[0])}",
            f"args = {json.dumps([*to.command[1:], 'mcp', to.workspace])}",
        )
    )
    return Configuration("~/.codex/config.toml", text)


def _vscode(to: Endpoint) -> Configuration:
    return _mcp(".vscode/mcp.json in the workspace", "servers", to)


def _mcp(where: str, section: str, to: Endpoint) -> Configuration:
    started = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    return Configuration(where, _json({section: {"helix": started}}))


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


CLIENTS: dict[str, Callable[[Endpoint], Configuration]] = {
    "openai": _openai,
    "admin": _admin,
    "continue": _continue,
    "cursor": _cursor,
    "cline": _cline,
    "zed": _zed,
    "claude": _claude,
    "codex": _codex,
    "vscode": _vscode,
}
# These start helix themselves, over MCP: their own servers cannot reach an address on this machine.
STARTERS = frozenset(("cursor", "claude", "codex", "vscode"))
