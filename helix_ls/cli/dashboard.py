"""``helix dashboard``: the page of the server that runs, by a link that works once."""

from __future__ import annotations

import os

from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import print_json
from helix_ls.cli.up import NoBrowser, link_to, show, started


def dashboard(path: Folder = HERE, no_browser: NoBrowser = False, as_json: Json = False) -> None:
    """Open the dashboard of a folder in the browser: a page that your own Helix serves, with a link that works once."""
    from helix_core.workspace import check_project
    from helix_ls.proxy.keys import users_key
    from helix_ls.proxy.running import NotRunningError, found

    check_project(path)
    folder = os.path.realpath(path)
    try:
        running = found(os.environ, users_key(os.environ), folder)
        url, is_served = running.url, folder in running.workspaces
    except NotRunningError:
        url, is_served = "", False
    if not is_served:
        url = started(folder)["url"]
    link = link_to(url, folder)
    if as_json:
        print_json({"url": link})
        return
    show(link, opens=not no_browser)
