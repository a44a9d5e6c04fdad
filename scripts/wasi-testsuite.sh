#!/usr/bin/env bash
# Runs the preview 1 tests of the public suite (github.com/WebAssembly/wasi-testsuite, branch prod/testsuite-base) over
# the crate wasi: prints how many pass, and each miss with its reason. The suite is 100 MB and is not in this repository.
#
#   scripts/wasi-testsuite.sh FOLDER     a checkout of that branch
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# != 1 ] || [ ! -d "$1/tests/rust/testsuite/wasm32-wasip1" ]; then
    echo "usage: scripts/wasi-testsuite.sh FOLDER: a checkout of prod/testsuite-base, with tests/rust/testsuite" >&2
    exit 2
fi
folder=$(realpath "$1")
cargo run --quiet --release --package borges-wasi --example suite -- "$folder"
