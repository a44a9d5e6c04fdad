#!/usr/bin/env bash
# Builds the firmware and says how large it is. `test` also runs sessions on it in emulators.
set -euo pipefail
cd "$(dirname "$0")/.."
target=thumbv7em-none-eabihf

if ! rustup target list --installed 2>/dev/null | grep -qx "$target"; then
    rustup target add "$target"
fi
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
(
    cd firmware
    cargo fmt --all --check
    cargo clippy --release --target "$target" --quiet -- -D warnings
    cargo build --release --target "$target" --quiet
)
firmware=$CARGO_TARGET_DIR/$target/release/borges-stm32f4

# Sections that lie in flash, and those that take memory before the program has any; the heap's size is the board's.
"$(rustc --print sysroot)"/lib/rustlib/*/bin/llvm-size "$firmware" 2>/dev/null || size "$firmware"

if [ "${1:-}" = test ]; then
    scripts/setup.sh tests
    BORGES_FIRMWARE=$firmware cargo test -p borges-cli --test emulated -- --ignored
fi
