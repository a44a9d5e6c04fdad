#!/usr/bin/env bash
# The README's first command: builds Borges and opens the debugger on the colour dial.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cargo build --release --quiet -p borges-cli
exec target/release/borges debug examples/color-dial/color-dial.wasm "$@"
