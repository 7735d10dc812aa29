"""Draw docs/pictures/terminal.svg: what the commands of "See a verdict change" in docs/getting-started.md print.

    python docs/terminal.py

The commands run in a new folder with an index of their own. The picture names no font that is fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

DOCS = Path(__file__).resolve().parent
PICTURE = DOCS / "pictures" / "terminal.svg"
COLUMNS = 84
_SECTION = re.compile(r"^## See a verdict change$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img"
     aria-label="helix packet in a terminal">
  <style>
    .{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px; }}
    .{unique_id}-title {{ font-family: sans-serif; font-size: 16px; }}
    {styles}
  </style>
  <defs>
    <clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
    {lines}
  </defs>
  {chrome}
  <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">{matrix}</g>
  </g>
</svg>
"""


def main() -> int:
    """Write the picture; return 1 where the page has no such section."""
    section = _SECTION.search((DOCS / "getting-started.md").read_text("utf-8"))
    if section is None:
        sys.stderr.write('docs/getting-started.md has no section "See a verdict change"\n')
        return 1
    *steps, shown = _BLOCK.findall(section[0])
    question = shown.partition("\n")[0].removeprefix("$ ")
    with tempfile.TemporaryDirectory() as folder:
        script = "\n".join(["set -e", *steps, f"echo '$ {question}'", question])
        own = environment(Path(folder))
        said = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=own, capture_output=True, encoding="utf-8", check=False
        )
    if said.returncode:
        sys.stderr.write(said.stderr)
        return 1
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(said.stdout.strip("\n")))
    svg = console.export_svg(title="helix packet", theme=MONOKAI, code_format=_FRAME, unique_id="terminal")
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", "utf-8")
    return 0


def environment(folder: Path) -> dict[str, str]:
    """Return variables with which git and helix write below ``folder`` alone and print in color."""
    own = folder / ".own"
    kept = {f"HELIX_{name}_DIR": str(own / name.lower()) for name in ("CACHE", "DATA", "STATE", "RUNTIME")}
    git = {f"GIT_{who}_{what}": said for who in ("AUTHOR", "COMMITTER") for what, said in _YOU.items()}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    look = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8"}
    return {"PATH": path, "HOME": str(folder), "HELIX_CONFIG": str(own / "none.toml"), **kept, **git, **look}


_YOU = {"NAME": "You", "EMAIL": "you@example.com"}


if __name__ == "__main__":
    sys.exit(main())
