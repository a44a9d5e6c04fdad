#!/usr/bin/env bash
# Counts the instructions of a Cortex-M0+ and of a Cortex-M4 that kernels take in Borges and in wasm3, and what a session
# costs there; prints tables.
# Needs Debian's gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm, and wasm3's sources (benches/wasm3.sh
# fetches them).
set -euo pipefail
cd "$(dirname "$0")"
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

# build TARGET PROGRAM PROFILE ARGUMENT…: the kernels with one way of building the VM.
build() {
    cargo build --quiet --package borges-bench --target "$1" --profile "$3" "${@:4}"
    cp "$CARGO_TARGET_DIR/$1/$3/kernels" "$2"
}

# measure TITLE TARGET CHIP PROFILE FEATURES FLAG…: all tables of a chip, whose firmware is built so; what gcc wants for it.
measure() {
    local target=$2 to=$out/$3
    mkdir -p "$to"
    arm-none-eabi-gcc -O3 -mthumb "${@:6}" -fomit-frame-pointer -ffunction-sections -fdata-sections -w \
        -DNDEBUG -Dd_m3RecordBacktraces=0 -I"$out" -I"$sources" \
        wasm3.c $(find "$sources" -name '*.c' ! -name 'm3_api*') \
        -nostartfiles --specs=nano.specs -L"$3" -Twasm3.ld -Wl,--gc-sections -o "$to"/wasm3 -lm
    build "$target" "$to"/stepping release
    build "$target" "$to"/tiers release --features fast
    build "$target" "$to"/tiers-for-speed fast --features fast
    cargo build --quiet --package borges-bench --target "$target" --profile "$4" --bin session --features "$5"
    cp "$CARGO_TARGET_DIR/$target/$4/session" "$to"/session
    printf '\n%s\n\n' "$1"
    node ../tools/kernels.js "${kernels[*]}" "$to"/{wasm3,stepping,tiers,tiers-for-speed}
    echo
    node ../tools/session.js "$to"/session
}
measure "Cortex-M0+" thumbv6m-none-eabi pico release "" -mcpu=cortex-m0plus
measure "Cortex-M4" thumbv7em-none-eabihf stm32f4 fast fast -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
