#!/usr/bin/env bash
# Counts the instructions of a Cortex-M0+ that kernels take in Borges and in wasm3, and what a session costs; prints tables.
# Needs Debian's gcc-arm-none-eabi and libnewlib-arm-none-eabi, and wasm3's sources (benches/wasm3.sh fetches them).
set -euo pipefail
cd "$(dirname "$0")"
target=thumbv6m-none-eabi
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target}
sources=${WASM3_DIR:-../../benches/.wasm3}
out=$CARGO_TARGET_DIR/bench
mkdir -p "$out"
kernels=(fib prime crc32 quicksort sha256 indirect machine)

{
    for kernel in "${kernels[@]}"; do
        echo "static const uint8_t $kernel[] = {"
        od -An -v -tu1 -w16 ../../benches/kernels/"$kernel".wasm | sed 's/ *\([0-9]\+\)/\1,/g'
        echo "};"
    done
    echo "static const struct { const uint8_t *bytes; unsigned length; } kernels[] = {"
    for kernel in "${kernels[@]}"; do echo "    {$kernel, sizeof $kernel},"; done
    echo "};"
} >"$out"/kernels.h

arm-none-eabi-gcc -O3 -mcpu=cortex-m0plus -mthumb -fomit-frame-pointer -ffunction-sections -fdata-sections -w \
    -DNDEBUG -Dd_m3RecordBacktraces=0 -I"$out" -I"$sources" \
    wasm3.c $(find "$sources" -name '*.c' ! -name 'm3_api*') \
    -nostartfiles --specs=nano.specs -Twasm3.ld -Wl,--gc-sections -o "$out"/wasm3 -lm

# build NAME PROFILE ARGUMENT…: the kernels with one way of building the VM.
build() {
    cargo build --quiet --package borges-bench --target "$target" --profile "$2" "${@:3}"
    cp "$CARGO_TARGET_DIR/$target/$2/kernels" "$out/$1"
}
build small release
cp "$CARGO_TARGET_DIR/$target/release/session" "$out/session"
build tiers release --features fast
build tiers-for-speed fast --features fast
node ../tools/kernels.js "${kernels[*]}" "$out"/{wasm3,small,tiers,tiers-for-speed}
node ../tools/session.js "$out"/session
