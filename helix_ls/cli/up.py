"""``helix up``: start the daemon and its proxy on a folder, and leave them running."""

from __future__ import annotations

import os
from typing import Any

from helix_core.errors import HelixError
from helix_ls.cli.output import print_json, print_text
from helix_ls.cli.verbs import HERE, Folder, Json

ANSWER_S = 60.0


def up(path: Folder = HERE, as_json: Json = False) -> None:
    """Start the daemon and its chat proxy on a folder, print their addresses, and leave them running."""
    from helix_core.workspace import check_project

    check_project(path)
    facts = _started(os.path.realpath(path))
    if as_json:
        print_json(facts)
        return
    print_text(
        f"The daemon runs as {facts['pid']} and keeps {facts['workspace']} open until: helix daemon stop\n"
        f"OpenAI clients use {facts['base_url']} with the key printed by: helix connect openai\n"
        f"Agents use {facts['url']}/mcp, or: helix mcp\n"
    )


def _started(folder: str) -> dict[str, Any]:
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
