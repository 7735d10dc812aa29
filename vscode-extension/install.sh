#!/bin/sh
# Installs what building and checking the extension need, when that is not there already.
set -eu
cd "$(dirname "$0")"
major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p')
if [ "${major:-0}" -lt 20 ] || ! command -v npm >/dev/null; then
    echo "The VS Code extension needs Node.js 20 or newer with npm, and found ${major:+Node.js }${major:-none};" \
        "install it from nodejs.org or your system's packages and run make again." >&2
    exit 1
fi
stamp=node_modules/.installed
# The checks and the editor's run start at once; only one of them installs.
if command -v flock >/dev/null; then
    exec 9<install.sh
    flock 9
fi
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    # No package of the lock file needs its install script here.
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    touch "$stamp"
fi
