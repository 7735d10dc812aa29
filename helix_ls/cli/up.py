"""``helix up``: start the daemon and its proxy on a folder, leave them running, and open the dashboard."""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from helix_core.errors import HelixError
from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import print_json, print_text

ANSWER_S = 60.0
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the link to the dashboard, and open nothing.")]


def up(path: Folder = HERE, no_browser: NoBrowser = False, as_json: Json = False) -> None:
    """Start the daemon and its chat proxy on a folder, leave them running, and open the dashboard."""
    from helix_core.workspace import check_project

    check_project(path)
    facts = started(os.path.realpath(path))
    if as_json:
        print_json(facts)
        return
    print_text(
        f"The daemon runs as {facts['pid']} and keeps {facts['workspace']} open until: helix daemon stop\n"
        f"OpenAI clients use {facts['base_url']} with the key printed by: helix connect openai\n"
        f"Agents use {facts['url']}/mcp, or: helix mcp\n"
    )
    show(link_to(facts["url"], facts["workspace"]), opens=not no_browser)


def started(folder: str) -> dict[str, Any]:
    """Have the daemon keep a folder open and serve it; return the proxy's facts without its key."""
    from helix_ls.host.connection import encoded
    from helix_ls.host.election import reach

    connection = reach(os.environ, {"kind": "call"})
    params = {"path": folder, "start": True, "keep": True}
    with connection.socket:
        try:
            reply = connection.exchange(encoded({"method": "helix.proxy", "params": params}), ANSWER_S)
        except (OSError, ValueError) as error:
            raise HelixError(f"The daemon {connection.pid} does not answer; see: helix daemon logs") from error
    if "result" not in reply:
        raise HelixError(str(reply["error"]["message"]))
    result: dict[str, Any] = reply["result"]
    return {name: result[name] for name in ("schema", "url", "base_url", "port", "pid")} | {"workspace": folder}


def link_to(url: str, folder: str) -> str:
    """Return the address of the dashboard of a server at ``url``, with a ticket that is valid once.

    The ticket is in the fragment, which no browser sends to a server.
    """
    from helix_ls.proxy.keys import users_key
    from helix_ls.proxy.sessions import ticket

    port = int(url.rpartition(":")[2])
    told = urlencode({"ticket": ticket(users_key(os.environ), port, time.time()), "workspace": folder})
    return f"{url}/dashboard#{told}"


def show(link: str, *, opens: bool) -> None:
    """Open the link in the browser if ``opens`` is set and stdout is a terminal, else print it."""
    from helix_ls.host.browser import open_in_browser

    if opens and sys.stdout.isatty() and open_in_browser(link):
        print_text("The dashboard opens in your browser; for a link: helix dashboard --no-browser\n")
        return
    print_text(f"The dashboard, once and within two minutes: {link}\n")
