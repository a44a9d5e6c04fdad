#!/usr/bin/env bash
# The README's second command: sets up what the tests need, then passes all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh examples
scripts/layers.sh
scripts/build-examples.sh --check
cargo test --workspace "$@"
