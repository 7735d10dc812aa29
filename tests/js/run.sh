#!/bin/sh
# Runs JavaScript clients against a server: OpenAI's official one and ours. run.sh PYTHON
set -eu
cd "$(dirname "$0")"
stamp=node_modules/.installed
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    # No package of the lock file needs its install script here.
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    touch "$stamp"
fi
sh ../../vscode-extension/install.sh
(cd ../../vscode-extension && rm -rf sdk/dist && node node_modules/typescript/bin/tsc -p sdk)
HELIX_PYTHON=$1 exec node --test --test-reporter=dot clients.test.mjs sdk.test.mjs strand.test.mjs
