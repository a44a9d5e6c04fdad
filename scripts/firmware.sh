#!/usr/bin/env bash
# Builds the firmware, says how large it is and fails where it is too large. `test` also runs sessions on it in
# emulators, and measures what they take of the Pico's memory; `lossy` runs the one that takes minutes: a thousand commands on a bad line.
set -euo pipefail
cd "$(dirname "$0")/.."

# Package, target, profile and binary of each, and the features that it wants.
firmware=(
    "borges-stm32f4 thumbv7em-none-eabihf fast borges-stm32f4"
    "borges-pico thumbv6m-none-eabi release borges-pico"
    "borges-pico thumbv6m-none-eabi release borges-pico-usb usb"
)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
# Panics say where they are in a path. Paths that begin at the crate make firmware that is equal, and equally large, wherever
# it was built.
from=("$PWD/crates/" "$PWD/firmware/" "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/)
flags=$(printf '"--remap-path-prefix=%s=",' "${from[@]}")
anywhere="target.'cfg(all(target_arch = \"arm\", target_os = \"none\"))'.rustflags=[$flags]"
built=()
(cd firmware && cargo fmt --all --check)
for each in "${firmware[@]}"; do
    read -r package target profile binary features <<<"$each"
    if ! rustup target list --installed 2>/dev/null | grep -qx "$target"; then
        rustup target add "$target"
    fi
    (
        cd firmware
        which=(--profile "$profile" --package "$package" --bin "$binary" --features "$features" --target "$target" --quiet)
        cargo --config "$anywhere" clippy "${which[@]}" -- -D warnings
        cargo --config "$anywhere" build "${which[@]}"
    )
    built+=("$CARGO_TARGET_DIR/$target/$profile/$binary")
done
# What measures it must compile, too.
for target in "thumbv6m-none-eabi" "thumbv7em-none-eabihf --features fast"; do
    # shellcheck disable=SC2086 # Words are arguments.
    (cd firmware && cargo --config "$anywhere" clippy --release --package borges-bench --target $target --quiet -- -D warnings)
done
scripts/setup.sh firmware

if [ "${1:-}" = test ]; then
    scripts/setup.sh tests
    # The whole workspace, so that what its tests have built is not built again with fewer features.
    cargo test --workspace --test emulated --test links --no-run
    node firmware/tools/sizes.js --debugger="$CARGO_TARGET_DIR/debug/borges" "${built[@]}"
    BORGES_FIRMWARE=$CARGO_TARGET_DIR cargo test --workspace --test emulated --test links -- --ignored --skip thousand
    exit
fi
node firmware/tools/sizes.js "${built[@]}"
if [ "${1:-}" = lossy ]; then
    BORGES_FIRMWARE=$CARGO_TARGET_DIR cargo test -p borges-cli --test links -- --ignored thousand --nocapture
fi
