#!/usr/bin/env bash
# Runs programs that we did not write (Lua, bzip2, esbuild, QuickJS, SQLite's shell, ripgrep, zopfli, hexyl), fetched from
# their registries and built for WASI, on wasmtime and here: exit codes, outputs and files must be equal, and in the
# debugger each must end in the plain run's state.
#
#   scripts/real-programs.sh [NAME…]     those programs; all without a name, of which the Rust ones take minutes to build
#
# It ends with 75 if a registry cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
folder=$target/real-programs
if ! "$folder/venv/bin/python" -c 'import wasmtime' 2>/dev/null; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet wasmtime==50.0.1 || exit 75
fi
borges=${BORGES:-}
if [ -z "$borges" ]; then
    cargo build --quiet --package borges-cli
    borges=$target/debug/borges
fi
PYTHONDONTWRITEBYTECODE=1 exec "$folder/venv/bin/python" scripts/real-programs/compare.py "$borges" "$folder" "$@"
