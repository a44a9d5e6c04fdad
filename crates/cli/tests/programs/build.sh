#!/usr/bin/env bash
# Builds these programs with the compilers of scripts/build-examples.sh.
set -euo pipefail
cd "$(dirname "$0")"
export PATH="$PATH:../../../../examples/node_modules/binaryen/bin"

c() { # c SOURCE OUTPUT OPTIONS..., with clang's own options in $flags
    local object
    object=$(mktemp --suffix=.o)
    clang-14 --target=wasm32 -g -O0 -ffreestanding -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. \
        ${flags:-} -c "$1" -o "$object"
    wasm-ld-14 --stack-first -z stack-size=8192 "${@:3}" "$object" -o "$2"
    rm -f "$object"
    chmod 644 "$2"
}

# Programs of WASI (Debian's wasi-libc and libclang-rt-14-dev-wasm32).
for name in depth latch; do
    clang-14 --target=wasm32-wasi -O1 -g -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. "$name.c" -o "$name.wasm"
    chmod 644 "$name.wasm"
done

# Three modules that are linked by name when they are run.
c linked/station.c linked/station.wasm --no-entry --export=main
c linked/filter.c linked/filter.wasm --no-entry
c linked/units.c linked/units.wasm --no-entry
# With the linker's own wrapper around main, which has no source.
c sibling-calls.c sibling-calls.wasm --no-entry --export=main
c meter.c meter.wasm --no-entry --export=main
flags=-mtail-call c tail-calls.c tail-calls.wasm --no-entry --export=main
# Exceptions as the standard has them need a newer clang, which makes those of the older proposal as well: that of the
# Python package ziglang, version 0.15.2.
newer() { # newer cc|c++ SOURCE OBJECT OPTIONS..., in the older form if $older is true
    python3 -m ziglang "$1" --target=wasm32-freestanding -O0 -fno-sanitize=all -fno-stack-protector \
        -mcpu=generic+exception_handling+reference_types+multivalue -mllvm "-wasm-use-legacy-eh=${older:-false}" \
        -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. -c "$2" -o "$3" "${@:4}"
}
objects=$(mktemp -d)
joined() { # joined OUTPUT OBJECT..., without extensions
    (cd "$objects" && python3 -m ziglang wasm-ld --no-entry --stack-first -z stack-size=8192 "${@:2}" -o "$1.wasm")
    install -m 644 "$objects/$1.wasm" "$1.wasm"
}
throws=(-fwasm-exceptions -mllvm -wasm-enable-eh)
newer c++ unwinding.cpp "$objects/unwinding.o" -g0 "${throws[@]}"
newer c++ thrown.cpp "$objects/thrown.o" -g "${throws[@]}"
joined thrown thrown.o unwinding.o
older=true newer c++ thrown.cpp "$objects/thrown.o" -g "${throws[@]}"
joined thrown-older thrown.o unwinding.o
# `setjmp` and `longjmp` are exceptions, too.
jumps=(-mllvm -wasm-enable-sjlj)
newer cc jumping.c "$objects/jumping.o" -g0 "${jumps[@]}"
older=true newer cc jumps.c "$objects/jumps.o" -g "${jumps[@]}"
joined jumps jumps.o jumping.o
# With addresses of 64 bits.
python3 -m ziglang cc --target=wasm64-freestanding -O0 -g -fno-sanitize=all -fno-stack-protector \
    -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. -c far.c -o "$objects/far.o"
(cd "$objects" && python3 -m ziglang wasm-ld -mwasm64 --no-entry --export=main --stack-first -z stack-size=8192 far.o -o far.wasm)
install -m 644 "$objects/far.wasm" far.wasm
rm -r "$objects"
wasm-as nameless.wat -o nameless.wasm
# wasm-as leaves out the names of memories.
wasm-tools parse memories.wat -o memories.wasm
# Rust's library without its debug information, which would be most of the file.
sysroot=$(rustc --print sysroot)
parts=$(mktemp -d)
for library in core compiler_builtins; do
    LD_LIBRARY_PATH="$sysroot/lib" "$sysroot"/lib/rustlib/*/bin/rust-objcopy --strip-debug \
        "$sysroot"/lib/rustlib/wasm32-unknown-unknown/lib/lib$library-*.rlib "$parts/lib$library.a"
done
rustc --edition 2024 --crate-type lib --target wasm32-unknown-unknown -C opt-level=0 -C debuginfo=2 \
    -C panic=abort -C codegen-units=1 --emit obj --remap-path-prefix "$PWD=." -o "$parts/tank.o" tank.rs
wasm-ld-14 --no-entry --export=main --stack-first -z stack-size=8192 "$parts/tank.o" "$parts"/*.a -o tank.wasm
rm -r "$parts"
chmod 644 tank.wasm
# With a vector of the library.
rustc --edition 2024 --crate-type cdylib --target wasm32-unknown-unknown -C opt-level=0 -C debuginfo=2 \
    -C panic=abort -C codegen-units=1 --remap-path-prefix "$PWD=." \
    -C linker-flavor=wasm-ld -C linker=./link.sh -o shelf.wasm shelf.rs
chmod 644 shelf.wasm
