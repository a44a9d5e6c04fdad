#!/usr/bin/env bash
# Records the programs of scripts/real-programs.sh on other engines (Node, wasmtime, Chromium), imports the recordings and
# replays them here: exit codes, both outputs and all that the programs hand to their host must be equal.
#
#   scripts/recordings.sh [NAME…]     those programs; all without a name; library is one whose exports are called
#
# ENGINES="node wasmtime" leaves the others out. It ends with 75 if a registry cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
folder=${PROGRAMS:-$target/real-programs}
if ! "$folder/venv/bin/python" -c 'import wasmtime' 2>/dev/null; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet wasmtime==50.0.1 || exit 75
fi
borges=${BORGES:-}
if [ -z "$borges" ]; then
    cargo build --quiet --package borges-cli
    borges=$target/debug/borges
fi
export PYTHONPATH=$PWD/recorders/python PYTHONDONTWRITEBYTECODE=1
"$folder/venv/bin/python" recorders/wasm/make.py --check
exec "$folder/venv/bin/python" scripts/real-programs/recordings.py "$borges" "$folder" "$@"
