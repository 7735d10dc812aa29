#!/usr/bin/env bash
# Installs what drives a real editor: VS Code (as code-server), its node, and Chromium. What is there already stays.
# Usage: setup.sh            prints the folder on stdout, progress and errors on stderr
# The folder is $HELIX_EDITOR_HOME, else helix-editor in the user's cache; never in the checkout. About 4 minutes, 1.3 GB.
set -euo pipefail

NODE_VERSION=24.21.0
CODE_SERVER_VERSION=4.139.1
home=${HELIX_EDITOR_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/helix-editor}
entry=$home/server/node_modules/code-server/out/node/entry.js
log=$home/install.log

say() { echo "editor: $*" >&2; }
stop() { say "$1"; [[ ! -s $log ]] || { say "the end of $log:"; tail -n 15 "$log" >&2; }; exit 1; }

as_root() {
    if ((EUID == 0)); then "$@"
    elif command -v sudo >/dev/null; then sudo -n "$@"
    else echo "no root and no sudo: ask an administrator to run: $*" >&2; return 1; fi
}

# step WHAT HOW_TO_KNOW HOW_TO_INSTALL: the check decides before and after, so that half an installation is made whole.
step() {
    if "$2" >/dev/null 2>&1; then return; fi
    say "installing $1"
    local began=$SECONDS
    : >"$log"
    "$3" >>"$log" 2>&1 || stop "could not install $1; is the package registry reachable? Run $0 again after mending it."
    "$2" >>"$log" 2>&1 || stop "installed $1, but it does not work; remove $home and run $0 again."
    say "installed $1 in $((SECONDS - began)) s"
}

system_is_there() {
    { command -v chromium || command -v chromium-browser || command -v google-chrome || [[ -x ${CHROMIUM:-} ]]; } &&
        command -v npm && command -v git && { editor_is_there || builds_native_modules; }
}
builds_native_modules() { command -v g++ && command -v make && command -v python3 && command -v pkg-config && pkg-config --exists krb5-gssapi; }
install_system() {
    local wanted=(fonts-dejavu-core)
    command -v chromium || wanted+=(chromium)
    command -v git || wanted+=(git)
    command -v npm || wanted+=(nodejs npm)
    editor_is_there || wanted+=(g++ make python3 pkg-config libkrb5-dev)
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}"
}

node_is_there() { [[ $("$home/node24" --version) == "v$NODE_VERSION" ]]; }
install_node() {
    install_package node "node@$NODE_VERSION"
    # The npm package carries the C headers beside the binary: native modules must not be built against another node's.
    ln -sfn "$(find "$home/node/node_modules" -path '*node-linux-*/bin/node' | head -n 1)" "$home/node24"
}

editor_is_there() { [[ $("$home/node24" "$entry" --config "$home/config.yaml" --version) == "$CODE_SERVER_VERSION "* ]]; }
install_editor() {
    local node
    node=$(dirname "$(dirname "$(readlink -f "$home/node24")")")
    PATH=$node/bin:$PATH npm_config_nodedir=$node install_package server "code-server@$CODE_SERVER_VERSION"
}

install_package() {
    mkdir -p "$home/$1"
    (cd "$home/$1" && { [[ -f package.json ]] || echo '{"private": true}' >package.json; } &&
        npm install --no-audit --no-fund --no-update-notifier "$2")
}

mkdir -p "$home" || stop "cannot write to $home; set HELIX_EDITOR_HOME to a folder of yours."
exec 9>"$home/.lock"
flock 9 # two runs at once install once
[[ -f $home/config.yaml ]] || echo 'auth: none' >"$home/config.yaml"

step "system packages (Chromium, build tools)" system_is_there install_system
step "node $NODE_VERSION" node_is_there install_node
step "VS Code (code-server $CODE_SERVER_VERSION; compiles for 2-3 minutes)" editor_is_there install_editor
say "ready in $home"
echo "$home"
