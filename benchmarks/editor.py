"""How Helix feels in an editor: the language server driven over stdio as a window drives it.

    python benchmarks/editor.py [FOLDER] [--only first,hover,typing,…] [--json FILE]

FOLDER (this repository by default; the targets are meant for django's sources in git) is copied to a scratch folder
first; daemon, cache and settings are the bench's own. Absolute times depend on the machine and on what else it does:
they are printed with ok or miss and never fail the run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))
sys.path.insert(0, str(Path(__file__).parent / "editorbench"))

from figures import Figure, table
from heard import storm
from server_measures import Desk, at_rest, events, first_window, hovers, keystrokes, later_windows, switches, verdicts
from speed import REPOSITORY, copied

ALL = ("first", "later", "hover", "typing", "verdict", "switch", "rest", "storm", "events")


async def run(desk: Desk, options: argparse.Namespace) -> list[Figure]:
    """All that was asked for; the first window always comes first, since the others work on its index."""
    parts = {
        "first": lambda: first_window(desk),
        "later": lambda: later_windows(desk, options.windows),
        "hover": lambda: hovers(desk, options.hovers),
        "typing": lambda: keystrokes(desk, options.names),
        "verdict": lambda: verdicts(desk, options.saves, options.busy),
        "switch": lambda: switches(desk, options.files),
        "rest": lambda: at_rest(desk, options.rest_s),
        "storm": lambda: asyncio.to_thread(storm, desk.folder, options.events),
        "events": lambda: events(desk, options.burst),
    }
    figures: list[Figure] = []
    for name, part in parts.items():
        if name == "first" or name in options.only:
            for figure in await part():
                figures.append(figure)
                print(f"  {figure.name}: {figure.ours:.4g} {figure.unit}", file=sys.stderr)
    return figures


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=REPOSITORY)
    parser.add_argument("--only", default=",".join(ALL), help=f"some of {','.join(ALL)}; first always runs")
    parser.add_argument("--windows", type=int, default=7, help="windows opened one after the other")
    parser.add_argument("--hovers", type=int, default=400)
    parser.add_argument("--names", type=int, default=40, help="names typed key by key into the symbol box")
    parser.add_argument("--saves", type=int, default=40, help="saves that change a verdict")
    parser.add_argument("--busy", type=int, default=8, help="busy loops beside the second half of the saves")
    parser.add_argument("--files", type=int, default=500, help="files that differ between the branches")
    parser.add_argument("--events", type=int, default=5_000, help="files saved by rename for the watcher alone")
    parser.add_argument("--burst", type=int, default=1_000, help="files saved by rename for the server to index")
    parser.add_argument("--rest-s", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    options.only = options.only.split(",")
    folder = options.folder.resolve()

    scratch = Path(tempfile.mkdtemp(prefix="helix-editor-"))
    own = {name: str(scratch / part) for name, part in (("HELIX_CACHE_DIR", "cache"), ("HELIX_RUNTIME_DIR", "run"))}
    environment = {**own, "HELIX_CONFIG": str(scratch / "config.toml")}
    before, started = os.getloadavg(), time.time()
    try:
        figures = asyncio.run(run(Desk(copied(folder, scratch), environment, options.seed), options))
    finally:
        command = [sys.executable, "-m", "helix_ls.cli", "daemon", "stop"]
        subprocess.run(command, check=False, capture_output=True, env={**os.environ, **environment})
        shutil.rmtree(scratch, ignore_errors=True)
    load = f"{before[0]:.2f} before, {os.getloadavg()[0]:.2f} after"
    print(f"\n{folder.name} on {os.cpu_count()} cores, Python {sys.version.split()[0]}, load average {load}\n")
    print(table(figures))
    if options.json:
        said = {"folder": folder.name, "at": started, "figures": [each.as_json() for each in figures]}
        options.json.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
