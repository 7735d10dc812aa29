#!/bin/sh
# Builds helix-context.vsix: the wheel of this checkout, the lock file and the bundled extension. Argument: a Python.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
case $1 in /*) python=$1 ;; *) python=$root/$1 ;; esac
sh "$root/vscode-extension/install.sh"

cd "$root/vscode-extension"
rm -rf bundled helix-context.vsix
mkdir bundled
"$python" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir bundled "$root"
cp "$root/requirements.lock" "$root/requirements-proxy.lock" "$root/requirements-models.lock" bundled/
npm run --silent package
echo "vscode-extension/helix-context.vsix"
if command -v code >/dev/null; then
    code --install-extension helix-context.vsix --force
fi
