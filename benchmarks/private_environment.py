"""The private environment of the VS Code extension, made by the extension's own code: time, CPU time and size.

    python benchmarks/private_environment.py [--runs 3] [--python PYTHON]

Needs Node.js and the extension's packages (``make check-extension``), and reaches the package index. A first run, which
is not counted, fills a pip cache of its own; the others find the packages there, as a second version of the extension
does. Ends with 1 where the median takes more than 60 s or the environment more than 200 MB, without the bytecode that
Python writes while it runs. It is CPU time that tells of another machine, or of this one when it is busy.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
EXTENSION = REPOSITORY / "vscode-extension"
LONGEST_S, LARGEST_MB = 60.0, 200.0
MAKE = """
import { findBundle, makePrivate } from './src/python/privateEnvironment';
const [bundled, storage, python] = process.argv.slice(2);
const bundle = await findBundle(bundled);
const quiet = () => undefined;
const options = { works: async () => true, signal: new AbortController().signal, onStep: quiet, onLine: quiet };
console.log(await makePrivate(storage, bundle, { python }, options));
"""


def carried(folder: Path) -> Path:
    """A folder with the wheel and the lock files, as the package of the extension carries them."""
    bundled = folder / "bundled"
    bundled.mkdir()
    wheel = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*wheel, "--no-build-isolation", "--wheel-dir", bundled, REPOSITORY], check=True)
    for name in ("requirements.lock", "requirements-proxy.lock", "requirements-models.lock"):
        shutil.copy(REPOSITORY / name, bundled)
    return bundled


def program(folder: Path) -> Path:
    """The extension's own code that makes the environment, as one script for Node.js."""
    script = folder / "make.mjs"
    esbuild: list[str | Path] = [
        EXTENSION / "node_modules" / ".bin" / "esbuild",
        "--bundle",
        "--platform=node",
        "--format=esm",
    ]
    subprocess.run(
        [*esbuild, "--log-level=warning", "--loader=ts", f"--outfile={script}"],
        cwd=EXTENSION,
        input=MAKE,
        text=True,
        check=True,
    )
    return script


def made(script: Path, bundled: Path, python: str, folder: Path) -> tuple[float, float, float]:
    """Make one environment. Returns the seconds it took, its CPU seconds, and its size in MB."""
    storage = folder / "storage"
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    told = subprocess.run(
        ["node", script, bundled, storage, python],
        env=os.environ | {"PIP_CACHE_DIR": str(folder / "pip")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    wall_s, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([told.stdout.strip(), "-c", "import helix_ls.cli"], check=True)
    size = sum(
        file.lstat().st_size
        for file in storage.rglob("*")
        if file.is_file() and not file.is_symlink() and file.parent.name != "__pycache__"
    )
    shutil.rmtree(storage)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, size / 1e6


def main() -> int:
    """Measure and print; end with 1 on a miss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        bundled, script = carried(folder), program(folder)
        first_s, _, _ = made(script, bundled, options.python, folder)
        print(f"into an empty pip cache: {first_s:.1f} s")
        runs = [made(script, bundled, options.python, folder) for _ in range(options.runs)]
    wall_s, cpu_s, size_mb = (statistics.median(column) for column in zip(*runs, strict=True))
    each = ", ".join(f"{run[0]:.1f}" for run in runs)
    print(f"from a warm one: {each} s at a load of {os.getloadavg()[0]:.1f}")
    print(f"median of {options.runs}: {wall_s:.1f} s, {cpu_s:.1f} CPU s, {size_mb:.0f} MB")
    return 1 if wall_s > LONGEST_S or size_mb > LARGEST_MB else 0


if __name__ == "__main__":
    sys.exit(main())
