"""Where each client keeps its settings, and our entry in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helix_core.errors import UsageError
from helix_ls.proxy.clients import Endpoint
from helix_ls.proxy.merge.change import Change, Merge, planned
from helix_ls.proxy.merge.jsonc import with_member
from helix_ls.proxy.merge.toml_text import with_table
from helix_ls.proxy.merge.yaml_text import with_entry

NEW_CONTINUE = "name: Local\nversion: 1.0.0\nschema: v1\n"


@dataclass(frozen=True, slots=True)
class OwnFile:
    """``inside`` is the workspace a file belongs to, None for one of the user's home; ``note`` is for the user."""

    path: Path
    merge: Merge
    inside: Path | None = None
    secret: str = field(default="", repr=False)
    note: str = ""

    def change(self) -> Change:
        """What would be written. Raises FileError."""
        return planned(self.path, self.merge, inside=self.inside, secret=self.secret)


def own_file(client: str, to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    """The client's file. Raises UsageError for one that keeps no file, or none we may write."""
    made = _FILES.get(client)
    if made is None:
        names = ", ".join(_FILES)
        said = "Cline keeps its settings inside VS Code" if client == "cline" else f"{client} has no settings file"
        raise UsageError(f"{said}; paste what is printed without --write (it writes for {names})")
    return made(to, environ)


def _home(environ: Mapping[str, str], variable: str, *default: str) -> Path:
    named = environ.get(variable, "")
    return Path(named) if named and Path(named).is_absolute() else Path.home().joinpath(*default)


def _continue(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
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


def _zed(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    model = {"name": to.model, "display_name": to.model, "max_tokens": 32_000}
    entry = {"api_url": to.base_url, "available_models": [model]}
    path = ("language_models", "openai_compatible", "Helix")
    file = _home(environ, "XDG_CONFIG_HOME", ".config") / "zed" / "settings.json"
    note = "Zed asks for the key itself, in its agent settings; it is printed by: helix connect openai"
    return OwnFile(file, lambda text: with_member(text, path, entry), note=note)


def _codex(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:
    table = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    file = _home(environ, "CODEX_HOME", ".codex") / "config.toml"
    return OwnFile(file, lambda text: with_table(text, ("mcp_servers", "helix"), table))


def _cursor(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    return OwnFile(Path.home() / ".cursor" / "mcp.json", _starts(to, "mcpServers"))


def _claude(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    folder = Path(to.workspace)
    return OwnFile(folder / ".mcp.json", _starts(to, "mcpServers"), inside=folder)


def _vscode(to: Endpoint, environ: Mapping[str, str]) -> OwnFile:  # noqa: ARG001
    folder = Path(to.workspace)
    return OwnFile(folder / ".vscode" / "mcp.json", _starts(to, "servers"), inside=folder)


def _starts(to: Endpoint, section: str) -> Merge:
    entry = {"command": to.command[0], "args": [*to.command[1:], "mcp", to.workspace]}
    return lambda text: with_member(text, (section, "helix"), entry)


_FILES: dict[str, Callable[[Endpoint, Mapping[str, str]], OwnFile]] = {
    "continue": _continue,
    "cursor": _cursor,
    "zed": _zed,
    "claude": _claude,
    "codex": _codex,
    "vscode": _vscode,
}
