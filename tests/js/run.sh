#!/bin/sh
# Runs the official JavaScript client against the proxy: run.sh PYTHON
set -eu
cd "$(dirname "$0")"
stamp=node_modules/.installed
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    # No package of the lock file needs its install script here.
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    touch "$stamp"
fi
HELIX_PYTHON=$1 exec node --test --test-reporter=dot clients.test.mjs
