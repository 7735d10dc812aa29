"""``helix connect``: what to write into a client's configuration, with the key of this user's server; or write it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.errors import UsageError
from helix_ls.cli.options import HERE, Json, PathOption
from helix_ls.cli.output import complain, print_json, print_text, warn

if TYPE_CHECKING:
    from helix_ls.proxy.clients import Endpoint

ANY_MODEL = "MODEL"


def connect(
    client: Annotated[
        str,
        typer.Argument(
            help="openai, anthropic, ollama, continue, cline, zed, claude-code or codex-chats for chats; cursor, "
            "claude, claude-desktop, codex, vscode, gemini, opencode, copilot, windsurf, continue-tools, zed-tools, "
            "cline-tools or cline-cli for tools; agents for a paragraph of AGENTS.md; admin; or upstream NAME."
        ),
    ],
    name: Annotated[str, typer.Argument(help="The name of an upstream in your settings.", show_default=False)] = "",
    *,
    path: PathOption = HERE,
    model: Annotated[str, typer.Option("--model", help="The model's name at the upstream.")] = ANY_MODEL,
    write: Annotated[
        bool, typer.Option("--write", help="Write it to the client's own file, after confirmation.")
    ] = False,
    user: Annotated[
        bool, typer.Option("--user", help="For tools: your own file, for every folder, instead of the project's.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --write: do not ask for confirmation.")] = False,
    key: Annotated[
        bool,
        typer.Option("--key", help="For an upstream: store its key in the key ring; read without echo or from stdin."),
    ] = False,
    forget_key: Annotated[
        bool, typer.Option("--forget-key", help="For an upstream: delete its key from the key ring.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print how a client reaches Helix: the server that runs (see helix serve), or helix mcp."""
    if client == "upstream":
        _upstream(name, key=key, forget_key=forget_key, as_json=as_json)
        return
    if name or key or forget_key:
        raise UsageError("NAME, --key and --forget-key apply only to: helix connect upstream NAME")
    workspace = os.path.realpath(path)
    endpoint = _endpoint(client, workspace, model, is_users=user)
    if write:
        _write(client, endpoint, yes=yes, as_json=as_json)
        return
    from helix_ls.proxy.clients import ENVIRONMENTS, configuration

    made = configuration(client, endpoint)
    answer: dict[str, Any] = {}
    if endpoint.key:
        served = endpoint.workspace if endpoint.is_served else None
        answer = {"base_url": endpoint.base_url, "api_key": endpoint.key, "workspace": served}
    if client not in ENVIRONMENTS:
        answer |= {"where": made.where, "configuration": made.text}
    if as_json:
        print_json(answer)
        return
    complain(f"note: for {made.where}")
    print_text(made.text + "\n")


def _endpoint(client: str, workspace: str, model: str, *, is_users: bool) -> Endpoint:
    from helix_ls.proxy.clients import CLIENTS, STARTED, TOOLS, Endpoint
    from helix_ls.proxy.keys import admins_key, users_key
    from helix_ls.proxy.running import NotRunningError, found

    if is_users and client not in STARTED:
        raise UsageError(f"--user applies to tools: {', '.join(STARTED)}")
    if client in STARTED or client not in CLIENTS:
        return Endpoint("", "", workspace, model, _command(), is_users)
    key = admins_key(os.environ) if client == "admin" else users_key(os.environ)
    try:
        running = found(os.environ, key, workspace)
    except NotRunningError as error:
        if (tools := TOOLS.get(client)) is None:
            raise
        raise NotRunningError(f"{error}; its tools need none: helix connect {tools}") from error
    return Endpoint(f"{running.url}/v1", key, workspace, model, is_served=workspace in running.workspaces)


def _write(client: str, endpoint: Endpoint, *, yes: bool, as_json: bool) -> None:
    from dataclasses import replace

    from helix_ls.proxy.clients import CHOOSERS, configuration, own_file

    configuration(client, endpoint)
    if endpoint.key and endpoint.model == ANY_MODEL and client not in CHOOSERS:
        endpoint = replace(endpoint, model=_first_model(endpoint))
    file = own_file(client, endpoint, os.environ)
    change = file.change()
    answer: dict[str, Any] = {"client": client, "path": str(change.path), "changed": change.is_needed, "backup": None}
    if not change.is_needed:
        complain(f"note: {change.path} is already up to date")
    else:
        if not as_json:
            print_text(change.diff())
        if not yes and not _agreed(change.path):
            raise typer.Exit(1)
        backup = change.write()
        answer |= {"backup": str(backup) if backup is not None else None, "diff": change.diff()}
        complain(
            f"note: written to {change.path}"
            + (f"; the previous file is saved as {backup.name}" if backup is not None else "")
        )
        warn([file.note] if file.note else [])
    if as_json:
        print_json(answer)


def _agreed(path: Path) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"{path} is not written without confirmation; add --yes")
    return typer.confirm(f"Write {path}?", err=True)


def _first_model(endpoint: Endpoint) -> str:
    """Return the first model of the running server; a client's file needs a real one."""
    import httpx

    headers = {"Authorization": f"Bearer {endpoint.key}"}
    try:
        answer = httpx.get(f"{endpoint.base_url}/models", headers=headers, trust_env=False, timeout=15)
        names = [each["id"] for each in answer.json()["data"]]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        names = []
    if not names:
        raise UsageError("the server lists no models; name one with --model")
    return str(names[0])


def _upstream(name: str, *, key: bool, forget_key: bool, as_json: bool) -> None:
    from helix_core.config import load_config
    from helix_ls.proxy.keys import forget, keep, key_of, named
    from helix_ls.proxy.presets import traits_of

    config = load_config(None)
    warn(config.warnings)
    upstream = named(config, name)
    if key:
        keep(upstream, _read_key(name), os.environ)
        complain(f"note: the key of {name} is stored in the key ring, for {upstream.url}")
    elif forget_key:
        there = forget(upstream, os.environ)
        complain(f"note: the key ring {'no longer has its key' if there else 'had no key for it'}")
    answer = {
        "name": upstream.name,
        "url": upstream.url,
        "models": list(upstream.models),
        "key_env": upstream.key_env,
        "dialects": list(upstream.dialects or traits_of(upstream.url).dialects),
        "auth": upstream.auth or traits_of(upstream.url).auth,
        "has_key": bool(key_of(upstream, os.environ, os.environ)),
    }
    if as_json:
        print_json(answer)
    elif not key and not forget_key:
        print_text(f"{upstream}\n{'It has a key.' if answer['has_key'] else 'It has no key.'}\n")


def _read_key(name: str) -> str:
    """Read the key from the terminal without echo, else from standard input; never from the command line."""
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass(f"Key of {name}: ").strip()
    return sys.stdin.readline().strip()


def _command() -> tuple[str, ...]:
    """Return the absolute command that starts this helix, independent of the client's PATH."""
    script = Path(sys.executable).with_name("helix")
    return (str(script),) if script.exists() else (sys.executable, "-m", "helix_ls.cli")
