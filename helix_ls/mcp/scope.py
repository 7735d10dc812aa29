"""One question's view of the machine: the folder it is about, how the engine is asked there, and what may leave.

Replaces the folders of this machine in whatever an answer says; never decides which folder is meant.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core.printable import one_line
from helix_ls.mcp.asking import Asks
from helix_ls.mcp.outgoing import MOST_CHARACTERS, as_text, cleaned, fitted

_VARIABLES = ("HELIX_CACHE_DIR", "HELIX_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")
_SHOWN_BYTES = (40_000, 8_000)


@dataclass(frozen=True, slots=True)
class Scope:
    """``others`` are the names of open folders the question did not choose between; ``asker`` names the session."""

    asking: Asks
    folder: Path
    others: tuple[str, ...] = ()
    asker: str = ""

    async def ask(self, method: str, **params: Any) -> Any:
        """A call about the folder."""
        return await self.asking.ask(method, path=str(self.folder), asker=self.asker, **params)

    async def lines(self, source_id: str, task: str, **lines: int) -> dict[str, Any]:
        """Whole lines, as many as may leave: escapes can make a text several times as long as its bytes."""
        for most_bytes in _SHOWN_BYTES:
            raw = await self.ask("helix.open", source_id=source_id, task=task, most_bytes=most_bytes, **lines)
            answer = cleaned(raw, places(os.environ, self.folder))
            if len(as_text(answer)) <= MOST_CHARACTERS:
                break
        return answer | {"escaped": answer["text"] != raw["text"]}

    def fit(self, answer: dict[str, Any], text: int = 0) -> dict[str, Any]:
        """Cleaned and cut to size; a ``text`` of so many characters has its own budget."""
        if self.others and "notes" in answer:
            said = f"this is about {self.folder.name} only; workspace chooses another: {', '.join(self.others)}"
            answer = answer | {"notes": [*answer["notes"], said]}
        workspace = {"workspace": one_line(self.folder.name)} if "workspace" in answer else {}
        return fitted(cleaned(answer, places(os.environ, self.folder)) | workspace, MOST_CHARACTERS + 2 * text)


def places(environ: Mapping[str, str], *folders: Path) -> dict[str, str]:
    """The folders of this machine that words could name, and what is said in their stead."""
    named = {environ[name]: f"${name}" for name in _VARIABLES if len(environ.get(name, "")) > 1}
    home = os.path.expanduser("~")
    if len(home) > 1:
        named[home] = "~"
    for folder in folders:
        named |= {path: folder.name for path in (str(folder), os.path.realpath(folder)) if len(path) > 1}
    return named
