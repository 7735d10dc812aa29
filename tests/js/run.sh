#!/bin/sh
# Runs JavaScript clients against a server: OpenAI's official one and ours, Claude Code and Codex. run.sh PYTHON
set -eu
cd "$(dirname "$0")"
stamp=node_modules/.installed
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    # The one install script that is needed: it links Claude Code's binary, which npm fetched for this platform.
    node node_modules/@anthropic-ai/claude-code/install.cjs
    touch "$stamp"
fi
sh ../../vscode-extension/install.sh
(cd ../../vscode-extension && rm -rf sdk/dist && node node_modules/typescript/bin/tsc -p sdk)
(cd ../.. && PATH="$PWD/tests/js/node_modules/.bin:$PATH" "$1" -m pytest -q -n 0 -p no:schemathesis -p no:cacheprovider tests/proxy/test_agent_programs.py)
HELIX_PYTHON=$1 exec node --test --test-reporter=dot clients.test.mjs sdk.test.mjs strand.test.mjs
