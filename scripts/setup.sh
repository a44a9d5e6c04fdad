#!/usr/bin/env bash
# Installs what a fresh Debian or Ubuntu machine lacks to build Borges: a C compiler, for SQLite and as linker.
# Called by the two commands of the README.
set -euo pipefail

packages=()
command -v cc >/dev/null 2>&1 || packages+=(gcc)
[ -e /usr/include/stdio.h ] || packages+=(libc6-dev)
if [ ${#packages[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: please install these packages as root: ${packages[*]}" >&2
            exit 1
        }
        as_root=(sudo)
    fi
    echo "setup: installing ${packages[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
command -v cargo >/dev/null 2>&1 || {
    echo "setup: no Rust toolchain: install one from https://rustup.rs (stable, 1.95 or later), then run this again" >&2
    exit 1
}
