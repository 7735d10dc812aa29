"""``helix config``: the settings in force, where each came from, and whether chats are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from helix_core.config import WORKSPACE_FILE, Config, explain, load_config, user_file
from helix_core.errors import WorkspaceError
from helix_ls.cli.options import HERE, Folder, Json
from helix_ls.cli.output import complain, print_json, print_text, warn

SCHEMA = "helix.config/1"


def config(
    path: Folder = HERE,
    explained: Annotated[
        bool, typer.Option("--explain", help="Show where each value came from and what it means.")
    ] = False,
    keep_chats: Annotated[
        bool | None,
        typer.Option(
            "--keep-chats/--no-keep-chats",
            help="Write into your own settings whether chats that pass the proxy are kept on this machine.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the settings in force for a folder, or answer whether chats are kept."""
    if keep_chats is not None:
        _keep_chats(keep_chats)
    if not path.is_dir():
        raise WorkspaceError(f"{path} is not an existing folder; name one")
    settings = load_config(path)
    answer = _answer(settings, path)
    if as_json:
        print_json(answer)
        return
    warn(settings.warnings)
    if explained:
        from helix_ls.cli.render.reports import draw_config

        draw_config(answer)
    else:
        from helix_core.printable import one_line

        print_text("".join(f"{each['key']} = {one_line(_toml(each['value']))}\n" for each in answer["settings"]))


def _keep_chats(keeps: bool) -> None:
    """Write ``memory.learn`` into the user's settings; a running proxy follows."""
    import tomllib

    from helix_ls.proxy.config_files import planned, with_table

    def merged(text: str) -> str:
        held = tomllib.loads(text).get("memory", {}) if text else {}
        return with_table(text, ("memory",), (held if isinstance(held, dict) else {}) | {"learn": keeps})

    change = planned(user_file(), merged)
    if change.is_needed:
        change.write()
    complain(f"note: chats are {'kept on this machine' if keeps else 'not kept'}; written to {change.path}")


def _answer(settings: Config, folder: Path) -> dict[str, Any]:
    files = [("user", user_file()), ("workspace", folder.absolute() / WORKSPACE_FILE)]
    return {
        "schema": SCHEMA,
        "files": [{"role": role, "path": str(file), "exists": file.is_file()} for role, file in files],
        "settings": [
            {
                "key": valued.setting.key,
                "value": valued.value,
                "default": valued.setting.shown(valued.setting.default),
                "origin": valued.origin.source,
                "place": valued.origin.place,
                "meaning": valued.setting.meaning,
                "variable": valued.setting.variable,
            }
            for valued in explain(settings)
        ],
        "warnings": list(settings.warnings),
    }


def _toml(value: object) -> str:
    import json

    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)
